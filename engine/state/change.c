/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes between two states. The rows that differ are found through the pages that differ; each
 * leads to the entity it is part of, and an entity has changed if what is shown of it has: so
 * derived rows and tombstones, which nothing shows, are not changes.
 */
#include "engine/base/heap.h"
#include "engine/state/change.h"
#include "engine/state/stored.h"
#include "engine/json/build.h"
#include "engine/state/before.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- the two sides ---- */

static int side_begin(struct sosia_engine *e, struct change_side *s, bool second, int64_t now_us,
                      size_t room, struct sosia_err *err)
{
    s->worker = second ? worker_take_second(e, err) : worker_take(e, err);
    if (!s->worker || tx_begin(&s->tx, e, &s->world, s->worker, false, now_us, err) < 0)
        return -1;
    s->out = &s->worker->out;
    arena_init(&s->reads, room);
    s->tx.arena = &s->reads;
    s->memo.arena = s->tx.arena;
    s->tx.memo = &s->memo;
    s->open = true;
    return 0;
}

static int side_open(struct sosia_engine *e, struct change_side *s, uint64_t world, bool start,
                     bool second, int64_t *now_us, size_t room, struct sosia_err *err)
{
    struct world *w = world_take(e, world, err);
    if (!w)
        return -1;
    tree_fork(start ? &w->start : &w->now, &s->world.now);
    s->world.id = w->id;
    s->world.version = start ? 0 : w->version;
    s->world.seed = start ? w->start_seed : w->seed;
    s->world.ticket = w->ticket;
    if (!*now_us)
        *now_us = world_now(w);
    world_drop(w);
    return side_begin(e, s, second, *now_us, room, err);
}

/* The same of a state that a world had. */
static int side_open_at(struct sosia_engine *e, struct change_side *s, uint64_t world,
                        const struct tree *tree, bool second, int64_t now_us, size_t room,
                        struct sosia_err *err)
{
    tree_fork(tree, &s->world.now);
    s->world.id = world;
    s->world.version = world_fresh_version();
    return side_begin(e, s, second, now_us, room, err);
}

#define READS_KEPT (1 << 20) /* bytes */

void side_rest(struct change_side *s)
{
    if (s->reads.size <= READS_KEPT)
        return;
    arena_reset(&s->reads);
    s->memo = (struct tx_memo){.arena = &s->reads}; /* its values' room was there too */
}

static void side_close(struct change_side *s)
{
    if (s->open && s->worker)
        tx_rollback(&s->tx);
    if (s->open)
        arena_done(&s->reads);
    if (s->worker)
        worker_drop(s->worker);
    tree_done(&s->world.now);
}

/* ---- rows to entities ---- */

static int add(struct changes *d, const struct kind *kind, int64_t rowid)
{
    void *list = heap_grow(d->found, d->n_found, &d->cap_found, sizeof *d->found);
    if (!list)
        return sosia_fail_memory(d->err);
    d->found = list;
    d->found[d->n_found++] = (struct change_found){.kind = kind, .rowid = rowid};
    return 0;
}

/* ---- rows of a transaction ---- */

static void row_touched(void *arg, const char *table, int64_t rowid)
{
    struct touched *t = arg;
    if (strcmp(t->table, table) != 0) {
        t->kinds = kinds_of_table(t->of, table);
        snprintf(t->table, sizeof t->table, "%s", table);
    }
    if (!t->kinds)
        return;
    for (size_t i = t->n; i-- > 0 && t->n - i <= 4;)
        if (t->list[i].kind == t->kinds && t->list[i].rowid == rowid)
            return;
    void *list = heap_grow(t->list, t->n, &t->cap, sizeof *t->list);
    if (!list) {
        t->failed = true;
        return;
    }
    t->list = list;
    t->list[t->n++] = (struct change_found){.kind = t->kinds, .rowid = rowid};
}

void changes_watch(struct tx *tx, struct touched *t)
{
    *t = (struct touched){.of = tx->engine->kinds};
    slot_on_rows(tx->db, row_touched, t);
}

/* The owners of a part's row, on one side. */
static int add_owners(struct changes *d, const struct kind *k, struct change_side *s, int64_t rowid)
{
    sqlite3_stmt *st = TX_QUERY(&s->tx, k->part->owner, rowid);
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(&s->tx, st)) == 1) {
        int64_t owner = sqlite3_column_int64(st, 0);
        if (owner && add(d, k, owner) < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}

static int part_changed(struct changes *d, const struct kind *k, int64_t rowid,
                        enum row_change change)
{
    return (change != ROW_ADDED && add_owners(d, k, &d->a, rowid) < 0) ||
                   (change != ROW_REMOVED && add_owners(d, k, &d->b, rowid) < 0)
               ? -1
               : 0;
}

/* Of a table whose rows come next. */
static bool is_wanted(void *arg, const char *table)
{
    struct changes *d = arg;
    d->kinds = kinds_of_table(d->a.tx.engine->kinds, table);
    return d->kinds != NULL;
}

static int row_changed(void *arg, const char *table, int64_t rowid, enum row_change change)
{
    struct changes *d = arg;
    (void)table;
    for (const struct kind *k = d->kinds; k; k = k->next)
        if ((k->part ? part_changed(d, k, rowid, change) : add(d, k, rowid)) < 0)
            return -1;
    return 0;
}

static int by_row(const void *pa, const void *pb)
{
    const struct change_found *a = pa, *b = pb;
    if (a->kind->place != b->kind->place)
        return a->kind->place < b->kind->place ? -1 : 1;
    return a->rowid < b->rowid ? -1 : a->rowid > b->rowid;
}

/* ---- entities ---- */

enum how { HOW_DUMP, HOW_VIEW, HOW_TWIN, HOW_PLAIN };

/* An object that is built while it is written. */
struct reading {
    struct json_builder build;
    struct json_writer w;
};

static void read_begin(struct reading *r, struct arena *a, struct buf *failed)
{
    buf_clear(failed);
    json_build_init(&r->build, a);
    json_init_build(&r->w, &r->build, failed);
    json_obj(&r->w, NULL);
}

/* code: what was given by who has written. */
static int read_end(struct reading *r, struct tx *tx, int code, const struct json **ret)
{
    json_end(&r->w);
    const struct json *v = code > 0 && !buf_failed(r->w.out) ? json_build_root(&r->build) : NULL;
    json_build_done(&r->build);
    if (code > 0 && !v)
        return sosia_fail_memory(tx->err);
    if (code > 0)
        *ret = v;
    return code;
}

/* The object without these members. */
static const struct json *without(struct arena *a, const struct json *v, const char *const *names)
{
    struct json *copy = arena_alloc(a, sizeof *copy);
    struct json_member *members = arena_calloc(a, v->n + 1, sizeof *members);
    if (arena_failed(a))
        return v;
    *copy = *v;
    copy->n = 0;
    for (uint32_t i = 0; i < v->n; i++) {
        const char *const *name = names;
        while (*name && strcmp(*name, v->members[i].key) != 0)
            name++;
        if (!*name)
            members[copy->n++] = v->members[i];
    }
    copy->members = members;
    return copy;
}

/* As the view says, or the core where the view has but whose it is. 1, 0, -1. */
static int write_view(struct tx *tx, const struct entity *entity, const struct entity_view *view,
                      int64_t rowid, struct json_writer *w, struct entity_about *about)
{
    if (view->write)
        return view->write(tx, rowid, w, about);
    int r = entity_dump(tx, entity, rowid, w);
    return r == 1 && view->about(tx, entity, rowid, about) < 0 ? -1 : r;
}

/* What one of the three writes, in the arena: 1, 0 not there, -1. out: of the transaction's worker.
 */
static int read_one(struct arena *a, struct tx *tx, struct tx *there, const struct entity *entity,
                    const struct entity_view *view, enum how how, int64_t rowid,
                    struct entity_about *about, struct buf *out, const struct json **ret)
{
    struct reading r;
    read_begin(&r, a, out);
    int code = how == HOW_DUMP    ? entity_dump(tx, entity, rowid, &r.w)
               : how == HOW_PLAIN ? entity->plain(tx, rowid, &r.w)
               : how == HOW_VIEW  ? write_view(tx, entity, view, rowid, &r.w, about)
                                  : view->twin(tx, there, rowid, &r.w, about);
    code = read_end(&r, tx, code, ret);
    if (code > 0 && how == HOW_VIEW && view->noise && !about->all)
        *ret = without(a, *ret, view->noise);
    return code;
}

int entity_read(struct tx *tx, const struct entity *entity, const struct entity_view *view,
                int64_t rowid, struct entity_about *about, const struct json **ret)
{
    struct buf b;
    buf_init(&b, 0);
    *ret = NULL;
    int r = read_one(tx->arena, tx, NULL, entity, view, view ? HOW_VIEW : HOW_DUMP, rowid, about,
                     &b, ret);
    buf_done(&b);
    return r < 0 ? -1 : 0;
}

int entity_read_plain(struct tx *tx, struct arena *a, const struct entity *entity, int64_t rowid,
                      const struct json **ret)
{
    struct buf b;
    buf_init(&b, 0);
    *ret = NULL;
    int r = read_one(a, tx, NULL, entity, NULL, HOW_PLAIN, rowid, NULL, &b, ret);
    buf_done(&b);
    return r < 0 ? -1 : 0;
}

static int read_key(struct arena *a, struct change_side *s, const struct entity *entity,
                    int64_t rowid, const struct json **ret)
{
    struct reading r;
    read_begin(&r, a, s->out);
    return read_end(&r, &s->tx, entity_key(&s->tx, entity, rowid, &r.w) < 0 ? -1 : 1, ret) < 0 ? -1
                                                                                               : 0;
}

/* A text as a step of a name, where at most three bytes a byte are free. */
static char *put_step(char *p, const char *text, size_t n)
{
    static const char hex[] = "0123456789ABCDEF";
    *p++ = '/';
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte > ' ' && byte < 0x7f && byte != '/' && byte != '%') {
            *p++ = (char)byte;
        } else {
            *p++ = '%';
            *p++ = hex[byte >> 4];
            *p++ = hex[byte & 15];
        }
    }
    return p;
}

/* "event/ada@acme.example/e1": the entity and the members of its key, but for a subject, which is
 * there for people. */
const char *change_name(struct arena *a, const struct entity *entity, const struct json *key)
{
    size_t len = strlen(entity->name), room = len + 1;
    for (uint32_t i = 0; i < key->n; i++) {
        const struct json_member *m = &key->members[i];
        size_t n = m->value.type == JSON_STRING || m->value.type == JSON_NUMBER ? m->value.n : 0;
        room += 1 + 3 * n + m->key_len;
    }
    char *name = arena_alloc(a, room), *p = name;
    if (arena_failed(a))
        return "";
    memcpy(p, entity->name, len);
    p += len;
    for (uint32_t i = 0; i < key->n; i++) {
        const struct json_member *m = &key->members[i];
        const struct json *v = &m->value;
        if (strcmp(m->key, "subject") == 0)
            continue;
        if (v->type == JSON_STRING || v->type == JSON_NUMBER) {
            p = put_step(p, v->str, v->n);
            continue;
        }
        *p++ = '/';
        if (json_is_true(v)) {
            memcpy(p, m->key, m->key_len);
            p += m->key_len;
        }
    }
    *p = 0;
    return name;
}

/* Whose it is, where no view has that: what its key or its members name. */
static const char *person_of(const struct change *c)
{
    static const char *const members[] = {"person", "mailbox", "owner", "from", "email"};
    const struct json *value = c->to ? c->to : c->from;
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        const char *who = json_get_str(c->key, members[i]);
        who = who ? who : json_get_str(value, members[i]);
        if (who)
            return who;
    }
    return NULL;
}

/* What one side has: 1, 0 not there, -1. */
static int read_side(struct changes *d, const struct change *c, struct change_side *s,
                     struct entity_about *about, const struct json **ret)
{
    int r = read_one(&d->arena, &s->tx, NULL, c->entity, c->view, c->view ? HOW_VIEW : HOW_DUMP,
                     c->rowid, about, s->out, ret);
    if (r >= 0 && !arena_failed(&s->reads))
        about_copy(&d->arena, about);
    return r;
}

/* What side a has, which may be known from another list. */
static int read_before(struct changes *d, struct change *c, struct entity_about *about)
{
    struct before *kept = c->view && c->view->timeless ? d->before : NULL;
    if (before_find(kept, c->entity, c->rowid, about, &c->from))
        return c->from ? 1 : 0;
    int r = read_side(d, c, &d->a, about, &c->from);
    if (r >= 0 && !arena_failed(&d->a.reads) && !arena_failed(&d->arena))
        before_keep(kept, c->entity, c->rowid, about, c->from);
    return r;
}

/* The same for an object without a row here: a view's twin may know it. */
static int read_twin(struct changes *d, const struct change *c, struct change_side *here,
                     struct change_side *there, const struct json **ret)
{
    struct entity_about about = {.all = c->about.all};
    if (!c->view || !c->view->twin)
        return 0;
    return read_one(&d->arena, &here->tx, &there->tx, c->entity, c->view, HOW_TWIN, c->rowid,
                    &about, here->out, ret);
}

/* Fills from and to, which stay NULL where the entity is not there. */
static int read_sides(struct changes *d, struct change *c, struct entity_about *before,
                      struct entity_about *after)
{
    struct change_side *a = &d->a, *b = &d->b;
    int in_a = read_before(d, c, before), in_b = in_a < 0 ? -1 : read_side(d, c, b, after, &c->to);
    if (in_b < 0 || (!in_a && read_twin(d, c, a, b, &c->from) < 0) ||
        (!in_b && read_twin(d, c, b, a, &c->to) < 0))
        return -1;
    return 0;
}

/* In whose terms it is shown: of where it is, or was. */
static int find_view(struct changes *d, struct change *c, const struct kind *kind)
{
    if (kind_view(&d->b.tx, kind, c->rowid, &c->view) < 0)
        return -1;
    return c->view ? 0 : kind_view(&d->a.tx, kind, c->rowid, &c->view);
}

/* Fills c; nothing is changed where from and to are the same. */
static int read_change(struct changes *d, const struct change_options *opt,
                       const struct change_found *f, struct change *c)
{
    struct entity_about before = {.all = opt->all}, after = before;
    *c = (struct change){.core = f->kind->core,
                         .entity = f->kind->entity,
                         .rowid = f->rowid,
                         .cause = -1,
                         .about = {.all = opt->all}};
    if ((!opt->seed_terms && find_view(d, c, f->kind) < 0) || read_sides(d, c, &before, &after) < 0)
        return -1;
    if (opt->seed_terms || !c->from || !c->to) {
        if (json_same(c->from, c->to))
            return 0;
    } else {
        c->fields = fields_of(&d->arena, c->from, c->to, &c->n_fields);
        if (!c->n_fields)
            return 0;
    }
    /* A tombstone's view has its person; a row that was added or removed has one side alone. */
    c->about =
        (c->to ? after.person || !before.person : after.person && !before.person) ? after : before;
    c->about.again = c->to ? after.again : before.again;
    c->about.part |= !c->to && after.part; /* a tombstone knows why it is one */
    c->kind = !c->from ? ROW_ADDED : !c->to ? ROW_REMOVED : ROW_CHANGED;
    /* What is there no more has all of its key where it was. */
    struct change_side *there = c->to ? &d->b : &d->a, *other = c->to ? &d->a : &d->b;
    if (read_key(&d->arena, there, c->entity, f->rowid, &c->key) < 0 ||
        (!c->key->n && read_key(&d->arena, other, c->entity, f->rowid, &c->key) < 0))
        return -1;
    c->service = c->view ? c->view->service : c->core->name;
    c->name = change_name(&d->arena, c->entity, c->key);
    if (!c->view)
        c->about.person = person_of(c);
    return 1;
}

/* ---- causes ---- */

static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* Those of no person are last. */
static int by_person(const void *pa, const void *pb)
{
    const struct change *a = pa, *b = pb;
    int r = (a->about.person == NULL) - (b->about.person == NULL);
    r = r ? r : compare_texts(a->about.person, b->about.person);
    r = r ? r : compare_texts(a->service, b->service);
    r = r ? r : strcmp(a->name, b->name);
    r = r ? r : (a->rowid > b->rowid) - (a->rowid < b->rowid);
    return r;
}

/* A copy of what has changed follows from that if it changed in the same members to the same
 * values, or was added or removed with it. So does what is of another kind: what a change adds, as
 * mail does, always follows, unless it is something within; what goes only with what has gone. A
 * copy that stays and is part of what has gone may say so, by one member. What says wholly the same
 * in other words follows whatever happened. */
static bool follows(const struct change *c, const struct change *cause)
{
    bool other = c->entity != cause->entity;
    if (other && c->about.wholly)
        return true;
    bool own = other || c->about.part || (c->about.within && c->kind == ROW_CHANGED);
    if (other && ((c->kind == ROW_ADDED && c->about.within) ||
                  (c->kind == ROW_REMOVED && cause->kind != ROW_REMOVED)))
        return false;
    if (!own && compare_texts(c->about.person, cause->about.person) == 0)
        return false;
    if (c->kind != ROW_CHANGED)
        return true;
    if (!other && cause->kind == ROW_REMOVED)
        return c->about.part && c->n_fields == 1;
    for (uint32_t i = 0; i < c->to->n; i++) {
        const char *member = c->to->members[i].key;
        const struct json *now = &c->to->members[i].value;
        if (!json_same(json_get(c->from, member), now) &&
            (json_same(json_get(cause->from, member), json_get(cause->to, member)) ||
             !json_same(json_get(cause->to, member), now)))
            return false;
    }
    for (uint32_t i = 0; i < c->from->n; i++)
        if (!json_get(c->to, c->from->members[i].key) &&
            json_get(cause->to, c->from->members[i].key))
            return false;
    return true;
}

/* A copy with another vendor than what it is of: its members have other names. */
static bool in_other_terms(const struct change *c, const struct change *cause)
{
    return c->view != cause->view && c->entity == cause->entity && c->kind == ROW_CHANGED &&
           cause->kind != ROW_REMOVED && compare_texts(c->about.person, cause->about.person) != 0;
}

/* Such a copy follows as long as seed documents, which leave out what follows from something else,
 * say the same of it. 1, 0, -1. */
static int follows_by_itself(struct changes *d, const struct change *c)
{
    struct entity_about about = {.all = false};
    const struct json *before = NULL, *after = NULL;
    if (read_one(&d->arena, &d->a.tx, NULL, c->entity, NULL, HOW_DUMP, c->rowid, &about, d->a.out,
                 &before) < 0 ||
        read_one(&d->arena, &d->b.tx, NULL, c->entity, NULL, HOW_DUMP, c->rowid, &about, d->b.out,
                 &after) < 0)
        return -1;
    return json_same(before, after);
}

static bool any_follows(const struct changes *d)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->list[i].about.follows[0] || d->list[i].about.follows[1] || d->list[i].about.again)
            return true;
    return false;
}

/* What goes on under another name, as often as it was removed. */
struct going_on {
    struct change *first;
    size_t n;
};

static int add_going_on(struct changes *d, struct map *is, struct change *c, const char *again)
{
    struct going_on *g = map_get(is, again);
    if (!g && (!(g = arena_calloc(&d->arena, 1, sizeof *g)) || arena_failed(&d->arena) ||
               map_set(is, again, g) < 0))
        return sosia_fail_memory(d->err);
    g->first = g->first ? g->first : c;
    g->n++;
    return 0;
}

/* Puts each change under what others may follow from; the first of a name counts. 0, -1. */
static int gather_causes(struct changes *d, struct map *is)
{
    for (size_t i = 0; i < d->n; i++) {
        struct change *c = &d->list[i];
        const char *again = c->kind == ROW_REMOVED ? c->about.again : NULL;
        for (size_t k = 0; k < SOSIA_LEN(c->about.is); k++)
            if (c->about.is[k] && !map_get(is, c->about.is[k]) &&
                map_set(is, c->about.is[k], c) < 0)
                return sosia_fail_memory(d->err);
        if (again && add_going_on(d, is, c, again) < 0)
            return -1;
    }
    return 0;
}

/* What follows from a consequence follows from its cause; a circle, and what leads to it, has none.
 * Each change is passed twice, however long the chains are. */
static int find_roots(struct changes *d)
{
    size_t *seen = arena_calloc(&d->arena, d->n + 1, sizeof *seen); /* by which walk, from 1 */
    if (arena_failed(&d->arena))
        return sosia_fail_memory(d->err);
    for (size_t i = 0; i < d->n; i++) {
        int64_t at = (int64_t)i, root;
        for (; !seen[at] && d->list[at].cause >= 0; at = d->list[at].cause)
            seen[at] = i + 1;
        if (!seen[at])
            root = at;
        else
            root = seen[at] == i + 1 ? -1 : d->list[at].cause;
        at = (int64_t)i;
        while (seen[at] == i + 1 && d->list[at].cause >= 0) {
            int64_t next = d->list[at].cause;
            d->list[at].cause = root;
            at = next;
        }
    }
    return 0;
}

static int find_causes(struct changes *d)
{
    struct map is;
    if (!any_follows(d))
        return 0;
    map_init(&is);
    if (gather_causes(d, &is) < 0) {
        map_done(&is);
        return -1;
    }
    int r = 0;
    for (size_t i = 0; r >= 0 && is.n && i < d->n; i++) {
        struct change *c = &d->list[i];
        for (size_t k = 0; k < SOSIA_LEN(c->about.follows) && c->cause < 0 && r >= 0; k++) {
            const char *what = c->about.follows[k];
            const struct change *cause = what ? map_get(&is, what) : NULL;
            if (!cause || cause == c)
                continue;
            r = in_other_terms(c, cause) ? follows_by_itself(d, c) : follows(c, cause);
            if (r == 1)
                c->cause = cause - d->list;
        }
        const char *again = c->cause < 0 && c->kind == ROW_ADDED ? c->about.again : NULL;
        struct going_on *g = again ? map_get(&is, again) : NULL;
        if (g && g->n) {
            c->cause = g->first - d->list;
            g->n--;
        }
    }
    map_done(&is);
    return r < 0 ? -1 : find_roots(d);
}

/* ---- the list ---- */

static int read_changes(struct changes *d, const struct change_options *opt)
{
    if (d->n_found)
        qsort(d->found, d->n_found, sizeof *d->found, by_row);
    d->list = arena_calloc(&d->arena, d->n_found + 1, sizeof *d->list);
    if (arena_failed(&d->arena))
        return sosia_fail_memory(d->err);
    for (size_t i = 0; i < d->n_found; i++) {
        if (i && by_row(&d->found[i - 1], &d->found[i]) == 0)
            continue;
        int r = read_change(d, opt, &d->found[i], &d->list[d->n]);
        if (r < 0)
            return -1;
        d->n += (size_t)r;
        if (arena_failed(&d->arena) || arena_failed(&d->a.reads) || arena_failed(&d->b.reads))
            return sosia_fail_memory(d->err);
        side_rest(&d->a);
        side_rest(&d->b);
    }
    if (opt->seed_terms)
        return 0;
    if (d->n)
        qsort(d->list, d->n, sizeof *d->list, by_person);
    if (find_causes(d) < 0)
        return -1;
    return 0;
}

/* What a delivery left behind, and nothing else has to do with, is left out. */
static void leave_out_traces(struct changes *d)
{
    size_t n = 0;
    int64_t *at = arena_alloc(&d->arena, (d->n + 1) * sizeof *at);
    if (arena_failed(&d->arena))
        return;
    for (size_t i = 0; i < d->n; i++) {
        at[i] = (int64_t)n;
        if (d->list[i].about.trace)
            at[i] = -1;
        else
            d->list[n++] = d->list[i];
    }
    d->n = n;
    for (size_t i = 0; i < n; i++)
        if (d->list[i].cause >= 0)
            d->list[i].cause = at[d->list[i].cause];
}

int changes_open(struct sosia_engine *e, uint64_t from, uint64_t to,
                 const struct change_options *opt, struct changes *ret, struct sosia_err *err)
{
    int64_t now_us = 0;
    *ret = (struct changes){.err = err, .room = e->changes_room ? e->changes_room : CHANGES_ROOM};
    arena_init(&ret->arena, ret->room);
    if (side_open(e, &ret->b, to, false, false, &now_us, ret->room, err) < 0 ||
        side_open(e, &ret->a, from ? from : to, !from, true, &now_us, ret->room, err) < 0 ||
        rowdiff_near(e->store, &ret->a.world.now, &ret->b.world.now, opt->near, is_wanted,
                     row_changed, ret, err) < 0)
        return -1;
    ret->map = parents_hold(e->store, &ret->a.world.now);
    ret->before = before_of(ret->map);
    if (read_changes(ret, opt) < 0)
        return -1;
    if (!opt->all && !opt->seed_terms)
        leave_out_traces(ret);
    return 0;
}

int changes_open_between(struct sosia_engine *e, uint64_t world, const struct tree *from,
                         const struct tree *to, int64_t now_us, struct changes *ret,
                         struct sosia_err *err)
{
    static const struct change_options usual = {0};
    *ret = (struct changes){.err = err, .room = e->changes_room ? e->changes_room : CHANGES_ROOM};
    arena_init(&ret->arena, ret->room);
    if (side_open_at(e, &ret->b, world, to, false, now_us, ret->room, err) < 0 ||
        side_open_at(e, &ret->a, world, from, true, now_us, ret->room, err) < 0 ||
        rowdiff(e->store, &ret->a.world.now, &ret->b.world.now, is_wanted, row_changed, ret, err) <
            0 ||
        read_changes(ret, &usual) < 0)
        return -1;
    leave_out_traces(ret);
    return 0;
}

/* Whether a row is part of something is asked on both sides: what was done with it is not known. */
static int add_touched(struct changes *d, const struct touched *t)
{
    for (size_t i = 0; i < t->n; i++)
        for (const struct kind *k = t->list[i].kind; k; k = k->next)
            if ((k->part ? part_changed(d, k, t->list[i].rowid, ROW_CHANGED)
                         : add(d, k, t->list[i].rowid)) < 0)
                return -1;
    return 0;
}

int changes_open_here(struct tx *tx, const struct touched *t, struct changes *ret)
{
    static const struct change_options usual = {0};
    struct sosia_engine *e = tx->engine;
    *ret =
        (struct changes){.err = tx->err, .room = e->changes_room ? e->changes_room : CHANGES_ROOM};
    arena_init(&ret->arena, ret->room);
    if (t->failed)
        return sosia_fail_memory(tx->err);
    tree_fork(slot_tree(tx->db), &ret->a.world.now);
    ret->a.world.id = tx->world->id;
    ret->a.world.version = tx->world->version;
    if (side_begin(e, &ret->a, true, tx->now_us, ret->room, tx->err) < 0)
        return -1;
    struct change_side *here = &ret->b;
    here->tx = *tx;
    here->out = &ret->a.worker->part;
    arena_init(&here->reads, ret->room);
    here->tx.arena = &here->reads;
    here->tx.memo = NULL;
    here->open = true;
    if (add_touched(ret, t) < 0 || read_changes(ret, &usual) < 0)
        return -1;
    leave_out_traces(ret);
    return 0;
}

int changes_sync(struct changes *c)
{
    struct sosia_engine *e = c->a.tx.engine;
    return engine_sync(e, c->a.world.ticket, c->err) < 0 ||
                   engine_sync(e, c->b.world.ticket, c->err) < 0
               ? -1
               : 0;
}

bool changes_full(const struct changes *c)
{
    return arena_full(&c->arena) || arena_full(&c->a.reads) || arena_full(&c->b.reads);
}

int changes_failed(const struct changes *c, const struct buf *out)
{
    if (c->err->code != SOSIA_E_NO_MEMORY || !(changes_full(c) || out->full))
        return -1;
    return sosia_fail(c->err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                      "a diff must be of at most %zu MiB, not of more", c->room >> 20);
}

void changes_close(struct changes *c)
{
    if (c->map)
        parents_release(c->a.tx.engine->store, c->map);
    side_close(&c->a);
    side_close(&c->b);
    arena_done(&c->arena);
    free(c->found);
}
