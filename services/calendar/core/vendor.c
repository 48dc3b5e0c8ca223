/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor of a calendar that no dialect speaks for. */
#include "services/calendar/core/vendor.h"
#include "engine/world/core.h"
#include "engine/world/take.h"

static const char *plain_uid(struct tx *tx, const char *key)
{
    return arena_printf(tx->arena, "%s@calendar.invalid", key);
}

static const struct cal_vendor plain = {
    .name = "",
    .uid = plain_uid,
    .key = cal_event_uid_key,
    .address_keys = true,
    .guests_never = PART_RIGHTS,
    .guests_all = PARTS_SHARED & ~(unsigned)PART_STATUS,
    .guests_invite = true,
    .copy_time = COPY_BLOCKS,
};

const struct cal_vendor *cal_vendor_named(const struct tx *tx, const char *name)
{
    const struct cal_vendor *v = core_policy_named(tx, CALENDAR_CORE, name);
    return v ? v : &plain;
}

size_t cal_vendors(const struct tx *tx)
{
    size_t n = 0;
    while (core_policy_nth(tx, CALENDAR_CORE, n))
        n++;
    return n;
}

int cal_vendors_meet(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from cal_calendar where vendor is not null limit 1");
    if (cal_vendors(tx) < 2)
        return 0;
    return TX_ANY(tx, TX_PLAIN(tx, &q));
}

const char *cal_vendor_key(struct tx *tx, const struct cal_vendor *from,
                           const struct cal_vendor *to, const struct cal_event *ev)
{
    return from == to ? cal_event_series_key(tx, ev) : to->key(tx, ev->uid);
}

enum cal_busy cal_copy_busy(const struct cal_vendor *v, const struct cal_event *ev,
                            enum cal_response response)
{
    if (v->copy_time == COPY_BLOCKS)
        return BUSY_BUSY;
    return response == RESPONSE_ACCEPTED   ? ev->busy
           : response == RESPONSE_DECLINED ? BUSY_FREE
                                           : BUSY_TENTATIVE;
}

int cal_lists_turn(struct tx *tx, const struct calendar *cal, enum cal_turn turn)
{
    const struct cal_vendor *v;
    for (size_t i = 0; (v = core_policy_nth(tx, CALENDAR_CORE, i)); i++)
        if (v->lists && (turn != CAL_MADE || v == cal->vendor) && v->lists->turn(tx, cal, turn) < 0)
            return -1;
    return 0;
}

const struct cal_lists *cal_lists_of(const struct tx *tx)
{
    const struct cal_vendor *v;
    for (size_t i = 0; (v = core_policy_nth(tx, CALENDAR_CORE, i)); i++)
        if (v->lists)
            return v->lists;
    return NULL;
}

int cal_made_find(struct tx *tx, const char *key, int64_t id, struct calendar *ret)
{
    const struct cal_vendor *v;
    for (size_t i = 0; (v = core_policy_nth(tx, CALENDAR_CORE, i)); i++) {
        int r = !v->made ? 0 : key ? v->made->by_key(tx, key, ret) : v->made->by_id(tx, id, ret);
        if (r == 1)
            ret->vendor = v;
        if (r)
            return r;
    }
    return 0;
}
