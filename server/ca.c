/* SPDX-License-Identifier: Apache-2.0 */
#include "server/ca.h"
#include "engine/base/err.h"
#include "server/host.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DAY       86400
#define CA_DAYS   3650
#define LEAF_DAYS 397 /* clients refuse server certificates that live longer */

struct ca {
    gnutls_x509_crt_t cert;
    gnutls_x509_privkey_t key;
    gnutls_x509_name_constraints_t names;
};

const char *const ca_server_names[] = {"localhost", "127.0.0.1", "::1", NULL};

static int fail_tls(struct sosia_err *err, const char *what, int rc)
{
    if (rc == GNUTLS_E_MEMORY_ERROR)
        return sosia_fail_memory(err);
    return sosia_fail(err, SOSIA_E_INTERNAL, "tls", NULL, "%s: %s", what, gnutls_strerror(rc));
}

static int fail_file(struct sosia_err *err, const char *what, const char *path)
{
    return sosia_fail(err, errno == EEXIST ? SOSIA_E_CONFLICT : SOSIA_E_IO,
                      errno == EEXIST ? "exists" : "io", NULL, "can't %s %s: %s", what, path,
                      strerror(errno));
}

/* An address in the form certificates have it: 4 or 16 bytes; 0: it is none. */
static unsigned address_bytes(const char *name, unsigned char ret_bytes[16])
{
    if (inet_pton(AF_INET, name, ret_bytes) == 1)
        return 4;
    return inet_pton(AF_INET6, name, ret_bytes) == 1 ? 16 : 0;
}

int ca_new_key(gnutls_x509_privkey_t *ret_key, struct sosia_err *err)
{
    gnutls_x509_privkey_t key;
    int rc = gnutls_x509_privkey_init(&key);
    if (rc < 0)
        return fail_tls(err, "can't make a key", rc);
    rc = gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
                                      GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    if (rc < 0) {
        gnutls_x509_privkey_deinit(key);
        return fail_tls(err, "can't make a key", rc);
    }
    *ret_key = key;
    return 0;
}

/* ---- names ---- */

static int permit(gnutls_x509_name_constraints_t names, gnutls_x509_subject_alt_name_t type,
                  const void *data, size_t size)
{
    const gnutls_datum_t d = {(unsigned char *)(uintptr_t)data, (unsigned)size};
    return gnutls_x509_name_constraints_add_permitted(names, type, &d);
}

static int permit_host(gnutls_x509_name_constraints_t names, const char *name)
{
    unsigned char bytes[32];
    unsigned n = address_bytes(name, bytes);
    if (n) { /* this address alone */
        memset(bytes + n, 0xff, n);
        return permit(names, GNUTLS_SAN_IPADDRESS, bytes, 2 * n);
    }
    if (name[0] == '*' && name[1] == '.')
        name += 2; /* a constraint covers everything below as well */
    return permit(names, GNUTLS_SAN_DNSNAME, name, strlen(name));
}

/* By another one's pattern, as www.vendor.example is by *.vendor.example. */
static bool is_covered(const char *const *list, const char *name)
{
    for (const char *const *p = list; *p; p++)
        if ((*p)[0] == '*' && *p != name && (host_matches(*p, name) || strcmp(*p + 2, name) == 0))
            return true;
    return false;
}

static int permit_all(gnutls_x509_name_constraints_t names, const char *const *hosts)
{
    static const unsigned char V4[] = {127, 0, 0, 0, 255, 0, 0, 0};
    int rc = permit(names, GNUTLS_SAN_IPADDRESS, V4, sizeof V4);
    if (rc >= 0)
        rc = permit_host(names, "::1");
    if (rc >= 0)
        rc = permit_host(names, "localhost");
    for (const char *const *p = hosts; rc >= 0 && p && *p; p++)
        if (!is_covered(hosts, *p))
            rc = permit_host(names, *p);
    return rc;
}

bool ca_permits(const struct ca *ca, const char *name)
{
    unsigned char bytes[16];
    unsigned n = address_bytes(name, bytes);
    if (!n && name[0] == '*' && name[1] == '.')
        name += 2;
    const gnutls_datum_t d = {n ? bytes : (unsigned char *)(uintptr_t)name,
                              n ? n : (unsigned)strlen(name)};
    return gnutls_x509_name_constraints_check(
               ca->names, n ? GNUTLS_SAN_IPADDRESS : GNUTLS_SAN_DNSNAME, &d) != 0;
}

/* ---- certificates ---- */

static int set_basics(gnutls_x509_crt_t cert, gnutls_x509_privkey_t key, const char *name,
                      time_t until)
{
    unsigned char serial[16], id[64];
    size_t id_size = sizeof id;
    int rc = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);
    serial[0] = (serial[0] & 0x7f) | 1; /* positive and not zero */
    if (rc >= 0)
        rc = gnutls_x509_crt_set_version(cert, 3);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_serial(cert, serial, sizeof serial);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_key(cert, key);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_activation_time(cert, time(NULL) - DAY);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_expiration_time(cert, until);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_dn_by_oid(cert, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                           (unsigned)strlen(name));
    if (rc >= 0)
        rc = gnutls_x509_crt_get_key_id(cert, GNUTLS_KEYID_USE_SHA1, id, &id_size);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_subject_key_id(cert, id, id_size);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_key_purpose_oid(cert, GNUTLS_KP_TLS_WWW_SERVER, 0);
    return rc;
}

/* any: without a bound on names; hosts: as ca_create(). */
static int make_authority(gnutls_x509_privkey_t key, const char *const *hosts, bool any,
                          gnutls_x509_crt_t *ret_cert)
{
    gnutls_x509_crt_t cert;
    gnutls_x509_name_constraints_t names = NULL;
    unsigned char tag[4];
    char name[64];
    int rc = gnutls_rnd(GNUTLS_RND_NONCE, tag, sizeof tag);
    if (rc < 0 || (rc = gnutls_x509_crt_init(&cert)) < 0)
        return rc;
    snprintf(name, sizeof name, "sosia local authority %02x%02x%02x%02x", tag[0], tag[1], tag[2],
             tag[3]);
    rc = set_basics(cert, key, name, time(NULL) + (time_t)CA_DAYS * DAY);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_basic_constraints(cert, 1, 0);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_key_usage(cert, GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN);
    if (rc >= 0)
        rc = gnutls_x509_name_constraints_init(&names);
    if (rc >= 0)
        rc = permit_all(names, hosts);
    if (rc >= 0 && !any)
        rc = gnutls_x509_crt_set_name_constraints(cert, names, 1);
    if (rc >= 0)
        rc = gnutls_x509_crt_sign2(cert, cert, key, GNUTLS_DIG_SHA256, 0);
    if (names)
        gnutls_x509_name_constraints_deinit(names);
    if (rc < 0)
        gnutls_x509_crt_deinit(cert);
    else
        *ret_cert = cert;
    return rc;
}

static int add_names(gnutls_x509_crt_t cert, const char *const *names, size_t n)
{
    int rc = 0;
    for (size_t i = 0; i < n && rc >= 0; i++) {
        unsigned char bytes[16];
        unsigned size = address_bytes(names[i], bytes);
        rc = size ? gnutls_x509_crt_set_subject_alt_name(cert, GNUTLS_SAN_IPADDRESS, bytes, size,
                                                         GNUTLS_FSAN_APPEND)
                  : gnutls_x509_crt_set_subject_alt_name(cert, GNUTLS_SAN_DNSNAME, names[i],
                                                         (unsigned)strlen(names[i]),
                                                         GNUTLS_FSAN_APPEND);
    }
    return rc;
}

int ca_sign(const struct ca *ca, const char *const *names, size_t n, gnutls_x509_privkey_t key,
            gnutls_x509_crt_t *ret_cert, struct sosia_err *err)
{
    gnutls_x509_crt_t cert;
    unsigned char id[64];
    size_t id_size = sizeof id;
    time_t until = time(NULL) + (time_t)LEAF_DAYS * DAY;
    time_t end = gnutls_x509_crt_get_expiration_time(ca->cert);
    for (size_t i = 0; i < n; i++)
        if (!ca_permits(ca, names[i]))
            return sosia_fail(err, SOSIA_E_INVALID, "nameNotPermitted", NULL,
                              "this authority does not sign for %.100s", names[i]);
    int rc = gnutls_x509_crt_init(&cert);
    if (rc < 0)
        return fail_tls(err, "can't make a certificate", rc);
    rc = set_basics(cert, key, n ? names[0] : "localhost", until < end ? until : end);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_basic_constraints(cert, 0, -1);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_key_usage(cert, GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (rc >= 0)
        rc = add_names(cert, names, n);
    if (rc >= 0)
        rc = gnutls_x509_crt_get_subject_key_id(ca->cert, id, &id_size, NULL);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_authority_key_id(cert, id, id_size);
    if (rc >= 0)
        rc = gnutls_x509_crt_sign2(cert, ca->cert, ca->key, GNUTLS_DIG_SHA256, 0);
    if (rc < 0) {
        gnutls_x509_crt_deinit(cert);
        return fail_tls(err, "can't make a certificate", rc);
    }
    *ret_cert = cert;
    return 0;
}

/* ---- files ---- */

static int path_in(char ret_path[PATH_MAX], const char *dir, const char *file,
                   struct sosia_err *err)
{
    if (snprintf(ret_path, PATH_MAX, "%s/%s", dir, file) >= PATH_MAX)
        return sosia_fail(err, SOSIA_E_INVALID, "pathTooLong", NULL,
                          "the path %.100s... is too long", dir);
    return 0;
}

static int write_new(const char *path, mode_t mode, const gnutls_datum_t *text,
                     struct sosia_err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    size_t done = 0;
    if (fd < 0)
        return fail_file(err, "create", path);
    while (done < text->size) {
        ssize_t n = write(fd, text->data + done, text->size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        done += (size_t)n;
    }
    if (done == text->size && fsync(fd) == 0 && close(fd) == 0)
        return 0;
    fail_file(err, "write", path);
    close(fd);
    unlink(path);
    return -1;
}

static int write_authority(const char *dir, gnutls_x509_privkey_t key, gnutls_x509_crt_t cert,
                           struct sosia_err *err)
{
    char key_path[PATH_MAX], cert_path[PATH_MAX];
    gnutls_datum_t key_text = {NULL, 0}, cert_text = {NULL, 0};
    int result = -1;
    int rc = gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN,
                                               &key_text);
    if (rc >= 0)
        rc = gnutls_x509_crt_export2(cert, GNUTLS_X509_FMT_PEM, &cert_text);
    if (rc < 0) {
        fail_tls(err, "can't write the authority", rc);
        goto done;
    }
    if (path_in(key_path, dir, CA_KEY_FILE, err) < 0 ||
        path_in(cert_path, dir, CA_CERT_FILE, err) < 0 ||
        write_new(key_path, 0600, &key_text, err) < 0)
        goto done;
    result = write_new(cert_path, 0644, &cert_text, err);
    if (result < 0)
        unlink(key_path);
done:
    if (key_text.data)
        gnutls_memset(key_text.data, 0, key_text.size);
    gnutls_free(key_text.data);
    gnutls_free(cert_text.data);
    return result;
}

static int create(const char *dir, const char *const *hosts, bool any, struct sosia_err *err)
{
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t cert;
    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return fail_file(err, "create", dir);
    if (ca_new_key(&key, err) < 0)
        return -1;
    int rc = make_authority(key, hosts, any, &cert);
    if (rc < 0) {
        gnutls_x509_privkey_deinit(key);
        return fail_tls(err, "can't make the authority", rc);
    }
    rc = write_authority(dir, key, cert, err);
    gnutls_x509_crt_deinit(cert);
    gnutls_x509_privkey_deinit(key);
    return rc;
}

int ca_create(const char *dir, const char *const *hosts, struct sosia_err *err)
{
    return create(dir, hosts, false, err);
}

int ca_create_any(const char *dir, struct sosia_err *err)
{
    return create(dir, NULL, true, err);
}

int ca_make(const char *const *hosts, struct ca **ret_ca, struct sosia_err *err)
{
    unsigned critical;
    struct ca *ca = calloc(1, sizeof *ca);
    if (!ca)
        return sosia_fail_memory(err);
    if (ca_new_key(&ca->key, err) < 0) {
        ca_free(ca);
        return -1;
    }
    int rc = make_authority(ca->key, hosts, false, &ca->cert);
    if (rc >= 0)
        rc = gnutls_x509_name_constraints_init(&ca->names);
    if (rc >= 0)
        rc = gnutls_x509_crt_get_name_constraints(ca->cert, ca->names, 0, &critical);
    if (rc < 0) {
        ca_free(ca);
        return fail_tls(err, "can't make the authority", rc);
    }
    *ret_ca = ca;
    return 0;
}

int ca_certificate(const struct ca *ca, gnutls_datum_t *ret_text, struct sosia_err *err)
{
    int rc = gnutls_x509_crt_export2(ca->cert, GNUTLS_X509_FMT_PEM, ret_text);
    return rc < 0 ? fail_tls(err, "can't write the authority", rc) : 0;
}

static int load(const char *dir, const char *file, gnutls_datum_t *ret_text, struct sosia_err *err)
{
    char path[PATH_MAX];
    if (path_in(path, dir, file, err) < 0)
        return -1;
    int rc = gnutls_load_file(path, ret_text);
    if (rc < 0)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "noAuthority", "ca",
                          "can't read %.150s (`sosia ca` makes an authority)", path);
    return 0;
}

int ca_open(const char *dir, struct ca **ret_ca, struct sosia_err *err)
{
    gnutls_datum_t key_text = {NULL, 0}, cert_text = {NULL, 0};
    unsigned critical;
    int rc, result = -1;
    struct ca *ca = calloc(1, sizeof *ca);
    if (!ca)
        return sosia_fail_memory(err);
    if (load(dir, CA_KEY_FILE, &key_text, err) < 0 || load(dir, CA_CERT_FILE, &cert_text, err) < 0)
        goto done;
    rc = gnutls_x509_crt_init(&ca->cert);
    if (rc >= 0)
        rc = gnutls_x509_privkey_init(&ca->key);
    if (rc >= 0)
        rc = gnutls_x509_name_constraints_init(&ca->names);
    if (rc >= 0)
        rc = gnutls_x509_crt_import(ca->cert, &cert_text, GNUTLS_X509_FMT_PEM);
    if (rc >= 0)
        rc = gnutls_x509_privkey_import2(ca->key, &key_text, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (rc >= 0)
        rc = gnutls_x509_crt_get_name_constraints(ca->cert, ca->names, 0, &critical);
    if (rc == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE) /* it may sign for any */
        rc = 0;
    if (rc < 0) {
        sosia_fail(err, SOSIA_E_INVALID, "badAuthority", "ca",
                   "the authority in %.120s must be a certificate and its key in PEM: %s", dir,
                   gnutls_strerror(rc));
        goto done;
    }
    *ret_ca = ca;
    ca = NULL;
    result = 0;
done:
    if (key_text.data)
        gnutls_memset(key_text.data, 0, key_text.size);
    gnutls_free(key_text.data);
    gnutls_free(cert_text.data);
    ca_free(ca);
    return result;
}

void ca_free(struct ca *ca)
{
    if (!ca)
        return;
    if (ca->cert)
        gnutls_x509_crt_deinit(ca->cert);
    if (ca->key)
        gnutls_x509_privkey_deinit(ca->key);
    if (ca->names)
        gnutls_x509_name_constraints_deinit(ca->names);
    free(ca);
}
