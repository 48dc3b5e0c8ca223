/* SPDX-License-Identifier: Apache-2.0 */
/* watch and stop. */
#include "engine/text/civil.h"
#include "services/mail/gmail/rows.h"
#include "services/mail/gmail/watch.h"
#include "vendors/google/pubsub.h"

static int check_topic(struct call *c, const char *topic)
{
    if (!topic || !*topic)
        return gmail_invalid(c, "topicName required");
    if (!pubsub_is_topic(topic))
        return gmail_invalid(c, "Invalid topicName does not match projects/sosia/topics/*");
    switch (pubsub_topic(&c->tx, topic)) {
    case PUBSUB_FAILED:
        return -1;
    case PUBSUB_NO_TOPIC:
        return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", NULL,
                         "Error sending test message to Cloud PubSub %.100s : Resource not found "
                         "(resource=%.60s).",
                         topic, strrchr(topic, '/') + 1);
    case PUBSUB_CLOSED:
        return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL,
                         "Error sending test message to Cloud PubSub %.100s : User not authorized "
                         "to perform this action.",
                         topic);
    default:
        return 0;
    }
}

static int read_labels(struct call *c, const struct mailbox *mb, struct watch *w)
{
    const char *action = json_get_str(call_body(c), "labelFilterAction");
    const char *behavior = json_get_str(call_body(c), "labelFilterBehavior");
    int64_t *ids;
    size_t n;
    struct buf b;
    if (gmail_label_list(c, mb, call_body(c), "labelIds", false, &ids, &n) < 0)
        return -1;
    buf_init(&b, GMAIL_WATCH_LABELS);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%lld", i ? " " : "", (long long)ids[i]);
    w->labels = arena_strdup(c->tx.arena, buf_str(&b));
    bool failed = buf_failed(&b); /* a watch without labels would be one of everything */
    buf_done(&b);
    if (failed)
        return gmail_invalid(c, "Too many labels");
    if (!behavior)
        behavior = action;
    w->exclude = behavior && strcmp(behavior, gmail_watch_behaviors[1]) == 0;
    return 0;
}

static int gmail_watch(struct call *c)
{
    struct mailbox mb;
    struct watch w = {.topic = json_get_str(call_body(c), "topicName")}, old;
    if (gmail_open(c, &mb) < 0 || check_topic(c, w.topic) < 0 || read_labels(c, &mb, &w) < 0)
        return -1;
    int r = gmail_watch_load(&c->tx, mb.id, &old);
    if (r < 0)
        return -1;
    if (r && strcmp(old.topic, w.topic) != 0)
        return gmail_invalid(c, "Only one user push notification client allowed per developer "
                                "(call /stop then try again)");
    w.mailbox = mb.id;
    w.expires_us = c->tx.now_us + GMAIL_WATCH_DAYS * US_PER_DAY;
    w.notified = mb.change;
    if (gmail_watch_publish(&c->tx, &mb, &w) < 0 || gmail_watch_store(&c->tx, &w) < 0 ||
        due_cancel(&c->tx, GMAIL_CORE, GMAIL_WATCH_DUE, mb.id) < 0 ||
        due_add(&c->tx, w.expires_us, GMAIL_CORE, GMAIL_WATCH_DUE, mb.id) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_int_str(c->out, "historyId", gmail_history(mb.change));
    json_int_str(c->out, "expiration", w.expires_us / 1000);
    json_end(c->out);
    return 0;
}

static int gmail_stop(struct call *c)
{
    struct mailbox mb;
    if (gmail_open(c, &mb) < 0 || due_cancel(&c->tx, GMAIL_CORE, GMAIL_WATCH_DUE, mb.id) < 0 ||
        gmail_watch_forget(&c->tx, mb.id) < 0)
        return -1;
    c->status = 204;
    return 0;
}

static const struct route routes[] = {
    {ROUTE("gmail.users.stop", POST, "/gmail/v1/users/{userId}/stop"), .cost = 50,
     .handler = gmail_stop, .risk = RISK_WRITE, .idempotent = true,
     .scopes = MAIL " " METADATA " " MODIFY " " READONLY, PARAMS(gmail_user_params),
     .summary = "Stops push notifications"},
    {ROUTE("gmail.users.watch", POST, "/gmail/v1/users/{userId}/watch"), .cost = 100,
     .handler = gmail_watch, .risk = RISK_EXTERNAL, .body = BODY_JSON,
     .scopes = MAIL " " METADATA " " MODIFY " " READONLY, PARAMS(gmail_user_params),
     .request = "WatchRequest", .response = "WatchResponse",
     .summary = "Starts or renews push notifications"},
};
const struct rows gmail_watch_rows = ROWS(routes);
