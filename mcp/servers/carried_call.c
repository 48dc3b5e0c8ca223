/* SPDX-License-Identifier: Apache-2.0 */
/* The method that calls a tool of a server which is carried. */
#include "mcp/servers/run.h"

enum { MOST_ANSWER = 8 << 20 }; /* bytes of an answer */

/* The text that says why there is no result. */
static int has_failed(struct call *c, const char *text)
{
    return run_says(c, true, text, strlen(text));
}

/* The result that the server has given, member by member, so that it is one in any case. */
static int give(struct call *c, const struct json *result)
{
    static const char *const members[] = {"content", "structuredContent"};
    json_obj(c->out, NULL);
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        const struct json *v = json_get(result, members[i]);
        if (v && v->type == (i ? JSON_OBJECT : JSON_ARRAY)) {
            json_value(c->out, members[i], v);
        } else if (!i) {
            json_arr(c->out, members[i]);
            json_end(c->out);
        }
    }
    json_bool_opt(c->out, "isError", json_get_true(result, "isError"));
    json_end(c->out);
    return 0;
}

static int answer(struct call *c, const char *server, const struct program_outcome *o)
{
    struct arena *a = c->tx.arena;
    struct sosia_err none;
    const struct json *v;
    if (o->timed_out)
        return has_failed(c, arena_printf(a, "The server %s has not answered in its time", server));
    if (!o->out.len || json_parse(a, o->out.data, o->out.len, NULL, &v, &none) < 0)
        return has_failed(c, arena_printf(a, "The server %s has ended without an answer: %.2000s",
                                          server, o->err.data));
    const struct json *error = json_get(v, "error"), *result = json_get(v, "result");
    if (!error && result && result->type == JSON_OBJECT)
        return give(c, result);
    const char *why = json_get_str(error, "message");
    return has_failed(c, arena_printf(a, "MCP error %lld: %.2000s",
                                      (long long)json_get_int(error, "code", 0),
                                      why ? why : "the answer has no result"));
}

/* The spec says no command: that is of the machine which runs it, and not of the world. */
static int carried_call(struct call *c)
{
    const struct json *args = server_arguments(c), *given = json_get(args, "arguments");
    const char *server = json_get_str(args, "server"), *tool = json_get_str(args, "name");
    const char *argv[] = {server, tool, NULL};
    struct program_spec spec = {.argv = argv, .carried = server, .keep = MOST_ANSWER};
    struct program_outcome o;
    struct json_writer w;
    struct buf b;
    if (given && given->type != JSON_OBJECT)
        return server_fail(c, "arguments must be an object");
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "name", tool);
    json_obj(&w, "arguments");
    for (uint32_t i = 0; given && i < given->n; i++)
        json_value(&w, given->members[i].key, &given->members[i].value);
    json_end(&w);
    json_end(&w);
    spec.input = buf_str(&b);
    spec.input_len = b.len;
    int r = buf_failed(&b) ? sosia_fail_memory(c->tx.err) : program_run(c, &spec, &o);
    buf_done(&b);
    return r == 1 ? answer(c, server, &o) : r;
}

static const struct route methods[] = {
    {ROUTE("carried.call", POST, "/workspace/v1/carried/call"), .body = BODY_JSON,
     .handler = carried_call, .pace = PACE_SLOW, .risk = RISK_WRITE, .scopes = "workspace",
     .request = "CallCarried", .response = "CarriedResult",
     .summary =
         "Call a tool of a server that is carried, and write back the files that it changes"},
};
static const struct rows rows = ROWS(methods);

static const struct field call_fields[] = {
    {.name = "server", .type = "string", .required = true, .summary = "Name of the server"},
    {.name = "name", .type = "string", .required = true, .summary = "Name of its tool"},
    {.name = "arguments", .type = "any", .summary = "The tool's arguments"}};
static const struct field result_fields[] = {
    {.name = "content",
     .type = "any",
     .list = true,
     .required = true,
     .summary = "As the tool says"},
    {.name = "structuredContent", .type = "any", .summary = "As the tool says"},
    {.name = "isError", .type = "boolean", .summary = "The tool has failed"}};
static const struct schema schemas[] = {
    {.name = "CallCarried", .fields = call_fields, .n_fields = SOSIA_LEN(call_fields)},
    {.name = "CarriedResult", .fields = result_fields, .n_fields = SOSIA_LEN(result_fields)},
};
static const char *const prefixes[] = {"/workspace/v1/carried", NULL};

const struct dialect carried_dialect = {
    .name = "workspace.carried",
    .title = "Workspace: carried servers",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
