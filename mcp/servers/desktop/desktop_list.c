/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the server "desktop-commander", with its tools' arguments. */
#include "mcp/servers/desktop/desktop.h"

#define TOOL(name)                                                                                 \
    .id = "desktopCommander." name, .verbs = POST,                                                 \
    .paths = PATHS("/workspace/v1/desktop-commander/" name), .body = BODY_JSON_OPTIONAL,           \
    .response = "ToolResult"
#define READS  .risk = RISK_READ, .scopes = "workspace.readonly workspace"
#define WRITES .risk = RISK_WRITE, .scopes = "workspace"

static const struct route methods[] = {
    {TOOL("get_config"), READS, .handler = desktop_config, .request = "Origin",
     .summary = "The configuration"},
    {TOOL("set_config_value"), WRITES, .handler = desktop_set_config, .request = "SetConfig",
     .summary = "Set a value of the configuration"},
    {TOOL("read_file"), READS, .handler = desktop_read, .request = "ReadFile",
     .summary = "Read lines of a file"},
    {TOOL("read_multiple_files"), READS, .handler = desktop_read_several, .request = "ReadFiles",
     .summary = "Read several files"},
    {TOOL("write_file"), WRITES, .handler = desktop_write, .request = "WriteFile",
     .summary = "Write a file, or append to it"},
    {TOOL("write_pdf"), WRITES, .handler = desktop_write_pdf, .request = "WritePdf",
     .summary = "Make a PDF file of Markdown, or one of the pages of others"},
    {TOOL("create_directory"), WRITES, .handler = desktop_mkdir, .request = "Path",
     .summary = "Make a directory, with those that it is in"},
    {TOOL("list_directory"), READS, .handler = desktop_list, .request = "ListDirectory",
     .summary = "List what is in a directory, and below it"},
    {TOOL("move_file"), WRITES, .handler = desktop_move, .request = "MoveFile",
     .summary = "Move or rename a file or a directory"},
    {TOOL("start_search"), READS, .handler = desktop_search, .request = "StartSearch",
     .summary = "Search for files by their names, or for what is in them"},
    {TOOL("get_more_search_results"), READS, .handler = desktop_search_more,
     .request = "MoreResults", .summary = "Results of a search, from one of them on"},
    {TOOL("stop_search"), READS, .handler = desktop_search_stop, .request = "Search",
     .summary = "End a search"},
    {TOOL("list_searches"), READS, .handler = desktop_searches, .summary = "Searches that run"},
    {TOOL("get_file_info"), READS, .handler = desktop_info, .request = "Path",
     .summary = "What is known of a file or a directory"},
    {TOOL("edit_block"), WRITES, .handler = desktop_edit, .request = "EditBlock",
     .summary = "Replace a text in a file"},
    {TOOL("start_process"), WRITES, .handler = desktop_start, .pace = PACE_SLOW,
     .request = "StartProcess",
     .summary = "Run a command by a shell, until it ends or its time is over"},
    {TOOL("read_process_output"), WRITES, .handler = desktop_output, .pace = PACE_SLOW,
     .request = "ReadProcess", .summary = "Read what a process prints"},
    {TOOL("interact_with_process"), WRITES, .handler = desktop_interact, .pace = PACE_SLOW,
     .request = "InteractWithProcess",
     .summary = "Write a line to a process, and wait for what it prints"},
    {TOOL("force_terminate"), WRITES, .handler = desktop_terminate, .pace = PACE_SLOW,
     .request = "Process", .summary = "End a process"},
    {TOOL("list_sessions"), WRITES, .handler = desktop_sessions, .pace = PACE_SLOW,
     .summary = "Processes that run"},
    {TOOL("list_processes"), WRITES, .handler = desktop_processes, .pace = PACE_SLOW,
     .summary = "All processes that the tools have started, with those that these have"},
    {TOOL("kill_process"), WRITES, .handler = desktop_kill, .pace = PACE_SLOW, .request = "Process",
     .summary = "End any of these"},
    {TOOL("get_usage_stats"), READS, .handler = desktop_usage,
     .summary = "How often the tools were called, as far as the journal has it"},
    {TOOL("get_recent_tool_calls"), READS, .handler = desktop_recent, .request = "RecentCalls",
     .summary = "What was called lately, with arguments and results, as far as the journal has it"},
};
static const struct rows rows = ROWS(methods);

#define STRING(n, what)                                                                            \
    {                                                                                              \
        .name = (n), .type = "string", .required = true, .summary = (what)                         \
    }
#define NUMBER(n, usual, what)                                                                     \
    {                                                                                              \
        .name = (n), .type = "number", .def = (usual), .summary = (what)                           \
    }
#define PATH STRING("path", "Path of it, below " WORKSPACE_ROOT)

#define OPTIONS                                                                                    \
    {                                                                                              \
        .name = "options", .type = "object", .summary = "Nothing is looked at of it"               \
    }
#define ORIGIN                                                                                     \
    {                                                                                              \
        .name = "origin", .type = "string", .values = origins,                                     \
        .summary = "Nothing is looked at of it"                                                    \
    }
#define TIMING                                                                                     \
    {                                                                                              \
        .name = "verbose_timing", .type = "boolean", .summary = "Nothing is looked at of it"       \
    }
static const char *const origins[] = {"ui", "llm", NULL};

static const char *const modes[] = {"rewrite", "append", NULL};
static const struct field edit_fields[] = {
    STRING("file_path", "The file"),
    {.name = "old_string", .type = "string", .summary = "The text that is there"},
    {.name = "new_string", .type = "string", .summary = "The text in its place"},
    NUMBER("expected_replacements", "1", "How often the text is there"),
    {.name = "range",
     .type = "string",
     .summary = "Of a workbook: where its cells become others, Sheet1!A1, or a sheet's name"},
    {.name = "content", .type = "any", .summary = "Rows of values for them"},
    OPTIONS,
    ORIGIN};
static const struct field list_fields[] = {PATH, NUMBER("depth", "2", "How deep it goes"), ORIGIN};
static const struct field move_fields[] = {STRING("source", "Path of what is moved"),
                                           STRING("destination", "Path that it gets")};
static const struct field path_fields[] = {PATH};
#define PID                                                                                        \
    {                                                                                              \
        .name = "pid", .type = "number", .required = true, .summary = "Its number"                 \
    }
static const struct field process_fields[] = {PID};
static const struct field interact_fields[] = {
    PID,
    STRING("input", "The line"),
    NUMBER("timeout_ms", NULL, "Milliseconds that are waited; without it 8000"),
    {.name = "wait_for_prompt",
     .type = "boolean",
     .summary = "Whether what it prints is waited for, as without it"},
    TIMING};
static const struct field output_fields[] = {
    PID, NUMBER("timeout_ms", NULL, "Milliseconds that new output is waited for; without it 5000"),
    NUMBER("offset", NULL, "The first line; 0: the first new one; less than 0: from the end"),
    NUMBER("length", NULL, "How many lines; without it fileReadLineLimit of the settings"), TIMING};
static const struct field read_fields[] = {
    PATH,
    {.name = "isUrl", .type = "boolean", .def = "false", .summary = "It is an address"},
    NUMBER("offset", "0", "The first line, from 0; less than 0: so many from the end"),
    NUMBER("length", "1000", "How many lines"),
    {.name = "sheet", .type = "string", .summary = "Of a workbook: a sheet's name, or its place"},
    {.name = "range", .type = "string", .summary = "Of a workbook: which cells, A1:C10"},
    OPTIONS,
    ORIGIN};
static const struct field several_fields[] = {
    {.name = "paths", .type = "string", .list = true, .required = true, .summary = "Their paths"}};
#define SESSION STRING("sessionId", "Id of the search, as it was given")
#define FLAG(n, usual, what)                                                                       \
    {                                                                                              \
        .name = (n), .type = "boolean", .def = (usual), .summary = (what)                          \
    }
static const char *const kinds[] = {"files", "content", NULL};
static const struct field session_fields[] = {SESSION};
static const struct field more_fields[] = {
    SESSION, NUMBER("offset", "0", "The first result, from 0; less than 0: so many from the end"),
    NUMBER("length", "100", "How many results")};
static const struct field search_fields[] = {
    STRING("path", "Directory or file that is searched"),
    STRING("pattern", "A name, a part of one or a glob; of contents a regular expression"),
    {.name = "searchType",
     .type = "string",
     .values = kinds,
     .def = "files",
     .summary = "Whether names are searched or contents"},
    {.name = "filePattern", .type = "string", .summary = "Globs of names, with | between them"},
    FLAG("ignoreCase", "true", "Whether capitals are like small letters"),
    {.name = DESKTOP_MOST, .type = "number", .summary = "How many results at most"},
    FLAG("includeHidden", "false", "Whether names with a dot in front are searched too"),
    NUMBER("contextLines", "5", "How many lines around each are shown"),
    {.name = "timeout_ms", .type = "number", .summary = "Milliseconds that it may take"},
    {.name = "earlyTermination",
     .type = "boolean",
     .summary = "Whether a file of exactly that name ends it"},
    FLAG("literalSearch", "false", "Whether the pattern is a text and no expression"),
    ORIGIN};
static const struct field result_fields[] = {
    {.name = "content", .type = "any", .list = true, .required = true},
    {.name = "isError", .type = "boolean"}};
static const struct field config_fields[] = {
    STRING("key", "Its name"),
    {.name = "value", .type = "any", .required = true, .summary = "What it becomes"},
    ORIGIN};
static const struct field origin_fields[] = {ORIGIN};
static const struct field start_fields[] = {
    STRING("command", "The command"),
    {.name = "timeout_ms",
     .type = "number",
     .required = true,
     .summary = "Milliseconds after which it is ended"},
    {.name = "shell", .type = "string", .summary = "The shell; without it /bin/bash"},
    TIMING,
    ORIGIN};
static const struct field write_fields[] = {
    PATH,
    STRING("content", "What is written"),
    {.name = "mode",
     .type = "string",
     .values = modes,
     .def = "rewrite",
     .summary = "Whether it takes the place of what is there, or is appended to it"},
    ORIGIN};

static const struct field pdf_fields[] = {
    PATH,
    {.name = "content",
     .type = "any",
     .summary = "Markdown, in which HTML is understood as far as it is text; or operations on the "
                "pages of the file: {type: delete, pageIndexes}, {type: insert, pageIndex, "
                "markdown or sourcePdfPath}, from page 0 on"},
    {.name = "outputPath", .type = "string", .summary = "Path of the new file"},
    {.name = "options",
     .type = "object",
     .summary = "Of new pages: pdf_options with format, landscape, width, height"}};
static const struct field recent_fields[] = {
    NUMBER(DESKTOP_MOST, "50", "How many calls at most, of 1 to 1000"),
    {.name = "toolName", .type = "string", .summary = "Calls of this tool alone"},
    {.name = "since",
     .type = "string",
     .summary = "Calls from this time on, as 2026-11-23T08:00:00Z"}};

#define SCHEMA(n, list)                                                                            \
    {                                                                                              \
        .name = (n), .fields = (list), .n_fields = SOSIA_LEN(list)                                 \
    }
static const struct schema schemas[] = {
    SCHEMA("EditBlock", edit_fields),     SCHEMA("InteractWithProcess", interact_fields),
    SCHEMA("ListDirectory", list_fields), SCHEMA("MoreResults", more_fields),
    SCHEMA("MoveFile", move_fields),      SCHEMA("Origin", origin_fields),
    SCHEMA("Path", path_fields),          SCHEMA("Process", process_fields),
    SCHEMA("ReadFile", read_fields),      SCHEMA("ReadFiles", several_fields),
    SCHEMA("ReadProcess", output_fields), SCHEMA("RecentCalls", recent_fields),
    SCHEMA("Search", session_fields),     SCHEMA("SetConfig", config_fields),
    SCHEMA("StartProcess", start_fields), SCHEMA("StartSearch", search_fields),
    SCHEMA("ToolResult", result_fields),  SCHEMA("WriteFile", write_fields),
    SCHEMA("WritePdf", pdf_fields),
};
static const char *const prefixes[] = {"/workspace/v1/desktop-commander", NULL};

const struct dialect desktop_dialect = {
    .name = "workspace.desktop-commander",
    .title = "Workspace: desktop commander",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};
