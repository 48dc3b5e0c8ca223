/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect of the server "localmemory", with its tools' arguments. */
#include "mcp/servers/server.h"

/* ---- arguments ---- */

#define STRING(n, what)                                                                            \
    {                                                                                              \
        .name = (n), .type = "string", .required = true, .summary = (what)                         \
    }
#define LIST(n, of, what)                                                                          \
    {                                                                                              \
        .name = (n), .type = (of), .list = true, .required = true, .summary = (what)               \
    }

static const struct field add_fields[] = {
    LIST("observations", "Addition", "What is added to which entity")};
static const struct field addition_fields[] = {
    STRING("entityName", "The entity that they are about"),
    LIST("contents", "string", "Observations to add")};
static const struct field deletion_fields[] = {
    STRING("entityName", "The entity that they are about"),
    LIST("observations", "string", "Observations to delete")};
static const struct field entities_fields[] = {LIST("entities", "Entity", "Entities to make")};
static const struct field entity_fields[] = {STRING("name", "Name of the entity"),
                                             STRING("entityType", "Sort of the entity"),
                                             LIST("observations", "string", "What is known of it")};
static const struct field forget_fields[] = {
    LIST("deletions", "Deletion", "What is deleted of which entity")};
static const struct field names_fields[] = {LIST("names", "string", "Names of entities to read")};
static const struct field query_fields[] = {
    STRING("query", "Text that names, sorts or observations have, in any case")};
static const struct field relation_fields[] = {
    STRING("from", "Name of the entity that it begins at"),
    STRING("to", "Name of the entity that it ends at"), STRING("relationType", "What it says")};
static const struct field relations_fields[] = {LIST("relations", "Relation", "The relations")};
static const struct field remove_fields[] = {
    LIST("entityNames", "string", "Names of entities to delete")};
static const struct field result_fields[] = {
    {.name = "content", .type = "any", .list = true, .required = true},
    {.name = "structuredContent", .type = "any"},
    {.name = "isError", .type = "boolean"}};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema schemas[] = {
    SCHEMA("AddObservations", add_fields),
    SCHEMA("Addition", addition_fields),
    SCHEMA("CreateEntities", entities_fields),
    SCHEMA("DeleteEntities", remove_fields),
    SCHEMA("DeleteObservations", forget_fields),
    SCHEMA("Deletion", deletion_fields),
    SCHEMA("Entity", entity_fields),
    SCHEMA("OpenNodes", names_fields),
    SCHEMA("Relation", relation_fields),
    SCHEMA("Relations", relations_fields),
    SCHEMA("SearchNodes", query_fields),
    SCHEMA("ToolResult", result_fields),
};

/* ---- the dialect ---- */

static const char *const prefixes[] = {"/workspace/v1/memory", NULL};

const struct dialect memory_dialect = {
    .name = "workspace.memory",
    .title = "Workspace: memory",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&memory_rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
