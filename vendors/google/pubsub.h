/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of Cloud Pub/Sub as is needed by APIs that publish changes there: topics with push
 * subscriptions, which seed documents name (section pubsub_topics). A message goes to the world's
 * outbox, as a webhook for each subscription; where a topic has none, as what it is, of the kind
 * "pubsub".
 */
#ifndef SOSIA_GOOGLE_PUBSUB_H
#define SOSIA_GOOGLE_PUBSUB_H

#include "engine/world/tx.h"

struct form;

struct delivery_kind;

enum pubsub_state {
    PUBSUB_FAILED = -1,
    PUBSUB_NO_TOPIC, /* the world has topics, this one is not among them */
    PUBSUB_CLOSED,   /* nobody may publish to it */
    PUBSUB_OPEN      /* a world without topics has every topic */
};

/* Is it of the form projects/P/topics/T? */
bool pubsub_is_topic(const char *name);
enum pubsub_state pubsub_topic(struct tx *tx, const char *name);
/* Publishes a message to a topic; data: its bytes. */
int pubsub_publish(struct tx *tx, const char *topic, const char *data, size_t len);

extern const struct delivery_kind pubsub_delivery;
extern const int32_t google_waits_s[]; /* between attempts to deliver; channels have them too */

/* Of google_core: the section pubsub_topics, and the entity pubsub_topic. */
struct doc;
int pubsub_topic_seed(struct tx *tx, struct doc *doc, const struct json *item);
extern const struct form pubsub_topic_form; /* its members */
int pubsub_topic_dump(struct tx *tx, int64_t rowid, struct json_writer *out);

#endif
