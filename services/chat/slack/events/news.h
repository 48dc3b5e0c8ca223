/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happened, for those who are notified. A call writes down what it raised, one row each, and
 * no more: who is notified, and of what, is found out when the call is over, in a due entry of the
 * same instant, so that a hundred subscribers cost the call no more than one. Nothing comes
 * between: what is due is fired before the next call.
 */
#ifndef SOSIA_SL_NEWS_H
#define SOSIA_SL_NEWS_H

#include "services/chat/slack/events/push.h"

struct sl_news {
    int64_t id, at_us, number; /* number: of the event's ts within its instant */
    const char *kind;          /* CHAT_EV_* */
    enum event_operation operation;
    int64_t scope, entity, actor, app;
    const char *members;         /* names with commas around each: ",name,topic,"; "": not known */
    int64_t user, by;            /* of struct chat_change */
    const char *name;            /* NULL: none */
    struct chat_message message; /* id 0: none */
};

/* Of chat_slack_core: takes down what a call raised. */
int sl_news_take(struct tx *tx, const struct world_event *first);
/* Its due entries of that kind. */
#define SL_NEWS_DUE "news"
int sl_news_due(struct tx *tx);

/* One event that is sent: what it is, and to whom. */
enum sl_audience {
    SL_TO_MEMBERS,   /* who is in the channel */
    SL_TO_WORKSPACE, /* everybody in it */
    SL_TO_PERSON     /* the apps of one person */
};
struct sl_notice {
    struct tx *tx;
    const struct sl_news *news;
    int64_t workspace, source;   /* the channel's; that of who did it */
    struct chat_channel channel; /* id 0: of none */
    bool shared;                 /* with other workspaces */
    struct call stage;           /* to render with */
    const char *needs, *lesser;  /* for apps without that scope: another text of the event; NULL:
                                    they get the same */
    const char *other; /* the text that WebSockets of people get instead; NULL: the same */
    const char *also;  /* bots that subscribe to this kind get it too; NULL: none */
    const struct chat_file *file; /* for those alone who may see it; NULL: of none */
    struct json_writer writer;
    struct buf out;
};
/* Sends the event, whose text is an object, to those who subscribe to the kind and have one of its
 * scopes (sl_event_scopes()). user: of SL_TO_PERSON. */
int sl_event_to(struct sl_notice *t, const char *type, const char *kind, enum sl_audience to,
                int64_t user, const char *event);
/* The same to one app, if it subscribes to the kind for its bot. */
int sl_event_to_app(struct sl_notice *t, const char *type, const char *kind, int64_t app,
                    const char *event);

/* Is it one of the members that changed? */
bool sl_has_member(const struct sl_notice *t, const char *name);
/* Renders: opens an event of a type; ends it with its event_ts, and gives its text. NULL: no
 * memory. */
void sl_event_open(struct sl_notice *t, const char *type);
const char *sl_event_close(struct sl_notice *t);
const char *sl_event_ts(struct sl_notice *t);

/* Is a link below one of the domains (an array of texts) of which an app is notified? */
bool sl_is_unfurled(struct tx *tx, const struct json *domains, const char *url);
/* The id by which an app names a message whose links it was notified of: chat.unfurl. In the
 * arena. */
const char *sl_unfurl_id(struct tx *tx, const struct chat_app *app, const char *channel,
                         int64_t ts_us);

/* What a kind of news becomes: 0, -1. event_message.c, event_other.c */
int sl_events_of_message(struct sl_notice *t);
int sl_events_of(struct sl_notice *t);
/* Those that go to WebSockets of people alone: event_rtm.c */
int sl_events_of_clients(struct sl_notice *t);
/* event_connect.c */
int sl_events_of_invite(struct sl_notice *t);
int sl_events_of_connect(struct sl_notice *t);

#endif
