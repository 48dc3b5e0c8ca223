/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of programs on a workspace: an engine whose programs are kept in by this very test
 * program, which is its own keeper. */
#ifndef SOSIA_TESTS_KEPT_H
#define SOSIA_TESTS_KEPT_H

#include <stdbool.h>

struct runner;

extern bool kept_in;             /* the machine can */
extern struct runner *kept_by;   /* of the present test; NULL: the machine can't */
extern const char *kept_program; /* this one */

/* The first thing in main(): true with an exit code if this process is a keeper. */
bool kept_main(int argc, char **argv, int *ret_exit);
/* A world of this document, and who runs its programs. 0, -1. */
int kept_open(const char *doc);
int kept_close(void);
/* From here on nobody does. */
void kept_end(void);

#define NEEDS_SANDBOX()                                                                            \
    do {                                                                                           \
        if (!kept_in)                                                                              \
            skip();                                                                                \
    } while (0)

#endif
