/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions: the methods that list, renew and end them. */
#include "engine/http/body.h"
#include "vendors/microsoft/subscription_impl.h"

/* The caller's own, of the app that calls. */
static int find_own(struct call *c, struct graph_subscription *ret)
{
    const char *key = param_str(c, "subscription-id");
    int r = graph_subscription_find(&c->tx, key, c->actor.id, c->app, ret);
    if (r == 0)
        return call_fail(c, SOSIA_E_NOT_FOUND, "ResourceNotFound", NULL,
                         "The object was not found.");
    return r < 0 ? -1 : 0;
}

static int subscriptions_list(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("select id from graph_subscription where actor = :actor and app is :app and "
                 "id > :after order by id limit 1");
    int64_t id = 0;
    struct graph_subscription s;
    json_obj(c->out, NULL);
    graph_context(c, "subscriptions");
    json_arr(c->out, "value");
    for (;;) {
        int r = TX_INT(&c->tx, &q, &id, c->actor.id, sql_int_or_null(c->app, 0), id);
        if (r == 0)
            break;
        if (r < 0 || graph_subscription_get(&c->tx, id, &s) < 0)
            return -1;
        json_obj(c->out, NULL);
        if (graph_subscription_write(c, &s) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int subscriptions_get(struct call *c)
{
    struct graph_subscription s;
    return find_own(c, &s) < 0 ? -1 : graph_subscription_answer(c, &s);
}

/* A renewal leaves an address as it is, and adds none (MG-156). */
static int keeps(struct call *c, const struct json *body, const char *name, const char *own)
{
    const char *value = json_get_str(body, name);
    return !value || (own && strcmp(value, own) == 0)
               ? 0
               : bad_subscription(c, "The property '%s' can't be changed here.", name);
}

static int subscriptions_update(struct call *c)
{
    struct graph_subscription s;
    const struct graph_feed *feed;
    if (find_own(c, &s) < 0)
        return -1;
    const struct json *body = call_body(c);
    const char *expires = body ? json_get_str(body, "expirationDateTime") : NULL;
    if (!body)
        return -1;
    feed = graph_feed_of(&c->tx, s.kind);
    if (!feed || keeps(c, body, "notificationUrl", s.url) < 0 ||
        keeps(c, body, "lifecycleNotificationUrl", s.lifecycle_url) < 0 ||
        keeps(c, body, "resource", s.resource) < 0)
        return -1;
    if (expires && graph_subscription_expiry(c, expires, feed, &s) < 0)
        return -1;
    s.missed = 0;
    return graph_subscription_renew(&c->tx, &s) < 0 ? -1 : graph_subscription_answer(c, &s);
}

static int subscriptions_delete(struct call *c)
{
    struct graph_subscription s;
    if (find_own(c, &s) < 0)
        return -1;
    c->status = 204;
    return graph_subscription_forget(&c->tx, s.id);
}

/* MG-483: the life stays as it is. */
static int subscriptions_reauthorize(struct call *c)
{
    struct graph_subscription s;
    if (find_own(c, &s) < 0)
        return -1;
    c->status = 204;
    s.missed = 0;
    return graph_subscription_save(&c->tx, &s);
}

static const struct param id_params[] = {
    {.name = "subscription-id",
     .place = IN_PATH,
     .required = true,
     .summary = "Id of the subscription"},
};

static const struct route methods[] = {
    {ROUTE("graph.subscriptions.list", GET, GRAPH("/subscriptions")), .handler = subscriptions_list,
     .risk = RISK_READ, .response = "subscriptionCollection",
     .summary = "Subscriptions of the app and the person"},
    {ROUTE("graph.subscriptions.create", POST, GRAPH("/subscriptions")),
     .handler = graph_subscriptions_create, .risk = RISK_EXTERNAL, .body = BODY_JSON, .status = 201,
     .request = "subscription", .response = "subscription",
     .summary = "Watch a resource; the address is asked for its consent first"},
    {ROUTE("graph.subscriptions.get", GET, GRAPH("/subscriptions/{subscription-id}")),
     .handler = subscriptions_get, .risk = RISK_READ, PARAMS(id_params), .response = "subscription",
     .summary = "One subscription"},
    {ROUTE("graph.subscriptions.update", PATCH, GRAPH("/subscriptions/{subscription-id}")),
     .handler = subscriptions_update, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     PARAMS(id_params), .request = "subscription", .response = "subscription",
     .summary = "Let a subscription live longer"},
    {ROUTE("graph.subscriptions.delete", DELETE, GRAPH("/subscriptions/{subscription-id}")),
     .handler = subscriptions_delete, .risk = RISK_WRITE, .idempotent = true, .status = 204,
     PARAMS(id_params), .summary = "End a subscription"},
    {ROUTE("graph.subscriptions.reauthorize", POST,
           GRAPH("/subscriptions/{subscription-id}/reauthorize")),
     .handler = subscriptions_reauthorize, .risk = RISK_WRITE, .idempotent = true, .status = 204,
     PARAMS(id_params), .summary = "Confirm a subscription that is to be authorised again"},
};
const struct rows graph_subscriptions = ROWS(methods);
