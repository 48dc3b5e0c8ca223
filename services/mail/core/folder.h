/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders of a mailbox in the model of JMAP (RFC 8621): a tree of folders, and keywords of
 * messages. Some every mailbox of a vendor has (enum mail_place: folders by role, keywords, and
 * marks that the vendor alone understands), the others are its owner's. A folder's id holds its
 * mailbox and its place in it. Labels and keywords that are counted and listed as folders are rows
 * beside them.
 */
#ifndef SOSIA_MAIL_FOLDER_H
#define SOSIA_MAIL_FOLDER_H

#include "engine/world/tx.h"

enum mail_place {
    FOLDER_INBOX,
    FOLDER_SENT,
    FOLDER_DRAFTS,
    FOLDER_TRASH,
    FOLDER_JUNK,
    KEYWORD_UNSEEN,
    KEYWORD_FLAGGED,
    KEYWORD_IMPORTANT,
    MARK_VENDOR, /* the first of six that are the vendor's own */
    MARK_VENDOR_LAST = MARK_VENDOR + 5,
    FOLDER_ARCHIVE,
    KEYWORD_DRAFT, /* of vendors whose drafts can be in any folder */
    KEYWORD_ANSWERED,
    KEYWORD_FORWARDED,
    N_PLACES
};

/* The places of a message, as bits (struct mail_message). */
#define FLAG(place)      (UINT32_C(1) << (place))
#define FLAG_OWN_FOLDERS (UINT32_C(1) << 31) /* it has folders of its owner's */
#define FLAGS_FIXED      (FLAG(N_PLACES) - 1)
#define FLAGS_FOLDER                                                                               \
    (FLAG(FOLDER_INBOX) | FLAG(FOLDER_SENT) | FLAG(FOLDER_DRAFTS) | FLAG(FOLDER_TRASH) |           \
     FLAG(FOLDER_JUNK) | FLAG(FOLDER_ARCHIVE))

/* Places: one of enum mail_place, or FOLDER_OWN + the folder's number. */
#define FOLDER_OWN 64
static inline int64_t mail_folder_id(int64_t mailbox, int64_t place)
{
    return mailbox << 24 | place;
}
static inline int64_t mail_folder_place(int64_t id)
{
    return id & 0xffffff;
}
static inline bool mail_folder_is_fixed(int64_t id)
{
    return mail_folder_place(id) < FOLDER_OWN;
}
/* Of a folder of its owner's, from 1: never used again in the mailbox. */
static inline int64_t mail_folder_number(int64_t id)
{
    return mail_folder_place(id) - FOLDER_OWN;
}

enum mail_folder_kind {
    KIND_LABEL,   /* messages may have several */
    KIND_FOLDER,  /* of an exclusive vendor a message is in one (vendor.h) */
    KIND_KEYWORD, /* a mark or a category */
};

struct mail_folder {
    int64_t id, mailbox;
    const char *name;
    int64_t parent; /* the folder that it is in; 0: the top */
    enum mail_folder_kind kind;
    bool hidden;
    int64_t messages, unread, threads, unread_threads;
};

#define FOLDERS_MAX       10000 /* of a mailbox */
#define FOLDER_DEPTH_MAX  64
#define FOLDER_NUMBER_MAX (0xffffff - FOLDER_OWN)

/* 1 found, 0 not: there, and this mailbox's. */
int mail_folder_get(struct tx *tx, int64_t mailbox, int64_t id, struct mail_folder *ret);
/* The same by name within a folder (0: the top): case does not matter, nor the form of Unicode. */
int mail_folder_by_name(struct tx *tx, int64_t mailbox, int64_t parent, const char *name,
                        struct mail_folder *ret);
/* All of a mailbox, by place. */
int mail_folder_list(struct tx *tx, int64_t mailbox, struct mail_folder **ret, size_t *ret_n);
/* How many bytes its messages have together, and how many folders in it are shown. 0, -1. */
int mail_folder_size(struct tx *tx, const struct mail_folder *f, int64_t *ret);
int mail_folder_children(struct tx *tx, int64_t mailbox, int64_t parent, int64_t *ret);
/* A new one of the owner's: name, parent, kind and hidden are taken, the rest is filled. id 0: the
 * next number. Fails with CONFLICT "labelExists" where there is one of that name in the parent,
 * with INVALID "labelName" for an empty or a very long one or one with control characters, with
 * INVALID "parent", and with FULL "tooManyLabels". */
int mail_folder_add(struct tx *tx, struct mail_folder *l);
/* Stores what differs: name, parent, hidden. Fails as mail_folder_add(). A fixed one keeps its name
 * and its place in the tree. changed: what its vendor keeps of it differs. */
int mail_folder_save(struct tx *tx, const struct mail_folder *old, struct mail_folder *l,
                     bool changed);
/* Deletes one of the owner's, for good: messages lose a label; what is in a folder, folders
 * included, goes with it. */
int mail_folder_delete(struct tx *tx, const struct mail_folder *l);

#endif
