/* SPDX-License-Identifier: Apache-2.0 */
/* The search language of files.list: a drive of fifteen files, and what each question finds. */
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include "services/drive/core/model.h"
#include "services/drive/core/find/words.h"
#include "tests/support/gdrive.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

#define APP_A 7001
#define DOC   "document"

struct file {
    const char *name, *mime, *text; /* of a document: Markdown */
    const char *description, *modified;
    int parent; /* number of a file; 0: the root */
};

/* In the order of their numbers. F8's folder comes after it, and is set later. */
static const struct file files[] = {
    {0},
    {"Projects", "folder", NULL, NULL, NULL, 0},
    {"Archive 2024", "folder", NULL, NULL, NULL, 1},
    {"Hello World plan", DOC, "The quarterly budget. Hello there world", "Q1 roadmap",
     "2026-01-10T12:00:00Z", 1},
    {"HelloWorld.pdf", "application/pdf", "Hello_world appendix", NULL, NULL, 0},
    {"Valentine's Day.jpg", "image/jpeg", NULL, NULL, "2025-02-14T09:30:00.250Z", 2},
    {"report_2025", "spreadsheet", NULL, NULL, "2026-01-31T23:59:59Z", -1},
    {"notes.txt", "text/plain", "hello important", NULL, NULL, 0},
    {"draft.txt", "text/plain", "", NULL, NULL, 0},
    {"Old", "folder", NULL, NULL, NULL, 0},
    {"Plan link", "shortcut", NULL, NULL, NULL, 0},
    {"clip.mp4", "video/mp4", NULL, NULL, NULL, 0},
    {"quinn's paper\\essay", "text/plain", "", NULL, NULL, 0},
    {"\xC3\x89lan Vital", DOC, NULL, NULL, NULL, 0},
    {"Stra\xC3\x9F"
     "e Plan",
     "presentation", NULL, NULL, NULL, 0},
    {"Budget 2026.xlsx", "application/octet-stream", NULL, NULL, NULL, 0},
};
enum { N_FILES = 15 };
static int64_t ids[N_FILES + 1];
static const char *keys[N_FILES + 1], *drive_key;

/* ---- the drive ---- */

static struct sosia_err err;

static void ok(int r)
{
    if (r < 0)
        fail_msg("%s: %s", err.reason ? err.reason : "", err.text);
}

static int64_t at(const char *text)
{
    struct stamp s;
    assert_int_equal(stamp_parse(text, strlen(text), false, &s), 0);
    return s.local_us;
}

static void give_content(struct tx *tx, struct drive_item *it, const struct file *f)
{
    struct document *d;
    enum document_kind kind;
    if (it->form == DRIVE_DOCUMENT && f->text && drive_document_kind(it->mime, &kind)) {
        ok(format_read(tx->arena, kind, FORMAT_MARKDOWN, f->text, strlen(f->text), "", &d, &err));
        ok(drive_document_put(tx, it, d));
    } else if (it->form == DRIVE_FILE && strcmp(it->mime, "application/pdf") != 0) {
        ok(drive_content_put(tx, it, f->text ? f->text : "x", f->text ? strlen(f->text) : 1));
    } else if (f->text) {
        it->index_text = f->text;
        ok(drive_item_save(tx, it));
    }
}

static void add_file(struct tx *tx, int n, const struct drive_item *root, int64_t owner)
{
    const struct file *f = &files[n];
    struct drive_item it = {
        .name = f->name, .mime = f->mime, .description = f->description, .size = -1};
    it.form = strchr(f->mime, '/')           ? DRIVE_FILE
              : !strcmp(f->mime, "folder")   ? DRIVE_FOLDER
              : !strcmp(f->mime, "shortcut") ? DRIVE_SHORTCUT
                                             : DRIVE_DOCUMENT;
    it.owner = it.modifier = owner;
    it.parent = f->parent < 0 ? 0 : f->parent ? ids[f->parent] : root->id;
    it.created_us = at("2025-01-01T00:00:00Z");
    it.modified_us = f->modified ? at(f->modified) : it.created_us;
    if (n == 10) {
        it.target = ids[3];
        it.target_key = keys[3];
        it.target_mime = DOC;
    }
    ok(drive_item_add(tx, &it));
    give_content(tx, &it, f);
    ids[n] = it.id;
    keys[n] = strdup(it.key);
}

static struct drive_item item(struct tx *tx, int n)
{
    struct drive_item it;
    assert_int_equal(drive_item_by_id(tx, ids[n], &it), 1);
    return it;
}

static void grant(struct tx *tx, int n, enum drive_grantee kind, const char *who,
                  enum drive_role role)
{
    struct drive_item it = item(tx, n);
    struct drive_grant g = {.kind = kind, .who = who, .role = role};
    ok(drive_grant_set(tx, &it, &g));
}

static void add_shared_drive(struct tx *tx)
{
    struct drive_item top = {
        .name = "SD1", .mime = "folder", .form = DRIVE_FOLDER, .top = DRIVE_SHARED, .size = -1};
    struct drive_grant g = {.kind = GRANT_PERSON, .who = ADA, .role = ROLE_ORGANIZER};
    ok(drive_item_add(tx, &top));
    top.drive = top.id;
    ok(drive_item_save(tx, &top));
    ok(drive_grant_set(tx, &top, &g));
    drive_key = strdup(top.key);
    add_file(tx, 15, &top, 0);
    struct drive_item it = item(tx, 15);
    it.drive = top.id;
    ok(drive_item_save(tx, &it));
}

static void fill(struct tx *tx)
{
    struct actor ada, bob;
    struct drive_item root, it;
    const struct drive_property mass = {"mass", "1.3kg"}, id = {"additionalID", "8e8"};
    assert_int_equal(actor_by_email(tx, ADA, &ada), 1);
    assert_int_equal(actor_by_email(tx, BOB, &bob), 1);
    assert_int_equal(drive_root(tx, ada.id, &root), 1);
    for (int n = 1; n < N_FILES; n++)
        add_file(tx, n, &root, n == 6 ? bob.id : ada.id);
    it = item(tx, 8);
    it.parent = ids[9];
    ok(drive_item_save(tx, &it));
    for (int n = 7; n <= 9; n += 2) {
        it = item(tx, n);
        it.flags |= DRIVE_TRASHED;
        it.trashed_us = tx->now_us;
        ok(drive_item_save(tx, &it));
    }
    grant(tx, 6, GRANT_PERSON, ADA, ROLE_WRITER);
    grant(tx, 11, GRANT_ANYONE, "", ROLE_READER);
    grant(tx, 14, GRANT_DOMAIN, "acme.example", ROLE_READER);
    grant(tx, 14, GRANT_GROUP, "team@acme.example", ROLE_READER);
    ok(drive_mine_save(tx, ids[1], ada.id, &(struct drive_mine){.starred = true}));
    ok(drive_mine_save(
        tx, ids[6], ada.id,
        &(struct drive_mine){.shared_us = at("2026-01-02T00:00:00Z"), .sharer = bob.id}));
    ok(drive_mine_save(tx, ids[11], ada.id,
                       &(struct drive_mine){.viewed_us = at("2026-01-05T00:00:00Z")}));
    ok(drive_property_set(tx, ids[5], 0, &mass));
    ok(drive_property_set(tx, ids[11], APP_A, &id));
    add_shared_drive(tx);
}

static int open_drive(void **state)
{
    struct worker *worker;
    struct world *world;
    struct tx tx;
    if (gdrive_open_world(state) < 0)
        return -1;
    worker = worker_take(test_engine, &err);
    world = world_take(test_engine, test_world, &err);
    assert_true(worker && world);
    ok(tx_begin(&tx, test_engine, world, worker, true, world_now(world), &err));
    fill(&tx);
    ok(tx_do_later(&tx));
    ok(tx_commit(&tx));
    world_drop(world);
    worker_drop(worker);
    return 0;
}

static int close_drive(void **state)
{
    for (int n = 1; n <= N_FILES; n++)
        free((void *)(uintptr_t)keys[n]);
    free((void *)(uintptr_t)drive_key);
    return gdrive_close_world(state);
}

/* ---- requests ---- */

/* @3 in a question is the id of F3, @D that of the shared drive. */
static const char *with_ids(const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (; *text; text++) {
        if (*text != '@' || !strchr("123456789D", text[1])) {
            buf_byte(&b, *text);
            continue;
        }
        char *end = (char *)(uintptr_t)text + 2;
        buf_puts(&b, text[1] == 'D' ? drive_key : keys[strtol(text + 1, &end, 10)]);
        text = end - 1;
    }
    const char *ret = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return ret;
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

/* "3 4 11": the numbers of the files of the last response, rising; "400 invalid q" of a refusal. */
static const char *found(const struct json *answer)
{
    struct buf b;
    bool there[N_FILES + 1] = {false};
    buf_init(&b, 0);
    if (test_status != 200) {
        const struct json *e = json_get(json_get(answer, "error"), "errors");
        const char *where = e ? json_get_str(&e->items[0], "location") : NULL;
        buf_printf(&b, "%d %s%s%s", test_status, e ? json_get_str(&e->items[0], "reason") : "?",
                   where ? " " : "", where ? where : "");
    } else {
        const struct json *list = json_get(answer, "files");
        for (uint32_t i = 0; i < list->n; i++)
            for (int n = 1; n <= N_FILES; n++)
                if (!strcmp(json_get_str(&list->items[i], "id"), keys[n])) {
                    assert_false(there[n]);
                    there[n] = true;
                }
        for (int n = 1; n <= N_FILES; n++)
            if (there[n])
                buf_printf(&b, "%s%d", b.len ? " " : "", n);
    }
    const char *ret = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return ret;
}

static const char *list(const char *parameters)
{
    return found(
        as(ADA, "GET", arena_printf(&test_arena, "/files?%s", with_ids(parameters)), NULL));
}

static const char *search(const char *q)
{
    return list(arena_printf(&test_arena, "q=%s", escaped(with_ids(q))));
}

struct question {
    const char *q, *expected;
};

static void expect(const char *q, const char *expected)
{
    const char *got = search(q);
    if (strcmp(got, expected) != 0)
        fail_msg("%s: expected %s, got %s", q, expected, got);
}

/* Twice denied nothing narrows a question: each file is looked at, and the same must be found. */
static void look(const struct question *questions, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *q = questions[i].q;
        expect(q, questions[i].expected);
        if (test_status == 200 && q[strspn(q, " ")])
            expect(arena_printf(&test_arena, "not not (%s)", q), questions[i].expected);
    }
}
#define LOOK(...)                                                                                  \
    do {                                                                                           \
        static const struct question questions[] = {__VA_ARGS__};                                  \
        (void)state;                                                                               \
        look(questions, SOSIA_LEN(questions));                                                     \
    } while (0)

#define ALL "1 2 3 4 5 6 7 8 9 10 11 12 13 14"
#define BAD "400 invalid q"

static void names_are_compared_whole_or_by_the_beginnings_of_words(void **state)
{
    LOOK({"name = 'notes.txt'", "7"}, {"name='notes.txt'", "7"}, {"name = 'Hello World'", ""},
         {"name = '\xC3\x89LAN VITAL'", "13"}, {"name contains '\xC3\xA9lan'", "13"},
         {"name contains 'elan'", ""}, {"name contains 'hello'", "3 4"},
         {"name contains 'World'", "3"}, {"name contains 'hello' and name contains 'plan'", "3"},
         {"not name contains 'hello'", "1 2 5 6 7 8 9 10 11 12 13 14"},
         {"name = 'Valentine\\'s Day.jpg'", "5"}, {"name = 'Valentine's Day.jpg'", BAD},
         {"name = \"notes.txt\"", "7"}, {"name in 'notes.txt'", BAD},
         {"name = 'quinn\\'s paper\\\\essay'", "12"},
         {"name != 'notes.txt' and name contains 'no'", ""}, {"NAME CONTAINS 'Plan'", "3 10 14"},
         {"name contains 'stra\xC3\x9F'", "14"}, {"name contains 'strasse'", ""},
         {"name contains 'pla hel'", "3"}, {"name contains 'PLAN'", "3 10 14"},
         {"name = 'NOTES.TXT'", "7"});
}

static void what_is_no_question_is_refused(void **state)
{
    LOOK({"name >= 'a'", "500 internalError"}, {"id > 'F3'", BAD}, {"fullText = 'budget'", BAD},
         {"modifiedTime > createdTime", BAD}, {"parents = '@1'", BAD},
         {"properties has { key='mass' }", BAD}, {"name contains 'plan' and", BAD}, {"name", BAD},
         {"name =", BAD}, {"= 'a'", BAD}, {"name = 'a", BAD}, {"(name = 'a'", BAD},
         {"name = 'a')", BAD}, {"title = 'a'", BAD}, {"name = 'a' name = 'b'", BAD},
         {"trashed = 'true'", BAD}, {"trashed contains true", BAD}, {"trashed", BAD},
         {"visibility = 'nobody'", BAD}, {"modifiedTime > 'yesterday'", BAD},
         {"modifiedTime contains '2025'", BAD}, {"mimeType in 'a'", BAD}, {"'a' in names", BAD},
         {"'me' owners", BAD}, {"name ! 'a'", BAD}, {"name = 'a' & name = 'b'", BAD}, {"not", BAD},
         {"'nobody' in parents", "404 notFound fileId"}, {"owners = 'me'", BAD},
         {"name like 'a'", BAD}, {"name = 'a'; drop table drive_item", BAD});
}

static void full_text_is_of_whole_words_and_phrases(void **state)
{
    LOOK({"fullText contains 'Hell'", ""}, {"fullText contains 'roadmap'", "3"},
         {"fullText contains '\"there hello\"'", ""},
         {"fullText contains '\"world appendix\"'", "4"},
         {"not fullText contains 'budget'", "1 2 4 5 6 7 8 9 10 11 12 13 14"},
         {"fullText contains 'hello'", "3 4 7"}, {"fullText contains 'world hello'", "3 4"},
         {"fullText contains '\"hello there\"'", "3"},
         {"fullText contains 'important' and trashed = false", ""},
         {"fullText contains 'projects'", "1"}, {"fullText contains 'x' or name = 'Old'", "9"});
}

static void types_times_and_flags_are_compared(void **state)
{
    LOOK({"mimeType = 'application/vnd.google-apps.folder'", "1 2 9"},
         {"mimeType != 'application/vnd.google-apps.folder' and trashed = false",
          "3 4 5 6 10 11 12 13 14"},
         {"modifiedTime > '2026-01-10T12:00:00'", "6"},
         {"modifiedTime >= '2026-01-10T12:00:00Z'", "3 6"},
         {"modifiedTime > '2025-02-14T01:30:00-08:00' and modifiedTime < '2026-01-01T00:00:00'",
          "5"},
         {"viewedByMeTime > '2026-01-01T00:00:00'", "11"},
         {"modifiedTime > '2012-06-04T12:00:00' and (mimeType contains 'image/' or mimeType "
          "contains 'video/')",
          "5 11"},
         {"trashed != true and starred = true", "1"},
         {"not trashed = true and mimeType = 'application/vnd.google-apps.folder'", "1 2"},
         {"modifiedTime = '2025-02-14T09:30:00.250Z'", "5"}, {"modifiedTime >= '2026-01-31'", "6"},
         {"createdTime < '2025-01-01T00:00:00Z'", ""}, {"trashed = true", "7 8 9"},
         {"starred != true and trashed = true", "7 8 9"},
         {"sharedWithMeTime > '2026-01-01T00:00:00'", "6"}, {"mimeType contains 'text'", "7 8 12"},
         {"TRASHED = TRUE", "7 8 9"});
}

static void folders_people_and_shares_are_asked_for(void **state)
{
    LOOK({"'@1' in parents", "2 3"},
         {"'root' in parents and trashed = false", "1 4 10 11 12 13 14"},
         {"not '@1' in parents", "1 4 5 6 7 8 9 10 11 12 13 14"}, {"'" BOB "' in owners", "6"},
         {"'team@acme.example' in readers", "14"}, {"sharedWithMe", "6"},
         {"sharedWithMe = true and name contains 'report'", "6"},
         {"appProperties has { key='additionalID' and value='8e8' }", ""},
         {"properties has { key='mass' and value='1.3kg' }", "5"},
         {"properties has {key = 'mass' AND value = '1.3'}", ""},
         {"visibility != 'limited'", "11 14"}, {"visibility = 'anyoneWithLink'", "11"},
         {"visibility = 'domainWithLink'", "14"}, {"shortcutDetails.targetId = '@3'", "10"},
         {"shortcutDetails.targetMimeType = 'application/vnd.google-apps.document'", "10"},
         {"'me' in owners and starred = true", "1"}, {"'me' in writers and sharedWithMe", "6"},
         {"'" ADA "' in writers and name contains 'report'", "6"}, {"'" BOB "' in writers", "6"},
         {"'a@acme.example' in owners and name contains 'plan'", "3 10 14"},
         {"not sharedWithMe and trashed = true", "7 8 9"}, {"'eve@other.example' in readers", ""});
}

static void and_and_or_go_from_left_to_right(void **state)
{
    LOOK(
        {"name contains 'plan' or name contains 'clip' and mimeType = 'video/mp4'", "11"},
        {"name contains 'plan' or (name contains 'clip' and mimeType = 'video/mp4')", "3 10 11 14"},
        {"(name contains 'plan' or name contains 'clip') and mimeType = 'video/mp4'", "11"},
        {"not (trashed = true or trashed = false)", ""}, {"not not starred = true", "1"}, {"", ALL},
        {"   ", ALL}, {"((((name = 'Old'))))", "9"},
        {"name = 'Old' OR name = 'notes.txt' Or name = 'Projects'", "1 7 9"});
}

static void flags_corpora_and_orders_are_checked_in_the_service_s_order(void **state)
{
    (void)state;
    assert_string_equal(search("name contains 'Budget'"), "");
#define EVERY "includeItemsFromAllDrives=true&supportsAllDrives=true"
    assert_string_equal(list(EVERY "&corpora=drive&driveId=@D&q=name%20contains%20'Budget'"), "15");
    assert_string_equal(list(EVERY "&corpora=allDrives&q=name%20contains%20'Budget'"), "15");
    assert_string_equal(list(EVERY "&q=name%20contains%20'Budget'"), "15");
    assert_string_equal(list("includeItemsFromAllDrives=true"), "403 supportsTeamDrivesRequired");
    assert_string_equal(list("includeItemsFromAllDrives=true&supportsAllDrives=1"),
                        "403 supportsTeamDrivesRequired");
    assert_string_equal(list("orderBy=name,name_natural"), "403 orderByContainsDuplicateSortKeys");
    assert_string_equal(list("orderBy=shoe"), "400 invalid orderBy");
    assert_string_equal(list("orderBy=name%20asc,,folder%20DESC"), ALL);
    assert_string_equal(list("orderBy=name,starred"), "500 internalError");
    assert_string_equal(list("orderBy=starred,name"), ALL);
    assert_string_equal(list("pageSize=0"), "400 invalidParameter page_size");
    assert_string_equal(list("pageSize=1001&orderBy=shoe"), "400 invalidParameter page_size");
    assert_string_equal(list("pageSize=NOPE"), "400 invalid");
    assert_string_equal(list("orderBy=modifiedTime&q=fullText%20contains%20'x'"),
                        "403 forbidden orderBy");
    assert_string_equal(list("orderBy=shoe&q=bad"), "400 invalid orderBy");
    assert_string_equal(list("includeItemsFromAllDrives=true&q=bad"),
                        "403 supportsTeamDrivesRequired");
    assert_string_equal(list("pageToken=nonsense"), "400 invalid pageToken");
    assert_string_equal(list("pageToken=nonsense&q=bad"), "400 invalid q");
    assert_string_equal(list("pageToken="), ALL);
    assert_string_equal(list("corpora=drive"), "400 invalid driveId");
    assert_string_equal(list("driveId=@D"), "400 invalid driveId");
    assert_string_equal(list(EVERY "&corpora=drive&driveId=@1"), "404 notFound driveId");
    assert_string_equal(list("corpora=shoe"), "400 invalid corpora");
    assert_string_equal(list("spaces=appDataFolder"), "");
    assert_string_equal(list("spaces=shoe"), "400 invalid spaces");
}

/* The numbers of a list in its order, over pages of two. */
static const char *in_order(const char *parameters)
{
    const char *token = "", *out = "";
    do {
        const struct json *a =
            as(ADA, "GET",
               arena_printf(&test_arena, "/files?pageSize=2&%s&pageToken=%s", parameters, token),
               NULL);
        assert_int_equal(test_status, 200);
        const struct json *files_of = json_get(a, "files");
        token = json_get_str(a, "nextPageToken");
        assert_true(files_of->n == 2 || !token);
        for (uint32_t i = 0; i < files_of->n; i++)
            for (int n = 1; n <= N_FILES; n++)
                if (!strcmp(json_get_str(&files_of->items[i], "id"), keys[n]))
                    out = arena_printf(&test_arena, "%s%s%d", out, *out ? " " : "", n);
    } while (token);
    return out;
}

static void lists_have_an_order_that_pages_keep(void **state)
{
    (void)state;
    assert_string_equal(in_order("q="), "6 3 5 1 2 4 7 8 9 10 11 12 13 14");
    assert_string_equal(in_order("q='root'%20in%20parents"), "1 4 7 9 10 11 12 13 14");
    assert_string_equal(in_order("orderBy=modifiedTime"), "1 2 4 7 8 9 10 11 12 13 14 5 3 6");
    assert_string_equal(in_order("orderBy=folder,name"), "2 9 1 11 8 13 3 4 7 10 12 6 14 5");
    assert_string_equal(in_order("orderBy=name%20desc"), "5 14 6 12 1 10 9 7 4 3 13 8 11 2");
    assert_string_equal(in_order("orderBy=starred,modifiedTime%20desc"),
                        "1 6 3 5 2 4 7 8 9 10 11 12 13 14");
    assert_string_equal(in_order("orderBy=recency%20desc"), "6 3 11 5 1 2 4 7 8 9 10 12 13 14");
    assert_string_equal(in_order("q=fullText%20contains%20'hello'"), "3 4 7");
}

static void others_see_what_they_may(void **state)
{
    (void)state;
    assert_string_equal(found(as(BOB, "GET", "/files", NULL)), "6 14");
    assert_string_equal(found(as(EVE, "GET", "/files", NULL)), "");
    assert_string_equal(found(as(EVE, "GET", "/files?q=fullText%20contains%20'hello'", NULL)), "");
    assert_string_equal(found(as(BOB, "GET", "/files?corpora=domain", NULL)), "");
    assert_string_equal(found(as(BOB, "GET", with_ids("/files?q='@1'%20in%20parents"), NULL)),
                        "404 notFound fileId");
}

static void a_page_token_is_of_its_own_question(void **state)
{
    (void)state;
    const char *token = json_get_str(as(ADA, "GET", "/files?pageSize=2", NULL), "nextPageToken");
    assert_non_null(token);
    assert_string_equal(list(arena_printf(&test_arena, "pageSize=1&pageToken=%s", token)), "5");
    assert_string_equal(list(arena_printf(&test_arena, "orderBy=name&pageToken=%s", token)),
                        "400 invalid pageToken");
}

/* The third letters of Cyd's files that are named "zz ...", by name, in pages of so many. */
static const char *letters_by_name(int size)
{
    const char *seen = "", *token = NULL;
    for (int page = 0; page < 12 && (page == 0 || token); page++) {
        const struct json *v =
            as(CYD, "GET",
               arena_printf(&test_arena, "/files?orderBy=name&pageSize=%d&fields=*%s%s", size,
                            token ? "&pageToken=" : "", token ? token : ""),
               NULL);
        const struct json *listed = json_get(v, "files");
        for (uint32_t i = 0; i < listed->n; i++) {
            const char *name = json_get_str(&listed->items[i], "name");
            if (strncmp(name, "zz ", 3) == 0)
                seen = arena_printf(&test_arena, "%s%c", seen, name[3]);
        }
        token = json_get_str(v, "nextPageToken");
    }
    return seen;
}

/* A name that a token has no room for. */
static void a_list_by_name_goes_on_behind_a_very_long_one(void **state)
{
    char longest[3001];
    (void)state;
    memset(longest, 'b', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    for (const char *c = "abcde"; *c; c++)
        make(CYD, arena_printf(&test_arena, "{'name':'zz %c%s'}", *c, *c == 'b' ? longest : ""));
    for (int size = 1; size <= 4; size++)
        assert_string_equal(letters_by_name(size), "abcde");
}

static void a_changed_name_and_content_are_found(void **state)
{
    (void)state;
    assert_string_equal(search("name contains 'renamed'"), "");
    as(ADA, "PATCH", with_ids("/files/@7"), "{'name':'renamed.txt'}");
    if (test_status == 404 || test_status == 405)
        skip();
    assert_string_equal(search("name contains 'renamed'"), "7");
    assert_string_equal(search("name contains 'notes'"), "");
    assert_string_equal(search("fullText contains 'important'"), "7");
}

/* Chinese has no spaces: each letter begins a word, and so does what is behind one. Korean has. */
static void words_of_names_begin_as_their_script_has_them(void **state)
{
    as(ADA, "PATCH", with_ids("/files/@7"), "{'name':'\xE4\xBC\x9A\xE8\xAE\xAE\xE7\xBA\xAAnotes'}");
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", with_ids("/files/@8"),
       "{'name':'\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4 \xED\x9A\x8C\xEC\x9D\x98\xEB\xA1\x9D'}");
    assert_int_equal(test_status, 200);
    LOOK({"name contains '\xE8\xAE\xAE\xE7\xBA\xAA'", "7"},
         {"name contains '\xE4\xBC\x9A\xE7\xBA\xAA'", ""}, {"name contains 'notes'", "7"},
         {"name contains 'otes'", ""}, {"name contains '\xE7\xBA\xAAno'", "7"},
         {"name contains '\xED\x9A\x8C\xEC\x9D\x98'", "8"},
         {"name contains '\xEC\x9D\x98\xEB\xA1\x9D'", ""}, {"name contains '\xED\x95\x9C'", "8"});
}

static void an_imported_world_is_searched_too(void **state)
{
    (void)state;
    assert_int_equal(test_import_changed(NULL, &test_world), 0);
    assert_string_equal(search("fullText contains 'hello'"), "3 4 7");
    assert_string_equal(search("name contains 'pla'"), "3 10 14");
}

static void labels_are_asked_for(void **state)
{
    struct worker *worker = worker_take(test_engine, &err);
    struct world *world = world_take(test_engine, test_world, &err);
    struct tx tx;
    (void)state;
    assert_true(worker && world);
    ok(tx_begin(&tx, test_engine, world, worker, true, world_now(world), &err));
    ok(sql_exec(tx.db,
                arena_printf(
                    &test_arena,
                    "insert into gdrive_label (id, key, revision, name, definition) values "
                    "(1, 'Lab', '1', 'Status', '{\"fields\":["
                    "{\"id\":\"state\",\"type\":\"selection\",\"many\":true},"
                    "{\"id\":\"note\",\"type\":\"text\"},{\"id\":\"long\",\"type\":\"longText\"},"
                    "{\"id\":\"cost\",\"type\":\"integer\"},{\"id\":\"one\",\"type\":\"user\"}]}');"
                    "insert into gdrive_labelled (item, label, content) values (%lld, 1, "
                    "'{\"state\":[\"done\",\"late\"],\"note\":[\"Late one\"],"
                    "\"cost\":[\"12\"]}'), (%lld, 1, '{}')",
                    (long long)ids[3], (long long)ids[4]),
                &err));
    ok(tx_commit(&tx));
    world_drop(world);
    worker_drop(worker);
    LOOK({"'labels/Lab' in labels", "3 4"}, {"'labels/None' in labels", BAD},
         {"labels/Lab.state is null", "4"}, {"labels/Lab.state is not null", "3"},
         {"'late' in labels/Lab.state", "3"},
         {"not 'late' in labels/Lab.state and 'labels/Lab' in labels", "4"},
         {"'late' not in labels/Lab.state and 'labels/Lab' in labels", "4"},
         {"labels/Lab.note starts with 'LA'", "3"}, {"labels/Lab.note contains 'ONE'", "3"},
         {"labels/Lab.note = 'Late one'", "3"}, {"labels/Lab.cost > 9", "3"},
         {"labels/Lab.cost < 9", ""}, {"labels/Lab.cost != 12 and 'labels/Lab' in labels", "4"});
    LOOK({"labels/Lab.state", BAD}, {"labels/Lab = 'x'", BAD}, {"labels/Lab.state = 'done'", BAD},
         {"labels/Lab.note != 'x'", BAD}, {"labels/Lab.note < 'x'", BAD},
         {"labels/Lab.long = 'x'", BAD}, {"labels/Lab.cost contains '1'", BAD},
         {"labels/Lab.one starts with 'x'", BAD}, {"'12' in labels/Lab.cost", BAD},
         {"labels/Lab.none = 'x'", BAD}, {"labels/None.state is null", BAD});
}

enum { COMMON = 4200, PAGE = 1000 }; /* more than are taken from the index */

/* Names with a word that all have and one that every third has, in shuffled order of change. */
static void add_common(void)
{
    struct worker *worker = worker_take(test_engine, &err);
    struct world *world = world_take(test_engine, test_world, &err);
    struct drive_item root;
    struct actor ada;
    struct tx tx;
    assert_true(worker && world);
    ok(tx_begin(&tx, test_engine, world, worker, true, world_now(world), &err));
    assert_int_equal(actor_by_email(&tx, ADA, &ada), 1);
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    for (int i = 0; i < COMMON; i++) {
        struct drive_item it = {
            .owner = ada.id,
            .modifier = ada.id,
            .parent = root.id,
            .size = -1,
            .mime = "text/x-common",
            .name = arena_printf(tx.arena, "common %s %d", i % 3 ? "two" : "three", i),
            .created_us = 1 + (int64_t)(i * 7919 % COMMON) * 1000000,
        };
        ok(drive_item_add(&tx, &it));
    }
    tx.events = tx.last_event = NULL;
    ok(tx_do_later(&tx));
    ok(tx_commit(&tx));
    world_drop(world);
    worker_drop(worker);
}

/* How many a question finds over all pages, which are in the usual order. */
static size_t count(const char *q)
{
    const char *token = "", *last = "~";
    size_t n = 0;
    do {
        const struct json *a =
            as(ADA, "GET",
               arena_printf(&test_arena,
                            "/files?pageSize=%d&q=%s&pageToken=%s&fields=nextPageToken,files("
                            "modifiedTime)",
                            PAGE, escaped(q), token),
               NULL);
        assert_int_equal(test_status, 200);
        const struct json *list = json_get(a, "files");
        token = json_get_str(a, "nextPageToken");
        for (uint32_t i = 0; i < list->n; i++, n++) {
            const char *time = json_get_str(&list->items[i], "modifiedTime");
            assert_true(strcmp(time, last) <= 0);
            last = time;
        }
    } while (token);
    return n;
}

static void what_is_too_common_for_the_index_is_found_all_the_same(void **state)
{
    (void)state;
    add_common();
    assert_int_equal(count("name contains 'comm'"), COMMON);
    assert_int_equal(count("name contains 'common three'"), COMMON / 3);
    assert_int_equal(count("name contains 'common' and name contains 'thr'"), COMMON / 3);
    assert_int_equal(count("not name contains 'two' and mimeType = 'text/x-common'"), COMMON / 3);
    assert_int_equal(count("name contains 'common' or name contains 'three'"), COMMON);
    assert_int_equal(count("fullText contains 'common' and name contains 'comm'"), COMMON);
}

/* The index's results for words, and those of matching each item by itself. */
static void each_item_says_what_the_index_says(void **state)
{
    static const char *const texts[] = {"hello",
                                        "world",
                                        "hello important",
                                        "roadmap",
                                        "\"hello there\"",
                                        "\"there hello\"",
                                        "budget",
                                        "essay",
                                        "\"Hello world\"",
                                        "HELLO",
                                        "plan",
                                        "nothing"};
    struct worker *worker = worker_take(test_engine, &err);
    struct world *world = world_take(test_engine, test_world, &err);
    size_t n, found = 0;
    int64_t *list;
    struct tx tx;
    (void)state;
    assert_true(worker && world);
    ok(tx_begin(&tx, test_engine, world, worker, true, world_now(world), &err));
    for (size_t t = 0; t < SOSIA_LEN(texts); t++) {
        ok(drive_index_find(&tx, texts[t], 0, &list, &n));
        for (int i = 1; i <= N_FILES; i++) {
            bool listed = false;
            for (size_t k = 0; k < n; k++)
                listed = listed || list[k] == ids[i];
            found += listed;
            assert_int_equal(drive_index_has(&tx, texts[t], ids[i]), listed);
        }
    }
    assert_true(found > 8);
    tx_rollback(&tx);
    world_drop(world);
    worker_drop(worker);
}

static void hostile_questions_end(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    for (int i = 0; i < 3000; i++)
        buf_puts(&b, "(");
    assert_string_equal(search(buf_str(&b)), BAD);
    buf_clear(&b);
    for (int i = 0; i < 300; i++)
        buf_puts(&b, "not ");
    assert_string_equal(search(buf_str(&b)), BAD);
    buf_clear(&b);
    for (int i = 0; i < 50; i++)
        buf_printf(&b, "%s'@%d' in parents", i ? " or " : "", i % 2 ? 1 : 2);
    assert_string_equal(search(buf_str(&b)), "2 3 5");
    buf_done(&b);
    assert_string_equal(search("name contains '\" OR name:*'"), "");
    assert_string_equal(search("fullText contains '\"'"), ALL);
    assert_string_equal(search("fullText contains '* NEAR('"), "");
}

#define search_test(f) cmocka_unit_test_setup_teardown(f, open_drive, close_drive)

int main(void)
{
    const struct CMUnitTest tests[] = {
        search_test(names_are_compared_whole_or_by_the_beginnings_of_words),
        search_test(what_is_no_question_is_refused),
        search_test(full_text_is_of_whole_words_and_phrases),
        search_test(types_times_and_flags_are_compared),
        search_test(folders_people_and_shares_are_asked_for),
        search_test(and_and_or_go_from_left_to_right),
        search_test(flags_corpora_and_orders_are_checked_in_the_service_s_order),
        search_test(lists_have_an_order_that_pages_keep),
        search_test(others_see_what_they_may),
        search_test(a_page_token_is_of_its_own_question),
        search_test(a_list_by_name_goes_on_behind_a_very_long_one),
        search_test(a_changed_name_and_content_are_found),
        search_test(words_of_names_begin_as_their_script_has_them),
        search_test(an_imported_world_is_searched_too),
        search_test(labels_are_asked_for),
        search_test(what_is_too_common_for_the_index_is_found_all_the_same),
        search_test(each_item_says_what_the_index_says),
        search_test(hostile_questions_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
