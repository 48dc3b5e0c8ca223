/* SPDX-License-Identifier: Apache-2.0 */
/* sosia conformance coverage: the page docs/conformance-coverage.md, and all of it as HTML or JSON.
 */
#include "cli/conformance/conformance.h"
#include "conformance/report/coverage.h"
#include <stdio.h>

static int add_file(void *arg, const char *file, const char *name, struct sosia_err *err)
{
    struct cassette *c;
    if (cassette_load(file, &c, err) < 0)
        return -1;
    cassette_rename(c, name);
    int rc = coverage_add(arg, c, err);
    cassette_free(c);
    return rc;
}

enum page_form { FORM_MARKDOWN, FORM_HTML, FORM_JSON };
static const char *const forms[] = {"markdown", "html", "json", NULL};

static void print(const struct coverage *c, enum page_form form, const char *link, struct buf *out)
{
    if (form == FORM_MARKDOWN)
        coverage_markdown(c, link, out);
    else if (form == FORM_HTML)
        coverage_html(c, link, out);
    else
        coverage_json(c, out);
}

static int run_coverage(const struct command *self, int argc, char **argv)
{
    const char *rules = "conformance/rules.txt", *link = "../", *format = "markdown", *output = "-";
    static char standard[] = "conformance/cassettes";
    char *paths[] = {standard};
    struct sosia_err err;
    struct coverage *c;
    bool complete = false;
    const struct option_row rows[] = {
        {"rules", "FILE", "the rules (default: conformance/rules.txt)", .text = &rules},
        {"link", "PREFIX", "what links to files begin with (default: ../)", .text = &link},
        {"complete", NULL, "fail if a rule is not held without a reason given", .flag = &complete},
        {"format", "FORMAT", "markdown (default: a page of figures), html or json (every exchange)",
         .text = &format},
        {"output", "FILE", "write it there", .text = &output}};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    int form = option_word("format", format, forms);
    if (form < 0)
        return EXIT_USAGE;
    if (coverage_open(rules, &c, &err) < 0) {
        fprintf(stderr, "sosia: %s\n", err.text);
        return EXIT_REFUSED;
    }
    const char *const *from = (const char *const *)(n ? argv + 1 : paths);
    int rc = cassette_each(from, n ? (size_t)n : 1, add_file, c, &err);
    if (rc == 0)
        rc = coverage_check(c, complete, &err);
    if (rc < 0) {
        fprintf(stderr, "sosia: %s\n", err.text);
        rc = EXIT_REFUSED;
    } else {
        struct buf out;
        buf_init(&out, 0);
        print(c, (enum page_form)form, link, &out);
        rc = write_file(output, &out) < 0 ? EXIT_REFUSED : EXIT_OK;
        buf_done(&out);
    }
    coverage_free(c);
    return rc;
}

const struct command conformance_coverage_command = {
    "conformance coverage", "[CASSETTE|DIRECTORY ...]",
    "print which methods and rules the cassettes hold",
    "Says with --format html or json which exchanges hold which rule:\n"
    "  sosia conformance coverage --format html --output coverage.html",
    run_coverage};
