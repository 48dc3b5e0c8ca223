/* SPDX-License-Identifier: Apache-2.0 */
#include "grading/across.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "grading/diff.h"
#include <string.h>

/* Of one world, in the arena of the comparison. */
struct outcome {
    const struct entity *entity;
    const char *person, *title;
    enum row_change kind;
    const struct json *from, *to; /* objects; NULL: not there on that side */
    bool apart;                   /* its core has no terms for it */
    struct outcome *other;        /* that it belongs to; NULL: none */
};

struct side {
    struct outcome *list;
    size_t n;
};

static int compare_texts(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static const struct json *present(const struct outcome *o)
{
    return o->to ? o->to : o->from;
}

/* 1 it is an outcome, 0: nothing of it is said in the core's terms, -1. */
static int read_outcome(struct arena *a, struct changes *d, const struct change *c,
                        struct outcome *ret)
{
    *ret = (struct outcome){.entity = c->entity, .kind = c->kind, .apart = !c->entity->plain};
    if (ret->apart) {
        ret->person = c->about.person ? arena_strdup(a, c->about.person) : NULL;
        ret->title = c->about.title ? arena_strdup(a, c->about.title) : NULL;
        return 1;
    }
    if (entity_read_plain(&d->a.tx, a, c->entity, c->rowid, &ret->from) < 0 ||
        entity_read_plain(&d->b.tx, a, c->entity, c->rowid, &ret->to) < 0)
        return -1;
    side_rest(&d->a);
    side_rest(&d->b);
    if (json_same(ret->from, ret->to))
        return 0;
    ret->kind = !ret->from ? ROW_ADDED : !ret->to ? ROW_REMOVED : ROW_CHANGED;
    ret->person = json_get_str(present(ret), "person");
    ret->title = json_get_str(present(ret), "title");
    return 1;
}

static int read_side(struct sosia_engine *e, struct arena *a, uint64_t world, struct side *ret,
                     struct sosia_err *err)
{
    static const struct change_options usual = {0};
    struct changes d;
    int rc = changes_open(e, 0, world, &usual, &d, err);
    if (rc == 0 && d.n > ACROSS_MAX)
        rc =
            sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                       "the changes of a world must be at most %d, there are %zu", ACROSS_MAX, d.n);
    ret->n = 0;
    ret->list = rc == 0 ? arena_calloc(a, d.n + 1, sizeof *ret->list) : NULL;
    if (rc == 0 && arena_failed(a))
        rc = sosia_fail_memory(err);
    for (size_t i = 0; rc == 0 && i < d.n; i++) {
        int r = d.list[i].cause >= 0 ? 0 : read_outcome(a, &d, &d.list[i], &ret->list[ret->n]);
        rc = r < 0 ? -1 : arena_failed(a) ? sosia_fail_memory(err) : 0;
        ret->n += r > 0;
    }
    if (rc == 0)
        rc = changes_sync(&d);
    changes_close(&d);
    return rc;
}

/* ---- pairs ---- */

enum alike { WHOLE, NAME_AND_KIND, NAME, PERSON_AND_KIND };

static bool is_alike(const struct outcome *a, const struct outcome *b, enum alike how)
{
    if (a->entity != b->entity || compare_texts(a->person, b->person) != 0 ||
        (how != NAME && a->kind != b->kind))
        return false;
    if (how == PERSON_AND_KIND)
        return true;
    return compare_texts(a->title, b->title) == 0 &&
           (how != WHOLE || json_same(present(a), present(b)));
}

/* Those that are most alike first. */
static void pair(struct side *left, struct side *right)
{
    for (enum alike how = WHOLE; how <= PERSON_AND_KIND; how++)
        for (size_t i = 0; i < left->n; i++) {
            struct outcome *a = &left->list[i];
            for (size_t k = 0; !a->other && !a->apart && k < right->n; k++) {
                struct outcome *b = &right->list[k];
                if (!b->other && !b->apart && is_alike(a, b, how)) {
                    a->other = b;
                    b->other = a;
                }
            }
        }
}

static bool is_same(const struct outcome *o)
{
    return o->other && is_alike(o, o->other, WHOLE);
}

/* ---- as JSON ---- */

static void write_name(struct json_writer *w, const struct outcome *o)
{
    json_str(w, "entity", o->entity->name);
    json_str_opt(w, "person", o->person);
    json_str_opt(w, "title", o->title);
}

static void write_head(struct json_writer *w, const struct outcome *o)
{
    json_obj(w, NULL);
    write_name(w, o);
    json_str(w, "change", change_words[o->kind]);
    json_end(w);
}

static void write_difference(struct arena *a, struct json_writer *w, const struct outcome *left,
                             const struct outcome *right)
{
    static const struct json nothing = {.type = JSON_OBJECT};
    size_t n;
    const struct change_field *fields =
        fields_of(a, left ? present(left) : &nothing, right ? present(right) : &nothing, &n);
    json_obj(w, NULL);
    write_name(w, left ? left : right);
    json_str(w, "left", left ? change_words[left->kind] : NULL);
    json_str(w, "right", right ? change_words[right->kind] : NULL);
    json_obj(w, "fields");
    for (size_t i = 0; i < n; i++) {
        json_obj(w, fields[i].path);
        if (fields[i].from)
            json_value(w, "left", fields[i].from);
        if (fields[i].to)
            json_value(w, "right", fields[i].to);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

static void write_apart(struct json_writer *w, const char *member, const struct side *s)
{
    json_arr(w, member);
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].apart)
            write_head(w, &s->list[i]);
    json_end(w);
}

static void write_all(struct arena *a, struct json_writer *w, const struct side *left,
                      const struct side *right)
{
    bool equal = true;
    for (size_t i = 0; i < left->n; i++)
        equal &= left->list[i].apart || is_same(&left->list[i]);
    for (size_t i = 0; i < right->n; i++)
        equal &= right->list[i].apart || right->list[i].other;
    json_obj(w, NULL);
    json_bool(w, "equal", equal);
    json_arr(w, "same");
    for (size_t i = 0; i < left->n; i++)
        if (is_same(&left->list[i]))
            write_head(w, &left->list[i]);
    json_end(w);
    json_arr(w, "differences");
    for (size_t i = 0; i < left->n; i++)
        if (!left->list[i].apart && !is_same(&left->list[i]))
            write_difference(a, w, &left->list[i], left->list[i].other);
    for (size_t i = 0; i < right->n; i++)
        if (!right->list[i].apart && !right->list[i].other)
            write_difference(a, w, NULL, &right->list[i]);
    json_end(w);
    json_obj(w, "apart");
    write_apart(w, "left", left);
    write_apart(w, "right", right);
    json_end(w);
    json_end(w);
}

int across_diff(struct sosia_engine *e, uint64_t left, uint64_t right, struct sosia_blob *ret_json,
                struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, e, err) < 0 || taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    struct sosia_err local_err;
    struct side sides[2];
    struct json_writer w;
    struct arena a;
    struct buf out;
    err = err ? err : &local_err;
    arena_init(&a, CHANGES_ROOM);
    buf_init(&out, CHANGES_ROOM);
    json_init(&w, &out, true, NULL);
    int rc =
        read_side(e, &a, left, &sides[0], err) < 0 || read_side(e, &a, right, &sides[1], err) < 0
            ? -1
            : 0;
    if (rc == 0) {
        pair(&sides[0], &sides[1]);
        write_all(&a, &w, &sides[0], &sides[1]);
        rc = arena_failed(&a) ? sosia_fail_memory(err) : buf_give(&out, ret_json, err);
    }
    arena_done(&a);
    buf_done(&out);
    return rc;
}
