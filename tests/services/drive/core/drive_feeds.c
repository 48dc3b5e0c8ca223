/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The feed of changes: what is in whose, since when, page by page, once an item, and for how long
 * after it went out of sight; who is notified that their feed has more; and rows that make no
 * sense.
 */
#include "engine/world/engine.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/feed.h"
#include "tests/services/drive/core/drive_steps.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static const char DOCUMENT[] = "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7," PEOPLE
                               ",\"groups\":[{\"email\":\"all@acme.example\",\"members\":[\"" ADA
                               "\",\"" BOB "\"]},{\"email\":\"far@far.example\",\"members\":[\"" EVE
                               "\"]}],\"apps\":[{\"client_id\":\"123.456\",\"name\":\"App\"}]}";

static int open_document(void **state)
{
    if (open_world(state) < 0)
        return -1;
    end();
    test_world = test_world_of(DOCUMENT);
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    return 0;
}

static struct drive_item add(const struct drive_item *folder, const char *key, const char *mime)
{
    struct drive_item it = {.parent = folder->id,
                            .owner = folder->owner,
                            .modifier = folder->owner,
                            .drive = folder->drive,
                            .space = folder->space,
                            .form = strcmp(mime, "folder") == 0 ? DRIVE_FOLDER : DRIVE_FILE,
                            .key = key,
                            .name = key,
                            .mime = mime,
                            .size = -1};
    ok(drive_item_add(&tx, &it));
    return it;
}

static void commit(void)
{
    end();
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
}

static void later(int64_t seconds)
{
    end();
    test_advance(seconds);
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
}

static void grant(const char *key, enum drive_grantee kind, const char *who, enum drive_role role)
{
    struct drive_item it = item_named(key);
    struct drive_grant g = {.kind = kind, .who = who, .role = role};
    ok(drive_grant_set(&tx, &it, &g));
}

static void sql(const char *text)
{
    assert_int_equal(sqlite3_exec(slot_db(tx.db), text, NULL, NULL, NULL), SQLITE_OK);
}

/* The entries of a feed: key, "-" behind what is removed, "!" behind a drive, "/" between pages. */
static const char *read_feed(struct drive_feed q, const struct actor *who)
{
    struct drive_viewer v;
    const char *text = "";
    int64_t next, last = 0;
    drive_viewer(&tx, who, &v);
    q.viewer = &v;
    do {
        struct drive_feed_entry *list;
        size_t n;
        ok(drive_feed_read(&q, &list, &n, &next));
        assert_in_range(n, next ? q.limit : 0, q.limit);
        for (size_t i = 0; i < n; i++) {
            assert_true(list[i].number > last && list[i].number >= q.from);
            last = list[i].number;
            text = arena_printf(tx.arena, "%s%s%s%s%s", text, *text ? " " : "", list[i].key,
                                list[i].is_drive ? "!" : "", list[i].removed ? "-" : "");
            assert_int_equal(list[i].item.id != 0, !list[i].removed);
            assert_int_equal(list[i].form,
                             strncmp(list[i].key, "dir!", 4) == 0 ? DRIVE_FOLDER : DRIVE_FILE);
        }
        if (next) {
            assert_true(next > last);
            text = arena_printf(tx.arena, "%s /", text);
        }
        q.from = next;
    } while (next);
    return text;
}

static const struct drive_feed ALL = {.from = 1, .limit = 100, .shared_too = true, .removed = true};

static void is_in(const struct actor *who, struct drive_feed q, const char *expected)
{
    const char *is = read_feed(q, who);
    if (strcmp(is, expected) != 0)
        fail_msg("%s has \"%s\" and not \"%s\"", who->email, is, expected);
}

/* ---- whose feed has it ---- */

static void an_item_is_in_the_feeds_of_those_who_have_it_themselves(void **state)
{
    struct drive_feed own = ALL;
    struct drive_item it;
    (void)state;
    own.own_only = true;
    add(&root, "doc!a", "text/plain");
    add(&root, "dir!f", "folder");
    it = item_named("dir!f");
    add(&it, "doc!in", "text/plain");
    add(&root, "doc!link", "text/plain");
    add(&root, "doc!group", "text/plain");
    add(&root, "doc!domain", "text/plain");
    commit();
    is_in(&ada, ALL, "doc!a dir!f doc!in doc!link doc!group doc!domain");
    is_in(&bob, ALL, "");
    grant("dir!f", GRANT_PERSON, BOB, ROLE_WRITER);
    grant("doc!link", GRANT_ANYONE, "", ROLE_READER);
    grant("doc!group", GRANT_GROUP, "all@acme.example", ROLE_READER);
    grant("doc!domain", GRANT_DOMAIN, "acme.example", ROLE_COMMENTER);
    commit();
    is_in(&ada, ALL, "doc!a doc!in dir!f doc!link doc!group doc!domain");
    is_in(&bob, ALL, "doc!in dir!f doc!group");
    is_in(&eve, ALL, "");
    is_in(&bob, own, "");
    is_in(&ada, own, "doc!a doc!in dir!f doc!link doc!group doc!domain");
    /* What somebody opened by a link, or was given for their organisation, too. */
    it = item_named("doc!link");
    ok(drive_mine_save(&tx, it.id, eve.id, &(struct drive_mine){.viewed_us = tx.now_us}));
    ok(drive_mine_save(&tx, it.id, bob.id, &(struct drive_mine){.starred = true}));
    it = item_named("doc!domain");
    ok(drive_mine_save(&tx, it.id, bob.id, &(struct drive_mine){.viewed_us = tx.now_us}));
    ok(drive_mine_save(&tx, it.id, eve.id, &(struct drive_mine){.viewed_us = tx.now_us}));
    is_in(&eve, ALL, "doc!link");
    is_in(&bob, ALL, "doc!in dir!f doc!group doc!domain");
    is_in(&eve, own, "");
    /* An item is once in it, with its last change, whatever changed it. */
    it = item_named("doc!in");
    it.name = "other";
    ok(drive_item_save(&tx, &it));
    it = item_named("doc!in");
    ok(drive_item_save(&tx, &it));
    is_in(&bob, ALL, "dir!f doc!group doc!domain doc!in");
    is_in(&ada, ALL, "doc!a dir!f doc!link doc!group doc!domain doc!in");
    /* What is limited below what they have is out of their feed. */
    it = item_named("dir!f");
    it.flags |= DRIVE_LIMITED;
    ok(drive_item_save(&tx, &it));
    is_in(&bob, ALL, "doc!group doc!domain doc!in dir!f");
}

static void pages_of_a_feed_are_one_feed(void **state)
{
    static const char *const expected[] = {
        "doc!1 / doc!2 / doc!3 / doc!4 / doc!5", "doc!1 doc!2 / doc!3 doc!4 / doc!5",
        "doc!1 doc!2 doc!3 / doc!4 doc!5", "doc!1 doc!2 doc!3 doc!4 / doc!5",
        "doc!1 doc!2 doc!3 doc!4 doc!5"};
    struct drive_item home;
    int64_t newest, since;
    (void)state;
    ok(drive_change_newest(&tx, &newest));
    assert_int_equal(newest, 0);
    ok(drive_change_since(&tx, 0, &since));
    assert_int_equal(since, 1);
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    int64_t at[6];
    for (int i = 1; i < 6; i++) {
        add(&root, arena_printf(tx.arena, "doc!%d", i), "text/plain");
        add(&home, arena_printf(tx.arena, "doc!b%d", i), "text/plain"); /* not in it */
        at[i] = tx.now_us;
        later(10);
    }
    for (size_t limit = 1; limit < 7; limit++) {
        struct drive_feed q = ALL;
        q.limit = limit;
        is_in(&ada, q, expected[limit < 5 ? limit - 1 : 4]);
    }
    ok(drive_change_newest(&tx, &newest));
    assert_int_equal(newest, 10);
    for (int i = 1; i < 6; i++) {
        struct drive_feed q = ALL;
        ok(drive_change_since(&tx, at[i], &since));
        assert_int_equal(since, 2 * i - 1);
        q.from = since;
        is_in(&ada, q, strstr(expected[4], arena_printf(tx.arena, "doc!%d", i)));
        q.from = since + 1;
        is_in(&ada, q, i < 5 ? strstr(expected[4], arena_printf(tx.arena, "doc!%d", i + 1)) : "");
        ok(drive_change_since(&tx, at[i] + 1, &since));
        assert_int_equal(since, 2 * i + 1);
    }
    struct drive_viewer v;
    struct drive_feed q = ALL;
    struct drive_feed_entry *list;
    size_t n;
    int64_t next;
    drive_viewer(&tx, &ada, &v);
    q.viewer = &v;
    ok(drive_feed_read(&q, &list, &n, &next));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(list[i].time_us, at[i + 1]);
}

static void a_shared_drive_has_a_feed_of_its_own(void **state)
{
    struct drive_settings s = {0};
    struct drive_item top, it;
    struct drive_feed in = ALL, mine = ALL, own = ALL;
    (void)state;
    ok(drive_shared_make(&tx, &ada, "dir!s", "Eng", &s, &top));
    sql("delete from drive_change"); /* of its first member */
    add(&top, "doc!s", "text/plain");
    add(&top, "dir!t", "folder");
    it = item_named("dir!t");
    add(&it, "doc!t", "text/plain");
    add(&root, "doc!r", "text/plain");
    ok(drive_drive_changed(&tx, &top));
    in.drive = top.id;
    mine.shared_too = false;
    own.own_only = true;
    is_in(&ada, in, "doc!s dir!t doc!t dir!s!");
    is_in(&ada, ALL, "doc!r dir!s!"); /* members have what is in it in its own */
    is_in(&ada, mine, "doc!r");
    is_in(&ada, own, "doc!r dir!s!");
    is_in(&eve, ALL, "");
    is_in(&eve, in, "");
    grant("doc!t", GRANT_PERSON, EVE, ROLE_READER); /* who is not a member has it in theirs */
    is_in(&eve, ALL, "doc!t");
    is_in(&eve, own, "");
    is_in(&eve, mine, "");
    is_in(&eve, in, "doc!t");
    is_in(&ada, in, "doc!s dir!t dir!s! doc!t");
    grant("dir!s", GRANT_PERSON, EVE, ROLE_READER);
    is_in(&eve, ALL, "dir!s!");
    /* What is of the drive itself is not an app's. */
    struct drive_feed made = in;
    made.made_by[0] = APP;
    is_in(&ada, made, "");
    it = item_named("doc!s");
    it.creator_app = APP;
    ok(drive_item_save(&tx, &it));
    is_in(&ada, made, "doc!s");
    made.made_by[0] = APP + 1;
    is_in(&ada, made, "");
    made.made_by[1] = APP;
    is_in(&ada, made, "doc!s");
    it = item_named("doc!s");
    ok(drive_delete(&tx, &it));
    is_in(&ada, made, "doc!s-"); /* whose what is gone was is not known */
    made.removed = false;
    is_in(&ada, made, "");
}

static void an_apps_own_data_is_in_a_feed_of_the_app(void **state)
{
    struct drive_item data;
    struct drive_feed q = ALL;
    (void)state;
    assert_int_equal(drive_app_data(&tx, ada.id, APP, &data), 1);
    add(&data, "doc!d", "text/plain");
    add(&root, "doc!a", "text/plain");
    q.app_space = APP;
    is_in(&ada, q, "doc!d");
    is_in(&ada, ALL, "doc!a");
    is_in(&bob, q, "");
    q.made_by[0] = APP; /* in its own space all is the app's */
    is_in(&ada, q, "doc!d");
    q.app_space = APP + 1;
    is_in(&ada, q, "");
}

static void who_saw_an_item_has_it_when_it_is_out_of_sight(void **state)
{
    struct drive_feed there = ALL;
    struct drive_item it, home, f;
    (void)state;
    there.removed = false;
    add(&root, "doc!a", "text/plain");
    add(&root, "dir!f", "folder");
    it = item_named("dir!f");
    add(&it, "doc!in", "text/plain");
    grant("doc!a", GRANT_PERSON, BOB, ROLE_READER);
    grant("doc!a", GRANT_GROUP, "far@far.example", ROLE_READER);
    grant("dir!f", GRANT_PERSON, BOB, ROLE_WRITER);
    commit();
    it = item_named("doc!a");
    struct drive_grant *list;
    size_t n;
    ok(drive_grants(&tx, it.id, &list, &n));
    assert_int_equal(n, 2);
    ok(drive_grant_remove(&tx, &it, &list[0]));
    is_in(&bob, ALL, "doc!in dir!f doc!a-");
    is_in(&bob, there, "doc!in dir!f");
    is_in(&eve, ALL, "doc!a");
    is_in(&ada, ALL, "doc!in dir!f doc!a");
    /* Given again it is there, and the other entry is not. */
    grant("doc!a", GRANT_PERSON, BOB, ROLE_READER);
    is_in(&bob, ALL, "doc!in dir!f doc!a");
    /* Deleted it is gone for all who saw it, each item for itself. */
    it = item_named("doc!a");
    ok(drive_delete(&tx, &it));
    is_in(&eve, ALL, "doc!a-");
    is_in(&eve, there, "");
    f = item_named("dir!f");
    /* One that moves is out of sight of those who do not see it there. */
    it = item_named("doc!in");
    ok(drive_move(&tx, &it, &root, ada.id));
    ok(drive_item_save(&tx, &it));
    is_in(&ada, ALL, "dir!f doc!a- doc!in");
    assert_non_null(strstr(read_feed(ALL, &bob), "doc!in-"));
    assert_null(strstr(read_feed(ALL, &eve), "doc!in"));
    ok(drive_move(&tx, &it, &f, ada.id));
    ok(drive_item_save(&tx, &it));
    assert_null(strstr(read_feed(ALL, &bob), "doc!in-"));
    assert_non_null(strstr(read_feed(ALL, &bob), "doc!in"));
    ok(drive_delete(&tx, &f));
    commit();
    assert_non_null(strstr(read_feed(ALL, &bob), "dir!f- doc!in-"));
    assert_non_null(strstr(read_feed(ALL, &ada), "dir!f- doc!in-"));
    assert_null(strstr(read_feed(ALL, &eve), "dir!f"));
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
}

static void a_member_has_the_drive_while_they_are(void **state)
{
    struct drive_settings s = {0};
    struct drive_item top;
    struct drive_feed mine = ALL;
    (void)state;
    mine.shared_too = false;
    ok(drive_shared_make(&tx, &ada, "dir!s", "Eng", &s, &top));
    commit();
    top = item_named("dir!s");
    sql("delete from drive_change");
    ok(drive_member_changed(&tx, &top, GRANT_PERSON, BOB));
    is_in(&bob, ALL, ""); /* he is none yet */
    grant("dir!s", GRANT_PERSON, BOB, ROLE_READER);
    sql("delete from drive_change");
    top = item_named("dir!s");
    ok(drive_member_changed(&tx, &top, GRANT_PERSON, BOB));
    ok(drive_member_changed(&tx, &top, GRANT_PERSON, BOB));
    is_in(&bob, ALL, "dir!s!"); /* once */
    is_in(&bob, mine, "");      /* where drives are not asked for they are not */
    is_in(&ada, ALL, "");       /* for him alone */
    ok(drive_member_changed(&tx, &top, GRANT_GROUP, "far@far.example"));
    is_in(&eve, ALL, "");
    is_in(&bob, ALL, "dir!s!");
    ok(drive_removed(&tx, &top, GRANT_PERSON, BOB));
    struct drive_grant *list;
    size_t n;
    ok(drive_grants(&tx, top.id, &list, &n));
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].who, BOB) == 0)
            ok(drive_grant_remove(&tx, &top, &list[i]));
    const char *is = read_feed(ALL, &bob);
    assert_non_null(strstr(is, "dir!s!-"));
    is_in(&bob, mine, "");
    is_in(&eve, ALL, "");
}

/* ---- whose feeds have more ---- */

static char noted[1000];
static int n_noted; /* feeds, each time */

static void note_events(const struct world_event *first)
{
    noted[0] = 0;
    n_noted = 0;
    for (const struct world_event *e = first; e; e = e->next) {
        char one[60];
        bool feed = strcmp(e->kind, CHANGED_FEED) == 0;
        if (strcmp(e->kind, CHANGED_DRIVE_FEED) == 0)
            snprintf(one, sizeof one, "drive ");
        else if (strcmp(e->kind, CHANGED_FILE) == 0)
            snprintf(one, sizeof one, "file%d ", e->operation);
        else
            snprintf(one, sizeof one, "%s ", feed ? names[e->scope - ada.id] : e->kind);
        n_noted += feed;
        if (!strstr(noted, one))
            strncat(noted, one, sizeof noted - strlen(noted) - 1);
    }
}

/* What a call notes, which ends here. */
static void notes(const char *expected)
{
    noted[0] = 0;
    commit();
    assert_string_equal(noted, expected);
}

static void those_who_have_it_are_notified(void **state)
{
    struct drive_settings s = {0};
    struct drive_item it, top;
    (void)state;
    assert_int_equal(bob.id, ada.id + 1);
    assert_int_equal(eve.id, ada.id + 2);
    commit();
    events_seen = note_events;
    add(&root, "doc!a", "text/plain");
    notes("ada ");
    add(&root, "dir!f", "folder");
    it = item_named("dir!f");
    add(&it, "doc!in", "text/plain");
    notes("ada ");
    grant("dir!f", GRANT_PERSON, BOB, ROLE_READER);
    commit();
    it = item_named("doc!in");
    ok(drive_item_save(&tx, &it));
    notes("ada bob ");
    grant("doc!a", GRANT_GROUP, "far@far.example", ROLE_READER);
    grant("doc!a", GRANT_DOMAIN, "acme.example", ROLE_READER);
    grant("doc!a", GRANT_ANYONE, "", ROLE_READER);
    commit();
    it = item_named("doc!a");
    ok(drive_item_save(&tx, &it));
    notes("ada eve ");
    /* Neighbours have one audience, which is notified once. */
    it = item_named("dir!f");
    add(&it, "doc!in2", "text/plain");
    add(&it, "doc!in3", "text/plain");
    it = item_named("doc!in");
    ok(drive_item_save(&tx, &it));
    notes("ada bob ");
    assert_int_equal(n_noted, 2);
    /* Neighbours of one call, some of which have more. */
    it = item_named("doc!in");
    ok(drive_item_save(&tx, &it));
    it = item_named("doc!a");
    ok(drive_item_save(&tx, &it));
    ok(drive_item_save(&tx, &it));
    it = item_named("dir!f");
    ok(drive_item_save(&tx, &it));
    noted[0] = 0;
    commit();
    assert_true(strstr(noted, "ada ") && strstr(noted, "bob ") && strstr(noted, "eve "));
    /* Who lost it is notified, and who watches the file when it goes. */
    it = item_named("doc!a");
    ok(drive_removed(&tx, &it, GRANT_PERSON, EVE));
    notes("eve ");
    ok(drive_removed(&tx, &it, GRANT_GROUP, "all@acme.example"));
    notes("ada bob ");
    ok(drive_removed(&tx, &it, GRANT_GROUP, "none@acme.example"));
    notes("");
    ok(drive_removed(&tx, &it, GRANT_DOMAIN, "acme.example"));
    notes("");
    it = item_named("doc!a");
    ok(drive_removed(&tx, &it, 0, NULL));
    notes("file2 ada eve ");
    /* Shared drives have a feed of their own. */
    ok(drive_shared_make(&tx, &ada, "dir!s", "Eng", &s, &top));
    commit();
    top = item_named("dir!s");
    add(&top, "doc!s", "text/plain");
    notes("drive ");
    it = item_named("doc!s");
    ok(drive_removed(&tx, &it, GRANT_PERSON, EVE));
    notes("drive ");
    it = item_named("doc!s");
    top = item_named("dir!s");
    ok(drive_move(&tx, &it, &root, ada.id));
    ok(drive_item_save(&tx, &it));
    notes("drive ada ");
    top = item_named("dir!s");
    ok(drive_drive_changed(&tx, &top));
    notes("drive ");
    ok(drive_member_changed(&tx, &top, GRANT_PERSON, BOB));
    notes("bob ");
    ok(drive_member_changed(&tx, &top, GRANT_GROUP, "far@far.example"));
    notes("eve ");
    ok(drive_member_changed(&tx, &top, GRANT_PERSON, "none@x.example"));
    notes("");
    static const char *const members[] = {"content", NULL};
    it = item_named("doc!s");
    drive_raise(&tx, &it, OP_CHANGED, members);
    notes("file1 ");
    events_seen = NULL;
}

/* ---- rows that make no sense ---- */

static void who_saw_it_may_be_anything(void **state)
{
    static const struct {
        const char *seen_by;
        bool bobs;
    } tries[] = {
        {"[\"1 " BOB "\"]", true},
        {"[\"1 " BOB "\",\"1 x@x.example\"]", true},
        {"[\"1 x@x.example\",\"2 all@acme.example\"]", true},
        {"[1,\"\",\"1\",\"1" BOB "\",\"0 " BOB "\",\"5 all@acme.example\",null,[],{}]", false},
        {"[1,null,\"x\",\"1 " BOB "\"]", true},
        {"[\"2 none@x.example\"]", false},
        {"[\"3 acme.example\",\"4 \"]", false},
        {"[\"9 all@acme.example\",\"/ all@acme.example\",\"2\"]", false},
        {"[]", false},
        {"{}", false},
        {"x", false},
        {"{\"a\":\"1 " BOB "\"}", false},
    };
    (void)state;
    struct drive_item it = add(&root, "doc!a", "text/plain");
    ok(drive_delete(&tx, &it));
    commit();
    for (size_t i = 0; i < SOSIA_LEN(tries); i++) {
        sql(arena_printf(tx.arena, "update drive_change set seen_by = '%s'", tries[i].seen_by));
        is_in(&bob, ALL, tries[i].bobs ? "doc!a-" : "");
    }
    sql("update drive_change set seen_by = null");
    is_in(&bob, ALL, "");
    sql("update drive_change set seen_by = '[\"1 " BOB "\"]', removed = 0");
    is_in(&bob, ALL, ""); /* there is no such item */
}

static int close_world(void **state)
{
    events_seen = NULL;
    end();
    return test_close_engine(state);
}

#define OF_LOOSE(test)                                                                             \
    {                                                                                              \
#test, test, open_document, close_world, (void *)(uintptr_t)&loose                         \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF_LOOSE(an_item_is_in_the_feeds_of_those_who_have_it_themselves),
        OF_LOOSE(pages_of_a_feed_are_one_feed),
        OF_LOOSE(a_shared_drive_has_a_feed_of_its_own),
        OF_LOOSE(an_apps_own_data_is_in_a_feed_of_the_app),
        OF_LOOSE(who_saw_an_item_has_it_when_it_is_out_of_sight),
        OF_LOOSE(a_member_has_the_drive_while_they_are),
        OF_LOOSE(those_who_have_it_are_notified),
        OF_LOOSE(who_saw_it_may_be_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
