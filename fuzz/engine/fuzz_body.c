/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a JSON body, held against a schema that has all that schemas can have: with our own
 * rules and with a vendor's that are as loose as rules can be. What is taken keeps to the schema,
 * and is taken again without a change; a refusal names a place and what was expected.
 */
#include "engine/http/body.h"
#include "fuzz/fuzz.h"
#include <string.h>

static const char *const states[] = {"open", "done", NULL};

#define FIELDS(table) .fields = (table), .n_fields = SOSIA_LEN(table)
static const struct field person[] = {{.name = "name", .type = "string", .required = true}};
static const struct field where[] = {{.name = "room", .type = "string"},
                                     {.name = "floor", .type = "integer", .min = -1, .max = 9}};
static const struct schema shapes[] = {
    {.name = "person", FIELDS(person), .closed = true},
    {.name = "where", FIELDS(where), .needs = "room floor"},
    {.name = NULL},
};
static const struct field pair = {
    .name = "", .type = "integer", .list = true, .least = 2, .most = 2};
static const struct field task[] = {
    {.name = "id", .type = "string", .read_only = true},
    {.name = "kind", .type = "string", .immutable = true},
    {.name = "title", .type = "string", .max = 8, .required_for = "tasks.set"},
    {.name = "state", .type = "string", .values = states},
    {.name = "count", .type = "integer", .min = 1, .max = 5},
    {.name = "weight", .type = "number", .max = 100},
    {.name = "small", .type = "integer", .format = "int32"},
    {.name = "flag", .type = "boolean"},
    {.name = "due", .type = "string", .format = "date-time"},
    {.name = "day", .type = "string", .format = "date"},
    {.name = "owner", .type = "Person"},
    {.name = "helpers", .type = "Person", .list = true},
    {.name = "words", .type = "string", .list = true},
    {.name = "labels", .type = "string", .map = true},
    {.name = "people", .type = "Person", .map = true},
    {.name = "place", .type = "object", FIELDS(where)},
    {.name = "parts", .type = "Task", .list = true},
    {.name = "extra", .type = "any"},
    {.name = "many", .type = "string", .other = "array"},
    {.name = "doc", .type = "string", .other = "object"},
    {.name = "short", .type = "string", .min = 2, .max = 3, .characters = true},
    {.name = "few", .type = "string", .list = true, .least = 2, .most = 3},
    {.name = "most", .type = "string", .map = true, .most = 2},
    {.name = "pairs", .type = "list", .list = true, .fields = &pair, .n_fields = 1},
    {.name = "shape", .type = "object", .types = shapes},
    {.name = "shapes", .type = "object", .types = shapes, .list = true},
    {.name = "of", .type = "object", .of = &shapes[1]},
};
static const struct schema schemas[] = {
    {.name = "Person", FIELDS(person)},
    {.name = "Task", FIELDS(task), .closed = true},
};
static const struct param params[] = {{.name = "json", .place = IN_QUERY}};
static const struct route set = {
    .id = "tasks.set", .body = BODY_JSON, .request = "Task", PARAMS(params)};
static const struct vendor vendor = {.name = "tasks"};
static const struct dialect dialect = {
    .name = "tasks", .vendor = &vendor, .schemas = schemas, .n_schemas = SOSIA_LEN(schemas)};

/* ---- loose rules ---- */

static enum body_fault loose_scalar(struct call *c, const struct field *f, struct json *v)
{
    if (v->type == JSON_NUMBER && strcmp(f->type, "string") == 0)
        v->type = JSON_STRING;
    return body_scalar(c, f, v);
}

static const struct field *loose_name(struct call *c, const struct field *fields, size_t n,
                                      struct json_member *m)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(fields[i].name, m->key) == 0) {
            m->key = fields[i].name;
            m->key_len = (uint32_t)strlen(m->key);
            return &fields[i];
        }
    return NULL;
}

static enum body_verdict loose_fault(struct call *c, const struct body_report *r)
{
    CHECK(*body_expected(c, r) && body_found(c, r));
    CHECK(strlen(body_path(c, r->at)) < 64 * 1024);
    return r->fault == BODY_READ_ONLY || r->fault == BODY_ABSENT ? BODY_LEAVE : BODY_DROP;
}

static const struct body_rules loose = {.scalar = loose_scalar,
                                        .spelled = loose_name,
                                        .fault = loose_fault,
                                        .closed = true,
                                        .one_is_list = true,
                                        .null_items = true};
static const struct body_rules *loose_rules(const struct call *c)
{
    (void)c;
    return &loose;
}
static const struct front fronts[] = {{.error = NULL}, {.body_rules = loose_rules}};

/* ---- the target ---- */

static char *written(struct call *c, const struct json *v)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_value(&w, NULL, v);
    CHECK(!buf_failed(&b));
    char *text = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    return text;
}

static void check(const char *text, size_t size, bool is_loose)
{
    struct arena a;
    struct sosia_err err = {0};
    const struct sosia_request request = {.body = text, .body_len = size};
    arena_init(&a, 64 << 20);
    struct call c = {.tx = {.arena = &a, .err = &err},
                     .request = &request,
                     .dialect = &dialect,
                     .front = &fronts[is_loose],
                     .route = &set,
                     .verb = VERB_PUT};
    if (size && call_read_json(&c, text, size) < 0) {
        arena_done(&a);
        return;
    }
    const struct json *body = call_body(&c);
    if (!body) {
        CHECK(!is_loose && err.code == SOSIA_E_INVALID && strstr(err.text, " must be "));
        CHECK(err.line >= 0);
    } else {
        CHECK(body->type == JSON_OBJECT && call_body(&c) == body);
        /* What was taken is taken again, and is the same. */
        const char *once = written(&c, body);
        c.body_checked = false;
        CHECK(call_body(&c) == body);
        CHECK(is_loose || strcmp(once, written(&c, body)) == 0);
    }
    arena_done(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, data, size);
    text[size] = 0;
    check(text, size, false);
    check(text, size, true);
    free(text);
    return 0;
}
