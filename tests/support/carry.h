/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_TESTS_CARRY_H
#define SOSIA_TESTS_CARRY_H

#include "sosia.h"
#include "tests/support/unit.h"
#include <stdlib.h>
#include <unistd.h>

/* How many cases are carried once: with a sanitizer, which makes new memory dear, each fourth. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CARRIED_OF 4
#else
#define CARRIED_OF 1
#endif

/* Whatever calls have made can be taken out and in again: rules for imported rows hold for it. 0,
 * -1. */
static inline int export_and_import(struct sosia_engine *engine, uint64_t world)
{
    static unsigned n_cases;
    if (n_cases++ % CARRIED_OF != 0)
        return 0;
    char path[] = "/tmp/sosia-carry-XXXXXX";
    struct sosia_err err = {0};
    uint64_t back;
    int fd = mkstemp(path);
    if (fd < 0)
        return -1;
    close(fd);
    int rc = sosia_world_export(engine, world, path, &err);
    if (rc == 0)
        rc = sosia_world_import(engine, path, NULL, &back, &err);
    if (rc < 0)
        print_error("export and import: %s\n", err.text);
    unlink(path);
    return rc;
}

#endif
