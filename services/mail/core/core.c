/* SPDX-License-Identifier: Apache-2.0 */
/* The mail core, as the engine sees it. */
#include "engine/world/core.h"
#include "services/mail/core/check.h"
#include "services/mail/core/seed_impl.h"

extern const char mail_sql[];

static int mail_due(struct tx *tx, const char *kind, int64_t ref)
{
    struct mail_message m;
    (void)kind; /* there is one */
    int r = mail_message_by_id(tx, ref, &m);
    return r == 1 ? mail_message_delete(tx, &m) : r;
}

static const struct section sections[] = {
    {"mailboxes", mailboxes_seed, mailboxes_dump},
    {"mail", mail_seed, NULL},
};

const struct sosia_core mail_core = {
    .name = MAIL_CORE,
    .schema = mail_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = mail_entities,
    .n_entities = MAIL_ENTITIES,
    .due = mail_due,
    .letter = mail_letter,
    .rules = mail_rules,
    .derive = mail_derive,
};
