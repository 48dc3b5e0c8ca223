/* SPDX-License-Identifier: Apache-2.0 */
/* Results as reports: for people, for programs, for CI. */
#ifndef SOSIA_CONFORMANCE_REPORT_H
#define SOSIA_CONFORMANCE_REPORT_H

#include "conformance/report/result.h"

struct report {
    const char *title;
    const struct result *const *results;
    size_t n;
    const char *expected, *got; /* what the two sides of a difference are called */
};

/* Each appends to out; a buffer that fails has failed. quiet: the table without the differences. */
void report_text(const struct report *r, bool quiet, struct buf *out);
void report_json(const struct report *r, struct buf *out);
void report_html(const struct report *r, struct buf *out);
void report_junit(const struct report *r, struct buf *out);

#endif
