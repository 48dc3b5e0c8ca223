/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of others that a mailbox works with: those it sends from, those it forwards to, and the
 * people who may use it.
 */
#include "services/mail/gmail/rows.h"
#include "services/mail/gmail/settings/settings.h"

#define MAX_SENDERS   100
#define MAX_DELEGATES 25
#define MAX_FORWARDS  20

/* The mailbox's own address needs no verification. 1, 0, -1. */
static int is_own(struct call *c, const struct mailbox *mb, const char *email)
{
    struct mailbox other;
    int r = mailbox_by_address(&c->tx, email, &other);
    return r == 1 ? other.id == mb->id : r;
}

/* Begins a response with a list of n entries. False: the list is empty, the response is
 * complete. */
static bool open_list(struct call *c, const char *member, size_t n)
{
    if (!n && GMAIL_NOBODY_STATUS == 204) {
        settings_nothing(c);
        return false;
    }
    json_obj(c->out, NULL);
    if (n)
        json_arr(c->out, member);
    else
        json_end(c->out);
    return n > 0;
}

/* ---- addresses to send from ---- */

static int answer_sender(struct call *c, const struct gmail_sender *s)
{
    json_obj(c->out, NULL);
    settings_write_sender(c->out, s);
    json_end(c->out);
    return 0;
}

/* The entry that the path names. */
static int open_sender(struct call *c, struct mailbox *mb, struct gmail_sender *ret)
{
    if (settings_open(c, mb) < 0)
        return -1;
    const char *email = email_normal(c->tx.arena, param_str(c, "sendAsEmail"));
    int r = email ? gmail_sender_get(&c->tx, mb, email, ret) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

static int gmail_send_as_list(struct call *c)
{
    struct mailbox mb;
    struct gmail_sender *all;
    size_t n;
    if (settings_open(c, &mb) < 0 || gmail_sender_list(&c->tx, &mb, &all, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_arr(c->out, "sendAs");
    for (size_t i = 0; i < n; i++)
        answer_sender(c, &all[i]);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int gmail_send_as_get(struct call *c)
{
    struct mailbox mb;
    struct gmail_sender s;
    if (open_sender(c, &mb, &s) < 0)
        return -1;
    return answer_sender(c, &s);
}

static int gmail_send_as_create(struct call *c)
{
    struct mailbox mb;
    struct gmail_sender s = {.name = "", .reply_to = "", .signature = ""}, *all;
    size_t n;
    if (settings_share(c, &mb) < 0 ||
        settings_address(&c->tx, json_get_str(call_body(c), "sendAsEmail"), "sendAsEmail",
                         &s.email) < 0 ||
        gmail_sender_list(&c->tx, &mb, &all, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].email, s.email) == 0)
            return call_fail(c, SOSIA_E_CONFLICT, "alreadyExists", NULL,
                             "Send-as address already exists");
    if (n >= MAX_SENDERS)
        return settings_bad(&c->tx, "Too many send-as addresses");
    int own = is_own(c, &mb, s.email);
    if (own < 0)
        return -1;
    s.pending = !own;
    if (settings_read_sender(&c->tx, call_body(c), true, &s) < 0 ||
        (s.pending && settings_ask_sender(c, &mb, &s) < 0) || gmail_sender_put(&c->tx, &mb, &s) < 0)
        return -1;
    return answer_sender(c, &s);
}

static int change_sender(struct call *c, bool whole)
{
    struct mailbox mb;
    struct gmail_sender s;
    if (open_sender(c, &mb, &s) < 0 || (!s.main && settings_share(c, &mb) < 0) ||
        settings_read_sender(&c->tx, call_body(c), whole, &s) < 0 ||
        gmail_sender_put(&c->tx, &mb, &s) < 0)
        return -1;
    return answer_sender(c, &s);
}

static int gmail_send_as_patch(struct call *c)
{
    return change_sender(c, false);
}

static int gmail_send_as_update(struct call *c)
{
    return change_sender(c, true);
}

static int gmail_send_as_delete(struct call *c)
{
    struct mailbox mb;
    struct gmail_sender s;
    if (settings_share(c, &mb) < 0 || open_sender(c, &mb, &s) < 0)
        return -1;
    if (s.main)
        return settings_bad(&c->tx, "Cannot delete primary send-as");
    return gmail_sender_delete(&c->tx, &mb, s.email) < 0 ||
                   settings_forget_smime(&c->tx, &mb, s.email) < 0
               ? -1
               : settings_nothing(c);
}

static int gmail_send_as_verify(struct call *c)
{
    struct mailbox mb;
    struct gmail_sender s;
    if (settings_share(c, &mb) < 0 || open_sender(c, &mb, &s) < 0)
        return -1;
    if (!s.pending)
        return settings_bad(&c->tx, "Send-as address %s is verified already", s.email);
    return settings_ask_sender(c, &mb, &s) < 0 || gmail_sender_put(&c->tx, &mb, &s) < 0
               ? -1
               : settings_nothing(c);
}

/* ---- addresses to forward to ---- */

static int answer_forward(struct call *c, const struct gmail_forward *f)
{
    json_obj(c->out, NULL);
    settings_write_forward(c->out, f);
    json_end(c->out);
    return 0;
}

static int open_forward(struct call *c, struct mailbox *mb, struct gmail_forward *ret)
{
    if (settings_open(c, mb) < 0)
        return -1;
    const char *email = email_normal(c->tx.arena, param_str(c, "forwardingEmail"));
    int r = email ? gmail_forward_get(&c->tx, mb, email, ret) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

static int gmail_forwarding_addresses_list(struct call *c)
{
    struct mailbox mb;
    struct gmail_forward *all;
    size_t n;
    if (settings_open(c, &mb) < 0 || gmail_forward_list(&c->tx, &mb, &all, &n) < 0)
        return -1;
    if (!open_list(c, "forwardingAddresses", n))
        return 0;
    for (size_t i = 0; i < n; i++)
        answer_forward(c, &all[i]);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int gmail_forwarding_addresses_get(struct call *c)
{
    struct mailbox mb;
    struct gmail_forward f;
    if (open_forward(c, &mb, &f) < 0)
        return -1;
    return answer_forward(c, &f);
}

static int gmail_forwarding_addresses_create(struct call *c)
{
    struct mailbox mb;
    struct gmail_forward f = {0}, *all;
    size_t n;
    if (settings_share(c, &mb) < 0 ||
        settings_address(&c->tx, json_get_str(call_body(c), "forwardingEmail"),
                         "forwarding address", &f.email) < 0 ||
        gmail_forward_list(&c->tx, &mb, &all, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].email, f.email) == 0)
            return call_fail(c, SOSIA_E_CONFLICT, "alreadyExists", NULL,
                             "Forwarding address already exists");
    if (n >= MAX_FORWARDS)
        return settings_bad(&c->tx, "Too many forwarding addresses");
    int own = is_own(c, &mb, f.email);
    if (own < 0)
        return -1;
    if (own)
        return settings_bad(&c->tx, "Cannot forward to self");
    /* People of the same organisation need not agree. */
    struct mailbox other;
    int r = mailbox_by_address(&c->tx, f.email, &other);
    if (r < 0)
        return -1;
    f.pending = !(r && strcmp(email_domain(other.email), email_domain(mb.email)) == 0);
    if ((f.pending && settings_ask_forward(c, &mb, &f) < 0) ||
        gmail_forward_put(&c->tx, &mb, &f) < 0)
        return -1;
    return answer_forward(c, &f);
}

static int gmail_forwarding_addresses_delete(struct call *c)
{
    struct mailbox mb;
    struct gmail_forward f;
    struct gmail_auto_forward all;
    if (settings_share(c, &mb) < 0 || open_forward(c, &mb, &f) < 0 ||
        gmail_auto_forward_get(&c->tx, &mb, &all) < 0 ||
        mail_kept_remove(&c->tx, &gmail_settings, mb.id, SETTING_FORWARD, f.email) < 0)
        return -1;
    if (all.on && all.to && strcmp(all.to, f.email) == 0) {
        all.on = false;
        if (gmail_auto_forward_put(&c->tx, &mb, &all) < 0)
            return -1;
    }
    return settings_nothing(c);
}

/* ---- delegates ---- */

static void write_delegate(struct call *c, const char *email)
{
    json_obj(c->out, NULL);
    json_str(c->out, "delegateEmail", email);
    json_str(c->out, "verificationStatus", "accepted");
    json_end(c->out);
}

static int gmail_delegates_list(struct call *c)
{
    struct mailbox mb;
    struct gmail_delegate *all;
    size_t n;
    if (settings_open(c, &mb) < 0 || gmail_delegate_list(&c->tx, &mb, &all, &n) < 0)
        return -1;
    if (!open_list(c, "delegates", n))
        return 0;
    for (size_t i = 0; i < n; i++)
        write_delegate(c, all[i].email);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int open_delegate(struct call *c, const struct mailbox *mb, const char **ret)
{
    *ret = email_normal(c->tx.arena, param_str(c, "delegateEmail"));
    int r = *ret ? gmail_delegate_may(&c->tx, mb->id, *ret) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

static int gmail_delegates_get(struct call *c)
{
    struct mailbox mb;
    const char *email;
    if (settings_open(c, &mb) < 0 || open_delegate(c, &mb, &email) < 0)
        return -1;
    write_delegate(c, email);
    return 0;
}

/* A person of the same organisation, by the main address. */
static int gmail_delegates_create(struct call *c)
{
    struct mailbox mb, other;
    struct gmail_delegate *all;
    const char *email;
    size_t n;
    if (settings_share(c, &mb) < 0 || gmail_delegate_list(&c->tx, &mb, &all, &n) < 0)
        return -1;
    const char *given = json_get_str(call_body(c), "delegateEmail");
    email = given ? email_normal(c->tx.arena, given) : NULL;
    if (!email)
        return call_fail(c, SOSIA_E_INVALID, "failedPrecondition", NULL, "Bad Request");
    int r = mailbox_by_address(&c->tx, email, &other);
    if (r < 0)
        return -1;
    if (!r || other.id == mb.id || strcmp(other.email, email) != 0 ||
        strcmp(email_domain(email), email_domain(mb.email)) != 0)
        return settings_bad(&c->tx, "Invalid delegate");
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].email, email) == 0)
            return call_fail(c, SOSIA_E_CONFLICT, "alreadyExists", NULL, "Delegate already exists");
    if (n >= MAX_DELEGATES)
        return settings_bad(&c->tx, "Too many delegates");
    if (gmail_delegate_put(&c->tx, &mb, email) < 0)
        return -1;
    write_delegate(c, email);
    return 0;
}

static int gmail_delegates_delete(struct call *c)
{
    struct mailbox mb;
    const char *email;
    if (settings_share(c, &mb) < 0 || open_delegate(c, &mb, &email) < 0 ||
        mail_kept_remove(&c->tx, &gmail_settings, mb.id, SETTING_DELEGATE, email) < 0)
        return -1;
    return settings_nothing(c);
}

/* ---- whom a call reaches ---- */

static int forwarding_risk(struct call *c, enum risk *ret)
{
    return settings_risk(c, json_get_str(c->body, "forwardingEmail"), ret);
}

/* What is sent goes through another's server, or replies to it go elsewhere. */
static int sender_risk(struct call *c, enum risk *ret)
{
    if (json_get_str(json_get(c->body, "smtpMsa"), "host"))
        *ret = RISK_EXTERNAL;
    return settings_risk(c, json_get_str(c->body, "replyToAddress"), ret);
}

/* Whose address it is gets mail that asks. */
static int send_as_risk(struct call *c, enum risk *ret)
{
    const char *in_path = param_str(c, "sendAsEmail");
    const char *address = in_path ? in_path : json_get_str(c->body, "sendAsEmail");
    return settings_risk(c, address, ret) < 0 ? -1 : sender_risk(c, ret);
}

/* ---- the methods ---- */

static const struct param delegates_delete_params[] = {
    USER_ID,
    {.name = "delegateEmail", .place = IN_PATH, .required = true},
};

static const struct param forwarding_addresses_delete_params[] = {
    USER_ID,
    {.name = "forwardingEmail", .place = IN_PATH, .required = true},
};

static const struct param send_as_delete_params[] = {
    USER_ID,
    {.name = "sendAsEmail", .place = IN_PATH, .required = true},
};

static const struct route delegates_routes[] = {
    {ROUTE("gmail.users.settings.delegates.create", POST,
           "/gmail/v1/users/{userId}/settings/delegates"),
     .cost = 100, .handler = gmail_delegates_create, .risk = RISK_EXTERNAL, .body = BODY_JSON,
     .scopes = SETTINGS_SHARING, PARAMS(gmail_user_params), .request = "Delegate",
     .response = "Delegate", .summary = "Adds a delegate"},
    {ROUTE("gmail.users.settings.delegates.delete", DELETE,
           "/gmail/v1/users/{userId}/settings/delegates/{delegateEmail}"),
     .cost = 5, .handler = gmail_delegates_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = SETTINGS_SHARING, PARAMS(delegates_delete_params), .summary = "Removes a delegate"},
    {ROUTE("gmail.users.settings.delegates.get", GET,
           "/gmail/v1/users/{userId}/settings/delegates/{delegateEmail}"),
     .handler = gmail_delegates_get, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(delegates_delete_params),
     .response = "Delegate", .summary = "A delegate"},
    {ROUTE("gmail.users.settings.delegates.list", GET,
           "/gmail/v1/users/{userId}/settings/delegates"),
     .handler = gmail_delegates_list, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(gmail_user_params),
     .response = "ListDelegatesResponse", .summary = "Lists delegates"},
};
const struct rows gmail_delegates_rows = ROWS(delegates_routes);

static const struct route forwarding_addresses_routes[] = {
    {ROUTE("gmail.users.settings.forwardingAddresses.create", POST,
           "/gmail/v1/users/{userId}/settings/forwardingAddresses"),
     .cost = 100, .handler = gmail_forwarding_addresses_create, .risk = RISK_WRITE,
     .risk_of = forwarding_risk, .body = BODY_JSON, .scopes = SETTINGS_SHARING,
     PARAMS(gmail_user_params), .request = "ForwardingAddress", .response = "ForwardingAddress",
     .summary = "Adds an address to forward to; its owner is asked"},
    {ROUTE("gmail.users.settings.forwardingAddresses.delete", DELETE,
           "/gmail/v1/users/{userId}/settings/forwardingAddresses/{forwardingEmail}"),
     .cost = 5, .handler = gmail_forwarding_addresses_delete, .risk = RISK_DESTRUCTIVE,
     .idempotent = true, .scopes = SETTINGS_SHARING, PARAMS(forwarding_addresses_delete_params),
     .summary = "Deletes an address to forward to"},
    {ROUTE("gmail.users.settings.forwardingAddresses.get", GET,
           "/gmail/v1/users/{userId}/settings/forwardingAddresses/{forwardingEmail}"),
     .handler = gmail_forwarding_addresses_get, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC,
     PARAMS(forwarding_addresses_delete_params), .response = "ForwardingAddress",
     .summary = "An address to forward to"},
    {ROUTE("gmail.users.settings.forwardingAddresses.list", GET,
           "/gmail/v1/users/{userId}/settings/forwardingAddresses"),
     .handler = gmail_forwarding_addresses_list, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(gmail_user_params),
     .response = "ListForwardingAddressesResponse", .summary = "Lists addresses to forward to"},
};
const struct rows gmail_forwarding_addresses_rows = ROWS(forwarding_addresses_routes);

static const struct route send_as_routes[] = {
    {ROUTE("gmail.users.settings.sendAs.create", POST, "/gmail/v1/users/{userId}/settings/sendAs"),
     .cost = 100, .handler = gmail_send_as_create, .risk = RISK_WRITE, .risk_of = send_as_risk,
     .body = BODY_JSON, .scopes = SETTINGS_SHARING, PARAMS(gmail_user_params), .request = "SendAs",
     .response = "SendAs", .summary = "Adds an address to send from; its owner is asked"},
    {ROUTE("gmail.users.settings.sendAs.delete", DELETE,
           "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}"),
     .cost = 5, .handler = gmail_send_as_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = SETTINGS_SHARING, PARAMS(send_as_delete_params),
     .summary = "Deletes an address to send from"},
    {ROUTE("gmail.users.settings.sendAs.get", GET,
           "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}"),
     .handler = gmail_send_as_get, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(send_as_delete_params),
     .response = "SendAs", .summary = "An address to send from"},
    {ROUTE("gmail.users.settings.sendAs.list", GET, "/gmail/v1/users/{userId}/settings/sendAs"),
     .handler = gmail_send_as_list, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(gmail_user_params),
     .response = "ListSendAsResponse", .summary = "Lists addresses to send from"},
    {ROUTE("gmail.users.settings.sendAs.patch", PATCH,
           "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}"),
     .cost = 100, .handler = gmail_send_as_patch, .risk = RISK_WRITE, .idempotent = true,
     .risk_of = sender_risk, .body = BODY_JSON, .scopes = SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(send_as_delete_params), .request = "SendAs", .response = "SendAs",
     .summary = "Changes parts of an address to send from"},
    {ROUTE("gmail.users.settings.sendAs.update", PUT,
           "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}"),
     .cost = 100, .handler = gmail_send_as_update, .risk = RISK_WRITE, .idempotent = true,
     .risk_of = sender_risk, .body = BODY_JSON, .scopes = SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(send_as_delete_params), .request = "SendAs", .response = "SendAs",
     .summary = "Replaces an address to send from"},
    {ROUTE("gmail.users.settings.sendAs.verify", POST,
           "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}/verify"),
     .cost = 100, .handler = gmail_send_as_verify, .risk = RISK_WRITE, .risk_of = send_as_risk,
     .scopes = SETTINGS_SHARING, PARAMS(send_as_delete_params),
     .summary = "Sends the verification of an address to send from again"},
};
const struct rows gmail_send_as_rows = ROWS(send_as_routes);
