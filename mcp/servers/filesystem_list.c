/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect of the server "filesystem", with its tools' arguments. */
#include "mcp/servers/files.h"

/* ---- arguments ---- */

#define STRING(n, what)                                                                            \
    {                                                                                              \
        .name = (n), .type = "string", .required = true, .summary = (what)                         \
    }
#define STRINGS(n, ...)                                                                            \
    {                                                                                              \
        .name = (n), .type = "string", .list = true, __VA_ARGS__                                   \
    }
#define PATH     STRING("path", "Path of it; a relative one is below " WORKSPACE_ROOT)
#define PATTERNS STRINGS("excludePatterns", .def = "[]", .summary = "Globs of what is left out")

static const struct field edit_fields[] = {PATH,
                                           {.name = "edits",
                                            .type = "EditOperation",
                                            .list = true,
                                            .required = true,
                                            .summary = "Edits, made one after the other"},
                                           {.name = "dryRun",
                                            .type = "boolean",
                                            .def = "false",
                                            .summary = "Shows the changes and makes none"}};
static const struct field operation_fields[] = {STRING("oldText", "Text that is looked for"),
                                                STRING("newText", "Text in its place")};
static const struct field move_fields[] = {STRING("source", "Path of what is moved"),
                                           STRING("destination", "Path that it gets")};
static const struct field multiple_fields[] = {
    STRINGS("paths", .required = true, .least = 1, .summary = "Paths of the files")};
static const struct field path_fields[] = {PATH};
static const struct field read_fields[] = {
    PATH,
    {.name = "tail", .type = "number", .summary = "So many lines from the end"},
    {.name = "head", .type = "number", .summary = "So many lines from the start"}};
static const struct field result_fields[] = {
    {.name = "content", .type = "any", .list = true, .required = true},
    {.name = "structuredContent", .type = "any"},
    {.name = "isError", .type = "boolean"}};
static const struct field search_fields[] = {
    PATH, STRING("pattern", "Glob of paths relative to the directory"), PATTERNS};
static const char *const orders[] = {"name", "size", NULL};
static const struct field sized_fields[] = {PATH,
                                            {.name = "sortBy",
                                             .type = "string",
                                             .def = "name",
                                             .values = orders,
                                             .summary = "Order of the entries"}};
static const struct field tree_fields[] = {PATH, PATTERNS};
static const struct field write_fields[] = {PATH, STRING("content", "All that is in it then")};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema schemas[] = {
    SCHEMA("DirectoryTree", tree_fields),      SCHEMA("EditFile", edit_fields),
    SCHEMA("EditOperation", operation_fields), SCHEMA("ListWithSizes", sized_fields),
    SCHEMA("MoveFile", move_fields),           SCHEMA("Path", path_fields),
    SCHEMA("ReadFile", read_fields),           SCHEMA("ReadFiles", multiple_fields),
    SCHEMA("SearchFiles", search_fields),      SCHEMA("ToolResult", result_fields),
    SCHEMA("WriteFile", write_fields),
};

/* ---- the dialect ---- */

static const char *const prefixes[] = {"/workspace/v1/filesystem", NULL};

const struct dialect filesystem_dialect = {
    .name = "workspace.filesystem",
    .title = "Workspace: files",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&filesystem_rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
