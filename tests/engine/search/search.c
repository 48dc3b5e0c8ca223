/* SPDX-License-Identifier: Apache-2.0 */
/* Two corpora of this test, files of drives and messages of channels, in one world: what a core
 * declares is enough to search it, and the index and the match of a single document agree. */
#include "engine/search/index.h"
#include "engine/search/match.h"
#include "engine/search/walk.h"
#include "engine/world/engine.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

static struct sosia_engine *engine;
static struct sosia_err err;
static struct worker *worker;
static struct world *world;
static struct tx tx;

static const char SCHEMA[] =
    "create table file (id integer primary key, folder integer not null, size integer not null,"
    " name text not null, body text not null, owner text not null) strict;"
    "create virtual table file_index using fts5 (name, body, extra, content = '', columnsize = 0,"
    " tokenize = \"ascii tokenchars '!#$%&''()*+,-./:;<=>?@[\\]^_`{|}~'\");"
    "create table file_common (id integer primary key, drive integer not null, word text not null,"
    " unique (drive, word)) strict;"
    "create table file_lacking (common integer not null, file integer not null,"
    " primary key (common, file)) strict, without rowid;"
    "create index file_folder on file (folder, id);"
    "create table post (id integer primary key, channel integer not null, text text not null)"
    " strict;"
    "create index post_channel on post (channel, id);"
    "create virtual table post_index using fts5 (text, extra, content = '', columnsize = 0,"
    " tokenize = \"ascii tokenchars '!#$%&''()*+,-./:;<=>?@[\\]^_`{|}~'\");";

static int open_world(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\"}]}";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    uint64_t id;
    (void)state;
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &id, &err) < 0 || !(worker = worker_take(engine, &err)) ||
        !(world = world_take(engine, id, &err)) ||
        tx_begin(&tx, engine, world, worker, true, world_now(world), &err) < 0)
        return -1;
    return sql_exec(tx.db, SCHEMA, &err);
}

static int close_world(void **state)
{
    (void)state;
    tx_rollback(&tx);
    world_drop(world);
    worker_drop(worker);
    sosia_engine_close(engine);
    return 0;
}

/* ---- files: a drive is a group, the order is that of their changes ---- */

enum { FILE_GROUP = 40, FILE_BIG = 1 };
enum { IN_NAME = 1, IN_BODY = 2, IN_OWNER = 4 };
#define FILE_SIZE   (SEARCH_OWN + 0) /* from <= bytes < to */
#define FILE_FOLDER (SEARCH_OWN + 1) /* in the folder (id) */

struct file {
    int64_t key, folder, size;
    const char *name, *body, *owner;
};

static struct search_sql file_sql =
    SEARCH_SQL("file_index", "name, body, extra", ":name, :body, :extra");
static struct search_common file_common =
    SEARCH_COMMON("file_common", "drive", "file_lacking", "file");
static struct search_list file_all = {
    .sql = SQL_TEXT(
        "select id from file where id <= :from and id >= :first order by id desc limit :n")};
static struct search_list file_folder = {
    .sql = SQL_TEXT("select id from file where folder = :id and id <= :from and id >= :first "
                    "order by id desc limit :n"),
    .by_id = true};
static struct search_list *const file_lists[] = {&file_folder};
static const char *const file_columns[] = {"name", "body", "extra"};
static const struct search_field file_fields[] = {
    {IN_NAME, 0, ""}, {IN_BODY, 1, ""}, {IN_OWNER, 2, "o:"}};
static const char *const file_kinds[] = {"size", "folder", NULL};

static struct search_node *file_compile(struct search_compiler *k, const struct search *q,
                                        void *arg)
{
    (void)arg;
    return q->kind == FILE_SIZE ? search_node_test(k, q, NULL, 0) : search_node_list(k, 0, q->id);
}

static int file_test(struct tx *t, const struct search *q, int64_t key, void *arg)
{
    static struct sql_text text = SQL_TEXT("select size from file where id = :id");
    sqlite3_stmt *st = sql_use(t->db, &text);
    assert_non_null(st);
    sql_bind_int(st, 1, key);
    int rc = sql_step(t->db, st, t->err);
    if (rc == 1)
        rc = q->from <= sqlite3_column_int64(st, 0) && sqlite3_column_int64(st, 0) < q->to;
    sql_done(st);
    ++*(int *)arg; /* how often it was called */
    return rc;
}

static const struct corpus files = {.name = "files",
                                    .columns = file_columns,
                                    .n_columns = 3,
                                    .fields = file_fields,
                                    .n_fields = 3,
                                    .any = IN_NAME | IN_BODY,
                                    .group_bits = FILE_GROUP,
                                    .sql = &file_sql,
                                    .common = &file_common,
                                    .all = &file_all,
                                    .lists = file_lists,
                                    .kinds = file_kinds,
                                    .compile = file_compile,
                                    .test = file_test};

/* What a document is found by, in the arena. */
static struct search_text found_by(const char *const *texts, const char *const *marks, unsigned n,
                                   uint32_t has)
{
    struct search_text ret = {.has = has};
    struct buf b;
    buf_init(&b, 0);
    for (unsigned i = 0; i < n; i++) {
        buf_clear(&b);
        search_add_lines(&b, texts[i], marks[i]);
        if (i == n - 1)
            search_add_has(&b, has);
        ret.columns[i] = arena_memdup(tx.arena, b.len ? b.data : "", b.len);
        ret.len[i] = b.len;
    }
    buf_done(&b);
    return ret;
}

static struct search_text file_text(const struct file *f)
{
    const char *const texts[] = {f->name, f->body, f->owner}, *const marks[] = {"", "", "o:"};
    return found_by(texts, marks, 3, f->size > 1000 ? FILE_BIG : 0);
}

static void add_file(const struct file *f)
{
    struct search_text text = file_text(f);
    char *q =
        sqlite3_mprintf("insert into file values (%lld, %lld, %lld, %Q, %Q, %Q)", (long long)f->key,
                        (long long)f->folder, (long long)f->size, f->name, f->body, f->owner);
    assert_int_equal(sql_exec(tx.db, q, &err), 0);
    sqlite3_free(q);
    assert_int_equal(search_add_later(&tx, &files, f->key, &text), 0);
}

#define AT(drive, second) ((int64_t)(drive) << FILE_GROUP | (second))

static const struct file some_files[] = {
    {AT(1, 10), 1, 10, "Budget 2026.xlsx", "rent and salaries", "ada@acme.example"},
    {AT(1, 20), 1, 5000, "Holiday.jpg", "", "bob@acme.example"},
    {AT(1, 30), 2, 20, "Minutes", "We talked about the budget. Holiday plans", "ada@acme.example"},
    {AT(1, 40), 2, 9000, "archive.zip", "", "ada@acme.example"},
    {AT(2, 15), 3, 10, "Budget of others", "secret", "eve@acme.example"},
};

static const char *ask(const struct corpus *corpus, const struct search *q, int64_t first,
                       int64_t last, int *asked)
{
    struct search_ask a = {
        .corpus = corpus, .query = q, .first = first, .last = last, .arg = asked};
    struct search_walk *w = search_open(&tx, &a);
    struct buf b;
    int64_t key;
    buf_init(&b, 0);
    assert_non_null(w);
    for (int64_t from = search_last(w); (key = search_next(w, from)); from = key - 1) {
        assert_true(search_test(w, key));
        buf_printf(&b, "%s%lld", b.len ? " " : "",
                   (long long)(key & ((INT64_C(1) << corpus->group_bits) - 1)));
    }
    assert_false(search_failed(w));
    const char *text = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static bool file_own(const struct search *q, const void *arg)
{
    const struct file *f = arg;
    return q->kind == FILE_SIZE ? q->from <= f->size && f->size < q->to : f->folder == q->id;
}

/* The places in drive 1, newest first, through the index; matching each file by itself gives the
 * same. */
static const char *find_files(const struct search *q)
{
    int asked = 0;
    const char *found = ask(&files, q, AT(1, 0), AT(2, 0) - 1, &asked);
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 4; i-- > 0;) {
        struct search_text text = file_text(&some_files[i]);
        struct search_facts facts = {
            .key = some_files[i].key, .text = &text, .own = file_own, .arg = &some_files[i]};
        int rc = search_matches(&tx, &files, q, &facts);
        assert_true(rc >= 0);
        if (rc)
            buf_printf(&b, "%s%lld", b.len ? " " : "",
                       (long long)(some_files[i].key & (AT(1, 0) - 1)));
    }
    assert_string_equal(found, buf_str(&b));
    buf_done(&b);
    return found;
}

#define PHRASE(f, t) (&(const struct search){.kind = SEARCH_PHRASE, .fields = (f), .text = (t)})
#define KIDS(k, ...)                                                                               \
    (&(const struct search){.kind = (k),                                                           \
                            .kids = (const struct search *const[]){__VA_ARGS__},                   \
                            .n_kids = sizeof((const struct search *const[]){__VA_ARGS__}) /        \
                                      sizeof(void *)})

static void add_all_files(void)
{
    for (size_t i = 0; i < SOSIA_LEN(some_files); i++)
        add_file(&some_files[i]);
}

static void files_are_found_by_name_content_and_properties(void **state)
{
    const struct search small = {.kind = FILE_SIZE, .from = 0, .to = 1000};
    const struct search folder = {.kind = FILE_FOLDER, .id = 2};
    const struct search everything = {.kind = SEARCH_AND};
    const struct search big = {.kind = SEARCH_HAS, .bits = FILE_BIG};
    const struct search middle = {.kind = SEARCH_RANGE, .from = AT(1, 15), .to = AT(1, 40)};
    const struct search near = {.kind = SEARCH_NEAR,
                                .fields = IN_BODY,
                                .text = "talked",
                                .text2 = "budget",
                                .distance = 2,
                                .ordered = true};
    const struct search *word = PHRASE(IN_NAME | IN_BODY, "budget");
    (void)state;
    add_all_files();
    assert_string_equal(find_files(&everything), "40 30 20 10");
    assert_string_equal(find_files(word), "30 10");
    assert_string_equal(find_files(PHRASE(IN_NAME, "budget")), "10");
    assert_string_equal(find_files(PHRASE(IN_NAME | IN_BODY, "ada")), "");
    assert_string_equal(find_files(PHRASE(IN_OWNER, "ada@acme.example")), "40 30 10");
    assert_string_equal(find_files(&small), "30 10");
    assert_string_equal(find_files(&folder), "40 30");
    assert_string_equal(find_files(&big), "40 20");
    assert_string_equal(find_files(&middle), "30 20");
    assert_string_equal(find_files(&near), "30");
    assert_string_equal(find_files(KIDS(SEARCH_AND, &folder, KIDS(SEARCH_NOT, word))), "40");
    assert_string_equal(find_files(KIDS(SEARCH_OR, &big, &small)), "40 30 20 10");
    assert_string_equal(find_files(KIDS(SEARCH_AND, word, &middle, &small)), "30");
}

static void a_test_is_asked_only_about_what_lists_leave(void **state)
{
    const struct search small = {.kind = FILE_SIZE, .from = 0, .to = 1000};
    int asked = 0;
    struct search_ask a = {.corpus = &files,
                           .query = KIDS(SEARCH_AND, PHRASE(IN_NAME, "budget"), &small),
                           .first = AT(1, 0),
                           .last = AT(2, 0) - 1,
                           .arg = &asked};
    (void)state;
    add_all_files();
    struct search_walk *w = search_open(&tx, &a);
    assert_non_null(w);
    assert_int_equal(search_next(w, search_last(w)), AT(1, 10));
    assert_int_equal(search_next(w, AT(1, 10) - 1), 0);
    assert_int_equal(asked, 1);
}

static void a_changed_file_moves_to_its_new_place(void **state)
{
    struct file f = some_files[0];
    struct search_text text = file_text(&f);
    (void)state;
    add_all_files();
    assert_int_equal(search_remove_later(&tx, &files, f.key, &text), 0);
    assert_int_equal(sql_exec(tx.db, "delete from file where size = 10 and folder = 1", &err), 0);
    f.key = AT(1, 50);
    add_file(&f);
    assert_string_equal(
        ask(&files, PHRASE(IN_NAME | IN_BODY, "budget"), AT(1, 0), AT(2, 0) - 1, NULL), "50 30");
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct file *const *)a)->name, (*(const struct file *const *)b)->name);
}

static void another_order_is_had_by_taking_all(void **state)
{
    struct search_ask a = {.corpus = &files, .first = AT(1, 0), .last = AT(2, 0) - 1};
    const struct file *found[4];
    size_t n = 0;
    int64_t key;
    (void)state;
    add_all_files();
    struct search_walk *w = search_open(&tx, &a);
    assert_non_null(w);
    for (int64_t from = search_last(w); (key = search_next(w, from)); from = key - 1)
        for (size_t i = 0; i < SOSIA_LEN(some_files); i++)
            if (some_files[i].key == key)
                found[n++] = &some_files[i];
    qsort(found, n, sizeof *found, by_name);
    assert_int_equal(n, 4);
    assert_string_equal(found[0]->name, "Budget 2026.xlsx");
    assert_string_equal(found[3]->name, "archive.zip");
}

/* ---- messages of channels: a workspace is a group ---- */

enum { POST_TEXT = 1, POST_FROM = 2, POST_LINK = 1 };
#define POST_CHANNEL (SEARCH_OWN + 0)

static struct search_sql post_sql = SEARCH_SQL("post_index", "text, extra", ":text, :extra");
static struct search_list post_all = {
    .sql = SQL_TEXT(
        "select id from post where id <= :from and id >= :first order by id desc limit :n")};
static struct search_list post_channel = {
    .sql = SQL_TEXT("select id from post where channel = :id and id <= :from and id >= :first "
                    "order by id desc limit :n"),
    .by_id = true};
static struct search_list *const post_lists[] = {&post_channel};
static const char *const post_columns[] = {"text", "extra"};
static const struct search_field post_fields[] = {{POST_TEXT, 0, ""}, {POST_FROM, 1, "f:"}};
static const char *const post_kinds[] = {"channel", NULL};

static struct search_node *post_compile(struct search_compiler *k, const struct search *q,
                                        void *arg)
{
    (void)arg;
    return search_node_list(k, 0, q->id);
}

static const struct corpus posts = {.name = "posts",
                                    .columns = post_columns,
                                    .n_columns = 2,
                                    .fields = post_fields,
                                    .n_fields = 2,
                                    .any = POST_TEXT,
                                    .group_bits = 50,
                                    .sql = &post_sql,
                                    .all = &post_all,
                                    .lists = post_lists,
                                    .kinds = post_kinds,
                                    .compile = post_compile};

static void add_post(struct search_bulk *bulk, int64_t at, int64_t channel, const char *from,
                     const char *words)
{
    const char *const texts[] = {words, from}, *const marks[] = {"", "f:"};
    struct search_text text = found_by(texts, marks, 2, strstr(words, "://") ? POST_LINK : 0);
    int64_t key = INT64_C(3) << 50 | at;
    char *q = sqlite3_mprintf("insert into post values (%lld, %lld, %Q)", (long long)key,
                              (long long)channel, words);
    assert_int_equal(sql_exec(tx.db, q, &err), 0);
    sqlite3_free(q);
    assert_int_equal(bulk ? search_bulk_add(&tx, bulk, key, &text)
                          : search_add_later(&tx, &posts, key, &text),
                     0);
}

static const char *find_posts(const struct search *q)
{
    return ask(&posts, q, INT64_C(3) << 50, (INT64_C(4) << 50) - 1, NULL);
}

static void posts_are_found_by_modifiers(void **state)
{
    const struct search general = {.kind = POST_CHANNEL, .id = 7};
    const struct search before = {
        .kind = SEARCH_RANGE, .from = INT64_C(3) << 50, .to = INT64_C(3) << 50 | 300};
    const struct search link = {.kind = SEARCH_HAS, .bits = POST_LINK};
    const struct search *from = PHRASE(POST_FROM, "ada"), *word = PHRASE(POST_TEXT, "launch");
    struct search_bulk *bulk;
    (void)state;
    add_all_files(); /* the other corpus is none of its business */
    assert_int_equal(search_bulk_begin(&tx, &posts, &bulk), 0);
    add_post(bulk, 100, 7, "ada", "launch at noon");
    add_post(bulk, 200, 8, "bob", "launch? see https://x.example/budget");
    add_post(bulk, 300, 7, "ada", "lunch");
    assert_int_equal(search_bulk_end(&tx, bulk, false), 0);
    add_post(NULL, 400, 7, "bob", "the launch went well");
    assert_string_equal(find_posts(word), "400 200 100");
    assert_string_equal(find_posts(KIDS(SEARCH_AND, word, &general)), "400 100");
    assert_string_equal(find_posts(KIDS(SEARCH_AND, word, from)), "100");
    assert_string_equal(find_posts(KIDS(SEARCH_AND, word, &before)), "200 100");
    assert_string_equal(find_posts(&link), "200");
    assert_string_equal(find_posts(PHRASE(POST_TEXT, "budget")), "200");
    assert_string_equal(find_posts(KIDS(SEARCH_AND, &general, KIDS(SEARCH_NOT, from))), "400");
}

static void a_list_ends_where_its_group_does(void **state)
{
    const struct search *word = PHRASE(POST_TEXT, "launch");
    const struct search general = {.kind = POST_CHANNEL, .id = 7};
    (void)state;
    add_post(NULL, INT64_C(4) << 50 | 500, 7, "ada", "launch elsewhere"); /* group 7 */
    add_post(NULL, 100, 7, "ada", "launch");
    add_post(NULL, 200, 7, "ada", "lunch");
    assert_string_equal(find_posts(word), "100");
    assert_string_equal(find_posts(KIDS(SEARCH_OR, word, PHRASE(POST_TEXT, "lunch"))), "200 100");
    assert_string_equal(find_posts(KIDS(SEARCH_AND, &general, KIDS(SEARCH_NOT, word))), "200");
    assert_string_equal(find_posts(PHRASE(POST_TEXT, "elsewhere")), "");
}

/* Steps of SQLite's machine on the index since the last time. */
static int64_t steps_on_index(void)
{
    int64_t n = 0;
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(slot_db(tx.db), st));)
        if (sqlite3_sql(st) && strstr(sqlite3_sql(st), "post_index match"))
            n += sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    return n;
}

/* Each is read, so it must be cheap: number, lower end, number, row, count, next. */
static void an_entry_of_a_common_word_takes_six_steps(void **state)
{
    enum { POSTS = 3000 };
    const struct search general = {.kind = POST_CHANNEL, .id = 7};
    const struct search *word = PHRASE(POST_TEXT, "launch");
    (void)state;
    for (int i = 1; i <= POSTS; i++)
        add_post(NULL, i, 7, "ada", i == 11 ? "lunch" : "launch");
    assert_int_equal(search_settle(&tx), 0);
    find_posts(&general);
    steps_on_index();
    assert_string_equal(find_posts(KIDS(SEARCH_AND, &general, KIDS(SEARCH_NOT, word))), "11");
#ifdef SOSIA_SQLITE_BUNDLED
    assert_in_range(steps_on_index(), POSTS, POSTS * 13 / 2);
#else
    assert_in_range(steps_on_index(), POSTS, POSTS * 8); /* older ones take more */
#endif
}

/* ---- what lacks a word that nearly all have ---- */

static int count_step(void *steps)
{
    ++*(long *)steps;
    return 0;
}

/* So many files of a drive, in one folder; five of them don't have the word. Gives the steps of
 * SQLite's machine that it takes to find those. */
static long steps_for_lacking(int64_t drive, int n)
{
    const struct search folder = {.kind = FILE_FOLDER, .id = drive};
    const struct search *q =
        KIDS(SEARCH_AND, &folder, KIDS(SEARCH_NOT, PHRASE(IN_NAME | IN_BODY, "Report")));
    struct search_bulk *bulk;
    char expected[80];
    long steps = 0;
    int asked = 0;
    sqlite3_stmt *st;
    assert_int_equal(search_bulk_begin(&tx, &files, &bulk), 0);
    assert_int_equal(sqlite3_prepare_v2(slot_db(tx.db),
                                        "insert into file values (?, ?, 0, 'a', 'b', 'c')", -1, &st,
                                        NULL),
                     0);
    for (int i = 1; i <= n; i++) {
        struct file f = {AT(drive, i), drive, 0, "Minutes", "the report of a day", "ada"};
        if (i % (n / 5) == 1)
            f.body = "of a day";
        struct search_text text = file_text(&f);
        sqlite3_bind_int64(st, 1, f.key);
        sqlite3_bind_int64(st, 2, drive);
        assert_int_equal(sqlite3_step(st), SQLITE_DONE);
        sqlite3_reset(st);
        assert_int_equal(search_bulk_add(&tx, bulk, f.key, &text), 0);
    }
    sqlite3_finalize(st);
    assert_int_equal(search_bulk_end(&tx, bulk, false), 0);
    int part = n / 5;
    snprintf(expected, sizeof expected, "%d %d %d %d %d", 4 * part + 1, 3 * part + 1, 2 * part + 1,
             part + 1, 1);
    sqlite3_progress_handler(slot_db(tx.db), 1, count_step, &steps);
    assert_string_equal(ask(&files, q, AT(drive, 0), AT(drive + 1, 0) - 1, &asked), expected);
    sqlite3_progress_handler(slot_db(tx.db), 0, NULL, NULL);
    return steps;
}

static void the_few_without_a_common_word_take_as_long_in_ten_times_as_many(void **state)
{
    (void)state;
    long few = steps_for_lacking(3, 4000), many = steps_for_lacking(4, 40000);
    assert_in_range(few, 1, 2000);
    assert_in_range(many, 1, few + few / 4);
}

/* ---- as JSON ---- */

static void questions_are_kept_as_json(void **state)
{
    const struct search folder = {.kind = FILE_FOLDER, .id = 2};
    const struct search *q = KIDS(SEARCH_AND, PHRASE(IN_NAME, "budget"), &folder);
    struct json_writer w;
    const struct json *v;
    struct buf out;
    (void)state;
    buf_init(&out, 0);
    json_init(&w, &out, false, NULL);
    search_write(&w, NULL, &files, q);
    assert_string_equal(buf_str(&out),
                        "{\"kind\":\"and\",\"kids\":[{\"kind\":\"phrase\",\"fields\":1,\"text\":"
                        "\"budget\"},{\"kind\":\"folder\",\"id\":2}]}");
    assert_int_equal(json_parse(tx.arena, out.data, out.len, NULL, &v, &err), 0);
    const struct search *again = search_read(tx.arena, &files, v);
    assert_non_null(again);
    assert_int_equal(again->kids[1]->kind, FILE_FOLDER);
    assert_int_equal(again->kids[1]->id, 2);
    assert_null(search_read(tx.arena, &posts, v)); /* it has no folders */
    buf_done(&out);
}

#define search_test(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        search_test(files_are_found_by_name_content_and_properties),
        search_test(a_test_is_asked_only_about_what_lists_leave),
        search_test(a_changed_file_moves_to_its_new_place),
        search_test(another_order_is_had_by_taking_all),
        search_test(posts_are_found_by_modifiers),
        search_test(a_list_ends_where_its_group_does),
        search_test(an_entry_of_a_common_word_takes_six_steps),
        search_test(the_few_without_a_common_word_take_as_long_in_ten_times_as_many),
        search_test(questions_are_kept_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
