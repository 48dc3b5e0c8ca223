/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia history` and `sosia due`: which calls changed a thing, and what will happen by itself. */
#include "cli/cli.h"
#include "engine/base/codec.h"
#include <string.h>

static void show_history(const struct json *answer)
{
    const struct json *calls = show_list(answer, "calls");
    for (uint32_t i = 0; calls && i < calls->n; i++) {
        const struct json *one = &calls->items[i], *change = json_get(one, "change"),
                          *fields = json_get(change, "fields");
        show_value(json_get(one, "seq"));
        show_member("  ", one, "at");
        show_member("  ", one, "actor");
        show_member("  ", one, "method");
        show_member("  ", change, "change");
        for (uint32_t k = 0; fields && fields->type == JSON_OBJECT && k < fields->n; k++) {
            printf("%s", k ? ", " : "  ");
            show_name(fields->members[k].key);
        }
        putchar('\n');
    }
    if (calls && !calls->n)
        printf("no call whose state is kept changed it\n");
}

static int run_history(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *before = NULL, *limit = NULL;
    int64_t number;
    const struct option_row rows[] = {
        {"before", "N", "only calls with a lower number", .text = &before},
        {"limit", "N", "how many at most", .text = &limit},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    struct buf path;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n < 1 || n > 2)
        return usage(self, "the arguments must be the name of a thing and at most one world");
    if (client_world(&c, self, n == 2 ? argv[2] : NULL) < 0 ||
        (before && option_int("before", before, 1, INT64_MAX, &number) < 0) ||
        (limit && option_int("limit", limit, 1, 1000, &number) < 0))
        return EXIT_USAGE;
    buf_init(&path, 0);
    int rc = EXIT_USAGE;
    if (client_world_path(&path, &c) == 0) {
        buf_puts(&path, "/history?name=");
        percent_add(&path, argv[1], strlen(argv[1]));
        if (before)
            buf_printf(&path, "&before=%s", before);
        if (limit)
            buf_printf(&path, "&limit=%s", limit);
        rc = client_show(&c, "GET", buf_str(&path), NULL, show_history);
    }
    buf_done(&path);
    client_close(&c);
    return rc;
}

const struct command history_command = {
    "history", "NAME [WORLD]", "print the calls that changed a thing, the last one first",
    "NAME is as diffs have it (\"name\" of `sosia diff --json`). Example:\n"
    "  sosia history event/marta.ferri@tidewater.example/lunchnoor0001 office",
    run_history};

/* ---- due ---- */

static void show_due(const struct json *answer)
{
    const struct json *list = show_list(answer, "due");
    for (uint32_t i = 0; list && i < list->n; i++) {
        show_member("", &list->items[i], "at");
        show_member("  ", &list->items[i], "core");
        show_member("  ", &list->items[i], "kind");
        putchar('\n');
    }
    if (list && !list->n)
        printf("nothing\n");
}

static int run_due(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *limit = NULL;
    int64_t number;
    const struct option_row rows[] = {
        {"limit", "N", "how many at most", .text = &limit},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    struct buf path;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n > 1)
        return usage(self, "the arguments must be one world at most, there are more");
    if (client_world(&c, self, n ? argv[1] : NULL) < 0 ||
        (limit && option_int("limit", limit, 1, 1000, &number) < 0))
        return EXIT_USAGE;
    buf_init(&path, 0);
    int rc = EXIT_USAGE;
    if (client_world_path(&path, &c) == 0) {
        buf_puts(&path, "/due");
        if (limit)
            buf_printf(&path, "?limit=%s", limit);
        rc = client_show(&c, "GET", buf_str(&path), NULL, show_due);
    }
    buf_done(&path);
    client_close(&c);
    return rc;
}

const struct command due_command = {"due", "[WORLD]",
                                    "print what is due by a world's clock, the next one first",
                                    "Example:\n  sosia due office", run_due};
