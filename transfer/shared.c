/* SPDX-License-Identifier: Apache-2.0 */
/* What formats share: messages, people, and bytes that may be no text. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/world/engine.h"
#include "transfer/impl.h"

#define SHOWN 40 /* bytes of a line that messages show */

int transfer_fail(const struct transfer_in *in, size_t line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = message_text(in->tx->arena, fmt, ap);
    va_end(ap);
    return line ? tx_fail(in->tx, SOSIA_E_INVALID, "transfer", NULL, "%.80s:%zu: %s", in->name,
                          line, text)
                : tx_fail(in->tx, SOSIA_E_INVALID, "transfer", NULL, "%.80s: %s", in->name, text);
}

int transfer_person(struct tx *tx, const struct transfer *t, struct actor *ret)
{
    int r = actor_by_email(tx, t->person, ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : tx_fail(tx, SOSIA_E_INVALID, "transfer", "person",
                             "person must be somebody of the world, not \"%.80s\"", t->person);
}

bool transfer_is_text(const char *data, size_t len)
{
    return !memchr(data, 0, len) && utf8_valid(data, len);
}

void transfer_bytes(struct json_writer *w, const char *text, const char *base64, const char *data,
                    size_t len)
{
    struct buf b;
    if (transfer_is_text(data, len)) {
        json_strn(w, text, data, len);
        return;
    }
    buf_init(&b, 0);
    base64_add(&b, data, len);
    if (buf_failed(&b))
        w->out->failed = true;
    json_strn(w, base64, b.len ? b.data : "", b.len);
    buf_done(&b);
}

size_t transfer_line(const char *data, size_t at)
{
    size_t line = 1;
    for (const char *p = data, *end = data + at; (p = memchr(p, '\n', (size_t)(end - p))); p++)
        line++;
    return line;
}

const char *transfer_shown(struct arena *a, const char *line, size_t len)
{
    const char *end = memchr(line, '\n', len);
    size_t n = end ? (size_t)(end - line) : len;
    char *text = arena_memdup(a, line, n < SHOWN ? n : SHOWN);
    for (char *p = text; *p; p++)
        *p = (unsigned char)*p < ' ' ? ' ' : *p;
    utf8_scrub(text);
    return text;
}
