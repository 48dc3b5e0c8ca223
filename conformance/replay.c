/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay.h"
#include "conformance/target/http.h"
#include "conformance/method.h"
#include "conformance/record/redact.h"
#include "conformance/rewrite.h"
#include "engine/base/codec.h"
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>

struct replay {
    struct target *t;
    const struct cassette *c;
    struct result *result;
    struct exchange **last;
    struct captures captures;
    struct arena scratch;   /* of a step */
    struct rewrite secrets; /* credentials of answers, and what stands for them */
    const char *skip;       /* why what follows is skipped; NULL: it is not */
    bool left_out;          /* a step was, so that names may have no value */
    int64_t outbox_seen;
    struct sosia_err *err;
};

/* ---- requests ---- */

static const char *actor_text(void *arg, const char *what, const char *name)
{
    struct replay *r = arg;
    const struct cassette_actor *actor = cassette_actor(r->c, name);
    if (!actor)
        return NULL;
    return strcmp(what, "token") == 0 ? r->t->ops->token(r->t, actor)
                                      : r->t->ops->email(r->t, actor);
}

static bool uses_now(const struct cassette_step *s)
{
    bool found = strstr(s->path, "${now") != NULL;
    for (size_t i = 0; i < s->n_query; i++)
        found |= strstr(s->query[i].text, "${now") != NULL;
    return found || s->send; /* a body is not looked through */
}

static int write_target(struct replay *r, const struct cassette_step *s,
                        const struct template_names *names, const char **ret)
{
    struct arena *a = &r->scratch;
    struct buf b;
    const char *text;
    int rc = template_text(a, s->path, names, true, &text, r->err);
    buf_init(&b, 0);
    if (rc == 0)
        buf_puts(&b, text);
    for (size_t i = 0; i < s->n_query && rc == 0; i++) {
        rc = template_text(a, s->query[i].text, names, false, &text, r->err);
        if (rc < 0)
            break;
        buf_byte(&b, i || strchr(s->path, '?') ? '&' : '?');
        percent_add(&b, s->query[i].name, strlen(s->query[i].name));
        buf_byte(&b, '=');
        percent_add(&b, text, strlen(text));
    }
    if (rc == 0)
        *ret = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return rc;
}

static bool has_header(const struct cassette_step *s, const char *name)
{
    for (size_t i = 0; i < s->n_headers; i++)
        if (strcasecmp(s->headers[i].name, name) == 0)
            return true;
    return false;
}

static int write_headers(struct replay *r, const struct cassette_step *s, const char *type,
                         const struct template_names *names, struct sosia_request *request)
{
    struct arena *a = &r->scratch;
    struct sosia_header *h = arena_calloc(a, s->n_headers + 2, sizeof *h);
    size_t n = 0;
    if (arena_failed(a))
        return sosia_fail_memory(r->err);
    if (s->actor && !has_header(s, "Authorization")) {
        const char *token = r->t->ops->token(r->t, cassette_actor(r->c, s->actor));
        if (!token)
            return sosia_fail(r->err, SOSIA_E_NOT_FOUND, "token", NULL, "%s has no token",
                              s->actor);
        h[n++] = (struct sosia_header){"Authorization", arena_printf(a, "Bearer %s", token)};
    }
    if (type && !has_header(s, "Content-Type"))
        h[n++] = (struct sosia_header){"Content-Type", type};
    for (size_t i = 0; i < s->n_headers; i++) {
        h[n].name = s->headers[i].name;
        if (template_text(a, s->headers[i].text, names, false, &h[n].value, r->err) < 0)
            return -1;
        n++;
    }
    request->headers = h;
    request->n_headers = n;
    return 0;
}

static int make_request(struct replay *r, const struct cassette_step *s,
                        struct sosia_request *request)
{
    struct template_names names = {
        .captures = &r->captures, .actor = actor_text, .arg = r, .now_us = 0};
    const char *type = NULL;
    struct buf body;
    if (uses_now(s)) {
        int rc = r->t->ops->now(r->t, &names.now_us, r->err);
        if (rc)
            return rc;
    }
    *request = (struct sosia_request){.method = s->verb};
    if (write_target(r, s, &names, &request->target) < 0)
        return -1;
    buf_init(&body, 0);
    int rc = s->send ? template_body(&r->scratch, &body, s->send, &names, &type, r->err) : 0;
    if (rc == 0) {
        request->body = arena_memdup(&r->scratch, body.data ? body.data : "", body.len);
        request->body_len = body.len;
        rc = write_headers(r, s, type, &names, request);
    }
    buf_done(&body);
    return rc == 0 && arena_failed(&r->scratch) ? sosia_fail_memory(r->err) : rc;
}

/* ---- responses ---- */

static void keep_headers(struct replay *r, struct exchange *x, const struct wire_message *got)
{
    struct arena *a = &r->result->arena;
    x->headers = arena_calloc(a, got->n_headers, sizeof *x->headers);
    if (arena_failed(a))
        return;
    for (size_t i = 0; i < got->n_headers; i++)
        if (header_matters(got->headers[i].name))
            x->headers[x->n_headers++] = (struct result_header){
                arena_strdup(a, got->headers[i].name), arena_strdup(a, got->headers[i].value)};
}

static void keep_body(struct replay *r, struct exchange *x, const char *body, size_t len)
{
    struct arena *a = &r->result->arena;
    x->json = NULL;
    x->text = NULL;
    if (!len || json_parse(a, body, len, NULL, &x->json, NULL) == 0)
        return;
    x->text = pattern_readable(a, body, len);
}

/* Remembers a credential, as it is in JSON, and unless it is so short that other texts may have it
 * in them by chance, without the quotes: later answers are held against it. */
static void note_secret(struct replay *r, const struct json *from, const struct json *to)
{
    enum { TELLING = 8 };
    const char *quoted = json_to_text(&r->scratch, from);
    for (size_t i = 0; i < r->secrets.n; i++)
        if (strcmp(r->secrets.pairs[i].ours, quoted) == 0)
            return;
    rewrite_add(&r->secrets, quoted, json_to_text(&r->scratch, to));
    if (from->n >= TELLING)
        rewrite_add(&r->secrets, from->str, to->str);
}

/* What was replaced in one of two documents of one form is replaced in the differences, too. */
static void redact_differences(struct replay *r, struct comparison *c, const struct json *from,
                               const struct json *to)
{
    bool holds = from->type == JSON_OBJECT || from->type == JSON_ARRAY;
    if (from->type != to->type || (holds && from->n != to->n))
        return;
    for (struct difference *d = c->first; d; d = d->next)
        if (d->value == from)
            d->got = comparison_shown(&r->result->arena, to);
    if (from->type == JSON_STRING && strcmp(from->str, to->str) != 0)
        note_secret(r, from, to);
    for (uint32_t i = 0; from->type == JSON_OBJECT && i < from->n; i++)
        redact_differences(r, c, &from->members[i].value, &to->members[i].value);
    for (uint32_t i = 0; from->type == JSON_ARRAY && i < from->n; i++)
        redact_differences(r, c, &from->items[i], &to->items[i]);
}

/* A text that came as a whole: a header's value, a body that is not JSON. */
static void redact_text(struct replay *r, struct comparison *c, const char *path, const char *text)
{
    struct json v = {.type = JSON_STRING, .n = (uint32_t)strlen(text), .str = text};
    for (struct difference *d = c->first; d; d = d->next)
        if (d->got && strcasecmp(d->path, path) == 0)
            d->got = comparison_shown(&r->result->arena, &v);
}

/* What was expected by the value of a name may be a credential that came before. */
static void redact_expected(struct replay *r, struct comparison *c)
{
    size_t len;
    for (struct difference *d = c->first; d; d = d->next)
        if (d->expected)
            d->expected = rewrite_out(&r->secrets, d->expected, strlen(d->expected), &len);
}

/* What is kept of a response has no credential in it: neither its body nor messages about it. */
static void keep_answer(struct replay *r, const struct cassette_step *s, struct exchange *x,
                        const struct sosia_request *request, const struct sosia_response *answer,
                        struct comparison *c)
{
    struct arena *a = &r->result->arena;
    const struct json *whole = x->json;
    struct sosia_header *headers =
        (void *)arena_memdup(&r->scratch, answer->headers, answer->n_headers * sizeof *headers);
    struct wire e = {.verb = request->method,
                     .origin = "",
                     .target = request->target,
                     .status = answer->status,
                     .got = {.headers = headers,
                             .n_headers = answer->n_headers,
                             .body = {answer->body, answer->body_len, answer->body_len, false}}};
    if (redact_wire(r->result->redactor, &r->scratch, &e, NULL) < 0) {
        a->failed = true;
        return;
    }
    keep_headers(r, x, &e.got);
    for (size_t i = 0; i < answer->n_headers; i++)
        if (strcmp(e.got.headers[i].value, answer->headers[i].value) != 0)
            redact_text(r, c, arena_printf(&r->scratch, "header %s", answer->headers[i].name),
                        e.got.headers[i].value);
    if (e.got.body.len != answer->body_len ||
        memcmp(e.got.body.data, answer->body, answer->body_len) != 0) {
        keep_body(r, x, e.got.body.data, e.got.body.len);
        if (whole && x->json)
            redact_differences(r, c, whole, x->json);
        if (!whole || (s->body && pattern_is_text(s->body)))
            redact_text(r, c, "$", pattern_readable(&r->scratch, e.got.body.data, e.got.body.len));
    }
    redact_expected(r, c);
}

static void compare_body(struct replay *r, const struct cassette_step *s, struct exchange *x,
                         const struct sosia_response *answer, struct comparison *c)
{
    size_t len = answer->body_len;
    if (!s->body)
        comparison_field(c, DIFFERENCE_BODY, "$", NULL, len ? x->text ? x->text : "(JSON)" : NULL,
                         !len);
    else if (!pattern_is_text(s->body) && (x->json || !len)) /* without a body: NULL */
        pattern_match(s->body, "$", x->json, &r->captures, c);
    else /* of JSON too: what matters is how it is written */
        pattern_match_text(s->body, "$", answer->body, len, &r->captures, c);
}

static void compare_answer(struct replay *r, const struct cassette_step *s, struct exchange *x,
                           const struct sosia_response *answer, struct comparison *c)
{
    struct arena *a = &r->result->arena;
    comparison_field(c, DIFFERENCE_STATUS, "status", arena_printf(a, "%d", s->status),
                     arena_printf(a, "%d", answer->status), s->status == answer->status);
    compare_body(r, s, x, answer, c);
    for (size_t i = 0; i < s->n_expect_headers; i++) {
        const struct cassette_pair *p = &s->expect_headers[i];
        const char *text = http_header(answer, p->name);
        struct json v = {.type = JSON_STRING, .n = text ? (uint32_t)strlen(text) : 0, .str = text};
        pattern_match(p->pattern, arena_printf(a, "header %s", p->name), text ? &v : NULL,
                      &r->captures, c);
    }
}

/* ---- steps ---- */

static struct exchange *add_exchange(struct replay *r, const struct cassette_step *s)
{
    static const char *const kinds[] = {[STEP_ADVANCE] = "advance",
                                        [STEP_SEED] = "seed",
                                        [STEP_RESET] = "reset",
                                        [STEP_REVOKE] = "revoke",
                                        [STEP_OUTBOX] = "outbox"};
    struct arena *a = &r->result->arena;
    struct exchange *x = arena_calloc(a, 1, sizeof *x);
    const char *id, *dialect = NULL;
    if (arena_failed(a))
        return NULL;
    x->id =
        s->id ? arena_strdup(a, s->id) : arena_printf(a, "step-%zu", (size_t)(s - r->c->steps) + 1);
    x->file = arena_strdup(a, r->c->file);
    x->line = s->line;
    x->method = s->method ? arena_strdup(a, s->method) : NULL;
    if (s->kind != STEP_CALL) {
        x->method = kinds[s->kind];
        dialect = "world";
    }
    if (s->kind == STEP_CALL)
        method_find(s->verb, s->path, &id, &dialect);
    if (s->method && !dialect)
        dialect = method_dialect(s->method);
    x->dialect = dialect;
    x->observed = s->source.observed;
    x->source = s->source.kind;
    x->rules = arena_calloc(a, s->n_rules, sizeof *x->rules);
    x->n_rules = s->n_rules;
    for (size_t i = 0; i < s->n_rules && !arena_failed(a); i++)
        x->rules[i] = arena_strdup(a, s->rules[i]);
    if (arena_failed(a))
        return NULL;
    *r->last = x;
    r->last = &x->next;
    return x;
}

static void finish(struct exchange *x, struct comparison *c)
{
    x->equal = c->equal;
    x->total = c->total;
    x->differences = c->first;
    x->normalised = c->normalised;
    x->outcome = c->first ? OUTCOME_DIFFERENT : OUTCOME_EQUAL;
}

static int run_call(struct replay *r, const struct cassette_step *s, struct exchange *x)
{
    struct sosia_request request;
    struct sosia_response answer;
    struct comparison c;
    int rc = make_request(r, s, &request);
    if (rc == 0)
        rc = r->t->ops->call(r->t, &r->scratch, &request, &answer, r->err);
    if (rc)
        return rc;
    if (strcmp(s->verb, "HEAD") == 0)
        answer.body_len = 0; /* a server sends none; in process it is there */
    x->answered = true;
    x->status = answer.status;
    keep_body(r, x, answer.body, answer.body_len);
    comparison_init(&c, &r->result->arena, r->c->order);
    compare_answer(r, s, x, &answer, &c);
    keep_answer(r, s, x, &request, &answer, &c);
    finish(x, &c);
    return 0;
}

static int run_outbox(struct replay *r, const struct cassette_step *s, struct exchange *x)
{
    const char *text;
    size_t len;
    const struct json *list;
    struct comparison c;
    int64_t id;
    int rc = r->t->ops->outbox(r->t, &r->scratch, r->outbox_seen, &text, &len, r->err);
    if (rc)
        return rc;
    if (json_parse(&r->result->arena, text, len, NULL, &list, r->err) < 0)
        return -1;
    if (list->type == JSON_ARRAY && list->n &&
        json_i64(json_get(&list->items[list->n - 1], "id"), &id) == 0)
        r->outbox_seen = id;
    x->json = list;
    x->answered = true;
    comparison_init(&c, &r->result->arena, false);
    pattern_match(s->body, "$", list, &r->captures, &c);
    finish(x, &c);
    return 0;
}

static int run_seed(struct replay *r, const struct cassette_step *s)
{
    struct buf b;
    struct json_writer w;
    json_start(&w, &b);
    json_value(&w, NULL, s->seed);
    int rc =
        buf_failed(&b) ? sosia_fail_memory(r->err) : r->t->ops->seed(r->t, b.data, b.len, r->err);
    buf_done(&b);
    return rc;
}

/* What a step needs of the target; NULL: nothing is missing. */
static const char *missing(const struct replay *r, const struct cassette_step *s)
{
    const struct target_ops *ops = r->t->ops;
    if (s->only == ONLY_SOSIA && r->t->real)
        return "it is for sosia only";
    if (s->only == ONLY_REAL && !r->t->real)
        return "it is for the real service only";
    if ((s->kind == STEP_ADVANCE && !ops->advance) || (s->kind == STEP_RESET && !ops->reset))
        return "the clock and the world can't be moved here";
    if (s->kind == STEP_SEED && !ops->seed)
        return "seed documents can't be applied here";
    if (s->kind == STEP_REVOKE && !ops->revoke)
        return "tokens can't be revoked here";
    if (s->kind == STEP_OUTBOX && !ops->outbox)
        return "what leaves the service can't be seen here";
    return NULL;
}

static int run_step(struct replay *r, const struct cassette_step *s, struct exchange *x)
{
    const struct target_ops *ops = r->t->ops;
    switch (s->kind) {
    case STEP_CALL:
        return run_call(r, s, x);
    case STEP_OUTBOX:
        return run_outbox(r, s, x);
    case STEP_ADVANCE:
        return ops->advance(r->t, s->advance_us, r->err);
    case STEP_SEED:
        return run_seed(r, s);
    case STEP_RESET:
        return ops->reset(r->t, r->err);
    case STEP_REVOKE:
        return ops->revoke(r->t, cassette_actor(r->c, s->revoke), r->err);
    }
    return -1;
}

/* An exchange that could not be made: none of what it expects is equal. */
static void fail_exchange(struct exchange *x, const struct cassette_step *s, const char *why)
{
    x->outcome = OUTCOME_FAILED;
    x->why = why;
    x->total = s->body ? pattern_leaves(s->body) : 0;
    if (s->kind != STEP_CALL)
        return;
    x->total += 1 + !s->body; /* the status, and that there is no body */
    for (size_t i = 0; i < s->n_expect_headers; i++)
        x->total += pattern_leaves(s->expect_headers[i].pattern);
}

/* 0, or TARGET_STOP. */
static int replay_step(struct replay *r, const struct cassette_step *s)
{
    bool checks = s->kind == STEP_CALL || s->kind == STEP_OUTBOX;
    struct exchange *x = checks ? add_exchange(r, s) : NULL;
    const char *why = r->skip ? r->skip : missing(r, s);
    if (checks && !x)
        return sosia_fail_memory(r->err), TARGET_STOP;
    if (why) {
        /* What only looks is left out; what changes something is needed by what follows. */
        if (!checks)
            r->skip = why;
        if (x) {
            x->outcome = OUTCOME_SKIPPED;
            x->why = why;
        }
        r->left_out = true;
        return 0;
    }
    int rc = run_step(r, s, x);
    arena_reset(&r->scratch);
    if (rc == 0)
        return 0;
    why = arena_strdup(&r->result->arena, r->err->text);
    if (x) {
        bool needs = r->left_out && r->err->reason && strcmp(r->err->reason, "noValue") == 0;
        fail_exchange(x, s, why);
        x->outcome = needs ? OUTCOME_SKIPPED : OUTCOME_FAILED;
    } else if (!(x = add_exchange(r, s))) {
        return sosia_fail_memory(r->err), TARGET_STOP;
    } else { /* it checks nothing, but what follows is not checked because of it */
        fail_exchange(x, s, why);
        r->skip = arena_printf(&r->result->arena, "a step before it failed: %s", why);
    }
    return rc == TARGET_STOP ? TARGET_STOP : 0;
}

/* "${=run}": different in each replay, for services that keep ids and the like for ever. */
static int set_run(struct replay *r)
{
    char text[] = "run0000000000";
    unsigned char random[10];
    if (r->t->real && getrandom(random, sizeof random, 0) == sizeof random)
        for (size_t i = 0; i < sizeof random; i++)
            text[3 + i] = "0123456789abcdefghijklmnopqrstuv"[random[i] & 31];
    struct json v = {.type = JSON_STRING, .n = sizeof text - 1, .str = text};
    return captures_set(&r->captures, "run", &v);
}

/* Credentials are replaced by the same names in every run; personal data is left: worlds have none,
 * and accounts of tests are called by the cassette's names. */
static int open_redactor(struct result *result, struct sosia_err *err)
{
    const unsigned credentials = 1u << REDACT_TOKEN | 1u << REDACT_COOKIE | 1u << REDACT_KEY;
    struct redactor_options options = {.keep = ((1u << N_REDACT_KINDS) - 1) & ~credentials};
    return result->redactor ? 0 : redactor_new(&options, &result->redactor, err);
}

static int start(struct replay *r)
{
    captures_init(&r->captures, &r->result->arena);
    rewrite_init(&r->secrets, &r->result->arena);
    if (set_run(r) < 0)
        return sosia_fail_memory(r->err), TARGET_STOP;
    for (size_t i = 0; i < r->c->n_values; i++)
        if (captures_set(&r->captures, r->c->values[i].name, r->c->values[i].value) < 0)
            return sosia_fail_memory(r->err), TARGET_STOP;
    int rc = r->t->ops->begin(r->t, r->c, r->err);
    if (rc == 0 || rc == TARGET_STOP)
        return rc;
    r->skip = arena_printf(&r->result->arena,
                           rc == TARGET_SKIP ? "%s" : "its world can't be made: %s", r->err->text);
    if (rc == TARGET_SKIP)
        return 0;
    /* So that it does not go unnoticed, the first exchange fails and the rest is skipped. */
    return -1;
}

/* The step of the first exchange; that of a cassette without one is its first. */
static const struct cassette_step *first_compared(const struct cassette *c)
{
    for (size_t i = 0; i < c->n_steps; i++)
        if (c->steps[i].kind == STEP_CALL || c->steps[i].kind == STEP_OUTBOX)
            return &c->steps[i];
    return &c->steps[0];
}

int replay_cassette(struct target *t, const struct cassette *c, struct result *result,
                    struct sosia_err *err)
{
    struct sosia_err own;
    struct scenario *s = result_scenario(result, c->name, c->title, c->digest);
    struct replay r = {.t = t, .c = c, .result = result, .err = err ? err : &own};
    if (!s || open_redactor(result, r.err) < 0)
        return sosia_fail_memory(err);
    r.last = &s->first;
    arena_init(&r.scratch, 0);
    int rc = start(&r);
    bool unmade = rc == -1;
    for (size_t i = 0; i < c->n_steps && rc != TARGET_STOP; i++)
        rc = replay_step(&r, &c->steps[i]);
    if (unmade && !s->first)
        s->first = add_exchange(&r, &c->steps[0]);
    if (unmade && s->first)
        fail_exchange(s->first, first_compared(c), r.skip);
    t->ops->end(t);
    captures_done(&r.captures);
    arena_done(&r.scratch);
    return rc == TARGET_STOP || arena_failed(&result->arena) ? -1 : 0;
}
