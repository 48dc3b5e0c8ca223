/* SPDX-License-Identifier: Apache-2.0 */
/* Colours of folders. */
#include "services/drive/google/gdrive.h"
#include <stdlib.h>

const char *const gdrive_palette[] = {
    "#ac725e", "#d06b64", "#f83a22", "#fa573c", "#ff7537", "#ffad46", "#fad165",
    "#fbe983", "#b3dc6c", "#7bd148", "#16a765", "#42d692", "#92e1c0", "#9fe1e7",
    "#9fc6e7", "#4986e7", "#9a9cff", "#b99aff", "#a47ae2", "#cd74e6", "#f691b2",
    "#cca6ac", "#cabdbf", "#8f8f8f", NULL,
};

static int part_of(const char *color, int at)
{
    char two[3] = {color[at], color[at + 1], 0};
    return (int)strtol(two, NULL, 16);
}

const char *gdrive_nearest_color(const char *color)
{
    const char *best = gdrive_palette[0];
    int least = 1 << 30;
    for (size_t i = 0; gdrive_palette[i]; i++) {
        int far = 0;
        for (int at = 1; at < 7; at += 2) {
            int d = part_of(gdrive_palette[i], at) - part_of(color, at);
            far += d * d;
        }
        if (far < least) {
            least = far;
            best = gdrive_palette[i];
        }
    }
    return best;
}
