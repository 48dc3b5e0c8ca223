/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attempt to reach an app sends, and what comes back. Envelopes, frames and headers are as
 * docs.slack.dev and the service's SDKs have them; the order of members is that of captured frames.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/take.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/events/push.h"
#include "services/chat/slack/events/push_impl.h"
#include "services/chat/slack/events/socket.h"
#include <gnutls/crypto.h>
#include <stdio.h>

#define ANSWER_S 3 /* seconds in which an app has to answer */

/* ---- signatures ---- */

const char *sl_signature(struct tx *tx, const char *secret, int64_t at_s, const char *body)
{
    static const char empty[] = "";
    uint8_t digest[32];
    char hex[65];
    const char *key = secret ? secret : empty;
    const char *text = arena_printf(tx->arena, "v0:%lld:%s", (long long)at_s, body);
    gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, strlen(key), text, strlen(text), digest);
    hex_encode(hex, digest, sizeof digest);
    return arena_printf(tx->arena, "v0=%s", hex);
}

/* ---- envelope ids ---- */

/* Nobody has to guess one: an entry is acknowledged by its own app's connections alone. */
static uint64_t mixed(const char *text)
{
    return chat_hash(text);
}

const char *sl_envelope_id(struct tx *tx, int64_t entry, int64_t attempt)
{
    uint64_t low =
        mixed(arena_printf(tx->arena, "envelope %lld %lld", (long long)entry, (long long)attempt));
    uint64_t mask = mixed(arena_printf(tx->arena, "entry %llu", (unsigned long long)low));
    uint64_t high = (uint64_t)entry ^ (mask & UINT64_C(0xFFFFFFFFFFFF));
    return arena_printf(tx->arena, "%08llx-%04llx-4%03llx-%04llx-%012llx",
                        (unsigned long long)(high >> 16 & 0xFFFFFFFF),
                        (unsigned long long)(high & 0xFFFF),
                        (unsigned long long)(low >> 48 & 0xFFF),
                        (unsigned long long)(0x8000 | (low >> 60 & 0xF) << 8 | (attempt & 0xFF)),
                        (unsigned long long)(low & UINT64_C(0xFFFFFFFFFFFF)));
}

int64_t sl_envelope_entry(struct tx *tx, const char *id)
{
    unsigned a, b, c, d;
    unsigned long long e;
    if (strlen(id) != 36 || sscanf(id, "%8x-%4x-%4x-%4x-%12llx", &a, &b, &c, &d, &e) != 5)
        return 0;
    uint64_t high = (uint64_t)a << 16 | b;
    uint64_t low = (uint64_t)(d >> 8 & 0xF) << 60 | (uint64_t)(c & 0xFFF) << 48 | e;
    uint64_t mask = mixed(arena_printf(tx->arena, "entry %llu", (unsigned long long)low));
    int64_t entry = (int64_t)(high ^ (mask & UINT64_C(0xFFFFFFFFFFFF)));
    for (int64_t attempt = d & 0xFF; attempt < 1024; attempt += 256)
        if (strcasecmp(sl_envelope_id(tx, entry, attempt), id) == 0)
            return entry;
    return 0;
}

/* ---- JSON ---- */

static const char *taken(struct tx *tx, struct buf *b)
{
    const char *text = buf_failed(b) ? NULL : arena_memdup(tx->arena, buf_str(b), b->len);
    buf_done(b);
    return text;
}

static void raw(struct json_writer *w, const char *key, const char *json)
{
    json_raw(w, key, json, strlen(json));
}

/* ---- events ---- */

struct notice {
    const char *key, *type, *body, *team, *channel; /* channel NULL: of none */
    const char *context;                            /* the workspace that sees it */
    bool shared;                                    /* the channel is */
    int64_t at_us, app;
    const char *user; /* who makes the app see it */
    bool bot;
    struct chat_app chat_app;
    struct ident_app ident;
};

#define TEAM    CHAT_SQL_WORKSPACE_KEY("e.workspace")
#define CHANNEL CHAT_SQL_CHANNEL_KEY("e.channel")
#define SEEN_BY CHAT_SQL_WORKSPACE_KEY("u.workspace")
#define SHARED  CHAT_SQL_IS_SHARED("e.channel")

/* 1, 0, -1. */
static int load_notice(struct tx *tx, int64_t ref, struct notice *ret)
{
    static struct sql_text q =
        SQL_TEXT("select e.key, e.type, e.body, " TEAM ", " CHANNEL
                 ", e.at_us, t.app, u.key, u.bot, " SEEN_BY ", " SHARED
                 " from slack_event_app t join slack_event e on e.id = t.event "
                 "join " CHAT_SQL_USERS " u on u.id = t.user where t.id = :id");
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, ref), &ret->key, &ret->type, &ret->body, &ret->team,
                    &ret->channel, &ret->at_us, &ret->app, &ret->user, &ret->bot, &ret->context,
                    &ret->shared);
    if (r == 1)
        r = chat_app_of(tx, ret->app, &ret->chat_app);
    return r == 1 ? app_get(tx, ret->app, &ret->ident) : r;
}

/* Opaque to programs, who hand it back to apps.event.authorizations.list. */
static const char *event_context(struct tx *tx, const struct notice *t)
{
    struct json_writer w;
    struct buf b, all;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "et", t->type);
    json_str(&w, "tid", t->context);
    json_str(&w, "aid", t->chat_app.key);
    json_str_opt(&w, "cid", t->channel);
    json_end(&w);
    buf_init(&all, 0);
    buf_puts(&all, "4-");
    base64url_add(&all, b.data, b.len, false);
    buf_done(&b);
    return taken(tx, &all);
}

static void write_event(struct tx *tx, struct json_writer *w, const char *key,
                        const struct notice *t)
{
    json_obj(w, key);
    json_str(w, "token", t->chat_app.verification);
    if (strcmp(t->type, SL_RATE_LIMITED) == 0) {
        json_str(w, "type", t->type);
        json_str(w, "team_id", t->team);
        json_int(w, "minute_rate_limited", t->at_us / US_PER_SECOND / 60 * 60);
        json_str(w, "api_app_id", t->chat_app.key);
        json_end(w);
        return;
    }
    json_str(w, "team_id", t->team);
    json_str(w, "context_team_id", t->context);
    json_null(w, "context_enterprise_id");
    json_str(w, "api_app_id", t->chat_app.key);
    raw(w, "event", t->body);
    json_str(w, "type", "event_callback");
    json_str(w, "event_id", t->key);
    json_int(w, "event_time", t->at_us / US_PER_SECOND);
    json_arr(w, "authorizations");
    json_obj(w, NULL);
    json_null(w, "enterprise_id");
    json_str(w, "team_id", t->context);
    json_str(w, "user_id", t->user);
    json_bool(w, "is_bot", t->bot);
    json_bool(w, "is_enterprise_install", false);
    json_end(w);
    json_end(w);
    json_bool(w, "is_ext_shared_channel", t->shared);
    json_str(w, "event_context", event_context(tx, t));
    json_end(w);
}

/* ---- requests ---- */

/* The service's words for why an attempt failed. */
static const char *failure_of(const char *reason)
{
    static const char *const words[][2] = {{"status", "http_error"},
                                           {"timeout", "http_timeout"},
                                           {"connect", "connection_failed"},
                                           {"tls", "ssl_error"},
                                           {"redirects", "too_many_redirects"}};
    for (size_t i = 0; reason && i < SOSIA_LEN(words); i++)
        if (strcmp(reason, words[i][0]) == 0)
            return words[i][1];
    return "unknown_error";
}

/* Headers of a request whose body is there. */
static void sign_request(struct tx *tx, const struct delivery_attempt *a, const char *secret,
                         const char *accept, const char *type, struct delivery *ret)
{
    struct sosia_header *h = arena_calloc(tx->arena, 8, sizeof *h);
    int64_t at_s = a->since_us / US_PER_SECOND;
    size_t n = 0;
    h[n++] = (struct sosia_header){"User-Agent", "Slackbot 1.0 (+https://api.slack.com/robots)"};
    h[n++] = (struct sosia_header){"Accept", accept};
    h[n++] = (struct sosia_header){"X-Slack-Signature", sl_signature(tx, secret, at_s, ret->body)};
    h[n++] = (struct sosia_header){"X-Slack-Request-Timestamp",
                                   arena_printf(tx->arena, "%lld", (long long)at_s)};
    h[n++] = (struct sosia_header){"Content-Type", type};
    if (a->number > 1) {
        h[n++] = (struct sosia_header){"X-Slack-Retry-Num",
                                       arena_printf(tx->arena, "%lld", (long long)a->number - 1)};
        h[n++] = (struct sosia_header){"X-Slack-Retry-Reason", failure_of(a->reason)};
    }
    ret->headers = h;
    ret->n_headers = n;
}

static int event_request(struct tx *tx, const struct delivery_attempt *a, struct delivery *ret)
{
    struct json_writer w;
    struct notice t;
    struct buf b;
    if (load_notice(tx, a->ref, &t) != 1)
        return -1;
    json_start(&w, &b);
    write_event(tx, &w, NULL, &t);
    if (!(ret->body = taken(tx, &b)))
        return sosia_fail_memory(tx->err);
    sign_request(tx, a, t.ident.signing_secret, "*/*", "application/json", ret);
    return 0;
}

static int event_frame(struct tx *tx, const struct delivery_frame *f, const char **ret_text)
{
    struct json_writer w;
    struct notice t;
    struct buf b;
    if (load_notice(tx, f->ref, &t) != 1)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "envelope_id", sl_envelope_id(tx, f->entry, f->attempt));
    write_event(tx, &w, "payload", &t);
    json_str(&w, "type", "events_api");
    json_bool(&w, "accepts_response_payload", false);
    json_int(&w, "retry_attempt", f->attempt - 1);
    json_str(&w, "retry_reason", f->attempt > 1 ? "timeout" : "");
    json_end(&w);
    *ret_text = taken(tx, &b);
    return *ret_text ? 0 : sosia_fail_memory(tx->err);
}

/* ---- outcomes ---- */

static bool says_no_retry(const struct sosia_outcome *o)
{
    for (size_t i = 0; i < o->n_headers; i++)
        if (str_eq_nocase(o->headers[i].name, "X-Slack-No-Retry"))
            return strcmp(o->headers[i].value, "1") == 0;
    return false;
}

static bool is_good(const struct sosia_outcome *o)
{
    return o->status >= 200 && o->status < 300;
}

static enum delivery_verdict judge_event(const struct sosia_outcome *o)
{
    return is_good(o) ? DELIVERY_GOOD : says_no_retry(o) ? DELIVERY_BAD : DELIVERY_AGAIN;
}

static enum delivery_verdict judge_action(const struct sosia_outcome *o)
{
    return is_good(o) ? DELIVERY_GOOD : DELIVERY_BAD;
}

/* "Nearly immediately", after a minute, after five. */
static const int32_t event_waits_s[] = {1, 60, 300, 0};
/* An attempt on a WebSocket lasts until the next one: three seconds, a minute, five. */
static const int32_t frame_waits_s[] = {ANSWER_S, 60, 300, 0};
static const int32_t action_waits_s[] = {ANSWER_S, 0};

#define DISABLING_FLOOR 1000 /* deliveries in an hour below which no address is given up */

/* An address at which 95 of 100 deliveries of an hour failed gets none any more. */
static int event_ended(struct tx *tx, int64_t ref, enum delivery_verdict verdict,
                       const struct sosia_outcome *o)
{
    static struct sql_text q = SQL_TEXT(
        "update slack_endpoint set sent = case when :now - hour_s < 3600 then sent else 0 end + 1, "
        "failed = case when :now - hour_s < 3600 then failed else 0 end + :failed, "
        "hour_s = case when :now - hour_s < 3600 then hour_s else :now end "
        "where app = (select app from slack_event_app where id = :ref)");
    static struct sql_text off = SQL_TEXT(
        "update slack_endpoint set enabled = 0 where app = (select app from slack_event_app "
        "where id = :ref) and sent >= :floor and failed * 100 >= sent * 95");
    (void)o;
    if (TX_RUN(tx, &q, tx->now_us / US_PER_SECOND, verdict == DELIVERY_BAD, ref) < 0)
        return -1;
    return TX_RUN(tx, &off, ref, (int64_t)DISABLING_FLOOR);
}

static const struct delivery_kind push_event_request = {.name = SL_EVENT_REQUEST,
                                                        .waits_s = event_waits_s,
                                                        .judge = judge_event,
                                                        .ended = event_ended,
                                                        .request = event_request,
                                                        .timeout_s = ANSWER_S,
                                                        .redirects = 2};
static const struct delivery_kind push_event_frame = {
    .name = SL_EVENT_FRAME, .waits_s = frame_waits_s, .judge = judge_event, .frame = event_frame};

/* ---- what a person did ---- */

struct acted {
    int64_t app, ref;
    enum sl_push kind;
    bool answers;
    const char *payload;
    struct ident_app ident;
};

static int load_acted(struct tx *tx, int64_t ref, struct acted *ret)
{
    static struct sql_text q =
        SQL_TEXT("select app, kind, answers, ref, payload from slack_action where id = :id");
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, ref), &ret->app, &ret->kind, &ret->answers, &ret->ref,
                    &ret->payload);
    return r == 1 ? app_get(tx, ret->app, &ret->ident) : r;
}

/* As forms have it: a space is a plus. */
static void add_field(struct buf *b, const char *name, const char *value)
{
    if (b->len)
        buf_byte(b, '&');
    percent_add(b, name, strlen(name));
    buf_byte(b, '=');
    for (size_t n; *value; value += n) {
        n = strcspn(value, " ");
        percent_add(b, value, n);
        if (value[n]) {
            buf_byte(b, '+');
            n++;
        }
    }
}

static int action_request(struct tx *tx, const struct delivery_attempt *a, struct delivery *ret)
{
    const struct json *v;
    struct acted d;
    struct buf b;
    if (load_acted(tx, a->ref, &d) != 1)
        return -1;
    if (json_parse(tx->arena, d.payload, strlen(d.payload), NULL, &v, tx->err) < 0)
        return -1;
    const char *type = json_get_str(v, "type");
    if (d.kind == SL_PUSH_INTERACTIVE && type && strcmp(type, SL_CHALLENGE) == 0) {
        ret->body = d.payload;
        sign_request(tx, a, d.ident.signing_secret, "*/*", "application/json", ret);
        return 0;
    }
    buf_init(&b, 0);
    for (uint32_t i = 0; d.kind == SL_PUSH_COMMAND && i < v->n; i++) {
        const struct json *m = &v->members[i].value;
        add_field(&b, v->members[i].key,
                  m->type == JSON_STRING ? m->str : json_to_text(tx->arena, m));
    }
    if (d.kind != SL_PUSH_COMMAND)
        add_field(&b, "payload", d.payload);
    if (!(ret->body = taken(tx, &b)))
        return sosia_fail_memory(tx->err);
    sign_request(tx, a, d.ident.signing_secret, "application/json,*/*",
                 "application/x-www-form-urlencoded", ret);
    return 0;
}

static int action_frame(struct tx *tx, const struct delivery_frame *f, const char **ret_text)
{
    struct json_writer w;
    struct acted d;
    struct buf b;
    if (load_acted(tx, f->ref, &d) != 1)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "envelope_id", sl_envelope_id(tx, f->entry, f->attempt));
    raw(&w, "payload", d.payload);
    json_str(&w, "type", d.kind == SL_PUSH_COMMAND ? "slash_commands" : "interactive");
    json_bool(&w, "accepts_response_payload", d.answers);
    json_end(&w);
    *ret_text = taken(tx, &b);
    return *ret_text ? 0 : sosia_fail_memory(tx->err);
}

static void fill_answer(const struct acted *d, enum delivery_verdict verdict,
                        const struct sosia_outcome *o, struct sl_answer *ret)
{
    bool good = verdict == DELIVERY_GOOD;
    *ret = (struct sl_answer){.kind = d->kind,
                              .app = d->app,
                              .ref = d->ref,
                              .good = good,
                              .status = o->status,
                              .failure = good        ? NULL
                                         : o->status ? "http_error"
                                                     : failure_of(o->reason),
                              .body = o->body_len ? o->body : "",
                              .len = o->body_len,
                              .payload = d->payload};
}

static int action_ended(struct tx *tx, int64_t ref, enum delivery_verdict verdict,
                        const struct sosia_outcome *o)
{
    struct sl_answer answer;
    struct acted d;
    int r = load_acted(tx, ref, &d);
    if (r != 1)
        return r;
    fill_answer(&d, verdict, o, &answer);
    return sl_answered(tx, &answer);
}

static int action_complete(struct call *c, int64_t ref, enum delivery_verdict verdict,
                           const struct sosia_outcome *o)
{
    struct sl_answer answer;
    struct acted d;
    int r = load_acted(&c->tx, ref, &d);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "internal_error");
    fill_answer(&d, verdict, o, &answer);
    return sl_answer_complete(c, &answer);
}

static const struct delivery_kind push_action_request = {.name = SL_ACTION_REQUEST,
                                                         .judge = judge_action,
                                                         .ended = action_ended,
                                                         .complete = action_complete,
                                                         .request = action_request,
                                                         .timeout_s = ANSWER_S};
static const struct delivery_kind push_action_frame = {.name = SL_ACTION_FRAME,
                                                       .waits_s = action_waits_s,
                                                       .judge = judge_action,
                                                       .ended = action_ended,
                                                       .complete = action_complete,
                                                       .frame = action_frame,
                                                       .timeout_s = ANSWER_S};

const struct delivery_kind *const sl_deliveries[] = {&push_event_request,  &push_event_frame,
                                                     &push_action_request, &push_action_frame,
                                                     &sl_disconnect_frame, NULL};
