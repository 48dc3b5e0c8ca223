/* SPDX-License-Identifier: Apache-2.0 */
/* Quotes, backslashes and newlines in what becomes a string, for the writer. */
#ifndef SOSIA_JSON_QUOTE_H
#define SOSIA_JSON_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a text needs no escape but of quotes, backslashes and newlines: it is ASCII without other
 * control characters. Others may suit, too. */
bool quote_suits(const char *text, size_t n);
/* Copies n bytes with a backslash before each quote and backslash, and another with an n in the
 * place of each newline; gives the end of the copy. At p is room for 2 n bytes. */
char *quote_put(char *p, const char *text, size_t n);
/* The same by another of the ways that this processor has, for tests: the best is 0. NULL: it has
 * no more. */
char *quote_put_by(unsigned way, char *p, const char *text, size_t n);

#endif
