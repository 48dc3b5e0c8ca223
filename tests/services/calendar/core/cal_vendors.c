/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/calendar/core/cal_vendors.h"
#include "engine/service.h"
#include "engine/world/engine.h"
#include "identity/account.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <sqlite3.h>
#include <stdio.h>

/* ---- vendors ---- */

static const char *acme_uid(struct tx *t, const char *key)
{
    return arena_printf(t->arena, "%s@acme.example", key);
}

static const char *globex_uid(struct tx *t, const char *key)
{
    return arena_printf(t->arena, "0400%s", key);
}

static const char *globex_key(struct tx *t, const char *uid)
{
    return arena_printf(t->arena, "g%zu", strlen(uid));
}

bool refuses_mail; /* the person's setting */

static int lets_in(struct tx *t, const struct actor *who, bool known)
{
    return known || !refuses_mail;
}

const struct cal_vendor acme = {
    .name = "acme",
    .uid = acme_uid,
    .key = cal_event_uid_key,
    .address_keys = true,
    .calendar_end = "@group.acme.example",
    .kind_words = {[KIND_AWAY] = "Absent"},
    .day_reminders = "[]",
    .guests_never = PART_RIGHTS,
    .guests_all = PARTS_SHARED & ~(unsigned)PART_STATUS,
    .guests_invite = true,
    .copy_time = COPY_BLOCKS,
    .lets_in = lets_in,
};

const struct cal_vendor globex = {
    .name = "globex",
    .uid = globex_uid,
    .key = globex_key,
    .kind_words = {[KIND_AWAY] = "Absent"},
    .guests_never = PART_RIGHTS | PART_TIME,
    .guests_all = PART_SUMMARY,
    .copy_time = COPY_ANSWERED,
    .lets_in = lets_in,
};

int make_calendar(struct tx *t, const struct account *account, const struct actor *who)
{
    struct calendar cal = {.summary = who->name};
    return calendar_add_main(t, account, who, &cal);
}

static const struct provision provisions[] = {
    {"acme", ACCOUNT_CALENDAR, "person resource", true, make_calendar},
    {"globex", ACCOUNT_CALENDAR, NULL, false, make_calendar},
    {NULL, 0, NULL, false, NULL}};
static const struct core_policy policies[] = {
    {CALENDAR_CORE, "acme", &acme}, {CALENDAR_CORE, "globex", &globex}, {0}};
void (*letter_seen)(const struct letter *l);

static int take_letter(struct tx *t, const struct letter *l, const char **ret_rest)
{
    if (letter_seen)
        letter_seen(l);
    *ret_rest = "";
    return 0;
}

void (*events_seen)(const struct world_event *first);

static int see_events(struct tx *t, const struct world_event *first)
{
    (void)t;
    if (events_seen)
        events_seen(first);
    return 0;
}

static const struct sosia_core vendors = {.name = "vendors",
                                          .provisions = provisions,
                                          .policies = policies,
                                          .letter = take_letter,
                                          .events = see_events};
static const struct sosia_core *const cores[] = {&identity_core, &calendar_core, &vendors, NULL};
static const struct sosia_service service = {.name = "test", .cores = cores};
const struct sosia_service *const services[] = {&service, NULL};

const struct cal_vendor *subject, *other;

/* ---- what always holds ---- */

bool damaged;

static const char *const never[][2] = {
    {"a guest is kept with a copy",
     "select a.id from cal_attendee a join cal_event e on e.id = a.event where e.origin is not "
     "null"},
    {"guests are counted otherwise than they are",
     "select e.id from cal_event e where e.origin is null and e.n_attendees <> (select count(*) "
     "from cal_attendee a where a.event = e.id)"},
    {"a copy counts other guests than its origin",
     "select e.id from cal_event e join cal_event o on o.id = e.origin where e.status <> 2 and "
     "e.n_attendees <> o.n_attendees"},
    {"a guest is there twice",
     "select event from cal_attendee group by event, email having count(*) > 1"},
    {"a series counts other changed instances than it has",
     "select e.id from cal_event e where e.n_instances <> (select count(*) from cal_event i where "
     "i.master = e.id)"},
    {"an instance has another time of change than its series",
     "select i.id from cal_event i join cal_event m on m.id = i.master where i.updated_us <> "
     "m.updated_us or i.change < m.change"},
    {"a calendar's newest change is not the newest",
     "select c.id from cal_calendar c where not c.gone and c.newest < (select max(e.change) from "
     "cal_event e where e.calendar = c.id)"},
    {"a copy of a copy", "select e.id from cal_event e join cal_event o on o.id = e.origin where "
                         "o.origin is not null or o.calendar = e.calendar"},
    {"an instance lies in another calendar than its series",
     "select i.id from cal_event i join cal_event m on m.id = i.master where i.calendar <> "
     "m.calendar or m.form <> 1"},
};

static int seen(void *arg, int n, char **values, char **names)
{
    fail_msg("%s: %s", (const char *)arg, n && values[0] ? values[0] : "");
    return 1;
}

static void none(const char *what, const char *query)
{
    char *text = NULL;
    if (sqlite3_exec(slot_db(tx.db), query, seen, (void *)(uintptr_t)what, &text) != SQLITE_OK)
        fail_msg("%s: %s", query, text);
}

void cal_sound(void)
{
    for (const struct core_rule *rule = calendar_core.rules; rule->table; rule++)
        none(rule->broken,
             arena_printf(tx.arena, "select rowid from %s where %s", rule->table, rule->broken));
    for (size_t i = 0; i < SOSIA_LEN(never); i++)
        none(never[i][0], never[i][1]);
    assert_int_equal(calendar_core.check(&tx), 0);
}

/* ---- a world ---- */

static struct worker *worker;
static struct world *world;
struct tx tx;
struct calendar ada, bob, cyd, dan, room;

struct actor actor(const char *name)
{
    struct actor a;
    assert_int_equal(actor_by_email(&tx, arena_printf(tx.arena, "%s" EMAIL, name), &a), 1);
    return a;
}

struct calendar calendar(const char *name)
{
    struct actor a = actor(name);
    struct calendar cal;
    assert_int_equal(calendar_of(&tx, a.id, &cal), 1);
    cal.role = CAL_OWN;
    return cal;
}

static void begin_tx(void)
{
    assert_int_equal(tx_begin(&tx, test_engine, world, worker, true, world_now(world), &test_err),
                     0);
    ada = calendar("ada");
    bob = calendar("bob");
    cyd = calendar("cyd");
    dan = calendar("dan");
    room = calendar("room");
}

void begin_with(const char *more)
{
    static char doc[16384];
    snprintf(doc, sizeof doc,
             "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\",\"organizations\":[{\"domain\":"
             "\"acme.example\"}],\"people\":[{\"email\":\"ada" EMAIL "\"},{\"email\":\"bob" EMAIL
             "\"},{\"email\":\"cyd" EMAIL "\"},{\"email\":\"dan" EMAIL "\"},{\"email\":\"room" EMAIL
             "\",\"name\":\"Aula\",\"kind\":\"resource\"}],\"accounts\":[{\"actor\":\"ada" EMAIL
             "\",\"vendor\":\"%s\"},{\"actor\":\"bob" EMAIL "\",\"vendor\":\"%s\"},"
             "{\"actor\":\"cyd" EMAIL "\",\"vendor\":\"%s\"},{\"actor\":\"dan" EMAIL
             "\",\"vendor\":\"%s\"},{\"actor\":\"room" EMAIL "\",\"vendor\":\"%s\"}]%s}",
             subject->name, subject->name, subject->name, other->name, subject->name, more);
    refuses_mail = false;
    letter_seen = NULL;
    test_world = test_world_of(doc);
    worker = worker_take(test_engine, &test_err);
    assert_non_null(worker);
    arena_reset(&worker->arena);
    world = world_take(test_engine, test_world, &test_err);
    assert_non_null(world);
    begin_tx();
}

int begin(void **state)
{
    begin_with("");
    return 0;
}

void commit(void)
{
    assert_int_equal(events_deliver(&tx), 0);
    assert_int_equal(tx_commit(&tx), 0);
    world_drop(world);
}

void begin_again(void)
{
    world = world_take(test_engine, test_world, &test_err);
    assert_non_null(world);
    begin_tx();
}

int end(void **state)
{
    if (!damaged)
        cal_sound();
    damaged = false;
    tx_rollback(&tx);
    world_drop(world);
    worker_drop(worker);
    return sosia_world_drop(test_engine, test_world, &test_err);
}

/* An hour at noon; guests: names, separated by spaces. */
struct cal_event draft(const char *summary, const char *guests)
{
    struct cal_event ev = {.summary = summary, .start_us = NOON, .len_us = HOUR, .zone = "UTC"};
    char name[16];
    int at = 0, n;
    ev.attendees = arena_calloc(tx.arena, 8, sizeof *ev.attendees);
    for (; sscanf(guests + at, "%15s%n", name, &n) == 1; at += n)
        ev.attendees[ev.n_attendees++] = (struct cal_attendee){
            .email = arena_printf(tx.arena, "%s" EMAIL, name), .response = RESPONSE_NONE};
    return ev;
}

struct cal_event added(struct cal_event ev)
{
    OK(cal_event_add(&tx, ALL, &ada, &ev));
    return ev;
}

/* What a calendar has of an event of ada's; the test fails without. */
struct cal_event copy_in(const struct calendar *cal, const struct cal_event *ev)
{
    struct cal_event copy;
    assert_int_equal(cal_event_by_uid(&tx, cal, ev->uid, &copy), 1);
    OK(cal_event_load_attendees(&tx, &copy));
    return copy;
}

struct cal_event again(const struct cal_event *ev)
{
    struct cal_event now;
    assert_int_equal(cal_event_by_id(&tx, ev->id, &now), 1);
    OK(cal_event_load_attendees(&tx, &now));
    return now;
}

int saved(const struct calendar *cal, const struct cal_event *old, struct cal_event *ev)
{
    return cal_event_save(&tx, ALL, cal, old, ev);
}

/* The answer of the calendar's person. */
void answer(const struct calendar *cal, const struct cal_event *copy, enum cal_response response)
{
    struct cal_event ev = *copy;
    int self = cal_event_self(cal, copy);
    assert_true(self >= 0);
    ev.attendees = arena_calloc(tx.arena, (size_t)ev.n_attendees, sizeof *ev.attendees);
    memcpy(ev.attendees, copy->attendees, (size_t)ev.n_attendees * sizeof *ev.attendees);
    ev.attendees[self].response = response;
    OK(saved(cal, copy, &ev));
}

int count(void *arg, struct cal_event *ev, const struct record *row)
{
    ++*(int *)arg;
    return 0;
}

struct cal_event_query everything(void)
{
    return (struct cal_event_query){.min_us = INT64_MIN,
                                    .max_us = INT64_MAX,
                                    .updated_min_us = INT64_MIN,
                                    .changed = -1,
                                    .limit = 100};
}

int found(const struct calendar *cal, const char *text)
{
    struct cal_event_query q = everything();
    const char *position;
    int n = 0;
    q.text = text;
    OK(cal_event_list(&tx, cal, &q, count, &n, &position));
    return n;
}

size_t busy_times(const struct calendar *cal)
{
    struct busy *list;
    size_t n;
    OK(freebusy_list(&tx, cal, NOON - 12 * HOUR, NOON + 12 * HOUR, &list, &n));
    return n;
}
