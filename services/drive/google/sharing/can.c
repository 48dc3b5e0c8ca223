/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drive/google/sharing/can.h"

/* What a state makes of a right, as bits. */
enum {
    ON_LOCK = 1,     /* the content is restricted */
    ON_HOLD = 2,     /* this role may not copy or download */
    ON_NO_SHARE = 4, /* this role may not share */
    ON_LIMIT = 8     /* access is limited, and not for this role to open again */
};
/* What a right needs besides a role. */
enum {
    IF_MEMBER = 1,
    IF_OFFERED = 2,
    IF_ORGANISATION = 4,
    IF_NOT_LIMITED = 8,
    IF_LOCKED = 16,
};

enum { NEVER = N_ROLES, ABSENT = N_ROLES + 1 };

#define CONTENT (NATURE_FILE | NATURE_DOCUMENT)
#define ITEM    (CONTENT | NATURE_OTHER | NATURE_FOLDER | NATURE_SHORTCUT)
#define HOLDS   (NATURE_FOLDER | NATURE_ROOT | NATURE_TOP)
#define ANY     (ITEM | HOLDS)

/* For each right the lowest role that has it in My Drive and in a shared drive, on which items,
 * what takes it away, and what it needs. */
static const struct right {
    uint8_t mine, shared;
    uint8_t natures;
    uint8_t unless, needs;
} rights[N_CANS] = {
    [CAN_CHANGE_VIEWERS_COPY] = {ROLE_OWNER, ROLE_ORGANIZER, CONTENT | NATURE_OTHER, 0, 0},
    [CAN_MOVE_CHILDREN_OUT] = {ABSENT, ROLE_ORGANIZER, HOLDS, 0, 0},
    [CAN_READ_DRIVE] = {ABSENT, ROLE_READER, ANY, 0, IF_MEMBER},
    [CAN_EDIT] = {ROLE_WRITER, ROLE_WRITER, ANY, 0, 0},
    [CAN_COPY] = {ROLE_READER, ROLE_READER, CONTENT | NATURE_OTHER | NATURE_SHORTCUT, ON_HOLD, 0},
    [CAN_COMMENT] = {ROLE_COMMENTER, ROLE_COMMENTER, ANY, ON_LOCK, 0},
    [CAN_ADD_CHILDREN] = {ROLE_WRITER, ROLE_WRITER, HOLDS, 0, 0},
    [CAN_DELETE] = {ROLE_OWNER, ROLE_ORGANIZER, ITEM, 0, 0},
    [CAN_DOWNLOAD] = {ROLE_READER, ROLE_READER, ANY, ON_HOLD, 0},
    [CAN_LIST_CHILDREN] = {ROLE_READER, ROLE_READER, HOLDS, 0, 0},
    [CAN_REMOVE_CHILDREN] = {ROLE_WRITER, NEVER, HOLDS, 0, 0},
    [CAN_RENAME] = {ROLE_WRITER, ROLE_WRITER, ITEM, ON_LOCK, 0},
    [CAN_TRASH] = {ROLE_OWNER, ROLE_FILE_ORGANIZER, ITEM, 0, 0},
    [CAN_READ_REVISIONS] = {ROLE_WRITER, ROLE_WRITER, CONTENT | NATURE_OTHER, 0, 0},
    [CAN_CHANGE_COPY_RESTRICTION] = {ROLE_OWNER, ROLE_ORGANIZER, CONTENT | NATURE_OTHER, 0, 0},
    [CAN_MOVE_INTO_SHARED] = {ROLE_OWNER, ABSENT, ITEM, 0, 0},
    [CAN_UNTRASH] = {ROLE_OWNER, ROLE_FILE_ORGANIZER, ITEM, 0, 0},
    [CAN_MODIFY_CONTENT] = {ROLE_WRITER, ROLE_WRITER, ANY, ON_LOCK, 0},
    [CAN_DELETE_CHILDREN] = {ABSENT, ROLE_ORGANIZER, HOLDS, 0, 0},
    [CAN_TRASH_CHILDREN] = {ABSENT, ROLE_FILE_ORGANIZER, HOLDS, 0, 0},
    [CAN_MOVE_OUT] = {ROLE_OWNER, ROLE_ORGANIZER, ITEM, 0, 0},
    [CAN_ADD_PARENT] = {NEVER, ABSENT, ANY, 0, 0},
    [CAN_REMOVE_PARENT] = {ROLE_READER, ABSENT, ITEM, 0, 0},
    [CAN_MOVE_WITHIN] = {ROLE_WRITER, ROLE_FILE_ORGANIZER, ITEM, 0, 0},
    /* A shortcut has what its folder gives. */
    [CAN_SHARE] = {ROLE_WRITER, ROLE_WRITER, (ITEM & ~NATURE_SHORTCUT) | NATURE_TOP, ON_NO_SHARE,
                   0},
    [CAN_MOVE_CHILDREN_WITHIN] = {ROLE_WRITER, ROLE_FILE_ORGANIZER, HOLDS, 0, 0},
    [CAN_RESTRICT_CONTENT] = {ROLE_WRITER, ROLE_WRITER, CONTENT, 0, 0},
    [CAN_ADD_FOLDER_FROM_ELSEWHERE] = {ABSENT, NEVER, HOLDS, 0, 0},
    [CAN_CHANGE_SECURITY_UPDATE] = {NEVER, NEVER, ANY, 0, 0},
    [CAN_ACCEPT_OWNERSHIP] = {ROLE_READER, NEVER, ITEM, 0, IF_OFFERED},
    [CAN_READ_LABELS] = {ROLE_READER, ROLE_READER, ITEM & ~NATURE_SHORTCUT, 0, IF_ORGANISATION},
    [CAN_MODIFY_LABELS] = {ROLE_WRITER, ROLE_WRITER, CONTENT | NATURE_OTHER, ON_LOCK,
                           IF_ORGANISATION},
    [CAN_RESTRICT_AS_EDITOR] = {ROLE_WRITER, ROLE_WRITER, CONTENT, 0, 0},
    [CAN_RESTRICT_AS_OWNER] = {ROLE_OWNER, ROLE_FILE_ORGANIZER, CONTENT, 0, 0},
    [CAN_LIFT_RESTRICTION] = {ROLE_WRITER, ROLE_WRITER, CONTENT, 0, IF_LOCKED},
    [CAN_LIMIT_ACCESS] = {ROLE_OWNER, ROLE_ORGANIZER, NATURE_FOLDER, 0, IF_NOT_LIMITED},
    [CAN_UNLIMIT_ACCESS] = {ROLE_WRITER, ROLE_ORGANIZER, ITEM & ~NATURE_SHORTCUT, ON_LIMIT, 0},
    [CAN_CHANGE_DOWNLOAD_RESTRICTION] = {ROLE_OWNER, ROLE_ORGANIZER, CONTENT | NATURE_OTHER, 0, 0},
};

/* Sharing a folder of a shared drive is for those who organise it; its top folder's grants are the
 * drive's members. */
static bool may_not_share(enum drive_role role, const struct gdrive_state *s)
{
    if (s->expires && role <= ROLE_WRITER)
        return true;
    if (!s->shared_drive)
        return role == ROLE_WRITER && !s->writers_share;
    if (s->nature == NATURE_TOP)
        return role < ROLE_ORGANIZER;
    if (s->nature == NATURE_FOLDER)
        return role < (s->folders_by_organizer ? ROLE_ORGANIZER : ROLE_FILE_ORGANIZER);
    return false;
}

struct gdrive_cans gdrive_cans(enum drive_role role, const struct gdrive_state *s)
{
    struct gdrive_cans c = {0};
    bool held = role < ROLE_WRITER
                    ? s->copy_needs_writer || s->readers_no_download || s->writers_no_download
                    : role == ROLE_WRITER && s->writers_no_download;
    /* Who may organise keeps the right to lift what the owner of an item has locked. */
    bool lifts = s->locked && (!s->owner_locked || role >= ROLE_FILE_ORGANIZER);
    unsigned is =
        (s->locked ? ON_LOCK : 0u) | (held ? ON_HOLD : 0u) |
        (may_not_share(role, s) ? ON_NO_SHARE : 0u) |
        (s->limited && role < (s->shared_drive ? ROLE_ORGANIZER : ROLE_OWNER) ? ON_LIMIT : 0u);
    unsigned has = (s->member ? IF_MEMBER : 0u) | (s->pending_owner ? IF_OFFERED : 0u) |
                   (s->organisation ? IF_ORGANISATION : 0u) | (s->limited ? 0u : IF_NOT_LIMITED) |
                   (lifts ? IF_LOCKED : 0u);
    for (int i = 0; i < N_CANS; i++) {
        const struct right *r = &rights[i];
        unsigned lowest = s->shared_drive ? r->shared : r->mine;
        if (lowest == ABSENT)
            continue;
        c.known |= CAN(i);
        if (role >= lowest && (r->natures & s->nature) && !(r->unless & is) &&
            (r->needs & has) == r->needs)
            c.yes |= CAN(i);
    }
    return c;
}

uint32_t shared_cans(enum drive_role role, bool copy_needs_writer)
{
    static const uint8_t lowest[N_SHARED_CANS] = {
        [SHARED_ADD_CHILDREN] = ROLE_WRITER,
        [SHARED_CHANGE_RESTRICTIONS] = ROLE_ORGANIZER,
        [SHARED_CHANGE_BACKGROUND] = ROLE_ORGANIZER,
        [SHARED_COMMENT] = ROLE_COMMENTER,
        [SHARED_COPY] = ROLE_READER,
        [SHARED_DELETE_CHILDREN] = ROLE_ORGANIZER,
        [SHARED_DELETE] = ROLE_ORGANIZER,
        [SHARED_DOWNLOAD] = ROLE_READER,
        [SHARED_EDIT] = ROLE_WRITER,
        [SHARED_LIST_CHILDREN] = ROLE_READER,
        [SHARED_MANAGE_MEMBERS] = ROLE_ORGANIZER,
        [SHARED_READ_REVISIONS] = ROLE_WRITER,
        [SHARED_RENAME_ITEMS] = ROLE_WRITER,
        [SHARED_RENAME] = ROLE_ORGANIZER,
        [SHARED_SHARE] = ROLE_WRITER,
        [SHARED_TRASH_CHILDREN] = ROLE_FILE_ORGANIZER,
    };
    uint32_t yes = 0;
    for (unsigned i = 0; i < N_SHARED_CANS; i++)
        if (role >= lowest[i] && !(copy_needs_writer && role < ROLE_WRITER &&
                                   (i == SHARED_COPY || i == SHARED_DOWNLOAD)))
            yes |= UINT32_C(1) << i;
    return yes;
}
