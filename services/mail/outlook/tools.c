/* SPDX-License-Identifier: Apache-2.0 */
/* What models find of Outlook Mail: short arguments. */
#include "services/mail/outlook/outlook.h"

#define PAGE "$top $select $filter $orderby $search "
#define MESSAGE(p)                                                                                 \
    p "subject " p "body " p "toRecipients " p "ccRecipients " p "bccRecipients " p "importance "

static const struct tool_common common[] = {
    {"outlook.messages.list", PAGE "mailFolder-id"},
    {"outlook.messages.get", "$select $expand"},
    {"outlook.messages.create", MESSAGE("body.") "mailFolder-id"},
    {"outlook.messages.update", MESSAGE("body.") "body.isRead body.categories body.flag"},
    {"outlook.messages.delete", ""},
    {"outlook.messages.move", "body.destinationId"},
    {"outlook.messages.send", ""},
    {"outlook.sendMail", MESSAGE("body.message.") "body.saveToSentItems"},
    {"outlook.messages.reply", "body.comment"},
    {"outlook.messages.replyAll", "body.comment"},
    {"outlook.messages.forward", "body.comment body.toRecipients"},
    {"outlook.messages.createReply", "body.comment"},
    {"outlook.messages.attachments.list", ""},
    {"outlook.messages.attachments.get", ""},
    {"outlook.mailFolders.list", "$top"},
    {"outlook.mailFolders.create", "body.displayName"},
    {"outlook.messageRules.list", ""},
    {"outlook.messageRules.create",
     "body.displayName body.sequence body.conditions body.exceptions body.actions"},
    {"outlook.mailboxSettings.update", "body.automaticRepliesSetting body.timeZone"},
    {NULL},
};

const struct dialect_tools outlook_tools = {
    .name = "outlook_mail",
    .title = "Outlook Mail",
    .place = 7,
    .fields = "$select",
    .by_address = true,
    .services = ACCOUNT_MAIL,
    .common = common,
};
