/* SPDX-License-Identifier: Apache-2.0 */
/* Installed apps of teams, chats and users, and the catalog. Bots don't come with apps, nor do apps
 * run: what is kept is that they are there. */
#include "engine/base/codec.h"
#include "services/chat/teams/app.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/query.h"

#define VERSION "1.0.0"
enum { MAX_APP = 200, MAX_INSTALLED = 500 };

/* Where the path says. */
struct at_apps {
    struct teams_at at;
    struct teams_installed of; /* without an app */
    const char *key;   /* of the team, the chat or the user, as ids of installations have it */
    const char *place; /* of contexts */
};

static int open_user(struct call *c, struct at_apps *ret, bool change)
{
    struct ms_user user;
    const char *id = param_str(c, "user-id");
    struct teams_at *at = &ret->at;
    int r = id ? ms_user_find(&c->tx, id, at->tenant.id, &user) : at->user.id != 0;
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    if (!id)
        user = at->user;
    if (!at->app && user.id != at->user.id)
        return graph_denied(c);
    ret->key = user.oid;
    ret->place = arena_printf(c->tx.arena, "users('%s')/teamwork/installedApps", user.oid);
    struct chat_user u = {.id = 0};
    if (change ? teams_person(at, &user, &u) < 0
               : at->workspace.id && chat_user_find(&c->tx, at->workspace.id, user.oid, &u) < 0)
        return -1;
    ret->of.user = u.id;
    return 0;
}

static int open_team(struct call *c, struct at_apps *ret, bool change)
{
    struct teams_at *at = &ret->at;
    if (teams_team(at) < 0)
        return -1;
    ret->key = at->team.key;
    ret->of.team = at->team.id;
    ret->place = arena_printf(c->tx.arena, "teams('%s')/installedApps", at->team.key);
    if (!change)
        return 0;
    int r = at->team.archived ? 0 : teams_may(at, "allowAddRemoveApps");
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(c);
}

static int open_apps(struct call *c, struct at_apps *ret, bool change)
{
    *ret = (struct at_apps){.key = NULL};
    struct teams_at *at = &ret->at;
    if ((change ? teams_open_write(c, at) : teams_open(c, at)) < 0)
        return -1;
    if (param_given(c, "team-id"))
        return open_team(c, ret, change);
    if (!param_given(c, "chat-id"))
        return open_user(c, ret, change);
    if (teams_chat(at) < 0)
        return -1;
    ret->key = at->channel.key;
    ret->of.channel = at->channel.id;
    ret->place =
        arena_printf(c->tx.arena, "chats%s/installedApps", graph_key(c->tx.arena, at->channel.key));
    return 0;
}

/* "6903fa93-...##07335edf-..." */
static const char *installation_id(const struct at_apps *k, const char *app)
{
    struct arena *a = k->at.c->tx.arena;
    const char *text = arena_printf(a, "%s##%s", k->key, app);
    return base64_text(a, NULL, text, strlen(text));
}

/* The app that an id names here: 1, 0, -1. */
static int find(const struct at_apps *k, struct teams_installed *ret)
{
    static struct sql_text q =
        SQL_TEXT("where team is nullif(:team, 0) and channel is nullif(:channel, 0) and user is "
                 "nullif(:user, 0) and app = :app");
    struct call *c = k->at.c;
    const char *id = param_str(c, "teamsAppInstallation-id");
    uint8_t *bytes;
    size_t n;
    if (base64_decode(c->tx.arena, id, strlen(id), &bytes, &n) < 0)
        return 0;
    const char *text = arena_memdup(c->tx.arena, (const char *)bytes, n),
               *app = text ? strstr(text, "##") : NULL;
    if (!app || strlen(k->key) != (size_t)(app - text) ||
        strncmp(text, k->key, (size_t)(app - text)) != 0)
        return 0;
    return STORED_ONE(&c->tx, &teams_installed_stored, &q, ret, k->of.team, k->of.channel,
                      k->of.user, app + 2);
}

static int open_one(struct call *c, struct at_apps *k, struct teams_installed *ret, bool change)
{
    if (open_apps(c, k, change) < 0)
        return -1;
    int r = find(k, ret);
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(c);
}

/* ---- answers ---- */

static void write_definition(const struct at_apps *k, const char *app)
{
    struct json_writer *w = k->at.c->out;
    struct arena *a = k->at.c->tx.arena;
    const char *text = arena_printf(a, "%s##" VERSION "##Published", app);
    struct buf b;
    buf_init(&b, 0);
    base64_add(&b, text, strlen(text));
    json_obj(w, "teamsAppDefinition");
    json_str(w, "id", buf_str(&b));
    json_str(w, "teamsAppId", app);
    json_str(w, "displayName", teams_app_name(app));
    json_word(w, "version", VERSION);
    json_word(w, "publishingState", "published");
    json_end(w);
    buf_done(&b);
}

struct shown {
    const struct at_apps *k;
    const char *app;
    const struct odata_query *q; /* NULL: with all that it has */
};

static int write_installation(void *arg)
{
    const struct shown *s = arg;
    struct json_writer *w = s->k->at.c->out;
    json_str(w, "id", installation_id(s->k, s->app));
    if (!s->q || odata_expands(s->q, "teamsApp")) {
        json_obj(w, "teamsApp");
        teams_write_app(w, s->app);
        json_end(w);
    }
    if (!s->q || odata_expands(s->q, "teamsAppDefinition"))
        write_definition(s->k, s->app);
    return 0;
}

/* ---- methods ---- */

static int installed_list(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("where team is nullif(:team, 0) and channel is nullif(:channel, 0) and user is "
                 "nullif(:user, 0) and coalesce(team, channel, user) is not null order by id");
    struct odata_query options;
    struct teams_installed t;
    struct at_apps k;
    int r;
    if (open_apps(c, &k, false) < 0 ||
        teams_options(c, "teamsAppInstallation", "$select $expand $filter", &options) < 0 ||
        graph_select(c, &options, ODATA_KEEP_ID, true) < 0)
        return -1;
    sqlite3_stmt *st =
        STORED_QUERY(&c->tx, &teams_installed_stored, &q, k.of.team, k.of.channel, k.of.user);
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", k.place, odata_context(c->tx.arena, &options));
    json_arr(c->out, "value");
    while ((r = stored_next(&c->tx, &teams_installed_stored, st, &t)) == 1) {
        struct shown shown = {&k, t.app, NULL};
        int asked = teams_is_asked(c, &options, write_installation, &shown);
        if (asked < 0) {
            sql_done(st);
            return -1;
        }
        if (!asked)
            continue;
        shown.q = &options;
        json_obj(c->out, NULL);
        write_installation(&shown);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int installed_get(struct call *c)
{
    struct odata_query options;
    struct teams_installed t;
    struct at_apps k;
    if (open_one(c, &k, &t, false) < 0 ||
        teams_options(c, "teamsAppInstallation", "$select $expand", &options) < 0 ||
        graph_select(c, &options, ODATA_KEEP_ID, false) < 0)
        return -1;
    struct shown shown = {&k, t.app, &options};
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", k.place);
    write_installation(&shown);
    json_end(c->out);
    return 0;
}

/* Ids of apps are GUIDs or names with dots; whether there is such an app is not known. */
static bool is_app_id(const char *id)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    const size_t n = strlen(id);
    return n && n <= MAX_APP && strspn(id, letters) == n;
}

static int installed_create(struct call *c)
{
    static const char front[] = "/appCatalogs/teamsApps/";
    static struct sql_text count =
        SQL_TEXT("select count(*), coalesce(sum(app = :app), 0) from teams_installed where team is "
                 "nullif(:team, 0) and channel is nullif(:channel, 0) and user is nullif(:user, "
                 "0)");
    const struct json *body;
    struct at_apps k;
    sqlite3_stmt *st;
    if (open_apps(c, &k, true) < 0 || !(body = call_body(c)))
        return -1;
    const char *bind = json_get_str(body, "teamsApp@odata.bind"),
               *app = bind ? strstr(bind, front) : NULL;
    if (!app || !is_app_id(app + sizeof front - 1))
        return teams_bad(c, "The request must have a teamsApp@odata.bind.");
    k.of.app = app + sizeof front - 1;
    if (TX_ROW(&c->tx, &count, &st, k.of.app, k.of.team, k.of.channel, k.of.user) != 1)
        return -1;
    const int64_t n = sqlite3_column_int64(st, 0), same = sqlite3_column_int64(st, 1);
    sql_done(st);
    if (same)
        return call_fail(c, SOSIA_E_CONFLICT, "Conflict", NULL, "The app is already installed.");
    if (n >= MAX_INSTALLED)
        return teams_bad(c, "There are too many apps installed.");
    c->status = 201;
    return stored_add(&c->tx, &teams_installed_stored, &k.of);
}

static int installed_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from teams_installed where id = :id");
    struct teams_installed t;
    struct at_apps k;
    c->status = 204;
    return open_one(c, &k, &t, true) < 0 ? -1 : TX_RUN(&c->tx, &q, t.id);
}

/* Each is of the newest version. */
static int installed_upgrade(struct call *c)
{
    struct teams_installed t;
    struct at_apps k;
    c->status = 204;
    return open_one(c, &k, &t, true);
}

/* ---- the catalog ---- */

struct listed {
    struct call *c;
    const char *id;
};

static int write_listed(void *arg)
{
    const struct listed *l = arg;
    teams_write_app(l->c->out, l->id);
    return 0;
}

static int catalog_list(struct call *c)
{
    struct odata_query options;
    struct teams_at at;
    if (teams_open(c, &at) < 0 || teams_options(c, "teamsApp", "$select $filter", &options) < 0 ||
        graph_select(c, &options, ODATA_KEEP_ID, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "appCatalogs/teamsApps%s", odata_context(c->tx.arena, &options));
    json_arr(c->out, "value");
    for (const struct teams_store_app *a = teams_store_apps; a->id; a++) {
        struct listed l = {c, a->id};
        int asked = teams_is_asked(c, &options, write_listed, &l);
        if (asked < 0)
            return -1;
        if (!asked)
            continue;
        json_obj(c->out, NULL);
        write_listed(&l);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int catalog_get(struct call *c)
{
    struct odata_query options;
    struct teams_at at;
    const char *id = param_str(c, "teamsApp-id");
    if (teams_open(c, &at) < 0 || teams_options(c, "teamsApp", "$select", &options) < 0)
        return -1;
    for (const struct teams_store_app *a = teams_store_apps; a->id; a++) {
        if (strcmp(a->id, id) != 0)
            continue;
        if (graph_select(c, &options, ODATA_KEEP_ID, false) < 0)
            return -1;
        json_obj(c->out, NULL);
        graph_context(c, "appCatalogs/teamsApps/$entity");
        teams_write_app(c->out, a->id);
        json_end(c->out);
        return 0;
    }
    return graph_not_found(c);
}

/* ---- rows ---- */

#define APPS "/installedApps"
#define APP  APPS "/{teamsAppInstallation-id}"
#define TYPE "microsoft.graph.teamsAppInstallation"
#define READ(place)                                                                                \
    "TeamsAppInstallation.ReadFor" place " TeamsAppInstallation.ReadWriteFor" place                \
    " TeamsAppInstallation.ReadFor" place ".All TeamsAppInstallation.ReadWriteFor" place ".All"
#define WRITE(place)                                                                               \
    "TeamsAppInstallation.ReadWriteFor" place " TeamsAppInstallation.ReadWriteFor" place ".All"

#define ROWS_OF(id_, path, where, all, make, one)                                                  \
    ROW(id_ ".installedApps.list", GET, (path(APPS)), installed_list, RISK_READ,                   \
        .scopes = READ(where), PARAMS(all), .response = TYPE "CollectionResponse",                 \
        .summary = "Lists installed apps"),                                                        \
        ROW(id_ ".installedApps.create", POST, (path(APPS)), installed_create, RISK_WRITE,         \
            .scopes = WRITE(where), PARAMS(make), .body = BODY_JSON, .request = TYPE,              \
            .status = 201, .summary = "Installs an app"),                                          \
        ROW(id_ ".installedApps.get", GET, (path(APP)), installed_get, RISK_READ,                  \
            .scopes = READ(where), PARAMS(one), .response = TYPE, .summary = "An installed app"),  \
        ROW(id_ ".installedApps.delete", DELETE, (path(APP)), installed_delete, RISK_WRITE,        \
            .scopes = WRITE(where), PARAMS(one), .status = 204, .summary = "Removes an app"),      \
        ROW(id_ ".installedApps.upgrade", POST, (path(APP "/upgrade")), installed_upgrade,         \
            RISK_WRITE, .scopes = WRITE(where), PARAMS(one), .status = 204,                        \
            .summary = "Brings an installed app to its newest version")

#define IN_TEAM(rest) GRAPH(TEAM rest)
#define OF_USER(rest) GRAPH_MY("/teamwork" rest)
#define OPTIONS       OPTION("$select"), OPTION("$expand"), OPTION("$filter")
#define ONE           PATH_PARAM("teamsAppInstallation-id"), OPTION("$select"), OPTION("$expand")

static const struct param team_all[] = {PATH_PARAM("team-id"), OPTIONS};
static const struct param team_make[] = {PATH_PARAM("team-id")};
static const struct param team_one[] = {PATH_PARAM("team-id"), ONE};
static const struct param chat_all[] = {PATH_PARAM("chat-id"), USER_PARAM, OPTIONS};
static const struct param chat_make[] = {PATH_PARAM("chat-id"), USER_PARAM};
static const struct param chat_one[] = {PATH_PARAM("chat-id"), USER_PARAM, ONE};
static const struct param user_all[] = {USER_PARAM, OPTIONS};
static const struct param user_make[] = {USER_PARAM};
static const struct param user_one[] = {USER_PARAM, ONE};
static const struct param catalog_params[] = {OPTION("$select"), OPTION("$filter")};
static const struct param catalog_one[] = {PATH_PARAM("teamsApp-id"), OPTION("$select")};

#define CATALOG "AppCatalog.Read.All AppCatalog.ReadWrite.All AppCatalog.Submit" DIRECTORY

static const struct route routes[] = {
    ROWS_OF("teams.teams", IN_TEAM, "Team", team_all, team_make, team_one),
    ROWS_OF("teams.chats", CHAT_PATHS, "Chat", chat_all, chat_make, chat_one),
    ROWS_OF("teams.users", OF_USER, "User", user_all, user_make, user_one),
    ROW("teams.teamsApps.list", GET, (GRAPH("/appCatalogs/teamsApps")), catalog_list, RISK_READ,
        .scopes = CATALOG, PARAMS(catalog_params),
        .response = "microsoft.graph.teamsAppCollectionResponse",
        .summary = "Lists the apps of the catalog"),
    ROW("teams.teamsApps.get", GET, (GRAPH("/appCatalogs/teamsApps/{teamsApp-id}")), catalog_get,
        RISK_READ, .scopes = CATALOG, PARAMS(catalog_one), .response = "microsoft.graph.teamsApp",
        .summary = "An app of the catalog"),
};
const struct rows teams_app_rows = ROWS(routes);
