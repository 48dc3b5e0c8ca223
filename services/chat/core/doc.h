/* SPDX-License-Identifier: Apache-2.0 */
/* Members of seed documents, for the core and for dialects: read and written. */
#ifndef SOSIA_CHAT_DOC_H
#define SOSIA_CHAT_DOC_H

#include "services/chat/core/chat.h"

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
/* Of a vendor that knows who belongs to a workspace, one who does comes into it. */
int chat_doc_find(struct tx *tx, int64_t workspace, const char *name, struct chat_user *ret);
/* The same, and people of other workspaces by their ids: who writes in a shared channel. */
int chat_doc_find_any(struct tx *tx, int64_t workspace, const char *name, struct chat_user *ret);
/* The same for a name of the document: who was found is remembered behind chat_doc_keep_people().
 */
int chat_doc_somebody(struct tx *tx, struct doc *d, int64_t workspace, const char *name,
                      struct chat_user *ret);
/* Until d->kept is NULL again: while no name comes to mean somebody else. In the document's arena,
 * which is the transaction's. */
void chat_doc_keep_people(struct doc *d);
/* A time in a zone: 1; 0: absent, *ret_us stays; -1. */
int chat_doc_time(struct doc *d, const struct json *v, const char *member, const char *zone,
                  int64_t *ret_us);
/* A second since 1970, or a time (in UTC unless it says where) as messages have it. */
int chat_doc_second(struct doc *d, const struct json *v, const char *member, int64_t otherwise,
                    int64_t *ret_s);
/* The same to the microsecond; a number beyond the last second is one of microseconds. */
int chat_doc_instant(struct doc *d, const struct json *v, const char *member, int64_t otherwise,
                     int64_t *ret_us);
/* A member of any shape, kept as JSON; NULL: absent. */
const char *chat_doc_json(struct doc *d, const struct json *v, const char *member);
/* A member that is a list or an object (JSON_ARRAY, JSON_OBJECT), kept as JSON; NULL: absent. */
int chat_doc_shaped(struct doc *d, const struct json *v, const char *member, enum json_type type,
                    const char **ret);
/* How a time is refused that rows can't have. */
#define CHAT_OUT_OF_TIME "expected a time between 1970 and 2242"

/* A workspace by its id or domain; 0: it is absent. */
int chat_doc_other(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                   int64_t *ret);
/* The member "app", a client id; 0: it is absent. */
int chat_doc_app(struct tx *tx, struct doc *d, const struct json *v, int64_t *ret);

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

/* The member "reactions" of a message, or (m NULL) of a file; usual_s: when they came unless it is
 * said. */
int chat_doc_reactions(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                       struct chat_message *m, int64_t file, int64_t usual_s);
int chat_dump_reactions(struct tx *tx, struct json_writer *w, int64_t message, int64_t file,
                        int64_t usual_s);

/* A list with what one() writes for each row of the query; left out if it is empty unless kept. */
int chat_dump_rows(struct tx *tx, struct json_writer *w, const char *member, struct sql_text *q,
                   int64_t of, bool keep,
                   int (*one)(struct tx *tx, int64_t id, struct json_writer *w));

/* What names a user in a diff, as entities do. */
int chat_user_key(struct tx *tx, int64_t rowid, struct json_writer *w);

#endif
