/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What narrows a question, at its ends: more of it than is taken, many types, times that are far
 * away or of one millisecond, bounds that a position is beyond, and lists that ask for nothing.
 */
#include "engine/world/engine.h"
#include "tests/services/drive/core/drive_steps.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdlib.h>

static struct drive_item add(const struct drive_item *folder, const char *name, const char *mime,
                             int64_t at)
{
    struct drive_item it = {.parent = folder->id,
                            .owner = folder->owner,
                            .modifier = folder->owner,
                            .drive = folder->drive,
                            .space = folder->space,
                            .form = strcmp(mime, "folder") == 0 ? DRIVE_FOLDER : DRIVE_FILE,
                            .name = name,
                            .mime = mime,
                            .size = -1,
                            .modified_us = at};
    ok(drive_item_add(&tx, &it));
    return it;
}

enum { LONGEST = 5000 };
static int64_t lists[2][LONGEST];

/* Ids of a whole list, in pages of so many, into one of two places. */
static int64_t *ids_into(int64_t *all, struct drive_finder *f, size_t limit, size_t *ret_n)
{
    const char *position = NULL;
    *ret_n = 0;
    drive_viewer(&tx, f->viewer->who, f->viewer);
    do {
        struct drive_item *items;
        struct drive_access *access;
        size_t n;
        ok(drive_find(f, position, limit, &items, &access, &n, &position));
        assert_in_range(*ret_n + n, 0, LONGEST);
        for (size_t i = 0; i < n; i++)
            all[(*ret_n)++] = items[i].id;
    } while (position);
    return all;
}

static int64_t *ids_of(struct drive_finder *f, size_t limit, size_t *ret_n)
{
    return ids_into(lists[0], f, limit, ret_n);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* A question has the same answer when it is denied twice, which nothing narrows. */
static size_t answers_alike(struct find *q)
{
    static const struct find_order by[] = {{ORDER_MODIFIED, true}, {ORDER_NAME, false}};
    struct find not = {.kind = FIND_NOT, .left = q}, yes = {.kind = FIND_NOT, .left = &not };
    struct drive_viewer v = {.who = &ada};
    size_t first = 0;
    for (size_t i = 0; i < 2; i++) {
        struct drive_finder f = finder_of(&v, q), plain = finder_of(&v, &yes);
        size_t n, m;
        f.order = plain.order = &by[i];
        f.n_order = plain.n_order = 1;
        int64_t *is = ids_of(&f, 50, &n), *expected = ids_into(lists[1], &plain, 190, &m);
        assert_int_equal(n, m);
        assert_memory_equal(is, expected, n * sizeof *is);
        if (i == 0)
            first = n;
        qsort(is, n, sizeof *is, by_number);
        for (size_t k = 1; k < n; k++)
            assert_true(is[k] > is[k - 1]);
    }
    return first;
}

/* ---- two terms ---- */

/* Of two terms the one that has fewer is taken, or the one that an index has. */
static void two_terms_have_what_both_have(void **state)
{
    struct drive_item f = add(&root, "f", "folder", 0), g = add(&root, "g", "folder", 0);
    (void)state;
    for (int i = 0; i < 170; i++) {
        struct drive_item it =
            add(i < 115 ? &f : &g, arena_printf(tx.arena, "%s %d", i % 2 ? "odd" : "even", i),
                i % 3 ? "text/plain" : "image/png", tx.now_us - i * 1000);
        struct drive_mine m = {.starred = i % 4 < 2, .shared_us = i % 5 ? 0 : 1};
        ok(drive_mine_save(&tx, it.id, ada.id, &m));
        if (i % 7 < 5)
            ok(drive_property_set(&tx, it.id, 0, &(struct drive_property){"p", "x"}));
    }
    end();
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    const struct find terms[] = {
        {.kind = FIND_PARENT, .id = f.id},
        {.kind = FIND_PARENT, .id = root.id},
        {.kind = FIND_STARRED},
        {.kind = FIND_PROPERTY, .text = "p", .text2 = "x"},
        {.kind = FIND_PROPERTY, .text = "p", .text2 = "y"},
        {.kind = FIND_NAME_HAS, .text = "odd"},
        {.kind = FIND_TEXT, .text = "7"},
        {.kind = FIND_TYPE_IS, .text = "image/png"},
        {.kind = FIND_TIME, .op = OP_GE, .at_us = tx.now_us - 60000},
        {.kind = FIND_TRASHED},
    };
    size_t all = 0;
    for (size_t i = 0; i < SOSIA_LEN(terms); i++)
        for (size_t k = 0; k < SOSIA_LEN(terms); k++)
            for (int how = 0; how < (k > i ? 2 : 1); how++) {
                struct find x = terms[i], y = terms[k],
                            z = {.kind = FIND_TIME, .op = OP_LT, .at_us = tx.now_us - 9000},
                            q = {.kind = how ? FIND_OR : FIND_AND, .left = &x, .right = &y},
                            three = {.kind = FIND_AND, .left = &q, .right = &z};
                all += answers_alike(&q);
                if (!how)
                    answers_alike(&three);
            }
    assert_true(all > 1000);
}

/* Where so many have a name that they are not taken. */
static void a_term_that_many_have_narrows_nothing(void **state)
{
    struct find many = {.kind = FIND_NAME_IS, .text = "Same"}, star = {.kind = FIND_STARRED},
                has = {.kind = FIND_NAME_HAS, .text = "sa"},
                property = {.kind = FIND_PROPERTY, .text = "p", .text2 = "x"};
    struct find *one[] = {&many, &has}, *other[] = {&star, &property};
    struct drive_item it = {0};
    (void)state;
    for (int i = 0; i < 4100; i++) {
        it = add(&root, "same", "text/plain", tx.now_us - i);
        if (i % 1000 == 0)
            ok(drive_mine_save(&tx, it.id, ada.id, &(struct drive_mine){.starred = true}));
        if (i % 2000 == 0)
            ok(drive_property_set(&tx, it.id, 0, &(struct drive_property){"p", "x"}));
    }
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++) {
            struct drive_viewer v = {.who = &ada};
            struct find both = {.kind = FIND_AND, .left = one[i], .right = other[k]},
                        turned = {.kind = FIND_AND, .left = other[k], .right = one[i]},
                        either = {.kind = FIND_OR, .left = one[i], .right = other[k]};
            size_t n;
            struct drive_finder f = finder_of(&v, &both);
            ids_of(&f, 100, &n);
            assert_int_equal(n, k ? 3 : 5);
            f.question = &turned;
            ids_of(&f, 100, &n);
            assert_int_equal(n, k ? 3 : 5);
            f.question = &either;
            ids_of(&f, 1000, &n);
            assert_int_equal(n, 4100);
        }
}

/* ---- types ---- */

/* A type may be stored in two ways; and there may be so many that they are not listed. */
static void a_part_of_a_type_is_found_among_many(void **state)
{
    (void)state;
    for (int n = 1; n <= 140; n++) {
        add(&root, arena_printf(tx.arena, "t%d", n), arena_printf(tx.arena, "kind/t%03d", n),
            tx.now_us - n * 1000);
        add(&root, arena_printf(tx.arena, "x%d", n), arena_printf(tx.arena, "other/x%03d", n),
            tx.now_us - n * 1000 - 5);
        if (n < 31 || (n > 34 && n < 63) || (n > 66 && n < 139))
            continue;
        struct find q = {.kind = FIND_TYPE_HAS, .text = "KIND/"},
                    none = {.kind = FIND_TYPE_HAS, .text = "none"};
        assert_int_equal(answers_alike(&q), n);
        assert_int_equal(answers_alike(&none), 0);
    }
    struct find q = {.kind = FIND_TYPE_IS, .text = "text/plain"},
                x = {.kind = FIND_TYPE_IS, .text = "text/x-other"};
    add(&root, "one", "TEXT/plain", 5);
    assert_int_equal(answers_alike(&q), 1);
    add(&root, "other", "text/x-other", 6);
    assert_int_equal(answers_alike(&q), 1);
    assert_int_equal(answers_alike(&x), 1);
    add(&root, "two", "text/plain", 7);
    assert_int_equal(answers_alike(&q), 2);
}

/* ---- times ---- */

static void times_may_be_far_away(void **state)
{
    static const int64_t times[] = {
        INT64_MIN, INT64_MIN / 2 - 1, INT64_MIN / 2,     -1000,    0, 999,
        1000,      INT64_MAX / 2,     INT64_MAX / 2 + 1, INT64_MAX};
    (void)state;
    add(&root, "a", "text/plain", 1);
    add(&root, "b", "text/plain", 1500);
    add(&root, "c", "text/plain", tx.now_us);
    for (size_t i = 0; i < SOSIA_LEN(times); i++)
        for (int op = OP_EQ; op <= OP_GE; op++) {
            struct find q = {.kind = FIND_TIME, .op = (enum find_op)op, .at_us = times[i]};
            size_t n = answers_alike(&q), before = times[i] < 0      ? 0
                                                   : times[i] < 1000 ? 1
                                                   : times[i] > 2000 ? 3
                                                                     : 2;
            if (op == OP_LE)
                assert_int_equal(n, before);
            if (op == OP_GT)
                assert_int_equal(n, 3 - before);
        }
}

/* Two bounds, of which the narrower one counts, in either order. */
static void of_two_bounds_the_narrower_counts(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        add(&root, arena_printf(tx.arena, "%02d", i), "text/plain", tx.now_us - i * 500);
    for (int a = 0; a < 50; a += 12)
        for (int b = 0; b < 50; b += 9)
            for (int op = OP_LT; op <= OP_GE; op++) {
                struct find x = {.kind = FIND_TIME,
                                 .op = (enum find_op)op,
                                 .at_us = tx.now_us - a * 1000},
                            y = {.kind = FIND_TIME,
                                 .op = (enum find_op)op,
                                 .at_us = tx.now_us - b * 1000},
                            q = {.kind = FIND_AND, .left = &x, .right = &y};
                size_t n = answers_alike(&q);
                size_t expected = op == OP_GE   ? (size_t)(a < b ? a : b) * 2 + 1
                                  : op == OP_LE ? 100 - ((size_t)(a > b ? a : b) * 2 - (a + b > 0))
                                                : n;
                assert_int_equal(n, expected > 100 ? 100 : expected);
                struct find created = x, both = {.kind = FIND_AND, .left = &created, .right = &y};
                created.time = TIME_CREATED; /* which bounds no list */
                answers_alike(&both);
            }
}

/* Positions that are beyond what a question has are as its first or its last. */
static void a_position_may_be_beyond_the_bounds(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        add(&root, arena_printf(tx.arena, "%02d", i), "text/plain", tx.now_us - i * 10000);
    struct find old = {.kind = FIND_TIME, .op = OP_LE, .at_us = tx.now_us - 100000},
                new = {.kind = FIND_TIME, .op = OP_GE, .at_us = tx.now_us - 100000};
    for (int how = 0; how < 2; how++)
        for (int at = -5; at < 25; at++) {
            struct drive_viewer v;
            struct drive_item *items;
            struct drive_access *access;
            size_t n;
            drive_viewer(&tx, &ada, &v);
            struct drive_finder f = finder_of(&v, how ? &new : &old);
            const char *position =
                arena_printf(tx.arena, "m%lld.%d", (long long)tx.now_us - at * 10000, 1 << 30);
            ok(drive_find(&f, position, 100, &items, &access, &n, &position));
            int expected = how ? 10 - at : at < 10 ? 10 : 19 - at;
            expected = expected < 0 ? 0 : how && expected > 11 ? 11 : expected;
            assert_int_equal(n, expected);
            assert_null(position);
        }
}

/* Orders that begin with a time take a part of its index, which ends with a millisecond. */
static void pages_of_one_millisecond_are_one_list(void **state)
{
    (void)state;
    for (int i = 0; i < 282; i++)
        add(&root, arena_printf(tx.arena, "%03d", i * 77 % 282), i % 9 ? "text/plain" : "text/html",
            tx.now_us - i / 94 * 1000 - i * 7 % 1000);
    struct find html = {.kind = FIND_TYPE_IS, .text = "text/html"},
                not = {.kind = FIND_NOT, .left = &html}, yes = {.kind = FIND_NOT, .left = &not };
    struct find *questions[] = {NULL, &html, &yes};
    for (int falling = 0; falling < 2; falling++)
        for (int down = 0; down < 2; down++)
            for (size_t i = 0; i < SOSIA_LEN(questions); i++) {
                const struct find_order by[] = {{ORDER_MODIFIED, falling}, {ORDER_NAME, down}};
                struct drive_viewer v = {.who = &ada};
                struct drive_finder f = finder_of(&v, questions[i]);
                size_t n, m;
                f.order = by, f.n_order = 2;
                int64_t *all = ids_into(lists[1], &f, 290, &m);
                assert_int_equal(m, i ? 32 : 282);
                for (size_t limit = 9; limit < 100; limit *= 7) {
                    int64_t *is = ids_of(&f, limit, &n);
                    assert_int_equal(n, m);
                    assert_memory_equal(is, all, n * sizeof *is);
                }
            }
}

/* ---- lists that ask for nothing ---- */

static void a_page_of_nothing_is_empty(void **state)
{
    static const struct find_order by[] = {
        {ORDER_MODIFIED, true}, {ORDER_NAME, false}, {ORDER_SIZE, false}};
    struct find text = {.kind = FIND_TEXT, .text = "a"};
    (void)state;
    add(&root, "a", "text/plain", 0);
    for (size_t i = 0; i < SOSIA_LEN(by); i++)
        for (int with = 0; with < 2; with++) {
            struct drive_viewer v;
            struct drive_item *items;
            struct drive_access *access;
            const char *position = "?";
            size_t n = 9;
            drive_viewer(&tx, &ada, &v);
            struct drive_finder f = finder_of(&v, with ? &text : NULL);
            f.order = &by[i], f.n_order = 1;
            ok(drive_find(&f, NULL, 0, &items, &access, &n, &position));
            assert_int_equal(n, 0);
            assert_null(position);
        }
}

static int refuse_own(struct tx *t, const struct find *q, const struct drive_item *it)
{
    (void)q, (void)it;
    return tx_fail(t, SOSIA_E_INVALID, "own", NULL, "this can't be answered");
}

/* What a dialect's question is refused for is what the list is refused for, however it is made. */
static void a_question_of_the_dialects_own_may_be_refused(void **state)
{
    static const struct find_order by[][2] = {
        {{ORDER_MODIFIED, true}},
        {{ORDER_NAME, false}},
        {{ORDER_FOLDER, false}, {ORDER_NAME, false}},
        {{ORDER_MODIFIED, false}, {ORDER_NAME, true}},
        {{ORDER_SIZE, false}, {ORDER_STARRED, false}},
    };
    struct drive_item f = add(&root, "f", "folder", 0), home;
    struct drive_grant g = {.kind = GRANT_PERSON, .who = ADA, .role = ROLE_READER};
    (void)state;
    add(&f, "a", "text/plain", 5);
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    struct drive_item his = add(&home, "a", "folder", 5);
    ok(drive_grant_set(&tx, &his, &g));
    struct find own = {.kind = FIND_OWN}, not = {.kind = FIND_NOT, .left = &own},
                name = {.kind = FIND_NAME_HAS, .text = "a"}, in = {.kind = FIND_PARENT, .id = f.id},
                bobs = {.kind = FIND_OWNER, .id = bob.id},
                other = {.kind = FIND_NAME_IS, .text = "z"},
                named = {.kind = FIND_AND, .left = &name, .right = &own},
                within = {.kind = FIND_AND, .left = &own, .right = &in},
                owned = {.kind = FIND_AND, .left = &bobs, .right = &own},
                either = {.kind = FIND_OR, .left = &own, .right = &in},
                second = {.kind = FIND_OR, .left = &other, .right = &own};
    struct find *questions[] = {&own, &not, &named, &within, &owned, &either, &second};
    for (size_t i = 0; i < SOSIA_LEN(by); i++)
        for (size_t k = 0; k < SOSIA_LEN(questions); k++) {
            struct drive_viewer v;
            struct drive_item *items;
            struct drive_access *access;
            const char *position = NULL;
            size_t n;
            drive_viewer(&tx, &ada, &v);
            struct drive_finder finder = finder_of(&v, questions[k]);
            finder.own = refuse_own;
            finder.order = by[i];
            finder.n_order = i < 2 ? 1 : 2;
            refused(drive_find(&finder, NULL, 10, &items, &access, &n, &position), "own");
        }
}

static void a_question_of_the_dialects_own_needs_its_answer(void **state)
{
    struct find q = {.kind = FIND_OWN, .text = "x"}, not = {.kind = FIND_NOT, .left = &q};
    struct drive_item it = add(&root, "a", "text/plain", 0);
    struct drive_viewer v = {.who = &ada};
    size_t n;
    (void)state;
    it.description = "with x";
    ok(drive_item_save(&tx, &it));
    struct drive_finder f = finder_of(&v, &q);
    ids_of(&f, 10, &n);
    assert_int_equal(n, 1);
    f.own = NULL;
    ids_of(&f, 10, &n);
    assert_int_equal(n, 0);
    f.question = &not ;
    ids_of(&f, 10, &n);
    assert_int_equal(n, 1);
}

/* Also what is deep below a folder that is in the trash, or shared, or limited. */
static void what_holds_above_holds_deep_below(void **state)
{
    struct drive_item at = add(&root, "top", "folder", 0), top = at, deep;
    struct drive_grant g = {.kind = GRANT_PERSON, .who = BOB, .role = ROLE_READER},
                       open = {.kind = GRANT_DOMAIN,
                               .who = "acme.example",
                               .role = ROLE_READER,
                               .discoverable = true};
    struct drive_viewer v = {.who = &bob};
    size_t n;
    (void)state;
    for (int i = 0; i < 3; i++)
        at = add(&at, arena_printf(tx.arena, "level %d", i), "folder", 0);
    deep = add(&at, "deep", "text/plain", 0);
    ok(drive_grant_set(&tx, &top, &g));
    ok(drive_grant_set(&tx, &top, &open));
    struct find reads = {.kind = FIND_READER, .id = bob.id, .text = BOB},
                is_open = {.kind = FIND_VISIBILITY, .id = VISIBLE_DOMAIN},
                trashed = {.kind = FIND_TRASHED};
    assert_int_equal(answers_alike(&reads), 5);
    assert_int_equal(answers_alike(&is_open), 5);
    struct drive_finder f = finder_of(&v, NULL);
    ids_of(&f, 10, &n);
    assert_int_equal(n, 5);
    f.scope = SCOPE_DOMAIN;
    ids_of(&f, 2, &n);
    assert_int_equal(n, 5);
    at.flags |= DRIVE_LIMITED;
    ok(drive_item_save(&tx, &at));
    assert_int_equal(answers_alike(&reads), 3);
    assert_int_equal(answers_alike(&is_open), 3);
    ids_of(&f, 2, &n);
    assert_int_equal(n, 4); /* that there is the limited folder is seen */
    struct drive_item now;
    assert_int_equal(drive_item_by_id(&tx, top.id, &now), 1);
    ok(drive_trash(&tx, &now, ada.id));
    ok(drive_item_save(&tx, &now));
    assert_int_equal(answers_alike(&trashed), 5);
    assert_int_equal(deep.parent, at.id);
}

static int close_world(void **state)
{
    end();
    return test_close_engine(state);
}

#define OF_LOOSE(test)                                                                             \
    {                                                                                              \
#test, test, open_world, close_world, (void *)(uintptr_t)&loose                            \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF_LOOSE(two_terms_have_what_both_have),
        OF_LOOSE(a_term_that_many_have_narrows_nothing),
        OF_LOOSE(a_part_of_a_type_is_found_among_many),
        OF_LOOSE(times_may_be_far_away),
        OF_LOOSE(of_two_bounds_the_narrower_counts),
        OF_LOOSE(a_position_may_be_beyond_the_bounds),
        OF_LOOSE(pages_of_one_millisecond_are_one_list),
        OF_LOOSE(a_page_of_nothing_is_empty),
        OF_LOOSE(a_question_of_the_dialects_own_may_be_refused),
        OF_LOOSE(a_question_of_the_dialects_own_needs_its_answer),
        OF_LOOSE(what_holds_above_holds_deep_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
