/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/story.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

enum { STATES = 8, MAX_LINES = 8192 };

static struct buf story;
static struct state {
    const char *name;
    char *text;
} states[STATES];

void story_begin(void)
{
    buf_init(&story, 0);
    memset(states, 0, sizeof states);
}

void story_say(const char *fmt, ...)
{
    char line[4096];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    buf_printf(&story, "%s\n", line);
}

struct lines {
    const char *at[MAX_LINES];
    size_t len[MAX_LINES], n;
};

static void split(const char *text, struct lines *ret)
{
    ret->n = 0;
    while (text && *text && ret->n < MAX_LINES) {
        ret->at[ret->n] = text;
        ret->len[ret->n++] = strcspn(text, "\n");
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

static bool are_same(const struct lines *a, size_t i, const struct lines *b, size_t k)
{
    return a->len[i] == b->len[k] && memcmp(a->at[i], b->at[k], a->len[i]) == 0;
}

static void put(char sign, const struct lines *l, size_t i)
{
    buf_printf(&story, "  %c %.*s\n", sign, (int)l->len[i], l->at[i]);
}

/* The longest common lines stay unsaid. */
static void say_difference(const struct lines *a, const struct lines *b)
{
    size_t from = 0, a_end = a->n, b_end = b->n;
    while (from < a_end && from < b_end && are_same(a, from, b, from))
        from++;
    while (a_end > from && b_end > from && are_same(a, a_end - 1, b, b_end - 1))
        a_end--, b_end--;
    size_t wide = b_end - from + 1, n = (a_end - from + 1) * wide;
    unsigned short *best = calloc(n, sizeof *best);
    assert_non_null(best);
#define BEST(i, k) best[((i)-from) * wide + (k)-from]
    for (size_t i = a_end; i-- > from;)
        for (size_t k = b_end; k-- > from;)
            BEST(i, k) = are_same(a, i, b, k)
                             ? (unsigned short)(BEST(i + 1, k + 1) + 1)
                             : (BEST(i + 1, k) > BEST(i, k + 1) ? BEST(i + 1, k) : BEST(i, k + 1));
    for (size_t i = from, k = from; i < a_end || k < b_end;) {
        if (i < a_end && k < b_end && are_same(a, i, b, k))
            i++, k++;
        else if (i < a_end && (k == b_end || BEST(i + 1, k) >= BEST(i, k + 1)))
            put('-', a, i++);
        else
            put('+', b, k++);
    }
    free(best);
}

void story_state(const char *name, const char *text)
{
    static struct lines before, after;
    struct state *s = states;
    while (s->name && strcmp(s->name, name) != 0)
        s++;
    assert_true(s < states + STATES - 1);
    s->name = name;
    split(s->text, &before);
    split(text, &after);
    say_difference(&before, &after);
    free(s->text);
    s->text = strdup(text);
}

void story_dump(struct sosia_engine *engine, uint64_t world)
{
    struct sosia_blob blob;
    struct sosia_err err;
    if (sosia_world_dump(engine, world, &blob, &err) < 0)
        fail_msg("%s", err.text);
    story_state("dump", blob.data);
    sosia_blob_free(&blob);
}

void story_wrong(struct sosia_engine *engine, const char *start, const char *sections)
{
    const size_t len = strlen(start) + strlen(sections) + 1;
    char *json = calloc(1, len + 1);
    struct sosia_world_options options = {.seed_doc = json, .seed_doc_len = len};
    struct sosia_err err = {0};
    uint64_t world;
    assert_non_null(json);
    snprintf(json, len + 1, "%s%s}", start, sections);
    for (char *p = json; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    if (sosia_world_create(engine, &options, &world, &err) == 0)
        fail_msg("it is not refused: %s", sections);
    err.text[strcspn(err.text, "(")] = 0; /* lists of what there is */
    story_say("wrong: %s\n  %s", sections, err.text);
    free(json);
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    size_t n = f && text ? fread(text, 1, (1 << 20) - 1, f) : 0;
    if (f)
        fclose(f);
    if (text)
        text[n] = 0;
    return text;
}

void story_end(const char *name)
{
    const char *fixtures = getenv("SOSIA_FIXTURES"), *mode = getenv("SOSIA_STORIES");
    static struct lines said, written;
    char path[4096];
    snprintf(path, sizeof path, "%s/../tests/stories/%s.txt", fixtures ? fixtures : "fixtures",
             name);
    for (size_t i = 0; i < STATES; i++)
        free(states[i].text);
    if (mode && strcmp(mode, "write") == 0) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        fwrite(story.data, 1, story.len, f);
        fclose(f);
    }
    char *text = read_all(path);
    split(text, &written);
    split(buf_str(&story), &said);
    for (size_t i = 0; i < said.n || i < written.n; i++)
        if (i >= said.n || i >= written.n || !are_same(&said, i, &written, i))
            fail_msg("%s:%zu: expected \"%.*s\", got \"%.*s\"", path, i + 1,
                     i < written.n ? (int)written.len[i] : 0, i < written.n ? written.at[i] : "",
                     i < said.n ? (int)said.len[i] : 0, i < said.n ? said.at[i] : "");
    free(text);
    buf_done(&story);
}
