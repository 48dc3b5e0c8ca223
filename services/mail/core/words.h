/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words, as the index has them: the same for what is indexed and what is searched. A text becomes
 * its words in lower case without accents, with a blank behind each; the index's tokenizer splits
 * at blanks only.
 *
 * Letters, digits and '_' and '&' make words; a '.' between digits belongs to them ("01.2047").
 * Every character of scripts that put no blanks between words is a word. What stands between words
 * does not matter.
 */
#ifndef SOSIA_MAIL_WORDS_H
#define SOSIA_MAIL_WORDS_H

#include "engine/base/buf.h"

#define WORD_MAX    64  /* bytes of a word; what is longer is cut */
#define ADDRESS_MAX 254 /* bytes of an address that is known as a whole */

/* Adds the words of a text (UTF-8; other bytes separate), a blank behind each, and `mark` in front
 * of each ("" for none). Gives how many. */
size_t words_add(struct buf *out, const char *text, size_t len, const char *mark);
/* Adds the addresses in a text, each as one word ("amy.poe@shop.example.com"). An address is what
 * stands around an '@' with letters or digits on both sides. Gives how many. */
size_t words_add_addresses(struct buf *out, const char *text, size_t len, const char *mark);

#endif
