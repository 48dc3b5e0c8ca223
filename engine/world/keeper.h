/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What keeps worlds beyond the process, for those who change them: engine/durable has the only one.
 * An engine in memory has none (engine->durable NULL).
 */
#ifndef SOSIA_WORLD_KEEPER_H
#define SOSIA_WORLD_KEEPER_H

#include "engine/base/err.h"
#include <stdbool.h>
#include <stdint.h>

struct sosia_engine;
struct world;
struct durable;

struct durable_stats {
    uint64_t batches;  /* transactions with changes of worlds */
    uint64_t changes;  /* worlds written in them */
    uint64_t bytes;    /* of pages, nodes, bases and journal entries in them */
    uint64_t failures; /* transactions that failed */
    char why[224];     /* the last of them */
};

/* Each is what durable_open(), durable_start() ... say (engine/durable/durable.h). */
struct keeper {
    int (*open)(struct sosia_engine *e, const char *dir, struct durable **ret_durable,
                struct sosia_err *err);
    int (*start)(struct durable *d, struct sosia_err *err);
    void (*close)(struct durable *d);
    int (*put)(struct durable *d, struct world *w, uint64_t source, struct sosia_err *err);
    uint64_t (*drop)(struct durable *d, struct world *w);
    int (*state)(struct durable *d, uint64_t ticket);
    int (*wait)(struct durable *d, uint64_t ticket, struct sosia_err *err);
    void (*notify)(struct durable *d, uint64_t ticket, void (*done)(void *arg, int rc), void *arg);
    int (*fetch)(struct durable *d, struct world *w, struct sosia_err *err);
    bool (*park)(struct durable *d, struct world *w);
    void (*tidy)(struct durable *d);
    uint64_t (*beside)(const struct world *w);
    void (*stats)(struct durable *d, struct durable_stats *ret);
};

#endif
