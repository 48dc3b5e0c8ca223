/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates for S/MIME as programs bring them. */
#ifndef SOSIA_GMAIL_CERTS_H
#define SOSIA_GMAIL_CERTS_H

#include "engine/base/arena.h"
#include <stdint.h>

#define CERTS_MAX_BYTES (1 << 20) /* of a file that is looked at */

/* A certificate with those of its issuers that came along, its own first. */
struct certs {
    const char *pem;     /* all of them */
    const char *issuer;  /* the common name of its issuer; "": none */
    int64_t expires_s;   /* since 1970 */
    const char **emails; /* that it is for, lower case */
    size_t n_emails;
    bool linked; /* each was issued by the next, and there are no others */
};

/* A PKCS #12 file, DER. password: UTF-8; "" for none. -1: it is not such a file, has another
 * password or no key; whatever it is, this takes bounded time. */
int certs_from_pkcs12(struct arena *a, const void *data, size_t len, const char *password,
                      struct certs *ret);
/* A PKCS #7 file, PEM. -1: it is none. */
int certs_from_pkcs7(struct arena *a, const char *text, size_t len, struct certs *ret);

#endif
