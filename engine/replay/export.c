/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a journal as a whole: its extent, exports (find.c: pages of entries that match).
 *
 * The lines of an export are chained (engine/journal/chain.h) from the very first entry on, so that
 * the chain's head can be compared with the world's own. The first line has the link that the file
 * begins behind, the last one the SHA-256 of the first.
 */
#include "engine/replay/export.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/base/codec.h"
#include "engine/replay/replay.h"
#include "engine/journal/chain.h"
#include "engine/world/refused.h"
#include <stdio.h>
#include <stdlib.h>

enum { BAD_ENTRY = -2 }; /* the error is there; -1 of journal_each_of() is without memory */

static const struct journal *journal_of(const struct world *w)
{
    return w->extra ? &w->extra->journal : NULL;
}

/* ---- lines ---- */

struct lines {
    struct chain chain;
    struct buf *out;
};

static int pass_line(void *arg, int64_t seq, const char *text, size_t len)
{
    struct lines *l = arg;
    (void)seq;
    chain_add(&l->chain, text, len);
    return 0;
}

static int add_line(void *arg, int64_t seq, const char *text, size_t len)
{
    struct lines *l = arg;
    char hex[65];
    chain_add(&l->chain, text, len);
    hex_encode(hex, l->chain.link, 32);
    buf_printf(l->out, "{\"seq\":%lld,\"chain\":\"%s\",\"entry\":", (long long)seq, hex);
    buf_add(l->out, text, len);
    buf_puts(l->out, "}\n");
    return 0;
}

static void write_versions(struct json_writer *w)
{
    json_obj(w, "versions");
    json_str(w, "engine", sosia_version());
    json_str(w, "tzdata", sosia_tzdata_version());
    json_end(w);
}

/* origin: a member, as text; "": none. secret: of the world; NULL: left out. */
static int write_lines(const struct world *w, int64_t from, int64_t to, const struct buf *origin,
                       const struct world_secret *secret, struct buf *out, struct sosia_err *err)
{
    struct lines l = {.out = out};
    struct json_writer head;
    char key[17], hex[65], first[65];
    if (chain_open(&l.chain, err) < 0)
        return -1;
    size_t at = out->len;
    const struct journal_cut *cut = journal_cut_of(w->past, journal_of(w));
    if (cut)
        memcpy(l.chain.link, cut->link, sizeof cut->link);
    int rc = from ? journal_each_of(w->past, journal_of(w), 0, from, INT64_MAX, pass_line, &l) : 0;
    hex_encode(hex, l.chain.link, 32);
    world_key(w->id, key);
    json_init(&head, out, false, NULL);
    json_obj(&head, NULL);
    json_int(&head, "sosia_journal", 1);
    json_str(&head, "world", key);
    json_int(&head, "from", from);
    json_int(&head, "to", to);
    json_int(&head, "start", journal_past_n(w->past));
    json_int_str(&head, "seed", (int64_t)w->seed);
    if (secret) {
        char text[WORLD_SECRET_TEXT];
        world_secret_write(secret, text);
        json_str(&head, "secret", text);
    }
    json_str(&head, "keep", journal_keeps[world_journal_keep(w)]);
    write_versions(&head);
    if (origin->len)
        json_raw(&head, "origin", origin->data, origin->len);
    json_str(&head, "chain", hex);
    json_end(&head);
    chain_text(&l.chain, out->data ? out->data + at : "", out->len - at, first);
    buf_puts(out, "\n");
    if (rc >= 0)
        rc = journal_each_of(w->past, journal_of(w), from, to, INT64_MAX, add_line, &l);
    hex_encode(hex, l.chain.link, 32);
    buf_printf(out, "{\"end\":%lld,\"chain\":\"%s\",\"head\":\"%s\"}\n", (long long)to, hex, first);
    chain_close(&l.chain);
    return rc < 0 || buf_failed(out) ? sosia_fail_memory(err) : 0;
}

static int no_line(struct sosia_err *err, const char *name, int line, const char *what)
{
    sosia_fail(err, SOSIA_E_INVALID, "journal", NULL, "%s:%d: %s", name, line, what);
    err->line = line;
    return -1;
}

struct verifying {
    struct chain chain;
    const char *name;
    int line;
    int64_t last, to;
    char first[65]; /* of the first line */
    bool ended;
};

/* A line of an entry: its number, the link, the entry's own text. */
static int verify_entry(struct verifying *v, const char *p, size_t len, struct sosia_err *err)
{
    static const char middle[] = "\",\"entry\":";
    char *end, hex[65];
    long long seq = strtoll(p + 7, &end, 10);
    if (strncmp(end, ",\"chain\":\"", 10) != 0 || (size_t)(end + 10 - p) + 64 + 10 >= len ||
        strncmp(end + 74, middle, 10) != 0 || p[len - 1] != '}')
        return no_line(err, v->name, v->line,
                       "must be {\"seq\":...,\"chain\":...,\"entry\":{...}} as it was written, not "
                       "not");
    if (seq != v->last + 1)
        return sosia_fail(err, SOSIA_E_INVALID, "journal", NULL,
                          "%s:%d: must be entry %lld, not %lld", v->name, v->line,
                          (long long)v->last + 1, seq),
               err->line = v->line, -1;
    const char *text = end + 84;
    chain_add(&v->chain, text, (size_t)(p + len - 1 - text));
    hex_encode(hex, v->chain.link, 32);
    if (memcmp(hex, end + 10, 64) != 0)
        return no_line(err, v->name, v->line,
                       "is not what was written: the chain doesn't lead here");
    v->last = seq;
    return 0;
}

/* The link that a file begins behind. */
static bool read_link(const struct json *v, uint8_t ret[32])
{
    unsigned byte;
    if (!v || v->type != JSON_STRING || v->n != 64 || strspn(v->str, "0123456789abcdef") != 64)
        return false;
    for (int i = 0; i < 32 && sscanf(v->str + 2 * i, "%2x", &byte) == 1; i++)
        ret[i] = (uint8_t)byte;
    return true;
}

static int verify_first(struct verifying *v, const char *p, size_t len, const struct json *line,
                        struct sosia_err *err)
{
    int64_t n = 0, from = 0;
    if (json_i64(json_get(line, "sosia_journal"), &n) < 0 || n != 1 ||
        json_i64(json_get(line, "from"), &from) < 0 || from < 0 || from == INT64_MAX ||
        json_i64(json_get(line, "to"), &v->to) < 0)
        return no_line(err, v->name, v->line,
                       "must be the head of an exported journal (\"sosia_journal\": 1)");
    if (from && !read_link(json_get(line, "chain"), v->chain.link))
        return no_line(err, v->name, v->line,
                       "must have the \"chain\" of the entries before it, 64 hex digits, has not");
    chain_text(&v->chain, p, len, v->first);
    v->last = from;
    return 0;
}

static int verify_last(struct verifying *v, const struct json *line, struct sosia_err *err)
{
    const char *chain = json_get_str(line, "chain"), *first = json_get_str(line, "head");
    char hex[65];
    int64_t n = 0;
    hex_encode(hex, v->chain.link, 32);
    if (json_i64(json_get(line, "end"), &n) < 0 || !chain || !first)
        return no_line(err, v->name, v->line, "must be an entry or the end, is neither");
    if (strcmp(first, v->first) != 0)
        return no_line(err, v->name, 1, "is not what was written: the file's end has another hash");
    if (n != v->last || n != v->to || strcmp(chain, hex) != 0)
        return no_line(err, v->name, v->line,
                       "is not the end that was written: entries before it are missing");
    v->ended = true;
    return 0;
}

static int verify_line(struct verifying *v, const char *p, size_t len, struct sosia_err *err)
{
    struct arena a;
    const struct json *line;
    v->line++;
    if (v->ended)
        return no_line(err, v->name, v->line, "must not be there: the line before is the last");
    if (v->line > 1 && len > 7 && strncmp(p, "{\"seq\":", 7) == 0)
        return verify_entry(v, p, len, err);
    arena_init(&a, 0);
    int rc = json_parse(&a, p, len, NULL, &line, err);
    if (rc == 0)
        rc = v->line == 1 ? verify_first(v, p, len, line, err) : verify_last(v, line, err);
    else if (err->code != SOSIA_E_NO_MEMORY)
        no_line(err, v->name, v->line, "must be a line of an export, is not JSON");
    arena_done(&a);
    return rc;
}

int sosia_journal_verify(const char *text, size_t len, const char *name, const char *head,
                         int64_t *ret_entries, char ret_head[65], struct sosia_err *err)
{
    struct sosia_err local_err;
    struct verifying v = {.name = name ? name : "journal"};
    char hex[65];
    size_t at = 0;
    int64_t first = 0;
    int rc = 0;
    err = err ? err : &local_err;
    if (len && taken_pointer(text, "text", err) < 0)
        return -1;
    if (chain_open(&v.chain, err) < 0)
        return -1;
    while (rc == 0 && at < len) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        if (!end) {
            v.line++;
            rc = no_line(err, v.name, v.line, "was cut: the line has no end");
            break;
        }
        /* A copy with an end of its own, as numbers are read up to it. */
        char *line = malloc(n + 96);
        if (!line) {
            rc = sosia_fail_memory(err);
            break;
        }
        memcpy(line, text + at, n);
        memset(line + n, 0, 96);
        rc = verify_line(&v, line, n, err);
        free(line);
        if (rc == 0 && v.line == 1)
            first = v.last;
        at += n + 1;
    }
    if (rc == 0 && !v.ended)
        rc = no_line(err, v.name, v.line + 1, "was cut: the line that ends the journal is missing");
    hex_encode(hex, v.chain.link, 32);
    if (rc == 0 && head && strcmp(head, hex) != 0)
        rc = no_line(err, v.name, v.line,
                     "is not the end that the world's journal has: it was written anew");
    chain_close(&v.chain);
    if (rc < 0)
        return -1;
    if (ret_entries)
        *ret_entries = v.last - first;
    if (ret_head)
        memcpy(ret_head, hex, sizeof hex);
    return 0;
}

/* ---- forms ---- */

struct forming {
    struct export x;
    const struct export_form *form;
};

static int form_entry(void *arg, int64_t seq, const char *text, size_t len)
{
    struct forming *f = arg;
    const struct json *entry;
    arena_reset(&f->x.arena);
    if (json_parse(&f->x.arena, text, len, NULL, &entry, f->x.err) < 0)
        return BAD_ENTRY;
    if (json_get(entry, "request") && json_get(entry, "response"))
        f->form->entry(&f->x, seq, entry);
    return arena_failed(&f->x.arena) ? -1 : 0;
}

static int write_form(const struct world *w, const struct export_form *form, int64_t from,
                      int64_t to, struct buf *out, struct sosia_err *err)
{
    struct json_writer writer;
    struct forming f = {.x = {.w = &writer, .err = err}, .form = form};
    arena_init(&f.x.arena, 0);
    json_init(&writer, out, true, NULL);
    world_key(w->id, f.x.key);
    form->begin(&f.x);
    int rc = journal_each_of(w->past, journal_of(w), from, to, INT64_MAX, form_entry, &f);
    form->end(&f.x);
    arena_done(&f.x.arena);
    if (rc == -1 || buf_failed(out))
        return sosia_fail_memory(err);
    return rc < 0 ? -1 : 0;
}

/* What is exported of a locked world. */
struct extent {
    int64_t from, to;
    uint64_t era;
};

static int read_extent(const struct world *w, struct extent *x, struct sosia_err *err)
{
    int64_t last = world_last_entry(w), gone = journal_first(w->past, journal_of(w)) - 1;
    x->to = x->to ? x->to : last;
    x->from = x->from ? x->from : gone;
    x->era = w->era;
    if (x->from >= 0 && x->from < gone)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", "from",
                          "entry %lld is the first that is left, those before it went when the "
                          "journal had more bytes than it keeps: from can be %lld to %lld, is %lld",
                          (long long)gone + 1, (long long)gone, (long long)last,
                          (long long)x->from);
    if (x->from < 0 || x->from > x->to || x->to > last)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", "from",
                          "the entries must be among 0 to %lld, not %lld to %lld", (long long)last,
                          (long long)x->from, (long long)x->to);
    return 0;
}

/* The state that it begins from, which is found without the world's lock. */
static int write_origin(struct sosia_engine *e, uint64_t world, bool secrets, struct extent *x,
                        struct buf *ret, struct sosia_err *err)
{
    struct json_writer w;
    struct world *at = world_take(e, world, err);
    int rc = at ? read_extent(at, x, err) : -1;
    if (at)
        world_drop(at);
    json_init(&w, ret, false, NULL);
    if (rc == 0)
        rc = origin_write(e, world, x->from, secrets, &w, err);
    return rc == 0 && buf_failed(ret) ? sosia_fail_memory(err) : rc;
}

static int export(struct sosia_engine *engine, uint64_t world, enum sosia_journal_format format,
                  int64_t from, int64_t to, bool secrets, struct sosia_blob *ret_text,
                  struct sosia_err *err)
{
    static const struct export_form *const forms[] = {NULL, &export_har, &export_otlp, &export_atif,
                                                      &export_run};
    struct extent x = {.from = from, .to = to};
    struct sosia_err local_err = {0};
    struct buf out, origin;
    err = err ? err : &local_err;
    if ((unsigned)format > SOSIA_JOURNAL_RUN)
        return sosia_fail(err, SOSIA_E_INVALID, "format", "format", "there is no such format");
    buf_init(&out, 0);
    buf_init(&origin, SIZE_MAX / 2);
    int rc = forms[format] ? 0 : write_origin(engine, world, secrets, &x, &origin, err);
    uint64_t era = x.era;
    struct world *w = rc == 0 ? world_take(engine, world, err) : NULL;
    rc = w ? read_extent(w, &x, err) : -1;
    if (rc == 0 && !forms[format] && x.era != era)
        rc = sosia_fail(err, SOSIA_E_CONFLICT, "reset", NULL,
                        "the world was reset while its journal was exported");
    if (rc == 0)
        rc = forms[format] ? write_form(w, forms[format], x.from, x.to, &out, err)
                           : write_lines(w, x.from, x.to, &origin,
                                         secrets ? world_secret_own(w) : NULL, &out, err);
    uint64_t ticket = w ? w->ticket : 0;
    if (w)
        world_drop(w);
    if (rc == 0)
        rc = engine_sync(engine, ticket, err);
    if (rc == 0)
        rc = buf_give(&out, ret_text, err);
    buf_done(&out);
    buf_done(&origin);
    return rc;
}

int sosia_journal_export(struct sosia_engine *engine, uint64_t world,
                         enum sosia_journal_format format, int64_t from, int64_t to,
                         struct sosia_blob *ret_text, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_text, "ret_text", err) < 0)
        return -1;
    return export(engine, world, format, from, to, false, ret_text, err);
}

int sosia_journal_export_secrets(struct sosia_engine *engine, uint64_t world, int64_t from,
                                 int64_t to, struct sosia_blob *ret_text, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_text, "ret_text", err) < 0)
        return -1;
    return export(engine, world, SOSIA_JOURNAL_JSONL, from, to, true, ret_text, err);
}

/* ---- what there is ---- */

struct counting {
    int64_t first, n;
};

static void count_step(void *arg, const struct step *step)
{
    struct counting *c = arg;
    if (!c->n++)
        c->first = step->seq;
}

static int add_link(void *arg, int64_t seq, const char *text, size_t len)
{
    (void)seq;
    chain_add(arg, text, len);
    return 0;
}

/* The last link of the chain, for which all entries are hashed. */
static int find_head(const struct world *w, char ret_hex[65], struct sosia_err *err)
{
    struct chain chain;
    if (chain_open(&chain, err) < 0)
        return -1;
    const struct journal_cut *cut = journal_cut_of(w->past, journal_of(w));
    if (cut)
        memcpy(chain.link, cut->link, sizeof cut->link);
    int rc = journal_each_of(w->past, journal_of(w), 0, INT64_MAX, INT64_MAX, add_link, &chain);
    hex_encode(ret_hex, chain.link, 32);
    chain_close(&chain);
    return rc < 0 ? sosia_fail_memory(err) : 0;
}

static int write_info(const struct sosia_engine *e, const struct world *w, bool head,
                      struct json_writer *out, struct sosia_err *err)
{
    static const char *const modes[] = {"writes", "none", "all"};
    struct counting c = {0};
    char hex[65];
    if (w->extra && journal_each_step(&w->extra->journal, count_step, &c) < 0)
        return sosia_fail_memory(err);
    if (head && find_head(w, hex, err) < 0)
        return -1;
    json_obj(out, NULL);
    json_int(out, "entries", world_last_entry(w));
    json_int(out, "first", journal_first(w->past, journal_of(w)));
    json_int(out, "start", journal_past_n(w->past));
    json_str(out, "mode", modes[world_journal_mode(w)]);
    json_str(out, "keep", journal_keeps[world_journal_keep(w)]);
    json_obj(out, "steps");
    json_int(out, "most", world_steps(w));
    json_int(out, "kept", c.n);
    if (c.n)
        json_int(out, "first", c.first);
    json_int(out, "bytes", w->extra ? (int64_t)journal_step_bytes(&w->extra->journal) : 0);
    json_int(out, "most_bytes", (int64_t)world_step_bytes(w));
    json_end(out);
    uint64_t most = world_journal_bytes(e, w);
    json_int(out, "bytes", w->extra ? (int64_t)journal_size(&w->extra->journal) : 0);
    if (most != UINT64_MAX)
        json_int(out, "most_bytes", (int64_t)most);
    refused_write(w, out);
    json_str_opt(out, "head", head ? hex : NULL);
    write_versions(out);
    json_end(out);
    return 0;
}

int journal_info(struct sosia_engine *engine, uint64_t world, bool head,
                 struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct json_writer writer;
    struct buf out;
    struct world *w = world_take(engine, world, err);
    if (!w)
        return -1;
    buf_init(&out, 0);
    json_init(&writer, &out, true, NULL);
    int rc = write_info(engine, w, head, &writer, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    if (rc == 0)
        rc = engine_sync(engine, ticket, err);
    if (rc == 0)
        rc = buf_give(&out, ret_json, err);
    buf_done(&out);
    return rc;
}

int sosia_journal_info(struct sosia_engine *engine, uint64_t world, struct sosia_blob *ret_json,
                       struct sosia_err *err)
{
    struct sosia_err local_err;
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    return journal_info(engine, world, true, ret_json, err ? err : &local_err);
}
