/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trouble as Slack's servers have it: limits are 429 with Retry-After (SL-10), outages have a
 * status from 500 on and a code of those that all methods share; all else is 200 with a code
 * (SL-01). A posting method whose workspace has no more messages left says so (SL-316).
 */
#include "engine/http/fault.h"
#include "engine/text/civil.h"
#include "vendors/slack/slack.h"

/* docs.slack.dev, rate limits: clients wait as long as it says; thirty seconds are its example. */
#define USUAL_WAIT 30

static int limited(struct call *c, const struct fault *f)
{
    static const struct rate_class usual = {.name = "calls", .limit = 50};
    c->over = &usual;
    c->retry_us = (f->retry_s ? f->retry_s : USUAL_WAIT) * US_PER_SECOND;
    return call_fail(c, SOSIA_E_LIMIT, "rate", NULL, "too many calls");
}

static int failed(struct call *c, const struct fault *f)
{
    return slack_fail(c, f->status == 503                 ? "service_unavailable"
                         : f->status == 500 || !f->status ? "internal_error"
                                                          : "fatal_error");
}

int slack_fault(struct call *c, const struct fault *f)
{
    bool posts = c->route->id && strncmp(c->route->id, "chat.", 5) == 0;
    switch (f->kind) {
    case FAULT_RATE:
        return limited(c, f);
    case FAULT_QUOTA:
        return posts ? slack_fail(c, "message_limit_exceeded") : limited(c, f);
    case FAULT_SERVER:
        return failed(c, f);
    case FAULT_REVOKED:
        return c->token ? call_fail(c, SOSIA_E_UNAUTHENTICATED, "revoked", "Authorization",
                                    "the token is not valid")
                        : 1;
    case FAULT_ACCESS:
        return slack_fail(c, f->status == 404 ? "channel_not_found" : "access_denied");
    case FAULT_SYNC: /* there are none; a list goes on by its cursor */
    case FAULT_PAGE:
        return call_query_item(c, "cursor") || param_given(c, "cursor")
                   ? slack_fail(c, "invalid_cursor")
                   : 1;
    case FAULT_MISSING:
        return slack_fail(c, "unknown_method");
    default:
        return 1;
    }
}
