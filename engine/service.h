/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service: what can be put into an engine. The engine is opened with a list of them; nothing is
 * found at link time. services/list.c has the list that the public interface opens an engine with.
 */
#ifndef SOSIA_SERVICE_H
#define SOSIA_SERVICE_H

#include "engine/api/vendor.h"
#include "engine/world/core.h"
#include "engine/world/guard.h"
#include "sosia.h"

struct sosia_service {
    const char *name; /* "calendar" */
    const struct sosia_core *const
        *cores; /* NULL-terminated, in the order of seeding; NULL: none */
    const struct dialect *const *dialects; /* NULL-terminated; NULL: none; they name the vendor */
    const struct guard *guard; /* rules on calls (engine/world/guard.h); NULL: it has none */
};

/* Opens an engine with these services (NULL-terminated; they must outlive it), as
 * sosia_engine_open() does with all that there are. The order of the list decides the order of
 * seeding, and who has a path that two vendors have. opt: NULL: defaults. */
int engine_open(const struct sosia_engine_options *opt, const struct sosia_service *const *services,
                struct sosia_engine **ret_engine, struct sosia_err *err);
/* sosia_data_check(), with the tables of these services. */
int engine_check(const char *data_dir, const char *rescue_dir,
                 const struct sosia_service *const *services, struct sosia_blob *ret_json,
                 bool *ret_whole, struct sosia_err *err);

/* The hosts of the services' vendors, each once, for whoever must know them all: certificates,
 * names that lead to a server, lists. Fills ret_hosts, NULL-terminated, with at most SERVICE_HOSTS.
 */
#define SERVICE_HOSTS 256
void service_hosts(const struct sosia_service *const *services,
                   const char *ret_hosts[SERVICE_HOSTS + 1]);

/* For tools: the i-th dialect of a list of services, in order; NULL behind the last. */
const struct dialect *service_dialect(const struct sosia_service *const *services, size_t i);

#endif
