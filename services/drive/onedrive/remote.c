/* SPDX-License-Identifier: Apache-2.0 */
/* Items of all of somebody's drives, and those of others as they are known there. */
#include "services/drive/core/access/link.h"
#include "services/drive/onedrive/page.h"

int onedrive_find_page(struct onedrive_at *at, struct find *question, enum find_key key,
                       bool falling, const char *from, size_t limit, struct drive_item **ret,
                       size_t *ret_n, const char **ret_next)
{
    const struct find_order order = {key, falling};
    struct drive_access *access;
    struct drive_finder finder = {.viewer = &at->viewer,
                                  .vendor = &onedrive_vendor,
                                  .question = question,
                                  .in_drive = true,
                                  .order = &order,
                                  .n_order = 1};
    if (drive_links_used(&at->viewer) < 0)
        return -1;
    if (drive_find(&finder, from, limit, ret, &access, ret_n, ret_next) < 0)
        return at->c->tx.err->code == SOSIA_E_INVALID ? onedrive_invalid(at->c, "Invalid request")
                                                      : -1;
    return 0;
}

/* ---- what others have shared ---- */

int onedrive_drive_of(struct onedrive_at *at, const struct drive_item *it, struct onedrive_at *ret)
{
    struct graph_user user;
    struct account account;
    struct actor owner;
    struct call *c = at->c;
    int r = actor_by_id(&c->tx, it->owner, &owner);
    if (r == 1)
        r = account_at(&c->tx, owner.id, "microsoft", ACCOUNT_DRIVE, &account);
    if (r != 1)
        return r;
    return onedrive_user_of(&c->tx, &account, &owner, &user) < 0 ||
                   onedrive_open_of(c, &user, ret) < 0
               ? -1
               : 1;
}

int onedrive_write_remote(struct onedrive_at *own, const struct drive_item *it)
{
    struct json_writer *w = own->c->out;
    struct arena *a = own->c->tx.arena;
    struct drive_mine mine;
    struct onedrive_at at;
    int r = onedrive_drive_of(own, it, &at);
    if (r != 1 || drive_mine(&own->c->tx, it, own->who.id, &mine) < 0)
        return r == 0 ? 0 : -1;
    at.bare = true;
    json_obj(w, NULL);
    json_str(w, "id", it->key);
    json_str(w, "name", it->name);
    json_str(w, "createdDateTime", graph_date(a, it->created_us, 0));
    json_str(w, "lastModifiedDateTime", graph_date(a, it->modified_us, 0));
    json_str(w, "webUrl", onedrive_web_url(&at, it));
    json_int(w, "size", it->size > 0 ? it->size : 0);
    json_obj(w, "remoteItem");
    if (onedrive_write_members(&at, it) < 0)
        return -1;
    json_end(w);
    json_obj(w, "shared");
    if (onedrive_write_person(&at, "owner", it->owner) < 0 ||
        onedrive_write_person(&at, "sharedBy", mine.sharer ? mine.sharer : it->owner) < 0)
        return -1;
    json_str(w, "scope", "users");
    if (mine.shared_us)
        json_str(w, "sharedDateTime", graph_date(a, mine.shared_us, 0));
    json_end(w);
    json_end(w);
    return 0;
}
