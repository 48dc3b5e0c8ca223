/* SPDX-License-Identifier: Apache-2.0 */
/* Which list and which item a call is about. */
#include "engine/base/codec.h"
#include "services/lists/sharepoint/sharepoint.h"

/* ---- refusals ---- */

static int no_list(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "itemNotFound", NULL,
                     "The specified list was not found");
}

static int no_item(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "itemNotFound", NULL,
                     "The resource could not be found.");
}

/* ---- sites and lists ---- */

int sp_open_site(struct call *c, enum site_role need, struct sp_at *ret)
{
    *ret = (struct sp_at){.c = c};
    return site_of_path(c, need, &ret->site);
}

int sp_open(struct call *c, enum site_role need, bool items, struct sp_at *ret)
{
    const char *text = param_str(c, "list-id");
    struct ms_library library;
    if (sp_open_site(c, need, ret) < 0)
        return -1;
    int r = lists_find(&c->tx, ret->site.key, text, &ret->of.list);
    if (r == 1 && sp_is_of_library(&ret->of.list)) {
        text = ret->of.list.key;
        r = 0;
    }
    if (r == 0 && (r = ms_library_find(&c->tx, ret->site.id, text, &library)) == 1 &&
        sp_of_library(&c->tx, &ret->site, &library, &ret->of) < 0)
        return -1;
    if (r != 1)
        return r < 0 ? -1 : no_list(c);
    if (items && ret->of.is_library)
        return call_fail(c, SOSIA_E_INVALID, "invalidRequest", NULL,
                         "You cannot add or change items of a document library in this way.");
    ret->base = ARENA_JOIN(c->tx.arena, site_context(c, &ret->site), "/lists",
                           graph_key(c->tx.arena, ret->of.list.key));
    return 0;
}

int sp_next(struct sp_at *at, struct sp_walk *walk, struct sp_list *ret)
{
    struct ms_library library;
    int r = walk->list < 0 ? 0 : 1;
    while (r == 1 && (r = lists_next(&at->c->tx, at->site.key, walk->list, &ret->list)) == 1) {
        ret->is_library = false;
        walk->list = ret->list.id;
        if (!sp_is_of_library(&ret->list))
            return 1;
    }
    if (r)
        return r;
    walk->list = -1;
    r = at->site.id ? ms_library_next(&at->c->tx, at->site.id, walk->library, &library) : 0;
    if (r != 1)
        return r;
    walk->library = library.id;
    return sp_of_library(&at->c->tx, &at->site, &library, ret) < 0 ? -1 : 1;
}

int sp_item(struct sp_at *at, struct lists_item *ret)
{
    const char *text = param_str(at->c, "listItem-id");
    int64_t number;
    const bool numbered = parse_i64(text, strlen(text), &number) == 0;
    int r = at->of.is_library ? (numbered ? sp_file_item(at, number, ret) : 0)
            : numbered        ? lists_item_find(&at->c->tx, at->of.list.id, number, ret)
                              : lists_item_by_key(&at->c->tx, at->of.list.id, text, ret);
    return r == 1 ? 0 : r < 0 ? -1 : no_item(at->c);
}
