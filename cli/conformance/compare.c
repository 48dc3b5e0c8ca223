/* SPDX-License-Identifier: Apache-2.0 */
/* sosia conformance compare */
#include "cli/conformance/conformance.h"
#include "cli/examples.h"
#include "conformance/report/compare.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A result is a file with this member at its head; everything else is cassettes. */
static bool is_result(const char *path)
{
    struct stat st;
    char head[4096];
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head - 1, f) : 0;
    if (f)
        fclose(f);
    head[n] = 0;
    return strstr(head, "\"sosia_conformance_result\"") != NULL;
}

static int compare_files(const char *first, const char *second, bool order,
                         struct result **ret_result, struct sosia_err *err)
{
    struct result *a = NULL, *b = NULL;
    bool results = is_result(first);
    if (results != is_result(second))
        return sosia_fail(
            err, SOSIA_E_INVALID, "compare", NULL,
            "%s and %s must be two results or two sets of cassettes, not of two kinds", first,
            second);
    if (!results)
        return compare_cassettes(first, second, order, ret_result, err);
    int rc = result_load(first, &a, err);
    if (rc == 0)
        rc = result_load(second, &b, err);
    if (rc == 0)
        rc = compare_results(a, b, order, ret_result, err);
    result_free(a);
    result_free(b);
    return rc;
}

static int run_compare(const struct command *self, int argc, char **argv)
{
    struct report_options options = {0};
    struct sosia_err err;
    struct result *result;
    const char *out = NULL;
    bool order = false;
    const struct option_row rows[] = {
        {"order", NULL, "the order of members counts", .flag = &order},
        {"out", "FILE", "keep the comparison there, for report", .text = &out},
        REPORT_OPTIONS(&options)};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n != 2)
        return usage(self, "the arguments must be two results, or two sets of cassettes");
    if (!report_options_good(&options))
        return EXIT_USAGE;
    if (compare_files(argv[1], argv[2], order, &result, &err) < 0) {
        fprintf(stderr, "sosia: %s\n", err.text);
        return EXIT_REFUSED;
    }
    int rc = EXIT_OK;
    if (!result->first) {
        fprintf(stderr, "sosia: a cassette must be there to compare, there is none in %s\n",
                argv[1]);
        rc = EXIT_REFUSED;
    }
    if (rc == EXIT_OK && out) {
        struct buf b;
        buf_init(&b, 0);
        result_write(result, &b);
        rc = write_file(out, &b) < 0 ? EXIT_REFUSED : EXIT_OK;
        buf_done(&b);
    }
    const struct result *results[] = {result};
    struct report report = {"Comparison", results, 1, argv[1], argv[2]};
    int printed = result->first ? report_print(&report, &options) : rc;
    result_free(result);
    return rc ? rc : printed;
}

const struct command conformance_compare_command = {
    "conformance compare", "A B", "print in what two results or two sets of cassettes differ",
    "Results are what `replay --out` keeps. The same cassettes replayed against the real service\n"
    "on one day and against sosia, or the real service, on another, show what has drifted:\n"
    "  sosia conformance replay --real --target " EXAMPLE_ORIGIN " --out real.json\n"
    "  sosia conformance replay --out sosia.json\n"
    "  sosia conformance compare real.json sosia.json",
    run_compare};
