/* SPDX-License-Identifier: Apache-2.0 */
/* sosia conformance: cassettes of the real services compared with sosia. A table of commands
 * below the command; what they share. */
#include "cli/conformance/conformance.h"
#include <stdio.h>
#include <string.h>

static const struct command *const below[] = {
    &conformance_replay_command,   &conformance_compare_command,     &conformance_report_command,
    &conformance_coverage_command, &conformance_record_command,      &conformance_import_command,
    &conformance_export_command,   &conformance_differences_command,
};

int conformance_fixture(struct arena *a, const char *name, const char **ret_text, size_t *ret_len,
                        struct sosia_err *err)
{
    struct fixture f;
    if (fixture_find(a, NULL, name, &f, err) < 0)
        return -1;
    *ret_text = f.text;
    *ret_len = f.len;
    return 0;
}

bool report_options_good(const struct report_options *o)
{
    static const char *const formats[] = {"text", "json", "html", "junit", NULL};
    return !o->format || option_word("format", o->format, formats) >= 0;
}

static bool all_equal(const struct report *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (const struct scenario *s = r->results[i]->first; s; s = s->next)
            for (const struct exchange *x = s->first; x; x = x->next)
                if (x->outcome == OUTCOME_DIFFERENT || x->outcome == OUTCOME_FAILED)
                    return false;
    return true;
}

int report_print(const struct report *r, const struct report_options *o)
{
    const char *format = o->format ? o->format : "text";
    struct buf out;
    buf_init(&out, 0);
    if (strcmp(format, "json") == 0)
        report_json(r, &out);
    else if (strcmp(format, "html") == 0)
        report_html(r, &out);
    else if (strcmp(format, "junit") == 0)
        report_junit(r, &out);
    else
        report_text(r, o->quiet, &out);
    int rc = write_file(o->output ? o->output : "-", &out);
    buf_done(&out);
    return rc == 0 && all_equal(r) ? EXIT_OK : EXIT_REFUSED;
}

static int run_conformance(const struct command *self, int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < SOSIA_LEN(below); i++) {
        const char *name = strrchr(below[i]->name, ' ') + 1;
        if (strcmp(argv[1], name) == 0)
            return below[i]->run(below[i], argc - 1, argv + 1);
    }
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (argc > 1 && !help) {
        fprintf(stderr,
                "sosia conformance: the first argument must be one of the commands that --help "
                "lists, not \"%s\"\n",
                argv[1]);
        return usage(self, NULL);
    }
    FILE *to = help ? stdout : stderr;
    fprintf(to, "usage: sosia %s %s\n\n%c%s.\n\n", self->name, self->arguments,
            self->summary[0] - 32, self->summary + 1);
    for (size_t i = 0; i < SOSIA_LEN(below); i++)
        fprintf(to, "  %-22s %s\n", below[i]->name, below[i]->summary);
    fprintf(to, "\n%s\n\nOptions:\n  %-22s %s\n", self->help, "--help",
            "this help; sosia conformance COMMAND --help for more");
    return help ? EXIT_OK : EXIT_USAGE;
}

const struct command conformance_command = {
    "conformance", "replay|compare|report|coverage|record|import|export [ARGUMENT ...]",
    "hold sosia against recordings of the real services",
    "Cassettes hold what a service responds with (docs/conformance.md):\n"
    "  sosia conformance replay conformance/cassettes",
    run_conformance};
