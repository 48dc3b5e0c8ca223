/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault: trouble that a call gets into because its world has it so (guard/). Those that a
 * service answers are written by its vendor (struct front, fault), the others are the door's: what
 * becomes of the answer on its way, of the clock, of the state that a call reads.
 */
#ifndef SOSIA_HTTP_FAULT_H
#define SOSIA_HTTP_FAULT_H

#include "sosia.h"
#include <stdbool.h>
#include <stdint.h>

struct call;
struct json;
struct json_writer;

enum fault_kind {
    FAULT_RATE,      /* too many calls at the moment */
    FAULT_QUOTA,     /* as many as there may be for long */
    FAULT_SERVER,    /* 500, 502, 503 or 504 by `status` */
    FAULT_REVOKED,   /* the token is not taken any more */
    FAULT_ACCESS,    /* the caller has no access any more */
    FAULT_SYNC,      /* the sync token that the call gives is too old */
    FAULT_PAGE,      /* so is its page token */
    FAULT_MISSING,   /* there is no such method */
    FAULT_TIMEOUT,   /* nothing is done, and no answer comes */
    FAULT_RESET,     /* nothing is done, and the connection ends */
    FAULT_TRUNCATED, /* the connection ends within the answer */
    FAULT_MALFORMED, /* the answer is half of what it should be, and well framed */
    FAULT_LOST,      /* all is done, and the answer is lost as `lost` says */
    FAULT_SLOW,      /* it takes `delay_ms`, and is served */
    FAULT_STALE,     /* it reads an earlier state */
    FAULT_TWICE,     /* what it sends to receivers is sent twice */
    FAULT_ARRIVES,   /* before it a seed document is applied */
    FAULT_RENAMED,   /* a tool has another name: of lists and of whoever looks for one, not of calls
                      */
    N_FAULTS
};
/* In that order; NULL-terminated. */
extern const char *const fault_names[];

/* How an answer is lost. */
enum fault_lost { LOST_RESET, LOST_TIMEOUT, LOST_ERROR };
extern const char *const fault_losses[];

#define FAULT_WAIT_MAX 86400 /* seconds of a delay, and until another try */

struct fault {
    enum fault_kind kind;
    enum fault_lost lost;
    const char *rule; /* its name, for the journal */
    int status;       /* of the answer; 0: the vendor's usual one */
    int64_t retry_s;  /* when it may be tried again, in seconds; 0: the vendor's usual */
    int64_t delay_ms;
    bool real;            /* the delay is of real time; else of the world's clock */
    const char *document; /* of FAULT_ARRIVES */
    const char *to;       /* of FAULT_RENAMED: the name */
};

/* Before the handler: 0; -1: the call has failed as the fault says. 1: the call is none that can
 * have the fault. */
int fault_begin(struct call *c, const struct fault *f);
/* A call that runs again has the fault, the stop and the note that its entry has: as fault_begin(),
 * but for 1. */
int fault_again(struct call *c);
/* A budget has stopped the call: it is refused as who has no access is, and says why (JSON, in the
 * arena) in a header and in the journal. Gives -1. */
int fault_stop(struct call *c, const char *stop);
/* The answer of a call that is over, what it did is in the world. */
void fault_end(struct call *c);

/* In the journal's entry: fault, stop and note, of those that there are. */
void fault_write(struct json_writer *w, const struct call *c);

#endif
