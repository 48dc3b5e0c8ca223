/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions read from a suite: what they may say, and which variables bind them together. */
#include "grading/members.h"
#include "grading/predicate_impl.h"
#include "grading/sql.h"
#include "grading/suite.h"
#include "grading/tables.h"
#include <stdlib.h>

const char *const assertion_words[] = {
    "added",     "removed", "changed", "unchanged", "state",  "calls", "order", "sql",
    "aggregate", "all",     "any",     "not",       "answer", "never", "judge", "program"};

#define MAX_ASSERTIONS 1000 /* of a task, inner ones included */
#define MAX_DEPTH      8
#define MAX_JUDGE_NAME 64  /* bytes */
#define MAX_ARGUMENTS  100 /* of a program */
#define MAX_SECONDS    3600

struct reader {
    struct doc *d;
    const struct sosia_suite *s;
    struct task *t;
    struct assertion *now; /* which one is read: who uses a variable */
    size_t n;
};

int names_read(struct doc *d, const struct json *obj, const char *member,
               const struct name_list **ret)
{
    const char **list;
    size_t n;
    if (doc_strings(d, obj, member, &list, &n) < 0)
        return -1;
    *ret = NULL;
    for (size_t i = n; i-- > 0;) {
        struct name_list *one = arena_calloc(d->arena, 1, sizeof *one);
        *one = (struct name_list){.name = list[i], .next = *ret};
        *ret = one;
    }
    return 0;
}

static int use(void *arg, struct doc *d, const struct json *at, const char *name)
{
    struct reader *r = arg;
    size_t n = 0;
    for (const struct name_list *u = r->now->uses; u; u = u->next, n++)
        if (strcmp(u->name, name) == 0)
            return 0;
    if (n == VARIABLES_MAX)
        return doc_fail(d, at, NULL, "must use at most %d variables, uses more", VARIABLES_MAX);
    struct name_list *one = arena_calloc(d->arena, 1, sizeof *one);
    *one = (struct name_list){.name = name, .next = r->now->uses};
    r->now->uses = one;
    return 0;
}

/* What an inner assertion uses is used by the one around it. */
static int use_all(struct reader *r, const struct json *at, struct assertion *a,
                   const struct assertion *inner)
{
    r->now = a;
    for (const struct name_list *u = inner->uses; u; u = u->next)
        if (use(r, r->d, at, u->name) < 0)
            return -1;
    return 0;
}

/* A path to one value. */
static int check_path(struct doc *d, const struct json *at, const char *member, const char *path)
{
    for (const char *p = path; *p; p += *p == '.') {
        size_t n = strcspn(p, ".");
        if (n == 1 && *p == '*')
            return doc_fail(d, at, member,
                            "must be a path to one value, without \"*\", not \"%.80s\"", path);
        p += n;
    }
    return 0;
}

static int read_count(struct doc *d, const struct json *value, bool loose, struct assertion *a)
{
    static const char *const members[] = {"min", "max", NULL};
    const struct json *count = json_get(value, "expected_count");
    if (!count || count->type == JSON_NULL)
        return 0;
    a->counted = true;
    if (count->type == JSON_NUMBER) {
        if (json_i64(count, &a->min) < 0 || a->min < 0 || a->min > 1000000)
            return doc_expect(d, count, "expected_count",
                              "a whole number from 0 to 1000000, or {min, max}");
        a->max = a->min;
        return 0;
    }
    if (count->type != JSON_OBJECT || (!loose && !count->n))
        return doc_expect(d, count, "expected_count",
                          "a whole number from 0 to 1000000, or {min, max}");
    size_t mark = doc_push(d, "expected_count", -1);
    if (doc_object(d, count, members) < 0 || doc_int(d, count, "min", 0, 1000000, 0, &a->min) < 0 ||
        doc_int(d, count, "max", 0, INT64_MAX, INT64_MAX, &a->max) < 0)
        return -1;
    if (a->min > a->max)
        return doc_fail(d, count, NULL, "min must be at most max, not %lld with a max of %lld",
                        (long long)a->min, (long long)a->max);
    doc_pop(d, mark);
    return 0;
}

static int read_expected(struct reader *r, const struct json *value, struct assertion *a)
{
    static const char *const members[] = {"from", "to", NULL};
    struct doc *d = r->d;
    const struct json *list = json_get(value, "expected_changes");
    struct expected_change *first = NULL, **end = &first;
    if (!list || list->type == JSON_NULL)
        return 0;
    if (list->type != JSON_OBJECT)
        return doc_expect(d, list, "expected_changes", "an object of {from, to} by field");
    if (a->kind != ASSERT_CHANGED && !r->s->loose)
        return doc_fail(d, list, "expected_changes",
                        "must be absent unless diff_type is changed, is given");
    size_t mark = doc_push(d, "expected_changes", -1);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *one = &list->members[i].value, *from = json_get(one, "from"),
                          *to = json_get(one, "to");
        struct expected_change *c = arena_calloc(d->arena, 1, sizeof *c);
        size_t inner = doc_push(d, list->members[i].key, -1);
        c->path = list->members[i].key;
        *end = c;
        end = (struct expected_change **)&c->next;
        a->changes = first; /* freed with it whatever comes */
        if (!r->s->loose && check_path(d, one, NULL, c->path) < 0)
            return -1;
        bool plain = r->s->loose && one->type != JSON_OBJECT; /* what it becomes */
        to = plain ? one : to;
        if ((!plain && doc_object(d, one, members) < 0) ||
            (from && predicate_read(d, from, r->s->loose, use, r, &c->from) < 0) ||
            (to && predicate_read(d, to, r->s->loose, use, r, &c->to) < 0))
            return -1;
        doc_pop(d, inner);
    }
    doc_pop(d, mark);
    return 0;
}

static int read_bind(struct doc *d, const struct json *value, struct assertion *a, bool inner)
{
    const struct json *list = json_get(value, "bind");
    if (!list)
        return 0;
    if (inner)
        return doc_fail(
            d, list, "bind",
            "must be a member of one of the task's assertions, not of one inside of it");
    if (list->type != JSON_OBJECT)
        return doc_expect(d, list, "bind", "an object of paths by variable");
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json_member *m = &list->members[i];
        struct binding *b = arena_calloc(d->arena, 1, sizeof *b);
        if (m->value.type != JSON_STRING)
            return doc_expect(d, &m->value, "bind", "an object of paths by variable");
        if (!m->key_len || m->key_len > VARIABLE_NAME_MAX || strchr(m->key, '}'))
            return doc_fail(
                d, &m->value, "bind",
                "the name of a variable must have 1 to %d bytes and no \"}\", not \"%.80s\"",
                VARIABLE_NAME_MAX, m->key);
        if (check_path(d, &m->value, "bind", m->value.str) < 0)
            return -1;
        *b = (struct binding){.name = m->key, .path = m->value.str, .next = a->bind};
        a->bind = b;
    }
    return 0;
}

static int read_one(struct reader *r, const struct json *value, struct assertion *a, int depth);

static int read_inner(struct reader *r, const struct json *list, const char *member,
                      struct assertion *a, int depth)
{
    struct doc *d = r->d;
    bool one = list->type == JSON_OBJECT && a->kind == ASSERT_NOT;
    if (!one && (list->type != JSON_ARRAY || !list->n))
        return doc_expect(d, list, member, "a list of assertions");
    a->n_inner = one ? 1 : list->n;
    a->inner = arena_calloc(d->arena, a->n_inner, sizeof *a->inner);
    for (size_t i = 0; i < a->n_inner; i++) {
        size_t mark = doc_push(d, member, one ? -1 : (int64_t)i);
        if (read_one(r, one ? list : &list->items[i], &a->inner[i], depth + 1) < 0)
            return -1;
        doc_pop(d, mark);
        if (use_all(r, list, a, &a->inner[i]) < 0)
            return -1;
        if (a->inner[i].bind)
            return doc_fail(d, list, member, "must bind no variables, does");
    }
    return 0;
}

/* The calls that must follow each other. */
static int read_order(struct reader *r, const struct json *list, struct assertion *a)
{
    struct doc *d = r->d;
    if (list->type != JSON_ARRAY || !list->n)
        return doc_expect(d, list, "order", "a list of conditions of calls");
    a->n_inner = list->n;
    a->inner = arena_calloc(d->arena, a->n_inner, sizeof *a->inner);
    for (size_t i = 0; i < a->n_inner; i++) {
        size_t mark = doc_push(d, "order", (int64_t)i);
        a->inner[i].kind = ASSERT_CALLS;
        if (conditions_read(d, &list->items[i], false, use, r, &a->inner[i].where) < 0 ||
            (r->s->known && members_check_conditions(d, MEMBERS_OF_CALLS, a->inner[i].where) < 0))
            return -1;
        doc_pop(d, mark);
    }
    return 0;
}

static int read_aggregate(struct reader *r, const struct json *value, struct assertion *a)
{
    static const char *const members[] = {"fn", "field", "of", NULL};
    static const char *const fns[] = {"count", "sum", "min", "max", "avg", "distinct", NULL};
    struct doc *d = r->d;
    const struct json *of = json_get(value, "of");
    size_t mark = doc_push(d, "aggregate", -1);
    int fn;
    if (doc_object(d, value, members) < 0 || doc_enum(d, value, "fn", fns, 0, &fn) < 0 ||
        doc_str(d, value, "field", false, &a->field) < 0)
        return -1;
    a->aggregate = (enum aggregate)fn;
    if (a->field && check_path(d, value, "field", a->field) < 0)
        return -1;
    if (fn != AGGREGATE_COUNT && !a->field)
        return doc_fail(d, value, "field", "must be given for %s, is missing", fns[fn]);
    if (!of)
        return doc_fail(d, value, "of", "must be given, is missing");
    a->n_inner = 1;
    a->inner = arena_calloc(d->arena, 1, sizeof *a->inner);
    size_t inner = doc_push(d, "of", -1);
    if (read_one(r, of, a->inner, 2) < 0)
        return -1;
    if (a->inner->counted)
        return doc_fail(d, of, "expected_count",
                        "must be absent in what an aggregate is over, is given");
    if (a->inner->kind > ASSERT_CALLS || a->inner->kind == ASSERT_UNCHANGED)
        return doc_fail(d, of, NULL, "must be an assertion over changes, state or calls");
    doc_pop(d, inner);
    const char *entity = a->inner->kind == ASSERT_CALLS ? MEMBERS_OF_CALLS : a->inner->entity;
    if (r->s->known && a->field &&
        members_check_path(d, json_get(value, "field"), entity, a->field) < 0)
        return -1;
    doc_pop(d, mark);
    return use_all(r, of, a, a->inner);
}

/* Which member says what kind it is. */
static int read_kind(struct reader *r, const struct json *value, struct assertion *a,
                     const char **ret_member)
{
    static const char *const diffs[] = {"added", "removed", "changed", "unchanged", NULL};
    static const char *const others[] = {"state",     "calls", "order", "sql",
                                         "aggregate", "all",   "any",   "not",
                                         "answer",    "never", "judge", "program"};
    struct doc *d = r->d;
    int n = 0, kind = 0;
    const struct json *type = json_get(value, "diff_type");
    if (type || r->s->loose) {
        if (!type || type->type == JSON_NULL)
            return doc_fail(d, value, "diff_type", "must be given, is missing");
        if (doc_enum(d, value, "diff_type", diffs, 0, &kind) < 0)
            return -1;
        a->kind = (enum assertion_kind)kind;
        *ret_member = "diff_type";
        n++;
    }
    for (size_t i = 0; !r->s->loose && i < SOSIA_LEN(others); i++) {
        if (!json_get(value, others[i]))
            continue;
        a->kind = (enum assertion_kind)(ASSERT_STATE + (int)i);
        *ret_member = others[i];
        n++;
    }
    if (n != 1)
        return doc_fail(
            d, value, NULL,
            "must have one of diff_type, state, calls, order, sql, aggregate, all, any, not, "
            "answer, never, judge and program, not %s",
            n ? "several" : "none");
    return 0;
}

/* Which members belong to which kinds: d diff, s state, c calls, x everything. */
static int check_members(struct reader *r, const struct json *value, const struct assertion *a,
                         const char *kind)
{
    static const struct {
        const char *name;
        const char *of; /* letters by kind: a r c u s C o q g A O N w n j p */
        bool loose;
    } rows[] = {
        {"diff_type", "arcu", true},
        {"entity", "arcu", true},
        {"service", "arcus", false},
        {"where", "arcu s", true},
        {"expected_count", "arcusC", true},
        {"expected_changes", "c", true},
        {"ignore", "c", true},
        {"description", NULL, true},
        {"weight", NULL, false},
        {"required", NULL, false},
        {"id", NULL, false},
        {"bind", "arcsC", false},
        {"consequences", "arcu", false},
        {"is", "qg", false},
        {"strict", "c", false},
    };
    char letter = "arcusCoqgAONwnjp"[a->kind];
    for (uint32_t i = 0; i < value->n; i++) {
        const char *name = value->members[i].key;
        bool good = strcmp(name, kind) == 0;
        for (size_t k = 0; !good && k < SOSIA_LEN(rows); k++)
            good = strcmp(rows[k].name, name) == 0 && (rows[k].loose || !r->s->loose) &&
                   (r->s->loose || !rows[k].of || strchr(rows[k].of, letter));
        if (!good)
            return doc_fail(r->d, &value->members[i].value, name,
                            "must be a member of an assertion of the kind \"%s\" (version %s)",
                            assertion_words[a->kind], r->s->loose ? "0.1" : "1");
    }
    return 0;
}

static int check_sql(struct reader *r, const struct json *at, const char *sql)
{
    const char *why = "must begin with select, values or with, does not";
    int rc = sql_is_question(sql) ? sql_check(r->s->sql, r->d->arena, sql, &why, r->d->err) : 1;
    return rc > 0 ? doc_fail(r->d, at, "sql", "%s", why) : rc;
}

#define MAX_NEVER 100 /* texts */

/* A text, or a list of them, each of which has something that can be looked for. */
static int read_never(struct reader *r, const struct json *of, struct assertion *a)
{
    struct doc *d = r->d;
    struct reading reading = {.d = d, .fn = use, .arg = r};
    struct json *list = arena_calloc(d->arena, 1, sizeof *list);
    *list = of->type == JSON_ARRAY ? *of : (struct json){.type = JSON_ARRAY, .n = 1, .items = of};
    if (!list->n || list->n > MAX_NEVER)
        return doc_fail(d, of, "never", "must be a text or a list of 1 to %d texts, not %u",
                        MAX_NEVER, list->n);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *one = &list->items[i];
        if (one->type != JSON_STRING || !*text_plain(d->arena, one->str))
            return doc_expect(d, one, "never", "a text with letters or digits, or a list of them");
    }
    a->never = list;
    return predicate_variables(&reading, list);
}

/* {name, question, at_least} */
static int read_judge(struct doc *d, const struct json *of, struct assertion *a)
{
    static const char *const members[] = {"name", "question", "at_least", NULL};
    size_t mark = doc_push(d, "judge", -1);
    const struct json *share = json_get(of, "at_least");
    a->at_least = 1;
    if (doc_object(d, of, members) < 0 || doc_str(d, of, "name", true, &a->judge) < 0 ||
        doc_str(d, of, "question", false, &a->question) < 0)
        return -1;
    if (!*a->judge || strlen(a->judge) > MAX_JUDGE_NAME)
        return doc_fail(d, of, "name", "must have 1 to %d bytes, not %zu", MAX_JUDGE_NAME,
                        strlen(a->judge));
    if (share && (json_double(share, &a->at_least) < 0 || !(a->at_least > 0 && a->at_least <= 1)))
        return doc_expect(d, share, "at_least", "a number above 0, and at most 1");
    doc_pop(d, mark);
    return 0;
}

/* {argv, input, seconds} */
static int read_program(struct doc *d, const struct json *of, struct assertion *a)
{
    static const char *const members[] = {"argv", "input", "seconds", NULL};
    size_t mark = doc_push(d, "program", -1), n;
    const char **argv;
    if (doc_object(d, of, members) < 0 || doc_strings(d, of, "argv", &argv, &n) < 0 ||
        doc_str(d, of, "input", false, &a->input) < 0 ||
        doc_int(d, of, "seconds", 1, MAX_SECONDS, 60, &a->seconds) < 0)
        return -1;
    if (!n || n > MAX_ARGUMENTS)
        return doc_fail(d, of, "argv", "must have 1 to %d texts, has %zu", MAX_ARGUMENTS, n);
    const char **list = arena_calloc(d->arena, n + 1, sizeof *list);
    if (!list)
        return sosia_fail_memory(d->err);
    memcpy(list, argv, n * sizeof *list);
    a->argv = list;
    doc_pop(d, mark);
    return 0;
}

static int read_body(struct reader *r, const struct json *value, struct assertion *a,
                     const char *kind, int depth)
{
    struct doc *d = r->d;
    const struct json *of = json_get(value, kind), *is = json_get(value, "is"),
                      *where = json_get(value, "where");
    switch (a->kind) {
    case ASSERT_STATE:
        if (doc_str(d, value, "state", true, &a->entity) < 0)
            return -1;
        break;
    case ASSERT_CALLS:
        if (of->type == JSON_NULL)
            return doc_expect(d, of, "calls", "an object of predicates by path");
        where = of;
        break;
    case ASSERT_ORDER:
        return read_order(r, of, a);
    case ASSERT_SQL:
        if (doc_str(d, value, "sql", true, &a->sql) < 0 || check_sql(r, of, a->sql) < 0)
            return -1;
        break;
    case ASSERT_AGGREGATE:
        if (read_aggregate(r, of, a) < 0)
            return -1;
        break;
    case ASSERT_ALL:
    case ASSERT_ANY:
    case ASSERT_NOT:
        return read_inner(r, of, kind, a, depth);
    case ASSERT_ANSWER:
        is = of;
        break;
    case ASSERT_NEVER:
        return read_never(r, of, a);
    case ASSERT_JUDGE:
        return read_judge(d, of, a);
    case ASSERT_PROGRAM:
        return read_program(d, of, a);
    default:
        if (doc_str(d, value, "entity", true, &a->entity) < 0)
            return -1;
    }
    if ((a->kind == ASSERT_SQL || a->kind == ASSERT_AGGREGATE) && !is)
        return doc_fail(d, value, "is", "must be given, is missing");
    size_t mark = doc_push(d, a->kind == ASSERT_ANSWER ? "answer" : "is", -1);
    if (is && predicate_read(d, is, false, use, r, &a->is) < 0)
        return -1;
    doc_pop(d, mark);
    mark = doc_push(d, a->kind == ASSERT_CALLS ? "calls" : "where", -1);
    if (where && where->type != JSON_NULL &&
        conditions_read(d, where, r->s->loose, use, r, &a->where) < 0)
        return -1;
    doc_pop(d, mark);
    return read_expected(r, value, a);
}

/* Members that an assertion over changes, state or calls names, and its entity. */
static int check_names(struct reader *r, const struct json *value, const struct assertion *a,
                       const char *kind)
{
    struct doc *d = r->d;
    const char *entity = a->kind == ASSERT_CALLS ? MEMBERS_OF_CALLS : a->entity;
    const struct json *ignore = json_get(value, "ignore"), *bind = json_get(value, "bind");
    const char *of = a->kind == ASSERT_STATE ? kind : "entity";
    if ((a->entity && members_check_entity(d, json_get(value, of), of, a->entity) < 0) ||
        (a->service && members_check_service(d, json_get(value, "service"), a->service) < 0))
        return -1;
    size_t mark = doc_push(d, a->kind == ASSERT_CALLS ? "calls" : "where", -1);
    if (members_check_conditions(d, entity, a->where) < 0)
        return -1;
    doc_pop(d, mark);
    mark = doc_push(d, "expected_changes", -1);
    for (const struct expected_change *c = a->changes; c; c = c->next) {
        const struct json *at = json_get(json_get(value, "expected_changes"), c->path);
        if (members_check_path(d, at, entity, c->path) < 0 ||
            members_check_predicate(d, entity, c->path, c->from) < 0 ||
            members_check_predicate(d, entity, c->path, c->to) < 0)
            return -1;
    }
    doc_pop(d, mark);
    mark = doc_push(d, "ignore", -1);
    for (uint32_t i = 0; ignore && ignore->type == JSON_ARRAY && i < ignore->n; i++)
        if (members_check_path(d, &ignore->items[i], entity, ignore->items[i].str) < 0)
            return -1;
    doc_pop(d, mark);
    mark = doc_push(d, "bind", -1);
    for (uint32_t i = 0; bind && i < bind->n; i++)
        if (members_check_path(d, &bind->members[i].value, entity, bind->members[i].value.str) < 0)
            return -1;
    doc_pop(d, mark);
    return 0;
}

/* In version 0.1: a table, or an entity where the whole suite is about entities. */
static int check_table(struct reader *r, const struct json *value, const struct assertion *a)
{
    enum names now = table_is_known(a->entity) ? NAMES_TABLES : NAMES_ENTITIES;
    const struct json *at = json_get(value, "entity");
    if (members_check_table(r->d, at, "entity", a->entity) < 0)
        return -1;
    if (r->t->names && r->t->names != now)
        return doc_fail(r->d, at, "entity",
                        "must be %s as in the assertions before, \"%.40s\" is %s",
                        now == NAMES_TABLES ? "an entity" : "a table", a->entity,
                        now == NAMES_TABLES ? "a table" : "an entity");
    r->t->names = now;
    return 0;
}

static int read_one(struct reader *r, const struct json *value, struct assertion *a, int depth)
{
    struct doc *d = r->d;
    const char *kind = NULL;
    double weight = 1;
    *a = (struct assertion){.place = arena_memdup(d->arena, d->path, d->path_len),
                            .line = doc_line(d, value),
                            .weight = 1};
    r->now = a;
    if (value->type != JSON_OBJECT)
        return doc_expect(d, value, NULL, "an assertion");
    a->number = r->n;
    if (++r->n > MAX_ASSERTIONS || depth > MAX_DEPTH)
        return doc_fail(d, value, NULL, "must be one of %d assertions at most, %d levels deep",
                        MAX_ASSERTIONS, MAX_DEPTH);
    if (read_kind(r, value, a, &kind) < 0 || check_members(r, value, a, kind) < 0 ||
        (!r->s->loose && doc_str(d, value, "service", false, &a->service) < 0))
        return -1;
    a->min = a->kind == ASSERT_UNCHANGED ? 0 : 1;
    a->max = a->kind == ASSERT_UNCHANGED                                         ? 0
             : r->s->loose || a->kind == ASSERT_STATE || a->kind == ASSERT_CALLS ? INT64_MAX
                                                                                 : 1;
    const struct json *w = json_get(value, "weight");
    if (w && (json_double(w, &weight) < 0 || !(weight >= 0 && weight <= 1e6)))
        return doc_expect(d, w, "weight", "a number from 0 to 1000000");
    a->weight = weight;
    const char *id;
    if (doc_str(d, value, "description", false, &a->description) < 0 ||
        (!r->s->loose && doc_str(d, value, "id", false, &id) < 0) ||
        doc_bool(d, value, "required", false, &a->required) < 0 ||
        doc_bool(d, value, "consequences", false, &a->consequences) < 0 ||
        doc_bool(d, value, "strict", r->t->strict, &a->strict) < 0 ||
        names_read(d, value, "ignore", &a->ignore) < 0 ||
        read_count(d, value, r->s->loose, a) < 0 || read_bind(d, value, a, depth > 1) < 0 ||
        read_body(r, value, a, kind, depth) < 0 ||
        (r->s->known && a->kind <= ASSERT_CALLS && check_names(r, value, a, kind) < 0) ||
        (r->s->tables && check_table(r, value, a) < 0))
        return -1;
    if (!r->s->loose && a->kind == ASSERT_CHANGED && a->strict && !a->changes)
        return doc_fail(d, value, "expected_changes",
                        "must be given unless strict is false, is missing");
    if (a->bind && a->max == 0)
        return doc_fail(d, value, "bind", "must be absent where nothing may match, is given");
    return 0;
}

/* ---- variables ---- */

struct bound {
    const char *name;
    size_t by; /* which assertion */
};

/* Its place among those that are bound; -1: it is not. */
static int bound_at(const struct bound *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return (int)i;
    return -1;
}

static bool is_given(const struct sosia_suite *s, const char *name)
{
    for (const char *const *v = s->given; v && *v; v++)
        if (strcmp(*v, name) == 0)
            return true;
    return false;
}

static int fail_at(struct doc *d, const struct json *list, size_t i, const char *what,
                   const char *name)
{
    size_t mark = doc_push(d, "assertions", (int64_t)i);
    int rc =
        doc_fail(d, &list->items[i], NULL, "the variable \"%.80s\" must be bound %s", name, what);
    doc_pop(d, mark);
    return rc;
}

/* The variables that a task binds, each once. */
static int list_bound(struct doc *d, const struct json *list, const struct task *t,
                      struct bound bound[VARIABLES_MAX], size_t *ret_n)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_assertions; i++) {
        for (const struct binding *b = t->assertions[i].bind; b; b = b->next) {
            if (bound_at(bound, n, b->name) >= 0)
                return fail_at(d, list, i, "once, not twice", b->name);
            if (n == VARIABLES_MAX)
                return fail_at(d, list, i, "as one of 64 at most, not one more", b->name);
            bound[n++] = (struct bound){.name = b->name, .by = i};
        }
    }
    *ret_n = n;
    return 0;
}

/* Puts assertions into an order in which variables are bound before they are used. */
static int put_in_order(struct doc *d, const struct json *list, const struct sosia_suite *s,
                        struct task *t)
{
    struct bound bound[VARIABLES_MAX];
    size_t *order = arena_calloc(d->arena, t->n_assertions + 1, sizeof *order), n = 0, n_bound;
    uint64_t *needs = arena_calloc(d->arena, t->n_assertions + 1, sizeof *needs), there = 0;
    bool *done = arena_calloc(d->arena, t->n_assertions + 1, sizeof *done);
    if (arena_failed(d->arena))
        return sosia_fail_memory(d->err);
    if (list_bound(d, list, t, bound, &n_bound) < 0)
        return -1;
    for (size_t i = 0; i < t->n_assertions; i++) {
        for (const struct name_list *u = t->assertions[i].uses; u; u = u->next) {
            int at = bound_at(bound, n_bound, u->name);
            if (at < 0 && is_given(s, u->name))
                continue;
            if (at < 0)
                return fail_at(d, list, i, "by an assertion, is not", u->name);
            needs[i] |= UINT64_C(1) << at;
        }
    }
    while (n < t->n_assertions) {
        size_t before = n;
        for (size_t i = 0; i < t->n_assertions; i++) {
            if (done[i] || (needs[i] & ~there))
                continue;
            done[i] = true;
            order[n++] = i;
            for (size_t k = 0; k < n_bound; k++)
                there |= (uint64_t)(bound[k].by == i) << k;
        }
        if (n > before)
            continue;
        for (size_t i = 0; i < t->n_assertions; i++)
            for (size_t k = 0; !done[i] && k < n_bound; k++)
                if (needs[i] & ~there & UINT64_C(1) << k)
                    return fail_at(d, list, i, "without a circle, is not", bound[k].name);
    }
    t->order = order;
    return 0;
}

/* What a list of assertions says of its things: the text of their conditions. */
static const char *condition_text(struct doc *d, const struct json *value,
                                  const struct assertion *a)
{
    const struct json *where = json_get(value, a->kind == ASSERT_CALLS ? "calls" : "where");
    return where && where->type == JSON_OBJECT && where->n ? json_to_text(d->arena, where) : "{}";
}

/* Whether one says that nothing of a kind changed, and the other that something did. */
static bool denies(const struct assertion *a, const char *of_a, const struct assertion *b,
                   const char *of_b)
{
    return a->kind == ASSERT_UNCHANGED && a->max == 0 && b->kind < ASSERT_UNCHANGED && b->min > 0 &&
           (a->consequences || !b->consequences) && strcmp(a->entity, b->entity) == 0 &&
           (strcmp(of_a, "{}") == 0 || strcmp(of_a, of_b) == 0);
}

/* Whether two ask for another number of the same. */
static bool differ(const struct assertion *a, const char *of_a, const struct assertion *b,
                   const char *of_b)
{
    return a->kind == b->kind && a->kind <= ASSERT_CALLS && a->kind != ASSERT_CHANGED &&
           a->consequences == b->consequences &&
           (a->kind == ASSERT_CALLS || strcmp(a->entity, b->entity) == 0) &&
           (a->min > b->max || b->min > a->max) && strcmp(of_a, of_b) == 0;
}

/* What two assertions say can't be true at once: the same thing is to be there and not to be. */
static int check_contradictions(struct doc *d, const struct json *list, const struct task *t)
{
    const char **of = arena_calloc(d->arena, t->n_assertions, sizeof *of);
    if (arena_failed(d->arena))
        return sosia_fail_memory(d->err);
    for (size_t i = 0; i < t->n_assertions; i++) {
        const struct assertion *a = &t->assertions[i];
        of[i] = condition_text(d, &list->items[i], a);
        for (size_t k = 0; k < i && a->kind <= ASSERT_CALLS; k++) {
            const struct assertion *b = &t->assertions[k];
            if (b->kind > ASSERT_CALLS)
                continue;
            bool nothing = denies(a, of[i], b, of[k]) || denies(b, of[k], a, of[i]);
            if (!nothing && !differ(a, of[i], b, of[k]))
                continue;
            doc_push(d, "assertions", (int64_t)i);
            return doc_fail(d, &list->items[i], NULL,
                            "must not contradict assertions[%zu], does: %s", k,
                            nothing ? "nothing of the kind is to change"
                                    : "the same is to match another number of times");
        }
    }
    return 0;
}

int assertions_read(struct doc *d, const struct json *list, const struct sosia_suite *s,
                    struct task *t)
{
    struct reader r = {.d = d, .s = s, .t = t};
    static const struct json none = {.type = JSON_ARRAY};
    if (t->nothing && (!list || list->type == JSON_NULL))
        list = &none; /* that nothing was done is all there is to see */
    if (!list || list->type != JSON_ARRAY || (!list->n && !t->nothing))
        return doc_expect(d, list, "assertions", "a list of at least one assertion");
    t->assertions = arena_calloc(d->arena, list->n, sizeof *t->assertions);
    t->n_assertions = list->n;
    for (uint32_t i = 0; i < list->n; i++) {
        size_t mark = doc_push(d, "assertions", i);
        if (read_one(&r, &list->items[i], &t->assertions[i], 1) < 0)
            return -1;
        doc_pop(d, mark);
    }
    t->n_numbered = r.n;
    if (s->loose) {
        t->order = NULL;
        return 0;
    }
    return check_contradictions(d, list, t) < 0 ? -1 : put_in_order(d, list, s, t);
}

void assertion_free(const struct assertion *a)
{
    conditions_free(a->where);
    predicate_free(a->is);
    for (const struct expected_change *c = a->changes; c; c = c->next) {
        predicate_free(c->from);
        predicate_free(c->to);
    }
    for (size_t i = 0; i < a->n_inner; i++)
        assertion_free(&a->inner[i]);
}
