/* SPDX-License-Identifier: Apache-2.0 */
/* What a message says besides its text, of vendors that keep it apart (struct chat_vendor, parts):
 * who is mentioned, and which files of a drive go with it. They go with the message. */
#ifndef SOSIA_CHAT_MENTION_H
#define SOSIA_CHAT_MENTION_H

#include "services/chat/core/chat.h"

enum chat_mentioned {
    CHAT_MENTION_USER,
    CHAT_MENTION_CHANNEL,
    CHAT_MENTION_TEAM,
    CHAT_MENTION_ALL
};
extern const char *const chat_mentioned_kinds[]; /* NULL-terminated */

struct chat_mention {
    enum chat_mentioned kind;
    int64_t ref;      /* of the user, channel or team; 0 of all */
    const char *text; /* as the message has it */
};
/* Behind those that there are. 0, -1. */
int chat_mention_add(struct tx *tx, int64_t message, const struct chat_mention *m);
/* In their order. 0, -1. */
int chat_mentions(struct tx *tx, int64_t message, struct chat_mention **ret, size_t *ret_n);
/* The messages before one (0: all) that mention a user, the newest first; at most so many. 0, -1.
 */
int chat_messages_mentioning(struct tx *tx, int64_t user, int64_t before, size_t limit,
                             int64_t **ret, size_t *ret_n);

/* A file that the core of drives has: the message refers to it, and has its name and type as they
 * were. */
struct chat_drive_file {
    const char *file, *name, *type;
};
/* The file of that id, if who posts may see it. 1; 0: there is none that the person sees; -1. */
int chat_drive_file_add(struct tx *tx, int64_t message, const struct actor *who, const char *file);
/* As it is said: a document's. 0, -1. */
int chat_drive_file_put(struct tx *tx, int64_t message, const struct chat_drive_file *f);
int chat_drive_files(struct tx *tx, int64_t message, struct chat_drive_file **ret, size_t *ret_n);

/* Takes both from a message that goes. 0, -1. */
int chat_parts_drop(struct tx *tx, int64_t message);
/* Members "mentions" and "driveFiles" of a message in documents. 0, -1. */
int chat_doc_parts(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                   int64_t message);
int chat_dump_parts(struct tx *tx, struct json_writer *w, int64_t message);

#endif
