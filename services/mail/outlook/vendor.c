/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook's policies of mailboxes, for the mail core: its folders, the numbers of its messages, and
 * how settings act. */
#include "services/mail/outlook/posts/post.h"
#include "services/mail/outlook/vendor.h"
#include "engine/text/civil.h"
#include "services/mail/outlook/acts.h"
#include "services/mail/outlook/folders/folder_change.h"
#include "services/mail/outlook/letter.h"

static int message_key(struct tx *tx, int64_t at_ms, int64_t *ret)
{
    return outlook_new_key(tx, at_ms / 1000, ret);
}

#define FIXED(place_, kind_, name_, hidden_)                                                       \
    {                                                                                              \
        .place = (enum mail_place)(place_), .kind = kind_, .name = name_, .hidden = hidden_        \
    }

static const struct mail_fixed places[] = {
    FIXED(FOLDER_INBOX, KIND_FOLDER, "Inbox", false),
    FIXED(FOLDER_SENT, KIND_FOLDER, "Sent Items", false),
    FIXED(FOLDER_DRAFTS, KIND_FOLDER, "Drafts", false),
    FIXED(FOLDER_TRASH, KIND_FOLDER, "Deleted Items", false),
    FIXED(FOLDER_JUNK, KIND_FOLDER, "Junk Email", false),
    FIXED(KEYWORD_UNSEEN, KIND_KEYWORD, "unread", true),
    FIXED(KEYWORD_FLAGGED, KIND_KEYWORD, "flagged", true),
    FIXED(FOLDER_OUTBOX, KIND_FOLDER, "Outbox", false),
    FIXED(FOLDER_CONVERSATIONS, KIND_FOLDER, "Conversation History", false),
    FIXED(FOLDER_CATEGORIES, KIND_FOLDER, "Categories", true),
    FIXED(FOLDER_SEARCHES, KIND_FOLDER, "Finder", true),
    FIXED(FOLDER_ARCHIVE, KIND_FOLDER, "Archive", false),
    FIXED(KEYWORD_DRAFT, KIND_KEYWORD, "draft", true),
    FIXED(KEYWORD_ANSWERED, KIND_KEYWORD, "answered", true),
    FIXED(KEYWORD_FORWARDED, KIND_KEYWORD, "forwarded", true),
};

static const struct mail_report report = {
    .name = "Microsoft Outlook",
    .local = "MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e",
    .subject = "Undeliverable: ",
    .mark = "X-MS-Exchange-Message-Is-Ndr",
    .status = "5.1.10",
    .diagnostic = "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address "
                  "lookup",
    .says = "Delivery has failed to these recipients or groups:",
};

const struct mail_vendor outlook_vendor = {
    .name = "microsoft",
    .exclusive = true,
    .tree = true,
    .fixed = places,
    .n_fixed = SOSIA_LEN(places),
    .keywords = (enum mail_place)FOLDER_CATEGORIES,
    .message_key = message_key,
    .report = &report,
    .rules = outlook_rules,
    .answer = outlook_answer,
    .object_came = outlook_object_came,
    .message_gone = outlook_message_gone,
    .group_came = outlook_group_came,
    .folder_gone = outlook_folder_gone,
};
