/* SPDX-License-Identifier: Apache-2.0 */
/* What letters about sharing say, by which they are found to be about a file. */
#include "services/drive/onedrive/view.h"

const char *onedrive_shared_subject(struct arena *a, const struct actor *sharer,
                                    const struct drive_item *it)
{
    return arena_printf(a, "%s shared \"%s\" with you",
                        *sharer->name ? sharer->name : sharer->email, it->name);
}
