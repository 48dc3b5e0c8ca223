/* SPDX-License-Identifier: Apache-2.0 */
/* Invitations: people from elsewhere become guests of the tenant. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/rows.h"

#define MAX_TEXT 256 /* bytes of a name; MAX_URL: of where the invited person is led */
#define MAX_URL  2048

static int missing(struct call *c, const char *name)
{
    return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                     "A value is required for property '%s' of resource 'Invitation'.", name);
}

static int bad_value(struct call *c, const char *name)
{
    return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                     "Invalid value specified for property '%s' of resource 'Invitation'.", name);
}

/* Apps invite, and all people of an organisation, its guests too, as the service has it where
 * nobody set it otherwise (allowInvitesFrom: everyone). 1, 0, -1. */
static int may_invite(struct call *c, const struct ms_tenant *tenant)
{
    struct ms_user user;
    int r = dir_may_change(c);
    if (r != 0)
        return r;
    r = ms_user_of_actor(&c->tx, c->actor.id, tenant->id, &user);
    return r == 1 ? !tenant->consumer : r;
}

/* Who has that address, made where the world has nobody. 0, -1. */
static int find_person(struct call *c, const char *email, const char *name, struct actor *ret)
{
    int r = actor_by_email(&c->tx, email, ret);
    if (r != 0)
        return r < 0 ? -1 : 0;
    *ret = (struct actor){.handle = email,
                          .email = email,
                          .kind = "person",
                          .name = name,
                          .zone = "UTC",
                          .locale = "en"};
    return actor_put(&c->tx, ret);
}

/* Nobody of the tenant's own is invited. 0, -1 refused. */
static int check_stranger(struct call *c, const struct ms_tenant *tenant, const char *email)
{
    const char *domain = email_domain(email);
    struct ms_user user;
    int r = ms_user_find(&c->tx, email, tenant->id, &user);
    if (r < 0)
        return -1;
    if (r == 1 && !user.guest)
        return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "The invited user already exists in the directory as object ID: %s. They "
                         "can use that account to sign in to shared apps and resources.",
                         user.oid);
    return strcmp(domain, tenant->domain) == 0 || strcmp(domain, tenant->initial) == 0
               ? bad_value(c, "invitedUserEmailAddress")
               : 0;
}

static int make_guest(struct call *c, const struct ms_tenant *tenant, const struct actor *actor,
                      bool member, struct ms_user *ret)
{
    struct account account = {.actor = actor->id,
                              .vendor = "microsoft",
                              .service = "",
                              .tenant = tenant->guid,
                              .listed = true};
    if (account_put(&c->tx, &account) < 0 || ms_user_usual(&c->tx, &account, actor, ret) < 0 ||
        ms_guest_name(&c->tx, actor->email, tenant, account.id, &ret->upn) < 0)
        return -1;
    ret->guest = !member;
    ret->listed = true;
    return ms_user_new(&c->tx, ret);
}

static void write_message(struct json_writer *w, const struct json *info)
{
    const struct json *people = json_get(info, "ccRecipients");
    json_obj(w, "invitedUserMessageInfo");
    dir_text_or_null(w, "messageLanguage", json_get_str(info, "messageLanguage"));
    dir_text_or_null(w, "customizedMessageBody", json_get_str(info, "customizedMessageBody"));
    if (people && people->type == JSON_ARRAY && people->n) {
        json_value(w, "ccRecipients", people);
    } else { /* as recorded */
        json_arr(w, "ccRecipients");
        json_obj(w, NULL);
        json_obj(w, "emailAddress");
        json_null(w, "name");
        json_null(w, "address");
        json_end(w);
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

static int answer(struct call *c, const struct json *body, const struct ms_tenant *tenant,
                  const struct ms_user *user, const char *email)
{
    struct arena *a = c->tx.arena;
    struct json_writer *w = c->out;
    const char *id = graph_guid(a, "invitation", user->oid);
    const char *type = json_get_str(body, "invitedUserType");
    c->status = 201;
    call_header_const(c, "Location", "https://" GRAPH_HOST);
    json_obj(w, NULL);
    graph_context(c, "invitations/$entity");
    json_str(w, "id", id);
    json_str(
        w, "inviteRedeemUrl",
        arena_printf(a,
                     "https://login.microsoftonline.com/redeem?rd=https%%3a%%2f%%2finvitations."
                     "microsoft.com%%2fredeem%%2f%%3ftenant%%3d%s%%26user%%3d%s%%26ver%%3d2.0",
                     tenant->guid, id));
    dir_text_or_null(w, "invitedUserDisplayName", json_get_str(body, "invitedUserDisplayName"));
    json_str(w, "invitedUserType", type && str_eq_nocase(type, "Member") ? "Member" : "Guest");
    json_str(w, "invitedUserEmailAddress", email);
    json_bool(w, "sendInvitationMessage", json_get_true(body, "sendInvitationMessage"));
    json_str(w, "inviteRedirectUrl", json_get_str(body, "inviteRedirectUrl"));
    json_str(w, "status", "PendingAcceptance");
    write_message(w, json_get(body, "invitedUserMessageInfo"));
    json_obj(w, "invitedUser");
    json_str(w, "id", user->oid);
    json_end(w);
    json_end(w);
    return 0;
}

static int invitations_create(struct call *c)
{
    const struct json *body;
    struct ms_tenant tenant;
    struct ms_user user;
    struct actor actor;
    if (dir_tenant(c, &tenant) < 0)
        return -1;
    int r = may_invite(c, &tenant);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    if (!(body = call_body(c)))
        return -1;
    const char *given = json_get_str(body, "invitedUserEmailAddress");
    const char *url = json_get_str(body, "inviteRedirectUrl");
    const char *name = json_get_str(body, "invitedUserDisplayName");
    const char *type = json_get_str(body, "invitedUserType");
    const char *email = given ? email_normal(c->tx.arena, given) : NULL;
    if (!given || !*given)
        return missing(c, "invitedUserEmailAddress");
    if (!url || !*url)
        return missing(c, "inviteRedirectUrl");
    if (!email)
        return bad_value(c, "invitedUserEmailAddress");
    if (strlen(url) > MAX_URL)
        return bad_value(c, "inviteRedirectUrl");
    if (name && strlen(name) > MAX_TEXT)
        return bad_value(c, "invitedUserDisplayName");
    if (type && !str_eq_nocase(type, "Guest") && !str_eq_nocase(type, "Member"))
        return bad_value(c, "invitedUserType");
    if (check_stranger(c, &tenant, email) < 0)
        return -1;
    const bool member = type && str_eq_nocase(type, "Member");
    if (member && (r = dir_may_change(c)) != 1) /* administrators alone invite as a member */
        return r < 0 ? -1 : graph_denied(c);
    const char *shown =
        name && *name ? name : arena_memdup(c->tx.arena, email, strcspn(email, "@"));
    if (find_person(c, email, shown, &actor) < 0)
        return -1;
    r = ms_user_of_actor(&c->tx, actor.id, tenant.id, &user);
    if (r == 0)
        r = make_guest(c, &tenant, &actor, member, &user);
    return r < 0 ? -1 : answer(c, body, &tenant, &user, email);
}

static const struct route methods[] = {
    {ROUTE("directory.invitations.create", POST, GRAPH("/invitations")),
     .handler = invitations_create, .risk = RISK_EXTERNAL, .body = BODY_JSON,
     .scopes = "User.Invite.All User.ReadWrite.All Directory.ReadWrite.All", .status = 201,
     .request = "microsoft.graph.invitation", .response = "microsoft.graph.invitation",
     .summary = "Invite somebody from elsewhere as a guest"},
};
const struct rows dir_invitation_rows = ROWS(methods);
