/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to the engine of what Outlook keeps besides mailboxes. */
#include "services/mail/core/sql.h"
#include "services/mail/outlook/flagged.h"
#include "services/mail/outlook/folders/folder_change.h"
#include "services/mail/outlook/internal.h"
#include "services/mail/outlook/posts/post.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/meeting.h"
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
    {.name = "outlook", .seed_one = outlook_seed, .dump = outlook_dump, .form = &outlook_form},
    {.name = "groupPosts",
     .seed_one = outlook_post_seed,
     .ids = SECTION_IDS("select id from outlook_post order by id"),
     .dump_one = outlook_post_dump,
     .form = &outlook_post_form},
};

static const struct entity entities[] = {
    {.name = "outlookSetting",
     .table = "outlook_setting",
     .key = outlook_setting_key,
     .dump = outlook_setting_dump,
     .members = "mailbox kind id value.**"},
    {.name = "groupPost",
     .table = "outlook_post",
     .key = outlook_post_key,
     .dump = outlook_post_dump},
};

#define NO_TIME(column) column " not between -62135596800000000 and 253402300799999999"
#define NO_OBJECT       "case when json_valid(value) then json_type(value) <> 'object' else 1 end"

static const struct core_rule rules[] = {
    {"outlook_setting", NO_OBJECT},
    {"outlook_extra", NO_OBJECT},
    {"outlook_meeting", "mailbox is not " MAIL_SQL_MESSAGE_MAILBOX("message")},
    {"outlook_folder", "gone not in (0, 1)"},
    {"outlook_folder", "number not between 1 and 4611686018427387904"},
    {"outlook_folder", "id >> 24 <> mailbox"},
    {"outlook_item", "version < 0"},
    {"outlook_meeting", "kind not between 1 and 5"},
    {"outlook_meeting", "original_day not in (0, 1)"},
    {"outlook_meeting", "sequence not between 0 and 2147483647"},
    {"outlook_meeting", "all_day not in (0, 1)"},
    {"outlook_meeting", "asks not in (0, 1)"},
    {"outlook_meeting", "proposals not between -1 and 1"},
    {"outlook_meeting", "(start_us is null) <> (end_us is null)"},
    {"outlook_meeting", "(proposed_us is null) <> (proposed_end_us is null)"},
    {"outlook_meeting", NO_TIME("original_us")},
    {"outlook_meeting", NO_TIME("start_us")},
    {"outlook_meeting", NO_TIME("end_us")},
    {"outlook_meeting", NO_TIME("proposed_us")},
    {"outlook_meeting", NO_TIME("proposed_end_us")},
    {"outlook_item", NO_TIME("modified_us")},
    {"outlook_thread", NO_TIME("newest_us")},
    {"outlook_thread", "locked not in (0, 1)"},
    {"outlook_thread", "key not between 1 and 9223372036854775807"},
    {"outlook_thread", "conversation not between 1 and 9223372036854775807"},
    {"outlook_post", NO_TIME("came_us")},
    {"outlook_post", "files not in (0, 1)"},
    {"outlook_post", "not exists (select 1 from blob b where b.id = outlook_post.raw)"},
    {"outlook_conversation", "gone not in (0, 1)"},
    {"outlook_post", "key not between 1 and 9223372036854775807"},
    {NULL, NULL},
};

static const struct entity_addition additions[] = {
    {"message", {"outlook_item", ENTITY_OWNER("select ?1")}},
    {"message", {"outlook_meeting", ENTITY_OWNER("select ?1")}},
    {"message", {"outlook_extra", ENTITY_OWNER("select message from outlook_extra where id = ?1")}},
    {NULL, {NULL, NULL}},
};

static const struct core_policy policies[] = {{"mail", "microsoft", &outlook_vendor},
                                              {GRAPH_CORE, "microsoft", &outlook_feed},
                                              {GRAPH_MAIL, "microsoft", &outlook_mail_record},
                                              {GRAPH_FIND, "microsoft", &outlook_finder},
                                              {GRAPH_FLAGGED, "microsoft", &outlook_flags},
                                              {GRAPH_GROUP_HELD, "microsoft", &outlook_group_held},
                                              {GRAPH_CORE, "microsoft", &outlook_conversation_feed},
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
    .derive = outlook_posts_derive,
    .policies = policies,
    .events = outlook_folder_events,
};
