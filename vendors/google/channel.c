/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Push channels. A program names an address and is notified of changes there: messages without a
 * body go to the world's outbox as webhooks. A channel ends when it is stopped or its time, by the
 * world's clock, is over. Which OAuth client made a channel is not looked at: its actor may stop
 * it. http addresses are taken for receivers on this machine, which the service would refuse.
 */
#include "engine/store/record.h"
#include "identity/sql.h"
#include "vendors/google/internal.h"
#include "vendors/google/pubsub.h"
#include "vendors/google/upload.h"
#include "engine/world/event.h"
#include "engine/base/codec.h"
#include "engine/world/columns.h"
#include "engine/send/delivery.h"
#include "engine/text/civil.h"
#include "engine/world/take.h"
#include <strings.h>
#include <xxhash.h>

#define CORE          "google"
#define DUE           "channel"
#define MAX_NAME      64
#define MAX_TOKEN     256
#define MAX_ADDRESS   2048
#define MAX_URI       16384
#define RESOURCE_SIZE 20 /* bytes; 27 characters in base64url */

extern const char google_sql[];

/* ---- messages ---- */

/* The service sends again when the receiver answers 500, 502, 503 or 504, or not at all. */
static enum delivery_verdict judge_notification(const struct sosia_outcome *o)
{
    bool again =
        !o->status || o->status == 500 || o->status == 502 || o->status == 503 || o->status == 504;
    return again                                 ? DELIVERY_AGAIN
           : o->status >= 200 && o->status < 300 ? DELIVERY_GOOD
                                                 : DELIVERY_BAD;
}

static const struct delivery_kind channel_delivery = {
    .name = "google.channel", .waits_s = google_waits_s, .judge = judge_notification};

/* changed: value of X-Goog-Changed; NULL: none. */
static int send_message(struct tx *tx, const struct google_channel *ch, const char *state,
                        const char *changed)
{
    char expires[HTTP_DATE];
    http_date(expires, ch->expires_us);
    const struct sosia_header headers[] = {
        {"X-Goog-Channel-ID", ch->name},
        {"X-Goog-Channel-Expiration", expires},
        {"X-Goog-Resource-State", state},
        {"X-Goog-Message-Number", arena_printf(tx->arena, "%lld", (long long)ch->number)},
        {"X-Goog-Resource-ID", ch->resource},
        {"X-Goog-Resource-URI", ch->uri},
        {"X-Goog-Channel-Token", ch->token},
        {"X-Goog-Changed", changed},
        {"Accept", "*/*"},
        {"User-Agent", "APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)"},
    };
    return delivery_add(tx,
                        &(struct delivery){.kind = &channel_delivery,
                                           .ref = ch->id,
                                           .from = "google",
                                           .method = "POST",
                                           .url = ch->address,
                                           .body = "",
                                           .headers = headers,
                                           .n_headers = SOSIA_LEN(headers)},
                        NULL);
}

#define CHANNEL(X)                                                                                 \
    X(name, name, STRING)                                                                          \
    X(resource, resource, STRING)                                                                  \
    X(uri, uri, STRING)                                                                            \
    X(address, address, STRING)                                                                    \
    X(token, token, STRING)                                                                        \
    X(expires_us, expires_us, NUMBER)                                                              \
    X(number, number, NUMBER)
#define NAMES CHANNEL(COLUMN_NAME)
#define MARKS CHANNEL(COLUMN_MARK)

static int count_message(struct tx *tx, const struct google_channel *ch)
{
    static struct sql_text q =
        SQL_TEXT("update google_channel set number = :number where id = :id");
    return TX_RUN(tx, &q, ch->number, ch->id);
}

/* The first channel beyond `after` that watches this. */
static int next_channel(struct tx *tx, const char *kind, int64_t ref, int64_t after,
                        struct google_channel *row)
{
    static struct sql_text q =
        SQL_TEXT("select id" NAMES " from google_channel "
                 "where kind = :kind and ref = :ref and id > :after order by id limit 1");
    struct record found = {.arena = tx->arena}, *rec = &found;
    unsigned at = 1;
    int r = ROW_ONLY(tx, TX_QUERY(tx, &q, kind, ref, after), rec);
    if (r != 1)
        return r;
    row->id = record_int(rec, 0);
    CHANNEL(COLUMN_TAKE)
    return 1;
}

/* The state in a message about an event: in most APIs that the resource exists, in Drive what
 * was done. */
static const char *state_of(struct tx *tx, const struct world_event *e, const char **ret_changed)
{
    struct buf b;
    *ret_changed = NULL;
    if (strncmp(e->kind, "drive.", 6) != 0)
        return "exists";
    if (strcmp(e->kind, "drive.file") != 0)
        return "change";
    if (e->operation == OP_REMOVED)
        return "remove";
    if (e->operation == OP_ADDED)
        return "add";
    if (!e->members || !e->members[0])
        return "update";
    if (strcmp(e->members[0], "trash") == 0 || strcmp(e->members[0], "untrash") == 0)
        return e->members[0];
    buf_init(&b, 256);
    for (const char *const *m = e->members; *m; m++)
        buf_printf(&b, "%s%s", b.len ? "," : "", *m);
    *ret_changed = buf_keep(&b, tx->arena);
    return "update";
}

/* However much changed in a call, a channel gets one message about it. */
static int channel_events(struct tx *tx, const struct world_event *first)
{
    static struct record_text channels = RECORD_TEXT("google_channel", "id");
    const struct world_event **list;
    size_t n;
    if (record_none(tx->db, &channels))
        return 0;
    if (events_distinct(tx, first, NULL, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct google_channel ch = {0};
        int r;
        while ((r = next_channel(tx, list[i]->kind, list[i]->scope, ch.id, &ch)) == 1) {
            const char *changed, *state = state_of(tx, list[i], &changed);
            ch.number++;
            if (count_message(tx, &ch) < 0 || send_message(tx, &ch, state, changed) < 0)
                return -1;
        }
        if (r < 0)
            return -1;
    }
    return 0;
}

/* ---- life ---- */

static int forget(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from google_channel where id = :id");
    return TX_RUN(tx, &q, id);
}

static int google_due(struct tx *tx, const char *kind, int64_t ref)
{
    return strcmp(kind, UPLOAD_DUE) == 0 ? upload_drop(tx, ref) : forget(tx, ref);
}

int google_channel_gone(struct tx *tx, const char *kind, int64_t ref)
{
    static struct sql_text q =
        SQL_TEXT("update google_channel set ref = 0 where kind = :kind and ref = :ref");
    return TX_RUN(tx, &q, kind, ref);
}

const char *google_channel_resource(struct tx *tx, const char *kind, int64_t ref)
{
    struct {
        XXH128_hash_t a;
        uint64_t b;
    } h;
    const char *text = arena_printf(tx->arena, "%s %lld", kind, (long long)ref);
    struct buf b;
    h.a = XXH3_128bits_withSeed(text, strlen(text), 1);
    h.b = XXH3_64bits_withSeed(text, strlen(text), 2);
    buf_init(&b, 64);
    base64url_add(&b, &h, RESOURCE_SIZE, false);
    return buf_keep(&b, tx->arena);
}

int google_channel_add(struct tx *tx, int64_t actor, const char *kind, int64_t ref,
                       struct google_channel *row)
{
    static struct sql_text q = SQL_TEXT("insert into google_channel (actor, kind, ref" NAMES
                                        ") values (?, ?, ?" MARKS ")");
    if (TX_RUN(tx, &q, actor, kind, ref CHANNEL(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    return due_add(tx, row->expires_us, CORE, DUE, row->id);
}

/* ---- what a channel may have ---- */

/* At most max bytes, none of them a control or below `first`: it becomes a header or a URL. */
static bool is_plain(const char *text, size_t max, char first)
{
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < (unsigned char)first || *p == 127)
            return false;
    return strlen(text) <= max;
}

static bool is_channel_name(const char *name)
{
    static const char ok[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=";
    size_t n = strspn(name, ok);
    return n && n <= MAX_NAME && !name[n];
}

static bool is_loopback(const char *host)
{
    size_t n = strcspn(host, ":/?#");
    if (*host == '[')
        return strncmp(host, "[::1]", 5) == 0 && (!host[5] || strchr(":/?#", host[5]));
    return (n == 9 && strncasecmp(host, "localhost", 9) == 0) ||
           (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == n);
}

static bool is_address(const char *address)
{
    return is_plain(address, MAX_ADDRESS, '!') && strcasecmp(address, "https://") != 0;
}

static bool is_safe(const char *address)
{
    return strncasecmp(address, "https://", 8) == 0 ||
           (strncasecmp(address, "http://", 7) == 0 && is_loopback(address + 7));
}

const char *google_channel_fault(const struct google_channel *ch)
{
    if (!is_channel_name(ch->name))
        return "id";
    if (!is_address(ch->address) || !is_safe(ch->address))
        return "address";
    if (ch->token && !is_plain(ch->token, MAX_TOKEN, ' '))
        return "token";
    if (!*ch->resource || !is_plain(ch->resource, MAX_TOKEN, '!'))
        return "resource";
    return !*ch->uri || !is_plain(ch->uri, MAX_URI, ' ') ? "uri" : NULL;
}

/* ---- requests of programs ---- */

static int invalid(struct call *c, const char *what)
{
    return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid value for channel %s", what);
}

static int required(struct call *c, const char *what)
{
    return call_fail(c, SOSIA_E_INVALID, "required", NULL, "Missing channel %s.", what);
}

static int check_address(struct call *c, const char *address)
{
    if (!is_address(address))
        return invalid(c, "address");
    if (!is_safe(address))
        return call_fail(c, SOSIA_E_INVALID, "push.webhookUrlNotHttps", NULL,
                         "WebHook callback must be HTTPS: %.150s", address);
    return 0;
}

/* A whole number, as JSON number or as text: 64-bit numbers travel as texts. */
static int read_number(const struct json *v, int64_t *ret)
{
    return v && v->type == JSON_STRING ? parse_i64(v->str, v->n, ret) : json_i64(v, ret);
}

/* The earlier of what is requested and what the API allows, in whole seconds. */
static int expiry(struct call *c, const struct json *body, int64_t life, int64_t max,
                  int64_t *ret_us)
{
    const struct json *at = json_get(body, "expiration");
    const struct json *ttl = json_get(json_get(body, "params"), "ttl");
    int64_t now = c->tx.now_us / US_PER_SECOND, v;
    if (ttl && ttl->type != JSON_NULL) {
        if (read_number(ttl, &v) < 0 || v <= 0)
            return invalid(c, "parameter ttl");
        life = v;
    }
    if (at && at->type != JSON_NULL) {
        if (read_number(at, &v) < 0 || v / 1000 <= now)
            return invalid(c, "expiration");
        life = v / 1000 - now;
    }
    *ret_us = (now + (life < max ? life : max)) * US_PER_SECOND;
    return 0;
}

static int read_channel(struct call *c, int64_t life_s, int64_t max_s, struct google_channel *ret)
{
    const struct json *body = call_body(c);
    if (!body)
        return -1;
    const char *type = json_get_str(body, "type");
    struct google_channel ch = {.name = json_get_str(body, "id"),
                                .address = json_get_str(body, "address"),
                                .token = json_get_str(body, "token")};
    if (!ch.name || !*ch.name)
        return required(c, "id");
    if (!type)
        return required(c, "type");
    if (!ch.address || !*ch.address)
        return required(c, "address");
    if (!is_channel_name(ch.name))
        return invalid(c, "id");
    if (strcmp(type, "web_hook") != 0 && strcmp(type, "webhook") != 0)
        return invalid(c, "type");
    if (ch.token && !is_plain(ch.token, MAX_TOKEN, ' '))
        return invalid(c, "token");
    if (check_address(c, ch.address) < 0 || expiry(c, body, life_s, max_s, &ch.expires_us) < 0)
        return -1;
    *ret = ch;
    return 0;
}

/* The list that the watch method belongs to. */
static const char *watched_uri(struct call *c)
{
    static const char watch[] = "/watch";
    size_t n = c->path_len, m = sizeof watch - 1;
    if (n > m && memcmp(c->path + n - m, watch, m) == 0)
        n -= m;
    return arena_printf(c->tx.arena, "%s%.*s?alt=json",
                        c->base_url ? c->base_url : "https://www.googleapis.com", (int)n, c->path);
}

int google_channel_watch(struct call *c, const char *kind, int64_t ref)
{
    const struct google_api *api = google_api_of(c);
    return google_channel_watch_for(
        c, kind, ref, (api && api->channel_days ? api->channel_days : 7) * SECONDS_PER_DAY,
        (api && api->channel_max_days ? api->channel_max_days : 30) * SECONDS_PER_DAY);
}

int google_channel_watch_for(struct call *c, const char *kind, int64_t ref, int64_t life_s,
                             int64_t max_s)
{
    struct google_channel ch;
    struct json_writer *w = c->out;
    if (read_channel(c, life_s, max_s, &ch) < 0)
        return -1;
    ch.resource = google_channel_resource(&c->tx, kind, ref);
    ch.uri = watched_uri(c);
    ch.number = 1;
    if (google_channel_add(&c->tx, c->actor.id, kind, ref, &ch) < 0)
        return c->tx.err->code != SOSIA_E_CONFLICT
                   ? -1
                   : call_fail(c, SOSIA_E_INVALID, "channelIdNotUnique", NULL,
                               "Channel id not unique");
    if (send_message(&c->tx, &ch, "sync", NULL) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "kind", "api#channel");
    json_str(w, "id", ch.name);
    json_str(w, "resourceId", ch.resource);
    json_str(w, "resourceUri", ch.uri);
    json_str_opt(w, "token", ch.token);
    json_int_str(w, "expiration", ch.expires_us / 1000);
    json_end(w);
    return 0;
}

int google_channel_stop(struct call *c)
{
    static struct sql_text q = SQL_TEXT("select id from google_channel where name = :name and "
                                        "resource = :resource and actor = :actor");
    struct tx *tx = &c->tx;
    const struct json *body = call_body(c);
    const char *name = json_get_str(body, "id");
    const char *resource = json_get_str(body, "resourceId");
    if (!body)
        return -1;
    if (!name)
        return required(c, "id");
    if (!resource)
        return required(c, "resourceId");
    int64_t id;
    int r = TX_INT(tx, &q, &id, name, resource, c->actor.id);
    if (r < 0)
        return -1;
    if (!r)
        return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", NULL,
                         "Channel '%.64s' not found for project 'sosia'", name);
    if (due_cancel(tx, CORE, DUE, id) < 0 || forget(tx, id) < 0)
        return -1;
    c->status = 204;
    return 0;
}

/* ---- the core ---- */

/* The number of the last message is left out: a message is an entity of its own, in the outbox.
 * What is watched is without the host that was asked, which is another one for each server, but in
 * documents (about NULL). */
static int channel_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                        struct entity_about *about)
{
    static struct sql_text q =
        SQL_TEXT("select c.name, a.handle, coalesce(nullif(a.email, ''), a.handle), c.uri, "
                 "c.address, c.token, c.expires_us from google_channel c join " IDENT_SQL_ACTORS
                 " a on a.id = c.actor where c.id = :id");
    const char *name, *handle, *person, *uri, *address, *token;
    int64_t expires_us;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &name, &handle, &person, &uri, &address, &token,
                    &expires_us);
    if (r != 1)
        return r;
    const char *host = about ? strstr(uri, "://") : NULL;
    if (about) {
        about->person = person;
        about->title = name;
    }
    json_str(w, "id", name);
    json_str(w, "actor", handle);
    json_str(w, "uri", host ? host + 3 + strcspn(host + 3, "/") : uri);
    json_str(w, "address", address);
    json_str_opt(w, "token", token);
    json_time(w, "expires", expires_us, JSON_TIME_S_Z);
    return 1;
}

static int channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    return channel_view(tx, rowid, w, NULL);
}

static int channels_check(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select id, name, resource, uri, address, token from google_channel");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    struct google_channel ch;
    int r;
    while ((r = TX_TAKE_NEXT(tx, st, &ch.id, &ch.name, &ch.resource, &ch.uri, &ch.address,
                             &ch.token)) == 1) {
        const char *fault = google_channel_fault(&ch);
        if (fault) {
            tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                    "google_channel: row %lld: no channel has such %s %s", (long long)ch.id,
                    strchr("aeiou", *fault) ? "an" : "a", fault);
            sql_done(st);
            return -1;
        }
    }
    return r;
}

static const struct entity_part topic_parts[] = {
    {.table = "pubsub_subscription",
     .owner = ENTITY_OWNER("select topic from pubsub_subscription where rowid = ?1")},
    {0},
};

static const struct entity entities[] = {
    {.name = "google_channel",
     .table = "google_channel",
     .named = ENTITY_NAMED("id", "select name from google_channel where id = ?1"),
     .dump = channel_dump},
    {.name = "pubsub_topic",
     .table = "pubsub_topic",
     .named = ENTITY_NAMED("name", "select name from pubsub_topic where id = ?1"),
     .dump = pubsub_topic_dump,
     .parts = topic_parts},
};

static const struct entity_view views[] = {
    {"google_channel", "google", channel_view, NULL, .timeless = true,
     .members = "id actor uri address token expires"},
    {NULL, NULL, NULL, NULL},
};

static const struct delivery_kind *const deliveries[] = {&channel_delivery, &pubsub_delivery, NULL};

static const struct section sections[] = {
    {.name = "pubsub_topics",
     .seed_one = pubsub_topic_seed,
     .ids = SECTION_IDS("select id from pubsub_topic order by name"),
     .dump_one = pubsub_topic_dump,
     .form = &pubsub_topic_form},
};

/* A channel's thing is of one of the APIs, whose cores look at it. Each session has a blob of its
 * own, which is not finished. */
static const struct core_rule rules[] = {
    {"google_channel", "kind not glob 'calendar.*' and kind not glob 'drive.*'"},
    {"google_channel", "number not between 1 and 1099511627776"},
    {"google_channel", "expires_us not between -62135596800000000 and 253402300799999999"},
    {"google_upload", "size < 0 or (blob is null) <> (size = 0 or status is not null)"},
    {"google_upload", "blob is not null and not exists (select 1 from blob b where b.id = "
                      "google_upload.blob and b.sha256 is null and b.length = google_upload.size)"},
    {"google_upload", "exists (select 1 from google_upload u where u.blob = google_upload.blob and "
                      "u.id <> google_upload.id)"},
    {NULL, NULL},
};

extern const char google_upgrade_sql[];
static const struct core_upgrade upgrades[] = {{.from = "sosia 2", .sql = google_upgrade_sql},
                                               {.from = NULL}};

const struct sosia_core google_core = {
    .name = CORE,
    .schema = google_sql,
    .upgrades = upgrades,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .views = views,
    .due = google_due,
    .events = channel_events,
    .deliveries = deliveries,
    .rules = rules,
    .check = channels_check,
    .derive = uploads_derive,
};
