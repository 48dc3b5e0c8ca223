/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON Schemas of policies, faults and budgets, which are files of docs, as parts of that of
 * seed documents. */
#include "guard/schema.h"
#include "engine/base/arena.h"
#include "engine/json/json.h"
#include <string.h>

extern const char policy_schema_json[], faults_schema_json[], budgets_schema_json[];

/* The text with its references from `place` on, in the arena. */
static const char *moved(struct arena *a, const char *text, const char *place)
{
    static const char root[] = "\"#/";
    struct buf b;
    buf_init(&b, 0);
    for (const char *at; (at = strstr(text, root)) != NULL; text = at + sizeof root - 1)
        buf_printf(&b, "%.*s\"#/%s/", (int)(at - text), text, place);
    buf_puts(&b, text);
    return buf_keep(&b, a);
}

/* The members of a schema into an open object; $schema is the document's. */
static void write_schema(struct json_writer *w, const char *text, const char *place)
{
    const struct json *v;
    struct sosia_err err;
    struct arena a;
    arena_init(&a, 0);
    const char *all = moved(&a, text, place);
    if (all && json_parse(&a, all, strlen(all), NULL, &v, &err) == 0)
        for (uint32_t i = 0; i < v->n; i++)
            if (strcmp(v->members[i].key, "$schema") != 0)
                json_value(w, v->members[i].key, &v->members[i].value);
    arena_done(&a);
}

void guard_policies_schema(struct json_writer *w)
{
    json_raw(w, "type", "[\"array\",\"null\"]", 16);
    json_int(w, "maxItems", GUARD_POLICIES);
    json_obj(w, "items");
    write_schema(w, policy_schema_json, "properties/policies/items");
    json_end(w);
}

/* A document, or the names of sets. */
static void document_schema(struct json_writer *w, const char *text, const char *place)
{
    json_arr(w, "anyOf");
    json_obj(w, NULL);
    json_raw(w, "type", "[\"string\",\"null\"]", 17);
    json_end(w);
    json_obj(w, NULL);
    write_schema(w, text, place);
    json_end(w);
    json_end(w);
}

void guard_faults_schema(struct json_writer *w)
{
    document_schema(w, faults_schema_json, "properties/faults/anyOf/1");
}

void guard_budgets_schema(struct json_writer *w)
{
    document_schema(w, budgets_schema_json, "properties/budgets/anyOf/1");
}
