/* SPDX-License-Identifier: Apache-2.0 */
/* Who may do what with a file, and how that is changed. */
#include "services/drive/core/access/shared.h"
#include "services/drive/google/access.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/drive/google/scopes.h"
#include <stdio.h>

enum { MAX_GRANTS = 600, MAX_MESSAGE = 20000 };
#define YEAR (366 * US_PER_DAY)

/* Domains in which anybody may have an address: no organisation's. */
static const char *const open_domains[] = {"gmail.com", "googlemail.com", NULL};

bool gdrive_has_organisation(const struct actor *a)
{
    const char *domain = email_domain(a->email);
    for (size_t i = 0; open_domains[i]; i++)
        if (strcmp(open_domains[i], domain) == 0)
            return false;
    return *domain;
}

bool gdrive_same_organisation(const struct actor *a, const struct actor *b)
{
    if (a->org && a->org == b->org)
        return true;
    return gdrive_has_organisation(a) &&
           strcmp(email_domain(a->email), email_domain(b->email)) == 0;
}

int gdrive_insufficient(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "insufficientFilePermissions", NULL,
                     "The user does not have sufficient permissions for this file.");
}

/* Administrators organize all shared drives; who is none sees nothing by saying so. */
static int open_as_admin(struct gdrive_subject *s, const char *key)
{
    struct call *c = s->view.c;
    int r = drive_is_admin(&c->tx, c->actor.id);
    if (r == 1)
        r = drive_item_by_key(&c->tx, key, &s->item);
    if (r < 0)
        return -1;
    if (!r || !s->item.drive || !gdrive_all_drives(c))
        return gdrive_no_file(c, key);
    if (drive_role(&s->view.viewer, &s->item, &s->access) < 0)
        return -1;
    s->access.role = ROLE_ORGANIZER;
    s->access.expires = false;
    return drive_may(&s->view.viewer, &s->item, &s->access, &s->cans);
}

int gdrive_subject(struct call *c, struct gdrive_subject *ret)
{
    const char *key = param_str(c, "fileId");
    if (gdrive_view(c, &ret->view) < 0)
        return -1;
    if (gdrive_flag(c, "useDomainAdminAccess"))
        return open_as_admin(ret, key);
    if (gdrive_open_file(&ret->view, ROLE_SEES, &ret->item, &ret->access) < 0)
        return -1;
    return drive_may(&ret->view.viewer, &ret->item, &ret->access, &ret->cans);
}

int gdrive_must(struct gdrive_subject *s, enum drive_can what)
{
    return can(&s->cans, what) ? 0 : gdrive_insufficient(s->view.c);
}

/* Who sees all permissions: who may share, and in a shared drive who may write. */
static int may_list(struct gdrive_subject *s)
{
    if (can(&s->cans, CAN_SHARE) || (s->item.drive && s->access.role >= ROLE_WRITER))
        return 0;
    return gdrive_insufficient(s->view.c);
}

static int no_permission(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "permissionId", "Permission not found: %s.",
                     param_str(c, "permissionId"));
}

/* The permission of the parameter permissionId among those that the file has. The own one is to be
 * had by everybody who sees the file. */
static int find_permission(struct gdrive_subject *s, struct drive_share **ret)
{
    struct call *c = s->view.c;
    const char *id = param_str(c, "permissionId");
    struct drive_share *list;
    size_t n;
    if (drive_shares(&c->tx, &s->item, true, &list, &n) < 0)
        return -1;
    const char *own = gdrive_permission_id(c->tx.arena, GRANT_PERSON,
                                           c->actor.email ? c->actor.email : "", false);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(id, gdrive_permission_id(c->tx.arena, list[i].kind, list[i].who,
                                            list[i].discoverable)) != 0)
            continue;
        *ret = &list[i];
        return strcmp(id, own) == 0 ? 0 : may_list(s);
    }
    return may_list(s) < 0 ? -1 : no_permission(c);
}

static int permissions_get(struct call *c)
{
    struct gdrive_subject s;
    struct drive_share *share;
    if (gdrive_subject(c, &s) < 0 || find_permission(&s, &share) < 0)
        return -1;
    return gdrive_write_permission(&s.view, NULL, &s.item, share);
}

/* Whether permissions of a view are asked for: "published" is the only one. */
static int read_view(struct call *c, bool *ret)
{
    const char *view = param_str(c, "includePermissionsForView");
    *ret = view && strcmp(view, "published") == 0;
    if (view && *view && !*ret)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "includePermissionsForView",
                         "Invalid Value");
    return 0;
}

static int permissions_list(struct call *c)
{
    struct gdrive_subject s;
    struct drive_share *list;
    const char *token = call_query_item(c, "pageToken"), *position;
    unsigned long first = 0;
    size_t n;
    bool published;
    if (gdrive_subject(c, &s) < 0 || may_list(&s) < 0 || read_view(c, &published) < 0)
        return -1;
    if (token && !*token)
        return call_fail(c, SOSIA_E_FORBIDDEN, "pageTokenExpired", "pageToken",
                         "The specified page token has expired, and can no longer be used.");
    int paged = google_page_position(c, &position);
    if (paged < 0 || drive_shares(&c->tx, &s.item, published, &list, &n) < 0)
        return -1;
    if (paged && sscanf(position, "%lu", &first) != 1)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "pageToken", "Invalid Value");
    size_t limit = (size_t)param_num(c, "pageSize", s.item.drive ? 100 : (int64_t)n);
    size_t end = first > n ? n : n - first > limit ? first + limit : n;
    json_obj(c->out, NULL);
    json_word(c->out, "kind", "drive#permissionList");
    if (end < n)
        json_str(c->out, "nextPageToken",
                 google_page_token(c, arena_printf(c->tx.arena, "%zu", end)));
    json_arr(c->out, "permissions");
    for (size_t i = first; i < end; i++)
        if (gdrive_write_permission(&s.view, NULL, &s.item, &list[i]) < 0)
            return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- what a body asks for ---- */

struct wanted {
    struct drive_grant grant;
    struct actor person; /* of a person of the world; id 0: none */
    const char *email;   /* as sent */
    bool has_expiry, has_pending;
};

static int invalid_value(struct call *c, const char *member, const struct json *v,
                         const char *expected)
{
    call_why(c, "%s must be %s, is %s", member, expected, call_quote(c, v));
    return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
}

static void read_flag(struct call *c, const char *member, bool *ret, bool *ret_given)
{
    const struct json *v = json_get(c->body, member);
    *ret_given = v && v->type != JSON_NULL;
    if (*ret_given)
        *ret = v->truth;
}

int gdrive_addressee(struct call *c, const char *email, const char **ret_who, struct actor *ret)
{
    struct group g;
    const char *who = email_normal(c->tx.arena, email);
    *ret = (struct actor){0};
    if (!who || alias_open(&c->tx, &who) < 0)
        return who ? -1 : 0;
    *ret_who = who;
    int r = actor_by_email(&c->tx, who, ret);
    if (r)
        return r;
    r = group_by_email(&c->tx, who, &g);
    return r == 1 ? 2 : r;
}

static int not_applicable(struct call *c, const char *member)
{
    return call_fail(c, SOSIA_E_INVALID, "invalid", NULL,
                     "The specified %s is invalid or not applicable for the given permission type.",
                     member);
}

/* Whom it is for: what each type has to name, and may not name. */
static int read_grantee(struct call *c, struct wanted *w)
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
        if (strlen(domain) > 253 || strcspn(domain, "@ /:") != strlen(domain) ||
            !strchr(domain, '.'))
            return not_applicable(c, "domain");
        char *lower = arena_strdup(c->tx.arena, domain);
        for (char *p = lower; *p; p++)
            if (*p >= 'A' && *p <= 'Z')
                *p = (char)(*p + 32);
        struct actor somebody = {.email = arena_printf(c->tx.arena, "a@%s", lower)};
        if (!gdrive_has_organisation(&somebody))
            return not_applicable(c, "domain");
        g->who = lower;
    }
    return 0;
}

static void read_expiry(struct call *c, struct wanted *w)
{
    const char *text = json_get_str(c->body, "expirationTime");
    struct stamp at;
    if (!text || stamp_parse(text, strlen(text), false, &at) < 0)
        return;
    w->has_expiry = true;
    w->grant.expires_us = at.local_us - at.offset * US_PER_SECOND;
}

static int read_body(struct call *c, bool create, struct wanted *w)
{
    bool given = false;
    if (!call_body(c) || (create && read_grantee(c, w) < 0))
        return -1;
    if (create)
        read_flag(c, "allowFileDiscovery", &w->grant.discoverable, &given);
    if (given && w->grant.kind != GRANT_DOMAIN && w->grant.kind != GRANT_ANYONE)
        return not_applicable(c, "allowFileDiscovery");
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
static int check_role(struct gdrive_subject *s, const struct wanted *w)
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
    /* Nobody gives more than they have. */
    return role > s->access.role && role != ROLE_OWNER ? gdrive_insufficient(c) : 0;
}

static int check_expiry(struct gdrive_subject *s, const struct wanted *w)
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
    if (w->grant.role > ROLE_WRITER ||
        (s->item.form == DRIVE_FOLDER && w->grant.role != ROLE_READER))
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
static int check_drive(struct gdrive_subject *s, const struct wanted *w)
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

static bool wants_mail(const struct call *c, const struct drive_grant *g)
{
    if (g->kind > GRANT_GROUP)
        return false;
    return !param_given(c, "sendNotificationEmail") || param_bool(c, "sendNotificationEmail");
}

static int check_notice(struct call *c, const struct wanted *w)
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

/* May the caller make somebody the owner? Within an organisation the owner gives; elsewhere the
 * other one takes what the owner has offered. */
static int check_owner(struct gdrive_subject *s, const struct wanted *w)
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
static int check_offer(struct gdrive_subject *s, const struct wanted *w)
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

/* ---- changes ---- */

static int answer_permission(struct gdrive_subject *s, enum drive_grantee kind, const char *who)
{
    struct drive_share *list;
    size_t n;
    if (drive_shares(&s->view.c->tx, &s->item, true, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == kind && strcmp(list[i].who, who) == 0)
            return gdrive_write_permission(&s->view, NULL, &s->item, &list[i]);
    return tx_fail(&s->view.c->tx, SOSIA_E_INTERNAL, NULL, NULL, "a permission is not there");
}

static const struct drive_share *share_of(const struct drive_share *list, size_t n,
                                          const struct drive_grant *g)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == g->kind && strcmp(list[i].who, g->who) == 0)
            return &list[i];
    return NULL;
}

static int no_room(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "sharingRateLimitExceeded", NULL,
                     "Rate limit exceeded. User message: \"You have reached the maximum number of "
                     "people that this item can be shared with.\"");
}

static int give_ownership(struct gdrive_subject *s, const struct wanted *w)
{
    return w->person.id == s->item.owner
               ? 0
               : drive_share_give(&s->view.c->tx, &s->item, &w->person,
                                  param_bool(s->view.c, "moveToNewOwnersRoot"));
}

static int permissions_create(struct call *c)
{
    struct gdrive_subject s;
    struct wanted w = {0};
    struct drive_share *list;
    size_t n, here = 0;
    if (gdrive_subject(c, &s) < 0 || read_body(c, true, &w) < 0)
        return -1;
    bool accepts = w.grant.role == ROLE_OWNER && can(&s.cans, CAN_ACCEPT_OWNERSHIP);
    if (!accepts && gdrive_must(&s, CAN_SHARE) < 0)
        return -1;
    if (check_role(&s, &w) < 0 || check_owner(&s, &w) < 0 || check_offer(&s, &w) < 0 ||
        check_notice(c, &w) < 0 || check_expiry(&s, &w) < 0 || check_drive(&s, &w) < 0 ||
        drive_shares(&c->tx, &s.item, true, &list, &n) < 0)
        return -1;
    const struct drive_share *had = share_of(list, n, &w.grant);
    for (size_t i = 0; i < n; i++)
        here += list[i].grant != 0;
    if (!had && here >= MAX_GRANTS)
        return no_room(c);
    if (w.grant.role == ROLE_OWNER) {
        if (give_ownership(&s, &w) < 0)
            return -1;
    } else if (had && had->owns) {
        return gdrive_write_permission(&s.view, NULL, &s.item, had);
    } else {
        /* Inherited ones are not lowered by adding one. */
        if (!(had && w.grant.role < had->above && !had->grant) &&
            drive_share_set(&c->tx, &s.item, had, &w.grant, c->actor.id) < 0)
            return -1;
    }
    if (wants_mail(c, &w.grant) &&
        gdrive_tell_shared(&s, w.grant.who, w.grant.role, param_str(c, "emailMessage")) < 0)
        return -1;
    return answer_permission(&s, w.grant.kind, w.grant.who);
}

/* Inherited roles stay in shared drives, and everywhere where access shall only grow. */
static int check_inherited(struct gdrive_subject *s, const struct drive_share *share,
                           enum drive_role role)
{
    struct call *c = s->view.c;
    if (s->item.drive && !share->grant)
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotModifyInheritedTeamDrivePermission", NULL,
                         "Cannot update or delete an inherited permission on a shared drive item.");
    if (!s->item.drive && role < share->above && gdrive_flag(c, "enforceExpansiveAccess"))
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotModifyInheritedPermission", NULL,
                         "Cannot update or delete an inherited permission.");
    return 0;
}

static bool is_own(const struct call *c, const struct drive_share *share)
{
    return share->kind == GRANT_PERSON && c->actor.id && strcmp(share->who, c->actor.email) == 0;
}

static int owner_stays(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "cannotRemoveOwner", NULL,
                     "The owner of a file cannot be removed.");
}

static int permissions_update(struct call *c)
{
    struct gdrive_subject s;
    struct drive_share *share;
    if (gdrive_subject(c, &s) < 0 || find_permission(&s, &share) < 0 || !call_body(c))
        return -1;
    struct wanted w = {.grant = {.kind = share->kind,
                                 .who = share->who,
                                 .role = share->direct ? share->direct : share->role,
                                 .discoverable = share->discoverable,
                                 .view = share->view,
                                 .pending = share->pending,
                                 .expires_us = share->expires_us}};
    if (share->kind == GRANT_PERSON && actor_by_email(&c->tx, share->who, &w.person) < 0)
        return -1;
    if (read_body(c, false, &w) < 0)
        return -1;
    if (param_bool(c, "removeExpiration"))
        w.grant.expires_us = 0;
    bool lowers_own = is_own(c, share) && w.grant.role <= share->role && !w.has_expiry;
    bool accepts = w.grant.role == ROLE_OWNER && can(&s.cans, CAN_ACCEPT_OWNERSHIP);
    if (!lowers_own && !accepts && gdrive_must(&s, CAN_SHARE) < 0)
        return -1;
    if (share->owns && w.grant.role != ROLE_OWNER)
        return s.access.role == ROLE_OWNER ? owner_stays(c) : gdrive_insufficient(c);
    if (check_role(&s, &w) < 0 || check_owner(&s, &w) < 0 || check_offer(&s, &w) < 0 ||
        check_expiry(&s, &w) < 0 || check_drive(&s, &w) < 0)
        return -1;
    /* Nobody lowers those who may do more. */
    if (share->role > s.access.role)
        return gdrive_insufficient(c);
    if (w.grant.role == ROLE_OWNER) {
        if (give_ownership(&s, &w) < 0)
            return -1;
    } else if (check_inherited(&s, share, w.grant.role) < 0 ||
               drive_share_set(&c->tx, &s.item, share, &w.grant, c->actor.id) < 0) {
        return -1;
    }
    return answer_permission(&s, share->kind, share->who);
}

static int permissions_delete(struct call *c)
{
    struct gdrive_subject s;
    struct drive_share *share;
    if (gdrive_subject(c, &s) < 0 || find_permission(&s, &share) < 0)
        return -1;
    if (share->owns)
        return s.access.role == ROLE_OWNER ? owner_stays(c) : gdrive_insufficient(c);
    if (!is_own(c, share) && (!can(&s.cans, CAN_SHARE) || share->role > s.access.role))
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotDeletePermission", NULL,
                         "The authenticated user cannot delete the permission.");
    struct drive_grant none = {.kind = share->kind, .who = share->who};
    if (check_inherited(&s, share, ROLE_NONE) < 0)
        return -1;
    if (drive_share_set(&c->tx, &s.item, share, &none, c->actor.id) < 0)
        return -1;
    c->status = 204;
    return 0;
}

/* ---- rows ---- */

#define PERMISSION_ID                                                                              \
    {                                                                                              \
        .name = "permissionId", .place = IN_PATH, .required = true                                 \
    }

static const struct param create_params[] = {
    {.name = "emailMessage", .place = IN_QUERY},
    GDRIVE_FLAG("enforceExpansiveAccess"),
    GDRIVE_OLD_FLAG("enforceSingleParent"),
    GDRIVE_FILE_ID,
    GDRIVE_FLAG("moveToNewOwnersRoot"),
    {.name = "sendNotificationEmail", .place = IN_QUERY, .type = PARAM_BOOL},
    GDRIVE_FLAG("supportsAllDrives"),
    GDRIVE_OLD_FLAG("supportsTeamDrives"),
    GDRIVE_FLAG("transferOwnership"),
    GDRIVE_FLAG("useDomainAdminAccess"),
};

static const struct param delete_params[] = {
    GDRIVE_FLAG("enforceExpansiveAccess"),
    GDRIVE_FILE_ID,
    PERMISSION_ID,
    GDRIVE_FLAG("supportsAllDrives"),
    GDRIVE_OLD_FLAG("supportsTeamDrives"),
    GDRIVE_FLAG("useDomainAdminAccess"),
};

static const struct param get_params[] = {
    GDRIVE_FILE_ID,
    PERMISSION_ID,
    GDRIVE_FLAG("supportsAllDrives"),
    GDRIVE_OLD_FLAG("supportsTeamDrives"),
    GDRIVE_FLAG("useDomainAdminAccess"),
};

static const struct param list_params[] = {
    GDRIVE_FILE_ID,
    {.name = "includePermissionsForView", .place = IN_QUERY},
    {.name = "pageSize", .place = IN_QUERY, .type = PARAM_INT, .min = 1, .max = 100},
    {.name = "pageToken", .place = IN_QUERY},
    GDRIVE_FLAG("supportsAllDrives"),
    GDRIVE_OLD_FLAG("supportsTeamDrives"),
    GDRIVE_FLAG("useDomainAdminAccess"),
};

static const struct param update_params[] = {
    GDRIVE_FLAG("enforceExpansiveAccess"),
    GDRIVE_FILE_ID,
    PERMISSION_ID,
    GDRIVE_FLAG("removeExpiration"),
    GDRIVE_FLAG("supportsAllDrives"),
    GDRIVE_OLD_FLAG("supportsTeamDrives"),
    GDRIVE_FLAG("transferOwnership"),
    GDRIVE_FLAG("useDomainAdminAccess"),
};

#define READERS                                                                                    \
    DRIVE " " FILE_SCOPE " " MEET_READONLY " " METADATA " " METADATA_READONLY " " PHOTOS_READONLY  \
          " " READONLY

static const struct route methods[] = {
    {.id = "drive.permissions.create",
     .verbs = POST,
     .paths = PATHS("/drive/v3/files/{fileId}/permissions"),
     .handler = permissions_create,
     .risk = RISK_EXTERNAL,
     .body = BODY_JSON,
     .scopes = DRIVE " " FILE_SCOPE,
     PARAMS(create_params),
     .request = "Permission",
     .response = "Permission",
     .summary = "Share a file, or make somebody a member of a shared drive"},
    {.id = "drive.permissions.delete",
     .verbs = DELETE,
     .paths = PATHS("/drive/v3/files/{fileId}/permissions/{permissionId}"),
     .handler = permissions_delete,
     .risk = RISK_DESTRUCTIVE,
     .scopes = DRIVE " " FILE_SCOPE,
     PARAMS(delete_params),
     .summary = "Take a permission away"},
    {.id = "drive.permissions.get",
     .verbs = GET,
     .paths = PATHS("/drive/v3/files/{fileId}/permissions/{permissionId}"),
     .handler = permissions_get,
     .risk = RISK_READ,
     .scopes = READERS,
     PARAMS(get_params),
     .response = "Permission",
     .summary = "One permission"},
    {.id = "drive.permissions.list",
     .verbs = GET,
     .paths = PATHS("/drive/v3/files/{fileId}/permissions"),
     .handler = permissions_list,
     .risk = RISK_READ,
     .scopes = READERS,
     PARAMS(list_params),
     .response = "PermissionList",
     .summary = "Who has access to a file, or is a member of a shared drive"},
    {.id = "drive.permissions.update",
     .verbs = PATCH,
     .paths = PATHS("/drive/v3/files/{fileId}/permissions/{permissionId}"),
     .handler = permissions_update,
     .risk = RISK_EXTERNAL,
     .body = BODY_JSON,
     .scopes = DRIVE " " FILE_SCOPE,
     PARAMS(update_params),
     .request = "Permission",
     .response = "Permission",
     .summary = "Change a permission"},
};

const struct rows gdrive_permissions = ROWS(methods);
