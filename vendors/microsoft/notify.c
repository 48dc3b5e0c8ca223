/* SPDX-License-Identifier: Apache-2.0 */
/* What subscriptions send: the handshake, notifications of changes, and of what becomes of the
 * subscription itself. */
#include "engine/store/record.h"
#include "engine/text/civil.h"
#include "identity/identity.h"
#include "vendors/microsoft/signin/signin.h"
#include "vendors/microsoft/subscription_impl.h"

/* ---- kinds of deliveries ---- */

/* Any 2xx is taken; else it is sent again for about four hours (MG-155). The seconds are ours. */
static const int32_t waits_s[] = {15, 30, 60, 120, 240, 480, 960, 1920, 3840, 6735, 0};

static enum delivery_verdict judge(const struct sosia_outcome *o)
{
    return o->status >= 200 && o->status < 300 ? DELIVERY_GOOD : DELIVERY_AGAIN;
}

/* A notification was given up: the subscription's life-cycle address is notified once (MG-156). */
static int ended(struct tx *tx, int64_t ref, enum delivery_verdict verdict,
                 const struct sosia_outcome *outcome)
{
    struct graph_subscription s;
    (void)outcome;
    if (verdict == DELIVERY_GOOD)
        return 0;
    int r = graph_subscription_get(tx, ref, &s);
    if (r != 1 || s.missed)
        return r < 0 ? -1 : 0;
    s.missed = 1;
    return graph_subscription_save(tx, &s) < 0 ? -1 : graph_lifecycle_send(tx, &s, "missed");
}

const struct delivery_kind graph_notification = {.name = "graph.notification",
                                                 .waits_s = waits_s,
                                                 .judge = judge,
                                                 .ended = ended,
                                                 .timeout_s = 30};
const struct delivery_kind graph_lifecycle = {
    .name = "graph.lifecycle", .waits_s = waits_s, .judge = judge, .timeout_s = 30};

static int send(struct tx *tx, const struct delivery_kind *kind, const struct graph_subscription *s,
                const char *url, const char *body)
{
    static const struct sosia_header headers[] = {
        {"Content-Type", "application/json; charset=utf-8"}};
    return delivery_add(tx,
                        &(struct delivery){.kind = kind,
                                           .ref = s->id,
                                           .from = "microsoft",
                                           .method = "POST",
                                           .url = url,
                                           .body = body,
                                           .headers = headers,
                                           .n_headers = SOSIA_LEN(headers)},
                        NULL);
}

/* ---- changes ---- */

struct notice {
    struct tx *tx;
    const struct graph_subscription *s;
    const struct graph_feed *feed;
    const struct odata_query *query; /* of its resource; NULL: none */
    struct graph_watcher who;
    struct graph_watch watch;
    struct buf body;
    struct json_writer w;
    int n;
};

/* The changed thing as text in *b, by a mask: 1, 0 it is gone, -1. */
static int write_data(struct notice *n, const struct graph_change *change,
                      const struct odata_query *query, const struct json_mask *mask, struct buf *b)
{
    struct json_writer w;
    json_init(&w, b, false, mask);
    json_obj(&w, NULL);
    int r = n->feed->data(n->tx, &n->who, &n->watch, change, query, &w);
    json_end(&w);
    return r == 1 && buf_failed(b) ? sosia_fail_memory(n->tx->err) : r;
}

/* Does the $filter of the resource let it be announced? 1, 0, -1. */
static int is_wanted(struct notice *n, const struct graph_change *change)
{
    struct tx *tx = n->tx;
    const struct odata_ctx ctx = {.arena = tx->arena, .get = odata_get_json, .now_us = tx->now_us};
    const struct json *thing;
    struct buf b;
    if (!n->query || !n->query->filter || change->operation == OP_REMOVED)
        return 1;
    buf_init(&b, 0);
    int r = write_data(n, change, NULL, NULL, &b);
    if (r == 1) {
        const char *text = arena_memdup(tx->arena, b.data, b.len);
        r = json_parse(tx->arena, text, b.len, NULL, &thing, tx->err) < 0
                ? -1
                : odata_matches(&ctx, n->query->filter, thing);
    }
    buf_done(&b);
    return r;
}

static int encrypted(struct notice *n, const struct graph_change *change)
{
    const struct json_mask *mask = NULL;
    struct buf b;
    if (n->query &&
        odata_mask(n->tx->arena, n->query, ODATA_KEEP_ID | ODATA_KEEP_ETAG, &mask, n->tx->err) < 0)
        return -1;
    buf_init(&b, 0);
    int r = write_data(n, change, n->query, mask, &b);
    if (r == 1)
        r = graph_encrypt(n->tx, n->s, b.data, b.len, &n->w);
    buf_done(&b);
    return r < 0 ? -1 : 0;
}

static int add_change(void *arg, const struct graph_change *change)
{
    struct notice *n = arg;
    struct json_writer *w = &n->w;
    /* Teams' paths have keys in brackets: "chats('19:...')/messages('1')". */
    const bool brackets = strchr(n->s->path, '(') != NULL;
    const char *path = !change->id ? n->s->path
                                   : arena_printf(n->tx->arena, brackets ? "%s('%s')" : "%s/%s",
                                                  n->s->path, change->id);
    char expires[STAMP_TEXT];
    if (!(n->s->changes >> change->operation & 1))
        return 0;
    int r = is_wanted(n, change);
    if (r != 1)
        return r;
    stamp_format(expires, n->s->expires_us, 0, 3, true);
    n->n++;
    json_obj(w, NULL);
    json_str(w, "subscriptionId", n->s->key);
    json_str(w, "subscriptionExpirationDateTime", expires);
    json_str(w, "changeType", graph_change_words[change->operation]);
    json_str(w, "resource", path);
    json_obj(w, "resourceData");
    json_str(w, "@odata.type", change->type ? change->type : n->feed->type);
    if (change->id)
        json_str(w, "@odata.id", path);
    json_str_opt(w, "@odata.etag", change->etag);
    json_str_opt(w, "id", change->id);
    json_end(w);
    json_str_opt(w, "clientState", n->s->state);
    json_str(w, "tenantId", n->s->tenant);
    if (n->s->certificate && change->operation != OP_REMOVED && encrypted(n, change) < 0)
        return -1;
    json_end(w);
    return 0;
}

/* May who made it still read what it watches? Fills who that is. 1, 0, -1. */
static int is_allowed(struct notice *n)
{
    n->who.app_only = n->s->app_only != 0;
    int r = actor_by_id(n->tx, n->s->actor, &n->who.actor);
    return r == 1 && n->feed->may ? n->feed->may(n->tx, &n->who, &n->watch) : r;
}

/* Of a subscription with resource data: that the service is who sends it, for its app and tenant
 * (learn.microsoft.com/graph/change-notifications-with-resource-data). */
static int write_tokens(struct tx *tx, const struct graph_subscription *s, struct json_writer *w)
{
    const char *app, *token;
    if (!s->certificate)
        return 0;
    if (graph_subscription_app(tx, s, &app) < 0 ||
        authority_validation_token(tx, app, s->tenant, &token) < 0)
        return -1;
    json_arr(w, "validationTokens");
    json_str(w, NULL, token);
    json_end(w);
    return 0;
}

/* All that changed since the last time, in one message. */
static int notify_one(struct tx *tx, struct graph_subscription *s)
{
    struct notice n = {
        .tx = tx, .s = s, .feed = graph_feed_of(tx, s->kind), .watch = graph_watch_of(s)};
    int64_t last = s->position;
    if (!n.feed)
        return 0;
    int r = graph_resource_query(tx, NULL, n.feed, s->resource, &n.query) < 0 ? -1 : is_allowed(&n);
    if (r < 0)
        return -1;
    if (!r)
        return graph_lifecycle_send(tx, s, "subscriptionRemoved") < 0
                   ? -1
                   : graph_subscription_forget(tx, s->id);
    buf_init(&n.body, 0);
    json_init(&n.w, &n.body, false, NULL);
    json_obj(&n.w, NULL);
    json_arr(&n.w, "value");
    r = n.feed->changes(tx, &n.watch, s->position, add_change, &n, &last);
    json_end(&n.w);
    if (r == 0 && n.n)
        r = write_tokens(tx, s, &n.w);
    json_end(&n.w);
    if (r == 0 && buf_failed(&n.body))
        r = sosia_fail_memory(tx->err);
    if (r == 0 && last != s->position) {
        s->position = last;
        r = graph_subscription_save(tx, s);
    }
    if (r == 0 && n.n)
        r = send(tx, &graph_notification, s, s->url, buf_str(&n.body));
    buf_done(&n.body);
    return r;
}

int graph_notify(struct tx *tx, const struct world_event *first)
{
    static struct record_text subscriptions = RECORD_TEXT("graph_subscription", "id");
    const struct world_event **list;
    size_t n;
    if (record_none(tx->db, &subscriptions))
        return 0;
    if (events_distinct(tx, first, NULL, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct graph_subscription s = {0};
        int r;
        if (!graph_feed_of(tx, list[i]->kind))
            continue;
        while ((r = graph_subscription_next(tx, list[i]->kind, list[i]->scope, s.id, &s)) == 1)
            if (notify_one(tx, &s) < 0)
                return -1;
        if (r < 0)
            return -1;
    }
    return 0;
}

/* ---- the life cycle ---- */

int graph_lifecycle_send(struct tx *tx, const struct graph_subscription *s, const char *event)
{
    struct buf b;
    struct json_writer w;
    char expires[STAMP_TEXT];
    if (!s->lifecycle_url)
        return 0;
    stamp_format(expires, s->expires_us, 0, 3, true);
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_arr(&w, "value");
    json_obj(&w, NULL);
    json_str(&w, "subscriptionId", s->key);
    json_str(&w, "subscriptionExpirationDateTime", expires);
    json_str(&w, "tenantId", s->tenant);
    json_str_opt(&w, "clientState", s->state);
    json_str(&w, "lifecycleEvent", event);
    json_end(&w);
    json_end(&w);
    int r = write_tokens(tx, s, &w);
    json_end(&w);
    if (r == 0)
        r = buf_failed(&b) ? sosia_fail_memory(tx->err)
                           : send(tx, &graph_lifecycle, s, s->lifecycle_url, buf_str(&b));
    buf_done(&b);
    return r;
}
