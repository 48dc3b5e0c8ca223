/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of items that match a question. In the usual order, modified last first, a list comes from
 * an index in that order: the content of a folder, of a shared drive, what a person owns beside
 * what is shared with them; of one type, of the trash, or of what others may see, if the question
 * says so. Where it has terms that narrow more (words, a name, a property, a star), all of that is
 * taken and sorted. What is found in any of these ways is looked at: it only has to include all
 * matches (find_narrow.c).
 */
#include "engine/store/row.h"
#include "services/drive/core/find/find_impl.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 64 };

/* ---- what belongs on the list ---- */

static int domain_finds(struct finding *g, int64_t item)
{
    if (!g->domain) {
        struct ids *l = arena_calloc(g->tx->arena, 1, sizeof *l);
        if (arena_failed(g->tx->arena))
            return sosia_fail_memory(g->tx->err);
        if (find_others(g, l) < 0)
            return -1;
        g->domain = l;
    }
    return find_has(g->domain, item);
}

/* Whether it is in a space that is listed, and in the scope; the viewer's access is known. */
static int in_scope(struct finding *g, const struct drive_item *it,
                    const struct drive_access *access)
{
    const struct drive_finder *f = g->f;
    if (it->top)
        return 0;
    if (it->space ? !f->in_app || it->space != f->app : !f->in_drive)
        return 0;
    if (!it->space && !drive_is_made_by(it, f->made_by))
        return 0;
    if (g->other_vendors) {
        const struct drive_vendor *vendor = drive_vendor_of(g->tx, it);
        if (vendor != f->vendor)
            return vendor ? 0 : -1;
    }
    if (f->scope == SCOPE_DRIVE)
        return it->drive == f->drive;
    if (it->drive && !f->shared_drives)
        return 0;
    if (f->scope == SCOPE_DOMAIN)
        return domain_finds(g, it->id);
    if ((it->owner && it->owner == f->viewer->who->id) || !access->link)
        return 1;
    if (!f->viewer->who->id) /* nobody opened anything: they have the link of its folder */
        return g->of_folder;
    /* a link counts for those who opened it */
    return find_mine(g, it) < 0 ? -1 : g->mine.viewed_us || g->mine.shared_us;
}

/* Where something was deleted and has rows yet: 1, 0 the item is part of that, -1. */
static int is_there(struct finding *g, int64_t id)
{
    struct drive_node node;
    int r = drive_node(g->tx, id, &node);
    int gone = r == 1 ? drive_is_seen_gone(g->f->viewer, id, node.parent) : 0;
    return gone < 0 ? -1 : r == 1 && !gone;
}

int find_look_at(struct finding *g, int64_t id, struct drive_item *ret,
                 struct drive_access *ret_access)
{
    int r = g->any_gone ? is_there(g, id) : 1;
    if (r == 1)
        r = drive_item_row(g->tx, id, ret);
    if (r != 1)
        return r;
    if (g->f->question && find_differs(g, g->f->question, ret))
        return 0;
    if (drive_role(g->f->viewer, ret, ret_access) < 0)
        return -1;
    if (ret_access->role == ROLE_NONE)
        return 0;
    r = in_scope(g, ret, ret_access);
    return r == 1 && g->f->question ? find_matches(g, g->f->question, ret, ret_access) : r;
}

/* ---- pages ---- */

struct page {
    struct drive_item *items;
    struct drive_access *access;
    size_t n, limit;
};

static bool page_add(struct page *p, const struct drive_item *it, const struct drive_access *access)
{
    if (p->n == p->limit)
        return false;
    p->items[p->n] = *it;
    p->access[p->n++] = *access;
    return true;
}

/* A place in the usual order: modified_us falling, id rising. */
struct place {
    int64_t at, id;
};

static bool is_behind(struct place x, struct place p)
{
    return x.at < p.at || (x.at == p.at && x.id > p.id);
}

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return is_behind(*x, *y) - is_behind(*y, *x);
}

/* Behind a place: first what is as old, since that may be all of it. */
struct stream_sql {
    struct sql_text as_old, older;
};

/* Items in the usual order: of a folder, a drive, an owner from an index, or a list. */
struct stream {
    struct stream_sql *sql; /* of an index */
    int64_t of;
    const char *mime; /* those of this media type; NULL: all */
    struct place at;
    struct place *places, batch[BATCH];
    size_t n, next;
    enum { EVERYBODYS, OWN, OTHERS } whose;
    bool end; /* nothing comes after what is here */
};

#define STREAM(terms)                                                                              \
    {                                                                                              \
        SQL_TEXT("select id, modified_us, parent from drive_item where " terms                     \
                 " and modified_us = :at "                                                         \
                 "and id > :id order by id limit :n"),                                             \
            SQL_TEXT("select id, modified_us, parent from drive_item where " terms                 \
                     " and modified_us < :at "                                                     \
                     "order by modified_us desc, id limit :n"),                                    \
    }
#define TYPED " and mime = :mime collate nocase"
static struct stream_sql q_folder = STREAM("parent = :of"),
                         q_folder_type = STREAM("parent = :of" TYPED),
                         q_owner = STREAM("owner = :of"),
                         q_owner_type = STREAM("owner = :of" TYPED),
                         q_drive = STREAM("drive = :of");

enum { PASSED = 65536 }; /* items that are gone, in a read */

/* Adds what is as old as the place, or older, but for what is gone. 1: there may be more. */
static int stream_add(struct finding *g, struct stream *s, bool as_old, struct place from)
{
    struct tx *tx = g->tx;
    struct sql_text *q = as_old ? &s->sql->as_old : &s->sql->older;
    int64_t left = g->any_gone ? PASSED : (int64_t)(BATCH - s->n);
    struct sql_value of = sql_of_int(s->of), at = sql_of_int(from.at), id = sql_of_int(from.id),
                     n = sql_of_int(left);
    sqlite3_stmt *st = s->mime  ? (as_old ? TX_QUERY(tx, q, of, s->mime, at, id, n)
                                          : TX_QUERY(tx, q, of, s->mime, at, n))
                       : as_old ? TX_QUERY(tx, q, of, at, id, n)
                                : TX_QUERY(tx, q, of, at, n);
    int r;
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        s->at = (struct place){sqlite3_column_int64(st, 1), sqlite3_column_int64(st, 0)};
        left--;
        int gone = g->any_gone
                       ? drive_is_seen_gone(g->f->viewer, s->at.id, sqlite3_column_int64(st, 2))
                       : 0;
        if (!gone)
            s->batch[s->n++] = s->at;
        if (gone < 0 || s->n == BATCH) {
            sql_done(st);
            return gone < 0 ? -1 : 1;
        }
    }
    return r < 0 ? -1 : left == 0;
}

static int stream_read(struct finding *g, struct stream *s)
{
    struct place from = s->at;
    int more = 0;
    s->places = s->batch;
    s->n = s->next = 0;
    if (from.at < INT64_MAX)
        more = stream_add(g, s, true, from);
    if (more == 0)
        more = stream_add(g, s, false, from);
    s->end = more == 0;
    return more < 0 ? -1 : 0;
}

static int stream_peek(struct finding *g, struct stream *s, struct place *ret)
{
    while (s->next == s->n && !s->end)
        if (stream_read(g, s) < 0)
            return -1;
    if (s->next == s->n)
        return 0;
    *ret = s->places[s->next];
    return 1;
}

/* The places of items in the usual order; deleted ones are left out. */
static int places_of(struct tx *tx, const struct ids *l, struct place **ret, size_t *ret_n)
{
    static struct row_table table = ROW_TABLE("drive_item", "i", "modified_us");
    struct place *list = arena_alloc(tx->arena, (l->n + 1) * sizeof *list);
    size_t n = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < l->n; i++) {
        struct record row = {.arena = tx->arena};
        int r = ROW_BY_ID(tx, &table, l->list[i], &row);
        if (r < 0)
            return -1;
        if (r == 1)
            list[n++] = (struct place){.id = l->list[i], .at = record_int(&row, 0)};
    }
    if (n)
        qsort(list, n, sizeof *list, by_place);
    *ret = list;
    *ret_n = n;
    return 0;
}

/* A list from a place on. */
static int stream_of(struct tx *tx, const struct ids *l, struct place from, struct stream *ret)
{
    ret->end = true;
    if (places_of(tx, l, &ret->places, &ret->n) < 0)
        return -1;
    for (ret->next = 0; ret->next < ret->n && !is_behind(ret->places[ret->next], from);)
        ret->next++;
    return 0;
}

/* Of some streams the one whose next item comes first: 1, 0 there is none, -1. */
static int nearest(struct finding *g, struct stream *list, size_t n, struct stream **ret)
{
    struct place first = {0}, one;
    *ret = NULL;
    for (size_t i = 0; i < n; i++) {
        int r = stream_peek(g, &list[i], &one);
        if (r < 0)
            return -1;
        if (r && (!*ret || is_behind(first, one))) {
            first = one;
            *ret = &list[i];
        }
    }
    return *ret != NULL;
}

static bool belongs(const struct finding *g, const struct stream *s, const struct drive_item *it)
{
    bool own = it->owner && it->owner == g->f->viewer->who->id;
    if (s->whose == OTHERS && it->drive && g->drives && find_has(g->drives, it->drive))
        return false; /* it is in the drive's own stream */
    return s->whose == EVERYBODYS || own == (s->whose == OWN);
}

/* The rest of a list, from its streams. */
static int fill_page(struct finding *g, struct stream *list, size_t n, struct page *p,
                     const char **ret_position)
{
    struct stream *s;
    struct drive_item it;
    struct drive_access access;
    int r;
    while ((r = nearest(g, list, n, &s)) == 1) {
        if (s->places[s->next].at < g->low) /* so are all behind it */
            return 0;
        r = find_look_at(g, s->places[s->next++].id, &it, &access);
        if (r < 0)
            return -1;
        if (!r || !belongs(g, s, &it) || page_add(p, &it, &access))
            continue;
        if (p->n)
            *ret_position = arena_printf(g->tx->arena, "m%" PRId64 ".%" PRId64,
                                         p->items[p->n - 1].modified_us, p->items[p->n - 1].id);
        return 0;
    }
    return r;
}

static int read_place(struct finding *g, const char *position, struct place *ret)
{
    struct place first = {g->high, g->high < INT64_MAX ? INT64_MAX : 0};
    *ret = first;
    if (!position)
        return 0;
    if (sscanf(position, "m%" SCNd64 ".%" SCNd64, &ret->at, &ret->id) != 2)
        return tx_fail(g->tx, SOSIA_E_INVALID, "position", NULL,
                       "this is not a position in a list");
    if (is_behind(first, *ret))
        *ret = first;
    return 0;
}

/* Where all matches have one media type: the stream of those alone, unless items that show it are
 * stored in more than one way. */
static int narrow_type(struct finding *g, struct stream *s, struct stream_sql *typed)
{
    const struct find *is = find_term(g->f->question, FIND_TYPE_IS);
    const char *types[FIND_TYPES];
    size_t n = is ? g->f->stored_types(is->text, types) : 0, used = 0;
    struct stream found = *s;
    for (size_t i = 0; i < n; i++) {
        struct stream one = *s;
        one.sql = typed;
        one.mime = types[i];
        if (stream_read(g, &one) < 0)
            return -1;
        bool any = one.n || !one.end;
        used += any;
        if (any || !i)
            found = one;
    }
    if (n && used < 2) {
        *s = found;
        s->places = s->batch;
    }
    return 0;
}

/* Of what somebody owns (or of a shared drive) a few that include all matches, where the question
 * or the space has a mark that an index knows: 1, 0 there is none or they are many, -1. */
static int few_of(struct finding *g, int64_t me, struct ids *ret)
{
    enum { MOST = 4096 };
    const struct drive_finder *f = g->f;
    const struct find *trashed = find_term(f->question, FIND_TRASHED),
                      *open = find_term(f->question, FIND_VISIBILITY),
                      *has = find_term(f->question, FIND_TYPE_HAS),
                      *reader = find_term(f->question, FIND_READER),
                      *given = reader ? reader : find_term(f->question, FIND_WRITER);
    int r = 0;
    if (me && !f->in_drive && f->in_app)
        r = find_in_app(g, MOST, ret);
    else if (trashed || (open && open->id != VISIBLE_LIMITED))
        r = find_marked(g, trashed ? FIND_TRASHED : FIND_VISIBILITY, me, f->drive, ret);
    else if (given && (!me || given->id != me)) /* what they own is beside it */
        r = find_given(g, given->text, MOST, ret);
    if (!r && me && has) {
        *ret = (struct ids){0};
        r = find_typed(g, has->text, me, MOST, ret);
    }
    return r;
}

/* What is in the usual order by itself, and with `beside` all that could match. */
static int open_stream(struct finding *g, struct place from, struct stream *ret)
{
    const struct drive_finder *f = g->f;
    const struct find *parent = find_term(f->question, FIND_PARENT);
    int64_t me = f->scope == SCOPE_DRIVE ? 0 : f->viewer->who->id;
    struct ids marked = {0};
    *ret = (struct stream){.sql = &q_owner, .of = me, .at = from};
    if (parent) {
        ret->sql = &q_folder;
        ret->of = parent->id;
        return narrow_type(g, ret, &q_folder_type);
    }
    if (f->scope == SCOPE_DRIVE) {
        ret->sql = &q_drive;
        ret->of = f->drive;
    } else if (f->scope == SCOPE_DOMAIN) {
        ret->end = true;
        return 0;
    }
    int r = few_of(g, me, &marked);
    if (r)
        return r < 0 ? -1 : stream_of(g->tx, &marked, from, ret);
    return me ? narrow_type(g, ret, &q_owner_type) : 0;
}

/* What is in a shared drive that the viewer is a member of. */
static int open_drive(struct finding *g, int64_t drive, struct place from, struct stream *ret)
{
    const struct find *trashed = find_term(g->f->question, FIND_TRASHED),
                      *open = find_term(g->f->question, FIND_VISIBILITY);
    struct ids marked = {0};
    *ret = (struct stream){.sql = &q_drive, .of = drive, .at = from};
    if (!trashed && (!open || open->id == VISIBLE_LIMITED))
        return 0;
    int r = find_marked(g, trashed ? FIND_TRASHED : FIND_VISIBILITY, 0, drive, &marked);
    return r == 1 ? stream_of(g->tx, &marked, from, ret) : r;
}

/* Opens a stream for each shared drive, behind the first two of the list. */
static int open_drives(struct finding *g, struct place from, struct stream **list, size_t *n)
{
    struct stream *all = arena_alloc(g->tx->arena, (2 + g->drives->n) * sizeof *all);
    if (arena_failed(g->tx->arena))
        return sosia_fail_memory(g->tx->err);
    memcpy(all, *list, 2 * sizeof *all);
    for (size_t i = 0; i < 2; i++)
        if (all[i].places == (*list)[i].batch)
            all[i].places = all[i].batch;
    for (size_t i = 0; i < g->drives->n; i++)
        if (open_drive(g, g->drives->list[i], from, &all[2 + i]) < 0)
            return -1;
    *list = all;
    *n = 2 + g->drives->n;
    return 0;
}

static int usual_order(struct finding *g, const char *position, struct page *p,
                       const char **ret_position)
{
    const struct drive_finder *f = g->f;
    const struct find *owner = find_term(f->question, FIND_OWNER);
    struct stream two[2] = {{0}, {.end = true}}, *list = two;
    struct ids given = {0}, drives = {0};
    struct place from;
    size_t n = 2;
    if (read_place(g, position, &from) < 0 || open_stream(g, from, &two[0]) < 0)
        return -1;
    bool one = f->scope == SCOPE_DRIVE || find_term(f->question, FIND_PARENT);
    bool mine = owner && owner->id == f->viewer->who->id;
    if (!one && f->scope != SCOPE_DOMAIN) {
        two[0].whose = OWN;
        two[1].whose = OTHERS;
        if (owner && !mine)
            two[0] = (struct stream){.end = true};
    }
    if (!one && f->in_drive && (!mine || f->scope == SCOPE_DOMAIN)) {
        g->drives = f->scope == SCOPE_DOMAIN ? NULL : &drives;
        if (find_others(g, &given) < 0 || stream_of(g->tx, &given, from, &two[1]) < 0 ||
            (drives.n && !owner && open_drives(g, from, &list, &n) < 0))
            return -1;
    }
    return fill_page(g, list, n, p, ret_position);
}

/* What a question narrows to, in the usual order: no more of it is looked at than a page needs. */
static int narrowed(struct finding *g, const char *position, struct page *p,
                    const char **ret_position)
{
    struct stream s = {0};
    struct ids l = {0};
    struct place from;
    if (read_place(g, position, &from) < 0 || find_narrow(g, g->f->question, &l) < 0)
        return -1;
    find_sort_ids(&l);
    return stream_of(g->tx, &l, from, &s) < 0 ? -1 : fill_page(g, &s, 1, p, ret_position);
}

int find_load(struct finding *g, const struct ids *l, struct found **ret, size_t *ret_n)
{
    struct found *list = arena_calloc(g->tx->arena, l->n + 1, sizeof *list);
    size_t n = 0;
    if (arena_failed(g->tx->arena))
        return sosia_fail_memory(g->tx->err);
    for (size_t i = 0; i < l->n; i++) {
        struct found *f = &list[n];
        int r = find_look_at(g, l->list[i], &f->it, &f->access);
        if (r < 0)
            return -1;
        if (!r)
            continue;
        n++;
        if (g->f->n_order) {
            if (find_mine(g, &f->it) < 0)
                return -1;
            f->mine = g->mine;
        }
    }
    *ret = list;
    *ret_n = n;
    return 0;
}

/* All that could match, when nothing narrows it and another order is requested. */
static int everything(struct finding *g, struct ids *l)
{
    static struct sql_text q_all_drive = SQL_TEXT("select id from drive_item where drive = :drive");
    static struct sql_text q_all_owner =
        SQL_TEXT("select id from drive_item where owner = :owner and modified_us >= :low and "
                 "modified_us <= :high");
    struct drive_finder *f = g->f;
    if (f->scope == SCOPE_DRIVE)
        return find_take(g->tx, TX_QUERY(g->tx, &q_all_drive, f->drive), l);
    if (find_others(g, l) < 0)
        return -1;
    return f->scope == SCOPE_DOMAIN
               ? 0
               : find_take(g->tx,
                           TX_QUERY(g->tx, &q_all_owner, f->viewer->who->id, g->low, g->high), l);
}

static int sorted(struct finding *g, const char *position, struct page *p,
                  const char **ret_position)
{
    struct ids l = {0};
    struct found *list;
    size_t n, from = 0;
    int r = g->f->question ? find_narrow(g, g->f->question, &l) : 0;
    if (r < 0 || (!r && everything(g, &l) < 0))
        return -1;
    find_sort_ids(&l);
    if (find_load(g, &l, &list, &n) < 0 || find_sort(g->f, list, n) < 0 ||
        find_behind(g->f, list, n, position, &from) < 0)
        return -1;
    for (size_t i = from; i < n; i++)
        if (!page_add(p, &list[i].it, &list[i].access)) {
            if (i)
                *ret_position = find_place(g->f, list, i - 1);
            break;
        }
    return 0;
}

/* The folder that all matches are in; 0: the question names none. */
static int64_t only_parent(const struct find *q)
{
    int64_t id;
    if (!q || q->kind == FIND_OR)
        return 0;
    if (q->kind == FIND_PARENT)
        return q->id;
    if (q->kind != FIND_AND)
        return 0;
    return (id = only_parent(q->left)) ? id : only_parent(q->right);
}

static bool is_usual(const struct drive_finder *f)
{
    return !f->n_order ||
           (f->n_order == 1 && f->order[0].key == ORDER_MODIFIED && f->order[0].falling);
}

int drive_find(struct drive_finder *f, const char *position, size_t limit, struct drive_item **ret,
               struct drive_access **ret_access, size_t *ret_n, const char **ret_position)
{
    struct finding g = {.tx = f->viewer->tx, .f = f, .low = INT64_MIN, .high = INT64_MAX};
    struct arena *a = g.tx->arena;
    struct page p = {.items = arena_alloc(a, (limit + 1) * sizeof *p.items),
                     .access = arena_alloc(a, (limit + 1) * sizeof *p.access),
                     .limit = limit};
    const char *next = NULL;
    g.of_folder = only_parent(f->question) != 0;
    find_when(f->question, &g.low, &g.high);
    g.other_vendors = f->vendor && drive_vendor_nth(g.tx, 1);
    if (arena_failed(a))
        return sosia_fail_memory(g.tx->err);
    bool usual = is_usual(f);
    int gone = drive_any_gone(g.tx);
    g.any_gone = gone;
    if (gone < 0 || find_look_up(&g, usual ? 4096 : find_asks_by_name(f) ? 1024 : 0) < 0)
        return -1;
    bool by_name = find_is_by_name(f, position);
    int r = by_name ? find_by_name(&g, position, p.items, p.access, limit, &p.n, &next)
            : !usual && find_is_by_time(f, position)
                ? find_by_time(&g, position, p.items, p.access, limit, &p.n, &next)
            : !usual                    ? sorted(&g, position, &p, &next)
            : find_narrows(f->question) ? narrowed(&g, position, &p, &next)
                                        : usual_order(&g, position, &p, &next);
    if (r == 0 && by_name && find_counts(next)) { /* a count is of the whole list */
        p.n = 0;
        next = NULL;
        r = sorted(&g, position, &p, &next);
    }
    if (r < 0)
        return -1;
    *ret = p.items;
    *ret_access = p.access;
    *ret_n = p.n;
    *ret_position = next;
    return 0;
}
