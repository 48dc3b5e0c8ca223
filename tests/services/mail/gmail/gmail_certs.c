/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates in Gmail's settings: S/MIME of addresses, key pairs of client-side encryption. */
#include "engine/base/codec.h"
#include "tests/support/gmail.h"
#include <gnutls/gnutls.h>
#include <gnutls/pkcs12.h>
#include <gnutls/pkcs7.h>
#include <gnutls/x509.h>

#define SMIME      "/settings/sendAs/ada@acme.example/smimeInfo"
#define PAIRS      "/settings/cse/keypairs"
#define IDENTITIES "/settings/cse/identities"
#define ENDS       INT64_C(1900000000) /* of certificates that are made here */

/* With 1,000,001 rounds of key derivation, twice; the password is "secret". */
static const char SLOW[] =
    "MIIELwIBAzCCA+QGCSqGSIb3DQEHAaCCA9UEggPRMIIDzTCCAoMGCSqGSIb3DQEHBqCCAnQwggJwAgEAMIICaQYJ"
    "KoZIhvcNAQcBMFgGCSqGSIb3DQEFDTBLMCoGCSqGSIb3DQEFDDAdBAjmD+bg59E+zwIDD0JBMAwGCCqGSIb3DQIJ"
    "BQAwHQYJYIZIAWUDBAEqBBBPbd41lbSDKIIUKzqyQDdhgIICAKbH7ENngYfKzwyfLFOYf+cBoayv8GDYZpm8hDO0"
    "ijksCxGrNGGfnI645xfI3z8EfaR6mRHB/TiAUc38+xvJ0EtWUGelptMQK9Ob2tGZW0hdwieEJtpRUEF2pOhysWLK"
    "f1PLZqHf1/EiQs5MF53VB15sHor5HLW7r9rqKY8Vs+1Em6edlSdjM4MOI14Is0VE3OEkuedTwnhPv4RPj8Vu05fH"
    "WHsJLYdypn4P+p0cOmeBE1D7EWi6WVNGCXLyhmq9zW9mnwblU04uQGIS8+6+MMmKtkCPWS4lRK7H4HF5xf9Wwomg"
    "kWsY+iyRI6VMghLwcloCuda/+mj0y5fV73mQ9JU1LElSKG17eIpMojHs+NfHDVa2EJRd6OteXbQqGOKRgnT439t8"
    "DxT1PgtsqEsHEwqWrvy8MBiBrgS63vksTsFkwxlOQYexIu8Y70ngXmyZEY5gBdlBnbvrLN9dDvgPTDw4x2QorsGW"
    "603XmKDoAlL5MII1vlbvIT7VuleYKQ4MH77KpqX8L8w/RFZ/aygC5FSHeho6fLJdD1C9JFzEcZHihi8zXxZSSF3J"
    "X9OkJdix7bxPaU6lg8INy2jVKm6/cY43pekUYya5s4OjJSBJYfuboNNXfRVM2aokIN73k5Bd7rFJKawuJlxVIXeT"
    "WjTT7+6fuEGofnkpU2kQFLFp5uSdMIIBQgYJKoZIhvcNAQcBoIIBMwSCAS8wggErMIIBJwYLKoZIhvcNAQwKAQKg"
    "gfAwge0wWAYJKoZIhvcNAQUNMEswKgYJKoZIhvcNAQUMMB0ECM+fLCvpTeDkAgMPQkEwDAYIKoZIhvcNAgkFADAd"
    "BglghkgBZQMEASoEEE84S6bbsJrMZ2zhXoyUZ3oEgZB48RTLNUDx960yAS2Uz+gITcSSWOiK3E6a0e1A865qX2Jo"
    "rK20adpBvQqALd9Mbb4AU1U2tsQGeAUgJ/x1peZMI6+U4iku/Zvc5PY5vrxYkD7T1/VMgYRMB59gIylIjzjB9t/2"
    "yuGmT1T5Os5zlj0CNXuwzK6G0VMrjoQXCQFcsItWjk2ZdI+hNZWYEe33J5gxJTAjBgkqhkiG9w0BCRUxFgQUX0B7"
    "yUrN0+eEuJ549STaJcA7NTYwQjAxMA0GCWCGSAFlAwQCAQUABCBBdH0bwrQPLR/32Ikr3vOBa3wZsLw1/FpNu4S4"
    "+D/3ogQI0ceAcVAI0swCAw9CQQ==";

/* ---- making certificates ---- */

struct made {
    gnutls_x509_crt_t crt;
    gnutls_x509_privkey_t key;
};

static void good(int rc)
{
    if (rc < 0)
        fail_msg("gnutls: %s", gnutls_strerror(rc));
}

/* A certificate for an address (NULL: for none), issued by another (NULL: by itself). */
static struct made make(const char *name, const char *email, const struct made *by)
{
    struct made m;
    time_t begin = (time_t)(ENDS - 400000000);
    good(gnutls_x509_crt_init(&m.crt));
    good(gnutls_x509_privkey_init(&m.key));
    good(gnutls_x509_privkey_generate(m.key, GNUTLS_PK_ECDSA,
                                      GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0));
    good(gnutls_x509_crt_set_version(m.crt, 3));
    good(gnutls_x509_crt_set_serial(m.crt, name, strlen(name)));
    good(gnutls_x509_crt_set_dn_by_oid(m.crt, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                       (unsigned)strlen(name)));
    good(gnutls_x509_crt_set_activation_time(m.crt, begin));
    good(gnutls_x509_crt_set_expiration_time(m.crt, (time_t)ENDS));
    good(gnutls_x509_crt_set_key(m.crt, m.key));
    good(gnutls_x509_crt_set_ca_status(m.crt, !email));
    if (email)
        good(gnutls_x509_crt_set_subject_alt_name(m.crt, GNUTLS_SAN_RFC822NAME, email,
                                                  (unsigned)strlen(email), 0));
    good(gnutls_x509_crt_sign2(m.crt, by ? by->crt : m.crt, by ? by->key : m.key, GNUTLS_DIG_SHA256,
                               0));
    return m;
}

static void drop(struct made *m)
{
    gnutls_x509_crt_deinit(m->crt);
    gnutls_x509_privkey_deinit(m->key);
}

static const char *as_base64(const gnutls_datum_t *data)
{
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, data->data, data->size, true);
    const char *text = gm_text("%s", buf_str(&b));
    buf_done(&b);
    return text;
}

/* A PKCS #12 file with the certificates, the last ones first, and the key of the first. */
static const char *pkcs12(struct made *const *chain, int n, const char *password, bool with_key)
{
    gnutls_pkcs12_t p12;
    gnutls_pkcs12_bag_t certs, keys;
    gnutls_datum_t out;
    uint8_t id[64];
    size_t id_len = sizeof id;
    good(gnutls_pkcs12_init(&p12));
    good(gnutls_pkcs12_bag_init(&certs));
    good(gnutls_x509_crt_get_key_id(chain[0]->crt, 0, id, &id_len));
    gnutls_datum_t key_id = {id, (unsigned)id_len};
    for (int i = n - 1; i >= 0; i--) {
        int at = gnutls_pkcs12_bag_set_crt(certs, chain[i]->crt);
        good(at);
        if (i == 0)
            good(gnutls_pkcs12_bag_set_key_id(certs, (unsigned)at, &key_id));
    }
    good(gnutls_pkcs12_bag_encrypt(certs, password, GNUTLS_PKCS_PBES2_AES_256));
    good(gnutls_pkcs12_set_bag(p12, certs));
    if (with_key) {
        uint8_t der[4096];
        size_t len = sizeof der;
        good(gnutls_x509_privkey_export_pkcs8(chain[0]->key, GNUTLS_X509_FMT_DER, password,
                                              GNUTLS_PKCS_PBES2_AES_256, der, &len));
        gnutls_datum_t data = {der, (unsigned)len};
        good(gnutls_pkcs12_bag_init(&keys));
        int at = gnutls_pkcs12_bag_set_data(keys, GNUTLS_BAG_PKCS8_ENCRYPTED_KEY, &data);
        good(at);
        good(gnutls_pkcs12_bag_set_key_id(keys, (unsigned)at, &key_id));
        good(gnutls_pkcs12_set_bag(p12, keys));
        gnutls_pkcs12_bag_deinit(keys);
    }
    good(gnutls_pkcs12_generate_mac(p12, password));
    good(gnutls_pkcs12_export2(p12, GNUTLS_X509_FMT_DER, &out));
    const char *text = as_base64(&out);
    gnutls_free(out.data);
    gnutls_pkcs12_bag_deinit(certs);
    gnutls_pkcs12_deinit(p12);
    return text;
}

/* A PKCS #7 file, PEM, as it is in JSON. */
static const char *pkcs7(struct made *const *chain, int n)
{
    gnutls_pkcs7_t p7;
    gnutls_datum_t out;
    good(gnutls_pkcs7_init(&p7));
    for (int i = 0; i < n; i++)
        good(gnutls_pkcs7_set_crt(p7, chain[i]->crt));
    good(gnutls_pkcs7_export2(p7, GNUTLS_X509_FMT_PEM, &out));
    struct buf b;
    buf_init(&b, 0);
    for (unsigned i = 0; i < out.size; i++) {
        if (out.data[i] == '\n')
            buf_puts(&b, "\\n");
        else
            buf_byte(&b, (char)out.data[i]);
    }
    const char *text = gm_text("%s", buf_str(&b));
    buf_done(&b);
    gnutls_free(out.data);
    gnutls_pkcs7_deinit(p7);
    return text;
}

static const char *pem_of(const struct made *m)
{
    gnutls_datum_t out;
    good(gnutls_x509_crt_export2(m->crt, GNUTLS_X509_FMT_PEM, &out));
    const char *text = gm_text("%.*s", (int)out.size, (const char *)out.data);
    gnutls_free(out.data);
    return text;
}

/* ---- S/MIME ---- */

static const struct json *insert(const char *file, const char *password)
{
    return gm(ADA, "POST", SMIME,
              gm_text("{'pkcs12':'%s','encryptedKeyPassword':'%s'}", file, password));
}

static void a_certificate_is_shown_with_its_issuers(void **state)
{
    (void)state;
    struct made root = make("Root", NULL, NULL), mid = make("Middle", NULL, &root),
                leaf = make("Ada", "Ada@acme.example", &mid);
    struct made *const chain[] = {&leaf, &mid, &root};
    gm_get(ADA, 200, SMIME);
    assert_answer("{}");
    const struct json *v = insert(pkcs12(chain, 3, "secret", true), "secret");
    assert_int_equal(test_status, 200);
    assert_string_equal(members(v, ""), "id issuerCn expiration pem");
    assert_string_equal(text_at(v, "issuerCn"), "Middle");
    assert_string_equal(text_at(v, "expiration"), "1900000000000");
    assert_string_equal(text_at(v, "pem"),
                        gm_text("%s%s%s", pem_of(&leaf), pem_of(&mid), pem_of(&root)));
    const char *body = test_body, *id = text_at(v, "id");
    gm_get(ADA, 200, SMIME "/%s", id);
    assert_string_equal(test_body, body);
    v = gm_get(ADA, 200, SMIME);
    assert_int_equal(count_at(v, "smimeInfo"), 1);
    assert_string_equal(text_at(v, "smimeInfo.0.id"), id);
    drop(&root);
    drop(&mid);
    drop(&leaf);
}

static void one_certificate_is_the_default(void **state)
{
    (void)state;
    struct made leaf = make("Ada", "ada@acme.example", NULL);
    struct made *const chain[] = {&leaf};
    const char *file = pkcs12(chain, 1, "", true);
    const char *a = text_at(gm(ADA, "POST", SMIME, gm_text("{'pkcs12':'%s'}", file)), "id");
    const char *b = text_at(insert(file, ""), "id");
    assert_int_equal(test_status, 200);
    gm(ADA, "POST", gm_text(SMIME "/%s/setDefault", a), NULL);
    assert_int_equal(test_status, 204);
    gm(ADA, "POST", gm_text(SMIME "/%s/setDefault", b), NULL);
    assert_int_equal(test_status, 204);
    const struct json *v = gm_get(ADA, 200, SMIME);
    assert_null(value_at(v, "smimeInfo.0.isDefault"));
    assert_string_equal(members(v, "smimeInfo.1"), "id issuerCn isDefault expiration pem");
    gm(ADA, "POST", SMIME "/7/setDefault", NULL);
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
    gm(ADA, "DELETE", gm_text(SMIME "/%s", b), NULL);
    assert_int_equal(test_status, 204);
    gm_get(ADA, 404, SMIME "/%s", b);
    gm(ADA, "DELETE", gm_text(SMIME "/%s", b), NULL);
    assert_int_equal(test_status, 404);
    assert_int_equal(count_at(gm_get(ADA, 200, SMIME), "smimeInfo"), 1);
    drop(&leaf);
}

static void certificates_are_an_addresss_own(void **state)
{
    (void)state;
    struct made leaf = make("Ada", "a.lovelace@acme.example", NULL);
    struct made *const chain[] = {&leaf};
    const char *file = pkcs12(chain, 1, "p", true);
    insert(file, "p");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Bad Request");
    const char *body = gm_text("{'pkcs12':'%s','encryptedKeyPassword':'p'}", file);
    gm(ADA, "POST", "/settings/sendAs/a.lovelace@acme.example/smimeInfo", body);
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
    gm(ADA, "POST", "/settings/sendAs", "{'sendAsEmail':'a.lovelace@acme.example'}");
    gm(ADA, "POST", "/settings/sendAs/a.lovelace@acme.example/smimeInfo", body);
    assert_int_equal(test_status, 200);
    gm_get(ADA, 200, SMIME);
    assert_answer("{}");
    /* They go with the address. */
    gm(ADA, "DELETE", "/settings/sendAs/a.lovelace@acme.example", NULL);
    gm(ADA, "POST", "/settings/sendAs", "{'sendAsEmail':'a.lovelace@acme.example'}");
    gm_get(ADA, 200, "/settings/sendAs/a.lovelace@acme.example/smimeInfo");
    assert_answer("{}");
    drop(&leaf);
}

static void files_that_are_no_good_are_refused(void **state)
{
    (void)state;
    struct made leaf = make("Ada", "ada@acme.example", NULL);
    struct made *const chain[] = {&leaf};
    const char *file = pkcs12(chain, 1, "secret", true);
    const char *cut = gm_text("%.200s", file);
    const char *no_key = pkcs12(chain, 1, "secret", false);
    const char *bad[][2] = {{file, "wrong"}, {file, ""},   {cut, "secret"}, {no_key, "secret"},
                            {"", "secret"},  {"AAAA", ""}, {SLOW, "secret"}};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        insert(bad[i][0], bad[i][1]);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Bad Request");
    }
    gm(ADA, "POST", SMIME, "{}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Bad Request");
    gm_get(ADA, 200, SMIME);
    assert_answer("{}");
    insert(file, "secret");
    assert_int_equal(test_status, 200);
    drop(&leaf);
}

static void passwords_stay_out_of_the_journal(void **state)
{
    struct sosia_blob blob;
    struct sosia_err err;
    (void)state;
    struct made leaf = make("Ada", "ada@acme.example", NULL);
    struct made *const chain[] = {&leaf};
    insert(pkcs12(chain, 1, "very-secret", true), "very-secret");
    assert_int_equal(test_status, 200);
    assert_int_equal(sosia_journal_list(test_engine, test_world, 0, 100, true, &blob, &err), 0);
    assert_non_null(memmem(blob.data, blob.len, "smimeInfo.insert", 16));
    assert_null(memmem(blob.data, blob.len, "very-secret", 11));
    sosia_blob_free(&blob);
    drop(&leaf);
}

/* ---- key pairs ---- */

#define SERVICE "'kaclsKeyMetadata':{'kaclsUri':'https://k.example/v1','kaclsData':'d3JhcHBlZA=='}"

static const struct json *add_pair(const char *chain)
{
    return gm(ADA, "POST", PAIRS,
              gm_text("{'pkcs7':'%s','privateKeyMetadata':[{" SERVICE "}]}", chain));
}

static const char *new_pair(const char *email)
{
    struct made leaf = make("Ada", email, NULL);
    struct made *const chain[] = {&leaf};
    const struct json *v = add_pair(pkcs7(chain, 1));
    assert_int_equal(test_status, 200);
    drop(&leaf);
    return text_at(v, "keyPairId");
}

static void a_pair_is_shown_with_its_certificates(void **state)
{
    (void)state;
    struct made root = make("Root", NULL, NULL), leaf = make("Ada", "Ada@acme.example", &root);
    struct made *const chain[] = {&leaf, &root};
    gm_get(ADA, 200, PAIRS);
    assert_answer("{}");
    const struct json *v = add_pair(pkcs7(chain, 2));
    assert_answer("{'keyPairId':'*','pem':'*','subjectEmailAddresses':['ada@acme.example'],"
                  "'enablementState':'enabled','privateKeyMetadata':[{'privateKeyMetadataId':'*',"
                  "'kaclsKeyMetadata':{'kaclsUri':'https://k.example/v1',"
                  "'kaclsData':'d3JhcHBlZA=='}}]}");
    assert_string_equal(text_at(v, "pem"), gm_text("%s%s", pem_of(&leaf), pem_of(&root)));
    const char *body = test_body;
    gm_get(ADA, 200, PAIRS "/%s", text_at(v, "keyPairId"));
    assert_string_equal(test_body, body);
    gm(ADA, "POST", PAIRS,
       gm_text("{'pkcs7':'%s','privateKeyMetadata':[{'hardwareKeyMetadata':"
               "{'description':'card'}}]}",
               pkcs7(chain, 2)));
    assert_answer("{'keyPairId':'*','pem':'*','subjectEmailAddresses':['ada@acme.example'],"
                  "'enablementState':'enabled','privateKeyMetadata':[{'privateKeyMetadataId':'*',"
                  "'hardwareKeyMetadata':{'description':'card'}}]}");
    gm_get(ADA, 404, PAIRS "/x");
    drop(&root);
    drop(&leaf);
}

static void pairs_that_are_no_good_are_refused(void **state)
{
    (void)state;
    struct made a = make("A", "ada@acme.example", NULL), b = make("B", "ada@acme.example", NULL),
                none = make("N", NULL, NULL);
    struct made *const apart[] = {&a, &b}, *const one[] = {&a}, *const nobody[] = {&none};
    const char *file = pkcs7(one, 1);
    const struct {
        const char *body, *message;
    } cases[] = {
        {"{}", "Invalid PKCS7 certificate chain"},
        {gm_text("{'pkcs7':'nonsense','privateKeyMetadata':[{" SERVICE "}]}"),
         "Invalid PKCS7 certificate chain"},
        {gm_text("{'pkcs7':'%s','privateKeyMetadata':[{" SERVICE "}]}", pkcs7(apart, 2)),
         "Invalid PKCS7 certificate chain"},
        {gm_text("{'pkcs7':'%s','privateKeyMetadata':[{" SERVICE "}]}", pkcs7(nobody, 1)),
         "Certificate has no email address"},
        {gm_text("{'pkcs7':'%s'}", file), "Invalid private key metadata"},
        {gm_text("{'pkcs7':'%s','privateKeyMetadata':[]}", file), "Invalid private key metadata"},
        {gm_text("{'pkcs7':'%s','privateKeyMetadata':[{}]}", file), "Invalid private key metadata"},
        {gm_text("{'pkcs7':'%s','privateKeyMetadata':[{" SERVICE ",'hardwareKeyMetadata':{}}]}",
                 file),
         "Invalid private key metadata"},
        {gm_text("{'pkcs7':'%s','privateKeyMetadata':[{'kaclsKeyMetadata':{'kaclsUri':"
                 "'ftp://k.example','kaclsData':'x'}}]}",
                 file),
         "Invalid KACLS key metadata"},
        {gm_text("{'pkcs7':'%s','privateKeyMetadata':[{'kaclsKeyMetadata':{'kaclsUri':"
                 "'https://k.example'}}]}",
                 file),
         "Invalid KACLS key metadata"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        gm(ADA, "POST", PAIRS, cases[i].body);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", cases[i].message);
    }
    gm_get(ADA, 200, PAIRS);
    assert_answer("{}");
    gm(ADA, "POST", PAIRS "?chainValidation=none",
       gm_text("{'pkcs7':'%s','privateKeyMetadata':[{" SERVICE "}]}", pkcs7(apart, 2)));
    assert_int_equal(test_status, 200);
    drop(&a);
    drop(&b);
    drop(&none);
}

static void a_pair_is_obliterated_after_thirty_days_off(void **state)
{
    (void)state;
    const char *id = new_pair(ADA);
    gm(ADA, "POST", gm_text(PAIRS "/%s:obliterate", id), NULL);
    assert_refused(400, "failedPrecondition", "FAILED_PRECONDITION", "Precondition check failed.");
    const struct json *v = gm(ADA, "POST", gm_text(PAIRS "/%s:disable", id), "{}");
    assert_string_equal(text_at(v, "enablementState"), "disabled");
    assert_string_equal(text_at(v, "disableTime"), "2026-11-23T08:00:00.000Z");
    test_advance(30 * 86400);
    v = gm(ADA, "POST", gm_text(PAIRS "/%s:disable", id), "{}");
    assert_string_equal(text_at(v, "disableTime"), "2026-11-23T08:00:00.000Z");
    gm(ADA, "POST", gm_text(PAIRS "/%s:obliterate", id), "{}");
    assert_refused(400, "failedPrecondition", "FAILED_PRECONDITION", "Precondition check failed.");
    v = gm(ADA, "POST", gm_text(PAIRS "/%s:enable", id), "{}");
    assert_string_equal(text_at(v, "enablementState"), "enabled");
    assert_null(value_at(v, "disableTime"));
    gm(ADA, "POST", gm_text(PAIRS "/%s:disable", id), "{}");
    test_advance(30 * 86400 + 1);
    gm(ADA, "POST", gm_text(PAIRS "/%s:obliterate", id), "{}");
    assert_int_equal(test_status, 204);
    gm_get(ADA, 404, PAIRS "/%s", id);
    gm(ADA, "POST", gm_text(PAIRS "/%s:enable", id), "{}");
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
}

/* A world that is made of a dump has its ids, and new ones of its own. */
static void ids_are_new_in_the_world_of_a_dump(void **state)
{
    struct sosia_blob dump;
    (void)state;
    struct made leaf = make("Ada", "ada@acme.example", NULL);
    struct made *const chain[] = {&leaf};
    insert(pkcs12(chain, 1, "secret", true), "secret");
    const struct json *v = add_pair(pkcs7(chain, 1));
    const char *pair = text_at(v, "keyPairId");
    const char *key = text_at(v, "privateKeyMetadata.0.privateKeyMetadataId");
    assert_int_equal(sosia_world_dump(test_engine, test_world, &dump, &test_err), 0);
    test_use(dump.data);
    sosia_blob_free(&dump);
    insert(pkcs12(chain, 1, "secret", true), "secret");
    assert_int_equal(count_at(gm_get(ADA, 200, SMIME), "smimeInfo"), 2);
    v = add_pair(pkcs7(chain, 1));
    assert_string_not_equal(text_at(v, "keyPairId"), pair);
    assert_string_not_equal(text_at(v, "privateKeyMetadata.0.privateKeyMetadataId"), key);
    assert_int_equal(count_at(gm_get(ADA, 200, PAIRS), "cseKeyPairs"), 2);
    drop(&leaf);
}

static void pairs_come_in_pages(void **state)
{
    (void)state;
    const char *all = "";
    for (int i = 0; i < 22; i++)
        all = gm_text("%s%s%s", all, i ? " " : "", new_pair(ADA));
    const struct json *v = gm_get(ADA, 200, PAIRS);
    assert_int_equal(count_at(v, "cseKeyPairs"), 20);
    const char *token = text_at(v, "nextPageToken"), *first = column(v, "cseKeyPairs", "keyPairId");
    v = gm_get(ADA, 200, PAIRS "?pageToken=%s", token);
    assert_int_equal(count_at(v, "cseKeyPairs"), 2);
    assert_null(value_at(v, "nextPageToken"));
    assert_string_equal(gm_text("%s %s", first, column(v, "cseKeyPairs", "keyPairId")), all);
    v = gm_get(ADA, 200, PAIRS "?pageSize=22");
    assert_int_equal(count_at(v, "cseKeyPairs"), 22);
    assert_null(value_at(v, "nextPageToken"));
    v = gm_get(ADA, 200, PAIRS "?pageSize=1");
    assert_int_equal(count_at(v, "cseKeyPairs"), 1);
    gm_get(ADA, 400, PAIRS "?pageToken=x");
    gm_get(ADA, 400, IDENTITIES "?pageToken=%s", token);
}

/* ---- identities ---- */

static void an_identity_names_a_pair(void **state)
{
    (void)state;
    const char *a = new_pair(ADA), *b = new_pair(ADA);
    gm_get(ADA, 200, IDENTITIES);
    assert_answer("{}");
    gm_get(ADA, 404, IDENTITIES "/ada@acme.example");
    gm(ADA, "POST", IDENTITIES,
       gm_text("{'emailAddress':'ada@acme.example','primaryKeyPairId':'%s'}", a));
    assert_answer(gm_text("{'emailAddress':'ada@acme.example','primaryKeyPairId':'%s'}", a));
    gm(ADA, "POST", IDENTITIES,
       gm_text("{'emailAddress':'ada@acme.example','primaryKeyPairId':'%s'}", a));
    assert_refused(409, "alreadyExists", "ALREADY_EXISTS", "Requested entity already exists");
    gm(ADA, "PATCH", IDENTITIES "/ada@acme.example",
       gm_text("{'signAndEncryptKeyPairs':{'signingKeyPairId':'%s','encryptionKeyPairId':'%s'}}", a,
               b));
    const char *both = gm_text("{'emailAddress':'ada@acme.example','signAndEncryptKeyPairs':"
                               "{'signingKeyPairId':'%s','encryptionKeyPairId':'%s'}}",
                               a, b);
    assert_answer(both);
    gm_get(ADA, 200, IDENTITIES);
    assert_answer(gm_text("{'cseIdentities':[%s]}", both));
    gm_get(ADA, 200, IDENTITIES "/Ada@acme.example");
    assert_answer(both);
    gm(ADA, "DELETE", IDENTITIES "/ada@acme.example", NULL);
    assert_int_equal(test_status, 204);
    gm(ADA, "DELETE", IDENTITIES "/ada@acme.example", NULL);
    assert_int_equal(test_status, 404);
    gm(ADA, "PATCH", IDENTITIES "/ada@acme.example", gm_text("{'primaryKeyPairId':'%s'}", a));
    assert_int_equal(test_status, 404);
}

static void identities_that_are_no_good_are_refused(void **state)
{
    (void)state;
    const char *a = new_pair(ADA), *other = new_pair(BOB), *off = new_pair(ADA);
    gm(ADA, "POST", gm_text(PAIRS "/%s:disable", off), "{}");
    const struct {
        const char *body, *message;
    } cases[] = {
        {gm_text("{'primaryKeyPairId':'%s'}", a), "Invalid email address"},
        {gm_text("{'emailAddress':'bob@acme.example','primaryKeyPairId':'%s'}", other),
         "Invalid email address"},
        {gm_text("{'emailAddress':'ada@acme.example'}"),
         "Exactly one key pair configuration must be set"},
        {gm_text("{'emailAddress':'ada@acme.example','primaryKeyPairId':'%s',"
                 "'signAndEncryptKeyPairs':{'signingKeyPairId':'%s'}}",
                 a, a),
         "Exactly one key pair configuration must be set"},
        {gm_text("{'emailAddress':'ada@acme.example','primaryKeyPairId':'x'}"),
         "Invalid key pair ID"},
        {gm_text("{'emailAddress':'ada@acme.example','signAndEncryptKeyPairs':"
                 "{'signingKeyPairId':'%s'}}",
                 a),
         "Invalid key pair ID"},
        {gm_text("{'emailAddress':'ada@acme.example','primaryKeyPairId':'%s'}", other),
         "Key pair certificate does not match the email address"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        gm(ADA, "POST", IDENTITIES, cases[i].body);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", cases[i].message);
    }
    gm(ADA, "POST", IDENTITIES,
       gm_text("{'emailAddress':'ada@acme.example','primaryKeyPairId':'%s'}", off));
    assert_refused(400, "failedPrecondition", "FAILED_PRECONDITION", "Precondition check failed.");
    gm_get(ADA, 200, IDENTITIES);
    assert_answer("{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(a_certificate_is_shown_with_its_issuers),
        gm_test(one_certificate_is_the_default),
        gm_test(certificates_are_an_addresss_own),
        gm_test(files_that_are_no_good_are_refused),
        gm_test(passwords_stay_out_of_the_journal),
        gm_test(a_pair_is_shown_with_its_certificates),
        gm_test(pairs_that_are_no_good_are_refused),
        gm_test(a_pair_is_obliterated_after_thirty_days_off),
        gm_test(ids_are_new_in_the_world_of_a_dump),
        gm_test(pairs_come_in_pages),
        gm_test(an_identity_names_a_pair),
        gm_test(identities_that_are_no_good_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
