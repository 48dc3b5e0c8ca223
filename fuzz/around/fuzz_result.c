/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the result of a replay: refused with its name, or one of which every report can be
 * made, and that reads as the same when it is written. */
#include "conformance/report/compare.h"
#include "conformance/report/report.h"
#include "fuzz/fuzz.h"
#include <string.h>

static void report_all(const struct result *r)
{
    const struct report report = {"t", &r, 1, "a", "b"};
    struct buf b;
    buf_init(&b, 0);
    report_text(&report, false, &b);
    report_json(&report, &b);
    report_html(&report, &b);
    report_junit(&report, &b);
    CHECK(!buf_failed(&b));
    buf_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    struct result *r, *again, *both;
    struct buf first, second;
    if (size > 65536)
        return 0;
    if (result_parse("r.json", (const char *)data, size, &r, &err) < 0) {
        CHECK(err.text[0]);
        return 0;
    }
    report_all(r);
    buf_init(&first, 0);
    buf_init(&second, 0);
    result_write(r, &first);
    CHECK(result_parse("r.json", first.data, first.len, &again, &err) == 0);
    result_write(again, &second);
    CHECK(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    CHECK(compare_results(r, again, true, &both, &err) == 0);
    report_all(both);
    result_free(both);
    result_free(again);
    result_free(r);
    buf_done(&first);
    buf_done(&second);
    return 0;
}
