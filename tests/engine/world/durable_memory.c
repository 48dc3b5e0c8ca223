/* SPDX-License-Identifier: Apache-2.0 */
/* The durable store and the worlds on it when memory runs out: at each allocation, one by one. */
#include "tests/support/data_dir.h"
#include "tests/support/dose.h"
#include "tests/support/memory.h"
#include <limits.h>

/* The failures that there are at least. */
#ifdef SOSIA_SQLITE_BUNDLED
enum { FEWEST = 2 };
#else /* nothing is counted that another library asks for, and some works ask for nothing else */
enum { FEWEST = 0 };
#endif

static uint64_t world, snap;

static int do_fork(uint64_t *ret)
{
    struct sosia_fork_options opt = {.name = "forked"};
    return sosia_world_fork(engine, world, &opt, ret, &test_err);
}

static int do_create(uint64_t *ret)
{
    static const char doc[] = "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\"}]}";
    struct sosia_world_options opt = {
        .name = "created", .seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    return sosia_world_create(engine, &opt, ret, &test_err);
}

static int do_snapshot(uint64_t *ret)
{
    return sosia_world_snapshot(engine, world, "taken", ret, &test_err);
}

static int do_write(uint64_t *ret)
{
    return add(world, "bob");
}

static int do_reset(uint64_t *ret)
{
    return sosia_world_reset(engine, world, &test_err);
}

static int do_reset_to(uint64_t *ret)
{
    return sosia_world_reset_to(engine, world, snap, &test_err);
}

static int do_rename(uint64_t *ret)
{
    return sosia_world_rename(engine, world, "other", &test_err);
}

static int do_expire(uint64_t *ret)
{
    return sosia_world_ttl(engine, world, INT64_C(3600000000), false, &test_err);
}

static int do_advance(uint64_t *ret)
{
    return sosia_clock_advance(engine, world, 1000000, &test_err);
}

static int do_back(uint64_t *ret)
{
    return sosia_world_reset_step(engine, world, 1, &test_err);
}

static int do_fork_step(uint64_t *ret)
{
    return sosia_world_fork_step(engine, world, 1, NULL, ret, &test_err);
}

static int do_replay(uint64_t *ret)
{
    struct sosia_replay_options opt = {.keep = true};
    struct sosia_blob b;
    if (sosia_journal_replay(engine, world, &opt, ret, &b, &test_err) < 0)
        return -1;
    sosia_blob_free(&b);
    return 0;
}

static int do_drop(uint64_t *ret)
{
    return sosia_world_drop(engine, world, &test_err);
}

static char *dump(uint64_t w)
{
    struct sosia_blob b, j;
    char *all;
    assert_int_equal(sosia_world_dump(engine, w, &b, &test_err), 0);
    assert_int_equal(sosia_journal_list(engine, w, 0, 0, true, &j, &test_err), 0);
    assert_true(asprintf(&all, "%s\n%s", b.data, j.data) > 0);
    sosia_blob_free(&b);
    sosia_blob_free(&j);
    return all;
}

/* A world with two entries in its journal, and a snapshot between them. */
static void prepare(void)
{
    static const char doc[] = "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\"}]}";
    struct sosia_world_options opt = {
        .name = "one", .seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    start();
    assert_int_equal(sosia_world_create(engine, &opt, &world, &test_err), 0);
    assert_int_equal(add(world, "cid"), 0);
    assert_int_equal(sosia_world_snapshot(engine, world, NULL, &snap, &test_err), 0);
    assert_int_equal(add(world, "dan"), 0);
    restart();
}

static void prepare_again(void)
{
    stop();
    assert_int_equal(remove_files(), 0);
    assert_int_equal(mkdir(dir, 0700), 0);
    prepare();
}

#ifdef __SANITIZE_ADDRESS__ /* which takes some five times as long */
enum { STRIDE = 997, OPEN_STRIDE = 1997 };
#else
enum { STRIDE = 199, OPEN_STRIDE = 397 };
#endif

/* The first ones are the work's own; most of the others are of statements that are prepared. */
static long next(long n)
{
    return n + (n < 11 ? 1 : n < 41 ? dose(1, 3) : dose(17, STRIDE));
}

static void assert_same(uint64_t w, const char *before)
{
    char *after = dump(w);
    assert_string_equal(before, after);
    free(after);
}

/* What failed has changed nothing, and can't be found after a restart. */
static void check_failed(const char *before, bool again)
{
    struct sosia_world_info info;
    assert_int_equal(test_err.code, SOSIA_E_NO_MEMORY);
    /* A journal that has to be read from the disk to bring a world back needs memory too. */
    if (again || sosia_world_info(engine, world, &info, &test_err) < 0)
        restart();
    assert_same(world, before);
    assert_true(engine_live(engine) == 2);
}

/* What was done is on disk. */
static void check_done(uint64_t made)
{
    char *now = exists(world) ? dump(world) : NULL, *new = made ? dump(made) : NULL;
    restart();
    assert_int_equal(exists(world), now != NULL);
    if (now)
        assert_same(world, now);
    if (new)
        assert_same(made, new);
    free(now);
    free(new);
}

/* One allocation fails, each in turn, and in every second turn all behind it. */
static void fail_each(int (*work)(uint64_t *ret))
{
    long failures = 0;
    prepare();
    char *before = dump(world);
    for (long n = 1;; n = next(n)) {
        uint64_t made = 0;
        memory_fail(n, n % 2 ? 1 : LONG_MAX);
        int rc = work(&made);
        bool reached = memory_count() >= n;
        memory_fail(0, 0);
        if (rc < 0) {
            check_failed(before, ++failures % 16 == 0);
            continue;
        }
        check_done(made);
        if (!reached)
            break;
        prepare_again(); /* it did without */
        before = (free(before), dump(world));
    }
    assert_true(failures >= FEWEST);
    free(before);
    stop();
    assert_int_equal(remove_files(), 0);
    assert_int_equal(mkdir(dir, 0700), 0);
}

#ifdef __SANITIZE_THREAD__ /* which takes ten times as long, for the same threads */
enum { EACH = 3 };
#else
enum { EACH = 1 };
#endif

static void without_memory_a_change_is_made_or_not(void **state)
{
    static int (*const works[])(uint64_t * ret) = {
        do_write,  do_fork, do_create,  do_snapshot, do_reset,     do_reset_to, do_rename,
        do_expire, do_drop, do_advance, do_back,     do_fork_step, do_replay};
    for (size_t i = 0; i < SOSIA_LEN(works); i += EACH)
        fail_each(works[i]);
}

static struct sosia_blob lines; /* the world's journal, exported */

static int read_list(struct sosia_blob *ret)
{
    return sosia_journal_list(engine, world, 0, 0, true, ret, &test_err);
}

static int read_found(struct sosia_blob *ret)
{
    int64_t next;
    struct sosia_journal_query query = {.text = "cid"};
    return sosia_journal_find(engine, world, &query, ret, &next, &test_err);
}

static int read_info(struct sosia_blob *ret)
{
    return sosia_journal_info(engine, world, ret, &test_err);
}

static int read_lines(struct sosia_blob *ret)
{
    return sosia_journal_export(engine, world, SOSIA_JOURNAL_JSONL, 0, 0, ret, &test_err);
}

static int read_har(struct sosia_blob *ret)
{
    return sosia_journal_export(engine, world, SOSIA_JOURNAL_HAR, 0, 0, ret, &test_err);
}

static int read_spans(struct sosia_blob *ret)
{
    return sosia_journal_export(engine, world, SOSIA_JOURNAL_OTLP, 0, 0, ret, &test_err);
}

static int read_steps(struct sosia_blob *ret)
{
    return sosia_journal_export(engine, world, SOSIA_JOURNAL_ATIF, 0, 0, ret, &test_err);
}

static int read_change(struct sosia_blob *ret)
{
    return sosia_journal_changes(engine, world, 2, ret, &test_err);
}

static int verify_lines(struct sosia_blob *ret)
{
    return sosia_journal_verify(lines.data, lines.len, NULL, NULL, NULL, NULL, &test_err);
}

static void without_memory_nothing_is_read_and_the_error_says_so(void **state)
{
    static int (*const reads[])(struct sosia_blob * ret) = {read_list,  read_found,  read_info,
                                                            read_lines, read_har,    read_spans,
                                                            read_steps, read_change, verify_lines};
    prepare();
    note(
        world,
        "{\"at\":\"2026-03-12T08:00:00Z\",\"request\":{\"verb\":\"POST\",\"target\":\"/x?a=b%20c\","
        "\"body\":\"{\\\"a\\\":[1]}\"},\"response\":{\"status\":200,\"body\":{\"length\":3}}}",
        true);
    assert_int_equal(read_lines(&lines), 0);
    for (size_t i = 0; i < SOSIA_LEN(reads); i++) {
        long failures = 0;
        struct sosia_blob whole = {0};
        assert_int_equal(reads[i](&whole), 0);
        for (long n = 1;; n = next(n)) {
            struct sosia_blob b = {0};
            test_err = (struct sosia_err){0};
            memory_fail(n, n % 2 ? 1 : LONG_MAX);
            int rc = reads[i](&b);
            bool reached = memory_count() >= n;
            memory_fail(0, 0);
            if (rc < 0) {
                assert_int_equal(test_err.code, SOSIA_E_NO_MEMORY);
            } else {
                assert_int_equal(b.len, whole.len);
                assert_true(!b.len || memcmp(b.data, whole.data, b.len) == 0);
            }
            failures += rc < 0;
            sosia_blob_free(&b);
            if (!reached)
                break;
        }
        assert_true(failures >= FEWEST);
        sosia_blob_free(&whole);
    }
    sosia_blob_free(&lines);
}

static void without_memory_a_directory_does_not_open(void **state)
{
    long failures = 0;
    prepare();
    char *before = dump(world);
    stop();
    for (long n = 1;; n += dose(37, OPEN_STRIDE)) {
        memory_fail(n, n % 2 ? 1 : LONG_MAX);
        int rc = try_open();
        bool reached = memory_count() >= n;
        memory_fail(0, 0);
        failures += rc < 0;
        if (rc < 0)
            assert_int_equal(test_err.code, SOSIA_E_NO_MEMORY);
        else
            stop();
        if (!reached)
            break;
    }
    assert_true(failures > 2 * FEWEST);
    start();
    assert_same(world, before);
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_memory_a_change_is_made_or_not),
        TEST(without_memory_nothing_is_read_and_the_error_says_so),
        TEST(without_memory_a_directory_does_not_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
