/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on worlds: each is one request to the control interface. */
#include "cli/cli.h"
#include "engine/base/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a JSON body from pairs of name and string; NULL strings are left out. */
static void body_of(struct buf *b, const char *const pairs[][2], size_t n)
{
    struct json_writer w;
    json_init(&w, b, false, NULL);
    json_obj(&w, NULL);
    for (size_t i = 0; i < n; i++)
        json_str_opt(&w, pairs[i][0], pairs[i][1]);
    json_end(&w);
}

static void show_nothing(const struct json *answer)
{
    (void)answer;
}

static void show_world(const struct json *w)
{
    const char *now = json_get_str(w, "now");
    const struct json *snapshot = json_get(w, "snapshot");
    printf("%-16s  %-20s %s%s\n", show_text(w, "world"), show_text(w, "name"), now ? now : "",
           snapshot && snapshot->truth ? "  (snapshot)" : "");
}

static void show_reset(const struct json *w)
{
    const char *name = json_get_str(w, "name"), *now = json_get_str(w, "now");
    printf("%s is back at the state that it resets to; its journal is empty, its clock at %s\n",
           name ? name : show_text(w, "world"), now ? now : "the real time");
}

/* A line for each token: key and URL of the world, the actor, the token. */
static void show_forks(const struct json *answer)
{
    const struct json *keys = show_list(answer, "worlds"), *tokens = show_list(answer, "tokens");
    const char *url = show_text(answer, "url"), *slash = strrchr(url, '/');
    int base = slash ? (int)(slash - url) : 0; /* the URLs differ in the key at their end */
    for (uint32_t i = 0; i < (keys ? keys->n : 1); i++) {
        const char *key = show_text(answer, "world");
        bool any = false;
        if (keys)
            key = keys->items[i].type == JSON_STRING ? keys->items[i].str : "-";
        for (uint32_t k = 0; tokens && k < tokens->n; k++) {
            const struct json *t = &tokens->items[k];
            if (strcmp(show_text(t, "world"), key) != 0)
                continue;
            printf("%s  %.*s/%s  %s  %s\n", key, base, url, key, show_text(t, "actor"),
                   show_text(t, "token"));
            any = true;
        }
        if (!any)
            printf("%s  %.*s/%s\n", key, base, url, key);
    }
}

void show_made(const struct json *answer)
{
    const struct json *list = show_list(answer, "worlds");
    if (list)
        for (uint32_t i = 0; i < list->n; i++)
            printf("%s\n", list->items[i].type == JSON_STRING
                               ? list->items[i].str
                               : show_text(&list->items[i], "world"));
    else
        printf("%s\n", show_text(answer, "world"));
}

/* One request on the client's world; ends the command. */
static int on_world(struct client *c, const char *method, const char *suffix,
                    const struct buf *body, void (*show)(const struct json *answer))
{
    struct buf path;
    int rc = EXIT_USAGE;
    buf_init(&path, 0);
    if (client_world_path(&path, c) == 0) {
        buf_puts(&path, suffix);
        rc = client_show(c, method, buf_str(&path), body, show);
    }
    buf_done(&path);
    client_close(c);
    return rc;
}

static int ended(int n)
{
    return n == -2 ? EXIT_OK : EXIT_USAGE;
}

/* The world of a line with n arguments, of which it is the one at `at`, the last. Gives an exit
 * code. */
static int take_world(struct client *c, const struct command *self, int n, char **argv, int at)
{
    if (n > at)
        return usage(self, "the arguments must end with one world at most, there are more");
    return client_world(c, self, n == at ? argv[at] : NULL) < 0 ? EXIT_USAGE : EXIT_OK;
}

/* ---- world ---- */

/* All pages. */
static int world_list(struct client *c)
{
    struct arena a;
    struct buf path, answer, all;
    struct json_writer w;
    const struct json *doc;
    int rc;
    arena_init(&a, 0);
    buf_init(&path, 0);
    buf_init(&answer, 0);
    buf_init(&all, 0);
    json_init(&w, &all, true, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "worlds");
    const char *next = "";
    do {
        buf_clear(&path);
        buf_clear(&answer);
        buf_printf(&path, "/worlds?limit=1000%s%s", *next ? "&after=" : "", next);
        rc = client_call(c, "GET", buf_str(&path), NULL, 0, &answer);
        next = NULL;
        if (rc || (rc = client_read(c, &a, &answer, &doc)))
            break;
        const struct json *list = show_list(doc, "worlds");
        for (uint32_t i = 0; list && i < list->n; i++) {
            if (c->json)
                json_value(&w, NULL, &list->items[i]);
            else
                show_world(&list->items[i]);
        }
        next = json_get_str(doc, "next");
    } while (next);
    json_end(&w);
    json_end(&w);
    if (rc == 0 && c->json)
        fputs(buf_str(&all), stdout);
    buf_done(&path);
    buf_done(&answer);
    buf_done(&all);
    arena_done(&a);
    client_close(c);
    return rc;
}

/* Numbers that are 0 are left out. */
static int world_create(struct client *c, const char *const pairs[][2], size_t n, const char *file,
                        int64_t step_ms, int64_t seed, int64_t ttl_us)
{
    struct seed_document doc;
    struct json_writer w;
    struct buf body;
    int rc = EXIT_REFUSED;
    buf_init(&body, 0);
    if (!file || seed_document_read(file, &doc) == 0) {
        json_init(&w, &body, false, NULL);
        json_obj(&w, NULL);
        for (size_t i = 0; i < n; i++)
            json_str_opt(&w, pairs[i][0], pairs[i][1]);
        if (file) {
            json_strn(&w, "seed_document", doc.fixture.text, doc.fixture.len);
            json_str(&w, "document_name", doc.name);
            c->origins = doc.fixture.origins;
        }
        if (step_ms)
            json_int(&w, "step_ms", step_ms);
        if (seed)
            json_int(&w, "seed", seed);
        if (ttl_us)
            json_int(&w, "ttl_seconds", ttl_us / 1000000);
        json_end(&w);
        if (file && !c->origins)
            buf_done(&doc.read); /* it may be large */
        rc = client_show(c, "POST", "/worlds", &body, show_made);
    }
    buf_done(&body);
    if (file)
        seed_document_done(&doc);
    client_close(c);
    return rc;
}

static int run_world(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *fixture = NULL, *from = NULL, *file = NULL, *name = NULL, *clock = NULL,
               *now = NULL, *ttl = NULL, *step = NULL, *seed = NULL;
    int64_t step_ms = 0, seed_number = 0, us = 0;
    const struct option_row rows[] = {
        {"fixture", "NAME", "create: as this fixture", .text = &fixture},
        {"from", "WORLD", "create: with the state of a snapshot or world", .text = &from},
        {"file", "FILE", "create: from a seed document (\"-\": standard input)", .text = &file},
        {"name", "NAME", "create: its name", .text = &name},
        {"clock", "MODE", "create: real, frozen or step", .text = &clock},
        {"step", "MS", "create: with --clock step, milliseconds a call (default 1000)",
         .text = &step},
        {"now", "TIME", "create: start at this time (RFC 3339)", .text = &now},
        {"seed", "N", "create: seed of its ids", .text = &seed},
        {"ttl", "SPAN", "create, ttl: how long it lives from now (15m); 0 for ever", .text = &ttl},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 1)
        return n < 0
                   ? ended(n)
                   : usage(self, "the first argument must be create, list, show, drop or ttl, not "
                                 "missing");
    if ((step && option_int("step", step, 1, INT64_C(86400000000), &step_ms) < 0) ||
        (seed && option_int("seed", seed, 1, INT64_MAX, &seed_number) < 0) ||
        (ttl && option_span("ttl", ttl, &us) < 0))
        return EXIT_USAGE;
    if (clock && !step && strcmp(clock, "step") == 0)
        step_ms = 1000;
    bool create = strcmp(argv[1], "create") == 0, list = strcmp(argv[1], "list") == 0;
    if ((create || list) && (n > 1 || c.world))
        return usage(self, create ? "a new world must be named by --name, is otherwise"
                                  : "list must be given without a world, not with one");
    if (create) {
        const char *const pairs[][2] = {
            {"fixture", fixture}, {"from", from}, {"name", name}, {"clock", clock}, {"now", now}};
        return world_create(&c, pairs, SOSIA_LEN(pairs), file, step_ms, seed_number, us);
    }
    if (list)
        return world_list(&c);
    if (take_world(&c, self, n, argv, 2))
        return EXIT_USAGE;
    if (strcmp(argv[1], "show") == 0)
        return on_world(&c, "GET", "", NULL, show_world);
    if (strcmp(argv[1], "drop") == 0)
        return on_world(&c, "DELETE", "", NULL, NULL);
    if (strcmp(argv[1], "ttl") == 0 && ttl) {
        struct buf body;
        buf_init(&body, 0);
        buf_printf(&body, "{\"seconds\":%lld}", (long long)(us / 1000000));
        int rc = on_world(&c, "PUT", "/ttl", &body, show_nothing);
        buf_done(&body);
        return rc;
    }
    fprintf(stderr,
            "sosia world: the first argument must be create, list, show, drop, or ttl with "
            "--ttl SPAN, not \"%s\"\n",
            argv[1]);
    return usage(self, NULL);
}

const struct command world_command = {
    "world", "create|list|show|drop|ttl [WORLD]",
    "make worlds, list, show and drop them, say how long they live",
    "Example:\n  sosia world create --fixture small --name mine "
    "--clock frozen\n  sosia world drop mine",
    run_world};

/* ---- commands that are one request ---- */

/* False: the file is empty, which was reported. */
bool some_content(const struct buf *b, const char *name, const char *what)
{
    if (!b->len)
        fprintf(stderr, "sosia: %s: must be %s, not empty\n", name, what);
    return b->len > 0;
}

static int run_seed(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const struct option_row rows[] = {WORLD_OPTION(&c), CLIENT_OPTIONS(&c)};
    struct seed_document doc;
    struct buf path;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return ended(n);
    if (n != 1 && n != 2)
        return usage(self, "the arguments must be a world, if it is named, and a file");
    if (client_world(&c, self, n == 2 ? argv[1] : NULL) < 0)
        return EXIT_USAGE;
    buf_init(&path, 0);
    int rc = EXIT_REFUSED;
    if (seed_document_read(argv[n], &doc) == 0 &&
        some_content(&doc.read, doc.name, "a seed document")) {
        struct buf body = {.data = (char *)doc.fixture.text, .len = doc.fixture.len};
        c.origins = doc.fixture.origins;
        buf_puts(&path, "/seed?document_name=");
        percent_add(&path, doc.name, strlen(doc.name));
        rc = on_world(&c, "POST", buf_str(&path), &body, show_nothing);
    }
    seed_document_done(&doc);
    buf_done(&path);
    return rc;
}

const struct command seed_command = {
    "seed", "[WORLD] FILE", "apply a seed document (JSON or YAML) to a world",
    "All of it is applied, or nothing. Example:\n  sosia seed office more-people.yaml", run_seed};

static int run_dump(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *const names[] = {"sections", "person", "text"};
    const char *given[SOSIA_LEN(names)] = {NULL};
    bool guard = false;
    const struct option_row rows[] = {
        {names[0], "NAMES", "only these, with commas between them: mailboxes, calendar, ...",
         .text = &given[0]},
        {names[1], "ADDRESS", "only what says that it is somebody's", .text = &given[1]},
        {names[2], "TEXT", "only what has it in it, whatever the case", .text = &given[2]},
        {"guard", NULL, "also what the world's rules keep: actions, counts, marks, budgets",
         .flag = &guard},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c)};
    struct buf suffix;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return ended(n);
    if (take_world(&c, self, n, argv, 1))
        return EXIT_USAGE;
    buf_init(&suffix, 0);
    buf_puts(&suffix, "/dump");
    if (guard)
        buf_puts(&suffix, "?guard=true");
    for (size_t i = 0, any = guard; i < SOSIA_LEN(names); i++) {
        if (!given[i])
            continue;
        buf_printf(&suffix, "%c%s=", any++ ? '&' : '?', names[i]);
        percent_add(&suffix, given[i], strlen(given[i]));
    }
    int rc = on_world(&c, "GET", buf_str(&suffix), NULL, NULL);
    buf_done(&suffix);
    return rc;
}

const struct command dump_command = {
    "dump", "[WORLD]", "print a world, or a part of it, as a seed document",
    "NAMES are sections of seed documents, or the cores that have them (mail, calendar, drive, "
    "chat). Example:\n  sosia dump office > before.json\n"
    "  sosia dump office --sections mailboxes --person ada@acme.example --text budget",
    run_dump};

struct actors {
    const char *emails[100];
    size_t n;
};

static int add_actor(void *arg, const char *email)
{
    struct actors *a = arg;
    if (a->n == SOSIA_LEN(a->emails)) {
        fprintf(stderr,
                "sosia fork: --actor must be given %zu times at most, is given more often\n",
                SOSIA_LEN(a->emails));
        return -1;
    }
    a->emails[a->n++] = email;
    return 0;
}

static int run_fork(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *name = NULL, *count = NULL, *seed = NULL, *now = NULL, *step = NULL,
               *journal = NULL, *suite = NULL, *task = NULL;
    char suite_name[DOCUMENT_NAME_MAX + 1];
    int64_t step_number = 0;
    struct actors actors = {.n = 0};
    int64_t n_forks = 1, seed_number;
    const struct option_row rows[] = {
        {"name", "NAME", "of the fork", .text = &name},
        {"actor", "EMAIL", "a token for this one (default: the world's first); may be repeated",
         .each = add_actor, .arg = &actors},
        {"count", "N", "how many", .text = &count},
        {"seed", "N", "a new seed of ids", .text = &seed},
        {"now", "TIME", "a new time (RFC 3339)", .text = &now},
        {"step", "N", "with the state after this entry of the journal", .text = &step},
        {"journal", "MODE", "keep these calls: writes, none, all (default: as its parent does)",
         .text = &journal},
        {"suite", "FILE", "what is to be judged in it: keeps what that asks for", .text = &suite},
        {"task", "ID", "of the suite's tasks (default: all of them)", .text = &task},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return ended(n);
    if (take_world(&c, self, n, argv, 1) ||
        (count && option_int("count", count, 1, 1000, &n_forks) < 0) ||
        (step && option_int("step", step, 0, INT64_MAX, &step_number) < 0) ||
        (seed && option_int("seed", seed, 1, INT64_MAX, &seed_number) < 0))
        return EXIT_USAGE;
    struct buf body, text;
    struct json_writer w;
    buf_init(&body, 0);
    buf_init(&text, 0);
    if (suite && read_text(suite, &text) < 0) {
        buf_done(&text);
        return EXIT_REFUSED;
    }
    json_init(&w, &body, false, NULL);
    json_obj(&w, NULL);
    json_str_opt(&w, "name", name);
    json_str_opt(&w, "now", now);
    json_str_opt(&w, "journal", journal);
    json_str_opt(&w, "task", task);
    if (suite) {
        json_strn(&w, "suite", buf_str(&text), text.len);
        json_str(&w, "suite_name", document_name(suite, suite_name));
    }
    buf_done(&text);
    if (count)
        json_int(&w, "count", n_forks);
    if (step)
        json_int(&w, "step", step_number);
    if (seed)
        json_int(&w, "seed", seed_number);
    if (actors.n) {
        json_arr(&w, "actors");
        for (size_t i = 0; i < actors.n; i++)
            json_str(&w, NULL, actors.emails[i]);
        json_end(&w);
    }
    json_end(&w);
    /* A data directory has no server after this command. */
    int rc = on_world(&c, "POST", "/fork", &body, c.data ? show_made : show_forks);
    buf_done(&body);
    return rc;
}

const struct command fork_command = {
    "fork", "[WORLD]", "make a new world with the state of another, and a token for it",
    "Prints a line for each fork and actor: key, URL, e-mail address, token; with --data the key "
    "alone. Example:\n"
    "  read -r world url actor token < <(sosia fork office --name try-1)\n"
    "  curl -H \"Authorization: Bearer $token\" $url/calendar/v3/users/me/calendarList",
    run_fork};

/* A POST to a world, with the value of one option as its body. */
static int run_post(const struct command *self, int argc, char **argv, struct option_row option,
                    const char *suffix, void (*show)(const struct json *answer))
{
    struct client c = {0};
    const char *text = NULL;
    option.text = &text;
    const struct option_row rows[] = {option, WORLD_OPTION(&c), CLIENT_OPTIONS(&c)};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return ended(n);
    if (take_world(&c, self, n, argv, 1))
        return EXIT_USAGE;
    struct buf body;
    buf_init(&body, 0);
    const char *const pairs[][2] = {{option.name, text}};
    body_of(&body, pairs, 1);
    int rc = on_world(&c, "POST", suffix, &body, show);
    buf_done(&body);
    return rc;
}

static int run_reset(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *to = NULL, *step = NULL;
    int64_t number = 0;
    const struct option_row rows[] = {
        {"to", "SNAPSHOT", "to this state, which is what later resets go to", .text = &to},
        {"step", "N", "to the state after this entry of the journal", .text = &step},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return ended(n);
    if (take_world(&c, self, n, argv, 1) ||
        (step && option_int("step", step, 0, INT64_MAX, &number) < 0))
        return EXIT_USAGE;
    struct json_writer w;
    struct buf body;
    json_start(&w, &body);
    json_obj(&w, NULL);
    json_str_opt(&w, "to", to);
    if (step)
        json_int(&w, "step", number);
    json_end(&w);
    int rc = on_world(&c, "POST", "/reset", &body, step ? show_world : show_reset);
    buf_done(&body);
    return rc;
}

const struct command reset_command = {"reset", "[WORLD]",
                                      "bring a world back to the state it began with",
                                      "Example:\n  sosia reset office", run_reset};

static int run_snapshot(const struct command *self, int argc, char **argv)
{
    return run_post(self, argc, argv, (struct option_row){"name", "NAME", "of the snapshot"},
                    "/snapshot", show_made);
}

const struct command snapshot_command = {
    "snapshot", "[WORLD]", "keep a world's present state, and print its key",
    "Example:\n  sosia snapshot office --name before\n  sosia diff before office", run_snapshot};

/* ---- token ---- */

static void show_token(const struct json *answer)
{
    printf("%s\n", show_text(answer, "token"));
}

static int run_token(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *actor = NULL, *scopes = NULL, *ttl = NULL, *value = NULL;
    const char *app = NULL, *kind = NULL, *prefix = NULL;
    const struct option_row rows[] = {
        {"actor", "ACTOR", "issue: for whom, by address or handle", .text = &actor},
        {"scopes", "LIST",
         "issue: what it allows, with spaces or commas between (default: everything)",
         .text = &scopes},
        {"ttl", "SPAN", "issue: how long it lives by the world's clock", .text = &ttl},
        {"value", "TOKEN", "issue: this very token", .text = &value},
        {"app", "ID", "issue: for the app with this client id", .text = &app},
        {"kind", "KIND", "issue: user, bot or app (default: as the actor is)", .text = &kind},
        {"prefix", "TEXT", "issue: in the shape that a vendor's programs expect, such as xyz-1-",
         .text = &prefix},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    int64_t us = 0;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return ended(n);
    bool issue = n > 0 && strcmp(argv[1], "issue") == 0,
         revoke = n > 1 && strcmp(argv[1], "revoke") == 0;
    if ((!issue && !revoke) || (issue && !actor))
        return usage(self,
                     "the arguments must begin with issue, with --actor ACTOR, or revoke TOKEN");
    if (take_world(&c, self, n, argv, issue ? 2 : 3))
        return EXIT_USAGE;
    if (ttl && option_span("ttl", ttl, &us) < 0)
        return EXIT_USAGE;
    struct buf body;
    struct json_writer w;
    json_start(&w, &body);
    json_obj(&w, NULL);
    if (revoke) {
        json_str(&w, "token", argv[2]);
    } else {
        json_str(&w, "actor", actor);
        json_str_opt(&w, "scopes", scopes);
        json_str_opt(&w, "value", value);
        json_str_opt(&w, "app", app);
        json_str_opt(&w, "kind", kind);
        json_str_opt(&w, "prefix", prefix);
        if (ttl)
            json_int(&w, "ttl_seconds", us / 1000000);
    }
    json_end(&w);
    int rc = on_world(&c, "POST", revoke ? "/tokens/revoke" : "/tokens", &body,
                      revoke ? NULL : show_token);
    buf_done(&body);
    return rc;
}

const struct command token_command = {
    "token", "issue|revoke TOKEN [WORLD]", "issue a token for somebody in a world, or revoke one",
    "Example:\n  sosia token issue office --actor marta.ferri@tidewater.example "
    "--ttl 1h",
    run_token};

/* ---- consent ---- */

static void show_link(const struct json *answer)
{
    printf("%s\n", show_text(answer, "link"));
}

static int run_consent(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *ttl = NULL;
    const struct option_row rows[] = {
        {"ttl", "SPAN", "how long it is good by the world's clock (default: 1h)", .text = &ttl},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    int64_t us = 0;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return ended(n);
    if (n < 1)
        return usage(self, "the arguments must begin with a person, there are none");
    if (take_world(&c, self, n, argv, 2) || (ttl && option_span("ttl", ttl, &us) < 0))
        return EXIT_USAGE;
    struct buf body;
    struct json_writer w;
    json_start(&w, &body);
    json_obj(&w, NULL);
    json_str(&w, "actor", argv[1]);
    if (ttl)
        json_int(&w, "ttl_seconds", us / 1000000);
    json_end(&w);
    int rc = on_world(&c, "POST", "/consents", &body, show_link);
    buf_done(&body);
    return rc;
}

const struct command consent_command = {
    "consent", "PERSON [WORLD]",
    "make a link with which a person proves once who it is, where a program asks for consent",
    "Example:\n  sosia consent marta.ferri@tidewater.example office", run_consent};

/* ---- clock ---- */

static void show_clock(const struct json *answer)
{
    printf("%s  (%s)\n", show_text(answer, "now"), show_text(answer, "clock"));
}

static int run_clock(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *step = NULL;
    const struct option_row rows[] = {
        {"step", "MS", "mode step: milliseconds a call", .text = &step},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c)};
    int64_t us = 0, step_ms = 1000;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return ended(n);
    const char *what = n ? argv[1] : "get";
    bool get = strcmp(what, "get") == 0;
    if (take_world(&c, self, n, argv, get ? 2 : 3))
        return EXIT_USAGE;
    if (get)
        return on_world(&c, "GET", "/clock", NULL, show_clock);
    if (n < 2)
        return usage(self, "the arguments must begin with get, set TIME, advance SPAN or mode "
                           "real|frozen|step");
    if (step && option_int("step", step, 0, INT64_C(86400000000), &step_ms) < 0)
        return EXIT_USAGE;
    struct buf body;
    struct json_writer w;
    const char *method = "PUT", *suffix = "/clock";
    json_start(&w, &body);
    json_obj(&w, NULL);
    int rc = 0;
    if (strcmp(what, "set") == 0) {
        json_str(&w, "now", argv[2]);
    } else if (strcmp(what, "mode") == 0) {
        json_str(&w, "clock", argv[2]);
        if (strcmp(argv[2], "step") == 0)
            json_int(&w, "step_ms", step_ms);
    } else if (strcmp(what, "advance") == 0) {
        rc = argument_span("the span", argv[2], &us) < 0 ? EXIT_USAGE : EXIT_OK;
        json_int(&w, "seconds", us / 1000000);
        method = "POST";
        suffix = "/clock/advance";
    } else {
        rc = usage(self, "the arguments must begin with get, set TIME, advance SPAN or mode "
                         "real|frozen|step");
    }
    json_end(&w);
    if (rc == 0)
        rc = on_world(&c, method, suffix, &body, show_clock);
    buf_done(&body);
    return rc;
}

const struct command clock_command = {
    "clock", "get|set TIME|advance SPAN|mode MODE [WORLD]", "look at a world's clock, or move it",
    "Going forward fires what is due on the way. Example:\n  sosia clock advance 2h office",
    run_clock};

/* ---- outbox ---- */

static int run_outbox(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *after = NULL, *limit = NULL;
    const struct option_row rows[] = {
        {"after", "N", "only entries with a higher number", .text = &after},
        {"limit", "N", "how many at most", .text = &limit},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    int64_t number;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return ended(n);
    if (take_world(&c, self, n, argv, 1) ||
        (after && option_int("after", after, 0, INT64_MAX, &number) < 0) ||
        (limit && option_int("limit", limit, 1, 1000, &number) < 0))
        return EXIT_USAGE;
    struct buf path;
    buf_init(&path, 0);
    buf_printf(&path, "/outbox?after=%s&limit=%s", after ? after : "0", limit ? limit : "100");
    int rc = on_world(&c, "GET", buf_str(&path), NULL, show_outbox);
    buf_done(&path);
    return rc;
}

const struct command outbox_command = {"outbox", "[WORLD]",
                                       "print what would have left a world: mail, notifications",
                                       "Example:\n  sosia outbox office", run_outbox};
