/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrence: the instants of a series. */
#include "tests/services/calendar/core/recur_check.h"

/* ---- the examples of RFC 5545, 3.8.5.3 and 3.3.10 ---- */

static void daily_examples_of_rfc_5545(void **state)
{
    check("19970902T090000", NY, "RRULE:FREQ=DAILY;COUNT=10", "1997 Sep 2 3 4 5 6 7 8 9 10 11 .");
    check("19970902T090000", NY, "RRULE:FREQ=DAILY;UNTIL=19971224T000000Z",
          "1997 Sep 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
          "Oct 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 "
          "Nov 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
          "Dec 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 .");
    check("19970902T090000", NY, "RRULE:FREQ=DAILY;INTERVAL=2",
          "1997 Sep 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 Oct 2 4 6 8 10 12 14 16 18 20 22 24 "
          "26 28 "
          "30 Nov 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 Dec 1 3");
    check("19970902T090000", NY, "RRULE:FREQ=DAILY;INTERVAL=10;COUNT=5",
          "1997 Sep 2 12 22 Oct 2 12 .");
    const char *january = "1998 Jan 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 "
                          "25 26 27 28 29 30 31 "
                          "1999 Jan 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 "
                          "25 26 27 28 29 30 31 "
                          "2000 Jan 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 "
                          "25 26 27 28 29 30 31 .";
    check("19980101T090000", NY,
          "RRULE:FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA", january);
    check("19980101T090000", NY, "RRULE:FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1", january);
}

static void weekly_examples_of_rfc_5545(void **state)
{
    check("19970902T090000", NY, "RRULE:FREQ=WEEKLY;COUNT=10",
          "1997 Sep 2 9 16 23 30 Oct 7 14 21 28 Nov 4 .");
    check("19970902T090000", NY, "RRULE:FREQ=WEEKLY;UNTIL=19971224T000000Z",
          "1997 Sep 2 9 16 23 30 Oct 7 14 21 28 Nov 4 11 18 25 Dec 2 9 16 23 .");
    check("19970902T090000", NY, "RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU",
          "1997 Sep 2 16 30 Oct 14 28 Nov 11 25 Dec 9 23 1998 Jan 6 20 Feb 3 17");
    const char *five_weeks = "1997 Sep 2 4 9 11 16 18 23 25 30 Oct 2 .";
    check("19970902T090000", NY, "RRULE:FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH",
          five_weeks);
    check("19970902T090000", NY, "RRULE:FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH", five_weeks);
    check("19970901T090000", NY,
          "RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR",
          "1997 Sep 1 3 5 15 17 19 29 Oct 1 3 13 15 17 27 29 31 Nov 10 12 14 24 26 28 Dec 8 10 12 "
          "22 .");
    check("19970902T090000", NY, "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
          "1997 Sep 2 4 16 18 30 Oct 2 14 16 .");
    check("19970805T090000", NY, "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
          "1997 Aug 5 10 19 24 .");
    check("19970805T090000", NY, "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
          "1997 Aug 5 17 19 31 .");
}

static void monthly_examples_of_rfc_5545(void **state)
{
    check("19970905T090000", NY, "RRULE:FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
          "1997 Sep 5 Oct 3 Nov 7 Dec 5 1998 Jan 2 Feb 6 Mar 6 Apr 3 May 1 Jun 5 .");
    check("19970905T090000", NY, "RRULE:FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR",
          "1997 Sep 5 Oct 3 Nov 7 Dec 5 .");
    check("19970907T090000", NY, "RRULE:FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
          "1997 Sep 7 28 Nov 2 30 1998 Jan 4 25 Mar 1 29 May 3 31 .");
    check("19970922T090000", NY, "RRULE:FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
          "1997 Sep 22 Oct 20 Nov 17 Dec 22 1998 Jan 19 Feb 16 .");
    check("19970928T090000", NY, "RRULE:FREQ=MONTHLY;BYMONTHDAY=-3",
          "1997 Sep 28 Oct 29 Nov 28 Dec 29 1998 Jan 29 Feb 26");
    check("19970902T090000", NY, "RRULE:FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15",
          "1997 Sep 2 15 Oct 2 15 Nov 2 15 Dec 2 15 1998 Jan 2 15 .");
    check("19970930T090000", NY, "RRULE:FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
          "1997 Sep 30 Oct 1 31 Nov 1 30 Dec 1 31 1998 Jan 1 31 Feb 1 .");
    check("19970910T090000", NY,
          "RRULE:FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
          "1997 Sep 10 11 12 13 14 15 1999 Mar 10 11 12 13 .");
    check("19970902T090000", NY, "RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=TU",
          "1997 Sep 2 9 16 23 30 Nov 4 11 18 25 1998 Jan 6 13 20 27 Mar 3 10 17 24 31");
    check("19970902T090000", NY,
          "EXDATE;TZID=America/New_York:19970902T090000 RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
          "1998 Feb 13 Mar 13 Nov 13 1999 Aug 13 2000 Oct 13");
    check("19970913T090000", NY, "RRULE:FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
          "1997 Sep 13 Oct 11 Nov 8 Dec 13 1998 Jan 10 Feb 7 Mar 7 Apr 11 May 9 Jun 13");
    check("19970904T090000", NY, "RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
          "1997 Sep 4 Oct 7 Nov 6 .");
    check("19970929T090000", NY, "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
          "1997 Sep 29 Oct 30 Nov 27 Dec 30 1998 Jan 29 Feb 26 Mar 30");
    check("20070115T090000", NY, "RRULE:FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
          "2007 Jan 15 30 Feb 15 Mar 15 30 .");
}

static void yearly_examples_of_rfc_5545(void **state)
{
    check("19970610T090000", NY, "RRULE:FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
          "1997 Jun 10 Jul 10 1998 Jun 10 Jul 10 1999 Jun 10 Jul 10 2000 Jun 10 Jul 10 2001 Jun 10 "
          "Jul 10 .");
    check("19970310T090000", NY, "RRULE:FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
          "1997 Mar 10 1999 Jan 10 Feb 10 Mar 10 2001 Jan 10 Feb 10 Mar 10 2003 Jan 10 Feb 10 Mar "
          "10 .");
    check("19970101T090000", NY, "RRULE:FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
          "1997 Jan 1 Apr 10 Jul 19 2000 Jan 1 Apr 9 Jul 18 2003 Jan 1 Apr 10 Jul 19 2006 Jan 1 .");
    check("19970519T090000", NY, "RRULE:FREQ=YEARLY;BYDAY=20MO",
          "1997 May 19 1998 May 18 1999 May 17");
    check("19970512T090000", NY, "RRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
          "1997 May 12 1998 May 11 1999 May 17");
    check("19970313T090000", NY, "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
          "1997 Mar 13 20 27 1998 Mar 5 12 19 26 1999 Mar 4 11 18 25");
    check(
        "19970605T090000", NY, "RRULE:FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8",
        "1997 Jun 5 12 19 26 Jul 3 10 17 24 31 Aug 7 14 21 28 1998 Jun 4 11 18 25 Jul 2 9 16 23 30 "
        "Aug 6 13 20 27 1999 Jun 3 10 17 24 Jul 1 8 15 22 29 Aug 5 12 19 26");
    check("19961105T090000", NY,
          "RRULE:FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
          "1996 Nov 5 2000 Nov 7 2004 Nov 2");
}

static void examples_within_a_day_of_rfc_5545(void **state)
{
    /* as corrected by erratum 3883 */
    check("19970902T090000", NY, "RRULE:FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z",
          "1997 Sep 2@0900 2@1200 2@1500 .");
    check("19970902T090000", NY, "RRULE:FREQ=MINUTELY;INTERVAL=15;COUNT=6",
          "1997 Sep 2@0900 2@0915 2@0930 2@0945 2@1000 2@1015 .");
    check("19970902T090000", NY, "RRULE:FREQ=MINUTELY;INTERVAL=90;COUNT=4",
          "1997 Sep 2@0900 2@1030 2@1200 2@1330 .");
    const char *twenty = "1997 Sep 2@0900 2@0920 2@0940 2@1000 2@1020 2@1040 2@1100 2@1120 2@1140 "
                         "2@1200 2@1220 2@1240 2@1300 "
                         "2@1320 2@1340 2@1400 2@1420 2@1440 2@1500 2@1520 2@1540 2@1600 2@1620 "
                         "2@1640 3@0900 3@0920";
    check("19970902T090000", NY, "RRULE:FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40",
          twenty);
    check("19970902T090000", NY, "RRULE:FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16",
          twenty);
}

/* ---- the calendar ---- */

static void dates_that_do_not_exist_are_left_out(void **state)
{
    check("20240229", NULL, "RRULE:FREQ=YEARLY", "2024 Feb 29 2028 Feb 29 2032 Feb 29");
    check("20960229", NULL, "RRULE:FREQ=YEARLY", "2096 Feb 29 2104 Feb 29"); /* 2100 has none */
    check("20260131", NULL, "RRULE:FREQ=MONTHLY",
          "2026 Jan 31 Mar 31 May 31 Jul 31 Aug 31 Oct 31 Dec 31 2027 Jan 31");
    check("20240229", NULL, "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1",
          "2024 Feb 29 2025 Feb 28 2026 Feb 28");
    check("20241231", NULL, "RRULE:FREQ=YEARLY;BYYEARDAY=366", "2024 Dec 31 2028 Dec 31");
    check("20240101", NULL, "RRULE:FREQ=YEARLY;BYYEARDAY=-366", "2024 Jan 1 2028 Jan 1");
    check("20250101", NULL, "RRULE:FREQ=YEARLY;BYYEARDAY=-365,-1",
          "2025 Jan 1 Dec 31 2026 Jan 1 Dec 31 2027 Jan 1 Dec 31 2028 Jan 2 Dec 31");
    check("20230228", NULL, "RRULE:FREQ=YEARLY;BYYEARDAY=60;COUNT=4",
          "2023 Feb 28 Mar 1 2024 Feb 29 2025 Mar 1 2026 Mar 1 .");
    check("20260105", NULL, "RRULE:FREQ=MONTHLY;BYDAY=5MO", "2026 Jan 5 Mar 30 Jun 29 Aug 31");
}

static void weeks_of_the_year_are_counted_as_iso_8601_does(void **state)
{
    /* 2020 and 2026 have 53 weeks; week 1 may begin in December */
    check("20201228", NULL, "RRULE:FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO",
          "2020 Dec 28 2026 Dec 28 2032 Dec 27");
    check("20201228", NULL, "RRULE:FREQ=YEARLY;BYWEEKNO=-1;BYDAY=MO",
          "2020 Dec 28 2021 Dec 27 2022 Dec 26 2023 Dec 25 2024 Dec 23");
    check("20241230", NULL, "RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,SU",
          "2024 Dec 30 2025 Jan 5 Dec 29 2026 Jan 4 2027 Jan 4 10");
    check("20241230", NULL, "RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO;BYMONTH=1",
          "2024 Dec 30 2027 Jan 4 2028 Jan 3 2029 Jan 1");
    /* A year of weeks is one period: every other year takes both ends of week 1. */
    check("20241230", NULL, "RRULE:FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=MO,SU",
          "2024 Dec 30 2025 Jan 5 2027 Jan 4 10 2029 Jan 1 7");
    check("20241230", NULL, "RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,SU;BYSETPOS=1",
          "2024 Dec 30 2025 Dec 29 2027 Jan 4 2028 Jan 3");
    check("20241230", NULL, "RRULE:FREQ=YEARLY;BYWEEKNO=1", "2024 Dec 30 2025 Dec 29 2027 Jan 4");
    /* with weeks that start on Sunday week 1 of 2026 begins a day earlier */
    check("20250101", NULL, "RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=SU;WKST=SU",
          "2025 Jan 1 2026 Jan 4 2027 Jan 3 2028 Jan 2 Dec 31");
}

static void positions_are_taken_from_the_set_of_one_period(void **state)
{
    check("20260101", NULL, "RRULE:FREQ=YEARLY;BYDAY=MO;BYSETPOS=1,-1",
          "2026 Jan 1 5 Dec 28 2027 Jan 4 Dec 27");
    check("20260101", NULL, "RRULE:FREQ=YEARLY;BYDAY=MO;BYSETPOS=1,-52;COUNT=4",
          "2026 Jan 1 5 2027 Jan 4 2028 Jan 3 2029 Jan 1 .");
    check("20260114T090000", NULL, "RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=-1",
          "2026 Jan 14 16 23 30");
    check("20260116T090000", NULL,
          "RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=9,18;BYSETPOS=2,-2;COUNT=5",
          "2026 Jan 16@0900 19@1800 23@0900 26@1800 30@0900 .");
    check("20260101T080000", NULL,
          "RRULE:FREQ=DAILY;BYHOUR=8,12,18;BYMINUTE=0,30;BYSETPOS=-1,1,1,9",
          "2026 Jan 1@0800 1@1830 2@0800 2@1830");
    check("20260101T080000", NULL, "RRULE:FREQ=HOURLY;INTERVAL=6;BYMINUTE=0,15,45;BYSETPOS=2",
          "2026 Jan 1@0800 1@0815 1@1415 1@2015 2@0215");
    /* the first period counts from its own start, not from DTSTART */
    check("20260115", NULL, "RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15,31;BYSETPOS=2;COUNT=3",
          "2026 Jan 15 Feb 15 Mar 15 .");
    check("20260120", NULL, "RRULE:FREQ=MONTHLY;BYMONTHDAY=1,15,31;BYSETPOS=2;COUNT=3",
          "2026 Jan 20 Feb 15 Mar 15 Apr 15 .");
    /* a position is taken once, and counts once, however often it is named */
    check("20260105", NULL, "RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,1,-1,-1;COUNT=4",
          "2026 Jan 5 26 Feb 2 23 .");
    /* the next year would be 2147483647 */
    check("20260105", NULL, "RRULE:FREQ=YEARLY;INTERVAL=2147481621;BYDAY=MO;BYSETPOS=1",
          "2026 Jan 5 .");
}

static void a_first_start_that_does_not_match_is_one_more_instance(void **state)
{
    check("20260107T090000", NULL, "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3", "2026 Jan 7 12 19 26 .");
    check("20260107T090000", NULL, "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=1", "2026 Jan 7 12 .");
    check("20260105T090000", NULL, "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=1", "2026 Jan 5 .");
    /* as two people report it of Google */
    check("20200608T130000", NULL, "RRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=TU,TH,SA;COUNT=5",
          "2020 Jun 8 9 11 13 16 18 .");
    check("20240530T200000", "Europe/Berlin", "RRULE:FREQ=WEEKLY;COUNT=3;INTERVAL=1;BYDAY=WE",
          "2024 May 30 Jun 5 12 19 .");
    check("20260105T090000", NULL, "RRULE:FREQ=WEEKLY;UNTIL=20251231T000000Z", "2026 Jan 5 .");
    check("20260105T090000", NULL, "", "2026 Jan 5 .");
    check("20260105T090000", NULL, "RRULE:FREQ=WEEKLY;COUNT=3 EXDATE:20260105T090000Z",
          "2026 Jan 12 19 .");
}

static void a_series_ends_with_its_count_or_until(void **state)
{
    check("20260105T090000", NY, "RRULE:FREQ=DAILY;UNTIL=20260107T140000Z", "2026 Jan 5 6 7 .");
    check("20260105T090000", NY, "RRULE:FREQ=DAILY;UNTIL=20260107T135959Z", "2026 Jan 5 6 .");
    check("20260105T090000", NY, "RRULE:FREQ=DAILY;UNTIL=20260107T090000", "2026 Jan 5 6 7 .");
    check("20260105T090000", NY, "RRULE:FREQ=DAILY;UNTIL=20260107", "2026 Jan 5 6 7 .");
    check("20260105T230000", NY, "RRULE:FREQ=DAILY;UNTIL=20260107", "2026 Jan 5 6 7 .");
    check("20260105", NY, "RRULE:FREQ=DAILY;UNTIL=20260107", "2026 Jan 5 6 7 .");
    check("20260105", NY, "RRULE:FREQ=DAILY;UNTIL=20260107T000000Z", "2026 Jan 5 6 7 .");
    check("20260105", NY, "RRULE:FREQ=DAILY;UNTIL=20260107T235959Z", "2026 Jan 5 6 7 .");
    check("99991230T000000", NULL, "RRULE:FREQ=DAILY", "9999 Dec 30 31 .");
    check("20260101T000000", NULL, "RRULE:FREQ=MONTHLY;BYMONTHDAY=31,30,29;COUNT=7;BYHOUR=0,12",
          "2026 Jan 1 29@0000 29@1200 30@0000 30@1200 31@0000 31@1200 Mar 29@0000 .");
}

static void a_count_ends_where_walking_would(void **state)
{
    static const char *const rules[] = {
        "FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=3;BYDAY=MO,FR",
        "FREQ=WEEKLY;BYDAY=MO,TH;INTERVAL=2",
        "FREQ=MONTHLY;BYMONTHDAY=-1,15",
        "FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1,1",
        "FREQ=YEARLY;BYDAY=1MO,-1SU",
        "FREQ=YEARLY;BYWEEKNO=1,53",
        "FREQ=HOURLY;INTERVAL=5",
        "FREQ=HOURLY;INTERVAL=5;BYHOUR=9,10,17",
        "FREQ=HOURLY;INTERVAL=6;BYDAY=SA;BYMINUTE=0,30",
        "FREQ=MINUTELY;INTERVAL=1441;BYHOUR=9,10,11",
        "FREQ=MINUTELY;INTERVAL=7;BYHOUR=9;BYDAY=MO",
        "FREQ=MINUTELY;INTERVAL=2880;BYMONTH=3,9",
        "FREQ=SECONDLY;INTERVAL=1800;BYMONTHDAY=13",
        "FREQ=SECONDLY;INTERVAL=59;BYMINUTE=0,30;BYHOUR=8,9;BYSECOND=1,30,59",
        "FREQ=HOURLY;BYMINUTE=5,10,15;BYSECOND=0,30;BYSETPOS=1,-1",
        "FREQ=WEEKLY;BYHOUR=7,9,11;BYDAY=MO,TU;BYSETPOS=2,5,-1",
        "FREQ=DAILY;BYHOUR=8,9,10;BYMONTH=2",
    };
    for (size_t i = 0; i < SOSIA_LEN(rules); i++) {
        struct recur_iter it, counted;
        struct recur_instance a, b;
        const struct recur *one =
            set("20260112T091500", NULL, arena_printf(&arena, "RRULE:%s;COUNT=1", rules[i]));
        recur_iter_init(&it, one, RECUR_BEGINNING);
        assert_true(recur_next(&it, &a));
        int more = recur_last(one) != a.utc_s; /* a start that does not match */
        recur_iter_init(&it,
                        set("20260112T091500", NULL, arena_printf(&arena, "RRULE:%s", rules[i])),
                        RECUR_BEGINNING);
        for (int n = 1; n <= 400; n++) {
            if (!recur_next(&it, &a))
                fail_msg("%s ends before no. %d", rules[i], n);
            if (n == more || (n > 12 && n % 37))
                continue;
            const struct recur *r =
                set("20260112T091500", NULL,
                    arena_printf(&arena, "RRULE:%s;COUNT=%d", rules[i], n - more));
            if (recur_last(r) != a.utc_s)
                fail_msg("%s;COUNT=%d ends at %lld, not %lld", rules[i], n - more,
                         (long long)recur_last(r), (long long)a.utc_s);
            recur_iter_init(&counted, r, a.utc_s);
            assert_true(recur_next(&counted, &b));
            assert_int_equal(b.utc_s, a.utc_s);
            assert_false(recur_next(&counted, &b));
        }
    }
}

/* ---- zones ---- */

static void a_series_keeps_its_wall_clock_across_a_change(void **state)
{
    const struct recur *r = set("20260306T090000", NY, "RRULE:FREQ=DAILY;COUNT=4");
    struct recur_iter it;
    struct recur_instance got;
    static const int64_t expect[] = {1772805600, 1772892000, 1772974800, 1773061200};
    recur_iter_init(&it, r, RECUR_BEGINNING);
    for (size_t i = 0; i < SOSIA_LEN(expect); i++) {
        assert_true(recur_next(&it, &got));
        assert_int_equal(got.utc_s, expect[i]);
    }
}

static void a_skipped_reading_is_taken_with_the_offset_before_the_gap(void **state)
{
    /* 8 March 2026 has no 02:30 in New York; it is 07:30Z, which reads 03:30 */
    check("20260307T023000", NY, "RRULE:FREQ=DAILY;COUNT=3", "2026 Mar 7@0230 8@0330 9@0230 .");
    check("20260308T010000", NY, "RRULE:FREQ=MINUTELY;INTERVAL=30;COUNT=9",
          "2026 Mar 8@0100 8@0130 8@0300 8@0330 8@0400 8@0430 8@0500 .");
    /* 02:20 reads 03:20 and falls between 03:15 and 03:30 */
    check("20260308T000000", NY, "RRULE:FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,15,20,30;COUNT=10",
          "2026 Mar 8@0000 8@0300 8@0315 8@0320 8@0330 9@0200 9@0215 .");
    check_from("20260308T000000", NY, "RRULE:FREQ=DAILY;BYHOUR=2,3;BYMINUTE=20,30",
               1772954460 /* 07:21Z */, "2026 Mar 8@0330 9@0220 9@0230 9@0320");
}

static void a_reading_that_comes_twice_is_the_first(void **state)
{
    const struct recur *r = set("20261031T013000", NY, "RRULE:FREQ=DAILY;COUNT=3");
    struct recur_iter it;
    struct recur_instance got;
    recur_iter_init(&it, r, RECUR_BEGINNING);
    assert_true(recur_next(&it, &got));
    assert_true(recur_next(&it, &got));
    assert_int_equal(got.utc_s, 1793511000); /* 05:30Z */
    assert_true(recur_contains(r, 1793511000));
    assert_false(recur_contains(r, 1793511000 + 3600));
    check("20261101T000000", NY, "RRULE:FREQ=MINUTELY;INTERVAL=30;COUNT=6",
          "2026 Nov 1@0000 1@0030 1@0100 1@0130 1@0200 1@0230 .");
    check_from("20261101T000000", NY, "RRULE:FREQ=MINUTELY;INTERVAL=30", 1793511001,
               "2026 Nov 1@0200 1@0230");
}

/* The reading with which the clock is set back comes once, an hour later. */
static void the_reading_at_a_change_is_the_one_after_it(void **state)
{
    static const char *const from[] = {"20260308T080000", "20260309T000000", "20260601T000000",
                                       "20261031T000000", "20261101T060000"};
    for (size_t i = 0; i < SOSIA_LEN(from); i++) {
        struct recur_iter it;
        struct recur_instance got;
        recur_iter_init(&it, set("20251101T020000", NY, "RRULE:FREQ=YEARLY"), reading(from[i]));
        assert_true(recur_next(&it, &got));
        assert_int_equal(got.utc_s, reading("20261101T070000"));
        assert_int_equal(got.local_s, reading("20261101T020000"));
    }
}

static void a_first_start_may_be_the_second_of_two_readings(void **state)
{
    struct recur_start s = {.local_s = reading("20261101T013000"),
                            .tz = tz_find(NY),
                            .has_utc = true,
                            .utc_s = 1793514600};
    const char *line = "RRULE:FREQ=DAILY;COUNT=2";
    const struct recur *r;
    struct recur_iter it;
    struct recur_instance got;
    assert_int_equal(recur_parse(&arena, &line, 1, &s, &r, NULL), 0);
    recur_iter_init(&it, r, RECUR_BEGINNING);
    assert_true(recur_next(&it, &got));
    assert_int_equal(got.utc_s, 1793514600);
    assert_true(recur_next(&it, &got));
    assert_int_equal(got.local_s, reading("20261102T013000"));
    assert_false(recur_next(&it, &got));
}

static void days_are_days_in_every_zone(void **state)
{
    /* Midnight did not exist in Sao Paulo on 4 November 2018; Samoa had no 30 December 2011 at all.
     */
    check("20181103", "America/Sao_Paulo", "RRULE:FREQ=DAILY;COUNT=3", "2018 Nov 3 4 5 .");
    check("20181103T000000", "America/Sao_Paulo", "RRULE:FREQ=DAILY;COUNT=3",
          "2018 Nov 3@0000 4@0100 5@0000 .");
    check("20111229T120000", "Pacific/Apia", "RRULE:FREQ=DAILY;COUNT=4",
          "2011 Dec 29 31 2012 Jan 1 .");
    struct recur_iter it;
    struct recur_instance got;
    const struct recur *r = set("20260307", NY, "RRULE:FREQ=DAILY");
    recur_iter_init(&it, r, 1772946001); /* a second after midnight of 8 March */
    assert_true(recur_next(&it, &got));
    assert_int_equal(got.local_s, reading("20260309"));
    assert_int_equal(got.utc_s, 1773028800);
    assert_true(recur_contains(r, 1773028800));
    assert_false(recur_contains(r, 1773028801));
}

/* The definition itself, over all local times near changes: no order, no skipping. */
static int compare_instants(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void instants_near_every_change_are_those_of_all_readings(void **state)
{
    static const char *const zones[] = {NY,
                                        "Europe/Dublin",
                                        "Australia/Lord_Howe",
                                        "Pacific/Apia",
                                        "America/Sao_Paulo",
                                        "Africa/Casablanca",
                                        "Asia/Kathmandu",
                                        "America/Nuuk",
                                        "Africa/Monrovia",
                                        "Europe/Warsaw"};
    for (size_t z = 0; z < SOSIA_LEN(zones); z++) {
        const struct tz *tz = tz_find(zones[z]);
        int64_t change = -2000000000;
        for (int i = 0; i < 120 && (change = tz_next_change(tz, change)) != INT64_MAX; i++) {
            int64_t start = change + tz_offset(tz, change - 1) - 40 * 3600, instants[1000];
            start -= start % 60;
            int n = 0;
            for (int64_t local = start; n < 1000; local += 420)
                instants[n++] = tz_to_utc(tz, local);
            qsort(instants, (size_t)n, sizeof *instants, compare_instants);
            struct recur_start s = {.local_s = start, .tz = tz};
            const char *line = "RRULE:FREQ=MINUTELY;INTERVAL=7";
            const struct recur *r;
            struct recur_iter it;
            struct recur_instance got;
            arena_reset(&arena);
            assert_int_equal(recur_parse(&arena, &line, 1, &s, &r, NULL), 0);
            recur_iter_init(&it, r, RECUR_BEGINNING);
            for (int k = 0; k < n - 250; k++) {
                if (k && instants[k] == instants[k - 1])
                    continue;
                assert_true(recur_next(&it, &got));
                if (got.utc_s != instants[k])
                    fail_msg("%s near %lld: no. %d is %lld, not %lld", zones[z], (long long)change,
                             k, (long long)got.utc_s, (long long)instants[k]);
                if (got.local_s != got.utc_s + tz_offset(tz, got.utc_s))
                    fail_msg("%s: the reading of %lld", zones[z], (long long)got.utc_s);
                struct recur_iter from;
                struct recur_instance first;
                recur_iter_init(&from, r, got.utc_s - k % 300);
                assert_true(recur_next(&from, &first));
                assert_true(first.utc_s <= got.utc_s && first.utc_s >= got.utc_s - k % 300);
            }
        }
    }
}

/* ---- sets ---- */

static void dates_are_added_and_left_out(void **state)
{
    check("20260105T090000", NY,
          "RRULE:FREQ=DAILY;COUNT=3 RDATE:20260110T120000,20260106T080000,20260106T090000",
          "2026 Jan 5 6@0800 6 7 10@1200 .");
    check("20260105T090000", NY,
          "RRULE:FREQ=DAILY;COUNT=4 EXDATE:20260106T090000 EXDATE;TZID=Europe/Rome:20260107T150000 "
          "EXDATE:20260108T140000Z",
          "2026 Jan 5 .");
    check("20260105T090000", NY, "RDATE;TZID=\"Europe/Rome\";VALUE=DATE-TIME:20260106T150000",
          "2026 Jan 5 6 .");
    check("20260105T090000", NY,
          "RDATE;VALUE=PERIOD:20260106T140000Z/20260106T150000Z,20260107T090000/PT1H",
          "2026 Jan 5 6 7 .");
    check("20260105", NY,
          "RRULE:FREQ=DAILY;COUNT=4 EXDATE;VALUE=DATE:20260106,20260105 RDATE:20260120 "
          "EXDATE:20260107T120000",
          "2026 Jan 8 20 .");
    check("20260105T090000", NY, "RDATE:20260101T090000", "2026 Jan 1 5 .");
    /* a date in a timed series is its midnight, so it leaves out nothing at nine */
    check("20260105T090000", NY, "RRULE:FREQ=DAILY;COUNT=2 EXDATE;VALUE=DATE:20260106",
          "2026 Jan 5 6 .");
}

static void rules_are_merged_and_subtracted(void **state)
{
    check("20260105T090000", NULL,
          "RRULE:FREQ=WEEKLY;BYDAY=MO,WE RRULE:FREQ=MONTHLY;BYMONTHDAY=7,8 "
          "EXRULE:FREQ=WEEKLY;BYDAY=WE;INTERVAL=2",
          "2026 Jan 5 8 12 14 19 26 28 Feb 2 7 8 9 11");
    check("20260105T090000", NULL, "RRULE:FREQ=DAILY EXRULE:FREQ=DAILY;COUNT=3", "2026 Jan 8 9");
    check("20260107T090000", NULL,
          "RRULE:FREQ=DAILY;COUNT=9 EXRULE:FREQ=WEEKLY;BYDAY=SA,SU;COUNT=2",
          "2026 Jan 7 8 9 12 13 14 15 .");
    check(
        "20260105T090000", NULL,
        "RRULE:FREQ=DAILY;COUNT=2 RRULE:FREQ=DAILY;COUNT=4 RRULE:FREQ=DAILY;UNTIL=20260106T090000Z",
        "2026 Jan 5 6 7 8 .");
}

static void each_of_eight_rules_counts(void **state)
{
    check("20260105T090000", NULL,
          "RRULE:FREQ=DAILY EXRULE:FREQ=WEEKLY;BYDAY=TU EXRULE:FREQ=WEEKLY;BYDAY=TH "
          "EXRULE:FREQ=WEEKLY;BYDAY=SU",
          "2026 Jan 5 7 9 10 12 14 16 17");
    check("20260105T090000", NULL,
          "RRULE:FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=6 RRULE:FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=7 "
          "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=1 RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=2 "
          "RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1 RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=2 "
          "RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1 RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=2 "
          "EXRULE:FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=7 EXRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=1 "
          "EXRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=3 EXRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=4 "
          "EXRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=5 EXRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=6 "
          "EXRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=7 EXRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=2",
          "2026 Jan 5 6 Feb 2 Mar 1 2 Apr 1 2027 Jan 6 Feb 2 Mar 1 2 Apr 1");
}

static void the_end_is_known(void **state)
{
    assert_true(recur_last(set("20260105T090000", NULL, "RRULE:FREQ=DAILY")) == RECUR_FOREVER);
    assert_int_equal(recur_last(set("20260105T090000", NULL, "")), reading("20260105T090000"));
    assert_int_equal(
        recur_last(set("20260105T090000", NULL, "RRULE:FREQ=DAILY;COUNT=3 RDATE:20260201T000000Z")),
        reading("20260201T000000"));
    assert_int_equal(
        recur_last(set("20260105T090000", NY, "RRULE:FREQ=DAILY;UNTIL=20260107T120000Z")),
        reading("20260107T120000"));
    assert_int_equal(recur_last(set("20260105", NY, "RRULE:FREQ=DAILY;COUNT=3")),
                     reading("20260107T050000"));
    assert_true(recur_last(set("20260105", NULL, "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30")) ==
                reading("20260105"));
    assert_true(recur_last(set("20260105", NULL, "RRULE:FREQ=DAILY;COUNT=2 RRULE:FREQ=DAILY")) ==
                RECUR_FOREVER);
}

static void a_window_far_ahead_starts_in_the_middle_of_the_series(void **state)
{
    check_from("20000101T090000", NY, "RRULE:FREQ=DAILY", reading("20300101T000000"),
               "2030 Jan 1 2 3");
    check_from("20000101T090000", NY, "RRULE:FREQ=DAILY;COUNT=10960", reading("20300101T000000"),
               "2030 Jan 1 2 .");
    check_from("20000101T090000", NY, "RRULE:FREQ=DAILY;INTERVAL=3", reading("20300101T000000"),
               "2030 Jan 2 5 8");
    check_from("20000101T090000", NY, "RRULE:FREQ=WEEKLY;INTERVAL=2", reading("20300101T000000"),
               "2030 Jan 5 19 Feb 2");
    check_from("20000131T090000", NY, "RRULE:FREQ=MONTHLY;INTERVAL=5", reading("20300101T000000"),
               "2030 Jan 31 2032 Jul 31 Dec 31");
    check_from("20000101T090000", NY, "RRULE:FREQ=HOURLY;INTERVAL=7", reading("20300101T100000"),
               "2030 Jan 1@0700 1@1400");
    check_from("00010101T090000", NULL, "RRULE:FREQ=YEARLY;INTERVAL=7", reading("99900101T000000"),
               "9990 Jan 1 9997 Jan 1 .");
    check_from("20000101T090000", NY, "RRULE:FREQ=DAILY", INT64_MAX, ".");
    check_from("20000101", NY, "RRULE:FREQ=DAILY", INT64_MAX, ".");
    check_from("20000101", NY, "RRULE:FREQ=DAILY", INT64_MIN, "2000 Jan 1 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(daily_examples_of_rfc_5545),
        TEST(weekly_examples_of_rfc_5545),
        TEST(monthly_examples_of_rfc_5545),
        TEST(yearly_examples_of_rfc_5545),
        TEST(examples_within_a_day_of_rfc_5545),
        TEST(dates_that_do_not_exist_are_left_out),
        TEST(weeks_of_the_year_are_counted_as_iso_8601_does),
        TEST(positions_are_taken_from_the_set_of_one_period),
        TEST(a_first_start_that_does_not_match_is_one_more_instance),
        TEST(a_series_ends_with_its_count_or_until),
        TEST(a_count_ends_where_walking_would),
        TEST(a_series_keeps_its_wall_clock_across_a_change),
        TEST(a_skipped_reading_is_taken_with_the_offset_before_the_gap),
        TEST(a_reading_that_comes_twice_is_the_first),
        TEST(the_reading_at_a_change_is_the_one_after_it),
        TEST(a_first_start_may_be_the_second_of_two_readings),
        TEST(days_are_days_in_every_zone),
        TEST(instants_near_every_change_are_those_of_all_readings),
        TEST(dates_are_added_and_left_out),
        TEST(rules_are_merged_and_subtracted),
        TEST(each_of_eight_rules_counts),
        TEST(the_end_is_known),
        TEST(a_window_far_ahead_starts_in_the_middle_of_the_series),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
