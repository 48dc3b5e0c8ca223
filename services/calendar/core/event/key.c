/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of events and their instances, and what an event alone says. */
#include "engine/base/codec.h"
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/core/vendor.h"

int64_t cal_event_instant(const struct tz *zone, bool all_day, int64_t us)
{
    return all_day ? tz_to_utc(zone, us / US_PER_SECOND) * US_PER_SECOND : us;
}

const char *cal_event_series_key(struct tx *tx, const struct cal_event *ev)
{
    const char *cut = ev->form == EVENT_INSTANCE ? strrchr(ev->key, '_') : NULL;
    return cut ? arena_memdup(tx->arena, ev->key, (size_t)(cut - ev->key)) : ev->key;
}

const char *cal_event_uid_key(struct tx *tx, const char *uid)
{
    struct buf b;
    buf_init(&b, 0);
    buf_byte(&b, '_');
    base32hex_add(&b, uid, strlen(uid));
    return buf_keep(&b, tx->arena);
}

static char *digits(char *p, int v, int n)
{
    for (int i = n - 1; i >= 0; i--, v /= 10)
        p[i] = (char)('0' + v % 10);
    return p + n;
}

/* Made for every instance in a response: no formatter. */
const char *cal_event_instance_key(struct tx *tx, const char *series, bool all_day,
                                   int64_t original_us)
{
    struct civil c;
    size_t n = strlen(series);
    char *key = arena_alloc(tx->arena, n + sizeof "_20261123T090000Z"), *p;
    if (arena_failed(tx->arena))
        return "";
    civil_from_seconds(original_us / US_PER_SECOND, &c);
    memcpy(key, series, n);
    p = key + n;
    *p++ = '_';
    p = digits(digits(digits(p, c.year, 4), c.month, 2), c.day, 2);
    if (!all_day) {
        *p++ = 'T';
        p = digits(digits(digits(p, c.hour, 2), c.minute, 2), c.second, 2);
        *p++ = 'Z';
    }
    *p = 0;
    return key;
}

int cal_event_span(const struct cal_event *ev)
{
    int64_t limit = SPAN_FIRST;
    int span = 0;
    if (ev->form == EVENT_SERIES) {
        span = ev->all_day ? SPAN_SERIES_DAYS : SPAN_SERIES;
    } else {
        for (; ev->len_us > limit && span < SPAN_CLASSES - 1; span++)
            limit *= SPAN_FACTOR;
        if (ev->all_day)
            span += SPAN_ALL_DAY;
    }
    return ev->status == EVENT_CANCELLED ? span + SPAN_CANCELLED : span;
}

int cal_event_self(const struct calendar *cal, const struct cal_event *ev)
{
    for (int i = 0; ev->attendees && i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, cal->address) == 0)
            return i;
    return -1;
}

bool cal_event_concealed(const struct calendar *cal, const struct cal_event *ev)
{
    if (cal->role == CAL_WRITE && cal->vendor->hides_private && !(cal->beyond & CAL_PRIVATE))
        return ev->visibility == VISIBLE_PRIVATE;
    if (cal->role >= CAL_WRITE || ev->visibility == VISIBLE_PUBLIC)
        return false;
    return cal->role == CAL_FREEBUSY || ev->visibility == VISIBLE_PRIVATE ||
           ev->visibility == VISIBLE_CONFIDENTIAL;
}

bool cal_event_named(const struct calendar *cal, const struct cal_event *ev)
{
    return cal->role == CAL_FREEBUSY && cal->beyond & CAL_TITLES &&
           ev->visibility != VISIBLE_PRIVATE && ev->visibility != VISIBLE_CONFIDENTIAL;
}
