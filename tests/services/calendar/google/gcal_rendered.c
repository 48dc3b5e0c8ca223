/* SPDX-License-Identifier: Apache-2.0 */
/* Lists whose items were written before are what they would be if nothing were kept: over random
 * changes, in a world and its forks, for all callers and all kinds of lists. */
#include "engine/world/engine.h"
#include "tests/support/gcal.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

#define ADAS "/calendars/ada@acme.example"

enum { IDS = 24, STEPS = 1500, FORKS = 4, LONG = 5000 };

static uint64_t seed = 3;
static uint64_t worlds[FORKS + 1];
static char group[128]; /* a secondary calendar's id */

static unsigned pick(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

/* Whether rows are read from their pages, and so whether what was written of them is used. */
static void use_kept(bool on)
{
    struct sosia_err err;
    struct worker *k = worker_take(test_engine, &err);
    slot_use_records(k->slot, on);
    worker_drop(k);
}

/* ---- changes ---- */

static const char *some_text(void)
{
    /* Of a few lengths, so that rows are written over in place, on pages of their own too. */
    static const int lengths[] = {0, 5, 40, LONG, LONG};
    static char text[LONG + 1];
    int n = lengths[pick(5)];
    memset(text, 'a' + (int)pick(26), (size_t)n);
    text[n] = 0;
    return text;
}

static const char *some_body(void)
{
    static char b[LONG + 400];
    unsigned day = 1 + pick(28);
    switch (pick(14)) {
    case 0:
    case 1:
        snprintf(b, sizeof b, "{'description':'%s'}", some_text());
        break;
    case 2:
        snprintf(b, sizeof b, "{'summary':'S%u','location':'L\\u2028<%u>'}", pick(9), pick(9));
        break;
    case 3:
    case 13:
        snprintf(b, sizeof b,
                 "{'attendees':[{'email':'bob@acme.example','responseStatus':'%s'},"
                 "{'email':'x%u@out.example','displayName':'%.60s'}]}",
                 pick(2) ? "accepted" : "declined", pick(3), some_text());
        break;
    case 4:
        snprintf(b, sizeof b, "{'attendees':[]}");
        break;
    case 5:
        snprintf(b, sizeof b,
                 "{'reminders':{'useDefault':false,'overrides':[{'method':'popup',"
                 "'minutes':%u}]}}",
                 pick(90));
        break;
    case 6:
        snprintf(b, sizeof b, "{'reminders':{'useDefault':true}}");
        break;
    case 7:
        snprintf(b, sizeof b, "{'visibility':'%s','transparency':'%s'}",
                 pick(2) ? "private" : "default", pick(2) ? "transparent" : "opaque");
        break;
    case 8:
        snprintf(b, sizeof b,
                 "{'start':{'dateTime':'2026-11-%02uT10:00:00Z','date':null},"
                 "'end':{'dateTime':'2026-11-%02uT11:00:00Z','date':null}}",
                 day, day);
        break;
    case 9:
        snprintf(b, sizeof b,
                 "{'start':{'date':'2026-11-%02u','dateTime':null,'timeZone':null},"
                 "'end':{'date':'2026-11-%02u','dateTime':null,'timeZone':null}}",
                 day, day + 1);
        break;
    case 10:
        snprintf(b, sizeof b, "{'extendedProperties':{'private':{'p':'%u'},'shared':{'s':'%u'}}}",
                 pick(9), pick(9));
        break;
    case 11:
        snprintf(b, sizeof b, "{'colorId':'%u','guestsCanModify':%s}", 1 + pick(11),
                 pick(2) ? "true" : "false");
        break;
    default:
        snprintf(b, sizeof b, "{'summary':'x','recurrence':['RRULE:FREQ=NEVER']}"); /* refused */
    }
    return b;
}

static void insert_event(unsigned i)
{
    char target[256], body[400];
    const char *zone = i % 3 ? "" : ",'timeZone':'Europe/Rome'";
    snprintf(target, sizeof target, "/calendars/%s/events", i % 4 ? "primary" : group);
    snprintf(body, sizeof body,
             "{'id':'event%02u','summary':'Event %u','start':{'dateTime':'2026-11-24T10:00:00Z'%s},"
             "'end':{'dateTime':'2026-11-24T11:00:00Z'%s}%s}",
             i, i, zone, zone, i % 3 ? "" : ",'recurrence':['RRULE:FREQ=DAILY;COUNT=4']");
    as(ADA, "POST", target, body);
}

static void change_event(void)
{
    char target[256];
    unsigned i = pick(IDS);
    snprintf(target, sizeof target, "/calendars/%s/events/event%02u", i % 4 ? "primary" : group, i);
    switch (pick(20)) {
    case 0:
        as(ADA, "DELETE", target, NULL);
        break;
    case 1:
        as(ADA, "PATCH", target, "{'status':'confirmed'}"); /* back again */
        break;
    case 2: /* an instance of its own */
        snprintf(target, sizeof target, "/calendars/%s/events/event%02u_2026112%uT100000Z",
                 i % 4 ? "primary" : group, i / 3 * 3, 5 + pick(3));
        as(ADA, "PATCH", target, some_body());
        break;
    case 3: /* the guest's copy */
        snprintf(target, sizeof target, "/calendars/primary/events/event%02u", i);
        as(BOB, "PATCH", target,
           "{'attendees':[{'email':'bob@acme.example','responseStatus':'tentative'}]}");
        break;
    default:
        as(ADA, "PATCH", target, some_body());
    }
}

static void change_around(void)
{
    static const char *const roles[] = {"reader", "freeBusyReader", "writer", "none"};
    static const char *const zones[] = {"Asia/Tokyo", "Europe/Rome", "America/Caracas"};
    char target[256], body[200];
    snprintf(target, sizeof target, "/calendars/%s", pick(2) ? group : ADA);
    switch (pick(3)) {
    case 0:
        snprintf(body, sizeof body, "{'summary':'C%u'}", pick(9));
        as(ADA, "PATCH", target, body);
        break;
    case 1:
        snprintf(body, sizeof body, "{'timeZone':'%s'}", zones[pick(3)]);
        as(ADA, "PATCH", target, body);
        break;
    default:
        strncat(target, "/acl", sizeof target - strlen(target) - 1);
        snprintf(body, sizeof body, "{'role':'%s','scope':{'type':'user','value':'" BOB "'}}",
                 roles[pick(4)]);
        as(ADA, "POST", target, body);
    }
}

/* Another world: dropped and forked anew from one of the others. */
static void change_worlds(void)
{
    struct sosia_err err;
    unsigned i = 1 + pick(FORKS), from = pick(FORKS + 1);
    if (from == i)
        from = 0;
    assert_int_equal(sosia_world_drop(test_engine, worlds[i], &err), 0);
    assert_int_equal(sosia_world_fork(test_engine, worlds[from], NULL, &worlds[i], &err), 0);
}

/* ---- lists ---- */

static const char *some_list(const char **ret_who)
{
    static const char *const ways[] = {"",
                                       "?timeZone=Asia/Tokyo",
                                       "?showDeleted=true",
                                       "?singleEvents=true&orderBy=startTime",
                                       "?fields=items(id,summary,attendees)",
                                       "?fields=items(start,etag,reminders)",
                                       "?prettyPrint=false",
                                       "?maxAttendees=1",
                                       "?timeMin=2026-11-20T00:00:00Z&maxResults=5",
                                       "?singleEvents=true&timeZone=America/New_York"};
    static char target[300];
    bool own = pick(2);
    *ret_who = own || pick(2) ? ADA : BOB;
    snprintf(target, sizeof target, "/calendars/%s/events%s",
             own       ? "primary"
             : pick(2) ? group
                       : ADA,
             ways[pick(10)]);
    return target;
}

static void compare(void)
{
    const char *who, *target = some_list(&who);
    as(who, "GET", target, NULL);
    const char *first = test_body;
    as(who, "GET", target, NULL);
    assert_string_equal(test_body, first);
    use_kept(false);
    as(who, "GET", target, NULL);
    use_kept(true);
    assert_string_equal(test_body, first);
}

static void kept_items_are_what_would_be_written(void **state)
{
    struct sosia_err err;
    const struct json *made = as(ADA, "POST", "/calendars", "{'summary':'Group'}");
    snprintf(group, sizeof group, "%s", text_at(made, "id"));
    worlds[0] = test_world;
    for (unsigned i = 0; i < IDS; i++)
        insert_event(i);
    for (int i = 1; i <= FORKS; i++)
        assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &worlds[i], &err), 0);
    for (int i = 0; i < STEPS; i++) {
        test_world = worlds[pick(FORKS + 1)];
        unsigned what = pick(20);
        if (what == 0)
            change_worlds();
        else if (what < 6)
            change_around();
        else
            change_event();
        for (int k = 0; k < 3; k++) {
            test_world = worlds[pick(FORKS + 1)];
            compare();
        }
    }
    test_world = worlds[0];
}

int main(void)
{
    const struct CMUnitTest tests[] = {gcal_test(kept_items_are_what_would_be_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
