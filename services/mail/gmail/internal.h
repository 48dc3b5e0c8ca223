/* SPDX-License-Identifier: Apache-2.0 */
/* What the core of this dialect (core.c) is made of. */
#ifndef SOSIA_GMAIL_INTERNAL_H
#define SOSIA_GMAIL_INTERNAL_H

#include "engine/world/core.h"
#include "services/mail/core/mail.h"

#define GMAIL_CORE "gmail"

/* watch.c: the rows of watches, and what they do. */
int gmail_watch_key(struct tx *tx, int64_t rowid, struct json_writer *w);
int gmail_watch_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
/* The member watch of the section gmail, read and written; rows of an import. write: 1 written, 0
 * there is none, -1. */
int gmail_watch_seed(struct tx *tx, struct doc *d, const struct mailbox *mb, const struct json *v);
int gmail_watch_write(struct tx *tx, const struct mailbox *mb, struct json_writer *w);
int gmail_watch_check(struct tx *tx);
int gmail_watch_due(struct tx *tx, const char *kind, int64_t ref);
struct world_event;
int gmail_watch_events(struct tx *tx, const struct world_event *first);

/* diff_view.c */
extern const struct entity_view gmail_views[];
extern const struct provision gmail_provisions[];

/* seed.c: the settings of people, in seed documents, dumps and diffs, and in imported worlds. */
int gmail_seed(struct tx *tx, struct doc *d, const struct json *item);
extern const struct form gmail_form; /* its members */
int gmail_section_dump(struct tx *tx, struct json_writer *w);
int gmail_setting_key(struct tx *tx, int64_t rowid, struct json_writer *w);
int gmail_setting_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int gmail_check(struct tx *tx);

#endif
