/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two answers to the same questions, held against each other: what the real service said on one day
 * and sosia, or the real service, on another. The outcome is a result, so that all reports can be
 * made of it; "expected" in it is the first, "got" the second.
 */
#ifndef SOSIA_CONFORMANCE_COMPARE_H
#define SOSIA_CONFORMANCE_COMPARE_H

#include "conformance/report/result.h"

/* Compares the answers of two replays of the same cassettes. A value that a matcher took in one of
 * them may differ, but not its form and type; headers that name times, tags and places need only be
 * there in both. order: the order of members counts. */
int compare_results(const struct result *a, const struct result *b, bool order,
                    struct result **ret_result, struct sosia_err *err);

/* Compares what two sets of cassettes expect, such as recordings of two days. Paths as in
 * cassette_each(). */
int compare_cassettes(const char *a, const char *b, bool order, struct result **ret_result,
                      struct sosia_err *err);

#endif
