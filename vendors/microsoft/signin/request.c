/* SPDX-License-Identifier: Apache-2.0 */
/* What a request to the authority is about: the tenant in its path, the program, the scopes. */
#include "engine/base/codec.h"
#include "vendors/microsoft/signin/internal.h"

enum { MAX_SCOPES = 4096 }; /* bytes of those that one request asks for: a token holds them */

/* ---- the tenant ---- */

const struct param authority_params[1] = {
    {.name = "tenant",
     .place = IN_PATH,
     .required = true,
     .max = 253,
     .summary = "The tenant: its id, a domain of it, or common, organizations, consumers"}};

static bool is_name(const char *text)
{
    return *text && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789.-") == strlen(text);
}

/* "/tenant/oauth2/token" has no version, "/tenant/oauth2/v2.0/token" has. */
static bool is_v1(const struct call *c)
{
    const char *at = memmem(c->path, c->path_len, "/v2.0/", 6);
    return !at && memmem(c->path, c->path_len, "/oauth2/", 8) != NULL;
}

int authority_read(struct call *c, struct authority *ret)
{
    const char *text = param_str(c, "tenant");
    *ret = (struct authority){.text = text ? text : "common", .v1 = is_v1(c)};
    bool common = str_eq_nocase(ret->text, "common");
    ret->consumers = common || str_eq_nocase(ret->text, "consumers");
    ret->organizations = common || str_eq_nocase(ret->text, "organizations");
    if (ret->consumers || ret->organizations)
        return 0;
    if (!is_name(ret->text))
        return authority_fail(c, SOSIA_E_INVALID, "invalid_request", 900023,
                              "Specified tenant identifier '%.100s' is neither a valid DNS name, "
                              "nor a valid external domain.",
                              ret->text);
    int r = ms_tenant_find(&c->tx, ret->text, &ret->tenant);
    if (r == 0)
        return authority_fail(
            c, SOSIA_E_INVALID, "invalid_request", 90002,
            "Tenant '%.100s' not found. Check to make sure you have the correct tenant ID and are "
            "signing into the correct cloud. Check with your subscription administrator, this may "
            "happen if there are no active subscriptions for the tenant.",
            ret->text);
    return r < 0 ? -1 : 0;
}

static int no_such_user(struct call *c, const struct authority *a, const struct actor *who)
{
    return authority_fail(
        c, SOSIA_E_INVALID, "invalid_grant", 50020,
        "User account '%.100s' from identity provider 'live.com' does not exist in tenant '%.100s' "
        "and cannot access the application in that tenant. The account needs to be added as an "
        "external user in the tenant first.",
        who->handle, a->text);
}

int authority_check_user(struct call *c, const struct authority *a, const struct actor *who,
                         const struct ms_user *user)
{
    struct ms_tenant tenant;
    if (ms_tenant_get(&c->tx, user->tenant, &tenant) != 1)
        return -1;
    if (a->tenant.id ? tenant.id != a->tenant.id
                     : !(tenant.consumer ? a->consumers : a->organizations))
        return no_such_user(c, a, who);
    return user->enabled ? 0
                         : authority_fail(c, SOSIA_E_INVALID, "invalid_grant", 50057,
                                          "The user account is disabled.");
}

int authority_user(struct call *c, const struct authority *a, const struct actor *who,
                   struct ms_user *ret)
{
    int r = ms_user_of_actor(&c->tx, who->id, a->tenant.id, ret);
    return r < 0 ? -1 : r ? authority_check_user(c, a, who, ret) : no_such_user(c, a, who);
}

/* ---- the program ---- */

static int unknown_app(struct call *c, const char *id, const char *tenant)
{
    return authority_fail(
        c, SOSIA_E_INVALID, "unauthorized_client", 700016,
        "Application with identifier '%.100s' was not found in the directory '%.100s'. This can "
        "happen if the application has not been installed by the administrator of the tenant or "
        "consented to by any user in the tenant. You may have sent your authentication request to "
        "the wrong tenant.",
        id, tenant);
}

int authority_knows(struct call *c, const struct ident_app *app, int64_t tenant)
{
    struct ms_tenant t;
    struct ms_app own;
    int r = ms_app_find(&c->tx, app->id, 0, &own);
    if (r == 1)
        r = ms_app_find(&c->tx, app->id, tenant, &own) ? 0 : 1;
    if (r != 1)
        return r < 0 ? -1 : 0;
    r = ms_tenant_get(&c->tx, tenant, &t);
    return r == 1 ? unknown_app(c, app->client_id, t.name) : -1;
}

/* By what the request says, and whether the tenant in its path knows it. */
static int check_app(struct call *c, const struct authority *a, const char *id, int r,
                     const struct ident_app *app)
{
    if (r == OAUTH_UNKNOWN_APP)
        return unknown_app(c, id, a->tenant.id ? a->tenant.name : a->text);
    if (r)
        return authority_fault(c, app, r);
    return a->tenant.id ? authority_knows(c, app, a->tenant.id) : 0;
}

int authority_app(struct call *c, const struct authority *a, struct ident_app *ret)
{
    const char *id = authority_param(c, "client_id");
    if (!id)
        return authority_missing(c, "client_id");
    return check_app(c, a, id, oauth_app(&c->tx, &authority_style, id, ret), ret);
}

int authority_client(struct call *c, const struct authority *a, struct ident_app *ret)
{
    const char *id = authority_param(c, "client_id"), *secret = authority_param(c, "client_secret");
    if (oauth_basic(c->tx.arena, call_request_header(c, "Authorization"), &id, &secret) < 0)
        return authority_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", 50013,
                              "The credentials of the Authorization header are malformed.");
    if (!id || !*id)
        return authority_missing(c, "client_id");
    if (authority_param(c, "client_assertion")) {
        int known = check_app(c, a, id, oauth_app(&c->tx, &authority_style, id, ret), ret);
        return known < 0 ? -1 : authority_assertion(c, a, ret);
    }
    if (check_app(c, a, id, oauth_authenticate(&c->tx, &authority_style, id, secret, ret), ret) < 0)
        return -1;
    /* Without a secret of its own it has to sign, if it can. */
    int r = ret->secret ? 0 : authority_is_confidential(c, ret);
    return r == 1 ? authority_fault(c, ret, OAUTH_NO_SECRET) : r;
}

/* ---- scopes ---- */

static const char openid_scopes[] = "openid profile email offline_access";

bool authority_openid(const char *scopes, const char *scope)
{
    return scopes_have(scopes, scope, strlen(scope));
}

/* A host of this server's, as programs name it when they take the base URL for a resource. */
static bool is_own_host(struct call *c, const char *resource)
{
    static const char *const local[] = {"http://localhost", "https://localhost", "http://127.0.0.1",
                                        "https://127.0.0.1"};
    size_t n =
        c->base_url ? strcspn(c->base_url + (strstr(c->base_url, "://") ? 8 : 0), "/") + 8 : 0;
    if (n && strncasecmp(resource, c->base_url, n) == 0)
        return true;
    for (size_t i = 0; i < SOSIA_LEN(local); i++) {
        size_t len = strlen(local[i]);
        if (strncasecmp(resource, local[i], len) == 0 &&
            strspn(resource + len, ":0123456789") == strlen(resource + len))
            return true;
    }
    return false;
}

/* The resource that a text names, without a slash at its end; Graph's has one name. */
static const char *resource_of(struct call *c, const char *text, size_t n)
{
    while (n && text[n - 1] == '/')
        n--;
    const char *name = arena_memdup(c->tx.arena, text, n);
    if (arena_failed(c->tx.arena) || !*name || str_eq_nocase(name, GRAPH_RESOURCE) ||
        str_eq_nocase(name, "00000003-0000-0000-c000-000000000000") || is_own_host(c, name))
        return GRAPH_RESOURCE;
    return name;
}

static bool is_word(const char *text, size_t n)
{
    return n && n <= 128 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") >= n;
}

static int bad_scope(struct call *c, const char *scope, size_t n)
{
    return authority_fail(
        c, SOSIA_E_INVALID, "invalid_scope", 70011,
        "The provided request must include a 'scope' input parameter. The provided value for the "
        "input parameter 'scope' is not valid. The scope %.*s is not valid.",
        (int)(n < 200 ? n : 200), scope);
}

/* One of the list, which names its resource or is Graph's. */
static int add_scope(struct call *c, const char *scope, size_t n, struct wanted *w, struct buf *own,
                     struct buf *openid)
{
    const char *slash = memrchr(scope, '/', n), *word = slash ? slash + 1 : scope;
    size_t len = (size_t)(scope + n - word);
    if (!slash && scopes_have(openid_scopes, scope, n)) {
        scopes_add(openid, scope, n);
        return 0;
    }
    const char *resource = slash ? resource_of(c, scope, (size_t)(slash - scope)) : GRAPH_RESOURCE;
    if (!is_word(word, len) || (slash && !strpbrk(resource, ":.-")) || strpbrk(resource, "<>\"' "))
        return bad_scope(c, scope, n);
    if (w->resource && strcmp(w->resource, resource) != 0)
        return authority_fail(
            c, SOSIA_E_INVALID, "invalid_request", 28000,
            "Provided value for the input parameter scope is not valid because it contains more "
            "than one resource. Scope %.*s is not valid.",
            (int)(n < 200 ? n : 200), scope);
    w->resource = resource;
    if (len == 8 && memcmp(word, ".default", 8) == 0) {
        w->all = true;
        return 0;
    }
    const char *stored = strcmp(resource, GRAPH_RESOURCE) == 0
                             ? arena_memdup(c->tx.arena, word, len)
                             : arena_printf(c->tx.arena, "%s/%.*s", resource, (int)len, word);
    scopes_add(own, stored, strlen(stored));
    return 0;
}

/* The older endpoints name a resource, and mean all that was agreed to. */
static int wanted_v1(struct call *c, struct wanted *w)
{
    const char *resource = authority_param(c, "resource");
    w->resource = resource ? resource_of(c, resource, strlen(resource)) : GRAPH_RESOURCE;
    w->scopes = openid_scopes;
    w->all = true;
    if (strlen(w->resource) > 250 || strpbrk(w->resource, "<>\"' "))
        return authority_fail(c, SOSIA_E_INVALID, "invalid_resource", 500011,
                              "The resource principal named %.100s was not found in the tenant.",
                              w->resource);
    return 0;
}

int authority_wanted(struct call *c, const struct authority *a, const char *text,
                     struct wanted *ret)
{
    struct buf own, openid;
    int r = 0;
    *ret = (struct wanted){0};
    if (a->v1)
        return wanted_v1(c, ret);
    if (!text)
        return authority_missing(c, "scope");
    buf_init(&own, MAX_SCOPES);
    buf_init(&openid, MAX_SCOPES);
    text = scopes_written(c->tx.arena, text);
    for (size_t n; r == 0 && *text; text += n + (text[n] == ' ')) {
        n = strcspn(text, " ");
        r = add_scope(c, text, n, ret, &own, &openid);
    }
    if (r == 0 && buf_failed(&own))
        r = bad_scope(c, "(too many)", 10);
    if (!ret->resource)
        ret->resource = GRAPH_RESOURCE;
    ret->scopes = arena_printf(c->tx.arena, "%s%s%s", buf_str(&own),
                               own.len && openid.len ? " " : "", buf_str(&openid));
    buf_done(&own);
    buf_done(&openid);
    return r;
}

const char *authority_of_resource(struct arena *a, const char *scopes, const char *resource)
{
    bool graph = strcmp(resource, GRAPH_RESOURCE) == 0;
    size_t len = strlen(resource);
    struct buf b;
    buf_init(&b, 0);
    for (size_t n; *scopes; scopes += n + (scopes[n] == ' ')) {
        n = strcspn(scopes, " ");
        const char *slash = memrchr(scopes, '/', n);
        if (!slash && (graph || scopes_have(openid_scopes, scopes, n)))
            scopes_add(&b, scopes, n);
        else if (slash && (size_t)(slash - scopes) == len && memcmp(scopes, resource, len) == 0)
            scopes_add(&b, slash + 1, n - len - 1);
    }
    return buf_keep(&b, a);
}

const char *authority_openid_of(struct arena *a, const char *scopes)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t n; *scopes; scopes += n + strspn(scopes + n, " ")) {
        n = strcspn(scopes, " ");
        if (n && scopes_have(openid_scopes, scopes, n))
            scopes_add(&b, scopes, n);
    }
    return buf_keep(&b, a);
}

/* ---- what was agreed to ---- */

int authority_agreed(struct call *c, const struct ident_app *app, const struct ms_user *user,
                     const char **ret_scopes)
{
    const char *own;
    struct ms_app all;
    int r = ms_app_find(&c->tx, app->id, user->tenant, &all);
    if (r < 0 || oauth_consent_get(&c->tx, app->id, user->actor, &own) < 0)
        return -1;
    *ret_scopes = arena_printf(c->tx.arena, "%s %s", own ? own : "", r ? all.delegated : "");
    return 0;
}

/* Of a list those that are a resource's, as they are stored. */
static const char *stored_of(struct arena *a, const char *scopes, const char *resource)
{
    bool graph = strcmp(resource, GRAPH_RESOURCE) == 0;
    size_t len = strlen(resource);
    struct buf b;
    buf_init(&b, MAX_SCOPES);
    for (size_t n; *scopes; scopes += n + strspn(scopes + n, " ")) {
        n = strcspn(scopes, " ");
        const char *slash = memrchr(scopes, '/', n);
        if (n && !scopes_have(openid_scopes, scopes, n) &&
            (slash ? (size_t)(slash - scopes) == len && memcmp(scopes, resource, len) == 0 : graph))
            scopes_add(&b, scopes, n);
    }
    const char *text = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

int authority_given(struct call *c, const struct ident_app *app, const struct ms_user *user,
                    const struct wanted *wanted, const char **ret_scopes)
{
    const char *agreed, *own;
    *ret_scopes = wanted->scopes;
    if (authority_agreed(c, app, user, &agreed) < 0)
        return -1;
    /* OpenID's are agreed to by signing in. */
    own = stored_of(c->tx.arena, wanted->scopes, wanted->resource);
    if (!own || !scopes_cover(agreed, own))
        return 0;
    if (!wanted->all)
        return 1;
    own = stored_of(c->tx.arena, agreed, wanted->resource);
    *ret_scopes = own ? scopes_union(c->tx.arena, own, wanted->scopes) : NULL;
    return *ret_scopes && *own;
}

/* Permissions that a user can't agree to alone. A name that ends in ".All" is one, but for these.
 */
const char *authority_admin_only(struct arena *a, const char *scopes)
{
    static const char *const by_user[] = {
        "Files.Read.All", "Files.ReadWrite.All", "Sites.Read.All",     "Sites.ReadWrite.All",
        "Notes.Read.All", "Notes.ReadWrite.All", "User.ReadBasic.All", "Tasks.Read.All"};
    for (size_t n; *scopes; scopes += n + strspn(scopes + n, " ")) {
        n = strcspn(scopes, " ");
        const char *scope = arena_memdup(a, scopes, n);
        if (!strchr(scope, '/') && n > 4 && strcmp(scope + n - 4, ".All") == 0 &&
            !str_in_nocase(scope, by_user, SOSIA_LEN(by_user)))
            return scope;
    }
    return NULL;
}
