/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/json/bytes.h"
#include "engine/base/codec.h"

void json_base64(struct json_writer *w, const char *member, const void *data, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    base64_add(&b, data, n);
    if (buf_failed(&b))
        w->out->failed = true;
    json_strn(w, member, b.len ? b.data : "", b.len);
    buf_done(&b);
}

int doc_base64(struct doc *d, const struct json *obj, const char *member, const char *text,
               const char **ret, size_t *ret_n)
{
    uint8_t *data;
    if (base64_decode(d->arena, text, strlen(text), &data, ret_n) < 0)
        return doc_fail(d, json_get(obj, member), member, "is not base64");
    *ret = (const char *)data;
    return 0;
}
