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
#include "tests/support/hostile_world.h"
#include "engine/api/vendor.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "engine/http/principal.h"
#include <strings.h>
#include <time.h>

/* ---- chance ---- */

static uint64_t state_of_chance;

static uint32_t chance(size_t n)
{
    state_of_chance ^= state_of_chance << 13;
    state_of_chance ^= state_of_chance >> 7;
    state_of_chance ^= state_of_chance << 17;
    return (uint32_t)(state_of_chance >> 11) % (uint32_t)n;
}

/* ---- what nobody should send ---- */

struct bytes {
    const char *data;
    size_t len;
};

#define BYTES(text)                                                                                \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }

static const struct bytes few[] = {
    BYTES(""),
    BYTES("\0"),
    BYTES("a\0b"),
    BYTES(" "),
    BYTES("\r\nX-Evil: 1"),
    BYTES("\xff\xfe"),
    BYTES("\xed\xa0\x80"),
    BYTES("\xc0\xaf"),
    BYTES("\xf4\x90\x80\x80"),
    BYTES("caf\xc3"),
    BYTES("\xe2\x80\xae\xf0\x9f\x91\xa9\xe2\x80\x8d"),
    BYTES("../../etc/passwd"),
    BYTES("%s%n%00"),
    BYTES("'; drop table meta; --"),
    BYTES("1e9.5"),
    BYTES(".."),
    BYTES("1e400"),
    BYTES("-1e400"),
    BYTES("1e-400"),
    BYTES("-1"),
    BYTES("0"),
    BYTES("-0"),
    BYTES("1.5"),
    BYTES("2147483648"),
    BYTES("9223372036854775807"),
    BYTES("9223372036854775808"),
    BYTES("-9223372036854775808"),
    BYTES("18446744073709551616"),
    BYTES("9999999999.999999"),
    BYTES("99999999999.000000"),
    BYTES("1771185600.9999999999999"),
    BYTES("0000000000.000000"),
    BYTES("0x10"),
    BYTES("NaN"),
    BYTES("null"),
    BYTES("true"),
    BYTES("[]"),
    BYTES("{}"),
    BYTES("[[]]"),
    BYTES("[{}]"),
    BYTES("[null]"),
    BYTES("[1e400]"),
    BYTES("{\"\":null}"),
    BYTES("{\"a\":1,\"a\":[]}"),
    BYTES("{\"type\":1}"),
    BYTES("[{\"type\":\"section\",\"type\":\"divider\"}]"),
    BYTES("\"\\u0000\""),
    BYTES("\"\\ud800\""),
    BYTES("\"\\udc00\\ud800\""),
    BYTES("[\"\\ud800\"]"),
    BYTES("[1,2"),
    BYTES("{\"a\""),
    BYTES("\"a"),
    BYTES("*"),
    BYTES(","),
    BYTES(",,C0DEV,,C0DEV,"),
    BYTES("U0ADA,U0ADA,U0DEPLOY,U0DORA"),
    BYTES("C0SECRET"),
    BYTES("C0VAULT"),
    BYTES("C0BETA"),
    BYTES("T0BETA"),
    BYTES("U0DORA"),
    BYTES("U0CAROL"),
    BYTES("B0DEPLOY"),
    BYTES("A0DEPLOY"),
    BYTES("F0PLAN"),
    BYTES("F0TASKS"),
    BYTES("F0HIDDEN"),
    BYTES("#dev"),
    BYTES("<!channel> <@U0BOB|x> <#C0SECRET|y> &amp;&lt;&"),
    BYTES("dXNlcjpVMEJPQg=="),
    BYTES("bmV4dF90czo5OTk5OTk5OTk5OTk5OTk5"),
    BYTES("bmV4dF90czotMQ=="),
    BYTES("AAAAAAAAAAA="),
    BYTES("CAAQAA"),
    BYTES("~!!~AI9FV7"),
    BYTES("2026-13-45T99:99:99Z"),
    BYTES("0001-01-01T00:00:00-23:59"),
    BYTES("9999-12-31T23:59:59.999999999+14:00"),
    BYTES("2026-02-30"),
    BYTES("http://"),
    BYTES("https://[::1"),
    BYTES("javascript:alert(1)"),
    BYTES("a@b@c"),
    BYTES("bob@acme.example,carol@acme.example"),
    BYTES("dora@beta.example"),
    BYTES("RRULE:FREQ=SECONDLY;COUNT=999999999"),
    BYTES("(((((((((("),
    BYTES("from:me has:x in:#secret after:9999-99-99 \"unclosed"),
    BYTES("me"),
    BYTES("me/../bob"),
    BYTES("hidden"),
};

/* One text again and again, and what closes it. */
static const struct {
    const char *text, *middle, *close;
    int n;
} many[] = {
    {"a", "", "", 100},
    {"a", "", "", 5000},
    {"a", "", "", 100000},
    {"\xc3\xa9", "", "", 20000},
    {"9", "", "", 1000},
    {"-", "", "", 10000},
    {"[", "", "", 10000},
    {"[", "", "]", 10000},
    {"{\"a\":", "1", "}", 10000},
    {"{\"elements\":[", "", "]}", 5000},
    {",", "", "", 20000},
    {"U0ADA,", "", "", 5000},
    {"*_~`", "", "", 5000},
    {"<", "", "", 20000},
    {"<@U0BOB>", "", "", 5000},
    {"&amp;", "", "", 5000},
    {"> ", "", "", 5000},
    {"- a\n  ", "", "", 3000},
    {"# a\n", "", "", 5000},
    {"|a|b|\n", "", "", 3000},
    {"[a](", "", ")", 3000},
    {"(", "", ")", 10000},
    {"-", "a", "", 3000},
    {"a OR ", "a", "", 3000},
    {":a:", "", "", 5000},
    {"[{\"type\":\"divider\"},", "1", "", 1},
    {"\xe2\x80\x8d", "", "", 5000},
};

static struct bytes repeated(struct arena *a, size_t which, int n)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < n; i++)
        buf_puts(&b, many[which].text);
    buf_puts(&b, many[which].middle);
    for (int i = 0; i < n && *many[which].close; i++)
        buf_puts(&b, many[which].close);
    struct bytes all = {arena_memdup(a, buf_str(&b), b.len), b.len};
    buf_done(&b);
    return all;
}

static struct bytes any_hostile(struct arena *a)
{
    uint32_t i = chance(SOSIA_LEN(few) + SOSIA_LEN(many));
    if (i < SOSIA_LEN(few))
        return few[i];
    i -= (uint32_t)SOSIA_LEN(few);
    int most = many[i].n == 100000 ? dose(10 << 20, 100000) : many[i].n;
    return repeated(a, i, most);
}

/* ---- JSON that is nearly right ---- */

/* Writes v, with one value in it (the one to which `at` counts down) in the place of which there is
 * something else. */
static void write_spoilt(struct arena *a, struct buf *b, const struct json *v, int *at);

static void write_text(struct buf *b, const char *text, size_t len)
{
    buf_byte(b, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == '"' || c == '\\')
            buf_printf(b, "\\u%04x", c);
        else
            buf_byte(b, (char)c);
    }
    buf_byte(b, '"');
}

static bool looks_like_json(struct bytes v)
{
    return v.len && strchr("[{\"-0123456789tfn", v.data[0]);
}

static void write_hostile(struct arena *a, struct buf *b)
{
    struct bytes v = any_hostile(a);
    if (looks_like_json(v) && chance(4))
        buf_add(b, v.data, v.len);
    else
        write_text(b, v.data, v.len);
}

static void write_member(struct arena *a, struct buf *b, const struct json_member *m, int *at)
{
    write_text(b, m->key, strlen(m->key));
    buf_byte(b, ':');
    write_spoilt(a, b, &m->value, at);
}

static void write_members(struct arena *a, struct buf *b, const struct json *v, int *at)
{
    buf_byte(b, '{');
    for (uint32_t i = 0; i < v->n; i++) {
        int before = *at;
        if (i)
            buf_byte(b, ',');
        write_member(a, b, &v->members[i], at);
        if (before > 0 && *at <= 0 && !chance(4)) { /* the same name again */
            int none = -1;
            buf_byte(b, ',');
            write_member(a, b, &v->members[i], &none);
        }
    }
    buf_byte(b, '}');
}

static void write_spoilt(struct arena *a, struct buf *b, const struct json *v, int *at)
{
    if (*at >= 0 && --*at < 0) {
        *at = -1;
        write_hostile(a, b);
        return;
    }
    if (v->type == JSON_OBJECT) {
        write_members(a, b, v, at);
    } else if (v->type == JSON_ARRAY) {
        buf_byte(b, '[');
        for (uint32_t i = 0; i < v->n; i++) {
            if (i)
                buf_byte(b, ',');
            write_spoilt(a, b, &v->items[i], at);
        }
        buf_byte(b, ']');
    } else {
        buf_puts(b, json_to_text(a, v));
    }
}

static int count_values(const struct json *v)
{
    int n = 1;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        n += count_values(&v->members[i].value);
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        n += count_values(&v->items[i]);
    return n;
}

/* JSON text with one value spoilt; spoil false: as it is. */
static struct bytes spoilt(struct arena *a, const char *text, bool spoil)
{
    struct sosia_err err;
    const struct json *v;
    struct buf b;
    if (json_parse(a, text, strlen(text), NULL, &v, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    int at = spoil ? (int)chance((size_t)count_values(v)) : -1;
    buf_init(&b, 0);
    write_spoilt(a, &b, v, &at);
    struct bytes all = {arena_memdup(a, buf_str(&b), b.len), b.len};
    buf_done(&b);
    return all;
}

/* ---- bodies by their schemas ---- */

static void write_fields(struct buf *b, const struct dialect *d, const struct field *fields,
                         size_t n, int depth);

static void write_field(struct buf *b, const struct dialect *d, const struct field *f, int depth)
{
    const struct schema *s = dialect_schema(d, f->type);
    const char *known = hostile_world_value(f->name, chance(1000));
    if (s || strcmp(f->type, "object") == 0)
        write_fields(b, d, s ? s->fields : f->fields, s ? s->n_fields : f->n_fields, depth + 1);
    else if (f->values)
        write_text(b, f->values[0], strlen(f->values[0]));
    else if (strcmp(f->type, "integer") == 0 || strcmp(f->type, "number") == 0)
        buf_puts(b, "1");
    else if (strcmp(f->type, "boolean") == 0)
        buf_puts(b, chance(2) ? "true" : "false");
    else if (f->format && strcmp(f->format, "date-time") == 0)
        buf_puts(b, "\"2026-02-16T10:00:00Z\"");
    else if (f->format && strcmp(f->format, "date") == 0)
        buf_puts(b, "\"2026-02-16\"");
    else
        write_text(b, known ? known : "x", known ? strlen(known) : 1);
}

static void write_fields(struct buf *b, const struct dialect *d, const struct field *fields,
                         size_t n, int depth)
{
    bool first = true;
    buf_byte(b, '{');
    for (size_t i = 0; i < n && depth < 4; i++) {
        const struct field *f = &fields[i];
        if (f->read_only || (!f->required && !f->required_for && chance(2)))
            continue;
        if (!first)
            buf_byte(b, ',');
        first = false;
        write_text(b, f->name, strlen(f->name));
        buf_puts(b, f->list ? ":[" : f->map ? ":{\"k\":" : ":");
        write_field(b, d, f, depth);
        buf_puts(b, f->list ? "]" : f->map ? "}" : "");
    }
    buf_byte(b, '}');
}

static const char *body_by_schema(struct arena *a, const struct dialect *d, const struct route *row)
{
    const struct schema *s = row->request ? dialect_schema(d, row->request) : NULL;
    struct buf b;
    if (!s)
        return "{\"a\":1}";
    buf_init(&b, 0);
    write_fields(&b, d, s->fields, s->n_fields, 0);
    const char *text = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* ---- requests ---- */

struct attempt {
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
    write_text(b, name, strlen(name));
    buf_byte(b, ':');
    if (is_json)
        buf_add(b, v.data, v.len);
    else
        write_text(b, v.data, v.len);
}

/* What a parameter usually is. */
static const char *usual(const struct param *p)
{
    const char *known = hostile_world_value(p->name, chance(1000));
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

/* The value that parameter i is sent with; victim: it is the one that is attacked. */
static struct bytes value_of(struct arena *a, const struct param *p, bool victim)
{
    const char *text = usual(p);
    if (!victim)
        return (struct bytes){text, strlen(text)};
    if ((*text == '{' || *text == '[') && chance(4))
        return spoilt(a, text, true);
    return any_hostile(a);
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
    struct buf query, form, json;
    const char *path = row->paths[0];
    bool by_json = !goes_by_form(row) && chance(2);
    buf_init(&query, 0);
    buf_init(&form, 0);
    buf_init(&json, 0);
    buf_byte(&json, '{');
    for (size_t i = 0; i < row->n_params; i++) {
        const struct param *p = &row->params[i];
        if (i != victim && !p->required && p->place != IN_PATH && chance(3))
            continue;
        struct bytes v = value_of(a, p, i == victim);
        if (p->place == IN_PATH)
            put_in_path(a, &path, p->name, v);
        else if (p->place == IN_QUERY)
            add_pair(&query, p->name, v);
        else if (p->place == IN_JSON || (p->place == IN_ARGUMENT && by_json))
            add_json(&json, p->name, v, looks_like_json(v) && chance(4));
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
        body = spoilt(a, body_by_schema(a, d, row), victim == row->n_params);
        t->type = "application/json";
    } else if (row->body == BODY_RAW && victim == row->n_params) {
        body = any_hostile(a);
        t->type = chance(2) ? "application/json" : "application/x-www-form-urlencoded";
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

/* Whether it was taken. */
static bool judge(struct arena *a, const struct dialect *d, const struct attempt *t,
                  const struct sosia_response *res)
{
    const struct json *v = NULL;
    struct sosia_err err;
    if (res->status >= 500 && res->status != 501)
        on_fault(t, arena_printf(a, "status %d: %.500s", res->status, res->body));
    if (is_json(res) && !res->read && !res->stream && res->body_len &&
        json_parse(a, res->body, res->body_len, NULL, &v, &err) < 0)
        on_fault(t, arena_printf(a, "the response is no JSON: %s: %.500s", err.text, res->body));
    if (strcmp(d->vendor->name, "slack") != 0 || !v || !json_get(v, "ok"))
        return res->status < 400;
    const char *error = json_get_str(v, "error");
    /* a call's id that is taken is what the service calls so */
    bool own = strcmp(t->target, "/api/calls.add") == 0;
    if (error && !own &&
        (strcmp(error, "internal_error") == 0 || strcmp(error, "fatal_error") == 0))
        on_fault(t, error);
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
        return chance(2) ? bearers[0] : NULL;
    if (row->scopes && strstr(row->scopes, "app_configurations"))
        return bearers[3];
    if (row->token_kinds == TOKEN_APP)
        return bearers[2];
    return row->token_kinds == TOKEN_BOT || (row->token_kinds & TOKEN_BOT && chance(2))
               ? bearers[1]
               : bearers[0];
}

/* What even a refusal changes: attempts to sign in are remembered, and what was made of a code that
 * comes twice ends. */
static bool may_change(const struct route *row)
{
    return row->secret;
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
            if (!chance((size_t)dose(3, 20)))
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

static void every_method_is_attacked(void **state)
{
    const char *only = getenv("SOSIA_ONLY"), *tries = getenv("SOSIA_TRIES"),
               *seed = getenv("SOSIA_SEED");
    (void)state;
    state_of_chance = seed ? strtoull(seed, NULL, 10) : 20260215;
    base = test_world;
    for (size_t i = 0; i < SOSIA_LEN(tokens); i++)
        bearers[i] = hostile_world_bearer(tokens[i]);
    sosia_engine_on_handshake(test_engine, on_post, NULL);
    world = base;
    hash_fork(base_hash);
    for (const struct dialect *const *d = engine_dialects(test_engine); *d; d++)
        for (size_t i = 0; dialect_row(*d, i); i++) {
            const struct route *row = dialect_row(*d, i);
            if (!row->upgrade && (!only || strstr(row->id, only)))
                attack_row(*d, row, tries ? atoi(tries) : dose(8, 4));
        }
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_method_is_attacked, hostile_world_open,
                                        hostile_world_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
