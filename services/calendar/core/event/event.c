/* SPDX-License-Identifier: Apache-2.0 */
/* Finding events by key, UID and original start; their properties. */
#include "engine/base/codec.h"
#include "services/calendar/core/vendor.h"
#include "services/calendar/core/event/event_impl.h"
#include "engine/world/event.h"

/* The stamp of an instance's key: "20261123" or "20261123T090000Z". */
static bool read_stamp(const char *s, bool *ret_day, int64_t *ret_us)
{
    struct civil c = {0};
    size_t n = strlen(s);
    int v[6] = {0};
    static const int at[] = {0, 4, 6, 9, 11, 13}, len[] = {4, 2, 2, 2, 2, 2};
    if (n != 8 && !(n == 16 && s[8] == 'T' && s[15] == 'Z'))
        return false;
    for (int i = 0; i < (n == 8 ? 3 : 6); i++) {
        for (int k = 0; k < len[i]; k++) {
            char d = s[at[i] + k];
            if (d < '0' || d > '9')
                return false;
            v[i] = v[i] * 10 + (d - '0');
        }
    }
    c = (struct civil){v[0], v[1], v[2], v[3], v[4], v[5], 0};
    if (c.year < 1 || c.month < 1 || c.month > 12 || c.day < 1 ||
        c.day > days_in_month(c.year, c.month) || c.hour > 23 || c.minute > 59 || c.second > 59)
        return false;
    *ret_day = n == 8;
    *ret_us = civil_to_seconds(&c) * US_PER_SECOND;
    return true;
}

int cal_event_find(struct tx *tx, const struct calendar *cal, const char *key,
                   struct cal_event *ret)
{
    struct cal_event series;
    bool day;
    int64_t us;
    if (calendar_is_made(cal))
        return cal->vendor->made->find(tx, cal, key, ret);
    int r = cal_event_by_key(tx, cal, key, ret);
    /* The trace of an instance that the series no longer had; it may have it again. */
    bool trace = r == 1 && ret->form == EVENT_INSTANCE && !ret->master && !ret->removed &&
                 ret->status == EVENT_CANCELLED;
    const char *cut = r == 0 || trace ? strrchr(key, '_') : NULL;
    if (!cut || cut == key || !read_stamp(cut + 1, &day, &us))
        return r;
    r = cal_event_by_key(tx, cal, arena_memdup(tx->arena, key, (size_t)(cut - key)), &series);
    if (r != 1 || series.form != EVENT_SERIES || series.all_day != day ||
        (trace && series.status == EVENT_CANCELLED))
        return r < 0 ? -1 : trace;
    r = series_instance(tx, cal, &series, us, ret);
    return r ? r : trace;
}

int cal_event_instance(struct tx *tx, const struct calendar *cal, const struct cal_event *series,
                       bool all_day, int64_t original_us, struct cal_event *ret)
{
    return cal_event_find(tx, cal, cal_event_instance_key(tx, series->key, all_day, original_us),
                          ret);
}

int cal_event_by_uid(struct tx *tx, const struct calendar *cal, const char *uid,
                     struct cal_event *ret)
{
    const char *domain = strchr(uid, '@');
    int r = cal_event_with_uid(tx, cal, uid, ret);
    if (r || !domain)
        return r;
    r = cal_event_by_key(tx, cal, arena_memdup(tx->arena, uid, (size_t)(domain - uid)), ret);
    return r == 1 && !str_same(ret->uid, uid) ? 0 : r;
}

void cal_event_count_props(struct arena *a, const char *props, size_t *n, size_t *bytes)
{
    const struct json *v;
    struct sosia_err err;
    if (!props || json_parse(a, props, strlen(props), NULL, &v, &err) < 0)
        return;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++) {
        *n += 1;
        *bytes += v->members[i].key_len + v->members[i].value.n;
    }
}

int cal_event_count_other_props(struct tx *tx, const struct cal_event *ev, size_t *n, size_t *bytes)
{
    static struct sql_text q =
        SQL_TEXT("select own_props from cal_event where (id = :origin or origin = :origin) "
                 "and id <> :id and own_props is not null");
    sqlite3_stmt *st = TX_QUERY(tx, &q, ev->origin ? ev->origin : ev->id, ev->id);
    if (!st)
        return -1;
    int r;
    while ((r = TX_STEP(tx, st)) == 1)
        cal_event_count_props(tx->arena, (const char *)sqlite3_column_text(st, 0), n, bytes);
    return r;
}
