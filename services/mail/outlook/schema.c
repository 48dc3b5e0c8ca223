/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of Outlook Mail's methods, under their names with the namespace: what clients may give. */
#include "services/mail/outlook/schema.h"

#define G           "microsoft.graph."
#define VALUES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define TEXT(n)                                                                                    \
    {                                                                                              \
        .name = n, .type = "string", .nullable = true                                              \
    }
#define FLAG_(n)                                                                                   \
    {                                                                                              \
        .name = n, .type = "boolean", .nullable = true                                             \
    }
#define NUMBER(n)                                                                                  \
    {                                                                                              \
        .name = n, .type = "integer", .format = "int32", .nullable = true                          \
    }
#define TYPED(n, t)                                                                                \
    {                                                                                              \
        .name = n, .type = G t, .nullable = true                                                   \
    }
#define LIST(n, t)                                                                                 \
    {                                                                                              \
        .name = n, .type = t, .list = true, .nullable = true                                       \
    }
#define MADE(n, t)                                                                                 \
    {                                                                                              \
        .name = n, .type = t, .read_only = true, .nullable = true                                  \
    }
#define ONE_OF(n, ...)                                                                             \
    {                                                                                              \
        .name = n, .type = "string", .nullable = true, .values = VALUES(__VA_ARGS__)               \
    }
#define SAID(n)                                                                                    \
    {                                                                                              \
        .name = n, .type = "string", .read_only = true                                             \
    }
/* clang-format off */
#define ODATA_TYPE    {.name = "@odata.type", .type = "string"}
#define ANSWERED      SAID("@odata.context"), SAID("@odata.etag"), ODATA_TYPE

static const struct field email_address[] = {TEXT("address"), TEXT("name")};
static const struct field recipient[] = {ODATA_TYPE, TYPED("emailAddress", "emailAddress")};
static const struct field item_body[] = {ODATA_TYPE, TEXT("content"), TEXT("contentType")};
static const struct field date_time[] = {ODATA_TYPE, TEXT("dateTime"), TEXT("timeZone")};
static const struct field followup_flag[] = {
    ODATA_TYPE, TYPED("completedDateTime", "dateTimeTimeZone"), TYPED("dueDateTime", "dateTimeTimeZone"),
    ONE_OF("flagStatus", "notFlagged", "complete", "flagged"), TYPED("startDateTime", "dateTimeTimeZone")};
static const struct field header[] = {TEXT("name"), TEXT("value")};
static const struct field property[] = {ODATA_TYPE, TEXT("id"), {.name = "value", .type = "any", .nullable = true}};
static const struct field attachment[] = {
    ANSWERED, SAID("@odata.mediaContentType"), TEXT("contentBytes"), TEXT("contentId"), TEXT("contentLocation"), TEXT("contentType"),
    MADE("id", "string"), FLAG_("isFolder"), FLAG_("isInline"), {.name = "item", .type = "any", .nullable = true},
    SAID("item@odata.associationLink"), SAID("item@odata.navigationLink"), MADE("lastModifiedDateTime", "string"), TEXT("name"),
    TEXT("permission"), TEXT("previewUrl"), TEXT("providerType"), NUMBER("size"), TEXT("sourceUrl"), TEXT("thumbnailUrl")};
static const struct field mention[] = {
    ANSWERED, TEXT("application"), TEXT("clientReference"), MADE("createdBy", G "emailAddress"), TEXT("createdDateTime"), TEXT("deepLink"),
    TEXT("id"), {.name = "mentioned", .type = G "emailAddress"}, TEXT("mentionText"), MADE("serverCreatedDateTime", "string")};
static const struct field message[] = {
    ANSWERED,
    LIST("attachments", G "attachment"), LIST("bccRecipients", G "recipient"), TYPED("body", "itemBody"),
    MADE("bodyPreview", "string"), LIST("categories", "string"), LIST("ccRecipients", G "recipient"),
    MADE("changeKey", "string"), MADE("conversationId", "string"), MADE("conversationIndex", "string"),
    MADE("createdDateTime", "string"), {.name = "extensions", .type = "any", .list = true},
    MADE("meetingMessageType", "string"), MADE("type", "string"), MADE("isOutOfDate", "boolean"), MADE("isAllDay", "boolean"),
    MADE("isDelegated", "boolean"), MADE("responseRequested", "boolean"),
    MADE("allowNewTimeProposals", "boolean"),
    MADE("meetingRequestType", "string"), MADE("responseType", "string"), MADE("startDateTime", "any"), MADE("endDateTime", "any"), MADE("location", "any"),
    MADE("recurrence", "any"), MADE("previousLocation", "any"), MADE("previousStartDateTime", "any"), MADE("previousEndDateTime", "any"),
    MADE("proposedNewTime", "any"), MADE("event@odata.associationLink", "string"), MADE("event@odata.navigationLink", "string"), MADE("event", "any"),
    TYPED("flag", "followupFlag"), TYPED("from", "recipient"), MADE("hasAttachments", "boolean"),
    MADE("id", "string"), ONE_OF("importance", "low", "normal", "high"),
    ONE_OF("inferenceClassification", "focused", "other"),
    LIST("internetMessageHeaders", G "internetMessageHeader"), TEXT("internetMessageId"),
    LIST("mentions", G "mention"), MADE("mentionsPreview", "any"),
    FLAG_("isDeliveryReceiptRequested"), MADE("isDraft", "boolean"), FLAG_("isRead"),
    FLAG_("isReadReceiptRequested"), MADE("lastModifiedDateTime", "string"),
    LIST("multiValueExtendedProperties", G "extendedProperty"), MADE("parentFolderId", "string"),
    MADE("receivedDateTime", "string"), LIST("replyTo", G "recipient"), TYPED("sender", "recipient"),
    MADE("sentDateTime", "string"), LIST("singleValueExtendedProperties", G "extendedProperty"),
    TEXT("subject"), {.name = "@removed", .type = "any", .read_only = true}, LIST("toRecipients", G "recipient"), MADE("uniqueBody", "any"), MADE("webLink", "string")};
static const struct field mail_folder[] = {
    ANSWERED, MADE("childFolderCount", "integer"), {.name = "@removed", .type = "any", .read_only = true}, {.name = "childFolders", .type = G "mailFolder", .list = true, .read_only = true}, TEXT("displayName"), TEXT("filterQuery"), MADE("id", "string"),
    FLAG_("includeNestedFolders"), FLAG_("isHidden"), MADE("isSupported", "boolean"), MADE("parentFolderId", "string"),
    MADE("sizeInBytes", "integer"), LIST("sourceFolderIds", "string"), MADE("totalItemCount", "integer"),
    MADE("unreadItemCount", "integer"), MADE("wellKnownName", "string")};
static const struct field attachment_item[] = {
    ODATA_TYPE, ONE_OF("attachmentType", "file", "item", "reference"), TEXT("contentId"), TEXT("contentType"),
    FLAG_("isInline"), TEXT("name"), {.name = "size", .type = "integer", .format = "int64", .nullable = true}};
static const struct field create_session[] = {{.name = "AttachmentItem", .type = G "attachmentItem", .nullable = true}};
static const struct field upload_session[] = {
    SAID("@odata.context"), SAID("expirationDateTime"), {.name = "nextExpectedRanges", .type = "string", .list = true}, SAID("uploadUrl")};
static const struct field attachment_session[] = {
    SAID("@odata.context"), SAID("ExpirationDateTime"), {.name = "NextExpectedRanges", .type = "string", .list = true}};
static const struct field destination[] = {TEXT("destinationId")};
static const struct field send_mail[] = {TYPED("message", "message"), FLAG_("saveToSentItems")};
static const struct field reply[] = {TEXT("comment"), TYPED("message", "message")};
static const struct field forward[] = {TEXT("comment"), TYPED("message", "message"), LIST("toRecipients", G "recipient")};
static const struct field post[] = {
    ANSWERED, LIST("attachments", G "attachment"), TYPED("body", "itemBody"), LIST("categories", "string"), MADE("changeKey", "string"),
    MADE("conversationId", "string"), MADE("conversationThreadId", "string"), MADE("createdDateTime", "string"), LIST("extensions", "any"),
    TYPED("from", "recipient"), MADE("hasAttachments", "boolean"), MADE("id", "string"), {.name = "inReplyTo", .type = "any", .nullable = true},
    MADE("lastModifiedDateTime", "string"), LIST("multiValueExtendedProperties", "any"), LIST("newParticipants", G "recipient"),
    MADE("receivedDateTime", "string"), TYPED("sender", "recipient"), LIST("singleValueExtendedProperties", "any")};
static const struct field post_reply[] = {TYPED("post", "post")};
static const struct field thread[] = {
    ANSWERED, LIST("ccRecipients", G "recipient"), MADE("hasAttachments", "boolean"), MADE("id", "string"), FLAG_("isLocked"),
    MADE("lastDeliveredDateTime", "string"), LIST("posts", G "post"), MADE("preview", "string"), LIST("toRecipients", G "recipient"),
    TEXT("topic"), LIST("uniqueSenders", "string")};
static const struct field conversation[] = {
    ANSWERED, MADE("hasAttachments", "boolean"), MADE("id", "string"), MADE("lastDeliveredDateTime", "string"), MADE("preview", "string"),
    LIST("threads", G "conversationThread"), TEXT("topic"), LIST("uniqueSenders", "string")};
static const struct field size_range[] = {NUMBER("maximumSize"), NUMBER("minimumSize")};
static const struct field rule_predicates[] = {
    ODATA_TYPE, LIST("bodyContains", "string"), LIST("bodyOrSubjectContains", "string"), LIST("categories", "string"),
    LIST("fromAddresses", G "recipient"), FLAG_("hasAttachments"), LIST("headerContains", "string"),
    ONE_OF("importance", "low", "normal", "high"), FLAG_("isApprovalRequest"), FLAG_("isAutomaticForward"),
    FLAG_("isAutomaticReply"), FLAG_("isEncrypted"), FLAG_("isMeetingRequest"), FLAG_("isMeetingResponse"),
    FLAG_("isNonDeliveryReport"), FLAG_("isPermissionControlled"), FLAG_("isReadReceipt"), FLAG_("isSigned"),
    FLAG_("isVoicemail"), TEXT("messageActionFlag"), FLAG_("notSentToMe"), LIST("recipientContains", "string"),
    LIST("senderContains", "string"), TEXT("sensitivity"), FLAG_("sentCcMe"), FLAG_("sentOnlyToMe"),
    LIST("sentToAddresses", G "recipient"), FLAG_("sentToMe"), FLAG_("sentToOrCcMe"),
    LIST("subjectContains", "string"), TYPED("withinSizeRange", "sizeRange")};
static const struct field rule_actions[] = {
    ODATA_TYPE, LIST("assignCategories", "string"), TEXT("copyToFolder"), FLAG_("delete"),
    LIST("forwardAsAttachmentTo", G "recipient"), LIST("forwardTo", G "recipient"), FLAG_("markAsRead"),
    ONE_OF("markImportance", "low", "normal", "high"), TEXT("moveToFolder"), FLAG_("permanentDelete"),
    LIST("redirectTo", G "recipient"), FLAG_("stopProcessingRules")};
static const struct field message_rule[] = {
    ANSWERED, TYPED("actions", "messageRuleActions"), TYPED("conditions", "messageRulePredicates"),
    TEXT("displayName"), TYPED("exceptions", "messageRulePredicates"), MADE("hasError", "boolean"), MADE("id", "string"),
    FLAG_("isEnabled"), MADE("isReadOnly", "boolean"), NUMBER("sequence")};
static const struct field category[] = {ANSWERED, TEXT("color"), TEXT("displayName"), MADE("id", "string")};
static const struct field override[] = {
    ANSWERED, ONE_OF("classifyAs", "focused", "other"), MADE("id", "string"),
    TYPED("senderEmailAddress", "emailAddress")};
static const struct field automatic_replies[] = {
    ANSWERED, TEXT("externalAudience"), TEXT("externalReplyMessage"), TEXT("internalReplyMessage"),
    TYPED("scheduledEndDateTime", "dateTimeTimeZone"), TYPED("scheduledStartDateTime", "dateTimeTimeZone"),
    TEXT("status")};
static const struct field locale[] = {ANSWERED, TEXT("displayName"), TEXT("locale")};
static const struct field time_zone[] = {ODATA_TYPE, TEXT("name")};
static const struct field working_hours[] = {
    ANSWERED, LIST("daysOfWeek", "string"), TEXT("endTime"), TEXT("startTime"), TYPED("timeZone", "timeZoneBase")};
static const struct field mailbox_settings[] = {
    ANSWERED, MADE("archiveFolder", "string"), TYPED("automaticRepliesSetting", "automaticRepliesSetting"),
    TEXT("dateFormat"), TEXT("delegateMeetingMessageDeliveryOptions"), TYPED("language", "localeInfo"),
    TEXT("timeFormat"), TEXT("timeZone"), MADE("userPurpose", "any"), TYPED("workingHours", "workingHours")};
static const struct field translated[] = {{.name = "errorDetails", .type = "any"}, SAID("sourceId"), SAID("targetId")};
static const struct field translate_ids[] = {LIST("inputIds", "string"), TEXT("sourceIdType"), TEXT("targetIdType")};
static const struct field zone_information[] = {SAID("alias"), SAID("displayName")};
static const struct field mail_tips[] = {LIST("emailAddresses", "string"), TEXT("mailTipsOptions")};


#define COLLECTION(table, t)                                                                       \
    static const struct field table[] = {                                                          \
        SAID("@odata.context"), {.name = "@odata.count", .type = "integer"},                       \
        SAID("@odata.deltaLink"), SAID("@odata.nextLink"), {.name = "value", .type = G t, .list = true}}
COLLECTION(list_of_attachment, "attachment");
COLLECTION(list_of_convertIdResult, "convertIdResult");
COLLECTION(list_of_inferenceClassificationOverride, "inferenceClassificationOverride");
COLLECTION(list_of_localeInfo, "localeInfo");
COLLECTION(list_of_mailFolder, "mailFolder");
COLLECTION(list_of_mailTips, "mailTips");
COLLECTION(list_of_message, "message");
COLLECTION(list_of_messageRule, "messageRule");
COLLECTION(list_of_outlookCategory, "outlookCategory");
COLLECTION(list_of_timeZoneInformation, "timeZoneInformation");
COLLECTION(list_of_mention, "mention");
COLLECTION(list_of_conversation, "conversation");
COLLECTION(list_of_thread, "conversationThread");
COLLECTION(list_of_post, "post");
static const struct field tips_answer[] = {
    ODATA_TYPE, {.name = "automaticReplies", .type = "any"}, TYPED("emailAddress", "emailAddress"), FLAG_("mailboxFull"),
    NUMBER("maxMessageSize"), TEXT("customMailTip"), NUMBER("externalMemberCount"), NUMBER("totalMemberCount"),
    FLAG_("deliveryRestricted"), FLAG_("isModerated"), TEXT("recipientScope")};
static const struct field setting_answer[] = {
    ANSWERED, {.name = "value", .type = "any"}, TEXT("externalAudience"), TEXT("externalReplyMessage"),
    TEXT("internalReplyMessage"), TYPED("scheduledEndDateTime", "dateTimeTimeZone"),
    TYPED("scheduledStartDateTime", "dateTimeTimeZone"), TEXT("status"), TEXT("locale"), TEXT("displayName"),
    LIST("daysOfWeek", "string"), TEXT("endTime"), TEXT("startTime"), TYPED("timeZone", "timeZoneBase")};

#define SHAPE(n, table) {.name = G n, .fields = table, .n_fields = SOSIA_LEN(table)}

const struct schema outlook_schemas[OUTLOOK_SCHEMAS] = {
    SHAPE("attachment", attachment),
    SHAPE("attachment.createUploadSession", create_session),
    SHAPE("attachmentCollection", list_of_attachment),
    SHAPE("attachmentItem", attachment_item),
    SHAPE("attachmentSession", attachment_session),
    SHAPE("automaticRepliesSetting", automatic_replies),
    SHAPE("conversation", conversation),
    SHAPE("conversationCollection", list_of_conversation),
    SHAPE("conversationThread", thread),
    SHAPE("conversationThreadCollection", list_of_thread),
    SHAPE("convertIdResult", translated),
    SHAPE("convertIdResultCollection", list_of_convertIdResult),
    SHAPE("dateTimeTimeZone", date_time),
    SHAPE("destination", destination),
    SHAPE("emailAddress", email_address),
    SHAPE("extendedProperty", property),
    SHAPE("followupFlag", followup_flag),
    SHAPE("forward", forward),
    SHAPE("getMailTips", mail_tips),
    SHAPE("inferenceClassificationOverride", override),
    SHAPE("inferenceClassificationOverrideCollection", list_of_inferenceClassificationOverride),
    SHAPE("internetMessageHeader", header),
    SHAPE("itemBody", item_body),
    SHAPE("localeInfo", locale),
    SHAPE("localeInfoCollection", list_of_localeInfo),
    SHAPE("mailFolder", mail_folder),
    SHAPE("mailFolderCollection", list_of_mailFolder),
    SHAPE("mailTips", tips_answer),
    SHAPE("mailTipsCollection", list_of_mailTips),
    SHAPE("mailboxSetting", setting_answer),
    SHAPE("mailboxSettings", mailbox_settings),
    SHAPE("mention", mention),
    SHAPE("mentionCollection", list_of_mention),
    SHAPE("message", message),
    SHAPE("messageCollection", list_of_message),
    SHAPE("messageRule", message_rule),
    SHAPE("messageRuleActions", rule_actions),
    SHAPE("messageRuleCollection", list_of_messageRule),
    SHAPE("messageRulePredicates", rule_predicates),
    SHAPE("outlookCategory", category),
    SHAPE("outlookCategoryCollection", list_of_outlookCategory),
    SHAPE("post", post),
    SHAPE("post.reply", post_reply),
    SHAPE("postCollection", list_of_post),
    SHAPE("recipient", recipient),
    SHAPE("reply", reply),
    SHAPE("sendMail", send_mail),
    SHAPE("sizeRange", size_range),
    SHAPE("timeZoneBase", time_zone),
    SHAPE("timeZoneInformation", zone_information),
    SHAPE("timeZoneInformationCollection", list_of_timeZoneInformation),
    SHAPE("translateExchangeIds", translate_ids),
    SHAPE("uploadSession", upload_session),
    SHAPE("workingHours", working_hours),
};
/* clang-format on */
