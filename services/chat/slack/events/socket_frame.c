/* SPDX-License-Identifier: Apache-2.0 */
/* The frames with which a connection of an app begins and ends. */
#include "services/chat/slack/events/socket.h"

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
        json_int(w, "approximate_connection_time", SL_CONNECTION_S);
    }
    json_end(w);
}

static void write_connection(struct json_writer *w, const char *app_key)
{
    json_obj(w, "connection_info");
    json_str(w, "app_id", app_key);
    json_end(w);
}

const char *sl_socket_hello(struct tx *tx, const char *app_key, size_t n)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "type", "hello");
    json_int(&w, "num_connections", (int64_t)n);
    write_debug(tx, &w, app_key, true);
    write_connection(&w, app_key);
    json_end(&w);
    return text_of(tx, &b);
}

const char *sl_socket_disconnect(struct tx *tx, const char *app_key, const char *reason, size_t n)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
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
