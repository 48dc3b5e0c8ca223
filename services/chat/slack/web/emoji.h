/* SPDX-License-Identifier: Apache-2.0 */
/* Emoji by Slack's names and by their code points. */
#ifndef SOSIA_SL_EMOJI_H
#define SOSIA_SL_EMOJI_H

#include <stdbool.h>
#include <stddef.h>

enum sl_emoji_flag {
    SL_EMOJI_TONES = 1, /* it is there in five tones of skin */
    SL_EMOJI_ALIAS = 2, /* another name of one that texts get a different name for */
};

struct sl_emoji {
    const char *name, *code; /* code: "1f600", as elements of rich text say it; NULL: a picture */
    unsigned flags;          /* of enum sl_emoji_flag */
};

/* Those that every workspace has, in the order of their names (emoji_names.c). */
extern const struct sl_emoji sl_emoji_all[];
extern const size_t sl_emoji_count;

struct sl_emoji_category {
    const char *name, *emoji; /* names, with spaces between */
};
/* NULL-terminated by name (emoji_categories.c). */
extern const struct sl_emoji_category sl_emoji_categories[];

/* Those that a workspace has from the start, as if it had made them. */
struct sl_emoji_first {
    const char *name, *address; /* whole, the last part of one, or alias:NAME */
};
extern const struct sl_emoji_first sl_emoji_first[]; /* NULL-terminated by name */

/* The emoji that every workspace has by the name (without a tone of skin); NULL: none. */
const struct sl_emoji *sl_emoji_named(const char *name, size_t len);

/* An emoji at the beginning of a text. */
struct sl_emoji_found {
    const struct sl_emoji *emoji;
    size_t len;     /* bytes of it */
    int tone, next; /* 2 to 6, of its person or hand, and of the second one; 0: none */
};
/* The longest one that a text begins with, with or without selectors that ask for a picture.
 * false: none that is known, or one that is asked for as text. */
bool sl_emoji_at(const char *text, struct sl_emoji_found *ret);

enum { SL_EMOJI_CODE = 80 };
/* The code points of one in a tone (0: none), as elements of rich text say them. */
void sl_emoji_code(const struct sl_emoji *e, int tone, char ret[SL_EMOJI_CODE]);

/* May a reaction be called so? Known here, or any name that could be one. */
bool sl_emoji_is_name(const char *name);

#endif
