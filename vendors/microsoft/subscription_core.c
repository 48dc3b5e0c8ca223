/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions as a core: what falls due, what rows of imported files must keep to. */
#include "vendors/microsoft/subscription_impl.h"

extern const char graph_subscription_sql[];

/* The service removes what has expired, without a word; before that its life-cycle address is
 * notified that it is to be authorised again. */
static int due(struct tx *tx, const char *kind, int64_t ref)
{
    struct graph_subscription s;
    if (strcmp(kind, DUE_REAUTHORIZE) != 0)
        return graph_subscription_forget(tx, ref);
    int r = graph_subscription_get(tx, ref, &s);
    return r == 1 ? graph_lifecycle_send(tx, &s, "reauthorizationRequired") : r;
}

static const struct delivery_kind *const deliveries[] = {
    &graph_validation, &graph_lifecycle_validation, &graph_notification, &graph_lifecycle, NULL};

static const struct core_rule rules[] = {
    {"graph_subscription", "changes not between 1 and 7"},
    {"graph_subscription", "expires_us not between -62135596800000000 and 253402300799999999"},
    {"graph_subscription", "(certificate is null) <> (certificate_id is null)"},
    {"graph_subscription", "position < 0 or app_only not in (0, 1) or immutable not in (0, 1) or "
                           "missed not in (0, 1)"},
    {"graph_subscription", "length(key) <> 36 or key glob '*[^0-9A-Fa-f-]*'"},
    {NULL, NULL},
};

static bool is_sound(struct tx *tx, const struct graph_subscription *s)
{
    const struct graph_feed *feed = graph_feed_of(tx, s->kind);
    const struct odata_query *q;
    return feed && graph_subscription_address(s->url) &&
           (!s->lifecycle_url || graph_subscription_address(s->lifecycle_url)) &&
           (!s->certificate || graph_certificate_good(tx->arena, s->certificate)) &&
           graph_resource_query(tx, NULL, feed, s->resource, &q) >= 0 &&
           graph_data_named(feed, s, q);
}

/* What is sent, and where, is as a call or a document would have it. */
static int check(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select id from graph_subscription where id > :after order by id limit 1");
    struct graph_subscription s;
    int64_t id = 0;
    int r;
    while ((r = TX_INT(tx, &q, &id, id)) == 1) {
        if (graph_subscription_get(tx, id, &s) != 1)
            return -1;
        if (!is_sound(tx, &s))
            return tx_fail(tx, SOSIA_E_INVALID, "subscription", "graph_subscription",
                           "a row of graph_subscription must have a kind that is watched, https "
                           "URLs, a certificate with an RSA key and a resource that can be "
                           "watched, %s has not",
                           s.key);
    }
    return r;
}

const struct sosia_core graph_subscription_core = {
    .name = GRAPH_CORE,
    .schema = graph_subscription_sql,
    .due = due,
    .events = graph_notify,
    .deliveries = deliveries,
    .sections = graph_subscription_sections,
    .n_sections = 1,
    .entities = graph_subscription_entities,
    .n_entities = 1,
    .rules = rules,
    .check = check,
};
