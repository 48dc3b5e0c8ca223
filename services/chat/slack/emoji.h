/* SPDX-License-Identifier: Apache-2.0 */
/* The emoji that texts hold most, by Slack's names. */
#ifndef SOSIA_SL_EMOJI_H
#define SOSIA_SL_EMOJI_H

#include <stdbool.h>
#include <stddef.h>

struct sl_emoji {
    const char *name, *text, *code; /* code: "1f600", as elements of rich text say it */
};
/* By name; NULL: another one. */
const struct sl_emoji *sl_emoji_named(const char *name, size_t len);
/* The one that a text begins with; NULL: none that is known. *ret_len: its bytes. */
const struct sl_emoji *sl_emoji_at(const char *text, size_t *ret_len);
/* May a reaction be called so? Known here, or any name that could be one. */
int sl_emoji_is_name(const char *name);
/* Is it the name of an emoji that every workspace has (without a tone of skin)? */
bool sl_emoji_is_known(const char *name, size_t len);

#endif
