/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia diff`: what changed, as lines for people, as JSON or JSON Patch, or as a page. */
#include "cli/cli.h"
#include "console/page.h"
#include "engine/base/codec.h"
#include "engine/text/unified.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lines ---- */

static bool colored;

static const char *color(const char *code)
{
    return colored ? code : "";
}
#define RED   color("\033[31m")
#define GREEN color("\033[32m")
#define AMBER color("\033[33m")
#define BOLD  color("\033[1m")
#define DIM   color("\033[2m")
#define PLAIN color("\033[0m")

static bool change_is(const struct json *change, const char *what)
{
    const char *word = json_get_str(change, "change");
    return word && strcmp(word, what) == 0;
}

static void print_sign(const struct json *change)
{
    if (change_is(change, "added"))
        printf("%s+%s", GREEN, PLAIN);
    else if (change_is(change, "removed"))
        printf("%s-%s", RED, PLAIN);
    else
        printf("%s~%s", AMBER, PLAIN);
}

static void print_key(const struct json *change)
{
    const struct json *key = json_get(change, "key");
    for (uint32_t i = 0; key && key->type == JSON_OBJECT && i < key->n; i++) {
        if (strcmp(key->members[i].key, "subject") == 0)
            continue;
        putchar(' ');
        show_value(&key->members[i].value);
    }
}

#define SHOWN 100 /* bytes of a value on a line */

static void print_short(const struct json *v)
{
    if (v && v->type == JSON_STRING && v->n > SHOWN) {
        struct json cut = *v;
        cut.n = SHOWN;
        while (cut.n && (cut.str[cut.n] & 0xc0) == 0x80)
            cut.n--;
        show_value(&cut);
        printf(" ...");
    } else {
        show_value(v);
    }
}

/* Of a list, what was added and removed is shown; of everything else, the values before and
 * after. */
static void print_field(const char *name, const struct json *field)
{
    const struct json *added = show_list(field, "added"), *removed = show_list(field, "removed");
    printf("      ");
    show_name(name);
    printf(": ");
    if (added && removed && added->n + removed->n) {
        for (uint32_t i = 0; i < removed->n; i++) {
            printf("%s-", RED);
            print_short(&removed->items[i]);
            printf("%s ", PLAIN);
        }
        for (uint32_t i = 0; i < added->n; i++) {
            printf("%s+", GREEN);
            print_short(&added->items[i]);
            printf("%s ", PLAIN);
        }
        putchar('\n');
        return;
    }
    printf("%s", RED);
    print_short(json_get(field, "from"));
    printf("%s -> %s", PLAIN, GREEN);
    print_short(json_get(field, "to"));
    printf("%s\n", PLAIN);
}

/* A line of a diff, with its sign, in the sign's color. */
static void print_line(const char *line, size_t n)
{
    struct json v = {.type = JSON_STRING, .str = line, .n = (uint32_t)n};
    printf("      %s", *line == '-' ? RED : *line == '+' ? GREEN : *line == '@' ? DIM : "");
    show_value(&v);
    printf("%s\n", PLAIN);
}

/* The text of a file as the lines that differ. False: it is not one, or is not on both sides. */
static bool print_lines(const struct json *change, const char *name, const struct json *field)
{
    const char *entity = json_get_str(change, "entity");
    const struct json *from = json_get(field, "from"), *to = json_get(field, "to");
    struct arena a;
    struct buf b;
    if (!entity || strcmp(entity, "workspaceFile") != 0 || strcmp(name, "text") != 0 || !from ||
        !to || from->type != JSON_STRING || to->type != JSON_STRING)
        return false;
    arena_init(&a, 0);
    buf_init(&b, 0);
    int r = unified_hunks(&a, (struct unified_text){from->str, from->n},
                          (struct unified_text){to->str, to->n}, 3, &b);
    const char *p = buf_str(&b);
    for (size_t n; r == 0 && *p; p += n + (p[n] == '\n')) {
        n = strcspn(p, "\n");
        print_line(p, n);
    }
    buf_done(&b);
    arena_done(&a);
    return r == 0;
}

static void print_change(const struct json *change, int indent)
{
    const char *entity = json_get_str(change, "entity");
    const struct json *fields = json_get(change, "fields"), *title = json_get(change, "title");
    printf("%*s", indent, "");
    print_sign(change);
    putchar(' ');
    show_name(entity ? entity : "?");
    print_key(change);
    if (title && title->type == JSON_STRING) {
        printf("  %s", BOLD);
        print_short(title);
        printf("%s", PLAIN);
    }
    putchar('\n');
    for (uint32_t i = 0; indent < 4 && fields && fields->type == JSON_OBJECT && i < fields->n; i++)
        if (!print_lines(change, fields->members[i].key, &fields->members[i].value))
            print_field(fields->members[i].key, &fields->members[i].value);
}

/* "event, message": what follows, each line by its person. */
static void print_consequences(const struct json *change)
{
    const struct json *list = show_list(change, "consequences");
    for (uint32_t i = 0; list && i < list->n; i++) {
        printf("      %sso:%s ", DIM, PLAIN);
        print_sign(&list->items[i]);
        printf("%s", DIM);
        show_member(" ", &list->items[i], "entity");
        if (json_get_str(&list->items[i], "person"))
            show_member(" of ", &list->items[i], "person");
        const struct json *title = json_get(&list->items[i], "title");
        if (title && title->type == JSON_STRING) {
            printf("  ");
            print_short(title);
        }
        printf("%s\n", PLAIN);
    }
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

void show_diff(const struct json *answer)
{
    const struct json *changes = show_list(answer, "changes");
    const char *person = NULL, *service = NULL;
    for (uint32_t i = 0; changes && i < changes->n; i++) {
        const struct json *c = &changes->items[i];
        const char *whose = json_get_str(c, "person"), *of = json_get_str(c, "service");
        if (of && (!i || !same_text(whose, person) || !same_text(of, service))) {
            printf("%s", BOLD);
            show_name(whose ? whose : "");
            show_member(whose ? "  " : "", c, "service");
            putchar('\n');
        }
        if (of && PLAIN[0])
            printf("%s", PLAIN);
        person = whose;
        service = of;
        print_change(c, of ? 2 : 0);
        print_consequences(c);
    }
}

/* ---- of two worlds with different vendors ---- */

static void print_head(const struct json *item)
{
    const char *entity = json_get_str(item, "entity");
    show_name(entity ? entity : "?");
    if (json_get_str(item, "person"))
        show_member(" ", item, "person");
    if (json_get_str(item, "title")) {
        printf("  %s", BOLD);
        print_short(json_get(item, "title"));
        printf("%s", PLAIN);
    }
    putchar('\n');
}

static void print_difference(const struct json *item)
{
    const struct json *fields = json_get(item, "fields");
    const char *left = json_get_str(item, "left"), *right = json_get_str(item, "right");
    const bool both = left && right;
    printf("%s%s%s ", both ? AMBER : left ? RED : GREEN, both ? "~" : left ? "<" : ">", PLAIN);
    print_head(item);
    if (both && strcmp(left, right) != 0)
        printf("      %s%s%s | %s%s%s\n", RED, left, PLAIN, GREEN, right, PLAIN);
    else if (!both)
        printf("      %s%s%s\n", left ? RED : GREEN, left ? left : right, PLAIN);
    for (uint32_t i = 0; both && fields && fields->type == JSON_OBJECT && i < fields->n; i++) {
        printf("      ");
        show_name(fields->members[i].key);
        printf(": %s", RED);
        print_short(json_get(&fields->members[i].value, "left"));
        printf("%s | %s", PLAIN, GREEN);
        print_short(json_get(&fields->members[i].value, "right"));
        printf("%s\n", PLAIN);
    }
}

static void show_across(const struct json *answer)
{
    const struct json *same = show_list(answer, "same"), *list = show_list(answer, "differences"),
                      *apart = json_get(answer, "apart");
    for (uint32_t i = 0; same && i < same->n; i++) {
        printf("= ");
        print_head(&same->items[i]);
    }
    for (uint32_t i = 0; list && i < list->n; i++)
        print_difference(&list->items[i]);
    for (int side = 0; side < 2; side++) {
        const struct json *others = show_list(apart, side ? "right" : "left");
        for (uint32_t i = 0; others && i < others->n; i++) {
            printf("%s? %s ", DIM, side ? ">" : "<");
            print_head(&others->items[i]);
            printf("%s", PLAIN);
        }
    }
    printf("%u same, %u different\n", same ? same->n : 0, list ? list->n : 0);
}

/* ---- a page ---- */

static int diff_page(struct client *c, const char *path, const char *file)
{
    const struct json *answer;
    struct arena a;
    struct buf text, out;
    arena_init(&a, 0);
    buf_init(&text, 0);
    buf_init(&out, 0);
    int rc = client_call(c, "GET", path, NULL, 0, &text);
    if (rc == 0)
        rc = client_read(c, &a, &text, &answer);
    if (rc == 0) {
        page_diff(&out, answer);
        rc = write_file(file, &out) < 0 ? EXIT_REFUSED : EXIT_OK;
    }
    buf_done(&text);
    buf_done(&out);
    arena_done(&a);
    return rc;
}

/* ---- the command ---- */

/* --color auto: a terminal, unless $NO_COLOR is set. */
static int choose_color(const char *mode)
{
    static const char *const modes[] = {"auto", "always", "never", NULL};
    const char *none = getenv("NO_COLOR");
    int place = mode ? option_word("color", mode, modes) : 0;
    colored = place == 1 || (place == 0 && isatty(STDOUT_FILENO) && !(none && *none));
    return place < 0 ? -1 : 0;
}

static int run_diff(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    bool origin = false, patch = false, seed = false, tables = false, all = false, across = false;
    const char *html = NULL, *mode = NULL;
    const struct option_row rows[] = {
        {"origin", NULL, "from the state that the world resets to", .flag = &origin},
        {"all", NULL, "with what changes by itself: etags, counters, deliveries", .flag = &all},
        {"patch", NULL, "as JSON Patch (RFC 6902)", .flag = &patch},
        {"tables", NULL, "as rows of tables, for suites of version 0.1", .flag = &tables},
        {"seed-terms", NULL, "in the terms of seed documents", .flag = &seed},
        {"across", NULL,
         "where what was done in FROM differs from what was done in TO, whatever their vendors",
         .flag = &across},
        {"html", "FILE", "as one page that needs no server (\"-\": standard output)",
         .text = &html},
        {"color", "WHEN", "auto (default), always or never", .text = &mode},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    struct buf path;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (choose_color(mode) < 0)
        return EXIT_USAGE;
    if (patch + seed + tables + across + (html != NULL) > 1)
        return usage(self, "at most one of --patch, --tables, --seed-terms, --across and --html "
                           "can be given, more are");
    if (across && (origin || all))
        return usage(self, "neither --origin nor --all can be given with --across, one is");
    int worlds = origin ? 1 : 2;
    if (n > worlds)
        return usage(self, origin
                               ? "the arguments must be one world at most, there are more"
                               : "the arguments must end with one world at most, there are more");
    if (n > worlds - 1 && client_world(&c, self, argv[worlds]) < 0)
        return EXIT_USAGE;
    const char *to = c.world ? c.world : getenv("SOSIA_WORLD");
    if (n < worlds - 1 || !to || !*to)
        return usage(self, origin ? "a world must be named, none is"
                                  : "two worlds must be named, at most one is");
    buf_init(&path, 0);
    buf_puts(&path, "/diff?to=");
    percent_add(&path, to, strlen(to));
    if (!origin) {
        buf_puts(&path, "&from=");
        percent_add(&path, argv[1], strlen(argv[1]));
    }
    if (patch || seed || tables || across)
        buf_printf(&path, "&form=%s",
                   patch    ? "patch"
                   : seed   ? "seed"
                   : across ? "across"
                            : "tables");
    if (all)
        buf_puts(&path, "&all=true");
    int rc = html ? diff_page(&c, buf_str(&path), html)
                  : client_show(&c, "GET", buf_str(&path), NULL,
                                patch || tables ? NULL
                                : across        ? show_across
                                                : show_diff);
    buf_done(&path);
    client_close(&c);
    return rc;
}

const struct command diff_command = {
    "diff", "[FROM] [TO]", "print what changed between two worlds, by person and service",
    "TO may be given by --world too; without it: to $SOSIA_WORLD. With --origin only TO is named. "
    "Example:\n  sosia diff before office\n  sosia diff --origin office --html diff.html\n  sosia "
    "diff --across one other",
    run_diff};
