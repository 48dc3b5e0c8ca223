/* SPDX-License-Identifier: Apache-2.0 */
/* sosia_interrupt(): a signal handler and another thread end what is under way, and the world is as
 * it was; what is not under way, or in another world, is left alone. */
#include "engine/http/call.h"
#include "engine/service.h"
#include "engine/world/engine.h"
#include "identity/identity.h"
#include "tests/support/unit.h"
#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 400, DUE = 2000 };

static struct sosia_engine *engine;
static uint64_t world, other;
static struct sosia_err err;
static char *seed; /* a document with many events */
static size_t seed_len;
static char path[64];

/* ---- who interrupts: a timer's signal, on the thread that works ---- */

static _Atomic(uint64_t) target;
static _Atomic(bool) armed;
static _Atomic(int) asked;

static void on_alarm(int signal)
{
    int was = errno;
    if (armed && sosia_interrupt(engine, target) > 0)
        asked++;
    errno = was;
}

static void timer(long us)
{
    const struct itimerval t = {.it_interval = {.tv_usec = us}, .it_value = {.tv_usec = us}};
    setitimer(ITIMER_REAL, &t, NULL);
}

/* ---- a service whose calls and due entries take as long as one likes ---- */

static int add_due(struct call *c)
{
    for (int i = 0; i < DUE; i++)
        if (due_add(&c->tx, c->tx.now_us + 1000000 + i, "slow", "x", i) < 0)
            return -1;
    c->status = 204;
    return 0;
}

static int on_due(struct tx *tx, const char *kind, int64_t ref)
{
    return outbox_add(tx, "mail", "a", "b", "{}");
}

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
}

static const struct sosia_core slow_core = {.name = "slow", .due = on_due};
static const struct front front = {.error = error};
static const struct vendor vendor = {.name = "slow", .front = &front};
static const struct route rows[] = {{.id = "slow.add",
                                     .verbs = POST,
                                     .paths = PATHS("/slow"),
                                     .handler = add_due,
                                     .anonymous = true,
                                     .risk = RISK_WRITE}};
static const struct rows all_rows = ROWS(rows);
static const char *const prefixes[] = {"/slow", NULL};
static const struct dialect dialect = {
    .name = "slow", .vendor = &vendor, .prefixes = prefixes, .tables = TABLES(&all_rows)};
static const struct sosia_service slow = {
    .name = "slow",
    .cores = (const struct sosia_core *const[]){&identity_core, &slow_core, NULL},
    .dialects = (const struct dialect *const[]){&dialect, NULL}};
static const struct sosia_service *const slow_services[] = {&slow, NULL};

/* ---- worlds ---- */

static void make_seed(void)
{
    FILE *f = open_memstream(&seed, &seed_len);
    assert_non_null(f);
    fprintf(f, "{\"sosia\": 1, \"time\": \"2026-03-02T09:00:00Z\", \"people\": [{\"email\": "
               "\"ann@x.example\"}], "
               "\"calendars\": [{\"id\": \"c1\", \"owner\": \"ann@x.example\", \"summary\": \"C\", "
               "\"events\": [");
    for (int i = 0; i < EVENTS; i++)
        fprintf(f,
                "%s{\"id\": \"event%05d\", \"summary\": \"Meeting number %d about words\", "
                "\"start\": \"2026-03-%02dT10:00:00\", \"end\": \"2026-03-%02dT11:00:00\"}",
                i ? "," : "", i, i, i % 28 + 1, i % 28 + 1);
    fprintf(f, "]}]}");
    fclose(f);
}

static int open_all(void **state)
{
    (void)state;
    signal(SIGALRM, on_alarm);
    armed = false;
    asked = 0;
    make_seed();
    const struct sosia_world_options seeded = {.seed_doc = seed, .seed_doc_len = seed_len};
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &seeded, &world, &err) < 0 ||
        sosia_world_create(engine, NULL, &other, &err) < 0) {
        printf("%s\n", err.text);
        return -1;
    }
    target = world;
    snprintf(path, sizeof path, "/tmp/sosia-interrupt-%d.db", (int)getpid());
    return 0;
}

static int open_slow(void **state)
{
    (void)state;
    signal(SIGALRM, on_alarm);
    armed = false;
    asked = 0;
    if (engine_open(NULL, slow_services, &engine, &err) < 0 ||
        sosia_world_create(engine, NULL, &world, &err) < 0)
        return -1;
    target = world;
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    timer(0);
    unlink(path);
    free(seed);
    seed = NULL;
    return sosia_engine_close(engine);
}

/* All that can be seen of a world. */
static char *look(void)
{
    struct sosia_blob dump, journal, outbox;
    char *all;
    int64_t now;
    assert_int_equal(sosia_world_dump(engine, world, &dump, &err), 0);
    assert_int_equal(sosia_journal_list(engine, world, 0, 0, true, &journal, &err), 0);
    assert_int_equal(sosia_outbox_list(engine, world, 0, 0, &outbox, &err), 0);
    assert_int_equal(sosia_clock_get(engine, world, &now, &err), 0);
    assert_true(asprintf(&all, "%lld\n%s\n%s\n%s", (long long)now, dump.data, journal.data,
                         outbox.data) > 0);
    sosia_blob_free(&dump);
    sosia_blob_free(&journal);
    sosia_blob_free(&outbox);
    return all;
}

/* Does it until it is interrupted, which must be soon, and leaves the world as it was. */
static void interrupt_it(int (*work)(void), void (*back)(void))
{
    time_t until = time(NULL) + 60;
    char *before = look();
    int rc = 0;
    timer(100);
    while (rc == 0 && time(NULL) < until) {
        asked = 0;
        armed = true;
        rc = work();
        armed = false;
        if (rc == 0 && back)
            back();
    }
    timer(0);
    assert_int_equal(rc, -1);
    assert_int_equal(err.code, SOSIA_E_INTERRUPTED);
    assert_string_equal(err.reason, "interrupted");
    assert_true(asked > 0);
    char *after = look();
    assert_string_equal(after, before);
    free(before);
    free(after);
    assert_int_equal(sosia_interrupt(engine, 0), 0);
}

static void interrupted(int (*work)(void), void (*back)(void))
{
    interrupt_it(work, back);
    assert_int_equal(work(), 0); /* and nothing is left of it */
}

static void go_back(void)
{
    assert_int_equal(sosia_world_reset(engine, world, &err), 0);
}

/* ---- what can be interrupted ---- */

static int do_seed(void)
{
    static const char more[] = "{\"sosia\": 1, \"people\": [";
    char *doc, *p;
    size_t len = 40 + 400 * 60;
    assert_non_null(doc = malloc(len));
    p = doc + sprintf(doc, "%s", more);
    for (int i = 0; i < 400; i++)
        p += sprintf(p, "%s{\"email\": \"p%d@x.example\"}", i ? "," : "", i);
    strcpy(p, "]}");
    int rc = sosia_world_seed(engine, world, doc, strlen(doc), NULL, &err);
    free(doc);
    return rc;
}

static void a_seed(void **state)
{
    (void)state;
    interrupted(do_seed, go_back);
}

static int do_dump(void)
{
    struct sosia_blob blob;
    int rc = sosia_world_dump(engine, world, &blob, &err);
    return rc < 0 ? rc : sosia_blob_free(&blob);
}

static void a_dump(void **state)
{
    (void)state;
    interrupted(do_dump, NULL);
}

static int do_diff(void)
{
    struct sosia_blob blob;
    int rc = sosia_diff(engine, other, world, NULL, &blob, &err);
    return rc < 0 ? rc : sosia_blob_free(&blob);
}

static void a_diff(void **state)
{
    (void)state;
    interrupted(do_diff, NULL);
    target = other; /* either of the two */
    interrupted(do_diff, NULL);
}

static struct sosia_suite *suite;

static int do_grade(void)
{
    struct sosia_blob blob;
    int rc = sosia_grade(engine, suite, NULL, other, world, &blob, &err);
    return rc < 0 ? rc : sosia_blob_free(&blob);
}

static void a_grade(void **state)
{
    (void)state;
    static const char doc[] = "{\"version\": \"1\", \"assertions\": [{\"diff_type\": \"added\", "
                              "\"entity\": \"event\"}]}";
    if (sosia_suite_open(doc, sizeof doc - 1, NULL, &suite, &err) < 0)
        fail_msg("%s", err.text);
    interrupted(do_grade, NULL);
    sosia_suite_close(suite);
}

static int do_call(const char *method, const char *where)
{
    char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + 8];
    const struct sosia_token_options of = {.actor = "ann@x.example"};
    struct sosia_response *response = NULL;
    const struct sosia_header header = {"Authorization", bearer};
    struct sosia_request r = {.method = method, .target = where};
    if (sosia_token_issue(engine, world, &of, token, sizeof token, &err) == 0) {
        snprintf(bearer, sizeof bearer, "Bearer %s", token);
        r.headers = &header;
        r.n_headers = 1;
    } else if (err.code == SOSIA_E_INTERRUPTED) {
        return -1;
    }
    int rc = sosia_call(engine, world, &r, &response, &err);
    if (rc == 0)
        assert_in_range(response->status, 200, 204);
    sosia_response_free(response);
    return rc;
}

static int do_search(void)
{
    return do_call("GET", "/calendar/v3/calendars/c1/events?q=words&maxResults=2500");
}

static void a_search(void **state)
{
    (void)state;
    interrupted(do_search, NULL);
}

static int do_import(void)
{
    uint64_t made;
    int rc = sosia_world_import(engine, path, NULL, &made, &err);
    return rc < 0 ? rc : sosia_world_drop(engine, made, &err);
}

static void an_import(void **state)
{
    (void)state;
    struct sosia_engine_info before, after;
    assert_int_equal(sosia_world_export(engine, world, path, &err), 0);
    assert_int_equal(sosia_engine_info(engine, &before), 0);
    target = 0;
    interrupted(do_import, NULL);
    assert_int_equal(sosia_engine_info(engine, &after), 0);
    assert_int_equal(after.worlds, before.worlds);
}

static int do_create(void)
{
    const struct sosia_world_options seeded = {.seed_doc = seed, .seed_doc_len = seed_len};
    uint64_t made;
    int rc = sosia_world_create(engine, &seeded, &made, &err);
    return rc < 0 ? rc : sosia_world_drop(engine, made, &err);
}

static void a_new_world(void **state)
{
    (void)state;
    struct sosia_engine_info before, after;
    assert_int_equal(sosia_engine_info(engine, &before), 0);
    target = 0;
    interrupted(do_create, NULL);
    assert_int_equal(sosia_engine_info(engine, &after), 0);
    assert_int_equal(after.worlds, before.worlds);
}

static int do_replay(void)
{
    struct sosia_blob blob;
    int rc = sosia_journal_replay(engine, world, NULL, NULL, &blob, &err);
    if (rc == 0) {
        assert_non_null(strstr(blob.data, "\"equal\": true"));
        sosia_blob_free(&blob);
    }
    return rc;
}

static void a_replay(void **state)
{
    (void)state;
    assert_int_equal(do_seed(), 0);
    interrupted(do_replay, NULL);
}

static int do_write(void)
{
    return do_call("POST", "/slow");
}

static void a_call_that_writes(void **state)
{
    (void)state;
    interrupted(do_write, go_back);
}

/* One whose clock goes on with each call. */
static void a_call_with_a_clock_that_steps(void **state)
{
    (void)state;
    assert_int_equal(sosia_clock_mode(engine, world, SOSIA_CLOCK_STEP, 1000, &err), 0);
    uint64_t start;
    assert_int_equal(sosia_world_snapshot(engine, world, "start", &start, &err), 0);
    assert_int_equal(sosia_world_reset_to(engine, world, start, &err), 0);
    interrupted(do_write, go_back);
}

static int do_advance(void)
{
    return sosia_clock_advance(engine, world, 3600000000, &err);
}

/* Many entries are due, each in a transaction of its own: none of them has happened. */
static void an_advance(void **state)
{
    (void)state;
    uint64_t start;
    assert_int_equal(do_write(), 0);
    assert_int_equal(sosia_world_snapshot(engine, world, "start", &start, &err), 0);
    assert_int_equal(sosia_world_reset_to(engine, world, start, &err), 0);
    interrupted(do_advance, go_back);
    struct sosia_blob outbox;
    assert_int_equal(sosia_outbox_list(engine, world, DUE - 1, 0, &outbox, &err), 0);
    assert_non_null(strstr(outbox.data, "\"mail\"")); /* the last one, by the advance behind it */
    sosia_blob_free(&outbox);
}

/* ---- with a data directory ---- */

static char directory[64];

static int open_directory(void)
{
    const struct sosia_engine_options options = {.data_dir = directory};
    return engine_open(&options, slow_services, &engine, &err);
}

static int open_on_disk(void **state)
{
    (void)state;
    const struct sosia_world_options named = {.name = "w"};
    signal(SIGALRM, on_alarm);
    armed = false;
    asked = 0;
    strcpy(directory, "/tmp/sosia-interrupt-XXXXXX");
    if (!mkdtemp(directory) || open_directory() < 0 ||
        sosia_world_create(engine, &named, &world, &err) < 0) {
        printf("%s\n", err.text);
        return -1;
    }
    target = world;
    return 0;
}

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(name);
}

static int close_on_disk(void **state)
{
    int rc = close_all(state);
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return rc;
}

/* What the directory has when it is opened again is what there was. */
static void opened_again(void)
{
    char *before = look();
    assert_int_equal(sosia_engine_close(engine), 0);
    assert_int_equal(open_directory(), 0);
    assert_int_equal(sosia_world_find(engine, "w", &world, &err), 0);
    target = world;
    char *after = look();
    assert_string_equal(after, before);
    free(before);
    free(after);
}

static void on_disk(int (*work)(void))
{
    uint64_t start;
    assert_int_equal(do_write(), 0);
    assert_int_equal(sosia_world_snapshot(engine, world, "start", &start, &err), 0);
    assert_int_equal(sosia_world_reset_to(engine, world, start, &err), 0);
    interrupt_it(work, go_back);
    opened_again(); /* nothing of it */
    assert_int_equal(work(), 0);
    opened_again(); /* and all of it */
}

static void a_call_that_writes_on_disk(void **state)
{
    (void)state;
    on_disk(do_write);
}

static void an_advance_on_disk(void **state)
{
    (void)state;
    on_disk(do_advance);
}

static void a_seed_on_disk(void **state)
{
    (void)state;
    on_disk(do_seed);
}

/* ---- what is left alone ---- */

static void another_world(void **state)
{
    (void)state;
    target = other;
    timer(100);
    armed = true;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(do_dump(), 0);
        assert_int_equal(do_search(), 0);
    }
    armed = false;
    timer(0);
    assert_int_equal(asked, 0);
    assert_int_equal(sosia_interrupt(engine, world), 0);
    assert_int_equal(do_dump(), 0);
}

static _Atomic(bool) ended;

static void *interrupts(void *arg)
{
    while (!ended)
        if (sosia_interrupt(engine, world) > 0)
            asked++;
    return arg;
}

static void from_another_thread(void **state)
{
    (void)state;
    pthread_t thread;
    time_t until = time(NULL) + 60;
    int rc = 0;
    ended = false;
    assert_int_equal(pthread_create(&thread, NULL, interrupts, NULL), 0);
    while (rc == 0 && time(NULL) < until)
        rc = do_dump();
    ended = true;
    pthread_join(thread, NULL);
    assert_int_equal(rc, -1);
    assert_int_equal(err.code, SOSIA_E_INTERRUPTED);
    assert_int_equal(do_dump(), 0);
}

#define ALL(test)  cmocka_unit_test_setup_teardown(test, open_all, close_all)
#define SLOW(test) cmocka_unit_test_setup_teardown(test, open_slow, close_all)
#define DISK(test) cmocka_unit_test_setup_teardown(test, open_on_disk, close_on_disk)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALL(a_seed),
        ALL(a_dump),
        ALL(a_diff),
        ALL(a_grade),
        ALL(a_search),
        ALL(an_import),
        ALL(a_new_world),
        ALL(a_replay),
        SLOW(a_call_that_writes),
        SLOW(a_call_with_a_clock_that_steps),
        SLOW(an_advance),
        DISK(a_call_that_writes_on_disk),
        DISK(an_advance_on_disk),
        DISK(a_seed_on_disk),
        ALL(another_world),
        ALL(from_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
