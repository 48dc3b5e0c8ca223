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

static int diff_with_causes(struct control_call *c, uint64_t from, uint64_t to, bool all,
                            struct sosia_blob *ret)
{
    struct buf b;
    buf_init(&b, 0);
    int rc = history_diff(c->engine, from, to, all, &b, &c->err);
    if (rc == 0)
        rc = buf_give(&b, ret, &c->err);
    buf_done(&b);
    return rc;
}

/* ---- a part of one ---- */

struct part {
    const char *person, *entity; /* NULL: any */
    int64_t offset, limit;       /* limit 0: all */
    bool summary;
};

static bool is_like(const struct part *p, const struct json *change)
{
    const char *person = json_get_str(change, "person"), *entity = json_get_str(change, "entity");
    return (!p->person || (person && strcmp(person, p->person) == 0)) &&
           (!p->entity || (entity && strcmp(entity, p->entity) == 0));
}

/* A change that is asked for, or from which one follows. */
static bool is_of(const struct part *p, const struct json *change)
{
    const struct json *more = json_get(change, "consequences");
    bool found = is_like(p, change);
    for (uint32_t i = 0; !found && more && more->type == JSON_ARRAY && i < more->n; i++)
        found = is_of(p, &more->items[i]);
    return found;
}

/* In a summary a change is without what was and is there, and what follows from it. */
static void write_change(struct json_writer *w, const struct json *change, bool summary)
{
    static const char *const left_out[] = {"fields", "value", "consequences", NULL};
    if (!summary) {
        json_value(w, NULL, change);
        return;
    }
    json_obj(w, NULL);
    for (uint32_t i = 0; i < change->n; i++)
        if (str_place(left_out, change->members[i].key) < 0)
            json_value(w, change->members[i].key, &change->members[i].value);
    json_end(w);
}

static int answer_part(struct control_call *c, const struct part *p, struct sosia_blob *diff)
{
    const struct json *v, *changes;
    struct json_writer w;
    struct buf b;
    int64_t total = 0, shown = 0;
    int rc = json_parse(&c->arena, diff->data, diff->len, NULL, &v, &c->err);
    sosia_blob_free(diff);
    if (rc < 0)
        return -1;
    changes = json_get(v, "changes");
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "changes");
    for (uint32_t i = 0; changes && i < changes->n; i++)
        if (is_of(p, &changes->items[i]) && total++ >= p->offset &&
            (!p->limit || shown < p->limit)) {
            write_change(&w, &changes->items[i], p->summary);
            shown++;
        }
    json_end(&w);
    json_int(&w, "total", total);
    if (p->offset + shown < total && shown)
        json_int(&w, "next", p->offset + shown);
    json_end(&w);
    return control_answer(c, 200, &b);
}

static bool is_part(const struct control_call *c)
{
    static const char *const names[] = {"person", "entity", "offset", "limit", "summary"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (control_given(c, names[i]))
            return true;
    return false;
}

static int answer_json(struct control_call *c, struct sosia_blob *json)
{
    const struct part p = {.person = control_text(c, "person"),
                           .entity = control_text(c, "entity"),
                           .offset = control_number(c, "offset", 0),
                           .limit = control_number(c, "limit", 0),
                           .summary = control_number(c, "summary", 0) != 0};
    if (is_part(c))
        return answer_part(c, &p, json);
    server_answer_blob(c->response, 200, json);
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
    if (causes)
        return diff_with_causes(c, from, to, opt.all, &json) < 0 ? -1 : answer_json(c, &json);
    if (form && strcmp(form, "across") == 0)
        return diff_across(c, from, to);
    if (seed && !from)
        return control_fail(c, "from", "must be given for the form \"seed\", is missing");
    if ((seed ? sosia_world_diff(c->engine, from, to, &json, &c->err)
              : sosia_diff(c->engine, from, to, &opt, &json, &c->err)) < 0)
        return -1;
    if (plain)
        return answer_json(c, &json);
    server_answer_blob(c->response, 200, &json);
    if (opt.form == SOSIA_DIFF_PATCH)
        c->response->content_type = "application/json-patch+json";
    return 0;
}
