/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/result.h"
#include "conformance/record/redact.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { RESULT_MAX = 512 << 20 };

const char *const outcome_names[] = {"equal", "different", "failed", "skipped", NULL};

struct result *result_new(void)
{
    struct result *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    arena_init(&r->arena, 0);
    r->last = &r->first;
    r->target = r->version = r->at = "";
    return r;
}

void result_free(struct result *r)
{
    if (!r)
        return;
    redactor_free(r->redactor);
    arena_done(&r->arena);
    free(r);
}

struct scenario *result_scenario(struct result *r, const char *name, const char *title,
                                 const char *digest)
{
    struct scenario *s = arena_calloc(&r->arena, 1, sizeof *s);
    if (arena_failed(&r->arena))
        return NULL;
    s->name = arena_strdup(&r->arena, name);
    s->title = arena_strdup(&r->arena, title);
    s->digest = arena_strdup(&r->arena, digest);
    *r->last = s;
    r->last = &s->next;
    return s;
}

/* ---- writing ---- */

static void write_answer(struct json_writer *w, const struct exchange *x)
{
    json_obj(w, "answer");
    if (x->status)
        json_int(w, "status", x->status);
    if (x->n_headers) {
        json_arr(w, "headers");
        for (size_t i = 0; i < x->n_headers; i++) {
            json_arr(w, NULL);
            json_str(w, NULL, x->headers[i].name);
            json_str(w, NULL, x->headers[i].value);
            json_end(w);
        }
        json_end(w);
    }
    if (x->json)
        json_value(w, "json", x->json);
    json_str_opt(w, "text", x->text);
    json_end(w);
}

static void write_exchange(struct json_writer *w, const struct exchange *x)
{
    json_obj(w, NULL);
    json_str(w, "id", x->id);
    json_str_opt(w, "method", x->method);
    json_str_opt(w, "dialect", x->dialect);
    json_str(w, "source", source_kinds[x->source]);
    json_bool_opt(w, "observed", x->observed);
    if (x->n_rules) {
        json_arr(w, "rules");
        for (size_t i = 0; i < x->n_rules; i++)
            json_str(w, NULL, x->rules[i]);
        json_end(w);
    }
    json_str(w, "file", x->file);
    json_int(w, "line", x->line);
    json_str(w, "outcome", outcome_names[x->outcome]);
    json_str_opt(w, "why", x->why);
    json_int(w, "fields", (int64_t)x->total);
    json_int(w, "fields_equal", (int64_t)x->equal);
    if (x->differences) {
        json_arr(w, "differences");
        for (const struct difference *d = x->differences; d; d = d->next) {
            json_obj(w, NULL);
            json_str(w, "kind", difference_names[d->kind]);
            json_str(w, "path", d->path);
            json_str_opt(w, "expected", d->expected);
            json_str_opt(w, "got", d->got);
            json_end(w);
        }
        json_end(w);
    }
    if (x->normalised) {
        json_arr(w, "normalised");
        for (const struct normalised *n = x->normalised; n; n = n->next)
            json_str(w, NULL, n->path);
        json_end(w);
    }
    if (x->answered)
        write_answer(w, x);
    json_end(w);
}

static void write_scenario(struct json_writer *w, const struct scenario *s)
{
    json_obj(w, NULL);
    json_str(w, "name", s->name);
    json_str(w, "title", s->title);
    json_str(w, "digest", s->digest);
    json_arr(w, "exchanges");
    for (const struct exchange *x = s->first; x; x = x->next)
        write_exchange(w, x);
    json_end(w);
    json_end(w);
}

void scenario_write(const struct scenario *s, struct buf *out)
{
    struct json_writer w;
    json_init(&w, out, false, NULL);
    write_scenario(&w, s);
}

void result_write(const struct result *r, struct buf *out)
{
    struct json_writer w;
    json_init(&w, out, true, NULL);
    json_obj(&w, NULL);
    json_int(&w, "sosia_conformance_result", RESULT_VERSION);
    json_str(&w, "target", r->target);
    json_str(&w, "version", r->version);
    json_str(&w, "at", r->at);
    json_arr(&w, "scenarios");
    for (const struct scenario *s = r->first; s; s = s->next)
        write_scenario(&w, s);
    json_end(&w);
    json_end(&w);
}

/* ---- reading ---- */

static int read_differences(struct doc *d, const struct json *v, struct exchange *x)
{
    const struct json *list;
    struct difference **last = &x->differences;
    if (doc_list(d, v, "differences", &list) < 0)
        return -1;
    for (uint32_t i = 0; list && i < list->n; i++) {
        struct difference *to = arena_calloc(d->arena, 1, sizeof *to);
        int kind;
        if (arena_failed(d->arena))
            return sosia_fail_memory(d->err);
        if (doc_enum(d, &list->items[i], "kind", difference_names, -1, &kind) < 0 ||
            doc_str(d, &list->items[i], "path", true, &to->path) < 0 ||
            doc_str(d, &list->items[i], "expected", false, &to->expected) < 0 ||
            doc_str(d, &list->items[i], "got", false, &to->got) < 0)
            return -1;
        if (kind < 0)
            return doc_fail(d, &list->items[i], "kind", "is missing");
        to->kind = (enum difference_kind)kind;
        *last = to;
        last = &to->next;
    }
    return 0;
}

static int read_normalised(struct doc *d, const struct json *v, struct exchange *x)
{
    const char **paths;
    size_t n;
    struct normalised **last = &x->normalised;
    if (doc_strings(d, v, "normalised", &paths, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct normalised *to = arena_calloc(d->arena, 1, sizeof *to);
        if (arena_failed(d->arena))
            return sosia_fail_memory(d->err);
        to->path = paths[i];
        *last = to;
        last = &to->next;
    }
    return 0;
}

static int read_answer(struct doc *d, const struct json *v, struct exchange *x)
{
    const struct json *answer = json_get(v, "answer"), *headers;
    int64_t status;
    if (!answer)
        return 0;
    if (answer->type != JSON_OBJECT)
        return doc_fail(d, answer, "answer", "must be an object");
    x->answered = true;
    if (doc_int(d, answer, "status", 100, 999, 0, &status) < 0 ||
        doc_list(d, answer, "headers", &headers) < 0 ||
        doc_str(d, answer, "text", false, &x->text) < 0)
        return -1;
    x->status = (int)status;
    x->json = json_get(answer, "json");
    x->headers = arena_calloc(d->arena, headers ? headers->n : 0, sizeof *x->headers);
    if (arena_failed(d->arena))
        return sosia_fail_memory(d->err);
    for (uint32_t i = 0; headers && i < headers->n; i++) {
        const struct json *pair = &headers->items[i];
        if (pair->type != JSON_ARRAY || pair->n != 2 || pair->items[0].type != JSON_STRING ||
            pair->items[1].type != JSON_STRING)
            return doc_fail(d, pair, "headers", "must be a list of a name and a value");
        x->headers[x->n_headers++] = (struct result_header){pair->items[0].str, pair->items[1].str};
    }
    return 0;
}

static int read_exchange(struct doc *d, const struct json *v, struct exchange *x)
{
    int64_t line, total, equal;
    int outcome, source;
    if (v->type != JSON_OBJECT)
        return doc_fail(d, v, NULL, "must be an object");
    if (doc_str(d, v, "id", true, &x->id) < 0 || doc_str(d, v, "method", false, &x->method) < 0 ||
        doc_str(d, v, "dialect", false, &x->dialect) < 0 ||
        doc_str(d, v, "file", true, &x->file) < 0 || doc_str(d, v, "why", false, &x->why) < 0 ||
        doc_enum(d, v, "source", source_kinds, 0, &source) < 0 ||
        doc_bool(d, v, "observed", false, &x->observed) < 0 ||
        doc_strings(d, v, "rules", &x->rules, &x->n_rules) < 0 ||
        doc_int(d, v, "line", 0, INT32_MAX, 0, &line) < 0 ||
        doc_enum(d, v, "outcome", outcome_names, -1, &outcome) < 0 ||
        doc_int(d, v, "fields", 0, INT32_MAX, 0, &total) < 0 ||
        doc_int(d, v, "fields_equal", 0, total, 0, &equal) < 0)
        return -1;
    if (outcome < 0)
        return doc_fail(d, v, "outcome", "is missing");
    x->line = (int)line;
    x->source = (enum source_kind)source;
    x->outcome = (enum outcome)outcome;
    x->total = (size_t)total;
    x->equal = (size_t)equal;
    return read_differences(d, v, x) < 0 || read_normalised(d, v, x) < 0 || read_answer(d, v, x) < 0
               ? -1
               : 0;
}

static int read_scenario(struct doc *d, struct result *r, const struct json *v)
{
    const char *name, *title, *digest;
    const struct json *list;
    if (v->type != JSON_OBJECT)
        return doc_fail(d, v, NULL, "must be an object");
    if (doc_str(d, v, "name", true, &name) < 0 || doc_str(d, v, "title", true, &title) < 0 ||
        doc_str(d, v, "digest", true, &digest) < 0 || doc_list(d, v, "exchanges", &list) < 0)
        return -1;
    struct scenario *s = result_scenario(r, name, title, digest);
    if (!s)
        return sosia_fail_memory(d->err);
    struct exchange **last = &s->first;
    for (uint32_t i = 0; list && i < list->n; i++) {
        struct exchange *x = arena_calloc(&r->arena, 1, sizeof *x);
        if (arena_failed(&r->arena))
            return sosia_fail_memory(d->err);
        size_t mark = doc_push(d, "exchanges", i);
        if (read_exchange(d, &list->items[i], x) < 0)
            return -1;
        doc_pop(d, mark);
        *last = x;
        last = &x->next;
    }
    return 0;
}

/* The text must be valid until the reading ends; values are in the arena. */
static int open_text(struct doc *d, struct result *r, const char *file, const char *text,
                     size_t len, const struct json **ret, struct sosia_err *err)
{
    struct sosia_err found = {0};
    struct json_limits limits = {.max_size = RESULT_MAX};
    *d = (struct doc){.arena = &r->arena, .text = text, .len = len, .name = file, .err = err};
    if (json_parse(&r->arena, text, len, &limits, ret, &found) == 0)
        return 0;
    return sosia_fail(err, found.code, "result", NULL, "%s:%d: %s", file,
                      found.line ? found.line : 1, found.text);
}

int scenario_read(struct result *r, const char *text, size_t len, struct sosia_err *err)
{
    struct doc d;
    const struct json *v;
    if (open_text(&d, r, "resume", text, len, &v, err) < 0)
        return -1;
    return read_scenario(&d, r, v);
}

int result_parse(const char *file, const char *text, size_t len, struct result **ret_result,
                 struct sosia_err *err)
{
    struct result *r = result_new();
    struct doc d;
    const struct json *v, *list;
    int64_t version;
    int rc = r ? 0 : sosia_fail_memory(err);
    if (rc == 0)
        rc = open_text(&d, r, file, text, len, &v, err);
    if (rc == 0 && v->type != JSON_OBJECT)
        rc = doc_fail(&d, v, NULL, "is not a result of a replay");
    if (rc == 0)
        rc = doc_int(&d, v, "sosia_conformance_result", 0, INT32_MAX, 0, &version);
    if (rc == 0 && version != RESULT_VERSION)
        rc = doc_fail(&d, v, NULL, "is not a result of a replay, or of another version");
    if (rc == 0)
        rc = doc_str(&d, v, "target", true, &r->target) < 0 ||
                     doc_str(&d, v, "version", false, &r->version) < 0 ||
                     doc_str(&d, v, "at", false, &r->at) < 0 ||
                     doc_list(&d, v, "scenarios", &list) < 0
                 ? -1
                 : 0;
    if (r && !r->version)
        r->version = "";
    if (r && !r->at)
        r->at = "";
    for (uint32_t i = 0; rc == 0 && list && i < list->n; i++) {
        size_t mark = doc_push(&d, "scenarios", i);
        rc = read_scenario(&d, r, &list->items[i]);
        doc_pop(&d, mark);
    }
    if (rc < 0) {
        result_free(r);
        return -1;
    }
    *ret_result = r;
    return 0;
}

int result_load(const char *file, struct result **ret_result, struct sosia_err *err)
{
    struct buf b;
    char chunk[65536];
    size_t n;
    FILE *f = fopen(file, "rb");
    if (!f)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "file", NULL, "%s: %s", file, strerror(errno));
    buf_init(&b, RESULT_MAX);
    while (!buf_failed(&b) && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_add(&b, chunk, n);
    const char *bad = ferror(f) ? strerror(errno) : buf_failed(&b) ? "is too large" : NULL;
    fclose(f);
    int rc = bad ? sosia_fail(err, SOSIA_E_IO, "file", NULL, "%s: %s", file, bad)
                 : result_parse(file, b.data ? b.data : "", b.len, ret_result, err);
    buf_done(&b);
    return rc;
}

/* ---- sums ---- */

static void add_exchange(struct tally *t, const struct exchange *x)
{
    if (x->outcome == OUTCOME_SKIPPED) {
        t->skipped++;
        return;
    }
    t->exchanges++;
    t->equal += x->outcome == OUTCOME_EQUAL;
    t->different += x->outcome == OUTCOME_DIFFERENT;
    t->failed += x->outcome == OUTCOME_FAILED;
    t->fields += x->total;
    t->fields_equal += x->equal;
}

static int by_method(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;
    int rc = strcmp(x->dialect, y->dialect);
    return rc ? rc : strcmp(x->method, y->method);
}

static struct tally *tally_of(struct tallies *t, const struct exchange *x)
{
    const char *method = x->method ? x->method : "(none)";
    const char *dialect = x->dialect ? x->dialect : "(none)";
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->list[i].method, method) == 0 && strcmp(t->list[i].dialect, dialect) == 0)
            return &t->list[i];
    t->list[t->n] = (struct tally){.dialect = dialect, .method = method};
    return &t->list[t->n++];
}

int tally_up(struct arena *a, const struct result *const *results, size_t n,
             struct tallies *ret_tallies)
{
    struct tallies t = {.all = {.dialect = "", .method = "all"}};
    size_t exchanges = 0;
    for (size_t i = 0; i < n; i++)
        for (const struct scenario *s = results[i]->first; s; s = s->next)
            for (const struct exchange *x = s->first; x; x = x->next)
                exchanges++;
    t.list = arena_calloc(a, exchanges + 1, sizeof *t.list);
    if (arena_failed(a))
        return -1;
    for (size_t i = 0; i < n; i++) {
        for (const struct scenario *s = results[i]->first; s; s = s->next) {
            for (const struct exchange *x = s->first; x; x = x->next) {
                add_exchange(tally_of(&t, x), x);
                add_exchange(&t.all, x);
            }
        }
    }
    qsort(t.list, t.n, sizeof *t.list, by_method);
    *ret_tallies = t;
    return 0;
}

void fidelity_text(char ret_text[8], size_t equal, size_t total)
{
    size_t parts = total ? equal * 10000 / total : 10000;
    snprintf(ret_text, 8, "%u.%02u", (unsigned)(parts / 100 % 1000), (unsigned)(parts % 100));
}
