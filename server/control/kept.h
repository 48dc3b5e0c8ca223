/* SPDX-License-Identifier: Apache-2.0 */
/* Directories of the operator's that rows show: what is in them is read anew for each request, and
 * nothing else of the disk is. Names are single steps, and symbolic links are not followed. */
#ifndef SOSIA_SERVER_CONTROL_KEPT_H
#define SOSIA_SERVER_CONTROL_KEPT_H

#include "server/control/operation.h"

#define KEPT_NAME_MAX                                                                              \
    1000 /* bytes of a name within a file: of a suite, of a task, of a workflow                    \
          */

/* A directory of the server's options: a descriptor, -1. */
int control_kept_open(struct control_call *c, const char *dir);
/* Is it a name of a file or a folder in one, and not hidden? */
bool control_kept_name(const char *name);
/* A file's text in an arena; NULL: there is none. TOO_LARGE, of the field: no plain file of at most
 * so many bytes. 0, -1. */
int control_kept_text(struct control_call *c, struct arena *a, int dir, const char *name, int most,
                      const char *field, const char **ret, size_t *ret_len);
/* The same as JSON; NULL where there is none, or it is not JSON. */
int control_kept_json(struct control_call *c, struct arena *a, int dir, const char *name, int most,
                      const char *field, const struct json **ret);
/* A member that is a name; NULL: there is none, or it is too long for one. */
const char *control_kept_str(const struct json *v, const char *member);

#endif
