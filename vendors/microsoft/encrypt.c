/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource data of notifications, encrypted for the subscriber: AES-256 in CBC with a key of its
 * own for each, whose first 16 bytes are the initialisation vector; the key by RSA with OAEP and
 * SHA-1 (RFC 8017, 7.1.1) for the certificate; signed by HMAC with SHA-256
 * (learn.microsoft.com/graph/change-notifications-with-resource-data). Key and padding come from
 * the world's ids, so that a replay has the same bytes.
 */
#include "engine/base/codec.h"
#include "vendors/microsoft/subscription_impl.h"
#include <gmp.h>
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <nettle/pss-mgf1.h>
#include <nettle/sha1.h>

/* MAX_RSA, MAX_EXPONENT: bytes of the two numbers of a key, since each change takes a power. */
enum { AES_KEY = 32, AES_BLOCK = 16, MAX_RSA = 512, MAX_EXPONENT = 8 };

struct certificate {
    uint8_t n[MAX_RSA], e[MAX_EXPONENT]; /* modulus and exponent, big-endian */
    size_t n_len, e_len;
    char thumbprint[2 * SHA1_DIGEST_SIZE + 1]; /* SHA-1 of the certificate, in capitals */
};

/* ---- the certificate ---- */

/* The bytes of a number without zeros in front. */
static const uint8_t *significant(const gnutls_datum_t *number, size_t *ret_len)
{
    size_t skip = 0;
    while (skip < number->size && !number->data[skip])
        skip++;
    *ret_len = number->size - skip;
    return number->data + skip;
}

static int read_key(gnutls_x509_crt_t crt, struct certificate *ret)
{
    gnutls_datum_t n, e;
    if (gnutls_x509_crt_get_pk_rsa_raw(crt, &n, &e) < 0)
        return -1;
    const uint8_t *modulus = significant(&n, &ret->n_len), *exponent = significant(&e, &ret->e_len);
    bool fits = ret->n_len >= 128 && ret->n_len <= MAX_RSA && ret->e_len <= MAX_EXPONENT;
    if (fits) {
        memcpy(ret->n, modulus, ret->n_len);
        memcpy(ret->e, exponent, ret->e_len);
    }
    gnutls_free(n.data);
    gnutls_free(e.data);
    return fits ? 0 : -1;
}

/* Base64 of DER, as it is sent; PEM inside of it is taken too. */
static int read_certificate(struct arena *a, const char *base64, struct certificate *ret)
{
    uint8_t *data, digest[SHA1_DIGEST_SIZE];
    size_t n, digest_len = sizeof digest;
    gnutls_x509_crt_t crt;
    if (base64_decode(a, base64, strlen(base64), &data, &n) < 0 || n > 65536 ||
        gnutls_x509_crt_init(&crt) < 0)
        return -1;
    const gnutls_datum_t der = {.data = data, .size = (unsigned)n};
    bool pem = n > 10 && memcmp(data, "-----BEGIN", 10) == 0;
    int r = gnutls_x509_crt_import(crt, &der, pem ? GNUTLS_X509_FMT_PEM : GNUTLS_X509_FMT_DER) < 0
                ? -1
                : read_key(crt, ret);
    if (r == 0 && gnutls_x509_crt_get_fingerprint(crt, GNUTLS_DIG_SHA1, digest, &digest_len) == 0) {
        hex_encode(ret->thumbprint, digest, sizeof digest);
        for (char *p = ret->thumbprint; *p; p++)
            *p = *p >= 'a' ? (char)(*p - 32) : *p;
    }
    gnutls_x509_crt_deinit(crt);
    return r;
}

bool graph_certificate_good(struct arena *a, const char *base64)
{
    struct certificate c;
    return read_certificate(a, base64, &c) == 0;
}

/* ---- the parts ---- */

/* EM = 00 || maskedSeed || maskedDB, DB = lHash || PS || 01 || M. */
static void oaep(uint8_t *em, size_t k, const uint8_t *seed, const uint8_t *message, size_t len)
{
    enum { H = SHA1_DIGEST_SIZE };
    uint8_t mask[MAX_RSA], *db = em + 1 + H;
    size_t db_len = k - 1 - H;
    struct sha1_ctx hash;
    memset(em, 0, k);
    sha1_init(&hash);
    sha1_digest(&hash, H, db); /* lHash: of the empty label */
    db[db_len - len - 1] = 1;
    memcpy(db + db_len - len, message, len);
    sha1_init(&hash);
    sha1_update(&hash, H, seed);
    pss_mgf1(&hash, &nettle_sha1, db_len, mask);
    for (size_t i = 0; i < db_len; i++)
        db[i] ^= mask[i];
    sha1_init(&hash);
    sha1_update(&hash, db_len, db);
    pss_mgf1(&hash, &nettle_sha1, H, mask);
    for (size_t i = 0; i < H; i++)
        em[1 + i] = seed[i] ^ mask[i];
}

/* c = m ^ e mod n, in k bytes. */
static void rsa_public(const struct certificate *cert, uint8_t *em)
{
    mpz_t m, e, n;
    size_t k = cert->n_len, count = 0;
    mpz_inits(m, e, n, NULL);
    mpz_import(m, k, 1, 1, 1, 0, em);
    mpz_import(e, cert->e_len, 1, 1, 1, 0, cert->e);
    mpz_import(n, k, 1, 1, 1, 0, cert->n);
    mpz_powm(m, m, e, n);
    memset(em, 0, k);
    size_t bytes = (mpz_sizeinbase(m, 2) + 7) / 8;
    mpz_export(em + k - bytes, &count, 1, 1, 1, 0, m);
    mpz_clears(m, e, n, NULL);
}

/* With the padding of PKCS #7; *ret_len bytes in the arena. */
static uint8_t *encrypt(struct tx *tx, const uint8_t key[AES_KEY], const char *text, size_t len,
                        size_t *ret_len)
{
    gnutls_cipher_hd_t cipher;
    size_t pad = AES_BLOCK - len % AES_BLOCK;
    uint8_t *data = arena_alloc(tx->arena, len + pad), iv[AES_BLOCK];
    const gnutls_datum_t k = {.data = (uint8_t *)key, .size = AES_KEY},
                         v = {.data = iv, .size = sizeof iv};
    if (arena_failed(tx->arena)) {
        sosia_fail_memory(tx->err);
        return NULL;
    }
    memcpy(data, text, len);
    memset(data + len, (int)pad, pad);
    memcpy(iv, key, sizeof iv);
    if (gnutls_cipher_init(&cipher, GNUTLS_CIPHER_AES_256_CBC, &k, &v) < 0) {
        tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "AES-256-CBC must be there");
        return NULL;
    }
    int r = gnutls_cipher_encrypt(cipher, data, len + pad);
    gnutls_cipher_deinit(cipher);
    *ret_len = len + pad;
    if (r < 0)
        tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "resource data can't be encrypted");
    return r < 0 ? NULL : data;
}

static void write_base64(struct json_writer *out, const char *member, const void *data, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    base64_add(&b, data, n);
    json_strn(out, member, buf_str(&b), b.len);
    buf_done(&b);
}

int graph_encrypt(struct tx *tx, const struct graph_subscription *s, const char *text, size_t len,
                  struct json_writer *out)
{
    struct certificate cert;
    struct {
        uint8_t key[AES_KEY], seed[SHA1_DIGEST_SIZE];
    } secret;
    uint8_t em[MAX_RSA], signature[32];
    size_t n;
    if (read_certificate(tx->arena, s->certificate, &cert) < 0)
        return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "a certificate must be readable");
    if (tx_id(tx, "graph encryption", &secret, sizeof secret) < 0)
        return -1;
    uint8_t *data = encrypt(tx, secret.key, text, len, &n);
    if (!data)
        return -1;
    if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, secret.key, AES_KEY, data, n, signature) < 0)
        return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "resource data can't be signed");
    oaep(em, cert.n_len, secret.seed, secret.key, AES_KEY);
    rsa_public(&cert, em);
    json_obj(out, "encryptedContent");
    write_base64(out, "data", data, n);
    write_base64(out, "dataSignature", signature, sizeof signature);
    write_base64(out, "dataKey", em, cert.n_len);
    json_str_opt(out, "encryptionCertificateId", s->certificate_id);
    json_str(out, "encryptionCertificateThumbprint", cert.thumbprint);
    json_end(out);
    return 0;
}
