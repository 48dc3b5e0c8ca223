/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Savepoints, and the numbers of a transaction (tx_number(), tx_id()): they are counted in memory,
 * and the table of the streams has the last one of each kind when the transaction is published or
 * comes to something that may be undone alone.
 */
#ifndef SOSIA_WORLD_NUMBER_H
#define SOSIA_WORLD_NUMBER_H

#include "engine/world/tx.h"

/* A savepoint, and back to it: numbers that were taken before it are in the table then. 0, -1 with
 * tx->err or *err. */
int tx_savepoint(struct tx *tx);
int tx_rollback_to(struct tx *tx, struct sosia_err *err);
/* The last number of a kind that was taken: 1, 0 none was (*ret stays), -1. */
int tx_last_number(struct tx *tx, const char *kind, int64_t *ret);

#endif
