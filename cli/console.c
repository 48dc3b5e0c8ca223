/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia console`: a link with which a browser gets into the live page of a running server. */
#include "cli/cli.h"
#include "engine/base/err.h"
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static void show_link(const struct json *answer)
{
    printf("%s\n", show_text(answer, "url"));
}

/* $BROWSER, if it is one program, else what the desktop has for it. */
static int open_in_browser(const char *url)
{
    const char *browser = getenv("BROWSER");
    char *line[3] = {(char *)(browser && *browser ? browser : "xdg-open"), (char *)url, NULL};
    pid_t child;
    int status;
    if (posix_spawnp(&child, line[0], NULL, NULL, line, environ) == 0 &&
        waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return EXIT_OK;
    fprintf(stderr,
            "sosia console: %s must open the link in a browser, has failed; the link is %s\n",
            line[0], url);
    return EXIT_REFUSED;
}

static int open_link(struct client *c, const char *body)
{
    struct buf answer;
    struct arena a;
    const struct json *doc;
    buf_init(&answer, 0);
    arena_init(&a, 0);
    int rc = client_call(c, "POST", "/console/codes", body, strlen(body), &answer);
    if (rc == 0 && (rc = client_read(c, &a, &answer, &doc)) == 0)
        rc = open_in_browser(show_text(doc, "url"));
    arena_done(&a);
    buf_done(&answer);
    return rc;
}

static int run_console(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    bool open = false, read_only = false;
    const struct option_row rows[] = {
        {"open", NULL, "open it in the browser ($BROWSER, else xdg-open)", .flag = &open},
        {"read-only", NULL, "for somebody who may look, and not change anything",
         .flag = &read_only},
        CLIENT_OPTIONS(&c),
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n > 0)
        return usage(self, "there must be no arguments but options, there are some");
    if (c.data)
        return usage(self, "--data must not be given: the console is a running server's");
    const char *text = read_only ? "{\"read_only\":true}" : "{}";
    struct buf body;
    buf_init(&body, 0);
    buf_puts(&body, text);
    int rc =
        open ? open_link(&c, text) : client_show(&c, "POST", "/console/codes", &body, show_link);
    buf_done(&body);
    client_close(&c);
    return rc;
}

const struct command console_command = {
    "console", "[OPTION ...]", "print a link to the console of a running server, good once",
    "The link is good for ten minutes, and the session that it opens for twelve hours. Example:\n"
    "  sosia console --open",
    run_console};
