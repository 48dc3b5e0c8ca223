/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a call, and lists in pages. */
#include "engine/base/codec.h"
#include "services/tasks/planner/planner.h"

int planner_options(struct planner_at *at, const char *type)
{
    static const char *const refused[][2] = {{"$filter", "Filter"}, {"$orderby", "OrderBy"}};
    for (size_t i = 0; i < SOSIA_LEN(refused); i++)
        if (graph_option(at->c, refused[i][0]))
            return graph_fail_own(
                at->c, SOSIA_E_INVALID, 0, "", NULL,
                "The query specified in the URI is not valid. Query option '%s' is not allowed. To "
                "allow it, set the 'AllowedQueryOptions' property on EnableQueryAttribute or "
                "QueryValidationSettings.",
                refused[i][1]);
    return graph_query(at->c, type, NULL, &at->q);
}

int planner_select(struct planner_at *at, const char *type)
{
    return planner_options(at, type) < 0 ||
                   graph_select(at->c, &at->q, ODATA_KEEP_ID | ODATA_KEEP_ETAG, false) < 0
               ? -1
               : 0;
}

int planner_answer_list(struct planner_at *at, const char *type, planner_next_fn *next,
                        planner_write_fn *write, void *arg)
{
    struct call *c = at->c;
    const char *token = graph_option(c, "$skiptoken"), *text;
    const char *purpose = arena_printf(c->tx.arena, "planner %s", c->path);
    int64_t from = 0, id, n = 0;
    if (token && (graph_unseal(c->tx.arena, purpose, token, &text) != 1 ||
                  parse_i64(text, strlen(text), &from) < 0 || from < 0))
        return planner_bad(c, "The skip token is invalid.");
    int64_t last = from;
    int r;
    while ((r = next(arg, last, &id)) == 1 && n < PLANNER_PAGE) {
        last = id;
        n++;
    }
    if (r < 0 || graph_select(c, &at->q, ODATA_KEEP_ID | ODATA_KEEP_ETAG, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.%s)%s", type, odata_context(c->tx.arena, &at->q));
    json_int(c->out, "@odata.count", n);
    if (r == 1)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skiptoken",
                            graph_seal(c->tx.arena, purpose,
                                       arena_printf(c->tx.arena, "%lld", (long long)last))));
    json_arr(c->out, "value");
    for (int64_t i = 0; i < n && (r = next(arg, from, &id)) == 1; i++) {
        from = id;
        json_obj(c->out, NULL);
        if (write(arg) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r < 0 ? -1 : 0;
}
