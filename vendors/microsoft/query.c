/* SPDX-License-Identifier: Apache-2.0 */
#include "vendors/microsoft/query.h"
#include "engine/base/codec.h"
#include "vendors/microsoft/internal.h"

/* The options were refused by the gateway: its answer has all of the message. */
static int refuse_query(struct call *c, const struct odata_rules *rules, const char *message)
{
    struct graph_call *g = c->vendor_data;
    if (g && c->tx.err->code == SOSIA_E_INVALID) {
        g->message = message;
        g->gateway = !rules || !rules->personal;
    }
    return -1;
}

int graph_query(struct call *c, const char *type, const struct odata_rules *rules,
                struct odata_query *ret)
{
    struct arena *a = c->tx.arena;
    struct odata_pair *pairs = arena_calloc(a, c->n_items + 1, sizeof *pairs);
    struct odata_rules of_version = rules ? *rules : (struct odata_rules){.known = NULL};
    const char *message;
    size_t n = 0;
    if (arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    of_version.beta = graph_is_beta(c);
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_QUERY)
            pairs[n++] = (struct odata_pair){c->items[i].name, c->items[i].text};
    const struct edm_type *t = edm_type_find(type, strlen(type));
    if (odata_parse(a, t, &of_version, pairs, n, ret, &message, c->tx.err) < 0)
        return refuse_query(c, rules, message);
    return 0;
}

int graph_select(struct call *c, const struct odata_query *q, unsigned keep, bool list)
{
    const struct json_mask *mask;
    int r = list ? odata_mask_list(c->tx.arena, q, keep, &mask, c->tx.err)
                 : odata_mask(c->tx.arena, q, keep, &mask, c->tx.err);
    if (r < 0)
        return refuse_query(c, NULL, NULL);
    c->mask = mask;
    c->out->level[0].mask = mask;
    return 0;
}

int graph_search(struct call *c, const struct kql_language *l, const struct odata_query *q,
                 const struct search **ret)
{
    if (kql_parse(c->tx.arena, l, q->search, ret, c->tx.err) < 0)
        return refuse_query(c, NULL, NULL);
    return 0;
}

/* ---- permissions for the basics alone ---- */

/* Is it one of the members that they leave out, or below one? An invitation's event has all of its
 * text. */
static bool is_content(const char *path)
{
    static const char *const names[] = {"body",
                                        "bodyPreview",
                                        "uniqueBody",
                                        "attachments",
                                        "extensions",
                                        "event",
                                        "singleValueExtendedProperties",
                                        "multiValueExtendedProperties"};
    const char *slash = strchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) : strlen(path);
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (str_is_nocase(path, n, names[i]))
            return true;
    return false;
}

static bool reads_content(const struct odata_expr *e)
{
    if (!e)
        return false;
    if (e->path && !e->path->variable && is_content(e->path->text))
        return true;
    for (size_t i = 0; i < e->n_kids; i++)
        if (reads_content(e->kids[i]))
            return true;
    return false;
}

static bool asks_for_content(const struct odata_query *q)
{
    bool asks = q->search || reads_content(q->filter);
    for (size_t i = 0; i < q->n_order; i++)
        asks |= reads_content(q->order[i].by);
    for (size_t i = 0; i < q->n_expand; i++)
        asks |= !q->expand[i].property || is_content(q->expand[i].name) ||
                asks_for_content(q->expand[i].query);
    return asks;
}

int graph_check_basic(struct call *c, const struct odata_query *q)
{
    return asks_for_content(q) ? graph_denied(c) : 0;
}
