/* SPDX-License-Identifier: Apache-2.0 */
/* Permissions of an item: what there is, and how it is shown. */
#ifndef SOSIA_ONEDRIVE_RIGHTS_H
#define SOSIA_ONEDRIVE_RIGHTS_H

#include "services/drive/core/access/link.h"
#include "services/drive/core/access/share.h"
#include "services/drive/onedrive/onedrive.h"

extern const char *const right_scopes[]; /* by enum drive_link_scope */
extern const char *const right_types[];  /* by enum drive_link_type */

struct rights {
    struct drive_share *shares;
    struct right_link {
        struct drive_link link;
        struct drive_item item;
        bool inherited;
    } * links;
    size_t n_shares, n_links, room;
    bool may_share; /* the caller, at the item */
};

/* All that there are, with those of folders above. 0, -1. */
int rights_read(struct onedrive_at *at, const struct drive_item *it, struct rights *ret);
/* The item of the call, and those of its rights that the caller sees. 0, -1 refused. */
int rights_open(struct call *c, enum drive_role need, struct onedrive_at *at, struct drive_item *it,
                struct rights *all);
/* The one of the path's id: a share, or a link. 0, -1 there is none. */
int right_find(struct onedrive_at *at, const struct rights *all,
               const struct drive_share **ret_share, const struct right_link **ret_link);
/* One of them, into the open object. 0, -1. shares: the caller may share the item, and has what
 * opens it; inherited: it comes from a folder above. */
int right_write(struct onedrive_at *at, const struct rights *all, const struct drive_share *s,
                const struct right_link *l);
int right_write_share(struct onedrive_at *at, const struct drive_share *s, bool shares);
int right_write_link(struct onedrive_at *at, const struct drive_item *it,
                     const struct drive_link *l, bool inherited);

/* ---- recipients.c ---- */

#define MOST_RECIPIENTS 100

/* The one role of a list of words. 0, -1 refused. */
int onedrive_read_role(struct call *c, const struct json *roles, enum drive_role *ret);
/* An address of a recipient: of an email, an alias or an object id. NULL: refused. */
const char *onedrive_read_recipient(struct call *c, const struct json *v);
/* Those of a list, as the users of a link. 0, -1 refused. */
int onedrive_read_users(struct call *c, const struct json *list, struct drive_link *l);
const char *onedrive_lower(struct arena *a, const char *text);
/* ---- grant.c ---- */

/* The body's people may use a link, and the answer is the link. 0, -1 refused. */
int onedrive_link_grant(struct onedrive_at *at, struct drive_item *it, struct drive_link *l);

#endif
