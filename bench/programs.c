/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs on workspaces: commands in sandboxes beside the same ones spawned directly, calls that
 * run one, with few files and with many, and replays of them. A time is by the wall clock, the best
 * of several, since processes have a part in it. bench-programs [--json] Where the machine does not
 * keep programs in, nothing is measured.
 */
#include "bench/bench.h"
#include "bench/bench_call.h"
#include "sandbox/runner.h"
#include "engine/world/engine.h"
#include "sandbox/sandbox.h"
#include "sandbox/tree_private.h"
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

enum { MANY = 50000, SOME = 1000, TRIES = 15, IDLE = 64, AT_ONCE = 100, STEPS = 100 };
enum { RESTING = 256, WORLDS = 1000 };
#define RUN "/workspace/v1/programs/run"

static struct sosia_err err;
static struct sosia_engine *engine;
static char bearer[600];

static double best_of(double (*once)(void *arg), void *arg)
{
    double best = 1e18;
    for (int i = 0; i < TRIES; i++) {
        double ms = once(arg);
        best = ms < best ? ms : best;
    }
    return best;
}

/* ---- commands ---- */

struct command {
    const char *const *argv;
    struct sandbox_session *session;
};

static double spawned(void *arg)
{
    const struct command *c = arg;
    posix_spawn_file_actions_t actions;
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8",
                                              NULL};
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
    const double begun = bench_wall();
    if (posix_spawnp(&pid, c->argv[0], &actions, NULL, (char *const *)c->argv,
                     (char *const *)environment) != 0 ||
        waitpid(pid, &status, 0) < 0 || status)
        bench_die(c->argv[0], "could not be run");
    const double ms = (bench_wall() - begun) / 1e6;
    posix_spawn_file_actions_destroy(&actions);
    return ms;
}

static double in_session(void *arg)
{
    const struct command *c = arg;
    struct sandbox_outcome o;
    const double begun = bench_wall();
    if (sandbox_run(c->session, &(struct sandbox_command){.argv = c->argv}, &o, &err) < 0)
        bench_die(c->argv[0], err.text);
    const double ms = (bench_wall() - begun) / 1e6;
    if (o.status)
        bench_die(c->argv[0], o.err.kept.data ? o.err.kept.data : "has failed");
    sandbox_outcome_free(&o);
    return ms;
}

/* Bytes of memory that a process has, what it shares in parts. who: its folder of /proc. */
static double bytes_of(const char *who)
{
    char path[300], text[256];
    double bytes = 0;
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%s/smaps_rollup", who);
    FILE *f = fopen(path, "r");
    while (f && fgets(text, sizeof text, f))
        if (sscanf(text, "Pss: %ld", &kib) == 1)
            bytes += (double)kib * 1024;
    if (f)
        fclose(f);
    return bytes;
}

/* The same of all processes of sandboxes; 0: it can't be seen. */
static double sandbox_bytes(void)
{
    DIR *d = opendir("/proc");
    struct dirent *e;
    double all = 0;
    while (d && (e = readdir(d)) != NULL) {
        char path[300], text[4096];
        snprintf(path, sizeof path, "/proc/%s/cmdline", e->d_name);
        FILE *f = e->d_name[0] < '0' || e->d_name[0] > '9' ? NULL : fopen(path, "r");
        if (!f)
            continue;
        size_t n = fread(text, 1, sizeof text, f);
        fclose(f);
        if (memmem(text, n, SANDBOX_KEEPER, strlen(SANDBOX_KEEPER)))
            all += bytes_of(e->d_name);
    }
    if (d)
        closedir(d);
    return all;
}

static void idle_sessions(struct sandbox *s)
{
    struct sandbox_session *sessions[IDLE];
    const double before = sandbox_bytes();
    for (int i = 0; i < IDLE; i++)
        if (sandbox_session_open(s, NULL, &sessions[i], &err) < 0)
            bench_die("session", err.text);
    if (before > 0)
        bench_report("programs: memory of an idle session", (sandbox_bytes() - before) / IDLE / 1e6,
                     "MB", 0, "<= 0.7");
    for (int i = 0; i < IDLE; i++)
        sandbox_session_close(sessions[i]);
}

/* A repository of SOME files in the present directory, which are older than its index: git reads
 * those of the same second each time. */
static const char *const repository[] = {
    "sh", "-c",
    "git init -q . && for i in $(seq 1000); do echo $i >f$i; done && touch -d '1 minute ago' f* && "
    "git add . && git -c user.name=a -c user.email=a@b.example commit -qm one",
    NULL};

/* All that is begun from now on has the processor that this thread is on; what it had before is in
 * ret. Where others want the machine, a processor that was theirs just now has nothing of a program
 * in its caches, which is a tenth of Python's time. */
static void keep_to_one(cpu_set_t *ret)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_getaffinity(0, sizeof *ret, ret) < 0 || sched_setaffinity(0, sizeof one, &one) < 0)
        bench_die("processors", "could not be chosen");
}

static void commands(const char *program)
{
    static const char *const yes[] = {"true", NULL}, *const status[] = {"git", "status", NULL},
                             *const python[] = {"/usr/bin/python3", "-ISc", "pass", NULL};
    static const struct {
        const char *name, *target;
        const char *const *argv;
    } rows[] = {{"programs: true, spawned directly beside it", "<= 1.6", yes},
                {"programs: git status of 1,000 files, the same", "<= 1.35", status},
                {"programs: python3 -ISc pass, the same", "<= 1.1", python}};
    char dir[] = "/tmp/sosia-bench-XXXXXX";
    struct sandbox *s;
    struct command c = {repository};
    cpu_set_t all;
    keep_to_one(&all);
    if (sandbox_open(program, NULL, NULL, &s, &err) < 0 ||
        sandbox_session_open(s, NULL, &c.session, &err) < 0)
        bench_die("sandbox", err.text);
    idle_sessions(s);
    if (!mkdtemp(dir) || chdir(dir) < 0)
        bench_die(dir, "could not be made");
    spawned(&c);
    in_session(&c);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double direct = 1e18, kept = 1e18;
        c.argv = rows[i].argv;
        for (int k = 0; k < TRIES; k++) { /* in turns: others want the machine too */
            direct = fmin(direct, spawned(&c));
            kept = fmin(kept, in_session(&c));
        }
        bench_report(rows[i].name, kept, "ms", direct, rows[i].target);
    }
    static const char *const away[] = {"sh", "-c", "rm -rf \"$PWD\"", NULL};
    c.argv = away;
    spawned(&c);
    if (chdir("/") < 0)
        bench_die("/", "is not there");
    sandbox_session_close(c.session);
    sandbox_close(s);
    if (sched_setaffinity(0, sizeof all, &all) < 0)
        bench_die("processors", "could not be given back");
}

/* ---- calls ---- */

static uint64_t fork_of(uint64_t world)
{
    uint64_t fork;
    if (sosia_world_fork(engine, world, NULL, &fork, &err) < 0)
        bench_die("fork", err.text);
    return fork;
}

static void run_in(uint64_t world, const char *script)
{
    char body[512];
    snprintf(body, sizeof body, "{\"argv\":[\"sh\",\"-c\",\"%s\"]}", script);
    sosia_response_free(bench_call(engine, world, bearer, "POST", RUN, body));
}

struct script_run {
    uint64_t world;
    const char *script;
};

/* In a fork that has run nothing. */
static double call_once(void *arg)
{
    const struct script_run *c = arg;
    uint64_t fork = fork_of(c->world);
    const double begun = bench_wall();
    run_in(fork, c->script);
    const double ms = (bench_wall() - begun) / 1e6;
    sosia_world_drop(engine, fork, NULL);
    return ms;
}

static double fork_once(void *arg)
{
    const double begun = bench_wall();
    for (int i = 0; i < 100; i++)
        sosia_world_drop(engine, fork_of(((const struct script_run *)arg)->world), NULL);
    return (bench_wall() - begun) / 1e6;
}

static double read_once(void *arg)
{
    const double begun = bench_wall();
    for (int i = 0; i < 100; i++)
        sosia_response_free(bench_call(engine, ((const struct script_run *)arg)->world, bearer,
                                       "POST", "/workspace/v1/filesystem/read_text_file",
                                       "{\"path\":\"d0/f1\"}"));
    return (bench_wall() - begun) / 1e5; /* us each */
}

/* ---- copies ---- */

struct copying {
    uint64_t world;
    double written, looked; /* us a file, the best */
};

static int copy_rows(struct tx *tx, struct json_writer *w, void *arg)
{
    struct copying *c = arg;
    char dir[] = "/dev/shm/sosia-bench-XXXXXX";
    struct tree_copy t;
    struct program_writing p;
    const char *why = NULL;
    struct buf out;
    (void)w;
    const int top = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (top < 0)
        bench_die(dir, "could not be made");
    tree_copy_init(&t);
    double begun = bench_wall();
    if (tree_write(&t, tx, top, tx->err) < 0)
        bench_die("copy", tx->err->text);
    c->written = fmin(c->written, (bench_wall() - begun) / 1e3 / SOME);
    usleep(15000); /* what changed in the same tick of the files' clock is read again */
    buf_init(&out, 0);
    program_write(&p, &out, tx->arena, &(struct program_outcome){0});
    begun = bench_wall();
    if (tree_compare(&t, top, &p, &why, tx->err) != 0)
        bench_die("look", why ? why : tx->err->text);
    c->looked = fmin(c->looked, (bench_wall() - begun) / 1e3 / SOME);
    buf_done(&out);
    tree_copy_free(&t);
    tree_remove_all(AT_FDCWD, dir, 0);
    close(top);
    return 0;
}

/* A workspace as a directory, and the look at it when nothing has changed. */
static void copies(uint64_t some)
{
    struct copying c = {some, 1e18, 1e18};
    struct sosia_blob nothing = {0};
    for (int i = 0; i < TRIES; i++) {
        if (world_read(engine, some, false, copy_rows, &c, &nothing, &err) < 0)
            bench_die("copy", err.text);
        sosia_blob_free(&nothing);
    }
    bench_report("programs: writing 1,000 files as a copy, each", c.written, "us", 0, "<= 15");
    bench_report("programs: looking at 1,000 unchanged ones, each", c.looked, "us", 0, "<= 3");
}

static void calls(uint64_t few, uint64_t some, uint64_t many, struct runner *r)
{
    struct script_run c = {few, "true"};
    const double small = best_of(call_once, &c), plain_fork = best_of(fork_once, &c);
    bench_report("programs: a call that runs true, few files", small, "ms", 0, NULL);
    bench_report("workspace: read_text_file", best_of(read_once, &c), "us", 0, NULL);
    c.script = "echo x > x";
    bench_report("programs: the same that writes a file", best_of(call_once, &c) - small, "ms more",
                 0, "<= 0.3");
    c = (struct script_run){some, "true"};
    const double copied = best_of(call_once, &c);
    bench_report("programs: a call with 1,000 files, more than one with few, a file",
                 (copied - small) * 1000 / SOME, "us", 0, "<= 18");
    c.script = "for d in d*; do sed -i s/number/Number/ $d/*; done";
    bench_report("programs: a changed file of 1,000, with sed",
                 (best_of(call_once, &c) - copied) * 1000 / SOME, "us", 0, NULL);
    c = (struct script_run){many, "true"};
    bench_report("workspace: 100 forks of 50,000 files, of few", best_of(fork_once, &c), "ms",
                 plain_fork, "<= 1.2");
    double begun = bench_wall();
    call_once(&c);
    bench_report("programs: 50,000 files for the first time, each",
                 (bench_wall() - begun) / 1e3 / MANY, "us", 0, "<= 15");
    if (!runner_bases(r))
        bench_die("programs", "the machine has no directories over others");
    bench_report("programs: true in a fork of 50,000 files, of few", best_of(call_once, &c), "ms",
                 small, "<= 3");
    c.script = "echo x > x; rm d7/f700";
    bench_report("programs: the same that changes two files", best_of(call_once, &c), "ms", small,
                 "<= 3");
}

/* ---- what rests ---- */

/* All that a server has in memory with so many sessions and worlds in which nothing happens. */
static void resting(const char *program, uint64_t world)
{
    static struct sandbox_session *sessions[RESTING];
    static uint64_t worlds[WORLDS];
    struct sandbox *s;
    if (sandbox_open(program, NULL, NULL, &s, &err) < 0)
        bench_die("sandbox", err.text);
    for (int i = 0; i < WORLDS; i++)
        worlds[i] = fork_of(world);
    for (int i = 0; i < RESTING; i++)
        if (sandbox_session_open(s, NULL, &sessions[i], &err) < 0)
            bench_die("session", err.text);
    const double sandboxes = sandbox_bytes();
    if (sandboxes > 0)
        bench_report("programs: 256 idle sessions, 1,000 worlds",
                     (sandboxes + bytes_of("self")) / 1e6, "MB", 0, "<= 250");
    for (int i = 0; i < RESTING; i++)
        sandbox_session_close(sessions[i]);
    for (int i = 0; i < WORLDS; i++)
        sosia_world_drop(engine, worlds[i], NULL);
    sandbox_close(s);
}

/* ---- archives ---- */

static double archive_of(uint64_t world, struct sosia_blob *ret)
{
    const struct sosia_transfer format = {.size = sizeof format, .format = "workspace"};
    const double begun = bench_cpu();
    if (sosia_transfer_export(engine, world, &format, ret, &err) < 0)
        bench_die("archive", err.text);
    return (bench_cpu() - begun) / 1e6;
}

static double archive_once(void *arg)
{
    struct sosia_blob out;
    const double ms = archive_of(((const struct script_run *)arg)->world, &out);
    sosia_blob_free(&out);
    return ms;
}

static char tar[8 << 20], packed[8 << 20];
static size_t tar_len;

/* The same bytes by zlib alone. */
static double zlib_once(void *arg)
{
    z_stream z = {.next_in = (Bytef *)tar,
                  .avail_in = (uInt)tar_len,
                  .next_out = (Bytef *)packed,
                  .avail_out = sizeof packed};
    (void)arg;
    const double begun = bench_cpu();
    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&z, Z_FINISH) != Z_STREAM_END)
        bench_die("zlib", "could not pack");
    deflateEnd(&z);
    return (bench_cpu() - begun) / 1e6;
}

static void archives(uint64_t world)
{
    struct script_run c = {world, NULL};
    struct sosia_blob out;
    archive_of(world, &out);
    z_stream z = {.next_in = (Bytef *)out.data,
                  .avail_in = (uInt)out.len,
                  .next_out = (Bytef *)tar,
                  .avail_out = sizeof tar};
    if (inflateInit2(&z, 15 + 32) != Z_OK || inflate(&z, Z_FINISH) != Z_STREAM_END)
        bench_die("archive", "is no tar.gz");
    tar_len = z.total_out;
    inflateEnd(&z);
    sosia_blob_free(&out);
    const double alone = best_of(zlib_once, NULL);
    bench_report("workspace: tar.gz of 1,000 files, of zlib alone", best_of(archive_once, &c), "ms",
                 alone, "<= 2");
}

/* ---- many at once ---- */

static void *run_one(void *arg)
{
    struct script_run *c = arg;
    run_in(c->world, c->script);
    return NULL;
}

static void at_once(uint64_t few)
{
    static struct script_run all[AT_ONCE];
    static pthread_t threads[AT_ONCE];
    const double begun = bench_wall();
    for (int i = 0; i < AT_ONCE; i++) {
        all[i] = (struct script_run){fork_of(few), "true"};
        if (pthread_create(&threads[i], NULL, run_one, &all[i]) != 0)
            bench_die("threads", "there are too few");
    }
    for (int i = 0; i < AT_ONCE; i++)
        pthread_join(threads[i], NULL);
    bench_report("programs: 100 calls at once, each", (bench_wall() - begun) / 1e6 / AT_ONCE, "ms",
                 0, NULL);
    for (int i = 0; i < AT_ONCE; i++)
        sosia_world_drop(engine, all[i].world, NULL);
}

/* ---- replays ---- */

static double replay_once(void *arg)
{
    const struct sosia_replay_options opt = {.size = sizeof opt};
    struct sosia_blob report;
    uint64_t again = 0;
    const double begun = bench_wall();
    if (sosia_journal_replay(engine, ((const struct script_run *)arg)->world, &opt, &again, &report,
                             &err) < 0)
        bench_die("replay", err.text);
    const double ms = (bench_wall() - begun) / 1e6;
    sosia_blob_free(&report);
    return ms;
}

static void replays(uint64_t few)
{
    struct script_run c = {fork_of(few), NULL};
    for (int i = 0; i < STEPS; i++)
        run_in(c.world, "date +%N > now");
    bench_report("programs: replay of 100 calls", best_of(replay_once, &c), "ms", 0, "<= 5");
}

int main(int argc, char **argv)
{
    const struct sosia_engine_options eo = {.size = sizeof eo};
    static char program[4096];
    struct runner *r;
    if (argc == 2 && strcmp(argv[1], SANDBOX_KEEPER) == 0)
        return sandbox_keep();
    bench_begin(argc, argv);
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    if (runner_probe(program, NULL, &err) < 0) {
        fprintf(stderr, "programs: not measured: %s\n", err.text);
        return 0;
    }
    commands(program);
    if (sosia_engine_open(&eo, &engine, &err) < 0 ||
        runner_open(engine, program, NULL, &r, &err) < 0)
        bench_die("engine", err.text);
    const uint64_t few = bench_workspace(engine, 3, bearer, sizeof bearer);
    resting(program, few);
    const uint64_t some = bench_workspace(engine, SOME, bearer, sizeof bearer);
    const uint64_t many = bench_workspace(engine, MANY, bearer, sizeof bearer);
    copies(some);
    calls(few, some, many, r);
    at_once(few);
    replays(few);
    archives(some);
    runner_close(r);
    sosia_engine_close(engine);
    return 0;
}
