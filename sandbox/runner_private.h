/* SPDX-License-Identifier: Apache-2.0 */
/* What the runner's files share: whose turn it is, programs, and servers that last between calls.
 */
#ifndef SOSIA_SANDBOX_RUNNER_PRIVATE_H
#define SOSIA_SANDBOX_RUNNER_PRIVATE_H

#include "engine/send/program.h"
#include "engine/world/engine.h"
#include "sandbox/bases.h"
#include "sandbox/carried.h"
#include "sandbox/runner.h"
#include "sandbox/sandbox.h"
#include "sandbox/services.h"
#include "sandbox/tree.h"
#include <pthread.h>
#include <time.h>

enum {
    MOST_WAITING = 256,    /* calls whose program has not begun */
    MOST_KEEPERS = 16,     /* one after the other */
    MOST_LASTING = 64,     /* servers that are stopped */
    IDLE_S = 60,           /* until one that nobody uses is ended */
    IDLE_PROCESSES_S = 600 /* and processes of a world */
};

/* A program that waits, runs, or whose outcome is not in the world yet. */
struct job {
    struct job *next;
    uint64_t world, era;
    struct sandbox_session *session; /* that it runs in; NULL: it waits, or has ended */
    bool ended;                      /* nobody wants to know any more what it does */
    bool begun;                      /* it has had its turn */
    int nudge; /* counts jobs that wait for it, where it may be made shorter; 0: it may not */
};

/* A server that is carried and lasts: stopped in its session until the next call of its world. */
struct lasting {
    struct lasting *next;
    uint64_t world, era;
    const struct carried *of;
    struct sandbox_session *session;
    char *setting;          /* of the world, that it was started with */
    int64_t began_us;       /* on the world's clock, when it got its token */
    struct tree_copy files; /* as they were */
    int64_t number;         /* of the last request */
    time_t used;            /* of a clock that goes on */
};

struct runner {
    struct sosia_engine *engine;
    char *program;
    struct sandbox_limits limits;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job *jobs; /* in the order in which they came */
    unsigned running, most;
    size_t waiting;
    struct sandbox *sandboxes[MOST_KEEPERS]; /* the last one is the present one */
    size_t n_sandboxes;                      /* 0: none was needed yet */
    pthread_mutex_t opening;
    pthread_mutex_t serving; /* the next one */
    struct runner_services services;
    const struct carried *carried;
    size_t n_carried;
    const char **shown; /* paths of all of them; NULL ends them */
    struct lasting *lasting;
    size_t n_lasting;
    struct bases bases;
    _Atomic bool no_layers; /* the machine has no directories over others */
    pthread_t reaper;       /* ends what nobody uses */
    bool reaps, closing;
};

/* A program that has its turn. */
struct work {
    struct runner *r;
    struct job *job;
    uint64_t world;
    struct sandbox *sandbox;
    struct arena *arena;
    struct services services;
    int64_t program;
    struct program_spec spec;
    struct tree_copy before;
    struct base *base; /* that the session has; NULL: it has a copy */
    struct sandbox_session *session;
    const struct carried *carried; /* NULL: it is a program */
    struct lasting *lasting;       /* that it goes on with, or leaves behind; NULL: none */
    bool gone;                     /* the world has no such program any more */
    bool held;                   /* it runs beside the world, whose services it asks in `beside` */
    uint64_t beside;             /* where its calls go; 0: into the world */
    int64_t first;               /* its journal's last entry before them */
    struct guard_state *counted; /* what was counted and read there before them; NULL: nothing */
    int64_t now_us;              /* of the world */
};

/* Has a world read, in a transaction. 0, -1. */
int runner_look(struct work *k, uint64_t world,
                int (*fn)(struct tx *tx, struct json_writer *w, void *arg), struct sosia_err *err);

/* ---- beside.c ---- */

/* A fork for what a held program asks of services, where nothing can be changed: nobody has
 * approved of it; and closes it to writers, when the program has its token there. 0, -1. */
int beside_open(struct work *k, struct sosia_err *err);
int beside_seal(struct work *k, struct sosia_err *err);
/* What was asked there, as JSON (struct guard, `beside`). 0, -1. */
int beside_asked(struct work *k, struct sosia_blob *ret, struct sosia_err *err);
/* The world goes; where there is none nothing is done. */
void beside_close(struct work *k);

/* ---- lasting.c ---- */

/* The server of that name, or processes that go on; NULL: there is none. */
const struct carried *runner_carried(const struct runner *r, const char *name);
/* Whether it is those processes. */
bool carried_is_ours(const struct carried *k);
/* The one of this world that its call goes on with, or a new one, into k->lasting; NULL: no memory.
 * No other call can have it now: programs of a world take turns. */
void lasting_find(struct work *k);
/* What is stopped waits for the next call, if all went well; what has ended goes. */
void lasting_keep(struct work *k, bool well);
/* Takes those of a world (0: of all) out of the list, but for those of an era; to be freed without
 * the lock. Under it. */
struct lasting *lasting_take(struct runner *r, uint64_t world, uint64_t but_era);
void lasting_free_all(struct lasting *list);
/* Starts who ends what nobody uses. Under the lock. */
void runner_need_reaper(struct runner *r);

#endif
