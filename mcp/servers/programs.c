/* SPDX-License-Identifier: Apache-2.0 */
/* The method by which any program is run on a world's workspace: for callers beside the tools. */
#include "engine/base/codec.h"
#include "mcp/servers/server.h"
#include "services/workspace/core/program.h"

static int strings_of(struct call *c, const struct json *v, const char *const **ret)
{
    size_t n = v && v->type == JSON_ARRAY ? v->n : 0;
    const char **list = arena_calloc(c->tx.arena, n + 1, sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        list[i] = v->items[i].str;
    *ret = list;
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

static int read_input(struct call *c, const struct json *args, struct program_spec *s)
{
    const struct json *text = json_get(args, "input"), *coded = json_get(args, "inputBytes");
    uint8_t *data;
    if (text && coded)
        return server_fail(c, "A program must have one of input, inputBytes");
    if (text) {
        s->input = text->str;
        s->input_len = text->n;
    }
    if (!coded)
        return 0;
    if (base64_decode(c->tx.arena, coded->str, coded->n, &data, &s->input_len) < 0)
        return server_fail(c, "inputBytes must be base64");
    s->input = (const char *)data;
    return 0;
}

static void put_stream(struct call *c, const char *text, const char *coded, const char *total,
                       const struct program_stream *s)
{
    program_put_bytes(c->out, text, coded, s->data, s->len);
    if (s->total > (int64_t)s->len)
        json_int(c->out, total, s->total);
}

static int answer(struct call *c, const struct program_outcome *o)
{
    json_obj(c->out, NULL);
    json_int(c->out, "status", o->status);
    json_bool(c->out, "timedOut", o->timed_out);
    put_stream(c, "stdout", "stdoutBytes", "stdoutTotal", &o->out);
    put_stream(c, "stderr", "stderrBytes", "stderrTotal", &o->err);
    json_int(c->out, "changed", o->changed);
    json_int(c->out, "removed", o->removed);
    json_end(c->out);
    return 0;
}

static int programs_run(struct call *c)
{
    const struct json *args = server_arguments(c);
    struct program_spec spec = {.directory = json_get_str(args, "directory"),
                                .timeout_ms = json_get_int(args, "timeoutMs", 0),
                                .keep = (size_t)json_get_int(args, "keep", 0),
                                .home = json_get_true(args, "home")};
    struct program_outcome o;
    if (strings_of(c, json_get(args, "argv"), &spec.argv) < 0 ||
        strings_of(c, json_get(args, "environment"), &spec.environment) < 0 ||
        read_input(c, args, &spec) < 0)
        return -1;
    int r = program_run(c, &spec, &o);
    return r == 1 ? answer(c, &o) : r;
}

static const struct route methods[] = {
    {ROUTE("programs.run", POST, PROGRAM_PATH), .body = BODY_JSON, .handler = programs_run,
     .pace = PACE_SLOW, .risk = RISK_WRITE, .scopes = "workspace", .request = "RunProgram",
     .response = "ProgramOutcome",
     .summary = "Run a program on the workspace, and write back the files that it changes"},
};
static const struct rows rows = ROWS(methods);

static const struct field run_fields[] = {
    {.name = "argv",
     .type = "string",
     .list = true,
     .required = true,
     .least = 1,
     .summary = "The program and its arguments"},
    {.name = "environment",
     .type = "string",
     .list = true,
     .summary = "Variables as NAME=VALUE, over the usual ones"},
    {.name = "directory", .type = "string", .summary = "Where it begins; without it the workspace"},
    {.name = "input", .type = "string", .summary = "Its standard input"},
    {.name = "inputBytes", .type = "string", .summary = "The same in base64"},
    {.name = "timeoutMs",
     .type = "integer",
     .summary = "Milliseconds after which it is ended; without it 60000"},
    {.name = "keep",
     .type = "integer",
     .summary = "Bytes of each stream that are given; without it 65536"},
    {.name = "home", .type = "boolean", .summary = "The workspace is the home directory as well"},
};
static const struct field outcome_fields[] = {
    {.name = "status",
     .type = "integer",
     .required = true,
     .summary = "Its exit status; 128 and the number of the signal that ended it"},
    {.name = "timedOut", .type = "boolean", .required = true, .summary = "Its time was over"},
    {.name = "stdout", .type = "string", .summary = "Its output, as a text"},
    {.name = "stdoutBytes", .type = "string", .summary = "The same in base64, if it is not a text"},
    {.name = "stdoutTotal", .type = "integer", .summary = "Bytes of it, if not all are given"},
    {.name = "stderr", .type = "string", .summary = "Its messages, as a text"},
    {.name = "stderrBytes",
     .type = "string",
     .summary = "The same in base64, if they are not a text"},
    {.name = "stderrTotal", .type = "integer", .summary = "Bytes of them, if not all are given"},
    {.name = "changed", .type = "integer", .required = true, .summary = "Nodes that were written"},
    {.name = "removed", .type = "integer", .required = true, .summary = "Nodes that went"},
};

static const struct schema schemas[] = {
    {.name = "ProgramOutcome", .fields = outcome_fields, .n_fields = SOSIA_LEN(outcome_fields)},
    {.name = "RunProgram", .fields = run_fields, .n_fields = SOSIA_LEN(run_fields)},
};

static const char *const prefixes[] = {"/workspace/v1/programs", NULL};

const struct dialect programs_dialect = {
    .name = "workspace.programs",
    .title = "Workspace: programs",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
