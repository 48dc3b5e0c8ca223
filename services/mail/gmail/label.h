/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gmail's labels over the core's folders: the system's are places that every mailbox has, people's
 * are labels of their own. How they are shown, and with which colours, is kept here.
 */
#ifndef SOSIA_GMAIL_LABEL_H
#define SOSIA_GMAIL_LABEL_H

#include "services/mail/core/mail.h"

enum gmail_system_label {
    LABEL_INBOX = FOLDER_INBOX,
    LABEL_SENT = FOLDER_SENT,
    LABEL_DRAFT = FOLDER_DRAFTS,
    LABEL_TRASH = FOLDER_TRASH,
    LABEL_SPAM = FOLDER_JUNK,
    LABEL_UNREAD = KEYWORD_UNSEEN,
    LABEL_STARRED = KEYWORD_FLAGGED,
    LABEL_IMPORTANT = KEYWORD_IMPORTANT,
    LABEL_CHAT = MARK_VENDOR,
    LABEL_PERSONAL,
    LABEL_SOCIAL,
    LABEL_PROMOTIONS,
    LABEL_UPDATES,
    LABEL_FORUMS,
    N_SYSTEM_LABELS
};
extern const char *const label_words[N_SYSTEM_LABELS + 1]; /* "INBOX", ..., NULL */

#define FLAGS_CATEGORY                                                                             \
    (FLAG(LABEL_PERSONAL) | FLAG(LABEL_SOCIAL) | FLAG(LABEL_PROMOTIONS) | FLAG(LABEL_UPDATES) |    \
     FLAG(LABEL_FORUMS))

enum gmail_list_view { LIST_SHOW, LIST_SHOW_UNREAD, LIST_HIDE };

struct gmail_label {
    struct mail_folder folder;
    enum gmail_list_view list_view;
    bool message_hidden;
    const char *color, *background; /* "#rrggbb"; NULL: none */
};

/* 1 found, 0 not: there, and this mailbox's. */
int gmail_label_get(struct tx *tx, int64_t mailbox, int64_t id, struct gmail_label *ret);
/* All of a mailbox, by place. */
int gmail_labels_of(struct tx *tx, int64_t mailbox, struct gmail_label **ret, size_t *ret_n);
/* How the label of a folder is shown. */
int gmail_label_of(struct tx *tx, const struct mail_folder *f, struct gmail_label *ret);
/* A new one, and a changed one: as mail_folder_add() and mail_folder_save(). */
int gmail_label_add(struct tx *tx, struct gmail_label *l);
int gmail_label_save(struct tx *tx, const struct gmail_label *old, struct gmail_label *l);
/* Has another label of the owner's this name, as Gmail compares names? 1, 0, -1. */
int gmail_label_taken(struct tx *tx, const struct gmail_label *l);
/* Rows of an import. 0, -1. */
int gmail_label_check(struct tx *tx);

/* Hooks of struct mail_vendor. */
extern const struct form gmail_label_form; /* of struct gmail_label */
void gmail_label_usual(const struct mail_folder *f, void *row);
int gmail_label_look(struct tx *tx, const struct mail_folder *f, void *row);
int gmail_label_put(struct tx *tx, const struct mail_folder *f, const void *row, bool fresh);
int gmail_label_gone(struct tx *tx, const struct mail_folder *f);

#endif
