/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every tool of every set with arguments that nobody should send, made of the schema that the list
 * shows: one of them is spoilt, or all are of another kind. The answer is a result or a refusal of
 * the protocol in words, never a failure of the server, and what is refused leaves the world as it
 * was. The cases are drawn with a fixed seed. By hand: SOSIA_ONLY is a part of a tool's name,
 * SOSIA_TRIES the number of cases an argument, SOSIA_SEED another seed.
 */
#include "tests/support/dose.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/hostile_world.h"
#include "engine/base/utf8.h"
#include <strings.h>

#define MAX_FAULTS 40

static const char *const sets[] = {"native", "hosted", "reference", "community", "workspace"};
static const char *const tokens[] = {"user", "bot"};
static uint64_t base, world;
static char base_hash[65];
static int faults;

/* ---- arguments by their schemas ---- */

/* What arguments of sets are called that methods call otherwise. */
static const char *usual(const char *name)
{
    static const char *const others[][2] = {
        {"calendar_id", "primary"},
        {"event_id", "event1"},
        {"messageId", HOSTILE_LETTER},
        {"message_id", HOSTILE_LETTER},
        {"threadId", HOSTILE_LETTER},
        {"thread_id", HOSTILE_LETTER},
        {"messageIds", HOSTILE_LETTER},
        {"document_id", "doc"},
        {"file_id", "doc"},
        {"folder_id", "dir"},
        {"folderId", "dir"},
        {"parentFolderId", "dir"},
        {"usergroup_id", "S0MKT"},
        {"emoji", "eyes"},
        {"reaction", "heart"},
        {"to", "bob@acme.example"},
        {"min_end_datetime", "2026-02-16T00:00:00"},
        {"max_start_datetime", "2026-02-17T00:00:00"},
        {"start", "2026-02-16T10:00:00"},
        {"end", "2026-02-16T11:00:00"},
        {"labelIds", "INBOX"},
        {"addLabelIds", "STARRED"},
        {"channel_types", "public_channel"},
        {"user_google_email", "ada@acme.example"},
        {"start_time", "2026-02-16T10:00:00Z"},
        {"end_time", "2026-02-16T11:00:00Z"},
        {"time_min", "2026-02-16T00:00:00Z"},
        {"time_max", "2026-02-17"},
        {"calendar_ids", "primary"},
        {"attachments", "doc"},
        {"filename", "a.txt"},
        {"content", "b25l"},
        {"mime_type", "text/plain"},
        {"source_format", "md"},
        {"message_ids", HOSTILE_LETTER},
        {"thread_ids", HOSTILE_LETTER},
        {"share_with", "bob@acme.example"},
        {"itemId", "doc"},
        {"targetFileId", "doc"},
    };
    for (size_t i = 0; i < SOSIA_LEN(others); i++)
        if (strcmp(others[i][0], name) == 0)
            return others[i][1];
    return hostile_world_value(name, hostile_chance(1000));
}

struct writer {
    struct arena *a;
    struct buf b;
    const struct json *defs;
    uint32_t victim; /* the argument that is attacked; as many as there are: none is */
};

static void write_value(struct writer *w, const char *name, const struct json *schema, int depth);

static bool is_required(const struct json *schema, const char *name)
{
    const struct json *list = json_get(schema, "required");
    for (uint32_t i = 0; list && i < list->n; i++)
        if (strcmp(list->items[i].str, name) == 0)
            return true;
    return false;
}

/* Something hostile: mostly what is JSON. */
static void write_hostile(struct writer *w)
{
    struct bytes v = hostile_bytes(w->a);
    struct sosia_err err;
    const struct json *parsed;
    if (!hostile_chance(16) || (hostile_chance(4) && utf8_valid(v.data, v.len) &&
                                json_parse(w->a, v.data, v.len, NULL, &parsed, &err) == 0))
        buf_add(&w->b, v.data, v.len);
    else if (hostile_chance(16) && !utf8_valid(v.data, v.len))
        hostile_text(&w->b, "\xe2\x80\xae", 3);
    else
        hostile_text(&w->b, v.data, v.len);
}

static void write_object(struct writer *w, const struct json *schema, int depth)
{
    const struct json *all = json_get(schema, "properties");
    bool first = true;
    buf_byte(&w->b, '{');
    for (uint32_t i = 0; all && i < all->n && depth < 5; i++) {
        const struct json_member *m = &all->members[i];
        bool victim = !depth && i == w->victim;
        if (!victim && !is_required(schema, m->key) && hostile_chance(depth ? 3 : 2))
            continue;
        if (!first)
            buf_byte(&w->b, ',');
        first = false;
        hostile_text(&w->b, m->key, m->key_len);
        buf_byte(&w->b, ':');
        if (victim && hostile_chance(3))
            write_hostile(w);
        else
            write_value(w, m->key, &m->value, depth + 1);
    }
    buf_byte(&w->b, '}');
}

static void write_string(struct writer *w, const char *name, const struct json *schema)
{
    const struct json *values = json_get(schema, "enum");
    const char *text = usual(name);
    if (values && values->n)
        text = values->items[hostile_chance(values->n)].str;
    else if (!text)
        text = "x";
    hostile_text(&w->b, text, strlen(text));
}

static void write_value(struct writer *w, const char *name, const struct json *schema, int depth)
{
    const char *ref = json_get_str(schema, "$ref");
    const struct json *any = json_get(schema, "anyOf");
    if (ref && strrchr(ref, '/'))
        schema = json_get(w->defs, strrchr(ref, '/') + 1);
    else if (any && any->n)
        schema = &any->items[hostile_chance(any->n)];
    const char *type = json_get_str(schema, "type");
    if (!type)
        buf_puts(&w->b, "{}");
    else if (strcmp(type, "object") == 0)
        write_object(w, schema, depth);
    else if (strcmp(type, "string") == 0)
        write_string(w, name, schema);
    else if (strcmp(type, "boolean") == 0)
        buf_puts(&w->b, hostile_chance(2) ? "true" : "false");
    else if (strcmp(type, "array") == 0) {
        buf_byte(&w->b, '[');
        write_value(w, name, json_get(schema, "items"), depth + 1);
        buf_byte(&w->b, ']');
    } else
        buf_puts(&w->b, "2");
}

/* Arguments that a program may well send, but for one. */
static struct bytes make_arguments(struct arena *a, const struct json *schema)
{
    const struct json *all = json_get(schema, "properties"), *v;
    struct writer w = {.a = a, .defs = json_get(schema, "$defs")};
    struct sosia_err err;
    w.victim = hostile_chance(all && all->n ? all->n : 1);
    buf_init(&w.b, 0);
    write_object(&w, schema, 0);
    struct bytes made = {arena_memdup(a, buf_str(&w.b), w.b.len), w.b.len};
    buf_done(&w.b);
    /* deeper in it, now and then */
    if (!hostile_chance(4) && json_parse(a, made.data, made.len, NULL, &v, &err) == 0)
        return hostile_json(a, made.data, true);
    return made;
}

/* ---- messages ---- */

struct attempt {
    const char *path, *bearer, *body;
    size_t len;
    struct attempt *next;
};

static struct attempt *make_attempt(struct arena *a, const char *set, const char *name,
                                    const struct json *schema)
{
    struct attempt *t = arena_calloc(a, 1, sizeof *t);
    struct bytes v = make_arguments(a, schema);
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":");
    hostile_text(&b, name, strlen(name));
    buf_puts(&b, ",\"arguments\":");
    buf_add(&b, v.data, v.len);
    buf_puts(&b, "}}");
    t->path = arena_printf(a, "/mcp?tools=%s", set);
    t->body = arena_memdup(a, buf_str(&b), b.len);
    t->len = b.len;
    buf_done(&b);
    return t;
}

/* All of them are shown, up to a number. */
static void on_fault(const struct attempt *t, const char *what)
{
    print_error("%s: %.600s\n", t->path, t->body);
    print_error("---- %.600s\n\n", what);
    if (++faults >= MAX_FAULTS)
        fail_msg("and so on");
}

/* What the protocol itself refuses: bytes that are not JSON, and arguments that are not an object.
 */
static bool is_protocols(int64_t code)
{
    return code == -32700 || code == -32600 || code == -32602;
}

/* Refusals of the token, whatever the arguments are. (Some methods take those of apps alone, which
 * their rows do not say.) */
static bool is_of_token(const char *why)
{
    static const char *const all[] = {"401 ", "missing_scope"};
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if (strncmp(why, all[i], strlen(all[i])) == 0)
            return true;
    return false;
}

/* Whether it was taken. */
static bool judge(struct arena *a, const struct attempt *t, const struct sosia_response *res)
{
    const struct json *v = NULL, *content, *flag;
    struct sosia_err err;
    int64_t code = 0;
    if (res->status != 200 && res->status != 400)
        on_fault(t, arena_printf(a, "status %d: %.500s", res->status, res->body));
    if (json_parse(a, res->body, res->body_len, NULL, &v, &err) < 0) {
        on_fault(t, arena_printf(a, "the response is not JSON: %s: %.500s", err.text, res->body));
        return false;
    }
    content = json_get(json_get(v, "result"), "content");
    flag = json_get(json_get(v, "result"), "isError");
    json_i64(json_get(json_get(v, "error"), "code"), &code);
    if (!content && !is_protocols(code))
        on_fault(t, arena_printf(a, "neither a result nor a refusal: %.500s", res->body));
    if (!content)
        return false;
    const char *text = content->n ? json_get_str(&content->items[0], "text") : "";
    if (flag && flag->truth && (!text || !*text || strncmp(text, "500", 3) == 0))
        on_fault(t, arena_printf(a, "a refusal without a reason: %.500s", res->body));
    if (flag && flag->truth && text && is_of_token(text))
        on_fault(t, arena_printf(a, "the list has it, and the token may not use it: %s", text));
    return !flag || !flag->truth;
}

static bool call(struct arena *a, const struct attempt *t)
{
    const struct sosia_header headers[] = {{"Content-Type", "application/json"},
                                           {"Accept", "application/json, text/event-stream"},
                                           {"MCP-Protocol-Version", "2025-11-25"},
                                           {"Authorization", t->bearer}};
    const struct sosia_request r = {.method = "POST",
                                    .target = t->path,
                                    .headers = headers,
                                    .n_headers = SOSIA_LEN(headers),
                                    .body = t->body,
                                    .body_len = t->len,
                                    .base_url = "http://localhost"};
    struct sosia_response *res;
    if (sosia_call(test_engine, world, &r, &res, &test_err) < 0) {
        on_fault(t, test_err.text);
        return false;
    }
    bool taken = judge(a, t, res);
    sosia_response_free(res);
    return taken;
}

/* ---- worlds ---- */

static void fork_base(void)
{
    assert_int_equal(sosia_world_fork(test_engine, base, NULL, &world, &test_err), 0);
}

static void drop_fork(void)
{
    assert_int_equal(sosia_world_drop(test_engine, world, &test_err), 0);
}

static bool is_changed(void)
{
    char now[65];
    if (sosia_world_hash(test_engine, world, now, &test_err) < 0)
        fail_msg("%s", test_err.text);
    return strcmp(now, base_hash) != 0;
}

/* Which of them it was that changed the world. */
static void find_change(struct arena *a, const struct attempt *tried)
{
    for (; tried; tried = tried->next) {
        fork_base();
        if (!call(a, tried) && is_changed())
            on_fault(tried, "it was refused, and has changed the world");
        drop_fork();
    }
    faults++;
}

static void attack(const char *set, const char *bearer, const struct json *tool, int n)
{
    const struct json *schema = json_get(tool, "inputSchema");
    struct attempt *tried = NULL;
    struct arena a;
    arena_init(&a, 0);
    fork_base();
    while (n-- > 0) {
        struct attempt *t = make_attempt(&a, set, json_get_str(tool, "name"), schema);
        t->bearer = bearer;
        t->next = tried;
        tried = t;
        if (!call(&a, t))
            continue;
        drop_fork();
        fork_base();
    }
    bool changed = is_changed();
    drop_fork();
    if (changed)
        find_change(&a, tried);
    arena_done(&a);
}

/* ---- the tests ---- */

static const struct json *listed(struct arena *a, const char *set, const char *bearer)
{
    static const char body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}";
    const struct sosia_header headers[] = {{"Content-Type", "application/json"},
                                           {"Accept", "application/json, text/event-stream"},
                                           {"Authorization", bearer}};
    const struct sosia_request r = {.method = "POST",
                                    .target = arena_printf(a, "/mcp?tools=%s", set),
                                    .headers = headers,
                                    .n_headers = SOSIA_LEN(headers),
                                    .body = body,
                                    .body_len = sizeof body - 1,
                                    .base_url = "http://localhost"};
    const struct json *v = NULL;
    struct sosia_response *res;
    struct sosia_err err;
    assert_int_equal(sosia_call(test_engine, base, &r, &res, &test_err), 0);
    const char *text = arena_memdup(a, res->body, res->body_len);
    assert_int_equal(json_parse(a, text, res->body_len, NULL, &v, &err), 0);
    sosia_response_free(res);
    return json_get(json_get(v, "result"), "tools");
}

static int cases_of(const char *set, const struct json *tool)
{
    const struct json *all = json_get(json_get(tool, "inputSchema"), "properties");
    const char *tries = getenv("SOSIA_TRIES");
    if (tries)
        return atoi(tries) * (int)(1 + (all ? all->n : 0));
    /* Methods are attacked by their rows as well. */
    return strcmp(set, "native") == 0 ? dose(8, 1) : dose(8, 2) * (int)(1 + (all ? all->n : 0));
}

static void every_tool_is_attacked(void **state)
{
    const char *only = getenv("SOSIA_ONLY"), *seed = getenv("SOSIA_SEED");
    struct arena a;
    (void)state;
    hostile_begin(seed ? strtoull(seed, NULL, 10) : 20260312);
    base = world = test_world;
    faults = 0;
    arena_init(&a, 0);
    for (size_t k = 0; k < SOSIA_LEN(tokens); k++) {
        const char *bearer = hostile_world_bearer(tokens[k]);
        assert_int_equal(sosia_world_hash(test_engine, base, base_hash, &test_err), 0);
        for (size_t s = 0; s < SOSIA_LEN(sets); s++) {
            const struct json *tools = listed(&a, sets[s], bearer);
            assert_non_null(tools);
            for (uint32_t i = 0; i < tools->n; i++) {
                const struct json *tool = &tools->items[i];
                if (!only || strstr(json_get_str(tool, "name"), only))
                    attack(sets[s], bearer, tool, cases_of(sets[s], tool));
            }
        }
    }
    arena_done(&a);
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_tool_is_attacked, hostile_world_open,
                                        hostile_world_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
