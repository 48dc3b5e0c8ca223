/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/gcal.h"
#include "tests/unit/carry.h"
#include <stdio.h>
#include <stdlib.h>

struct sosia_engine *gcal_engine;
uint64_t gcal_world;
int gcal_status;
const char *gcal_body;

static struct sosia_err err;
static struct arena arena;

static const char DOC[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada, zone: Europe/Rome, aliases: [a@acme.example]}\n"
    "  - {email: bob@acme.example, name: Bob, zone: America/New_York}\n"
    "  - {email: cyd@acme.example, name: Cyd, zone: Asia/Tokyo}\n"
    "  - {email: room@acme.example, name: Room, kind: resource, zone: Europe/Rome}\n"
    "  - {email: bot@acme.example, name: Bot, kind: bot}\n"
    "  - {email: svc@acme.example, name: Service, kind: service}\n"
    "groups: [{email: all@acme.example, name: All, members: [bob@acme.example, "
    "cyd@acme.example]}]\n";

void gcal_use(const char *doc)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    if (sosia_world_create(gcal_engine, &opt, &gcal_world, &err) < 0)
        fail_msg("create: %s", err.text);
}

int gcal_open_world(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    if (sosia_engine_open(NULL, &gcal_engine, &err) < 0)
        return -1;
    gcal_use(DOC);
    return 0;
}

int gcal_close_world(void **state)
{
    (void)state;
    int rc = export_and_import(gcal_engine, gcal_world);
    sosia_engine_close(gcal_engine);
    arena_done(&arena);
    return rc;
}

static const struct json *parse(const char *text, size_t len)
{
    const struct json *v = NULL;
    if (len && json_parse(&arena, text, len, NULL, &v, &err) < 0)
        fail_msg("no JSON: %s in %s", err.text, text);
    return v;
}

const struct json *as_if(const char *who, const char *etag, const char *method, const char *target,
                         const char *body)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = who};
    if (sosia_token_issue(gcal_engine, gcal_world, &opt, token, sizeof token, &err) < 0)
        fail_msg("token: %s", err.text);
    struct sosia_header headers[] = {
        {"Authorization", arena_printf(&arena, "Bearer %s", token)},
        {"Content-Type", "application/json"},
        {"If-Match", etag},
    };
    char *text = arena_strdup(&arena, body ? body : "");
    for (char *p = text; *p; p++)
        if (*p == '\'')
            *p = '"';
    struct sosia_request r = {.method = method,
                              .target = arena_printf(&arena, "/calendar/v3%s", target),
                              .headers = headers,
                              .n_headers = etag ? 3 : 2,
                              .body = text,
                              .body_len = strlen(text)};
    struct sosia_response *answer;
    if (sosia_call(gcal_engine, gcal_world, &r, &answer, &err) < 0)
        fail_msg("call: %s", err.text);
    gcal_status = answer->status;
    gcal_body = arena_memdup(&arena, answer->body, answer->body_len);
    const struct json *v = parse(gcal_body, answer->body_len);
    sosia_response_free(answer);
    return v;
}

const struct json *as(const char *who, const char *method, const char *target, const char *body)
{
    return as_if(who, NULL, method, target, body);
}

const struct json *value_at(const struct json *v, const char *path)
{
    while (v && *path) {
        size_t n = strcspn(path, ".");
        char *name = arena_memdup(&arena, path, n);
        if (v->type == JSON_ARRAY) {
            size_t i = strtoul(name, NULL, 10);
            v = i < v->n ? &v->items[i] : NULL;
        } else {
            v = json_get(v, name);
        }
        path += n + (path[n] == '.');
    }
    return v;
}

const char *text_at(const struct json *v, const char *path)
{
    v = value_at(v, path);
    return v && v->type == JSON_STRING ? v->str : NULL;
}

long number_at(const struct json *v, const char *path)
{
    int64_t n;
    v = value_at(v, path);
    return v && json_i64(v, &n) == 0 ? (long)n : -1;
}

bool true_at(const struct json *v, const char *path)
{
    v = value_at(v, path);
    return v && v->type == JSON_BOOL && v->truth;
}

size_t count_at(const struct json *v, const char *path)
{
    v = value_at(v, path);
    return v && (v->type == JSON_ARRAY || v->type == JSON_OBJECT) ? v->n : 0;
}

const char *column(const struct json *v, const char *list, const char *path)
{
    const char *out = "";
    v = value_at(v, list);
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++) {
        const char *text = text_at(&v->items[i], path);
        out = arena_printf(&arena, "%s%s%s", out, i ? " " : "", text ? text : "-");
    }
    return out;
}

void assert_refused(int status, const char *reason)
{
    const struct json *v = parse(gcal_body, strlen(gcal_body));
    const char *said = text_at(v, "error.errors.0.reason");
    if (gcal_status != status || !said || strcmp(said, reason) != 0)
        fail_msg("%d %s expected: %d %s", status, reason, gcal_status, gcal_body);
    assert_int_equal(number_at(v, "error.code"), status);
}

void gcal_advance(int64_t seconds)
{
    if (sosia_clock_advance(gcal_engine, gcal_world, seconds * 1000000, &err) < 0)
        fail_msg("clock: %s", err.text);
}

static const struct json *take(struct sosia_blob *blob)
{
    const struct json *v = parse(arena_memdup(&arena, blob->data, blob->len), blob->len);
    sosia_blob_free(blob);
    return v;
}

const struct json *gcal_outbox(void)
{
    struct sosia_blob blob;
    if (sosia_outbox_list(gcal_engine, gcal_world, 0, 1000, &blob, &err) < 0)
        fail_msg("outbox: %s", err.text);
    return take(&blob);
}

const struct json *gcal_dump(void)
{
    struct sosia_blob blob;
    if (sosia_world_dump(gcal_engine, gcal_world, &blob, &err) < 0)
        fail_msg("dump: %s", err.text);
    return take(&blob);
}

const struct json *make_event(const char *id, const char *more)
{
    const struct json *v =
        as(ADA, "POST", "/calendars/primary/events",
           arena_printf(&arena,
                        "{'id':'%s','summary':'Event %s',"
                        "'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'Europe/Rome'},"
                        "'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'Europe/Rome'}%s%s}",
                        id, id, *more ? "," : "", more));
    if (gcal_status != 200)
        fail_msg("event %s: %d %s", id, gcal_status, gcal_body);
    return v;
}
