/* SPDX-License-Identifier: Apache-2.0 */
/* A first line that says when a series starts and where ("20260105T090000 Europe/Rome"), and
 * lines of recurrence. What is accepted must give its times in order, from its start and from
 * the middle alike, and within the promised steps. */
#include "engine/base/err.h"
#include "services/calendar/core/recur/recur.h"
#include "fuzz/fuzz.h"
#include <string.h>

#define MOST 30

static unsigned split(char *text, const char **lines, unsigned max)
{
    unsigned n = 0;
    for (char *save, *one = strtok_r(text, "\n", &save); one && n < max;
         one = strtok_r(NULL, "\n", &save))
        lines[n++] = one;
    return n;
}

static void check_steps(const struct recur_iter *it)
{
    for (unsigned i = 0; i < 2 * RECUR_MAX_RULES; i++)
        CHECK(!it->rules[i].walk.rule || it->rules[i].walk.steps < 2 * RRULE_STEPS);
}

static void check_middle(const struct recur *recur, const struct recur_instance *all, unsigned n,
                         bool ended)
{
    static struct recur_iter it;
    struct recur_instance got;
    unsigned k = n / 2;
    int64_t from = k ? all[k - 1].utc_s + 1 : RECUR_BEGINNING;
    recur_iter_init(&it, recur, from);
    for (; k < n; k++) {
        CHECK(recur_next(&it, &got));
        CHECK(got.utc_s == all[k].utc_s && got.local_s == all[k].local_s);
    }
    CHECK(!ended || !recur_next(&it, &got));
    CHECK(!n || recur_contains(recur, all[n / 2].utc_s));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct recur_iter it;
    struct recur_instance all[MOST];
    struct arena a;
    arena_init(&a, 0);
    const char *lines[64], *zone;
    unsigned n = split(arena_memdup(&a, data, size), lines, SOSIA_LEN(lines));
    struct recur_start start = {0};
    enum rrule_form form;
    const struct recur *recur;
    struct sosia_err err;
    if (!n)
        goto done;
    zone = strchr(lines[0], ' ');
    if (rrule_time(lines[0], zone ? (size_t)(zone - lines[0]) : strlen(lines[0]), &form,
                   &start.local_s) < 0)
        goto done;
    start.all_day = form == RRULE_FORM_DATE;
    start.tz = zone ? tz_find(zone + 1) : NULL;
    if (recur_parse(&a, lines + 1, n - 1, &start, &recur, &err) < 0) {
        CHECK(err.code == SOSIA_E_INVALID && err.text[0]);
        goto done;
    }
    memset(&it, 0, sizeof it);
    recur_iter_init(&it, recur, RECUR_BEGINNING);
    unsigned found = 0;
    while (found < MOST && recur_next(&it, &all[found])) {
        CHECK(!found || all[found].utc_s > all[found - 1].utc_s);
        CHECK(all[found].utc_s <= recur_last(recur));
        found++;
        check_steps(&it);
    }
    if (!it.gave_up)
        check_middle(recur, all, found, found < MOST);
done:
    arena_done(&a);
    return 0;
}
