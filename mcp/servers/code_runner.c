/* SPDX-License-Identifier: Apache-2.0 */
/* The server "code-runner": a snippet in a temporary file, by the program of its language. */
#include "mcp/servers/run.h"

/* Beyond that the original gives up. */
#define MOST_OUTPUT (1 << 20)

static const char *const languages[] = {
    "javascript", "php",          "python", "perl",        "perl6",
    "ruby",       "go",           "lua",    "groovy",      "powershell",
    "bat",        "shellscript",  "fsharp", "csharp",      "vbscript",
    "typescript", "coffeescript", "scala",  "swift",       "julia",
    "crystal",    "ocaml",        "r",      "applescript", "clojure",
    "racket",     "scheme",       "ahk",    "autoit",      "dart",
    "haskell",    "nim",          "lisp",   "kit",         "v",
    "sass",       "scss",         NULL};

/* Where the program is not called as its language; and the end of the file's name. */
static const struct {
    const char *language, *program, *end;
} odd[] = {{"javascript", "node", "js"},
           {"python", "python -u", NULL},
           {"go", "go run", NULL},
           {"powershell", "powershell -ExecutionPolicy ByPass -File", "ps1"},
           {"bat", "cmd /c", NULL},
           {"shellscript", "bash", NULL},
           {"fsharp", "fsi", NULL},
           {"csharp", "scriptcs", NULL},
           {"vbscript", "cscript //Nologo", NULL},
           {"typescript", "ts-node", "ts"},
           {"coffeescript", "coffee", NULL},
           {"r", "Rscript", NULL},
           {"applescript", "osascript", NULL},
           {"clojure", "lein exec", NULL},
           {"scheme", "csi -script", NULL},
           {"ahk", "autohotkey", NULL},
           {"autoit", "autoit3", NULL},
           {"haskell", "runhaskell", NULL},
           {"nim", "nim compile --verbosity:0 --hints:off --run", NULL},
           {"lisp", "sbcl --script", NULL},
           {"kit", "kitc --run", NULL},
           {"v", "v run", NULL},
           {"sass", "sass --style expanded", NULL},
           {"scss", "scss --style expanded", NULL}};

static int answer(struct call *c, const char *command, const struct program_outcome *o)
{
    struct buf b;
    buf_init(&b, 0);
    if (o->out.total > MOST_OUTPUT || o->err.total > MOST_OUTPUT) {
        buf_printf(&b, "Error: %s maxBuffer length exceeded",
                   o->out.total > MOST_OUTPUT ? "stdout" : "stderr");
    } else if (o->status || o->timed_out) {
        buf_printf(&b, "Error: Command failed: %s\n", command);
        buf_add(&b, o->err.data, o->err.len);
    } else if (o->err.len) {
        buf_puts(&b, "Stderr: ");
        buf_add(&b, o->err.data, o->err.len);
    } else {
        int rc = run_says(c, false, o->out.data, o->out.len);
        buf_done(&b);
        return rc;
    }
    int rc = run_says(c, true, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

static int run_code(struct call *c)
{
    const struct json *args = server_arguments(c), *code = json_get(args, "code");
    const char *language = json_get_str(args, "languageId"), *program = language, *end = language;
    struct program_outcome o;
    if (!code->n)
        return run_says(c, true, "Code is required.", 17);
    for (size_t i = 0; i < SOSIA_LEN(odd); i++)
        if (strcmp(odd[i].language, language) == 0) {
            program = odd[i].program;
            end = odd[i].end ? odd[i].end : language;
        }
    const char *command = arena_printf(c->tx.arena, "%s \"/tmp/tmp.%s\"", program, end);
    /* In one line, whose number a shell says. */
    const char *script =
        arena_printf(c->tx.arena, "cat >/tmp/tmp.%s; exec </dev/null; %s", end, command);
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    const struct program_spec spec = {
        .argv = argv, .input = code->str, .input_len = code->n, .keep = MOST_OUTPUT};
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    int r = program_run(c, &spec, &o);
    return r == 1 ? answer(c, command, &o) : r;
}

static const struct route methods[] = {
    {ROUTE("codeRunner.run-code", POST, "/workspace/v1/code-runner/run"), .body = BODY_JSON,
     .handler = run_code, .pace = PACE_SLOW, .risk = RISK_WRITE, .scopes = "workspace",
     .request = "RunCode", .response = "ToolResult",
     .summary = "Run a snippet of code, and give what it prints"},
};
static const struct rows rows = ROWS(methods);

static const struct field run_fields[] = {
    {.name = "code", .type = "string", .required = true, .summary = "The snippet"},
    {.name = "languageId",
     .type = "string",
     .required = true,
     .values = languages,
     .summary = "Its language"}};
static const struct field result_fields[] = {
    {.name = "content", .type = "any", .list = true, .required = true},
    {.name = "isError", .type = "boolean"}};
static const struct schema schemas[] = {
    {.name = "RunCode", .fields = run_fields, .n_fields = SOSIA_LEN(run_fields)},
    {.name = "ToolResult", .fields = result_fields, .n_fields = SOSIA_LEN(result_fields)},
};
static const char *const prefixes[] = {"/workspace/v1/code-runner", NULL};

const struct dialect code_runner_dialect = {
    .name = "workspace.code-runner",
    .title = "Workspace: code runner",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
