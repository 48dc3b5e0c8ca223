/* SPDX-License-Identifier: Apache-2.0 */
/* What a permission may be: roles, grantees, expiry, owners. */
#include "services/drive/google/sharing/permission.h"
#include "engine/text/civil.h"
#include "services/drive/core/access/shared.h"

enum { MAX_MESSAGE = 20000 };
#define YEAR (366 * US_PER_DAY)

/* ---- checks of a body ---- */

static int invalid_value(struct call *c, const char *member, const struct json *v,
                         const char *expected)
{
    call_why(c, "%s must be %s, not %s", member, expected, call_quote(c, v));
    return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
}

static void read_flag(struct call *c, const char *member, bool *ret, bool *ret_given)
{
    const struct json *v = json_get(c->body, member);
    *ret_given = v && v->type != JSON_NULL;
    if (*ret_given)
        *ret = v->truth;
}

static int not_applicable(struct call *c, const char *member)
{
    return call_fail(c, SOSIA_E_INVALID, "invalid", NULL,
                     "The specified %s is invalid or not applicable for the given permission type.",
                     member);
}

/* Whom it is for: what each type has to name, and may not name. */
static int read_grantee(struct call *c, struct gdrive_wanted *w)
{
    const char *type = json_get_str(c->body, "type"), *domain = json_get_str(c->body, "domain");
    struct drive_grant *g = &w->grant;
    w->email = json_get_str(c->body, "emailAddress");
    for (int kind = GRANT_PERSON; kind <= GRANT_ANYONE; kind++)
        if (strcmp(gdrive_grantees[kind], type) == 0)
            g->kind = (enum drive_grantee)kind;
    g->who = "";
    bool addressed = g->kind == GRANT_PERSON || g->kind == GRANT_GROUP;
    if (w->email && !addressed)
        return not_applicable(c, "emailAddress");
    if (domain && g->kind != GRANT_DOMAIN)
        return not_applicable(c, "domain");
    if (addressed) {
        if (!w->email)
            return call_fail(c, SOSIA_E_INVALID, "required", NULL,
                             "The emailAddress field is required for permissions of type '%s'.",
                             type);
        g->who = NULL;
        int r = gdrive_addressee(c, w->email, &g->who, &w->person);
        if (r < 0)
            return -1;
        if (!g->who)
            return not_applicable(c, "emailAddress");
        if (r) /* what it is counts, and not what it is called */
            g->kind = r == 2 ? GRANT_GROUP : GRANT_PERSON;
        else if (g->kind == GRANT_GROUP)
            return not_applicable(c, "emailAddress");
    } else if (g->kind == GRANT_DOMAIN) {
        if (!domain || !*domain)
            return call_fail(c, SOSIA_E_INVALID, "required", NULL,
                             "The domain field is required for permissions of type 'domain'.");
        const char *lower = domain_normal(c->tx.arena, domain);
        if (!lower || !strchr(lower, '.'))
            return not_applicable(c, "domain");
        int known = gdrive_is_organisation(c, lower);
        if (known != 1)
            return known < 0 ? -1 : not_applicable(c, "domain");
        g->who = lower;
    }
    return 0;
}

static void read_expiry(struct call *c, struct gdrive_wanted *w)
{
    const char *text = json_get_str(c->body, "expirationTime");
    struct stamp at;
    if (!text || stamp_parse(text, strlen(text), false, &at) < 0)
        return;
    w->has_expiry = true;
    w->grant.expires_us = at.local_us - at.offset * US_PER_SECOND;
}

int gdrive_read_wanted(struct call *c, bool create, struct gdrive_wanted *w)
{
    if (!call_body(c) || (create && read_grantee(c, w) < 0))
        return -1;
    bool given, was = w->grant.discoverable;
    read_flag(c, "allowFileDiscovery", &w->grant.discoverable, &given);
    bool applies = w->grant.kind == GRANT_DOMAIN || w->grant.kind == GRANT_ANYONE;
    if (given && create && !applies)
        return not_applicable(c, "allowFileDiscovery");
    if (given && !create && (!applies || w->grant.discoverable != was))
        return gdrive_not_writable(c); /* a permission's id says it */
    const char *role = json_get_str(c->body, "role"), *view = json_get_str(c->body, "view");
    w->grant.role = role ? gdrive_role_of(role) : w->grant.role;
    read_expiry(c, w);
    read_flag(c, "pendingOwner", &w->grant.pending, &w->has_pending);
    view = view ? view : w->grant.view;
    if (view && w->grant.role > ROLE_READER)
        return invalid_value(c, "role", json_get(c->body, "role"), "\"reader\" for a view");
    w->grant.view = view;
    return 0;
}

/* ---- what may be granted ---- */

/* Roles that exist on some items only. */
static int check_role(struct gdrive_subject *s, const struct gdrive_wanted *w)
{
    struct call *c = s->view.c;
    enum drive_role role = w->grant.role;
    bool shared = s->item.drive != 0, top = s->item.top == DRIVE_SHARED;
    if (role == ROLE_OWNER && shared)
        return call_fail(c, SOSIA_E_FORBIDDEN, "ownerOnTeamDriveItemNotSupported", NULL,
                         "A shared drive item can't have an owner.");
    if (role == ROLE_ORGANIZER && !shared)
        return call_fail(c, SOSIA_E_FORBIDDEN, "organizerOnNonTeamDriveNotSupported", NULL,
                         "The organizer role is only supported on shared drives.");
    if (role == ROLE_ORGANIZER && !top)
        return call_fail(c, SOSIA_E_FORBIDDEN, "organizerOnNonTeamDriveItemNotSupported", NULL,
                         "The organizer role is only supported for members of shared drives.");
    if (role == ROLE_FILE_ORGANIZER && !shared)
        return call_fail(c, SOSIA_E_FORBIDDEN, "fileOrganizerOnNonTeamDriveNotSupported", NULL,
                         "The fileOrganizer role is only supported on shared drives.");
    if (role == ROLE_FILE_ORGANIZER && s->item.form != DRIVE_FOLDER)
        return call_fail(c, SOSIA_E_FORBIDDEN, "fileOrganizerOnFoldersInSharedDriveOnly", NULL,
                         "FileOrganizer role is only allowed on folders.");
    if (top && (w->grant.kind == GRANT_DOMAIN || w->grant.kind == GRANT_ANYONE))
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotShareTeamDriveTopFolderWithAnyoneOrDomains",
                         NULL, "Shared drives cannot be shared with anyone or with domains.");
    if (role > ROLE_WRITER && role != ROLE_OWNER && w->grant.kind > GRANT_GROUP)
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotShareTeamDriveTopFolderWithAnyoneOrDomains",
                         NULL, "Shared drives cannot be shared with anyone or with domains.");
    /* A grant can't exceed the caller's own role. */
    return role > s->access.role && role != ROLE_OWNER ? gdrive_insufficient(c) : 0;
}

static int check_expiry(struct gdrive_subject *s, const struct gdrive_wanted *w)
{
    struct call *c = s->view.c;
    if (!w->grant.expires_us || !w->has_expiry)
        return 0;
    if (w->grant.kind > GRANT_GROUP)
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotSetExpirationOnAnyoneOrDomain", NULL,
                         "Expiration dates are only allowed for users and groups.");
    if (s->item.top == DRIVE_SHARED)
        return call_fail(c, SOSIA_E_FORBIDDEN, "expirationDateNotAllowedForSharedDriveMembers",
                         NULL, "Expiration dates are not allowed for shared drive members.");
    struct actor owner = {0};
    if (s->item.owner && actor_by_id(&c->tx, s->item.owner, &owner) < 0)
        return -1;
    if (w->grant.role > ROLE_WRITER ||
        (s->item.form == DRIVE_FOLDER && w->grant.role != ROLE_READER) ||
        (s->item.owner && !owner.org && !gdrive_has_organisation(&owner)))
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotSetExpiration", NULL,
                         "Expiration dates cannot be set on this item.");
    if (w->grant.expires_us <= c->tx.now_us)
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL,
                         "Expiration dates must be in the future");
    if (w->grant.expires_us > c->tx.now_us + YEAR)
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL,
                         "Expiration dates must be at most one year in the future");
    return 0;
}

/* Is the grantee of the drive's organisation: the domain of who made it? */
static bool of_organisation(const struct actor *one, const char *who, enum drive_grantee kind)
{
    struct actor other = {.email = kind == GRANT_DOMAIN ? "" : who};
    if (kind == GRANT_ANYONE)
        return false;
    if (kind == GRANT_DOMAIN)
        return strcmp(email_domain(one->email), who) == 0;
    return gdrive_same_organisation(one, &other);
}

/* What a shared drive does not let its items be shared with. */
static int check_drive(struct gdrive_subject *s, const struct gdrive_wanted *w)
{
    struct call *c = s->view.c;
    struct drive_settings set;
    struct drive_access at;
    struct drive_item top;
    if (!s->item.drive)
        return 0;
    int r = drive_settings(&c->tx, s->item.drive, &set);
    if (r < 1)
        return r;
    if (set.domain_only) {
        struct actor maker = c->actor;
        if (set.creator && actor_by_id(&c->tx, set.creator, &maker) < 0)
            return -1;
        bool inside = w->person.id ? gdrive_same_organisation(&maker, &w->person)
                                   : of_organisation(&maker, w->grant.who, w->grant.kind);
        if (!inside)
            return call_fail(c, SOSIA_E_FORBIDDEN, "teamDriveDomainUsersOnlyRestriction", NULL,
                             "The shared drive restricts its content to users of its domain.");
    }
    if (!set.members_only || s->item.top == DRIVE_SHARED)
        return 0;
    bool member = false;
    r = w->person.id ? drive_item_by_id(&c->tx, s->item.drive, &top) : 0;
    if (r < 0)
        return -1;
    if (r) {
        struct drive_viewer v;
        drive_viewer(&c->tx, &w->person, &v);
        if (drive_role(&v, &top, &at) < 0)
            return -1;
        member = at.role >= ROLE_READER;
    }
    return member ? 0
                  : call_fail(c, SOSIA_E_FORBIDDEN, "teamDriveTeamMembersOnlyRestriction", NULL,
                              "The shared drive restricts its content to its members.");
}

bool gdrive_wants_letter(const struct call *c, const struct drive_grant *g)
{
    if (g->kind > GRANT_GROUP)
        return false;
    return !param_given(c, "sendNotificationEmail") || param_bool(c, "sendNotificationEmail");
}

static int check_notice(struct call *c, const struct gdrive_wanted *w)
{
    const char *message = param_str(c, "emailMessage");
    bool given = param_given(c, "sendNotificationEmail"),
         on = given && param_bool(c, "sendNotificationEmail");
    if ((on && w->grant.kind > GRANT_GROUP) || (given && !on && w->grant.role == ROLE_OWNER))
        return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", "sendNotificationEmail",
                         "The sendNotificationEmail parameter is only applicable for permissions "
                         "of type 'user' or 'group', and must not be disabled for ownership "
                         "transfers.");
    if (message && strlen(message) > MAX_MESSAGE)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "emailMessage", "Invalid Value");
    if (given && !on && w->grant.kind == GRANT_PERSON && !w->person.id) {
        const char *text = arena_printf(
            c->tx.arena,
            "You are trying to invite %s. Since there is no Google account associated with this "
            "email address, you must check the \"Notify people\" box to invite this recipient.",
            w->email);
        return call_fail(c, SOSIA_E_INVALID, "invalidSharingRequest", NULL,
                         "Bad Request. User message: \"%s\"", text);
    }
    return 0;
}

/* ---- ownership ---- */

static int consent_needed(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "consentRequiredForOwnershipTransfer", NULL,
                     "Consent is required to transfer ownership of a file to another user.");
}

/* Whether the caller may make a person the owner. Within an organisation the owner does;
 * elsewhere the other person accepts the owner's offer. */
static int check_owner(struct gdrive_subject *s, const struct gdrive_wanted *w)
{
    struct call *c = s->view.c;
    struct actor owner;
    if (w->grant.role != ROLE_OWNER)
        return 0;
    if (!param_bool(c, "transferOwnership"))
        return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", "transferOwnership",
                         "The transferOwnership parameter must be enabled when the permission role "
                         "is 'owner'.");
    if (w->grant.kind != GRANT_PERSON || !w->person.id || s->item.top != DRIVE_NO_TOP ||
        strcmp(w->person.kind, "person") != 0)
        return call_fail(c, SOSIA_E_FORBIDDEN, "invalidOwnershipTransfer", NULL,
                         "The ownership of this item cannot be transferred to this account.");
    if (w->person.id == s->item.owner)
        return 0;
    if (can(&s->cans, CAN_ACCEPT_OWNERSHIP) && w->person.id == c->actor.id)
        return 0;
    if (s->access.role != ROLE_OWNER)
        return gdrive_insufficient(c);
    if (actor_by_id(&c->tx, s->item.owner, &owner) < 0)
        return -1;
    if (gdrive_same_organisation(&owner, &w->person))
        return 0;
    if (gdrive_has_organisation(&owner) || gdrive_has_organisation(&w->person))
        return call_fail(c, SOSIA_E_FORBIDDEN, "ownershipChangeAcrossDomainNotPermitted", NULL,
                         "Ownership can only be transferred to another user in the same "
                         "organization as the current owner.");
    return consent_needed(c);
}

/* An offer to own is made to a writer, by the owner. */
static int check_offer(struct gdrive_subject *s, const struct gdrive_wanted *w)
{
    struct call *c = s->view.c;
    if (!w->grant.pending || !w->has_pending)
        return 0;
    if (s->access.role != ROLE_OWNER)
        return gdrive_insufficient(c);
    if (w->grant.kind != GRANT_PERSON || !w->person.id || w->grant.role != ROLE_WRITER)
        return call_fail(c, SOSIA_E_FORBIDDEN, "invalidOwnershipTransfer", NULL,
                         "A pending owner must be a user with the writer role.");
    return 0;
}

/* ---- all of it ---- */

int gdrive_check_wanted(struct gdrive_subject *s, const struct gdrive_wanted *w, bool create)
{
    if (check_role(s, w) < 0 || check_owner(s, w) < 0 || check_offer(s, w) < 0 ||
        (create && check_notice(s->view.c, w) < 0))
        return -1;
    return check_expiry(s, w) < 0 ? -1 : check_drive(s, w);
}
