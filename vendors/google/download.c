/* SPDX-License-Identifier: Apache-2.0 */
/* alt=media: bytes as the answer, whole or the range that the request names (RFC 9110, 14.2). */
#include "vendors/google/internal.h"
#include "engine/base/codec.h"
#include <strings.h>

bool google_wants_media(const struct call *c)
{
    const struct google_call *g = c->vendor_data;
    return g && g->media;
}

/* "bytes=0-99", "bytes=100-", "bytes=-100". 1 a range, 0 to be passed over (several, or none that
 * can be read), -1 it lies outside. */
static int read_range(const char *text, size_t len, size_t *ret_first, size_t *ret_n)
{
    uint64_t first = 0, last = UINT64_MAX, end = len;
    if (!text || strncasecmp(text, "bytes=", 6) != 0)
        return 0;
    text += 6;
    size_t n = strspn(text, "0123456789"), m = text[n] == '-' ? strlen(text + n + 1) : 0;
    if (text[n] != '-' || n + m == 0 || (n && parse_u64(text, n, &first) < 0) ||
        (m && parse_u64(text + n + 1, m, &last) < 0))
        return 0;
    if (!n) { /* so many from the end */
        first = last < end ? end - last : 0;
        last = last ? UINT64_MAX : 0;
        if (!last)
            return -1;
    }
    if (last < first)
        return 0;
    if (first >= end)
        return -1;
    *ret_first = (size_t)first;
    *ret_n = (size_t)((last < end ? last + 1 : end) - first);
    return 1;
}

int google_media(struct call *c, const char *type, const char *data, size_t len)
{
    struct arena *a = c->tx.arena;
    size_t first = 0, n = len;
    int r = read_range(call_request_header(c, "Range"), len, &first, &n);
    buf_clear(c->body_out);
    call_header(c, "Content-Type", type);
    if (r < 0) {
        c->status = 416;
        call_header(c, "Content-Range", arena_printf(a, "bytes */%zu", len));
        return 0;
    }
    if (r > 0) {
        c->status = 206;
        call_header(c, "Content-Range",
                    arena_printf(a, "bytes %zu-%zu/%zu", first, first + n - 1, len));
    }
    buf_add(c->body_out, data + first, n);
    return 0;
}
