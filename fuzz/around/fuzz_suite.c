/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a suite: refused with a place in it, or graded on a diff, twice with the same
 * result. */
#include "sosia.h"
#include "fuzz/fuzz.h"
#include <string.h>

static const char diff[] =
    "{\"inserts\":[{\"__table__\":\"message\",\"id\":\"m1\",\"to\":[\"bob@acme.example\"],\"text\":"
    "\"See e1 at 10:00\"},{\"__table__\":\"event\",\"id\":\"e1\",\"start\":{\"dateTime\":"
    "\"2026-11-24T10:00:00+01:00\"}}],\"deletes\":[{\"__table__\":\"event\",\"id\":\"e2\"}],"
    "\"updates\":[{\"__table__\":\"event\",\"before\":{\"id\":\"e3\",\"n\":1},\"after\":{\"id\":"
    "\"e3\",\"n\":2}}]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    struct sosia_suite *suite;
    struct sosia_blob one, again;
    if (sosia_suite_open((const char *)data, size, "fuzz", &suite, &err) == 0)
        sosia_suite_close(suite);
    if (sosia_suite_open_rows((const char *)data, size, "fuzz", &suite, &err) < 0) {
        CHECK(err.code != SOSIA_E_OK && err.text[0]);
        return 0;
    }
    MUST(sosia_suite_list(suite, &one, &why));
    sosia_blob_free(&one);
    if (sosia_grade_rows(suite, NULL, diff, sizeof diff - 1, &one, &err) == 0) {
        CHECK(sosia_grade_rows(suite, NULL, diff, sizeof diff - 1, &again, &err) == 0);
        CHECK(one.len == again.len && memcmp(one.data, again.data, one.len) == 0);
        sosia_blob_free(&one);
        sosia_blob_free(&again);
    }
    sosia_suite_close(suite);
    return 0;
}
