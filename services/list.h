/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_SERVICES_LIST_H
#define SOSIA_SERVICES_LIST_H

#include "engine/service.h"

/* All services; NULL-terminated. */
extern const struct sosia_service *const sosia_services[];

/* Their vendors' hosts; NULL-terminated. */
const char *const *sosia_hosts(void);

#endif
