/* SPDX-License-Identifier: Apache-2.0 */
/* Mail folders and categories by their names and ids. */
#include "engine/base/codec.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/outlook.h"

/* ---- by name ---- */

static int no_folder(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "ErrorItemNotFound", NULL,
                     "The specified object was not found in the store.");
}

static void root_of(const struct outlook_box *b, struct mail_folder *ret)
{
    *ret = (struct mail_folder){
        .mailbox = b->mailbox.id, .name = "Top of Information Store", .kind = KIND_FOLDER};
}

int outlook_folder_named(struct call *c, const struct outlook_box *b, const char *text,
                         struct mail_folder *ret)
{
    int64_t place = outlook_known_place(text);
    if (place == -2) {
        int r = outlook_folder_id_parse(c->tx.arena, b, text, &place);
        if (r == 2)
            return call_fail(c, SOSIA_E_NOT_FOUND, "ErrorInvalidMailboxItemId", NULL,
                             "Item '%.200s' doesn't belong to the targeted mailbox '%s'.", text,
                             b->mailbox.email);
        if (r == 0)
            return graph_bad_id(c);
    }
    if (place == FOLDER_ROOT) {
        root_of(b, ret);
        return 0;
    }
    int r = mail_folder_get(&c->tx, b->mailbox.id, mail_folder_id(b->mailbox.id, place), ret);
    return r < 0 ? -1 : r == 1 && ret->kind == KIND_FOLDER ? 0 : no_folder(c);
}

int outlook_folder_of_path(struct call *c, const struct outlook_box *b, struct mail_folder *ret)
{
    const char *child = param_str(c, "mailFolder-id1");
    struct mail_folder up;
    if (outlook_folder_named(c, b, param_str(c, "mailFolder-id"), ret) < 0)
        return -1;
    if (!child)
        return 0;
    up = *ret;
    if (outlook_folder_named(c, b, child, ret) < 0)
        return -1;
    return ret->id && ret->parent == up.id ? 0 : no_folder(c);
}

const char *outlook_folder_at(struct call *c, const char *rest)
{
    struct arena *a = c->tx.arena;
    const char *folder = param_str(c, "mailFolder-id"), *child = param_str(c, "mailFolder-id1");
    return ARENA_JOIN(a, "mailFolders", graph_key(a, folder), child ? "/childFolders" : "",
                      child ? graph_key(a, child) : "", rest);
}

const char *outlook_folder_text(struct arena *a, const struct outlook_box *b, int64_t folder)
{
    return outlook_folder_id(a, b, folder ? mail_folder_place(folder) : FOLDER_ROOT);
}

/* ---- categories ---- */

int outlook_category_folder(struct tx *tx, int64_t mailbox, const char *name, int64_t *ret)
{
    struct mail_folder f = {.mailbox = mailbox,
                            .name = name,
                            .kind = KIND_KEYWORD,
                            .parent = mail_folder_id(mailbox, FOLDER_CATEGORIES)};
    int r = mail_folder_by_name(tx, mailbox, f.parent, name, &f);
    if (r < 0 || (r == 0 && mail_folder_add(tx, &f) < 0))
        return -1;
    *ret = f.id;
    return 0;
}

int outlook_categories(struct tx *tx, const struct mail_message *m, const char ***ret,
                       size_t *ret_n)
{
    int64_t *own;
    size_t n = 0;
    *ret = NULL;
    *ret_n = 0;
    if (!(m->flags & FLAG_OWN_FOLDERS))
        return 0;
    if (mail_message_own_folders(tx, m, &own, &n) < 0)
        return -1;
    *ret = arena_calloc(tx->arena, n + 1, sizeof **ret);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n; i++) {
        struct mail_folder f;
        int r = own[i] == m->folder ? 0 : mail_folder_get(tx, m->mailbox, own[i], &f);
        if (r < 0)
            return -1;
        if (r && f.kind == KIND_KEYWORD)
            (*ret)[(*ret_n)++] = f.name;
    }
    return 0;
}

/* ---- where something goes ---- */

int outlook_destination(struct call *c, const struct outlook_box *b, struct mail_folder *ret)
{
    const struct json *body = call_body(c);
    const char *text = body ? json_get_str(body, "destinationId") : NULL;
    if (!body)
        return -1;
    if (!text)
        text = json_get_str(body, "DestinationId");
    if (!text)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidParameter", NULL,
                         "The required parameter 'DestinationId' is missing.");
    return outlook_folder_named(c, b, text, ret);
}
