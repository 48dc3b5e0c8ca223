/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kills a process that changes worlds in a data directory, at random times, and looks at what is
 * left: every operation that had returned must be there, every other one whole or not at all, every
 * world sound. Then continues with the same directory.
 *
 *     crash [SECONDS [SEED]]
 *
 * The killed process reports through a pipe what it is about to do and what it has done. Worlds
 * belong to one of its threads, so that their history is known, or are shared by all threads, which
 * only add to them.
 */
#include "engine/durable/durable.h"
#include "engine/world/engine.h"
#include "tests/crash/model.h"
#include "tests/support/dose.h"
#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char dir[64];
static struct sosia_engine *engine;
static struct model model;
static int out = -1; /* the pipe, in the process that will be killed */
static uint64_t base_seed;
static _Atomic(uint32_t) next_number = 1;
static pthread_mutex_t model_mutex =
    PTHREAD_MUTEX_INITIALIZER; /* among the threads of that process */

static struct {
    long rounds, openings, acknowledged, unacknowledged, present, absent, worlds, checks,
        violations;
    long by_op[N_OPS];
} counts;

static const char *const op_names[N_OPS] = {"add",  "note",   "clock", "reset",   "reset to",
                                            "drop", "create", "fork",  "snapshot"};

static _Noreturn void die(const char *what, const char *text)
{
    fprintf(stderr, "crash: %s: %s\n", what, text);
    exit(1);
}

static void violation(const char *what, uint64_t world, const struct record *r)
{
    counts.violations++;
    fprintf(stderr, "round %ld: %s: world %016llx%s%s\n", counts.rounds, what,
            (unsigned long long)world, r ? ", unacknowledged: " : "", r ? op_names[r->op] : "");
}

static uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool parks; /* worlds that are unused for a moment leave memory */

static void open_engine(void)
{
    struct sosia_engine_options opt = {.data_dir = dir, .park_after_us = parks};
    struct sosia_err err;
    if (sosia_engine_open(&opt, &engine, &err) < 0)
        die("open", err.text);
}

/* ---- operations ---- */

static void document(char *to, size_t size, uint32_t number)
{
    snprintf(
        to, size,
        "{\"sosia\":1,\"people\":[{\"email\":\"p%ua@a.example\"},{\"email\":\"p%ub@a.example\"},"
        "{\"email\":\"p%uc@a.example\"}]}",
        number, number, number);
}

static int note(uint64_t world, uint32_t number, struct sosia_err *err)
{
    char text[16];
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    int n = snprintf(text, sizeof text, "%u", number);
    int rc = journal_append(&world_extra(w)->journal, text, (size_t)n);
    if (rc == 0)
        rc = world_changed(engine, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

static int perform(struct record *r, struct sosia_err *err)
{
    char doc[200], name[32];
    document(doc, sizeof doc, r->number);
    struct sosia_world_options opt = {
        .name = name, .seed_doc = doc, .seed_doc_len = strlen(doc), .journal = SOSIA_JOURNAL_NONE};
    snprintf(name, sizeof name, "%s%u", r->op == OP_SNAPSHOT ? "s" : "w", r->number);
    switch ((enum op)r->op) {
    case OP_ADD:
        return sosia_world_seed(engine, r->world, doc, strlen(doc), NULL, err);
    case OP_NOTE:
        return note(r->world, r->number, err);
    case OP_CLOCK:
        return sosia_clock_set(engine, r->world, r->number, err);
    case OP_RESET:
        return sosia_world_reset(engine, r->world, err);
    case OP_RESET_TO:
        return sosia_world_reset_to(engine, r->world, r->other, err);
    case OP_DROP:
        return sosia_world_drop(engine, r->world, err);
    case OP_CREATE:
        opt.now_us = 1;
        return sosia_world_create(engine, &opt, &r->made, err);
    case OP_FORK:
        return sosia_world_fork(engine, r->world, NULL, &r->made, err);
    case OP_SNAPSHOT:
        return sosia_world_snapshot(engine, r->world, name, &r->made, err);
    case N_OPS:
        break;
    }
    return -1;
}

/* ---- the process that is killed ---- */

static void report(const struct record *r)
{
    if (write(out, r, sizeof *r) != sizeof *r)
        _exit(3);
}

/* A random one of a thread's own worlds; snapshot: one of those. Under the model's mutex. */
static struct expected *choose(uint64_t *state, int owner, bool snapshot)
{
    struct expected *found = NULL;
    uint64_t n = 0;
    for (struct expected *x = model.first; x; x = x->next)
        if (x->owner == owner && x->snapshot == snapshot && random_next(state) % ++n == 0)
            found = x;
    return found;
}

static size_t count_own(int owner)
{
    size_t n = 0;
    for (struct expected *x = model.first; x; x = x->next)
        n += x->owner == owner;
    return n;
}

static bool plan(uint64_t *state, int thread, struct record *r)
{
    static const uint8_t often[] = {OP_ADD,  OP_ADD,  OP_ADD,     OP_ADD,    OP_ADD,   OP_ADD,
                                    OP_NOTE, OP_NOTE, OP_NOTE,    OP_CLOCK,  OP_RESET, OP_RESET_TO,
                                    OP_DROP, OP_DROP, OP_DROP,    OP_CREATE, OP_FORK,  OP_FORK,
                                    OP_FORK, OP_FORK, OP_SNAPSHOT};
    *r = (struct record){.thread = (uint8_t)thread,
                         .op = often[random_next(state) % sizeof often],
                         .number = atomic_fetch_add(&next_number, 1)};
    bool shared = (r->op == OP_ADD || r->op == OP_NOTE) && random_next(state) % 4 == 0;
    bool full = count_own(thread) > 14, few = count_own(thread) < 5;
    if (full && r->op >= OP_DROP)
        r->op = OP_DROP;
    if (few && r->op == OP_DROP)
        r->op = OP_FORK;
    struct expected *x =
        choose(state, shared ? SHARED : thread, r->op == OP_DROP && random_next(state) % 3 == 0);
    if (!x)
        return false;
    if (r->op == OP_ADD && !shared && x->now.n > 60)
        r->op = OP_RESET;
    r->world = x->id;
    if (r->op == OP_RESET_TO) {
        struct expected *s = choose(state, thread, true);
        if (!s)
            return false;
        r->other = s->id;
    }
    return true;
}

static void *work(void *arg)
{
    int thread = (int)(intptr_t)arg;
    uint64_t state = base_seed + (uint64_t)thread * 7919;
    struct sosia_err err;
    for (;;) {
        struct record r;
        pthread_mutex_lock(&model_mutex);
        bool planned = plan(&state, thread, &r);
        pthread_mutex_unlock(&model_mutex);
        if (!planned)
            continue;
        report(&r);
        err.text[0] = 0;
        r.rc = (int8_t)perform(&r, &err);
        r.done = 1;
        if (r.rc < 0)
            fprintf(stderr, "%s: %s\n", op_names[r.op], err.text);
        report(&r);
        pthread_mutex_lock(&model_mutex);
        model_apply(&model, &r);
        pthread_mutex_unlock(&model_mutex);
    }
    return NULL;
}

static void *park(void *unused)
{
    for (;; usleep(300))
        sosia_engine_sweep(engine);
    return unused;
}

/* In half of the rounds with worlds that are parked all the time. */
static _Noreturn void be_killed(void)
{
    pthread_t thread;
    parks = base_seed % 2;
    open_engine();
    if (parks && pthread_create(&thread, NULL, park, NULL) != 0)
        _exit(2);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, work, (void *)(intptr_t)i) != 0)
            _exit(2);
    for (;;)
        pause();
}

/* Opens and closes, so that recovery, clearing up and closing are killed too. */
static _Noreturn void open_and_close(void)
{
    open_engine();
    sosia_engine_close(engine);
    for (;;)
        pause();
}

/* ---- what is found ---- */

static void fail_dump(uint64_t id, const struct sosia_err *err)
{
    violation(err->text, id, NULL);
}

/* The numbers of which all three people are there; false when one is there in part. */
static bool read_numbers(uint64_t id, struct numbers *ret)
{
    struct sosia_blob dump;
    struct sosia_err err;
    struct numbers parts[3] = {{0}};
    if (sosia_world_dump(engine, id, &dump, &err) < 0) {
        fail_dump(id, &err);
        return false;
    }
    for (const char *p = dump.data; (p = strstr(p, "\"email\": \"p")) || false;) {
        char *end;
        p += strlen("\"email\": \"p");
        unsigned long n = strtoul(p, &end, 10);
        if (*end >= 'a' && *end <= 'c')
            numbers_add(&parts[*end - 'a'], (uint32_t)n);
    }
    sosia_blob_free(&dump);
    bool whole = numbers_equal(&parts[0], &parts[1]) && numbers_equal(&parts[0], &parts[2]);
    numbers_copy(ret, &parts[0]);
    for (int i = 0; i < 3; i++)
        free(parts[i].v);
    return whole;
}

static int add_entry(void *arg, int64_t seq, const char *entry, size_t len)
{
    char text[16] = "";
    (void)seq;
    memcpy(text, entry, len < sizeof text - 1 ? len : sizeof text - 1);
    numbers_add(arg, (uint32_t)strtoul(text, NULL, 10));
    return 0;
}

static void read_journal(uint64_t id, struct numbers *ret)
{
    struct world *w = world_take(engine, id, NULL);
    ret->n = 0;
    if (!w)
        return;
    if (w->extra)
        journal_each(&w->extra->journal, 0, INT64_MAX, add_entry, ret);
    world_drop(w);
}

/* As an independent SQLite sees it. */
static bool sound(uint64_t id)
{
    struct world *w = world_take(engine, id, NULL);
    if (!w)
        return false;
    size_t len = (size_t)w->now.n_pages * STORE_PAGE_SIZE;
    unsigned char *image = sqlite3_malloc64(len);
    if (image)
        tree_copy(&w->now, image);
    world_drop(w);
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    bool ok = image && sqlite3_open(":memory:", &db) == SQLITE_OK &&
              sqlite3_deserialize(db, "main", image, (sqlite3_int64)len, (sqlite3_int64)len,
                                  SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) ==
                  SQLITE_OK &&
              sqlite3_prepare_v2(db, "pragma integrity_check", -1, &st, NULL) == SQLITE_OK &&
              sqlite3_step(st) == SQLITE_ROW &&
              strcmp((const char *)sqlite3_column_text(st, 0), "ok") == 0;
    sqlite3_finalize(st);
    sqlite3_close(db);
    return ok;
}

static void show(const char *what, const struct numbers *found, const struct numbers *expected)
{
    for (size_t i = 0; i < found->n; i++)
        if (!numbers_have(expected, found->v[i]))
            fprintf(stderr, "  %s: %u is too much\n", what, found->v[i]);
    for (size_t i = 0; i < expected->n; i++)
        if (!numbers_have(found, expected->v[i]))
            fprintf(stderr, "  %s: %u is missing\n", what, expected->v[i]);
}

/* Whether the world is as expected. say: print what is not. */
static bool matches(const struct expected *x, bool say)
{
    struct numbers found = {0}, journal = {0};
    int64_t now = 0;
    bool whole = read_numbers(x->id, &found);
    read_journal(x->id, &journal);
    bool people = whole && numbers_equal(&found, &x->now),
         entries = numbers_equal(&journal, &x->journal);
    bool time = sosia_clock_get(engine, x->id, &now, NULL) == 0 && (!x->clock || now == x->clock);
    if (say && !people)
        show("people", &found, &x->now);
    if (say && !entries)
        show("journal", &journal, &x->journal);
    if (say && !time)
        fprintf(stderr, "  clock: %lld, not %lld\n", (long long)now, (long long)x->clock);
    free(found.v);
    free(journal.v);
    return people && entries && time;
}

/* Is the state that the world is reset to the one that it is in? After a reset to a snapshot it is;
 * where the world already had the snapshot's content, nothing else shows whether that took place.
 */
static bool at_its_start(uint64_t id)
{
    struct world *w = world_take(engine, id, NULL);
    if (!w)
        return false;
    bool same = w->now.base == w->start.base && w->now.root == w->start.root &&
                w->clock.at_us == w->start_clock.at_us;
    world_drop(w);
    return same;
}

static void count_pending(const struct record *r, bool present)
{
    counts.unacknowledged++;
    if (present)
        counts.present++;
    else
        counts.absent++;
    if (present)
        model_apply(&model, r);
}

/* A world of one thread, with what that thread was doing, if it concerns the world. */
static void check_own(struct expected *x, const struct record *pending)
{
    struct sosia_world_info info;
    bool there = sosia_world_info(engine, x->id, &info, NULL) == 0;
    if (!pending) {
        if (!there)
            violation("it is gone", x->id, NULL);
        else if (!matches(x, true))
            violation("it is not what was acknowledged", x->id, NULL);
        return;
    }
    if (pending->op == OP_DROP) {
        if (there && !matches(x, true))
            violation("it is neither dropped nor whole", x->id, pending);
        count_pending(pending, !there);
        return;
    }
    if (!there) {
        violation("it is gone", x->id, pending);
        return;
    }
    struct model after = {0};
    model_copy_world(&after, x);
    if (pending->op == OP_RESET_TO)
        model_copy_world(&after, model_find(&model, pending->other));
    model_apply(&after, pending);
    if (matches(model_find(&after, x->id), false) &&
        (pending->op != OP_RESET_TO || at_its_start(x->id)))
        count_pending(pending, true);
    else if (matches(x, true))
        count_pending(pending, false);
    else
        violation("it is neither before nor after", x->id, pending);
    model_done(&after);
}

/* A shared one: all that was acknowledged, and nothing but that and what was under way. */
static void check_shared(struct expected *x, struct record *pending)
{
    struct numbers people = {0}, journal = {0};
    if (!read_numbers(x->id, &people))
        violation("an addition is there in part", x->id, NULL);
    read_journal(x->id, &journal);
    for (int t = 0; t < THREADS; t++) {
        struct record *r = &pending[t];
        if (!r->number || r->world != x->id)
            continue;
        count_pending(r, numbers_have(r->op == OP_ADD ? &people : &journal, r->number));
        r->number = 0;
    }
    if (!numbers_equal(&people, &x->now) || !numbers_equal(&journal, &x->journal)) {
        violation("a shared one is not what was acknowledged", x->id, NULL);
        show("people", &people, &x->now);
        show("journal", &journal, &x->journal);
    }
    free(people.v);
    free(journal.v);
}

/* Whether a world that was not acknowledged was made by an operation under way. */
static int adopt(void *arg, const struct sosia_world_info *info)
{
    struct record *pending = arg;
    char name[32];
    counts.worlds++;
    if (model_find(&model, info->id))
        return 0;
    for (int t = 0; t < THREADS; t++) {
        struct record *r = &pending[t];
        if (!r->number || r->op < OP_CREATE)
            continue;
        snprintf(name, sizeof name, "%s%u", r->op == OP_SNAPSHOT ? "s" : "w", r->number);
        if (r->op == OP_FORK ? info->name[0] || info->parent != r->world
                             : strcmp(name, info->name) != 0)
            continue;
        r->made = info->id;
        count_pending(r, true);
        r->number = 0;
        return 0;
    }
    violation("nobody made it", info->id, NULL);
    return 0;
}

static void check_all(struct record *pending, uint64_t *state)
{
    struct sosia_err err;
    if (sosia_world_list(engine, 0, adopt, pending, &err) < 0)
        die("list", err.text);
    for (int t = 0; t < THREADS; t++) {
        if (!pending[t].number || pending[t].op < OP_CREATE)
            continue;
        count_pending(&pending[t], false);
        pending[t].number = 0;
    }
    for (struct expected *x = model.first, *next; x; x = next) {
        next = x->next;
        counts.checks++;
        if (!sound(x->id) && !(x->owner < THREADS && pending[x->owner].number &&
                               pending[x->owner].world == x->id && pending[x->owner].op == OP_DROP))
            violation("it is not sound", x->id, NULL);
        if (x->owner == SHARED) {
            check_shared(x, pending);
            continue;
        }
        struct record *r = &pending[x->owner];
        bool concerned = r->number && r->world == x->id;
        struct record mine = *r;
        if (concerned)
            r->number = 0;
        check_own(x, concerned ? &mine : NULL);
    }
    /* The state that a reset goes back to has survived as well. */
    struct record r = {.op = OP_RESET};
    struct expected *x = choose(state, (int)(random_next(state) % THREADS), false);
    if (!x)
        return;
    r.world = x->id;
    if (perform(&r, &err) < 0)
        die("reset", err.text);
    model_apply(&model, &r);
    if (!matches(x, true))
        violation("its reset gives another state", x->id, NULL);
}

/* ---- rounds ---- */

static void receive(const struct record *r, struct record *pending)
{
    if (!r->done) {
        pending[r->thread] = *r;
        if (r->number >= atomic_load(&next_number))
            atomic_store(&next_number, r->number + 1);
        return;
    }
    pending[r->thread].number = 0;
    if (r->rc < 0) {
        violation("an operation failed", r->world, r);
        return;
    }
    counts.acknowledged++;
    counts.by_op[r->op]++;
    model_apply(&model, r);
}

/* Runs fn in a process of its own, and kills that some time after its start, or after its first
 * record. Reads its pipe meanwhile. */
static void run_and_kill(void (*fn)(void), bool from_record, int64_t ms, struct record *pending)
{
    int fds[2], status;
    struct record r;
    size_t have = 0;
    bool killed = false;
    if (pipe(fds) < 0)
        die("pipe", strerror(errno));
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        die("fork", strerror(errno));
    if (pid == 0) {
        close(fds[0]);
        out = fds[1];
        fn();
        _exit(0);
    }
    close(fds[1]);
    for (int64_t until = now_ms() + ms;;) {
        struct pollfd p = {.fd = fds[0], .events = POLLIN};
        int64_t left = until - now_ms();
        if (!killed && !from_record && left <= 0) {
            kill(pid, SIGKILL);
            killed = true;
        }
        if (poll(&p, 1, killed || from_record ? -1 : (int)left) <= 0)
            continue;
        if (from_record) { /* opening takes long on a machine that has other work */
            from_record = false;
            until = now_ms() + ms;
        }
        ssize_t n = read(fds[0], (char *)&r + have, sizeof r - have);
        if (n <= 0)
            break;
        have += (size_t)n;
        if (have == sizeof r) {
            receive(&r, pending);
            have = 0;
        }
    }
    close(fds[0]);
    waitpid(pid, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        die("the process ended by itself",
            WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit");
}

static void first_worlds(void)
{
    struct sosia_err err;
    open_engine();
    for (int i = 0; i < THREADS * 3 + 2; i++) {
        struct record r = {.op = OP_CREATE,
                           .thread = (uint8_t)(i < THREADS * 3 ? i % THREADS : SHARED),
                           .number = atomic_fetch_add(&next_number, 1)};
        if (perform(&r, &err) < 0)
            die("create", err.text);
        model_apply(&model, &r);
    }
    sosia_engine_close(engine);
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f)
{
    (void)s;
    (void)type;
    (void)f;
    return remove(path);
}

int main(int argc, char **argv)
{
    int64_t seconds = argc > 1 ? atoi(argv[1]) : dose(15, 5);
    uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const char *tmp = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%.40s/sosia-crash-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        die("mkdtemp", strerror(errno));
    printf("seed %llu, directory %s\n", (unsigned long long)state, dir);
    first_worlds();
    for (int64_t until = now_ms() + seconds * 1000;
         (now_ms() < until || !counts.acknowledged) && !counts.violations;) {
        struct record pending[THREADS] = {0};
        counts.rounds++;
        base_seed = random_next(&state);
        run_and_kill(be_killed, true, (int64_t)(random_next(&state) % 300), pending);
        for (; random_next(&state) % 2; counts.openings++)
            run_and_kill(open_and_close, false, (int64_t)(random_next(&state) % 40), pending);
        open_engine();
        check_all(pending, &state);
        sosia_engine_close(engine);
    }
    printf("rounds %ld, openings killed %ld, acknowledged %ld, unacknowledged %ld: present %ld, "
           "absent %ld; "
           "worlds checked %ld, violations %ld\nacknowledged:",
           counts.rounds, counts.openings, counts.acknowledged, counts.unacknowledged,
           counts.present, counts.absent, counts.checks, counts.violations);
    for (int i = 0; i < N_OPS; i++)
        printf("%s %s %ld", i ? "," : "", op_names[i], counts.by_op[i]);
    printf("\n");
    model_done(&model);
    if (counts.violations)
        return 1; /* the directory stays, to be looked at */
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0 && counts.acknowledged ? 0 : 1;
}
