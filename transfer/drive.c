/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of files in and out of drives, as archives. */
#include "engine/base/codec.h"
#include "identity/account.h"
#include "services/drive/core/model.h"
#include "services/drive/core/names.h"
#include "services/workspace/core/workspace.h"
#include "transfer/drive.h"
#include <archive.h>
#include <archive_entry.h>
#include <xxhash.h>

/* Media types of names; those of office documents as format_all() has them. */
static const char *const types[][2] = {{"txt", "text/plain"},
                                       {"md", "text/markdown"},
                                       {"html", "text/html"},
                                       {"htm", "text/html"},
                                       {"css", "text/css"},
                                       {"js", "text/javascript"},
                                       {"json", "application/json"},
                                       {"xml", "text/xml"},
                                       {"yaml", "application/yaml"},
                                       {"png", "image/png"},
                                       {"jpg", "image/jpeg"},
                                       {"jpeg", "image/jpeg"},
                                       {"gif", "image/gif"},
                                       {"webp", "image/webp"},
                                       {"mp3", "audio/mpeg"},
                                       {"wav", "audio/wav"},
                                       {"mp4", "video/mp4"},
                                       {"mov", "video/quicktime"},
                                       {"gz", "application/gzip"},
                                       {"tar", "application/x-tar"},
                                       {"ics", "text/calendar"},
                                       {"vcf", "text/vcard"},
                                       {"eml", "message/rfc822"},
                                       {"doc", "application/msword"},
                                       {"xls", "application/vnd.ms-excel"},
                                       {"ppt", "application/vnd.ms-powerpoint"}};

const char *transfer_media_type(const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t n;
    const struct format *formats = format_all(&n);
    for (size_t i = 0; dot && i < SOSIA_LEN(types); i++)
        if (str_eq_nocase(dot + 1, types[i][0]))
            return types[i][1];
    for (size_t i = 0; dot && i < n; i++)
        if (str_eq_nocase(dot + 1, formats[i].extension))
            return formats[i].type;
    return "application/octet-stream";
}

/* ---- in ---- */

int transfer_drive_begin(struct transfer_in *in, struct drive_in *ret)
{
    struct tx *tx = in->tx;
    struct account account;
    int r;
    *ret = (struct drive_in){.in = in};
    if (transfer_person(tx, in->t, &ret->owner) < 0)
        return -1;
    if (in->t->place) {
        r = drive_item_by_key(tx, in->t->place, &ret->top);
        if (r == 1 && ret->top.form != DRIVE_FOLDER)
            r = 0;
        return r == 1  ? 0
               : r < 0 ? -1
                       : tx_fail(tx, SOSIA_E_INVALID, "transfer", "place",
                                 "place must be the id of a folder, not \"%.80s\"", in->t->place);
    }
    if (in->t->vendor) {
        r = account_at(tx, ret->owner.id, in->t->vendor, ACCOUNT_DRIVE, &account);
        if (r == 1)
            r = drive_root_of(tx, &account, &ret->top);
    } else {
        r = drive_root(tx, ret->owner.id, &ret->top);
    }
    return r == 1  ? 0
           : r < 0 ? -1
                   : tx_fail(tx, SOSIA_E_INVALID, "transfer", "person",
                             "person must have a drive, %.80s has none", in->t->person);
}

/* An id for a folder that is new: by its path and by what has happened in drives so far. */
static int make_id(struct drive_in *d, const char *path, const char **ret)
{
    struct drive_item other;
    int64_t newest;
    int r;
    if (drive_change_newest(d->in->tx, &newest) < 0)
        return -1;
    do {
        struct buf b;
        const char *text = arena_printf(d->in->tx->arena, "%lld %lld %u %s", (long long)newest,
                                        (long long)d->top.id, d->made++, path);
        XXH128_canonical_t h;
        XXH128_canonicalFromHash(&h, XXH3_128bits(text, strlen(text)));
        buf_init(&b, 0);
        buf_byte(&b, '1');
        base64url_add(&b, h.digest, sizeof h.digest, false);
        *ret = buf_keep(&b, d->in->tx->arena);
        r = drive_item_by_key(d->in->tx, *ret, &other);
    } while (r == 1);
    return r;
}

/* What items have alike: a name, a place, an owner outside of shared drives. */
static void begin_item(struct drive_in *d, const char *path, const char *parent, int64_t modified)
{
    struct json_writer *w = d->in->w;
    json_obj(w, NULL);
    json_str(w, "name", workspace_name(path));
    if (!d->top.drive)
        json_str(w, "owner", d->in->t->person);
    if (parent)
        json_str(w, "parent", parent);
    if (d->in->t->vendor)
        json_str(w, "vendor", d->in->t->vendor);
    json_time(w, "created", modified, JSON_TIME_US_Z);
}

/* The folder of a path, which is written if it is not there: *ret its id; NULL: the drive itself.
 */
static int folder_of(struct drive_in *d, const char *path, int64_t modified, const char **ret)
{
    struct drive_item there;
    const char *parent;
    *ret = map_get(&d->folders, path);
    if (*ret)
        return 0;
    if (!*path) {
        *ret = d->top.top == DRIVE_ROOT ? NULL : d->top.key;
        return 0;
    }
    int r = drive_item_by_path(d->in->tx, &d->top, path, &there, NULL);
    if (r < 0 || folder_of(d, workspace_parent(d->in->tx->arena, path), modified, &parent) < 0)
        return -1;
    if (r == 1 && there.form == DRIVE_FOLDER) {
        *ret = there.key;
    } else {
        if (make_id(d, path, ret) < 0)
            return -1;
        begin_item(d, path, parent, modified);
        json_str(d->in->w, "id", *ret);
        json_str(d->in->w, "type", "folder");
        json_end(d->in->w);
        d->in->done->n[TRANSFER_FOLDERS]++;
    }
    return map_set(&d->folders, path, (void *)(uintptr_t)*ret) < 0
               ? sosia_fail_memory(d->in->tx->err)
               : 0;
}

int transfer_drive_file(struct drive_in *d, const struct transfer_entry *e)
{
    const char *parent;
    if (!transfer_is_text(e->path, strlen(e->path)))
        return transfer_fail(d->in, 0, "an entry's name must be UTF-8 for a drive, one is not");
    if (folder_of(d, workspace_parent(d->in->tx->arena, e->path), e->modified_us, &parent) < 0)
        return -1;
    begin_item(d, e->path, parent, e->modified_us);
    json_str(d->in->w, "mime", transfer_media_type(e->path));
    transfer_bytes(d->in->w, "content", "base64", e->data, e->len);
    json_end(d->in->w);
    d->in->done->n[TRANSFER_FILES]++;
    return 0;
}

void transfer_drive_end(struct drive_in *d)
{
    map_done(&d->folders);
}

static int take_file(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    (void)in;
    return transfer_drive_file(arg, e);
}

/* Folders that nothing is in. */
static int take_folders(struct drive_in *d)
{
    struct workspace_node n;
    const char *after = NULL, *id;
    int r;
    while ((r = workspace_walk(d->in->tx, "", after, &n)) == 1) {
        after = n.path;
        if (n.kind == NODE_DIRECTORY && transfer_is_text(n.path, strlen(n.path)) &&
            folder_of(d, n.path, n.mtime_ns / 1000, &id) < 0)
            return -1;
    }
    return r;
}

int read_drive(struct transfer_in *in)
{
    struct drive_in d;
    if (transfer_drive_begin(in, &d) < 0 || transfer_unpack(in, "") < 0)
        return -1;
    in->done->n[TRANSFER_SKIPPED] += in->done->n[TRANSFER_LINKS];
    in->done->n[TRANSFER_FILES] = in->done->n[TRANSFER_FOLDERS] = in->done->n[TRANSFER_LINKS] = 0;
    json_arr(in->w, "files");
    int rc = take_folders(&d) < 0 || transfer_each(in, NULL, take_file, &d) < 0 ? -1 : 0;
    json_end(in->w);
    transfer_drive_end(&d);
    return rc;
}

/* ---- out ---- */

struct drive_out {
    struct tx *tx;
    struct archive *z;
    struct buf *out;
};

static la_ssize_t put(struct archive *z, void *arg, const void *data, size_t n)
{
    struct drive_out *o = arg;
    buf_add(o->out, data, n);
    if (!buf_failed(o->out))
        return (la_ssize_t)n;
    archive_set_error(z, ARCHIVE_FATAL, "no room");
    return -1;
}

static int put_entry(struct drive_out *o, const char *path, const struct drive_item *it,
                     const char *data, size_t len)
{
    struct archive_entry *e = archive_entry_new();
    bool folder = it->form == DRIVE_FOLDER;
    if (!e)
        return sosia_fail_memory(o->tx->err);
    archive_entry_set_pathname(e, path);
    archive_entry_set_filetype(e, folder ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(e, folder ? 0755 : 0644);
    archive_entry_set_mtime(e, it->modified_us / 1000000, 0);
    archive_entry_set_size(e, (la_int64_t)len);
    int r = archive_write_header(o->z, e) == ARCHIVE_OK &&
                    (!len || archive_write_data(o->z, data, len) == (la_ssize_t)len)
                ? 0
                : tx_fail(o->tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                          "the archive is too large to be written");
    archive_entry_free(e);
    return r;
}

/* A document goes out in the office format of its kind. 1; 0: it has no content that goes out. */
static int document_of(struct drive_out *o, const struct drive_item *it, struct buf *out,
                       const char **ret_extension)
{
    static const char *const office[] = {[DOCUMENT_TEXT] = FORMAT_DOCX,
                                         [DOCUMENT_SHEETS] = FORMAT_XLSX,
                                         [DOCUMENT_SLIDES] = FORMAT_PPTX};
    enum document_kind kind;
    struct document *d;
    if (drive_document_kind(it->mime, &kind) != 1)
        return 0;
    if (drive_document_load(o->tx, it, 0, &d) < 0 ||
        format_write(o->tx->arena, d, office[kind], out, o->tx->err) < 0)
        return -1;
    *ret_extension = format_find(office[kind])->extension;
    return 1;
}

static int put_item(struct drive_out *o, const char *path, const struct drive_item *it)
{
    const char *data = "", *extension;
    size_t len = 0;
    struct buf b;
    int r;
    if (it->form == DRIVE_FOLDER)
        return put_entry(o, path, it, "", 0);
    if (it->form == DRIVE_FILE) {
        if (it->blob && blob_load(o->tx, it->blob, &data, &len) < 0)
            return -1;
        return put_entry(o, path, it, data, len);
    }
    buf_init(&b, 0);
    r = it->form == DRIVE_DOCUMENT ? document_of(o, it, &b, &extension) : 0;
    if (r == 1)
        r = put_entry(o, arena_printf(o->tx->arena, "%s.%s", path, extension), it, b.data, b.len);
    buf_done(&b);
    return r;
}

static int put_folder(struct drive_out *o, const struct drive_item *folder, const char *path);

/* One that is in a folder, by a name that the folder's archive has once and that has no slash. */
static int put_child(struct drive_out *o, int64_t id, const char *path, struct map *names)
{
    struct arena *kept = o->tx->arena, own;
    struct drive_item it;
    int r = drive_item_by_id(o->tx, id, &it);
    if (r != 1)
        return r;
    char *name = arena_strdup(kept, it.name);
    const char *once = name;
    for (char *p = name; *p; p++)
        *p = *p == '/' ? '_' : *p;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !*name)
        once = arena_printf(kept, "_%s", name);
    for (int n = 1; map_get(names, once); n++)
        once = arena_printf(kept, "%s (%d)", name, n);
    if (map_set(names, once, names) < 0)
        return sosia_fail_memory(o->tx->err);
    const char *inner = *path ? arena_printf(kept, "%s/%s", path, once) : once;
    arena_init(&own, 0);
    o->tx->arena = &own;
    r = put_item(o, inner, &it);
    o->tx->arena = kept;
    arena_done(&own);
    return r < 0 ? -1 : it.form == DRIVE_FOLDER ? put_folder(o, &it, inner) : 0;
}

static int put_folder(struct drive_out *o, const struct drive_item *folder, const char *path)
{
    struct map names;
    int64_t *ids;
    size_t n;
    int rc = drive_children(o->tx, folder->id, &ids, &n);
    map_init(&names);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = put_child(o, ids[i], path, &names);
    map_done(&names);
    return rc;
}

int write_drive(struct transfer_out *out)
{
    struct drive_out o = {.tx = out->tx, .out = out->out};
    struct transfer_in in = {.tx = out->tx, .t = out->t};
    struct drive_in d;
    if (transfer_drive_begin(&in, &d) < 0)
        return -1;
    o.z = archive_write_new();
    if (!o.z)
        return sosia_fail_memory(out->tx->err);
    archive_write_add_filter_gzip(o.z);
    archive_write_set_filter_option(o.z, "gzip", "timestamp", NULL);
    archive_write_set_format_gnutar(o.z); /* names as bytes, in every locale the same */
    int rc = archive_write_open(o.z, &o, NULL, put, NULL) == ARCHIVE_OK
                 ? put_folder(&o, &d.top, "")
                 : sosia_fail_memory(out->tx->err);
    if (archive_write_close(o.z) != ARCHIVE_OK && rc == 0)
        rc = sosia_fail_memory(out->tx->err);
    archive_write_free(o.z);
    return rc;
}
