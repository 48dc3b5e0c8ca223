/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia report`: one episode as one page, of a world, of an exported journal, or of what a loop
 * has kept of an attempt. */
#include "cli/cli.h"
#include "console/report.h"
#include "engine/base/codec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct asked {
    const char *suite, *task, *from, *answer, *answer_file, *judgements, *journal, *kept, *output;
};

/* Texts of files that a report is made of, for as long as it takes. */
struct texts {
    struct buf suite, answer, judgements, journal, verdict, task, diff, output;
};

static struct buf *text_at(struct texts *t, size_t i)
{
    struct buf *const all[] = {&t->suite,   &t->answer, &t->judgements, &t->journal,
                               &t->verdict, &t->task,   &t->diff,       &t->output};
    return i < SOSIA_LEN(all) ? all[i] : NULL;
}

static int complain(const struct sosia_err *err)
{
    fprintf(stderr, "sosia: %s\n", err->text);
    return EXIT_REFUSED;
}

/* Those that the options name. -1: a message was printed. */
static int read_texts(const struct asked *q, struct texts *t)
{
    const char *const files[] = {q->suite, q->answer_file, q->judgements};
    struct buf *const into[] = {&t->suite, &t->answer, &t->judgements};
    for (size_t i = 0; i < SOSIA_LEN(files); i++)
        if (files[i] && read_text(files[i], into[i]) < 0)
            return -1;
    if (q->answer)
        buf_puts(&t->answer, q->answer);
    return 0;
}

/* ---- of a world ---- */

static int write_body(const struct asked *q, struct texts *t, struct buf *body)
{
    char name[DOCUMENT_NAME_MAX + 1];
    const struct json *v;
    struct json_writer w;
    struct sosia_err err;
    struct arena a;
    json_init(&w, body, false, NULL);
    json_obj(&w, NULL);
    json_strn(&w, "suite", buf_str(&t->suite), t->suite.len);
    json_str(&w, "suite_name", document_name(q->suite, name));
    json_str_opt(&w, "task", q->task);
    json_str_opt(&w, "from", q->from);
    if (q->answer || q->answer_file)
        json_strn(&w, "answer", buf_str(&t->answer), t->answer.len);
    arena_init(&a, 0);
    int rc = 0;
    if (q->judgements &&
        (rc = json_parse(&a, buf_str(&t->judgements), t->judgements.len, NULL, &v, &err)) < 0)
        fprintf(stderr, "sosia: %s: must be JSON: %s\n", q->judgements, err.text);
    else if (q->judgements)
        json_value(&w, "judgements", v);
    arena_done(&a);
    json_end(&w);
    return rc;
}

static int of_world(struct client *c, const struct asked *q, struct texts *t, struct buf *page)
{
    struct buf path, body;
    int rc = EXIT_USAGE;
    buf_init(&path, 0);
    buf_init(&body, 0);
    if (client_world_path(&path, c) == 0) {
        buf_puts(&path, "/report");
        if (q->suite) {
            rc = write_body(q, t, &body) < 0
                     ? EXIT_REFUSED
                     : client_call(c, "POST", buf_str(&path), buf_str(&body), body.len, page);
        } else {
            buf_puts(&path, q->from ? "?from=" : "");
            percent_add(&path, q->from ? q->from : "", q->from ? strlen(q->from) : 0);
            rc = client_call(c, "GET", buf_str(&path), NULL, 0, page);
        }
    }
    buf_done(&path);
    buf_done(&body);
    client_close(c);
    return rc;
}

/* ---- of files ---- */

/* Runs the journal again, in this process: what its calls changed, and, where no file says it, what
 * all did. */
static int run_again(const struct report_options *opt, struct texts *t, bool judged,
                     struct arena *a, struct report *r)
{
    const struct sosia_replay_options again = {.size = sizeof again,
                                               .keep = true,
                                               .journal = buf_str(&t->journal),
                                               .journal_len = t->journal.len};
    const struct json *said = NULL;
    struct sosia_engine *e;
    struct sosia_blob blob;
    struct sosia_err err;
    uint64_t world = 0;
    int rc = EXIT_OK;
    if (sosia_engine_open(NULL, &e, &err) < 0)
        return complain(&err);
    if (sosia_journal_replay(e, 0, &again, &world, &blob, &err) < 0) {
        r->steps_missing = arena_strdup(a, err.text);
        rc = judged ? complain(&err) : EXIT_OK;
    } else {
        int read = episode_json(a, blob.data, blob.len, &said, &err);
        sosia_blob_free(&blob);
        episode_steps(e, world, a, r);
        if (read < 0 || (!r->diff && episode_outcome(e, world, opt, a, r, &err) < 0))
            rc = complain(&err);
        else if (!json_get_true(said, "equal"))
            r->steps_missing =
                "the journal ran otherwise than it was recorded, and what is said of "
                "it is what came then";
    }
    sosia_engine_close(e);
    return rc;
}

static int of_journal(const struct asked *q, struct texts *t, struct arena *a, struct buf *page)
{
    const struct sosia_grade_options said = {
        .size = sizeof said,
        .answer = q->answer || q->answer_file ? buf_str(&t->answer) : NULL,
        .answer_len = t->answer.len,
        .judgements = q->judgements ? buf_str(&t->judgements) : NULL,
        .judgements_len = t->judgements.len};
    char name[DOCUMENT_NAME_MAX + 1];
    struct sosia_suite *suite = NULL;
    struct report r = {.title = "Report"};
    struct sosia_err err;
    if (read_file(q->journal, &t->journal) < 0)
        return EXIT_REFUSED;
    if (episode_lines(a, buf_str(&t->journal), t->journal.len, &r, &err) < 0 ||
        (q->suite && sosia_suite_open(buf_str(&t->suite), t->suite.len,
                                      document_name(q->suite, name), &suite, &err) < 0))
        return complain(&err);
    const struct report_options opt = {.suite = suite, .task = q->task, .said = &said};
    episode_fact(&r, "Journal", q->journal);
    int rc = run_again(&opt, t, suite != NULL, a, &r);
    if (rc == EXIT_OK)
        episode_write(&r, page);
    sosia_suite_close(suite);
    return rc;
}

/* A file of the folder; *ret_len NULL: one that is there must be JSON. 0: it is there or not. */
static int read_kept(const char *folder, const char *name, struct buf *text)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        errno = ENAMETOOLONG;
    else if (access(path, R_OK) == 0)
        return read_file(path, text);
    else if (errno == ENOENT && strcmp(name, "journal.jsonl") != 0)
        return 0;
    fprintf(stderr, "sosia: %s/%s: %s\n", folder, name, strerror(errno));
    return -1;
}

static int kept_json(const char *name, struct buf *text, struct arena *a, const struct json **ret)
{
    struct sosia_err err;
    if (!text->len || episode_json(a, buf_str(text), text->len, ret, &err) == 0)
        return 0;
    fprintf(stderr, "sosia: %s: must be JSON: %s\n", name, err.text);
    return -1;
}

/* As a loop with --keep writes it. */
static int of_folder(const struct asked *q, struct texts *t, struct arena *a, struct buf *page)
{
    static const char *const names[] = {"journal.jsonl", "verdict.json", "task.json", "diff.json",
                                        "output.txt"};
    struct buf *const into[] = {&t->journal, &t->verdict, &t->task, &t->diff, &t->output};
    const struct report_options opt = {0};
    struct report r = {.title = "Report"};
    struct sosia_err err;
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (read_kept(q->kept, names[i], into[i]) < 0)
            return EXIT_REFUSED;
    if (kept_json("verdict.json", &t->verdict, a, &r.verdict) < 0 ||
        kept_json("task.json", &t->task, a, &r.task) < 0 ||
        kept_json("diff.json", &t->diff, a, &r.diff) < 0)
        return EXIT_REFUSED;
    if (episode_lines(a, buf_str(&t->journal), t->journal.len, &r, &err) < 0)
        return complain(&err);
    episode_fact(&r, "Suite", json_get_str(r.task, "suite"));
    episode_fact(&r, "Task", json_get_str(r.task, "task"));
    r.output = t->output.len ? buf_str(&t->output) : NULL;
    r.output_len = t->output.len;
    int rc = run_again(&opt, t, false, a, &r);
    if (rc == EXIT_OK)
        episode_write(&r, page);
    return rc;
}

/* ---- the command ---- */

static int check_asked(const struct command *self, const struct asked *q, int n)
{
    bool said = q->answer || q->answer_file || q->judgements;
    if (q->journal && q->kept)
        return usage(self, "one of --journal and --kept must be given at most, both are");
    if ((q->journal || q->kept) && (n || q->from))
        return usage(self, "a world and --from must be absent with --journal and --kept");
    if (n > 1)
        return usage(self, "the arguments must be one world at most, there are more");
    if (q->kept && (q->suite || said))
        return usage(self, "a suite must be absent with --kept, which has the verdict");
    if (!q->suite && (said || q->task))
        return usage(self, "a task, an answer and judgements must be of a suite, there is none");
    if (q->answer && q->answer_file)
        return usage(self, "an answer must be given once, is given twice");
    return EXIT_OK;
}

static int run_report(const struct command *self, int argc, char **argv)
{
    struct client c = {.page = true};
    struct asked q = {0};
    const struct option_row rows[] = {
        {"from", "WORLD", "the state before (default: what the world resets to)", .text = &q.from},
        {"suite", "FILE", "with the verdict on a task of this suite", .text = &q.suite},
        {"task", "ID", "of the suite's tasks (default: the only one)", .text = &q.task},
        {"answer", "TEXT", "what the agent said at the end", .text = &q.answer},
        {"answer-file", "FILE", "the same, of a file", .text = &q.answer_file},
        {"judgements", "FILE", "what others judged, by name: a JSON object", .text = &q.judgements},
        {"journal", "FILE", "of an exported journal, in this process, without a server",
         .text = &q.journal},
        {"kept", "DIR", "of what a loop has kept of an attempt (docs/loops.md)", .text = &q.kept},
        {"output", "FILE", "where the page goes (default: standard output)", .text = &q.output},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    struct texts t;
    struct arena a;
    struct buf page;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    int rc = check_asked(self, &q, n);
    if (rc != EXIT_OK || (!q.journal && !q.kept && client_world(&c, self, n ? argv[1] : NULL) < 0))
        return EXIT_USAGE;
    arena_init(&a, 0);
    buf_init(&page, 0);
    for (size_t i = 0; text_at(&t, i); i++)
        buf_init(text_at(&t, i), 0);
    if (read_texts(&q, &t) < 0)
        rc = EXIT_REFUSED;
    else
        rc = q.kept      ? of_folder(&q, &t, &a, &page)
             : q.journal ? of_journal(&q, &t, &a, &page)
                         : of_world(&c, &q, &t, &page);
    if (rc == EXIT_OK && write_file(q.output ? q.output : "-", &page) < 0)
        rc = EXIT_REFUSED;
    for (size_t i = 0; text_at(&t, i); i++)
        buf_done(text_at(&t, i));
    buf_done(&page);
    arena_done(&a);
    return rc;
}

const struct command report_command = {
    "report", "[WORLD]", "write what was done in a world as one page that needs no server",
    "Example:\n  sosia report try-1 --suite suites/office.yaml --task move-budget --output r.html\n"
    "  sosia report office --from before --output r.html\n"
    "  sosia report --kept runs/office.move-budget.0 --output r.html\n"
    "  sosia report --journal run.jsonl --output r.html",
    run_report};
