/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access to items. A grant at an item holds for all below it: what a person has is found on the way
 * up, and kept for each folder while many items are read, so that a list looks once a folder. Where
 * nothing is granted, a walk reads one row a level.
 */
#include "engine/base/codec.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/drive_impl.h"

/* What a viewer has by one grantee: themselves, a group of theirs, their domain, anyone. Never
 * changed once made: folders share them with what is below. */
struct right {
    const struct right *next;
    enum drive_grantee kind;
    const char *who;
    enum drive_role role;
    bool here;    /* granted at the item itself */
    bool expires; /* ends by itself */
    bool no_download;
};

struct drive_place {
    struct drive_place *next; /* in its bucket */
    int64_t item;
    const struct right *rights; /* as what is in it has them */
    bool trashed, gone;
};

struct drive_group {
    struct drive_group *next;
    const char *email;
    bool in;
};

struct drive_opened {
    const struct drive_opened *next;
    const struct drive_link *link;
};

void drive_viewer(struct tx *tx, const struct actor *who, struct drive_viewer *ret)
{
    *ret = (struct drive_viewer){.tx = tx, .who = who};
    ret->domain = who->id && who->email ? email_domain(who->email) : "";
}

/* What was found out about folders is found out anew. */
int drive_viewer_add(struct drive_viewer *v, const struct drive_link *l)
{
    struct drive_opened *new = arena_alloc(v->tx->arena, sizeof *new);
    if (arena_failed(v->tx->arena))
        return sosia_fail_memory(v->tx->err);
    *new = (struct drive_opened){v->opened, l};
    v->opened = new;
    v->places = NULL;
    v->n_places = v->n_buckets = 0;
    return 0;
}

/* ---- who is meant ---- */

static int in_group(struct drive_viewer *v, const char *email)
{
    struct group g;
    for (struct drive_group *known = v->groups; known; known = known->next)
        if (strcmp(known->email, email) == 0)
            return known->in;
    int r = group_by_email(v->tx, email, &g);
    if (r == 1)
        r = group_has_member(v->tx, g.id, v->who->email);
    if (r < 0)
        return -1;
    struct drive_group *new = arena_alloc(v->tx->arena, sizeof *new);
    *new = (struct drive_group){v->groups, arena_strdup(v->tx->arena, email), r == 1};
    if (!arena_failed(v->tx->arena))
        v->groups = new;
    return r == 1;
}

int drive_is_meant(struct drive_viewer *v, enum drive_grantee kind, const char *who)
{
    if (kind == GRANT_ANYONE)
        return !v->only_direct;
    if (!v->who->id)
        return 0;
    if (!*v->who->email) /* a library, which nothing is given to: what was its own */
        return kind == GRANT_PERSON && v->who->handle && strcmp(who, v->who->handle) == 0;
    if (kind == GRANT_PERSON)
        return strcmp(who, v->who->email) == 0;
    if (kind == GRANT_DOMAIN)
        return !v->only_direct && strcmp(who, v->domain) == 0;
    return in_group(v, who);
}

/* ---- rights on the way down ---- */

static const struct right *find_right(const struct right *list, enum drive_grantee kind,
                                      const char *who)
{
    for (; list; list = list->next)
        if (list->kind == kind && strcmp(list->who, who) == 0)
            return list;
    return NULL;
}

/* The list without that grantee. */
static const struct right *without(struct arena *a, const struct right *list,
                                   const struct right *gone)
{
    if (!gone)
        return list;
    const struct right *out = gone->next;
    for (; list != gone; list = list->next) {
        struct right *copy = arena_alloc(a, sizeof *copy);
        *copy = *list;
        copy->next = out;
        out = copy;
    }
    return out;
}

static void put_right(struct arena *a, const struct right **list, struct right right, bool instead)
{
    const struct right *old = find_right(*list, right.kind, right.who);
    if (old && !instead && old->role >= right.role)
        return;
    struct right *new = arena_alloc(a, sizeof *new);
    *new = right;
    new->next = without(a, *list, old);
    *list = new;
}

/* Adds what is granted at the item itself. */
static int add_grants(struct drive_viewer *v, int64_t item, const struct right **list)
{
    static struct sql_text q =
        SQL_TEXT("select kind, who, role, lowers, expires_us from drive_grant where item = :item "
                 "and view is null order by id");
    struct arena *a = v->tx->arena;
    sqlite3_stmt *st = TX_QUERY(v->tx, &q, item);
    int r;
    if (!st)
        return -1;
    while ((r = TX_STEP(v->tx, st)) == 1) {
        int64_t until = sqlite3_column_int64(st, 4);
        struct right right = {.kind = (enum drive_grantee)sqlite3_column_int(st, 0),
                              .who = (const char *)sqlite3_column_text(st, 1),
                              .role = (enum drive_role)sqlite3_column_int(st, 2),
                              .here = true,
                              .expires = until};
        int meant = drive_is_meant(v, right.kind, right.who);
        if (meant < 0) {
            sql_done(st);
            return -1;
        }
        if (!meant || (until && until <= v->tx->now_us))
            continue;
        right.who = arena_strdup(a, right.who);
        put_right(a, list, right, sqlite3_column_int(st, 3));
    }
    return r;
}

/* Adds what links give that the viewer has opened. */
static void add_opened(struct drive_viewer *v, int64_t item, const struct right **list)
{
    for (const struct drive_opened *o = v->opened; o && !v->only_direct; o = o->next)
        if (o->link->item == item)
            put_right(v->tx->arena, list,
                      (struct right){.kind = GRANT_ANYONE,
                                     .who = o->link->token,
                                     .role = drive_link_role(o->link),
                                     .here = true,
                                     .expires = o->link->expires_us,
                                     .no_download = o->link->no_download},
                      false);
}

/* What is left of rights from above at a folder of limited access: organizers', and for the others
 * that they see that there is such a folder. */
static const struct right *limit(struct arena *a, const struct right *list)
{
    const struct right *out = NULL;
    for (; list; list = list->next) {
        struct right right = *list;
        if (right.role < ROLE_ORGANIZER)
            right.role = right.role ? ROLE_SEES : ROLE_NONE;
        put_right(a, &out, right, true);
    }
    return out;
}

/* Rights as the content of a folder has them: its owner may write, and what was only seen is not
 * seen below. */
static const struct right *below(struct drive_viewer *v, const struct right *list, int64_t owner)
{
    struct arena *a = v->tx->arena;
    const struct right *out = NULL;
    bool same = true;
    for (const struct right *r = list; r; r = r->next)
        same = same && r->role != ROLE_SEES && !r->here;
    if (same)
        out = list;
    else
        for (; list; list = list->next) {
            struct right right = *list;
            right.here = false;
            if (right.role != ROLE_SEES)
                put_right(a, &out, right, true);
        }
    if (owner && owner == v->who->id)
        put_right(a, &out,
                  (struct right){.kind = GRANT_PERSON, .who = v->who->email, .role = ROLE_WRITER},
                  false);
    return out;
}

/* ---- places ---- */

static struct drive_place *find_place(const struct drive_viewer *v, int64_t item)
{
    if (!v->n_buckets)
        return NULL;
    struct drive_place *p = v->places[(uint64_t)item % v->n_buckets];
    while (p && p->item != item)
        p = p->next;
    return p;
}

static void grow_places(struct drive_viewer *v)
{
    size_t n = v->n_buckets ? v->n_buckets * 4 + 1 : 31;
    struct drive_place **new = arena_calloc(v->tx->arena, n, sizeof *new);
    if (arena_failed(v->tx->arena))
        return;
    for (size_t i = 0; i < v->n_buckets; i++)
        for (struct drive_place *p = v->places[i], *next; p; p = next) {
            next = p->next;
            p->next = new[(uint64_t)p->item % n];
            new[(uint64_t)p->item % n] = p;
        }
    v->places = new;
    v->n_buckets = n;
}

static void keep_place(struct drive_viewer *v, struct drive_place *p)
{
    if (v->n_places >= v->n_buckets)
        grow_places(v);
    if (arena_failed(v->tx->arena))
        return;
    v->n_places++;
    p->next = v->places[(uint64_t)p->item % v->n_buckets];
    v->places[(uint64_t)p->item % v->n_buckets] = p;
}

/* An item's rights, with what comes from its parent (NULL: it is in no folder). */
static int rights_at(struct drive_viewer *v, int64_t item, unsigned flags,
                     const struct drive_place *parent, const struct right **ret)
{
    const struct right *list = parent ? parent->rights : NULL;
    if (flags & DRIVE_LIMITED)
        list = limit(v->tx->arena, list);
    if (flags & DRIVE_GRANTED && add_grants(v, item, &list) < 0)
        return -1;
    add_opened(v, item, &list);
    *ret = list;
    return 0;
}

static const struct right *best_of(const struct right *list)
{
    const struct right *best = NULL;
    for (; list; list = list->next)
        if (!best || list->role > best->role ||
            (list->role == best->role &&
             (list->kind < best->kind || (best->no_download && list->kind == best->kind))))
            best = list;
    return best;
}

enum { MAX_DEPTH_SEEN = 4096 };

/* The place of a folder: those above it that are not known yet are read on the way up, and filled
 * on the way down. NULL with *ret 0: there is no such folder. */
static int place_of(struct drive_viewer *v, int64_t folder, struct drive_place **ret)
{
    struct step {
        struct step *below;
        int64_t item;
        struct drive_node node;
    } *steps = NULL;
    struct drive_place *place = NULL;
    int64_t id = folder;
    for (int depth = 0; id && depth < MAX_DEPTH_SEEN && !(place = find_place(v, id)); depth++) {
        struct step *s = arena_alloc(v->tx->arena, sizeof *s);
        s->item = id;
        s->below = steps;
        int r = drive_node(v->tx, id, &s->node);
        if (r < 0)
            return -1;
        if (!r)
            break;
        steps = s;
        id = s->node.parent;
    }
    for (; steps; steps = steps->below) {
        struct drive_place *p = arena_calloc(v->tx->arena, 1, sizeof *p);
        const struct right *at;
        if (rights_at(v, steps->item, steps->node.flags, place, &at) < 0)
            return -1;
        p->item = steps->item;
        p->trashed = (place && place->trashed) || steps->node.flags & DRIVE_TRASHED;
        int gone = place ? place->gone : drive_is_gone(v->tx, steps->item, 0);
        if (gone < 0)
            return -1;
        p->gone = gone;
        p->rights = below(v, at, steps->node.owner);
        keep_place(v, p);
        place = p;
    }
    *ret = place;
    return arena_failed(v->tx->arena) ? sosia_fail_memory(v->tx->err) : 0;
}

/* Something that was given to the person or a group, however little beside what a link gives. */
static bool has_own(const struct right *list)
{
    while (list &&
           (list->role == ROLE_NONE || (list->kind != GRANT_PERSON && list->kind != GRANT_GROUP)))
        list = list->next;
    return list != NULL;
}

int drive_is_seen_gone(struct drive_viewer *v, int64_t id, int64_t parent)
{
    struct drive_place *place = NULL;
    if (!parent)
        return drive_is_gone(v->tx, id, 0);
    return place_of(v, parent, &place) < 0 ? -1 : place && place->gone;
}

int drive_role(struct drive_viewer *v, const struct drive_item *it, struct drive_access *ret)
{
    struct drive_place *parent = NULL;
    const struct right *at;
    if (it->parent && place_of(v, it->parent, &parent) < 0)
        return -1;
    if (rights_at(v, it->id, it->flags, parent, &at) < 0)
        return -1;
    const struct right *best = best_of(at);
    *ret =
        (struct drive_access){.trashed = (parent && parent->trashed) || it->flags & DRIVE_TRASHED};
    if (best) {
        ret->role = best->role;
        ret->link = (best->kind == GRANT_ANYONE || best->kind == GRANT_DOMAIN) && !has_own(at);
        ret->inherited = !best->here;
        ret->expires = best->expires;
        ret->no_download = best->no_download;
    }
    if (it->owner && it->owner == v->who->id) {
        ret->role = ROLE_OWNER;
        ret->link = ret->inherited = ret->expires = ret->no_download = false;
    }
    return 0;
}

int drive_open(struct drive_viewer *v, const char *key, enum drive_role need,
               struct drive_item *ret, struct drive_access *ret_access)
{
    int r = drive_item_by_key(v->tx, key, ret);
    if (r < 0 || (r == 1 && drive_role(v, ret, ret_access) < 0))
        return -1;
    if (!r || ret_access->role == ROLE_NONE)
        return tx_fail(v->tx, SOSIA_E_NOT_FOUND, "notFound", "fileId", "there is no item %s", key);
    if (ret_access->role < need)
        return tx_fail(v->tx, SOSIA_E_FORBIDDEN, "role", "fileId",
                       "what the caller has at %s is not enough", key);
    return 0;
}
