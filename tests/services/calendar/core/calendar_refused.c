/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vendor may refuse what the core asks of it: to read what it keeps with an event, to write a
 * letter, to change people's lists, to find a calendar that it makes. Then the call fails with what
 * the vendor said, and where the vendor is not asked it goes on.
 */
#include "engine/service.h"
#include "engine/world/engine.h"
#include "identity/account.h"
#include "services/calendar/core/list_impl.h"
#include "services/calendar/core/seed_impl.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>

/* ---- a vendor that refuses ---- */

#define MADE (-5)

static struct {
    bool extra, lists, made, taken_in;
    int letters; /* which kind of letters; -1: none */
    int delivery;
    enum cal_turn turn; /* the last one */
    int64_t turned;
    int turns;
} no;

static int refuse(struct tx *t)
{
    return cal_fail(t, CAL_TOO_MANY, "the vendor refuses");
}

static int read_extra(struct tx *t, struct cal_event *ev)
{
    if (no.extra)
        return refuse(t);
    ev->place = ev->extra ? "read" : NULL;
    return 0;
}

static int letter(struct tx *t, const struct cal_event *ev, enum cal_letter kind,
                  const char *comment, struct letter *l)
{
    (void)ev, (void)comment, (void)l;
    return (int)kind == no.letters ? refuse(t) : 0;
}

static int turn(struct tx *t, const struct calendar *cal, enum cal_turn what)
{
    no.turn = what, no.turned = cal->id, no.turns++;
    return no.lists ? refuse(t) : 0;
}

static int seed_lists(const struct form_in *in)
{
    return no.lists ? refuse(in->tx) : 0;
}

static int dump_lists(struct tx *t, int64_t calendar, struct json_writer *w, bool *ret_any)
{
    (void)w;
    if (calendar == MADE)
        *ret_any = false;
    return no.lists ? refuse(t) : 0;
}

static int made_lists(struct tx *t, int64_t **ret, size_t *ret_n)
{
    static int64_t ids[] = {MADE};
    *ret = ids;
    *ret_n = 1;
    return no.made ? refuse(t) : 0;
}

static int made_by_id(struct tx *t, int64_t id, struct calendar *ret)
{
    if (no.made)
        return refuse(t);
    *ret = (struct calendar){
        .id = MADE, .key = "made", .summary = "Made", .zone = "UTC", .tz = tz_find("UTC")};
    return id == MADE;
}

static int made_by_key(struct tx *t, const char *key, struct calendar *ret)
{
    return strcmp(key, "made") == 0 || no.made ? made_by_id(t, MADE, ret) : 0;
}

static int made_seen_by(struct tx *t, struct calendar *cal, const struct actor *who)
{
    if (no.taken_in)
        return refuse(t);
    cal->zone = who->zone;
    return 0;
}

static int made_find(struct tx *t, const struct calendar *cal, const char *key,
                     struct cal_event *ret)
{
    (void)key;
    if (no.taken_in)
        return refuse(t);
    *ret = (struct cal_event){.calendar = cal->id, .key = "day", .uid = "day", .summary = "Day"};
    return 1;
}

static int made_list(struct lister *l)
{
    struct cal_event ev = {.calendar = MADE, .key = "day", .uid = "day", .summary = "Day"};
    return no.taken_in ? refuse(l->tx) : cal_list_give(l, &ev) < 0 ? -1 : 0;
}

static const struct cal_made made = {made_by_key, made_by_id, made_seen_by, made_find, made_list};
static const struct cal_lists lists = {turn, seed_lists, dump_lists, made_lists};
static struct cal_vendor strict; /* acme's, which may refuse; and its name */

static const struct provision provisions[] = {
    {"acme", ACCOUNT_CALENDAR, "person resource", true, make_calendar},
    {"globex", ACCOUNT_CALENDAR, NULL, false, make_calendar},
    {NULL, 0, NULL, false, NULL}};
static const struct core_policy policies[] = {
    {CALENDAR_CORE, "acme", &strict}, {CALENDAR_CORE, "globex", &globex}, {0}};

static int deliver(struct tx *t, const struct letter *l, const char **ret_rest)
{
    (void)l;
    *ret_rest = "";
    return no.delivery-- == 0 ? refuse(t) : 0;
}

static const struct sosia_core vendors = {
    .name = "vendors", .provisions = provisions, .policies = policies, .letter = deliver};
static const struct sosia_core *const cores[] = {&identity_core, &calendar_core, &vendors, NULL};
static const struct sosia_service service = {.name = "test", .cores = cores};
static const struct sosia_service *const strict_services[] = {&service, NULL};

static int set_up(void **state)
{
    memset(&no, 0, sizeof no);
    no.letters = no.delivery = -1;
    return begin(state);
}

/* ---- calls ---- */

#define SAYS_NO(call)                                                                              \
    do {                                                                                           \
        int r_ = (call);                                                                           \
        if (r_ != -1 || strcmp(tx.err->text, "the vendor refuses") != 0)                           \
            fail_msg("%s: %d, %s", #call, r_, tx.err->text);                                       \
        assert_int_equal(cal_reason_of(tx.err), CAL_TOO_MANY);                                     \
        *tx.err = (struct sosia_err){0};                                                           \
    } while (0)

static struct actor ada_is;
static struct cal_event_by all_mail;

static int adds(struct cal_event ev)
{
    return cal_event_add(&tx, &all_mail, &ada, &ev);
}

static int changes(const struct cal_event *was, const char *summary, const char *guests)
{
    struct cal_event old = again(was), is = old;
    is.summary = summary;
    if (guests) {
        struct cal_event with = draft("", guests);
        is.attendees = with.attendees, is.n_attendees = with.n_attendees;
    }
    return cal_event_save(&tx, &all_mail, &ada, &old, &is);
}

static struct cal_event organized(const char *summary, const char *guests)
{
    struct cal_event ev = draft(summary, guests);
    OK(cal_event_add(&tx, ALL, &ada, &ev));
    return ev;
}

static void letters_that_are_refused(void **state)
{
    (void)state;
    struct cal_event ev, copy, moved;
    struct calendar team = {.owner = ada.owner, .summary = "Team"};
    ada_is = actor("ada");
    all_mail = (struct cal_event_by){&ada_is, MAIL_ALL, NULL};
    OK(calendar_add(&tx, &team));
    for (int by_delivery = 0; by_delivery < 2; by_delivery++) {
#define NO(kind) (by_delivery ? (no.delivery = 0) : (no.letters = (kind)))
#define YES()    (no.delivery = no.letters = -1)
        NO(CAL_LETTER_INVITES);
        SAYS_NO(adds(draft("New", "bob")));
        OK(adds(draft("Alone", "")));
        OK(cal_event_add(
            &tx, ALL, &ada,
            &(struct cal_event){.summary = "Quiet", .start_us = NOON, .len_us = HOUR}));
        YES();
        ev = organized("One", "bob cyd");
        NO(CAL_LETTER_INVITES);
        SAYS_NO(changes(&ev, "One", "bob cyd dan"));
        YES();
        ev = organized("Two", "bob cyd");
        NO(CAL_LETTER_UPDATES);
        SAYS_NO(changes(&ev, "Other", NULL));
        YES();
        ev = organized("Three", "bob cyd");
        NO(CAL_LETTER_CANCELS);
        SAYS_NO(changes(&ev, "Three", "bob")); /* to those who left it */
        YES();
        ev = organized("Four", "bob cyd");
        NO(CAL_LETTER_CANCELS);
        SAYS_NO(cal_event_cancel(&tx, &all_mail, &ada, &ev));
        YES();
        ev = organized("Five", "bob");
        NO(CAL_LETTER_CANCELS);
        OK(cal_event_cancel(&tx, ALL, &ada, &ev)); /* nobody gets mail */
        YES();
        ev = organized("Six", "bob");
        NO(CAL_LETTER_UPDATES);
        SAYS_NO(cal_event_move(&tx, &all_mail, &ada, &ev, &team, &moved));
        YES();
        /* An answer goes to the organizer. */
        struct actor bob_is = actor("bob");
        const struct cal_event_by by_bob = {&bob_is, MAIL_ALL, NULL};
        ev = organized("Seven", "bob");
        copy = copy_in(&bob, &ev);
        NO(CAL_LETTER_ANSWERS);
        struct cal_event is = copy;
        is.attendees =
            (struct cal_attendee *)arena_memdup(tx.arena, copy.attendees, sizeof *copy.attendees);
        is.attendees[0].response = RESPONSE_ACCEPTED;
        SAYS_NO(cal_event_save(&tx, &by_bob, &bob, &copy, &is));
        YES();
        ev = organized("Eight", "bob");
        copy = copy_in(&bob, &ev);
        NO(CAL_LETTER_ANSWERS);
        SAYS_NO(cal_event_cancel(&tx, &by_bob, &bob, &copy));
        YES();
        /* An absence declines what there is, with a letter. */
        struct cal_event off = draft("Off", "");
        off.kind = KIND_AWAY, off.decline = DECLINE_ALL;
        off.start_us += (1 + by_delivery) * 24 * HOUR;
        ev = draft("Nine", "bob");
        ev.start_us = off.start_us;
        OK(cal_event_add(&tx, ALL, &ada, &ev));
        NO(CAL_LETTER_ANSWERS);
        SAYS_NO(cal_event_add(&tx, &by_bob, &bob, &off));
        YES();
    }
    /* Others go out as they are. */
    no.letters = CAL_LETTER_CANCELS;
    ev = organized("Last", "bob");
    OK(changes(&ev, "Changed", NULL));
    OK(changes(&ev, "Changed", "bob dan"));
}

static void what_cant_be_read(void **state)
{
    (void)state;
    ada_is = actor("ada");
    all_mail = (struct cal_event_by){&ada_is, MAIL_ALL, NULL};
    struct cal_event ev = draft("One", ""), old, is;
    ev.extra = "{\"a\":1}";
    ev = added(ev);
    assert_string_equal(again(&ev).place, "read");
    no.extra = true;
    struct cal_event more = draft("Two", "");
    OK(adds(more));
    more.extra = "{}";
    SAYS_NO(adds(more));
    old = is = again(&ev);
    is.summary = "Other";
    OK(saved(&ada, &old, &is)); /* which is not its extra */
    old = is = again(&ev);
    is.extra = "{\"a\":2}";
    SAYS_NO(saved(&ada, &old, &is));
    is.extra = NULL;
    SAYS_NO(saved(&ada, &old, &is));
    assert_string_equal(again(&ev).extra, "{\"a\":1}");
    no.extra = false;
    is.extra = NULL;
    OK(saved(&ada, &old, &is));
    assert_null(again(&ev).place);
}

static void lists_that_dont_change(void **state)
{
    (void)state;
    struct calendar team = {.owner = ada.owner, .summary = "Team"}, is,
                    theirs = {.owner = dan.owner, .summary = "Theirs"};
    struct cal_access rule = {.kind = ACCESS_PERSON, .who = "bob" EMAIL, .role = CAL_READ};
    no.turns = 0;
    OK(calendar_add(&tx, &team));
    assert_int_equal(no.turns, 1);
    assert_int_equal(no.turn, CAL_MADE);
    assert_int_equal(no.turned, team.id);
    OK(calendar_add(&tx, &theirs)); /* the other vendor's, which has no lists */
    assert_int_equal(no.turns, 1);
    OK(cal_access_set(&tx, &theirs, &rule));
    OK(cal_access_set(&tx, &team, &rule));
    assert_int_equal(no.turns, 1); /* more people may see it, not fewer */
    no.lists = true;
    is = (struct calendar){.owner = ada.owner, .summary = "New"};
    SAYS_NO(calendar_add(&tx, &is));
    OK(cal_access_set(&tx, &team, &rule));
    rule.role = CAL_NONE;
    SAYS_NO(cal_access_set(&tx, &team, &rule));
    SAYS_NO(cal_access_set(&tx, &theirs, &rule)); /* it may be on anybody's list */
    SAYS_NO(calendar_delete(&tx, &team));
    assert_int_equal(no.turn, CAL_ENDED);
    no.lists = false;
    rule.role = CAL_READ;
    OK(cal_access_set(&tx, &team, &rule));
    rule.role = CAL_NONE;
    OK(cal_access_set(&tx, &team, &rule));
    assert_int_equal(no.turn, CAL_CLOSED);
    assert_int_equal(no.turned, team.id);
    OK(calendar_delete(&tx, &theirs));
    assert_int_equal(no.turn, CAL_ENDED);
    assert_int_equal(no.turned, theirs.id);
}

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

static void documents_with_lists_that_are_refused(void **state)
{
    (void)state;
    static const char doc[] =
        "{\"sosia\":1,\"people\":[{\"email\":\"eve@acme.example\"}],\"calendars\":[{\"id\":"
        "\"t@acme.example\",\"owner\":\"eve@acme.example\",\"summary\":\"T\",\"lists\":[]}]}";
    const struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    struct sosia_err err = {0};
    uint64_t world;
    OK(dumped());
    no.lists = true;
    SAYS_NO(dumped());
    assert_int_equal(sosia_world_create(test_engine, &options, &world, &err), -1);
    assert_non_null(strstr(err.text, "the vendor refuses"));
    no.lists = false, no.made = true;
    SAYS_NO(dumped());
    no.made = false;
    OK(dumped());
    assert_int_equal(sosia_world_create(test_engine, &options, &world, &err), 0);
    sosia_world_drop(test_engine, world, &err);
}

static void calendars_that_are_made_as_they_are_asked_for(void **state)
{
    (void)state;
    struct calendar cal;
    struct cal_event ev;
    struct cal_event_query q = everything();
    const char *position;
    int n = 0;
    ada_is = actor("ada");
    assert_int_equal(calendar_by_key(&tx, "made", &cal), 1);
    assert_ptr_equal(cal.vendor, &strict);
    assert_int_equal(calendar_by_key(&tx, "none", &cal), 0);
    assert_int_equal(calendar_by_id(&tx, MADE, &cal), 1);
    assert_int_equal(cal.id, MADE);
    assert_int_equal(calendar_by_id(&tx, MADE - 1, &cal), 0);
    /* Everybody reads it, nobody more. */
    assert_int_equal(calendar_open(&tx, &ada_is, "made", CAL_READ, &cal), 0);
    assert_int_equal(cal.role, CAL_READ);
    REFUSED(calendar_open(&tx, &ada_is, "made", CAL_WRITE, &cal), CAL_LESSER_ROLE);
    assert_int_equal(cal_event_find(&tx, &cal, "day", &ev), 1);
    OK(cal_event_list(&tx, &cal, &q, count, &n, &position));
    assert_int_equal(n, 1);
    no.taken_in = true;
    SAYS_NO(calendar_open(&tx, &ada_is, "made", CAL_READ, &cal));
    SAYS_NO(cal_event_find(&tx, &cal, "day", &ev));
    SAYS_NO(cal_event_list(&tx, &cal, &q, count, &n, &position));
    no.taken_in = false, no.made = true;
    SAYS_NO(calendar_by_key(&tx, "made", &cal));
    SAYS_NO(calendar_by_key(&tx, "none", &cal));
    SAYS_NO(calendar_by_id(&tx, MADE, &cal));
    SAYS_NO(calendar_open(&tx, &ada_is, "made", CAL_READ, &cal));
    SAYS_NO(calendar_by_address(&tx, "none" EMAIL, &cal));
    SAYS_NO(calendar_rekey(&tx, &ada, "new"));
    /* Those with rows are there whatever the vendor makes. */
    assert_int_equal(calendar_by_key(&tx, ada.key, &cal), 1);
    assert_int_equal(calendar_by_id(&tx, bob.id, &cal), 1);
    assert_int_equal(calendar_by_id(&tx, 99999, &cal), 0);
}

static void invitations_that_are_not_let_in(void **state)
{
    (void)state;
    static const char text[] =
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:far@port.example"
        "\r\nDTSTART:20260320T120000Z\r\nORGANIZER:mailto:fab@port.example\r\nATTENDEE:mailto:ada"
        "@acme.example\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    struct invitation mail = {.text = text, .len = sizeof text - 1};
    struct cal_event ev;
    ada_is = actor("ada");
    refuses_mail = true;
    OK(calendar_take(&tx, &ada_is, &mail));
    assert_int_equal(cal_event_by_uid(&tx, &ada, "far@port.example", &ev), 0);
    mail.known = true;
    OK(calendar_take(&tx, &ada_is, &mail));
    assert_int_equal(cal_event_by_uid(&tx, &ada, "far@port.example", &ev), 1);
    OK(cal_event_cancel(&tx, ALL, &ada, &ev));
    OK(calendar_take(&tx, &ada_is, &mail)); /* what was taken away stays away */
    assert_int_equal(cal_event_by_uid(&tx, &ada, "far@port.example", &ev), 1);
    assert_int_equal(ev.status, EVENT_CANCELLED);
    /* The person asked for it, whatever is set. */
    struct actor bob_is = actor("bob");
    mail.known = false, mail.asked = true;
    OK(calendar_take(&tx, &bob_is, &mail));
    assert_int_equal(cal_event_by_uid(&tx, &bob, "far@port.example", &ev), 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(letters_that_are_refused, set_up, end),
    cmocka_unit_test_setup_teardown(what_cant_be_read, set_up, end),
    cmocka_unit_test_setup_teardown(lists_that_dont_change, set_up, end),
    cmocka_unit_test_setup_teardown(documents_with_lists_that_are_refused, set_up, end),
    cmocka_unit_test_setup_teardown(calendars_that_are_made_as_they_are_asked_for, set_up, end),
    cmocka_unit_test_setup_teardown(invitations_that_are_not_let_in, set_up, end),
};

static int open_engine(void **state)
{
    (void)state;
    return test_open_engine_of(strict_services);
}

int main(void)
{
    subject = &strict, other = &globex;
    strict = acme;
    strict.read_extra = read_extra;
    strict.letter = letter;
    strict.made = &made;
    strict.lists = &lists;
    return cmocka_run_group_tests(tests, open_engine, test_close_engine);
}
