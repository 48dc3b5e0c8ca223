/* SPDX-License-Identifier: Apache-2.0 */
/* The content of documents of our own kinds. */
#ifndef SOSIA_DRIVE_MODEL_H
#define SOSIA_DRIVE_MODEL_H

#include "services/drive/core/document/format.h"
#include "services/drive/core/drive.h"

/* The kind of a document that is edited here, by its item's word: 1, 0 it has no content that we
 * know. */
int drive_document_kind(const char *mime, enum document_kind *ret);
/* New content of a document, which is its next revision; the item is saved. */
int drive_document_put(struct tx *tx, struct drive_item *it, const struct document *d);
/* The content of a revision (0: of the head) in the transaction's arena; of a document without any,
 * an empty one. 1, 0 (drive_document_kind()), -1. */
int drive_document_load(struct tx *tx, const struct drive_item *it, int64_t revision,
                        struct document **ret);

/* The text of a document, or of a file whose bytes are one, as the member text of a view, with
 * textHash where there is more than is shown. 0, -1. */
int drive_view_text(struct tx *tx, struct json_writer *w, const struct drive_item *it);

#endif
