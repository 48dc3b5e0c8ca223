/* SPDX-License-Identifier: Apache-2.0 */
/* Words of names and descriptions: spaces, digits, signs and capitals separate them. */
#include "engine/base/codec.h"
#include "vendors/microsoft/odata/impl.h"
#include <ctype.h>

enum word_class { SIGN, DIGIT, LETTER };

static enum word_class class_of(const char *p)
{
    if (isdigit((unsigned char)*p))
        return DIGIT;
    return isalpha((unsigned char)*p) || (unsigned char)*p >= 0x80 ? LETTER : SIGN;
}

/* The next word from *p on, which is passed over; its bytes, 0: there are no more. */
static size_t next_word(const char **p, const char **ret_word)
{
    while (**p && class_of(*p) == SIGN)
        (*p)++;
    const char *from = *p;
    enum word_class class = class_of(from);
    while (**p && class_of(*p) == class) {
        (*p)++;
        if (islower((unsigned char)(*p)[-1]) && isupper((unsigned char)**p))
            break;
    }
    *ret_word = from;
    return (size_t)(*p - from);
}

bool has_words(struct arena *a, const char *text, const char *words)
{
    const char *word, *own;
    for (size_t n; (n = next_word(&words, &word));) {
        const char *want = fold_text(a, arena_memdup(a, word, n));
        bool found = false;
        size_t k;
        for (const char *p = text; !found && (k = next_word(&p, &own));)
            found = str_starts(fold_text(a, arena_memdup(a, own, k)), want);
        if (!found)
            return false;
    }
    return true;
}
