/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of files cost by what is on a page, which is counted in steps of SQLite's machine; and
 * whatever index a list comes from, it has what looking at each file finds: the same question
 * denied twice is answered without one.
 */
#include "engine/world/engine.h"
#include "services/drive/core/drive.h"
#include "tests/support/gdrive.h"
#include "tests/support/unit.h"
#include <sqlite3.h>
#include <stdio.h>

#define TYPE(word) "application/vnd.google-apps." word

/* ---- a drive of many files ---- */

static struct sosia_err err;
static struct tx tx;
static struct worker *worker;
static struct world *world;

static void ok(int r)
{
    if (r < 0)
        fail_msg("%s: %s", err.reason ? err.reason : "", err.text);
}

static void begin(void)
{
    worker = worker_take(test_engine, &err);
    world = world_take(test_engine, test_world, &err);
    assert_true(worker && world);
    ok(tx_begin(&tx, test_engine, world, worker, true, world_now(world), &err));
}

static void commit(void)
{
    ok(tx_do_later(&tx));
    ok(tx_commit(&tx));
    world_drop(world);
    worker_drop(worker);
}

static int64_t oldest_us = INT64_C(1700000000000000); /* of the files below, and what most are */
static const char *usual_type = "text/plain";

/* Files of Ada's, all in one folder and seen by her: of the sixty oldest some are pictures, in the
 * trash, or open to anyone, of the others none. */
static const char *add_files(int from, int to, const char *folder_key)
{
    struct actor ada;
    struct drive_item folder = {.name = "all", .mime = "folder", .form = DRIVE_FOLDER, .size = -1};
    struct drive_mine seen = {.viewed_us = INT64_C(1700000000000000)};
    struct drive_grant anyone = {.kind = GRANT_ANYONE, .who = "", .role = ROLE_READER};
    begin();
    assert_int_equal(actor_by_email(&tx, ADA, &ada), 1);
    folder.owner = folder.modifier = ada.id;
    if (folder_key)
        assert_int_equal(drive_item_by_key(&tx, folder_key, &folder), 1);
    else
        ok(drive_item_add(&tx, &folder));
    for (int i = from; i < to; i++) {
        bool few = i < 60;
        struct drive_item it = {.owner = ada.id, .modifier = ada.id, .size = -1};
        it.parent = folder.id;
        it.name = arena_printf(tx.arena, "file %d", i);
        it.mime = few && i % 6 == 1 ? "image/png" : usual_type;
        it.modified_us = oldest_us + i / 7 * 3500; /* several are as old */
        ok(drive_item_add(&tx, &it));
        ok(drive_mine_save(&tx, it.id, ada.id, &seen));
        if (few && i % 6 == 2)
            ok(drive_trash(&tx, &it, ada.id));
        if (few && i % 6 == 2)
            ok(drive_item_save(&tx, &it));
        if (few && i % 6 == 3)
            ok(drive_grant_set(&tx, &it, &anyone));
    }
    const char *key = arena_strdup(&test_arena, folder.key);
    commit();
    return key;
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

static const char *escaped(const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (; *text; text++)
        buf_printf(&b, "%%%02X", (unsigned char)*text);
    const char *ret = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return ret;
}

static int64_t steps_of(const char *target, size_t files, const char **ret_token)
{
    as(ADA, "GET", target, NULL); /* statements are prepared, and who asks is known */
    steps_until_now();
    const struct json *v = as(ADA, "GET", target, NULL);
    assert_int_equal(test_status, 200);
    assert_int_equal(count_at(v, "files"), files);
    if (ret_token)
        *ret_token = text_at(v, "nextPageToken");
    return steps_until_now();
}

static const char *page(const char *q)
{
    return arena_printf(&test_arena, "/files?pageSize=10&fields=nextPageToken,files(id)&q=%s",
                        escaped(q));
}

static void a_page_takes_as_many_steps_whatever_the_drive_holds(void **state)
{
    static const struct {
        const char *q;
        size_t files;
        const char *order;
    } asked[] = {
        {"trashed = false", 10},
        {"trashed = true", 10},
        {"'me' in owners", 10},
        {"mimeType = 'image/png'", 10},
        {"mimeType = 'IMAGE/PNG' and trashed = false", 10},
        {"mimeType = '" TYPE("folder") "'", 1},
        {"visibility = 'anyoneWithLink'", 10},
        {"visibility = 'limited'", 10},
        {"name = 'FILE 33'", 1},
        {"name = 'file 33' and mimeType = 'text/plain' and trashed = false", 1},
        {"starred = true", 0},
        {"sharedWithMe", 0},
        {"'@' in parents and name = 'file 33'", 1},
        {"'@' in parents and mimeType = 'image/png'", 10},
        {"trashed = false", 10, "name"},
        {"name contains 'file' and 'me' in owners", 10, "name"},
        {"modifiedTime > '2100-01-01T00:00:00'", 0},
        {"modifiedTime < '2000-01-01T00:00:00' and trashed = false", 0},
        {"mimeType contains 'image/'", 10},
        {"mimeType contains 'video/'", 0},
        {"'bob@acme.example' in readers", 0},
        {"'bob@acme.example' in writers and trashed = false", 0},
        {"trashed = false", 10, "modifiedTime"},
        {"trashed = false", 10, "modifiedTime,name%20desc"},
        {"'@' in parents and trashed = false", 10, "modifiedTime%20desc,name"},
        {"modifiedTime > '2100-01-01T00:00:00'", 0, "createdTime"},
        {"not not (mimeType = 'image/png')", 10}, /* looks at each: of many this counts more */
    };
    enum { N = SOSIA_LEN(asked), FEW = 200, MANY = 2000, MORE = 150 };
    int64_t few[N], many[N];
    const char *key = add_files(0, FEW, NULL), *targets[N];
    (void)state;
    for (size_t i = 0; i < N; i++) {
        const char *at = strchr(asked[i].q, '@');
        targets[i] = page(at ? arena_printf(&test_arena, "'%s%s", key, at + 1) : asked[i].q);
        if (asked[i].order)
            targets[i] = arena_printf(&test_arena, "%s&orderBy=%s", targets[i], asked[i].order);
        few[i] = steps_of(targets[i], asked[i].files, NULL);
    }
    add_files(FEW, MANY, key);
    for (size_t i = 0; i < N; i++) {
        many[i] = steps_of(targets[i], asked[i].files, NULL);
        bool slow = strncmp(asked[i].q, "not not", 7) == 0;
        /* up to 1,024 entries of the index are taken and sorted */
        int64_t more = strstr(asked[i].q, "contains") ? 2 * 1024 : MORE;
        if (slow ? many[i] < few[i] + MANY : many[i] > few[i] + more)
            fail_msg("%s: %lld steps of %d files, %lld of %d", asked[i].q, (long long)few[i], FEW,
                     (long long)many[i], MANY);
    }
}

/* All files are as old here: what is behind a place is not searched for from the newest on. */
/* Steps of a call that names the top of the drive, directly or because no other folder is named. */
static int64_t steps_of_top(const char *method, const char *target, const char *body)
{
    as(ADA, method, target, body);
    steps_until_now();
    as(ADA, method, target, body);
    assert_int_equal(test_status, 200);
    return steps_until_now();
}

static void the_top_is_found_at_once_in_a_large_drive(void **state)
{
    static const struct {
        const char *method, *target, *body;
    } asked[] = {
        {"GET", "/files/root", NULL},
        {"GET", "/files?q='root'%20in%20parents&pageSize=10", NULL},
        {"POST", "/files", "{'name':'at the top'}"},
    };
    enum { N = SOSIA_LEN(asked), FEW = 100, MANY = 2000 };
    int64_t few[N];
    (void)state;
    oldest_us = INT64_C(1900000000000000); /* the top is the last by time, and by type */
    usual_type = "application/octet-stream";
    const char *key = add_files(0, FEW, NULL);
    for (size_t i = 0; i < N; i++)
        few[i] = steps_of_top(asked[i].method, asked[i].target, asked[i].body);
    add_files(FEW, MANY, key);
    for (size_t i = 0; i < N; i++)
        assert_in_range(steps_of_top(asked[i].method, asked[i].target, asked[i].body), 1,
                        few[i] * 3 / 2);
    oldest_us = INT64_C(1700000000000000);
    usual_type = "text/plain";
}

static void add_to_drive(const char *key, int n)
{
    struct drive_item top;
    begin();
    assert_int_equal(drive_item_by_key(&tx, key, &top), 1);
    for (int i = 0; i < n; i++) {
        struct drive_item it = {.name = "of all", .mime = "text/plain", .size = -1};
        it.parent = it.drive = top.id;
        it.modified_us = INT64_C(1700000000000000) + i * 1500;
        ok(drive_item_add(&tx, &it));
    }
    commit();
}

/* The ids of a list by pages of so many, which come in falling order of their times. */
static size_t count_pages(const char *target, int size)
{
    const char *token = "", *last = "9";
    size_t n = 0;
    while (token) {
        const struct json *v =
            as(ADA, "GET",
               arena_printf(&test_arena, "%s&pageSize=%d&pageToken=%s", target, size, token), NULL);
        assert_int_equal(test_status, 200);
        for (size_t i = 0; i < count_at(v, "files"); i++, n++) {
            const char *at = text_at(v, arena_printf(&test_arena, "files.%zu.modifiedTime", i));
            assert_true(strcmp(at, last) <= 0);
            last = at;
        }
        token = text_at(v, "nextPageToken");
    }
    return n;
}

static void a_member_of_a_large_shared_drive_lists_as_quickly(void **state)
{
#define FLAGS "supportsAllDrives=true&includeItemsFromAllDrives=true"
    static const char *const asked[] = {
        "/files?pageSize=10",
        "/files?pageSize=10&" FLAGS,
        "/files?pageSize=10&corpora=allDrives&" FLAGS,
        "/files?pageSize=10&q=trashed=true&" FLAGS,
        "/files?pageSize=10&q=modifiedTime%3E'2100-01-01T00:00:00'&" FLAGS,
    };
    enum { N = SOSIA_LEN(asked), FEW = 100, MANY = 2000 };
    int64_t few[N];
    (void)state;
    const char *key =
        json_get_str(as(ADA, "POST", "/drives?requestId=large", "{'name':'Large'}"), "id");
    for (int i = 0; i < 5; i++)
        make(ADA, "{'name':'own'}");
    add_to_drive(key, FEW);
    for (size_t i = 0; i < N; i++)
        few[i] = steps_of_top("GET", asked[i], NULL);
    add_to_drive(key, MANY);
    for (size_t i = 0; i < N; i++)
        assert_in_range(steps_of_top("GET", asked[i], NULL), 1, few[i] + 150);
    size_t own = count_pages("/files?fields=*", 1000);
    assert_in_range(own, 5, 20);
    assert_int_equal(count_pages("/files?fields=*&" FLAGS, 1000), own + FEW + MANY);
    assert_int_equal(count_pages("/files?fields=*&" FLAGS, 93), own + FEW + MANY);
}

static void each_page_takes_as_many_steps(void **state)
{
    enum { FILES = 700, PAGES = FILES / 10 };
    int64_t steps[PAGES];
    const char *token = "";
    (void)state;
    begin();
    struct actor ada;
    assert_int_equal(actor_by_email(&tx, ADA, &ada), 1);
    for (int i = 0; i < FILES; i++) {
        struct drive_item it = {.owner = ada.id, .name = "a", .mime = "text/plain", .size = -1};
        ok(drive_item_add(&tx, &it));
    }
    commit();
    for (int i = 0; i < PAGES; i++)
        steps[i] = steps_of(arena_printf(&test_arena, "/files?pageSize=10&pageToken=%s", token), 10,
                            &token);
    assert_null(token);
    for (int i = 2; i < PAGES; i++)
        assert_in_range(steps[i], 1, steps[1] * 3 / 2);
}

/* The ids of a list, by pages of so many. */
static const char *listed(const char *order, int size)
{
    const char *ids = "", *token = "";
    while (token) {
        const struct json *v = as(
            ADA, "GET",
            arena_printf(&test_arena, "/files?pageSize=%d&orderBy=%s&pageToken=%s&q=trashed=false",
                         size, order, token),
            NULL);
        assert_int_equal(test_status, 200);
        for (size_t i = 0; i < count_at(v, "files"); i++)
            ids = arena_printf(&test_arena, "%s %s", ids,
                               text_at(v, arena_printf(&test_arena, "files.%zu.id", i)));
        token = text_at(v, "nextPageToken");
    }
    return ids;
}

static void pages_in_the_order_of_times_are_parts_of_the_whole(void **state)
{
    static const char *const orders[] = {"modifiedTime", "modifiedTime%20desc,name",
                                         "modifiedTime,name%20desc", "modifiedTime,folder"};
    (void)state;
    add_files(0, 400, NULL);
    for (int i = 0; i < 9; i++) {
        const char *id = make(CYD, "{'name':'given'}");
        as(CYD, "POST", arena_printf(&test_arena, "/files/%s/permissions", id),
           "{'type':'user','role':'reader','emailAddress':'" ADA "'}");
        as(CYD, "PATCH", arena_printf(&test_arena, "/files/%s", id),
           arena_printf(&test_arena, "{'modifiedTime':'2023-11-14T22:13:20.%03dZ'}", i * 13));
    }
    for (size_t i = 0; i < SOSIA_LEN(orders); i++) {
        const char *whole = listed(orders[i], 1000);
        assert_in_range(strlen(whole), 340 * 34, 1000 * 34);
        assert_string_equal(listed(orders[i], 7), whole);
    }
}

static void a_place_in_an_order_outlives_what_was_there(void **state)
{
    static const char *const orders[] = {
        "name",        "name_natural%20desc", "folder,name",
        "createdTime", "modifiedTime%20desc", "recency%20desc,name",
        NULL};
    (void)state;
    for (const char *const *order = orders; *order; order++) {
        const char *ids[5], *names = "";
        for (int i = 0; i < 5; i++)
            ids[i] = make(
                ADA, arena_printf(&test_arena, "{'name':'n %d.%d x'}", i, (int)(order - orders)));
        const char *target = arena_printf(
            &test_arena, "/files?q=trashed=false&pageSize=2&orderBy=%s&pageToken=", *order);
        const struct json *v = as(ADA, "GET", target, NULL);
        for (size_t i = 0; i < 2; i++) { /* both are gone when the next page is asked for */
            const char *at = arena_printf(&test_arena, "files.%zu.id", i);
            as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s", text_at(v, at)), NULL);
            assert_int_equal(test_status, 204);
        }
        const char *token = text_at(v, "nextPageToken");
        for (int pages = 0; token; pages++) {
            v = as(ADA, "GET", arena_printf(&test_arena, "%s%s", target, token), NULL);
            assert_int_equal(test_status, 200);
            for (size_t i = 0; i < count_at(v, "files"); i++)
                names = arena_printf(&test_arena, "%s %s", names,
                                     text_at(v, arena_printf(&test_arena, "files.%zu.name", i)));
            token = text_at(v, "nextPageToken");
            assert_in_range(pages, 0, 3);
        }
        int found = 0;
        for (const char *p = names; (p = strstr(p, "n ")); p++)
            found++;
        if (found != 3)
            fail_msg("orderBy=%s: expected the 3 that are left, got%s", *order, names);
        for (int i = 0; i < 5; i++)
            as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s", ids[i]), NULL);
    }
}

/* ---- what lists have, beside what looking at each file finds ---- */

enum { PEOPLE = 4, ITEMS = 150 };
static const char *const people[PEOPLE] = {ADA, BOB, CYD, EVE};
static const char *ids[ITEMS], *folders[ITEMS];
static int n_ids, n_folders;
static uint32_t dice;

static int below(int n)
{
    dice = dice * 1664525u + 1013904223u;
    return (int)((dice >> 8) % (uint32_t)n);
}

static const char *one_of(const char *const *list, int n)
{
    return n ? list[below(n)] : "root";
}
#define ONE_OF(list) one_of(list, (int)SOSIA_LEN(list))
#define TEXT(...)    arena_printf(&test_arena, __VA_ARGS__)
#define ALL_DRIVES   "supportsAllDrives=true"

static const char *const types[] = {TYPE("folder"),   "text/plain",
                                    "image/png",      "Image/PNG",
                                    TYPE("document"), "Application/vnd.google-apps.document"};
static const char *const names[] = {"a", "A", "report 10", "report 2", "\xC3\xA9"};

static void create(const char *who)
{
    const char *type = ONE_OF(types), *parent = below(3) ? one_of(folders, n_folders) : "root";
    const struct json *v = as(who, "POST", "/files?" ALL_DRIVES,
                              TEXT("{'name':'%s','mimeType':'%s','parents':['%s'],"
                                   "'modifiedTime':'2026-0%d-01T00:00:00Z'}",
                                   ONE_OF(names), type, parent, below(4) + 1));
    if (test_status != 200 || n_ids == ITEMS)
        return;
    ids[n_ids++] = text_at(v, "id");
    if (type == types[0])
        folders[n_folders++] = text_at(v, "id");
}

static void share(const char *who)
{
    static const char *const with[] = {"'type':'user','emailAddress':'bob@acme.example'",
                                       "'type':'user','emailAddress':'eve@other.example'",
                                       "'type':'group','emailAddress':'team@acme.example'",
                                       "'type':'domain','domain':'acme.example'",
                                       "'type':'anyone'"};
    as(who, "POST",
       TEXT("/files/%s/permissions?sendNotificationEmail=false&" ALL_DRIVES, one_of(ids, n_ids)),
       TEXT("{%s,'role':'%s'}", ONE_OF(with), below(2) ? "reader" : "writer"));
}

static void change(const char *who)
{
    static const char *const members[] = {"'trashed':true", "'trashed':false", "'starred':true",
                                          "'viewedByMeTime':'2026-05-01T00:00:00Z'", "'name':'a'"};
    as(who, "PATCH", TEXT("/files/%s?" ALL_DRIVES, one_of(ids, n_ids)),
       TEXT("{%s}", ONE_OF(members)));
}

static void move(const char *who)
{
    as(who, "PATCH",
       TEXT("/files/%s?" ALL_DRIVES "&enforceSingleParent=true&addParents=%s", one_of(ids, n_ids),
            one_of(folders, n_folders)),
       "{}");
}

static void give(const char *who)
{
    as(who, "POST", TEXT("/files/%s/permissions?transferOwnership=true", one_of(ids, n_ids)),
       TEXT("{'type':'user','role':'owner','emailAddress':'%s'}", ONE_OF(people)));
}

static void add_drive(const char *who)
{
    const struct json *v =
        as(who, "POST", TEXT("/drives?requestId=r%d", below(1 << 20)), "{'name':'SD'}");
    if (test_status == 200 && n_ids < ITEMS)
        folders[n_folders++] = ids[n_ids++] = text_at(v, "id");
}

static const char *term(void)
{
    static const char *const fixed[] = {"trashed = true",         "trashed = false",
                                        "'me' in owners",         "starred = true",
                                        "sharedWithMe",           "visibility = 'anyoneWithLink'",
                                        "visibility = 'limited'", "visibility = 'domainWithLink'"};
    switch (below(6)) {
    case 0:
        return TEXT("name = '%s'", ONE_OF(names));
    case 1:
        return TEXT("mimeType = '%s'", ONE_OF(types));
    case 2:
        return TEXT("'%s' in parents", one_of(folders, n_folders));
    case 3:
        return TEXT("'%s' in owners", ONE_OF(people));
    default:
        return ONE_OF(fixed);
    }
}

static const char *question(void)
{
    const char *q = term();
    for (int more = below(3); more; more--)
        q = TEXT("%s %s %s", q, below(4) ? "and" : "or", term());
    return q;
}

/* All ids of a list, in pages. */
static const char *whole_list(const char *who, const char *parameters, const char *q, int size)
{
    const char *all = "", *token = "";
    do {
        const struct json *v = as(who, "GET",
                                  TEXT("/files?%s&fields=nextPageToken,files(id)&pageSize=%d&"
                                       "pageToken=%s&q=%s",
                                       parameters, size, token, escaped(q)),
                                  NULL);
        if (test_status != 200)
            return TEXT("%d", test_status);
        for (size_t i = 0; i < count_at(v, "files"); i++)
            all = TEXT("%s %s", all, text_at(v, TEXT("files.%zu.id", i)));
        token = text_at(v, "nextPageToken");
    } while (token);
    return all;
}

/* Who is a guest is kept as items change hands. */
static int64_t wrong_guests(void)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from drive_mine m join drive_item i on i.id = m.item where "
                 "(i.owner is not m.actor) <> (m.guest is not null) and m.item > :none");
    int64_t n;
    begin();
    assert_int_equal(TX_INT(&tx, &q, &n, 0), 1);
    commit();
    return n;
}

static void compare(const char *who)
{
    static const char *const scopes[] = {
        "", "", "corpora=allDrives&includeItemsFromAllDrives=true&" ALL_DRIVES,
        "includeItemsFromAllDrives=true&" ALL_DRIVES, "corpora=domain"};
    static const char *const orders[] = {"",
                                         "",
                                         "modifiedTime%20desc",
                                         "modifiedTime",
                                         "name",
                                         "name%20desc",
                                         "folder,name",
                                         "folder%20desc,name",
                                         "folder,name%20desc",
                                         "folder,name_natural",
                                         "createdTime%20desc"};
    const char *q = question(), *order = ONE_OF(orders);
    const char *parameters = TEXT("%s&orderBy=%s", ONE_OF(scopes), order);
    const char *pages = whole_list(who, parameters, q, 3);
    /* Names come from an index where nothing more is to be sorted by. */
    const char *sorted = strstr(order, "name") && !strstr(order, "natural")
                             ? TEXT("%s,modifiedTime%%20desc", parameters)
                             : parameters;
    const char *slow = whole_list(who, sorted, TEXT("not not (%s)", q), 1000);
    const char *at_once = whole_list(who, parameters, q, 1000);
    if (strcmp(pages, slow) != 0 || strcmp(at_once, slow) != 0)
        fail_msg("%s, %s, %s: looking at each file finds%s, pages%s, one page%s", who, parameters,
                 q, slow, pages, at_once);
}

static void an_index_finds_what_looking_at_each_file_does(void **state)
{
    static void (*const calls[])(const char *who) = {create, create, create, share, share,
                                                     change, change, move,   give,  add_drive};
    (void)state;
    dice = 20261128;
    n_ids = n_folders = 0;
    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < 40; i++)
            calls[below(below(4) ? 9 : 10)](ONE_OF(people));
        for (int i = 0; i < 60; i++)
            compare(ONE_OF(people));
        assert_int_equal(wrong_guests(), 0);
    }
    assert_in_range(n_ids, 40, ITEMS);
}

/* What a shared drive has is nobody's own, and leaves it as somebody's. */
static void a_tree_that_changes_drives_is_anothers(void **state)
{
    const char *folder = make(ADA, "{'name':'f','mimeType':'" TYPE("folder") "'}");
    const char *file = make(ADA, TEXT("{'name':'a','parents':['%s']}", folder));
    (void)state;
    const char *drive = text_at(as(ADA, "POST", "/drives?requestId=r1", "{'name':'SD'}"), "id");
    begin();
    struct drive_item it, top;
    assert_int_equal(drive_item_by_key(&tx, folder, &it), 1);
    assert_int_equal(drive_item_by_key(&tx, drive, &top), 1);
    ok(drive_move(&tx, &it, &top, 0));
    ok(drive_item_save(&tx, &it));
    commit();
    as(ADA, "GET", TEXT("/files/%s?" ALL_DRIVES "&fields=driveId", file), NULL);
    assert_int_equal(test_status, 200);
    assert_int_equal(wrong_guests(), 0);
}

/* An imported file may say anything of whose items are. */
static void an_import_finds_out_who_is_a_guest(void **state)
{
    uint64_t imported, own = test_world;
    (void)state;
    make(ADA, "{'name':'a'}");
    assert_int_equal(test_import_changed("update drive_mine set guest = 1", &imported), 0);
    test_world = imported;
    int64_t wrong = wrong_guests();
    test_world = own;
    assert_int_equal(wrong, 0);
    assert_int_equal(sosia_world_drop(test_engine, imported, &err), 0);
}

/* The folder is Bob's, and so is what happens to it; the file in it is Ada's. */
static void what_happens_to_anothers_folder_counts_for_ones_file_in_it(void **state)
{
    static const char *const questions[] = {"trashed = true", "visibility = 'anyoneWithLink'"};
    const char *folder = make(BOB, "{'name':'f','mimeType':'" TYPE("folder") "'}");
    (void)state;
    as(BOB, "POST", TEXT("/files/%s/permissions?sendNotificationEmail=false", folder),
       "{'type':'user','role':'writer','emailAddress':'ada@acme.example'}");
    const char *inner =
        make(ADA, TEXT("{'name':'g','mimeType':'" TYPE("folder") "','parents':['%s']}", folder));
    const char *file = make(ADA, TEXT("{'name':'a','parents':['%s']}", inner));
    for (size_t i = 0; i < SOSIA_LEN(questions); i++)
        assert_string_equal(whole_list(ADA, "", questions[i], 100), "");
    as(BOB, "POST", TEXT("/files/%s/permissions", folder), "{'type':'anyone','role':'reader'}");
    as(BOB, "PATCH", TEXT("/files/%s", folder), "{'trashed':true}");
    assert_int_equal(test_status, 200);
    for (size_t i = 0; i < SOSIA_LEN(questions); i++) {
        const char *found = whole_list(ADA, "", questions[i], 100);
        if (!strstr(found, inner) || !strstr(found, file))
            fail_msg("%s: expected %s and %s, got%s", questions[i], inner, file, found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(a_page_takes_as_many_steps_whatever_the_drive_holds),
        gdrive_test(the_top_is_found_at_once_in_a_large_drive),
        gdrive_test(pages_in_the_order_of_times_are_parts_of_the_whole),
        gdrive_test(a_member_of_a_large_shared_drive_lists_as_quickly),
        gdrive_test(each_page_takes_as_many_steps),
        gdrive_test(a_place_in_an_order_outlives_what_was_there),
        gdrive_test(an_index_finds_what_looking_at_each_file_does),
        gdrive_test(a_tree_that_changes_drives_is_anothers),
        gdrive_test(an_import_finds_out_who_is_a_guest),
        gdrive_test(what_happens_to_anothers_folder_counts_for_ones_file_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
