/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_STORE_PCACHE_H
#define SOSIA_STORE_PCACHE_H

/* Makes SQLite keep pages with pcache.c from its initialisation on. For the whole process: only
 * where SQLite is our own copy. Does nothing when SQLite is initialised already. */
void pcache_install(void);

#endif
