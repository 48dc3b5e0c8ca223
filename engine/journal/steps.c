/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/journal/steps.h"
#include "engine/store/delta.h"
#include <stdlib.h>
#include <string.h>

/* Of so many steps that were gone back through one gets its tree, so that a reader of all of them
 * does not go the whole way for each; and so does one to which so many commits lead. */
#define REST 32

void step_done(struct step *s)
{
    tree_done(&s->tree);
    delta_unref(s->back);
    s->back = NULL;
}

void step_copy(const struct step *from, struct step *ret)
{
    *ret = *from;
    if (from->tree.base)
        tree_fork(&from->tree, &ret->tree);
    delta_ref(ret->back);
}

void steps_done(struct steps *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        step_done(&s->list[s->first + i]);
    free(s->list);
    *s = (struct steps){0};
}

static bool steps_room(struct steps *s)
{
    if (s->first + s->n < s->cap)
        return true;
    if (s->first > s->cap / 2) {
        memmove(s->list, s->list + s->first, s->n * sizeof *s->list);
        s->first = 0;
        return true;
    }
    uint32_t cap = s->cap ? s->cap * 2 : 8;
    struct step *list = realloc(s->list, cap * sizeof *list);
    if (!list)
        return false;
    s->list = list;
    s->cap = cap;
    return true;
}

void steps_drop_oldest(struct steps *s)
{
    s->bytes -= s->list[s->first].bytes;
    step_done(&s->list[s->first]);
    s->first = --s->n ? s->first + 1 : 0;
    s->open = s->open && s->n;
}

struct step *steps_newest(const struct steps *s)
{
    return s->n ? &s->list[s->first + s->n - 1] : NULL;
}

static void drop_newest(struct steps *s)
{
    struct step *last = steps_newest(s);
    s->bytes -= last->bytes;
    step_done(last);
    s->n--;
    s->open = false;
}

/* Those to which no way leads any more, as the newest one has no tree. */
static void lose(struct steps *s)
{
    while (s->n && !steps_newest(s)->tree.base)
        drop_newest(s);
    s->open = false;
}

static void set_bytes(struct steps *s, struct step *step, uint64_t bytes)
{
    s->bytes += bytes - step->bytes;
    step->bytes = bytes;
}

void steps_append(struct steps *s, struct step *step)
{
    if (!steps_room(s)) {
        step_done(step);
        lose(s);
        return;
    }
    s->bytes += step->bytes;
    s->list[s->first + s->n++] = *step;
}

void steps_go_on(struct steps *s, const struct steps *from)
{
    const struct step *last = steps_newest(s);
    s->open = from->open && last && !last->tree.base;
    s->version = from->version;
    s->commits = from->commits;
}

/* The newest one's tree gives way to what leads to it from another. */
static void pack(struct steps *s, const struct tree *now)
{
    struct step *last = steps_newest(s);
    if (!last || !last->tree.base)
        return;
    struct delta *back = delta_new(last->tree.base->store, &last->tree, now, 0);
    if (!back)
        return; /* it keeps its tree */
    delta_unref(last->back);
    last->back = back;
    tree_done(&last->tree);
    set_bytes(s, last, delta_size(back));
}

void steps_add(struct steps *s, struct step *step, const struct tree *now, uint64_t version)
{
    bool open = !step->tree.base;
    if (s->open && (!open || s->version != version))
        lose(s);
    if (!steps_room(s)) {
        steps_settle(s, now, version);
        step_done(step);
        return;
    }
    pack(s, now);
    s->bytes += step->bytes;
    s->list[s->first + s->n++] = *step;
    s->open = open;
    s->commits = 0;
    s->version = version;
}

void steps_went_on(struct steps *s, struct delta *back, const struct tree *now, uint64_t from,
                   uint64_t to)
{
    if (!s->open) {
        delta_unref(back);
        return;
    }
    if (!back || s->version != from) {
        delta_unref(back);
        lose(s);
        return;
    }
    struct step *last = steps_newest(s);
    uint64_t more = delta_size(back);
    delta_link(back, last->back);
    last->back = back;
    set_bytes(s, last, last->bytes + more);
    s->version = to;
    if (++s->commits >= REST)
        steps_settle(s, now, to);
}

static int count_page(void *arg, uint32_t page, const uint8_t *a, const uint8_t *b)
{
    (void)page;
    (void)b;
    *(uint64_t *)arg += a ? STORE_PAGE_SIZE : 0;
    return 0;
}

/* A tree that was made on the way back stays with its step: it counts what it has in memory that
 * the one behind it does not have. */
static void rest_at(struct steps *s, struct step *at, const struct tree *behind)
{
    uint64_t more = 0;
    tree_diff(&at->tree, behind, count_page, &more);
    set_bytes(s, at, at->bytes + more);
}

/* The tree of list[first + i], by way of the next one that has its own. False: there is none, or
 * no memory. */
static bool resolve(struct steps *s, uint32_t i, struct tree *ret)
{
    struct step *list = s->list + s->first;
    struct rewind r;
    uint32_t k = i, gone = 0;
    while (k < s->n && !list[k].tree.base)
        k++;
    if (k == s->n)
        return false;
    struct store *store = list[k].tree.base->store;
    enum sosia_code code = SOSIA_E_OK;
    const struct tree *from = &list[k].tree;
    rewind_begin(&r, store, from);
    while (k > i && !code) {
        struct step *one = &list[--k];
        code = rewind_by(&r, one->back);
        if (k > i && ++gone % REST == 0 && !code) {
            rewind_end(&r, &one->tree);
            rest_at(s, one, from);
            from = &one->tree;
            rewind_begin(&r, store, from);
        }
    }
    rewind_end(&r, ret);
    if (code)
        tree_done(ret);
    return !code;
}

void steps_settle(struct steps *s, const struct tree *now, uint64_t version)
{
    struct step *last = steps_newest(s);
    struct rewind r;
    if (!s->open)
        return;
    if (s->version != version || !now->base) {
        lose(s);
        return;
    }
    rewind_begin(&r, now->base->store, now);
    enum sosia_code code = rewind_by(&r, last->back);
    rewind_end(&r, &last->tree);
    s->open = false;
    if (code) {
        tree_done(&last->tree);
        lose(s);
        return;
    }
    delta_unref(last->back);
    last->back = NULL;
}

void steps_cut(struct steps *s, int64_t seq)
{
    struct step *list = s->list + s->first;
    uint32_t left = s->n;
    while (left && list[left - 1].seq > seq)
        left--;
    if (left && left < s->n && !list[left - 1].tree.base)
        (void)resolve(s, left - 1, &list[left - 1].tree);
    while (s->n > left)
        drop_newest(s);
    lose(s);
    steps_end(s);
}

void steps_end(struct steps *s)
{
    struct step *last = steps_newest(s);
    if (!last)
        return;
    delta_unref(last->back);
    last->back = NULL;
    set_bytes(s, last, 0);
}

bool steps_find(struct steps *s, int64_t seq, struct step *ret, bool *known)
{
    const struct step *list = s->list + s->first;
    uint32_t from = 0, to = s->n;
    struct tree tree;
    while (from < to) {
        uint32_t mid = from + (to - from) / 2;
        if (list[mid].seq <= seq)
            from = mid + 1;
        else
            to = mid;
    }
    *known = from > 0;
    if (!from || !resolve(s, from - 1, &tree))
        return false;
    *ret = list[from - 1];
    ret->tree = tree;
    ret->back = NULL;
    return true;
}
