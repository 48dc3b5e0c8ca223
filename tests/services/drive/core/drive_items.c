/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items as they are stored: what is filled in when one is made, that all of it is given back after
 * each change, alone or through what indexes have; names and paths; what an item is to a person,
 * and its properties; whose ways a drive has; and its text as views show it.
 */
#include "engine/world/core.h"
#include "engine/service.h"
#include "engine/world/engine.h"
#include "identity/account.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/document/format.h"
#include "services/drive/core/model.h"
#include "services/drive/core/revision.h"
#include "tests/services/drive/core/drive_steps.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdlib.h>

static struct drive_item item(const struct drive_item *folder, const char *name, const char *mime)
{
    return (struct drive_item){.parent = folder->id,
                               .owner = folder->owner,
                               .modifier = folder->owner,
                               .drive = folder->drive,
                               .form = strcmp(mime, "folder") == 0     ? DRIVE_FOLDER
                                       : strcmp(mime, "shortcut") == 0 ? DRIVE_SHORTCUT
                                       : !strchr(mime, '/')            ? DRIVE_DOCUMENT
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

/* ---- what is stored ---- */

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void is_stored(const struct drive_item *it)
{
    const struct drive_item now = again(it);
#define NUMBER(member)                                                                             \
    if (now.member != it->member)                                                                  \
    fail_msg(#member " is %lld and not %lld", (long long)now.member, (long long)it->member)
#define TEXT(member)                                                                               \
    if (!same_text(now.member, it->member))                                                        \
    fail_msg(#member " is %s and not %s", now.member, it->member)
    NUMBER(id);
    NUMBER(parent);
    NUMBER(owner);
    NUMBER(drive);
    NUMBER(flags);
    NUMBER(form);
    NUMBER(top);
    NUMBER(space);
    NUMBER(size);
    NUMBER(created_us);
    NUMBER(modified_us);
    NUMBER(modifier);
    NUMBER(version);
    NUMBER(blob);
    NUMBER(head);
    NUMBER(target);
    NUMBER(trashed_us);
    NUMBER(trasher);
    NUMBER(thumbnail);
    NUMBER(creator_app);
    TEXT(key);
    TEXT(name);
    TEXT(mime);
    TEXT(md5);
    TEXT(sha1);
    TEXT(sha256);
    TEXT(target_key);
    TEXT(target_mime);
    TEXT(description);
    TEXT(original);
    TEXT(extension);
    TEXT(color);
    TEXT(resource_key);
    TEXT(restrictions);
    TEXT(download_rules);
    TEXT(media);
    TEXT(index_text);
    TEXT(thumbnail_mime);
    TEXT(extra);
}

static void all_of_an_item_is_stored(void **state)
{
    struct drive_item to = add(&root, "to", "text/plain"), it = item(&root, "all", "shortcut");
    int64_t picture;
    (void)state;
    ok(blob_put(&tx, "picture", 7, &picture));
    it.created_us = 1000, it.modified_us = 2000;
    it.target = to.id, it.target_key = to.key, it.target_mime = to.mime;
    it.description = "d", it.original = "o", it.extension = "e", it.resource_key = "r";
    it.restrictions = "[]", it.download_rules = "{}", it.media = "{\"a\":1}", it.index_text = "i";
    it.thumbnail = picture, it.thumbnail_mime = "image/png", it.creator_app = APP, it.extra = "{}";
    it.flags = DRIVE_COPY_LIMIT | DRIVE_NEEDS_KEY;
    ok(drive_item_add(&tx, &it));
    assert_int_equal(it.version, 1);
    is_stored(&it);
    /* What indexes do not have, which is written apart. */
    it.created_us = 3000, it.modifier = bob.id, it.target = 0, it.target_mime = "image/png";
    it.description = NULL, it.original = "o2", it.extension = NULL, it.color = "#fff";
    it.resource_key = NULL, it.restrictions = NULL, it.download_rules = "{\"b\":2}";
    it.media = NULL, it.index_text = NULL, it.creator_app = 0, it.extra = "{\"c\":3}";
    it.trashed_us = 0, it.trasher = bob.id;
    ok(drive_item_save(&tx, &it));
    assert_int_equal(it.version, 2);
    is_stored(&it);
    /* Each of what they have, with one more that they have not. */
    struct drive_item f = add(&root, "f", "folder");
    for (int i = 0; i < 7; i++) {
        it.description = arena_printf(tx.arena, "change %d", i);
        switch (i) {
        case 0:
            it.parent = f.id;
            break;
        case 1:
            it.owner = bob.id;
            break;
        case 2:
            it.flags |= DRIVE_ABUSIVE;
            break;
        case 3:
            it.name = "other name";
            break;
        case 4:
            it.modified_us = 4000;
            break;
        case 5:
            it.target_key = "other key";
            break;
        default:
            it.key = "own!key";
            break;
        }
        ok(drive_item_save(&tx, &it));
        is_stored(&it);
        assert_int_equal(it.version, 3 + i);
    }
    struct drive_item found;
    assert_int_equal(drive_item_by_key(&tx, "own!key", &found), 1);
    struct drive_item file = add(&root, "file", "text/plain");
    file.mime = "text/html";
    ok(drive_item_save(&tx, &file));
    is_stored(&file);
    for (int i = 0; i < 3; i++) {
        file.target_key = i == 1 ? NULL : "a key";
        file.space = i == 2 ? APP : 0;
        ok(drive_item_save(&tx, &file));
        is_stored(&file);
    }
    ok(drive_content_put(&tx, &file, "abc", 3));
    is_stored(&file);
}

static void what_an_item_does_not_say_is_filled_in(void **state)
{
    struct drive_item a = item(&root, "a", "text/plain"), b = item(&root, "b", "text/plain"),
                      c = item(&root, "c", "text/plain");
    (void)state;
    b.created_us = 5000;
    c.created_us = 5000, c.modified_us = 7000;
    ok(drive_item_add(&tx, &a));
    ok(drive_item_add(&tx, &b));
    ok(drive_item_add(&tx, &c));
    assert_int_equal(a.created_us, tx.now_us);
    assert_int_equal(a.modified_us, tx.now_us);
    assert_int_equal(b.modified_us, 5000);
    assert_int_equal(c.modified_us, 7000);
    assert_int_equal(c.created_us, 5000);
    assert_true(a.id < b.id && b.id < c.id);
    assert_string_not_equal(a.key, b.key);
    /* A number is never given again. */
    ok(drive_delete(&tx, &c));
    end();
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    struct drive_item d = add(&root, "d", "text/plain");
    assert_true(d.id > c.id);
}

/* Keys of a vendor that begins anew with them: those that are in use are passed over. */
static int n_keys;

static const char *counted_key(struct tx *t, enum drive_form form, enum drive_top top, bool secret)
{
    (void)form, (void)secret;
    return top ? arena_printf(t->arena, "top%d", ++n_keys)
               : arena_printf(t->arena, "k%d", ++n_keys);
}

static void a_key_that_is_in_use_is_not_given_again(void **state)
{
    struct drive_item first = item(&root, "a", "text/plain"),
                      second = item(&root, "b", "text/plain");
    (void)state;
    n_keys = 0;
    first.key = "k1";
    second.key = "k2";
    ok(drive_item_add(&tx, &first));
    ok(drive_item_add(&tx, &second));
    struct drive_item third = add(&root, "c", "text/plain"), fourth = add(&root, "d", "text/plain");
    assert_string_equal(third.key, "k3");
    assert_string_equal(fourth.key, "k4");
    /* Nor that of what is gone and has a row yet, but to who asks for it. */
    n_keys = 0;
    ok(drive_delete(&tx, &first));
    struct drive_item fifth = add(&root, "e", "text/plain"),
                      again_first = item(&root, "f", "text/plain");
    assert_string_equal(fifth.key, "k5");
    again_first.key = "k1";
    ok(drive_item_add(&tx, &again_first));
    struct drive_item found;
    assert_int_equal(drive_item_by_key(&tx, "k1", &found), 1);
    assert_int_equal(found.id, again_first.id);
    assert_string_equal(drive_revision_number(&tx, found.id), "1");
    ok(drive_content_put(&tx, &found, "x", 1));
    assert_string_equal(drive_revision_number(&tx, found.id), "2");
}

static int open_counted(void **state)
{
    static struct drive_vendor counted;
    counted = loose;
    counted.new_key = counted_key;
    *state = &counted;
    return open_world(state);
}

/* ---- names and paths ---- */

static void of_equal_names_the_newest_is_meant(void **state)
{
    struct drive_item f = add(&root, "f", "folder"), a = item(&f, "a", "text/plain"), b = a, found;
    const char *rest;
    (void)state;
    if (vendor->unique_names)
        return;
    a.modified_us = 2000, b.modified_us = 3000;
    ok(drive_item_add(&tx, &a));
    ok(drive_item_add(&tx, &b));
    assert_int_equal(drive_child_by_name(&tx, &f, "a", &found), 1);
    assert_int_equal(found.id, b.id);
    b.modified_us = 1000;
    ok(drive_item_save(&tx, &b));
    assert_int_equal(drive_child_by_name(&tx, &f, "a", &found), 1);
    assert_int_equal(found.id, a.id);
    assert_int_equal(drive_item_by_path(&tx, &root, "f/a", &found, &rest), 1);
    assert_int_equal(found.id, a.id);
    b.modified_us = 2000; /* as old: the one that was made first */
    ok(drive_item_save(&tx, &b));
    assert_int_equal(drive_child_by_name(&tx, &f, "a", &found), 1);
    assert_int_equal(found.id, a.id);
}

static void a_path_has_slashes_between_names(void **state)
{
    struct drive_item a = add(&root, "a", "folder"), b = add(&a, "b", "folder"),
                      c = add(&b, "c", "text/plain"), found;
    const char *rest = "?";
    (void)state;
    static const struct {
        const char *path;
        int there;
        char name;
        const char *rest;
    } tries[] = {
        {"a", 1, 'a', ""},
        {"/a", 1, 'a', ""},
        {"//a//", 1, 'a', ""},
        {"a/b/c", 1, 'c', ""},
        {"a//b///c/", 1, 'c', ""},
        {"a/x/y", 0, 'a', "x/y"},
        {"a/b/cc", 0, 'b', "cc"},
        {"a/b/c/d", 0, 'c', "d"},
        {"x", 0, 0, "x"},
        {"/x//y/", 0, 0, "x//y/"},
        {"", 1, 0, ""},
        {"///", 1, 0, ""},
        {"b", 0, 0, "b"},
    };
    for (size_t i = 0; i < SOSIA_LEN(tries); i++) {
        int r = drive_item_by_path(&tx, &root, tries[i].path, &found, &rest);
        if (r != tries[i].there || strcmp(rest, tries[i].rest) != 0 ||
            (tries[i].name ? found.name[0] != tries[i].name : found.id != root.id))
            fail_msg("%s: %d, %s, %s", tries[i].path, r, found.name, rest);
        assert_int_equal(drive_item_by_path(&tx, &root, tries[i].path, &found, NULL),
                         tries[i].there);
    }
    assert_int_equal(drive_item_by_path(&tx, &b, "c", &found, NULL), 1);
    assert_int_equal(found.id, c.id);
}

static void a_free_name_is_the_first_one(void **state)
{
    struct drive_item f = add(&root, "f", "folder"), it, old;
    (void)state;
    if (!vendor->unique_names)
        return;
    for (int taken = 0; taken < 12; taken++) {
        it = item(&f, "n.txt", "text/plain");
        assert_int_equal(drive_name_settle(&tx, &it, CONFLICT_RENAME, NULL), 0);
        assert_string_equal(it.name, taken ? arena_printf(tx.arena, "n %d.txt", taken) : "n.txt");
        ok(drive_item_add(&tx, &it));
    }
    /* Itself is not in its own way, nor what is in the trash, nor where there is no folder. */
    it = again(&it);
    assert_int_equal(drive_name_settle(&tx, &it, CONFLICT_FAIL, NULL), 0);
    assert_int_equal(drive_name_settle(&tx, &it, CONFLICT_RENAME, NULL), 0);
    assert_string_equal(it.name, "n 11.txt");
    struct drive_item other = item(&f, "n 3.txt", "text/plain");
    assert_int_equal(drive_name_settle(&tx, &other, CONFLICT_REPLACE, &old), 1);
    assert_string_equal(old.name, "n 3.txt");
    ok(drive_trash(&tx, &old, ada.id));
    ok(drive_item_save(&tx, &old));
    assert_int_equal(drive_name_settle(&tx, &other, CONFLICT_REPLACE, &old), 0);
    other.name = "n 4.txt";
    other.flags = DRIVE_TRASHED;
    assert_int_equal(drive_name_settle(&tx, &other, CONFLICT_FAIL, NULL), 0);
    other.flags = 0;
    other.parent = 0;
    assert_int_equal(drive_name_settle(&tx, &other, CONFLICT_FAIL, NULL), 0);
    other.parent = f.id;
    refused(drive_name_settle(&tx, &other, CONFLICT_FAIL, NULL), "nameInUse");
}

/* ---- what it is to a person ---- */

static void an_item_is_to_each_what_they_made_of_it(void **state)
{
    struct drive_item it = add(&root, "a", "text/plain");
    struct drive_mine m = {.starred = true, .viewed_us = 5, .sharer = bob.id}, is;
    int64_t who = 0;
    (void)state;
    assert_int_equal(drive_mine_next(&tx, it.id, 0, &who), 0);
    ok(drive_mine(&tx, &it, bob.id, &is));
    assert_false(is.starred || is.hidden || is.viewed_us || is.modified_us || is.shared_us ||
                 is.sharer);
    ok(drive_mine_save(&tx, it.id, bob.id, &m));
    m = (struct drive_mine){.hidden = true, .modified_us = 6, .shared_us = 7};
    ok(drive_mine_save(&tx, it.id, eve.id, &m));
    ok(drive_mine(&tx, &it, bob.id, &is));
    assert_true(is.starred && !is.hidden && is.viewed_us == 5 && !is.modified_us && !is.shared_us &&
                is.sharer == bob.id);
    ok(drive_mine(&tx, &it, eve.id, &is));
    assert_true(!is.starred && is.hidden && !is.viewed_us && is.modified_us == 6 &&
                is.shared_us == 7 && !is.sharer);
    /* Who changed it last did it then. */
    ok(drive_mine(&tx, &it, ada.id, &is));
    assert_int_equal(is.modified_us, it.modified_us);
    it.modifier = eve.id;
    ok(drive_mine(&tx, &it, eve.id, &is));
    assert_int_equal(is.modified_us, it.modified_us);
    ok(drive_mine(&tx, &it, ada.id, &is));
    assert_int_equal(is.modified_us, 0);
    it.modifier = 0;
    ok(drive_mine(&tx, &it, 0, &is)); /* nobody did not */
    assert_int_equal(is.modified_us, 0);
    assert_int_equal(drive_mine_next(&tx, it.id, 0, &who), 1);
    assert_int_equal(who, bob.id);
    assert_int_equal(drive_mine_next(&tx, it.id, who, &who), 1);
    assert_int_equal(who, eve.id);
    assert_int_equal(drive_mine_next(&tx, it.id, who, &who), 0);
    m = (struct drive_mine){0};
    ok(drive_mine_save(&tx, it.id, bob.id, &m));
    ok(drive_mine(&tx, &it, bob.id, &is));
    assert_false(is.starred || is.viewed_us || is.sharer);
}

static const char *properties_of(const struct drive_item *it, int64_t app)
{
    struct drive_property *list;
    const char *text = "";
    size_t n;
    ok(drive_properties(&tx, it->id, app, &list, &n));
    for (size_t i = 0; i < n; i++)
        text = arena_printf(tx.arena, "%s%s=%s ", text, list[i].name, list[i].value);
    return text;
}

static void properties_are_everybodys_or_an_apps(void **state)
{
    struct drive_item it = add(&root, "a", "text/plain"), other = add(&root, "b", "text/plain");
    static const struct drive_property all[] = {{"b", "1"}, {"a", "2"}, {"c", "3"}};
    int64_t n;
    (void)state;
    assert_string_equal(properties_of(&it, 0), "");
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        ok(drive_property_set(&tx, it.id, 0, &all[i]));
    ok(drive_property_set(&tx, it.id, APP, &(struct drive_property){"a", "own"}));
    ok(drive_property_set(&tx, other.id, 0, &(struct drive_property){"a", "x"}));
    assert_string_equal(properties_of(&it, 0), "a=2 b=1 c=3 ");
    assert_string_equal(properties_of(&it, APP), "a=own ");
    assert_string_equal(properties_of(&it, APP + 1), "");
    ok(drive_property_count(&tx, it.id, &n));
    assert_int_equal(n, 4);
    ok(drive_property_set(&tx, it.id, 0, &(struct drive_property){"b", "new"}));
    ok(drive_property_set(&tx, it.id, 0, &(struct drive_property){"a", NULL}));
    ok(drive_property_set(&tx, it.id, 0, &(struct drive_property){"none", NULL}));
    assert_string_equal(properties_of(&it, 0), "b=new c=3 ");
    assert_string_equal(properties_of(&it, APP), "a=own ");
    ok(drive_property_count(&tx, it.id, &n));
    assert_int_equal(n, 3);
    assert_string_equal(properties_of(&other, 0), "a=x ");
}

/* ---- whose ways a drive has ---- */

static void each_item_has_the_ways_of_its_drive(void **state)
{
    struct account account;
    struct drive_item mine, his;
    (void)state;
    assert_int_equal(account_at(&tx, ada.id, "strict", ACCOUNT_DRIVE, &account), 1);
    assert_int_equal(drive_root_of(&tx, &account, &mine), 1);
    assert_int_equal(drive_root(&tx, bob.id, &his), 1);
    struct drive_item f = add(&mine, "f", "folder"), deep = add(&f, "deep", "text/plain"),
                      a = add(&root, "a", "text/plain");
    assert_ptr_equal(drive_vendor_of(&tx, &mine), &strict);
    assert_ptr_equal(drive_vendor_of(&tx, &f), &strict);
    assert_ptr_equal(drive_vendor_of(&tx, &deep), &strict);
    assert_ptr_equal(drive_vendor_of(&tx, &a), &loose);
    assert_ptr_equal(drive_vendor_of(&tx, &root), &loose);
    assert_ptr_equal(drive_vendor_of(&tx, &his), &loose);
    /* Of a new one: by its folder, by its account, else by its owner's address. */
    struct drive_item new = item(&f, "new", "text/plain");
    assert_ptr_equal(drive_vendor_of(&tx, &new), &strict);
    new.parent = 0;
    assert_ptr_equal(drive_vendor_of(&tx, &new), &loose);
    new.account = account.id;
    assert_ptr_equal(drive_vendor_of(&tx, &new), &strict);
    /* What Ada has in Bob's folder is in his drive. */
    struct drive_item at_bobs = item(&his, "x", "text/plain");
    at_bobs.owner = ada.id;
    ok(drive_item_add(&tx, &at_bobs));
    assert_ptr_equal(drive_vendor_of(&tx, &at_bobs), &loose);
    /* What Bob has in Ada's strict one has no account of his there: by the tree it is hers. */
    struct drive_item alone = item(&root, "alone", "text/plain");
    alone.parent = 0;
    ok(drive_item_add(&tx, &alone));
    assert_ptr_equal(drive_vendor_of(&tx, &alone), &loose);
    /* A shared drive is of the vendor of who made it. */
    struct drive_settings s = {0};
    struct drive_item top;
    ok(drive_shared_make(&tx, &ada, NULL, "Eng", &s, &top));
    assert_ptr_equal(drive_vendor_of(&tx, &top), &loose);
    struct drive_item in = item(&top, "in", "text/plain");
    ok(drive_item_add(&tx, &in));
    assert_ptr_equal(drive_vendor_of(&tx, &in), &loose);
    ok(drive_shared_make(&tx, NULL, NULL, "Ours", &s, &top));
    assert_ptr_equal(drive_vendor_of(&tx, &top), &loose);
    assert_ptr_equal(drive_vendor_nth(&tx, 0), &loose);
    assert_ptr_equal(drive_vendor_nth(&tx, 1), &strict);
    assert_null(drive_vendor_nth(&tx, 2));
}

/* Lists of one vendor pass over the drives of the other, in all ways that they are made. */
static void a_list_is_of_the_drives_of_one_vendor(void **state)
{
    static const struct find_order by[] = {{ORDER_MODIFIED, true}, {ORDER_NAME, false}};
    struct find has = {.kind = FIND_NAME_HAS, .text = "n"};
    struct account account;
    struct drive_item mine;
    (void)state;
    assert_int_equal(account_at(&tx, ada.id, "strict", ACCOUNT_DRIVE, &account), 1);
    assert_int_equal(drive_root_of(&tx, &account, &mine), 1);
    add(&mine, "n strict", "text/plain");
    add(&root, "n loose", "text/plain");
    for (size_t i = 0; i < 3; i++)
        for (int how = 0; how < 4; how++) {
            const struct drive_vendor *of = i == 0 ? NULL : i == 1 ? &loose : &strict;
            struct drive_viewer v;
            struct drive_item *items;
            struct drive_access *access;
            const char *position;
            size_t n;
            drive_viewer(&tx, &ada, &v);
            struct drive_finder f = finder_of(&v, how & 1 ? &has : NULL);
            f.vendor = of;
            f.order = &by[how / 2];
            f.n_order = 1;
            ok(drive_find(&f, NULL, 10, &items, &access, &n, &position));
            size_t all = how & 1 ? 1 : 2; /* each has one that is called otherwise */
            assert_int_equal(n, of ? all : 2 * all);
            for (size_t k = 0; k < n && of; k++)
                assert_ptr_equal(drive_vendor_of(&tx, &items[k]), of);
        }
}

/* ---- texts ---- */

static const char *viewed(const struct drive_item *it)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    ok(drive_view_text(&tx, &w, it));
    json_end(&w);
    const char *text = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* The same in the core's own terms. */
static const char *plainly(const struct drive_item *it)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    int r = 0;
    for (size_t i = 0; i < drive_core.n_entities; i++)
        if (strcmp(drive_core.entities[i].name, "file") == 0)
            ok(r = drive_core.entities[i].plain(&tx, it->id, &w));
    json_end(&w);
    const char *text = r ? arena_strdup(tx.arena, buf_str(&b)) : "";
    buf_done(&b);
    return text;
}

static void a_view_shows_what_is_text(void **state)
{
    struct drive_item it = add(&root, "a", "application/any"), f = add(&root, "f", "folder");
    enum { SHOWN = 64 * 1024 };
    char *bytes = malloc(SHOWN + 1);
    (void)state;
    assert_non_null(bytes);
    memset(bytes, 'x', SHOWN + 1);
    assert_string_equal(viewed(&it), "{}");
    assert_string_equal(viewed(&f), "{}");
    ok(drive_content_put(&tx, &it, "a text", 6));
    assert_string_equal(viewed(&it), "{\"text\":\"a text\"}");
    ok(drive_content_put(&tx, &it, "a\0b", 3));
    assert_string_equal(viewed(&it), "{}");
    ok(drive_content_put(&tx, &it, "a\xff", 2));
    assert_string_equal(viewed(&it), "{}");
    ok(drive_content_put(&tx, &it, bytes, SHOWN));
    assert_int_equal(strlen(viewed(&it)), SHOWN + strlen("{\"text\":\"\"}"));
    ok(drive_content_put(&tx, &it, bytes, SHOWN + 1));
    assert_string_equal(viewed(&it), "{}");
    /* A document has a mark beside what is shown if there is more. */
    struct drive_item doc = add(&root, "doc", "document");
    struct document *model;
    assert_int_equal(drive_document_load(&tx, &doc, 0, &model), 1);
    assert_string_equal(model->title ? model->title : "", "doc");
    for (int more = -1; more < 2; more++) {
        ok(format_read(tx.arena, DOCUMENT_TEXT, FORMAT_TEXT, bytes, (size_t)(SHOWN + more), "doc",
                       &model, tx.err));
        ok(drive_document_put(&tx, &doc, model));
        const char *text = viewed(&doc);
        struct buf b;
        buf_init(&b, 0);
        document_text(model, &b);
        assert_int_equal(strstr(text, "textHash") != NULL, b.len > SHOWN);
        buf_done(&b);
    }
    free(bytes);
}

static void an_item_in_plain_terms(void **state)
{
    struct drive_item f = add(&root, "a/b", "folder"), g = add(&f, "g", "folder"),
                      it = add(&g, "x:y?.txt", "text/plain"), top;
    struct drive_settings s = {0};
    struct drive_grant grants[] = {
        {.kind = GRANT_PERSON, .who = BOB, .role = ROLE_WRITER},
        {.kind = GRANT_ANYONE, .who = "", .role = ROLE_READER},
        {.kind = GRANT_PERSON, .who = EVE, .role = ROLE_READER, .view = "published"}};
    (void)state;
    assert_string_equal(plainly(&root), "");
    ok(drive_content_put(&tx, &it, "words", 5));
    for (size_t i = 0; i < SOSIA_LEN(grants); i++) {
        it = again(&it);
        ok(drive_grant_set(&tx, &it, &grants[i]));
    }
    it = again(&it);
    it.description = "what it is";
    ok(drive_trash(&tx, &it, ada.id));
    ok(drive_item_save(&tx, &it));
    const char *text = plainly(&it);
    static const char *const parts[] = {
        "\"person\":\"" ADA "\"", "\"title\":\"x-y-.txt\"", "\"in\":\"a-b/g\"",
        "\"kind\":\"file\"",      "\"trashed\":true",       "\"description\":\"what it is\"",
        "\"text\":\"words\"",     "\"writer " BOB "\"",     "\"reader anyone\""};
    for (size_t i = 0; i < SOSIA_LEN(parts); i++)
        if (!strstr(text, parts[i]))
            fail_msg("%s is not in %s", parts[i], text);
    assert_null(strstr(text, EVE));
    assert_null(strstr(text, "owner"));
    ok(drive_content_put(&tx, &it, "a\0b", 3));
    text = plainly(&it);
    assert_null(strstr(text, "\"text\""));
    assert_non_null(strstr(text, it.sha256));
    enum { SHOWN = 1 << 20 };
    char *bytes = malloc(SHOWN + 1);
    assert_non_null(bytes);
    memset(bytes, 'x', SHOWN + 1);
    ok(drive_content_put(&tx, &it, bytes, SHOWN));
    assert_int_equal(strlen(plainly(&it)) > SHOWN, 1);
    ok(drive_content_put(&tx, &it, bytes, SHOWN + 1));
    assert_non_null(strstr(plainly(&it), it.sha256));
    free(bytes);
    assert_non_null(strstr(plainly(&f), "\"kind\":\"folder\""));
    assert_null(strstr(plainly(&f), "\"in\""));
    ok(drive_shared_make(&tx, &ada, NULL, "Eng", &s, &top));
    struct drive_item ours = add(&top, "ours", "text/plain");
    assert_non_null(strstr(plainly(&ours), "\"common\":true"));
    assert_null(strstr(plainly(&ours), "\"in\""));
    ok(drive_delete(&tx, &it));
    assert_string_equal(plainly(&it), "");
}

/* An office file has the name without its ending, and the kind of the document that it is. */
static void an_office_file_is_a_document_in_plain_terms(void **state)
{
    static const struct {
        const char *name, *title;
    } tries[] = {{"a.docx", "a"},    {"b.DOCX", "b"},  {"a.b.docx", "a.b"},
                 {"a.doc", "a.doc"}, {"docx", "docx"}, {".docx", ""}};
    struct document *model;
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    ok(format_read(tx.arena, DOCUMENT_TEXT, FORMAT_TEXT, "in it", 5, "x", &model, tx.err));
    ok(format_write(tx.arena, model, FORMAT_DOCX, &b, tx.err));
    for (size_t i = 0; i < SOSIA_LEN(tries); i++) {
        struct drive_item it = add(&root, tries[i].name, FORMAT_DOCX);
        ok(drive_content_put(&tx, &it, b.data, b.len));
        const char *text = plainly(&it);
        assert_non_null(strstr(text, arena_printf(tx.arena, "\"title\":\"%s\"", tries[i].title)));
        assert_non_null(strstr(text, "\"kind\":\"document\""));
        assert_non_null(strstr(text, "\"text\":\"in it\""));
    }
    buf_done(&b);
    struct drive_item bad = add(&root, "bad.docx", FORMAT_DOCX);
    ok(drive_content_put(&tx, &bad, "no office file", 14));
    assert_non_null(strstr(plainly(&bad), "\"text\":\"no office file\""));
}

static void a_document_is_of_its_kind(void **state)
{
    static const char *const words[] = {"document", "spreadsheet", "presentation", "drawing"};
    struct document *model;
    enum document_kind kind;
    (void)state;
    assert_int_equal(drive_document_kind("form", &kind), 0);
    assert_int_equal(drive_document_kind("text/plain", &kind), 0);
    for (size_t i = 0; i < SOSIA_LEN(words); i++) {
        struct drive_item it = add(&root, words[i], words[i]);
        assert_int_equal(drive_document_kind(words[i], &kind), 1);
        assert_int_equal(kind, i);
        assert_int_equal(drive_document_load(&tx, &it, 0, &model), 1); /* an empty one */
        assert_int_equal(model->kind, i);
        ok(drive_document_put(&tx, &it, model));
        assert_true(it.size > 0 && !it.blob && !it.md5);
        int64_t first = it.head;
        ok(drive_document_put(&tx, &it, model));
        assert_int_not_equal(it.head, first);
        assert_int_equal(drive_document_load(&tx, &it, first, &model), 1);
        it.mime = words[(i + 1) % SOSIA_LEN(words)];
        assert_int_equal(drive_document_load(&tx, &it, 0, &model), -1);
        assert_non_null(strstr(fault.text, "not of its kind"));
        fault = (struct sosia_err){0};
        it.mime = "form";
        assert_int_equal(drive_document_load(&tx, &it, 0, &model), 0);
    }
}

static void a_picture_is_what_its_bytes_say(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        bool is;
    } tries[] = {
        {"\xff\xd8\xff\xc0\0\x11\10\1\2\3\4", 11, true},
        {"\xff\xd9\xff\xc0\0\x11\10\1\2\3\4", 11, false},
        {"\xfe\xd8\xff\xc0\0\x11\10\1\2\3\4", 11, false},
        {"\xff\xd8\xff", 3, false},
        {"\xff\xd8\xff\xbf\0\2\xff\xcf\0\x11\10\1\2\3\4", 15, true},
        {"\xff\xd8\xff\xd0\0\2\xff\xd1\0\x11\10\1\2\3\4", 15, false},
        {"GIF8", 4, false},
        {"GIG89a\1\0\1\0", 10, false},
        {"", 0, false},
    };
    struct blob b;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(tries); i++) {
        struct drive_item it = add(&root, arena_printf(tx.arena, "p%zu", i), "image/any");
        it.media = "{}";
        ok(drive_content_put(&tx, &it, tries[i].bytes, tries[i].n));
        assert_int_equal(drive_content_digests(&tx, &it, &b), 1);
        ok(drive_read_picture(&tx, &it, &b));
        if ((it.media != NULL) != tries[i].is)
            fail_msg("%zu: %s", i, it.media ? it.media : "no picture");
    }
}

/* ---- what other cores ask ---- */

static void other_cores_ask_for_files_and_acquaintances(void **state)
{
    struct drive_item it = add(&root, "a", "text/plain");
    struct drive_grant sees = {.kind = GRANT_PERSON, .who = BOB, .role = ROLE_NONE};
    struct file_ref ref;
    (void)state;
    assert_int_equal(drive_core.file(&tx, &ada, it.key, &ref), 1);
    assert_string_equal(ref.title, "a");
    assert_string_equal(ref.type, "text/plain");
    assert_int_equal(drive_core.file(&tx, &bob, it.key, &ref), 0);
    assert_int_equal(drive_core.file(&tx, NULL, it.key, &ref), 0);
    assert_int_equal(drive_core.file(&tx, &ada, "none", &ref), 0);
    assert_int_equal(drive_core.knows(&tx, &ada, BOB), 0);
    ok(drive_grant_set(&tx, &it, &sees));
    assert_int_equal(drive_core.knows(&tx, &ada, BOB), 0);
    sees.role = ROLE_READER;
    ok(drive_grant_set(&tx, &it, &sees));
    assert_int_equal(drive_core.file(&tx, &bob, it.key, &ref), 1);
    assert_int_equal(drive_core.knows(&tx, &ada, BOB), 1);
    assert_int_equal(drive_core.knows(&tx, &bob, ADA), 0);
    assert_int_equal(drive_core.knows(&tx, &ada, EVE), 0);
    struct drive_grant any = {.kind = GRANT_ANYONE, .who = "", .role = ROLE_READER};
    it = again(&it);
    ok(drive_grant_set(&tx, &it, &any));
    assert_int_equal(drive_core.file(&tx, NULL, it.key, &ref), 1);
    assert_int_equal(drive_core.due(&tx, "none", it.id), 0);    /* of no kind that is known */
    assert_int_equal(drive_core.due(&tx, DUE_TRASH, it.id), 0); /* it is not in the trash */
    assert_int_equal(drive_core.due(&tx, DUE_TRASH, 99999), 0);
    assert_int_equal(again(&it).id, it.id);
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
        BOTH(all_of_an_item_is_stored),
        BOTH(what_an_item_does_not_say_is_filled_in),
        {"a_key_that_is_in_use_is_not_given_again", a_key_that_is_in_use_is_not_given_again,
         open_counted, close_world, NULL},
        BOTH(of_equal_names_the_newest_is_meant),
        BOTH(a_path_has_slashes_between_names),
        BOTH(a_free_name_is_the_first_one),
        BOTH(an_item_is_to_each_what_they_made_of_it),
        BOTH(properties_are_everybodys_or_an_apps),
        {"each_item_has_the_ways_of_its_drive", each_item_has_the_ways_of_its_drive, open_both,
         close_world, NULL},
        {"a_list_is_of_the_drives_of_one_vendor", a_list_is_of_the_drives_of_one_vendor, open_both,
         close_world, NULL},
        BOTH(a_view_shows_what_is_text),
        BOTH(an_item_in_plain_terms),
        BOTH(an_office_file_is_a_document_in_plain_terms),
        BOTH(a_document_is_of_its_kind),
        BOTH(a_picture_is_what_its_bytes_say),
        BOTH(other_cores_ask_for_files_and_acquaintances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
