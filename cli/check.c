/* SPDX-License-Identifier: Apache-2.0 */
/* sosia check: whether a data directory is whole, and which of its worlds are. */
#include "cli/cli.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void show_check(const struct json *found, const char *data)
{
    const struct json *damage = show_list(found, "damage"), *worlds = show_list(found, "worlds");
    for (uint32_t i = 0; damage && i < damage->n; i++) {
        const struct json *d = &damage->items[i];
        const char *id = json_get_str(d, "id");
        printf("damage: %s%s%s: %s\n", show_text(d, "kind"), id ? " " : "", id ? id : "",
               show_text(d, "what"));
    }
    for (uint32_t i = 0; worlds && i < worlds->n; i++) {
        const struct json *w = &worlds->items[i];
        bool whole = json_get_true(w, "whole");
        printf("%-16s  %-20s %s%s\n", show_text(w, "world"), show_text(w, "name"),
               whole ? "whole" : "damaged: ", whole ? "" : show_text(w, "why"));
    }
    if (json_get_true(found, "whole"))
        printf("%s is whole\n", data);
    else
        printf("%s is damaged: put a copy from before in its place, or take the worlds that are "
               "whole out of it with --rescue\n",
               data);
}

static int report(const struct sosia_blob *found, const char *data, bool json)
{
    struct sosia_err err = {0};
    struct arena a;
    const struct json *doc;
    if (json) {
        printf("%s\n", found->data);
        return EXIT_OK;
    }
    arena_init(&a, 0);
    int rc = json_parse(&a, found->data, found->len, NULL, &doc, &err);
    if (rc == 0)
        show_check(doc, data);
    else
        fprintf(stderr, "sosia check: %s\n", err.text);
    arena_done(&a);
    return rc == 0 ? EXIT_OK : EXIT_REFUSED;
}

static int run_check(const struct command *self, int argc, char **argv)
{
    const char *data = NULL, *rescue = NULL;
    bool json = false, whole;
    struct sosia_err err = {0};
    struct sosia_blob found;
    const struct option_row rows[] = {
        {"data", "DIR", "the data directory, which no process has open", .text = &data},
        {"rescue", "DIR", "export each whole world to KEY.db in this directory", .text = &rescue},
        {"json", NULL, "print what was found as JSON", .flag = &json},
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n || !data)
        return usage(self, n ? NULL : "--data DIR is missing");
    if (rescue && mkdir(rescue, 0700) < 0 && errno != EEXIST) {
        fprintf(stderr, "sosia check: %s: %s\n", rescue, strerror(errno));
        return EXIT_REFUSED;
    }
    if (sosia_data_check(data, rescue, &found, &whole, &err) < 0) {
        fprintf(stderr, "sosia check: %s\n", err.text);
        return EXIT_REFUSED;
    }
    int rc = report(&found, data, json);
    sosia_blob_free(&found);
    return rc == EXIT_OK && !whole ? EXIT_REFUSED : rc;
}

const struct command check_command = {
    "check", "--data DIR", "verify a data directory, and say which of its worlds are whole",
    "Changes nothing in it. Ends with 0 if all is whole, else with 1. Example:\n"
    "  sosia check --data ./data --rescue ./rescued\n"
    "  sosia import ./rescued/8000000000000001.db --data ./new",
    run_check};
