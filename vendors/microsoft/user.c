/* SPDX-License-Identifier: Apache-2.0 */
/* Users of the directory: whose path a request has, and which account of theirs is meant. */
#include "identity/account.h"
#include "vendors/microsoft/internal.h"

int graph_user_of(struct tx *tx, const struct account *account, const struct actor *actor,
                  struct graph_user *ret)
{
    struct arena *a = tx->arena;
    *ret = (struct graph_user){.actor = *actor, .account = *account, .upn = actor->email};
    ret->tenant =
        *account->tenant ? account->tenant : graph_guid(a, "tenant", email_domain(actor->email));
    ret->oid = account->name
                   ? account->name
                   : graph_guid(a, "user", arena_printf(a, "%s %s", ret->tenant, actor->email));
    ret->key = ret->upn;
    return arena_failed(a) ? sosia_fail_memory(tx->err) : 0;
}

/* The account of an actor with Microsoft: 1, 0, -1. */
static int account_for(struct tx *tx, const struct actor *actor, enum account_service service,
                       struct account *ret)
{
    static const enum account_service any[] = {ACCOUNT_MAIL, ACCOUNT_CALENDAR, ACCOUNT_DRIVE,
                                               ACCOUNT_CHAT};
    int r = 0;
    if (service)
        return account_at(tx, actor->id, "microsoft", service, ret);
    for (size_t i = 0; r == 0 && i < SOSIA_LEN(any); i++)
        r = account_at(tx, actor->id, "microsoft", any[i], ret);
    return r;
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
    return call_fail(c, SOSIA_E_NOT_FOUND, "MailboxNotEnabledForRESTAPI", NULL,
                     "The mailbox is either inactive, soft-deleted, or is hosted on-premise.");
}

/* The user by an id or a name: 1, 0, -1. *ret_actor is filled also where there is no account with
 * the service. */
static int find(struct tx *tx, const char *text, enum account_service service,
                struct account *ret_account, struct actor *ret_actor)
{
    ret_actor->id = 0;
    int r = strchr(text, '@') ? 0 : account_find(tx, "microsoft", NULL, text, ret_account);
    if (r == 1) {
        r = actor_by_id(tx, ret_account->actor, ret_actor);
        return r == 1 ? account_for(tx, ret_actor, service, ret_account) : r;
    }
    if (r == 0)
        r = actor_by_email(tx, text, ret_actor);
    return r == 1 ? account_for(tx, ret_actor, service, ret_account) : r;
}

int graph_user_find(struct call *c, const char *text, struct graph_user *ret)
{
    struct account account;
    struct actor actor;
    int r = find(&c->tx, text, 0, &account, &actor);
    return r == 1 ? graph_user_of(&c->tx, &account, &actor, ret) < 0 ? -1 : 1 : r;
}

int graph_whose(struct call *c, enum account_service service, struct graph_user *ret)
{
    const char *text = param_str(c, "user-id");
    struct account account;
    struct actor actor = c->actor;
    int r;
    if (!text && graph_app_only(c))
        return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "/me request is only valid with delegated authentication flow.");
    if (text) {
        r = find(&c->tx, text, service, &account, &actor);
        if (r == 0 && !actor.id)
            return no_user(c, text);
    } else {
        r = account_for(&c->tx, &actor, service, &account);
    }
    if (r < 0)
        return -1;
    if (r == 0)
        return service ? no_service(c) : no_user(c, actor.email);
    if (graph_user_of(&c->tx, &account, &actor, ret) < 0)
        return -1;
    ret->me = actor.id == c->actor.id && !graph_app_only(c);
    return 0;
}
