/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_DRIVE_THEMES_H
#define SOSIA_DRIVE_THEMES_H

#include "engine/base/arena.h"

struct gdrive_theme {
    const char *id, *color; /* "#rrggbb" */
};
extern const struct gdrive_theme gdrive_themes[];        /* the last has no id */
const struct gdrive_theme *gdrive_theme(const char *id); /* NULL: there is none */
const char *gdrive_theme_link(struct arena *a, const char *id);

#endif
