/* SPDX-License-Identifier: Apache-2.0 */
/* Stores with flipped bits, and checks of stores. */
#include "tests/support/data_dir.h"
#include "tests/support/dose.h"
#include "engine/durable/durable_impl.h"

/* ---- flipped bits ---- */

struct seen {
    uint64_t world;
    char *dump, *notes;
};

static void look(uint64_t world, struct seen *ret)
{
    struct sosia_blob dump;
    assert_int_equal(sosia_world_dump(engine, world, &dump, &test_err), 0);
    *ret = (struct seen){.world = world, .dump = dump.data, .notes = strdup(notes(world))};
}

/* False: the world is damaged, and says so. */
static bool assert_seen(const struct seen *before)
{
    struct seen now;
    struct sosia_blob dump;
    if (sosia_world_dump(engine, before->world, &dump, &test_err) < 0) {
        assert_int_equal(test_err.code, SOSIA_E_IO);
        return false;
    }
    sosia_blob_free(&dump);
    look(before->world, &now);
    assert_string_equal(now.dump, before->dump);
    assert_string_equal(now.notes, before->notes);
    free(now.dump);
    free(now.notes);
    return true;
}

static uint8_t *read_store(const char *path, size_t *ret_len)
{
    struct stat s;
    FILE *f = fopen(path, "r");
    assert_true(f && fstat(fileno(f), &s) == 0);
    uint8_t *bytes = malloc((size_t)s.st_size);
    assert_int_equal(fread(bytes, 1, (size_t)s.st_size, f), s.st_size);
    fclose(f);
    *ret_len = (size_t)s.st_size;
    return bytes;
}

static void write_store(const char *path, const uint8_t *bytes, size_t len)
{
    char log[160];
    snprintf(log, sizeof log, "%s-wal", path);
    unlink(log);
    FILE *f = fopen(path, "w");
    assert_true(f && fwrite(bytes, 1, len, f) == len && fclose(f) == 0);
}

static void a_flipped_bit_is_never_served_as_other_content(void **state)
{
    struct seen before[3];
    char path[128];
    size_t len;
    uint64_t random = 1;
    int refused = 0, flips = getenv("SOSIA_FLIPS") ? atoi(getenv("SOSIA_FLIPS")) : dose(500, 50);
    start();
    uint64_t w = make("one"), f = fork_of(w), g = fork_of(w);
    assert_int_equal(add(f, "bob"), 0);
    assert_int_equal(add(g, "cid"), 0);
    note(f, "note", true);
    note(g, "other", true);
    look(w, &before[0]);
    look(f, &before[1]);
    look(g, &before[2]);
    stop();
    snprintf(path, sizeof path, "%s/sosia.db", dir);
    uint8_t *bytes = read_store(path, &len);
    for (int i = 0; i < flips; i++) {
        /* Each fourth is in the header or in the first page: there is much that SQLite reads. */
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        size_t bit = (random >> 20) % (8 * (i % 4 ? len : 16384));
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        write_store(path, bytes, len);
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (try_open() < 0) {
            refused++;
            continue;
        }
        bool all = true;
        for (size_t k = 0; k < SOSIA_LEN(before); k++)
            all &= assert_seen(&before[k]);
        refused += !all;
        assert_int_equal(engine_live(engine), SOSIA_LEN(before));
        stop();
    }
    assert_true(refused > flips / 4); /* the others lie where nothing is */
    for (size_t k = 0; k < SOSIA_LEN(before); k++) {
        free(before[k].dump);
        free(before[k].notes);
    }
    free(bytes);
}

/* ---- checks ---- */

static const char *check(bool whole, const char *rescue)
{
    static char text[4000];
    struct sosia_blob b;
    bool found;
    if (sosia_data_check(dir, rescue, &b, &found, &test_err) < 0)
        fail_msg("check: %s", test_err.text);
    assert_int_equal(found, whole);
    snprintf(text, sizeof text, "%s", b.data);
    sosia_blob_free(&b);
    return text;
}

static void a_check_says_which_worlds_are_whole_and_rescues_them(void **state)
{
    char file[200], key[17], text[200];
    uint64_t id;
    start();
    uint64_t w = make("one"), f = fork_of(w), g = fork_of(w);
    assert_int_equal(add(f, "bob"), 0);
    assert_int_equal(add(g, "cid"), 0);
    assert_int_equal(
        sosia_data_check(dir, NULL, &(struct sosia_blob){0}, &(bool){false}, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_CONFLICT);
    stop();
    assert_non_null(strstr(check(true, NULL), "\"damage\": []"));
    /* One of the pages that only the last of them has. */
    ask("update page set data = zeroblob(length(data)) where id = (select max(id) from page)");
    const char *all = check(false, dir);
    world_key(g, key);
    snprintf(text, sizeof text,
             "\"world\": \"%s\",\n      \"whole\": false,\n      \"why\": \"lacks pages\"", key);
    assert_non_null(strstr(all, text));
    assert_non_null(strstr(all, "\"kind\": \"page\""));
    snprintf(file, sizeof file, "%s/%s.db", dir, key);
    assert_int_equal(access(file, F_OK), -1);
    world_key(f, key);
    snprintf(file, sizeof file, "%s/%s.db", dir, key);
    assert_int_equal(sosia_engine_open(NULL, &engine, &test_err), 0);
    assert_int_equal(sosia_world_import(engine, file, "rescued", &id, &test_err), 0);
    assert_true(has(id, "bob"));
    stop();
    /* It was only looked at. */
    start();
    assert_true(has(f, "bob"));
    assert_int_equal(sosia_world_dump(engine, g, &(struct sosia_blob){0}, &test_err), -1);
    stop();
    assert_int_equal(rmdir(dir), -1);
}

static void a_check_needs_a_store_and_makes_none(void **state)
{
    struct sosia_blob b;
    bool whole;
    char path[128];
    assert_int_equal(sosia_data_check(dir, NULL, &b, &whole, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    snprintf(path, sizeof path, "%s/none", dir);
    assert_int_equal(sosia_data_check(path, NULL, &b, &whole, &test_err), -1);
    assert_int_equal(access(path, F_OK), -1);
    /* An empty file stays as it is. */
    struct stat s;
    snprintf(path, sizeof path, "%s/sosia.db", dir);
    write_store(path, (const uint8_t *)"", 0);
    assert_int_equal(sosia_data_check(dir, NULL, &b, &whole, &test_err), -1);
    assert_non_null(strstr(test_err.text, "is empty"));
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_flipped_bit_is_never_served_as_other_content),
        TEST(a_check_says_which_worlds_are_whole_and_rescues_them),
        TEST(a_check_needs_a_store_and_makes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
