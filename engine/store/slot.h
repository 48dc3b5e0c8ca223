/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots: SQLite connections that are re-pointed at trees.
 *
 * A slot is one connection on our VFS, with hot prepared statements; one thread uses it at a time.
 * slot_point() says which tree the next transaction works on; a commit replaces the tree's root and
 * leaves everything else that shares pages with it as it was.
 */
#ifndef SOSIA_STORE_SLOT_H
#define SOSIA_STORE_SLOT_H

#include "engine/store/page.h"
#include <sqlite3.h>

#ifndef SOSIA_SQLITE
#error "expected the dependency sqlite_h of meson.build; this sqlite3.h may be of another library"
#endif

struct slot;

/* Gets SQLite ready, in whatever process; before any connection is opened. */
int sqlite_start(struct sosia_err *err);
/* Schemas are not trusted, where they need not be: older FTS5 and JSON functions don't declare that
 * triggers and indexes may use them without trust. We add no function or module that trust would
 * open up, and the authorizer of slots looks into triggers too. */
void sqlite_trust(sqlite3 *db);
/* What statements of a connection may cost, as a slot's may. */
void slot_limit(sqlite3 *db);

/* A connection of its own, for one thread at a time; the store must outlive it. */
int slot_open(struct store *s, struct slot **ret_slot, struct sosia_err *err);
void slot_close(struct slot *s);

/* The next transaction is on tree, which stays where it is and unshared until slot_leave(). key and
 * version identify its content: the slot keeps what it has cached only if both are as at its last
 * transaction. version is raised by each commit (the owner of *version stores it with the tree). */
void slot_point(struct slot *s, struct tree *tree, uint64_t key, uint64_t *version);
void slot_leave(struct slot *s);
/* The tree that the slot is pointed at, as it was before the transaction under way. Borrowed. */
const struct tree *slot_tree(const struct slot *s);
/* Calls fn for each row that the transaction under way inserts, changes or deletes from now on, of
 * tables with rowids, by triggers too; what is undone later is among them. Until slot_leave().
 */
void slot_on_rows(struct slot *s, void (*fn)(void *arg, const char *table, int64_t rowid),
                  void *arg);
sqlite3 *slot_db(struct slot *s);
/* Statements of the slot stop where the thread's work is to (engine/base/stop.h): as it is from the
 * start, and once more after another progress handler had its place. */
void slot_watch(struct slot *s);
/* What the connection has gathered for this transaction is more than others need (FTS5's table of
 * words never shrinks, and is gone through at each write): it is let go when the transaction is
 * over. */
void slot_refresh(struct slot *s);
/* Whether commits are to sum up what they write; slot_sum() is the sum since slot_point(), of
 * hashes of pages: the same for the same changes of the same tree. */
void slot_want_sum(struct slot *s, bool on);
uint64_t slot_sum(const struct slot *s);
/* Bytes of pages and nodes that commits since slot_point() have put others in the place of: what
 * the version before costs whoever keeps it. */
uint64_t slot_replaced(const struct slot *s);
/* Whether commits are to keep what leads back; slot_back() is what leads from the last one's
 * version to that of slot_point(): delta_unref(). NULL without memory, and if nothing changed. */
void slot_want_back(struct slot *s, bool on);
struct delta *slot_back(struct slot *s);
/* What CURRENT_TIMESTAMP and date('now') see: microseconds since 1970. */
void slot_set_time(struct slot *s, int64_t now_us);

/* Whether rows are read straight from the pages where they can be (record.h); on after slot_open().
 * For tests and measurements, which want the statements. */
void slot_use_records(struct slot *s, bool on);

/* ---- statements ---- */

/* A query is a static struct beside its only caller:
 *     static struct sql_text q_get = SQL_TEXT("select ... where id = :id");
 * and is prepared once per slot. Parameters are bound by position, in order of first appearance in
 * the text. */
struct sql_text {
    const char *text;
    _Atomic(uint32_t) index; /* given at first use */
};
#define SQL_TEXT(query)                                                                            \
    {                                                                                              \
        .text = (query)                                                                            \
    }

/* A statement, reset and with no bindings; NULL when it can't be prepared (slot_fail() says why).
 * It must not be in use: a query that is stepped while its own caller runs again needs a text of
 * its own. */
sqlite3_stmt *sql_use(struct slot *s, struct sql_text *q);
/* The same of a text that is made when it is prepared; it may be gone afterwards. */
sqlite3_stmt *sql_use_made(struct slot *s, struct sql_text *q, const char *(*text)(const void *arg),
                           const void *arg);
void sql_bind_int(sqlite3_stmt *st, int at, int64_t v);
void sql_bind_text(sqlite3_stmt *st, int at,
                   const char *text); /* NULL binds null; borrowed until done */
void sql_bind_textn(sqlite3_stmt *st, int at, const char *text, size_t n);
/* 1: a row; 0: done (and reset); -1: failed (and reset), err filled. */
int sql_step(struct slot *s, sqlite3_stmt *st, struct sosia_err *err);
/* Steps to the end; -1 on failure. */
int sql_run(struct slot *s, sqlite3_stmt *st, struct sosia_err *err);
void sql_done(sqlite3_stmt *st); /* resets: before leaving a loop early */
/* Several statements in one text, unprepared: schema, pragmas. */
int sql_exec(struct slot *s, const char *text, struct sosia_err *err);
/* Fills err from the connection's last error: FULL, NO_MEMORY, CONFLICT (constraint), TOO_LARGE,
 * else INTERNAL. Gives -1. */
int slot_fail(struct slot *s, struct sosia_err *err);

/* Transactions, with hot statements. A read begins deferred; a write begins immediate and can have
 * one savepoint. */
int slot_begin(struct slot *s, bool write, struct sosia_err *err);
int slot_commit(struct slot *s, struct sosia_err *err); /* when it fails: slot_rollback() */
void slot_rollback(struct slot *s);                     /* fine when nothing is open */
int slot_savepoint(struct slot *s, struct sosia_err *err);
int slot_release(struct slot *s,
                 struct sosia_err *err); /* keeps what was done since the savepoint */
int slot_rollback_to(struct slot *s, struct sosia_err *err); /* undoes it; the savepoint is gone */

#endif
