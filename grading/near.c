/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an assertion failed: what came closest and where it differs, if too few things match; what
 * matches, if too many do.
 */
#include "grading/judge_impl.h"

#define NEAR 3 /* that are shown */

struct near {
    const struct json *value;
    const char *title;
    size_t row; /* NO_ROW: of the state, or a call */
    int held, of;
};

struct nearest {
    struct episode *ep;
    const struct assertion *a;
    struct near list[NEAR];
    int n;
};

/* ---- how close ---- */

static int held(struct episode *ep, const struct assertion *a, const struct json *value)
{
    int n = 0;
    for (const struct condition *c = a->where; value && c; c = c->next)
        n += condition_holds(&ep->c, c, value);
    return n;
}

/* The side of a change of which more conditions hold: of one that is on both either one may. */
static const struct json *closer_side(struct episode *ep, const struct assertion *a,
                                      const struct row *row)
{
    return row->to && held(ep, a, row->to) >= held(ep, a, row->from) ? row->to : row->from;
}

static bool is_so(struct episode *ep, const struct predicate *p, const struct json *value)
{
    return !p || predicate_holds(&ep->c, p, value);
}

static void measure(struct episode *ep, const struct assertion *a, const struct row *row,
                    struct near *n)
{
    n->value = closer_side(ep, a, row);
    n->held = held(ep, a, n->value) + ((int)row->kind == (int)a->kind) +
              (a->consequences || !row->consequence);
    n->of = 2;
    for (const struct condition *c = a->where; c; c = c->next)
        n->of++;
    for (const struct expected_change *c = a->changes; row->kind == ROW_CHANGED && c;
         c = c->next, n->of++)
        n->held += episode_field_changed(ep, a, row, c->path) &&
                   is_so(ep, c->from, episode_field(ep, row->from, c->path)) &&
                   is_so(ep, c->to, episode_field(ep, row->to, c->path));
}

/* Where one belongs among the closest; NEAR: nowhere. Those as close that came first stay. */
static int place_among(const struct nearest *l, const struct near *one)
{
    int at = l->n;
    while (at > 0 && l->list[at - 1].held * one->of < one->held * l->list[at - 1].of)
        at--;
    return at;
}

static void put_at(struct nearest *l, int at, const struct near *one)
{
    for (int i = l->n < NEAR ? l->n : NEAR - 1; i > at; i--)
        l->list[i] = l->list[i - 1];
    l->list[at] = *one;
    l->n += l->n < NEAR;
}

/* A thing of the state, or a call. */
static int see_thing(void *arg, const struct json *value, size_t row)
{
    struct nearest *l = arg;
    struct near one = {.value = value, .row = row, .of = 0};
    one.held = held(l->ep, l->a, value);
    episode_asked(l->ep);
    for (const struct condition *c = l->a->where; c; c = c->next)
        one.of++;
    int at = one.held && one.held < one.of ? place_among(l, &one) : NEAR;
    if (at >= NEAR)
        return 0;
    if (l->a->kind == ASSERT_STATE) {
        one.title = l->ep->title ? arena_strdup(l->ep->kept, l->ep->title) : NULL;
        if (!(one.value = value_copy(l->ep->kept, value, l->ep->err)))
            return -1;
    }
    put_at(l, at, &one);
    return 0;
}

static int see_all(struct nearest *l)
{
    struct episode *ep = l->ep;
    if (l->a->kind == ASSERT_STATE)
        return episode_each_state(ep, l->a, NULL, see_thing, l);
    for (uint32_t i = 0; l->a->kind == ASSERT_CALLS && ep->calls && i < ep->calls->n; i++)
        see_thing(l, &ep->calls->items[i], NO_ROW);
    for (size_t i = 0; l->a->kind <= ASSERT_CHANGED && i < ep->n; i++) {
        struct near one = {.row = i};
        if (strcmp(ep->rows[i].entity, l->a->entity) != 0)
            continue;
        bool fit = episode_fits(ep, l->a, &ep->rows[i]) == FIT;
        if (!fit)
            measure(ep, l->a, &ep->rows[i], &one);
        episode_asked(ep);
        int at = fit ? NEAR : place_among(l, &one);
        if (at < NEAR)
            put_at(l, at, &one);
    }
    return 0;
}

/* ---- where it differs ---- */

/* What was asked for, with what variables stood for. */
static void write_expected(struct episode *ep, struct json_writer *w, const struct predicate *p)
{
    const struct json *source = predicate_source(p), *put = variables_put(&ep->c, source);
    const char *name = ep->c.loose ? NULL : json_get_str(source, "var");
    for (size_t i = 0; name && source->n == 1 && i < ep->c.variables.n; i++)
        if (strcmp(ep->c.variables.list[i].name, name) == 0)
            put = ep->c.variables.list[i].value;
    json_value(w, "expected", put ? put : source);
}

static void write_miss(struct episode *ep, struct json_writer *w, const char *path,
                       const struct predicate *expected, const struct json *found)
{
    json_obj(w, NULL);
    json_str(w, "field", path);
    if (expected)
        write_expected(ep, w, expected);
    if (found)
        json_value(w, "found", found);
    else
        json_null(w, "found");
    json_end(w);
}

static void write_why(struct json_writer *w, const char *field, const char *why)
{
    json_obj(w, NULL);
    json_str(w, "field", field);
    json_str(w, "why", why);
    json_end(w);
}

/* What is at a path, or in front of its first "*". */
static const struct json *found_at(struct episode *ep, const struct json *value, const char *path)
{
    const char *star = ep->c.loose ? NULL : strchr(path, '*');
    size_t n = star && star > path && star[-1] == '.' ? (size_t)(star - path) - 1 : 0;
    if (star && (star == path || n))
        path = n ? arena_memdup(ep->c.arena, path, n) : "";
    return arena_failed(ep->c.arena) ? NULL : value_at_path(value, path, ep->c.loose);
}

static void write_changes(struct episode *ep, const struct assertion *a, const struct row *row,
                          struct json_writer *w)
{
    for (const struct expected_change *c = a->changes; row->kind == ROW_CHANGED && c; c = c->next) {
        const struct json *from = episode_field(ep, row->from, c->path),
                          *to = episode_field(ep, row->to, c->path);
        if (!episode_field_changed(ep, a, row, c->path) || !is_so(ep, c->to, to))
            write_miss(ep, w, c->path, c->to, to);
        else if (!is_so(ep, c->from, from))
            write_miss(ep, w, c->path, c->from, from);
    }
    if (row->kind == ROW_CHANGED && a->kind == ASSERT_CHANGED && a->strict) {
        const char *field = episode_changed_too(ep, a, row);
        if (field)
            write_why(w, field, "changed too");
    }
    if (row->consequence && !a->consequences)
        write_why(w, "consequences",
                  "follows from another change, which counts with consequences: true");
}

/* Which thing it is: a change by its name, of others what they have for one. */
static void write_thing(struct episode *ep, const struct near *one, struct json_writer *w)
{
    const struct row *row = one->row == NO_ROW ? NULL : &ep->rows[one->row];
    const char *id = json_get_str(one->value, "id");
    if (row && row->change)
        json_str(w, "name", row->change->name);
    if (row)
        json_str(w, "change", change_words[row->kind]);
    if (row)
        return;
    if (json_get(one->value, "target")) {
        json_str_opt(w, "method", json_get_str(one->value, "method"));
        json_str_opt(w, "target", json_get_str(one->value, "target"));
        return;
    }
    json_str_opt(w, "id", id ? id : json_get_str(one->value, "ts"));
    json_str_opt(w, "title", one->title);
}

static void write_near(const struct nearest *l, struct json_writer *w)
{
    json_arr(w, "near");
    for (int i = 0; i < l->n; i++) {
        const struct near *one = &l->list[i];
        json_obj(w, NULL);
        write_thing(l->ep, one, w);
        json_arr(w, "differs");
        for (const struct condition *c = l->a->where; c; c = c->next)
            if (!condition_holds(&l->ep->c, c, one->value))
                write_miss(l->ep, w, c->path, c->predicate, found_at(l->ep, one->value, c->path));
        if (one->row != NO_ROW)
            write_changes(l->ep, l->a, &l->ep->rows[one->row], w);
        json_end(w);
        json_end(w);
        episode_asked(l->ep);
    }
    json_end(w);
}

/* ---- what matches ---- */

struct matched {
    struct episode *ep;
    struct json_writer *w;
    int n;
};

static int write_match(void *arg, const struct json *value, size_t row)
{
    struct matched *m = arg;
    const struct near one = {
        .value = value, .row = row, .title = row == NO_ROW ? m->ep->title : NULL};
    json_obj(m->w, NULL);
    write_thing(m->ep, &one, m->w);
    json_end(m->w);
    return ++m->n == NEAR;
}

int episode_near(struct episode *ep, const struct assertion *a, bool too_many,
                 struct json_writer *w)
{
    struct nearest l = {.ep = ep, .a = a};
    struct matched m = {.ep = ep, .w = w};
    if (a->kind > ASSERT_CALLS)
        return 0;
    if (too_many) {
        json_arr(w, "matched");
        int rc = episode_matches(ep, a, write_match, &m);
        json_end(w);
        return rc < 0 ? -1 : 0;
    }
    if (see_all(&l) < 0)
        return -1;
    if (l.n)
        write_near(&l, w);
    return 0;
}
