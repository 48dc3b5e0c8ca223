/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of events: ranges, orders, pages, filters, search, and the sync that keeps a mirror equal.
 */
#include "tests/support/gcal.h"
#include <stdio.h>
#include <stdlib.h>

#define EVENTS "/calendars/primary/events"

static void make_at(const char *id, const char *start, const char *end)
{
    char body[400];
    snprintf(body, sizeof body,
             "{'id':'%s','summary':'%s','start':{'dateTime':'%s'},'end':{'dateTime':'%s'}}", id, id,
             start, end);
    as(ADA, "POST", EVENTS, body);
    assert_int_equal(test_status, 200);
}

static void make_day(const char *id, const char *start, const char *end)
{
    char body[400];
    snprintf(body, sizeof body,
             "{'id':'%s','summary':'%s','start':{'date':'%s'},'end':{'date':'%s'}}", id, id, start,
             end);
    as(ADA, "POST", EVENTS, body);
    assert_int_equal(test_status, 200);
}

static const char *ids(const char *query)
{
    char target[1000];
    snprintf(target, sizeof target, EVENTS "?%s", query);
    const struct json *v = as(ADA, "GET", target, NULL);
    if (test_status != 200)
        fail_msg("%d %s", test_status, test_body);
    return column(v, "items", "id");
}

static void the_envelope_has_the_recorded_members(void **state)
{
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    assert_string_equal(text_at(v, "kind"), "calendar#events");
    assert_int_equal(strlen(text_at(v, "etag")), 18);
    assert_int_equal(strncmp(text_at(v, "etag"), "\"p3", 3), 0);
    assert_string_equal(text_at(v, "summary"), ADA);
    assert_string_equal(text_at(v, "description"), "");
    assert_string_equal(text_at(v, "timeZone"), "Europe/Rome");
    assert_string_equal(text_at(v, "accessRole"), "owner");
    assert_int_equal(number_at(v, "defaultReminders.0.minutes"), 10);
    assert_non_null(text_at(v, "nextSyncToken"));
    assert_int_equal(count_at(v, "items"), 0);
    assert_non_null(value_at(v, "items"));
}

static void a_range_has_what_overlaps_it_and_excludes_its_bounds(void **state)
{
    make_at("be4re", "2026-11-24T08:00:00Z", "2026-11-24T09:00:00Z");
    make_at("acr0s", "2026-11-24T08:30:00Z", "2026-11-24T09:30:00Z");
    make_at("insid", "2026-11-24T09:30:00Z", "2026-11-24T10:00:00Z");
    make_at("after", "2026-11-24T11:00:00Z", "2026-11-24T12:00:00Z");
    assert_string_equal(ids("timeMin=2026-11-24T09:00:00Z&timeMax=2026-11-24T11:00:00Z"),
                        "acr0s insid");
}

static void long_events_are_found_in_the_middle(void **state)
{
    make_at("d1111", "2026-11-20T00:00:00Z", "2026-11-30T00:00:00Z");
    make_at("d2222", "2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z");
    make_day("d3333", "2026-11-01", "2026-12-31");
    make_at("d4444", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z");
    assert_string_equal(ids("timeMin=2026-11-25T00:00:00Z&timeMax=2026-11-25T01:00:00Z"),
                        "d1111 d2222 d3333");
}

static void all_day_events_lie_in_the_calendars_zone(void **state)
{
    make_day("abcde", "2026-11-24", "2026-11-25"); /* Rome: from 23 Nov 23:00 to 24 Nov 23:00 UTC */
    assert_string_equal(ids("timeMin=2026-11-23T22:00:00Z&timeMax=2026-11-23T23:00:00Z"), "");
    assert_string_equal(ids("timeMin=2026-11-23T22:00:00Z&timeMax=2026-11-23T23:00:01Z"), "abcde");
    assert_string_equal(ids("timeMin=2026-11-24T22:59:59Z"), "abcde");
    assert_string_equal(ids("timeMin=2026-11-24T23:00:00Z"), "");
}

static void an_empty_range_is_refused(void **state)
{
    as(ADA, "GET", EVENTS "?timeMin=2026-11-24T09:00:00Z&timeMax=2026-11-24T09:00:00Z", NULL);
    assert_refused(400, "timeRangeEmpty");
    assert_non_null(strstr(test_body, "\"location\": \"timeMax\""));
    as(ADA, "GET", EVENTS "?timeMin=yesterday", NULL);
    assert_int_equal(test_status, 400);
}

static void order_by_start_time_mixes_days_and_times_and_needs_instances(void **state)
{
    make_at("late0", "2026-11-24T12:00:00Z", "2026-11-24T13:00:00Z");
    make_day("da000", "2026-11-24", "2026-11-25");
    make_at("earl0", "2026-11-23T22:00:00Z", "2026-11-23T22:30:00Z");
    assert_string_equal(ids("singleEvents=true&orderBy=startTime"), "earl0 da000 late0");
    as(ADA, "GET", EVENTS "?orderBy=startTime", NULL);
    assert_refused(400, "invalid");
    assert_non_null(
        strstr(test_body, "The requested ordering is not available for the particular query."));
}

/* What changed at the same time comes by id, whatever came first. */
static void lists_come_by_time_of_change_and_then_by_id(void **state)
{
    static const char *const queries[] = {
        "orderBy=updated", "", "singleEvents=true", "timeMin=2026-11-24T00:00:00Z",
        "timeMin=2026-11-24T00:00:00Z&timeMax=2026-11-25T00:00:00Z&singleEvents=true"};
    make_event("ccccc", "");
    make_event("aaaaa", "");
    make_event("bbbbb", "");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        assert_string_equal(ids(queries[i]), "aaaaa bbbbb ccccc");
    test_advance(1);
    as(ADA, "PATCH", EVENTS "/aaaaa", "{'summary':'x'}");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        assert_string_equal(ids(queries[i]), "bbbbb ccccc aaaaa");
}

/* As the keys of instances begin with their series', a series may go on behind other events. */
static void instances_and_events_of_one_time_come_by_id(void **state)
{
    make_event("serieb", "");
    as(ADA, "POST", EVENTS,
       "{'id':'serie','start':{'date':'2026-11-13'},'end':{'date':'2026-11-14'},'recurrence':['"
       "RRULE:FREQ=DAILY;COUNT=3']}");
    make_event("serie1", "");
    as(ADA, "POST", EVENTS,
       "{'id':'serie0','start':{'date':'2026-11-13'},'end':{'date':'2026-11-14'},'recurrence':['"
       "RRULE:FREQ=DAILY;COUNT=2']}");
    const char *all = "serie0_20261113 serie0_20261114 serie1 serie_20261113 serie_20261114 "
                      "serie_20261115 serieb";
    assert_string_equal(ids("singleEvents=true"), all);
    assert_string_equal(ids("singleEvents=true&timeMax=2026-12-01T00:00:00Z"), all);
    char target[500], seen[500] = "";
    snprintf(target, sizeof target, EVENTS "?singleEvents=true&maxResults=1");
    for (;;) {
        const struct json *v = as(ADA, "GET", target, NULL);
        strcat(strcat(seen, *seen ? " " : ""), column(v, "items", "id"));
        if (!text_at(v, "nextPageToken"))
            break;
        snprintf(target, sizeof target, EVENTS "?singleEvents=true&maxResults=1&pageToken=%s",
                 text_at(v, "nextPageToken"));
    }
    assert_string_equal(seen, all);
}

/* As recorded: pages may be short, or empty, and not be the last. */
static void deleted_events_take_their_places_on_pages(void **state)
{
    static const char *const names[] = {"aaaaa", "bbbbb", "ccccc", "ddddd"};
    static const char *const queries[] = {EVENTS "?maxResults=2",
                                          EVENTS "?orderBy=updated&maxResults=2",
                                          EVENTS "?timeMax=2026-12-01T00:00:00Z&maxResults=2"};
    for (int i = 0; i < 4; i++)
        make_event(names[i], "");
    as(ADA, "DELETE", EVENTS "/aaaaa", NULL);
    test_advance(1);
    as(ADA, "DELETE", EVENTS "/bbbbb", NULL);
    test_advance(1);
    as(ADA, "PATCH", EVENTS "/ccccc", "{'summary':'x'}");
    /* By time of change: d, a (deleted), b (deleted), c. */
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char target[500];
        const struct json *v = as(ADA, "GET", queries[i], NULL);
        assert_string_equal(column(v, "items", "id"), "ddddd");
        assert_non_null(text_at(v, "nextPageToken"));
        snprintf(target, sizeof target, "%s&pageToken=%s", queries[i], text_at(v, "nextPageToken"));
        v = as(ADA, "GET", target, NULL);
        assert_string_equal(column(v, "items", "id"), "ccccc");
        assert_null(text_at(v, "nextPageToken"));
    }
    assert_string_equal(ids("showDeleted=true&maxResults=3"), "ddddd aaaaa bbbbb");
}

/* All ids of all pages. */
static void collect(const char *query, int size, char *ret, int *ret_pages)
{
    char target[2000];
    *ret = 0;
    *ret_pages = 0;
    snprintf(target, sizeof target, EVENTS "?%s&maxResults=%d", query, size);
    for (;;) {
        const struct json *v = as(ADA, "GET", target, NULL);
        if (test_status != 200)
            fail_msg("%d %s", test_status, test_body);
        assert_true(count_at(v, "items") <= (size_t)size);
        strcat(strcat(ret, column(v, "items", "id")), " ");
        (*ret_pages)++;
        if (!text_at(v, "nextPageToken"))
            return;
        assert_null(value_at(v, "nextSyncToken"));
        snprintf(target, sizeof target, EVENTS "?%s&maxResults=%d&pageToken=%s", query, size,
                 text_at(v, "nextPageToken"));
    }
}

static void pages_of_every_order_fit_together(void **state)
{
    static const char *const queries[] = {"", "singleEvents=true&orderBy=startTime",
                                          "orderBy=updated", "timeMin=2026-11-01T00:00:00Z",
                                          "singleEvents=true&orderBy=updated"};
    for (int i = 0; i < 11; i++) {
        char id[8], start[40];
        snprintf(id, sizeof id, "even%c", 'a' + i);
        snprintf(start, sizeof start, "2026-11-%02dT10:00:00Z", 12 + i % 3);
        make_at(id, start, "2026-11-24T11:00:00Z");
    }
    as(ADA, "POST", EVENTS,
       "{'id':'serie','start':{'date':'2026-11-13'},'end':{'date':'2026-11-14'},'recurrence':['"
       "RRULE:FREQ=DAILY;COUNT=4']}");
    for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
        char whole[4000], parts[4000];
        int pages;
        collect(queries[q], 2500, whole, &pages);
        assert_int_equal(pages, 1);
        for (int size = 1; size < 8; size += 2) {
            collect(queries[q], size, parts, &pages);
            char *p = whole, *r = parts;
            /* The same ids in the same order; pages are separated by spaces that may double at
             * an empty last page. */
            while (*p || *r) {
                while (*p == ' ')
                    p++;
                while (*r == ' ')
                    r++;
                if (*p != *r)
                    fail_msg("%s by %d: %s is not %s", queries[q], size, parts, whole);
                if (*p)
                    p++, r++;
            }
        }
    }
}

static void a_page_token_of_another_query_is_refused(void **state)
{
    make_event("aaaaa", "");
    make_event("bbbbb", "");
    const struct json *v = as(ADA, "GET", EVENTS "?maxResults=1", NULL);
    char target[900];
    snprintf(target, sizeof target, EVENTS "?maxResults=1&singleEvents=true&pageToken=%s",
             text_at(v, "nextPageToken"));
    as(ADA, "GET", target, NULL);
    assert_int_equal(test_status, 400);
    as(ADA, "GET", EVENTS "?pageToken=nonsense", NULL);
    assert_int_equal(test_status, 400);
}

static void q_matches_words_in_texts_and_people(void **state)
{
    make_event("aaaaa", "'description':'Budget for Zoë','location':'Harbour house'");
    make_event("bbbbb", "'attendees':[{'email':'eve@else.example','displayName':'Eve Stone'}]");
    assert_string_equal(ids("q=budget"), "aaaaa");
    assert_string_equal(ids("q=BUDGET%20harbour"), "aaaaa");
    assert_string_equal(ids("q=zoe"), "aaaaa");
    assert_string_equal(ids("q=bud"), "");
    assert_string_equal(ids("q=stone"), "bbbbb");
    assert_string_equal(ids("q=eve@else.example"), "bbbbb");
    assert_string_equal(ids("q=event"), "aaaaa bbbbb");
    assert_string_equal(ids("q=%21%3F"), "aaaaa bbbbb");
}

static void property_filters_are_ored_within_a_kind_and_anded_between(void **state)
{
    make_event("aaaaa", "'extendedProperties':{'private':{'p':'1'},'shared':{'s':'1'}}");
    make_event("bbbbb", "'extendedProperties':{'private':{'p':'2'},'shared':{'s':'2'}}");
    make_event("ccccc", "");
    assert_string_equal(ids("privateExtendedProperty=p%3D1"), "aaaaa");
    assert_string_equal(ids("privateExtendedProperty=p%3D1&privateExtendedProperty=p%3D2"),
                        "aaaaa bbbbb");
    assert_string_equal(ids("privateExtendedProperty=p%3D1&sharedExtendedProperty=s%3D2"), "");
    as(ADA, "GET", EVENTS "?privateExtendedProperty=p", NULL);
    assert_refused(400, "invalid");
}

static void event_types_choose(void **state)
{
    make_event("aaaaa", "");
    make_event("bbbbb", "'eventType':'focusTime','focusTimeProperties':{}");
    assert_string_equal(ids("eventTypes=focusTime"), "bbbbb");
    assert_string_equal(ids("eventTypes=focusTime&eventTypes=default"), "aaaaa bbbbb");
}

static void a_uid_finds_its_event(void **state)
{
    make_event("aaaaa", "'recurrence':['RRULE:FREQ=DAILY;COUNT=3']");
    make_event("bbbbb", "");
    as(ADA, "POST", EVENTS,
       "{'iCalUID':'own@uid','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    as(ADA, "PATCH", EVENTS "/aaaaa_20261125T090000Z", "{'summary':'x'}");
    assert_string_equal(ids("iCalUID=aaaaa@google.com"), "aaaaa aaaaa_20261125T090000Z");
    assert_string_equal(ids("iCalUID=aaaaa@google.com&singleEvents=true"),
                        "aaaaa_20261124T090000Z aaaaa_20261125T090000Z aaaaa_20261126T090000Z");
    assert_string_equal(ids("iCalUID=own@uid"), "_dtrmsg3ld5i0");
    assert_string_equal(ids("iCalUID=nobody@uid"), "");
    /* In pages, too. */
    char target[400];
    const struct json *v = as(ADA, "GET", EVENTS "?iCalUID=aaaaa@google.com&maxResults=1", NULL);
    assert_string_equal(column(v, "items", "id"), "aaaaa");
    snprintf(target, sizeof target, EVENTS "?iCalUID=aaaaa@google.com&maxResults=1&pageToken=%s",
             text_at(v, "nextPageToken"));
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "id"), "aaaaa_20261125T090000Z");
    assert_null(value_at(v, "nextPageToken"));
}

static void make_rule(const char *id, const char *start, const char *end, const char *rules)
{
    char body[500];
    snprintf(body, sizeof body,
             "{'id':'%s','start':{'dateTime':'%s','timeZone':'Europe/Rome'},'end':{'dateTime':'%s',"
             "'timeZone':'Europe/Rome'},'recurrence':[%s]}",
             id, start, end, rules);
    as(ADA, "POST", EVENTS, body);
    assert_int_equal(test_status, 200);
}

/* All pages of a list, of so many items each; the caller frees it. */
static char *all_ids(const char *query, int page)
{
    char first[400], next[900], *all = calloc(1, 20000);
    assert_non_null(all);
    snprintf(first, sizeof first, "%s&maxResults=%d", query, page);
    snprintf(next, sizeof next, "%s", first);
    for (;;) {
        char target[1000];
        snprintf(target, sizeof target, EVENTS "?%s", next);
        const struct json *v = as(ADA, "GET", target, NULL);
        assert_int_equal(test_status, 200);
        const char *some = column(v, "items", "id"), *token = text_at(v, "nextPageToken");
        assert_true(strlen(all) + strlen(some) + 2 < 20000);
        if (*some) {
            strcat(all, some);
            strcat(all, " ");
        }
        if (!token)
            return all;
        snprintf(next, sizeof next, "%s&pageToken=%s", first, token);
    }
}

/* Large pages of a stretch with few events are sorted, small ones of it are walked. */
static void a_stretch_is_the_same_in_pages_of_every_size(void **state)
{
    static const char *const stretches[] = {
        "timeMin=2026-11-10T00:00:00Z", "timeMax=2026-11-20T00:00:00Z",
        "timeMin=2026-11-12T08:00:00Z&timeMax=2026-11-19T08:00:00Z",
        "timeMin=2026-11-15T08:15:00Z&timeMax=2026-11-15T08:45:00Z",
        "timeMin=2027-02-01T00:00:00Z&timeMax=2027-03-01T00:00:00Z"};
    char id[40], start[40], end[40];
    for (int i = 0; i < 56; i++) {
        snprintf(id, sizeof id, "e%05d", i * 37 % 56);
        snprintf(start, sizeof start, "2026-11-%02dT%02d:00:00Z", i % 28 + 1, 7 + i % 5);
        snprintf(end, sizeof end, "2026-11-%02dT%02d:30:00Z", i % 28 + 1, 7 + i % 5);
        make_at(id, start, end);
    }
    make_at("l0ngaa", "2026-11-02T08:00:00Z", "2026-11-16T08:00:00Z");
    make_at("l0ngbb", "2026-01-02T08:00:00Z", "2027-02-16T08:00:00Z");
    make_day("datea", "2026-11-12", "2026-11-13");
    make_day("dateb", "2026-11-19", "2026-11-20");
    make_rule("serie0a", "2026-11-02T10:00:00", "2026-11-02T11:00:00",
              "'RRULE:FREQ=DAILY;COUNT=12'");
    make_rule("serie0b", "2026-11-15T09:00:00", "2026-11-15T10:00:00", "'RRULE:FREQ=WEEKLY'");
    make_rule(
        "serie0c", "2026-11-18T09:00:00", "2026-11-18T10:00:00",
        "'RRULE:FREQ=DAILY;COUNT=2','RDATE;TZID=Europe/Rome:20261105T090000,20270210T090000'");
    for (size_t i = 0; i < SOSIA_LEN(stretches); i++) {
        for (int single = 0; single < 2; single++) {
            char query[200];
            snprintf(query, sizeof query, "%s&singleEvents=%s", stretches[i],
                     single ? "true" : "false");
            char *whole = all_ids(query, 250);
            for (int page = 1; page < 40; page = page * 3 + 1) {
                char *parts = all_ids(query, page);
                assert_string_equal(parts, whole);
                free(parts);
            }
            free(whole);
        }
    }
}

static void updated_min_has_what_was_deleted_since(void **state)
{
    make_event("aaaaa", "");
    make_event("bbbbb", "");
    test_advance(3600);
    as(ADA, "DELETE", EVENTS "/aaaaa", NULL);
    assert_string_equal(ids("updatedMin=2026-11-23T08:30:00Z"), "aaaaa");
    assert_string_equal(ids("updatedMin=2026-11-23T07:30:00Z"), "bbbbb aaaaa");
    as(ADA, "GET", EVENTS "?updatedMin=2026-01-01T00:00:00Z", NULL);
    assert_refused(410, "updatedMinTooLongAgo");
}

static void show_deleted_shows_what_is_cancelled(void **state)
{
    make_event("aaaaa", "");
    make_event("bbbbb", "");
    as(ADA, "DELETE", EVENTS "/aaaaa", NULL);
    assert_string_equal(ids(""), "bbbbb");
    assert_string_equal(ids("showDeleted=true"), "bbbbb aaaaa");
    assert_string_equal(ids("showDeleted=true&timeMin=2026-11-24T00:00:00Z&singleEvents=true"),
                        "bbbbb aaaaa");
}

static void lists_that_cannot_be_synced_give_no_token(void **state)
{
    static const char *const queries[] = {"timeMin=2026-11-24T00:00:00Z",
                                          "timeMax=2026-11-24T00:00:00Z",
                                          "updatedMin=2026-11-23T00:00:00Z",
                                          "q=x",
                                          "orderBy=updated",
                                          "iCalUID=x",
                                          "privateExtendedProperty=a%3Db",
                                          "sharedExtendedProperty=a%3Db"};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        char target[200];
        snprintf(target, sizeof target, EVENTS "?%s", queries[i]);
        const struct json *v = as(ADA, "GET", target, NULL);
        assert_int_equal(test_status, 200);
        assert_null(value_at(v, "nextSyncToken"));
    }
}

static const struct json *sync_from(const char *token, const char *more)
{
    char target[1200];
    snprintf(target, sizeof target, EVENTS "?syncToken=%s%s", token, more);
    return as(ADA, "GET", target, NULL);
}

static void a_sync_lists_what_changed_since_and_what_was_deleted(void **state)
{
    make_event("aaaaa", "");
    make_event("bbbbb", "");
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    const char *token = text_at(v, "nextSyncToken");
    v = sync_from(token, "");
    assert_int_equal(count_at(v, "items"), 0);
    as(ADA, "PATCH", EVENTS "/bbbbb", "{'summary':'x'}");
    as(ADA, "DELETE", EVENTS "/aaaaa", NULL);
    make_event("ccccc", "");
    v = sync_from(token, "");
    assert_string_equal(column(v, "items", "id"), "bbbbb aaaaa ccccc");
    assert_int_equal(count_at(v, "items.1"), 4);
    assert_string_equal(text_at(v, "items.1.status"), "cancelled");
    v = sync_from(text_at(v, "nextSyncToken"), "");
    assert_int_equal(count_at(v, "items"), 0);
}

static void a_sync_misses_nothing_that_happens_between_pages(void **state)
{
    make_event("bbbbb", "");
    make_event("ccccc", "");
    const struct json *v = as(ADA, "GET", EVENTS "?maxResults=1", NULL);
    char target[900];
    snprintf(target, sizeof target, EVENTS "?maxResults=1&pageToken=%s",
             text_at(v, "nextPageToken"));
    make_at("aaaaa", "2026-11-23T09:00:00Z", "2026-11-23T10:00:00Z"); /* before the second page */
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "id"), "ccccc");
    v = sync_from(text_at(v, "nextSyncToken"), "");
    assert_string_equal(column(v, "items", "id"), "aaaaa");
}

static void a_sync_comes_in_pages(void **state)
{
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    const char *token = text_at(v, "nextSyncToken");
    make_event("aaaaa", "");
    make_event("bbbbb", "");
    v = sync_from(token, "&maxResults=1");
    assert_string_equal(column(v, "items", "id"), "aaaaa");
    assert_null(value_at(v, "nextSyncToken"));
    char more[600];
    snprintf(more, sizeof more, "&maxResults=1&pageToken=%s", text_at(v, "nextPageToken"));
    v = sync_from(token, more);
    assert_string_equal(column(v, "items", "id"), "bbbbb");
    assert_non_null(text_at(v, "nextSyncToken"));
}

static void a_sync_after_a_change_in_a_series_has_all_its_changed_instances(void **state)
{
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=4']");
    as(ADA, "PATCH", EVENTS "/serie_20261125T090000Z", "{'summary':'x'}");
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    const char *token = text_at(v, "nextSyncToken");
    as(ADA, "DELETE", EVENTS "/serie_20261126T090000Z", NULL);
    v = sync_from(token, "");
    assert_string_equal(column(v, "items", "id"),
                        "serie serie_20261125T090000Z serie_20261126T090000Z");
    assert_string_equal(column(v, "items", "status"), "confirmed confirmed cancelled");
}

static void a_deleted_series_is_one_item_of_a_sync(void **state)
{
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=4']");
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    const char *token = text_at(v, "nextSyncToken");
    as(ADA, "DELETE", EVENTS "/serie", NULL);
    v = sync_from(token, "");
    assert_string_equal(column(v, "items", "id"), "serie");
}

static void a_sync_of_instances_has_instances(void **state)
{
    const struct json *v = as(ADA, "GET", EVENTS "?singleEvents=true", NULL);
    const char *token = text_at(v, "nextSyncToken");
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=2']");
    v = sync_from(token, "&singleEvents=true");
    assert_string_equal(column(v, "items", "id"), "serie_20261124T090000Z serie_20261125T090000Z");
    token = text_at(v, "nextSyncToken");
    as(ADA, "DELETE", EVENTS "/serie", NULL);
    v = sync_from(token, "&singleEvents=true");
    assert_string_equal(column(v, "items", "status"), "cancelled cancelled");
}

static void sync_tokens_come_alone(void **state)
{
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    const char *token = text_at(v, "nextSyncToken");
    static const char *const more[] = {"&timeMin=2026-11-24T00:00:00Z",
                                       "&q=x",
                                       "&orderBy=updated",
                                       "&iCalUID=x",
                                       "&updatedMin=2026-11-24T00:00:00Z",
                                       "&showDeleted=false"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        sync_from(token, more[i]);
        assert_refused(400, "badRequest");
        assert_non_null(strstr(test_body, strstr(more[i], "orderBy")
                                              ? "Sync token cannot be used with non-default "
                                                "ordering"
                                              : "Sync token cannot be used with other request "
                                                "restrictions"));
    }
    sync_from("nonsense", "");
    assert_refused(400, "invalid");
    v = as(BOB, "GET", EVENTS, NULL);
    sync_from(text_at(v, "nextSyncToken"), "");
    assert_refused(400, "invalid");
}

static void old_sync_tokens_die(void **state)
{
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    const char *token = text_at(v, "nextSyncToken");
    test_advance(31 * 86400);
    sync_from(token, "");
    assert_refused(410, "fullSyncRequired");
    assert_non_null(strstr(test_body, "\"location\": \"syncToken\""));
}

static void another_role_ends_a_sync(void **state)
{
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'reader','scope':{'type':'user','value':'bob@acme.example'}}");
    const struct json *v = as(BOB, "GET", "/calendars/ada@acme.example/events", NULL);
    char target[900];
    snprintf(target, sizeof target, "/calendars/ada@acme.example/events?syncToken=%s",
             text_at(v, "nextSyncToken"));
    as(BOB, "GET", target, NULL);
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", "/calendars/primary/acl/user:bob@acme.example", "{'role':'freeBusyReader'}");
    as(BOB, "GET", target, NULL);
    assert_refused(410, "fullSyncRequired");
}

/* A mirror that is kept by syncs shows at any time what a full list shows. */
#define SLOTS 12

static void a_mirror_kept_by_syncs_stays_equal(void **state)
{
    struct {
        char id[64], etag[40];
    } mirror[200];
    size_t n = 0;
    unsigned random = 7;
    char token[400];
    const struct json *v = as(ADA, "GET", EVENTS, NULL);
    strcpy(token, text_at(v, "nextSyncToken"));
    for (int round = 0; round < 120; round++) {
        char target[200], body[300];
        random = random * 1103515245 + 12345;
        int slot = (int)(random >> 16) % SLOTS, what = (int)(random >> 24) % 6;
        snprintf(target, sizeof target, EVENTS "/slot%c%s", 'a' + slot,
                 what == 4 || what == 5 ? "_20261125T090000Z" : "");
        snprintf(body, sizeof body, "{'summary':'round %d'}", round);
        if (what == 0) {
            snprintf(body, sizeof body,
                     "{'id':'slot%c','start':{'dateTime':'2026-11-24T09:00:00Z','timeZone':'UTC'},"
                     "'end':{'dateTime':'2026-11-24T10:00:00Z','timeZone':'UTC'}%s}",
                     'a' + slot, slot % 2 ? ",'recurrence':['RRULE:FREQ=DAILY;COUNT=5']" : "");
            as(ADA, "POST", EVENTS, body);
        } else if (what == 3 && slot % 3) {
            as(ADA, "DELETE", target, NULL);
        } else if (what == 5) {
            as(ADA, "DELETE", target, NULL);
        } else {
            as(ADA, "PATCH", target, body);
        }
        if (round % 3)
            continue;
        v = sync_from(token, "");
        assert_int_equal(test_status, 200);
        strcpy(token, text_at(v, "nextSyncToken"));
        for (size_t i = 0; i < count_at(v, "items"); i++) {
            char path[40];
            snprintf(path, sizeof path, "items.%zu", i);
            const struct json *item = value_at(v, path);
            const char *id = text_at(item, "id");
            size_t k = 0;
            while (k < n && strcmp(mirror[k].id, id) != 0)
                k++;
            bool gone = strcmp(text_at(item, "status"), "cancelled") == 0 &&
                        !text_at(item, "recurringEventId");
            if (gone) {
                /* The instances of a deleted series go with it. */
                size_t len = strlen(id);
                for (size_t m = 0; m < n;)
                    if (strncmp(mirror[m].id, id, len) == 0 &&
                        (!mirror[m].id[len] || mirror[m].id[len] == '_'))
                        mirror[m] = mirror[--n];
                    else
                        m++;
                continue;
            }
            if (k == n)
                n++;
            snprintf(mirror[k].id, sizeof mirror[k].id, "%s", id);
            snprintf(mirror[k].etag, sizeof mirror[k].etag, "%s", text_at(item, "etag"));
        }
        v = as(ADA, "GET", EVENTS, NULL);
        if (count_at(v, "items") != n)
            fail_msg("round %d: %zu in the mirror, %s", round, n, column(v, "items", "id"));
        for (size_t i = 0; i < n; i++) {
            char path[40];
            size_t k = 0;
            snprintf(path, sizeof path, "items.%zu", i);
            const struct json *item = value_at(v, path);
            while (k < n && strcmp(mirror[k].id, text_at(item, "id")) != 0)
                k++;
            assert_true(k < n);
            assert_string_equal(mirror[k].etag, text_at(item, "etag"));
        }
    }
    assert_true(n > 3);
}

static void open_invitations_can_be_hidden(void **state)
{
    test_use(
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"ada@acme."
        "example\"},"
        "{\"email\":\"bob@acme.example\"}],"
        "\"calendarSettings\":[{\"person\":\"ada@acme.example\",\"hideInvitations\":\"true\"}]}");
    as(BOB, "POST", EVENTS,
       "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},'attendees':[{'"
       "email':'ada@acme.example'}]}");
    assert_string_equal(ids(""), "");
    assert_string_equal(ids("showHiddenInvitations=true"), "abcde");
    as(ADA, "PATCH", EVENTS "/abcde",
       "{'attendees':[{'email':'ada@acme.example','responseStatus':'accepted'}]}");
    assert_string_equal(ids(""), "abcde");
}

static void q_finds_the_organizer_and_the_kind(void **state)
{
    char target[300];
    make_event("aaaaa", "'eventType':'focusTime','focusTimeProperties':{}");
    make_event("bbbbb", "");
    as(ADA, "POST", EVENTS,
       "{'id':'ccccc','eventType':'outOfOffice','outOfOfficeProperties':{},"
       "'start':{'dateTime':'2026-11-25T10:00:00Z'},'end':{'dateTime':'2026-11-25T11:00:00Z'}}");
    assert_string_equal(ids("q=ada@acme.example"), "aaaaa bbbbb ccccc");
    assert_string_equal(ids("q=focus%20time"), "aaaaa");
    assert_string_equal(ids("q=out%20of%20office"), "ccccc");
    as(ADA, "POST", EVENTS,
       "{'id':'ddddd','eventType':'workingLocation','visibility':'public',"
       "'transparency':'transparent','start':{'date':'2026-11-26'},'end':{'date':'2026-11-27'},"
       "'workingLocationProperties':{'type':'homeOffice','homeOffice':{}}}");
    assert_string_equal(ids("q=home"), "ddddd");
    const struct json *v = as(ADA, "POST", "/calendars", "{'summary':'Harbour crew'}");
    snprintf(target, sizeof target, "/calendars/%s/events", text_at(v, "id"));
    as(ADA, "POST", target,
       "{'id':'eeeee','start':{'date':'2026-11-26'},'end':{'date':'2026-11-27'},"
       "'attendees':[{'email':'ada@acme.example'}]}");
    strcat(target, "?q=harbour");
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "id"), "eeeee");
    assert_string_equal(ids("q=harbour"), "eeeee");
}

static void a_truth_may_be_written_as_scripts_do(void **state)
{
    make_event("serie", "'recurrence':['RRULE:FREQ=DAILY;COUNT=2']");
    assert_string_equal(ids("singleEvents=True"), "serie_20261124T090000Z serie_20261125T090000Z");
    assert_string_equal(ids("singleEvents=1"), "serie_20261124T090000Z serie_20261125T090000Z");
    assert_string_equal(ids("singleEvents=FALSE"), "serie");
    assert_string_equal(ids("singleEvents=0"), "serie");
    as(ADA, "GET", EVENTS "?singleEvents=2", NULL);
    assert_int_equal(test_status, 400);
    as(ADA, "GET", EVENTS "?singleEvents=", NULL);
    assert_int_equal(test_status, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(the_envelope_has_the_recorded_members),
        gcal_test(a_range_has_what_overlaps_it_and_excludes_its_bounds),
        gcal_test(long_events_are_found_in_the_middle),
        gcal_test(all_day_events_lie_in_the_calendars_zone),
        gcal_test(an_empty_range_is_refused),
        gcal_test(order_by_start_time_mixes_days_and_times_and_needs_instances),
        gcal_test(lists_come_by_time_of_change_and_then_by_id),
        gcal_test(instances_and_events_of_one_time_come_by_id),
        gcal_test(deleted_events_take_their_places_on_pages),
        gcal_test(pages_of_every_order_fit_together),
        gcal_test(a_page_token_of_another_query_is_refused),
        gcal_test(q_matches_words_in_texts_and_people),
        gcal_test(property_filters_are_ored_within_a_kind_and_anded_between),
        gcal_test(event_types_choose),
        gcal_test(a_uid_finds_its_event),
        gcal_test(a_stretch_is_the_same_in_pages_of_every_size),
        gcal_test(updated_min_has_what_was_deleted_since),
        gcal_test(show_deleted_shows_what_is_cancelled),
        gcal_test(lists_that_cannot_be_synced_give_no_token),
        gcal_test(a_sync_lists_what_changed_since_and_what_was_deleted),
        gcal_test(a_sync_misses_nothing_that_happens_between_pages),
        gcal_test(a_sync_comes_in_pages),
        gcal_test(a_sync_after_a_change_in_a_series_has_all_its_changed_instances),
        gcal_test(a_deleted_series_is_one_item_of_a_sync),
        gcal_test(a_sync_of_instances_has_instances),
        gcal_test(sync_tokens_come_alone),
        gcal_test(old_sync_tokens_die),
        gcal_test(another_role_ends_a_sync),
        gcal_test(a_mirror_kept_by_syncs_stays_equal),
        gcal_test(open_invitations_can_be_hidden),
        gcal_test(q_finds_the_organizer_and_the_kind),
        gcal_test(a_truth_may_be_written_as_scripts_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
