/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of labels: those that are made in advance are those that making them gives, and a process
 * that was forked while one was made has them too. */
#include "engine/base/handle.h"
#include "identity/jwt.h"
#include "identity/jwt_made.h"
#include "tests/support/dose.h"
#include "tests/support/unit.h"
#include <gnutls/abstract.h>
#include <gnutls/x509.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void good(int rc)
{
    if (rc < 0)
        fail_msg("gnutls: %s", gnutls_strerror(rc));
}

/* All eight numbers of a key. */
static void numbers(gnutls_privkey_t key, gnutls_datum_t ret[8])
{
    good(gnutls_privkey_export_rsa_raw(key, &ret[0], &ret[1], &ret[2], &ret[3], &ret[4], &ret[5],
                                       &ret[6], &ret[7]));
}

/* One of them takes up to a second to make. */
static void keys_in_advance_are_those_of_their_labels(void **state)
{
    (void)state;
    int most = dose(100, 1);
    for (const struct jwt_made *m = jwt_made; m->key && m - jwt_made < most; m++) {
        gnutls_keygen_data_st seed = {GNUTLS_KEYGEN_SEED, (unsigned char *)m->label, 28};
        gnutls_datum_t text = {(unsigned char *)m->key, (unsigned)strlen(m->key)}, der;
        gnutls_datum_t a[8], b[8];
        gnutls_privkey_t made, kept;
        good(gnutls_privkey_init(&made));
        good(gnutls_privkey_init(&kept));
        good(gnutls_privkey_generate2(made, GNUTLS_PK_RSA, 2048, GNUTLS_PRIVKEY_FLAG_PROVABLE,
                                      &seed, 1));
        good(gnutls_base64_decode2(&text, &der));
        good(gnutls_privkey_import_x509_raw(kept, &der, GNUTLS_X509_FMT_DER, NULL, 0));
        numbers(made, a);
        numbers(kept, b);
        for (int i = 0; i < 8; i++) {
            assert_int_equal(a[i].size, b[i].size);
            assert_memory_equal(a[i].data, b[i].data, a[i].size);
            gnutls_free(a[i].data);
            gnutls_free(b[i].data);
        }
        gnutls_free(der.data);
        gnutls_privkey_deinit(made);
        gnutls_privkey_deinit(kept);
    }
    assert_non_null(jwt_made[0].key);
}

static void *makes_keys(void *arg)
{
    _Atomic(bool) *stop = arg;
    char label[32], id[JWT_KEY_ID_LEN + 1];
    for (int i = 0; !*stop; i++) {
        snprintf(label, sizeof label, "of a test %d", i);
        if (jwt_key_id(label, id, NULL) < 0)
            break;
    }
    return NULL;
}

/* The thread holds the lock nearly always. Forks wait until a key is made. */
static void a_fork_while_a_key_is_made(void **state)
{
    (void)state;
    void *handle = handle_new(HANDLE_SUITE, 64); /* forks are watched from the first handle on */
    _Atomic(bool) stop = false;
    char id[JWT_KEY_ID_LEN + 1];
    pthread_t busy;
    int status;
    assert_non_null(handle);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    stop = true; /* their own locks may be held in the child */
#endif
    assert_int_equal(jwt_key_id("of a test", id, NULL), 0);
    assert_int_equal(pthread_create(&busy, NULL, makes_keys, &stop), 0);
    for (int i = 0; i < 2; i++) {
        usleep(20000);
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            char same[JWT_KEY_ID_LEN + 1];
            alarm(10);
            _exit(jwt_key_id("of a test", same, NULL) < 0 || strcmp(id, same) != 0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    stop = true;
    pthread_join(busy, NULL);
    handle_free(HANDLE_SUITE, handle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_in_advance_are_those_of_their_labels),
        cmocka_unit_test(a_fork_while_a_key_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
