/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's settings, which can only be read. */
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/params.h"
#include "services/calendar/google/scopes.h"
#include <stdlib.h>

static void write_setting(struct call *c, const struct gcal_setting *s)
{
    json_obj(c->out, NULL);
    json_str(c->out, "kind", "calendar#setting");
    json_str(c->out, "etag", gcal_etag_number(c->tx.arena, s->updated_us));
    json_str(c->out, "id", s->name);
    json_str(c->out, "value", s->value);
    json_end(c->out);
}

static int settings_get(struct call *c)
{
    struct gcal_setting s;
    if (gcal_user(c) < 0)
        return -1;
    int r = gcal_setting_get(&c->tx, &c->actor, param_str(c, "setting"), &s);
    if (r != 1)
        return r < 0 ? -1 : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", NULL, "Not Found");
    c->etag = gcal_etag_number(c->tx.arena, s.updated_us);
    write_setting(c, &s);
    return 0;
}

static int settings_list(struct call *c)
{
    struct gcal_setting all[GCAL_SETTINGS];
    int64_t from = 0;
    int64_t since = INT64_MIN, newest = 0, change = 0;
    int limit = (int)gcal_limit(c, 100, 250), i, n = 0;
    if (gcal_user(c) < 0 || gcal_since(c, &since) < 0 ||
        gcal_setting_all(&c->tx, &c->actor, all) < 0)
        return -1;
    if (google_page_number(c, 0, &from) < 0)
        return -1;
    if (from > GCAL_SETTINGS)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "pageToken", "Invalid Value");
    for (i = 0; i < GCAL_SETTINGS; i++) {
        change = all[i].change > change ? all[i].change : change;
        newest = all[i].updated_us > newest ? all[i].updated_us : newest;
    }
    for (i = (int)from; i < GCAL_SETTINGS && n < limit; i++)
        n += all[i].updated_us >= since;
    json_obj(c->out, NULL);
    json_str(c->out, "kind", "calendar#settings");
    json_str(c->out, "etag", gcal_etag_list(c->tx.arena, "settings", c->actor.id, change));
    if (i < GCAL_SETTINGS)
        google_next_page(c, i);
    else
        json_str(c->out, "nextSyncToken", gcal_since_token(c, newest));
    json_arr(c->out, "items");
    for (int k = (int)from; k < i; k++)
        if (all[k].updated_us >= since)
            write_setting(c, &all[k]);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int settings_watch(struct call *c)
{
    int64_t since;
    if (gcal_user(c) < 0 || gcal_since(c, &since) < 0)
        return -1;
    return google_channel_watch(c, GCAL_CHANGED_SETTINGS, c->actor.id);
}

/* ---- rows ---- */

static const struct param settings_get_params[] = {
    {.name = "setting", .place = IN_PATH, .required = true},
};

static const struct param settings_list_params[] = {
    MAX_RESULTS,
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "syncToken", .place = IN_QUERY},
};

static const struct route methods[] = {
    {ROUTE("calendar.settings.get", GET, "/calendar/v3/users/me/settings/{setting}"),
     .handler = settings_get, .risk = RISK_READ,
     .scopes = CALENDAR " " READONLY " " SETTINGS_READONLY, PARAMS(settings_get_params),
     .response = "Setting", .summary = "One setting"},
    {ROUTE("calendar.settings.list", GET, "/calendar/v3/users/me/settings"),
     .handler = settings_list, .risk = RISK_READ,
     .scopes = CALENDAR " " READONLY " " SETTINGS_READONLY, PARAMS(settings_list_params),
     .response = "Settings", .summary = "All settings"},
    {ROUTE("calendar.settings.watch", POST, "/calendar/v3/users/me/settings/watch"),
     .handler = settings_watch, .risk = RISK_EXTERNAL, .needs_body = true,
     .body = BODY_JSON_OPTIONAL, .scopes = CALENDAR " " READONLY " " SETTINGS_READONLY,
     PARAMS(settings_list_params), .request = "Channel", .response = "Channel",
     .summary = "Watch for changes to settings"},
};

const struct rows gcal_settings = ROWS(methods);
