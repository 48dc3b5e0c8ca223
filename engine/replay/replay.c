/* SPDX-License-Identifier: Apache-2.0 */
/* Running a journal again: to show that it leads to its own responses, to get to a step whose
 * state is not kept, and to see what would have been if one thing had been different. */
#include "engine/replay/replay.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/replay/source.h"
#include "engine/state/dump.h"
#include "engine/world/places.h"
#include "engine/world/upgrade.h"
#include <stdlib.h>

#define MAX_EDITS 1000
#define MAX_SHOWN 100 /* differences in a report */

/* ---- running ---- */

enum edit_kind { EDIT_SKIP, EDIT_REQUEST, EDIT_OUTCOME, EDIT_SEED };

struct edit {
    int64_t step;
    enum edit_kind kind;
    const struct json *value;
};

struct run {
    struct stage stage;
    const struct source *source;
    struct arena arena; /* of the edits, and of the report's values */
    struct edit *edits;
    size_t n_edits;
    int64_t from;   /* entries up to this one are not looked at */
    bool keep;      /* a journal of the run is kept */
    bool strict;    /* stops at the first difference */
    bool elsewhere; /* rows may lie in other pages than when the entries were made */
    bool moved;     /* and do, so that what is written has other hashes */
    int64_t n_ran, n_taken, n_left_out, n_different;
    int64_t stopped; /* the entry that could neither be run nor taken; 0: none */
    struct json_writer *report;
    struct sosia_err *err;
};

static const struct edit *edit_of(const struct run *r, int64_t seq, bool seed)
{
    for (size_t i = 0; i < r->n_edits; i++)
        if (r->edits[i].step == seq && (r->edits[i].kind == EDIT_SEED) == seed)
            return &r->edits[i];
    return NULL;
}

static void shown(struct run *r, const char *name, const struct json *v)
{
    if (v)
        json_value(r->report, name, v);
    else
        json_null(r->report, name);
}

/* An entry without some of its members. */
static const struct json *without(struct arena *a, const struct json *entry,
                                  const char *const *names)
{
    struct json *copy = arena_alloc(a, sizeof *copy);
    struct json_member *members = arena_calloc(a, entry->n + 1, sizeof *members);
    *copy = *entry;
    copy->n = 0;
    copy->members = members;
    for (uint32_t i = 0; i < entry->n && !arena_failed(a); i++) {
        const char *const *name = names;
        while (*name && strcmp(*name, entry->members[i].key) != 0)
            name++;
        if (!*name)
            members[copy->n++] = entry->members[i];
    }
    return copy;
}

/* A file's entries were made in another world: made of the same documents it has the same pages,
 * and of a dump others. A world of an earlier release had others then. */
static const char *const of_pages[] = {"state", NULL};
/* How long the engine took; and what entries of older versions do not have. */
static const char *const of_times[] = {JOURNAL_TOOK, NULL};
static const char *const of_ids[] = {JOURNAL_TOOK, "ids", "fired", NULL};

/* Where an entry is the same without what its end says of the time that it took. */
static bool same_but_time(const char *text, size_t len, const char *came, size_t n)
{
    static const char took[] = ",\"" JOURNAL_TOOK "\":";
    if (!came || n > len || memcmp(text, came, n - 1) != 0)
        return false;
    return n == len
               ? text[n - 1] == came[n - 1]
               : len - n >= sizeof took && memcmp(text + n - 1, took, sizeof took - 1) == 0 &&
                     strspn(text + n + sizeof took - 2, "0123456789") == len - n - sizeof took + 1;
}

/* Compares an entry with what came. */
static int compare(struct run *r, int64_t seq, const char *text, size_t len)
{
    struct arena *a = &r->stage.arena;
    const struct json *was, *is, *x, *y;
    const char *path;
    size_t n;
    const char *came = stage_last(&r->stage, &n);
    if (n && same_but_time(text, len, came, n))
        return 0;
    if (json_parse(a, text, len, NULL, &was, r->err) < 0 ||
        json_parse(a, came ? came : "null", came ? n : 4, NULL, &is, r->err) < 0)
        return -1;
    bool ids = was->type != JSON_OBJECT || json_get(was, "ids");
    was = was->type == JSON_OBJECT ? without(a, was, of_times) : was;
    is = is->type == JSON_OBJECT && !ids ? without(a, is, of_ids) : is;
    if (!entries_differ(a, was, is, &path, &x, &y))
        return 0;
    if (arena_failed(a))
        return sosia_fail_memory(r->err);
    if (r->elsewhere && strcmp(path, "state") == 0) {
        r->moved = true;
        if (!entries_differ(a, without(a, was, of_pages), without(a, is, of_pages), &path, &x, &y))
            return 0;
    }
    if (++r->n_different > MAX_SHOWN)
        return 0;
    json_obj(r->report, NULL);
    json_int(r->report, "seq", seq);
    json_str_opt(r->report, "method", json_get_str(was, "method"));
    json_str(r->report, "what", path);
    shown(r, "recorded", x);
    shown(r, "came", y);
    json_end(r->report);
    return 0;
}

/* An entry that can't be run: its state, if it is kept, or if there was no change. */
static int take_state(struct run *r, int64_t seq, const char *text, size_t len)
{
    struct world *w = &r->stage.world;
    const struct json *entry;
    struct step step;
    if (json_parse(&r->stage.arena, text, len, NULL, &entry, r->err) < 0)
        return -1;
    const char *state = json_get_str(entry, "state");
    if (r->n_edits) { /* the state would bring back what was edited away */
        r->n_left_out++;
        return 0;
    }
    if (state && strspn(state, "0") != strlen(state)) {
        bool found = journal_find_step(r->source->past, NULL, NULL, seq, &step);
        if (!found || step.seq != seq) {
            if (found)
                step_done(&step);
            r->stopped = seq;
            return 1;
        }
        world_settle_steps(w);
        tree_done(&w->now);
        w->now = step.tree;
        w->version++;
        w->next_due_us = step.next_due_us;
        guard_forget(w);
    }
    r->n_taken++;
    return stage_take(&r->stage, text, len);
}

static void write_member(struct json_writer *w, const char *name, const struct json *v, bool body)
{
    struct buf b;
    struct json_writer text;
    if (!body || (v->type != JSON_OBJECT && v->type != JSON_ARRAY)) {
        json_value(w, name, v);
        return;
    }
    json_start(&text, &b);
    json_value(&text, NULL, v);
    json_str(w, name, buf_str(&b));
    buf_done(&b);
}

/* The object with members of another one in the place of its own. */
static void write_merged(struct json_writer *w, const char *name, const struct json *from,
                         const struct json *with)
{
    json_obj(w, name);
    for (uint32_t i = 0; from && from->type == JSON_OBJECT && i < from->n; i++)
        if (!json_get(with, from->members[i].key))
            json_value(w, from->members[i].key, &from->members[i].value);
    for (uint32_t i = 0; i < with->n; i++)
        write_member(w, with->members[i].key, &with->members[i].value,
                     strcmp(with->members[i].key, "body") == 0);
    json_end(w);
}

static int run_edited(struct run *r, const struct edit *edit, const char *text, size_t len,
                      enum staged *ret)
{
    const struct json *entry;
    struct json_writer w;
    struct buf b;
    if (json_parse(&r->stage.arena, text, len, NULL, &entry, r->err) < 0)
        return -1;
    const char *member = edit->kind == EDIT_REQUEST           ? "request"
                         : json_get(entry, "resumed") != NULL ? "resumed"
                                                              : "outcome";
    if (!json_get(entry, member))
        return sosia_fail(r->err, SOSIA_E_INVALID, "edits", "edits",
                          "entry %lld must have the member \"%s\" to be edited, has not",
                          (long long)edit->step, member);
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < entry->n; i++) {
        const struct json_member *m = &entry->members[i];
        if (strcmp(m->key, member) == 0)
            write_merged(&w, m->key, &m->value, edit->value);
        else
            json_value(&w, m->key, &m->value);
    }
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(r->err) : stage_run(&r->stage, b.data, b.len, ret);
    buf_done(&b);
    return rc;
}

static int apply_seed(struct run *r, const struct edit *edit)
{
    static const struct json none = {.type = JSON_OBJECT};
    if (places_give(&r->stage.world, NULL, &none) < 0) /* no entry's ids are its own */
        return sosia_fail_memory(r->err);
    struct worker *k = worker_take(r->stage.engine, r->err);
    struct json_writer w;
    struct buf b;
    if (!k)
        return -1;
    json_start(&w, &b);
    if (edit->value->type == JSON_STRING)
        buf_add(&b, edit->value->str, edit->value->n);
    else
        json_value(&w, NULL, edit->value);
    int rc = buf_failed(&b) ? sosia_fail_memory(r->err)
                            : world_seed_on(r->stage.engine, &r->stage.world, k, b.data, b.len,
                                            "edits", r->err);
    buf_done(&b);
    worker_drop(k);
    return rc;
}

/* An entry that can't be one: which it is, its line in a file, and what is wrong. */
static int bad_line(struct run *r, int64_t seq)
{
    char what[sizeof r->err->text];
    const struct journal_file *f = r->source->file;
    if (!f) { /* of the world's own journal */
        if (r->err->code != SOSIA_E_INVALID || !r->err->reason ||
            strcmp(r->err->reason, "journal") != 0)
            return -1;
        memcpy(what, r->err->text, sizeof what);
        sosia_fail(r->err, SOSIA_E_INVALID, "journal", NULL, "entry %lld: %.200s", (long long)seq,
                   what);
        return -1;
    }
    long long line = (long long)(seq - f->from) + 1;
    memcpy(what, r->err->text, sizeof what);
    sosia_fail(r->err, r->err->code ? r->err->code : SOSIA_E_NO_MEMORY, r->err->reason, NULL,
               "%s:%lld: %.300s", f->name, line, what);
    r->err->line = line < INT32_MAX ? (int)line : 0;
    return -1;
}

/* 1: enough. */
static int run_one(struct run *r, int64_t seq, const char *text, size_t len)
{
    enum staged staged = STAGED_RAN;
    const struct edit *edit = edit_of(r, seq, false), *seed = edit_of(r, seq, true);
    int rc = 0;
    if (!r->keep && r->stage.world.extra) {
        journal_clear(&r->stage.world.extra->journal);
        world_count_journal(r->stage.engine, &r->stage.world.extra->journal);
    }
    if (edit && edit->kind == EDIT_SKIP) {
        r->n_left_out++;
    } else {
        rc = edit ? run_edited(r, edit, text, len, &staged)
                  : stage_run(&r->stage, text, len, &staged);
        if (rc == 0 && staged == STAGED_HIDDEN)
            rc = take_state(r, seq, text, len);
        else if (rc == 0)
            r->n_ran++;
        if (rc == 0 && staged == STAGED_RAN && seq > r->from)
            rc = compare(r, seq, text, len);
    }
    if (rc == 0 && seed)
        rc = apply_seed(r, seed);
    if (rc)
        return rc;
    return r->strict && r->n_different ? 1 : 0;
}

static int run_entry(void *arg, int64_t seq, const char *text, size_t len)
{
    struct run *r = arg;
    int rc = run_one(r, seq, text, len);
    return rc < 0 ? bad_line(r, seq) : rc;
}

/* Whether the world of the stage came from an earlier release. */
static int find_elsewhere(struct run *r, struct sosia_engine *e)
{
    struct tx tx;
    struct worker *k = worker_take(e, r->err);
    if (!k)
        return -1;
    struct world *w = &r->stage.world;
    int rc = tx_begin(&tx, e, w, k, false, w->clock.at_us, r->err);
    if (rc == 0) {
        rc = world_was_upgraded(&tx);
        tx_rollback(&tx);
    }
    worker_drop(k);
    r->elsewhere = r->source->file || rc > 0;
    return rc < 0 ? -1 : 0;
}

/* Sets the stage up at or before an entry. */
static int run_open(struct run *r, struct sosia_engine *e, const struct source *source, int64_t seq,
                    bool keep, struct sosia_err *err)
{
    struct step step;
    *r = (struct run){.source = source, .from = seq, .keep = keep, .err = err};
    arena_init(&r->arena, 0);
    if (source_step(source, seq, &step, err) < 0) {
        arena_init(&r->stage.arena, 0);
        return -1;
    }
    int64_t at = step.seq;
    const struct tree start = at >= source->base ? source->start.tree : step.tree;
    stage_open(&r->stage, e, source->id, &step, &start, err);
    struct world_extra *x = world_extra(&r->stage.world);
    if (!x)
        return sosia_fail_memory(err);
    x->journal.base = x->journal.n = at;
    return find_elsewhere(r, e);
}

static void run_close(struct run *r)
{
    if (r->stage.engine)
        stage_close(&r->stage);
    arena_done(&r->arena);
}

/* Runs the entries behind the stage's state, up to number `last`. */
static int run_until(struct run *r, int64_t last)
{
    int64_t after = r->stage.world.extra->journal.base;
    const struct source *s = r->source;
    int rc = s->file ? journal_file_each(s->file, after, last, run_entry, r)
                     : journal_each_of(s->past, NULL, after, last, INT64_MAX, run_entry, r);
    if (rc < 0 && r->err->code == SOSIA_E_OK)
        sosia_fail_memory(r->err);
    return rc < 0 ? -1 : 0;
}

/* ---- steps ---- */

/* The state after an entry: as it was kept, or run again. */
static int step_at(struct sosia_engine *e, const struct source *source, int64_t seq,
                   struct step *ret, struct sosia_err *err)
{
    struct run r;
    struct step step;
    if (seq == source->last) {
        /* What calls without an entry did behind it is not of it. */
        if (source->flags & WORLD_LOST_WRITES &&
            journal_find_step(source->past, NULL, NULL, seq, ret)) {
            if (ret->seq == seq)
                return 0;
            step_done(ret);
        }
        step_copy(&source->now, ret);
        return 0;
    }
    if (source_step(source, seq, &step, err) < 0)
        return -1;
    if (step.seq == seq) {
        *ret = step;
        return 0;
    }
    struct step like = step;
    step_done(&step);
    int rc = run_open(&r, e, source, seq, false, err);
    if (rc == 0)
        rc = run_until(&r, seq);
    if (rc == 0 && r.stopped)
        rc = sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", "step",
                        "the state after entry %lld is not kept, and entry %lld, which leads "
                        "there, can't run again: the journal has not all of it",
                        (long long)seq, (long long)r.stopped);
    if (rc == 0) {
        struct world *w = &r.stage.world;
        *ret = (struct step){.seq = seq,
                             .tree = w->now,
                             .clock = like.clock,
                             .seed = w->seed,
                             .secret = *world_secret_own(w),
                             .next_due_us = w->next_due_us,
                             .flags = like.flags};
        w->now = (struct tree){0};
        stage_settings(&r.stage, ret);
    }
    run_close(&r);
    return rc;
}

int replay_state(struct sosia_engine *e, uint64_t world, int64_t seq, struct step *ret,
                 struct sosia_err *err)
{
    struct source source;
    if (source_open(e, world, &source, err) < 0)
        return -1;
    int rc = step_at(e, &source, seq, ret, err);
    source_close(&source);
    return rc;
}

int sosia_world_fork_step(struct sosia_engine *engine, uint64_t world, int64_t step,
                          const struct sosia_fork_options *opt, uint64_t *ret_world,
                          struct sosia_err *err)
{
    return replay_fork(engine, world, step, opt, NULL, ret_world, err);
}

int replay_fork(struct sosia_engine *engine, uint64_t world, int64_t step,
                const struct sosia_fork_options *opt, const struct fork_more *more,
                uint64_t *ret_world, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    struct sosia_err local_err = {0};
    struct source source;
    struct step at;
    bool failed = false;
    err = err ? err : &local_err;
    *err = (struct sosia_err){0};
    struct sosia_fork_options o;
    if (taken_pointer(ret_world, "ret_world", err) < 0 ||
        TAKEN(sosia_fork_options, &o, opt, err) < 0 || source_open(engine, world, &source, err) < 0)
        return -1;
    int rc = step_at(engine, &source, step, &at, err);
    if (rc == 0) {
        struct journal_past *past = journal_past_until(source.past, step, &failed);
        const struct world_like like = {.parent = source.id,
                                        .flags = source.flags,
                                        .step_mib = source.step_mib,
                                        .journal_mib = source.journal_mib,
                                        .ticket = source.ticket,
                                        .more = more};
        if (failed) {
            step_done(&at);
            rc = sosia_fail_memory(err);
        } else {
            rc = world_make_at(engine, &at, past, &like, opt ? &o : NULL, ret_world, err);
        }
    }
    source_close(&source);
    return rc;
}

int sosia_world_reset_step(struct sosia_engine *engine, uint64_t world, int64_t step,
                           struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    struct sosia_err local_err = {0};
    struct source source;
    struct step at;
    err = err ? err : &local_err;
    *err = (struct sosia_err){0};
    if (source_open(engine, world, &source, err) < 0)
        return -1;
    int rc = step < source.base || step > source.last
                 ? sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", "step",
                              "the step must be an entry of the world's own, %lld to %lld, not "
                              "%lld",
                              (long long)source.base, (long long)source.last, (long long)step)
                 : step_at(engine, &source, step, &at, err);
    source_close(&source);
    return rc < 0 ? -1 : world_back_to(engine, world, &at, err);
}

/* ---- replays ---- */

static int bad_edits(struct sosia_err *err, const char *what)
{
    return sosia_fail(err, SOSIA_E_INVALID, "edits", "edits", "edits must be %s", what);
}

/* [{"step": 7, "skip": true}, {"step": 8, "request": {...}}, {"step": 9, "seed": {...}}] */
static int read_edits(struct run *r, const char *text, size_t len, int64_t to)
{
    static const char *const names[] = {"skip", "request", "outcome", "seed"};
    const struct json *list;
    if (json_parse(&r->arena, text, len, NULL, &list, r->err) < 0) {
        r->err->where = "edits";
        return -1;
    }
    if (list->type != JSON_ARRAY || list->n > MAX_EDITS)
        return bad_edits(r->err, "a list of at most 1000 objects");
    r->edits = arena_calloc(&r->arena, list->n + 1, sizeof *r->edits);
    if (arena_failed(&r->arena))
        return sosia_fail_memory(r->err);
    for (uint32_t i = 0; i < list->n; i++) {
        struct edit *e = &r->edits[i];
        size_t n = 0;
        if (json_i64(json_get(&list->items[i], "step"), &e->step) < 0)
            return bad_edits(r->err, "objects with a number \"step\"");
        for (size_t k = 0; k < SOSIA_LEN(names); k++) {
            const struct json *v = json_get(&list->items[i], names[k]);
            if (!v)
                continue;
            e->kind = (enum edit_kind)k;
            e->value = v;
            n++;
        }
        bool object = e->value && e->value->type == JSON_OBJECT;
        if (n != 1 || list->items[i].n != 2 ||
            (e->kind == EDIT_SKIP && (e->value->type != JSON_BOOL || !e->value->truth)) ||
            ((e->kind == EDIT_REQUEST || e->kind == EDIT_OUTCOME) && !object) ||
            (e->kind == EDIT_SEED && !object && e->value->type != JSON_STRING))
            return bad_edits(r->err,
                             "objects with \"step\" and one of \"skip\" (true), "
                             "\"request\", \"outcome\" (objects) and \"seed\" (a document)");
        int64_t first = r->from + (e->kind != EDIT_SEED);
        if (first > to)
            return sosia_fail(r->err, SOSIA_E_INVALID, "edits", "edits",
                              "edits must be of entries that run, behind entry %lld there is none",
                              (long long)r->from);
        if (e->step < first || e->step > to)
            return sosia_fail(r->err, SOSIA_E_INVALID, "edits", "edits",
                              "an edit's step must be one that runs, %lld to %lld, not %lld",
                              (long long)first, (long long)to, (long long)e->step);
    }
    r->n_edits = list->n;
    return 0;
}

/* The end of the stage as a world that began where the source's did. */
static int keep_world(struct run *r, int64_t to, const char *name, uint64_t *ret,
                      struct sosia_err *err)
{
    const struct source *s = r->source;
    struct world *w = &r->stage.world;
    const struct step *like = &s->now;
    struct sosia_fork_options opt = {.name = name};
    struct world_like as = {.parent = s->like,
                            .flags = s->like_flags,
                            .step_mib = s->step_mib,
                            .journal_mib = s->journal_mib,
                            .ticket = s->ticket};
    bool failed = false, own = r->stage.world.extra->journal.base >= s->base;
    struct step step = {.seq = w->extra->journal.n,
                        .tree = w->now,
                        .clock = like->clock,
                        .seed = w->seed,
                        .secret = *world_secret_own(w),
                        .next_due_us = w->next_due_us,
                        .flags = (w->flags & WORLD_RATES) | (like->flags & ~(uint32_t)WORLD_RATES)};
    w->now = (struct tree){0};
    if (to < s->last || s->file)
        stage_settings(&r->stage, &step);
    struct journal_past *past =
        journal_past_until(s->past, own ? s->base : w->extra->journal.base, &failed);
    if (failed) {
        step_done(&step);
        return sosia_fail_memory(err);
    }
    as.start = own ? &s->start : NULL;
    as.same_secret = true;
    as.journal = &w->extra->journal;
    as.before = own && w->extra->journal.base > s->base ? s->past : NULL;
    return world_make_at(r->stage.engine, &step, past, &as, &opt, ret, err);
}

/* Why no entry ran, though the journal has some; NULL: some did, or there is none. */
static const char *nothing_ran(struct run *r, int64_t to)
{
    const struct source *s = r->source;
    if (to > r->from || s->last == 0 || s->file)
        return NULL;
    if (s->base && r->from == s->base)
        return arena_printf(&r->arena,
                            "nothing ran: the world began behind entry %lld and has none of its "
                            "own; the entries before are of the world that it was made from, and "
                            "run from -1 on if their first state is here",
                            (long long)s->base);
    return arena_printf(&r->arena, "nothing ran: there is no entry behind %lld",
                        (long long)r->from);
}

static void write_report(struct run *r, const struct sosia_replay_options *opt, int64_t to)
{
    struct json_writer *w = r->report;
    json_end(w);
    json_int(w, "from", r->from);
    json_int(w, "to", to);
    if (r->source->first > 1 && !r->source->file)
        json_int(w, "gone", r->source->first - 1);
    json_int(w, "ran", r->n_ran);
    json_int(w, "taken", r->n_taken);
    json_int(w, "left_out", r->n_left_out);
    json_int(w, "different", r->n_different);
    if (r->stopped)
        json_int(w, "stopped", r->stopped);
    if (r->elsewhere)
        json_bool(w, "pages", !r->moved);
    const char *nothing = nothing_ran(r, to);
    if (nothing)
        json_str(w, "why", nothing);
    json_bool(w, "equal",
              !r->n_different && !r->stopped && !r->n_left_out && !opt->edits && !nothing);
}

static int replay(struct run *r, const struct sosia_replay_options *opt, int64_t to,
                  struct json_writer *w, uint64_t *ret_world, struct sosia_err *err)
{
    char key[17];
    if (opt->edits && read_edits(r, opt->edits, opt->edits_len, to) < 0)
        return -1;
    r->report = w;
    r->strict = opt->first;
    json_obj(w, NULL);
    json_arr(w, "differences");
    const struct edit *seed = edit_of(r, r->from, true);
    if (seed && r->stage.world.extra->journal.base == r->from && apply_seed(r, seed) < 0)
        return -1;
    if (run_until(r, to) < 0)
        return -1;
    if (to == r->source->last && !r->stopped && !r->source->file) {
        int64_t now = r->source->now.clock.at_us;
        if ((r->source->now.flags & WORLD_CLOCK) >> 1 != SOSIA_CLOCK_REAL)
            r->stage.world.clock.at_us = now;
        if (places_give(&r->stage.world, NULL, NULL) < 0)
            return sosia_fail_memory(err);
        if (stage_fire(&r->stage, r->source->now.next_due_us) < 0)
            return -1;
    }
    write_report(r, opt, to);
    if (opt->keep && !r->stopped) {
        if (keep_world(r, to, opt->name, ret_world, err) < 0)
            return -1;
        world_key(*ret_world, key);
        json_str(w, "world", key);
    }
    json_end(w);
    return 0;
}

static int replay_journal(struct sosia_engine *engine, uint64_t world,
                          const struct sosia_replay_options *opt, uint64_t *ret_world,
                          struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct journal_file file;
    struct source source;
    struct json_writer w;
    struct run r;
    struct buf out;
    uint64_t made = 0;
    if (opt->journal &&
        journal_file_open(opt->journal, opt->journal_len, opt->journal_name, &file, err) < 0)
        return -1;
    if (!world && !opt->journal)
        return sosia_fail(err, SOSIA_E_INVALID, "world", NULL,
                          "a world or a journal must be given, neither is");
    uint64_t own = 0; /* a world of the state that the file has, for as long as it takes */
    if (!world && origin_open(engine, &file, &own, err) < 0)
        return -1;
    if (source_open(engine, world ? world : own, &source, err) < 0) {
        if (own)
            sosia_world_drop(engine, own, NULL);
        return -1;
    }
    if (opt->journal)
        source_take(&source, &file);
    if (own)
        source.like = 0;
    int64_t from = opt->from > 0 ? opt->from : source_first(&source, opt->from < 0),
            to = opt->to ? opt->to : source.last;
    buf_init(&out, 0);
    json_init(&w, &out, true, NULL);
    int rc = 0;
    if (opt->journal && opt->keep && file.from)
        rc = sosia_fail(err, SOSIA_E_INVALID, "journal", "keep",
                        "the journal must begin with entry 1 for its end to become a world, begins "
                        "with %lld",
                        (long long)file.from + 1);
    else if (from > to || to > source.last)
        rc = sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", from > to ? "from" : "to",
                        "the entries must be among 0 to %lld, not %lld to %lld",
                        (long long)source.last, (long long)from, (long long)to);
    if (rc == 0) {
        rc = run_open(&r, engine, &source, from, opt->keep, err);
        if (rc == 0)
            rc = replay(&r, opt, to, &w, &made, err);
        run_close(&r);
    }
    source_close(&source);
    if (own)
        sosia_world_drop(engine, own, NULL);
    if (rc == 0)
        rc = buf_give(&out, ret_json, err);
    buf_done(&out);
    if (rc < 0) {
        if (made) /* a world that nobody knows of */
            sosia_world_drop(engine, made, NULL);
        return -1;
    }
    if (ret_world)
        *ret_world = made;
    return 0;
}

int sosia_journal_replay(struct sosia_engine *engine, uint64_t world,
                         const struct sosia_replay_options *opt, uint64_t *ret_world,
                         struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_replay_options o;
    struct sosia_err local_err;
    err = err ? err : &local_err;
    *err = (struct sosia_err){0};
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        TAKEN(sosia_replay_options, &o, opt, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    struct whole *whole = whole_begin(engine);
    int rc = replay_journal(engine, world, &o, ret_world, ret_json, err);
    whole_end(whole);
    return rc;
}
