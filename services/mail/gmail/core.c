/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to the engine of what Gmail keeps besides mailboxes: watches, and the settings
 * of people. */
#include "services/mail/gmail/gmail.h"
#include "services/mail/gmail/internal.h"
#include "services/mail/gmail/label.h"
#include "services/mail/gmail/vendor.h"

extern const char gmail_sql[], gmail_upgrade_sql[];

static const struct section sections[] = {
    {.name = "gmail", .seed_one = gmail_seed, .dump = gmail_section_dump, .form = &gmail_form},
};

static const struct entity entities[] = {
    {.name = "gmail_watch",
     .table = "gmail_watch",
     .key = gmail_watch_key,
     .dump = gmail_watch_dump,
     .members = "mailbox topic labelIds.* labelFilterBehavior expires"},
    {.name = "gmailSetting",
     .table = "gmail_setting",
     .key = gmail_setting_key,
     .dump = gmail_setting_dump,
     .members = "sendAsEmail displayName replyToAddress signature isPrimary isDefault "
                "treatAsAlias smtpMsa.host smtpMsa.port smtpMsa.securityMode verificationStatus "
                "confirmation forwardingEmail enabled emailAddress disposition delegateEmail id "
                "criteria.from criteria.to criteria.subject criteria.query criteria.negatedQuery "
                "criteria.hasAttachment criteria.excludeChats criteria.size "
                "criteria.sizeComparison action.addLabelIds.* action.removeLabelIds.* "
                "action.forward enableAutoReply responseSubject responseBodyPlainText "
                "responseBodyHtml restrictToContacts restrictToDomain startTime endTime "
                "autoExpunge expungeBehavior maxFolderSize accessWindow displayLanguage issuerCn "
                "expiration pem keyPairId enablementState disableTime primaryKeyPairId "
                "signAndEncryptKeyPairs.signingKeyPairId "
                "signAndEncryptKeyPairs.encryptionKeyPairId"},
};

#define NO_COLOR(column)                                                                           \
    "case when " column " is null then 0 else " column " not glob '#[0-9a-fA-F][0-9a-fA-F]"        \
    "[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]' end"
#define NO_TIME(column) column " not between -62135596800000000 and 253402300799999999"

static const struct core_rule rules[] = {
    {"gmail_watch", "exclude not between 0 and 1"},
    {"gmail_watch", "notified < 1"},
    {"gmail_watch", NO_TIME("expires_us")},
    {"gmail_watch", NO_TIME("notified_us")},
    {"gmail_setting", "case when json_valid(value) then json_type(value) <> 'object' else 1 end"},
    {"gmail_label", "list_view not between 0 and 2"},
    {"gmail_label", "message_view not between 0 and 1"},
    {"gmail_label", NO_COLOR("color")},
    {"gmail_label", NO_COLOR("background")},
    {"gmail_label", "(color is null) <> (background is null)"},
    {NULL, NULL},
};

static const struct entity_addition additions[] = {
    {"mailLabel", {"gmail_label", ENTITY_OWNER("select ?1")}},
    {NULL, {NULL, NULL}},
};

static const struct core_policy policies[] = {
    {"mail", "google", &gmail_vendor, &gmail_label_form, "mailboxes.labels"}, {NULL, NULL, NULL}};

static const struct core_upgrade upgrades[] = {{.from = "sosia 2", .sql = gmail_upgrade_sql},
                                               {.from = NULL}};

const struct sosia_core gmail_core = {
    .name = GMAIL_CORE,
    .schema = gmail_sql,
    .upgrades = upgrades,
    .provisions = gmail_provisions,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .additions = additions,
    .views = gmail_views,
    .due = gmail_watch_due,
    .events = gmail_watch_events,
    .rules = rules,
    .check = gmail_check,
    .policies = policies,
};
