/* SPDX-License-Identifier: Apache-2.0 */
/* Tabs of channels and chats: what a Teams app shows there. */
#include "engine/base/codec.h"
#include "services/chat/teams/app.h"
#include "services/chat/teams/rows.h"
#include "services/chat/teams/tag.h"
#include "vendors/microsoft/query.h"

enum { MAX_NAME = 128, MAX_TABS = 1000 };

/* ---- what paths name ---- */

static int open_tabs(struct call *c, struct teams_at *at, bool change)
{
    if ((change ? teams_open_write(c, at) : teams_open(c, at)) < 0)
        return -1;
    if (param_str(c, "chat-id"))
        return teams_chat(at);
    if (teams_channel(at) < 0 || (change && teams_is_open(at) < 0))
        return -1;
    int r = change ? teams_may(at, "allowCreateUpdateRemoveTabs") : 1;
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(c);
}

static int open_tab(struct call *c, struct teams_at *at, struct teams_tab *ret, bool change)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel and key = lower(:key)");
    if (open_tabs(c, at, change) < 0)
        return -1;
    int r =
        STORED_ONE(&c->tx, &teams_tab_stored, &q, ret, at->channel.id, param_str(c, "teamsTab-id"));
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(c);
}

static const char *place_of(struct teams_at *at)
{
    struct arena *a = at->c->tx.arena;
    return at->channel.team ? arena_printf(a, "teams('%s')/channels%s/tabs", at->team.key,
                                           graph_key(a, at->channel.key))
                            : arena_printf(a, "chats%s/tabs", graph_key(a, at->channel.key));
}

/* ---- answers ---- */

static const char *in_address(struct arena *a, const char *text)
{
    char *copy = arena_alloc(a, 3 * strlen(text) + 1);
    if (!arena_failed(a))
        *percent_put(copy, text, strlen(text)) = '\0';
    return arena_failed(a) ? "" : copy;
}

static void write_app(struct json_writer *w, const char *app)
{
    json_obj(w, "teamsApp");
    teams_write_app(w, app);
    json_end(w);
}

static void write_tab(struct teams_at *at, const struct teams_tab *t, const struct odata_query *q)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const struct json *said = teams_properties(a, t->configuration);
    json_str(w, "id", t->key);
    json_str(w, "displayName", t->name);
    json_str(w, "webUrl",
             arena_printf(a,
                          "https://teams.microsoft.com/l/entity/%s/%s?label=%s&groupId=%s&tenantId="
                          "%s",
                          in_address(a, t->app), in_address(a, t->key), in_address(a, t->name),
                          at->channel.team ? at->team.key : "", at->tenant.guid));
    if (said)
        json_value(w, "configuration", said);
    else
        json_null(w, "configuration");
    if (q && odata_expands(q, "teamsApp"))
        write_app(w, t->app);
}

struct shown {
    struct teams_at *at;
    struct teams_tab *tab;
};

/* With its app, whatever $expand says: a condition may be about that. */
static int write_whole_tab(void *arg)
{
    const struct shown *s = arg;
    write_tab(s->at, s->tab, NULL);
    write_app(s->at->c->out, s->tab->app);
    return 0;
}

static int answer_tab(struct teams_at *at, const struct teams_tab *t, const struct odata_query *q)
{
    json_obj(at->c->out, NULL);
    graph_context(at->c, "%s/$entity", place_of(at));
    write_tab(at, t, q);
    json_end(at->c->out);
    return 0;
}

/* ---- methods ---- */

static int tabs_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel order by id");
    struct odata_query options;
    struct teams_tab t;
    struct teams_at at;
    int r;
    if (open_tabs(c, &at, false) < 0 ||
        teams_options(c, "teamsTab", "$select $expand $filter", &options) < 0 ||
        graph_select(c, &options, ODATA_KEEP_ID, true) < 0)
        return -1;
    sqlite3_stmt *st = STORED_QUERY(&c->tx, &teams_tab_stored, &q, at.channel.id);
    json_obj(c->out, NULL);
    graph_context(c, "%s", place_of(&at));
    json_arr(c->out, "value");
    while ((r = stored_next(&c->tx, &teams_tab_stored, st, &t)) == 1) {
        struct shown shown = {&at, &t};
        int asked = teams_is_asked(c, &options, write_whole_tab, &shown);
        if (asked < 0) {
            sql_done(st);
            return -1;
        }
        if (!asked)
            continue;
        json_obj(c->out, NULL);
        write_tab(&at, &t, &options);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int tab_get(struct call *c)
{
    struct odata_query options;
    struct teams_tab t;
    struct teams_at at;
    return open_tab(c, &at, &t, false) < 0 ||
                   teams_options(c, "teamsTab", "$select $expand", &options) < 0 ||
                   graph_select(c, &options, ODATA_KEEP_ID, false) < 0
               ? -1
               : answer_tab(&at, &t, &options);
}

static int take_tab(struct teams_at *at, const struct json *body, struct teams_tab *t)
{
    const char *name = json_get_str(body, "displayName");
    const struct json *said = json_get(body, "configuration");
    if (name)
        t->name = name;
    if (!t->name || !*t->name || strlen(t->name) > MAX_NAME)
        return teams_bad(at->c, "The tab's displayName must have 1 to 128 characters.");
    if (said)
        t->configuration = said->type == JSON_OBJECT ? json_to_text(at->c->tx.arena, said) : NULL;
    return 0;
}

static int tab_create(struct call *c)
{
    static const char front[] = "/appCatalogs/teamsApps/";
    static struct sql_text count =
        SQL_TEXT("select count(*) from teams_tab where channel = :channel");
    const struct json *body;
    struct teams_tab t = {.key = NULL};
    struct teams_at at;
    if (open_tabs(c, &at, true) < 0 || !(body = call_body(c)))
        return -1;
    const char *bind = json_get_str(body, "teamsApp@odata.bind"),
               *app = bind ? strstr(bind, front) : NULL;
    if (!app || !app[sizeof front - 1])
        return teams_bad(c, "The tab must have a teamsApp@odata.bind.");
    int64_t n;
    if (TX_INT(&c->tx, &count, &n, at.channel.id) < 0)
        return -1;
    if (n >= MAX_TABS)
        return teams_bad(c, "The channel has as many tabs as there may be.");
    t.app = app + sizeof front - 1;
    t.channel = at.channel.id;
    if (take_tab(&at, body, &t) < 0 || !(t.key = teams_key(&c->tx, CHAT_THING_TEAM, CHAT_PUBLIC)) ||
        stored_add(&c->tx, &teams_tab_stored, &t) < 0)
        return -1;
    c->status = 201;
    return answer_tab(&at, &t, NULL);
}

static int tab_update(struct call *c)
{
    static struct sql_text q = SQL_TEXT(
        "update teams_tab set name = :name, configuration = :configuration where id = :id");
    const struct json *body;
    struct teams_tab t;
    struct teams_at at;
    return open_tab(c, &at, &t, true) < 0 || !(body = call_body(c)) ||
                   take_tab(&at, body, &t) < 0 ||
                   TX_RUN(&c->tx, &q, t.name, t.configuration, t.id) < 0
               ? -1
               : answer_tab(&at, &t, NULL);
}

static int tab_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from teams_tab where id = :id");
    struct teams_tab t;
    struct teams_at at;
    c->status = 204;
    return open_tab(c, &at, &t, true) < 0 ? -1 : TX_RUN(&c->tx, &q, t.id);
}

/* ---- rows ---- */

#define TABS "/tabs"
#define TAB  TABS "/{teamsTab-id}"
#define TYPE "microsoft.graph.teamsTab"
#define READ                                                                                       \
    "TeamsTab.Read.All TeamsTab.ReadWriteForTeam TeamsTab.ReadWriteForChat "                       \
    "TeamsTab.ReadWrite.All" GROUPS DIRECTORY
#define WRITE                                                                                      \
    "TeamsTab.ReadWriteForTeam TeamsTab.ReadWriteForChat TeamsTab.ReadWrite.All" GROUPS_WRITE      \
    " Directory.ReadWrite.All"

#define ROWS_OF(id_, path, all, make, one)                                                         \
    ROW(id_ ".tabs.list", GET, (path(TABS)), tabs_list, RISK_READ, .scopes = READ, PARAMS(all),    \
        .response = TYPE "CollectionResponse", .summary = "Lists tabs"),                           \
        ROW(id_ ".tabs.create", POST, (path(TABS)), tab_create, RISK_WRITE,                        \
            .scopes = "TeamsTab.Create " WRITE, PARAMS(make), .body = BODY_JSON, .request = TYPE,  \
            .response = TYPE, .status = 201, .summary = "Adds a tab"),                             \
        ROW(id_ ".tabs.get", GET, (path(TAB)), tab_get, RISK_READ, .scopes = READ, PARAMS(one),    \
            .response = TYPE, .summary = "A tab"),                                                 \
        ROW(id_ ".tabs.update", PATCH, (path(TAB)), tab_update, RISK_WRITE, .scopes = WRITE,       \
            PARAMS(one), .body = BODY_JSON, .request = TYPE, .response = TYPE, .idempotent = true, \
            .summary = "Changes a tab"),                                                           \
        ROW(id_ ".tabs.delete", DELETE, (path(TAB)), tab_delete, RISK_WRITE, .scopes = WRITE,      \
            PARAMS(one), .status = 204, .summary = "Takes a tab away")

#define IN_CHANNEL(rest) GRAPH(CHANNEL rest)

static const struct param channel_all[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id"),
                                           OPTION("$select"), OPTION("$expand"), OPTION("$filter")};
static const struct param channel_make[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id")};
static const struct param channel_one[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id"),
                                           PATH_PARAM("teamsTab-id"), OPTION("$select"),
                                           OPTION("$expand")};
static const struct param chat_all[] = {PATH_PARAM("chat-id"), USER_PARAM, OPTION("$select"),
                                        OPTION("$expand"), OPTION("$filter")};
static const struct param chat_make[] = {PATH_PARAM("chat-id"), USER_PARAM};
static const struct param chat_one[] = {PATH_PARAM("chat-id"), USER_PARAM,
                                        PATH_PARAM("teamsTab-id"), OPTION("$select"),
                                        OPTION("$expand")};

static const struct route routes[] = {
    ROWS_OF("teams.channels", IN_CHANNEL, channel_all, channel_make, channel_one),
    ROWS_OF("teams.chats", CHAT_PATHS, chat_all, chat_make, chat_one),
};
const struct rows teams_tab_rows = ROWS(routes);
