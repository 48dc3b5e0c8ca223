/* SPDX-License-Identifier: Apache-2.0 */
/* The search language of drives.list. */
#ifndef SOSIA_DRIVE_QUERY_H
#define SOSIA_DRIVE_QUERY_H

#include "services/drive/google/gdrive.h"

/* What can be asked of a shared drive. */
struct gdrive_drive_facts {
    const char *name;
    bool hidden;
    int64_t created_us, members, organizers;
};
/* Fails with the service's words unless it is a query that the caller may ask. */
int gdrive_drive_query(struct call *c, const char *text, bool admin);
/* Of a query that gdrive_drive_query() has taken. */
bool gdrive_drive_matches(struct call *c, const char *text, const struct gdrive_drive_facts *facts);

#endif
