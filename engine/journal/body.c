/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies in entries: as they are, or what is known of them. */
#include "engine/journal/journal.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/json/quote.h"
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <string.h>

void journal_digest(struct json_writer *w, const char *name, int64_t len, const char *kind,
                    const uint8_t *bytes, size_t n)
{
    char hex[65];
    hex_encode(hex, bytes, n);
    json_obj(w, name);
    json_int(w, "length", len);
    json_str(w, kind, hex);
    json_end(w);
}

const char *const journal_keeps[] = {"redacted", "full", "hashes", NULL};

void journal_write_keep(struct json_writer *w, enum journal_keep keep)
{
    if (keep != KEEP_REDACTED)
        json_str(w, "keep", journal_keeps[keep]);
}

void journal_body(struct json_writer *w, const char *name, const char *data, size_t len,
                  bool secret, enum journal_keep keep)
{
    journal_body_up_to(w, name, data, len, secret, keep, JOURNAL_BODY_MAX);
}

void journal_body_up_to(struct json_writer *w, const char *name, const char *data, size_t len,
                        bool secret, enum journal_keep keep, size_t most)
{
    if (!len)
        return;
    if (secret && keep != KEEP_FULL) {
        json_obj(w, name);
        json_int(w, "length", (int64_t)len);
        json_end(w);
        return;
    }
    if (len > (keep == KEEP_FULL ? JOURNAL_FULL_MAX : most) || keep == KEEP_HASHES) {
        XXH128_canonical_t h;
        XXH128_canonicalFromHash(&h, XXH3_128bits(data, len));
        journal_digest(w, name, (int64_t)len, "xxh3", h.digest, sizeof h.digest);
    } else if (quote_suits(data, len) && !w->escape_html) { /* the same, and JSON is mostly so */
        json_quoted(w, name, data, len);
    } else if (utf8_valid(data, len) && !memchr(data, 0, len)) { /* entries are read without NULs */
        json_strn(w, name, data, len);
    } else {
        struct buf b;
        buf_init(&b, 0);
        base64_add(&b, data, len);
        json_obj(w, name);
        json_strn(w, "base64", b.data ? b.data : "", b.len);
        json_end(w);
        buf_done(&b);
    }
}
