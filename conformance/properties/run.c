/* SPDX-License-Identifier: Apache-2.0 */
/* Running sequences, and shortening those that fail. */
#include "conformance/cassette/cassette.h"
#include "conformance/properties/properties.h"
#include <stdio.h>
#include <stdlib.h>

const struct property *const properties[] = {
    &property_listed, &property_deleted, &property_sync,      &property_entries,
    &property_pages,  &property_window,  &property_instances, &property_patch,
    &property_etag,   &property_refused, &property_busy,      NULL,
};

void *property_state(struct run *r, const struct property *p, size_t size)
{
    size_t i = 0;
    while (properties[i] != p)
        i++;
    if (!r->states[i])
        r->states[i] = arena_calloc(&r->arena, 1, size);
    return r->states[i];
}

bool fails(struct run *r, const struct property *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    r->failure.property = p;
    vsnprintf(r->failure.text, sizeof r->failure.text, fmt, ap);
    va_end(ap);
    return false;
}

void shows(struct run *r, size_t at, enum person who, const char *path, int status,
           const char *expect)
{
    if (r->failure.n_demos < DEMOS_MAX)
        r->failure.demos[r->failure.n_demos++] = (struct demo){
            .at = at, .who = who, .verb = "GET", .path = path, .expect = expect, .status = status};
}

static void stop(const struct sosia_err *err)
{
    printf("%s\n", err->text);
    exit(1);
}

static void open_run(struct run *r, struct sosia_engine *engine, uint64_t prepared,
                     const struct sequence *s)
{
    struct sosia_err err;
    uint32_t top = 0;
    struct sosia_fork_options opt = {.set_clock = true,
                                     .clock = s->frozen ? SOSIA_CLOCK_FROZEN : SOSIA_CLOCK_STEP,
                                     .step_us = 1000000};
    *r = (struct run){.engine = engine, .sequence = s};
    arena_init(&r->arena, (size_t)4 << 30);
    if (sosia_world_fork(engine, prepared, &opt, &r->world, &err) < 0)
        stop(&err);
    for (int i = 0; i < N_PEOPLE; i++) {
        struct sosia_token_options token = {.actor = person_emails[i]};
        if (sosia_token_issue(engine, r->world, &token, r->tokens[i], sizeof r->tokens[i], &err) <
            0)
            stop(&err);
    }
    for (size_t i = 0; i < s->n; i++) {
        top = s->ops[i].number > top ? s->ops[i].number : top;
        top = s->ops[i].target > top ? s->ops[i].target : top;
    }
    r->slots = arena_calloc(&r->arena, top + 1, sizeof *r->slots);
    r->made = arena_calloc(&r->arena, s->n, sizeof *r->made);
}

void run_done(struct run *r)
{
    property_refused.end(r);
    sosia_world_drop(r->engine, r->world, NULL);
    arena_done(&r->arena);
}

static bool is_on(const struct run *r, const struct property *p)
{
    return !r->only || r->only == p;
}

static bool all_begin(struct run *r)
{
    for (size_t i = 0; properties[i]; i++)
        if (is_on(r, properties[i]) && properties[i]->begin && !properties[i]->begin(r))
            return false;
    return true;
}

static bool all_before(struct run *r, const struct op *op)
{
    for (size_t i = 0; properties[i]; i++)
        if (is_on(r, properties[i]) && properties[i]->before && !properties[i]->before(r, op))
            return false;
    return true;
}

static bool all_after(struct run *r, const struct made *made)
{
    for (size_t i = 0; properties[i]; i++)
        if (is_on(r, properties[i]) && properties[i]->after && !properties[i]->after(r, made))
            return false;
    return true;
}

static bool all_end(struct run *r)
{
    for (size_t i = 0; properties[i]; i++)
        if (is_on(r, properties[i]) && properties[i]->end && !properties[i]->end(r))
            return false;
    return true;
}

static void run_all(struct run *r)
{
    if (!all_begin(r))
        return;
    for (size_t i = 0; i < r->sequence->n; i++) {
        if (!all_before(r, &r->sequence->ops[i]))
            return;
        const struct made *made = op_do(r, &r->sequence->ops[i]);
        if (made && !all_after(r, made))
            return;
    }
    if (r->n_made)
        all_end(r);
}

void run_sequence(struct sosia_engine *engine, uint64_t prepared, const struct sequence *s,
                  const struct property *only, const struct property *spoilt, struct run *ret_run)
{
    open_run(ret_run, engine, prepared, s);
    ret_run->only = only;
    ret_run->spoilt = spoilt;
    run_all(ret_run);
}

/* ---- shrinking ---- */

static bool still_fails(struct sosia_engine *engine, uint64_t prepared, const struct sequence *s,
                        const struct property *p, const struct property *spoilt)
{
    struct run r;
    run_sequence(engine, prepared, s, p, spoilt, &r);
    bool failed = r.failure.property == p;
    run_done(&r);
    return failed;
}

void shrink(struct sosia_engine *engine, uint64_t prepared, const struct sequence *s,
            const struct property *p, const struct property *spoilt, struct arena *a,
            struct sequence *ret)
{
    struct sequence now = {arena_calloc(a, s->n, sizeof *s->ops), s->n, s->frozen};
    struct sequence try = {arena_calloc(a, s->n, sizeof *s->ops), 0, s->frozen};
    memcpy(now.ops, s->ops, s->n * sizeof *s->ops);
    for (size_t size = now.n / 2; size; size = size > 1 ? size / 2 : 0) {
        bool shorter = true;
        while (shorter) {
            shorter = false;
            for (size_t at = 0; at < now.n && now.n > 1; at += size) {
                size_t end = at + size < now.n ? at + size : now.n;
                memcpy(try.ops, now.ops, at * sizeof *now.ops);
                memcpy(try.ops + at, now.ops + end, (now.n - end) * sizeof *now.ops);
                try.n = now.n - (end - at);
                if (!try.n || !still_fails(engine, prepared, &try, p, spoilt))
                    continue;
                memcpy(now.ops, try.ops, try.n * sizeof *now.ops);
                now.n = try.n;
                shorter = true;
                at = at >= size ? at - size : 0;
            }
        }
    }
    *ret = now;
}

/* ---- cassettes ---- */

static void write_body(struct json_writer *w, const char *key, const char *text)
{
    if (text)
        json_raw(w, key, text, strlen(text));
}

static void write_expect(struct json_writer *w, int status, const char *body)
{
    if (!body) {
        json_int(w, "expect", status);
        return;
    }
    json_obj(w, "expect");
    json_int(w, "status", status);
    write_body(w, "body", body);
    json_end(w);
}

static void write_demo(struct json_writer *w, struct arena *a, const struct demo *d, size_t i,
                       const char *note)
{
    json_obj(w, NULL);
    json_str(w, "id", arena_printf(a, "look-%zu", i));
    json_str_opt(w, "note", note);
    json_str(w, "as", person_names[d->who]);
    json_str(w, "call", arena_printf(a, "%s %s", d->verb, d->path));
    write_body(w, "send", d->send);
    write_expect(w, d->status, d->expect);
    json_end(w);
}

static void write_made(struct json_writer *w, struct arena *a, const struct made *m)
{
    json_obj(w, NULL);
    if (!m->path) {
        json_str(w, "advance", arena_printf(a, "%llds", (long long)m->advance_s));
        json_end(w);
        return;
    }
    json_str(w, "id", arena_printf(a, "call-%u", m->op->number));
    json_str(w, "as", person_names[m->who]);
    json_str(w, "call", arena_printf(a, "%s %s", m->verb, m->path));
    if (m->if_match) {
        json_obj(w, "headers");
        json_str(w, "If-Match", m->if_match);
        json_end(w);
    }
    write_body(w, "send", m->send);
    write_expect(w, m->status, m->body ? "\"${any}\"" : NULL);
    json_end(w);
}

static void write_demos(struct json_writer *w, struct run *r, size_t at)
{
    const struct failure *f = &r->failure;
    for (size_t i = 0; i < f->n_demos; i++)
        if (f->demos[i].at == at)
            write_demo(w, &r->arena, &f->demos[i], i, i + 1 == f->n_demos ? f->text : NULL);
}

void write_cassette(struct run *r, struct buf *out)
{
    struct json_writer w;
    struct buf plain;
    const struct json *v;
    json_start(&w, &plain);
    json_obj(&w, NULL);
    json_int(&w, "cassette", 1);
    json_str(&w, "title", r->failure.property->says);
    json_obj(&w, "source");
    json_str(&w, "kind", "rule");
    json_str(&w, "id", r->failure.property->name);
    json_end(&w);
    json_obj(&w, "world");
    write_body(&w, "seed", world_document);
    if (r->sequence->frozen)
        json_str(&w, "step", "0s");
    json_end(&w);
    json_str(&w, "base", "/calendar/v3");
    json_obj(&w, "actors");
    for (int i = 0; i < N_PEOPLE; i++)
        json_str(&w, person_names[i], person_emails[i]);
    json_end(&w);
    json_arr(&w, "steps");
    for (size_t i = 0; i < r->n_made; i++) {
        write_demos(&w, r, i);
        write_made(&w, &r->arena, &r->made[i]);
    }
    write_demos(&w, r, r->n_made);
    json_end(&w);
    json_end(&w);
    if (json_parse(&r->arena, buf_str(&plain), plain.len, NULL, &v, NULL) == 0)
        json_neat(out, v);
    buf_done(&plain);
}
