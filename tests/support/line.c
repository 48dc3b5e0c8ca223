/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/line.h"
#include "identity/identity.h"
#include "engine/http/session.h"
#include "engine/send/delivery.h"
#include "identity/identity.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct line_seen line_seen;

/* ---- notes ---- */

static enum delivery_verdict judge(const struct sosia_outcome *o)
{
    return o->status == 200 ? DELIVERY_GOOD : DELIVERY_AGAIN;
}

static int ended(struct tx *tx, int64_t ref, enum delivery_verdict verdict,
                 const struct sosia_outcome *outcome)
{
    line_seen.delivered += verdict == DELIVERY_GOOD;
    line_seen.given_up += verdict == DELIVERY_BAD;
    if (verdict == DELIVERY_GOOD)
        snprintf(line_seen.ack, sizeof line_seen.ack, "%.*s", (int)outcome->body_len,
                 outcome->body);
    return 0;
}

static const char *written(struct arena *a, struct buf *b)
{
    const char *text = arena_strdup(a, buf_str(b));
    buf_done(b);
    return text;
}

static int frame(struct tx *tx, const struct delivery_frame *f, const char **ret_text)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "type", "note");
    json_int(&w, "id", f->entry);
    json_str(&w, "text", f->text);
    json_int(&w, "attempt", f->attempt);
    json_end(&w);
    *ret_text = written(tx->arena, &b);
    return 0;
}

static const int32_t waits_s[] = {10, 20, 0};
static const struct delivery_kind note = {
    .name = "line.note", .waits_s = waits_s, .judge = judge, .ended = ended, .frame = frame};
static const struct delivery_kind *const deliveries[] = {&note, NULL};
static const struct sosia_core core = {.name = "line", .deliveries = deliveries};

static const char *key_of(struct call *c)
{
    return arena_printf(c->tx.arena, "app:%s", param_str(c, "app"));
}

static int notes_send(struct call *c)
{
    c->status = 204;
    return delivery_add(
        &c->tx,
        &(struct delivery){
            .kind = &note, .from = "line", .key = key_of(c), .body = param_str(c, "text")},
        NULL);
}

/* ---- sessions ---- */

static int line_open(struct call *c)
{
    const char *app = param_str(c, "app");
    if (strcmp(app, "full") == 0)
        return call_fail(c, SOSIA_E_LIMIT, "full", "app", "there are too many connections");
    if (app[0] != 'A')
        return call_fail(c, SOSIA_E_NOT_FOUND, "appNotFound", "app", "there is no such app");
    return call_upgrade(c, key_of(c), atoi(app + 1));
}

static void say(struct session_turn *t, const char *type, const char *text, int64_t connections)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "type", type);
    json_str_opt(&w, "text", text);
    if (connections)
        json_int(&w, "connections", connections);
    json_end(&w);
    session_send(t, written(t->tx->arena, &b));
}

static int opened(struct session_turn *t)
{
    say(t, "hello", NULL, (int64_t)t->n_open);
    return 0;
}

static int take_frame(struct session_turn *t, const char *data, size_t len, bool binary)
{
    int64_t entry;
    int n = 0, size;
    if (sscanf(data, "ack %" SCNd64 " %n", &entry, &n) == 1 && n)
        return session_acknowledge(t, entry, data + n, len - (size_t)n) < 0 ? -1 : 0;
    if (sscanf(data, "end %d", &n) == 1)
        session_end(t, n, "as you wish");
    else if (sscanf(data, "big %d", &size) == 1)
        session_send(t, arena_printf(t->tx->arena, "%0*d", size, 0));
    else if (strcmp(data, "fail") == 0)
        return tx_fail(t->tx, SOSIA_E_INVALID, "bad", NULL, "the frame must not be \"fail\"");
    else
        say(t, binary ? "binary" : "echo", data, 0);
    return 0;
}

static int closed(struct session_turn *t, int code)
{
    line_seen.closed++;
    line_seen.closed_code = code;
    return 0;
}

static const char *const protocols[] = {"line.v2", "line.v1", NULL};
static const struct upgrade upgrade = {
    .protocols = protocols, .opened = opened, .frame = take_frame, .closed = closed};

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
    buf_puts(c->body_out, c->tx.err->reason ? c->tx.err->reason : "");
    call_header_const(c, "Content-Type", "text/plain");
}

static const struct front front = {.error = error};
static const struct vendor vendor = {.name = "line", .front = &front};
static const struct param params[] = {
    {.name = "app", .place = IN_QUERY, .required = true},
    {.name = "text", .place = IN_QUERY, .def = ""},
};
static const struct route routes[] = {{.id = "line.open",
                                       .verbs = GET,
                                       .paths = PATHS("/line"),
                                       .handler = line_open,
                                       .risk = RISK_WRITE,
                                       .anonymous = true,
                                       .upgrade = &upgrade,
                                       PARAMS(params)},
                                      {.id = "line.notes.send",
                                       .verbs = POST,
                                       .paths = PATHS("/notes"),
                                       .handler = notes_send,
                                       .risk = RISK_WRITE,
                                       .anonymous = true,
                                       PARAMS(params)}};
static const struct rows all_rows = ROWS(routes);
static const char *const prefixes[] = {"/line", "/notes", NULL};
static const struct dialect dialect = {.name = "line",
                                       .title = "Lines",
                                       .vendor = &vendor,
                                       .prefixes = prefixes,
                                       .tables = TABLES(&all_rows)};
const struct sosia_service line_service = {
    .name = "line",
    .cores = (const struct sosia_core *const[]){&identity_core, &core, NULL},
    .dialects = (const struct dialect *const[]){&dialect, NULL}};
const char line_doc[] = "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\"}";
