/* SPDX-License-Identifier: Apache-2.0 */
/* sosia journal, sosia replay */
#include "cli/cli.h"
#include "cli/rerun.h"
#include "engine/base/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One request on the client's world; ends the command. */
static int ask(struct client *c, const char *method, const struct buf *suffix,
               const struct buf *body, void (*show)(const struct json *answer))
{
    struct buf path;
    int rc = EXIT_USAGE;
    buf_init(&path, 0);
    if (client_world_path(&path, c) == 0) {
        buf_add(&path, suffix->data, suffix->len);
        rc = client_show(c, method, buf_str(&path), body, show);
    }
    buf_done(&path);
    client_close(c);
    return rc;
}

static void add_query(struct buf *b, const char *name, const char *text)
{
    if (!text)
        return;
    buf_printf(b, "%c%s=", memchr(b->data, '?', b->len) ? '&' : '?', name);
    percent_add(b, text, strlen(text));
}

/* ---- verify ---- */

static int verify(const char *file, const char *head)
{
    struct sosia_err err;
    struct buf text;
    char found[65];
    int64_t n;
    buf_init(&text, 0);
    int rc = read_file(file, &text) < 0 ? EXIT_REFUSED : EXIT_OK;
    if (rc == EXIT_OK &&
        sosia_journal_verify(buf_str(&text), text.len, file, head, &n, found, &err) < 0) {
        fprintf(stderr, "sosia: %s\n", err.text);
        rc = EXIT_REFUSED;
    } else if (rc == EXIT_OK) {
        printf("%lld entries are what was written; the chain ends with %s\n", (long long)n, found);
    }
    buf_done(&text);
    return rc;
}

/* ---- journal ---- */

enum word { LIST, EXPORT, INFO, CHANGES, SET, VERIFY };
static const char *const words[] = {"list", "export", "info", "changes", "set", "verify"};

/* What the options say; NULL: nothing. */
struct asked {
    const char *after, *limit, *to, *format, *method, *actor, *text, *head, *mode, *keep, *steps,
        *label, *step_bytes, *bytes;
    const char *seq; /* the entry whose changes are meant */
    const char *before, *status, *decision, *risk;
    bool secrets, bodies, failed, newest, follow;
    int64_t n_steps, n_step_bytes, n_bytes;
};

/* False: one of the numbers is not one, which has been reported. */
static bool check_numbers(struct asked *a)
{
    int64_t number;
    return (!a->seq || argument_int("the entry", a->seq, 1, INT64_MAX, &number) == 0) &&
           (!a->after || option_int("after", a->after, 0, INT64_MAX, &number) == 0) &&
           (!a->to || option_int("to", a->to, 1, INT64_MAX, &number) == 0) &&
           (!a->before || option_int("before", a->before, 1, INT64_MAX, &number) == 0) &&
           (!a->steps || option_int("steps", a->steps, 0, 16382, &a->n_steps) == 0) &&
           (!a->step_bytes || option_bytes("step-bytes", a->step_bytes, &a->n_step_bytes) == 0) &&
           (!a->bytes || option_bytes("bytes", a->bytes, &a->n_bytes) == 0) &&
           (!a->limit || option_int("limit", a->limit, 1, 1000, &number) == 0);
}

static void write_path(struct buf *path, enum word what, const struct asked *a)
{
    buf_puts(path, "/journal");
    if (what == LIST) {
        add_query(path, "after", a->after ? a->after : "0");
        add_query(path, "limit", a->limit ? a->limit : "100");
        add_query(path, "bodies", a->bodies ? "true" : NULL);
        add_query(path, "method", a->method);
        add_query(path, "actor", a->actor);
        add_query(path, "text", a->text);
        add_query(path, "failed", a->failed ? "true" : NULL);
        add_query(path, "label", a->label);
        add_query(path, "before", a->before);
        add_query(path, "order", a->newest ? "newest" : NULL);
        add_query(path, "status", a->status);
        add_query(path, "decision", a->decision);
        add_query(path, "risk", a->risk);
    } else if (what == EXPORT) {
        buf_puts(path, "/export");
        add_query(path, "format", a->format);
        add_query(path, "after", a->after);
        add_query(path, "to", a->to);
        add_query(path, "secrets", a->secrets ? "true" : NULL);
    } else if (what == CHANGES) {
        buf_printf(path, "/%s/changes", a->seq);
    } else if (what == INFO) {
        buf_puts(path, "/info");
    }
}

static void write_settings(struct buf *body, const struct asked *a)
{
    struct json_writer w;
    json_init(&w, body, false, NULL);
    json_obj(&w, NULL);
    json_str_opt(&w, "mode", a->mode);
    json_str_opt(&w, "keep", a->keep);
    if (a->steps)
        json_int(&w, "steps", a->n_steps);
    if (a->step_bytes)
        json_int(&w, "step_bytes", a->n_step_bytes);
    if (a->bytes)
        json_int(&w, "bytes", a->n_bytes);
    json_end(&w);
}

/* ---- as it comes ---- */

#define FOLLOW_NS 200000000 /* between two looks */

/* The number of the last entry; -1: a message was printed, *ret_rc is the exit code. */
static int64_t last_entry(struct client *c, int *ret_rc)
{
    const struct json *info;
    struct buf path, text;
    struct arena a;
    int64_t last = -1;
    arena_init(&a, 0);
    buf_init(&path, 0);
    buf_init(&text, 0);
    *ret_rc = EXIT_USAGE;
    if (client_world_path(&path, c) == 0) {
        buf_puts(&path, "/journal/info");
        *ret_rc = client_call(c, "GET", buf_str(&path), NULL, 0, &text);
        if (*ret_rc == EXIT_OK && (*ret_rc = client_read(c, &a, &text, &info)) == EXIT_OK)
            last = json_get_int(info, "entries", 0);
    }
    buf_done(&path);
    buf_done(&text);
    arena_done(&a);
    return last;
}

static void show_each(const struct json *entries)
{
    for (uint32_t i = 0; entries && i < entries->n; i++) {
        show_value(&entries->items[i]);
        putchar('\n');
    }
}

/* A page of the entries behind *after, of which `last` is the last; *after moves on. */
static int follow_page(struct client *c, struct asked *a, int64_t *after, int64_t last)
{
    const struct json *answer, *entries;
    struct buf path, text;
    struct arena arena;
    char number[24];
    arena_init(&arena, 0);
    buf_init(&path, 0);
    buf_init(&text, 0);
    snprintf(number, sizeof number, "%lld", (long long)*after);
    a->after = number;
    int rc = client_world_path(&path, c) < 0 ? EXIT_USAGE : EXIT_OK;
    write_path(&path, LIST, a);
    if (rc == EXIT_OK)
        rc = client_call(c, "GET", buf_str(&path), NULL, 0, &text);
    if (rc == EXIT_OK && (rc = client_read(c, &arena, &text, &answer)) == EXIT_OK) {
        entries = show_list(answer, "entries");
        if (c->json || a->bodies)
            show_each(entries);
        else
            show_journal(answer);
        fflush(stdout);
        *after = json_get_int(answer, "next", *after > last ? *after : last);
        for (uint32_t i = 0; entries && i < entries->n; i++)
            if (json_get_int(&entries->items[i], "seq", 0) > *after)
                *after = json_get_int(&entries->items[i], "seq", 0);
    }
    buf_done(&path);
    buf_done(&text);
    arena_done(&arena);
    return rc;
}

/* Until the server goes, or somebody ends it. A world that is reset begins anew. */
static int follow(struct client *c, struct asked *a)
{
    const struct timespec wait = {.tv_nsec = FOLLOW_NS};
    int rc = EXIT_OK;
    int64_t last = last_entry(c, &rc), after = last;
    if (a->after)
        after = strtoll(a->after, NULL, 10);
    while (rc == EXIT_OK && !ferror(stdout)) {
        if (last < after)
            after = 0;
        if (last > after)
            rc = follow_page(c, a, &after, last);
        else
            nanosleep(&wait, NULL);
        if (rc == EXIT_OK)
            last = last_entry(c, &rc);
    }
    client_close(c);
    return rc;
}

static int run_journal(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    struct asked a = {0};
    const struct option_row rows[] = {
        {"after", "N", "list, export: only entries with a higher number", .text = &a.after},
        {"limit", "N", "list: how many at most", .text = &a.limit},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
        {"bodies", NULL, "list: with the bodies of requests and responses", .flag = &a.bodies},
        {"method", "ID", "list: only calls of this method", .text = &a.method},
        {"actor", "HANDLE", "list: only calls of this actor", .text = &a.actor},
        {"text", "TEXT", "list: only entries that have this in them", .text = &a.text},
        {"failed", NULL, "list: only calls that were refused", .flag = &a.failed},
        {"before", "N", "list: only entries with a lower number", .text = &a.before},
        {"newest", NULL, "list: the last entry first", .flag = &a.newest},
        {"status", "STATUS", "list: only calls with it: 403, 4xx", .text = &a.status},
        {"decision", "WORD", "list: only calls that a policy decided so, a fault or a stop",
         .text = &a.decision},
        {"risk", "RISK", "list: only calls of this risk or more: draft, write, ...",
         .text = &a.risk},
        {"follow", NULL, "list: and each entry as it comes, from now on or from --after",
         .flag = &a.follow},
        {"to", "N", "export: up to this entry", .text = &a.to},
        {"format", "FORMAT", "export: jsonl (the default), har, otlp, atif or run",
         .text = &a.format},
        {"secrets", NULL, "export: with what codes, tokens and links come from, to run elsewhere",
         .flag = &a.secrets},
        {"mode", "MODE", "set: which calls: writes, all or none", .text = &a.mode},
        {"keep", "WHAT", "set: what of each: redacted, full or hashes", .text = &a.keep},
        {"steps", "N", "set: how many states (1000)", .text = &a.steps},
        {"step-bytes", "SIZE", "set: what the states may hold, in MiB (64M)",
         .text = &a.step_bytes},
        {"bytes", "SIZE", "set: what the entries may have, in MiB (64M; 0: no bound)",
         .text = &a.bytes},
        {"label", "NAME:VALUE", "list: only calls with this label (VALUE may be left out)",
         .text = &a.label},
        {"head", "HASH", "verify: what the chain must end with", .text = &a.head},
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    enum word what = LIST;
    int at = 1; /* of the arguments behind the word */
    for (size_t i = 0; n && i < SOSIA_LEN(words); i++) {
        if (strcmp(argv[1], words[i]) == 0) {
            what = (enum word)i;
            at = 2;
        }
    }
    if (what == VERIFY)
        return n == 2 ? verify(argv[2], a.head) : usage(self, "the argument must be one file");
    if (what == CHANGES && n < 2)
        return usage(self, "the argument must be the number of an entry");
    if (what == CHANGES)
        a.seq = argv[at++];
    if (n > at)
        return usage(self, "the arguments must end with one world at most, there are more");
    if (client_world(&c, self, n == at ? argv[at] : NULL) < 0 || !check_numbers(&a))
        return EXIT_USAGE;
    if (a.follow && (what != LIST || a.newest || a.before))
        return usage(self, "--follow must be of a list from the oldest entry on");
    if (a.follow)
        return follow(&c, &a);
    struct buf path, body;
    buf_init(&path, 0);
    buf_init(&body, 0);
    write_path(&path, what, &a);
    if (what == SET)
        write_settings(&body, &a);
    int rc = ask(&c, what == SET ? "PUT" : "GET", &path, what == SET ? &body : NULL,
                 what == LIST && !a.bodies ? show_journal
                 : what == CHANGES         ? show_diff
                                           : NULL);
    buf_done(&path);
    buf_done(&body);
    return rc;
}

const struct command journal_command = {
    "journal", "[list|export|info|set|changes N] [WORLD] | verify FILE",
    "print the calls of a world, one a line; export and verify them",
    "Example:\n  sosia journal office --limit 10 --bodies\n"
    "  sosia journal office --newest --risk draft --status 4xx\n"
    "  sosia journal office --follow\n"
    "  sosia journal export office --format otlp > spans.json\n"
    "  sosia journal export office > run.jsonl && sosia journal verify run.jsonl",
    run_journal};

/* ---- replay ---- */

static void show_replay(const struct json *answer)
{
    const struct json *list = show_list(answer, "differences"), *equal = json_get(answer, "equal");
    static const char *const counts[] = {"ran", "taken", "left_out", "different"};
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *d = &list->items[i];
        printf("entry ");
        show_value(json_get(d, "seq"));
        printf("  %s  %s: ", show_text(d, "method"), show_text(d, "what"));
        show_value(json_get(d, "recorded"));
        printf(" -> ");
        show_value(json_get(d, "came"));
        putchar('\n');
    }
    for (size_t i = 0; i < SOSIA_LEN(counts); i++) {
        printf("%s%s ", i ? ", " : "", counts[i]);
        show_value(json_get(answer, counts[i]));
    }
    printf("; %s\n", json_is_true(equal) ? "equal" : "not equal");
    const struct json *pages = json_get(answer, "pages");
    if (pages && !json_is_true(pages))
        printf("the pages lie otherwise: hashes of what was written were not compared\n");
    if (json_get_str(answer, "why"))
        printf("%s\n", json_get_str(answer, "why"));
    if (json_get(answer, "gone")) {
        printf("entries up to ");
        show_value(json_get(answer, "gone"));
        printf(" are gone: the journal has no more bytes than it keeps\n");
    }
    if (json_get(answer, "stopped")) {
        printf("stopped at entry ");
        show_value(json_get(answer, "stopped"));
        printf(": it can't run, and its state is not kept\n");
    }
    if (json_get_str(answer, "world"))
        printf("%s\n", json_get_str(answer, "world"));
}

/* The exit code: a run that was edited is another one, which is not to be equal. */
static int replay_answer(const struct client *c, const struct buf *text, bool edited)
{
    const struct json *answer;
    struct arena a;
    arena_init(&a, 0);
    int rc = client_read(c, &a, text, &answer);
    bool as_it_was = rc == 0 && json_is_true(json_get(answer, "equal"));
    if (rc == 0 && c->json)
        fwrite(text->data, 1, text->len, stdout);
    else if (rc == 0)
        show_replay(answer);
    arena_done(&a);
    return rc ? rc : as_it_was || edited ? EXIT_OK : EXIT_REFUSED;
}

static int ask_replay(struct client *c, const struct buf *body, bool edited)
{
    struct buf path, text;
    int rc = EXIT_USAGE;
    buf_init(&path, 0);
    buf_init(&text, 0);
    if (client_world_path(&path, c) == 0) {
        buf_puts(&path, "/journal/replay");
        rc = client_call(c, "POST", buf_str(&path), body->data, body->len, &text);
        if (rc == 0)
            rc = replay_answer(c, &text, edited);
    }
    buf_done(&path);
    buf_done(&text);
    client_close(c);
    return rc;
}

/* -1: it is not JSON; a message was printed. What edits may be, the server knows. */
static int read_edits(const char *file, struct buf *ret)
{
    char name[DOCUMENT_NAME_MAX + 1];
    struct sosia_err err = {0};
    const struct json *v;
    struct arena a;
    if (read_text(file, ret) < 0)
        return -1;
    arena_init(&a, 0);
    int rc = json_parse(&a, buf_str(ret), ret->len, NULL, &v, &err);
    if (rc < 0)
        fprintf(stderr, "sosia: %s:%d: %s\n", document_name(file, name), err.line, err.text);
    arena_done(&a);
    return rc;
}

/* Verified here too: what can't be sent is named as well. */
static int read_journal(const char *file, struct buf *ret)
{
    struct sosia_err err;
    if (read_file(file, ret) < 0)
        return -1;
    if (sosia_journal_verify(buf_str(ret), ret->len, file, NULL, NULL, NULL, &err) == 0)
        return 0;
    fprintf(stderr, "sosia: %s\n", err.text);
    return -1;
}

/* On the state that the file has, in this process. */
static int replay_here(struct client *c, const char *file, struct buf *journal, struct buf *edits,
                       int64_t from, int64_t to, bool first)
{
    const struct sosia_replay_options opt = {.from = from,
                                             .to = to,
                                             .first = first,
                                             .edits = edits->len ? edits->data : NULL,
                                             .edits_len = edits->len,
                                             .journal = buf_str(journal),
                                             .journal_len = journal->len,
                                             .journal_name = file};
    struct sosia_engine *e;
    struct sosia_blob report;
    struct sosia_err err;
    struct buf text;
    buf_init(&text, 0);
    int rc = sosia_engine_open(NULL, &e, &err), code = EXIT_REFUSED;
    if (rc == 0) {
        rc = sosia_journal_replay(e, 0, &opt, NULL, &report, &err);
        if (rc == 0) {
            buf_add(&text, report.data, report.len);
            sosia_blob_free(&report);
            code = replay_answer(c, &text, edits->len > 0);
        }
        sosia_engine_close(e);
    }
    if (rc < 0)
        fprintf(stderr, "sosia: %s\n", err.text);
    buf_done(&text);
    client_close(c);
    return code;
}

/* What a server is asked for; NULL: nothing. */
struct asked_replay {
    const int64_t *from, *to;
    bool first, keep;
    const char *name, *file;
    struct buf *edits, *journal;
};

static void write_replay(struct buf *body, const struct asked_replay *a)
{
    struct json_writer w;
    json_init(&w, body, false, NULL);
    json_obj(&w, NULL);
    if (a->from)
        json_int(&w, "from", *a->from);
    if (a->to)
        json_int(&w, "to", *a->to);
    json_bool_opt(&w, "first", a->first);
    if (a->edits)
        json_strn(&w, "edits", buf_str(a->edits), a->edits->len);
    json_bool_opt(&w, "keep", a->keep);
    json_str_opt(&w, "name", a->name);
    if (a->journal) {
        json_strn(&w, "journal", buf_str(a->journal), a->journal->len);
        json_str_opt(&w, "journal_name", strlen(a->file) > 80 ? NULL : a->file);
    }
    json_end(&w);
}

static int run_replay(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *from = NULL, *to = NULL, *edits = NULL, *name = NULL, *file = NULL;
    int64_t from_number = 0, to_number = 0;
    bool first = false, keep = false, run = false;
    const struct option_row rows[] = {
        {"from", "N", "the entries behind this one (default: the world's own)", .text = &from},
        {"to", "N", "up to this one", .text = &to},
        {"first", NULL, "stop at the first difference", .flag = &first},
        {"run", NULL,
         "run the programs of calls again, each in a fork of the state that it was run in, and "
         "print "
         "what differs in outcomes and files",
         .flag = &run},
        {"edits", "FILE", "what is otherwise this time (docs/replay.md; \"-\": standard input)",
         .text = &edits},
        {"journal", "FILE",
         "the entries of an exported journal: on the state that the world resets to, or without a "
         "world on the one that the file has, in this process",
         .text = &file},
        {"keep", NULL, "the end becomes a world", .flag = &keep},
        {"name", "NAME", "and has this name", .text = &name},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n > 1)
        return usage(self, "the arguments must end with one world at most, there are more");
    bool here = file && !n && !c.world && !getenv("SOSIA_WORLD") && !keep && !name;
    if ((!here && client_world(&c, self, n ? argv[1] : NULL) < 0) ||
        (from && option_int("from", from, 0, INT64_MAX, &from_number) < 0) ||
        (to && option_int("to", to, 1, INT64_MAX, &to_number) < 0))
        return EXIT_USAGE;
    if (run && (edits || file || keep || name))
        return usage(self, "--run must be given without --edits, --journal, --keep and --name, is "
                           "given with one of them");
    if (run)
        return rerun(&c, from_number, to_number, first);
    struct buf body, text, journal;
    buf_init(&body, 0);
    buf_init(&text, 0);
    buf_init(&journal, 0);
    int rc = EXIT_REFUSED;
    if ((edits && read_edits(edits, &text) < 0) || (file && read_journal(file, &journal) < 0)) {
        rc = EXIT_REFUSED;
    } else if (here) {
        rc = replay_here(&c, file, &journal, &text, from_number, to_number, first);
    } else {
        const struct asked_replay asked = {.from = from ? &from_number : NULL,
                                           .to = to ? &to_number : NULL,
                                           .first = first,
                                           .keep = keep || name,
                                           .name = name,
                                           .file = file,
                                           .edits = edits ? &text : NULL,
                                           .journal = file ? &journal : NULL};
        write_replay(&body, &asked);
        rc = ask_replay(&c, &body, edits != NULL);
    }
    buf_done(&body);
    buf_done(&text);
    buf_done(&journal);
    return rc;
}

const struct command replay_command = {
    "replay", "[WORLD]", "run a world's journal again beside the world, and print what differs",
    "The exit code is 0 if the run was the same or was edited, else 1. Example:\n"
    "  sosia replay office\n"
    "  echo '[{\"step\":8,\"skip\":true}]' | sosia replay office --from 7 --edits - --name other\n"
    "  sosia diff other office\n"
    "  sosia replay --journal run.jsonl office\n"
    "  sosia replay --journal run.jsonl",
    run_replay};
