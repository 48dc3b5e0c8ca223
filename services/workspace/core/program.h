/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that run on a world's workspace. A handler asks for one as for any other value:
 *
 *     int r = program_run(c, &spec, &outcome);
 *     return r == 1 ? answer(c, &outcome) : r;
 *
 * The first time it gives 0, and the handler returns with nothing written: the call is suspended,
 * and committed with what it has done so far. The program runs elsewhere, on a copy of the files,
 * with nothing locked. Then the handler runs again, the files that the program changed have been
 * written back, in its transaction, and program_run() gives 1. So a handler must do before
 * program_run() only what may be done twice. Its row has PACE_SLOW (struct route).
 *
 * The outcome is in the journal, with the files: a replay runs no program. Where no server keeps
 * programs in, or the machine can't, program_run() fails and says what is lacking.
 *
 * Other callers of worlds (the hosted API, E2B's protocol, checker programs of suites) take the row
 * "programs.run", PROGRAM_PATH, by sosia_call() or call_part(): its body and its answer have the
 * members below by these names in camelCase (docs/workspace.md).
 */
#ifndef SOSIA_WORKSPACE_PROGRAM_H
#define SOSIA_WORKSPACE_PROGRAM_H

#include "engine/http/call.h"
#include "services/workspace/core/setting.h"

#define PROGRAM_PATH      "/workspace/v1/programs/run"
#define PROGRAM_PROCESSES "+processes" /* which no server that is carried can be called */

enum {
    PROGRAM_ARGUMENTS = 1024, /* and names in the environment: 200 */
    PROGRAM_VARIABLES = 200,
    PROGRAM_SECONDS = 3600,      /* the longest time */
    PROGRAM_USUAL_MS = 60000,    /* where none is said */
    PROGRAM_USUAL_KEEP = 65536,  /* bytes of each stream that are kept, where none are said */
    PROGRAM_MOST_KEEP = 16 << 20 /* the most */
};
#define PROGRAM_TEXT    ((size_t)96 << 10)   /* bytes of arguments and environment together */
#define PROGRAM_INPUT   ((size_t)64 << 20)   /* of the standard input */
#define PROGRAM_CHANGED ((int64_t)128 << 20) /* of files that one program changes */

struct program_spec {
    const char *const *argv;        /* NULL ends it; argv[0] is looked for in PATH */
    const char *const *environment; /* "NAME=VALUE" over the usual ones; NULL ends it; NULL: none */
    const char *directory;          /* NULL: WORKSPACE_ROOT */
    const char *input;              /* the standard input, input_len bytes */
    size_t input_len;
    int64_t timeout_ms;  /* of the real clock; 0: PROGRAM_USUAL_MS */
    size_t keep;         /* bytes of each stream; 0: PROGRAM_USUAL_KEEP */
    bool home;           /* the workspace is the home directory as well */
    const char *carried; /* name of a server (sandbox/carried.h) that is asked for a tool in the
                            place of argv; the input: what it is asked, and its answer is the
                            output; NULL: a program. PROGRAM_PROCESSES with "home", where home
                            is set: processes that go on between calls (sandbox/processes.h) */
    /* Of the world's settings: program_run() fills them. */
    struct workspace_limits limits;
    const char *git; /* configuration of git */
    struct program_services services;
    int64_t number; /* of program_mark(); 0: none was asked for */
};

struct program_stream {
    const char *data; /* len bytes and a NUL */
    size_t len;
    int64_t total; /* that were written, kept or not */
};

struct program_outcome {
    int status; /* the exit status, 128 and a signal's number, 126 and 127 as of a shell */
    bool timed_out, flooded;
    struct program_stream out, err;
    int64_t wall_us, cpu_us;    /* how long it took */
    int64_t changed, removed;   /* nodes that were written back, and that went */
    const struct json *refused; /* names of what can't be a node: sockets, devices; NULL: none */
};

/* Eight hexadecimal digits that are this program's own, the same before and after it has run: for
 * names of files. 0, -1. */
int program_mark(struct call *c, struct program_spec *spec, char ret[9]);
/* 1: it has run; 0: it will, and the handler returns 0; -1: the call has failed. */
int program_run(struct call *c, const struct program_spec *spec, struct program_outcome *ret);

/* Whether a spec keeps to the bounds above: 0, -1 INVALID, TOO_LARGE. program_run() asks itself. */
int program_check(struct tx *tx, const struct program_spec *spec);
/* Both lists of "NAME=VALUE" as one, NULL at its end; either may be NULL. The last variable of a
 * name counts, and those before it are left out, since readers differ in which they take. NULL: no
 * memory. */
const char *const *program_variables(struct arena *a, const char *const *list,
                                     const char *const *more);

/* Writes a member with bytes: as a text where they are one, else in base64 under the second name.
 */
void program_put_bytes(struct json_writer *w, const char *text, const char *coded, const char *data,
                       size_t n);

/* ---- for those who run them (engine/send/program.h) ---- */

/* Puts one down that no call waits for: program_perform() then runs the one of spec->number. 0, -1.
 */
int program_prepare(struct tx *tx, struct program_spec *spec);

/* A spec from its text; all of it in the arena. 0, -1. */
int program_read(struct arena *a, const char *text, size_t len, struct program_spec *ret,
                 struct sosia_err *err);

/* An outcome's text, which becomes the body: begins with what came of the program, then have all
 * that changed by program_changed(), in the order of their paths, then program_removed() of what is
 * not there any more, then of what was refused, and program_written(). a: for what is between. */
struct program_writing {
    struct buf *out;
    struct arena *arena;
    struct json_writer w;
    int list;
};
void program_write(struct program_writing *p, struct buf *out, struct arena *a,
                   const struct program_outcome *o);
/* n->blob and id are not looked at. */
int program_changed(struct program_writing *p, const struct workspace_node *n, const char *data,
                    size_t len);
void program_removed(struct program_writing *p, const char *path);
void program_refused(struct program_writing *p, const char *path);
/* What the guard says of a world beside (engine/world/guard.h), as a JSON object: behind the lists.
 */
void program_beside(struct program_writing *p, const char *text, size_t len);
void program_written(struct program_writing *p);

#endif
