/* SPDX-License-Identifier: Apache-2.0 */
/* What sections of seed documents have in common: members that are read and written. */
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/chat/core/impl.h"

/* ---- read ---- */

int chat_doc_key(struct doc *d, const struct json *v, const char *letters, const char **ret)
{
    if (doc_str(d, v, "id", false, ret) < 0)
        return -1;
    const char *key = *ret;
    if (!key)
        return 0;
    size_t n = strlen(key);
    if (n < 2 || n > 40 || !strchr(letters, key[0]) ||
        strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != n)
        return doc_fail(
            d, json_get(v, "id"), "id",
            "\"%.80s\" is not an id of capitals, digits and _ that begins with one of %s", key,
            letters);
    return 0;
}

int chat_doc_new_key(struct doc *d, const struct json *v, const struct chat_vendor *vendor,
                     enum chat_thing thing, const char **ret)
{
    if (!vendor->is_key)
        return chat_doc_key(d, v, vendor->letters[thing], ret);
    if (doc_str(d, v, "id", false, ret) < 0)
        return -1;
    return !*ret || vendor->is_key(thing, *ret)
               ? 0
               : doc_fail(d, json_get(v, "id"), "id",
                          "\"%.120s\" is not an id of the workspace's vendor", *ret);
}

/* A time of the document in a zone; absent: *ret stays. */
int chat_doc_time(struct doc *d, const struct json *v, const char *member, const char *zone,
                  int64_t *ret_us)
{
    const struct tz *tz = tz_find(zone);
    const char *text;
    struct stamp stamp;
    int64_t days;
    if (doc_str(d, v, member, false, &text) < 0)
        return -1;
    if (!text)
        return 0;
    if (!tz)
        tz = tz_find("UTC");
    size_t n = strlen(text);
    if (date_parse(text, n, &days) == 0) {
        *ret_us = tz_to_utc(tz, days * SECONDS_PER_DAY) * US_PER_SECOND;
        return 1;
    }
    if (n == 16 && text[10] == 'T') { /* seconds may be left out */
        text = arena_printf(d->arena, "%s:00", text);
        n += 3;
    }
    if (stamp_parse(text, n, true, &stamp) < 0 || stamp.local_us < US_PER_DAY)
        return doc_fail(d, json_get(v, member), member,
                        "\"%.40s\" is not a time such as 2026-11-23T10:00", text);
    int64_t s = stamp.local_us / US_PER_SECOND, us = stamp.local_us % US_PER_SECOND;
    s = stamp.has_offset ? s - stamp.offset : tz_to_utc(tz, s);
    *ret_us = s * US_PER_SECOND + us;
    return 1;
}

int chat_doc_second(struct doc *d, const struct json *v, const char *member, int64_t otherwise,
                    int64_t *ret_s)
{
    const struct json *value = json_get(v, member);
    int64_t us;
    if (!value || value->type != JSON_STRING)
        return doc_int(d, v, member, 0, CHAT_LAST_SECOND, otherwise, ret_s);
    if (chat_doc_time(d, v, member, "UTC", &us) < 0)
        return -1;
    if (us < 0 || us / US_PER_SECOND > CHAT_LAST_SECOND)
        return doc_fail(d, value, member, CHAT_OUT_OF_TIME);
    *ret_s = us / US_PER_SECOND;
    return 0;
}

int chat_doc_instant(struct doc *d, const struct json *v, const char *member, int64_t otherwise,
                     int64_t *ret_us)
{
    const struct json *value = json_get(v, member);
    if (!value || value->type != JSON_STRING) {
        if (doc_int(d, v, member, 0, CHAT_LAST_INSTANT, otherwise, ret_us) < 0)
            return -1;
        if (value && value->type == JSON_NUMBER && *ret_us <= CHAT_LAST_SECOND)
            *ret_us *= US_PER_SECOND;
        return 0;
    }
    int64_t us;
    if (chat_doc_time(d, v, member, "UTC", &us) < 0)
        return -1;
    if (us < 0 || us > CHAT_LAST_INSTANT)
        return doc_fail(d, value, member, CHAT_OUT_OF_TIME);
    *ret_us = us;
    return 0;
}

/* A member of any shape, kept as JSON; NULL: absent. */
const char *chat_doc_json(struct doc *d, const struct json *v, const char *member)
{
    const struct json *value = json_get(v, member);
    return value && value->type != JSON_NULL ? json_to_text(d->arena, value) : NULL;
}

int chat_doc_shaped(struct doc *d, const struct json *v, const char *member, enum json_type type,
                    const char **ret)
{
    const struct json *value = json_get(v, member);
    *ret = chat_doc_json(d, v, member);
    return !*ret || value->type == type
               ? 0
               : doc_expect(d, value, member, type == JSON_ARRAY ? "a list" : "an object");
}

/* ---- written ---- */

void chat_dump_instant(struct json_writer *w, const char *member, int64_t us)
{
    char text[STAMP_TEXT];
    stamp_format(text, us, 0, us % US_PER_SECOND ? 6 : 0, true);
    json_str(w, member, text);
}

void chat_dump_unless(struct json_writer *w, const char *member, const char *text,
                      const char *usual)
{
    if (text && strcmp(text, usual) != 0)
        json_str(w, member, text);
}

void chat_dump_raw(struct json_writer *w, const char *member, const char *json)
{
    if (json)
        json_raw(w, member, json, strlen(json));
}

void chat_dump_ts(struct json_writer *w, const char *member, int64_t us)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, us);
    json_str(w, member, ts);
}
