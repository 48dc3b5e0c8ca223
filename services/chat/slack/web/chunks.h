/* SPDX-License-Identifier: Apache-2.0 */
/* What a message that grows is made of: texts, tasks, blocks, in the order in which they came. */
#ifndef SOSIA_SL_CHUNKS_H
#define SOSIA_SL_CHUNKS_H

#include "services/chat/slack/web/compose.h"

struct sl_part;

/* A message while it grows. Its strings are the call's. */
struct sl_stream {
    const char *mode;    /* "markdown_text" or "chunks", whichever came first; NULL: nothing yet */
    const char *display; /* task_display_mode */
    const char *title;   /* of the plan; NULL: none was given */
    struct sl_part *parts;
    size_t n;
    bool stopped; /* by somebody who reads it: it ends, but its app has not ended it yet */
};

/* What is kept of m, which is streamed to. 0, -1. */
int sl_stream_read(struct call *c, const struct chat_message *m, struct sl_stream *ret);
/* Adds the arguments markdown_text and chunks; refuses what is wrong with them. 1: they bring
 * something; 0: nothing; -1. */
int sl_stream_add(struct call *c, struct sl_stream *s);
/* Makes text, blocks and extra of m of it. done: it grows no more; a task that is in progress has
 * failed then. 0, -1: also refused. */
int sl_stream_put(struct call *c, struct sl_stream *s, struct chat_message *m, bool done);
/* Drops what is kept of m, which somebody has stopped. 0, -1. */
int sl_stream_drop(struct call *c, struct chat_message *m);

#endif
