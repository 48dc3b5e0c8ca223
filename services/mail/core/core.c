/* SPDX-License-Identifier: Apache-2.0 */
/* The mail core, as the engine sees it. */
#include "engine/service.h"
#include "services/mail/core/seed_impl.h"

extern const char mail_sql[];

static const struct section sections[] = {
    {"mailboxes", mailboxes_seed, mailboxes_dump},
};

const struct sosia_core mail_core = {
    .name = "mail",
    .schema = mail_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = mail_entities,
    .n_entities = MAIL_ENTITIES,
    .derive = index_derive,
};
