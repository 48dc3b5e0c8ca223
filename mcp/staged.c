/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/staged.h"
#include "engine/base/codec.h"
#include "engine/http/hold.h"
#include "engine/world/engine.h"
#include "mcp/approve.h"
#include "mcp/sets/set.h"

#define DRAFT  "draft_"
#define ACTION "act_"
#define DIGITS 16 /* behind them */

struct staged_argument {
    const char *name, *type, *summary;
};
struct staged {
    const char *name, *title, *summary;
    struct staged_argument arguments[2]; /* all are required */
};

#define DRAFT_ID                                                                                   \
    {                                                                                              \
        "draftId", "string", "What createDraft gave"                                               \
    }
static const struct staged tools[] = {
    {"createDraft",
     "Draft a call",
     "Keeps a call of another tool as a draft. Nothing is done, and nobody is asked yet.",
     {{"tool", "string", "The tool that is to be called"},
      {"arguments", "object", "What it is to be called with"}}},
    {"requestApproval",
     "Ask for a draft's approval",
     "Asks for the approval of a draft, or says what became of that: status is pending_approval, "
     "approved, "
     "rejected or executed.",
     {DRAFT_ID}},
    {"commitApprovedDraft",
     "Commit a draft",
     "Makes the call of a draft that was approved, once, and gives its answer.",
     {DRAFT_ID, {"approvalId", "string", "What requestApproval gave"}}},
};
enum { CREATE, REQUEST, COMMIT };

static bool has_them(const struct mcp_call *m)
{
    const struct guard *g = m->c->tx.engine->guard;
    return m->c->judged && g->staged && g->staged(m->c);
}

static void write_tool(struct json_writer *w, const struct staged *t, bool commits)
{
    json_obj(w, NULL);
    json_str(w, "name", t->name);
    json_str(w, "title", t->title);
    json_str(w, "description", t->summary);
    json_obj(w, "inputSchema");
    json_str(w, "type", "object");
    json_obj(w, "properties");
    for (size_t i = 0; i < SOSIA_LEN(t->arguments) && t->arguments[i].name; i++) {
        json_obj(w, t->arguments[i].name);
        json_str(w, "type", t->arguments[i].type);
        json_str(w, "description", t->arguments[i].summary);
        json_end(w);
    }
    json_end(w);
    json_arr(w, "required");
    for (size_t i = 0; i < SOSIA_LEN(t->arguments) && t->arguments[i].name; i++)
        json_str(w, NULL, t->arguments[i].name);
    json_end(w);
    json_bool(w, "additionalProperties", false);
    json_end(w);
    json_obj(w, "annotations");
    json_str(w, "title", t->title);
    json_bool(w, "readOnlyHint", false);
    json_bool(w, "destructiveHint", commits);
    json_bool(w, "idempotentHint", t != &tools[CREATE]);
    json_bool(w, "openWorldHint", commits);
    json_end(w);
    json_end(w);
}

void staged_list(struct mcp_call *m)
{
    for (size_t i = 0; has_them(m) && i < SOSIA_LEN(tools); i++)
        write_tool(m->w, &tools[i], i == COMMIT);
}

/* ---- arguments and results ---- */

/* NULL: refused, in the result. */
static const struct json *argument(struct mcp_call *m, const struct staged *t,
                                   const struct json *arguments, size_t i)
{
    const struct staged_argument *a = &t->arguments[i];
    const struct json *v = json_get(arguments, a->name);
    bool object = strcmp(a->type, "object") == 0;
    if (v && v->type == (object ? JSON_OBJECT : JSON_STRING))
        return v;
    tool_refused(m, arena_printf(m->c->tx.arena, "%s must be %s, not %s", a->name,
                                 object ? "an object" : "a string", call_quote(m->c, v)));
    return NULL;
}

static bool check_names(struct mcp_call *m, const struct staged *t, const struct json *arguments)
{
    for (uint32_t i = 0; arguments && i < arguments->n; i++) {
        size_t k = 0;
        while (k < SOSIA_LEN(t->arguments) && t->arguments[k].name &&
               strcmp(t->arguments[k].name, arguments->members[i].key) != 0)
            k++;
        if (k < SOSIA_LEN(t->arguments) && t->arguments[k].name)
            continue;
        tool_refused(
            m, arena_printf(m->c->tx.arena, "there is no argument %s", arguments->members[i].key));
        return false;
    }
    return true;
}

/* What a rule has said of the last call. */
static const struct json *said(struct mcp_call *m)
{
    const struct json *v = NULL;
    struct sosia_err ignored;
    for (size_t i = 0; i < m->c->n_headers; i++) {
        const struct sosia_header *h = &m->c->headers[i];
        if (strcmp(h->name, GUARD_HEADER) == 0 &&
            json_parse(m->c->tx.arena, h->value, strlen(h->value), NULL, &v, &ignored) < 0)
            v = NULL;
    }
    return v;
}

/* {"draftId", "approvalId", "status"}: digits are those of both ids. */
static void write_standing(struct mcp_call *m, const char *digits, bool asked, const char *status)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "draftId", arena_printf(m->c->tx.arena, DRAFT "%s", digits));
    if (asked)
        json_str(&w, "approvalId", arena_printf(m->c->tx.arena, ACTION "%s", digits));
    json_str(&w, "status", status);
    json_end(&w);
    json_arr(m->w, "content");
    tool_text(m->w, buf_str(&b), b.len);
    json_end(m->w);
    if (strcmp(m->revision, "2025-06-18") >= 0)
        json_raw(m->w, "structuredContent", buf_str(&b), b.len);
    json_bool(m->w, "isError", false);
    buf_done(&b);
}

/* ---- the first step ---- */

/* A tool whose call is one request that changes something: that is what is kept. */
static bool can_be_drafted(const struct mcp_tool *t)
{
    size_t writes = 0;
    if (!t->row)
        return t->risk != RISK_READ;
    for (size_t i = 0; i < SET_STEPS && t->row->tool->steps[i].method; i++)
        if (t->row->tool->steps[i].each)
            return false;
    for (size_t i = 0; i < TOOL_METHODS && t->methods[i].route; i++)
        writes += t->methods[i].route->risk != RISK_READ;
    return writes == 1;
}

static int create(struct mcp_call *m, const struct json *arguments)
{
    const struct json *name = argument(m, &tools[CREATE], arguments, 0);
    const struct json *of = name ? argument(m, &tools[CREATE], arguments, 1) : NULL;
    const struct mcp_tool *t = NULL;
    if (!of)
        return 0;
    int r = tool_find(m, name->str, &t);
    if (r < 0)
        return -1;
    if (!r || !can_be_drafted(t)) {
        tool_refused(m, arena_printf(m->c->tx.arena,
                                     "tool must be one that makes one change, which \"%.100s\" "
                                     "%s",
                                     name->str, r ? "does not" : "is not: there is none"));
        return 0;
    }
    const struct json_mark mark = json_mark(m->w);
    m->stage = "stage";
    m->c->tool = t->name;
    r = tool_serve(m, t, of);
    m->c->tool = m->stage = NULL;
    const struct json *v = r == 0 ? said(m) : NULL;
    const char *status = json_get_str(v, "status"), *action = json_get_str(v, "action");
    if (!status || strcmp(status, "draft") != 0 || !action || !str_starts(action, ACTION))
        return r; /* it was refused, and that is written */
    json_back(m->w, &mark);
    write_standing(m, action + sizeof ACTION - 1, false, "draft");
    return 0;
}

/* ---- the others ---- */

/* The digits of an id; NULL: it is not one. */
static const char *digits_of(const char *id, const char *head)
{
    size_t n = strlen(head);
    return str_starts(id, head) && strlen(id) == n + DIGITS &&
                   strspn(id + n, "0123456789abcdef") == DIGITS
               ? id + n
               : NULL;
}

struct reading {
    struct guard_asked who;
    struct mcp_call *m;
    const char *text; /* NULL: there is none */
};

static int read_draft(struct tx *tx, struct json_writer *w, void *arg)
{
    struct reading *r = arg;
    const char *text = NULL;
    json_raw(w, NULL, "null", 4);
    if (tx->engine->guard->drafted(tx, &r->who, &text) < 0)
        return -1;
    r->text = text ? arena_strdup(r->m->c->tx.arena, text) : NULL;
    return 0;
}

/* The request of a draft of the caller's. NULL: there is none. */
static const struct json *request_of(struct mcp_call *m, const char *digits)
{
    struct call *c = m->c;
    struct reading r = {.m = m,
                        .who = {.actor = c->actor.id,
                                .app = c->app,
                                .action = arena_printf(c->tx.arena, ACTION "%s", digits)}};
    const struct json *v = NULL;
    struct sosia_blob blob;
    struct sosia_err ignored;
    if (world_read(c->tx.engine, c->world, false, read_draft, &r, &blob, &ignored) < 0)
        return NULL;
    sosia_blob_free(&blob);
    return r.text && json_parse(c->tx.arena, r.text, strlen(r.text), NULL, &v, &ignored) == 0
               ? v
               : NULL;
}

/* Makes its call, with a label that says what for. 0, -1: no memory. */
static int make(struct mcp_call *m, const struct json *v, const char *label, struct mcp_answer *ret)
{
    const char *type = json_get_str(v, "type"), *body = json_get_str(v, "body");
    struct sosia_header headers[4] = {{"Authorization", tool_bearer(m)}, {STAGE_LABEL, label}};
    size_t n = 2;
    if (type)
        headers[n++] = (struct sosia_header){"Content-Type", type};
    const struct sosia_request request = {.method = json_get_str(v, "verb"),
                                          .target = json_get_str(v, "target"),
                                          .headers = headers,
                                          .n_headers = n,
                                          .body = body,
                                          .body_len = body ? strlen(body) : 0,
                                          .base_url = m->c->base_url};
    m->c->tool = json_get_str(v, "tool");
    *ret = (struct mcp_answer){.response = call_part(m->c, &request)};
    m->c->tool = NULL;
    if (!ret->response)
        return -1;
    answer_read(m, request.target, ret);
    mcp_log_request(m, &request, ret);
    return arena_failed(m->c->tx.arena) ? -1 : 0;
}

static void answer_request(struct mcp_call *m, const char *digits, struct mcp_answer *a)
{
    const char *status = json_get_str(a->refused ? said(m) : NULL, "status");
    if (!a->refused)
        status = "executed";
    else if (!status || strcmp(status, "blocked_by_policy") == 0)
        status = NULL;
    if (status)
        write_standing(m, digits, true, status);
    else
        tool_refused(m, answer_why(m, a));
}

static void answer_commit(struct mcp_call *m, const char *name, struct mcp_answer *a)
{
    const struct mcp_tool *t = NULL;
    if (a->refused || tool_find(m, name, &t) <= 0)
        tool_refused(m, answer_why(m, a));
    else
        tool_done(m, t, a, !t->row);
}

static int go_on(struct mcp_call *m, const struct json *arguments, size_t which)
{
    const struct json *id = argument(m, &tools[which], arguments, 0);
    const struct json *approval = NULL;
    if (!id || (which == COMMIT && !(approval = argument(m, &tools[which], arguments, 1))))
        return 0;
    const char *digits = digits_of(id->str, DRAFT);
    const struct json *v = digits ? request_of(m, digits) : NULL;
    struct mcp_answer a;
    if (!v) {
        tool_refused(m, "draftId must be that of a draft of yours");
        return 0;
    }
    const char *approved = approval ? digits_of(approval->str, ACTION) : digits;
    if (!approved || strcmp(approved, digits) != 0) {
        tool_refused(m, "approvalId must be that of the draft");
        return 0;
    }
    int rc = make(
        m, v, arena_printf(m->c->tx.arena, "%s%s", which == COMMIT ? ACTION : "ask_", digits), &a);
    if (rc == 0 && which == REQUEST)
        answer_request(m, digits, &a);
    else if (rc == 0)
        answer_commit(m, json_get_str(v, "tool"), &a);
    sosia_response_free(a.response);
    return rc;
}

int staged_call(struct mcp_call *m, const char *name, const struct json *arguments)
{
    size_t i = 0;
    while (i < SOSIA_LEN(tools) && strcmp(tools[i].name, name) != 0)
        i++;
    if (i == SOSIA_LEN(tools) || !has_them(m))
        return 0;
    if (call_leave(m->c)) /* it takes more than a moment */
        return 1;
    approve_before(m);
    if (!check_names(m, &tools[i], arguments))
        return 1;
    int rc = i == CREATE ? create(m, arguments) : go_on(m, arguments, i);
    return rc < 0 ? rpc_fail(m, RPC_INTERNAL, "there is no memory for the call") : 1;
}
