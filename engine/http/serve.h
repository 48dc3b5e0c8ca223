/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_HTTP_SERVE_H
#define SOSIA_HTTP_SERVE_H

#include "sosia.h"

/* Serves a request as sosia_call() does, but does not wait for the disk: ret_ticket is what to wait
 * for, 0 for nothing. NULL with err only if no answer could be made. ret_busy: set where others
 * keep the world for long, or the request is many calls in one; then nothing has happened. NULL:
 * wait. */
struct sosia_response *call_serve(struct sosia_engine *e, uint64_t world,
                                  const struct sosia_request *request, uint64_t *ret_ticket,
                                  bool *ret_busy, struct sosia_err *err);

#endif
