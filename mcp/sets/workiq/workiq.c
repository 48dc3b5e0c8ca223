/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of Work IQ. */
#include "engine/base/codec.h"
#include "mcp/sets/workiq/workiq.h"
#include "vendors/microsoft/graph.h"

enum { MAX_URLS = 20, MAX_BLOB = 4 << 20 };

/* ---- arguments ---- */

struct argument {
    const char *name;
    const char *schema; /* JSON */
    bool required;
};

#define TEXT(what) "{\"type\":\"string\",\"description\":\"" what "\"}"
#define TEXTS(what)                                                                                \
    "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"" what "\"}"
#define MAP(what)                                                                                  \
    "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},\"description\":\"" what  \
    "\"}"
#define JSON_BODY                                                                                  \
    "{\"type\":[\"string\",\"object\"],\"description\":\"The request's body as JSON, as a string " \
    "or an object\"}"
#define AGENT                                                                                      \
    {                                                                                              \
        "agentId", TEXT("Not used here"), false                                                    \
    }

#define MAX_ARGUMENTS 6

struct tool {
    const char *name, *summary;
    struct argument arguments[MAX_ARGUMENTS]; /* up to a name of NULL */
    bool reads, destroys;
    int (*run)(struct workiq *q); /* writes the members of the result; 0, -1 no memory */
    bool text; /* the result is a text, not an object: run() writes it as a value */
};

/* A text that must be there; NULL: it is not, and the tool has refused. */
static const char *needed(struct workiq *q, const char *name)
{
    const char *text = json_get_str(q->args, name);
    if (!text) {
        q->refused = true;
        json_str(q->w, "error", arena_printf(q->arena, "%s must be given, is missing", name));
    }
    return text;
}

/* The body: a string of JSON or an object. 1; 0: there is none, or it is refused; -1. */
static int body_of(struct workiq *q, bool required, const char **ret, size_t *ret_n)
{
    const struct json *v = json_get(q->args, "jsonBody"), *parsed;
    struct sosia_err err;
    *ret = NULL;
    *ret_n = 0;
    if (!v || v->type == JSON_NULL) {
        if (required) {
            q->refused = true;
            json_str(q->w, "error", "jsonBody must be given, is missing");
        }
        return 0;
    }
    if (v->type == JSON_STRING) {
        if (json_parse(q->arena, v->str, v->n, NULL, &parsed, &err) < 0 ||
            parsed->type != JSON_OBJECT) {
            q->refused = true;
            json_str(q->w, "error", "jsonBody must be an object of JSON");
            return 0;
        }
        *ret = v->str;
        *ret_n = v->n;
        return 1;
    }
    *ret = json_to_text(q->arena, v);
    *ret_n = strlen(*ret);
    return arena_failed(q->arena) ? -1 : 1;
}

static const char *if_match_of(const struct workiq *q)
{
    const struct json *headers = json_get(q->args, "headers");
    for (uint32_t i = 0; headers && headers->type == JSON_OBJECT && i < headers->n; i++)
        if (str_eq_nocase(headers->members[i].key, "If-Match") &&
            headers->members[i].value.type == JSON_STRING)
            return headers->members[i].value.str;
    return NULL;
}

/* ---- results ---- */

/* The members data and statusCode; data: none without a body. */
static void write_answer(struct workiq *q, const struct workiq_answer *a, bool data_first)
{
    if (!data_first)
        json_int(q->w, "statusCode", a->status);
    if (graph_is_json(a->type, a->body, a->len))
        json_raw(q->w, "data", a->body, a->len);
    if (data_first)
        json_int(q->w, "statusCode", a->status);
}

static void write_refusal(struct workiq *q, int status, const char *code, const char *why)
{
    json_obj(q->w, "data");
    json_obj(q->w, "error");
    json_str(q->w, "code", code);
    json_str(q->w, "message", why);
    json_end(q->w);
    json_end(q->w);
    json_int(q->w, "statusCode", status);
}

static int status_of(const char *code)
{
    return strcmp(code, "PolicyDenied") == 0 ? 403 : 400;
}

/* ---- reading ---- */

static int fetch_one(struct workiq *q, enum workiq_operation op, const char *path, bool *ret_good)
{
    const char *target, *code, *why;
    struct workiq_answer a;
    int r = workiq_target(q, op, path, &target, &code, &why);
    *ret_good = false;
    if (r < 0)
        return -1;
    if (r == 0) {
        write_refusal(q, status_of(code), code, why);
        return 0;
    }
    if (workiq_call(q, "GET", target, NULL, 0, NULL, &a) < 0)
        return -1;
    *ret_good = a.status < 400;
    write_answer(q, &a, true);
    sosia_response_free(a.response);
    return 0;
}

static int fetch(struct workiq *q)
{
    const struct json *urls = json_get(q->args, "entityUrls");
    uint32_t good = 0;
    if (!urls || urls->type != JSON_ARRAY || !urls->n || urls->n > MAX_URLS) {
        q->refused = true;
        json_str(q->w, "error",
                 arena_printf(q->arena, "entityUrls must be a list of 1 to %d paths", MAX_URLS));
        return 0;
    }
    json_arr(q->w, "results");
    for (uint32_t i = 0; i < urls->n; i++) {
        bool one;
        json_obj(q->w, NULL);
        if (fetch_one(q, WORKIQ_FETCH, urls->items[i].type == JSON_STRING ? urls->items[i].str : "",
                      &one) < 0)
            return -1;
        json_end(q->w);
        good += one;
    }
    json_end(q->w);
    q->refused = !good;
    return 0;
}

static int call_function(struct workiq *q)
{
    const char *path = needed(q, "functionUrl");
    bool good;
    if (!path)
        return 0;
    if (fetch_one(q, WORKIQ_FUNCTION, path, &good) < 0)
        return -1;
    q->refused = !good;
    return 0;
}

static int fetch_blob(struct workiq *q)
{
    const char *path = needed(q, "path"), *target, *code, *why, *last;
    struct workiq_answer a;
    struct buf b;
    int r = path ? workiq_target(q, WORKIQ_FUNCTION, path, &target, &code, &why) : 0;
    if (!path || r < 0)
        return r;
    if (r == 0) {
        q->refused = true;
        write_refusal(q, status_of(code), code, why);
        return 0;
    }
    if (workiq_call(q, "GET", target, NULL, 0, NULL, &a) < 0)
        return -1;
    buf_init(&b, MAX_BLOB);
    if (a.status >= 400) {
        q->refused = true;
        write_answer(q, &a, true);
    } else {
        char part[16384];
        int64_t n;
        for (int64_t at = 0;
             a.response->read && (n = a.response->read(a.response, at, part, sizeof part)) > 0;
             at += n)
            buf_add(&b, part, (size_t)n);
        if (!a.response->read)
            buf_add(&b, a.body, a.len);
        struct buf text;
        buf_init(&text, 0);
        base64_add(&text, buf_failed(&b) ? "" : b.data, b.len);
        last = strrchr(path, '/');
        if (buf_failed(&b)) {
            q->refused = true;
            write_refusal(q, 413, "RequestEntityTooLarge", "The content has more than 4 MB.");
        } else {
            json_strn(q->w, "base64Content", buf_str(&text), text.len);
            json_str(q->w, "contentType", a.type);
            json_str(q->w, "fileName", last ? last + 1 : path);
            json_int(q->w, "size", (int64_t)b.len);
        }
        buf_done(&text);
    }
    buf_done(&b);
    sosia_response_free(a.response);
    return 0;
}

/* ---- changing ---- */

/* A call that changes something: refused where the tenant does not let it. */
static int change(struct workiq *q, enum workiq_operation op, const char *verb,
                  const char *argument, bool needs_body)
{
    const char *path = needed(q, argument), *target, *code, *why, *body;
    struct workiq_setting setting;
    struct workiq_answer a;
    size_t len;
    if (!path)
        return 0;
    if (workiq_setting(q->m, &setting) < 0)
        return -1;
    int r = workiq_target(q, op, path, &target, &code, &why);
    if (r < 0)
        return -1;
    const unsigned denied = q->needs & ~(setting.allowed | WORKIQ_FETCH | WORKIQ_FUNCTION);
    if (r == 1 && denied) {
        size_t at = 0;
        while (!(denied >> at & 1))
            at++;
        code = "PolicyDenied";
        why = arena_printf(q->arena, "The operation '%s' on the path '%.200s' is denied by policy.",
                           workiq_operations[at], path);
        r = 0;
    }
    if (r == 0) {
        q->refused = true;
        write_refusal(q, status_of(code), code, why);
        return 0;
    }
    r = op == WORKIQ_DELETE ? 0 : body_of(q, needs_body, &body, &len);
    if (r < 0 || q->refused)
        return r < 0 ? -1 : 0;
    if (workiq_call(q, verb, target,
                    r                     ? body
                    : op == WORKIQ_ACTION ? "{}"
                                          : NULL,
                    r                     ? len
                    : op == WORKIQ_ACTION ? 2
                                          : 0,
                    if_match_of(q), &a) < 0)
        return -1;
    q->refused = a.status >= 400;
    write_answer(q, &a, false);
    sosia_response_free(a.response);
    return 0;
}

static int create_entity(struct workiq *q)
{
    return change(q, WORKIQ_CREATE, "POST", "parentUrl", true);
}

static int update_entity(struct workiq *q)
{
    return change(q, WORKIQ_UPDATE, "PATCH", "entityUrl", true);
}

static int delete_entity(struct workiq *q)
{
    return change(q, WORKIQ_DELETE, "DELETE", "entityUrl", false);
}

static int do_action(struct workiq *q)
{
    return change(q, WORKIQ_ACTION, "POST", "actionUrl", false);
}

/* ---- agents ---- */

/* Without a model: the first of the world's answers whose question is in what is asked. */
static int ask(struct workiq *q)
{
    const char *question = json_get_str(q->args, "question"), *found = NULL;
    const char *conversation = json_get_str(q->args, "conversationId");
    struct workiq_setting setting;
    struct buf b;
    struct json_writer w;
    if (workiq_setting(q->m, &setting) < 0)
        return -1;
    for (uint32_t i = 0; question && !found && setting.answers && i < setting.answers->n; i++) {
        const char *part = json_get_str(&setting.answers->items[i], "question");
        if (part && strcasestr(question, part))
            found = json_get_str(&setting.answers->items[i], "response");
    }
    if (!found) {
        q->refused = true;
        json_str(q->w, NULL,
                 question ? "This world has no answer to this question: \"workIQ\" of its seed "
                            "document lists those that it has."
                          : "question must be given, is missing");
        return 0;
    }
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "response", found);
    json_str(&w, "conversationId",
             conversation ? conversation : graph_guid(q->arena, "conversation", question));
    json_end(&w);
    json_strn(q->w, NULL, buf_str(&b), b.len);
    int r = buf_failed(&b) ? -1 : 0;
    buf_done(&b);
    return r;
}

static int list_agents(struct workiq *q)
{
    struct workiq_setting setting;
    struct buf b;
    struct json_writer w;
    if (workiq_setting(q->m, &setting) < 0)
        return -1;
    json_start(&w, &b);
    json_arr(&w, NULL);
    json_obj(&w, NULL);
    json_str(&w, "agentId", "bizchat-as-gpt-scenario");
    json_str(&w, "name", "Microsoft 365 Copilot");
    json_str(&w, "provider", "Microsoft");
    json_end(&w);
    for (uint32_t i = 0; setting.agents && i < setting.agents->n; i++)
        json_value(&w, NULL, &setting.agents->items[i]);
    json_end(&w);
    json_strn(q->w, NULL, buf_str(&b), b.len);
    int r = buf_failed(&b) ? -1 : 0;
    buf_done(&b);
    return r;
}

/* ---- the list ---- */

#define PATH(name, what)                                                                           \
    {                                                                                              \
        name, TEXT(what), true                                                                     \
    }
static const struct tool tools[] = {
    {.name = "fetch",
     .summary = "Read things of Microsoft 365 by paths of Microsoft Graph, several at once",
     .arguments = {{"entityUrls", TEXTS("Relative paths, such as /me/messages?$top=5"), true},
                   AGENT},
     .reads = true,
     .run = fetch},
    {.name = "create_entity",
     .summary = "Make a thing in a collection",
     .arguments = {PATH("parentUrl", "Path of the collection"),
                   {"jsonBody", JSON_BODY, true},
                   AGENT},
     .run = create_entity},
    {.name = "update_entity",
     .summary = "Change members of a thing",
     .arguments = {PATH("entityUrl", "Path of the thing"),
                   {"jsonBody", JSON_BODY, true},
                   {"headers", MAP("Headers, such as If-Match"), false},
                   AGENT},
     .run = update_entity},
    {.name = "delete_entity",
     .summary = "Delete a thing",
     .arguments = {PATH("entityUrl", "Path of the thing"),
                   {"headers", MAP("Headers, such as If-Match"), false},
                   AGENT},
     .destroys = true,
     .run = delete_entity},
    {.name = "do_action",
     .summary = "Call an action, such as /me/sendMail",
     .arguments = {PATH("actionUrl", "Path of the action"), {"jsonBody", JSON_BODY, false}, AGENT},
     .run = do_action},
    {.name = "call_function",
     .summary = "Call a function that reads, such as delta or reminderView",
     .arguments = {PATH("functionUrl", "Path of the function"), AGENT},
     .reads = true,
     .run = call_function},
    {.name = "ask",
     .summary = "Ask an agent in words",
     .arguments = {PATH("question", "The question"),
                   AGENT,
                   {"fileUrls", TEXTS("Files that it is about"), false},
                   {"conversationId", TEXT("Goes on with an earlier conversation"), false},
                   {"timeZone", TEXT("IANA name"), false}},
     .reads = true,
     .run = ask,
     .text = true},
    {.name = "list_agents",
     .summary = "List the agents that can be asked",
     .reads = true,
     .run = list_agents,
     .text = true},
    {.name = "get_schema",
     .summary = "The shape of what an operation takes or gives",
     .arguments = {{"path", TEXT("Path of Microsoft Graph"), false},
                   {"operationIds", TEXT("In the place of the path"), false},
                   PATH("operationType", "fetch, create, update or action"),
                   {"format", TEXT("jsonschema, typescript or cddl"), false},
                   AGENT},
     .reads = true,
     .run = workiq_get_schema,
     .text = true},
    {.name = "search_paths",
     .summary = "Find paths and their operations",
     .arguments = {PATH("filter", "A prefix or a regular expression; .* lists all"), AGENT},
     .reads = true,
     .run = workiq_search_paths},
    {.name = "fetch_blob",
     .summary = "Read bytes of at most 4 MB",
     .arguments = {PATH("path", "Path of the content"),
                   {"format", TEXT("Not used here"), false},
                   AGENT},
     .reads = true,
     .run = fetch_blob},
};

static int tools_list(struct mcp_call *m)
{
    struct json_writer *w = m->w;
    rpc_cache(m, 60000, true);
    json_arr(w, "tools");
    for (size_t i = 0; i < SOSIA_LEN(tools); i++) {
        const struct tool *t = &tools[i];
        json_obj(w, NULL);
        json_str(w, "name", t->name);
        json_str(w, "description", t->summary);
        json_obj(w, "inputSchema");
        json_str(w, "type", "object");
        json_obj(w, "properties");
        for (size_t k = 0; k < MAX_ARGUMENTS && t->arguments[k].name; k++)
            json_raw(w, t->arguments[k].name, t->arguments[k].schema,
                     strlen(t->arguments[k].schema));
        json_end(w);
        json_arr(w, "required");
        for (size_t k = 0; k < MAX_ARGUMENTS && t->arguments[k].name; k++)
            if (t->arguments[k].required)
                json_str(w, NULL, t->arguments[k].name);
        json_end(w);
        json_end(w);
        json_obj(w, "annotations");
        json_bool(w, "readOnlyHint", t->reads);
        json_bool(w, "destructiveHint", t->destroys);
        json_end(w);
        json_end(w);
    }
    json_end(w);
    return 0;
}

/* Runs a tool into b: an object, or a text's string. */
static int run(struct workiq *q, const struct tool *t, struct buf *b)
{
    struct json_writer w;
    json_init(&w, b, false, NULL);
    q->w = &w;
    if (!t->text)
        json_obj(&w, NULL);
    int r = t->run(q);
    if (!t->text)
        json_end(&w);
    return r;
}

static int tools_call(struct mcp_call *m)
{
    static const struct json none = {.type = JSON_OBJECT};
    const char *name = rpc_str(m, "name");
    const struct json *args = json_get(m->params, "arguments");
    struct workiq q = {
        .m = m, .arena = m->c->tx.arena, .args = args && args->type == JSON_OBJECT ? args : &none};
    size_t i = 0;
    struct buf b;
    if (!name)
        return -1;
    while (i < SOSIA_LEN(tools) && strcmp(tools[i].name, name) != 0)
        i++;
    if (i == SOSIA_LEN(tools))
        return rpc_fail(m, RPC_PARAMS, "Unknown tool: %s", name);
    buf_init(&b, 0);
    int r = run(&q, &tools[i], &b);
    if (r < 0 || buf_failed(&b)) {
        buf_done(&b);
        return rpc_fail(m, RPC_INTERNAL, "there is no memory for the result");
    }
    json_arr(m->w, "content");
    json_obj(m->w, NULL);
    json_str(m->w, "type", "text");
    if (tools[i].text)
        json_raw(m->w, "text", b.data, b.len);
    else
        json_strn(m->w, "text", buf_str(&b), b.len);
    json_end(m->w);
    json_end(m->w);
    if (!tools[i].text)
        json_raw(m->w, "structuredContent", b.data, b.len);
    json_bool_opt(m->w, "isError", q.refused);
    buf_done(&b);
    return 0;
}

const struct mcp_face workiq_face = {
    .tools_list = tools_list, .tools_call = tools_call, .set_level = mcp_set_level};
