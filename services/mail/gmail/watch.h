/* SPDX-License-Identifier: Apache-2.0 */
/* A mailbox's watch, as it is kept. */
#ifndef SOSIA_GMAIL_WATCH_H
#define SOSIA_GMAIL_WATCH_H

#include "services/mail/gmail/internal.h"

#define GMAIL_WATCH_DUE    "watch"
#define GMAIL_WATCH_DAYS   7
#define GMAIL_WATCH_LABELS (1 << 20) /* bytes of their ids */

struct watch {
    int64_t mailbox;
    const char *topic, *labels;
    bool exclude;
    int64_t expires_us, notified, notified_us;
};

extern const char *const gmail_watch_behaviors[]; /* "include", "exclude", NULL */

/* 1; 0: there is none; -1. */
int gmail_watch_load(struct tx *tx, int64_t mailbox, struct watch *ret);
/* In the place of what the mailbox had. */
int gmail_watch_store(struct tx *tx, const struct watch *w);
int gmail_watch_forget(struct tx *tx, int64_t mailbox);
/* Publishes what the mailbox has come to; in watch is then when that was. */
int gmail_watch_publish(struct tx *tx, const struct mailbox *mb, struct watch *watch);

#endif
