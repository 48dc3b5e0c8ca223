/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who an item is shared with, and sharing it: where what somebody has comes from, what a share
 * changes for whom it is given to, its end, and another owner. Once for each of two vendors.
 */
#include "services/drive/core/access/share.h"
#include "services/drive/core/feed.h"
#include "tests/services/drive/core/drive_world.h"
#include "tests/support/world.h"

/* "role@item" of each place, the nearest first; top: a shared drive's. */
static const char *places(const struct drive_share_from *f)
{
    const char *text = "";
    for (; f; f = f->next) {
        const struct drive_item at = again(&(struct drive_item){.id = f->item});
        text = arena_printf(tx.arena, "%s%s%d@%s%s", text, *text ? " " : "", f->role, at.name,
                            f->top ? " (top)" : "");
    }
    return text;
}

static const char *all_shares(const struct drive_item *it, bool published)
{
    struct drive_item now = again(it);
    struct drive_share *list;
    const char *text = "";
    size_t n;
    done(drive_shares(&tx, &now, published, &list, &n));
    for (size_t i = 0; i < n; i++)
        text =
            arena_printf(tx.arena, "%s%s%s%.3s:%d", text, i ? " " : "", list[i].owns ? "own " : "",
                         *list[i].who ? list[i].who : "any", list[i].role);
    return text;
}

static void share(const struct drive_item *it, enum drive_grantee kind, const char *who,
                  enum drive_role role, int64_t expires_us, int64_t sharer)
{
    struct drive_item now = again(it);
    struct drive_grant g = {.kind = kind, .who = who, .role = role, .expires_us = expires_us};
    done(drive_share_set(&tx, &now, share_of(it, kind, who, NULL), &g, sharer));
}

static void later(int64_t seconds)
{
    end();
    test_advance(seconds);
    begin();
}

/* ---- seen from the item ---- */

static void an_items_shares_are_in_order(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), a = add_in(&f, DRIVE_FILE, "a");
    (void)state;
    assert_string_equal(all_shares(&root, false), "own ada:7");
    assert_string_equal(all_shares(&a, false), "own ada:7");
    give(&f, GRANT_ANYONE, "", ROLE_READER, false);
    give(&f, GRANT_DOMAIN, "acme.example", ROLE_READER, false);
    give(&f, GRANT_PERSON, EVE, ROLE_COMMENTER, false);
    give(&f, GRANT_PERSON, BOB, ROLE_COMMENTER, false);
    give(&f, GRANT_GROUP, "zoo@acme.example", ROLE_WRITER, false);
    /* The newest first; from above by what they are, and by name. */
    assert_string_equal(all_shares(&f, false), "zoo:4 bob:3 eve:3 acm:2 any:2 own ada:7");
    assert_string_equal(all_shares(&a, false), "bob:3 eve:3 zoo:4 acm:2 any:2 own ada:7");
    give(&a, GRANT_DOMAIN, "acme.example", ROLE_READER, false);
    give(&a, GRANT_PERSON, EVE, ROLE_READER, false);
    assert_string_equal(all_shares(&a, false), "eve:3 acm:2 bob:3 zoo:4 any:2 own ada:7");
}

static void a_share_says_where_it_comes_from(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_in(&f, DRIVE_FOLDER, "g"),
                      a = add_in(&g, DRIVE_FILE, "a");
    struct drive_share *s;
    (void)state;
    assert_null(share_of(&a, GRANT_PERSON, BOB, NULL));
    give(&f, GRANT_PERSON, BOB, ROLE_COMMENTER, false);
    s = share_of(&a, GRANT_PERSON, BOB, NULL);
    assert_string_equal(places(s->from), "3@f");
    assert_true(s->role == ROLE_COMMENTER && s->above == ROLE_COMMENTER && !s->direct &&
                !s->grant && !s->owns && !s->beyond);
    give(&a, GRANT_PERSON, BOB, ROLE_WRITER, false);
    give(&g, GRANT_PERSON, BOB, ROLE_READER, false);
    s = share_of(&a, GRANT_PERSON, BOB, NULL);
    assert_string_equal(places(s->from), "4@a 2@g 3@f");
    assert_true(s->role == ROLE_WRITER && s->above == ROLE_COMMENTER && s->direct == ROLE_WRITER &&
                s->grant);
    s = share_of(&g, GRANT_PERSON, BOB, NULL);
    assert_string_equal(places(s->from), "2@g 3@f");
    assert_true(s->role == ROLE_COMMENTER && s->above == ROLE_COMMENTER &&
                s->direct == ROLE_READER && s->grant);
    give(&g, GRANT_PERSON, BOB, ROLE_READER, true); /* what is above does not count */
    s = share_of(&a, GRANT_PERSON, BOB, NULL);
    assert_string_equal(places(s->from), "4@a 2@g");
    assert_int_equal(s->above, ROLE_READER);
    give(&g, GRANT_PERSON, BOB, ROLE_NONE, true);
    s = share_of(&a, GRANT_PERSON, BOB, NULL);
    assert_string_equal(places(s->from), "4@a");
    assert_int_equal(s->above, ROLE_NONE);
    assert_null(share_of(&g, GRANT_PERSON, BOB, NULL)); /* who has nothing is not listed */
}

static void owners_of_folders_are_among_those_who_have_an_item(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_of(&f, DRIVE_FOLDER, "g", &bob),
                      a = add_of(&g, DRIVE_FILE, "a", &eve);
    struct drive_share *s;
    size_t n;
    (void)state;
    s = share_of(&a, GRANT_PERSON, EVE, &n);
    assert_int_equal(n, 3);
    assert_true(s->owns && s->role == ROLE_OWNER && !s->grant && !s->direct);
    assert_string_equal(places(s->from), "4@g 7@a");
    s = share_of(&a, GRANT_PERSON, BOB, NULL);
    assert_true(!s->owns && s->role == ROLE_WRITER && s->above == ROLE_WRITER);
    assert_string_equal(places(s->from), "4@g");
    s = share_of(&a, GRANT_PERSON, ADA, NULL);
    assert_true(!s->owns && s->role == ROLE_WRITER);
    assert_string_equal(places(s->from), arena_printf(tx.arena, "4@f 4@%s", vendor->root));
    s = share_of(&root, GRANT_PERSON, ADA, NULL);
    assert_string_equal(places(s->from), arena_printf(tx.arena, "7@%s", vendor->root));
    /* The owner's own grant is not a share beside. */
    give(&a, GRANT_PERSON, EVE, ROLE_READER, false);
    s = share_of(&a, GRANT_PERSON, EVE, &n);
    assert_true(n == 3 && s->owns && s->role == ROLE_OWNER && !s->grant);
}

static void a_limited_folder_says_what_is_beyond_it(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_of(&f, DRIVE_FOLDER, "g", &bob),
                      a = add_of(&g, DRIVE_FILE, "a", &bob);
    struct drive_share *s;
    (void)state;
    give(&f, GRANT_PERSON, EVE, ROLE_WRITER, false);
    give(&f, GRANT_GROUP, "all@acme.example", ROLE_NONE, false);
    g = again(&g);
    g.flags |= DRIVE_LIMITED;
    done(drive_item_save(&tx, &g));
    s = share_of(&g, GRANT_PERSON, EVE, NULL);
    assert_true(s->role == ROLE_SEES && s->above == ROLE_SEES && !s->from);
    assert_string_equal(places(s->beyond), "4@f");
    assert_null(share_of(&g, GRANT_GROUP, "all@acme.example", NULL));
    assert_null(share_of(&a, GRANT_PERSON, EVE, NULL)); /* who sees a folder sees nothing in it */
    assert_null(share_of(&a, GRANT_PERSON, ADA, NULL));
    give(&g, GRANT_PERSON, EVE, ROLE_READER, false);
    s = share_of(&a, GRANT_PERSON, EVE, NULL);
    assert_int_equal(s->role, ROLE_READER);
    assert_string_equal(places(s->from), "2@g");
}

static void organizers_of_a_drive_are_members_everywhere(void **state)
{
    struct drive_item top = shared_by(&ada, "D"), f = add_in(&top, DRIVE_FOLDER, "f"),
                      a = add_in(&f, DRIVE_FILE, "a");
    struct drive_share *s;
    (void)state;
    give(&top, GRANT_PERSON, BOB, ROLE_FILE_ORGANIZER, false);
    give(&f, GRANT_PERSON, ADA, ROLE_READER, false);
    s = share_of(&top, GRANT_PERSON, ADA, NULL);
    assert_string_equal(places(s->from), "6@D (top)");
    assert_true(s->direct == ROLE_ORGANIZER && s->grant && !s->owns);
    s = share_of(&a, GRANT_PERSON, ADA, NULL);
    assert_string_equal(places(s->from), "2@f 6@D (top)");
    f = again(&f);
    f.flags |= DRIVE_LIMITED;
    done(drive_item_save(&tx, &f));
    s = share_of(&f, GRANT_PERSON, ADA, NULL);
    assert_true(s->role == ROLE_ORGANIZER && s->above == ROLE_ORGANIZER);
    assert_string_equal(places(s->from), "2@f 6@D (top)");
    s = share_of(&f, GRANT_PERSON, BOB, NULL);
    assert_true(s->role == ROLE_SEES);
    assert_string_equal(places(s->beyond), "5@D (top)");
    assert_null(share_of(&a, GRANT_PERSON, BOB, NULL));
    s = share_of(&a, GRANT_PERSON, ADA, NULL);
    assert_true(s->role == ROLE_ORGANIZER && s->above == ROLE_ORGANIZER);
}

static void what_else_is_said_of_a_grant_is_said_of_the_share(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), a = add_in(&f, DRIVE_FILE, "a");
    struct drive_grant
        g = {.kind = GRANT_PERSON,
             .who = BOB,
             .role = ROLE_WRITER,
             .pending = true,
             .expires_us = tx.now_us + DAY_US},
        found = {.kind = GRANT_ANYONE, .who = "", .role = ROLE_READER, .discoverable = true},
        shown = {.kind = GRANT_PERSON, .who = EVE, .role = ROLE_READER, .view = "published"};
    struct drive_share *s;
    (void)state;
    done(drive_grant_set(&tx, &f, &g));
    done(drive_grant_set(&tx, &f, &found));
    done(drive_grant_set(&tx, &f, &shown));
    s = share_of(&f, GRANT_PERSON, BOB, NULL);
    assert_true(s->pending && !s->discoverable && s->expires_us == g.expires_us && !s->view &&
                s->grant == g.id);
    s = share_of(&a, GRANT_PERSON, BOB, NULL);
    assert_true(!s->pending && s->expires_us == g.expires_us && !s->grant && !s->direct);
    s = share_of(&f, GRANT_ANYONE, "", NULL);
    assert_true(s->discoverable && !s->pending && !s->expires_us);
    s = share_of(&f, GRANT_PERSON, EVE, NULL);
    assert_string_equal(s->view, "published");
    assert_null(share_of(&a, GRANT_PERSON, EVE, NULL)); /* of what is in it no view is published */
    assert_string_equal(all_shares(&f, false), "any:2 bob:4 own ada:7");
    assert_string_equal(all_shares(&f, true), "eve:2 any:2 bob:4 own ada:7");
    /* Beside what ends a stronger role does not; a weaker one says nothing of the end. */
    give(&a, GRANT_PERSON, BOB, ROLE_READER, false);
    assert_int_equal(share_of(&a, GRANT_PERSON, BOB, NULL)->expires_us, g.expires_us);
    give(&a, GRANT_PERSON, BOB, ROLE_WRITER, false);
    assert_int_equal(share_of(&a, GRANT_PERSON, BOB, NULL)->expires_us, 0);
    g.expires_us = tx.now_us;
    f = again(&f);
    done(drive_grant_set(&tx, &f, &g));
    assert_null(share_of(&f, GRANT_PERSON, BOB, NULL)); /* it is over */
    g.expires_us = tx.now_us + 1;
    done(drive_grant_set(&tx, &f, &g));
    assert_non_null(share_of(&f, GRANT_PERSON, BOB, NULL));
}

/* ---- sharing ---- */

static void whom_it_is_shared_with_has_it_among_what_is_shared(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a");
    const int64_t first = tx.now_us;
    struct drive_mine m;
    (void)state;
    assert_int_equal(mine_of(&a, &bob).shared_us, 0);
    share(&a, GRANT_PERSON, BOB, ROLE_READER, 0, ada.id);
    m = mine_of(&a, &bob);
    assert_true(m.shared_us == first && m.sharer == ada.id && !m.starred && !m.hidden);
    assert_int_equal(role_of(&bob, &a), ROLE_READER);
    m.starred = m.hidden = true, m.viewed_us = first;
    done(drive_mine_save(&tx, a.id, bob.id, &m));
    later(60);
    share(&a, GRANT_PERSON, BOB, ROLE_WRITER, 0, eve.id); /* it is since the first time */
    m = mine_of(&a, &bob);
    assert_true(m.shared_us == first && m.sharer == ada.id && m.starred && m.hidden);
    assert_int_equal(role_of(&bob, &a), ROLE_WRITER);
    share(&a, GRANT_PERSON, BOB, ROLE_NONE, 0, ada.id);
    m = mine_of(&a, &bob);
    assert_true(!m.shared_us && !m.sharer && m.starred && m.hidden && m.viewed_us == first);
    assert_int_equal(role_of(&bob, &a), ROLE_NONE);
    assert_false(again(&a).flags & DRIVE_GRANTED);
    share(&a, GRANT_PERSON, BOB, ROLE_NONE, 0, ada.id); /* nothing to take away */
    share(&a, GRANT_PERSON, BOB, ROLE_COMMENTER, 0, 0); /* nobody did it */
    m = mine_of(&a, &bob);
    assert_true(m.shared_us == tx.now_us && !m.sharer);
    share(&a, GRANT_PERSON, EVE, ROLE_READER, 0, eve.id); /* not to who does it */
    assert_int_equal(mine_of(&a, &eve).shared_us, 0);
    share(&a, GRANT_PERSON, "new@far.example", ROLE_READER, 0, ada.id); /* of whom nobody knows */
    assert_non_null(share_of(&a, GRANT_PERSON, "new@far.example", NULL));
}

static void members_of_a_group_have_it_shared_and_no_one_of_a_domain(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a"), top = shared_by(&ada, "D"),
                      in = add_in(&top, DRIVE_FILE, "in");
    int64_t group;
    (void)state;
    done(group_new(&tx, "g@acme.example", "G", &group));
    ok(group_add_member(&tx, group, BOB));
    ok(group_add_member(&tx, group, "zed@far.example"));
    ok(group_add_member(&tx, group, ADA));
    share(&a, GRANT_DOMAIN, "far.example", ROLE_READER, 0, ada.id);
    share(&a, GRANT_ANYONE, "", ROLE_READER, 0, ada.id);
    assert_int_equal(mine_of(&a, &eve).shared_us, 0);
    share(&a, GRANT_GROUP, "g@acme.example", ROLE_READER, 0, ada.id);
    share(&a, GRANT_GROUP, "none@acme.example", ROLE_READER, 0, ada.id);
    assert_int_equal(mine_of(&a, &bob).shared_us, tx.now_us);
    assert_int_equal(mine_of(&a, &ada).shared_us, 0);
    share(&a, GRANT_GROUP, "g@acme.example", ROLE_NONE, 0, ada.id);
    assert_int_equal(mine_of(&a, &bob).shared_us, 0);
    /* What is in a shared drive is in nobody's list. */
    share(&in, GRANT_PERSON, BOB, ROLE_READER, 0, ada.id);
    assert_int_equal(mine_of(&in, &bob).shared_us, 0);
    assert_int_equal(role_of(&bob, &in), ROLE_READER);
}

static void a_share_takes_the_place_of_the_one_before(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a");
    struct drive_grant g = {.kind = GRANT_PERSON,
                            .who = BOB,
                            .role = ROLE_READER,
                            .lowers = true,
                            .pending = true,
                            .discoverable = true};
    const int64_t made = tx.now_us;
    struct drive_grant *list;
    size_t n;
    (void)state;
    done(drive_share_set(&tx, &a, NULL, &g, ada.id));
    assert_false(g.lowers); /* it is beside what comes from above */
    const int64_t id = g.id;
    assert_int_equal(g.item, a.id);
    later(60);
    a = again(&a);
    g = (struct drive_grant){
        .kind = GRANT_PERSON, .who = BOB, .role = ROLE_WRITER, .view = "published"};
    done(drive_share_set(&tx, &a, share_of(&a, GRANT_PERSON, BOB, NULL), &g, ada.id));
    done(drive_grants(&tx, a.id, &list, &n));
    assert_int_equal(n, 1);
    assert_true(list[0].id == id && g.id == id && list[0].item == a.id &&
                list[0].role == ROLE_WRITER && list[0].created_us == made && !list[0].pending &&
                !list[0].discoverable && !list[0].lowers && !list[0].expires_us);
    assert_string_equal(list[0].view, "published");
}

static void a_share_ends_at_its_time(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a"), b = add_in(&root, DRIVE_FILE, "b"),
                      c = add_in(&root, DRIVE_FILE, "c");
    const int64_t in_an_hour = tx.now_us + INT64_C(3600000000);
    (void)state;
    share(&a, GRANT_PERSON, BOB, ROLE_READER, in_an_hour, ada.id);
    share(&b, GRANT_PERSON, BOB, ROLE_READER, in_an_hour, ada.id);
    share(&c, GRANT_PERSON, BOB, ROLE_READER, in_an_hour, ada.id);
    share(&b, GRANT_PERSON, BOB, ROLE_READER, in_an_hour + DAY_US, ada.id); /* later */
    share(&c, GRANT_PERSON, BOB, ROLE_READER, 0, ada.id);                   /* never */
    assert_true(access_of(&bob, &a).expires);
    later(3599);
    assert_int_equal(role_of(&bob, &a), ROLE_READER);
    assert_true(mine_of(&a, &bob).shared_us);
    later(1);
    assert_int_equal(role_of(&bob, &a), ROLE_NONE);
    assert_false(again(&a).flags & DRIVE_GRANTED);
    assert_int_equal(mine_of(&a, &bob).shared_us, 0);
    assert_int_equal(asked("select count(*) from drive_grant where who = '" BOB "'"), 2);
    later(86400);
    assert_int_equal(role_of(&bob, &b), ROLE_NONE);
    assert_int_equal(asked("select count(*) from drive_grant where who = '" BOB "'"), 1);
    assert_int_equal(role_of(&bob, &c), ROLE_READER);
}

/* What was taken away before its time, and given anew, does not end. */
static void an_end_goes_with_its_share(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a");
    (void)state;
    share(&a, GRANT_PERSON, BOB, ROLE_READER, tx.now_us + 60000000, ada.id);
    share(&a, GRANT_PERSON, BOB, ROLE_NONE, 0, ada.id);
    assert_int_equal(asked("select count(*) from due where kind = 'grant'"), 0);
    share(&a, GRANT_PERSON, BOB, ROLE_READER, 0, ada.id);
    later(120);
    assert_int_equal(role_of(&bob, &a), ROLE_READER);
}

/* Whom a grant gives less than they have above get no more when it ends. */
static void what_lowers_stays_lowered_at_its_end(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), a = add_in(&f, DRIVE_FILE, "a");
    struct drive_grant g = {.kind = GRANT_PERSON,
                            .who = BOB,
                            .role = ROLE_READER,
                            .lowers = true,
                            .expires_us = tx.now_us + 60000000},
                       *list;
    const int64_t made = tx.now_us;
    size_t n;
    (void)state;
    give(&f, GRANT_PERSON, BOB, ROLE_WRITER, false);
    done(drive_grant_set(&tx, &a, &g));
    assert_int_equal(role_of(&bob, &a), ROLE_READER);
    end();
    test_advance(30);
    begin();
    done(drive_share_expired(&tx, g.id)); /* not yet */
    done(drive_share_expired(&tx, g.id + 1000));
    assert_int_equal(role_of(&bob, &a), ROLE_READER);
    later(31);
    done(drive_share_expired(&tx, g.id));
    assert_int_equal(role_of(&bob, &a), ROLE_NONE);
    assert_int_equal(role_of(&bob, &f), ROLE_WRITER);
    done(drive_grants(&tx, a.id, &list, &n));
    assert_true(n == 1 && list[0].lowers && list[0].role == ROLE_NONE && !list[0].expires_us &&
                list[0].created_us == made && list[0].kind == GRANT_PERSON);
    assert_string_equal(list[0].who, BOB);
}

/* ---- another owner ---- */

static void another_owner_has_it_where_the_first_becomes_a_writer(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), a = add_in(&f, DRIVE_FILE, "a"), home,
                      b = add_in(&f, DRIVE_FILE, "b");
    struct drive_grant *list;
    size_t n;
    (void)state;
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    share(&a, GRANT_PERSON, BOB, ROLE_READER, tx.now_us + 60000000, ada.id);
    share(&a, GRANT_PERSON, EVE, ROLE_COMMENTER, 0, ada.id);
    share(&a, GRANT_DOMAIN, "acme.example", ROLE_READER, 0, ada.id);
    a = again(&a);
    done(drive_share_give(&tx, &a, &bob, false));
    done(drive_item_save(&tx, &a));
    a = again(&a);
    assert_true(a.owner == bob.id && a.parent == f.id);
    assert_int_equal(role_of(&bob, &a), ROLE_OWNER);
    assert_int_equal(role_of(&ada, &a), ROLE_WRITER);
    assert_int_equal(role_of(&eve, &a), ROLE_COMMENTER);
    assert_int_equal(mine_of(&a, &bob).shared_us, 0);
    assert_true(mine_of(&a, &eve).shared_us);
    done(drive_grants(&tx, a.id, &list, &n)); /* the new owner's own are gone, and no others */
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++)
        assert_string_not_equal(list[i].who, BOB);
    assert_int_equal(asked("select count(*) from due where kind = 'grant'"), 0);
    /* To the new owner's own folder, under a name that is free there. */
    add_in(&home, DRIVE_FILE, "B");
    b = again(&b);
    done(drive_share_give(&tx, &b, &bob, true));
    done(drive_item_save(&tx, &b));
    b = again(&b);
    assert_true(b.owner == bob.id && b.parent == home.id);
    assert_string_equal(b.name, vendor->unique_names ? "b 1" : "b");
    struct drive_access at = access_of(&ada, &b);
    assert_true(at.role == ROLE_WRITER && !at.inherited);
    assert_int_equal(role_of(&eve, &b), ROLE_NONE);
}

/* Who does not see it at its new place has it in the feed; who gives a folder gives what is theirs
 * in it to nobody. */
static void a_folder_goes_without_what_is_in_it(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_in(&f, DRIVE_FOLDER, "g"),
                      in = add_in(&g, DRIVE_FILE, "in"), his = add_of(&g, DRIVE_FILE, "his", &bob);
    struct drive_viewer v;
    struct drive_feed_entry *list;
    int64_t newest, next;
    bool removed = false;
    size_t n;
    (void)state;
    give(&f, GRANT_PERSON, EVE, ROLE_READER, false);
    later(1);
    done(drive_change_newest(&tx, &newest));
    g = again(&g);
    done(drive_share_give(&tx, &g, &bob, true));
    done(drive_item_save(&tx, &g));
    later(1);
    g = again(&g); /* texts end with a transaction */
    drive_viewer(&tx, &eve, &v);
    const struct drive_feed q = {
        .viewer = &v, .from = newest + 1, .limit = 20, .shared_too = true, .removed = true};
    done(drive_feed_read(&q, &list, &n, &next));
    for (size_t i = 0; i < n; i++)
        removed = removed || (list[i].removed && strcmp(list[i].key, g.key) == 0);
    assert_true(removed);
    in = again(&in);
    assert_true(in.owner == ada.id && in.parent == g.id);
    assert_int_equal(role_of(&bob, &in), ROLE_WRITER);
    assert_int_equal(role_of(&ada, &his), ROLE_WRITER);
    assert_int_equal(asked(arena_printf(tx.arena, "select host from drive_item where id = %lld",
                                        (long long)in.id)),
                     bob.id);
    assert_int_equal(
        asked(arena_printf(tx.arena, "select host is null from drive_item where id = %lld",
                           (long long)his.id)),
        1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(an_items_shares_are_in_order),
        BOTH(a_share_says_where_it_comes_from),
        BOTH(owners_of_folders_are_among_those_who_have_an_item),
        BOTH(a_limited_folder_says_what_is_beyond_it),
        BOTH(organizers_of_a_drive_are_members_everywhere),
        BOTH(what_else_is_said_of_a_grant_is_said_of_the_share),
        BOTH(whom_it_is_shared_with_has_it_among_what_is_shared),
        BOTH(members_of_a_group_have_it_shared_and_no_one_of_a_domain),
        BOTH(a_share_takes_the_place_of_the_one_before),
        BOTH(a_share_ends_at_its_time),
        BOTH(an_end_goes_with_its_share),
        BOTH(what_lowers_stays_lowered_at_its_end),
        BOTH(another_owner_has_it_where_the_first_becomes_a_writer),
        BOTH(a_folder_goes_without_what_is_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
