/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of teams, with the parts that are asked for. The service copies no messages and neither
 * private nor shared channels, and leaves tabs without their configuration.
 */
#include "engine/text/civil.h"
#include "services/chat/teams/app.h"
#include "services/chat/teams/rows.h"
#include "services/chat/teams/tag.h"
#include "vendors/microsoft/query.h"
#include <strings.h>

enum part { PART_APPS = 1, PART_TABS = 2, PART_SETTINGS = 4, PART_CHANNELS = 8, PART_MEMBERS = 16 };

/* "apps,tabs": 0, -1 it has another word. */
static int read_asked(const char *text, unsigned *ret)
{
    static const char *const names[] = {"apps", "tabs", "settings", "channels", "members"};
    *ret = 0;
    while (*text) {
        const size_t n = strcspn(text, ", ");
        size_t i = 0;
        while (i < SOSIA_LEN(names) &&
               (strlen(names[i]) != n || strncasecmp(names[i], text, n) != 0))
            i++;
        if (n && i == SOSIA_LEN(names))
            return -1;
        *ret |= n ? 1u << i : 0;
        text += n + (text[n] != '\0');
    }
    return 0;
}

struct copying {
    struct teams_at *at; /* its team is the copy */
    const struct chat_team *from;
    unsigned parts;
    int rc;
};

/* Tabs of a channel, in the order in which they came, as nobody has set them up yet. */
static int copy_tabs(struct copying *k, int64_t from, int64_t to)
{
    static struct sql_text next = SQL_TEXT("where channel = :channel and id > :id order by id "
                                           "limit 1");
    struct tx *tx = &k->at->c->tx;
    struct teams_tab t = {.id = 0};
    int r;
    while ((r = STORED_ONE(tx, &teams_tab_stored, &next, &t, from, t.id)) == 1) {
        struct teams_tab made = t;
        made.channel = to;
        made.configuration = NULL;
        if (!(made.key = teams_key(tx, CHAT_THING_TEAM, CHAT_PUBLIC)) ||
            stored_add(tx, &teams_tab_stored, &made) < 0)
            return -1;
    }
    return r;
}

static int copy_channel(void *arg, const struct chat_channel *from)
{
    struct copying *k = arg;
    struct tx *tx = &k->at->c->tx;
    struct chat_channel to;
    if (from->kind != CHAT_PUBLIC || teams_is_deleted(from))
        return 0;
    if (from->general) {
        k->rc = chat_team_general(tx, k->at->team.id, &to);
    } else if (k->parts & PART_CHANNELS) {
        to = (struct chat_channel){.workspace = from->workspace,
                                   .kind = CHAT_PUBLIC,
                                   .name = from->name,
                                   .creator = k->at->me.id,
                                   .created_s = tx->now_us / US_PER_SECOND,
                                   .updated_us = tx->now_us,
                                   .topic = "",
                                   .purpose = from->purpose,
                                   .posting = "all",
                                   .previous_names = "[]",
                                   .team = k->at->team.id};
        k->rc = chat_channel_add(tx, &to) < 0 ? -1 : 1;
    } else {
        return 0;
    }
    if (k->rc == 1 && k->parts & PART_TABS)
        k->rc = copy_tabs(k, from->id, to.id);
    return k->rc < 0;
}

static int copy_member(void *arg, const struct chat_team_member *m)
{
    struct copying *k = arg;
    struct ms_user user;
    struct chat_user u;
    if (m->user == k->at->me.id) /* who copies it owns it already */
        return 0;
    int r = chat_user_get(&k->at->c->tx, m->user, &u);
    if (r == 1)
        r = ms_user_find(&k->at->c->tx, u.key, k->at->tenant.id, &user);
    k->rc = r == 1 ? teams_join(k->at, &user, m->part) : r;
    return k->rc < 0;
}

static int copy_apps(struct copying *k)
{
    static struct sql_text q =
        SQL_TEXT("insert into teams_installed (team, app) select :copy, app from teams_installed "
                 "where team = :team order by id");
    return TX_RUN(&k->at->c->tx, &q, k->at->team.id, k->from->id);
}

/* The settings of a team, without what else its row keeps. */
static const char *kept_settings(struct arena *a, const struct chat_team *t)
{
    static const char *const groups[] = {"memberSettings", "guestSettings", "messagingSettings",
                                         "funSettings", "discoverySettings"};
    const struct json *all = teams_properties(a, t->properties);
    const char *text = NULL;
    for (size_t i = 0; all && i < SOSIA_LEN(groups); i++) {
        const struct json *v = json_get(all, groups[i]);
        text = v ? teams_with(a, text ? text : "{}", groups[i], v) : text;
    }
    return text;
}

static int copy_parts(struct copying *k)
{
    struct tx *tx = &k->at->c->tx;
    if (!k->at->app && teams_join(k->at, &k->at->user, CHAT_PART_OWNER) < 0)
        return -1;
    if (k->parts & PART_MEMBERS &&
        (chat_team_members(tx, k->from->id, copy_member, k) < 0 || k->rc < 0))
        return -1;
    if (k->parts & (PART_CHANNELS | PART_TABS) &&
        (chat_team_channels(tx, k->from->id, copy_channel, k) < 0 || k->rc < 0))
        return -1;
    return k->parts & PART_APPS ? copy_apps(k) : 0;
}

static int team_clone(struct call *c)
{
    struct chat_channel primary;
    const struct json *body;
    struct ms_group old, made;
    struct teams_at at;
    unsigned parts;
    if (teams_open_write(c, &at) < 0 || teams_team(&at) < 0 || !(body = call_body(c)))
        return -1;
    const char *name = json_get_str(body, "displayName"),
               *about = json_get_str(body, "description"),
               *asked = json_get_str(body, "partsToClone");
    if (teams_check_name(c, name) < 0)
        return -1;
    if (!asked || read_asked(asked, &parts) < 0)
        return teams_bad(c, "Invalid partsToClone in request.");
    int r = ms_group_find(&c->tx, at.team.key, at.tenant.id, &old);
    if (r < 0)
        return -1;
    const struct chat_team from = at.team;
    struct chat_team t = {.workspace = at.workspace.id,
                          .name = name,
                          .description = about && *about ? about : name,
                          .created_s = c->tx.now_us / US_PER_SECOND,
                          .properties =
                              parts & PART_SETTINGS ? kept_settings(c->tx.arena, &from) : NULL};
    struct copying k = {.at = &at, .from = &from, .parts = parts};
    if (!(t.key = teams_key(&c->tx, CHAT_THING_TEAM, CHAT_PUBLIC)) ||
        teams_make_group(&c->tx, &at.tenant, &t,
                         teams_visibility(json_get_str(body, "visibility"),
                                          r == 1 && old.visibility ? old.visibility : "Public"),
                         &made) < 0 ||
        chat_team_add(&c->tx, &t) < 0 || teams_add_primary(&c->tx, &t, "General", &primary) < 0)
        return -1;
    at.team = t;
    if (copy_parts(&k) < 0)
        return -1;
    at.team = from; /* where the operation is found */
    return teams_accepted(&at, TEAMS_CLONE, t.key);
}

/* ---- rows ---- */

static const struct param params[] = {PATH_PARAM("team-id")};

static const struct route routes[] = {
    ROW("teams.teams.clone", POST, (GRAPH(TEAM "/clone")), team_clone, RISK_WRITE,
        .scopes = TEAM_CREATE, PARAMS(params), .body = BODY_JSON,
        .request = "microsoft.graph.team.clone", .status = 202,
        .summary = "Makes a team like another, with its apps, tabs, settings, channels, members"),
};
const struct rows teams_clone_rows = ROWS(routes);
