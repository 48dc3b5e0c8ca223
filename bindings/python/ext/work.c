/* SPDX-License-Identifier: Apache-2.0 */
/* What is done with worlds beside their calls. Each function takes its arguments in their order,
 * and gives ids as int and JSON as bytes: names, defaults and objects are made in Python. */
#include "bindings/python/ext/binding.h"
#include <limits.h>
#include <string.h>

#define ARGS    PyObject *self, PyObject *args
#define JOB(fn) struct job job = {.run = fn, .owner = (struct engine *)self}

static PyObject *none(bool done)
{
    if (!done)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *made(bool done, const struct job *job)
{
    return done ? PyLong_FromUnsignedLongLong(job->made) : NULL;
}

static PyObject *json(bool done, struct job *job)
{
    return done ? from_blob(&job->blob) : NULL;
}

/* ---- worlds ---- */

static int run_create(struct job *j)
{
    return sosia_world_create(j->engine, j->options, &j->made, &j->err);
}

static PyObject *create(ARGS)
{
    struct sosia_world_options o = {0};
    Py_ssize_t len = 0;
    int clock, journal, evaluation;
    long long step, now;
    JOB(run_create);
    if (!PyArg_ParseTuple(args, "zz#zO&iLLip", &o.name, &o.seed_doc, &len, &o.seed_doc_name, to_u64,
                          &o.seed, &clock, &step, &now, &journal, &evaluation))
        return NULL;
    o.seed_doc_len = (size_t)len;
    o.clock = (enum sosia_clock_mode)clock;
    o.step_us = step;
    o.now_us = now;
    o.journal = (enum sosia_journal_mode)journal;
    o.evaluation = evaluation;
    job.options = &o;
    return made(job_run(&job), &job);
}

#define NO_STEP LLONG_MIN /* no number of an entry, and no mistaken one */

static int run_fork(struct job *j)
{
    return j->from != NO_STEP
               ? sosia_world_fork_step(j->engine, j->world, j->from, j->options, &j->made, &j->err)
               : sosia_world_fork(j->engine, j->world, j->options, &j->made, &j->err);
}

/* fork(world, step (NO_STEP: none), seed, now_us, name, clock (-1: the parent's), step_us,
 * deliveries, journal (-1), evaluation) */
static PyObject *fork_world(ARGS)
{
    struct sosia_fork_options o = {0};
    int clock, journal, deliveries, evaluation;
    long long step, now, step_us;
    JOB(run_fork);
    if (!PyArg_ParseTuple(args, "O&LO&LziLpip", to_u64, &job.world, &step, to_u64, &o.seed, &now,
                          &o.name, &clock, &step_us, &deliveries, &journal, &evaluation))
        return NULL;
    job.from = step;
    o.now_us = now;
    o.set_clock = clock >= 0;
    o.clock = (enum sosia_clock_mode)(clock >= 0 ? clock : 0);
    o.step_us = step_us;
    o.inherit_deliveries = deliveries;
    o.set_journal = journal >= 0;
    o.journal = (enum sosia_journal_mode)(journal >= 0 ? journal : 0);
    o.evaluation = evaluation;
    job.options = &o;
    return made(step == NO_STEP ? job_quick(&job) : job_run(&job), &job);
}

static int run_reset(struct job *j)
{
    if (j->from != NO_STEP)
        return sosia_world_reset_step(j->engine, j->world, j->from, &j->err);
    return j->other ? sosia_world_reset_to(j->engine, j->world, j->other, &j->err)
                    : sosia_world_reset(j->engine, j->world, &j->err);
}

/* reset(world, snapshot (0: none), step (NO_STEP: none)) */
static PyObject *reset(ARGS)
{
    long long step;
    JOB(run_reset);
    if (!PyArg_ParseTuple(args, "O&O&L", to_u64, &job.world, to_u64, &job.other, &step))
        return NULL;
    job.from = step;
    return none(step == NO_STEP ? job_quick(&job) : job_run(&job));
}

static int run_snapshot(struct job *j)
{
    return sosia_world_snapshot(j->engine, j->world, j->name, &j->made, &j->err);
}

static PyObject *snapshot(ARGS)
{
    JOB(run_snapshot);
    return PyArg_ParseTuple(args, "O&z", to_u64, &job.world, &job.name)
               ? made(job_quick(&job), &job)
               : NULL;
}

static int run_drop(struct job *j)
{
    return sosia_world_drop(j->engine, j->world, &j->err);
}

static PyObject *drop(ARGS)
{
    JOB(run_drop);
    return PyArg_ParseTuple(args, "O&", to_u64, &job.world) ? none(job_quick(&job)) : NULL;
}

static int run_rates(struct job *j)
{
    return sosia_world_rates(j->engine, j->world, j->flag, &j->err);
}

static PyObject *rates(ARGS)
{
    JOB(run_rates);
    return PyArg_ParseTuple(args, "O&p", to_u64, &job.world, &job.flag) ? none(job_quick(&job))
                                                                        : NULL;
}

static int run_seed(struct job *j)
{
    return sosia_world_seed(j->engine, j->world, j->text, (size_t)j->len, j->name, &j->err);
}

static PyObject *seed(ARGS)
{
    JOB(run_seed);
    return PyArg_ParseTuple(args, "O&s#z", to_u64, &job.world, &job.text, &job.len, &job.name)
               ? none(job_run(&job))
               : NULL;
}

static int run_dump(struct job *j)
{
    return sosia_world_dump(j->engine, j->world, &j->blob, &j->err);
}

static PyObject *dump(ARGS)
{
    JOB(run_dump);
    return PyArg_ParseTuple(args, "O&", to_u64, &job.world) ? json(job_run(&job), &job) : NULL;
}

static int run_diff(struct job *j)
{
    const struct sosia_diff_options o = {.form = (enum sosia_diff_form)j->form, .all = j->flag};
    return sosia_diff(j->engine, j->other, j->world, &o, &j->blob, &j->err);
}

/* diff(from (0: where it began), to, form, all) */
static PyObject *diff(ARGS)
{
    JOB(run_diff);
    return PyArg_ParseTuple(args, "O&O&ip", to_u64, &job.other, to_u64, &job.world, &job.form,
                            &job.flag)
               ? json(job_run(&job), &job)
               : NULL;
}

static int run_hash(struct job *j)
{
    return sosia_world_hash(j->engine, j->world, j->hex, &j->err);
}

static PyObject *hash(ARGS)
{
    JOB(run_hash);
    return PyArg_ParseTuple(args, "O&", to_u64, &job.world) && job_run(&job)
               ? PyUnicode_FromString(job.hex)
               : NULL;
}

static int run_export(struct job *j)
{
    return j->flag ? sosia_world_export_secrets(j->engine, j->world, j->text, &j->err)
                   : sosia_world_export(j->engine, j->world, j->text, &j->err);
}

static PyObject *export_world(ARGS)
{
    JOB(run_export);
    return PyArg_ParseTuple(args, "O&sp", to_u64, &job.world, &job.text, &job.flag)
               ? none(job_run(&job))
               : NULL;
}

static int run_import(struct job *j)
{
    return j->flag ? sosia_world_import_secrets(j->engine, j->text, j->name, &j->made, &j->err)
                   : sosia_world_import(j->engine, j->text, j->name, &j->made, &j->err);
}

static PyObject *import_world(ARGS)
{
    JOB(run_import);
    return PyArg_ParseTuple(args, "szp", &job.text, &job.name, &job.flag)
               ? made(job_run(&job), &job)
               : NULL;
}

static int run_import_file(struct job *j)
{
    return sosia_transfer_import(j->engine, j->world, j->options, j->text, (size_t)j->len, &j->blob,
                                 &j->err);
}

/* import_file(world, data, format, person, vendor, place, name) */
static PyObject *import_file(ARGS)
{
    struct sosia_transfer t = {.size = sizeof t};
    JOB(run_import_file);
    job.options = &t;
    return PyArg_ParseTuple(args, "O&y#szzzz", to_u64, &job.world, &job.text, &job.len, &t.format,
                            &t.person, &t.vendor, &t.place, &t.name)
               ? json(job_run(&job), &job)
               : NULL;
}

static int run_export_file(struct job *j)
{
    return sosia_transfer_export(j->engine, j->world, j->options, &j->blob, &j->err);
}

/* export_file(world, format, person, vendor, place) */
static PyObject *export_file(ARGS)
{
    struct sosia_transfer t = {.size = sizeof t};
    JOB(run_export_file);
    job.options = &t;
    return PyArg_ParseTuple(args, "O&szzz", to_u64, &job.world, &t.format, &t.person, &t.vendor,
                            &t.place)
               ? json(job_run(&job), &job)
               : NULL;
}

static int run_info(struct job *j)
{
    return sosia_world_info(j->engine, j->world, (struct sosia_world_info *)(uintptr_t)j->options,
                            &j->err);
}

static PyObject *info(ARGS)
{
    struct sosia_world_info found = {0};
    JOB(run_info);
    job.options = &found;
    return PyArg_ParseTuple(args, "O&", to_u64, &job.world) && job_quick(&job) ? from_info(&found)
                                                                               : NULL;
}

#define PAGE 64

struct page {
    struct sosia_world_info list[PAGE];
    size_t n;
};

static int add_to_page(void *arg, const struct sosia_world_info *found)
{
    struct page *p = arg;
    p->list[p->n++] = *found;
    return p->n == PAGE;
}

static int run_list(struct job *j)
{
    return sosia_world_list(j->engine, j->world, add_to_page, (void *)(uintptr_t)j->options,
                            &j->err);
}

/* list(after): some of them, in their order; none: that was all. */
static PyObject *list(ARGS)
{
    struct page page = {.n = 0};
    PyObject *all;
    JOB(run_list);
    job.options = &page;
    if (!PyArg_ParseTuple(args, "O&", to_u64, &job.world) || !job_quick(&job))
        return NULL;
    all = PyList_New((Py_ssize_t)page.n);
    for (size_t i = 0; all && i < page.n; i++) {
        PyObject *one = from_info(&page.list[i]);
        if (!one)
            Py_CLEAR(all);
        else
            PyList_SetItem(all, (Py_ssize_t)i, one);
    }
    return all;
}

static int run_find(struct job *j)
{
    return sosia_world_find(j->engine, j->name, &j->made, &j->err);
}

static PyObject *find(ARGS)
{
    JOB(run_find);
    return PyArg_ParseTuple(args, "s", &job.name) ? made(job_quick(&job), &job) : NULL;
}

static int run_journal_mode(struct job *j)
{
    return sosia_world_journal_mode(j->engine, j->world, (enum sosia_journal_mode)j->form, &j->err);
}

static PyObject *journal_mode(ARGS)
{
    JOB(run_journal_mode);
    return PyArg_ParseTuple(args, "O&i", to_u64, &job.world, &job.form) ? none(job_quick(&job))
                                                                        : NULL;
}

/* ---- clock ---- */

static int run_clock_get(struct job *j)
{
    return sosia_clock_get(j->engine, j->world, &j->number, &j->err);
}

static PyObject *clock_get(ARGS)
{
    JOB(run_clock_get);
    return PyArg_ParseTuple(args, "O&", to_u64, &job.world) && job_quick(&job)
               ? PyLong_FromLongLong(job.number)
               : NULL;
}

static int run_clock_set(struct job *j)
{
    return sosia_clock_set(j->engine, j->world, j->from, &j->err);
}

static PyObject *clock_set(ARGS)
{
    JOB(run_clock_set);
    return PyArg_ParseTuple(args, "O&L", to_u64, &job.world, &job.from) ? none(job_quick(&job))
                                                                        : NULL;
}

static int run_advance(struct job *j)
{
    return sosia_clock_advance(j->engine, j->world, j->from, &j->err);
}

static PyObject *advance(ARGS)
{
    JOB(run_advance);
    return PyArg_ParseTuple(args, "O&L", to_u64, &job.world, &job.from) ? none(job_run(&job))
                                                                        : NULL;
}

static int run_clock_mode(struct job *j)
{
    return sosia_clock_mode(j->engine, j->world, (enum sosia_clock_mode)j->form, j->from, &j->err);
}

static PyObject *clock_mode(ARGS)
{
    JOB(run_clock_mode);
    return PyArg_ParseTuple(args, "O&iL", to_u64, &job.world, &job.form, &job.from)
               ? none(job_quick(&job))
               : NULL;
}

/* ---- people and tokens ---- */

static int run_actors(struct job *j)
{
    return sosia_actor_list(j->engine, j->world, 0, 0, &j->blob, &j->err);
}

static PyObject *actors(ARGS)
{
    JOB(run_actors);
    return PyArg_ParseTuple(args, "O&", to_u64, &job.world) ? json(job_quick(&job), &job) : NULL;
}

struct token {
    struct sosia_token_options options;
    char text[SOSIA_TOKEN_MAX];
};

static int run_token(struct job *j)
{
    struct token *t = (struct token *)(uintptr_t)j->options;
    return sosia_token_issue(j->engine, j->world, &t->options, t->text, sizeof t->text, &j->err);
}

/* token(world, actor, scopes, ttl_us, value, app, kind, prefix) */
static PyObject *token(ARGS)
{
    struct token t = {.text = ""};
    long long ttl;
    JOB(run_token);
    if (!PyArg_ParseTuple(args, "O&szLzzzz", to_u64, &job.world, &t.options.actor,
                          &t.options.scopes, &ttl, &t.options.value, &t.options.app,
                          &t.options.kind, &t.options.prefix))
        return NULL;
    t.options.ttl_us = ttl;
    job.options = &t;
    return job_quick(&job) ? PyUnicode_FromString(t.text) : NULL;
}

static int run_revoke(struct job *j)
{
    return sosia_token_revoke(j->engine, j->world, j->text, &j->err);
}

static PyObject *revoke_token(ARGS)
{
    JOB(run_revoke);
    return PyArg_ParseTuple(args, "O&s", to_u64, &job.world, &job.text) ? none(job_quick(&job))
                                                                        : NULL;
}

static int run_credential(struct job *j)
{
    return sosia_credential(j->engine, j->world, j->name, j->text, j->more, &j->blob, &j->err);
}

/* credential(world, kind, actor, base_url) */
static PyObject *credential(ARGS)
{
    JOB(run_credential);
    return PyArg_ParseTuple(args, "O&sss", to_u64, &job.world, &job.name, &job.text, &job.more)
               ? json(job_run(&job), &job)
               : NULL;
}

/* ---- journal ---- */

static int run_journal(struct job *j)
{
    return sosia_journal_list(j->engine, j->world, j->from, j->form, j->flag, &j->blob, &j->err);
}

/* journal(world, after, limit, bodies) */
static PyObject *journal(ARGS)
{
    JOB(run_journal);
    return PyArg_ParseTuple(args, "O&Lip", to_u64, &job.world, &job.from, &job.form, &job.flag)
               ? json(job_run(&job), &job)
               : NULL;
}

static int run_journal_info(struct job *j)
{
    return sosia_journal_info(j->engine, j->world, &j->blob, &j->err);
}

static PyObject *journal_info(ARGS)
{
    JOB(run_journal_info);
    return PyArg_ParseTuple(args, "O&", to_u64, &job.world) ? json(job_quick(&job), &job) : NULL;
}

static int run_journal_changes(struct job *j)
{
    return sosia_journal_changes(j->engine, j->world, j->from, &j->blob, &j->err);
}

static PyObject *journal_changes(ARGS)
{
    JOB(run_journal_changes);
    return PyArg_ParseTuple(args, "O&L", to_u64, &job.world, &job.from) ? json(job_run(&job), &job)
                                                                        : NULL;
}

static int run_journal_export(struct job *j)
{
    return sosia_journal_export(j->engine, j->world, (enum sosia_journal_format)j->form, j->from,
                                j->to, &j->blob, &j->err);
}

/* journal_export(world, format, from, to) */
static PyObject *journal_export(ARGS)
{
    JOB(run_journal_export);
    return PyArg_ParseTuple(args, "O&iLL", to_u64, &job.world, &job.form, &job.from, &job.to)
               ? json(job_run(&job), &job)
               : NULL;
}

static int run_replay(struct job *j)
{
    return sosia_journal_replay(j->engine, j->world, j->options, &j->made, &j->blob, &j->err);
}

/* replay(world, from, to, first, edits, keep, name, journal, journal_name): the world that is kept,
 * or 0, and the report */
static PyObject *replay(ARGS)
{
    struct sosia_replay_options o = {0};
    Py_ssize_t edits = 0, lines = 0;
    long long from, to;
    int first, keep;
    PyObject *report;
    JOB(run_replay);
    if (!PyArg_ParseTuple(args, "O&LLpz#pzz#z", to_u64, &job.world, &from, &to, &first, &o.edits,
                          &edits, &keep, &o.name, &o.journal, &lines, &o.journal_name))
        return NULL;
    o.from = from;
    o.to = to;
    o.first = first;
    o.keep = keep;
    o.edits_len = (size_t)edits;
    o.journal_len = (size_t)lines;
    job.options = &o;
    report = json(job_run(&job), &job);
    return report ? Py_BuildValue("(KN)", (unsigned long long)job.made, report) : NULL;
}

/* ---- outbox ---- */

static int run_outbox(struct job *j)
{
    return sosia_outbox_list(j->engine, j->world, j->from, j->form, &j->blob, &j->err);
}

/* outbox(world, after, limit) */
static PyObject *outbox(ARGS)
{
    JOB(run_outbox);
    return PyArg_ParseTuple(args, "O&Li", to_u64, &job.world, &job.from, &job.form)
               ? json(job_run(&job), &job)
               : NULL;
}

static int run_outcome(struct job *j)
{
    return sosia_delivery_outcome(j->engine, j->world, j->from, j->to, j->options, &j->number,
                                  &j->err);
}

/* outcome(world, entry, attempt, status, error, content_type, body, reason): when it is made again,
 * 0: not */
static PyObject *outcome(ARGS)
{
    struct sosia_header type = {.name = "Content-Type"};
    struct sosia_outcome o = {0};
    Py_ssize_t len;
    JOB(run_outcome);
    if (!PyArg_ParseTuple(args, "O&LLizzy#z", to_u64, &job.world, &job.from, &job.to, &o.status,
                          &o.error, &type.value, &o.body, &len, &o.reason))
        return NULL;
    o.headers = &type;
    o.n_headers = type.value ? 1 : 0;
    o.body_len = (size_t)len;
    job.options = &o;
    return job_run(&job) ? PyLong_FromLongLong(job.number) : NULL;
}

static int run_pending(struct job *j)
{
    j->form = sosia_delivery_pending(j->engine, j->world, &j->from, &j->to, &j->err);
    return j->form < 0 ? -1 : 0;
}

/* pending(world): the first and the last entry that are to be delivered now; None */
static PyObject *pending(ARGS)
{
    JOB(run_pending);
    if (!PyArg_ParseTuple(args, "O&", to_u64, &job.world) || !job_quick(&job))
        return NULL;
    if (!job.form)
        Py_RETURN_NONE;
    return Py_BuildValue("(LL)", (long long)job.from, (long long)job.to);
}

static int run_wake(struct job *j)
{
    return sosia_world_wake(j->engine, j->world, &j->err);
}

static PyObject *wake(ARGS)
{
    JOB(run_wake);
    return PyArg_ParseTuple(args, "O&", to_u64, &job.world) ? none(job_run(&job)) : NULL;
}

static PyObject *engine_sizes(PyObject *self, PyObject *unused)
{
    struct engine *e = (struct engine *)self;
    struct sosia_engine_info i = {0};
    if (!engine_enter(e))
        return NULL;
    sosia_engine_info(e->engine, &i);
    engine_leave(e);
    return Py_BuildValue("(KK)", (unsigned long long)i.worlds, (unsigned long long)i.size);
}

/* ---- grading ---- */

struct suite {
    PyObject ob_base;
    struct sosia_suite *suite;
};

/* Suite(text, name) */
static PyObject *suite_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    struct sosia_err err = {0};
    struct suite *s;
    const char *text, *name;
    Py_ssize_t len;
    if (!PyArg_ParseTuple(args, "s#z", &text, &len, &name))
        return NULL;
    s = (struct suite *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (s && sosia_suite_open(text, (size_t)len, name, &s->suite, &err) < 0) {
        Py_DECREF((PyObject *)s);
        return raise_error(&err);
    }
    return (PyObject *)s;
}

static void suite_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    sosia_suite_close(((struct suite *)self)->suite);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *suite_list(PyObject *self, PyObject *unused)
{
    struct sosia_blob blob = {0};
    struct sosia_err err = {0};
    if (sosia_suite_list(((struct suite *)self)->suite, &blob, &err) < 0)
        return raise_error(&err);
    return from_blob(&blob);
}

static PyMethodDef suite_methods[] = {
    {"list", suite_list, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot suite_slots[] = {
    {Py_tp_doc, (void *)"Tasks with assertions, as they are judged."},
    {Py_tp_new, (void *)suite_new},
    {Py_tp_dealloc, (void *)suite_dealloc},
    {Py_tp_methods, suite_methods},
    {0, NULL},
};

static PyType_Spec suite_spec = {"sosia._sosia.Suite", sizeof(struct suite), 0, Py_TPFLAGS_DEFAULT,
                                 suite_slots};
static PyTypeObject *suite_type;

int suite_init(PyObject *module)
{
    suite_type = (PyTypeObject *)PyType_FromSpec(&suite_spec);
    if (!suite_type)
        return -1;
    Py_INCREF((PyObject *)suite_type);
    return PyModule_AddObject(module, "Suite", (PyObject *)suite_type);
}

static int run_grade(struct job *j)
{
    return sosia_grade_with(j->engine, j->suite, j->name, j->other, j->world, j->options, &j->blob,
                            j->flag ? &j->second : NULL, &j->err);
}

/* grade(suite, task, from (0: where it began), to, answer, judgements, diff): the result, and the
 * diff or None */
static PyObject *grade(ARGS)
{
    struct sosia_grade_options o = {0};
    PyObject *suite, *result, *changes;
    Py_ssize_t answer = 0, judgements = 0;
    JOB(run_grade);
    if (!PyArg_ParseTuple(args, "O!zO&O&z#z#p", suite_type, &suite, &job.name, to_u64, &job.other,
                          to_u64, &job.world, &o.answer, &answer, &o.judgements, &judgements,
                          &job.flag))
        return NULL;
    o.answer_len = (size_t)answer;
    o.judgements_len = (size_t)judgements;
    job.options = &o;
    job.suite = ((struct suite *)suite)->suite;
    if (!job_run(&job))
        return NULL;
    result = from_blob(&job.blob);
    changes = job.flag ? from_blob(&job.second) : Py_None;
    if (!job.flag)
        Py_INCREF(changes);
    return result && changes ? Py_BuildValue("(NN)", result, changes) : NULL;
}

const PyMethodDef engine_work[] = {
    {"create", create, METH_VARARGS, NULL},
    {"fork", fork_world, METH_VARARGS, NULL},
    {"reset", reset, METH_VARARGS, NULL},
    {"snapshot", snapshot, METH_VARARGS, NULL},
    {"drop", drop, METH_VARARGS, NULL},
    {"rates", rates, METH_VARARGS, NULL},
    {"seed", seed, METH_VARARGS, NULL},
    {"dump", dump, METH_VARARGS, NULL},
    {"diff", diff, METH_VARARGS, NULL},
    {"hash", hash, METH_VARARGS, NULL},
    {"export_world", export_world, METH_VARARGS, NULL},
    {"import_world", import_world, METH_VARARGS, NULL},
    {"import_file", import_file, METH_VARARGS, NULL},
    {"export_file", export_file, METH_VARARGS, NULL},
    {"info", info, METH_VARARGS, NULL},
    {"list", list, METH_VARARGS, NULL},
    {"find", find, METH_VARARGS, NULL},
    {"journal_mode", journal_mode, METH_VARARGS, NULL},
    {"clock_get", clock_get, METH_VARARGS, NULL},
    {"clock_set", clock_set, METH_VARARGS, NULL},
    {"advance", advance, METH_VARARGS, NULL},
    {"clock_mode", clock_mode, METH_VARARGS, NULL},
    {"actors", actors, METH_VARARGS, NULL},
    {"token", token, METH_VARARGS, NULL},
    {"revoke", revoke_token, METH_VARARGS, NULL},
    {"credential", credential, METH_VARARGS, NULL},
    {"journal", journal, METH_VARARGS, NULL},
    {"journal_info", journal_info, METH_VARARGS, NULL},
    {"journal_changes", journal_changes, METH_VARARGS, NULL},
    {"journal_export", journal_export, METH_VARARGS, NULL},
    {"replay", replay, METH_VARARGS, NULL},
    {"outbox", outbox, METH_VARARGS, NULL},
    {"outcome", outcome, METH_VARARGS, NULL},
    {"pending", pending, METH_VARARGS, NULL},
    {"wake", wake, METH_VARARGS, NULL},
    {"sizes", engine_sizes, METH_NOARGS, NULL},
    {"grade", grade, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
