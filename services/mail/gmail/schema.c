/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bodies of Gmail API v1 (discovery revision 20240520, with what 20260907 added): names, types
 * and flags. Request bodies and partial responses are checked against them and the discovery
 * document is made of them.
 */
#include "services/mail/gmail/schema.h"

#define VALUES(...)   ((const char *const[]){__VA_ARGS__, NULL})
#define FIELDS(table) .fields = (table), .n_fields = SOSIA_LEN(table)

static const struct field auto_forwarding[] = {
    {.name = "disposition",
     .type = "string",
     .values = VALUES("dispositionUnspecified", "leaveInInbox", "archive", "trash", "markRead")},
    {.name = "emailAddress", .type = "string"},
    {.name = "enabled", .type = "boolean"},
};

static const struct field batch_delete_messages_request[] = {
    {.name = "ids", .type = "string", .list = true},
};

static const struct field batch_modify_messages_request[] = {
    {.name = "addLabelIds", .type = "string", .list = true},
    {.name = "ids", .type = "string", .list = true},
    {.name = "removeLabelIds", .type = "string", .list = true},
    {.name = "addClassificationLabels", .type = "ClassificationLabelValue", .list = true},
    {.name = "removeClassificationLabelIds", .type = "string", .list = true},
};

static const struct field classification_label_field_value[] = {
    {.name = "fieldId", .type = "string"},
    {.name = "selection", .type = "string"},
};

static const struct field classification_label_value[] = {
    {.name = "fields", .type = "ClassificationLabelFieldValue", .list = true},
    {.name = "labelId", .type = "string"},
};

static const struct field cse_identity[] = {
    {.name = "emailAddress", .type = "string"},
    {.name = "primaryKeyPairId", .type = "string"},
    {.name = "signAndEncryptKeyPairs", .type = "SignAndEncryptKeyPairs"},
};

static const struct field cse_key_pair[] = {
    {.name = "disableTime", .type = "string", .format = "google-datetime", .read_only = true},
    {.name = "enablementState",
     .type = "string",
     .read_only = true,
     .values = VALUES("stateUnspecified", "enabled", "disabled")},
    {.name = "keyPairId", .type = "string", .read_only = true, .immutable = true},
    {.name = "pem", .type = "string", .read_only = true},
    {.name = "pkcs7", .type = "string"},
    {.name = "privateKeyMetadata", .type = "CsePrivateKeyMetadata", .list = true},
    {.name = "subjectEmailAddresses", .type = "string", .list = true, .read_only = true},
};

static const struct field cse_private_key_metadata[] = {
    {.name = "hardwareKeyMetadata", .type = "HardwareKeyMetadata"},
    {.name = "kaclsKeyMetadata", .type = "KaclsKeyMetadata"},
    {.name = "privateKeyMetadataId", .type = "string", .read_only = true, .immutable = true},
};

static const struct field delegate[] = {
    {.name = "delegateEmail", .type = "string"},
    {.name = "verificationStatus",
     .type = "string",
     .read_only = true,
     .values =
         VALUES("verificationStatusUnspecified", "accepted", "pending", "rejected", "expired")},
};

static const struct field draft[] = {
    {.name = "id", .type = "string", .immutable = true, .required_for = "gmail.users.drafts.send"},
    {.name = "message", .type = "Message"},
};

static const struct field filter[] = {
    {.name = "action", .type = "FilterAction"},
    {.name = "criteria", .type = "FilterCriteria"},
    {.name = "id", .type = "string"},
};

static const struct field filter_action[] = {
    {.name = "addLabelIds", .type = "string", .list = true},
    {.name = "forward", .type = "string"},
    {.name = "removeLabelIds", .type = "string", .list = true},
};

static const struct field filter_criteria[] = {
    {.name = "excludeChats", .type = "boolean"},
    {.name = "from", .type = "string"},
    {.name = "hasAttachment", .type = "boolean"},
    {.name = "negatedQuery", .type = "string"},
    {.name = "query", .type = "string"},
    {.name = "size", .type = "integer", .format = "int32"},
    {.name = "sizeComparison",
     .type = "string",
     .values = VALUES("unspecified", "smaller", "larger")},
    {.name = "subject", .type = "string"},
    {.name = "to", .type = "string"},
};

static const struct field forwarding_address[] = {
    {.name = "forwardingEmail", .type = "string"},
    {.name = "verificationStatus",
     .type = "string",
     .read_only = true,
     .values = VALUES("verificationStatusUnspecified", "accepted", "pending")},
};

static const struct field hardware_key_metadata[] = {
    {.name = "description", .type = "string"},
};

static const struct field history[] = {
    {.name = "id", .type = "string", .format = "uint64"},
    {.name = "labelsAdded", .type = "HistoryLabelAdded", .list = true},
    {.name = "labelsRemoved", .type = "HistoryLabelRemoved", .list = true},
    {.name = "messages", .type = "Message", .list = true},
    {.name = "messagesAdded", .type = "HistoryMessageAdded", .list = true},
    {.name = "messagesDeleted", .type = "HistoryMessageDeleted", .list = true},
};

static const struct field history_label_added[] = {
    {.name = "labelIds", .type = "string", .list = true},
    {.name = "message", .type = "Message"},
};

static const struct field history_label_removed[] = {
    {.name = "labelIds", .type = "string", .list = true},
    {.name = "message", .type = "Message"},
};

static const struct field history_message_added[] = {
    {.name = "message", .type = "Message"},
};

static const struct field history_message_deleted[] = {
    {.name = "message", .type = "Message"},
};

static const struct field imap_settings[] = {
    {.name = "autoExpunge", .type = "boolean"},
    {.name = "enabled", .type = "boolean"},
    {.name = "expungeBehavior",
     .type = "string",
     .values = VALUES("expungeBehaviorUnspecified", "archive", "trash", "deleteForever")},
    {.name = "maxFolderSize", .type = "integer", .format = "int32"},
};

static const struct field kacls_key_metadata[] = {
    {.name = "kaclsData", .type = "string"},
    {.name = "kaclsUri", .type = "string"},
};

static const struct field label[] = {
    {.name = "color", .type = "LabelColor"},
    {.name = "id",
     .type = "string",
     .immutable = true,
     .required_for = "gmail.users.labels.update"},
    {.name = "labelListVisibility",
     .type = "string",
     .values = VALUES("labelShow", "labelShowIfUnread", "labelHide"),
     .required_for = "gmail.users.labels.create gmail.users.labels.update"},
    {.name = "messageListVisibility",
     .type = "string",
     .values = VALUES("show", "hide"),
     .required_for = "gmail.users.labels.create gmail.users.labels.update"},
    {.name = "messagesTotal", .type = "integer", .format = "int32"},
    {.name = "messagesUnread", .type = "integer", .format = "int32"},
    {.name = "name",
     .type = "string",
     .required_for = "gmail.users.labels.create gmail.users.labels.update"},
    {.name = "threadsTotal", .type = "integer", .format = "int32"},
    {.name = "threadsUnread", .type = "integer", .format = "int32"},
    {.name = "type", .type = "string", .values = VALUES("system", "user")},
};

static const struct field label_color[] = {
    {.name = "backgroundColor", .type = "string"},
    {.name = "textColor", .type = "string"},
};

static const struct field language_settings[] = {
    {.name = "displayLanguage", .type = "string"},
};

static const struct field list_cse_identities_response[] = {
    {.name = "cseIdentities", .type = "CseIdentity", .list = true},
    {.name = "nextPageToken", .type = "string"},
};

static const struct field list_cse_key_pairs_response[] = {
    {.name = "cseKeyPairs", .type = "CseKeyPair", .list = true},
    {.name = "nextPageToken", .type = "string"},
};

static const struct field list_delegates_response[] = {
    {.name = "delegates", .type = "Delegate", .list = true},
};

static const struct field list_drafts_response[] = {
    {.name = "drafts", .type = "Draft", .list = true},
    {.name = "nextPageToken", .type = "string"},
    {.name = "resultSizeEstimate", .type = "integer", .format = "uint32"},
};

static const struct field list_filters_response[] = {
    {.name = "filter", .type = "Filter", .list = true},
};

static const struct field list_forwarding_addresses_response[] = {
    {.name = "forwardingAddresses", .type = "ForwardingAddress", .list = true},
};

static const struct field list_history_response[] = {
    {.name = "history", .type = "History", .list = true},
    {.name = "historyId", .type = "string", .format = "uint64"},
    {.name = "nextPageToken", .type = "string"},
};

static const struct field list_labels_response[] = {
    {.name = "labels", .type = "Label", .list = true},
};

static const struct field list_messages_response[] = {
    {.name = "messages", .type = "Message", .list = true},
    {.name = "nextPageToken", .type = "string"},
    {.name = "resultSizeEstimate", .type = "integer", .format = "uint32"},
};

static const struct field list_send_as_response[] = {
    {.name = "sendAs", .type = "SendAs", .list = true},
};

static const struct field list_smime_info_response[] = {
    {.name = "smimeInfo", .type = "SmimeInfo", .list = true},
};

static const struct field list_threads_response[] = {
    {.name = "nextPageToken", .type = "string"},
    {.name = "resultSizeEstimate", .type = "integer", .format = "uint32"},
    {.name = "threads", .type = "Thread", .list = true},
};

static const struct field message[] = {
    {.name = "historyId", .type = "string", .format = "uint64"},
    {.name = "id", .type = "string", .immutable = true},
    {.name = "internalDate", .type = "string", .format = "int64"},
    {.name = "labelIds", .type = "string", .list = true},
    {.name = "payload", .type = "MessagePart"},
    {.name = "raw",
     .type = "string",
     .format = "byte",
     .required_for = "gmail.users.drafts.create gmail.users.drafts.update "
                     "gmail.users.messages.insert gmail.users.messages.send"},
    {.name = "sizeEstimate", .type = "integer", .format = "int32"},
    {.name = "snippet", .type = "string"},
    {.name = "threadId", .type = "string"},
    {.name = "classificationLabelValues", .type = "ClassificationLabelValue", .list = true},
};

static const struct field message_part[] = {
    {.name = "body", .type = "MessagePartBody"},
    {.name = "filename", .type = "string"},
    {.name = "headers", .type = "MessagePartHeader", .list = true},
    {.name = "mimeType", .type = "string"},
    {.name = "partId", .type = "string", .immutable = true},
    {.name = "parts", .type = "MessagePart", .list = true},
};

static const struct field message_part_body[] = {
    {.name = "attachmentId", .type = "string"},
    {.name = "data", .type = "string", .format = "byte"},
    {.name = "size", .type = "integer", .format = "int32"},
};

static const struct field message_part_header[] = {
    {.name = "name", .type = "string"},
    {.name = "value", .type = "string"},
};

static const struct field modify_message_request[] = {
    {.name = "addLabelIds", .type = "string", .list = true},
    {.name = "removeLabelIds", .type = "string", .list = true},
    {.name = "addClassificationLabels", .type = "ClassificationLabelValue", .list = true},
    {.name = "removeClassificationLabelIds", .type = "string", .list = true},
};

static const struct field modify_thread_request[] = {
    {.name = "addLabelIds", .type = "string", .list = true},
    {.name = "removeLabelIds", .type = "string", .list = true},
};

static const struct field pop_settings[] = {
    {.name = "accessWindow",
     .type = "string",
     .values = VALUES("accessWindowUnspecified", "disabled", "fromNowOn", "allMail")},
    {.name = "disposition",
     .type = "string",
     .values = VALUES("dispositionUnspecified", "leaveInInbox", "archive", "trash", "markRead")},
};

static const struct field profile[] = {
    {.name = "emailAddress", .type = "string"},
    {.name = "historyId", .type = "string", .format = "uint64"},
    {.name = "messagesTotal", .type = "integer", .format = "int32"},
    {.name = "threadsTotal", .type = "integer", .format = "int32"},
};

static const struct field send_as[] = {
    {.name = "displayName", .type = "string"},
    {.name = "isDefault", .type = "boolean"},
    {.name = "isPrimary", .type = "boolean", .read_only = true},
    {.name = "replyToAddress", .type = "string"},
    {.name = "sendAsEmail", .type = "string", .read_only = true},
    {.name = "signature", .type = "string"},
    {.name = "smtpMsa", .type = "SmtpMsa"},
    {.name = "treatAsAlias", .type = "boolean"},
    {.name = "verificationStatus",
     .type = "string",
     .read_only = true,
     .values = VALUES("verificationStatusUnspecified", "accepted", "pending")},
};

static const struct field sign_and_encrypt_key_pairs[] = {
    {.name = "encryptionKeyPairId", .type = "string"},
    {.name = "signingKeyPairId", .type = "string"},
};

static const struct field smime_info[] = {
    {.name = "encryptedKeyPassword", .type = "string"},
    {.name = "expiration", .type = "string", .format = "int64"},
    {.name = "id", .type = "string", .immutable = true},
    {.name = "isDefault", .type = "boolean"},
    {.name = "issuerCn", .type = "string"},
    {.name = "pem", .type = "string"},
    {.name = "pkcs12", .type = "string", .format = "byte"},
};

static const struct field smtp_msa[] = {
    {.name = "host", .type = "string"},
    {.name = "password", .type = "string"},
    {.name = "port", .type = "integer", .format = "int32"},
    {.name = "securityMode",
     .type = "string",
     .values = VALUES("securityModeUnspecified", "none", "ssl", "starttls")},
    {.name = "username", .type = "string"},
};

static const struct field thread[] = {
    {.name = "historyId", .type = "string", .format = "uint64"},
    {.name = "id", .type = "string"},
    {.name = "messages", .type = "Message", .list = true},
    {.name = "snippet", .type = "string"},
};

static const struct field vacation_settings[] = {
    {.name = "enableAutoReply", .type = "boolean"},
    {.name = "endTime", .type = "string", .format = "int64"},
    {.name = "responseBodyHtml", .type = "string"},
    {.name = "responseBodyPlainText", .type = "string"},
    {.name = "responseSubject", .type = "string"},
    {.name = "restrictToContacts", .type = "boolean"},
    {.name = "restrictToDomain", .type = "boolean"},
    {.name = "startTime", .type = "string", .format = "int64"},
};

static const struct field watch_request[] = {
    {.name = "labelFilterAction",
     .type = "string",
     .deprecated = true,
     .values = VALUES("include", "exclude")},
    {.name = "labelFilterBehavior", .type = "string", .values = VALUES("include", "exclude")},
    {.name = "labelIds", .type = "string", .list = true},
    {.name = "topicName", .type = "string"},
};

static const struct field watch_response[] = {
    {.name = "expiration", .type = "string", .format = "int64"},
    {.name = "historyId", .type = "string", .format = "uint64"},
};

const struct schema gmail_schemas[56] = {
    {.name = "AutoForwarding", FIELDS(auto_forwarding), .summary = "Where new mail is forwarded"},
    {.name = "BatchDeleteMessagesRequest",
     FIELDS(batch_delete_messages_request),
     .summary = "Messages to delete"},
    {.name = "BatchModifyMessagesRequest",
     FIELDS(batch_modify_messages_request),
     .summary = "Messages, and labels to add to them and remove from them"},
    {.name = "ClassificationLabelFieldValue",
     FIELDS(classification_label_field_value),
     .summary = "A field of a classification label"},
    {.name = "ClassificationLabelValue",
     FIELDS(classification_label_value),
     .summary = "A classification label of a message"},
    {.name = "CseIdentity",
     FIELDS(cse_identity),
     .summary = "An identity for client-side encryption"},
    {.name = "CseKeyPair", FIELDS(cse_key_pair), .summary = "A key pair of client-side encryption"},
    {.name = "CsePrivateKeyMetadata",
     FIELDS(cse_private_key_metadata),
     .summary = "Where a private key is kept"},
    {.name = "Delegate", FIELDS(delegate), .summary = "Somebody who may use the mailbox"},
    {.name = "DisableCseKeyPairRequest", .summary = "Turns a key pair off"},
    {.name = "Draft", FIELDS(draft), .summary = "A message that is being written"},
    {.name = "EnableCseKeyPairRequest", .summary = "Turns a key pair on"},
    {.name = "Filter", FIELDS(filter), .summary = "What is done with mail that matches"},
    {.name = "FilterAction", FIELDS(filter_action), .summary = "What a filter does"},
    {.name = "FilterCriteria", FIELDS(filter_criteria), .summary = "What a filter looks for"},
    {.name = "ForwardingAddress",
     FIELDS(forwarding_address),
     .summary = "An address that mail may be forwarded to"},
    {.name = "HardwareKeyMetadata",
     FIELDS(hardware_key_metadata),
     .summary = "A private key on a smart card"},
    {.name = "History", FIELDS(history), .summary = "A change of the mailbox"},
    {.name = "HistoryLabelAdded", FIELDS(history_label_added), .summary = "A message got labels"},
    {.name = "HistoryLabelRemoved",
     FIELDS(history_label_removed),
     .summary = "A message lost labels"},
    {.name = "HistoryMessageAdded", FIELDS(history_message_added), .summary = "A message came"},
    {.name = "HistoryMessageDeleted",
     FIELDS(history_message_deleted),
     .summary = "A message was deleted for good"},
    {.name = "ImapSettings", FIELDS(imap_settings), .summary = "Access over IMAP"},
    {.name = "KaclsKeyMetadata",
     FIELDS(kacls_key_metadata),
     .summary = "A private key that a key service keeps"},
    {.name = "Label", FIELDS(label), .summary = "A label of the mailbox"},
    {.name = "LabelColor", FIELDS(label_color), .summary = "Colours of a label"},
    {.name = "LanguageSettings", FIELDS(language_settings), .summary = "The language of the pages"},
    {.name = "ListCseIdentitiesResponse",
     FIELDS(list_cse_identities_response),
     .summary = "One page of identities"},
    {.name = "ListCseKeyPairsResponse",
     FIELDS(list_cse_key_pairs_response),
     .summary = "One page of key pairs"},
    {.name = "ListDelegatesResponse", FIELDS(list_delegates_response), .summary = "All delegates"},
    {.name = "ListDraftsResponse", FIELDS(list_drafts_response), .summary = "One page of drafts"},
    {.name = "ListFiltersResponse", FIELDS(list_filters_response), .summary = "All filters"},
    {.name = "ListForwardingAddressesResponse",
     FIELDS(list_forwarding_addresses_response),
     .summary = "All forwarding addresses"},
    {.name = "ListHistoryResponse",
     FIELDS(list_history_response),
     .summary = "One page of changes"},
    {.name = "ListLabelsResponse", FIELDS(list_labels_response), .summary = "All labels"},
    {.name = "ListMessagesResponse",
     FIELDS(list_messages_response),
     .summary = "One page of messages"},
    {.name = "ListSendAsResponse",
     FIELDS(list_send_as_response),
     .summary = "All addresses to send from"},
    {.name = "ListSmimeInfoResponse",
     FIELDS(list_smime_info_response),
     .summary = "All S/MIME configurations of an address"},
    {.name = "ListThreadsResponse",
     FIELDS(list_threads_response),
     .summary = "One page of threads"},
    {.name = "Message", FIELDS(message), .summary = "A message"},
    {.name = "MessagePart", FIELDS(message_part), .summary = "A part of a message"},
    {.name = "MessagePartBody", FIELDS(message_part_body), .summary = "The content of a part"},
    {.name = "MessagePartHeader", FIELDS(message_part_header), .summary = "A header of a part"},
    {.name = "ModifyMessageRequest",
     FIELDS(modify_message_request),
     .summary = "Labels to add and to remove"},
    {.name = "ModifyThreadRequest",
     FIELDS(modify_thread_request),
     .summary = "Labels to add and to remove"},
    {.name = "ObliterateCseKeyPairRequest", .summary = "Destroys a key pair"},
    {.name = "PopSettings", FIELDS(pop_settings), .summary = "Access over POP"},
    {.name = "Profile", FIELDS(profile), .summary = "Whose mailbox it is, and how much is in it"},
    {.name = "SendAs", FIELDS(send_as), .summary = "An address to send from"},
    {.name = "SignAndEncryptKeyPairs",
     FIELDS(sign_and_encrypt_key_pairs),
     .summary = "Key pairs for signing and for encrypting"},
    {.name = "SmimeInfo", FIELDS(smime_info), .summary = "An S/MIME configuration of an address"},
    {.name = "SmtpMsa", FIELDS(smtp_msa), .summary = "The mail server of an address outside"},
    {.name = "Thread", FIELDS(thread), .summary = "A conversation"},
    {.name = "VacationSettings", FIELDS(vacation_settings), .summary = "The automatic reply"},
    {.name = "WatchRequest",
     FIELDS(watch_request),
     .summary = "What to watch, and where notifications go"},
    {.name = "WatchResponse",
     FIELDS(watch_response),
     .summary = "Where the history begins, and when the watch ends"},
};
