/* SPDX-License-Identifier: Apache-2.0 */
/* The interface to the engine of what Gmail keeps besides mailboxes: watches, and the settings
 * of people. */
#include "services/mail/gmail/gmail.h"
#include "services/mail/gmail/internal.h"

extern const char gmail_sql[];

static const struct section sections[] = {
    {.name = "gmail",
     .seed_one = gmail_seed,
     .ids = SECTION_IDS(
         "select b.id from mail_mailbox b join ident_actor a on a.id = b.actor where exists "
         "(select 1 from mail_setting s where s.mailbox = b.id) or exists (select 1 from "
         "gmail_watch w where w.mailbox = b.id) order by a.email"),
     .dump_one = gmail_dump},
};

static const struct entity entities[] = {
    {.name = "gmail_watch",
     .table = "gmail_watch",
     .key = gmail_watch_key,
     .dump = gmail_watch_dump,
     .members = "mailbox topic labelIds.* labelFilterBehavior expires"},
    {.name = "gmailSetting",
     .table = "mail_setting",
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

#define NO_TIME(column) column " not between -62135596800000000 and 253402300799999999"

static const struct core_rule rules[] = {
    {"gmail_watch", "exclude not between 0 and 1"},
    {"gmail_watch", "notified not between 1 and (select b.change from mail_mailbox b where "
                    "b.id = gmail_watch.mailbox)"},
    {"gmail_watch", NO_TIME("expires_us")},
    {"gmail_watch", NO_TIME("notified_us")},
    {"mail_setting", "case when json_valid(value) then json_type(value) <> 'object' else 1 end"},
    {NULL, NULL},
};

const struct sosia_core gmail_core = {
    .name = GMAIL_CORE,
    .schema = gmail_sql,
    .provisions = gmail_provisions,
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
