/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page store: forks, resets, statements beside those of a plain SQLite database in memory with
 * the same content, memory and differences. Both sides of a ratio take turns in one run, in thread
 * CPU time; what is reported is the median of the turns.
 *
 *     store [--json] [--small]     --small: without the databases of 100 and 300 MB
 */
#include "bench/bench.h"
#include "engine/store/hash.h"
#include "engine/store/page_impl.h"
#include "engine/store/rowdiff.h"
#include "engine/store/slot.h"
#include <malloc.h>
#include <unistd.h>

enum { ROUNDS = 61 };

static void must(int rc, const char *what, const struct sosia_err *err)
{
    if (rc < 0)
        bench_die(what, err->text);
}

static uint64_t random_state = 1;

static uint64_t draw(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double rss(void)
{
    unsigned long size, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%lu %lu", &size, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* ---- the databases ---- */

static const char tables[] =
    "create table message(id integer primary key, channel int, author int, ts int, body text) "
    "strict;"
    "create index message_channel on message(channel, ts);"
    "create virtual table message_text using fts5(body, content='message', content_rowid='id');"
    "create trigger message_ins after insert on message begin"
    "  insert into message_text(rowid, body) values(new.id, new.body); end;"
    "create table event(id integer primary key, calendar int, uid text, title text, start int, "
    "stop int) strict;"
    "create index event_start on event(calendar, start);"
    "create index event_stop on event(calendar, stop);"
    "create index event_uid on event(uid);"
    "create table mail(id integer primary key, box int, unread int, at int, subject text, body "
    "text) strict;"
    "create index mail_box on mail(box, at);"
    "create table file(id integer primary key, parent int, name text, size int) strict;"
    "create index file_parent on file(parent, name);"
    "create index file_name on file(name);"
    "create table reaction(message int, author int, emoji text, primary key(message, author, "
    "emoji)) strict, without "
    "rowid;";

#define N "with recursive c(i) as (select ?1 union all select i + 1 from c where i < ?2) "
static const char *const fill[] = {
    "insert into message(channel, author, ts, body) " N
    "select i * 7919 % 50, i % 200, 1700000000 + i, 'w' || i * 31 % 4000 || ' w' || i * 17 % 900 "
    "|| ' w' || i * 13 % 300 "
    "|| ' about the budget of w' || i * 7 % 5000 || ' and w' || i % 777 from c",
    "insert into event(calendar, uid, title, start, stop) " N
    "select i * 31 % 40, 'uid-' || i * 7919 % 1000003, 'meeting number ' || i, 1700000000 + i * "
    "600, 1700001800 + i * "
    "600 from c",
    "insert into file(parent, name, size) " N
    "select i % 300, 'report-' || i * 7919 % 100003 || '.pdf', i from c",
    "insert into reaction " N "select i, i % 200, 'smile' from c",
    "insert into mail(box, unread, at, subject, body) " N
    "select i % 60, i % 2, 1700000000 + i, 'about number ' || i, hex(zeroblob(300 + i * 31 % "
    "1200)) from c",
};

struct database {
    const char *name; /* "10 MB" */
    int64_t n;        /* rows of each table but mail */
    int64_t mails;
    struct tree tree;
    sqlite3 *memory; /* NULL for those that are only forked */
};

static void run_fill(sqlite3 *db, const char *text, int64_t from, int64_t to)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(db, text, -1, &st, NULL) != SQLITE_OK)
        bench_die(text, sqlite3_errmsg(db));
    sqlite3_bind_int64(st, 1, from);
    sqlite3_bind_int64(st, 2, to);
    sqlite3_step(st);
    if (sqlite3_finalize(st) != SQLITE_OK)
        bench_die(text, sqlite3_errmsg(db));
}

static int64_t ask(sqlite3 *db, const char *text)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(db, text, -1, &st, NULL) != SQLITE_OK || sqlite3_step(st) != SQLITE_ROW)
        bench_die(text, sqlite3_errmsg(db));
    int64_t v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

static struct database make(struct store *s, const char *name, int64_t mb, bool keep)
{
    struct database d = {.name = name, .n = mb * 600};
    struct sosia_err err;
    sqlite3_int64 size;
    char pragma[64];
    if (sqlite3_open(":memory:", &d.memory) != SQLITE_OK)
        bench_die("open", "no memory");
    snprintf(pragma, sizeof pragma, "pragma page_size = %d; begin", STORE_PAGE_SIZE);
    sqlite3_exec(d.memory, pragma, NULL, NULL, NULL);
    if (sqlite3_exec(d.memory, tables, NULL, NULL, NULL) != SQLITE_OK)
        bench_die("tables", sqlite3_errmsg(d.memory));
    for (int i = 0; i < 4; i++)
        run_fill(d.memory, fill[i], 1, d.n);
    while (ask(d.memory, "pragma page_count") * STORE_PAGE_SIZE < mb * 1000000) {
        run_fill(d.memory, fill[4], d.mails + 1, d.mails + mb * 40);
        d.mails += mb * 40;
    }
    sqlite3_exec(d.memory, "commit; insert into message_text(message_text) values('optimize')",
                 NULL, NULL, NULL);
    unsigned char *image = sqlite3_serialize(d.memory, "main", &size, 0);
    must(image ? tree_load(s, image, (size_t)size, &d.tree, &err) : -1, "load", &err);
    sqlite3_free(image);
    if (!keep) {
        sqlite3_close(d.memory);
        d.memory = NULL;
    }
    return d;
}

/* ---- what is measured on both sides ---- */

enum { READ, LIST, INSERT_FILE, INSERT_EVENT, UPDATE_MAIL, SEARCH, MESSAGE, REACTION, N_QUERIES };
static struct sql_text queries[N_QUERIES] = {
    [READ] = SQL_TEXT("select id, channel, author, ts, body from message where id = ?1"),
    [LIST] = SQL_TEXT("select id, author, ts, body from message where channel = ?1 order by "
                      "ts desc limit 20"),
    [INSERT_FILE] =
        SQL_TEXT("insert into file(parent, name, size) values(?1 % 300, 'new-' || ?1, ?1)"),
    [INSERT_EVENT] = SQL_TEXT(
        "insert into event(calendar, uid, title, start, stop) values(?1 % 40, 'new-' || ?1, "
        "'a new meeting', 1710000000 + ?1, 1710001800 + ?1)"),
    [UPDATE_MAIL] = SQL_TEXT("update mail set unread = not unread where id = ?1"),
    [SEARCH] =
        SQL_TEXT("select rowid from message_text where message_text match 'w' || ?1 limit 20"),
    [MESSAGE] = SQL_TEXT("insert into message(channel, author, ts, body) values(?1 % 50, 7, "
                         "1710000000 + ?1, 'hello "
                         "again about the budget w' || ?1 % 5000)"),
    [REACTION] = SQL_TEXT("insert or replace into reaction values(?1, 250, 'tada')"),
};

struct side {
    struct slot *slot; /* NULL: the other one */
    struct tree *tree;
    uint64_t key, version;
    sqlite3 *db;
    sqlite3_stmt *stmts[N_QUERIES], *begin, *commit;
};

static struct side memory_side(sqlite3 *db)
{
    struct side m = {.db = db};
    for (int i = 0; i < N_QUERIES; i++)
        if (sqlite3_prepare_v3(db, queries[i].text, -1, SQLITE_PREPARE_PERSISTENT, &m.stmts[i],
                               NULL) != SQLITE_OK)
            bench_die(queries[i].text, sqlite3_errmsg(db));
    sqlite3_prepare_v3(db, "begin immediate", -1, SQLITE_PREPARE_PERSISTENT, &m.begin, NULL);
    sqlite3_prepare_v3(db, "commit", -1, SQLITE_PREPARE_PERSISTENT, &m.commit, NULL);
    return m;
}

static void memory_side_done(struct side *m)
{
    for (int i = 0; i < N_QUERIES; i++)
        sqlite3_finalize(m->stmts[i]);
    sqlite3_finalize(m->begin);
    sqlite3_finalize(m->commit);
}

static int64_t sink;

static void step_all(struct side *m, sqlite3_stmt *st)
{
    int rc;
    while ((rc = sqlite3_step(st)) == SQLITE_ROW)
        sink += sqlite3_column_int64(st, 0);
    if (rc != SQLITE_DONE)
        bench_die(sqlite3_sql(st), sqlite3_errmsg(m->db));
    sqlite3_reset(st);
}

static void query(struct side *m, int which, int64_t a)
{
    sqlite3_stmt *st = m->slot ? sql_use(m->slot, &queries[which]) : m->stmts[which];
    if (!st)
        bench_die(queries[which].text, sqlite3_errmsg(m->db));
    sqlite3_bind_int64(st, 1, a);
    step_all(m, st);
}

static void enter(struct side *m)
{
    if (m->slot)
        slot_point(m->slot, m->tree, m->key, &m->version);
}

static void leave(struct side *m)
{
    if (m->slot)
        slot_leave(m->slot);
}

static void single(struct side *m, int which, int64_t a)
{
    enter(m);
    query(m, which, a);
    leave(m);
}

/* Five writes as one transaction: a message with its search index, an event, a mail read, a file, a
 * reaction. */
static void episode(struct side *m, int64_t a, int64_t mails)
{
    enter(m);
    if (m->slot)
        slot_begin(m->slot, true, NULL);
    else
        step_all(m, m->begin);
    query(m, MESSAGE, a);
    query(m, INSERT_EVENT, a);
    query(m, UPDATE_MAIL, a % mails + 1);
    query(m, INSERT_FILE, a);
    query(m, REACTION, a % 500 + 1);
    if (m->slot)
        slot_commit(m->slot, NULL);
    else
        step_all(m, m->commit);
    leave(m);
}

/* ---- turns ---- */

struct turns {
    double ours[ROUNDS], theirs[ROUNDS], ratio[ROUNDS];
};

static void report(const char *name, const char *what, struct turns *t, const char *unit,
                   double scale, const char *target)
{
    char full[96];
    for (int i = 0; i < ROUNDS; i++)
        t->ratio[i] = t->theirs[i] > 0 ? t->ours[i] / t->theirs[i] : 0;
    double value = bench_percentile(t->ours, ROUNDS, 0.5) / scale,
           ratio = bench_percentile(t->ratio, ROUNDS, 0.5);
    snprintf(full, sizeof full, "%s%s%s", name, what ? ", " : "", what ? what : "");
    bench_report(full, value, unit, ratio > 0 ? value / ratio : 0, target);
}

static void one_turn(struct side *m, int which, const struct database *d, int n, double *ret_ns)
{
    bool write =
        which == INSERT_FILE || which == INSERT_EVENT || which == UPDATE_MAIL || which == N_QUERIES;
    int64_t range = which == UPDATE_MAIL ? d->mails
                    : which == LIST      ? 50
                    : which == SEARCH    ? 4000
                                         : d->n;
    double start = bench_cpu();
    for (int i = 0; i < n; i++) {
        int64_t a = write && which != UPDATE_MAIL ? (int64_t)(draw() % 1000000000)
                                                  : (int64_t)(draw() % (uint64_t)range) + 1;
        if (which == N_QUERIES)
            episode(m, a, d->mails);
        else
            single(m, which, a);
    }
    *ret_ns = (bench_cpu() - start) / n;
}

/* Both sides stay as large as they were. */
static void forget_rows(struct side *theirs, struct side *ours, const struct database *d)
{
    char sql[300];
    snprintf(sql, sizeof sql,
             "delete from file where id > %lld; delete from event where id > %lld; delete from "
             "message where id > %lld",
             (long long)d->n, (long long)d->n, (long long)d->n);
    enter(ours);
    if (sqlite3_exec(theirs->db, sql, NULL, NULL, NULL) != SQLITE_OK ||
        sql_exec(ours->slot, sql, NULL) < 0)
        bench_die("delete", sqlite3_errmsg(theirs->db));
    leave(ours);
}

static void statements(struct store *s, struct slot *slot, struct database *d)
{
    static const struct {
        const char *name, *target;
        int which, n;
    } ops[] = {
        {"point read beside :memory:", "<= 1.05", READ, 4000},
        {"list of 20 beside :memory:", "<= 1.05", LIST, 500},
        {"search of a rare word beside :memory:", "<= 1.05", SEARCH, 500},
        {"insert into 3 b-trees beside :memory:", "<= 1.0", INSERT_FILE, 300},
        {"update of one page beside :memory:", "<= 1.5", UPDATE_MAIL, 500},
        {"episode of 5 writes beside :memory:", "<= 1.0", N_QUERIES, 60},
    };
    struct tree t;
    tree_fork(&d->tree, &t);
    struct side ours = {.slot = slot, .tree = &t, .key = 1, .db = slot_db(slot)},
                theirs = memory_side(d->memory);
    for (size_t k = 0; k < SOSIA_LEN(ops); k++) {
        struct turns turns;
        for (int i = -2; i < ROUNDS; i++) {
            int at = i < 0 ? 0 : i;
            uint64_t same = random_state;
            one_turn(&ours, ops[k].which, d, ops[k].n, &turns.ours[at]);
            random_state = same;
            one_turn(&theirs, ops[k].which, d, ops[k].n, &turns.theirs[at]);
            if (ops[k].which >= INSERT_FILE && i % 10 == 0)
                forget_rows(&theirs, &ours, d);
        }
        report(ops[k].name, d->name, &turns, "us", 1000, ops[k].target);
    }
    memory_side_done(&theirs);
    tree_done(&t);
}

/* Reads of a tree that came through 100 forks, each written to, beside the first. */
static void depth(struct slot *slot, struct database *d)
{
    struct tree t, next;
    struct turns turns;
    tree_fork(&d->tree, &t);
    struct side deep = {.slot = slot, .tree = &t, .key = 100},
                flat = {.slot = slot, .tree = &d->tree, .key = 200};
    deep.db = flat.db = slot_db(slot);
    for (int i = 0; i < 100; i++) {
        episode(&deep, (int64_t)(draw() % 1000000), d->mails);
        tree_fork(&t, &next);
        tree_done(&t);
        t = next;
        deep.key++;
    }
    for (int which = READ; which <= LIST; which++) {
        for (int i = -2; i < ROUNDS; i++) {
            int at = i < 0 ? 0 : i;
            uint64_t same = random_state;
            one_turn(&deep, which, d, which == READ ? 2000 : 200, &turns.ours[at]);
            random_state = same;
            one_turn(&flat, which, d, which == READ ? 2000 : 200, &turns.theirs[at]);
        }
        report(which == READ ? "point read at depth 100 beside depth 0"
                             : "list of 20 at depth 100 beside depth 0",
               d->name, &turns, "us", 1000, "<= 1.2");
    }
    tree_done(&t);
}

/* ---- forks ---- */

static void fork_latency(struct database *d, double *ret_batch)
{
    enum { FORKS = 20000, BATCH = 500 };
    static struct tree forks[FORKS];
    static double times[FORKS];
    char name[64];
    for (int warm = 0; warm < 2; warm++) {
        for (int i = 0; i < FORKS; i++) {
            double start = bench_wall();
            tree_fork(&d->tree, &forks[i]);
            times[i] = bench_wall() - start;
        }
        for (int i = 0; i < FORKS; i++)
            tree_done(&forks[i]);
    }
    snprintf(name, sizeof name, "fork p50, %s", d->name);
    bench_report(name, bench_percentile(times, FORKS, 0.5), "ns", 0, "<= 150");
    snprintf(name, sizeof name, "fork p99, %s", d->name);
    bench_report(name, bench_percentile(times, FORKS, 0.99), "ns", 0, "<= 1000");
    double batches[FORKS / BATCH];
    for (int b = 0; b < FORKS / BATCH; b++) {
        double start = bench_cpu();
        for (int i = 0; i < BATCH; i++)
            tree_fork(&d->tree, &forks[b * BATCH + i]);
        batches[b] = (bench_cpu() - start) / BATCH;
    }
    for (int i = 0; i < FORKS; i++)
        tree_done(&forks[i]);
    *ret_batch = bench_percentile(batches, FORKS / BATCH, 0.5);
}

struct forker {
    const struct tree *from;
    pthread_barrier_t *start;
    double ns;
};

static void *fork_and_drop(void *arg)
{
    enum { COUNT = 300000 };
    struct forker *f = arg;
    struct tree t;
    for (int i = 0; i < 1000; i++) {
        tree_fork(f->from, &t);
        tree_done(&t);
    }
    pthread_barrier_wait(f->start);
    double start = bench_cpu();
    for (int i = 0; i < COUNT; i++) {
        tree_fork(f->from, &t);
        tree_done(&t);
    }
    f->ns = (bench_cpu() - start) / COUNT;
    return NULL;
}

/* Forks and drops of one base, n threads at once: nanoseconds of a thread's time each. */
static double forks_in_threads(const struct tree *from, unsigned n)
{
    struct forker f[8];
    pthread_t thread[8];
    pthread_barrier_t start;
    double sum = 0;
    pthread_barrier_init(&start, NULL, n);
    for (unsigned i = 0; i < n; i++) {
        f[i] = (struct forker){.from = from, .start = &start};
        if (pthread_create(&thread[i], NULL, fork_and_drop, &f[i]) != 0)
            bench_die("thread", "can't be made");
    }
    for (unsigned i = 0; i < n; i++) {
        pthread_join(thread[i], NULL);
        sum += f[i].ns;
    }
    pthread_barrier_destroy(&start);
    return sum / n;
}

static void threads(struct database *d)
{
    double one[7], two[7];
    for (int i = 0; i < 7; i++) {
        one[i] = forks_in_threads(&d->tree, 1);
        two[i] = forks_in_threads(&d->tree, 2);
    }
    bench_report("fork and drop in 2 threads beside 1", bench_percentile(two, 7, 0.5), "ns",
                 bench_percentile(one, 7, 0.5), "<= 2.0");
}

static void dirty(struct tree *t, uint32_t pages)
{
    struct store *s = t->base->store;
    struct writer w = {.store = s,
                       .base = t->base,
                       .root = t->root,
                       .n_pages = t->n_pages,
                       .n_private = t->n_private,
                       .tag = tag_new(s, page_cache(s))};
    uint8_t *data;
    while (w.n_private < pages)
        if (writer_page(&w, (uint32_t)(draw() % t->n_pages), false, &data) != SOSIA_E_OK)
            bench_die("dirty", "no memory");
    t->root = w.root;
    t->n_private = w.n_private;
}

static void reset(struct database *d)
{
    static const uint32_t counts[] = {2, 16, 100};
    for (size_t k = 0; k < SOSIA_LEN(counts); k++) {
        double times[2001];
        char name[64], target[32];
        struct tree t;
        tree_fork(&d->tree, &t);
        for (int i = 0; i < 2001; i++) {
            dirty(&t, counts[k]);
            double start = bench_wall();
            tree_reset(&t, &d->tree);
            times[i] = bench_wall() - start;
        }
        tree_done(&t);
        snprintf(name, sizeof name, "reset of %u dirty pages, %s", counts[k], d->name);
        snprintf(target, sizeof target, "<= %u", 250 + 35 * counts[k]);
        bench_report(name, bench_percentile(times, 2001, 0.5), "ns", 0, target);
    }
}

/* From fork to drop, with one statement on the fork; beside the same statement on a warm database
 * in memory. */
static void fork_and_first(struct slot *slot, struct database *d)
{
    struct turns turns;
    struct tree t;
    struct side ours = {.slot = slot, .tree = &t, .key = UINT64_C(1) << 40, .db = slot_db(slot)},
                theirs = memory_side(d->memory);
    for (int which = 0; which < 2; which++) {
        int n = which ? 200 : 1000;
        for (int i = -2; i < ROUNDS; i++) {
            int at = i < 0 ? 0 : i;
            double start = bench_cpu();
            for (int k = 0; k < n; k++) {
                tree_fork(&d->tree, &t);
                ours.key++;
                single(&ours, which ? INSERT_EVENT : READ, (int64_t)(draw() % (uint64_t)d->n) + 1);
                tree_done(&t);
            }
            turns.ours[at] = (bench_cpu() - start) / n;
            if (!which) {
                turns.theirs[at] = 0;
                continue;
            }
            start = bench_cpu();
            for (int k = 0; k < n; k++)
                single(&theirs, INSERT_EVENT, (int64_t)(draw() % (uint64_t)d->n) + 1);
            turns.theirs[at] = (bench_cpu() - start) / n;
            char sql[80];
            snprintf(sql, sizeof sql, "delete from event where id > %lld", (long long)d->n);
            sqlite3_exec(d->memory, sql, NULL, NULL, NULL);
        }
        report(which ? "fork, first insert with 3 indexes, drop" : "fork, first read, drop",
               d->name, &turns, "us", 1000, which ? "<= 1.5" : "<= 2.0");
    }
    memory_side_done(&theirs);
}

/* ---- memory ---- */

static void memory(struct store *s, struct slot *slot, struct database *d)
{
    enum { IDLE = 100000, ACTIVE = 2000 };
    struct tree *forks = malloc(IDLE * sizeof *forks);
    if (!forks)
        bench_die("memory", "none");
    double before = rss();
    for (int i = 0; i < IDLE; i++)
        tree_fork(&d->tree, &forks[i]);
    bench_report("idle fork in the store (the world adds its own)", (rss() - before) / IDLE, "B", 0,
                 "<= 256");
    for (int i = ACTIVE; i < IDLE; i++)
        tree_done(&forks[i]);
    malloc_trim(0);
    before = rss();
    uint64_t dirty_pages = 0, size = store_size(s);
    for (int i = 0; i < ACTIVE; i++) {
        struct side ours = {
            .slot = slot, .tree = &forks[i], .key = (UINT64_C(2) << 40) + (uint64_t)i};
        ours.db = slot_db(slot);
        episode(&ours, (int64_t)(draw() % 1000000), d->mails);
        dirty_pages += forks[i].n_private;
    }
    double bytes = (double)dirty_pages * STORE_PAGE_SIZE;
    bench_report("fork after an episode, RSS", (rss() - before) / ACTIVE / 1000, "KB", 0, "<= 45");
    bench_report("fork after an episode, beside its dirty bytes",
                 (double)(store_size(s) - size) / ACTIVE, "B", bytes / ACTIVE, "<= 1.12");
    for (int i = 0; i < ACTIVE; i++)
        tree_done(&forks[i]);
    bench_report("memory given back when forks are dropped", (rss() - before) / 1e6, "MB left", 0,
                 "<= 2");
    free(forks);
}

/* ---- differences ---- */

static int count_row(void *arg, const char *table, int64_t rowid, enum row_change change)
{
    ++*(int *)arg;
    return 0;
}

static void differences(struct store *s, struct slot *slot, struct database *d, const char *target)
{
    struct tree t;
    struct sosia_err err;
    char name[80];
    uint8_t hash[32];
    double rows[ROUNDS], hashes[ROUNDS];
    int n = 0;
    tree_fork(&d->tree, &t);
    struct side ours = {.slot = slot, .tree = &t, .key = UINT64_C(3) << 40, .db = slot_db(slot)};
    double start = bench_cpu();
    must(rowdiff(s, &d->tree, &t, NULL, count_row, &n, &err), "rowdiff", &err);
    snprintf(name, sizeof name, "row diff: map of a base, once, %s", d->name);
    bench_report(name, (bench_cpu() - start) / 1e6, "ms", 0, NULL);
    start = bench_cpu();
    must(tree_hash(&d->tree, hash, &err), "hash", &err);
    snprintf(name, sizeof name, "content hash of a base, once, %s", d->name);
    bench_report(name, (bench_cpu() - start) / 1e6, "ms", 0, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        tree_reset(&t, &d->tree);
        ours.key++;
        episode(&ours, (int64_t)(draw() % 1000000), d->mails);
        n = 0;
        start = bench_cpu();
        must(rowdiff(s, &d->tree, &t, NULL, count_row, &n, &err), "rowdiff", &err);
        rows[i] = bench_cpu() - start;
        if (n != 5)
            bench_die("row diff", "it is not 5 rows");
        start = bench_cpu();
        must(tree_hash(&t, hash, &err), "hash", &err);
        hashes[i] = bench_cpu() - start;
    }
    snprintf(name, sizeof name, "row diff of an episode, %s", d->name);
    bench_report(name, bench_percentile(rows, ROUNDS, 0.5) / 1000, "us", 0, target);
    snprintf(name, sizeof name, "content hash after an episode, %s", d->name);
    bench_report(name, bench_percentile(hashes, ROUNDS, 0.5) / 1000, "us", 0, NULL);
    tree_done(&t);
}

int main(int argc, char **argv)
{
    struct store *s;
    struct slot *slot;
    struct sosia_err err;
    double small_fork, fork;
    bool small = argc > 1 && strcmp(argv[argc - 1], "--small") == 0;
    bench_begin(argc, argv);
    must(store_open(NULL, &s, &err), "store", &err);
    must(slot_open(s, &slot, &err), "slot", &err);
    struct database d[4] = {make(s, "1 MB", 1, false), make(s, "10 MB", 10, true)};
    int n = 2;
    fork_latency(&d[0], &small_fork);
    fork_latency(&d[1], &fork);
    threads(&d[1]);
    reset(&d[1]);
    fork_and_first(slot, &d[1]);
    statements(s, slot, &d[1]);
    depth(slot, &d[1]);
    memory(s, slot, &d[1]);
    differences(s, slot, &d[1], "<= 200");
    if (!small) {
        d[n++] = make(s, "100 MB", 100, true);
        fork_latency(&d[2], &fork);
        bench_report("fork of 100 MB beside 1 MB", fork, "ns", small_fork, "<= 1.1");
        fork_and_first(slot, &d[2]);
        statements(s, slot, &d[2]);
        differences(s, slot, &d[2], "<= 400");
        d[n++] = make(s, "300 MB", 300, false);
        fork_latency(&d[3], &fork);
        differences(s, slot, &d[3], "<= 400");
    }
    slot_close(slot);
    for (int i = 0; i < n; i++) {
        sqlite3_close(d[i].memory);
        tree_done(&d[i].tree);
    }
    store_close(s);
    return sink == 42;
}
