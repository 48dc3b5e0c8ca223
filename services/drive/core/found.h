/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_DRIVE_FOUND_H
#define SOSIA_DRIVE_FOUND_H

#include "engine/state/found.h"

/* Files that are not deleted: those in the trash too. */
found_fn drive_found;

#endif
