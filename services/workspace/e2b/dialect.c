/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect, with the shapes of its messages. */
#include "services/workspace/e2b/e2b.h"

/* ---- schemas ---- */

static const struct field list_fields[] = {
    {.name = "path", .type = "string", .summary = "A directory"},
    {.name = "depth",
     .type = "integer",
     .min = 0,
     .max = UINT32_MAX,
     .summary = "How many directories deep; 0 is 1"}};
static const struct field path_fields[] = {
    {.name = "path", .type = "string", .summary = "Relative to the home directory, or absolute"}};
static const struct field move_fields[] = {
    {.name = "source", .type = "string", .summary = "What is moved"},
    {.name = "destination", .type = "string", .summary = "The path that it gets"}};
static const char *const types[] = {"FILE_TYPE_FILE", "FILE_TYPE_DIRECTORY", "FILE_TYPE_SYMLINK",
                                    NULL};
static const struct field info_fields[] = {
    {.name = "name", .type = "string"},
    {.name = "type", .type = "string", .values = types},
    {.name = "path", .type = "string"},
    {.name = "size", .type = "string", .format = "int64"},
    {.name = "mode", .type = "integer"},
    {.name = "permissions", .type = "string"},
    {.name = "owner", .type = "string"},
    {.name = "group", .type = "string"},
    {.name = "modifiedTime", .type = "string", .format = "date-time"},
    {.name = "symlinkTarget", .type = "string"}};
static const struct field entry_fields[] = {{.name = "entry", .type = "EntryInfo"}};
static const struct field entries_fields[] = {
    {.name = "entries", .type = "EntryInfo", .list = true}};

static const struct field processes_fields[] = {{.name = "processes", .type = "any", .list = true}};
static const struct field process_fields[] = {
    {.name = "process", .type = "any", .summary = "Its pid or its tag"}};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema schemas[] = {
    {.name = "EmptyRequest"},
    {.name = "EmptyResponse"},
    SCHEMA("EntryInfo", info_fields),
    SCHEMA("EntryResponse", entry_fields),
    SCHEMA("ListDirRequest", list_fields),
    SCHEMA("ListDirResponse", entries_fields),
    SCHEMA("ListResponse", processes_fields),
    SCHEMA("MoveRequest", move_fields),
    SCHEMA("PathRequest", path_fields),
    SCHEMA("ProcessRequest", process_fields),
};

/* ---- the dialect ---- */

static const char *const prefixes[] = {E2B_PREFIX, NULL};

const struct dialect e2b_dialect = {
    .name = "workspace.e2b",
    .title = "Workspace: a sandbox's own interface as E2B has it",
    .vendor = &e2b_vendor,
    .prefixes = prefixes,
    .tables =
        TABLES(&e2b_file_rows, &e2b_filesystem_rows, &e2b_process_rows, &e2b_process_live_rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
