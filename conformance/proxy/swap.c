/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/proxy/swap.h"
#include "engine/base/codec.h"
#include <ctype.h>

enum { CHUNK = 64 << 10, BEHIND = 3 /* bytes that decide where an address ends */ };

/* ---- forms ---- */

static const char *with_escaped_slashes(struct arena *a, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (; *text; text++) {
        if (*text == '/')
            buf_byte(&b, '\\');
        buf_byte(&b, *text);
    }
    return buf_keep(&b, a);
}

static const char *percent_encoded(struct arena *a, const char *text, bool lower)
{
    struct buf b;
    buf_init(&b, 0);
    percent_add(&b, text, strlen(text));
    char *out = arena_strdup(a, buf_str(&b));
    for (char *p = out; lower && *p; p++) {
        if (*p != '%')
            continue;
        p[1] = (char)tolower((unsigned char)p[1]);
        p[2] = (char)tolower((unsigned char)p[2]);
        p += 2;
    }
    buf_done(&b);
    return out;
}

void swap_init(struct swap *s, struct arena *a, const char *from, const char *to)
{
    const char *forms[SWAP_FORMS][2] = {
        {from, to},
        {with_escaped_slashes(a, from), with_escaped_slashes(a, to)},
        {percent_encoded(a, from, false), percent_encoded(a, to, false)},
        {percent_encoded(a, from, true), percent_encoded(a, to, true)}};
    for (size_t i = 0; i < SWAP_FORMS; i++) {
        s->forms[i].from = forms[i][0];
        s->forms[i].to = forms[i][1];
        s->forms[i].from_len = strlen(forms[i][0]);
        s->forms[i].to_len = strlen(forms[i][1]);
    }
}

/* ---- finding ---- */

/* The host continues, or a port follows. */
static bool goes_on(const char *p, size_t n)
{
    if (n && (isalnum((unsigned char)*p) || *p == '-' || *p == ':' || *p == '_'))
        return true;
    if (n > 1 && *p == '.')
        return isalnum((unsigned char)p[1]);
    return n >= 3 && p[0] == '%' && p[1] == '3' && (p[2] | 0x20) == 'a';
}

enum found { NOTHING, MAYBE /* undecided without more bytes */, FORM };

static enum found look(const struct swap *s, const char *p, size_t n, bool end, size_t *ret_form)
{
    enum found best = NOTHING;
    for (size_t i = 0; i < SWAP_FORMS; i++) {
        size_t len = s->forms[i].from_len, have = n < len ? n : len;
        if (memcmp(p, s->forms[i].from, have) != 0)
            continue;
        if (!end && n < len + BEHIND) {
            best = MAYBE;
        } else if (n >= len && !goes_on(p + len, n - len)) {
            *ret_form = i;
            return FORM;
        }
    }
    return best;
}

/* Appends text with all addresses swapped; *ret_rest: bytes at its end that must wait. */
static bool swap_run(const struct swap *s, const char *text, size_t len, bool end, struct buf *out,
                     size_t *ret_rest)
{
    size_t at = 0, from = 0, form;
    bool changed = false;
    *ret_rest = 0;
    while (at < len) {
        const char *h = memchr(text + at, 'h', len - at);
        if (!h)
            break;
        at = (size_t)(h - text);
        enum found f = look(s, h, len - at, end, &form);
        if (f == MAYBE) {
            buf_add(out, text + from, at - from);
            *ret_rest = len - at;
            return changed;
        }
        if (f == NOTHING) {
            at++;
            continue;
        }
        buf_add(out, text + from, at - from);
        buf_add(out, s->forms[form].to, s->forms[form].to_len);
        at += s->forms[form].from_len;
        from = at;
        changed = true;
    }
    buf_add(out, text + from, len - from);
    return changed;
}

const char *swap_text(const struct swap *s, struct arena *a, const char *text)
{
    struct buf out;
    size_t rest;
    buf_init(&out, 0);
    bool changed = swap_run(s, text, strlen(text), true, &out, &rest);
    const char *result = changed ? arena_strdup(a, buf_str(&out)) : text;
    buf_done(&out);
    return result;
}

/* ---- streams ---- */

int swap_stream_init(struct swap_stream *s, const struct swap *swap, bool packed)
{
    *s = (struct swap_stream){.swap = swap, .packed = packed};
    buf_init(&s->plain, 0);
    if (!packed)
        return 0;
    if (inflateInit2(&s->in, 15 + 16) != Z_OK)
        return -1;
    if (deflateInit2(&s->out, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) ==
        Z_OK)
        return 0;
    inflateEnd(&s->in);
    s->packed = false;
    return -1;
}

void swap_stream_done(struct swap_stream *s)
{
    if (s->packed) {
        inflateEnd(&s->in);
        deflateEnd(&s->out);
    }
    s->packed = false;
    buf_done(&s->plain);
}

static bool pack_into(struct swap_stream *s, const struct buf *text, bool end, struct buf *out)
{
    char room[CHUNK];
    s->out.next_in = (Bytef *)(text->data ? text->data : room);
    s->out.avail_in = (uInt)text->len;
    do {
        s->out.next_out = (Bytef *)room;
        s->out.avail_out = sizeof room;
        if (deflate(&s->out, end ? Z_FINISH : Z_SYNC_FLUSH) == Z_STREAM_ERROR)
            return false;
        buf_add(out, room, sizeof room - s->out.avail_out);
    } while (!s->out.avail_out);
    return true;
}

/* Swaps in what was unpacked, and packs it again if need be. */
static int pass_on(struct swap_stream *s, bool end, struct buf *out)
{
    struct buf swapped;
    size_t rest;
    buf_init(&swapped, 0);
    s->changed |=
        swap_run(s->swap, s->plain.data ? s->plain.data : "", s->plain.len, end, &swapped, &rest);
    if (rest)
        memmove(s->plain.data, s->plain.data + s->plain.len - rest, rest);
    s->plain.len = rest;
    bool ok = !buf_failed(&swapped) && !buf_failed(&s->plain);
    if (ok && s->packed)
        ok = (!swapped.len && !end) || pack_into(s, &swapped, end, out);
    else if (ok)
        buf_add(out, swapped.data ? swapped.data : "", swapped.len);
    buf_done(&swapped);
    s->failed |= !ok || buf_failed(out);
    return s->failed ? -1 : 0;
}

int swap_stream_feed(struct swap_stream *s, const char *data, size_t len, bool end, struct buf *out)
{
    if (s->failed)
        return -1;
    if (!s->packed) {
        buf_add(&s->plain, data, len);
        return pass_on(s, end, out);
    }
    char room[CHUNK];
    s->in.next_in = (Bytef *)(uintptr_t)data;
    s->in.avail_in = (uInt)len;
    while (s->in.avail_in) {
        s->in.next_out = (Bytef *)room;
        s->in.avail_out = sizeof room;
        int rc = inflate(&s->in, Z_SYNC_FLUSH);
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
            s->failed = true;
            return -1;
        }
        buf_add(&s->plain, room, sizeof room - s->in.avail_out);
        if (pass_on(s, false, out) < 0)
            return -1;
        if (rc == Z_STREAM_END && (!s->in.avail_in || inflateReset(&s->in) != Z_OK))
            break;
    }
    return end ? pass_on(s, true, out) : 0;
}

/* ---- unpacking ---- */

bool unpack(const char *data, size_t len, size_t max, struct buf *out)
{
    z_stream z = {0};
    char room[CHUNK];
    int rc = Z_OK;
    if (inflateInit2(&z, 15 + 32) != Z_OK)
        return false;
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)len;
    while (rc == Z_OK && z.avail_in && out->len < max) {
        z.next_out = (Bytef *)room;
        z.avail_out = sizeof room;
        rc = inflate(&z, Z_NO_FLUSH);
        size_t n = sizeof room - z.avail_out, left = max - out->len;
        buf_add(out, room, n < left ? n : left);
        if (rc == Z_STREAM_END && z.avail_in && inflateReset(&z) == Z_OK)
            rc = Z_OK; /* another member follows */
    }
    inflateEnd(&z);
    return rc == Z_STREAM_END && !buf_failed(out);
}
