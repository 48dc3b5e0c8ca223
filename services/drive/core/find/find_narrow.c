/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What could match a question: items that an index has for one of its terms, and what belongs on
 * somebody's lists beside what they own.
 */
#include "engine/world/take.h"
#include "services/drive/core/find/find_impl.h"
#include "services/drive/core/find/words.h"
#include <stdlib.h>

/* ---- ids ---- */

void find_add_id(struct arena *a, struct ids *l, int64_t id)
{
    int64_t *list = arena_grow(a, l->list, l->n, &l->room, sizeof *list);
    if (!list)
        return;
    l->list = list;
    l->list[l->n++] = id;
}

static int rising(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

void find_sort_ids(struct ids *l)
{
    size_t n = 0;
    if (l->n)
        qsort(l->list, l->n, sizeof *l->list, rising);
    for (size_t i = 0; i < l->n; i++)
        if (!n || l->list[i] != l->list[n - 1])
            l->list[n++] = l->list[i];
    l->n = n;
}

bool find_has(const struct ids *l, int64_t id)
{
    return l->n && bsearch(&id, l->list, l->n, sizeof id, rising);
}

int find_take(struct tx *tx, sqlite3_stmt *st, struct ids *l)
{
    int r;
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1)
        find_add_id(tx->arena, l, sqlite3_column_int64(st, 0));
    return r;
}

/* ---- what a question narrows to ---- */

static int narrow_leaf(struct finding *g, const struct find *q, struct ids *ret)
{
    static struct sql_text q_starred =
        SQL_TEXT("select item from drive_mine where actor = :actor and starred = 1");
    static struct sql_text q_shared =
        SQL_TEXT("select item from drive_mine where actor = :actor and shared_us is not null");
    static struct sql_text q_property = SQL_TEXT(
        "select item from drive_property where name = :name and value = :value and app = :app");
    static struct sql_text q_target = SQL_TEXT("select id from drive_item where target_key = :key");
    static struct sql_text q_parent = SQL_TEXT("select id from drive_item where parent = :parent");
    int64_t who = g->f->viewer->who->id;
    switch (q->kind) {
    case FIND_NAME_IS:
    case FIND_NAME_HAS:
    case FIND_TEXT:
        if (q->common)
            return 0;
        *ret = (struct ids){q->found, q->n_found, q->n_found};
        return 1;
    case FIND_STARRED:
        return find_take(g->tx, TX_QUERY(g->tx, &q_starred, who), ret) < 0 ? -1 : 1;
    case FIND_SHARED_WITH_ME:
        return find_take(g->tx, TX_QUERY(g->tx, &q_shared, who), ret) < 0 ? -1 : 1;
    case FIND_PROPERTY:
        return find_take(g->tx, TX_QUERY(g->tx, &q_property, q->text, q->text2, q->app), ret) < 0
                   ? -1
                   : 1;
    case FIND_TARGET:
        return find_take(g->tx, TX_QUERY(g->tx, &q_target, q->text), ret) < 0 ? -1 : 1;
    case FIND_PARENT:
        return find_take(g->tx, TX_QUERY(g->tx, &q_parent, q->id), ret) < 0 ? -1 : 1;
    default:
        return 0;
    }
}

/* Whether it is cheap to list. Folders may be large. */
static bool is_narrow(const struct find *q)
{
    return ((q->kind == FIND_NAME_IS || q->kind == FIND_NAME_HAS || q->kind == FIND_TEXT) &&
            !q->common) ||
           q->kind == FIND_PROPERTY || q->kind == FIND_TARGET;
}

static bool has_narrow(const struct find *q)
{
    if (q->kind == FIND_AND)
        return has_narrow(q->left) || has_narrow(q->right);
    if (q->kind == FIND_OR)
        return has_narrow(q->left) && has_narrow(q->right);
    return is_narrow(q);
}

/* Of two terms that both must be so. A folder may be large: it is listed if nothing else narrows.
 */
static int narrow_both(struct finding *g, const struct find *q, struct ids *ret)
{
    const struct find *first = q->left, *second = q->right;
    struct ids x = {0}, y = {0};
    int l, r;
    if (has_narrow(second) && !has_narrow(first)) {
        first = q->right;
        second = q->left;
    }
    if ((l = find_narrow(g, first, &x)) < 0)
        return -1;
    if (l && (x.n < 100 || (has_narrow(first) && !has_narrow(second)))) {
        *ret = x;
        return 1;
    }
    if ((r = find_narrow(g, second, &y)) < 0)
        return -1;
    *ret = l && (!r || x.n < y.n) ? x : y;
    return l || r;
}

int find_narrow(struct finding *g, const struct find *q, struct ids *ret)
{
    struct ids left = {0}, right = {0};
    int r;
    if (q->kind == FIND_AND)
        return narrow_both(g, q, ret);
    if (q->kind != FIND_OR)
        return narrow_leaf(g, q, ret);
    if ((r = find_narrow(g, q->left, &left)) != 1 || (r = find_narrow(g, q->right, &right)) != 1)
        return r;
    for (size_t i = 0; i < left.n; i++)
        find_add_id(g->tx->arena, ret, left.list[i]);
    for (size_t i = 0; i < right.n; i++)
        find_add_id(g->tx->arena, ret, right.list[i]);
    return 1;
}

bool find_narrows(const struct find *q)
{
    if (!q)
        return false;
    if (q->kind == FIND_AND)
        return find_narrows(q->left) || find_narrows(q->right);
    if (q->kind == FIND_OR)
        return find_narrows(q->left) && find_narrows(q->right);
    return is_narrow(q) || q->kind == FIND_STARRED || q->kind == FIND_SHARED_WITH_ME;
}

const struct find *find_term(const struct find *q, enum find_kind kind)
{
    const struct find *found;
    if (!q || q->kind != FIND_AND)
        return q && q->kind == kind ? q : NULL;
    return (found = find_term(q->left, kind)) ? found : find_term(q->right, kind);
}

void find_when(const struct find *q, int64_t *low, int64_t *high)
{
    enum { MS = 1000 };
    if (!q)
        return;
    if (q->kind == FIND_AND) {
        find_when(q->left, low, high);
        find_when(q->right, low, high);
    }
    /* far away there is no millisecond before or behind */
    if (q->kind != FIND_TIME || q->time != TIME_MODIFIED || q->at_us < INT64_MIN / 2 ||
        q->at_us > INT64_MAX / 2)
        return;
    int64_t from = q->at_us - MS, to = q->at_us + MS;
    if (q->op != OP_LT && q->op != OP_LE && from > *low)
        *low = from;
    if (q->op != OP_GT && q->op != OP_GE && to < *high)
        *high = to;
}

/* Those with a name, of one folder (0: of all), by rising id. limit: as drive_index_find() has it.
 */
static int names_as(struct tx *tx, const char *name, int64_t parent, size_t limit, struct ids *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from drive_item where name = :name collate nocase limit :n");
    static struct sql_text q_in = SQL_TEXT("select id from drive_item where name = :name collate "
                                           "nocase and parent = :parent limit :n");
    int64_t n = limit ? (int64_t)limit + 1 : -1;
    int r = find_take(tx, parent ? TX_QUERY(tx, &q_in, name, parent, n) : TX_QUERY(tx, &q, name, n),
                      ret);
    find_sort_ids(ret);
    return r;
}

/* What more items have than it pays to take and sort is met soon by going through the list that is
 * in order; looking at a text costs more than at a name. In another order all of them are needed.
 * names: as find_look_up() has it. */
static int look_up(struct finding *g, struct find *q, size_t names)
{
    size_t limit = q->kind == FIND_TEXT ? 4 * names : names;
    struct ids named = {0};
    int r = 0;
    if (q->kind == FIND_NAME_IS) {
        const struct find *in = find_term(g->f->question, FIND_PARENT);
        r = names_as(g->tx, q->text, in ? in->id : 0, limit, &named);
        q->found = named.list;
        q->n_found = named.n;
    } else if (q->kind == FIND_TEXT) {
        r = drive_index_find(g->tx, q->text, limit, &q->found, &q->n_found);
    } else if (q->kind == FIND_NAME_HAS) {
        r = drive_index_names(g->tx, q->text, limit, &q->found, &q->n_found);
    } else if (q->left && (r = look_up(g, q->left, names)) == 0 && q->right) {
        r = look_up(g, q->right, names);
    }
    q->common = limit && q->n_found > limit;
    return r;
}

int find_look_up(struct finding *g, size_t names)
{
    return g->f->question ? look_up(g, g->f->question, names) : 0;
}

/* ---- what is shared with a person ---- */

/* And what is below them, at most so many. 1, 0 there are more, -1. */
static int add_below(struct tx *tx, struct ids *l, size_t most)
{
    static struct sql_text q = SQL_TEXT("select id from drive_item where parent = :parent");
    for (size_t i = 0; i < l->n && l->n <= most; i++) /* grows on the way */
        if (find_take(tx, TX_QUERY(tx, &q, l->list[i]), l) < 0)
            return -1;
    return l->n <= most;
}

/* hidden: also what is found by nobody who does not have the link. */
static int add_granted(struct finding *g, enum drive_grantee kind, const char *who, bool hidden,
                       struct ids *l)
{
    static struct sql_text q = SQL_TEXT(
        "select g.item, i.top, i.drive is not null from drive_grant g join drive_item i on i.id = "
        "g.item where g.kind = :kind and g.who = :who and g.role > 0 and g.discoverable >= :least");
    sqlite3_stmt *st = TX_QUERY(g->tx, &q, kind, who, !hidden);
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(g->tx, st)) == 1) {
        bool top = sqlite3_column_int(st, 1) == DRIVE_SHARED;
        if (!g->f->shared_drives && sqlite3_column_int(st, 2))
            continue; /* it is not on the list, nor what is below it */
        find_add_id(g->tx->arena, top && g->drives ? g->drives : l, sqlite3_column_int64(st, 0));
    }
    return r;
}

static int add_groups(struct finding *g, struct ids *l)
{
    static struct sql_text q = SQL_TEXT(
        "select who from drive_grant where kind = 2 and who > :after order by who limit 1");
    const char *after = "";
    struct group group;
    int r;
    while ((r = TX_TAKE(g->tx, TX_QUERY(g->tx, &q, after), &after)) == 1) {
        r = group_by_email(g->tx, after, &group);
        if (r == 1)
            r = group_has_member(g->tx, group.id, g->f->viewer->who->email);
        if (r < 0 || (r == 1 && add_granted(g, GRANT_GROUP, after, true, l) < 0))
            return -1;
    }
    return r;
}

/* What the viewer has opened, but for what is in shared drives that are not on the list, or have a
 * list of their own. */
static int add_opened(struct finding *g, struct ids *l)
{
    static struct sql_text q = SQL_TEXT(
        "select m.item, i.drive from drive_mine m join drive_item i on i.id = m.item where m.actor "
        "= :actor and m.guest = 1 and (m.viewed_us is not null or m.shared_us is not null) and "
        "(:drives or i.drive is null)");
    sqlite3_stmt *st = TX_QUERY(g->tx, &q, g->f->viewer->who->id, g->f->shared_drives);
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(g->tx, st)) == 1)
        if (!g->drives || !find_has(g->drives, sqlite3_column_int64(st, 1)))
            find_add_id(g->tx->arena, l, sqlite3_column_int64(st, 0));
    return r;
}

int find_others(struct finding *g, struct ids *ret)
{
    static struct sql_text q_put = SQL_TEXT("select id from drive_item where host = :host");
    const struct actor *who = g->f->viewer->who;
    if (g->f->scope == SCOPE_DOMAIN) {
        if (add_granted(g, GRANT_DOMAIN, g->f->viewer->domain, false, ret) < 0)
            return -1;
    } else if (who->id &&
               (add_granted(g, GRANT_PERSON, who->email, true, ret) < 0 || add_groups(g, ret) < 0 ||
                find_take(g->tx, TX_QUERY(g->tx, &q_put, who->id), ret) < 0)) {
        return -1;
    }
    if (add_below(g->tx, ret, SIZE_MAX) < 0)
        return -1;
    if (g->drives)
        find_sort_ids(g->drives);
    if (g->f->scope != SCOPE_DOMAIN && add_opened(g, ret) < 0)
        return -1;
    find_sort_ids(ret);
    return arena_failed(g->tx->arena) ? sosia_fail_memory(g->tx->err) : 0;
}

int find_in_app(struct finding *g, size_t most, struct ids *ret)
{
    static struct sql_text q = SQL_TEXT("select id from drive_item where owner = :owner and top = "
                                        ":top and top > 0 and space = :space");
    int64_t who = g->f->viewer->who->id;
    if (find_take(g->tx, TX_QUERY(g->tx, &q, who, DRIVE_APP_DATA, g->f->app), ret) < 0)
        return -1;
    int r = add_below(g->tx, ret, most);
    if (r == 1)
        find_sort_ids(ret);
    return r < 0 || !arena_failed(g->tx->arena) ? r : sosia_fail_memory(g->tx->err);
}

int find_given(struct finding *g, const char *who, size_t most, struct ids *ret)
{
    static struct sql_text q =
        SQL_TEXT("select item from drive_grant where kind in (1, 2, 3, 4) and who = :who limit :n");
    if (find_take(g->tx, TX_QUERY(g->tx, &q, who, (int64_t)most + 1), ret) < 0)
        return -1;
    int r = add_below(g->tx, ret, most);
    if (r == 1)
        find_sort_ids(ret);
    return r < 0 || !arena_failed(g->tx->arena) ? r : sosia_fail_memory(g->tx->err);
}

/* The stored media types of somebody's items that are shown with a text in them: 1; 0 they have so
 * many that it is not worth while; -1. */
static int types_with(struct finding *g, const char *text, int64_t owner, const char **ret,
                      size_t most, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT(
        "select mime from drive_item where owner = :owner and mime > :after collate nocase "
        "order by mime collate nocase limit 1");
    struct drive_item one = {.mime = ""};
    int r;
    *ret_n = 0;
    for (size_t n = 0; (r = TX_TAKE(g->tx, TX_QUERY(g->tx, &q, owner, one.mime), &one.mime)) == 1;
         n++) {
        if (n == 4 * most || *ret_n == most)
            return 0;
        if (strcasestr(g->f->type(g->tx->arena, &one), text))
            ret[(*ret_n)++] = one.mime;
    }
    return r < 0 ? -1 : 1;
}

int find_typed(struct finding *g, const char *text, int64_t owner, size_t most, struct ids *ret)
{
    enum { TYPES = 32 };
    static struct sql_text q = SQL_TEXT("select id from drive_item where owner = :owner and mime = "
                                        ":mime collate nocase limit :n");
    const char *types[TYPES];
    size_t n;
    int r = types_with(g, text, owner, types, TYPES, &n);
    for (size_t i = 0; r == 1 && i < n; i++) {
        if (find_take(g->tx, TX_QUERY(g->tx, &q, owner, types[i], (int64_t)most + 1), ret) < 0)
            return -1;
        r = ret->n <= most;
    }
    if (r == 1)
        find_sort_ids(ret);
    return r < 0 || !arena_failed(g->tx->arena) ? r : sosia_fail_memory(g->tx->err);
}

/* ---- what is in the trash, or open to others ---- */

int find_marked(struct finding *g, enum find_kind kind, int64_t owner, int64_t drive,
                struct ids *ret)
{
    enum { MOST = 4096 };
    static struct sql_text q_trash = SQL_TEXT(
        "select id from drive_item where owner is :owner and drive is :drive and flags & 1 limit "
        ":n");
    static struct sql_text q_open = SQL_TEXT(
        "select i.id from drive_item i where i.owner is :owner and i.drive is :drive and i.flags "
        "& 4 and exists (select 1 from drive_grant g where g.item = i.id and g.kind in (3, 4)) "
        "limit :n");
    static struct sql_text q_hosted =
        SQL_TEXT("select id from drive_item where owner = :owner and host is not null "
                 "limit :n");
    struct sql_text *q = kind == FIND_TRASHED ? &q_trash : &q_open;
    struct tx *tx = g->tx;
    struct sql_value mine = sql_int_or_null(owner, 0), in = sql_int_or_null(drive, 0);
    if (find_take(tx, TX_QUERY(tx, q, mine, in, MOST + 1), ret) < 0 ||
        (owner && find_take(tx, TX_QUERY(tx, &q_hosted, owner, MOST + 1), ret) < 0))
        return -1;
    int r = add_below(tx, ret, MOST);
    if (r == 1)
        find_sort_ids(ret);
    return r < 0 || !arena_failed(tx->arena) ? r : sosia_fail_memory(tx->err);
}
