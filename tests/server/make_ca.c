/* SPDX-License-Identifier: Apache-2.0 */
/* usage: make_ca DIR [NAME...]: an authority in DIR; with names, also a certificate for them:
 * leaf.crt, leaf.key. */
#include "server/ca.h"
#include "tests/support/hosts.h"
#include <stdio.h>

static int save(const char *dir, const char *file, const gnutls_datum_t *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fwrite(text->data, 1, text->size, f);
    return fclose(f);
}

/* A certificate with a new key. */
static int issue(const struct ca *ca, const char *dir, const char *const *names, size_t n,
                 struct sosia_err *err)
{
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t cert;
    gnutls_datum_t text;
    if (ca_new_key(&key, err) < 0 || ca_sign(ca, names, n, key, &cert, err) < 0)
        return -1;
    int rc = gnutls_x509_crt_export2(cert, GNUTLS_X509_FMT_PEM, &text);
    if (rc >= 0) {
        rc = save(dir, "leaf.crt", &text);
        gnutls_free(text.data);
    }
    if (rc >= 0)
        rc = gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN,
                                               &text);
    if (rc >= 0) {
        rc = save(dir, "leaf.key", &text);
        gnutls_free(text.data);
    }
    gnutls_x509_crt_deinit(cert);
    gnutls_x509_privkey_deinit(key);
    return rc;
}

int main(int argc, char **argv)
{
    struct sosia_err err = {0};
    struct ca *ca;
    int rc = 0;
    if (argc < 2)
        return 2;
    if (ca_create(argv[1], test_hosts, &err) < 0 || ca_open(argv[1], &ca, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    if (argc > 2 && issue(ca, argv[1], (const char *const *)argv + 2, (size_t)argc - 2, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        rc = 1;
    }
    ca_free(ca);
    return rc;
}
