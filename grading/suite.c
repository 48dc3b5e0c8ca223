/* SPDX-License-Identifier: Apache-2.0 */
/* Suites read from JSON or YAML. A document is a suite, with its tasks in "tests", or one task;
 * lines of a data set are one too (lines.c). */
#include "grading/suite.h"
#include "grading/members.h"
#include "grading/sql.h"
#include "engine/base/codec.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/text/tz.h"
#include <stdlib.h>
#include <xxhash.h>

#define MAX_SUITE ((size_t)16 << 20)
#define MAX_TASKS 10000
#define MAX_WAIT  INT64_C(31622400) /* seconds of an action: a year */

/* entity NULL: fields of whichever. */
static int check_ignored(struct doc *d, const struct json *list, const char *entity)
{
    if (entity && members_check_entity(d, list, NULL, entity) < 0)
        return -1;
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++)
        if (members_check_path(d, &list->items[i], entity, list->items[i].str) < 0)
            return -1;
    return 0;
}

static int read_ignored(struct doc *d, const struct sosia_suite *s, const struct json *obj,
                        struct task *t)
{
    const struct json *all = json_get(obj, "ignore_fields");
    if (!all || all->type == JSON_NULL)
        return 0;
    if (all->type != JSON_OBJECT)
        return doc_expect(d, all, "ignore_fields", "an object of lists by entity");
    size_t mark = doc_push(d, "ignore_fields", -1);
    for (uint32_t i = 0; i < all->n; i++) {
        const struct name_list *list;
        const char *entity = all->members[i].key;
        bool global = strcmp(entity, "global") == 0;
        if (names_read(d, all, entity, &list) < 0 ||
            (s->known && check_ignored(d, &all->members[i].value, global ? NULL : entity) < 0))
            return -1;
        if (global) {
            struct name_list *last = NULL;
            for (const struct name_list *l = list; l; l = l->next)
                last = (struct name_list *)l;
            if (last) {
                last->next = t->ignore;
                t->ignore = list;
            }
        } else {
            struct ignored_entity *one = arena_calloc(d->arena, 1, sizeof *one);
            *one = (struct ignored_entity){.entity = entity, .fields = list, .next = t->ignore_of};
            t->ignore_of = one;
        }
    }
    doc_pop(d, mark);
    return 0;
}

/* Members that nobody looks at here, and which are texts. */
static int check_texts(struct doc *d, const struct json *obj, const char *const *members)
{
    const char *text;
    for (; *members; members++)
        if (doc_str(d, obj, *members, false, &text) < 0)
            return -1;
    return 0;
}

static int allow_uses(void *arg, struct doc *d, const struct json *at, const char *name)
{
    struct task *t = arg;
    size_t n = 0;
    for (const struct name_list *u = t->allow_uses; u; u = u->next, n++)
        if (strcmp(u->name, name) == 0)
            return 0;
    if (n == VARIABLES_MAX)
        return doc_fail(d, at, NULL, "must use at most %d variables, uses more", VARIABLES_MAX);
    struct name_list *one = arena_calloc(d->arena, 1, sizeof *one);
    *one = (struct name_list){.name = name, .next = t->allow_uses};
    t->allow_uses = one;
    return 0;
}

static int check_allowed_names(struct doc *d, const struct json *one, const struct allowed *a)
{
    const struct json *fields = json_get(one, "fields");
    if ((a->entity && members_check_entity(d, json_get(one, "entity"), "entity", a->entity) < 0) ||
        (a->service && members_check_service(d, json_get(one, "service"), a->service) < 0))
        return -1;
    size_t mark = doc_push(d, "where", -1);
    if (members_check_conditions(d, a->entity, a->where) < 0)
        return -1;
    doc_pop(d, mark);
    mark = doc_push(d, "calls", -1);
    if (members_check_conditions(d, MEMBERS_OF_CALLS, a->calls) < 0)
        return -1;
    doc_pop(d, mark);
    mark = doc_push(d, "fields", -1);
    for (uint32_t i = 0; fields && fields->type == JSON_ARRAY && i < fields->n; i++)
        if (members_check_path(d, &fields->items[i], a->entity, fields->items[i].str) < 0)
            return -1;
    doc_pop(d, mark);
    return 0;
}

static int read_allowed(struct doc *d, const struct sosia_suite *s, const struct json *obj,
                        struct task *t)
{
    static const char *const members[] = {"diff_type", "entity", "service",     "where",
                                          "fields",    "calls",  "description", NULL};
    static const char *const kinds[] = {"added", "removed", "changed", NULL};
    static const char *const texts[] = {"description", NULL};
    const struct json *list;
    if (doc_list(d, obj, "allow", &list) < 0)
        return -1;
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *one = &list->items[i], *where = json_get(one, "where"),
                          *calls = json_get(one, "calls");
        struct allowed *a = arena_calloc(d->arena, 1, sizeof *a);
        size_t mark = doc_push(d, "allow", i);
        a->next = t->allow;
        t->allow = a;
        if (doc_object(d, one, members) < 0 || check_texts(d, one, texts) < 0 ||
            doc_enum(d, one, "diff_type", kinds, -1, &a->kind) < 0 ||
            doc_str(d, one, "entity", false, &a->entity) < 0 ||
            doc_str(d, one, "service", false, &a->service) < 0 ||
            (where && conditions_read(d, where, false, allow_uses, t, &a->where) < 0) ||
            (calls && conditions_read(d, calls, false, allow_uses, t, &a->calls) < 0) ||
            names_read(d, one, "fields", &a->fields) < 0 ||
            (s->known && check_allowed_names(d, one, a) < 0))
            return -1;
        if (!a->entity && !a->service && !where && !a->calls)
            return doc_fail(d, one, NULL,
                            "must name an entity or a service or have a where or calls with "
                            "conditions, so that "
                            "not everything is allowed, has none of them");
        if (calls && one->n > 1u + (json_get(one, "description") != NULL))
            return doc_fail(d, calls, "calls",
                            "must be alone, since calls are allowed and not changes, not beside "
                            "other members");
        doc_pop(d, mark);
    }
    return 0;
}

/* What is allowed uses variables that assertions bind. */
static int check_allowed(struct doc *d, const struct json *obj, const struct task *t)
{
    for (const struct name_list *u = t->allow_uses; u; u = u->next) {
        bool bound = false;
        for (size_t i = 0; i < t->n_assertions; i++)
            for (const struct binding *b = t->assertions[i].bind; b && !bound; b = b->next)
                bound = strcmp(b->name, u->name) == 0;
        if (!bound)
            return doc_fail(d, json_get(obj, "allow"), "allow",
                            "the variable \"%.80s\" must be bound by an assertion", u->name);
    }
    return 0;
}

/* Waits, as people do: what is due meanwhile happens. */
static int read_wait(struct doc *d, const struct json *one, struct action *a)
{
    static const char *const members[] = {"wait", "description", NULL};
    static const char *const texts[] = {"description", NULL};
    a->line = doc_line(d, one);
    return doc_object(d, one, members) < 0 || check_texts(d, one, texts) < 0 ||
                   doc_int(d, one, "wait", 1, MAX_WAIT, 0, &a->wait_s) < 0
               ? -1
               : 0;
}

static int read_action(struct doc *d, const struct json *one, const struct task *t,
                       struct action *a)
{
    static const char *const members[] = {"as",   "call",   "body",        "mail",
                                          "save", "status", "description", NULL};
    static const char *const texts[] = {"description", NULL};
    const char *call;
    if (json_get(one, "wait"))
        return read_wait(d, one, a);
    if (doc_object(d, one, members) < 0 || check_texts(d, one, texts) < 0 ||
        doc_str(d, one, "call", true, &call) < 0 || doc_str(d, one, "as", false, &a->who) < 0 ||
        doc_int(d, one, "status", 100, 599, 0, &a->status) < 0)
        return -1;
    size_t n = strcspn(call, " ");
    if (!n || call[n] != ' ' || call[n + 1] != '/')
        return doc_fail(d, json_get(one, "call"), "call",
                        "must be a verb and a path (\"GET /calendar/v3/...\"), not "
                        "\"%.60s\"",
                        call);
    a->method = arena_memdup(d->arena, call, n);
    a->target = call + n + 1;
    a->body = json_get(one, "body");
    a->mail = json_get(one, "mail");
    a->save = json_get(one, "save");
    a->line = doc_line(d, one);
    if (!a->who)
        a->who = t->actor;
    if (!a->who)
        return doc_fail(d, one, "as", "must be given where the task has no actor, is missing");
    if (a->save && a->save->type != JSON_OBJECT)
        return doc_expect(d, a->save, "save", "an object of paths by name");
    for (uint32_t i = 0; a->save && i < a->save->n; i++)
        if (a->save->members[i].value.type != JSON_STRING)
            return doc_expect(d, &a->save->members[i].value, "save", "an object of paths by name");
    if (a->mail && a->mail->type != JSON_OBJECT)
        return doc_expect(d, a->mail, "mail", "an object of headers, and text");
    return 0;
}

static int read_actions(struct doc *d, const struct json *obj, struct task *t)
{
    const struct json *list;
    if (doc_list(d, obj, "actions", &list) < 0)
        return -1;
    t->n_actions = list ? list->n : 0;
    t->actions = arena_calloc(d->arena, t->n_actions + 1, sizeof *t->actions);
    for (uint32_t i = 0; i < t->n_actions; i++) {
        size_t mark = doc_push(d, "actions", i);
        if (read_action(d, &list->items[i], t, &t->actions[i]) < 0)
            return -1;
        doc_pop(d, mark);
    }
    return 0;
}

static int read_zone(struct doc *d, const struct json *obj, struct task *t)
{
    const char *zone;
    if (doc_str(d, obj, "zone", false, &zone) < 0)
        return -1;
    if (zone && !(t->zone = tz_find(zone)))
        return doc_fail(d, json_get(obj, "zone"), "zone", "unknown time zone \"%.60s\"", zone);
    return 0;
}

/* The clock of a suite or of a task: of the nearest of both that names one. */
static int read_clock(struct doc *d, const struct json *obj, struct task *t)
{
    static const char *const modes[] = {"frozen", "step", "real", NULL}; /* enum sosia_clock_mode */
    int mode;
    if (doc_enum(d, obj, "clock", modes, t->clock, &mode) < 0)
        return -1;
    if (json_get(obj, "step_ms") && (!json_get(obj, "clock") || mode != SOSIA_CLOCK_STEP))
        return doc_fail(d, json_get(obj, "step_ms"), "step_ms",
                        "must be absent unless clock is \"step\", is given");
    t->clock = (enum sosia_clock_mode)mode;
    return doc_int(d, obj, "step_ms", 1, MAX_WAIT * 1000, t->step_ms, &t->step_ms);
}

/* What tasks may have in version 1; those of version 0.1 may have anything besides. */
static const char *const task_members[] = {"id",
                                           "name",
                                           "prompt",
                                           "difficulty",
                                           "tags",
                                           "type",
                                           "fixture",
                                           "seed",
                                           "seed_template",
                                           "actor",
                                           "impersonate_user_id",
                                           "zone",
                                           "clock",
                                           "step_ms",
                                           "metadata",
                                           "actions",
                                           "assertions",
                                           "allow",
                                           "ignore_fields",
                                           "strict",
                                           "closed",
                                           "collateral",
                                           "nothing",
                                           "answer",
                                           "version",
                                           "scenario",
                                           "task",
                                           "description",
                                           NULL};

/* true, false or "calls". */
static int read_closed(struct doc *d, const struct json *obj, bool calls, struct task *t)
{
    const struct json *v = json_get(obj, "closed");
    t->closed = true;
    t->closed_calls = calls;
    if (!v || v->type == JSON_NULL)
        return 0;
    bool word = v->type == JSON_STRING && strcmp(v->str, "calls") == 0;
    if (v->type != JSON_BOOL && !word)
        return doc_expect(d, v, "closed", "true, false or \"calls\"");
    t->closed = word || v->truth;
    t->closed_calls = word;
    return 0;
}

static int read_task(struct doc *d, struct sosia_suite *s, const struct json *suite,
                     const struct json *obj, struct task *t)
{
    static const char *const difficulties[] = {"easy", "medium", "hard", "expert", NULL};
    static const char *const texts[] = {"description", "type", "seed_template",
                                        "impersonate_user_id", NULL};
    int difficulty = -1;
    const struct json *share;
    t->line = doc_line(d, obj);
    t->collateral = 0;
    t->zone = tz_find("UTC");
    t->step_ms = 1000;
    if (obj->type != JSON_OBJECT)
        return doc_expect(d, obj, NULL, "an object");
    if (!s->loose && doc_object(d, obj, task_members) < 0)
        return -1;
    if (doc_str(d, obj, "id", false, &t->id) < 0 || doc_str(d, obj, "name", false, &t->name) < 0 ||
        doc_str(d, obj, "prompt", false, &t->prompt) < 0 ||
        doc_bool(d, obj, "strict", true, &t->strict) < 0 ||
        (suite != obj && read_ignored(d, s, suite, t) < 0) || read_ignored(d, s, obj, t) < 0)
        return -1;
    if (!s->loose) {
        if (check_texts(d, obj, texts) < 0 ||
            doc_enum(d, obj, "difficulty", difficulties, -1, &difficulty) < 0 ||
            doc_str(d, suite, "fixture", false, &t->fixture) < 0 ||
            doc_str(d, suite, "actor", false, &t->actor) < 0 || read_zone(d, suite, t) < 0 ||
            read_zone(d, obj, t) < 0 || read_clock(d, suite, t) < 0 || read_clock(d, obj, t) < 0 ||
            read_closed(d, obj, strcmp(s->version, "1.1") == 0, t) < 0 ||
            doc_bool(d, obj, "nothing", false, &t->nothing) < 0 ||
            doc_str(d, obj, "answer", false, &t->answer) < 0 || read_allowed(d, s, obj, t) < 0)
            return -1;
        const char *own, *actor;
        if (doc_str(d, obj, "fixture", false, &own) < 0 ||
            doc_str(d, obj, "actor", false, &actor) < 0)
            return -1;
        t->fixture = own ? own : t->fixture;
        t->actor = actor ? actor : t->actor;
        t->difficulty = difficulty < 0 ? NULL : difficulties[difficulty];
        t->seed = json_get(obj, "seed") || own ? json_get(obj, "seed") : json_get(suite, "seed");
        if (t->seed && t->seed->type == JSON_NULL)
            t->seed = NULL;
        if (t->seed && t->seed->type != JSON_OBJECT)
            return doc_expect(d, t->seed, "seed", "a seed document, an object");
        if ((share = json_get(obj, "collateral")) &&
            (json_double(share, &t->collateral) < 0 || !(t->collateral >= 0 && t->collateral <= 1)))
            return doc_expect(d, share, "collateral", "a number from 0 to 1");
        if (read_actions(d, obj, t) < 0)
            return -1;
    } else {
        const struct json *seed = json_get(obj, "seed");
        t->actor = json_get_str(obj, "actor");
        if (!t->actor)
            t->actor = json_get_str(obj, "impersonate_user_id");
        t->fixture = json_get_str(obj, "seed_template");
        t->seed = seed ? seed : json_get(suite, "seed");
        if (t->seed && t->seed->type != JSON_OBJECT)
            t->seed = NULL;
    }
    if (!t->id)
        t->id = arena_printf(d->arena, "%zu", (size_t)(t - s->tasks) + 1);
    /* Of some suites the assertions are a whole specification. */
    const struct json *list = json_get(obj, "assertions"),
                      *whole = json_get(obj, "expected_output");
    if (s->loose && whole && whole->type == JSON_OBJECT)
        list = whole;
    if (s->loose && list && list->type == JSON_OBJECT) {
        size_t mark = doc_push(d, list == whole ? "expected_output" : "assertions", -1);
        if (doc_bool(d, list, "strict", t->strict, &t->strict) < 0 ||
            read_ignored(d, s, list, t) < 0)
            return -1;
        list = json_get(list, "assertions");
        int rc = assertions_read(d, list, s, t);
        doc_pop(d, mark);
        return rc;
    }
    return assertions_read(d, list, s, t) < 0 ? -1 : check_allowed(d, obj, t);
}

static int read_version(struct doc *d, const struct json *top, struct sosia_suite *s)
{
    const struct json *version = json_get(top, "version");
    const char *text = version && (version->type == JSON_STRING || version->type == JSON_NUMBER)
                           ? version->str
                       : version ? ""
                                 : "0.1";
    static const char *const known[] = {"0.1", "1", "1.1"};
    for (size_t i = 0; i < SOSIA_LEN(known); i++)
        if (strcmp(text, known[i]) == 0)
            s->version = known[i];
    if (!s->version)
        return doc_expect(d, version, "version", "\"0.1\", \"1\" or \"1.1\"");
    s->loose = s->version == known[0];
    s->tables = s->known && s->loose;
    s->known &= !s->loose;
    return 0;
}

static int by_id(const void *pa, const void *pb)
{
    const struct task *const *a = pa, *const *b = pb;
    int r = strcmp((*a)->id, (*b)->id);
    return r ? r : (*a > *b) - (*a < *b);
}

/* No two tasks have the same id. */
static int check_ids(struct doc *d, const struct json *tests, const struct sosia_suite *s)
{
    const struct task **list = arena_calloc(d->arena, s->n, sizeof *list), *twice = NULL;
    if (arena_failed(d->arena))
        return sosia_fail_memory(d->err);
    for (size_t i = 0; i < s->n; i++)
        list[i] = &s->tasks[i];
    qsort(list, s->n, sizeof *list, by_id);
    for (size_t i = 1; i < s->n; i++)
        if (strcmp(list[i - 1]->id, list[i]->id) == 0 && (!twice || list[i] < twice))
            twice = list[i];
    return twice ? doc_fail(d, &tests->items[twice - s->tasks], NULL,
                            "the id must be of one task alone, \"%.60s\" is of two", twice->id)
                 : 0;
}

static int read_suite(struct doc *d, const struct json *top, struct sosia_suite *s)
{
    static const char *const members[] = {
        "version", "name", "description", "tests",   "ignore_fields", "fixture", "seed",
        "actor",   "zone", "metadata",    "$schema", "clock",         "step_ms", NULL};
    static const char *const texts[] = {"name", "description", "$schema", NULL};
    const struct json *tests;
    if (top->type != JSON_OBJECT)
        return doc_expect(d, top, NULL, "an object");
    if (read_version(d, top, s) < 0)
        return -1;
    tests = json_get(top, "tests");
    if (tests && !s->loose && (doc_object(d, top, members) < 0 || check_texts(d, top, texts) < 0))
        return -1;
    if (tests && (tests->type != JSON_ARRAY || !tests->n || tests->n > MAX_TASKS))
        return tests->type == JSON_ARRAY && tests->n
                   ? doc_fail(d, tests, "tests", "must be a list of 1 to %d tasks, not %u",
                              MAX_TASKS, tests->n)
                   : doc_expect(d, tests, "tests", "a list of tasks");
    if (json_get_str(top, "name"))
        s->name = json_get_str(top, "name");
    s->n = tests ? tests->n : 1;
    s->tasks = arena_calloc(d->arena, s->n, sizeof *s->tasks);
    if (!tests)
        return read_task(d, s, top, top, &s->tasks[0]);
    for (uint32_t i = 0; i < tests->n; i++) {
        size_t mark = doc_push(d, "tests", i);
        if (read_task(d, s, top, &tests->items[i], &s->tasks[i]) < 0)
            return -1;
        if (s->tasks[i].names != s->tasks[0].names)
            return doc_fail(d, &tests->items[i], NULL, "must be about %s as the tasks before",
                            s->tasks[0].names == NAMES_TABLES ? "tables" : "entities");
        doc_pop(d, mark);
    }
    return check_ids(d, tests, s);
}

static int suite_open(const char *doc, size_t len, const char *name, bool rows,
                      struct sosia_suite **ret_suite, struct sosia_err *err)
{
    struct sosia_err local_err;
    const struct json *top;
    struct sql_check sql = {.db = NULL};
    struct doc d;
    XXH128_canonical_t hash;
    err = err ? err : &local_err;
    if ((len && taken_pointer(doc, "doc", err) < 0) ||
        taken_pointer(ret_suite, "ret_suite", err) < 0)
        return -1;
    struct sosia_suite *s = handle_new(HANDLE_SUITE, sizeof *s);
    if (!s)
        return sosia_fail_memory(err);
    if (len > MAX_SUITE) /* it is refused below: no more of it is needed */
        len = MAX_SUITE + 1;
    arena_init(&s->arena, 0);
    s->text = malloc(len + 1);
    if (!s->text) {
        sosia_suite_close(s);
        return sosia_fail_memory(err);
    }
    if (len)
        memcpy(s->text, doc, len);
    s->text[len] = 0;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(doc, len));
    hex_encode(s->hash, hash.digest, sizeof hash.digest);
    s->sql = &sql;
    s->known = !rows;
    s->name = s->file = arena_strdup(&s->arena, name ? name : "suite");
    const char *text = s->text;
    int rc =
        len > MAX_SUITE ? 0 : suite_of_lines(&s->arena, s->text, len, s->name, &text, &len, err);
    if (rc >= 0)
        rc = doc_open(&d, &s->arena, text, len, s->name, MAX_SUITE, &top, err);
    if (rc == 0)
        rc = read_suite(&d, top, s);
    if (rc == 0 && arena_failed(&s->arena))
        rc = sosia_fail_memory(err);
    sql_check_done(&sql);
    s->sql = NULL;
    if (rc < 0) {
        if (err->code == SOSIA_E_INVALID)
            err->reason = "suite";
        sosia_suite_close(s);
        return -1;
    }
    *ret_suite = s;
    return 0;
}

int sosia_suite_open(const char *doc, size_t len, const char *name, struct sosia_suite **ret_suite,
                     struct sosia_err *err)
{
    return suite_open(doc, len, name, false, ret_suite, err);
}

int sosia_suite_open_rows(const char *doc, size_t len, const char *name,
                          struct sosia_suite **ret_suite, struct sosia_err *err)
{
    return suite_open(doc, len, name, true, ret_suite, err);
}

int sosia_suite_close(struct sosia_suite *s)
{
    if (!s)
        return 0;
    if (handle_end(HANDLE_SUITE, s) < 0)
        return -1;
    for (size_t i = 0; i < s->n && s->tasks && !arena_failed(&s->arena); i++) {
        for (size_t k = 0; s->tasks[i].assertions && k < s->tasks[i].n_assertions; k++)
            assertion_free(&s->tasks[i].assertions[k]);
        for (const struct allowed *a = s->tasks[i].allow; a; a = a->next) {
            conditions_free(a->where);
            conditions_free(a->calls);
        }
    }
    arena_done(&s->arena);
    free(s->text);
    handle_free(HANDLE_SUITE, s);
    return 0;
}

const struct task *suite_task(const struct sosia_suite *s, const char *id)
{
    for (size_t i = 0; id && i < s->n; i++)
        if (strcmp(s->tasks[i].id, id) == 0)
            return &s->tasks[i];
    return !id && s->n == 1 ? &s->tasks[0] : NULL;
}

/* Variables are tried in each way that they can be bound. */
static bool asks_changes_alone(const struct assertion *a)
{
    if (a->kind == ASSERT_STATE || a->kind == ASSERT_CALLS || a->kind == ASSERT_ORDER ||
        a->kind == ASSERT_SQL || a->kind == ASSERT_PROGRAM || a->bind ||
        conditions_are_slow(a->where) || predicate_is_slow(a->is))
        return false;
    for (const struct expected_change *c = a->changes; c; c = c->next)
        if (predicate_is_slow(c->from) || predicate_is_slow(c->to))
            return false;
    for (size_t i = 0; i < a->n_inner; i++)
        if (!asks_changes_alone(&a->inner[i]))
            return false;
    return true;
}

static bool runs_program(const struct assertion *a)
{
    bool any = a->kind == ASSERT_PROGRAM;
    for (size_t i = 0; i < a->n_inner && !any; i++)
        any = runs_program(&a->inner[i]);
    return any;
}

bool suite_runs_programs(const struct sosia_suite *s)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->tasks[i].n_assertions; k++)
            if (runs_program(&s->tasks[i].assertions[k]))
                return true;
    return false;
}

bool suite_asks_changes_alone(const struct sosia_suite *s, const char *task)
{
    const struct task *t = suite_task(s, task);
    if (!t)
        return true; /* which is soon said */
    if (t->closed_calls)
        return false;
    for (const struct allowed *a = t->allow; a; a = a->next)
        if (conditions_are_slow(a->where))
            return false;
    for (size_t i = 0; i < t->n_assertions; i++)
        if (!asks_changes_alone(&t->assertions[i]))
            return false;
    return true;
}

static void write_action(struct json_writer *w, const struct action *a)
{
    json_obj(w, NULL);
    if (a->wait_s) {
        json_int(w, "wait", a->wait_s);
        json_end(w);
        return;
    }
    json_str(w, "as", a->who);
    json_str(w, "method", a->method);
    json_str(w, "target", a->target);
    if (a->body)
        json_value(w, "body", a->body);
    if (a->mail)
        json_value(w, "mail", a->mail);
    if (a->save)
        json_value(w, "save", a->save);
    if (a->status)
        json_int(w, "status", a->status);
    json_end(w);
}

/* What is to be judged by others; gives how many of them were written. */
static size_t write_judges(struct json_writer *w, const struct assertion *a, size_t n, size_t done)
{
    for (size_t i = 0; i < n; i++) {
        done = write_judges(w, a[i].inner, a[i].n_inner, done);
        if (a[i].kind != ASSERT_JUDGE)
            continue;
        if (!done++)
            json_arr(w, "judges");
        json_obj(w, NULL);
        json_str(w, "name", a[i].judge);
        json_str_opt(w, "question", a[i].question);
        json_end(w);
    }
    return done;
}

static void write_task(struct json_writer *w, const struct task *t, bool reference)
{
    json_obj(w, NULL);
    json_str(w, "id", t->id);
    json_str_opt(w, "name", t->name);
    json_str_opt(w, "difficulty", t->difficulty);
    json_str_opt(w, "prompt", t->prompt);
    json_str_opt(w, "actor", t->actor);
    json_str_opt(w, "fixture", t->fixture);
    if (t->seed)
        json_value(w, "seed", t->seed);
    if (t->clock != SOSIA_CLOCK_FROZEN)
        json_str(w, "clock", t->clock == SOSIA_CLOCK_STEP ? "step" : "real");
    if (t->clock == SOSIA_CLOCK_STEP)
        json_int(w, "step_ms", t->step_ms);
    json_int(w, "assertions", (int64_t)t->n_assertions);
    json_int(w, "actions", (int64_t)t->n_actions);
    json_bool_opt(w, "nothing", t->nothing);
    if (write_judges(w, t->assertions, t->n_assertions, 0))
        json_end(w);
    if (reference) {
        json_str_opt(w, "answer", t->answer);
        json_arr(w, "reference");
        for (size_t i = 0; i < t->n_actions; i++)
            write_action(w, &t->actions[i]);
        json_end(w);
    }
    json_end(w);
}

int suite_list(const struct sosia_suite *suite, bool reference, struct sosia_blob *ret_json,
               struct sosia_err *err)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "suite", suite->name);
    json_str(&w, "version", suite->version);
    json_str(&w, "hash", suite->hash);
    json_bool_opt(&w, "tables", suite->n && suite->tasks[0].names == NAMES_TABLES);
    json_arr(&w, "tasks");
    for (size_t i = 0; i < suite->n; i++)
        write_task(&w, &suite->tasks[i], reference);
    json_end(&w);
    json_end(&w);
    int rc = buf_give(&b, ret_json, err);
    buf_done(&b);
    return rc;
}

int sosia_suite_list(const struct sosia_suite *suite, struct sosia_blob *ret_json,
                     struct sosia_err *err)
{
    struct sosia_err local_err;
    if (handle_check(HANDLE_SUITE, suite, err) < 0)
        return -1;
    return suite_list(suite, false, ret_json, err ? err : &local_err);
}
