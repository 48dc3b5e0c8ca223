/* SPDX-License-Identifier: Apache-2.0 */
/* Teams follow their groups: who is put into a group of Microsoft 365 or taken out by the directory
 * is in its team or not, owners are owners of both, and with the group the team goes. */
#include "services/chat/teams/teams.h"

/* The team of a group, with its workspace. 1, 0, -1. */
static int team_of(struct tx *tx, const struct ms_group *g, struct chat_workspace *w,
                   struct chat_team *ret)
{
    struct ms_tenant tenant;
    int r = ms_tenant_get(tx, g->tenant, &tenant);
    if (r == 1)
        r = chat_workspace_find(tx, tenant.guid, w);
    if (r == 1)
        r = chat_team_find(tx, w->id, g->oid, ret);
    return r == 1 && teams_is_gone(ret) ? 0 : r;
}

static int is_team(struct tx *tx, const struct ms_group *g)
{
    struct chat_workspace w;
    struct chat_team t;
    return team_of(tx, g, &w, &t);
}

struct listed {
    struct tx *tx;
    int64_t *users;
    size_t n, cap;
};

static int list_one(void *arg, const struct chat_team_member *m)
{
    struct listed *l = arg;
    int64_t *users = arena_grow(l->tx->arena, l->users, l->n, &l->cap, sizeof *users);
    if (!users)
        return 1;
    l->users = users;
    l->users[l->n++] = m->user;
    return 0;
}

/* A user of the group is in the team, too, with the part that it has there. */
static int put_in(struct tx *tx, const struct ms_group *g, const struct chat_team *t,
                  const struct ms_user *user, int64_t *ret)
{
    struct chat_channel primary;
    struct chat_user u;
    int owner = ms_owner_is(tx, g->id, user->id);
    if (owner < 0 || teams_user_in(tx, t->workspace, user, &u) < 0)
        return -1;
    const struct chat_team_member m = {t->id, u.id,
                                       user->guest ? CHAT_PART_GUEST
                                       : owner     ? CHAT_PART_OWNER
                                                   : CHAT_PART_MEMBER};
    *ret = u.id;
    if (chat_team_member_set(tx, &m) < 0)
        return -1;
    int r = chat_team_general(tx, t->id, &primary);
    if (r == 1)
        r = chat_member_add(tx, &primary, u.id, 0);
    return r < 0 ? -1 : 0;
}

static int follow_members(struct tx *tx, const struct ms_group *g, const struct chat_team *t)
{
    struct listed before = {.tx = tx}, now = {.tx = tx};
    const char *email = "";
    int r;
    if (chat_team_members(tx, t->id, list_one, &before) < 0)
        return -1;
    while ((r = group_next_member(tx, g->addresses, email, &email)) == 1) {
        struct ms_user user;
        struct chat_team_member m = {.team = t->id};
        int is = ms_user_find(tx, email, g->tenant, &user);
        if (is < 0 || (is == 1 && put_in(tx, g, t, &user, &m.user) < 0))
            return -1;
        if (is == 1)
            list_one(&now, &m);
    }
    for (size_t i = 0; r == 0 && i < before.n; i++) {
        bool there = false;
        for (size_t k = 0; k < now.n; k++)
            there |= now.users[k] == before.users[i];
        if (!there && chat_team_member_remove(tx, t->id, before.users[i]) < 0)
            return -1;
    }
    return r;
}

static int group_changed(struct tx *tx, const struct ms_group *g)
{
    static const char *const changed[] = {"name", "description", NULL};
    const char *about = g->description ? g->description : "";
    struct chat_workspace w;
    struct chat_team t;
    int r = team_of(tx, g, &w, &t);
    if (r != 1)
        return r;
    if (strcmp(t.name, g->name) != 0 || strcmp(t.description, about) != 0) {
        t.name = g->name;
        t.description = about;
        if (chat_team_save(tx, &t, changed) < 0)
            return -1;
    }
    return follow_members(tx, g, &t);
}

/* What was written in it stays, and nobody sees it. */
static int group_gone(struct tx *tx, const struct ms_group *g)
{
    static const char *const changed[] = {"properties", NULL};
    static const struct json yes = {.type = JSON_BOOL, .truth = true};
    struct listed all = {.tx = tx};
    struct chat_workspace w;
    struct chat_team t;
    int r = team_of(tx, g, &w, &t);
    if (r != 1)
        return r;
    if (chat_team_members(tx, t.id, list_one, &all) < 0)
        return -1;
    for (size_t i = 0; i < all.n; i++)
        if (chat_team_member_remove(tx, t.id, all.users[i]) < 0)
            return -1;
    t.properties = teams_with(tx->arena, t.properties ? t.properties : "{}", "deleted", &yes);
    return chat_team_save(tx, &t, changed);
}

bool teams_is_gone(const struct chat_team *t)
{
    return t->properties && strstr(t->properties, "\"deleted\":true");
}

const struct graph_team teams_group_record = {
    .is = is_team, .changed = group_changed, .gone = group_gone};
