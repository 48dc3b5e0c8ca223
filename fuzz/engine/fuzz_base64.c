/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes: as text, what is taken as base64 or base64url is exactly what those bytes are written
 * as; as bytes, each way to write them is read back. */
#include "engine/base/codec.h"
#include "fuzz/fuzz.h"
#include <string.h>

enum form { PADDED, URL_PADDED, URL_BARE, N_FORMS };

static void write(struct buf *b, enum form form, const void *data, size_t n)
{
    buf_clear(b);
    if (form == PADDED)
        base64_add(b, data, n);
    else
        base64url_add(b, data, n, form == URL_PADDED);
    CHECK(!buf_failed(b));
}

static bool digit(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c && strchr("+/-_", c));
}

/* A text that is accepted has one meaning: in one alphabet and without padding it is what its
 * bytes are encoded as. */
static void check_text(struct arena *a, struct buf *b, const char *text, size_t len)
{
    uint8_t *bytes = NULL;
    size_t n = SIZE_MAX, digits = 0;
    int rc = base64_decode(a, text, len, &bytes, &n);
    while (digits < len && digit(text[digits]))
        digits++;
    if (rc < 0) {
        CHECK(!bytes && n == SIZE_MAX);
        /* Whole groups of digits are always good. */
        CHECK(digits < len || len % 4);
        return;
    }
    CHECK(n == digits * 6 / 8);
    CHECK(digits == len || (len % 4 == 0 && len - digits <= 2));
    for (size_t i = digits; i < len; i++)
        CHECK(text[i] == '=');
    write(b, URL_BARE, bytes, n);
    CHECK(b->len == digits);
    for (size_t i = 0; i < digits; i++) {
        char c = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
        CHECK(b->data[i] == c);
    }
}

static void check_bytes(struct arena *a, struct buf *b, const uint8_t *data, size_t size)
{
    for (enum form form = PADDED; form < N_FORMS; form++) {
        uint8_t *bytes;
        size_t n;
        write(b, form, data, size);
        CHECK(b->len == (form == URL_BARE ? (size * 4 + 2) / 3 : (size + 2) / 3 * 4));
        CHECK(base64_decode(a, b->len ? b->data : "", b->len, &bytes, &n) == 0);
        CHECK(n == size && !memcmp(bytes, data, n));
        /* A digit less or more is another thing or none. */
        if (form == URL_BARE && b->len)
            CHECK(base64_decode(a, b->data, b->len - 1, &bytes, &n) < 0 || n != size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct buf b;
    arena_init(&a, 0);
    buf_init(&b, 0);
    char *text = malloc(size ? size : 1); /* no byte behind it: reads beyond are found */
    CHECK(text);
    if (size)
        memcpy(text, data, size);
    check_text(&a, &b, text, size);
    check_bytes(&a, &b, (const uint8_t *)text, size);
    free(text);
    buf_done(&b);
    arena_done(&a);
    return 0;
}
