/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of Graph's notifications: who receives resource data, and reads it as a program would,
 * with openssl, which shares no code with what is tested. */
#ifndef SOSIA_TESTS_HOOK_H
#define SOSIA_TESTS_HOOK_H

#include "tests/support/world.h"

/* Base64 of a certificate with a key of its own, which is kept until the next one is made. */
const char *hook_certificate(void);
/* The text of an encryptedContent for the last certificate, whose signature must hold. */
const char *hook_plain(const struct json *content);
/* A JWT of a header and claims (' for "), signed with the key of the last certificate: PS256 where
 * the header says so, else RS256. */
const char *hook_jwt(const char *header, const char *claims);
/* The thumbprint of a certificate in base64url: of SHA-256, or of SHA-1. */
const char *hook_print(const char *base64, bool sha256);
/* At the end of a test that made certificates. */
void hook_done(void);

#endif
