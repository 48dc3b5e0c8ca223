/* SPDX-License-Identifier: Apache-2.0 */
/* Workflows, read from JSON or YAML with the documents that they name. */
#include "engine/base/codec.h"
#include "guard/budget.h"
#include "guard/faults/faults.h"
#include "guard/workflow/workflow.h"
#include <gnutls/crypto.h>
#include <stdlib.h>

const char *const workflow_kinds[] = {
    "happyPath", "ambiguousInput", "permissionBoundary", "injection", "faults", "handback", NULL};
const char *const workflow_members[] = {"$schema",   "workflow", "name",  "version", "description",
                                        "policy",    "budget",   "suite", "kinds",   "approvers",
                                        "decisions", "handback", NULL};
const char *const workflow_kind_members[] = {"happyPath", "ambiguousInput", "permissionBoundary",
                                             "injection", "faults",         NULL};
const char *const workflow_injection_members[] = {"tasks", "attacks", "places", NULL};
const char *const workflow_fault_members[] = {"tasks", "use", NULL};
const char *const workflow_decision_members[] = {"rule",      "method",  "where", "decide",
                                                 "arguments", "comment", NULL};
const char *const workflow_handback_members[] = {"to", "task", NULL};

struct reader {
    struct sosia_engine *engine;
    struct doc *d;
    struct workflow *w;
    workflow_file_fn *file;
    void *arg;
};

static void hash_of(const char *text, size_t len, char ret[65])
{
    uint8_t sum[32];
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, text, len, sum) < 0)
        memset(sum, 0, sizeof sum);
    hex_encode(ret, sum, sizeof sum);
}

/* ---- what it names ---- */

static int read_part(struct reader *r, const char *path, struct workflow_part *ret)
{
    struct arena *a = &r->w->arena;
    if (r->file(r->arg, a, path, &ret->text, &ret->len, r->d->err) < 0)
        return -1;
    ret->name = path;
    hash_of(ret->text, ret->len, ret->hash);
    return arena_failed(a) ? sosia_fail_memory(r->d->err) : 0;
}

static int read_named(struct reader *r, const struct json *top, const char *member, bool required,
                      struct workflow_part *ret)
{
    const char *path;
    if (doc_str(r->d, top, member, required, &path) < 0)
        return -1;
    if (!path)
        return 0;
    if (!*path)
        return doc_fail(r->d, json_get(top, member), member,
                        "must be the path of a file, not \"\"");
    return read_part(r, path, ret);
}

static int read_policy(struct reader *r, const struct json *top)
{
    struct workflow_part *p = &r->w->policy_part;
    return read_named(r, top, "policy", true, p) < 0
               ? -1
               : policy_read(p->text, p->len, p->name, &r->w->policy, r->d->err);
}

static int read_budget(struct reader *r, const struct json *top)
{
    struct workflow_part *p = &r->w->budget;
    struct budgets *b;
    if (read_named(r, top, "budget", false, p) < 0)
        return -1;
    if (!p->name)
        return 0;
    if (budgets_read(r->engine, p->text, p->len, p->name, &b, r->d->err) < 0)
        return -1;
    budgets_unref(b);
    return 0;
}

static int read_suite(struct reader *r, const struct json *top)
{
    struct workflow_part *p = &r->w->suite_part;
    if (read_named(r, top, "suite", true, p) < 0 ||
        sosia_suite_open(p->text, p->len, p->name, &r->w->suite, r->d->err) < 0)
        return -1;
    return r->w->suite->loose
               ? doc_fail(r->d, json_get(top, "suite"), "suite",
                          "must be a suite of version 1 or 1.1, not of 0.1: a run is in a world")
               : 0;
}

/* ---- tasks by kinds ---- */

static int add_case(struct reader *r, enum workflow_kind kind, const struct task *task,
                    const struct task *attack)
{
    struct workflow *w = r->w;
    for (size_t i = 0; i < w->n; i++)
        if (w->cases[i].kind == kind && w->cases[i].task == task && w->cases[i].attack == attack)
            return 0;
    if (w->n == WORKFLOW_RUNS_MAX)
        return sosia_fail(r->d->err, SOSIA_E_INVALID, "workflow", NULL,
                          "%s: must have at most %d runs, has more", w->file, WORKFLOW_RUNS_MAX);
    if (!task->actor || (!task->seed && !task->fixture))
        return sosia_fail(r->d->err, SOSIA_E_INVALID, "workflow", NULL,
                          "%s: the task \"%.80s\" must have an actor and a seed or a fixture",
                          w->suite_part.name, task->id);
    struct workflow_case *list = arena_grow(&w->arena, w->cases, w->n, &w->cap, sizeof *w->cases);
    if (!list)
        return sosia_fail_memory(r->d->err);
    w->cases = list;
    list[w->n++] = (struct workflow_case){
        .kind = kind,
        .task = task,
        .attack = attack,
        .name = arena_printf(&w->arena, "%s/%s%s%s", workflow_kinds[kind], task->id,
                             attack ? "+" : "", attack ? attack->id : "")};
    return 0;
}

/* The tasks that a list of names stands for, in the suite's order. */
struct chosen {
    const struct task **list;
    size_t n;
};

static int choose(struct reader *r, const struct json *obj, const char *member, bool required,
                  struct chosen *ret)
{
    const struct sosia_suite *s = r->w->suite;
    const char **names;
    size_t n;
    *ret = (struct chosen){.list = arena_calloc(&r->w->arena, s->n + 1, sizeof *ret->list)};
    bool *taken = arena_calloc(&r->w->arena, s->n + 1, sizeof *taken);
    if (arena_failed(&r->w->arena))
        return sosia_fail_memory(r->d->err);
    if (doc_strings(r->d, obj, member, &names, &n) < 0)
        return -1;
    if (n > WORKFLOW_LIST_MAX || (required && !n))
        return doc_fail(r->d, json_get(obj, member) ? json_get(obj, member) : obj, member,
                        "must be a list of 1 to %d names of tasks, not of %zu", WORKFLOW_LIST_MAX,
                        n);
    for (size_t i = 0; i < n; i++) {
        bool any = false;
        for (size_t k = 0; k < s->n; k++)
            if (policy_name_matches(names[i], s->tasks[k].id))
                any = taken[k] = true;
        if (!any)
            return doc_fail(r->d, &json_get(obj, member)->items[i], member,
                            "must name tasks of %.80s, \"%.80s\" is none", r->w->suite_part.name,
                            names[i]);
    }
    for (size_t k = 0; k < s->n; k++)
        if (taken[k])
            ret->list[ret->n++] = &s->tasks[k];
    return 0;
}

static int read_injection(struct reader *r, const struct json *kinds)
{
    const struct json *v = json_get(kinds, "injection");
    struct chosen tasks, attacks;
    if (!v)
        return 0;
    size_t mark = doc_push(r->d, "injection", -1);
    if (doc_object(r->d, v, workflow_injection_members) < 0 ||
        choose(r, v, "tasks", true, &tasks) < 0 || choose(r, v, "attacks", true, &attacks) < 0 ||
        doc_strings(r->d, v, "places", &r->w->places, &r->w->n_places) < 0)
        return -1;
    for (size_t i = 0; i < tasks.n; i++)
        for (size_t k = 0; k < attacks.n; k++)
            if (add_case(r, WORKFLOW_INJECTION, tasks.list[i], attacks.list[k]) < 0)
                return -1;
    doc_pop(r->d, mark);
    return 0;
}

static int read_faults(struct reader *r, const struct json *kinds)
{
    const struct json *v = json_get(kinds, "faults");
    struct workflow_part *p = &r->w->faults;
    struct fault_rules *rules;
    struct chosen tasks;
    const char *use;
    if (!v)
        return 0;
    size_t mark = doc_push(r->d, "faults", -1);
    if (doc_object(r->d, v, workflow_fault_members) < 0 ||
        choose(r, v, "tasks", true, &tasks) < 0 || doc_str(r->d, v, "use", true, &use) < 0)
        return -1;
    if (!*use || strpbrk(use, "./")) {
        if (read_part(r, use, p) < 0)
            return -1;
    } else {
        for (const char *set = use; *set; set += *set == ',') {
            size_t n = strcspn(set, ",");
            if (!fault_set(set, n))
                return doc_fail(r->d, json_get(v, "use"), "use",
                                "must be sets of faults, with commas between, or the path of a "
                                "file (./faults.yaml), not \"%.80s\"",
                                use);
            set += n;
        }
        *p = (struct workflow_part){.name = use, .text = use, .len = strlen(use)};
        hash_of(use, p->len, p->hash);
    }
    struct sosia_err *err = r->d->err;
    if (fault_rules_read(r->engine, p->text, p->len, p->name, &rules, err) < 0)
        return -1;
    fault_rules_unref(rules);
    for (size_t i = 0; i < tasks.n; i++)
        if (add_case(r, WORKFLOW_FAULTS, tasks.list[i], NULL) < 0)
            return -1;
    doc_pop(r->d, mark);
    return 0;
}

static int read_kinds(struct reader *r, const struct json *top)
{
    const struct json *v = json_get(top, "kinds");
    struct chosen tasks;
    if (!v)
        return doc_fail(r->d, top, "kinds", "must be an object of tasks by kind, is missing");
    size_t mark = doc_push(r->d, "kinds", -1);
    if (doc_object(r->d, v, workflow_kind_members) < 0)
        return -1;
    for (int kind = WORKFLOW_HAPPY; kind <= WORKFLOW_BOUNDARY; kind++) {
        if (choose(r, v, workflow_kinds[kind], false, &tasks) < 0)
            return -1;
        for (size_t i = 0; i < tasks.n; i++)
            if (add_case(r, (enum workflow_kind)kind, tasks.list[i], NULL) < 0)
                return -1;
    }
    if (read_injection(r, v) < 0 || read_faults(r, v) < 0)
        return -1;
    doc_pop(r->d, mark);
    return 0;
}

/* ---- people ---- */

static int no_variable(void *arg, struct doc *d, const struct json *at, const char *name)
{
    (void)arg;
    return doc_fail(d, at, NULL, "must be a text without variables, \"%.80s\" is one", name);
}

static int read_decision(struct reader *r, const struct json *v, struct workflow_decision *ret)
{
    static const char *const words[] = {"approve", "reject", "edit", NULL};
    const struct json *arguments = json_get(v, "arguments");
    struct doc *d = r->d;
    if (doc_object(d, v, workflow_decision_members) < 0 ||
        doc_str(d, v, "rule", false, &ret->rule) < 0 ||
        doc_str(d, v, "method", false, &ret->method) < 0 ||
        doc_str(d, v, "comment", false, &ret->comment) < 0 ||
        doc_enum(d, v, "decide", words, -1, &ret->decide) < 0)
        return -1;
    if (ret->decide < 0)
        return doc_fail(d, v, "decide", "must be approve, reject or edit, is missing");
    size_t mark = doc_push(d, "where", -1);
    if (conditions_read(d, json_get(v, "where"), false, no_variable, NULL, &ret->where) < 0)
        return -1;
    doc_pop(d, mark);
    if (!arguments != (ret->decide != WORKFLOW_EDIT) ||
        (arguments && (arguments->type != JSON_OBJECT || !arguments->n)))
        return doc_fail(d, arguments ? arguments : v, "arguments",
                        "must be an object of values by path with edit, and absent otherwise");
    ret->edits = arguments ? json_to_text(d->arena, arguments) : NULL;
    return 0;
}

static int read_people(struct reader *r, const struct json *top)
{
    struct workflow *w = r->w;
    const struct json *list;
    struct doc *d = r->d;
    if (doc_strings(d, top, "approvers", &w->approvers, &w->n_approvers) < 0 ||
        doc_list(d, top, "decisions", &list) < 0)
        return -1;
    if (w->n_approvers > WORKFLOW_LIST_MAX || (list && list->n > WORKFLOW_LIST_MAX))
        return doc_fail(d, top, NULL, "must have at most %d approvers and decisions",
                        WORKFLOW_LIST_MAX);
    if (list && list->n && !w->n_approvers)
        return doc_fail(d, list, "decisions", "must have approvers that make them, there are none");
    w->decisions = arena_calloc(&w->arena, list ? list->n + 1 : 1, sizeof *w->decisions);
    if (arena_failed(&w->arena))
        return sosia_fail_memory(d->err);
    for (uint32_t i = 0; list && i < list->n; i++) {
        size_t mark = doc_push(d, "decisions", i);
        if (read_decision(r, &list->items[i], &w->decisions[w->n_decisions++]) < 0)
            return -1;
        doc_pop(d, mark);
    }
    return 0;
}

/* The human, and the tasks that show that the workflow gets there. */
static int read_handback(struct reader *r, const struct json *top)
{
    const struct json *v = json_get(top, "handback");
    struct chosen tasks;
    if (!v)
        return 0;
    size_t mark = doc_push(r->d, "handback", -1);
    if (doc_object(r->d, v, workflow_handback_members) < 0 ||
        doc_str(r->d, v, "to", true, &r->w->handback) < 0 || choose(r, v, "task", true, &tasks) < 0)
        return -1;
    if (!strchr(r->w->handback, '@'))
        return doc_fail(r->d, json_get(v, "to"), "to", "must be an address, not \"%.80s\"",
                        r->w->handback);
    for (size_t i = 0; i < tasks.n; i++) {
        if (strcmp(tasks.list[i]->actor ? tasks.list[i]->actor : "", r->w->handback) == 0)
            return doc_fail(r->d, json_get(v, "to"), "to",
                            "must be another person than the actor of \"%.80s\"",
                            tasks.list[i]->id);
        if (add_case(r, WORKFLOW_HANDBACK, tasks.list[i], NULL) < 0)
            return -1;
    }
    doc_pop(r->d, mark);
    return 0;
}

static int read_document(struct reader *r, const struct json *top, const char *name)
{
    struct workflow *w = r->w;
    struct doc *d = r->d;
    const char *text;
    int64_t language;
    if (top->type != JSON_OBJECT)
        return doc_expect(d, top, NULL, "an object");
    if (doc_object(d, top, workflow_members) < 0)
        return -1;
    if (!json_get(top, "workflow"))
        return doc_fail(d, top, "workflow", "must be 1, the version of the language, is missing");
    if (doc_int(d, top, "workflow", 1, 1, 1, &language) < 0 ||
        doc_str(d, top, "name", false, &w->name) < 0 ||
        doc_str(d, top, "version", false, &w->version) < 0 ||
        doc_str(d, top, "description", false, &text) < 0)
        return -1;
    if (!w->name)
        w->name = arena_strdup(&w->arena, name);
    if (!w->version)
        w->version = "";
    if (!*w->name || strlen(w->name) > POLICY_NAME_MAX)
        return doc_fail(d, json_get(top, "name"), "name", "must have 1 to %d bytes, not %zu",
                        POLICY_NAME_MAX, strlen(w->name));
    return read_policy(r, top) < 0 || read_budget(r, top) < 0 || read_suite(r, top) < 0 ||
                   read_kinds(r, top) < 0 || read_people(r, top) < 0 || read_handback(r, top) < 0
               ? -1
               : 0;
}

int workflow_read(struct sosia_engine *e, const char *text, size_t len, const char *name,
                  workflow_file_fn *file, void *arg, struct workflow **ret, struct sosia_err *err)
{
    struct workflow *w = calloc(1, sizeof *w);
    const struct json *top;
    struct doc d;
    struct reader r = {.engine = e, .d = &d, .w = w, .file = file, .arg = arg};
    if (!w)
        return sosia_fail_memory(err);
    arena_init(&w->arena, 0);
    w->file = arena_strdup(&w->arena, name);
    const char *copy = arena_memdup(&w->arena, text, len);
    hash_of(text, len, w->hash);
    int rc = arena_failed(&w->arena)
                 ? sosia_fail_memory(err)
                 : doc_open(&d, &w->arena, copy, len, name, WORKFLOW_DOC_MAX, &top, err);
    if (rc == 0)
        rc = read_document(&r, top, name);
    if (rc == 0 && arena_failed(&w->arena))
        rc = sosia_fail_memory(err);
    if (rc < 0) {
        workflow_free(w);
        return -1;
    }
    *ret = w;
    return 0;
}

void workflow_free(struct workflow *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->n_decisions && !arena_failed(&w->arena); i++)
        conditions_free(w->decisions[i].where);
    policy_unref(w->policy);
    sosia_suite_close(w->suite);
    arena_done(&w->arena);
    free(w);
}
