/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A story of calendars whose vendor has all that a vendor may have: reminders of its own, copies
 * that stay when they are cancelled, letters, lists, calendars that are made as they are asked for.
 * Then of an engine with one vendor alone. Everything that can be said of an event is changed, by
 * its organizer and by guests, in single events, in series and in instances.
 */
#include "engine/world/engine.h"
#include "tests/services/calendar/core/cal_rich.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- the world ---- */

static const char MORE[] =
    ",'groups':[{'email':'g@acme.example','members':['cyd@acme.example','bob@acme.example']}],"
    "'calendars':[{'owner':'ada@acme.example','primary':true,'zone':'Europe/Rome','events':["
    "{'id':'one','summary':'One','start':'2026-03-20T10:00','end':'2026-03-20T11:30',"
    "'attendees':[{'email':'bob@acme.example','response':'accepted'},'dan@acme.example',"
    "'ada@acme.example','g@acme.example',{'email':'x@port.example','optional':true}],"
    "'importance':'high','reminderOn':true,'reminderMinutes':5,'categories':['a']},"
    "{'id':'series','summary':'Series','start':'2026-03-16T09:00','zone':'Europe/Rome',"
    "'recurrence':['RRULE:FREQ=DAILY;COUNT=9'],'attendees':['bob@acme.example','dan@acme.example',"
    "'g@acme.example','room@acme.example'],'instances':["
    "{'originalStart':'2026-03-18T09:00','summary':'Other','start':'2026-03-18T11:00',"
    "'attendees':['dan@acme.example']},{'originalStart':'2026-03-19T09:00','status':'cancelled'}]},"
    "{'id':'days','summary':'Days','start':'2026-03-16','recurrence':['RRULE:FREQ=DAILY;COUNT=5'],"
    "'attendees':['bob@acme.example'],'instances':[{'originalStart':'2026-03-17','location':'L'}]},"
    "{'id':'own','summary':'Own','start':'2026-03-20T15:00'},"
    "{'id':'may','summary':'May','start':'2026-03-20T16:00','rights':['guestsModify'],"
    "'attendees':['bob@acme.example','dan@acme.example']}]},"
    "{'owner':'bob@acme.example','primary':true,'copies':[{'id':'one','color':'4','categories':['b'"
    "],'reminderOn':true,'reminderMinutes':30,'visibility':'private'},"
    "{'id':'series','categories':['c'],'reminderOn':false}],'events':["
    "{'id':'gone','kind':'outOfOffice','summary':'Off','start':'2026-03-21T08:00','end':"
    "'2026-03-21T20:00',%s},"
    "{'id':'caf\xc3\xa9','summary':'Caf\xc3\xa9 \xc3\x80 la carte','start':'2026-03-22T08:00',"
    "'description':'Stra\xc3\x9f"
    "e'},{'id':'far','organizer':'fab@port.example','uid':'far@x','summary':'Far','start':"
    "'2026-03-21T09:00','attendees':['bob@acme.example']},{'id':'far2','organizer':"
    "'fab@port.example','uid':'far2@x','summary':'Far 2','start':'2026-03-21T10:00',"
    "'recurrence':['RRULE:FREQ=MINUTELY;INTERVAL=15;COUNT=30'],"
    "'attendees':['bob@acme.example']}]},"
    "{'id':'team@x.example','owner':'ada@acme.example','summary':'Team'}%s]";

/* ---- everything that can be said of an event ---- */

static void with_guest(struct cal_event *to, const char *email)
{
    for (int i = 0; i < to->n_attendees; i++)
        if (strcmp(to->attendees[i].email, email) == 0)
            return;
    struct cal_attendee *list = arena_calloc(tx.arena, (size_t)to->n_attendees + 1, sizeof *list);
    if (to->n_attendees)
        memcpy(list, to->attendees, (size_t)to->n_attendees * sizeof *list);
    list[to->n_attendees++] = (struct cal_attendee){.email = email, .response = RESPONSE_NONE};
    to->attendees = list;
}

static void answer_is(struct cal_event *to, const struct calendar *cal, enum cal_response response)
{
    const int self = cal_event_self(cal, to);
    struct cal_attendee *list = arena_calloc(tx.arena, (size_t)to->n_attendees + 1, sizeof *list);
    if (self < 0)
        return;
    memcpy(list, to->attendees, (size_t)to->n_attendees * sizeof *list);
    list[self].response = response;
    list[self].comment = response == RESPONSE_TENTATIVE ? "perhaps" : NULL;
    to->attendees = list;
}

enum { CHANGES = 32 };

/* The n-th change of what the event itself says. */
static bool change_itself(int n, struct cal_event *to)
{
    switch (n) {
    case 0:
        to->summary = arena_printf(tx.arena, "%s!", to->summary ? to->summary : "");
        break;
    case 1:
        to->description = "Words";
        break;
    case 2:
        to->location = to->location ? NULL : "Rome";
        break;
    case 3:
        to->start_us += to->all_day ? US_PER_DAY : HOUR;
        break;
    case 4:
        to->len_us += to->all_day ? US_PER_DAY : HOUR / 2;
        break;
    case 5:
        to->zone = to->all_day ? NULL : "Asia/Tokyo";
        break;
    case 6:
        to->visibility = VISIBLE_PRIVATE;
        break;
    case 7:
        to->rights ^= GUESTS_DONT_SEE_GUESTS;
        break;
    case 8:
        to->busy = BUSY_FREE;
        break;
    case 9:
        to->importance = to->importance ? 0 : 2;
        break;
    case 10:
        to->color = "7";
        break;
    case 11:
        to->reminders = "[{\"method\":\"email\",\"minutes\":3}]";
        break;
    case 12:
        to->reminder_on = !to->reminder_on;
        break;
    case 13:
        to->reminder_minutes = 77;
        break;
    case 14:
        to->categories = "[\"new\"]";
        break;
    case 15:
        to->own_props = "{\"o\":\"1\"}";
        break;
    case 16:
        to->props = "{\"p\":\"1\"}";
        break;
    case 17:
        to->extra = "{\"at\":\"desk\"}";
        break;
    default:
        return false;
    }
    return true;
}

/* The n-th change. false: there is none. */
static bool change(int n, const struct calendar *cal, struct cal_event *to)
{
    switch (n) {
    case 18:
        to->conference = "conf";
        break;
    case 19:
        with_guest(to, "cyd@acme.example");
        break;
    case 20:
        with_guest(to, "y@port.example");
        break;
    case 21:
        answer_is(to, cal, RESPONSE_TENTATIVE);
        break;
    case 22:
        answer_is(to, cal, RESPONSE_DECLINED);
        break;
    case 23:
        answer_is(to, cal, RESPONSE_ACCEPTED);
        break;
    case 24:
        to->n_attendees -= to->n_attendees > 1;
        break;
    case 25:
        to->status = EVENT_TENTATIVE;
        break;
    case 26:
        to->visibility = VISIBLE_PUBLIC, to->busy = BUSY_AWAY;
        break;
    case 27:
        if (!to->recurrence)
            return false;
        to->recurrence = to->all_day ? "RRULE:FREQ=DAILY;COUNT=4" : "RRULE:FREQ=DAILY;COUNT=8";
        break;
    case 28:
        if (!to->recurrence)
            return false;
        to->start_us += to->all_day ? US_PER_DAY : HOUR;
        to->recurrence = "RRULE:FREQ=DAILY;INTERVAL=2;COUNT=5";
        to->summary = "Seldom";
        break;
    case 29:
        to->end_zone = to->all_day ? NULL : "Europe/London";
        break;
    case 30:
        to->status = EVENT_CANCELLED;
        break;
    case 31:
        to->status = EVENT_CONFIRMED;
        break;
    default:
        return change_itself(n, to);
    }
    return true;
}

static void next_step(const char *what)
{
    cal_sound();
    commit();
    story_dump(test_engine, test_world);
    test_advance(60);
    begin_again();
    story_say("== %s", what);
}

/* An instance by the hour of its series' start, in days from there; -1: the series itself. */
static struct cal_event of_series(const struct calendar *cal, const char *key, int day)
{
    struct cal_event series = cal_has(cal, key), ev;
    if (day < 0)
        return series;
    if (cal_event_instance(&tx, cal, &series, series.all_day, series.start_us + day * US_PER_DAY,
                           &ev) != 1)
        return series;
    OK(cal_event_load_attendees(&tx, &ev));
    return ev;
}

static void all_changes(const struct calendar *cal, const char *key, int day)
{
    for (int n = 0; n < CHANGES; n++) {
        next_step(arena_printf(tx.arena, "%s of %s, %d: change %d", key, cal->summary, day, n));
        struct cal_event old = of_series(cal, key, day), to = old;
        if (change(n, cal, &to))
            cal_saved(cal, &old, &to);
    }
}

static void changes(void)
{
    all_changes(&bob, "may", -1);
    all_changes(&ada, "one", -1);
    all_changes(&bob, "one", -1);
    all_changes(&bob, "series", 6);
    all_changes(&ada, "series", 7);
    all_changes(&bob, "series", -1);
    all_changes(&ada, "days", 2);
    all_changes(&ada, "series", -1);
    all_changes(&ada, "days", -1);
    all_changes(&bob, "far", -1);
}

/* ---- cancelling, moving ---- */

static void cancel(const struct calendar *cal, const char *key, int day, const char *comment)
{
    struct cal_event ev = of_series(cal, key, day);
    struct actor who;
    OK(actor_by_id(&tx, cal->owner, &who));
    cal_result(cal_event_cancel(&tx, &(struct cal_event_by){&who, MAIL_ALL, comment}, cal, &ev));
}

static void move(const struct calendar *from, const char *key, const struct calendar *to)
{
    struct cal_event ev = cal_has(from, key), is;
    struct actor who = actor("ada");
    cal_result(cal_event_move(&tx, &(struct cal_event_by){&who, MAIL_ALL}, from, &ev, to, &is));
}

static void cancelled_and_moved(void)
{
    struct calendar team;
    next_step("what guests do with copies of what is cancelled");
    cancel(&ada, "one", -1, "sorry");
    next_step("bob takes it away");
    cancel(&bob, "one", -1, NULL);
    next_step("and once more");
    cancel(&bob, "one", -1, NULL);
    next_step("ada cancels an instance, bob another");
    cancel(&ada, "series", 4, NULL);
    cancel(&bob, "series", 2, NULL);
    next_step("letters fail");
    cancel(&ada, "may", -1, "fails");
    next_step("a series moves to another calendar, with its instances");
    assert_int_equal(calendar_by_key(&tx, "team@x.example", &team), 1);
    move(&ada, "series", &team);
    next_step("and back");
    move(&team, "series", &ada);
    next_step("to where it is, and by a guest");
    move(&ada, "series", &ada);
    move(&bob, "series", &team);
    next_step("an event whose owner is a guest of it");
    struct cal_event mine = draft("Mine", "ada bob");
    mine.key = "mine";
    cal_result(cal_event_add(&tx, ALL, &ada, &mine));
    next_step("it moves");
    assert_int_equal(calendar_by_key(&tx, "team@x.example", &team), 1);
    move(&ada, "mine", &team);
    next_step("another of its key");
    struct cal_event again = draft("Again", "");
    again.key = "again";
    cal_result(cal_event_add(&tx, ALL, &ada, &again));
    again.id = 0;
    cal_result(cal_event_add(&tx, ALL, &bob, &again));
    next_step("can't move there");
    move(&ada, "again", &bob);
}

/* ---- absences ---- */

static void absences(void)
{
    struct actor who = actor("bob");
    struct cal_event off = draft("Off", "");
    next_step("an absence declines what there is");
    off.key = "off", off.kind = KIND_AWAY, off.decline = DECLINE_ALL, off.decline_text = "not here";
    off.extra = subject == &rich ? "{\"declines\":\"all, with words\"}" : NULL;
    off.start_us = NOON - 72 * HOUR, off.len_us = 240 * HOUR;
    cal_result(cal_event_add(&tx, &(struct cal_event_by){&who, MAIL_ALL}, &bob, &off));
    next_step("and what comes");
    struct cal_event ev = draft("Comes", "bob cyd");
    ev.key = "comes";
    cal_result(cal_event_add(&tx, ALL, &ada, &ev));
    next_step("it is without words");
    struct cal_event old = cal_has(&bob, "off"), to = old;
    to.decline_text = NULL;
    to.extra = subject == &rich ? "{\"declines\":\"all\"}" : NULL;
    cal_saved(&bob, &old, &to);
    struct cal_event series = draft("Always away", "");
    series.key = "always", series.kind = KIND_AWAY, series.decline = DECLINE_ALL;
    series.recurrence = "RRULE:FREQ=DAILY;COUNT=3";
    cal_result(cal_event_add(&tx, &(struct cal_event_by){&who, MAIL_ALL}, &bob, &series));
}

/* ---- mail ---- */

static const char OBJECT[] = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:%s\r\n%sEND:VCALENDAR\r\n";

static void mailed(const char *who, const char *method, const char *events, int left, bool asked)
{
    const char *text = arena_printf(tx.arena, OBJECT, method, events);
    struct invitation in = {.text = text, .len = strlen(text), .left = &left, .asked = asked};
    struct actor a = actor(who);
    cal_result(calendar_take(&tx, &a, &in));
    story_say("  %s to %s, %d left%s", method, who, left, in.missing ? ", missing" : "");
}

#define EVENT(lines)                                                                               \
    "BEGIN:VEVENT\r\nUID:new@x\r\nORGANIZER:mailto:fab@port.example\r\n" lines "END:VEVENT\r\n"
#define START  "DTSTART:20260323T100000Z\r\n"
#define TO_CYD "ATTENDEE:mailto:cyd@acme.example\r\n"

static void by_mail(void)
{
    static const char *const steps[][2] = {
        {"REQUEST", EVENT("RECURRENCE-ID:20260324T100000Z\r\nDTSTART:20260324T110000Z\r\n"
                          "SUMMARY:Lone\r\n" TO_CYD)},
        {"REQUEST", EVENT(START "SUMMARY:New\r\nRRULE:FREQ=DAILY;COUNT=5\r\n" TO_CYD)},
        {"REQUEST",
         EVENT("RECURRENCE-ID;VALUE=DATE:20260325\r\nDTSTART:20260325T110000Z\r\n" TO_CYD)},
        {"REQUEST", EVENT("RECURRENCE-ID:20260325T100000Z\r\nDTSTART:20260325T120000Z\r\n"
                          "SEQUENCE:1\r\nSUMMARY:Moved\r\n" TO_CYD)},
        {"REQUEST", EVENT("RECURRENCE-ID:20260325T113000Z\r\nDTSTART:20260325T120000Z\r\n" TO_CYD)},
        {"CANCEL", EVENT("RECURRENCE-ID:20260326T100000Z\r\nDTSTART:20260326T100000Z\r\n")},
        {"CANCEL", EVENT("RECURRENCE-ID:20260325T100000Z\r\nDTSTART:20260325T100000Z\r\n")},
        {"CANCEL", EVENT("RECURRENCE-ID:20260325T100000Z\r\nSEQUENCE:4\r\n" START)},
        {"REQUEST", EVENT(START "DTEND:20260323T103000Z\r\nSEQUENCE:5\r\nSUMMARY:Once\r\n")},
        {"REQUEST", EVENT(START "SEQUENCE:4\r\nSUMMARY:Older\r\n" TO_CYD)},
        {"REQUEST", EVENT(START "SEQUENCE:5\r\nSUMMARY:Same\r\nRRULE:FREQ=SECONDLY\r\n" TO_CYD)},
        {"REQUEST", EVENT(START "SEQUENCE:6\r\nRRULE:FREQ=DAILY;COUNT=2\r\n" TO_CYD
                                "ATTENDEE;PARTSTAT=ACCEPTED:mailto:z@port.example\r\n")},
        {"CANCEL", EVENT(START "SEQUENCE:5\r\n")},
        {"CANCEL", EVENT(START "SEQUENCE:9\r\n")},
        {"CANCEL", EVENT(START "SEQUENCE:9\r\n")},
        {"REQUEST", EVENT(START "SEQUENCE:10\r\nSUMMARY:Back\r\n" TO_CYD)},
        {"REQUEST", "BEGIN:VEVENT\r\nUID:no-one@x\r\n" START "END:VEVENT\r\n"},
        {"REQUEST", "BEGIN:VEVENT\r\nUID:all@x\r\nORGANIZER:mailto:fab@port.example\r\n"
                    "DTSTART;VALUE=DATE:20260327\r\nSUMMARY:All day\r\nEND:VEVENT\r\n"
                    "BEGIN:VEVENT\r\nUID:all2@x\r\nORGANIZER:mailto:fab@port.example\r\n"
                    "DTSTART;VALUE=DATE:20260328\r\nSUMMARY:All day 2\r\nTRANSP:TRANSPARENT\r\n"
                    "CLASS:PRIVATE\r\nPRIORITY:1\r\nEND:VEVENT\r\n"},
        {"REQUEST", "BEGIN:VEVENT\r\nUID:mine@x\r\nORGANIZER:mailto:cyd@acme.example\r\n" START
                    "END:VEVENT\r\n"},
        {"CANCEL", "BEGIN:VEVENT\r\nUID:none@x\r\nORGANIZER:mailto:fab@port.example\r\n" START
                   "END:VEVENT\r\n"},
        {"PUBLISH", EVENT(START)},
        {"REPLY", EVENT(START TO_CYD)},
    };
    for (size_t i = 0; i < SOSIA_LEN(steps); i++) {
        next_step(arena_printf(tx.arena, "mail %zu: %s", i, steps[i][0]));
        mailed("cyd", steps[i][0], steps[i][1], 5, i & 1);
    }
    next_step("no more than so many");
    mailed("dan", "REQUEST", steps[17][1], 1, true);
    mailed("dan", "REQUEST", steps[17][1], 0, true);
    next_step("no object");
    mailed("dan", "REQUEST", "BEGIN:VEVENT\r\n", 3, false);
}

/* ---- what is found ---- */

static void found_by_words(void)
{
    static const char *const texts[] = {
        "cafe",
        "CAF\xc3\x89 carte",
        "strasse",
        "a la",
        "gone",
        "off gone",
        "fab",
        "team",
        "port.example",
        "x y",
        "desk",
        "perhaps",
        "z1",
        "rich",
        "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h",
    };
    const struct calendar *const all[] = {&ada, &bob, &cyd, &dan};
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        for (size_t k = 0; k < SOSIA_LEN(all); k++) {
            struct cal_event_query q = everything();
            q.text = texts[i], q.limit = 4;
            cal_listed(arena_printf(tx.arena, "\"%s\" of %s", texts[i], all[k]->summary), all[k],
                       q);
        }
    for (size_t k = 0; k < SOSIA_LEN(all); k++)
        for (int open = 0; open < 2; open++) {
            struct cal_event_query q = everything();
            q.no_open_invitations = open, q.kinds = open ? 0 : 1U << KIND_AWAY, q.limit = 4;
            cal_listed(arena_printf(tx.arena, "open %d of %s", open, all[k]->summary), all[k], q);
            q.kinds = 0, q.order = ORDER_UPDATE, q.single = true, q.deleted = open;
            q.max_us = NOON + 240 * HOUR;
            cal_listed(arena_printf(tx.arena, "single %d of %s", open, all[k]->summary), all[k], q);
        }
}

/* One series by its UID or itself, whole and in parts. */
static void of_one_series(void)
{
    const struct calendar *const all[] = {&ada, &bob, &dan};
    for (size_t k = 0; k < SOSIA_LEN(all); k++) {
        struct cal_event ev = k < 2 ? cal_has(all[k], "days") : cal_has(&ada, "series");
        if (k == 2 && cal_event_by_uid(&tx, all[k], ev.uid, &ev) != 1)
            continue;
        for (int how = 0; how < 16; how++) {
            struct cal_event_query q = everything();
            q.single = how & 1, q.deleted = how & 2, q.limit = how & 4 ? 2 : 50;
            q.uid = how & 8 ? ev.uid : NULL, q.series = how & 8 ? NULL : &ev;
            cal_listed(arena_printf(tx.arena, "of %s, %d", all[k]->summary, how), all[k], q);
            q.min_us = NOON, q.max_us = NOON + 48 * HOUR, q.min_included = how & 2;
            cal_listed(arena_printf(tx.arena, "in time of %s, %d", all[k]->summary, how), all[k],
                       q);
            q.has_original = true, q.original_us = ev.start_us + 2 * US_PER_DAY;
            cal_listed(arena_printf(tx.arena, "one of %s, %d", all[k]->summary, how), all[k], q);
            q.position = "x";
            const char *position;
            int n = 0;
            cal_result(cal_event_list(&tx, all[k], &q, count, &n, &position));
        }
    }
    static const char *const positions[] = {"",         "x", "i 0",   "i -1", "i 1x", "c 1 2",
                                            "c 1 2 3x", "s", "1 2 3", "u",    "-"};
    for (size_t i = 0; i < SOSIA_LEN(positions); i++)
        for (int how = 0; how < 4; how++) {
            struct cal_event_query q = everything();
            const char *position;
            int n = 0;
            q.position = positions[i], q.changed = how == 1 ? 3 : -1;
            q.order = how == 2 ? ORDER_UPDATE : ORDER_START, q.uid = how == 3 ? "far@x" : NULL;
            cal_result(cal_event_list(&tx, &bob, &q, count, &n, &position));
            story_say("  %d behind \"%s\", %d", n, positions[i], how);
        }
}

static void made_ones(void)
{
    struct calendar cal;
    struct actor who = actor("bob");
    struct cal_event ev;
    struct cal_event_query q = everything();
    int r = calendar_open(&tx, &who, "made!days", CAL_READ, &cal);
    cal_result(r);
    if (r < 0)
        return;
    story_say("  %s, role %d, of %lld", cal.summary, cal.role, (long long)cal.owner);
    cal_result(calendar_open(&tx, &who, "made!days", CAL_WRITE, &cal));
    q.limit = 2;
    cal_listed("made", &cal, q);
    q.min_us = NOON;
    cal_listed("from now", &cal, q);
    q.text = "day none";
    cal_listed("of a text", &cal, q);
    cal_result(cal_event_find(&tx, &cal, "d1", &ev));
    cal_result(cal_event_find(&tx, &cal, "d9", &ev));
    cal_result(calendar_by_id(&tx, MADE_ID, &cal));
    cal_result(calendar_by_id(&tx, MADE_ID - 1, &cal));
    struct calendar mine = ada;
    cal_result(calendar_rekey(&tx, &mine, "made!days"));
}

static void own_calendars(void)
{
    struct calendar cal = {.owner = ada.owner, .summary = "More"}, old;
    next_step("one more calendar");
    cal_result(calendar_add(&tx, &cal));
    next_step("bob gets it");
    old = cal;
    cal.owner = bob.owner;
    struct cal_access rule = {.kind = ACCESS_PERSON, .who = "bob@acme.example", .role = CAL_WRITE};
    cal_result(cal_access_set(&tx, &cal, &rule));
    cal_result(calendar_save(&tx, &old, &cal));
    cal_result(cal_access_drop_owner(&tx, &cal));
    next_step("its rules");
    struct cal_access list[10];
    rule = (struct cal_access){.kind = ACCESS_PERSON, .who = "cyd@acme.example", .role = CAL_READ};
    cal_result(cal_access_set(&tx, &cal, &rule));
    (void)list;
    rule.role = CAL_NONE;
    cal_result(cal_access_set(&tx, &cal, &rule));
    turns_fail = true;
    cal_result(cal_access_set(&tx, &cal, &rule));
    turns_fail = false;
    struct calendar key = cal;
    next_step("keys");
    cal_result(calendar_rekey(&tx, &key, "own!key"));
    struct calendar mine = ada;
    cal_result(calendar_rekey(&tx, &mine, bob.key));
    next_step("it goes");
    assert_int_equal(calendar_by_id(&tx, cal.id, &key), 1);
    cal_result(calendar_delete(&tx, &key));
}

static const char *const WRONG[] = {
    "'calendars':[{'owner':'ada@acme.example','primary':true,'events':[{'id':'k','start':"
    "'2026-03-20T10:00','reminders':[{'method':'email'},{'minutes':7},{}]}]}]",
    "'calendars':[{'owner':'ada@acme.example','primary':true,'lists':{}}]",
    "'calendars':[{'id':'made!days','lists':{}}]",
    "'calendars':[{'id':'made!days','summary':'x'}]",
    "'calendars':[{'owner':'ada@acme.example','primary':true,'id':'k1'},"
    "{'owner':'bob@acme.example','primary':true,'id':'k1'}]",
    "'calendars':[{'group':'g@acme.example'}]",
    "'calendars':[{'group':'g@acme.example','summary':'G'},{'group':'g@acme.example','summary':'G'}"
    "]",
    "'calendars':[{'group':'none','summary':'G'}]",
    "'calendars':[{'group':'g@acme.example','vendor':'none','summary':'G'}]",
    "'calendars':[{'owner':'ada@acme.example','primary':true,'events':[{'id':'k','start':"
    "'2026-03-20T10:00','attendees':['bob@acme.example']}]},{'owner':'bob@acme.example','primary':"
    "true,'copies':[{'id':'k','removed':true,'color':'1'},{'id':'k','removed':true}]}]",
    "'calendars':[{'owner':'bob@acme.example','primary':true,'copies':[{'id':'k'}]}]",
    "'calendars':[{'owner':'ada@acme.example','primary':true,'events':[{'id':'k','start':"
    "'2026-03-20T10:00','recurrence':['RRULE:FREQ=DAILY;COUNT=2'],'instances':[{'originalStart':"
    "'2026-03-20','summary':'x'}]}]}]",
};

static const char PEOPLE[] =
    "{'sosia':1,'people':[{'email':'ada@acme.example'},{'email':'bob@acme.example'}],"
    "'groups':[{'email':'g@acme.example','members':[]}],";

/* What becomes of a document with these calendars. */
static void tried(const char *sections)
{
    char *doc = calloc(1, strlen(PEOPLE) + strlen(sections) + 2);
    struct sosia_err why = {0};
    uint64_t is;
    assert_non_null(doc);
    sprintf(doc, "%s%s}", PEOPLE, sections);
    struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    story_say("tried: %s", sections);
    if (sosia_world_create(test_engine, &options, &is, &why) < 0) {
        story_say("  %s", why.text);
    } else {
        story_dump(test_engine, is);
        sosia_world_drop(test_engine, is, &why);
    }
    free(doc);
}

static void the_story_of_riches(void **s)
{
    static char more[sizeof MORE + 200];
    snprintf(more, sizeof more, MORE,
             subject == &rich ? "'extra':{'declines':'new, with words'}"
                              : "'decline':'new','declineText':'not here'",
             subject == &rich ? ",{'id':'made!days','lists':[{'person':'ada@acme.example'}]}" : "");
    for (char *p = more; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    story_begin();
    begin_with(more);
    next_step("the beginning");
    found_by_words();
    of_one_series();
    changes();
    cancelled_and_moved();
    absences();
    by_mail();
    next_step("what is found");
    found_by_words();
    of_one_series();
    made_ones();
    own_calendars();
    cal_step("the end");
    commit();
    struct sosia_blob blob;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &test_err), 0);
    story_say("a world of the dump");
    story_dump(test_engine, test_world_of(blob.data));
    sosia_blob_free(&blob);
    for (size_t i = 0; i < SOSIA_LEN(WRONG); i++)
        tried(WRONG[i]);
    begin_again();
    story_end(subject == &rich ? "calendar-rich" : "calendar-single");
    end(s);
}

static int open_engine(void **s)
{
    (void)s;
    return test_open_engine_of(subject == &rich ? services_both : services_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_story_of_riches)};
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        subject = i ? &acme : &rich;
        other = &acme;
        failed += cmocka_run_group_tests_name(subject->name, tests, open_engine, test_close_engine);
    }
    return failed;
}
