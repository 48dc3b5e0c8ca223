/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels of a mailbox. Some every mailbox has: they are its folders and states (enum
 * mail_label_role), and their words are those of seed documents; the others are its owner's. A
 * label's id holds its mailbox and its place in it.
 */
#ifndef SOSIA_MAIL_LABEL_H
#define SOSIA_MAIL_LABEL_H

#include "engine/world/tx.h"

enum mail_label_role {
    LABEL_INBOX,
    LABEL_SENT,
    LABEL_DRAFT,
    LABEL_TRASH,
    LABEL_SPAM,
    LABEL_UNREAD,
    LABEL_STARRED,
    LABEL_IMPORTANT,
    LABEL_CHAT,
    LABEL_PERSONAL,
    LABEL_SOCIAL,
    LABEL_PROMOTIONS,
    LABEL_UPDATES,
    LABEL_FORUMS,
    N_LABEL_ROLES
};
extern const char *const label_words[N_LABEL_ROLES + 1]; /* "INBOX", ..., NULL */

/* The roles that a message has, as bits (struct mail_message). */
#define FLAG(role)      (UINT32_C(1) << (role))
#define FLAG_OWN_LABELS (UINT32_C(1) << 31) /* it has labels of its owner's */
#define FLAGS_ROLES     (FLAG(N_LABEL_ROLES) - 1)
#define FLAGS_CATEGORY                                                                             \
    (FLAG(LABEL_PERSONAL) | FLAG(LABEL_SOCIAL) | FLAG(LABEL_PROMOTIONS) | FLAG(LABEL_UPDATES) |    \
     FLAG(LABEL_FORUMS))

/* Places: a role, or LABEL_OWN + the label's number. */
#define LABEL_OWN 64
static inline int64_t mail_label_id(int64_t mailbox, int64_t place)
{
    return mailbox << 24 | place;
}
static inline int64_t mail_label_place(int64_t id)
{
    return id & 0xffffff;
}
static inline bool mail_label_is_role(int64_t id)
{
    return mail_label_place(id) < LABEL_OWN;
}
/* Of a label of its owner's, from 1: never used again in the mailbox. */
static inline int64_t mail_label_number(int64_t id)
{
    return mail_label_place(id) - LABEL_OWN;
}

enum mail_label_list_view { LIST_SHOW, LIST_SHOW_UNREAD, LIST_HIDE };

struct mail_label {
    int64_t id, mailbox;
    const char *name; /* of a role: its word */
    enum mail_label_list_view list_view;
    bool message_hidden;
    const char *color, *background; /* "#rrggbb"; NULL: none */
    int64_t messages, unread, threads, unread_threads;
};

#define LABELS_MAX 10000 /* of a mailbox */

/* 1 found, 0 not: there, and this mailbox's. */
int mail_label_get(struct tx *tx, int64_t mailbox, int64_t id, struct mail_label *ret);
/* The same by name: case does not matter, nor the form of Unicode. */
int mail_label_by_name(struct tx *tx, int64_t mailbox, const char *name, struct mail_label *ret);
/* All of a mailbox, by place. */
int mail_label_list(struct tx *tx, int64_t mailbox, struct mail_label **ret, size_t *ret_n);
/* A new one of the owner's: name, views and colours are taken, the rest is filled. id 0: the next
 * number. Fails with CONFLICT "labelExists" where there is one of that name, with INVALID
 * "labelName" for an empty or a very long one or one with control characters, and with FULL
 * "tooManyLabels". */
int mail_label_add(struct tx *tx, struct mail_label *l);
/* Stores what differs: name, views, colours. Fails as mail_label_add(). A role keeps its name. */
int mail_label_save(struct tx *tx, const struct mail_label *old, struct mail_label *l);
/* Deletes one of the owner's; messages lose it. */
int mail_label_delete(struct tx *tx, const struct mail_label *l);

#endif
