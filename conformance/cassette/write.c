/* SPDX-License-Identifier: Apache-2.0 */
/* Writing cassettes: what fits on a line is on one, so that they can be read and compared. */
#include "conformance/cassette/cassette.h"
#include <stdio.h>

enum { COLUMNS = 110 };

/* ---- neat JSON ---- */

static void write_inline(struct buf *b, const struct json *v)
{
    struct json_writer w;
    if ((v->type != JSON_OBJECT && v->type != JSON_ARRAY) || !v->n) {
        json_init(&w, b, false, NULL);
        json_value(&w, NULL, v);
        return;
    }
    buf_byte(b, v->type == JSON_OBJECT ? '{' : '[');
    for (uint32_t i = 0; i < v->n; i++) {
        buf_puts(b, i ? ", " : "");
        if (v->type == JSON_OBJECT) {
            json_init(&w, b, false, NULL);
            json_strn(&w, NULL, v->members[i].key, v->members[i].key_len);
            buf_puts(b, ": ");
        }
        write_inline(b, v->type == JSON_OBJECT ? &v->members[i].value : &v->items[i]);
    }
    buf_byte(b, v->type == JSON_OBJECT ? '}' : ']');
}

/* used: columns that the line has already. */
static void write_neat(struct buf *b, const struct json *v, unsigned indent, size_t used)
{
    size_t start = b->len;
    struct json_writer w;
    write_inline(b, v);
    if ((v->type != JSON_OBJECT && v->type != JSON_ARRAY) || !v->n ||
        b->len - start + used <= COLUMNS || buf_failed(b))
        return;
    b->len = start;
    buf_puts(b, v->type == JSON_OBJECT ? "{\n" : "[\n");
    for (uint32_t i = 0; i < v->n; i++) {
        size_t line = b->len;
        buf_printf(b, "%*s", (int)indent + 2, "");
        if (v->type == JSON_OBJECT) {
            json_init(&w, b, false, NULL);
            json_strn(&w, NULL, v->members[i].key, v->members[i].key_len);
            buf_puts(b, ": ");
        }
        write_neat(b, v->type == JSON_OBJECT ? &v->members[i].value : &v->items[i], indent + 2,
                   b->len - line + 1);
        buf_puts(b, i + 1 < v->n ? ",\n" : "\n");
    }
    buf_printf(b, "%*s%c", (int)indent, "", v->type == JSON_OBJECT ? '}' : ']');
}

void json_neat(struct buf *out, const struct json *v)
{
    write_neat(out, v, 0, 0);
    buf_byte(out, '\n');
}

/* ---- cassettes ---- */

static void write_source(struct json_writer *w, const struct cassette_source *s)
{
    json_obj(w, "source");
    json_str(w, "kind", source_kinds[s->kind]);
    json_str_opt(w, "date", s->date);
    json_str_opt(w, "id", s->id);
    json_bool_opt(w, "observed", s->observed);
    json_end(w);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_source(const struct cassette_source *a, const struct cassette_source *b)
{
    return a->kind == b->kind && a->observed == b->observed && same_text(a->date, b->date) &&
           same_text(a->id, b->id);
}

static void write_only(struct json_writer *w, enum cassette_only only)
{
    if (only)
        json_str(w, "only", only == ONLY_SOSIA ? "sosia" : "real");
}

static void write_span(struct json_writer *w, const char *key, int64_t us)
{
    char text[32];
    snprintf(text, sizeof text, "%llds", (long long)(us / 1000000));
    json_str(w, key, text);
}

static void write_world(struct json_writer *w, const struct cassette_world *world)
{
    bool plain = !world->time && !world->id_seed && world->step_us == 1000000;
    if (world->fixture && plain) {
        json_str(w, "world", world->fixture);
        return;
    }
    json_obj(w, "world");
    json_str_opt(w, "fixture", world->fixture);
    json_str_opt(w, "file", world->file);
    if (world->seed)
        json_value(w, "seed", world->seed);
    json_str_opt(w, "time", world->time);
    if (world->step_us != 1000000)
        write_span(w, "step", world->step_us);
    if (world->id_seed)
        json_int(w, "id_seed", (int64_t)world->id_seed);
    json_end(w);
}

static void write_actors(struct json_writer *w, const struct cassette *c)
{
    if (!c->n_actors)
        return;
    json_obj(w, "actors");
    for (size_t i = 0; i < c->n_actors; i++) {
        const struct cassette_actor *a = &c->actors[i];
        if (!a->scopes) {
            json_str(w, a->name, a->email);
            continue;
        }
        json_obj(w, a->name);
        json_str(w, "email", a->email);
        json_str(w, "scopes", a->scopes);
        json_end(w);
    }
    json_end(w);
}

/* Pairs of one name are adjacent and become a list. */
static void write_pairs(struct json_writer *w, const char *key, const struct cassette_pair *pairs,
                        size_t n)
{
    if (!n)
        return;
    json_obj(w, key);
    for (size_t i = 0; i < n; i++) {
        size_t many = 1;
        bool earlier = false;
        for (size_t k = 0; k < i; k++)
            earlier |= strcmp(pairs[k].name, pairs[i].name) == 0;
        if (earlier)
            continue;
        for (size_t k = i + 1; k < n; k++)
            many += strcmp(pairs[k].name, pairs[i].name) == 0;
        if (many == 1) {
            json_str(w, pairs[i].name, pairs[i].text);
            continue;
        }
        json_arr(w, pairs[i].name);
        for (size_t k = i; k < n; k++)
            if (strcmp(pairs[k].name, pairs[i].name) == 0)
                json_str(w, NULL, pairs[k].text);
        json_end(w);
    }
    json_end(w);
}

static void write_call(struct json_writer *w, const struct cassette_step *s)
{
    struct buf line;
    buf_init(&line, 0);
    json_str_opt(w, "method", s->method);
    if (s->actor)
        json_str(w, "as", s->actor);
    else
        json_null(w, "as");
    buf_printf(&line, "%s %s", s->verb, s->path);
    json_str(w, "call", buf_str(&line));
    buf_done(&line);
    write_pairs(w, "query", s->query, s->n_query);
    write_pairs(w, "headers", s->headers, s->n_headers);
    if (s->send)
        json_value(w, "send", s->send);
    if (!s->n_expect_headers && !s->expect_body) {
        json_int(w, "expect", s->status);
        return;
    }
    json_obj(w, "expect");
    json_int(w, "status", s->status);
    write_pairs(w, "headers", s->expect_headers, s->n_expect_headers);
    if (s->expect_body)
        json_value(w, "body", s->expect_body);
    json_end(w);
}

static void write_step(struct json_writer *w, const struct cassette *c,
                       const struct cassette_step *s)
{
    json_obj(w, NULL);
    json_str_opt(w, "id", s->id);
    json_str_opt(w, "note", s->note);
    if (s->n_rules) {
        json_arr(w, "rules");
        for (size_t i = 0; i < s->n_rules; i++)
            json_str(w, NULL, s->rules[i]);
        json_end(w);
    }
    if (!same_source(&s->source, &c->source))
        write_source(w, &s->source);
    if (s->only != c->only)
        write_only(w, s->only);
    switch (s->kind) {
    case STEP_CALL:
        write_call(w, s);
        break;
    case STEP_ADVANCE:
        write_span(w, "advance", s->advance_us);
        break;
    case STEP_SEED:
        json_value(w, "seed", s->seed);
        break;
    case STEP_RESET:
        json_bool(w, "reset", true);
        break;
    case STEP_REVOKE:
        json_str(w, "revoke", s->revoke);
        break;
    case STEP_OUTBOX:
        json_value(w, "outbox", s->outbox);
        break;
    }
    json_end(w);
}

static void write_all(struct json_writer *w, const struct cassette *c)
{
    json_obj(w, NULL);
    json_int(w, "cassette", CASSETTE_VERSION);
    json_str(w, "title", c->title);
    write_source(w, &c->source);
    write_only(w, c->only);
    write_world(w, &c->world);
    write_actors(w, c);
    json_bool_opt(w, "order", c->order);
    if (c->n_values) {
        json_obj(w, "let");
        for (size_t i = 0; i < c->n_values; i++)
            json_value(w, c->values[i].name, c->values[i].value);
        json_end(w);
    }
    if (c->n_matchers) {
        json_obj(w, "matchers");
        for (size_t i = 0; i < c->n_matchers; i++)
            json_value(w, c->matchers[i].name, c->matchers[i].value);
        json_end(w);
    }
    json_arr(w, "steps");
    for (size_t i = 0; i < c->n_steps; i++)
        write_step(w, c, &c->steps[i]);
    json_end(w);
    json_end(w);
}

void cassette_write(const struct cassette *c, struct buf *out)
{
    struct arena a;
    struct buf flat;
    struct json_writer w;
    const struct json *v;
    arena_init(&a, 0);
    json_start(&w, &flat);
    write_all(&w, c);
    if (!buf_failed(&flat) && json_parse(&a, flat.data, flat.len, NULL, &v, NULL) == 0)
        json_neat(out, v);
    else
        out->failed = true;
    buf_done(&flat);
    arena_done(&a);
}
