/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sosia explore: a recorded run with trouble at each of its calls, which the server does; or a
 * command that drives an agent, which is run once for each call and kind of fault, in a fork of its
 * own each time. What the ends of those have more or less than that of a run without trouble was
 * done twice, or not at all.
 */
#include "cli/cli.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define CALLS_MAX    1000
#define RUNNING_MAX  64
#define USUAL_FAULTS "rate-limit,server-error,reset,lost-answer,truncated"

struct exploring {
    struct client c;
    const char *faults, *depth, *from, *to, *threads, *command, *actor, *seconds, *step;
    const char *suite, *task, *answer; /* that runs are judged by; NULL: none */
    struct buf suite_text;
    const char *start; /* of a command: the world that verdicts compare with; NULL: their own */
    bool passed;       /* the run without trouble */
    int64_t others, ungraded;
    int64_t most_s;   /* that a command may take */
    int64_t at_step;  /* entry of the journal behind which it begins; -1: at the end */
    int64_t at_once;  /* commands */
    char **arguments; /* of the command */
    struct arena arena;
    const struct json *usual; /* the changes of a run without trouble */
    int64_t runs, twice, lost, failed;
    struct json_writer w;
    struct buf out;
};

/* A run of the command. */
struct one {
    pid_t pid; /* 0: the place is free */
    char world[17];
    int64_t call;
    const char *fault;
    double until;
    int said; /* a file with its output */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the server ---- */

static int exchange(struct exploring *x, const char *method, const char *path, const char *body,
                    const struct json **ret)
{
    struct buf answer;
    buf_init(&answer, 0);
    int rc = client_call(&x->c, method, path, body, body ? strlen(body) : 0, &answer);
    if (rc == 0 && ret) {
        struct buf kept = {.data = arena_memdup(&x->arena, buf_str(&answer), answer.len),
                           .len = answer.len};
        rc = client_read(&x->c, &x->arena, &kept, ret);
    }
    buf_done(&answer);
    return rc;
}

static const char *path_of(struct exploring *x, const char *world, const char *rest)
{
    return arena_printf(&x->arena, "/worlds/%s%s", world, rest);
}

/* ---- commands ---- */

static char **environment(struct exploring *x, const char *world, const char *token)
{
    size_t n = 0, k = 0;
    while (environ[n])
        n++;
    char **list = arena_calloc(&x->arena, n + 4, sizeof *list);
    for (size_t i = 0; i < n; i++)
        if (!str_starts(environ[i], "SOSIA_URL=") && !str_starts(environ[i], "SOSIA_TOKEN=") &&
            !str_starts(environ[i], "SOSIA_WORLD=") &&
            !str_starts(environ[i], "SOSIA_CONTROL_KEY="))
            list[k++] = environ[i];
    int len = (int)strlen(x->c.url);
    while (len && x->c.url[len - 1] == '/')
        len--;
    list[k++] = arena_printf(&x->arena, "SOSIA_URL=%.*s/w/%s", len, x->c.url, world);
    list[k++] = arena_printf(&x->arena, "SOSIA_WORLD=%s", world);
    list[k++] = arena_printf(&x->arena, "SOSIA_TOKEN=%s", token);
    return list;
}

/* A fork for a run: of the step that was asked for, or another one (-1: that). */
static int make_fork(struct exploring *x, int64_t step, const struct json **ret)
{
    struct json_writer w;
    struct buf path, body;
    buf_init(&path, 0);
    json_start(&w, &body);
    json_obj(&w, NULL);
    json_str(&w, "journal", "all");
    if (step >= 0 || x->at_step >= 0)
        json_int(&w, "step", step >= 0 ? step : x->at_step);
    if (x->actor) {
        json_arr(&w, "actors");
        json_str(&w, NULL, x->actor);
        json_end(&w);
    }
    json_end(&w);
    int rc = client_world_path(&path, &x->c) < 0 ? EXIT_USAGE : EXIT_OK;
    buf_puts(&path, "/fork");
    if (rc == EXIT_OK)
        rc = exchange(x, "POST", buf_str(&path), buf_str(&body), ret);
    buf_done(&path);
    buf_done(&body);
    return rc;
}

/* A fork with one fault, and the command in it. 0, or an exit code. */
static int begin(struct exploring *x, struct one *o, int64_t call, const char *fault)
{
    const struct json *made;
    int rc = make_fork(x, -1, &made);
    if (rc)
        return rc;
    const struct json *tokens = show_list(made, "tokens");
    const char *token = tokens && tokens->n ? json_get_str(&tokens->items[0], "token") : "";
    snprintf(o->world, sizeof o->world, "%s", show_text(made, "world"));
    const char *rule =
        fault ? arena_printf(&x->arena,
                             "{\"faults\":1,\"rules\":[{\"name\":\"explorer\",\"fault\":\"%s\","
                             "\"calls\":%lld%s}]}",
                             fault, (long long)call,
                             strcmp(fault, "server-error") == 0 ? ",\"status\":503" : "")
              : "{\"faults\":1,\"rules\":[{\"name\":\"explorer\",\"fault\":\"reset\","
                "\"chance\":0}]}";
    rc = exchange(x, "PUT", path_of(x, o->world, "/faults"), rule, NULL);
    if (rc)
        return rc;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    o->said = memfd_create("answer", MFD_CLOEXEC);
    if (o->said >= 0)
        posix_spawn_file_actions_adddup2(&files, o->said, STDOUT_FILENO);
    if (fault) /* what it says of its troubles is not news */
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    int code = posix_spawnp(&o->pid, x->arguments[0], &files, &attr, x->arguments,
                            environment(x, o->world, token ? token : ""));
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    if (code) {
        o->pid = 0;
        fprintf(stderr, "sosia: %s: %s\n", x->arguments[0], strerror(code));
        return EXIT_REFUSED;
    }
    o->call = call;
    o->fault = fault;
    o->until = now() + (double)x->most_s;
    return EXIT_OK;
}

/* ---- effects ---- */

static bool same(const struct json *a, const struct json *b)
{
    static const char *const names[] = {"change", "entity", "service", "person", "title"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        const char *p = json_get_str(a, names[i]), *q = json_get_str(b, names[i]);
        if (!p != !q || (p && strcmp(p, q) != 0))
            return false;
    }
    return true;
}

static bool is_effect(const struct json *c)
{
    const char *change = json_get_str(c, "change");
    return change && !json_get(c, "cause") && strcmp(change, "changed") != 0;
}

static int64_t count(const struct json *list, const struct json *like)
{
    int64_t n = 0;
    for (uint32_t i = 0; list && i < list->n; i++)
        n += is_effect(&list->items[i]) && same(&list->items[i], like);
    return n;
}

static void write_effect(struct exploring *x, const struct json *c, const char *what)
{
    static const char *const names[] = {"change", "entity", "service", "person", "title"};
    json_obj(&x->w, NULL);
    json_str(&x->w, "happened", what);
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        json_str_opt(&x->w, names[i], json_get_str(c, names[i]));
    json_end(&x->w);
    if (!x->c.json) {
        printf("    %s: %s %s", what, show_text(c, "entity"), show_text(c, "change"));
        show_member(", ", c, "title");
    }
}

/* Each kind of effect once: of `list`, of which `other` has fewer. */
static int64_t compare(struct exploring *x, const struct json *list, const struct json *other,
                       const char *what)
{
    int64_t found = 0;
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *c = &list->items[i];
        bool before = !is_effect(c);
        for (uint32_t k = 0; k < i && !before; k++)
            before = is_effect(&list->items[k]) && same(&list->items[k], c);
        int64_t more = before ? 0 : count(list, c) - count(other, c);
        bool twice = strcmp(what, "twice") == 0;
        if (more <= 0 || (twice && !count(other, c)))
            continue;
        write_effect(x, c, what);
        found++;
    }
    return found;
}

static int changes_of(struct exploring *x, const char *world, const struct json **ret)
{
    const struct json *diff;
    int rc = exchange(x, "GET", arena_printf(&x->arena, "/diff?to=%s", world), NULL, &diff);
    *ret = rc ? NULL : show_list(diff, "changes");
    return rc;
}

/* ---- verdicts ---- */

/* The output of the command, as its answer; NULL: nothing that is text. */
static const char *answer_of(struct exploring *x, struct one *o)
{
    size_t most = (size_t)1 << 20;
    off_t n = o->said >= 0 ? lseek(o->said, 0, SEEK_END) : 0;
    size_t len = n <= 0 ? 0 : (size_t)n < most ? (size_t)n : most;
    char *text = arena_alloc(&x->arena, len + 1);
    ssize_t got = len ? pread(o->said, text, len, 0) : 0;
    len = got > 0 ? (size_t)got : 0;
    while (len && strchr(" \r\n\t", text[len - 1]))
        len--;
    text[len] = 0;
    if (o->said >= 0)
        close(o->said);
    o->said = -1;
    return len && utf8_valid(text, len) && strlen(text) == len ? text : NULL;
}

/* *ret_why: why there is no verdict; NULL: there is one. */
static int judge(struct exploring *x, struct one *o, const char *answer, bool *ret_passed,
                 const char **ret_why)
{
    struct json_writer w;
    struct buf body;
    const struct json *graded;
    char name[DOCUMENT_NAME_MAX + 1];
    json_start(&w, &body);
    json_obj(&w, NULL);
    json_strn(&w, "suite", buf_str(&x->suite_text), x->suite_text.len);
    json_str(&w, "suite_name", document_name(x->suite, name));
    json_str_opt(&w, "task", x->task);
    json_str_opt(&w, "from", x->start);
    json_str_opt(&w, "answer", answer);
    json_arr(&w, "worlds");
    json_str(&w, NULL, o->world);
    json_end(&w);
    json_end(&w);
    int rc = exchange(x, "POST", "/worlds/grade", buf_str(&body), &graded);
    buf_done(&body);
    if (rc)
        return rc;
    const struct json *list = show_list(graded, "results");
    const struct json *one = list && list->n ? &list->items[0] : NULL;
    *ret_why = json_get_str(one, "reason");
    *ret_passed = json_get_true(one, "passed");
    return EXIT_OK;
}

/* A run in trouble: whether its verdict is that of the run without. */
static int judge_one(struct exploring *x, struct one *o, const char *answer)
{
    const char *why = NULL;
    bool passed = false;
    int rc = x->suite ? judge(x, o, answer, &passed, &why) : EXIT_OK;
    if (!x->suite || rc)
        return rc;
    x->ungraded += why != NULL;
    x->others += !why && passed != x->passed;
    if (why)
        json_str(&x->w, "ungraded", why);
    else
        json_bool(&x->w, "passed", passed);
    if (!x->c.json && why)
        printf("    ungraded: %s\n", why);
    else if (!x->c.json && passed != x->passed)
        printf("    verdict: %s\n", passed ? "passed" : "not passed");
    return EXIT_OK;
}

/* A run is over. ended: it was not by us. */
static int end(struct exploring *x, struct one *o, int status, bool ended)
{
    const struct json *list;
    bool good = ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    const char *answer = answer_of(x, o);
    int rc = changes_of(x, o->world, &list);
    if (rc)
        return rc;
    if (!x->c.json)
        printf("call %lld, %s: %s\n", (long long)o->call, o->fault,
               !ended ? "did not end in time"
               : good ? "ended well"
                      : "ended with a failure");
    json_obj(&x->w, NULL);
    json_int(&x->w, "call", o->call);
    json_str(&x->w, "fault", o->fault);
    json_str(&x->w, "ended", !ended ? "not in time" : good ? "well" : "with a failure");
    json_arr(&x->w, "effects");
    int64_t twice = compare(x, list, x->usual, "twice"),
            lost = compare(x, x->usual, list, "not at all");
    json_end(&x->w);
    rc = judge_one(x, o, answer);
    json_end(&x->w);
    if (rc)
        return rc;
    x->runs++;
    x->twice += twice > 0;
    x->lost += lost > 0;
    x->failed += !good;
    return exchange(x, "DELETE", path_of(x, o->world, ""), NULL, NULL);
}

/* Waits until one of them is over; its place is free then. */
static int wait_for_one(struct exploring *x, struct one *list, size_t n)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    for (;;) {
        for (size_t i = 0; i < n; i++) {
            int status = 0;
            bool late = list[i].pid && now() > list[i].until;
            if (!list[i].pid)
                continue;
            if (late)
                kill(-list[i].pid, SIGKILL);
            pid_t got = waitpid(list[i].pid, &status, late ? 0 : WNOHANG);
            if (got == list[i].pid) {
                list[i].pid = 0;
                return end(x, &list[i], status, !late);
            }
        }
        nanosleep(&pause, NULL);
    }
}

/* Forks of a step go back to that: verdicts compare with what was before the first entry. */
static int find_start(struct exploring *x)
{
    const struct json *made;
    int rc = make_fork(x, 0, &made);
    if (rc == EXIT_OK)
        x->start = arena_strdup(&x->arena, show_text(made, "world"));
    return rc;
}

/* One run without trouble: how many calls it makes, and what it changes. */
static int run_usual(struct exploring *x, int64_t *ret_calls)
{
    struct one o = {.said = -1};
    const struct json *info;
    const char *why = NULL;
    int status;
    int rc = x->suite && x->at_step >= 0 ? find_start(x) : EXIT_OK;
    if (!rc)
        rc = begin(x, &o, 0, NULL);
    if (rc)
        return rc;
    while (waitpid(o.pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "sosia: the command must end with 0 where nothing is in its way, does "
                        "not\n");
        return EXIT_REFUSED;
    }
    rc = exchange(x, "GET", path_of(x, o.world, "/faults"), NULL, &info);
    if (rc || (rc = changes_of(x, o.world, &x->usual)))
        return rc;
    const char *answer = answer_of(x, &o);
    if (x->suite && (rc = judge(x, &o, answer, &x->passed, &why)))
        return rc;
    if (why) {
        fprintf(stderr, "sosia: the run without trouble must have a verdict, has none: %s\n", why);
        return EXIT_REFUSED;
    }
    const struct json *rules = show_list(info, "rules");
    *ret_calls = rules && rules->n ? json_get_int(&rules->items[0], "matched", 0) : 0;
    if (*ret_calls > CALLS_MAX) {
        fprintf(stderr, "sosia: the command must make at most %d calls, makes %lld\n", CALLS_MAX,
                (long long)*ret_calls);
        return EXIT_REFUSED;
    }
    return exchange(x, "DELETE", path_of(x, o.world, ""), NULL, NULL);
}

static int run_all(struct exploring *x, int64_t calls)
{
    struct one list[RUNNING_MAX] = {0};
    size_t n = (size_t)x->at_once, running = 0;
    int rc = EXIT_OK;
    for (int64_t call = 1; call <= calls && !rc; call++)
        for (const char *p = x->faults; *p && !rc;) {
            size_t len = strcspn(p, ","), at = 0;
            const char *fault = arena_memdup(&x->arena, p, len);
            p += len + (p[len] == ',');
            if (running == n && !(rc = wait_for_one(x, list, n)))
                running--;
            while (at < n && list[at].pid)
                at++;
            if (!rc && at < n && !(rc = begin(x, &list[at], call, fault)))
                running++;
        }
    while (running && !rc) {
        rc = wait_for_one(x, list, n);
        running--;
    }
    for (size_t i = 0; i < n; i++)
        if (list[i].pid) {
            kill(-list[i].pid, SIGKILL);
            waitpid(list[i].pid, NULL, 0);
        }
    return rc;
}

static int explore_command_line(struct exploring *x)
{
    int64_t calls = 0;
    if (!x->faults)
        x->faults = USUAL_FAULTS;
    buf_init(&x->out, 0);
    json_init(&x->w, &x->out, true, NULL);
    json_obj(&x->w, NULL);
    json_arr(&x->w, "runs");
    int rc = run_usual(x, &calls);
    if (!rc)
        rc = run_all(x, calls);
    json_end(&x->w);
    json_int(&x->w, "calls", calls);
    json_int(&x->w, "branches", x->runs);
    json_int(&x->w, "twice", x->twice);
    json_int(&x->w, "not_at_all", x->lost);
    json_int(&x->w, "failed", x->failed);
    if (x->suite) {
        json_obj(&x->w, "verdict");
        json_bool(&x->w, "passed", x->passed);
        json_int(&x->w, "others", x->others);
        json_int(&x->w, "ungraded", x->ungraded);
        json_end(&x->w);
    }
    json_end(&x->w);
    if (x->start && !rc)
        rc = exchange(x, "DELETE", path_of(x, x->start, ""), NULL, NULL);
    if (!rc && x->c.json)
        fputs(buf_str(&x->out), stdout);
    else if (!rc)
        printf("%lld runs of %lld calls; something happened twice in %lld, not at all in %lld; "
               "%lld did not end well\n",
               (long long)x->runs, (long long)calls, (long long)x->twice, (long long)x->lost,
               (long long)x->failed);
    if (!rc && x->suite && !x->c.json)
        printf("the task is %s without trouble, and otherwise in %lld; %lld ended ungraded\n",
               x->passed ? "passed" : "not passed", (long long)x->others, (long long)x->ungraded);
    buf_done(&x->out);
    return rc ? rc : x->twice || x->lost || x->others ? EXIT_REFUSED : EXIT_OK;
}

/* ---- recorded runs ---- */

static void show_findings(const struct json *answer)
{
    const struct json *list = show_list(answer, "findings"), *verdict = json_get(answer, "verdict");
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *faults = show_list(&list->items[i], "faults"),
                          *effects = show_list(&list->items[i], "effects");
        for (uint32_t k = 0; faults && k < faults->n; k++)
            printf("%s%lld %s: %s, and the client %s", k ? "; " : "",
                   (long long)json_get_int(&faults->items[k], "seq", 0),
                   show_text(&faults->items[k], "method"), show_text(&faults->items[k], "fault"),
                   show_text(&faults->items[k], "client"));
        putchar('\n');
        if (verdict && json_get(&list->items[i], "passed") &&
            json_get_true(&list->items[i], "passed") != json_get_true(verdict, "passed"))
            printf("    verdict: %s\n",
                   json_get_true(&list->items[i], "passed") ? "passed" : "not passed");
        if (json_get_true(&list->items[i], "ungraded"))
            printf("    ungraded\n");
        for (uint32_t k = 0; effects && k < effects->n; k++) {
            printf("    %s: %s", show_text(&effects->items[k], "happened"),
                   show_text(&effects->items[k], "entity"));
            show_member(", ", &effects->items[k], "title");
        }
    }
    printf("%lld runs of %lld calls; something happened twice in %lld, not at all in %lld; a later "
           "call was refused in %lld; %lld ended ungraded\n",
           (long long)json_get_int(answer, "branches", 0),
           (long long)json_get_int(answer, "calls", 0), (long long)json_get_int(answer, "twice", 0),
           (long long)json_get_int(answer, "not_at_all", 0),
           (long long)json_get_int(answer, "refused_later", 0),
           (long long)json_get_int(answer, "ungraded", 0));
    if (verdict)
        printf("the task is %s in the run as it was, and otherwise in %lld\n",
               json_get_true(verdict, "passed") ? "passed" : "not passed",
               (long long)json_get_int(verdict, "others", 0));
}

static int explore_recorded(struct exploring *x)
{
    struct json_writer w;
    struct buf path, body;
    int64_t depth = 1, from = 0, to = 0;
    char name[DOCUMENT_NAME_MAX + 1];
    if ((x->depth && option_int("depth", x->depth, 1, 2, &depth) < 0) ||
        (x->from && option_int("from", x->from, 1, INT64_MAX, &from) < 0) ||
        (x->to && option_int("to", x->to, 1, INT64_MAX, &to) < 0))
        return EXIT_USAGE;
    buf_init(&path, 0);
    json_start(&w, &body);
    json_obj(&w, NULL);
    json_str_opt(&w, "faults", x->faults);
    json_int(&w, "depth", depth);
    if (x->threads)
        json_int(&w, "threads", x->at_once);
    if (from)
        json_int(&w, "from", from);
    if (to)
        json_int(&w, "to", to);
    if (x->suite) {
        json_strn(&w, "suite", buf_str(&x->suite_text), x->suite_text.len);
        json_str(&w, "suite_name", document_name(x->suite, name));
        json_str_opt(&w, "task", x->task);
        json_str_opt(&w, "answer", x->answer);
    }
    json_end(&w);
    int rc = client_world_path(&path, &x->c) < 0 ? EXIT_USAGE : EXIT_OK;
    buf_puts(&path, "/explore");
    if (rc == EXIT_OK)
        rc = client_show(&x->c, "POST", buf_str(&path), &body, show_findings);
    buf_done(&path);
    buf_done(&body);
    return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
    struct exploring x = {.most_s = 60, .at_step = -1};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const struct option_row rows[] = {
        {"faults", "KINDS", "which, with commas between (default: those that are usual)",
         .text = &x.faults},
        {"depth", "N", "of a recorded run: faults in a run, 1 or 2", .text = &x.depth},
        {"from", "N", "of a recorded run: the first entry that gets a fault", .text = &x.from},
        {"to", "N", "of a recorded run: the last one", .text = &x.to},
        {"threads", "N", "runs at once (default: as many as there are processors)",
         .text = &x.threads},
        {"command", "SHELL",
         "an agent in the place of the recorded run: a line for /bin/sh, with SOSIA_URL, "
         "SOSIA_WORLD and SOSIA_TOKEN",
         .text = &x.command},
        {"actor", "ADDRESS", "whose token the command gets", .text = &x.actor},
        {"step", "N", "of a command: it begins behind this entry of the journal (0: before all)",
         .text = &x.step},
        {"suite", "FILE", "judge each run by a task of this suite", .text = &x.suite},
        {"task", "ID", "of the suite's tasks (default: the only one)", .text = &x.task},
        {"answer", "TEXT", "of a recorded run: what was said at its end", .text = &x.answer},
        {"seconds", "N", "that the command may take (default 60)", .text = &x.seconds},
        WORLD_OPTION(&x.c),
        CLIENT_OPTIONS(&x.c),
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n > 1)
        return usage(self, "the arguments must be one world at most, are more");
    x.at_once = cores > 0 && cores < RUNNING_MAX ? cores : 1;
    if (client_world(&x.c, self, n ? argv[1] : NULL) < 0 ||
        (x.threads && option_int("threads", x.threads, 1, RUNNING_MAX, &x.at_once) < 0) ||
        (x.seconds && option_int("seconds", x.seconds, 1, 86400, &x.most_s) < 0) ||
        (x.step && option_int("step", x.step, 0, INT64_MAX, &x.at_step) < 0))
        return EXIT_USAGE;
    if (!x.suite && (x.task || x.answer))
        return usage(self, "a task and an answer must be given with --suite, are without");
    if ((x.step && !x.command) || (x.answer && x.command))
        return usage(self, "--step must be given with --command, and --answer without");
    buf_init(&x.suite_text, 0);
    if (x.suite && read_text(x.suite, &x.suite_text) < 0) {
        buf_done(&x.suite_text);
        return EXIT_REFUSED;
    }
    char *shell[] = {(char *)"/bin/sh", (char *)"-c", (char *)x.command, NULL};
    x.arguments = shell;
    arena_init(&x.arena, 0);
    int rc = x.command ? explore_command_line(&x) : explore_recorded(&x);
    arena_done(&x.arena);
    buf_done(&x.suite_text);
    client_close(&x.c);
    return rc;
}

const struct command explore_command = {
    "explore", "[WORLD]", "see what a run comes to if its calls get into trouble",
    "A recorded run goes on behind each fault as it was recorded; with --command an agent is run "
    "for each call and fault, in forks of the world. With --suite each run is judged, and those "
    "whose verdict is another are listed.\n"
    "Example:\n  sosia explore office\n"
    "  sosia explore office --actor sara@contoso.example --command 'python3 agent.py'",
    run};
