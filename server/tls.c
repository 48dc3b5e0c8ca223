/* SPDX-License-Identifier: Apache-2.0 */
#include "server/tls.h"
#include "engine/base/err.h"
#include "engine/base/map.h"
#include "server/ca.h"
#include "server/host.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CHAIN 8
#define MAX_NAMES                                                                                  \
    4096 /* certificates made on demand; for further names the usual one has to do                 \
          */

struct leaf {
    struct leaf *next;
    gnutls_pcert_st chain[MAX_CHAIN];
    unsigned n;
};

struct tls {
    struct ca *ca; /* NULL: the certificate comes from files */
    bool fixed;    /* no certificate but the usual one */
    gnutls_x509_privkey_t x509_key;
    gnutls_privkey_t key; /* of all leaves */
    gnutls_x509_crt_t usual_cert;
    struct leaf usual;
    pthread_mutex_t lock; /* what follows; leaves are never freed while the server runs */
    struct map by_name;
    struct leaf *leaves;
};

static int fail_tls(struct sosia_err *err, const char *what, int rc)
{
    return sosia_fail(err, SOSIA_E_INVALID, "tls", NULL, "%.120s: %s", what, gnutls_strerror(rc));
}

static int leaf_add(struct leaf *leaf, gnutls_x509_crt_t cert)
{
    int rc = leaf->n < MAX_CHAIN ? gnutls_pcert_import_x509(&leaf->chain[leaf->n], cert, 0)
                                 : GNUTLS_E_SHORT_MEMORY_BUFFER;
    if (rc >= 0)
        leaf->n++;
    return rc;
}

static int import_key(struct tls *t, struct sosia_err *err)
{
    int rc = gnutls_privkey_init(&t->key);
    if (rc >= 0)
        rc = gnutls_privkey_import_x509(t->key, t->x509_key, GNUTLS_PRIVKEY_IMPORT_COPY);
    return rc < 0 ? fail_tls(err, "the server's key", rc) : 0;
}

static int from_files(struct tls *t, const char *cert_file, const char *key_file,
                      struct sosia_err *err)
{
    gnutls_datum_t text;
    gnutls_x509_crt_t *list;
    unsigned n;
    int rc = gnutls_load_file(cert_file, &text);
    if (rc < 0)
        return fail_tls(err, cert_file, rc);
    rc = gnutls_x509_crt_list_import2(&list, &n, &text, GNUTLS_X509_FMT_PEM,
                                      GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED);
    gnutls_free(text.data);
    if (rc < 0)
        return fail_tls(err, cert_file, rc);
    for (unsigned i = 0; i < n; i++) {
        if (rc >= 0)
            rc = leaf_add(&t->usual, list[i]);
        gnutls_x509_crt_deinit(list[i]);
    }
    gnutls_free(list);
    if (rc < 0)
        return fail_tls(err, cert_file, rc);
    rc = gnutls_load_file(key_file, &text);
    if (rc < 0)
        return fail_tls(err, key_file, rc);
    rc = gnutls_x509_privkey_init(&t->x509_key);
    if (rc >= 0)
        rc = gnutls_x509_privkey_import2(t->x509_key, &text, GNUTLS_X509_FMT_PEM, NULL, 0);
    gnutls_memset(text.data, 0, text.size);
    gnutls_free(text.data);
    return rc < 0 ? fail_tls(err, key_file, rc) : import_key(t, err);
}

/* The usual certificate, of t->ca. */
static int from_authority(struct tls *t, const char *const *vendor_hosts, const char *const *hosts,
                          struct sosia_err *err)
{
    const char *names[128];
    size_t n = 0;
    if (ca_new_key(&t->x509_key, err) < 0)
        return -1;
    for (const char *const *p = ca_server_names; *p; p++)
        names[n++] = *p;
    for (const char *const *p = vendor_hosts; p && *p && n < SOSIA_LEN(names) / 2; p++)
        if (ca_permits(t->ca, *p)) /* others need an authority made for them */
            names[n++] = *p;
    for (const char *const *p = hosts; p && *p && n < SOSIA_LEN(names); p++)
        if (ca_permits(t->ca, *p))
            names[n++] = *p;
    if (ca_sign(t->ca, names, n, t->x509_key, &t->usual_cert, err) < 0)
        return -1;
    int rc = leaf_add(&t->usual, t->usual_cert);
    return rc < 0 ? fail_tls(err, "the server's certificate", rc) : import_key(t, err);
}

static struct tls *tls_new(struct sosia_err *err)
{
    struct tls *t = calloc(1, sizeof *t);
    if (!t) {
        sosia_fail_memory(err);
        return NULL;
    }
    pthread_mutex_init(&t->lock, NULL);
    map_init(&t->by_name);
    return t;
}

int tls_open_own(const char *const *hosts, struct tls **ret_tls, gnutls_datum_t *ret_authority,
                 struct sosia_err *err)
{
    struct tls *t = tls_new(err);
    if (!t)
        return -1;
    t->fixed = true;
    if (ca_make(hosts, &t->ca, err) < 0 || from_authority(t, hosts, NULL, err) < 0 ||
        ca_certificate(t->ca, ret_authority, err) < 0) {
        tls_free(t);
        return -1;
    }
    *ret_tls = t;
    return 0;
}

int tls_open(const struct server_options *o, struct tls **ret_tls, struct sosia_err *err)
{
    struct tls *t = tls_new(err);
    int rc;
    if (!t)
        return -1;
    if (o->tls_cert && o->tls_key)
        rc = from_files(t, o->tls_cert, o->tls_key, err);
    else if (o->ca_dir)
        rc = ca_open(o->ca_dir, &t->ca, err) < 0
                 ? -1
                 : from_authority(t, o->vendor_hosts, o->hosts, err);
    else
        rc = sosia_fail(err, SOSIA_E_INVALID, "noCertificate", "https",
                        "HTTPS wants a certificate and its key, or the directory of an authority");
    if (rc < 0) {
        tls_free(t);
        return -1;
    }
    *ret_tls = t;
    return 0;
}

static void leaf_done(struct leaf *leaf)
{
    for (unsigned i = 0; i < leaf->n; i++)
        gnutls_pcert_deinit(&leaf->chain[i]);
}

void tls_free(struct tls *t)
{
    if (!t)
        return;
    for (struct leaf *leaf = t->leaves, *next; leaf; leaf = next) {
        next = leaf->next;
        leaf_done(leaf);
        free(leaf);
    }
    map_done(&t->by_name);
    leaf_done(&t->usual);
    if (t->usual_cert)
        gnutls_x509_crt_deinit(t->usual_cert);
    if (t->key)
        gnutls_privkey_deinit(t->key);
    if (t->x509_key)
        gnutls_x509_privkey_deinit(t->x509_key);
    ca_free(t->ca);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* Under the lock. NULL: the usual one has to do. */
static struct leaf *make_leaf(struct tls *t, const char *name)
{
    gnutls_x509_crt_t cert;
    if (t->by_name.n >= MAX_NAMES || ca_sign(t->ca, &name, 1, t->x509_key, &cert, NULL) < 0)
        return NULL;
    struct leaf *leaf = calloc(1, sizeof *leaf);
    if (leaf && (leaf_add(leaf, cert) < 0 || map_set(&t->by_name, name, leaf) < 0)) {
        leaf_done(leaf);
        free(leaf);
        leaf = NULL;
    }
    gnutls_x509_crt_deinit(cert);
    if (leaf) {
        leaf->next = t->leaves;
        t->leaves = leaf;
    }
    return leaf;
}

void tls_certificate(struct tls *t, const char *name, gnutls_pcert_st **ret_chain, unsigned *ret_n,
                     gnutls_privkey_t *ret_key)
{
    struct host host;
    struct leaf *leaf = NULL;
    if (t->ca && !t->fixed && name && host_parse(name, strlen(name), &host) == 0 && host.port < 0 &&
        !host.ipv6 && !gnutls_x509_crt_check_hostname(t->usual_cert, host.name)) {
        pthread_mutex_lock(&t->lock);
        leaf = map_get(&t->by_name, host.name);
        if (!leaf)
            leaf = make_leaf(t, host.name);
        pthread_mutex_unlock(&t->lock);
    }
    if (!leaf)
        leaf = &t->usual;
    *ret_chain = leaf->chain;
    *ret_n = leaf->n;
    *ret_key = t->key;
}
