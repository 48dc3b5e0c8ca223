/* SPDX-License-Identifier: Apache-2.0 */
/* Canvases: documents with Markdown, and what people may do with them and with lists. */
#ifndef SOSIA_SL_CANVAS_H
#define SOSIA_SL_CANVAS_H

#include "services/chat/slack/files/document.h"
#include "services/chat/slack/sl.h"

/* The canvas that the argument `name` gives, which the caller may use as `needed` says. Refused
 * with the error `missing` if there is none that the caller sees, with restricted_action if the
 * caller may only read it. */
int sl_canvas_arg(struct call *c, const char *name, const char *missing, enum chat_level needed,
                  struct chat_file *f, struct chat_document *d);
/* A new one of the caller's, in a channel (NULL: in none). */
int sl_canvas_new(struct call *c, const char *title, const struct chat_sections *sections,
                  const struct chat_channel *ch, bool main, struct chat_file *ret);
/* Keeps what was changed in it. */
int sl_canvas_store(struct call *c, struct chat_file *f, struct chat_document *d);
/* Markdown as sections; refuses with the code and a detail what can't be. */
int sl_canvas_markdown(struct call *c, const char *markdown, const char *code,
                       struct chat_sections *ret);

/* ---- canvas_render.c ---- */

/* The members that a canvas has in files.info beyond those of all files. */
int sl_write_canvas_parts(struct call *c, const struct chat_file *f);
/* As a page of HTML, in the arena. */
int sl_canvas_html(struct call *c, const struct chat_file *f, const char **ret);
/* What a channel's properties are: those it has, and its canvases; nothing if there are none. */
int sl_write_properties(struct call *c, const struct chat_channel *ch);

/* ---- file_access.c: access_level, channel_ids, user_ids of canvases and lists ---- */

/* The argument access_level, which is required: read, write or owner. 0, -1: refused. */
int sl_access_level_arg(struct call *c, enum chat_level *ret);
int sl_access_set(struct call *c, const struct chat_file *f, enum chat_level mine,
                  enum chat_level level);
int sl_access_delete(struct call *c, const struct chat_file *f, enum chat_level mine);
/* Refuses with a code and "detail", which says more. -1. */
int sl_canvas_refuse(struct call *c, const char *code, const char *detail);

#endif
