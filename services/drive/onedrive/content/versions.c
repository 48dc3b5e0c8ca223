/* SPDX-License-Identifier: Apache-2.0 */
/* Earlier contents of files (MG-455). */
#include "services/drive/core/revision.h"
#include "services/drive/onedrive/onedrive.h"

#define PAGE 500

static int open_file(struct call *c, enum drive_role need, struct onedrive_at *at,
                     struct drive_item *it)
{
    if (onedrive_open(c, at) < 0 || onedrive_item(at, need, it) < 0)
        return -1;
    return it->form == DRIVE_FOLDER ? onedrive_invalid(c, "A folder has no versions.") : 0;
}

/* "3.0" is the third one. */
static int find_version(struct onedrive_at *at, const struct drive_item *it,
                        struct drive_revision *ret)
{
    struct call *c = at->c;
    const char *id = param_str(c, "version-id");
    if (strcmp(id, "current") == 0) {
        const char *key;
        int r = it->head ? drive_revision_key(&c->tx, it->head, &key) : 0;
        if (r == 1)
            r = drive_revision_find(&c->tx, it->id, key, ret);
        return r == 1 ? 0 : r < 0 ? -1 : onedrive_not_found(c);
    }
    size_t n = strcspn(id, ".");
    const char *key = arena_memdup(c->tx.arena, id, n);
    int r = key && (!id[n] || strcmp(id + n, ".0") == 0)
                ? drive_revision_find(&c->tx, it->id, key, ret)
                : 0;
    return r == 1 ? 0 : r < 0 ? -1 : onedrive_not_found(c);
}

static int write_version(struct onedrive_at *at, const struct drive_item *it,
                         const struct drive_revision *r)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const char *url = onedrive_download_url(at, it, r->key);
    if (!url)
        return -1;
    json_str(w, "@microsoft.graph.downloadUrl", url);
    json_str(w, "id", ARENA_JOIN(a, r->key, ".0"));
    json_str(w, "lastModifiedDateTime", graph_date(a, r->modified_us, 0));
    json_int(w, "size", r->size > 0 ? r->size : 0);
    return onedrive_write_person(at, "lastModifiedBy", r->modifier ? r->modifier : it->owner);
}

static int versions_list(struct call *c)
{
    struct drive_revision *list;
    struct drive_item it;
    struct onedrive_at at;
    size_t n;
    int r = 0;
    if (open_file(c, ROLE_READER, &at, &it) < 0 ||
        drive_revisions(&c->tx, it.id, 0, PAGE, &list, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/versions", at.base, onedrive_step(&at, &it));
    json_arr(c->out, "value");
    while (r == 0 && n--) {
        json_obj(c->out, NULL);
        r = write_version(&at, &it, &list[n]);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int versions_get(struct call *c)
{
    struct drive_revision version;
    struct drive_item it;
    struct onedrive_at at;
    if (open_file(c, ROLE_READER, &at, &it) < 0 || find_version(&at, &it, &version) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/versions/$entity", at.base, onedrive_step(&at, &it));
    int r = write_version(&at, &it, &version);
    json_end(c->out);
    return r;
}

static int versions_content(struct call *c)
{
    struct drive_revision version;
    struct drive_item it;
    struct onedrive_at at;
    if (open_file(c, ROLE_READER, &at, &it) < 0 || find_version(&at, &it, &version) < 0)
        return -1;
    const char *url = onedrive_download_url(&at, &it, version.key);
    if (!url)
        return -1;
    c->status = 302;
    call_header_const(c, "Content-Type", "application/octet-stream");
    call_header(c, "Location", url);
    return 0;
}

/* Its bytes become the newest content. */
static int versions_restore(struct call *c)
{
    struct drive_revision version;
    struct drive_item it;
    struct onedrive_at at;
    struct blob blob;
    if (open_file(c, ROLE_WRITER, &at, &it) < 0 || find_version(&at, &it, &version) < 0 ||
        onedrive_check_free(&at, &it) < 0)
        return -1;
    c->status = 204;
    if (version.id == it.head)
        return onedrive_invalid(c, "The version is the current one.");
    int r = version.blob ? blob_digests(&c->tx, version.blob, DRIVE_DIGESTS, &blob) : 0;
    if (r != 1)
        return r < 0 ? -1 : onedrive_not_found(c);
    it.modified_us = c->tx.now_us;
    return blob_ref(&c->tx, blob.id) < 0 ? -1 : onedrive_set_content(&at, &it, &blob);
}

static int versions_delete(struct call *c)
{
    struct drive_revision version;
    struct drive_item it;
    struct onedrive_at at;
    if (open_file(c, ROLE_WRITER, &at, &it) < 0 || find_version(&at, &it, &version) < 0 ||
        onedrive_check_free(&at, &it) < 0)
        return -1;
    c->status = 204;
    if (version.id == it.head)
        return onedrive_invalid(c, "The current version cannot be deleted.");
    return drive_revision_delete(&c->tx, &it, &version);
}

static const struct param list_params[] = {ONEDRIVE_PATH_PARAMS};
static const struct param one_params[] = {
    ONEDRIVE_PATH_PARAMS, {.name = "version-id", .place = IN_PATH, .required = true}};

static const struct route methods[] = {
    {ROUTE("onedrive.items.versions.list", GET, OF_ITEM("/versions")), .handler = versions_list,
     .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(list_params),
     .response = "microsoft.graph.driveItemVersionCollectionResponse",
     .summary = "The contents that a file had, the newest first"},
    {ROUTE("onedrive.items.versions.get", GET, OF_ITEM("/versions/{version-id}")),
     .handler = versions_get, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(one_params),
     .response = "microsoft.graph.driveItemVersion", .summary = "A version of a file"},
    {ROUTE("onedrive.items.versions.content", GET, OF_ITEM("/versions/{version-id}/content")),
     .handler = versions_content, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(one_params),
     .status = 302, .gives = "application/octet-stream",
     .summary = "The content of a version: leads to an address that needs no token"},
    {ROUTE("onedrive.items.versions.restoreVersion", POST,
           OF_ITEM("/versions/{version-id}/restoreVersion")),
     .handler = versions_restore, .risk = RISK_WRITE, .scopes = ONEDRIVE_WRITE, PARAMS(one_params),
     .status = 204, .summary = "Make an earlier version the current one"},
    {ROUTE("onedrive.items.versions.delete", DELETE, OF_ITEM("/versions/{version-id}")),
     .handler = versions_delete, .risk = RISK_DESTRUCTIVE, .scopes = ONEDRIVE_WRITE,
     PARAMS(one_params), .status = 204, .summary = "Forget an earlier version"},
};

const struct rows onedrive_versions = ROWS(methods);
