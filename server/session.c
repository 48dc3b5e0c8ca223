/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of people who use the control interface with a browser:
 * "console_MODE_EXPIRES_SIGNATURE", signed with the control key. A page sends one in the place of
 * the key, in a header that only it can add: a cookie would be sent to each port of the machine,
 * and for pages from any.
 */
#include "engine/base/codec.h"
#include "server/internal.h"
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SESSION   "console_"
#define SIGNATURE 32 /* bytes */

static bool sign(const char *key, const char *text, size_t len, char ret_hex[2 * SIGNATURE + 1])
{
    char what[SERVER_SESSION_MAX + 32];
    uint8_t bytes[SIGNATURE];
    int n = snprintf(what, sizeof what, "sosia session\n%.*s", (int)len, text);
    if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, strlen(key), what, (size_t)n, bytes) < 0)
        return false;
    for (size_t i = 0; i < SIGNATURE; i++)
        snprintf(ret_hex + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

bool session_make(const char *key, bool read_only, int64_t expires_s,
                  char ret_session[SERVER_SESSION_MAX])
{
    char hex[2 * SIGNATURE + 1];
    int n = snprintf(ret_session, SERVER_SESSION_MAX, SESSION "%c_%lld", read_only ? 'r' : 'w',
                     (long long)expires_s);
    if (!sign(key, ret_session, (size_t)n, hex))
        return false;
    return snprintf(ret_session + n, SERVER_SESSION_MAX - (size_t)n, "_%s", hex) <
           SERVER_SESSION_MAX - n;
}

bool session_is_one(const char *token)
{
    return str_starts(token, SESSION);
}

bool session_good(const char *key, const char *token, bool *ret_read_only, int64_t *ret_ends_s)
{
    char hex[2 * SIGNATURE + 1];
    const char *mode = token + sizeof SESSION - 1, *last = strrchr(token, '_');
    int64_t expires_s;
    if (strlen(token) >= SERVER_SESSION_MAX || (*mode != 'r' && *mode != 'w') || mode[1] != '_' ||
        last < mode + 3 || strlen(last + 1) != 2 * SIGNATURE ||
        parse_i64(mode + 2, (size_t)(last - mode) - 2, &expires_s) < 0 ||
        !sign(key, token, (size_t)(last - token), hex) ||
        gnutls_memcmp(hex, last + 1, 2 * SIGNATURE) != 0)
        return false;
    *ret_read_only = *mode == 'r';
    *ret_ends_s = expires_s;
    return time(NULL) < expires_s;
}
