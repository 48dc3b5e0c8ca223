/* SPDX-License-Identifier: Apache-2.0 */
/* The durable store: what a small change puts into the log, and worlds whose pages are read when
 * they are wanted. */
#include "engine/durable/durable_impl.h"
#include "engine/world/parking.h"
#include "tests/support/data_dir.h"
#include "tests/support/dose.h"
#include <fcntl.h>
#include <pthread.h>

/* ---- the log ---- */

static void read_file(const char *name, int64_t at, void *to, size_t n)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, to, n, at), n);
    close(fd);
}

/* Frames of the log that are on disk, and bytes of one. */
static int64_t frames(int64_t *ret_size)
{
    uint8_t size[4];
    uint32_t n;
    read_file("log-mark", 8, &n, sizeof n);
    read_file("sosia.db-wal", 8, size, sizeof size);
    *ret_size = 24 + (size[0] << 24 | size[1] << 16 | size[2] << 8 | size[3]);
    return n;
}

static void insert_event(uint64_t world, int n)
{
    char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + 10], body[300];
    struct sosia_token_options opt = {.actor = "ada@acme.example"};
    struct sosia_response *res;
    assert_int_equal(sosia_token_issue(engine, world, &opt, token, sizeof token, &test_err), 0);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    int len = snprintf(body, sizeof body,
                       "{\"summary\":\"Event %d\",\"start\":{\"dateTime\":"
                       "\"2026-11-24T10:00:00+01:00\"},\"end\":{\"dateTime\":"
                       "\"2026-11-24T11:00:00+01:00\"}}",
                       n);
    struct sosia_header headers[] = {{"Authorization", bearer},
                                     {"Content-Type", "application/json"}};
    struct sosia_request req = {.method = "POST",
                                .target = "/calendar/v3/calendars/primary/events",
                                .headers = headers,
                                .n_headers = SOSIA_LEN(headers),
                                .body = body,
                                .body_len = (size_t)len};
    assert_int_equal(sosia_call(engine, world, &req, &res, &test_err), 0);
    assert_int_equal(res->status, 200);
    sosia_response_free(res);
}

static void a_small_change_is_small_in_the_log(void **state)
{
    enum { WARM = 50, N = 200, MOST = 40 * 1024 };
    start();
    uint64_t w = make(NULL);
    assert_int_equal(sosia_world_journal_mode(engine, w, SOSIA_JOURNAL_ALL, &test_err), 0);
    for (int i = 0; i < WARM; i++)
        insert_event(w, i);
    int64_t all = 0, size, before = frames(&size), now;
    for (int i = 0; i < N; i++, before = now) {
        insert_event(w, WARM + i);
        now = frames(&size);
        all += (now < before ? now : now - before) * size; /* it may have begun anew */
    }
    if (all / N > MOST)
        fail_msg("a small change has %lld bytes in the log, of %d", (long long)(all / N), MOST);
}

/* ---- worlds that are parked ---- */

static bool is_parked(uint64_t world)
{
    struct world *w = world_look(engine, world, &test_err);
    assert_non_null(w);
    bool parked = world_is_parked(w);
    world_drop(w);
    return parked;
}

/* Many people: pages of the world's own. */
static void fill(uint64_t world, int n)
{
    char name[40];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "somebody.with.a.long.name.%d", i);
        assert_int_equal(add(world, name), 0);
    }
}

static char *dump_of(uint64_t world)
{
    struct sosia_blob b;
    if (sosia_world_dump(engine, world, &b, &test_err) < 0)
        fail_msg("dump: %s", test_err.text);
    return b.data;
}

static int count_info(void *arg, const struct sosia_world_info *info)
{
    struct sosia_world_info *list = arg;
    while (list->id)
        list++;
    *list = *info;
    return 0;
}

static void opening_reads_no_pages_and_a_call_those_of_its_world(void **state)
{
    enum { N = 4 };
    struct sosia_world_info before[N + 2] = {0}, after[N + 2] = {0};
    uint64_t w[N];
    char *dumps[N];
    start();
    for (int i = 0; i < N; i++) {
        w[i] = make(NULL);
        fill(w[i], 20);
        note(w[i], "said", true);
        dumps[i] = dump_of(w[i]);
    }
    sosia_world_list(engine, 0, count_info, before, &test_err);
    uint64_t full = store_resident(engine->store);
    restart();
    uint64_t empty = store_resident(engine->store);
    sosia_world_list(engine, 0, count_info, after, &test_err);
    for (int i = 0; i < N; i++) {
        assert_true(is_parked(w[i]) && exists(w[i]) && is_parked(w[i]));
        assert_memory_equal(&before[i], &after[i], sizeof *before);
    }
    assert_true(empty < full / 2);
    for (int i = 0; i < N; i++) {
        char *dump = dump_of(w[i]);
        assert_string_equal(dump, dumps[i]);
        assert_string_equal(notes(w[i]), "1:said ");
        assert_false(is_parked(w[i]));
        for (int k = i + 1; k < N; k++)
            assert_true(is_parked(w[k]));
        free(dump);
        free(dumps[i]);
    }
    assert_true(store_resident(engine->store) > empty + (full - empty) / 2);
}

static void a_parked_world_is_what_it_was(void **state)
{
    start();
    uint64_t w = make("main"), f = fork_of(w), s;
    fill(f, 5);
    note(f, "one", true);
    note(f, "two", false);
    assert_int_equal(sosia_world_snapshot(engine, f, "snap", &s, &test_err), 0);
    char *before = dump_of(f);
    for (int i = 0; i < 3; i++) {
        /* What only reads have moved goes to the disk first. */
        while (!world_park(engine, f) || !world_park(engine, s) || !world_park(engine, w))
            usleep(1000);
        assert_true(is_parked(w) && is_parked(f) && is_parked(s));
        struct world_life
            life; /* which reads nothing: how many calls there were is not known then */
        assert_int_equal(engine_life(engine, f, &life, &test_err), 0);
        assert_true(life.made_us > 0 && life.calls == -1 && is_parked(f));
        char *after = dump_of(f);
        assert_string_equal(after, before);
        free(after);
        assert_string_equal(notes(f), "1:one 2:two ");
        assert_int_equal(engine_life(engine, f, &life, &test_err), 0);
        assert_int_equal(life.calls, 2);
    }
    free(before);
    assert_int_equal(add(f, "bob"), 0);
    note(f, "three", true);
    while (!world_park(engine, f))
        usleep(1000);
    assert_true(has(f, "bob"));
    assert_string_equal(notes(f), "1:one 2:two 3:three ");
    while (!world_park(engine, f))
        usleep(1000);
    assert_int_equal(sosia_world_reset(engine, f, &test_err), 0);
    assert_true(has(f, "ada") && !has(f, "bob"));
    while (!world_park(engine, s))
        usleep(1000);
    assert_int_equal(sosia_world_reset_to(engine, f, s, &test_err), 0);
    restart();
    assert_true(has(f, "ada") && !has(f, "bob") && has(s, "somebody.with.a.long.name.1"));
    stop();
    struct sosia_blob found;
    bool whole;
    assert_int_equal(sosia_data_check(dir, NULL, &found, &whole, &test_err), 0);
    assert_true(whole);
    sosia_blob_free(&found);
}

static void what_worlds_share_is_in_memory_once(void **state)
{
    enum { N = 30 };
    uint64_t f[N];
    start();
    uint64_t w = make(NULL);
    fill(w, 40);
    for (int i = 0; i < N; i++) {
        f[i] = fork_of(w);
        assert_int_equal(add(f[i], "own"), 0);
    }
    restart();
    uint64_t empty = store_size(engine->store);
    assert_true(has(f[0], "own"));
    uint64_t one = store_size(engine->store) - empty;
    for (int i = 1; i < N; i++)
        assert_true(has(f[i], "own"));
    uint64_t all = store_size(engine->store) - empty;
    assert_true(all < one * N / 2);
    /* And leaves it with the last of them. */
    for (int i = 0; i < N; i++)
        while (!world_park(engine, f[i]))
            usleep(1000);
    assert_int_equal(store_size(engine->store), empty);
    /* Of one that goes on alone others keep what was. */
    assert_true(has(f[0], "own"));
    assert_int_equal(add(f[0], "new"), 0);
    assert_int_equal(sosia_world_drop(engine, w, &test_err), 0);
    assert_true(has(f[1], "own") && !has(f[1], "new") && has(f[0], "new"));
}

static void a_page_that_can_not_be_read_fails_the_call_alone(void **state)
{
    struct sosia_blob dump;
    int failed = 0;
    start();
    uint64_t w = make(NULL), f = fork_of(w);
    fill(w, 40);
    char *before = dump_of(w);
    for (long n = 1;; n++) {
        restart();
        uint64_t empty = store_size(engine->store);
        disk_fail_reads(n);
        int rc = sosia_world_dump(engine, w, &dump, &test_err);
        disk_fail_reads(0);
        if (rc == 0) {
            sosia_blob_free(&dump);
            break;
        }
        failed++;
        assert_int_equal(test_err.code, SOSIA_E_IO);
        assert_true(is_parked(w));
        assert_true(has(f, "ada"));
        while (!world_park(engine, f))
            usleep(1000);
        assert_int_equal(store_size(engine->store), empty);
        char *after = dump_of(w);
        assert_string_equal(after, before);
        free(after);
        if (n > 8)
            n += n / 4;
    }
    assert_true(failed > 5);
    free(before);
}

static void worlds_that_nobody_uses_are_parked(void **state)
{
    struct sosia_engine_options opt = {.data_dir = dir, .park_after_us = 200000};
    assert_int_equal(sosia_engine_open(&opt, &engine, &test_err), 0);
    uint64_t w = make(NULL), used = make(NULL);
    for (int i = 0; i < 2000 && !is_parked(w); i++) {
        assert_true(has(used, "ada"));
        sosia_engine_sweep(engine);
        usleep(2000);
    }
    assert_true(is_parked(w) && !is_parked(used));
    assert_true(has(w, "ada"));
    stop();
    /* Or when memory is short: those of old first. */
    opt = (struct sosia_engine_options){.data_dir = dir, .park_over = 1};
    assert_int_equal(sosia_engine_open(&opt, &engine, &test_err), 0);
    assert_true(has(w, "ada") && has(used, "ada"));
    for (int i = 0; i < 6000 && !(is_parked(w) && is_parked(used)); i++) {
        sosia_engine_sweep(engine);
        usleep(1000);
    }
    assert_true(is_parked(w) && is_parked(used));
}

static void without_room_a_world_stays_parked(void **state)
{
    struct sosia_engine_options opt = {.data_dir = dir, .max_size = 160 * 1024};
    struct sosia_blob dump;
    start();
    uint64_t w = make(NULL), f = make(NULL);
    fill(w, 60);
    fill(f, 20);
    stop();
    assert_int_equal(sosia_engine_open(&opt, &engine, &test_err), 0);
    assert_int_equal(sosia_world_dump(engine, w, &dump, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_FULL);
    assert_true(is_parked(w));
    assert_true(has(f, "somebody.with.a.long.name.3"));
    restart();
    assert_true(has(w, "somebody.with.a.long.name.59"));
}

/* ---- threads ---- */

enum { WORLDS = 12, THREADS = 3 };

struct crowd {
    uint64_t w[WORLDS];
    _Atomic(int) added[WORLDS], left;
    int n;
};

static void *use_worlds(void *arg)
{
    struct crowd *c = arg;
    struct sosia_err err;
    char doc[128];
    uint64_t random = (uint64_t)(uintptr_t)&doc;
    for (int i = 0; i < c->n; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        int k = (int)(random >> 33) % WORLDS, n = atomic_fetch_add(&c->added[k], 1);
        snprintf(doc, sizeof doc, "{\"sosia\":1,\"people\":[{\"email\":\"p%d@acme.example\"}]}", n);
        assert_int_equal(sosia_world_seed(engine, c->w[k], doc, strlen(doc), NULL, &err), 0);
    }
    atomic_fetch_sub(&c->left, 1);
    return NULL;
}

static void worlds_are_parked_under_those_who_use_them(void **state)
{
    struct sosia_engine_options opt = {.data_dir = dir, .park_after_us = 1};
    struct crowd c = {.left = THREADS, .n = dose(150, 40)};
    pthread_t threads[THREADS];
    char name[40];
    int parked = 0;
    assert_int_equal(sosia_engine_open(&opt, &engine, &test_err), 0);
    c.w[0] = make(NULL);
    for (int i = 1; i < WORLDS; i++)
        c.w[i] = fork_of(c.w[i / 2]);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_worlds, &c), 0);
    while (atomic_load(&c.left)) {
        for (int i = 0; i < WORLDS; i++)
            parked += world_park(engine, c.w[i]);
        sosia_engine_sweep(engine);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(parked > WORLDS);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < WORLDS; i++) {
            int n = atomic_load(&c.added[i]);
            snprintf(name, sizeof name, "p%d", n - 1);
            assert_true(!n || has(c.w[i], name));
            snprintf(name, sizeof name, "p%d", n);
            assert_true(!has(c.w[i], name));
        }
        restart();
    }
    /* And no row is left behind. */
    for (int i = 0; i < WORLDS; i++)
        assert_int_equal(sosia_world_drop(engine, c.w[i], &test_err), 0);
    restart();
    stop();
    assert_int_equal(ask("select count(*) from world") + ask("select count(*) from journal"), 0);
}

/* ---- the upgrade ---- */

/* As format 5 had it. */
static void make_old(void)
{
    static const char *const queries[] = {
        "alter table world drop column beside",
        "alter table world drop column pending",
        "alter table world drop column note",
        "update world set sum = " ROW_SUM("world", WORLD_COLUMNS_4),
        "update journal set id = (id & 549755813887) | ((world & 63) << 20)",
        "update journal set sum = " ROW_SUM("journal", JOURNAL_COLUMNS),
        "delete from meta where key like 'tables%'",
        "update meta set value = 5 where key = 'format'",
        "update meta set sum = " ROW_SUM("meta", META_COLUMNS)};
    for (size_t i = 0; i < SOSIA_LEN(queries); i++)
        ask(queries[i]);
}

static void an_interrupted_upgrade_loses_nothing(void **state)
{
    int failed = 0;
    start();
    uint64_t w = make("one"), f = fork_of(w);
    assert_int_equal(add(f, "bob"), 0);
    note(w, "one", true);
    note(f, "two", true);
    note(f, "three", true);
    stop();
    for (long n = 1;; n++) {
        make_old();
        disk_fail(n, 1, n % 2 ? SQLITE_IOERR_WRITE : SQLITE_FULL);
        int rc = try_open();
        disk_fail(0, 0, 0);
        failed += rc < 0;
        if (rc == 0)
            stop();
        start();
        assert_true(has(w, "ada") && !has(w, "bob") && has(f, "bob"));
        assert_string_equal(notes(w), "1:one ");
        assert_string_equal(notes(f), "1:two 2:three ");
        stop();
        if (rc == 0 && n > 3)
            break;
    }
    assert_true(failed > 3);
    assert_int_equal(ask("select value from meta where key = 'format'"), DURABLE_FORMAT);
}

static void a_damaged_row_is_no_whole_one_after_an_upgrade(void **state)
{
    struct sosia_blob dump;
    start();
    uint64_t w = make(NULL), f = make(NULL);
    note(w, "one", true);
    note(f, "two", true);
    stop();
    make_old();
    ask("update journal set entries = zeroblob(length(entries)) where id = (select min(id) from "
        "journal)");
    start();
    int bad = sosia_world_dump(engine, w, &dump, &test_err);
    if (bad == 0)
        sosia_blob_free(&dump);
    int other = sosia_world_dump(engine, f, &dump, &test_err);
    if (other == 0)
        sosia_blob_free(&dump);
    assert_int_equal(bad + other, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_small_change_is_small_in_the_log),
        TEST(opening_reads_no_pages_and_a_call_those_of_its_world),
        TEST(a_parked_world_is_what_it_was),
        TEST(what_worlds_share_is_in_memory_once),
        TEST(a_page_that_can_not_be_read_fails_the_call_alone),
        TEST(worlds_that_nobody_uses_are_parked),
        TEST(without_room_a_world_stays_parked),
        TEST(worlds_are_parked_under_those_who_use_them),
        TEST(an_interrupted_upgrade_loses_nothing),
        TEST(a_damaged_row_is_no_whole_one_after_an_upgrade),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
