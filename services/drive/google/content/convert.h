/* SPDX-License-Identifier: Apache-2.0 */
/* Turning files into documents that Drive edits itself, and those into files. */
#ifndef SOSIA_DRIVE_GOOGLE_CONVERT_H
#define SOSIA_DRIVE_GOOGLE_CONVERT_H

#include "services/drive/google/sharing/access.h"

/* The file of the parameter fileId, also in a shared drive whatever the caller says that it
 * supports: methods without such a parameter. */
int gdrive_any_subject(struct call *c, const char *key, struct gdrive_subject *ret);

/* Bytes of a type become the content of a document, which is stored already and is saved. Fails
 * with the service's refusals. */
int gdrive_import(struct call *c, struct drive_item *it, const char *type, const char *bytes,
                  size_t len);
/* The same of a file's content. */
int gdrive_import_file(struct call *c, struct drive_item *it, const struct drive_item *from);
/* Can a file of that type become such a document? word: of the core ("document"). */
bool gdrive_can_import(const char *type, const char *word);

int gdrive_import_too_large(struct call *c);

/* The links of a document's revision (NULL: as it is now) in each format. */
void gdrive_write_export_links(struct call *c, const struct drive_item *it, const char *revision);

#endif
