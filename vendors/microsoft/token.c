/* SPDX-License-Identifier: Apache-2.0 */
/* Sealed tokens: base64url of 8 bytes of hash over purpose and text, and the text. The hash keeps
 * programs honest: a token is not a credential, and who opens one still checks what it says. */
#include "engine/base/codec.h"
#include "vendors/microsoft/internal.h"
#include <endian.h>
#include <xxhash.h>

enum { CHECK = 8, MAX_TOKEN = 8192 };

static uint64_t check_of(const char *purpose, const char *text, size_t len)
{
    uint64_t h = XXH3_64bits_withSeed(purpose, strlen(purpose), UINT64_C(0x6d73677261706801));
    return htole64(XXH3_64bits_withSeed(text, len, h));
}

const char *graph_seal(struct arena *a, const char *purpose, const char *text)
{
    size_t len = strlen(text);
    uint8_t *data = arena_alloc(a, CHECK + len);
    struct buf b;
    if (arena_failed(a))
        return "";
    uint64_t check = check_of(purpose, text, len);
    memcpy(data, &check, CHECK);
    memcpy(data + CHECK, text, len);
    buf_init(&b, 0);
    base64url_add(&b, data, CHECK + len, false);
    return buf_keep(&b, a);
}

int graph_unseal(struct arena *a, const char *purpose, const char *token, const char **ret_text)
{
    uint8_t *data;
    size_t len = strlen(token), n;
    if (len > MAX_TOKEN || base64_decode(a, token, len, &data, &n) < 0 || n < CHECK ||
        memchr(data + CHECK, 0, n - CHECK))
        return 0;
    uint64_t check = check_of(purpose, (const char *)data + CHECK, n - CHECK);
    if (memcmp(&check, data, CHECK) != 0)
        return 0;
    *ret_text = arena_memdup(a, data + CHECK, n - CHECK);
    return 1;
}

void graph_guid_bytes(const char *kind, const char *text, uint8_t ret[16])
{
    XXH128_canonical_t hash;
    uint64_t seed = XXH3_64bits(kind, strlen(kind));
    XXH128_canonicalFromHash(&hash, XXH3_128bits_withSeed(text, strlen(text), seed));
    hash.digest[6] = (uint8_t)(0x40 | (hash.digest[6] & 0x0f)); /* RFC 9562: version 4 */
    hash.digest[8] = (uint8_t)(0x80 | (hash.digest[8] & 0x3f));
    memcpy(ret, hash.digest, sizeof hash.digest);
}

const char *graph_guid(struct arena *a, const char *kind, const char *text)
{
    char *guid = arena_alloc(a, 37), digits[33];
    uint8_t bytes[16];
    graph_guid_bytes(kind, text, bytes);
    hex_encode(digits, bytes, sizeof bytes);
    memcpy(guid, digits, 8);
    memcpy(guid + 9, digits + 8, 4);
    memcpy(guid + 14, digits + 12, 4);
    memcpy(guid + 19, digits + 16, 4);
    memcpy(guid + 24, digits + 20, 12);
    guid[8] = guid[13] = guid[18] = guid[23] = '-';
    guid[36] = 0;
    return guid;
}
