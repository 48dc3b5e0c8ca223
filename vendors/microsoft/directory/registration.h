/* SPDX-License-Identifier: Apache-2.0 */
/* How apps are registered: certificates that they sign in with, and which tokens the authorisation
 * endpoint gives them without a code. */
#ifndef SOSIA_MICROSOFT_REGISTRATION_H
#define SOSIA_MICROSOFT_REGISTRATION_H

#include "identity/app.h"

struct ms_registration {
    int64_t id, app;
    const char *keys; /* JSON array of certificates in base64 */
    bool id_tokens, access_tokens;
};
/* Of an app: 1; 0 with one that has nothing; -1. */
int ms_registration_of(struct tx *tx, int64_t app, struct ms_registration *ret);
/* The certificates; how many, in the arena. */
size_t ms_registration_keys(struct tx *tx, const struct ms_registration *r,
                            const char *const **ret_base64);

extern const struct sosia_core microsoft_registrations_core;

#endif
