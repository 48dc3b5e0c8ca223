/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that read and write seed documents. */
#ifndef SOSIA_DRIVE_SEED_IMPL_H
#define SOSIA_DRIVE_SEED_IMPL_H

#include "engine/state/form.h"
#include "services/drive/core/access/share.h"
#include "services/drive/core/drive_impl.h"

extern const char *const drive_role_names[]; /* by enum drive_role */

#define DRIVE_UNSAID INT64_MIN /* a time that a document does not say */

/* seed_form.c */
extern const struct form drive_grant_form, drive_mine_form, drive_shared_form, drive_revisions_form,
    drive_link_form, drive_file_form;
/* Parts of shared drives (struct drive_settings), and of files: of the item, and of the content
 * that it has now (struct drive_revision). */
extern const struct form drive_look_form, drive_rule_form, drive_text_form, drive_head_form;

/* Hooks of a member that says when something was or ends, 0: never (drive_when()); it is written as
 * it was said. drive_write_time() writes one. */
void drive_write_time(struct json_writer *w, const char *member, int64_t us);
int drive_read_when(const struct form_in *in, const struct member *m, void *row);
int drive_write_when(const struct form_out *out, const struct member *m, const void *row);

/* The bytes of an object, in content or base64: of what is read; and a blob's (revision_seed.c). */
int drive_read_bytes(const struct form_in *in, const char **ret, size_t *ret_n);
int drive_write_bytes(struct tx *tx, struct json_writer *w, int64_t blob);

int shared_drives_seed(struct tx *tx, struct doc *d, const struct json *value);
int shared_drives_dump(struct tx *tx, struct json_writer *w);
int files_seed(struct tx *tx, struct doc *d, const struct json *value);
int files_dump(struct tx *tx, struct json_writer *w);

#define DRIVE_ENTITIES 1
extern const struct entity drive_entities[DRIVE_ENTITIES];
/* plain.c: struct entity, plain */
int file_plain(struct tx *tx, int64_t rowid, struct json_writer *w);

#endif
