/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tool servers of other names that work on a world's workspace and need no process: an endpoint
 * /mcp/NAME each, or /mcp?tools=NAME, with the names, schemas, texts and refusals of the original.
 *
 * A tool is a row, whose method is called with the tool's arguments as its body and answers with
 * the tool's result: so scopes, policies, the journal and replays see each tool as a method of its
 * own. A failure of the original is a refusal of the method, in the same form.
 */
#ifndef SOSIA_MCP_SERVER_H
#define SOSIA_MCP_SERVER_H

#include "mcp/tool.h"
#include "services/workspace/core/workspace.h"

struct mcp_server {
    const char *name;                   /* of its endpoint */
    const char *server, *version;       /* as it says itself */
    const struct dialect *dialect;      /* that has its rows, in the order of the list */
    const struct server_tool *tools;    /* one for each row, in that order */
    const struct dialect_tools service; /* whose endpoint it is, for sessions */
};

struct server_tool {
    const char *title;  /* NULL: the original has none */
    const char *output; /* schema of its structured result, JSON; NULL: it has none */
    unsigned hints;     /* HINT_... (mcp/sets/set.h); 0: the original says nothing */
    const char *said;   /* its annotations as they are, JSON, in the place of hints; NULL */
};

extern const struct mcp_server mcp_filesystem, mcp_memory, mcp_email, mcp_terminal, mcp_git,
    mcp_code_runner, mcp_code_executor, mcp_desktop, mcp_fetch, mcp_pdf;
extern const struct dialect filesystem_dialect, memory_dialect, email_dialect, programs_dialect,
    terminal_dialect, git_dialect, code_runner_dialect, code_executor_dialect, desktop_dialect,
    carried_dialect, fetch_dialect, keep_dialect, pdf_dialect, web_dialect,
    pages_dialect; /* the last three: methods that are no tools */
extern const struct rows filesystem_rows, memory_rows, email_rows, keep_rows, fetch_rows, web_rows;
extern const struct front server_front;
extern const struct vendor server_vendor;
extern const struct mcp_face mcp_server_face, mcp_carried_face;
extern const struct dialect_tools carried_service;

/* Finds one by n bytes of its name; NULL: there is none. */
const struct mcp_server *mcp_server_named(const char *name, size_t n);
const struct mcp_server *mcp_server_of(const struct mcp_call *m);

/* Calls a tool's method; arguments: JSON. ret->response is to be freed in any case. 0; -1: there is
 * no such tool for the token, or no memory. */
int server_ask(struct mcp_call *m, const char *tool, const char *arguments, struct mcp_answer *ret);

/* The same of a row; body: JSON. 0; -1: no memory. */
int server_ask_row(struct mcp_call *m, const struct route *r, const char *body,
                   struct mcp_answer *ret);
/* Writes what it has answered as the tool's result. Gives 0. */
int server_result(struct mcp_call *m, struct mcp_answer *a);

#define MEMORY_FILE WORKSPACE_MEMORY

/* ---- handlers ---- */

/* Whether the call is of a tool of the server of that name. */
bool server_is(const struct call *c, const char *name);
/* The arguments: an object that keeps to the row's schema. */
const struct json *server_arguments(struct call *c);
/* Refuses in the original's words. Gives -1. */
__attribute__((format(printf, 2, 3))) int server_fail(struct call *c, const char *fmt, ...);
/* The reason of a refusal that is a text like any other, not marked as an error. */
#define SERVER_SAID "said"
/* The result: a text, which is the structured content's member too. Bytes that are not UTF-8 become
 * U+FFFD. 0, -1. */
int server_text(struct call *c, const char *text, size_t n);
/* The same of a buffer, whose memory is given back. */
int server_buf(struct call *c, struct buf *b);
/* The text with U+FFFD in the place of what is not UTF-8. */
void server_put_text(struct buf *b, const char *text, size_t n);
/* A text of JSON as JSON.stringify(x, null, 2) has it, of a value that a writer has printed with
 * indentation. */
void server_trim(struct buf *b);

#endif
