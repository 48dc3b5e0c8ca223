/* SPDX-License-Identifier: Apache-2.0 */
/* A permission as a body asks for it, and whether it may be granted. */
#ifndef SOSIA_DRIVE_GOOGLE_PERMISSION_H
#define SOSIA_DRIVE_GOOGLE_PERMISSION_H

#include "services/drive/google/sharing/access.h"

struct gdrive_wanted {
    struct drive_grant grant;
    struct actor person; /* of a person of the world; id 0: none */
    const char *email;   /* as sent */
    bool has_expiry, has_pending;
};

/* Reads the body into *w, which has what the permission has by now. create: with whom it is for. */
int gdrive_read_wanted(struct call *c, bool create, struct gdrive_wanted *w);
/* Fails with the service's 403 or 400 if it may not be granted; create: by permissions.create. */
int gdrive_check_wanted(struct gdrive_subject *s, const struct gdrive_wanted *w, bool create);
/* Is a letter about the grant wanted? */
bool gdrive_wants_letter(const struct call *c, const struct drive_grant *g);

#endif
