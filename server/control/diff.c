/* SPDX-License-Identifier: Apache-2.0 */
/* What it takes to get from one world to another, whole or in parts. */
#include "console/history.h"
#include "engine/base/codec.h"
#include "grading/across.h"
#include "server/control/operation.h"
#include <string.h>

static int find(struct control_call *c, const char *field, uint64_t *ret_world)
{
    if (control_find(c, control_text(c, field), ret_world) < 0) {
        c->err.where = field;
        return -1;
    }
    return 0;
}

static bool is_part(const struct control_call *c)
{
    static const char *const names[] = {"person", "entity", "offset", "limit", "summary"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (control_given(c, names[i]))
            return true;
    return false;
}

/* In the vendors' terms, whole or a part of it. */
static int diff_plain(struct control_call *c, uint64_t from, uint64_t to, bool all, bool causes)
{
    const struct diff_part part = {.person = control_text(c, "person"),
                                   .entity = control_text(c, "entity"),
                                   .offset = control_number(c, "offset", 0),
                                   .limit = control_number(c, "limit", 0),
                                   .summary = control_number(c, "summary", 0) != 0};
    const struct sosia_diff_options opt = {.all = all};
    struct sosia_blob json;
    struct buf b;
    if (causes) {
        buf_init(&b, 0);
        int rc = history_diff(c->engine, from, to, all, is_part(c) ? &part : NULL, &b, &c->err);
        if (rc == 0)
            server_answer_buf(c->response, 200, &b);
        else
            buf_done(&b);
        return rc;
    }
    if ((is_part(c) ? diff_part(c->engine, from, to, all, &part, &json, &c->err)
                    : sosia_diff(c->engine, from, to, &opt, &json, &c->err)) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

static int diff_across(struct control_call *c, uint64_t left, uint64_t right)
{
    struct sosia_blob json;
    if (!left)
        return control_fail(c, "from", "must be given for the form \"across\", is missing");
    if (control_given(c, "all"))
        return control_fail(c, "all", "must be absent for the form \"across\", is given");
    if (across_diff(c->engine, left, right, &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

int control_diff(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    const char *form = control_text(c, "form");
    const struct sosia_diff_options opt = {
        .form = form && strcmp(form, "patch") == 0    ? SOSIA_DIFF_PATCH
                : form && strcmp(form, "tables") == 0 ? SOSIA_DIFF_TABLES
                                                      : SOSIA_DIFF_JSON,
        .all = control_number(c, "all", 0) != 0};
    bool seed = form && strcmp(form, "seed") == 0;
    uint64_t from = 0, to;
    if ((control_given(c, "from") && find(c, "from", &from) < 0) || find(c, "to", &to) < 0)
        return -1;
    if (c->request->read_only && (opt.form != SOSIA_DIFF_JSON))
        return sosia_fail(&c->err, SOSIA_E_FORBIDDEN, "readOnly", NULL,
                          "the session may only read, and the form \"%s\" has secrets", form);
    bool causes = control_number(c, "causes", 0) != 0, plain = !form || strcmp(form, "json") == 0;
    if (causes && !plain)
        return control_fail(c, "causes", "must be absent for the form \"%s\", is given", form);
    if (is_part(c) && !plain)
        return control_fail(c, "form", "must be json where a part is asked for, not \"%s\"", form);
    if (plain)
        return diff_plain(c, from, to, opt.all, causes);
    if (form && strcmp(form, "across") == 0)
        return diff_across(c, from, to);
    if (seed && !from)
        return control_fail(c, "from", "must be given for the form \"seed\", is missing");
    if ((seed ? sosia_world_diff(c->engine, from, to, &json, &c->err)
              : sosia_diff(c->engine, from, to, &opt, &json, &c->err)) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    if (opt.form == SOSIA_DIFF_PATCH)
        c->response->content_type = "application/json-patch+json";
    return 0;
}
