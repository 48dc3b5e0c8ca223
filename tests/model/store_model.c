/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model check of the store: random operations on many trees through few slots, each tree beside
 * an ordinary SQLite database in memory that gets the same operations. Both must always give the
 * same results.
 *
 *     store_model [--steps N] [--seed N] [--threads N] [--no-faults] [--no-invalidation]
 *
 * --no-invalidation switches off what makes a slot forget the tree that it worked on before; the
 * check must then find a mismatch, or it couldn't find anything (exit status 0 means that it did).
 * Not every seed does, so that it takes one after the other; with --threads 1 nothing but the
 * seeds decides.
 */
#include "engine/base/buf.h"
#include "engine/store/page_impl.h"
#include "engine/store/slot.h"
#include "tests/support/dose.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORLDS = 16, SLOTS = 3, MAX_THREADS = 16, MAILBOX = 8, MAX_SEEDS = 64 };

static const char schema[] =
    "create table messages(id integer primary key, channel int, author text, ts int, body text) "
    "strict;"
    "create index messages_channel on messages(channel, ts);"
    "create virtual table messages_text using fts5(body, content='messages', content_rowid='id');"
    "create trigger messages_ins after insert on messages begin"
    "  insert into messages_text(rowid, body) values(new.id, new.body); end;"
    "create trigger messages_del after delete on messages begin"
    "  insert into messages_text(messages_text, rowid, body) values('delete', old.id, old.body); "
    "end;"
    "create trigger messages_upd after update of body on messages begin"
    "  insert into messages_text(messages_text, rowid, body) values('delete', old.id, old.body);"
    "  insert into messages_text(rowid, body) values(new.id, new.body); end;"
    "create table users(id integer primary key, handle text unique, email text unique);"
    "create table blobs(key text primary key, data blob) without rowid;"
    "create table files(id integer primary key, name text, size int, data blob);"
    "create table reaction(message integer references messages(id) on delete cascade, emoji text,"
    "  primary key(message, emoji)) without rowid;"
    "insert into messages(channel, author, ts, body) with recursive c(i) as (select 1 union all "
    "select i + 1 from c"
    "  where i < 600) select i % 20, 'u' || i % 30, i, 'text number ' || i || ' on the budget' "
    "from c;"
    "insert into users(handle, email) with recursive c(i) as (select 1 union all select i + 1 from "
    "c where i < 100)"
    "  select 'h' || i, 'u' || i || '@x' from c;"
    "insert into files(name, size, data) with recursive c(i) as (select 1 union all select i + 1 "
    "from c where i < 60)"
    "  select 'f' || i, i, zeroblob(i * 50) from c;";

/* ---- what is done: each with two numbers ---- */

static struct sql_text statements[] = {
    SQL_TEXT("insert into messages(channel, author, ts, body) values(?1 % 20, 'u' || ?2, ?1, "
             "'budget hello ' || ?2 || ' zz' || ?1)"),
    SQL_TEXT("update messages set body = body || ' edit' || ?2 where id = ?1 % 600 + 1"),
    SQL_TEXT("delete from messages where id = ?1 % 600 + 1 or id = ?2 % 600"),
    SQL_TEXT("delete from messages where channel = ?1 % 20 and id % 7 = ?2 % 7"),
    SQL_TEXT("insert into messages(channel, author, ts, body) with recursive c(i) as (select 1 "
             "union all "
             "select i + 1 from c where i < ?2 % 30) select ?1 % 20, 'many', i, 'row of many ' || "
             "?1 from c"),
    /* Fails halfway when the third address is taken. */
    SQL_TEXT("insert into users(handle, email) with recursive c(i) as (select 1 union all select i "
             "+ 1 from c "
             "where i < 5) select 'h' || i || '-' || ?1, case when i = 3 and ?1 % 3 = 0 then "
             "'u5@x' else "
             "'e' || i || '-' || ?1 end from c"),
    SQL_TEXT("update users set handle = 'same' where id in (?1 % 100, ?2 % 100)"),
    SQL_TEXT("delete from users where id > 120"),
    SQL_TEXT("insert or replace into blobs values('k' || (?1 % 50), zeroblob(?2 % 20000))"),
    SQL_TEXT("update blobs set data = data || x'0102' where key > 'k' || (?1 % 50)"),
    SQL_TEXT("delete from blobs where key > 'k' || (?1 % 50)"),
    SQL_TEXT("insert into files(name, size, data) values('f' || ?1, ?2, zeroblob(?1 % 60000))"),
    SQL_TEXT("delete from files where id % 5 = ?1 % 5 and id > 20"),
    SQL_TEXT("update files set name = name || 'x', size = size + 1 where id % 9 = ?2 % 9"),
    SQL_TEXT("insert or ignore into reaction values(?1 % 700 + 1, 'e' || (?2 % 9))"),
    SQL_TEXT("delete from reaction where emoji = 'e' || (?2 % 9)"),
    SQL_TEXT("insert into x1(b) values(?2)"),
    SQL_TEXT("update x1 set b = b + ?1"),
    SQL_TEXT("insert into x2 values(?1, ?2, zeroblob(?2 % 3000))"),
    SQL_TEXT("insert into x3(t) values('budget ' || ?1)"),
    SQL_TEXT("insert into messages_text(messages_text, rank) values('merge', 4)"),
    SQL_TEXT("update messages set ts = ?1 where id = ?2 % 600"),
    SQL_TEXT("select count(*), max(ts) from messages where channel = ?1 % 20"),
};

static const char *const ddl[] = {
    "create table x1(a integer primary key, b)",
    "create table x1(b, a integer primary key, z text default 'z')",
    "drop table x1",
    "create table x2(a, b, c)",
    "drop table x2",
    "create index ix1 on files(size)",
    "drop index ix1",
    "create index ix2 on messages(author)",
    "drop index ix2",
    "alter table users add column extra text",
    "alter table x2 rename to x1",
    "create virtual table x3 using fts5(t)",
    "drop table x3",
    "create trigger tr1 after insert on files begin insert into x1(b) values(new.size); end",
    "drop trigger tr1",
};

static struct sql_text digests[] = {
    SQL_TEXT("select count(*), sum(id), sum(length(body)), max(ts) from messages"),
    SQL_TEXT("select group_concat(rowid) from (select rowid from messages_text where messages_text "
             "match "
             "'budget' order by rank, rowid limit 20)"),
    SQL_TEXT("select count(*) from messages_text where messages_text match 'edit* OR many'"),
    SQL_TEXT("select channel, count(*), max(ts) from messages group by channel order by channel"),
    SQL_TEXT("select count(*), group_concat(email) from (select email from users order by id desc "
             "limit 12)"),
    SQL_TEXT("select count(*), sum(length(data)), max(key) from blobs"),
    SQL_TEXT("select count(*), sum(size), sum(length(data)), max(name) from files"),
    SQL_TEXT("select count(*), sum(message), max(emoji) from reaction"),
    SQL_TEXT("select name, rootpage, sql from sqlite_schema order by name"),
    SQL_TEXT("select * from x1 order by 1, 2 limit 30"),
    SQL_TEXT("select count(*), sum(a), sum(length(c)) from x2"),
    SQL_TEXT("select count(*) from x3 where x3 match 'budget'"),
    SQL_TEXT("pragma page_count"),
    SQL_TEXT("pragma freelist_count"),
};

/* ---- state ---- */

struct world {
    struct tree tree;
    uint64_t key, version;
    sqlite3 *shadow;
};

struct runner {
    struct store *store;
    struct slot *slots[SLOTS];
    struct world worlds[WORLDS];
    uint64_t random;
    int steps, number;
    bool faults;
    uint64_t n_statements, n_expected_failures, n_faults, n_checks, n_sound, mismatches;
    char doing[400];
};

/* Worlds on their way from one thread to another. */
static pthread_mutex_t mailbox_lock = PTHREAD_MUTEX_INITIALIZER;
static struct world mailbox[MAILBOX];
static _Atomic(uint64_t) next_key;
static _Atomic(bool) stop;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

static uint64_t draw(struct runner *r)
{
    uint64_t z = r->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(struct runner *r, unsigned n)
{
    return (unsigned)(draw(r) % n);
}

static void mismatch(struct runner *r, const struct world *w, const char *what, const char *ours,
                     const char *theirs)
{
    r->mismatches++;
    atomic_store(&stop, true);
    if (!r->store->no_invalidation)
        fprintf(stderr,
                "MISMATCH thread %d key %" PRIu64
                " after %s\n  %s\n  tree:   %.400s\n  shadow: %.400s\n",
                r->number, w->key, r->doing, what, ours, theirs);
}

/* ---- the shadow ---- */

static sqlite3 *shadow_from(unsigned char *image, sqlite3_int64 n)
{
    sqlite3 *db;
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite3_deserialize(db, "main", image, n, n,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) !=
            SQLITE_OK ||
        sqlite3_exec(db, "pragma foreign_keys = on; pragma secure_delete = off", NULL, NULL,
                     NULL) != SQLITE_OK)
        die("shadow", db ? sqlite3_errmsg(db) : "no memory");
    sqlite3_extended_result_codes(db, 1);
    return db;
}

static unsigned char *shadow_image(sqlite3 *db, sqlite3_int64 *ret_n)
{
    unsigned char *image = sqlite3_serialize(db, "main", ret_n, 0);
    if (!image)
        die("serialize", sqlite3_errmsg(db));
    return image;
}

static sqlite3 *shadow_clone(sqlite3 *db)
{
    sqlite3_int64 n;
    unsigned char *image = shadow_image(db, &n);
    return shadow_from(image, n);
}

/* ---- one statement on both sides ---- */

static void put_row(struct buf *out, sqlite3_stmt *st)
{
    for (int i = 0; i < sqlite3_column_count(st); i++) {
        const char *text = (const char *)sqlite3_column_text(st, i);
        buf_puts(out, text ? text : "null");
        buf_byte(out, '|');
    }
    buf_byte(out, '\n');
}

static int run_shadow(sqlite3 *db, const char *text, int64_t a, int64_t b, struct buf *out)
{
    sqlite3_stmt *st;
    int rc = sqlite3_prepare_v2(db, text, -1, &st, NULL);
    if (rc != SQLITE_OK)
        return rc;
    if (sqlite3_bind_parameter_count(st) > 0)
        sqlite3_bind_int64(st, 1, a);
    if (sqlite3_bind_parameter_count(st) > 1)
        sqlite3_bind_int64(st, 2, b);
    while (sqlite3_step(st) == SQLITE_ROW)
        put_row(out, st);
    return sqlite3_finalize(st);
}

static int run_slot(struct slot *s, struct sql_text *q, int64_t a, int64_t b, struct buf *out)
{
    sqlite3_stmt *st = sql_use(s, q);
    if (!st)
        return sqlite3_extended_errcode(slot_db(s));
    if (sqlite3_bind_parameter_count(st) > 0)
        sql_bind_int(st, 1, a);
    if (sqlite3_bind_parameter_count(st) > 1)
        sql_bind_int(st, 2, b);
    int more;
    while ((more = sql_step(s, st, NULL)) > 0)
        put_row(out, st);
    return more < 0 ? sqlite3_extended_errcode(slot_db(s)) : SQLITE_OK;
}

static int exec_slot(struct slot *s, const char *text)
{
    return sql_exec(s, text, NULL) == 0 ? SQLITE_OK : sqlite3_extended_errcode(slot_db(s));
}

/* Failures that only a countdown brings about. */
static bool is_fault(int rc)
{
    return (rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_NOMEM;
}

static void same_rc(struct runner *r, struct world *w, int ours, int theirs, struct slot *s)
{
    char a[300], b[300];
    if (ours == theirs) {
        r->n_expected_failures += ours != SQLITE_OK;
        return;
    }
    snprintf(a, sizeof a, "%d %s", ours, sqlite3_errmsg(slot_db(s)));
    snprintf(b, sizeof b, "%d %s", theirs, sqlite3_errmsg(w->shadow));
    mismatch(r, w, "result", a, b);
}

static void same_rows(struct runner *r, struct world *w, const char *what, struct buf *ours,
                      struct buf *theirs)
{
    if (ours->len != theirs->len || memcmp(buf_str(ours), buf_str(theirs), ours->len) != 0)
        mismatch(r, w, what, buf_str(ours), buf_str(theirs));
    buf_clear(ours);
    buf_clear(theirs);
}

/* ---- operations: the slot points at the world ---- */

static void check(struct runner *r, struct world *w, struct slot *s)
{
    struct buf ours, theirs;
    buf_init(&ours, 0);
    buf_init(&theirs, 0);
    for (size_t i = 0; i < SOSIA_LEN(digests) && !atomic_load(&stop); i++) {
        same_rc(r, w, run_slot(s, &digests[i], 0, 0, &ours),
                run_shadow(w->shadow, digests[i].text, 0, 0, &theirs), s);
        same_rows(r, w, digests[i].text, &ours, &theirs);
        r->n_checks++;
    }
    buf_done(&ours);
    buf_done(&theirs);
}

/* A search first: without it FTS5's part of the check looks at what it had cached of another tree.
 */
static void check_sound(struct runner *r, struct world *w, struct slot *s)
{
    static struct sql_text search =
        SQL_TEXT("select count(*) from messages_text where messages_text match 'budget'");
    static struct sql_text search_x3 = SQL_TEXT("select count(*) from x3 where x3 match 'budget'");
    static struct sql_text sound = SQL_TEXT("pragma integrity_check");
    struct buf ours;
    buf_init(&ours, 0);
    run_slot(s, &search, 0, 0, &ours);
    run_slot(s, &search_x3, 0, 0, &ours);
    buf_clear(&ours);
    run_slot(s, &sound, 0, 0, &ours);
    if (strcmp(buf_str(&ours), "ok|\n") != 0)
        mismatch(r, w, "integrity_check", buf_str(&ours), "ok|");
    int rc = exec_slot(s, "insert into messages_text(messages_text) values('integrity-check')");
    if (rc != SQLITE_OK)
        mismatch(r, w, "fts5 integrity-check", sqlite3_errmsg(slot_db(s)), "");
    run_shadow(w->shadow, "insert into messages_text(messages_text) values('integrity-check')", 0,
               0, &ours);
    r->n_sound++;
    buf_done(&ours);
}

/* Arms a countdown now and then; gives whether it did. */
static bool arm(struct runner *r)
{
    bool yes = r->faults && below(r, 6) == 0;
    store_fail_after(r->store, yes ? 1 + below(r, 80) : 0);
    return yes;
}

/* After a failed countdown the tree must be as it was: the very same pages. */
static void unchanged(struct runner *r, struct world *w, const struct tree *was, uint64_t version)
{
    r->n_faults++;
    if (memcmp(&w->tree, was, sizeof *was) != 0 || w->version != version)
        mismatch(r, w, "a failed transaction", "changed the tree", "");
}

static void one_statement(struct runner *r, struct world *w, struct slot *s)
{
    struct sql_text *q = &statements[below(r, SOSIA_LEN(statements))];
    int64_t a = below(r, 100000), b = below(r, 1000);
    struct tree was = w->tree;
    uint64_t version = w->version;
    struct buf ours, theirs;
    buf_init(&ours, 0);
    buf_init(&theirs, 0);
    snprintf(r->doing, sizeof r->doing, "%.300s (%d, %d)", q->text, (int)a, (int)b);
    bool armed = arm(r);
    int rc = run_slot(s, q, a, b, &ours);
    store_fail_after(r->store, 0);
    r->n_statements++;
    if (armed && is_fault(rc)) {
        unchanged(r, w, &was, version);
    } else {
        same_rc(r, w, rc, run_shadow(w->shadow, q->text, a, b, &theirs), s);
        same_rows(r, w, q->text, &ours, &theirs);
    }
    buf_done(&ours);
    buf_done(&theirs);
}

/* What a transaction does, so that it can be done again on the shadow if it commits. */
struct planned {
    struct sql_text *q; /* or: */
    const char *text;
    int64_t a, b;
    int rc;
    char why[100];
};

static unsigned plan(struct runner *r, struct planned *p, unsigned max)
{
    static const char *const points[] = {"savepoint a", "rollback to a; release a", "release a"};
    unsigned n = 0;
    bool open = false;
    while (n + 2 < max && below(r, 8)) {
        p[n] = (struct planned){.a = below(r, 100000), .b = below(r, 1000)};
        unsigned kind = below(r, 10);
        if (kind < 2 && !open) {
            p[n].text = points[0];
            open = true;
        } else if (kind < 3 && open) {
            p[n].text = points[1 + below(r, 2)];
            open = false;
        } else if (kind < 4) {
            p[n].text = ddl[below(r, SOSIA_LEN(ddl))];
        } else {
            p[n].q = &statements[below(r, SOSIA_LEN(statements))];
        }
        n++;
    }
    if (open)
        p[n++] = (struct planned){.text = points[1 + below(r, 2)]};
    return n;
}

static void one_transaction(struct runner *r, struct world *w, struct slot *s)
{
    struct planned p[24];
    unsigned n = plan(r, p, SOSIA_LEN(p));
    bool roll_back = below(r, 3) == 0, armed, failed;
    struct tree was = w->tree;
    uint64_t version = w->version;
    struct buf ours;
    buf_init(&ours, 0);
    snprintf(r->doing, sizeof r->doing, "a transaction of %u, %s", n,
             roll_back ? "rolled back" : "committed");
    armed = arm(r);
    failed = slot_begin(s, true, NULL) < 0;
    for (unsigned i = 0; i < n && !failed; i++) {
        p[i].rc = p[i].q ? run_slot(s, p[i].q, p[i].a, p[i].b, &ours) : exec_slot(s, p[i].text);
        snprintf(p[i].why, sizeof p[i].why, "%s", sqlite3_errmsg(slot_db(s)));
        r->n_statements++;
        failed = armed && is_fault(p[i].rc);
    }
    if (!failed && !roll_back)
        failed = slot_commit(s, NULL) < 0;
    if (failed || roll_back)
        slot_rollback(s);
    store_fail_after(r->store, 0);
    if (failed && !armed)
        mismatch(r, w, "transaction", sqlite3_errmsg(slot_db(s)), "");
    if (failed || roll_back)
        unchanged(r, w, &was, version);
    r->n_faults -= roll_back && !failed;
    if (!failed) {
        run_shadow(w->shadow, "begin immediate", 0, 0, &ours);
        for (unsigned i = 0; i < n && !atomic_load(&stop); i++) {
            const char *text = p[i].q ? p[i].q->text : p[i].text;
            int rc = p[i].q ? run_shadow(w->shadow, text, p[i].a, p[i].b, &ours)
                            : sqlite3_exec(w->shadow, text, NULL, NULL, NULL);
            if (rc)
                rc = sqlite3_extended_errcode(w->shadow);
            snprintf(r->doing, sizeof r->doing, "in a transaction: %.250s: %s", text, p[i].why);
            same_rc(r, w, p[i].rc, rc, s);
        }
        run_shadow(w->shadow, roll_back ? "rollback" : "commit", 0, 0, &ours);
    }
    buf_done(&ours);
}

static void one_ddl(struct runner *r, struct world *w, struct slot *s)
{
    const char *text = ddl[below(r, SOSIA_LEN(ddl))];
    struct tree was = w->tree;
    uint64_t version = w->version;
    snprintf(r->doing, sizeof r->doing, "%s", text);
    bool armed = arm(r);
    int rc = exec_slot(s, text);
    store_fail_after(r->store, 0);
    if (armed && is_fault(rc)) {
        unchanged(r, w, &was, version);
        return;
    }
    int theirs = sqlite3_exec(w->shadow, text, NULL, NULL, NULL);
    same_rc(r, w, rc, theirs ? sqlite3_extended_errcode(w->shadow) : SQLITE_OK, s);
}

/* A statement is read half, then other tables are written and committed, then it is read on. */
static void read_while_writing(struct runner *r, struct world *w, struct slot *s)
{
    static struct sql_text q = SQL_TEXT("select id, name, size from files order by id");
    static struct sql_text write =
        SQL_TEXT("insert or replace into blobs values('k' || (?1 % 50), zeroblob(?2 % 9000))");
    struct buf ours, theirs;
    buf_init(&ours, 0);
    buf_init(&theirs, 0);
    snprintf(r->doing, sizeof r->doing, "reading while writing");
    run_shadow(w->shadow, q.text, 0, 0, &theirs);
    sqlite3_stmt *st = sql_use(s, &q);
    int64_t a = 0;
    while (st && sql_step(s, st, NULL) > 0) {
        put_row(&ours, st);
        if (++a % 8 == 0) {
            int rc = run_slot(s, &write, a, a * 97, &ours);
            same_rc(r, w, rc, run_shadow(w->shadow, write.text, a, a * 97, &theirs), s);
        }
    }
    same_rows(r, w, q.text, &ours, &theirs);
    buf_done(&ours);
    buf_done(&theirs);
}

static int write_blob(sqlite3 *db, int64_t rowid, const void *data, int n, int at)
{
    sqlite3_blob *blob = NULL;
    int rc = sqlite3_blob_open(db, "main", "files", "data", rowid, 1, &blob);
    if (rc == SQLITE_OK && at + n <= sqlite3_blob_bytes(blob))
        rc = sqlite3_blob_write(blob, data, n, at);
    int end = sqlite3_blob_close(blob);
    return rc == SQLITE_OK ? end : rc;
}

static void one_blob(struct runner *r, struct world *w, struct slot *s)
{
    char data[5000];
    int64_t rowid = 1 + below(r, 60);
    int n = (int)below(r, sizeof data), at = (int)below(r, 3000);
    memset(data, (int)('a' + below(r, 26)), sizeof data);
    snprintf(r->doing, sizeof r->doing, "blob %d: %d bytes at %d", (int)rowid, n, at);
    exec_slot(s, "select 1"); /* preparing uses the schema that the connection has */
    int rc = write_blob(slot_db(s), rowid, data, n, at);
    same_rc(r, w, rc, write_blob(w->shadow, rowid, data, n, at), s);
}

/* ---- operations on whole worlds ---- */

static void drop(struct world *w)
{
    tree_done(&w->tree);
    sqlite3_close(w->shadow);
    w->shadow = NULL;
}

static void fork_to(struct world *to, struct world *from)
{
    struct world fork = {.key = atomic_fetch_add(&next_key, 1) + 1, .version = from->version};
    tree_fork(&from->tree, &fork.tree);
    fork.shadow = shadow_clone(from->shadow);
    if (to->shadow)
        drop(to);
    *to = fork;
}

static void reset_to(struct world *to, struct world *from)
{
    tree_reset(&to->tree, &from->tree);
    to->version++;
    sqlite3 *shadow = shadow_clone(from->shadow);
    sqlite3_close(to->shadow);
    to->shadow = shadow;
}

/* Out as an image and in again: that of the tree, or that of the shadow. */
static void reload(struct runner *r, struct world *w)
{
    struct tree t;
    struct sosia_err err = {0};
    sqlite3_int64 n;
    unsigned char *image;
    if (below(r, 2)) {
        image = shadow_image(w->shadow, &n);
    } else {
        n = (sqlite3_int64)w->tree.n_pages * STORE_PAGE_SIZE;
        image = sqlite3_malloc64((uint64_t)n);
        if (!image)
            die("reload", "no memory");
        tree_copy(&w->tree, image);
    }
    if (tree_load(r->store, image, (size_t)n, &t, &err) < 0) {
        mismatch(r, w, "load", err.text, "");
        sqlite3_free(image);
        return;
    }
    sqlite3_close(w->shadow);
    w->shadow = shadow_from(image, n);
    tree_done(&w->tree);
    w->tree = t;
    w->version++;
}

/* Leaves a fork for another thread and takes what one has left. */
static void exchange(struct runner *r, struct world *w)
{
    struct world out = {0}, in;
    fork_to(&out, w);
    pthread_mutex_lock(&mailbox_lock);
    unsigned i = below(r, MAILBOX);
    in = mailbox[i];
    mailbox[i] = out;
    pthread_mutex_unlock(&mailbox_lock);
    if (in.shadow) {
        drop(w);
        *w = in;
    }
}

static void whole_worlds(struct runner *r, struct world *w)
{
    struct world *other = &r->worlds[below(r, WORLDS)];
    struct sosia_err err = {0};
    unsigned kind = below(r, 12);
    snprintf(r->doing, sizeof r->doing, "whole worlds, kind %u", kind);
    if (kind < 5) {
        if (other != w)
            fork_to(w, other);
    } else if (kind < 8) {
        if (other != w)
            reset_to(w, other);
    } else if (kind < 10) {
        exchange(r, w);
    } else if (kind < 11) {
        reload(r, w);
    } else if (tree_flatten(r->store, &w->tree, &err) < 0) {
        mismatch(r, w, "flatten", err.text, "");
    } else {
        w->version++;
    }
}

static void step(struct runner *r, int number)
{
    struct world *w = &r->worlds[below(r, WORLDS)];
    struct slot *s = r->slots[below(r, SLOTS)];
    unsigned kind = below(r, 100);
    if (kind >= 90) {
        whole_worlds(r, w);
        return;
    }
    slot_point(s, &w->tree, w->key, &w->version);
    if (kind < 50)
        one_statement(r, w, s);
    else if (kind < 62)
        one_transaction(r, w, s);
    else if (kind < 68)
        one_ddl(r, w, s);
    else if (kind < 71)
        one_blob(r, w, s);
    else if (kind < 73)
        read_while_writing(r, w, s);
    else
        check(r, w, s);
    if (number % 150 == 0 && !atomic_load(&stop))
        check_sound(r, w, s);
    slot_leave(s);
}

static void *run(void *arg)
{
    struct runner *r = arg;
    struct sosia_err err = {0};
    for (int i = 0; i < SLOTS; i++)
        if (slot_open(r->store, &r->slots[i], &err) < 0)
            die("slot", err.text);
    /* One slot with a tiny cache, so that pages are written before their transaction ends. */
    sqlite3_set_authorizer(slot_db(r->slots[1]), NULL, NULL);
    sqlite3_exec(slot_db(r->slots[1]), "pragma cache_size = 8", NULL, NULL, NULL);
    int i;
    for (i = 0; i < r->steps && !atomic_load(&stop); i++)
        step(r, i);
    r->steps = i;
    for (i = 0; i < WORLDS && !atomic_load(&stop); i++) {
        struct world *w = &r->worlds[i];
        slot_point(r->slots[i % SLOTS], &w->tree, w->key, &w->version);
        check(r, w, r->slots[i % SLOTS]);
        check_sound(r, w, r->slots[i % SLOTS]);
        slot_leave(r->slots[i % SLOTS]);
    }
    for (i = 0; i < SLOTS; i++)
        slot_close(r->slots[i]);
    for (i = 0; i < WORLDS; i++)
        drop(&r->worlds[i]);
    return NULL;
}

/* ---- the whole ---- */

static struct world first_world(struct store *s)
{
    struct world w = {.key = atomic_fetch_add(&next_key, 1) + 1};
    struct sosia_err err = {0};
    sqlite3 *db;
    sqlite3_int64 n;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
        sqlite3_exec(db, "pragma page_size = 2048", NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK)
        die("schema", sqlite3_errmsg(db));
    unsigned char *image = shadow_image(db, &n);
    sqlite3_close(db);
    if (tree_load(s, image, (size_t)n, &w.tree, &err) < 0)
        die("load", err.text);
    w.shadow = shadow_from(image, n);
    return w;
}

static uint64_t number(const char *text)
{
    char *end;
    uint64_t n = strtoull(text ? text : "", &end, 10);
    if (!text || *end || end == text)
        die("usage",
            "store_model [--steps N] [--seed N] [--threads N] [--no-faults] [--no-invalidation]");
    return n;
}

static uint64_t summarize(const struct runner *r, unsigned threads, uint64_t seed)
{
    struct runner sum = {0};
    for (unsigned i = 0; i < threads; i++) {
        sum.steps += r[i].steps;
        sum.n_statements += r[i].n_statements;
        sum.n_expected_failures += r[i].n_expected_failures;
        sum.n_faults += r[i].n_faults;
        sum.n_checks += r[i].n_checks;
        sum.n_sound += r[i].n_sound;
        sum.mismatches += r[i].mismatches;
    }
    printf("seed %" PRIu64 ", %u threads: %d steps, %" PRIu64 " statements (%" PRIu64
           " failed on both sides), %" PRIu64 " faults, %" PRIu64 " checks, %" PRIu64
           " integrity checks, %" PRIu64 " mismatches\n",
           seed, threads, sum.steps, sum.n_statements, sum.n_expected_failures, sum.n_faults,
           sum.n_checks, sum.n_sound, sum.mismatches);
    return sum.mismatches;
}

struct options {
    uint64_t seed, steps, threads;
    bool faults, no_invalidation;
};

/* One seed, from a new store to the count of mismatches. */
static uint64_t run_seed(const struct options *o, uint64_t seed)
{
    static struct runner r[MAX_THREADS];
    pthread_t thread[MAX_THREADS];
    struct store *store;
    atomic_store(&stop, false);
    if (store_open(NULL, &store, NULL) < 0)
        die("store", "can't be opened");
    store->no_invalidation = o->no_invalidation;
    struct world first = first_world(store);
    for (unsigned i = 0; i < o->threads; i++) {
        r[i] = (struct runner){.store = store,
                               .random = seed * 1000 + i,
                               .steps = (int)o->steps,
                               .number = (int)i,
                               .faults = o->faults};
        for (int k = 0; k < WORLDS; k++)
            fork_to(&r[i].worlds[k], &first);
    }
    drop(&first);
    for (unsigned i = 0; i < o->threads; i++)
        if (pthread_create(&thread[i], NULL, run, &r[i]) != 0)
            die("thread", "can't be made");
    for (unsigned i = 0; i < o->threads; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < MAILBOX; i++)
        if (mailbox[i].shadow)
            drop(&mailbox[i]);
    if (store_size(store) != 0)
        die("memory", "pages are left over");
    store_close(store);
    return summarize(r, (unsigned)o->threads, seed);
}

int main(int argc, char **argv)
{
    struct options o = {
        .seed = 1, .steps = (uint64_t)dose(6000, 800), .threads = 2, .faults = true};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--steps") == 0)
            o.steps = number(argv[++i]);
        else if (strcmp(argv[i], "--seed") == 0)
            o.seed = number(argv[++i]);
        else if (strcmp(argv[i], "--threads") == 0)
            o.threads = number(argv[++i]);
        else if (strcmp(argv[i], "--no-faults") == 0)
            o.faults = false;
        else if (strcmp(argv[i], "--no-invalidation") == 0)
            o.no_invalidation = true;
        else
            number(NULL);
    }
    if (o.threads < 1 || o.threads > MAX_THREADS)
        die("threads", "1 to 16");
    if (!o.no_invalidation)
        return run_seed(&o, o.seed) ? 1 : 0;
    for (uint64_t seed = o.seed; seed < o.seed + MAX_SEEDS; seed++)
        if (run_seed(&o, seed))
            return 0;
    return 1;
}
