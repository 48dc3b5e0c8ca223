/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of two community servers for drives, whose answers are lines of text. Source of names,
 * arguments and lines: their published code. What saves files on the server's machine, and what
 * manages accounts, is left out. */
#include "mcp/sets/cdrive.h"
#include <ctype.h>

/* The question of words in a name; sheets if the word is among them. */
static const struct json *name_question(struct set_run *r, const struct json *v, const char *arg,
                                        const struct json *item)
{
    const char *words = value_words(r->arena, v), *end = words + strlen(words);
    words += strspn(words, " \t\r\n");
    while (end > words && isspace((unsigned char)end[-1]))
        end--;
    words = arena_memdup(r->arena, words, (size_t)(end - words));
    if (!*words)
        return value_text(r->arena, "trashed = false");
    return value_text(
        r->arena, arena_printf(r->arena, "(name contains %s%s) and trashed = false",
                               set_quoted(r->arena, words),
                               strcasestr(words, "sheet")
                                   ? " or mimeType = 'application/vnd.google-sheets.spreadsheet'"
                                   : ""));
}

/* ---- rows ---- */

static const char *const roles[] = {"owner",  "organizer", "fileOrganizer", "writer", "commenter",
                                    "reader", NULL};
static const char *const shared_roles[] = {"writer", "commenter", "reader", NULL};
static const char *const types[] = {"user", "group", "domain", "anyone", NULL};

#define FILE_ID                                                                                    \
    {                                                                                              \
        .name = "fileId", .required = true, .filled = true, .summary = "Id of the file"            \
    }
#define ITEM_ID                                                                                    \
    {                                                                                              \
        .name = "itemId", .required = true, .filled = true, .summary = "Id of the file or folder"  \
    }
#define PARENT                                                                                     \
    {                                                                                              \
        .name = "parentFolderId", .summary = "Folder, by its id or as /a/path; else the root"      \
    }
#define PAGE(most)                                                                                 \
    {.name = "pageSize",                                                                           \
     .type = ARG_INTEGER,                                                                          \
     .unlisted = true,                                                                             \
     .min = 1,                                                                                     \
     .max = most,                                                                                  \
     .summary = "How many; 50 by default"},                                                        \
    {                                                                                              \
        .name = "pageToken", .summary = "Page to begin with"                                       \
    }

static const char *const orders[] = {
    "modifiedTime desc", "modifiedTime", "createdTime desc", "createdTime", "recency desc",
    "recency",           "name",         "name_natural",     NULL};
static const struct set_arg search_args[] = {
    {.name = "query", .required = true, .filled = true, .summary = "Words in the text of files"},
    PAGE(100),
    {.name = "rawQuery",
     .type = ARG_BOOLEAN,
     .summary = "The query is one of the service's language"},
    {.name = "orderBy",
     .def = "modifiedTime desc",
     .values = orders,
     .summary = "Order of a rawQuery; words are by relevance"},
};
static const struct set_arg create_text_args[] = {
    {.name = "name",
     .required = true,
     .filled = true,
     .summary = "Name, which ends in .txt or .md"},
    {.name = "content", .required = true, .summary = "The text"},
    PARENT,
};
static const struct set_arg update_text_args[] = {
    FILE_ID,
    {.name = "content", .required = true, .summary = "The text from now on"},
    {.name = "name", .summary = "New name, which ends in .txt or .md"},
};
static const struct set_arg read_text_args[] = {
    FILE_ID,
    {.name = "maxLength",
     .type = ARG_INTEGER,
     .unlisted = true,
     .min = 1,
     .summary = "Characters at most"},
};
static const struct set_arg folder_args[] = {
    {.name = "name", .required = true, .filled = true, .summary = "Name of the folder"},
    {.name = "parent", .summary = "Folder, by its id or as /a/path; else the root"},
};
static const struct set_arg list_args[] = {
    {.name = "folderId", .summary = "Id of the folder; else the root"}, PAGE(100)};
static const struct set_arg drives_args[] = {PAGE(100)};
static const struct set_arg item_args[] = {ITEM_ID};
static const struct set_arg rename_args[] = {
    ITEM_ID, {.name = "newName", .required = true, .filled = true, .summary = "New name"}};
static const struct set_arg move_args[] = {
    ITEM_ID,
    {.name = "destinationFolderId", .summary = "Folder, by its id or as /a/path; else the root"}};
static const struct set_arg copy_args[] = {
    FILE_ID,
    {.name = "newName", .summary = "Name of the copy; else \"Copy of\" and that of the file"},
    {.name = "parentFolderId", .summary = "Folder of the copy; else that of the file"},
};
static const struct set_arg shortcut_args[] = {
    {.name = "targetFileId", .required = true, .filled = true, .summary = "Id of what it leads to"},
    PARENT,
    {.name = "shortcutName", .summary = "Name; else that of what it leads to"},
};
static const struct set_arg lock_args[] = {
    FILE_ID,
    {.name = "reason", .summary = "Why, for people who want to change it"},
    {.name = "ownerRestricted", .type = ARG_BOOLEAN, .summary = "Only the owner may unlock it"},
};
static const struct set_arg file_args[] = {FILE_ID};
static const struct set_arg upload_args[] = {
    {.name = "localPath", .summary = "Must be absent here"},
    {.name = "contentBase64", .summary = "The content in base64"},
    {.name = "fileId", .summary = "File that gets it as a new version"},
    {.name = "name", .summary = "Name; required for a new file"},
    PARENT,
    {.name = "mimeType", .summary = "Media type; else by the name"},
    {.name = "convertToGoogleFormat",
     .type = ARG_BOOLEAN,
     .summary = "Make a document, sheet or presentation of it"},
};
#define NOTIFY(usual)                                                                              \
    {.name = "sendNotificationEmail",                                                              \
     .type = ARG_BOOLEAN,                                                                          \
     .def = usual,                                                                                 \
     .silent_def = true,                                                                           \
     .summary = "Whether they get a letter"},                                                      \
    {                                                                                              \
        .name = "emailMessage", .summary = "What the letter says"                                  \
    }
static const struct set_arg add_args[] = {
    FILE_ID,
    {.name = "emailAddress", .summary = "Address of the person or group"},
    {.name = "domain", .summary = "Domain, for the type domain"},
    {.name = "role", .def = "reader", .silent_def = true, .values = roles, .summary = "Role"},
    {.name = "type", .def = "user", .silent_def = true, .values = types, .summary = "For whom"},
    NOTIFY("false"),
    {.name = "allowFileDiscovery",
     .type = ARG_BOOLEAN,
     .summary = "Whether searches find it, for domain and anyone"},
};
static const struct set_arg update_args[] = {
    FILE_ID,
    {.name = "permissionId", .required = true, .filled = true, .summary = "Id of the permission"},
    {.name = "role", .required = true, .values = roles, .summary = "New role"},
};
static const struct set_arg remove_args[] = {
    FILE_ID,
    {.name = "permissionId", .summary = "Id of the permission"},
    {.name = "emailAddress", .summary = "Address of the person, in its place"},
};
static const struct set_arg share_args[] = {
    FILE_ID,
    {.name = "emailAddress", .required = true, .summary = "Address of the person"},
    {.name = "role",
     .def = "reader",
     .silent_def = true,
     .values = shared_roles,
     .summary = "Role"},
    NOTIFY("true"),
};
static const struct set_arg revisions_args[] = {FILE_ID, PAGE(200)};
static const struct set_arg restore_args[] = {
    FILE_ID,
    {.name = "revisionId", .required = true, .filled = true, .summary = "Id of the revision"},
    {.name = "confirm", .type = ARG_BOOLEAN, .summary = "Must be true"},
};
static const struct set_arg find_args[] = {
    {.name = "query", .required = true, .summary = "Words in the name of files"},
    {.name = "pageToken", .summary = "Page to begin with"},
    {.name = "pageSize", .type = ARG_NUMBER, .summary = "Files on a page; 10 by default"},
};

#define ALL   "'supportsAllDrives':true"
#define WIDE  "'includeItemsFromAllDrives':true," ALL
#define NEVER .when = "_never"
/* For what looks up and makes folders before the steps. */
#define FOLDERS                                                                                    \
    {"drive.files.list", NEVER},                                                                   \
    {                                                                                              \
        "drive.files.create", NEVER                                                                \
    }
#define MORE(what)                                                                                 \
    "{'$if':'$0.nextPageToken','$then':'\\n\\nMore " what ". Use pageToken: {0.nextPageToken}'}"

static const struct set_tool tools[] = {
    {.name = "search",
     .summary = "Files whose text has words, with the folders that they are in",
     SET_ARGS(search_args),
     .steps = {{"drive.files.list",
                "{'q':'$_q','pageSize':'$pageSize|or:50|most:100','pageToken':'$pageToken|filled',"
                "'fields':'nextPageToken,files(id,name,mimeType,createdTime,modifiedTime,size,"
                "parents)','orderBy':{'$if':'$rawQuery','$then':'$orderBy'},"
                "'corpora':'allDrives'," WIDE "}"},
               {"drive.files.get", NEVER}},
     .run = cdrive_search,
     .result =
         "{'$text':['Found {_files|count} files (ordered by "
         "',{'$if':'$rawQuery','$then':'{orderBy}',"
         "'$else':'relevance'},'):\\n',{'$lines':'$_files','$as':'{.name} "
         "({.mimeType}) [id: {.id}, path: {.path}] [created: {.createdTime|or:N/A}, modified: "
         "{.modifiedTime|or:N/A}]'}," MORE("results available") "]}"},
    {.name = "createTextFile",
     .summary = "Make a file of text or Markdown",
     SET_ARGS(create_text_args),
     .steps = {FOLDERS,
               {"drive.files.create",
                "{'body':{'name':'$name','mimeType':'$_type','parents':['$_folder']},'media':{"
                "'mimeType':'$_type','text':'$content'}," ALL "}"}},
     .run = cdrive_create_text,
     .result = "'Created file: {2.name}\\nID: {2.id}'"},
    {.name = "updateTextFile",
     .summary = "Change the text of a file",
     SET_ARGS(update_text_args),
     .steps = {{"drive.files.get", NEVER},
               {"drive.files.update",
                "{'fileId':'$fileId','body':{'name':'$name|filled','mimeType':'$_type'},'media':{"
                "'$if':'$content','$then':{'mimeType':{'$if':'$_type','$then':'$_type','$else':"
                "'$_now'},'text':'$content'}},'fields':'id,name,modifiedTime,webViewLink'," ALL
                "}"}},
     .run = cdrive_update_text,
     .result = "'Updated file: {1.name}\\nModified: {1.modifiedTime}'"},
    {.name = "readTextFile",
     .summary = "The text of a file",
     SET_ARGS(read_text_args),
     .steps = {{"drive.files.get", NEVER},
               {"drive.files.get", "{'fileId':'$fileId','alt':'media'," ALL "}"}},
     .run = cdrive_read_text},
    {.name = "createFolder",
     .summary = "Make a folder",
     SET_ARGS(folder_args),
     .steps = {FOLDERS,
               {"drive.files.create",
                "{'body':{'name':'$name','mimeType':'" CDRIVE_FOLDER "','parents':['$_folder']},"
                "'fields':'id,name,webViewLink'," ALL "}"}},
     .run = cdrive_create_folder,
     .result = "'Created folder: {2.name}\\nID: {2.id}'"},
    {.name = "listFolder",
     .summary = "What is in a folder, by name",
     SET_ARGS(list_args),
     .steps = {{"drive.files.list",
                "{'q':'$folderId|or:root|inside','pageSize':'$pageSize|or:50|most:100',"
                "'pageToken':'$pageToken|filled','fields':'nextPageToken,files(id,name,mimeType,"
                "modifiedTime,size)','orderBy':'name'," WIDE "}"}},
     .result = "{'$text':['Contents of folder:\\n\\n',{'$lines':'$0.files','$as':{'$text':[{'$if':"
               "'$.mimeType|is:" CDRIVE_FOLDER "','$then':'📁','$else':'📄'},' {.name} (ID: "
               "{.id})']}}," MORE("items available") "]}"},
    {.name = "listSharedDrives",
     .summary = "The shared drives of the person",
     SET_ARGS(drives_args),
     .steps = {{"drive.drives.list",
                "{'pageSize':'$pageSize|or:50|most:100','pageToken':'$pageToken|filled','fields':"
                "'nextPageToken,drives(id,name,createdTime,hidden)'}"}},
     .result = "{'$if':'$0.drives','$then':{'$text':['Found {0.drives|count} shared "
               "drives:\\n',{'$lines':'$0.drives','$as':{'$text':['{.name} (ID: {.id}',{'$if':"
               "'$.hidden','$then':', hidden'},')']}}," MORE(
                   "results available") "]},'$else':'No shared drives found.'}"},
    {.name = "deleteItem",
     .summary = "Move a file or folder to the trash",
     SET_ARGS(item_args),
     .steps = {{"drive.files.get", "{'fileId':'$itemId','fields':'name'," ALL "}"},
               {"drive.files.update", "{'fileId':'$itemId','body':{'trashed':true}," ALL "}"}},
     .result = "'Successfully moved to trash: {0.name}'",
     .idempotent = true},
    {.name = "renameItem",
     .summary = "Give a file or folder another name",
     SET_ARGS(rename_args),
     .steps =
         {{"drive.files.get", NEVER},
          {"drive.files.update",
           "{'fileId':'$itemId','body':{'name':'$newName'},'fields':'id,name,modifiedTime'," ALL
           "}"}},
     .run = cdrive_rename,
     .result = "'Successfully renamed \\\"{_name}\\\" to \\\"{1.name}\\\"'",
     .idempotent = true},
    {.name = "moveItem",
     .summary = "Move a file or folder into another folder",
     SET_ARGS(move_args),
     .steps = {FOLDERS,
               {"drive.files.get", "{'fileId':'$itemId','fields':'name,parents'," ALL "}"},
               {"drive.files.update",
                "{'fileId':'$itemId','addParents':'$_folder','removeParents':'$2.parents|join',"
                "'fields':'id,name,parents'," ALL "}"},
               {"drive.files.get", "{'fileId':'$_folder','fields':'name'," ALL "}"}},
     .run = cdrive_move,
     .result = "'Successfully moved \\\"{2.name}\\\" to \\\"{4.name}\\\"'",
     .idempotent = true},
    {.name = "copyFile",
     .summary = "Copy a file",
     SET_ARGS(copy_args),
     .steps = {FOLDERS,
               {"drive.files.get", "{'fileId':'$fileId','fields':'name,parents'," ALL "}"},
               {"drive.files.copy",
                "{'fileId':'$fileId','body':{'name':{'$if':'$newName','$then':'$newName','$else':"
                "'Copy of {2.name}'},'parents':{'$if':'$_folder','$then':['$_folder'],'$else':"
                "'$2.parents'}},'fields':'id,name,webViewLink,parents'," ALL "}"}},
     .run = cdrive_copy,
     .result = "'Successfully copied file as \\\"{3.name}\\\"\\nNew file ID: {3.id}\\nLink: "
               "{3.webViewLink}'"},
    {.name = "uploadFile",
     .summary = "Upload content, as a new file or as a new version of one",
     SET_ARGS(upload_args),
     .steps = {FOLDERS,
               {"drive.files.get", NEVER},
               {"drive.files.update",
                "{'fileId':'$fileId','body':{'name':'$_name|filled'},'media':{'mimeType':'$_type',"
                "'data':'$_bytes'},'fields':'id,name,size,mimeType,webViewLink'," ALL "}",
                .when = "_old"},
               {"drive.files.create",
                "{'body':{'name':'$_name','parents':['$_folder'],'mimeType':'$_document'},'media':{"
                "'mimeType':'$_type','data':'$_bytes'},'fields':'id,name,size,mimeType,"
                "webViewLink'," ALL "}",
                .when = "_new"}},
     .run = cdrive_upload,
     .result = "{'$if':'$_old','$then':'Updated (new version): {3.name}\\nID: {3.id}\\nSize: "
               "{3.size} bytes\\nType: {3.mimeType}\\nLink: {3.webViewLink}','$else':'Uploaded: "
               "{4.name}\\nID: {4.id}\\nSize: {4.size} bytes\\nType: {4.mimeType}\\nLink: "
               "{4.webViewLink}'}"},
    {.name = "listPermissions",
     .summary = "Who may do what with a file",
     SET_ARGS(file_args),
     .steps = {{"drive.permissions.list",
                "{'fileId':'$fileId','fields':'permissions(id,type,role,emailAddress,domain,"
                "displayName,permissionDetails(inherited,inheritedFrom,permissionType))'," ALL
                "}"}},
     .result = "{'$if':'$0.permissions','$then':{'$text':['Permissions for file {fileId}:\\n',{"
               "'$lines':'$0.permissions','$as':{'$text':['- {.id}: ',{'$if':'$.emailAddress',"
               "'$then':'$.emailAddress','$else':{'$if':'$.domain','$then':'$.domain','$else':{"
               "'$if':'$.displayName','$then':'$.displayName','$else':'$.type'}}},' ({.type}) => "
               "{.role}',{'$if':'$.permissionDetails.0.inherited','$then':' [inherited]',"
               "'$else':' [direct]'}]}}]},'$else':'No permissions found.'}"},
    {.name = "addPermission",
     .summary = "Share a file with a person, a group, a domain or anyone",
     SET_ARGS(add_args),
     .steps = {{"drive.permissions.create",
                "{'fileId':'$fileId','body':{'type':'$type','role':'$role','emailAddress':"
                "'$_email','domain':'$_domain','allowFileDiscovery':'$_discovery'},"
                "'sendNotificationEmail':'$sendNotificationEmail','emailMessage':"
                "'$emailMessage|filled','fields':'id,type,role,emailAddress,domain,"
                "allowFileDiscovery'," ALL "}"}},
     .run = cdrive_add_permission,
     .result = "{'$text':['Permission added: {0.id} ({0.role}) for ',{'$if':'$0.emailAddress',"
               "'$then':'$0.emailAddress','$else':{'$if':'$0.domain','$then':'$0.domain','$else':"
               "'$type'}}]}"},
    {.name = "updatePermission",
     .summary = "Give a permission another role",
     SET_ARGS(update_args),
     .steps = {{"drive.permissions.update",
                "{'fileId':'$fileId','permissionId':'$permissionId','body':{'role':'$role'},"
                "'fields':'id,type,role,emailAddress'," ALL "}"}},
     .result = "'Permission updated: {0.id} => {0.role}'",
     .idempotent = true},
    {.name = "removePermission",
     .summary = "Take a permission away",
     SET_ARGS(remove_args),
     .steps = {{"drive.permissions.list", NEVER},
               {"drive.permissions.delete", "{'fileId':'$fileId','permissionId':'$_id'," ALL "}"}},
     .run = cdrive_remove_permission,
     .result = "'Permission removed: {_id}'"},
    {.name = "shareFile",
     .summary = "Share a file with a person, or change their role",
     SET_ARGS(share_args),
     .steps = {{"drive.permissions.list", NEVER},
               {"drive.permissions.update",
                "{'fileId':'$fileId','permissionId':'$_id','body':{'role':'$role'},'fields':"
                "'id,type,role,emailAddress'," ALL "}",
                .when = "_id"},
               {"drive.permissions.create",
                "{'fileId':'$fileId','body':{'type':'user','role':'$role','emailAddress':"
                "'$emailAddress'},'sendNotificationEmail':'$sendNotificationEmail','emailMessage':"
                "'$emailMessage|filled','fields':'id,type,role,emailAddress'," ALL "}",
                .when = "_new"}},
     .run = cdrive_share,
     .result = "{'$if':'$_new','$then':'Shared file with {emailAddress} as {2.role}. Permission "
               "ID: {2.id}','$else':'Updated existing permission for {emailAddress} to {1.role}. "
               "Permission ID: {1.id}'}",
     .idempotent = true},
    {.name = "getRevisions",
     .summary = "The revisions of a file",
     SET_ARGS(revisions_args),
     .steps = {{"drive.revisions.list",
                "{'fileId':'$fileId','pageSize':'$pageSize|or:50','pageToken':'$pageToken|filled',"
                "'fields':'nextPageToken,revisions(id,modifiedTime,lastModifyingUser(displayName,"
                "emailAddress),keepForever,size,originalFilename)'}"}},
     .result = "{'$if':'$0.revisions','$then':{'$text':['Revisions for file {fileId}:\\n',{"
               "'$lines':'$0.revisions','$as':{'$text':['- {.id}: {.modifiedTime} by "
               "{.lastModifyingUser.displayName|or:unknown}',{'$if':'$.keepForever','$then':' "
               "[kept]'}]}}," MORE("revisions available") "]},'$else':'No revisions found for file "
                                                          "{fileId}.'}"},
    {.name = "restoreRevision",
     .summary = "Make the content of a revision that of the file",
     SET_ARGS(restore_args),
     .steps = {{"drive.files.get", NEVER},
               {"drive.revisions.get",
                "{'fileId':'$fileId','revisionId':'$revisionId','alt':'media'}", NEVER},
               {"drive.files.update",
                "{'fileId':'$fileId','media':{'mimeType':'$_type','data':'$_data'}," ALL "}"}},
     .run = cdrive_restore,
     .result = "'Restored file {fileId} ({_name}) from revision {revisionId}.'"},
    {.name = "createShortcut",
     .summary = "Make a shortcut to a file or folder",
     SET_ARGS(shortcut_args),
     .steps = {FOLDERS,
               {"drive.files.get",
                "{'fileId':'$targetFileId','fields':'id,name,mimeType'," ALL "}"},
               {"drive.files.create",
                "{'body':{'name':{'$if':'$shortcutName','$then':'$shortcutName','$else':'$2.name'},"
                "'mimeType':'application/vnd.google-apps.shortcut','shortcutDetails':{'targetId':"
                "'$targetFileId'},'parents':['$_folder']},'fields':'id,name,webViewLink,"
                "shortcutDetails'," ALL "}"}},
     .run = cdrive_shortcut,
     .result = "'Shortcut: {3.name} ({3.id})\\nTarget: {2.name} ({targetFileId})\\nLocation: "
               "folder {_folder}\\nLink: {3.webViewLink|or:N/A}'"},
    {.name = "lockFile",
     .summary = "Make a file read-only",
     SET_ARGS(lock_args),
     .steps = {{"drive.files.get",
                "{'fileId':'$fileId','fields':'id,name,contentRestrictions'," ALL "}"},
               {"drive.files.update",
                "{'fileId':'$fileId','body':{'contentRestrictions':[{'readOnly':true,'reason':"
                "'$reason|or:Locked via MCP','ownerRestricted':'$ownerRestricted|or:false'}]}," ALL
                "}",
                .when = "0.contentRestrictions|unlocked"}},
     .result = "{'$if':'$1','$then':{'$text':['File: {0.name}\\nReason: {reason|or:Locked via "
               "MCP}',{'$if':'$ownerRestricted','$then':'\\nOnly the owner can unlock it.'},"
               "'\\n\\nThe file is locked.']},'$else':'The file \\\"{0.name}\\\" was locked "
               "already.'}",
     .idempotent = true},
    {.name = "unlockFile",
     .summary = "Let a file be changed again",
     SET_ARGS(file_args),
     .steps = {{"drive.files.get",
                "{'fileId':'$fileId','fields':'id,name,contentRestrictions'," ALL "}"},
               {"drive.files.update",
                "{'fileId':'$fileId','body':{'contentRestrictions':[{'readOnly':false}]}," ALL "}",
                .when = "0.contentRestrictions|locked"}},
     .result = "{'$if':'$1','$then':'File: {0.name}\\n\\nThe file is unlocked.','$else':'The file "
               "\\\"{0.name}\\\" is not locked.'}",
     .idempotent = true},
    {.name = "gdrive_search",
     .summary = "Files whose name has words, the newest first",
     SET_ARGS(find_args),
     .steps = {{"drive.files.list",
                "{'q':'$query|named','pageSize':'$pageSize|some:10','pageToken':"
                "'$pageToken|filled','orderBy':'modifiedTime desc','fields':'nextPageToken,"
                "files(id,name,mimeType,modifiedTime,size)'}"}},
     .result = "{'$text':['Found {0.files|count} files:\\n',{'$lines':'$0.files','$as':'{.id} "
               "{.name} ({.mimeType})'}," MORE("results available") "]}"},
    {.name = "gdrive_read_file",
     .summary = "The content of a file; documents as Markdown, sheets as CSV",
     SET_ARGS(file_args),
     .steps = {{"drive.files.get", NEVER},
               {"drive.files.get", "{'fileId':'$fileId','alt':'media'}"},
               {"drive.files.export", "{'fileId':'$fileId','mimeType':'$_as'}"}},
     .run = cdrive_read},
};

/* The question of what is in a folder. */
static const struct json *inside(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return value_text(r->arena, arena_printf(r->arena, "%s in parents and trashed = false",
                                             set_quoted(r->arena, value_words(r->arena, v))));
}

static bool is_locked(const struct json *list)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (value_holds(json_get(&list->items[i], "readOnly")))
            return true;
    return false;
}

static const struct json *locked(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return is_locked(v) ? &value_true : NULL;
}

static const struct json *unlocked(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    return is_locked(v) ? NULL : &value_true;
}

static const struct set_filter filters[] = {{"named", name_question},
                                            {"inside", inside},
                                            {"locked", locked},
                                            {"unlocked", unlocked},
                                            {NULL, NULL}};

const struct set_tools community_drive = {.set = SET_COMMUNITY,
                                          .service = "drive",
                                          .lenient = true,
                                          .filters = filters,
                                          .tools = tools,
                                          .n = SOSIA_LEN(tools)};
