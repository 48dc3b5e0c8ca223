/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions asked of an episode. */
#include "engine/base/err.h"
#include "grading/judge_impl.h"
#include "grading/sql.h"
#include <stdlib.h>
#include <xxhash.h>

void episode_asked(struct episode *ep)
{
    ep->failed |= arena_failed(ep->c.arena);
    ep->full |= arena_full(ep->c.arena);
    arena_reset(ep->c.arena);
}

const struct json *value_copy(struct arena *a, const struct json *v, struct sosia_err *err)
{
    const struct json *copy;
    const char *text = json_to_text(a, v);
    if (arena_failed(a)) {
        sosia_fail_memory(err);
        return NULL;
    }
    return json_parse(a, text, strlen(text), NULL, &copy, err) < 0 ? NULL : copy;
}

/* ---- fields that changed ---- */

struct field_list {
    struct episode *ep;
    const struct assertion *a;
    const char *entity;
    bool all_expected; /* each is expected, or ignored */
    const char *unexpected;
};

static bool covers(const char *path, const char *field)
{
    size_t n = strlen(path);
    return strncmp(path, field, n) == 0 && (!field[n] || field[n] == '.');
}

static bool ignored(const struct episode *ep, const struct assertion *a, const char *entity,
                    const char *field)
{
    const struct name_list *lists[3] = {ep->task->ignore, a ? a->ignore : NULL, NULL};
    for (const struct ignored_entity *e = ep->task->ignore_of; e; e = e->next)
        if (strcmp(e->entity, entity) == 0)
            lists[2] = e->fields;
    for (int i = 0; i < 3; i++)
        for (const struct name_list *l = lists[i]; l; l = l->next)
            if (ep->c.loose ? strcmp(l->name, field) == 0 : covers(l->name, field))
                return true;
    return false;
}

static bool is_expected(const struct field_list *f, const char *path)
{
    const struct expected_change *c = f->a->changes;
    while (c && !covers(c->path, path))
        c = c->next;
    return c || ignored(f->ep, f->a, f->entity, path);
}

static void see_field(struct field_list *f, const char *path)
{
    if (is_expected(f, path))
        return;
    f->all_expected = false;
    f->unexpected = path;
}

/* Fields of version 0.1 are the members of rows; null is the same as absent. */
static void see_members(struct field_list *f, const struct json *from, const struct json *to)
{
    for (int side = 0; side < 2; side++) {
        const struct json *o = side ? to : from;
        for (uint32_t i = 0; i < o->n; i++) {
            const char *name = o->members[i].key;
            if (side && json_get(from, name))
                continue;
            const struct json *x = json_get(from, name), *y = json_get(to, name);
            if (!values_equal(x, y, true))
                see_field(f, name);
        }
    }
}

/* Whether a path leads to something below a field. */
static bool is_below(const char *path, const char *field)
{
    size_t n = strlen(field);
    return strncmp(path, field, n) == 0 && path[n] == '.';
}

static bool names_below(const struct field_list *f, const char *field)
{
    const struct name_list *lists[3] = {f->ep->task->ignore, f->a->ignore, NULL};
    for (const struct ignored_entity *e = f->ep->task->ignore_of; e; e = e->next)
        if (strcmp(e->entity, f->entity) == 0)
            lists[2] = e->fields;
    for (const struct expected_change *c = f->a->changes; c; c = c->next)
        if (is_below(c->path, field))
            return true;
    for (int i = 0; i < 3; i++)
        for (const struct name_list *l = lists[i]; l; l = l->next)
            if (is_below(l->name, field))
                return true;
    return false;
}

/* An object that came or went is one field; where something in it is spoken of, its members are
 * looked at. */
static void see_inside(struct field_list *f, const char *path, const struct json *from,
                       const struct json *to)
{
    const struct json *whole = from ? from : to;
    if ((from && to) || whole->type != JSON_OBJECT || !names_below(f, path)) {
        see_field(f, path);
        return;
    }
    for (uint32_t i = 0; i < whole->n && f->all_expected; i++) {
        const struct json *v = &whole->members[i].value;
        const char *inner = arena_printf(f->ep->c.arena, "%s.%s", path, whole->members[i].key);
        see_inside(f, inner, from ? v : NULL, from ? NULL : v);
    }
}

/* Each field that differs, of a row that is on both sides. */
static void see_fields(struct field_list *f, const struct row *row)
{
    const struct change *c = row->change;
    size_t n = c ? c->n_fields : 0;
    const struct change_field *list =
        c ? c->fields : fields_of(f->ep->c.arena, row->from, row->to, &n);
    for (size_t i = 0; i < n; i++)
        see_inside(f, list[i].path, list[i].from, list[i].to);
}

const struct json *episode_field(const struct episode *ep, const struct json *row, const char *path)
{
    return ep->c.loose ? json_get(row, path) : value_at_path(row, path, false);
}

bool episode_field_changed(const struct episode *ep, const struct assertion *a,
                           const struct row *row, const char *path)
{
    const struct json *x = episode_field(ep, row->from, path),
                      *y = episode_field(ep, row->to, path);
    return !(ep->c.loose ? values_equal(x, y, true) : json_same(x, y)) &&
           !ignored(ep, a, row->entity, path);
}

const char *episode_changed_too(struct episode *ep, const struct assertion *a,
                                const struct row *row)
{
    struct field_list f = {.ep = ep, .a = a, .entity = row->entity, .all_expected = true};
    if (ep->c.loose)
        see_members(&f, row->from, row->to);
    else
        see_fields(&f, row);
    return f.all_expected ? NULL : f.unexpected;
}

/* ---- one change ---- */

/* service NULL: all. */
static bool is_of_service(const struct row *row, const char *service)
{
    for (size_t i = 0; service && i < SOSIA_LEN(row->services); i++)
        if (row->services[i] && strcmp(row->services[i], service) == 0)
            return true;
    return !service;
}

enum fit episode_fits(struct episode *ep, const struct assertion *a, const struct row *row)
{
    if (strcmp(row->entity, a->entity) != 0 || !is_of_service(row, a->service) ||
        (row->consequence && !a->consequences))
        return FIT_NOT;
    if (a->kind == ASSERT_UNCHANGED)
        return conditions_hold(&ep->c, a->where, row->to) ||
                       conditions_hold(&ep->c, a->where, row->from)
                   ? FIT
                   : FIT_NOT;
    if ((int)row->kind != (int)a->kind)
        return FIT_NOT;
    if (a->kind != ASSERT_CHANGED)
        return conditions_hold(&ep->c, a->where, row->to ? row->to : row->from) ? FIT : FIT_NOT;
    if (!conditions_hold(&ep->c, a->where, row->to) &&
        !conditions_hold(&ep->c, a->where, row->from))
        return FIT_NOT;
    if (a->strict && episode_changed_too(ep, a, row))
        return FIT_UNEXPECTED;
    for (const struct expected_change *c = a->changes; c; c = c->next) {
        if (!episode_field_changed(ep, a, row, c->path))
            return FIT_NOT;
        if ((c->from && !predicate_holds(&ep->c, c->from, episode_field(ep, row->from, c->path))) ||
            (c->to && !predicate_holds(&ep->c, c->to, episode_field(ep, row->to, c->path))))
            return FIT_NOT;
    }
    return FIT;
}

static bool allows(struct episode *ep, const struct allowed *a, const struct row *row)
{
    struct assertion as = {.kind = ASSERT_CHANGED};
    struct expected_change *first = NULL;
    if ((a->kind >= 0 && a->kind != (int)row->kind) ||
        (a->entity && strcmp(a->entity, row->entity) != 0) || !is_of_service(row, a->service) ||
        (a->where && !conditions_hold(&ep->c, a->where, row->to) &&
         !conditions_hold(&ep->c, a->where, row->from)))
        return false;
    if (row->kind != ROW_CHANGED || !a->fields)
        return true;
    for (const struct name_list *l = a->fields; l; l = l->next) {
        struct expected_change *c = arena_calloc(ep->c.arena, 1, sizeof *c);
        *c = (struct expected_change){.path = l->name, .next = first};
        first = c;
    }
    if (arena_failed(ep->c.arena))
        return false;
    as.changes = first;
    struct field_list f = {.ep = ep, .a = &as, .entity = row->entity, .all_expected = true};
    see_fields(&f, row);
    return f.all_expected;
}

bool episode_allows(struct episode *ep, const struct row *row)
{
    bool allowed = false;
    for (const struct allowed *a = ep->task->allow; a && !allowed; a = a->next) {
        ep->c.work->cut = false;
        allowed = !a->calls && allows(ep, a, row) && !ep->c.work->cut;
        episode_asked(ep);
    }
    return allowed;
}

/* ---- calls ---- */

static bool is_call(struct episode *ep, const struct condition *where, const struct json *call)
{
    ep->c.work->cut = false;
    bool holds = conditions_hold(&ep->c, where, call) && !ep->c.work->cut;
    episode_asked(ep);
    return holds;
}

/* Whether an assertion asks for a call: it is in vain to forbid one. */
static bool asks_for(struct episode *ep, const struct assertion *a, const struct json *call)
{
    if (a->kind == ASSERT_CALLS)
        return a->max > 0 && is_call(ep, a->where, call);
    if (a->kind == ASSERT_NOT || a->kind == ASSERT_AGGREGATE)
        return false;
    for (size_t i = 0; i < a->n_inner; i++)
        if (a->kind == ASSERT_ORDER ? is_call(ep, a->inner[i].where, call)
                                    : asks_for(ep, &a->inner[i], call))
            return true;
    return false;
}

bool episode_allows_call(struct episode *ep, const struct verdict *v, const struct json *call)
{
    bool found = false;
    for (const struct allowed *a = ep->task->allow; a && !found; a = a->next)
        found = a->calls && is_call(ep, a->calls, call);
    for (size_t i = 0; !found && i < ep->task->n_assertions; i++)
        found = v[i].passed && asks_for(ep, &ep->task->assertions[i], call);
    return found;
}

/* ---- state ---- */

#define MAX_STATE 200000 /* things of one kind that are looked at */

int episode_each_state(struct episode *ep, const struct assertion *a, const struct condition *where,
                       int (*fn)(void *arg, const struct json *value, size_t row), void *arg)
{
    struct tx *tx = ep->tx;
    const struct kind *kind = tx ? kind_of_entity(tx->engine->kinds, a->entity) : NULL;
    struct arena own, *kept;
    sqlite3_stmt *st = NULL;
    int rc = 0, n = 0, r = SQLITE_DONE;
    if (!kind)
        return 0;
    char *sql = sqlite3_mprintf("select rowid from \"%w\" order by rowid", kind->entity->table);
    if (!sql || sqlite3_prepare_v2(slot_db(tx->db), sql, -1, &st, NULL) != SQLITE_OK) {
        sqlite3_free(sql);
        return slot_fail(tx->db, ep->err);
    }
    sqlite3_free(sql);
    arena_init(&own, ep->kept->limit);
    kept = tx->arena;
    while (rc == 0 && (r = sqlite3_step(st)) == SQLITE_ROW) {
        struct entity_about about = {0};
        struct predicate_context c = ep->c;
        const struct entity_view *view;
        const struct json *value;
        int64_t rowid = sqlite3_column_int64(st, 0);
        if (++n > MAX_STATE) {
            rc = sosia_fail(
                ep->err, SOSIA_E_LIMIT, "tooMany", NULL,
                "%s: at most %d things of the kind \"%s\" can be looked at, there are more",
                a->place, MAX_STATE, a->entity);
            break;
        }
        tx->arena = &own;
        c.arena = &own;
        rc = kind_view(tx, kind, rowid, &view);
        struct row of = {.services = {view ? view->service : NULL, kind->core->name}};
        if (rc == 0 && !is_of_service(&of, a->service))
            continue;
        if (rc == 0)
            rc = entity_read(tx, kind->entity, view, rowid, &about, &value);
        tx->arena = kept;
        if (rc == 0 && value && conditions_hold(&c, where, value)) {
            ep->title = about.title;
            rc = fn(arg, value, NO_ROW);
        }
        ep->full |= arena_full(&own);
        if (rc >= 0 && arena_failed(&own))
            rc = sosia_fail_memory(ep->err);
        arena_reset(&own);
    }
    if (rc == 0 && r != SQLITE_DONE)
        rc = slot_fail(tx->db, ep->err);
    arena_done(&own);
    sqlite3_finalize(st);
    return rc;
}

/* ---- matches ---- */

int episode_matches(struct episode *ep, const struct assertion *a,
                    int (*fn)(void *arg, const struct json *value, size_t row), void *arg)
{
    int r = 0;
    if (a->kind == ASSERT_STATE)
        return episode_each_state(ep, a, a->where, fn, arg);
    if (a->kind == ASSERT_CALLS) {
        for (uint32_t i = 0; r == 0 && ep->calls && i < ep->calls->n; i++) {
            bool holds = conditions_hold(&ep->c, a->where, &ep->calls->items[i]);
            episode_asked(ep);
            if (holds)
                r = fn(arg, &ep->calls->items[i], NO_ROW);
        }
        return r;
    }
    for (size_t i = 0; r == 0 && i < ep->n; i++) {
        enum fit fit = episode_fits(ep, a, &ep->rows[i]);
        episode_asked(ep);
        if (fit == FIT)
            r = fn(arg, ep->rows[i].to ? ep->rows[i].to : ep->rows[i].from, i);
    }
    return r;
}

struct counting {
    int64_t n;
    bool *rows;
};

static int count_one(void *arg, const struct json *value, size_t row)
{
    struct counting *c = arg;
    (void)value;
    c->n++;
    if (row != NO_ROW)
        c->rows[row] = true;
    return 0;
}

/* ---- kinds ---- */

const char *episode_because(struct episode *ep, const char *fmt, ...)
{
    va_list ap;
    if (ep->silent)
        return NULL;
    va_start(ap, fmt);
    const char *text = message_text(ep->kept, fmt, ap);
    va_end(ap);
    return text;
}

static int judge_order(struct episode *ep, const struct assertion *a, struct verdict *v)
{
    size_t step = 0;
    for (uint32_t i = 0; ep->calls && i < ep->calls->n && step < a->n_inner; i++) {
        step += conditions_hold(&ep->c, a->inner[step].where, &ep->calls->items[i]);
        episode_asked(ep);
    }
    v->n = (int64_t)step;
    v->passed = step == a->n_inner;
    v->score = (double)step / (double)a->n_inner;
    if (!v->passed)
        v->why = episode_because(
            ep, "expected %zu calls in this order, found the first %zu of them", a->n_inner, step);
    return 0;
}

static int judge_sql(struct episode *ep, const struct assertion *a, struct verdict *v)
{
    const struct json *value;
    int r = ep->tx ? sql_ask(ep->tx, a->sql, &ep->sql_ns, &value, &v->why) : 1;
    if (r < 0)
        return -1;
    if (r > 0) {
        v->cut = v->why != NULL; /* what is not answered does not hold, whatever is asked of it */
        v->why = v->why ? v->why : "there is no state to ask";
        return 0;
    }
    v->passed = predicate_holds(&ep->c, a->is, value);
    episode_asked(ep);
    if (!v->passed)
        v->why = episode_because(ep, "expected %.200s, found %.200s",
                                 json_to_text(ep->kept, predicate_source(a->is)),
                                 value ? json_to_text(ep->kept, value) : "nothing");
    return 0;
}

struct summing {
    struct episode *ep;
    const struct assertion *a;
    double sum, min, max;
    int64_t n;
    const struct json **seen; /* values, at places that their hashes give; NULL: free */
    size_t n_seen, cap;
};

static uint64_t hash_of(const struct json *v)
{
    return v->type == JSON_STRING || v->type == JSON_NUMBER ? XXH3_64bits(v->str, v->n)
                                                            : (uint64_t)v->type * 31 + v->n;
}

/* Where a value is, or belongs. */
static size_t place_of(const struct summing *s, const struct json *v)
{
    size_t at = hash_of(v) & (s->cap - 1);
    while (s->seen[at] && !json_same(s->seen[at], v))
        at = (at + 1) & (s->cap - 1);
    return at;
}

/* At most half of the places are taken. */
static int make_room(struct summing *s)
{
    struct summing more = {.cap = s->cap ? s->cap * 2 : 16};
    if (s->n_seen * 2 < s->cap)
        return 0;
    more.seen = arena_calloc(s->ep->kept, more.cap, sizeof *more.seen);
    if (arena_failed(s->ep->kept))
        return sosia_fail_memory(s->ep->err);
    for (size_t i = 0; i < s->cap; i++)
        if (s->seen[i])
            more.seen[place_of(&more, s->seen[i])] = s->seen[i];
    s->seen = more.seen;
    s->cap = more.cap;
    return 0;
}

static int sum_distinct(struct summing *s, const struct json *v)
{
    if (make_room(s) < 0)
        return -1;
    size_t at = place_of(s, v);
    if (s->seen[at])
        return 0;
    if (s->a->inner->kind == ASSERT_STATE && !(v = value_copy(s->ep->kept, v, s->ep->err)))
        return -1;
    s->seen[at] = v;
    s->n_seen++;
    s->n++;
    return 0;
}

static int sum_one(void *arg, const struct json *value, size_t row)
{
    struct summing *s = arg;
    const struct json *v = s->a->field ? value_at_path(value, s->a->field, false) : NULL;
    double x = 0;
    (void)row;
    if (s->a->aggregate == AGGREGATE_COUNT && !s->a->field) {
        s->n++;
        return 0;
    }
    if (!v)
        return 0;
    if (s->a->aggregate == AGGREGATE_DISTINCT)
        return sum_distinct(s, v);
    if (json_double(v, &x) < 0 && s->a->aggregate != AGGREGATE_COUNT)
        return 0;
    s->min = !s->n || x < s->min ? x : s->min;
    s->max = !s->n || x > s->max ? x : s->max;
    s->sum += x;
    s->n++;
    return 0;
}

static int judge_aggregate(struct episode *ep, const struct assertion *a, struct verdict *v)
{
    struct summing s = {.ep = ep, .a = a};
    if (episode_matches(ep, a->inner, sum_one, &s) < 0)
        return -1;
    double x = a->aggregate == AGGREGATE_SUM   ? s.sum
               : a->aggregate == AGGREGATE_MIN ? s.min
               : a->aggregate == AGGREGATE_MAX ? s.max
               : a->aggregate == AGGREGATE_AVG ? (s.n ? s.sum / (double)s.n : 0)
                                               : (double)s.n;
    bool none = !s.n && a->aggregate >= AGGREGATE_MIN && a->aggregate <= AGGREGATE_AVG;
    char *text = arena_printf(ep->kept, "%.15g", x);
    const struct json number = {.type = JSON_NUMBER, .n = (uint32_t)strlen(text), .str = text};
    v->n = s.n;
    v->passed = predicate_holds(&ep->c, a->is, none ? NULL : &number);
    episode_asked(ep);
    if (!v->passed)
        v->why = episode_because(ep, "expected %.200s, found %s",
                                 json_to_text(ep->kept, predicate_source(a->is)),
                                 none ? "nothing" : text);
    return 0;
}

/* What is in an "all" or "any" that was judged, and how it counts. */
struct inner {
    double sum, best, weights;
    size_t passed;
    bool broken;  /* a guard is */
    bool missing; /* what is required is */
    bool cut;
};

static void add_inner(const struct episode *ep, const struct assertion *a, const struct verdict *v,
                      struct inner *in)
{
    in->passed += v->passed;
    in->cut |= v->cut;
    in->missing |= a->required && !v->passed;
    in->best = v->score > in->best ? v->score : in->best;
    if (!ep->finds_guards && ep->guard[a->number]) {
        in->broken |= !v->passed;
        return;
    }
    in->sum += v->score * a->weight;
    in->weights += a->weight;
}

/* Of "all": what holds where nothing was done earns nothing here either. */
static double share_of(const struct episode *ep, const struct inner *in, bool passed)
{
    if (in->missing)
        return 0;
    return (in->weights > 0 ? in->sum / in->weights : passed) *
           (in->broken ? ep->task->collateral : 1);
}

static int judge_inner(struct episode *ep, const struct assertion *a, struct verdict *v,
                       bool *covered)
{
    struct inner in = {0};
    bool *own = arena_calloc(ep->kept, ep->n + 1, sizeof *own);
    if (arena_failed(ep->kept))
        return sosia_fail_memory(ep->err);
    for (size_t i = 0; i < a->n_inner; i++) {
        struct verdict one;
        memset(own, 0, ep->n);
        if (episode_judge(ep, &a->inner[i], &one, own) < 0)
            return -1;
        add_inner(ep, &a->inner[i], &one, &in);
        for (size_t k = 0; a->kind != ASSERT_NOT && one.passed && k < ep->n; k++)
            covered[k] |= own[k];
        if (one.cut && !v->why)
            v->why = one.why;
    }
    v->n = (int64_t)in.passed;
    v->passed = a->kind == ASSERT_ALL   ? in.passed == a->n_inner
                : a->kind == ASSERT_ANY ? in.passed > 0
                                        : in.passed < a->n_inner && !in.cut;
    v->score = a->kind == ASSERT_ALL   ? share_of(ep, &in, v->passed)
               : a->kind == ASSERT_ANY ? in.best
                                       : v->passed;
    v->cut = in.cut && !v->passed;
    if (v->passed)
        v->why = NULL;
    else if (a->kind == ASSERT_NOT && !in.cut)
        v->why = "expected that this does not hold, it does";
    else if (!v->why)
        v->why =
            a->kind == ASSERT_ANY
                ? episode_because(ep, "expected one of %zu to hold, none does", a->n_inner)
                : episode_because(ep, "expected all of %zu to hold, %zu do", a->n_inner, in.passed);
    return 0;
}

static const char *count_text(struct arena *m, const struct assertion *a)
{
    if (a->min == a->max)
        return arena_printf(m, "%lld", (long long)a->min);
    if (a->max == INT64_MAX)
        return arena_printf(m, "at least %lld", (long long)a->min);
    return arena_printf(m, "%lld to %lld", (long long)a->min, (long long)a->max);
}

/* Counted kinds: of changes, state, calls. */
static int judge_count(struct episode *ep, const struct assertion *a, struct verdict *v,
                       bool *covered)
{
    struct counting c = {0};
    bool unexpected = false;
    c.rows = arena_calloc(ep->kept, ep->n + 1, sizeof *c.rows);
    if (arena_failed(ep->kept))
        return sosia_fail_memory(ep->err);
    if (episode_matches(ep, a, count_one, &c) < 0)
        return -1;
    for (size_t i = 0; a->kind == ASSERT_CHANGED && ep->c.loose && i < ep->n; i++) {
        unexpected |= episode_fits(ep, a, &ep->rows[i]) == FIT_UNEXPECTED;
        episode_asked(ep);
    }
    v->n = c.n;
    v->passed = c.n >= a->min && c.n <= a->max && !unexpected && !ep->c.work->cut;
    if (unexpected)
        v->why = "other fields changed than those that are expected";
    else if (!v->passed && !ep->silent)
        v->why =
            episode_because(ep, "expected %s, found %lld", count_text(ep->kept, a), (long long)c.n);
    for (size_t i = 0; v->passed && a->kind != ASSERT_UNCHANGED && i < ep->n; i++)
        covered[i] |= c.rows[i];
    return 0;
}

int episode_judge(struct episode *ep, const struct assertion *a, struct verdict *ret, bool *covered)
{
    int rc;
    *ret = (struct verdict){.score = -1};
    ep->c.work->cut = false;
    switch (a->kind) {
    case ASSERT_ORDER:
        rc = judge_order(ep, a, ret);
        break;
    case ASSERT_SQL:
        rc = judge_sql(ep, a, ret);
        break;
    case ASSERT_AGGREGATE:
        rc = judge_aggregate(ep, a, ret);
        break;
    case ASSERT_ALL:
    case ASSERT_ANY:
    case ASSERT_NOT:
        rc = judge_inner(ep, a, ret, covered);
        ep->c.work->cut = false; /* of the last one in it */
        break;
    case ASSERT_ANSWER:
    case ASSERT_NEVER:
    case ASSERT_JUDGE:
        rc = episode_judge_answer(ep, a, ret);
        break;
    case ASSERT_PROGRAM:
        rc = episode_judge_program(ep, a, ret);
        break;
    default:
        rc = judge_count(ep, a, ret, covered);
    }
    if (ep->c.work->cut)
        *ret = (struct verdict){
            .cut = true,
            .n = ret->n,
            .why = "a regular expression, or likeness of texts, takes more steps than it may"};
    if (ep->finds_guards)
        ep->guard[a->number] = ret->passed;
    if (ret->score < 0 || ret->passed)
        ret->score = ret->passed;
    return rc;
}
