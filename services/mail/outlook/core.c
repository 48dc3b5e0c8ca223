/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to the engine of what Outlook keeps besides mailboxes. */
#include "services/mail/outlook/internal.h"
#include "vendors/microsoft/find.h"
#include "vendors/microsoft/subscription.h"

extern const char outlook_sql[];

static int make(struct tx *tx, const struct account *account, const struct actor *actor)
{
    (void)actor;
    return mail_mailbox_make(tx, account, &outlook_vendor);
}

static const struct provision provisions[] = {
    {"microsoft", ACCOUNT_MAIL, "person resource", false, make},
    {NULL, 0, NULL, false, NULL},
};

static const struct section sections[] = {
    {.name = "outlook", .seed_one = outlook_seed, .dump = outlook_dump},
};

static const struct entity entities[] = {
    {.name = "outlookSetting",
     .table = "outlook_setting",
     .key = outlook_setting_key,
     .dump = outlook_setting_dump,
     .members = "mailbox kind id value.**"},
};

#define NO_OBJECT "case when json_valid(value) then json_type(value) <> 'object' else 1 end"

static const struct core_rule rules[] = {
    {"outlook_setting", NO_OBJECT},
    {"outlook_extra", NO_OBJECT},
    {"outlook_item", "version < 0"},
    {"outlook_item", "modified_us not between -62135596800000000 and 253402300799999999"},
    {NULL, NULL},
};

static const struct entity_addition additions[] = {
    {"message", {"outlook_item", ENTITY_OWNER("select ?1")}},
    {"message", {"outlook_extra", ENTITY_OWNER("select message from outlook_extra where id = ?1")}},
    {NULL, {NULL, NULL}},
};

static const struct core_policy policies[] = {{"mail", "microsoft", &outlook_vendor},
                                              {GRAPH_CORE, "microsoft", &outlook_feed},
                                              {GRAPH_FIND, "microsoft", &outlook_finder},
                                              {NULL, NULL, NULL}};

const struct sosia_core outlook_core = {
    .name = "outlook",
    .schema = outlook_sql,
    .provisions = provisions,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .additions = additions,
    .views = outlook_views,
    .rules = rules,
    .policies = policies,
};
