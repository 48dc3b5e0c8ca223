/* SPDX-License-Identifier: Apache-2.0 */
/* Acts of persons: each is one request to the control interface. */
#include "cli/cli.h"
#include "cli/guides.h"
#include <stdio.h>
#include <string.h>

/* {"actor", "service", "do": {act: members}}; members is the JSON of an object. 0, an exit code. */
static int write_act(const struct command *self, struct buf *body, const char *actor,
                     const char *service, const char *act, struct buf *members)
{
    struct sosia_err err = {0};
    const struct json *v;
    struct json_writer w;
    struct arena a;
    int rc = EXIT_OK;
    arena_init(&a, 0);
    json_init(&w, body, false, NULL);
    if (json_parse(&a, buf_str(members), members->len, NULL, &v, &err) < 0 ||
        v->type != JSON_OBJECT) {
        rc = usage(self, "the members of the act must be a JSON object");
    } else {
        json_obj(&w, NULL);
        json_str(&w, "actor", actor);
        json_str(&w, "service", service);
        json_obj(&w, "do");
        json_value(&w, act, v);
        json_end(&w);
        json_end(&w);
    }
    arena_done(&a);
    return rc;
}

static int run_act(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *service = first_act();
    char help[80];
    snprintf(help, sizeof help, "in which it is done (default: %s)", service);
    const struct option_row rows[] = {
        {"service", "NAME", help, .text = &service},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    struct buf path, body, members;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n != 3 && n != 4)
        return usage(self, "the arguments must be an actor, an act, its members as JSON and, if it "
                           "is named, a world");
    if (client_world(&c, self, n == 4 ? argv[4] : NULL) < 0)
        return EXIT_USAGE;
    buf_init(&path, 0);
    buf_init(&body, 0);
    buf_init(&members, 0);
    int rc = EXIT_USAGE;
    bool got = strcmp(argv[3], "-") != 0;
    if (got)
        buf_puts(&members, argv[3]);
    else
        got = read_text("-", &members) == 0;
    if (got && client_world_path(&path, &c) == 0)
        rc = write_act(self, &body, argv[1], service, argv[2], &members);
    if (rc == EXIT_OK) {
        buf_puts(&path, "/act");
        rc = client_show(&c, "POST", buf_str(&path), &body, NULL);
    }
    buf_done(&path);
    buf_done(&body);
    buf_done(&members);
    client_close(&c);
    return rc;
}

const struct command act_command = {
    "act", "ACTOR ACT JSON [WORLD]", "act as a person (post, click, submit) and print the result",
    "JSON has the members of the act; - reads them from standard input. What the service refuses "
    "is "
    "shown to the person\n"
    "too, and ends with 0. Example:\n"
    "  sosia act ada@acme.example command '{\"channel\": \"dev\", \"command\": \"/deploy\"}'",
    run_act};
