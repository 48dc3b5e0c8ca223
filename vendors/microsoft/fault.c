/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trouble as Graph has it: each workload throttles in its own words, with Retry-After (MG-17,
 * MG-355); what is busy is 503 in the workload's words, with Retry-After where it says when it will
 * be there; 502 and 504 are the gateway's, which says no more than UnknownError (reported).
 */
#include "engine/http/fault.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/internal.h"

#define USUAL_WAIT 10 /* seconds; those that are reported are 10 to 150 */

static int limited(struct call *c, const struct fault *f)
{
    static const struct rate_class usual = {.name = "calls", .limit = 10000};
    c->over = &usual;
    c->retry_us = (f->retry_s ? f->retry_s : USUAL_WAIT) * US_PER_SECOND;
    return call_fail(c, SOSIA_E_LIMIT, "rate", NULL, "too many calls");
}

/* Files have a status for a drive that is full, which FULL is; Outlook's quota is 403 (concluded
 * from what it says of other limits). */
static int used_up(struct call *c, const struct fault *f)
{
    switch (graph_workload_of(c)) {
    case GRAPH_FILES:
        return call_fail(c, SOSIA_E_FULL, "quotaLimitReached", NULL,
                         "The user has reached their quota limit.");
    case GRAPH_OUTLOOK:
        return call_fail(c, SOSIA_E_FORBIDDEN, "ErrorQuotaExceeded", NULL,
                         "The mailbox quota has been exceeded.");
    default:
        return limited(c, f);
    }
}

static int failed(struct call *c, const struct fault *f)
{
    if (f->status == 502 || f->status == 504)
        return call_fail(c, SOSIA_E_INTERNAL, "UnknownError", NULL, "%s", "");
    if (f->status != 503)
        return call_fail(c, SOSIA_E_INTERNAL, NULL, NULL, "%s", "");
    switch (graph_workload_of(c)) {
    case GRAPH_FILES:
        return call_fail(c, SOSIA_E_INTERNAL, "serviceNotAvailable", NULL, "Service unavailable");
    case GRAPH_OUTLOOK:
        return call_fail(c, SOSIA_E_INTERNAL, "ErrorServerBusy", NULL,
                         "The server cannot service this request right now. Try again later.");
    default:
        return call_fail(c, SOSIA_E_INTERNAL, "ServiceUnavailable", NULL,
                         "The service is unavailable.");
    }
}

static bool has_option(struct call *c, const char *name)
{
    return graph_option(c, name) || param_given(c, name);
}

int graph_fault(struct call *c, const struct fault *f)
{
    switch (f->kind) {
    case FAULT_RATE:
        return limited(c, f);
    case FAULT_QUOTA:
        return used_up(c, f);
    case FAULT_SERVER:
        return failed(c, f);
    case FAULT_REVOKED:
        return c->token ? call_fail(c, SOSIA_E_UNAUTHENTICATED, "expired", "Authorization",
                                    "the token is not valid")
                        : 1;
    case FAULT_ACCESS:
        return f->status == 404 ? graph_not_found(c)
                                : call_fail(c, SOSIA_E_FORBIDDEN, NULL, NULL, "%s", "");
    case FAULT_SYNC:
        return has_option(c, "$deltatoken") ||
                       (graph_workload_of(c) == GRAPH_FILES && has_option(c, "token"))
                   ? call_fail(c, SOSIA_E_GONE, NULL, NULL, "%s", "") : 1;
    case FAULT_PAGE:
        return has_option(c, "$skiptoken")
                   ? call_fail(c, SOSIA_E_INVALID, NULL, NULL, "The skip token is not valid.")
                   : 1;
    case FAULT_MISSING:
        c->lost = c->path;
        for (const char *p = c->path; p < c->path + c->path_len; p++)
            if (*p == '/')
                c->lost = p + 1;
        c->lost_len = (size_t)(c->path + c->path_len - c->lost);
        return call_fail(c, SOSIA_E_NOT_FOUND, "unknownMethod", NULL, "there is no such method");
    default:
        return 1;
    }
}
