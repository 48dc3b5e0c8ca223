/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/durable/durable.h"

const struct keeper durable_keeper = {
    .open = durable_open,
    .start = durable_start,
    .close = durable_close,
    .put = durable_put,
    .drop = durable_drop,
    .state = durable_state,
    .wait = durable_wait,
    .notify = durable_notify,
    .fetch = durable_fetch,
    .park = durable_park,
    .tidy = durable_tidy,
    .beside = durable_beside,
    .stats = durable_stats,
};
