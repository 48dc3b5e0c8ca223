/* SPDX-License-Identifier: Apache-2.0 */
/* Special folders: their names in the root; cameraroll is not there on business (MG-109). */
#include "engine/base/codec.h"
#include "services/drive/onedrive/onedrive.h"

static const struct {
    const char *name, *folder;
} specials[] = {
    {"documents", "Documents"}, {"photos", "Pictures"},         {"music", "Music"},
    {"approot", "Apps"},        {"attachments", "Attachments"}, {"recordings", "Recordings"}};

const char *onedrive_special_folder(const char *name)
{
    size_t i = 0;
    while (i < SOSIA_LEN(specials) && !str_eq_nocase(specials[i].name, name))
        i++;
    return i < SOSIA_LEN(specials) ? specials[i].folder : NULL;
}

const char *onedrive_special_name(const struct onedrive_at *at, const struct drive_item *it)
{
    for (size_t i = 0; it->parent == at->root.id && i < SOSIA_LEN(specials); i++)
        if (it->form == DRIVE_FOLDER && strcmp(it->name, specials[i].folder) == 0)
            return specials[i].name;
    return NULL;
}
