/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People: what somebody does in a workspace with the client, and what the client shows of it. An
 * act is an object with one member, its name:
 *
 *     {"click": {"channel": "C0DEV", "ts": "1771185600.000000", "action_id": "approve"}}
 *
 * It writes the answer of the call, or notifies an app, whose answer is awaited. docs/slack.md
 * lists them.
 */
#ifndef SOSIA_SL_ACT_H
#define SOSIA_SL_ACT_H

#include "services/chat/slack/blocks/element.h"
#include "services/chat/slack/events/push.h"

/* Does it in the name of sl_me(c), who is a person. waits: the call will wait for what comes of it.
 * *ret_entry: the delivery that it waits for; 0: none, the answer is written. 0, -1. */
int sl_act(struct call *c, const struct json *what, bool waits, int64_t *ret_entry);
bool sl_act_is(const char *name);

/* ---- for the files of acts ---- */

struct sl_deed {
    struct call *c;
    const struct json *args; /* of the act */
    bool waits;
    int64_t entry;
};
/* A member that must be there as a string; NULL: refused. */
const char *sl_deed_str(struct sl_deed *d, const char *member);
/* The channel that "channel" names, by id or name, which the person may see. 0, -1. */
int sl_deed_channel(struct sl_deed *d, struct chat_channel *ret);
/* The app that "app" names by its id, as far as it is installed. 0, -1. */
struct sl_party;
int sl_deed_app(struct sl_deed *d, struct sl_party *ret);

int sl_act_click(struct sl_deed *d);
int sl_act_options(struct sl_deed *d);
int sl_act_fill(struct sl_deed *d);
int sl_act_submit(struct sl_deed *d);
int sl_act_close(struct sl_deed *d);
int sl_act_command(struct sl_deed *d);
int sl_act_shortcut(struct sl_deed *d);
int sl_act_home(struct sl_deed *d);
int sl_act_assist(struct sl_deed *d);
int sl_act_retitle(struct sl_deed *d);
int sl_act_run(struct sl_deed *d);
int sl_act_entity(struct sl_deed *d);
int sl_act_comment(struct sl_deed *d);
int sl_act_press(struct sl_deed *d);
int sl_act_stop(struct sl_deed *d);
int sl_act_verify(struct sl_deed *d);

/* "function_data" and what else a payload has of what belongs to a function, which the extra of the
 * message or the body of the view says (json; NULL: neither). trigger: in the payload too. 0, -1.
 */
struct sl_party;
int sl_write_function_data(struct call *c, struct json_writer *w, const struct sl_party *p,
                           const char *json, const char *trigger);
/* What came of the function that "execution" names: into the open answer (act_run.c). */
int sl_write_execution(struct sl_deed *d);

/* What came of a challenge (act_verify.c): writes "verified" into the open object. A refusal is
 * challenge_failed. */
int sl_verify_answered(struct call *c, const struct chat_act *act, const struct sl_answer *a);

/* Is too little typed to ask the app for the options of a select (its min_query_length, usual
 * unless it has one)? Then the client's own answer is written. 1, 0. */
int sl_ask_later(struct call *c, const struct json *element, const char *text, int64_t usual);

/* ---- dialogs (act_dialog.c) ---- */

/* Is the act about the dialog that he sees, as it names nothing else? 1, 0, -1. */
int sl_dialog_here(struct sl_deed *d, struct chat_dialog *ret);
int sl_dialog_submit(struct sl_deed *d, const struct chat_dialog *dialog);
int sl_dialog_close(struct sl_deed *d, const struct chat_dialog *dialog);
int sl_dialog_options(struct sl_deed *d, const struct chat_dialog *dialog);
/* What the app says to a submission; answer NULL: nothing. Writes "errors" into the open object. */
int sl_dialog_answered(struct call *c, int64_t id, const struct json *answer);
/* Writes "dialog" into the open object, if somebody has one on his screen. */
int sl_write_dialog(struct call *c, int64_t user);

/* The app behind a thing, installed in the caller's workspace. */
struct sl_party {
    struct chat_app app;
    struct chat_install install;
    struct sl_settings settings;
};
/* 1; 0: it is not installed; -1. */
int sl_party_of(struct call *c, int64_t app, struct sl_party *ret);

/* ---- payloads (payload.c) ---- */

/* A text of JSON that is written in the place of the call's answer. */
struct sl_draft {
    struct call *c;
    struct buf b;
    struct json_writer w, *was;
};
void sl_draft_begin(struct sl_draft *d, struct call *c);
/* In the arena; NULL: failed. */
const char *sl_draft_end(struct sl_draft *d);

void sl_write_team(struct json_writer *w, const struct sl_caller *me);
/* {"id", "username", "name", "team_id"} */
void sl_write_person(struct json_writer *w, const struct sl_caller *me);
/* Of older payloads, {"id", "name"}; of global shortcuts {"id", "username", "team_id"}. */
void sl_write_presser(struct json_writer *w, const struct sl_caller *me, bool global);
void sl_write_place(struct json_writer *w, const char *key, const struct chat_channel *ch);
/* What a channel is called to apps: direct ones by their kind. */
const char *sl_place_name(const struct chat_channel *ch);
/* "enterprise": null, "is_enterprise_install": false */
void sl_write_enterprise(struct json_writer *w);
/* The response address, as programs reach it: of blocks and attachments, of commands, of all else
 * (shortcuts of messages, dialogs, views). */
enum sl_address { SL_OF_ACTIONS, SL_OF_COMMAND, SL_OF_APP };
const char *sl_answer_url(struct call *c, const struct chat_answer *a, enum sl_address address);

/* Notifies the app, with a trigger and an address, and suspends the deed if it waits. */
struct sl_notice {
    enum sl_push push;
    const char *kind; /* of the act */
    const struct sl_party *to;
    const struct chat_channel *channel; /* NULL: none */
    const struct chat_view *view;       /* NULL: none */
    const struct chat_dialog *dialog;   /* NULL: none */
    struct chat_answer *answer;         /* NULL: none */
    const char *name, *url;             /* of a command */
    bool answers;
};
/* A trigger for what the person does, in a view or a channel (NULL: in none). */
const char *sl_new_trigger(struct call *c, int64_t app, const struct chat_view *view,
                           const struct chat_channel *ch);
/* An address for the app's answer; message_us, ephemeral_us, thread_us of it are set. */
int sl_new_answer(struct call *c, int64_t app, const struct chat_channel *ch,
                  struct chat_answer *a);
int sl_notify_app(struct sl_deed *d, const struct sl_notice *t, const char *payload);
/* The same with what was written into a draft, which ends; rc: what writing it gave. */
int sl_notify_draft(struct sl_deed *d, int rc, struct sl_draft *draft, const struct sl_notice *t);

/* ---- what comes of it (answered.c, reply.c) ---- */

/* What somebody sees when an app can't be reached or does not answer; in the answer of c. */
int sl_write_failure(struct call *c, const struct chat_act *a, const char *failure);
/* One that only the person sees, as the client shows it: into an object that is open. */
int sl_write_ephemeral(struct call *c, const struct chat_channel *ch,
                       const struct chat_ephemeral *e);

/* What an app says to what somebody did, by a response address or at once: a message, or what
 * becomes of the one that was acted on. Writes "message" or "ephemeral" into the open answer. A
 * refusal is the service's. */
int sl_reply(struct call *c, const struct chat_answer *a, const struct json *reply, bool at_once);

/* ---- calls of nobody's ---- */

/* A call within a transaction, in whose answer functions of methods can write. */
struct sl_inside {
    struct call call;
    struct buf b;
    struct json_writer w;
};
/* In the name of somebody, through an app (0: none). 1, 0: he is not there any more, -1. */
int sl_inside_begin(struct tx *tx, struct sl_inside *in, int64_t user, int64_t app);
/* What was written, in the arena; NULL: failed. */
const char *sl_inside_end(struct tx *tx, struct sl_inside *in);

#endif
