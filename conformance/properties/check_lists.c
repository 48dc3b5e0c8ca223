/* SPDX-License-Identifier: Apache-2.0 */
/* Statements about lists: pages, windows, and what incremental syncs add up to. */
#include "conformance/properties/properties.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"

/* ---- sync tokens ---- */

enum { CHAIN_MAX = 100, VIEWS = N_PEOPLE * N_SHELVES };

/* The content of a list according to its syncs. */
struct view {
    bool on;
    const struct json **items;
    size_t n, cap;
    const char *token;
    size_t chain[CHAIN_MAX]; /* numbers of the calls before which it synced */
    size_t n_chain;
    size_t since; /* number of the call before which it began */
};

struct sync_state {
    struct view views[VIEWS];
};

struct kind_of_list {
    const struct property *property;
    /* Of a first sync and of all that follow; NULL: there is no such list. */
    const char *(*path)(struct run *r, size_t view, enum person *ret_who);
    /* What an item of an incremental sync does: removes what has its id. */
    bool (*removes)(const struct json *item);
    const char *const *but; /* members that are not compared */
};

static void forget(struct view *v, const char *id)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) {
        const char *series = json_get_str(v->items[i], "recurringEventId");
        if (strcmp(item_id(v->items[i]), id) != 0 && (!series || strcmp(series, id) != 0))
            v->items[n++] = v->items[i];
    }
    v->n = n;
}

static void keep(struct run *r, struct view *v, const struct json *item)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(item_id(v->items[i]), item_id(item)) == 0) {
            v->items[i] = item;
            return;
        }
    void *list = arena_grow(&r->arena, v->items, v->n, &v->cap, sizeof *v->items);
    if (!list)
        return;
    v->items = list;
    v->items[v->n++] = item;
}

static const char *with_token(struct run *r, const char *path, const char *token)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "%s&syncToken=", path);
    if (str_starts(token, "${"))
        buf_puts(&b, token);
    else
        percent_add(&b, token, strlen(token));
    return buf_keep(&b, &r->arena);
}

/* The first sync and those after it, but for the last, as calls of a cassette. */
static void show_chain(struct run *r, const struct view *v, enum person who, const char *path)
{
    struct arena *a = &r->arena;
    for (size_t i = 0; i < v->n_chain; i++) {
        const char *url = i ? with_token(r, path, arena_printf(a, "${=token%zu}", i - 1)) : path;
        shows(r, v->chain[i], who, url, 200,
              arena_printf(a, "{\"nextSyncToken\":\"${>token%zu}\",\"...\":\"${any}\"}", i));
    }
}

static bool sync_fails(struct run *r, const struct kind_of_list *k, const struct view *v,
                       enum person who, const char *path, const char *id, const struct json *is)
{
    struct arena *a = &r->arena;
    fails(r, k->property, "%s: what syncs returned of %s is not what the list has: %s", path, id,
          is ? json_to_text(a, is) : "nothing");
    show_chain(r, v, who, path);
    shows(r, r->n_made, who, with_token(r, path, arena_printf(a, "${=token%zu}", v->n_chain - 1)),
          200,
          is ? arena_printf(a, "{\"items\":[\"${contains}\",%s],\"...\":\"${any}\"}",
                            json_to_text(a, is))
             : arena_printf(a,
                            "{\"items\":[\"${contains}\",{\"id\":\"%s\",\"...\":\"${any}\"}],"
                            "\"...\":\"${any}\"}",
                            id));
    return false;
}

static bool adds_up(struct run *r, const struct kind_of_list *k, const struct view *v,
                    enum person who, const char *path, const struct json *all)
{
    for (uint32_t i = 0; i < all->n; i++) {
        const struct json *known = NULL;
        for (size_t j = 0; j < v->n && !known; j++)
            if (strcmp(item_id(v->items[j]), item_id(&all->items[i])) == 0)
                known = v->items[j];
        if (!known || !same_json(known, &all->items[i], k->but))
            return sync_fails(r, k, v, who, path, item_id(&all->items[i]), &all->items[i]);
    }
    for (size_t j = 0; j < v->n; j++)
        if (!find_item(all, item_id(v->items[j])))
            return sync_fails(r, k, v, who, path, item_id(v->items[j]), NULL);
    return true;
}

/* Whether a token may be invalid: rights changed, or much time passed. */
static bool may_be_dead(const struct run *r, const struct view *v)
{
    for (size_t i = v->since; i < r->n_made; i++) {
        enum op_kind kind = r->made[i].op->kind;
        if (kind == OP_SHARE || kind == OP_UNSHARE || kind == OP_ADVANCE)
            return true;
    }
    return false;
}

static void start_view(struct run *r, struct view *v, const struct json *items,
                       const struct reply *last)
{
    v->n = 0;
    v->token = json_get_str(last->body, "nextSyncToken");
    v->on = v->token != NULL;
    for (uint32_t i = 0; i < items->n && v->on; i++)
        keep(r, v, &items->items[i]);
    v->chain[0] = v->since = r->n_made;
    v->n_chain = 1;
}

static bool sync_view(struct run *r, const struct kind_of_list *k, struct view *v, size_t view)
{
    enum person who;
    const char *path = k->path(r, view, &who);
    const struct json *all, *delta;
    const struct reply *last;
    int status = ask_list(r, who, path, 250, &all, &last);
    if (status != 200) {
        v->on = false;
        return true;
    }
    if (!v->on || v->n_chain == CHAIN_MAX) {
        start_view(r, v, all, last);
        return true;
    }
    status = ask_list(r, who, with_token(r, path, v->token), 250, &delta, &last);
    if (status == 410 && may_be_dead(r, v)) {
        v->on = false;
        return true;
    }
    const char *token = json_get_str(last->body, "nextSyncToken");
    if (status != 200 || !token) {
        fails(r, k->property, "%s: a sync gives %d%s", path, status, token ? "" : " and no token");
        show_chain(r, v, who, path);
        shows(r, r->n_made, who,
              with_token(r, path, arena_printf(&r->arena, "${=token%zu}", v->n_chain - 1)), 200,
              "{\"nextSyncToken\":\"${string}\",\"...\":\"${any}\"}");
        return false;
    }
    for (uint32_t i = 0; i < delta->n; i++) {
        if (k->removes(&delta->items[i]))
            forget(v, item_id(&delta->items[i]));
        else
            keep(r, v, &delta->items[i]);
    }
    if (!adds_up(r, k, v, who, path, all))
        return false;
    v->token = token;
    v->chain[v->n_chain++] = r->n_made;
    return true;
}

static bool sync_views(struct run *r, const struct kind_of_list *k, size_t views)
{
    struct sync_state *s = property_state(r, k->property, sizeof *s);
    for (size_t i = 0; i < views; i++)
        if (!sync_view(r, k, &s->views[i], i))
            return false;
    return true;
}

/* A faulty server: the last item of every incremental sync is missing. */
static void spoil_sync(struct run *r, enum person who, const char *verb, const char *path,
                       struct reply *reply)
{
    if (strstr(path, "syncToken="))
        reply->body = without_last(&r->arena, reply->body, "items");
}

/* ---- ... of events ---- */

static const char *events_path(struct run *r, size_t view, enum person *ret_who)
{
    *ret_who = (enum person)(view / N_SHELVES);
    return arena_printf(&r->arena, "/calendars/%s/events?timeZone=UTC",
                        shelf_ids[view % N_SHELVES]);
}

/* Cancelled instances of a series that is not cancelled are listed. */
static bool event_removed(const struct json *item)
{
    return is_cancelled(item) && !json_get(item, "recurringEventId");
}

static const struct kind_of_list events_list = {&property_sync, events_path, event_removed, NULL};

static bool end_sync(struct run *r)
{
    return sync_views(r, &events_list, VIEWS);
}

/* Times are written in the calendar's zone, whose change does not change the events. */
static void forget_views(struct run *r)
{
    struct sync_state *s = property_state(r, &property_sync, sizeof *s);
    for (size_t i = 0; i < VIEWS; i++)
        s->views[i].on = false;
}

/* A series that comes back after it was cancelled does so without its changed instances, which
 * only a sync in between shows. */
static bool may_cancel(const struct made *made)
{
    return made->status == 204 || json_get(made->sent, "attendees") || made->op->kind == OP_MOVE;
}

static bool after_sync(struct run *r, const struct made *made)
{
    if (made->op->kind == OP_CALENDAR && json_get(made->sent, "timeZone"))
        forget_views(r);
    return (made->op->dice % 3 && !may_cancel(made)) || end_sync(r);
}

const struct property property_sync = {
    .name = "sync-adds-up",
    .says = "a first list and the incremental syncs after it add up to the list as it is",
    .begin = end_sync,
    .after = after_sync,
    .end = end_sync,
    .spoil = spoil_sync,
};

/* ---- ... of calendar lists and rules of access ---- */

static const char *entries_path(struct run *r, size_t view, enum person *ret_who)
{
    if (view < N_PEOPLE) {
        *ret_who = (enum person)view;
        return "/users/me/calendarList?showHidden=true";
    }
    *ret_who = shelf_owner[view - N_PEOPLE];
    return arena_printf(&r->arena, "/calendars/%s/acl?alt=json", shelf_ids[view - N_PEOPLE]);
}

static bool entry_removed(const struct json *item)
{
    const struct json *deleted = json_get(item, "deleted");
    const char *role = json_get_str(item, "role");
    return (deleted && deleted->truth) || (role && strcmp(role, "none") == 0);
}

/* Changes of what is not the person's own do not count. */
static const char *const entry_but[] = {"etag",     "summary",   "description", "location",
                                        "timeZone", "dataOwner", "accessRole",  NULL};
static const struct kind_of_list entries_list = {&property_entries, entries_path, entry_removed,
                                                 entry_but};

static bool end_entries(struct run *r)
{
    return sync_views(r, &entries_list, N_PEOPLE + N_SHELVES);
}

static bool after_entries(struct run *r, const struct made *made)
{
    return made->op->dice % 3 != 1 || end_entries(r);
}

const struct property property_entries = {
    .name = "entries-add-up",
    .says = "so do syncs of calendar lists and of rules of access",
    .begin = end_entries,
    .after = after_entries,
    .end = end_entries,
    .spoil = spoil_sync,
};

/* ---- pages ---- */

static bool pages_fail(struct run *r, enum person who, const char *path, unsigned size,
                       const struct json *whole, uint32_t at)
{
    struct arena *a = &r->arena;
    const char *expect, *url = arena_printf(a, "%s&maxResults=%u", path, size);
    struct buf b;
    fails(r, &property_pages, "%s: with pages of %u, item %u is another than without pages", path,
          size, at);
    if (at / size + 1 > DEMOS_MAX)
        return false;
    for (uint32_t i = 0; i < at / size; i++) {
        shows(r, r->n_made, who, i ? arena_printf(a, "%s&pageToken=${=page%u}", url, i - 1) : url,
              200, arena_printf(a, "{\"nextPageToken\":\"${>page%u}\",\"...\":\"${any}\"}", i));
    }
    buf_init(&b, 0);
    buf_puts(&b, "{\"items\":[");
    for (uint32_t i = 0; i < at % size; i++)
        buf_puts(&b, "\"${any}\",");
    if (at < whole->n)
        buf_printf(&b, "{\"id\":\"%s\",\"...\":\"${any}\"},\"...\"", item_id(&whole->items[at]));
    else if (at % size)
        b.len--; /* the comma */
    buf_puts(&b, "],\"...\":\"${any}\"}");
    expect = buf_keep(&b, a);
    shows(r, r->n_made, who,
          at / size ? arena_printf(a, "%s&pageToken=${=page%u}", url, at / size - 1) : url, 200,
          expect);
    return false;
}

static bool check_pages(struct run *r, uint64_t dice)
{
    static const char *const queries[] = {
        "showDeleted=true",
        "showDeleted=false",
        "orderBy=updated",
        "singleEvents=true&orderBy=startTime&timeMin=" RANGE_MIN "&timeMax=" RANGE_MAX,
        "singleEvents=true&showDeleted=true&timeMin=" RANGE_MIN "&timeMax=" RANGE_MAX,
        "q=Event",
    };
    enum shelf shelf = (enum shelf)(dice % N_SHELVES);
    enum person who = shelf_owner[shelf];
    unsigned size = 1 + (unsigned)(dice / 7 % 7);
    const struct json *whole, *paged;
    for (size_t q = 0; q < SOSIA_LEN(queries); q++) {
        const char *path =
            arena_printf(&r->arena, "/calendars/%s/events?%s", shelf_ids[shelf], queries[q]);
        if (ask_list(r, who, path, 2500, &whole, NULL) != 200 ||
            ask_list(r, who, path, size, &paged, NULL) != 200)
            return fails(r, &property_pages, "%s is refused", path);
        uint32_t i = 0;
        while (i < whole->n && i < paged->n && same_json(&whole->items[i], &paged->items[i], NULL))
            i++;
        if (i < whole->n || i < paged->n)
            return pages_fail(r, who, path, size, whole, i);
    }
    return true;
}

static bool after_pages(struct run *r, const struct made *made)
{
    return made->op->dice % 5 || check_pages(r, made->op->dice / 5);
}

static bool end_pages(struct run *r)
{
    for (uint64_t shelf = 0; shelf < N_SHELVES; shelf++)
        if (!check_pages(r, shelf + 4 * 7 * r->n_made))
            return false;
    return true;
}

static void spoil_pages(struct run *r, enum person who, const char *verb, const char *path,
                        struct reply *reply)
{
    if (strstr(path, "pageToken="))
        reply->body = without_last(&r->arena, reply->body, "items");
}

const struct property property_pages = {
    .name = "pages-are-one-list",
    .says = "however large pages are, together they are the same list in the same order",
    .after = after_pages,
    .end = end_pages,
    .spoil = spoil_pages,
};

/* ---- windows ---- */

static bool check_window(struct run *r, enum shelf shelf, uint32_t hour, uint32_t hours)
{
    struct arena *a = &r->arena;
    char from[STAMP_TEXT], to[STAMP_TEXT];
    int64_t min = (days_from_civil(2026, 11, 22) * 24 + hour) * 3600, max = min + hours * 3600;
    const struct json *whole, *part;
    const struct reply *last;
    stamp_format(from, min * US_PER_SECOND, 0, 0, true);
    stamp_format(to, max * US_PER_SECOND, 0, 0, true);
    const char *path = arena_printf(a, "/calendars/%s/events?singleEvents=true&orderBy=startTime",
                                    shelf_ids[shelf]);
    const char *narrow = arena_printf(a, "%s&timeMin=%s&timeMax=%s", path, from, to);
    const char *wide = arena_printf(a, "%s&timeMin=" RANGE_MIN "&timeMax=" RANGE_MAX, path);
    if (ask_list(r, shelf_owner[shelf], wide, 2500, &whole, &last) != 200 ||
        ask_list(r, shelf_owner[shelf], narrow, 2500, &part, NULL) != 200)
        return fails(r, &property_window, "%s is refused", narrow);
    const struct tz *zone = tz_find(json_get_str(last->body, "timeZone"));
    struct buf expect;
    uint32_t n = 0;
    bool same = true;
    buf_init(&expect, 0);
    for (uint32_t i = 0; i < whole->n; i++) {
        const struct json *item = &whole->items[i];
        if (instant_of(item, "end", zone) <= min || instant_of(item, "start", zone) >= max)
            continue;
        same = same && n < part->n && same_json(item, &part->items[n], NULL);
        buf_printf(&expect, "%s{\"id\":\"%s\",\"...\":\"${any}\"}", n ? "," : "", item_id(item));
        n++;
    }
    same = same && n == part->n;
    if (!same) {
        fails(r, &property_window, "%s does not have what lies in these bounds", narrow);
        shows(r, r->n_made, shelf_owner[shelf], narrow, 200,
              arena_printf(a, "{\"items\":[%s],\"...\":\"${any}\"}", buf_str(&expect)));
    }
    buf_done(&expect);
    return same;
}

static bool end_window(struct run *r)
{
    rule_random = r->sequence->ops[r->sequence->n - 1].dice;
    for (int shelf = 0; shelf < N_SHELVES; shelf++)
        for (int i = 0; i < 4; i++) {
            uint32_t hour = random_below(24 * 40), hours = 1 + random_below(chance(50) ? 12 : 240);
            if (!check_window(r, (enum shelf)shelf, hour, hours))
                return false;
        }
    return true;
}

static void spoil_window(struct run *r, enum person who, const char *verb, const char *path,
                         struct reply *reply)
{
    if (strstr(path, "timeMin=") && !strstr(path, RANGE_MIN))
        reply->body = without_last(&r->arena, reply->body, "items");
}

const struct property property_window = {
    .name = "window-is-a-filter",
    .says =
        "timeMin and timeMax take from the list what ends after one and starts before the other",
    .end = end_window,
    .spoil = spoil_window,
};
