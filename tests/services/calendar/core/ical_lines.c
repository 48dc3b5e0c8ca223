/* SPDX-License-Identifier: Apache-2.0 */
/* Content lines of iCalendar, the texts in them, and zones that say themselves what they are. */
#include "services/calendar/core/ical/ical_line.h"
#include "engine/base/err.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/calendar/core/ical/ical_zone.h"
#include "tests/support/unit.h"

static struct arena arena;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

/* ---- lines ---- */

static void lines_are_joined(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t len; /* 0: all */
        const char *joined;
    } all[] = {
        {"a\r\nb\r\n", 0, "a\nb\n"},
        {"a\r\n b\r\n", 0, "ab\n"},
        {"a\n\tb\n  c", 0, "ab c"},
        {"a\n\n b", 0, "a\nb"},
        {"a\n", 0, "a\n"},
        {"a\n b", 2, "a\n"},
        {"a\n b", 3, "a"},
        {"\n a", 0, "a"},
        {" a\n", 0, " a\n"},
        {"a\0b\rc", 5, "abc"},
        {"\xc3\n \xa9\xff.", 0, "\xc3\xa9."},
        {"", 0, ""},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        assert_string_equal(
            ical_unfold(&arena, all[i].text, all[i].len ? all[i].len : strlen(all[i].text)),
            all[i].joined);
}

/* The line as it was read: "name|parameter=value|...|:value"; "-": it is none. */
static const char *split(const char *text)
{
    struct ical_line l;
    if (!ical_split(arena_strdup(&arena, text), &l))
        return "-";
    const char *ret = arena_printf(&arena, "%s|", l.name);
    for (int i = 0; i < l.n; i++)
        ret = arena_printf(&arena, "%s%s=%s|", ret, l.params[i].name, l.params[i].value);
    return arena_printf(&arena, "%s:%s", ret, l.value);
}

static void lines_are_taken_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text, *parts;
    } all[] = {
        {"A:b", "A|:b"},
        {"A:b:c;d=e", "A|:b:c;d=e"},
        {":", "|:"},
        {"A:", "A|:"},
        {"A;X=1:b", "A|X=1|:b"},
        {"A;X=1;Y=2:b", "A|X=1|Y=2|:b"},
        {"A;X=1=2:b", "A|X=1=2|:b"},
        {"A;X=:b", "A|X=|:b"},
        {"A;=1:b", "A|=1|:b"},
        {"A;X=\"a;b:c\";Y=\"\":d", "A|X=a;b:c|Y=|:d"},
        {"A;X=a\":;\"b\"=\"c:d", "A|X=a:;b=c|:d"},
        {"A;X:b", "A|:b"},
        {"A;X;Y=1:b", "A|Y=1|:b"},
        {"A;:b", "A|:b"},
        {"", "-"},
        {"A", "-"},
        {"A;", "-"},
        {"A;X", "-"},
        {"A;X=1", "-"},
        {"A;X=1;", "-"},
        {"A;X=\"1:b", "-"},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if (strcmp(split(all[i].text), all[i].parts) != 0)
            fail_msg("%s: %s", all[i].text, split(all[i].text));
}

static void parameters_beyond_the_limit_are_passed_over(void **state)
{
    (void)state;
    const char *text = "A", *parts = "A|";
    for (int i = 0; i < ICAL_MAX_PARAMS + 3; i++) {
        text = arena_printf(&arena, "%s;P%d=%d", text, i, i);
        if (i < ICAL_MAX_PARAMS)
            parts = arena_printf(&arena, "%sP%d=%d|", parts, i, i);
    }
    assert_string_equal(split(arena_printf(&arena, "%s:b", text)),
                        arena_printf(&arena, "%s:b", parts));
}

static void parameters_are_known_in_any_case(void **state)
{
    (void)state;
    struct ical_line l;
    assert_true(ical_split(arena_strdup(&arena, "A;Role=Chair;role=other;X=y:b"), &l));
    assert_string_equal(ical_param(&l, "ROLE"), "Chair"); /* the first */
    assert_string_equal(ical_param(&l, "x"), "y");
    assert_null(ical_param(&l, "RO"));
    assert_null(ical_param(&l, "A"));
    assert_true(ical_param_is(&l, "ROLE", "CHAIR"));
    assert_false(ical_param_is(&l, "ROLE", "OTHER"));
    assert_false(ical_param_is(&l, "Y", "y"));
}

static void texts_are_without_escapes_and_controls(void **state)
{
    (void)state;
    static const struct {
        const char *text, *plain;
    } all[] = {
        {"a b", "a b"},
        {"a\\nb\\Nc", "a\nb\nc"},
        {"\\\\n\\;\\,\\:\\x", "\\n;,:x"},
        {"a\\", "a\\"},
        {"\t\n\x1f\x1e\x0b\x7f ", "\t\n\x7f "},
        {"\xc3\xa9\xf0\x9f\x98\x80", "\xc3\xa9\xf0\x9f\x98\x80"},
        {"\\\x01", NULL},
        {"\x01\r", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const char *plain = ical_plain(arena_strdup(&arena, all[i].text));
        if (all[i].plain)
            assert_string_equal(plain, all[i].plain);
        else
            assert_null(plain);
    }
}

static void texts_of_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *text, *plain;
    } all[] = {
        {"a b", "a b"},
        {"^'a^'", "\"a\""},
        {"a^nb", "a b"},
        {"^^n", "^n"},
        {"^", "^"},
        {"^xa^", "^xa^"},
        {"\\n", "\\n"},
        {"a\t\x1f\x0a"
         "b",
         "ab"},
        {"\xc3\xa9", "\xc3\xa9"},
        {"\x01", NULL},
        {"", NULL},
        {NULL, NULL},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const char *plain =
            ical_plain_param(all[i].text ? arena_strdup(&arena, all[i].text) : NULL);
        if (all[i].plain)
            assert_string_equal(plain, all[i].plain);
        else
            assert_null(plain);
    }
}

/* ---- zones ---- */

static int64_t at(int year, int month, int day, int hour)
{
    struct civil c = {year, month, day, hour, 0, 0, 0};
    return civil_to_seconds(&c);
}

static void names_of_zones(void **state)
{
    (void)state;
    static const struct {
        const char *name, *zone;
    } all[] = {
        {"Europe/Rome", "Europe/Rome"},
        {"UTC", "UTC"},
        {"AUS Central Standard Time", "Australia/Darwin"},
        {"yukon standard time", "America/Whitehorse"},
        {"/Europe/Rome", "Europe/Rome"},
        {"/x.example/2026/Europe/Rome", "Europe/Rome"},
        {"/x/America/Argentina/Salta", "America/Argentina/Salta"},
        {"/x/UTC", "UTC"},
        {"x/Europe/Rome", NULL},
        {"/Europe/Nowhere", NULL},
        {"//", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct tz *tz = ical_zone_named(all[i].name);
        if (all[i].zone)
            assert_string_equal(tz ? tz_name(tz) : all[i].name, all[i].zone);
        else
            assert_null(tz);
    }
}

static void onsets_near_a_time(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        int n, years[4]; /* of the onsets, at the first of April */
    } all[] = {
        {NULL, 1, {2000}},
        {"RRULE:FREQ=NEVER", 1, {2000}},
        {"RRULE:FREQ=YEARLY", 4, {2000, 2026, 2027, 2028}},
        {"RRULE:FREQ=YEARLY;COUNT=1", 1, {2000}},
        {"RRULE:FREQ=YEARLY;COUNT=3", 1, {2002}},
        {"RRULE:FREQ=YEARLY;COUNT=26", 1, {2025}},
        {"RRULE:FREQ=YEARLY;COUNT=27", 2, {2000, 2026}},
        {"RRULE:FREQ=YEARLY;UNTIL=20100401T000000Z", 1, {2010}},
        {"RRULE:FREQ=YEARLY;UNTIL=20270401T000000Z", 3, {2000, 2026, 2027}},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct ical_zone z = {.name = "z", .n = 1};
        z.observances[0] =
            (struct ical_observance){.start_s = at(2000, 4, 1, 0), .rule = all[i].rule};
        ical_zone_prepare(&arena, &z, at(2026, 7, 1, 0));
        assert_int_equal(z.observances[0].n_onsets, all[i].n);
        for (int k = 0; k < all[i].n; k++)
            assert_int_equal(z.observances[0].onsets[k], at(all[i].years[k], 4, 1, 0));
    }
    /* The first time that is looked at is 400 days before. */
    struct ical_zone z = {.name = "z", .n = 1};
    z.observances[0] = (struct ical_observance){.start_s = at(2000, 4, 1, 0),
                                                .rule = "RRULE:FREQ=YEARLY;COUNT=26"};
    ical_zone_prepare(&arena, &z, at(2025, 4, 1, 0) + 400 * SECONDS_PER_DAY);
    assert_int_equal(z.observances[0].n_onsets, 2);
    assert_int_equal(z.observances[0].onsets[0], at(2000, 4, 1, 0));
    assert_int_equal(z.observances[0].onsets[1], at(2025, 4, 1, 0));
}

static void the_newest_onset_counts(void **state)
{
    (void)state;
    struct ical_zone z = {.name = "z"};
    assert_int_equal(ical_zone_offset(&z, 0), 0); /* it says nothing */
    static const struct {
        int year, hours;
    } all[] = {{2010, 2}, {2020, 5}, {2015, 3}, {2015, 4}};
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        z.observances[z.n++] = (struct ical_observance){.start_s = at(all[i].year, 1, 1, 2),
                                                        .offset = 3600 * all[i].hours};
    ical_zone_prepare(&arena, &z, at(2026, 1, 1, 0));
    static const struct {
        int year, hour, hours;
    } asked[] = {{2009, 0, 2}, {2010, 2, 2}, {2015, 1, 2}, {2015, 2, 3},
                 {2019, 0, 3}, {2020, 1, 3}, {2020, 2, 5}, {2026, 0, 5}};
    for (size_t i = 0; i < SOSIA_LEN(asked); i++)
        assert_int_equal(ical_zone_offset(&z, at(asked[i].year, 1, 1, asked[i].hour)),
                         3600 * asked[i].hours);
    /* Before all of them, the first that is said. */
    z.observances[0].offset = -3600;
    z.observances[0].onsets[0] = at(2024, 1, 1, 0);
    assert_int_equal(ical_zone_offset(&z, at(2000, 1, 1, 0)), -3600);
    /* All of them before 1970. */
    z = (struct ical_zone){.name = "z", .n = 2};
    z.observances[0] = (struct ical_observance){.start_s = at(1950, 1, 1, 0), .offset = 3600};
    z.observances[1] = (struct ical_observance){.start_s = at(1960, 1, 1, 0), .offset = 7200};
    ical_zone_prepare(&arena, &z, at(1980, 1, 1, 0));
    assert_int_equal(ical_zone_offset(&z, at(1980, 1, 1, 0)), 7200);
}

static struct ical_zone zone(int n, const int *hours, const int64_t *starts)
{
    struct ical_zone z = {.name = "z", .n = n};
    for (int i = 0; i < n; i++)
        z.observances[i] =
            (struct ical_observance){.start_s = starts[i], .offset = hours[i] * 3600};
    ical_zone_prepare(&arena, &z, starts[0]);
    return z;
}

static void assert_zone(const struct ical_zone *z, const char *home, const char *name)
{
    const struct tz *tz = ical_zone_match(z, at(2026, 7, 10, 9), home ? tz_find(home) : NULL);
    assert_string_equal(tz ? tz_name(tz) : "none", name);
}

static void a_zone_that_has_the_same_offsets_in_the_year(void **state)
{
    (void)state;
    const int64_t changes[] = {at(2026, 3, 29, 2), at(2026, 10, 25, 3), at(2027, 3, 28, 2)};
    struct ical_zone z = zone(3, (int[]){2, 1, 2}, changes);
    assert_zone(&z, "Europe/Rome", "Europe/Rome");
    assert_zone(&z, "Europe/Berlin", "Europe/Berlin");
    assert_zone(&z, "Asia/Tokyo", "Africa/Ceuta"); /* the first by name */
    assert_zone(&z, NULL, "Africa/Ceuta");
    z = zone(1, (int[]){1}, changes);
    assert_zone(&z, "Europe/Rome", "Africa/Algiers");
    assert_zone(&z, "Africa/Lagos", "Africa/Lagos");
    z = zone(1, (int[]){0}, changes);
    assert_zone(&z, NULL, "Africa/Abidjan");
    /* One that changes its clock as no other does, be it at the year's end. */
    z = zone(2, (int[]){1, 2}, (int64_t[]){changes[0], at(2027, 7, 1, 0)});
    assert_zone(&z, "Africa/Lagos", "none");
    z = zone(2, (int[]){1, 2}, (int64_t[]){changes[0], at(2027, 7, 10, 0)});
    assert_zone(&z, "Africa/Lagos", "Africa/Lagos");
    z = zone(2, (int[]){2, 1}, (int64_t[]){changes[0], at(2026, 8, 1, 0)});
    assert_zone(&z, "Africa/Lagos", "none");
}

#define test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(lines_are_joined),
        test(lines_are_taken_apart),
        test(parameters_beyond_the_limit_are_passed_over),
        test(parameters_are_known_in_any_case),
        test(texts_are_without_escapes_and_controls),
        test(texts_of_parameters),
        test(names_of_zones),
        test(onsets_near_a_time),
        test(the_newest_onset_counts),
        test(a_zone_that_has_the_same_offsets_in_the_year),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
