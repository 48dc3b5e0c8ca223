/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_SERVER_TAKEN_H
#define SOSIA_SERVER_TAKEN_H

#include <stdint.h>

/* Bytes that were read from a TCP socket so far; or a number above that, where some come in at this
 * moment. UINT64_MAX: it is none, or the kernel does not say. */
uint64_t socket_taken(int fd);

#endif
