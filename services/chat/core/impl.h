/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the chat core only. */
#ifndef SOSIA_CHAT_IMPL_H
#define SOSIA_CHAT_IMPL_H

#include "engine/state/form.h"
#include "services/chat/core/doc.h"
#include "services/chat/core/vendor.h"

static inline int64_t chat_last_id(struct tx *tx)
{
    return sqlite3_last_insert_rowid(slot_db(tx->db));
}

extern const struct entity chat_entities[]; /* dump.c */
#define CHAT_ENTITIES 3
int chat_photos_derive(struct tx *tx); /* user.c: references of the blobs of photos */

/* ---- seed_form.c ---- */

extern const struct form chat_user_form, chat_workspace_form, chat_who_form, chat_channel_form,
    chat_message_form;

/* Somebody in a channel, of chat_who_form: user is a name for chat_doc_find(). */
struct chat_who {
    const char *user;
    int64_t read_us, joined_s;
    bool open;
    int part;
};
/* A message without where it is and when, of chat_post_form; the workspace first: form.h. */
struct chat_post_row {
    int64_t workspace;
    struct chat_user from;
    struct chat_message m;
};
extern const struct form chat_post_form;

/* Topic and purpose, of whose the creator and the time of the channel are usual: behind its form.
 * 0, -1. */
int chat_channel_about(const struct form_in *in, struct chat_channel *ch);

/* An actor as a member of a workspace, with the usual values; not stored yet. */
struct chat_user chat_new_user(struct tx *tx, const struct chat_workspace *w,
                               const struct actor *a); /* user.c */

/* ---- seed.c, dump.c, connect.c ---- */

int chat_workspace_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_channel_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_messages_seed(struct tx *tx, struct doc *doc, const struct json *value);
int chat_workspace_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_user_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_message_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_message_key(struct tx *tx, int64_t rowid, struct json_writer *w);
/* plain.c: struct entity, plain */
int chat_channel_plain(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_message_plain(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_messages_dump(struct tx *tx, struct json_writer *w);

extern const struct core_rule chat_rules[]; /* check.c */
/* A workspace has a vendor that the engine has. 0, -1. */
int chat_check(struct tx *tx);

#endif
