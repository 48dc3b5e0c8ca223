/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Webhooks on their way: what the worlds of an engine put into their outboxes for receivers is
 * posted to them. What a response means, and when a message is sent again by the world's own clock,
 * the world says (engine/send/delivery.h).
 * Deliveries under way are not a part of a world: a fork does not send its parent's messages. A
 * stop still sends what is new; what waits for a world's clock by then, or is not answered in time,
 * is not sent any more: the log names it, and it stays in the world's outbox.
 */
#ifndef SOSIA_SERVER_DELIVER_H
#define SOSIA_SERVER_DELIVER_H

#include "server/server.h"

struct deliver;
struct log;

/* A session is open, whose frames may have to be sent again by a world's clock. NULL: nothing. */
void deliver_wake(struct deliver *deliver);

/* Starts to listen to the engine. The server is the one that webhooks are sent by. */
int deliver_start(struct server *server, struct log *log, struct sosia_engine *engine,
                  struct deliver **ret_deliver, struct sosia_err *err);
/* Begins to send what is new, and nothing after that. Webhooks that are under way may still end;
 * when none is left it can be freed, which logs what was not delivered. */
void deliver_stop(struct deliver *d);
void deliver_free(struct deliver *d);

#endif
