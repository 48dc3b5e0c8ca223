/* SPDX-License-Identifier: Apache-2.0 */
/* The larger bodies of Google Drive API v3, for schema.c alone. */
#ifndef SOSIA_DRIVE_GOOGLE_SCHEMA_FILE_H
#define SOSIA_DRIVE_GOOGLE_SCHEMA_FILE_H

#include "engine/api/schema.h"
#include "engine/base/err.h"

#define VALUES(...)   ((const char *const[]){__VA_ARGS__, NULL})
#define FIELDS(table) .fields = (table), .n_fields = SOSIA_LEN(table)

#define OUTPUT_ONLY .read_only = true, .fixed = NOT_WRITABLE
/* Given when the resource is made, and not later. */
#define AT_FIRST     .immutable = true, .fixed = NOT_WRITABLE
#define NOT_WRITABLE "The resource body includes fields which are not directly writable."
#define PARENTS_NOT_WRITABLE                                                                       \
    "The parents field is not directly writable in update requests. Use the addParents and "       \
    "removeParents parameters instead."

static const struct field drive_background_image_file[] = {
    {.name = "id", .type = "string"},
    {.name = "width", .type = "number", .format = "float", .max = 1, .text = "Invalid Value"},
    {.name = "xCoordinate", .type = "number", .format = "float", .max = 1, .text = "Invalid Value"},
    {.name = "yCoordinate", .type = "number", .format = "float", .max = 1, .text = "Invalid Value"},
};

static const struct field drive_capabilities[] = {
    {.name = "canAddChildren", .type = "boolean", .read_only = true},
    {.name = "canChangeCopyRequiresWriterPermissionRestriction",
     .type = "boolean",
     .read_only = true},
    {.name = "canChangeDomainUsersOnlyRestriction", .type = "boolean", .read_only = true},
    {.name = "canChangeDownloadRestriction", .type = "boolean", .read_only = true},
    {.name = "canChangeDriveBackground", .type = "boolean", .read_only = true},
    {.name = "canChangeDriveMembersOnlyRestriction", .type = "boolean", .read_only = true},
    {.name = "canChangeSharingFoldersRequiresOrganizerPermissionRestriction",
     .type = "boolean",
     .read_only = true},
    {.name = "canComment", .type = "boolean", .read_only = true},
    {.name = "canCopy", .type = "boolean", .read_only = true},
    {.name = "canDeleteChildren", .type = "boolean", .read_only = true},
    {.name = "canDeleteDrive", .type = "boolean", .read_only = true},
    {.name = "canDownload", .type = "boolean", .read_only = true},
    {.name = "canEdit", .type = "boolean", .read_only = true},
    {.name = "canListChildren", .type = "boolean", .read_only = true},
    {.name = "canManageMembers", .type = "boolean", .read_only = true},
    {.name = "canReadRevisions", .type = "boolean", .read_only = true},
    {.name = "canRename", .type = "boolean", .read_only = true},
    {.name = "canRenameDrive", .type = "boolean", .read_only = true},
    {.name = "canResetDriveRestrictions", .type = "boolean", .read_only = true},
    {.name = "canShare", .type = "boolean", .read_only = true},
    {.name = "canTrashChildren", .type = "boolean", .read_only = true},
};

static const struct field drive_restrictions[] = {
    {.name = "adminManagedRestrictions", .type = "boolean"},
    {.name = "copyRequiresWriterPermission", .type = "boolean"},
    {.name = "domainUsersOnly", .type = "boolean"},
    {.name = "downloadRestriction", .type = "DownloadRestriction"},
    {.name = "driveMembersOnly", .type = "boolean"},
    {.name = "sharingFoldersRequiresOrganizerPermission", .type = "boolean"},
};

static const struct field drive[] = {
    {.name = "backgroundImageFile", .type = "object", FIELDS(drive_background_image_file)},
    {.name = "backgroundImageLink", .type = "string", .read_only = true},
    {.name = "capabilities", .type = "object", .read_only = true, FIELDS(drive_capabilities)},
    {.name = "colorRgb", .type = "string"},
    {.name = "createdTime", .type = "string", .format = "date-time"},
    {.name = "hidden", .type = "boolean"},
    {.name = "id", .type = "string", .read_only = true},
    {.name = "kind", .type = "string", .read_only = true, .def = "drive#drive"},
    {.name = "name", .type = "string", .max = 1024, .text = "Invalid Value"},
    {.name = "orgUnitId", .type = "string", .read_only = true},
    {.name = "restrictions", .type = "object", FIELDS(drive_restrictions)},
    {.name = "themeId", .type = "string"},
};

static const struct field file_capabilities[] = {
    {.name = "canAcceptOwnership", .type = "boolean", .read_only = true},
    {.name = "canAddChildren", .type = "boolean", .read_only = true},
    {.name = "canAddFolderFromAnotherDrive", .type = "boolean", .read_only = true},
    {.name = "canAddMyDriveParent", .type = "boolean", .read_only = true},
    {.name = "canChangeCopyRequiresWriterPermission", .type = "boolean", .read_only = true},
    {.name = "canChangeItemDownloadRestriction", .type = "boolean", .read_only = true},
    {.name = "canChangeSecurityUpdateEnabled", .type = "boolean", .read_only = true},
    {.name = "canChangeViewersCanCopyContent",
     .type = "boolean",
     .read_only = true,
     .deprecated = true},
    {.name = "canComment", .type = "boolean", .read_only = true},
    {.name = "canCopy", .type = "boolean", .read_only = true},
    {.name = "canDelete", .type = "boolean", .read_only = true},
    {.name = "canDeleteChildren", .type = "boolean", .read_only = true},
    {.name = "canDisableInheritedPermissions", .type = "boolean"},
    {.name = "canDownload", .type = "boolean", .read_only = true},
    {.name = "canEdit", .type = "boolean", .read_only = true},
    {.name = "canEnableInheritedPermissions", .type = "boolean"},
    {.name = "canListChildren", .type = "boolean", .read_only = true},
    {.name = "canModifyContent", .type = "boolean", .read_only = true},
    {.name = "canModifyContentRestriction",
     .type = "boolean",
     .read_only = true,
     .deprecated = true},
    {.name = "canModifyEditorContentRestriction", .type = "boolean", .read_only = true},
    {.name = "canModifyLabels", .type = "boolean", .read_only = true},
    {.name = "canModifyOwnerContentRestriction", .type = "boolean", .read_only = true},
    {.name = "canMoveChildrenOutOfDrive", .type = "boolean", .read_only = true},
    {.name = "canMoveChildrenOutOfTeamDrive",
     .type = "boolean",
     .read_only = true,
     .deprecated = true},
    {.name = "canMoveChildrenWithinDrive", .type = "boolean", .read_only = true},
    {.name = "canMoveChildrenWithinTeamDrive",
     .type = "boolean",
     .read_only = true,
     .deprecated = true},
    {.name = "canMoveItemIntoTeamDrive", .type = "boolean", .read_only = true, .deprecated = true},
    {.name = "canMoveItemOutOfDrive", .type = "boolean", .read_only = true},
    {.name = "canMoveItemOutOfTeamDrive", .type = "boolean", .read_only = true, .deprecated = true},
    {.name = "canMoveItemWithinDrive", .type = "boolean", .read_only = true},
    {.name = "canMoveItemWithinTeamDrive",
     .type = "boolean",
     .read_only = true,
     .deprecated = true},
    {.name = "canMoveTeamDriveItem", .type = "boolean", .read_only = true, .deprecated = true},
    {.name = "canReadDrive", .type = "boolean", .read_only = true},
    {.name = "canReadLabels", .type = "boolean", .read_only = true},
    {.name = "canReadRevisions", .type = "boolean", .read_only = true},
    {.name = "canReadTeamDrive", .type = "boolean", .read_only = true, .deprecated = true},
    {.name = "canRemoveChildren", .type = "boolean", .read_only = true},
    {.name = "canRemoveContentRestriction", .type = "boolean", .read_only = true},
    {.name = "canRemoveMyDriveParent", .type = "boolean", .read_only = true},
    {.name = "canRename", .type = "boolean", .read_only = true},
    {.name = "canShare", .type = "boolean", .read_only = true},
    {.name = "canTrash", .type = "boolean", .read_only = true},
    {.name = "canTrashChildren", .type = "boolean", .read_only = true},
    {.name = "canUntrash", .type = "boolean", .read_only = true},
};

static const struct field file_content_hints_thumbnail[] = {
    {.name = "image", .type = "string", .format = "byte"},
    {.name = "mimeType", .type = "string"},
};

static const struct field file_content_hints[] = {
    {.name = "indexableText", .type = "string", .max = 131072, .text = "Invalid Value"},
    {.name = "thumbnail", .type = "object", FIELDS(file_content_hints_thumbnail)},
};

static const struct field file_image_media_metadata_location[] = {
    {.name = "altitude", .type = "number", .format = "double", .read_only = true},
    {.name = "latitude", .type = "number", .format = "double", .read_only = true},
    {.name = "longitude", .type = "number", .format = "double", .read_only = true},
};

static const struct field file_image_media_metadata[] = {
    {.name = "aperture", .type = "number", .format = "float", .read_only = true},
    {.name = "cameraMake", .type = "string", .read_only = true},
    {.name = "cameraModel", .type = "string", .read_only = true},
    {.name = "colorSpace", .type = "string", .read_only = true},
    {.name = "exposureBias", .type = "number", .format = "float", .read_only = true},
    {.name = "exposureMode", .type = "string", .read_only = true},
    {.name = "exposureTime", .type = "number", .format = "float", .read_only = true},
    {.name = "flashUsed", .type = "boolean", .read_only = true},
    {.name = "focalLength", .type = "number", .format = "float", .read_only = true},
    {.name = "height", .type = "integer", .format = "int32", .read_only = true},
    {.name = "isoSpeed", .type = "integer", .format = "int32", .read_only = true},
    {.name = "lens", .type = "string", .read_only = true},
    {.name = "location",
     .type = "object",
     .read_only = true,
     FIELDS(file_image_media_metadata_location)},
    {.name = "maxApertureValue", .type = "number", .format = "float", .read_only = true},
    {.name = "meteringMode", .type = "string", .read_only = true},
    {.name = "rotation", .type = "integer", .format = "int32", .read_only = true},
    {.name = "sensor", .type = "string", .read_only = true},
    {.name = "subjectDistance", .type = "integer", .format = "int32", .read_only = true},
    {.name = "time", .type = "string", .read_only = true},
    {.name = "whiteBalance", .type = "string", .read_only = true},
    {.name = "width", .type = "integer", .format = "int32", .read_only = true},
};

static const struct field file_label_info[] = {
    {.name = "labels", .type = "Label", .list = true, .read_only = true},
};

static const struct field file_link_share_metadata[] = {
    {.name = "securityUpdateEligible", .type = "boolean", .read_only = true},
    {.name = "securityUpdateEnabled", .type = "boolean", .read_only = true},
};

static const struct field file_shortcut_details[] = {
    {.name = "targetId", .type = "string"},
    {.name = "targetMimeType", .type = "string", .read_only = true},
    {.name = "targetResourceKey", .type = "string", .read_only = true},
};

static const struct field file_video_media_metadata[] = {
    {.name = "durationMillis", .type = "string", .format = "int64", .read_only = true},
    {.name = "height", .type = "integer", .format = "int32", .read_only = true},
    {.name = "width", .type = "integer", .format = "int32", .read_only = true},
};

static const struct field file[] = {
    {.name = "appProperties", .type = "string", .map = true},
    {.name = "capabilities", .type = "object", OUTPUT_ONLY, FIELDS(file_capabilities)},
    {.name = "contentHints", .type = "object", FIELDS(file_content_hints)},
    {.name = "contentRestrictions", .type = "ContentRestriction", .list = true},
    {.name = "copyRequiresWriterPermission", .type = "boolean"},
    {.name = "createdTime",
     .type = "string",
     .format = "date-time",
     .text = "Invalid Value",
     AT_FIRST},
    {.name = "description", .type = "string", .max = 131072, .text = "Invalid Value"},
    {.name = "downloadRestrictions", .type = "DownloadRestrictionsMetadata"},
    {.name = "driveId", .type = "string", OUTPUT_ONLY},
    {.name = "explicitlyTrashed", .type = "boolean", OUTPUT_ONLY},
    {.name = "exportLinks", .type = "string", .map = true, OUTPUT_ONLY},
    {.name = "fileExtension", .type = "string", OUTPUT_ONLY},
    {.name = "folderColorRgb", .type = "string", .max = 32, .text = "Invalid Value"},
    {.name = "fullFileExtension", .type = "string", OUTPUT_ONLY},
    {.name = "hasAugmentedPermissions", .type = "boolean", OUTPUT_ONLY},
    {.name = "hasThumbnail", .type = "boolean", OUTPUT_ONLY},
    {.name = "headRevisionId", .type = "string", OUTPUT_ONLY},
    {.name = "iconLink", .type = "string", OUTPUT_ONLY},
    {.name = "id",
     .type = "string",
     .immutable = true,
     .max = 100,
     .text = "Invalid Value",
     .fixed = NOT_WRITABLE},
    {.name = "imageMediaMetadata",
     .type = "object",
     OUTPUT_ONLY,
     FIELDS(file_image_media_metadata)},
    {.name = "inheritedPermissionsDisabled", .type = "boolean"},
    {.name = "isAppAuthorized", .type = "boolean", OUTPUT_ONLY},
    {.name = "kind", .type = "string", .read_only = true, .def = "drive#file"},
    {.name = "labelInfo", .type = "object", OUTPUT_ONLY, FIELDS(file_label_info)},
    {.name = "lastModifyingUser", .type = "User", OUTPUT_ONLY},
    {.name = "linkShareMetadata", .type = "object", FIELDS(file_link_share_metadata)},
    {.name = "md5Checksum", .type = "string", OUTPUT_ONLY},
    {.name = "mimeType", .type = "string", .max = 255, .text = "Invalid Value"},
    {.name = "modifiedByMe", .type = "boolean", OUTPUT_ONLY},
    {.name = "modifiedByMeTime", .type = "string", .format = "date-time"},
    {.name = "modifiedTime", .type = "string", .format = "date-time", .text = "Invalid Value"},
    {.name = "name", .type = "string", .max = 32767, .text = "Invalid Value"},
    {.name = "originalFilename", .type = "string", .max = 32767, .text = "Invalid Value"},
    {.name = "ownedByMe", .type = "boolean", OUTPUT_ONLY},
    {.name = "owners", .type = "User", .list = true, OUTPUT_ONLY},
    {.name = "parents",
     .type = "string",
     .list = true,
     .immutable = true,
     .fixed = PARENTS_NOT_WRITABLE},
    {.name = "permissionIds", .type = "string", .list = true, OUTPUT_ONLY},
    {.name = "permissions", .type = "Permission", .list = true, OUTPUT_ONLY},
    {.name = "properties", .type = "string", .map = true},
    {.name = "quotaBytesUsed", .type = "string", .format = "int64", OUTPUT_ONLY},
    {.name = "resourceKey", .type = "string", OUTPUT_ONLY},
    {.name = "sha1Checksum", .type = "string", OUTPUT_ONLY},
    {.name = "sha256Checksum", .type = "string", OUTPUT_ONLY},
    {.name = "shared", .type = "boolean", OUTPUT_ONLY},
    {.name = "sharedWithMeTime", .type = "string", .format = "date-time"},
    {.name = "sharingUser", .type = "User", OUTPUT_ONLY},
    {.name = "shortcutDetails", .type = "object", AT_FIRST, FIELDS(file_shortcut_details)},
    {.name = "size", .type = "string", .format = "int64", OUTPUT_ONLY},
    {.name = "spaces", .type = "string", .list = true, OUTPUT_ONLY},
    {.name = "starred", .type = "boolean"},
    {.name = "teamDriveId", .type = "string", OUTPUT_ONLY, .deprecated = true},
    {.name = "thumbnailLink", .type = "string", OUTPUT_ONLY},
    {.name = "thumbnailVersion", .type = "string", .format = "int64", OUTPUT_ONLY},
    {.name = "trashed", .type = "boolean"},
    {.name = "trashedTime", .type = "string", .format = "date-time"},
    {.name = "trashingUser", .type = "User", OUTPUT_ONLY},
    {.name = "version", .type = "string", .format = "int64", OUTPUT_ONLY},
    {.name = "videoMediaMetadata",
     .type = "object",
     OUTPUT_ONLY,
     FIELDS(file_video_media_metadata)},
    {.name = "viewedByMe", .type = "boolean", OUTPUT_ONLY},
    {.name = "viewedByMeTime", .type = "string", .format = "date-time", .text = "Invalid Value"},
    {.name = "viewersCanCopyContent", .type = "boolean", .deprecated = true},
    {.name = "webContentLink", .type = "string", OUTPUT_ONLY},
    {.name = "webViewLink", .type = "string", OUTPUT_ONLY},
    {.name = "writersCanShare", .type = "boolean"},
    {.name = "clientEncryptionDetails", .type = "ClientEncryptionDetails"},
};

static const struct field permission_permission_details[] = {
    {.name = "inherited", .type = "boolean", .read_only = true},
    {.name = "inheritedFrom", .type = "string", .read_only = true},
    {.name = "permissionType", .type = "string", .read_only = true},
    {.name = "role", .type = "string", .read_only = true},
};

static const struct field permission_team_drive_permission_details[] = {
    {.name = "inherited", .type = "boolean", .read_only = true, .deprecated = true},
    {.name = "inheritedFrom", .type = "string", .read_only = true, .deprecated = true},
    {.name = "role", .type = "string", .read_only = true, .deprecated = true},
    {.name = "teamDrivePermissionType", .type = "string", .read_only = true, .deprecated = true},
};

static const struct field permission[] = {
    {.name = "allowFileDiscovery", .type = "boolean"},
    {.name = "deleted", .type = "boolean", .read_only = true, AT_FIRST},
    {.name = "displayName", .type = "string", .read_only = true, AT_FIRST},
    {.name = "domain", .type = "string", AT_FIRST},
    {.name = "emailAddress", .type = "string", AT_FIRST},
    {.name = "expirationTime", .type = "string", .format = "date-time", .text = "Invalid Value"},
    {.name = "id", .type = "string", .read_only = true, AT_FIRST},
    {.name = "inheritedPermissionsDisabled", .type = "boolean"},
    {.name = "kind",
     .type = "string",
     .read_only = true,
     .immutable = true,
     .def = "drive#permission",
     .fixed = NOT_WRITABLE},
    {.name = "pendingOwner", .type = "boolean"},
    {.name = "permissionDetails",
     .type = "object",
     .list = true,
     .read_only = true,
     FIELDS(permission_permission_details)},
    {.name = "photoLink", .type = "string", .read_only = true, AT_FIRST},
    {.name = "role",
     .type = "string",
     .required_for = "drive.permissions.create",
     .values = VALUES("reader", "commenter", "writer", "fileOrganizer", "organizer", "owner"),
     .missing = "The permission role field is required."},
    {.name = "teamDrivePermissionDetails",
     .type = "object",
     .list = true,
     .read_only = true,
     .deprecated = true,
     FIELDS(permission_team_drive_permission_details)},
    {.name = "type",
     .type = "string",
     .immutable = true,
     .required_for = "drive.permissions.create",
     .values = VALUES("user", "group", "domain", "anyone"),
     .missing = "The permission type field is required.",
     .fixed = NOT_WRITABLE},
    {.name = "view",
     .type = "string",
     .immutable = true,
     .values = VALUES("published"),
     .fixed = NOT_WRITABLE},
};

static const struct field team_drive_background_image_file[] = {
    {.name = "id", .type = "string"},
    {.name = "width", .type = "number", .format = "float", .max = 1, .text = "Invalid Value"},
    {.name = "xCoordinate", .type = "number", .format = "float", .max = 1, .text = "Invalid Value"},
    {.name = "yCoordinate", .type = "number", .format = "float", .max = 1, .text = "Invalid Value"},
};

static const struct field team_drive_capabilities[] = {
    {.name = "canAddChildren", .type = "boolean"},
    {.name = "canChangeCopyRequiresWriterPermissionRestriction", .type = "boolean"},
    {.name = "canChangeDomainUsersOnlyRestriction", .type = "boolean"},
    {.name = "canChangeDownloadRestriction", .type = "boolean"},
    {.name = "canChangeSharingFoldersRequiresOrganizerPermissionRestriction", .type = "boolean"},
    {.name = "canChangeTeamDriveBackground", .type = "boolean"},
    {.name = "canChangeTeamMembersOnlyRestriction", .type = "boolean"},
    {.name = "canComment", .type = "boolean"},
    {.name = "canCopy", .type = "boolean"},
    {.name = "canDeleteChildren", .type = "boolean"},
    {.name = "canDeleteTeamDrive", .type = "boolean"},
    {.name = "canDownload", .type = "boolean"},
    {.name = "canEdit", .type = "boolean"},
    {.name = "canListChildren", .type = "boolean"},
    {.name = "canManageMembers", .type = "boolean"},
    {.name = "canReadRevisions", .type = "boolean"},
    {.name = "canRemoveChildren", .type = "boolean", .deprecated = true},
    {.name = "canRename", .type = "boolean"},
    {.name = "canRenameTeamDrive", .type = "boolean"},
    {.name = "canResetTeamDriveRestrictions", .type = "boolean"},
    {.name = "canShare", .type = "boolean"},
    {.name = "canTrashChildren", .type = "boolean"},
};

static const struct field team_drive_restrictions[] = {
    {.name = "adminManagedRestrictions", .type = "boolean"},
    {.name = "copyRequiresWriterPermission", .type = "boolean"},
    {.name = "domainUsersOnly", .type = "boolean"},
    {.name = "downloadRestriction", .type = "DownloadRestriction"},
    {.name = "sharingFoldersRequiresOrganizerPermission", .type = "boolean"},
    {.name = "teamMembersOnly", .type = "boolean"},
};

static const struct field team_drive[] = {
    {.name = "backgroundImageFile", .type = "object", FIELDS(team_drive_background_image_file)},
    {.name = "backgroundImageLink", .type = "string"},
    {.name = "capabilities", .type = "object", FIELDS(team_drive_capabilities)},
    {.name = "colorRgb", .type = "string"},
    {.name = "createdTime", .type = "string", .format = "date-time"},
    {.name = "id", .type = "string"},
    {.name = "kind", .type = "string", .def = "drive#teamDrive"},
    {.name = "name", .type = "string", .max = 1024, .text = "Invalid Value"},
    {.name = "orgUnitId", .type = "string"},
    {.name = "restrictions", .type = "object", FIELDS(team_drive_restrictions)},
    {.name = "themeId", .type = "string"},
};

#endif
