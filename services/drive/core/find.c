/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of items that match a question. In the usual order, modified last first, a list comes from
 * an index in that order: the content of a folder, of a shared drive, what a person owns beside
 * what is shared with them. Where the question has terms that narrow more (words, a property, a
 * star), all of that is taken and sorted.
 */
#include "engine/store/record.h"
#include "services/drive/core/find_impl.h"
#include "services/drive/core/words.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 64 };

/* ---- ids ---- */

struct ids {
    int64_t *list;
    size_t n, room;
};

static void add_id(struct arena *a, struct ids *l, int64_t id)
{
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 32;
        int64_t *list = arena_alloc(a, room * sizeof *list);
        if (arena_failed(a))
            return;
        if (l->n)
            memcpy(list, l->list, l->n * sizeof *list);
        l->list = list;
        l->room = room;
    }
    l->list[l->n++] = id;
}

static int rising(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_ids(struct ids *l)
{
    size_t n = 0;
    if (l->n)
        qsort(l->list, l->n, sizeof *l->list, rising);
    for (size_t i = 0; i < l->n; i++)
        if (!n || l->list[i] != l->list[n - 1])
            l->list[n++] = l->list[i];
    l->n = n;
}

/* All ids that a statement gives, which is reset. */
static int take_ids(struct tx *tx, sqlite3_stmt *st, struct ids *l)
{
    int r;
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1)
        add_id(tx->arena, l, sqlite3_column_int64(st, 0));
    return r;
}

/* ---- what a question narrows to ---- */

/* Few ids that include all matches: 1, 0 the question has no such term, -1. */
static int narrow(struct finding *g, const struct find *q, struct ids *ret);

static int narrow_leaf(struct finding *g, const struct find *q, struct ids *ret)
{
    static struct sql_text q_starred =
        SQL_TEXT("select item from drive_mine where actor = :actor and starred = 1");
    static struct sql_text q_shared =
        SQL_TEXT("select item from drive_mine where actor = :actor and shared_us is not null");
    static struct sql_text q_property = SQL_TEXT(
        "select item from drive_property where name = :name and value = :value and app = :app");
    static struct sql_text q_target =
        SQL_TEXT("select s.id from drive_item t join drive_item s on s.target = t.id where "
                 "t.key = :key");
    static struct sql_text q_parent = SQL_TEXT("select id from drive_item where parent = :parent");
    int64_t who = g->f->viewer->who->id;
    switch (q->kind) {
    case FIND_NAME_HAS:
    case FIND_TEXT:
        if (q->common)
            return 0;
        *ret = (struct ids){q->found, q->n_found, q->n_found};
        return 1;
    case FIND_STARRED:
        return take_ids(g->tx, TX_QUERY(g->tx, &q_starred, who), ret) < 0 ? -1 : 1;
    case FIND_SHARED_WITH_ME:
        return take_ids(g->tx, TX_QUERY(g->tx, &q_shared, who), ret) < 0 ? -1 : 1;
    case FIND_PROPERTY:
        return take_ids(g->tx, TX_QUERY(g->tx, &q_property, q->text, q->text2, q->app), ret) < 0
                   ? -1
                   : 1;
    case FIND_TARGET:
        return take_ids(g->tx, TX_QUERY(g->tx, &q_target, q->text), ret) < 0 ? -1 : 1;
    case FIND_PARENT:
        return take_ids(g->tx, TX_QUERY(g->tx, &q_parent, q->id), ret) < 0 ? -1 : 1;
    default:
        return 0;
    }
}

/* Whether it is cheap to list. Folders may be large. */
static bool is_narrow(const struct find *q)
{
    return ((q->kind == FIND_NAME_HAS || q->kind == FIND_TEXT) && !q->common) ||
           q->kind == FIND_PROPERTY || q->kind == FIND_TARGET;
}

static int narrow(struct finding *g, const struct find *q, struct ids *ret)
{
    struct ids left = {0}, right = {0};
    int l, r;
    if (q->kind != FIND_AND && q->kind != FIND_OR)
        return narrow_leaf(g, q, ret);
    if (q->kind == FIND_AND && is_narrow(q->right))
        return narrow(g, q->right, ret);
    if ((l = narrow(g, q->left, &left)) < 0)
        return -1;
    if (q->kind == FIND_AND && l && left.n < 100) {
        *ret = left;
        return 1;
    }
    if (q->kind == FIND_OR && !l)
        return 0;
    if ((r = narrow(g, q->right, &right)) < 0)
        return -1;
    if (q->kind == FIND_AND) {
        *ret = l && (!r || left.n < right.n) ? left : right;
        return l || r;
    }
    if (!r)
        return 0;
    for (size_t i = 0; i < left.n; i++)
        add_id(g->tx->arena, ret, left.list[i]);
    for (size_t i = 0; i < right.n; i++)
        add_id(g->tx->arena, ret, right.list[i]);
    return 1;
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

static bool has_narrow(const struct find *q)
{
    if (!q)
        return false;
    if (q->kind == FIND_AND)
        return has_narrow(q->left) || has_narrow(q->right);
    if (q->kind == FIND_OR)
        return has_narrow(q->left) && has_narrow(q->right);
    return is_narrow(q) || q->kind == FIND_STARRED || q->kind == FIND_SHARED_WITH_ME;
}

/* Looks up the words of all terms in the index. What more items have than it pays to take and
 * sort is met soon by going through the list that is in order; looking at a text costs more than
 * at a name. In another order all of them are needed. */
static int look_up(struct tx *tx, struct find *q, bool usual)
{
    enum { NAMES = 4096, TEXTS = 16384 };
    size_t limit = q && usual ? q->kind == FIND_TEXT ? TEXTS : NAMES : 0;
    if (!q)
        return 0;
    if (q->kind == FIND_TEXT || q->kind == FIND_NAME_HAS) {
        int r = q->kind == FIND_TEXT
                    ? drive_index_find(tx, q->text, limit, &q->found, &q->n_found)
                    : drive_index_names(tx, q->text, limit, &q->found, &q->n_found);
        q->common = limit && q->n_found > limit;
        return r;
    }
    return look_up(tx, q->left, usual) < 0 ? -1 : look_up(tx, q->right, usual);
}

/* ---- what is shared with a person ---- */

static int add_below(struct tx *tx, struct ids *l)
{
    static struct sql_text q = SQL_TEXT("select id from drive_item where parent = :parent");
    for (size_t i = 0; i < l->n; i++) /* grows on the way */
        if (take_ids(tx, TX_QUERY(tx, &q, l->list[i]), l) < 0)
            return -1;
    return 0;
}

/* hidden: also what is found by nobody who does not have the link. */
static int add_granted(struct finding *g, enum drive_grantee kind, const char *who, bool hidden,
                       struct ids *l)
{
    static struct sql_text q = SQL_TEXT("select item from drive_grant where kind = :kind and "
                                        "who = :who and role > 0 and discoverable >= :least");
    return take_ids(g->tx, TX_QUERY(g->tx, &q, kind, who, !hidden), l);
}

static int add_groups(struct finding *g, struct ids *l)
{
    static struct sql_text q = SQL_TEXT(
        "select who from drive_grant where kind = 2 and who > :after order by who limit 1");
    const char *after = "";
    sqlite3_stmt *st;
    struct group group;
    int r;
    while ((r = TX_ROW(g->tx, &q, &st, after)) == 1) {
        after = tx_string(g->tx, st, 0);
        sql_done(st);
        r = group_by_email(g->tx, after, &group);
        if (r == 1)
            r = group_has_member(g->tx, group.id, g->f->viewer->who->email);
        if (r < 0 || (r == 1 && add_granted(g, GRANT_GROUP, after, true, l) < 0))
            return -1;
    }
    return r;
}

/* What others gave, or put into the viewer's folders, with what is below it, and what was opened by
 * a link; of an organisation, what was shared with it to be found. All by rising id.
 * Whether it is still visible is checked later. */
static int others(struct finding *g, struct ids *ret)
{
    static struct sql_text q_mine =
        SQL_TEXT("select m.item from drive_mine m join drive_item i on i.id = m.item where "
                 "m.actor = :actor and (m.viewed_us is not null or m.shared_us is not null) and "
                 "i.owner is not :owner");
    static struct sql_text q_put = SQL_TEXT("select id from drive_item where host = :host");
    const struct actor *who = g->f->viewer->who;
    if (g->f->scope == SCOPE_DOMAIN) {
        if (add_granted(g, GRANT_DOMAIN, g->f->viewer->domain, false, ret) < 0)
            return -1;
    } else if (who->id &&
               (add_granted(g, GRANT_PERSON, who->email, true, ret) < 0 || add_groups(g, ret) < 0 ||
                take_ids(g->tx, TX_QUERY(g->tx, &q_put, who->id), ret) < 0)) {
        return -1;
    }
    if (add_below(g->tx, ret) < 0)
        return -1;
    if (g->f->scope != SCOPE_DOMAIN &&
        take_ids(g->tx, TX_QUERY(g->tx, &q_mine, who->id, who->id), ret) < 0)
        return -1;
    sort_ids(ret);
    return arena_failed(g->tx->arena) ? sosia_fail_memory(g->tx->err) : 0;
}

/* ---- what belongs on the list ---- */

static int domain_finds(struct finding *g, int64_t item)
{
    if (!g->domain) {
        struct ids *l = arena_calloc(g->tx->arena, 1, sizeof *l);
        if (arena_failed(g->tx->arena))
            return sosia_fail_memory(g->tx->err);
        if (others(g, l) < 0)
            return -1;
        g->domain = l;
    }
    return g->domain->n && bsearch(&item, g->domain->list, g->domain->n, sizeof item, rising);
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
    if (f->scope == SCOPE_DRIVE)
        return it->drive == f->drive;
    if (it->drive && !f->shared_drives)
        return 0;
    if (f->scope == SCOPE_DOMAIN)
        return domain_finds(g, it->id);
    if (it->owner == f->viewer->who->id || !access->link)
        return 1;
    if (!f->viewer->who->id) /* nobody opened anything: they have the link of its folder */
        return g->of_folder;
    /* a link counts for those who opened it */
    return find_mine(g, it) < 0 ? -1 : g->mine.viewed_us || g->mine.shared_us;
}

/* Loads an item and looks at it: 1 it belongs on the list, 0, -1. */
static int look_at(struct finding *g, int64_t id, struct drive_item *ret,
                   struct drive_access *ret_access)
{
    int r = drive_item_by_id(g->tx, id, ret);
    if (r != 1)
        return r;
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

static bool is_behind(const struct drive_item *it, struct place p)
{
    return it->modified_us < p.at || (it->modified_us == p.at && it->id > p.id);
}

/* What is in the usual order already: of a folder, a drive, an owner. */
struct stream {
    struct sql_text *sql;
    int64_t of;
    struct place at;
    int64_t batch[BATCH];
    struct place places[BATCH];
    size_t n, next;
    bool end;
};

#define STREAM(column)                                                                             \
    SQL_TEXT("select id, modified_us from drive_item where " column                                \
             " = :of and modified_us <= :at and (modified_us < :same or id > :id) "                \
             "order by modified_us desc, id limit :n")
static struct sql_text q_folder = STREAM("parent"), q_owner = STREAM("owner"),
                       q_drive = STREAM("drive");

static int stream_peek(struct tx *tx, struct stream *s, struct place *ret)
{
    if (s->next == s->n && !s->end) {
        sqlite3_stmt *st = TX_QUERY(tx, s->sql, s->of, s->at.at, s->at.at, s->at.id, BATCH);
        int r;
        if (!st)
            return -1;
        for (s->n = s->next = 0; (r = TX_STEP(tx, st)) == 1; s->n++) {
            s->batch[s->n] = sqlite3_column_int64(st, 0);
            s->places[s->n] = (struct place){sqlite3_column_int64(st, 1), s->batch[s->n]};
        }
        if (r < 0)
            return -1;
        if (s->n)
            s->at = s->places[s->n - 1];
        s->end = s->n < BATCH;
    }
    if (s->next == s->n)
        return 0;
    *ret = s->places[s->next];
    return 1;
}

/* The rest of a list: from the stream, and from those beside it, which are in the usual order. */
static int fill_page(struct finding *g, struct stream *s, const struct found *beside, size_t n,
                     struct page *p, bool *ret_more)
{
    struct place place;
    struct drive_item it;
    struct drive_access access;
    size_t next = 0;
    for (;;) {
        int r = stream_peek(g->tx, s, &place);
        if (r < 0)
            return -1;
        if (!r && next == n)
            return 0;
        if (next < n &&
            (!r || is_behind(&(struct drive_item){.modified_us = place.at, .id = place.id},
                             (struct place){beside[next].it.modified_us, beside[next].it.id}))) {
            it = beside[next].it;
            access = beside[next++].access;
        } else {
            int64_t id = s->batch[s->next++];
            if ((r = look_at(g, id, &it, &access)) < 0)
                return -1;
            if (!r)
                continue;
        }
        if (!page_add(p, &it, &access)) {
            *ret_more = true;
            return 0;
        }
    }
}

/* Loads those of a list that belong on it. */
static int load(struct finding *g, const struct ids *l, bool skip_own, const struct place *behind,
                struct found **ret, size_t *ret_n)
{
    struct found *list = arena_alloc(g->tx->arena, (l->n + 1) * sizeof *list);
    size_t n = 0;
    if (arena_failed(g->tx->arena))
        return sosia_fail_memory(g->tx->err);
    for (size_t i = 0; i < l->n; i++) {
        struct found *f = &list[n];
        int r = look_at(g, l->list[i], &f->it, &f->access);
        if (r < 0)
            return -1;
        if (!r || (skip_own && f->it.owner && f->it.owner == g->f->viewer->who->id) ||
            (behind && !is_behind(&f->it, *behind)))
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

static int usual_order(struct finding *g, const char *position, struct page *p,
                       const char **ret_position)
{
    struct drive_finder *f = g->f;
    struct place from = {INT64_MAX, 0};
    struct stream s = {.sql = &q_owner, .of = f->viewer->who->id};
    struct ids given = {0};
    struct found *beside = NULL;
    size_t n = 0;
    bool more = false;
    int64_t parent = only_parent(f->question);
    if (position && sscanf(position, "m%" SCNd64 ".%" SCNd64, &from.at, &from.id) != 2)
        return tx_fail(g->tx, SOSIA_E_INVALID, "position", NULL,
                       "this is not a position in a list");
    s.at = from;
    if (parent) {
        s.sql = &q_folder;
        s.of = parent;
    } else if (f->scope == SCOPE_DRIVE) {
        s.sql = &q_drive;
        s.of = f->drive;
    } else if (f->in_drive) {
        s.end = f->scope == SCOPE_DOMAIN;
        if (others(g, &given) < 0 || load(g, &given, !s.end, &from, &beside, &n) < 0 ||
            find_sort(f, beside, n) < 0)
            return -1;
    }
    if (fill_page(g, &s, beside, n, p, &more) < 0)
        return -1;
    if (more && p->n)
        *ret_position = arena_printf(g->tx->arena, "m%" PRId64 ".%" PRId64,
                                     p->items[p->n - 1].modified_us, p->items[p->n - 1].id);
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->at != y->at)
        return x->at > y->at ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The places of items in the usual order; deleted ones are left out. */
static int places_of(struct tx *tx, const struct ids *l, struct place **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("select modified_us from drive_item where id = :id");
    static struct record_text record = RECORD_TEXT("drive_item", "modified_us");
    struct place *list = arena_alloc(tx->arena, (l->n + 1) * sizeof *list);
    size_t n = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < l->n; i++) {
        struct record row = {.arena = tx->arena};
        int r =
            record_can(tx->db) ? record_find(tx->db, &record, l->list[i], &row) : RECORD_STATEMENT;
        list[n].id = l->list[i];
        if (r == RECORD_STATEMENT)
            r = TX_INT(tx, &q, &list[n].at, l->list[i]);
        else if (r == 1)
            list[n].at = record_int(&row, 0);
        if (r < 0)
            return -1;
        n += r == 1;
    }
    if (n)
        qsort(list, n, sizeof *list, by_place);
    *ret = list;
    *ret_n = n;
    return 0;
}

/* What a question narrows to, in the usual order: no more of it is looked at than a page needs. */
static int narrowed(struct finding *g, const char *position, struct page *p,
                    const char **ret_position)
{
    struct ids l = {0};
    struct place *places, from = {INT64_MAX, 0};
    struct drive_item it;
    struct drive_access access;
    size_t n;
    if (position && sscanf(position, "m%" SCNd64 ".%" SCNd64, &from.at, &from.id) != 2)
        return tx_fail(g->tx, SOSIA_E_INVALID, "position", NULL,
                       "this is not a position in a list");
    if (narrow(g, g->f->question, &l) < 0)
        return -1;
    sort_ids(&l);
    if (places_of(g->tx, &l, &places, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (!is_behind(&(struct drive_item){.modified_us = places[i].at, .id = places[i].id}, from))
            continue;
        int r = look_at(g, places[i].id, &it, &access);
        if (r < 0)
            return -1;
        if (r && !page_add(p, &it, &access)) {
            *ret_position = arena_printf(g->tx->arena, "m%" PRId64 ".%" PRId64,
                                         p->items[p->n - 1].modified_us, p->items[p->n - 1].id);
            break;
        }
    }
    return 0;
}

/* All that could match, when nothing narrows it and another order is requested. */
static int everything(struct finding *g, struct ids *l)
{
    static struct sql_text q_all_drive = SQL_TEXT("select id from drive_item where drive = :drive");
    static struct sql_text q_all_owner = SQL_TEXT("select id from drive_item where owner = :owner");
    struct drive_finder *f = g->f;
    if (f->scope == SCOPE_DRIVE)
        return take_ids(g->tx, TX_QUERY(g->tx, &q_all_drive, f->drive), l);
    if (others(g, l) < 0)
        return -1;
    return f->scope == SCOPE_DOMAIN
               ? 0
               : take_ids(g->tx, TX_QUERY(g->tx, &q_all_owner, f->viewer->who->id), l);
}

static int sorted(struct finding *g, const char *position, struct page *p,
                  const char **ret_position)
{
    struct ids l = {0};
    struct found *list;
    size_t n, from = 0;
    int r = g->f->question ? narrow(g, g->f->question, &l) : 0;
    if (r < 0 || (!r && everything(g, &l) < 0))
        return -1;
    if (position && sscanf(position, "o%zu", &from) != 1)
        return tx_fail(g->tx, SOSIA_E_INVALID, "position", NULL,
                       "this is not a position in a list");
    sort_ids(&l);
    if (load(g, &l, false, NULL, &list, &n) < 0 || find_sort(g->f, list, n) < 0)
        return -1;
    for (size_t i = from; i < n; i++)
        if (!page_add(p, &list[i].it, &list[i].access)) {
            *ret_position = arena_printf(g->tx->arena, "o%zu", i);
            break;
        }
    return 0;
}

int drive_find(struct drive_finder *f, const char *position, size_t limit, struct drive_item **ret,
               struct drive_access **ret_access, size_t *ret_n, const char **ret_position)
{
    struct finding g = {.tx = f->viewer->tx, .f = f};
    struct arena *a = g.tx->arena;
    struct page p = {.items = arena_alloc(a, (limit + 1) * sizeof *p.items),
                     .access = arena_alloc(a, (limit + 1) * sizeof *p.access),
                     .limit = limit};
    const char *next = NULL;
    g.of_folder = only_parent(f->question) != 0;
    if (arena_failed(a))
        return sosia_fail_memory(g.tx->err);
    if (look_up(g.tx, f->question, !f->n_order) < 0)
        return -1;
    int r = f->n_order                ? sorted(&g, position, &p, &next)
            : has_narrow(f->question) ? narrowed(&g, position, &p, &next)
                                      : usual_order(&g, position, &p, &next);
    if (r < 0)
        return -1;
    *ret = p.items;
    *ret_access = p.access;
    *ret_n = p.n;
    *ret_position = next;
    return 0;
}
