/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The feed of changes. The world has one count of changes, in which each item is once, with the
 * number of its last change; whether a person sees it is checked when the feed is read. What is
 * deleted, or is no longer visible to a person, keeps a row with those who saw it.
 */
#include "engine/base/codec.h"
#include "engine/world/event.h"
#include "services/drive/core/drive_impl.h"

#define COUNTER "drive change"

int drive_change_since(struct tx *tx, int64_t us, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce((select min(number) from drive_change where time_us >= :at), "
                 "(select max(number) from drive_change) + 1, 1)");
    return TX_INT(tx, &q, ret, us) < 0 ? -1 : 0;
}

int drive_change_newest(struct tx *tx, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select max(number) from drive_change");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    *ret = 0;
    return sql_first_int(tx->db, tx->err, st, ret) < 0 ? -1 : 0;
}

/* ---- who sees an item ---- */

struct audience {
    struct tx *tx;
    const char **list;
    size_t n, cap;
};

static int add_seer(struct audience *a, enum drive_grantee kind, const char *who)
{
    const char *text = arena_printf(a->tx->arena, "%d %s", (int)kind, who);
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->list[i], text) == 0)
            return 0;
    const char **list = arena_grow(a->tx->arena, a->list, a->n, &a->cap, sizeof *list);
    if (!list)
        return sosia_fail_memory(a->tx->err);
    a->list = list;
    a->list[a->n++] = text;
    return 0;
}

static int add_seers(struct audience *a, int64_t item, int64_t owner, unsigned flags)
{
    struct actor who;
    struct drive_grant *grants;
    size_t n;
    if (owner) { /* libraries have no address */
        int r = actor_by_id(a->tx, owner, &who);
        if (r < 0 || (r == 1 && add_seer(a, GRANT_PERSON, *who.email ? who.email : who.handle) < 0))
            return -1;
    }
    if (!(flags & DRIVE_GRANTED))
        return 0;
    if (drive_grants(a->tx, item, &grants, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (grants[i].role && !grants[i].view && add_seer(a, grants[i].kind, grants[i].who) < 0)
            return -1;
    return 0;
}

enum { MAX_DEPTH_SHARED = 4096 };

int drive_audience(struct tx *tx, const struct drive_item *it, const char ***ret, size_t *ret_n)
{
    struct audience a = {.tx = tx};
    struct drive_node node = {.parent = it->parent};
    if (add_seers(&a, it->id, it->owner, it->flags) < 0)
        return -1;
    for (int i = 0; node.parent && i < MAX_DEPTH_SHARED; i++) {
        int64_t id = node.parent;
        int r = drive_node(tx, id, &node);
        if (r < 0)
            return -1;
        if (!r)
            break;
        if (add_seers(&a, id, node.owner, node.flags) < 0)
            return -1;
    }
    *ret = a.list;
    *ret_n = a.n;
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

/* ---- rows ---- */

/* seen_by: whom it is for alone; of what is removed: who saw it; NULL: all who see it. Of what is
 * there the newest change counts. */
static int put_change(struct tx *tx, const struct drive_item *it, bool is_drive, bool removed,
                      const char *seen_by)
{
    static struct sql_text q_old =
        SQL_TEXT("delete from drive_change where item = :item and removed = 0 and is_drive = "
                 ":is_drive and seen_by is :seen_by");
    static struct sql_text q = SQL_TEXT(
        "insert into drive_change (number, item, key, drive, is_drive, removed, seen_by, space, "
        "time_us, form) values (:number, :item, :key, :drive, :is_drive, :removed, :seen_by, "
        ":space, :time, :form)");
    int64_t number;
    if (tx_number(tx, COUNTER, &number) < 0 || drive_sweep_later(tx) < 0)
        return -1;
    if (!removed && TX_RUN(tx, &q_old, it->id, is_drive, seen_by) < 0)
        return -1;
    return TX_RUN(tx, &q, number, it->id, it->key, sql_int_or_null(it->drive, 0), is_drive, removed,
                  seen_by, it->space, tx->now_us, it->form);
}

/* ---- feeds that have more ---- */

static int note_member(void *arg, const char *name)
{
    struct tx *tx = arg;
    struct actor who;
    int r = actor_find(tx, name, &who);
    if (r == 1)
        event_note(tx, CHANGED_FEED, OP_CHANGED, who.id, 0);
    return r < 0 ? -1 : 0;
}

/* People and groups' members; those who have it by a link or a domain are not notified. */
static int note_seers(struct tx *tx, const char **seers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        enum drive_grantee kind = (enum drive_grantee)(seers[i][0] - '0');
        struct group g;
        int r = 0;
        if (kind == GRANT_PERSON)
            r = note_member(tx, seers[i] + 2);
        else if (kind == GRANT_GROUP && (r = group_by_email(tx, seers[i] + 2, &g)) == 1)
            r = group_each_member(tx, g.id, note_member, tx);
        if (r < 0)
            return -1;
    }
    return 0;
}

/* What changed in a call, until its end: many changes of neighbours have one audience. */
struct changed {
    struct changed *next;
    int64_t item;
};
struct changes {
    struct changed *first;
};

static int note_feeds(struct tx *tx, void *arg)
{
    const struct changes *all = arg;
    int64_t parent = 0, owner = 0;
    for (const struct changed *one = all->first; one; one = one->next) {
        struct drive_item it;
        const char **seers;
        size_t n;
        int r = drive_item_by_id(tx, one->item, &it);
        if (r < 0)
            return -1;
        if (!r)
            continue;
        bool same = it.parent && it.parent == parent && it.owner == owner;
        if (same && !(it.flags & DRIVE_GRANTED))
            continue;
        parent = it.parent;
        owner = it.owner;
        if (it.drive)
            event_note(tx, CHANGED_DRIVE_FEED, OP_CHANGED, it.drive, 0);
        else if (drive_audience(tx, &it, &seers, &n) < 0 || note_seers(tx, seers, n) < 0)
            return -1;
    }
    return 0;
}

static void note_later(struct tx *tx, int64_t item)
{
    struct changes *all = tx_later_arg(tx, note_feeds);
    if (!all) {
        all = arena_calloc(tx->arena, 1, sizeof *all);
        tx_later(tx, note_feeds, all);
    }
    struct changed *one = arena_alloc(tx->arena, sizeof *one);
    *one = (struct changed){all->first, item};
    if (!arena_failed(tx->arena) && !(all->first && all->first->item == item))
        all->first = one;
}

int drive_changed(struct tx *tx, const struct drive_item *it)
{
    note_later(tx, it->id);
    return put_change(tx, it, false, false, NULL);
}

void drive_raise(struct tx *tx, const struct drive_item *it, enum event_operation operation,
                 const char *const *members)
{
    event_raise(tx, &(struct world_event){.kind = CHANGED_FILE,
                                          .operation = operation,
                                          .scope = it->id,
                                          .entity = it->id,
                                          .members = members});
}

int drive_drive_changed(struct tx *tx, const struct drive_item *top)
{
    event_note(tx, CHANGED_DRIVE_FEED, OP_CHANGED, top->id, 0);
    return put_change(tx, top, true, false, NULL);
}

/* As drive_change.seen_by has them; NULL: there is no memory for it. */
static const char *seers_text(struct tx *tx, const char **list, size_t n)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (size_t i = 0; i < n; i++)
        json_str(&w, NULL, list[i]);
    json_end(&w);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    if (!text)
        sosia_fail_memory(tx->err);
    return text;
}

int drive_member_changed(struct tx *tx, const struct drive_item *top, enum drive_grantee kind,
                         const char *who)
{
    const char *one = arena_printf(tx->arena, "%d %s", (int)kind, who);
    const char *seen_by = seers_text(tx, &one, 1);
    if (!seen_by || note_seers(tx, &one, 1) < 0)
        return -1;
    return put_change(tx, top, true, false, seen_by);
}

int drive_removed(struct tx *tx, const struct drive_item *it, enum drive_grantee kind,
                  const char *who)
{
    const char **seers;
    size_t n = 1;
    const char *one = who ? arena_printf(tx->arena, "%d %s", (int)kind, who) : NULL;
    if (who)
        seers = &one;
    else if (drive_audience(tx, it, &seers, &n) < 0)
        return -1;
    if (!who)
        drive_raise(tx, it, OP_REMOVED, NULL);
    if (it->drive)
        event_note(tx, CHANGED_DRIVE_FEED, OP_CHANGED, it->drive, 0);
    else if (note_seers(tx, seers, n) < 0)
        return -1;
    const char *seen_by = seers_text(tx, seers, n);
    bool left = who && it->top == DRIVE_SHARED; /* somebody is no longer a member */
    return seen_by ? put_change(tx, it, left, true, seen_by) : -1;
}

int drive_moves(struct tx *tx, const struct drive_item *it)
{
    const char **seers;
    size_t n;
    if (drive_audience(tx, it, &seers, &n) < 0)
        return -1;
    if (it->drive)
        event_note(tx, CHANGED_DRIVE_FEED, OP_CHANGED, it->drive, 0);
    else if (note_seers(tx, seers, n) < 0)
        return -1;
    const char *seen_by = seers_text(tx, seers, n);
    return seen_by ? put_change(tx, it, false, true, seen_by) : -1;
}
