/* SPDX-License-Identifier: Apache-2.0 */
/* What people do with apps, as Slack says it to them and to the app: views, messages for one
 * person, triggers. */
#ifndef SOSIA_SL_INTERACT_H
#define SOSIA_SL_INTERACT_H

#include "services/chat/slack/acts/interact.h"
#include "services/chat/slack/blocks/blocks.h"

/* ---- views (view.c) ---- */

/* Looks at a view of the types that the field has (blocks.h). 1: body and external_id of *ret are
 * filled; 0: it is not good, and lines of response_metadata say why; -1. */
int sl_view_check(struct call *c, const struct json *view, const struct field *shape,
                  struct chat_view *ret);
/* The argument "view" of a method: refused if it is not good. 0, -1. */
int sl_view_arg(struct call *c, struct chat_view *ret);
/* As programs see it, with ids of the app in the workspace. */
int sl_write_view(struct call *c, struct json_writer *w, const char *key,
                  const struct chat_view *v);
/* Of a stored body: "modal", "home". */
const char *sl_view_type(struct call *c, const struct chat_view *v);
/* Is the app's view of that external id another one than this (0: any)? 1, 0, -1. */
int sl_view_taken(struct call *c, const struct chat_view *v, int64_t but);
/* Values of elements that the new body has too, as JSON; NULL: failed. */
const char *sl_view_kept(struct call *c, const struct chat_view *v, const char *body);

/* ---- messages for one person ---- */

/* Shows text, blocks and attachments of m to somebody. thread_us 0: in the channel. */
int sl_show(struct tx *tx, const struct chat_channel *ch, int64_t user,
            const struct chat_message *m, int64_t thread_us, int64_t *ret_us);

#endif
