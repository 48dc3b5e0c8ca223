/* SPDX-License-Identifier: Apache-2.0 */
/* Items as Graph shows them (MG-430 to 436). */
#include "engine/base/codec.h"
#include "services/drive/core/access/link.h"
#include "services/drive/onedrive/onedrive.h"
#include "vendors/microsoft/directory/directory.h"

/* ---- people ---- */

int onedrive_write_person(struct onedrive_at *at, const char *key, int64_t actor)
{
    struct tx *tx = &at->c->tx;
    struct json_writer *w = at->c->out;
    struct ms_user user;
    struct actor who;
    if (!actor)
        return 0;
    if (at->person != actor) {
        int found = actor_by_id(tx, actor, &who);
        int r = found == 1 ? ms_user_of_actor(tx, actor, 0, &user) : found;
        if (r < 0)
            return -1;
        at->person = actor;
        at->person_id = r == 1 ? user.oid : NULL;
        at->person_email = found == 1 ? who.email : "";
        at->person_name = at->library.id && actor == at->owner.id ? "System Account"
                          : found == 1                            ? who.name
                                                                  : "";
    }
    json_obj(w, key);
    json_obj(w, "user");
    if (*at->person_email)
        json_str(w, "email", at->person_email);
    if (at->person_id)
        json_str(w, "id", at->person_id);
    json_str(w, "displayName", *at->person_name ? at->person_name : at->person_email);
    json_end(w);
    json_end(w);
    return 0;
}

/* ---- places ---- */

struct way {
    struct onedrive_at *at;
    const char *text;
};

static int add_folder(void *arg, const struct drive_item *folder)
{
    struct way *way = arg;
    struct arena *a = way->at->c->tx.arena;
    if (folder->id == way->at->root.id)
        return 1;
    const size_t n = strlen(folder->name);
    char *text = arena_alloc(a, 3 * n + 1);
    *percent_put(text, folder->name, n) = '\0';
    way->text = ARENA_JOIN(a, "/", text, way->text);
    return 0;
}

/* Fills what is known of the folder that an item is in. */
static int enter(struct onedrive_at *at, const struct drive_item *it)
{
    struct tx *tx = &at->c->tx;
    struct way way = {at, ""};
    struct drive_item folder;
    if (at->parent == it->parent)
        return 0;
    int r = drive_item_by_id(tx, it->parent, &folder);
    if (r != 1)
        return r < 0 ? -1
                     : sosia_fail(tx->err, SOSIA_E_INTERNAL, NULL, NULL,
                                  "the folder of the item %s is not there", it->key);
    if (add_folder(&way, &folder) == 0 && drive_each_ancestor(tx, &folder, add_folder, &way) < 0)
        return -1;
    at->parent = it->parent;
    at->parent_path = way.text;
    at->parent_id = folder.key;
    at->parent_place = ARENA_JOIN(tx->arena, "/drives/", at->drive, "/root:", way.text);
    if (!at->site_id && !at->personal)
        at->site_id = onedrive_site_id(tx->arena, at->drive);
    at->parent_name = folder.id == at->root.id ? "root" : folder.name;
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

const char *onedrive_path(struct onedrive_at *at, const struct drive_item *it)
{
    struct way way = {at, ""};
    if (it->id == at->root.id)
        return "";
    if (enter(at, it) < 0)
        return NULL;
    add_folder(&way, it);
    return ARENA_JOIN(at->c->tx.arena, at->parent_path, way.text);
}

const char *onedrive_web_url(struct onedrive_at *at, const struct drive_item *it)
{
    const char *path = onedrive_path(at, it);
    if (path && at->personal)
        return ARENA_JOIN(at->c->tx.arena, "https://onedrive.live.com?cid=", at->drive,
                          "&id=", it->key);
    return path ? ARENA_JOIN(at->c->tx.arena, "https://", at->host, at->site, at->folder, path)
                : NULL;
}

static int write_parent(struct onedrive_at *at, const struct drive_item *it)
{
    struct json_writer *w = at->c->out;
    const bool root = it->id == at->root.id;
    if (!root && enter(at, it) < 0)
        return -1;
    json_obj(w, "parentReference");
    json_str(w, "driveType", at->type);
    json_str(w, "driveId", at->drive);
    if (!root) {
        json_str(w, "id", at->parent_id);
        json_str(w, "name", at->parent_name);
        json_str(w, "path", at->parent_place);
        if (!at->personal)
            json_str(w, "siteId", at->site_id);
    }
    json_end(w);
    return 0;
}

/* ---- facets ---- */

static const char *upper_hex(struct arena *a, const uint8_t *bytes, size_t n)
{
    char *text = arena_alloc(a, 2 * n + 1);
    hex_encode(text, bytes, n);
    for (char *p = text; *p; p++)
        *p = *p >= 'a' && *p <= 'f' ? (char)(*p - 32) : *p;
    return text;
}

static int write_file(struct onedrive_at *at, const struct drive_item *it)
{
    struct json_writer *w = at->c->out;
    struct tx *tx = &at->c->tx;
    struct blob blob;
    int r = it->blob ? blob_digests(tx, it->blob, DRIVE_DIGESTS | BLOB_QUICKXOR, &blob) : 0;
    if (r < 0)
        return -1;
    json_obj(w, "file");
    if (r == 1) {
        json_obj(w, "hashes");
        json_str(w, "quickXorHash", base64_text(tx->arena, NULL, blob.quickxor, 20));
        if (at->personal) { /* MG-111 */
            json_str(w, "sha1Hash", upper_hex(tx->arena, blob.sha1, sizeof blob.sha1));
            json_str(w, "sha256Hash", upper_hex(tx->arena, blob.sha256, sizeof blob.sha256));
        }
        json_end(w);
    }
    json_str(w, "mimeType", it->mime);
    json_end(w);
    return 0;
}

static int write_folder(struct onedrive_at *at, const struct drive_item *it)
{
    struct json_writer *w = at->c->out;
    const char *special = onedrive_special_name(at, it);
    int64_t n = 0;
    if (drive_child_count(&at->c->tx, it->id, &n) < 0)
        return -1;
    json_obj(w, "folder");
    json_int(w, "childCount", n);
    json_end(w);
    if (special) {
        json_obj(w, "specialFolder");
        json_str(w, "name", special);
        json_end(w);
    }
    return 0;
}

/* Of a folder all that is below it. */
static int size_of(struct onedrive_at *at, const struct drive_item *it, int64_t *ret)
{
    *ret = it->size > 0 ? it->size : 0;
    if (it->form != DRIVE_FOLDER || (at->query && !odata_selects(at->query, "size")))
        return 0;
    return drive_size_below(&at->c->tx, it->id, ret);
}

/* Whom it is shared with at itself, in the widest scope. */
static int write_shared(struct onedrive_at *at, const struct drive_item *it)
{
    static const char *const scopes[] = {"users", "anonymous", "organization", "users"};
    struct tx *tx = &at->c->tx;
    enum drive_link_scope scope = 0;
    int r = at->links ? at->links > 0 : drive_links_any(tx);
    if (r < 0)
        return -1;
    at->links = r ? 1 : -1;
    if (r)
        r = drive_links_scope(tx, it->id, &scope);
    if (r < 1 && !(it->flags & DRIVE_GRANTED))
        return r;
    json_obj(at->c->out, "shared");
    json_str(at->c->out, "scope", scopes[r == 1 ? scope : 0]);
    json_end(at->c->out);
    return r < 0 ? -1 : 0;
}

bool onedrive_picture(struct call *c, const struct drive_item *it, unsigned *ret_width,
                      unsigned *ret_height)
{
    struct drive_item read = *it;
    const struct json *media = NULL;
    struct blob blob;
    struct sosia_err err;
    if (!it->media && str_starts(it->mime, "image/") &&
        (!it->blob || blob_digests(&c->tx, it->blob, DRIVE_DIGESTS | BLOB_QUICKXOR, &blob) != 1 ||
         drive_read_picture(&c->tx, &read, &blob) < 0))
        return false;
    if (!read.media ||
        json_parse(c->tx.arena, read.media, strlen(read.media), NULL, &media, &err) < 0)
        return false;
    const int64_t width = json_get_int(media, "width", 0),
                  height = json_get_int(media, "height", 0);
    *ret_width = (unsigned)width;
    *ret_height = (unsigned)height;
    return width > 0 && width <= INT32_MAX && height > 0 && height <= INT32_MAX;
}

static void write_image(struct onedrive_at *at, const struct drive_item *it)
{
    unsigned width, height;
    if ((at->query && !odata_selects(at->query, "image")) ||
        !onedrive_picture(at->c, it, &width, &height))
        return;
    json_obj(at->c->out, "image");
    json_int(at->c->out, "height", height);
    json_int(at->c->out, "width", width);
    json_end(at->c->out);
}

static void write_times(struct onedrive_at *at, const struct drive_item *it)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    json_obj(w, "fileSystemInfo");
    json_str(w, "createdDateTime", graph_date(a, it->created_us, 0));
    json_str(w, "lastModifiedDateTime", graph_date(a, it->modified_us, 0));
    json_end(w);
}

/* What SharePoint calls it. */
static void write_sharepoint_ids(struct onedrive_at *at, const struct drive_item *it)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    char *guid = arena_strdup(a, onedrive_guid(a, it->key));
    for (char *p = guid; p && *p; p++)
        *p = *p >= 'A' && *p <= 'F' ? (char)(*p + 32) : *p;
    json_obj(w, "sharepointIds");
    json_str(w, "listId", onedrive_list_id(a, at->drive));
    if (it->id != at->root.id)
        json_str(w, "listItemId", arena_printf(a, "%lld", (long long)it->id));
    json_str(w, "listItemUniqueId", guid);
    json_str(w, "siteId", onedrive_site_id(a, at->drive));
    json_str(w, "siteUrl", ARENA_JOIN(a, "https://", at->host, at->site));
    json_str(w, "tenantId", at->user.tenant);
    json_str(w, "webId", onedrive_web_id(a, at->drive));
    json_end(w);
}

/* ---- items ---- */

int onedrive_write_members(struct onedrive_at *at, const struct drive_item *it)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const bool root = it->id == at->root.id, file = it->form != DRIVE_FOLDER;
    const char *url = onedrive_web_url(at, it);
    int64_t size;
    if (!url || size_of(at, it, &size) < 0)
        return -1;
    if (at->listed && at->query && at->query->has_select && !root) /* MG-652 */
        json_str(w, "@odata.etag", onedrive_etag(a, it));
    if (file && !at->bare)
        json_str(w, "@microsoft.graph.downloadUrl", onedrive_download_url(at, it, 0));
    json_str(w, "createdDateTime", graph_date(a, it->created_us, 0));
    if (it->description)
        json_str(w, "description", it->description);
    if (!root)
        json_str(w, "eTag", onedrive_etag(a, it));
    json_str(w, "id", it->key);
    json_str(w, "lastModifiedDateTime", graph_date(a, it->modified_us, 0));
    json_str(w, "name", root ? "root" : it->name);
    json_str(w, "webUrl", url);
    if (!root)
        json_str(w, "cTag", onedrive_ctag(a, it));
    json_int(w, "size", size);
    if (!root &&
        (onedrive_write_person(at, "createdBy", onedrive_creator(at, it)) < 0 ||
         onedrive_write_person(at, "lastModifiedBy", it->modifier ? it->modifier : it->owner) < 0))
        return -1;
    if (write_parent(at, it) < 0 || (file && write_file(at, it) < 0))
        return -1;
    write_times(at, it);
    if (!file && write_folder(at, it) < 0)
        return -1;
    if (root) {
        json_obj(w, "root");
        json_end(w);
    }
    if (file)
        write_image(at, it);
    if (at->query && at->query->has_select && !at->personal &&
        odata_selects(at->query, "sharepointIds"))
        write_sharepoint_ids(at, it);
    return root ? 0 : write_shared(at, it);
}

int onedrive_write(struct onedrive_at *at, const char *key, const struct drive_item *it)
{
    json_obj(at->c->out, key);
    int r = onedrive_write_members(at, it);
    json_end(at->c->out);
    return r;
}
