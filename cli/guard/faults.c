/* SPDX-License-Identifier: Apache-2.0 */
/* sosia faults, sosia budgets */
#include "cli/cli.h"
#include "engine/base/codec.h"
#include "guard/budget.h"
#include "guard/faults/faults.h"
#include <stdio.h>
#include <string.h>

/* ---- for people ---- */

static int64_t number(const struct json *in, const char *name)
{
    return json_get_int(in, name, 0);
}

static void show_info(const struct json *answer)
{
    const struct json *rules = show_list(answer, "rules"), *used = show_list(answer, "used");
    if (json_get(answer, "broken"))
        show_member("can't be read: ", answer, "broken");
    for (uint32_t i = 0; rules && i < rules->n; i++) {
        const struct json *r = &rules->items[i];
        printf("%-24s %-20s %lld of %lld calls\n", show_text(r, "name"), show_text(r, "fault"),
               (long long)number(r, "injected"), (long long)number(r, "matched"));
    }
    for (uint32_t i = 0; used && i < used->n; i++) {
        printf("%-24s ", show_text(&used->items[i], "name"));
        for (uint32_t k = 1; k < used->items[i].n; k++) {
            printf("%s%s ", k > 1 ? ", " : "", used->items[i].members[k].key);
            show_value(&used->items[i].members[k].value);
        }
        putchar('\n');
    }
    if (!rules && !used)
        printf("there are no faults and no budgets\n");
}

static void show_report(const struct json *answer)
{
    const struct json *list = show_list(answer, "faults"), *retry = json_get(answer, "retry_after");
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *f = &list->items[i], *honoured = json_get(f, "honoured");
        printf("%5lld  %-36s %-18s", (long long)number(f, "seq"), show_text(f, "method"),
               show_text(f, "fault"));
        if (json_get(f, "again"))
            printf(" made again as %lld", (long long)number(f, "again"));
        if (honoured)
            printf("%s", honoured->truth ? ", waited long enough" : ", did not wait long enough");
        if (json_get_true(f, "unsafe"))
            printf(", unsafely");
        if (json_get_true(f, "twice"))
            printf(", DONE TWICE");
        putchar('\n');
    }
    printf("%lld faults, %lld calls made again; Retry-After honoured %lld times, not %lld times, "
           "not known %lld times; made again unsafely %lld times, done twice %lld times\n",
           (long long)number(answer, "injected"), (long long)number(answer, "made_again"),
           (long long)number(retry, "honoured"), (long long)number(retry, "not_honoured"),
           (long long)number(retry, "not_known"), (long long)number(answer, "made_again_unsafely"),
           (long long)number(answer, "done_twice"));
}

/* ---- documents ---- */

/* Of a file, or of names of sets. -1: a message was printed. */
static int read_document(const char *name, struct buf *ret)
{
    bool sets = *name != 0;
    for (const char *p = name; sets && *p;) {
        size_t n = strcspn(p, ",");
        sets = fault_set(p, n) != NULL;
        p += n + (p[n] == ',');
    }
    if (!sets)
        return read_text(name, ret);
    buf_puts(ret, name);
    return 0;
}

static int check(const char *what, const char *file)
{
    struct sosia_engine *e;
    struct sosia_err err = {0};
    struct buf text;
    char name[DOCUMENT_NAME_MAX + 1];
    buf_init(&text, 0);
    int rc = read_document(file, &text) < 0 ? EXIT_REFUSED : EXIT_OK;
    if (rc == EXIT_OK && sosia_engine_open(NULL, &e, &err) < 0) {
        rc = EXIT_REFUSED;
    } else if (rc == EXIT_OK) {
        struct fault_rules *rules = NULL;
        struct budgets *budgets = NULL;
        bool faults = strcmp(what, "faults") == 0;
        document_name(file, name);
        if ((faults ? fault_rules_read(e, buf_str(&text), text.len, name, &rules, &err)
                    : budgets_read(e, buf_str(&text), text.len, name, &budgets, &err)) < 0)
            rc = EXIT_REFUSED;
        else
            printf("%zu %s\n", faults ? rules->n : budgets->n, faults ? "rules" : "limits");
        fault_rules_unref(rules);
        budgets_unref(budgets);
        sosia_engine_close(e);
    }
    if (rc && err.text[0])
        fprintf(stderr, "sosia: %s\n", err.text);
    buf_done(&text);
    return rc;
}

static int list_sets(void)
{
    for (const char *const *name = fault_set_names; *name; name++)
        printf("# %s\n%s\n", *name, fault_set(*name, strlen(*name)));
    return EXIT_OK;
}

/* ---- the commands ---- */

/* One request on the client's world; file: of the body, NULL: none. */
static int ask(struct client *c, const char *method, const char *what, const char *file,
               void (*show)(const struct json *answer))
{
    struct buf path, body;
    char name[DOCUMENT_NAME_MAX + 1];
    buf_init(&path, 0);
    buf_init(&body, 0);
    int rc = client_world_path(&path, c) < 0 ? EXIT_USAGE : EXIT_OK;
    buf_printf(&path, "/%s", what);
    if (rc == EXIT_OK && file) {
        buf_puts(&path, "?document_name=");
        document_name(file, name);
        percent_add(&path, name, strlen(name));
        rc = read_document(file, &body) < 0 ? EXIT_REFUSED : EXIT_OK;
    }
    if (rc == EXIT_OK)
        rc = client_show(c, method, buf_str(&path), file ? &body : NULL, show);
    buf_done(&path);
    buf_done(&body);
    client_close(c);
    return rc;
}

enum word { SHOW, SET, CLEAR, REPORT, CHECK, SETS };
static const char *const words[] = {"show", "set", "clear", "report", "check", "sets"};

static int run(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const struct option_row rows[] = {WORLD_OPTION(&c), CLIENT_OPTIONS(&c)};
    bool faults = strcmp(self->name, "faults") == 0;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    enum word what = SHOW;
    int at = 1; /* of the arguments behind the word */
    for (size_t i = 0; n && i < SOSIA_LEN(words); i++)
        if (strcmp(argv[1], words[i]) == 0 && (faults || i < REPORT || i == CHECK)) {
            what = (enum word)i;
            at = 2;
        }
    bool takes = what == SET || what == CHECK;
    const char *file = takes ? argv[at] : NULL;
    if (takes && n < at)
        return usage(self, faults ? "a document, or names of sets, must be given"
                                  : "a document must be given");
    at += takes;
    if (what == SETS && n == 1)
        return list_sets();
    if (what == CHECK && n == 2)
        return check(self->name, file);
    if (n > at || what == SETS || what == CHECK)
        return usage(self, "the arguments must end with one world at most, there are more");
    if (client_world(&c, self, n == at ? argv[at] : NULL) < 0)
        return EXIT_USAGE;
    return what == SET      ? ask(&c, "PUT", self->name, file, show_info)
           : what == CLEAR  ? ask(&c, "DELETE", self->name, NULL, show_info)
           : what == REPORT ? ask(&c, "GET", "faults/report", NULL, show_report)
                            : ask(&c, "GET", "faults", NULL, show_info);
}

const struct command faults_command = {
    "faults", "[show|clear|report] [WORLD] | set FILE|SETS [WORLD] | check FILE | sets",
    "give a world trouble, and see what clients made of it",
    "SETS are rate-limited, flaky, slow and lost-answers, with commas between.\n"
    "Example:\n  sosia faults set lost-answers office\n  sosia faults report office",
    run};

const struct command budgets_command = {
    "budgets", "[show|clear] [WORLD] | set FILE [WORLD] | check FILE",
    "say how much may be done in a world",
    "Example:\n  sosia budgets set budget.yaml office\n  sosia budgets office", run};
