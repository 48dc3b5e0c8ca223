/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that the commands below `sosia conformance` share. */
#ifndef SOSIA_CLI_CONFORMANCE_H
#define SOSIA_CLI_CONFORMANCE_H

#include "cli/cli.h"
#include "conformance/report/report.h"

/* For target.h: fixtures by name, as other commands find them. */
int conformance_fixture(struct arena *a, const char *name, const char **ret_text, size_t *ret_len,
                        struct sosia_err *err);

/* How a report is printed. */
struct report_options {
    const char *format; /* text, json, html, junit; NULL: text */
    const char *output; /* file; NULL: standard output */
    bool quiet;
};
#define REPORT_OPTIONS(o)                                                                          \
    {"format", "FORMAT", "of the report: text (default), json, html, junit",                       \
     .text = &(o)->format},                                                                        \
        {"output", "FILE", "write the report there", .text = &(o)->output},                        \
    {                                                                                              \
        "quiet", NULL, "the figures without the differences", .flag = &(o)->quiet                  \
    }
/* False: a message was printed. */
bool report_options_good(const struct report_options *o);
/* Prints it; gives EXIT_OK if everything that was asked is equal, else EXIT_REFUSED. */
int report_print(const struct report *r, const struct report_options *o);

extern const struct command conformance_replay_command, conformance_compare_command,
    conformance_report_command, conformance_record_command, conformance_import_command,
    conformance_export_command, conformance_coverage_command, conformance_differences_command;

#endif
