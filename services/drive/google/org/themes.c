/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures and colours that shared drives can have, as the service lists them (about.get). */
#include "services/drive/google/org/themes.h"
#include <string.h>

const struct gdrive_theme gdrive_themes[] = {
    {"abacus", "#ea6100"},        {"blueprints", "#4285f4"},
    {"bok_choy", "#689f38"},      {"books", "#4285f4"},
    {"bread", "#ef6c00"},         {"bubbles_color", "#f06292"},
    {"circuit", "#039be5"},       {"clams", "#e91e63"},
    {"clovers", "#689f38"},       {"cocktails", "#db4437"},
    {"concert", "#ef6c00"},       {"desk", "#607d8b"},
    {"donut_coffee", "#f06292"},  {"fabric_rolls", "#78909c"},
    {"flags", "#009688"},         {"flower_field", "#e06055"},
    {"flowers", "#689f38"},       {"glass", "#0f9d58"},
    {"lighthouse", "#4285f4"},    {"maps", "#8d6e63"},
    {"mountains", "#5c6bc0"},     {"notebook", "#689f38"},
    {"paper_colored", "#9c27b0"}, {"pencils", "#0097a7"},
    {"roofing_metal", "#039be5"}, {"sticky_notes", "#0097a7"},
    {"table", "#8d6e63"},         {"travel", "#039be5"},
    {"waves", "#ff5722"},         {"waves_blue", "#5c6bc0"},
    {"wood", "#8d6e63"},          {NULL, NULL},
};

const struct gdrive_theme *gdrive_theme(const char *id)
{
    for (const struct gdrive_theme *t = gdrive_themes; id && t->id; t++)
        if (strcmp(t->id, id) == 0)
            return t;
    return NULL;
}

const char *gdrive_theme_link(struct arena *a, const char *id)
{
    return arena_printf(a, "https://ssl.gstatic.com/team_drive_themes/%s_background.jpg", id);
}
