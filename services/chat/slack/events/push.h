/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How anything reaches an app: over the app's WebSockets (Socket Mode), or by POST to one of its
 * addresses, signed. Both are deliveries (engine/send/delivery.h): what is sent, and what came of
 * it, are rows of the world, and what an app answers comes back in the transaction that ends one.
 *
 * What is asked of an app's settings is struct sl_settings; chat.h has the whole object, and rows
 * of chat_subscription and chat_endpoint follow from it. An app with Socket Mode gets everything
 * over its WebSockets, and no address of its is asked.
 */
#ifndef SOSIA_SL_PUSH_H
#define SOSIA_SL_PUSH_H

#include "engine/send/delivery.h"
#include "services/chat/slack/sl.h"

/* ---- settings ---- */

/* From the members of these names of chat_app.setting. */
struct sl_settings {
    bool socket_mode;
    bool commercial; /* it is sold elsewhere than in the vendor's marketplace */
    const char *events_url, *interactivity_url, *options_url; /* NULL: none */
    /* Arrays; NULL: none. */
    const struct json *unfurl_domains, *metadata_events, *commands, *shortcuts;
    const struct json *all; /* the whole object */
};
/* 0, -1: they are not a JSON object. In the arena. */
int sl_settings_of(struct tx *tx, const struct chat_app *app, struct sl_settings *ret);

/* ---- what a person did ---- */

enum sl_push {
    SL_PUSH_COMMAND,     /* payload: an object of the form's fields */
    SL_PUSH_INTERACTIVE, /* payload: as documented, with its "type" */
    SL_PUSH_OPTIONS      /* of an external select: block_suggestion */
};

#define SL_CHALLENGE                                                                               \
    "url_verification" /* "type" of a payload that is sent as JSON, as events are */

struct sl_action {
    enum sl_push kind;
    int64_t app;         /* rowid of ident_app */
    const char *url;     /* of a command: its own; NULL: none, or that of the settings */
    const char *payload; /* text of a JSON object */
    bool answers;        /* accepts_response_payload, as the frame says it: commands, submissions of
                            views, actions; false of global shortcuts */
    int64_t ref;         /* the caller's own, for sl_answered() */
};
/* Sends it to the app, once: what a person did is not sent again. 1, ret_entry (NULL: not wanted)
 * is its entry of the outbox; 0: nothing was sent, the app has no Socket Mode and no address for
 * it; -1.
 *
 * An answer has to come within three seconds. Over HTTP these are real ones, as for every receiver;
 * over a WebSocket they are the world's, and if no connection is open the three seconds just pass.
 * What came back is given to sl_answered(), in the transaction that ends the delivery (a call of
 * the server's, a frame of the app's, or the clock).
 *
 * A handler that cannot answer its own call before the app has calls call_suspend(c, *ret_entry)
 * last; sl_answer_complete() writes the answer then, after sl_answered(). */
int sl_push_action(struct tx *tx, const struct sl_action *a, int64_t *ret_entry);

struct sl_answer {
    enum sl_push kind;
    int64_t app, ref;
    bool good;           /* acknowledged in time: 2xx, or a frame */
    int status;          /* of the response; 0: none came */
    const char *failure; /* in the service's words: http_error, http_timeout, connection_failed,
                            ssl_error, too_many_redirects, unknown_error; NULL: good */
    const char *body;    /* of the response, or the frame's payload; "": none. NUL-terminated */
    size_t len;
    const char *payload; /* what was sent */
};
/* In answered.c: the app has answered, or has not. 0, -1 fails the call that brought it. */
int sl_answered(struct tx *tx, const struct sl_answer *a);
/* Of a call that was suspended for it, which is over with that: writes its answer or fails it. */
int sl_answer_complete(struct call *c, const struct sl_answer *a);

/* ---- events ---- */

/* Does the app subscribe to events of that name ("message.channels"), for its bot or for people who
 * agreed to it? 1, 0, -1. */
int sl_subscribed(struct tx *tx, int64_t app, const char *kind, bool person);

struct sl_event {
    int64_t workspace;
    int64_t channel;   /* chat_channel; 0: of none */
    const char *type;  /* of the inner object */
    const char *event; /* its text */
    int64_t id;        /* 0; filled when it is sent the first time */
};
/* Notifies an app of an event; for another app that is notified of it, the same struct is used.
 * user: chat_user of the bot or the person who makes the app see it. Nothing is sent if the app has
 * neither Socket Mode nor an address that is on. 1, 0 nothing was sent, -1. */
int sl_push_event(struct tx *tx, struct sl_event *e, int64_t app, int64_t user);

/* ---- parts ---- */

/* "v0=..." over a body at a time, in the arena. */
const char *sl_signature(struct tx *tx, const char *secret, int64_t at_s, const char *body);
/* The key of the sessions of an app, in the arena. */
const char *sl_socket_key(struct tx *tx, int64_t app);
/* The envelope_id of an attempt to deliver an entry (a UUID), in the arena; and the entry that one
 * names, 0: none. */
const char *sl_envelope_id(struct tx *tx, int64_t entry, int64_t attempt);
int64_t sl_envelope_entry(struct tx *tx, const char *id);

extern const struct delivery_kind *const sl_deliveries[]; /* NULL-terminated */
extern const struct core_rule sl_push_rules[];
extern const char chat_slack_push_sql[];

#endif
