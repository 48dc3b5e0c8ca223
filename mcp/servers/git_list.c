/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect of the server "git", with its tools' arguments. */
#include "mcp/servers/git.h"

#define REPOSITORY                                                                                 \
    {                                                                                              \
        .name = "repo_path", .type = "string", .required = true,                                   \
        .summary = "Path of the repository; a relative one is below " WORKSPACE_ROOT               \
    }
#define STRING(n, what)                                                                            \
    {                                                                                              \
        .name = (n), .type = "string", .required = true, .summary = (what)                         \
    }
#define CONTEXT                                                                                    \
    {                                                                                              \
        .name = "context_lines", .type = "integer", .def = "3",                                    \
        .summary = "Lines that are shown around a change"                                          \
    }

static const struct field add_fields[] = {REPOSITORY,
                                          {.name = "files",
                                           .type = "string",
                                           .list = true,
                                           .required = true,
                                           .summary = "Paths in the repository"}};
static const struct field branch_fields[] = {
    REPOSITORY,
    STRING("branch_type", "Which ones: local, remote or all"),
    {.name = "contains", .type = "string", .summary = "Those alone that have this commit"},
    {.name = "not_contains", .type = "string", .summary = "Those alone that do not have it"}};
static const struct field checkout_fields[] = {REPOSITORY, STRING("branch_name", "Its name")};
static const struct field commit_fields[] = {REPOSITORY, STRING("message", "What it is for")};
static const struct field create_fields[] = {
    REPOSITORY,
    STRING("branch_name", "Name of the new branch"),
    {.name = "base_branch",
     .type = "string",
     .summary = "The branch that it begins at; without it the one that is checked out"}};
static const struct field diff_fields[] = {REPOSITORY, CONTEXT};
static const struct field target_fields[] = {
    REPOSITORY, STRING("target", "Branch or commit to compare with"), CONTEXT};
static const struct field log_fields[] = {
    REPOSITORY,
    {.name = "max_count", .type = "integer", .def = "10", .summary = "How many commits at most"},
    {.name = "start_timestamp", .type = "string", .summary = "Commits since then, as git reads it"},
    {.name = "end_timestamp", .type = "string", .summary = "Commits until then"}};
static const struct field repository_fields[] = {REPOSITORY};
static const struct field result_fields[] = {
    {.name = "content", .type = "any", .list = true, .required = true},
    {.name = "isError", .type = "boolean"}};
static const struct field show_fields[] = {REPOSITORY, STRING("revision", "The commit")};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema schemas[] = {
    SCHEMA("Add", add_fields),
    SCHEMA("Branch", branch_fields),
    SCHEMA("Checkout", checkout_fields),
    SCHEMA("Commit", commit_fields),
    SCHEMA("CreateBranch", create_fields),
    SCHEMA("Diff", diff_fields),
    SCHEMA("DiffTarget", target_fields),
    SCHEMA("Log", log_fields),
    SCHEMA("Repository", repository_fields),
    SCHEMA("Show", show_fields),
    SCHEMA("ToolResult", result_fields),
};

static const char *const prefixes[] = {"/workspace/v1/git", NULL};

const struct dialect git_dialect = {
    .name = "workspace.git",
    .title = "Workspace: git",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&git_rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
