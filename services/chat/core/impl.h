/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the chat core only. */
#ifndef SOSIA_CHAT_IMPL_H
#define SOSIA_CHAT_IMPL_H

#include "services/chat/core/chat.h"

static inline int64_t chat_last_id(struct tx *tx)
{
    return sqlite3_last_insert_rowid(slot_db(tx->db));
}

/* ---- seed.c, dump.c ---- */

int chat_workspace_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_channel_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_messages_seed(struct tx *tx, struct doc *doc, const struct json *value);
int chat_workspace_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_messages_dump(struct tx *tx, struct json_writer *w);
extern const struct entity chat_entities[];
#define CHAT_ENTITIES 17

int chat_file_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_file_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_files_derive(struct tx *tx);
/* Members of seed documents: a workspace, an id that begins with one of these letters, somebody (id
 * 0: absent). */
int chat_doc_workspace(struct tx *tx, struct doc *d, const struct json *v,
                       struct chat_workspace *ret);
int chat_doc_key(struct doc *d, const struct json *v, const char *letters, const char **ret);
int chat_doc_user(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                  int64_t workspace, struct chat_user *ret);
/* The channel that the item names, by id or name. */
int chat_doc_channel(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                     struct chat_channel *ret);
/* Somebody by id, actor or name: 1, 0, -1. */
int chat_doc_find(struct tx *tx, int64_t workspace, const char *name, struct chat_user *ret);
/* The same, and people of other workspaces by their ids: who writes in a shared channel. */
int chat_doc_find_any(struct tx *tx, int64_t workspace, const char *name, struct chat_user *ret);
/* A time in a zone: 1; 0: absent, *ret_us stays; -1. */
int chat_doc_time(struct doc *d, const struct json *v, const char *member, const char *zone,
                  int64_t *ret_us);
/* A second since 1970, or a time (in UTC unless it says where) as messages have it. */
int chat_doc_second(struct doc *d, const struct json *v, const char *member, int64_t otherwise,
                    int64_t *ret_s);
/* The same to the microsecond; a number beyond the last second is one of microseconds. */
int chat_doc_instant(struct doc *d, const struct json *v, const char *member, int64_t otherwise,
                     int64_t *ret_us);
/* The flags of a message of which a document says none. */
int64_t chat_usual_flags(const struct chat_message *m);
/* A member of any shape, kept as JSON; NULL: absent. */
const char *chat_doc_json(struct doc *d, const struct json *v, const char *member);
/* A member that is a list or an object (JSON_ARRAY, JSON_OBJECT), kept as JSON; NULL: absent. */
int chat_doc_shaped(struct doc *d, const struct json *v, const char *member, enum json_type type,
                    const char **ret);
/* How a time is refused that rows can't have. */
#define CHAT_OUT_OF_TIME "expected a time between 1970 and 2242"

/* Members of dumps: an instant; a text that is not what is usual; JSON, if there is any. */
void chat_dump_instant(struct json_writer *w, const char *member, int64_t us);
void chat_dump_unless(struct json_writer *w, const char *member, const char *text,
                      const char *usual);
void chat_dump_raw(struct json_writer *w, const char *member, const char *json);
/* The member with the key of a user; nothing for 0. */
int chat_dump_user(struct tx *tx, struct json_writer *w, const char *member, int64_t user);
int chat_dump_app(struct tx *tx, struct json_writer *w, const char *member, int64_t app);
int chat_dump_workspace(struct tx *tx, struct json_writer *w, int64_t workspace);
void chat_dump_ts(struct json_writer *w, const char *member, int64_t us);

/* ---- app_seed.c ---- */

int chat_app_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_app_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_grant_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_grant_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_webhook_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_webhook_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
/* The token in payloads of an app that was given none: it follows from its client id. */
const char *chat_made_verification(struct tx *tx, const char *client_id);

/* ---- mark_seed.c ---- */

/* The member "reactions" of a message, or (m NULL) of a file; usual_s: when they came unless it is
 * said. */
int chat_doc_reactions(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                       struct chat_message *m, int64_t file, int64_t usual_s);
int chat_dump_reactions(struct tx *tx, struct json_writer *w, int64_t message, int64_t file,
                        int64_t usual_s);

/* ---- document_seed.c ---- */

/* The member "file": one of that mode. */
int chat_doc_file(struct tx *tx, struct doc *d, const struct json *v, const char *mode,
                  struct chat_workspace *w, struct chat_file *ret);
/* The member "access"; without it the file is its uploader's. */
int chat_doc_access(struct tx *tx, struct doc *d, const struct json *v, const struct chat_file *f);
int chat_dump_access(struct tx *tx, struct json_writer *w, int64_t file);
int chat_canvas_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_canvas_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

/* ---- meeting.c, assist.c, log.c, list.c ---- */

int chat_meeting_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_assist_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_login_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_app_log_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_shared_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_shared_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_invite_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_invite_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_list_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_meeting_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_assist_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_login_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_app_log_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_list_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

/* ---- interact_seed.c ---- */

/* What happens between an app and a person has: a workspace, somebody in it, an app. */
struct chat_party {
    struct chat_workspace workspace;
    struct chat_user user;
    int64_t app; /* 0: none */
};
int chat_doc_party(struct tx *tx, struct doc *d, const struct json *v, bool with_app,
                   struct chat_party *ret);
/* The same members, and "id" unless the key is NULL. */
int chat_dump_party(struct tx *tx, struct json_writer *w, int64_t workspace, const char *key,
                    int64_t app, int64_t user);

int chat_agent_seed(struct tx *tx, struct doc *doc, const struct json *item); /* agent_seed.c */
int chat_agent_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_execution_seed(struct tx *tx, struct doc *doc, const struct json *item); /* execution.c */
int chat_pane_seed(struct tx *tx, struct doc *doc, const struct json *item);      /* pane.c */
int chat_pane_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_pane_key(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_execution_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

/* Entities of the content core (entities.c). */
extern const struct entity chat_content_entities[];
#define CHAT_CONTENT_ENTITIES 8

/* ---- seed_shared.c: what a workspace has besides ---- */

int chat_group_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_field_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_emoji_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_bookmark_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_group_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_field_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_emoji_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_bookmark_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
/* The member "id", two letters and capitals or digits; absent: a new one. */
int chat_doc_made_key(struct tx *tx, struct doc *d, const struct json *v, const char *prefix,
                      const char **ret);
/* The member "app", a client id; 0: it is absent. */
int chat_doc_app(struct tx *tx, struct doc *d, const struct json *v, int64_t *ret);
/* What TX_RUN of an insert gave: a conflict becomes the document's fault. */
int chat_doc_added(struct tx *tx, struct doc *d, const struct json *v, const char *member, int rc);

/* ---- seed_own.c: what people keep for themselves ---- */

int chat_star_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_reminder_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_scheduled_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_quiet_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_star_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_reminder_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_scheduled_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_quiet_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

int chat_remind(struct tx *tx, int64_t reminder);
int chat_scheduled_post(struct tx *tx, int64_t id); /* schedule.c */

extern const struct core_rule chat_rules[]; /* check.c */

#endif
