/* SPDX-License-Identifier: Apache-2.0 */
/* The profile of a mailbox. */
#include "services/mail/gmail/rows.h"

static int gmail_get_profile(struct call *c)
{
    struct mailbox mb;
    if (gmail_open(c, &mb) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "emailAddress", mb.email);
    json_int(c->out, "messagesTotal", mb.messages);
    json_int(c->out, "threadsTotal", mb.threads);
    json_int_str(c->out, "historyId", gmail_history(mb.change));
    json_end(c->out);
    return 0;
}

/* ---- the methods ---- */

static const struct route routes[] = {
    {ROUTE("gmail.users.getProfile", GET, "/gmail/v1/users/{userId}/profile"),
     .handler = gmail_get_profile, .risk = RISK_READ,
     .scopes = MAIL " " COMPOSE " " METADATA " " MODIFY " " READONLY, PARAMS(gmail_user_params),
     .response = "Profile", .summary = "Whose mailbox it is, and how much is in it"},
};
const struct rows gmail_profile_rows = ROWS(routes);
