/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sosia: worlds in which programs find the SaaS applications they work with.
 *
 * An engine holds worlds. A world is one isolated universe (people, calendars, mail, files,
 * conversations) with its own clock and ids; it is named by a 64-bit id. sosia_call() takes an
 * HTTP-shaped request to a world and gives an HTTP-shaped answer, in process, without sockets.
 *
 * Rules that hold for every function here:
 *  1. 0 is success, -1 failure; the last argument, if not NULL, then says what failed.
 *  2. Outputs are named ret_x and stay untouched on failure.
 *  3. Any thread may call any function on any world. Calls to one world are served one by one.
 *  4. Input is borrowed for the length of the call. A sosia_blob or sosia_response that is given
 * out belongs to the caller, who frees it with the function of its type. All free functions take
 * NULL.
 *  5. Times are microseconds since 1970-01-01T00:00:00Z, in the years 1 to 9999.
 *  6. What a world's functions may fail with besides what is said with them: NOT_FOUND (there is no
 * such world, or its time is over), FORBIDDEN "readOnly" (it would change a snapshot), INVALID (an
 * argument), LIMIT (too many calls at once), FULL (a limit of the engine's options, or the disk),
 * NO_MEMORY, IO (the data directory), INTERRUPTED (sosia_interrupt()), HANDLE.
 *  7. A struct that a caller fills begins with its size: sizeof it as the caller was compiled, or 0
 * for the members of the first release. Later releases add members at the end, and read them only
 * where size covers them. INVALID "structSize": it can't be a size of this struct, or it has
 * members that this library does not know and that are not zero. What the library fills grows at
 * its end, into what is reserved there. No member, value of an enum or function is taken away or
 * gets another meaning, but those that are marked SOSIA_EXPERIMENTAL.
 *  8. A handle that is not open in this process (it is foreign, or was closed or freed before, or
 * the process was made by fork() and it is its parent's) is an error, HANDLE, and nothing is done.
 * A process made by fork() opens an engine of its own. Where a function has no err, it then gives
 * -1, or what is said with it. A response that was freed reads as one of status 0 without headers
 * and body.
 */
#ifndef SOSIA_H
#define SOSIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(SOSIA_BUILDING) && defined(__GNUC__)
#define SOSIA_API __attribute__((visibility("default")))
#else
#define SOSIA_API
#endif

/* May change or go in any release. With SOSIA_STABLE_ONLY defined its use is an error. */
#if defined(SOSIA_STABLE_ONLY) && defined(__GNUC__)
#define SOSIA_EXPERIMENTAL __attribute__((error("this function of sosia.h is experimental")))
#else
#define SOSIA_EXPERIMENTAL SOSIA_API
#endif

#define SOSIA_VERSION "0.1.0"

/* What went wrong, as something a caller can act on; the second column is the HTTP status it maps
 * to where nothing more precise is known. */
#define SOSIA_CODE_MAP(XX)                                                                         \
    XX(OK, 200)                                                                                    \
    XX(NOT_MODIFIED, 304)                                                                          \
    XX(INVALID, 400)                                                                               \
    XX(UNAUTHENTICATED, 401)                                                                       \
    XX(FORBIDDEN, 403)                                                                             \
    XX(NOT_FOUND, 404)                                                                             \
    XX(METHOD_NOT_ALLOWED, 405)                                                                    \
    XX(CONFLICT, 409)                                                                              \
    XX(GONE, 410)                                                                                  \
    XX(PRECONDITION, 412)                                                                          \
    XX(TOO_LARGE, 413)                                                                             \
    XX(MEDIA_TYPE, 415)                                                                            \
    XX(LIMIT, 429)                                                                                 \
    XX(INTERNAL, 500)                                                                              \
    XX(FULL, 507)                                                                                  \
    XX(NO_MEMORY, 503)                                                                             \
    XX(IO, 500)                                                                                    \
    XX(INTERRUPTED, 503)                                                                           \
    XX(HANDLE, 500)

enum sosia_code {
#define XX(name, status) SOSIA_E_##name,
    SOSIA_CODE_MAP(XX)
#undef XX
};

/* Filled by the function that fails; it does not grow. reason and where point to static strings or
 * into text. */
struct sosia_err {
    enum sosia_code code;
    const char *reason; /* a vendor's or our own machine-readable word; NULL: none */
    const char *where;  /* the parameter, field or header at fault; NULL: none */
    int line;           /* in a document, counted from 1; 0: does not apply */
    char text[224];     /* for people */
};

/* Bytes given to the caller. data is NUL-terminated behind len. Does not grow. */
struct sosia_blob {
    char *data;
    size_t len;
};
/* Frees the bytes and empties the struct; an empty one stays so. HANDLE: they are none that were
 * given out, or a copy of the struct was freed before. */
SOSIA_API int sosia_blob_free(struct sosia_blob *blob);

/* ---- engine ---- */

struct sosia_engine;

/* Which programs may sign in: those that a world knows, or any with its own client id and refresh
 * token (docs/seed.md, "oauth"). */
enum sosia_oauth {
    SOSIA_OAUTH_BY_WORLD, /* as its seed document says; without a word: listed */
    SOSIA_OAUTH_LISTED,
    SOSIA_OAUTH_OPEN,
    SOSIA_OAUTH_NEVER_OPEN /* listed; a document or a file that says open is refused */
};

enum sosia_journal_mode {
    SOSIA_JOURNAL_WRITES, /* calls that may write (the default) */
    SOSIA_JOURNAL_NONE,
    SOSIA_JOURNAL_ALL
};

/* How much of each call a journal has. */
enum sosia_journal_keep {
    SOSIA_KEEP_REDACTED, /* without credentials; bodies beyond 64 KiB as their hash, those of
                            responses to calls that read beyond 1 MiB (the default) */
    SOSIA_KEEP_FULL,     /* everything, bodies up to 16 MiB */
    SOSIA_KEEP_HASHES    /* of bodies, length and hash */
};

/* What a world's journal keeps (docs/replay.md). Zero: as usual. Does not grow. */
struct sosia_journal_settings {
    enum sosia_journal_mode mode;
    enum sosia_journal_keep keep;
    int64_t steps;      /* how many states, the latest ones; 0: 1000, negative: none */
    int64_t step_bytes; /* that these may hold, in whole MiB; 0: 64 MiB, negative: none */
    int64_t bytes;      /* that its entries may have, in whole MiB; 0: 64 MiB, negative: no bound */
};

struct sosia_engine_options {
    size_t size;             /* rule 7 */
    const char *data_dir;    /* where worlds survive the process; NULL: in memory only */
    uint64_t max_worlds;     /* 0: no limit */
    uint64_t max_world_size; /* bytes a world may hold of its own, journal included; 0: no limit */
    uint64_t max_size;       /* bytes that all worlds may hold of their own; 0: no limit */
    /* With a data directory: a world that nobody has used for so long leaves memory, until somebody
     * does (docs/data-directory.md); and while all that is in memory is more than park_over bytes,
     * those unused the longest do. sosia_engine_sweep() looks for them. 0: none does. */
    int64_t park_after_us;
    uint64_t park_over;
    const char *spool_dir;  /* where large bodies lie until their call; NULL: data_dir, or without
                               one $TMPDIR, or /tmp */
    uint64_t spool_over;    /* bytes of a body that are kept in memory; 0: 1 MiB */
    enum sosia_oauth oauth; /* for all worlds, whatever their documents say */
    /* What codes, tokens, tickets, sessions of uploads and links of new worlds come from, besides
     * the seed. NULL and no random_secrets: always the same, so that the same calls give the same
     * bytes anywhere, and whoever knows a world's document can compute them. A server that others
     * reach has random_secrets: each world has its own, forks among them. */
    const char *world_secret;
    bool random_secrets;
    bool evaluation;  /* all worlds are evaluations (struct sosia_world_options) */
    bool mcp_fixture; /* what the conformance suite of the Model Context Protocol asks for is
                         at /mcp/conformance, for everybody (docs/mcp.md) */
    struct sosia_journal_settings journal; /* of new worlds, unless their documents say otherwise */
};

/* Opens an engine; with a data directory, opens or creates the store in it (one process at a time).
 * opt may be NULL. */
SOSIA_API int sosia_engine_open(const struct sosia_engine_options *opt,
                                struct sosia_engine **ret_engine, struct sosia_err *err);
/* Looks for damage in a data directory that no process has open, and changes nothing in it. What it
 * finds is an object: "format" of the store, "whole", "worlds" (each with "world", "name", "whole"
 * and, if it is not, "why") and "damage" (rows that are not what was written: "kind", "id",
 * "what"). *ret_whole: there is none. rescue_dir: NULL, or where each whole world is exported to,
 * as KEY.db for sosia_world_import(). -1: it can't be looked at. */
SOSIA_API int sosia_data_check(const char *data_dir, const char *rescue_dir,
                               struct sosia_blob *ret_json, bool *ret_whole, struct sosia_err *err);
/* No call may be under way in any thread, and no session be open. Frees every world of a memory
 * engine. */
SOSIA_API int sosia_engine_close(struct sosia_engine *engine);
/* Ends what is under way in a world (0: in any world of the engine, also one that is being made): a
 * call, an advance of the clock, an import, a search, a seed, a dump, a diff, a grade, a replay,
 * also one that still waits for the world, or for a decision on what it asks, which stays held. The
 * function that does it fails with INTERRUPTED, and the world is as it was before; of many calls in
 * one (a batch) those that had been made stay. What is so near its end that it does not look any
 * more succeeds. Where nothing is under way nothing happens, and what begins later is not touched.
 * Gives how many it has asked to stop; -1: HANDLE. It is async-signal-safe: any thread and any
 * signal handler may call it, while the engine is open. */
SOSIA_API int sosia_interrupt(struct sosia_engine *engine, uint64_t world);
/* The world of requests that name none: neither by path, host name or header nor by an engine's
 * token. 0: none. */
SOSIA_API int sosia_engine_default_world(struct sosia_engine *engine, uint64_t world);
/* Drops worlds whose time to live is over, and lets those that are unused leave memory, where the
 * options say so; a server calls it from a timer. Gives how many it dropped, -1: HANDLE. */
SOSIA_API int sosia_engine_sweep(struct sosia_engine *engine);

struct sosia_engine_info {
    uint64_t
        worlds;    /* and snapshots, those included whose time is over and that wait for a sweep */
    uint64_t size; /* bytes that all worlds hold of their own */
    uint64_t max_worlds, max_world_size, max_size; /* the limits it was opened with; 0: none */
    bool durable;                                  /* has a data directory */
    uint64_t failed_writes; /* batches of changes that the data directory did not take */
    char last_failure[224]; /* why the last of them failed; "": there was none */
    uint64_t reserved[8];   /* 0 */
};
SOSIA_API int sosia_engine_info(struct sosia_engine *engine, struct sosia_engine_info *ret_info);

/* ---- worlds ---- */

enum sosia_clock_mode {
    SOSIA_CLOCK_FROZEN, /* does not move until set or advanced */
    SOSIA_CLOCK_STEP,   /* goes on by a fixed amount with each call */
    SOSIA_CLOCK_REAL    /* follows real time, with an offset */
};

/* For a new world. Zero bytes everywhere mean the defaults. */
struct sosia_world_options {
    size_t size;               /* rule 7 */
    const char *name;          /* unique among worlds: 1 to 63 letters, digits, '-', '_' and '.', no
                                  sign first, and not 16 hexadecimal digits; NULL: none */
    const char *seed_doc;      /* a seed document, JSON or YAML; NULL: an empty world */
    size_t seed_doc_len;       /* bytes */
    const char *seed_doc_name; /* named in errors; NULL: "seed" */
    uint64_t seed;             /* of ids; 0: the document's, else 1 */
    enum sosia_clock_mode clock; /* FROZEN starts at the document's own time */
    int64_t step_us;             /* for SOSIA_CLOCK_STEP; not negative */
    int64_t now_us;              /* start at this time; 0: the document's time (REAL: real time) */
    enum sosia_journal_mode journal;
    /* Somebody is judged in it: no receivers, no registration, closed sign-in, and a journal of all
     * calls, which is its mode whatever `journal` says (the table in docs/server.md). It stays so,
     * and so do its forks. */
    bool evaluation;
};

/* Makes a world; its first state is what sosia_world_reset() goes back to. */
SOSIA_API int sosia_world_create(struct sosia_engine *engine, const struct sosia_world_options *opt,
                                 uint64_t *ret_world, struct sosia_err *err);

/* Whether the vendors' documented rate limits hold in a world, counted by its clock (default: they
 * don't). A seed document says it with "rates: true"; forks and snapshots go on as their parent. */
SOSIA_API int sosia_world_rates(struct sosia_engine *engine, uint64_t world, bool on,
                                struct sosia_err *err);

/* The faults that a world has (docs/faults.md): a document, JSON or YAML, or the names
 * of sets, separated by commas; NULL: none from now on. And its budgets. INVALID with the line.
 * Forks and snapshots have them, with what was counted; a reset leads back to those of then. */
SOSIA_EXPERIMENTAL int sosia_world_faults(struct sosia_engine *engine, uint64_t world,
                                          const char *doc, size_t len, const char *doc_name,
                                          struct sosia_err *err);
SOSIA_EXPERIMENTAL int sosia_world_budgets(struct sosia_engine *engine, uint64_t world,
                                           const char *doc, size_t len, const char *doc_name,
                                           struct sosia_err *err);

/* What clients made of a world's faults, from its journal (JSON): each fault with the call that was
 * made again, and how many were honoured, made again unsafely, done twice. */
SOSIA_EXPERIMENTAL int sosia_world_faults_report(struct sosia_engine *engine, uint64_t world,
                                                 struct sosia_blob *ret_json,
                                                 struct sosia_err *err);
/* The documents of a world, with what was counted (JSON): "faults", "rules", "budgets", "used". */
SOSIA_EXPERIMENTAL int sosia_world_faults_info(struct sosia_engine *engine, uint64_t world,
                                               struct sosia_blob *ret_json, struct sosia_err *err);

/* The explorer: what would have become of a world's run if calls of it had got into trouble. */
struct sosia_explore_options {
    size_t size;        /* rule 7 */
    const char *faults; /* kinds, separated by commas; NULL: those that are usual */
    int depth;          /* faults in a run: 1 or 2; 0: 1 */
    unsigned threads;   /* 0: as many as there are processors */
    int64_t from, to;   /* entries whose calls get faults; 0: the world's first own, its last */
};
/* A report (JSON): "branches", and those of them in which something happened "twice" or "not at
 * all", or which end ungraded. */
SOSIA_EXPERIMENTAL int sosia_explore(struct sosia_engine *engine, uint64_t world,
                                     const struct sosia_explore_options *opt,
                                     struct sosia_blob *ret_json, struct sosia_err *err);

/* For a fork. Zero bytes everywhere: all as in the world it is made from. */
struct sosia_fork_options {
    size_t size;      /* rule 7 */
    uint64_t seed;    /* a new seed of ids; 0: the parent's */
    int64_t now_us;   /* a new time; 0: the parent's */
    const char *name; /* unique among worlds; NULL: none */
    bool set_clock;   /* the next two hold; else the clock goes on as the parent's */
    enum sosia_clock_mode clock;
    int64_t step_us; /* for SOSIA_CLOCK_STEP */
    /* What the parent has not delivered yet is delivered for the fork too; else never. */
    bool inherit_deliveries;
    bool set_journal; /* the next holds; else the journal keeps what the parent's keeps */
    enum sosia_journal_mode journal;
    bool evaluation; /* as of struct sosia_world_options; false: as the parent */
};

/* A new world with the state of another world or snapshot. It resets to the state at the fork. opt
 * may be NULL. */
SOSIA_API int sosia_world_fork(struct sosia_engine *engine, uint64_t world,
                               const struct sosia_fork_options *opt, uint64_t *ret_world,
                               struct sosia_err *err);
/* Back to the state at creation or fork: data, clock and ids; the journal is discarded. */
SOSIA_API int sosia_world_reset(struct sosia_engine *engine, uint64_t world, struct sosia_err *err);
/* Back to the state of a snapshot (or another world), which is also what later resets go to. */
SOSIA_API int sosia_world_reset_to(struct sosia_engine *engine, uint64_t world, uint64_t snapshot,
                                   struct sosia_err *err);
/* Freezes the present state as a world that nobody can write, under a name of its own. */
SOSIA_API int sosia_world_snapshot(struct sosia_engine *engine, uint64_t world, const char *name,
                                   uint64_t *ret_snapshot, struct sosia_err *err);
/* Frees a world or a snapshot. Forks made from it live on. An id is not used a second time: of a
 * world that was dropped before it is NOT_FOUND. */
SOSIA_API int sosia_world_drop(struct sosia_engine *engine, uint64_t world, struct sosia_err *err);

/* Applies a seed document to a world, as one transaction: all of it or nothing. */
SOSIA_API int sosia_world_seed(struct sosia_engine *engine, uint64_t world, const char *doc,
                               size_t len, const char *doc_name, struct sosia_err *err);
/* The world as a seed document in normal form (JSON). */
SOSIA_API int sosia_world_dump(struct sosia_engine *engine, uint64_t world,
                               struct sosia_blob *ret_json, struct sosia_err *err);
/* What it takes to get from world a to world b, entity by entity (JSON). */
SOSIA_API int sosia_world_diff(struct sosia_engine *engine, uint64_t a, uint64_t b,
                               struct sosia_blob *ret_json, struct sosia_err *err);

enum sosia_diff_form { SOSIA_DIFF_JSON, SOSIA_DIFF_PATCH, SOSIA_DIFF_TABLES };
struct sosia_diff_options {
    size_t size;               /* rule 7 */
    enum sosia_diff_form form; /* PATCH: RFC 6902, on a document of entities by their names; TABLES:
                                  {inserts, updates, deletes}, as sosia_grade_rows() takes it */
    bool all; /* with what changes by itself: etags, counters, times of changes, deliveries */
};
/* The same in the vendors' terms, for people and programs that look at what somebody did: by person
 * and service, with field-level values before and after, and what follows from a change (a guest's
 * copy, the mail of an invitation) as that change's "consequences" (docs/grading.md). from 0: the
 * state that `to` resets to. opt may be NULL. */
SOSIA_API int sosia_diff(struct sosia_engine *engine, uint64_t from, uint64_t to,
                         const struct sosia_diff_options *opt, struct sosia_blob *ret_json,
                         struct sosia_err *err);

/* ---- grading (docs/grading.md) ---- */

/* Tasks with assertions over what changed, what is there and which calls were made. May be used by
 * any number of threads at once. */
struct sosia_suite;
/* Reads a suite, JSON or YAML. name: in messages, until the suite says its own; NULL: "suite".
 * INVALID "suite" with err->line: it can't be one, or names what worlds don't have. */
SOSIA_API int sosia_suite_open(const char *doc, size_t len, const char *name,
                               struct sosia_suite **ret_suite, struct sosia_err *err);
/* The same of a suite for sosia_grade_rows(), whose tables and members may be anybody's. */
SOSIA_EXPERIMENTAL int sosia_suite_open_rows(const char *doc, size_t len, const char *name,
                                             struct sosia_suite **ret_suite, struct sosia_err *err);
SOSIA_API int sosia_suite_close(struct sosia_suite *suite);
/* Its tasks: id, name, difficulty, prompt, actor, fixture, seed (JSON). */
SOSIA_API int sosia_suite_list(const struct sosia_suite *suite, struct sosia_blob *ret_json,
                               struct sosia_err *err);
/* Judges what happened between the states of two worlds (from 0: what `to` resets to) and the calls
 * in the journal of `to`: "passed", "reward" in [0, 1] with its "parts", "failures", what was
 * "unexpected" (JSON), and the "reason" why nothing can be judged, if there is one. task: its id;
 * NULL: the only one. NOT_FOUND "taskNotFound", INVALID "suite". */
SOSIA_API int sosia_grade(struct sosia_engine *engine, const struct sosia_suite *suite,
                          const char *task, uint64_t from, uint64_t to, struct sosia_blob *ret_json,
                          struct sosia_err *err);
/* Both at once, which finds the changes once: as sosia_grade(), and the diff as sosia_diff() gives
 * it without options. */
SOSIA_API int sosia_grade_diff(struct sosia_engine *engine, const struct sosia_suite *suite,
                               const char *task, uint64_t from, uint64_t to,
                               struct sosia_blob *ret_grade, struct sosia_blob *ret_diff,
                               struct sosia_err *err);
/* What an agent said at the end, and what others make of what it did. Zero bytes everywhere:
 * nothing. */
struct sosia_grade_options {
    size_t size;        /* rule 7 */
    const char *answer; /* UTF-8; NULL: none */
    size_t answer_len;
    const char *judgements; /* JSON: an object of true, false or a number from 0 to 1 by the name
                               that a "judge" of the task has; NULL: none */
    size_t judgements_len;
};
/* As sosia_grade(), with those. ret_diff NULL: no diff is wanted. INVALID: "answer" or "judgements"
 * can't be that. */
SOSIA_API int sosia_grade_with(struct sosia_engine *engine, const struct sosia_suite *suite,
                               const char *task, uint64_t from, uint64_t to,
                               const struct sosia_grade_options *opt, struct sosia_blob *ret_grade,
                               struct sosia_blob *ret_diff, struct sosia_err *err);
/* The same of a diff that is a document: {"inserts": [{"__table__", ...}], "deletes": [...],
 * "updates": [{"__table__", "before", "after"}]}. */
SOSIA_EXPERIMENTAL int sosia_grade_rows(const struct sosia_suite *suite, const char *task,
                                        const char *diff, size_t len, struct sosia_blob *ret_json,
                                        struct sosia_err *err);

/* SHA-256 of the logical state, as 64 hex digits and NUL: of the bytes that sosia_world_dump()
 * gives, without the lines "time" and "seed" of its head. Worlds with equal content have equal
 * hashes, however they came to it; clock, ids to come, journal and what of rate limits is used up
 * don't count (that they hold does). */
SOSIA_API int sosia_world_hash(struct sosia_engine *engine, uint64_t world, char ret_hex[65],
                               struct sosia_err *err);
/* Writes the world as a plain SQLite file, with its clock, its seed of ids and its journal, and
 * whether rate limits hold in it. What is at the path is replaced in one step; only the owner can
 * read the file. */
SOSIA_API int sosia_world_export(struct sosia_engine *engine, uint64_t world, const char *path,
                                 struct sosia_err *err);
/* The same with the secret that the world's codes, tokens, tickets and links come from: whoever has
 * the file can compute them. */
SOSIA_API int sosia_world_export_secrets(struct sosia_engine *engine, uint64_t world,
                                         const char *path, struct sosia_err *err);
/* Makes a world of an exported file, which resets to the state in the file. The file is hostile
 * input: it is refused (INVALID, reason "notAnExport") unless it has this version's tables and is
 * sound. name may be NULL. */
SOSIA_API int sosia_world_import(struct sosia_engine *engine, const char *path, const char *name,
                                 uint64_t *ret_world, struct sosia_err *err);
/* The same with the file's own secret, if it has one: what the exported world would have given next
 * this one gives. Else the world has one as a new world has. */
SOSIA_API int sosia_world_import_secrets(struct sosia_engine *engine, const char *path,
                                         const char *name, uint64_t *ret_world,
                                         struct sosia_err *err);

/* A file of another program. Zero bytes everywhere but the size and the format: as the file says.
 */
struct sosia_transfer {
    size_t size; /* rule 7 */
    /* "mbox", "maildir", "eml", "ics", "vcf", "csv", "drive", "workspace", "takeout", "slack" */
    const char *format;
    const char *person; /* whose mail, calendar or drive it is: an address; NULL: not said */
    const char *vendor; /* of a person with accounts of several; NULL: the first one's */
    /* Where it goes or comes from: a label or folder, a calendar's id, a folder's, a directory, the
     * domain of a workspace that is made. NULL: as the file says, or the top. */
    const char *place;
    const char *name; /* what messages call the file; NULL: "file" */
};

/* Puts what a file holds into a world, as a seed document of it: all of it or nothing. Its bytes
 * are hostile input. *ret_json: how much came, {"messages": 12, ..., "skipped": 3}. INVALID
 * "transfer": what is wrong, with the file's name and line. */
SOSIA_API int sosia_transfer_import(struct sosia_engine *engine, uint64_t world,
                                    const struct sosia_transfer *file, const void *data, size_t len,
                                    struct sosia_blob *ret_json, struct sosia_err *err);
/* The other way: *ret_file has the bytes. Formats that can hold it: mbox, ics, vcf, csv, drive,
 * workspace. */
SOSIA_API int sosia_transfer_export(struct sosia_engine *engine, uint64_t world,
                                    const struct sosia_transfer *file, struct sosia_blob *ret_file,
                                    struct sosia_err *err);

struct sosia_world_info {
    uint64_t id;
    char key[17];  /* the id as it is in URLs */
    char name[64]; /* "" : none */
    bool snapshot;
    uint64_t parent; /* what it was forked from; 0: nothing */
    int64_t now_us;
    enum sosia_clock_mode clock;
    int64_t step_us;
    enum sosia_journal_mode journal;
    uint64_t seed;
    uint64_t size;         /* bytes of its own */
    uint64_t base_size;    /* bytes shared with other forks of its base */
    int64_t expires_us;    /* 0: never */
    bool expires_by_clock; /* by the world's clock, not by real time */
    bool evaluation;
    uint64_t reserved[8]; /* 0 */
};
SOSIA_API int sosia_world_info(struct sosia_engine *engine, uint64_t world,
                               struct sosia_world_info *ret_info, struct sosia_err *err);
/* Calls fn for each world and snapshot, in the order of the places that they have in the engine;
 * stops when fn gives non-zero. fn runs under the world's lock and must not call the engine. after:
 * only those whose place is behind that of this world, which may be gone by now; 0: all. So that a
 * long list can be had in pieces. */
SOSIA_API int sosia_world_list(struct sosia_engine *engine, uint64_t after,
                               int (*fn)(void *arg, const struct sosia_world_info *info), void *arg,
                               struct sosia_err *err);
/* The world with this key (as in URLs) or name. */
SOSIA_API int sosia_world_find(struct sosia_engine *engine, const char *key_or_name,
                               uint64_t *ret_world, struct sosia_err *err);
/* Gives a world another name; NULL or "" takes its name away. CONFLICT if another world has it. */
SOSIA_API int sosia_world_rename(struct sosia_engine *engine, uint64_t world, const char *name,
                                 struct sosia_err *err);
/* Ends the world's life ttl_us from now, by real time or by its own clock; 0: never. */
SOSIA_API int sosia_world_ttl(struct sosia_engine *engine, uint64_t world, int64_t ttl_us,
                              bool by_world_clock, struct sosia_err *err);
/* Which calls the journal keeps from now on. */
SOSIA_API int sosia_world_journal_mode(struct sosia_engine *engine, uint64_t world,
                                       enum sosia_journal_mode mode, struct sosia_err *err);

/* ---- clock ---- */

/* The world's time; it does not move by being asked. */
SOSIA_API int sosia_clock_get(struct sosia_engine *engine, uint64_t world, int64_t *ret_now_us,
                              struct sosia_err *err);
/* Sets the time without firing what would have been due in between. */
SOSIA_API int sosia_clock_set(struct sosia_engine *engine, uint64_t world, int64_t now_us,
                              struct sosia_err *err);
/* Goes forward by delta_us >= 0 and fires, in order and each at its instant, what is due. INVALID:
 * beyond the year 9999. */
SOSIA_API int sosia_clock_advance(struct sosia_engine *engine, uint64_t world, int64_t delta_us,
                                  struct sosia_err *err);
/* How the clock goes on from the time that it shows. step_us: for SOSIA_CLOCK_STEP, not negative. A
 * clock that gets to the end of the year 9999 stops. */
SOSIA_API int sosia_clock_mode(struct sosia_engine *engine, uint64_t world,
                               enum sosia_clock_mode mode, int64_t step_us, struct sosia_err *err);

/* ---- people ---- */

/* Who can act in a world: people, bots, apps, service accounts, rooms (JSON array of objects with
 * id, email, kind, name, zone), by id, after the one with the id `after` (0: from the start), at
 * most `limit` (0: all). Who has no address has no email, and has the member handle. */
SOSIA_API int sosia_actor_list(struct sosia_engine *engine, uint64_t world, int64_t after,
                               int limit, struct sosia_blob *ret_json, struct sosia_err *err);

/* ---- tokens ---- */

struct sosia_token_options {
    size_t size;        /* rule 7 */
    const char *actor;  /* handle, e-mail address, or an alias, of somebody in the world */
    const char *scopes; /* separated by spaces or commas; NULL: everything */
    int64_t ttl_us;     /* by the world's clock; 0: never expires */
    const char *value;  /* a fixed token, stored in the world; NULL: one that the engine signs */
    const char *app;    /* client id of an app of the world that it is for; NULL: of none */
    const char *kind;   /* "user", "bot", "app"; NULL: as the actor's kind is */
    const char *prefix; /* of a signed one, in the shape that a vendor's programs expect: "xyz-1-";
                           visible ASCII that ends with neither letter nor digit; NULL: "sosia_" */
};
#define SOSIA_TOKEN_MAX 512 /* bytes; enough for a token that the engine signs */
/* Makes a token; it goes to ret_token, of size bytes, NUL-terminated. NOT_FOUND "actorNotFound":
 * there is nobody of that address; TOO_LARGE: size is too small. One that the engine signs is good
 * in the world that it was made for and nowhere else: a fork answers 401 to its parent's, and has
 * one made for itself, by this function with the fork's id, which writes nothing to the world. A
 * fixed one (`value`) is a part of the world and passes on to its forks. */
SOSIA_API int sosia_token_issue(struct sosia_engine *engine, uint64_t world,
                                const struct sosia_token_options *opt, char *ret_token, size_t size,
                                struct sosia_err *err);
/* Ends a token, fixed or signed, in this world. NOT_FOUND: there is none, or it has ended. */
SOSIA_API int sosia_token_revoke(struct sosia_engine *engine, uint64_t world, const char *token,
                                 struct sosia_err *err);

#define SOSIA_LINK_MAX 1024 /* bytes; enough for a consent link */
/* A link with which a person proves once to a program's page of consent who he is (docs/mcp.md), by
 * ttl_us of the world's clock; 0: an hour. base_url: where the page is served, without a slash at
 * the end. Of a person the newest ten are good. It goes to ret_link, of size bytes, NUL-terminated.
 * NOT_FOUND "actorNotFound"; INVALID: the actor is of another kind. ret_expires_us may be NULL. */
SOSIA_API int sosia_consent_link(struct sosia_engine *engine, uint64_t world, const char *actor,
                                 int64_t ttl_us, const char *base_url, char *ret_link, size_t size,
                                 int64_t *ret_expires_us, struct sosia_err *err);
/* May programs register themselves in a world (docs/seed.md, "registration")? 1, 0, -1. */
SOSIA_API int sosia_registration(struct sosia_engine *engine, uint64_t world,
                                 struct sosia_err *err);

/* Credentials of an actor as a file that a vendor's own programs load: kind
 * "google_service_account" (of an actor that is one and whose key the seed document does not give)
 * or "google_authorized_user" (of a person with a refresh token), "slack" (tokens and secrets of
 * who is in a workspace, and of its apps), "microsoft" (a token of a user, and the apps of its
 * tenant). base_url: where those programs shall get their tokens, without a slash at the end; NULL:
 * nowhere, as "slack" and "microsoft" need none. Whoever has the file is the actor. */
SOSIA_API int sosia_credential(struct sosia_engine *engine, uint64_t world, const char *kind,
                               const char *actor, const char *base_url, struct sosia_blob *ret_file,
                               struct sosia_err *err);

/* ---- calls ---- */

struct sosia_header {
    const char *name; /* compared without regard to case */
    const char *value;
};

struct sosia_spool;

struct sosia_request {
    size_t size;        /* rule 7 */
    const char *method; /* "GET" */
    const char
        *target; /* path and query as on the wire: "/calendar/v3/calendars/primary/events?..." */
    const struct sosia_header *headers;
    size_t n_headers;
    const char *body;
    size_t body_len;
    const char *base_url; /* for absolute URLs in answers, without a slash at the end:
                             "http://localhost:8787"; NULL: the vendor's own */
    /* A body that is not in memory, instead of one that is. It is pulled before the world is
     * locked, on the caller's thread: read() puts at most size bytes to `to` and gives how many, 0
     * at the end, -1 to give the call up. Beyond spool_over bytes (struct sosia_engine_options) it
     * lies in an unnamed file meanwhile. */
    int64_t (*read)(void *arg, char *to, size_t size);
    void *read_arg;
    int64_t length; /* bytes that read() will give: fewer or more fail; -1: not known */
    /* Or it was put into a spool before, which is not used up by the call. */
    struct sosia_spool *spool;
    /* The body was left out because of sosia_head_refused(): the call is refused in any case, and
     * its answer does not wait for the disk. */
    bool head_only;
};

struct sosia_stream;

struct sosia_response {
    int status;
    const struct sosia_header *headers;
    size_t n_headers;
    const char *body; /* NUL-terminated behind body_len */
    size_t body_len;
    const char *why; /* why it is refused, where the service's own words don't say; NULL: they do */
    int64_t length;  /* of the body in bytes, however it is given */
    /* Not NULL: the body is a file's content, of whatever length (one byte, none, or gigabytes): it
     * has to be pulled, `length` bytes in all, and body is "", body_len 0. Whoever looks at body
     * alone takes such an answer for an empty one. Puts the bytes from `at` on
     * to `to`, at most size, and gives how many: 0 at the end, -1 on failure. It holds no lock and
     * later calls don't change what it gives, but what it gives keeps its place in memory until the
     * response is freed, which must be before the engine is closed. By one thread at a time. */
    int64_t (*read)(struct sosia_response *response, int64_t at, char *to, size_t size);
    /* Not NULL: the answer goes on (sosia_stream_take()), and body is "". It ends with the
     * response, which must be freed before the engine is closed. */
    struct sosia_stream *stream;
    /* A fault that the world has (sosia_world_faults()): what a connection does with
     * the answer. Who has none, as in process, may take the status for that of a proxy (502, 504),
     * and a body that is cut for what came. */
    enum sosia_wire {
        SOSIA_WIRE_AS_IS,
        SOSIA_WIRE_RESET,   /* the connection ends, and no answer comes */
        SOSIA_WIRE_TIMEOUT, /* no answer comes */
        SOSIA_WIRE_CUT      /* it ends behind `body`, of which it said that it has `said` bytes */
    } wire;
    int64_t said;
    int64_t delay_ms; /* of real time, before the answer */
    /* The headers in one piece, for who hands on all of them: of each its name and NUL, its value
     * and NUL; then why and NUL, unless it is NULL. NULL: they are not in one piece. */
    const char *head;
    size_t head_len;
};

/* Serves one request. Refusals by a service (404, 401, ...) are answers, not failures: -1 means
 * that no answer could be made at all. world 0: the world that the request names: by the path
 * prefix "/w/KEY/", else by a host name "KEY.localhost", else by the header "X-Sosia-World: KEY",
 * else by its token, else the default world. In an engine with a data directory the call returns
 * when its writes are on disk. */
SOSIA_API int sosia_call(struct sosia_engine *engine, uint64_t world,
                         const struct sosia_request *request, struct sosia_response **ret_response,
                         struct sosia_err *err);
SOSIA_API int sosia_response_free(struct sosia_response *response);

/* Who is notified, once the answer is there, that a stream has something to take, or has ended: by
 * any thread, under a lock, so that it must be quick and must not call the engine; not any more
 * when the response has been freed. most: bytes that may wait to be taken, before the stream ends
 * since its reader is too slow; 0: 1 MiB. */
SOSIA_EXPERIMENTAL int sosia_stream_wake(struct sosia_stream *stream, size_t most,
                                         void (*wake)(void *arg), void *arg);
/* Takes what is there, at most size bytes: how many; 0: nothing at the moment; -1: it has ended. */
SOSIA_EXPERIMENTAL int64_t sosia_stream_take(struct sosia_stream *stream, char *to, size_t size);
/* For whoever carries a stream over a network, when nothing came out of it for so long: something
 * that says nothing is put into it, or it ends because nobody has answered for too long. */
SOSIA_EXPERIMENTAL int sosia_stream_idle(struct sosia_stream *stream, int64_t silent_ms);

/* How many bytes the body of such a request may have, of which only method, target and headers are
 * looked at: what its method says, but no more than a world may hold. 0: the method does not say;
 * 64 MiB are enough for all that methods take then. */
SOSIA_API int64_t sosia_body_max(struct sosia_engine *engine, const struct sosia_request *head);
/* Before a large body is taken: will the request be refused whatever its body is? Of method,
 * target, headers and base_url. True: there is no such world or method, or the credential is
 * missing, not good, or lacks the scope; the call with head_only gives the answer. False: nothing
 * is known, also where the body may hold the credential, and where others keep the world for long.
 * Changes nothing. */
SOSIA_API bool sosia_head_refused(struct sosia_engine *engine, uint64_t world,
                                  const struct sosia_request *head);
/* For callers whose bodies come to them: a body that is put together before the call, in an unnamed
 * file in the engine's spool directory. max: bytes that it takes. FULL: the disk; IO. */
SOSIA_API int sosia_spool_open(struct sosia_engine *engine, int64_t max,
                               struct sosia_spool **ret_spool, struct sosia_err *err);
/* TOO_LARGE "tooLarge", FULL "spoolFull" (some of the disk is left to others), IO: it can only be
 * freed then. No more can be added after a call with it. */
SOSIA_API int sosia_spool_write(struct sosia_spool *spool, const void *data, size_t len,
                                struct sosia_err *err);
SOSIA_API int sosia_spool_free(struct sosia_spool *spool);
/* sosia_call() for servers: serves the request on the calling thread and gives the answer to
 * done(), which owns it: before this returns, or, if the answer must wait for the disk, later from
 * a thread of the engine. done() is called exactly once, with NULL if no answer could be made; the
 * request is needed only until this returns. */
SOSIA_API void sosia_call_async(struct sosia_engine *engine, uint64_t world,
                                const struct sosia_request *request,
                                void (*done)(void *arg, struct sosia_response *response),
                                void *arg);
/* The same for threads that must not wait: false, without a call of done() and with nothing done,
 * if something else is under way in the world for longer than some dozens of microseconds, or if
 * the request is many calls in one (a batch). */
SOSIA_API bool sosia_call_try(struct sosia_engine *engine, uint64_t world,
                              const struct sosia_request *request,
                              void (*done)(void *arg, struct sosia_response *response), void *arg);
/* Whether something is under way in the world with this key or name now, so that asking about it
 * may take long. */
SOSIA_API bool sosia_world_busy(struct sosia_engine *engine, const char *key_or_name);

/* ---- guardrails (docs/guardrails.md) ---- */

/* Puts a policy, JSON or YAML, into a world, in the place of one of the same name: from now on it
 * is asked of each call. INVALID with the line. name: of the document, in messages; NULL: "policy".
 * ret_json (NULL: nobody asks): {"name", "version", "hash", "rules", ...}. */
SOSIA_EXPERIMENTAL int sosia_policy_set(struct sosia_engine *engine, uint64_t world,
                                        const char *doc, size_t len, const char *name,
                                        struct sosia_blob *ret_json, struct sosia_err *err);
/* Takes it away. NOT_FOUND: the world has none of that name. */
SOSIA_EXPERIMENTAL int sosia_policy_remove(struct sosia_engine *engine, uint64_t world,
                                           const char *name, struct sosia_err *err);
/* {"policies": [...]}: those of a world, as sosia_policy_set() gives them; of one that can't be
 * read "broken", why. name: that one alone, with its "document"; NULL: all. */
SOSIA_EXPERIMENTAL int sosia_policy_list(struct sosia_engine *engine, uint64_t world,
                                         const char *name, struct sosia_blob *ret_json,
                                         struct sosia_err *err);
/* Whether a document is a policy: as sosia_policy_set(), without a world. */
SOSIA_EXPERIMENTAL int sosia_policy_check(const char *doc, size_t len, const char *name,
                                          struct sosia_blob *ret_json, struct sosia_err *err);

/* {"approvals": [...]}: calls that policies of a world hold until somebody decides, oldest first,
 * with who asked, what was asked ("arguments"), and under which policy. action: that one alone,
 * with the diff of what it would do ("outcome"); NULL: all. state: drafted, held, approved,
 * rejected or executed; NULL: any. One that is held and whose time is over is "expired"; whom one
 * was handed to is "asked". */
SOSIA_EXPERIMENTAL int sosia_approval_list(struct sosia_engine *engine, uint64_t world,
                                           const char *action, const char *state,
                                           struct sosia_blob *ret_json, struct sosia_err *err);
/* Decides on one, once: "approve", "reject", or "edit", which approves it with these arguments set
 * (JSON: an object of values by path; else NULL). It is executed when its caller calls again. Or
 * "escalate": it is handed on to somebody, arguments {"to": NAME}, a name or a class of the
 * policy's approvers, who alone may decide then. by: who decided, for the journal; comment: why;
 * both may be NULL. CONFLICT "decided", "expired"; FORBIDDEN "notAsked": it was handed to others
 * than by; "ownAction": by is who made the call. */
SOSIA_EXPERIMENTAL int sosia_approval_decide(struct sosia_engine *engine, uint64_t world,
                                             const char *action, const char *decision,
                                             const char *arguments, const char *by,
                                             const char *comment, struct sosia_err *err);

/* ---- journal and outbox ---- */

/* Entries after sequence number `after`, at most `limit` (0: all), oldest first: a JSON array of
 * objects whose first member is "seq". The first entry's number is 1. bodies: with request and
 * response bodies. */
SOSIA_API int sosia_journal_list(struct sosia_engine *engine, uint64_t world, int64_t after,
                                 int limit, bool bodies, struct sosia_blob *ret_json,
                                 struct sosia_err *err);
/* A new world with the state after an entry of the journal (0: before the first), whose journal
 * ends with it. Where the state itself is not kept any more, the entries behind the last one that
 * is run again. As sosia_world_fork(); NOT_FOUND "stepNotFound": there is no such entry, or no way
 * to its state. */
SOSIA_API int sosia_world_fork_step(struct sosia_engine *engine, uint64_t world, int64_t step,
                                    const struct sosia_fork_options *opt, uint64_t *ret_world,
                                    struct sosia_err *err);
/* Back to the state after an entry of the world's own journal; the later entries are gone. What a
 * reset goes back to stays as it is. */
SOSIA_API int sosia_world_reset_step(struct sosia_engine *engine, uint64_t world, int64_t step,
                                     struct sosia_err *err);
/* How many states of its steps a world keeps, the latest ones (1000; at most 16382), and how much
 * of each call its journal has. A step costs the bytes that the next change put others in the place
 * of. */
SOSIA_API int sosia_world_journal_keep(struct sosia_engine *engine, uint64_t world,
                                       enum sosia_journal_keep keep, int64_t steps,
                                       struct sosia_err *err);

/* How many bytes a world's steps may hold (64 MiB), and the entries of its own journal (64 MiB; 0:
 * no bound), in whole MiB up to 65534 of them; negative: that stays as it is. The oldest go first:
 * of steps one by one, of entries the older half. Of a world with a bound on its size its entries
 * get half of that at most, and its steps what is left of it. */
SOSIA_API int sosia_world_journal_bounds(struct sosia_engine *engine, uint64_t world,
                                         int64_t step_bytes, int64_t bytes, struct sosia_err *err);

/* Entries that are looked for: of all that is given. */
struct sosia_journal_query {
    size_t size;   /* rule 7 */
    int64_t after; /* behind this number */
    int limit;     /* at most so many; 0: 100 */
    bool bodies;
    const char *method, *actor; /* NULL: any */
    const char *text;           /* is in the entry as it is kept; NULL: any */
    bool failed;                /* only those with a status from 400 on */
    const char *label;          /* "NAME:VALUE", or "NAME" with any value; NULL: any or none */
};
/* A page of them, as sosia_journal_list() gives them. *ret_next: the number to go on behind, 0:
 * that was all. A page looks through 8 MiB at most, so that one without any entry may have a next
 * one. */
SOSIA_API int sosia_journal_find(struct sosia_engine *engine, uint64_t world,
                                 const struct sosia_journal_query *query,
                                 struct sosia_blob *ret_json, int64_t *ret_next,
                                 struct sosia_err *err);
/* What there is of a world's journal (JSON): "entries" (the number of the last), "first" (of the
 * first that is left), "start" (the number that its own begin behind), "bytes" of its own and
 * "most_bytes", "steps" with "most", "kept", "first" (of the oldest that is kept), "bytes" (that
 * only they hold) and "most_bytes", "keep", "refused" (calls of nobody, which have no
 * entry: "calls", and the "last" of them), "head" (of the chain that an export has), "versions". */
SOSIA_API int sosia_journal_info(struct sosia_engine *engine, uint64_t world,
                                 struct sosia_blob *ret_json, struct sosia_err *err);
/* What the call of an entry changed, as sosia_diff() says it: between the states before and after.
 */
SOSIA_API int sosia_journal_changes(struct sosia_engine *engine, uint64_t world, int64_t entry,
                                    struct sosia_blob *ret_json, struct sosia_err *err);
enum sosia_journal_format {
    SOSIA_JOURNAL_JSONL, /* a line an entry, chained by SHA-256 */
    SOSIA_JOURNAL_HAR,   /* HTTP Archive 1.2 */
    SOSIA_JOURNAL_OTLP, /* OpenTelemetry spans as OTLP/JSON, by the conventions for generative AI */
    SOSIA_JOURNAL_ATIF, /* Agent Trajectory Interchange Format 1.7 */
    SOSIA_JOURNAL_RUN   /* a run: each call with its risk and what was decided of it */
};
/* The entries behind `from` up to `to` (0: all) in a format (docs/replay.md). */
SOSIA_API int sosia_journal_export(struct sosia_engine *engine, uint64_t world,
                                   enum sosia_journal_format format, int64_t from, int64_t to,
                                   struct sosia_blob *ret_text, struct sosia_err *err);
/* The same as JSON Lines that have the world's secret: what codes, tokens and links come from is
 * the same when they run elsewhere. */
SOSIA_API int sosia_journal_export_secrets(struct sosia_engine *engine, uint64_t world,
                                           int64_t from, int64_t to, struct sosia_blob *ret_text,
                                           struct sosia_err *err);
/* Whether the lines of an export are what was written: *ret_entries are, and their head is
 * ret_head; both may be NULL. head: what it should be, as sosia_journal_info() gives it; NULL: not
 * compared. name: of the file, in messages. INVALID "journal" with err->line: the first line that
 * is not. */
SOSIA_API int sosia_journal_verify(const char *text, size_t len, const char *name, const char *head,
                                   int64_t *ret_entries, char ret_head[65], struct sosia_err *err);

struct sosia_replay_options {
    size_t size;      /* rule 7 */
    int64_t from, to; /* the entries behind `from` up to `to`; 0: from the world's start or fork on,
                         up to the last; from -1: from the very first on */
    bool first;       /* stops at the first difference */
    const char *edits; /* JSON: what is otherwise this time (docs/replay.md); NULL: nothing */
    size_t edits_len;
    bool keep;        /* the end becomes a world */
    const char *name; /* and has this name; NULL: none */
    /* An exported journal (SOSIA_JOURNAL_JSONL), perhaps of another engine: its entries run on the
     * state that this world resets to, which must be the one they began in (made of the same
     * documents, or of a dump of then). NULL: the world's own. journal_name: of the file, in
     * messages; NULL: none. */
    const char *journal, *journal_name;
    size_t journal_len;
};
/* Runs a world's journal again beside the world, which it does not change, and compares each entry
 * with what comes: a report (JSON) with "equal", "ran", "differences" (of each the entry's "seq",
 * "what" differs, "recorded" and "came"), "taken" (entries that can't be run, such as those with
 * secrets, and whose state was taken as it is kept), "stopped" (the first one for which that is not
 * possible); of a file "pages": whether the hashes of what was written are the same too, as they
 * are in a world that was made the same way. opt may be NULL. *ret_world (may be NULL): 0 if none
 * is kept. */
SOSIA_API int sosia_journal_replay(struct sosia_engine *engine, uint64_t world,
                                   const struct sosia_replay_options *opt, uint64_t *ret_world,
                                   struct sosia_blob *ret_json, struct sosia_err *err);
/* What would have left the world: mail to addresses outside, notifications. Entries after number
 * `after`, at most `limit` (0: all), oldest first: a JSON array of objects with id, at, kind,
 * from, to and payload; of what goes to a receiver also delivery, with its state (pending, waiting,
 * delivered, given up), attempts, and of the last one status and error. The first entry's number
 * is 1. */
SOSIA_API int sosia_outbox_list(struct sosia_engine *engine, uint64_t world, int64_t after,
                                int limit, struct sosia_blob *ret_json, struct sosia_err *err);
/* Calls fn after each change that put something into a world's outbox; first and last: the numbers
 * of the new entries; both 0: something is due now that will put entries there, when the next call
 * or sosia_world_wake() fires it. It runs on the thread of the change, under the world's lock: it
 * must be quick and must not call the engine. NULL: nobody is notified; when this returns, the
 * function before is not running any more. */
SOSIA_API int sosia_engine_on_outbox(struct sosia_engine *engine,
                                     void (*fn)(void *arg, uint64_t world, int64_t first,
                                                int64_t last),
                                     void *arg);

/* What came back from an attempt to deliver an entry of the outbox that has a "delivery". */
struct sosia_outcome {
    size_t size;       /* rule 7 */
    int status;        /* of the response; 0: none came */
    const char *error; /* why none came; NULL: one did */
    const struct sosia_header *headers;
    size_t n_headers;
    const char *body;
    size_t body_len;
    /* Why none came, in a word that vendors' rules read: "timeout", "connect", "tls", "redirects";
     * NULL: it is not known. */
    const char *reason;
};
/* Says what came of an attempt (from 1) to deliver the entry: the world's journal has it, and the
 * vendor's rules decide whether it is tried again. ret_again_us: when, by the world's clock, 0:
 * not; NULL: not wanted. When that time has come the function of sosia_engine_on_outbox() is called
 * for the entry once more. NOT_FOUND "deliveryNotFound": no such attempt is to be made. */
SOSIA_EXPERIMENTAL int sosia_delivery_outcome(struct sosia_engine *engine, uint64_t world,
                                              int64_t entry, int64_t attempt,
                                              const struct sosia_outcome *outcome,
                                              int64_t *ret_again_us, struct sosia_err *err);
/* For callers of sosia_call() whose call needs a receiver's response before it can be answered (a
 * subscription's handshake): fn is given the entry as sosia_outbox_list() lists it and fills the
 * outcome, whose strings must last until it is called again. It runs on the caller's thread without
 * any lock. NULL (the default): the world's setting decides, "handshakes" of its seed document:
 * refused, or accepted as a receiver would that agrees. Set it before calls are made. */
SOSIA_EXPERIMENTAL int
sosia_engine_on_handshake(struct sosia_engine *engine,
                          void (*fn)(void *arg, uint64_t world, int64_t entry, const char *json,
                                     size_t len, struct sosia_outcome *ret_outcome),
                          void *arg);
/* The first and last entry that is to be delivered now: 1; 0: there is none; -1. What a fork has
 * from its parent is not its own. */
SOSIA_EXPERIMENTAL int sosia_delivery_pending(struct sosia_engine *engine, uint64_t world,
                                              int64_t *ret_first, int64_t *ret_last,
                                              struct sosia_err *err);
/* Fires what is due by the world's clock, as the next call would. */
SOSIA_API int sosia_world_wake(struct sosia_engine *engine, uint64_t world, struct sosia_err *err);

/* ---- sessions ---- */

/* A connection on which a program and a service send frames to each other, as a WebSocket carries
 * them. It is not a part of its world: a fork has none, and it ends when its world is reset or
 * dropped. */
struct sosia_session;

/* What an engine does with a session's connection; from any thread, under a lock: both must be
 * quick and must not call the engine. Not called any more when sosia_session_close() returns. */
struct sosia_session_calls {
    size_t size; /* rule 7 */
    /* A frame for the client, UTF-8, borrowed; NUL-terminated behind len. */
    void (*send)(void *arg, const char *data, size_t len);
    /* The service ends the session, with a close code of RFC 6455 and a reason, borrowed; behind
     * it nothing is sent. The caller still calls sosia_session_close(). */
    void (*close)(void *arg, int code, const char *reason);
};

/* Serves a request that asks for a session, as sosia_call() does. The service decides: ret_response
 * has status 101 and the headers of its agreement (Sec-WebSocket-Protocol, if the request has one
 * that it speaks), and ret_session the session; or it is any other answer, and ret_session NULL. A
 * frame may be sent before this returns. Both are the caller's. */
SOSIA_EXPERIMENTAL int sosia_session_open(struct sosia_engine *engine, uint64_t world,
                                          const struct sosia_request *request,
                                          const struct sosia_session_calls *calls, void *arg,
                                          struct sosia_session **ret_session,
                                          struct sosia_response **ret_response,
                                          struct sosia_err *err);
/* How many are open, in all worlds. */
SOSIA_EXPERIMENTAL uint64_t sosia_session_total(struct sosia_engine *engine);
/* The client has sent a message. A session's are given one by one. -1: the session has ended, or
 * does so for it: close() has been called or is about to be. */
SOSIA_EXPERIMENTAL int sosia_session_frame(struct sosia_session *session, const char *data,
                                           size_t len, bool binary, struct sosia_err *err);
/* How long a message from the client may be, in bytes. */
SOSIA_EXPERIMENTAL size_t sosia_session_max_frame(const struct sosia_session *session);
/* The connection has ended, with a close code (1006: without one); what it was sent and has not
 * acknowledged is sent to another one. Frees the session; NULL: nothing to do. */
SOSIA_EXPERIMENTAL int sosia_session_close(struct sosia_session *session, int code);

SOSIA_API const char *sosia_version(void);        /* of the library */
SOSIA_API const char *sosia_tzdata_version(void); /* of the time zones compiled in */

#ifdef __cplusplus
}
#endif
#endif
