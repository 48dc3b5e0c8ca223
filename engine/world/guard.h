/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules on calls, as far as those who serve calls have to know them: guard/ fills the record. It is
 * asked of a world whose rows have such rules, for each call of a vendor's method, whichever way it
 * came; of others nothing is asked. Its tables are a core's like others, without entities, so that
 * forks and snapshots have them and neither dump, hash nor diff does.
 */
#ifndef SOSIA_WORLD_GUARD_H
#define SOSIA_WORLD_GUARD_H

#include <stdbool.h>
#include <stdint.h>

struct call;
struct dialect;
struct json;
struct json_writer;
struct route;
struct sosia_engine;
struct sosia_err;
struct tx;
struct worker;
struct world;
struct guard_state; /* what guard/ keeps of a world beside its rows */

/* What a world's rows have for the guard (struct world). */
enum world_guard {
    GUARD_UNKNOWN, /* they were not looked at since they were put there by other hands */
    GUARD_NONE,
    GUARD_ON
};

/* A question to a person on a call that is held, as their client is asked it (mcp/approve.h). */
struct guard_question {
    const char *action; /* its name */
    const char *shown;  /* hash of what it says the call would do */
    const char *text;   /* for a person to read */
};
/* Who is asked. */
struct guard_asked {
    int64_t actor, app;
    const char *action; /* about this one; NULL: all that are theirs to decide */
    bool own;           /* about their own call, where a policy lets their client be asked */
    void (*fn)(void *arg, const struct guard_question *q); /* of each; texts are there until then */
    void *arg;
};
/* What a client has answered. */
struct guard_decision {
    const char *action, *shown; /* as the question had them */
    const char *by;             /* whose client it is: a handle */
    const char *comment;        /* NULL: none */
    bool approves, own;
};

struct guard {
    /* Looks at the rows of the transaction's world, and sets its guard and its state
     * (world_extra). 0, -1: they can't be read, and no call is served. */
    int (*load)(struct tx *tx);
    /* For forks: what the new world begins with. NULL without memory: it is loaded anew. */
    struct guard_state *(*copy)(const struct guard_state *s);
    void (*free)(struct guard_state *s);

    /* The caller is known, arguments and body are read and may be changed, nothing is done. 0: goes
     * on; 1: the answer is written, the handler is not asked and nothing is kept of the call but
     * its entry; -1: refused, tx->err says how. Whatever is to be known of the call afterwards is
     * put into c->judged; without that none of the functions below is asked of it. */
    int (*before)(struct call *c);
    /* Before asked for it (c->redo), and nothing is done: outside of the transaction, with the
     * world locked. The call begins anew then. 0, -1: it fails. NULL: it never asks. */
    int (*between)(struct call *c);
    /* The handler has succeeded: what it did can be seen in the transaction, inside the savepoint.
     * 0: it stays, unless c->tried is set: then the answer is given and all is undone; -1: refused,
     * and undone. Of a call that waits for an outcome once more for its second half. */
    int (*after)(struct call *c);
    /* The answer is written, in the vendor's form, and may be changed. 0, -1. */
    int (*answered)(struct call *c);
    /* What a call that writes has done is undone, or refused before: rows that stay can be written.
     * 0, -1: nothing of the transaction stays. */
    int (*undone)(struct call *c);
    /* The call is over: its entry is in the journal, what it did is committed, its answer was not
     * given out yet. NULL: nothing. */
    void (*end)(struct call *c);
    /* Members of its entry. */
    void (*write)(const struct call *c, struct json_writer *w);
    /* What c->judged has outside of the arena. */
    void (*release)(struct call *c);

    /* What was asked in a world beside another one (world_is_beside()), counted in it
     * and read, since its state was `before` (copy(); NULL: there was none) and behind that entry
     * of its journal: a JSON object, which is given to a second half with the outcome of the
     * program that has asked (call.ran). In a transaction that reads. 0, -1. */
    int (*beside)(struct tx *tx, const struct guard_state *before, int64_t entry,
                  struct json_writer *w);

    /* Of a method that is served outside of a transaction and makes calls of its own, with its
     * caller known, in a transaction that is over soon: for shows(). 0, -1. */
    int (*outside)(struct call *c);
    /* Whether a list of methods may have this one, by that tool (NULL: none). */
    bool (*shows)(const struct call *c, const struct dialect *d, const struct route *route,
                  const char *tool);
    /* The name that a tool has in the world; back: the tool that has this name, NULL: none has. */
    const char *(*tool_name)(const struct call *c, const char *name, bool back);

    /* Of the same method: whether it has tools that draft a call, ask for its approval and commit
     * it (mcp/staged.h). NULL: it has none. */
    bool (*staged)(const struct call *c);
    /* The call that the caller has drafted under this name, as a request: JSON in the arena, with
     * "tool", "verb", "target", "host", "type", "body"; NULL: there is none, or it is somebody
     * else's. In a transaction that reads. 0, -1. */
    int (*drafted)(struct tx *tx, const struct guard_asked *who, const char **ret);
    /* What somebody may be asked on a session of the Model Context Protocol: at most 32 questions,
     * in a transaction that reads. 0, -1. NULL: nothing is. */
    int (*questions)(struct tx *tx, const struct guard_asked *who);
    /* Decides as was answered, on a world that is not locked. 0; -1: it is not theirs, it would do
     * something else by now, it was decided, or its time is over. */
    int (*decide)(struct sosia_engine *e, uint64_t world, const struct guard_decision *d,
                  struct sosia_err *err);

    /* What was done to the rules runs again, as the journal's entry has it ("control"), on a locked
     * world. 0, -1. */
    int (*again)(struct sosia_engine *e, struct world *w, struct worker *k,
                 const struct json *control, struct sosia_err *err);
};

/* A locked world has other rows now: they are looked at before the next call, and what is kept
 * beside them is replaced then. */
void guard_forget(struct world *w);
/* The same where an earlier state is there again, of which this is known (enum world_guard): where
 * it had no rules nobody needs to look, nor do forks of the world. */
void guard_went_back(struct sosia_engine *e, struct world *w, uint8_t known);
/* A fork of a locked world begins as that is. */
void guard_copy(struct sosia_engine *e, struct world *to, const struct world *from);
/* At the end of a world. */
void guard_free(struct sosia_engine *e, struct world *w);
/* Looks at the rows if that was not done. 0, -1. */
int guard_learn(struct tx *tx);

#endif
