/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a workspace: uploads, what they are shared into. Look-ups and strings as in chat.h. */
#ifndef SOSIA_SLACK_FILE_H
#define SOSIA_SLACK_FILE_H

#include "engine/blob/picture.h"
#include "services/chat/core/chat.h"

enum chat_file_state { CHAT_FILE_WANTED, CHAT_FILE_UPLOADED, CHAT_FILE_THERE, CHAT_FILE_DELETED };

struct chat_file {
    int64_t workspace, id;
    const char *key;
    int64_t user, app;
    enum chat_file_state state;
    const char *mode, *name, *title, *mimetype, *filetype;
    int64_t size, blob; /* blob 0: no bytes, or outside */
    const char *upload; /* secret of the address to upload to; NULL: none */
    const char *public_secret;
    bool is_public;
    const char *external_id, *external_url, *alt_text, *snippet; /* NULL: none */
    int64_t created_s, updated_s;
    int64_t editor;         /* 0: nobody changed it */
    int64_t lines;          /* of a text, of which snippet is the beginning; 0: not a text */
    struct picture picture; /* of a picture */
};
int chat_file_get(struct tx *tx, int64_t id, struct chat_file *ret);
int chat_file_find(struct tx *tx, int64_t workspace, const char *key, struct chat_file *ret);
int chat_file_by_upload(struct tx *tx, const char *secret, struct chat_file *ret);
int chat_file_by_external(struct tx *tx, int64_t workspace, const char *id, struct chat_file *ret);
/* Fills id and key. A blob that it names has a reference for it already. */
int chat_file_add(struct tx *tx, struct chat_file *f);
int chat_file_save(struct tx *tx, struct chat_file *f, enum event_operation operation);
/* What its bytes say of a file: mode, snippet, lines and picture become so. data: all n of them, of
 * a larger file the first CHAT_LOOK. A text of so many is a snippet; what is shown of it is the
 * first five lines, which end in three dots after 1,024 characters (as recorded). */
#define CHAT_LOOK          (INT64_C(1) << 20)
#define CHAT_PREVIEW_CHARS 1024
void chat_file_look(struct tx *tx, struct chat_file *f, const char *data, size_t n);
/* Shares it in a channel, by that message. */
int chat_file_share(struct tx *tx, const struct chat_file *f, int64_t channel, int64_t message);
int chat_file_unshare(struct tx *tx, const struct chat_file *f, int64_t channel, int64_t message);
int chat_file_delete(struct tx *tx, struct chat_file *f);
/* The user's own files, and what is shared in a channel that the user may see. 1, 0, -1. */
int chat_can_see_file(struct tx *tx, const struct chat_file *f, const struct chat_user *u);
struct chat_files_ask {
    int64_t workspace, user, channel; /* user, channel 0: any */
    int64_t from_s, to_s;
};
/* Newest first; fn gives non-zero to stop. */
int chat_files(struct tx *tx, const struct chat_files_ask *ask,
               int (*fn)(void *arg, const struct chat_file *f), void *arg);
/* Where it is shared, by channel; m->id 0: without a message. */
int chat_shares(struct tx *tx, int64_t file,
                int (*fn)(void *arg, const struct chat_channel *ch, const struct chat_message *m),
                void *arg);

#endif
