/* SPDX-License-Identifier: Apache-2.0 */
/* Files that somebody has checked out: nobody else changes them until they are checked in. */
#include "services/drive/core/revision.h"
#include "services/drive/onedrive/onedrive.h"

static int drop(struct tx *tx, const struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT("delete from onedrive_checkout where item = :item");
    return TX_RUN(tx, &q, it->id);
}

/* The file of the path, and who has checked it out: 0 nobody. 0, -1. */
static int open_held(struct call *c, struct onedrive_at *at, struct drive_item *it,
                     int64_t *ret_who)
{
    if (onedrive_open(c, at) < 0 || onedrive_item(at, ROLE_WRITER, it) < 0 ||
        onedrive_holder(&c->tx, it->id, ret_who) < 0)
        return -1;
    if (it->form == DRIVE_FOLDER)
        return onedrive_invalid(c, "The operation is not supported for folders.");
    return *ret_who && *ret_who != c->actor.id ? onedrive_check_free(at, it) : 0;
}

static int items_checkout(struct call *c)
{
    static struct sql_text q = SQL_TEXT("insert or ignore into onedrive_checkout (item, who, head) "
                                        "values (:item, :who, :head)");
    struct drive_item it;
    struct onedrive_at at;
    int64_t who;
    if (open_held(c, &at, &it, &who) < 0)
        return -1;
    c->status = 204;
    return TX_RUN(&c->tx, &q, it.id, c->actor.id, it.head);
}

static int not_out(struct call *c)
{
    return onedrive_invalid(c, "The file is not checked out.");
}

static int items_checkin(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    int64_t who;
    if (open_held(c, &at, &it, &who) < 0 || !call_body(c))
        return -1;
    if (!who)
        return not_out(c);
    c->status = 204;
    return drop(&c->tx, &it);
}

/* The content that the file had when it was checked out is the current one again. 0, -1. */
static int bring_back(struct onedrive_at *at, struct drive_item *it)
{
    static struct sql_text q =
        SQL_TEXT("select head from onedrive_checkout where item = :item and head > 0");
    struct tx *tx = &at->c->tx;
    struct drive_revision before;
    struct blob blob;
    const char *key;
    int64_t head;
    int r = TX_INT(tx, &q, &head, it->id);
    if (r != 1 || head == it->head)
        return r < 0 ? -1 : 0;
    r = drive_revision_key(tx, head, &key);
    if (r == 1)
        r = drive_revision_find(tx, it->id, key, &before);
    if (r == 1)
        r = before.blob ? blob_digests(tx, before.blob, DRIVE_DIGESTS, &blob) : 0;
    if (r != 1)
        return r < 0 ? -1 : 0; /* there is none of then any more */
    it->modified_us = before.modified_us;
    return blob_ref(tx, blob.id) < 0 ? -1 : onedrive_set_content(at, it, &blob);
}

/* Who has it out, or an app, gives up what was changed meanwhile. */
static int items_discard(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    int64_t who;
    if (onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_WRITER, &it) < 0 ||
        onedrive_holder(&c->tx, it.id, &who) < 0)
        return -1;
    if (!who)
        return not_out(c);
    if (!graph_app_only(c) && onedrive_check_free(&at, &it) < 0)
        return -1;
    c->status = 204;
    return bring_back(&at, &it) < 0 ? -1 : drop(&c->tx, &it);
}

/* ---- the methods ---- */

static const struct param params[] = {ONEDRIVE_PATH_PARAMS};

static const struct route methods[] = {
    {ROUTE("onedrive.items.checkout", POST, OF_ITEM("/checkout")), .handler = items_checkout,
     .risk = RISK_WRITE, .idempotent = true, .scopes = ONEDRIVE_WRITE, PARAMS(params),
     .status = 204, .summary = "Check a file out, so that nobody else changes it"},
    {ROUTE("onedrive.items.checkin", POST, OF_ITEM("/checkin")), .handler = items_checkin,
     .risk = RISK_WRITE, .scopes = ONEDRIVE_WRITE, PARAMS(params), .body = BODY_JSON,
     .request = "microsoft.graph.driveItem.checkin", .status = 204,
     .summary = "Check a file in that was checked out"},
    {ROUTE("onedrive.items.discardCheckout", POST, OF_ITEM("/discardCheckout")),
     .handler = items_discard, .risk = RISK_DESTRUCTIVE, .scopes = ONEDRIVE_WRITE, PARAMS(params),
     .status = 204, .summary = "Give up what was changed in a file since it was checked out"},
};

const struct rows onedrive_checkouts = ROWS(methods);
