/* SPDX-License-Identifier: Apache-2.0 */
/* The texts in tokens: pairs in the form of a query, which is sealed as a whole. */
#include "engine/base/codec.h"
#include "vendors/microsoft/odata/impl.h"

enum { MAX_PAIRS = 64 };

const char *odata_pack(struct arena *a, const struct odata_pair *pairs, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_byte(&b, '&');
        percent_add(&b, pairs[i].name, strlen(pairs[i].name));
        buf_byte(&b, '=');
        percent_add(&b, pairs[i].value, strlen(pairs[i].value));
    }
    return buf_keep(&b, a);
}

size_t odata_unpack(struct arena *a, const char *text, const struct odata_pair **ret_pairs)
{
    struct odata_pair *list = arena_calloc(a, MAX_PAIRS, sizeof *list);
    size_t n = 0, len;
    if (arena_failed(a))
        return 0;
    while (*text) {
        size_t all = strcspn(text, "&"), name = strcspn(text, "=&");
        char *key, *value;
        if (n == MAX_PAIRS || name == all || percent_decode(a, text, name, false, &key, &len) < 0 ||
            percent_decode(a, text + name + 1, all - name - 1, false, &value, &len) < 0)
            return 0;
        list[n++] = (struct odata_pair){key, value};
        text += all + (text[all] == '&');
    }
    *ret_pairs = list;
    return n;
}

const char *odata_packed(const struct odata_pair *pairs, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(pairs[i].name, name) == 0)
            return pairs[i].value;
    return NULL;
}
