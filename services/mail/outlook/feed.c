/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a mailbox, or of one of its folders, as what subscriptions watch. */
#include "engine/base/codec.h"
#include "services/mail/core/folder.h"
#include "services/mail/outlook/outlook.h"
#include "services/mail/outlook/rows.h"
#include "services/mail/outlook/letter.h"
#include "vendors/microsoft/subscription.h"
#include <stdlib.h>

#define BATCH 500 /* records that are read at once */

/* ---- which folder ---- */

/* The folder of "mailFolders('inbox')": 1, 0, -1. */
static int folder_of(struct tx *tx, const struct outlook_box *b, const char *key, int64_t *ret)
{
    struct mail_folder f;
    int64_t place = outlook_known_place(key);
    if (place == -2 && outlook_folder_id_parse(tx->arena, b, key, &place) != 1)
        return 0;
    int r = mail_folder_get(tx, b->mailbox.id, mail_folder_id(b->mailbox.id, place), &f);
    *ret = f.id;
    return r == 1 && f.kind != KIND_FOLDER ? 0 : r;
}

/* "messages", "mailFolders/x/messages": 1 and the folder (0: all), 0, -1. */
static int part_of(struct tx *tx, const struct outlook_box *b, const char *rest, int64_t *ret)
{
    int r = 1;
    *ret = 0;
    if (graph_resource_word(&rest, "mailFolders")) {
        const char *key = graph_resource_key(tx->arena, &rest);
        r = key ? folder_of(tx, b, key, ret) : 0;
    }
    if (r != 1)
        return r;
    return graph_resource_word(&rest, "messages") && !*rest;
}

/* May the watcher read all of the mailbox: 1, 0, -1. */
static int may_read(struct tx *tx, const struct graph_watcher *who, const struct mailbox *mb)
{
    struct kept s;
    if (mb->actor == who->actor.id || who->app_only)
        return 1;
    int r = mail_kept_get(tx, &outlook_settings, mb->id, SETTING_DELEGATE, who->actor.email, &s);
    return r == 1 ? json_get_true(s.value, "fullAccess") : r;
}

static int feed_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                     struct graph_watch *ret)
{
    struct graph_user u;
    struct outlook_box b;
    struct mailbox mb;
    const char *rest;
    int64_t folder;
    int r = graph_resource_user(tx, who, resource, ACCOUNT_MAIL, &u, &rest);
    if (r == 1)
        r = mailbox_of_account(tx, u.account.id, &mb);
    if (r != 1 || outlook_box_of(tx, &mb, &b) < 0)
        return r == 1 ? -1 : r;
    if ((r = part_of(tx, &b, rest, &folder)) != 1)
        return r;
    if ((r = may_read(tx, who, &mb)) != 1)
        return r < 0 ? -1
                     : tx_fail(tx, SOSIA_E_FORBIDDEN, "ErrorAccessDenied", NULL,
                               "Access is denied. Check credentials and try again.");
    *ret = (struct graph_watch){
        .scope = mb.id,
        .part = arena_printf(tx->arena, "%lld", (long long)folder),
        .path = arena_printf(tx->arena, "Users/%s@%s/Messages", u.oid, u.tenant),
        .tenant = u.tenant};
    return 1;
}

static int feed_may(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w)
{
    struct mailbox mb;
    int r = graph_watcher_there(tx, who);
    if (r == 1)
        r = mailbox_by_id(tx, w->scope, &mb);
    return r == 1 ? may_read(tx, who, &mb) : r;
}

static int feed_position(struct tx *tx, const struct graph_watch *w, int64_t *ret)
{
    struct mailbox mb;
    int r = mailbox_by_id(tx, w->scope, &mb);
    *ret = r == 1 ? mb.change : 0;
    return r < 0 ? -1 : 0;
}

/* ---- changes ---- */

struct teller {
    struct tx *tx;
    const struct graph_watch *watch;
    const struct outlook_box *box;
    int64_t folder; /* 0: any */
    graph_change_fn *fn;
    void *arg;
};

static int say(struct teller *t, enum event_operation operation, int64_t key, int64_t folder)
{
    struct outlook_item item;
    struct graph_change change = {
        .operation = operation,
        .id = t->watch->immutable ? outlook_immutable_id(t->tx->arena, t->box, key)
                                  : outlook_message_id(t->tx->arena, t->box, key, folder)};
    int r = operation == OP_REMOVED ? 0 : outlook_item_get(t->tx, t->box->mailbox.id, key, &item);
    if (r < 0)
        return -1;
    if (r == 1) {
        change.etag = outlook_item_etag(t->tx->arena, t->box, &item);
        change.thing = &item;
    }
    return t->fn(t->arg, &change);
}

/* What one record is to the watcher: moving out of the folder is going, moving in is coming; where
 * other bytes take a draft's place, the draft is changed. */
static int say_change(struct teller *t, const struct mail_change *c)
{
    const int64_t in = c->folder, out = c->folder_before;
    struct outlook_item item = {.key = c->key};
    int64_t draft;
    int r = 0;
    if (c->kind == MAIL_DELETED || outlook_is_saved(c->key, &draft))
        r = outlook_item_of_change(t->tx, t->box->mailbox.id, c->key, &item);
    if (r < 0 || !item.key)
        return r < 0 ? -1 : 0;
    const bool again = item.key != c->key;
    switch (c->kind) {
    case MAIL_ADDED:
        return !t->folder || in == t->folder ? say(t, again ? OP_CHANGED : OP_ADDED, item.key, in)
                                             : 0;
    case MAIL_DELETED:
        return r == 0 && (!t->folder || out == t->folder || in == t->folder)
                   ? say(t, OP_REMOVED, item.key, out ? out : in)
                   : 0;
    case MAIL_MOVED:
        r = !t->folder || out == t->folder ? say(t, OP_REMOVED, item.key, out) : 0;
        return r ? r : !t->folder || in == t->folder ? say(t, OP_ADDED, item.key, in) : 0;
    default:
        return !t->folder || in == t->folder ? say(t, OP_CHANGED, item.key, in) : 0;
    }
}

static int feed_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                        graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    struct outlook_box b;
    struct mailbox mb;
    bool more = true;
    *ret_last = after;
    int r = mailbox_by_id(tx, w->scope, &mb);
    if (r != 1 || outlook_box_of(tx, &mb, &b) < 0)
        return r == 1 ? -1 : r;
    struct teller t = {.tx = tx, .watch = w, .box = &b, .fn = fn, .arg = arg};
    if (parse_i64(w->part, strlen(w->part), &t.folder) < 0)
        t.folder = 0;
    while (more) {
        struct mail_change *list;
        size_t n;
        if (mail_changes(tx, &mb, *ret_last, 0, 0, BATCH, &list, &n, &more) < 0)
            return -1;
        for (size_t i = 0; i < n; i++) {
            *ret_last = list[i].number;
            if ((r = say_change(&t, &list[i])))
                return r;
        }
        more = more && n;
    }
    return 0;
}

/* ---- resource data ---- */

static int feed_data(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w,
                     const struct graph_change *change, const struct odata_query *q,
                     struct json_writer *out)
{
    struct call c = {.tx = *tx, .out = out}; /* of it what writing needs */
    struct outlook_box b;
    struct mailbox mb;
    (void)who;
    int r = change->thing ? mailbox_by_id(tx, w->scope, &mb) : 0;
    if (r != 1)
        return r;
    if (outlook_box_of(tx, &mb, &b) < 0)
        return -1;
    b.immutable = w->immutable;
    return outlook_write_members(&c, &b, change->thing, q) < 0 ? -1 : 1;
}

const struct graph_feed outlook_feed = {.kind = CHANGED_MAIL,
                                        .type = "#Microsoft.Graph.Message",
                                        .scopes = READ_BASIC,
                                        .data_scopes = READ,
                                        .max_minutes = 10080,
                                        .max_minutes_data = 1440,
                                        .selected = true,
                                        .data = feed_data,
                                        .open = feed_open,
                                        .may = feed_may,
                                        .position = feed_position,
                                        .changes = feed_changes};
