/* SPDX-License-Identifier: Apache-2.0 */
/* What items are to a person: those that they worked on last, and those that they follow. */
#include "services/drive/onedrive/page.h"

enum { RECENT = 200 };

/* Their own items, and others' as those that they have from them. */
static int write_found(struct onedrive_at *at, const struct drive_item *list, size_t n, bool files)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < n; i++) {
        if (files && list[i].form == DRIVE_FOLDER)
            continue;
        int own = drive_is_under(&at->c->tx, list[i].id, at->root.id);
        r = own < 0 ? -1
            : own   ? onedrive_write(at, NULL, &list[i])
                    : onedrive_write_remote(at, &list[i]);
    }
    return r;
}

static int open_own(struct call *c, struct onedrive_at *at, struct odata_query *q)
{
    return onedrive_open(c, at) < 0 || onedrive_may(at, &at->root, ROLE_OWNER) < 0 ||
                   onedrive_options(c, "driveItem", q) < 0 || graph_select(c, q, 0, true) < 0
               ? -1
               : 0;
}

static int items_of(struct call *c, struct find *question, enum find_key key, bool files)
{
    struct find trashed = {.kind = FIND_TRASHED}, kept = {.kind = FIND_NOT, .left = &trashed};
    struct find both = {.kind = FIND_AND, .left = question, .right = &kept};
    struct drive_item *list;
    struct odata_query q;
    struct onedrive_at at;
    const char *next;
    size_t n;
    if (open_own(c, &at, &q) < 0 || onedrive_find_page(&at, question ? &both : &kept, key, true,
                                                       NULL, RECENT, &list, &n, &next) < 0)
        return -1;
    at.query = &q;
    at.bare = true;
    json_obj(c->out, NULL);
    graph_context_of(c, "Collection(driveItem)");
    json_arr(c->out, "value");
    int r = write_found(&at, list, n, files);
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int recent_list(struct call *c)
{
    return items_of(c, NULL, ORDER_MODIFIED, true);
}

static int following_list(struct call *c)
{
    struct find starred = {.kind = FIND_STARRED};
    return items_of(c, &starred, ORDER_STARRED, false);
}

/* ---- follow, unfollow ---- */

static int set_followed(struct call *c, bool followed)
{
    struct drive_mine mine;
    struct drive_item it;
    struct onedrive_at at;
    if (graph_app_only(c))
        return graph_denied(c);
    if (onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_READER, &it) < 0 ||
        drive_mine(&c->tx, &it, c->actor.id, &mine) < 0)
        return -1;
    if (mine.starred != followed) {
        mine.starred = followed;
        if (drive_mine_save(&c->tx, it.id, c->actor.id, &mine) < 0)
            return -1;
    }
    if (!followed) {
        c->status = 204;
        return 0;
    }
    return onedrive_answer(&at, &it, it.id == at.root.id);
}

static int items_follow(struct call *c)
{
    return set_followed(c, true);
}

static int items_unfollow(struct call *c)
{
    return set_followed(c, false);
}

/* ---- the methods ---- */

static const struct param list_params[] = {
    ONEDRIVE_PATH_PARAMS, ONEDRIVE_SHAPE_PARAMS, {.name = "$top", .place = IN_QUERY}};
static const struct param item_params[] = {ONEDRIVE_PATH_PARAMS};

static const struct route methods[] = {
    {ROUTE("onedrive.drive.recent", GET, GRAPH_MY("/drive/recent()")), .handler = recent_list,
     .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(list_params),
     .response = "microsoft.graph.driveItemCollectionResponse",
     .summary = "The files that were changed last, of a person and of those who share with them"},
    {ROUTE("onedrive.drive.following", GET, GRAPH_MY("/drive/following")),
     .handler = following_list, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(list_params),
     .response = "microsoft.graph.driveItemCollectionResponse",
     .summary = "The files and folders that a person follows"},
    {ROUTE("onedrive.items.follow", POST, OF_ITEM("/follow")), .handler = items_follow,
     .risk = RISK_WRITE, .idempotent = true, .scopes = ONEDRIVE_WRITE, PARAMS(item_params),
     .response = "microsoft.graph.driveItem", .summary = "Follow a file or a folder"},
    {ROUTE("onedrive.items.unfollow", POST, OF_ITEM("/unfollow")), .handler = items_unfollow,
     .risk = RISK_WRITE, .idempotent = true, .scopes = ONEDRIVE_WRITE, PARAMS(item_params),
     .status = 204, .summary = "Follow a file or a folder no more"},
};

const struct rows onedrive_mine = ROWS(methods);
