/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Socket Mode: an app opens WebSockets and gets on them what else would be posted to it. Frames are
 * those that the service's SDKs have captured; up to ten connections of an app are open at a time,
 * and each frame goes to one of them.
 */
#include "services/chat/slack/events/socket.h"
#include "engine/base/codec.h"
#include "engine/http/session.h"
#include "engine/text/civil.h"
#include "services/chat/slack/events/push.h"
#include "services/chat/slack/events/push_impl.h"

#define CORE            "chat.slack"
#define MAX_CONNECTIONS 10
#define CONNECTION_S    18060 /* seconds that one lasts */
#define DEBUG_S         360   /* with debug_reconnects */
#define WARNING_S       10    /* before its end */
#define TICKET_S        60    /* that an address is good for */
#define MAX_ACK         (1024 * 1024)

/* ---- addresses ---- */

int sl_ticket_add(struct tx *tx, const struct sl_ticket *t, const char **ret_key)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_ticket (key, app, user, until_us, debug, batch) values (:key, "
                 ":app, :user, :until, :debug, :batch)");
    uint8_t bytes[16];
    char key[33];
    if (tx_secret(tx, "chat.ticket", bytes, sizeof bytes) < 0)
        return -1;
    hex_encode(key, bytes, sizeof bytes);
    *ret_key = arena_strdup(tx->arena, key);
    return TX_RUN(tx, &q, key, sql_int_or_null(t->app, 0), sql_int_or_null(t->user, 0),
                  tx->now_us + TICKET_S * US_PER_SECOND, t->debug, t->batch);
}

int sl_ticket_take(struct tx *tx, const char *key, struct sl_ticket *ret)
{
    static struct sql_text old = SQL_TEXT("delete from slack_ticket where until_us <= :now");
    static struct sql_text q = SQL_TEXT("delete from slack_ticket where key = :key returning "
                                        "ifnull(app, 0), ifnull(user, 0), debug, batch");
    sqlite3_stmt *st;
    if (TX_RUN(tx, &old, tx->now_us) < 0)
        return -1;
    int r = TX_ROW(tx, &q, &st, key);
    if (r != 1)
        return r;
    *ret = (struct sl_ticket){.app = sqlite3_column_int64(st, 0),
                              .user = sqlite3_column_int64(st, 1),
                              .debug = sqlite3_column_int(st, 2),
                              .batch = sqlite3_column_int(st, 3)};
    sql_done(st);
    return 1;
}

const char *sl_socket_url(struct call *c, const char *host, const char *path)
{
    const char *url = call_follow_url(c, host, path);
    return str_starts(url, "https:")  ? arena_printf(c->tx.arena, "wss:%s", url + 6)
           : str_starts(url, "http:") ? arena_printf(c->tx.arena, "ws:%s", url + 5)
                                      : url;
}

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

/* ---- frames ---- */

static const char *text_of(struct tx *tx, struct buf *b)
{
    const char *text = buf_failed(b) ? "" : arena_memdup(tx->arena, buf_str(b), b->len);
    buf_done(b);
    return text;
}

static void write_debug(struct tx *tx, struct json_writer *w, const char *app_key, bool whole)
{
    json_obj(w, "debug_info");
    json_str(
        w, "host",
        arena_printf(tx->arena, "applink-%llu", (unsigned long long)(chat_hash(app_key) % 100000)));
    if (whole) {
        json_int(w, "build_number", 1);
        json_int(w, "approximate_connection_time", CONNECTION_S);
    }
    json_end(w);
}

static void write_connection(struct json_writer *w, const char *app_key)
{
    json_obj(w, "connection_info");
    json_str(w, "app_id", app_key);
    json_end(w);
}

static const char *hello(struct tx *tx, const char *app_key, size_t n)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "type", "hello");
    json_int(&w, "num_connections", (int64_t)n);
    write_debug(tx, &w, app_key, true);
    write_connection(&w, app_key);
    json_end(&w);
    return text_of(tx, &b);
}

/* n: connections, of too_many_websockets; 0: it does not say. */
static const char *disconnect(struct tx *tx, const char *app_key, const char *reason, size_t n)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "type", "disconnect");
    json_str(&w, "reason", reason);
    if (n)
        json_int(&w, "num_connections", (int64_t)n);
    write_debug(tx, &w, app_key, false);
    if (n)
        write_connection(&w, app_key);
    json_end(&w);
    return text_of(tx, &b);
}

/* ---- the life of a connection ---- */

static int remember(struct tx *tx, int64_t number, int64_t app, bool debug)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into slack_socket (number, app) values (:number, :app)");
    int64_t end = tx->now_us + (debug ? DEBUG_S : CONNECTION_S) * US_PER_SECOND;
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
        session_send(t, disconnect(t->tx, a.key, "link_disabled", 0));
        session_end(t, 1000, "link_disabled");
        return 0;
    }
    if (t->n_open > MAX_CONNECTIONS) {
        session_send(t, disconnect(t->tx, a.key, "too_many_websockets", MAX_CONNECTIONS));
        session_end(t, 1000, "too_many_websockets");
        return 0;
    }
    session_send(t, hello(t->tx, a.key, t->n_open));
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

/* ---- its end ---- */

static enum delivery_verdict judge(const struct sosia_outcome *o)
{
    return o->status == 200 ? DELIVERY_GOOD : DELIVERY_BAD;
}

/* Nobody acknowledges it. */
static const int32_t waits_s[] = {1, 0};
const struct delivery_kind sl_disconnect_frame = {
    .name = "slack.disconnect", .waits_s = waits_s, .judge = judge};

int sl_socket_due(struct tx *tx, const char *kind, int64_t number)
{
    static struct sql_text q = SQL_TEXT("select app from slack_socket where number = :number");
    bool warning = strcmp(kind, SL_SOCKET_WARNING) == 0;
    struct chat_app a;
    int64_t app;
    int r = TX_INT(tx, &q, &app, number);
    if (r == 1)
        r = chat_app_of(tx, app, &a);
    if (r != 1)
        return r;
    const struct delivery d = {
        .kind = &sl_disconnect_frame,
        .ref = number,
        .from = a.key,
        .key = sl_socket_key(tx, app),
        .body = disconnect(tx, a.key, warning ? "warning" : "refresh_requested", 0)};
    return delivery_add(tx, &d, NULL);
}

int sl_sockets_disable(struct tx *tx, int64_t app)
{
    static struct sql_text q = SQL_TEXT("select count(*) from slack_socket where app = :app");
    struct chat_app a;
    int64_t n = 0;
    int r = chat_app_of(tx, app, &a);
    if (r != 1 || TX_INT(tx, &q, &n, app) < 0)
        return r == 0 ? 0 : -1;
    for (int64_t i = 0; i < n && i < MAX_CONNECTIONS; i++) {
        const struct delivery d = {.kind = &sl_disconnect_frame,
                                   .from = a.key,
                                   .key = sl_socket_key(tx, app),
                                   .body = disconnect(tx, a.key, "link_disabled", 0)};
        if (delivery_add(tx, &d, NULL) < 0)
            return -1;
    }
    return 0;
}

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
    {.id = "socket",
     .verbs = GET,
     .paths = PATHS("/link/", "/link"),
     .handler = link_open,
     .risk = RISK_WRITE,
     .anonymous = true,
     .upgrade = &link_upgrade,
     PARAMS(link_params),
     .summary = "The WebSocket of an app"},
};

const struct rows sl_socket = ROWS(rows);
