/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values of responses, read and changed. */
#include "conformance/properties/properties.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"

static bool named(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static bool same_members(const struct json *a, const struct json *b, const char *const *but)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct json_member *m = &a->members[i];
        const struct json *other = json_get(b, m->key);
        if (!named(but, m->key) && (!other || !same_json(&m->value, other, but)))
            return false;
    }
    return true;
}

static bool has_members(const struct json *a, const struct json *b, const char *const *but)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (!named(but, a->members[i].key) && !json_get(b, a->members[i].key))
            return false;
    return true;
}

bool same_json(const struct json *a, const struct json *b, const char *const *but)
{
    if (!a || !b || a->type != b->type)
        return a == b;
    switch ((enum json_type)a->type) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return a->truth == b->truth;
    case JSON_NUMBER:
    case JSON_STRING:
        return a->n == b->n && memcmp(a->str, b->str, a->n) == 0;
    case JSON_ARRAY:
        for (uint32_t i = 0; i < a->n && a->n == b->n; i++)
            if (!same_json(&a->items[i], &b->items[i], but))
                return false;
        return a->n == b->n;
    case JSON_OBJECT:
        return same_members(a, b, but) && has_members(b, a, but);
    }
    return false;
}

static const struct json *parse(struct arena *a, struct buf *b)
{
    const struct json *v = NULL;
    json_parse(a, buf_str(b), b->len, NULL, &v, NULL);
    buf_done(b);
    return v;
}

const struct json *with_text(struct arena *a, const struct json *v, const char *key,
                             const char *text)
{
    struct buf b;
    struct json_writer w;
    if (!v || v->type != JSON_OBJECT)
        return v;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(v->members[i].key, key) != 0)
            json_value(&w, v->members[i].key, &v->members[i].value);
    json_str_opt(&w, key, text);
    json_end(&w);
    return parse(a, &b);
}

const struct json *without_last(struct arena *a, const struct json *v, const char *key)
{
    struct buf b;
    struct json_writer w;
    const struct json *list = json_get(v, key);
    if (!list || list->type != JSON_ARRAY || !list->n)
        return v;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < v->n; i++) {
        if (&v->members[i].value != list) {
            json_value(&w, v->members[i].key, &v->members[i].value);
            continue;
        }
        json_arr(&w, key);
        for (uint32_t k = 0; k + 1 < list->n; k++)
            json_value(&w, NULL, &list->items[k]);
        json_end(&w);
    }
    json_end(&w);
    return parse(a, &b);
}

int64_t instant_of(const struct json *event, const char *member, const struct tz *zone)
{
    const struct json *v = json_get(event, member);
    const char *text = json_get_str(v, "dateTime");
    struct stamp at;
    int64_t days;
    if (text && stamp_parse(text, strlen(text), false, &at) == 0)
        return at.local_us / US_PER_SECOND - at.offset;
    text = json_get_str(v, "date");
    if (text && date_parse(text, strlen(text), &days) == 0)
        return tz_to_utc(zone, days * SECONDS_PER_DAY);
    return 0;
}

bool is_cancelled(const struct json *event)
{
    const char *status = json_get_str(event, "status");
    return status && strcmp(status, "cancelled") == 0;
}

const char *item_id(const struct json *item)
{
    const char *id = json_get_str(item, "id");
    return id ? id : "";
}

const struct json *find_item(const struct json *items, const char *id)
{
    for (uint32_t i = 0; items && i < items->n; i++)
        if (strcmp(item_id(&items->items[i]), id) == 0)
            return &items->items[i];
    return NULL;
}
