/* SPDX-License-Identifier: Apache-2.0 */
/* The dialects of the server "fetch" and of forms. */
#include "mcp/servers/server.h"

#define URL                                                                                        \
    {                                                                                              \
        .name = "url", .type = "string", .required = true, .summary = "Address of the page"        \
    }
static const struct field fetch_fields[] = {
    URL,
    {.name = "max_length",
     .type = "integer",
     .min = 1,
     .max = 999999,
     .def = "5000",
     .summary = "Characters of it that are given at most"},
    {.name = "start_index",
     .type = "integer",
     .max = INT32_MAX,
     .def = "0",
     .summary = "The first of them, to go on where an answer was cut"},
    {.name = "raw", .type = "boolean", .def = "false", .summary = "As it is, and not simplified"}};
static const struct field result_fields[] = {
    {.name = "content", .type = "any", .list = true, .required = true},
    {.name = "structuredContent", .type = "any"},
    {.name = "isError", .type = "boolean"}};
static const struct field submit_fields[] = {
    URL,
    {.name = "type",
     .type = "string",
     .summary = "Media type; without it application/x-www-form-urlencoded"},
    {.name = "text", .type = "string", .required = true, .summary = "The content"}};
static const struct field connected_fields[] = {
    {.name = "address", .type = "string", .required = true, .summary = "As it was asked for"}};
static const struct field submitted_fields[] = {
    {.name = "id", .type = "string", .required = true, .summary = "Of what was sent"},
    {.name = "status", .type = "integer", .required = true, .summary = "That the page answers"}};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema fetch_schemas[] = {SCHEMA("Fetch", fetch_fields),
                                              SCHEMA("ToolResult", result_fields)};
static const struct schema web_schemas[] = {SCHEMA("Connected", connected_fields),
                                            SCHEMA("Submit", submit_fields),
                                            SCHEMA("Submitted", submitted_fields)};

static const char *const fetch_prefixes[] = {"/web/v1/fetch", NULL};
static const char *const web_prefixes[] = {"/web/v1", NULL};

const struct dialect fetch_dialect = {
    .name = "web.fetch",
    .title = "Web: fetch",
    .vendor = &server_vendor,
    .prefixes = fetch_prefixes,
    .tables = TABLES(&fetch_rows),
    .schemas = fetch_schemas,
    .n_schemas = SOSIA_LEN(fetch_schemas),
};

const struct dialect web_dialect = {
    .name = "web.forms",
    .title = "Web: forms",
    .vendor = &server_vendor,
    .prefixes = web_prefixes,
    .tables = TABLES(&web_rows),
    .schemas = web_schemas,
    .n_schemas = SOSIA_LEN(web_schemas),
};
