/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/jwt.h"
#include "engine/base/codec.h"
#include "engine/base/handle.h"
#include "identity/jwt_made.h"
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <pthread.h>

#define BITS            2048
#define SEED            28 /* bytes, of a 2048-bit key */
#define MAX_KEYS        64
#define MAX_JWT         (64 * 1024)
#define CERTIFICATE_MAX 65536 /* bytes of one */

struct made_key {
    uint8_t label[JWT_LABEL_LEN]; /* SHA-256 of it */
    gnutls_privkey_t key;
    char id[JWT_KEY_ID_LEN + 1];
};

/* The lock is held while a key is used: GnuTLS does not say that a key may be used by two threads
 * at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made_key keys[MAX_KEYS];
static size_t n_keys;

static int fail(struct sosia_err *err, int rc)
{
    return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "key: %s", gnutls_strerror(rc));
}

/* ---- making ---- */

static int export_public(gnutls_privkey_t key, gnutls_datum_t *ret_n, gnutls_datum_t *ret_e)
{
    return gnutls_privkey_export_rsa_raw2(key, ret_n, ret_e, NULL, NULL, NULL, NULL, NULL, NULL,
                                          GNUTLS_EXPORT_FLAG_NO_LZ);
}

static int generate(const uint8_t label[JWT_LABEL_LEN], gnutls_privkey_t key)
{
    uint8_t seed[SEED];
    gnutls_keygen_data_st data = {.type = GNUTLS_KEYGEN_SEED, .data = seed, .size = SEED};
    memcpy(seed, label, SEED);
    return gnutls_privkey_generate2(key, GNUTLS_PK_RSA, BITS, GNUTLS_PRIVKEY_FLAG_PROVABLE, &data,
                                    1);
}

static int import(const char *base64, gnutls_privkey_t key)
{
    gnutls_datum_t text = {.data = (unsigned char *)base64, .size = (unsigned)strlen(base64)}, der;
    int rc = gnutls_base64_decode2(&text, &der);
    if (rc < 0)
        return rc;
    rc = gnutls_privkey_import_x509_raw(key, &der, GNUTLS_X509_FMT_DER, NULL, 0);
    gnutls_free(der.data);
    return rc;
}

static int make(const uint8_t label[JWT_LABEL_LEN], struct made_key *ret)
{
    uint8_t digest[20];
    gnutls_datum_t n, e;
    const struct jwt_made *m = jwt_made;
    while (m->key && memcmp(m->label, label, JWT_LABEL_LEN) != 0)
        m++;
    int rc = gnutls_privkey_init(&ret->key);
    if (rc < 0)
        return rc;
    rc = m->key ? import(m->key, ret->key) : generate(label, ret->key);
    if (rc >= 0)
        rc = export_public(ret->key, &n, &e);
    if (rc < 0) {
        gnutls_privkey_deinit(ret->key);
        return rc;
    }
    gnutls_hash_fast(GNUTLS_DIG_SHA1, n.data, n.size, digest);
    hex_encode(ret->id, digest, sizeof digest);
    gnutls_free(n.data);
    gnutls_free(e.data);
    memcpy(ret->label, label, sizeof ret->label);
    return 0;
}

static void watch_lock(void)
{
    handle_lock_over_fork(&lock);
}

/* Takes the lock, which the caller drops when it has used the key; NULL: failed, lock not held. */
static const struct made_key *key_take(const char *label, struct sosia_err *err)
{
    uint8_t digest[JWT_LABEL_LEN];
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    gnutls_hash_fast(GNUTLS_DIG_SHA256, label, strlen(label), digest);
    pthread_once(&once, watch_lock);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_keys; i++)
        if (memcmp(keys[i].label, digest, sizeof digest) == 0)
            return &keys[i];
    size_t at = n_keys < MAX_KEYS ? n_keys : MAX_KEYS - 1;
    struct made_key made;
    int rc = make(digest, &made);
    if (rc < 0) {
        pthread_mutex_unlock(&lock);
        fail(err, rc);
        return NULL;
    }
    if (at < n_keys)
        gnutls_privkey_deinit(keys[at].key);
    else
        n_keys++;
    keys[at] = made;
    return &keys[at];
}

static void key_drop(void)
{
    pthread_mutex_unlock(&lock);
}

int jwt_key_id(const char *label, char ret_id[JWT_KEY_ID_LEN + 1], struct sosia_err *err)
{
    const struct made_key *k = key_take(label, err);
    if (!k)
        return -1;
    memcpy(ret_id, k->id, sizeof k->id);
    key_drop();
    return 0;
}

/* ---- signing ---- */

int jwt_sign(struct arena *a, const char *label, const char *claims, size_t len,
             const char **ret_jwt, struct sosia_err *err)
{
    const struct made_key *k = key_take(label, err);
    if (!k)
        return -1;
    gnutls_datum_t signature = {0};
    struct buf b;
    buf_init(&b, MAX_JWT);
    const char *header =
        arena_printf(a, "{\"alg\":\"RS256\",\"kid\":\"%s\",\"typ\":\"JWT\"}", k->id);
    base64url_add(&b, header, strlen(header), false);
    buf_byte(&b, '.');
    base64url_add(&b, claims, len, false);
    gnutls_datum_t data = {.data = (unsigned char *)b.data, .size = (unsigned)b.len};
    int rc = buf_failed(&b)
                 ? GNUTLS_E_MEMORY_ERROR
                 : gnutls_privkey_sign_data2(k->key, GNUTLS_SIGN_RSA_SHA256, 0, &data, &signature);
    key_drop();
    if (rc >= 0) {
        buf_byte(&b, '.');
        base64url_add(&b, signature.data, signature.size, false);
        *ret_jwt = arena_strdup(a, buf_str(&b));
    }
    gnutls_free(signature.data);
    buf_done(&b);
    return rc < 0 ? fail(err, rc) : 0;
}

/* ---- reading ---- */

static const struct json *decode_json(struct arena *a, const char *text, size_t len)
{
    static const struct json_limits limits = {.max_size = MAX_JWT, .max_depth = 16};
    uint8_t *data;
    size_t n;
    const struct json *v;
    if (base64_decode(a, text, len, &data, &n) < 0 ||
        json_parse(a, (const char *)data, n, &limits, &v, NULL) < 0 || v->type != JSON_OBJECT)
        return NULL;
    return v;
}

int jwt_read(struct arena *a, const char *text, struct jwt *ret)
{
    const char *dot = strchr(text, '.'), *dot2 = dot ? strchr(dot + 1, '.') : NULL;
    uint8_t *signature;
    struct jwt jwt = {.signed_text = text};
    if (!dot2 || strlen(text) > MAX_JWT || strchr(dot2 + 1, '.'))
        return -1;
    jwt.header = decode_json(a, text, (size_t)(dot - text));
    jwt.claims = decode_json(a, dot + 1, (size_t)(dot2 - dot - 1));
    jwt.signed_len = (size_t)(dot2 - text);
    if (!jwt.header || !jwt.claims ||
        base64_decode(a, dot2 + 1, strlen(dot2 + 1), &signature, &jwt.signature_len) < 0)
        return -1;
    jwt.signature = signature;
    *ret = jwt;
    return 0;
}

static int import_pem(const char *pem, gnutls_pubkey_t *ret)
{
    gnutls_datum_t data = {.data = (unsigned char *)(uintptr_t)pem, .size = (unsigned)strlen(pem)};
    gnutls_pubkey_t key;
    unsigned bits;
    if (gnutls_pubkey_init(&key) < 0)
        return -1;
    if (gnutls_pubkey_import(key, &data, GNUTLS_X509_FMT_PEM) < 0 ||
        gnutls_pubkey_get_pk_algorithm(key, &bits) != GNUTLS_PK_RSA || bits < 1024 || bits > 8192) {
        gnutls_pubkey_deinit(key);
        return -1;
    }
    *ret = key;
    return 0;
}

bool jwt_key_usable(const char *pem)
{
    gnutls_pubkey_t key;
    if (import_pem(pem, &key) < 0)
        return false;
    gnutls_pubkey_deinit(key);
    return true;
}

static int public_of_label(const char *label, gnutls_pubkey_t *ret)
{
    const struct made_key *k = key_take(label, NULL);
    gnutls_pubkey_t key;
    if (!k)
        return -1;
    int rc = gnutls_pubkey_init(&key);
    if (rc >= 0 && (rc = gnutls_pubkey_import_privkey(key, k->key, 0, 0)) < 0)
        gnutls_pubkey_deinit(key);
    key_drop();
    if (rc < 0)
        return -1;
    *ret = key;
    return 0;
}

bool jwt_verify(const struct jwt *jwt, const char *pem, const char *label)
{
    const char *alg = json_get_str(jwt->header, "alg");
    gnutls_pubkey_t key;
    if (!alg || strcmp(alg, "RS256") != 0 ||
        (pem ? import_pem(pem, &key) : public_of_label(label, &key)) < 0)
        return false;
    gnutls_datum_t data = {.data = (unsigned char *)(uintptr_t)jwt->signed_text,
                           .size = (unsigned)jwt->signed_len};
    gnutls_datum_t signature = {.data = (unsigned char *)(uintptr_t)jwt->signature,
                                .size = (unsigned)jwt->signature_len};
    int rc = gnutls_pubkey_verify_data2(key, GNUTLS_SIGN_RSA_SHA256, 0, &data, &signature);
    gnutls_pubkey_deinit(key);
    return rc >= 0;
}

/* ---- certificates ---- */

static int import_certificate(const void *der, size_t len, gnutls_pubkey_t *ret)
{
    gnutls_datum_t data = {.data = (unsigned char *)(uintptr_t)der, .size = (unsigned)len};
    gnutls_x509_crt_t crt;
    gnutls_pubkey_t key;
    unsigned bits;
    if (len > CERTIFICATE_MAX || gnutls_x509_crt_init(&crt) < 0)
        return -1;
    int rc = gnutls_x509_crt_import(crt, &data, GNUTLS_X509_FMT_DER);
    if (rc >= 0 && (rc = gnutls_pubkey_init(&key)) >= 0) {
        rc = gnutls_pubkey_import_x509(key, crt, 0);
        if (rc >= 0 && (gnutls_pubkey_get_pk_algorithm(key, &bits) != GNUTLS_PK_RSA ||
                        bits < 1024 || bits > 8192))
            rc = -1;
        if (rc < 0)
            gnutls_pubkey_deinit(key);
    }
    gnutls_x509_crt_deinit(crt);
    if (rc < 0)
        return -1;
    *ret = key;
    return 0;
}

bool jwt_certificate_usable(const void *der, size_t len)
{
    gnutls_pubkey_t key;
    if (import_certificate(der, len, &key) < 0)
        return false;
    gnutls_pubkey_deinit(key);
    return true;
}

int jwt_certificate_read(struct arena *a, const char *base64, uint8_t **ret_der, size_t *ret_len)
{
    gnutls_datum_t pem, der;
    if (base64_decode(a, base64, strlen(base64), ret_der, ret_len) < 0 || !*ret_len ||
        *ret_len > CERTIFICATE_MAX)
        return -1;
    if (*ret_len < 11 || memcmp(*ret_der, "-----BEGIN", 10) != 0)
        return 0;
    pem = (gnutls_datum_t){.data = *ret_der, .size = (unsigned)*ret_len};
    if (gnutls_pem_base64_decode2("CERTIFICATE", &pem, &der) < 0)
        return -1;
    *ret_len = der.size;
    *ret_der = (uint8_t *)arena_memdup(a, der.data, der.size);
    gnutls_free(der.data);
    return arena_failed(a) ? -1 : 0;
}

bool jwt_verify_certificate(const struct jwt *jwt, const void *der, size_t len)
{
    const char *alg = json_get_str(jwt->header, "alg");
    bool pss = alg && strcmp(alg, "PS256") == 0;
    gnutls_pubkey_t key;
    if (!alg || (!pss && strcmp(alg, "RS256") != 0) || import_certificate(der, len, &key) < 0)
        return false;
    gnutls_datum_t data = {.data = (unsigned char *)(uintptr_t)jwt->signed_text,
                           .size = (unsigned)jwt->signed_len};
    gnutls_datum_t signature = {.data = (unsigned char *)(uintptr_t)jwt->signature,
                                .size = (unsigned)jwt->signature_len};
    int rc = gnutls_pubkey_verify_data2(
        key, pss ? GNUTLS_SIGN_RSA_PSS_SHA256 : GNUTLS_SIGN_RSA_SHA256, 0, &data, &signature);
    gnutls_pubkey_deinit(key);
    return rc >= 0;
}

/* ---- giving out ---- */

static const char *base64url(struct arena *a, const gnutls_datum_t *d)
{
    struct buf b;
    buf_init(&b, 4096);
    base64url_add(&b, d->data, d->size, false);
    return buf_keep(&b, a);
}

int jwt_key_public(struct arena *a, const char *label, const char **ret_n, const char **ret_e,
                   struct sosia_err *err)
{
    const struct made_key *k = key_take(label, err);
    gnutls_datum_t n, e;
    if (!k)
        return -1;
    int rc = export_public(k->key, &n, &e);
    key_drop();
    if (rc < 0)
        return fail(err, rc);
    *ret_n = base64url(a, &n);
    *ret_e = base64url(a, &e);
    gnutls_free(n.data);
    gnutls_free(e.data);
    return 0;
}

/* The times are fixed, so that the bytes are. */
static int certify(gnutls_privkey_t key, gnutls_x509_crt_t crt, const char *name,
                   gnutls_datum_t *ret_pem)
{
    unsigned name_len = (unsigned)strlen(name);
    gnutls_pubkey_t public_key;
    int rc = gnutls_pubkey_init(&public_key);
    if (rc < 0)
        return rc;
    if ((rc = gnutls_pubkey_import_privkey(public_key, key, 0, 0)) >= 0 &&
        (rc = gnutls_x509_crt_set_pubkey(crt, public_key)) >= 0 &&
        (rc = gnutls_x509_crt_set_version(crt, 3)) >= 0 &&
        (rc = gnutls_x509_crt_set_serial(crt, "\x01", 1)) >= 0 &&
        (rc = gnutls_x509_crt_set_activation_time(crt, 1577836800)) >= 0 &&
        (rc = gnutls_x509_crt_set_expiration_time(crt, INT64_C(4102444800))) >= 0 &&
        (rc = gnutls_x509_crt_set_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, name, name_len)) >=
            0 &&
        (rc = gnutls_x509_crt_set_issuer_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                                   name_len)) >= 0 &&
        (rc = gnutls_x509_crt_privkey_sign(crt, crt, key, GNUTLS_DIG_SHA256, 0)) >= 0)
        rc = gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, ret_pem);
    gnutls_pubkey_deinit(public_key);
    return rc;
}

static void give_text(struct arena *a, gnutls_datum_t *d, const char **ret)
{
    *ret = arena_memdup(a, d->data, d->size);
    gnutls_free(d->data);
}

int jwt_key_certificate(struct arena *a, const char *label, const char *name, const char **ret_pem,
                        struct sosia_err *err)
{
    gnutls_x509_crt_t crt;
    gnutls_datum_t pem;
    int rc = gnutls_x509_crt_init(&crt);
    if (rc < 0)
        return fail(err, rc);
    const struct made_key *k = key_take(label, err);
    if (k) {
        rc = certify(k->key, crt, name, &pem);
        key_drop();
    }
    gnutls_x509_crt_deinit(crt);
    if (!k)
        return -1;
    if (rc < 0)
        return fail(err, rc);
    give_text(a, &pem, ret_pem);
    return 0;
}

/* Through the bare numbers: the key that was made carries its seed with it, which other programs do
 * not expect. */
int jwt_key_private(struct arena *a, const char *label, const char **ret_pem, struct sosia_err *err)
{
    gnutls_datum_t n, e, d, p, q, u, e1, e2, pem;
    gnutls_x509_privkey_t key;
    int rc = gnutls_x509_privkey_init(&key);
    if (rc < 0)
        return fail(err, rc);
    const struct made_key *k = key_take(label, err);
    if (!k) {
        gnutls_x509_privkey_deinit(key);
        return -1;
    }
    rc = gnutls_privkey_export_rsa_raw(k->key, &n, &e, &d, &p, &q, &u, &e1, &e2);
    key_drop();
    if (rc >= 0) {
        gnutls_datum_t *all[] = {&n, &e, &d, &p, &q, &u, &e1, &e2};
        rc = gnutls_x509_privkey_import_rsa_raw2(key, &n, &e, &d, &p, &q, &u, &e1, &e2);
        for (size_t i = 0; i < SOSIA_LEN(all); i++) {
            gnutls_memset(all[i]->data, 0, all[i]->size);
            gnutls_free(all[i]->data);
        }
    }
    if (rc >= 0)
        rc = gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN,
                                               &pem);
    gnutls_x509_privkey_deinit(key);
    if (rc < 0)
        return fail(err, rc);
    give_text(a, &pem, ret_pem);
    return 0;
}

const char *jwt_at_hash(struct arena *a, const char *token)
{
    uint8_t digest[32];
    gnutls_datum_t left = {.data = digest, .size = sizeof digest / 2};
    gnutls_hash_fast(GNUTLS_DIG_SHA256, token, strlen(token), digest);
    return base64url(a, &left);
}
