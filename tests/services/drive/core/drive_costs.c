/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a list costs: that of a question whose answer is short does not grow with the drive,
 * whatever the question says and in whichever order it is requested. Costs are steps of SQLite's
 * machine.
 */
#include "engine/world/engine.h"
#include "services/drive/core/access/shared.h"
#include "tests/services/drive/core/drive_steps.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <sqlite3.h>
#include <stdlib.h>

static const char DOCUMENT[] = "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7," PEOPLE
                               ",\"apps\":[{\"client_id\":\"123.456\",\"name\":\"App\"}]}";

enum { FEW = 130, MANY = 900, RARE = 3, CASES = 400, PAGE = 10 };

static int64_t plain_folder, rare_folder, drive, target;
static const char *target_key;
static int64_t old_us; /* what is asked for is from before it */

/* ---- the drive ---- */

static struct drive_item add(int64_t parent, int64_t owner, int64_t in, const char *name,
                             const char *mime, int64_t at)
{
    struct drive_item it = {.parent = parent,
                            .owner = owner,
                            .drive = in,
                            .name = name,
                            .mime = mime,
                            .form = strcmp(mime, "folder") == 0 ? DRIVE_FOLDER : DRIVE_FILE,
                            .size = -1,
                            .modified_us = at};
    it.modifier = owner;
    ok(drive_item_add(&tx, &it));
    return it;
}

/* What nobody asks for: of Ada's in a folder, of Bob's at his top, and of a shared drive. */
static void add_noise(int from, int to)
{
    struct drive_item home;
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    for (int i = from; i < to; i++) {
        const char *name = arena_printf(tx.arena, "noise %04d", i);
        int64_t at = tx.now_us - (i * 37 % 1000) * INT64_C(1000000);
        add(plain_folder, ada.id, 0, name, "text/plain", at);
        add(home.id, bob.id, 0, name, "text/plain", at);
        add(drive, 0, drive, name, "text/plain", at);
    }
}

/* One that is asked for, with each mark that questions ask for. */
static void mark(struct drive_item *it, int i)
{
    struct drive_mine m = {.starred = true};
    struct drive_grant g = {.kind = GRANT_PERSON, .who = EVE, .role = ROLE_WRITER},
                       open = {.kind = GRANT_ANYONE, .who = "", .role = ROLE_READER};
    it->description = "scarce words";
    ok(drive_mine_save(&tx, it->id, ada.id, &m));
    ok(drive_property_set(&tx, it->id, 0, &(struct drive_property){"rare", "yes"}));
    if (i == 0)
        ok(drive_grant_set(&tx, it, &g));
    if (i == 1)
        ok(drive_grant_set(&tx, it, &open));
    if (i == 2)
        ok(drive_trash(&tx, it, ada.id));
    ok(drive_item_save(&tx, it));
}

static void add_rare(void)
{
    struct drive_item it, app;
    int64_t shortcut_to;
    old_us = tx.now_us - DAY_US;
    rare_folder = add(root.id, ada.id, 0, "of the rare", "folder", old_us - 5000000).id;
    for (int i = 0; i < RARE; i++) {
        const char *name = i ? "few" : "seldom few";
        it = add(rare_folder, ada.id, 0, name, "image/png", old_us - (i + 1) * INT64_C(1000000));
        mark(&it, i);
        it = add(drive, 0, drive, name, "image/png", old_us - (i + 1) * INT64_C(1000000));
        mark(&it, i);
        shortcut_to = it.id;
    }
    const char *key = NULL;
    assert_int_equal(drive_item_key(&tx, shortcut_to, &key), 1);
    target_key = strdup(key);
    it = (struct drive_item){.parent = rare_folder,
                             .owner = ada.id,
                             .form = DRIVE_SHORTCUT,
                             .name = "leads there",
                             .mime = DRIVE_MIME_SHORTCUT,
                             .target = shortcut_to,
                             .target_key = target_key,
                             .target_mime = "image/png",
                             .size = -1,
                             .modified_us = old_us - 4000000};
    ok(drive_item_add(&tx, &it));
    target = it.id;
    /* Something of Bob's in Ada's folder, something of his that she was given, and of an app. */
    add(rare_folder, bob.id, 0, "hosted", "text/html", old_us - 7000000);
    struct drive_item home;
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    it = add(home.id, bob.id, 0, "given", "text/html", old_us - 8000000);
    struct drive_grant g = {.kind = GRANT_PERSON, .who = ADA, .role = ROLE_READER};
    ok(drive_grant_set(&tx, &it, &g));
    struct drive_mine m = {.shared_us = old_us, .sharer = bob.id};
    ok(drive_mine_save(&tx, it.id, ada.id, &m));
    assert_int_equal(drive_app_data(&tx, ada.id, APP, &app), 1);
    it = (struct drive_item){.parent = app.id,
                             .owner = ada.id,
                             .space = APP,
                             .name = "data",
                             .mime = "text/plain",
                             .size = -1,
                             .modified_us = old_us - 9000000};
    ok(drive_item_add(&tx, &it));
}

/* ---- what is asked ---- */

static struct {
    const char *what;
    int64_t steps[2];
} costs[CASES];
static size_t n_costs;
static int turn;

static int64_t steps_until_now(void)
{
    int64_t n = 0;
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(slot_db(tx.db), st));)
        n += sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    return n;
}

static void count(const char *what, struct drive_finder *f, size_t expected)
{
    struct drive_item *items;
    struct drive_access *access;
    const char *position;
    size_t n;
    drive_viewer(&tx, f->viewer->who, f->viewer);
    steps_until_now();
    ok(drive_find(f, NULL, PAGE, &items, &access, &n, &position));
    assert_in_range(n_costs, 0, CASES - 1);
    costs[n_costs].what = what;
    costs[n_costs++].steps[turn] = steps_until_now();
    if (n != expected)
        fail_msg("%s: %zu and not %zu", what, n, expected);
}

static const struct find_order ORDERS[][2] = {
    {{ORDER_MODIFIED, true}},
    {{ORDER_NAME, false}},
    {{ORDER_FOLDER, false}, {ORDER_NAME, true}},
    {{ORDER_MODIFIED, false}, {ORDER_NAME, false}},
    {{ORDER_SIZE, true}, {ORDER_CREATED, false}},
};

/* In which orders: all; the usual one; those that do not begin with a name. */
enum { ALL = 31, USUAL = 1, BY_TIME = 25 };

static void ask(const char *what, const struct drive_finder *of, struct find q, size_t expected,
                unsigned orders)
{
    struct drive_finder f = *of;
    f.question = &q;
    for (size_t i = 0; i < SOSIA_LEN(ORDERS); i++) {
        f.order = ORDERS[i];
        f.n_order = i < 2 ? 1 : 2;
        if (orders & 1u << i)
            count(arena_printf(tx.arena, "%s, order %zu", what, i), &f, expected);
    }
}

static void ask_all(void)
{
    struct drive_viewer v = {.who = &ada}, at = {.who = &ada};
    struct drive_finder mine = finder_of(&v, NULL), in = finder_of(&at, NULL), f;
    in.scope = SCOPE_DRIVE;
    in.drive = drive;
    in.shared_drives = true;
    const struct find terms[] = {
        {.kind = FIND_NAME_IS, .text = "Seldom Few"},
        {.kind = FIND_NAME_HAS, .text = "sel"},
        {.kind = FIND_TEXT, .text = "seldom scarce"},
    };
    for (size_t i = 0; i < SOSIA_LEN(terms); i++) {
        struct find png = {.kind = FIND_TYPE_HAS, .text = "png"}, term = terms[i],
                    not = {.kind = FIND_NOT, .left = &png}, open = {.kind = FIND_STARRED},
                    in_it = {.kind = FIND_PARENT, .id = rare_folder},
                    property = {.kind = FIND_PROPERTY, .text = "rare", .text2 = "yes"};
        const char *n = arena_printf(tx.arena, "term %zu", i);
        ask(n, &mine, term, 1, ALL);
        ask(n, &in, term, 1, ALL);
#define BOTH(k, x, y) ((struct find){.kind = k, .left = &(x), .right = &(y)})
        ask("and png", &mine, BOTH(FIND_AND, term, png), 1, ALL);
        ask("png and it", &mine, BOTH(FIND_AND, png, term), 1, ALL);
        ask("not png and it", &in, BOTH(FIND_AND, not, term), 0, ALL);
        ask("and not png", &in, BOTH(FIND_AND, term, not ), 0, ALL);
        ask("and starred", &mine, BOTH(FIND_AND, term, open), 1, ALL);
        ask("in a folder", &mine, BOTH(FIND_AND, in_it, term), 1, ALL);
        ask("it or a property", &mine, BOTH(FIND_OR, term, property), 3, ALL);
        ask("a property and it", &mine, BOTH(FIND_AND, property, term), 1, ALL);
    }
    ask("property", &mine, (struct find){.kind = FIND_PROPERTY, .text = "rare", .text2 = "yes"}, 3,
        ALL);
    ask("target", &mine, (struct find){.kind = FIND_TARGET, .text = target_key}, 1, ALL);
    ask("starred", &mine, (struct find){.kind = FIND_STARRED}, 3, ALL);
    ask("shared with me", &mine, (struct find){.kind = FIND_SHARED_WITH_ME}, 1, ALL);
    /* What comes in the usual order, and is narrowed by an index of it. */
    ask("type", &mine, (struct find){.kind = FIND_TYPE_IS, .text = "image/png"}, 3, USUAL);
    ask("part of a type", &mine, (struct find){.kind = FIND_TYPE_HAS, .text = "PNG"}, 3, USUAL);
    ask("trashed", &mine, (struct find){.kind = FIND_TRASHED}, 1, USUAL);
    ask("trashed in a drive", &in, (struct find){.kind = FIND_TRASHED}, 1, USUAL);
    ask("open", &mine, (struct find){.kind = FIND_VISIBILITY, .id = VISIBLE_LINK}, 1, USUAL);
    ask("open in a drive", &in, (struct find){.kind = FIND_VISIBILITY, .id = VISIBLE_LINK}, 1,
        USUAL);
    ask("eve writes", &mine, (struct find){.kind = FIND_WRITER, .id = eve.id, .text = EVE}, 1,
        USUAL);
    ask("eve reads", &mine, (struct find){.kind = FIND_READER, .id = eve.id, .text = EVE}, 1,
        USUAL);
    ask("eve reads in a drive", &in, (struct find){.kind = FIND_READER, .id = eve.id, .text = EVE},
        1, USUAL);
    ask("of bob", &mine, (struct find){.kind = FIND_OWNER, .id = bob.id}, 2, USUAL);
    ask("in a folder", &mine, (struct find){.kind = FIND_PARENT, .id = rare_folder}, 5, ALL);
    for (int op = OP_EQ; op <= OP_LE; op++)
        ask("before", &mine,
            (struct find){.kind = FIND_TIME, .op = (enum find_op)op, .at_us = old_us - 3000000},
            op == OP_EQ   ? 1
            : op == OP_LT ? 4
                          : 5,
            BY_TIME);
    ask("from on", &mine,
        (struct find){.kind = FIND_TIME, .op = OP_GE, .at_us = tx.now_us + 1000000}, 0, BY_TIME);
    ask("from on in a drive", &in,
        (struct find){.kind = FIND_TIME, .op = OP_GT, .at_us = tx.now_us + 1000000}, 0, USUAL);
    struct find eve_reads = {.kind = FIND_READER, .id = eve.id, .text = EVE},
                time = {.kind = FIND_TIME, .op = OP_LT, .at_us = old_us};
    ask("eve reads and before", &mine, BOTH(FIND_AND, eve_reads, time), 1, USUAL);
    ask("before and eve reads", &mine, BOTH(FIND_AND, time, eve_reads), 1, USUAL);
    f = mine;
    f.in_drive = false, f.in_app = true, f.app = APP, f.question = NULL;
    count("an app's", &f, 1);
    /* All drives, each in its own order. */
    f = mine;
    f.shared_drives = true;
    ask("trashed anywhere", &f, (struct find){.kind = FIND_TRASHED}, 2, USUAL);
    ask("open anywhere", &f, (struct find){.kind = FIND_VISIBILITY, .id = VISIBLE_LINK}, 2, USUAL);
    f.question = NULL;
    count("all of all drives", &f, PAGE);
    for (size_t i = 0; i < 4; i++) { /* a page of what is long */
        f = i & 1 ? in : mine;
        f.question = NULL;
        f.order = ORDERS[i & 2 ? 3 : 1];
        f.n_order = i & 2 ? 2 : 1;
        count("a page", &f, PAGE);
    }
}

static void a_short_answer_costs_the_same_in_a_long_drive(void **state)
{
    struct drive_settings s = {0};
    struct drive_item top;
    (void)state;
    end();
    test_world = test_world_of(DOCUMENT);
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    ok(drive_shared_make(&tx, &ada, NULL, "Eng", &s, &top));
    drive = top.id;
    plain_folder = add(root.id, ada.id, 0, "of the noise", "folder", tx.now_us).id;
    add_rare();
    for (turn = 0; turn < 2; turn++) {
        add_noise(turn ? FEW : 0, turn ? MANY : FEW);
        end();
        begin();
        assert_int_equal(drive_root(&tx, ada.id, &root), 1);
        n_costs = 0;
        ask_all();
    }
    for (size_t i = 0; i < n_costs; i++)
        if (costs[i].steps[1] > costs[i].steps[0] * 5 / 4 + 20)
            fail_msg("%s: %lld steps with few, %lld with many", costs[i].what,
                     (long long)costs[i].steps[0], (long long)costs[i].steps[1]);
    free((char *)(uintptr_t)target_key);
}

static int close_world(void **state)
{
    end();
    return test_close_engine(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate_setup_teardown(a_short_answer_costs_the_same_in_a_long_drive,
                                                 open_world, close_world,
                                                 (void *)(uintptr_t)&loose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
