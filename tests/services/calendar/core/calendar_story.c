/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A story of calendars, without a dialect, once for each of two vendors: a document with everything
 * that one can say, then what people do, and what each thing changes in everybody's calendar. Lines
 * of a list: calendar, key, form and status, then what is not usual.
 */
#include "engine/world/engine.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/story.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

/* ---- states ---- */

#define START INT64_C(1773302400000000) /* the world's first instant */

static struct buf *out;

static const char *const statuses[] = {"", " tentative", " cancelled"};
static const char *const responses[] = {"-", "?", "no", "maybe", "yes"};

static int show(void *arg, struct cal_event *ev, const struct record *row)
{
    const struct calendar *cal = arg;
    (void)row;
    OK(cal_event_load_attendees(&tx, ev));
    buf_printf(out, "%s %s \"%s\" form %d%s at %lld+%lld", cal->summary, ev->key,
               ev->summary ? ev->summary : "", ev->form, statuses[ev->status],
               (long long)((ev->start_us - NOON) / 60000000), (long long)(ev->len_us / 60000000));
    if (ev->zone)
        buf_printf(out, " %s", ev->zone);
    if (ev->removed)
        buf_puts(out, " removed");
    buf_printf(out, " seq %lld busy %d vis %d rights %u imp %d resp %s", (long long)ev->sequence,
               ev->busy, ev->visibility, ev->rights, ev->importance, responses[ev->response]);
    if (ev->organizer)
        buf_printf(out, " by %s", ev->organizer);
    if (ev->recurrence)
        buf_printf(out, " [%s]", ev->recurrence);
    for (int i = 0; i < ev->n_attendees; i++)
        buf_printf(out, " %s:%s%s", ev->attendees[i].email, responses[ev->attendees[i].response],
                   ev->attendees[i].comment ? ev->attendees[i].comment : "");
    buf_printf(out, " touched %lld change %lld\n", (long long)((ev->updated_us - START) / 1000000),
               (long long)ev->change);
    return 0;
}

static void show_busy(const struct calendar *cal)
{
    struct busy *list;
    size_t n;
    OK(freebusy_list(&tx, cal, NOON - 24 * HOUR, NOON + 24 * HOUR, &list, &n));
    buf_printf(out, "%s busy:", cal->summary);
    for (size_t i = 0; i < n; i++)
        buf_printf(out, " %lld-%lld", (long long)((list[i].start_us - NOON) / 60000000),
                   (long long)((list[i].end_us - NOON) / 60000000));
    buf_puts(out, "\n");
}

static void state(void)
{
    const struct calendar *const all[] = {&ada, &bob, &cyd, &dan, &room};
    const char *position;
    struct buf b;
    buf_init(&b, 0);
    out = &b;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct cal_event_query q = everything();
        q.deleted = true;
        OK(cal_event_list(&tx, all[i], &q, show, (void *)(uintptr_t)all[i], &position));
        show_busy(all[i]);
    }
    story_state("calendars", buf_str(&b));
    buf_done(&b);
}

/* ---- steps ---- */

static void tell_letter(const struct letter *l)
{
    story_say("  letter %s from %s to %s: %s", l->method, l->from, l->to, l->subject);
    story_say("  %s%s", l->text, l->settled ? "settled" : "");
}

/* Ends the step before, whose changes are shown, and begins another one, a minute later. */
static void step(const char *what)
{
    state();
    cal_sound();
    commit();
    story_dump(test_engine, test_world);
    test_advance(60);
    begin_again();
    story_say("== %s", what);
}

static void change_in(const struct calendar *cal, struct cal_event *ev, struct cal_event *to)
{
    struct cal_event old = *ev;
    struct actor who;
    assert_int_equal(actor_by_id(&tx, cal->owner, &who), 1);
    if (cal_event_save(&tx, &(struct cal_event_by){&who, MAIL_ALL}, cal, &old, to) < 0)
        story_say("  refused: %s", tx.err->text);
    *tx.err = (struct sosia_err){0};
    *ev = *to;
}
/* Changes members of what the calendar has with this key: CHANGE(&ada, "e1", summary = "x"). */
#define CHANGE(cal, key, ...)                                                                      \
    do {                                                                                           \
        struct cal_event was_ = event_in(cal, key), to = was_;                                     \
        __VA_ARGS__;                                                                               \
        change_in(cal, &was_, &to);                                                                \
    } while (0)

static struct cal_event event_in(const struct calendar *cal, const char *key)
{
    struct cal_event ev;
    if (cal_event_find(&tx, cal, key, &ev) != 1)
        fail_msg("%s has no %s", cal->summary, key);
    OK(cal_event_load_attendees(&tx, &ev));
    return ev;
}

static void respond(const struct calendar *cal, const char *key, enum cal_response response,
                    const char *comment)
{
    struct cal_event ev = event_in(cal, key), to = ev;
    int self = cal_event_self(cal, &ev);
    to.attendees = arena_calloc(tx.arena, (size_t)ev.n_attendees + 1, sizeof *to.attendees);
    memcpy(to.attendees, ev.attendees, (size_t)ev.n_attendees * sizeof *ev.attendees);
    assert_true(self >= 0);
    to.attendees[self].response = response;
    to.attendees[self].comment = comment;
    change_in(cal, &ev, &to);
}

static void cancel(const struct calendar *cal, const char *key)
{
    struct cal_event ev = event_in(cal, key);
    struct actor who;
    assert_int_equal(actor_by_id(&tx, cal->owner, &who), 1);
    if (cal_event_cancel(&tx, &(struct cal_event_by){&who, MAIL_OUTSIDE}, cal, &ev) < 0)
        story_say("  refused: %s", tx.err->text);
    *tx.err = (struct sosia_err){0};
}

static void add(const struct calendar *cal, const char *key, struct cal_event ev)
{
    struct actor who;
    assert_int_equal(actor_by_id(&tx, cal->owner, &who), 1);
    ev.key = key;
    if (cal_event_add(&tx, &(struct cal_event_by){&who, MAIL_ALL}, cal, &ev) < 0)
        story_say("  refused: %s", tx.err->text);
    *tx.err = (struct sosia_err){0};
}

static void guests_of(struct cal_event *ev, const char *names)
{
    struct cal_event with = draft("", names);
    ev->attendees = with.attendees;
    ev->n_attendees = with.n_attendees;
}

/* ---- the story ---- */

static const char EVENTS[] =
    ",'groups':[{'email':'g@acme.example','members':['cyd@acme.example']}],"
    "'calendars':[{'owner':'ada@acme.example','primary':true,'description':'d','location':'l',"
    "'zone':'Europe/Rome','extra':{'x':1},'access':[{'role':'reader','person':'bob@acme.example'},"
    "{'role':'freebusy','domain':'acme.example'},{'role':'writer','group':'g@acme.example'},"
    "{'role':'freebusy','public':true}],'events':["
    "{'id':'e1','uid':'u1@x','summary':'One','start':'2026-03-20T10:00','end':'2026-03-20T19:30',"
    "'zone':'Europe/Rome','endZone':'Asia/Tokyo','description':'D','location':'L','color':'3',"
    "'status':'tentative','visibility':'private','busy':'away','importance':'high','sequence':2,"
    "'rights':['guestsModify','noEnd'],'attendees':[{'email':'bob@acme.example','name':'Bob',"
    "'response':'accepted','optional':true,'guests':2,'comment':'c'},'cyd@acme.example',"
    "{'email':'x@port.example','resource':true}],'reminders':[{'method':'email','minutes':5},"
    "{'method':'popup','minutes':0}],'reminderOn':true,'reminderMinutes':15,'categories':['a','b'],"
    "'place':'p','conference':'conf','ownProperties':{'a':'b'},'properties':{'c':'d'},"
    "'extra':{'e':1},'creator':'bob@acme.example'},"
    "{'id':'day','summary':'Day','start':'2026-03-21','end':'2026-03-23','free':true},"
    "{'id':'away','kind':'outOfOffice','start':'2026-03-24T09:00','decline':'new',"
    "'declineText':'gone'},{'id':'hour','start':'2026-03-19T09:00:30+02:00','busy':'tentative'},"
    "{'id':'weekly','summary':'Weekly','start':'2026-03-02T09:00','zone':'Europe/Rome',"
    "'recurrence':['RRULE:FREQ=WEEKLY;COUNT=6','EXDATE;TZID=Europe/Rome:20260309T090000'],"
    "'attendees':['bob@acme.example','dan@acme.example'],'instances':["
    "{'originalStart':'2026-03-16T09:00','summary':'Other','start':'2026-03-16T11:00'},"
    "{'originalStart':'2026-03-23T09:00','status':'cancelled'}]},"
    "{'id':'days','start':'2026-03-02','recurrence':['RRULE:FREQ=DAILY;COUNT=3'],"
    "'instances':[{'originalStart':'2026-03-03','location':'x'}]},"
    "{'id':'far','organizer':'fab@port.example','organizerName':'Fabio','uid':'far@x',"
    "'start':'2026-03-25T09:00','attendees':['ada@acme.example']},"
    "{'id':'lone_20260330T070000Z','originalStart':'2026-03-30T09:00','start':'2026-03-30T10:00',"
    "'organizer':'fab@port.example'}]},"
    "{'owner':'bob@acme.example','primary':true,'copies':[{'id':'e1','color':'4',"
    "'reminders':[],'free':true},{'id':'weekly','ownProperties':{'k':'v'}}]},"
    "{'id':'team@x.example','owner':'bob@acme.example','summary':'Team','events':["
    "{'id':'t1','summary':'T','start':'2026-03-20T10:00','visibility':'confidential'}]}]";

static const char *const WRONG[] = {
    "'calendars':{}",
    "'calendars':[1]",
    "'calendars':[{'x':1}]",
    "'calendars':[{'owner':'zed@x.example'}]",
    "'calendars':[{'id':'','owner':'ada@acme.example','summary':'x'}]",
    "'calendars':[{'owner':'ada@acme.example'}]",
    "'calendars':[{'owner':'ada@acme.example','summary':'x','zone':'x'}]",
    "'calendars':[{'owner':'ada@acme.example','summary':'x','vendor':'none'}]",
    "'calendars':[{'owner':'ada@acme.example','summary':'x','lists':[]}]",
    "'calendars':[{'owner':'ada@acme.example','summary':'x','app':'x'}]",
    "'calendars':[{'id':'k','owner':'ada@acme.example','summary':'x'},{'id':'k','owner':'bob@acme."
    "example','zone':'x'}]",
#define ACCESS(rule) "'calendars':[{'owner':'ada@acme.example','primary':true,'access':[" rule "]}]"
    ACCESS("{}"),
    ACCESS("{'person':'x'}"),
    ACCESS("{'domain':'@'}"),
    ACCESS("{'public':true,'person':'bob@acme.example'}"),
    ACCESS("{'role':'x','public':true}"),
    ACCESS("{'role':'reader','person':'ada@acme.example'}"),
    ACCESS("{'public':1}"),
#define EVENT(members)                                                                             \
    "'calendars':[{'owner':'ada@acme.example','primary':true,'events':[{" members "}]}]"
    EVENT(""),
    EVENT("'start':'x'"),
    EVENT("'start':'2026-03-20','end':'2026-03-20T10:00'"),
    EVENT("'start':'2026-03-20T10:00','end':'2026-03-20T09:59'"),
    EVENT("'start':'2026-03-20','id':'a b'"),
    EVENT("'start':'2026-03-20','id':''"),
    EVENT("'start':'2026-03-20','status':'x'"),
    EVENT("'start':'2026-03-20','attendees':['x']"),
    EVENT("'start':'2026-03-20','attendees':['a@x.example','b@x.example','A@x.example']"),
    EVENT("'start':'2026-03-20','reminders':'x'"),
    EVENT("'start':'2026-03-20','reminders':[{'method':'x'}]"),
    EVENT("'start':'2026-03-20','reminders':[{'minutes':40321}]"),
    EVENT("'start':'2026-03-20','categories':1"),
    EVENT("'start':'2026-03-20','free':1"),
    EVENT("'start':'2026-03-20','recurrence':['']"),
    EVENT("'start':'2026-03-20','recurrence':['a\\nb']"),
    EVENT("'start':'2026-03-20','recurrence':['x']"),
    EVENT("'start':'2026-03-20','instances':[]"),
    EVENT("'start':'2026-03-20','originalStart':'2026-03-20'"),
    EVENT("'id':'x','start':'2026-03-20','originalStart':'2026-03-20','recurrence':['RRULE:FREQ="
          "DAILY']"),
    EVENT("'start':'2026-03-20','recurrence':['RRULE:FREQ=DAILY'],'instances':[{'originalStart':'"
          "2026-03-19'}]"),
    EVENT("'start':'2026-03-20','recurrence':['RRULE:FREQ=DAILY'],'instances':[{'originalStart':'"
          "2026-03-20T10:00'}]"),
    EVENT("'start':'2026-03-20','recurrence':['RRULE:FREQ=DAILY'],'instances':[{}]"),
    EVENT("'start':'2026-03-20','rights':['x']"),
    EVENT("'start':'2026-03-20','ownProperties':{'a':1}"),
    EVENT("'start':'2026-03-20','id':'a'},{'start':'2026-03-20','id':'a'"),
#define COPY(members)                                                                              \
    "'calendars':[{'owner':'ada@acme.example','primary':true,'events':[{'id':'e','start':'2026-"   \
    "03-20',"                                                                                      \
    "'attendees':['bob@acme.example']}]},{'owner':'bob@acme.example','primary':true,'copies':["    \
    "{" members "}]}]"
    COPY(""),
    COPY("'id':'x'"),
    COPY("'id':'e','attendees':[]"),
    COPY("'id':'e','rights':[]"),
    COPY("'id':'e','removed':1"),
    COPY("'id':'e','start':'x'"),
    "'calendars':[{'owner':'ada@acme.example','primary':true,'events':[{'id':'e','start':'2026-03-"
    "20'}],'copies':[{'id':'e'}]}]",
};

static void tell_wrong(void)
{
    for (size_t i = 0; i < SOSIA_LEN(WRONG); i++)
        story_wrong(test_engine,
                    "{'sosia':1,'time':'2026-03-12T08:00:00Z','people':[{'email':"
                    "'ada@acme.example'},{'email':'bob@acme.example'}],",
                    WRONG[i]);
}

static void single_events(void)
{
    step("ada invites everybody");
    struct cal_event ev = draft("Meeting", "bob cyd dan room");
    ev.attendees[ev.n_attendees++] =
        (struct cal_attendee){.email = "x@port.example", .response = RESPONSE_NONE};
    ev.location = "Here", ev.description = "About";
    add(&ada, "m", ev);
    add(&ada, "m", ev);
    step("they answer");
    respond(&bob, "m", RESPONSE_ACCEPTED, "fine");
    respond(&cyd, "m", RESPONSE_DECLINED, NULL);
    respond(&dan, copy_in(&dan, &(struct cal_event){.uid = event_in(&ada, "m").uid}).key,
            RESPONSE_TENTATIVE, NULL);
    step("it moves");
    CHANGE(&ada, "m", to.start_us += HOUR, to.len_us += HOUR);
    step("it changes");
    CHANGE(&ada, "m", to.summary = "Other", to.location = NULL, to.description = "More",
           to.visibility = VISIBLE_PRIVATE, to.importance = IMPORTANCE_HIGH,
           to.status = EVENT_TENTATIVE, to.props = "{\"a\":\"b\"}", to.conference = "c-1",
           to.place = "Rome", to.extra = "{\"e\":1}");
    step("bob changes the own copy");
    CHANGE(&bob, "m", to.color = "5", to.reminders = "[]", to.busy = BUSY_FREE,
           to.own_props = "{\"k\":\"v\"}", to.categories = "[\"x\"]", to.reminder_on = true,
           to.reminder_minutes = 10);
    step("bob changes what is ada's");
    CHANGE(&bob, "m", to.summary = "Bob's");
    CHANGE(&bob, "m", to.start_us += HOUR);
    CHANGE(&bob, "m", to.rights |= GUESTS_MODIFY);
    step("bob invites eve");
    CHANGE(&bob, "m", guests_of(&to, "bob cyd dan room eve"));
    step("ada lets them change it");
    CHANGE(&ada, "m", to.rights |= GUESTS_MODIFY);
    CHANGE(&bob, "m", to.summary = "All's", to.description = "B", to.location = "There");
    step("cyd takes the copy away");
    cancel(&cyd, "m");
    CHANGE(&ada, "m", to.summary = "Again");
    step("ada invites fewer");
    CHANGE(&ada, "m", guests_of(&to, "bob dan"));
    step("ada cancels it");
    cancel(&ada, "m");
    cancel(&ada, "m");
    step("and restores it");
    CHANGE(&ada, "m", to.status = EVENT_CONFIRMED);
    step("two in the room");
    add(&ada, "r1", draft("First", "room"));
    add(&bob, "r2", draft("Second", "room"));
    step("a day in the room");
    ev = draft("Day", "room cyd");
    ev.zone = NULL, ev.all_day = true, ev.start_us = NOON - 12 * HOUR + 48 * HOUR,
    ev.len_us = 24 * HOUR;
    add(&cyd, "d1", ev);
    step("it becomes an hour");
    CHANGE(&cyd, "d1", to.all_day = false, to.len_us = HOUR, to.zone = "Asia/Tokyo");
    step("cyd is away");
    ev = draft("Off", "");
    ev.kind = KIND_AWAY, ev.decline = DECLINE_ALL, ev.decline_text = "Sorry", ev.len_us = 4 * HOUR;
    add(&cyd, "off", ev);
    add(&ada, "n", draft("New", "cyd bob"));
}

static void series(void)
{
    struct cal_event ev = draft("Weekly", "bob dan");
    ev.recurrence = "RRULE:FREQ=WEEKLY;COUNT=5";
    ev.start_us += 240 * HOUR;
    step("a series");
    add(&ada, "w", ev);
    const char *second = cal_event_instance_key(&tx, "w", false, ev.start_us + 168 * HOUR);
    const char *third = cal_event_instance_key(&tx, "w", false, ev.start_us + 336 * HOUR);
    const char *fourth = cal_event_instance_key(&tx, "w", false, ev.start_us + 504 * HOUR);
    step("the second is later");
    CHANGE(&ada, second, to.start_us += 2 * HOUR);
    step("bob declines the third");
    respond(&bob, third, RESPONSE_DECLINED, NULL);
    step("bob colors the second");
    CHANGE(&bob, second, to.color = "7");
    step("ada cancels the fourth");
    cancel(&ada, fourth);
    step("cyd comes to the third");
    CHANGE(&ada, third, guests_of(&to, "bob dan cyd"));
    step("bob takes the second away");
    cancel(&bob, second);
    step("the series changes");
    CHANGE(&ada, "w", to.summary = "Each week", to.description = "d", to.location = "l",
           to.visibility = VISIBLE_PUBLIC);
    step("bob accepts the series");
    respond(&bob, "w", RESPONSE_ACCEPTED, "ok");
    step("the series is an hour earlier");
    CHANGE(&ada, "w", to.start_us -= HOUR);
    step("it is longer");
    CHANGE(&ada, "w", to.recurrence = "RRULE:FREQ=WEEKLY;COUNT=7");
    step("it is cancelled");
    cancel(&ada, "w");
    step("and restored");
    CHANGE(&ada, "w", to.status = EVENT_CONFIRMED);
    step("cyd is invited to all");
    CHANGE(&ada, "w", guests_of(&to, "bob dan cyd"));
    step("bob takes the series away");
    cancel(&bob, "w");
    step("it is a single event");
    CHANGE(&ada, "w", to.recurrence = NULL);
}

static const char OBJECT[] =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:%s\r\nBEGIN:VEVENT\r\nUID:%s\r\nSEQUENCE:%d\r\n"
    "DTSTART:20260320T1%d0000Z\r\nDTEND:20260320T130000Z\r\nSUMMARY:%s\r\nDESCRIPTION:"
    "d\r\nLOCATION:l\r\n"
    "ORGANIZER;CN=Fabio:mailto:%s\r\nATTENDEE;PARTSTAT=%s:mailto:%s\r\n%sEND:VEVENT\r\nEND:"
    "VCALENDAR\r\n";

static void take(const char *who, const char *method, const char *uid, int seq, int hour,
                 const char *summary, const char *organizer, const char *stat, const char *guest,
                 const char *more)
{
    const char *text = arena_printf(tx.arena, OBJECT, method, uid, seq, hour, summary, organizer,
                                    stat, guest, more);
    struct invitation in = {.text = text, .len = strlen(text)};
    struct actor a = actor(who);
    OK(calendar_take(&tx, &a, &in));
    story_say("  %s%s", method, in.missing ? " missing" : "");
}

static void mails(void)
{
    step("mail invites bob");
    take("bob", "REQUEST", "far-1@port.example", 0, 2, "Far", "fab@port.example", "NEEDS-ACTION",
         "bob@acme.example", "");
    step("and changes it");
    take("bob", "REQUEST", "far-1@port.example", 1, 1, "Far off", "fab@port.example",
         "NEEDS-ACTION", "bob@acme.example", "");
    step("what is older changes nothing");
    take("bob", "REQUEST", "far-1@port.example", 0, 2, "Old", "fab@port.example", "NEEDS-ACTION",
         "bob@acme.example", "");
    take("bob", "CANCEL", "far-1@port.example", 0, 1, "Old", "fab@port.example", "NEEDS-ACTION",
         "bob@acme.example", "");
    step("bob answers");
    respond(&bob,
            event_in(&bob, copy_in(&bob, &(struct cal_event){.uid = "far-1@port.example"}).key).key,
            RESPONSE_TENTATIVE, "c");
    step("it is cancelled by mail");
    take("bob", "CANCEL", "far-1@port.example", 2, 1, "Far off", "fab@port.example", "ACCEPTED",
         "bob@acme.example", "");
    take("bob", "CANCEL", "far-9@port.example", 2, 1, "Far off", "fab@port.example", "ACCEPTED",
         "bob@acme.example", "");
    step("a series by mail");
    take("cyd", "REQUEST", "far-2@port.example", 0, 2, "Far", "fab@port.example", "ACCEPTED",
         "cyd@acme.example",
         "RRULE:FREQ=DAILY;COUNT=3\r\nPRIORITY:1\r\nCLASS:PRIVATE\r\nTRANSP:TRANSPARENT\r\nSTATUS:"
         "TENTATIVE\r\n");
    step("of which one is otherwise");
    take("cyd", "REQUEST", "far-2@port.example", 0, 1, "Early", "fab@port.example", "ACCEPTED",
         "cyd@acme.example", "RECURRENCE-ID:20260321T120000Z\r\n");
    step("x answers ada");
    CHANGE(&ada, "m", guests_of(&to, "bob dan x"));
    take("ada", "REPLY", event_in(&ada, "m").uid, 9, 2, "x", "ada@acme.example", "ACCEPTED",
         "x@acme.example", "COMMENT:yes\r\n");
    take("ada", "REPLY", event_in(&ada, "m").uid, 9, 2, "x", "ada@acme.example", "DECLINED",
         "z@port.example", "");
    take("ada", "REPLY", "none@port.example", 9, 2, "x", "ada@acme.example", "DECLINED",
         "z@port.example", "");
}

/* ---- lists ---- */

static int list_key(void *arg, struct cal_event *ev, const struct record *row)
{
    buf_printf(arg, " %s", ev->key);
    return 0;
}

static void list(const char *name, const struct calendar *cal, struct cal_event_query q)
{
    struct buf b;
    const char *position = NULL;
    buf_init(&b, 0);
    for (int page = 0; page < 12; page++) {
        q.position = position;
        if (cal_event_list(&tx, cal, &q, list_key, &b, &position) < 0)
            buf_printf(&b, " refused: %s", tx.err->text);
        *tx.err = (struct sosia_err){0};
        if (!position)
            break;
        buf_puts(&b, " /");
    }
    story_say("  %s:%s", name, buf_str(&b));
    buf_done(&b);
}
#define ASKED(name, cal, ...)                                                                      \
    do {                                                                                           \
        struct cal_event_query q = everything();                                                   \
        __VA_ARGS__;                                                                               \
        list(name, cal, q);                                                                        \
    } while (0)

static void lists(void)
{
    static const struct cal_event_property own = {"k", "v"}, shared = {"c", "d"};
    struct cal_event weekly = event_in(&ada, "weekly"), one = event_in(&ada, "e1");
    step("lists");
    for (int order = ORDER_START; order <= ORDER_UPDATE; order++)
        for (int single = 0; single < 2; single++)
            for (int deleted = 0; deleted < 2; deleted++)
                ASKED(
                    arena_printf(tx.arena, "order %d single %d deleted %d", order, single, deleted),
                    &ada, q.order = (enum cal_event_order)order, q.single = single,
                    q.deleted = deleted, q.limit = 7);
    ASKED("from noon", &ada, q.min_us = NOON);
    ASKED("ends at noon", &ada, q.min_us = NOON, q.max_us = NOON + 1, q.min_included = true);
    ASKED("before noon", &ada, q.max_us = NOON, q.single = true);
    ASKED("two days", &ada, q.min_us = NOON - 240 * HOUR, q.max_us = NOON - 192 * HOUR,
          q.single = true);
    ASKED("bob's answered", &bob, q.no_open_invitations = true);
    ASKED("bob's answered, singly", &bob, q.no_open_invitations = true, q.single = true);
    ASKED("changed", &ada, q.changed = ada.newest - 3);
    ASKED("changed, singly", &ada, q.changed = ada.newest - 6, q.single = true);
    ASKED("updated", &ada, q.updated_min_us = ada.newest_us - 60 * 10 * US_PER_SECOND);
    ASKED("updated, by it", &ada, q.updated_min_us = ada.newest_us - 60 * 10 * US_PER_SECOND,
          q.order = ORDER_UPDATE, q.limit = 2);
    ASKED("one uid", &ada, q.uid = weekly.uid);
    ASKED("one uid, singly", &ada, q.uid = weekly.uid, q.single = true, q.limit = 2);
    ASKED("one uid, deleted too", &ada, q.uid = weekly.uid, q.single = true, q.deleted = true);
    ASKED("no uid", &ada, q.uid = "none");
    ASKED("text", &ada, q.text = "weekly");
    ASKED("text of a guest", &ada, q.text = "x@port.example");
    ASKED("two words", &ada, q.text = "One D");
    ASKED("kinds", &ada, q.kinds = 1u << KIND_AWAY);
    ASKED("own property", &bob, q.own_props = &own, q.n_own_props = 1);
    ASKED("property", &ada, q.props = &shared, q.n_props = 1);
    ASKED("property of a copy", &bob, q.props = &shared, q.n_props = 1);
    ASKED("instances", &ada, q.series = &weekly, q.limit = 2);
    ASKED("instances, deleted too", &ada, q.series = &weekly, q.deleted = true);
    ASKED("one instance", &ada, q.series = &weekly, q.has_original = true,
          q.original_us = weekly.start_us);
    ASKED("of a single event", &ada, q.series = &one);
    ASKED("no place", &ada, q.position = "x");
    for (size_t i = 0; i < 2; i++) {
        const struct calendar *cal = i ? &bob : &ada;
        bool meets;
        struct cal_event ev = draft("x", "");
        OK(cal_event_collides(&tx, cal->id, &ev, &meets));
        story_say("  noon meets %d", meets);
        ev.start_us += 2000 * HOUR;
        OK(cal_event_collides(&tx, cal->id, &ev, &meets));
        story_say("  later meets %d", meets);
    }
}

/* ---- access ---- */

static void rules_of(const char *what)
{
    static const char *const people[] = {"ada", "bob", "cyd", "dan", "room"};
    struct cal_access *rules;
    size_t n;
    int64_t stored, newest, after;
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < SOSIA_LEN(people); i++) {
        struct actor a = actor(people[i]);
        enum cal_role role;
        OK(calendar_role(&tx, &ada, &a, &role));
        buf_printf(&b, " %s %d", people[i], role);
    }
    OK(cal_access_list(&tx, &ada, -10, true, 100, &rules, &n));
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, " [%d %s %d %lld]", rules[i].kind, rules[i].who, rules[i].role,
                   (long long)rules[i].change);
    OK(cal_access_list(&tx, &ada, 0, false, 2, &rules, &n));
    OK(cal_access_count(&tx, &ada, &stored));
    OK(cal_access_since(&tx, &ada, tx.now_us, &newest, &after));
    story_say("  %s:%s; %zu of %lld, %lld %lld", what, buf_str(&b), n, (long long)stored,
              (long long)(newest ? (newest - START) / 1000000 : 0), (long long)after);
    buf_done(&b);
}

static void rule(enum cal_access_kind kind, const char *who, enum cal_role role)
{
    struct cal_access r = {.kind = kind, .who = who, .role = role};
    OK(cal_access_set(&tx, &ada, &r));
}

static void access_to(void)
{
    struct cal_access r;
    step("access");
    rules_of("at first");
    rule(ACCESS_PERSON, "bob@acme.example", CAL_WRITE);
    rule(ACCESS_GROUP, "g@acme.example", CAL_NONE);
    rules_of("more and less");
    rule(ACCESS_DOMAIN, "acme.example", CAL_NONE);
    rule(ACCESS_ALL, "", CAL_NONE);
    rules_of("fewer");
    rule(ACCESS_PERSON, "bob@acme.example", CAL_NONE);
    rule(ACCESS_PERSON, "dan@acme.example", CAL_OWN);
    rules_of("another");
    story_say("  owner's: %d", cal_access_find(&tx, &ada, ACCESS_PERSON, "ada@acme.example", &r));
    story_say("  removed: %d %d", cal_access_find(&tx, &ada, ACCESS_ALL, "", &r), r.role);
    story_say("  none: %d", cal_access_find(&tx, &ada, ACCESS_PERSON, "zed@x.example", &r));
}

static void ends(void)
{
    struct calendar team,
        mine = {.owner = ada.owner, .summary = "Mine", .zone = "Asia/Tokyo", .location = "l"};
    struct cal_event ev, moved;
    struct actor who = actor("ada");
    step("a calendar");
    OK(calendar_add(&tx, &mine));
    step("an event moves to it");
    ev = event_in(&ada, "m");
    OK(cal_event_move(&tx, &(struct cal_event_by){&who, MAIL_ALL}, &ada, &ev, &mine, &moved));
    story_say("  %s %d", moved.key, moved.status);
    step("a series moves to it");
    ev = event_in(&ada, "weekly");
    OK(cal_event_move(&tx, &(struct cal_event_by){&who, MAIL_ALL}, &ada, &ev, &mine, &moved));
    step("and back");
    OK(calendar_by_id(&tx, mine.id, &mine));
    ev = event_in(&mine, "weekly");
    OK(cal_event_move(&tx, &(struct cal_event_by){&who, MAIL_ALL}, &mine, &ev, &ada, &moved));
    step("it is described");
    assert_int_equal(calendar_by_id(&tx, mine.id, &mine), 1);
    team = mine;
    team.summary = "Ours", team.description = "d", team.location = NULL, team.zone = "UTC",
    team.extra = "{}";
    OK(calendar_save(&tx, &mine, &team));
    step("it is deleted");
    assert_int_equal(calendar_by_id(&tx, mine.id, &mine), 1);
    OK(calendar_delete(&tx, &mine));
    story_say("  by key %d, by id %d", calendar_by_key(&tx, mine.key, &team),
              calendar_by_id(&tx, mine.id, &team));
    story_say("  gone %d", team.gone);
    step("ada's is emptied");
    OK(calendar_clear(&tx, &ada));
    step("the end");
}

static void the_story_of_a_calendar(void **s)
{
    story_begin();
    char more[sizeof EVENTS];
    for (size_t i = 0; i < sizeof more; i++)
        more[i] = EVENTS[i] == '\'' ? '"' : EVENTS[i];
    begin_with(more);
    letter_seen = tell_letter;
    single_events();
    series();
    mails();
    lists();
    access_to();
    ends();
    tell_wrong();
    story_end(subject == &acme ? "calendar-acme" : "calendar-globex");
    end(s);
}

static int open_engine(void **s)
{
    return test_open_engine_of(services);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_story_of_a_calendar)};
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        subject = i ? &globex : &acme;
        other = i ? &acme : &globex;
        failed += cmocka_run_group_tests_name(subject->name, tests, open_engine, test_close_engine);
    }
    return failed;
}
