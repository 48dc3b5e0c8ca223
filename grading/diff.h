/* SPDX-License-Identifier: Apache-2.0 */
/* Changes as JSON: what diffs give out, and what near misses and unexpected changes are shown as.
 */
#ifndef SOSIA_GRADING_DIFF_H
#define SOSIA_GRADING_DIFF_H

#include "engine/state/change.h"

extern const char *const change_words[]; /* by enum row_change: "added", ... */

/* The members that say which entity it is and what happened to it, into an open object. */
void change_write_head(struct json_writer *w, const struct change *c);
/* Those and what it consists of, without its consequences. */
void change_write_members(struct json_writer *w, const struct change *c);
/* The whole change as an object, without its consequences. */
void change_write(struct json_writer *w, const char *key, const struct change *c);
/* All of them with their consequences, as sosia_diff() gives them. -1 without memory. */
int diff_write(struct changes *d, struct json_writer *w);

#endif
