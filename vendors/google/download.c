/* SPDX-License-Identifier: Apache-2.0 */
/* alt=media: bytes as the response, whole or the range that the request names (RFC 9110, 14.2). */
#include "vendors/google/internal.h"

bool google_wants_media(const struct call *c)
{
    const struct google_call *g = c->vendor_data;
    return g && g->media;
}

int google_media(struct call *c, const char *type, const char *data, size_t len)
{
    int64_t first;
    buf_clear(c->body_out);
    call_header(c, "Content-Type", type);
    int64_t n = call_range(c, (int64_t)len, NULL, NULL, &first);
    buf_add(c->body_out, data + first, (size_t)n);
    return 0;
}

int google_media_blob(struct call *c, const char *type, int64_t blob)
{
    call_header(c, "Content-Type", type);
    return call_send_blob(c, blob, NULL, NULL);
}
