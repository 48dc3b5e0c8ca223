/* SPDX-License-Identifier: Apache-2.0 */
/* What changed in a drive since (MG-103, 343, 433, 581, 587). A token has the place in the feed of
 * changes, or of a first round the place among all items. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/drive/core/feed.h"
#include "services/drive/onedrive/onedrive.h"
#include <stdio.h>

#define PURPOSE "onedrive delta"

struct round {
    struct onedrive_at at;
    struct odata_query q;
    size_t size;
    int64_t since;           /* the change from which on; 0: all items are given */
    int64_t target;          /* the newest change when the round began */
    int64_t top;             /* the folder that it is about: the root, or a personal drive's */
    struct drive_walk place; /* of a first round: the last that was given */

    struct drive_item *items; /* of the page */
    bool *gone;
    size_t n;
    const char *next; /* token of the next page; NULL: it is the last */
    const char *last; /* of the next round */
};

static const char *purpose(struct round *r)
{
    return arena_printf(r->at.c->tx.arena, PURPOSE " %lld", (long long)r->top);
}

static const char *since_token(struct round *r, int64_t since)
{
    return graph_seal(r->at.c->tx.arena, purpose(r),
                      arena_printf(r->at.c->tx.arena, "since %lld %lld", (long long)since,
                                   (long long)r->at.c->tx.now_us));
}

/* The path of the call without a token that it has in brackets. */
static const char *link_to(struct round *r, const char *token)
{
    struct call *c = r->at.c;
    struct arena *a = c->tx.arena;
    const char *path = arena_memdup(a, c->path, c->path_len);
    const char *bracket = path ? strstr(path, "delta(") : NULL;
    if (!bracket)
        return graph_next(c, "token", token);
    /* behind the version, which a URL has of itself */
    const char *from = strchr(path + 1, '/');
    return graph_url(c, arena_printf(a, "%.*sdelta?token=%s", (int)(bracket - from), from, token));
}

/* ---- tokens ---- */

enum { TOKEN_DAYS = 60 }; /* how long what changed is known, as SharePoint's log of changes */

/* The two kinds: a token is too old, or is of a state that the world does not have (another one's,
 * or one before it was set back). */
static int lost(struct round *r, bool old)
{
    return graph_fail_resync(
        r->at.c, link_to(r, since_token(r, 0)),
        old ? "Resync required. Replace any local items with the server's version (including "
              "deletes) if you're sure that the service was up to date with your local changes "
              "when "
              "you last sync'd. Upload any local changes that the server doesn't know about."
            : "Resync required. Upload any local items that the service did not return, and upload "
              "any files that differ from the server's version (keeping both copies if you're not "
              "sure which one is more up-to-date).");
}

/* A time: changes from then on. */
static int read_instant(struct round *r, const char *token)
{
    struct stamp s;
    if (stamp_parse(token, strlen(token), true, &s) < 0)
        return onedrive_invalid(r->at.c, "Invalid paging token");
    return drive_change_since(&r->at.c->tx, s.local_us - s.offset * US_PER_SECOND, &r->since);
}

static int read_token(struct round *r, const char *token)
{
    struct call *c = r->at.c;
    long long number, depth, item, then = 0;
    bool old = false;
    const char *text;
    if (!token || !*token)
        return 0;
    if (str_eq_nocase(token, "latest")) {
        r->since = r->target + 1;
        return 0;
    }
    if (graph_unseal(c->tx.arena, purpose(r), token, &text) != 1)
        return strchr(token, '-') && strchr(token, 'T')
                   ? read_instant(r, token)
                   : onedrive_invalid(c, "Invalid paging token");
    if (sscanf(text, "since %lld %lld", &number, &then) >= 1) {
        r->since = number;
        old = then && number && then < c->tx.now_us - TOKEN_DAYS * INT64_C(86400) * US_PER_SECOND;
    } else if (sscanf(text, "all %lld %lld %lld", &number, &depth, &item) == 3) {
        r->place = (struct drive_walk){depth, item};
        r->target = number < r->target ? number : r->target;
    } else
        return onedrive_invalid(c, "Invalid paging token");
    return old || r->since > r->target + 1 ? lost(r, old) : 0;
}

/* ---- pages ---- */

/* All that is in the drive: the root first, and each folder before what is in it. */
static int read_all(struct round *r)
{
    struct arena *a = r->at.c->tx.arena;
    struct tx *tx = &r->at.c->tx;
    int64_t *found;
    size_t n;
    int more = drive_walk(tx, r->top, &r->place, r->size, &found, &n);
    if (more < 0)
        return -1;
    r->items = arena_calloc(a, n + 1, sizeof *r->items);
    r->gone = arena_calloc(a, n + 1, sizeof *r->gone);
    if (arena_failed(a))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n; i++) {
        int there = drive_item_by_id(tx, found[i], &r->items[r->n]);
        if (there < 0)
            return -1;
        r->n += there == 1;
    }
    if (more)
        r->next = graph_seal(a, purpose(r),
                             arena_printf(a, "all %lld %lld %lld", (long long)r->target,
                                          (long long)r->place.depth, (long long)r->place.item));
    else
        r->last = since_token(r, r->target + 1);
    return 0;
}

/* Whether an item of the feed is this drive's: 1, 0, -1. *ret_gone: it is in the recycle bin. */
static int is_ours(struct round *r, struct drive_viewer *owner, struct drive_feed_entry *e,
                   bool *ret_gone)
{
    struct drive_access access;
    *ret_gone = e->removed;
    if (e->removed) {
        e->item = (struct drive_item){.key = e->key, .form = e->form};
        return 1;
    }
    if (drive_role(owner, &e->item, &access) < 0)
        return -1;
    *ret_gone = access.trashed;
    return e->item.top ? 0 : drive_is_under(&r->at.c->tx, e->item.id, r->top);
}

static int read_changes(struct round *r)
{
    struct call *c = r->at.c;
    struct arena *a = c->tx.arena;
    struct drive_feed_entry *entries;
    struct drive_viewer owner;
    int64_t next;
    size_t n;
    drive_viewer(&c->tx, &r->at.owner, &owner);
    const struct drive_feed q = {
        .viewer = &owner, .from = r->since, .limit = r->size, .own_only = true, .removed = true};
    if (drive_feed_read(&q, &entries, &n, &next) < 0)
        return -1;
    r->items = arena_calloc(a, n + 1, sizeof *r->items);
    r->gone = arena_calloc(a, n + 1, sizeof *r->gone);
    if (arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < n; i++) {
        int ours = is_ours(r, &owner, &entries[i], &r->gone[r->n]);
        if (ours < 0)
            return -1;
        if (ours)
            r->items[r->n++] = entries[i].item;
    }
    if (next)
        r->next = since_token(r, next);
    else
        r->last = since_token(r, r->target + 1);
    return 0;
}

/* ---- the answer ---- */

/* Clients look for the folder by its id, and for what kind it was; what has no row any more is said
 * to have been in the root. */
static int write_gone(struct round *r, const struct drive_item *it)
{
    struct json_writer *w = r->at.c->out;
    const char *folder = r->at.root.key;
    if (it->parent && drive_item_key(&r->at.c->tx, it->parent, &folder) < 0)
        return -1;
    json_str(w, "id", it->key);
    if (!r->at.personal)
        json_int(w, "size", 0);
    json_obj(w, "parentReference");
    json_str(w, "driveType", r->at.type);
    json_str(w, "driveId", r->at.drive);
    json_str(w, "id", folder);
    json_end(w);
    json_obj(w, it->form == DRIVE_FOLDER ? "folder" : "file");
    json_end(w);
    json_obj(w, "deleted");
    json_str(w, "state", "deleted");
    json_end(w);
    return 0;
}

static int write_round(struct round *r)
{
    struct call *c = r->at.c;
    int failed = 0;
    if (graph_select(c, &r->q, ODATA_KEEP_ETAG, true) < 0)
        return -1;
    r->at.query = &r->q;
    r->at.bare = true;
    r->at.listed = true;
    json_obj(c->out, NULL);
    graph_context_of(c, "Collection(driveItem)");
    if (r->next)
        json_str(c->out, "@odata.nextLink", link_to(r, r->next));
    else
        json_str(c->out, "@odata.deltaLink", link_to(r, r->last));
    json_arr(c->out, "value");
    for (size_t i = 0; !failed && i < r->n; i++) {
        json_obj(c->out, NULL);
        failed =
            r->gone[i] ? write_gone(r, &r->items[i]) : onedrive_write_members(&r->at, &r->items[i]);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return failed;
}

static int items_delta(struct call *c)
{
    struct round r = {.place = {.depth = -1}};
    struct drive_item it;
    if (onedrive_open(c, &r.at) < 0 || onedrive_item(&r.at, ROLE_READER, &it) < 0 ||
        onedrive_options(c, "driveItem", &r.q) < 0 || drive_change_newest(&c->tx, &r.target) < 0)
        return -1;
    r.top = it.id;
    if (it.form != DRIVE_FOLDER || (it.id != r.at.root.id && !r.at.personal)) /* MG-587 */
        return onedrive_invalid(c, "The delta query is supported on the root of the drive only.");
    r.size = r.q.top < 1                   ? ONEDRIVE_PAGE
             : r.q.top > ONEDRIVE_MAX_PAGE ? ONEDRIVE_MAX_PAGE
                                           : (size_t)r.q.top;
    const char *token = param_str(c, "delta-token");
    if (!token)
        token = graph_option(c, "token");
    if (!token)
        token = r.q.deltatoken ? r.q.deltatoken : r.q.skiptoken;
    if (read_token(&r, token) < 0 || (r.since ? read_changes(&r) : read_all(&r)) < 0)
        return -1;
    return write_round(&r);
}

static const struct param params[] = {
    ONEDRIVE_PATH_PARAMS,
    ONEDRIVE_SHAPE_PARAMS,
    {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},
    {.name = "delta-token", .place = IN_PATH, .required = true, .summary = "The same as token"},
    {.name = "token",
     .place = IN_QUERY,
     .summary = "From where on: of a link, latest, or a time; all items without it"},
};

static const struct route methods[] = {
    {ROUTE("onedrive.items.delta", GET, OF_ITEM("/delta()"),
           OF_ITEM("/delta(token={delta-token})")),
     .handler = items_delta, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(params),
     .response = "microsoft.graph.driveItemCollectionResponse",
     .summary = "What changed in a drive since"},
};

const struct rows onedrive_deltas = ROWS(methods);
