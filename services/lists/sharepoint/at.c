/* SPDX-License-Identifier: Apache-2.0 */
/* Which list and which item a call is about; and refusals. */
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

int sp_not_acceptable(struct call *c)
{
    return site_invalid(c, "One of the provided arguments is not acceptable.");
}

int sp_refused(struct call *c)
{
    const struct sosia_err *e = c->tx.err;
    const char *reason = e->reason ? e->reason : "";
    const char *name = arena_strdup(c->tx.arena, e->where ? e->where : "");
    if (e->code == SOSIA_E_CONFLICT)
        return call_fail(c, SOSIA_E_CONFLICT, "nameAlreadyExists", NULL,
                         "The specified name already exists.");
    if (e->code != SOSIA_E_INVALID)
        return -1;
    if (strcmp(reason, "unknown") == 0)
        return call_fail(c, SOSIA_E_INVALID, "invalidRequest", NULL,
                         "Field '%.100s' is not recognized", name);
    return sp_not_acceptable(c);
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

const char *sp_etag(struct arena *a, const char *key, int64_t version)
{
    return arena_printf(a, "\"%s,%lld\"", key, (long long)version);
}

const char *sp_list_url(struct sp_at *at, const struct sp_list *list)
{
    struct arena *a = at->c->tx.arena;
    const size_t n = strlen(list->list.name);
    char *name = arena_alloc(a, 3 * n + 1);
    *percent_put(name, list->list.name, n) = '\0';
    return ARENA_JOIN(a, ms_site_url(a, &at->site), list->is_library ? "/" : "/Lists/", name);
}

/* ---- users ---- */

enum { USERS_FROM = 5 }; /* a site has itself and its groups before them */

int sp_user_number(struct tx *tx, const char *handle, int64_t *ret)
{
    struct ms_user user;
    struct actor who;
    *ret = 1; /* the system's own account */
    int r = actor_find(tx, handle, &who);
    if (r == 1)
        r = ms_user_of_actor(tx, who.id, 0, &user);
    if (r == 1)
        *ret = user.id + USERS_FROM;
    return r;
}

int sp_user_of_number(struct sp_at *at, int64_t number, const char **ret_handle)
{
    struct tx *tx = &at->c->tx;
    struct ms_user user;
    struct actor who;
    int r = number > USERS_FROM ? ms_user_get(tx, number - USERS_FROM, &user) : 0;
    if (r == 1 && user.tenant != at->site.tenant)
        r = 0;
    if (r == 1)
        r = actor_by_id(tx, user.actor, &who);
    if (r == 1)
        *ret_handle = who.handle;
    return r;
}
