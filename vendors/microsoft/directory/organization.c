/* SPDX-License-Identifier: Apache-2.0 */
/* The tenant itself: its organization, the products that it has licences for, the apps that it
 * knows; and whom a user works with. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/rows.h"

enum { MAX_PRODUCTS = 100, DIRECTORY_MAX = 300000 };

/* ---- the organization ---- */

static void write_domain(struct json_writer *w, const char *name, bool is_default, bool initial)
{
    json_obj(w, NULL);
    json_str(w, "capabilities", "Email, OfficeCommunicationsOnline");
    json_bool(w, "isDefault", is_default);
    json_bool(w, "isInitial", initial);
    json_str(w, "name", name);
    json_str(w, "type", "Managed");
    json_end(w);
}

static void empty_list(struct json_writer *w, const char *name)
{
    json_arr(w, name);
    json_end(w);
}

/* When the tenant's first user came, and how many objects it has. */
static int tenant_facts(struct call *c, int64_t id, int64_t *ret_made_us, int64_t *ret_used)
{
    static struct sql_text q_used =
        SQL_TEXT("select (select count(*) from ms_user where tenant = :tenant) + (select count(*) "
                 "from ms_group where tenant = :tenant)");
    return ms_tenant_made(&c->tx, id, ret_made_us) < 0 || TX_INT(&c->tx, &q_used, ret_used, id) < 0
               ? -1
               : 0;
}

/* The members of the recording, in its order. */
static int write_organization(struct call *c, int64_t id, struct json_writer *w)
{
    struct ms_tenant t;
    int64_t made_us, used;
    int r = ms_tenant_get(&c->tx, id, &t);
    if (r != 1)
        return r;
    if (tenant_facts(c, id, &made_us, &used) < 0)
        return -1;
    json_str(w, "id", t.guid);
    json_null(w, "deletedDateTime");
    empty_list(w, "businessPhones");
    json_null(w, "city");
    json_null(w, "country");
    if (t.country)
        json_str(w, "countryLetterCode", t.country);
    else
        json_null(w, "countryLetterCode");
    json_str(w, "createdDateTime", graph_date(c->tx.arena, made_us, 0));
    json_null(w, "defaultUsageLocation");
    json_str(w, "displayName", t.name);
    json_null(w, "isMultipleDataLocationsForServicesEnabled");
    empty_list(w, "marketingNotificationEmails");
    json_null(w, "onPremisesLastSyncDateTime");
    json_null(w, "onPremisesSyncEnabled");
    json_null(w, "partnerTenantType");
    json_null(w, "postalCode");
    json_str(w, "preferredLanguage", "en");
    empty_list(w, "securityComplianceNotificationMails");
    empty_list(w, "securityComplianceNotificationPhones");
    json_null(w, "state");
    json_null(w, "street");
    empty_list(w, "technicalNotificationMails");
    json_str(w, "tenantType", "AAD");
    json_obj(w, "directorySizeQuota");
    json_int(w, "used", used);
    json_int(w, "total", DIRECTORY_MAX);
    json_end(w);
    json_null(w, "privacyProfile");
    empty_list(w, "assignedPlans");
    empty_list(w, "onPremisesSyncStatus");
    empty_list(w, "provisionedPlans");
    json_arr(w, "verifiedDomains");
    write_domain(w, t.initial, false, true);
    write_domain(w, t.domain, true, false);
    json_end(w);
    return 1;
}

const struct dir_kind dir_organization = {
    .type = "organization", .set = "organization", .write = write_organization};

static int next_own(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    const struct ms_tenant *tenant = of;
    (void)c;
    *ret = (struct dir_item){&dir_organization, tenant->id};
    return after < tenant->id;
}

static int organization_list(struct call *c)
{
    struct ms_tenant tenant;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    return dir_answer_list(
        c, &(struct dir_list){.kind = &dir_organization, .next = next_own, .of = &tenant});
}

static int organization_get(struct call *c)
{
    struct ms_tenant tenant;
    const char *id = param_str(c, "organization-id");
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    return str_eq_nocase(id, tenant.guid) ? dir_answer(c, &dir_organization, tenant.id, NULL, 1)
                                          : dir_no_object(c, id);
}

/* ---- products ---- */

/* Names of the products that users of the tenant have, and of how many. */
struct products {
    const char *names[MAX_PRODUCTS];
    int64_t used[MAX_PRODUCTS];
    size_t n;
};

static const struct json *licenses_of(struct call *c, const char *text)
{
    const struct json *list;
    return json_parse(c->tx.arena, text, strlen(text), NULL, &list, c->tx.err) < 0 ? NULL : list;
}

static void count_product(struct products *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->names[i], name) == 0) {
            p->used[i]++;
            return;
        }
    if (p->n < MAX_PRODUCTS) {
        p->names[p->n] = name;
        p->used[p->n++] = 1;
    }
}

static int read_products(struct call *c, int64_t tenant, struct products *ret)
{
    static struct sql_text q =
        SQL_TEXT("select licenses from ms_user where tenant = :tenant and licenses <> '[]' and not "
                 "deleted order by id");
    sqlite3_stmt *st = TX_QUERY(&c->tx, &q, tenant);
    int r = st ? 0 : -1;
    ret->n = 0;
    while (st && (r = TX_STEP(&c->tx, st)) == 1) {
        const struct json *list = licenses_of(c, tx_string(&c->tx, st, 0));
        for (uint32_t i = 0; list && i < list->n; i++)
            if (list->items[i].type == JSON_STRING)
                count_product(ret, list->items[i].str);
    }
    return r;
}

static void write_plans(struct json_writer *w)
{
    json_arr(w, "servicePlans");
    json_end(w);
}

static int skus_list(struct call *c)
{
    struct arena *a = c->tx.arena;
    struct json_writer *w = c->out;
    struct products p;
    struct ms_tenant tenant;
    if (dir_tenant(c, &tenant) < 0 || read_products(c, tenant.id, &p) < 0)
        return -1;
    json_obj(w, NULL);
    graph_context(c, "subscribedSkus");
    json_arr(w, "value");
    for (size_t i = 0; i < p.n; i++) {
        const char *sku = graph_guid(a, "sku", p.names[i]);
        json_obj(w, NULL);
        json_str(w, "accountName", tenant.initial);
        json_str(w, "accountId", tenant.guid);
        json_str(w, "appliesTo", "User");
        json_str(w, "capabilityStatus", "Enabled");
        json_int(w, "consumedUnits", p.used[i]);
        json_str(w, "id", arena_printf(a, "%s_%s", tenant.guid, sku));
        json_str(w, "skuId", sku);
        json_str(w, "skuPartNumber", p.names[i]);
        empty_list(w, "subscriptionIds");
        json_obj(w, "prepaidUnits");
        json_int(w, "enabled", p.used[i]);
        json_int(w, "suspended", 0);
        json_int(w, "warning", 0);
        json_int(w, "lockedOut", 0);
        json_end(w);
        write_plans(w);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    call_header_const(c, "x-ms-resource-unit", "1");
    return 0;
}

static int licenses_list(struct call *c)
{
    struct arena *a = c->tx.arena;
    struct json_writer *w = c->out;
    struct ms_user user;
    if (dir_user_of_path(c, READ_USERS, &user) < 0)
        return -1;
    const struct json *list = licenses_of(c, user.licenses);
    json_obj(w, NULL);
    graph_context(c, "users%s/licenseDetails", graph_key(a, user.oid));
    json_arr(w, "value");
    for (uint32_t i = 0; list && i < list->n; i++) {
        if (list->items[i].type != JSON_STRING)
            continue;
        const char *sku = graph_guid(a, "sku", list->items[i].str);
        json_obj(w, NULL);
        json_str(w, "id", graph_guid(a, "license", arena_printf(a, "%s %s", user.oid, sku)));
        json_str(w, "skuId", sku);
        json_str(w, "skuPartNumber", list->items[i].str);
        write_plans(w);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    call_header_const(c, "x-ms-resource-unit", "1");
    return 0;
}

/* Is the product among those of a list of ids or of {skuId}? */
static bool names_sku(const struct json *list, const char *sku)
{
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *v = &list->items[i];
        const char *id = v->type == JSON_STRING ? v->str : json_get_str(v, "skuId");
        if (id && str_eq_nocase(id, sku))
            return true;
    }
    return false;
}

static int license_assign(struct call *c)
{
    struct arena *a = c->tx.arena;
    const struct json *body, *add, *remove, *old;
    struct products p;
    struct json_writer w;
    struct ms_user user;
    struct buf b;
    if (dir_user_of_path(c, WRITE_USERS, &user) < 0)
        return -1;
    int r = dir_may_change(c);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    if (!(body = call_body(c)) || read_products(c, user.tenant, &p) < 0)
        return -1;
    add = json_get(body, "addLicenses");
    remove = json_get(body, "removeLicenses");
    old = licenses_of(c, user.licenses);
    if (!add || add->type != JSON_ARRAY || !remove || remove->type != JSON_ARRAY)
        return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                         "addLicenses and removeLicenses must be lists.");
    uint32_t known = 0;
    for (size_t i = 0; i < p.n; i++)
        known += names_sku(add, graph_guid(a, "sku", p.names[i]));
    if (known < add->n)
        return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                         "License assignment failed because a skuId does not correspond to a valid "
                         "company License.");
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (uint32_t i = 0; old && i < old->n; i++)
        if (old->items[i].type == JSON_STRING &&
            !names_sku(remove, graph_guid(a, "sku", old->items[i].str)) &&
            !names_sku(add, graph_guid(a, "sku", old->items[i].str)))
            json_str(&w, NULL, old->items[i].str);
    for (size_t i = 0; i < p.n; i++)
        if (names_sku(add, graph_guid(a, "sku", p.names[i])))
            json_str(&w, NULL, p.names[i]);
    json_end(&w);
    user.licenses = buf_keep(&b, a);
    user.listed = true;
    if (ms_user_save(&c->tx, &user) < 0)
        return -1;
    call_header_const(c, "Location", "https://" GRAPH_HOST);
    return dir_answer(c, &dir_user, user.id, NULL, 1);
}

/* ---- apps ---- */

static int app_row(struct call *c, int64_t id, struct ms_app *own, struct ident_app *app)
{
    int r = ms_app_get(&c->tx, id, own);
    return r == 1 ? app_get(&c->tx, own->app, app) : r;
}

static int write_principal(struct call *c, int64_t id, struct json_writer *w)
{
    struct ident_app app;
    struct ms_app own;
    int r = app_row(c, id, &own, &app);
    if (r != 1)
        return r;
    json_str(w, "id", own.oid);
    json_null(w, "deletedDateTime");
    json_bool(w, "accountEnabled", true);
    json_str(w, "appDisplayName", app.name);
    json_str(w, "appId", app.client_id);
    json_bool(w, "appRoleAssignmentRequired", false);
    json_str(w, "displayName", app.name);
    json_value(w, "replyUrls", app.redirects);
    json_arr(w, "servicePrincipalNames");
    json_str(w, NULL, app.client_id);
    json_end(w);
    json_str(w, "servicePrincipalType", "Application");
    json_str(w, "signInAudience", "AzureADMyOrg");
    empty_list(w, "tags");
    return 1;
}

static int write_application(struct call *c, int64_t id, struct json_writer *w)
{
    struct arena *a = c->tx.arena;
    struct ident_app app;
    struct ms_app own;
    int r = app_row(c, id, &own, &app);
    if (r != 1)
        return r;
    json_str(w, "id", graph_guid(a, "application", app.client_id));
    json_null(w, "deletedDateTime");
    json_str(w, "appId", app.client_id);
    json_str(w, "displayName", app.name);
    empty_list(w, "identifierUris");
    json_bool(w, "isFallbackPublicClient", app.secret == NULL);
    json_str(w, "signInAudience", "AzureADMyOrg");
    empty_list(w, "tags");
    json_obj(w, "web");
    json_value(w, "redirectUris", app.redirects);
    json_end(w);
    return 1;
}

static int write_grant(struct call *c, int64_t id, struct json_writer *w)
{
    struct ms_app own;
    int r = ms_app_get(&c->tx, id, &own);
    if (r != 1)
        return r;
    json_str(w, "clientId", own.oid);
    json_str(w, "consentType", "AllPrincipals");
    json_str(w, "id", graph_guid(c->tx.arena, "grant", own.oid));
    json_null(w, "principalId");
    json_str(w, "resourceId", graph_guid(c->tx.arena, "app", "graph"));
    json_str(w, "scope", own.delegated);
    return 1;
}

const struct dir_kind dir_principal = {
    .type = "servicePrincipal", .set = "servicePrincipals", .write = write_principal};
const struct dir_kind dir_application = {
    .type = "application", .set = "applications", .write = write_application};
const struct dir_kind dir_grant = {
    .type = "oAuth2PermissionGrant", .set = "oauth2PermissionGrants", .write = write_grant};

struct apps {
    const struct dir_kind *kind;
    int64_t tenant;
    bool agreed; /* those alone that the tenant has agreed to */
};

static int next_app(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_app where tenant = :tenant and id > :after and (delegated <> "
                 "'' or not :agreed) order by id limit 1");
    const struct apps *apps = of;
    ret->kind = apps->kind;
    return TX_INT(&c->tx, &q, &ret->id, apps->tenant, after, (int64_t)apps->agreed);
}

static int list_apps(struct call *c, const struct dir_kind *kind, bool agreed)
{
    struct ms_tenant tenant;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    struct apps apps = {kind, tenant.id, agreed};
    return dir_answer_list(c, &(struct dir_list){.kind = kind, .next = next_app, .of = &apps});
}

static int principals_list(struct call *c)
{
    return list_apps(c, &dir_principal, false);
}

static int applications_list(struct call *c)
{
    return list_apps(c, &dir_application, false);
}

static int grants_list(struct call *c)
{
    return list_apps(c, &dir_grant, true);
}

/* One of a tenant's apps, by its object id or, as an alternate key, by the app's id. */
static int answer_app(struct call *c, const struct dir_kind *kind, const char *key)
{
    const char *id = param_str(c, key), *by_app = param_str(c, "app-id");
    struct dir_item item = {.id = 0};
    struct ms_tenant tenant;
    struct ident_app app;
    struct ms_app own;
    int r;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    const struct apps apps = {kind, tenant.id, false};
    while ((r = next_app(c, &apps, item.id, &item)) == 1) {
        if ((r = app_row(c, item.id, &own, &app)) < 0)
            return -1;
        const char *oid = kind == &dir_principal
                              ? own.oid
                              : graph_guid(c->tx.arena, "application", app.client_id);
        if (r == 1 && str_eq_nocase(by_app ? by_app : id, by_app ? app.client_id : oid))
            return dir_answer(c, kind, item.id, NULL, 1);
    }
    return r < 0 ? -1 : dir_no_object(c, by_app ? by_app : id);
}

static int principal_get(struct call *c)
{
    return answer_app(c, &dir_principal, "principal-id");
}

static int application_get(struct call *c)
{
    return answer_app(c, &dir_application, "application-id");
}

/* ---- rows ---- */

#define READ_ORG "User.Read Organization.Read.All " READ_USERS
#define READ_APPS                                                                                  \
    "Application.Read.All Application.ReadWrite.All Directory.Read.All Directory.ReadWrite.All"

static const struct param app_params[] = {
    PATH("principal-id", "Id of the service principal"),
    PATH("application-id", "Id of the application"),
    PATH("app-id", "The app's own id, in quotes"),
    {.name = "$expand", .place = IN_QUERY},
    {.name = "$select", .place = IN_QUERY},
};
static const struct route methods[] = {
    {ROUTE("directory.organization.list", GET, GRAPH("/organization")),
     .handler = organization_list, .risk = RISK_READ, .scopes = READ_ORG, PARAMS(dir_list_params),
     .response = "microsoft.graph.organizationCollectionResponse",
     .summary = "The caller's tenant, as a list"},
    {ROUTE("directory.organization.get", GET, GRAPH("/organization/{organization-id}")),
     .handler = organization_get, .risk = RISK_READ, .scopes = READ_ORG, PARAMS(dir_get_params),
     .response = "microsoft.graph.organization", .summary = "The caller's tenant"},
    {ROUTE("directory.subscribedSkus.list", GET, GRAPH("/subscribedSkus")), .handler = skus_list,
     .risk = RISK_READ,
     .scopes = "LicenseAssignment.Read.All Organization.Read.All Directory.Read.All "
               "Directory.ReadWrite.All",
     .response = "microsoft.graph.subscribedSkuCollectionResponse",
     .summary = "The products that the tenant has licences for"},
    {ROUTE("directory.users.licenseDetails", GET, GRAPH_MY("/licenseDetails")),
     .handler = licenses_list, .risk = RISK_READ, .scopes = "User.Read User.ReadWrite " READ_USERS,
     PARAMS(dir_user_params), .response = "microsoft.graph.licenseDetailsCollectionResponse",
     .summary = "The products that a user may use"},
    {ROUTE("directory.users.assignLicense", POST, GRAPH_MY("/assignLicense")),
     .handler = license_assign, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = "LicenseAssignment.ReadWrite.All " WRITE_USERS, PARAMS(dir_user_params),
     .request = "microsoft.graph.user.assignLicense", .response = "microsoft.graph.user",
     .summary = "Give a user products, and take others away"},
    {ROUTE("directory.servicePrincipals.list", GET, GRAPH("/servicePrincipals")),
     .handler = principals_list, .risk = RISK_READ, .scopes = READ_APPS, PARAMS(dir_list_params),
     .response = "microsoft.graph.servicePrincipalCollectionResponse",
     .summary = "The apps that the tenant has let in"},
    {ROUTE("directory.servicePrincipals.get", GET, GRAPH("/servicePrincipals/{principal-id}"),
           GRAPH("/servicePrincipals(appId={app-id})")),
     .handler = principal_get, .risk = RISK_READ, .scopes = READ_APPS, PARAMS(app_params),
     .response = "microsoft.graph.servicePrincipal",
     .summary = "An app that the tenant has let in"},
    {.id = "directory.applications.get",
     .verbs = GET,
     .paths =
         PATHS(GRAPH("/applications/{application-id}"), GRAPH("/applications(appId={app-id})")),
     .handler = application_get,
     .risk = RISK_READ,
     .scopes = READ_APPS,
     PARAMS(app_params),
     .response = "microsoft.graph.application",
     .summary = "An app that is registered"},
    {ROUTE("directory.applications.list", GET, GRAPH("/applications")),
     .handler = applications_list, .risk = RISK_READ, .scopes = READ_APPS, PARAMS(dir_list_params),
     .response = "microsoft.graph.applicationCollectionResponse",
     .summary = "The apps that are registered"},
    {ROUTE("directory.permissionGrants.list", GET, GRAPH("/oauth2PermissionGrants")),
     .handler = grants_list, .risk = RISK_READ,
     .scopes = "Directory.Read.All Directory.ReadWrite.All DelegatedPermissionGrant.Read.All",
     PARAMS(dir_list_params), .response = "microsoft.graph.oAuth2PermissionGrantCollectionResponse",
     .summary = "What the tenant has agreed to for all of its users"},
};

const struct rows dir_organization_rows = ROWS(methods);
