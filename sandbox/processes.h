/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that go on between calls. A program of ours is in their session in the place of one of
 * the system's: it starts them, gives them input, and keeps what they write until it is asked for.
 * Between calls it is stopped with all of them, as a server that is carried and lasts
 * (sandbox/carried.h); a request is a line of JSON, and so is its answer.
 *
 *     {"op": "start", "argv": [..], "directory": "/data", "environment": ["NAME=VALUE"],
 *      "terminal": {"columns": 80, "rows": 24}, "stdin": true, "lastsMs": 60000, "about": any}
 *     {"op": "wait", "pid": 7}
 *     {"op": "input", "pid": 7, "data": base64}   {"op": "close", "pid": 7}
 *     {"op": "signal", "pid": 7, "signal": 9}     {"op": "resize", "pid": 7, "columns", "rows"}
 *     {"op": "list"}     of those that run; with "all": true also of all that these have started
 *     {"op": "kill", "pid": 9, "signal": 15, "ms": 1000}     any of all, and waits for its end
 *
 * "start", "wait" and "input" wait for at most "ms" until the process has ended, or with "until"
 * "output" until it has written more than the bytes "from": [of its output, of its errors], or
 * with "prompt" until it seems to wait for input. Their answer:
 *
 *     {"pid": 7, "out": base64, "err": base64, "from": [0, 0], "running": true, "prompt": true,
 *      "terminal": true}
 *     {"pid": 7, ..., "status": 0, "signal": 9, "timedOut": true, "ms": 12}
 *
 * An "input" whose process takes none says "deaf": true. One with more than there is room for is
 * an error, and nothing of it is written.
 *
 * "most" is how many bytes of a stream the answer may have. "lines" gives the answer a "mark", and
 * moves it on by so many lines of the output: "output" is then waited for behind the mark, wherever
 * "from" is. A "signal" with "thenMs" ends by force what does not end in that time.
 *
 * from: of the bytes that the answer has. Without "from" in the request it is what was given by the
 * last one that had none. {"error": "notFound"} where there is no such process, else a text.
 */
#ifndef SOSIA_SANDBOX_PROCESSES_H
#define SOSIA_SANDBOX_PROCESSES_H

#include "sandbox/sandbox.h"

#define PROCESSES "+processes" /* argv[0] of the order */

enum {
    PROCESSES_RUNNING = 64,       /* at a time */
    PROCESSES_ENDED = 100,        /* that are still known */
    PROCESSES_PART = 1 << 20,     /* bytes of a stream in an answer */
    PROCESSES_UNREAD = 4 << 20,   /* of one that nobody has read: beyond it its writer waits */
    PROCESSES_KEPT = 128 << 20,   /* of all streams: beyond it some of it goes */
    PROCESSES_ABOUT = 6 << 20,    /* bytes of JSON, of what all that run are said to be */
    PROCESSES_INPUT = 4 << 20,    /* bytes that a process has not read of its input */
    PROCESSES_LINE_MAX = 32 << 20 /* of a request */
};

/* In the session, behind its limits; does not come back. environment: of all processes;
 * memory_bytes: what each may have, and this one. */
_Noreturn void processes_main(char *const *environment, int64_t memory_bytes);

/* Makes a request, of len bytes, an object. command has who takes connections, the environment,
 * which becomes that of a process that is started, the time, and nudge. ret->out is the answer;
 * nothing of it: there was none. As sandbox_run(). */
int processes_call(struct sandbox_session *s, const struct sandbox_command *command,
                   const char *request, size_t len, struct sandbox_outcome *ret,
                   struct sosia_err *err);

#endif
