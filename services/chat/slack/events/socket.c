/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Socket Mode: an app opens WebSockets and gets on them what else would be posted to it. Frames are
 * those that the service's SDKs have captured; up to ten connections of an app are open at a time,
 * and each frame goes to one of them.
 */
#include "services/chat/slack/events/socket.h"
#include "engine/http/session.h"
#include "engine/text/civil.h"
#include "services/chat/slack/events/push.h"
#include "services/chat/slack/events/push_impl.h"

#define CORE      "chat.slack"
#define DEBUG_S   360 /* with debug_reconnects */
#define WARNING_S 10  /* before its end */
#define MAX_ACK   (1024 * 1024)

/* ---- addresses ---- */

static int connections_open(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *key;
    if (c->verb == VERB_GET)
        return slack_fail(c, "insecure_request");
    if (!call_bearer(c))
        return slack_fail(c, "not_authed");
    if (!me->chat_app.id)
        return slack_fail(c, "invalid_auth");
    const struct sl_ticket t = {.app = me->app};
    if (sl_ticket_add(&c->tx, &t, &key) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "url",
             sl_socket_url(
                 c, SLACK_SOCKETS,
                 arena_printf(c->tx.arena, "/link/?ticket=%s&app_id=%s", key, me->chat_app.key)));
    slack_close(c);
    return 0;
}

/* The handshake. */
static int link_open(struct call *c)
{
    const char *key = param_str(c, "ticket");
    struct sl_ticket t;
    int r = key ? sl_ticket_take(&c->tx, key, &t) : 0;
    if (r != 1 || !t.app)
        return r < 0 ? -1 : slack_fail(c, "invalid_auth");
    c->tx.app = t.app;
    bool debug = param_bool(c, "debug_reconnects");
    return call_upgrade(c, sl_socket_key(&c->tx, t.app), t.app * 2 + debug);
}

/* ---- the life of a connection ---- */

static int remember(struct tx *tx, int64_t number, int64_t app, bool debug)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into slack_socket (number, app) values (:number, :app)");
    int64_t end = tx->now_us + (debug ? DEBUG_S : SL_CONNECTION_S) * US_PER_SECOND;
    if (TX_RUN(tx, &q, number, app) < 0)
        return -1;
    return due_add(tx, end - WARNING_S * US_PER_SECOND, CORE, SL_SOCKET_WARNING, number) < 0
               ? -1
               : due_add(tx, end, CORE, SL_SOCKET_REFRESH, number);
}

static int opened(struct session_turn *t)
{
    int64_t app = t->ref / 2;
    struct sl_settings s;
    struct chat_app a;
    int r = chat_app_of(t->tx, app, &a);
    if (r == 0)
        return tx_fail(t->tx, SOSIA_E_NOT_FOUND, "appNotFound", NULL,
                       "the connection must be an app's, there is no app %lld", (long long)app);
    if (r < 0 || sl_settings_of(t->tx, &a, &s) < 0)
        return -1;
    const struct json *mode = json_get(s.all, "socket_mode");
    if (a.deleted || (!s.socket_mode && (mode || a.manifest))) {
        session_send(t, sl_socket_disconnect(t->tx, a.key, "link_disabled", 0));
        session_end(t, 1000, "link_disabled");
        return 0;
    }
    if (t->n_open > SL_SOCKETS_MAX) {
        session_send(t, sl_socket_disconnect(t->tx, a.key, "too_many_websockets", SL_SOCKETS_MAX));
        session_end(t, 1000, "too_many_websockets");
        return 0;
    }
    session_send(t, sl_socket_hello(t->tx, a.key, t->n_open));
    if (t->n_open == 1 && delivery_begin_waiting(t->tx, delivery_kind_named(t->tx, SL_EVENT_FRAME),
                                                 sl_socket_key(t->tx, app)) < 0)
        return -1;
    return remember(t->tx, t->number, app, t->ref % 2);
}

/* {"envelope_id": ..., "payload": {...}}; what is none of these is not looked at. */
static int frame(struct session_turn *t, const char *data, size_t len, bool binary)
{
    struct sosia_err before = *t->tx->err;
    const struct json *v;
    if (binary)
        return 0;
    if (json_parse(t->tx->arena, data, len, NULL, &v, t->tx->err) < 0) {
        *t->tx->err = before;
        return 0;
    }
    const char *id = json_get_str(v, "envelope_id");
    const struct json *payload = json_get(v, "payload");
    int64_t entry = id ? sl_envelope_entry(t->tx, id) : 0;
    if (!entry)
        return 0;
    const char *text =
        payload && payload->type != JSON_NULL ? json_to_text(t->tx->arena, payload) : "";
    return session_acknowledge(t, entry, text, strlen(text)) < 0 ? -1 : 0;
}

static int closed(struct session_turn *t, int code)
{
    static struct sql_text q = SQL_TEXT("delete from slack_socket where number = :number");
    (void)code;
    if (due_cancel(t->tx, CORE, SL_SOCKET_WARNING, t->number) < 0 ||
        due_cancel(t->tx, CORE, SL_SOCKET_REFRESH, t->number) < 0)
        return -1;
    return TX_RUN(t->tx, &q, t->number);
}

static const struct upgrade link_upgrade = {
    .max_frame = MAX_ACK, .opened = opened, .frame = frame, .closed = closed};

/* ---- rows ---- */

static const struct param link_params[] = {
    {.name = "ticket", .place = IN_QUERY, .required = true},
    {.name = "app_id", .place = IN_QUERY},
    {.name = "debug_reconnects", .place = IN_QUERY, .type = PARAM_BOOL},
};

static const struct route rows[] = {
    {SL_METHOD("apps.connections.open"), .handler = connections_open, .risk = RISK_WRITE,
     .token_kinds = TOKEN_APP, .scopes = "connections:write", .rate = SLACK_TIER_1, .secret = true,
     .summary = "An address for a WebSocket of an app"},
    {ROUTE("socket", GET, "/link/", "/link"), .handler = link_open, .risk = RISK_WRITE,
     .anonymous = true, .upgrade = &link_upgrade, PARAMS(link_params),
     .summary = "The WebSocket of an app"},
};

const struct rows sl_socket = ROWS(rows);
