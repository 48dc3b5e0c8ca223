/* SPDX-License-Identifier: Apache-2.0 */
/* Unicode text: the folded form that searches compare, and what words are made of. */
#ifndef SOSIA_TEXT_UTF8_H
#define SOSIA_TEXT_UTF8_H

#include "engine/base/arena.h"
#include "engine/base/utf8.h"

/* What is left of a text when case and diacritics don't count: case-folded, without combining
 * accents and the points of Hebrew and Arabic, without invisible characters (soft hyphens, joiners,
 * variation selectors), composed (NFC). Vowel signs and tone marks of other scripts stay: they make
 * other words. "Ärger, STRASSE" and "arger, Straße" give the same. Folding again changes nothing.
 * Bytes that are not UTF-8 are left out. Linear in time. */
const char *utf8_fold(struct arena *a, const char *text);

/* Are two texts the same without regard to case? Accents count. */
bool utf8_same(const char *x, const char *y);

/* Is a code point one that words are made of: a letter, a digit, a combining mark? */
bool utf8_is_word(unsigned c);

#endif
