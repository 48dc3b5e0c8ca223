/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of a drive at their ends: how deep they may be, what moves along, what a folder's deletion
 * takes and what it leaves to others, whatever it holds, and that all rows go in the end; contents
 * and revisions, and what is counted of them.
 */
#include "engine/world/engine.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/model.h"
#include "services/drive/core/revision.h"
#include "tests/services/drive/core/drive_steps.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <sqlite3.h>
#include <stdlib.h>

static struct drive_item item(const struct drive_item *folder, const char *name, const char *mime)
{
    return (struct drive_item){.parent = folder->id,
                               .owner = folder->owner,
                               .modifier = folder->owner,
                               .drive = folder->drive,
                               .form = strcmp(mime, "folder") == 0     ? DRIVE_FOLDER
                                       : strcmp(mime, "document") == 0 ? DRIVE_DOCUMENT
                                                                       : DRIVE_FILE,
                               .name = name,
                               .mime = mime,
                               .size = -1};
}

static struct drive_item add(const struct drive_item *folder, const char *name, const char *mime)
{
    struct drive_item it = item(folder, name, mime);
    ok(drive_item_add(&tx, &it));
    return it;
}

static struct drive_item add_of(const struct drive_item *folder, const struct actor *owner,
                                const char *name, const char *mime)
{
    struct drive_item it = item(folder, name, mime);
    it.owner = it.modifier = owner->id;
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

static void commit(void)
{
    end();
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
}

static struct drive_item root_of(const struct actor *who)
{
    struct drive_item it;
    assert_int_equal(drive_root(&tx, who->id, &it), 1);
    return it;
}

static int64_t rows(const char *sql)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(slot_db(tx.db), sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

static struct drive_item make_drive(const char *name)
{
    struct drive_settings s = {0};
    struct drive_item top;
    ok(drive_shared_make(&tx, &ada, NULL, name, &s, &top));
    return top;
}

/* ---- depth ---- */

/* A chain of folders below one: the last is so many levels below it. */
static struct drive_item chain(const struct drive_item *from, int n)
{
    struct drive_item at = *from;
    for (int i = 0; i < n; i++)
        at = add(&at, arena_printf(tx.arena, "level %d", i), "folder");
    return at;
}

static void a_folder_fits_with_all_that_is_in_it(void **state)
{
    (void)state;
    int most = vendor->max_depth; /* folders above one another, that at the top among them */
    for (int height = 0; height < most; height++) {
        struct drive_item moved = add(&root, arena_printf(tx.arena, "moved %d", height), "folder"),
                          deep = chain(&moved, height);
        add(&deep, "a file is not a level", "text/plain");
        for (int depth = 1; depth <= most; depth++) {
            struct drive_item to = root;
            if (depth > 1) {
                to = add(&root, arena_printf(tx.arena, "to %d %d", height, depth), "folder");
                to = chain(&to, depth - 2);
            }
            if (depth == 1 || depth + height <= most)
                ok(drive_may_hold(&tx, &to, &moved));
            else
                refused(drive_may_hold(&tx, &to, &moved), "tooDeep");
        }
        ok(drive_may_hold(&tx, &root, &deep)); /* up is always well */
        ok(drive_delete(&tx, &moved));
    }
    /* What is in a folder that is too deep already goes up, and sideways. */
    struct drive_item last = chain(&root, most), file = item(&last, "x", "text/plain");
    ok(drive_may_hold(&tx, &last, &file));
    struct drive_item new = item(&last, "x", "folder");
    refused(drive_may_hold(&tx, &last, &new), "tooDeep");
    struct drive_item there = again(&last);
    there.parent = again(&there).parent;
    struct drive_item above;
    assert_int_equal(drive_item_by_id(&tx, there.parent, &above), 1);
    ok(drive_may_hold(&tx, &above, &there));
}

static void a_folder_is_not_in_itself(void **state)
{
    struct drive_item a = add(&root, "a", "folder"), b = add(&a, "b", "folder"),
                      c = add(&b, "c", "folder"), file = add(&c, "f", "text/plain");
    (void)state;
    refused(drive_may_hold(&tx, &a, &a), "cycle");
    refused(drive_may_hold(&tx, &c, &a), "cycle");
    refused(drive_move(&tx, &a, &c, ada.id), "cycle");
    refused(drive_may_hold(&tx, &file, &file), "cycle");
    assert_int_equal(a.parent, root.id);
    ok(drive_may_hold(&tx, &a, &c));
    assert_int_equal(drive_is_under(&tx, file.id, a.id), 1);
    assert_int_equal(drive_is_under(&tx, 99999, a.id), 0);
    assert_int_equal(drive_is_under(&tx, a.id, a.id), 1);
    assert_int_equal(drive_is_under(&tx, a.id, file.id), 0);
    assert_int_equal(drive_is_under(&tx, 0, a.id), 0);
}

static int stop_at(void *arg, const struct drive_item *folder)
{
    const char **text = arg;
    *text = arena_printf(tx.arena, "%s/%s", *text, folder->name);
    return strcmp(folder->name, "b") == 0 ? 7 : 0;
}

static void folders_above_are_called_from_the_nearest_on(void **state)
{
    struct drive_item a = add(&root, "a", "folder"), b = add(&a, "b", "folder"),
                      c = add(&b, "c", "folder"), file = add(&c, "f", "text/plain");
    const char *text = "";
    (void)state;
    assert_int_equal(drive_each_ancestor(&tx, &file, stop_at, &text), 7);
    assert_string_equal(text, "/c/b");
    text = "";
    assert_int_equal(drive_each_ancestor(&tx, &a, stop_at, &text), 0);
    assert_string_equal(text, arena_printf(tx.arena, "/%s", root.name));
    text = "";
    assert_int_equal(drive_each_ancestor(&tx, &root, stop_at, &text), 0);
    assert_string_equal(text, "");
}

/* ---- what is below ---- */

static const char *walked(const struct drive_item *folder, struct drive_walk at, size_t limit)
{
    const char *text = "";
    int64_t *ids;
    size_t n;
    int more;
    do {
        more = drive_walk(&tx, folder->id, &at, limit, &ids, &n);
        ok(more);
        assert_true(!more || n == limit);
        for (size_t i = 0; i < n; i++) {
            struct drive_item it;
            assert_int_equal(drive_item_by_id(&tx, ids[i], &it), 1);
            text = arena_printf(tx.arena, "%s %s", text, it.name);
        }
        text = more ? arena_printf(tx.arena, "%s /", text) : text;
    } while (more);
    return text;
}

static void what_is_below_is_walked_folders_first(void **state)
{
    struct drive_item a = add(&root, "a", "folder"), b = add(&a, "b", "folder"),
                      c = add(&a, "c", "text/plain"), d = add(&b, "d", "folder"),
                      e = add(&d, "e", "text/plain"), f = add(&b, "f", "text/plain");
    int64_t *ids, n, size;
    size_t n_ids;
    (void)state;
    const struct drive_walk all = {-1, 0}, from_itself = {0, a.id};
    assert_string_equal(walked(&a, all, 100), " a b c d f e");
    assert_string_equal(walked(&a, all, 2), " a b / c d / f e");
    assert_string_equal(walked(&a, all, 3), " a b c / d f e");
    assert_string_equal(walked(&a, from_itself, 4), " b c d f / e");
    assert_string_equal(walked(&e, all, 4), " e");
    ok(drive_content_put(&tx, &c, "12345", 5));
    ok(drive_content_put(&tx, &e, "123", 3));
    ok(drive_content_put(&tx, &f, "1", 1));
    ok(drive_size_below(&tx, a.id, &size));
    assert_int_equal(size, 9);
    ok(drive_size_below(&tx, e.id, &size));
    assert_int_equal(size, 0);
    ok(drive_trash(&tx, &d, ada.id));
    ok(drive_item_save(&tx, &d));
    assert_string_equal(walked(&a, all, 2), " a b / c f");
    ok(drive_size_below(&tx, a.id, &size));
    assert_int_equal(size, 6);
    ok(drive_child_count(&tx, b.id, &n));
    assert_int_equal(n, 1);
    ok(drive_children(&tx, b.id, &ids, &n_ids));
    assert_int_equal(n_ids, 1);
    assert_int_equal(ids[0], f.id);
    ok(drive_children(&tx, c.id, &ids, &n_ids));
    assert_int_equal(n_ids, 0);
    const char *key;
    assert_int_equal(drive_made_elsewhere(&tx, f.id, APP, &key), 0);
    assert_int_equal(drive_made_elsewhere(&tx, b.id, APP, &key), 1);
    assert_string_equal(key, d.key); /* the first, though it is in the trash */
    d = again(&d), e = again(&e), f = again(&f);
    d.creator_app = f.creator_app = APP;
    ok(drive_item_save(&tx, &d));
    ok(drive_item_save(&tx, &f));
    assert_int_equal(drive_made_elsewhere(&tx, b.id, APP, &key), 1);
    assert_string_equal(key, e.key);
    e.creator_app = APP;
    ok(drive_item_save(&tx, &e));
    assert_int_equal(drive_made_elsewhere(&tx, b.id, APP, &key), 0);
    assert_int_equal(drive_made_elsewhere(&tx, b.id, APP + 1, &key), 1);
}

/* ---- moves ---- */

static void what_moves_to_another_drive_takes_all_along(void **state)
{
    struct drive_item top = make_drive("Eng"), a = add(&root, "a", "folder"),
                      b = add(&a, "b", "folder"), c = add(&b, "c", "text/plain"),
                      his = add_of(&b, &bob, "his", "text/plain"),
                      left = add(&root, "left", "text/plain");
    struct drive_mine m = {.starred = true};
    (void)state;
    ok(drive_mine_save(&tx, c.id, ada.id, &m));
    ok(drive_mine_save(&tx, c.id, bob.id, &m));
    assert_int_equal(rows("select count(*) from drive_mine where guest is not null"), 1);
    assert_int_equal(rows("select count(*) from drive_item where host is not null"), 1);
    ok(drive_move(&tx, &a, &top, eve.id));
    ok(drive_item_save(&tx, &a));
    const struct drive_item *in[] = {&a, &b, &c, &his};
    for (size_t i = 0; i < SOSIA_LEN(in); i++) {
        assert_int_equal(again(in[i]).drive, top.id);
        assert_int_equal(again(in[i]).owner, 0);
    }
    assert_int_equal(again(&left).owner, ada.id);
    assert_int_equal(again(&b).parent, a.id);
    assert_int_equal(rows("select count(*) from drive_mine where guest is not null"), 2);
    assert_int_equal(rows("select count(*) from drive_item where host is not null"), 0);
    /* Within the drive nothing becomes somebody's. */
    ok(drive_move(&tx, &b, &top, eve.id));
    b = again(&b);
    b.parent = top.id;
    ok(drive_item_save(&tx, &b));
    assert_int_equal(again(&c).owner, 0);
    /* And out of it: all of it is whose it says. */
    struct drive_item home = root_of(&bob);
    ok(drive_move(&tx, &b, &home, bob.id));
    ok(drive_item_save(&tx, &b));
    assert_int_equal(b.owner, bob.id);
    assert_int_equal(again(&c).owner, bob.id);
    assert_int_equal(again(&his).owner, bob.id);
    assert_int_equal(again(&c).drive, 0);
    assert_int_equal(again(&a).drive, top.id);
    assert_int_equal(rows("select count(*) from drive_mine where guest is not null"), 1);
    /* A move within somebody's own drives changes no owner. */
    ok(drive_move(&tx, &b, &root, eve.id));
    ok(drive_item_save(&tx, &b));
    assert_int_equal(again(&b).owner, bob.id);
    assert_int_equal(rows("select count(*) from drive_item where host is not null"), 1);
    /* A file alone. */
    struct drive_item file = add(&top, "alone", "text/plain");
    ok(drive_move(&tx, &file, &root, ada.id));
    ok(drive_item_save(&tx, &file));
    assert_int_equal(again(&file).owner, ada.id);
}

/* ---- the trash ---- */

static void the_trash_is_entered_and_left_once(void **state)
{
    struct drive_item a = add(&root, "a", "folder"), b = add(&a, "b", "text/plain");
    (void)state;
    ok(drive_untrash(&tx, &a)); /* it is not there */
    assert_int_equal(a.flags & DRIVE_TRASHED, 0);
    ok(drive_trash(&tx, &a, bob.id));
    ok(drive_item_save(&tx, &a));
    int64_t at = a.trashed_us;
    assert_int_equal(at, tx.now_us);
    assert_int_equal(a.trasher, bob.id);
    end();
    test_advance(3600);
    begin();
    a = again(&a);
    ok(drive_trash(&tx, &a, eve.id)); /* it is there already, since when and by whom it was */
    assert_int_equal(a.trashed_us, at);
    assert_int_equal(a.trasher, bob.id);
    assert_false(again(&b).flags & DRIVE_TRASHED);
    ok(drive_untrash(&tx, &a));
    assert_int_equal(a.trashed_us, 0);
    assert_int_equal(a.trasher, 0);
    ok(drive_item_save(&tx, &a));
    end();
    test_advance(vendor->trash_us / 1000000 + 3600);
    begin();
    assert_true(is_there(&a) && is_there(&b)); /* its time in the trash was cancelled */
    a = again(&a);
    ok(drive_trash(&tx, &a, ada.id));
    ok(drive_item_save(&tx, &a));
    ok(drive_delete(&tx, &a)); /* what falls due later is cancelled too */
    assert_false(is_there(&a) || is_there(&b));
    end();
    test_advance(vendor->trash_us / 1000000 + 3600);
    begin();
}

static void an_emptied_trash_is_one_persons_or_one_drives(void **state)
{
    struct drive_item top = make_drive("Eng"), other = make_drive("Ops");
    struct drive_item mine = add(&root, "a", "folder"), in = add(&mine, "in", "text/plain"),
                      his = add_of(&root, &bob, "his", "text/plain"),
                      kept = add(&root, "kept", "text/plain"),
                      ours = add(&top, "ours", "text/plain"),
                      theirs = add(&other, "theirs", "text/plain");
    struct drive_item *trashed[] = {&mine, &in, &his, &ours, &theirs};
    (void)state;
    ok(drive_empty_trash(&tx, ada.id, 0)); /* there is nothing in it */
    ok(drive_empty_trash(&tx, 0, top.id));
    for (size_t i = 0; i < SOSIA_LEN(trashed); i++) {
        ok(drive_trash(&tx, trashed[i], ada.id));
        ok(drive_item_save(&tx, trashed[i]));
    }
    ok(drive_empty_trash(&tx, ada.id, 0));
    assert_false(is_there(&mine) || is_there(&in)); /* which was in it by itself, too */
    assert_true(is_there(&his) && is_there(&kept) && is_there(&ours) && is_there(&theirs));
    ok(drive_empty_trash(&tx, ada.id, top.id));
    assert_false(is_there(&ours));
    assert_true(is_there(&his) && is_there(&theirs));
    ok(drive_empty_trash(&tx, bob.id, 0));
    assert_false(is_there(&his));
    commit();
    ok(drive_empty_trash(&tx, ada.id, 0));
}

/* ---- deletion ---- */

/* Calls that change something, until no row is left of what was deleted; how many. */
static int sweep_all(void)
{
    int calls = 0;
    for (; rows("select count(*) from drive_gone"); calls++) {
        assert_in_range(calls, 0, 200);
        struct drive_item it = again(&root);
        ok(drive_changed(&tx, &it));
        commit();
    }
    return calls;
}

/* How many entries of what is removed somebody's feed has. */
static int64_t removed_of(const char *who)
{
    return rows(arena_printf(tx.arena,
                             "select count(*) from drive_change where removed = 1 and seen_by like "
                             "'%%%s%%'",
                             who));
}

/* Of a tree of 1024 items each is in the feed; of one of more, what was shared by itself. */
static void a_large_tree_is_noted_by_what_others_have(void **state)
{
    (void)state;
    for (int n = 1023; n < 1026; n++) {
        struct drive_item f = add(&root, arena_printf(tx.arena, "f%d", n), "folder"),
                          sub = add(&f, "sub", "folder"), his, shared = {0}, deep;
        struct drive_grant g = {.kind = GRANT_PERSON, .who = EVE, .role = ROLE_READER};
        struct drive_item inner = add(&root, "inner", "folder"),
                          hers = add_of(&inner, &eve, "hers", "text/plain");
        his = add_of(&sub, &bob, "his", "folder");
        ok(drive_move(&tx, &inner, &his, ada.id));
        ok(drive_item_save(&tx, &inner));
        deep = add_of(&his, &ada, "in his", "text/plain");
        for (int i = 6; i < n; i++)
            shared = add(i & 1 ? &f : &sub, arena_printf(tx.arena, "m%d", i), "text/plain");
        ok(drive_grant_set(&tx, &shared, &g));
        ok(drive_grant_set(&tx, &deep, &g)); /* it stays, with what is Bob's */
        struct drive_item elsewhere = add(&root, arena_printf(tx.arena, "e%d", n), "text/plain");
        ok(drive_grant_set(&tx, &elsewhere, &g));
        commit();
        int64_t eves = removed_of("1 " EVE), adas = removed_of("1 " ADA);
        f = again(&f);
        ok(drive_delete(&tx, &f));
        assert_false(is_there(&f) || is_there(&sub) || is_there(&shared));
        assert_true(is_there(&elsewhere));
        /* Bob's folder goes home with what is in it. */
        assert_int_equal(again(&his).parent, root_of(&bob).id);
        assert_int_equal(again(&deep).parent, his.id);
        assert_int_equal(again(&inner).parent, his.id);
        assert_int_equal(again(&hers).parent, inner.id);
        assert_int_equal(removed_of("1 " EVE), eves + 1);
        bool each = n <= 1024; /* the folder itself, his and Ada's own in it are not of these */
        int64_t noted = removed_of("1 " ADA) - adas;
        if (each ? noted < n - 4 : noted > 10)
            fail_msg("%d items, %lld are noted", n, (long long)noted);
        commit();
        sweep_all();
    }
}

static void a_shared_drive_is_deleted_with_what_is_left_in_it(void **state)
{
    struct drive_item top = make_drive("Eng"), other = make_drive("Ops"),
                      a = add(&top, "a", "folder"), b = add(&a, "b", "text/plain"),
                      c = add(&other, "c", "folder");
    (void)state;
    for (int i = 0; i < 300; i++)
        add(&a, arena_printf(tx.arena, "x%d", i), "text/plain");
    for (int i = 0; i < 200; i++)
        add(&c, arena_printf(tx.arena, "y%d", i), "text/plain");
    commit();
    a = again(&a), c = again(&c);
    ok(drive_delete(&tx, &a));
    ok(drive_delete(&tx, &c));
    commit();
    assert_int_equal(rows("select count(*) from drive_gone"), 2);
    top = again(&top);
    ok(drive_delete(&tx, &top));
    /* What was deleted in it goes before it; what was in the other goes by itself. */
    assert_int_equal(rows("select count(*) from drive_gone"), 2);
    assert_false(is_there(&top) || is_there(&a) || is_there(&b) || is_there(&c));
    assert_true(is_there(&other));
    commit();
    sweep_all();
    assert_true(is_there(&other));
    assert_int_equal(
        rows(arena_printf(tx.arena, "select count(*) from drive_item where drive = %lld",
                          (long long)top.id)),
        0);
    assert_int_equal(rows("select count(*) from drive_drive"), 1);
    assert_int_equal(drive_shared_in_use(&tx, other.id), 0);
}

/* ---- contents ---- */

static void bytes_are_counted_once_and_apart_in_the_trash(void **state)
{
    struct drive_item f = add(&root, "f", "folder"), a = add(&f, "a", "text/plain"),
                      b = add(&root, "b", "text/plain"),
                      his = add_of(&f, &bob, "his", "text/plain");
    int64_t all, trash;
    (void)state;
    ok(drive_usage(&tx, ada.id, &all, &trash));
    assert_int_equal(all + trash, 0);
    ok(drive_content_put(&tx, &a, "12345", 5));
    ok(drive_content_put(&tx, &his, "1234567", 7));
    ok(drive_content_put(&tx, &b, "123", 3));
    ok(drive_revision_keep(&tx, &b, b.head));
    ok(drive_usage(&tx, ada.id, &all, &trash));
    assert_int_equal(all, 8);
    ok(drive_content_put(&tx, &b, "1", 1)); /* the one before is kept */
    ok(drive_content_put(&tx, &a, "1234", 4));
    ok(drive_usage(&tx, ada.id, &all, &trash));
    assert_int_equal(all, 8);
    assert_int_equal(trash, 0);
    ok(drive_trash(&tx, &f, ada.id));
    ok(drive_item_save(&tx, &f));
    ok(drive_usage(&tx, ada.id, &all, &trash));
    assert_int_equal(all, 8);
    assert_int_equal(trash, 4);
    ok(drive_usage(&tx, bob.id, &all, &trash));
    assert_int_equal(all, 7);
    assert_int_equal(trash, 0);
    b = again(&b);
    ok(drive_delete(&tx, &b));
    ok(drive_usage(&tx, ada.id, &all, &trash));
    assert_int_equal(all, 4);
}

static void a_copy_has_the_same_content_of_its_own(void **state)
{
    struct drive_item from = add(&root, "from", "text/plain"),
                      empty = add(&root, "empty", "text/plain"),
                      doc = add(&root, "doc", "document"), new_doc = add(&root, "new", "document");
    struct document *model;
    struct blob b;
    (void)state;
    ok(drive_content_put(&tx, &from, "bytes", 5));
    ok(drive_document_put(&tx, &doc, document_new(tx.arena, DOCUMENT_TEXT, "doc")));
    struct drive_item *sources[] = {&from, &empty, &doc, &new_doc};
    for (size_t i = 0; i < SOSIA_LEN(sources); i++) {
        *sources[i] = again(sources[i]);
        struct drive_item copy =
            item(&root, arena_printf(tx.arena, "copy %zu", i), sources[i]->mime);
        ok(drive_item_add(&tx, &copy));
        ok(drive_copy_content(&tx, sources[i], &copy));
        ok(drive_delete(&tx, sources[i]));
        commit();
        sweep_all();
        copy = again(&copy);
        if (i == 0) {
            assert_int_equal(copy.size, 5);
            assert_string_equal(copy.md5, "4b3a6218bb3e3a7303e8a171a60fcf92");
            assert_int_equal(drive_content_digests(&tx, &copy, &b), 1);
        }
        assert_int_equal(copy.head != 0, i == 0 || i == 2);
        assert_int_equal(drive_document_load(&tx, &copy, 0, &model), i >= 2);
        ok(drive_delete(&tx, &copy));
        commit();
    }
    sweep_all();
    assert_int_equal(rows("select count(*) from blob"), 0);
}

static void revisions_are_listed_kept_and_forgotten(void **state)
{
    struct drive_item it = add(&root, "a", "text/plain"), other = add(&root, "b", "text/plain");
    struct drive_revision *list, r;
    int64_t size;
    size_t n;
    (void)state;
    if (vendor != &loose) /* which keeps two, and three others */
        return;
    ok(drive_revisions(&tx, it.id, 0, 10, &list, &n));
    assert_int_equal(n, 0);
    for (int i = 1; i <= 4; i++) {
        it.modified_us = tx.now_us + i;
        ok(drive_content_put(&tx, &it, "12345", (size_t)i));
    }
    ok(drive_content_put(&tx, &other, "1", 1));
    /* Of four, three without the oldest: what has newer content is at most three. */
    ok(drive_revisions(&tx, it.id, 0, 10, &list, &n));
    assert_int_equal(n, 3);
    assert_int_equal(list[0].size, 2);
    assert_int_equal(list[2].size, 4);
    assert_int_equal(list[2].id, it.head);
    ok(drive_revisions(&tx, it.id, list[0].id, 1, &list, &n));
    assert_int_equal(n, 1);
    assert_int_equal(list[0].size, 3);
    assert_int_equal(drive_revision_find(&tx, other.id, list[0].key, &r), 0);
    assert_int_equal(drive_revision_find(&tx, it.id, list[0].key, &r), 1);
    ok(drive_revision_keep(&tx, &it, r.id));
    ok(drive_revision_keep(&tx, &it, r.id)); /* it is not in its own way */
    ok(drive_revision_keep(&tx, &it, it.head));
    ok(drive_revisions_size(&tx, it.id, it.head, &size));
    assert_int_equal(size, 3);
    ok(drive_revisions_size(&tx, it.id, 0, &size));
    assert_int_equal(size, 7);
    ok(drive_revisions(&tx, it.id, 0, 10, &list, &n));
    struct drive_revision first = list[0];
    refused(drive_revision_keep(&tx, &it, first.id), "tooManyKept");
    first.keep = true;
    refused(drive_revision_save(&tx, &it, &first), "tooManyKept");
    first.keep = false, first.published = true;
    ok(drive_revision_save(&tx, &it, &first));
    ok(drive_revisions_marked(&tx, it.id, &list, &n));
    assert_int_equal(n, 3);
    first.published = false, first.publish_auto = first.publish_outside = true;
    ok(drive_revision_save(&tx, &it, &first));
    assert_int_equal(drive_revision_find(&tx, it.id, first.key, &r), 1);
    assert_true(r.publish_auto && r.publish_outside && !r.published && !r.keep);
    ok(drive_revisions_marked(&tx, it.id, &list, &n));
    assert_int_equal(n, 2);
    refused(drive_revision_delete(&tx, &it, &list[1]), "headRevision");
    /* Those that are kept do not count among the others, and stay when time is over. */
    for (int i = 0; i < 5; i++)
        ok(drive_content_put(&tx, &it, "x", 1));
    ok(drive_revisions(&tx, it.id, 0, 20, &list, &n));
    assert_int_equal(n, 5);
    const char *key;
    assert_int_equal(drive_revision_key(&tx, it.head, &key), 1);
    assert_string_equal(key, list[4].key);
    assert_int_equal(drive_revision_key(&tx, 99999, &key), 0);
    end();
    test_advance(vendor->revision_us / 1000000 - 60);
    begin();
    it = again(&it);
    ok(drive_revisions(&tx, it.id, 0, 20, &list, &n));
    assert_int_equal(n, 5);
    end();
    test_advance(120);
    begin();
    it = again(&it);
    ok(drive_revisions(&tx, it.id, 0, 20, &list, &n));
    assert_int_equal(n, 3);
    assert_int_equal(list[2].id, it.head);
    ok(drive_revision_delete(&tx, &it, &list[0]));
    ok(drive_revisions(&tx, it.id, 0, 20, &list, &n));
    assert_int_equal(n, 2);
    /* The oldest goes where there are more than the vendor has, whatever came before it. */
    struct drive_vendor fewer = loose;
    fewer.other_revisions = 1;
    ok(drive_content_put(&tx, &it, "y", 1));
    ok(drive_content_put(&tx, &it, "z", 1));
    ok(drive_revisions(&tx, it.id, 0, 20, &list, &n));
    size_t before = n;
    ok(drive_revision_replaced(&tx, &fewer, it.id, 0));
    ok(drive_revisions(&tx, it.id, 0, 20, &list, &n));
    assert_int_equal(n, before - 1);
}

/* ---- tops ---- */

static void a_top_is_made_once(void **state)
{
    struct drive_item a, b, data, none;
    (void)state;
    tx.write = false; /* who only reads makes none */
    assert_int_equal(drive_app_data(&tx, eve.id, APP, &a), 0);
    tx.write = true;
    assert_int_equal(drive_root(&tx, eve.id, &a), 1);
    assert_int_equal(drive_root(&tx, eve.id, &b), 1);
    assert_int_equal(a.id, b.id);
    assert_string_equal(a.name, vendor->root);
    assert_int_equal(a.top, DRIVE_ROOT);
    assert_int_equal(drive_app_data(&tx, eve.id, APP, &data), 1);
    assert_string_equal(data.name, vendor->app_data);
    assert_int_equal(data.top, DRIVE_APP_DATA);
    assert_int_equal(data.space, APP);
    assert_int_equal(drive_app_data(&tx, eve.id, 0, &none), 1);
    assert_int_equal(none.space, -1);
    assert_int_not_equal(none.id, data.id);
    assert_int_equal(drive_app_data(&tx, eve.id, APP, &b), 1);
    assert_int_equal(b.id, data.id);
    /* Tops are in nobody's lists, and in no feed. */
    assert_int_equal(rows("select count(*) from drive_change"), 0);
    assert_int_equal(drive_item_by_key(&tx, "none", &b), 0);
    const char *key;
    assert_int_equal(drive_item_key(&tx, 99999, &key), 0);
    assert_int_equal(drive_item_key(&tx, a.id, &key), 1);
    assert_string_equal(key, a.key);
}

static int close_world(void **state)
{
    end();
    return test_close_engine(state);
}

#define BOTH(test)                                                                                 \
    {#test " (loose)", test, open_world, close_world, (void *)(uintptr_t)&loose},                  \
    {                                                                                              \
#test " (strict)", test, open_world, close_world, (void *)(uintptr_t)&strict               \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_folder_fits_with_all_that_is_in_it),
        BOTH(a_folder_is_not_in_itself),
        BOTH(folders_above_are_called_from_the_nearest_on),
        BOTH(what_is_below_is_walked_folders_first),
        BOTH(what_moves_to_another_drive_takes_all_along),
        BOTH(the_trash_is_entered_and_left_once),
        BOTH(an_emptied_trash_is_one_persons_or_one_drives),
        BOTH(a_large_tree_is_noted_by_what_others_have),
        BOTH(a_shared_drive_is_deleted_with_what_is_left_in_it),
        BOTH(bytes_are_counted_once_and_apart_in_the_trash),
        BOTH(a_copy_has_the_same_content_of_its_own),
        BOTH(revisions_are_listed_kept_and_forgotten),
        BOTH(a_top_is_made_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
