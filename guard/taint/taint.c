/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/taint/taint.h"
#include "guard/reach.h"
#include "guard/taint/taint_row.h"
#include "guard/taint/taint_run.h"
#include <stdlib.h>
#include <xxhash.h>

#define INDEXES   4 /* organisations whose people make calls, at once */
#define HITS_MAX  1000
#define SHOWN     20                /* in the journal */
#define WORK      10000000          /* steps of expressions */
#define LOOK_MAX  ((size_t)4 << 20) /* bytes of an answer; a longer one may have everything */
#define RUN_LABEL "X-Sosia-Label-Run"

struct taint {
    uint64_t era; /* of the world that it is of */
    struct taint_index *indexes[INDEXES];
    struct taint_runs runs;
};

/* A tainted value of the call. */
struct hit {
    const char *argument, *text;
    enum value_form form;
    const char *row, *author;
};

struct taint_call {
    struct taint *of;
    struct taint_run *run;
    struct taint_index **index;
    bool agent, looked;
    struct hit *hits;
    size_t n, cap;
    const struct json *facts[4]; /* by what else is asked for; NULL: not made yet */
    struct taint_values given;   /* values of its arguments, tainted or not; for the length of
                                    taint_written() */
};

/* ---- of a world ---- */

bool taint_is_of(const struct taint *t, const struct world *w)
{
    return t->era == w->era;
}

void taint_free(struct taint *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < INDEXES; i++)
        taint_index_unref(t->indexes[i]);
    taint_runs_done(&t->runs);
    free(t);
}

struct taint *taint_copy(const struct taint *t)
{
    struct taint *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    if (taint_runs_copy(&t->runs, &copy->runs) < 0) {
        taint_free(copy);
        return NULL;
    }
    for (size_t i = 0; i < INDEXES; i++)
        if (t->indexes[i])
            copy->indexes[i] = taint_index_ref(t->indexes[i]);
    return copy;
}

int taint_load(struct tx *tx, struct taint *old, bool asked, struct taint **ret)
{
    *ret = NULL;
    if (!asked) {
        taint_free(old);
        return 0;
    }
    struct taint *t = old ? old : calloc(1, sizeof *t);
    if (!t)
        return sosia_fail_memory(tx->err);
    t->era = tx->world->era;
    if (!old && taint_runs_load(tx, &t->runs) < 0) {
        taint_free(t);
        return -1;
    }
    *ret = t;
    return 0;
}

int taint_save(struct tx *tx, struct taint *t)
{
    return t ? taint_runs_save(tx, &t->runs) : 0;
}

bool taint_is_unsaved(const struct taint *t)
{
    for (size_t i = 0; t && i < t->runs.n; i++)
        if (t->runs.list[i]->saved < t->runs.list[i]->n)
            return true;
    return false;
}

void taint_unsaved(struct taint *t)
{
    for (size_t i = 0; t && i < t->runs.n; i++)
        t->runs.list[i]->saved = t->runs.list[i]->kept;
}

/* ---- a call ---- */

static uint64_t key_of(const struct call *c)
{
    const char *label = call_request_header(c, RUN_LABEL);
    uint64_t key = XXH3_64bits(c->actor.handle, strlen(c->actor.handle));
    /* A program of an app gets itself new tokens, and is the same run. */
    const int64_t of[] = {c->app, c->app ? 0 : c->token_expires_us};
    key = XXH3_64bits_withSeed(of, sizeof of, key);
    return label ? XXH3_64bits_withSeed(label, strlen(label), key) : key;
}

int taint_begin(struct call *c, struct judged *j, struct taint *t, bool agent)
{
    if (!c->actor.id || (!agent && !c->tx.write))
        return 0;
    struct taint_call *seen = arena_calloc(c->tx.arena, 1, sizeof *seen);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    *seen = (struct taint_call){
        .of = t, .agent = agent, .index = &t->indexes[(uint64_t)c->actor.org % INDEXES]};
    if (taint_index_sync(c, seen->index) < 0)
        return -1;
    for (size_t i = 0; i < t->runs.n; i++)
        t->runs.list[i]->kept = t->runs.list[i]->saved;
    if (agent) {
        seen->run = taint_runs_find(&t->runs, key_of(c));
        if (!seen->run)
            return sosia_fail_memory(c->tx.err);
        c->noted = true; /* who reads the journal, or runs it again, has to know what was read */
    }
    j->taint = seen;
    return 0;
}

static bool is_tainted(const struct taint_call *seen, uint64_t value)
{
    return !taint_index_inside(*seen->index, value) &&
           (taint_run_source(seen->run, value) ||
            (seen->run->all && taint_index_outside(*seen->index, value)));
}

/* ---- arguments ---- */

struct looking {
    struct call *c;
    struct taint_call *seen;
    const char *path;
};

/* Whether a hit of these is there already. */
static bool is_known(const struct taint_call *seen, const struct value *v, const char *path)
{
    for (size_t i = 0; i < seen->n; i++)
        if (seen->hits[i].form == v->form && strcmp(seen->hits[i].argument, path) == 0 &&
            strlen(seen->hits[i].text) == v->n && memcmp(seen->hits[i].text, v->text, v->n) == 0)
            return true;
    return false;
}

static int find_source(struct call *c, const struct taint_call *seen, uint64_t value,
                       struct taint_origin *ret)
{
    const struct taint_source *s = seen->run ? taint_run_source(seen->run, value) : NULL;
    *ret = (struct taint_origin){"", ""};
    if (s)
        *ret = (struct taint_origin){s->row, s->author};
    return s ? 1 : taint_index_origin(c, *seen->index, value, NULL, ret);
}

static int look_at(void *arg, const struct value *v)
{
    struct looking *l = arg;
    struct taint_call *seen = l->seen;
    struct taint_origin from;
    if (!is_tainted(seen, v->hash) || seen->n == HITS_MAX || is_known(seen, v, l->path))
        return 0;
    if (find_source(l->c, seen, v->hash, &from) < 0)
        return -1;
    struct arena *a = l->c->tx.arena;
    struct hit *hits = arena_grow(a, seen->hits, seen->n, &seen->cap, sizeof *hits);
    if (!hits)
        return -1;
    seen->hits = hits;
    hits[seen->n++] = (struct hit){.argument = l->path,
                                   .text = arena_memdup(a, v->text, v->n),
                                   .form = v->form,
                                   .row = arena_strdup(a, from.row),
                                   .author = arena_strdup(a, from.author)};
    return 0;
}

/* Each text in a value, by its path. */
static int each_text(struct arena *a, const struct json *v, const char *path,
                     int (*fn)(void *arg, const char *path, const char *text, size_t len),
                     void *arg)
{
    int rc = 0;
    if (v->type == JSON_STRING || v->type == JSON_NUMBER)
        return fn(arg, path, v->str, v->n);
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n && rc == 0; i++)
        rc = each_text(a, &v->items[i], arena_printf(a, "%s.%u", path, i), fn, arg);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n && rc == 0; i++)
        rc = each_text(a, &v->members[i].value,
                       *path ? ARENA_JOIN(a, path, ".", v->members[i].key) : v->members[i].key, fn,
                       arg);
    return rc;
}

static int look_at_text(void *arg, const char *path, const char *text, size_t len)
{
    struct looking *l = arg;
    l->path = path;
    return values_each(l->c->tx.arena, text, len, look_at, l);
}

/* A medium that comes with the call, as far as it is looked at. */
static int medium_text(struct call *c, const char **ret, size_t *ret_len)
{
    const struct medium *m = c->medium;
    *ret = m ? m->data : NULL;
    *ret_len = m ? m->len : 0;
    if (!m || m->data || !m->bytes.len)
        return 0;
    size_t n = m->bytes.len > (int64_t)LOOK_MAX ? LOOK_MAX : (size_t)m->bytes.len;
    char *to = arena_alloc(c->tx.arena, n);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    *ret = to;
    *ret_len = n;
    return bytes_read(&c->tx, &m->bytes, 0, to, n);
}

static int each_argument(struct call *c, struct judged *j,
                         int (*fn)(void *arg, const char *path, const char *text, size_t len),
                         void *arg)
{
    const struct json *arguments = call_arguments(c, j);
    const char *text;
    size_t len;
    if (!arguments)
        return sosia_fail_memory(c->tx.err);
    if (each_text(c->tx.arena, arguments, "", fn, arg) < 0 || medium_text(c, &text, &len) < 0 ||
        (text && fn(arg, "media", text, len) < 0))
        return c->tx.err->code ? -1 : sosia_fail_memory(c->tx.err);
    return 0;
}

/* ---- facts ---- */

enum { MEMBER_READ = 4, MEMBER_REACHED, FACTS = MEMBER_REACHED + 1 + VALUE_FORMS };

static const char *member_of(const struct hit *h, size_t member)
{
    return member == 0 ? h->text : member == 1 ? h->argument : member == 2 ? h->author : h->row;
}

/* A list of texts in the making, each once. */
struct texts {
    struct arena *arena;
    struct json *items;
    size_t n, cap;
};

static void add_text(struct texts *t, const char *text)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->items[i].str, text) == 0)
            return;
    struct json *items = arena_grow(t->arena, t->items, t->n, &t->cap, sizeof *items);
    if (!items)
        return;
    t->items = items;
    items[t->n++] = (struct json){.type = JSON_STRING, .n = (uint32_t)strlen(text), .str = text};
}

static void end_list(const struct texts *t, struct json *facts, const char *name)
{
    struct json_member *m = (struct json_member *)&facts->members[facts->n++];
    *m =
        (struct json_member){.key = name,
                             .key_len = (uint32_t)strlen(name),
                             .value = {.type = JSON_ARRAY, .n = (uint32_t)t->n, .items = t->items}};
}

static bool is_in(const struct json *list, const char *text)
{
    for (uint32_t i = 0; list && i < list->n; i++)
        if (strcmp(list->items[i].str, text) == 0)
            return true;
    return false;
}

/* Addresses of those whom the call reaches; who is where it goes was not named by anybody. */
static void add_reached(const struct judged *j, struct texts *t)
{
    const struct json *people = json_get(j->facts, "people"),
                      *audience = json_get(j->facts, "audience");
    for (uint32_t i = 0; people && i < people->n; i++)
        if (!is_in(audience, people->items[i].str) &&
            is_tainted(j->taint, value_hash(people->items[i].str, people->items[i].n)))
            add_text(t, people->items[i].str);
}

static const struct json *make_facts(struct call *c, const struct judged *j,
                                     const struct policy_rule *rule)
{
    const struct taint_call *seen = j->taint;
    struct arena *a = c->tx.arena;
    struct json *facts = arena_calloc(a, 1, sizeof *facts);
    facts->type = JSON_OBJECT;
    facts->members = arena_calloc(a, FACTS, sizeof *facts->members);
    if (arena_failed(a))
        return NULL;
    for (size_t i = 0; i < FACTS; i++) {
        struct texts t = {.arena = a};
        size_t form = i - MEMBER_REACHED - 1;
        for (size_t k = 0; i < MEMBER_READ && k < seen->n; k++)
            add_text(&t, member_of(&seen->hits[k], i));
        for (size_t k = 0; rule->asks_read && i == MEMBER_READ && k < seen->run->n; k++)
            if (*seen->run->sources[k].author || seen->run->sources[k].all)
                add_text(&t, seen->run->sources[k].author);
        if (rule->asks_reached && i == MEMBER_REACHED)
            add_reached(j, &t);
        for (size_t k = 0; i > MEMBER_REACHED && k < seen->n; k++)
            if (seen->hits[k].form == form)
                add_text(&t, seen->hits[k].text);
        end_list(&t, facts, i <= MEMBER_REACHED ? taint_members[i] : value_forms[form]);
    }
    return arena_failed(a) ? NULL : facts;
}

int taint_look(struct call *c, struct judged *j)
{
    struct taint_call *seen = j->taint;
    if (!seen || !seen->run || seen->looked)
        return 0;
    seen->looked = true;
    struct looking l = {.c = c, .seen = seen};
    if (!seen->run->n && !seen->run->all)
        return 0;
    return each_argument(c, j, look_at_text, &l);
}

int taint_holds(struct call *c, struct judged *j, const struct policy_rule *rule)
{
    struct taint_call *seen = j->taint;
    if (!seen || !seen->run)
        return 0;
    if (taint_look(c, j) < 0)
        return -1;
    if (!rule->tainted)
        return seen->n > 0;
    const struct json **facts = &seen->facts[2 * rule->asks_reached + rule->asks_read];
    if (rule->asks_reached && outcome_reach(c, j) < 0)
        return -1;
    if (!*facts && !(*facts = make_facts(c, j, rule)))
        return sosia_fail_memory(c->tx.err);
    const char *domain = reach_domain(c->actor.email);
    struct predicate_work work = {.left = WORK};
    const struct json values[] = {
        {.type = JSON_STRING, .n = (uint32_t)strlen(c->actor.email), .str = c->actor.email},
        {.type = JSON_STRING, .n = (uint32_t)strlen(domain), .str = domain}};
    const struct variable list[] = {{"actor", &values[0]}, {"domain", &values[1]}};
    const struct predicate_context context = {
        .arena = c->tx.arena, .work = &work, .variables = {.list = list, .n = SOSIA_LEN(list)}};
    return conditions_hold(&context, rule->tainted, *facts) || work.cut;
}

/* ---- what was written ---- */

static int add_given(void *arg, const struct value *v)
{
    struct looking *l = arg;
    return taint_values_add(&l->seen->given, v->hash);
}

static int add_given_text(void *arg, const char *path, const char *text, size_t len)
{
    struct looking *l = arg;
    (void)path;
    return values_each(l->c->tx.arena, text, len, add_given, l);
}

/* Values of a row that are from outsiders. Those that a person has typed are the person's own. */
static bool is_from_outside(const struct taint_call *seen, uint64_t value)
{
    if (taint_index_inside(*seen->index, value))
        return false;
    if (seen->agent && taint_run_source(seen->run, value))
        return true;
    return taint_index_outside(*seen->index, value) &&
           (seen->agent || !taint_values_have(seen->given.list, seen->given.n, value));
}

static int mark(struct call *c, const struct taint_row *row, const struct taint_origin *from,
                const struct taint_values *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into guard_mark (entity, row, source, author, marked) values (:entity, "
                 ":row, :source, :author, :marked)");
    return v->n ? TX_RUN(&c->tx, &q, row->kind->entity->name, row->rowid, from->row, from->author,
                         sql_blob(v->list, v->n * sizeof *v->list))
                : 0;
}

/* Values by the row that they are from. */
static int mark_row(struct call *c, const struct taint_call *seen, const struct taint_row *row)
{
    struct taint_values v = {0};
    struct taint_origin of = {"", ""};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < row->inside.n; i++) {
        struct taint_origin from;
        uint64_t value = row->inside.list[i];
        if (!is_from_outside(seen, value))
            continue;
        if (find_source(c, seen, value, &from) < 0) {
            rc = -1;
            break;
        }
        if (v.n && strcmp(from.row, of.row) != 0) {
            rc = mark(c, row, &of, &v);
            v.n = 0;
        }
        of = from;
        if (taint_values_add(&v, value) < 0)
            rc = sosia_fail_memory(c->tx.err);
    }
    rc = rc == 0 ? mark(c, row, &of, &v) : rc;
    free(v.list);
    return rc;
}

static int see_written(struct call *c, const struct taint_call *seen, const struct kind *kind,
                       int64_t rowid)
{
    static struct sql_text q_gone =
        SQL_TEXT("delete from guard_mark where entity = :entity and row = :row");
    struct taint_row *row;
    if (taint_row_read(c, *seen->index, kind, rowid, false, &row) < 0)
        return -1;
    if (!row)
        return TX_RUN(&c->tx, &q_gone, kind->entity->name, rowid);
    int rc = mark_row(c, seen, row);
    taint_row_unref(row);
    return rc;
}

/* The owners of a row that is a part. */
static int see_part(struct call *c, const struct taint_call *seen, const struct kind *k,
                    int64_t rowid)
{
    const struct kind *whole = kind_of_entity(c->tx.engine->kinds, k->entity->name);
    int64_t owners[32];
    size_t n = 0;
    sqlite3_stmt *st = TX_QUERY(&c->tx, k->part->owner, rowid);
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(&c->tx, st)) == 1)
        if (n < SOSIA_LEN(owners))
            owners[n++] = sqlite3_column_int64(st, 0);
    for (size_t i = 0; r == 0 && i < n; i++)
        r = owners[i] ? see_written(c, seen, whole, owners[i]) : 0;
    return r;
}

int taint_written(struct call *c, struct judged *j)
{
    struct taint_call *seen = j->taint;
    struct looking l = {.c = c, .seen = seen};
    int rc = 0;
    if (!seen || !c->tx.write || !j->watching)
        return 0;
    if (!seen->agent) {
        rc = each_argument(c, j, add_given_text, &l);
        taint_values_sort(&seen->given);
    }
    for (size_t i = 0; rc == 0 && i < j->touched.n; i++)
        for (const struct kind *k = j->touched.list[i].kind; rc == 0 && k; k = k->next)
            rc = k->part ? see_part(c, seen, k, j->touched.list[i].rowid)
                         : see_written(c, seen, k, j->touched.list[i].rowid);
    free(seen->given.list);
    seen->given = (struct taint_values){0};
    return rc;
}

/* ---- what was read ---- */

struct reading_answer {
    struct call *c;
    struct taint_call *seen;
    size_t source; /* the last one; SIZE_MAX: none yet */
    struct taint_found found;
};

/* The source of this call that is that row. */
static size_t source_of(struct reading_answer *r, const struct taint_origin *from)
{
    struct taint_run *run = r->seen->run;
    const char *method = r->c->route->id;
    if (r->source != SIZE_MAX && strcmp(run->sources[r->source].row, from->row) == 0)
        return r->source;
    for (size_t i = run->saved; i < run->n; i++)
        if (strcmp(run->sources[i].row, from->row) == 0 &&
            strcmp(run->sources[i].method, method) == 0)
            return i;
    return taint_run_open(run, from->row, from->author, method, r->c->tx.now_us);
}

static int read_value(void *arg, const struct value *v)
{
    struct reading_answer *r = arg;
    struct taint_call *seen = r->seen;
    struct taint_origin from;
    if (!taint_index_outside(*seen->index, v->hash) || taint_index_inside(*seen->index, v->hash) ||
        taint_run_source(seen->run, v->hash))
        return 0;
    int found = taint_index_origin(r->c, *seen->index, v->hash, &r->found, &from);
    if (found <= 0)
        return found;
    r->source = source_of(r, &from);
    return r->source == SIZE_MAX ? -1 : taint_run_add(seen->run, r->source, v->hash);
}

/* The place of a text among those that have nothing more for the run; NULL without memory. */
static uint64_t *text_at(const struct taint_call *seen, uint64_t hash)
{
    struct taint_run *run = seen->run;
    uint64_t turn = taint_index_turn(*seen->index);
    if (!run->texts)
        run->texts = calloc(TAINT_TEXTS, sizeof *run->texts);
    else if (run->turn != turn)
        memset(run->texts, 0, TAINT_TEXTS * sizeof *run->texts);
    run->turn = turn;
    return run->texts ? &run->texts[hash % TAINT_TEXTS] : NULL;
}

static int read_text(void *arg, const char *path, const char *text, size_t len)
{
    struct reading_answer *r = arg;
    uint64_t hash = value_hash(text, len), *at = text_at(r->seen, hash);
    (void)path;
    if (!at)
        return -1;
    if (*at == hash)
        return 0;
    int rc = values_each(r->c->tx.arena, text, len, read_value, r);
    *at = rc == 0 ? hash : 0;
    return rc;
}

/* What can't be looked at may have had everything that outsiders wrote. */
static int read_everything(struct call *c, struct taint_call *seen)
{
    if (seen->run->all)
        return 0;
    size_t at = taint_run_open(seen->run, "", "", c->route->id, c->tx.now_us);
    if (at == SIZE_MAX)
        return sosia_fail_memory(c->tx.err);
    seen->run->sources[at].all = seen->run->all = true;
    return 0;
}

static int read_bytes(struct reading_answer *r, const char *text, size_t len)
{
    struct sosia_err ignored;
    const struct json *v;
    struct call *c = r->c;
    for (size_t i = 0; i < len; i++)
        if (!text[i])
            return read_everything(c, r->seen);
    bool json = len && (*text == '{' || *text == '[') &&
                json_parse(c->tx.arena, text, len, NULL, &v, &ignored) == 0;
    int rc = json ? each_text(c->tx.arena, v, "", read_text, r) : read_text(r, "", text, len);
    return rc == 0 || c->tx.err->code ? rc : sosia_fail_memory(c->tx.err);
}

int taint_read(struct call *c, struct judged *j)
{
    struct taint_call *seen = j->taint;
    struct reading_answer r = {.c = c, .seen = seen, .source = SIZE_MAX};
    if (!seen || !seen->run)
        return 0;
    if (c->stream || c->route->upgrade || c->body_out->len > LOOK_MAX ||
        (c->sent.blob.id && c->sent.n > (int64_t)LOOK_MAX))
        return read_everything(c, seen);
    if (c->sent.blob.id) {
        struct buf b;
        buf_init(&b, LOOK_MAX);
        int rc =
            blob_load_range(&c->tx, c->sent.blob.id, c->sent.first, c->sent.first + c->sent.n, &b);
        rc = rc < 0 || buf_failed(&b) ? -1 : read_bytes(&r, b.data ? b.data : "", b.len);
        buf_done(&b);
        return rc == 0 || c->tx.err->code ? rc : sosia_fail_memory(c->tx.err);
    }
    return read_bytes(&r, c->body_out->data ? c->body_out->data : "", c->body_out->len);
}

void taint_since(struct json_writer *w, const struct taint *t, const struct taint *before)
{
    if (t)
        taint_runs_since(w, &t->runs, before ? &before->runs : NULL);
}

int taint_take(struct call *c, struct judged *j, const struct json *list)
{
    struct taint_call *seen = j->taint;
    if (!seen || !seen->run || !list)
        return 0;
    return taint_run_take(seen->run, list) < 0 ? sosia_fail_memory(c->tx.err) : 0;
}

/* ---- the journal ---- */

void taint_write(const struct judged *j, struct json_writer *w)
{
    const struct taint_call *seen = j->taint;
    if (!seen || !seen->n)
        return;
    json_arr(w, "tainted");
    for (size_t i = 0; i < seen->n && i < SHOWN; i++) {
        const struct hit *h = &seen->hits[i];
        json_obj(w, NULL);
        json_str(w, "argument", h->argument);
        json_str(w, "value", h->text);
        json_str(w, "form", value_forms[h->form]);
        json_str(w, "row", h->row);
        json_str(w, "author", h->author);
        json_end(w);
    }
    json_end(w);
}
