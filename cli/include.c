/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that are made of others: "include" names files and fixtures, "generate" has a company
 * made by numbers. Both are of the command: what a server or the library is given is one whole. */
#include "cli/cli.h"
#include "cli/origin.h"
#include "engine/base/map.h"
#include "engine/json/doc.h"
#include "fixtures/generate/generate.h"
#include <stdlib.h>
#include <string.h>

#define DEPTH     16
#define DOCUMENTS 100 /* of one whole */
#define MAX_SIZE  ((size_t)1 << 30)

struct including {
    struct arena *a;
    const char *fixtures; /* where fixtures are looked for first; NULL */
    struct sosia_err *err;
    const char *chain[DEPTH]; /* the documents that are being read, one in the other */
    int depth, documents;
    struct map places;    /* name -> its place + 1 */
    struct origins *said; /* what documents say of each member, one after the other */
};

/* ---- what they say together ---- */

static int add_member(struct including *in, struct doc *d, const struct json_member *m)
{
    struct origins *o = in->said;
    size_t place = (size_t)(uintptr_t)map_get(&in->places, m->key);
    if (!place) {
        o->members = arena_grow(in->a, o->members, o->n, &o->cap, sizeof *o->members);
        if (arena_failed(in->a))
            return sosia_fail_memory(in->err);
        o->members[o->n++] = (struct origin_member){.name = m->key};
        place = o->n;
        if (map_set(&in->places, m->key, (void *)(uintptr_t)place) < 0)
            return sosia_fail_memory(in->err);
    }
    struct origin_member *s = &o->members[place - 1];
    s->values = arena_grow(in->a, s->values, s->n, &s->cap, sizeof *s->values);
    if (arena_failed(in->a))
        return sosia_fail_memory(in->err);
    s->values[s->n++] = (struct origin_value){d, &m->value};
    return 0;
}

/* Lists one behind the other; objects member by member, the last one counts; of the rest the last
 * one. */
static void write_said(struct json_writer *w, const struct origin_member *s)
{
    if (s->n > 1 && origin_all_are(s, JSON_ARRAY)) {
        json_arr(w, s->name);
        for (size_t i = 0; i < s->n; i++)
            for (uint32_t k = 0; k < s->values[i].value->n; k++)
                json_value(w, NULL, &s->values[i].value->items[k]);
        json_end(w);
        return;
    }
    if (s->n < 2 || !origin_all_are(s, JSON_OBJECT)) {
        json_value(w, s->name, s->values[s->n - 1].value);
        return;
    }
    json_obj(w, s->name);
    for (size_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < s->values[i].value->n; k++) {
            const struct json_member *m = &s->values[i].value->members[k];
            bool later = false;
            for (size_t j = i + 1; j < s->n && !later; j++)
                later = json_get(s->values[j].value, m->key) != NULL;
            if (!later)
                json_value(w, m->key, &m->value);
        }
    json_end(w);
}

/* ---- what a document names ---- */

static int read_document(struct including *in, const char *path, const struct fixture *f);

/* A name of a fixture as it is; a path from the directory of the document that has it. */
static int include_one(struct including *in, struct doc *d, const struct json *at, const char *from,
                       const char *name)
{
    const char *slash = strrchr(from, '/'), *path = name;
    struct fixture f;
    if (in->depth == DEPTH)
        return doc_fail(d, at, "include",
                        "documents must include one another to a depth of %d, "
                        "not deeper",
                        DEPTH);
    if (!fixture_is_path(name)) {
        if (fixture_find(in->a, in->fixtures, name, &f, in->err) < 0)
            return doc_fail(d, at, "include", "there is no fixture \"%.40s\"", name);
    } else {
        if (*name != '/' && slash)
            path = arena_printf(in->a, "%.*s/%s", (int)(slash - from), from, name);
        if (fixture_read(in->a, path, &f, in->err) < 0)
            return doc_fail(d, at, "include", "there is no file %.100s that can be read", path);
    }
    for (int i = 0; i < in->depth; i++)
        if (strcmp(in->chain[i], path) == 0)
            return doc_fail(d, at, "include", "a document must not include itself, %.100s does",
                            path);
    return read_document(in, path, &f);
}

static int include_all(struct including *in, struct doc *d, const struct json *doc,
                       const char *path)
{
    const struct json *v = json_get(doc, "include");
    const char **names;
    size_t n;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type == JSON_STRING)
        return include_one(in, d, v, path, v->str);
    if (doc_strings(d, doc, "include", &names, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (include_one(in, d, v, path, names[i]) < 0)
            return -1;
    return 0;
}

static int add_made(void *arg, const char *data, size_t len)
{
    struct buf *b = arg;
    buf_add(b, data, len);
    return buf_failed(b) ? -1 : 0;
}

/* "generate": the numbers of `sosia generate`, by their names. */
static int read_numbers(struct doc *d, const struct json *v, struct generate_options *ret)
{
    const char *names[16] = {NULL};
    for (size_t i = 0; i < n_generate_rows; i++)
        names[i] = generate_rows[i].name;
    names[n_generate_rows] = "vendors";
    size_t mark = doc_push(d, "generate", -1);
    int rc = doc_object(d, v, names);
    for (size_t i = 0; rc == 0 && i < n_generate_rows; i++) {
        const struct generate_row *row = &generate_rows[i];
        int64_t n;
        memcpy(&n, (char *)ret + row->at, sizeof n);
        rc = doc_int(d, v, row->name, row->min, row->max, n, &n);
        memcpy((char *)ret + row->at, &n, sizeof n);
    }
    const char *vendors = NULL;
    struct sosia_err err = {0};
    if (rc == 0)
        rc = doc_str(d, v, "vendors", false, &vendors);
    if (rc == 0 && vendors && generate_read_vendors(vendors, &ret->vendors, &err) < 0)
        rc = doc_fail(d, json_get(v, "vendors"), "vendors", "%s", err.text);
    doc_pop(d, mark);
    return rc;
}

static int generate_it(struct including *in, struct doc *d, const struct json *doc)
{
    const struct json *v = json_get(doc, "generate");
    struct generate_options o = GENERATE_OPTIONS_INIT;
    struct buf b;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (read_numbers(d, v, &o) < 0)
        return -1;
    buf_init(&b, 0);
    struct generate_sink sink = {.arg = &b, .write = add_made};
    int rc = generate(&o, &sink, in->err);
    if (buf_failed(&b))
        rc = doc_fail(d, v, "generate", "must fit into memory to be made, does not");
    if (rc == 0) {
        const struct fixture f = {
            .file = "generate", .text = arena_memdup(in->a, b.data, b.len), .len = b.len};
        rc = arena_failed(in->a) ? sosia_fail_memory(in->err) : read_document(in, "generate", &f);
    }
    buf_done(&b);
    return rc;
}

/* What it names comes first, so that it can go on from that. */
static int read_document(struct including *in, const char *path, const struct fixture *f)
{
    const struct json *doc;
    struct doc *d = arena_alloc(in->a, sizeof *d);
    if (arena_failed(in->a))
        return sosia_fail_memory(in->err);
    if (doc_open(d, in->a, f->text, f->len, f->file, MAX_SIZE, &doc, in->err) < 0)
        return -1;
    if (doc->type != JSON_OBJECT)
        return doc_expect(d, doc, NULL, "a document with members");
    if (++in->documents > DOCUMENTS)
        return doc_fail(d, doc, "include", "a document must be made of at most %d, is of more",
                        DOCUMENTS);
    in->chain[in->depth++] = path;
    int rc = include_all(in, d, doc, path) < 0 || generate_it(in, d, doc) < 0 ? -1 : 0;
    in->depth--;
    for (uint32_t i = 0; rc == 0 && i < doc->n; i++)
        if (strcmp(doc->members[i].key, "include") != 0 &&
            strcmp(doc->members[i].key, "generate") != 0)
            rc = add_member(in, d, &doc->members[i]);
    return rc;
}

/* ---- the whole ---- */

/* Cheaply, as most documents name nothing. */
static bool may_name(const struct fixture *f)
{
    return memmem(f->text, f->len, "include", 7) || memmem(f->text, f->len, "generate", 8);
}

static bool names_any(struct arena *a, const struct fixture *f)
{
    struct sosia_err err;
    const struct json *doc;
    struct doc d;
    return doc_open(&d, a, f->text, f->len, f->file, MAX_SIZE, &doc, &err) == 0 &&
           doc->type == JSON_OBJECT && (json_get(doc, "include") || json_get(doc, "generate"));
}

static int write_whole(struct including *in, struct fixture *f)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_obj(&w, NULL);
    for (size_t i = 0; i < in->said->n; i++)
        write_said(&w, &in->said->members[i]);
    json_end(&w);
    int rc = buf_failed(&b) || arena_failed(in->a) ? sosia_fail_memory(in->err) : 0;
    if (rc == 0) {
        f->text = arena_memdup(in->a, b.data, b.len);
        f->len = b.len;
        f->origins = in->said;
    }
    buf_done(&b);
    return rc == 0 && arena_failed(in->a) ? sosia_fail_memory(in->err) : rc;
}

int document_whole(struct arena *a, const char *path, const char *fixtures, struct fixture *f,
                   struct sosia_err *err)
{
    struct including in = {.a = a, .fixtures = fixtures, .err = err};
    if (!may_name(f) || !names_any(a, f))
        return 0;
    in.said = arena_calloc(a, 1, sizeof *in.said);
    if (!in.said)
        return sosia_fail_memory(err);
    in.said->arena = a;
    int rc = read_document(&in, path, f);
    if (rc == 0)
        rc = write_whole(&in, f);
    map_done(&in.places);
    return rc;
}

int seed_document_read(const char *file, struct seed_document *ret)
{
    struct sosia_err err = {0};
    buf_init(&ret->read, 0);
    arena_init(&ret->arena, 0);
    ret->fixture = (struct fixture){.file = document_name(file, ret->name), .text = ""};
    if (read_text(file, &ret->read) < 0)
        return -1;
    if (ret->read.len) {
        ret->fixture.text = ret->read.data;
        ret->fixture.len = ret->read.len;
    }
    int rc = document_whole(&ret->arena, file, NULL, &ret->fixture, &err);
    if (rc < 0)
        fprintf(stderr, "sosia: %s\n", err.text);
    return rc;
}

void seed_document_done(struct seed_document *d)
{
    buf_done(&d->read);
    arena_done(&d->arena);
}
