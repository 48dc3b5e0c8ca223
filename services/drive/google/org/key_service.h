/* SPDX-License-Identifier: Apache-2.0 */
/* Key services: where an organisation has the keys of files that its people encrypt themselves. */
#ifndef SOSIA_DRIVE_GOOGLE_KEY_SERVICE_H
#define SOSIA_DRIVE_GOOGLE_KEY_SERVICE_H

#include "engine/state/stored.h"
#include "services/drive/core/drive.h"

struct gdrive_key_service {
    int64_t id, number;
    const char *domain, *name, *url;
};
/* That of a domain: 1, 0 it has none, -1. */
int gdrive_key_service(struct tx *tx, const char *domain, struct gdrive_key_service *ret);

extern struct stored gdrive_key_service_stored; /* of the section driveKeyServices */

#endif
