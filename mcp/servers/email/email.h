/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that the tools of the server for a person's mail share. */
#ifndef SOSIA_MCP_EMAIL_H
#define SOSIA_MCP_EMAIL_H

#include "mcp/servers/files.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/core/vendor.h"

#define EMAIL_PAGE 50 /* messages of a page at most */

struct email_box {
    struct mailbox mailbox;
    const struct mail_vendor *vendor;
};
struct email_folder {
    int64_t id;
    const char *name;
    int64_t messages, unread;
};
struct email_page {
    int64_t page, size, pages, total;
};
/* A message with the number that its folder knows it by: 1 is the oldest. */
struct email_item {
    struct mail_message message;
    int64_t number;
};

/* The mailbox of the caller's person, whichever vendor's it is. 0, -1. */
int email_open(struct call *c, struct email_box *ret);
/* Refuses an inner step; the tool's words come before it (email_end()). Gives -1. */
__attribute__((format(printf, 3, 4))) int email_refuse(struct call *c, enum sosia_code code,
                                                       const char *fmt, ...);
/* Puts words before the reason of an inner step that has failed. Gives -1. */
int email_within(struct call *c, const char *words);
/* The end of a tool: the result as it is, or "Error DOING: " and the reason, which is a text like
 * any other, as in the original. */
int email_end(struct call *c, const char *doing, int r);
/* The result: a text, as that and as the structured content's member. 0, -1. */
int email_say(struct call *c, struct buf *b);
__attribute__((format(printf, 2, 3))) int email_text(struct call *c, const char *fmt, ...);
/* An argument that is a text; NULL: not given, null or empty. */
const char *email_arg(struct call *c, const char *name);
int64_t email_number(struct call *c, const char *name, int64_t usual);

/* All folders: those that each mailbox has first, under the original's names, then its owner's as
 * "outer/inner". 0, -1. */
int email_folders(struct call *c, const struct email_box *b, struct email_folder **ret,
                  size_t *ret_n);
/* Finds one by its name; those that each mailbox has also by their vendor's. 1, 0, -1. */
int email_folder(struct call *c, const struct email_box *b, const char *name,
                 struct email_folder *ret);
/* The same of an argument, without which it is INBOX. 0, -1: there is none. */
int email_folder_of(struct call *c, const struct email_box *b, const char *argument,
                    struct email_folder *ret);
/* Makes a folder with those that it is in. 0, -1. */
int email_folder_make(struct call *c, const struct email_box *b, const char *name,
                      struct email_folder *ret);
/* Why it cannot be a folder's name, in the original's words; NULL: it can. */
const char *email_folder_fault(struct arena *a, const char *name);

/* The newest `most` messages of a folder, newest first. 0, -1. */
int email_items(struct call *c, const struct email_box *b, const struct email_folder *f,
                int64_t most, struct email_item **ret, size_t *ret_n);
/* The number in a text; 0: it is none. */
int64_t email_id(const char *text);
/* The message of the argument "email_id" in the folder of an argument. 0, -1: there is none. */
int email_item_of(struct call *c, const struct email_box *b, const char *folder,
                  struct email_folder *ret_folder, struct email_item *ret);

/* ---- email_text.c ---- */

/* What is shown of a message. Texts are "" where there is nothing. */
struct email_view {
    struct mail_message_body body;
    const char *subject, *from, *to, *cc, *date, *message_id;
    const char *text, *html; /* as they are in it */
    const char *seen;        /* the text, or of HTML alone what is seen of it */
};
int email_view(struct call *c, const struct mail_message *m, struct email_view *ret);
/* The addresses of a field, with ", " between; "": none. */
const char *email_addresses(struct arena *a, const struct mail_message_body *b, const char *field);
/* Goes through the parts that are attachments: *at from 0. False at the end. */
bool email_attachment(const struct email_view *v, int *at, int *ret_part);
/* Adds a time: "2026-11-23T08:00:00", or as a part of a file's name "20261123_080000". */
void email_put_time(struct buf *b, int64_t seconds, bool name);
/* The page that is asked for of so many messages. */
void email_page(struct call *c, int64_t total, struct email_page *ret);
int email_list(struct call *c);
int email_read(struct call *c);
int email_search(struct call *c);
int email_headers(struct call *c);

/* ---- email_send.c ---- */

/* A text with addresses as it may be in a header; NULL: none. */
const char *email_as_header(struct arena *a, const char *text);
int email_send(struct call *c);
int email_reply(struct call *c);
int email_forward(struct call *c);
int email_save_draft(struct call *c);
int email_drafts(struct call *c);
int email_update_draft(struct call *c);
int email_delete_draft(struct call *c);

/* ---- email_change.c ---- */

int email_delete(struct call *c);
int email_delete_some(struct call *c);
int email_move(struct call *c);
int email_move_some(struct call *c);
int email_mark(struct call *c);
int email_list_folders(struct call *c);
int email_create_folder(struct call *c);
int email_delete_folder(struct call *c);
int email_stats(struct call *c);
int email_unread(struct call *c);
int email_check(struct call *c);

/* ---- email_files.c ---- */

int email_export(struct call *c);
int email_import(struct call *c);
int email_download(struct call *c);

#endif
