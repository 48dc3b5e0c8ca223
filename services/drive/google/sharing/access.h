/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing: what the methods on permissions, proposals, approvals and shared drives have in common.
 */
#ifndef SOSIA_DRIVE_GOOGLE_ACCESS_H
#define SOSIA_DRIVE_GOOGLE_ACCESS_H

#include "services/drive/core/access/share.h"
#include "services/drive/google/gdrive.h"
#include "services/drive/google/sharing/can.h"

/* A file, and what the caller may do with it. */
struct gdrive_subject {
    struct gdrive_view view;
    struct drive_item item;
    struct drive_access access;
    struct gdrive_cans cans;
};
/* The file of the parameter fileId. Fails with the service's 404. */
int gdrive_subject(struct call *c, struct gdrive_subject *ret);
/* Fails with the service's 403 unless the caller may do it. */
int gdrive_must(struct gdrive_subject *s, enum gdrive_can what);
int gdrive_insufficient(struct call *c);

/* Are two people of one organisation: both of the same one of the world's, or both of one domain
 * that is not one of those that anybody has an address of? */
/* Is a domain one of an organisation of the world, or that of somebody's address there? 1, 0, -1.
 */
int gdrive_is_organisation(struct call *c, const char *domain);
bool gdrive_same_organisation(const struct actor *a, const struct actor *b);
bool gdrive_has_organisation(const struct actor *a);

/* A Permission resource; with details if fields are selected. */
int gdrive_write_permission(struct gdrive_view *v, const char *key, const struct drive_item *it,
                            const struct drive_share *s);

/* The address of a role's word; ROLE_NONE: there is no such role. */
enum drive_role gdrive_role_of(const char *word);
/* A person whom an address names in a share: 1 somebody of the world, 2 a group, 0 nobody. who: as
 * grants have it. */
int gdrive_addressee(struct call *c, const char *email, const char **ret_who, struct actor *ret);

/* Who writes the letters of drives, and what one is about by which somebody learns that an item is
 * shared (in the arena). */
#define GDRIVE_SHARES "drive-shares-dm-noreply@google.com"
const char *gdrive_shared_subject(struct arena *a, const struct drive_item *it);
/* Sends somebody a mail that a file is shared with them. message: the caller's, NULL: none. */
int gdrive_notify_shared(struct gdrive_subject *s, const char *to, enum drive_role role,
                         const char *message);

#endif
