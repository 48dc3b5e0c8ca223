/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A story of calendars in use, without a dialect, once for each of two vendors: lists of stretches
 * of time in the order of changes, answers that were mailed, copies that come back, what the core
 * says of events in its own terms, and changed exports.
 */
#include "engine/world/engine.h"
#include "identity/account.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/core/show.h"
#include "tests/services/calendar/core/cal_steps.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

/* %s is the vendor's name. */
#define MORE                                                                                       \
    ",'groups':[{'email':'g@acme.example','members':['cyd@acme.example','ada@acme.example']},{'"   \
    "email':'all@acme.example','members':['bob@acme.example']}],"                                  \
    "'calendars':[{'owner':'ada@acme.example','primary':true,'zone':'Europe/Rome','events':["      \
    "{'id':'e1','summary':'One budget','start':'2026-03-20T10:00','end':'2026-03-20T11:30',"       \
    "'description':'About the budget','location':'Rome','attendees':[{'email':'bob@acme.example'," \
    "'response':'accepted'},'cyd@acme.example',{'email':'x@port.example','optional':true}],"       \
    "'visibility':'private','busy':'away','properties':{'c':'d'},'ownProperties':{'a':'bb'}},"     \
    "{'id':'day','summary':'Day','start':'2026-03-21','end':'2026-03-23','free':true},"            \
    "{'id':'weekly','summary':'Weekly','start':'2026-03-02T09:00','zone':'Europe/Rome',"           \
    "'recurrence':['RRULE:FREQ=WEEKLY;COUNT=6'],'attendees':['bob@acme.example',"                  \
    "'dan@acme.example'],'instances':[{'originalStart':'2026-03-16T09:00','summary':'Other',"      \
    "'start':'2026-03-16T11:00'},{'originalStart':'2026-03-23T09:00','status':'cancelled'}]},"     \
    "{'id':'daily','summary':'Daily','start':'2026-03-10T07:00','end':'2026-03-10T07:10',"         \
    "'recurrence':['RRULE:FREQ=DAILY;COUNT=60']},"                                                 \
    "{'id':'long','summary':'Long','start':'2026-01-01','end':'2026-12-31'},{'id':'off','kind':'"  \
    "outOfOffice','summary':'Off','start':'2026-03-05T13:00','decline':'new','recurrence':['"      \
    "RRULE:FREQ=DAILY;UNTIL=20260312T130000Z'],'instances':[{'originalStart':'2026-03-06T13:00','" \
    "summary':'Other'}]},{'id':'t-later','summary':'Later','start':'2026-03-27T10:00','attendees'" \
    ":['x@port.example']},{'id':'forever','"                                                       \
    "summary':'Forever','start':'2026-02-02T10:00','recurrence':['RRULE:FREQ=YEARLY']}]},"         \
    "{'owner':'bob@acme.example','primary':true,'events':[{'id':'far','organizer':'fab@port."      \
    "example','uid':'far@x','summary':'Far','start':'2026-03-19T09:00','attendees':['bob@acme."    \
    "example','z@port.example']}]},"                                                               \
    "{'group':'g@acme.example','vendor':'%s','summary':'Group','events':[{'id':'g1','summary':"    \
    "'Of the group','start':'2026-03-20T10:00'}]},"                                                \
    "{'id':'team@x.example','owner':'ada@acme.example','summary':'Team','zone':'Asia/Tokyo',"      \
    "'access':[{'role':'writer','person':'bob@acme.example'}],'events':[{'id':'t1','summary':"     \
    "'Team one','start':'2026-03-20T10:00','attendees':['x@port.example']}]}]"

/* ---- lists ---- */

/* Stretches of time, of all lengths, in both orders, singly and not. */
static void stretches(const char *when)
{
    static const int64_t hours[][2] = {{-2, 2},     {0, 1},       {1, 0},     {-24, 24},
                                       {-240, 240}, {-2400, 200}, {24, 4000}, {0, 0}};
    const struct calendar team = ada;
    for (size_t i = 0; i < SOSIA_LEN(hours); i++)
        for (int order = ORDER_START; order <= ORDER_UPDATE; order++)
            for (int single = 0; single < 2; single++)
                for (int limit = 2; limit <= 20; limit += 18) {
                    struct cal_event_query q = everything();
                    q.order = (enum cal_event_order)order;
                    q.single = single;
                    q.limit = (size_t)limit;
                    q.deleted = i & 1;
                    q.series_rows = i & 2;
                    q.min_us = NOON + hours[i][0] * HOUR;
                    q.max_us = NOON + hours[i][1] * HOUR;
                    if (i == 4)
                        q.max_us = INT64_MAX;
                    if (i == 5)
                        q.min_us = INT64_MIN;
                    if (i == 7)
                        q.text = "daily";
                    if (limit == 20 && i % 3 == 2)
                        q.updated_min_us = ada.newest_us - 90 * US_PER_SECOND;
                    cal_listed(arena_printf(tx.arena, "%s %zu order %d single %d by %d", when, i,
                                            order, single, limit),
                               &team, q);
                }
}

static int horizon(void *arg, struct cal_event *ev, const struct record *row)
{
    (void)row;
    ++*(int *)arg;
    return ev->start_us > NOON + 200 * HOUR ? 1 : 0;
}

static void lists(void)
{
    struct actor who = actor("ada");
    const char *position;
    stretches("few");
    cal_step("many short events");
    for (int i = 0; i < 80; i++) {
        struct cal_event ev = draft(arena_printf(tx.arena, "n%02d", i), i % 7 ? "" : "bob");
        ev.key = arena_printf(tx.arena, "n%02d", i * 7 % 80);
        ev.start_us += (i * 13 % 80 - 40) * HOUR / 2;
        ev.len_us = i % 5 ? HOUR / 4 : 30 * HOUR;
        cal_result(cal_event_add(&tx, &(struct cal_event_by){&who, MAIL_NONE}, &ada, &ev));
    }
    stretches("many");
    cal_step("once more");
    stretches("again");
    struct cal_event_query q = everything();
    for (int single = 0; single < 2; single++)
        for (int deleted = 0; deleted < 2; deleted++) {
            q.single = single, q.deleted = deleted, q.limit = 5, q.changed = 0;
            cal_listed(arena_printf(tx.arena, "changed, single %d deleted %d", single, deleted),
                       &ada, q);
            q.max_us = NOON + 300 * HOUR, q.changed = ada.newest - 5;
            cal_listed(arena_printf(tx.arena, "late, single %d deleted %d", single, deleted), &ada,
                       q);
        }
    q = everything();
    int n = 0;
    q.single = true;
    cal_result(cal_event_list(&tx, &ada, &q, horizon, &n, &position));
    story_say("  listed %d until it is enough", n);
    static const char *const texts[] = {"budget", "rome", "n0", "x@port.example", "one about"};
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        q = everything();
        q.text = texts[i];
        q.limit = 3;
        cal_listed(texts[i], &ada, q);
        q.single = true;
        cal_listed(texts[i], &ada, q);
        for (size_t limit = 1; limit < 9; limit += 7)
            survey_found(&tx, cal_found, texts[i], limit);
    }
}

/* What people see of ada's with a lesser role: texts of private events are not looked at. */
static void lesser_roles(void)
{
    static const struct cal_event_property shared = {"c", "d"}, own = {"a", "bb"};
    for (int role = CAL_NONE; role <= CAL_OWN; role++) {
        struct calendar seen = ada;
        seen.role = (enum cal_role)role;
        for (int how = 0; how < 4; how++)
            for (int single = 0; single < 2; single++) {
                struct cal_event_query q = everything();
                q.single = single;
                q.limit = 10;
                q.max_us = NOON + 24 * HOUR;
                q.text = how == 1 ? "budget" : NULL;
                q.props = &shared, q.n_props = how == 2;
                q.own_props = &own, q.n_own_props = how == 3;
                cal_listed(arena_printf(tx.arena, "role %d how %d single %d", role, how, single),
                           &seen, q);
            }
    }
}

static void newest(void)
{
    const struct calendar *const all[] = {&ada, &bob, &cyd, &dan};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct cal_newest walk;
        struct cal_event ev;
        struct buf b;
        buf_init(&b, 0);
        OK(cal_event_newest(&tx, all[i]->id, &walk));
        while (cal_event_newest_next(&tx, &walk, &ev) == 1)
            buf_printf(&b, " %s", ev.key);
        story_say("  newest of %s:%s", all[i]->summary, buf_str(&b));
        buf_done(&b);
    }
}

static void busy(void)
{
    for (int days = 1; days < 400; days *= 7) {
        const struct calendar *const all[] = {&ada, &bob, &dan, &room};
        for (size_t i = 0; i < SOSIA_LEN(all); i++) {
            struct busy *spans;
            struct buf b;
            size_t n;
            buf_init(&b, 0);
            OK(freebusy_list(&tx, all[i], NOON - days * 12 * HOUR, NOON + days * 12 * HOUR, &spans,
                             &n));
            for (size_t k = 0; k < n; k++)
                buf_printf(&b, " %lld-%lld", (long long)((spans[k].start_us - NOON) / 60000000),
                           (long long)((spans[k].end_us - NOON) / 60000000));
            story_say("  %s busy in %d days:%s", all[i]->summary, days, b.len ? buf_str(&b) : "");
            buf_done(&b);
        }
    }
    static const int64_t at[] = {-2, 0, 1, 20, 500};
    for (size_t i = 0; i < SOSIA_LEN(at); i++) {
        struct cal_event ev = draft("x", "");
        ev.calendar = ada.id, ev.key = "x";
        bool meets;
        ev.start_us += at[i] * HOUR;
        cal_result(cal_event_collides(&tx, ada.id, &ev, &meets));
        story_say("  at %lld it meets %d", (long long)at[i], meets);
        ev.recurrence = "RRULE:FREQ=WEEKLY;COUNT=2", ev.form = EVENT_SERIES;
        cal_result(cal_event_collides(&tx, bob.id, &ev, &meets));
        story_say("  a series meets %d", meets);
    }
}

/* Where an instance was, and where it is now. */
static void moved_instances(void)
{
    static const int64_t at[] = {-100, -98, -99};
    for (size_t i = 0; i < SOSIA_LEN(at); i++) {
        struct cal_event ev = draft("x", "");
        ev.calendar = ada.id, ev.key = "x";
        bool meets;
        ev.start_us += at[i] * HOUR, ev.len_us = HOUR / 2;
        cal_result(cal_event_collides(&tx, bob.id, &ev, &meets));
        story_say("  at %lld bob meets %d", (long long)at[i], meets);
    }
}

static int write_title(struct tx *t, int64_t id, struct json_writer *w)
{
    struct cal_event ev;
    int r = cal_event_by_id(t, id, &ev);
    if (r == 1)
        json_str(w, "title", ev.summary);
    return r;
}

static void dumped_list(void)
{
    const int64_t ids[] = {99999, cal_has(&ada, "e1").id, cal_has(&ada, "day").id};
    for (size_t n = 0; n <= SOSIA_LEN(ids); n++) {
        struct json_writer w;
        struct buf b;
        bool any = false;
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        cal_result(cal_dump_list(&tx, &w, "list", ids, n, write_title, &any));
        json_end(&w);
        story_say("  %zu: %d %s", n, any, buf_str(&b));
        buf_done(&b);
    }
}

/* ---- answers by mail ---- */

static const char OBJECT[] =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:%s\r\nBEGIN:VEVENT\r\nUID:%s\r\nSEQUENCE:%d\r\n"
    "DTSTART:20260320T090000Z\r\nSUMMARY:x\r\nORGANIZER:mailto:%s\r\nATTENDEE;PARTSTAT=%s:mailto:"
    "%s\r\n%sEND:VEVENT\r\nEND:VCALENDAR\r\n";

static const char *method = "REPLY";

static void mailed(const char *who, bool sent, const char *uid, int seq, const char *organizer,
                   const char *stat, const char *guest, const char *more)
{
    const char *text =
        arena_printf(tx.arena, OBJECT, method, uid, seq, organizer, stat, guest, more);
    int left = 1;
    struct invitation in = {.text = text, .len = strlen(text), .sent = sent, .left = &left};
    struct actor a = actor(who);
    cal_result(calendar_take(&tx, &a, &in));
    story_say("  %s %s%s, %d left", stat, who, in.missing ? " missing" : "", left);
}

static void answers(void)
{
    cal_step("bob answers by mail");
    const char *uid = cal_has(&ada, "e1").uid, *weekly = cal_has(&ada, "weekly").uid;
    mailed("bob", true, uid, 0, "ada@acme.example", "DECLINED", "bob@acme.example",
           "COMMENT:no\r\n");
    mailed("bob", true, uid, 0, "ada@acme.example", "NEEDS-ACTION", "bob@acme.example", "");
    mailed("bob", true, uid, 0, "bob@acme.example", "ACCEPTED", "bob@acme.example", "");
    mailed("bob", true, uid, 0, "ada@acme.example", "ACCEPTED", "eve@acme.example", "");
    mailed("bob", true, "none@x", 0, "ada@acme.example", "ACCEPTED", "bob@acme.example", "");
    mailed("cyd", true, uid, -1, "ada@acme.example", "TENTATIVE", "cyd@acme.example", "");
    static const char *const stats[] = {"NEEDS-ACTION", "TENTATIVE", "ACCEPTED"};
    for (size_t i = 0; i < SOSIA_LEN(stats); i++) {
        cal_step("and to somebody outside");
        mailed("bob", true, "far@x", i ? 1 : 0, "fab@port.example", stats[i], "bob@acme.example",
               i == 1 ? "COMMENT:perhaps\r\n" : "");
        mailed("bob", true, "far@x", 0, "fab@port.example", stats[i], "z@port.example", "");
        mailed("bob", true, "far@x", 0, "other@port.example", stats[i], "bob@acme.example", "");
    }
    cal_step("of a series, and of one of it");
    uid = cal_has(&ada, "e1").uid, weekly = cal_has(&ada, "weekly").uid;
    mailed("bob", true, weekly, 0, "ada@acme.example", "ACCEPTED", "bob@acme.example", "");
    mailed("bob", true, weekly, 0, "ada@acme.example", "DECLINED", "bob@acme.example",
           "RECURRENCE-ID:20260330T070000Z\r\n");
    cal_step("a guest who is named twice");
    method = "REQUEST";
    mailed("cyd", false, "twice@x", 0, "fab@port.example", "NEEDS-ACTION", "cyd@acme.example",
           "ATTENDEE;PARTSTAT=ACCEPTED:mailto:CYD@acme.example\r\nDTEND:20260320T100000Z\r\n");
    method = "REPLY";
    cal_step("what is older than the event");
    struct cal_event one = cal_has(&ada, "t-later"), later = one;
    later.start_us += HOUR;
    cal_saved(&ada, &one, &later);
    mailed("ada", false, cal_has(&ada, "t-later").uid, 0, "ada@acme.example", "ACCEPTED",
           "x@port.example", "");
    cal_step("and as it comes to ada");
    uid = cal_has(&ada, "e1").uid, weekly = cal_has(&ada, "weekly").uid;
    mailed("ada", false, uid, 0, "ada@acme.example", "ACCEPTED", "x@port.example",
           "COMMENT:I come\r\n");
    mailed("ada", false, weekly, 0, "ada@acme.example", "TENTATIVE", "dan@acme.example",
           "RECURRENCE-ID:20260406T070000Z\r\n");
    cal_step("to a calendar of many");
    struct calendar team;
    assert_int_equal(calendar_by_key(&tx, "team@x.example", &team), 1);
    const char *of_team = cal_has(&team, "t1").uid;
    mailed("bob", false, of_team, 0, "team@x.example", "ACCEPTED", "x@port.example", "");
    mailed("cyd", false, of_team, 0, "team@x.example", "DECLINED", "x@port.example", "");
    mailed("bob", false, of_team, 0, "cyd@acme.example", "DECLINED", "x@port.example", "");
}

/* ---- copies ---- */

static void copies(void)
{
    struct cal_event ev, to;
    struct actor who;
    cal_step("bob takes the series away");
    ev = cal_has(&bob, "weekly");
    who = actor("bob");
    cal_result(cal_event_cancel(&tx, &(struct cal_event_by){&who, MAIL_NONE}, &bob, &ev));
    cal_step("and back");
    ev = to = cal_has(&bob, "weekly");
    to.status = EVENT_CONFIRMED;
    cal_saved(&bob, &ev, &to);
    cal_step("cyd a single one");
    ev = cal_has(&cyd, "e1");
    who = actor("cyd");
    cal_result(cal_event_cancel(&tx, &(struct cal_event_by){&who, MAIL_NONE}, &cyd, &ev));
    cal_step("and back");
    ev = to = cal_has(&cyd, "e1");
    to.status = EVENT_CONFIRMED;
    to.color = "3";
    cal_saved(&cyd, &ev, &to);
    cal_step("groups are guests");
    struct cal_event all = draft("All", "all g eve");
    all.key = "all";
    who = actor("ada");
    cal_result(cal_event_add(&tx, &(struct cal_event_by){&who, MAIL_ALL}, &ada, &all));
    cal_step("how a series declines");
    ev = to = cal_has(&ada, "off");
    to.decline = DECLINE_ALL, to.decline_text = "Away";
    cal_saved(&ada, &ev, &to);
    cal_step("bob takes a copy away and becomes its organizer");
    ev = cal_has(&bob, "e1");
    who = actor("bob");
    cal_result(cal_event_cancel(&tx, &(struct cal_event_by){&who, MAIL_NONE}, &bob, &ev));
    ev = cal_has(&ada, "e1");
    who = actor("ada");
    cal_result(cal_event_move(&tx, &(struct cal_event_by){&who, MAIL_NONE}, &ada, &ev, &bob, &to));
    newest();
    cal_step("one of a series alone");
    const char *key =
        cal_event_instance_key(&tx, "weekly", false, cal_has(&ada, "weekly").start_us);
    ev = cal_has(&ada, key);
    cal_result(cal_event_single_out(&tx, &ev));
    cal_result(cal_event_touch(&tx, ev.id));
    const char *found;
    int64_t calendar;
    cal_result(cal_event_key_of(&tx, ev.id, &found, &calendar));
    story_say("  its key is %s", found);
    cal_result(cal_event_key_of(&tx, 99999, &found, &calendar));
    ev = cal_has(&ada, "all");
    size_t n = 0, bytes = 0;
    cal_event_count_props(tx.arena, ev.own_props, &n, &bytes);
    story_say("  %zu properties, %zu bytes", n, bytes);
    struct cal_event own = cal_has(&bob, "all"), with = own;
    with.own_props = "{\"key\":\"value\"}";
    cal_saved(&bob, &own, &with);
    cal_result(cal_event_count_other_props(&tx, &ev, &n, &bytes));
    story_say("  with bob's %zu, %zu bytes", n, bytes);
    cal_result(cal_conference_known(&tx, "none"));
    cal_result(cal_event_with_extra(&tx, ada.id, NULL, "none", &to));
    for (int64_t after = INT64_MIN, id = cal_has(&ada, "weekly").id;
         cal_event_next_changed(&tx, id, after, &to) == 1; after = to.original_us)
        story_say("  changed: %s", to.key);
}

static void calendars(void)
{
    struct calendar group = {.key = "h@acme.example", .summary = "Group"}, is, old;
    cal_step("a calendar of a group");
    cal_result(calendar_of_group(&tx, "g@acme.example", &is));
    cal_result(calendar_add_group(&tx, subject->name, &group));
    cal_result(calendar_of_group(&tx, "h@acme.example", &is));
    struct cal_event ev = draft("Of the group", "ada bob");
    ev.key = "g2";
    cal_result(cal_event_add(&tx, ALL, &group, &ev));
    cal_step("it changes");
    cal_result(calendar_of_group(&tx, "g@acme.example", &is));
    old = is;
    is.zone = "Europe/Rome", is.description = "All", is.extra = "{\"a\":1}";
    cal_result(calendar_save(&tx, &old, &is));
    cal_result(calendar_save(&tx, &is, &is));
    cal_step("ada shares her calendar");
    struct cal_access rule = {.kind = ACCESS_PERSON, .who = "bob@acme.example", .role = CAL_READ};
    cal_result(cal_access_set(&tx, &ada, &rule));
    cal_step("ada's moves");
    for (int i = 0; i < 3; i++) {
        static const char *const keys[] = {"other@key.example", "g@acme.example", "team@x.example"};
        struct calendar mine = ada;
        cal_result(calendar_rekey(&tx, &mine, keys[i]));
    }
    struct account account;
    struct actor who = actor("ada");
    cal_result(account_at(&tx, who.id, subject->name, ACCOUNT_CALENDAR, &account));
    cal_result(calendar_of_account(&tx, account.id, &is));
    story_say("  %s", is.key);
    for (int64_t after = 0; calendar_next(&tx, &account, after, &is) == 1; after = is.id)
        story_say("  next %s", is.key);
    static const char *const addresses[] = {"ada@acme.example", "team@x.example", "z@x.example"};
    static const char *const people[] = {"ada", "bob", "cyd", "dan"};
    for (size_t i = 0; i < SOSIA_LEN(addresses); i++)
        cal_result(calendar_by_address(&tx, addresses[i], &is));
    for (size_t i = 0; i < SOSIA_LEN(people); i++)
        for (int need = CAL_NONE; need <= CAL_OWN; need++) {
            who = actor(people[i]);
            if (calendar_open(&tx, &who, "team@x.example", (enum cal_role)need, &is) < 0)
                story_say("  %s may not %d: %d", people[i], need, cal_reason_of(tx.err));
            *tx.err = (struct sosia_err){0};
        }
    who = actor("ada");
    cal_result(calendar_open(&tx, &who, "none@x.example", CAL_READ, &is));
}

/* ---- as programs look at it ---- */

static void shown(void)
{
    static const char *const people[] = {"ada@acme.example", "dan@acme.example", "x@x.example"};
    cal_step("shown");
    commit();
    for (size_t i = 0; i < SOSIA_LEN(people); i++)
        for (int other_one = 0; other_one < 3; other_one++) {
            const char *const vendors[] = {NULL, subject->name, other->name};
            struct cal_shown s = {.actor = people[i],
                                  .vendor = vendors[other_one],
                                  .from_us = NOON - 24 * HOUR,
                                  .to_us = NOON + 72 * HOUR};
            struct sosia_blob blob;
            for (int events = 0; events < 3; events++) {
                s.calendar = events == 2 ? (int64_t)other_one : 0;
                if ((events ? cal_show_events : cal_show_calendars)(test_engine, test_world, &s,
                                                                    &blob, &test_err) < 0) {
                    story_say("  refused: %s", test_err.text);
                    continue;
                }
                story_say("  %.3900s", (const char *)blob.data);
                sosia_blob_free(&blob);
            }
        }
    begin_again();
}

static const char *const CHANGED[] = {
    NULL,
    "update cal_event set summary = 'Changed' where key = 'day'",
    "update cal_event set key = '' where key = 'day'",
    "update cal_event set calendar = 99 where key = 'day'",
    "update cal_event set start_us = end_us + 1 where key = 'day'",
    "update cal_event set recurrence = 'x' where recurrence is not null",
    "update cal_event set master = id where key = 'e1'",
    "update cal_event set origin = id where key = 'day'",
    "update cal_calendar set zone = 'x'",
    "update cal_calendar set vendor = 'none'",
    "update cal_attendee set email = ''",
    "update cal_calendar set newest = -1",
};

static void the_story_of_use(void **s)
{
    static char more[sizeof MORE + 40];
    snprintf(more, sizeof more, MORE, subject->name);
    for (char *p = more; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    begin_with(more);
    commit();
    struct sosia_blob blob;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &test_err), 0);
    char *document = strdup(blob.data);
    sosia_blob_free(&blob);
    begin_again();
    story_begin();
    events_seen = survey_events;
    lists();
    cal_step("the newest");
    newest();
    lesser_roles();
    busy();
    moved_instances();
    dumped_list();
    answers();
    copies();
    calendars();
    shown();
    cal_step("the end");
    commit();
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &test_err), 0);
    story_say("a world of the dump");
    story_dump(test_engine, test_world_of(blob.data));
    sosia_blob_free(&blob);
    events_seen = NULL;
    survey_diff(document);
    survey_changed(CHANGED, SOSIA_LEN(CHANGED));
    free(document);
    begin_again();
    story_end(subject == other   ? "calendar-use-alone"
              : subject == &acme ? "calendar-use-acme"
                                 : "calendar-use-globex");
    end(s);
}

static int open_engine(void **s)
{
    return test_open_engine_of(services);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_story_of_use)};
    int failed = 0;
    for (int i = 0; i < 3; i++) { /* and of one vendor alone */
        subject = i == 1 ? &globex : &acme;
        other = i ? &acme : &globex;
        failed += cmocka_run_group_tests_name(subject->name, tests, open_engine, test_close_engine);
    }
    return failed;
}
