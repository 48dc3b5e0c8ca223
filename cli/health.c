/* SPDX-License-Identifier: Apache-2.0 */
/* sosia health: asks a running server how it is, for what watches over one. */
#include "cli/cli.h"
#include "engine/base/err.h"
#include <stdio.h>
#include <string.h>

static bool is_well(const struct json *answer)
{
    const char *status = json_get_str(answer, "status");
    return status && strcmp(status, "ok") == 0 && json_get_str(answer, "version");
}

static int report(const struct client *c, const struct json *answer)
{
    if (c->json)
        return EXIT_OK; /* was printed as it is */
    printf("%s is well: sosia %s (time zones %s)\n", c->url, show_text(answer, "version"),
           show_text(answer, "tzdata"));
    return EXIT_OK;
}

static int run_health(const struct command *self, int argc, char **argv)
{
    struct client c = {.timeout_s = 5};
    const char *timeout = NULL;
    const struct option_row rows[] = {
        {"url", "URL", "of the server (default: $SOSIA_URL, else http://localhost:8787)",
         .text = &c.url},
        {"timeout", "SECONDS", "how long to wait for its response (default: 5)", .text = &timeout},
        {"json", NULL, "print the server's JSON", .flag = &c.json},
    };
    struct arena a;
    struct buf answer;
    const struct json *doc;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n)
        return usage(self, NULL);
    if (timeout && option_int("timeout", timeout, 1, 3600, &c.timeout_s) < 0)
        return EXIT_USAGE;
    arena_init(&a, 0);
    buf_init(&answer, 0);
    int rc = client_call(&c, "GET", "/health", NULL, 0, &answer);
    if (rc == EXIT_OK)
        rc = client_read(&c, &a, &answer, &doc);
    if (rc == EXIT_OK && !is_well(doc)) {
        fprintf(stderr, "sosia: %s must say that its status is \"ok\", says \"%s\"\n", c.url,
                show_text(doc, "status"));
        rc = EXIT_REFUSED;
    }
    if (rc == EXIT_OK && c.json)
        fwrite(answer.data, 1, answer.len, stdout);
    if (rc == EXIT_OK)
        rc = report(&c, doc);
    buf_done(&answer);
    arena_done(&a);
    return rc == EXIT_OK ? EXIT_OK : EXIT_REFUSED;
}

const struct command health_command = {
    "health", "[--url URL]", "ask a running server whether it is well",
    "Ends with 0 if it is, and with 1 if it is not or does not respond in time. It needs no "
    "control key. Example, of a container's health check:\n"
    "  sosia health --url http://localhost:8787 --timeout 2",
    run_health};
