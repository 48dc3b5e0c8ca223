/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate authority of a data directory: what it signs, and what it may not. */
#include "tests/support/unit.h"
#include "server/ca.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static char dir[64];
static struct ca *ca;
static gnutls_x509_crt_t authority;
static gnutls_x509_privkey_t authority_key;

static gnutls_datum_t load(const char *file)
{
    char path[128];
    gnutls_datum_t text;
    snprintf(path, sizeof path, "%s/%s", dir, file);
    assert_int_equal(gnutls_load_file(path, &text), 0);
    return text;
}

static int setup(void **state)
{
    strcpy(dir, "/tmp/sosia-ca-XXXXXX");
    static const char *const more[] = {"extra.example",    "10.1.2.3",    "www.googleapis.com",
                                       "*.googleapis.com", "*.slack.com", NULL};
    assert_non_null(mkdtemp(dir));
    assert_int_equal(ca_create(dir, more, NULL), 0);
    assert_int_equal(ca_open(dir, &ca, NULL), 0);
    gnutls_datum_t text = load(CA_CERT_FILE);
    gnutls_x509_crt_init(&authority);
    assert_int_equal(gnutls_x509_crt_import(authority, &text, GNUTLS_X509_FMT_PEM), 0);
    gnutls_free(text.data);
    text = load(CA_KEY_FILE);
    gnutls_x509_privkey_init(&authority_key);
    assert_int_equal(
        gnutls_x509_privkey_import2(authority_key, &text, GNUTLS_X509_FMT_PEM, NULL, 0), 0);
    gnutls_free(text.data);
    return 0;
}

static int teardown(void **state)
{
    char path[128];
    ca_free(ca);
    gnutls_x509_crt_deinit(authority);
    gnutls_x509_privkey_deinit(authority_key);
    snprintf(path, sizeof path, "%s/" CA_CERT_FILE, dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/" CA_KEY_FILE, dir);
    unlink(path);
    return rmdir(dir);
}

/* What a client makes of a certificate that it is sent. */
static unsigned verify(gnutls_x509_crt_t made, const char *host)
{
    gnutls_x509_trust_list_t trust;
    gnutls_x509_crt_t cert;
    gnutls_datum_t text;
    unsigned status = 0;
    assert_int_equal(gnutls_x509_crt_export2(made, GNUTLS_X509_FMT_DER, &text), 0);
    gnutls_x509_crt_init(&cert);
    assert_int_equal(gnutls_x509_crt_import(cert, &text, GNUTLS_X509_FMT_DER), 0);
    gnutls_free(text.data);
    gnutls_x509_trust_list_init(&trust, 0);
    gnutls_x509_trust_list_add_cas(trust, &authority, 1, 0);
    gnutls_typed_vdata_st data[] = {
        {GNUTLS_DT_DNS_HOSTNAME, (unsigned char *)(uintptr_t)host, 0},
        {GNUTLS_DT_KEY_PURPOSE_OID, (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_SERVER, 0}};
    assert_int_equal(gnutls_x509_trust_list_verify_crt2(trust, &cert, 1, data, 2, 0, &status, NULL),
                     0);
    gnutls_x509_trust_list_deinit(trust, 0);
    gnutls_x509_crt_deinit(cert);
    return status;
}

static gnutls_x509_crt_t sign(const char *const *names, size_t n)
{
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t cert;
    assert_int_equal(ca_new_key(&key, NULL), 0);
    assert_int_equal(ca_sign(ca, names, n, key, &cert, NULL), 0);
    gnutls_x509_privkey_deinit(key);
    return cert;
}

static void certificates_for_permitted_names_verify(void **state)
{
    static const char *const names[] = {"localhost", "www.googleapis.com", "*.slack.com"};
    gnutls_x509_crt_t cert = sign(names, 3);
    assert_int_equal(verify(cert, "localhost"), 0);
    assert_int_equal(verify(cert, "www.googleapis.com"), 0);
    assert_int_equal(verify(cert, "team.slack.com"), 0);
    assert_int_not_equal(verify(cert, "evil.example"), 0);
    time_t end = gnutls_x509_crt_get_expiration_time(cert);
    assert_true(end > time(NULL) + 300 * 86400 && end < time(NULL) + 398 * 86400);
    gnutls_x509_crt_deinit(cert);
    const char *extra[] = {"a.extra.example", "extra.example", "10.1.2.3", "world.localhost"};
    cert = sign(extra, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(verify(cert, extra[i]), 0);
    gnutls_x509_crt_deinit(cert);
}

static void names_beyond_the_constraints_are_refused(void **state)
{
    static const char *const BAD[] = {"example.com", "google.com", "10.1.2.4", "10.0.0.1",
                                      "::2",         "xlocalhost", "*.com"};
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t cert = NULL;
    struct sosia_err err;
    assert_int_equal(ca_new_key(&key, NULL), 0);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assert_int_equal(ca_sign(ca, &BAD[i], 1, key, &cert, &err), -1);
        assert_string_equal(err.reason, "nameNotPermitted");
        assert_null(cert);
    }
    gnutls_x509_privkey_deinit(key);
}

/* Who has the key need not use our code: the constraint must hold by itself. */
static void a_certificate_forged_with_the_key_does_not_verify(void **state)
{
    static const char *const NAMES[] = {"example.com", "localhost"};
    for (int i = 0; i < 2; i++) {
        gnutls_x509_privkey_t key;
        gnutls_x509_crt_t cert;
        assert_int_equal(ca_new_key(&key, NULL), 0);
        gnutls_x509_crt_init(&cert);
        gnutls_x509_crt_set_version(cert, 3);
        gnutls_x509_crt_set_serial(cert, "\1", 1);
        gnutls_x509_crt_set_key(cert, key);
        gnutls_x509_crt_set_activation_time(cert, time(NULL) - 60);
        gnutls_x509_crt_set_expiration_time(cert, time(NULL) + 3600);
        gnutls_x509_crt_set_dn_by_oid(cert, GNUTLS_OID_X520_COMMON_NAME, 0, "x", 1);
        gnutls_x509_crt_set_key_purpose_oid(cert, GNUTLS_KP_TLS_WWW_SERVER, 0);
        gnutls_x509_crt_set_subject_alt_name(cert, GNUTLS_SAN_DNSNAME, NAMES[i],
                                             (unsigned)strlen(NAMES[i]), GNUTLS_FSAN_SET);
        assert_int_equal(
            gnutls_x509_crt_sign2(cert, authority, authority_key, GNUTLS_DIG_SHA256, 0), 0);
        if (i == 0)
            assert_int_not_equal(verify(cert, NAMES[i]), 0);
        else
            assert_int_equal(verify(cert, NAMES[i]), 0);
        gnutls_x509_crt_deinit(cert);
        gnutls_x509_privkey_deinit(key);
    }
}

static void serial_numbers_differ(void **state)
{
    const char *name = "localhost";
    unsigned char a[32], b[32];
    size_t n = sizeof a, m = sizeof b;
    gnutls_x509_crt_t one = sign(&name, 1), two = sign(&name, 1);
    assert_int_equal(gnutls_x509_crt_get_serial(one, a, &n), 0);
    assert_int_equal(gnutls_x509_crt_get_serial(two, b, &m), 0);
    assert_true(n != m || memcmp(a, b, n) != 0);
    gnutls_x509_crt_deinit(one);
    gnutls_x509_crt_deinit(two);
}

static void a_directory_without_an_authority_is_said(void **state)
{
    struct ca *none = NULL;
    struct sosia_err err;
    assert_int_equal(ca_open("/nowhere", &none, &err), -1);
    assert_int_equal(err.code, SOSIA_E_NOT_FOUND);
    assert_null(none);
    assert_int_equal(ca_create(dir, NULL, &err), -1);
    assert_int_equal(err.code, SOSIA_E_CONFLICT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_for_permitted_names_verify),
        cmocka_unit_test(names_beyond_the_constraints_are_refused),
        cmocka_unit_test(a_certificate_forged_with_the_key_does_not_verify),
        cmocka_unit_test(serial_numbers_differ),
        cmocka_unit_test(a_directory_without_an_authority_is_said),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
