/* SPDX-License-Identifier: Apache-2.0 */
#include "grading/deeds.h"
#include "engine/base/codec.h"
#include "engine/base/map.h"
#include "engine/json/build.h"
#include "engine/replay/replay.h"
#include "grading/predicate.h"
#include <stdlib.h>

#define MAX_DEEDS   1000   /* as many states as a world usually keeps */
#define MAX_EFFECTS 100000 /* of all of them */
#define MAX_AGAIN   5000   /* calls that run again where a state is not kept */

struct reading {
    struct sosia_engine *e;
    uint64_t world;
    const struct calls_kept *kept;
    const struct changes *whole;
    struct arena *arena;
    struct sosia_err *err;
    struct deeds *deeds;
    struct step *steps; /* what each entry led to */
    size_t cap;
    int64_t again;   /* how many more may run again */
    struct tree now; /* the state that the whole leads to */
    struct map rows; /* changes of the whole, by name and by row */
    size_t n_effects;
};

/* ---- which entries changed something ---- */

static bool is_state(const struct tree *a, const struct tree *b)
{
    return a->root == b->root && a->base == b->base;
}

/* The state that an entry led to, by running what leads there again. 1; 0: there is no way; -1. */
static int run_again(struct reading *r, int64_t seq, struct step *ret)
{
    uint64_t fork;
    r->again -= seq - r->kept->after; /* no more than those of the episode */
    if (r->again < 0)
        return 0;
    if (replay_fork(r->e, r->world, seq, NULL, &fork_unlisted, &fork, r->err) < 0)
        return r->err->code == SOSIA_E_NO_MEMORY ? -1 : 0;
    struct world *w = world_take(r->e, fork, r->err);
    if (w) {
        world_step_now(w, ret);
        world_drop(w);
    }
    sosia_world_drop(r->e, fork, NULL);
    return w ? 1 : -1;
}

static bool is_nothing(const char *state)
{
    return !state || strspn(state, "0") == strlen(state);
}

/* The state that an entry led to. 1; 0: it is the one before; 2: it is not known; -1. */
static int state_of(struct reading *r, int64_t seq, const struct json *entry, struct step *ret)
{
    struct world *w = world_take(r->e, r->world, r->err);
    if (!w)
        return -1;
    bool kept = world_step_of(w, seq, ret);
    world_drop(w);
    if (kept)
        return 1;
    if (is_nothing(json_get_str(entry, "state")))
        return 0;
    int rc = run_again(r, seq, ret);
    return rc ? rc : 2;
}

/* *ret NULL: it is not a call, or one that only reads. */
static int call_of(struct reading *r, const struct json *entry, const struct json **ret)
{
    struct json_writer w;
    struct buf b;
    *ret = NULL;
    if (!json_get(entry, "request") || !json_get(entry, "state"))
        return 0;
    json_start(&w, &b);
    call_write(r->arena, &w, entry);
    int rc = buf_failed(&b) ? sosia_fail_memory(r->err)
                            : json_parse(r->arena, buf_str(&b), b.len, NULL, ret, r->err);
    buf_done(&b);
    return rc;
}

/* 0; 1: that is all, or as much as can be known; -1. */
static int add_entry(struct reading *r, const struct json *entry)
{
    struct deeds *d = r->deeds;
    struct step step;
    int64_t seq = json_get_int(entry, "seq", 0);
    int rc = state_of(r, seq, entry, &step);
    if (rc <= 0)
        return rc;
    if (rc == 2 || d->n == MAX_DEEDS) {
        d->missing = rc == 2 ? "stepsNotKept" : "tooManyCalls";
        if (rc == 1)
            step_done(&step);
        return 1;
    }
    if (d->n == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : 32;
        struct deed *list = arena_calloc(r->arena, cap, sizeof *list);
        struct step *steps = realloc(r->steps, cap * sizeof *steps);
        r->steps = steps ? steps : r->steps;
        if (!steps || arena_failed(r->arena)) {
            step_done(&step);
            return sosia_fail_memory(r->err);
        }
        if (d->n)
            memcpy(list, d->list, d->n * sizeof *list);
        d->list = list;
        r->cap = cap;
    }
    r->steps[d->n] = step;
    d->list[d->n].seq = seq;
    if (call_of(r, entry, &d->list[d->n++].call) < 0)
        return -1;
    /* Others may have gone on since the whole was found. */
    return is_state(&step.tree, &r->now);
}

static int read_entries(struct reading *r)
{
    struct sosia_journal_query query = {.limit = 1000, .after = r->kept->after};
    int64_t next;
    int rc = 0;
    do {
        const struct json *entries;
        struct sosia_blob page;
        struct arena own;
        if (sosia_journal_find(r->e, r->world, &query, &page, &next, r->err) < 0)
            return -1;
        arena_init(&own, 0);
        rc = json_parse(&own, page.data, page.len, NULL, &entries, r->err);
        for (uint32_t i = 0; rc == 0 && i < entries->n; i++)
            rc = add_entry(r, &entries->items[i]);
        arena_done(&own);
        sosia_blob_free(&page);
        query.after = next;
    } while (rc == 0 && next);
    return rc < 0 ? -1 : 0;
}

/* ---- whether an effect lasts ---- */

static const struct json *at(const struct json *value, const char *path)
{
    return value ? value_at_path(value, path, false) : NULL;
}

/* What an item of a list is known by: the member that names it, or all of it. */
static const struct json *mark_of(const struct json *item)
{
    static const char *const names[] = {"id", "email", "emailAddress", "name"};
    for (size_t i = 0; item->type == JSON_OBJECT && i < SOSIA_LEN(names); i++)
        if (json_get(item, names[i]))
            return json_get(item, names[i]);
    return item;
}

/* at: where it is likely to be. */
static const struct json *same_item(const struct json *list, const struct json *item, uint32_t at)
{
    if (list && list->type == JSON_ARRAY && at < list->n &&
        json_same(mark_of(&list->items[at]), mark_of(item)))
        return &list->items[at];
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (json_same(mark_of(&list->items[i]), mark_of(item)))
            return &list->items[i];
    return NULL;
}

/* Of a value that was `before` when something else was made of it, and is changed by the whole from
 * `first` to `last`: it did not go back to what it was. */
static bool value_lasts(const struct json *before, const struct json *first,
                        const struct json *last)
{
    return !json_same(first, last) && !json_same(before, last);
}

#define MAX_ITEMS 100 /* of lists that are looked at item by item */

static bool list_lasts(const struct json *from, const struct json *to, const struct json *first,
                       const struct json *last)
{
    const struct json *const sides[] = {from, to};
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; sides[side] && i < sides[side]->n; i++) {
            const struct json *item = &sides[side]->items[i], *was = same_item(from, item, i);
            if (!json_same(was, same_item(to, item, i)) &&
                value_lasts(was, same_item(first, item, i), same_item(last, item, i)))
                return true;
        }
    }
    return false;
}

static bool is_list(const struct json *v)
{
    return !v || (v->type == JSON_ARRAY && v->n <= MAX_ITEMS);
}

static bool field_lasts(const struct change_field *f, const struct change *whole)
{
    const struct json *first = at(whole->from, f->path), *last = at(whole->to, f->path);
    if ((f->from || f->to) && is_list(f->from) && is_list(f->to) && is_list(first) && is_list(last))
        return list_lasts(f->from, f->to, first, last);
    return value_lasts(f->from, first, last);
}

static const char *row_key(struct arena *a, const struct change *c)
{
    return arena_printf(a, "%s %lld", c->entity->name, (long long)c->rowid);
}

/* The changes of the whole by name, and by the row that they are of. */
static int map_whole(struct reading *r)
{
    for (size_t i = 0; i < r->whole->n; i++) {
        struct change *c = &r->whole->list[i];
        const char *key = row_key(r->arena, c);
        if (arena_failed(r->arena) || map_set(&r->rows, c->name, c) < 0 ||
            map_set(&r->rows, key, c) < 0)
            return sosia_fail_memory(r->err);
    }
    return 0;
}

/* Which change of the whole is of the same thing; -1: none. A name may change while a thing is
 * there, but what was there and is not can have left its place to something else. */
static int64_t find_row(struct reading *r, const struct change *c, const char *key)
{
    const struct change *found = map_get(&r->rows, c->name);
    if (!found && c->kind == ROW_CHANGED)
        found = map_get(&r->rows, key);
    return found ? found - r->whole->list : -1;
}

static bool lasts(const struct change *c, const struct change *whole)
{
    bool same = c->kind == whole->kind || whole->kind == ROW_CHANGED;
    if (c->kind != ROW_CHANGED)
        return same;
    for (size_t i = 0; i < c->n_fields; i++)
        if (field_lasts(&c->fields[i], whole))
            return true;
    return false;
}

static int compare(struct reading *r, const struct tree *from, size_t i)
{
    struct deed *deed = &r->deeds->list[i];
    struct changes d;
    int rc = changes_open_between(r->e, r->world, from, &r->steps[i].tree, r->whole->b.tx.now_us,
                                  &d, r->err);
    if (rc == 0) {
        struct effect *list = arena_calloc(r->arena, d.n + 1, sizeof *list);
        for (size_t k = 0; k < d.n && !arena_failed(r->arena); k++) {
            const struct change *c = &d.list[k];
            const char *key = row_key(r->arena, c);
            int64_t row = find_row(r, c, key);
            list[k] = (struct effect){.name = arena_strdup(r->arena, c->name),
                                      .key = key,
                                      .kind = c->kind,
                                      .row = row,
                                      .lasts = row >= 0 && lasts(c, &r->whole->list[row])};
        }
        deed->effects = list;
        deed->n = d.n;
        r->n_effects += d.n;
        if (arena_failed(r->arena))
            rc = sosia_fail_memory(r->err);
    }
    changes_close(&d);
    return rc;
}

/* Where only one thing was done, that did all of it. */
static int take_all(struct reading *r)
{
    const struct changes *whole = r->whole;
    struct effect *list = arena_calloc(r->arena, whole->n + 1, sizeof *list);
    if (arena_failed(r->arena))
        return sosia_fail_memory(r->err);
    for (size_t i = 0; i < whole->n; i++)
        list[i] = (struct effect){.name = whole->list[i].name,
                                  .kind = whole->list[i].kind,
                                  .row = (int64_t)i,
                                  .lasts = true};
    r->deeds->list[0].effects = list;
    r->deeds->list[0].n = whole->n;
    return 0;
}

/* ---- strays ---- */

/* What is known of those that come later. */
struct later {
    struct map gone;  /* names of what they took away where they added something */
    struct map names; /* of what they changed, by the row: the name that it has then */
};

/* Whether what an effect was on was taken away by one that added what is there now, or leads there;
 * or has another name. */
static bool goes_on(const struct later *l, const struct effect *e)
{
    const char *name = e->key ? map_get(&l->names, e->key) : NULL;
    return e->row < 0 && e->kind != ROW_REMOVED &&
           (map_get(&l->gone, e->name) || (name && strcmp(name, e->name) != 0));
}

static int add_later(struct later *l, const struct deed *deed)
{
    for (size_t k = 0; !deed->stray && k < deed->n; k++) {
        const struct effect *e = &deed->effects[k];
        if ((e->kind == ROW_REMOVED && deed->adds &&
             map_set(&l->gone, e->name, (void *)(uintptr_t)e) < 0) ||
            (e->kind == ROW_CHANGED && e->key &&
             map_set(&l->names, e->key, (void *)(uintptr_t)e->name) < 0))
            return -1;
    }
    return 0;
}

/* From the last to the first: a draft leads to the letter that was sent, and its first version to
 * the second one. */
static int find_strays(struct reading *r)
{
    struct deeds *d = r->deeds;
    struct later later;
    int rc = 0;
    d->of_row = arena_calloc(r->arena, r->whole->n + 1, sizeof *d->of_row);
    if (arena_failed(r->arena))
        return sosia_fail_memory(r->err);
    map_init(&later.gone);
    map_init(&later.names);
    for (size_t i = d->n; rc == 0 && i-- > 0;) {
        struct deed *deed = &d->list[i];
        bool belongs = !deed->call || !deed->n;
        for (size_t k = 0; k < deed->n; k++) {
            const struct effect *e = &deed->effects[k];
            bool on = e->lasts || goes_on(&later, e);
            belongs |= on;
            deed->adds |= on && e->kind == ROW_ADDED;
            if (e->lasts && !d->of_row[e->row])
                d->of_row[e->row] = deed;
        }
        deed->stray = !belongs;
        rc = add_later(&later, deed);
    }
    map_done(&later.gone);
    map_done(&later.names);
    return rc < 0 ? sosia_fail_memory(r->err) : 0;
}

/* The state that the first of them began with. */
static int first_state(struct reading *r, struct step *ret)
{
    struct world *w = world_take(r->e, r->kept->since ? r->kept->since : r->world, r->err);
    if (!w)
        return -1;
    if (r->kept->since)
        world_step_now(w, ret);
    else
        world_step_start(w, ret);
    world_drop(w);
    return 0;
}

int deeds_read(struct sosia_engine *e, uint64_t to, const struct calls_kept *kept,
               const struct changes *whole, struct arena *a, struct deeds *ret,
               struct sosia_err *err)
{
    struct reading r = {.e = e,
                        .world = to,
                        .kept = kept,
                        .whole = whole,
                        .arena = a,
                        .err = err,
                        .deeds = ret,
                        .again = MAX_AGAIN,
                        .now = whole->b.world.now};
    struct step first;
    *ret = (struct deeds){0};
    map_init(&r.rows);
    int rc = read_entries(&r);
    if (rc == 0 && ret->n)
        rc = map_whole(&r);
    if (rc == 0 && ret->n && (rc = first_state(&r, &first)) == 0) {
        bool alone = ret->n == 1 && is_state(&first.tree, &whole->a.world.now) &&
                     is_state(&r.steps[0].tree, &r.now);
        if (alone)
            rc = take_all(&r);
        for (size_t i = 0; rc == 0 && !alone && i < ret->n && r.n_effects <= MAX_EFFECTS; i++)
            rc = compare(&r, i ? &r.steps[i - 1].tree : &first.tree, i);
        if (r.n_effects > MAX_EFFECTS)
            ret->missing = "tooManyCalls";
        step_done(&first);
    }
    if (rc == 0)
        rc = find_strays(&r);
    map_done(&r.rows);
    for (size_t i = 0; i < ret->n; i++)
        step_done(&r.steps[i]);
    free(r.steps);
    return rc;
}
