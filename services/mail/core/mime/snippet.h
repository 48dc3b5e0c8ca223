/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of what is read in a message. */
#ifndef SOSIA_MAIL_SNIPPET_H
#define SOSIA_MAIL_SNIPPET_H

#include <stdbool.h>
#include <stddef.h>

/* Characters, "&", "<", ">" and quotes as HTML writes them: two recordings show as many. */
#define SNIPPET_MAX 201

/* All zero: empty. text is not a string yet: the caller ends it at len. */
struct mail_snippet {
    char text[4 * SNIPPET_MAX + 8];
    size_t len, chars;
    size_t cut; /* the last place at which it may end; 0: none */
    int before; /* what kind of character is the last one */
    bool inner; /* and it is between two of a word */
    bool full;
};

/* Takes up the beginning of a text (UTF-8), whitespace as one space, to SNIPPET_MAX characters in
 * all. What is longer ends between two segments of words (Unicode's annex 29, in short). A mark of
 * the byte order in front is left out, and line ends between characters of scripts that put no
 * spaces between words are none. */
void mail_snippet_add(struct mail_snippet *s, const char *text, size_t len);

#endif
