/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of scopes, separated by spaces. Any https name is accepted, also of APIs that are not
 * served here: it opens nothing. */
#include "vendors/google/google.h"
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"

#define MAX_LIST 8192

int oauth_scopes_normal(struct arena *a, const char *text, const char **ret, const char **ret_bad)
{
    struct buf b;
    buf_init(&b, MAX_LIST);
    for (text += strspn(text, " "); *text;) {
        size_t n = strcspn(text, " ");
        const char *scope = arena_memdup(a, text, n);
        if (strcmp(scope, "email") == 0)
            scope = SCOPE_EMAIL;
        else if (strcmp(scope, "profile") == 0)
            scope = SCOPE_PROFILE;
        else if (strcmp(scope, SCOPE_OPENID) != 0 && !str_starts(scope, "https://")) {
            *ret_bad = scope;
            buf_done(&b);
            return -1;
        }
        scopes_add(&b, scope, strlen(scope));
        text += n + strspn(text + n, " ");
    }
    if (buf_failed(&b)) {
        *ret_bad = "(too many)";
        buf_done(&b);
        return -1;
    }
    *ret = buf_keep(&b, a);
    return 0;
}

static bool has(const char *list, const char *scope)
{
    return scopes_have(list, scope, strlen(scope));
}

const char *oauth_scopes_granted(struct arena *a, const char *list)
{
    return has(list, SCOPE_EMAIL) || has(list, SCOPE_PROFILE) ? scopes_union(a, list, SCOPE_OPENID)
                                                              : list;
}

const char *oauth_scopes_shown(struct arena *a, const char *list)
{
    return arena_printf(a, "%s%s%s", has(list, SCOPE_EMAIL) ? "email " : "",
                        has(list, SCOPE_PROFILE) ? "profile " : "", list);
}

static const char *known(struct call *c, bool all)
{
    static const char *const own[] = {SCOPE_OPENID, SCOPE_EMAIL, SCOPE_PROFILE};
    struct buf b;
    buf_init(&b, 2 * MAX_LIST);
    for (const struct dialect *const *d = engine_dialects(c->tx.engine); *d; d++) {
        const struct google_api *api = (*d)->vendor == c->dialect->vendor ? (*d)->facts : NULL;
        for (size_t i = 0; api && i < api->n_scopes; i++)
            if (all || call_has_scope(c, api->scopes[i].name))
                scopes_add(&b, api->scopes[i].name, strlen(api->scopes[i].name));
    }
    for (size_t i = 0; i < SOSIA_LEN(own); i++)
        if (all || call_has_scope(c, own[i]))
            scopes_add(&b, own[i], strlen(own[i]));
    return buf_keep(&b, c->tx.arena);
}

const char *oauth_scopes_of_call(struct call *c)
{
    return known(c, false);
}

const char *oauth_scopes_all(struct call *c)
{
    return known(c, true);
}

int google_oauth_is_person(struct call *c)
{
    struct ident_token token;
    int r = c->token ? oauth_access_find(&c->tx, c->token, &token, NULL) : 0;
    c->by_token |= r > 0;
    return r < 0 ? -1 : r ? !token.service : !c->scopes.all;
}
