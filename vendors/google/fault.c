/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trouble as Google's servers have it. A failing back end is answered in the API's envelope, a
 * failing front end (502, 504) with a page (reported); limits come as 403, or as 429 where a rule
 * says so, since both occur for the same condition (GG-22). Without a Retry-After: the guides ask
 * for exponential waits.
 */
#include "engine/http/fault.h"
#include "vendors/google/internal.h"

static int limited(struct call *c, const struct fault *f)
{
    static const struct rate_class usual = {
        .name = "Queries per minute per user", .per_actor = true, .limit = 600};
    const struct rate_class *r = c->dialect->rates;
    while (r && r->name && c->route->rate && strcmp(r->name, c->route->rate) != 0)
        r++;
    c->over = r && r->name ? r : &usual;
    c->retry_us = f->retry_s * INT64_C(1000000);
    return call_fail(c, SOSIA_E_LIMIT, "rate", NULL, "too many calls: %s", c->over->name);
}

/* GC-123, GD-310. */
static int used_up(struct call *c)
{
    const struct google_api *api = c->dialect->facts; /* an API's, as all that come here */
    if (api && api->envelope == GOOGLE_LEGACY && strcmp(api->name, "calendar") == 0)
        return call_fail(c, SOSIA_E_FORBIDDEN, "quotaExceeded", NULL,
                         "Calendar usage limits exceeded.");
    return call_fail(c, SOSIA_E_FORBIDDEN, "dailyLimitExceeded", NULL, "Daily Limit Exceeded");
}

static int failed(struct call *c, const struct fault *f)
{
    const struct google_api *api = c->dialect->facts; /* an API's, as all that come here */
    bool newer = api && api->envelope == GOOGLE_STATUS;
    const char *text = !newer             ? "Backend Error"
                       : f->status == 503 ? "The service is currently unavailable."
                                          : "Internal error encountered.";
    return call_fail(c, SOSIA_E_INTERNAL, "backendError", NULL, "%s", text);
}

/* A list that goes on from a token has words of its own for one that is too old. */
static int too_old(struct call *c)
{
    if (param_given(c, "syncToken"))
        return call_fail(c, SOSIA_E_GONE, "fullSyncRequired", "syncToken",
                         "Sync token is no longer valid, a full sync is required.");
    if (param_given(c, "startHistoryId"))
        return call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "Requested entity was not found.");
    return 1;
}

static int no_page(struct call *c)
{
    const struct google_api *api = c->dialect->facts; /* an API's, as all that come here */
    if (!param_given(c, "pageToken"))
        return 1;
    return call_fail(c, SOSIA_E_INVALID, "invalid", "pageToken", "%s",
                     api && api->bad_page_token ? api->bad_page_token : "Invalid Value");
}

int google_fault(struct call *c, const struct fault *f)
{
    switch (f->kind) {
    case FAULT_RATE:
        return limited(c, f);
    case FAULT_QUOTA:
        return used_up(c);
    case FAULT_SERVER:
        return failed(c, f);
    case FAULT_REVOKED:
        return c->token ? call_fail(c, SOSIA_E_UNAUTHENTICATED, "revoked", "Authorization",
                                    "the token is not valid")
                        : 1;
    case FAULT_ACCESS:
        return f->status == 404 ? call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "%s", "")
                                : call_fail(c, SOSIA_E_FORBIDDEN, NULL, NULL, "%s", "");
    case FAULT_SYNC:
        return too_old(c);
    case FAULT_PAGE:
        return no_page(c);
    case FAULT_MISSING:
        return call_fail(c, SOSIA_E_NOT_FOUND, "unknownMethod", NULL, "there is no such method");
    default:
        return 1;
    }
}
