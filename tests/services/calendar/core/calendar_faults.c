/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever changes calendars does all of it or fails: each call is made with its first write to the
 * calendars' tables refused, then with its second, and so on, until one succeeds. A call whose
 * write fails gives -1 with that failure, whichever function it is in. Once for each of two
 * vendors.
 */
#include "engine/service.h"
#include "identity/account.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>

/* ---- writes that fail ---- */

static int left;   /* writes until the one that fails; 0: none fails */
static bool fired; /* it did */

static void fault(sqlite3_context *ctx, int n, sqlite3_value **args)
{
    (void)n, (void)args;
    if (!left || --left)
        return;
    fired = true;
    sqlite3_result_error(ctx, "the write is refused", -1);
}

static void run(const char *sql)
{
    char *text = NULL;
    if (sqlite3_exec(slot_db(tx.db), sql, NULL, NULL, &text) != SQLITE_OK)
        fail_msg("%s: %s", sql, text);
}

static const char *const tables[] = {"cal_calendar", "cal_access", "cal_event", "cal_attendee"};
static const char *const acts[] = {"insert", "update", "delete"};

static void know_fault(void)
{
    assert_int_equal(sqlite3_create_function(slot_db(tx.db), "cal_fault", 0,
                                             SQLITE_UTF8 | SQLITE_INNOCUOUS, NULL, fault, NULL,
                                             NULL),
                     SQLITE_OK);
}

/* The world's tables are watched from here on. In a transaction of its own: after a rollback of one
 * that changed a schema everything is prepared anew. */
static void watch(void)
{
    char sql[200];
    know_fault();
    for (size_t i = 0; i < SOSIA_LEN(tables); i++)
        for (size_t k = 0; k < SOSIA_LEN(acts); k++) {
            snprintf(sql, sizeof sql,
                     "create trigger fault_%s_%s before %s on %s begin select cal_fault(); end",
                     tables[i], acts[k], acts[k], tables[i]);
            run(sql);
        }
    commit();
    begin_again();
    know_fault();
}

/* ---- what there is ---- */

static struct cal_event one, may, weekly, off;
static struct calendar team, group;
static struct cal_event_by ada_does, bob_does;
static struct actor ada_is, bob_is;

static struct cal_event of_weekly(const struct calendar *cal, int week)
{
    struct cal_event series = copy_in(cal, &weekly), ev;
    assert_int_equal(
        cal_event_instance(&tx, cal, &series, false, weekly.start_us + week * 168 * HOUR, &ev), 1);
    OK(cal_event_load_attendees(&tx, &ev));
    return ev;
}

static void prepare(void)
{
    team = (struct calendar){.owner = ada.owner, .summary = "Team"};
    group = (struct calendar){.key = "g" EMAIL, .summary = "Group"};
    ada_is = actor("ada"), bob_is = actor("bob");
    ada_does = (struct cal_event_by){&ada_is, MAIL_ALL, NULL};
    bob_does = (struct cal_event_by){&bob_is, MAIL_ALL, NULL};
    OK(calendar_add(&tx, &team));
    OK(calendar_add_group(&tx, subject->name, &group));
    OK(cal_access_set(
        &tx, &ada,
        &(struct cal_access){.kind = ACCESS_PERSON, .who = "cyd" EMAIL, .role = CAL_FREEBUSY}));
    one = added(draft("One", "bob dan x"));
    may = draft("May", "bob dan");
    may.rights = GUESTS_MODIFY;
    may = added(may);
    weekly = draft("Weekly", "bob dan cyd");
    weekly.recurrence = "RRULE:FREQ=WEEKLY;COUNT=6";
    weekly = added(weekly);
    struct cal_event was = of_weekly(&ada, 1), is = was;
    is.summary = "Second";
    OK(saved(&ada, &was, &is));
    was = is = of_weekly(&ada, 2);
    is.start_us += HOUR;
    is.n_attendees = 2; /* cyd is left out */
    OK(saved(&ada, &was, &is));
    struct cal_event theirs = of_weekly(&bob, 3);
    answer(&bob, &theirs, RESPONSE_ACCEPTED);
    weekly = again(&weekly);
    off = draft("Off", "");
    off.kind = KIND_AWAY, off.decline = DECLINE_ALL, off.decline_text = "Away";
}

/* ---- what is done ---- */

static int calendar_is_new(void)
{
    struct calendar mine = {.owner = ada.owner, .summary = "Mine"};
    return calendar_add(&tx, &mine);
}

static int calendar_is_a_groups(void)
{
    struct calendar its = {.key = "h" EMAIL, .summary = "Its"};
    return calendar_add_group(&tx, subject->name, &its);
}

static int calendar_is_main(void)
{
    struct account account = {
        .actor = ada.owner, .vendor = other->name, .service = "", .tenant = ""};
    struct calendar is = {.summary = "Second"};
    OK(account_new(&tx, &account));
    return calendar_add_main(&tx, &account, &ada_is, &is);
}

static int calendar_gets_a_key(void)
{
    struct calendar is = ada;
    return calendar_rekey(&tx, &is, "other@key.example");
}

static int calendar_changes(void)
{
    struct calendar is = team;
    is.description = "About";
    is.owner = bob.owner;
    return calendar_save(&tx, &team, &is);
}

static int calendar_ends(void)
{
    return calendar_delete(&tx, &ada);
}

static int rule_is_set(void)
{
    struct cal_access rule = {.kind = ACCESS_PERSON, .who = "bob" EMAIL, .role = CAL_READ};
    return cal_access_set(&tx, &ada, &rule);
}

static int rule_is_changed(void)
{
    struct cal_access rule = {.kind = ACCESS_PERSON, .who = "cyd" EMAIL, .role = CAL_NONE};
    return cal_access_set(&tx, &ada, &rule);
}

static int rule_is_dropped(void)
{
    struct cal_access rule = {.kind = ACCESS_PERSON, .who = "ada" EMAIL, .role = CAL_READ};
    const int was = left;
    left = 0;
    OK(cal_access_set(&tx, &team, &rule));
    left = was;
    return cal_access_drop_owner(&tx, &team);
}

static int event_is_new(void)
{
    struct cal_event ev = draft("New", "bob dan room g cyd x");
    return cal_event_add(&tx, &ada_does, &ada, &ev);
}

static int series_is_new(void)
{
    struct cal_event ev = draft("New", "bob all");
    ev.recurrence = "RRULE:FREQ=DAILY;COUNT=3";
    return cal_event_add(&tx, &ada_does, &ada, &ev);
}

static int absence_is_new(void)
{
    struct cal_event ev = off;
    return cal_event_add(&tx, &bob_does, &bob, &ev);
}

static int absence_declines_what_comes(void)
{
    struct cal_event ev = off, later = draft("Later", "bob cyd");
    const int was = left;
    left = 0;
    ev.decline = DECLINE_NEW;
    OK(cal_event_add(&tx, &bob_does, &bob, &ev));
    left = was;
    return cal_event_add(&tx, &ada_does, &ada, &later);
}

#define SAVES(name, by, cal, was_, ...)                                                            \
    static int name(void)                                                                          \
    {                                                                                              \
        struct cal_event was = was_, to = was;                                                     \
        __VA_ARGS__;                                                                               \
        return cal_event_save(&tx, by, cal, &was, &to);                                            \
    }

static void invite(struct cal_event *to, const char *names)
{
    struct cal_event with = draft("", names);
    to->attendees = with.attendees;
    to->n_attendees = with.n_attendees;
}

static void respond(const struct calendar *cal, struct cal_event *to, enum cal_response response)
{
    const struct cal_attendee *list = to->attendees;
    int self = cal_event_self(cal, to);
    assert_true(self >= 0);
    to->attendees = arena_calloc(tx.arena, (size_t)to->n_attendees, sizeof *list);
    memcpy(to->attendees, list, (size_t)to->n_attendees * sizeof *list);
    to->attendees[self].response = response;
}

SAVES(organizer_moves_it, &ada_does, &ada, one, to.start_us += HOUR)
SAVES(organizer_hides_it, &ada_does, &ada, one, to.visibility = VISIBLE_PRIVATE)
SAVES(organizer_invites_others, &ada_does, &ada, one, invite(&to, "bob cyd"))
SAVES(organizer_sets_a_reminder, &ada_does, &ada, one, to.reminders = "[]")
SAVES(series_changes, &ada_does, &ada, weekly, to.summary = "Each week", to.description = "Words")
SAVES(series_has_other_guests, &ada_does, &ada, weekly, invite(&to, "bob eve room"))
SAVES(series_is_later, &ada_does, &ada, weekly, to.start_us += HOUR)
SAVES(series_is_shorter, &ada_does, &ada, weekly, to.recurrence = "RRULE:FREQ=WEEKLY;COUNT=2")
SAVES(series_is_one_event, &ada_does, &ada, weekly, to.recurrence = NULL)
SAVES(series_is_cancelled, &ada_does, &ada, weekly, to.status = EVENT_CANCELLED)
SAVES(instance_changes, &ada_does, &ada, of_weekly(&ada, 4), to.location = "There")
SAVES(instance_changes_again, &ada_does, &ada, of_weekly(&ada, 1), to.location = "There")
SAVES(instance_is_cancelled, &ada_does, &ada, of_weekly(&ada, 1), to.status = EVENT_CANCELLED)
SAVES(guest_answers, &bob_does, &bob, copy_in(&bob, &one), respond(&bob, &to, RESPONSE_TENTATIVE))
SAVES(guest_answers_a_series, &bob_does, &bob, copy_in(&bob, &weekly),
      respond(&bob, &to, RESPONSE_TENTATIVE))
SAVES(guest_answers_an_instance, &bob_does, &bob, of_weekly(&bob, 4),
      respond(&bob, &to, RESPONSE_DECLINED))
SAVES(guest_of_the_other_vendor_answers, ALL, &dan, copy_in(&dan, &one),
      respond(&dan, &to, RESPONSE_ACCEPTED))
SAVES(guest_changes_the_copy, &bob_does, &bob, copy_in(&bob, &one), to.color = "4")
SAVES(guest_changes_an_instance, &bob_does, &bob, of_weekly(&bob, 4), to.color = "4")
SAVES(guest_invites, &bob_does, &bob, copy_in(&bob, &one), invite(&to, "bob dan x cyd"))
SAVES(guest_changes_it_for_all, &bob_does, &bob, copy_in(&bob, &may), to.summary = "All's")

static int series_is_restored(void)
{
    const int was = left;
    left = 0;
    struct cal_event old = weekly, to;
    OK(cal_event_cancel(&tx, ALL, &ada, &old));
    old = to = again(&weekly);
    to.status = EVENT_CONFIRMED;
    left = was;
    return cal_event_save(&tx, &ada_does, &ada, &old, &to);
}

static int guest_takes_the_series_back(void)
{
    const int was = left;
    left = 0;
    struct cal_event old = copy_in(&bob, &weekly), to;
    OK(cal_event_cancel(&tx, ALL, &bob, &old));
    old = to = copy_in(&bob, &weekly);
    to.status = EVENT_CONFIRMED;
    left = was;
    return cal_event_save(&tx, &bob_does, &bob, &old, &to);
}

#define CANCELS(name, by, cal, what)                                                               \
    static int name(void)                                                                          \
    {                                                                                              \
        struct cal_event ev = what;                                                                \
        return cal_event_cancel(&tx, by, cal, &ev);                                                \
    }

CANCELS(organizer_cancels, &ada_does, &ada, one)
CANCELS(organizer_cancels_a_series, &ada_does, &ada, weekly)
CANCELS(organizer_cancels_an_instance, &ada_does, &ada, of_weekly(&ada, 4))
CANCELS(guest_takes_it_away, &bob_does, &bob, copy_in(&bob, &one))
CANCELS(guest_takes_a_series_away, &bob_does, &bob, copy_in(&bob, &weekly))
CANCELS(guest_takes_an_instance_away, &bob_does, &bob, of_weekly(&bob, 5))
CANCELS(guest_takes_a_changed_one_away, &bob_does, &bob, of_weekly(&bob, 1))

/* What is declined already is taken away without an answer. */
static int guest_takes_what_is_declined_away(void)
{
    const int was = left;
    left = 0;
    struct cal_event ev = copy_in(&bob, &weekly);
    answer(&bob, &ev, RESPONSE_DECLINED);
    ev = of_weekly(&bob, 5);
    left = was;
    return cal_event_cancel(&tx, &bob_does, &bob, &ev);
}

static int calendar_is_emptied(void)
{
    return calendar_clear(&tx, &ada);
}

static int event_is_touched(void)
{
    return cal_event_touch(&tx, weekly.id);
}

static int instance_is_singled_out(void)
{
    struct cal_event ev = of_weekly(&ada, 4);
    return cal_event_single_out(&tx, &ev);
}

static int event_moves(void)
{
    struct cal_event ev = one, moved;
    return cal_event_move(&tx, &ada_does, &ada, &ev, &team, &moved);
}

static int series_moves(void)
{
    struct cal_event ev = weekly, moved;
    return cal_event_move(&tx, &ada_does, &ada, &ev, &team, &moved);
}

static int event_moves_to_a_guest(void)
{
    struct cal_event ev = weekly, moved;
    return cal_event_move(&tx, &ada_does, &ada, &ev, &bob, &moved);
}

/* ---- by mail ---- */

static int mailed(const char *who, const char *method, const char *lines, bool sent)
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

#define FAR "UID:far@port.example\r\nORGANIZER:mailto:fab@port.example\r\n"
#define LONE                                                                                       \
    FAR "RECURRENCE-ID:20260321T090000Z\r\nSUMMARY:Lone\r\nATTENDEE:mailto:bob" EMAIL "\r\n"
#define DAILY FAR "RRULE:FREQ=DAILY;COUNT=3\r\nSUMMARY:Far\r\nATTENDEE:mailto:bob" EMAIL "\r\n"

static void came(const char *lines)
{
    const int was = left;
    left = 0;
    OK(mailed("bob", "REQUEST", lines, false));
    left = was;
}

static int mail_invites(void)
{
    return mailed("bob", "REQUEST", DAILY, false);
}

static int mail_brings_the_series_of_an_instance(void)
{
    came(LONE);
    return mailed("bob", "REQUEST", DAILY, false);
}

static int mail_changes_it(void)
{
    came(DAILY);
    return mailed("bob", "REQUEST", DAILY "SEQUENCE:2\r\nLOCATION:There\r\n", false);
}

static int mail_cancels_it(void)
{
    came(DAILY);
    came(LONE "SEQUENCE:1\r\n");
    return mailed("bob", "CANCEL", DAILY "SEQUENCE:3\r\n", false);
}

static int mail_answers(void)
{
    return mailed("ada", "REPLY",
                  arena_printf(tx.arena,
                               "UID:%s\r\nORGANIZER:mailto:ada" EMAIL
                               "\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:x" EMAIL "\r\n",
                               one.uid),
                  false);
}

static int answer_was_sent(void)
{
    came(DAILY);
    return mailed("bob", "REPLY", FAR "ATTENDEE;PARTSTAT=DECLINED:mailto:bob" EMAIL "\r\n", true);
}

/* ---- all of it ---- */

#define STEP(fn)                                                                                   \
    {                                                                                              \
#fn, fn                                                                                    \
    }
static const struct {
    const char *name;
    int (*fn)(void);
} steps[] = {
    STEP(calendar_is_new),
    STEP(calendar_is_a_groups),
    STEP(calendar_is_main),
    STEP(calendar_gets_a_key),
    STEP(calendar_changes),
    STEP(calendar_ends),
    STEP(calendar_is_emptied),
    STEP(rule_is_set),
    STEP(rule_is_changed),
    STEP(rule_is_dropped),
    STEP(event_is_new),
    STEP(series_is_new),
    STEP(absence_is_new),
    STEP(absence_declines_what_comes),
    STEP(organizer_moves_it),
    STEP(organizer_hides_it),
    STEP(organizer_invites_others),
    STEP(organizer_sets_a_reminder),
    STEP(series_changes),
    STEP(series_has_other_guests),
    STEP(series_is_later),
    STEP(series_is_shorter),
    STEP(series_is_one_event),
    STEP(series_is_cancelled),
    STEP(series_is_restored),
    STEP(instance_changes),
    STEP(instance_changes_again),
    STEP(instance_is_cancelled),
    STEP(guest_answers),
    STEP(guest_answers_a_series),
    STEP(guest_answers_an_instance),
    STEP(guest_of_the_other_vendor_answers),
    STEP(guest_changes_the_copy),
    STEP(guest_changes_an_instance),
    STEP(guest_invites),
    STEP(guest_changes_it_for_all),
    STEP(guest_takes_the_series_back),
    STEP(organizer_cancels),
    STEP(organizer_cancels_a_series),
    STEP(organizer_cancels_an_instance),
    STEP(guest_takes_it_away),
    STEP(guest_takes_a_series_away),
    STEP(guest_takes_an_instance_away),
    STEP(guest_takes_a_changed_one_away),
    STEP(guest_takes_what_is_declined_away),
    STEP(event_is_touched),
    STEP(instance_is_singled_out),
    STEP(event_moves),
    STEP(series_moves),
    STEP(event_moves_to_a_guest),
    STEP(mail_invites),
    STEP(mail_brings_the_series_of_an_instance),
    STEP(mail_changes_it),
    STEP(mail_cancels_it),
    STEP(mail_answers),
    STEP(answer_was_sent),
};

/* With its nth write refused. true: it has no more than n - 1. */
static bool tried(size_t step, int n)
{
    const struct tx_mark *mark = tx_mark(&tx);
    run("savepoint step");
    left = n, fired = false;
    int r = steps[step].fn();
    left = 0;
    if (fired && (r != -1 || !strstr(tx.err->text, "the write is refused")))
        fail_msg("%s: its write %d fails and it gives %d, \"%s\"", steps[step].name, n, r,
                 tx.err->text);
    if (!fired && r != 0)
        fail_msg("%s: %d, %s", steps[step].name, r, tx.err->text);
    *tx.err = (struct sosia_err){0};
    run("rollback to step; release step");
    tx_back(&tx, mark);
    return !fired;
}

static void a_write_that_fails_is_a_failure_of_the_call(void **state)
{
    (void)state;
    begin_with(",\"groups\":[{\"email\":\"all@acme.example\",\"members\":[\"cyd@acme.example\","
               "\"bob@acme.example\"]}]");
    watch();
    prepare();
    for (size_t i = 0; i < SOSIA_LEN(steps); i++) {
        int n = 1;
        while (!tried(i, n))
            n++;
        if (n == 1 && (steps[i].fn != guest_invites || subject->guests_invite))
            fail_msg("%s writes nothing", steps[i].name);
    }
    end(NULL);
}

static int open_engine(void **state)
{
    (void)state;
    return test_open_engine_of(services);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_that_fails_is_a_failure_of_the_call)};
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        subject = i ? &globex : &acme;
        other = i ? &acme : &globex;
        failed += cmocka_run_group_tests_name(subject->name, tests, open_engine, test_close_engine);
    }
    return failed;
}
