/* SPDX-License-Identifier: Apache-2.0 */
/* Resumable uploads under way: rows of the world. Between the files of vendors/google only. */
#ifndef SOSIA_GOOGLE_UPLOAD_H
#define SOSIA_GOOGLE_UPLOAD_H

#include "engine/http/call.h"

#define UPLOAD_GRANULE 262144 /* bytes; every chunk but the last has as many or more */

struct upload {
    int64_t id, actor, app;   /* whose token began it; app 0: no app's */
    const char *key;          /* upload_id */
    const char *scopes;       /* names, separated by spaces */
    const char *path, *query; /* raw; of the request that began it */
    const char *metadata;     /* JSON; "": none */
    const char *type;         /* of the media; NULL: not said */
    int64_t total;            /* bytes; -1: not said */
    int64_t size;             /* bytes that have come */
    int64_t blob;             /* with them; 0: none yet */
    int status;               /* of the answer; 0: not finished */
    const char *answer;
    size_t answer_len;
};

/* 1 found, 0 there is none. */
int upload_find(struct tx *tx, const char *key, struct upload *ret);
/* Fills id; it ends a week from now. */
int upload_create(struct tx *tx, struct upload *up);
int upload_total(struct tx *tx, struct upload *up, int64_t total);
/* Adds n bytes, from `at` on, behind those that have come. */
int upload_append(struct tx *tx, struct upload *up, const struct bytes *b, int64_t at, int64_t n);
/* No more come: up->blob can be read. digests: as blob_writer_begin(). */
int upload_close(struct tx *tx, struct upload *up, unsigned digests);
/* Lets the bytes go and keeps the answer. */
int upload_finish(struct tx *tx, const struct upload *up, int status, const char *answer,
                  size_t len);
int upload_drop(struct tx *tx, int64_t id);
#define UPLOAD_DUE "upload" /* kind of what falls due; then it is dropped */

/* "bytes 0-99/100", "bytes 0-99" and a slash and a star, or a star in the place of the range. */
struct content_range {
    int64_t first, last; /* -1: a star */
    int64_t total;       /* -1: a star */
};
/* For an imported world: sessions refer to what has come. */
int uploads_derive(struct tx *tx);

int content_range_parse(const char *text, struct content_range *ret);

/* For vendor.c. Finds what a request on a path for media goes on with; then the vendor's upload. */
int google_upload_begin(struct call *c);
int google_upload(struct call *c);
extern const char *const google_upload_prefixes[];

#endif
