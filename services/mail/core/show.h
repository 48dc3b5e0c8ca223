/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mail in the core's own terms, for programs that look at a world and not at a vendor's API:
 * folders, pages of their messages from any place on, a message. What is written is JSON; nothing
 * is marked as read.
 */
#ifndef SOSIA_MAIL_SHOW_H
#define SOSIA_MAIL_SHOW_H

#include "engine/base/buf.h"
#include "engine/state/found.h"
#include "sosia.h"

/* Whose mailbox: a handle or an address, and, of who has accounts of several, the vendor (NULL: the
 * one that the address leads to). */
struct mail_shown {
    const char *actor, *vendor;
    int64_t folder;        /* of a page: its id */
    const char *text;      /* of a page: words that its messages have; NULL: all messages */
    int64_t offset, limit; /* messages that are newer than its first one; how many at most */
    int64_t key;           /* of a message */
    int part;              /* of it */
};

/* {"vendor", "vendors", "folders": [{"id", "name", "kind", "total", "unread", "parent",
 * "hidden"}]}. All of these: NOT_FOUND "mailboxNotFound", "folderNotFound", "messageNotFound",
 * "partNotFound". */
int mail_show_folders(struct sosia_engine *e, uint64_t world, const struct mail_shown *shown,
                      struct sosia_blob *ret_json, struct sosia_err *err);
/* {"total", "rows": [{"id", "thread", "at", "from", "to", "subject", "snippet", "folders",
 * "unread", "files", "size"}], "next"}: newest first; next: the offset of the next page. */
int mail_show_messages(struct sosia_engine *e, uint64_t world, const struct mail_shown *shown,
                       struct sosia_blob *ret_json, struct sosia_err *err);
/* The members of a row, "headers", "text", "html" and "parts": [{"n", "type", "name", "size",
 * "cid"}].
 */
int mail_show_message(struct sosia_engine *e, uint64_t world, const struct mail_shown *shown,
                      struct sosia_blob *ret_json, struct sosia_err *err);
/* Messages of all mailboxes, by mailbox, the newest of each first. */
found_fn mail_found;
/* A part's body, decoded. */
int mail_show_part(struct sosia_engine *e, uint64_t world, const struct mail_shown *shown,
                   struct buf *out, struct sosia_err *err);

#endif
