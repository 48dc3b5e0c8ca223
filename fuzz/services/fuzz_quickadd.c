/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a sentence: the event has a length, its title is no longer than the text, and its
 * rule can be read. */
#include "engine/base/err.h"
#include "services/calendar/google/quickadd/quickadd.h"
#include "services/calendar/core/recur/recur.h"
#include "fuzz/fuzz.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const zones[] = {"America/New_York", "Pacific/Apia", "UTC"};
    struct arena a;
    struct quickadd q;
    const struct recur *recur;
    struct sosia_err err;
    const struct tz *tz = tz_find(zones[size % 3]);
    const struct quickadd_how how = {
        .minutes = 60, .ahead = size / 3 % 2, .from_match = size / 6 % 2};
    arena_init(&a, 0);
    quickadd_parse(&a, (const char *)data, size, INT64_C(1773324000) + (int64_t)size * 40009, tz,
                   &how, &q);
    CHECK(q.start_s < q.end_s);
    CHECK(strlen(q.summary) <= size);
    CHECK(q.n_guests <= QUICKADD_GUESTS);
    CHECK(!q.location || (q.location[0] && strlen(q.location) <= size));
    struct recur_start start = {.all_day = q.all_day,
                                .tz = tz,
                                .local_s = q.start_s + (q.all_day ? 0 : tz_offset(tz, q.start_s))};
    CHECK(!q.all_day || (q.start_s % 86400 == 0 && q.end_s % 86400 == 0));
    CHECK(!q.recurrence || recur_parse(&a, &q.recurrence, 1, &start, &recur, &err) == 0);
    arena_done(&a);
    return 0;
}
