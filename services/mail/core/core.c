/* SPDX-License-Identifier: Apache-2.0 */
/* The mail core, as the engine sees it. */
#include "engine/service.h"
#include "services/mail/core/mail_impl.h"

extern const char mail_sql[];

const struct sosia_core mail_core = {
    .name = "mail",
    .schema = mail_sql,
    .derive = index_derive,
};
