/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/sets/community/community.h"
#include "mcp/sets/community/drive.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include <ctype.h>
#include <strings.h>

#define MAX_PARENTS 10 /* folders of a path that is shown */
#define MAX_FOLDERS 50 /* of a path that is given */

/* ---- calls ---- */

static const struct json *text(struct set_run *r, const char *s)
{
    return value_text(r->arena, s);
}

/* Files that a question finds, whatever drive they are in. 1, 0, -1. */
static int find_files(struct set_run *r, const char *question, const char *fields, int64_t most,
                      const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, "q", text(r, question));
    object_put(&o, "fields", text(r, arena_printf(r->arena, "files(%s)", fields)));
    object_put(&o, "pageSize", value_int(r->arena, most));
    object_put(&o, "includeItemsFromAllDrives", &value_true);
    object_put(&o, "supportsAllDrives", &value_true);
    int rc = set_call_method(r, "drive.files.list", object_value(&o), ret);
    if (rc > 0)
        *ret = json_get(*ret, "files");
    return rc;
}

static const struct json *first_of(const struct json *list)
{
    return list && list->type == JSON_ARRAY && list->n ? &list->items[0] : NULL;
}

static int get_file(struct set_run *r, const struct json *id, const char *fields,
                    const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, "fileId", id);
    object_put(&o, "fields", text(r, fields));
    object_put(&o, "supportsAllDrives", &value_true);
    return set_call_method(r, "drive.files.get", object_value(&o), ret);
}

/* ---- folders ---- */

/* The folder of that name in another, which is made if it is not there. 1, 0, -1. */
static int step_into(struct set_run *r, const char *name, const struct json **folder)
{
    struct value_object o = {.arena = r->arena}, body = {.arena = r->arena};
    struct value_list parents = {.arena = r->arena};
    const struct json *files, *made;
    const char *question = arena_printf(
        r->arena,
        "%s in parents and name = %s and mimeType = '" CDRIVE_FOLDER "' and trashed = false",
        set_quoted(r->arena, (*folder)->str), set_quoted(r->arena, name));
    int rc = find_files(r, question, "id", 1, &files);
    if (rc <= 0)
        return rc;
    if (first_of(files)) {
        *folder = json_get(first_of(files), "id");
        return 1;
    }
    list_add(&parents, *folder);
    object_put(&body, "name", text(r, name));
    object_put(&body, "mimeType", text(r, CDRIVE_FOLDER));
    object_put(&body, "parents", list_value(&parents));
    object_put(&o, "body", object_value(&body));
    object_put(&o, "fields", text(r, "id"));
    object_put(&o, "supportsAllDrives", &value_true);
    rc = set_call_method(r, "drive.files.create", object_value(&o), &made);
    if (rc > 0)
        *folder = json_get(made, "id");
    return rc;
}

/* "$_folder" is the id of the folder that the argument says, by its id or as /a/path, else the
 * root. 1, 0, -1. */
static int folder_of(struct set_run *r, const char *arg)
{
    const char *given = json_get_str(r->args, arg);
    const struct json *folder = text(r, given && *given && *given != '/' ? given : "root");
    int rc = 1, folders = 0;
    for (const char *at = given && *given == '/' ? given : ""; rc > 0 && *at;) {
        size_t n;
        at += strspn(at, "/");
        n = strcspn(at, "/");
        if (n && ++folders > MAX_FOLDERS)
            return set_refuse(r, "%s must have at most %d folders", arg, MAX_FOLDERS);
        if (n)
            rc = step_into(r, arena_memdup(r->arena, at, n), &folder);
        at += n;
    }
    set_remember(r, "_folder", folder);
    return rc;
}

/* Refuses if the folder has something of that name. 1, 0, -1. */
static int must_be_new(struct set_run *r, const char *name)
{
    const struct json *files;
    const char *folder = json_get_str(r->args, "_folder");
    int rc = find_files(r,
                        arena_printf(r->arena, "name = %s and %s in parents and trashed = false",
                                     set_quoted(r->arena, name), set_quoted(r->arena, folder)),
                        "id,name,mimeType", 1, &files);
    if (rc > 0 && first_of(files))
        return set_refuse(r, "\"%s\" is there already: its id is %s", name,
                          value_words(r->arena, json_get(first_of(files), "id")));
    r->why = NULL;
    return rc < 0 ? -1 : 1;
}

/* A name that has to end in .txt or .md; "$_type" is the media type. 1, 0. */
static int text_name(struct set_run *r, const char *name)
{
    const char *dot = strrchr(name, '.');
    bool markdown = dot && strcasecmp(dot, ".md") == 0;
    if (!dot || (!markdown && strcasecmp(dot, ".txt") != 0))
        return set_refuse(r, "the name must end in .txt or .md, not \"%s\"", name);
    set_remember(r, "_type", text(r, markdown ? "text/markdown" : "text/plain"));
    return 1;
}

int cdrive_create_text(struct set_run *r, const struct json **ret)
{
    const char *name = json_get_str(r->args, "name");
    int rc = text_name(r, name);
    if (rc > 0)
        rc = folder_of(r, "parentFolderId");
    if (rc > 0)
        rc = must_be_new(r, name);
    return rc > 0 ? set_run_steps(r, ret) : rc;
}

int cdrive_create_folder(struct set_run *r, const struct json **ret)
{
    int rc = folder_of(r, "parent");
    if (rc > 0)
        rc = must_be_new(r, json_get_str(r->args, "name"));
    return rc > 0 ? set_run_steps(r, ret) : rc;
}

int cdrive_shortcut(struct set_run *r, const struct json **ret)
{
    int rc = folder_of(r, "parentFolderId");
    return rc > 0 ? set_run_steps(r, ret) : rc;
}

int cdrive_copy(struct set_run *r, const struct json **ret)
{
    int rc = json_get(r->args, "parentFolderId") ? folder_of(r, "parentFolderId") : 1;
    return rc > 0 ? set_run_steps(r, ret) : rc;
}

int cdrive_move(struct set_run *r, const struct json **ret)
{
    const char *to = json_get_str(r->args, "destinationFolderId");
    const char *id = json_get_str(r->args, "itemId");
    if (to && strcmp(to, id) == 0)
        return set_refuse(r, "a folder can't be moved into itself");
    int rc = folder_of(r, "destinationFolderId");
    return rc > 0 ? set_run_steps(r, ret) : rc;
}

/* ---- texts ---- */

static bool is_text(const struct json *file)
{
    const char *type = json_get_str(file, "mimeType");
    return type && str_starts(type, "text/");
}

int cdrive_update_text(struct set_run *r, const struct json **ret)
{
    const char *name = json_get_str(r->args, "name");
    const struct json *file;
    int rc = get_file(r, json_get(r->args, "fileId"), "mimeType,name", &file);
    if (rc <= 0)
        return rc;
    if (!is_text(file))
        return set_refuse(r, "the file must be a text, not %s",
                          value_words(r->arena, json_get(file, "mimeType")));
    set_remember(r, "_now", json_get(file, "mimeType"));
    if (name && *name && text_name(r, name) <= 0)
        return 0;
    return set_run_steps(r, ret);
}

int cdrive_rename(struct set_run *r, const struct json **ret)
{
    const struct json *file;
    int rc = get_file(r, json_get(r->args, "itemId"), "name,mimeType", &file);
    const char *type = rc > 0 ? json_get_str(file, "mimeType") : NULL;
    if (type && (strcmp(type, "text/plain") == 0 || strcmp(type, "text/markdown") == 0))
        rc = text_name(r, json_get_str(r->args, "newName"));
    set_remember(r, "_name", rc > 0 ? json_get(file, "name") : NULL);
    return rc > 0 ? set_run_steps(r, ret) : rc;
}

/* Bytes of the content; step: the index of the row's one that takes them. */
static int get_content(struct set_run *r, size_t step, const char **ret, size_t *ret_n)
{
    return set_call_bytes(r, step, template_eval(r, r->row->arguments[step], NULL), ret, ret_n);
}

/* Where a number of characters ends. */
static size_t cut_at(const char *s, size_t n, int64_t most)
{
    size_t i = 0;
    for (int64_t k = 0; i < n && k < most; k++)
        for (i++; i < n && ((unsigned char)s[i] & 0xc0) == 0x80;)
            i++;
    return i;
}

int cdrive_read_text(struct set_run *r, const struct json **ret)
{
    const struct json *file, *most = json_get(r->args, "maxLength");
    int64_t limit = INT64_MAX, all = 0;
    const char *content;
    size_t n;
    int rc = get_file(r, json_get(r->args, "fileId"), "mimeType,name", &file);
    if (rc <= 0)
        return rc;
    if (!is_text(file))
        return set_refuse(r, "the file must be a text, not %s",
                          value_words(r->arena, json_get(file, "mimeType")));
    if ((rc = get_content(r, 1, &content, &n)) <= 0)
        return rc;
    if (!utf8_valid(content, n))
        return set_refuse(r, "the file is not text in UTF-8");
    if (most)
        json_i64(most, &limit);
    for (size_t i = 0; i < n; i++)
        all += ((unsigned char)content[i] & 0xc0) != 0x80;
    size_t shown = all > limit ? cut_at(content, n, limit) : n;
    char *body = arena_memdup(r->arena, content, shown);
    *ret = text(r, arena_printf(r->arena,
                                "File: %s\nMIME type: %s\nLength: %lld characters\nTruncated: %s\n"
                                "---\n%s",
                                value_words(r->arena, json_get(file, "name")),
                                json_get_str(file, "mimeType"), (long long)all,
                                all > limit ? arena_printf(r->arena, "yes (showing first %lld)",
                                                           (long long)limit)
                                            : "no",
                                body));
    return 1;
}

/* Documents are exported, other files come as they are; what is not text in base64. */
int cdrive_read(struct set_run *r, const struct json **ret)
{
    static const char *const exports[][2] = {
        {"application/vnd.google-apps.document", "text/markdown"},
        {"application/vnd.google-apps.spreadsheet", "text/csv"},
        {"application/vnd.google-apps.presentation", "text/plain"},
        {"application/vnd.google-apps.drawing", "image/png"},
    };
    const struct json *file;
    const char *content, *as = "text/plain";
    size_t n;
    int rc = get_file(r, json_get(r->args, "fileId"), "mimeType,name", &file);
    if (rc <= 0)
        return rc;
    const char *type = value_words(r->arena, json_get(file, "mimeType"));
    bool own = str_starts(type, "application/vnd.google-apps");
    for (size_t i = 0; i < SOSIA_LEN(exports); i++)
        if (strcmp(type, exports[i][0]) == 0)
            as = exports[i][1];
    set_remember(r, "_as", text(r, as));
    if ((rc = get_content(r, own ? 2 : 1, &content, &n)) <= 0)
        return rc;
    bool readable = own || str_starts(type, "text/") || strcmp(type, "application/json") == 0;
    if (!readable || !utf8_valid(content, n))
        content = base64_text(r->arena, NULL, content, n);
    *ret = text(r, arena_printf(r->arena, "Contents of %s:\n\n%s",
                                value_words(r->arena, json_get(file, "name")), content));
    return 1;
}

/* A document goes as PDF where it is not said. */
int cdrive_download(struct set_run *r, const struct json **ret)
{
    const char *as = json_get_str(r->args, "exportMimeType"), *bytes;
    const char *path = json_get_str(r->args, "localPath");
    const struct json *file, *kept;
    size_t n;
    int rc = get_file(r, json_get(r->args, "fileId"), "mimeType,name", &file);
    if (rc <= 0)
        return rc;
    bool own = str_starts(value_words(r->arena, json_get(file, "mimeType")),
                          "application/vnd.google-apps");
    set_remember(r, "_as", text(r, as && *as ? as : "application/pdf"));
    if ((rc = get_content(r, own ? 2 : 1, &bytes, &n)) <= 0)
        return rc;
    const struct set_file save = {.path = path,
                                  .name = value_words(r->arena, json_get(file, "name")),
                                  .data = bytes,
                                  .len = n,
                                  .over = value_holds(json_get(r->args, "overwrite"))};
    if ((rc = set_file_save(r, &save, &kept)) <= 0)
        return rc;
    *ret = text(
        r, arena_printf(r->arena, "Saved: %s\nSize: %zu bytes", json_get_str(kept, "path"), n));
    return 1;
}

/* ---- searching ---- */

/* Is there the word trashed, and a = behind it? */
static bool says_trashed(const char *q)
{
    static const char word[] = "trashed";
    for (const char *at = strstr(q, word); at; at = strstr(at + 1, word)) {
        const char *end = at + sizeof word - 1;
        if (at > q && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            continue;
        end += strspn(end, " \t\r\n");
        if (*end == '=')
            return true;
    }
    return false;
}

/* The names of the folders above, as far as they can be read. */
static const char *path_of(struct set_run *r, struct value_object *known, const char *id, int depth)
{
    for (size_t i = 0; i < known->n; i++)
        if (strcmp(known->members[i].key, id) == 0)
            return known->members[i].value.str;
    const struct json *folder;
    const char *path = id;
    if (depth >= MAX_PARENTS)
        return id;
    if (get_file(r, text(r, id), "name,parents", &folder) > 0) {
        const struct json *above = first_of(json_get(folder, "parents"));
        const char *name = json_get_str(folder, "name");
        path = name ? name : id;
        if (above && strcmp(above->str, id) != 0)
            path = arena_printf(r->arena, "%s/%s", path_of(r, known, above->str, depth + 1), path);
    }
    r->why = NULL;
    object_put(known, id, text(r, path));
    return path;
}

int cdrive_search(struct set_run *r, const struct json **ret)
{
    const char *words = json_get_str(r->args, "query");
    bool raw = value_holds(json_get(r->args, "rawQuery"));
    const char *q = raw && says_trashed(words) ? words
                    : raw ? arena_printf(r->arena, "%s and trashed = false", words)
                          : arena_printf(r->arena, "fullText contains %s and trashed = false",
                                         set_quoted(r->arena, words));
    struct value_object known = {.arena = r->arena};
    struct value_list files = {.arena = r->arena};
    set_remember(r, "_q", text(r, q));
    int rc = set_call(r, 0, template_eval(r, r->row->arguments[0], NULL), &r->responses[0]);
    const struct json *found = rc > 0 ? json_get(r->responses[0], "files") : NULL;
    for (uint32_t i = 0; found && i < found->n; i++) {
        struct value_object o = {.arena = r->arena};
        const struct json *parent = first_of(json_get(&found->items[i], "parents"));
        for (uint32_t k = 0; k < found->items[i].n; k++)
            object_put(&o, found->items[i].members[k].key, &found->items[i].members[k].value);
        object_put(&o, "path", text(r, parent ? path_of(r, &known, parent->str, 0) : "/"));
        list_add(&files, object_value(&o));
    }
    set_remember(r, "_files", list_value(&files));
    if (rc > 0)
        *ret = template_eval(r, r->row->result, NULL);
    return rc;
}

/* ---- permissions ---- */

/* The permission of a person, by their address; NULL: there is none. 1, 0, -1. */
static int permission_of(struct set_run *r, const char *email, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    const struct json *response;
    object_put(&o, "fileId", json_get(r->args, "fileId"));
    object_put(&o, "fields", text(r, "permissions(id,type,emailAddress,role)"));
    object_put(&o, "supportsAllDrives", &value_true);
    int rc = set_call_method(r, "drive.permissions.list", object_value(&o), &response);
    const struct json *all = rc > 0 ? json_get(response, "permissions") : NULL;
    *ret = NULL;
    for (uint32_t i = 0; all && i < all->n; i++) {
        const char *address = json_get_str(&all->items[i], "emailAddress");
        const char *type = json_get_str(&all->items[i], "type");
        if (address && type && strcmp(type, "user") == 0 && strcasecmp(address, email) == 0)
            *ret = &all->items[i];
    }
    return rc;
}

int cdrive_add_permission(struct set_run *r, const struct json **ret)
{
    const char *type = json_get_str(r->args, "type");
    bool person = strcmp(type, "user") == 0 || strcmp(type, "group") == 0;
    bool domain = strcmp(type, "domain") == 0;
    if (person && !value_holds(json_get(r->args, "emailAddress")))
        return set_refuse(r, "emailAddress is required with the type %s", type);
    if (domain && !value_holds(json_get(r->args, "domain")))
        return set_refuse(r, "domain is required with the type domain");
    set_remember(r, "_email", person ? json_get(r->args, "emailAddress") : NULL);
    set_remember(r, "_domain", domain ? json_get(r->args, "domain") : NULL);
    set_remember(r, "_discovery", person ? NULL : json_get(r->args, "allowFileDiscovery"));
    return set_run_steps(r, ret);
}

int cdrive_remove_permission(struct set_run *r, const struct json **ret)
{
    const char *email = json_get_str(r->args, "emailAddress");
    const struct json *id = json_get(r->args, "permissionId"), *found;
    if (!value_holds(id)) {
        if (!email || !*email)
            return set_refuse(r, "permissionId or emailAddress is required");
        int rc = permission_of(r, email, &found);
        if (rc <= 0)
            return rc;
        if (!found)
            return set_refuse(r, "%s has no permission", email);
        id = json_get(found, "id");
    }
    set_remember(r, "_id", id);
    return set_run_steps(r, ret);
}

int cdrive_share(struct set_run *r, const struct json **ret)
{
    const char *role = json_get_str(r->args, "role");
    const struct json *found;
    int rc = permission_of(r, json_get_str(r->args, "emailAddress"), &found);
    if (rc <= 0)
        return rc;
    const char *now = json_get_str(found, "role");
    if (now && strcmp(now, role) == 0) {
        *ret = text(r, arena_printf(r->arena, "%s has the role %s already. Permission ID: %s",
                                    json_get_str(r->args, "emailAddress"), role,
                                    value_words(r->arena, json_get(found, "id"))));
        return 1;
    }
    set_remember(r, found ? "_id" : "_new", found ? json_get(found, "id") : &value_true);
    return set_run_steps(r, ret);
}

/* ---- content ---- */

/* The media type by the end of a name; NULL: it is not known. */
static const char *type_of(const char *name)
{
    static const char *const types[][2] = {
        {"jpg", "image/jpeg"},
        {"jpeg", "image/jpeg"},
        {"png", "image/png"},
        {"gif", "image/gif"},
        {"webp", "image/webp"},
        {"svg", "image/svg+xml"},
        {"mp3", "audio/mpeg"},
        {"wav", "audio/wav"},
        {"ogg", "audio/ogg"},
        {"mp4", "video/mp4"},
        {"webm", "video/webm"},
        {"mov", "video/quicktime"},
        {"pdf", "application/pdf"},
        {"zip", "application/zip"},
        {"gz", "application/gzip"},
        {"tar", "application/x-tar"},
        {"json", "application/json"},
        {"xml", "application/xml"},
        {"csv", "text/csv"},
        {"html", "text/html"},
        {"css", "text/css"},
        {"js", "application/javascript"},
        {"doc", "application/msword"},
        {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
        {"xls", "application/vnd.ms-excel"},
        {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
        {"ppt", "application/vnd.ms-powerpoint"},
        {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < SOSIA_LEN(types); i++)
        if (strcasecmp(dot + 1, types[i][0]) == 0)
            return types[i][1];
    return NULL;
}

/* The kind of document that a file of an office program becomes; NULL: none. */
static const char *document_of(const char *type)
{
    static const char *const kinds[][2] = {
        {"word", "application/vnd.google-apps.document"},
        {"excel", "application/vnd.google-apps.spreadsheet"},
        {"spreadsheetml", "application/vnd.google-apps.spreadsheet"},
        {"p", "application/vnd.google-apps.presentation"},
    };
    if (!str_starts(type, "application/vnd.openxml") && !str_starts(type, "application/ms") &&
        !str_starts(type, "application/vnd.ms-"))
        return NULL;
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++)
        if (strstr(type, kinds[i][0]))
            return kinds[i][1];
    return NULL;
}

/* Base64 without whitespace, in whole groups of four; NULL: it is not that. */
static const char *whole_base64(struct set_run *r, const char *data)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = arena_strdup(r->arena, data), *to = text;
    for (const char *p = text; *p; p++)
        if (!isspace((unsigned char)*p))
            *to++ = *p;
    *to = 0;
    size_t n = (size_t)(to - text), used = strspn(text, letters);
    return n && n % 4 == 0 && n - used <= 2 && strspn(text + used, "=") == n - used ? text : NULL;
}

/* What the arguments must keep to; "$_bytes" is the content, "$_called" the name. 1, 0, -1. */
static int check_upload(struct set_run *r)
{
    const char *data = json_get_str(r->args, "contentBase64");
    bool has_id = value_holds(json_get(r->args, "fileId"));
    const char *path = json_get_str(r->args, "localPath");
    const struct json *file = NULL;
    if (path && data)
        return set_refuse(r, "localPath must be absent where there is contentBase64");
    if (path) {
        int rc = set_file_read(r, path, &file);
        if (rc <= 0)
            return rc;
        data = json_get_str(file, "data");
    }
    if (!data)
        return set_refuse(r, "contentBase64 is required, or localPath");
    if (has_id && value_holds(json_get(r->args, "convertToGoogleFormat")))
        return set_refuse(r, "convertToGoogleFormat must be absent where there is a fileId");
    if (has_id && value_holds(json_get(r->args, "parentFolderId")))
        return set_refuse(r, "parentFolderId must be absent where there is a fileId");
    if (!file && !(data = whole_base64(r, data)))
        return set_refuse(r, "contentBase64 must be base64");
    const struct json *name = json_get(r->args, "name");
    if (!value_holds(name))
        name = json_get(file, "name");
    if (!has_id && !value_holds(name))
        return set_refuse(r, "name is required for a new file");
    set_remember(r, "_called", name);
    set_remember(r, "_bytes", text(r, data));
    return 1;
}

int cdrive_upload(struct set_run *r, const struct json **ret)
{
    const char *type = json_get_str(r->args, "mimeType");
    bool convert = value_holds(json_get(r->args, "convertToGoogleFormat"));
    const struct json *file, *id = json_get(r->args, "fileId");
    int rc = check_upload(r);
    if (rc <= 0)
        return rc;
    const char *name = value_words(r->arena, json_get(r->args, "_called"));
    if (!type || !*type)
        type = type_of(name);
    if (!type && value_holds(id)) {
        if ((rc = get_file(r, id, "mimeType", &file)) <= 0)
            return rc;
        type = json_get_str(file, "mimeType");
        if (type && str_starts(type, "application/vnd.google-apps"))
            return set_refuse(r, "mimeType is required for a file of the type %s", type);
    }
    if (!type)
        type = "application/octet-stream";
    if (convert && !document_of(type))
        return set_refuse(r, "mimeType must be one of an office program, not %s", type);
    const char *dot = convert ? strrchr(name, '.') : NULL;
    set_remember(r, "_name",
                 text(r, dot ? arena_memdup(r->arena, name, (size_t)(dot - name)) : name));
    set_remember(r, "_type", text(r, type));
    set_remember(r, "_document", convert ? text(r, document_of(type)) : NULL);
    set_remember(r, value_holds(id) ? "_old" : "_new", &value_true);
    if (!value_holds(id))
        rc = folder_of(r, "parentFolderId");
    return rc > 0 ? set_run_steps(r, ret) : rc;
}

int cdrive_restore(struct set_run *r, const struct json **ret)
{
    const struct json *file;
    const char *bytes;
    size_t n;
    if (!value_holds(json_get(r->args, "confirm")))
        return set_refuse(r, "confirm must be true");
    int rc = get_file(r, json_get(r->args, "fileId"), "name,mimeType", &file);
    if (rc <= 0)
        return rc;
    const char *type = value_words(r->arena, json_get(file, "mimeType"));
    if (str_starts(type, "application/vnd.google-apps"))
        return set_refuse(r, "the file must have content of its own, not %s", type);
    set_remember(r, "_name", json_get(file, "name"));
    set_remember(r, "_type", json_get(file, "mimeType"));
    if ((rc = get_content(r, 1, &bytes, &n)) <= 0)
        return rc;
    set_remember(r, "_data", text(r, base64_text(r->arena, NULL, bytes, n)));
    return set_run_steps(r, ret);
}

/* ---- filters ---- */

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

const struct set_filter community_drive_filters[] = {{"named", name_question},
                                                     {"inside", inside},
                                                     {"locked", locked},
                                                     {"unlocked", unlocked},
                                                     {NULL, NULL}};
