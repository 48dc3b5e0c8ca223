/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the control interface share: the table of operations, and a call of one. */
#ifndef SOSIA_SERVER_CONTROL_OPERATION_H
#define SOSIA_SERVER_CONTROL_OPERATION_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/err.h"
#include "engine/http/call.h"
#include "engine/api/router.h"
#include "engine/json/json.h"
#include "server/control/control.h"
#include "server/control/suites.h"
#include <stdatomic.h>

#define CONTROL_PREFIX "/_sosia/v1"

extern const struct schema control_schemas[]; /* schema.c; CONTROL_SCHEMAS of them */
#define CONTROL_SCHEMAS 85
extern const char *const control_clocks[];     /* names of enum sosia_clock_mode, in its order */
extern const char *const control_journals[];   /* names of enum sosia_journal_mode, in its order */
extern const char *const control_afterwards[]; /* of enum afterwards */
extern const char *const control_keeps[];      /* of enum sosia_journal_keep */
extern const char *const control_formats[];    /* of enum sosia_journal_format */

/* ---- a call ---- */

struct control {
    struct control_options options;
    struct sosia_engine *engine;
    bool durable;
    char *temp_dir;
    _Atomic(struct server *) server;
    struct router *router;
    struct suites *suites;
    struct events *events;
    struct codes *codes;
    struct sosia_blob openapi;
};

/* What is done with worlds that were graded. */
enum afterwards { AFTERWARDS_KEEP, AFTERWARDS_RESET, AFTERWARDS_DROP };

/* A parameter or member that was given. */
struct control_value {
    const char *name;
    const char *text; /* of a string; words (joined by spaces); a document */
    size_t len;
    int64_t number; /* whole; boolean 0 or 1; time in microseconds; index into values */
    double real;    /* with a fraction */
};

#define CONTROL_MAX_VALUES 16

struct control_call {
    struct call call; /* first: what the row's handler is given */
    struct control *control;
    struct sosia_engine *engine;
    const struct route *op;
    const struct server_request *request;
    struct server_response *response;
    struct arena arena; /* until the handler returns */
    struct control_value values[CONTROL_MAX_VALUES];
    size_t n_values;
    uint64_t world;        /* of {world} in the path */
    int64_t step;          /* of a row that takes "world@step": the step; -1: the present */
    uint64_t temporary[3]; /* worlds of steps, for as long as the call takes */
    size_t n_temporary;
    struct sosia_err err;
};

static inline struct control_call *control_of(struct call *call)
{
    return (struct control_call *)call;
}

/* NULL: not given. */
const struct control_value *control_given(const struct control_call *c, const char *name);
const char *control_text(const struct control_call *c, const char *name); /* NULL: not given */
int64_t control_number(const struct control_call *c, const char *name, int64_t otherwise);
/* Fills c->err (INVALID), gives -1. field: static, or in the arena; NULL: none. */
__attribute__((format(printf, 3, 4))) int control_fail(struct control_call *c, const char *field,
                                                       const char *fmt, ...);
/* step_ms, if given, in microseconds; otherwise `otherwise`. */
int64_t control_step(const struct control_call *c, int64_t otherwise);

/* input.c: reads parameters and body into c->values. */
int control_read_params(struct control_call *c, const struct match *m);
int control_read_body(struct control_call *c);

/* hide.c: a JSON value, or the text of one, without what a session that may only read must not see.
 * 0, -1. */
int control_hide(struct arena *a, const struct json **v, struct sosia_err *err);
int control_hide_text(const char *text, size_t len, struct buf *out, struct sosia_err *err);

/* step.c: the world or snapshot of a name or key; of "world@step" a world of that step, which is
 * dropped when the call is over. 0, -1, SERVER_SLOW. */
int control_find(struct control_call *c, const char *name, uint64_t *ret_world);
/* The two parts of such a name; false: it is none. Gives the world's name, in the arena. */
bool control_split_step(struct control_call *c, const char *name, const char **ret_name,
                        int64_t *ret_step);
void control_forget_steps(struct control_call *c);
/* look.c: a row behind whose path is a service's own, so that query and body are that one's. */
bool control_is_native(const struct route *r);

/* worlds.c: a world's key, as struct sosia_world_info has it, without an end. */
void control_key(uint64_t world, char ret_key[16]);
/* Answers with a world. */
int control_answer_world(struct control_call *c, int status, uint64_t world);
/* n forks of a world or snapshot, at the call's "step" if it has one: all of them, or none. */
int control_make_forks(struct control_call *c, uint64_t source,
                       const struct sosia_fork_options *opt, size_t n, uint64_t *ret_worlds);
/* Of an answer that fails. */
void control_drop_forks(struct control_call *c, const uint64_t *worlds, size_t n);
/* Writes forks' tokens for the call's "actors", behind their keys if asked for, as members of an
 * open object. */
int control_write_forks(struct control_call *c, struct json_writer *w, const uint64_t *forks,
                        size_t n, bool with_keys);
/* What journals of worlds that are made for a suite keep: all where the task (NULL: any) asks for
 * calls that may only read, and what is asked for otherwise is refused. */
int control_suite_journal(struct control_call *c, const struct sosia_suite *suite, const char *task,
                          struct sosia_fork_options *opt);
/* report.c: the suite of a value, to be given back; a session that may only read has no program run
 * by one of its own. 0, -1. */
int control_take_suite(struct control_call *c, const struct control_value *text,
                       struct sosia_suite **ret);
/* tokens.c: issues a token of each world for each of the actors (addresses separated by spaces;
 * NULL: the first one of the worlds who can call) and writes them as array elements. */
int control_write_tokens(struct control_call *c, struct json_writer *w, const uint64_t *worlds,
                         size_t n, const char *actors);
/* clock.c: writes the members of a clock into an open object. */
void control_write_clock(struct json_writer *w, const struct sosia_world_info *info);
/* meta.c: answers with an empty body. */
int control_answer_empty(struct control_call *c);
/* Answers {"NAME": blob}; the blob is JSON and is freed. */
int control_answer_member(struct control_call *c, const char *name, struct sosia_blob *blob);
/* Answers with what the buffer holds. */
int control_answer(struct control_call *c, int status, struct buf *body);

/* ---- handlers ---- */

/* operations_worlds.c */
extern const struct rows control_worlds_rows;
/* worlds.c */
int control_worlds_create(struct call *call);
int control_worlds_list(struct call *call);
int control_worlds_get(struct call *call);
int control_worlds_patch(struct call *call);
int control_worlds_fork(struct call *call);
int control_worlds_reset(struct call *call);
int control_worlds_snapshot(struct call *call);
int control_worlds_drop(struct call *call);
int control_worlds_ttl(struct call *call);
int control_worlds_rates(struct call *call);
int control_worlds_tools(struct call *call);
/* faults.c */
int control_faults_get(struct call *call);
int control_faults_set(struct call *call);
int control_faults_clear(struct call *call);
int control_faults_report(struct call *call);
int control_budgets_set(struct call *call);
int control_budgets_clear(struct call *call);
int control_explore(struct call *call);
/* grade.c */
int control_worlds_grade(struct call *call);
int control_worlds_reset_all(struct call *call);
int control_worlds_drop_all(struct call *call);
/* state.c */
int control_seed(struct call *call);
int control_dump(struct call *call);
int control_diff(struct call *call);
int control_hash(struct call *call);
int control_journal(struct call *call);
int control_journal_entry(struct call *call);
/* journal.c */
int control_journal_info(struct call *call);
int control_journal_keep(struct call *call);
int control_journal_export(struct call *call);
int control_journal_changes(struct call *call);
int control_journal_replay(struct call *call);
int control_outbox(struct call *call);
int control_outcome(struct call *call);
int control_actors(struct call *call);
/* guard.c */
extern const struct rows control_guard_rows;
/* report.c */
extern const struct rows control_report_rows;
/* look.c */
extern const struct rows control_look_rows;
/* events.c */
extern const struct rows control_events_rows;
struct events *events_new(struct sosia_engine *engine); /* NULL without memory */
void events_free(struct events *events);                /* when all its streams have ended */
/* console.c */
extern const struct rows control_console_rows;
struct codes *codes_new(void); /* NULL without memory */
void codes_free(struct codes *codes);
/* calendar.c */
extern const struct rows control_calendar_rows;
/* mail.c */
extern const struct rows control_mail_rows;
/* workflows.c */
extern const struct rows control_workflows_rows;
/* tasks.c */
extern const struct rows control_tasks_rows;
/* runs.c */
extern const struct rows control_runs_rows;
/* search.c */
extern const struct rows control_search_rows;
/* history.c */
extern const struct rows control_history_rows;
/* act.c */
int control_act(struct call *call);
/* calls.c */
int control_calls(struct call *call);
/* file.c */
int control_export(struct call *call);
int control_import(struct call *call);
/* workspace.c */
int control_workspace_list(struct call *call);
int control_workspace_get(struct call *call);
int control_workspace_put(struct call *call);
/* transfer.c */
int control_transfer_import(struct call *call);
int control_transfer_export(struct call *call);
/* clock.c */
int control_clock_get(struct call *call);
int control_clock_put(struct call *call);
int control_clock_advance(struct call *call);
/* tokens.c */
int control_tokens_issue(struct call *call);
int control_tokens_revoke(struct call *call);
int control_consent_link(struct call *call);
int control_credential(struct call *call);
/* meta.c */
int control_limits(struct call *call);
int control_health(struct call *call);
int control_metrics(struct call *call);
int control_describe(struct call *call);

#endif
