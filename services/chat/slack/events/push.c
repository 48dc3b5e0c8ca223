/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to apps: their settings, and the rows of what is sent. What an attempt sends is made in
 * push_send.c when it is made. */
#include "services/chat/slack/events/push.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/events/push_impl.h"

/* ---- settings ---- */

static const struct json *list_of(const struct json *all, const char *name)
{
    const struct json *v = json_get(all, name);
    return v && v->type == JSON_ARRAY ? v : NULL;
}

static const char *url_of(const struct json *all, const char *name)
{
    const char *url = json_get_str(all, name);
    return url && *url ? url : NULL;
}

int sl_settings_of(struct tx *tx, const struct chat_app *app, struct sl_settings *ret)
{
    const struct json *v;
    if (json_parse(tx->arena, app->setting, strlen(app->setting), NULL, &v, tx->err) < 0)
        return -1;
    if (v->type != JSON_OBJECT)
        return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL, "an app's settings must be a JSON object");
    *ret = (struct sl_settings){.socket_mode = json_get_true(v, "socket_mode"),
                                .commercial = json_get_true(v, "commercial"),
                                .events_url = url_of(v, "events_url"),
                                .interactivity_url = url_of(v, "interactivity_url"),
                                .options_url = url_of(v, "options_url"),
                                .unfurl_domains = list_of(v, "unfurl_domains"),
                                .metadata_events = list_of(v, "metadata_events"),
                                .commands = list_of(v, "commands"),
                                .shortcuts = list_of(v, "shortcuts"),
                                .all = v};
    return 0;
}

int sl_subscribed(struct tx *tx, int64_t app, const char *kind, bool person)
{
    static struct sql_text q = SQL_TEXT("select 1 from slack_subscription where app = :app and "
                                        "kind = :kind and person = :person");
    int64_t one;
    return TX_INT(tx, &q, &one, app, kind, person);
}

const char *sl_socket_key(struct tx *tx, int64_t app)
{
    return arena_printf(tx->arena, "slack.app:%lld", (long long)app);
}

/* ---- what a person did ---- */

/* The address that an action goes to; NULL: none. */
static const char *address_of(const struct sl_action *a, const struct sl_settings *s)
{
    if (a->url && *a->url)
        return a->url;
    if (a->kind == SL_PUSH_OPTIONS && s->options_url)
        return s->options_url;
    return a->kind == SL_PUSH_COMMAND ? NULL : s->interactivity_url;
}

int sl_push_action(struct tx *tx, const struct sl_action *a, int64_t *ret_entry)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_action (app, kind, answers, ref, payload) "
                 "values (:app, :kind, :answers, :ref, :payload)");
    struct chat_app app;
    struct sl_settings s;
    int r = chat_app_of(tx, a->app, &app);
    if (r != 1)
        return r;
    if (sl_settings_of(tx, &app, &s) < 0)
        return -1;
    const char *url = s.socket_mode ? NULL : address_of(a, &s);
    if (!url && !s.socket_mode)
        return 0;
    if (TX_RUN(tx, &q, a->app, (int)a->kind, a->answers, a->ref, a->payload) < 0)
        return -1;
    struct delivery d = {
        .kind = delivery_kind_named(tx, s.socket_mode ? SL_ACTION_FRAME : SL_ACTION_REQUEST),
        .ref = tx_last_id(tx),
        .from = app.key,
        .method = "POST",
        .url = url,
        .key = s.socket_mode ? sl_socket_key(tx, a->app) : NULL,
        .body = ""};
    return delivery_add(tx, &d, ret_entry) < 0 ? -1 : 1;
}

/* ---- events ---- */

static int add_event(struct tx *tx, struct sl_event *e)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static struct sql_text q =
        SQL_TEXT("insert into slack_event (key, at_us, workspace, channel, type, body) values "
                 "(:key, :now, :workspace, :channel, :type, :body)");
    uint8_t bytes[8];
    char key[13] = "Ev0";
    if (tx_id(tx, "chat.event", bytes, sizeof bytes) < 0)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        key[3 + i] = digits[bytes[i] % 36];
    if (TX_RUN(tx, &q, key, tx->now_us, e->workspace, sql_int_or_null(e->channel, 0), e->type,
               e->event) < 0)
        return -1;
    e->id = tx_last_id(tx);
    return 0;
}

/* Where events of an app go: 1 with the URL, or NULL for its WebSockets; 0: nowhere; -1. */
static int events_address(struct tx *tx, const struct chat_app *app, const char **ret_url)
{
    static struct sql_text q =
        SQL_TEXT("select url from slack_endpoint where app = :app and enabled");
    struct sl_settings s;
    sqlite3_stmt *st;
    if (sl_settings_of(tx, app, &s) < 0)
        return -1;
    *ret_url = NULL;
    if (s.socket_mode)
        return 1;
    int r = TX_ROW(tx, &q, &st, app->app);
    if (r != 1)
        return r;
    *ret_url = tx_string(tx, st, 0);
    sql_done(st);
    return *ret_url != NULL;
}

#define MAX_AN_HOUR 30000 /* events of an app in a workspace */

/* Counts an event. 1; 0: there are too many; 2: too many, which the app is not notified of yet in
 * this minute; -1. */
static int count_notified(struct tx *tx, int64_t app, int64_t workspace)
{
    static struct sql_text find = SQL_TEXT("select hour_s, n, minute_s from slack_notified where "
                                           "app = :app and workspace = :workspace");
    static struct sql_text add = SQL_TEXT("insert into slack_notified (app, workspace, hour_s, n, "
                                          "minute_s) values (:app, :workspace, :hour, 1, 0)");
    static struct sql_text count =
        SQL_TEXT("update slack_notified set hour_s = :hour, n = :n, minute_s = :minute where "
                 "app = :app and workspace = :workspace");
    int64_t now = tx->now_us / US_PER_SECOND, minute = now / 60 * 60;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &find, &st, app, workspace);
    if (r != 1)
        return r < 0 || TX_RUN(tx, &add, app, workspace, now) < 0 ? -1 : 1;
    int64_t hour = sqlite3_column_int64(st, 0), n = sqlite3_column_int64(st, 1) + 1;
    int64_t noted = sqlite3_column_int64(st, 2);
    sql_done(st);
    if (now - hour >= 3600) {
        hour = now;
        n = 1;
    }
    bool many = n > MAX_AN_HOUR, known = noted == minute;
    if (TX_RUN(tx, &count, hour, n, many ? minute : noted, app, workspace) < 0)
        return -1;
    return !many ? 1 : known ? 0 : 2;
}

int sl_push_event(struct tx *tx, struct sl_event *e, int64_t app, int64_t user)
{
    struct sl_event many = {.workspace = e->workspace, .type = SL_RATE_LIMITED, .event = "{}"};

    static struct sql_text q = SQL_TEXT("insert into slack_event_app (event, app, user) values "
                                        "(:event, :app, :user)");
    const char *url;
    struct chat_app a;
    int r = chat_app_of(tx, app, &a);
    if (r == 1)
        r = events_address(tx, &a, &url);
    if (r != 1 || (r = count_notified(tx, app, e->workspace)) <= 0)
        return r;
    if (r == 2)
        e = &many;
    if ((!e->id && add_event(tx, e) < 0) || TX_RUN(tx, &q, e->id, app, user) < 0)
        return -1;
    const struct delivery d = {.kind =
                                   delivery_kind_named(tx, url ? SL_EVENT_REQUEST : SL_EVENT_FRAME),
                               .ref = tx_last_id(tx),
                               .from = a.key,
                               .method = "POST",
                               .url = url,
                               .key = url ? NULL : sl_socket_key(tx, app),
                               .body = ""};
    return delivery_add(tx, &d, NULL) < 0 ? -1 : 1;
}

const struct core_rule sl_push_rules[] = {
    {"slack_event", "length(key) not between 3 and 40"},
    {"slack_event", "not json_valid(body) or json_type(body) <> 'object'"},
    {"slack_action", "not json_valid(payload) or json_type(payload) <> 'object'"},
    {"slack_app", "not json_valid(setting) or json_type(setting) <> 'object'"},
    {NULL, NULL},
};
