/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of subscriptions only. */
#ifndef SOSIA_MICROSOFT_SUBSCRIPTION_IMPL_H
#define SOSIA_MICROSOFT_SUBSCRIPTION_IMPL_H

#include "engine/send/delivery.h"
#include "vendors/microsoft/internal.h"
#include "vendors/microsoft/subscription.h"

/* A row. Texts are in the arena. */
struct graph_subscription {
    int64_t id;
    const char *key;
    int64_t actor, app;
    int64_t app_only;
    const char *resource;
    int64_t changes;
    const char *url, *lifecycle_url, *state, *tls, *certificate, *certificate_id;
    int64_t expires_us;
    const char *kind;
    int64_t scope;
    const char *part, *path, *tenant;
    int64_t immutable, position, missed;
};

/* 1, 0, -1. */
int graph_subscription_get(struct tx *tx, int64_t id, struct graph_subscription *ret);
/* The first one behind an id that watches this. */
int graph_subscription_next(struct tx *tx, const char *kind, int64_t scope, int64_t after,
                            struct graph_subscription *ret);
/* Puts one into the world and fills its id. 0, -1; CONFLICT: the key is taken. */
int graph_subscription_add(struct tx *tx, struct graph_subscription *s);
/* Finds what its resource is: the feed, and into the row what it watches. 1, 0 no feed has it,
 * -1. */
int graph_subscription_open(struct tx *tx, const struct graph_watcher *who,
                            struct graph_subscription *s, const struct graph_feed **ret_feed);
/* https, or http of this machine; nothing that breaks out of a request. */
bool graph_subscription_address(const char *url);
int graph_subscription_save(struct tx *tx, const struct graph_subscription *s);
int graph_subscription_forget(struct tx *tx, int64_t id);
/* The one with that key, of the actor's and the app's. */
int graph_subscription_find(struct tx *tx, const char *key, int64_t actor, int64_t app,
                            struct graph_subscription *ret);
/* Saves it with another end. */
int graph_subscription_renew(struct tx *tx, const struct graph_subscription *s);
/* The feed of a kind of events; NULL: there is none. */
const struct graph_feed *graph_feed_of(const struct tx *tx, const char *kind);
struct graph_watch graph_watch_of(const struct graph_subscription *s);

/* What falls due: its end, and that it is to be authorised again. */
#define DUE_END         "subscription"
#define DUE_REAUTHORIZE "reauthorize"

/* Names of operations, in their order; NULL-terminated. */
extern const char *const graph_change_words[];

/* subscription_seed.c: in documents. */
extern const struct section graph_subscription_sections[1];
extern const struct entity graph_subscription_entities[1];

/* subscription_query.c: the options of a resource ("me/messages?$select=subject"). c: who asks for
 * the subscription; NULL: it is there, or a document's. 1; 0 with *ret NULL: it has none; -1 with
 * Graph's refusal. In the arena. */
int graph_resource_query(struct tx *tx, struct call *c, const struct graph_feed *feed,
                         const char *resource, const struct odata_query **ret);

/* Are the data that go out named, where the feed wants that? q: of its resource. */
bool graph_data_named(const struct graph_feed *feed, const struct graph_subscription *s,
                      const struct odata_query *q);

/* ---- subscription_body.c ---- */

#define bad_subscription(c, ...) call_fail(c, SOSIA_E_INVALID, "InvalidRequest", NULL, __VA_ARGS__)

/* Within the feed's longest life, and at least 45 minutes ahead (MG-152, 153). 0, -1 refused. */
int graph_subscription_expiry(struct call *c, const char *text, const struct graph_feed *f,
                              struct graph_subscription *s);
/* The members of the answer, into an open object. 0, -1. */
int graph_subscription_write(struct call *c, const struct graph_subscription *s);
/* The body of POST /subscriptions, all but the key. 0, -1 refused. */
int graph_subscription_read(struct call *c, struct graph_subscription *ret);
/* The client id of its app, or what stands for none. 0, -1. */
int graph_subscription_app(struct tx *tx, const struct graph_subscription *s, const char **ret);
int graph_subscription_answer(struct call *c, const struct graph_subscription *s);

/* handshake.c */
int graph_subscriptions_create(struct call *c);
extern const struct delivery_kind graph_validation, graph_lifecycle_validation;

/* notify.c: what is sent. */
extern const struct delivery_kind graph_notification, graph_lifecycle;
int graph_notify(struct tx *tx, const struct world_event *first);
/* "reauthorizationRequired", "subscriptionRemoved", "missed"; nothing without an address for it. */
int graph_lifecycle_send(struct tx *tx, const struct graph_subscription *s, const char *event);

/* encrypt.c: writes the member encryptedContent of what the feed's data() writes, for the
 * subscription's certificate. 0, -1. */
int graph_encrypt(struct tx *tx, const struct graph_subscription *s, const char *text, size_t len,
                  struct json_writer *out);
/* Is it a certificate that data can be encrypted for? */
bool graph_certificate_good(struct arena *a, const char *base64);

extern const struct rows graph_subscriptions;

#endif
