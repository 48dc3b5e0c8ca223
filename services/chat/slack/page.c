/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of lists that have both ways of paging: count and page, or limit and cursor. */
#include "engine/base/codec.h"
#include "services/chat/slack/sl.h"

int sl_page_arg(struct call *c, struct sl_page *ret)
{
    const char *limit = param_str(c, "limit"), *value;
    ret->count = slack_count(c, "count");
    ret->page = slack_count(c, "page");
    ret->by_cursor = limit && *limit && strcmp(limit, "0") != 0;
    if (ret->by_cursor && slack_limit(c, &ret->count) < 0)
        return -1;
    ret->over = slack_over(c, ret->by_cursor ? "limit" : "count");
    int r = slack_cursor(c, "page", &value);
    if (r < 0)
        return -1;
    if (r && (parse_i64(value, strlen(value), &ret->page) < 0 || ret->page < 1 ||
              ret->page > SL_LAST_PAGE))
        return slack_fail(c, "invalid_cursor");
    ret->by_cursor |= r;
    return 0;
}

void sl_write_paging(struct call *c, const struct sl_page *p, int64_t total)
{
    json_obj(c->out, "paging");
    json_int(c->out, "count", p->count);
    json_int(c->out, "total", total);
    json_int(c->out, "page", p->page);
    json_int(c->out, "pages", total ? (total + p->count - 1) / p->count : 1);
    json_end(c->out);
    sl_next_page(c, p, total);
}

void sl_next_page(struct call *c, const struct sl_page *p, int64_t total)
{
    if (p->by_cursor)
        slack_next(c, "page",
                   p->page * p->count < total
                       ? arena_printf(c->tx.arena, "%lld", (long long)p->page + 1)
                       : NULL);
}
