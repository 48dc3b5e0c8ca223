/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the live page, as console/web/build.mjs makes them: each packed by gzip. A build
 * without the page has none. */
#ifndef SOSIA_CONSOLE_FILES_H
#define SOSIA_CONSOLE_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct console_file {
    const char *path;          /* below "/_sosia/ui/"; "" is the page itself */
    const char *type;          /* Content-Type */
    const char *policy;        /* Content-Security-Policy; NULL: it is no document */
    const char *etag;          /* with its quotation marks */
    bool hashed;               /* what is in it is in its name: it never changes */
    const char *packed;        /* by gzip */
    size_t packed_len, length; /* packed, and as it is */
};

extern const struct console_file console_files[];
extern const size_t console_n_files;

#endif
