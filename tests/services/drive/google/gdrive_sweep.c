/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree of thousands is deleted at once: nothing shows it, however far its rows are swept, and
 * each call does a bounded number of steps for it.
 */
#include "engine/world/engine.h"
#include "services/drive/core/drive.h"
#include "tests/support/gdrive.h"
#include "tests/support/unit.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXT(...) arena_printf(&test_arena, __VA_ARGS__)

static struct sosia_err err;
static struct tx tx;
static struct worker *worker;
static struct world *world;

static void ok(int r)
{
    if (r < 0)
        fail_msg("%s: %s", err.reason ? err.reason : "", err.text);
}

static void begin(bool write)
{
    worker = worker_take(test_engine, &err);
    world = world_take(test_engine, test_world, &err);
    assert_true(worker && world);
    ok(tx_begin(&tx, test_engine, world, worker, write, world_now(world), &err));
}

static void end(bool write)
{
    if (write) {
        ok(tx_do_later(&tx));
        ok(tx_commit(&tx));
    } else {
        tx_rollback(&tx);
    }
    world_drop(world);
    worker_drop(worker);
}

/* ---- a large tree ---- */

/* Of Ada's: a folder with folders of a thousand files each. */
static struct drive_item top, leaf;
static const char *tree, *kid;

static void add_files(int64_t owner, int64_t folder, int n)
{
    for (int i = 0; i < n; i++) {
        struct drive_item it = {.owner = owner, .modifier = owner, .size = -1, .parent = folder};
        it.name = arena_printf(tx.arena, "leaf %d", i);
        it.mime = "text/plain";
        ok(drive_item_add(&tx, &it));
        leaf = it;
    }
}

static void add_tree(int folders)
{
    struct actor ada;
    struct drive_item root;
    begin(true);
    assert_int_equal(actor_by_email(&tx, ADA, &ada), 1);
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    top = (struct drive_item){.name = "tree", .mime = "folder", .form = DRIVE_FOLDER, .size = -1};
    top.owner = top.modifier = ada.id;
    top.parent = root.id;
    ok(drive_item_add(&tx, &top));
    for (int i = 0; i < folders; i++) {
        struct drive_item folder = top;
        folder.id = 0;
        folder.key = NULL;
        folder.name = "branch";
        folder.parent = top.id;
        ok(drive_item_add(&tx, &folder));
        add_files(ada.id, folder.id, 1000);
    }
    tree = arena_strdup(&test_arena, top.key);
    kid = arena_strdup(&test_arena, leaf.key);
    end(true);
}

static int64_t ask_rows(struct sql_text *q)
{
    int64_t n;
    begin(false);
    sqlite3_stmt *st = TX_PLAIN(&tx, q);
    ok(sql_first_int(tx.db, tx.err, st, &n));
    end(false);
    return n;
}

/* Rows of what is in the tree, or was: no other names begin so. */
static int64_t rows_left(void)
{
    static struct sql_text items =
        SQL_TEXT("select count(*) from drive_item where name in ('tree', 'branch') or name like "
                 "'leaf %'");
    static struct sql_text words =
        SQL_TEXT("select count(*) from drive_words where name in ('tree', 'branch') or name like "
                 "'leaf %'");
    int64_t n = ask_rows(&items);
    assert_int_equal(ask_rows(&words), n);
    return n;
}

static void drop(const char *key)
{
    as(ADA, "DELETE", TEXT("/files/%s", key), NULL);
    assert_int_equal(test_status, 204);
}

/* Something else of somebody else, which leaves nothing. */
static void go_on(void)
{
    const char *f = make(CYD, "{'name':'other'}");
    as(CYD, "DELETE", TEXT("/files/%s", f), NULL);
    assert_int_equal(test_status, 204);
}

static void sweep_all(void)
{
    int calls = 0;
    static struct sql_text q = SQL_TEXT("select count(*) from drive_gone");
    while (ask_rows(&q) && ++calls < 500)
        go_on();
    assert_int_equal(ask_rows(&q), 0);
    assert_int_equal(rows_left(), 0);
}

static const char *hash(uint64_t of)
{
    char hex[65];
    ok(sosia_world_hash(test_engine, of, hex, &err));
    return arena_strdup(&test_arena, hex);
}

static const char *dumped(uint64_t of)
{
    struct sosia_blob blob;
    ok(sosia_world_dump(test_engine, of, &blob, &err));
    const char *text = arena_memdup(&test_arena, blob.data, blob.len);
    sosia_blob_free(&blob);
    return text;
}

static const char *diff(uint64_t a, uint64_t b)
{
    struct sosia_blob blob;
    ok(sosia_world_diff(test_engine, a, b, &blob, &err));
    const char *text = arena_memdup(&test_arena, blob.data, blob.len);
    sosia_blob_free(&blob);
    return text;
}

static uint64_t fork_of(uint64_t of)
{
    uint64_t fork;
    ok(sosia_world_fork(test_engine, of, NULL, &fork, &err));
    return fork;
}

/* A copy of the world as it is can be taken elsewhere. */
static void export_and_import(void)
{
    uint64_t copy;
    char path[] = "/tmp/sosia-sweep-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    ok(sosia_world_export(test_engine, test_world, path, &err));
    ok(sosia_world_import(test_engine, path, NULL, &copy, &err));
    unlink(path);
    assert_string_equal(hash(copy), hash(test_world));
}

/* ---- tests ---- */

/* All that Ada can see of her files and of what became of them. */
static const char *seen(const char *token)
{
    static const char *const targets[] = {
        "/files?fields=files(name)&pageSize=1000",
        "/files?fields=files(name)&orderBy=name",
        "/files?fields=files(name)&q=name%20contains%20'leaf'",
        "/files?fields=files(name)&q=name%20=%20'branch'",
        "/files?fields=files(name)&q=fullText%20contains%20'leaf'",
        "/files?fields=files(name)&q=mimeType%20=%20'text/plain'",
        "/files?fields=files(name)&q=mimeType%20=%20'text/plain'&orderBy=createdTime",
        "/files?fields=files(name)&q=trashed%20=%20false",
        "/about?fields=storageQuota",
    };
    const char *all = "";
    for (size_t i = 0; i < SOSIA_LEN(targets); i++) {
        as(ADA, "GET", targets[i], NULL);
        assert_int_equal(test_status, 200);
        all = TEXT("%s\n%s", all, test_body);
    }
    as(ADA, "GET", TEXT("/changes?pageToken=%s&fields=changes(fileId,removed)", token), NULL);
    all = TEXT("%s\n%s", all, test_body);
    as(ADA, "GET", TEXT("/files/%s", kid), NULL);
    assert_refused(404, "notFound");
    as(ADA, "GET", TEXT("/files/%s", tree), NULL);
    assert_refused(404, "notFound");
    as(ADA, "PATCH", TEXT("/files/%s", kid), "{'name':'x'}");
    assert_refused(404, "notFound");
    as(ADA, "POST", "/files", TEXT("{'name':'x','parents':['%s']}", tree));
    assert_refused(404, "notFound");
    return all;
}

static const char *token_now(void)
{
    return text_at(as(ADA, "GET", "/changes/startPageToken", NULL), "startPageToken");
}

static void nothing_shows_a_tree_whose_rows_are_there(void **state)
{
    (void)state;
    make(ADA, "{'name':'mine'}");
    add_tree(2);
    const char *token = token_now();
    uint64_t before = fork_of(test_world);
    drop(tree);
    assert_in_range(rows_left(), 1000, 2002);
    const char *was = seen(token), *sum = hash(test_world), *changes = diff(before, test_world);
    assert_null(strstr(was, "leaf"));
    assert_non_null(strstr(was, "mine"));
    assert_null(strstr(dumped(test_world), "leaf"));
    assert_non_null(strstr(changes, "\"branch\""));
    assert_non_null(strstr(changes, "\"leaf 999\""));
    for (int i = 0; i < 3; i++)
        go_on();
    int64_t left = rows_left();
    assert_in_range(left, 1, 2000);
    assert_string_equal(seen(token), was);
    assert_string_equal(hash(test_world), sum);
    assert_string_equal(diff(before, test_world), changes);
    sweep_all();
    assert_string_equal(seen(token), was);
    assert_string_equal(hash(test_world), sum);
    assert_string_equal(diff(before, test_world), changes);
}

static int64_t steps_until_now(void)
{
    int64_t n = 0;
    struct worker *w = worker_take(test_engine, &err);
    assert_non_null(w);
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(slot_db(w->slot), st));)
        n += sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    worker_drop(w);
    return n;
}

/* Steps of SQLite's machine for the deletion and for the worst call behind it. */
static void measure(int folders, int64_t *ret_delete, int64_t *ret_worst)
{
    add_tree(folders);
    steps_until_now();
    drop(tree);
    *ret_delete = steps_until_now();
    *ret_worst = 0;
    for (int i = 0; i < 10; i++) {
        make(CYD, "{'name':'other'}");
        int64_t n = steps_until_now();
        *ret_worst = n > *ret_worst ? n : *ret_worst;
    }
    sweep_all();
}

static void a_call_does_the_same_for_a_larger_tree(void **state)
{
    int64_t small, large, small_behind, large_behind;
    (void)state;
    measure(2, &small, &small_behind);
    measure(6, &large, &large_behind);
    assert_in_range(large, 1, small * 6 / 5);
    assert_in_range(large_behind, 1, small_behind * 6 / 5);
    assert_in_range(small_behind, 1, 50000); /* for 128 rows */
}

/* One item with more than goes at once. */
static void an_item_with_many_rows_goes_in_parts(void **state)
{
    static struct sql_text q = SQL_TEXT("select count(*) from drive_comment");
    (void)state;
    const char *const headers[] = {"Content-Type", "text/plain", NULL};
    const char *f = arena_strdup(
        &test_arena,
        text_at(ask(ADA, "POST", "/upload/drive/v3/files?uploadType=media", headers, "words", 5),
                "id"));
    as(ADA, "PATCH", TEXT("/files/%s", f), "{'name':'leaf of many words'}");
    for (int i = 0; i < 300; i++)
        as(ADA, "POST", TEXT("/files/%s/comments?fields=id", f), "{'content':'a'}");
    drop(f);
    assert_in_range(ask_rows(&q), 170, 180);
    as(ADA, "GET", TEXT("/files/%s/comments?fields=*", f), NULL);
    assert_refused(404, "notFound");
    export_and_import();
    sweep_all();
    assert_int_equal(ask_rows(&q), 0);
}

static void a_reset_or_an_export_may_come_between(void **state)
{
    uint64_t whole, copy;
    char path[] = "/tmp/sosia-sweep-XXXXXX";
    (void)state;
    add_tree(2);
    uint64_t before = fork_of(test_world);
    whole = test_world;
    test_world = before;
    drop(tree);
    int64_t left = rows_left();
    uint64_t fork = fork_of(before);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    ok(sosia_world_export(test_engine, before, path, &err));
    ok(sosia_world_import(test_engine, path, NULL, &copy, &err));
    unlink(path);
    const char *sum = hash(before);
    assert_string_equal(hash(copy), sum);
    assert_string_equal(hash(fork), sum);
    sweep_all();
    test_world = copy;
    assert_int_equal(rows_left(), left);
    sweep_all();
    assert_string_equal(hash(copy), sum);
    test_world = fork;
    assert_int_equal(rows_left(), left);
    sweep_all();
    assert_string_equal(hash(fork), sum);
    test_world = before;
    ok(sosia_world_reset(test_engine, before, &err));
    assert_string_equal(hash(before), hash(whole));
    as(ADA, "GET", TEXT("/files/%s", kid), NULL);
    assert_int_equal(test_status, 200);
    test_world = whole;
}

static void a_false_one_is_not_imported(void **state)
{
    uint64_t copy;
    (void)state;
    const char *f = make(ADA, "{'name':'mine'}");
    assert_int_equal(test_import_changed(TEXT("insert into drive_gone (item) select id from "
                                              "drive_item where key = '%s'",
                                              f),
                                         &copy),
                     -1);
    assert_int_equal(test_import_changed("insert into drive_gone (item) select id from drive_item "
                                         "where top = 1 limit 1",
                                         &copy),
                     -1);
}

static void an_id_is_free_at_once(void **state)
{
    (void)state;
    add_tree(2);
    drop(tree);
    assert_in_range(rows_left(), 1000, 2002);
    assert_string_equal(make(BOB, TEXT("{'name':'other','id':'%s'}", kid)), kid);
    sweep_all();
    as(BOB, "GET", TEXT("/files/%s", kid), NULL);
    assert_int_equal(test_status, 200);
    as(BOB, "POST", "/files", TEXT("{'name':'third','id':'%s'}", kid));
    assert_int_equal(test_status, 409);
}

/* What others have in it, and what they are notified of. */
static void others_have_theirs(void **state)
{
    (void)state;
    add_tree(2);
    as(ADA, "POST", TEXT("/files/%s/permissions?sendNotificationEmail=false", kid),
       TEXT("{'type':'user','role':'reader','emailAddress':'%s'}", CYD));
    as(ADA, "POST", TEXT("/files/%s/permissions?sendNotificationEmail=false", tree),
       TEXT("{'type':'user','role':'writer','emailAddress':'%s'}", BOB));
    const char *folder = make(
        BOB, TEXT("{'name':'his','mimeType':'application/vnd.google-apps.folder','parents':['%s']}",
                  tree));
    const char *in = make(BOB, TEXT("{'name':'in his','parents':['%s']}", folder));
    const char *token = text_at(as(CYD, "GET", "/changes/startPageToken", NULL), "startPageToken");
    as(ADA, "POST", TEXT("/files/%s/watch", kid),
       "{'id':'c1','type':'web_hook','address':'https://hooks.example/drive'}");
    assert_int_equal(test_status, 200);
    drop(tree);
    assert_in_range(rows_left(), 1000, 2002);
    const struct json *v =
        as(CYD, "GET", TEXT("/changes?pageToken=%s&fields=changes(fileId,removed)", token), NULL);
    assert_int_equal(count_at(v, "changes"), 1);
    assert_string_equal(text_at(v, "changes.0.fileId"), kid);
    assert_true(true_at(v, "changes.0.removed"));
    const struct json *sent = test_outbox();
    assert_string_equal(
        text_at(sent, TEXT("%u.payload.headers.X-Goog-Resource-State", sent->n - 1)), "remove");
    v = as(BOB, "GET", TEXT("/files/%s?fields=parents", folder), NULL);
    assert_int_equal(test_status, 200);
    const char *home = text_at(as(BOB, "GET", "/files/root?fields=id", NULL), "id");
    assert_string_equal(text_at(v, "parents.0"), home);
    as(BOB, "GET", TEXT("/files/%s", in), NULL);
    assert_int_equal(test_status, 200);
    sweep_all();
    as(BOB, "GET", TEXT("/files/%s", in), NULL);
    assert_int_equal(test_status, 200);
}

static void the_trash_is_emptied_at_once(void **state)
{
    (void)state;
    add_tree(2);
    make(ADA, "{'name':'mine'}");
    as(ADA, "PATCH", TEXT("/files/%s", kid), "{'trashed':true}");
    as(ADA, "PATCH", TEXT("/files/%s", tree), "{'trashed':true}");
    assert_int_equal(test_status, 200);
    as(ADA, "DELETE", "/files/trash", NULL);
    assert_int_equal(test_status, 204);
    assert_in_range(rows_left(), 1000, 2002);
    const struct json *v = as(ADA, "GET", "/files?q=trashed%20=%20true", NULL);
    assert_int_equal(count_at(v, "files"), 0);
    as(ADA, "DELETE", "/files/trash", NULL);
    assert_int_equal(test_status, 204);
    test_advance(31 * 86400); /* what was in the trash by itself falls due */
    sweep_all();
    v = as(ADA, "GET", "/files?fields=files(name)", NULL);
    assert_int_equal(count_at(v, "files"), 1);
}

/* The world's journal once more: the same answers, and as much is swept. */
static void assert_runs_again(void)
{
    struct sosia_replay_options opt = {.keep = true};
    struct sosia_blob blob;
    uint64_t was = test_world, kept;
    int64_t left = rows_left();
    ok(sosia_journal_replay(test_engine, was, &opt, &kept, &blob, &err));
    const char *report = arena_memdup(&test_arena, blob.data, blob.len);
    sosia_blob_free(&blob);
    if (!strstr(report, "\"equal\": true"))
        fail_msg("%s", report);
    test_world = kept;
    assert_int_equal(rows_left(), left);
    test_world = was;
    assert_string_equal(hash(kept), hash(was));
}

static void a_journal_runs_again_across_a_sweep(void **state)
{
    uint64_t whole = test_world;
    (void)state;
    add_tree(1);
    test_world = fork_of(whole);
    drop(tree);
    for (int i = 0; i < 2; i++)
        go_on();
    assert_in_range(rows_left(), 1, 1000);
    assert_runs_again();
    sweep_all();
    assert_runs_again();
    test_world = whole;
}

/* Whether it has rows or not, and whatever else is asked. */
static void a_shortcut_is_found_by_a_target_that_is_gone(void **state)
{
    static const char *const also[] = {"", "%20or%20name%20=%20'x'%20or%20trashed%20=%20true"};
    (void)state;
    add_tree(1);
    make(ADA, TEXT("{'name':'link','mimeType':'application/vnd.google-apps.shortcut',"
                   "'shortcutDetails':{'targetId':'%s'}}",
                   kid));
    drop(tree);
    assert_in_range(rows_left(), 1, 1000);
    for (int swept = 0; swept < 2; swept++) {
        for (size_t i = 0; i < SOSIA_LEN(also); i++) {
            const char *target =
                TEXT("/files?q=shortcutDetails.targetId%%20=%%20'%s'%s", kid, also[i]);
            assert_int_equal(count_at(as(ADA, "GET", target, NULL), "files"), 1);
        }
        sweep_all();
    }
}

/* A shared drive goes behind what is left of a folder that was in it. */
static void a_drive_goes_after_what_was_in_it(void **state)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from drive_item i where drive is not null and not exists (select "
                 "1 from drive_item t where t.id = i.drive)");
    struct drive_item drive, folder;
    (void)state;
    const char *key = arena_strdup(
        &test_arena, text_at(as(ADA, "POST", "/drives?requestId=sweep", "{'name':'Plans'}"), "id"));
    const char *folder_key = arena_strdup(
        &test_arena,
        text_at(as(ADA, "POST", "/files?supportsAllDrives=true",
                   TEXT("{'name':'tree','mimeType':'application/vnd.google-apps.folder',"
                        "'parents':['%s']}",
                        key)),
                "id"));
    begin(true);
    assert_int_equal(drive_item_by_key(&tx, key, &drive), 1);
    assert_int_equal(drive_item_by_key(&tx, folder_key, &folder), 1);
    for (int i = 0; i < 1000; i++) {
        struct drive_item it = {.modifier = folder.modifier, .size = -1, .drive = drive.id};
        it.parent = folder.id;
        it.name = arena_printf(tx.arena, "leaf %d", i);
        it.mime = "text/plain";
        ok(drive_item_add(&tx, &it));
    }
    end(true);
    drop(TEXT("%s?supportsAllDrives=true", folder_key));
    as(ADA, "DELETE", TEXT("/drives/%s", key), NULL);
    assert_int_equal(test_status, 204);
    assert_in_range(rows_left(), 500, 1000);
    assert_int_equal(ask_rows(&q), 0);
    export_and_import();
    sweep_all();
    assert_int_equal(ask_rows(&q), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(nothing_shows_a_tree_whose_rows_are_there),
        gdrive_test(a_call_does_the_same_for_a_larger_tree),
        gdrive_test(an_item_with_many_rows_goes_in_parts),
        gdrive_test(a_reset_or_an_export_may_come_between),
        gdrive_test(a_false_one_is_not_imported),
        gdrive_test(an_id_is_free_at_once),
        gdrive_test(others_have_theirs),
        gdrive_test(the_trash_is_emptied_at_once),
        gdrive_test(a_journal_runs_again_across_a_sweep),
        gdrive_test(a_shortcut_is_found_by_a_target_that_is_gone),
        gdrive_test(a_drive_goes_after_what_was_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
