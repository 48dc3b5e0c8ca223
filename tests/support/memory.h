/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out on demand. Programs that use it are linked with --wrap for each function
 * below (tests/meson.build): what the engine and SQLite allocate is counted, and not what other
 * libraries do. */
#ifndef SOSIA_TESTS_MEMORY_H
#define SOSIA_TESTS_MEMORY_H

/* The n-th allocation from now on, of any thread, and the `times` - 1 after it give nothing; n 0:
 * none. */
void memory_fail(long n, long times);
/* Allocations since the last memory_fail(). */
long memory_count(void);

#endif
