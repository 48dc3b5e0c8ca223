/* SPDX-License-Identifier: Apache-2.0 */
#include "vendors/microsoft/walk.h"
#include <stdio.h>
#include <stdlib.h>

static size_t page_size(struct call *c, size_t otherwise)
{
    const char *text = graph_prefer(c, "odata.maxpagesize");
    const long n = text ? strtol(text, NULL, 10) : 0;
    if (n < 1)
        return otherwise;
    graph_applied(c, "odata.maxpagesize", text, false);
    return n > GRAPH_WALK_MOST ? GRAPH_WALK_MOST : (size_t)n;
}

void graph_walk_begin(struct call *c, size_t otherwise, struct graph_walk *ret)
{
    const char *select = graph_option(c, "$select");
    *ret = (struct graph_walk){
        .first = true, .size = page_size(c, otherwise), .select = select ? select : ""};
}

const char *graph_walk_given(struct call *c)
{
    const char *token = graph_option(c, "$skiptoken");
    return token ? token : graph_option(c, "$deltatoken");
}

bool graph_walk_read(struct call *c, const char *purpose, const char *token, struct graph_walk *w)
{
    long long since, from, upto, size;
    const char *text;
    int first, n = 0;
    if (graph_unseal(c->tx.arena, purpose, token, &text) != 1 ||
        sscanf(text, "%lld %lld %lld %d %lld%n", &since, &from, &upto, &first, &size, &n) != 5 ||
        (text[n] && text[n] != ' ') || since < 0 || from < since || size < 1 ||
        size > GRAPH_WALK_MOST)
        return false;
    *w = (struct graph_walk){.since = since,
                             .from = from,
                             .upto = upto,
                             .first = first != 0,
                             .size = (size_t)size,
                             .select = text + n + (text[n] == ' ')};
    return true;
}

const char *graph_walk_token(struct call *c, const char *purpose, const struct graph_walk *w,
                             bool more)
{
    const int64_t from = more ? w->from : w->upto;
    return graph_seal(c->tx.arena, purpose,
                      arena_printf(c->tx.arena, "%lld %lld %lld %d %zu%s%s",
                                   (long long)(more ? w->since : from), (long long)from,
                                   (long long)(more ? w->upto : -1), more && w->first, w->size,
                                   *w->select ? " " : "", w->select));
}
