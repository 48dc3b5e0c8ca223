/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_SERVICES_LIST_H
#define SOSIA_SERVICES_LIST_H

#include "engine/service.h"

/* All services; NULL-terminated. */
extern const struct sosia_service *const sosia_services[];

/* Their vendors' hosts; NULL-terminated. */
const char *const *sosia_hosts(void);

/* Their vendors, each once, in the order of the list; NULL-terminated. */
const struct vendor *const *sosia_vendors(void);

#endif
