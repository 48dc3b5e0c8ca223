/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of lists: options are read, things are filtered, searched and put in order, and what
 * $select and $expand say is written. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/rows.h"
#include <stdlib.h>

enum { PAGE = 100, MAX_TOP = 999, MAX_EXPANDED = 20, MAX_FOUND = 200000 };

/* ---- options ---- */

static int read_options(struct call *c, const struct dir_kind *kind, int64_t max,
                        struct odata_query *ret)
{
    const struct odata_rules rules = {.one_expand = true, .max_top = max ? max : MAX_TOP};
    struct odata_pair *pairs = arena_calloc(c->tx.arena, c->n_items + 1, sizeof *pairs);
    const char *message = NULL;
    size_t n = 0;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_QUERY)
            pairs[n++] = (struct odata_pair){c->items[i].name, c->items[i].text};
    return odata_parse(c->tx.arena, edm_type_find(kind->type, strlen(kind->type)), &rules, pairs, n,
                       ret, &message, c->tx.err);
}

/* MG-13: what only advanced queries may ask. */
static bool is_advanced(const struct odata_expr *e)
{
    if (e->op == ODATA_NOT || e->op == ODATA_NE ||
        (e->op == ODATA_CALL && e->function == ODATA_ENDSWITH) ||
        (e->op == ODATA_PATH && e->path->count))
        return true;
    for (size_t i = 0; i < e->n_kids; i++)
        if (is_advanced(e->kids[i]))
            return true;
    return false;
}

/* What nobody may ask of the directory. */
static bool is_unsupported(const struct odata_expr *e)
{
    if (e->op == ODATA_CALL && e->function != ODATA_STARTSWITH && e->function != ODATA_ENDSWITH &&
        e->function != ODATA_NOW)
        return true;
    for (size_t i = 0; i < e->n_kids; i++)
        if (is_unsupported(e->kids[i]))
            return true;
    return false;
}

static bool is_eventual(struct call *c)
{
    const char *level = call_request_header(c, "ConsistencyLevel");
    return level && str_eq_nocase(level, "eventual");
}

/* MG-335. */
static int check_level(struct call *c, struct odata_query *q)
{
    bool eventual = is_eventual(c);
    if (q->search && !eventual)
        return call_fail(c, SOSIA_E_INVALID, "Request_UnsupportedQuery", NULL,
                         "Request with $search query parameter only works through MSGraph with a "
                         "special request header: 'ConsistencyLevel: eventual'");
    if (q->filter &&
        (is_unsupported(q->filter) || (is_advanced(q->filter) && !(eventual && q->count))))
        return call_fail(c, SOSIA_E_INVALID, "Request_UnsupportedQuery", NULL,
                         "Unsupported Query.");
    if (q->filter && q->n_order && !(eventual && q->count))
        return call_fail(c, SOSIA_E_INVALID, "Request_UnsupportedQuery", NULL,
                         "Sorting not supported for current query.");
    q->count &= eventual;
    return 0;
}

/* ---- things ---- */

struct found {
    struct dir_item item;
    const struct json *thing;
    struct odata_value *keys;
};

static int read_thing(struct call *c, const struct dir_item *item, const struct json **ret)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    int r = item->kind->write(c, item->id, &w);
    json_end(&w);
    if (r == 1) {
        const char *text = arena_memdup(c->tx.arena, b.data, b.len);
        r = json_parse(c->tx.arena, text, b.len, NULL, ret, c->tx.err) < 0 ? -1 : 1;
    }
    buf_done(&b);
    return r;
}

static bool is_usual(const struct dir_kind *kind, const char *name)
{
    const char *list = kind->usual;
    size_t n = strlen(name);
    for (size_t len; list && *list; list += len + (list[len] == ' ')) {
        len = strcspn(list, " ");
        if (len == n && memcmp(list, name, n) == 0)
            return true;
    }
    if (list)
        return false;
    const struct edm_property *p = /* asked: who does not name it is not shown it */
        edm_property_find(edm_type_find(kind->type, strlen(kind->type)), name, n);
    return !p || !p->asked;
}

static void write_odata_type(struct call *c, const struct dir_kind *kind)
{
    json_str(c->out, "@odata.type", arena_printf(c->tx.arena, "#microsoft.graph.%s", kind->type));
}

/* Those that $select names, in its order; a property that the type has and the thing not is null.
 */
static void write_selected(struct call *c, const struct odata_query *q, const struct json *thing)
{
    for (size_t i = 0; i < q->n_select; i++) {
        const char *name = q->select[i].steps->name;
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again |= strcmp(q->select[k].steps->name, name) == 0;
        const struct json *v = again ? NULL : json_get(thing, name);
        if (v)
            json_value(c->out, name, v);
        else if (!again)
            json_null(c->out, name);
    }
}

/* id_first: as what is made and objects of lists of any kind have it (MG-490). */
static void write_members(struct call *c, const struct odata_query *q, const struct dir_kind *kind,
                          const struct json *thing, bool id_first)
{
    bool all = !q || !q->has_select;
    for (size_t i = 0; q && i < q->n_select; i++)
        all |= strcmp(q->select[i].text, "*") == 0;
    if (!all) {
        write_selected(c, q, thing);
        return;
    }
    if (id_first && json_get(thing, "id"))
        json_value(c->out, "id", json_get(thing, "id"));
    for (uint32_t i = 0; i < thing->n; i++)
        if (is_usual(kind, thing->members[i].key) &&
            !(id_first && strcmp(thing->members[i].key, "id") == 0))
            json_value(c->out, thing->members[i].key, &thing->members[i].value);
}

/* ---- $expand ---- */

static int write_expanded(struct call *c, const struct odata_query *q, const struct dir_item *item,
                          bool typed)
{
    const struct json *thing;
    int r = read_thing(c, item, &thing);
    if (r != 1)
        return r;
    json_obj(c->out, NULL);
    if (typed)
        write_odata_type(c, item->kind);
    write_members(c, q, item->kind, thing, typed);
    json_end(c->out);
    return 1;
}

static int expand_list(struct call *c, const struct odata_expand *x, dir_next *next, const void *of)
{
    struct dir_item item;
    int64_t after = 0;
    int r = 1, n = 0;
    json_arr(c->out, x->name);
    while (n < MAX_EXPANDED && (r = next(c, of, after, &item)) == 1) {
        after = item.id;
        if (write_expanded(c, x->query, &item, true) < 0)
            return -1;
        n++;
    }
    json_end(c->out);
    return r < 0 ? -1 : 0;
}

static int expand_manager(struct call *c, const struct odata_expand *x, const struct ms_user *user)
{
    struct dir_item item = {&dir_user, user->manager};
    const struct json *thing;
    if (!user->manager)
        return 0;
    int r = read_thing(c, &item, &thing);
    if (r != 1) /* 0: was deleted */
        return r;
    json_obj(c->out, x->name);
    write_odata_type(c, &dir_user);
    write_members(c, x->query, &dir_user, thing, true);
    json_end(c->out);
    return 0;
}

static int expand(struct call *c, const struct odata_query *q, const struct dir_item *item)
{
    for (size_t i = 0; i < q->n_expand; i++) {
        const struct odata_expand *x = &q->expand[i];
        struct ms_group group;
        struct ms_user user;
        int r = 0;
        if (item->kind == &dir_user) {
            if (ms_user_get(&c->tx, item->id, &user) != 1)
                return -1;
            r = strcmp(x->name, "manager") == 0         ? expand_manager(c, x, &user)
                : strcmp(x->name, "directReports") == 0 ? expand_list(c, x, dir_next_report, &user)
                : strcmp(x->name, "memberOf") == 0 ? expand_list(c, x, dir_next_membership, &user)
                                                   : 0;
        } else if (item->kind == &dir_group) {
            if (ms_group_get(&c->tx, dir_rowid(item->id), &group) != 1)
                return -1;
            r = strcmp(x->name, "members") == 0  ? expand_list(c, x, dir_next_member, &group)
                : strcmp(x->name, "owners") == 0 ? expand_list(c, x, dir_next_owner, &group)
                                                 : 0;
        }
        if (r < 0)
            return -1;
    }
    return 0;
}

/* ---- pages ---- */

struct page {
    struct odata_query q;
    const struct odata_expr *search; /* NULL: none */
    struct odata_ctx ctx;
    struct found *list;
    size_t n, cap;
    int64_t matched; /* all that match; -1: not counted */
    int64_t last;    /* the rowid of the last one in the list */
    bool more;
    size_t from; /* where the page begins, of a list that is put in order */
};

static int order_of(const void *a, const void *b, void *arg)
{
    const struct found *x = a, *y = b;
    const struct page *p = arg;
    int r = odata_order(&p->ctx, &p->q, x->keys, y->keys);
    return r ? r : x->item.id < y->item.id ? -1 : x->item.id > y->item.id;
}

/* Looks at things until a page is full; all of them where they are counted or put in order. */
static int collect(struct call *c, const struct dir_list *list, struct page *p, int64_t after,
                   size_t top)
{
    bool sorted = p->q.n_order > 0, whole = sorted || p->q.count;
    struct dir_item item;
    int r;
    p->matched = 0;
    while ((r = list->next(c, list->of, after, &item)) == 1) {
        const struct json *thing;
        after = item.id;
        if (list->only && item.kind != list->only)
            continue;
        if ((r = read_thing(c, &item, &thing)) < 0)
            return -1;
        if (r == 0)
            continue;
        r = odata_matches(&p->ctx, p->search, thing);
        if (r == 1)
            r = odata_matches(&p->ctx, p->q.filter, thing);
        if (r <= 0) {
            if (r < 0)
                return -1;
            continue;
        }
        if (++p->matched > MAX_FOUND)
            return call_fail(c, SOSIA_E_TOO_LARGE, "Request_ResultSizeLimitExceeded", NULL,
                             "The size of the response has exceeded the maximum limit.");
        if (!sorted && p->n == top) {
            p->more = true;
            if (!whole)
                return 0;
            continue;
        }
        p->list = arena_grow(c->tx.arena, p->list, p->n, &p->cap, sizeof *p->list);
        if (!p->list)
            return sosia_fail_memory(c->tx.err);
        struct found *f = &p->list[p->n++];
        *f = (struct found){.item = item, .thing = thing};
        if (sorted && odata_keys(&p->ctx, &p->q, thing, &f->keys) < 0)
            return -1;
        p->last = item.id;
    }
    if (r == 0 && sorted)
        qsort_r(p->list, p->n, sizeof *p->list, order_of, p);
    return r;
}

/* Where the page begins: what the token says, which is good for this list and these options. */
static int position(struct call *c, const struct page *p, int64_t *ret)
{
    const char *text;
    int64_t at;
    *ret = 0;
    if (!p->q.skiptoken)
        return 0;
    if (graph_unseal(c->tx.arena, "directory page", p->q.skiptoken, &text) != 1 ||
        parse_i64(text, strlen(text), &at) < 0 || at < 0)
        return call_fail(c, SOSIA_E_INVALID, "Directory_ExpiredPageToken", NULL,
                         "The specified page token value has expired and can no longer be included "
                         "in your request.");
    *ret = at;
    return 0;
}

static const char *next_link(struct call *c, const struct page *p, size_t top)
{
    int64_t at = p->q.n_order ? (int64_t)(p->from + top) : p->last;
    const char *text = arena_printf(c->tx.arena, "%lld", (long long)at);
    return graph_next(c, "$skiptoken", graph_seal(c->tx.arena, "directory page", text));
}

static void resource_units(struct call *c, unsigned units, const struct odata_query *q)
{
    unsigned n = units ? units : 1;
    if (n > 1 && (q->has_select || (q->top > 0 && q->top < 20)))
        n--;
    call_header(c, "x-ms-resource-unit", arena_printf(c->tx.arena, "%u", n + (q->n_expand > 0)));
}

static int read_search(struct call *c, struct page *p)
{
    return p->q.search
               ? odata_parse_search(c->tx.arena, p->q.type, p->q.search, &p->search, c->tx.err)
               : 0;
}

static int read_list(struct call *c, const struct dir_list *list, struct page *p)
{
    if (read_options(c, list->kind, list->max, &p->q) < 0 || check_level(c, &p->q) < 0 ||
        read_search(c, p) < 0)
        return -1;
    if (p->q.skip > 0)
        return call_fail(c, SOSIA_E_INVALID, "Request_UnsupportedQuery", NULL,
                         "Skip is not supported for this request.");
    p->ctx =
        (struct odata_ctx){.arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us};
    return 0;
}

static int write_found(struct call *c, const struct dir_list *list, const struct page *p,
                       const struct found *f)
{
    json_obj(c->out, NULL);
    if (list->typed)
        write_odata_type(c, f->item.kind);
    write_members(c, &p->q, f->item.kind, f->thing, list->typed);
    if (expand(c, &p->q, &f->item) < 0)
        return -1;
    json_end(c->out);
    return 0;
}

int dir_answer_list(struct call *c, const struct dir_list *list)
{
    struct page p = {0};
    int64_t at;
    if (read_list(c, list, &p) < 0 || position(c, &p, &at) < 0)
        return -1;
    bool sorted = p.q.n_order > 0, first = !p.q.skiptoken;
    p.q.count &= first; /* MG-348 */
    size_t top = p.q.top > 0 ? (size_t)p.q.top : list->usual ? (size_t)list->usual : PAGE;
    if (collect(c, list, &p, sorted ? 0 : at, top) < 0)
        return -1;
    p.from = sorted ? (size_t)at : 0;
    size_t end = p.from + top < p.n ? p.from + top : p.n;
    p.more |= sorted && end < p.n;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", list->set ? list->set : list->kind->set,
                  odata_context(c->tx.arena, &p.q));
    if (p.q.count)
        json_int(c->out, "@odata.count", p.matched);
    if (p.more)
        json_str(c->out, "@odata.nextLink", next_link(c, &p, top));
    json_arr(c->out, "value");
    for (size_t i = p.from; i < end; i++)
        if (write_found(c, list, &p, &p.list[i]) < 0)
            return -1;
    json_end(c->out);
    json_end(c->out);
    resource_units(c, list->units, &p.q);
    return 0;
}

int dir_answer_count(struct call *c, const struct dir_list *list)
{
    struct page p = {0};
    if (!is_eventual(c))
        return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                         "$count is not currently supported.");
    if (read_options(c, list->kind, list->max, &p.q) < 0 || read_search(c, &p) < 0)
        return -1;
    p.q.count = true;
    p.ctx = (struct odata_ctx){.arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us};
    if (check_level(c, &p.q) < 0 || collect(c, list, &p, 0, 0) < 0)
        return -1;
    buf_printf(c->body_out, "%lld", (long long)p.matched);
    call_header_const(c, "Content-Type", "text/plain");
    return 0;
}

int dir_answer(struct call *c, const struct dir_kind *kind, int64_t id, const char *set,
               unsigned units)
{
    struct dir_item item = {kind, id};
    const struct json *thing;
    struct odata_query q;
    if (read_options(c, kind, 0, &q) < 0)
        return -1;
    int r = read_thing(c, &item, &thing);
    if (r != 1)
        return r < 0 ? -1 : dir_no_object(c, "");
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/$entity", set ? set : kind->set, odata_context(c->tx.arena, &q));
    if (set)
        write_odata_type(c, kind);
    write_members(c, &q, kind, thing, set != NULL || c->status == 201);
    if (expand(c, &q, &item) < 0)
        return -1;
    json_end(c->out);
    resource_units(c, units, &q);
    return 0;
}

int dir_answer_new(struct call *c, const struct dir_kind *kind, int64_t id)
{
    c->status = 201;
    return dir_answer(c, kind, id, NULL, 1);
}

int dir_delta_select(struct call *c, const struct dir_kind *kind, const char *select,
                     struct odata_query *ret)
{
    const struct odata_rules rules = {.one_expand = true, .max_top = MAX_TOP};
    const struct odata_pair pair = {"$select", select};
    const char *message = NULL;
    return odata_parse(c->tx.arena, edm_type_find(kind->type, strlen(kind->type)), &rules, &pair,
                       select && *select, ret, &message, c->tx.err);
}

int dir_write_thing(struct call *c, const struct dir_item *item, const struct odata_query *q)
{
    return write_expanded(c, q, item, false);
}

int dir_write_whole(struct call *c, const struct dir_item *item, bool typed)
{
    return write_expanded(c, NULL, item, typed);
}
