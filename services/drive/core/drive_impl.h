/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of services/drive/core only. */
#ifndef SOSIA_DRIVE_IMPL_H
#define SOSIA_DRIVE_IMPL_H

#include "services/drive/core/drive.h"
#include "services/drive/core/names.h"
#include "services/drive/core/vendor.h"
#include "engine/world/core.h"

/* item.c: what a walk up the tree needs of an item. 1, 0, -1. */
struct drive_node {
    int64_t parent, owner, drive;
    unsigned flags;
    enum drive_form form;
    enum drive_top top;
};
int drive_node(struct tx *tx, int64_t id, struct drive_node *ret);
/* The same as drive_item_by_id(), also of what is gone. Like drive_node() it does not ask. */
int drive_item_row(struct tx *tx, int64_t id, struct drive_item *ret);

/* names.c, item.c: drive_name_settle() and drive_item_save() of an item whose vendor is known. */
int drive_item_save_with(struct tx *tx, const struct drive_vendor *vendor, struct drive_item *it);
int drive_name_settle_with(struct tx *tx, const struct drive_vendor *vendor, struct drive_item *it,
                           enum drive_conflict how, struct drive_item *ret_old);

/* access.c: the viewer has what a link gives, which lives as long. 0, -1. */
struct drive_link;
int drive_viewer_add(struct drive_viewer *v, const struct drive_link *l);

/* gone.c: was the item with this parent (0: none) deleted, or something above it? 1, 0, -1. */
int drive_is_gone(struct tx *tx, int64_t id, int64_t parent);
/* The same of many, each of whose folders is looked at once (access.c). */
int drive_is_seen_gone(struct drive_viewer *v, int64_t id, int64_t parent);
/* Is there anything that was deleted and has rows yet? 1, 0, -1. */
int drive_any_gone(struct tx *tx);
/* What is done about them when the call is over: whether there are any is known from then on.
 * NULL: it is not. */
struct sweep {
    int (*run)(struct tx *tx, struct sweep *s);
    bool any;
    bool last; /* nothing else is left to do */
};
struct sweep *drive_sweep_of(const struct tx *tx);
void drive_sweep_put(struct tx *tx, struct sweep *s);
/* delete.c: some of their rows go then. 0, -1. */
int drive_sweep_later(struct tx *tx);

/* tree.c: an item's time in the trash is over. */
int drive_trash_due(struct tx *tx, int64_t id);
/* tree.c: after a folder's owner has changed, which of what is in it is in somebody else's folder.
 */
int drive_hosts(struct tx *tx, const struct drive_item *folder);

/* mine.c: after an item's owner has changed (0: none), to whom it is not their own. */
int drive_guests(struct tx *tx, int64_t item, int64_t owner);

/* change.c: it moves; who does not see it at its new place has it in the feed. Before it moves. */
int drive_moves(struct tx *tx, const struct drive_item *it);
/* "kind who", as drive_change.seen_by has them. */
int drive_audience(struct tx *tx, const struct drive_item *it, const char ***ret, size_t *ret_n);

/* check.c */
extern const struct core_rule drive_rules[];
int drive_check(struct tx *tx);
int drive_derive(struct tx *tx);

#endif
