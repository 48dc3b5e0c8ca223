/* SPDX-License-Identifier: Apache-2.0 */
/* Which site a call is about, and what its caller may do there. */
#include "engine/base/codec.h"
#include "vendors/microsoft/sites/sites.h"

int site_not_found(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "itemNotFound", NULL,
                     "Requested site could not be found");
}

int site_invalid(struct call *c, const char *message)
{
    return call_fail(c, SOSIA_E_INVALID, "invalidRequest", NULL, "%s", message);
}

/* ---- which ---- */

static int caller_tenant(struct call *c, struct ms_tenant *ret)
{
    int64_t id;
    int r = graph_caller_tenant(c, &id);
    if (r == 1)
        r = ms_tenant_get(&c->tx, id, ret);
    return r == 1 ? 0 : r < 0 ? -1 : site_not_found(c);
}

/* That of a group, by its "root" or its own id. 1, 0, -1. */
static int site_of_group(struct call *c, const struct ms_tenant *tenant, struct ms_site *ret)
{
    const char *text = param_str(c, "site-id");
    struct ms_group group;
    struct ms_site named;
    int r = ms_group_find(&c->tx, param_str(c, "group-id"), tenant->id, &group);
    if (r == 1)
        r = ms_site_of_group(&c->tx, group.id, ret);
    if (r != 1 || !text || str_eq_nocase(text, "root"))
        return r;
    r = ms_site_find(&c->tx, tenant, text, &named);
    return r == 1 ? named.id == ret->id : r;
}

/* Below the site that the path begins with. 1, 0, -1. */
static int site_by_rest(struct call *c, const struct ms_tenant *tenant, struct ms_site *ret)
{
    const char *rest = param_str(c, "site-path");
    int r = ms_site_find(&c->tx, tenant, param_str(c, "site-id"), ret);
    if (r != 1 || !rest)
        return r;
    while (*rest == '/')
        rest++;
    const char *path = ARENA_JOIN(c->tx.arena, ret->path, "/", rest);
    return path ? ms_site_by_path(&c->tx, tenant, path, ret) : sosia_fail_memory(c->tx.err);
}

int site_of_path(struct call *c, enum site_role need, struct ms_site *ret)
{
    struct ms_tenant tenant;
    enum site_role role;
    if (caller_tenant(c, &tenant) < 0)
        return -1;
    int r =
        param_given(c, "group-id") ? site_of_group(c, &tenant, ret) : site_by_rest(c, &tenant, ret);
    if (r != 1)
        return r < 0 ? -1 : site_not_found(c);
    if (site_role_of(c, ret, &role) < 0)
        return -1;
    return role < need ? graph_denied(c) : 0;
}

/* ---- who ---- */

/* What is given to the call's app for this site. */
static int selected_role(struct call *c, const struct ms_site *site, enum site_role *ret)
{
    static struct sql_text q =
        SQL_TEXT("select role from ms_site_app where site = :site and app = :app");
    int64_t role = SITE_NONE;
    if (TX_INT(&c->tx, &q, &role, site->id, c->app) < 0)
        return -1;
    *ret = (enum site_role)role;
    return 0;
}

/* The widest that the token's permissions for all sites give. */
static enum site_role scope_role(const struct call *c)
{
    return c->scopes.all || call_has_scope(c, "Sites.Manage.All Sites.FullControl.All") ? SITE_OWNER
           : call_has_scope(c, "Sites.ReadWrite.All Files.ReadWrite.All")               ? SITE_WRITE
           : call_has_scope(c, "Sites.Read.All Files.Read.All")                         ? SITE_READ
                                                                                        : SITE_NONE;
}

/* Is it another permission than Sites.Selected by which the token of a user may call the method?
 * Then their own role counts. */
static bool is_opened_for_all(const struct call *c)
{
    return c->scopes.all || !call_has_scope(c, "Sites.Selected") ||
           call_uses_scope(c, "Sites.Read.All Sites.ReadWrite.All Sites.Manage.All "
                              "Sites.FullControl.All Files.Read Files.ReadWrite Files.Read.All "
                              "Files.ReadWrite.All");
}

int site_role_of(struct call *c, const struct ms_site *site, enum site_role *ret)
{
    const bool app_only = graph_app_only(c);
    enum site_role selected, widest = scope_role(c);
    *ret = SITE_NONE;
    if (!app_only && ms_site_role(&c->tx, site, &c->actor, ret) < 0)
        return -1;
    if (!app_only && is_opened_for_all(c))
        return 0;
    if (call_has_scope(c, "Sites.Selected")) {
        if (selected_role(c, site, &selected) < 0)
            return -1;
        widest = selected > widest ? selected : widest;
    }
    if (app_only || widest < *ret)
        *ret = widest;
    return 0;
}

/* ---- answers ---- */

int site_write_person(struct call *c, const char *key, int64_t actor)
{
    struct json_writer *w = c->out;
    struct ms_user user;
    struct actor who;
    if (!actor)
        return 0;
    int r = actor_by_id(&c->tx, actor, &who);
    if (r != 1)
        return r;
    int found = ms_user_of_actor(&c->tx, actor, 0, &user);
    if (found < 0)
        return -1;
    json_obj(w, key);
    json_obj(w, "user");
    if (*who.email)
        json_str(w, "email", who.email);
    if (found == 1)
        json_str(w, "id", user.oid);
    json_str(w, "displayName", *who.name ? who.name : who.email);
    json_end(w);
    json_end(w);
    return 0;
}

void site_write_system(struct json_writer *w, const char *key)
{
    json_obj(w, key);
    json_obj(w, "user");
    json_str(w, "displayName", "System Account");
    json_end(w);
    json_end(w);
}

const char *site_context(struct call *c, const struct ms_site *site)
{
    const char *text = param_str(c, "site-id");
    bool root = text && str_eq_nocase(text, "root") && !param_given(c, "group-id") &&
                !param_given(c, "site-path");
    return ARENA_JOIN(c->tx.arena, "sites", graph_key(c->tx.arena, root ? "root" : site->full_id));
}
