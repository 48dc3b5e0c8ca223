/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of messages, for the files of the chat core that read and write them. */
#ifndef SOSIA_CHAT_MESSAGE_H
#define SOSIA_CHAT_MESSAGE_H

#include "engine/world/columns.h"
#include "services/chat/core/chat.h"

#define MESSAGE(X)                                                                                 \
    X(place, place, ID)                                                                            \
    X(user, user, ID)                                                                              \
    X(app, app, ID)                                                                                \
    X(subtype, subtype, STRING)                                                                    \
    X(text, text, STRING)                                                                          \
    X(blocks, blocks, STRING)                                                                      \
    X(attachments, attachments, STRING)                                                            \
    X(metadata, metadata, STRING)                                                                  \
    X(extra, extra, STRING)                                                                        \
    X(client, client, STRING)                                                                      \
    X(flags, flags, FLAGS)                                                                         \
    X(edited_us, edited_us, NUMBER)                                                                \
    X(editor, editor, ID)                                                                          \
    X(thread, thread, ID)                                                                          \
    X(replies, replies, NUMBER)                                                                    \
    X(repliers, repliers, STRING)                                                                  \
    X(n_repliers, n_repliers, NUMBER)                                                              \
    X(latest_us, latest_us, NUMBER)                                                                \
    X(reactions, reactions, STRING)                                                                \
    X(files, files, STRING)                                                                        \
    X(pinned_by, pinned_by, ID)                                                                    \
    X(pinned_s, pinned_s, NUMBER)                                                                  \
    X(plain, plain, STRING)                                                                        \
    X(format, format, STRING)                                                                      \
    X(subject, subject, STRING)
#define MESSAGE_SELECTED "id, ts_us" MESSAGE(COLUMN_NAME)
/* The column flags has the importance above its flags. */
#define MESSAGE_FLAG_BITS             7
#define COLUMN_VALUE_FLAGS(v)         ((v) | (int64_t)row->importance << MESSAGE_FLAG_BITS)
#define COLUMN_READ_FLAGS(tx, st, at) sqlite3_column_int64(st, at)
#define COLUMN_TAKE_FLAGS(rec, at)    record_int(rec, at)
/* The part of an id in which messages of the same second differ. */
#define MESSAGE_SEQ(n) ((n) & ((1 << CHAT_SEQ_BITS) - 1))

#endif
