/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What somebody has at an item: by whom they are, by groups, domains and links, from folders above
 * and from owning these, and what else is said of it. Once for each of two vendors.
 */
#include "services/drive/core/access/link.h"
#include "services/drive/core/drive_impl.h"
#include "tests/services/drive/core/drive_world.h"
#include "tests/support/world.h"
#include <sqlite3.h>

static const struct actor nobody = {.handle = "", .email = "", .kind = "", .name = ""};

static int64_t group_of(const char *email, const char *const *members)
{
    int64_t id;
    done(group_new(&tx, email, email, &id));
    for (; *members; members++)
        ok(group_add_member(&tx, id, *members));
    return id;
}

/* ---- who is meant ---- */

static void a_grant_is_for_those_it_names(void **state)
{
    static const char *const inner[] = {BOB, NULL}, *const outer[] = {"inner@acme.example", NULL};
    static const struct {
        enum drive_grantee kind;
        const char *who;
        int ada, bob, eve, nobody, direct; /* the last: bob, of whom what anyone has is not asked */
    } cases[] = {
        {GRANT_PERSON, BOB, 0, 1, 0, 0, 1},
        {GRANT_PERSON, "bo", 0, 0, 0, 0, 0},
        {GRANT_PERSON, "", 0, 0, 0, 0, 0},
        {GRANT_GROUP, "inner@acme.example", 0, 1, 0, 0, 1},
        {GRANT_GROUP, "outer@acme.example", 0, 1, 0, 0, 1},
        {GRANT_GROUP, "none@acme.example", 0, 0, 0, 0, 0},
        {GRANT_GROUP, BOB, 0, 0, 0, 0, 0},
        {GRANT_DOMAIN, "acme.example", 1, 1, 0, 0, 0},
        {GRANT_DOMAIN, "far.example", 0, 0, 1, 0, 0},
        {GRANT_DOMAIN, "", 0, 0, 0, 0, 0},
        {GRANT_ANYONE, "", 1, 1, 1, 1, 0},
    };
    struct drive_viewer v[5];
    (void)state;
    group_of("inner@acme.example", inner);
    group_of("outer@acme.example", outer);
    drive_viewer(&tx, &ada, &v[0]);
    drive_viewer(&tx, &bob, &v[1]);
    drive_viewer(&tx, &eve, &v[2]);
    drive_viewer(&tx, &nobody, &v[3]);
    drive_viewer(&tx, &bob, &v[4]);
    v[4].only_direct = true;
    for (int twice = 0; twice < 2; twice++) /* what was found out is as what is found out */
        for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
            const int expected[] = {cases[i].ada, cases[i].bob, cases[i].eve, cases[i].nobody,
                                    cases[i].direct};
            for (size_t k = 0; k < 5; k++)
                if (drive_is_meant(&v[k], cases[i].kind, cases[i].who) != expected[k])
                    fail_msg("%d %s, viewer %zu", cases[i].kind, cases[i].who, k);
        }
}

/* What has no address is given nothing but what was its own. */
static void who_has_no_address_is_known_by_the_handle(void **state)
{
    const struct actor library = {.id = 999,
                                  .handle = "lib:1",
                                  .email = "",
                                  .kind = "",
                                  .name = ""},
                       bare = {.id = 998, .email = ""};
    struct drive_item a = add_in(&root, DRIVE_FILE, "a");
    struct drive_viewer v, w;
    (void)state;
    drive_viewer(&tx, &library, &v);
    drive_viewer(&tx, &bare, &w);
    assert_int_equal(drive_is_meant(&v, GRANT_PERSON, "lib:1"), 1);
    assert_int_equal(drive_is_meant(&v, GRANT_PERSON, "lib:2"), 0);
    assert_int_equal(drive_is_meant(&v, GRANT_PERSON, ""), 0);
    assert_int_equal(drive_is_meant(&v, GRANT_GROUP, "lib:1"), 0);
    assert_int_equal(drive_is_meant(&v, GRANT_DOMAIN, "lib:1"), 0);
    assert_int_equal(drive_is_meant(&v, GRANT_DOMAIN, ""), 0);
    assert_int_equal(drive_is_meant(&v, GRANT_ANYONE, ""), 1);
    assert_int_equal(drive_is_meant(&w, GRANT_PERSON, "lib:1"), 0);
    give(&a, GRANT_PERSON, "lib:1", ROLE_WRITER, false);
    assert_int_equal(role_of(&library, &a), ROLE_WRITER);
    assert_int_equal(role_of(&bare, &a), ROLE_NONE);
}

/* ---- one item ---- */

static void nobody_has_what_anyone_has(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a");
    (void)state;
    assert_int_equal(role_of(&nobody, &a), ROLE_NONE);
    give(&a, GRANT_DOMAIN, "acme.example", ROLE_WRITER, false);
    give(&a, GRANT_PERSON, BOB, ROLE_WRITER, false);
    assert_int_equal(role_of(&nobody, &a), ROLE_NONE);
    give(&a, GRANT_ANYONE, "", ROLE_READER, false);
    struct drive_access at = access_of(&nobody, &a);
    assert_true(at.role == ROLE_READER && at.link && !at.inherited && !at.expires);
}

/* Of what gives the same the nearest to the person counts; they see by the link what nothing is
 * given to them at. */
static void a_link_is_what_somebody_has_no_other_way(void **state)
{
    static const char *const of_eve[] = {EVE, NULL};
    struct drive_item a = add_in(&root, DRIVE_FILE, "a"), b = add_in(&root, DRIVE_FILE, "b");
    struct drive_access at;
    (void)state;
    group_of("eves@acme.example", of_eve);
    give(&a, GRANT_ANYONE, "", ROLE_WRITER, false);
    assert_true(access_of(&eve, &a).link);
    give(&a, GRANT_PERSON, EVE, ROLE_READER, false); /* less, but theirs */
    at = access_of(&eve, &a);
    assert_true(at.role == ROLE_WRITER && !at.link);
    give(&a, GRANT_PERSON, EVE, ROLE_NONE, true); /* a grant of nothing does not count */
    at = access_of(&eve, &a);
    assert_true(at.role == ROLE_WRITER && at.link);
    give(&a, GRANT_GROUP, "eves@acme.example", ROLE_READER, false);
    assert_false(access_of(&eve, &a).link);
    give(&b, GRANT_DOMAIN, "far.example", ROLE_READER, false);
    assert_true(access_of(&eve, &b).link);
    give(&b, GRANT_ANYONE, "", ROLE_READER, false);
    assert_true(access_of(&eve, &b).link);
    assert_int_equal(role_of(&bob, &b), ROLE_READER);
    give(&b, GRANT_PERSON, EVE, ROLE_READER, false);
    assert_false(access_of(&eve, &b).link);
}

static void an_end_takes_away_at_its_time(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a");
    struct drive_grant g = {
        .kind = GRANT_PERSON, .who = BOB, .role = ROLE_WRITER, .expires_us = tx.now_us + 1};
    (void)state;
    done(drive_grant_set(&tx, &a, &g));
    struct drive_access at = access_of(&bob, &a);
    assert_true(at.role == ROLE_WRITER && at.expires);
    g.expires_us = tx.now_us; /* nothing takes the row away yet */
    done(drive_grant_set(&tx, &a, &g));
    assert_int_equal(role_of(&bob, &a), ROLE_NONE);
    give(&a, GRANT_DOMAIN, "acme.example", ROLE_READER, false);
    at = access_of(&bob, &a);
    assert_true(at.role == ROLE_READER && !at.expires);
    g.expires_us = 0;
    done(drive_grant_set(&tx, &a, &g));
    at = access_of(&bob, &a);
    assert_true(at.role == ROLE_WRITER && !at.expires);
}

static void a_view_that_is_published_gives_nothing_at_the_item(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a");
    struct drive_grant g = {
        .kind = GRANT_PERSON, .who = BOB, .role = ROLE_READER, .view = "published"};
    (void)state;
    assert_int_equal(drive_is_granted(&tx, &a), 0);
    done(drive_grant_set(&tx, &a, &g));
    assert_int_equal(role_of(&bob, &a), ROLE_NONE);
    a = again(&a);
    assert_true(a.flags & DRIVE_GRANTED);
    assert_int_equal(drive_is_granted(&tx, &a), 0);
    give(&a, GRANT_PERSON, EVE, ROLE_READER, false);
    a = again(&a);
    assert_int_equal(drive_is_granted(&tx, &a), 1);
}

static void its_owner_has_all_of_it(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), a = add_in(&f, DRIVE_FILE, "a");
    struct drive_grant g = {
        .kind = GRANT_PERSON, .who = ADA, .role = ROLE_READER, .expires_us = tx.now_us + DAY_US};
    (void)state;
    done(drive_grant_set(&tx, &f, &g));
    give(&a, GRANT_ANYONE, "", ROLE_WRITER, false);
    struct drive_access at = access_of(&ada, &a);
    assert_true(at.role == ROLE_OWNER && !at.link && !at.inherited && !at.expires && !at.trashed &&
                !at.no_download);
}

/* ---- from above ---- */

static void what_is_above_is_inherited_unless_there_is_more_here(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_in(&f, DRIVE_FOLDER, "g"),
                      a = add_in(&g, DRIVE_FILE, "a");
    struct drive_access at;
    (void)state;
    give(&f, GRANT_PERSON, BOB, ROLE_COMMENTER, false);
    at = access_of(&bob, &f);
    assert_true(at.role == ROLE_COMMENTER && !at.inherited);
    at = access_of(&bob, &a);
    assert_true(at.role == ROLE_COMMENTER && at.inherited);
    give(&a, GRANT_PERSON, BOB, ROLE_READER, false); /* less does not count */
    at = access_of(&bob, &a);
    assert_true(at.role == ROLE_COMMENTER && at.inherited);
    give(&a, GRANT_PERSON, BOB, ROLE_WRITER, false);
    at = access_of(&bob, &a);
    assert_true(at.role == ROLE_WRITER && !at.inherited);
    give(&a, GRANT_PERSON, BOB, ROLE_READER, true); /* unless it says that it lowers */
    at = access_of(&bob, &a);
    assert_true(at.role == ROLE_READER && !at.inherited);
    give(&g, GRANT_GROUP, "none@acme.example", ROLE_WRITER, true); /* and of one grantee alone */
    assert_int_equal(role_of(&bob, &g), ROLE_COMMENTER);
    give(&g, GRANT_PERSON, BOB, ROLE_NONE, true);
    assert_int_equal(role_of(&bob, &g), ROLE_NONE);
    assert_int_equal(role_of(&bob, &a), ROLE_READER);
    assert_int_equal(role_of(&bob, &f), ROLE_COMMENTER);
}

static void a_lowered_right_leaves_the_others_as_they_are(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_in(&f, DRIVE_FOLDER, "g"),
                      a = add_in(&g, DRIVE_FILE, "a");
    (void)state;
    give(&f, GRANT_DOMAIN, "acme.example", ROLE_READER, false);
    give(&f, GRANT_ANYONE, "", ROLE_COMMENTER, false);
    give(&f, GRANT_PERSON, BOB, ROLE_WRITER, false);
    assert_int_equal(role_of(&bob, &a), ROLE_WRITER);
    give(&g, GRANT_PERSON, BOB, ROLE_NONE, true);
    assert_int_equal(role_of(&bob, &a), ROLE_COMMENTER);
    give(&g, GRANT_ANYONE, "", ROLE_NONE, true);
    assert_int_equal(role_of(&bob, &a), ROLE_READER);
    assert_int_equal(role_of(&eve, &a), ROLE_NONE);
    give(&g, GRANT_DOMAIN, "acme.example", ROLE_NONE, true);
    assert_int_equal(role_of(&bob, &a), ROLE_NONE);
    assert_int_equal(role_of(&bob, &f), ROLE_WRITER);
}

/* Who has a folder writes in it: in what others own too. */
static void the_owner_of_a_folder_writes_in_it(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_of(&f, DRIVE_FOLDER, "g", &bob),
                      a = add_of(&g, DRIVE_FILE, "a", &eve),
                      in_f = add_of(&f, DRIVE_FILE, "b", &eve);
    struct drive_access at;
    (void)state;
    at = access_of(&ada, &a);
    assert_true(at.role == ROLE_WRITER && at.inherited && !at.link);
    at = access_of(&bob, &a);
    assert_true(at.role == ROLE_WRITER && at.inherited && !at.link);
    assert_int_equal(role_of(&eve, &a), ROLE_OWNER);
    assert_int_equal(role_of(&eve, &g), ROLE_NONE);
    assert_int_equal(role_of(&bob, &in_f), ROLE_NONE);
    give(&g, GRANT_PERSON, ADA, ROLE_NONE, true); /* a folder below may end it */
    assert_int_equal(role_of(&ada, &a), ROLE_NONE);
    assert_int_equal(role_of(&ada, &in_f), ROLE_WRITER);
}

static void a_limited_folder_is_seen_and_not_what_is_in_it(void **state)
{
    struct drive_item f = add_of(&root, DRIVE_FOLDER, "f", &ada), g = add_in(&f, DRIVE_FOLDER, "g"),
                      h = add_in(&g, DRIVE_FOLDER, "h"), a = add_in(&h, DRIVE_FILE, "a");
    (void)state;
    give(&f, GRANT_PERSON, BOB, ROLE_FILE_ORGANIZER, false);
    give(&f, GRANT_PERSON, EVE, ROLE_NONE, false);
    g.flags |= DRIVE_LIMITED;
    done(drive_item_save(&tx, &g));
    struct drive_access at = access_of(&bob, &g);
    assert_true(at.role == ROLE_SEES && at.inherited);
    assert_int_equal(role_of(&bob, &h), ROLE_NONE);
    assert_int_equal(role_of(&bob, &a), ROLE_NONE);
    assert_int_equal(role_of(&eve, &g), ROLE_NONE); /* who has nothing above sees nothing */
    assert_int_equal(role_of(&ada, &a), ROLE_OWNER);
    give(&h, GRANT_PERSON, BOB, ROLE_READER, false); /* what is granted below counts */
    assert_int_equal(role_of(&bob, &a), ROLE_READER);
    assert_int_equal(role_of(&bob, &g), ROLE_SEES);
}

static void organizers_are_not_limited(void **state)
{
    struct drive_item top = shared_by(&ada, "D"), g = add_in(&top, DRIVE_FOLDER, "g"),
                      a = add_in(&g, DRIVE_FILE, "a");
    (void)state;
    give(&top, GRANT_PERSON, BOB, ROLE_FILE_ORGANIZER, false);
    g.flags |= DRIVE_LIMITED;
    done(drive_item_save(&tx, &g));
    assert_int_equal(role_of(&ada, &g), ROLE_ORGANIZER);
    assert_int_equal(role_of(&ada, &a), ROLE_ORGANIZER);
    assert_int_equal(role_of(&bob, &g), ROLE_SEES);
    assert_int_equal(role_of(&bob, &a), ROLE_NONE);
    assert_int_equal(role_of(&eve, &a), ROLE_NONE);
}

static void what_is_in_a_trashed_folder_is_in_the_trash(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_in(&f, DRIVE_FOLDER, "g"),
                      a = add_in(&g, DRIVE_FILE, "a"), b = add_in(&f, DRIVE_FILE, "b");
    (void)state;
    assert_false(access_of(&ada, &a).trashed);
    done(drive_trash(&tx, &g, ada.id));
    done(drive_item_save(&tx, &g));
    assert_true(access_of(&ada, &g).trashed);
    assert_true(access_of(&ada, &a).trashed);
    assert_false(access_of(&ada, &b).trashed);
    assert_false(access_of(&ada, &f).trashed);
    done(drive_trash(&tx, &f, ada.id));
    done(drive_item_save(&tx, &f));
    done(drive_untrash(&tx, &g));
    done(drive_item_save(&tx, &g));
    assert_true(access_of(&ada, &a).trashed); /* the folder above it still is */
}

/* ---- many ---- */

static int64_t steps_until_now(void)
{
    int64_t n = 0;
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(slot_db(tx.db), st));)
        n += sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    return n;
}

/* One viewer looks at what is in many folders: each has its own, and is looked at once. */
static void a_viewer_knows_each_folder_by_itself(void **state)
{
    enum { FOLDERS = 700 };
    static struct drive_item in[FOLDERS];
    struct drive_viewer v;
    struct drive_access at;
    int64_t steps[2];
    (void)state;
    for (int i = 0; i < FOLDERS; i++) {
        struct drive_item f = add_in(&root, DRIVE_FOLDER, arena_printf(tx.arena, "folder %d", i));
        in[i] = add_in(&f, DRIVE_FILE, "a");
        if (i % 3)
            give(&f, GRANT_PERSON, BOB, i % 3 == 1 ? ROLE_READER : ROLE_WRITER, false);
    }
    drive_viewer(&tx, &bob, &v);
    for (int turn = 0; turn < 2; turn++) {
        steps_until_now();
        for (int k = 0; k < FOLDERS; k++) {
            const int i = k * 13 % FOLDERS;
            done(drive_role(&v, &in[i], &at));
            assert_int_equal(at.role, i % 3 == 1   ? ROLE_READER
                                      : i % 3 == 2 ? ROLE_WRITER
                                                   : ROLE_NONE);
        }
        steps[turn] = steps_until_now();
    }
    assert_in_range(steps[0], 1, 50 * FOLDERS);
    assert_int_equal(steps[1], 0);
    struct drive_item f = again(&in[5]);
    f = again(&(struct drive_item){.id = f.parent});
    give(&f, GRANT_PERSON, BOB, ROLE_COMMENTER, false);
    drive_viewer(&tx, &bob, &v); /* another one, who looks anew */
    done(drive_role(&v, &in[5], &at));
    assert_int_equal(at.role, ROLE_COMMENTER);
}

/* What is in a deep tree has what is granted at any place above. */
static void a_long_way_up_is_gone_once(void **state)
{
    struct drive_item way[5], at_end;
    struct drive_viewer v;
    struct drive_access at;
    (void)state;
    way[0] = add_in(&root, DRIVE_FOLDER, "0");
    for (int i = 1; i < vendor->max_depth - 1 && i < 5; i++)
        way[i] = add_in(&way[i - 1], DRIVE_FOLDER, arena_printf(tx.arena, "%d", i));
    at_end = add_in(&way[3], DRIVE_FILE, "a");
    give(&way[0], GRANT_PERSON, BOB, ROLE_READER, false);
    give(&way[1], GRANT_PERSON, EVE, ROLE_WRITER, false);
    give(&way[2], GRANT_PERSON, BOB, ROLE_COMMENTER, false);
    give(&way[3], GRANT_DOMAIN, "far.example", ROLE_READER, false);
    drive_viewer(&tx, &bob, &v);
    for (int i = 3; i >= 0; i--) { /* those below first, or those above */
        const struct drive_item now = again(&way[i]);
        done(drive_role(&v, &now, &at));
        assert_int_equal(at.role, i < 2 ? ROLE_READER : ROLE_COMMENTER);
        assert_int_equal(at.inherited, i != 0 && i != 2);
    }
    done(drive_role(&v, &at_end, &at));
    assert_true(at.role == ROLE_COMMENTER && at.inherited);
    drive_viewer(&tx, &eve, &v);
    for (int i = 0; i < 4; i++) {
        const struct drive_item now = again(&way[i]);
        done(drive_role(&v, &now, &at));
        assert_int_equal(at.role, i ? ROLE_WRITER : ROLE_NONE);
        assert_int_equal(at.inherited, i > 1);
        assert_false(at.link);
    }
}

static void only_what_is_given_directly_counts_where_it_is_asked_so(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), a = add_in(&f, DRIVE_FILE, "a");
    struct drive_link l = {.scope = LINK_ANONYMOUS, .type = LINK_EDIT};
    struct drive_viewer v;
    struct drive_access at;
    struct drive_item opened;
    (void)state;
    done(drive_link_save(&tx, &f, &l));
    drive_viewer(&tx, &eve, &v);
    done(drive_link_open(&v, l.token, NULL, &opened));
    done(drive_role(&v, &a, &at));
    assert_true(at.role == ROLE_WRITER && at.link && at.inherited);
    done(drive_role(&v, &f, &at));
    assert_true(at.role == ROLE_WRITER && at.link && !at.inherited && !at.expires);
    drive_viewer(&tx, &eve, &v);
    v.only_direct = true;
    done(drive_link_open(&v, l.token, NULL, &opened));
    done(drive_role(&v, &a, &at));
    assert_int_equal(at.role, ROLE_NONE);
    give(&f, GRANT_ANYONE, "", ROLE_READER, false);
    give(&f, GRANT_DOMAIN, "far.example", ROLE_READER, false);
    a = again(&a);
    drive_viewer(&tx, &eve, &v);
    v.only_direct = true;
    done(drive_role(&v, &a, &at));
    assert_int_equal(at.role, ROLE_NONE);
    give(&f, GRANT_PERSON, EVE, ROLE_COMMENTER, false);
    drive_viewer(&tx, &eve, &v);
    v.only_direct = true;
    done(drive_role(&v, &a, &at));
    assert_int_equal(at.role, ROLE_COMMENTER);
}

/* ---- for who needs a role ---- */

static void who_may_not_see_an_item_does_not_learn_of_it(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_in(&f, DRIVE_FOLDER, "g"),
                      a = add_in(&f, DRIVE_FILE, "a"), got = {0};
    struct drive_viewer v;
    struct drive_access at;
    (void)state;
    give(&f, GRANT_PERSON, BOB, ROLE_READER, false);
    g.flags |= DRIVE_LIMITED;
    done(drive_item_save(&tx, &g));
    drive_viewer(&tx, &eve, &v);
    assert_int_equal(drive_open(&v, a.key, ROLE_READER, &got, &at), -1);
    assert_int_equal(fault.code, SOSIA_E_NOT_FOUND);
    assert_string_equal(fault.where, "fileId");
    assert_non_null(strstr(fault.text, a.key));
    refused(-1, "notFound");
    refused(drive_open(&v, "doc!none", ROLE_READER, &got, &at), "notFound");
    drive_viewer(&tx, &bob, &v);
    assert_int_equal(drive_open(&v, a.key, ROLE_READER, &got, &at), 0);
    assert_int_equal(got.id, a.id);
    assert_true(at.role == ROLE_READER && at.inherited);
    assert_int_equal(drive_open(&v, a.key, ROLE_COMMENTER, &got, &at), -1);
    assert_int_equal(fault.code, SOSIA_E_FORBIDDEN);
    assert_string_equal(fault.where, "fileId");
    refused(-1, "role");
    assert_int_equal(drive_open(&v, g.key, ROLE_SEES, &got, &at), 0);
    refused(drive_open(&v, g.key, ROLE_READER, &got, &at), "role");
    done(drive_delete(&tx, &a));
    refused(drive_open(&v, a.key, ROLE_READER, &got, &at), "notFound");
    drive_viewer(&tx, &ada, &v);
    assert_int_equal(drive_open(&v, g.key, ROLE_OWNER, &got, &at), 0);
}

/* What was deleted is gone with all that is below it, for who looks through a viewer too. */
static void a_viewer_sees_what_is_gone(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_in(&f, DRIVE_FOLDER, "g"),
                      left = add_in(&root, DRIVE_FOLDER, "left"),
                      in = add_in(&left, DRIVE_FILE, "b");
    int64_t id = 0, last = 0;
    struct drive_viewer v;
    (void)state;
    for (int i = 0; i < 1200; i++) { /* more than goes with the call */
        last = id;
        id = add_in(&g, DRIVE_FILE, arena_printf(tx.arena, "n%d", i)).id;
    }
    drive_viewer(&tx, &ada, &v);
    assert_int_equal(drive_is_seen_gone(&v, id, g.id), 0);
    done(drive_delete(&tx, &f));
    drive_viewer(&tx, &ada, &v);
    assert_int_equal(drive_is_seen_gone(&v, id, g.id), 1);
    assert_int_equal(drive_is_seen_gone(&v, last, g.id), 1);
    assert_int_equal(drive_is_seen_gone(&v, f.id, 0), 1);
    assert_int_equal(drive_is_seen_gone(&v, in.id, left.id), 0);
    assert_int_equal(drive_is_seen_gone(&v, root.id, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_grant_is_for_those_it_names),
        BOTH(who_has_no_address_is_known_by_the_handle),
        BOTH(nobody_has_what_anyone_has),
        BOTH(a_link_is_what_somebody_has_no_other_way),
        BOTH(an_end_takes_away_at_its_time),
        BOTH(a_view_that_is_published_gives_nothing_at_the_item),
        BOTH(its_owner_has_all_of_it),
        BOTH(what_is_above_is_inherited_unless_there_is_more_here),
        BOTH(a_lowered_right_leaves_the_others_as_they_are),
        BOTH(the_owner_of_a_folder_writes_in_it),
        BOTH(a_limited_folder_is_seen_and_not_what_is_in_it),
        BOTH(organizers_are_not_limited),
        BOTH(what_is_in_a_trashed_folder_is_in_the_trash),
        BOTH(a_viewer_knows_each_folder_by_itself),
        BOTH(a_long_way_up_is_gone_once),
        BOTH(only_what_is_given_directly_counts_where_it_is_asked_so),
        BOTH(who_may_not_see_an_item_does_not_learn_of_it),
        BOTH(a_viewer_sees_what_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
