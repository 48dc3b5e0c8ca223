/* SPDX-License-Identifier: Apache-2.0 */
/* What OneDrive does for the dialect of teams: a core of its own, with a policy alone. */
#ifndef SOSIA_ONEDRIVE_CHANNEL_FOLDER_H
#define SOSIA_ONEDRIVE_CHANNEL_FOLDER_H

#include "engine/world/core.h"

extern const struct sosia_core onedrive_folder_core;

#endif
