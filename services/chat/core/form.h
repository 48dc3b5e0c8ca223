/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of chat's entities, for their tables (engine/state/stored.h). A row begins with the field
 * workspace: users, channels and apps are looked for in it.
 */
#ifndef SOSIA_CHAT_FORM_H
#define SOSIA_CHAT_FORM_H

#include "engine/state/stored.h"
#include "services/chat/core/doc.h"

/* The first member. Of rows without such a column it is that of a channel or a user of theirs. */
#define CHAT_WORKSPACE                                                                             \
    {                                                                                              \
        "workspace", "Its id or domain; else the first one", CHAT_WORKSPACE_AT("workspace", 0),    \
            .write = chat_write_workspace                                                          \
    }
#define CHAT_WORKSPACE_BY(type, field, writer)                                                     \
    {                                                                                              \
        "workspace", "Its id or domain; else the first one",                                       \
            CHAT_WORKSPACE_AT(NULL, offsetof(type, field)), .write = (writer)                      \
    }
#define CHAT_WORKSPACE_AT(name, place)                                                             \
    .kind = MEMBER_OWN, .noun = "text", .column = (name), .at = (place), .size = sizeof(int64_t),  \
    .read = chat_read_workspace

/* The member "id", with one of these letters in front; absent: NULL stays. */
#define CHAT_KEY_AT(type, field, letters)                                                          \
    .names = (const char *const[]){letters, NULL}, .read = chat_read_key, TEXT_AT(type, field)
/* References by their keys, or as chat_doc_user() and the others say. */
#define CHAT_USER_AT(type, field)                                                                  \
    .kind = MEMBER_REF, .ref = &chat_user_reference, .read = chat_read_user,                       \
    .write = chat_write_user, MEMBER_TYPED(type, field, int64_t)
#define CHAT_CHANNEL_AT(type, field)                                                               \
    .kind = MEMBER_REF, .ref = &chat_channel_reference, .read = chat_read_channel,                 \
    .write = chat_write_channel, MEMBER_TYPED(type, field, int64_t)
/* Another workspace. */
#define CHAT_OTHER_AT(type, field)                                                                 \
    .kind = MEMBER_REF, .ref = &chat_workspace_reference, .read = chat_read_other,                 \
    .write = chat_write_other, MEMBER_TYPED(type, field, int64_t)
#define CHAT_APP_AT(type, field)                                                                   \
    .kind = MEMBER_REF, .ref = &chat_app_reference, .read = chat_read_app,                         \
    .write = chat_write_app, MEMBER_TYPED(type, field, int64_t)
#define CHAT_SECOND "second since 1970 or time"
/* A second, also as a time; instants to the microsecond; the ts of a message. */
#define CHAT_SECOND_AT(type, field)                                                                \
    .kind = MEMBER_INT, .noun = CHAT_SECOND, .max = CHAT_LAST_SECOND, .read = chat_read_second,    \
    MEMBER_TYPED(type, field, int64_t)
#define CHAT_INSTANT_AT(type, field)                                                               \
    .kind = MEMBER_INT, .noun = CHAT_SECOND, .read = chat_read_instant,                            \
    .write = chat_write_instant, MEMBER_TYPED(type, field, int64_t)
#define CHAT_TS_AT(type, field)                                                                    \
    .kind = MEMBER_INT, .noun = "ts of a message", .read = chat_read_ts, .write = chat_write_ts,   \
    MEMBER_TYPED(type, field, int64_t)
/* A usual value of seconds and instants that no row has: the member is always written, and a
 * form's check sees that a document does not say it. */
#define CHAT_UNSAID (-1)

extern const struct form chat_reaction_form; /* mark_seed.c: of messages and files */
extern const struct reference chat_user_reference, chat_channel_reference, chat_app_reference,
    chat_workspace_reference;

int chat_read_workspace(const struct form_in *in, const struct member *m, void *row);
int chat_read_key(const struct form_in *in, const struct member *m, void *row);
int chat_read_user(const struct form_in *in, const struct member *m, void *row);
int chat_read_channel(const struct form_in *in, const struct member *m, void *row);
int chat_read_app(const struct form_in *in, const struct member *m, void *row);
int chat_read_other(const struct form_in *in, const struct member *m, void *row);
int chat_read_second(const struct form_in *in, const struct member *m, void *row);
int chat_read_instant(const struct form_in *in, const struct member *m, void *row);
int chat_read_ts(const struct form_in *in, const struct member *m, void *row);
int chat_write_workspace(const struct form_out *out, const struct member *m, const void *row);
int chat_write_workspace_of_user(const struct form_out *out, const struct member *m,
                                 const void *row);
int chat_write_workspace_of_channel(const struct form_out *out, const struct member *m,
                                    const void *row);
int chat_write_user(const struct form_out *out, const struct member *m, const void *row);
int chat_write_channel(const struct form_out *out, const struct member *m, const void *row);
int chat_write_app(const struct form_out *out, const struct member *m, const void *row);
int chat_write_other(const struct form_out *out, const struct member *m, const void *row);
int chat_write_instant(const struct form_out *out, const struct member *m, const void *row);
int chat_write_ts(const struct form_out *out, const struct member *m, const void *row);

/* The same time, unless the document says another: now, when its workspace was made. */
int chat_unsaid_now(struct tx *tx, int64_t *s);
int chat_unsaid_made(struct tx *tx, int64_t workspace, int64_t *s);

#endif
