/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal: what happened in a world, call by call, enough to audit, replay and grade it. It is
 * an append-only log beside the pages: an entry costs its bytes and no page, a fork starts with an
 * empty one, a reset discards it, and dump, diff and state hash never see it. Entries are JSON
 * texts; an entry's number is its place, from 1.
 */
#ifndef SOSIA_WORLD_JOURNAL_H
#define SOSIA_WORLD_JOURNAL_H

#include "engine/json/json.h"
#include <stdint.h>

struct journal_chunk;

struct journal {
    struct journal_chunk *first, *last;
    int64_t n; /* entries */
    uint64_t bytes;
    uint64_t counted;    /* of them, against the store's limit */
    uint64_t generation; /* goes up when the journal is cleared */
    struct journal_chunk
        *marked; /* what lies behind this place is fresh: not yet given to the durable store */
    uint32_t marked_at;
};

/* Bodies longer than this are kept as their length and hash. */
#define JOURNAL_BODY_MAX (64 * 1024)

/* Appends an entry; -1 without memory. The text is copied. */
int journal_append(struct journal *j, const char *entry, size_t len);
void journal_clear(struct journal *j);
/* Forgets the entries behind the first n. */
void journal_truncate(struct journal *j, int64_t n);
/* Bytes of the entries that came since the last journal_mark(), each as uint32_t length and text;
 * copied to `to` if that is not NULL. */
size_t journal_fresh(const struct journal *j, char *to);
void journal_mark(struct journal *j);
/* Appends entries in the form of journal_fresh(); -1 without memory or if the bytes are not well
 * formed. */
int journal_append_packed(struct journal *j, const char *data, size_t len);
/* Calls fn for entries after `after`, at most limit of them. */
int journal_each(const struct journal *j, int64_t after, int64_t limit,
                 int (*fn)(void *arg, int64_t seq, const char *entry, size_t len), void *arg);

/* A member with a body: a string, base64 if it is not UTF-8, or length and hash if it is long. Of
 * one that holds credentials, the length only. */
void journal_body(struct json_writer *w, const char *name, const char *data, size_t len,
                  bool secret);
/* A member with the length of something and its hash, which is of that kind. */
void journal_digest(struct json_writer *w, const char *name, int64_t len, const char *kind,
                    const uint8_t *bytes, size_t n);

#endif
