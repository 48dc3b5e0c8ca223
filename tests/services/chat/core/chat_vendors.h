/* SPDX-License-Identifier: Apache-2.0 */
/* Two vendors of chat without a dialect, and a world of both: what the tests of the core share.
 * bare says no more than it must; rich writes in tags, keeps things beside messages and lets people
 * save them. A test runs in one transaction, once for each vendor. */
#ifndef SOSIA_TESTS_CHAT_VENDORS_H
#define SOSIA_TESTS_CHAT_VENDORS_H

#include "engine/search/walk.h"
#include "services/chat/core/connect.h"
#include "services/chat/core/corpus.h"
#include "services/chat/core/vendor.h"

extern const struct chat_vendor bare, rich;
extern const struct chat_vendor *vendor; /* acme's, of the two */
extern int64_t last_gone, saved_message; /* what was said to rich, what it says is saved */

/* The test makes rows that no document says: when it is done, no world is made of its dump. */
extern bool beyond_documents;

/* Is given the events of each transaction; NULL: they are lost. */
extern void (*events_seen)(const struct world_event *first);

extern struct sosia_err fault;
extern struct tx tx;
extern struct chat_workspace acme, far; /* far: of the other vendor */
extern struct chat_user ada, bob, eve;  /* of acme */
extern struct chat_channel general, closed;

void ok(int r);
void refused(int r, const char *reason);
void begin_try(void); /* what is done from here on ... */
void end_try(void);   /* is taken back: as of a call that is refused */
void begin(void);
void close_tx(void); /* commits */
int open_world(void **state);
int close_world(void **state);

struct chat_user user(const struct chat_workspace *w, const char *name, enum chat_role role);
struct chat_channel channel(const struct chat_workspace *w, enum chat_kind kind, const char *name);
void join(struct chat_channel *ch, const struct chat_user *u);
struct chat_message post_in(struct chat_channel *ch, const struct chat_user *u, const char *text,
                            int64_t thread);
struct chat_message post(const char *text); /* in general, as ada */
struct chat_message again(int64_t id);
struct chat_channel channel_again(int64_t id);

/* Lines of a list of tests. */
#define BOTH(test)                                                                                 \
    {#test " (bare)", test, open_world, close_world, (void *)(uintptr_t)&bare},                    \
    {                                                                                              \
#test " (rich)", test, open_world, close_world, (void *)(uintptr_t)&rich                   \
    }

#endif
