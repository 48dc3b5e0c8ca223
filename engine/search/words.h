/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words, as the index has them: the same for what is indexed and what is searched. A text becomes
 * its words in lower case without accents, with spaces between them; the index's tokenizer splits
 * at spaces only.
 *
 * Letters, digits and '_' make words; a '.' between digits belongs to them ("01.2047"), and so does
 * an '&' between letters ("at&t"). Every letter of scripts that put no whitespace between words is
 * a word.
 */
#ifndef SOSIA_SEARCH_WORDS_H
#define SOSIA_SEARCH_WORDS_H

#include "engine/base/buf.h"

#define WORD_MAX 64 /* bytes of a word; what is longer is cut */

/* Adds the words of a text (UTF-8), a space behind each. Gives how many. */
size_t words_add(struct buf *out, const char *text, size_t len);
/* The next word from *at on, as the text has it: where it begins, and its bytes. False: no more. */
bool words_next(const char *text, size_t len, size_t *at, size_t *ret_n);
/* Is the code point a word by itself, of a script without whitespace between words? */
bool words_is_whole(unsigned c);
/* Adds in this way every address in a text: what is around an '@' that has letters or digits on
 * both sides. Gives how many. */
size_t words_add_wholes(struct buf *out, const char *text, size_t len);

#endif
