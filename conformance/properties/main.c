/* SPDX-License-Identifier: Apache-2.0 */
/*
 *     conformance-properties [--seed N] [--sequences N] [--steps N] [--property NAME] [--control]
 *
 * Checks the properties over generated sequences, the first with the seed N. Where one fails, the
 * shortest sequence that could be found is written to standard output as a cassette, for
 * `sosia conformance replay`. --control: each property is checked on answers that were made such
 * that it does not hold, and must be caught.
 */
#include "conformance/cassette/cassette.h"
#include "conformance/properties/properties.h"
#include "conformance/replay.h"
#include "tests/support/dose.h"
#include <libical/ical.h>
#include <stdio.h>
#include <stdlib.h>

struct settings {
    uint64_t seed;
    size_t sequences, steps;
    const struct property *only;
    bool control;
};

struct bench {
    struct sosia_engine *engine;
    uint64_t prepared;
};

static struct sosia_err err;

static int usage(void)
{
    fprintf(stderr, "usage: conformance-properties [--seed N] [--sequences N] [--steps N] "
                    "[--property NAME] [--control]\nproperties:\n");
    for (size_t i = 0; properties[i]; i++)
        fprintf(stderr, "  %-24s %s\n", properties[i]->name, properties[i]->says);
    return 2;
}

static int read_arguments(int argc, char **argv, struct settings *s)
{
    *s = (struct settings){.seed = 1, .sequences = (size_t)dose(20, 8), .steps = 40};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--control") == 0) {
            s->control = true;
            continue;
        }
        if (strcmp(argv[i], "--property") == 0) {
            for (size_t k = 0; properties[k]; k++)
                if (strcmp(properties[k]->name, value) == 0)
                    s->only = properties[k];
            if (!s->only)
                return -1;
        } else if (strcmp(argv[i], "--seed") == 0) {
            s->seed = strtoull(value, NULL, 10);
        } else if (strcmp(argv[i], "--sequences") == 0) {
            s->sequences = strtoull(value, NULL, 10);
        } else if (strcmp(argv[i], "--steps") == 0) {
            s->steps = strtoull(value, NULL, 10);
        } else {
            return -1;
        }
        i++;
    }
    return s->steps && s->sequences ? 0 : -1;
}

static void open_bench(struct bench *b)
{
    struct sosia_world_options opt = {.seed_doc = world_document,
                                      .seed_doc_len = strlen(world_document),
                                      .clock = SOSIA_CLOCK_FROZEN,
                                      .journal = SOSIA_JOURNAL_NONE};
    if (sosia_engine_open(NULL, &b->engine, &err) < 0 ||
        sosia_world_create(b->engine, &opt, &b->prepared, &err) < 0) {
        printf("%s\n", err.text);
        exit(1);
    }
}

/* Whether the cassette, read and replayed as any other, shows the failure. -1: it can't be read. */
static int replays(const struct buf *text)
{
    struct cassette *c;
    struct target *t;
    struct tallies sums = {0};
    struct arena a;
    int shown = -1;
    if (cassette_parse("found.json", text->data, text->len, &c, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    arena_init(&a, 0);
    struct result *result = result_new();
    if (result && target_open_process(NULL, &t, &err) == 0) {
        const struct result *const results[] = {result};
        if (replay_cassette(t, c, result, &err) == 0 && tally_up(&a, results, 1, &sums) == 0)
            shown = sums.all.equal < sums.all.exchanges;
        target_close(t);
    }
    result_free(result);
    cassette_free(c);
    arena_done(&a);
    return shown;
}

/* Shortens a failure, and reports it. Gives the number of its calls, or -1. */
static int report(struct bench *b, uint64_t seed, const struct sequence *s,
                  const struct property *p, const struct property *spoilt)
{
    struct arena a;
    struct sequence least;
    struct run r;
    struct buf text;
    arena_init(&a, 0);
    shrink(b->engine, b->prepared, s, p, spoilt, &a, &least);
    run_sequence(b->engine, b->prepared, &least, p, spoilt, &r);
    buf_init(&text, 0);
    write_cassette(&r, &text);
    int shown = replays(&text), calls = (int)r.n_made;
    if (!spoilt) {
        printf("%s", buf_str(&text));
        fprintf(stderr, "FAILED %s, seed %llu: %s\n", p->name, (unsigned long long)seed,
                r.failure.text);
        fprintf(stderr, "%d calls of %zu; the cassette %s\n", calls, s->n,
                shown > 0 ? "shows it" : "does not show it by itself");
    }
    buf_done(&text);
    run_done(&r);
    arena_done(&a);
    return shown < 0 ? -1 : calls;
}

/* The property that fails first; NULL: none. */
static const struct property *try(struct bench *b, const struct settings *s, uint64_t seed,
                                  const struct property *only, const struct property *spoilt,
                                  size_t *ret_calls, int *ret_least)
{
    struct arena a;
    struct sequence sequence;
    struct run r;
    arena_init(&a, 0);
    sequence_generate(&a, seed, s->steps, &sequence);
    run_sequence(b->engine, b->prepared, &sequence, only, spoilt, &r);
    const struct property *failed = r.failure.property;
    *ret_calls += r.n_made;
    run_done(&r);
    if (failed)
        *ret_least = report(b, seed, &sequence, failed, spoilt);
    arena_done(&a);
    return failed;
}

static int check(struct bench *b, const struct settings *s)
{
    size_t calls = 0, failed = 0;
    int least;
    for (uint64_t seed = s->seed; seed < s->seed + s->sequences; seed++)
        failed += try(b, s, seed, s->only, NULL, &calls, &least) != NULL;
    fprintf(stderr, "%zu sequences of %zu steps, %zu calls, %zu failed\n", s->sequences, s->steps,
            calls, failed);
    return failed != 0;
}

/* Every property must be found not to hold where it does not. */
static int control(struct bench *b, const struct settings *s)
{
    int bad = 0;
    for (size_t i = 0; properties[i]; i++) {
        const struct property *p = properties[i], *failed = NULL;
        size_t calls = 0;
        int least = -1;
        if (s->only && s->only != p)
            continue;
        for (uint64_t seed = s->seed; seed < s->seed + s->sequences && !failed; seed++)
            failed = try(b, s, seed, p, p, &calls, &least);
        bool good = failed == p && least > 0 && least <= 8;
        printf("%s %s: caught, and shown in %d calls\n", good ? "ok    " : "FAILED", p->name,
               least);
        bad += !good;
    }
    return bad != 0;
}

int main(int argc, char **argv)
{
    struct settings s;
    struct bench b;
    if (read_arguments(argc, argv, &s) < 0)
        return usage();
    open_bench(&b);
    int rc = s.control ? control(&b, &s) : check(&b, &s);
    sosia_engine_close(b.engine);
    icaltimezone_free_builtin_timezones();
    icalmemory_free_ring();
    return rc;
}
