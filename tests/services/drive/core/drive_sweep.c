/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of what was deleted: so many go with each call that changes something, whichever they are,
 * until none is left.
 */
#include "engine/world/engine.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/comment.h"
#include "services/drive/core/model.h"
#include "services/drive/core/part.h"
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

/* All that may be of an item, more of each than goes with a call. */
static void fill(struct drive_item *it)
{
    struct drive_comment c = {.item = it->id, .author = bob.id, .content = "?"};
    for (int i = 0; i < 20; i++) {
        c.key = NULL;
        ok(drive_comment_add(&tx, &c));
        for (int k = 0; k < 12; k++) {
            struct drive_comment reply = {.item = it->id, .author = ada.id, .content = "!"};
            ok(drive_reply_add(&tx, &c, &reply));
        }
    }
    for (int i = 0; i < 150; i++) {
        struct drive_property p = {arena_printf(tx.arena, "p%d", i), "x"};
        struct drive_grant g = {.kind = GRANT_PERSON,
                                .who = arena_printf(tx.arena, "p%d@x.example", i),
                                .role = ROLE_READER};
        ok(drive_property_set(&tx, it->id, i & 1 ? APP : 0, &p));
        ok(drive_grant_set(&tx, it, &g));
    }
    for (int i = 0; i < 30; i++) {
        const char *users[] = {BOB, EVE, "a@x.example", "b@x.example", "c@x.example"};
        struct drive_link l = {
            .scope = LINK_USERS, .type = LINK_VIEW, .users = users, .n_users = 5};
        *it = again(it);
        if (vendor->links)
            ok(drive_link_save(&tx, it, &l));
    }
    for (size_t who = 0; who < 3; who++)
        ok(drive_mine_save(&tx, it->id, people[who]->id, &(struct drive_mine){.starred = true}));
    *it = again(it);
    for (int i = 0; i < 5; i++)
        ok(drive_content_put(&tx, it, "content", 7 - (size_t)i));
}

/* A file without anything is two rows, and 128 rows go with a call. */
static void so_many_rows_go_with_a_call(void **state)
{
    struct drive_item f = add(&root, "f", "folder");
    (void)state;
    for (int i = 0; i < 300; i++)
        add(&f, arena_printf(tx.arena, "x%d", i), "text/plain");
    commit();
    int64_t before = rows("select count(*) from drive_item");
    f = again(&f);
    ok(drive_delete(&tx, &f));
    for (int gone = 64; gone <= 301 + 63; gone += 64) {
        commit();
        assert_int_equal(rows("select count(*) from drive_item"),
                         before - (gone < 301 ? gone : 301));
        struct drive_item it = again(&root);
        ok(drive_changed(&tx, &it));
    }
    assert_int_equal(rows("select count(*) from drive_gone"), 0);
}

static const char *const TABLES[] = {"drive_comment", "drive_reply",    "drive_property",
                                     "drive_grant",   "drive_link",     "drive_link_user",
                                     "drive_mine",    "drive_revision", "drive_document",
                                     "drive_words",   "drive_gone",     "blob"};

static void all_rows_of_what_is_deleted_go(void **state)
{
    int64_t before[SOSIA_LEN(TABLES)], n_items;
    (void)state;
    root_of(&bob);
    root_of(&eve);
    for (size_t i = 0; i < SOSIA_LEN(TABLES); i++)
        before[i] = rows(arena_printf(tx.arena, "select count(*) from %s", TABLES[i]));
    n_items = rows("select count(*) from drive_item");
    struct drive_item folder = add(&root, "a", "folder"), in = add(&folder, "in", "text/plain"),
                      doc = add(&folder, "doc", "document"),
                      big = add(&folder, "big", "text/plain");
    fill(&folder);
    fill(&in);
    ok(drive_document_put(&tx, &doc, document_new(tx.arena, DOCUMENT_TEXT, "doc")));
    ok(drive_document_put(&tx, &doc, document_new(tx.arena, DOCUMENT_TEXT, "other")));
    char *bytes = calloc(1, 9 << 20);
    ok(drive_content_put(&tx, &big, bytes, 9 << 20)); /* has more rows than go with a call */
    ok(drive_content_put(&tx, &big, bytes, 5));
    free(bytes);
    commit();
    folder = again(&folder);
    ok(drive_delete(&tx, &folder));
    commit();
    assert_false(is_there(&folder) || is_there(&in) || is_there(&doc) || is_there(&big));
    int calls = sweep_all();
    assert_in_range(calls, 3, 60);
    for (size_t i = 0; i < SOSIA_LEN(TABLES); i++)
        if (rows(arena_printf(tx.arena, "select count(*) from %s", TABLES[i])) != before[i])
            fail_msg("%s has %lld rows and not %lld", TABLES[i],
                     (long long)rows(arena_printf(tx.arena, "select count(*) from %s", TABLES[i])),
                     (long long)before[i]);
    assert_int_equal(rows("select count(*) from drive_item"), n_items);
    assert_int_equal(rows("select count(*) from drive_change where removed = 0 and item not in "
                          "(select id from drive_item)"),
                     0);
}

/* ---- each kind of row ---- */

enum kind_of_row { PROPERTIES, GRANTS, COMMENTS, REPLIES, LINKS, USERS, OF_VENDOR, KINDS };

static void add_rows(struct drive_item *it, enum kind_of_row kind, int n)
{
    struct drive_comment c = {.item = it->id, .author = bob.id, .content = "?"};
    const char *users[20];
    for (int i = 0; i < n; i++)
        users[i] = arena_printf(tx.arena, "p%d@x.example", i);
    if (kind == REPLIES)
        ok(drive_comment_add(&tx, &c));
    for (int i = 0; i < n; i++) {
        struct drive_comment reply = {.item = it->id, .author = ada.id, .content = "!"};
        struct drive_property p = {users[i], "x"};
        struct drive_grant g = {.kind = GRANT_PERSON, .who = users[i], .role = ROLE_READER};
        struct drive_link l = {.scope = LINK_ANONYMOUS, .type = LINK_VIEW};
        if (kind == PROPERTIES || kind == OF_VENDOR)
            ok(drive_property_set(&tx, it->id, kind == OF_VENDOR ? APP : 0, &p));
        if (kind == GRANTS)
            ok(drive_grant_set(&tx, it, &g));
        if (kind == COMMENTS) {
            c.key = NULL;
            ok(drive_comment_add(&tx, &c));
        }
        if (kind == REPLIES && i)
            ok(drive_reply_add(&tx, &c, &reply));
        if (kind == LINKS)
            ok(drive_link_save(&tx, it, &l));
    }
    struct drive_link l = {
        .scope = LINK_USERS, .type = LINK_VIEW, .users = users, .n_users = (size_t)n - 1};
    if (kind == USERS)
        ok(drive_link_save(&tx, it, &l));
}

static int64_t rows_of_items(void)
{
    return rows("select (select count(*) from drive_property) + (select count(*) from drive_grant) "
                "+ (select count(*) from drive_comment) + (select count(*) from drive_reply) + "
                "(select count(*) from drive_link) + (select count(*) from drive_link_user)");
}

/* Eleven files with ten rows each: of 128 two are left for the last file's, and the folder. */
static void each_kind_of_row_counts(void **state)
{
    (void)state;
    for (enum kind_of_row kind = PROPERTIES; kind < OF_VENDOR; kind++) {
        if ((kind == LINKS || kind == USERS) && !vendor->links)
            continue;
        struct drive_item f = add(&root, "f", "folder");
        for (int i = 0; i < 11; i++) {
            struct drive_item it = add(&f, arena_printf(tx.arena, "x%d", i), "text/plain");
            add_rows(&it, kind, 10);
        }
        commit();
        int64_t items = rows("select count(*) from drive_item");
        assert_int_equal(rows_of_items(), 110);
        f = again(&f);
        ok(drive_delete(&tx, &f));
        commit();
        assert_int_equal(rows("select count(*) from drive_item"), items - 10);
        assert_int_equal(rows_of_items(), 2);
        assert_int_equal(sweep_all(), 1);
        assert_int_equal(rows("select count(*) from drive_item"), items - 12);
        assert_int_equal(rows_of_items(), 0);
    }
}

/* Bytes are rows of 64 KiB beside that of their revision. */
static void bytes_count_as_the_rows_that_they_are(void **state)
{
    static const struct {
        size_t size;
        int items, revisions; /* that are gone with the first call */
    } tries[] = {
        {1 << 20, 6, 7}, {(1 << 20) - 1, 7, 8}, {0, 42, 43}, {65535, 42, 43}, {65536, 32, 32},
    };
    (void)state;
    char *bytes = calloc(1, 1 << 20);
    assert_non_null(bytes);
    for (size_t i = 0; i < SOSIA_LEN(tries); i++) {
        struct drive_item f = add(&root, "f", "folder");
        for (int k = 0; k < (tries[i].size > 100000 ? 10 : 50); k++) {
            struct drive_item it = add(&f, arena_printf(tx.arena, "x%d", k), "text/x");
            ok(drive_content_put(&tx, &it, bytes, tries[i].size));
        }
        commit();
        int64_t items = rows("select count(*) from drive_item"),
                revisions = rows("select count(*) from drive_revision");
        f = again(&f);
        ok(drive_delete(&tx, &f));
        commit();
        int64_t gone = items - rows("select count(*) from drive_item"),
                gone_revisions = revisions - rows("select count(*) from drive_revision");
        if (gone != tries[i].items || gone_revisions != tries[i].revisions)
            fail_msg("of %zu bytes: %lld items and %lld revisions", tries[i].size, (long long)gone,
                     (long long)gone_revisions);
        sweep_all();
        assert_int_equal(rows("select count(*) from drive_revision"), 0);
        assert_int_equal(rows("select count(*) from blob"), 0);
    }
    free(bytes);
}

/* Parts that a vendor has of an item go as the core's do. */
static int dropped;

static int drop_own(struct tx *t, int64_t it, int64_t *left)
{
    static struct drive_part parts[] = {DRIVE_PART("drive_property", "(app, name)", "app, name")};
    dropped++;
    assert_true(*left > 0);
    return drive_drop_parts(t, parts, 1, it, left);
}

static void a_vendor_has_its_rows_dropped(void **state)
{
    struct drive_item it = add(&root, "a", "text/plain"), other = add(&root, "b", "text/plain");
    int64_t left = 12;
    (void)state;
    add_rows(&it, OF_VENDOR, 10);
    add_rows(&other, OF_VENDOR, 10);
    static struct drive_part parts[] = {DRIVE_PART("drive_property", "(app, name)", "app, name"),
                                        DRIVE_PART("drive_grant", "id", "id")};
    struct drive_grant g = {.kind = GRANT_PERSON, .who = BOB, .role = ROLE_READER};
    ok(drive_grant_set(&tx, &it, &g));
    left = 4;
    ok(drive_drop_parts(&tx, parts, 2, it.id, &left));
    assert_int_equal(left, 0);
    assert_int_equal(rows_of_items(), 17);
    ok(drive_drop_parts(&tx, parts, 2, it.id, &left)); /* no more may go */
    assert_int_equal(rows_of_items(), 17);
    left = 6;
    ok(drive_drop_parts(&tx, parts, 2, it.id, &left));
    assert_int_equal(left, 0);
    assert_int_equal(rows_of_items(), 11);
    left = 5;
    ok(drive_drop_parts(&tx, parts, 2, it.id, &left));
    assert_int_equal(left, 4);
    assert_int_equal(rows_of_items(), 10);
    dropped = 0;
    it = again(&it);
    ok(drive_delete(&tx, &it));
    commit();
    assert_int_equal(dropped, 1);
}

static int open_dropping(void **state)
{
    static struct drive_vendor dropping;
    dropping = loose;
    dropping.item_drop = drop_own;
    *state = &dropping;
    return open_world(state);
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
        BOTH(so_many_rows_go_with_a_call),
        BOTH(all_rows_of_what_is_deleted_go),
        BOTH(each_kind_of_row_counts),
        BOTH(bytes_count_as_the_rows_that_they_are),
        {"a_vendor_has_its_rows_dropped", a_vendor_has_its_rows_dropped, open_dropping, close_world,
         NULL},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
