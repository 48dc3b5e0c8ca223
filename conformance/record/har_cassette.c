/* SPDX-License-Identifier: Apache-2.0 */
/* Cassettes and results of replays as exchanges, for HAR files. */
#include "conformance/record/har.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"

struct filling {
    struct arena *a;
    const struct cassette *c;
    struct captures captures;
    int64_t now_us;
};

/* Tokens were in no file. */
static const char *actor_text(void *arg, const char *what, const char *name)
{
    struct filling *f = arg;
    const struct cassette_actor *actor = cassette_actor(f->c, name);
    if (!actor)
        return NULL;
    return strcmp(what, "email") == 0 ? actor->email
                                      : arena_printf(f->a, "redacted-token-%s", name);
}

static struct template_names names_of(struct filling *f)
{
    return (struct template_names){
        .captures = &f->captures, .actor = actor_text, .arg = f, .now_us = f->now_us};
}

/* Filled in as far as values are known; else as it is written. */
static const char *fill(struct filling *f, const char *text, bool encode)
{
    struct template_names names = names_of(f);
    const char *out;
    return template_text(f->a, text, &names, encode, &out, NULL) == 0 ? out : text;
}

static const char *json_of(struct arena *a, const struct json *v)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_value(&w, NULL, v);
    const char *text = arena_memdup(a, b.data ? b.data : "", buf_failed(&b) ? 0 : b.len);
    buf_done(&b);
    return text;
}

static struct wire_body body_of(const char *text)
{
    size_t n = text ? strlen(text) : 0;
    return (struct wire_body){.data = text, .len = n, .size = n};
}

static void fill_target(struct filling *f, const struct cassette_step *s, struct wire *e)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, fill(f, s->path, true));
    for (size_t i = 0; i < s->n_query; i++) {
        const char *text = fill(f, s->query[i].text, false);
        buf_byte(&b, i || strchr(s->path, '?') ? '&' : '?');
        percent_add(&b, s->query[i].name, strlen(s->query[i].name));
        buf_byte(&b, '=');
        percent_add(&b, text, strlen(text));
    }
    e->target = buf_keep(&b, f->a);
}

static void fill_request(struct filling *f, const struct cassette_step *s, struct wire *e)
{
    struct template_names names = names_of(f);
    const char *type = NULL;
    struct sosia_header *h = arena_calloc(f->a, s->n_headers + 2, sizeof *h);
    struct buf body;
    if (arena_failed(f->a))
        return;
    fill_target(f, s, e);
    e->sent.headers = h;
    if (s->actor)
        h[e->sent.n_headers++] = (struct sosia_header){
            "Authorization", arena_printf(f->a, "Bearer %s", actor_text(f, "token", s->actor))};
    for (size_t i = 0; i < s->n_headers; i++)
        h[e->sent.n_headers++] =
            (struct sosia_header){s->headers[i].name, fill(f, s->headers[i].text, false)};
    if (!s->send)
        return;
    buf_init(&body, 0);
    if (template_body(f->a, &body, s->send, &names, &type, NULL) < 0) {
        buf_clear(&body); /* a value is not known: as it is written */
        buf_puts(&body, json_of(f->a, s->send));
    }
    if (type && !wire_header(&e->sent, "Content-Type"))
        h[e->sent.n_headers++] = (struct sosia_header){"Content-Type", type};
    e->sent.body = (struct wire_body){
        .data = arena_memdup(f->a, buf_str(&body), body.len), .len = body.len, .size = body.len};
    buf_done(&body);
}

/* The response in a replay; its captures are made again. */
static void take_answer(struct filling *f, const struct cassette_step *s, const struct exchange *x,
                        struct wire *e)
{
    struct comparison c;
    e->status = x->status;
    if (!x->answered) {
        e->error = x->why ? x->why : "no answer";
        return;
    }
    e->got.headers = arena_calloc(f->a, x->n_headers, sizeof *e->got.headers);
    for (size_t i = 0; i < x->n_headers && !arena_failed(f->a); i++)
        e->got.headers[e->got.n_headers++] =
            (struct sosia_header){x->headers[i].name, x->headers[i].value};
    if (x->json || x->text)
        e->got.body = body_of(x->json ? json_of(f->a, x->json) : x->text);
    comparison_init(&c, f->a, false);
    if (s->body && x->json && !pattern_is_text(s->body))
        pattern_match(s->body, "$", x->json, &f->captures, &c);
    else if (s->body && x->text)
        pattern_match_text(s->body, "$", x->text, strlen(x->text), &f->captures, &c);
    for (size_t i = 0; i < s->n_expect_headers; i++) {
        const char *text = wire_header(&e->got, s->expect_headers[i].name);
        struct json v = {.type = JSON_STRING, .n = text ? (uint32_t)strlen(text) : 0, .str = text};
        if (text)
            pattern_match(s->expect_headers[i].pattern, "", &v, &f->captures, &c);
    }
}

static void expected_answer(struct filling *f, const struct cassette_step *s, struct wire *e)
{
    e->status = s->status;
    e->got.headers = arena_calloc(f->a, s->n_expect_headers, sizeof *e->got.headers);
    for (size_t i = 0; i < s->n_expect_headers && !arena_failed(f->a); i++)
        e->got.headers[e->got.n_headers++] =
            (struct sosia_header){s->expect_headers[i].name, s->expect_headers[i].text};
    if (s->expect_body)
        e->got.body = body_of(json_of(f->a, s->expect_body));
}

static const struct exchange *answer_to(const struct scenario *answers, const char *id)
{
    const struct exchange *x = answers->first;
    while (x && strcmp(x->id, id) != 0)
        x = x->next;
    return x;
}

static int64_t start_of(const struct cassette *c)
{
    struct stamp t;
    int64_t days;
    if (c->world.time && stamp_parse(c->world.time, strlen(c->world.time), false, &t) == 0)
        return t.local_us - t.offset * US_PER_SECOND;
    if (c->source.date && date_parse(c->source.date, strlen(c->source.date), &days) == 0)
        return days * US_PER_DAY;
    return 0;
}

int har_of_cassette(struct arena *a, const struct cassette *c, const struct scenario *answers,
                    const char *origin, struct wire **ret_list, size_t *ret_n,
                    struct sosia_err *err)
{
    struct filling f = {.a = a, .c = c, .now_us = start_of(c)};
    struct wire *list = arena_calloc(a, c->n_steps + 1, sizeof *list);
    size_t n = 0;
    bool failed = false;
    captures_init(&f.captures, a);
    /* what replays against sosia say for it */
    static const struct json run = {.type = JSON_STRING, .n = 13, .str = "run0000000000"};
    failed |= captures_set(&f.captures, "run", &run) < 0;
    for (size_t i = 0; i < c->n_values; i++)
        failed |= captures_set(&f.captures, c->values[i].name, c->values[i].value) < 0;
    for (size_t i = 0; i < c->n_steps && !arena_failed(a); i++) {
        const struct cassette_step *s = &c->steps[i];
        const struct exchange *x = answers && s->id ? answer_to(answers, s->id) : NULL;
        if (s->kind == STEP_ADVANCE)
            f.now_us += s->advance_us;
        if (s->kind != STEP_CALL || (answers && (!x || x->outcome == OUTCOME_SKIPPED)))
            continue;
        struct wire *e = &list[n++];
        *e = (struct wire){
            .n = (int64_t)n, .at_us = f.now_us, .verb = s->verb, .origin = origin, .target = "/"};
        fill_request(&f, s, e);
        if (x)
            take_answer(&f, s, x, e);
        else
            expected_answer(&f, s, e);
        f.now_us += c->world.step_us;
    }
    captures_done(&f.captures);
    if (failed || arena_failed(a))
        return sosia_fail_memory(err);
    *ret_list = list;
    *ret_n = n;
    return 0;
}
