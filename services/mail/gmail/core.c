/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to the engine of what Gmail keeps besides mailboxes: watches, and the settings
 * of people. */
#include "services/mail/gmail/gmail.h"
#include "services/mail/gmail/internal.h"

extern const char gmail_sql[];

static const struct section sections[] = {
    {"gmail", gmail_seed, gmail_dump},
};

static const struct entity entities[] = {
    {.name = "gmail_watch",
     .table = "gmail_watch",
     .key = gmail_watch_key,
     .dump = gmail_watch_dump},
    {.name = "gmailSetting",
     .table = "mail_setting",
     .key = gmail_setting_key,
     .dump = gmail_setting_dump},
};

static const struct core_rule rules[] = {
    {"mail_setting", "case when json_valid(value) then json_type(value) <> 'object' else 1 end"},
    {NULL, NULL},
};

const struct sosia_core gmail_core = {
    .name = GMAIL_CORE,
    .schema = gmail_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .views = gmail_views,
    .due = gmail_watch_due,
    .events = gmail_watch_events,
    .rules = rules,
    .check = gmail_check,
};
