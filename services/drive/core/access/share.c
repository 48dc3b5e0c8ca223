/* SPDX-License-Identifier: Apache-2.0 */
/* Who an item is shared with, from the top of its tree down to it. */
#include "engine/world/take.h"
#include "services/drive/core/access/share.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/names.h"
#include <stdlib.h>

struct list {
    struct drive_share *shares;
    size_t n, room;
};

static struct drive_share *find_share(const struct list *l, enum drive_grantee kind,
                                      const char *who)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->shares[i].kind == kind && strcmp(l->shares[i].who, who) == 0)
            return &l->shares[i];
    return NULL;
}

static struct drive_share *make_share(struct tx *tx, struct list *l, enum drive_grantee kind,
                                      const char *who)
{
    struct drive_share *s = find_share(l, kind, who);
    if (s)
        return s;
    struct drive_share *list = arena_grow(tx->arena, l->shares, l->n, &l->room, sizeof *list);
    if (list)
        l->shares = list;
    s = list ? &list[l->n++] : arena_calloc(tx->arena, 1, sizeof *s); /* which has failed */
    *s = (struct drive_share){.kind = kind, .who = who};
    return s;
}

static void add_from(struct tx *tx, struct drive_share *s, enum drive_role role, int64_t item,
                     bool top)
{
    struct drive_share_from *from = arena_alloc(tx->arena, sizeof *from);
    *from = (struct drive_share_from){s->from, role, item, top};
    s->from = from;
    if (role > s->role)
        s->role = role;
}

/* What comes from above does not count in a folder of limited access, but for organizers: others
 * see that there is one. */
static void limit_shares(struct tx *tx, struct list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        struct drive_share *s = &l->shares[i];
        struct drive_share_from *all = s->from, **end = &s->from;
        bool any = s->role != ROLE_NONE;
        s->role = ROLE_NONE;
        for (const struct drive_share_from *f = all; f; f = f->next) {
            if (f->role < ROLE_ORGANIZER)
                continue;
            struct drive_share_from *kept = arena_alloc(tx->arena, sizeof *kept);
            *kept = *f;
            *end = kept;
            end = &kept->next;
            s->role = f->role > s->role ? f->role : s->role;
        }
        *end = NULL;
        if (s->role == ROLE_NONE && any) {
            s->role = ROLE_SEES;
            s->beyond = all;
        }
    }
}

static int add_level(struct tx *tx, struct list *l, const struct drive_item *level, bool last,
                     bool published)
{
    struct drive_grant *grants = NULL;
    size_t n = 0;
    if (level->flags & DRIVE_LIMITED)
        limit_shares(tx, l);
    for (size_t i = 0; last && i < l->n; i++)
        l->shares[i].above = l->shares[i].role;
    if (level->flags & DRIVE_GRANTED && drive_grants(tx, level->id, &grants, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct drive_grant *g = &grants[i];
        if ((g->view && (!last || !published)) || (g->expires_us && g->expires_us <= tx->now_us))
            continue;
        struct drive_share *s = make_share(tx, l, g->kind, g->who);
        if (g->lowers) {
            s->from = NULL;
            s->role = ROLE_NONE;
        }
        if (g->role != ROLE_NONE)
            add_from(tx, s, g->role, level->id, level->top == DRIVE_SHARED);
        s->discoverable = g->discoverable;
        s->expires_us = g->role >= s->role ? g->expires_us : s->expires_us;
        s->view = g->view;
        s->grant = last ? g->id : 0;
        s->direct = last ? g->role : ROLE_NONE;
        s->pending = last && g->pending;
    }
    return 0;
}

/* The owner of a folder may write in it; what was only seen is not seen below. */
static int go_below(struct tx *tx, struct list *l, const struct drive_item *level)
{
    struct actor owner;
    for (size_t i = 0; i < l->n; i++)
        if (l->shares[i].role == ROLE_SEES) {
            l->shares[i].role = ROLE_NONE;
            l->shares[i].beyond = NULL;
        }
    if (!level->owner)
        return 0;
    int r = actor_by_id(tx, level->owner, &owner);
    if (r == 1 && *owner.email)
        add_from(tx, make_share(tx, l, GRANT_PERSON, owner.email), ROLE_WRITER, level->id, false);
    return r < 0 ? -1 : 0;
}

static int add_owner(struct tx *tx, struct list *l, const struct drive_item *it)
{
    struct actor owner;
    int r = it->owner ? actor_by_id(tx, it->owner, &owner) : 0;
    if (r != 1)
        return r;
    struct drive_share *s = make_share(tx, l, GRANT_PERSON, owner.email);
    *s = (struct drive_share){.kind = GRANT_PERSON, .who = owner.email, .owns = true};
    add_from(tx, s, ROLE_OWNER, it->id, false);
    if (it->parent) /* what they may write in is theirs too, as live answers list it */
        add_from(tx, s, ROLE_WRITER, it->parent, false);
    return 0;
}

struct ancestors {
    struct tx *tx;
    struct step {
        struct step *below;
        struct drive_item item;
    } * top;
};

static int note_ancestor(void *arg, const struct drive_item *folder)
{
    struct ancestors *a = arg;
    struct step *s = arena_alloc(a->tx->arena, sizeof *s);
    *s = (struct step){a->top, *folder};
    if (!arena_failed(a->tx->arena))
        a->top = s;
    return 0;
}

static int compare_shares(const void *a, const void *b)
{
    const struct drive_share *x = a, *y = b;
    if (x->owns != y->owns)
        return x->owns ? 1 : -1;
    if (!x->grant != !y->grant)
        return x->grant ? -1 : 1;
    if (x->grant != y->grant)
        return x->grant > y->grant ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->who, y->who);
}

int drive_shares(struct tx *tx, const struct drive_item *it, bool published,
                 struct drive_share **ret, size_t *ret_n)
{
    struct ancestors up = {.tx = tx};
    struct list l = {0};
    size_t n = 0;
    if (drive_each_ancestor(tx, it, note_ancestor, &up) < 0)
        return -1;
    for (struct step *s = up.top; s; s = s->below)
        if (add_level(tx, &l, &s->item, false, false) < 0 || go_below(tx, &l, &s->item) < 0)
            return -1;
    if (add_level(tx, &l, it, true, published) < 0 || add_owner(tx, &l, it) < 0)
        return -1;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < l.n; i++)
        if (l.shares[i].role != ROLE_NONE)
            l.shares[n++] = l.shares[i];
    if (n)
        qsort(l.shares, n, sizeof *l.shares, compare_shares);
    *ret = l.shares;
    *ret_n = n;
    return 0;
}

/* ---- changes ---- */

struct to_show {
    struct tx *tx;
    int64_t item, sharer;
    bool shown; /* it comes to be shared, or it is no longer */
};

static int show_to(void *arg, const char *email)
{
    struct to_show *t = arg;
    struct drive_item it = {.id = t->item};
    struct drive_mine mine;
    struct actor who;
    int r = actor_by_email(t->tx, email, &who);
    if (r != 1)
        return r;
    if (drive_mine(t->tx, &it, who.id, &mine) < 0)
        return -1;
    if (t->shown ? mine.shared_us || who.id == t->sharer : !mine.shared_us)
        return 0;
    mine.shared_us = t->shown ? drive_when(t->tx->now_us) : 0;
    mine.sharer = t->shown ? t->sharer : 0;
    return drive_mine_save(t->tx, t->item, who.id, &mine);
}

/* People whom something is given, themselves or as members of a group, have it among what is shared
 * with them; what is in a shared drive is not among that. */
static int show(struct tx *tx, const struct drive_item *it, enum drive_grantee kind,
                const char *who, int64_t sharer, bool shown)
{
    struct to_show t = {tx, it->id, sharer, shown};
    struct group g;
    if (it->drive)
        return 0;
    if (kind == GRANT_PERSON)
        return show_to(&t, who) < 0 ? -1 : 0;
    if (kind != GRANT_GROUP)
        return 0;
    int r = group_by_email(tx, who, &g);
    if (r == 1)
        r = group_each_member(tx, g.id, show_to, &t);
    return r < 0 ? -1 : 0;
}

static int set_due(struct tx *tx, const struct drive_grant *g)
{
    if (due_cancel(tx, DRIVE_CORE, DUE_GRANT, g->id) < 0)
        return -1;
    return g->expires_us ? due_add(tx, g->expires_us, DRIVE_CORE, DUE_GRANT, g->id) : 0;
}

int drive_share_set(struct tx *tx, struct drive_item *it, const struct drive_share *share,
                    struct drive_grant *g, int64_t sharer)
{
    g->item = it->id;
    g->id = share ? share->grant : 0;
    g->lowers = false;
    if (g->role == ROLE_NONE) {
        if (show(tx, it, g->kind, g->who, sharer, false) < 0)
            return -1;
        if (!g->id)
            return 0;
        if (due_cancel(tx, DRIVE_CORE, DUE_GRANT, g->id) < 0)
            return -1;
        return drive_grant_remove(tx, it, g);
    }
    if (drive_grant_set(tx, it, g) < 0 || set_due(tx, g) < 0 ||
        (it->top == DRIVE_SHARED && drive_member_changed(tx, it, g->kind, g->who) < 0))
        return -1;
    return show(tx, it, g->kind, g->who, sharer, true);
}

int drive_share_give(struct tx *tx, struct drive_item *it, const struct actor *owner, bool to_root)
{
    struct drive_grant *grants;
    struct drive_item root;
    struct actor was;
    size_t n;
    if (actor_by_id(tx, it->owner, &was) < 0 || drive_grants(tx, it->id, &grants, &n) < 0)
        return -1;
    struct drive_grant writer = {.kind = GRANT_PERSON, .who = was.email, .role = ROLE_WRITER};
    if (to_root) {
        int r = drive_root(tx, owner->id, &root);
        if (r < 0)
            return -1;
        if (r && it->parent != root.id && drive_moves(tx, it) < 0)
            return -1;
        if (r)
            it->parent = root.id;
    }
    it->owner = owner->id;
    if (drive_name_settle(tx, it, CONFLICT_RENAME, NULL) < 0 || drive_hosts(tx, it) < 0 ||
        drive_grant_set(tx, it, &writer) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (grants[i].kind == GRANT_PERSON && strcmp(grants[i].who, owner->email) == 0 &&
            (due_cancel(tx, DRIVE_CORE, DUE_GRANT, grants[i].id) < 0 ||
             drive_grant_remove(tx, it, &grants[i]) < 0))
            return -1;
    return show(tx, it, GRANT_PERSON, owner->email, 0, false);
}

int drive_share_expired(struct tx *tx, int64_t grant)
{
    static struct sql_text q =
        SQL_TEXT("select item, kind, who, lowers, created_us from drive_grant "
                 "where id = :id and expires_us <= :now");
    struct drive_item it;
    struct drive_grant g = {.id = grant};
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, grant, tx->now_us), &g.item, &g.kind, &g.who, &g.lowers,
                    &g.created_us);
    if (r != 1)
        return r;
    r = drive_item_by_id(tx, g.item, &it);
    if (r != 1 || show(tx, &it, g.kind, g.who, 0, false) < 0)
        return r != 1 ? r : -1;
    if (!g.lowers)
        return drive_grant_remove(tx, &it, &g);
    /* Without it they would have more than with it. */
    return drive_removed(tx, &it, g.kind, g.who) < 0 ? -1 : drive_grant_set(tx, &it, &g);
}
