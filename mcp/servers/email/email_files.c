/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that bring a person's mail into the workspace, and from there or elsewhere into folders. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "mcp/servers/email/email.h"
#include <stdlib.h>
#include <strings.h>

#define EXPORTS      "emails_export"
#define DOWNLOADS    "emails_download"
#define IMPORT_MAX   20000 /* messages of one call */
#define IMPORT_FILES 1000  /* of a directory */

/* ---- export ---- */

static void write_text(struct json_writer *w, const char *key, const char *text, bool null)
{
    if (null && !*text)
        json_null(w, key);
    else
        json_str(w, key, text);
}

static int write_file(struct call *c, const struct email_view *v, int part, struct json_writer *w)
{
    const struct mime_part *p = &v->body.mime.parts[part];
    const char *data;
    struct buf b;
    size_t n;
    if (mail_message_part(&c->tx, &v->body, part, &data, &n) < 0)
        return -1;
    buf_init(&b, 0);
    base64_add(&b, data, n);
    json_obj(w, NULL);
    json_str(w, "filename", p->filename);
    json_str(w, "content_type", p->type);
    json_int(w, "size", (int64_t)n);
    write_text(w, "content", buf_str(&b), true);
    json_end(w);
    int r = buf_failed(&b) ? sosia_fail_memory(c->tx.err) : 0;
    buf_done(&b);
    return r;
}

static int write_message(struct call *c, const struct email_folder *f,
                         const struct email_item *item, struct json_writer *w)
{
    const struct mail_message *m = &item->message;
    struct email_view v;
    int part, r = 0;
    if (email_view(c, m, &v) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "email_id", arena_printf(c->tx.arena, "%lld", (long long)item->number));
    json_str(w, "subject", v.subject);
    json_str(w, "from_addr", v.from);
    json_str(w, "to_addr", v.to);
    write_text(w, "cc_addr", v.cc, true);
    write_text(w, "bcc_addr", email_addresses(c->tx.arena, &v.body, "Bcc"), true);
    json_str(w, "date", v.date);
    json_str(w, "message_id", v.message_id);
    json_str(w, "body_text", v.text);
    json_str(w, "body_html", v.html);
    json_bool(w, "is_read", !(m->flags & FLAG(KEYWORD_UNSEEN)));
    json_bool(w, "is_important", m->flags & FLAG(KEYWORD_FLAGGED));
    json_str(w, "folder", f->name);
    json_arr(w, "attachments");
    for (int at = 0; r == 0 && email_attachment(&v, &at, &part);)
        r = write_file(c, &v, part, w);
    json_end(w);
    json_end(w);
    return r;
}

/* What one call exports. */
struct export
{
    struct email_box box;
    struct email_folder *folders;
    size_t n_folders;
    int64_t most, total; /* messages; of most, how many are left */
    int64_t *counts;     /* of the folders; -1: it was not looked at */
    bool all;
};

/* The folders that are asked for. 0, -1. */
static int choose(struct call *c, struct export *e)
{
    struct email_folder one;
    e->all = json_is_true(json_get(server_arguments(c), "export_all_folders"));
    if (e->all && email_arg(c, "folder"))
        return email_refuse(c, SOSIA_E_INVALID,
                            "Cannot specify both 'folder' and 'export_all_folders=True'");
    if (email_open(c, &e->box) < 0 || email_folders(c, &e->box, &e->folders, &e->n_folders) < 0)
        return -1;
    if (!e->all) {
        if (email_folder_of(c, &e->box, "folder", &one) < 0)
            return -1;
        e->folders[0] = one;
        e->n_folders = 1;
    }
    e->most = email_number(c, "max_emails", INT64_MAX);
    if (e->most <= 0)
        e->most = INT64_MAX;
    e->counts = arena_calloc(c->tx.arena, e->n_folders + 1, sizeof *e->counts);
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

static int write_folders(struct call *c, struct export *e, struct json_writer *w)
{
    for (size_t i = 0; i < e->n_folders; i++) {
        struct email_item *items;
        size_t n;
        e->counts[i] = -1;
        if (e->total >= e->most)
            continue;
        if (email_items(c, &e->box, &e->folders[i], e->most - e->total, &items, &n) < 0)
            return -1;
        for (size_t k = 0; k < n; k++)
            if (write_message(c, &e->folders[i], &items[k], w) < 0)
                return -1;
        e->counts[i] = (int64_t)n;
        e->total += (int64_t)n;
    }
    return 0;
}

/* The file's name: a folder's may have what a file's may not. */
static const char *export_name(struct call *c, const struct export *e)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, e->all ? "all_folders" : e->folders[0].name);
    for (size_t i = 0; i < b.len; i++)
        if (b.data[i] == '/')
            b.data[i] = '_';
    buf_puts(&b, "_export_");
    email_put_time(&b, c->tx.now_us / 1000000, true);
    buf_puts(&b, ".json");
    return buf_keep(&b, c->tx.arena);
}

/* All of them as a file's text. 0, -1. */
static int export_text(struct call *c, struct export *e, struct buf *out)
{
    struct json_writer w;
    struct buf list, date;
    buf_init(&list, 0);
    json_init(&w, &list, true, NULL);
    json_arr(&w, NULL);
    int r = write_folders(c, e, &w);
    json_end(&w);
    if (r < 0) {
        buf_done(&list);
        return -1;
    }
    server_trim(&list);
    buf_init(&date, 0);
    email_put_time(&date, c->tx.now_us / 1000000, false);
    buf_printf(out, "{\n  \"export_date\": \"%s\",\n  \"total_emails\": %lld,\n  \"emails\": ",
               buf_str(&date), (long long)e->total);
    /* One level deeper. */
    for (const char *at = buf_str(&list); *at;) {
        size_t n = strcspn(at, "\n");
        buf_add(out, at, n);
        at += n;
        if (*at)
            buf_puts(out, "\n  ");
        at += *at == '\n';
    }
    buf_puts(out, "\n}");
    r = buf_failed(&list) || buf_failed(out) ? sosia_fail_memory(c->tx.err) : 0;
    buf_done(&list);
    buf_done(&date);
    return r;
}

static int say_exported(struct call *c, const struct export *e, const char *path)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "Successfully exported %lld emails to %s", (long long)e->total, path);
    if (e->all)
        buf_puts(&b, "\nExport breakdown by folder:");
    for (size_t i = 0; e->all && i < e->n_folders; i++)
        if (e->counts[i] >= 0)
            buf_printf(&b, "\n  - %s: %lld emails", e->folders[i].name, (long long)e->counts[i]);
    return email_say(c, &b);
}

static int export(struct call *c)
{
    struct export e = {0};
    const char *path;
    struct buf text;
    if (choose(c, &e) < 0)
        return -1;
    buf_init(&text, 0);
    int r = export_text(c, &e, &text);
    const struct file_bytes bytes = {buf_str(&text), text.len};
    if (r == 0 && e.total)
        r = file_keep(c, EXPORTS, export_name(c, &e), &bytes, true, &path);
    buf_done(&text);
    if (r < 0)
        return email_within(c, "Export failed");
    return e.total ? say_exported(c, &e, path)
                   : email_text(c, "No emails found to export from %s",
                                e.all ? "all folders" : e.folders[0].name);
}

int email_export(struct call *c)
{
    return email_end(c, "exporting emails", export(c));
}

/* ---- download ---- */

static int download(struct call *c)
{
    const char *id = json_get_str(server_arguments(c), "email_id"),
               *name = json_get_str(server_arguments(c), "attachment_filename"), *data, *path;
    struct email_box b;
    struct email_folder f;
    struct email_item item;
    struct email_view v;
    int part, at = 0;
    size_t n;
    if (email_open(c, &b) < 0 || email_item_of(c, &b, "folder", &f, &item) < 0 ||
        email_view(c, &item.message, &v) < 0)
        return -1;
    while (email_attachment(&v, &at, &part)) {
        if (strcmp(v.body.mime.parts[part].filename, name) != 0)
            continue;
        if (mail_message_part(&c->tx, &v.body, part, &data, &n) < 0)
            return -1;
        if (file_keep(c, DOWNLOADS, name, &(struct file_bytes){data, n}, false, &path) < 0)
            return email_within(c, "Failed to save attachment");
        return email_text(c, "Attachment '%s' saved to: %s", name, path);
    }
    return email_text(c, "Attachment '%s' not found in email %s", name, id);
}

int email_download(struct call *c)
{
    return email_end(c, "downloading attachment", download(c));
}

/* ---- import ---- */

/* A message that comes in, and how it got on. */
struct incoming {
    const char *id, *folder; /* folder NULL: not said */
    struct buf raw;
    bool read, important;
};

struct import {
    struct email_box box;
    bool preserve;
    const char *target;
    uint32_t total, done, bad;
    struct buf failures;
    struct email_folder *stats; /* folders, with how many came into each */
    size_t n_stats, cap_stats;
};

static void failed(struct import *p, const struct incoming *in, const char *why)
{
    if (p->bad++ < 5)
        buf_printf(&p->failures, "\n  - Email %s: %s", in->id, why);
}

static int count_in(struct call *c, struct import *p, const struct email_folder *f)
{
    for (size_t i = 0; i < p->n_stats; i++)
        if (p->stats[i].id == f->id) {
            p->stats[i].messages++;
            return 0;
        }
    p->stats = arena_grow(c->tx.arena, p->stats, p->n_stats, &p->cap_stats, sizeof *p->stats);
    if (!p->stats)
        return sosia_fail_memory(c->tx.err);
    p->stats[p->n_stats++] = (struct email_folder){f->id, f->name, 1, 0};
    return 0;
}

/* The folder that it goes into: 1; 0 it cannot, and that is said; -1. */
static int folder_for(struct call *c, struct import *p, const struct incoming *in,
                      struct email_folder *ret)
{
    bool own = p->preserve && in->folder && *in->folder;
    const char *name = own ? in->folder : p->target ? p->target : "INBOX";
    int r = email_folder(c, &p->box, name, ret);
    if (r)
        return r;
    if (!own) {
        failed(p, in,
               arena_printf(c->tx.arena,
                            "Cannot access folder '%s': Error selecting folder "
                            "'%s': Failed to select folder '%s': NO",
                            name, name, name));
        return 0;
    }
    if (email_folder_fault(c->tx.arena, name))
        return email_folder(c, &p->box, "INBOX", ret);
    return email_folder_make(c, &p->box, name, ret) < 0 ? -1 : 1;
}

static int put_in(struct call *c, struct import *p, struct incoming *in)
{
    struct email_folder f;
    struct mail_message m;
    const char *raw = buf_str(&in->raw);
    const size_t head = mime_head_len(raw, in->raw.len);
    const char *date = mime_header(c->tx.arena, raw, head, "Date");
    struct mail_message_new new = {
        .mailbox = &p->box.mailbox, .raw = raw, .len = in->raw.len, .at_s = INT64_MIN};
    int64_t s;
    int r = folder_for(c, p, in, &f);
    if (r <= 0)
        return r;
    if (date && mime_date(date, &s, NULL) && s >= 0)
        new.at_s = s;
    new.flags = (in->read ? 0 : FLAG(KEYWORD_UNSEEN)) | (in->important ? FLAG(KEYWORD_FLAGGED) : 0);
    if (mail_folder_is_fixed(f.id)) {
        new.flags |= FLAG(mail_folder_place(f.id));
    } else {
        new.folders = &f.id;
        new.n_folders = 1;
    }
    bool draft = mail_folder_place(f.id) == FOLDER_DRAFTS;
    struct mail_draft d;
    if ((draft ? mail_draft_add(&c->tx, &new, 0, &d) : mail_message_add(&c->tx, &new, &m)) < 0)
        return -1;
    p->done++;
    return count_in(c, p, &f);
}

static const char *text_in(const struct json *v, const char *name)
{
    const char *text = json_get_str(v, name);
    return text ? text : "";
}

/* "NAME <a@b>" and the like as it may be in a header; NULL: none. */
static const char *address_in(struct call *c, const struct json *v, const char *name)
{
    const char *text = text_in(v, name);
    return *text ? email_as_header(c->tx.arena, text) : NULL;
}

/* "text/plain" */
static bool is_type(const char *text)
{
    const char *slash = strchr(text, '/');
    if (!slash || slash == text || !slash[1])
        return false;
    for (; *text; text++)
        if (*text <= ' ' || *text > '~')
            return false;
    return true;
}

static int files_in(struct call *c, const struct json *v, struct compose *parts)
{
    const struct json *list = json_get(v, "attachments");
    struct compose_file *files;
    if (!list || list->type != JSON_ARRAY || !list->n)
        return 0;
    files = arena_calloc(c->tx.arena, list->n, sizeof *files);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    parts->files = files;
    for (uint32_t i = 0; i < list->n; i++) {
        const char *coded = text_in(&list->items[i], "content"),
                   *type = text_in(&list->items[i], "content_type"),
                   *name = text_in(&list->items[i], "filename");
        uint8_t *data;
        size_t n;
        if (!*name || base64_decode(c->tx.arena, coded, strlen(coded), &data, &n) < 0)
            continue;
        files[parts->n_files++] =
            (struct compose_file){.type = is_type(type) ? type : "application/octet-stream",
                                  .filename = name,
                                  .data = (const char *)data,
                                  .len = n};
    }
    return 0;
}

static int compose(struct call *c, const struct json *v, struct buf *out)
{
    struct arena *a = c->tx.arena;
    const char *id = text_in(v, "message_id"), *date = text_in(v, "date"), **ids;
    struct compose parts = {.from = address_in(c, v, "from_addr"),
                            .to = address_in(c, v, "to_addr"),
                            .cc = address_in(c, v, "cc_addr"),
                            .bcc = address_in(c, v, "bcc_addr"),
                            .subject = text_in(v, "subject"),
                            .date_s = c->tx.now_us / 1000000,
                            .text = text_in(v, "body_text"),
                            .html = json_get_str(v, "body_html")};
    size_t n = 0;
    mime_ids(a, id, &ids, &n);
    if (n)
        parts.message_id = arena_printf(a, "<%s>", ids[0]);
    if (parts.html && !*parts.html)
        parts.html = NULL;
    if (parts.html && !*parts.text)
        parts.text = NULL;
    mime_date(date, &parts.date_s, &parts.date_offset);
    if (files_in(c, v, &parts) < 0)
        return -1;
    mime_compose(a, &parts, out);
    return arena_failed(a) || buf_failed(out) ? sosia_fail_memory(c->tx.err) : 0;
}

static int import_member(struct call *c, struct import *p, const struct json *v)
{
    static const char *const needed[] = {"email_id", "subject", "from_addr", "to_addr"};
    struct incoming in = {.id = text_in(v, "email_id"),
                          .folder = json_get_str(v, "folder"),
                          .read = json_is_true(json_get(v, "is_read")),
                          .important = json_is_true(json_get(v, "is_important"))};
    for (size_t i = 0; i < SOSIA_LEN(needed); i++)
        if (!json_get(v, needed[i]))
            return email_refuse(c, SOSIA_E_INVALID,
                                "Import failed: Missing required field in JSON: '%s'", needed[i]);
    buf_init(&in.raw, 0);
    int r = compose(c, v, &in.raw);
    if (r == 0)
        r = put_in(c, p, &in);
    buf_done(&in.raw);
    return r;
}

static int by_id(const void *a, const void *b)
{
    const struct json *const *x = a, *const *y = b;
    int64_t i = email_id(text_in(*x, "email_id")), k = email_id(text_in(*y, "email_id"));
    return i < k ? -1 : i > k ? 1 : *x < *y ? -1 : *x > *y;
}

/* The oldest first. */
static int import_json(struct call *c, struct import *p, const char *text, size_t n)
{
    const struct json *v, *list;
    if (json_parse(c->tx.arena, text, n, NULL, &v, c->tx.err) < 0)
        return email_within(c, "Import failed");
    list = json_get(v, "emails");
    if (!list || list->type != JSON_ARRAY)
        return email_refuse(c, SOSIA_E_INVALID,
                            "Import failed: Invalid JSON format: missing 'emails' key");
    if (list->n > IMPORT_MAX)
        return email_refuse(c, SOSIA_E_TOO_LARGE,
                            "Import failed: emails must have at most %d members, not %u",
                            IMPORT_MAX, list->n);
    const struct json **order = arena_calloc(c->tx.arena, list->n + 1, sizeof *order);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (uint32_t i = 0; i < list->n; i++)
        order[i] = &list->items[i];
    qsort(order, list->n, sizeof *order, by_id);
    p->total = list->n;
    for (uint32_t i = 0; i < list->n; i++)
        if (import_member(c, p, order[i]) < 0)
            return -1;
    return 0;
}

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), k = strlen(end);
    return n >= k && strcasecmp(path + n - k, end) == 0;
}

/* A message as a file. */
static int import_eml(struct call *c, struct import *p, const struct workspace_node *file)
{
    const char *data, *name = workspace_name(file->path);
    struct incoming in = {.id = arena_memdup(c->tx.arena, name, strlen(name) - 4)};
    size_t n;
    if (workspace_load(&c->tx, file, &data, &n) < 0)
        return -1;
    p->total++;
    buf_init(&in.raw, 0);
    buf_add(&in.raw, data, n);
    buf_str(&in.raw);
    int r = buf_failed(&in.raw) ? sosia_fail_memory(c->tx.err) : put_in(c, p, &in);
    buf_done(&in.raw);
    return r;
}

static int import_directory(struct call *c, struct import *p, const char *path)
{
    struct workspace_list list = {.dir = path};
    struct workspace_node n;
    int r, files = 0;
    while ((r = workspace_next(&c->tx, &list, &n)) == 1) {
        if (n.kind != NODE_FILE || !ends_with(n.path, ".eml"))
            continue;
        if (files++ == IMPORT_FILES)
            return email_refuse(c, SOSIA_E_TOO_LARGE,
                                "Import failed: a directory must have at most %d messages",
                                IMPORT_FILES);
        if (import_eml(c, p, &n) < 0)
            return -1;
    }
    return r;
}

static int import_path(struct call *c, struct import *p, const char *path)
{
    struct file_path at;
    const char *data;
    size_t n;
    if (!call_has_scope(c, "workspace.readonly workspace"))
        return email_refuse(c, SOSIA_E_FORBIDDEN,
                            "Invalid import path: the token must have the scope workspace or "
                            "workspace.readonly");
    int r = file_path(c, path, &at);
    if (r < 0)
        return email_within(c, "Invalid import path");
    if (!r)
        return email_refuse(c, SOSIA_E_NOT_FOUND, "Invalid import path: File does not exist: %s",
                            path);
    if (at.node.kind == NODE_DIRECTORY)
        return import_directory(c, p, at.path);
    if (ends_with(at.path, ".eml"))
        return import_eml(c, p, &at.node);
    if (!ends_with(at.path, ".json"))
        return email_refuse(c, SOSIA_E_INVALID, "Import failed: Unsupported import format: %s",
                            path);
    return workspace_load(&c->tx, &at.node, &data, &n) < 0 ? -1 : import_json(c, p, data, n);
}

static int say_imported(struct call *c, struct import *p)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "Successfully imported %u/%u emails", p->done, p->total);
    if (p->preserve && p->n_stats > 1) {
        buf_puts(&b, "\n\nImport breakdown by folder:");
        for (size_t i = 0; i < p->n_stats; i++)
            buf_printf(&b, "\n  - %s: %lld emails", p->stats[i].name,
                       (long long)p->stats[i].messages);
    } else if (p->n_stats) {
        buf_printf(&b, " to %s", p->stats[0].name);
    }
    if (p->bad)
        buf_printf(&b, "\n\n%u emails failed to import:%s", p->bad, buf_str(&p->failures));
    if (p->bad > 5)
        buf_printf(&b, "\n  ... and %u more", p->bad - 5);
    return email_say(c, &b);
}

static int import(struct call *c, struct import *p)
{
    const char *text = email_arg(c, "json_string"), *path = email_arg(c, "import_path");
    const struct json *preserve = json_get(server_arguments(c), "preserve_folders");
    p->preserve = !json_is_false(preserve);
    p->target = email_arg(c, "target_folder");
    if (!text && !path)
        return email_refuse(c, SOSIA_E_INVALID, "Import failed: json_string must be given");
    if (email_open(c, &p->box) < 0 ||
        (text ? import_json(c, p, text, strlen(text)) : import_path(c, p, path)) < 0)
        return -1;
    return p->total ? say_imported(c, p)
                    : email_text(c, "No emails found in import file%s%s", path && !text ? " " : "",
                                 path && !text ? path : "");
}

int email_import(struct call *c)
{
    struct import p = {0};
    buf_init(&p.failures, 0);
    int r = import(c, &p);
    buf_done(&p.failures);
    return email_end(c, "importing emails", r);
}
