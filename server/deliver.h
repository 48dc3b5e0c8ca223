/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Webhooks on their way: what the worlds of an engine put into their outboxes for receivers is
 * posted to them. A receiver that is not there, or answers 500, 502, 503 or 504, is asked again
 * later: DELIVER_TRIES times in all, after 10, 20, 40... seconds of the world's own clock. What was
 * delivered is no part of a world: a fork does not send its parent's messages, and what waits when
 * the server stops is not sent any more.
 */
#ifndef SOSIA_SERVER_DELIVER_H
#define SOSIA_SERVER_DELIVER_H

#include "server/server.h"

#define DELIVER_TRIES   6
#define DELIVER_FIRST_S 10

struct deliver;
struct log;

/* Starts to listen to the engine. The server is the one that webhooks are sent by. */
int deliver_start(struct server *server, struct log *log, struct sosia_engine *engine,
                  struct deliver **ret_deliver, struct sosia_err *err);
/* Sends nothing more. Webhooks that are under way may still end; then it can be freed. */
void deliver_stop(struct deliver *d);
void deliver_free(struct deliver *d);

#endif
