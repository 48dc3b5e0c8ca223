/* SPDX-License-Identifier: Apache-2.0 */
/* Values of messages for expressions: how one message is asked, and the paths that are known. */
#ifndef SOSIA_OUTLOOK_VALUE_H
#define SOSIA_OUTLOOK_VALUE_H

#include "services/mail/outlook/outlook.h"
#include "vendors/microsoft/odata/odata.h"

/* Places in outlook_paths. */
enum outlook_path {
    PATH_ID,
    PATH_RECEIVED,
    PATH_CREATED,
    PATH_SENT,
    PATH_MODIFIED,
    PATH_READ,
    PATH_DRAFT,
    PATH_FOLDER,
    PATH_SUBJECT,
    PATH_FROM,
    PATH_FROM_NAME,
    PATH_SENDER,
    PATH_SENDER_NAME,
    PATH_IMPORTANCE,
    PATH_FILES,
    PATH_MESSAGE_ID,
    PATH_CONVERSATION,
    PATH_FLAG,
    PATH_CATEGORIES,
    PATH_INFERENCE,
    PATH_PREVIEW,
    PATH_BODY,
    PATH_CHANGE_KEY,
    PATH_SINGLE,
    PATH_EXTENSIONS,
    PATH_MENTIONED
};

/* What the getter is given: the message that is asked about, opened where it has to be. */
struct outlook_asked {
    struct call *c;
    const struct outlook_box *b;
    const struct outlook_item *i;
    struct mail_message_body body;
    bool open;
};
/* What odata_matches() and odata_keys() of the thing q->i are given. */
struct odata_ctx outlook_asking(struct outlook_asked *q);

/* Well-known names of folders in the expression become ids (MG-622). */
void outlook_name_folders(struct arena *a, const struct outlook_box *b, const struct odata_expr *e);

#endif
