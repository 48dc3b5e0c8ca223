/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect of files as bytes. */
#include "mcp/servers/server.h"

#define TEXT(n, what)                                                                              \
    {                                                                                              \
        .name = (n), .type = "string", .required = true, .summary = (what)                         \
    }
#define SIZE                                                                                       \
    {                                                                                              \
        .name = "size", .type = "integer", .required = true, .summary = "Bytes"                    \
    }
#define PATH TEXT("path", "Absolute path of the file")
#define NAME TEXT("name", "Name of the file")

static const struct field bytes_fields[] = {PATH, NAME, SIZE,
                                            TEXT("data", "Content of the file in base64")};
static const struct field read_fields[] = {
    TEXT("path", "Path of the file; a relative one is below " WORKSPACE_ROOT)};
static const struct field save_fields[] = {
    TEXT("path", "Path of the file, or of the directory that it goes into: one that is there, or a "
                 "path that ends with a slash"),
    {.name = "name", .type = "string", .summary = "Name of the file in a directory"},
    TEXT("data", "Content of the file in base64"),
    {.name = "overwrite",
     .type = "boolean",
     .def = "false",
     .summary =
         "It takes the place of a file that is there; in a directory it gets a number else"}};
static const struct field saved_fields[] = {PATH, NAME, SIZE};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema schemas[] = {
    SCHEMA("FileBytes", bytes_fields),
    SCHEMA("FileSaved", saved_fields),
    SCHEMA("ReadBytes", read_fields),
    SCHEMA("SaveBytes", save_fields),
};

static const char *const prefixes[] = {"/workspace/v1/files", NULL};

const struct dialect keep_dialect = {
    .name = "workspace.files",
    .title = "Workspace: bytes",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&keep_rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
