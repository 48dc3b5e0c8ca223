/* SPDX-License-Identifier: Apache-2.0 */
/* Tool servers of others, which speak the Model Context Protocol in lines on their standard input
 * and output: one of them is started in a session for each call, asked, and ended; or stopped,
 * until the next call of its world. */
#ifndef SOSIA_SANDBOX_CARRIED_H
#define SOSIA_SANDBOX_CARRIED_H

#include "sandbox/sandbox.h"

struct carried {
    const char *name;               /* of its endpoint */
    const char *const *command;     /* NULL ends it */
    const char *const *environment; /* "NAME=VALUE"; NULL ends it */
    const char *const *shown;       /* as of struct sandbox_view */
    int64_t timeout_ms;             /* of a call, its start included; 0: 60 s */
    bool lasts;                     /* it is stopped between calls, and not ended */
};

/* What it says of itself; all of it in the arena. */
struct carried_about {
    const char *server, *version, *tools; /* tools: a list, JSON */
};
/* Asks for it: starts the server in a session. 0; -1: IO, with what it has said instead. */
int carried_ask(struct sandbox_session *s, const struct carried *k, struct arena *a,
                struct carried_about *ret, struct sosia_err *err);
/* Calls a tool. params: the call's, JSON, len bytes. command has who takes connections and the
 * environment. *number: of the last request to one that is stopped in the session; 0: there is
 * none. ret->out is the answer, a message; nothing of it: there was none. As sandbox_run(). */
int carried_call(struct sandbox_session *s, const struct carried *k,
                 const struct sandbox_command *command, const char *params, size_t len,
                 int64_t *number, struct sandbox_outcome *ret, struct sosia_err *err);

#endif
