/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calendars in documents: what is refused and with which words, what a document says comes back in
 * the dump, and what events are in the core's own terms and in whose vendor's. Once for each of two
 * vendors.
 */
#include "engine/service.h"
#include "engine/state/plain.h"
#include "engine/world/engine.h"
#include "identity/account.h"
#include "services/calendar/core/show.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- documents ---- */

/* The world of these people with further sections; ' is written for ". */
static char *document(const char *calendars)
{
    static char doc[16384];
    snprintf(
        doc, sizeof doc,
        "{'sosia':1,'time':'2026-03-12T08:00:00Z','organizations':[{'domain':'acme.example'}],"
        "'people':[{'email':'ada@acme.example'},{'email':'bob@acme.example'},{'email':"
        "'cyd@acme.example'},{'email':'dan@acme.example'},{'email':'room@acme.example',"
        "'kind':'resource','name':'Aula'}],'accounts':["
        "{'actor':'ada@acme.example','vendor':'%s'},{'actor':'bob@acme.example','vendor':'%s'}"
        ",{'actor':'cyd@acme.example','vendor':'%s'},{'actor':'dan@acme.example','vendor':'%s'}"
        ",{'actor':'room@acme.example','vendor':'%s'},{'actor':'bob@acme.example','vendor':"
        "'%s'}],'calendars':[%s]}",
        subject->name, subject->name, subject->name, other->name, subject->name, other->name,
        calendars);
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return doc;
}

static void refused(const char *calendars, const char *text)
{
    struct sosia_world_options options = {.seed_doc = document(calendars)};
    struct sosia_err err = {0};
    uint64_t world;
    options.seed_doc_len = strlen(options.seed_doc);
    if (sosia_world_create(test_engine, &options, &world, &err) == 0)
        fail_msg("it is not refused: %s", calendars);
    if (!strstr(err.text, text))
        fail_msg("%s: \"%s\" has no \"%s\"", calendars, err.text, text);
}

/* What the dump has of calendars; that is a document which gives the same. */
static const char *dumped(const char *calendars)
{
    static char text[16384];
    char *first;
    struct sosia_blob blob;
    uint64_t world = test_world_of(document(calendars));
    assert_int_equal(sosia_world_dump(test_engine, world, &blob, &test_err), 0);
    first = strdup(blob.data);
    sosia_blob_free(&blob);
    sosia_world_drop(test_engine, world, &test_err);
    world = test_world_of(first);
    assert_int_equal(sosia_world_dump(test_engine, world, &blob, &test_err), 0);
    assert_string_equal(first, blob.data);
    sosia_blob_free(&blob);
    sosia_world_drop(test_engine, world, &test_err);
    const char *at = strstr(first, "\"calendars\"");
    /* Without whitespace and quotation marks. */
    char *to = text;
    for (; at && *at && to < text + sizeof text - 1; at++)
        if (*at != ' ' && *at != '\n' && *at != '"')
            *to++ = *at;
    *to = 0;
    free(first);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in %s", part, text);
}

static void has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" in %s", part, text);
}

#define ADAS(parts)  "{'owner':'ada@acme.example','primary':true," parts "}"
#define EVENT(parts) ADAS("'events':[{'start':'2026-03-20'," parts "}]")
#define ACCESS(rule) ADAS("'access':[" rule "]")

static void what_a_document_may_not_say(void **state)
{
    (void)state;
    static const struct {
        const char *calendars, *text;
    } all[] = {
        {ACCESS("{'person':'bob@acme.example','role':'reader','beyond':['titles']}"),
         "titles go with the role freebusy"},
        {ACCESS("{'person':'bob@acme.example','role':'freebusy','beyond':['delegate']}"),
         "delegate and private go with the role writer"},
        {ACCESS("{'person':'bob@acme.example','role':'owner','beyond':['private']}"),
         "delegate and private go with the role writer"},
        {ACCESS("{'person':'bob@acme.example','group':'g@acme.example'}"), "needs one of"},
        {ACCESS("{'domain':'acme.example','public':true}"), "needs one of"},
        {ACCESS("{'public':false}"), "needs one of"},
        {ACCESS("{'person':1}"), "person"},
        {ACCESS("{'person':'ada@acme.example','role':'writer'}"), "the owner has all rights"},
        {EVENT("'id':1"), "id"},
        {EVENT("'recurrence':'x'"), "recurrence"},
        {EVENT("'recurrence':[1]"), "recurrence"},
        {EVENT("'end':1"), "end"},
        {EVENT("'end':'2026-03-19'"), "the end is before the start"},
        {EVENT("'reminders':1"), "must be a list, or"},
        {EVENT("'reminders':'usual'"), "must be a list, or"},
        {EVENT("'reminders':[{'minutes':-1}]"), "minutes"},
        {EVENT("'attendees':['bob@acme.example','x']"), "is not an e-mail address"},
        {EVENT("'attendees':['bob@acme.example','cyd@acme.example','Cyd@acme.example']"),
         "cyd@acme.example is here twice"},
        {EVENT("'recurrence':['RRULE:FREQ=DAILY'],'instances':[{'originalStart':1}]"),
         "originalStart"},
        {EVENT("'recurrence':['RRULE:FREQ=DAILY'],'instances':[{'originalStart':'2026-03-21',"
               "'sequence':-1}]"),
         "sequence"},
        {EVENT("'recurrence':['RRULE:FREQ=DAILY'],'instances':[{'originalStart':'2026-03-21',"
               "'start':'9999-12-31','end':'9999-12-31'},{'originalStart':'2026-03-21T10:00'}]"),
         "the series has no instance then"},
        {ADAS("'events':[{'start':'2026-03-20T10:00','id':'s','recurrence':['RRULE:FREQ=DAILY'],"
              "'instances':[{'originalStart':'2026-03-21T10:00','start':'9999-12-31T23:30'}]}]"),
         "Events lie between the years 1 and 9999."},
        {ADAS("'copies':[{'id':'none'}]"), "there is no copy of an invitation with this id"},
        {"{'owner':'ada@acme.example','summary':'x','vendor':1}", "vendor: must be a text"},
        {"{'owner':'ada@acme.example','summary':'x','vendor':'none'}",
         "the owner has no calendars with none"},
        {"{'owner':'ada@acme.example','primary':true,'vendor':1}", "vendor: must be a text"},
        {"{'owner':'ada@acme.example','primary':true,'vendor':'none'}",
         "the owner has no calendars with none"},
        {"{'owner':'zed@acme.example','primary':true}", "there is nobody \"zed@acme.example\""},
        {"{'id':'zed@acme.example','primary':true}", "there is nobody \"zed@acme.example\""},
        {"{'primary':true}", "id"},
        {"{'owner':'ada@acme.example'}", "is missing"},
        {"{'owner':'ada@acme.example','summary':'x','zone':'Nowhere'}", "zone"},
        {"{'group':'x','vendor':'acme','summary':'x'}", "the address of a group"},
        {"{'group':'g@acme.example','id':'h@acme.example','vendor':'acme','summary':'x'}",
         "the address of a group"},
        {"{'group':'g@acme.example','vendor':'none','summary':'x'}", "a vendor that has calendars"},
        {"{'group':'g@acme.example','vendor':'acme'}", "is missing"},
        {"{'group':'g@acme.example','summary':'x'}", "vendor"},
        {"{'group':1,'vendor':'acme'}", "group"},
        {"{'group':'ada@acme.example','vendor':'acme','summary':'x'},{'id':'ada@acme.example',"
         "'group':1}",
         ""},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        refused(all[i].calendars, all[i].text);
}

/* An id has 1 to 1024 bytes, that of a calendar 1 to 254. */
static void how_long_ids_may_be(void **state)
{
    (void)state;
    static char id[1100], doc[2000];
    memset(id, 'x', sizeof id);
    for (int over = 0; over < 2; over++) {
        snprintf(doc, sizeof doc, ADAS("'events':[{'start':'2026-03-20','id':'%.*s'}]"),
                 1024 + over, id);
        if (over)
            refused(doc, "is not an event id");
        else
            has(dumped(doc), "xxxx");
        snprintf(doc, sizeof doc, "{'owner':'ada@acme.example','summary':'x','id':'%.*s'}",
                 254 + over, id);
        if (over)
            refused(doc, "must have 1 to 254 bytes");
        else
            has(dumped(doc), "xxxx");
    }
    refused("{'owner':'ada@acme.example','summary':'x','id':''}", "must have 1 to 254 bytes");
    for (const char *p = " /?#%"; *p; p++) {
        snprintf(doc, sizeof doc, EVENT("'id':'a%cb'"), *p);
        refused(doc, "is not an event id");
    }
}

static void what_comes_back(void **state)
{
    (void)state;
    const char *text = dumped(
        ACCESS("{'person':'bob@acme.example','role':'writer','beyond':['delegate','private']},"
               "{'domain':'acme.example','role':'freebusy','beyond':['titles']},{'person':"
               "'ada@acme.example','role':'owner'}"));
    has(text, "{role:writer,beyond:[delegate,private],person:bob@acme.example}");
    has(text, "{role:freebusy,beyond:[titles],domain:acme.example}");
    has_not(text, "person:ada@acme.example");
    text = dumped(ACCESS("{'person':'bob@acme.example','role':'reader'},"
                         "{'person':'bob@acme.example','role':'writer'}"));
    has(text, "access:[{role:writer,person:bob@acme.example}]"); /* the last one holds */
    /* Reminders: of an all-day event the vendor says what it has without. */
    text = dumped(EVENT("'id':'d','reminders':'default'"));
    if (subject->day_reminders)
        has(text, "reminders:default");
    else
        has_not(text, "reminders");
    text = dumped(EVENT("'id':'d'"));
    has_not(text, "reminders");
    text = dumped(EVENT("'id':'d','reminders':[{'method':'popup','minutes':40320}]"));
    has(text, "reminders:[{method:popup,minutes:40320}]");
    text = dumped(ADAS("'events':[{'id':'t','start':'2026-03-20T10:00','reminders':'default'},"
                       "{'id':'u','start':'2026-03-20T10:00','reminders':[{'method':'email',"
                       "'minutes':0},{'method':'popup','minutes':5}]}]"));
    has(text, "{id:u,start:2026-03-20T10:00,end:2026-03-20T11:00,reminders:[{method:email,"
              "minutes:0},{method:popup,minutes:5}]}");
    has(text, "{id:t,start:2026-03-20T10:00,end:2026-03-20T11:00}");
    /* Times before 1970, at changes of the clock, to the second. */
    text = dumped(
        ADAS("'zone':'Europe/Rome','events':["
             "{'id':'a','start':'1931-07-14T10:00:30','end':'1931-07-14T10:01'},"
             "{'id':'b','start':'2026-10-25T02:30:00+02:00','end':'2026-10-25T02:30:00+01:00'},"
             "{'id':'c','start':'1931-07-14','end':'1931-07-16'},"
             "{'id':'d','start':'2026-03-29T01:30','end':'2026-03-29T03:30'}]"));
    has(text, "{id:a,start:1931-07-14T10:00:30,end:1931-07-14T10:01}");
    has(text, "{id:c,start:1931-07-14,end:1931-07-16}");
    has(text, "2026-10-25T02:30:00+01:00");
    has(text, "{id:d,start:2026-03-29T01:30,end:2026-03-29T03:30}");
    /* What a length is without an end. */
    text = dumped(EVENT("'id':'day'"));
    has(text, "start:2026-03-20,end:2026-03-21");
    text = dumped(ADAS("'events':[{'id':'e','start':'2026-03-20T10:00'}]"));
    has(text, "start:2026-03-20T10:00,end:2026-03-20T11:00");
    text = dumped(ADAS("'events':[{'id':'s','start':'2026-03-20T10:00','end':'2026-03-20T13:00',"
                       "'recurrence':['RRULE:FREQ=DAILY;COUNT=4','EXDATE:20260321T100000Z'],"
                       "'instances':[{'originalStart':'2026-03-22T10:00','start':"
                       "'2026-03-22T12:00'},{'originalStart':'2026-03-23T10:00','status':"
                       "'cancelled'}]}]"));
    has(text, "recurrence:[RRULE:FREQ=DAILY;COUNT=4,EXDATE:20260321T100000Z]");
    has(text, "{originalStart:2026-03-22T10:00,start:2026-03-22T12:00,end:2026-03-22T15:00");
    has(text, "{originalStart:2026-03-23T10:00,status:cancelled}");
}

/* An owner with accounts of several vendors has a primary calendar of each. */
static void whose_calendar_it_is(void **state)
{
    (void)state;
    char doc[1000];
    const char *text;
    snprintf(doc, sizeof doc,
             "{'owner':'bob@acme.example','primary':true,'vendor':'%s','description':'first'},"
             "{'owner':'bob@acme.example','primary':true,'vendor':'%s','description':'second'},"
             "{'id':'t1@x.example','owner':'bob@acme.example','vendor':'%s','summary':'Team 1'},"
             "{'id':'t2@x.example','owner':'bob@acme.example','vendor':'%s','summary':'Team 2'},"
             "{'id':'t3@x.example','owner':'bob@acme.example','summary':'Team 3'}",
             subject->name, other->name, subject->name, other->name);
    text = dumped(doc);
    has(text, "description:first");
    has(text, "description:second");
    /* The vendor is said of those that the address does not lead to. */
    char part[100];
    for (int i = 1; i < 4; i++) {
        const struct cal_vendor *v = i == 2 ? other : subject;
        const char *from = strstr(text, arena_printf(tx.arena, "id:t%d@x.example", i));
        assert_non_null(from);
        snprintf(part, sizeof part, "vendor:%s", v->name);
        const char *to = strchr(from, '}'), *said = strstr(from, "vendor:");
        const bool is_said = said && said < to;
        if (is_said && strncmp(said, part, strlen(part)) != 0)
            fail_msg("%s: %s", part, from);
        if (i == 3)
            assert_false(is_said);
    }
    const char *one = strstr(text, "id:t1@x.example"), *two = strstr(text, "id:t2@x.example");
    int said = 0;
    for (const char *p = text; (p = strstr(p, "vendor:")); p++)
        said++;
    assert_non_null(one);
    assert_non_null(two);
    assert_int_equal(said, 2); /* the second primary one, and one of the others */
}

static void a_groups_calendar(void **state)
{
    (void)state;
    char doc[1000];
    snprintf(doc, sizeof doc,
             "{'group':'G@acme.example','vendor':'%s','summary':'Group','description':'d'},"
             "{'group':'g@acme.example','vendor':'%s','location':'l','events':[{'id':'e','start':"
             "'2026-03-20T10:00','attendees':['bob@acme.example']}]}",
             subject->name, subject->name);
    const char *text = dumped(doc);
    has(text, arena_printf(tx.arena,
                           "{id:g@acme.example,group:g@acme.example,vendor:%s,summary:Group,"
                           "description:d,location:l,events:[{id:e,",
                           subject->name));
}

/* ---- in the core's own terms ---- */

static const char *plainly(int64_t id)
{
    for (size_t i = 0; i < calendar_core.n_entities; i++) {
        const struct entity *e = &calendar_core.entities[i];
        struct json_writer w;
        struct buf b;
        if (strcmp(e->table, "cal_event") != 0)
            continue;
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        int r = e->plain(&tx, id, &w);
        json_end(&w);
        const char *text = r == 1 ? arena_strdup(tx.arena, buf_str(&b)) : "";
        buf_done(&b);
        assert_true(r >= 0);
        return text;
    }
    return NULL;
}

static void a_rule_says_what_it_means(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *plain;
        int days; /* from a Friday */
    } all[] = {
        {"RRULE:FREQ=WEEKLY;COUNT=8", "COUNT=8;FREQ=WEEKLY", 0},
        {"RRULE:FREQ=WEEKLY;WKST=SU;INTERVAL=1;COUNT=8", "COUNT=8;FREQ=WEEKLY", 0},
        {"RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=8", "COUNT=8;FREQ=WEEKLY;INTERVAL=2", 0},
        {"RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=8", "COUNT=8;FREQ=WEEKLY", 0},
        {"RRULE:FREQ=WEEKLY;BYDAY=TH;COUNT=8", "COUNT=8;FREQ=WEEKLY", -1},
        {"RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=8", "COUNT=8;FREQ=WEEKLY", -2},
        {"RRULE:FREQ=WEEKLY;BYDAY=SA;COUNT=8", "COUNT=8;FREQ=WEEKLY", 1},
        {"RRULE:FREQ=WEEKLY;BYDAY=FR,SA;COUNT=8", "BYDAY=FR,SA;COUNT=8;FREQ=WEEKLY", 0},
        {"RRULE:FREQ=DAILY;BYDAY=FR;COUNT=8", "BYDAY=FR;COUNT=8;FREQ=DAILY", 0},
        {"RRULE:FREQ=WEEKLY;UNTIL=20261231T120000Z", "FREQ=WEEKLY;UNTIL=20261231", 0},
        {"RRULE:FREQ=DAILY;COUNT=2\nRRULE:FREQ=DAILY;INTERVAL=3;COUNT=2",
         "COUNT=2;FREQ=DAILY\",\"COUNT=2;FREQ=DAILY;INTERVAL=3", 0},
        {"RRULE:FREQ=DAILY;COUNT=2\nEXDATE:20260321T120000Z", "COUNT=2;FREQ=DAILY", 0},
        /* Before 1970, and in a zone where it is another day. */
        {"RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=8", "COUNT=8;FREQ=WEEKLY", -7 * 3000},
        {"RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=8", "COUNT=8;FREQ=WEEKLY", -7 * 3000 - 2},
        {"RRULE:FREQ=WEEKLY;BYDAY=TH;COUNT=8", "COUNT=8;FREQ=WEEKLY", -7 * 3000 - 1},
        {"RRULE:FREQ=WEEKLY;BYDAY=SA;COUNT=8", "COUNT=8;FREQ=WEEKLY", -7 * 3000 + 1},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        for (int way = 0; way < 3; way++) {
            struct cal_event ev = draft("It", "");
            ev.start_us += all[i].days * 24 * HOUR;
            if (way == 1) /* Tokyo is nine hours ahead: still the same day there */
                ev.start_us -= 14 * HOUR, ev.zone = "Asia/Tokyo";
            if (way == 2)
                ev.start_us -= 12 * HOUR, ev.zone = NULL, ev.all_day = true, ev.len_us = 24 * HOUR;
            if (way == 2 && strstr(all[i].rule, "T120000Z"))
                continue;
            ev.recurrence = all[i].rule;
            ev = added(ev);
            has(plainly(ev.id), arena_printf(tx.arena, "\"recurrence\":[\"%s\"]", all[i].plain));
        }
}

static void an_event_in_plain_terms(void **state)
{
    (void)state;
    struct cal_event ev = draft("One", "bob ada dan"), copy;
    ev.location = "Here", ev.description = "Words", ev.attendees[2].optional = true;
    ev = added(ev);
    assert_string_equal(
        plainly(ev.id),
        "{\"person\":\"ada@acme.example\",\"title\":\"One\",\"start\":\"2026-03-20T12:00:00Z\","
        "\"end\":\"2026-03-20T13:00:00Z\",\"location\":\"Here\",\"text\":\"Words\",\"guests\":["
        "\"bob@acme.example\",\"dan@acme.example optional\"]}");
    copy = copy_in(&bob, &ev);
    answer(&bob, &copy, RESPONSE_ACCEPTED);
    has(plainly(copy.id), "\"person\":\"bob@acme.example\",\"title\":\"One\"");
    has(plainly(copy.id), "\"organizer\":\"ada@acme.example\",\"guests\":[\"bob@acme.example "
                          "accepted\",\"dan@acme.example optional\"]");
    has_not(plainly(ev.id), "organizer");
    /* What is unusual of it. */
    struct cal_event old = again(&ev), is = old;
    is.status = EVENT_TENTATIVE, is.visibility = VISIBLE_CONFIDENTIAL, is.busy = BUSY_ELSEWHERE;
    OK(saved(&ada, &old, &is));
    has(plainly(ev.id), "\"status\":\"tentative\"");
    has(plainly(ev.id), "\"free\":true,\"private\":true");
    old = is = again(&ev);
    is.visibility = VISIBLE_PRIVATE, is.busy = BUSY_BUSY;
    OK(saved(&ada, &old, &is));
    has(plainly(ev.id), "\"private\":true");
    has_not(plainly(ev.id), "free");
    old = is = again(&ev);
    is.visibility = VISIBLE_PUBLIC;
    OK(saved(&ada, &old, &is));
    has_not(plainly(ev.id), "private");
    /* What is cancelled is nothing, but for an instance. */
    OK(cal_event_cancel(&tx, ALL, &bob, &copy));
    assert_string_equal(plainly(copy.id), "");
    ev = again(&ev);
    OK(cal_event_cancel(&tx, ALL, &ada, &ev));
    assert_string_equal(plainly(ev.id), "");
    assert_string_equal(plainly(99999), "");
    struct cal_event series = draft("Daily", ""), one;
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=3";
    series = added(series);
    assert_int_equal(cal_event_instance(&tx, &ada, &series, false, NOON + 24 * HOUR, &one), 1);
    OK(cal_event_load_attendees(&tx, &one));
    OK(cal_event_cancel(&tx, ALL, &ada, &one));
    has(plainly(one.id), "\"of\":\"2026-03-21T12:00:00Z\",\"status\":\"cancelled\"");
    /* Dates of days, and the calendar that is not the main one. */
    struct calendar team = {.owner = ada.owner, .summary = "Team"};
    struct cal_event day = {
        .summary = "Day", .start_us = NOON - 12 * HOUR, .len_us = 48 * HOUR, .all_day = true};
    OK(calendar_add(&tx, &team));
    OK(cal_event_add(&tx, ALL, &team, &day));
    has(plainly(day.id), "{\"person\":\"ada@acme.example\",\"calendar\":\"Team\",\"title\":\"Day\","
                         "\"start\":\"2026-03-20\",\"end\":\"2026-03-22\"");
}

static void entities_are_in_their_vendors_terms(void **state)
{
    (void)state;
    struct cal_event ev = added(draft("One", "dan"));
    const struct cal_event copy = copy_in(&dan, &ev);
    struct cal_access rule = {.kind = ACCESS_ALL, .who = "", .role = CAL_READ};
    OK(cal_access_set(&tx, &dan, &rule));
    for (size_t i = 0; i < calendar_core.n_entities; i++) {
        const struct entity *e = &calendar_core.entities[i];
        const char *vendor = NULL;
        const bool events = strcmp(e->table, "cal_event") == 0;
        const bool rules = strcmp(e->table, "cal_access") == 0;
        if (!rules) {
            assert_int_equal(e->vendor(&tx, events ? ev.id : ada.id, &vendor), 1);
            assert_string_equal(vendor, subject->name);
        }
        assert_int_equal(e->vendor(&tx, events ? copy.id : rules ? rule.id : dan.id, &vendor), 1);
        assert_string_equal(vendor, other->name);
        assert_int_equal(e->vendor(&tx, 99999, &vendor), 0);
    }
}

/* ---- as programs are shown it ---- */

static const char *shown(const struct cal_shown *asked, bool events)
{
    static char text[8192];
    struct sosia_blob blob;
    if ((events ? cal_show_events : cal_show_calendars)(test_engine, test_world, asked, &blob,
                                                        &test_err) < 0)
        fail_msg("show: %s", test_err.text);
    snprintf(text, sizeof text, "%s", (const char *)blob.data);
    sosia_blob_free(&blob);
    return text;
}

static void what_programs_are_shown(void **state)
{
    (void)state;
    struct calendar team = {.owner = ada.owner, .summary = "Team", .zone = "Asia/Tokyo"};
    struct cal_event ev = draft("One", "bob dan"), series = draft("Daily", "");
    struct cal_event day = {
        .summary = "Day", .start_us = NOON - 12 * HOUR, .len_us = 24 * HOUR, .all_day = true};
    OK(calendar_add(&tx, &team));
    ev.key = "one", ev.status = EVENT_TENTATIVE;
    ev = added(ev);
    struct cal_event copy = copy_in(&bob, &ev);
    answer(&bob, &copy, RESPONSE_TENTATIVE);
    series.key = "s", series.recurrence = "RRULE:FREQ=DAILY;COUNT=2";
    added(series);
    day.key = "day";
    OK(cal_event_add(&tx, ALL, &team, &day));
    commit();
    struct cal_shown asked = {
        .actor = "bob" EMAIL, .from_us = NOON - 24 * HOUR, .to_us = NOON + 48 * HOUR};
    char part[400];
    snprintf(part, sizeof part,
             "{\"rows\":[{\"id\":\"one\",\"calendar\":\"%lld\",\"title\":\"One\","
             "\"start\":\"2026-03-20T12:00:00.000000Z\",\"end\":"
             "\"2026-03-20T13:00:00.000000Z\",\"zone\":\"UTC\",\"all_day\":false,"
             "\"status\":\"tentative\",\"me\":\"tentative\",\"guests\":2}],"
             "\"more\":false}",
             (long long)bob.id);
    assert_string_equal(shown(&asked, true), part);
    asked.actor = "ada" EMAIL;
    const char *text = shown(&asked, true);
    has(text, "\"id\":\"s_20260320T120000Z\",\"series\":\"s\"");
    has(text, "\"id\":\"s_20260321T120000Z\",\"series\":\"s\"");
    has(text, "\"start\":\"2026-03-20\",\"end\":\"2026-03-21\",\"all_day\":true,"
              "\"status\":\"confirmed\",\"guests\":0}");
    has_not(text, "\"me\"");
    asked.calendar = team.id;
    text = shown(&asked, true);
    has(text, "\"title\":\"Day\"");
    has_not(text, "\"title\":\"One\"");
    asked.calendar = 0;
    snprintf(part, sizeof part,
             "{\"vendor\":\"%s\",\"vendors\":[\"%s\"],\"calendars\":[{\"id\":\"%lld\","
             "\"key\":\"%s\",",
             subject->name, subject->name, (long long)ada.id, ada.key);
    text = shown(&asked, false);
    has(text, part);
    has(text, "\"name\":\"Team\",\"zone\":\"Asia/Tokyo\",\"main\":false}]}");
    asked.calendar = bob.id; /* which is not ada's */
    struct sosia_blob blob;
    assert_int_equal(cal_show_events(test_engine, test_world, &asked, &blob, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    asked.calendar = 0, asked.vendor = other->name;
    assert_int_equal(cal_show_events(test_engine, test_world, &asked, &blob, &test_err), -1);
    assert_int_equal(cal_show_calendars(test_engine, test_world, &asked, &blob, &test_err), -1);
    asked.vendor = NULL, asked.actor = "nobody" EMAIL;
    assert_int_equal(cal_show_calendars(test_engine, test_world, &asked, &blob, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    test_err = (struct sosia_err){0};
    begin_again();
}

/* ---- searches ---- */

static void words_are_found_wherever_they_stand(void **state)
{
    (void)state;
    struct cal_event ev = draft("Quarterly review", "bob");
    ev.description = "caf\xc3\xa9, na\xc3\xafve-ish (draft2)";
    ev.location = "B\xc3\xa4r & Co";
    added(ev);
    static const struct {
        const char *text;
        int n;
    } all[] = {
        {"review", 1},
        {"  review", 1},
        {"review  ", 1},
        {",review!", 1},
        {"REVIEW", 1},
        {"revie", 0},
        {"reviews", 0},
        {"review quarterly", 1},
        {"review none", 0},
        {"cafe", 1},
        {"CAF\xc3\x89", 1},
        {"na\xc3\xafve", 1},
        {"naive ish", 1},
        {"draft2", 1},
        {"draft", 0},
        {"bar co", 1},
        {"", 1},
        {" ", 1},
        {"bob acme", 1},
        {"example", 1},
        {"ada", 1},
        {"cyd", 0},
        {"@review", 1},
        {"{review", 1},
        {"[", 1},
        {"review`quarterly", 1},
        {"2draft", 0},
        {"review9", 0},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if (found(&ada, all[i].text) != all[i].n)
            fail_msg("\"%s\" is found %d times", all[i].text, found(&ada, all[i].text));
    /* Letters and digits at the ends of their ranges. */
    ev = draft("az AZ 09 a z", "");
    added(ev);
    assert_int_equal(found(&ada, "az 09"), 1);
    assert_int_equal(found(&ada, "a z"), 1);
    assert_int_equal(found(&ada, "0 9"), 0);
    /* The first 32 words are looked for. */
    char many[200] = "";
    for (int i = 0; i < 32; i++)
        strcat(many, i % 2 ? "az " : "09 ");
    assert_int_equal(found(&ada, many), 1);
    strcat(many, "none");
    assert_int_equal(found(&ada, many), 1);
    many[0] = 'x';
    assert_int_equal(found(&ada, many), 0);
    memcpy(many, "09 ", 3);
    memcpy(many + 31 * 3, "no ", 3);
    assert_int_equal(found(&ada, many), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(what_a_document_may_not_say, begin, end),
    cmocka_unit_test_setup_teardown(how_long_ids_may_be, begin, end),
    cmocka_unit_test_setup_teardown(what_comes_back, begin, end),
    cmocka_unit_test_setup_teardown(whose_calendar_it_is, begin, end),
    cmocka_unit_test_setup_teardown(a_groups_calendar, begin, end),
    cmocka_unit_test_setup_teardown(a_rule_says_what_it_means, begin, end),
    cmocka_unit_test_setup_teardown(an_event_in_plain_terms, begin, end),
    cmocka_unit_test_setup_teardown(entities_are_in_their_vendors_terms, begin, end),
    cmocka_unit_test_setup_teardown(what_programs_are_shown, begin, end),
    cmocka_unit_test_setup_teardown(words_are_found_wherever_they_stand, begin, end),
};

static int open_engine(void **state)
{
    (void)state;
    return test_open_engine_of(services);
}

int main(void)
{
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        subject = i ? &globex : &acme;
        other = i ? &acme : &globex;
        failed += cmocka_run_group_tests_name(subject->name, tests, open_engine, test_close_engine);
    }
    return failed;
}
