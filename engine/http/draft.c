/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/made.h"
#include "engine/http/draft.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"

static void write_with(struct json_writer *w, const struct json *v, const struct draft_member *set,
                       size_t n)
{
    json_obj(w, NULL);
    for (uint32_t i = 0; v && i < v->n; i++) {
        size_t k = 0;
        while (k < n && strcmp(set[k].name, v->members[i].key) != 0)
            k++;
        if (k == n)
            json_value(w, v->members[i].key, &v->members[i].value);
    }
    for (size_t k = 0; k < n; k++)
        if (set[k].value)
            json_value(w, set[k].name, set[k].value);
    json_end(w);
}

const char *draft_object(struct arena *a, const struct json *v, const struct draft_member *set,
                         size_t n)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    write_with(&w, v, set, n);
    const char *text = buf_made(&b, a);
    return text;
}

struct json draft_text(const char *text)
{
    return (struct json){.type = JSON_STRING, .n = (uint32_t)strlen(text), .str = text};
}

const char *draft_path(struct arena *a, const char *head, const char *between, const char *id,
                       const char *rest)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "%s%s", head, between);
    percent_add(&b, id, strlen(id));
    buf_puts(&b, rest);
    const char *text = buf_made(&b, a);
    return text;
}
