/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One address instead of another in what streams by: "https://api.acme.example" for
 * "http://127.0.0.1:8788", as it is, with JSON's escaped slashes, and percent-encoded. An address
 * that only begins so (another port, a longer host) is another.
 */
#ifndef SOSIA_CONFORMANCE_SWAP_H
#define SOSIA_CONFORMANCE_SWAP_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include <zlib.h>

enum { SWAP_FORMS = 4 };

struct swap {
    struct {
        const char *from, *to;
        size_t from_len, to_len;
    } forms[SWAP_FORMS];
};

/* Both begin with http. The texts live in the arena. */
void swap_init(struct swap *s, struct arena *a, const char *from, const char *to);
/* A text with all of them swapped; the text itself if there is none. */
const char *swap_text(const struct swap *s, struct arena *a, const char *text);

/* A stream of bytes, packed (gzip) or not. */
struct swap_stream {
    const struct swap *swap;
    bool packed, changed, failed;
    z_stream in, out;
    struct buf plain; /* what may be the beginning of an address */
};

/* -1: no memory. */
int swap_stream_init(struct swap_stream *s, const struct swap *swap, bool packed);
/* Appends what comes of data to out. end: nothing follows. -1: broken data, or no memory. */
int swap_stream_feed(struct swap_stream *s, const char *data, size_t len, bool end,
                     struct buf *out);
void swap_stream_done(struct swap_stream *s);

/* Unpacks gzip or zlib data, at most max bytes of it. False: it is broken or cut off; what there is
 * of it was appended. */
bool unpack(const char *data, size_t len, size_t max, struct buf *out);

#endif
