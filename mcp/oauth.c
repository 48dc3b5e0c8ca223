/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a client gets a token by itself: what protects the endpoint (RFC 9728), the world's
 * authorization server (RFC 8414), which is the sign-in that the world has for people, and the
 * registration of clients that it does not know (RFC 7591). Metadata are where the path says the
 * world in front, as everywhere, and where those standards put them: behind the well-known name.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/http/call.h"
#include "engine/world/engine.h"
#include "identity/consent.h"
#include "identity/page.h"
#include "mcp/mcp.h"
#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#define MAX_REDIRECTS 20
#define MAX_TEXT      2000
#define MAX_ALL       8192 /* bytes of all addresses of a client */
#define MAX_BODY      65536
#define SERVER_KNOWN  "/.well-known/oauth-authorization-server"
#define REGISTER      "/mcp/register"

/* The vendor that signs people in for clients here; NULL: the engine has none. */
static const struct vendor *signin_of(const struct call *c)
{
    for (const struct dialect *const *d = engine_dialects(c->tx.engine); *d; d++)
        if ((*d)->vendor->signin)
            return (*d)->vendor;
    return NULL;
}

/* Of a service, NULL: of all whose tokens the world's authorization server gives. */
static void write_scopes(struct call *c, const struct dialect_tools *service)
{
    json_arr(c->out, "scopes_supported");
    for (const struct dialect *d = NULL; (d = mcp_service_next(c, d)) != NULL;)
        if (d->tools->scope && (!service || service == d->tools))
            json_str(c->out, NULL, d->tools->scope);
    json_end(c->out);
}

static void write_words(struct json_writer *w, const char *name, const char *const *words)
{
    json_arr(w, name);
    for (; *words; words++)
        json_str(w, NULL, *words);
    json_end(w);
}

/* The URL of the world, which its server is known by; path: behind the well-known name. NULL:
 * refused, there is no such world. ret_world: its id. */
static const char *issuer(struct call *c, uint64_t *ret_world)
{
    const char *world = param_str(c, "world"), *base = c->base_url ? c->base_url : "";
    *ret_world = c->tx.world->id;
    if (!world)
        return base;
    if ((*ret_world = engine_find_key(c->tx.engine, world, strlen(world))))
        return arena_printf(c->tx.arena, "%s/w/%s", base, world);
    call_fail(c, SOSIA_E_NOT_FOUND, "not_found", NULL, "there is no such world");
    return NULL;
}

static void finish(struct call *c)
{
    call_header_const(c, "Content-Type", "application/json");
}

static int protected_resource(struct call *c)
{
    static const char *const in_header[] = {"header", NULL};
    struct json_writer *w = c->out;
    uint64_t world;
    const char *name = param_str(c, "service"), *of = issuer(c, &world);
    const struct dialect_tools *s = name ? mcp_service_named(c, name, strlen(name)) : NULL;
    if (!of)
        return -1;
    if (!signin_of(c) || (name && !(s && s->scope)))
        return call_fail(c, SOSIA_E_NOT_FOUND, "not_found", NULL,
                         "nothing is known of who signs people in for this endpoint");
    json_obj(w, NULL);
    json_str(w, "resource",
             arena_printf(c->tx.arena, "%s/mcp%s%s", of, name ? "/" : "", name ? name : ""));
    json_arr(w, "authorization_servers");
    json_str(w, NULL, of);
    json_end(w);
    write_scopes(c, s);
    write_words(w, "bearer_methods_supported", in_header);
    json_str(w, "resource_name", "sosia");
    json_end(w);
    finish(c);
    return 0;
}

/* Without a transaction, since the world may be another than that of the request. */
static int authorization_server(struct call *c)
{
    static const char *const types[] = {"code", NULL};
    static const char *const grants[] = {"authorization_code", "refresh_token", NULL};
    static const char *const methods[] = {"none", "client_secret_post", "client_secret_basic",
                                          NULL};
    static const char *const challenges[] = {"S256", NULL};
    const struct vendor *vendor = signin_of(c);
    struct json_writer *w = c->out;
    uint64_t world;
    const char *of = issuer(c, &world);
    if (of && !vendor)
        return call_fail(c, SOSIA_E_NOT_FOUND, "not_found", NULL,
                         "this engine has no vendor that signs people in");
    int open = of ? sosia_registration(c->tx.engine, world, c->tx.err) : -1;
    if (open < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "issuer", of);
    const char *const ends[][2] = {{"authorization_endpoint", vendor->signin->authorize},
                                   {"token_endpoint", vendor->signin->token},
                                   {"registration_endpoint", REGISTER},
                                   {"revocation_endpoint", vendor->signin->revoke},
                                   {"jwks_uri", vendor->signin->keys}};
    for (size_t i = 0; i < SOSIA_LEN(ends); i++)
        if (open || strcmp(ends[i][1], REGISTER) != 0)
            json_str(w, ends[i][0], arena_printf(c->tx.arena, "%s%s", of, ends[i][1]));
    write_scopes(c, NULL);
    write_words(w, "response_types_supported", types);
    write_words(w, "grant_types_supported", grants);
    write_words(w, "token_endpoint_auth_methods_supported", methods);
    write_words(w, "code_challenge_methods_supported", challenges);
    json_end(w);
    finish(c);
    return 0;
}

/* ---- registration ---- */

#define refuse(c, reason, ...) call_fail(c, SOSIA_E_INVALID, reason, NULL, __VA_ARGS__)

/* The authority behind "//": a host, not empty, without anybody's name, and what is behind it. */
static bool has_host(const char *at, size_t *ret_len)
{
    if (!str_starts(at, "//"))
        return false;
    *ret_len = strcspn(at + 2, "/?");
    return *ret_len && at[2] != ':' && !memchr(at + 2, '@', *ret_len) &&
           !memchr(at + 2, '\\', *ret_len);
}

static bool is_loopback(const char *host, size_t len)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < SOSIA_LEN(hosts); i++) {
        size_t n = strlen(hosts[i]);
        if (len >= n && strncasecmp(host, hosts[i], n) == 0 && (len == n || host[n] == ':'))
            return strspn(host + n + (len > n), "0123456789") + n + (len > n) == len;
    }
    return false;
}

/* Of the loopback interface, https, or a scheme of a program's own, which no browser opens by
 * itself. */
static bool good_redirect(const char *uri)
{
    static const char *const of_browsers[] = {"javascript", "vbscript",    "data",       "file",
                                              "about",      "blob",        "filesystem", "ftp",
                                              "ws",         "view-source", "wss",        "mailto"};
    size_t n = strspn(uri, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."),
           len;
    if (!n || !isalpha((unsigned char)uri[0]) || uri[n] != ':' || !uri[n + 1] || strchr(uri, '#') ||
        strlen(uri) > MAX_TEXT)
        return false;
    for (const char *p = uri; *p; p++)
        if ((unsigned char)*p <= ' ' || (unsigned char)*p >= 0x7f)
            return false;
    for (size_t i = 0; i < SOSIA_LEN(of_browsers); i++)
        if (str_is_nocase(uri, n, of_browsers[i]))
            return false;
    if (str_is_nocase(uri, n, "http"))
        return has_host(uri + n + 1, &len) && is_loopback(uri + n + 3, len);
    return !str_is_nocase(uri, n, "https") || has_host(uri + n + 1, &len);
}

static int check_redirects(struct call *c, const struct json *list, bool *ret_installed)
{
    size_t all = 0;
    *ret_installed = true;
    if (!list || list->type != JSON_ARRAY || !list->n || list->n > MAX_REDIRECTS)
        return refuse(c, "invalid_redirect_uri",
                      "redirect_uris must be an array of 1 to %d addresses, not %s", MAX_REDIRECTS,
                      call_quote(c, list));
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *v = &list->items[i];
        if (v->type != JSON_STRING || strlen(v->str) != v->n || !good_redirect(v->str))
            return refuse(c, "invalid_redirect_uri",
                          "an address must be of https, of the loopback interface or of a scheme "
                          "of the program's own, not %s",
                          call_quote(c, v));
        *ret_installed &= strncasecmp(v->str, "https:", 6) != 0;
        all += v->n;
    }
    if (all > MAX_ALL)
        return refuse(c, "invalid_redirect_uri",
                      "redirect_uris must have %d bytes at most, not more", MAX_ALL);
    return 0;
}

static const char *secret_of(struct call *c, const char *kind, size_t n)
{
    uint8_t bytes[32];
    char text[65];
    if (tx_secret(&c->tx, kind, bytes, n) < 0)
        return NULL;
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return arena_strdup(c->tx.arena, text);
}

/* A client id that no dump brought, and the secret for it. */
static int make_client(struct call *c, bool secret, struct ident_app *app)
{
    struct ident_app there;
    int r;
    do {
        app->client_id = secret_of(c, "mcp_client", 16);
        app->secret = secret ? secret_of(c, "mcp_secret", 24) : NULL;
        r = !app->client_id || (secret && !app->secret) ? -1
                                                        : app_find(&c->tx, app->client_id, &there);
    } while (r == 1);
    return r;
}

static void write_client(struct call *c, const struct ident_app *app, const char *method)
{
    static const char *const types[] = {"code", NULL};
    static const char *const grants[] = {"authorization_code", "refresh_token", NULL};
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_str(w, "client_id", app->client_id);
    json_int(w, "client_id_issued_at", c->tx.now_us / US_PER_SECOND);
    if (app->secret) {
        json_str(w, "client_secret", app->secret);
        json_int(w, "client_secret_expires_at", 0);
    }
    json_str(w, "client_name", app->name);
    json_value(w, "redirect_uris", app->redirects);
    write_words(w, "grant_types", grants);
    write_words(w, "response_types", types);
    json_str(w, "token_endpoint_auth_method", method);
    json_end(w);
    c->status = 201;
    finish(c);
}

static int register_client(struct call *c)
{
    const struct json *body;
    const struct vendor *vendor = signin_of(c);
    struct ident_app app = {.vendor = vendor ? vendor->name : NULL,
                            .section = vendor ? vendor->signin->clients : NULL};
    bool installed;
    int r = vendor ? consent_registration(&c->tx) : 0;
    if (r != 1)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_NOT_FOUND, "not_found", NULL,
                                 "no programs register in this world");
    if (json_parse(c->tx.arena, c->request->body, c->request->body_len, NULL, &body, c->tx.err) <
            0 ||
        body->type != JSON_OBJECT)
        return refuse(c, "invalid_client_metadata", "the body must be a JSON object");
    const char *method = json_get_str(body, "token_endpoint_auth_method");
    const char *name = json_get_str(body, "client_name");
    bool none = method && strcmp(method, "none") == 0;
    app.redirects = json_get(body, "redirect_uris");
    if (check_redirects(c, app.redirects, &installed) < 0)
        return -1;
    if (method && !none && strcmp(method, "client_secret_post") != 0 &&
        strcmp(method, "client_secret_basic") != 0)
        return refuse(c, "invalid_client_metadata",
                      "token_endpoint_auth_method must be none, client_secret_post or "
                      "client_secret_basic, not %.100s",
                      method);
    app.name = name && *name && strlen(name) <= 200 ? name : "A client of tools";
    app.kind = installed ? "installed" : "web";
    if (make_client(c, !none, &app) < 0 || consent_register(&c->tx, &app) < 0)
        return -1;
    write_client(c, &app, method ? method : "client_secret_basic");
    return 0;
}

/* ---- links ---- */

/* Opened in a browser, a link goes with it until a page of a program uses it up. */
static int open_link(struct call *c)
{
    const char *secret = call_query_item(c, CONSENT_LINK);
    struct consent_proof proof;
    int64_t expires;
    int r = secret ? consent_link_find(&c->tx, secret, &proof, &expires) : 0;
    if (r < 0)
        return -1;
    call_header_const(c, "Cache-Control", "no-store");
    call_header_const(c, "Referrer-Policy", "no-referrer");
    if (!r)
        return page_show(c, 404, "Consent link",
                         "<p>The link is not good, or not any more: each is good once.</p>\n");
    struct buf b;
    buf_init(&b, 4096);
    consent_show(&b, &proof, true);
    buf_puts(&b, "<p>This browser may agree to one program as this person. Begin to sign in from "
                 "the program now.</p>\n");
    const char *body = buf_keep(&b, c->tx.arena);
    call_header(
        c, "Set-Cookie",
        arena_printf(c->tx.arena, CONSENT_LINK "=%s; Path=/; HttpOnly; SameSite=Lax", secret));
    return page_show(c, 200, "Consent link", body);
}

/* ---- rows ---- */

static void write_error(struct call *c)
{
    const struct sosia_err *err = c->tx.err;
    json_obj(c->out, NULL);
    json_str(c->out, "error", err->reason ? err->reason : "server_error");
    json_str(c->out, "error_description", err->text);
    json_end(c->out);
    finish(c);
}

static const struct front front = {.error = write_error};
static const struct vendor oauth_vendor = {
    .name = "mcp.oauth", .title = "Signing in for the Model Context Protocol", .front = &front};

static const struct param of_service[] = {
    {.name = "service", .place = IN_PATH, .required = true, .summary = "One of the services alone"},
};
static const struct param of_world[] = {
    {.name = "world", .place = IN_PATH, .required = true, .summary = "The world's key or name"},
};
static const struct param of_both[] = {
    {.name = "world", .place = IN_PATH, .required = true, .summary = "The world's key or name"},
    {.name = "service", .place = IN_PATH, .required = true, .summary = "One of the services alone"},
};

#define OPEN(i, p, h, ...)                                                                         \
    {                                                                                              \
        .id = i, .verbs = GET, .paths = PATHS p, .handler = h, .risk = RISK_READ,                  \
        .anonymous = true, __VA_ARGS__                                                             \
    }

static const struct route methods[] = {
    OPEN("mcp.protectedResource", (MCP_PROTECTED_RESOURCE, MCP_PROTECTED_RESOURCE "/mcp"),
         protected_resource, .summary = "Who signs people in for the endpoint (RFC 9728)"),
    OPEN("mcp.protectedService", (MCP_PROTECTED_RESOURCE "/mcp/{service}"), protected_resource,
         PARAMS(of_service), .summary = "The same of one service"),
    OPEN("mcp.protectedResourceOfWorld", (MCP_PROTECTED_RESOURCE "/w/{world}/mcp"),
         protected_resource, PARAMS(of_world),
         .summary = "The same of a world that the path ends with"),
    OPEN("mcp.protectedServiceOfWorld", (MCP_PROTECTED_RESOURCE "/w/{world}/mcp/{service}"),
         protected_resource, PARAMS(of_both), .summary = "The same of one of its services"),
    OPEN("mcp.authorizationServer", (SERVER_KNOWN), authorization_server, .outside = true,
         .summary = "The world's authorization server (RFC 8414)"),
    OPEN("mcp.authorizationServerOfWorld", (SERVER_KNOWN "/w/{world}"), authorization_server,
         .outside = true, PARAMS(of_world),
         .summary = "The same of a world that the path ends with"),
    {ROUTE("mcp.consent", GET, "/consent"), .handler = open_link, .risk = RISK_READ,
     .anonymous = true, .secret = true, .gives = "text/html",
     .summary = "A consent link: whose it is, and that this browser has it"},
    {ROUTE("mcp.register", POST, REGISTER), .handler = register_client, .risk = RISK_WRITE,
     .anonymous = true, .secret = true, .body = BODY_RAW, .max_body = MAX_BODY,
     .summary = "Register a client of the authorization server (RFC 7591)"},
};
static const struct rows rows = ROWS(methods);

const struct dialect mcp_oauth_dialect = {
    .name = "mcp.oauth",
    .title = "Signing in for the Model Context Protocol",
    .vendor = &oauth_vendor,
    .tables = TABLES(&rows),
};
