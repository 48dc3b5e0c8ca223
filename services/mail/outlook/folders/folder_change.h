/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the list of folders (folder_change.c). Numbers rise within a mailbox. */
#ifndef SOSIA_OUTLOOK_FOLDER_CHANGE_H
#define SOSIA_OUTLOOK_FOLDER_CHANGE_H

#include "services/mail/outlook/outlook.h"

struct world_event;

/* For struct mail_vendor and struct sosia_core. */
int outlook_folder_gone(struct tx *tx, const struct mail_folder *f);
int outlook_folder_events(struct tx *tx, const struct world_event *first);
/* The newest number of a mailbox; 0: its folders are as they were at first. */
int outlook_folder_number(struct tx *tx, int64_t mailbox, int64_t *ret);
/* The ids of folders that changed or went behind a number, in that order. */
int outlook_folders_changed(struct tx *tx, int64_t mailbox, int64_t after, int64_t **ret,
                            size_t *ret_n);

#endif
