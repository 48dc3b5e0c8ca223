/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What durable.h hides, for the durable_*.c files only.
 *
 * Invariants:
 *  1. For every world in the database the store holds the state that is there (kept->disk), with
 *     references to its trees, until a later one is committed; or it is parked, and what it has is
 *     held by id (durable_shelf.c). So a page or node of which the last
 *     reference is gone is in no state on disk either, and its row may be deleted or used again in
 *     any transaction.
 *  2. A page or node that has an id is in the database or in the transaction under way, and so is
 *     all that hangs on it. When a transaction fails, the ids that it gave are taken back.
 *  3. Locks: a world's, then the queue's mutex. The store's thread holds neither while it is in
 *     SQLite.
 *  4. A world's changes hang on its earlier ones and on those of the world it was made from. A
 *     change that hangs on one that failed is never written ("lost"); its world goes back to
 *     kept->disk before anybody learns of the failure.
 *
 * Numbers in blobs are little-endian, as on every machine that is supported.
 */
#ifndef SOSIA_DURABLE_IMPL_H
#define SOSIA_DURABLE_IMPL_H

#include "engine/store/page_impl.h"
#include "engine/durable/durable.h"
#include "engine/world/engine.h"
#include "engine/json/json.h"
#include <sqlite3.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the durable store is for little-endian machines"
#endif

#define DURABLE_FORMAT    8            /* of the database: durable_open.c upgrades older ones */
#define DURABLE_BASE_PART (256 * 1024) /* bytes of a base's image in a row */

/* The columns of each kind of row, in the order in which row_sum() takes them. */
#define META_COLUMNS      "key, value"
#define BASE_COLUMNS      "id, pages"
#define BASE_PART_COLUMNS "base, part, data"
#define PAGE_COLUMNS      "id, data"
#define NODE_COLUMNS      "id, level, mask, children"
#define WORLD_COLUMNS_3                                                                            \
    "id, name, flags, parent, created_us, expires_us, expires_by_clock, seed, clock_us, "          \
    "clock_step_us, base, root, pages, private, start_seed, start_clock_us, "                      \
    "start_clock_step_us, start_base, start_root, start_pages, start_private, next_due_us"
#define WORLD_COLUMNS_4 WORLD_COLUMNS_3 ", secret, secret_of"
#define WORLD_COLUMNS_6 WORLD_COLUMNS_4 ", beside, pending"
#define WORLD_COLUMNS   WORLD_COLUMNS_6 ", note"
#define JOURNAL_COLUMNS "id, world, entries"
/* The hash of a row: of its columns, or of what is bound to them. */
#define ROW_SUM(kind, columns) "row_sum('" kind "', " columns ")"

#define NOT_AS_WRITTEN "is not what was written"
#define NOT_THERE      "is not there"

/* More than one connection of this process, no other process, the log's index in memory. */
#define DURABLE_VFS "unix-excl"

/* A world's rows in the table journal have these ids, its place being its own alone. */
#define JOURNAL_BITS        39
#define JOURNAL_IDS         (UINT64_C(1) << JOURNAL_BITS)
#define JOURNAL_FROM(world) (((world) & ((UINT64_C(1) << WORLD_INDEX_BITS) - 1)) << JOURNAL_BITS)

enum {
    NODE_LEVELS = 6,
    HELD_BLOCK = 4096,
    READER_WAIT_MS = 60000 /* for a lock of the file's, which nobody keeps for long */
};
#define HELD_IDS (UINT64_C(1) << 40)

/* How many of the parked worlds, and of the rows that they have, refer to each row of a kind
 * (durable_shelf.c). */
struct held {
    struct held_block **block;
    size_t n;
};

/* Ids of what a parked world's tree is on disk. */
struct roots {
    uint64_t base, root; /* root 0: no page of its own */
};

/* Journal entries that were handed over together, in the form of journal_fresh(). */
struct piece {
    struct piece *next;
    size_t len;
    char data[];
};

/* A world's state at the time of a change. */
struct state {
    struct tree now, start;
    struct world_clock clock, start_clock;
    struct world_secret secret;
    uint64_t seed, start_seed, parent, written, era;
    int64_t next_due_us, created_us, expires_us;
    uint64_t beside; /* bytes of its journal */
    uint32_t flags;
    uint16_t step_mib, journal_mib;
    bool expires_by_clock, pending;
    char name[64];
    char *note; /* NULL: none */
    uint64_t ticket;
    uint64_t generation; /* of the journal, and how many entries it had */
    int64_t n_journal;
    struct journal_past *past;  /* what it goes on from; they are on disk with the first entries */
    struct piece *first, *last; /* entries since the state before */
    bool clear;                 /* the entries before these are gone */
};

struct ids {
    uint64_t *v;
    size_t n, cap;
};

/* What the store knows of a world. Made and found under the world's lock, freed by the store's
 * thread. */
struct kept {
    struct world *world;
    uint64_t id;
    uint64_t generation; /* of the journal, and the clock, when last handed over; under the world's
                            lock */
    struct world_clock clock;
    uint32_t n_private; /* pages that it had then */
    bool pending;       /* whether its outbox might have something */
    struct journal_past
        *past; /* what its journal goes on from, when last handed over: a reference */

    /* Under the queue's mutex. */
    struct kept *next;
    struct state *queued;
    bool in_queue;
    bool lost; /* goes back to its state on disk, when what was queued before is there */
    bool drop;

    /* The store's thread's own: what it is writing, and what is on disk (NULL: nothing). */
    struct kept *next_batch;
    struct state *disk, *writing;
    bool in_batch, batch_lost, batch_drop;
    uint64_t next_entry, next_entry_before; /* the id of its next row of the journal */

    /* Under the world's lock. */
    bool parked; /* then it has no trees, no entries in memory, and no state on disk here */
    struct roots now, start;
    uint64_t beside; /* bytes of its entries then */
};

/* A caller that waits until a tree's pages are on disk, before the change that they belong to. */
struct ahead {
    struct ahead *next;
    const struct tree *tree;
    bool done; /* or given up: the change's own write meets the same failure */
};

struct notice {
    struct notice *next;
    uint64_t ticket;
    void (*done)(void *arg, int rc);
    void *arg;
    int rc;
};

/* Tickets from..to failed. */
struct range {
    uint64_t from, to;
};

enum {
    ST_BEGIN,
    ST_COMMIT,
    ST_ROLLBACK,
    ST_PAGE,
    ST_NODE,
    ST_BASE,
    ST_BASE_PART,
    ST_WORLD,
    ST_JOURNAL,
    ST_META,
    ST_FENCE,
    ST_DEL_PAGE,
    ST_DEL_NODE,
    ST_DEL_BASE,
    ST_DEL_BASE_PARTS,
    ST_DEL_WORLD,
    ST_DEL_JOURNAL,
    N_ST
};

/* What is in the file "log-mark", in the machine's order of bytes. */
struct log_mark {
    uint8_t salts[8]; /* of the log that it is about */
    uint32_t frames;  /* of it that are on disk */
    uint32_t remains; /* 1: behind what is committed lies what a failed or torn transaction wrote */
    uint64_t hash;    /* of the members before */
};

struct durable {
    struct sosia_engine *engine;
    struct store *store;
    int dir_fd, lock_fd; /* -1: none */
    uint64_t file[2];    /* device and inode of the store's file */
    int log_fd, mark_fd; /* durable_log.c's */
    struct log_mark mark;
    sqlite3 *db;
    sqlite3_stmt *st[N_ST];
    pthread_t thread;
    bool started;

    pthread_mutex_t mutex;        /* over what follows */
    pthread_cond_t work, changed; /* for the thread; for those who wait */
    struct kept *first, **end;    /* the queue */
    uint64_t issued;              /* tickets given */
    size_t n_lost;                /* worlds in the queue that are lost */
    bool restoring, stop, waiting;
    struct range *failed; /* n ranges, the newest last, and room for one more */
    size_t n_failed, cap_failed;
    struct sosia_err why; /* of the last failure */
    struct notice *notices;
    struct ahead *aheads, **aheads_end;
    struct durable_stats stats;

    _Atomic(uint64_t) done;        /* tickets up to this one have been written, or have failed */
    _Atomic(uint64_t) last_failed; /* the highest ticket that failed; 0: none */

    struct lock freed_lock; /* ids that the store reports as free, from any thread */
    struct ids freed_pages, freed_nodes, freed_bases;

    /* The thread's own. */
    struct ids pages, nodes; /* free rows */
    struct ids bases;        /* rows to delete */
    uint64_t next_page, next_node, next_base;
    struct ids given; /* addresses of ids that the transaction under way gave */
    size_t n_pages_before, n_nodes_before; /* free rows at its beginning */
    uint64_t next_page_before, next_node_before, next_base_before;
    char tables[COOKIE_KEY];      /* of its worlds: what they are called by; "": there are none */
    uint32_t tables_cookie;       /* of images with them; 0: there are none */
    bool tables_new;              /* that is not on disk yet */
    char tables_next[COOKIE_KEY]; /* what worlds are being upgraded to; "": nothing */
    const char *from;             /* the release that worlds are upgraded from now; NULL: none */
    uint32_t cookie;              /* the store's last schema cookie on disk */
    uint32_t cookie_writing;
    struct durable_stats stats_writing;
    int wal_pages, page_size; /* of the log and the file; bytes of each */
    size_t left;              /* pages that the transaction under way may still write */
    bool pack;                /* what is free in them is left out */
    bool trim_failed;
    bool has_sums;    /* its rows: not in format 1 */
    bool has_secrets; /* its worlds: not before format 4 */
    bool has_beside;  /* its worlds: not before format 6 */
    bool has_notes;   /* its worlds: not before format 8 */

    pthread_mutex_t held_lock; /* over what follows */
    struct held held_pages, held_nodes, held_bases;
    struct reader *readers;      /* that nobody uses */
    struct durable_check *check; /* not NULL: damage is noted there, and what is whole is loaded */
};

/* What a check finds. */
struct durable_check {
    int64_t format;
    struct buf text;
    struct json_writer damage; /* an object with one array of objects, into text */
    size_t n_damage;
    struct checked_world {
        uint64_t id;
        char name[64];
        const char *why; /* NULL: it is whole */
    } * worlds;
    size_t n, cap;
};

/* ---- durable.c ---- */

/* Since it was handed over last, only reads have moved what is kept of the locked world. */
bool durable_has_moved(const struct world *w);

/* ---- durable_state.c ---- */

/* The state of a locked world; NULL without memory. The journal's fresh entries go with it and are
 * marked. */
struct state *state_take(struct kept *k);
void state_free(struct state *s);
/* Puts the state on disk back into a locked world. -1: it is not known, the world is broken; 1: but
 * for its name, which somebody else has by now: it has none. */
int state_restore(struct durable *d, struct kept *k);
/* Makes a world's kept; NULL without memory. */
struct kept *kept_new(struct world *w);
void kept_free(struct kept *k);
/* What the world's journal goes on from is in the database, or on its way there. */
void kept_past(struct kept *k, struct journal_past *past);
bool ids_add(struct ids *ids, uint64_t id);

/* ---- durable_write.c ---- */

/* Writes the worlds of a batch, in one transaction that is on disk when this returns. */
int batch_write(struct durable *d, struct kept *batch, struct sosia_err *err);
/* Writes some of a tree's pages and nodes, in a transaction of their own. True if there are more.
 */
bool ahead_write(struct durable *d, const struct tree *t);
/* Deletes free rows beyond what is kept for use, some at a time, and gives file space back: between
 * batches. True if there is more to do. */
bool rows_trim(struct durable *d);
/* Takes over what the store has reported as free. */
void freed_take(struct durable *d);
/* A transaction that changes next to nothing. */
void fence_write(struct durable *d);
/* Moves what is in the write-ahead log into the database, if it has become long. */
void log_move(struct durable *d);
int rows_prepare(struct durable *d, struct sosia_err *err);
/* A number; -1: none, or it failed. */
int64_t rows_ask(struct durable *d, const char *query);
void rows_close(struct durable *d);
/* Fills err from SQLite, gives -1. */
int db_fail(struct durable *d, const char *what, struct sosia_err *err);

/* ---- durable_upgrade.c ---- */

/* The worlds of d->from become worlds of this version, each in a transaction of its own. 0: all do;
 * 1: some are damaged, and stay as they are; -1. */
int durable_upgrade(struct durable *d, struct sosia_err *err);

/* ---- durable_shelf.c ---- */

/* Room for an id. False: without memory, or there can't be such an id. */
bool held_reserve(struct held *h, uint64_t id);
/* Of an id with room for it: how often it was held before this. */
uint32_t held_add(struct held *h, uint64_t id);
uint32_t held_count(const struct held *h, uint64_t id);
void held_free(struct held *h);
/* A reference to what is on the shelf, into a pointer to it: 1; 0: it has to be read; -1: nothing
 * has it, so that its row may be another's by now. */
int shelf_take(struct durable *d, struct held *h, uint64_t id, void *ret);
/* Puts a page or node that was read there: the reference is the shelf's. Gives what is there, if
 * somebody else was faster; with a reference for the caller. */
void *shelf_put(struct durable *d, struct held *h, uint64_t id, void *at);
/* The same of bases: a base that was read, in a tree without a root. -1 without memory. */
bool shelf_take_base(struct durable *d, uint64_t id, struct tree *ret);
int shelf_put_base(struct durable *d, uint64_t id, struct tree *t);
/* A world's trees are held. False: without memory. */
bool shelf_hold(struct durable *d, const struct tree *now, const struct tree *start);
/* And are in memory instead: they were read as those of k. */
void shelf_unhold(struct durable *d, const struct kept *k, const struct tree *now,
                  const struct tree *start);
/* What a world has leaves memory as far as the shelf alone has it; or what is below a node. */
void shelf_purge(struct durable *d, const struct kept *k);
void shelf_purge_below(struct durable *d, unsigned level, const uint64_t *ids, unsigned count);
void shelf_purge_base(struct durable *d, uint64_t id);
/* The shelf's references end, when no page is reported as free any more. */
void shelf_close(struct durable *d);

/* ---- durable_read.c ---- */

/* Whether a state has the tables of this version, or those that worlds are upgraded from. */
bool has_tables(const struct durable *d, const struct tree *t);
/* The trees and the journal of a parked world, which is locked. A refusal may leave some of its
 * journal. */
int world_read_rows(struct durable *d, struct world *w, struct tree *ret_now,
                    struct tree *ret_start, struct sosia_err *err);
void readers_close(struct durable *d);
/* Reads a world's entries with a statement of JOURNAL_COLUMNS and whether they are sound, from ?1
 * to before ?2. */
int journal_read(struct durable *d, sqlite3_stmt *st, struct kept *k, struct sosia_err *err);
/* A tree on a base that parked worlds have; and its end, with which the image leaves memory. */
int base_read(struct durable *d, uint64_t id, struct tree *ret, struct sosia_err *err);
void base_put_back(struct durable *d, struct tree *t);

/* ---- durable_pack.c ---- */

/* A page as its row has it, and the length of that; 0: as it is. */
size_t page_pack(const uint8_t *data, uint8_t to[STORE_PAGE_SIZE]);
/* False: a row can't be so. */
bool page_unpack(const uint8_t *row, size_t len, uint8_t to[STORE_PAGE_SIZE]);

static inline uint64_t row_number(sqlite3_stmt *st, int i)
{
    return (uint64_t)sqlite3_column_int64(st, i);
}
/* Of a statement whose last column says whether the row is as it was written. */
static inline bool row_is_sound(sqlite3_stmt *st)
{
    return sqlite3_column_int(st, sqlite3_column_count(st) - 1) == 1;
}

/* ---- durable_sum.c ---- */

/* Gives a connection the function row_sum(). A SQLite result. */
int rows_functions(sqlite3 *db);

/* ---- durable_log.c ---- */

/* Before the database is opened: refuses a log that lacks what was acknowledged, or notes it. */
int log_check(struct durable *d, struct sosia_err *err);
/* A transaction is on disk, with so many frames in the log. */
void log_committed(struct durable *d, int frames);
/* A transaction failed, and what it wrote may stay in the log. */
void log_has_remains(struct durable *d);
/* The log is about to be moved into the database for good. */
void log_ends(struct durable *d);

/* ---- durable_check.c ---- */

/* A row, or for id 0 the file, is not what was written: -1 with err filled, or when the directory
 * is only checked, 0 after it was noted. */
int rows_damaged(struct durable *d, const char *kind, uint64_t id, const char *what,
                 struct sosia_err *err);
/* In a check: a world that was found. why NULL: it is whole; else a static string. An earlier why
 * stays. */
int check_world_found(struct durable *d, uint64_t id, const char *name, const char *why,
                      struct sosia_err *err);
/* Refuses a database whose pages SQLite finds wrong. */
int check_file(struct durable *d, struct sosia_err *err);

/* ---- durable_tables.c ---- */

/* Of a directory that an older version wrote: the tables of all images. Where there are none *key
 * stays empty. */
int tables_find(struct durable *d, char key[COOKIE_KEY], struct sosia_err *err);
/* When the engine's empty world is made: finds the release that worlds are to be upgraded from, and
 * refuses those of another one. */
int tables_check(struct durable *d, struct sosia_err *err);
/* All worlds have this version's tables. While the store's thread is not there. */
int tables_done(struct durable *d, struct sosia_err *err);

/* ---- durable_load.c ---- */

/* Puts everything in the database into the engine. */
int load_all(struct durable *d, struct sosia_err *err);
/* When the engine's empty world is made: its base is that of worlds on disk, whose tables are to be
 * the same. */
int load_check(struct durable *d, struct sosia_err *err);

#endif
