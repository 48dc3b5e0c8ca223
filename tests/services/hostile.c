/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every method of every service with arguments that nobody should send: each row of the tables,
 * each of its parameters and what a JSON body of it may hold, so that a method is attacked from the
 * day that it has a row. It is answered in the vendor's way, never with a failure of the server;
 * what is refused leaves the world as it was; what is taken is in a dump that makes the same world.
 * The cases are drawn with a fixed seed, a few for each parameter. By hand: SOSIA_ONLY is a part of
 * a method's id, SOSIA_TRIES the number of cases a parameter, SOSIA_SEED another seed.
 */
#include "tests/support/dose.h"
#include "tests/support/hostile_body.h"
#include "tests/support/hostile_bytes.h"
#include "tests/support/hostile_world.h"
#include "tests/support/shape.h"
#include "engine/api/vendor.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "engine/http/principal.h"
#include <strings.h>
#include <time.h>

/* ---- requests ---- */

struct attempt {
    const struct route *row; /* NULL: of an act, which has no schema */
    const char *verb, *target, *type, *bearer, *body, *host;
    size_t body_len;
    struct attempt *next;
};

static void add_percent(struct buf *b, struct bytes v)
{
    percent_add(b, v.data, v.len);
}

static void add_pair(struct buf *b, const char *name, struct bytes v)
{
    if (b->len)
        buf_byte(b, '&');
    percent_add(b, name, strlen(name));
    buf_byte(b, '=');
    add_percent(b, v);
}

static void add_json(struct buf *b, const char *name, struct bytes v, bool is_json)
{
    buf_byte(b, b->len > 1 ? ',' : ' ');
    hostile_text(b, name, strlen(name));
    buf_byte(b, ':');
    if (is_json)
        buf_add(b, v.data, v.len);
    else
        hostile_text(b, v.data, v.len);
}

/* What a parameter usually is. */
static const char *usual(const struct param *p)
{
    const char *known = hostile_world_value(p->name, hostile_chance(1000));
    if (known)
        return known;
    if (p->values)
        return p->values[0];
    return p->type == PARAM_BOOL       ? "true"
           : p->type == PARAM_INT      ? "1"
           : p->type == PARAM_DATETIME ? "2026-02-16T10:00:00Z"
           : p->type == PARAM_DATE     ? "2026-02-16"
                                       : "x";
}

/* What the row says that a parameter is. */
static const char *value_by_shape(struct arena *a, const struct dialect *d, const struct field *f)
{
    struct buf b;
    buf_init(&b, 0);
    if (f->list)
        buf_byte(&b, '[');
    hostile_field(&b, d, f);
    if (f->list)
        buf_byte(&b, ']');
    const char *text = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* The value that parameter i is sent with; victim: it is the one that is attacked. */
static struct bytes value_of(struct arena *a, const struct dialect *d, const struct param *p,
                             bool victim)
{
    const char *text =
        p->of && !hostile_forced && hostile_chance(2) ? value_by_shape(a, d, p->of) : usual(p);
    if (!victim)
        return (struct bytes){text, strlen(text)};
    if (!hostile_forced && (*text == '{' || *text == '[') && hostile_chance(4))
        return hostile_json(a, text, true);
    return hostile_bytes(a);
}

static void put_in_path(struct arena *a, const char **path, const char *name, struct bytes v)
{
    const char *mark = arena_printf(a, "{%s}", name), *at = strstr(*path, mark);
    struct buf b;
    if (!at)
        return;
    buf_init(&b, 0);
    buf_add(&b, *path, (size_t)(at - *path));
    add_percent(&b, v);
    buf_puts(&b, at + strlen(mark));
    *path = arena_strdup(a, buf_str(&b));
    buf_done(&b);
}

static const char *verb_of(const struct route *row)
{
    static const char *const names[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    for (int i = N_VERBS - 1; i >= 0; i--)
        if (row->verbs & 1u << i && i != VERB_POST)
            return row->verbs & POST ? "POST" : names[i];
    return "POST";
}

static bool goes_by_form(const struct route *row)
{
    for (size_t i = 0; row->accepts && row->accepts[i]; i++)
        if (strcmp(row->accepts[i], "application/json") == 0)
            return false;
    return row->accepts != NULL;
}

/* Whose arguments are a form, a JSON object, or in the query. victim: the parameter that is
 * attacked; n_params: the body is. */
static struct attempt *make_attempt(struct arena *a, const struct dialect *d,
                                    const struct route *row, size_t victim)
{
    struct attempt *t = arena_calloc(a, 1, sizeof *t);
    t->row = row;
    struct buf query, form, json;
    const char *path = row->paths[0];
    bool by_json = !goes_by_form(row) && hostile_chance(2);
    buf_init(&query, 0);
    buf_init(&form, 0);
    buf_init(&json, 0);
    buf_byte(&json, '{');
    for (size_t i = 0; i < row->n_params; i++) {
        const struct param *p = &row->params[i];
        if (i != victim && !p->required && p->place != IN_PATH && hostile_chance(3))
            continue;
        struct bytes v = value_of(a, d, p, i == victim);
        if (p->place == IN_PATH)
            put_in_path(a, &path, p->name, v);
        else if (p->place == IN_QUERY)
            add_pair(&query, p->name, v);
        else if (p->place == IN_JSON || (p->place == IN_ARGUMENT && by_json))
            add_json(&json, p->name, v, hostile_is_json(v) && hostile_chance(4));
        else
            add_pair(&form, p->name, v);
    }
    buf_byte(&json, '}');
    struct bytes body = {buf_str(&form), form.len};
    t->type = "application/x-www-form-urlencoded";
    if (json.len > 2) {
        body = (struct bytes){buf_str(&json), json.len};
        t->type = "application/json";
    }
    if (row->body == BODY_JSON || row->body == BODY_JSON_OPTIONAL) {
        body = hostile_json(a, hostile_body(a, d, row), victim == row->n_params);
        t->type = "application/json";
    } else if (row->body == BODY_RAW && victim == row->n_params) {
        body = hostile_bytes(a);
        t->type = hostile_chance(2) ? "application/json" : "application/x-www-form-urlencoded";
    }
    t->verb = verb_of(row);
    t->target = query.len ? arena_printf(a, "%s?%s", path, buf_str(&query)) : path;
    if (*t->verb != 'G') {
        t->body = arena_memdup(a, body.data, body.len);
        t->body_len = body.len;
    } else if (form.len) {
        t->target = arena_printf(a, "%s%c%s", path, query.len ? '&' : '?', buf_str(&form));
    }
    t->host = d->vendor->hosts && **d->vendor->hosts != '*' ? *d->vendor->hosts : "localhost";
    buf_done(&query);
    buf_done(&form);
    buf_done(&json);
    return t;
}

/* ---- what comes of it ---- */

static uint64_t base, world;
static char base_hash[65];
static int faults;
#define MAX_FAULTS 40

static void fork_base(void)
{
    assert_int_equal(sosia_world_fork(test_engine, base, NULL, &world, &test_err), 0);
}

static void drop_fork(void)
{
    assert_int_equal(sosia_world_drop(test_engine, world, &test_err), 0);
}

static void describe(const struct attempt *t)
{
    print_error("%s %.600s\n%s: %.1200s\n", t->verb, t->target, t->type ? t->type : "",
                t->body ? t->body : "");
}

/* All of them are shown, up to a number. */
static void on_fault(const struct attempt *t, const char *what)
{
    describe(t);
    print_error("---- %s\n\n", what);
    if (++faults >= MAX_FAULTS)
        fail_msg("and so on");
}

static bool is_json(const struct sosia_response *res)
{
    for (size_t i = 0; i < res->n_headers; i++)
        if (strcasecmp(res->headers[i].name, "Content-Type") == 0)
            return strncmp(res->headers[i].value, "application/json", 16) == 0;
    return false;
}

/* What is taken is answered as the row says. */
static void check_shape(struct arena *a, const struct dialect *d, const struct attempt *t,
                        const struct json *v)
{
    const struct schema *s = t->row ? dialect_schema(d, t->row->response) : NULL;
    bool media = t->row && t->row->download && strstr(t->target, "alt=media");
    const char *bad = s && v && v->type == JSON_OBJECT && !media
                          ? shape_fault(a, d, s, v, strstr(t->target, "fields=") != NULL)
                          : NULL;
    if (bad)
        on_fault(t, bad);
}

/* 501 refuses what is not served, and with 502 the world's web says that there is no such host. */
static bool is_failure(const struct attempt *t, int status)
{
    return status >= 500 && status != 501 &&
           !(status == 502 && t->row && strncmp(t->row->id, "web.", 4) == 0);
}

/* Whether it was taken. */
static bool judge(struct arena *a, const struct dialect *d, const struct attempt *t,
                  const struct sosia_response *res)
{
    const struct json *v = NULL;
    struct sosia_err err;
    if (is_failure(t, res->status))
        on_fault(t, arena_printf(a, "status %d: %.500s", res->status, res->body));
    if (is_json(res) && !res->read && !res->stream && res->body_len &&
        json_parse(a, res->body, res->body_len, NULL, &v, &err) < 0)
        on_fault(t, arena_printf(a, "the response is not JSON: %s: %.500s", err.text, res->body));
    if (strcmp(d->vendor->name, "slack") != 0 || !v || !json_get(v, "ok")) {
        if (res->status < 300)
            check_shape(a, d, t, v);
        return res->status < 400;
    }
    const char *error = json_get_str(v, "error");
    /* a call's id that is taken is what the service calls so */
    bool own = strcmp(t->target, "/api/calls.add") == 0;
    if (error && !own &&
        (strcmp(error, "internal_error") == 0 || strcmp(error, "fatal_error") == 0))
        on_fault(t, error);
    if (json_get(v, "ok")->truth)
        check_shape(a, d, t, v);
    return json_get(v, "ok")->truth;
}

static bool call(struct arena *a, const struct dialect *d, const struct attempt *t)
{
    struct sosia_header headers[] = {
        {"Host", t->host}, {"Content-Type", t->type}, {"Authorization", t->bearer}};
    struct sosia_request r = {.method = t->verb,
                              .target = t->target,
                              .headers = headers,
                              .n_headers = t->bearer ? 3 : 2,
                              .body = t->body,
                              .body_len = t->body_len,
                              .base_url = "http://localhost"};
    struct sosia_response *res;
    struct timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    if (sosia_call(test_engine, world, &r, &res, &test_err) < 0) {
        on_fault(t, test_err.text);
        return false;
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    double s = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    if (s > 1 && dose(1, 0)) {
        describe(t);
        print_error("takes %.1f s\n", s);
    }
    bool taken = judge(a, d, t, res);
    sosia_response_free(res);
    return taken;
}

static void hash_fork(char ret[65])
{
    if (sosia_world_hash(test_engine, world, ret, &test_err) < 0)
        fail_msg("%s", test_err.text);
}

/* A dump of the world makes a world of which it is a dump. */
static void check_dump(const struct attempt *t)
{
    struct sosia_blob text, again;
    uint64_t copy;
    if (sosia_world_dump(test_engine, world, &text, &test_err) < 0)
        fail_msg("%s", test_err.text);
    struct sosia_world_options opt = {.seed_doc = text.data, .seed_doc_len = text.len};
    if (sosia_world_create(test_engine, &opt, &copy, &test_err) < 0) {
        on_fault(t, test_err.text);
        sosia_blob_free(&text);
        return;
    }
    if (sosia_world_dump(test_engine, copy, &again, &test_err) < 0)
        fail_msg("%s", test_err.text);
    size_t same = 0;
    while (same < text.len && same < again.len && text.data[same] == again.data[same])
        same++;
    if (same < text.len || same < again.len) {
        size_t from = same > 200 ? same - 200 : 0;
        print_error("%.400s\n---- again:\n%.400s\n", text.data + from, again.data + from);
        on_fault(t, "a dump of the dump's world is another one");
    }
    assert_int_equal(sosia_world_drop(test_engine, copy, &test_err), 0);
    sosia_blob_free(&again);
    sosia_blob_free(&text);
}

/* Which of them it was that changed the world. */
static void find_change(struct arena *a, const struct dialect *d, const struct attempt *tried)
{
    char now[65];
    for (; tried; tried = tried->next) {
        fork_base();
        bool taken = call(a, d, tried);
        hash_fork(now);
        if (!taken && strcmp(now, base_hash) != 0)
            on_fault(tried, "it was refused, and has changed the world");
        drop_fork();
    }
    faults++;
}

static const char *const tokens[] = {"user", "bot", "app", "config"};
static const char *bearers[SOSIA_LEN(tokens)];

static const char *bearer_for(const struct route *row)
{
    if (row->anonymous)
        return hostile_chance(2) ? bearers[0] : NULL;
    if (row->scopes && strstr(row->scopes, "app_configurations"))
        return bearers[3];
    if (row->token_kinds == TOKEN_APP)
        return bearers[2];
    return row->token_kinds == TOKEN_BOT || (row->token_kinds & TOKEN_BOT && hostile_chance(2))
               ? bearers[1]
               : bearers[0];
}

/* What even a refusal changes: attempts to sign in are remembered, and what was made of a code that
 * comes twice ends. */
static bool may_change(const struct route *row)
{
    return row->secret;
}

/* What is declared idempotent is called again: the world is as after the first time. */
static void check_again(struct arena *a, const struct dialect *d, const struct attempt *t)
{
    char once[65], twice[65];
    hash_fork(once);
    call(a, d, t);
    hash_fork(twice);
    if (strcmp(once, twice) != 0)
        on_fault(t, "it is declared idempotent, and a second time it has changed the world");
}

static void attack_row(const struct dialect *d, const struct route *row, int n)
{
    struct attempt *tried = NULL;
    struct arena a;
    char now[65];
    bool clean = true;
    arena_init(&a, 0);
    fork_base();
    for (size_t i = 0; i <= row->n_params; i++) {
        if (i == row->n_params && row->body == BODY_NONE)
            continue;
        for (int k = 0; k < n; k++) {
            struct attempt *t = make_attempt(&a, d, row, i);
            t->bearer = bearer_for(row);
            t->next = tried;
            tried = t;
            if (!call(&a, d, t))
                continue;
            if (row->idempotent)
                check_again(&a, d, t);
            if (!hostile_chance((size_t)dose(3, 20)))
                check_dump(t);
            drop_fork();
            fork_base();
        }
    }
    hash_fork(now);
    clean = strcmp(now, base_hash) == 0;
    drop_fork();
    if (!clean && !may_change(row))
        find_change(&a, d, tried);
    arena_done(&a);
}

static void on_post(void *arg, uint64_t of, int64_t entry, const char *json, size_t len,
                    struct sosia_outcome *ret)
{
    *ret = (struct sosia_outcome){.status = 200, .body = "", .body_len = 0};
}

static void begin(void)
{
    const char *seed = getenv("SOSIA_SEED");
    hostile_begin(seed ? strtoull(seed, NULL, 10) : 20260215);
    base = world = test_world;
    faults = 0;
    for (size_t i = 0; i < SOSIA_LEN(tokens); i++)
        bearers[i] = hostile_world_bearer(tokens[i]);
    sosia_engine_on_handshake(test_engine, on_post, NULL);
    hash_fork(base_hash);
}

static void every_method_is_attacked(void **state)
{
    const char *only = getenv("SOSIA_ONLY"), *tries = getenv("SOSIA_TRIES");
    (void)state;
    begin();
    for (const struct dialect *const *d = engine_dialects(test_engine); *d; d++)
        for (size_t i = 0; dialect_row(*d, i); i++) {
            const struct route *row = dialect_row(*d, i);
            if (!row->upgrade && (!only || strstr(row->id, only)))
                attack_row(*d, row, tries ? atoi(tries) : dose(5, 4));
        }
    assert_int_equal(faults, 0);
}

/* ---- what is out of all bounds ---- */

#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__ /* a tenth of the speed */
#define LARGE  (128 * 1024)
#define LONG   (8 * 1024)
#define NESTED 2000
#else
#define LARGE  (1024 * 1024)
#define LONG   (64 * 1024)
#define NESTED 10000
#endif
#define NOT_TEXT "\xFF\xFE\xC0\x80\xED\xA0\x80"

static const char *repeated(const char *before, const char *what, size_t n, const char *behind)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, before);
    for (size_t i = 0; i < n; i++)
        buf_puts(&b, what);
    buf_puts(&b, behind);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

enum bounds { OF_JSON, OF_CURSORS, OF_TIMES, OF_TEXTS, KINDS_OF_BOUNDS };

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static enum bounds bounds_of(const struct param *p)
{
    static const char *const times[] = {"oldest", "latest", "timestamp", "post_at", "time"};
    const char *known = hostile_world_value(p->name, 0);
    if (known && (*known == '[' || *known == '{'))
        return OF_JSON;
    if (strstr(p->name, "cursor"))
        return OF_CURSORS;
    for (size_t i = 0; i < SOSIA_LEN(times); i++)
        if (strcmp(p->name, times[i]) == 0)
            return OF_TIMES;
    return ends_with(p->name, "ts") || strncmp(p->name, "ts_", 3) == 0 ? OF_TIMES : OF_TEXTS;
}

/* Up to 11 values of each kind. */
static void make_bounds(const char *ret[KINDS_OF_BOUNDS][12])
{
    static const char block[] = "{\"type\":\"section\",\"text\":{\"type\":\"mrkdwn\",\"text\":"
                                "\"*x* <@U0BOB> :tada:\"}}";
    static const char list[] = "{\"type\":\"rich_text_list\",\"style\":\"bullet\",\"elements\":[";
    const char *json[] = {
        repeated("[", arena_printf(&test_arena, "%s,", block), LARGE / sizeof block,
                 arena_printf(&test_arena, "%s]", block)),
        repeated("[{\"type\":\"rich_text\",\"elements\":[", list, NESTED,
                 repeated("", "]}", NESTED + 1, "]")),
        repeated("", "[", NESTED, repeated("", "]", NESTED, "")),
        repeated("", "{\"a\":", 90, repeated("1", "}", 90, "")),
        "[{\"type\":\"section\",\"text\":{\"type\":\"plain_text\",\"text\":\"" NOT_TEXT "\"}}]",
        "[{\"type\":\"" NOT_TEXT "\",\"\\ud800\":\"\\udfff\"}]",
        "{\"type\":\"modal\",\"title\":\"\\u0000\",\"blocks\":[1e999,-0,99999999999999999999]}"};
    static const char *const cursors[] = {"x",
                                          "bmV4dF90czoxNTEyMDg1ODYxMDAwNTQz",
                                          "dXNlcjpVMEJPQg==",
                                          "dXNlcjpVME5PQk9EWQ==",
                                          "dGVhbTpUMEJFVEE=",
                                          "LTE=",
                                          "OTk5OTk5OTk5OTk5OTk5OTk5OTk5",
                                          "%00",
                                          "AAAA////====",
                                          NOT_TEXT};
    static const char *const times[] = {"99999999999999999999.000000",
                                        "-1.000000",
                                        "0",
                                        "1771100000.9999999999",
                                        "1e400",
                                        "NaN",
                                        "0x7fffffff",
                                        "253402300800.000000",
                                        "9223372036854775807.999999",
                                        "1771100000.00010\xC3\xA9",
                                        NOT_TEXT};
    memcpy(ret[OF_JSON], json, sizeof json);
    memcpy(ret[OF_CURSORS], cursors, sizeof cursors);
    memcpy(ret[OF_TIMES], times, sizeof times);
    ret[OF_CURSORS][SOSIA_LEN(cursors)] = ret[OF_TEXTS][0] = repeated("", "\xC3\xA9", LONG / 2, "");
    ret[OF_TEXTS][1] = NOT_TEXT;
}

/* Each argument of a method, with all values of its kind. */
static void go_out_of_bounds(const struct dialect *d, const struct route *row,
                             const char *values[KINDS_OF_BOUNDS][12])
{
    char now[65];
    fork_base();
    for (size_t i = 0; i < row->n_params; i++) {
        const char **list = values[bounds_of(&row->params[i])];
        for (size_t k = 0; list[k]; k++) {
            struct arena a;
            arena_init(&a, 0);
            hostile_forced = list[k];
            struct attempt *t = make_attempt(&a, d, row, i);
            hostile_forced = NULL;
            t->bearer = bearer_for(row);
            if (call(&a, d, t)) {
                drop_fork();
                fork_base();
            }
            arena_done(&a);
        }
    }
    hash_fork(now);
    drop_fork();
    if (strcmp(now, base_hash) != 0 && !may_change(row))
        fail_msg("%s was refused, and has changed the world", row->id);
}

static void what_is_out_of_bounds_does_no_harm(void **state)
{
    static const char *values[KINDS_OF_BOUNDS][12];
    const char *only = getenv("SOSIA_ONLY");
    (void)state;
    begin();
    make_bounds(values);
    for (const struct dialect *const *d = engine_dialects(test_engine); *d; d++)
        for (size_t i = 0; dialect_row(*d, i); i++) {
            const struct route *row = dialect_row(*d, i);
            if (strcmp((*d)->vendor->name, "slack") == 0 && !row->upgrade &&
                (!only || strstr(row->id, only)))
                go_out_of_bounds(*d, row, values);
        }
    assert_int_equal(faults, 0);
}

/* ---- what people do ---- */

static struct attempt *make_deed(struct arena *a, const char *deed, bool attacked)
{
    struct attempt *t = arena_calloc(a, 1, sizeof *t);
    const char *text = arena_printf(a, "{\"do\":%s}", deed);
    struct bytes body = attacked ? hostile_json(a, text, true) : (struct bytes){text, strlen(text)};
    t->verb = "POST";
    t->host = "slack.com";
    t->target = "/_act/slack";
    t->type = "application/json";
    t->bearer = bearers[0];
    t->body = arena_memdup(a, body.data, body.len);
    t->body_len = body.len;
    return t;
}

/* What a person may do is taken as it is; what is attacked of it leaves a world that is sound. */
static void every_act_is_attacked(void **state)
{
    (void)state;
    begin();
    for (const struct dialect *const *d = engine_dialects(test_engine); *d; d++) {
        if (strcmp((*d)->vendor->name, "slack") != 0)
            continue;
        for (unsigned i = 0; i < hostile_world_values("do"); i++) {
            const char *deed = hostile_world_value("do", i);
            for (int k = dose(20, 6); k >= 0; k--) {
                struct arena a;
                arena_init(&a, 0);
                fork_base();
                struct attempt *t = make_deed(&a, deed, k > 0);
                if (call(&a, *d, t))
                    check_dump(t);
                else if (!k)
                    on_fault(t, "it was refused");
                drop_fork();
                arena_done(&a);
            }
        }
        break;
    }
    assert_int_equal(faults, 0);
}

/* ---- what is another's ---- */

/* Ids of what neither ada nor the bot may see or change. */
static const struct {
    const char *param, *id;
} others[] = {
    {"channel", "C0VAULT"},
    {"channel", "C0BETA"},
    {"channel_id", "C0VAULT"},
    {"channel_id", "C0BETA"},
    {"file", "F0HIDDEN"},
    {"file", "F0BETA"},
    {"canvas_id", "F0HIDCAN"},
    {"list_id", "F0HIDLIST"},
    {"view_id", "V0OTHER"},
    {"function_execution_id", "Fx0OTHER"},
    {"reminder", "Rm0OTHER"},
    {"bookmark_id", "Bk0OTHER"},
    {"usergroup", "S0BETA"},
    {"scheduled_message_id", "Q0OTHER"},
    {"user", "U0DORA"},
    {"id", "R0OTHER"},
    {"id", "Rec0HID"},
    {"trigger_id", "Ft0OTHER"},
    {"external_token_id", "Et0OTHER"},
};

/* These do not look at the argument: logs list nothing for it, a file goes before a channel; or it
 * is a key of the app's own. Pages and files that are not methods of the Web API send people
 * elsewhere. */
static bool passes_over(const struct route *row)
{
    static const char *const ids[] = {"bookmarks.list", "reactions.get", "stars.add",
                                      "stars.remove", "team.integrationLogs"};
    for (size_t i = 0; i < SOSIA_LEN(ids); i++)
        if (strcmp(row->id, ids[i]) == 0)
            return true;
    return str_starts(row->id, "apps.datastore.") || !str_starts(row->paths[0], "/api/");
}

static void try_anothers(const struct dialect *d, const struct route *row, size_t param)
{
    struct arena a;
    arena_init(&a, 0);
    for (int k = 0; k < dose(16, 8); k++) {
        struct attempt *t = make_attempt(&a, d, row, param);
        t->bearer = bearer_for(row);
        fork_base();
        if (call(&a, d, t))
            on_fault(t, arena_printf(&a, "%s is another's, and it was taken", hostile_forced));
        drop_fork();
    }
    arena_done(&a);
}

static void what_is_anothers_is_refused(void **state)
{
    (void)state;
    begin();
    for (const struct dialect *const *d = engine_dialects(test_engine); *d; d++)
        for (size_t i = 0; strcmp((*d)->vendor->name, "slack") == 0 && dialect_row(*d, i); i++) {
            const struct route *row = dialect_row(*d, i);
            for (size_t p = 0; !row->upgrade && !passes_over(row) && p < row->n_params; p++)
                for (size_t k = 0; k < SOSIA_LEN(others); k++) {
                    if (strcmp(others[k].param, row->params[p].name) != 0)
                        continue;
                    hostile_forced = others[k].id;
                    try_anothers(*d, row, p);
                    hostile_forced = NULL;
                }
        }
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_method_is_attacked, hostile_world_open,
                                        hostile_world_close),
        cmocka_unit_test_setup_teardown(what_is_out_of_bounds_does_no_harm, hostile_world_open,
                                        hostile_world_close),
        cmocka_unit_test_setup_teardown(every_act_is_attacked, hostile_world_open,
                                        hostile_world_close),
        cmocka_unit_test_setup_teardown(what_is_anothers_is_refused, hostile_world_open,
                                        hostile_world_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
