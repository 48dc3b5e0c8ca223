/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of people for access, on which those who may share a file decide. */
#include "services/drive/google/sharing/ask.h"
#include "services/drive/google/content/convert.h"
#include "services/drive/google/sharing/permission.h"
#include "services/drive/google/scopes.h"

enum { MAX_PROPOSALS = 100 };

static void write_proposal(struct call *c, const struct drive_item *it,
                           const struct gdrive_proposal *p)
{
    struct json_writer *w = c->out;
    const struct json *roles;
    struct sosia_err err;
    json_obj(w, NULL);
    json_str(w, "fileId", it->key);
    json_str(w, "proposalId", p->key);
    json_str(w, "requesterEmailAddress", p->requester.email);
    json_str(w, "recipientEmailAddress", p->recipient);
    json_arr(w, "rolesAndViews");
    if (json_parse(c->tx.arena, p->roles, strlen(p->roles), NULL, &roles, &err) == 0 &&
        roles->type == JSON_ARRAY)
        for (uint32_t i = 0; i < roles->n; i++)
            if (roles->items[i].type == JSON_STRING) {
                json_obj(w, NULL);
                json_str(w, "role", roles->items[i].str);
                json_end(w);
            }
    json_end(w);
    json_str_opt(w, "requestMessage", p->message);
    json_time(w, "createTime", p->created_us, JSON_TIME_MS_Z);
    json_end(w);
}

/* The file, and the proposal of the path. */
static int open_proposal(struct call *c, struct gdrive_subject *s, struct gdrive_proposal *ret)
{
    const char *id = param_str(c, "proposalId");
    if (gdrive_any_subject(c, param_str(c, "fileId"), s) < 0 || gdrive_must(s, CAN_SHARE) < 0)
        return -1;
    int r = gdrive_proposal(&c->tx, s->item.id, id, ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "proposalId",
                               "Access proposal not found: %s.", id);
}

static int accessproposals_get(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_proposal p;
    if (open_proposal(c, &s, &p) < 0)
        return -1;
    write_proposal(c, &s.item, &p);
    return 0;
}

static int accessproposals_list(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_proposal *list = NULL;
    int64_t after = 0;
    size_t n = 0;
    if (gdrive_any_subject(c, param_str(c, "fileId"), &s) < 0)
        return -1;
    int64_t size = param_num(c, "pageSize", MAX_PROPOSALS);
    size_t limit = size < 1 || size > MAX_PROPOSALS ? MAX_PROPOSALS : (size_t)size;
    if (google_page_number(c, 0, &after) < 0)
        return -1;
    /* Who does not decide is shown none. */
    if (can(&s.cans, CAN_SHARE) &&
        gdrive_proposals_of(&c->tx, s.item.id, after, limit + 1, &list, &n) < 0)
        return -1;
    bool more = n > limit;
    json_obj(c->out, NULL);
    if (n) {
        json_arr(c->out, "accessProposals");
        for (size_t i = 0; i < n - more; i++)
            write_proposal(c, &s.item, &list[i]);
        json_end(c->out);
    }
    if (more)
        google_next_page(c, list[limit - 1].id);
    json_end(c->out);
    return 0;
}

/* The roles of a decision; none: reader. The strongest counts. */
static int read_roles(struct call *c, enum drive_role *ret)
{
    const struct json *v = json_get(c->body, "role");
    *ret = ROLE_READER;
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++) {
        enum drive_role r =
            v->items[i].type == JSON_STRING ? gdrive_role_of(v->items[i].str) : ROLE_NONE;
        if (r < ROLE_READER || r > ROLE_WRITER) {
            call_why(c, "role must be reader, commenter or writer, not %s",
                     call_quote(c, &v->items[i]));
            return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
        }
        *ret = r > *ret ? r : *ret;
    }
    return 0;
}

static int give_access(struct gdrive_subject *s, const struct gdrive_proposal *p,
                       enum drive_role role)
{
    struct call *c = s->view.c;
    struct gdrive_wanted w = {.grant = {.kind = GRANT_PERSON, .who = p->recipient, .role = role},
                              .email = p->recipient};
    struct drive_share *list;
    const struct drive_share *had = NULL;
    size_t n;
    int r = gdrive_addressee(c, p->recipient, &w.grant.who, &w.person);
    if (r == 2)
        w.grant.kind = GRANT_GROUP;
    if (r < 0 || gdrive_check_wanted(s, &w, false) < 0 ||
        drive_shares(&c->tx, &s->item, false, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == w.grant.kind && strcmp(list[i].who, w.grant.who) == 0)
            had = &list[i];
    return had && had->role >= role ? 0
                                    : drive_share_set(&c->tx, &s->item, had, &w.grant, c->actor.id);
}

static int notify_denied(struct gdrive_subject *s, const struct gdrive_proposal *p)
{
    struct call *c = s->view.c;
    struct letter l = {
        .from = GDRIVE_SHARES,
        .from_name = arena_printf(c->tx.arena, "%s (via Google Drive)", c->actor.name),
        .to = p->requester.email,
        .subject = arena_printf(c->tx.arena, "Request for access denied: \"%s\"", s->item.name),
        .text = arena_printf(c->tx.arena, "%s (%s) has not given you access to \"%s\".\n",
                             c->actor.name, c->actor.email, s->item.name),
    };
    return letter_send(&c->tx, &l);
}

static int accessproposals_resolve(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_proposal p;
    enum drive_role role;
    const char *action = json_get_str(c->body, "action");
    bool notifies = json_get_true(c->body, "sendNotification");
    bool accept = action && strcmp(action, "ACCEPT") == 0;
    if (open_proposal(c, &s, &p) < 0)
        return -1;
    if (!accept && !(action && strcmp(action, "DENY") == 0)) {
        call_why(c, "action must be ACCEPT or DENY, not %s",
                 call_quote(c, json_get(c->body, "action")));
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
    }
    if (read_roles(c, &role) < 0)
        return -1;
    if (accept && role > s.access.role)
        return gdrive_insufficient(c);
    if (accept && gdrive_below_reached(c, &s.item) < 0)
        return -1;
    if (accept && (give_access(&s, &p, role) < 0 ||
                   (notifies && gdrive_notify_shared(&s, p.recipient, role, NULL) < 0)))
        return -1;
    if (!accept && notifies && notify_denied(&s, &p) < 0)
        return -1;
    if (gdrive_proposal_remove(&c->tx, &p) < 0)
        return -1;
    c->status = 204;
    return 0;
}

#define PROPOSAL                                                                                   \
    {                                                                                              \
        .name = "proposalId", .place = IN_PATH, .required = true                                   \
    }
static const struct param proposal_params[] = {GDRIVE_FILE_ID, PROPOSAL};
static const struct param proposals_params[] = {
    GDRIVE_FILE_ID,
    {.name = "pageSize", .place = IN_QUERY, .type = PARAM_INT, .format = "int32"},
    {.name = "pageToken", .place = IN_QUERY},
};

#define PROPOSAL_READERS DRIVE " " FILE_SCOPE " " METADATA " " METADATA_READONLY " " READONLY

static const struct route methods[] = {
    {ROUTE("drive.accessproposals.get", GET,
           "/drive/v3/files/{fileId}/accessproposals/{proposalId}"),
     .handler = accessproposals_get, .risk = RISK_READ, .scopes = PROPOSAL_READERS,
     PARAMS(proposal_params), .response = "AccessProposal", .summary = "What somebody asks for"},
    {ROUTE("drive.accessproposals.list", GET, "/drive/v3/files/{fileId}/accessproposals"),
     .handler = accessproposals_list, .risk = RISK_READ, .scopes = PROPOSAL_READERS,
     PARAMS(proposals_params), .response = "ListAccessProposalsResponse",
     .summary = "Who asks for access to a file"},
    {ROUTE("drive.accessproposals.resolve", POST,
           "/drive/v3/files/{fileId}/accessproposals/{proposalId}:resolve"),
     .handler = accessproposals_resolve, .risk = RISK_EXTERNAL, .body = BODY_JSON,
     .scopes = DRIVE " " FILE_SCOPE, PARAMS(proposal_params),
     .request = "ResolveAccessProposalRequest",
     .summary = "Give or deny the access that somebody asks for"},
};

const struct rows gdrive_proposals = ROWS(methods);
