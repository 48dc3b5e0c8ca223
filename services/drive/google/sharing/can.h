/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What somebody may do with an item, from the role that they have on it and from what the item is:
 * a table, without a world. Which of the answers there are at all differs between a person's own
 * drive and shared drives. Sources: the vendor's table of roles ("ref-roles") and its guides on
 * sharing, shared drives, limited access and content restrictions.
 */
#ifndef SOSIA_DRIVE_GOOGLE_CAN_H
#define SOSIA_DRIVE_GOOGLE_CAN_H

#include "services/drive/core/drive.h"

/* What an item is, as bits. */
enum gdrive_nature {
    NATURE_FILE = 1,     /* bytes */
    NATURE_DOCUMENT = 2, /* of the service's own editors, with revisions and restrictions */
    NATURE_OTHER = 4,    /* of its own, without: forms, sites, drawings */
    NATURE_FOLDER = 8,
    NATURE_SHORTCUT = 16,
    NATURE_ROOT = 32, /* somebody's My Drive */
    NATURE_TOP = 64   /* the folder that a shared drive is */
};

enum gdrive_can {
    CAN_CHANGE_VIEWERS_COPY, /* in the order in which answers list them */
    CAN_MOVE_CHILDREN_OUT,
    CAN_READ_DRIVE,
    CAN_EDIT,
    CAN_COPY,
    CAN_COMMENT,
    CAN_ADD_CHILDREN,
    CAN_DELETE,
    CAN_DOWNLOAD,
    CAN_LIST_CHILDREN,
    CAN_REMOVE_CHILDREN,
    CAN_RENAME,
    CAN_TRASH,
    CAN_READ_REVISIONS,
    CAN_CHANGE_COPY_RESTRICTION,
    CAN_MOVE_INTO_SHARED,
    CAN_UNTRASH,
    CAN_MODIFY_CONTENT,
    CAN_DELETE_CHILDREN,
    CAN_TRASH_CHILDREN,
    CAN_MOVE_OUT,
    CAN_ADD_PARENT,
    CAN_REMOVE_PARENT,
    CAN_MOVE_WITHIN,
    CAN_SHARE,
    CAN_MOVE_CHILDREN_WITHIN,
    CAN_RESTRICT_CONTENT,
    CAN_ADD_FOLDER_FROM_ELSEWHERE,
    CAN_CHANGE_SECURITY_UPDATE,
    CAN_ACCEPT_OWNERSHIP,
    CAN_READ_LABELS,
    CAN_MODIFY_LABELS,
    CAN_RESTRICT_AS_EDITOR,
    CAN_RESTRICT_AS_OWNER,
    CAN_LIFT_RESTRICTION,
    CAN_LIMIT_ACCESS,
    CAN_UNLIMIT_ACCESS,
    CAN_CHANGE_DOWNLOAD_RESTRICTION,
    N_CANS
};

#define CAN(what) (UINT64_C(1) << (what))

/* What matters besides the role. */
struct gdrive_state {
    enum gdrive_nature nature;
    bool shared_drive;         /* it is in one */
    bool member;               /* the caller is a member of that drive */
    bool expires;              /* what gives the role ends by itself */
    bool writers_share;        /* writers may share it */
    bool copy_needs_writer;    /* readers and commenters may neither copy nor download it */
    bool readers_no_download;  /* by its own restriction, or its drive's */
    bool writers_no_download;  /* the same for writers */
    bool locked;               /* its content is restricted */
    bool owner_locked;         /* by its owner, who alone lifts it */
    bool pending_owner;        /* the caller is offered it */
    bool limited;              /* inherits no access */
    bool organisation;         /* the caller has labels: is in an organisation */
    bool folders_by_organizer; /* the drive's restriction on who shares folders */
};

/* The answers, as sets of CAN(): which there are for such an item, and which of them are yes. */
struct gdrive_cans {
    uint64_t known, yes;
};
struct gdrive_cans gdrive_cans(enum drive_role role, const struct gdrive_state *s);
static inline bool can(const struct gdrive_cans *c, enum gdrive_can what)
{
    return c->yes & CAN(what);
}

/* What the members of a shared drive may do with the drive itself, by its restrictions or without.
 */
enum shared_can {
    SHARED_ADD_CHILDREN,
    SHARED_CHANGE_RESTRICTIONS,
    SHARED_CHANGE_BACKGROUND,
    SHARED_COMMENT,
    SHARED_COPY,
    SHARED_DELETE_CHILDREN,
    SHARED_DELETE,
    SHARED_DOWNLOAD,
    SHARED_EDIT,
    SHARED_LIST_CHILDREN,
    SHARED_MANAGE_MEMBERS,
    SHARED_READ_REVISIONS,
    SHARED_RENAME_ITEMS,
    SHARED_RENAME,
    SHARED_SHARE,
    SHARED_TRASH_CHILDREN,
    N_SHARED_CANS
};
uint32_t shared_cans(enum drive_role role, bool copy_needs_writer);

/* ---- may.c ---- */

/* The answers of gdrive_cans() for a viewer. */
int gdrive_may(struct drive_viewer *v, const struct drive_item *it, const struct drive_access *a,
               struct gdrive_cans *ret);
/* Whether readers and commenters, and whether writers, are kept from downloading by the item's own
 * restrictions or by those of its shared drive. */
int gdrive_download_limits(struct tx *tx, const struct drive_item *it, bool *ret_readers,
                           bool *ret_writers);

#endif
