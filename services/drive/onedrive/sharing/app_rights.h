/* SPDX-License-Identifier: Apache-2.0 */
/* What single apps may do with an item and what is below it. Functions give 0, -1 unless it says
 * otherwise. */
#ifndef SOSIA_ONEDRIVE_APP_RIGHTS_H
#define SOSIA_ONEDRIVE_APP_RIGHTS_H

#include "services/drive/onedrive/onedrive.h"

struct app_right {
    int64_t id, item, app;
    bool write;
};

/* What the call's app may do with the item, by it or a folder above. */
int onedrive_app_role(struct onedrive_at *at, const struct drive_item *it, enum drive_role *ret);
/* Those at the item itself, into the open list. */
int onedrive_write_apps(struct onedrive_at *at, const struct drive_item *it);
/* The one with that id: 1, 0, -1. As the call's answer. */
int onedrive_app_find(struct onedrive_at *at, const struct drive_item *it, const char *id,
                      struct app_right *ret);
int onedrive_app_answer(struct onedrive_at *at, const struct drive_item *it,
                        const struct app_right *right);
/* Another role; it goes; a new one of a body, which is the answer. */
int onedrive_app_set(struct onedrive_at *at, struct app_right *right, enum drive_role role);
int onedrive_app_drop(struct onedrive_at *at, const struct app_right *right);
int onedrive_app_create(struct onedrive_at *at, const struct drive_item *it,
                        const struct json *body, enum drive_role role);
/* The member apps of a file in seed documents. */
int onedrive_apps_seed(struct tx *tx, struct doc *d, const struct json *v, int64_t item);
int onedrive_apps_dump(struct tx *tx, struct json_writer *w, int64_t item);

#endif
