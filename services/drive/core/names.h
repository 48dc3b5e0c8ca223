/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names within a folder, and paths of them. Which names are the same, and whether a folder may have
 * one twice, is the vendor's (vendor.h). What is in the trash has no name here.
 */
#ifndef SOSIA_DRIVE_NAMES_H
#define SOSIA_DRIVE_NAMES_H

#include "services/drive/core/drive.h"

/* What a folder has by that name; of several, the one that was modified last: 1, 0, -1. */
int drive_child_by_name(struct tx *tx, const struct drive_item *folder, const char *name,
                        struct drive_item *ret);
/* Along names between slashes, from a folder on ("a/b/c"; "" is the folder): 1; 0 there is no such
 * item: ret is the last folder or file that is there, and *ret_rest (NULL: not asked for) the part
 * of the path behind it; -1. */
int drive_item_by_path(struct tx *tx, const struct drive_item *from, const char *path,
                       struct drive_item *ret, const char **ret_rest);

/* What becomes of an item whose name its folder has already. */
enum drive_conflict { CONFLICT_FAIL, CONFLICT_REPLACE, CONFLICT_RENAME };
/* Before an item that is new, moved, renamed or taken out of the trash is stored: its folder and
 * name are set. 0: it may have its name, or has another one now; 1: it is to take the place of
 * *ret_old; -1: with CONFLICT "nameInUse". Of a vendor whose names may repeat always 0. */
int drive_name_settle(struct tx *tx, struct drive_item *it, enum drive_conflict how,
                      struct drive_item *ret_old);

#endif
