/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of items whose order begins with the time of modification, the first or the last before the
 * others, whatever keys follow. As many are taken from the index of that time as make a page
 * several times over, up to the end of a millisecond, and these are sorted; if they do not fill the
 * page more are taken. So a page costs by what is on it, while all that others gave is looked at
 * for each.
 */
#include "services/drive/core/find/find_impl.h"

bool find_is_by_time(const struct drive_finder *f, const char *position)
{
    return f->n_order && f->order[0].key == ORDER_MODIFIED && f->scope != SCOPE_DOMAIN &&
           !find_counts(position) && !find_narrows(f->question);
}

#define WINDOW(term, way)                                                                          \
    SQL_TEXT("select id, modified_us from drive_item where " term                                  \
             " = :of and modified_us >= :low and modified_us <= :high order by modified_us" way    \
             " limit :n")

/* Some of the index. */
struct window {
    struct sql_text *q;
    int64_t of, low, high;
    bool falling;
    bool whole;   /* there is nothing behind it */
    int64_t edge; /* the first millisecond that it may have in part */
};

static void open_window(struct finding *g, const char *position, const struct found *place,
                        struct window *w)
{
    static struct sql_text q_folder[] = {WINDOW("parent", ""), WINDOW("parent", " desc")},
                           q_drive[] = {WINDOW("drive", ""), WINDOW("drive", " desc")},
                           q_owner[] = {WINDOW("owner", ""), WINDOW("owner", " desc")};
    const struct drive_finder *f = g->f;
    const struct find *parent = find_term(f->question, FIND_PARENT);
    bool falling = f->order[0].falling;
    *w = (struct window){.low = g->low, .high = g->high, .falling = falling};
    w->q = parent                    ? &q_folder[falling]
           : f->scope == SCOPE_DRIVE ? &q_drive[falling]
                                     : &q_owner[falling];
    w->of = parent ? parent->id : f->scope == SCOPE_DRIVE ? f->drive : f->viewer->who->id;
    if (position && falling && place->keys[0] + 1000 < w->high)
        w->high = place->keys[0] + 1000;
    if (position && !falling && place->keys[0] - 1000 > w->low)
        w->low = place->keys[0] - 1000;
}

static int take_window(struct finding *g, struct window *w, size_t n, struct ids *ret)
{
    sqlite3_stmt *st = TX_QUERY(g->tx, w->q, w->of, w->low, w->high, (int64_t)n);
    int64_t last = 0;
    int r;
    if (!st)
        return -1;
    while ((r = TX_STEP(g->tx, st)) == 1) {
        last = sqlite3_column_int64(st, 1);
        find_add_id(g->tx->arena, ret, sqlite3_column_int64(st, 0));
    }
    w->whole = ret->n < n;
    w->edge = last - last % 1000;
    return r;
}

static bool is_within(const struct window *w, const struct drive_item *it)
{
    return w->whole || (w->falling ? it->modified_us >= w->edge + 1000 : it->modified_us < w->edge);
}

/* A window with what others gave, sorted; n of the window. */
static int load_window(struct finding *g, struct window *w, size_t n, const struct ids *others,
                       struct found **ret, size_t *ret_n)
{
    struct ids l = {0};
    size_t kept = 0;
    if (take_window(g, w, n, &l) < 0)
        return -1;
    for (size_t i = 0; i < others->n; i++)
        find_add_id(g->tx->arena, &l, others->list[i]);
    if (arena_failed(g->tx->arena))
        return sosia_fail_memory(g->tx->err);
    find_sort_ids(&l);
    if (find_load(g, &l, ret, ret_n) < 0)
        return -1;
    for (size_t i = 0; i < *ret_n; i++)
        if (is_within(w, &(*ret)[i].it))
            (*ret)[kept++] = (*ret)[i];
    *ret_n = kept;
    return find_sort(g->f, *ret, kept);
}

int find_by_time(struct finding *g, const char *position, struct drive_item *items,
                 struct drive_access *access, size_t limit, size_t *ret_n,
                 const char **ret_position)
{
    const struct drive_finder *f = g->f;
    struct window w;
    struct found place = {0}, *list = NULL;
    struct ids others = {0};
    size_t n = 0, from = 0;
    bool one = f->scope == SCOPE_DRIVE || find_term(f->question, FIND_PARENT);
    if ((position && find_read_place(f, position, &place) < 0) ||
        (!one && find_others(g, &others) < 0))
        return -1;
    open_window(g, position, &place, &w);
    for (size_t take = 4 * limit + 64;; take *= 64) {
        if (load_window(g, &w, take, &others, &list, &n) < 0 ||
            find_behind(f, list, n, position, &from) < 0)
            return -1;
        if (w.whole || n - from > limit)
            break;
    }
    size_t end = n - from > limit ? from + limit : n;
    for (size_t i = from; i < end; i++) {
        items[i - from] = list[i].it;
        access[i - from] = list[i].access;
    }
    *ret_n = end - from;
    if (end < n && end)
        *ret_position = find_place(f, list, end - 1);
    return 0;
}
