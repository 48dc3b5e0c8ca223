/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the server "code-executor", with its tools' arguments. */
#include "mcp/servers/executor.h"

#define TOOL(name)                                                                                 \
    .id = "codeExecutor." name, .verbs = POST,                                                     \
    .paths = PATHS("/workspace/v1/code-executor/" name), .body = BODY_JSON_OPTIONAL,               \
    .response = "ToolResult"
#define RUNS  .pace = PACE_SLOW, .risk = RISK_WRITE, .scopes = "workspace"
#define FILES .risk = RISK_WRITE, .scopes = "workspace"
#define READS .risk = RISK_READ, .scopes = "workspace.readonly workspace"

static const struct route methods[] = {
    {TOOL("execute_code"), RUNS, .handler = executor_code, .request = "Code",
     .summary = "Write Python code into a file and run it"},
    {TOOL("initialize_code_file"), FILES, .handler = executor_initialize, .request = "NewFile",
     .summary = "Begin a file of Python code, to which more is appended"},
    {TOOL("append_to_code_file"), FILES, .handler = executor_append, .request = "Append",
     .summary = "Append to a file of code"},
    {TOOL("execute_code_file"), RUNS, .handler = executor_file, .request = "File",
     .summary = "Run a file of Python code"},
    {TOOL("read_code_file"), READS, .handler = executor_read, .request = "File",
     .summary = "Read a file of code"},
    {TOOL("install_dependencies"), READS, .handler = executor_install, .request = "Packages",
     .summary = "Install packages of Python; without a network that fails"},
    {TOOL("check_installed_packages"), RUNS, .handler = executor_check, .request = "Packages",
     .summary = "Whether packages of Python are installed, and in which version"},
    {TOOL("configure_environment"), READS, .handler = executor_configure, .request = "Environment",
     .summary = "Choose the environment; the system's is the only one"},
    {TOOL("get_environment_config"), READS, .handler = executor_config,
     .summary = "The environment that code runs in"},
    {TOOL("python_execute"), RUNS, .handler = executor_python, .request = "Python",
     .summary = "Run Python code in the workspace, for a time"},
};
static const struct rows rows = ROWS(methods);

#define STRING(n, what)                                                                            \
    {                                                                                              \
        .name = (n), .type = "string", .required = true, .summary = (what)                         \
    }
#define OPTIONAL(n, what)                                                                          \
    {                                                                                              \
        .name = (n), .type = "string", .summary = (what)                                           \
    }

static const char *const types[] = {"conda", "venv", "venv-uv", NULL};
static const struct field append_fields[] = {STRING("file_path", "The file"),
                                             STRING("content", "What is appended")};
static const struct field code_fields[] = {STRING("code", "Python code"),
                                           OPTIONAL("filename", "Name of the file, to begin with")};
static const struct field environment_fields[] = {
    {.name = "type", .type = "string", .required = true, .values = types, .summary = "Its kind"},
    OPTIONAL("conda_name", "Name of an environment of conda"),
    OPTIONAL("venv_path", "Path of a virtual environment"),
    OPTIONAL("uv_venv_path", "Path of one that uv has made")};
static const struct field file_fields[] = {STRING("file_path", "The file")};
static const struct field new_fields[] = {STRING("content", "What is in it"),
                                          OPTIONAL("filename", "Its name, to begin with")};
static const struct field package_fields[] = {{.name = "packages",
                                               .type = "string",
                                               .list = true,
                                               .required = true,
                                               .summary = "Names of packages"}};
static const struct field python_fields[] = {STRING("code", "Python code"),
                                             OPTIONAL("filename", "Name of the file"),
                                             {.name = "timeout",
                                              .type = "integer",
                                              .def = "30",
                                              .summary = "Seconds that it may take, at most 120"}};
static const struct field result_fields[] = {
    {.name = "content", .type = "any", .list = true, .required = true},
    {.name = "isError", .type = "boolean"}};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema schemas[] = {
    SCHEMA("Append", append_fields),
    SCHEMA("Code", code_fields),
    SCHEMA("Environment", environment_fields),
    SCHEMA("File", file_fields),
    SCHEMA("NewFile", new_fields),
    SCHEMA("Packages", package_fields),
    SCHEMA("Python", python_fields),
    SCHEMA("ToolResult", result_fields),
};
static const char *const prefixes[] = {"/workspace/v1/code-executor", NULL};

const struct dialect code_executor_dialect = {
    .name = "workspace.code-executor",
    .title = "Workspace: code executor",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
