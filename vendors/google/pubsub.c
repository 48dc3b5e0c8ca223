/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/state/own.h"
#include "vendors/google/pubsub.h"
#include "engine/base/codec.h"
#include "engine/send/delivery.h"
#include "engine/world/core.h"
#include "engine/text/civil.h"
#include "engine/json/doc.h"
#include "engine/world/take.h"
#include <ctype.h>

#define MAX_NAME     255
#define MAX_ENDPOINT 2048

/* "projects/P/KIND/N", with names as the service takes them. */
static bool is_name(const char *name, const char *kind)
{
    static const char ok[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+%:";
    if (!str_starts(name, "projects/"))
        return false;
    const char *project = name + sizeof "projects/" - 1;
    size_t n = strspn(project, ok);
    const char *rest = project + n;
    if (!n || *rest++ != '/' || !str_starts(rest, kind))
        return false;
    rest += strlen(kind);
    if (*rest++ != '/')
        return false;
    n = strspn(rest, ok);
    return n >= 3 && n <= MAX_NAME && !rest[n] && isalpha((unsigned char)rest[0]) &&
           strncmp(rest, "goog", 4) != 0;
}

bool pubsub_is_topic(const char *name)
{
    return is_name(name, "topics");
}

enum pubsub_state pubsub_topic(struct tx *tx, const char *name)
{
    static struct sql_text q =
        SQL_TEXT("select closed from pubsub_topic where name = :name "
                 "union all select 2 where not exists (select 1 from pubsub_topic)");
    int64_t closed;
    int r = TX_INT(tx, &q, &closed, name);
    if (r != 1)
        return r < 0 ? PUBSUB_FAILED : PUBSUB_NO_TOPIC;
    return closed == 1 ? PUBSUB_CLOSED : PUBSUB_OPEN;
}

/* ---- messages ---- */

struct message {
    const char *data; /* base64url */
    const char *id;   /* digits */
    int64_t at_us;
};

static void write_message(struct json_writer *w, const struct message *m)
{
    json_obj(w, "message");
    json_str(w, "data", m->data);
    json_str(w, "messageId", m->id);
    json_str(w, "message_id", m->id);
    json_time(w, "publishTime", m->at_us, JSON_TIME_MS_Z);
    json_time(w, "publish_time", m->at_us, JSON_TIME_MS_Z);
    json_end(w);
}

static const char *taken(struct tx *tx, struct buf *b)
{
    const char *text = buf_failed(b) ? NULL : arena_strdup(tx->arena, buf_str(b));
    buf_done(b);
    return text && !arena_failed(tx->arena) ? text : NULL;
}

static const char *push_body(struct tx *tx, const struct message *m, const char *subscription)
{
    struct buf b;
    struct json_writer w;
    json_start(&w, &b);
    json_obj(&w, NULL);
    write_message(&w, m);
    json_str(&w, "subscription", subscription);
    json_end(&w);
    return taken(tx, &b);
}

/* These acknowledge a message (cloud.google.com/pubsub/docs/push); all else is sent again. */
static enum delivery_verdict judge_push(const struct sosia_outcome *o)
{
    bool good = o->status == 102 || o->status == 200 || o->status == 201 || o->status == 202 ||
                o->status == 204;
    return good ? DELIVERY_GOOD : DELIVERY_AGAIN;
}

/* "Exponential backoff" is all that is documented; the seconds are ours. */
const int32_t google_waits_s[] = {10, 20, 40, 80, 160, 0};

const struct delivery_kind pubsub_delivery = {
    .name = "google.pubsub", .waits_s = google_waits_s, .judge = judge_push};

static int push(struct tx *tx, const struct message *m, const char *subscription,
                const char *endpoint)
{
    static const struct sosia_header headers[] = {
        {"Content-Type", "application/json"},
        {"Accept", "application/json"},
        {"From", "noreply@google.com"},
        {"User-Agent", "CloudPubSub-Google"},
    };
    const char *body = push_body(tx, m, subscription);
    if (!body)
        return sosia_fail_memory(tx->err);
    return delivery_add(tx,
                        &(struct delivery){.kind = &pubsub_delivery,
                                           .from = "pubsub",
                                           .method = "POST",
                                           .url = endpoint,
                                           .body = body,
                                           .headers = headers,
                                           .n_headers = SOSIA_LEN(headers)},
                        NULL);
}

static int keep(struct tx *tx, const struct message *m, const char *topic)
{
    struct buf b;
    struct json_writer w;
    json_start(&w, &b);
    json_obj(&w, NULL);
    write_message(&w, m);
    json_end(&w);
    const char *payload = taken(tx, &b);
    return payload ? outbox_add(tx, "pubsub", "pubsub", topic, payload)
                   : sosia_fail_memory(tx->err);
}

struct subscription {
    const char *name, *endpoint;
};

/* The first one behind `after`. */
static int next_subscription(struct tx *tx, const char *topic, const char *after,
                             struct subscription *ret)
{
    static struct sql_text q =
        SQL_TEXT("select s.name, s.endpoint from pubsub_topic t "
                 "join pubsub_subscription s on s.topic = t.id "
                 "where t.name = :topic and s.name > :after order by s.name limit 1");
    return TX_TAKE(tx, TX_QUERY(tx, &q, topic, after), &ret->name, &ret->endpoint);
}

int pubsub_publish(struct tx *tx, const char *topic, const char *data, size_t len)
{
    struct message m = {.at_us = tx->now_us};
    struct subscription s = {.name = ""};
    struct buf b;
    uint64_t id;
    int r, n = 0;
    if (tx_id(tx, "pubsub", &id, sizeof id) < 0)
        return -1;
    buf_init(&b, 0);
    base64url_add(&b, data, len, true);
    m.data = taken(tx, &b);
    m.id = arena_printf(tx->arena, "%llu",
                        (unsigned long long)(UINT64_C(10000000000000000) + (id >> 11)));
    if (!m.data)
        return sosia_fail_memory(tx->err);
    while ((r = next_subscription(tx, topic, s.name, &s)) == 1) {
        n++;
        if (push(tx, &m, s.name, s.endpoint) < 0)
            return -1;
    }
    return r < 0 || n ? r : keep(tx, &m, topic);
}

/* ---- seed documents ---- */

static const struct member subscription_members[] = {
    OWN_NEEDED("name", "projects/PROJECT/subscriptions/NAME"),
    OWN_NEEDED("endpoint", "An http or https address"),
};
static const struct form subscription_form =
    FORM("Where the messages of a topic are pushed to", subscription_members);

static int seed_subscription(struct tx *tx, struct doc *d, const struct json *v, int64_t topic)
{
    static struct sql_text q = SQL_TEXT(
        "insert into pubsub_subscription (topic, name, endpoint) values (:topic, :name, :url)");
    const char *name, *endpoint;
    if (form_known(&(struct form_in){tx, d, v}, &subscription_form) < 0 ||
        doc_str(d, v, "name", true, &name) < 0 || doc_str(d, v, "endpoint", true, &endpoint) < 0)
        return -1;
    if (!is_name(name, "subscriptions"))
        return doc_refuse(d, v, "name", "must be of the form projects/PROJECT/subscriptions/NAME");
    if ((!str_starts(endpoint, "http://") && !str_starts(endpoint, "https://")) ||
        strlen(endpoint) > MAX_ENDPOINT)
        return doc_refuse(d, v, "endpoint", "must be an http or https URL");
    for (const char *p = endpoint; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 127)
            return doc_refuse(d, v, "endpoint", "must have no spaces");
    sqlite3_stmt *st = TX_QUERY(tx, &q, topic, name, endpoint);
    if (!st)
        return -1;
    if (sql_run(tx->db, st, tx->err) == 0)
        return 0;
    return doc_taken(d, v, "name");
}

static const struct member pubsub_topic_members[] = {
    OWN_NEEDED("name", "projects/PROJECT/topics/NAME"),
    OWN("closed", "Nobody gave the APIs the right to publish to it", "true or false"),
    OWN_LIST("subscriptions", "Where each message is pushed to", &subscription_form),
};
const struct form pubsub_topic_form = FORM("A topic of Pub/Sub", pubsub_topic_members);

int pubsub_topic_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into pubsub_topic (name, closed) values (:name, :closed)");
    struct doc_items subscriptions;
    const char *name;
    bool closed;
    if (form_known(&(struct form_in){tx, d, v}, &pubsub_topic_form) < 0 ||
        doc_str(d, v, "name", true, &name) < 0 || doc_bool(d, v, "closed", false, &closed) < 0 ||
        doc_items(d, v, "subscriptions", &subscriptions) < 0)
        return -1;
    if (!pubsub_is_topic(name))
        return doc_refuse(d, v, "name", "must be of the form projects/PROJECT/topics/NAME");
    if (TX_RUN(tx, &q, name, closed) < 0)
        return doc_taken(d, v, "name");
    int64_t id = tx_last_id(tx);
    for (const struct json *one; (one = doc_item(d, &subscriptions)) != NULL;)
        if (seed_subscription(tx, d, one, id) < 0)
            return -1;
    return 0;
}

static int dump_subscriptions(struct tx *tx, const char *topic, struct json_writer *w)
{
    struct subscription s = {.name = ""};
    bool open = false;
    int r;
    while ((r = next_subscription(tx, topic, s.name, &s)) == 1) {
        if (!open)
            json_arr(w, "subscriptions");
        open = true;
        json_obj(w, NULL);
        json_str(w, "name", s.name);
        json_str(w, "endpoint", s.endpoint);
        json_end(w);
    }
    if (open)
        json_end(w);
    return r;
}

int pubsub_topic_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select name, closed from pubsub_topic where id = :id");
    const char *name;
    bool closed;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &name, &closed);
    if (r != 1)
        return r;
    json_str(w, "name", name);
    json_bool_opt(w, "closed", closed);
    return dump_subscriptions(tx, name, w) < 0 ? -1 : 1;
}
