/* SPDX-License-Identifier: Apache-2.0 */
/* What Outlook does for the dialect of tasks. */
#ifndef SOSIA_OUTLOOK_FLAGGED_H
#define SOSIA_OUTLOOK_FLAGGED_H

#include "vendors/microsoft/flagged.h"

extern const struct graph_flags outlook_flags;

/* The name of a message of a mailbox's person in diffs (struct graph_flags); key 0: of all with a
 * flag. */
const char *outlook_flag_name(struct tx *tx, const char *email, int64_t key);

#endif
