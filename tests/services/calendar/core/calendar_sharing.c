/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose calendars are and who may do what with them: rules of access and their order, roles through
 * groups and domains, primary calendars of several accounts, calendars of groups. Once for each of
 * two vendors.
 */
#include "engine/service.h"
#include "identity/account.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>

static struct cal_access rule(const struct calendar *cal, enum cal_access_kind kind,
                              const char *who, enum cal_role role)
{
    struct cal_access r = {.kind = kind, .who = who, .role = role};
    OK(cal_access_set(&tx, cal, &r));
    return r;
}

static enum cal_role role_of(const char *name, const struct calendar *cal)
{
    struct actor who = actor(name);
    enum cal_role role = CAL_OWN;
    OK(calendar_role(&tx, cal, &who, &role));
    return role;
}

static const char *listed(const struct calendar *cal, int64_t after, bool removed, size_t limit)
{
    struct cal_access *rules;
    struct buf b;
    size_t n;
    OK(cal_access_list(&tx, cal, after, removed, limit, &rules, &n));
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%.6s:%d", i ? " " : "", rules[i].who, rules[i].role);
    const char *text = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void rules_are_listed_by_their_change(void **state)
{
    (void)state;
    struct cal_access r, bobs, all, cyds, there;
    int64_t n, newest, after, calendar;
    OK(cal_access_since(&tx, &ada, INT64_MAX, &newest, &after));
    assert_int_equal(newest, 0);
    assert_int_equal(after, 0);
    bobs = rule(&ada, ACCESS_PERSON, "bob" EMAIL, CAL_READ);
    all = rule(&ada, ACCESS_ALL, "", CAL_FREEBUSY);
    cyds = rule(&ada, ACCESS_PERSON, "cyd" EMAIL, CAL_WRITE);
    assert_true(bobs.id && bobs.id < all.id && all.id < cyds.id);
    assert_true(bobs.change < all.change && all.change < cyds.change);
    assert_int_equal(bobs.updated_us, tx.now_us);
    assert_true(bobs.updated_us < all.updated_us && all.updated_us < cyds.updated_us);
    assert_string_equal(listed(&ada, 0, false, 9), "bob@ac:2 :1 cyd@ac:3");
    assert_string_equal(listed(&ada, 0, false, 2), "bob@ac:2 :1");
    assert_string_equal(listed(&ada, bobs.change - 1, false, 9), "bob@ac:2 :1 cyd@ac:3");
    assert_string_equal(listed(&ada, bobs.change, false, 9), ":1 cyd@ac:3");
    assert_string_equal(listed(&ada, cyds.change, false, 9), "");
    /* The owner's comes first, where it is asked for; it has no row. */
    assert_string_equal(listed(&ada, ACCESS_FIRST, false, 9), "ada@ac:4 bob@ac:2 :1 cyd@ac:3");
    assert_string_equal(listed(&ada, ACCESS_FIRST - 1, false, 2), "ada@ac:4 bob@ac:2");
    assert_string_equal(listed(&ada, ACCESS_FIRST - 1, false, 1), "ada@ac:4");
    assert_string_equal(listed(&ada, ACCESS_FIRST - 1, false, 0), "");
    assert_string_equal(listed(&ada, ACCESS_FIRST + 1, false, 9), "bob@ac:2 :1 cyd@ac:3");
    OK(cal_access_count(&tx, &ada, &n));
    assert_int_equal(n, 3);
    /* A removed one stays, for who asks. */
    all = rule(&ada, ACCESS_ALL, "", CAL_NONE);
    assert_true(all.change > cyds.change);
    assert_string_equal(listed(&ada, 0, false, 9), "bob@ac:2 cyd@ac:3");
    assert_string_equal(listed(&ada, 0, true, 9), "bob@ac:2 cyd@ac:3 :0");
    OK(cal_access_count(&tx, &ada, &n));
    assert_int_equal(n, 2);
    assert_int_equal(cal_access_find(&tx, &ada, ACCESS_ALL, "", &r), 1);
    assert_int_equal(r.role, CAL_NONE);
    assert_int_equal(r.id, all.id);
    assert_int_equal(cal_access_find(&tx, &ada, ACCESS_DOMAIN, "acme.example", &r), 0);
    assert_int_equal(cal_access_find(&tx, &ada, ACCESS_GROUP, "bob" EMAIL, &r), 0);
    assert_int_equal(cal_access_find(&tx, &ada, ACCESS_PERSON, "bob" EMAIL, &r), 1);
    assert_int_equal(r.change, bobs.change);
    assert_int_equal(cal_access_by_id(&tx, cyds.id, &calendar, &there), 1);
    assert_int_equal(calendar, ada.id);
    assert_string_equal(there.who, "cyd" EMAIL);
    assert_int_equal(there.role, CAL_WRITE);
    assert_int_equal(cal_access_by_id(&tx, 99999, &calendar, &there), 0);
    OK(cal_access_since(&tx, &ada, all.updated_us, &newest, &after));
    assert_int_equal(newest, all.updated_us);
    assert_int_equal(after, cyds.change);
    OK(cal_access_since(&tx, &ada, all.updated_us + 1, &newest, &after));
    assert_int_equal(after, all.change);
    OK(cal_access_since(&tx, &ada, bobs.updated_us, &newest, &after));
    assert_int_equal(after, 0);
    /* Those of other calendars have no part in it. */
    assert_string_equal(listed(&bob, 0, true, 9), "");
    OK(cal_access_since(&tx, &bob, INT64_MAX, &newest, &after));
    assert_int_equal(newest, 0);
}

static void rules_that_nobody_made(void **state)
{
    (void)state;
    struct calendar team = {.owner = ada.owner, .summary = "Team"};
    struct calendar group = {.key = "g" EMAIL, .summary = "Group"};
    struct cal_access r;
    OK(calendar_add(&tx, &team));
    OK(calendar_add_group(&tx, subject->name, &group));
    assert_int_equal(cal_access_find(&tx, &ada, ACCESS_PERSON, "ada" EMAIL, &r), 1);
    assert_int_equal(r.id, 0);
    assert_int_equal(r.role, CAL_OWN);
    assert_int_equal(r.updated_us, 0);
    assert_int_equal(cal_access_find(&tx, &team, ACCESS_PERSON, "ada" EMAIL, &r), 1);
    assert_int_equal(r.updated_us, team.created_us);
    assert_int_equal(r.change, ACCESS_FIRST + 1);
    /* One that is not the main one is its own owner first. */
    assert_int_equal(cal_access_find(&tx, &team, ACCESS_PERSON, team.key, &r), 1);
    assert_int_equal(r.id, 0);
    assert_int_equal(r.role, CAL_OWN);
    assert_int_equal(r.change, ACCESS_FIRST);
    assert_int_equal(r.updated_us, 0);
    assert_int_equal(cal_access_find(&tx, &team, ACCESS_GROUP, "ada" EMAIL, &r), 0);
    const char *text = listed(&team, ACCESS_FIRST - 1, false, 9);
    assert_non_null(strstr(text, ":4 ada@ac:4"));
    assert_string_equal(listed(&team, ACCESS_FIRST, false, 9), "ada@ac:4");
    /* A group's calendar has no owner. */
    assert_int_equal(cal_access_find(&tx, &group, ACCESS_PERSON, "ada" EMAIL, &r), 0);
    assert_string_equal(listed(&group, ACCESS_FIRST - 1, false, 9), "");
    rule(&group, ACCESS_PERSON, "ada" EMAIL, CAL_READ);
    assert_string_equal(listed(&group, ACCESS_FIRST - 1, false, 9), "ada@ac:2");
    /* Who becomes the owner needs no rule. */
    rule(&team, ACCESS_PERSON, "bob" EMAIL, CAL_WRITE);
    rule(&team, ACCESS_PERSON, "cyd" EMAIL, CAL_READ);
    struct calendar is = team;
    is.owner = bob.owner;
    OK(calendar_save(&tx, &team, &is));
    OK(cal_access_drop_owner(&tx, &is));
    assert_string_equal(listed(&is, 0, true, 9), "cyd@ac:2");
    assert_int_equal(role_of("bob", &is), CAL_OWN);
    assert_int_equal(role_of("ada", &is), CAL_NONE);
    assert_int_equal(role_of("cyd", &is), CAL_READ);
}

static void the_highest_of_several_rules_counts(void **state)
{
    (void)state;
    begin_with(",\"groups\":[{\"email\":\"all@acme.example\",\"members\":[\"cyd@acme.example\","
               "\"in@acme.example\"]},{\"email\":\"in@acme.example\",\"members\":"
               "[\"bob@acme.example\"]}]");
    struct cal_access r;
    rule(&ada, ACCESS_GROUP, "all" EMAIL, CAL_READ);
    assert_int_equal(role_of("cyd", &ada), CAL_READ);
    assert_int_equal(role_of("dan", &ada), CAL_NONE);
    rule(&ada, ACCESS_GROUP, "none" EMAIL, CAL_OWN);
    assert_int_equal(role_of("dan", &ada), CAL_NONE);
    rule(&ada, ACCESS_DOMAIN, "acme.example", CAL_FREEBUSY);
    assert_int_equal(role_of("dan", &ada), CAL_FREEBUSY);
    assert_int_equal(role_of("cyd", &ada), CAL_READ);
    rule(&ada, ACCESS_PERSON, "cyd" EMAIL, CAL_WRITE);
    rule(&ada, ACCESS_ALL, "", CAL_READ);
    assert_int_equal(role_of("cyd", &ada), CAL_WRITE);
    assert_int_equal(role_of("dan", &ada), CAL_READ);
    rule(&ada, ACCESS_PERSON, "dan" EMAIL, CAL_NONE);
    assert_int_equal(role_of("dan", &ada), CAL_READ); /* which takes nothing from others' rules */
    rule(&ada, ACCESS_ALL, "", CAL_NONE);
    rule(&ada, ACCESS_DOMAIN, "acme.example", CAL_NONE);
    assert_int_equal(role_of("dan", &ada), CAL_NONE);
    assert_int_equal(role_of("ada", &ada), CAL_OWN);
    rule(&ada, ACCESS_PERSON, "cyd" EMAIL, CAL_OWN);
    assert_int_equal(role_of("cyd", &ada), CAL_OWN);
    /* What a role gives beyond it goes with that role. */
    for (int role = CAL_NONE; role <= CAL_OWN; role++) {
        r = (struct cal_access){.kind = ACCESS_PERSON,
                                .who = "dan" EMAIL,
                                .role = (enum cal_role)role,
                                .beyond = CAL_TITLES | CAL_DELEGATE | CAL_PRIVATE};
        OK(cal_access_set(&tx, &ada, &r));
        assert_int_equal(r.beyond, role == CAL_FREEBUSY ? CAL_TITLES
                                   : role == CAL_WRITE  ? CAL_DELEGATE | CAL_PRIVATE
                                                        : 0);
    }
    end(NULL);
}

static void which_role_is_needed(void **state)
{
    (void)state;
    static const char *const names[] = CAL_ROLE_NAMES;
    struct actor who = actor("bob");
    struct calendar cal;
    for (int has = CAL_NONE; has <= CAL_OWN; has++) {
        rule(&ada, ACCESS_PERSON, "bob" EMAIL, (enum cal_role)has);
        for (int need = CAL_FREEBUSY; need <= CAL_OWN; need++) {
            int r = calendar_open(&tx, &who, ada.key, (enum cal_role)need, &cal);
            assert_int_equal(r, has >= need ? 0 : -1);
            if (r < 0) {
                assert_int_equal(cal_reason_of(tx.err), has ? CAL_LESSER_ROLE : CAL_NO_CALENDAR);
                assert_int_equal(tx.err->code, has ? SOSIA_E_FORBIDDEN : SOSIA_E_NOT_FOUND);
                if (has)
                    assert_string_equal(tx.err->where, names[need]);
                *tx.err = (struct sosia_err){0};
            } else {
                assert_int_equal(cal.role, has);
                assert_int_equal(cal.id, ada.id);
            }
        }
    }
    OK(calendar_delete(&tx, &ada));
    REFUSED(calendar_open(&tx, &who, ada.key, CAL_FREEBUSY, &cal), CAL_NO_CALENDAR);
}

/* ---- calendars of accounts and groups ---- */

static void the_primary_calendar_of_each_account(void **state)
{
    (void)state;
    struct account first,
        second = {.actor = ada.owner, .vendor = other->name, .service = "", .tenant = ""};
    struct actor who = actor("ada");
    struct calendar cal, theirs, team = {.owner = ada.owner, .summary = "Team"};
    OK(calendar_add(&tx, &team));
    OK(account_at(&tx, ada.owner, subject->name, ACCOUNT_CALENDAR, &first));
    assert_int_equal(calendar_of_account_row(&tx, &first, &cal), 1);
    assert_int_equal(cal.id, ada.id);
    OK(account_new(&tx, &second));
    assert_int_equal(calendar_of_account(&tx, second.id, &cal), 0); /* it has none yet */
    OK(make_calendar(&tx, &second, &who));
    assert_int_equal(calendar_of_account(&tx, second.id, &theirs), 1);
    assert_int_not_equal(theirs.id, ada.id);
    assert_int_equal(theirs.account, second.id);
    assert_true(theirs.main);
    assert_ptr_equal(theirs.vendor, other);
    assert_string_equal(theirs.summary, ada.summary);
    assert_int_equal(theirs.created_us % US_PER_SECOND, 0);
    assert_int_equal(calendar_of_account(&tx, first.id, &cal), 1);
    assert_int_equal(cal.id, ada.id);
    assert_int_equal(calendar_of_account(&tx, 99999, &cal), 0);
    /* Further ones are the account's that is named, or that of the primary one. */
    assert_int_equal(team.account, first.id);
    struct calendar more = {.owner = ada.owner, .account = second.id, .summary = "More"};
    OK(calendar_add(&tx, &more));
    assert_int_equal(more.account, second.id);
    assert_ptr_equal(more.vendor, other);
    assert_string_equal(more.zone, "UTC");
    assert_int_equal(calendar_next(&tx, &first, 0, &cal), 1);
    assert_int_equal(cal.id, ada.id);
    assert_int_equal(calendar_next(&tx, &first, ada.id, &cal), 1);
    assert_int_equal(cal.id, team.id);
    assert_int_equal(calendar_next(&tx, &first, team.id, &cal), 0);
    assert_int_equal(calendar_next(&tx, &second, 0, &cal), 1);
    assert_int_equal(cal.id, theirs.id);
    assert_int_equal(calendar_next(&tx, &second, theirs.id, &cal), 1);
    assert_int_equal(cal.id, more.id);
    /* Where the first is gone the other one is left. */
    OK(calendar_delete(&tx, &team));
    assert_int_equal(calendar_next(&tx, &first, ada.id, &cal), 0);
    OK(calendar_delete(&tx, &ada));
    assert_int_equal(calendar_of_account(&tx, first.id, &cal), 0);
    assert_int_equal(calendar_of_account(&tx, second.id, &cal), 1);
    assert_int_equal(calendar_by_id(&tx, ada.id, &cal), 1);
    assert_true(cal.gone);
    assert_int_equal(calendar_by_key(&tx, ada.key, &cal), 0);
    OK(calendar_delete(&tx, &theirs));
    assert_int_equal(calendar_of(&tx, ada.owner, &cal), 0);
}

/* A calendar whose account is not said is that with the first vendor of the engine, which is acme.
 */
static void a_calendar_that_names_no_account(void **state)
{
    (void)state;
    struct account own,
        second = {.actor = ada.owner, .vendor = other->name, .service = "", .tenant = ""};
    struct calendar cal;
    OK(account_at(&tx, ada.owner, subject->name, ACCOUNT_CALENDAR, &own));
    OK(account_new(&tx, &second));
    OK(sql_exec(tx.db,
                arena_printf(tx.arena,
                             "update cal_calendar set account = null, vendor = null where id = "
                             "%lld",
                             (long long)ada.id),
                tx.err));
    for (int i = 0; i < 2; i++) {
        const struct account *account = i ? &second : &own;
        const bool first = strcmp(account->vendor, "acme") == 0;
        assert_int_equal(calendar_of_account_row(&tx, account, &cal), first);
        assert_int_equal(calendar_of_account(&tx, account->id, &cal), first);
        if (first)
            assert_int_equal(cal.id, ada.id);
    }
    assert_int_equal(calendar_by_id(&tx, ada.id, &cal), 1);
    assert_string_equal(cal.vendor->name, "acme");
}

/* Where no calendar names a vendor the primary one is that which the person has. */
static void the_primary_calendar_without_vendors(void **state)
{
    (void)state;
    struct calendar cal;
    OK(sql_exec(tx.db, "update cal_calendar set account = null, vendor = null", tx.err));
    assert_int_equal(calendar_of(&tx, ada.owner, &cal), 1);
    assert_int_equal(cal.id, ada.id);
    OK(calendar_delete(&tx, &ada));
    assert_int_equal(calendar_of(&tx, ada.owner, &cal), 0);
    assert_int_equal(calendar_of(&tx, bob.owner, &cal), 1);
    assert_int_equal(cal.id, bob.id);
    assert_int_equal(calendar_of(&tx, 99999, &cal), 0);
}

static void keys_of_primary_calendars(void **state)
{
    (void)state;
    struct calendar mine = ada, theirs = bob, cal, team = {.owner = ada.owner, .summary = "Team"};
    OK(calendar_add(&tx, &team));
    if (subject->address_keys)
        assert_string_equal(ada.key, "ada" EMAIL);
    else
        assert_int_equal(strlen(ada.key),
                         66 + (subject->calendar_end ? strlen(subject->calendar_end) : 0));
    assert_int_equal(strncmp(team.key, "c_", 2), 0);
    assert_int_equal(strlen(team.key),
                     66 + (subject->calendar_end ? strlen(subject->calendar_end) : 0));
    OK(calendar_rekey(&tx, &mine, "new@key.example"));
    assert_string_equal(mine.key, "new@key.example");
    assert_int_equal(calendar_by_key(&tx, "new@key.example", &cal), 1);
    assert_int_equal(cal.id, ada.id);
    assert_int_equal(calendar_by_key(&tx, ada.key, &cal), 0);
    /* Keys that were made are exchanged; addresses are not given away. */
    if (subject->address_keys) {
        assert_int_equal(calendar_rekey(&tx, &mine, theirs.key), -1);
        assert_int_equal(tx.err->code, SOSIA_E_CONFLICT);
    } else {
        OK(calendar_rekey(&tx, &mine, theirs.key));
        assert_int_equal(calendar_by_key(&tx, theirs.key, &cal), 1);
        assert_int_equal(cal.id, ada.id);
        assert_int_equal(calendar_by_key(&tx, "new@key.example", &cal), 1);
        assert_int_equal(cal.id, bob.id);
    }
    *tx.err = (struct sosia_err){0};
    mine = ada;
    assert_int_equal(calendar_rekey(&tx, &mine, team.key), -1);
    assert_int_equal(tx.err->code, SOSIA_E_CONFLICT);
    *tx.err = (struct sosia_err){0};
    struct calendar twice = {.owner = ada.owner, .summary = "Twice", .key = team.key};
    assert_int_equal(calendar_add(&tx, &twice), -1);
    assert_int_equal(tx.err->code, SOSIA_E_CONFLICT);
    *tx.err = (struct sosia_err){0};
}

/* A world that is made of a dump makes its keys anew, and none that the dump has. */
static void keys_that_a_dump_has_are_not_made_again(void **state)
{
    (void)state;
    char team_key[200], event_key[200], more[600];
    for (int again_ = 0; again_ < 2; again_++) {
        begin_with(again_ ? more : "");
        struct calendar team = {.owner = ada.owner, .summary = "Team"};
        struct cal_event ev = added(draft("One", ""));
        OK(calendar_add(&tx, &team));
        if (again_) {
            assert_string_not_equal(team.key, team_key);
            assert_string_not_equal(ev.key, event_key);
        }
        snprintf(team_key, sizeof team_key, "%s", team.key);
        snprintf(event_key, sizeof event_key, "%s", ev.key);
        snprintf(more, sizeof more,
                 ",\"calendars\":[{\"id\":\"%s\",\"owner\":\"ada@acme.example\",\"summary\":"
                 "\"T\",\"events\":[{\"id\":\"%s\",\"start\":\"2026-03-20\"}]}]",
                 team_key, event_key);
        end(NULL);
    }
}

static void what_is_saved_of_a_calendar(void **state)
{
    (void)state;
    struct calendar team = {.owner = ada.owner, .summary = "Team", .zone = "Asia/Tokyo"}, is, old;
    OK(calendar_add(&tx, &team));
    assert_int_equal(team.created_us, tx.now_us);
    assert_string_equal(tz_name(team.tz), "Asia/Tokyo");
    old = is = team;
    OK(calendar_save(&tx, &old, &is));
    assert_int_equal(is.change, team.change); /* nothing differs */
    for (int i = 0; i < 6; i++) {
        old = is;
        switch (i) {
        case 0:
            is.summary = "Ours";
            break;
        case 1:
            is.description = "d";
            break;
        case 2:
            is.location = "l";
            break;
        case 3:
            is.zone = "Europe/Rome";
            break;
        case 4:
            is.extra = "{}";
            break;
        default:
            is.owner = dan.owner;
        }
        OK(calendar_save(&tx, &old, &is));
        assert_true(is.change > old.change);
        assert_true(is.updated_us > old.updated_us);
    }
    assert_string_equal(tz_name(is.tz), "Europe/Rome");
    assert_int_equal(calendar_by_id(&tx, team.id, &old), 1);
    assert_string_equal(old.summary, "Ours");
    assert_string_equal(old.description, "d");
    assert_string_equal(old.location, "l");
    assert_string_equal(old.zone, "Europe/Rome");
    assert_string_equal(old.extra, "{}");
    assert_int_equal(old.owner, dan.owner);
    assert_int_equal(old.account, dan.account); /* it goes to the new owner's account */
    assert_ptr_equal(old.vendor, other);
    assert_int_equal(old.change, is.change);
}

static void a_calendar_of_a_group(void **state)
{
    (void)state;
    struct calendar group = {.key = "g" EMAIL, .summary = "Group"}, cal;
    assert_int_equal(calendar_of_group(&tx, "g" EMAIL, &cal), 0);
    OK(calendar_add_group(&tx, subject->name, &group));
    assert_true(calendar_is_groups(&group));
    assert_false(calendar_is_groups(&ada));
    assert_string_equal(group.zone, "UTC");
    assert_int_equal(group.owner, 0);
    assert_int_equal(calendar_of_group(&tx, "g" EMAIL, &cal), 1);
    assert_int_equal(cal.id, group.id);
    assert_ptr_equal(cal.vendor, subject);
    assert_int_equal(calendar_of_group(&tx, ada.key, &cal), 0);
    assert_int_equal(calendar_by_key(&tx, "g" EMAIL, &cal), 0); /* it is found as a group's alone */
    assert_int_equal(calendar_by_address(&tx, "g" EMAIL, &cal), 0);
    assert_int_equal(calendar_by_id(&tx, group.id, &cal), 1);
    assert_int_equal(role_of("ada", &group), CAL_NONE);
    /* It takes invitations without being asked, and none of its own. */
    struct cal_event ev = added(draft("One", "g bob")), its = draft("Its", "g bob");
    assert_int_equal(copy_in(&group, &ev).response, RESPONSE_ACCEPTED);
    OK(cal_event_add(&tx, ALL, &group, &its));
    assert_int_equal(cal_event_by_uid(&tx, &group, its.uid, &ev), 1);
    assert_int_equal(ev.origin, 0);
    assert_string_equal(copy_in(&bob, &its).organizer, "g" EMAIL);
    OK(calendar_delete(&tx, &group));
    assert_int_equal(calendar_of_group(&tx, "g" EMAIL, &cal), 0);
    assert_int_equal(copy_in(&bob, &its).status, EVENT_CANCELLED);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(rules_are_listed_by_their_change, begin, end),
    cmocka_unit_test_setup_teardown(rules_that_nobody_made, begin, end),
    cmocka_unit_test(the_highest_of_several_rules_counts),
    cmocka_unit_test_setup_teardown(which_role_is_needed, begin, end),
    cmocka_unit_test_setup_teardown(the_primary_calendar_of_each_account, begin, end),
    cmocka_unit_test_setup_teardown(a_calendar_that_names_no_account, begin, end),
    cmocka_unit_test_setup_teardown(the_primary_calendar_without_vendors, begin, end),
    cmocka_unit_test_setup_teardown(keys_of_primary_calendars, begin, end),
    cmocka_unit_test(keys_that_a_dump_has_are_not_made_again),
    cmocka_unit_test_setup_teardown(what_is_saved_of_a_calendar, begin, end),
    cmocka_unit_test_setup_teardown(a_calendar_of_a_group, begin, end),
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
