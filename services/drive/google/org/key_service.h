/* SPDX-License-Identifier: Apache-2.0 */
/* Key services: where an organisation has the keys of files that its people encrypt themselves. */
#ifndef SOSIA_DRIVE_GOOGLE_KEY_SERVICE_H
#define SOSIA_DRIVE_GOOGLE_KEY_SERVICE_H

#include "services/drive/core/drive.h"

struct form;

struct gdrive_key_service {
    int64_t number;
    const char *name, *url;
};
/* That of a domain: 1, 0 it has none, -1. */
int gdrive_key_service(struct tx *tx, const char *domain, struct gdrive_key_service *ret);

/* The section driveKeyServices. */
struct doc;
int gdrive_key_service_seed(struct tx *tx, struct doc *d, const struct json *item);
extern const struct form gdrive_key_service_form; /* its members */
int gdrive_key_service_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

#endif
