/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of suites over diffs that are given as documents. */
#ifndef SOSIA_TESTS_VERDICT_H
#define SOSIA_TESTS_VERDICT_H

#include "tests/support/answer.h"
#include "sosia.h"

static struct sosia_err err; /* of the last suite that is refused */

static inline int verdict_open(void **state)
{
    (void)state;
    arena_init(&test_arena, 0);
    return 0;
}

static inline int verdict_close(void **state)
{
    (void)state;
    arena_done(&test_arena);
    return 0;
}

/* The result of a suite for a diff; both with ' for ". Fails the test if it can't be read. */
static inline const struct json *grade(const char *suite_text, const char *diff)
{
    struct sosia_suite *suite;
    struct sosia_blob blob, again;
    const char *text = quoted(suite_text);
    if (sosia_suite_open_rows(text, strlen(text), "test.json", &suite, &err) < 0)
        fail_msg("%s", err.text);
    text = quoted(diff);
    if (sosia_grade_rows(suite, NULL, text, strlen(text), &blob, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(sosia_grade_rows(suite, NULL, text, strlen(text), &again, &err), 0);
    assert_string_equal(blob.data, again.data);
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    sosia_blob_free(&again);
    sosia_suite_close(suite);
    return v;
}

#endif
