/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/calendar/core/recur_check.h"

struct arena arena;

int set_up(void **state)
{
    arena_init(&arena, 0);
    return 0;
}

int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

int64_t reading(const char *text)
{
    enum rrule_form form;
    int64_t s;
    if (rrule_time(text, strlen(text), &form, &s) < 0)
        fail_msg("bad time %s", text);
    return s;
}

const struct recur *parse(const char *start, const char *zone, const char *lines,
                          struct sosia_err *err)
{
    const char *list[64];
    size_t n = 0;
    char *copy = arena_strdup(&arena, lines);
    for (char *save, *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save))
        list[n++] = one;
    struct recur_start s = {.all_day = strlen(start) == 8, .local_s = reading(start)};
    if (zone)
        s.tz = tz_find(zone);
    const struct recur *recur;
    return recur_parse(&arena, list, n, &s, &recur, err) < 0 ? NULL : recur;
}

const struct recur *set(const char *start, const char *zone, const char *lines)
{
    struct sosia_err err;
    const struct recur *recur = parse(start, zone, lines, &err);
    if (!recur)
        fail_msg("%s: %s", lines, err.text);
    return recur;
}

static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

void check_from(const char *start, const char *zone, const char *lines, int64_t from,
                const char *expect)
{
    const struct recur *recur = set(start, zone, lines);
    struct recur_iter it;
    struct recur_instance got;
    int64_t usual = (reading(start) % 86400 + 86400) % 86400, last = INT64_MIN;
    int year = 0, month = 0, n = 0;
    char *copy = arena_strdup(&arena, expect);
    recur_iter_init(&it, recur, from);
    for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        const char *named = strlen(word) == 3 ? strstr(months, word) : NULL;
        if (!strcmp(word, ".")) {
            if (recur_next(&it, &got))
                fail_msg("%s %s: a start too many, %lld after %d", start, lines,
                         (long long)got.local_s, n);
            return;
        }
        if (named) {
            month = (int)(named - months) / 3 + 1;
            continue;
        }
        if (strlen(word) == 4) {
            year = atoi(word);
            continue;
        }
        const char *at = strchr(word, '@');
        int64_t want = days_from_civil(year, month, atoi(word)) * 86400;
        want += at ? (atoi(at + 1) / 100 * 60 + atoi(at + 1) % 100) * 60 : usual;
        n++;
        if (!recur_next(&it, &got))
            fail_msg("%s %s: ends before no. %d, %s", start, lines, n, word);
        if (got.local_s != want) {
            char have[STAMP_TEXT];
            stamp_format(have, got.local_s * US_PER_SECOND, 0, 0, true);
            fail_msg("%s %s: no. %d is %s, not %d-%d-%s", start, lines, n, have, year, month, word);
        }
        if (!got.utc_s || got.utc_s <= last)
            fail_msg("%s %s: no. %d is out of order", start, lines, n);
        last = got.utc_s;
    }
}

void check(const char *start, const char *zone, const char *lines, const char *expect)
{
    check_from(start, zone, lines, RECUR_BEGINNING, expect);
}
