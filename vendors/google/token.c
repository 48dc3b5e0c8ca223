/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sealed tokens: base64url of (8 bytes of hash over purpose and text, text). The hash keeps
 * programs honest, not attackers: a token is not a credential, and the same request must give the
 * same token in every process.
 */
#include "vendors/google/internal.h"
#include "engine/base/codec.h"
#include <inttypes.h>
#include <xxhash.h>

#define CHECK     8
#define MAX_TOKEN 4096

static void check_of(const char *purpose, const char *text, size_t len, uint8_t ret[CHECK])
{
    uint64_t h = XXH3_64bits_withSeed(purpose, strlen(purpose), UINT64_C(0x736f736961706167));
    h = XXH3_64bits_withSeed(text, len, h);
    for (int i = 0; i < CHECK; i++)
        ret[i] = (uint8_t)(h >> (8 * i));
}

const char *google_seal(struct arena *a, const char *purpose, const char *text)
{
    size_t len = strlen(text);
    uint8_t *data = arena_alloc(a, CHECK + len);
    struct buf b;
    if (arena_failed(a)) /* what it gives out then has no room for the text */
        return "";
    check_of(purpose, text, len, data);
    memcpy(data + CHECK, text, len);
    buf_init(&b, 0);
    base64url_add(&b, data, CHECK + len, true);
    return buf_keep(&b, a);
}

int google_unseal(struct arena *a, const char *purpose, const char *token, const char **ret_text)
{
    uint8_t *data, check[CHECK];
    size_t len = strlen(token), n;
    if (len > MAX_TOKEN || base64_decode(a, token, len, &data, &n) < 0 || n < CHECK ||
        memchr(data + CHECK, 0, n - CHECK))
        return 0;
    check_of(purpose, (const char *)data + CHECK, n - CHECK, check);
    if (memcmp(data, check, CHECK) != 0)
        return 0;
    *ret_text = arena_memdup(a, data + CHECK, n - CHECK);
    return 1;
}

/* What a page belongs to: a hash of everything that must be repeated unchanged to get the next one.
 */
static const char *page_purpose(struct call *c)
{
    static const char *const free_params[] = {"pageToken", "maxResults", "pageSize"};
    uint64_t h = (uint64_t)c->actor.id;
    for (size_t i = 0; i < c->n_values; i++) {
        const struct param_value *v = &c->values[i];
        bool counts = true;
        for (size_t k = 0; k < SOSIA_LEN(free_params); k++)
            counts = counts && strcmp(v->def->name, free_params[k]) != 0;
        if (!counts)
            continue;
        h = XXH3_64bits_withSeed(v->def->name, strlen(v->def->name), h);
        h = XXH3_64bits_withSeed(v->text, v->len, h);
    }
    return arena_printf(c->tx.arena, "page %s %016llx", c->route->id, (unsigned long long)h);
}

const char *google_page_token(struct call *c, const char *position)
{
    return google_seal(c->tx.arena, page_purpose(c), position);
}

int google_page_position(struct call *c, const char **ret_position)
{
    const char *token = param_str(c, "pageToken");
    const struct google_api *api = google_api_of(c);
    if (!token || !*token)
        return 0;
    if (strncmp(token, GOOGLE_LIST_TOKEN, strlen(GOOGLE_LIST_TOKEN)) == 0)
        token += strlen(GOOGLE_LIST_TOKEN);
    if (google_unseal(c->tx.arena, page_purpose(c), token, ret_position))
        return 1;
    return call_fail(c, SOSIA_E_INVALID, "invalid", "pageToken", "%s",
                     api && api->bad_page_token ? api->bad_page_token : "Invalid Value");
}

void google_next_page(struct call *c, int64_t position)
{
    json_str(c->out, "nextPageToken",
             google_page_token(c, arena_printf(c->tx.arena, "%" PRId64, position)));
}

int google_page_number(struct call *c, int64_t least, int64_t *ret_position)
{
    const char *text;
    int64_t position;
    int r = google_page_position(c, &text);
    if (r != 1)
        return r;
    if (parse_i64(text, strlen(text), &position) < 0 || position < least)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "pageToken", "Invalid Value");
    *ret_position = position;
    return 1;
}
