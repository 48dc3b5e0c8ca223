/* SPDX-License-Identifier: Apache-2.0 */
/* Faults and budgets of a world, at each of its calls. */
#include "guard/faults/trouble.h"
#include "engine/world/part.h"
#include "mcp/watch.h"
#include "engine/base/codec.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/http/entry.h"
#include "engine/http/hold.h"
#include "engine/http/serve.h"
#include "engine/state/dump.h"
#include <inttypes.h>
#include <stdlib.h>

#define FAULTS  "guard faults"
#define BUDGETS "guard budgets"
#define COUNTS  "guard counts"

/* ---- rows ---- */

static int get(struct tx *tx, const char *key, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select value from meta where key = :key");
    sqlite3_stmt *st = TX_QUERY(tx, &q, key);
    int r = st ? TX_STEP(tx, st) : -1;
    *ret = NULL;
    if (r == 1) {
        *ret = tx_string(tx, st, 0);
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

static int put(struct tx *tx, const char *key, const char *value)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into meta (key, value) values (:key, :value)");
    static struct sql_text gone = SQL_TEXT("delete from meta where key = :key");
    return value ? TX_RUN(tx, &q, key, value) : TX_RUN(tx, &gone, key);
}

/* 1, 0, -1. */
static int has_rows(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from meta where key between '" BUDGETS "' and '" FAULTS "' limit 1");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = st ? TX_STEP(tx, st) : -1;
    if (r == 1)
        sql_done(st);
    return r;
}

static void write_fault_count(struct buf *b, const struct fault_count *n)
{
    buf_printf(b, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ";", n->matched, n->injected,
               n->called, n->until_us);
}

/* "matched,injected,called,until;...|uses" */
static void write_counts(struct buf *b, const struct trouble *t)
{
    for (size_t i = 0; t->faults && i < t->faults->n; i++)
        write_fault_count(b, &t->counts[i]);
    buf_byte(b, '|');
    budget_uses_write(b, t->uses);
}

/* Of n rules, into `counts`. */
static void read_fault_counts(struct fault_count *counts, size_t n_rules, const char *text)
{
    char *at;
    for (size_t i = 0; i < n_rules; i++) {
        int64_t *of[] = {&counts[i].matched, &counts[i].injected, &counts[i].called,
                         &counts[i].until_us};
        for (size_t k = 0; k < SOSIA_LEN(of); k++) {
            int64_t n = strtoll(text, &at, 10);
            if (at == text || (*at != ',' && *at != ';') || n < 0 || n > INT64_MAX / 2)
                break;
            *of[k] = n;
            text = at + 1;
        }
    }
}

static void read_counts(struct trouble *t, const char *text)
{
    const char *bar = strchr(text, '|');
    read_fault_counts(t->counts, t->faults ? t->faults->n : 0, text);
    if (bar && t->budgets)
        t->uses = budget_uses_read(bar + 1);
}

static int save(struct call *c, const struct trouble *t)
{
    struct buf b;
    if (!c->tx.write || (!t->faults && !t->budgets))
        return 0;
    const char *text = c->again ? c->again->counts : NULL;
    buf_init(&b, 0);
    if (!text) {
        write_counts(&b, t);
        text = arena_strdup(c->tx.arena, buf_str(&b));
    }
    int rc = buf_failed(&b) || arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err)
                                                         : put(&c->tx, COUNTS, text);
    buf_done(&b);
    c->counts = text;
    return rc;
}

/* The counts that a world has beside its rows go on. */
static int keep_counts(struct trouble *t, const struct trouble *old)
{
    bool faults = t->faults && old->faults && strcmp(t->faults->hash, old->faults->hash) == 0;
    bool budgets = t->budgets && old->budgets && strcmp(t->budgets->text, old->budgets->text) == 0;
    if (faults)
        memcpy(t->counts, old->counts, t->faults->n * sizeof *t->counts);
    if (old->before.base && !t->before.base)
        tree_fork(&old->before, &t->before);
    if (!budgets || !old->uses)
        return 0;
    budget_uses_free(t->uses);
    t->uses = budget_uses_copy(old->uses);
    return t->uses ? 0 : -1;
}

int trouble_load(struct tx *tx, const struct trouble *old, struct trouble **ret)
{
    const char *faults, *budgets, *counts;
    struct sosia_err err = {0};
    *ret = NULL;
    int any = has_rows(tx); /* one look is all that most worlds need */
    if (any <= 0)
        return any;
    if (get(tx, FAULTS, &faults) < 0 || get(tx, BUDGETS, &budgets) < 0)
        return -1;
    if (!faults && !budgets)
        return 0;
    struct trouble *t = calloc(1, sizeof *t);
    if (!t || get(tx, COUNTS, &counts) < 0) {
        free(t);
        return t ? -1 : sosia_fail_memory(tx->err);
    }
    int rc = 0;
    if (faults)
        rc = fault_rules_read(tx->engine, faults, strlen(faults), "faults", &t->faults, &err);
    if (rc == 0 && budgets)
        rc = budgets_read(tx->engine, budgets, strlen(budgets), "budgets", &t->budgets, &err);
    if (rc < 0 && err.code != SOSIA_E_NO_MEMORY) {
        t->broken = strdup(err.text);
        rc = 0;
    }
    t->counts = calloc((t->faults ? t->faults->n : 0) + 1, sizeof *t->counts);
    if (rc < 0 || !t->counts) {
        trouble_free(t);
        return sosia_fail_memory(tx->err);
    }
    if (counts)
        read_counts(t, counts);
    t->era = tx->world->era;
    if (old && old->era == t->era && keep_counts(t, old) < 0) {
        trouble_free(t);
        return sosia_fail_memory(tx->err);
    }
    *ret = t;
    return 1;
}

struct trouble *trouble_copy(const struct trouble *t)
{
    struct trouble *to = calloc(1, sizeof *to);
    size_t n = t->faults ? t->faults->n : 0;
    if (!to)
        return NULL;
    to->era = t->era;
    to->faults = fault_rules_ref(t->faults);
    to->budgets = budgets_ref(t->budgets);
    to->counts = calloc(n + 1, sizeof *to->counts);
    to->uses = t->uses ? budget_uses_copy(t->uses) : NULL;
    to->broken = t->broken ? strdup(t->broken) : NULL;
    if (!to->counts || (t->uses && !to->uses) || (t->broken && !to->broken)) {
        trouble_free(to);
        return NULL;
    }
    memcpy(to->counts, t->counts, n * sizeof *to->counts);
    if (t->before.base)
        tree_fork(&t->before, &to->before);
    return to;
}

void trouble_free(struct trouble *t)
{
    if (!t)
        return;
    fault_rules_unref(t->faults);
    budgets_unref(t->budgets);
    budget_uses_free(t->uses);
    if (t->before.base)
        tree_done(&t->before);
    free(t->counts);
    free(t->broken);
    free(t);
}

/* ---- calls ---- */

static int count_budgets(struct call *c, struct trouble *t)
{
    struct budget_stop stop;
    int rc = budget_begin(c, t->budgets, &t->uses, &stop);
    if (rc < 0)
        return -1;
    if (stop.limit && stop.soft)
        c->note = budget_stop_text(c->tx.arena, &stop);
    return rc ? fault_stop(c, budget_stop_text(c->tx.arena, &stop)) : 0;
}

/* An earlier state can be read only if one is known, which another one is; nothing arrives where
 * nothing can be written. */
static bool can_be(const struct call *c, const struct trouble *t, const struct fault *f)
{
    if (f->kind == FAULT_ARRIVES && c->tx.world->flags & WORLD_SNAPSHOT)
        return false;
    return f->kind != FAULT_STALE || (t->before.base && !c->tx.write);
}

int trouble_before(struct call *c, struct trouble *t)
{
    const struct fault *f;
    const struct world *w = c->tx.world;
    if (!t || c->redone || c->outcome || (w->flags & WORLD_SNAPSHOT && !world_is_beside(w)))
        return 0;
    if (t->broken)
        return call_fail(c, SOSIA_E_INTERNAL, "guard", NULL, "%s", t->broken);
    if (c->again)
        return 0; /* as its entry has it */
    if (t->budgets && !call_polls(c) && count_budgets(c, t) < 0)
        return -1;
    if (!t->faults)
        return 0;
    c->noted = true; /* what clients made of their faults is seen in all calls */
    if (faults_pick(c, t->faults, t->counts, &f) < 0)
        return -1;
    if (!f)
        return 0;
    int rc = can_be(c, t, f) ? fault_begin(c, f) : 1;
    if (rc > 0)
        faults_unpick(t->faults, t->counts, f);
    return rc < 0 ? -1 : 0;
}

int trouble_between(struct call *c, struct trouble *t)
{
    const struct fault *f = c->fault;
    struct world *w = c->tx.world;
    if (!t || !f)
        return 0;
    if (f->kind == FAULT_STALE) {
        c->stale = t->before.base ? &t->before : NULL;
        return 0;
    }
    const char *document = arena_strdup(c->tx.arena, f->document),
               *name = arena_printf(c->tx.arena, "fault %s", f->rule);
    c->fault = NULL; /* the document has an entry of its own */
    struct worker *k = worker_take_second(c->tx.engine, c->tx.err);
    if (!k)
        return -1;
    int rc = world_seed_on(c->tx.engine, w, k, document, strlen(document), name, c->tx.err);
    worker_drop(k);
    return rc;
}

int trouble_answered(struct call *c, struct trouble *t)
{
    if (!t)
        return 0;
    if (t->budgets && !c->again)
        budget_end(c, t->budgets, &t->uses);
    if (c->tx.write && t->faults && t->faults->stale) {
        if (t->before.base)
            tree_done(&t->before);
        tree_fork(slot_tree(c->tx.db), &t->before);
    }
    return save(c, t);
}

int trouble_undone(struct call *c, struct trouble *t)
{
    if (!t)
        return 0;
    if (t->budgets && !c->again && !call_polls(c) && hold_answered(c->suspended))
        budget_give_back(c, t->budgets, &t->uses);
    return save(c, t);
}

/* "hash matched,injected,called,until;..." of faults that calls have matched, "|", "hash uses" */
void trouble_since(struct buf *out, const struct trouble *t, const struct trouble *before)
{
    struct buf faults, uses;
    const bool same = t && t->faults && before && before->faults &&
                      strcmp(t->faults->hash, before->faults->hash) == 0;
    bool any = false;
    buf_init(&faults, 0);
    buf_init(&uses, 0);
    for (size_t i = 0; t && t->faults && i < t->faults->n; i++) {
        struct fault_count n = t->counts[i];
        const struct fault_count then = same ? before->counts[i] : (struct fault_count){0};
        n.matched -= then.matched;
        n.injected -= then.injected;
        n.called -= then.called;
        any |= n.matched || n.called;
        write_fault_count(&faults, &n);
    }
    if (t && t->budgets)
        budget_uses_since(&uses, t->uses, before ? before->uses : NULL);
    if (any)
        buf_printf(out, "%s %s", t->faults->hash, buf_str(&faults));
    if (any || uses.len)
        buf_puts(out, "|");
    if (uses.len)
        buf_printf(out, "%s %s", t->budgets->hash, buf_str(&uses));
    out->failed |= faults.failed || uses.failed;
    buf_done(&faults);
    buf_done(&uses);
}

/* Rules that are others now have matched none of those calls. */
static int add_faults(struct trouble *t, const char *text)
{
    const size_t len = t->faults ? strlen(t->faults->hash) : 0;
    if (!t->faults || strncmp(text, t->faults->hash, len) != 0 || text[len] != ' ')
        return 0;
    struct fault_count *more = calloc(t->faults->n + 1, sizeof *more);
    if (!more)
        return -1;
    read_fault_counts(more, t->faults->n, text + len + 1);
    for (size_t i = 0; i < t->faults->n; i++) {
        struct fault_count *n = &t->counts[i];
        n->matched += more[i].matched;
        n->injected += more[i].injected;
        n->called += more[i].called;
        if (n->until_us < more[i].until_us)
            n->until_us = more[i].until_us;
    }
    free(more);
    return 0;
}

/* The same of budgets: others that were set meanwhile hold from then on. */
static int add_uses(struct trouble *t, const char *text)
{
    const size_t len = t->budgets ? strlen(t->budgets->hash) : 0;
    if (!t->budgets || strncmp(text, t->budgets->hash, len) != 0 || text[len] != ' ')
        return 0;
    return budget_uses_add(&t->uses, text + len + 1) ? 0 : -1;
}

int trouble_add(struct call *c, struct trouble *t, const char *text)
{
    const char *bar = strchr(text, '|');
    if (!t || !bar || c->again) /* of one that runs again the entry has them */
        return 0;
    bool added = add_faults(t, text) == 0 && add_uses(t, bar + 1) == 0;
    return added ? 0 : sosia_fail_memory(c->tx.err);
}

bool trouble_counts_changes(const struct trouble *t)
{
    return t && t->budgets && t->budgets->consequences;
}

int trouble_changes(struct call *c, struct trouble *t, int64_t recipients, int64_t removed)
{
    struct budget_stop stop;
    if (!trouble_counts_changes(t) || c->again)
        return 0;
    int rc = budget_consequences(c, t->budgets, &t->uses, recipients, removed, &stop);
    if (stop.limit && stop.soft && !c->note)
        c->note = budget_stop_text(c->tx.arena, &stop);
    return rc > 0 ? fault_stop(c, budget_stop_text(c->tx.arena, &stop)) : rc;
}

/* ---- documents ---- */

struct setting {
    const char *what, *text, *counts;
};

static void write_setting(struct json_writer *w, void *arg)
{
    const struct setting *s = arg;
    json_obj(w, "control");
    json_str(w, "do", "guard");
    json_str(w, "set", s->what);
    json_str_opt(w, "document", s->text);
    json_str(w, "counts", s->counts);
    json_end(w);
}

static bool is_faults(const char *what)
{
    return strcmp(what, "faults") == 0;
}

static int set(struct tx *tx, const struct setting *s)
{
    return put(tx, is_faults(s->what) ? FAULTS : BUDGETS, s->text) < 0 ||
                   put(tx, COUNTS, s->counts) < 0
               ? -1
               : 0;
}

/* What was counted until now, but of what is set anew. */
static const char *counts_behind(struct arena *a, struct trouble *t, const char *what)
{
    struct trouble none = {.faults = NULL}, of = t ? *t : none;
    struct buf b;
    if (is_faults(what))
        of.faults = NULL;
    else
        of.uses = NULL;
    buf_init(&b, 0);
    write_counts(&b, &of);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static int set_on(struct sosia_engine *e, struct world *w, struct worker *k, struct setting *s,
                  struct sosia_err *err)
{
    struct tx tx;
    if (tx_begin(&tx, e, w, k, true, world_now(w), err) < 0)
        return -1;
    if (!s->counts)
        s->counts = guard_learn(&tx) < 0 ? NULL : counts_behind(tx.arena, trouble_of(w), s->what);
    event_note(&tx, RULES_CHANGED, OP_CHANGED, 0, 0);
    if (!s->counts || set(&tx, s) < 0 || events_deliver(&tx) < 0) {
        tx_rollback(&tx);
        return -1;
    }
    if (tx_publish(&tx) < 0)
        return -1;
    struct trouble *old = trouble_of(w);
    if (old)
        old->era = UINT64_MAX; /* what holds is in the rows */
    guard_forget(w);
    world_note(e, w, tx.now_us, write_setting, s);
    parts_notify(&tx);
    return 0;
}

int trouble_again(struct sosia_engine *e, struct world *w, struct worker *k,
                  const struct json *control, struct sosia_err *err)
{
    struct setting s = {.what = json_get_str(control, "set"),
                        .text = json_get_str(control, "document"),
                        .counts = json_get_str(control, "counts")};
    if (!s.what || !s.counts)
        return sosia_fail(err, SOSIA_E_INVALID, "journal", NULL,
                          "an entry of the journal must say what was set, and the counts then");
    return set_on(e, w, k, &s, err);
}

/* The document, read and written again: as JSON. *ret NULL: the text is none. */
static int check(struct sosia_engine *e, const char *what, const char *text, size_t len,
                 const char *name, char **ret, struct sosia_err *err)
{
    struct fault_rules *r;
    struct budgets *b;
    *ret = NULL;
    if (!text)
        return 0;
    if (is_faults(what)) {
        if (fault_rules_read(e, text, len, name, &r, err) < 0)
            return -1;
        *ret = strdup(r->text);
        fault_rules_unref(r);
    } else {
        if (budgets_read(e, text, len, name, &b, err) < 0)
            return -1;
        *ret = strdup(b->text);
        budgets_unref(b);
    }
    return *ret ? 0 : sosia_fail_memory(err);
}

int trouble_put(struct tx *tx, const char *what, const char *text, const char *name,
                struct sosia_err *err)
{
    char *copy;
    if (check(tx->engine, what, text, strlen(text), name, &copy, err) < 0)
        return -1;
    const struct setting s = {what, arena_strdup(tx->arena, copy), NULL};
    free(copy);
    if (set(tx, &s) == 0)
        return 0;
    *err = *tx->err;
    return -1;
}

int trouble_put_budget(struct tx *tx, const struct json *budget, const char *name)
{
    struct json_writer w;
    struct sosia_err err = {0};
    struct buf b;
    size_t n = 0;
    bool whole = json_get(budget, "budgets") != NULL;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; budget->type == JSON_OBJECT && i < budget->n; i++) {
        const struct json_member *m = &budget->members[i];
        bool limits = strncmp(m->key, "max", 3) == 0;
        n += limits;
        if (whole || (limits && str_place(budget_object_members, m->key) >= 0) ||
            strcmp(m->key, "workflow") == 0)
            json_value(&w, m->key, &m->value);
    }
    json_end(&w);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    if (!text)
        return sosia_fail_memory(tx->err);
    if ((!whole && !n) || trouble_put(tx, "budgets", text, name, &err) == 0)
        return 0;
    return sosia_fail(tx->err, err.code, err.reason, "budget", "the policy's budget: %.180s",
                      err.text);
}

/* Sets one of the documents; NULL: none any more. */
static int trouble_set(struct sosia_engine *e, uint64_t world, const char *what, const char *text,
                       size_t len, const char *name, struct sosia_err *err)
{
    char *copy;
    struct setting s = {.what = what};
    if (check(e, what, text, len, name ? name : what, &copy, err) < 0)
        return -1;
    s.text = copy;
    struct worker *k = worker_take(e, err);
    struct world *w = k ? world_take(e, world, err) : NULL;
    int rc = w ? 0 : -1;
    if (w && w->flags & WORLD_SNAPSHOT)
        rc = sosia_fail(err, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be changed");
    if (rc == 0)
        rc = set_on(e, w, k, &s, err);
    if (rc == 0)
        rc = world_changed(e, w, err);
    uint64_t ticket = w ? w->ticket : 0;
    if (w)
        world_drop(w);
    if (k)
        worker_drop(k);
    free(copy);
    return rc < 0 ? -1 : engine_sync(e, ticket, err);
}

int sosia_world_faults(struct sosia_engine *engine, uint64_t world, const char *doc, size_t len,
                       const char *doc_name, struct sosia_err *err)
{
    struct sosia_err local_err = {0};
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    return trouble_set(engine, world, "faults", doc, len, doc_name, err ? err : &local_err);
}

int sosia_world_budgets(struct sosia_engine *engine, uint64_t world, const char *doc, size_t len,
                        const char *doc_name, struct sosia_err *err)
{
    struct sosia_err local_err = {0};
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    return trouble_set(engine, world, "budgets", doc, len, doc_name, err ? err : &local_err);
}

/* ---- what there is ---- */

static void write_info(struct json_writer *w, const struct trouble *t)
{
    json_obj(w, NULL);
    if (t && t->broken)
        json_str(w, "broken", t->broken);
    if (t && t->faults) {
        json_raw(w, "faults", t->faults->text, t->faults->len);
        json_str(w, "hash", t->faults->hash);
        json_arr(w, "rules");
        for (size_t i = 0; i < t->faults->n; i++) {
            json_obj(w, NULL);
            json_str(w, "name", t->faults->rules[i].fault.rule);
            json_str(w, "fault", fault_names[t->faults->rules[i].fault.kind]);
            json_int(w, "matched", t->counts[i].matched);
            json_int(w, "injected", t->counts[i].injected);
            json_end(w);
        }
        json_end(w);
    }
    if (t && t->budgets) {
        json_raw(w, "budgets", t->budgets->text, t->budgets->len);
        budget_uses_show(w, t->budgets, t->uses);
    }
    json_end(w);
}

int sosia_world_faults_info(struct sosia_engine *engine, uint64_t world,
                            struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_err local_err = {0};
    struct json_writer w;
    struct buf out;
    struct tx tx;
    err = err ? err : &local_err;
    *err = (struct sosia_err){0};
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    struct worker *k = worker_take(engine, err);
    struct world *wd = k ? world_take(engine, world, err) : NULL;
    int rc = wd ? tx_begin(&tx, engine, wd, k, false, world_now(wd), err) : -1;
    if (rc == 0) {
        rc = guard_learn(&tx);
        tx_rollback(&tx);
    }
    buf_init(&out, 0);
    json_init(&w, &out, true, NULL);
    if (rc == 0) {
        write_info(&w, trouble_of(wd));
        rc = buf_give(&out, ret_json, err);
    }
    buf_done(&out);
    if (wd)
        world_drop(wd);
    if (k)
        worker_drop(k);
    return rc;
}
