/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates as programs bring them: PKCS #12 with a password (the bytes before the first
 * NUL), and PKCS #7. Whatever they are, what is read of them is valid text. */
#include "engine/base/utf8.h"
#include "services/mail/gmail/settings/certs.h"
#include "fuzz/fuzz.h"
#include <string.h>

static void check(const struct certs *c)
{
    if (!utf8_valid(c->pem, strlen(c->pem)) || !utf8_valid(c->issuer, strlen(c->issuer)) ||
        strncmp(c->pem, "-----BEGIN", 10) != 0)
        abort();
    for (size_t i = 0; i < c->n_emails; i++)
        if (!strchr(c->emails[i], '@') || !utf8_valid(c->emails[i], strlen(c->emails[i])))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    struct arena a;
    struct certs c;
    arena_init(&a, 0);
    if (end && end - data < 100) {
        const char *password = arena_strdup(&a, (const char *)data);
        size_t at = (size_t)(end - data) + 1;
        if (certs_from_pkcs12(&a, data + at, size - at, password, &c) == 0)
            check(&c);
    }
    if (certs_from_pkcs7(&a, (const char *)data, size, &c) == 0)
        check(&c);
    arena_done(&a);
    return 0;
}
