/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HAR 1.2, the form in which browsers and other tools keep traffic. A file that is read is hostile:
 * sizes and nesting are limited, and what is missing or wrong is named with its path. What the form
 * has no place for is in members that begin with "_", as it allows, so that what is written can be
 * read again without loss.
 */
#ifndef SOSIA_CONFORMANCE_HAR_H
#define SOSIA_CONFORMANCE_HAR_H

#include "conformance/report/result.h"
#include "conformance/record/wire.h"

#define HAR_SIZE_MAX ((size_t)512 << 20)

struct har_options {
    const char *const *hosts; /* only exchanges with these: "api.acme.example", "*.example" */
    size_t n_hosts;           /* 0: all, of which there may be one only */
};

struct har {
    struct wire *list; /* in the order of the file, numbered */
    size_t n;
    const struct json *cassette; /* that it was written from; NULL: from none */
    struct buf notes;            /* what was left out, a line for each */
    struct arena arena;
};

/* Reads a file's text. file: for messages, which begin "FILE:LINE: log.entries[3]...: ". */
int har_parse(const char *file, const char *text, size_t len, const struct har_options *o,
              struct har **ret_har, struct sosia_err *err);
void har_free(struct har *h);

/* Writes exchanges; ends with a newline. title: of the page that they belong to. cassette: JSON
 * that is put in whole; NULL: none. */
void har_write(struct buf *out, const struct wire *list, size_t n, const char *title,
               const char *cassette);

/* The exchanges of a cassette: as they were in a replay, or (answers NULL) as they are written,
 * with their patterns. Texts live in a. origin: where they are said to have been sent. */
int har_of_cassette(struct arena *a, const struct cassette *c, const struct scenario *answers,
                    const char *origin, struct wire **ret_list, size_t *ret_n,
                    struct sosia_err *err);

#endif
