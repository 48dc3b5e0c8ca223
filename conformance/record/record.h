/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording: a directory in which exchanges are put down while they happen, so that whatever ends
 * the recording, what was captured is there.
 *
 *   journal.jsonl   a line of JSON for the recording, then one for each exchange, redacted; each is
 *                   on disk before the client has the whole answer
 *   redacted.jsonl  what was made up (by tag), and every place where something was replaced
 *   key             what makes tags of values, so that a recording that goes on knows them again;
 *                   gone once the recording is finished
 */
#ifndef SOSIA_CONFORMANCE_RECORD_H
#define SOSIA_CONFORMANCE_RECORD_H

#include "conformance/record/redact.h"

struct recording;

struct recording_options {
    const char *dir;
    const char *target; /* where answers come from; NULL: from a file */
    const char *world; /* that the cassette shall start from: a fixture or a file; NULL: not said */
    const char *title; /* of the cassette; NULL: not said */
    unsigned keep;     /* kinds that are not redacted; a recording that goes on keeps its own */
    bool resume;       /* the directory holds a recording that shall go on */
    bool lazy;         /* nobody waits for it to be on disk: what comes is in a file already */
};

/* Makes the directory (which must hold no recording unless resumed) and the files in it. */
int recording_open(const struct recording_options *o, struct recording **ret_recording,
                   struct sosia_err *err);
/* Everything is on disk already. */
void recording_close(struct recording *r);

/* Says who has a token. From any thread, as all below. */
int recording_actor(struct recording *r, const char *email, const char *token,
                    struct sosia_err *err);
/* The number of the next exchange, to be taken when its request comes. */
int64_t recording_number(struct recording *r);
/* Redacts an exchange (in place; new texts in a) and writes it down. */
int recording_add(struct recording *r, struct arena *a, struct wire *e, struct sosia_err *err);
/* What was put down by now, in this run. */
size_t recording_count(struct recording *r);
void recording_redacted(struct recording *r, size_t ret_counts[N_REDACT_KINDS]);

/* ---- reading one ---- */

struct recorded_actor {
    const char *email, *token; /* redacted */
};

struct recorded {
    const char *target, *world, *title; /* NULL: not said */
    struct wire *exchanges;             /* by number */
    size_t n;
    struct recorded_actor *actors;
    size_t n_actors;
    size_t torn; /* bytes of a last line that was not written to its end */
    struct arena arena;
};

/* Reads the journal of a recording: dir, or the journal itself. Faults are named by file and line.
 */
int recorded_load(const char *dir, struct recorded **ret_recorded, struct sosia_err *err);
void recorded_free(struct recorded *r);
/* The recording can't go on from here: the key that equal redacted values are recognised by is
 * destroyed. */
int recording_seal(const char *dir, struct sosia_err *err);

/* Reads a whole file of at most max bytes (0: 1 GiB) into ret. */
int file_read(const char *file, size_t max, struct buf *ret, struct sosia_err *err);
/* Writes a file in one step: what was there is replaced when everything is written. */
int file_write(const char *file, const struct buf *content, struct sosia_err *err);

#endif
