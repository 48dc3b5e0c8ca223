/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RSA keys and the JWTs they sign (RFC 7515, RS256). Keys are made from labels by FIPS 186-4's
 * provable method, so that the same world signs the same bytes in every process. That also means
 * that anybody can make them who knows the label: those of fixed labels vouch for test identities
 * only, a service account's has the world's secret in it. It takes 100 to 800 ms for a key, which
 * is kept for the process; those that most processes need are made in advance (jwt_made.h).
 */
#ifndef SOSIA_IDENTITY_JWT_H
#define SOSIA_IDENTITY_JWT_H

#include "engine/base/arena.h"
#include "engine/base/err.h"
#include "engine/json/json.h"

#define JWT_KEY_ID_LEN 40
/* The id of the key of that label: what "kid" of a signature is. */
int jwt_key_id(const char *label, char ret_id[JWT_KEY_ID_LEN + 1], struct sosia_err *err);
/* Signs claims (JSON) with the key of that label. */
int jwt_sign(struct arena *a, const char *label, const char *claims, size_t len,
             const char **ret_jwt, struct sosia_err *err);
/* Reads a JWT: header, claims, and what was signed. -1: it is none. */
struct jwt {
    const struct json *header, *claims;
    const char *signed_text;
    size_t signed_len;
    const uint8_t *signature;
    size_t signature_len;
};
int jwt_read(struct arena *a, const char *text, struct jwt *ret);
/* RS256 with a PEM public key or, if that is NULL, with the key of a label. */
bool jwt_verify(const struct jwt *jwt, const char *pem, const char *label);
/* RS256 or PS256 with the RSA key of an X.509 certificate in DER. */
bool jwt_verify_certificate(const struct jwt *jwt, const void *der, size_t len);
/* Is it a certificate with an RSA key of 1,024 to 8,192 bits? */
bool jwt_certificate_usable(const void *der, size_t len);
/* DER of a certificate in base64, or in PEM that base64 is around. 0, -1: it is not one. */
int jwt_certificate_read(struct arena *a, const char *base64, uint8_t **ret_der, size_t *ret_len);
/* Modulus and exponent as base64url, as a JWK has them. */
int jwt_key_public(struct arena *a, const char *label, const char **ret_n, const char **ret_e,
                   struct sosia_err *err);
/* PEM strings: a self-signed certificate of that common name, the private key. */
int jwt_key_certificate(struct arena *a, const char *label, const char *name, const char **ret_pem,
                        struct sosia_err *err);
int jwt_key_private(struct arena *a, const char *label, const char **ret_pem,
                    struct sosia_err *err);
/* Is this a PEM public key that can be used? */
bool jwt_key_usable(const char *pem);
/* OpenID Connect's at_hash: the left half of a token's SHA-256, which binds an id_token to it. */
const char *jwt_at_hash(struct arena *a, const char *token);

#endif
