/* SPDX-License-Identifier: Apache-2.0 */
/* One episode as one page (console/report.h). */
#include "console/report.h"
#include "grading/suite.h"
#include "server/control/operation.h"
#include "server/control/parameters.h"
#include <stdio.h>

/* As a file, since a page of this origin could use what others of it keep. */
static int answer_page(struct control_call *c, struct buf *page)
{
    struct server_response *r = c->response;
    if (buf_failed(page)) {
        buf_done(page);
        return sosia_fail_memory(&c->err);
    }
    server_answer_buf(r, 200, page);
    r->content_type = "text/html; charset=UTF-8";
    r->headers[r->n_headers++] =
        (struct sosia_header){"Content-Disposition", "attachment; filename=\"report.html\""};
    r->headers[r->n_headers++] = (struct sosia_header){"X-Content-Type-Options", "nosniff"};
    return 0;
}

static int hide_secrets(struct control_call *c, struct arena *a, struct report *r)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->n_calls; i++) {
        rc = control_hide(a, &r->calls[i].entry, &c->err);
        if (rc == 0)
            rc = control_hide(a, &r->calls[i].did, &c->err);
    }
    return rc < 0 || control_hide(a, &r->diff, &c->err) < 0 ||
                   control_hide(a, &r->verdict, &c->err) < 0
               ? -1
               : 0;
}

static int write_page(struct control_call *c, const struct report_options *opt)
{
    struct sosia_world_info info;
    struct report report;
    struct arena a;
    struct buf page;
    if (sosia_world_info(c->engine, c->world, &info, &c->err) < 0)
        return -1;
    arena_init(&a, 0);
    buf_init(&page, 0);
    int rc = episode_read(c->engine, c->world, opt, &a, &report, &c->err);
    if (rc == 0 && c->request->read_only)
        rc = hide_secrets(c, &a, &report);
    if (rc == 0) {
        episode_write(&report, &page);
        rc = answer_page(c, &page);
    }
    buf_done(&page);
    arena_done(&a);
    return rc;
}

static int find_from(struct control_call *c, struct report_options *opt)
{
    const char *name = control_text(c, "from");
    if (!name || control_find(c, name, &opt->from) == 0)
        return 0;
    c->err.where = "from";
    return -1;
}

static int report_get(struct call *call)
{
    struct control_call *c = control_of(call);
    struct report_options opt = {0};
    return find_from(c, &opt) < 0 ? -1 : write_page(c, &opt);
}

int control_take_suite(struct control_call *c, const struct control_value *text,
                       struct sosia_suite **ret)
{
    struct suites *suites = c->control->suites;
    if (suites_take(suites, text->text, text->len, control_text(c, "suite_name"), ret, &c->err) < 0)
        return -1;
    if (!c->request->read_only || !suite_runs_programs(*ret))
        return 0;
    suites_give(suites, *ret);
    return sosia_fail(&c->err, SOSIA_E_FORBIDDEN, "readOnly", "suite",
                      "the session may only read, and the suite has assertions that run a program");
}

static int report_judge(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct control_value *text = control_given(c, "suite"),
                               *answer = control_given(c, "answer");
    const struct json *judgements = json_get(c->call.body, "judgements");
    struct sosia_grade_options said = {.size = sizeof said};
    struct report_options opt = {.task = control_text(c, "task"), .said = &said};
    struct sosia_suite *suite;
    if (answer) {
        said.answer = answer->text;
        said.answer_len = answer->len;
    }
    if (judgements && judgements->type != JSON_NULL) {
        said.judgements = json_to_text(&c->arena, judgements);
        said.judgements_len = strlen(said.judgements);
    }
    if (find_from(c, &opt) < 0 || control_take_suite(c, text, &suite) < 0)
        return -1;
    opt.suite = suite;
    int rc = write_page(c, &opt);
    suites_give(c->control->suites, suite);
    return rc;
}

/* ---- rows ---- */

static const struct param report_params[] = {
    WORLD,
    {.name = "from",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 200,
     .summary = "Key or name of the state before; without it what the world resets to"}};

static const struct route routes[] = {
    {ROUTE("worlds.report", GET, "/worlds/{world}/report"), .outside = true, .risk = RISK_READ,
     .summary = "What was done in a world as one page: changes, calls, files, cost, decisions",
     .handler = report_get, .pace = PACE_SLOW, PARAMS(report_params), .status = 200,
     .gives = "text/html"},
    {ROUTE("worlds.reportJudged", POST, "/worlds/{world}/report"), .outside = true,
     .risk = RISK_READ,
     .summary = "The same with the verdict on a task: its parts, near misses, what was unexpected",
     .handler = report_judge, .pace = PACE_SLOW, PARAMS(world_only), .body = BODY_JSON,
     .request = "ReportWorld", .status = 200, .gives = "text/html"},
};

const struct rows control_report_rows = ROWS(routes);
