/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are more than a string: JSON in a string, lists, pages. */
#include "engine/base/codec.h"
#include "vendors/slack/slack.h"

int slack_json_arg(struct call *c, const char *name, const struct json **ret)
{
    static const struct json_limits limits = {
        .max_size = 4 << 20, .max_depth = 64, .max_values = 100000, .last_wins = true};
    const char *text = param_str(c, name);
    struct sosia_err err;
    *ret = NULL;
    if (!text || !*text)
        return 0;
    return json_parse(c->tx.arena, text, strlen(text), &limits, ret, &err) < 0 ? -1 : 1;
}

const char **slack_list_arg(struct call *c, const char *name, size_t *ret_n)
{
    const char *text = param_str(c, name);
    const struct json *list;
    size_t n = 0, room = 1;
    *ret_n = 0;
    if (!text || !*text)
        return NULL;
    if (*text == '[' && slack_json_arg(c, name, &list) == 1 && list->type == JSON_ARRAY) {
        const char **all = arena_alloc(c->tx.arena, (list->n + 1) * sizeof *all);
        if (arena_failed(c->tx.arena))
            return NULL;
        for (uint32_t i = 0; i < list->n; i++)
            if (list->items[i].type == JSON_STRING)
                all[n++] = list->items[i].str;
        *ret_n = n;
        return all;
    }
    for (const char *p = text; *p; p++)
        room += *p == ',';
    const char **all = arena_alloc(c->tx.arena, room * sizeof *all);
    if (arena_failed(c->tx.arena))
        return NULL;
    while (*text) {
        size_t k = strcspn(text, ",");
        size_t from = strspn(text, " \t");
        size_t to = k;
        while (to > from && (text[to - 1] == ' ' || text[to - 1] == '\t'))
            to--;
        if (to > from)
            all[n++] = arena_memdup(c->tx.arena, text + from, to - from);
        text += k + (text[k] == ',');
    }
    *ret_n = n;
    return all;
}

bool slack_bool_arg(const struct call *c, const char *name, bool otherwise)
{
    const char *text = param_str(c, name);
    if (!text || !*text)
        return otherwise;
    if (str_eq_nocase(text, "true") || strcmp(text, "1") == 0)
        return true;
    if (str_eq_nocase(text, "false") || strcmp(text, "0") == 0)
        return false;
    return otherwise;
}

int slack_limit(struct call *c, int64_t otherwise, int64_t max, int64_t *ret)
{
    const char *text = param_str(c, "limit");
    *ret = otherwise;
    if (!text || !*text)
        return 0;
    int64_t n;
    if (parse_i64(text, strlen(text), &n) < 0 || n < 0)
        return slack_fail(c, "invalid_limit");
    *ret = n == 0 ? otherwise : n > max ? max : n;
    return 0;
}

int slack_cursor(struct call *c, const char *kind, const char **ret_value)
{
    const char *text = param_str(c, "cursor");
    size_t n = strlen(kind), len;
    uint8_t *data;
    if (!text || !*text)
        return 0;
    if (base64_decode(c->tx.arena, text, strlen(text), &data, &len) < 0 || len <= n + 1 ||
        memcmp(data, kind, n) != 0 || data[n] != ':' || memchr(data, 0, len))
        return slack_fail(c, "invalid_cursor");
    *ret_value = arena_memdup(c->tx.arena, data + n + 1, len - n - 1);
    return 1;
}

void slack_next(struct call *c, const char *kind, const char *value)
{
    struct buf b;
    slack_of(c)->cursor = "";
    if (!value)
        return;
    const char *plain = arena_printf(c->tx.arena, "%s:%s", kind, value);
    buf_init(&b, 0);
    base64_add(&b, plain, strlen(plain));
    slack_of(c)->cursor = arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
}
