/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the Model Context Protocol: messages in somebody's name, and calls of tools. */
#ifndef SOSIA_TESTS_MCP_H
#define SOSIA_TESTS_MCP_H

#include "tests/support/world.h"

/* Headers of the newest revision with a handshake, for mcp_post(). */
extern const char *const mcp_newest[];

/* Posts bytes in somebody's name (NULL: nobody's), with a token of these scopes (NULL: all) and
 * further headers: names and values by turns, NULL at the end; NULL: none. */
const struct json *mcp_post(const char *path, const char *who, const char *scopes,
                            const char *const *more, const char *message);
/* The response to a message of the newest revision; params: JSON. */
const struct json *mcp_ask(const char *who, const char *path, const char *method,
                           const char *params);
/* A text n times, in the test's arena. */
const char *mcp_repeated(const char *text, size_t n);
/* The code of a refusal; 0: it is none. */
int64_t mcp_code(const struct json *response);

extern bool mcp_refused; /* by the last tool that was called */
/* The text that a tool gives first, refused or not; arguments: JSON that may use ' for ". */
const char *mcp_call(const char *who, const char *path, const char *tool, const char *arguments);
/* The same; the test fails if it is refused. */
const char *mcp_done(const char *who, const char *path, const char *tool, const char *arguments);
/* It must be refused with a text in which this is. */
void mcp_refuse(const char *who, const char *path, const char *tool, const char *arguments,
                const char *expected);
/* It must not be refused, and this is in its text. */
void mcp_says(const char *who, const char *path, const char *tool, const char *arguments,
              const char *expected);
/* What a text has behind a word, up to the line's end or a bracket. */
const char *mcp_behind(const char *text, const char *word);
/* Arguments with an id in the place of their "%". */
const char *mcp_with(const char *format, const char *id);

#define assert_at(v, path, expected) assert_string_equal(printed_at((v), (path)), (expected))

/* The names of the tools that are listed, with spaces between. */
const char *mcp_names(const char *who, const char *path);

#endif
