/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of Outlook's own tables, and how seed documents have them. */
#ifndef SOSIA_OUTLOOK_CALENDAR_SEED_H
#define SOSIA_OUTLOOK_CALENDAR_SEED_H

#include "engine/state/stored.h"

struct ocal_group {
    int64_t id, account, change;
    const char *key, *name;
};
struct ocal_attachment {
    int64_t id, event, size, updated_us;
    int kind; /* 0 file, 1 item, 2 reference */
    bool is_inline;
    const char *name, *type, *content_id, *content;
};
#define OCAL_UNKNOWN_TYPE "application/octet-stream" /* of a file that says nothing of it */

extern struct stored ocal_groups_stored, ocal_attachments_stored;
/* Inserts a group; its key is made if it has none. 0, -1. */
int ocal_group_add(struct tx *tx, struct ocal_group *group);
/* Of the section and the entity. */
int ocal_attachment_dump(struct tx *tx, int64_t id, struct json_writer *w);
int ocal_attachments_dump(struct tx *tx, struct json_writer *w);
/* Of a file for import: what SQL can't look at. INVALID with what is wrong. */
int ocal_attachments_check(struct tx *tx);
int ocal_attachment_about(struct tx *tx, const struct entity *entity, int64_t rowid,
                          struct entity_about *about);
int ocal_group_about(struct tx *tx, const struct entity *entity, int64_t rowid,
                     struct entity_about *about);

#endif
