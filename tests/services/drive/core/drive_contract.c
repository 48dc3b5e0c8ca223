/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the drive core promises, without a dialect: C calls on items, names, access and content.
 * Everything runs once for each of two vendors: one whose names may repeat, and one whose folders
 * have a name once, whatever its case.
 */
#include "engine/base/codec.h"
#include "engine/service.h"
#include "identity/account.h"
#include "engine/world/engine.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/find/find.h"
#include "services/drive/core/names.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/vendor.h"
#include "tests/services/drive/core/drive_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <sqlite3.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>

/* Texts that outlive a transaction. */
static char *kept[8];
static size_t n_kept;

static int close_world(void **state)
{
    while (n_kept)
        free(kept[--n_kept]);
    end();
    return test_close_engine(state);
}

static struct drive_item item(const struct drive_item *folder, enum drive_form form,
                              const char *name)
{
    return (struct drive_item){.owner = folder->owner,
                               .modifier = folder->owner,
                               .parent = folder->id,
                               .drive = folder->drive,
                               .form = form,
                               .name = name,
                               .mime = form == DRIVE_FOLDER ? DRIVE_MIME_FOLDER : "text/plain",
                               .size = -1};
}

static struct drive_item add(const struct drive_item *folder, enum drive_form form,
                             const char *name)
{
    struct drive_item it = item(folder, form, name);
    ok(drive_item_add(&tx, &it));
    return it;
}

static struct drive_item again(const struct drive_item *it)
{
    struct drive_item now;
    assert_int_equal(drive_item_by_id(&tx, it->id, &now), 1);
    return now;
}

static bool is_there(const struct drive_item *it)
{
    struct drive_item now;
    int r = drive_item_by_id(&tx, it->id, &now);
    ok(r);
    return r == 1;
}

/* ---- keys and tops ---- */

static void a_key_has_the_vendors_form_and_is_one_items(void **state)
{
    struct drive_item a = add(&root, DRIVE_FILE, "a"), same, found;
    (void)state;
    assert_int_equal(strncmp(a.key, "doc!", 4), 0);
    assert_int_equal(strncmp(root.key, "top!", 4), 0);
    assert_string_equal(root.name, vendor->root);
    same = item(&root, DRIVE_FILE, "b");
    same.key = a.key;
    refused(drive_item_add(&tx, &same), "keyInUse");
    ok(drive_delete(&tx, &a));
    assert_int_equal(drive_item_by_key(&tx, a.key, &found), 0);
    ok(drive_item_add(&tx, &same)); /* what was deleted gives it up */
    assert_int_equal(drive_item_by_key(&tx, a.key, &found), 1);
    assert_string_equal(found.name, "b");
}

/* ---- names ---- */

static const char *child(const struct drive_item *folder, const char *name)
{
    struct drive_item it;
    int r = drive_child_by_name(&tx, folder, name, &it);
    ok(r);
    return r ? it.key : "";
}

static void a_folder_finds_what_it_has_by_name(void **state)
{
    struct drive_item f = add(&root, DRIVE_FOLDER, "f"),
                      a = add(&f, DRIVE_FILE, "R\xc3\xa9sum\xc3\xa9"),
                      b = add(&f, DRIVE_FILE, "Resume"), other = add(&root, DRIVE_FILE, "Resume");
    (void)state;
    assert_string_equal(child(&f, "R\xc3\xa9sum\xc3\xa9"), a.key); /* accents count */
    assert_string_equal(child(&f, "Resume"), b.key);
    assert_string_equal(child(&root, "Resume"), other.key);
    assert_string_equal(child(&f, "resume"), vendor->same_name ? b.key : "");
    assert_string_equal(child(&f, "Resum"), "");
    ok(drive_trash(&tx, &b, ada.id));
    ok(drive_item_save(&tx, &b));
    assert_string_equal(child(&f, "Resume"), "");
}

static void a_path_leads_as_far_as_there_is_something(void **state)
{
    struct drive_item a = add(&root, DRIVE_FOLDER, "a"), b = add(&a, DRIVE_FOLDER, "b c"),
                      c = add(&b, DRIVE_FILE, "d.txt"), found;
    const char *rest;
    (void)state;
    assert_int_equal(drive_item_by_path(&tx, &root, "/a/b c/d.txt", &found, &rest), 1);
    assert_string_equal(found.key, c.key);
    assert_string_equal(rest, "");
    assert_int_equal(drive_item_by_path(&tx, &root, "a/b c/new/x.txt", &found, &rest), 0);
    assert_string_equal(found.key, b.key);
    assert_string_equal(rest, "new/x.txt");
    assert_int_equal(drive_item_by_path(&tx, &root, "z", &found, &rest), 0);
    assert_string_equal(found.key, root.key);
    assert_string_equal(rest, "z");
    assert_int_equal(drive_item_by_path(&tx, &root, "a/b c/d.txt/e", &found, NULL), 0);
    assert_string_equal(found.key, c.key);
    assert_int_equal(drive_item_by_path(&tx, &a, "", &found, NULL), 1);
    assert_string_equal(found.key, a.key);
    ok(drive_delete(&tx, &b));
    assert_int_equal(drive_item_by_path(&tx, &root, "a/b c/d.txt", &found, &rest), 0);
    assert_string_equal(found.key, a.key);
}

static void a_name_is_in_a_folder_once_where_the_vendor_says_so(void **state)
{
    struct drive_item first = add(&root, DRIVE_FILE, "a.txt"),
                      second = item(&root, DRIVE_FILE, "A.TXT"), old,
                      dir = add(&root, DRIVE_FOLDER, "dir");
    (void)state;
    if (!vendor->unique_names) {
        second.name = "a.txt";
        assert_int_equal(drive_name_settle(&tx, &second, CONFLICT_REPLACE, &old), 0);
        ok(drive_item_add(&tx, &second));
        assert_string_not_equal(first.key, second.key);
        return;
    }
    refused(drive_item_add(&tx, &second), "nameInUse");
    refused(drive_name_settle(&tx, &second, CONFLICT_FAIL, NULL), "nameInUse");
    assert_int_equal(drive_name_settle(&tx, &second, CONFLICT_REPLACE, &old), 1);
    assert_string_equal(old.key, first.key);
    assert_int_equal(drive_name_settle(&tx, &second, CONFLICT_RENAME, NULL), 0);
    assert_string_equal(second.name, "A 1.TXT");
    ok(drive_item_add(&tx, &second));
    /* A rename and a move as well, and neither a folder nor a file in each other's place. */
    second.name = "a.TXT";
    refused(drive_item_save(&tx, &second), "nameInUse");
    second = again(&second);
    struct drive_item moved = add(&dir, DRIVE_FILE, "a.txt");
    ok(drive_move(&tx, &moved, &root, ada.id));
    refused(drive_item_save(&tx, &moved), "nameInUse");
    struct drive_item folder = item(&root, DRIVE_FOLDER, "a.txt");
    refused(drive_name_settle(&tx, &folder, CONFLICT_REPLACE, &old), "nameInUse");
    second.name = "DIR";
    refused(drive_name_settle(&tx, &second, CONFLICT_REPLACE, &old), "nameInUse");
    assert_int_equal(drive_name_settle(&tx, &folder, CONFLICT_RENAME, NULL), 0);
    assert_string_equal(folder.name, "a.txt 1");
    ok(drive_item_save(&tx, &first)); /* itself is not in its own way */
}

static void the_trash_has_no_names(void **state)
{
    struct drive_item first = add(&root, DRIVE_FILE, "a.txt");
    (void)state;
    ok(drive_trash(&tx, &first, ada.id));
    ok(drive_item_save(&tx, &first));
    struct drive_item second = add(&root, DRIVE_FILE, "a.txt");
    assert_string_equal(child(&root, "a.txt"), second.key);
    ok(drive_untrash(&tx, &first));
    if (!vendor->unique_names) {
        ok(drive_item_save(&tx, &first));
        return;
    }
    refused(drive_item_save(&tx, &first), "nameInUse");
    assert_int_equal(drive_name_settle(&tx, &first, CONFLICT_RENAME, NULL), 0);
    ok(drive_item_save(&tx, &first));
    assert_string_equal(child(&root, "a 1.txt"), first.key);
}

static int64_t steps_until_now(void)
{
    int64_t n = 0;
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(slot_db(tx.db), st));)
        n += sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    return n;
}

/* Of 300 items with a name and its other forms, the next free form takes a few looks. */
static void a_free_name_is_found_among_many(void **state)
{
    (void)state;
    if (!vendor->unique_names)
        return;
    for (int i = 0; i < 300; i++) {
        struct drive_item it = item(&root, DRIVE_FILE, "a.txt");
        assert_int_equal(drive_name_settle(&tx, &it, CONFLICT_RENAME, NULL), 0);
        assert_string_equal(it.name, i ? arena_printf(tx.arena, "a %d.txt", i) : "a.txt");
        ok(drive_item_add(&tx, &it));
    }
    struct drive_item next = item(&root, DRIVE_FILE, "a.txt");
    steps_until_now();
    assert_int_equal(drive_name_settle(&tx, &next, CONFLICT_RENAME, NULL), 0);
    assert_in_range(steps_until_now(), 1, 1000);
}

/* Bob's file in a folder of Ada's that is deleted comes to his top, whatever he has there. */
static void a_file_that_is_sent_home_finds_a_name_there(void **state)
{
    struct drive_item f = add(&root, DRIVE_FOLDER, "f"), home, his, at_home;
    (void)state;
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    his = item(&f, DRIVE_FILE, "a.txt");
    his.owner = bob.id;
    ok(drive_item_add(&tx, &his));
    at_home = add(&home, DRIVE_FILE, "a.txt");
    ok(drive_delete(&tx, &f));
    struct drive_item now = again(&his);
    assert_int_equal(now.parent, home.id);
    assert_string_equal(now.name, vendor->unique_names ? "a 1.txt" : "a.txt");
    assert_string_equal(again(&at_home).name, "a.txt");
}

/* ---- lists ---- */

/* The first 10 of a folder in an order, or of what Ada owns; and how many steps that took. */
static const char *listed_of(const struct drive_vendor *of, const struct drive_item *folder,
                             const struct find_order *order, size_t n_order, int64_t *ret_steps)
{
    struct find in = {.kind = FIND_PARENT, .id = folder ? folder->id : 0};
    struct drive_viewer v;
    struct drive_finder f = {.viewer = &v,
                             .vendor = of,
                             .question = folder ? &in : NULL,
                             .scope = SCOPE_PERSON,
                             .in_drive = true,
                             .order = order,
                             .n_order = n_order};
    struct drive_item *items;
    struct drive_access *access;
    const char *position, *text = "";
    size_t n;
    drive_viewer(&tx, &ada, &v);
    steps_until_now();
    ok(drive_find(&f, NULL, 10, &items, &access, &n, &position));
    *ret_steps = steps_until_now();
    for (size_t i = 0; i < n; i++)
        text = arena_printf(tx.arena, "%s%s%s", text, i ? " " : "", items[i].name);
    return text;
}

static const char *listed(const struct drive_item *folder, const struct find_order *order,
                          size_t n_order, int64_t *ret_steps)
{
    return listed_of(vendor, folder, order, n_order, ret_steps);
}

/* Ten of a folder by name take as long whatever the folder has. */
static void a_list_by_name_reads_what_it_shows(void **state)
{
    static const struct find_order orders[][2] = {
        {{ORDER_NAME, false}},
        {{ORDER_NAME, true}},
        {{ORDER_FOLDER, false}, {ORDER_NAME, false}},
        {{ORDER_FOLDER, true}, {ORDER_NAME, true}},
    };
    static const char *const expected[] = {
        "n000 n001 n002 n003 n004 n005 n006 n007 n008 n009",
        "z dir n399 n398 n397 n396 n395 n394 n393 n392 n391",
        "z dir n000 n001 n002 n003 n004 n005 n006 n007 n008",
        "n399 n398 n397 n396 n395 n394 n393 n392 n391 n390",
    };
    struct drive_item f = add(&root, DRIVE_FOLDER, "f");
    int64_t few[SOSIA_LEN(orders)], steps;
    (void)state;
    add(&f, DRIVE_FOLDER, "z dir");
    for (int i = 0; i < 400; i++) {
        if (i == 100)
            for (size_t k = 0; k < SOSIA_LEN(orders); k++)
                listed(&f, orders[k], 1 + (k > 1), &few[k]);
        add(&f, DRIVE_FILE, arena_printf(tx.arena, "n%03d", i * 7 % 400));
    }
    for (size_t k = 0; k < SOSIA_LEN(orders); k++) {
        assert_string_equal(listed(&f, orders[k], 1 + (k > 1), &steps), expected[k]);
        assert_in_range(steps, 1, few[k] * 5 / 4);
    }
}

/* ---- trees ---- */

static void folders_are_as_deep_as_the_vendor_has_them(void **state)
{
    struct drive_item at = root;
    int depth = 0;
    (void)state;
    for (;; depth++) {
        struct drive_item next = item(&at, DRIVE_FOLDER, "d");
        if (drive_may_hold(&tx, &at, &next) < 0)
            break;
        ok(drive_item_add(&tx, &next));
        at = next;
    }
    assert_string_equal(fault.reason, "tooDeep");
    fault = (struct sosia_err){0};
    assert_int_equal(depth, vendor->max_depth);
    struct drive_item top = add(&root, DRIVE_FOLDER, "top"), below = add(&top, DRIVE_FOLDER, "b");
    refused(drive_move(&tx, &top, &below, ada.id), "cycle");
}

/* A folder with more than goes at once is gone at once; what others own in it goes to them. */
static void a_large_folder_is_deleted_bit_by_bit(void **state)
{
    struct drive_item f = add(&root, DRIVE_FOLDER, "f"), home, his,
                      left = add(&root, DRIVE_FILE, "a");
    int64_t ids[1500], steps;
    (void)state;
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    his = item(&f, DRIVE_FILE, "his");
    his.owner = bob.id;
    ok(drive_item_add(&tx, &his));
    for (size_t i = 0; i < SOSIA_LEN(ids); i++)
        ids[i] = add(&f, DRIVE_FILE, arena_printf(tx.arena, "m%zu", i)).id;
    ok(drive_delete(&tx, &f));
    for (int later = 0; later < 3; later++) {
        struct find_order by_name = {ORDER_NAME, false};
        assert_false(is_there(&f));
        assert_true(is_there(&left));
        assert_int_equal(again(&his).parent, home.id);
        for (size_t i = 0; i < SOSIA_LEN(ids); i += 100) {
            struct drive_item one;
            assert_int_equal(drive_item_by_id(&tx, ids[i], &one), 0);
        }
        assert_string_equal(listed(NULL, NULL, 0, &steps), "a");
        assert_string_equal(listed(NULL, &by_name, 1, &steps), "a");
        end();
        test_advance(60);
        begin();
    }
    int n = INT_MAX;
    for (int turn = 0; turn < 60 && n > 9; turn++) {
        struct drive_item one = add(&root, DRIVE_FILE, "b"); /* what is written takes some along */
        ok(drive_delete(&tx, &one));
        end();
        begin();
        sqlite3_stmt *st;
        assert_int_equal(
            sqlite3_prepare_v2(slot_db(tx.db), "select count(*) from drive_item", -1, &st, NULL),
            SQLITE_OK);
        assert_int_equal(sqlite3_step(st), SQLITE_ROW);
        n = sqlite3_column_int(st, 0);
        sqlite3_finalize(st);
    }
    assert_in_range(n, 3, 9);
}

static void what_is_in_the_trash_goes_after_the_vendors_time(void **state)
{
    struct drive_item f = add(&root, DRIVE_FOLDER, "f"), in = add(&f, DRIVE_FILE, "in");
    (void)state;
    ok(drive_trash(&tx, &f, ada.id));
    ok(drive_item_save(&tx, &f));
    end();
    test_advance(vendor->trash_us / 1000000 - 60);
    begin();
    assert_true(is_there(&f) && is_there(&in));
    end();
    test_advance(120);
    begin();
    assert_false(is_there(&f) || is_there(&in));
}

static void revisions_are_kept_as_the_vendor_has_them(void **state)
{
    struct drive_item it = add(&root, DRIVE_FILE, "a");
    int n_there = 0;
    (void)state;
    for (int i = 0; i < 60; i++) {
        ok(drive_content_put(&tx, &it, "text", 4 - (size_t)(i & 1)));
        if (drive_revision_keep(&tx, &it, it.head) < 0) {
            assert_string_equal(fault.reason, "tooManyKept");
            fault = (struct sosia_err){0};
            break;
        }
        n_there++;
    }
    assert_int_equal(n_there, vendor->kept_revisions);
}

static void a_picture_has_the_size_that_its_bytes_say(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *media; /* NULL: none */
    } heads[] = {
        {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\2\3\0\4\5\6", 24,
         "{\"width\":66051,\"height\":263430,\"rotation\":0}"},
        {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\2\3\0\4\5", 23, NULL},
        {"GIF89a\x10\x02\x20\x03", 10, "{\"width\":528,\"height\":800,\"rotation\":0}"},
        {"GIF89a\x10\x02\x20", 9, NULL},
        {"\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\x11\10\1\2\3\4", 17,
         "{\"width\":772,\"height\":258,\"rotation\":0}"},
        {"\xff\xd8\xff\xc4\0\4ab\xff\xcc\0\2\xff\xc8\0\3a\xff\xc2\0\x11\10\1\2\3\4", 26,
         "{\"width\":772,\"height\":258,\"rotation\":0}"},
        {"\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\x11\10\1\2\3", 16, NULL},
        {"\xff\xd8\xff\xdb\0\4ab\xfe\xc0\0\x11\10\1\2\3\4\5\6", 19, NULL},
        {"plain", 5, NULL},
    };
    struct blob b;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(heads); i++) {
        struct drive_item it = add(&root, DRIVE_FILE, arena_printf(tx.arena, "p%zu", i));
        ok(drive_content_put(&tx, &it, heads[i].bytes, heads[i].n));
        assert_int_equal(drive_content_digests(&tx, &it, &b), 1);
        ok(drive_read_picture(&tx, &it, &b));
        assert_null(it.media); /* a text */
        it.mime = "image/any";
        ok(drive_read_picture(&tx, &it, &b));
        if (heads[i].media)
            assert_string_equal(it.media, heads[i].media);
        else
            assert_null(it.media);
    }
}

/* ---- who may do what ---- */

static enum drive_role role_of(const struct actor *who, const struct drive_item *it)
{
    struct drive_viewer v;
    struct drive_access at;
    drive_viewer(&tx, who, &v);
    struct drive_item now = again(it);
    ok(drive_role(&v, &now, &at));
    return at.role;
}

static void give(struct drive_item *it, enum drive_grantee kind, const char *who,
                 enum drive_role role, bool lowers)
{
    struct drive_grant g = {.kind = kind, .who = who, .role = role, .lowers = lowers};
    *it = again(it);
    ok(drive_grant_set(&tx, it, &g));
}

static void a_content_has_a_version_of_its_own_and_digests(void **state)
{
    struct drive_item it = add(&root, DRIVE_FILE, "a"), copy;
    struct blob b;
    (void)state;
    assert_int_equal(drive_content_digests(&tx, &it, &b), 0);
    ok(drive_content_put(&tx, &it, "J", 1));
    int64_t first = drive_content_version(&it), version = it.version;
    it.name = "b";
    ok(drive_item_save(&tx, &it));
    give(&it, GRANT_PERSON, BOB, ROLE_READER, false);
    assert_int_equal(drive_content_version(&it), first);
    assert_true(it.version > version);
    assert_int_equal(drive_content_digests(&tx, &it, &b), 1);
    assert_string_equal(it.md5, "ff44570aca8241914870afbc310cdb85");
    assert_int_equal(!!(b.digests & BLOB_QUICKXOR), !!(vendor->digests & BLOB_QUICKXOR));
    if (vendor->digests & BLOB_QUICKXOR)
        assert_memory_equal(b.quickxor, "J\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 20);
    ok(drive_content_put(&tx, &it, "K", 1));
    assert_true(drive_content_version(&it) > first);
    copy = add(&root, DRIVE_FILE, "copy");
    ok(drive_copy_content(&tx, &it, &copy));
    assert_string_equal(copy.md5, it.md5);
    assert_int_not_equal(drive_content_version(&copy), drive_content_version(&it));
}

static void a_role_holds_below_and_the_strongest_counts(void **state)
{
    struct drive_item f = add(&root, DRIVE_FOLDER, "f"), g = add(&f, DRIVE_FOLDER, "g"),
                      a = add(&g, DRIVE_FILE, "a");
    (void)state;
    assert_int_equal(role_of(&ada, &a), ROLE_OWNER);
    assert_int_equal(role_of(&bob, &a), ROLE_NONE);
    give(&f, GRANT_PERSON, BOB, ROLE_READER, false);
    assert_int_equal(role_of(&bob, &a), ROLE_READER);
    give(&a, GRANT_DOMAIN, "acme.example", ROLE_WRITER, false);
    assert_int_equal(role_of(&bob, &a), ROLE_WRITER);
    assert_int_equal(role_of(&bob, &g), ROLE_READER);
    assert_int_equal(role_of(&eve, &a), ROLE_NONE);
    give(&g, GRANT_ANYONE, "", ROLE_COMMENTER, false);
    assert_int_equal(role_of(&eve, &a), ROLE_COMMENTER);
    assert_int_equal(role_of(&eve, &f), ROLE_NONE);
    give(&g, GRANT_PERSON, BOB, ROLE_NONE, true); /* less than above, and what others give stays */
    assert_int_equal(role_of(&bob, &g), ROLE_COMMENTER);
}

static void a_folder_of_limited_access_lets_nothing_in_from_above(void **state)
{
    struct drive_item f = add(&root, DRIVE_FOLDER, "f"), g = add(&f, DRIVE_FOLDER, "g"),
                      a = add(&g, DRIVE_FILE, "a");
    (void)state;
    give(&f, GRANT_PERSON, BOB, ROLE_WRITER, false);
    g.flags |= DRIVE_LIMITED;
    ok(drive_item_save(&tx, &g));
    assert_int_equal(role_of(&bob, &g), ROLE_SEES);
    assert_int_equal(role_of(&bob, &a), ROLE_NONE);
    give(&g, GRANT_PERSON, BOB, ROLE_READER, false);
    assert_int_equal(role_of(&bob, &a), ROLE_READER);
}

/* ---- documents ---- */

static void seed(const char *doc)
{
    end();
    int r = sosia_world_seed(test_engine, test_world, doc, strlen(doc), "doc", &fault);
    begin();
    if (r == 0)
        fault.text[0] = 0;
}

static char *dump_text(void)
{
    struct sosia_blob blob;
    end();
    ok(sosia_world_dump(test_engine, test_world, &blob, &fault));
    begin();
    assert_true(n_kept < SOSIA_LEN(kept));
    kept[n_kept] = strndup((const char *)blob.data, blob.len);
    sosia_blob_free(&blob);
    return kept[n_kept++];
}

/* A world that is made of it has it as its dump. */
static void dump_is_a_document(const char *dump)
{
    uint64_t other = test_world_of(dump), first = test_world;
    end();
    test_world = other;
    begin();
    assert_string_equal(dump_text(), dump);
    end();
    test_world = first;
    begin();
}

/* ---- accounts ---- */

static void an_account_has_a_drive_of_its_vendor(void **state)
{
    struct account account;
    struct drive_item mine, a, old;
    (void)state;
    assert_string_equal(root.name, loose.root);
    assert_int_equal(account_at(&tx, ada.id, "strict", ACCOUNT_DRIVE, &account), 1);
    assert_int_equal(drive_root_of(&tx, &account, &mine), 1);
    assert_string_equal(mine.name, strict.root);
    assert_int_not_equal(mine.id, root.id);
    assert_int_equal(drive_child_by_name(&tx, &mine, "A", &a), 1); /* by its ways of names */
    assert_string_equal(drive_vendor_of(&tx, &a)->name, "strict");
    assert_int_equal(drive_child_by_name(&tx, &root, "A", &a), 0);
    a = item(&mine, DRIVE_FILE, "A");
    refused(drive_item_add(&tx, &a), "nameInUse");
    add(&root, DRIVE_FILE, "a");
    struct drive_item f = add(&mine, DRIVE_FOLDER, "f"), in = add(&f, DRIVE_FILE, "x");
    in = item(&f, DRIVE_FILE, "X");
    assert_int_equal(drive_name_settle(&tx, &in, CONFLICT_REPLACE, &old), 1);
    /* A list is of one of them, or of both. */
    int64_t steps;
    assert_string_equal(listed_of(&loose, NULL, NULL, 0, &steps), "a a");
    assert_string_equal(listed_of(&strict, NULL, NULL, 0, &steps), "a f x");
    assert_string_equal(listed_of(NULL, NULL, NULL, 0, &steps), "a a a f x");
    /* Bob has the one account that is usual, and its drive. */
    assert_int_equal(drive_root(&tx, bob.id, &mine), 1);
    assert_string_equal(mine.name, loose.root);
    assert_int_equal(account_at(&tx, bob.id, "strict", ACCOUNT_DRIVE, &account), 0);
    const char *dump = dump_text();
    assert_non_null(strstr(dump, "\"vendor\": \"strict\""));
    dump_is_a_document(dump);
}

/* ---- links ---- */

static struct drive_link link_at(struct drive_item *it, enum drive_link_scope scope,
                                 enum drive_link_type type)
{
    struct drive_link l = {.scope = scope, .type = type, .creator = ada.id};
    ok(drive_link_save(&tx, it, &l));
    return l;
}

/* What somebody has at an item when they have opened a link. */
static enum drive_role role_with(const struct actor *who, const struct drive_link *l,
                                 const char *password, const struct drive_item *it)
{
    struct drive_viewer v;
    struct drive_access at;
    struct drive_item opened, now = again(it);
    drive_viewer(&tx, who, &v);
    ok(drive_role(&v, &now, &at)); /* what is known of places before does not count */
    if (drive_link_open(&v, l->token, password, &opened) < 0)
        return ROLE_NONE;
    assert_int_equal(opened.id, l->item);
    ok(drive_role(&v, &now, &at));
    assert_true(at.role == ROLE_NONE || at.link);
    return at.role;
}

static void a_link_gives_what_it_says_below_its_item(void **state)
{
    static const struct actor nobody = {.handle = "", .email = ""};
    struct drive_item f = add(&root, DRIVE_FOLDER, "f"), a = add(&f, DRIVE_FILE, "a"),
                      b = add(&root, DRIVE_FILE, "b");
    struct drive_link view = link_at(&f, LINK_ANONYMOUS, LINK_VIEW),
                      edit = link_at(&f, LINK_ANONYMOUS, LINK_EDIT),
                      embed = link_at(&f, LINK_ANONYMOUS, LINK_EMBED), gone = {.token = "none"};
    (void)state;
    assert_int_equal(role_with(&eve, &view, NULL, &a), ROLE_READER);
    assert_int_equal(role_with(&nobody, &view, NULL, &f), ROLE_READER);
    assert_int_equal(role_with(&eve, &edit, NULL, &a), ROLE_WRITER);
    assert_int_equal(role_with(&eve, &embed, NULL, &a), ROLE_READER);
    assert_int_equal(role_with(&eve, &edit, NULL, &b), ROLE_NONE);
    assert_int_equal(role_of(&eve, &a), ROLE_NONE); /* who did not open it */
    assert_int_equal(role_with(&eve, &gone, NULL, &a), ROLE_NONE);
    assert_string_equal(fault.reason, "noLink");
    ok(drive_link_remove(&tx, &f, &edit));
    assert_int_equal(role_with(&eve, &edit, NULL, &a), ROLE_NONE);
    struct drive_link *list, twice = {.token = view.token, .scope = LINK_ANONYMOUS, .type = 1};
    size_t n;
    ok(drive_links(&tx, f.id, &list, &n));
    assert_int_equal(n, 2);
    refused(drive_link_save(&tx, &f, &twice), "tokenInUse");
    ok(drive_delete(&tx, &f));
    assert_int_equal(role_with(&eve, &view, NULL, &b), ROLE_NONE);
    assert_string_equal(fault.reason, "noLink");
}

/* Only for those who have no more by something else. */
static void a_link_may_keep_from_downloading(void **state)
{
    struct drive_item f = add(&root, DRIVE_FOLDER, "f"), opened;
    struct drive_link held = {.scope = LINK_ANONYMOUS, .type = LINK_VIEW, .no_download = true},
                      open = link_at(&f, LINK_ANONYMOUS, LINK_VIEW);
    struct drive_viewer v;
    struct drive_access at;
    (void)state;
    ok(drive_link_save(&tx, &f, &held));
    drive_viewer(&tx, &eve, &v);
    ok(drive_link_open(&v, held.token, NULL, &opened));
    ok(drive_role(&v, &f, &at));
    assert_true(at.role == ROLE_READER && at.no_download);
    ok(drive_link_open(&v, open.token, NULL, &opened));
    ok(drive_role(&v, &f, &at));
    assert_true(at.role == ROLE_READER && !at.no_download);
}

static void a_link_is_for_those_it_names(void **state)
{
    struct drive_item f = add(&root, DRIVE_FOLDER, "f");
    struct drive_link org = link_at(&f, LINK_ORGANIZATION, LINK_VIEW),
                      users = {.scope = LINK_USERS, .type = LINK_EDIT},
                      none = {.scope = LINK_USERS, .type = LINK_VIEW};
    const char *names[] = {EVE, "others@acme.example"};
    (void)state;
    assert_int_equal(role_with(&bob, &org, NULL, &f), ROLE_READER);
    assert_int_equal(role_with(&eve, &org, NULL, &f), ROLE_NONE);
    assert_string_equal(fault.reason, "organization");
    refused(drive_link_save(&tx, &f, &none), "users");
    users.users = names;
    users.n_users = 2;
    ok(drive_link_save(&tx, &f, &users));
    assert_int_equal(role_with(&eve, &users, NULL, &f), ROLE_WRITER);
    assert_int_equal(role_with(&bob, &users, NULL, &f), ROLE_NONE);
    assert_string_equal(fault.reason, "users");
}

static void a_link_asks_for_its_password_and_ends(void **state)
{
    struct drive_item f = add(&root, DRIVE_FOLDER, "f");
    struct drive_link l = link_at(&f, LINK_ANONYMOUS, LINK_VIEW), there;
    (void)state;
    l.token = kept[n_kept++] = strdup(l.token);
    l.password = drive_link_password(&tx, "open sesame", false);
    l.expires_us = tx.now_us + DAY_US;
    assert_null(strstr(l.password, "sesame"));
    ok(drive_link_save(&tx, &f, &l));
    assert_int_equal(role_with(&eve, &l, "open sesame", &f), ROLE_READER);
    assert_int_equal(role_with(&eve, &l, "open", &f), ROLE_NONE);
    assert_string_equal(fault.reason, "password");
    assert_int_equal(role_with(&eve, &l, NULL, &f), ROLE_NONE);
    end();
    test_advance(86399);
    begin();
    assert_int_equal(drive_link_by_token(&tx, l.token, &there), 1);
    end();
    test_advance(1);
    begin();
    assert_int_equal(role_with(&eve, &l, "open sesame", &f), ROLE_NONE);
    assert_string_equal(fault.reason, "noLink");
}

/* ---- seed documents ---- */

static void a_document_has_links_where_the_vendor_has(void **state)
{
    static const char doc[] =
        "{\"sosia\":1,\"files\":[{\"name\":\"a\",\"owner\":\"" BOB "\",\"links\":[{\"token\":"
        "\"tok1\",\"password\":\"hush\"},{\"scope\":\"users\",\"type\":\"edit\",\"users\":[\"" EVE
        "\"],\"expires\":\"2027-01-01T00:00:00Z\",\"by\":\"" ADA "\"}]}]}";
    struct drive_link l = {.token = "tok1"}, there;
    (void)state;
    seed(doc);
    if (!vendor->links) {
        assert_non_null(strstr(fault.text, "files[0].links[0]: drives of loose have no links"));
        fault = (struct sosia_err){0};
        return;
    }
    assert_string_equal(fault.text, "");
    assert_int_equal(drive_link_by_token(&tx, "tok1", &there), 1);
    struct drive_item file = {.id = l.item = there.item};
    assert_int_equal(role_with(&eve, &l, "hush", &file), ROLE_READER);
    char *dump = dump_text();
    assert_null(strstr(dump, "hush"));
    assert_non_null(strstr(dump, "\"expires\": \"2027-01-01T00:00:00Z\""));
    dump_is_a_document(dump);
}

/* Where the vendor has a name once, a document does too; and a dump is a document. */
static void a_document_says_a_name_twice(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"files\":[{\"name\":\"a.txt\",\"owner\":\"" BOB "\"},"
                              "{\"name\":\"A.txt\",\"owner\":\"" BOB "\"}]}";
    (void)state;
    seed(doc);
    if (vendor->unique_names) {
        assert_non_null(strstr(fault.text, "files[1].name: its folder has \"A.txt\" already"));
        fault = (struct sosia_err){0};
    } else {
        assert_string_equal(fault.text, "");
    }
}

#define BOTH(test)                                                                                 \
    {#test " (loose)", test, open_world, close_world, (void *)(uintptr_t)&loose},                  \
    {                                                                                              \
#test " (strict)", test, open_world, close_world, (void *)(uintptr_t)&strict               \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_key_has_the_vendors_form_and_is_one_items),
        BOTH(a_folder_finds_what_it_has_by_name),
        BOTH(a_path_leads_as_far_as_there_is_something),
        BOTH(a_name_is_in_a_folder_once_where_the_vendor_says_so),
        BOTH(the_trash_has_no_names),
        BOTH(a_free_name_is_found_among_many),
        BOTH(a_file_that_is_sent_home_finds_a_name_there),
        BOTH(a_list_by_name_reads_what_it_shows),
        BOTH(folders_are_as_deep_as_the_vendor_has_them),
        BOTH(what_is_in_the_trash_goes_after_the_vendors_time),
        BOTH(revisions_are_kept_as_the_vendor_has_them),
        BOTH(a_large_folder_is_deleted_bit_by_bit),
        BOTH(a_picture_has_the_size_that_its_bytes_say),
        BOTH(a_content_has_a_version_of_its_own_and_digests),
        BOTH(a_role_holds_below_and_the_strongest_counts),
        BOTH(a_folder_of_limited_access_lets_nothing_in_from_above),
        BOTH(a_link_gives_what_it_says_below_its_item),
        BOTH(a_link_may_keep_from_downloading),
        BOTH(a_link_is_for_those_it_names),
        BOTH(a_link_asks_for_its_password_and_ends),
        BOTH(a_document_has_links_where_the_vendor_has),
        BOTH(a_document_says_a_name_twice),
        {"an_account_has_a_drive_of_its_vendor", an_account_has_a_drive_of_its_vendor, open_both,
         close_world, NULL},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
