/* SPDX-License-Identifier: Apache-2.0 */
/* Reading cassettes: members, their types, and contradictions. */
#include "conformance/cassette/cassette.h"
#include "conformance/method.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { STEPS_MAX = 10000, DEFAULT_STEP_US = 1000000 };

const char *const source_kinds[] = {"recorded", "documentation", "rule", NULL};
static const char *const only_names[] = {"sosia", "real", NULL};

struct loader {
    struct cassette *c;
    struct doc *doc;     /* the document that is read */
    struct doc base;     /* of the file that is extended */
    const char *dir;     /* of the document, with its slash; "" : none */
    const char *prefix;  /* of paths */
    const char *actor;   /* default */
    const char **actors; /* names, NULL-terminated */
    uint32_t line_at;    /* of the last step, */
    int line;            /* and its line */
    struct sosia_err *err;
};

static int no_memory(struct loader *l)
{
    return sosia_fail_memory(l->err);
}

/* A table of n more rows behind those that are there. */
static void *grow(struct loader *l, const void *list, size_t n, size_t more, size_t size)
{
    void *to = arena_calloc(&l->c->arena, n + more, size);
    if (n && !arena_failed(&l->c->arena))
        memcpy(to, list, n * size);
    return to;
}

static bool is_name_text(const char *text)
{
    return pattern_is_name(text, strlen(text));
}

/* ---- parts ---- */

static int read_span(struct loader *l, const struct json *obj, const char *member,
                     int64_t otherwise, int64_t *ret_us)
{
    static const char units[] = "smhdw";
    static const int64_t seconds[] = {1, 60, 3600, 86400, 604800};
    const char *text;
    int64_t n;
    if (doc_str(l->doc, obj, member, false, &text) < 0)
        return -1;
    *ret_us = otherwise;
    if (!text)
        return 0;
    size_t len = strlen(text);
    const char *unit = len ? strchr(units, text[len - 1]) : NULL;
    if (!unit || parse_i64(text, len - 1, &n) < 0 || n < 0 ||
        __builtin_mul_overflow(n, seconds[unit - units] * US_PER_SECOND, ret_us))
        return doc_fail(l->doc, json_get(obj, member), member,
                        "\"%.40s\" is not a time such as 90s, 15m, 2h or 3d", text);
    return 0;
}

static int read_source(struct loader *l, const struct json *obj, struct cassette_source *source)
{
    static const char *const members[] = {"kind", "date", "id", "observed", NULL};
    const struct json *v = json_get(obj, "source");
    int64_t days;
    int kind;
    if (!v)
        return 0;
    struct cassette_source s = {0};
    size_t mark = doc_push(l->doc, "source", -1);
    if (doc_object(l->doc, v, members) < 0 ||
        doc_enum(l->doc, v, "kind", source_kinds, -1, &kind) < 0 ||
        doc_str(l->doc, v, "date", false, &s.date) < 0 ||
        doc_str(l->doc, v, "id", false, &s.id) < 0 ||
        doc_bool(l->doc, v, "observed", false, &s.observed) < 0)
        return -1;
    if (kind < 0)
        return doc_fail(l->doc, v, "kind", "is missing");
    if (s.date && date_parse(s.date, strlen(s.date), &days) < 0)
        return doc_fail(l->doc, json_get(v, "date"), "date", "\"%.40s\" is not a date", s.date);
    s.kind = (enum source_kind)kind;
    if (s.kind == SOURCE_RECORDED && !s.date)
        return doc_fail(l->doc, v, "date", "is missing: when was this recorded?");
    doc_pop(l->doc, mark);
    *source = s;
    return 0;
}

static int read_only(struct loader *l, const struct json *obj, enum cassette_only *ret)
{
    int n;
    if (doc_enum(l->doc, obj, "only", only_names, -1, &n) < 0)
        return -1;
    if (n >= 0)
        *ret = (enum cassette_only)(n + 1);
    return 0;
}

static int read_world(struct loader *l, const struct json *obj)
{
    static const char *const members[] = {"fixture", "file",    "seed", "time",
                                          "step",    "id_seed", NULL};
    const struct json *v = json_get(obj, "world");
    struct cassette_world w = {.dir = l->dir, .step_us = DEFAULT_STEP_US};
    struct stamp stamp;
    int64_t id_seed;
    if (!v)
        return 0;
    size_t mark = doc_push(l->doc, "world", -1);
    if (v->type == JSON_STRING) {
        w.fixture = v->str;
    } else if (doc_object(l->doc, v, members) < 0 ||
               doc_str(l->doc, v, "fixture", false, &w.fixture) < 0 ||
               doc_str(l->doc, v, "file", false, &w.file) < 0 ||
               doc_str(l->doc, v, "time", false, &w.time) < 0 ||
               read_span(l, v, "step", DEFAULT_STEP_US, &w.step_us) < 0 ||
               doc_int(l->doc, v, "id_seed", 1, INT64_MAX, 0, &id_seed) < 0) {
        return -1;
    } else {
        w.seed = json_get(v, "seed");
        w.id_seed = (uint64_t)id_seed;
    }
    if (w.seed && w.seed->type != JSON_OBJECT)
        return doc_fail(l->doc, w.seed, "seed", "must be a seed document");
    if (!w.fixture + !w.file + !w.seed != 2)
        return doc_fail(l->doc, v, NULL, "takes one of \"fixture\", \"file\" and \"seed\"");
    if (w.file && w.file[0] == '/')
        return doc_fail(l->doc, json_get(v, "file"), "file", "must be relative to this file");
    if (w.time && stamp_parse(w.time, strlen(w.time), false, &stamp) < 0)
        return doc_fail(l->doc, json_get(v, "time"), "time",
                        "\"%.40s\" is not a time such as 2026-11-23T09:00:00Z", w.time);
    doc_pop(l->doc, mark);
    l->c->world = w;
    return 0;
}

static int read_actors(struct loader *l, const struct json *obj)
{
    static const char *const members[] = {"email", "scopes", NULL};
    const struct json *v = json_get(obj, "actors");
    struct cassette *c = l->c;
    if (!v)
        return 0;
    size_t mark = doc_push(l->doc, "actors", -1);
    if (v->type != JSON_OBJECT)
        return doc_fail(l->doc, v, NULL, "must be an object");
    struct cassette_actor *all = grow(l, c->actors, c->n_actors, v->n, sizeof *all);
    if (arena_failed(&c->arena))
        return no_memory(l);
    c->actors = all;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        struct cassette_actor a = {.name = m->key};
        size_t inner = doc_push(l->doc, m->key, -1);
        if (!is_name_text(m->key))
            return doc_fail(l->doc, &m->value, NULL, "is not a name (letters, digits, - and _)");
        if (m->value.type == JSON_STRING)
            a.email = m->value.str;
        else if (doc_object(l->doc, &m->value, members) < 0 ||
                 doc_str(l->doc, &m->value, "email", true, &a.email) < 0 ||
                 doc_str(l->doc, &m->value, "scopes", false, &a.scopes) < 0)
            return -1;
        doc_pop(l->doc, inner);
        size_t at = 0;
        while (at < c->n_actors && strcmp(all[at].name, a.name) != 0)
            at++;
        all[at] = a;
        c->n_actors += at == c->n_actors;
    }
    doc_pop(l->doc, mark);
    return 0;
}

static int read_values(struct loader *l, const struct json *obj)
{
    const struct json *v = json_get(obj, "let");
    struct cassette *c = l->c;
    if (!v)
        return 0;
    if (v->type != JSON_OBJECT)
        return doc_fail(l->doc, v, "let", "must be an object");
    c->values = grow(l, c->values, c->n_values, v->n, sizeof *c->values);
    if (arena_failed(&c->arena))
        return no_memory(l);
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        size_t mark = doc_push(l->doc, "let", -1);
        if (!is_name_text(m->key))
            return doc_fail(l->doc, &m->value, m->key, "is not a name (letters, digits, - and _)");
        if (strcmp(m->key, "run") == 0)
            return doc_fail(l->doc, &m->value, m->key, "is a name that is always there");
        doc_pop(l->doc, mark);
        c->values[c->n_values++] = (struct cassette_value){m->key, &m->value};
        if (pattern_set_know(&c->set, m->key) < 0)
            return no_memory(l);
    }
    return 0;
}

static int read_matchers(struct loader *l, const struct json *obj)
{
    const struct json *v = json_get(obj, "matchers");
    struct cassette *c = l->c;
    if (!v)
        return 0;
    size_t mark = doc_push(l->doc, "matchers", -1);
    if (v->type != JSON_OBJECT)
        return doc_fail(l->doc, v, NULL, "must be an object");
    c->matchers = grow(l, c->matchers, c->n_matchers, v->n, sizeof *c->matchers);
    struct doc *doc = (void *)arena_memdup(&c->arena, l->doc, sizeof *l->doc);
    if (arena_failed(&c->arena))
        return no_memory(l);
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        if (!is_name_text(m->key))
            return doc_fail(l->doc, &m->value, m->key, "is not a name (letters, digits, - and _)");
        if (pattern_name_taken(m->key))
            return doc_fail(l->doc, &m->value, m->key, "is a matcher that is always there");
        c->matchers[c->n_matchers++] = (struct pattern_name){m->key, &m->value, doc};
    }
    doc_pop(l->doc, mark);
    c->set.names = c->matchers;
    c->set.n_names = c->n_matchers;
    return 0;
}

/* Each by itself, so that one that is not used is checked too. */
static int check_matchers(struct loader *l)
{
    struct cassette *c = l->c;
    const struct pattern *p;
    struct pattern_set set = c->set; /* what a definition captures is not known outside of it */
    int rc = 0;
    map_init(&set.captures);
    set.all_captures = true;
    for (size_t i = 0; i < c->n_matchers && rc == 0; i++) {
        size_t mark = doc_push(c->matchers[i].doc, c->matchers[i].name, -1);
        rc = pattern_compile(&set, c->matchers[i].doc, c->matchers[i].value, &p);
        if (rc == 0)
            doc_pop(c->matchers[i].doc, mark);
    }
    map_done(&set.captures);
    c->set.regexes = set.regexes;
    return rc;
}

/* ---- steps ---- */

static int read_pairs(struct loader *l, const struct json *obj, const char *member, bool repeat,
                      struct cassette_pair **ret, size_t *ret_n)
{
    const struct json *v = json_get(obj, member);
    if (!v)
        return 0;
    size_t mark = doc_push(l->doc, member, -1), n = 0, at = 0;
    if (v->type != JSON_OBJECT)
        return doc_fail(l->doc, v, NULL, "must be an object");
    for (uint32_t i = 0; i < v->n; i++)
        n += v->members[i].value.type == JSON_ARRAY ? v->members[i].value.n : 1;
    struct cassette_pair *pairs = arena_calloc(&l->c->arena, n, sizeof *pairs);
    if (arena_failed(&l->c->arena))
        return no_memory(l);
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *value = &v->members[i].value, *items = value;
        uint32_t many = 1;
        if (value->type == JSON_ARRAY && repeat) {
            items = value->items;
            many = value->n;
        }
        for (uint32_t k = 0; k < many; k++) {
            const struct json *one = &items[k];
            const char *text = one->type == JSON_STRING || one->type == JSON_NUMBER ? one->str
                               : one->type == JSON_BOOL ? one->truth ? "true" : "false"
                                                        : NULL;
            if (!text)
                return doc_fail(l->doc, one, v->members[i].key, "must be a text");
            pairs[at++] = (struct cassette_pair){.name = v->members[i].key, .text = text};
        }
    }
    doc_pop(l->doc, mark);
    *ret = pairs;
    *ret_n = at;
    return 0;
}

static int read_call(struct loader *l, const struct json *v, struct cassette_step *s)
{
    static const char *const verbs[] = {"GET",    "POST", "PUT",     "PATCH",
                                        "DELETE", "HEAD", "OPTIONS", NULL};
    const struct json *line = json_get(v, "call");
    const char *base = l->prefix;
    if (json_get(v, "base") && doc_str(l->doc, v, "base", false, &base) < 0)
        return -1;
    if (line->type != JSON_STRING)
        return doc_fail(l->doc, line, "call", "must be a text");
    for (const char *const *verb = verbs; *verb && !s->verb; verb++) {
        size_t n = strlen(*verb);
        if (strncmp(line->str, *verb, n) == 0 && line->str[n] == ' ')
            s->verb = *verb;
    }
    const char *path = s->verb ? line->str + strlen(s->verb) + 1 : "";
    if (*path != '/' || strpbrk(path, " \t\r\n#"))
        return doc_fail(l->doc, line, "call",
                        "must be a verb, a space and a path, such as \"GET /x\"");
    s->path = arena_printf(&l->c->arena, "%s%s", base ? base : "", path);
    return 0;
}

static int read_actor(struct loader *l, const struct json *v, struct cassette_step *s)
{
    const struct json *as = json_get(v, "as");
    s->actor = l->actor;
    if (as && as->type == JSON_NULL)
        s->actor = NULL;
    else if (as && doc_str(l->doc, v, "as", true, &s->actor) < 0)
        return -1;
    if (s->actor && !cassette_actor(l->c, s->actor))
        return doc_fail(l->doc, as ? as : v, "as", "there is no actor \"%.64s\"", s->actor);
    return 0;
}

static int check_pairs(struct loader *l, const struct json *v, const char *member,
                       const struct cassette_pair *pairs, size_t n)
{
    size_t mark = doc_push(l->doc, member, -1);
    for (size_t i = 0; i < n; i++) {
        size_t inner = doc_push(l->doc, pairs[i].name, -1);
        if (template_check_text(&l->c->set, l->doc, json_get(json_get(v, member), pairs[i].name),
                                pairs[i].text, l->actors) < 0)
            return -1;
        doc_pop(l->doc, inner);
    }
    doc_pop(l->doc, mark);
    return 0;
}

static int check_request(struct loader *l, const struct json *v, struct cassette_step *s)
{
    struct pattern_set *set = &l->c->set;
    size_t mark = doc_push(l->doc, "call", -1);
    if (template_check_text(set, l->doc, json_get(v, "call"), s->path, l->actors) < 0)
        return -1;
    doc_pop(l->doc, mark);
    if (check_pairs(l, v, "query", s->query, s->n_query) < 0 ||
        check_pairs(l, v, "headers", s->headers, s->n_headers) < 0)
        return -1;
    if (!s->send)
        return 0;
    if (strcmp(s->verb, "GET") == 0 || strcmp(s->verb, "HEAD") == 0)
        return doc_fail(l->doc, s->send, "send", "a %s has no body", s->verb);
    mark = doc_push(l->doc, "send", -1);
    int rc = template_check(set, l->doc, s->send, l->actors);
    if (rc == 0)
        rc = template_check_body(l->doc, s->send);
    doc_pop(l->doc, mark);
    return rc;
}

/* The body comes first, so that headers can be held against what it gave. */
static int compile_answer(struct loader *l, const struct json *expect, struct cassette_step *s)
{
    struct pattern_set *set = &l->c->set;
    if (s->expect_body) {
        size_t mark = doc_push(l->doc, "body", -1);
        if (pattern_compile(set, l->doc, s->expect_body, &s->body) < 0)
            return -1;
        if (pattern_is_absent(s->body))
            return doc_fail(l->doc, s->expect_body, NULL, "leave \"body\" out where none may come");
        doc_pop(l->doc, mark);
    }
    for (size_t i = 0; i < s->n_expect_headers; i++) {
        struct cassette_pair *p = &s->expect_headers[i];
        const struct json *at = json_get(json_get(expect, "headers"), p->name);
        size_t mark = doc_push(l->doc, "headers", -1);
        size_t inner = doc_push(l->doc, p->name, -1);
        if (pattern_compile_text(set, l->doc, at, p->text, &p->pattern) < 0)
            return -1;
        doc_pop(l->doc, inner);
        doc_pop(l->doc, mark);
    }
    return 0;
}

static int read_answer(struct loader *l, const struct json *v, struct cassette_step *s)
{
    static const char *const members[] = {"status", "headers", "body", NULL};
    const struct json *expect = json_get(v, "expect");
    int64_t status;
    if (!expect)
        return doc_fail(l->doc, v, "expect", "is missing");
    if (expect->type == JSON_NUMBER) {
        if (json_i64(expect, &status) < 0 || status < 100 || status > 599)
            return doc_fail(l->doc, expect, "expect", "must be a status from 100 to 599");
        s->status = (int)status;
        return 0;
    }
    size_t mark = doc_push(l->doc, "expect", -1);
    if (doc_object(l->doc, expect, members) < 0 ||
        doc_int(l->doc, expect, "status", 100, 599, 200, &status) < 0 ||
        read_pairs(l, expect, "headers", false, &s->expect_headers, &s->n_expect_headers) < 0)
        return -1;
    s->status = (int)status;
    s->expect_body = json_get(expect, "body");
    if (s->expect_body && (status == 204 || status == 304 || status < 200))
        return doc_fail(l->doc, s->expect_body, "body", "contradicts status %d, which has no body",
                        (int)status);
    if (s->expect_body && strcmp(s->verb, "HEAD") == 0)
        return doc_fail(l->doc, s->expect_body, "body",
                        "contradicts HEAD, whose answers have none");
    if (compile_answer(l, expect, s) < 0)
        return -1;
    doc_pop(l->doc, mark);
    return 0;
}

/* What the tables call it, and whether that is what the cassette calls it. */
static int read_method(struct loader *l, const struct json *v, struct cassette_step *s)
{
    const char *id, *dialect, *verb = s->verb;
    for (size_t i = 0; i < s->n_headers; i++)
        if (strcasecmp(s->headers[i].name, "X-HTTP-Method-Override") == 0)
            verb = s->headers[i].text;
    method_find(verb, s->path, &id, &dialect);
    if (doc_str(l->doc, v, "method", false, &s->method) < 0)
        return -1;
    if (!s->method) {
        s->method = id;
    } else if (id && strcmp(id, s->method) != 0) {
        return doc_fail(l->doc, json_get(v, "method"), "method",
                        "contradicts \"call\", which is %s", id);
    } else if (!id && !method_dialect(s->method)) {
        return doc_fail(l->doc, json_get(v, "method"), "method", "there is no method \"%.80s\"",
                        s->method);
    }
    return 0;
}

static int read_exchange(struct loader *l, const struct json *v, struct cassette_step *s)
{
    static const char *const members[] = {"id",      "note", "rules",  "method", "source",
                                          "only",    "as",   "base",   "call",   "query",
                                          "headers", "send", "expect", NULL};
    s->kind = STEP_CALL;
    if (doc_object(l->doc, v, members) < 0 || read_call(l, v, s) < 0 || read_actor(l, v, s) < 0 ||
        read_pairs(l, v, "query", true, &s->query, &s->n_query) < 0 ||
        read_pairs(l, v, "headers", false, &s->headers, &s->n_headers) < 0)
        return -1;
    s->send = json_get(v, "send");
    if (arena_failed(&l->c->arena))
        return no_memory(l);
    return read_method(l, v, s) < 0 || check_request(l, v, s) < 0 ? -1 : read_answer(l, v, s);
}

static int read_control(struct loader *l, const struct json *v, struct cassette_step *s)
{
    static const char *const members[] = {"id",   "note",  "rules",  "source", "only", "advance",
                                          "seed", "reset", "revoke", "outbox", NULL};
    static const char *const kinds[] = {"advance", "seed", "reset", "revoke", "outbox"};
    static const enum step_kind which[] = {STEP_ADVANCE, STEP_SEED, STEP_RESET, STEP_REVOKE,
                                           STEP_OUTBOX};
    size_t n = 0;
    if (doc_object(l->doc, v, members) < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++) {
        if (json_get(v, kinds[i])) {
            s->kind = which[i];
            n++;
        }
    }
    if (n != 1)
        return doc_fail(l->doc, v, NULL, "%s",
                        n ? "does two things: make two steps of it"
                          : "does nothing: takes \"call\", \"advance\", \"seed\", \"reset\", "
                            "\"revoke\" or \"outbox\"");
    if (read_span(l, v, "advance", 0, &s->advance_us) < 0 ||
        doc_str(l->doc, v, "revoke", false, &s->revoke) < 0)
        return -1;
    s->seed = json_get(v, "seed");
    s->outbox = json_get(v, "outbox");
    if (s->seed && s->seed->type != JSON_OBJECT)
        return doc_fail(l->doc, s->seed, "seed", "must be a seed document");
    if (s->revoke && !cassette_actor(l->c, s->revoke))
        return doc_fail(l->doc, json_get(v, "revoke"), "revoke", "there is no actor \"%.64s\"",
                        s->revoke);
    if (!s->outbox)
        return 0;
    size_t mark = doc_push(l->doc, "outbox", -1);
    if (pattern_compile(&l->c->set, l->doc, s->outbox, &s->body) < 0)
        return -1;
    doc_pop(l->doc, mark);
    return 0;
}

static int read_step(struct loader *l, const struct json *v, struct cassette_step *s)
{
    if (v->type != JSON_OBJECT)
        return doc_fail(l->doc, v, NULL, "must be an object");
    /* steps come in the order of the text: it is gone through once */
    l->line +=
        json_line(l->doc->text + l->line_at, l->doc->len - l->line_at, v->at - l->line_at) - 1;
    l->line_at = v->at;
    s->line = l->line;
    s->source = l->c->source;
    s->only = l->c->only;
    if ((json_get(v, "call") ? read_exchange(l, v, s) : read_control(l, v, s)) < 0 ||
        doc_str(l->doc, v, "id", false, &s->id) < 0 ||
        doc_str(l->doc, v, "note", false, &s->note) < 0 ||
        doc_strings(l->doc, v, "rules", &s->rules, &s->n_rules) < 0 ||
        read_source(l, v, &s->source) < 0 || read_only(l, v, &s->only) < 0)
        return -1;
    bool checks = s->kind == STEP_CALL || s->kind == STEP_OUTBOX;
    if (checks && !s->id)
        return doc_fail(l->doc, v, "id", "is missing");
    if (s->id && (!is_name_text(s->id)))
        return doc_fail(l->doc, json_get(v, "id"), "id",
                        "is not a name (letters, digits, - and _)");
    if (!checks && s->n_rules)
        return doc_fail(l->doc, json_get(v, "rules"), "rules", "this step checks nothing");
    return 0;
}

static int read_steps(struct loader *l, const struct json *v)
{
    struct cassette *c = l->c;
    const struct json *list = json_get(v, "steps");
    if (!list || list->type != JSON_ARRAY || !list->n)
        return doc_fail(l->doc, list ? list : v, "steps", "must be a list of steps");
    if (list->n > STEPS_MAX)
        return doc_fail(l->doc, list, "steps", "has more than %d", STEPS_MAX);
    c->steps = arena_calloc(&c->arena, list->n, sizeof *c->steps);
    l->actors = arena_calloc(&c->arena, c->n_actors + 1, sizeof *l->actors);
    if (arena_failed(&c->arena))
        return no_memory(l);
    for (size_t i = 0; i < c->n_actors; i++)
        l->actors[i] = c->actors[i].name;
    struct map ids;
    int rc = 0;
    map_init(&ids);
    for (uint32_t i = 0; i < list->n && rc == 0; i++) {
        struct cassette_step *s = &c->steps[c->n_steps++];
        size_t mark = doc_push(l->doc, "steps", i);
        rc = read_step(l, &list->items[i], s);
        if (rc == 0 && s->id && map_get(&ids, s->id))
            rc = doc_fail(l->doc, json_get(&list->items[i], "id"), "id",
                          "\"%.64s\" is the id of another step", s->id);
        else if (rc == 0 && s->id && map_set(&ids, s->id, s) < 0)
            rc = no_memory(l);
        doc_pop(l->doc, mark);
    }
    map_done(&ids);
    return rc;
}

/* ---- documents ---- */

static int open_document(struct loader *l, struct doc *d, const char *file, const char *text,
                         size_t len, const struct json **ret)
{
    struct sosia_err found = {0};
    struct json_limits limits = {.max_size = CASSETTE_SIZE_MAX, .unique_keys = true};
    *d = (struct doc){.arena = &l->c->arena, .text = text, .len = len, .name = file, .err = l->err};
    if (json_parse(&l->c->arena, text, len, &limits, ret, &found) < 0) {
        sosia_fail(l->err, found.code, "cassette", NULL, "%s:%d: %s", file,
                   found.line ? found.line : 1, found.text);
        if (l->err)
            l->err->line = found.line;
        return -1;
    }
    return 0;
}

/* What a cassette and a file that others extend have both. */
static int read_head(struct loader *l, const struct json *v)
{
    int64_t version;
    if (doc_int(l->doc, v, "cassette", 1, INT32_MAX, 0, &version) < 0)
        return -1;
    if (version != CASSETTE_VERSION)
        return doc_fail(l->doc, v, "cassette", "must be %d, the version of the format",
                        CASSETTE_VERSION);
    if (json_get(v, "base") && doc_str(l->doc, v, "base", false, &l->prefix) < 0)
        return -1;
    if (json_get(v, "as") && doc_str(l->doc, v, "as", false, &l->actor) < 0)
        return -1;
    if (json_get(v, "order") && doc_bool(l->doc, v, "order", false, &l->c->order) < 0)
        return -1;
    if (read_source(l, v, &l->c->source) < 0 || read_only(l, v, &l->c->only) < 0 ||
        read_world(l, v) < 0 || read_actors(l, v) < 0 || read_values(l, v) < 0 ||
        read_matchers(l, v) < 0)
        return -1;
    if (l->prefix && *l->prefix && (l->prefix[0] != '/' || strpbrk(l->prefix, " ?#")))
        return doc_fail(l->doc, json_get(v, "base"), "base", "must be a path");
    return 0;
}

static int read_whole_file(const char *file, struct buf *ret, struct sosia_err *err)
{
    char chunk[65536];
    size_t n;
    FILE *f = fopen(file, "rb");
    if (!f)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "file", NULL, "%s: %s", file, strerror(errno));
    while (!buf_failed(ret) && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_add(ret, chunk, n);
    int why = ferror(f) ? errno : 0;
    fclose(f);
    if (why)
        return sosia_fail(err, SOSIA_E_IO, "file", NULL, "%s: %s", file, strerror(why));
    return buf_failed(ret)
               ? sosia_fail(err, SOSIA_E_TOO_LARGE, "file", NULL, "%s: is too large", file)
               : 0;
}

/* Distinguishes texts; not a protection against forgery. */
static void add_digest(struct cassette *c, const char *text, size_t len)
{
    c->digest =
        arena_printf(&c->arena, "%s%016llx", c->digest, (unsigned long long)hash_bytes(text, len));
}

static int read_extended(struct loader *l, const struct json *v)
{
    static const char *const members[] = {"$schema", "cassette", "title", "source", "only",
                                          "world",   "base",     "as",    "actors", "let",
                                          "order",   "matchers", NULL};
    const char *name;
    const struct json *top;
    struct buf text;
    if (doc_str(l->doc, v, "extends", false, &name) < 0)
        return -1;
    if (!name)
        return 0;
    if (strchr(name, '/'))
        return doc_fail(l->doc, json_get(v, "extends"), "extends",
                        "must be a file in the same directory");
    const char *file = arena_printf(&l->c->arena, "%s%s", l->dir, name);
    buf_init(&text, CASSETTE_SIZE_MAX);
    int rc = read_whole_file(file, &text, NULL);
    if (rc == 0) {
        const char *copy = arena_memdup(&l->c->arena, text.data ? text.data : "", text.len);
        add_digest(l->c, copy, text.len);
        rc = open_document(l, &l->base, file, copy, text.len, &top);
        if (rc == 0) {
            struct doc *own = l->doc;
            l->doc = &l->base;
            rc = doc_object(l->doc, top, members) < 0 ? -1 : read_head(l, top);
            l->doc = own;
        }
    } else {
        rc = doc_fail(l->doc, json_get(v, "extends"), "extends", "\"%.80s\" can't be read", file);
    }
    buf_done(&text);
    return rc;
}

static int read_cassette(struct loader *l, const struct json *v)
{
    static const char *const members[] = {"$schema", "cassette", "title",    "extends", "source",
                                          "only",    "world",    "base",     "as",      "actors",
                                          "let",     "order",    "matchers", "steps",   NULL};
    struct cassette *c = l->c;
    if (doc_object(l->doc, v, members) < 0 || read_extended(l, v) < 0 || read_head(l, v) < 0 ||
        doc_str(l->doc, v, "title", true, &c->title) < 0)
        return -1;
    if (!c->world.fixture && !c->world.file && !c->world.seed)
        return doc_fail(l->doc, v, "world", "is missing");
    return check_matchers(l) < 0 ? -1 : read_steps(l, v);
}

static void name_file(struct cassette *c, const char *file, const char **ret_dir)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    size_t n = strlen(base);
    if (n > 5 && strcmp(base + n - 5, ".json") == 0)
        n -= 5;
    c->file = arena_strdup(&c->arena, file);
    c->name = arena_memdup(&c->arena, base, n);
    *ret_dir = arena_memdup(&c->arena, file, (size_t)(base - file));
}

struct cassette *cassette_new(void)
{
    struct cassette *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    arena_init(&c->arena, 0);
    pattern_set_init(&c->set, &c->arena);
    c->source.kind = SOURCE_RULE;
    c->world.step_us = DEFAULT_STEP_US;
    c->file = c->name = c->digest = "";
    return c;
}

void cassette_free(struct cassette *c)
{
    if (!c)
        return;
    pattern_set_done(&c->set);
    arena_done(&c->arena);
    free(c);
}

int cassette_parse(const char *file, const char *text, size_t len, struct cassette **ret_cassette,
                   struct sosia_err *err)
{
    struct cassette *c = cassette_new();
    const struct json *top;
    struct doc doc;
    if (!c)
        return sosia_fail_memory(err);
    struct loader l = {.c = c, .doc = &doc, .line = 1, .err = err};
    name_file(c, file, &l.dir);
    /* Messages and matchers point into the text until the cassette is freed. */
    text = arena_memdup(&c->arena, text, len);
    if (arena_failed(&c->arena)) {
        cassette_free(c);
        return sosia_fail_memory(err);
    }
    add_digest(c, text, len);
    if (pattern_set_know(&c->set, "run") < 0) {
        cassette_free(c);
        return sosia_fail_memory(err);
    }
    if (open_document(&l, &doc, c->file, text, len, &top) < 0 || read_cassette(&l, top) < 0) {
        cassette_free(c);
        return -1;
    }
    *ret_cassette = c;
    return 0;
}

int cassette_load(const char *file, struct cassette **ret_cassette, struct sosia_err *err)
{
    struct buf text;
    buf_init(&text, CASSETTE_SIZE_MAX);
    int rc = read_whole_file(file, &text, err);
    if (rc == 0)
        rc = cassette_parse(file, text.data ? text.data : "", text.len, ret_cassette, err);
    buf_done(&text);
    return rc;
}

void cassette_rename(struct cassette *c, const char *name)
{
    c->name = arena_strdup(&c->arena, name);
}

const struct cassette_actor *cassette_actor(const struct cassette *c, const char *name)
{
    for (size_t i = 0; i < c->n_actors; i++)
        if (strcmp(c->actors[i].name, name) == 0)
            return &c->actors[i];
    return NULL;
}
