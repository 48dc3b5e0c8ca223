/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that make no sense, which no caller makes: a calendar in a zone that there is not, a series
 * whose rule can't be read. Each call that needs one fails with what is wrong, whichever function
 * reads it; those that do not need it go on. Once for each of two vendors.
 */
#include "engine/service.h"
#include "engine/world/engine.h"
#include "identity/account.h"
#include "services/calendar/core/event/series.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/core/show.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

static void run(const char *sql)
{
    char *text = NULL;
    if (sqlite3_exec(slot_db(tx.db), sql, NULL, NULL, &text) != SQLITE_OK)
        fail_msg("%s: %s", sql, text);
}

static const char *wrong; /* what the error says */

/* A call that fails with it; what it has done until then is taken back. */
#define BROKEN(call)                                                                               \
    do {                                                                                           \
        const struct tx_mark *mark_ = tx_mark(&tx);                                                \
        run("savepoint here");                                                                     \
        int r_ = (call);                                                                           \
        if (r_ != -1 || !*tx.err->text || !strstr(tx.err->text, wrong))                            \
            fail_msg("%s: %d, %s", #call, r_, tx.err->text);                                       \
        *tx.err = (struct sosia_err){0};                                                           \
        run("rollback to here; release here");                                                     \
        tx_back(&tx, mark_);                                                                       \
    } while (0)
/* One that does not meet it. */
#define WHOLE(call)                                                                                \
    do {                                                                                           \
        const struct tx_mark *mark_ = tx_mark(&tx);                                                \
        run("savepoint here");                                                                     \
        int r_ = (call);                                                                           \
        if (r_ < 0)                                                                                \
            fail_msg("%s: %s", #call, tx.err->text);                                               \
        run("rollback to here; release here");                                                     \
        tx_back(&tx, mark_);                                                                       \
    } while (0)

/* ---- what there is ---- */

static struct cal_event one, weekly, second, bobs, bobs_weekly;
static struct calendar team, group;
static struct actor ada_is, bob_is;
static struct account adas;
static struct cal_event_by by_ada, by_bob;

static void prepare(void)
{
    team = (struct calendar){.owner = ada.owner, .summary = "Team"};
    group = (struct calendar){.key = "g" EMAIL, .summary = "Group"};
    ada_is = actor("ada"), bob_is = actor("bob");
    by_ada = (struct cal_event_by){&ada_is, MAIL_ALL, NULL};
    by_bob = (struct cal_event_by){&bob_is, MAIL_ALL, NULL};
    OK(calendar_add(&tx, &team));
    OK(calendar_add_group(&tx, subject->name, &group));
    OK(account_at(&tx, ada.owner, subject->name, ACCOUNT_CALENDAR, &adas));
    OK(cal_access_set(
        &tx, &ada,
        &(struct cal_access){.kind = ACCESS_PERSON, .who = "bob" EMAIL, .role = CAL_READ}));
    one = added(draft("One", "bob dan"));
    weekly = draft("Weekly", "bob dan");
    weekly.recurrence = "RRULE:FREQ=WEEKLY;COUNT=6";
    weekly = added(weekly);
    struct cal_event was, is;
    assert_int_equal(cal_event_instance(&tx, &ada, &weekly, false, NOON + 168 * HOUR, &was), 1);
    OK(cal_event_load_attendees(&tx, &was));
    is = was;
    is.summary = "Second";
    OK(saved(&ada, &was, &is));
    second = again(&is);
    weekly = again(&weekly);
    bobs = copy_in(&bob, &one);
    bobs_weekly = copy_in(&bob, &weekly);
}

static int set_up(void **state)
{
    (void)state;
    begin_with("");
    prepare();
    damaged = true;
    return 0;
}

/* ---- calls ---- */

static int nothing(void *arg, struct cal_event *ev, const struct record *row)
{
    (void)arg, (void)ev, (void)row;
    return 0;
}

static int listed(const struct calendar *cal, struct cal_event_query q)
{
    const char *position;
    return cal_event_list(&tx, cal, &q, nothing, NULL, &position);
}

static int busy(const struct calendar *cal)
{
    struct busy *list;
    size_t n;
    return freebusy_list(&tx, cal, NOON - HOUR, NOON + 400 * HOUR, &list, &n);
}

static int collides(int64_t calendar, const struct cal_event *ev)
{
    bool meets;
    return cal_event_collides(&tx, calendar, ev, &meets);
}

static int saves(const struct cal_event_by *by, const struct calendar *cal, struct cal_event was,
                 struct cal_event is)
{
    return cal_event_save(&tx, by, cal, &was, &is);
}

static int cancels(const struct cal_event_by *by, const struct calendar *cal, struct cal_event ev)
{
    return cal_event_cancel(&tx, by, cal, &ev);
}

static int adds(const struct cal_event_by *by, const struct calendar *cal, struct cal_event ev)
{
    return cal_event_add(&tx, by, cal, &ev);
}

static int moves(const struct calendar *from, struct cal_event ev, const struct calendar *to)
{
    struct cal_event is;
    return cal_event_move(&tx, &by_ada, from, &ev, to, &is);
}

static struct cal_event answered(const struct calendar *cal, struct cal_event ev)
{
    const struct cal_attendee *list = ev.attendees;
    int self = cal_event_self(cal, &ev);
    assert_true(self >= 0);
    ev.attendees = arena_calloc(tx.arena, (size_t)ev.n_attendees, sizeof *list);
    memcpy(ev.attendees, list, (size_t)ev.n_attendees * sizeof *list);
    ev.attendees[self].response = RESPONSE_ACCEPTED;
    return ev;
}

static struct cal_event with(struct cal_event ev, const char *summary, int64_t later_us)
{
    ev.summary = summary;
    ev.start_us += later_us;
    return ev;
}

static int written(const char *table, int way, int64_t id)
{
    for (size_t i = 0; i < calendar_core.n_entities; i++) {
        const struct entity *e = &calendar_core.entities[i];
        if (strcmp(e->table, table) != 0)
            continue;
        struct json_writer w;
        struct buf b;
        const char *vendor;
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        int r = way == 0   ? e->key(&tx, id, &w)
                : way == 1 ? e->dump(&tx, id, &w)
                : way == 2 ? e->plain(&tx, id, &w)
                           : e->vendor(&tx, id, &vendor);
        buf_done(&b);
        return r;
    }
    fail_msg("no entity of %s", table);
    return -1;
}
enum { KEY, DUMP, PLAIN, VENDOR };

static int dumped(void)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    int r = calendars_dump(&tx, &w);
    buf_done(&b);
    return r;
}

static int searched(const char *text)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    int r = cal_found(&tx, text, 10, &w);
    buf_done(&b);
    return r;
}

static int mailed(const char *who, bool sent, const char *method, const char *lines)
{
    const char *text = arena_printf(tx.arena,
                                    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:%s\r\n"
                                    "BEGIN:VEVENT\r\nDTSTART:20260320T090000Z\r\n%sEND:VEVENT\r\n"
                                    "END:VCALENDAR\r\n",
                                    method, lines);
    struct invitation in = {.text = text, .len = strlen(text), .sent = sent};
    struct actor a = actor(who);
    return calendar_take(&tx, &a, &in);
}

/* ---- a calendar without a zone ---- */

static void without_zone(const struct calendar *cal)
{
    run(arena_printf(tx.arena, "update cal_calendar set zone = 'Nowhere' where id = %lld",
                     (long long)cal->id));
}

static void finding_a_calendar_without_a_zone(void **state)
{
    (void)state;
    struct calendar cal, is = ada;
    struct cal_access rule;
    without_zone(&ada);
    wrong = "has no zone \"Nowhere\"";
    BROKEN(calendar_by_id(&tx, ada.id, &cal));
    BROKEN(calendar_by_key(&tx, ada.key, &cal));
    BROKEN(calendar_of(&tx, ada.owner, &cal));
    BROKEN(calendar_of_account(&tx, adas.id, &cal));
    BROKEN(calendar_of_account_row(&tx, &adas, &cal));
    BROKEN(calendar_by_address(&tx, "ada" EMAIL, &cal));
    BROKEN(calendar_of_group(&tx, ada.key, &cal));
    BROKEN(calendar_open(&tx, &bob_is, ada.key, CAL_READ, &cal));
    BROKEN(calendar_next(&tx, &adas, 0, &cal));
    BROKEN(calendar_rekey(&tx, &is, ada.key));
    BROKEN(calendar_add(&tx, &(struct calendar){.owner = ada.owner, .summary = "New"}));
    BROKEN(calendar_add(
        &tx, &(struct calendar){.owner = ada.owner, .account = adas.id, .summary = "New"}));
    WHOLE(calendar_add(&tx, &(struct calendar){.owner = bob.owner, .summary = "New"}));
    is = team;
    is.owner = bob.owner;
    WHOLE(calendar_save(&tx, &team, &is));
    struct calendar theirs = team;
    theirs.owner = bob.owner;
    is.owner = ada.owner;
    BROKEN(calendar_save(&tx, &theirs, &is)); /* to the account of the new owner */
    WHOLE(cal_access_find(&tx, &ada, ACCESS_PERSON, "bob" EMAIL, &rule));
    BROKEN(written("cal_access", KEY, rule.id));
    WHOLE(written("cal_access", DUMP, rule.id));
    BROKEN(written("cal_access", VENDOR, rule.id));
    for (int way = KEY; way <= DUMP; way++)
        BROKEN(written("cal_calendar", way, ada.id));
    BROKEN(written("cal_calendar", VENDOR, ada.id));
    for (int way = KEY; way <= VENDOR; way++) {
        BROKEN(written("cal_event", way, one.id));
        WHOLE(written("cal_event", way == DUMP ? KEY : way, bobs.id));
    }
    BROKEN(written("cal_event", DUMP, bobs.id)); /* what it has otherwise than ada's */
    BROKEN(dumped());
    BROKEN(searched("One"));
    WHOLE(searched("None"));
}

static void events_of_a_calendar_without_a_zone(void **state)
{
    (void)state;
    struct cal_event instance, probe = draft("Probe", "");
    const struct cal_event more = draft("", "bob dan cyd");
    assert_int_equal(
        cal_event_instance(&tx, &bob, &bobs_weekly, false, NOON + 336 * HOUR, &instance), 1);
    OK(cal_event_load_attendees(&tx, &instance));
    without_zone(&ada);
    wrong = "has no zone \"Nowhere\"";
    probe.calendar = bob.id, probe.key = "probe";
    BROKEN(collides(ada.id, &probe));
    WHOLE(collides(bob.id, &probe));
    probe.calendar = ada.id;
    BROKEN(collides(bob.id, &probe));
    /* An organizer's: copies are made of the calendar as it is stored. */
    WHOLE(adds(&by_ada, &ada, draft("Alone", "")));
    BROKEN(adds(&by_ada, &ada, draft("New", "bob")));
    BROKEN(saves(&by_ada, &ada, one, with(one, "Other", 0)));
    BROKEN(saves(&by_ada, &ada, weekly, with(weekly, "Other", 0)));
    BROKEN(saves(&by_ada, &ada, weekly, with(weekly, "Weekly", HOUR)));
    BROKEN(saves(&by_ada, &ada, second, with(second, "Other", 0)));
    BROKEN(cancels(&by_ada, &ada, one));
    BROKEN(cancels(&by_ada, &ada, weekly));
    BROKEN(calendar_clear(&tx, &ada));
    BROKEN(calendar_delete(&tx, &ada));
    /* A guest's: the organizer's calendar is looked at. */
    BROKEN(saves(&by_bob, &bob, bobs, answered(&bob, bobs)));
    BROKEN(saves(&by_bob, &bob, instance, answered(&bob, instance)));
    BROKEN(saves(&by_bob, &bob, instance, with(instance, "Mine", 0)));
    BROKEN(cancels(&by_bob, &bob, bobs));
    BROKEN(cancels(&by_bob, &bob, instance));
    struct cal_event invites = bobs;
    invites.attendees = more.attendees, invites.n_attendees = more.n_attendees;
    BROKEN(saves(&by_bob, &bob, bobs, invites));
    struct cal_event own = bobs;
    own.color = "4";
    WHOLE(saves(&by_bob, &bob, bobs, own)); /* that is bob's own */
    /* By mail. */
    BROKEN(mailed("ada", false, "REQUEST",
                  "UID:far@port.example\r\nORGANIZER:mailto:fab@port.example\r\n"));
    BROKEN(mailed("bob", false, "REPLY",
                  arena_printf(tx.arena,
                               "UID:%s\r\nORGANIZER:mailto:ada" EMAIL
                               "\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:bob" EMAIL "\r\n",
                               one.uid)));
}

/* The calendar of a guest, where an address may lead to one of several. */
static void guests_whose_calendar_has_no_zone(void **state)
{
    (void)state;
    struct calendar was = team;
    without_zone(&bob);
    wrong = "has no zone \"Nowhere\"";
    BROKEN(adds(&by_ada, &ada, draft("New", "bob")));
    BROKEN(saves(&by_ada, &ada, one, with(one, "Other", 0)));
    BROKEN(saves(&by_ada, &ada, second, with(second, "Other", 0)));
    BROKEN(moves(&ada, one, &team));
    BROKEN(moves(&ada, weekly, &team));
    BROKEN(moves(&ada, one, &bob));
    BROKEN(mailed("bob", false, "REQUEST",
                  "UID:far@port.example\r\nORGANIZER:mailto:fab@port.example\r\n"));
    WHOLE(adds(&by_ada, &ada, draft("New", "cyd")));
    WHOLE(moves(&ada, added(draft("Alone", "")), &was));
}

/* ---- a series that can't be read ---- */

static void a_rule_that_cant_be_read(void **state)
{
    (void)state;
    const struct calendar *const both[] = {&ada, &bob};
    const struct cal_event *const series[] = {&weekly, &bobs_weekly};
    for (int i = 0; i < 2; i++) {
        const struct calendar *cal = both[i];
        struct cal_event ev, is, broken_one;
        struct cal_event_query q = everything();
        run("savepoint whole");
        run(arena_printf(tx.arena, "update cal_event set recurrence = 'RRULE:X' where id = %lld",
                         (long long)series[i]->id));
        wrong = "";
        assert_int_equal(cal_event_by_id(&tx, series[i]->id, &broken_one), 1);
        OK(cal_event_load_attendees(&tx, &broken_one));
        WHOLE(listed(cal, q)); /* as one it is a row like others */
        for (int way = 0; way < 16; way++) {
            q = everything();
            q.single = way & 1 || !(way & 8);
            q.order = way & 2 ? ORDER_UPDATE : ORDER_START;
            q.changed = way & 4 ? 0 : -1;
            q.max_us = way & 8 ? NOON + 2000 * HOUR : INT64_MAX;
            BROKEN(listed(cal, q));
        }
        q = everything(), q.updated_min_us = 1, q.single = true, q.order = ORDER_UPDATE;
        BROKEN(listed(cal, q));
        q = everything(), q.series = &broken_one;
        BROKEN(listed(cal, q));
        q = everything(), q.uid = weekly.uid, q.single = true;
        BROKEN(listed(cal, q));
        q = everything(), q.uid = weekly.uid, q.max_us = NOON + HOUR;
        BROKEN(listed(cal, q));
        BROKEN(busy(cal));
        struct cal_event probe = draft("Probe", "");
        probe.calendar = cyd.id, probe.key = "probe";
        BROKEN(collides(cal->id, &probe));
        probe.form = EVENT_SERIES, probe.recurrence = "RRULE:FREQ=DAILY;COUNT=3";
        BROKEN(collides(cal->id, &probe));
        probe.recurrence = "RRULE:X";
        BROKEN(collides(cyd.id, &probe));
        BROKEN(cal_event_instance(&tx, cal, &broken_one, false, NOON, &ev));
        WHOLE(cal_event_instance(&tx, cal, &broken_one, false, NOON + 168 * HOUR, &ev));
        BROKEN(mailed(i ? "bob" : "ada", true, "REPLY",
                      arena_printf(tx.arena,
                                   "UID:%s\r\nRECURRENCE-ID:20260320T120000Z\r\n"
                                   "ORGANIZER:mailto:fab@port.example\r\n"
                                   "ATTENDEE;PARTSTAT=ACCEPTED:mailto:bob" EMAIL "\r\n",
                                   weekly.uid)));
        for (int m = 0; m < 2; m++)
            BROKEN(mailed(i ? "bob" : "ada", false, m ? "CANCEL" : "REQUEST",
                          arena_printf(tx.arena,
                                       "UID:%s\r\nRECURRENCE-ID:20260320T120000Z\r\n"
                                       "ORGANIZER:mailto:fab@port.example\r\n",
                                       weekly.uid)));
        if (i == 0)
            BROKEN(mailed("ada", false, "REPLY",
                          arena_printf(tx.arena,
                                       "UID:%s\r\nRECURRENCE-ID:20260320T120000Z\r\n"
                                       "ORGANIZER:mailto:ada" EMAIL
                                       "\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:bob" EMAIL "\r\n",
                                       weekly.uid)));
        /* An absence looks for what it declines. */
        struct cal_event off = draft("Off", "");
        off.kind = KIND_AWAY, off.decline = DECLINE_ALL;
        BROKEN(adds(ALL, cal, off));
        off.decline = DECLINE_NEW;
        WHOLE(adds(ALL, cal, off));
        /* A change that leaves the rule as it is does not read it, unless instances differ. */
        is = broken_one;
        is.start_us += HOUR;
        BROKEN(saves(ALL, cal, broken_one, is));
        is = broken_one;
        is.summary = "Other";
        if (i == 0)
            BROKEN(saves(ALL, cal, broken_one, is));
        if (i == 0)
            BROKEN(written("cal_event", DUMP, second.id));
        BROKEN(calendar_core.check(&tx));
        run("rollback to whole; release whole");
    }
}

/* An event has the guests that there are, however many it counts. */
static void guests_that_are_counted_and_not_there(void **state)
{
    (void)state;
    struct cal_event ev;
    run(arena_printf(tx.arena, "delete from cal_attendee where event = %lld and email like 'bob%%'",
                     (long long)one.id));
    assert_int_equal(cal_event_by_id(&tx, one.id, &ev), 1);
    assert_int_equal(ev.n_attendees, 2);
    OK(cal_event_load_attendees(&tx, &ev));
    assert_int_equal(ev.n_attendees, 1);
    assert_string_equal(ev.attendees[0].email, "dan" EMAIL);
    run("update cal_event set n_attendees = 0");
    assert_int_equal(cal_event_by_id(&tx, one.id, &ev), 1);
    OK(cal_event_load_attendees(&tx, &ev));
    assert_int_equal(ev.n_attendees, 0);
    assert_non_null(ev.attendees);
}

/* Series that can't be read, from outside. */
static void what_programs_are_shown_of_it(void **state)
{
    (void)state;
    const struct cal_shown asked = {
        .actor = "ada" EMAIL, .from_us = NOON - HOUR, .to_us = NOON + 400 * HOUR};
    struct sosia_blob blob;
    run("update cal_event set recurrence = 'RRULE:X' where recurrence is not null");
    commit();
    assert_int_equal(cal_show_events(test_engine, test_world, &asked, &blob, &test_err), -1);
    assert_int_not_equal(test_err.code, SOSIA_E_OK);
    test_err = (struct sosia_err){0};
    assert_int_equal(cal_show_calendars(test_engine, test_world, &asked, &blob, &test_err), 0);
    sosia_blob_free(&blob);
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &test_err), -1);
    test_err = (struct sosia_err){0};
    begin_again();
    run("update cal_calendar set zone = 'Nowhere' where main = 0");
    commit();
    assert_int_equal(cal_show_calendars(test_engine, test_world, &asked, &blob, &test_err), -1);
    assert_non_null(strstr(test_err.text, "has no zone"));
    assert_int_equal(cal_show_events(test_engine, test_world, &asked, &blob, &test_err), -1);
    test_err = (struct sosia_err){0};
    begin_again();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(finding_a_calendar_without_a_zone, set_up, end),
    cmocka_unit_test_setup_teardown(events_of_a_calendar_without_a_zone, set_up, end),
    cmocka_unit_test_setup_teardown(guests_whose_calendar_has_no_zone, set_up, end),
    cmocka_unit_test_setup_teardown(a_rule_that_cant_be_read, set_up, end),
    cmocka_unit_test_setup_teardown(guests_that_are_counted_and_not_there, set_up, end),
    cmocka_unit_test_setup_teardown(what_programs_are_shown_of_it, set_up, end),
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
