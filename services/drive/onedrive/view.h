/* SPDX-License-Identifier: Apache-2.0 */
/* Files in diffs, and what ties letters about them to them. */
#ifndef SOSIA_ONEDRIVE_VIEW_H
#define SOSIA_ONEDRIVE_VIEW_H

#include "services/drive/onedrive/onedrive.h"

extern const struct entity_view onedrive_views[];

/* From where letters about sharing come, and their subject: who has shared what. In the arena. */
#define ONEDRIVE_SHARES "no-reply@sharepointonline.com"
const char *onedrive_shared_subject(struct arena *a, const struct actor *sharer,
                                    const struct drive_item *it);

#endif
