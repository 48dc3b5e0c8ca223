/* SPDX-License-Identifier: Apache-2.0 */
#include "grading/lint.h"
#include "grading/acts.h"
#include <stdio.h>
#include <stdlib.h>

#define MAX_MUTANTS 200 /* of a task */

enum mutation {
    MUTANT_NONE,
    MUTANT_EMPTY,
    MUTANT_DROP,
    MUTANT_TWICE,
    MUTANT_VALUE,
    MUTANT_QUERY,
    MUTANT_TARGET,
    MUTANT_BESIDES, /* from here on not of an action of the reference */
    MUTANT_UNDONE,
    MUTANT_ANSWER
};
static const char *const mutation_words[] = {"reference", "empty", "drop",     "twice",
                                             "change",    "query", "retarget", "besides",
                                             "undone",    "answer"};

struct run {
    enum mutation how;
    size_t action; /* which one */
    int leaf;      /* of its body or mail, or path: which value; of what is undone and of answers:
                      which one; -1: there is no such */
    const char *changed;
};

struct lint {
    struct sosia_engine *e;
    const struct sosia_suite *s;
    const struct lint_options *opt;
    struct arena arena; /* of a task */
    struct sosia_err *err;
    struct json_writer *w;
    const struct task *t;
    uint64_t base;
    const char **people; /* addresses in the world */
    size_t n_people;
    const char *reference; /* the diff that the reference actions leave */
    bool *varied;          /* by assertion: it has failed at least once */
    bool retargets;        /* values that are changed are ids, and become those of other things */
    size_t mutants, killed;
    bool good;
};

/* ---- other things ---- */

/* Something of the same kind: the id of what is beside this one in a list of the seed document. */
static const char *sibling(const struct json *v, const char *id)
{
    static const char *const names[] = {"id", "ts"};
    const char *found = NULL;
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++) {
        for (size_t k = 0; k < SOSIA_LEN(names); k++) {
            const char *own = json_get_str(&v->items[i], names[k]);
            for (uint32_t m = 1; own && strcmp(own, id) == 0 && m < v->n; m++)
                if ((found = json_get_str(&v->items[(i + m) % v->n], names[k])))
                    return found;
        }
        if ((found = sibling(&v->items[i], id)))
            return found;
    }
    for (uint32_t i = 0; v->type == JSON_OBJECT && !found && i < v->n; i++)
        found = sibling(&v->members[i].value, id);
    return found;
}

/* An action whose path leads to something else, at the step that is counted down to 0. */
static const struct action *retarget(struct lint *l, const struct action *a, int *left,
                                     struct action *ret, const char **ret_changed)
{
    for (const char *p = a->target; *p == '/'; p += strcspn(p, "/?")) {
        p++;
        size_t n = strcspn(p, "/?");
        const char *id = arena_memdup(&l->arena, p, n), *other = sibling(l->t->seed, id);
        if (!other || (*left)-- > 0)
            continue;
        *ret = *a;
        ret->target =
            arena_printf(&l->arena, "%.*s%s%s", (int)(p - a->target), a->target, other, p + n);
        *ret_changed = id;
        return ret;
    }
    return a;
}

/* ---- bodies ---- */

/* A copy of a value in which the leaf that is counted down to 0 is another one. It is as deep as
 * what can be read. */
static void change_leaf(struct lint *l, const struct json *v, struct json *ret, int *left,
                        const char **ret_changed, const char *name)
{
    struct arena *a = &l->arena;
    *ret = *v;
    if (v->type == JSON_OBJECT) {
        struct json_member *m = arena_calloc(a, v->n + 1, sizeof *m);
        for (uint32_t i = 0; i < v->n; i++) {
            m[i] = v->members[i];
            change_leaf(l, &v->members[i].value, &m[i].value, left, ret_changed, m[i].key);
        }
        ret->members = m;
    } else if (v->type == JSON_ARRAY) {
        struct json *items = arena_calloc(a, v->n + 1, sizeof *items);
        for (uint32_t i = 0; i < v->n; i++)
            change_leaf(l, &v->items[i], &items[i], left, ret_changed, name);
        ret->items = items;
    } else if (l->retargets) {
        const char *other = v->type == JSON_STRING ? sibling(l->t->seed, v->str) : NULL;
        if (!other || (*left)-- != 0)
            return;
        *ret_changed = name;
        ret->str = other;
        ret->n = (uint32_t)strlen(other);
    } else if ((*left)-- == 0) {
        const char *text = v->type == JSON_STRING ? v->str : "";
        int year;
        *ret_changed = name;
        if (v->type == JSON_BOOL) {
            ret->truth = !v->truth;
            return;
        }
        if (v->type == JSON_STRING && strchr(text, '@') && l->n_people) {
            size_t i = 0;
            while (i + 1 < l->n_people && strcmp(l->people[i], text) == 0)
                i++;
            text = l->people[i];
        } else if (v->type == JSON_STRING && sscanf(text, "%4d-", &year) == 1 &&
                   strlen(text) >= 10) {
            char *later = arena_strdup(a, text); /* another day */
            later[9] = later[9] == '9' ? '8' : (char)(later[9] + 1);
            text = later;
        } else if (v->type == JSON_STRING) {
            text = strcmp(text, "Something else") == 0 ? "Something different" : "Something else";
        } else {
            text = v->type == JSON_NUMBER ? "7" : "null";
        }
        ret->str = text;
        ret->n = (uint32_t)strlen(text);
    }
}

/* ---- calls ---- */

/* Makes a call. strict: another status than the expected one is a failure. */
static int act(struct lint *l, uint64_t world, struct acts *x, const struct action *a,
               const struct json *body, const struct json *mail, bool strict)
{
    struct sosia_response *response;
    int r = acts_call(x, world, a, body, mail, &response);
    if (r <= 0)
        return r < 0    ? -1
               : strict ? sosia_fail(l->err, SOSIA_E_INVALID, "suite", NULL,
                                     "%s:%d: names a value that no action before it has saved",
                                     l->s->file, a->line)
                        : 0;
    bool good = acts_good(a, response);
    int rc = 0;
    if (strict && !good)
        rc = sosia_fail(l->err, SOSIA_E_INVALID, "suite", NULL,
                        "%s:%d: %s %.60s: must be answered with %s, not with %d %.*s", l->s->file,
                        a->line, a->method, a->target,
                        a->status ? "the status that it says" : "success", response->status,
                        (int)(response->body_len < 100 ? response->body_len : 100),
                        response->body ? response->body : "");
    else if (good)
        acts_save(x, a, response);
    sosia_response_free(response);
    return rc;
}

static bool writes(const struct action *a)
{
    return !a->wait_s && strcmp(a->method, "GET") != 0;
}

/* Does the actions in a fork of the task's world; *run's leaf becomes -1 when there is no such. */
static int perform(struct lint *l, uint64_t world, struct run *run)
{
    struct acts x;
    acts_init(&x, l->e, &l->arena, l->err);
    for (size_t i = 0; run->how != MUTANT_EMPTY && i < l->t->n_actions; i++) {
        const struct action *a = &l->t->actions[i];
        const struct json *body = a->body, *mail = a->mail;
        bool here = i == run->action && run->how < MUTANT_BESIDES;
        struct json other, letter;
        struct action bare;
        if (here && run->how == MUTANT_DROP)
            continue;
        if (a->wait_s) {
            if (sosia_clock_advance(l->e, world, a->wait_s * 1000000, l->err) < 0)
                return -1;
            continue;
        }
        if (here && run->how == MUTANT_QUERY) {
            bare = *a;
            bare.target = arena_printf(&l->arena, "%.*s", (int)strcspn(a->target, "?"), a->target);
            a = &bare;
        }
        if (here && (run->how == MUTANT_VALUE || run->how == MUTANT_TARGET)) {
            int left = run->leaf;
            l->retargets = run->how == MUTANT_TARGET;
            if (l->retargets)
                a = retarget(l, a, &left, &bare, &run->changed);
            if (body) {
                change_leaf(l, body, &other, &left, &run->changed, "");
                body = &other;
            }
            if (mail) {
                change_leaf(l, mail, &letter, &left, &run->changed, "");
                mail = &letter;
            }
            if (left >= 0) {
                run->leaf = -1;
                return 0;
            }
        }
        bool strict = run->how == MUTANT_NONE || run->how >= MUTANT_BESIDES;
        for (int k = 0; k < (here && run->how == MUTANT_TWICE ? 2 : 1); k++)
            if (act(l, world, &x, a, body, mail, strict) < 0)
                return -1;
    }
    return 0;
}

/* Something that no task asks for: somebody new. */
static int do_besides(struct lint *l, uint64_t world)
{
    static const char doc[] =
        "{\"sosia\":1,\"people\":[{\"handle\":\"lint-stranger\",\"kind\":\"bot\","
        "\"name\":\"Stranger\"}]}";
    return sosia_world_seed(l->e, world, doc, sizeof doc - 1, "lint", l->err);
}

/* What leaves nothing behind: made, and taken away again. */
static const struct {
    const char *made, *body, *undone;
} undone[] = {
    {"/calendar/v3/calendars/primary/events",
     "{\"summary\":\"Lint\",\"start\":{\"date\":\"2031-01-06\"},\"end\":{\"date\":\"2031-01-07\"}}",
     "/calendar/v3/calendars/primary/events/${made}"},
    {"/drive/v3/files", "{\"name\":\"Lint\"}", "/drive/v3/files/${made}"},
    {"/v1.0/me/events",
     "{\"subject\":\"Lint\",\"start\":{\"dateTime\":\"2031-01-06T09:00:00\",\"timeZone\":\"UTC\"},"
     "\"end\":{\"dateTime\":\"2031-01-06T10:00:00\",\"timeZone\":\"UTC\"}}",
     "/v1.0/me/events/${made}"},
};

/* One of them, by the task's actor; the run's leaf becomes -1 where nothing can be made so. */
static int do_undone(struct lint *l, uint64_t world, struct run *run)
{
    static const char id[] = "{\"made\":\"id\"}";
    struct acts x;
    const struct json *body, *names;
    struct action make = {.who = l->t->actor, .method = "POST", .target = undone[run->leaf].made},
                  undo = {
                      .who = l->t->actor, .method = "DELETE", .target = undone[run->leaf].undone};
    if (json_parse(&l->arena, undone[run->leaf].body, strlen(undone[run->leaf].body), NULL, &body,
                   l->err) < 0 ||
        json_parse(&l->arena, id, sizeof id - 1, NULL, &names, l->err) < 0)
        return -1;
    acts_init(&x, l->e, &l->arena, l->err);
    make.body = body;
    make.save = names;
    run->changed = make.target;
    if (act(l, world, &x, &make, body, NULL, false) < 0)
        return -1;
    if (!x.c.variables.n) {
        run->leaf = -1;
        return 0;
    }
    return act(l, world, &x, &undo, NULL, NULL, true);
}

/* ---- what is said ---- */

/* Nothing, or something else than the reference says. */
static const char *const other_answers[] = {NULL, "Something else."};

/* ---- one run ---- */

struct outcome {
    double reward;
    bool passed;
    const char *diff;
    const struct json *result;
};

static int play(struct lint *l, struct run *run, struct outcome *ret)
{
    struct sosia_blob blob = {0}, diff = {0};
    uint64_t world;
    const char *answer = run->how == MUTANT_ANSWER ? other_answers[run->leaf] : l->t->answer;
    struct sosia_grade_options said = {.answer = answer,
                                       .judgements = task_judgements(&l->arena, l->t)};
    if (run->how == MUTANT_EMPTY)
        said = (struct sosia_grade_options){0};
    said.answer_len = said.answer ? strlen(said.answer) : 0;
    said.judgements_len = said.judgements ? strlen(said.judgements) : 0;
    if (sosia_world_fork(l->e, l->base, NULL, &world, l->err) < 0)
        return -1;
    int rc = perform(l, world, run);
    if (rc == 0 && run->how == MUTANT_BESIDES)
        rc = do_besides(l, world);
    if (rc == 0 && run->how == MUTANT_UNDONE)
        rc = do_undone(l, world, run);
    if (rc == 0 && run->leaf >= 0)
        rc = sosia_grade_with(l->e, l->s, l->t->id, 0, world, &said, &blob, &diff, l->err);
    if (rc == 0 && run->leaf >= 0)
        rc = json_parse(&l->arena, blob.data, blob.len, NULL, &ret->result, l->err);
    if (rc == 0 && run->leaf >= 0) {
        const struct json *passed = json_get(ret->result, "passed"),
                          *parts = json_get(ret->result, "parts");
        ret->passed = passed && passed->truth;
        json_double(json_get(ret->result, "reward"), &ret->reward);
        ret->diff = arena_memdup(&l->arena, diff.data, diff.len);
        for (uint32_t i = 0; parts && i < parts->n; i++)
            l->varied[i] |= !json_get(&parts->items[i], "passed")->truth;
    }
    sosia_blob_free(&blob);
    sosia_blob_free(&diff);
    sosia_world_drop(l->e, world, NULL);
    return rc;
}

/* A mutant that leaves the same behind as the reference actions is none. */
static int try_mutant(struct lint *l, struct run *run)
{
    struct outcome o = {0};
    if (play(l, run, &o) < 0)
        return -1;
    if (run->leaf < 0 || (run->how <= MUTANT_BESIDES && strcmp(o.diff, l->reference) == 0))
        return 0;
    l->mutants++;
    l->killed += !o.passed;
    if (!o.passed)
        return 0;
    json_obj(l->w, NULL);
    json_str(l->w, "mutation", mutation_words[run->how]);
    if (run->how < MUTANT_BESIDES) {
        json_int(l->w, "action", (int64_t)run->action);
        json_int(l->w, "line", l->t->actions[run->action].line);
    }
    json_str_opt(l->w, "value", run->changed);
    json_end(l->w);
    return 0;
}

/* Each value of an action changed, or each id made that of something else. */
static int change_values(struct lint *l, size_t action, enum mutation how)
{
    for (int leaf = 0; leaf < 24; leaf++) {
        struct run value = {.how = how, .action = action, .leaf = leaf};
        if (try_mutant(l, &value) < 0)
            return -1;
        if (value.leaf < 0)
            break;
    }
    return 0;
}

static int mutate(struct lint *l)
{
    size_t before = l->mutants;
    struct run besides = {.how = MUTANT_BESIDES};
    for (size_t i = 0; i < l->t->n_actions && l->mutants - before < MAX_MUTANTS; i++) {
        if (!writes(&l->t->actions[i]))
            continue;
        struct run drop = {.how = MUTANT_DROP, .action = i},
                   twice = {.how = MUTANT_TWICE, .action = i};
        struct run query = {.how = MUTANT_QUERY, .action = i};
        if (try_mutant(l, &drop) < 0 || try_mutant(l, &twice) < 0 ||
            (strchr(l->t->actions[i].target, '?') && try_mutant(l, &query) < 0))
            return -1;
        if (((l->t->actions[i].body || l->t->actions[i].mail) &&
             change_values(l, i, MUTANT_VALUE) < 0) ||
            (l->t->seed && change_values(l, i, MUTANT_TARGET) < 0))
            return -1;
    }
    for (int i = 0; l->t->closed_calls && l->t->actor && i < (int)SOSIA_LEN(undone); i++) {
        struct run one = {.how = MUTANT_UNDONE, .leaf = i};
        if (try_mutant(l, &one) < 0)
            return -1;
    }
    for (int i = 0; l->t->answer && i < (int)SOSIA_LEN(other_answers); i++) {
        struct run one = {.how = MUTANT_ANSWER, .leaf = i};
        one.changed = other_answers[i] ? other_answers[i] : "none";
        if (try_mutant(l, &one) < 0)
            return -1;
    }
    return try_mutant(l, &besides);
}

/* ---- tasks ---- */

static int read_people(struct lint *l)
{
    struct sosia_blob blob;
    const struct json *list;
    if (sosia_actor_list(l->e, l->base, 0, 1000, &blob, l->err) < 0)
        return -1;
    int rc = json_parse(&l->arena, blob.data, blob.len, NULL, &list, l->err);
    sosia_blob_free(&blob);
    if (rc < 0)
        return -1;
    l->people = arena_calloc(&l->arena, list->n + 1, sizeof *l->people);
    l->n_people = 0;
    for (uint32_t i = 0; i < list->n; i++)
        if (json_get_str(&list->items[i], "email"))
            l->people[l->n_people++] = json_get_str(&list->items[i], "email");
    return 0;
}

/* The world that a task begins in. Its clock follows no real time here, so that a run is like any
 * other. */
static int make_base(struct lint *l)
{
    enum sosia_clock_mode clock =
        l->t->clock == SOSIA_CLOCK_STEP ? SOSIA_CLOCK_STEP : SOSIA_CLOCK_FROZEN;
    const struct sosia_fork_options forked = {.set_clock = true,
                                              .clock = clock,
                                              .step_us = l->t->step_ms * 1000,
                                              .set_journal = true,
                                              .journal = SOSIA_JOURNAL_ALL};
    if (l->t->seed) {
        const char *text = json_to_text(&l->arena, l->t->seed);
        const struct sosia_world_options opt = {
            .journal = SOSIA_JOURNAL_ALL,
            .seed_doc = text,
            .seed_doc_len = strlen(text),
            .clock = clock,
            .step_us = l->t->step_ms * 1000,
            .seed_doc_name = arena_printf(&l->arena, "%s:%d: seed", l->s->file, l->t->line)};
        return sosia_world_create(l->e, &opt, &l->base, l->err);
    }
    uint64_t snapshot;
    if (!l->t->fixture || !l->opt->fixture)
        return sosia_fail(l->err, SOSIA_E_INVALID, "suite", NULL,
                          "%s:%d: %s: must have a seed or a fixture, has none", l->s->file,
                          l->t->line, l->t->id);
    if (l->opt->fixture(l->opt->arg, l->t->fixture, &snapshot, l->err) < 0)
        return -1;
    return sosia_world_fork(l->e, snapshot, &forked, &l->base, l->err);
}

/* Why the reference is not passed, and what it did that nobody expects. */
static void write_failed(struct json_writer *w, const struct outcome *o)
{
    static const char *const members[] = {"failures", "unexpected", "unexpected_calls"};
    for (size_t i = 0; !o->passed && i < SOSIA_LEN(members); i++)
        if (json_get(o->result, members[i]))
            json_value(w, members[i], json_get(o->result, members[i]));
}

static int lint_task(struct lint *l)
{
    struct run empty = {.how = MUTANT_EMPTY}, reference = {.how = MUTANT_NONE};
    struct outcome nothing = {0}, all = {0};
    size_t mutants = l->mutants, killed = l->killed;
    struct json_writer *w = l->w;
    l->varied = arena_calloc(&l->arena, l->t->n_assertions + 1, sizeof *l->varied);
    if (make_base(l) < 0)
        return -1;
    int rc = read_people(l) < 0 || play(l, &empty, &nothing) < 0 || play(l, &reference, &all) < 0
                 ? -1
                 : 0;
    if (rc == 0) {
        char number[32];
        l->reference = all.diff;
        json_obj(w, NULL);
        json_str(w, "task", l->t->id);
        json_number(w, "empty", number,
                    (size_t)snprintf(number, sizeof number, "%.6g", nothing.reward));
        json_number(w, "reference", number,
                    (size_t)snprintf(number, sizeof number, "%.6g", all.reward));
        write_failed(w, &all);
        json_arr(w, "survivors");
        rc = mutate(l);
        json_end(w);
        json_int(w, "mutants", (int64_t)(l->mutants - mutants));
        json_int(w, "killed", (int64_t)(l->killed - killed));
        json_arr(w, "never_fail");
        for (size_t i = 0; i < l->t->n_assertions; i++) {
            const struct assertion *a = &l->t->assertions[i];
            if (l->varied[i] || a->max == 0 || a->kind == ASSERT_NEVER) /* what must not happen */
                continue;
            json_str(w, NULL, l->t->assertions[i].place);
            l->good = false;
        }
        json_end(w);
        json_end(w);
        bool idle = l->t->nothing && !l->t->answer; /* to do nothing is right */
        l->good &= nothing.reward == idle && all.reward == 1;
    }
    sosia_world_drop(l->e, l->base, NULL);
    return rc;
}

int suite_lint(struct sosia_engine *e, const struct sosia_suite *s, const struct lint_options *opt,
               struct sosia_blob *ret_json, bool *ret_good, struct sosia_err *err)
{
    struct json_writer w;
    struct buf b;
    struct lint l = {.e = e, .s = s, .opt = opt, .err = err, .w = &w, .good = true};
    int rc = 0;
    if (opt->task && !suite_task(s, opt->task))
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "taskNotFound", "task",
                          "%s: the task must be one of the suite's, not \"%.60s\"", s->file,
                          opt->task);
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "suite", s->name);
    json_arr(&w, "tasks");
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        if (opt->task && strcmp(opt->task, s->tasks[i].id) != 0)
            continue;
        l.t = &s->tasks[i];
        arena_init(&l.arena, 0);
        rc = lint_task(&l);
        if (rc == 0 && arena_failed(&l.arena))
            rc = sosia_fail_memory(err);
        arena_done(&l.arena);
    }
    json_end(&w);
    json_int(&w, "mutants", (int64_t)l.mutants);
    json_int(&w, "killed", (int64_t)l.killed);
    l.good &= l.killed * 100 >= l.mutants * 95;
    json_bool(&w, "good", l.good);
    json_end(&w);
    if (rc == 0)
        rc = buf_give(&b, ret_json, err);
    buf_done(&b);
    if (rc == 0)
        *ret_good = l.good;
    return rc;
}
