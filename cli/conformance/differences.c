/* SPDX-License-Identifier: Apache-2.0 */
/* sosia conformance differences: the page docs/fidelity.md, and its entries as text or JSON. */
#include "cli/conformance/conformance.h"
#include "conformance/method.h"
#include "conformance/report/deviation.h"
#include <stdio.h>

/* The differences, held against the rules; false: a message was printed. */
static bool open_deviations(const char *rules_file, struct deviations **ret_deviations)
{
    struct sosia_err err;
    struct coverage *rules = NULL;
    struct deviations *d = NULL;
    bool good = deviations_open(NULL, &d, &err) == 0;
    if (good && rules_file)
        good =
            coverage_open(rules_file, &rules, &err) == 0 && deviations_check(d, rules, &err) == 0;
    coverage_free(rules);
    if (!good) {
        fprintf(stderr, "sosia: %s\n", err.text);
        deviations_free(d);
        return false;
    }
    *ret_deviations = d;
    return true;
}

static int run_differences(const struct command *self, int argc, char **argv)
{
    const char *rules = NULL, *output = "-";
    bool markdown = false, json = false;
    struct deviations *d;
    struct buf out;
    const struct option_row rows[] = {
        {"markdown", NULL, "as the page docs/fidelity.md", .flag = &markdown},
        {"json", NULL, "as JSON", .flag = &json},
        {"rules", "FILE", "fail if an entry names a rule that this file does not have",
         .text = &rules},
        {"output", "FILE", "write it there", .text = &output}};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    const char *method = n ? argv[1] : NULL;
    if (n > 1 || (method && (markdown || json)))
        return usage(self, "one METHOD may be given, without --markdown and --json");
    if (method && !method_dialect(method)) {
        fprintf(stderr, "sosia: METHOD must be one that `sosia routes` lists, not \"%.80s\"\n",
                method);
        return EXIT_USAGE;
    }
    if (!open_deviations(rules, &d))
        return EXIT_REFUSED;
    buf_init(&out, 0);
    if (markdown)
        deviations_markdown(d, &out);
    else if (json)
        deviations_json(d, &out);
    else
        deviations_text(d, method, &out);
    int rc = write_file(output, &out) < 0 ? EXIT_REFUSED : EXIT_OK;
    buf_done(&out);
    deviations_free(d);
    return rc;
}

const struct command conformance_differences_command = {
    "conformance differences", "[METHOD]",
    "print the differences from the real services, of one method or of all",
    "Names them by the ids of docs/fidelity.md:\n"
    "  sosia conformance differences calendar.events.insert",
    run_differences};
