/* SPDX-License-Identifier: Apache-2.0 */
/* Drive tools of the set "workspace". Source of names, arguments and lines: the published code of a
 * community server. */
#include "mcp/sets/workspace.h"
#include "engine/base/utf8.h"
#include <strings.h>

/* Is it a question of the service's language, and not words? */
static bool is_question(const char *text)
{
    static const char *const signs[] = {" contains '",  " in parents", " in owners",
                                        " in writers",  " in readers", " has {",
                                        " contains \"", "sharedWithMe"};
    for (size_t i = 0; i < SOSIA_LEN(signs); i++)
        if (strstr(text, signs[i]))
            return true;
    return strpbrk(text, "=<>") != NULL;
}

/* The media type that is called so; another text is one itself. */
static const char *type_named(const char *name)
{
    static const char *const types[][2] = {
        {"folder", "application/vnd.google-apps.folder"},
        {"document", "application/vnd.google-apps.document"},
        {"doc", "application/vnd.google-apps.document"},
        {"spreadsheet", "application/vnd.google-apps.spreadsheet"},
        {"sheet", "application/vnd.google-apps.spreadsheet"},
        {"presentation", "application/vnd.google-apps.presentation"},
        {"slides", "application/vnd.google-apps.presentation"},
        {"form", "application/vnd.google-apps.form"},
        {"drawing", "application/vnd.google-apps.drawing"},
        {"pdf", "application/pdf"},
        {"shortcut", "application/vnd.google-apps.shortcut"},
        {"script", "application/vnd.google-apps.script"},
        {"site", "application/vnd.google-apps.site"},
        {"jam", "application/vnd.google-apps.jam"},
        {"jamboard", "application/vnd.google-apps.jam"},
    };
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (strcasecmp(name, types[i][0]) == 0)
            return types[i][1];
    return name;
}

static const struct json *of_type(struct set_run *r, const char *question)
{
    const struct json *type = json_get(r->args, "file_type");
    if (!value_holds(type))
        return value_text(r->arena, question);
    return value_text(r->arena, arena_printf(r->arena, "(%s) and mimeType = %s", question,
                                             set_quoted(r->arena, type_named(type->str))));
}

static const struct json *question(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    const char *words = value_words(r->arena, v);
    return of_type(r, is_question(words) ? words
                                         : arena_printf(r->arena, "fullText contains %s",
                                                        set_quoted(r->arena, words)));
}

static const struct json *inside(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return of_type(r, arena_printf(r->arena, "%s in parents and trashed=false",
                                   set_quoted(r->arena, value_words(r->arena, v))));
}

static const struct json *exactly(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    return value_text(r->arena, arena_printf(r->arena, "name = %s",
                                             set_quoted(r->arena, value_words(r->arena, v))));
}

/* What a document is exported as; nothing for other files. */
static const struct json *export_of(struct set_run *r, const struct json *v, const char *arg,
                                    const struct json *item)
{
    const char *type = value_words(r->arena, v), *as = NULL;
    if (strcmp(type, "application/vnd.google-apps.document") == 0 ||
        strcmp(type, "application/vnd.google-apps.presentation") == 0)
        as = "text/plain";
    else if (strcmp(type, "application/vnd.google-apps.spreadsheet") == 0)
        as = "text/csv";
    return as ? value_text(r->arena, as) : NULL;
}

/* The text of a file below a heading. */
static int get_content(struct set_run *r, const struct json **ret)
{
    const struct json *as = template_ref(r, "_file.mimeType|export", NULL);
    size_t step = as ? 2 : 1, n = 0;
    const char *content;
    int rc =
        set_call_bytes(r, step, template_eval(r, r->tool->arguments[step], NULL), &content, &n);
    if (rc > 0) {
        bool text = n == strlen(content) && utf8_valid(content, n);
        set_remember(r, "_content",
                     value_text(r->arena,
                                text ? content : arena_printf(r->arena, "[Binary: %zu bytes]", n)));
        *ret = template_eval(r, r->tool->result, NULL);
    }
    return rc;
}

static int file_content(struct set_run *r, const struct json **ret)
{
    const struct json *ignored;
    int rc = workspace_run(r, &ignored); /* which has no steps of its own to run */
    return rc > 0 ? get_content(r, ret) : rc;
}

/* ---- making documents ---- */

/* What the importer takes, by the end of a name. */
static const char *type_of_end(const char *end)
{
    static const char *const types[][2] = {
        {"md", "text/markdown"},
        {"markdown", "text/markdown"},
        {"txt", "text/plain"},
        {"text", "text/plain"},
        {"html", "text/html"},
        {"htm", "text/html"},
        {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
        {"doc", "application/msword"},
        {"rtf", "application/rtf"},
        {"odt", "application/vnd.oasis.opendocument.text"},
    };
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (strcasecmp(end, types[i][0]) == 0)
            return types[i][1];
    return NULL;
}

/* A file name without folders, and where its ending begins; NULL: it has none. */
static const char *base_name(struct arena *a, const char *name, const char **ret_end)
{
    size_t n = strlen(name);
    while (n && name[n - 1] == '/')
        n--;
    char *base = arena_memdup(a, name, n);
    base = strrchr(base, '/') ? strrchr(base, '/') + 1 : base;
    char *dot = strrchr(base, '.');
    bool ends = dot && dot > base && dot[1];
    *ret_end = ends ? dot + 1 : NULL;
    return base;
}

/* The media type of a text that becomes a document: as it is said, by the name, by what it looks
 * like. */
static const struct json *source(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    const struct json *said = json_get(r->args, "source_format");
    const char *content = value_words(r->arena, json_get(r->args, "content")), *end, *type = NULL;
    if (value_holds(said)) {
        type = type_of_end(said->str + strspn(said->str, "."));
        if (!type)
            set_refuse(r, "source_format must be md, txt, html, docx, doc, rtf or odt, is %s",
                       call_quote(r->m->c, said));
        return type ? value_text(r->arena, type) : NULL;
    }
    base_name(r->arena, value_words(r->arena, v), &end);
    if (end)
        type = type_of_end(end);
    if (!type && (*content == '#' || strstr(content, "```") || strstr(content, "**")))
        type = "text/markdown";
    return value_text(r->arena, type ? type : "text/plain");
}

/* A name without its ending. */
static const struct json *stem(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    const char *end, *base = base_name(r->arena, value_words(r->arena, v), &end);
    return end ? value_text(r->arena, arena_memdup(r->arena, base, (size_t)(end - base - 1))) : v;
}

/* ---- who may open a file ---- */

/* Permissions of everybody who has the link. */
static const struct json *of_link(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; v && i < v->n; i++) {
        const char *type = json_get_str(&v->items[i], "type");
        if (type && strcmp(type, "anyone") == 0)
            list_add(&l, &v->items[i]);
    }
    return list_value(&l);
}

/* The first of them, if the link is to be open; with the argument "none": is it to be opened? */
static const struct json *opened(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    const char *to = json_get_str(r->args, "link_sharing");
    const struct json *all = of_link(r, v, NULL, NULL);
    if (!to || strcmp(to, "off") == 0 || !all->n == !arg)
        return NULL;
    return arg ? &value_true : &all->items[0];
}

static int share(struct set_run *r, const struct json **ret)
{
    static const char *const settings[] = {"writers_can_share", "copy_requires_writer_permission"};
    bool any = false;
    for (size_t i = 0; i < SOSIA_LEN(settings); i++)
        any = any || json_get(r->args, settings[i]);
    if (any)
        set_remember(r, "_settings", &value_true);
    if (!any && !json_get(r->args, "link_sharing"))
        return set_refuse(r, "one of link_sharing, writers_can_share and "
                             "copy_requires_writer_permission is required");
    return workspace_run(r, ret);
}

/* A setting in words: the argument, "yes/no"; nothing where it is not given. */
static const struct json *says(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    const char *no = strchr(arg, '/');
    if (!v)
        return NULL;
    return value_text(r->arena, value_holds(v) ? arena_memdup(r->arena, arg, (size_t)(no - arg))
                                               : arena_strdup(r->arena, no + 1));
}

static const char *const links[] = {"off", "reader", "commenter", "writer", NULL};
static const char *const share_types[] = {"user", "group", "domain", "anyone", NULL};
static const char *const roles[] = {"reader", "commenter", "writer", NULL};

#define FILE_ID                                                                                    \
    {                                                                                              \
        .name = "file_id", .required = true, .summary = "Id of the file or folder"                 \
    }
#define LISTED                                                                                     \
    {.name = "page_token", .summary = "Page to begin with"},                                       \
        {.name = "drive_id", .summary = "Id of the one shared drive"},                             \
        {.name = "include_items_from_all_drives",                                                  \
         .type = ARG_BOOLEAN,                                                                      \
         .def = "true",                                                                            \
         .summary = "With what is in shared drives"},                                              \
        {.name = "corpora", .summary = "user, domain, drive or allDrives"},                        \
        {.name = "file_type", .summary = "folder, document, sheet, slides, pdf, ... or a type"},   \
    {                                                                                              \
        .name = "detailed", .type = ARG_BOOLEAN, .def = "true",                                    \
        .summary = "With size, time and link"                                                      \
    }

static const struct set_arg search_args[] = {
    WORKSPACE_USER,
    {.name = "query", .required = true, .summary = "Words, or a question of the service's"},
    {.name = "page_size", .type = ARG_INTEGER, .def = "10", .summary = "Files at most"},
    LISTED,
};
static const struct set_arg list_args[] = {
    WORKSPACE_USER,
    {.name = "folder_id", .def = "root", .summary = "Id of the folder"},
    {.name = "page_size", .type = ARG_INTEGER, .def = "100", .summary = "Files at most"},
    LISTED,
};
static const struct set_arg file_args[] = {WORKSPACE_USER, FILE_ID};
static const struct set_arg folder_args[] = {
    WORKSPACE_USER,
    {.name = "folder_name", .required = true, .summary = "Name of the folder"},
    {.name = "parent_folder_id", .def = "root", .summary = "Id of the folder that it is in"},
};
static const struct set_arg create_args[] = {
    WORKSPACE_USER,
    {.name = "file_name", .required = true, .summary = "Name of the file"},
    {.name = "content", .required = true, .summary = "The content"},
    {.name = "folder_id", .def = "root", .summary = "Id of the folder that it is in"},
    {.name = "mime_type", .def = "text/plain", .summary = "Media type"},
};
static const struct set_arg copy_args[] = {
    WORKSPACE_USER,
    FILE_ID,
    {.name = "new_name", .summary = "Name of the copy"},
    {.name = "parent_folder_id", .def = "root", .summary = "Id of the folder that it is in"},
};
static const struct set_arg update_args[] = {
    WORKSPACE_USER,
    FILE_ID,
    {.name = "name", .summary = "New name"},
    {.name = "description", .summary = "New description"},
    {.name = "mime_type", .summary = "New media type"},
    {.name = "add_parents", .summary = "Ids of folders, with commas between"},
    {.name = "remove_parents", .summary = "Ids of folders, with commas between"},
    {.name = "starred", .type = ARG_BOOLEAN, .summary = "Is it starred?"},
    {.name = "trashed", .type = ARG_BOOLEAN, .summary = "Is it in the trash?"},
    {.name = "writers_can_share", .type = ARG_BOOLEAN, .summary = "May writers share it?"},
    {.name = "copy_requires_writer_permission",
     .type = ARG_BOOLEAN,
     .summary = "May only writers copy it?"},
    {.name = "properties", .type = ARG_MAP, .summary = "Properties"},
};
static const struct set_arg import_args[] = {
    WORKSPACE_USER,
    {.name = "file_name", .required = true, .summary = "Name; its ending is left out"},
    {.name = "content", .required = true, .summary = "The text"},
    {.name = "source_format",
     .summary = "What the text is: md, txt, html, ...; else by the name and the text"},
    {.name = "folder_id", .def = "root", .summary = "Id of the folder that it is in"},
};
static const struct set_arg share_args[] = {
    WORKSPACE_USER,
    FILE_ID,
    {.name = "link_sharing",
     .values = links,
     .unlisted = true,
     .summary = "What everybody may do who has the link: off, reader, commenter or writer"},
    {.name = "writers_can_share", .type = ARG_BOOLEAN, .summary = "May writers share it?"},
    {.name = "copy_requires_writer_permission",
     .type = ARG_BOOLEAN,
     .summary = "May only writers copy it?"},
};
static const struct set_arg public_args[] = {
    WORKSPACE_USER, {.name = "file_name", .required = true, .summary = "Name of the file"}};
static const struct set_arg recipient_members[] = {
    {.name = "email", .required = true, .summary = "Address"},
    {.name = "role", .values = roles, .summary = "Role; reader by default"},
    {.name = "share_type", .values = share_types, .summary = "For whom; user by default"},
    {.name = "expiration_time", .summary = "When it ends"},
};
static const struct set_arg access_args[] = {
    WORKSPACE_USER,
    FILE_ID,
    {.name = "action",
     .required = true,
     .summary = "grant, grant_batch, update, revoke or transfer_owner"},
    {.name = "share_with", .summary = "Address or domain, to grant"},
    {.name = "role",
     .values = roles,
     .unlisted = true,
     .summary = "reader (by default), commenter or writer"},
    {.name = "share_type",
     .def = "user",
     .values = share_types,
     .unlisted = true,
     .summary = "For whom: user, group, domain or anyone"},
    {.name = "permission_id", .summary = "Id of the permission, to update or revoke it"},
    {.name = "recipients",
     SET_ITEMS(recipient_members),
     .json = true,
     .summary = "For whom, with grant_batch"},
    {.name = "send_notification",
     .type = ARG_BOOLEAN,
     .def = "true",
     .summary = "Whether they get a letter"},
    {.name = "email_message", .summary = "What the letter says"},
    {.name = "expiration_time", .summary = "When it ends"},
    {.name = "allow_file_discovery", .type = ARG_BOOLEAN, .summary = "Whether searches find it"},
    {.name = "new_owner_email", .summary = "Address of the new owner"},
    {.name = "move_to_new_owners_root",
     .type = ARG_BOOLEAN,
     .def = "false",
     .summary = "Whether it moves to their drive"},
};

#define ALL "'supportsAllDrives':true"
#define LIST(q)                                                                                    \
    {                                                                                              \
        "drive.files.list",                                                                        \
            "{'q':'" q "','pageSize':'$page_size','pageToken':'$page_token|filled','driveId':"     \
            "'$drive_id|filled','corpora':{'$if':'$corpora','$then':'$corpora','$else':{'$if':"    \
            "'$drive_id','$then':'drive'}},'includeItemsFromAllDrives':"                           \
            "'$include_items_from_all_drives','fields':'nextPageToken,files(id,name,mimeType,"     \
            "webViewLink,iconLink,modifiedTime,size)'," ALL "}"                                    \
    }
#define FOUND(head)                                                                                \
    "{'$text':['" head "\\n',{'$lines':'$0.files','$as':{'$if':'$detailed','$then':{'$text':["     \
    "'- Name: \\\"{.name}\\\" (ID: {.id}, Type: {.mimeType}',{'$if':'$.size','$then':', Size: "    \
    "{.size}'},', Modified: {.modifiedTime|or:N/A}) Link: {.webViewLink|or:#}']},'$else':"         \
    "'- Name: \\\"{.name}\\\" (ID: {.id}, Type: {.mimeType})'}},{'$if':'$0.nextPageToken',"        \
    "'$then':'\\nnextPageToken: {0.nextPageToken}'}]}"
#define PERMISSIONS                                                                                \
    "{'$lines':'$_file.permissions','$as':{'$text':['  - {.role} ({.type}) ',{'$if':"              \
    "'$.emailAddress','$then':'$.emailAddress','$else':{'$if':'$.domain','$then':'$.domain',"      \
    "'$else':'anyone'}},' [ID: {.id}]']}}"
#define SETTING(arg, name, words)                                                                  \
    "{'$if':'$" arg "|says:" words "','$then':'\\n  - " name ": {" arg "|says:" words "}'}"
#define EDITORS SETTING("writers_can_share", "Editors sharing", "allowed/restricted to owner")
#define VIEWERS                                                                                    \
    SETTING("copy_requires_writer_permission", "Viewers copy/print/download", "restricted/allowed")
#define FILE_OF "File: {_file.name}\\nID: {_file.id}\\nType: {_file.mimeType}\\n"
#define LOOK_UP                                                                                    \
    {                                                                                              \
        "drive.files.get", WORKSPACE_NEVER                                                         \
    }

static const struct set_tool tools[] = {
    {.name = "search_drive_files",
     .title = "Search Drive Files",
     .hints = WORKSPACE_READS,
     .summary = "Files that words or a question find",
     SET_ARGS(search_args),
     .steps = {LIST("$query|question")},
     .run = workspace_run,
     .result = FOUND("Found {0.files|count} files for {user_google_email} matching {query}:")},
    {.name = "list_drive_items",
     .title = "List Drive Items",
     .hints = WORKSPACE_READS,
     .summary = "What is in a folder",
     SET_ARGS(list_args),
     .steps = {LIST("$folder_id|inside")},
     .run = workspace_run,
     .result = FOUND("Found {0.files|count} items in folder {folder_id}:")},
    {.name = "get_drive_file_content",
     .title = "Get Drive File Content",
     .hints = WORKSPACE_READS,
     .summary = "The text of a file; documents are exported",
     SET_ARGS(file_args),
     .steps = {LOOK_UP,
               {"drive.files.get", "{'fileId':'$_file.id','alt':'media'," ALL "}", WORKSPACE_NEVER},
               {"drive.files.export", "{'fileId':'$_file.id','mimeType':'$_file.mimeType|export'}",
                WORKSPACE_NEVER}},
     .run = file_content,
     .result = "'File: \\\"{_file.name}\\\" (ID: {_file.id}, Type: {_file.mimeType})\\nLink: "
               "{_file.webViewLink}\\n\\n--- CONTENT ---\\n{_content}'"},
    {.name = "create_drive_folder",
     .title = "Create Drive Folder",
     .hints = WORKSPACE_ADDS,
     .summary = "Make a folder",
     SET_ARGS(folder_args),
     .steps = {{"drive.files.create",
                "{'body':{'name':'$folder_name','mimeType':'application/vnd.google-apps.folder',"
                "'parents':['$parent_folder_id']},'fields':'id,name,webViewLink'," ALL "}"}},
     .run = workspace_run,
     .result = "'The folder {0.name} was made (ID: {0.id}) in {parent_folder_id}. Link: "
               "{0.webViewLink}'"},
    {.name = "create_drive_file",
     .title = "Create Drive File",
     .hints = WORKSPACE_ADDS,
     .summary = "Make a file",
     SET_ARGS(create_args),
     .steps = {{"drive.files.create",
                "{'body':{'name':'$file_name','mimeType':'$mime_type','parents':['$folder_id']},"
                "'media':{'mimeType':'$mime_type','text':'$content'},'fields':'id,name,"
                "webViewLink'," ALL "}"}},
     .run = workspace_run,
     .result = "'The file {0.name} was made (ID: {0.id}) in {folder_id}. Link: {0.webViewLink}'"},
    {.name = "import_to_google_doc",
     .title = "Import to Google Doc",
     .hints = WORKSPACE_ADDS,
     .summary = "Make a document of a text: Markdown, HTML or plain",
     SET_ARGS(import_args),
     .steps = {{"drive.files.create",
                "{'body':{'name':'$file_name|stem','mimeType':"
                "'application/vnd.google-apps.document','parents':['$folder_id']},'media':{"
                "'mimeType':'$file_name|source','text':'$content'},'fields':'id,name,webViewLink,"
                "mimeType'," ALL "}"}},
     .run = workspace_run,
     .result = "'The document {0.name} was made.\\n   Document ID: {0.id}\\n   Source format: "
               "{file_name|source}\\n   Folder: {folder_id}\\n   Link: {0.webViewLink}'"},
    {.name = "copy_drive_file",
     .title = "Copy Drive File",
     .hints = WORKSPACE_ADDS,
     .summary = "Copy a file",
     SET_ARGS(copy_args),
     .steps = {LOOK_UP,
               {"drive.files.copy",
                "{'fileId':'$_file.id','body':{'name':{'$if':'$new_name','$then':'$new_name',"
                "'$else':'Copy of {_file.name}'},'parents':['$parent_folder_id']},'fields':'id,"
                "name,webViewLink,mimeType,parents'," ALL "}"}},
     .run = workspace_run,
     .result = "'Original file ID: {_file.id}\\nNew file ID: {1.id}\\nNew file name: {1.name}\\n"
               "File type: {1.mimeType}\\nLocation: {parent_folder_id}\\n\\nLink: "
               "{1.webViewLink}'"},
    {.name = "update_drive_file",
     .title = "Update Drive File",
     .hints = WORKSPACE_CHANGES,
     .summary = "Change what is known of a file",
     SET_ARGS(update_args),
     .steps = {LOOK_UP,
               {"drive.files.update",
                "{'fileId':'$_file.id','addParents':'$add_parents|filled','removeParents':"
                "'$remove_parents|filled','body':{'name':'$name','description':'$description',"
                "'mimeType':'$mime_type','starred':'$starred','trashed':'$trashed',"
                "'writersCanShare':'$writers_can_share','copyRequiresWriterPermission':"
                "'$copy_requires_writer_permission','properties':'$properties'},'fields':'id,name,"
                "webViewLink'," ALL "}"}},
     .run = workspace_run,
     .result = "'The file was changed: {1.name}\\n   File ID: {1.id}\\n\\nView file: "
               "{1.webViewLink}'"},
    {.name = "get_drive_shareable_link",
     .title = "Get Drive Shareable Link",
     .hints = WORKSPACE_READS,
     .summary = "The links to a file, and who may use them",
     SET_ARGS(file_args),
     .steps = {LOOK_UP},
     .run = workspace_run,
     .result = "{'$text':['" FILE_OF
               "Shared: {_file.shared}\\n\\nLinks:\\n  View: {_file.webViewLink}',{'$if':"
               "'$_file.webContentLink','$then':'\\n  Download: {_file.webContentLink}'},{'$if':"
               "'$_file.permissions','$then':{'$text':['\\n\\nCurrent permissions:\\n'," PERMISSIONS
               "]}}]}"},
    {.name = "get_drive_file_permissions",
     .title = "Get Drive File Permissions",
     .hints = WORKSPACE_READS,
     .summary = "Who may do what with a file",
     SET_ARGS(file_args),
     .steps = {LOOK_UP},
     .run = workspace_run,
     .result = "{'$text':['" FILE_OF
               "Size: {_file.size|or:N/A} bytes\\nModified: {_file.modifiedTime}\\n\\nSharing "
               "Status:\\n  Shared: {_file.shared}\\n  Permissions: "
               "{_file.permissions|count}\\n'," PERMISSIONS ",'\\n\\nURLs:\\n  View Link: "
               "{_file.webViewLink}']}"},
    {.name = "check_drive_file_public_access",
     .title = "Check Drive File Public Access",
     .hints = WORKSPACE_READS,
     .summary = "Whether anyone may open a file, by its name",
     SET_ARGS(public_args),
     .steps = {{"drive.files.list",
                "{'q':'$file_name|exactly','pageSize':10,'fields':'files(id,name,mimeType,shared,"
                "permissions)','includeItemsFromAllDrives':true," ALL "}"}},
     .run = workspace_run,
     .result = "{'$if':'$0.files','$then':{'$text':['Files of this name: "
               "{0.files|count}\\nFile: {0.files.0.name}\\nID: {0.files.0.id}\\nType: "
               "{0.files.0.mimeType}\\nShared: {0.files.0.shared}\\n\\n',{'$if':"
               "'$0.files.0.permissions.[type=anyone].id','$then':'PUBLIC ACCESS ENABLED','$else':"
               "'NO PUBLIC ACCESS'}]},'$else':'There is no file of the name {file_name}.'}"},
    {.name = "set_drive_file_permissions",
     .title = "Set Drive File Permissions",
     .hints = WORKSPACE_CHANGES,
     .summary = "Open a file to everybody who has the link, and what its people may do with it",
     SET_ARGS(share_args),
     .steps =
         {LOOK_UP,
          {"drive.files.update",
           "{'fileId':'$_file.id','body':{'writersCanShare':'$writers_can_share',"
           "'copyRequiresWriterPermission':'$copy_requires_writer_permission'},'fields':'id'," ALL
           "}",
           .when = "_settings"},
          {"drive.permissions.list",
           "{'fileId':'$_file.id','fields':'permissions(id,type,role)'," ALL "}",
           .when = "link_sharing"},
          {"drive.permissions.delete", "{'fileId':'$_file.id','permissionId':'$.id'," ALL "}",
           .when = "link_sharing|is:off", .each = "2.permissions|of_link"},
          {"drive.permissions.update",
           "{'fileId':'$_file.id','permissionId':'$2.permissions|opened|id','body':{'role':"
           "'$link_sharing'},'fields':'id,type,role'," ALL "}",
           .when = "2.permissions|opened"},
          {"drive.permissions.create",
           "{'fileId':'$_file.id','body':{'type':'anyone','role':'$link_sharing',"
           "'allowFileDiscovery':false},'fields':'id,type,role'," ALL "}",
           .when = "2.permissions|opened:none"}},
     .run = share,
     .result = "{'$text':['Permissions of {_file.name}\\n\\nChanges:'," EDITORS "," VIEWERS
               ",{'$if':'$link_sharing','$then':'\\n  - Link sharing: {link_sharing}'},{'$if':"
               "'$link_sharing|is:off','$then':{'$if':'$3','$else':' (no change)'}},'\\n\\nView "
               "link: {_file.webViewLink}']}"},
    {.name = "manage_drive_access",
     .title = "Manage Drive Access",
     .hints = WORKSPACE_CHANGES,
     .summary = "Share a file, change or end what others may do, give it to another owner",
     SET_ARGS(access_args),
     .steps = {LOOK_UP,
               {"drive.permissions.create",
                "{'fileId':'$_file.id','body':{'type':'$share_type','role':'$role|or:reader',"
                "'emailAddress':{'$if':'$share_type|person','$then':'$share_with'},'domain':{'$if':"
                "'$share_type|is:domain','$then':'$share_with'},'expirationTime':"
                "'$expiration_time|filled','allowFileDiscovery':'$allow_file_discovery'},"
                "'sendNotificationEmail':{'$if':'$share_type|person','$then':"
                "'$send_notification'},'emailMessage':'$email_message|filled'," ALL "}",
                .when = "_grant"},
               {"drive.permissions.create",
                "{'fileId':'$_file.id','body':{'type':'$.share_type|or:user','role':"
                "'$.role|or:reader','emailAddress':'$.email','expirationTime':"
                "'$.expiration_time|filled'},'sendNotificationEmail':'$send_notification',"
                "'emailMessage':'$email_message|filled'," ALL "}",
                .when = "_grant_batch", .each = "recipients", .tries = true},
               {"drive.permissions.update",
                "{'fileId':'$_file.id','permissionId':'$permission_id','body':{'role':'$role',"
                "'expirationTime':'$expiration_time|filled'}," ALL "}",
                .when = "_update"},
               {"drive.permissions.delete",
                "{'fileId':'$_file.id','permissionId':'$permission_id'," ALL "}",
                .when = "_revoke"},
               {"drive.permissions.create",
                "{'fileId':'$_file.id','transferOwnership':true,'moveToNewOwnersRoot':"
                "'$move_to_new_owners_root','body':{'type':'user','role':'owner','emailAddress':"
                "'$new_owner_email'}," ALL "}",
                .when = "_transfer_owner"}},
     .run = workspace_run,
     .result = "{'$text':['File: {_file.name}\\n',{'$if':'$_grant','$then':'Permission created: "
               "{1.role} ({1.type}) [ID: {1.id}]'},{'$if':'$_grant_batch','$then':{'$text':['"
               "Summary: {2|done|count} succeeded, {2|refused|count} failed\\n',{'$lines':'$2',"
               "'$as':{'$if':'$.refused','$then':'  - {.of.email}: {.refused}','$else':'  - "
               "{.of.email}: {.response.role} [ID: {.response.id}]'}}]}},{'$if':'$_update','$then':"
               "'Permission updated: {3.role} [ID: {3.id}]'},{'$if':'$_revoke','$then':"
               "'Permission revoked: {permission_id}'},{'$if':'$_transfer_owner','$then':'New "
               "owner: {new_owner_email}'}]}"},
};

static const struct json *person(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    const char *type = value_words(r->arena, v);
    return strcmp(type, "user") == 0 || strcmp(type, "group") == 0 ? &value_true : NULL;
}

static const struct json *id_of(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    return json_get(v, "id");
}

static const struct set_filter filters[] = {
    {"source", source},   {"stem", stem},        {"of_link", of_link},   {"opened", opened},
    {"says", says},       {"id", id_of},         {"question", question}, {"inside", inside},
    {"exactly", exactly}, {"export", export_of}, {"person", person},     {NULL, NULL}};

const struct set_tools workspace_drive = {.set = SET_WORKSPACE,
                                          .service = "drive",
                                          .closed = true,
                                          .filters = filters,
                                          .tools = tools,
                                          .n = SOSIA_LEN(tools)};
