/* SPDX-License-Identifier: Apache-2.0 */
/* sosia conformance report */
#include "cli/conformance/conformance.h"
#include <stdio.h>
#include <stdlib.h>

static int run_report(const struct command *self, int argc, char **argv)
{
    struct report_options options = {0};
    struct sosia_err err;
    const struct option_row rows[] = {REPORT_OPTIONS(&options)};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (!n)
        return usage(self, "the arguments must be results, there is none");
    if (!report_options_good(&options))
        return EXIT_USAGE;
    struct result **results = calloc((size_t)n, sizeof *results);
    int rc = results ? EXIT_OK : EXIT_REFUSED;
    for (int i = 0; i < n && rc == EXIT_OK; i++) {
        if (result_load(argv[i + 1], &results[i], &err) < 0) {
            fprintf(stderr, "sosia: %s\n", err.text);
            rc = EXIT_REFUSED;
        }
    }
    if (rc == EXIT_OK) {
        struct report report = {"Fidelity", (const struct result *const *)results, (size_t)n,
                                "expected", "got"};
        rc = report_print(&report, &options);
    }
    for (int i = 0; results && i < n; i++)
        result_free(results[i]);
    free(results);
    return rc;
}

const struct command conformance_report_command = {
    "conformance report", "RESULT ...", "print the fidelity of what was replayed",
    "Results are what `replay --out` and `compare --out` keep.\n"
    "  sosia conformance report --format html --output report.html result.json",
    run_report};
