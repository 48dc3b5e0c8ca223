/* SPDX-License-Identifier: Apache-2.0 */
/* Large bodies over loopback, to the server and from it. bench/bytes.c measures more of it. */
#include "tests/support/descriptors.h"
#include "tests/support/unit.h"
#include "tests/support/files.h"
#include "server/server.h"
#include "tests/support/wire.h"
#include <signal.h>
#include <sys/resource.h>

#define LARGE ((int64_t)64 << 20)
#define SMALL ((int64_t)3 << 20)

static const struct sosia_service *const services[] = {&files_service, NULL};
static struct sosia_engine *engine;
static struct server *server;
static struct sosia_err err;
static uint64_t world;
static char dir[64];
static int idle; /* descriptors that are open while nobody asks for anything */

static int open_with(size_t max_bodies)
{
    struct server_options o = SERVER_OPTIONS_INIT;
    strcpy(dir, "/tmp/sosia-bytes-XXXXXX");
    if (!mkdtemp(dir) ||
        engine_open(&(struct sosia_engine_options){.spool_dir = dir}, services, &engine, &err) <
            0 ||
        sosia_world_create(engine, NULL, &world, &err) < 0 ||
        sosia_world_journal_keep(engine, world, SOSIA_KEEP_REDACTED, 0, &err) < 0)
        return -1; /* states of steps would hold what files were */
    sosia_engine_default_world(engine, world);
    o.engine = engine;
    o.threads = 1;
    o.max_body = 1 << 20; /* of methods that don't say */
    o.max_bodies = max_bodies;
    o.control_key = "key-of-tests";
    o.log_level = SERVER_LOG_OFF;
    if (server_start(&o, &server, &err) < 0)
        return -1;
    idle = count_open();
    return 0;
}

static int open_all(void **state)
{
    return open_with(0);
}

static int open_tight(void **state)
{
    return open_with(300 << 10);
}

static int close_all(void **state)
{
    server_stop(server);
    sosia_engine_close(engine);
    return rmdir(dir); /* nothing is left there */
}

/* Until the server has let go of what a client that is gone left behind. */
static void assert_idle(void)
{
    for (int i = 0; i < 3000 && count_open() != idle; i++)
        usleep(10000);
    assert_int_equal(count_open(), idle);
}

static int64_t pages(void)
{
    struct sosia_engine_info info;
    sosia_engine_info(engine, &info);
    return (int64_t)info.size;
}

static int connected(void)
{
    int fd = wire_open(server_port(server));
    assert_true(fd >= 0);
    return fd;
}

static struct wire_answer a;

static void put(int64_t n, bool chunked)
{
    char expected[64];
    int fd = connected();
    assert_int_equal(wire_request(fd, "PUT", "/files/a", "", chunked ? -1 : n, n), 0);
    assert_int_equal(wire_answer(fd, 0, true, &a, NULL, NULL), 0);
    close(fd);
    assert_int_equal(a.status, 200);
    snprintf(expected, sizeof expected, "{\"length\":%lld,", (long long)n);
    assert_int_equal(strncmp(a.body, expected, strlen(expected)), 0);
}

static void get(const char *method, const char *fields, int64_t from,
                void (*each)(void *arg, int64_t at), void *arg)
{
    int fd = connected();
    assert_int_equal(wire_request(fd, method, "/files/a", fields, 0, 0), 0);
    assert_int_equal(wire_answer(fd, from, strcmp(method, "HEAD") != 0, &a, each, arg), 0);
    close(fd);
}

/* ---- tests ---- */

static int64_t highest;

static void note_memory(void *arg, int64_t at)
{
    static int64_t last;
    if (at - last < (1 << 20) && at > last)
        return;
    last = at;
    int64_t now = wire_memory(getpid());
    highest = now > highest ? now : highest;
}

static void memory_holds_the_stored_bytes_once(void **state)
{
    put(SMALL, false); /* what the first request brings */
    int64_t memory = wire_memory(getpid()), stored = pages();
    put(LARGE, false);
    int64_t grown = wire_memory(getpid()) - memory;
    stored = pages() - stored;
    assert_true(stored > LARGE - 2 * SMALL && stored < LARGE + LARGE / 20);
    if (getenv("SOSIA_SHOW"))
        print_message("grown %lld, stored %lld\n", (long long)grown, (long long)stored);
    memory = highest = wire_memory(getpid());
    get("GET", "", 0, note_memory, NULL);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.length, LARGE);
    assert_true(a.as_sent);
    if (getenv("SOSIA_SHOW"))
        print_message("at most %lld more for the download\n", (long long)(highest - memory));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    assert_true(grown < stored + (24 << 20));
    assert_true(highest < memory + (4 << 20)); /* flat */
#endif
    assert_idle();
}

static int64_t fork_cost(void)
{
    uint64_t fork;
    int64_t before = pages();
    assert_int_equal(sosia_world_fork(engine, world, NULL, &fork, &err), 0);
    return pages() - before;
}

static void a_fork_costs_what_any_costs(void **state)
{
    put(1000, false);
    int64_t small = fork_cost();
    put(LARGE, false);
    assert_int_equal(fork_cost(), small);
    assert_true(small < 1024);
}

static void bodies_may_come_in_chunks(void **state)
{
    put(SMALL, true);
    put(1000, true);
    put(SMALL, true);
    get("GET", "", 0, NULL, NULL);
    assert_int_equal(a.length, SMALL);
    assert_true(a.as_sent);
}

static void ranges_and_heads_are_given(void **state)
{
    put(SMALL, false);
    get("GET", "Range: bytes=100000-2999999\r\n", 100000, NULL, NULL);
    assert_int_equal(a.status, 206);
    assert_int_equal(a.length, 2900000);
    assert_true(a.as_sent);
    assert_non_null(strstr(a.head, "Content-Range: bytes 100000-2999999/3145728\r\n"));
    get("GET", "Range: bytes=0-9,20-29\r\n", 0, NULL, NULL);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.length, SMALL);
    get("GET", "Range: bytes=0-9\r\nIf-Range: \"two\"\r\n", 0, NULL, NULL);
    assert_int_equal(a.status, 200);
    get("GET", "Range: bytes=9999999-\r\n", 0, NULL, NULL);
    assert_int_equal(a.status, 416);
    get("HEAD", "", 0, NULL, NULL);
    assert_int_equal(a.status, 200);
    assert_int_equal(a.promised, SMALL);
}

static void a_body_that_is_cut_leaves_nothing(void **state)
{
    int64_t stored = pages();
    for (int i = 0; i < 3; i++) {
        int fd = connected();
        assert_int_equal(wire_request(fd, "PUT", "/files/a", "", LARGE, SMALL), 0);
        close(fd);
    }
    assert_idle();
    assert_int_equal(pages(), stored);
    get("GET", "", 0, NULL, NULL);
    assert_int_equal(a.status, 404);
}

static void a_client_that_leaves_a_download_leaves_nothing(void **state)
{
    put(LARGE, false);
    int fd = connected();
    char part[1000];
    assert_int_equal(wire_request(fd, "GET", "/files/a", "", 0, 0), 0);
    assert_true(recv(fd, part, sizeof part, 0) > 0);
    close(fd);
    assert_idle();
    put(SMALL, false);
    assert_true(pages() < LARGE / 2); /* nobody holds what the file was */
}

static void write_over(void *arg, int64_t at)
{
    bool *written = arg;
    if (!*written)
        put(SMALL, false);
    *written = true;
}

static void later_writes_do_not_change_a_download(void **state)
{
    struct wire_answer mine;
    bool written = false;
    put(LARGE, false);
    int fd = connected();
    assert_int_equal(wire_request(fd, "GET", "/files/a", "", 0, 0), 0);
    assert_int_equal(wire_answer(fd, 0, true, &mine, write_over, &written), 0);
    close(fd);
    assert_int_equal(mine.length, LARGE);
    assert_true(mine.as_sent);
}

static void methods_that_take_less_get_less(void **state)
{
    int fd = connected();
    assert_int_equal(
        wire_request(fd, "POST", "/files/a/note", "Expect: 100-continue\r\n", SMALL, 0), 0);
    assert_int_equal(wire_answer(fd, 0, true, &a, NULL, NULL), 0);
    close(fd);
    assert_int_equal(a.status, 413);
    fd = connected(); /* and one that takes very much does not take more */
    assert_int_equal(
        wire_request(fd, "PUT", "/files/a", "Expect: 100-continue\r\n", FILES_MAX + 1, 0), 0);
    assert_int_equal(wire_answer(fd, 0, true, &a, NULL, NULL), 0);
    close(fd);
    assert_int_equal(a.status, 413);
}

static void a_full_disk_is_said(void **state)
{
    struct rlimit before, small;
    static const int64_t lengths[] = {SMALL, (2 << 20) + 1000}; /* midway, and at the end */
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 2 << 20;
    for (size_t i = 0; i < SOSIA_LEN(lengths); i++) {
        int fd = connected();
        setrlimit(RLIMIT_FSIZE, &small);
        int rc = wire_request(fd, "PUT", "/files/a", "", lengths[i], lengths[i]);
        if (rc == 0)
            rc = wire_answer(fd, 0, true, &a, NULL, NULL);
        setrlimit(RLIMIT_FSIZE, &before);
        close(fd);
        assert_int_equal(rc, 0);
        assert_int_equal(a.status, 507);
        assert_non_null(strstr(a.body, "\"reason\":\"spoolFull\""));
        assert_idle();
    }
    put(SMALL, false);
}

/* Until so much is held for bodies. */
static void await_held(uint64_t bytes)
{
    struct server_metrics m;
    server_metrics(server, &m);
    for (int i = 0; i < 3000 && m.body_bytes != bytes; i++) {
        usleep(10000);
        server_metrics(server, &m);
    }
    assert_int_equal(m.body_bytes, bytes);
}

/* Each that comes has a piece in memory, which is in the budget as bodies in memory are. */
static void spools_are_in_the_budget(void **state)
{
    int held[2];
    (void)state;
    for (uint64_t i = 0; i < SOSIA_LEN(held); i++) {
        held[i] = connected();
        assert_int_equal(wire_request(held[i], "PUT", "/files/a", "", SMALL, 1000), 0);
        await_held((i + 1) * (128 << 10));
    }
    int fd = connected();
    assert_int_equal(wire_request(fd, "PUT", "/files/a", "", SMALL, SMALL), 0);
    assert_int_equal(wire_answer(fd, 0, true, &a, NULL, NULL), 0);
    close(fd);
    assert_int_equal(a.status, 503);
    close(held[0]);
    close(held[1]);
    await_held(0);
    put(SMALL, false);
    await_held(0);
    assert_idle();
}

/* A download that nobody reads keeps a piece, in the budget too; without room it is a short one. */
static void pieces_of_downloads_are_in_the_budget(void **state)
{
    char part[1000];
    int fd = connected();
    put(LARGE, false);
    assert_int_equal(wire_request(fd, "GET", "/files/a", "", 0, 0), 0);
    assert_true(recv(fd, part, sizeof part, 0) > 0);
    await_held(256 << 10);
    get("GET", "", 0, NULL, NULL);
    assert_int_equal(a.length, LARGE);
    assert_true(a.as_sent);
    await_held(256 << 10);
    close(fd);
    await_held(0);
    assert_idle();
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        T(memory_holds_the_stored_bytes_once),
        T(a_fork_costs_what_any_costs),
        T(bodies_may_come_in_chunks),
        T(ranges_and_heads_are_given),
        T(a_body_that_is_cut_leaves_nothing),
        T(a_client_that_leaves_a_download_leaves_nothing),
        T(later_writes_do_not_change_a_download),
        T(methods_that_take_less_get_less),
        T(a_full_disk_is_said),
        cmocka_unit_test_setup_teardown(spools_are_in_the_budget, open_tight, close_all),
        cmocka_unit_test_setup_teardown(pieces_of_downloads_are_in_the_budget, open_tight,
                                        close_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
