/* SPDX-License-Identifier: Apache-2.0 */
/* Making, changing, moving, deleting and copying items. */
#include "engine/base/codec.h"
#include "services/drive/onedrive/workbook/workbook.h"

#define COPY_MOST 30000 /* items that one copy may have */

/* ---- new folders ---- */

static int children_create(struct call *c)
{
    struct drive_item folder, it = {.form = DRIVE_FOLDER, .mime = DRIVE_MIME_FOLDER};
    const struct json *body = call_body(c);
    enum drive_conflict how;
    struct onedrive_at at;
    if (!body || onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_WRITER, &folder) < 0 ||
        onedrive_conflict(c, body, CONFLICT_FAIL, &how) < 0)
        return -1;
    it.name = json_get_str(body, "name");
    it.description = json_get_str(body, "description");
    if (folder.form != DRIVE_FOLDER || !it.name ||
        (!json_get(body, "folder") && !json_get(body, "file")))
        return onedrive_invalid(c, "Invalid request");
    if (json_get(body, "file")) {
        it.form = DRIVE_FILE;
        it.mime = onedrive_type(it.name);
    }
    if (onedrive_read_times(c, json_get(body, "fileSystemInfo"), &it) < 0 ||
        onedrive_add(&at, &folder, how, &it) < 0 ||
        (it.form == DRIVE_FILE && drive_content_put(&c->tx, &it, "", 0) < 0))
        return -1;
    c->status = 201;
    c->etag = onedrive_etag(c->tx.arena, &it);
    call_header(
        c, "Location",
        graph_url(c, arena_printf(c->tx.arena, "/drives('%s')/items('%s')", at.drive, it.key)));
    return onedrive_answer(&at, &it, false);
}

/* ---- changes ---- */

/* Takes a path "/drive/root:/a" or "/drives/id/root:/a" apart: *drive, where it is NULL, becomes
 * that of the path, and *rest what follows the root. 0, -1 refused. */
static int read_path(struct call *c, const char *path, const char **drive, const char **rest)
{
    char *text, *named = NULL;
    size_t n;
    if (percent_decode(c->tx.arena, path, strlen(path), false, &text, &n) < 0)
        return onedrive_invalid(c, "Invalid request");
    if (str_starts(text, "/drives/")) {
        text += strlen("/drives/");
        n = strcspn(text, "/");
        named = arena_memdup(c->tx.arena, text, n);
        text += n;
    } else if (str_starts(text, "/drive/"))
        text += strlen("/drive");
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (!str_starts(text, "/root") || (named && *drive && strcmp(named, *drive) != 0))
        return onedrive_invalid(c, "Invalid request");
    text += strlen("/root");
    if (*text && *text++ != ':')
        return onedrive_invalid(c, "Invalid request");
    *drive = named ? named : *drive;
    *rest = text;
    return 0;
}

/* The folder that a reference names, by its id or its path; in another drive of who may write
 * there: *at is that drive then. 1 it names one; 0 it names none; -1. */
static int read_folder(struct onedrive_at *at, const struct json *ref, struct drive_item *ret)
{
    const char *id = json_get_str(ref, "id"), *path = json_get_str(ref, "path"), *rest;
    const char *drive = json_get_str(ref, "driveId");
    struct call *c = at->c;
    struct graph_user user;
    if (!id && path && read_path(c, path, &drive, &rest) < 0)
        return -1;
    if (drive && strcmp(drive, at->drive) != 0) {
        int r = onedrive_user_of_drive(c, drive, &user);
        if (r != 1)
            return r < 0 ? -1 : onedrive_not_found(c);
        if (onedrive_open_of(c, &user, at) < 0)
            return -1;
    }
    if (id)
        return onedrive_by_id(at, id, ROLE_WRITER, ret) < 0 ? -1 : 1;
    if (!path) {
        *ret = at->root;
        return drive ? (onedrive_may(at, ret, ROLE_WRITER) < 0 ? -1 : 1) : 0;
    }
    int r = drive_item_by_path(&c->tx, &at->root, rest, ret, NULL);
    if (r != 1)
        return r < 0 ? -1 : onedrive_not_found(c);
    return onedrive_may(at, ret, ROLE_WRITER) < 0 ? -1 : 1;
}

/* The body's members into the item, which is not stored yet. */
static int change(struct onedrive_at *at, const struct json *body, struct drive_item *it)
{
    const struct json *ref = json_get(body, "parentReference");
    const char *name = json_get_str(body, "name");
    const int64_t drive = at->root.id;
    struct call *c = at->c;
    struct drive_item folder;
    int moves = ref && ref->type == JSON_OBJECT ? read_folder(at, ref, &folder) : 0;
    if (moves < 0)
        return -1;
    if (at->root.id != drive || (moves && folder.form != DRIVE_FOLDER))
        return onedrive_invalid(c, "Invalid request");
    if (name && onedrive_check_name(c, name, (moves ? folder.id : it->parent) == at->root.id) < 0)
        return -1;
    if (json_get(body, "description"))
        it->description = json_get_str(body, "description");
    if (name)
        it->name = name;
    if (name && it->form == DRIVE_FILE)
        it->mime = onedrive_type(name);
    it->modifier = c->actor.id;
    if (moves && folder.id != it->parent && drive_move(&c->tx, it, &folder, it->owner) < 0)
        return onedrive_refused(c);
    it->modified_us = c->tx.now_us;
    return onedrive_read_times(c, json_get(body, "fileSystemInfo"), it);
}

static int items_update(struct call *c)
{
    const struct json *body = call_body(c);
    enum drive_conflict how;
    struct drive_item it;
    struct onedrive_at at;
    if (!body || onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_WRITER, &it) < 0 ||
        onedrive_conflict(c, body, CONFLICT_FAIL, &how) < 0 || onedrive_if_match(&at, &it) < 0)
        return -1;
    const char *before = it.name;
    if (it.top)
        return onedrive_invalid(c, "Invalid request");
    if (change(&at, body, &it) < 0 || onedrive_settle(&at, how, &it) < 0)
        return -1;
    if (drive_item_save(&c->tx, &it) < 0)
        return onedrive_refused(c);
    if (book_tables_named(&c->tx, &it, before) < 0)
        return -1;
    c->etag = onedrive_etag(c->tx.arena, &it);
    return onedrive_answer(&at, &it, false);
}

static int open_to_remove(struct call *c, struct onedrive_at *at, struct drive_item *it)
{
    if (onedrive_open(c, at) < 0 || onedrive_item(at, ROLE_WRITER, it) < 0 ||
        onedrive_if_match(at, it) < 0)
        return -1;
    c->status = 204;
    return it->top ? onedrive_invalid(c, "Invalid request") : 0;
}

static int items_delete(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    return open_to_remove(c, &at, &it) < 0 ? -1 : onedrive_throw_away(&at, &it);
}

static int items_delete_forever(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    if (open_to_remove(c, &at, &it) < 0)
        return -1;
    if (at.personal) /* MG-454 */
        return graph_fail_status(c, 405, "notAllowed", "The operation is not allowed.");
    return drive_delete(&c->tx, &it);
}

/* ---- copies ---- */

/* A copy of an item, and of what is in it, into a folder. left: items that there may be yet. */
static int copy(struct onedrive_at *to, const struct drive_item *from,
                const struct drive_item *folder, enum drive_conflict how, int *left,
                struct drive_item *it)
{
    struct tx *tx = &to->c->tx;
    int64_t *kids;
    size_t n = 0;
    if (--*left < 0)
        return onedrive_invalid(to->c, "The copy has too many items.");
    it->form = from->form;
    it->mime = from->mime;
    it->description = from->description;
    it->media = from->media;
    if (onedrive_add(to, folder, how, it) < 0)
        return -1;
    if (it->form != DRIVE_FOLDER)
        return drive_copy_content(tx, from, it) < 0 || book_tables_copied(tx, from->id, it->id) < 0
                   ? -1
                   : book_tables_named(tx, it, from->name);
    if (drive_children(tx, from->id, &kids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct drive_item kid, made;
        int r = kids[i] == it->id ? 0 : drive_item_by_id(tx, kids[i], &kid);
        made = (struct drive_item){.name = r == 1 ? kid.name : NULL};
        if (r < 0 || (r == 1 && copy(to, &kid, it, CONFLICT_FAIL, left, &made) < 0))
            return -1;
    }
    return 0;
}

/* It is done when the call is answered; who asks for it sees that it is (MG-102). */
static const char *monitor(struct onedrive_at *at, const struct drive_item *it)
{
    struct arena *a = at->c->tx.arena;
    return call_follow_url(
        at->c, at->host,
        ARENA_JOIN(a, at->site, "/_api/v2.0/monitor/", graph_seal(a, "onedrive copy", it->key)));
}

static int items_copy(struct call *c)
{
    const struct json *body = call_body(c), *ref = json_get(body, "parentReference");
    struct drive_item from, folder, it = {.name = json_get_str(body, "name")};
    struct onedrive_at at, to;
    enum drive_conflict how;
    int left = COPY_MOST;
    int64_t size;
    if (!body || onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_READER, &from) < 0 ||
        onedrive_conflict(c, body, CONFLICT_FAIL, &how) < 0)
        return -1;
    if (from.top || onedrive_open_of(c, &at.user, &to) < 0)
        return from.top ? onedrive_invalid(c, "Invalid request") : -1;
    int r = ref && ref->type == JSON_OBJECT ? read_folder(&to, ref, &folder) : 0;
    if (r == 0)
        r = drive_item_by_id(&c->tx, from.parent, &folder) == 1
                ? onedrive_may(&to, &folder, ROLE_WRITER) + 1
                : -1;
    if (r < 1)
        return -1;
    r = drive_is_under(&c->tx, folder.id, from.id);
    if (r || folder.form != DRIVE_FOLDER)
        return r < 0 ? -1 : onedrive_invalid(c, "Invalid request");
    it.name = it.name ? it.name : from.name;
    size = from.size > 0 ? from.size : 0;
    if ((from.form == DRIVE_FOLDER && drive_size_below(&c->tx, from.id, &size) < 0) ||
        onedrive_room(&to, size) < 0)
        return -1;
    if (copy(&to, &from, &folder, how, &left, &it) < 0)
        return -1;
    c->status = 202;
    call_header(c, "Location", monitor(&to, &it));
    return 0;
}

static int copies_get(struct call *c)
{
    struct drive_item it;
    const char *key;
    int r = graph_unseal(c->tx.arena, "onedrive copy", param_str(c, "monitor-id"), &key);
    if (r == 1)
        r = drive_item_by_key(&c->tx, key, &it);
    if (r != 1)
        return r < 0 ? -1 : onedrive_not_found(c);
    json_obj(c->out, NULL);
    json_int(c->out, "percentageComplete", 100);
    json_str(c->out, "resourceId", it.key);
    json_str(c->out, "status", "completed");
    json_end(c->out);
    return 0;
}

/* ---- the methods ---- */

static const struct param path_params[] = {ONEDRIVE_PATH_PARAMS};
static const struct param write_params[] = {ONEDRIVE_PATH_PARAMS,
                                            {.name = ONEDRIVE_CONFLICT, .place = IN_QUERY}};
static const struct param monitor_params[] = {
    {.name = "site",
     .place = IN_PATH,
     .required = true,
     .summary = "Whose site, as the URL has it"},
    ON_SITES_WEB,
    {.name = "monitor-id", .place = IN_PATH, .required = true, .summary = "What the URL has"},
};

static const struct route methods[] = {
    {ROUTE("onedrive.items.children.create", POST, OF_ITEM("/children")),
     .handler = children_create, .risk = RISK_WRITE, .body = BODY_JSON, .scopes = ONEDRIVE_WRITE,
     PARAMS(write_params), .status = 201, .request = "microsoft.graph.driveItem",
     .response = "microsoft.graph.driveItem", .summary = "Make a folder"},
    {ROUTE("onedrive.items.update", PATCH, OF_ITEM(""), OF_NAMED_END), .handler = items_update,
     .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON, .scopes = ONEDRIVE_WRITE,
     PARAMS(write_params), .request = "microsoft.graph.driveItem",
     .response = "microsoft.graph.driveItem",
     .summary = "Rename, move or describe a file or a folder"},
    {ROUTE("onedrive.items.delete", DELETE, OF_ITEM(""), OF_NAMED_END), .handler = items_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = ONEDRIVE_WRITE, PARAMS(path_params), .status = 204,
     .summary = "Put a file or a folder into the recycle bin"},
    {ROUTE("onedrive.items.permanentDelete", POST, OF_ITEM("/permanentDelete")),
     .handler = items_delete_forever, .risk = RISK_DESTRUCTIVE, .scopes = ONEDRIVE_WRITE,
     PARAMS(path_params), .status = 204, .summary = "Delete a file or a folder for good"},
    {ROUTE("onedrive.items.copy", POST, OF_ITEM("/copy")), .handler = items_copy,
     .risk = RISK_WRITE, .body = BODY_JSON, .scopes = ONEDRIVE_WRITE, PARAMS(write_params),
     .status = 202, .request = "microsoft.graph.driveItem.copy",
     .summary = "Copy a file or a folder"},
    {ROUTE("onedrive.copies.get", GET, ON_SITES("/_api/v2.0/monitor/{monitor-id}")),
     .handler = copies_get, .risk = RISK_READ, .anonymous = true, PARAMS(monitor_params),
     .response = "microsoft.graph.driveItem.copied", .summary = "How far a copy is"},
};

const struct rows onedrive_changes = ROWS(methods);
