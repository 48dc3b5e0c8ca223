/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of messages: $filter, $orderby and $search with the restrictions that were measured (MG-47
 * to 49, 338, 621, 622). What indexes of the mail core can find is asked of them (filter.c); each
 * message that they give is asked again by the whole expression. However many are looked at, those
 * that a page needs are kept, and nothing else.
 */
#include "engine/base/codec.h"
#include "engine/search/index.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/filter.h"
#include "services/mail/outlook/settings/options.h"
#include "services/mail/outlook/search.h"
#include "services/mail/outlook/value.h"
#include <stdlib.h>

#define WALK       500  /* messages that are looked at together */
#define MOST_FOUND 1000 /* by $search (MG-48) */
#define LEAST_KEPT 256  /* in another order than newest first */

/* ---- what is refused ---- */

static int invalid_nodes(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidUrlQueryFilter", NULL,
                     "The query filter contains one or more invalid nodes.");
}

/* The path is a costly one to sort and ask at once. */
static int is_costly(void *arg, const struct odata_expr *path)
{
    static const char *const costly[] = {"from",       "sender",         "flag",
                                         "categories", "conversationId", "hasAttachments"};
    const struct odata_path *p = path->path;
    (void)arg;
    return p->n && !p->variable && str_in_nocase(p->steps[0].name, costly, SOSIA_LEN(costly));
}

/* MG-47, 338, 621: a sort property that is not the first of the filter goes with some properties
 * alone. */
static bool is_inefficient(struct call *c, const struct odata_query *q)
{
    const struct odata_expr *const *terms;
    const struct odata_path *path;
    if (!q->filter || !q->n_order || q->order[0].by->op != ODATA_PATH)
        return false;
    const size_t n = odata_terms(c->tx.arena, q->filter, &terms);
    if (n && odata_compared(terms[0], &path, NULL, NULL) &&
        strcmp(path->text, q->order[0].by->path->text) == 0)
        return false;
    return odata_each_path(q->filter, is_costly, NULL) != 0;
}

int outlook_check_query(struct call *c, const struct odata_query *q)
{
    static const char *const unasked[] = {"toRecipients", "ccRecipients",           "bccRecipients",
                                          "replyTo",      "internetMessageHeaders", "uniqueBody"};
    if (q->search && q->filter)
        return call_fail(c, SOSIA_E_INVALID, "SearchWithFilter", NULL,
                         "The query parameter '$filter' is not supported with '$search'.");
    if (q->search && q->n_order)
        return call_fail(c, SOSIA_E_INVALID, "SearchWithOrderBy", NULL,
                         "The query parameter '$orderBy' is not supported with '$search'.");
    for (size_t i = 0; i < SOSIA_LEN(unasked); i++)
        if (odata_names(q->filter, unasked[i]))
            return invalid_nodes(c);
    if (is_inefficient(c, q))
        return call_fail(c, SOSIA_E_INVALID, "InefficientFilter", NULL,
                         "The restriction or sort order is too complex for this operation.");
    return 0;
}

/* ---- the first ones of another order ---- */

struct ranked {
    int64_t id, at_s;
    struct odata_value *keys; /* NULL: of an order by age */
    size_t at;                /* its place among those that were looked at */
    const struct ranking *of;
};

/* The first `most` by the order, and at times as many that may be among them, in an arena of their
 * own: when there are too many the first ones move into another. */
struct ranking {
    const struct odata_query *q;
    struct odata_ctx ctx;
    bool by_age, oldest_first;
    struct arena arena;
    struct ranked *list;
    size_t n, cap, most;
    struct ranked last; /* what others must be in front of */
    bool full;
};

static int compare(const struct ranked *a, const struct ranked *b)
{
    int r = 0;
    if (a->of->by_age && a->at_s != b->at_s)
        r = (a->at_s < b->at_s) == a->of->oldest_first ? -1 : 1;
    else if (!a->of->by_age)
        r = odata_order(&a->of->ctx, a->of->q, a->keys, b->keys);
    return r ? r : a->at < b->at ? -1 : a->at > b->at;
}

static int by_rank(const void *x, const void *y)
{
    return compare(x, y);
}

static struct odata_value *kept_keys(struct arena *a, const struct ranking *g,
                                     const struct odata_value *keys)
{
    struct odata_value *copy = arena_calloc(a, g->q->n_order + 1, sizeof *copy);
    for (size_t i = 0; keys && !arena_failed(a) && i < g->q->n_order; i++) {
        copy[i] = keys[i];
        copy[i].text = keys[i].text ? arena_strdup(a, keys[i].text) : NULL;
        if (keys[i].kind == ODATA_LIST || keys[i].kind == ODATA_THING)
            copy[i] = odata_null(); /* neither is before the other */
    }
    return keys ? copy : NULL;
}

static int cut(struct tx *tx, struct ranking *g)
{
    struct arena old = g->arena;
    struct ranked *list = g->list;
    qsort(list, g->n, sizeof *list, by_rank);
    arena_init(&g->arena, 0);
    g->list = arena_calloc(&g->arena, 2 * g->most, sizeof *g->list);
    g->cap = 2 * g->most;
    for (g->n = 0; g->n < g->most && !arena_failed(&g->arena); g->n++) {
        g->list[g->n] = list[g->n];
        g->list[g->n].keys = kept_keys(&g->arena, g, list[g->n].keys);
    }
    arena_done(&old);
    if (arena_failed(&g->arena))
        return sosia_fail_memory(tx->err);
    g->last = g->list[g->most - 1];
    g->full = true;
    return 0;
}

static int rank(struct tx *tx, struct ranking *g, struct ranked r)
{
    r.of = g;
    if (g->full && compare(&g->last, &r) < 0)
        return 0;
    if (g->n == 2 * g->most && cut(tx, g) < 0)
        return -1;
    r.keys = kept_keys(&g->arena, g, r.keys);
    g->list = arena_grow(&g->arena, g->list, g->n, &g->cap, sizeof *g->list);
    if (!g->list || arena_failed(&g->arena))
        return sosia_fail_memory(tx->err);
    g->list[g->n++] = r;
    return 0;
}

/* ---- walking ---- */

struct walk {
    struct call *c;
    const struct outlook_box *b;
    const struct odata_query *q;
    struct mail_list list;
    int64_t folder;                    /* 0: any */
    const struct outlook_among *among; /* NULL: all folders */
    struct outlook_filter filter;
    bool natural;   /* newest first, as they come */
    bool counted;   /* all that match are looked at, to be counted */
    bool unchanged; /* no message has a row of its changes */
    struct ranking ranking;
    struct outlook_item *items;
    size_t n, from, top; /* those on the page */
    size_t passed;
    bool more;
};

static int open_walk(struct walk *w)
{
    struct arena *a = w->c->tx.arena;
    const struct search *found = NULL;
    if (outlook_filter(w->c, w->b, w->q->filter, &w->filter) < 0)
        return -1;
    if (w->q->search && outlook_search(w->c, w->b, w->q, &found) < 0)
        return -1;
    if (found && w->filter.found) { /* of a search folder */
        struct search *both = arena_calloc(a, 1, sizeof *both);
        const struct search **kids = arena_calloc(a, 2, sizeof *kids);
        if (arena_failed(a))
            return sosia_fail_memory(w->c->tx.err);
        kids[0] = found;
        kids[1] = w->filter.found;
        *both = (struct search){.kind = SEARCH_AND, .kids = kids, .n_kids = 2};
        found = both;
    }
    w->list = (struct mail_list){.mailbox = w->b->mailbox.id,
                                 .query = found ? found : w->filter.found,
                                 .folders = w->folder ? &w->folder : NULL,
                                 .n_folders = w->folder != 0,
                                 .limit = WALK};
    const size_t wanted = w->from + w->top + 1;
    if (w->natural && !w->counted && w->filter.exact && wanted < WALK)
        w->list.limit = wanted;
    w->items = arena_alloc(a, ((w->natural ? w->top : 0) + 1) * sizeof *w->items);
    return arena_failed(a) ? sosia_fail_memory(w->c->tx.err) : 0;
}

static bool lies_among(const struct outlook_among *among, int64_t folder)
{
    size_t from = 0, to = among->n;
    while (from < to) {
        const size_t at = from + (to - from) / 2;
        if (among->ids[at] == folder)
            return true;
        if (among->ids[at] < folder)
            from = at + 1;
        else
            to = at;
    }
    return false;
}

static int item_of(struct walk *w, const struct mail_message *m, struct outlook_item *ret)
{
    struct tx *tx = &w->c->tx;
    return w->unchanged ? outlook_item_unchanged(tx, m, ret) : outlook_item_of(tx, m, ret);
}

/* One that may match. */
static int look_at(struct walk *w, const struct mail_message *m)
{
    struct tx *tx = &w->c->tx;
    struct outlook_item item;
    struct outlook_asked q = {.c = w->c, .b = w->b, .i = &item};
    struct odata_ctx ctx = outlook_asking(&q);
    const bool aged = !w->natural && w->ranking.by_age;
    const bool asked = !w->filter.exact || (!w->natural && !aged);
    struct ranked r = {.id = m->id, .at_s = m->at_s, .at = w->passed};
    if (w->among && !lies_among(w->among, m->folder))
        return 0;
    if (asked && item_of(w, m, &item) < 0)
        return -1;
    int is = w->filter.exact ? 1 : odata_matches(&ctx, w->q->filter, &item);
    if (is != 1)
        return is;
    const size_t at = w->passed++;
    if (!w->natural) {
        if (!aged && odata_keys(&ctx, w->q, &item, &r.keys) < 0)
            return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : -1;
        return rank(tx, &w->ranking, r);
    }
    if (at < w->from)
        return 0;
    if (w->n == w->top) {
        w->more = true;
        return 0;
    }
    if (asked)
        w->items[w->n] = item;
    else if (item_of(w, m, &w->items[w->n]) < 0)
        return -1;
    w->n++;
    return 0;
}

static bool is_done(const struct walk *w)
{
    return (w->natural && w->more && !w->counted) || (w->q->search && w->passed >= MOST_FOUND);
}

/* The next ones that may match; what is made of them is let go. */
static int look_at_some(struct walk *w, bool *ret_more)
{
    struct mail_message *list;
    size_t n;
    if (mail_list(&w->c->tx, &w->list, &list, &n, ret_more) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        w->list.before = list[i].id;
        if (is_done(w))
            return 0;
        if (look_at(w, &list[i]) < 0)
            return -1;
    }
    *ret_more = *ret_more && n;
    return 0;
}

static int walk(struct walk *w)
{
    struct tx *tx = &w->c->tx;
    struct arena *kept = tx->arena, own;
    bool more = true;
    int r = 0;
    if (search_settle(tx) < 0) /* what it puts off lives in the call's arena */
        return -1;
    w->unchanged = outlook_items_unchanged(tx);
    arena_init(&own, 0);
    tx->arena = &own;
    while (r == 0 && more && !is_done(w)) {
        arena_reset(&own);
        r = look_at_some(w, &more);
    }
    if (r < 0 && tx->err->reason)
        tx->err->reason = arena_strdup(kept, tx->err->reason);
    if (r < 0 && tx->err->where)
        tx->err->where = arena_strdup(kept, tx->err->where);
    tx->arena = kept;
    arena_done(&own);
    return r < 0 ? outlook_refused(w->c) : 0;
}

/* ---- order ---- */

/* By when they came and nothing else. */
static bool is_by_age(const struct odata_query *q)
{
    return q->n_order == 1 && q->order[0].by->op == ODATA_PATH &&
           (q->order[0].by->path->known == PATH_RECEIVED ||
            q->order[0].by->path->known == PATH_CREATED);
}

/* The page of those that were ranked. */
static int take_ranked(struct walk *w)
{
    struct tx *tx = &w->c->tx;
    struct ranking *g = &w->ranking;
    if (g->n)
        qsort(g->list, g->n, sizeof *g->list, by_rank);
    const size_t from = w->from < g->n ? w->from : g->n;
    w->n = g->n - from < w->top ? g->n - from : w->top;
    w->more = w->passed > from + w->n;
    w->items = arena_calloc(tx->arena, w->n + 1, sizeof *w->items);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < w->n; i++) {
        struct mail_message m;
        if (mail_message_by_id(tx, g->list[from + i].id, &m) != 1 ||
            outlook_item_of(tx, &m, &w->items[i]) < 0)
            return -1;
    }
    return 0;
}

/* ---- numbers ---- */

/* How many a folder has; unread: of these. */
static int folder_count(struct walk *w, int64_t folder, bool unread, int64_t *ret)
{
    struct mail_folder f;
    int r = mail_folder_get(&w->c->tx, w->b->mailbox.id, folder, &f);
    *ret = r != 1 ? 0 : unread ? f.unread : f.messages;
    return r < 0 ? -1 : 0;
}

/* The number of all that match, where the mailbox has counted them: all, the read and the unread
 * ones. 1, 0: it has not; -1. */
static int known_count(struct walk *w, int64_t *ret)
{
    const int64_t mailbox = w->b->mailbox.id;
    const struct search *s = w->filter.found, *unread;
    int64_t all = w->b->mailbox.messages, some;
    if (w->q->search || !w->filter.exact || w->among)
        return 0;
    if (w->folder && folder_count(w, w->folder, false, &all) < 0)
        return -1;
    *ret = all;
    if (!s)
        return 1;
    unread = s->kind == SEARCH_NOT ? s->kids[0] : s;
    if (unread->kind != SEARCH_FLAGS || unread->bits != FLAG(KEYWORD_UNSEEN))
        return 0;
    if (folder_count(w, w->folder ? w->folder : mail_folder_id(mailbox, KEYWORD_UNSEEN),
                     w->folder != 0, &some) < 0)
        return -1;
    *ret = s == unread ? some : all - some;
    return 1;
}

static int list_some(struct call *c, const struct outlook_box *b, int64_t folder,
                     const struct outlook_among *among, const struct odata_query *q,
                     struct outlook_list *ret)
{
    struct walk w = {.c = c, .b = b, .q = q, .folder = folder, .among = among};
    struct outlook_asked asked = {.c = c, .b = b};
    int64_t count = -1;
    int known = 0;
    const bool by_age = is_by_age(q);
    w.natural = !q->n_order || (by_age && q->order[0].descending);
    if ((!among && outlook_check_query(c, q) < 0) ||
        outlook_page(c, q, OUTLOOK_PAGE, &w.from, &w.top) < 0)
        return -1;
    if (w.top > OUTLOOK_MAX_PAGE)
        w.top = OUTLOOK_MAX_PAGE;
    if (open_walk(&w) < 0 || (q->count && (known = known_count(&w, &count)) < 0))
        return -1;
    w.counted = q->count && !known;
    if (w.counted)
        w.list.limit = WALK;
    if (!w.natural) {
        const size_t all = (size_t)b->mailbox.messages + 1;
        const size_t most = w.from + w.top < all ? w.from + w.top : all;
        w.ranking = (struct ranking){.q = q,
                                     .ctx = outlook_asking(&asked),
                                     .by_age = by_age,
                                     .oldest_first = by_age,
                                     .most = most < LEAST_KEPT ? LEAST_KEPT : most};
        arena_init(&w.ranking.arena, 0);
    }
    int r = walk(&w);
    if (r == 0 && !w.natural)
        r = take_ranked(&w);
    if (!w.natural)
        arena_done(&w.ranking.arena);
    *ret = (struct outlook_list){
        .items = w.items, .n = w.n, .more = w.more, .count = w.counted ? (int64_t)w.passed : count};
    return r;
}

int outlook_list(struct call *c, const struct outlook_box *b, int64_t folder,
                 const struct odata_query *q, struct outlook_list *ret)
{
    return list_some(c, b, folder, NULL, q, ret);
}

int outlook_list_among(struct call *c, const struct outlook_box *b,
                       const struct outlook_among *among, const struct odata_query *q,
                       struct outlook_list *ret)
{
    return list_some(c, b, 0, among, q, ret);
}

int outlook_count_among(struct call *c, const struct outlook_box *b,
                        const struct outlook_among *among, const struct odata_expr *filter,
                        int64_t *ret)
{
    const struct odata_query q = {.filter = filter, .count = true, .top = -1};
    struct walk w = {.c = c, .b = b, .q = &q, .among = among, .natural = true, .counted = true};
    *ret = 0;
    if (open_walk(&w) < 0 || walk(&w) < 0)
        return -1;
    *ret = (int64_t)w.passed;
    return 0;
}
