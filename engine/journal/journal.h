/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal: what happened in a world, call by call, enough to audit, replay and grade it. It is
 * an append-only log beside the pages: an entry costs its bytes and no page, and dump, diff and
 * state hash never see it. Entries are JSON texts; an entry's number is its place, from 1.
 *
 * A fork goes on from its parent's: what was written until then is frozen, counted, and shared by
 * both (struct journal_past); a reset discards what a world has written of its own. Beside entries
 * are the states that they led to ("steps", engine/journal/steps.h): as many as the world keeps.
 *
 * Both are bounded in bytes, and the oldest go first. Where entries are gone there is a cut: the
 * number of the first one that is left, and the link of the chain before it.
 */
#ifndef SOSIA_JOURNAL_H
#define SOSIA_JOURNAL_H

#include "engine/json/json.h"
#include "engine/journal/chain.h"
#include "engine/journal/steps.h"
#include <stdint.h>

struct journal_chunk;

/* Where entries before this one are gone. */
struct journal_cut {
    int64_t first;            /* number of the first that is there, or comes */
    uint8_t link[CHAIN_LINK]; /* of the chain, before it */
};

/* Entries that several worlds have in common. Never changes; counted. */
struct journal_past;

struct journal {
    struct journal_past *frozen; /* what it has of its own and shares with forks; NULL: nothing */
    struct journal_chunk *first, *last;
    int64_t base; /* number of the last entry before its own */
    int64_t n;    /* number of its last entry */
    uint64_t bytes;
    uint64_t counted;    /* of them, against the store's limit */
    uint64_t generation; /* goes up when the journal is cleared */
    struct journal_chunk
        *marked; /* what lies behind this place is fresh: not yet given to the durable store */
    uint32_t marked_at;
    struct steps steps;      /* of the entries behind the frozen ones */
    struct journal_cut *cut; /* of its own entries, none of which is frozen then; NULL: none */
    /* What there is of the frozen ones that are its own; of steps at most so many. */
    uint64_t frozen_bytes, frozen_step_bytes;
    uint32_t frozen_steps;
};

/* Bodies longer than this are kept as their length and hash, unless all is kept. */
#define JOURNAL_BODY_MAX (64 * 1024)
/* The same of responses to calls that read. */
#define JOURNAL_READ_MAX (1024 * 1024)
/* Bodies longer than this, if all is kept. */
#define JOURNAL_FULL_MAX (16 * 1024 * 1024)

/* What is known of the entry of a call without reading it: kept beside the text, in memory alone.
 */
struct journal_known {
    /* Where the bodies of its request and its response are, as members with the comma before. */
    uint32_t body[2], body_end[2];
    uint16_t status;
    bool call;   /* false: nothing is known of it */
    bool writes; /* its risk is more than read */
};

/* Appends an entry; -1 without memory. The text is copied. */
int journal_append(struct journal *j, const char *entry, size_t len);
/* The same of one of which something is known; NULL: nothing is. */
int journal_append_known(struct journal *j, const char *entry, size_t len,
                         const struct journal_known *known);
/* Forgets its own entries, and their steps. */
void journal_clear(struct journal *j);
/* Forgets the entries behind number n, which is not before the base, and their steps, of which the
 * newest one has its tree. -1 without memory. */
int journal_truncate(struct journal *j, int64_t n);
/* The same where what is kept elsewhere of it has to be written anew: all of it is fresh. */
int journal_rewrite(struct journal *j, int64_t n);
/* Bytes of the entries that came since the last journal_mark(), each as uint32_t length and text;
 * copied to `to` if that is not NULL. */
size_t journal_fresh(const struct journal *j, char *to);
void journal_mark(struct journal *j);
/* Appends entries in the form of journal_fresh(): 0; 1 if the bytes are not well formed; -1 without
 * memory. An entry of no bytes says that those before it are the past: calls past(arg), NULL:
 * nobody. */
int journal_append_packed(struct journal *j, const char *data, size_t len, int (*past)(void *arg),
                          void *arg);
/* Calls fn for its own entries after `after`, at most limit of them, until it gives non-zero, and
 * gives that. */
int journal_each(const struct journal *j, int64_t after, int64_t limit,
                 int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg);
/* The same of all entries up to number `last`. j: may be NULL. */
int journal_each_of(const struct journal_past *past, const struct journal *j, int64_t after,
                    int64_t last, int64_t limit,
                    int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg);

typedef int journal_known_fn(void *arg, int64_t seq, const char *entry, size_t len,
                             const struct journal_known *known);
/* The same with what is known of each. */
int journal_each_known(const struct journal_past *past, const struct journal *j, int64_t after,
                       int64_t last, int64_t limit, journal_known_fn *fn, void *arg);

/* Keeps a step of its last entry. The tree is taken over; what leads from it to the step before is
 * kept in the place of that one's tree. Without memory there is one step less. */
void journal_keep_step(struct journal *j, struct step *step);
/* So many bytes of its newest step's state were replaced: from now on that step holds them, if it
 * has a tree. */
void journal_replaced(struct journal *j, uint64_t bytes);
/* Lets go of the oldest steps, until there are at most so many, and hold so many bytes. */
void journal_trim_steps(struct journal *j, uint32_t most, uint64_t bytes);
uint64_t journal_step_bytes(const struct journal *j);
/* The latest step at or before an entry, of the journal and its past; begin: of its first own
 * entry. False: none is known; else step_done(). The newest one has its tree (steps_settle()). */
bool journal_find_step(const struct journal_past *past, const struct journal *j,
                       const struct step *begin, int64_t seq, struct step *ret);
/* The first entry from number seq on of which a step is kept. False: there is none. */
bool journal_next_step(const struct journal_past *past, int64_t seq, int64_t *ret);
/* Calls fn for each step that is kept of its own entries, those before forks included, oldest
 * first. -1 without memory, and fn was not called. */
int journal_each_step(const struct journal *j, void (*fn)(void *arg, const struct step *step),
                      void *arg);

/* ---- what is gone ---- */

/* Bytes of its own entries, frozen ones included. */
uint64_t journal_size(const struct journal *j);
/* Lets go of its oldest entries until so many bytes are left, or one chunk of them; all of it is
 * fresh then. -1 without memory: nothing has changed. */
int journal_cut_oldest(struct journal *j, const struct journal_past *past, uint64_t keep);
/* Where the entries of a journal and its past begin; NULL: with the first. */
const struct journal_cut *journal_cut_of(const struct journal_past *past, const struct journal *j);
/* The number of the first entry that is there, or comes. */
int64_t journal_first(const struct journal_past *past, const struct journal *j);
/* An empty journal begins with such a cut. -1 without memory. */
int journal_begin_cut(struct journal *j, const struct journal_cut *cut);
/* Entries behind number `after` up to `last`, or those of them that there are, at the end of an
 * empty journal whose last number is `after`. -1 without memory. */
int journal_copy(const struct journal_past *past, const struct journal *from, int64_t after,
                 int64_t last, struct journal *to);
/* A cut in the form of journal_fresh(). */
#define JOURNAL_PACKED_CUT (sizeof(uint32_t) + 1 + sizeof(int64_t) + CHAIN_LINK)
void journal_pack_cut(const struct journal_cut *cut, char to[JOURNAL_PACKED_CUT]);

/* ---- what is shared ---- */

/* All entries so far as what a fork's journal goes on from: a reference, NULL if there are none.
 * *ret -1: no memory. begin: the world's state before the first entry of its own, now: its present
 * one; both are copied. store: bytes are counted there as long as the entries live. */
int journal_freeze(struct journal *j, struct journal_past *past, const struct step *begin,
                   const struct step *now, struct store *store, struct journal_past **ret);
/* The past up to an entry of it: a reference; NULL: seq is 0, or, with *failed, no memory. */
struct journal_past *journal_past_until(struct journal_past *past, int64_t seq, bool *failed);
struct journal_past *journal_past_ref(struct journal_past *p);
void journal_past_unref(struct journal_past *p); /* NULL is fine */
int64_t journal_past_n(const struct journal_past *p);

/* ---- bodies ---- */

enum journal_keep {
    KEEP_REDACTED, /* without credentials; long bodies as their hash */
    KEEP_FULL,
    KEEP_HASHES, /* of bodies, length and hash */
};

extern const char *const journal_keeps[]; /* the words for them; NULL-terminated */

/* Of an entry, the member that says what of it was kept, where that is not what usually is: the
 * world's setting may be another one when it runs again. */
void journal_write_keep(struct json_writer *w, enum journal_keep keep);

/* An entry's last member, if it is there: how long the engine took, in microseconds. It is in those
 * of worlds whose clock follows real time, since nothing else of an entry is by chance, and it is
 * compared with nothing. */
#define JOURNAL_TOOK "took_us"
/* The part of an entry whose members have names of the caller's own: none of them is a body. */
#define JOURNAL_LABELS "labels"

/* A member with a body: a string, base64 if it is not UTF-8, or length and hash if it is long. Of
 * one that holds credentials, the length only, unless all is kept. */
void journal_body(struct json_writer *w, const char *name, const char *data, size_t len,
                  bool secret, enum journal_keep keep);
/* The same with another length than JOURNAL_BODY_MAX. */
void journal_body_up_to(struct json_writer *w, const char *name, const char *data, size_t len,
                        bool secret, enum journal_keep keep, size_t most);
/* A member with the length of something and its hash, which is of that kind. */
void journal_digest(struct json_writer *w, const char *name, int64_t len, const char *kind,
                    const uint8_t *bytes, size_t n);

#endif
