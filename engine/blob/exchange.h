/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in memory as blobs, for who keeps one content and changes it often. */
#ifndef SOSIA_BLOB_EXCHANGE_H
#define SOSIA_BLOB_EXCHANGE_H

#include "engine/blob/blob.h"

/* A reference to one blob becomes one to such bytes. Where it was the only one the blob itself may
 * become another: whoever has to tell contents apart does so by their digests. Fails with NOT_FOUND
 * if there is no such blob. */
int blob_exchange(struct tx *tx, int64_t id, const void *data, size_t len, struct blob *ret);

#endif
