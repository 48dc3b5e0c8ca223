/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists by name, rising or falling, with folders apart or among the rest: the content of a folder,
 * what somebody owns, or a shared drive has, comes from an index in that order, with what others
 * gave among it. Each item is looked at until the page is full. Folders that come apart are few
 * beside what they hold: they are taken and sorted.
 */
#include "services/drive/core/find/find_impl.h"

enum { BATCH = 64 };

/* A place in the order: names, of equal ones modified last first, then by number. */
struct named {
    const char *folded;
    int64_t at, id;
};

/* Behind a place: what has its name and is as old, its name and is older, other names. */
struct named_sql {
    struct sql_text as_old, older, later, earlier, folders;
};
#define COLUMNS "select id, modified_us, folded, parent from drive_item where "
#define NAMED(terms)                                                                               \
    {                                                                                              \
        SQL_TEXT(COLUMNS terms " and folded = :folded and modified_us = :at and id > :id order "   \
                               "by id limit :n"),                                                  \
            SQL_TEXT(COLUMNS terms " and folded = :folded and modified_us < :at order by "         \
                                   "modified_us desc, id limit :n"),                               \
            SQL_TEXT(COLUMNS terms " and folded > :folded order by folded, modified_us desc, id "  \
                                   "limit :n"),                                                    \
            SQL_TEXT(COLUMNS terms " and folded < :folded order by folded desc, modified_us "      \
                                   "desc, id limit :n"),                                           \
            SQL_TEXT("select id from drive_item where " terms                                      \
                     " and mime = 'folder' collate nocase"),                                       \
    }
static struct named_sql q_folder = NAMED("parent = :of"), q_owner = NAMED("owner = :of"),
                        q_drive = NAMED("drive = :of");

#define FIRST_NAME ""
#define LAST_NAME  "\xff" /* no text begins with that byte */

struct names {
    struct finding *g;
    struct named_sql *sql;
    int64_t of;
    bool falling;
    int apart; /* the key of the order that has folders apart; -1: they are among the rest */
    struct named at, batch[BATCH];
    size_t n, next;
    bool end;
};

/* Adds what a question gives, but for what is gone: how many rows that were, -1. */
static int64_t add_rows(struct names *s, sqlite3_stmt *st)
{
    struct tx *tx = s->g->tx;
    int64_t n = 0;
    int r;
    if (!st)
        return -1;
    for (; (r = TX_STEP(tx, st)) == 1; n++) {
        s->at = (struct named){tx_string(tx, st, 2), sqlite3_column_int64(st, 1),
                               sqlite3_column_int64(st, 0)};
        int gone = s->g->any_gone
                       ? drive_is_seen_gone(s->g->f->viewer, s->at.id, sqlite3_column_int64(st, 3))
                       : 0;
        if (gone < 0) {
            sql_done(st);
            return -1;
        }
        if (!gone)
            s->batch[s->n++] = s->at;
    }
    return r < 0 ? -1 : n;
}

/* A question is asked when the one before it has no more. */
static int read_names(struct names *s)
{
    struct tx *tx = s->g->tx;
    struct named from = s->at;
    int64_t room = BATCH, n;
    s->n = s->next = 0;
    n = add_rows(s, TX_QUERY(tx, &s->sql->as_old, s->of, from.folded, from.at, from.id, room));
    if (n >= 0 && n < room) {
        room = (int64_t)(BATCH - s->n);
        n = add_rows(s, TX_QUERY(tx, &s->sql->older, s->of, from.folded, from.at, room));
    }
    if (n >= 0 && n < room) {
        room = (int64_t)(BATCH - s->n);
        struct sql_text *q = s->falling ? &s->sql->earlier : &s->sql->later;
        n = add_rows(s, TX_QUERY(tx, q, s->of, from.folded, room));
        s->end = n < room;
    }
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    return n < 0 ? -1 : 0;
}

/* The next one: 1, 0 there is none, -1. */
static int peek(struct names *s, struct found *ret)
{
    while (s->next == s->n && !s->end)
        if (read_names(s) < 0)
            return -1;
    if (s->next == s->n)
        return 0;
    const struct named *one = &s->batch[s->next];
    *ret = (struct found){.folded = one->folded, .it = {.modified_us = one->at, .id = one->id}};
    if (s->apart >= 0)
        ret->keys[s->apart] = ORDER_REST;
    return 1;
}

/* Beside what comes from the index, sorted: what is not the viewer's own, and folders that come
 * apart. */
static int load_others(struct names *own, bool given, struct found **ret, size_t *ret_n)
{
    struct finding *g = own->g;
    struct ids l = {0}, folders = {0};
    struct found *list = NULL, *more = NULL;
    size_t n = 0, n_list = 0, n_more = 0;
    if ((given && (find_others(g, &l) < 0 || find_load(g, &l, &list, &n_list) < 0)) ||
        (own->apart >= 0 &&
         (find_take(g->tx, TX_QUERY(g->tx, &own->sql->folders, own->of), &folders) < 0 ||
          find_load(g, &folders, &more, &n_more) < 0)))
        return -1;
    *ret = arena_alloc(g->tx->arena, (n_list + n_more + 1) * sizeof **ret);
    if (arena_failed(g->tx->arena))
        return sosia_fail_memory(g->tx->err);
    for (size_t i = 0; i < n_list; i++)
        if (list[i].it.owner != g->f->viewer->who->id)
            (*ret)[n++] = list[i];
    for (size_t i = 0; i < n_more; i++)
        (*ret)[n++] = more[i];
    *ret_n = n;
    return find_sort(g->f, *ret, n);
}

/* Which key of the order is the name, alone or behind folders apart; -1: it is another order. */
static int name_key(const struct drive_finder *f)
{
    if (f->n_order == 1)
        return f->order[0].key == ORDER_NAME ? 0 : -1;
    return f->n_order == 2 && f->order[0].key == ORDER_FOLDER && f->order[1].key == ORDER_NAME ? 1
                                                                                               : -1;
}

bool find_asks_by_name(const struct drive_finder *f)
{
    return name_key(f) >= 0;
}

bool find_is_by_name(const struct drive_finder *f, const char *position)
{
    int name = name_key(f);
    if (name < 0 || find_narrows(f->question) || find_counts(position))
        return false;
    if (find_term(f->question, FIND_PARENT))
        return true;
    if (f->scope == SCOPE_DRIVE) /* no index has the folders of a drive */
        return name == 0;
    return f->scope != SCOPE_DOMAIN && f->viewer->who->id;
}

/* The next item of both: 1, 0 there is none, -1. */
static int next_of(struct names *own, const struct found *others, size_t n_others, size_t *at,
                   struct found *ret)
{
    struct finding *g = own->g;
    for (;;) {
        struct found next;
        int r = peek(own, &next);
        if (r < 0)
            return -1;
        if (*at < n_others && (!r || find_compare(g->f, &others[*at], &next) < 0)) {
            *ret = others[(*at)++];
            return 1;
        }
        if (!r)
            return 0;
        own->next++;
        r = find_look_at(g, next.it.id, &next.it, &next.access);
        if (r < 0)
            return -1;
        if (r && !(own->apart >= 0 && next.it.form == DRIVE_FOLDER)) {
            *ret = next;
            return 1;
        }
    }
}

/* Where the index is read, and from which place on. */
static void open_names(struct names *own, const struct found *place)
{
    const struct drive_finder *f = own->g->f;
    const struct find *parent = find_term(f->question, FIND_PARENT);
    int name = name_key(f);
    own->sql = parent ? &q_folder : f->scope == SCOPE_DRIVE ? &q_drive : &q_owner;
    own->of = parent ? parent->id : f->scope == SCOPE_DRIVE ? f->drive : f->viewer->who->id;
    own->falling = f->order[name].falling;
    own->apart = name - 1;
    own->at = (struct named){own->falling ? LAST_NAME : FIRST_NAME, INT64_MAX, 0};
    if (!place)
        return;
    if (own->apart < 0 || place->keys[own->apart] == ORDER_REST)
        own->at = (struct named){place->folded, place->it.modified_us, place->it.id};
    else /* among the folders, which come before the rest or behind it */
        own->end = f->order[own->apart].falling;
}

int find_by_name(struct finding *g, const char *position, struct drive_item *items,
                 struct drive_access *access, size_t limit, size_t *ret_n,
                 const char **ret_position)
{
    const struct drive_finder *f = g->f;
    bool one = f->scope == SCOPE_DRIVE || find_term(f->question, FIND_PARENT);
    struct names own = {.g = g};
    struct found *others, place, last = {0};
    size_t n_others, at;
    int r = position ? find_read_place(f, position, &place) : 0;
    if (r < 0)
        return -1;
    open_names(&own, position ? &place : NULL);
    if (load_others(&own, !one, &others, &n_others) < 0 ||
        find_behind(f, others, n_others, position, &at) < 0)
        return -1;
    *ret_n = 0;
    while (*ret_n <= limit) {
        struct found next;
        if ((r = next_of(&own, others, n_others, &at, &next)) < 1)
            return r;
        if (*ret_n == limit) {
            *ret_position = *ret_n ? find_place(f, &last, 0) : NULL;
            return 0;
        }
        items[*ret_n] = next.it;
        access[(*ret_n)++] = next.access;
        last = next;
    }
    return 0;
}
