/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_SEND_OUTBOX_H
#define SOSIA_SEND_OUTBOX_H

#include "sosia.h"

/* engine->on_pending. */
void outbox_notify_pending(struct sosia_engine *e, uint64_t world);
/* sosia_outbox_list(), and the world's era then. */
int outbox_list(struct sosia_engine *engine, uint64_t world, int64_t after, int limit,
                struct sosia_blob *ret_json, uint64_t *ret_era, struct sosia_err *err);
/* The last limit entries in front of one (0: of all), the last one first. */
int outbox_newest(struct sosia_engine *engine, uint64_t world, int64_t before, int limit,
                  struct sosia_blob *ret_json, struct sosia_err *err);

#endif
