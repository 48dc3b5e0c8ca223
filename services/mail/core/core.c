/* SPDX-License-Identifier: Apache-2.0 */
/* The mail core's interface to the engine. */
#include "engine/world/core.h"
#include "identity/sql.h"
#include "services/mail/core/check.h"
#include "services/mail/core/seed_impl.h"

extern const char mail_sql[], mail_upgrade_sql[];

static int mail_due(struct tx *tx, const char *kind, int64_t ref)
{
    struct mail_message m;
    (void)kind; /* there is one */
    int r = mail_message_by_id(tx, ref, &m);
    return r == 1 ? mail_message_delete(tx, &m) : r;
}

static const struct section sections[] = {
    {.name = "mailboxes",
     .seed = mailboxes_seed,
     .dump = mailboxes_dump,
     .form = &mail_mailbox_form},
    {.name = "mail", .seed = mail_seed, .form = &mail_letter_form},
};

static const struct question_view questions[] = {
    {"mails", "id, mailbox, thread, at, size, inbox, unread, sent, draft, trash, spam, starred",
     "select printf('%016x', m.key), " IDENT_SQL_EMAIL(
         "b.actor") ", printf('%016x', m.thread_key), m.at, m.size, m.flags & 1, m.flags >> 5 & 1, "
                    "m.flags >> 1 & 1, m.flags >> 2 & 1, m.flags >> 3 & 1, m.flags >> 4 & 1, "
                    "m.flags >> 6 & 1 from mail_message m join mail_mailbox b on b.id = m.mailbox"},
    {"mail_labels", "mail, mailbox, label",
     "select printf('%016x', m.key), " IDENT_SQL_EMAIL(
         "b.actor") ", l.name from mail_message_folder x join mail_message m on m.id = x.message "
                    "join mail_folder l on l.id = x.folder join mail_mailbox b on b.id = "
                    "m.mailbox"},
    {NULL, NULL, NULL},
};

static const struct core_upgrade upgrades[] = {{.from = "sosia 2", .sql = mail_upgrade_sql},
                                               {.from = NULL}};

const struct sosia_core mail_core = {
    .name = MAIL_CORE,
    .schema = mail_sql,
    .upgrades = upgrades,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = mail_entities,
    .n_entities = MAIL_ENTITIES,
    .questions = questions,
    .due = mail_due,
    .letter = mail_letter,
    .rules = mail_rules,
    .check = mail_check,
    .derive = mail_derive,
};
