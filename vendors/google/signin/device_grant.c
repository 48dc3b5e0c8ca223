/* SPDX-License-Identifier: Apache-2.0 */
/* The grant of a device, which polls until a person has agreed (RFC 8628). */
#include "vendors/google/signin/internal.h"

int oauth_token_device(struct call *c, const struct ident_app *client)
{
    struct oauth_device d;
    struct oauth_grant grant;
    struct actor who;
    const char *code = oauth_param(c, "device_code");
    if (!code)
        code = oauth_param(c, "code");
    if (!code || !*code)
        return call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL,
                         "Missing required parameter: device_code");
    int r = oauth_device_poll(&c->tx, &google_style, client, code, &d, &who);
    if (r)
        return oauth_fail(c, r);
    if (oauth_grant_new(&c->tx, &google_style, client->id, who.id, d.scopes, &grant) < 0)
        return -1;
    return oauth_write_tokens(
        c, &(struct oauth_issue){client, &who, d.scopes, grant.id, grant.token, NULL});
}
