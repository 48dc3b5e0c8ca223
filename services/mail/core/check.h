/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_MAIL_CHECK_H
#define SOSIA_MAIL_CHECK_H

#include "engine/service.h"

/* For struct sosia_core. */
extern const struct core_rule mail_rules[];

#endif
