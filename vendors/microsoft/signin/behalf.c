/* SPDX-License-Identifier: Apache-2.0 */
/* Services of Microsoft's that call Graph on behalf of who has a token for them: what the flow of
 * that name gives, without a token that is made for it. */
#include "engine/base/codec.h"
#include "vendors/microsoft/signin/internal.h"

const char *authority_audience(const struct call *c)
{
    if (!c->token || !c->app || c->claims || !str_starts(c->token, "ey"))
        return NULL;
    return authority_claim(c->tx.arena, c->token, "aud");
}

static bool is_for(const struct authority_service *s, const char *audience)
{
    for (const char *const *name = s->names; *name; name++)
        if (str_eq_nocase(*name, audience))
            return true;
    return false;
}

/* Scopes of Graph's, which are stored in short. */
static void take_scopes(struct call *c, const char *scopes)
{
    c->scopes = (struct scopes){.all = false};
    for (size_t n; *scopes; scopes += n + strspn(scopes + n, " ")) {
        n = strcspn(scopes, " ");
        int at = n && !memchr(scopes, '/', n) ? scope_number(c->tx.engine, scopes, n) : -1;
        if (at >= 0)
            c->scopes.bits[at / 64] |= UINT64_C(1) << (at % 64);
    }
}

static int no_person(struct call *c)
{
    return call_fail(c, SOSIA_E_UNAUTHENTICATED, "audience", NULL,
                     "the token must be a person's of the tenant that it names");
}

int authority_on_behalf(struct call *c)
{
    const char *tid = authority_claim(c->tx.arena, c->token, "tid"), *agreed;
    struct ms_tenant tenant;
    struct ident_app app;
    struct ms_user user;
    if (c->token_kind != TOKEN_USER || !tid)
        return no_person(c);
    int r = ms_tenant_find(&c->tx, tid, &tenant);
    if (r == 1)
        r = ms_user_of_actor(&c->tx, c->actor.id, tenant.id, &user);
    if (r == 1 && user.enabled)
        r = app_get(&c->tx, c->app, &app);
    else if (r == 1)
        r = 0;
    if (r <= 0)
        return r < 0 ? -1 : no_person(c);
    if (authority_agreed(c, &app, &user, &agreed) < 0)
        return -1;
    take_scopes(c, agreed);
    return 0;
}

int authority_serve(struct call *c, const struct authority_service *s)
{
    const char *audience = authority_audience(c), *scopes;
    if (!audience || str_eq_nocase(audience, GRAPH_RESOURCE))
        return 0;
    if (!is_for(s, audience))
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "audience", NULL,
                         "the token must be for %s, not for %.100s", s->names[0], audience);
    scopes = authority_claim(c->tx.arena, c->token, "scp");
    if (!scopes || !scopes_have(scopes, s->scope, strlen(s->scope)))
        return call_fail(c, SOSIA_E_FORBIDDEN, "scope", NULL, "the token must have the scope %s",
                         s->scope);
    c->audience = audience;
    return authority_on_behalf(c);
}
