/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An exported file that was changed. Bytes that begin as a database are imported as they are;
 * others are changes to a sound export, eight bytes each: where (4), what (1), a number (3).
 *
 * Most inputs are read as the file of a world with few tables, since with all of them SQLite's
 * reading of the schemas is all that takes time; what is taken must be sound. The others are
 * imported into an engine: what is taken must dump, and come back the same from an export of its
 * own.
 */
#include "engine/state/exported.h"
#include "fuzz/fuzz.h"
#include <unistd.h>

static const char doc[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":\"a.example\"}],"
    "\"people\":[{\"email\":\"ada@a.example\",\"aliases\":[\"al@a.example\"]},{\"email\":\"bob@a."
    "example\"}],"
    "\"groups\":[{\"email\":\"all@a.example\",\"members\":[\"ada@a.example\"]}]}";

/* A table of each sort: keys of text, references, texts in a full-text index, numbers. */
static const char few_tables[] =
    "create table meta (key text primary key, value text not null) strict, without rowid;"
    "create table person (id integer primary key, email text not null unique, n integer) strict;"
    "create index person_n on person (n);"
    "create table alias (email text primary key, person integer not null references person (id)) "
    "strict;"
    "create virtual table words using fts5 (body);"
    "insert into meta values ('format', 'sosia 1');";
static const char few_rows[] =
    "insert into meta values ('world.clock', '0'), ('world.clock_us', '1780000000000000'), "
    "('world.clock_step_us', '0'), ('world.seed', '1'), ('world.journal', '0');"
    "insert into person values (1, 'ada@a.example', 5), (2, 'bob@a.example', null);"
    "insert into alias values ('al@a.example', 1);"
    "insert into words values ('some words');" EXPORTED_JOURNAL ";"
    "insert into journal (entry) values ('{\"a\":1}');";

static struct sosia_engine *engine;
static struct tree few; /* the tables alone */

struct bytes {
    uint8_t *data;
    size_t len;
};
static struct bytes sound, sound_few;

static struct bytes export(uint64_t world)
{
    struct bytes b;
    char path[] = "/tmp/sosia-fuzz-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    MUST(sosia_world_export(engine, world, path, &why));
    FILE *f = fopen(path, "r");
    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    b.len = (size_t)ftell(f);
    rewind(f);
    b.data = sqlite3_malloc64(b.len);
    CHECK(b.data && fread(b.data, 1, b.len, f) == b.len);
    fclose(f);
    unlink(path);
    return b;
}

static struct bytes image_of(sqlite3 *db)
{
    sqlite3_int64 len;
    uint8_t *data = sqlite3_serialize(db, "main", &len, 0);
    CHECK(data);
    return (struct bytes){data, (size_t)len};
}

static void start_few(void)
{
    sqlite3 *db;
    char size[40];
    snprintf(size, sizeof size, "pragma page_size = %d", STORE_PAGE_SIZE);
    CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK &&
          sqlite3_exec(db, size, NULL, NULL, NULL) == SQLITE_OK &&
          sqlite3_exec(db, few_tables, NULL, NULL, NULL) == SQLITE_OK);
    struct bytes empty = image_of(db);
    MUST(tree_load(engine->store, empty.data, empty.len, &few, &why));
    sqlite3_free(empty.data);
    CHECK(sqlite3_exec(db, few_rows, NULL, NULL, NULL) == SQLITE_OK);
    sound_few = image_of(db);
    sqlite3_close(db);
}

static void end_few(void)
{
    tree_done(&few);
}

static void start(void)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    uint64_t world;
    engine = fuzz_engine(NULL);
    MUST(sosia_world_create(engine, &opt, &world, &why));
    sound = export(world);
    MUST(sosia_world_drop(engine, world, &why));
    start_few();
    CHECK(atexit(end_few) == 0);
}

static uint32_t number(const uint8_t *p, int n)
{
    uint32_t v = 0;
    for (int i = 0; i < n; i++)
        v |= (uint32_t)p[i] << (8 * i);
    return v;
}

static void change(uint8_t *image, size_t *len, const uint8_t *c)
{
    size_t at = number(c, 4) % *len, n = number(c + 5, 3);
    switch (c[4] % 6) {
    case 0:
        image[at] = (uint8_t)n;
        break;
    case 1:
        image[at] ^= (uint8_t)(1u << (n % 8));
        break;
    case 2: /* where a page begins */
        image[at / STORE_PAGE_SIZE * STORE_PAGE_SIZE + n / 256 % 32] = (uint8_t)n;
        break;
    case 3: /* one page over another */
        memmove(image + at / STORE_PAGE_SIZE * STORE_PAGE_SIZE,
                image + n % (*len / STORE_PAGE_SIZE) * STORE_PAGE_SIZE, STORE_PAGE_SIZE);
        break;
    case 4:
        memmove(image + at, image + n % (*len - 16), *len - at < 16 ? *len - at : 16);
        break;
    case 5:
        if (n % 8 == 0)
            *len = (at / STORE_PAGE_SIZE + 1) * STORE_PAGE_SIZE;
        break;
    }
}

static void look(uint64_t world)
{
    struct sosia_blob first, second;
    uint64_t again;
    MUST(sosia_world_dump(engine, world, &first, &why));
    struct bytes b = export(world);
    MUST(world_import_image(engine, b.data, b.len, NULL, true, &again, &why));
    MUST(sosia_world_dump(engine, again, &second, &why));
    CHECK(strcmp(first.data, second.data) == 0);
    sosia_blob_free(&first);
    sosia_blob_free(&second);
    MUST(sosia_world_drop(engine, again, &why));
}

/* The file that the input is, or describes. */
static struct bytes file_of(const struct bytes *from, const uint8_t *data, size_t size)
{
    bool raw = size >= 16 && memcmp(data, "SQLite format 3", 16) == 0;
    struct bytes b = {.len = raw ? size : from->len};
    b.data = sqlite3_malloc64(b.len + 1);
    CHECK(b.data);
    memcpy(b.data, raw ? data : from->data, b.len);
    for (size_t i = 0; !raw && i + 8 <= size; i += 8)
        change(b.data, &b.len, data + i);
    return b;
}

static void is_ok(sqlite3 *db, const char *query, int expected)
{
    sqlite3_stmt *st;
    CHECK(sqlite3_prepare_v2(db, query, -1, &st, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(st) == expected);
    if (expected == SQLITE_ROW)
        CHECK(strcmp((const char *)sqlite3_column_text(st, 0), "ok") == 0);
    sqlite3_finalize(st);
}

static void read_few(struct bytes b)
{
    struct sosia_err err = {0};
    struct world_origin origin = {0};
    const char *from;
    sqlite3 *db;
    if (import_file(NULL, &few, b.data, b.len, &origin, &from, &db, &err) < 0) {
        CHECK(err.code == SOSIA_E_INVALID && *err.text);
    } else {
        CHECK(sqlite3_exec(db, "commit", NULL, NULL, NULL) == SQLITE_OK);
        is_ok(db, "pragma main.integrity_check", SQLITE_ROW);
        is_ok(db, "pragma main.foreign_key_check", SQLITE_DONE);
        is_ok(db, "select 1 from person where typeof(email) <> 'text'", SQLITE_DONE);
    }
    journal_clear(&origin.journal);
    sqlite3_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    uint64_t world = 0;
    if (!engine)
        start();
    read_few(file_of(&sound_few, data, size));
    if (!fuzz_turn(data, size, 128))
        return 0;
    struct bytes b = file_of(&sound, data, size);
    if (world_import_image(engine, b.data, b.len, NULL, true, &world, &err) < 0) {
        CHECK(err.code == SOSIA_E_INVALID && *err.text && !world);
        return 0;
    }
    look(world);
    MUST(sosia_world_drop(engine, world, &why));
    return 0;
}
