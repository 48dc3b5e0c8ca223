/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and the index of words at their ends: positions that are wrong, that are of what has gone,
 * or of names that are long; more items than it pays to take and sort; texts that are long or no
 * texts; and what the index has after each change.
 */
#include "engine/world/engine.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/document/format.h"
#include "services/drive/core/find/words.h"
#include "services/drive/core/found.h"
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
                               .space = folder->space,
                               .form = strcmp(mime, "folder") == 0 ? DRIVE_FOLDER : DRIVE_FILE,
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

static struct drive_item add_at(const struct drive_item *folder, const char *name, int64_t at)
{
    struct drive_item it = item(folder, name, "text/plain");
    it.modified_us = at;
    ok(drive_item_add(&tx, &it));
    return it;
}

static struct drive_item again(const struct drive_item *it)
{
    struct drive_item now;
    assert_int_equal(drive_item_by_id(&tx, it->id, &now), 1);
    return now;
}

static void commit(void)
{
    end();
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
}

/* The names of a page, and the position behind it. */
static const char *page(struct drive_finder *f, size_t limit, const char **position)
{
    struct drive_item *items;
    struct drive_access *access;
    const char *text = "";
    size_t n;
    ok(drive_find(f, *position, limit, &items, &access, &n, position));
    assert_in_range(n, 0, limit);
    for (size_t i = 0; i < n; i++)
        text = arena_printf(tx.arena, "%s%s%.40s", text, i ? " " : "", items[i].name);
    return text;
}

static const char *whole(struct find *q)
{
    struct drive_viewer v;
    const char *position = NULL;
    drive_viewer(&tx, &ada, &v);
    struct drive_finder f = finder_of(&v, q);
    return page(&f, 100, &position);
}

/* ---- positions ---- */

static void a_position_of_another_list_is_refused(void **state)
{
    static const struct find_order by[][2] = {
        {{ORDER_MODIFIED, true}},
        {{ORDER_NAME, false}},
        {{ORDER_FOLDER, false}, {ORDER_NAME, false}},
        {{ORDER_MODIFIED, false}, {ORDER_NAME, true}},
        {{ORDER_SIZE, false}, {ORDER_STARRED, false}},
    };
    static const char *const usual[] = {"", "x", "m", "m1", "m1.", "o1.1 a", "i1", "1.1"},
                             *const others[] = {"",   "x",      "m1.1",       "o",
                                                "o1", "o1.1 a", "o1.1.1.1.1", "ix"};
    struct find narrow = {.kind = FIND_NAME_HAS, .text = "a"};
    (void)state;
    add(&root, "a", "text/plain");
    for (size_t i = 0; i < SOSIA_LEN(by); i++)
        for (int with = 0; with < 2; with++)
            for (size_t k = 0; k < SOSIA_LEN(usual); k++) {
                struct drive_viewer v;
                struct drive_item *items;
                struct drive_access *access;
                const char *position = i ? others[k] : usual[k];
                size_t n;
                drive_viewer(&tx, &ada, &v);
                struct drive_finder f = finder_of(&v, with ? &narrow : NULL);
                f.order = by[i];
                f.n_order = i < 2 ? 1 : 2;
                refused(drive_find(&f, position, 5, &items, &access, &n, &position), "position");
                position = "i0"; /* how many were before, as lists of long names have it */
                if (i)
                    assert_string_equal(page(&f, 5, &position), "a");
            }
}

/* A page goes on behind the last item of the one before, whatever became of it meanwhile. */
static void a_position_holds_when_its_item_has_gone(void **state)
{
    static const struct find_order by[][2] = {
        {{ORDER_MODIFIED, true}},
        {{ORDER_NAME, false}},
        {{ORDER_NAME, true}},
        {{ORDER_FOLDER, true}, {ORDER_NAME, false}},
        {{ORDER_MODIFIED, false}, {ORDER_NAME, true}},
        {{ORDER_NAME_NATURAL, false}},
    };
    static const char *const rest[] = {"c b a", "d e f", "c b a", "d e f", "d e f", "d e f"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(by); i++) {
        struct drive_item folder = add(&root, "all", "folder"), third = {0};
        struct drive_viewer v;
        struct find in = {.kind = FIND_PARENT, .id = folder.id};
        const char *position = NULL;
        for (int k = 0; k < 6; k++) {
            bool falls = i == 0 || i == 2;
            struct drive_item it = add_at(&folder, arena_printf(tx.arena, "%c", 'a' + k),
                                          tx.now_us - 60000000 + k * 1000000);
            if (k == (falls ? 3 : 2))
                third = it;
        }
        drive_viewer(&tx, &ada, &v);
        struct drive_finder f = finder_of(&v, &in);
        f.order = by[i];
        f.n_order = by[i][1].key == ORDER_NAME ? 2 : 1;
        page(&f, 3, &position);
        ok(drive_delete(&tx, &third));
        drive_viewer(&tx, &ada, &v);
        const char *is = page(&f, 2, &position);
        assert_non_null(position);
        assert_memory_equal(is, rest[i], 3);
        assert_string_equal(page(&f, 2, &position), rest[i] + 4);
        assert_null(position);
        ok(drive_delete(&tx, &folder));
    }
}

/* Pages are full until the last one, which says that it is. */
static void a_page_that_is_the_whole_list_has_no_position(void **state)
{
    static const struct find_order by[][2] = {
        {{ORDER_MODIFIED, true}},
        {{ORDER_NAME, false}},
        {{ORDER_MODIFIED, false}, {ORDER_NAME, false}},
        {{ORDER_CREATED, false}},
    };
    struct drive_item folder = add(&root, "all", "folder");
    struct find in = {.kind = FIND_PARENT, .id = folder.id},
                text = {.kind = FIND_TEXT, .text = "note"};
    (void)state;
    for (int i = 0; i < 65; i++)
        add_at(&folder, arena_printf(tx.arena, "note %02d", i), tx.now_us - i);
    for (size_t i = 0; i < SOSIA_LEN(by); i++)
        for (int how = 0; how < 2; how++)
            for (size_t limit = 63; limit < 67; limit++) {
                struct drive_viewer v;
                struct drive_item *items;
                struct drive_access *access;
                const char *position = NULL;
                size_t n;
                drive_viewer(&tx, &ada, &v);
                struct drive_finder f = finder_of(&v, how ? &text : &in);
                f.order = by[i];
                f.n_order = i == 2 ? 2 : 1;
                ok(drive_find(&f, NULL, limit, &items, &access, &n, &position));
                assert_int_equal(n, limit < 65 ? limit : 65);
                assert_int_equal(position != NULL, limit < 65);
                if (!position)
                    continue;
                ok(drive_find(&f, position, limit, &items, &access, &n, &position));
                assert_int_equal(n, 65 - limit);
                assert_null(position);
            }
}

/* Names that are too long for a position: it is how many were before then. */
static void a_list_of_long_names_has_all_of_them(void **state)
{
    enum { LONG = 2050, N = 9 };
    struct drive_item folder = add(&root, "all", "folder");
    struct find in = {.kind = FIND_PARENT, .id = folder.id};
    (void)state;
    for (int i = 0; i < N; i++) {
        /* of 2048 bytes, one less and one more, and much more */
        int n = i < 6 ? 2047 + i % 3 : LONG + i;
        char *name = arena_calloc(tx.arena, 1, LONG + N + 1);
        memset(name, 'x', (size_t)n);
        name[0] = (char)('a' + i);
        add(&folder, name, i == 4 ? "folder" : "text/plain");
    }
    for (size_t limit = 1; limit < 5; limit++)
        for (int how = 0; how < 4; how++) {
            const struct find_order by[] = {{how & 1 ? ORDER_NAME : ORDER_FOLDER, how & 2},
                                            {ORDER_NAME, how & 2}};
            struct drive_viewer v;
            const char *position = NULL, *text = "";
            drive_viewer(&tx, &ada, &v);
            struct drive_finder f = finder_of(&v, &in);
            f.order = by;
            f.n_order = how & 1 ? 1 : 2;
            do {
                struct drive_item *items;
                struct drive_access *access;
                size_t n;
                ok(drive_find(&f, position, limit, &items, &access, &n, &position));
                for (size_t i = 0; i < n; i++)
                    text = arena_printf(tx.arena, "%s%c", text, items[i].name[0]);
            } while (position);
            static const char *const all[] = {"eabcdfghi", "abcdefghi", "ihgfdcbae", "ihgfedcba"};
            assert_string_equal(text, all[how]);
        }
}

/* ---- questions at their ends ---- */

static void a_name_without_words_has_none(void **state)
{
    static const char *const texts[] = {"", " ", "-", "- _", "\t"};
    (void)state;
    add(&root, "-", "text/plain");
    add(&root, "a", "text/plain");
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        struct find q = {.kind = FIND_NAME_HAS, .text = texts[i]}, none = {.kind = FIND_STARRED},
                    either = {.kind = FIND_OR, .left = &none, .right = &q};
        const char *all = whole(&q);
        assert_string_equal(whole(&either), all);
        if (*texts[i] == '-')
            continue;
        assert_non_null(strchr(all, '-')); /* what asks for no word is answered by all */
    }
    struct find a = {.kind = FIND_NAME_HAS, .text = "- a -"},
                b = {.kind = FIND_NAME_HAS, .text = "b"};
    assert_string_equal(whole(&a), "a");
    assert_string_equal(whole(&b), "");
}

static void a_name_begins_a_word_as_its_script_has_them(void **state)
{
    static const struct {
        const char *name, *text;
        bool has;
    } tries[] = {
        {"annual_report-2.txt", "report", true},
        {"annual_report-2.txt", "eport", false},
        {"annual_report-2.txt", "TXT 2 ann", true},
        {"annual_report-2.txt", "annual_rep", true},
        {"annual_report-2.txt", "22", false},
        {"caf\xc3\xa9", "CAF\xc3\x89", true},
        {"caf\xc3\xa9", "cafe\xcc\x81", true}, /* the same letter, written otherwise */
        {"caf\xc3\xa9", "cafe", false},
        {"cafe", "caf\xc3\xa9", false},
        {"\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd", "\xe4\xba\xac", true}, /* no spaces there */
        {"\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd", "\xe4\xba\xac\xe9\x83\xbd", true},
        {"\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd", "\xe6\x9d\xb1\xe9\x83\xbd", false},
        {"x\xe6\x9d\xb1", "\xe6\x9d\xb1", true},
        {"\xe6\x9d\xb1x", "x", true},
        {"ab", "abc", false},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(tries); i++) {
        struct drive_item it = add(&root, tries[i].name, "text/plain");
        struct find q = {.kind = FIND_NAME_HAS, .text = tries[i].text},
                    no = {.kind = FIND_NOT, .left = &q};
        const char *found = whole(&q), *not = whole(&no);
        if ((*found != 0) != tries[i].has || (*not != 0) == tries[i].has)
            fail_msg("%s in %s", tries[i].text, tries[i].name);
        ok(drive_delete(&tx, &it));
    }
}

/* ---- more than it pays to take ---- */

/* Adds so many files with words and marks of theirs, of times one behind the other. */
static void add_many(const struct drive_item *folder, int n)
{
    for (int i = 0; i < n; i++) {
        struct drive_item it = item(folder, i % 2 ? "odd one" : "even one", "text/plain");
        it.modified_us = tx.now_us - (int64_t)(i + 1) * 1000;
        ok(drive_item_add(&tx, &it));
    }
}

static size_t count_of(struct drive_finder *f, struct find *q, int64_t *ret_first)
{
    const char *position = NULL;
    int64_t last = INT64_MAX;
    size_t all = 0;
    f->question = q;
    do {
        struct drive_item *items;
        struct drive_access *access;
        size_t n;
        ok(drive_find(f, position, 1000, &items, &access, &n, &position));
        for (size_t i = 0; i < n; i++) {
            if (!f->n_order)
                assert_true(items[i].modified_us < last);
            last = items[i].modified_us;
        }
        if (!all && n)
            *ret_first = items[0].id;
        all += n;
    } while (position);
    return all;
}

/* What more than some thousands have is not listed before it is looked at: the answer is the same.
 */
static void a_question_that_many_answer_has_all_of_them(void **state)
{
    enum { MANY = 9000 };
    struct drive_item folder = add(&root, "all", "folder"), app, home;
    struct drive_viewer v;
    struct find_order by_name = {ORDER_NAME, false};
    struct drive_grant g = {.kind = GRANT_PERSON, .who = BOB, .role = ROLE_WRITER},
                       open = {.kind = GRANT_ANYONE, .who = "", .role = ROLE_READER};
    int64_t first, last;
    (void)state;
    if (vendor->unique_names)
        return;
    add_many(&folder, MANY);
    ok(drive_grant_set(&tx, &folder, &g));
    ok(drive_grant_set(&tx, &folder, &open));
    assert_int_equal(drive_app_data(&tx, ada.id, APP, &app), 1);
    add_many(&app, 4200);
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    commit();
    drive_viewer(&tx, &ada, &v);
    struct drive_finder f = finder_of(&v, NULL);
    static const struct {
        enum find_kind kind;
        const char *text;
        size_t n;
    } tries[] = {
        {FIND_NAME_IS, "Even One", MANY / 2}, {FIND_NAME_HAS, "ev", MANY / 2},
        {FIND_TEXT, "odd", MANY / 2},         {FIND_TEXT, "one", MANY},
        {FIND_TYPE_HAS, "plain", MANY},       {FIND_TYPE_IS, "text/plain", MANY},
        {FIND_WRITER, BOB, MANY + 1},         {FIND_READER, BOB, MANY + 1},
    };
    for (size_t i = 0; i < SOSIA_LEN(tries); i++) {
        struct find q = {.kind = tries[i].kind, .text = tries[i].text, .id = bob.id};
        f.n_order = 0;
        assert_int_equal(count_of(&f, &q, &first), tries[i].n);
        f.order = &by_name, f.n_order = 1;
        assert_int_equal(count_of(&f, &q, &last), tries[i].n);
    }
    struct find is_open = {.kind = FIND_VISIBILITY, .id = VISIBLE_LINK},
                trashed = {.kind = FIND_TRASHED};
    f.n_order = 0;
    assert_int_equal(count_of(&f, &is_open, &first), MANY + 1);
    assert_int_equal(count_of(&f, &trashed, &first), 0);
    f.in_drive = false, f.in_app = true, f.app = APP;
    assert_int_equal(count_of(&f, NULL, &first), 4200);
    /* What is deleted is passed over, however much it is. */
    folder = again(&folder);
    ok(drive_delete(&tx, &folder));
    struct drive_item left = add_at(&root, "left", tx.now_us - DAY_US);
    drive_viewer(&tx, &ada, &v);
    f = finder_of(&v, NULL);
    assert_int_equal(count_of(&f, NULL, &first), 1);
    assert_int_equal(first, left.id);
    f.order = &by_name, f.n_order = 1;
    assert_int_equal(count_of(&f, NULL, &first), 1);
    assert_int_equal(first, left.id);
    f.n_order = 0;
    assert_int_equal(count_of(&f, &(struct find){.kind = FIND_NAME_IS, .text = "even one"}, &first),
                     0);
}

static void what_is_in_a_large_trash_is_listed(void **state)
{
    struct drive_item folder = add(&root, "all", "folder");
    struct drive_viewer v;
    struct find trashed = {.kind = FIND_TRASHED};
    int64_t first;
    (void)state;
    if (vendor->unique_names)
        return;
    for (int i = 0; i < 4100; i++) {
        struct drive_item it = item(&folder, "old", "text/plain");
        it.modified_us = tx.now_us - i;
        it.flags = DRIVE_TRASHED;
        it.trashed_us = tx.now_us;
        ok(drive_item_add(&tx, &it));
        if (i != 4094 && i != 4095 && i != 4096 && i != 4099)
            continue;
        drive_viewer(&tx, &ada, &v);
        struct drive_finder f = finder_of(&v, NULL);
        assert_int_equal(count_of(&f, &trashed, &first), (size_t)i + 1);
    }
}

/* ---- the index ---- */

static size_t found(const char *text, size_t limit)
{
    int64_t *ids, last = 0;
    size_t n;
    ok(drive_index_find(&tx, text, limit, &ids, &n));
    for (size_t i = 0; i < n; i++) {
        assert_true(ids[i] > last);
        last = ids[i];
    }
    return n;
}

static size_t named(const char *text, size_t limit)
{
    int64_t *ids;
    size_t n;
    ok(drive_index_names(&tx, text, limit, &ids, &n));
    for (size_t i = 1; i < n; i++)
        assert_true(ids[i] > ids[i - 1]);
    return n;
}

static void the_index_gives_as_many_as_are_enough(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        add(&root, arena_printf(tx.arena, "word %d", i), "text/plain");
    for (int turn = 0; turn < 2; turn++) { /* before the call is over, and behind it */
        assert_int_equal(found("word", 0), 5);
        for (size_t limit = 1; limit < 8; limit++) {
            assert_int_equal(found("word", limit), limit < 5 ? limit + 1 : 5);
            assert_int_equal(named("wo", limit), limit < 5 ? limit + 1 : 5);
        }
        assert_int_equal(found("word 3", 0), 1);
        assert_int_equal(found("3 word", 0), 1);
        assert_int_equal(found("\"word 3\"", 0), 1);
        assert_int_equal(found("\"3 word\"", 0), 0);
        assert_int_equal(found("wor", 0), 0);
        assert_int_equal(found("\"word", 0), 5); /* one mark is none */
        assert_int_equal(found("word\"", 0), 5);
        assert_int_equal(found("\"word\"", 0), 5);
        assert_int_equal(found("\"3\"", 0), 1);
        assert_int_equal(named("wor", 0), 5);
        assert_int_equal(named("3 w", 0), 1);
        assert_int_equal(named("ord", 0), 0);
        commit();
    }
}

static void a_question_has_no_more_than_64_words(void **state)
{
    struct buf b;
    int64_t *ids;
    size_t n;
    (void)state;
    struct drive_item it = add(&root, "w", "text/plain");
    buf_init(&b, 0);
    for (int i = 0; i < 64; i++)
        buf_puts(&b, "w ");
    assert_int_equal(found(buf_str(&b), 0), 1);
    assert_int_equal(named(buf_str(&b), 0), 1);
    commit();
    assert_int_equal(drive_index_has(&tx, buf_str(&b), it.id), 1);
    buf_puts(&b, "w");
    refused(drive_index_find(&tx, buf_str(&b), 0, &ids, &n), "tooComplex");
    refused(drive_index_names(&tx, buf_str(&b), 0, &ids, &n), "tooComplex");
    refused(drive_index_has(&tx, buf_str(&b), it.id), "tooComplex");
    struct drive_viewer v;
    struct find q = {.kind = FIND_TEXT, .text = buf_str(&b)};
    drive_viewer(&tx, &ada, &v);
    struct drive_finder f = finder_of(&v, &q);
    struct drive_item *items;
    struct drive_access *access;
    const char *position;
    refused(drive_find(&f, NULL, 5, &items, &access, &n, &position), "tooComplex");
    buf_done(&b);
}

/* Of each change, what is found before the call is over and behind it, and from the text alone. */
static void finds(const struct drive_item *it, const char *words, const char * not )
{
    for (int turn = 0; turn < 2; turn++) {
        for (int no = 0; no < 2; no++) {
            char *list = arena_strdup(tx.arena, no ? not : words), *save = NULL;
            for (char *w = strtok_r(list, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
                if (found(w, 0) != !no)
                    fail_msg("%s is found %zu times", w, found(w, 0));
                if (turn && drive_index_has(&tx, w, it->id) != !no)
                    fail_msg("it %s %s", no ? "has" : "has not", w);
            }
        }
        if (!turn)
            commit();
    }
}

static void the_index_has_an_item_as_it_is(void **state)
{
    struct drive_item it = add(&root, "first_name", "text/plain");
    (void)state;
    finds(&it, "first name", "text");
    it.name = "second";
    ok(drive_item_save(&tx, &it));
    finds(&it, "second", "first name");
    it = again(&it);
    it.description = "what it_is";
    ok(drive_item_save(&tx, &it));
    finds(&it, "second what is", "first");
    it = again(&it);
    ok(drive_content_put(&tx, &it, "bytes of_text", 13));
    finds(&it, "second what is bytes of text", "first");
    it = again(&it);
    it.description = NULL;
    it.index_text = "<p>given <b>by</b> hand</p>";
    ok(drive_item_save(&tx, &it));
    finds(&it, "second bytes of text given by hand", "what is b p");
    it = again(&it);
    it.index_text = "other";
    ok(drive_content_put(&tx, &it, "new", 3));
    finds(&it, "second new other", "bytes given hand");
    it = again(&it);
    it.index_text = NULL;
    ok(drive_item_save(&tx, &it));
    finds(&it, "second new", "other");
    it = again(&it);
    ok(drive_delete(&tx, &it));
    commit();
    commit();
    assert_int_equal(found("second", 0), 0);
    assert_int_equal(drive_index_has(&tx, "second", it.id), 0);
}

/* Whose bytes are a text. */
static void the_index_reads_what_is_text(void **state)
{
    static const struct {
        const char *mime, *bytes;
        bool is;
    } tries[] = {
        {"text/plain", "word1", true},
        {"text/plain", "7", true},
        {"text/x-any", "word1", true},
        {"text/csv", "a,word1\n", true},
        {"text/html", "<p>word1</p>", true},
        {"application/json", "{\"a\":\"word1\"}", true},
        {"application/xml", "<a>word1</a>", true},
        {"application/javascript", "f(word1)", true},
        {"application/x-yaml", "a: word1", true},
        {"application/x-sh", "echo word1", true},
        {"application/pdf", "word1", false},
        {"application/octet-stream", "word1", false},
        {"image/png", "word1", false},
        {FORMAT_DOCX, "word1", false}, /* it is none */
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(tries); i++) {
        struct drive_item it = add(&root, "x", tries[i].mime);
        ok(drive_content_put(&tx, &it, tries[i].bytes, strlen(tries[i].bytes)));
        if (found(tries[i].bytes[1] ? "word1" : tries[i].bytes, 0) != tries[i].is)
            fail_msg("%s", tries[i].mime);
        it = again(&it);
        ok(drive_delete(&tx, &it));
        commit();
    }
    struct drive_item bad = add(&root, "x", "text/plain");
    ok(drive_content_put(&tx, &bad, "one \xff\xfe two", 10));
    finds(&bad, "one two", "four");
}

/* A mebibyte of a text is found, and nothing of a file of more than sixteen. */
static void a_long_text_is_found_by_what_it_begins_with(void **state)
{
    enum { MIB = 1 << 20 };
    static const struct {
        size_t at, size;
        bool is;
    } tries[] = {
        {MIB - 10, MIB + 100, true},        {MIB - 5, MIB + 100, true},
        {MIB + 1, MIB + 100, false},        {100, 16 * (size_t)MIB, true},
        {100, 16 * (size_t)MIB + 1, false},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(tries); i++) {
        struct drive_item it = add(&root, "long", "text/plain");
        char *bytes = malloc(tries[i].size);
        assert_non_null(bytes);
        memset(bytes, '.', tries[i].size);
        memcpy(bytes + tries[i].at, " word ", 6);
        ok(drive_content_put(&tx, &it, bytes, tries[i].size));
        struct find q = {.kind = FIND_TEXT, .text = "word"};
        if ((*whole(&q) != 0) != tries[i].is)
            fail_msg("at %zu of %zu", tries[i].at, tries[i].size);
        ok(drive_delete(&tx, &it));
        commit();
        free(bytes);
    }
}

/* Also of a world whose first item it is. */
static void what_is_in_no_folder_is_found(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\"," PEOPLE
                              ",\"files\":[{\"name\":\"alone\",\"owner\":\"" ADA
                              "\",\"parent\":\"\",\"mime\":\"text/plain\","
                              "\"content\":\"words\"}]}";
    int64_t *ids;
    size_t n;
    (void)state;
    end();
    test_world = test_world_of(doc);
    begin();
    ok(drive_index_find(&tx, "words", 0, &ids, &n));
    assert_int_equal(n, 1);
    ok(drive_index_names(&tx, "al", 1, &ids, &n));
    assert_int_equal(n, 1);
    struct find q = {.kind = FIND_TEXT, .text = "alone words"};
    assert_string_equal(whole(&q), "alone");
    assert_string_equal(whole(NULL), "alone");
}

/* ---- what all vendors find ---- */

static const char *found_by_all(const char *text, size_t limit)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    ok(drive_found(&tx, text, limit, &w));
    json_end(&w);
    const char *out = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return out;
}

static size_t times(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p++)
        n++;
    return n;
}

static void files_of_all_are_found_newest_first(void **state)
{
    struct drive_item a = add(&root, "one plan", "text/plain"),
                      b = add(&root, "two plan", "text/plain"), home, top;
    struct drive_settings s = {0};
    (void)state;
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    struct drive_item c = add(&home, "his plan", "text/plain");
    ok(drive_shared_make(&tx, &ada, NULL, "Eng", &s, &top));
    struct drive_item d = add(&top, "our plan", "text/plain");
    a = again(&a);
    a.description = "described";
    ok(drive_item_save(&tx, &a));
    commit();
    a = again(&a), b = again(&b), c = again(&c), d = again(&d);
    const char *all = found_by_all("plan", 10);
    assert_int_equal(times(all, "\"title\":"), 4);
    assert_true(strstr(all, d.key) < strstr(all, c.key) &&
                strstr(all, c.key) < strstr(all, b.key) && strstr(all, b.key) < strstr(all, a.key));
    assert_non_null(strstr(all, "described"));
    assert_int_equal(times(all, BOB), 1);
    assert_int_equal(times(all, ADA), 2);
    for (size_t limit = 1; limit < 5; limit++)
        assert_int_equal(times(found_by_all("plan", limit), "\"title\":"), limit);
    c = again(&c);
    ok(drive_delete(&tx, &c));
    assert_int_equal(times(found_by_all("plan", 10), "\"title\":"), 3);
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
        OF_LOOSE(a_position_of_another_list_is_refused),
        OF_LOOSE(a_position_holds_when_its_item_has_gone),
        OF_LOOSE(a_page_that_is_the_whole_list_has_no_position),
        OF_LOOSE(a_list_of_long_names_has_all_of_them),
        OF_LOOSE(a_name_without_words_has_none),
        OF_LOOSE(a_name_begins_a_word_as_its_script_has_them),
        OF_LOOSE(a_question_that_many_answer_has_all_of_them),
        OF_LOOSE(what_is_in_a_large_trash_is_listed),
        OF_LOOSE(the_index_gives_as_many_as_are_enough),
        OF_LOOSE(a_question_has_no_more_than_64_words),
        OF_LOOSE(the_index_has_an_item_as_it_is),
        OF_LOOSE(the_index_reads_what_is_text),
        OF_LOOSE(a_long_text_is_found_by_what_it_begins_with),
        OF_LOOSE(what_is_in_no_folder_is_found),
        OF_LOOSE(files_of_all_are_found_newest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
