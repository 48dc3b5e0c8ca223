/* SPDX-License-Identifier: Apache-2.0 */
/* The backend that is an engine. */
#ifndef SOSIA_SERVER_BACKEND_H
#define SOSIA_SERVER_BACKEND_H

#include "server/server.h"

struct engine_backend {
    struct sosia_engine *engine;
    uint64_t world;
};
struct server_backend engine_backend(struct engine_backend *b);

#endif
