/* SPDX-License-Identifier: Apache-2.0 */
/* A journal whose oldest entries are gone, and its bounds, are the same after a restart. */
#include "tests/support/data_dir.h"

static struct sosia_blob info;

static void read_info(uint64_t world)
{
    sosia_blob_free(&info);
    assert_int_equal(sosia_journal_info(engine, world, &info, &test_err), 0);
}

static char *copied_info(uint64_t world)
{
    read_info(world);
    return strdup(info.data);
}

/* Entries of 1 KB, as calls make them; all are on the disk then. */
static void note_many(uint64_t world, int from, int n)
{
    struct world *w = world_take(engine, world, &test_err);
    assert_non_null(w);
    for (int i = from; i < from + n; i++) {
        struct buf b;
        buf_init(&b, 0);
        buf_printf(&b, "{\"at\":\"2026-01-01T00:00:00Z\",\"n\":%d,\"x\":\"%0*d\"}", i, 1000, i);
        world_add_entry(engine, w, &b, NULL);
        buf_done(&b);
        if (i % 100 == 0)
            assert_int_equal(world_changed(engine, w, &test_err), 0);
    }
    assert_int_equal(world_changed(engine, w, &test_err), 0);
    uint64_t ticket = w->ticket;
    world_drop(w);
    assert_int_equal(engine_sync(engine, ticket, &test_err), 0);
}

struct extent {
    int64_t first, last, n;
    uint64_t hash;
};

static int look(void *arg, int64_t seq, const char *entry, size_t len)
{
    struct extent *x = arg;
    x->first = x->n++ ? x->first : seq;
    x->last = seq;
    x->hash = x->hash * 31 + hash_bytes(entry, len);
    return 0;
}

/* What there is, until the next call. */
static const char *entries(uint64_t world)
{
    static char text[100];
    struct extent x = {0};
    struct world *w = world_take(engine, world, &test_err);
    assert_non_null(w);
    assert_int_equal(journal_each_of(w->past, w->extra ? &w->extra->journal : NULL, 0, INT64_MAX,
                                     INT64_MAX, look, &x),
                     0);
    world_drop(w);
    assert_int_equal(x.last - x.first + 1, x.n);
    snprintf(text, sizeof text, "%lld to %lld: %llx", (long long)x.first, (long long)x.last,
             (unsigned long long)x.hash);
    return text;
}

static void a_cut_is_the_same_after_a_restart(void **state)
{
    start();
    uint64_t w = make("one");
    note_many(w, 0, 10);
    assert_int_equal(sosia_world_journal_bounds(engine, w, 3 << 20, 1 << 20, &test_err), 0);
    for (int i = 0; i < 3; i++) {
        note_many(w, 10 + i * 3000, 3000);
        char *before = copied_info(w);
        assert_null(strstr(before, "\"first\": 1,"));
        assert_non_null(strstr(before, "\"most_bytes\": 1048576"));
        assert_non_null(strstr(before, "\"most_bytes\": 3145728"));
        char *all = strdup(entries(w));
        restart();
        read_info(w);
        char *refused = strstr(before, "\"steps\""); /* states are in memory only */
        *refused = 0;
        assert_int_equal(strncmp(info.data, before, strlen(before)), 0);
        assert_string_equal(strstr(info.data, "\"head\""), strstr(refused + 1, "\"head\""));
        assert_string_equal(entries(w), all);
        free(all);
        free(before);
    }
    sosia_blob_free(&info);
    stop();
}

/* So is that of a fork, which goes on from it. */
static void a_fork_of_it_is_too(void **state)
{
    start();
    uint64_t w = make("one");
    assert_int_equal(sosia_world_journal_bounds(engine, w, -1, 1 << 20, &test_err), 0);
    note_many(w, 0, 3000);
    uint64_t f = fork_of(w);
    note_many(f, 3000, 3);
    char *before = copied_info(f), *all = strdup(entries(f));
    note_many(w, 4000, 3000);
    restart();
    read_info(f);
    char *head = strstr(before, "\"head\"");
    assert_string_equal(strstr(info.data, "\"head\""), head);
    assert_string_equal(entries(f), all);
    note_many(f, 5000, 3000); /* its own go as well */
    free(all);
    free(before);
    all = strdup(entries(f));
    before = copied_info(f);
    restart();
    read_info(f);
    assert_string_equal(strstr(info.data, "\"head\""), strstr(before, "\"head\""));
    assert_string_equal(entries(f), all);
    free(all);
    free(before);
    sosia_blob_free(&info);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cut_is_the_same_after_a_restart),
        TEST(a_fork_of_it_is_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
