/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Imported worlds: rows that make no sense are refused, each by its rule, and what follows of other
 * rows is made anew.
 */
#include "engine/world/engine.h"
#include "services/drive/core/find/find.h"
#include "tests/services/drive/core/drive_world.h"
#include "tests/support/world.h"

/* One of each, with links where the vendor has them. */
static void fill(void)
{
    const char *links = "'links':[{'token':'t','scope':'users','users':['" EVE
                        "'],'password':'x','expires':'2027-01-01'}],";
    seed_more(arena_printf(
        &test_arena,
        "'apps':[{'client_id':'123.456','name':'App'}],'sharedDrives':[{'id':'d','name':'D',"
        "'background':{},'members':[{'person':'" ADA "','role':'organizer'}]}],'files':[{'id':'f',"
        "'name':'F','owner':'" ADA "','type':'folder','permissions':[{'person':'" BOB
        "','role':'writer'}]},{'id':'a','name':'A','owner':'" BOB
        "','parent':'f','mime':'text/plain','content':'some words','restrictions':[{}],"
        "'downloads':{},'media':{},'properties':{'p':'v'},'thumbnail':{'mime':'image/png',"
        "'base64':'iVBORw=='},'revisions':[{'content':'old'}],'people':[{'person':'" ADA
        "','starred':true,'viewed':'2026-11-20'}],%s'comments':[{'author':'" BOB
        "','content':'c','replies':[{'author':'" ADA
        "','content':'r'}]}],'permissions':[{'anyone':true,'expires':'2027-01-01'}]},{'id':'s',"
        "'name':'S','owner':'" ADA
        "','type':'shortcut','target':'a'},{'id':'w','name':'W','owner':'" ADA
        "','type':'document','content':'# other words'},{'id':'in','name':'In','parent':'d',"
        "'content':'x'},{'id':'x','name':'X','owner':'" ADA
        "','space':'123.456','content':'x'},{'id':'old','name':'Old','owner':'" ADA
        "','content':'x','trashed':true}]",
        vendor->links ? links : ""));
}

#define IT(key)  "(select id from drive_item where key = '" key "')"
#define TOO_OLD  "-62135596800000001"
#define TOO_LATE "253402300800000000"

/* The rule that a row breaks is in the refusal. */
static void rows_that_make_no_sense_are_refused(void **state)
{
    static const char *const list[][2] = {
        {"update drive_item set key = '' where key = 'a'", "drive_item"},
        {"update drive_item set name = '' where key = 'a'", "drive_item"},
        {"update drive_item set mime = '' where key = 'a'", "drive_item"},
        {"update drive_item set flags = 256 where key = 'a'", "drive_item"},
        {"update drive_item set flags = -1 where key = 'a'", "drive_item"},
        {"update drive_item set owner = null where key = 'a'", "drive_item"},
        {"update drive_item set owner = (select owner from drive_item where key = 'a') where key = "
         "'in'",
         "drive_item"},
        {"update drive_item set mime = 'folder' where key = 'w'", "drive_item"},
        {"update drive_item set mime = 'text/plain' where key = 'f'", "drive_item"},
        {"update drive_item set mime = 'shortcut' where key = 'w'", "drive_item"},
        {"update drive_item set mime = 'a/b' where key = 'w'", "drive_item"},
        {"update drive_item set top = 1 where key = 'a'", "drive_item"},
        {"update drive_item set drive = null, owner = 1 where key = 'd'", "drive_item"},
        {"update drive_item set space = 1 where top = 1", "drive_item"},
        {"update drive_item set parent = 99999 where key = 'a'", "drive_item"},
        {"update drive_item set parent = " IT("w") " where key = 'a'", "drive_item"},
        {"update drive_item set parent = " IT("d") " where key = 'a'", "drive_item"},
        {"update drive_item set parent = (select parent from drive_item where key = 'x') where key "
         "= 's'",
         "drive_item"},
        {"update drive_item set drive = " IT("f") " where key = 'in'", "drive_item"},
        {"update drive_item set size = -1 where key = 'a'", "drive_item"},
        {"update drive_item set size = 1 where key = 'f'", "drive_item"},
        {"update drive_item set md5 = null where key = 'a'", "drive_item"},
        {"update drive_item set md5 = upper(md5) where key = 'a'", "drive_item"},
        {"update drive_item set md5 = md5 || '0' where key = 'a'", "drive_item"},
        {"update drive_item set sha1 = 'x' where key = 'a'", "drive_item"},
        {"update drive_item set sha256 = 'x' where key = 'a'", "drive_item"},
        {"update drive_item set head = null where key = 'a'", "drive_item"},
        {"update drive_item set head = (select head from drive_item where key = 'in') where key = "
         "'a'",
         "drive_item"},
        {"update drive_item set target_key = null where key = 's'", "drive_item"},
        {"update drive_item set target_mime = null where key = 's'", "drive_item"},
        {"update drive_item set trashed_us = null where key = 'old'", "drive_item"},
        {"update drive_item set thumbnail_mime = null where key = 'a'", "drive_item"},
        {"update drive_item set version = -1 where key = 'a'", "drive_item"},
        {"update drive_item set version = 1099511627777 where key = 'a'", "drive_item"},
        {"update drive_item set created_us = " TOO_OLD " where key = 'a'", "drive_item"},
        {"update drive_item set modified_us = " TOO_LATE " where key = 'a'", "drive_item"},
        {"update drive_item set trashed_us = " TOO_LATE " where key = 'old'", "drive_item"},
        {"update drive_item set restrictions = '{}' where key = 'a'", "drive_item"},
        {"update drive_item set download_rules = '[]' where key = 'a'", "drive_item"},
        {"update drive_item set media = 'x' where key = 'a'", "drive_item"},
        {"update drive_item set extra = '1' where key = 'a'", "drive_item"},
        {"insert into drive_gone (item) values (" IT("a") ")", "drive_gone"},
        {"update drive_mine set viewed_us = " TOO_LATE " where viewed_us is not null",
         "drive_mine"},
        {"update drive_mine set modified_us = " TOO_OLD, "drive_mine"},
        {"update drive_mine set shared_us = " TOO_OLD, "drive_mine"},
        {"update drive_grant set role = 1 where kind = 1", "drive_grant"},
        {"update drive_grant set who = 'x' where kind = 4", "drive_grant"},
        {"update drive_grant set who = '' where kind = 1", "drive_grant"},
        {"update drive_grant set expires_us = " TOO_LATE, "drive_grant"},
        {"update drive_grant set created_us = " TOO_OLD, "drive_grant"},
        {"update drive_link set token = ''", "drive_link"},
        {"delete from drive_link_user", "drive_link"},
        {"update drive_link set password = 'x'", "drive_link"},
        {"update drive_link set expires_us = " TOO_LATE, "drive_link"},
        {"update drive_link set created_us = " TOO_OLD, "drive_link"},
        {"update drive_drive set item = " IT("f"), "drive_drive"},
        {"update drive_drive set background = '[]'", "drive_drive"},
        {"update drive_property set name = ''", "drive_property"},
        {"update drive_revision set md5 = null where blob is not null", "drive_revision"},
        {"update drive_revision set md5 = 'x' where blob is not null", "drive_revision"},
        {"update drive_revision set modified_us = " TOO_LATE, "drive_revision"},
        {"update drive_revision set key = '' where id = (select min(id) from drive_revision)",
         "drive_revision"},
        {"update drive_revision set mime = ''", "drive_revision"},
        {"update drive_revision set size = -1", "drive_revision"},
        {"update drive_comment set key = ''", "drive_comment"},
        {"update drive_comment set created_us = " TOO_OLD, "drive_comment"},
        {"update drive_comment set modified_us = " TOO_LATE, "drive_comment"},
        {"update drive_reply set key = ''", "drive_reply"},
        {"update drive_reply set created_us = " TOO_OLD, "drive_reply"},
        {"update drive_reply set modified_us = " TOO_LATE, "drive_reply"},
        {"update drive_change set number = 0 where number = (select max(number) from drive_change)",
         "drive_change"},
        {"update drive_change set removed = 1", "drive_change"},
        {"update drive_change set seen_by = '{}' where removed = 0", "drive_change"},
        {"update drive_change set time_us = " TOO_LATE, "drive_change"},
    };
    const struct json *dump;
    (void)state;
    fill();
    end();
    assert_string_equal(import_of(NULL, &dump), "");
    for (size_t i = 0; i < SOSIA_LEN(list); i++) {
        const char *why = import_of(list[i][0], &dump);
        if (!strstr(why, arena_printf(&test_arena, "in %s there is a row", list[i][1])))
            fail_msg("%s: %s", list[i][0], *why ? why : "it is imported");
    }
    begin();
}

static void a_tree_has_no_cycle_and_a_top_is_its_owners(void **state)
{
    static const char *const list[][2] = {
        {"update drive_item set parent = id where key = 'f'",
         "drive_item: 2 items are in folders that are in themselves"},
        {"update drive_item set owner = (select owner from drive_item where key = 'a') where top = "
         "1 and owner = (select owner from drive_item where key = 'f')",
         "must be a top of its account's actor"},
        {"update drive_top set account = (select max(account) from drive_top) where account = "
         "(select min(account) from drive_top)",
         "must be a top of its account's actor"},
        {"update drive_top set item = " IT("a") " where item = (select max(item) from drive_top)",
         "must be a top of its account's actor"},
        {"update drive_top set item = " IT("d") " where item = (select max(item) from drive_top)",
         "must be a top of its account's actor"},
    };
    const struct json *dump;
    (void)state;
    fill();
    assert_true(asked("select count(*) from drive_top") > 0);
    end();
    for (size_t i = 0; i < SOSIA_LEN(list); i++) {
        const char *why = import_of(list[i][0], &dump);
        if (!strstr(why, list[i][1]))
            fail_msg("%s: %s", list[i][0], *why ? why : "it is imported");
    }
    begin();
}

/* ---- what follows is made anew ---- */

/* In the world that an import of the changed one is. */
static uint64_t imported(const char *sql)
{
    uint64_t first = test_world, world;
    end();
    if (test_import_changed(sql, &world) < 0)
        fail_msg("%s: %s", sql, test_err.text);
    test_world = world;
    begin();
    return first;
}

static void back(uint64_t first)
{
    struct sosia_err err;
    const uint64_t world = test_world;
    end();
    sosia_world_drop(test_engine, world, &err);
    test_world = first;
    begin();
}

static const char *found_by(const struct actor *who, struct find *q)
{
    const struct find_order by_name = {ORDER_NAME, false};
    struct drive_viewer v;
    struct drive_finder f = {.viewer = &v,
                             .vendor = vendor,
                             .question = q,
                             .scope = SCOPE_PERSON,
                             .in_drive = true,
                             .order = &by_name,
                             .n_order = 1};
    struct drive_item *items;
    struct drive_access *access;
    const char *position, *text = "";
    size_t n;
    drive_viewer(&tx, who, &v);
    done(drive_find(&f, NULL, 50, &items, &access, &n, &position));
    for (size_t i = 0; i < n; i++)
        text = arena_printf(tx.arena, "%s%s%s", text, i ? " " : "", items[i].key);
    return text;
}

static void flags_of_grants_are_as_the_grants(void **state)
{
    (void)state;
    fill();
    for (int twice = 0; twice < 2; twice++) {
        const uint64_t first = imported(twice ? "update drive_item set flags = flags | 4"
                                              : "update drive_item set flags = flags & ~4");
        assert_true(item_by("f").flags & DRIVE_GRANTED);
        assert_true(item_by("a").flags & DRIVE_GRANTED);
        assert_false(item_by("w").flags & DRIVE_GRANTED);
        assert_true(item_by("a").flags & DRIVE_LOCKED); /* others stay */
        assert_true(item_by("old").flags & DRIVE_TRASHED);
        const struct drive_item f = item_by("f");
        assert_int_equal(role_of(&bob, &f), ROLE_WRITER);
        back(first);
    }
}

static void hosts_and_guests_are_as_the_owners(void **state)
{
    (void)state;
    fill();
    for (int twice = 0; twice < 2; twice++) {
        const uint64_t first = imported(twice ? "update drive_item set host = 1"
                                              : "update drive_item set host = null");
        assert_int_equal(
            asked("select host is not null and host <> owner from drive_item where key "
                  "= 'a'"),
            1);
        assert_int_equal(asked("select count(*) from drive_item where host is not null"), 1);
        back(first);
    }
    for (int twice = 0; twice < 2; twice++) {
        const uint64_t first = imported(twice ? "update drive_mine set guest = 1"
                                              : "update drive_mine set guest = null");
        const int64_t n =
            asked("select count(*) from drive_mine m join drive_item i on i.id = m.item "
                  "where i.owner is not m.actor");
        assert_true(n > 0);
        assert_int_equal(asked("select count(*) from drive_mine where guest = 1"), n);
        assert_int_equal(asked("select count(*) from drive_mine where guest is not null"), n);
        back(first);
    }
}

/* Names as lists compare them, and the index of words. */
static void names_and_words_are_found_again(void **state)
{
    struct find words = {.kind = FIND_TEXT, .text = "words"},
                a = {.kind = FIND_NAME_IS, .text = "a"}, w = {.kind = FIND_NAME_HAS, .text = "w"};
    (void)state;
    fill();
    const char *all = found_by(&ada, NULL);
    assert_string_equal(all, "a f old s w");
    all = arena_strdup(&test_arena, all);
    assert_string_equal(found_by(&ada, &words), "a w");
    for (int i = 0; i < 3; i++) {
        static const char *const changes[] = {
            "update drive_item set folded = 'zzz'",
            "update drive_item set folded = 'b' where key = 'a'",
            "update drive_item set folded = upper(folded) where key <> 'f'",
        };
        const uint64_t first = imported(changes[i]);
        assert_string_equal(found_by(&ada, NULL), all);
        assert_string_equal(found_by(&ada, &words), "a w");
        assert_string_equal(found_by(&ada, &a), "a");
        assert_string_equal(found_by(&ada, &w), "w");
        assert_int_equal(asked("select count(*) from drive_item where folded <> lower(name)"), 0);
        back(first);
    }
}

/* Contents are there in the import, until what names them goes. */
static void contents_are_kept_as_long_as_they_are_named(void **state)
{
    const char *data;
    size_t n;
    (void)state;
    fill();
    const uint64_t first = imported(NULL);
    struct drive_item a = item_by("a"), w = item_by("w");
    done(blob_load(&tx, a.blob, &data, &n));
    assert_int_equal(n, 10);
    done(blob_load(&tx, a.thumbnail, &data, &n));
    assert_int_equal(n, 4);
    done(drive_delete(&tx, &a));
    done(drive_delete(&tx, &w));
    for (int i = 0; i < 3; i++) {
        end();
        test_advance(60);
        begin();
    }
    const struct json *dump;
    end();
    assert_string_equal(import_of(NULL, &dump), "");
    assert_string_equal(column(dump, "files", "id"), "f in old s x");
    begin();
    back(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONE(rows_that_make_no_sense_are_refused, strict),
        ONE(a_tree_has_no_cycle_and_a_top_is_its_owners, strict),
        BOTH(flags_of_grants_are_as_the_grants),
        BOTH(hosts_and_guests_are_as_the_owners),
        BOTH(names_and_words_are_found_again),
        BOTH(contents_are_kept_as_long_as_they_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
