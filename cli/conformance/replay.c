/* SPDX-License-Identifier: Apache-2.0 */
/* sosia conformance replay */
#include "cli/conformance/conformance.h"
#include "conformance/target/real.h"
#include "conformance/replay.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct replay_run {
    struct target *target;
    struct result *result;
    FILE *state;         /* scenarios that are done; NULL: not kept */
    struct result *done; /* what the state had at the start */
    struct sosia_err *err;
};

/* ---- state ---- */

/* The first line names the target: responses of another one are not taken over. */
static int check_state(struct replay_run *run, const char *line, size_t len)
{
    struct arena a;
    const struct json *v;
    arena_init(&a, 0);
    int rc = json_parse(&a, line, len, NULL, &v, run->err);
    const char *target = rc == 0 ? json_get_str(v, "replayed") : NULL;
    if (rc == 0 && (!target || strcmp(target, run->target->name) != 0))
        rc =
            sosia_fail(run->err, SOSIA_E_CONFLICT, "state", NULL,
                       target ? "must be of a replay against this target, not of one against %.100s"
                              : "must be the state of a replay",
                       target);
    arena_done(&a);
    return rc;
}

static int read_state(struct replay_run *run, const struct buf *b, size_t *ret_whole)
{
    int rc = 0;
    *ret_whole = 0;
    while (rc == 0) {
        size_t at = *ret_whole;
        const char *end = b->len > at ? memchr(b->data + at, '\n', b->len - at) : NULL;
        if (!end) /* a last line that was cut off counts as not done */
            break;
        size_t len = (size_t)(end - b->data) - at;
        rc = at ? scenario_read(run->done, b->data + at, len, run->err)
                : check_state(run, b->data, len);
        *ret_whole = at + len + 1;
    }
    return rc;
}

static void write_first_line(const struct replay_run *run, struct buf *b)
{
    struct json_writer w;
    json_init(&w, b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "replayed", run->target->name);
    json_end(&w);
    buf_byte(b, '\n');
}

/* A file without a whole line is one whose first line was cut off, or somebody else's. */
static int check_begun(struct replay_run *run, const struct buf *found)
{
    struct buf b;
    buf_init(&b, 0);
    write_first_line(run, &b);
    bool begun = !buf_failed(&b) && found->len < b.len &&
                 (!found->len || memcmp(found->data, b.data, found->len) == 0);
    buf_done(&b);
    return begun ? 0
                 : sosia_fail(run->err, SOSIA_E_CONFLICT, "state", NULL,
                              "must be the state of a replay");
}

static int begin_state(struct replay_run *run)
{
    struct buf b;
    buf_init(&b, 0);
    write_first_line(run, &b);
    bool ok =
        !buf_failed(&b) && fwrite(b.data, 1, b.len, run->state) == b.len && fflush(run->state) == 0;
    buf_done(&b);
    return ok ? 0 : sosia_fail(run->err, SOSIA_E_IO, "state", NULL, "can't be written");
}

static int open_state(struct replay_run *run, const char *file)
{
    struct buf b;
    char chunk[65536];
    size_t n, whole;
    FILE *f = fopen(file, "rb");
    int why = f || errno == ENOENT ? 0 : errno;
    buf_init(&b, 0);
    run->done = result_new();
    while (f && !buf_failed(&b) && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_add(&b, chunk, n);
    if (f && ferror(f))
        why = errno;
    if (f)
        fclose(f);
    int rc = why ? sosia_fail(run->err, SOSIA_E_IO, "state", NULL, "%s", strerror(why))
             : run->done && !buf_failed(&b) ? read_state(run, &b, &whole)
                                            : sosia_fail_memory(run->err);
    if (rc == 0 && !whole)
        rc = check_begun(run, &b);
    if (rc == 0 && (!(run->state = fopen(file, f ? "r+b" : "wb")) ||
                    ftruncate(fileno(run->state), (off_t)whole) < 0 ||
                    fseek(run->state, (long)whole, SEEK_SET) < 0))
        rc = sosia_fail(run->err, SOSIA_E_IO, "state", NULL, "%s", strerror(errno));
    if (rc == 0 && !whole)
        rc = begin_state(run);
    if (rc < 0)
        fprintf(stderr, "sosia: %s: %s\n", file, run->err->text);
    buf_done(&b);
    return rc;
}

static bool save_state(struct replay_run *run, const struct scenario *s)
{
    struct buf b;
    buf_init(&b, 0);
    scenario_write(s, &b);
    buf_byte(&b, '\n');
    bool ok =
        !buf_failed(&b) && fwrite(b.data, 1, b.len, run->state) == b.len && fflush(run->state) == 0;
    buf_done(&b);
    return ok;
}

/* Takes over a scenario that is done and has not changed since. */
static bool take_over(struct replay_run *run, const struct cassette *c)
{
    for (const struct scenario *s = run->done ? run->done->first : NULL; s; s = s->next) {
        if (strcmp(s->name, c->name) == 0 && strcmp(s->digest, c->digest) == 0) {
            struct scenario *to = result_scenario(run->result, s->name, s->title, s->digest);
            if (to)
                to->first = s->first;
            return to != NULL;
        }
    }
    return false;
}

/* ---- replaying ---- */

static struct scenario *last_scenario(const struct result *r)
{
    struct scenario *s = r->first;
    while (s && s->next)
        s = s->next;
    return s;
}

static int replay_file(void *arg, const char *file, const char *name, struct sosia_err *err)
{
    struct replay_run *run = arg;
    struct cassette *c;
    if (cassette_load(file, &c, err) < 0)
        return -1;
    int rc = 0;
    cassette_rename(c, name);
    if (!take_over(run, c)) {
        rc = replay_cassette(run->target, c, run->result, err);
        if (rc == 0 && run->state && !save_state(run, last_scenario(run->result)))
            rc = sosia_fail(err, SOSIA_E_IO, "state", NULL, "the state can't be written");
    }
    cassette_free(c);
    return rc;
}

struct target_options {
    const char *url, *key, *ca, *marker, *rate;
    double per_second;
    bool real, journals;
};

static bool rate_good(struct target_options *o)
{
    o->per_second = 5;
    if (!o->rate || (parse_double(o->rate, strlen(o->rate), &o->per_second) == 0 &&
                     o->per_second >= 0.01 && o->per_second <= 1e6))
        return true;
    fprintf(stderr, "sosia: --rate must be a number of requests in a second, not \"%s\"\n",
            o->rate);
    return false;
}

static int open_target(const struct target_options *o, struct target **ret, struct sosia_err *err)
{
    const char *marker = o->marker ? o->marker : getenv("SOSIA_CONFORMANCE_MARKER");
    if (!o->url)
        return target_open_process(conformance_fixture, ret, err);
    if (o->real)
        return target_open_real(o->url, marker && *marker ? marker : "sosia conformance",
                                o->per_second, o->ca, conformance_fixture, ret, err);
    const char *key = o->key ? o->key : getenv("SOSIA_CONTROL_KEY");
    return target_open_sosia(o->url, key && *key ? key : NULL, o->ca, conformance_fixture, ret,
                             err);
}

static int replay_all(struct replay_run *run, char **paths, size_t n,
                      const struct report_options *options, const char *out)
{
    char at[STAMP_TEXT];
    stamp_format(at, (int64_t)time(NULL) * US_PER_SECOND, 0, 0, true);
    run->result->target = run->target->name;
    run->result->version = sosia_version();
    run->result->at = at;
    int rc = EXIT_OK;
    if (cassette_each((const char *const *)paths, n, replay_file, run, run->err) < 0) {
        fprintf(stderr, "sosia: %s\n", run->err->text);
        rc = EXIT_REFUSED;
    }
    if (rc == EXIT_OK && !run->result->first) {
        fprintf(stderr, "sosia: a cassette must be there to replay, there is none in %s\n",
                paths[0]);
        rc = EXIT_REFUSED;
    }
    /* What was replayed before a failure is reported all the same. */
    if (out) {
        struct buf b;
        buf_init(&b, 0);
        result_write(run->result, &b);
        if (write_file(out, &b) < 0)
            rc = EXIT_REFUSED;
        buf_done(&b);
    }
    const struct result *results[] = {run->result};
    struct report report = {"Replay", results, 1, "expected", "got"};
    int printed = rc && !run->result->first ? rc : report_print(&report, options);
    return rc ? rc : printed;
}

static int replay_with(struct replay_run *run, char **paths, size_t n,
                       const struct report_options *options, const char *out, bool journals)
{
    uint64_t all;
    if (!journals)
        return replay_all(run, paths, n, options, out);
    target_process_journals(run->target);
    int rc = replay_all(run, paths, n, options, out);
    uint64_t unequal = target_process_unequal(run->target, &all);
    fprintf(stderr, "%llu journals ran again, %llu came to something else\n",
            (unsigned long long)all, (unsigned long long)unequal);
    return rc ? rc : unequal ? EXIT_REFUSED : EXIT_OK;
}

static int run_replay(const struct command *self, int argc, char **argv)
{
    struct target_options target = {0};
    const char *out = NULL, *resume = NULL;
    struct report_options options = {0};
    struct sosia_err err = {0};
    struct replay_run run = {.err = &err};
    static char standard[] = "conformance/cassettes";
    char *paths[] = {standard};
    const struct option_row rows[] = {
        {"target", "URL", "replay against this server (default: in this process)",
         .text = &target.url},
        {"key", "KEY", "its control key (default: $SOSIA_CONTROL_KEY)", .text = &target.key},
        {"real", NULL, "it is the real service; see docs/conformance.md first",
         .flag = &target.real},
        {"marker", "NAME",
         "calendar that marks accounts of tests (default: $SOSIA_CONFORMANCE_MARKER, else sosia "
         "conformance)",
         .text = &target.marker},
        {"rate", "N", "requests in a second to the real service (default: 5)",
         .text = &target.rate},
        {"ca", "FILE", "authorities that are trusted for HTTPS", .text = &target.ca},
        {"journals", NULL, "in this process: run each scenario again from its journal, too",
         .flag = &target.journals},
        {"out", "FILE", "keep the result there, for compare and report", .text = &out},
        {"resume", "FILE", "keep there what is done, and go on from it", .text = &resume},
        REPORT_OPTIONS(&options)};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (!report_options_good(&options) || !rate_good(&target))
        return EXIT_USAGE;
    if (target.real && !target.url)
        return usage(self, "--target must be given with --real");
    if (target.url && target.journals)
        return usage(self, "--journals must be given without --target");
    int rc = EXIT_REFUSED;
    run.result = result_new();
    if (!run.result || open_target(&target, &run.target, &err) < 0)
        fprintf(stderr, "sosia: %s\n", run.result ? err.text : "out of memory");
    else if (!resume || open_state(&run, resume) == 0)
        rc = replay_with(&run, n ? argv + 1 : paths, n ? (size_t)n : 1, &options, out,
                         target.journals);
    target_close(run.target);
    result_free(run.result);
    result_free(run.done);
    if (run.state)
        fclose(run.state);
    return rc;
}

const struct command conformance_replay_command = {
    "conformance replay", "[CASSETTE|DIRECTORY ...]",
    "replay cassettes against sosia or the real service, and print what differs",
    "Without a name: those of conformance/cassettes. Each runs in a fresh world.\n"
    "  sosia conformance replay --target http://localhost:8787 conformance/cassettes\n"
    "The real service is asked with the tokens of SOSIA_CONFORMANCE_TOKEN_ADA and so on, one for\n"
    "each actor, in accounts that are marked for tests: they are emptied.",
    run_replay};
