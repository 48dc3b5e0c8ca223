/* SPDX-License-Identifier: Apache-2.0 */
/* Trouble: faults and budgets of worlds, what clients made of them, and the explorer. */
#include "guard/faults/explore.h"
#include "server/control/operation.h"
#include "server/control/suites.h"

static int answer_blob(struct control_call *c, struct sosia_blob *blob)
{
    server_answer_blob(c->response, 200, blob);
    return 0;
}

static int answer_info(struct control_call *c)
{
    struct sosia_blob json;
    if (sosia_world_faults_info(c->engine, c->world, &json, &c->err) < 0)
        return -1;
    return answer_blob(c, &json);
}

int control_faults_get(struct call *call)
{
    return answer_info(control_of(call));
}

int control_faults_set(struct call *call)
{
    struct control_call *c = control_of(call);
    if (sosia_world_faults(c->engine, c->world, c->request->body, c->request->body_len,
                           control_text(c, "document_name"), &c->err) < 0)
        return -1;
    return answer_info(c);
}

int control_faults_clear(struct call *call)
{
    struct control_call *c = control_of(call);
    if (sosia_world_faults(c->engine, c->world, NULL, 0, NULL, &c->err) < 0)
        return -1;
    return answer_info(c);
}

int control_faults_report(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    if (sosia_world_faults_report(c->engine, c->world, &json, &c->err) < 0)
        return -1;
    return answer_blob(c, &json);
}

int control_budgets_set(struct call *call)
{
    struct control_call *c = control_of(call);
    if (sosia_world_budgets(c->engine, c->world, c->request->body, c->request->body_len,
                            control_text(c, "document_name"), &c->err) < 0)
        return -1;
    return answer_info(c);
}

int control_budgets_clear(struct call *call)
{
    struct control_call *c = control_of(call);
    if (sosia_world_budgets(c->engine, c->world, NULL, 0, NULL, &c->err) < 0)
        return -1;
    return answer_info(c);
}

int control_explore(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct sosia_explore_options opt = {.size = sizeof opt,
                                              .faults = control_text(c, "faults"),
                                              .depth = (int)control_number(c, "depth", 0),
                                              .threads = (unsigned)control_number(c, "threads", 0),
                                              .from = control_number(c, "from", 0),
                                              .to = control_number(c, "to", 0)};
    const struct control_value *text = control_given(c, "suite");
    struct explore_grade by = {.task = control_text(c, "task"),
                               .answer = control_text(c, "answer")};
    struct suites *suites = c->control->suites;
    struct sosia_suite *suite = NULL;
    struct sosia_blob json;
    if (!text && (by.task || by.answer))
        return control_fail(c, by.task ? "task" : "answer",
                            "must be absent unless suite is given, not \"%.80s\"",
                            by.task ? by.task : by.answer);
    if (text && control_take_suite(c, text, &suite) < 0)
        return -1;
    by.suite = suite;
    int rc = explore_graded(c->engine, c->world, &opt, &by, &json, &c->err);
    if (suite)
        suites_give(suites, suite);
    return rc < 0 ? -1 : answer_blob(c, &json);
}
