/* SPDX-License-Identifier: Apache-2.0 */
/* The apps that the caller uses: those that they have given access. */
#include "engine/world/take.h"
#include "identity/sql.h"
#include "services/drive/google/gdrive.h"
#include "services/drive/google/scopes.h"

struct user_app {
    int64_t id;
    const char *client, *name, *scopes; /* scopes NULL: the caller has not agreed to it */
};

/* Apps are known by the number of their project, which their client ids begin with. */
static const char *number_of(struct call *c, const struct user_app *a)
{
    size_t n = strcspn(a->client, "-");
    return arena_memdup(c->tx.arena, a->client, n);
}

static void write_strings(struct json_writer *w, const char *name)
{
    json_arr(w, name);
    json_end(w);
}

static void write_app(struct call *c, const struct user_app *a)
{
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_word(w, "kind", "drive#app");
    json_str(w, "id", number_of(c, a));
    json_str(w, "name", a->name);
    json_word(w, "objectType", "file");
    json_bool(w, "supportsCreate", false);
    json_bool(w, "supportsImport", false);
    json_bool(w, "supportsMultiOpen", false);
    json_bool(w, "supportsOfflineCreate", false);
    json_bool(w, "installed", a->scopes != NULL);
    json_bool(w, "authorized", a->scopes != NULL);
    json_bool(w, "hasDriveWideScope",
              a->scopes && strstr(arena_printf(c->tx.arena, "%s ", a->scopes), DRIVE " "));
    json_bool(w, "useByDefault", false);
    write_strings(w, "primaryMimeTypes");
    write_strings(w, "secondaryMimeTypes");
    write_strings(w, "primaryFileExtensions");
    write_strings(w, "secondaryFileExtensions");
    json_end(w);
}

#define APPS                                                                                       \
    "select a.id, a.client_id, a.name, c.scopes from " IDENT_SQL_APPS                              \
    " a left join " IDENT_SQL_CONSENTS " c on "                                                    \
    "c.app = a.id and c.actor = :actor where (a.vendor is null or a.vendor = 'google') "

static int read_app(struct tx *tx, sqlite3_stmt *st, struct user_app *ret)
{
    return TX_TAKE_NEXT(tx, st, &ret->id, &ret->client, &ret->name, &ret->scopes);
}

static int apps_get(struct call *c)
{
    static struct sql_text q = SQL_TEXT(APPS "order by a.id");
    const char *id = param_str(c, "appId");
    sqlite3_stmt *st = TX_QUERY(&c->tx, &q, c->actor.id);
    struct user_app a;
    int r;
    while ((r = read_app(&c->tx, st, &a)) == 1)
        if (strcmp(number_of(c, &a), id) == 0 || strcmp(a.client, id) == 0) {
            sql_done(st);
            write_app(c, &a);
            return 0;
        }
    return r < 0 ? -1
                 : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "appId", "App not found: %s", id);
}

static int apps_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT(APPS "and c.id is not null order by a.id");
    const char *mimes = param_str(c, "appFilterMimeTypes"),
               *extensions = param_str(c, "appFilterExtensions");
    bool filtered = (mimes && *mimes) || (extensions && *extensions);
    sqlite3_stmt *st = TX_QUERY(&c->tx, &q, c->actor.id);
    struct user_app a;
    int r;
    if (!st)
        return -1;
    json_obj(c->out, NULL);
    json_word(c->out, "kind", "drive#appList");
    json_word(c->out, "selfLink", "https://www.googleapis.com/drive/v3/apps");
    json_arr(c->out, "items");
    /* No app declares what it opens, so a filter leaves none. */
    while ((r = read_app(&c->tx, st, &a)) == 1)
        if (!filtered)
            write_app(c, &a);
    json_end(c->out);
    json_arr(c->out, "defaultAppIds");
    json_end(c->out);
    json_end(c->out);
    return r;
}

static const struct param get_params[] = {
    {.name = "appId", .place = IN_PATH, .required = true},
};
static const struct param list_params[] = {
    {.name = "appFilterExtensions", .place = IN_QUERY, .def = ""},
    {.name = "appFilterMimeTypes", .place = IN_QUERY, .def = ""},
    {.name = "languageCode", .place = IN_QUERY},
};

static const struct route methods[] = {
    {ROUTE("drive.apps.get", GET, "/drive/v3/apps/{appId}"), .handler = apps_get, .risk = RISK_READ,
     .scopes = DRIVE " " APPDATA " " APPS_READONLY " " FILE_SCOPE " " METADATA " " METADATA_READONLY
                     " " READONLY,
     PARAMS(get_params), .response = "App", .summary = "An app"},
    {ROUTE("drive.apps.list", GET, "/drive/v3/apps"), .handler = apps_list, .risk = RISK_READ,
     .scopes = APPS_READONLY, PARAMS(list_params), .response = "AppList",
     .summary = "The apps that the caller uses"},
};

const struct rows gdrive_apps = ROWS(methods);
