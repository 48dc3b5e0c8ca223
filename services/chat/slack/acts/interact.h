/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people do with apps beside writing: views that an app shows somebody, triggers that let it
 * show one, messages that one person alone sees, addresses at which an app answers. Look-ups and
 * strings as in chat.h.
 */
#ifndef SOSIA_CHAT_INTERACT_H
#define SOSIA_CHAT_INTERACT_H

#include "services/chat/slack/things.h"

/* ---- views (view.c) ---- */

#define CHAT_VIEW_STACK 3 /* views of a window */

struct chat_view {
    int64_t workspace, id, app, user;
    const char *key;
    int64_t place;           /* in the window's stack from 1; 0: the app's own page */
    const char *external_id; /* NULL: none */
    const char *hash, *body, *state;
};
int chat_view_get(struct tx *tx, int64_t id, struct chat_view *ret);
int chat_view_find(struct tx *tx, int64_t app, const char *key, struct chat_view *ret);
int chat_view_by_external(struct tx *tx, int64_t app, const char *id, struct chat_view *ret);
int chat_view_at(struct tx *tx, int64_t app, int64_t user, int64_t place, struct chat_view *ret);
/* The topmost one of a window. */
int chat_view_top(struct tx *tx, int64_t app, int64_t user, struct chat_view *ret);
/* A user's next one behind an id, of any app. */
int chat_view_next(struct tx *tx, int64_t user, int64_t after, struct chat_view *ret);
/* Fills id, hash, and key if it is NULL. Place 1 and 0 take the place of what is there. */
int chat_view_add(struct tx *tx, struct chat_view *v);
/* Writes body, state and external_id, with a new hash. */
int chat_view_save(struct tx *tx, struct chat_view *v);
/* The values that the person has entered, without another hash. */
int chat_view_fill(struct tx *tx, struct chat_view *v);
/* Closes it and what is above it. */
int chat_view_close(struct tx *tx, const struct chat_view *v);

/* ---- triggers ---- */

#define CHAT_TRIGGER_US INT64_C(3000000) /* that one is good for */

struct chat_trigger {
    int64_t workspace, id, app, user, view, channel, created_us; /* view, channel 0: none */
    const char *key;
    bool used;
};
/* Fills id, key and created_us. */
int chat_trigger_add(struct tx *tx, struct chat_trigger *t);
int chat_trigger_find(struct tx *tx, const char *key, struct chat_trigger *ret);
int chat_trigger_get(struct tx *tx, int64_t id, struct chat_trigger *ret);
int chat_trigger_use(struct tx *tx, const struct chat_trigger *t);

/* ---- dialogs: forms of the older kind ---- */

struct chat_dialog {
    int64_t workspace, id, app, user, channel; /* channel 0: of none */
    const char *body;                          /* JSON as given */
};
int chat_dialog_get(struct tx *tx, int64_t id, struct chat_dialog *ret);
/* The dialog that somebody has open. */
int chat_dialog_of(struct tx *tx, int64_t user, struct chat_dialog *ret);
/* In the place of the one that is there. Fills id. */
int chat_dialog_open(struct tx *tx, struct chat_dialog *d);
int chat_dialog_close(struct tx *tx, int64_t id);

/* ---- functions of apps, as steps of workflows (execution.c) ---- */

enum chat_execution_state { CHAT_RUNNING, CHAT_COMPLETED, CHAT_FAILED };
extern const char *const chat_execution_states[]; /* NULL-terminated */

struct chat_execution {
    int64_t workspace, id, app, user;
    const char *key, *workflow;
    const char *function;
    enum chat_execution_state state;
    const char *inputs, *outputs, *error; /* JSON, JSON, a text; outputs, error NULL: none */
    int64_t created_us, ended_us;         /* ended_us 0: it is running */
};
int chat_execution_find(struct tx *tx, const char *key, struct chat_execution *ret);
/* Fills id, and key and workflow if they are NULL. */
int chat_execution_add(struct tx *tx, struct chat_execution *e);
/* Writes state, outputs and error, and that it ended now. */
int chat_execution_end(struct tx *tx, struct chat_execution *e);

/* That an execution began or ended, in the order of time. */
struct chat_activity {
    struct chat_execution of; /* function, state, error, workflow */
    int64_t at_us, number;    /* number: among those of one time */
    bool end;
};
struct chat_activity_ask {
    int64_t workspace, app;
    int64_t min_us, max_us;
    bool ascending;
    int64_t at_us, number; /* behind this one; at_us 0: from the beginning */
};
/* fn gives non-zero to stop. 0, -1. */
int chat_activities(struct tx *tx, const struct chat_activity_ask *ask,
                    int (*fn)(void *arg, const struct chat_activity *a), void *arg);

/* ---- things of other systems beside a conversation (pane.c) ---- */

#define CHAT_PANE_COMMENTS 100 /* that are shown at once */

/* What a person has asked an app for. Of each part he has one. */
enum chat_pane_part { CHAT_PANE_DETAILS, CHAT_PANE_COMMENTS_TAB, CHAT_PANE_COMMENT };

struct chat_pane {
    int64_t workspace, id, app, user;
    const char *key; /* the trigger by which the app answers */
    enum chat_pane_part part;
    const char *url, *ref, *asked; /* of the thing; JSON: its id in the system; JSON: of what */
    const char *content;           /* JSON: what the app has answered; NULL: nothing yet */
};
int chat_pane_find(struct tx *tx, const char *key, struct chat_pane *ret);
int chat_pane_of(struct tx *tx, int64_t user, enum chat_pane_part part, struct chat_pane *ret);
/* In the place of what he has of that part. Fills id. */
int chat_pane_open(struct tx *tx, struct chat_pane *p);
/* Writes content. */
int chat_pane_save(struct tx *tx, const struct chat_pane *p);
/* This part and those behind it. */
int chat_pane_close(struct tx *tx, int64_t user, enum chat_pane_part from);

/* ---- messages for one person ---- */

struct chat_ephemeral {
    int64_t workspace; /* of a document's; else 0 */
    int64_t id, channel, user, ts_us, sender, app, thread_us;
    const char *message; /* JSON: text, blocks, attachments */
};
/* Fills id and ts_us. */
int chat_ephemeral_add(struct tx *tx, struct chat_ephemeral *e);
int chat_ephemeral_find(struct tx *tx, int64_t channel, int64_t user, int64_t ts_us,
                        struct chat_ephemeral *ret);
/* A user's next one in a channel behind a ts. */
int chat_ephemeral_next(struct tx *tx, int64_t channel, int64_t user, int64_t after_us,
                        struct chat_ephemeral *ret);
int chat_ephemeral_save(struct tx *tx, const struct chat_ephemeral *e);
int chat_ephemeral_delete(struct tx *tx, int64_t id);

/* ---- addresses for answers ---- */

#define CHAT_ANSWER_USES 5
#define CHAT_ANSWER_US   INT64_C(1800000000)

struct chat_answer {
    /* *_us: ts of what was acted on, 0: it is not such a one */
    int64_t workspace, id, app, user, channel, message_us, ephemeral_us, thread_us, uses,
        created_us;
    const char *key;
    bool command;
};
/* Fills id, key and created_us. */
int chat_answer_add(struct tx *tx, struct chat_answer *a);
int chat_answer_find(struct tx *tx, const char *key, struct chat_answer *ret);
int chat_answer_get(struct tx *tx, int64_t id, struct chat_answer *ret);
int chat_answer_use(struct tx *tx, const struct chat_answer *a);

/* ---- what an app was notified of ---- */

struct chat_act {
    int64_t id;
    const char *kind;                                    /* the dialect's */
    int64_t workspace, app, user, channel, view, answer; /* view: or dialog */
    const char *name;                                    /* of a command; NULL: it is none */
    bool waits;
    const char *result; /* JSON; NULL: not there yet */
    int64_t created_us;
};
/* Fills id and created_us. */
int chat_act_add(struct tx *tx, struct chat_act *a);
int chat_act_get(struct tx *tx, int64_t id, struct chat_act *ret);
/* It is over: kept with its result if a call waits for it, else forgotten. */
int chat_act_end(struct tx *tx, const struct chat_act *a, const char *result);
int chat_act_forget(struct tx *tx, int64_t id);

extern const struct sosia_core chat_interact_core;

#endif
