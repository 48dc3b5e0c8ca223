/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals, and what names lists, items and users for programs. */
#include "engine/base/codec.h"
#include "services/lists/sharepoint/sharepoint.h"

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
