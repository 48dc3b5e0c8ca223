/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of vendors/microsoft only. */
#ifndef SOSIA_MICROSOFT_INTERNAL_H
#define SOSIA_MICROSOFT_INTERNAL_H

#include "identity/account.h"
#include "vendors/microsoft/graph.h"

/* Of one call (call.vendor_data). */
struct graph_call {
    const char *request_id;
    const char *applied;      /* Preference-Applied so far; NULL: none */
    const char *message;      /* of the failure, where err->text has no room for it; NULL: it has */
    const char *code, *inner; /* of the failure, that of innerError: graph_fail_own(); NULL: none */
    int status;               /* of the failure, where its code has another; 0: it has not */
    const char *location;     /* of the failure: where to go on; NULL: nowhere */
    bool gateway; /* the failure is the gateway's: the workload has not seen the request */
};

struct ms_user;
/* The user that a call is made for, of its account or else of its actor. 1; 0: none, or deleted;
 * -1. */
int graph_caller_user(struct call *c, struct ms_user *ret);

/* The user's account with the service (0: any): his own, or another one of the same person's, of
 * the same tenant unless any will do. 1, 0, -1. */
int graph_account_of(struct tx *tx, const struct ms_user *user, enum account_service service,
                     bool any_tenant, struct account *ret);

/* front->error */
void graph_error(struct call *c);
/* front->fault */
int graph_fault(struct call *c, const struct fault *f);
/* Headers that every answer has. */
void graph_headers(struct call *c);
const char *graph_cache_control(enum graph_workload w);
const struct body_rules *graph_body_rules(const struct call *c);

extern const struct rows graph_batches;
extern const struct rows graph_metadata;

#endif
