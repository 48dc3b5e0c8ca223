/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates, read with GnuTLS. A file sets the cost of its password itself, so that is checked
 * before anything is decrypted; private keys are not decrypted at all.
 */
#include "services/mail/gmail/settings/certs.h"
#include "engine/base/buf.h"
#include "engine/base/utf8.h"
#include "identity/identity.h"
#include <gnutls/gnutls.h>
#include <gnutls/pkcs12.h>
#include <gnutls/pkcs7.h>
#include <gnutls/x509.h>

#define MAX_CERTS  20
#define MAX_BAGS   50
#define MAX_ROUNDS 2000000 /* of key derivation, in a whole file */
#define MAX_EMAILS 100
#define MAX_ID     64

/* What is found in a file. */
struct found {
    gnutls_x509_crt_t certs[MAX_CERTS];
    gnutls_datum_t ids[MAX_CERTS]; /* that tie certificates to keys; no data: none */
    int n;
    bool key;
    uint8_t key_id[MAX_ID];
    size_t key_id_len;
    int64_t rounds;
};

static void found_done(struct found *f)
{
    for (int i = 0; i < f->n; i++) {
        gnutls_x509_crt_deinit(f->certs[i]);
        gnutls_free(f->ids[i].data);
    }
}

static int add_cert(struct found *f, const gnutls_datum_t *der, const gnutls_datum_t *id)
{
    gnutls_x509_crt_t crt;
    if (f->n == MAX_CERTS || gnutls_x509_crt_init(&crt) < 0)
        return -1;
    if (gnutls_x509_crt_import(crt, der, GNUTLS_X509_FMT_DER) < 0) {
        gnutls_x509_crt_deinit(crt);
        return -1;
    }
    f->certs[f->n] = crt;
    f->ids[f->n] = (gnutls_datum_t){NULL, 0};
    if (id && id->size && (f->ids[f->n].data = gnutls_malloc(id->size))) {
        memcpy(f->ids[f->n].data, id->data, id->size);
        f->ids[f->n].size = id->size;
    }
    f->n++;
    return 0;
}

/* ---- the chain ---- */

static bool issued(gnutls_x509_crt_t crt, gnutls_x509_crt_t by)
{
    return gnutls_x509_crt_check_issuer(crt, by) == 1;
}

/* The one that is tied to the key, else the first that issued none of the others. */
static int find_leaf(const struct found *f)
{
    for (int i = 0; i < f->n && f->key_id_len; i++)
        if (f->ids[i].size == f->key_id_len &&
            memcmp(f->ids[i].data, f->key_id, f->key_id_len) == 0)
            return i;
    for (int i = 0; i < f->n; i++) {
        bool other = false;
        for (int k = 0; k < f->n && !other; k++)
            other = k != i && issued(f->certs[k], f->certs[i]);
        if (!other)
            return i;
    }
    return 0;
}

/* The certificate, its issuer, and so on; then what belongs to none of them. Gives how many are
 * linked. */
static int put_in_order(const struct found *f, int order[MAX_CERTS])
{
    bool used[MAX_CERTS] = {false};
    int n = 0, at = find_leaf(f);
    while (at >= 0) {
        order[n++] = at;
        used[at] = true;
        int next = -1;
        for (int i = 0; i < f->n && next < 0; i++)
            if (!used[i] && issued(f->certs[at], f->certs[i]))
                next = i;
        at = next;
    }
    int linked = n;
    for (int i = 0; i < f->n; i++)
        if (!used[i])
            order[n++] = i;
    return linked;
}

/* ---- the fields of a certificate ---- */

static void add_email(struct arena *a, struct certs *c, const char *text, size_t len)
{
    char *email = utf8_valid(text, len) ? email_normal(a, arena_memdup(a, text, len)) : NULL;
    if (!email || c->n_emails == MAX_EMAILS || arena_failed(a))
        return;
    for (size_t i = 0; i < c->n_emails; i++)
        if (strcmp(c->emails[i], email) == 0)
            return;
    c->emails[c->n_emails++] = email;
}

static void read_emails(struct arena *a, gnutls_x509_crt_t crt, struct certs *c)
{
    char text[512];
    c->emails = arena_calloc(a, MAX_EMAILS, sizeof *c->emails);
    c->n_emails = 0;
    for (unsigned i = 0; i < MAX_EMAILS; i++) {
        size_t n = sizeof text;
        int type = gnutls_x509_crt_get_subject_alt_name(crt, i, text, &n, NULL);
        if (type == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
            break;
        if (type == GNUTLS_SAN_RFC822NAME)
            add_email(a, c, text, n);
    }
    for (unsigned i = 0; i < MAX_EMAILS; i++) {
        size_t n = sizeof text;
        int rc = gnutls_x509_crt_get_dn_by_oid(crt, GNUTLS_OID_PKCS9_EMAIL, i, 0, text, &n);
        if (rc == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
            break;
        if (rc >= 0)
            add_email(a, c, text, n);
    }
}

static const char *issuer_of(struct arena *a, gnutls_x509_crt_t crt)
{
    char text[512];
    size_t n = sizeof text;
    if (gnutls_x509_crt_get_issuer_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, 0, text, &n) <
            0 ||
        !utf8_valid(text, n) || memchr(text, 0, n))
        return "";
    return arena_memdup(a, text, n);
}

static int describe(struct arena *a, const struct found *f, struct certs *ret)
{
    int order[MAX_CERTS];
    struct buf b;
    if (!f->n)
        return -1;
    int linked = put_in_order(f, order);
    buf_init(&b, 0);
    for (int i = 0; i < f->n; i++) {
        gnutls_datum_t pem;
        if (gnutls_x509_crt_export2(f->certs[order[i]], GNUTLS_X509_FMT_PEM, &pem) < 0) {
            buf_done(&b);
            return -1;
        }
        buf_add(&b, pem.data, pem.size);
        gnutls_free(pem.data);
    }
    gnutls_x509_crt_t leaf = f->certs[order[0]];
    *ret = (struct certs){.pem = arena_strdup(a, buf_str(&b)),
                          .issuer = issuer_of(a, leaf),
                          .expires_s = gnutls_x509_crt_get_expiration_time(leaf),
                          .linked = linked == f->n};
    read_emails(a, leaf, ret);
    bool failed = buf_failed(&b) || arena_failed(a);
    buf_done(&b);
    return failed ? -1 : 0;
}

/* ---- PKCS #12 ---- */

static int read_item(struct found *f, gnutls_pkcs12_bag_t bag, unsigned i)
{
    gnutls_datum_t data, id = {NULL, 0};
    int type = gnutls_pkcs12_bag_get_type(bag, i);
    if (type < 0 || gnutls_pkcs12_bag_get_data(bag, i, &data) < 0)
        return -1;
    if (gnutls_pkcs12_bag_get_key_id(bag, i, &id) < 0)
        id = (gnutls_datum_t){NULL, 0};
    if (type == GNUTLS_BAG_CERTIFICATE)
        return add_cert(f, &data, &id);
    if (type == GNUTLS_BAG_PKCS8_KEY || type == GNUTLS_BAG_PKCS8_ENCRYPTED_KEY) {
        if (!f->key && id.size && id.size <= MAX_ID) {
            memcpy(f->key_id, id.data, id.size);
            f->key_id_len = id.size;
        }
        f->key = true;
    }
    return 0;
}

static int read_bag(struct found *f, gnutls_pkcs12_bag_t bag, const char *password)
{
    if (gnutls_pkcs12_bag_get_type(bag, 0) == GNUTLS_BAG_ENCRYPTED) {
        unsigned schema, cipher, rounds = 0;
        uint8_t salt[64];
        unsigned salt_len = sizeof salt;
        char *oid = NULL;
        int rc = gnutls_pkcs12_bag_enc_info(bag, &schema, &cipher, salt, &salt_len, &rounds, &oid);
        gnutls_free(oid);
        f->rounds += rounds;
        if (rc < 0 || f->rounds > MAX_ROUNDS || gnutls_pkcs12_bag_decrypt(bag, password) < 0)
            return -1;
    }
    int n = gnutls_pkcs12_bag_get_count(bag);
    for (int i = 0; i < n; i++)
        if (read_item(f, bag, (unsigned)i) < 0)
            return -1;
    return n < 0 ? -1 : 0;
}

static int read_pkcs12(struct found *f, gnutls_pkcs12_t p12, const char *password)
{
    unsigned mac, rounds = 0;
    uint8_t salt[64];
    unsigned salt_len = sizeof salt;
    char *oid = NULL;
    int rc = gnutls_pkcs12_mac_info(p12, &mac, salt, &salt_len, &rounds, &oid);
    gnutls_free(oid);
    f->rounds += rounds;
    if (rc < 0 || f->rounds > MAX_ROUNDS || gnutls_pkcs12_verify_mac(p12, password) < 0)
        return -1;
    for (int i = 0; i < MAX_BAGS; i++) {
        gnutls_pkcs12_bag_t bag;
        if (gnutls_pkcs12_bag_init(&bag) < 0)
            return -1;
        rc = gnutls_pkcs12_get_bag(p12, i, bag);
        if (rc == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE) {
            gnutls_pkcs12_bag_deinit(bag);
            return f->key ? 0 : -1;
        }
        if (rc == 0)
            rc = read_bag(f, bag, password);
        gnutls_pkcs12_bag_deinit(bag);
        if (rc < 0)
            return -1;
    }
    return -1;
}

int certs_from_pkcs12(struct arena *a, const void *data, size_t len, const char *password,
                      struct certs *ret)
{
    gnutls_datum_t der = {(unsigned char *)(uintptr_t)data, (unsigned)len};
    struct found f = {.n = 0};
    gnutls_pkcs12_t p12;
    if (len > CERTS_MAX_BYTES || gnutls_pkcs12_init(&p12) < 0)
        return -1;
    int rc = gnutls_pkcs12_import(p12, &der, GNUTLS_X509_FMT_DER, 0);
    if (rc == 0)
        rc = read_pkcs12(&f, p12, password);
    gnutls_pkcs12_deinit(p12);
    if (rc == 0)
        rc = describe(a, &f, ret);
    found_done(&f);
    return rc < 0 ? -1 : 0;
}

/* ---- PKCS #7 ---- */

int certs_from_pkcs7(struct arena *a, const char *text, size_t len, struct certs *ret)
{
    gnutls_datum_t pem = {(unsigned char *)(uintptr_t)text, (unsigned)len};
    struct found f = {.n = 0};
    gnutls_pkcs7_t p7;
    if (len > CERTS_MAX_BYTES || gnutls_pkcs7_init(&p7) < 0)
        return -1;
    int rc = gnutls_pkcs7_import(p7, &pem, GNUTLS_X509_FMT_PEM);
    int n = rc == 0 ? gnutls_pkcs7_get_crt_count(p7) : -1;
    rc = n < 0 || n > MAX_CERTS ? -1 : 0;
    for (int i = 0; i < n && rc == 0; i++) {
        gnutls_datum_t der;
        if (gnutls_pkcs7_get_crt_raw2(p7, (unsigned)i, &der) < 0) {
            rc = -1;
        } else {
            rc = add_cert(&f, &der, NULL);
            gnutls_free(der.data);
        }
    }
    gnutls_pkcs7_deinit(p7);
    if (rc == 0)
        rc = describe(a, &f, ret);
    found_done(&f);
    return rc < 0 ? -1 : 0;
}
