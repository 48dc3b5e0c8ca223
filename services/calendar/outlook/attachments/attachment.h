/* SPDX-License-Identifier: Apache-2.0 */
/* Attachments of events, between the files of this folder. */
#ifndef SOSIA_OUTLOOK_CALENDAR_ATTACHMENT_H
#define SOSIA_OUTLOOK_CALENDAR_ATTACHMENT_H

#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/enclosed.h"

/* Kinds, of ocal_attachment; and what they are called, by kind (NULL-terminated). */
enum { OCAL_FILE, OCAL_ITEM, OCAL_LINK };
extern const char *const ocal_attachment_types[];

/* The series whose attachments a changed occurrence has besides its own; 0: it is none. 0, -1. */
int ocal_attachment_series(struct tx *tx, const struct cal_event *ev, int64_t *ret);
/* What is kept of an item or a link; NULL: it can't be read. */
const struct json *ocal_attachment_kept(struct arena *a, const char *text);
/* What an itemAttachment holds; a message where its row does not say. */
const struct json *ocal_attachment_item(const struct json *rest, enum graph_enclosed *ret);
/* The members of a row. q NULL: nothing is expanded. */
void ocal_attachment_write(struct ocal_at *at, const struct ocal_attachment *row,
                           const struct odata_query *q);
/* Adds one of a body; *ret: its row. 0, -1 refused. */
int ocal_add_attachment(struct ocal_at *at, const struct cal_event *ev, const struct json *v,
                        struct ocal_attachment *ret);

#endif
