/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A diff in the vendors' terms, as JSON or as JSON Patch (RFC 6902). The document that a patch is
 * of has a member for each entity, by its name: "/event~1ada@acme.example~1e1/summary".
 */
#include "grading/diff.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/replay/replay.h"
#include "grading/tables.h"
#include <stdlib.h>

const char *const change_words[] = {"added", "removed", "changed"};

/* ---- JSON ---- */

static bool is_in(const struct json *list, const struct json *v)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (json_same(&list->items[i], v))
            return true;
    return false;
}

static void write_missing(struct json_writer *w, const char *key, const struct json *from,
                          const struct json *to)
{
    json_arr(w, key);
    for (uint32_t i = 0; i < from->n; i++)
        if (!is_in(to, &from->items[i]))
            json_value(w, NULL, &from->items[i]);
    json_end(w);
}

#define SHOWN_ITEMS 200 /* of lists that are compared item by item */

static void write_field(struct json_writer *w, const struct change_field *f)
{
    const struct json *from = f->from, *to = f->to;
    json_obj(w, f->path);
    if (from)
        json_value(w, "from", from);
    if (to)
        json_value(w, "to", to);
    if (from && to && from->type == JSON_ARRAY && to->type == JSON_ARRAY &&
        from->n <= SHOWN_ITEMS && to->n <= SHOWN_ITEMS) {
        write_missing(w, "removed", from, to);
        write_missing(w, "added", to, from);
    }
    json_end(w);
}

void change_write_head(struct json_writer *w, const struct change *c)
{
    json_str(w, "entity", c->entity->name);
    json_str(w, "change", change_words[c->kind]);
    json_str(w, "name", c->name);
    json_str(w, "service", c->service);
    json_str_opt(w, "person", c->about.person);
    json_str_opt(w, "title", c->about.title);
}

void change_write_members(struct json_writer *w, const struct change *c)
{
    change_write_head(w, c);
    json_value(w, "key", c->key);
    if (c->kind == ROW_CHANGED) {
        json_obj(w, "fields");
        for (size_t i = 0; i < c->n_fields; i++)
            write_field(w, &c->fields[i]);
        json_end(w);
    } else {
        json_value(w, "value", c->from ? c->from : c->to);
    }
}

void change_write(struct json_writer *w, const char *key, const struct change *c)
{
    json_obj(w, key);
    change_write_members(w, c);
    json_end(w);
}

/* Places of consequences: of each cause the first, of each of them the next; 0: none, else one more
 * than the place. */
struct consequences {
    size_t *first, *next;
};

static int gather(struct changes *d, struct consequences *ret)
{
    size_t *first = ret->first = arena_calloc(&d->arena, d->n + 1, sizeof *first),
           *next = ret->next = arena_calloc(&d->arena, d->n + 1, sizeof *next);
    if (arena_failed(&d->arena))
        return sosia_fail_memory(d->err);
    for (size_t k = d->n; k-- > 0;) {
        if (d->list[k].cause < 0)
            continue;
        next[k] = first[d->list[k].cause];
        first[d->list[k].cause] = k + 1;
    }
    return 0;
}

static void write_whole(struct json_writer *w, const struct changes *d,
                        const struct consequences *of, size_t i)
{
    json_obj(w, NULL);
    change_write_members(w, &d->list[i]);
    if (of->first[i]) {
        json_arr(w, "consequences");
        for (size_t k = of->first[i]; k; k = of->next[k - 1])
            change_write(w, NULL, &d->list[k - 1]);
        json_end(w);
    }
    json_end(w);
}

int diff_write(struct changes *d, struct json_writer *w)
{
    struct consequences of;
    if (gather(d, &of) < 0)
        return -1;
    json_obj(w, NULL);
    json_arr(w, "changes");
    for (size_t i = 0; i < d->n; i++)
        if (d->list[i].cause < 0)
            write_whole(w, d, &of, i);
    json_end(w);
    json_end(w);
    return 0;
}

/* ---- a part of it ---- */

const char *const diff_summary_without[] = {"fields", "value", "consequences", NULL};

static bool is_like(const struct diff_part *p, const struct change *c)
{
    return (!p->person || (c->about.person && strcmp(c->about.person, p->person) == 0)) &&
           (!p->entity || strcmp(c->entity->name, p->entity) == 0);
}

/* A change that is asked for, or from which one follows. */
static bool is_of(const struct diff_part *p, const struct changes *d, const struct consequences *of,
                  size_t i)
{
    bool found = is_like(p, &d->list[i]);
    for (size_t k = of->first[i]; !found && k; k = of->next[k - 1])
        found = is_like(p, &d->list[k - 1]);
    return found;
}

static void write_brief(struct json_writer *w, const struct change *c)
{
    json_obj(w, NULL);
    change_write_head(w, c);
    json_value(w, "key", c->key);
    json_end(w);
}

static int write_part(struct changes *d, const struct diff_part *p, struct json_writer *w)
{
    struct consequences of;
    int64_t total = 0, shown = 0;
    if (gather(d, &of) < 0)
        return -1;
    json_obj(w, NULL);
    json_arr(w, "changes");
    for (size_t i = 0; i < d->n; i++) {
        if (d->list[i].cause >= 0 || !is_of(p, d, &of, i) || total++ < p->offset ||
            (p->limit && shown == p->limit))
            continue;
        shown++;
        if (p->summary)
            write_brief(w, &d->list[i]);
        else
            write_whole(w, d, &of, i);
    }
    json_end(w);
    json_int(w, "total", total);
    if (p->offset + shown < total && shown)
        json_int(w, "next", p->offset + shown);
    json_end(w);
    buf_byte(w->out, '\n');
    return 0;
}

/* ---- JSON Patch ---- */

struct patch {
    struct arena *a;
    struct json_writer *w;
    const char *name;
};

/* A name as a step of a JSON Pointer. */
static void add_step(struct buf *b, const char *name, size_t len)
{
    buf_byte(b, '/');
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '~' || name[i] == '/')
            buf_puts(b, name[i] == '~' ? "~0" : "~1");
        else
            buf_byte(b, name[i]);
    }
}

static void write_operation(struct patch *p, const struct buf *path, const struct json *from,
                            const struct json *to)
{
    json_obj(p->w, NULL);
    json_str(p->w, "op", !from ? "add" : !to ? "remove" : "replace");
    json_strn(p->w, "path", path->data, path->len);
    if (to)
        json_value(p->w, "value", to);
    json_end(p->w);
}

static void patch_objects(struct patch *p, struct buf *path, const struct json *from,
                          const struct json *to);

static void patch_member(struct patch *p, struct buf *path, const char *member,
                         const struct json *from, const struct json *to)
{
    size_t len = path->len;
    if (json_same(from, to))
        return;
    add_step(path, member, strlen(member));
    if (from && to && from->type == JSON_OBJECT && to->type == JSON_OBJECT)
        patch_objects(p, path, from, to);
    else
        write_operation(p, path, from, to);
    path->len = len;
}

static void patch_objects(struct patch *p, struct buf *path, const struct json *from,
                          const struct json *to)
{
    for (uint32_t i = 0; i < from->n; i++)
        patch_member(p, path, from->members[i].key, &from->members[i].value,
                     json_get(to, from->members[i].key));
    for (uint32_t i = 0; i < to->n; i++)
        if (!json_get(from, to->members[i].key))
            patch_member(p, path, to->members[i].key, NULL, &to->members[i].value);
}

/* Consequences are part of it: it leads from one state to the other. */
static void write_patch(struct changes *d, struct json_writer *w)
{
    struct patch p = {.a = &d->arena, .w = w};
    struct buf path;
    buf_init(&path, 0);
    json_arr(w, NULL);
    for (size_t i = 0; i < d->n; i++) {
        const struct change *c = &d->list[i];
        path.len = 0;
        add_step(&path, c->name, strlen(c->name));
        if (c->kind == ROW_CHANGED)
            patch_objects(&p, &path, c->from, c->to);
        else
            write_operation(&p, &path, c->from, c->to);
    }
    json_end(w);
    if (buf_failed(&path))
        w->out->failed = true;
    buf_done(&path);
}

/* How changes are found, and what is written of them. */
struct asked {
    struct change_options how;
    enum sosia_diff_form form;
    const struct diff_part *part; /* of JSON; NULL: all */
};

static int answer(struct sosia_engine *e, uint64_t from, uint64_t to, const struct asked *asked,
                  struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct json_writer w;
    struct changes d;
    struct buf out;
    int rc = changes_open(e, from, to, &asked->how, &d, err);
    buf_init(&out, d.room);
    json_init(&w, &out, !asked->part, NULL);
    if (rc == 0 && asked->part)
        rc = write_part(&d, asked->part, &w);
    else if (rc == 0 && asked->form == SOSIA_DIFF_PATCH)
        write_patch(&d, &w);
    else if (rc == 0 && asked->form == SOSIA_DIFF_TABLES)
        rc = table_rows_write(&d, &d.arena, &w);
    else if (rc == 0)
        rc = diff_write(&d, &w);
    if (rc == 0 && arena_failed(&d.arena))
        rc = sosia_fail_memory(d.err);
    if (rc == 0)
        rc = changes_sync(&d);
    if (rc == 0)
        rc = buf_give(&out, ret_json, d.err);
    if (rc < 0)
        rc = changes_failed(&d, &out);
    changes_close(&d);
    buf_done(&out);
    return rc;
}

int diff_part(struct sosia_engine *e, uint64_t from, uint64_t to, bool all,
              const struct diff_part *part, struct sosia_blob *ret_json, struct sosia_err *err)
{
    const struct asked asked = {.how = {.all = all}, .part = part};
    return answer(e, from, to, &asked, ret_json, err);
}

int sosia_diff(struct sosia_engine *engine, uint64_t from, uint64_t to,
               const struct sosia_diff_options *opt, struct sosia_blob *ret_json,
               struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    struct sosia_err local_err;
    struct sosia_diff_options o;
    if (TAKEN(sosia_diff_options, &o, opt, err) < 0)
        return -1;
    const struct asked asked = {.how = {.all = o.all}, .form = o.form};
    return answer(engine, from, to, &asked, ret_json, err ? err : &local_err);
}

/* ---- calls one after the other ---- */

enum { NEAR = 32 }; /* calls: more pages differ with each */

void journal_near_done(struct journal_near *near)
{
    tree_done(&near->tree);
    *near = (struct journal_near){0};
}

static int come_near(struct sosia_engine *e, uint64_t world, struct journal_near *near,
                     struct sosia_err *err)
{
    if (near->left-- > 0)
        return 0;
    struct world *w = world_take(e, world, err);
    journal_near_done(near);
    if (!w)
        return -1;
    tree_fork(&w->now, &near->tree);
    near->left = NEAR - 1;
    world_drop(w);
    return 0;
}

int journal_changes_near(struct sosia_engine *e, uint64_t world, int64_t entry,
                         struct journal_near *near, struct sosia_blob *ret_json,
                         struct sosia_err *err)
{
    const struct asked asked = {.how = {.near = near ? &near->tree : NULL}};
    uint64_t before, after;
    if (replay_fork(e, world, entry, NULL, &fork_unlisted, &after, err) < 0)
        return -1;
    int rc = replay_fork(e, world, entry - 1, NULL, &fork_unlisted, &before, err);
    if (rc == 0) {
        rc = near ? come_near(e, before, near, err) : 0;
        rc = rc ? rc : answer(e, before, after, &asked, ret_json, err);
        sosia_world_drop(e, before, NULL);
    }
    sosia_world_drop(e, after, NULL);
    return rc;
}

int sosia_journal_changes(struct sosia_engine *engine, uint64_t world, int64_t entry,
                          struct sosia_blob *ret_json, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    struct sosia_err local_err;
    err = err ? err : &local_err;
    if (entry < 1)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "stepNotFound", "seq",
                          "the entry must have a number from 1 on, not %lld", (long long)entry);
    return journal_changes_near(engine, world, entry, NULL, ret_json, err);
}
