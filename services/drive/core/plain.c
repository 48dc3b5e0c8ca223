/* SPDX-License-Identifier: Apache-2.0 */
/* Files in the core's own terms, which drives of all vendors have in common. */
#include "engine/base/utf8.h"
#include "engine/state/plain.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/document/format.h"
#include "services/drive/core/model.h"
#include "services/drive/core/seed_impl.h"

#define TEXT_SHOWN (1 << 20) /* bytes of a text; of longer ones there is but the hash */

struct path {
    struct arena *a;
    const char *text;
};

/* A name in the letters that every vendor takes. */
static char *letters_of(struct arena *a, const char *name)
{
    char *out = arena_strdup(a, name);
    for (char *p = out; !arena_failed(a) && *p; p++)
        *p = strchr("\"*:<>?/\\|", *p) ? '-' : *p;
    return out;
}

/* The folder at the top, be it somebody's own or a shared one, has no name that matters. */
static int add_folder(void *arg, const struct drive_item *folder)
{
    struct path *p = arg;
    const char *name = letters_of(p->a, folder->name);
    if (!folder->top)
        p->text = *p->text ? arena_printf(p->a, "%s/%s", name, p->text) : name;
    return 0;
}

/* The kind of a document, by its own word for it or by the format of an office file; else NULL.
 * *ret_format: the latter. */
static const char *document_of(const struct drive_item *it, const struct format **ret_format)
{
    static const char *const words[] = {[DOCUMENT_TEXT] = "document",
                                        [DOCUMENT_SHEETS] = "spreadsheet",
                                        [DOCUMENT_SLIDES] = "presentation"};
    static const char *const types[] = {[DOCUMENT_TEXT] = FORMAT_DOCX,
                                        [DOCUMENT_SHEETS] = FORMAT_XLSX,
                                        [DOCUMENT_SLIDES] = FORMAT_PPTX};
    for (size_t i = 0; it->form == DRIVE_FILE && i < SOSIA_LEN(types); i++)
        if (strcmp(it->mime, types[i]) == 0) {
            *ret_format = format_find(types[i]);
            return words[i];
        }
    return NULL;
}

/* The text of an office file; of one that can't be read nothing. */
static int write_office(struct tx *tx, struct json_writer *w, const struct drive_item *it,
                        const char *data, size_t n)
{
    static const enum document_kind kinds[] = {DOCUMENT_TEXT, DOCUMENT_SHEETS, DOCUMENT_SLIDES};
    struct document *model = NULL;
    struct sosia_err err = {0};
    struct buf b;
    int rc = -1;
    for (size_t i = 0; rc < 0 && i < SOSIA_LEN(kinds); i++)
        rc = format_read(tx->arena, kinds[i], it->mime, data, n, it->name, &model, &err);
    if (rc < 0)
        return 0;
    buf_init(&b, 0);
    document_text(model, &b);
    plain_text(w, tx->arena, "text", buf_str(&b));
    buf_done(&b);
    return 1;
}

static int write_content(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct document *model;
    const char *data;
    struct buf b;
    size_t n;
    if (it->form == DRIVE_DOCUMENT) {
        int r = drive_document_load(tx, it, 0, &model);
        if (r != 1)
            return r;
        buf_init(&b, 0);
        document_text(model, &b);
        plain_text(w, tx->arena, "text", buf_str(&b));
        buf_done(&b);
        return 0;
    }
    if (it->form != DRIVE_FILE || !it->blob)
        return 0;
    if (it->size <= TEXT_SHOWN) {
        const struct format *office = NULL;
        if (blob_load(tx, it->blob, &data, &n) < 0)
            return -1;
        if (document_of(it, &office) && write_office(tx, w, it, data, n))
            return 0;
        if (utf8_valid(data, n) && !memchr(data, 0, n)) {
            plain_text(w, tx->arena, "text", arena_memdup(tx->arena, data, n));
            return 0;
        }
    }
    json_str_opt(w, "sha256", it->sha256);
    return 0;
}

static const char *const role_words[N_ROLES] = {
    [ROLE_NONE] = "none",           [ROLE_SEES] = "metadata",
    [ROLE_READER] = "reader",       [ROLE_COMMENTER] = "commenter",
    [ROLE_WRITER] = "writer",       [ROLE_FILE_ORGANIZER] = "fileOrganizer",
    [ROLE_ORGANIZER] = "organizer", [ROLE_OWNER] = "owner"};

/* "writer ada@acme.example", "reader anyone"; the owner's is not among them. */
static int write_shared(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    static const char *const scopes[] = {"", "anyone", "organization", "users"};
    struct drive_grant *list;
    struct drive_link *links;
    size_t n, n_links, used = 0;
    if (drive_grants(tx, it->id, &list, &n) < 0 || drive_links(tx, it->id, &links, &n_links) < 0)
        return -1;
    const char **who = arena_calloc(tx->arena, n + n_links + 1, sizeof *who);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n_links; i++)
        who[used++] = arena_printf(tx->arena, "%s %s", role_words[drive_link_role(&links[i])],
                                   scopes[links[i].scope]);
    for (size_t i = 0; i < n; i++)
        if (list[i].role != ROLE_OWNER && !list[i].view)
            who[used++] = arena_printf(tx->arena, "%s %s", role_words[list[i].role],
                                       list[i].kind == GRANT_ANYONE ? "anyone" : list[i].who);
    plain_list(w, "shared", who, used);
    return 0;
}

int file_plain(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct path path = {tx->arena, ""};
    struct drive_item it;
    struct actor owner;
    int r = drive_item_by_id(tx, rowid, &it);
    if (r != 1 || it.top)
        return r < 0 ? -1 : 0;
    r = it.owner ? actor_by_id(tx, it.owner, &owner) : 0;
    if (r < 0 || drive_each_ancestor(tx, &it, add_folder, &path) < 0)
        return -1;
    /* What a service owns is a group's, as what is in a shared drive. */
    if (r && owner.email && *owner.email)
        json_str(w, "person", owner.email);
    else
        json_bool(w, "common", true);
    const struct format *office = NULL;
    const char *kind = document_of(&it, &office), *dot = strrchr(it.name, '.');
    char *title = letters_of(tx->arena, it.name);
    if (office && dot && strcasecmp(dot + 1, office->extension) == 0)
        title[dot - it.name] = 0;
    json_str(w, "title", title);
    if (*path.text)
        json_str(w, "in", path.text);
    json_str(w, "kind", kind ? kind : it.form == DRIVE_FILE ? "file" : it.mime);
    json_bool_opt(w, "trashed", it.flags & DRIVE_TRASHED);
    plain_text(w, tx->arena, "description", it.description);
    return write_content(tx, w, &it) < 0 || write_shared(tx, w, &it) < 0 ? -1 : 1;
}
