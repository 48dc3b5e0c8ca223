/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine and its worlds, for engine/ only.
 *
 * Invariants:
 *  1. World structures live in slabs that are freed with the engine: a pointer to one stays
 * readable, and its id says, under its lock, whether it is still the world that was meant.
 *  2. An id is (40 random bits, 24 bits of slab index): finding a world takes no table and no lock
 * but its own, and ids can't be guessed.
 *  3. A world's fields change only under its lock. A snapshot's never change, but for its death.
 *  4. No two world locks are held at once, except parent before nothing: a fork copies its parent
 * under the parent's lock into a structure that nobody else can find yet.
 */
#ifndef SOSIA_WORLD_ENGINE_H
#define SOSIA_WORLD_ENGINE_H

#include "engine/base/lock.h"
#include "engine/base/map.h"
#include "engine/base/stop.h"
#include "engine/store/slot.h"
#include "engine/world/core.h"
#include "engine/world/guard.h"
#include "engine/journal/journal.h"
#include "engine/world/kinds.h"
#include "engine/world/part.h"
#include "engine/world/places.h"
#include "engine/world/scopes.h"
#include "sosia.h"
#include <pthread.h>
#include <stdatomic.h>

#define US_NEVER INT64_MAX

/* What few worlds have. */
struct world_extra {
    char name[64];
    int64_t expires_us; /* US_NEVER: never */
    bool expires_by_clock;
    bool unlisted; /* sosia_world_list() passes over it */
    bool beside;   /* world_is_beside() */
    char *note;    /* engine_note(); malloc'd; NULL: none */
    struct journal journal;
    uint64_t replaced;             /* bytes that commits replaced since the last entry */
    struct rates *rates;           /* engine/world/rate.h; NULL: nothing was counted */
    struct id_places *places;      /* engine/world/places.h; NULL: none are known */
    struct refused_calls *refused; /* engine/world/refused.h; NULL: there were none */
    struct took_calls *took;       /* engine/world/took.h; NULL: nothing is known */
    struct guard_state *guard;     /* engine/world/guard.h; NULL: nothing is kept */
};

enum world_flags {
    WORLD_SNAPSHOT = 1,
    WORLD_CLOCK = 6,              /* two bits: enum sosia_clock_mode << 1 */
    WORLD_JOURNAL = 24,           /* two bits: enum sosia_journal_mode << 3 */
    WORLD_START_CLOCK = 96,       /* the clock's mode at the start, << 5 */
    WORLD_BROKEN = 128,           /* its durable state is not known: serves nothing but its end */
    WORLD_DROPPED = 256,          /* waits for its end on the disk: nobody finds it */
    WORLD_INHERITS = 512,         /* what its parent had pending is its own to deliver */
    WORLD_RATES = 1024,           /* the vendors' rate limits hold */
    WORLD_KEEP = 6144,            /* two bits: enum journal_keep << 11 */
    WORLD_REPLAY = 8192,          /* a stand-in in which a journal runs again: nothing leaves it */
    WORLD_START_RATES = 16384,    /* the rate limits held at the start: WORLD_RATES << 4 */
    WORLD_LOST_READS = 32768,     /* since its start calls were made that only read and that its
                                     journal does not have */
    WORLD_STEPS = 0x3fff0000,     /* how many steps are kept, and 1, << 16; 0: WORLD_STEPS_USUAL */
    WORLD_EVALUATION = 0x40000000 /* somebody is judged in it (engine/world/evaluation.h) */
};
/* The same of calls that may write. */
#define WORLD_LOST_WRITES UINT32_C(0x80000000)
#define WORLD_LOST        (WORLD_LOST_READS | WORLD_LOST_WRITES)
/* These numbers are stored in data directories. */
#define WORLD_KEPT_FLAGS                                                                           \
    (WORLD_BROKEN - 1 + WORLD_INHERITS + WORLD_RATES + WORLD_KEEP + WORLD_START_RATES +            \
     WORLD_STEPS + WORLD_EVALUATION + WORLD_LOST)
/* What is kept of the start beside its trees, and where: << 4. */
#define WORLD_AT_START    (WORLD_CLOCK | WORLD_RATES)
#define WORLD_STEPS_USUAL 1000
#define WORLD_STEPS_MAX   16382
/* Bounds in MiB: of what its steps and the entries of its journal come to. */
#define WORLD_STEP_MIB_USUAL    64
#define WORLD_JOURNAL_MIB_USUAL 64
#define WORLD_MIB_MAX           65534
/* What a state of a world has of them. */
#define WORLD_STEP_FLAGS (WORLD_CLOCK | WORLD_RATES | WORLD_INHERITS)

/* What each call looks at comes first, so that it lies together. */
struct world {
    struct lock lock;
    uint32_t flags;
    uint64_t id;               /* 0: free */
    uint64_t version;          /* of now, raised by each change */
    struct tree now;           /* the present; base NULL: it is parked: its pages are on disk */
    struct world_extra *extra; /* NULL: none */
    struct world_clock clock;
    int64_t next_due_us; /* US_NEVER: nothing; INT64_MIN: not known yet */
    uint64_t ticket;     /* of the last change handed to the durable store; 0: none */

    struct tree start; /* what a reset goes back to */
    struct world_clock start_clock;
    uint64_t seed, start_seed;
    uint64_t parent;
    int64_t created_us;        /* real time */
    struct kept *kept;         /* what the durable store knows of it; NULL: nothing yet */
    struct journal_past *past; /* what its journal goes on from; NULL: nothing */
    uint64_t written;          /* a sum of what commits have written since the last entry */
    uint16_t step_mib;         /* and 1: what its steps may hold; 0: WORLD_STEP_MIB_USUAL */
    uint16_t journal_mib;      /* the same of its journal's entries, 0 of them being no bound */
    uint16_t used;             /* the engine's ticks when it was taken last */
    bool sends;                /* something in its outbox may have to be delivered yet */
    uint8_t guard : 4;         /* enum world_guard */
    uint8_t start_guard : 4;   /* the same of the start */
    uint64_t era;              /* how often it went back: entries of its outbox begin anew then */
    struct world_secret secret;
};
_Static_assert(sizeof(struct world) <= 240, "a fork that does nothing has 256 bytes in all");

#define WORLD_INDEX_BITS 24
#define WORLDS_PER_SLAB  256
#define SLABS            (1 << (WORLD_INDEX_BITS - 8))
#define ID_SHARDS        16

/* Where threads take free places from: each its own shard, refilled in batches. */
struct id_shard {
    struct lock lock;
    uint32_t n_free, cap_free;
    uint32_t *free;
    uint32_t n_random;
    uint64_t random[512];
    _Atomic(int64_t) live; /* worlds made minus worlds dropped through this shard */
} __attribute__((aligned(64)));

struct token_claims;
struct known_token;
struct suspended;
struct sessions;
struct router;

/* What a thread needs to serve a call; taken from the engine's pool for its length. */
struct worker {
    _Atomic(bool) busy;
    _Atomic(const void *) thread; /* that took it last, by an address of its own */
    struct slot *slot;
    struct arena arena;
    struct buf out;
    struct buf part;             /* the answer of a part of the call (call_part_row()) */
    struct tx_taken taken;       /* of its transaction; freed with free() */
    struct token_claims *tokens; /* cache of verified tokens */
    struct known_token *known;   /* the resolver's: whom they stand for; freed with free() */
    struct sosia_err err;
    struct stop stop; /* whether what it works on is to stop */
} __attribute__((aligned(64)));

#define MAX_WORKERS 256

struct durable;
struct durable_check;
struct part;

/* What a service keeps (engine/world/part.h). */
struct own_part {
    _Atomic(const struct part *) kind; /* NULL: the place is free, and so are those behind it */
    void *self;
};

struct call;

/* A policy, with the length of its core's name: many begin alike. */
struct policy_name {
    const struct core_policy *policy;
    size_t len;
};

struct sosia_engine {
    struct sosia_engine_options options;
    char *spool_dir;
    const struct sosia_core **cores; /* of its services; NULL-terminated; in the order of seeding */
    struct kinds *kinds;             /* what rows are to them */
    struct policy_name *policies;    /* those of all cores, in their order; ends with NULL */
    const struct dialect **dialects; /* the same; the door's (engine/http) */
    struct store *store;
    const struct keeper *keeper; /* of what is beyond the process (engine/world/keeper.h) */
    const struct guard *guard;   /* rules on calls (engine/world/guard.h); NULL: there are none */
    struct durable *durable;     /* its own; NULL: in memory only */
    struct durable_check *check; /* not NULL: its directory is only looked at */
    struct tree empty;           /* the empty world: schema and nothing else */
    uint8_t secret[32];          /* signs tokens */
    struct world_secret shared;  /* of new worlds, unless each has a random one */
    struct router *router;
    _Atomic(uint64_t) default_world;
    _Atomic(void (*)(void *arg, uint64_t world, int64_t first, int64_t last)) on_outbox;
    pthread_rwlock_t on_outbox_lock; /* its change waits for calls of it */
    void *on_outbox_arg;
    /* Calls whose answer waits for a delivery (engine/http/suspend.h). */
    struct suspended *suspended;
    pthread_mutex_t suspended_lock;
    void (*on_handshake)(void *arg, uint64_t world, int64_t entry, const char *json, size_t len,
                         struct sosia_outcome *ret_outcome);
    void *on_handshake_arg;
    /* Sessions, which are the door's (engine/http/session.h). It is notified of entries of a
     * world's outbox that are to be delivered now, of what was announced to sessions, and of worlds
     * whose sessions end; under the world's lock, outside a transaction. */
    struct sessions *sessions;
    void (*on_session_news)(struct sosia_engine *e, struct world *w, int64_t first, int64_t last);
    void (*on_announced)(struct sosia_engine *e, struct world *w, const struct announcement *list);
    void (*on_sessions_end)(struct sosia_engine *e, uint64_t world, const char *why);
    /* Calls that wait for a delivery of a world that went back, or is gone, are over. Without any
     * lock. */
    void (*on_calls_end)(struct sosia_engine *e, uint64_t world);
    /* The sender is to be notified of all that is pending, as nobody else sends it: of what a fork
     * has from its parent, and of a world whose era is another one now. The world is not locked. */
    void (*on_pending)(struct sosia_engine *e, uint64_t world);
    struct own_part parts[MAX_PARTS]; /* made under the mutex */
    uint64_t opening;                 /* random: each time that it is opened has its own */
    int64_t sql_ns;      /* of a processor, that a verdict's questions may take; 0: as usual */
    size_t changes_room; /* bytes for what a diff or a grade holds at once; 0: CHANGES_ROOM */
    _Atomic(int64_t) n_expiring; /* worlds with a time to live */
    _Atomic(uint32_t) ticks;     /* how long nobody uses a world is counted in these (parking.c) */
    _Atomic(int64_t) ticked_us;  /* when the last of them was over */

    _Atomic(struct world *) slabs[SLABS];
    _Atomic(uint32_t) n_indexes; /* places given to shards so far */
    _Atomic(int64_t) n_limited;  /* worlds, counted only when there is a limit */
    struct id_shard shards[ID_SHARDS];
    pthread_mutex_t mutex; /* slabs' making, names, workers' making */
    struct map names;      /* name -> id */

    struct worker *workers[MAX_WORKERS];
    _Atomic(uint32_t) n_workers;
};

/* ---- engine.c ---- */

/* Opens what is about worlds in an engine whose registry, options and cores are there: the store,
 * the empty world, the data directory. -1: the caller closes what is open. */
int worlds_open(struct sosia_engine *e, struct sosia_err *err);
/* Closes it, and everything else of worlds. */
void worlds_close(struct sosia_engine *e);

/* ---- empty.c ---- */

/* Makes the empty world, of every core's tables. */
int empty_make(struct sosia_engine *e, struct sosia_err *err);

/* ---- note.c ---- */

#define WORLD_NOTE_MAX 4096 /* bytes */

/* What a caller of the engine's keeps with a world: a text that the engine does not read. It is
 * kept in a data directory, stays over a reset, ends with the world, and is in no fork, snapshot,
 * dump, diff, hash or export. */
int engine_note_set(struct sosia_engine *e, uint64_t world, const char *note,
                    struct sosia_err *err);
/* In the arena; NULL: it has none. Does not wait for the disk. */
int engine_note(struct sosia_engine *e, uint64_t world, struct arena *a, const char **ret_note,
                struct sosia_err *err);

/* What becomes of a world by being there. Times are real ones. */
struct world_life {
    int64_t made_us; /* 0: not known, of one of an older data directory */
    int64_t used_us; /* when its last call was put down; 0: none since the engine was opened */
    int64_t
        calls; /* entries of its journal, without those that it goes on from; -1: it is parked */
};
int engine_life(struct sosia_engine *e, uint64_t world, struct world_life *ret,
                struct sosia_err *err);
/* Of a locked world; NULL: none. */
int world_note_set(struct world *w, const char *note, struct sosia_err *err);

/* What a fork gets in the same change, beside its options. */
struct fork_more {
    int64_t ttl_us;   /* of real time; 0: for ever */
    const char *note; /* NULL: none */
    bool unlisted;    /* it is there for one question alone: sosia_world_list() passes over it */
    bool beside;      /* world_is_beside() */
};
extern const struct fork_more fork_unlisted; /* this, and no more */
/* A fork that a held program asks: nothing can be written in it, and yet what is asked is in its
 * journal and counts in budgets, for the world that it is a fork of. Of a locked world. */
static inline bool world_is_beside(const struct world *w)
{
    return w->extra && w->extra->beside;
}
int engine_fork(struct sosia_engine *e, uint64_t world, const struct sosia_fork_options *opt,
                const struct fork_more *more, uint64_t *ret_world, struct sosia_err *err);

/* ---- registry.c ---- */

/* Makes the places of worlds of a new engine; and frees them, with all worlds in them. */
int registry_open(struct sosia_engine *e, struct sosia_err *err);
void registry_close(struct sosia_engine *e);
/* A free place, locked, with a fresh id and nothing else in it. NULL: err says why. */
struct world *world_alloc(struct sosia_engine *e, struct sosia_err *err);
/* The place that belongs to this id (durable worlds at open). Not locked. */
struct world *world_place(struct sosia_engine *e, uint64_t id, struct sosia_err *err);
/* After worlds were put into their places by hand: counts them, and gives out only what lies
 * between and behind them. */
int registry_restore(struct sosia_engine *e, struct sosia_err *err);
/* Frees a locked world's content and its place, and unlocks it. */
void world_free(struct sosia_engine *e, struct world *w);
/* Finds and locks; NULL with err NOT_FOUND. A world whose time is over is not found, one whose
 * store failed is IO. One that is parked is read from the disk; where it can't be: IO, FULL. */
struct world *world_take(struct sosia_engine *e, uint64_t id, struct sosia_err *err);
/* The same, but one that is parked stays so: for who wants nothing that is in its pages or its
 * journal. */
struct world *world_look(struct sosia_engine *e, uint64_t id, struct sosia_err *err);
static inline bool world_is_parked(const struct world *w)
{
    return !w->now.base;
}
/* A locked world that may be parked is in memory then. */
int world_fetch(struct sosia_engine *e, struct world *w, struct sosia_err *err);
/* The processor fetches what taking it will look at. */
void world_soon(struct sosia_engine *e, uint64_t id);
/* The same without waiting for somebody who keeps it for long, or for the disk: NULL with
 * *ret_busy, and nothing in err. */
struct world *world_take_soon(struct sosia_engine *e, uint64_t id, bool *ret_busy,
                              struct sosia_err *err);
/* Of world_look() the same, whatever its state; only one that is dropped already is not found. */
struct world *world_take_any(struct sosia_engine *e, uint64_t id, struct sosia_err *err);
static inline void world_drop(struct world *w)
{
    lock_drop(&w->lock);
}
void world_key(uint64_t id, char ret_key[17]);
/* Could it be the id of a world? */
static inline bool world_id_valid(uint64_t id)
{
    return id >> 63 && (id & ((UINT64_C(1) << WORLD_INDEX_BITS) - 1));
}
/* 0 if it is not a key. */
uint64_t world_id_from_key(const char *key, size_t len);
/* The extra part, made if need be; NULL without memory. */
struct world_extra *world_extra(struct world *w);
/* After each change of a journal: its bytes count as the world's own. */
void world_count_journal(struct sosia_engine *e, struct journal *j);
/* Puts an entry into a locked world's journal, in the transaction's commit: after tx_publish(). Its
 * step is kept if the state is another one than before, and the oldest of both go as far as they
 * are beyond their bounds. Without memory the entry is missing. known: of the entry; NULL: nothing
 * is. */
void world_add_entry(struct sosia_engine *e, struct world *w, const struct buf *entry,
                     const struct journal_known *known);
/* Lets go of the oldest of what a locked world keeps beside its pages beyond its bounds. */
void world_keep_bounds(struct sosia_engine *e, struct world *w);
/* An entry of something that is not a call: note() writes its members behind "at". Nothing in a
 * world without a journal, or in a snapshot. */
void world_note(struct sosia_engine *e, struct world *w, int64_t at_us,
                void (*note)(struct json_writer *out, void *arg), void *arg);
/* The member of an entry that says what was written since the entry before. */
void world_write_state(const struct world *w, struct json_writer *out);
/* The number of its last entry, its past included. */
int64_t world_last_entry(const struct world *w);
/* The number of the first step of its own that there can be: it begins with it, or the entries
 * before are gone. */
int64_t world_first_step(const struct world *w);
/* The present state, or the one that a reset goes back to, of a locked world: step_done(). */
void world_step_now(struct world *w, struct step *ret);
/* The world has that state now, which is used up. */
void world_take_step(struct world *w, struct step *step);
void world_step_start(struct world *w, struct step *ret);
/* The state that an entry of a locked world led to, if it moved the world and that state is kept;
 * else false. */
bool world_step_of(struct world *w, int64_t seq, struct step *ret);
/* Whether its newest step has no tree of its own, so that what leads back to it is to be kept;
 * behind a commit, to the world that was at version `from`, it is. */
bool world_wants_back(const struct world *w);
void world_step_back(struct world *w, struct slot *slot, uint64_t from);
/* Bytes that its commits have put others in the place of since the last entry; without anything
 * beside the world there is no step that has them. */
static inline uint64_t world_replaced(const struct world *w)
{
    return w->extra ? w->extra->replaced : 0;
}
static inline void world_set_replaced(struct world *w, uint64_t bytes)
{
    if (w->extra)
        w->extra->replaced = bytes;
}
/* Its newest step gets its tree: before the world takes another one, and before steps are read. */
void world_settle_steps(struct world *w);
/* The same, and the present is kept as the state of the last entry: before calls leave none. */
void world_keep_last(struct world *w);
/* For a world that nobody finds: no connection has cached a state of that version. */
uint64_t world_fresh_version(void);
/* The locked world's entries so far, for a fork to go on from: a reference. -1 without memory. */
int world_freeze_journal(struct sosia_engine *e, struct world *w, struct journal_past **ret,
                         struct sosia_err *err);
/* What a locked world's journal goes on from is this (taken over); its own entries are gone. */
void world_set_past(struct sosia_engine *e, struct world *w, struct journal_past *past);
/* Entries in the packed form of the durable store: those before a mark become the past, unless the
 * world has one. 0; 1: they are not well formed; -1: no memory. */
int world_take_packed(struct sosia_engine *e, struct world *w, const char *data, size_t len);
/* Whether a limit leaves no room for one more entry of the locked world's journal. */
bool world_is_full(const struct sosia_engine *e, const struct world *w);
/* Calls fn for every living world, locked, in the order of their places; after: an id, only the
 * places behind its own; 0: all. */
int world_each(struct sosia_engine *e, uint64_t after, int (*fn)(void *arg, struct world *w),
               void *arg);
int64_t engine_live(const struct sosia_engine *e);
/* The world with this key or, if it is none, this name; 0. */
uint64_t engine_find_key(struct sosia_engine *e, const char *key, size_t len);

/* ---- worker.c ---- */

/* A worker that nobody uses, made if need be. NULL: LIMIT (all are in use), NO_MEMORY. It goes back
 * with worker_drop(). */
struct worker *worker_take(struct sosia_engine *e, struct sosia_err *err);
/* The same for who has one already and goes on with that afterwards. */
struct worker *worker_take_second(struct sosia_engine *e, struct sosia_err *err);
void worker_drop(struct worker *k);
void worker_close_all(struct sosia_engine *e);
/* Work that takes several workers one behind the other, or none for long: it can be interrupted as
 * a whole until whole_end(). NULL: too much is under way, and only its parts can. */
struct whole *whole_begin(struct sosia_engine *e);
void whole_end(struct whole *whole);

/* ---- secret.c ---- */

/* What new worlds have, by the engine's options. */
void secrets_open(struct sosia_engine *e);
/* A new world's secret. -1: the system gives no random bytes. */
int world_secret_new(const struct sosia_engine *e, uint64_t world, struct world_secret *ret,
                     struct sosia_err *err);
/* The secret of a locked world as its own: its id is mixed in, if that was put off. */
const struct world_secret *world_secret_own(struct world *w);

/* Gives a locked world another one's own secret as its own. */
void world_secret_take(struct world *w, const struct world_secret *secret);
/* As exports have it: "own HEX", or "shared HEX" where forks have the same. False: it is another
 * text; of whom it is can't be known from it (UINT64_MAX). */
#define WORLD_SECRET_TEXT 48
void world_secret_write(const struct world_secret *secret, char ret_text[WORLD_SECRET_TEXT]);
bool world_secret_read(const char *text, struct world_secret *ret);

/* ---- tx.c ---- */

/* Begins a transaction on a locked world with a worker's slot and arena. On failure nothing is
 * open. */
int tx_begin(struct tx *tx, struct sosia_engine *e, struct world *w, struct worker *k, bool write,
             int64_t now_us, struct sosia_err *err);
/* The first half of a commit, in memory: the caller changes what belongs to it and then calls
 * world_changed() if the transaction was a write. */
int tx_publish(struct tx *tx);
void tx_rollback(struct tx *tx);

/* ---- commit.c ---- */

/* Ends a transaction. A commit publishes the new state in memory and hands it to the durable store
 * (world->ticket). */
int tx_commit(struct tx *tx);
/* After any change of a locked world outside a transaction: the durable store learns of it, and
 * world->ticket is the change's. Fails only for a world that the store does not know yet; the
 * caller frees it then. */
int world_changed(struct sosia_engine *e, struct world *w, struct sosia_err *err);
/* The same if the state came from another world: source is the ticket that world had when it was
 * looked at. */
int world_changed_from(struct sosia_engine *e, struct world *w, uint64_t source,
                       struct sosia_err *err);
/* Waits until the change with this ticket is on disk; 0 at once in memory. */
int engine_sync(struct sosia_engine *e, uint64_t ticket, struct sosia_err *err);
/* For a batch of changes: until engine_sync_now(), which must follow, engine_sync() of this thread
 * puts off the waiting. */
void engine_sync_later(void);
/* Waits for all that was put off. -1: some change could not be written, err has the first. */
int engine_sync_now(struct sosia_engine *e, struct sosia_err *err);

/* Is something due by the world's clock that has not been fired? */
bool world_is_due(struct sosia_engine *e, uint64_t world);

/* ---- listing.c ---- */

/* Gives what fn writes about a world, in a read transaction; for functions of the public interface.
 * On failure nothing is given. */
int world_read(struct sosia_engine *e, uint64_t world, bool pretty,
               int (*fn)(struct tx *tx, struct json_writer *w, void *arg), void *arg,
               struct sosia_blob *ret_json, struct sosia_err *err);
/* Calls fn for all entries of a locked world's journal, oldest first, until it gives non-zero, and
 * gives that; -1: no memory. Their texts stay as long as the world is locked. */
int world_each_entry(const struct world *w,
                     int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg);

/* ---- notice.c ---- */

/* After a commit: notifies whoever wants to know of new entries. */
void outbox_notify(const struct tx *tx);
/* And, if the transaction left something that is due at once, notifies of that. Not while what is
 * due is fired. */
void outbox_notify_due(const struct tx *tx);
/* The same for entries of a world, to whoever sends over HTTP. */
void outbox_notify_range(struct sosia_engine *e, uint64_t world, int64_t first, int64_t last);

/* ---- turn.c ---- */

/* A change that is not a request: what came of a delivery, a frame of a session. */
struct turn {
    int (*work)(struct tx *tx, void *arg); /* 0; -1: undone, and no entry in the journal */
    void (*note)(struct tx *tx, struct json_writer *w, void *arg); /* members of the entry */
    void (*after)(struct tx *tx, void *arg); /* committed, the world still locked; NULL: nothing */
};
/* Makes it, after what is due by the world's clock, in a transaction of its own; waits for the
 * disk. 0, -1: as work() failed, or the world can't be written. */
int world_turn(struct sosia_engine *e, uint64_t world, const struct turn *turn, void *arg,
               struct sosia_err *err);

/* The same in a locked world, without waiting for the disk. */
int world_turn_on(struct sosia_engine *e, struct world *w, struct worker *k,
                  const struct turn *turn, void *arg, struct sosia_err *err);

/* ---- now.c ---- */

int64_t real_now_us(void); /* since 1970 */
int64_t machine_us(void);  /* that goes on whatever the machine's time is set to */
static inline enum sosia_clock_mode world_clock_mode(const struct world *w)
{
    return (enum sosia_clock_mode)((w->flags & WORLD_CLOCK) >> 1);
}
static inline enum sosia_journal_mode world_journal_mode(const struct world *w)
{
    return (enum sosia_journal_mode)((w->flags & WORLD_JOURNAL) >> 3);
}
static inline enum journal_keep world_journal_keep(const struct world *w)
{
    return (enum journal_keep)((w->flags & WORLD_KEEP) >> 11);
}
/* How many steps it keeps. */
static inline uint32_t world_steps(const struct world *w)
{
    uint32_t n = (w->flags & WORLD_STEPS) >> 16;
    return n ? n - 1 : WORLD_STEPS_USUAL;
}
/* How many bytes they may hold, and its journal's entries: of one with a bound on its size at most
 * half of that. */
static inline uint64_t world_step_bytes(const struct world *w)
{
    return (uint64_t)(w->step_mib ? w->step_mib - 1 : WORLD_STEP_MIB_USUAL) << 20;
}
static inline uint64_t world_journal_bytes(const struct sosia_engine *e, const struct world *w)
{
    uint64_t mib = w->journal_mib ? w->journal_mib - 1u : WORLD_JOURNAL_MIB_USUAL,
             most = mib ? mib << 20 : UINT64_MAX, half = e->options.max_world_size / 2;
    return half && half < most ? half : most;
}
/* The time, without moving it. */
int64_t world_now(const struct world *w);
/* The time for a new call: a stepping clock goes on by its step. */
int64_t world_tick(struct world *w);

/* ---- clock.c ---- */

/* Fires what is due up to now_us, in order; a locked world, not in a transaction. */
int world_run_due(struct sosia_engine *e, struct world *w, struct worker *k, int64_t now_us,
                  struct sosia_err *err);
/* The same where its caller's work may be interrupted (engine/base/stop.h): then nothing of it has
 * happened, and the clock is what it was before. */
int world_run_due_wholly(struct sosia_engine *e, struct world *w, struct worker *k, int64_t now_us,
                         const struct world_clock *clock, struct sosia_err *err);

/* ---- world.c ---- */

/* Makes a world with the state of a step and a journal that goes on from `past`, and waits for the
 * disk. Both are taken over in any case. like: what else it has. opt NULL: nothing differs. */
struct world_like {
    uint64_t parent;
    uint32_t flags;
    uint16_t step_mib, journal_mib;
    uint64_t ticket;                   /* of the world that it came from */
    const struct step *start;          /* what it resets to; NULL: the step itself */
    struct journal *journal;           /* of its own, taken over; NULL: none */
    const struct journal_past *before; /* where that lacks the first entries: they are copied */
    bool same_secret;                  /* the step's is its own: it is a replay */
    const struct fork_more *more;      /* NULL: nothing */
};
int world_make_at(struct sosia_engine *e, struct step *step, struct journal_past *past,
                  const struct world_like *like, const struct sosia_fork_options *opt,
                  uint64_t *ret_world, struct sosia_err *err);
/* Brings a world to a step of its own journal: its later entries are gone, and its sessions end.
 * The step is taken over. NOT_FOUND: it has no such entry any more. */
int world_back_to(struct sosia_engine *e, uint64_t world, struct step *step, struct sosia_err *err);
/* Gives a locked world a name; one that it had stays taken. NULL or "": nothing changes.
 * SOSIA_E_CONFLICT: another world has it; SOSIA_E_INVALID: it is not a name. */
int world_name_set(struct sosia_engine *e, struct world *w, const char *name,
                   struct sosia_err *err);
/* Takes a locked world's name away. */
void world_name_drop(struct sosia_engine *e, struct world *w);
/* Puts what a new, locked, empty world is to hold into it, and may change its clock and seed where
 * the options leave them open. 0, -1. */
typedef int (*world_fill)(struct sosia_engine *e, struct world *w,
                          const struct sosia_world_options *opt, struct sosia_err *err);
/* Makes a world with these options, but for the document, which is fill()'s (NULL: empty), and
 * waits for the disk. */
int world_create(struct sosia_engine *e, const struct sosia_world_options *opt, world_fill fill,
                 uint64_t *ret_world, struct sosia_err *err);
/* What a world starts from that was not made here. */
struct world_origin {
    struct world_clock clock;
    enum sosia_clock_mode clock_mode;
    enum sosia_journal_mode journal_mode;
    enum journal_keep keep;
    uint32_t steps; /* that it keeps */
    uint16_t step_mib, journal_mib;
    bool rates; /* the vendors' rate limits hold */
    uint64_t seed;
    struct world_secret secret;
    bool has_secret; /* it was said */
    struct journal journal;
};
/* Makes a world of a tree, and waits for the disk. The tree is taken over in any case, the journal
 * if it comes to that. name: NULL: none. */
int world_make(struct sosia_engine *e, struct tree *tree, struct world_origin *o, const char *name,
               uint64_t *ret_world, struct sosia_err *err);
/* Can it be set? SOSIA_E_INVALID: a time beyond the years 1 to 9999, no such mode, a negative step.
 */
int world_time_check(int64_t us, struct sosia_err *err);
int world_clock_check(enum sosia_clock_mode mode, int64_t step_us, struct sosia_err *err);
int world_journal_check(enum sosia_journal_mode mode, struct sosia_err *err);
int world_journal_settings_check(const struct sosia_journal_settings *s, struct sosia_err *err);
/* A bound in bytes, negative: 0, as worlds have it: in MiB, and 1. */
uint16_t world_mib(int64_t bytes);
/* Sets a locked world's clock to a time; or to a mode, at a time. */
void world_set_clock(struct world *w, int64_t now_us);
void world_set_mode(struct world *w, enum sosia_clock_mode mode, int64_t step_us, int64_t now_us);
/* Whether the vendors' rate limits hold in a locked world. */
void world_set_rates(struct world *w, bool on);
/* The end of a locked world: its name is free again, it is freed and unlocked. */
void world_gone(struct sosia_engine *e, struct world *w);
/* A locked world is at an earlier state, or another one's: what was under way is not its own. Its
 * calls end when it is unlocked (on_calls_end). */
void world_went_back(struct sosia_engine *e, struct world *w);

#endif
