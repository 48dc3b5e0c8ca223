/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_IDENTITY_JWT_MADE_H
#define SOSIA_IDENTITY_JWT_MADE_H

#include <stdint.h>

#define JWT_LABEL_LEN 32

/* NULL-terminated by key. */
extern const struct jwt_made {
    uint8_t label[JWT_LABEL_LEN]; /* its SHA-256 */
    const char *key;              /* base64 of an RSAPrivateKey (RFC 8017) */
} jwt_made[];

#endif
