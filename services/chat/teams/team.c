/* SPDX-License-Identifier: Apache-2.0 */
/* Teams and the groups that they are: first channels, who comes and goes. */
#include "engine/base/utf8.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/teams/teams.h"
#include <ctype.h>
#include <strings.h>

int teams_add_primary(struct tx *tx, const struct chat_team *t, const char *name,
                      struct chat_channel *ret)
{
    *ret = (struct chat_channel){.workspace = t->workspace,
                                 .key = teams_new_channel_key(tx, true),
                                 .name = name,
                                 .created_s = t->created_s,
                                 .updated_us = t->created_s * US_PER_SECOND,
                                 .topic = "",
                                 .purpose = *t->description ? t->description : t->name,
                                 .general = true,
                                 .posting = "all",
                                 .previous_names = "[]",
                                 .team = t->id};
    return ret->key ? chat_channel_add(tx, ret) : -1;
}

/* The directory's group of a team. 1, 0, -1. */
static int group_of(struct tx *tx, const struct chat_team *t, struct ms_group *ret)
{
    return ms_group_find(tx, t->key, 0, ret);
}

/* Letters and digits of a name, as an address begins. */
static const char *nickname(struct arena *a, const char *name)
{
    char *text = arena_strdup(a, name);
    size_t n = 0;
    for (const char *p = name; *p && n < 60; p++)
        if (isalnum((unsigned char)*p))
            text[n++] = (char)tolower((unsigned char)*p);
    text[n] = 0;
    return n ? text : "team";
}

/* An address that is free. */
static const char *free_address(struct tx *tx, const char *name, const char *domain)
{
    const char *base = nickname(tx->arena, name), *email;
    struct group other;
    struct actor who;
    int r = 1;
    for (int i = 0; r == 1 && i < 1000; i++) {
        email = i ? arena_printf(tx->arena, "%s%d@%s", base, i, domain)
                  : arena_printf(tx->arena, "%s@%s", base, domain);
        r = group_by_email(tx, email, &other);
        if (r == 0)
            r = actor_by_email(tx, email, &who);
    }
    return r == 0 ? email : NULL;
}

const char *teams_visibility(const char *said, const char *otherwise)
{
    return !said                              ? otherwise
           : strcasecmp(said, "private") == 0 ? "Private"
           : strcasecmp(said, "public") == 0  ? "Public"
                                              : "HiddenMembership";
}

int teams_check_name(struct call *c, const char *name)
{
    return name && *name && utf8_count(name, strlen(name)) <= 256
               ? 0
               : teams_bad(c, "DisplayName must be specified and can be at most 256 characters.");
}

int teams_make_group(struct tx *tx, const struct ms_tenant *tenant, const struct chat_team *t,
                     const char *visibility, struct ms_group *ret)
{
    *ret = (struct ms_group){.tenant = tenant->id,
                             .oid = t->key,
                             .email = free_address(tx, t->name, tenant->domain),
                             .name = t->name,
                             .description = *t->description ? t->description : NULL,
                             .visibility = visibility,
                             .unified = true,
                             .mail = true,
                             .listed = true};
    if (!ret->email)
        return tx_fail(tx, SOSIA_E_CONFLICT, "address", NULL, "no address is free for \"%.80s\"",
                       t->name);
    return ms_group_new(tx, ret);
}

/* ---- who is in it ---- */

/* In the group, and its owner or not. */
static int join_group(struct tx *tx, const struct chat_team *t, const struct ms_user *user,
                      enum chat_part part)
{
    struct ms_group g;
    const char *email;
    int r = group_of(tx, t, &g);
    if (r != 1)
        return r;
    if (ms_user_address(tx, user, &email) < 0 || group_add_member(tx, g.addresses, email) < 0)
        return -1;
    r = part == CHAT_PART_OWNER ? ms_owner_add(tx, g.id, user->id)
                                : ms_owner_drop(tx, g.id, user->id);
    return r < 0 ? -1 : 0;
}

int teams_join(struct teams_at *at, const struct ms_user *user, enum chat_part part)
{
    struct chat_channel primary;
    struct chat_user u;
    if (teams_person(at, user, &u) < 0 ||
        chat_team_member_set(&at->c->tx, &(struct chat_team_member){at->team.id, u.id, part}) < 0 ||
        join_group(&at->c->tx, &at->team, user, part) < 0)
        return -1;
    int r = chat_team_general(&at->c->tx, at->team.id, &primary);
    if (r == 1)
        r = chat_member_add(&at->c->tx, &primary, u.id, 0);
    return r < 0 ? -1 : 0;
}

int teams_leave(struct teams_at *at, const struct chat_user *u)
{
    struct ms_user user;
    struct ms_group g;
    const char *email;
    if (chat_team_member_remove(&at->c->tx, at->team.id, u->id) < 0)
        return -1;
    int r = ms_user_find(&at->c->tx, u->key, at->tenant.id, &user);
    if (r == 1)
        r = group_of(&at->c->tx, &at->team, &g);
    if (r != 1)
        return r < 0 ? -1 : 0;
    return ms_user_address(&at->c->tx, &user, &email) < 0 ||
                   group_drop_member(&at->c->tx, g.addresses, email) < 0 ||
                   ms_owner_drop(&at->c->tx, g.id, user.id) < 0
               ? -1
               : 0;
}

/* ---- seed documents ---- */

struct coming {
    struct tx *tx;
    const struct chat_team *team;
    int64_t tenant;
    int rc;
};

static int came_member(void *arg, const struct chat_team_member *m)
{
    struct coming *k = arg;
    struct ms_user user;
    struct chat_user u;
    int r = chat_user_get(k->tx, m->user, &u);
    if (r == 1)
        r = ms_user_find(k->tx, u.key, k->tenant, &user);
    k->rc = r == 1 ? join_group(k->tx, k->team, &user, m->part) : r;
    return k->rc < 0;
}

int teams_team_came(struct tx *tx, const struct chat_team *t)
{
    struct coming k = {.tx = tx, .team = t};
    struct chat_workspace w;
    struct ms_tenant tenant;
    struct ms_group g;
    if (chat_workspace_get(tx, t->workspace, &w) != 1 || ms_tenant_find(tx, w.key, &tenant) != 1)
        return -1;
    k.tenant = tenant.id;
    if (teams_is_gone(t))
        return 0;
    int r = group_of(tx, t, &g);
    if (r < 0 || (r == 0 && teams_make_group(tx, &tenant, t, "Public", &g) < 0))
        return -1;
    return chat_team_members(tx, t->id, came_member, &k) < 0 || k.rc < 0 ? -1 : 0;
}

static int complete_member(void *arg, const struct chat_team_member *m)
{
    struct coming *k = arg;
    struct chat_channel primary;
    int r = chat_team_general(k->tx, k->team->id, &primary);
    k->rc = r == 1 ? chat_member_add(k->tx, &primary, m->user, 0) : r;
    return k->rc < 0;
}

static int complete_team(void *arg, const struct chat_team *t)
{
    struct coming *k = arg;
    struct chat_channel ch;
    k->team = t;
    k->rc = chat_team_general(k->tx, t->id, &ch);
    if (k->rc == 0)
        k->rc = teams_add_primary(k->tx, t, "General", &ch);
    if (k->rc >= 0 && chat_team_members(k->tx, t->id, complete_member, k) < 0)
        k->rc = -1;
    return k->rc < 0;
}

/* Runs for every document, behind teams and channels. */
int teams_complete(struct tx *tx, struct doc *doc, const struct json *value)
{
    struct chat_workspace w = {.id = 0};
    struct coming k = {.tx = tx};
    int r;
    (void)doc;
    (void)value;
    while ((r = chat_workspace_first(tx, w.id, &w)) == 1)
        if (strcmp(w.vendor, "microsoft") == 0 &&
            (chat_teams(tx, w.id, 0, complete_team, &k) < 0 || k.rc < 0))
            return -1;
    return r;
}
