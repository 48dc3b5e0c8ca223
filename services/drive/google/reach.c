/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a token's scopes reach. A call needs a scope that its method accepts and that reaches the
 * file: what a scope shows that the method does not accept can be seen by other methods, and no
 * more ("Choose Google Drive API scopes").
 */
#include "identity/app.h"
#include "identity/sql.h"
#include "services/drive/google/gdrive.h"
#include "services/drive/google/scopes.h"

#define MEET        "Google Meet" /* the name of the app whose files drive.meet.readonly is for */
#define MIME_SCRIPT "script"

/* How much of a file is reached, as far as methods do anything with it. */
enum reach { REACH_NOTHING, REACH_METADATA, REACH_ALL };

int64_t gdrive_app(const struct call *c)
{
    return c->app ? c->app : APP_NONE;
}

/* The app that makes files of meetings; GDRIVE_NO_APP: the world has none. */
static int meet_app(struct call *c, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select a.id from " IDENT_SQL_APPS
                                        " a where a.name = :name order by a.id limit 1");
    *ret = GDRIVE_NO_APP;
    return TX_INT(&c->tx, &q, ret, MEET) < 0 ? -1 : 0;
}

/* ---- one file ---- */

/* Which scopes of the token count. */
enum counted { COUNT_ACCEPTED, COUNT_ALL };

static bool has(const struct call *c, enum counted counted, const char *scopes)
{
    return counted == COUNT_ALL ? call_has_scope(c, scopes) : call_uses_scope(c, scopes);
}

static int reach_made(struct call *c, const struct drive_item *it, enum counted n, enum reach *ret)
{
    int64_t meet;
    *ret = REACH_NOTHING;
    if ((it->creator_app == gdrive_app(c) && has(c, n, FILE_SCOPE)) ||
        (it->form == DRIVE_DOCUMENT && strcmp(it->mime, MIME_SCRIPT) == 0 && has(c, n, SCRIPTS))) {
        *ret = REACH_ALL;
        return 0;
    }
    if (!it->creator_app || !has(c, n, MEET_READONLY))
        return 0;
    if (meet_app(c, &meet) < 0)
        return -1;
    *ret = it->creator_app == meet ? REACH_ALL : REACH_NOTHING;
    return 0;
}

/* An API key has no scopes, and opens what anyone has. */
static int reach_of(struct call *c, const struct drive_item *it, enum counted n, enum reach *ret)
{
    if (!c->actor.id || it->space) {
        bool own = c->actor.id ? it->space == gdrive_app(c) && has(c, n, APPDATA) : !it->space;
        *ret = own ? REACH_ALL : REACH_NOTHING;
        return 0;
    }
    if (has(c, n, DRIVE " " READONLY)) {
        *ret = REACH_ALL;
        return 0;
    }
    if (reach_made(c, it, n, ret) < 0)
        return -1;
    if (!*ret && has(c, n, METADATA " " METADATA_READONLY))
        *ret = REACH_METADATA;
    return 0;
}

/* The number that the app's client id begins with; GOOGLE_PROJECT: it has no such number. */
static int project_of(struct call *c, const char **ret)
{
    struct ident_app app;
    int r = c->app ? app_get(&c->tx, c->app, &app) : 0;
    *ret = GOOGLE_PROJECT;
    if (r == 1) {
        size_t n = strspn(app.client_id, "0123456789");
        if (n && (!app.client_id[n] || app.client_id[n] == '-'))
            *ret = arena_memdup(c->tx.arena, app.client_id, n);
    }
    return r < 0 ? -1 : 0;
}

static int not_authorized(struct call *c, const struct drive_item *it, const char *verb)
{
    const char *project;
    if (project_of(c, &project) < 0)
        return -1;
    return call_fail(c, SOSIA_E_FORBIDDEN, "appNotAuthorizedToFile", NULL,
                     "The user has not granted the app %s %s access to the file %s.", project, verb,
                     it->key);
}

int gdrive_seen(struct call *c, const struct drive_item *it)
{
    enum reach shown;
    if (it->space && c->actor.id && it->space == gdrive_app(c))
        return gdrive_need_app_data(c) < 0 ? -1 : 1;
    return reach_of(c, it, COUNT_ALL, &shown) < 0 ? -1 : shown != REACH_NOTHING;
}

/* Methods that read are those that a scope for reading is good for. */
static const char *verb_of(const struct call *c)
{
    return c->route && c->route->scopes && strstr(c->route->scopes, "readonly") ? "read" : "write";
}

int gdrive_reached(struct call *c, const struct drive_item *it, const char *verb)
{
    enum reach reach;
    if (reach_of(c, it, COUNT_ACCEPTED, &reach) < 0)
        return -1;
    int seen = reach ? 1 : gdrive_seen(c, it);
    if (reach || seen != 1)
        return seen;
    return it->space ? gdrive_not_for_app_data(c) : not_authorized(c, it, verb ? verb : verb_of(c));
}

int gdrive_content_reached(struct call *c, const struct drive_item *it)
{
    enum reach reach;
    if (reach_of(c, it, COUNT_ACCEPTED, &reach) < 0)
        return -1;
    return reach == REACH_ALL ? 0 : not_authorized(c, it, "read");
}

int gdrive_content_seen(struct call *c, const struct drive_item *it)
{
    enum reach shown;
    return reach_of(c, it, COUNT_ALL, &shown) < 0 ? -1 : shown == REACH_ALL;
}

int gdrive_change_reached(struct call *c, const struct drive_item *it)
{
    enum reach reach;
    if (reach_of(c, it, COUNT_ACCEPTED, &reach) < 0)
        return -1;
    if (reach == REACH_ALL)
        return 0;
    if (call_uses_scope(c, APPDATA " " FILE_SCOPE " " SCRIPTS))
        return not_authorized(c, it, "write");
    return call_fail(c, SOSIA_E_FORBIDDEN, "scope", "Authorization", "the token lacks the scope");
}

int gdrive_place_reached(struct call *c, const struct drive_item *folder)
{
    if (!folder->space && c->actor.id && call_uses_scope(c, FILE_SCOPE))
        return 1;
    return gdrive_reached(c, folder, "write");
}

int gdrive_below_reached(struct call *c, const struct drive_item *it)
{
    const char *key, *project;
    if (it->form != DRIVE_FOLDER || it->space || call_uses_scope(c, DRIVE))
        return 0;
    int r = drive_made_elsewhere(&c->tx, it->id, gdrive_app(c), &key);
    if (r < 1)
        return r;
    if (project_of(c, &project) < 0)
        return -1;
    return call_fail(c, SOSIA_E_FORBIDDEN, "appNotAuthorizedToChild", NULL,
                     "The user has not granted the app %s write access to the child file %s, which "
                     "would be affected by the operation on the parent.",
                     project, key);
}

/* ---- lists ---- */

int gdrive_need_app_data(struct call *c)
{
    if (call_has_scope(c, APPDATA))
        return 0;
    return call_fail(c, SOSIA_E_FORBIDDEN, "insufficientScopes", NULL,
                     "The granted scopes do not allow use of the Application Data folder.");
}

int gdrive_makers(struct call *c, int64_t ret[DRIVE_MAKERS])
{
    ret[0] = ret[1] = 0;
    if (!c->actor.id || call_uses_scope(c, DRIVE " " READONLY " " METADATA " " METADATA_READONLY))
        return 0;
    ret[0] = call_uses_scope(c, FILE_SCOPE) ? gdrive_app(c) : GDRIVE_NO_APP;
    ret[1] = GDRIVE_NO_APP;
    return call_uses_scope(c, MEET_READONLY) ? meet_app(c, &ret[1]) : 0;
}

/* The spaces that the parameter names; none: the drive. */
static int read_spaces(struct call *c, bool *ret_drive, bool *ret_app)
{
    const char *text = param_str(c, "spaces");
    *ret_drive = !text;
    *ret_app = false;
    for (size_t n; text && *text; text += n + (text[n] == ',')) {
        n = strcspn(text, ",");
        size_t from = strspn(text, " "), len = n > from ? n - from : 0;
        while (len && text[from + len - 1] == ' ')
            len--;
        if (len == 5 && memcmp(text + from, "drive", 5) == 0)
            *ret_drive = true;
        else if (len == 13 && memcmp(text + from, "appDataFolder", 13) == 0)
            *ret_app = true;
        else if (len != 6 || memcmp(text + from, "photos", 6) != 0) /* retired, and empty */
            return call_fail(c, SOSIA_E_INVALID, "invalid", "spaces", "Invalid Value");
    }
    return 0;
}

int gdrive_spaces(struct call *c, bool *ret_drive, bool *ret_app)
{
    static const char of_drive[] =
        DRIVE " " READONLY " " METADATA " " METADATA_READONLY " " FILE_SCOPE " " MEET_READONLY;
    if (read_spaces(c, ret_drive, ret_app) < 0)
        return -1;
    if (!c->actor.id && !*ret_app) /* an API key has no scopes */
        return 0;
    if (*ret_app && !*ret_drive)
        return gdrive_need_app_data(c);
    if ((!*ret_app || call_uses_scope(c, APPDATA)) && (!*ret_drive || call_uses_scope(c, of_drive)))
        return 0;
    return call_fail(c, SOSIA_E_FORBIDDEN, "insufficientScopes", NULL,
                     "The granted scopes do not give access to all of the requested spaces.");
}
