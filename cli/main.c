/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. */
#include "cli/cli.h"
#include "sandbox/sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int run_help(const struct command *self, int argc, char **argv);
static int run_version(const struct command *self, int argc, char **argv);

static const struct command help_command = {
    "help", "[COMMAND]", "say what there is, or how a command is used", NULL, run_help};
static const struct command version_command = {
    "version", "", "print the versions of sosia and of its time zones", NULL, run_version};

extern const struct command serve_command, run_command, world_command, seed_command, dump_command,
    diff_command, grade_command, suite_command, fork_command, reset_command, snapshot_command,
    token_command, consent_command, clock_command, journal_command, replay_command, outbox_command,
    export_command, import_command, check_command, routes_command, mcp_command, ca_command,
    conformance_command, generate_command, act_command, health_command, doctor_command,
    workspace_command, policy_command, approvals_command, faults_command, budgets_command,
    explore_command, report_command, history_command, due_command, workflow_command,
    console_command;

const struct command *const commands[] = {
    &serve_command,       &run_command,       &console_command,
    &health_command,      &world_command,     &seed_command,
    &dump_command,        &diff_command,      &grade_command,
    &report_command,      &suite_command,     &fork_command,
    &reset_command,       &snapshot_command,  &token_command,
    &consent_command,     &clock_command,     &act_command,
    &journal_command,     &replay_command,    &history_command,
    &due_command,         &outbox_command,    &workspace_command,
    &export_command,      &import_command,    &check_command,
    &generate_command,    &routes_command,    &mcp_command,
    &conformance_command, &ca_command,        &doctor_command,
    &policy_command,      &approvals_command, &faults_command,
    &budgets_command,     &explore_command,   &workflow_command,
    &version_command,     &help_command,      NULL,
};

static const struct command *find(const char *name)
{
    for (const struct command *const *c = commands; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

static void overview(FILE *to)
{
    fprintf(to, "sosia: the applications that agents work with, on this machine\n\n"
                "usage: sosia COMMAND [ARGUMENT ...] [--help]\n\n");
    for (const struct command *const *c = commands; *c; c++)
        fprintf(to, "  %-11s %s\n", (*c)->name, (*c)->summary);
    fprintf(to, "\nStart with:  sosia serve --fixture office\n");
}

static int run_help(const struct command *self, int argc, char **argv)
{
    int n = options_parse(self, NULL, 0, argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (!n) {
        overview(stdout);
        return EXIT_OK;
    }
    const struct command *c = find(argv[1]);
    if (!c) {
        fprintf(stderr, "sosia: unknown command \"%s\"; see `sosia help`\n", argv[1]);
        return EXIT_USAGE;
    }
    if (n > 2)
        return usage(self, NULL);
    /* "help conformance record" is "conformance record --help". */
    char *word = n > 1 ? argv[2] : (char *)"--help";
    char *ask[] = {(char *)c->name, word, n > 1 ? (char *)"--help" : NULL, NULL};
    return c->run(c, n + 1, ask);
}

static int run_version(const struct command *self, int argc, char **argv)
{
    int n = options_parse(self, NULL, 0, argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n > 0)
        return usage(self, "there must be no arguments but options, there are some");
    printf("sosia %s (time zones %s)\n", sosia_version(), sosia_tzdata_version());
    return EXIT_OK;
}

/* What was printed has to arrive: otherwise a success was none. */
static int end_output(int rc)
{
    bool lost = fflush(stdout) != 0;
    const char *why = lost ? strerror(errno) : "it could not be written";
    if (!lost && !ferror(stdout))
        return rc;
    fprintf(stderr, "sosia: standard output: %s\n", why);
    return rc == EXIT_OK ? EXIT_REFUSED : rc;
}

/* A standard stream that the caller has closed would be the next file that is opened, and get what
 * is printed. In its place is one on which reads and writes fail as they would. */
static void keep_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_REFUSED);
}

int main(int argc, char **argv)
{
    keep_standard_streams();
    if (argc < 2) {
        overview(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0)
        name = "version";
    if (argc == 2 && strcmp(name, SANDBOX_KEEPER) == 0) /* of a server's, for no person */
        return sandbox_keep();
    const struct command *c = find(name);
    if (!c) {
        fprintf(stderr, "sosia: unknown command \"%s\"; see `sosia help`\n", name);
        return EXIT_USAGE;
    }
    return end_output(c->run(c, argc - 1, argv + 1));
}
