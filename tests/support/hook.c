/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/hook.h"
#include "engine/base/codec.h"
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <stdlib.h>

static gnutls_x509_privkey_t private_key;

void hook_done(void)
{
    if (private_key)
        gnutls_x509_privkey_deinit(private_key);
    private_key = NULL;
}

const char *hook_certificate(void)
{
    gnutls_x509_crt_t crt;
    gnutls_datum_t der;
    struct buf b;
    hook_done();
    assert_int_equal(gnutls_x509_privkey_init(&private_key), 0);
    assert_int_equal(gnutls_x509_privkey_generate(private_key, GNUTLS_PK_RSA, 2048, 0), 0);
    assert_int_equal(gnutls_x509_crt_init(&crt), 0);
    gnutls_x509_crt_set_version(crt, 3);
    gnutls_x509_crt_set_serial(crt, "\1", 1);
    gnutls_x509_crt_set_activation_time(crt, 0);
    gnutls_x509_crt_set_expiration_time(crt, 4000000000);
    gnutls_x509_crt_set_dn(crt, "CN=hook.example", NULL);
    gnutls_x509_crt_set_key(crt, private_key);
    assert_int_equal(gnutls_x509_crt_sign2(crt, crt, private_key, GNUTLS_DIG_SHA256, 0), 0);
    assert_int_equal(gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_DER, &der), 0);
    buf_init(&b, 0);
    base64_add(&b, der.data, der.size);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    gnutls_free(der.data);
    gnutls_x509_crt_deinit(crt);
    return text;
}

static void bytes_of(const struct json *v, const char *member, uint8_t **ret, size_t *ret_n)
{
    const char *text = json_get_str(v, member);
    assert_non_null(text);
    assert_int_equal(base64_decode(&test_arena, text, strlen(text), ret, ret_n), 0);
}

/* The output of a command. */
static const char *run(const char *command)
{
    char *text = arena_alloc(&test_arena, 65536);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, 65535, f);
    text[n] = 0;
    assert_int_equal(pclose(f), 0);
    return text;
}

static void put_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    fclose(f);
}

const char *hook_plain(const struct json *content)
{
    uint8_t *data, *key, *signature, mac[32], aes[32];
    size_t n, key_n, signature_n;
    gnutls_datum_t pem;
    char folder[] = "/tmp/sosia-hook-XXXXXX";
    bytes_of(content, "data", &data, &n);
    bytes_of(content, "dataKey", &key, &key_n);
    bytes_of(content, "dataSignature", &signature, &signature_n);
    assert_int_equal(key_n, 256);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(gnutls_x509_privkey_export2(private_key, GNUTLS_X509_FMT_PEM, &pem), 0);
    put_file(arena_printf(&test_arena, "%s/key.pem", folder), pem.data, pem.size);
    gnutls_free(pem.data);
    put_file(arena_printf(&test_arena, "%s/key", folder), key, key_n);
    put_file(arena_printf(&test_arena, "%s/data", folder), data, n);
    const char *hex = run(arena_printf(
        &test_arena,
        "cd %s && openssl pkeyutl -decrypt -inkey key.pem -in key -pkeyopt rsa_padding_mode:oaep "
        "-pkeyopt rsa_oaep_md:sha1 | od -An -tx1 -v | tr -d ' \\n'",
        folder));
    assert_int_equal(strlen(hex), 64);
    const char *plain = run(arena_printf(&test_arena,
                                         "cd %s && openssl enc -d -aes-256-cbc -K %s -iv %.32s -in "
                                         "data && rm -r %s",
                                         folder, hex, hex, folder));
    assert_int_equal(hex_decode(aes, hex, 32), 0);
    assert_int_equal(gnutls_hmac_fast(GNUTLS_MAC_SHA256, aes, 32, data, n, mac), 0);
    assert_int_equal(signature_n, 32);
    assert_memory_equal(mac, signature, 32);
    return plain;
}

static const char *base64url(const void *data, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, data, n, false);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

const char *hook_print(const char *base64, bool sha256)
{
    uint8_t *der, digest[32];
    size_t n;
    assert_int_equal(base64_decode(&test_arena, base64, strlen(base64), &der, &n), 0);
    gnutls_hash_fast(sha256 ? GNUTLS_DIG_SHA256 : GNUTLS_DIG_SHA1, der, n, digest);
    return base64url(digest, sha256 ? 32 : 20);
}

const char *hook_jwt(const char *header, const char *claims)
{
    const bool pss = strstr(header, "PS256") != NULL;
    const char *head = arena_strdup(&test_arena, quoted(header));
    const char *body = arena_strdup(&test_arena, quoted(claims));
    const char *text = arena_printf(&test_arena, "%s.%s", base64url(head, strlen(head)),
                                    base64url(body, strlen(body)));
    gnutls_datum_t data = {(unsigned char *)(uintptr_t)text, (unsigned)strlen(text)}, signature;
    gnutls_privkey_t key;
    assert_int_equal(gnutls_privkey_init(&key), 0);
    assert_int_equal(gnutls_privkey_import_x509(key, private_key, 0), 0);
    assert_int_equal(
        gnutls_privkey_sign_data2(key, pss ? GNUTLS_SIGN_RSA_PSS_SHA256 : GNUTLS_SIGN_RSA_SHA256, 0,
                                  &data, &signature),
        0);
    text = arena_printf(&test_arena, "%s.%s", text, base64url(signature.data, signature.size));
    gnutls_free(signature.data);
    gnutls_privkey_deinit(key);
    return text;
}
