/* SPDX-License-Identifier: Apache-2.0 */
/* What rows of the directory ask first: the caller's tenant, the user or the group of the path, and
 * what the caller may change; and the refusals that they share. */
#include "vendors/microsoft/directory/rows.h"

int dir_no_object(struct call *c, const char *id)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "Request_ResourceNotFound", NULL,
                     "Resource '%.100s' does not exist or one of its queried reference-property "
                     "objects are not present.",
                     id);
}

int dir_tenant(struct call *c, struct ms_tenant *ret)
{
    int64_t id;
    int r = graph_caller_tenant(c, &id);
    if (r == 1)
        r = ms_tenant_get(&c->tx, id, ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_FORBIDDEN, "Authorization_IdentityNotFound", NULL,
                               "The identity of the calling application could not be established.");
}

int dir_user_of_path(struct call *c, const char *all, struct ms_user *ret)
{
    const char *text = param_str(c, "user-id");
    struct ms_tenant tenant;
    int r;
    if (!text && graph_app_only(c))
        return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "/me request is only valid with delegated authentication flow.");
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    r = text ? ms_user_find(&c->tx, text, tenant.id, ret)
             : ms_user_of_actor(&c->tx, c->actor.id, tenant.id, ret);
    if (r < 0)
        return -1;
    bool me = r == 1 && ret->actor == c->actor.id && !graph_app_only(c);
    if (!me && all && !call_has_scope(c, all))
        return graph_denied(c);
    return r == 1 && !ret->deleted ? 0 : dir_no_object(c, text ? text : c->actor.handle);
}

int dir_may_change(struct call *c)
{
    struct ms_tenant tenant;
    struct ms_user user;
    if (graph_app_only(c) || c->scopes.all)
        return 1;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    int r = ms_user_of_actor(&c->tx, c->actor.id, tenant.id, &user);
    return r == 1 ? user.admin : r;
}

int dir_group_of_path(struct call *c, struct ms_group *ret)
{
    const char *id = param_str(c, "group-id");
    struct ms_tenant tenant;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    int r = strchr(id, '@') ? 0 : ms_group_find(&c->tx, id, tenant.id, ret);
    return r == 1 ? 0 : r < 0 ? -1 : dir_no_object(c, id);
}

int dir_may_change_group(struct call *c, const struct ms_group *group)
{
    static struct sql_text q = SQL_TEXT("select 1 from ms_owner o join ms_user u on u.id = o.user "
                                        "where o.team = :group and u.actor = :actor");
    int64_t one;
    int r = dir_may_change(c);
    if (r == 0)
        r = TX_INT(&c->tx, &q, &one, group->id, c->actor.id);
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(c);
}

int dir_there_already(struct call *c, bool owner)
{
    return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                     "One or more added object references already exist for the following modified "
                     "properties: '%s'.",
                     owner ? "owners" : "members");
}
