/* SPDX-License-Identifier: Apache-2.0 */
/* What Outlook does for the dialect of tasks. */
#ifndef SOSIA_OUTLOOK_FLAGGED_H
#define SOSIA_OUTLOOK_FLAGGED_H

#include "vendors/microsoft/flagged.h"

extern const struct graph_flags outlook_flags;

#endif
