/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a session has for its client: frames in the order in which the engine gave them, left by any
 * thread and taken by the program's own. The extension for Python and the addon for Node have one
 * of these a session; how they wake the program is theirs.
 */
#ifndef SOSIA_BINDINGS_FRAMES_H
#define SOSIA_BINDINGS_FRAMES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_ABNORMAL = 1006 }; /* RFC 6455: without a close frame */

struct frame {
    struct frame *next;
    int code; /* 0: a message; else the service ends the session, and text is the reason */
    size_t len;
    char text[];
};

struct frames {
    pthread_mutex_t lock; /* of what follows; held for moments only */
    struct frame *first, **last;
    bool lost; /* there was no memory for some */
};

static inline void frames_init(struct frames *f)
{
    pthread_mutex_init(&f->lock, NULL);
    f->first = NULL;
    f->last = &f->first;
    f->lost = false;
}

/* All that was left, in its order: each is the caller's to free. ret_lost: whether some are
 * missing. */
static inline struct frame *frames_take(struct frames *f, bool *ret_lost)
{
    pthread_mutex_lock(&f->lock);
    struct frame *first = f->first;
    *ret_lost = f->lost;
    f->first = NULL;
    f->last = &f->first;
    f->lost = false;
    pthread_mutex_unlock(&f->lock);
    return first;
}

static inline void frames_done(struct frames *f)
{
    bool lost;
    for (struct frame *each = frames_take(f, &lost), *next; each; each = next) {
        next = each->next;
        free(each);
    }
    pthread_mutex_destroy(&f->lock);
}

/* Leaves a message, code 0, or the end of the session with a code of RFC 6455. text: len bytes,
 * copied; may be NULL. From any thread. */
static inline void frames_leave(struct frames *f, int code, const char *text, size_t len)
{
    struct frame *made = malloc(sizeof *made + len + 1);
    if (made) {
        made->next = NULL;
        made->code = code;
        made->len = len;
        if (len)
            memcpy(made->text, text, len);
        made->text[len] = 0;
    }
    pthread_mutex_lock(&f->lock);
    if (made) {
        *f->last = made;
        f->last = &made->next;
    } else {
        f->lost = true;
    }
    pthread_mutex_unlock(&f->lock);
}

/* As the engine ends a session (struct sosia_session_calls): code 0 is one without a close frame.
 */
static inline void frames_end(struct frames *f, int code, const char *reason)
{
    frames_leave(f, code ? code : FRAME_ABNORMAL, reason, reason ? strlen(reason) : 0);
}

#endif
