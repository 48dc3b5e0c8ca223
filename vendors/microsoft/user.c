/* SPDX-License-Identifier: Apache-2.0 */
/* Users of the directory: whose path a request has, and which account of theirs is meant. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/internal.h"
#include "vendors/microsoft/signin/signin.h"

static int fill_user(struct tx *tx, const struct ms_user *user, const struct account *account,
                     const struct actor *actor, struct graph_user *ret)
{
    struct ms_tenant tenant;
    if (ms_tenant_get(tx, user->tenant, &tenant) != 1)
        return -1;
    *ret = (struct graph_user){.actor = *actor,
                               .account = *account,
                               .oid = user->oid,
                               .upn = user->upn,
                               .key = user->upn,
                               .tenant = tenant.guid};
    return 0;
}

int graph_user_of(struct tx *tx, const struct account *account, const struct actor *actor,
                  struct graph_user *ret)
{
    struct ms_user user;
    int r = ms_user_of_account(tx, account->id, &user);
    if (r == 1)
        return fill_user(tx, &user, account, actor, ret);
    return r < 0 ? -1
                 : tx_fail(tx, SOSIA_E_NOT_FOUND, "Request_ResourceNotFound", NULL,
                           "the account is not in the directory");
}

/* Without an account of his own who calls has no services either. */
int graph_caller_user(struct call *c, struct ms_user *ret)
{
    int r = c->account ? ms_user_of_account(&c->tx, c->account, ret) : 0;
    if (r == 0)
        return ms_user_of_actor(&c->tx, c->actor.id, 0, ret);
    return r == 1 && ret->deleted ? 0 : r;
}

/* The tenant whose directory a call sees: its user's, or that of its app. 1; 0: none; -1. */
int graph_caller_tenant(struct call *c, int64_t *ret)
{
    struct ms_user user;
    struct ms_app app;
    struct ms_tenant tenant = {0};
    int r = graph_caller_user(c, &user);
    if (r == 1)
        *ret = user.tenant;
    if (r != 0 || !c->app || !graph_app_only(c))
        return r;
    /* Several tenants may have the app: its token is of one. Of all but the first the journal says
     * it, as it does not keep the token. */
    const char *text = c->tenant ? c->tenant
                       : c->token && str_starts(c->token, "ey")
                           ? authority_claim(c->tx.arena, c->token, "tid")
                           : NULL;
    if ((text && (r = ms_tenant_find(&c->tx, text, &tenant)) != 1) ||
        (r = ms_app_find(&c->tx, c->app, 0, &app)) != 1)
        return r;
    if (tenant.id && app.tenant != tenant.id) {
        c->tenant = text;
        r = ms_app_find(&c->tx, c->app, tenant.id, &app);
    }
    if (r == 1)
        *ret = app.tenant;
    return r;
}

/* Another account of the actor's with Microsoft that has the service: one of the user's tenant, or
 * of any. 1, 0, -1. */
static int other_account(struct tx *tx, const struct ms_user *user, enum account_service service,
                         bool any_tenant, struct account *ret)
{
    struct ms_user other;
    int r = account_at(tx, user->actor, "microsoft", service, ret);
    if (r != 1 || any_tenant)
        return r;
    r = ms_user_of_account(tx, ret->id, &other);
    return r == 1 ? other.tenant == user->tenant : r;
}

int graph_account_of(struct tx *tx, const struct ms_user *user, enum account_service service,
                     bool any_tenant, struct account *ret)
{
    int r = account_get(tx, user->account, ret);
    if (r < 0 || (r == 1 && (!service || ret->services & service)))
        return r;
    return service ? other_account(tx, user, service, any_tenant, ret) : 0;
}

static int no_user(struct call *c, const char *text)
{
    if (graph_workload_of(c) == GRAPH_OUTLOOK)
        return call_fail(c, SOSIA_E_NOT_FOUND, "ErrorInvalidUser", NULL,
                         "The requested user '%.200s' is invalid.", text);
    return call_fail(c, SOSIA_E_NOT_FOUND, "Request_ResourceNotFound", NULL,
                     "Resource '%.200s' does not exist or one of its queried reference-property "
                     "objects are not present.",
                     text);
}

static int no_service(struct call *c)
{
    if (graph_workload_of(c) == GRAPH_FILES)
        return call_fail(c, SOSIA_E_NOT_FOUND, "ResourceNotFound", NULL,
                         "User's mysite not found.");
    return call_fail(c, SOSIA_E_NOT_FOUND, "MailboxNotEnabledForRESTAPI", NULL,
                     "The mailbox is either inactive, soft-deleted, or is hosted on-premise.");
}

/* The user that a text names, in the caller's tenant. 1, 0, -1. */
static int find(struct call *c, const char *text, struct ms_user *ret)
{
    int64_t tenant;
    int r = graph_caller_tenant(c, &tenant);
    return r == 1 ? ms_user_find(&c->tx, text, tenant, ret) : r;
}

/* Fills it of a user that was found. service: 0: any. 1, 0 no such service, -1. */
static int fill(struct call *c, const struct ms_user *user, enum account_service service,
                struct graph_user *ret)
{
    struct account account;
    struct actor actor = c->actor;
    int r = user->actor == actor.id ? 1 : actor_by_id(&c->tx, user->actor, &actor);
    const bool me = r == 1 && actor.id == c->actor.id && !graph_app_only(c);
    if (r == 1)
        r = graph_account_of(&c->tx, user, service, me, &account);
    if (r != 1)
        return r;
    if ((account.id == user->account ? fill_user(&c->tx, user, &account, &actor, ret)
                                     : graph_user_of(&c->tx, &account, &actor, ret)) < 0)
        return -1;
    ret->me = me;
    return 1;
}

int graph_user_find(struct call *c, const char *text, struct graph_user *ret)
{
    struct ms_user user;
    int r = find(c, text, &user);
    return r == 1 ? fill(c, &user, 0, ret) : r;
}

int graph_user_with(struct call *c, const char *text, enum account_service service,
                    struct graph_user *ret)
{
    struct ms_user user;
    int r = graph_app_only(c) ? find(c, text, &user) : ms_user_find(&c->tx, text, 0, &user);
    return r == 1 ? fill(c, &user, service, ret) : r;
}

int graph_whose(struct call *c, enum account_service service, struct graph_user *ret)
{
    const char *text = param_str(c, "user-id");
    struct ms_user user;
    if (!text && graph_app_only(c))
        return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "/me request is only valid with delegated authentication flow.");
    int r = text ? find(c, text, &user) : graph_caller_user(c, &user);
    if (r == 0 && (text || !service))
        return no_user(c, text ? text : c->actor.handle);
    if (r == 1)
        r = fill(c, &user, service, ret);
    return r == 1 ? 0 : r < 0 ? -1 : no_service(c);
}
