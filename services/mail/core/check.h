/* SPDX-License-Identifier: Apache-2.0 */
/* What an import asks of mailboxes' rows, and makes of them (engine/world/core.h). */
#ifndef SOSIA_MAIL_CHECK_H
#define SOSIA_MAIL_CHECK_H

#include "engine/world/core.h"

extern const struct core_rule mail_rules[];
/* What rules do not say. 0, -1. */
int mail_check(struct tx *tx);
/* The indexes, from the rows. 0, -1. */
int mail_derive(struct tx *tx);

#endif
