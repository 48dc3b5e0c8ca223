/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that fails on demand, and syncs in no time: a SQLite VFS over the durable store's, in the
 * place of it. */
#ifndef SOSIA_TESTS_DISK_H
#define SOSIA_TESTS_DISK_H

#include <stdbool.h>

void disk_install(void);
/* The n-th write or sync from now on and the `times` - 1 after it fail with this SQLite result; n
 * 0: none. */
void disk_fail(long n, long times, int code);
/* Each read from the n-th on fails; 0: none. */
void disk_fail_reads(long n);
/* Writes and syncs since the last disk_fail(). */
long disk_count(void);
/* Syncs wait until they are let through. */
void disk_hold(bool hold);
/* Waits until a sync waits. */
void disk_wait_held(void);

#endif
