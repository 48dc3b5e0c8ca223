/* SPDX-License-Identifier: Apache-2.0 */
/* Files in the core's own terms, which drives of all vendors have in common. */
#include "engine/base/utf8.h"
#include "engine/state/plain.h"
#include "services/drive/core/document/document.h"
#include "services/drive/core/model.h"
#include "services/drive/core/seed_impl.h"

#define TEXT_SHOWN (1 << 20) /* bytes of a text; of longer ones there is but the hash */

struct path {
    struct arena *a;
    const char *text;
};

/* Somebody's own folder at the top has no name that matters. */
static int add_folder(void *arg, const struct drive_item *folder)
{
    struct path *p = arg;
    if (folder->top != DRIVE_ROOT)
        p->text = *p->text ? arena_printf(p->a, "%s/%s", folder->name, p->text) : folder->name;
    return 0;
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
        if (blob_load(tx, it->blob, &data, &n) < 0)
            return -1;
        if (utf8_valid(data, n) && !memchr(data, 0, n)) {
            plain_text(w, tx->arena, "text", arena_memdup(tx->arena, data, n));
            return 0;
        }
    }
    json_str_opt(w, "sha256", it->sha256);
    return 0;
}

/* "writer ada@acme.example", "reader anyone"; the owner's is not among them. */
static int write_shared(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_grant *list;
    size_t n, used = 0;
    if (drive_grants(tx, it->id, &list, &n) < 0)
        return -1;
    const char **who = arena_calloc(tx->arena, n + 1, sizeof *who);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n; i++)
        if (list[i].role != ROLE_OWNER && !list[i].view)
            who[used++] = arena_printf(tx->arena, "%s %s", drive_role_names[list[i].role],
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
    if (r)
        json_str(w, "person", owner.email && *owner.email ? owner.email : owner.handle);
    json_str(w, "title", it.name);
    if (*path.text)
        json_str(w, "in", path.text);
    json_str(w, "kind", it.form == DRIVE_FILE ? "file" : it.mime);
    json_bool_opt(w, "trashed", it.flags & DRIVE_TRASHED);
    plain_text(w, tx->arena, "description", it.description);
    return write_content(tx, w, &it) < 0 || write_shared(tx, w, &it) < 0 ? -1 : 1;
}
