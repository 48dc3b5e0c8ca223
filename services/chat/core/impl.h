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

int chat_workspaces_seed(struct tx *tx, struct doc *doc, const struct json *value);
int chat_channels_seed(struct tx *tx, struct doc *doc, const struct json *value);
int chat_messages_seed(struct tx *tx, struct doc *doc, const struct json *value);
int chat_workspaces_dump(struct tx *tx, struct json_writer *w);
int chat_channels_dump(struct tx *tx, struct json_writer *w);
int chat_messages_dump(struct tx *tx, struct json_writer *w);
extern const struct entity chat_entities[];
#define CHAT_ENTITIES 5

int chat_files_seed(struct tx *tx, struct doc *doc, const struct json *value);
int chat_files_dump(struct tx *tx, struct json_writer *w);
int chat_file_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int chat_files_derive(struct tx *tx);
/* Members of seed documents: a workspace, an id that begins with one of these letters, somebody (id
 * 0: absent). */
int chat_doc_workspace(struct tx *tx, struct doc *d, const struct json *v,
                       struct chat_workspace *ret);
int chat_doc_key(struct doc *d, const struct json *v, const char *letters, const char **ret);
int chat_doc_user(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                  int64_t workspace, struct chat_user *ret);
int chat_remind(struct tx *tx, int64_t reminder);
int chat_scheduled_post(struct tx *tx, int64_t id); /* schedule.c */

extern const struct core_rule chat_rules[]; /* check.c */

#endif
