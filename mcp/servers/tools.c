/* SPDX-License-Identifier: Apache-2.0 */
/* Titles, results and hints of each server's tools, for its list. */
#include "mcp/servers/server.h"
#include "mcp/sets/set.h"

/* ---- files ---- */

#define TEXT_OUT                                                                                   \
    "{\"type\":\"object\",\"properties\":{\"content\":{\"type\":\"string\"}},\"required\":["       \
    "\"content\"],\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"additionalProperties"  \
    "\":false}"
#define MEDIA_OUT                                                                                  \
    "{\"type\":\"object\",\"properties\":{\"content\":{\"type\":\"array\",\"items\":{\"anyOf\":[{" \
    "\"type\":\"object\",\"properties\":{\"type\":{\"type\":\"string\",\"enum\":[\"image\","       \
    "\"audio\"]},\"data\":{\"type\":\"string\"},\"mimeType\":{\"type\":\"string\"}},\"required\":" \
    "[\"type\",\"data\",\"mimeType\"],\"additionalProperties\":false},{\"type\":\"object\","       \
    "\"properties\":{\"type\":{\"type\":\"string\",\"const\":\"resource\"},\"resource\":{\"type\"" \
    ":\"object\",\"properties\":{\"uri\":{\"type\":\"string\"},\"mimeType\":{\"type\":\"string\"}" \
    ",\"blob\":{\"type\":\"string\"}},\"required\":[\"uri\",\"blob\"],\"additionalProperties\":"   \
    "false}},\"required\":[\"type\",\"resource\"],\"additionalProperties\":false}]}}},"            \
    "\"required\":[\"content\"],\"$schema\":\"http://json-schema.org/draft-07/schema#\","          \
    "\"additionalProperties\":false}"

#define READING (HINT_READS | HINT_BRIEF)

static const struct server_tool file_tools[] = {
    {"Read File (Deprecated)", TEXT_OUT, READING},
    {"Read Text File", TEXT_OUT, READING},
    {"Read Media File", MEDIA_OUT, READING},
    {"Read Multiple Files", TEXT_OUT, READING},
    {"Write File", TEXT_OUT, HINT_REPEATS | HINT_DESTROYS},
    {"Edit File", TEXT_OUT, HINT_DESTROYS},
    {"Create Directory", TEXT_OUT, HINT_REPEATS},
    {"List Directory", TEXT_OUT, READING},
    {"List Directory with Sizes", TEXT_OUT, READING},
    {"Directory Tree", TEXT_OUT, READING},
    {"Move File", TEXT_OUT, HINT_DESTROYS},
    {"Search Files", TEXT_OUT, READING},
    {"Get File Info", TEXT_OUT, READING},
    {"List Allowed Directories", TEXT_OUT, READING},
};

const struct mcp_server mcp_filesystem = {.name = "filesystem",
                                          .server = "secure-filesystem-server",
                                          .version = "0.2.0",
                                          .dialect = &filesystem_dialect,
                                          .tools = file_tools,
                                          .service = {.name = "filesystem", .title = "Files"}};

/* ---- memory ---- */

#define OBJECT(properties, required)                                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required                 \
    "],\"additionalProperties\":false}"
#define RESULT(properties, required)                                                               \
    "{\"type\":\"object\",\"properties\":{" properties "},\"required\":[" required                 \
    "],\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"additionalProperties\":false}"
#define TEXT(name)        "\"" name "\":{\"type\":\"string\"}"
#define LIST_OF(name, of) "\"" name "\":{\"type\":\"array\",\"items\":" of "}"
#define TEXTS(name)       LIST_OF(name, "{\"type\":\"string\"}")
#define ENTITY                                                                                     \
    OBJECT(TEXT("name") "," TEXT("entityType") "," TEXTS("observations"),                          \
           "\"name\",\"entityType\",\"observations\"")
#define RELATION                                                                                   \
    OBJECT(TEXT("from") "," TEXT("to") "," TEXT("relationType"), "\"from\",\"to\","                \
                                                                 "\"relationType\"")
#define ADDED                                                                                      \
    OBJECT(TEXT("entityName") "," TEXTS("addedObservations"),                                      \
           "\"entityName\",\"addedObservations\"")
#define ENTITIES_OUT  RESULT(LIST_OF("entities", ENTITY), "\"entities\"")
#define RELATIONS_OUT RESULT(LIST_OF("relations", RELATION), "\"relations\"")
#define ADDED_OUT     RESULT(LIST_OF("results", ADDED), "\"results\"")
#define DONE_OUT                                                                                   \
    RESULT("\"success\":{\"type\":\"boolean\"}," TEXT("message"), "\"success\",\"message\"")
#define GRAPH_OUT                                                                                  \
    RESULT(LIST_OF("entities", ENTITY) "," LIST_OF("relations", RELATION),                         \
           "\"entities\",\"relations\"")

#define ALL HINTS

static const struct server_tool memory_tools[] = {
    {"Create Entities", ENTITIES_OUT, ALL},
    {"Create Relations", RELATIONS_OUT, ALL},
    {"Add Observations", ADDED_OUT, ALL},
    {"Delete Entities", DONE_OUT, ALL | HINT_DESTROYS | HINT_REPEATS},
    {"Delete Observations", DONE_OUT, ALL | HINT_DESTROYS | HINT_REPEATS},
    {"Delete Relations", DONE_OUT, ALL | HINT_DESTROYS | HINT_REPEATS},
    {"Read Graph", GRAPH_OUT, ALL | HINT_READS | HINT_REPEATS},
    {"Search Nodes", GRAPH_OUT, ALL | HINT_READS | HINT_REPEATS},
    {"Open Nodes", GRAPH_OUT, ALL | HINT_READS | HINT_REPEATS},
};

const struct mcp_server mcp_memory = {.name = "localmemory",
                                      .server = "memory-server",
                                      .version = "0.6.3",
                                      .dialect = &memory_dialect,
                                      .tools = memory_tools,
                                      .service = {.name = "localmemory", .title = "Memory"}};

/* ---- terminal ---- */

static const struct server_tool terminal_tools[] = {{.hints = 0}, {.hints = 0}};

const struct mcp_server mcp_terminal = {.name = "terminal",
                                        .server = "cli-mcp-server",
                                        .version = "0.2.1",
                                        .dialect = &terminal_dialect,
                                        .tools = terminal_tools,
                                        .service = {.name = "terminal", .title = "Terminal"}};

/* ---- fetch ---- */

static const struct server_tool fetch_tools[] = {
    {.hints = HINTS | HINT_READS | HINT_REPEATS | HINT_OPEN}};

const struct mcp_server mcp_fetch = {.name = "fetch",
                                     .server = "mcp-fetch",
                                     .version = "1.28.1",
                                     .dialect = &fetch_dialect,
                                     .tools = fetch_tools,
                                     .service = {.name = "fetch", .title = "Fetch"}};

/* ---- git ---- */

#define LOOKS (HINTS | HINT_READS | HINT_REPEATS)

static const struct server_tool git_tools[] = {
    {.hints = LOOKS},
    {.hints = LOOKS},
    {.hints = LOOKS},
    {.hints = LOOKS},
    {.hints = HINTS},                /* git_commit */
    {.hints = HINTS | HINT_REPEATS}, /* git_add */
    {.hints = HINTS | HINT_DESTROYS | HINT_REPEATS},
    {.hints = LOOKS},
    {.hints = HINTS},
    {.hints = HINTS},
    {.hints = LOOKS},
    {.hints = LOOKS},
};

const struct mcp_server mcp_git = {.name = "git",
                                   .server = "mcp-git",
                                   .version = "2026.7.10",
                                   .dialect = &git_dialect,
                                   .tools = git_tools,
                                   .service = {.name = "git", .title = "Git"}};

/* ---- code ---- */

const struct mcp_server mcp_code_runner = {
    .name = "code-runner",
    .server = "Code Runner",
    .version = "0.1.0",
    .dialect = &code_runner_dialect,
    .service = {.name = "code-runner", .title = "Code runner"}};

const struct mcp_server mcp_code_executor = {
    .name = "code-executor",
    .server = "code-executor",
    .version = "0.2.0",
    .dialect = &code_executor_dialect,
    .service = {.name = "code-executor", .title = "Code executor"}};

#define SAID(title, more) "{\"title\":\"" title "\",\"readOnlyHint\":" more "}"
#define READS_IT(title)   SAID(title, "true")
#define CHANGES_IT(title, open)                                                                    \
    SAID(title, "false,\"destructiveHint\":true,\"openWorldHint\":" open)

static const struct server_tool desktop_tools[] = {
    {.said = READS_IT("Get Configuration")},
    {.said = CHANGES_IT("Set Configuration Value", "false")},
    {.said = SAID("Read File or URL", "true,\"openWorldHint\":true")},
    {.said = READS_IT("Read Multiple Files")},
    {.said = CHANGES_IT("Write File", "false")},
    {.said = CHANGES_IT("Write/Modify PDF", "false")},
    {.said = SAID("Create Directory", "false,\"destructiveHint\":false")},
    {.said = READS_IT("List Directory Contents")},
    {.said = CHANGES_IT("Move/Rename File", "false")},
    {.said = READS_IT("Start Search")},
    {.said = READS_IT("Get Search Results")},
    {.said = SAID("Stop Search", "false,\"destructiveHint\":false")},
    {.said = READS_IT("List Active Searches")},
    {.said = READS_IT("Get File Information")},
    {.said = CHANGES_IT("Edit Block", "false")},
    {.said = CHANGES_IT("Start Terminal Process", "true")},
    {.said = READS_IT("Read Process Output")},
    {.said = CHANGES_IT("Send Input to Process", "true")},
    {.said = CHANGES_IT("Force Terminate Process", "false")},
    {.said = READS_IT("List Terminal Sessions")},
    {.said = READS_IT("List Running Processes")},
    {.said = CHANGES_IT("Kill Process", "false")},
    {.said = READS_IT("Get Usage Statistics")},
    {.said = READS_IT("Get Recent Tool Calls")},
};

const struct mcp_server mcp_desktop = {
    .name = "desktop-commander",
    .server = "desktop-commander",
    .version = "0.2.52",
    .dialect = &desktop_dialect,
    .tools = desktop_tools,
    .service = {.name = "desktop-commander", .title = "Desktop commander"}};

/* ---- PDF ---- */

static const struct server_tool pdf_tools[] = {{.hints = HINTS | HINT_READS | HINT_BRIEF},
                                               {.hints = HINTS | HINT_READS | HINT_BRIEF},
                                               {.hints = 0}};

const struct mcp_server mcp_pdf = {.name = "pdf-tools",
                                   .server = "pdf-tools-mcp-server",
                                   .version = "1.0.0",
                                   .dialect = &pdf_dialect,
                                   .tools = pdf_tools,
                                   .service = {.name = "pdf-tools", .title = "PDF"}};

/* ---- mail ---- */

#define SAID_OUT                                                                                   \
    "{\"type\":\"object\",\"properties\":{\"result\":{\"title\":\"Result\",\"type\":\"string\"}}," \
    "\"required\":[\"result\"]}"
#define SENDING (ALL | HINT_OPEN)

static const struct server_tool email_tools[] = {
    {"Get Emails", SAID_OUT, ALL | HINT_READS | HINT_REPEATS},
    {"Read Email", SAID_OUT, ALL | HINT_REPEATS},
    {"Search Emails", SAID_OUT, ALL | HINT_READS | HINT_REPEATS},
    {"Send Email", SAID_OUT, SENDING},
    {"Reply Email", SAID_OUT, SENDING},
    {"Forward Email", SAID_OUT, SENDING},
    {"Delete Email", SAID_OUT, ALL | HINT_DESTROYS},
    {"Move Email", SAID_OUT, ALL},
    {"Mark Emails", SAID_OUT, ALL | HINT_REPEATS},
    {"Move Emails", SAID_OUT, ALL},
    {"Delete Emails", SAID_OUT, ALL | HINT_DESTROYS},
    {"Get Folders", SAID_OUT, ALL | HINT_READS | HINT_REPEATS},
    {"Create Folder", SAID_OUT, ALL | HINT_REPEATS},
    {"Delete Folder", SAID_OUT, ALL | HINT_DESTROYS},
    {"Get Mailbox Stats", SAID_OUT, ALL | HINT_READS | HINT_REPEATS},
    {"Get Unread Count", SAID_OUT, ALL | HINT_READS | HINT_REPEATS},
    {"Check Connection", SAID_OUT, ALL | HINT_READS | HINT_REPEATS},
    {"Get Email Headers", SAID_OUT, ALL | HINT_READS | HINT_REPEATS},
    {"Save Draft", SAID_OUT, ALL},
    {"Get Drafts", SAID_OUT, ALL | HINT_READS | HINT_REPEATS},
    {"Update Draft", SAID_OUT, ALL | HINT_DESTROYS},
    {"Delete Draft", SAID_OUT, ALL | HINT_DESTROYS},
    {"Export Emails", SAID_OUT, ALL},
    {"Import Emails", SAID_OUT, ALL},
    {"Download Attachment", SAID_OUT, ALL},
};

const struct mcp_server mcp_email = {
    .name = "poste_email_toolathlon",
    .server = "emails-mcp",
    .version = "1.12.3",
    .dialect = &email_dialect,
    .tools = email_tools,
    .service = {.name = "poste_email_toolathlon", .title = "Mail of a mailbox"}};
