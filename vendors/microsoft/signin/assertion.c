/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that sign in with a certificate (RFC 7523; learn.microsoft.com/entra/identity-platform/
 * certificate-credentials): a JWT that they have signed takes the place of their secret. Which
 * certificate it was is said by its thumbprint, of SHA-1 or SHA-256. The clock that it was made by
 * is the program's: only the length of its life says something.
 */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/registration.h"
#include "vendors/microsoft/signin/internal.h"
#include <gnutls/crypto.h>

#define ASSERTION_TYPE "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

enum { MAX_LIFE_S = 86400, MAX_ASSERTION = 16384 };

/* ---- the key ---- */

static bool is_print(struct arena *a, gnutls_digest_algorithm_t how, const uint8_t *der, size_t n,
                     const char *text)
{
    uint8_t digest[32], *data;
    size_t len = gnutls_hash_get_len((gnutls_digest_algorithm_t)how), got;
    if (!text || gnutls_hash_fast(how, der, n, digest) < 0)
        return false;
    char hex[65];
    hex_encode(hex, digest, len);
    if (str_eq_nocase(text, hex)) /* a kid may be one */
        return true;
    return base64_decode(a, text, strlen(text), &data, &got) == 0 && got == len &&
           memcmp(data, digest, len) == 0;
}

/* Is it the certificate that the assertion's header names? */
static bool is_named(struct arena *a, const struct jwt *jwt, const uint8_t *der, size_t n)
{
    const char *sha1 = json_get_str(jwt->header, "x5t");
    const char *sha256 = json_get_str(jwt->header, "x5t#S256");
    const char *kid = json_get_str(jwt->header, "kid");
    if (sha1 || sha256)
        return (!sha1 || is_print(a, GNUTLS_DIG_SHA1, der, n, sha1)) &&
               (!sha256 || is_print(a, GNUTLS_DIG_SHA256, der, n, sha256));
    return is_print(a, GNUTLS_DIG_SHA1, der, n, kid);
}

/* 0, -1: AADSTS700027. */
static int check_signature(struct call *c, const struct ident_app *app, const struct jwt *jwt)
{
    struct ms_registration reg;
    const char *const *keys;
    bool found = false;
    if (ms_registration_of(&c->tx, app->id, &reg) < 0)
        return -1;
    size_t n = ms_registration_keys(&c->tx, &reg, &keys);
    for (size_t i = 0; i < n; i++) {
        uint8_t *der;
        size_t len;
        if (jwt_certificate_read(c->tx.arena, keys[i], &der, &len) < 0 ||
            !is_named(c->tx.arena, jwt, der, len))
            continue;
        if (jwt_verify_certificate(jwt, der, len))
            return 0;
        found = true;
    }
    return authority_fail(
        c, SOSIA_E_UNAUTHENTICATED, "invalid_client", 700027,
        "The certificate with identifier used to sign the client assertion is not registered on "
        "application. [Reason - %s]",
        found ? "The key was found, but use of the key to verify the signature failed."
              : "The key was not found.");
}

/* ---- the claims ---- */

/* Is the host of a URL one of the authority's, or the one that was called? */
static bool is_authoritys(struct call *c, const char *host, size_t n)
{
    static const char *const own[] = {AUTHORITY_HOST, "login.windows.net", "login.microsoft.com",
                                      "sts.windows.net"};
    const char *base = c->base_url ? strstr(c->base_url, "://") : NULL;
    const char *called = call_request_header(c, "Host");
    for (size_t i = 0; i < SOSIA_LEN(own); i++)
        if (str_is_nocase(host, n, own[i]))
            return true;
    if (base && strcspn(base + 3, "/") == n && strncasecmp(base + 3, host, n) == 0)
        return true;
    return called && str_is_nocase(host, n, called);
}

static bool is_tenant(const struct authority *a, const char *text, size_t n)
{
    return str_is_nocase(text, n, a->text) ||
           (a->tenant.id &&
            (str_is_nocase(text, n, a->tenant.guid) || str_is_nocase(text, n, a->tenant.domain) ||
             str_is_nocase(text, n, a->tenant.initial)));
}

/* The audience is the token endpoint, or the issuer, of the tenant that was called. */
static bool is_audience(struct call *c, const struct authority *a, const char *text)
{
    static const char *const ends[] = {"/oauth2/v2.0/token", "/oauth2/token", "/v2.0", "/", ""};
    const char *host = text ? strstr(text, "://") : NULL;
    if (!host)
        return false;
    host += 3;
    size_t n = strcspn(host, "/");
    if (!is_authoritys(c, host, n))
        return false;
    const char *path = host + n;
    size_t len = strlen(path);
    for (size_t i = 0; i < SOSIA_LEN(ends); i++) {
        size_t m = strlen(ends[i]);
        if (len < m || strcmp(path + len - m, ends[i]) != 0)
            continue;
        const char *slash = memrchr(path, '/', len - m);
        return slash && is_tenant(a, slash + 1, len - m - (size_t)(slash + 1 - path));
    }
    return false;
}

/* Any of a list of audiences will do. */
static bool has_audience(struct call *c, const struct authority *a, const struct json *aud)
{
    if (!aud || aud->type != JSON_ARRAY)
        return aud && aud->type == JSON_STRING && is_audience(c, a, aud->str);
    for (uint32_t i = 0; i < aud->n; i++)
        if (aud->items[i].type == JSON_STRING && is_audience(c, a, aud->items[i].str))
            return true;
    return false;
}

/* Seconds since 1970, with or without a fraction (RFC 7519, 2). 0, -1. */
static int read_seconds(const struct jwt *jwt, const char *claim, int64_t *ret)
{
    const struct json *v = json_get(jwt->claims, claim);
    double seconds;
    if (!v || v->type != JSON_NUMBER || json_double(v, &seconds) < 0 || !(seconds >= 0) ||
        seconds > 253402300799.0)
        return -1;
    *ret = (int64_t)seconds;
    return 0;
}

static bool has_good_times(const struct jwt *jwt)
{
    int64_t from, to;
    if (read_seconds(jwt, "nbf", &from) < 0 && read_seconds(jwt, "iat", &from) < 0)
        return false;
    return read_seconds(jwt, "exp", &to) == 0 && to > from && to - from <= MAX_LIFE_S;
}

static int check_claims(struct call *c, const struct authority *a, const struct ident_app *app,
                        const struct jwt *jwt)
{
    const char *issuer = json_get_str(jwt->claims, "iss"),
               *subject = json_get_str(jwt->claims, "sub");
    if (!issuer || !subject || strcmp(issuer, app->client_id) != 0 ||
        strcmp(subject, app->client_id) != 0)
        return authority_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", 700021,
                              "Client assertion application identifier doesn't match 'client_id' "
                              "parameter. Review the documentation at "
                              "https://docs.microsoft.com/azure/active-directory/develop/"
                              "active-directory-certificate-credentials .");
    if (!has_audience(c, a, json_get(jwt->claims, "aud")))
        return authority_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", 700023,
                              "Client assertion audience claim does not match Realm issuer.");
    if (!has_good_times(jwt))
        return authority_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", 700024,
                              "Client assertion is not within its valid time range.");
    return 0;
}

int authority_assertion(struct call *c, const struct authority *a, const struct ident_app *app)
{
    const char *text = authority_param(c, "client_assertion");
    const char *type = authority_param(c, "client_assertion_type");
    struct jwt jwt;
    if (!type)
        return authority_missing(c, "client_assertion_type");
    if (strcmp(type, ASSERTION_TYPE) != 0)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_request", 90014,
                              "The value of 'client_assertion_type' is not supported.");
    if (strlen(text) > MAX_ASSERTION || jwt_read(c->tx.arena, text, &jwt) < 0)
        return authority_fail(c, SOSIA_E_UNAUTHENTICATED, "invalid_client", 50027,
                              "JWT token is invalid or malformed.");
    return check_signature(c, app, &jwt) < 0 ? -1 : check_claims(c, a, app, &jwt);
}

int authority_is_confidential(struct call *c, const struct ident_app *app)
{
    struct ms_registration reg;
    if (app->secret)
        return 1;
    int r = ms_registration_of(&c->tx, app->id, &reg);
    return r < 0 ? -1 : r == 1 && strcmp(reg.keys, "[]") != 0;
}
