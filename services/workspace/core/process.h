/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of a world that go on between calls: what sandbox/processes.h asks and answers, for
 * handlers. A call asks once; its answer is in the journal, and a replay has no process.
 */
#ifndef SOSIA_WORKSPACE_PROCESS_H
#define SOSIA_WORKSPACE_PROCESS_H

#include "services/workspace/core/program.h"

enum { PROCESS_OUT, PROCESS_ERR, PROCESS_STREAMS };
#define PROCESS_PLACE_MAX (INT64_C(1) << 53) /* of a place in what a process has written */

struct process_part {
    const char *data; /* len bytes and a NUL */
    size_t len;
    int64_t from; /* of all that the process has written: from 0 to PROCESS_PLACE_MAX */
    bool more;    /* there is more behind it already */
};

struct process_answer {
    const struct json *text; /* all of it */
    const char *error;       /* "notFound": there is no such process; else in words; NULL: none */
    int64_t pid, ms;         /* ms: how long it has been running */
    bool ended;              /* the error is that all processes were ended meanwhile */
    bool running, prompt, timed_out;
    int status, signal; /* where it is not running; signal 0: none has ended it */
    struct process_part parts[PROCESS_STREAMS];
};

/* Whether processes were ever started here: where they were not, nobody needs to be asked for one,
 * with a server that keeps programs in or without. 1, 0, -1. */
int process_any(struct call *c);
/* They will be. 0, -1. */
int process_first(struct call *c);
/* Asks. request: an object's text as sandbox/processes.h has it; ms: how long it may wait; home:
 * the workspace is the home directory of these; environment: of one that is started, or NULL. As
 * program_run(). */
int process_ask(struct call *c, struct buf *request, int64_t ms, bool home,
                const char *const *environment, struct process_answer *ret);

/* How long one may go on, in ms, that was asked to go on for so long: as the world's setting has
 * it; 0: without an end. -1. */
int64_t process_life(struct call *c, int64_t ms);

#endif
