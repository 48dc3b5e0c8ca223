/* SPDX-License-Identifier: Apache-2.0 */
/* What the hosted tools of OneDrive make of Graph's items. */
#include "engine/base/utf8.h"
#include "mcp/sets/hosted/hosted.h"

/* A member of a shape: where it is, with dots between. */
struct shown {
    const char *name, *path;
};

static const struct json *at_path(const struct json *v, const char *path)
{
    char name[64];
    while (v && *path) {
        size_t n = strcspn(path, "/");
        if (n >= sizeof name)
            return NULL;
        memcpy(name, path, n);
        name[n] = 0;
        v = json_get(v, name);
        path += n + (path[n] != 0);
    }
    return v && v->type != JSON_NULL ? v : NULL;
}

static void put_all(struct value_object *o, const struct json *v, const struct shown *all, size_t n)
{
    for (size_t i = 0; i < n; i++)
        object_put(o, all[i].name, at_path(v, all[i].path));
}

static const struct json *truth(bool is)
{
    static const struct json no = {.type = JSON_BOOL, .truth = false};
    return is ? &value_true : &no;
}

static const struct json *item(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *of)
{
    static const struct shown first[] = {
        {"itemId", "id"},
        {"name", "name"},
        {"size", "size"},
        {"lastModified", "lastModifiedDateTime"},
        {"created", "createdDateTime"},
        {"webUrl", "webUrl"},
        {"downloadUrl", "@microsoft.graph.downloadUrl"},
    };
    static const struct shown rest[] = {
        {"parentId", "parentReference/id"},
        {"parentPath", "parentReference/path"},
        {"parentName", "parentReference/name"},
        {"driveId", "parentReference/driveId"},
        {"driveType", "parentReference/driveType"},
        {"siteId", "parentReference/siteId"},
        {"mimeType", "file/mimeType"},
        {"hashSha1", "file/hashes/sha1Hash"},
        {"hashSha256", "file/hashes/sha256Hash"},
        {"hashQuickXor", "file/hashes/quickXorHash"},
        {"folderChildCount", "folder/childCount"},
        {"createdBy", "createdBy/user/displayName"},
        {"modifiedBy", "lastModifiedBy/user/displayName"},
        {"shared", "shared"},
    };
    struct value_object o = {.arena = r->arena};
    if (!v || v->type != JSON_OBJECT)
        return v;
    put_all(&o, v, first, SOSIA_LEN(first));
    object_put(&o, "isFolder", truth(json_get(v, "folder") != NULL));
    object_put(&o, "isFile", truth(json_get(v, "file") != NULL));
    put_all(&o, v, rest, SOSIA_LEN(rest));
    return object_value(&o);
}

static const struct json *items(struct set_run *r, const struct json *list, bool folders)
{
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (!folders || json_get(&list->items[i], "folder"))
            list_add(&l, item(r, &list->items[i], NULL, NULL));
    return list_value(&l);
}

static const struct json *folders(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *of)
{
    return items(r, v, true);
}

/* A list's response: its items, and where the next page is. */
static const struct json *page(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *of)
{
    const struct json *list = json_get(v, "value");
    struct value_object o = {.arena = r->arena};
    object_put(&o, "nextPageToken", json_get(v, "@odata.nextLink"));
    object_put(&o, "totalCount", json_get(v, "@odata.count"));
    object_put(&o, "items", items(r, list, false));
    object_put(&o, "count",
               value_int(r->arena, list && list->type == JSON_ARRAY ? (int64_t)list->n : 0));
    return object_value(&o);
}

/* Items of another drive, which they are shared from. */
static const struct json *shared(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *of)
{
    static const struct shown first[] = {
        {"sharedItemId", "id"},
        {"name", "name"},
        {"size", "size"},
        {"lastModified", "lastModifiedDateTime"},
        {"created", "createdDateTime"},
        {"webUrl", "webUrl"},
    };
    static const struct shown rest[] = {
        {"mimeType", "remoteItem/file/mimeType"},
        {"parentId", "remoteItem/parentReference/id"},
        {"driveId", "remoteItem/parentReference/driveId"},
        {"sharedBy", "remoteItem/shared/sharedBy/user/displayName"},
        {"sharedDateTime", "remoteItem/shared/sharedDateTime"},
        {"permissions", "permissions"},
    };
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++) {
        const struct json *one = &v->items[i];
        struct value_object o = {.arena = r->arena};
        put_all(&o, one, first, SOSIA_LEN(first));
        object_put(&o, "isFolder",
                   truth(at_path(one, "folder") || at_path(one, "remoteItem/folder")));
        object_put(&o, "isFile", truth(at_path(one, "file") || at_path(one, "remoteItem/file")));
        put_all(&o, one, rest, SOSIA_LEN(rest));
        list_add(&l, object_value(&o));
    }
    return list_value(&l);
}

/* What Graph calls the three ways to do with a name that is taken. */
static const struct json *conflict(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *of)
{
    const char *text = v && v->type == JSON_STRING ? v->str : "error";
    return value_text(r->arena, strcmp(text, "error") == 0 ? "fail" : text);
}

/* A name that is one segment of a path. */
static const struct json *segment(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *of)
{
    if (v && v->type == JSON_STRING && strchr(v->str, '/'))
        set_refuse(r, "a name must have no slash, not \"%.80s\"", v->str);
    return v;
}

int hosted_read_drive_file(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    const char *bytes;
    size_t n;
    object_put(&o, "driveItem-id", json_get(r->args, "file_id"));
    int rc = set_call_bytes(r, 0, object_value(&o), &bytes, &n);
    if (rc <= 0)
        return rc;
    if (!utf8_valid(bytes, n) || memchr(bytes, 0, n))
        return set_refuse(r, "the file is not a text");
    *ret = value_text(r->arena, bytes);
    return 1;
}

const struct set_filter hosted_onedrive_filters[] = {
    {"item", item},         {"folders", folders}, {"page", page}, {"shared", shared},
    {"conflict", conflict}, {"segment", segment}, {NULL, NULL}};
