/* SPDX-License-Identifier: Apache-2.0 */
/* What a world's tenant lets Work IQ do: the section "workIQ" of seed documents. Changes are off
 * without it, as they are there. */
#include "engine/json/doc.h"
#include "engine/http/token.h"
#include "engine/world/core.h"
#include "mcp/sets/workiq/workiq.h"
#include "vendors/microsoft/signin/signin.h"

static const char *const switches[] = {"create", "update", "delete", "actions", NULL};
static const enum workiq_operation meant[] = {WORKIQ_CREATE, WORKIQ_UPDATE, WORKIQ_DELETE,
                                              WORKIQ_ACTION};
static const char *const words[] = {"Disallowed", "Allowed", NULL};

/* The section as it was written, checked; NULL: there is none. -1. */
static int stored(struct tx *tx, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select value from meta where key = :key");
    sqlite3_stmt *st;
    *ret = NULL;
    int r = TX_ROW(tx, &q, &st, "workIQ");
    if (r == 1) {
        *ret = tx_string(tx, st, 0);
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

static int check_list(struct doc *d, const struct json *v, const char *member, const char *a,
                      const char *b, const char *c)
{
    const struct json *list = json_get(v, member);
    const char *const members[] = {a, b, c, NULL};
    if (!list || list->type == JSON_NULL)
        return 0;
    if (list->type != JSON_ARRAY)
        return doc_expect(d, list, member, "a list");
    for (uint32_t i = 0; i < list->n; i++) {
        const char *text;
        size_t mark = doc_push(d, member, i);
        if (doc_object(d, &list->items[i], members) < 0)
            return -1;
        for (size_t k = 0; members[k]; k++)
            if (doc_str(d, &list->items[i], members[k], true, &text) < 0)
                return -1;
        doc_pop(d, mark);
    }
    return 0;
}

static int seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT("insert into meta (key, value) values ('workIQ', :v) "
                                        "on conflict (key) do update set value = excluded.value");
    static const char *const members[] = {"create", "update",  "delete", "actions",
                                          "agents", "answers", NULL};
    int at;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (doc_object(d, v, members) < 0)
        return -1;
    for (size_t i = 0; switches[i]; i++)
        if (doc_enum(d, v, switches[i], words, 0, &at) < 0)
            return -1;
    if (check_list(d, v, "agents", "agentId", "name", "provider") < 0 ||
        check_list(d, v, "answers", "question", "response", NULL) < 0)
        return -1;
    return TX_RUN(tx, &q, json_to_text(tx->arena, v));
}

static void list_schema(struct json_writer *w, const char *name, const char *const *members)
{
    json_obj(w, name);
    json_raw(w, "type", "[\"array\",\"null\"]", 16);
    json_obj(w, "items");
    json_str(w, "type", "object");
    json_bool(w, "additionalProperties", false);
    json_arr(w, "required");
    for (const char *const *m = members; *m; m++)
        json_str(w, NULL, *m);
    json_end(w);
    json_obj(w, "properties");
    for (const char *const *m = members; *m; m++)
        json_raw(w, *m, "{\"type\":\"string\"}", 17);
    json_end(w);
    json_end(w);
    json_end(w);
}

static void schema(struct json_writer *w)
{
    static const char *const agents[] = {"agentId", "name", "provider", NULL}, *const answers[] = {
                                                                                   "question",
                                                                                   "response",
                                                                                   NULL};
    json_raw(w, "type", "[\"object\",\"null\"]", 17);
    json_bool(w, "additionalProperties", false);
    json_obj(w, "properties");
    for (size_t i = 0; switches[i]; i++) {
        json_obj(w, switches[i]);
        json_arr(w, "enum");
        for (const char *const *word = words; *word; word++)
            json_str(w, NULL, *word);
        json_null(w, NULL);
        json_end(w);
        json_end(w);
    }
    list_schema(w, "agents", agents);
    list_schema(w, "answers", answers);
    json_end(w);
}

static int dump(struct tx *tx, struct json_writer *w)
{
    const char *text;
    if (stored(tx, &text) < 0)
        return -1;
    if (text)
        json_raw(w, "workIQ", text, strlen(text));
    return 0;
}

int workiq_setting(struct mcp_call *m, struct workiq_setting *ret)
{
    const char *text = m->c->vendor_data;
    const struct json *v = NULL;
    struct sosia_err err;
    *ret = (struct workiq_setting){.allowed = 0};
    if (!text)
        return 0;
    if (json_parse(m->c->tx.arena, text, strlen(text), NULL, &v, &err) < 0)
        return err.code == SOSIA_E_NO_MEMORY ? -1 : 0;
    for (size_t i = 0; switches[i]; i++) {
        const char *word = json_get_str(v, switches[i]);
        if (word && strcmp(word, "Allowed") == 0)
            ret->allowed |= meant[i];
    }
    ret->agents = json_get(v, "agents");
    ret->answers = json_get(v, "answers");
    return 0;
}

/* The methods have no transaction: it is read while the token is looked at. */
int workiq_read_setting(struct call *c)
{
    const char *text;
    if (!c->token || !c->route || c->admitted)
        return 0;
    if (stored(&c->tx, &text) < 0)
        return -1;
    c->vendor_data = (void *)text;
    return 0;
}

static const struct core_rule rules[] = {
    {"meta", "key = 'workIQ' and (not json_valid(value) or json_type(value) <> 'object' or "
             "json_type(value, '$.agents') not in ('array', 'null') or "
             "json_type(value, '$.answers') not in ('array', 'null'))"},
    {NULL, NULL},
};
static const struct section sections[] = {
    {.name = "workIQ", .seed = seed, .dump = dump, .schema = schema}};

const struct sosia_core workiq_core = {.name = "workiq",
                                       .schema = "",
                                       .sections = sections,
                                       .n_sections = SOSIA_LEN(sections),
                                       .rules = rules};

/* ---- tokens ---- */

int workiq_caller(struct call *c)
{
    static const char *const names[] = {WORKIQ_API, "fdcc1f02-fc51-4226-8753-f668596af7f7",
                                        "api://fdcc1f02-fc51-4226-8753-f668596af7f7", NULL};
    static const struct authority_service service = {names, WORKIQ_SCOPE};
    return authority_serve(c, &service);
}
