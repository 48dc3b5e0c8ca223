/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bodies of Google Drive API v3 (discovery revision 20251019, with what 20261012 added): names,
 * types and flags. Partial responses are checked against them and the discovery document is made of
 * them. Files and drives are in schema_file.h.
 */
#include "services/drive/google/schema.h"
#include "services/drive/google/schema_file.h"

static const struct field about_drive_themes[] = {
    {.name = "backgroundImageLink", .type = "string"},
    {.name = "colorRgb", .type = "string"},
    {.name = "id", .type = "string"},
};

static const struct field about_storage_quota[] = {
    {.name = "limit", .type = "string", .format = "int64"},
    {.name = "usage", .type = "string", .format = "int64"},
    {.name = "usageInDrive", .type = "string", .format = "int64"},
    {.name = "usageInDriveTrash", .type = "string", .format = "int64"},
};

static const struct field about_team_drive_themes[] = {
    {.name = "backgroundImageLink", .type = "string", .deprecated = true},
    {.name = "colorRgb", .type = "string", .deprecated = true},
    {.name = "id", .type = "string", .deprecated = true},
};

static const struct field about[] = {
    {.name = "appInstalled", .type = "boolean"},
    {.name = "canCreateDrives", .type = "boolean"},
    {.name = "canCreateTeamDrives", .type = "boolean", .deprecated = true},
    {.name = "driveThemes", .type = "object", .list = true, FIELDS(about_drive_themes)},
    {.name = "exportFormats", .type = "array", .map = true},
    {.name = "folderColorPalette", .type = "string", .list = true},
    {.name = "importFormats", .type = "array", .map = true},
    {.name = "kind", .type = "string", .def = "drive#about"},
    {.name = "maxImportSizes", .type = "string", .format = "int64", .map = true},
    {.name = "maxUploadSize", .type = "string", .format = "int64"},
    {.name = "storageQuota", .type = "object", FIELDS(about_storage_quota)},
    {.name = "teamDriveThemes",
     .type = "object",
     .list = true,
     .deprecated = true,
     FIELDS(about_team_drive_themes)},
    {.name = "user", .type = "User"},
};

static const struct field access_proposal[] = {
    {.name = "createTime", .type = "string", .format = "google-datetime"},
    {.name = "fileId", .type = "string"},
    {.name = "proposalId", .type = "string"},
    {.name = "recipientEmailAddress", .type = "string"},
    {.name = "requestMessage", .type = "string"},
    {.name = "requesterEmailAddress", .type = "string"},
    {.name = "rolesAndViews", .type = "AccessProposalRoleAndView", .list = true},
};

static const struct field access_proposal_role_and_view[] = {
    {.name = "role", .type = "string"},
    {.name = "view", .type = "string"},
};

static const struct field add_reviewer[] = {
    {.name = "addedReviewerEmail", .type = "string"},
};

static const struct field app[] = {
    {.name = "authorized", .type = "boolean"},
    {.name = "createInFolderTemplate", .type = "string"},
    {.name = "createUrl", .type = "string"},
    {.name = "hasDriveWideScope", .type = "boolean"},
    {.name = "icons", .type = "AppIcons", .list = true},
    {.name = "id", .type = "string"},
    {.name = "installed", .type = "boolean"},
    {.name = "kind", .type = "string", .read_only = true, .def = "drive#app"},
    {.name = "longDescription", .type = "string"},
    {.name = "name", .type = "string"},
    {.name = "objectType", .type = "string"},
    {.name = "openUrlTemplate", .type = "string"},
    {.name = "primaryFileExtensions", .type = "string", .list = true},
    {.name = "primaryMimeTypes", .type = "string", .list = true},
    {.name = "productId", .type = "string"},
    {.name = "productUrl", .type = "string"},
    {.name = "secondaryFileExtensions", .type = "string", .list = true},
    {.name = "secondaryMimeTypes", .type = "string", .list = true},
    {.name = "shortDescription", .type = "string"},
    {.name = "supportsCreate", .type = "boolean"},
    {.name = "supportsImport", .type = "boolean"},
    {.name = "supportsMultiOpen", .type = "boolean"},
    {.name = "supportsOfflineCreate", .type = "boolean"},
    {.name = "useByDefault", .type = "boolean"},
};

static const struct field app_icons[] = {
    {.name = "category", .type = "string"},
    {.name = "iconUrl", .type = "string"},
    {.name = "size", .type = "integer", .format = "int32"},
};

static const struct field app_list[] = {
    {.name = "defaultAppIds", .type = "string", .list = true},
    {.name = "items", .type = "App", .list = true},
    {.name = "kind", .type = "string", .read_only = true, .def = "drive#appList"},
    {.name = "selfLink", .type = "string"},
};

static const struct field approval[] = {
    {.name = "approvalId", .type = "string"},
    {.name = "completeTime", .type = "string"},
    {.name = "createTime", .type = "string"},
    {.name = "dueTime", .type = "string"},
    {.name = "fileContentChangeBehavior", .type = "string"},
    {.name = "initiator", .type = "User"},
    {.name = "kind", .type = "string"},
    {.name = "modifyTime", .type = "string"},
    {.name = "reviewerResponses", .type = "ReviewerResponse", .list = true},
    {.name = "status", .type = "string"},
    {.name = "targetFileId", .type = "string"},
};

static const struct field approval_list[] = {
    {.name = "items", .type = "Approval", .list = true},
    {.name = "kind", .type = "string"},
    {.name = "nextPageToken", .type = "string"},
};

static const struct field approve_approval_request[] = {
    {.name = "message", .type = "string"},
};

static const struct field cancel_approval_request[] = {
    {.name = "message", .type = "string"},
};

static const struct field change[] = {
    {.name = "changeType", .type = "string"},
    {.name = "drive", .type = "Drive"},
    {.name = "driveId", .type = "string"},
    {.name = "file", .type = "File"},
    {.name = "fileId", .type = "string"},
    {.name = "kind", .type = "string", .def = "drive#change"},
    {.name = "removed", .type = "boolean"},
    {.name = "teamDrive", .type = "TeamDrive", .deprecated = true},
    {.name = "teamDriveId", .type = "string", .deprecated = true},
    {.name = "time", .type = "string", .format = "date-time"},
    {.name = "type", .type = "string", .deprecated = true},
};

static const struct field change_list[] = {
    {.name = "changes", .type = "Change", .list = true},
    {.name = "kind", .type = "string", .def = "drive#changeList"},
    {.name = "newStartPageToken", .type = "string"},
    {.name = "nextPageToken", .type = "string"},
};

static const struct field channel[] = {
    {.name = "address", .type = "string"},
    {.name = "expiration", .type = "string", .format = "int64"},
    {.name = "id", .type = "string"},
    {.name = "kind", .type = "string", .def = "api#channel"},
    {.name = "params", .type = "string", .map = true},
    {.name = "payload", .type = "boolean"},
    {.name = "resourceId", .type = "string"},
    {.name = "resourceUri", .type = "string"},
    {.name = "token", .type = "string"},
    {.name = "type", .type = "string"},
};

static const struct field client_encryption_details[] = {
    {.name = "decryptionMetadata", .type = "DecryptionMetadata"},
    {.name = "encryptionState", .type = "string"},
};

static const struct field comment_quoted_file_content[] = {
    {.name = "mimeType", .type = "string"},
    {.name = "value", .type = "string"},
};

static const struct field comment[] = {
    {.name = "anchor", .type = "string"},
    {.name = "assigneeEmailAddress", .type = "string", .read_only = true},
    {.name = "author", .type = "User", .read_only = true},
    {.name = "content", .type = "string", .max = 32768, .text = "Invalid Value"},
    {.name = "createdTime", .type = "string", .format = "date-time"},
    {.name = "deleted", .type = "boolean", .read_only = true},
    {.name = "htmlContent", .type = "string", .read_only = true},
    {.name = "id", .type = "string", .read_only = true},
    {.name = "kind", .type = "string", .read_only = true, .def = "drive#comment"},
    {.name = "mentionedEmailAddresses", .type = "string", .list = true, .read_only = true},
    {.name = "modifiedTime", .type = "string", .format = "date-time"},
    {.name = "quotedFileContent", .type = "object", FIELDS(comment_quoted_file_content)},
    {.name = "replies", .type = "Reply", .list = true, .read_only = true},
    {.name = "resolved", .type = "boolean", .read_only = true},
};

static const struct field comment_approval_request[] = {
    {.name = "message", .type = "string"},
};

static const struct field comment_list[] = {
    {.name = "comments", .type = "Comment", .list = true},
    {.name = "kind", .type = "string", .def = "drive#commentList"},
    {.name = "nextPageToken", .type = "string"},
};

static const struct field content_restriction[] = {
    {.name = "ownerRestricted", .type = "boolean"},
    {.name = "readOnly", .type = "boolean"},
    {.name = "reason", .type = "string"},
    {.name = "restrictingUser", .type = "User", .read_only = true},
    {.name = "restrictionTime", .type = "string", .format = "date-time"},
    {.name = "systemRestricted", .type = "boolean", .read_only = true},
    {.name = "type", .type = "string", .read_only = true},
};

static const struct field decline_approval_request[] = {
    {.name = "message", .type = "string"},
};

static const struct field decryption_metadata[] = {
    {.name = "aes256GcmChunkSize", .type = "string"},
    {.name = "encryptionResourceKeyHash", .type = "string"},
    {.name = "jwt", .type = "string"},
    {.name = "kaclsId", .type = "string"},
    {.name = "kaclsName", .type = "string"},
    {.name = "keyFormat", .type = "string"},
    {.name = "wrappedKey", .type = "string"},
};

static const struct field download_restriction[] = {
    {.name = "restrictedForReaders", .type = "boolean"},
    {.name = "restrictedForWriters", .type = "boolean"},
};

static const struct field download_restrictions_metadata[] = {
    {.name = "effectiveDownloadRestrictionWithContext",
     .type = "DownloadRestriction",
     .read_only = true},
    {.name = "itemDownloadRestriction", .type = "DownloadRestriction"},
};

static const struct field drive_list[] = {
    {.name = "drives", .type = "Drive", .list = true},
    {.name = "kind", .type = "string", .def = "drive#driveList"},
    {.name = "nextPageToken", .type = "string"},
};

static const struct field file_list[] = {
    {.name = "files", .type = "File", .list = true},
    {.name = "incompleteSearch", .type = "boolean"},
    {.name = "kind", .type = "string", .def = "drive#fileList"},
    {.name = "nextPageToken", .type = "string"},
};

static const struct field generate_cse_token_response[] = {
    {.name = "currentKaclsId", .type = "string"}, {.name = "currentKaclsName", .type = "string"},
    {.name = "fileId", .type = "string"},         {.name = "jwt", .type = "string"},
    {.name = "kind", .type = "string"},
};

static const struct field generated_ids[] = {
    {.name = "ids", .type = "string", .list = true},
    {.name = "kind", .type = "string", .def = "drive#generatedIds"},
    {.name = "space", .type = "string"},
};

static const struct field label[] = {
    {.name = "fields", .type = "LabelField", .map = true},
    {.name = "id", .type = "string"},
    {.name = "kind", .type = "string"},
    {.name = "revisionId", .type = "string"},
};

static const struct field label_field[] = {
    {.name = "dateString", .type = "string", .format = "date", .list = true},
    {.name = "id", .type = "string"},
    {.name = "integer", .type = "string", .format = "int64", .list = true},
    {.name = "kind", .type = "string"},
    {.name = "selection", .type = "string", .list = true},
    {.name = "text", .type = "string", .list = true},
    {.name = "user", .type = "User", .list = true},
    {.name = "valueType", .type = "string"},
};

static const struct field label_field_modification[] = {
    {.name = "fieldId", .type = "string"},
    {.name = "kind", .type = "string"},
    {.name = "setDateValues", .type = "string", .format = "date", .list = true},
    {.name = "setIntegerValues", .type = "string", .format = "int64", .list = true},
    {.name = "setSelectionValues", .type = "string", .list = true},
    {.name = "setTextValues", .type = "string", .list = true},
    {.name = "setUserValues", .type = "string", .list = true},
    {.name = "unsetValues", .type = "boolean"},
};

static const struct field label_list[] = {
    {.name = "kind", .type = "string"},
    {.name = "labels", .type = "Label", .list = true},
    {.name = "nextPageToken", .type = "string"},
};

static const struct field label_modification[] = {
    {.name = "fieldModifications", .type = "LabelFieldModification", .list = true},
    {.name = "kind", .type = "string"},
    {.name = "labelId", .type = "string"},
    {.name = "removeLabel", .type = "boolean"},
};

static const struct field list_access_proposals_response[] = {
    {.name = "accessProposals", .type = "AccessProposal", .list = true},
    {.name = "nextPageToken", .type = "string"},
};

static const struct field modify_labels_request[] = {
    {.name = "kind", .type = "string"},
    {.name = "labelModifications", .type = "LabelModification", .list = true},
};

static const struct field modify_labels_response[] = {
    {.name = "kind", .type = "string"},
    {.name = "modifiedLabels", .type = "Label", .list = true},
};

static const struct field operation[] = {
    {.name = "done", .type = "boolean"},
    {.name = "error", .type = "Status"},
    {.name = "metadata", .type = "any", .map = true},
    {.name = "name", .type = "string"},
    {.name = "response", .type = "any", .map = true},
};

static const struct field permission_list[] = {
    {.name = "kind", .type = "string", .def = "drive#permissionList"},
    {.name = "nextPageToken", .type = "string"},
    {.name = "permissions", .type = "Permission", .list = true},
};

static const struct field reassign_approval_request[] = {
    {.name = "addReviewers", .type = "AddReviewer", .list = true},
    {.name = "message", .type = "string"},
    {.name = "replaceReviewers", .type = "ReplaceReviewer", .list = true},
};

static const struct field replace_reviewer[] = {
    {.name = "addedReviewerEmail", .type = "string"},
    {.name = "removedReviewerEmail", .type = "string"},
};

static const struct field reply[] = {
    {.name = "action", .type = "string", .values = VALUES("resolve", "reopen")},
    {.name = "assigneeEmailAddress", .type = "string", .read_only = true},
    {.name = "author", .type = "User", .read_only = true},
    {.name = "content", .type = "string", .max = 32768, .text = "Invalid Value"},
    {.name = "createdTime", .type = "string", .format = "date-time"},
    {.name = "deleted", .type = "boolean", .read_only = true},
    {.name = "htmlContent", .type = "string", .read_only = true},
    {.name = "id", .type = "string", .read_only = true},
    {.name = "kind", .type = "string", .read_only = true, .def = "drive#reply"},
    {.name = "mentionedEmailAddresses", .type = "string", .list = true, .read_only = true},
    {.name = "modifiedTime", .type = "string", .format = "date-time"},
};

static const struct field reply_list[] = {
    {.name = "kind", .type = "string", .def = "drive#replyList"},
    {.name = "nextPageToken", .type = "string"},
    {.name = "replies", .type = "Reply", .list = true},
};

static const struct field resolve_access_proposal_request[] = {
    {.name = "action", .type = "string", .values = VALUES("ACTION_UNSPECIFIED", "ACCEPT", "DENY")},
    {.name = "role", .type = "string", .list = true},
    {.name = "sendNotification", .type = "boolean"},
    {.name = "view", .type = "string"},
};

static const struct field reviewer_response[] = {
    {.name = "kind", .type = "string"},
    {.name = "response", .type = "string"},
    {.name = "reviewer", .type = "User"},
};

static const struct field revision[] = {
    {.name = "exportLinks", .type = "string", .map = true, .read_only = true},
    {.name = "id", .type = "string", .read_only = true},
    {.name = "keepForever", .type = "boolean"},
    {.name = "kind", .type = "string", .read_only = true, .def = "drive#revision"},
    {.name = "lastModifyingUser", .type = "User", .read_only = true},
    {.name = "md5Checksum", .type = "string", .read_only = true},
    {.name = "mimeType", .type = "string", .read_only = true},
    {.name = "modifiedTime", .type = "string", .format = "date-time"},
    {.name = "originalFilename", .type = "string", .read_only = true},
    {.name = "publishAuto", .type = "boolean"},
    {.name = "published", .type = "boolean"},
    {.name = "publishedLink", .type = "string", .read_only = true},
    {.name = "publishedOutsideDomain", .type = "boolean"},
    {.name = "size", .type = "string", .format = "int64", .read_only = true},
};

static const struct field revision_list[] = {
    {.name = "kind", .type = "string", .def = "drive#revisionList"},
    {.name = "nextPageToken", .type = "string"},
    {.name = "revisions", .type = "Revision", .list = true},
};

static const struct field start_approval_request[] = {
    {.name = "dueTime", .type = "string"},
    {.name = "fileContentChangeBehavior", .type = "string"},
    {.name = "lockFile", .type = "boolean"},
    {.name = "message", .type = "string"},
    {.name = "reviewerEmails", .type = "string", .list = true},
};

static const struct field start_page_token[] = {
    {.name = "kind", .type = "string", .def = "drive#startPageToken"},
    {.name = "startPageToken", .type = "string"},
};

static const struct field status[] = {
    {.name = "code", .type = "integer", .format = "int32"},
    {.name = "details", .type = "object", .list = true},
    {.name = "message", .type = "string"},
};

static const struct field team_drive_list[] = {
    {.name = "kind", .type = "string", .def = "drive#teamDriveList"},
    {.name = "nextPageToken", .type = "string"},
    {.name = "teamDrives", .type = "TeamDrive", .list = true},
};

static const struct field user[] = {
    {.name = "displayName", .type = "string", .read_only = true},
    {.name = "emailAddress", .type = "string", .read_only = true},
    {.name = "kind", .type = "string", .read_only = true, .def = "drive#user"},
    {.name = "me", .type = "boolean", .read_only = true},
    {.name = "permissionId", .type = "string", .read_only = true},
    {.name = "photoLink", .type = "string", .read_only = true},
};

const struct schema drive_google_schemas[DRIVE_SCHEMAS] = {
    {.name = "About", FIELDS(about)},
    {.name = "AccessProposal", FIELDS(access_proposal)},
    {.name = "AccessProposalRoleAndView", FIELDS(access_proposal_role_and_view)},
    {.name = "AddReviewer", FIELDS(add_reviewer)},
    {.name = "App", FIELDS(app)},
    {.name = "AppIcons", FIELDS(app_icons)},
    {.name = "AppList", FIELDS(app_list)},
    {.name = "Approval", FIELDS(approval)},
    {.name = "ApprovalList", FIELDS(approval_list)},
    {.name = "ApproveApprovalRequest", FIELDS(approve_approval_request)},
    {.name = "CancelApprovalRequest", FIELDS(cancel_approval_request)},
    {.name = "Change", FIELDS(change)},
    {.name = "ChangeList", FIELDS(change_list)},
    {.name = "Channel", FIELDS(channel)},
    {.name = "ClientEncryptionDetails", FIELDS(client_encryption_details)},
    {.name = "Comment", FIELDS(comment)},
    {.name = "CommentApprovalRequest", FIELDS(comment_approval_request)},
    {.name = "CommentList", FIELDS(comment_list)},
    {.name = "ContentRestriction", FIELDS(content_restriction)},
    {.name = "DeclineApprovalRequest", FIELDS(decline_approval_request)},
    {.name = "DecryptionMetadata", FIELDS(decryption_metadata)},
    {.name = "DownloadRestriction", FIELDS(download_restriction)},
    {.name = "DownloadRestrictionsMetadata", FIELDS(download_restrictions_metadata)},
    {.name = "Drive", FIELDS(drive)},
    {.name = "DriveList", FIELDS(drive_list)},
    {.name = "File", FIELDS(file)},
    {.name = "FileList", FIELDS(file_list)},
    {.name = "GenerateCseTokenResponse", FIELDS(generate_cse_token_response)},
    {.name = "GeneratedIds", FIELDS(generated_ids)},
    {.name = "Label", FIELDS(label)},
    {.name = "LabelField", FIELDS(label_field)},
    {.name = "LabelFieldModification", FIELDS(label_field_modification)},
    {.name = "LabelList", FIELDS(label_list)},
    {.name = "LabelModification", FIELDS(label_modification)},
    {.name = "ListAccessProposalsResponse", FIELDS(list_access_proposals_response)},
    {.name = "ModifyLabelsRequest", FIELDS(modify_labels_request)},
    {.name = "ModifyLabelsResponse", FIELDS(modify_labels_response)},
    {.name = "Operation", FIELDS(operation)},
    {.name = "Permission", FIELDS(permission)},
    {.name = "PermissionList", FIELDS(permission_list)},
    {.name = "ReassignApprovalRequest", FIELDS(reassign_approval_request)},
    {.name = "ReplaceReviewer", FIELDS(replace_reviewer)},
    {.name = "Reply", FIELDS(reply)},
    {.name = "ReplyList", FIELDS(reply_list)},
    {.name = "ResolveAccessProposalRequest", FIELDS(resolve_access_proposal_request)},
    {.name = "ReviewerResponse", FIELDS(reviewer_response)},
    {.name = "Revision", FIELDS(revision)},
    {.name = "RevisionList", FIELDS(revision_list)},
    {.name = "StartApprovalRequest", FIELDS(start_approval_request)},
    {.name = "StartPageToken", FIELDS(start_page_token)},
    {.name = "Status", FIELDS(status)},
    {.name = "TeamDrive", FIELDS(team_drive)},
    {.name = "TeamDriveList", FIELDS(team_drive_list)},
    {.name = "User", FIELDS(user)},
};
