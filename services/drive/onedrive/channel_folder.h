/* SPDX-License-Identifier: Apache-2.0 */
/* What OneDrive does for the dialect of teams. */
#ifndef SOSIA_ONEDRIVE_CHANNEL_FOLDER_H
#define SOSIA_ONEDRIVE_CHANNEL_FOLDER_H

#include "vendors/microsoft/folder.h"

extern const struct graph_files onedrive_files;

#endif
