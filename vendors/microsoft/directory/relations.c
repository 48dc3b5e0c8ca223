/* SPDX-License-Identifier: Apache-2.0 */
/* How users and groups belong together: managers and reports, members, owners, and what of it
 * programs check. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/rows.h"

/* ---- everything that someone is in ---- */

struct reached {
    const char *list[1000]; /* addresses */
    size_t n;
};

static bool has_address(const struct reached *r, const char *email)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->list[i], email) == 0)
            return true;
    return false;
}

/* All groups that an address is in, those of groups too. */
static int reach(struct call *c, const char *email, struct reached *ret)
{
    size_t at = 0;
    ret->n = 0;
    for (const char *of = email; of; of = at < ret->n ? ret->list[at++] : NULL) {
        struct group g = {0};
        int r;
        while ((r = group_next_with(&c->tx, of, g.id, &g)) == 1)
            if (!has_address(ret, g.email) && ret->n < SOSIA_LEN(ret->list))
                ret->list[ret->n++] = g.email;
        if (r < 0)
            return -1;
    }
    return 0;
}

struct transitive {
    const struct reached *reached;
    int64_t tenant;
};

static int next_reached(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    const struct transitive *t = of;
    int64_t best = 0;
    struct ms_group group;
    for (size_t i = 0; i < t->reached->n; i++) {
        int r = ms_group_find(&c->tx, t->reached->list[i], t->tenant, &group);
        if (r < 0)
            return -1;
        if (r == 1 && group.id > after && (!best || group.id < best))
            best = group.id;
    }
    *ret = (struct dir_item){&dir_group, best};
    return best != 0;
}

static struct reached *new_reached(struct call *c, const char *email)
{
    struct reached *r = arena_alloc(c->tx.arena, sizeof *r);
    if (arena_failed(c->tx.arena)) {
        sosia_fail_memory(c->tx.err);
        return NULL;
    }
    return reach(c, email, r) < 0 ? NULL : r;
}

/* ---- users' ---- */

static int manager_get(struct call *c)
{
    struct ms_user user;
    if (dir_user_of_path(c, READ_USERS, &user) < 0)
        return -1;
    return user.manager ? dir_answer(c, &dir_user, user.manager, "directoryObjects", 1)
                        : dir_no_object(c, "manager");
}

/* The last segment of the address that a reference names. */
static const char *referred(struct call *c, const struct json *body)
{
    const char *id = json_get_str(body, "@odata.id"), *slash = id ? strrchr(id, '/') : NULL;
    if (slash && *++slash && strlen(slash) < 300)
        return slash;
    call_fail(
        c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
        "The '@odata.id' of the reference must be the URL of a directory object, not '%.100s'.",
        id ? id : "");
    return NULL;
}

static int manager_put(struct call *c)
{
    const struct json *body;
    struct ms_user user, manager;
    const char *id;
    if (dir_user_of_path(c, WRITE_USERS, &user) < 0)
        return -1;
    int r = dir_may_change(c);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    if (!(body = call_body(c)) || !(id = referred(c, body)))
        return -1;
    r = ms_user_find(&c->tx, id, user.tenant, &manager);
    if (r != 1)
        return r < 0 ? -1 : dir_no_object(c, id);
    if (manager.id == user.id)
        return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                         "A user can't be its own manager.");
    user.manager = manager.id;
    user.listed = true;
    c->status = 204;
    return ms_user_save(&c->tx, &user);
}

static int manager_delete(struct call *c)
{
    struct ms_user user;
    if (dir_user_of_path(c, WRITE_USERS, &user) < 0)
        return -1;
    int r = dir_may_change(c);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    user.manager = 0;
    user.listed = true;
    c->status = 204;
    return ms_user_save(&c->tx, &user);
}

static int reports_list(struct call *c)
{
    struct ms_user user;
    if (dir_user_of_path(c, READ_USERS, &user) < 0)
        return -1;
    return dir_answer_related(c, &(struct dir_list){.kind = &dir_user,
                                                    .set = "directoryObjects",
                                                    .next = dir_next_report,
                                                    .of = &user,
                                                    .typed = true,
                                                    .units = 2});
}

/* What groups have as a member. */
struct addressed {
    const char *email;
    int64_t tenant;
};

static int address_of_user(struct call *c, const struct ms_user *user, struct addressed *ret)
{
    ret->tenant = user->tenant;
    return ms_user_address(&c->tx, user, &ret->email) < 0 ? -1 : 0;
}

/* The user, the group or the object of either kind in the path. 0, -1. */
static int whose_address(struct call *c, struct addressed *ret)
{
    const char *object = param_str(c, "object-id");
    const char *id = object ? object : param_str(c, "group-id");
    struct ms_tenant tenant;
    struct ms_group group;
    struct ms_user user;
    int r = 0;
    if (!id)
        return dir_user_of_path(c, READ_USERS " " READ_GROUPS, &user) < 0
                   ? -1
                   : address_of_user(c, &user, ret);
    if (object && !call_has_scope(c, READ_USERS " " READ_GROUPS))
        return graph_denied(c);
    if (dir_tenant(c, &tenant) < 0 ||
        (object && (r = ms_user_find(&c->tx, object, tenant.id, &user)) < 0))
        return -1;
    if (r == 1)
        return address_of_user(c, &user, ret);
    r = ms_group_find(&c->tx, id, tenant.id, &group);
    if (r != 1)
        return r < 0 ? -1 : dir_no_object(c, id);
    *ret = (struct addressed){group.email, tenant.id};
    return 0;
}

static int next_membership(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    const struct addressed *a = of;
    return dir_next_group_with(c, a->email, a->tenant, after, ret);
}

/* Of an object of either kind the context says whose groups they are, as recorded. */
static int answer_groups(struct call *c, dir_next *next, const void *of)
{
    const char *object = param_str(c, "object-id");
    return dir_answer_related(
        c,
        &(struct dir_list){.kind = &dir_group,
                           .set = object ? ARENA_JOIN(c->tx.arena, "directoryObjects",
                                                      graph_key(c->tx.arena, object), "/memberOf")
                                         : "directoryObjects",
                           .next = next,
                           .of = of,
                           .typed = true,
                           .units = 2});
}

static int membership_list(struct call *c)
{
    struct addressed of;
    return whose_address(c, &of) < 0 ? -1 : answer_groups(c, next_membership, &of);
}

static int transitive_list(struct call *c)
{
    struct addressed of;
    if (whose_address(c, &of) < 0)
        return -1;
    const struct transitive t = {new_reached(c, of.email), of.tenant};
    return t.reached ? answer_groups(c, next_reached, &t) : -1;
}

/* ---- checks ---- */

enum { MAX_CHECKED = 1000 };

static int write_ids(struct call *c, const struct transitive *t, const struct json *among,
                     bool security)
{
    struct dir_item item = {0};
    struct ms_group group;
    int r;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(Edm.String)");
    json_arr(c->out, "value");
    while ((r = next_reached(c, t, item.id, &item)) == 1) {
        bool is = !among;
        if (ms_group_get(&c->tx, item.id, &group) != 1)
            return -1;
        for (uint32_t i = 0; among && i < among->n; i++)
            is |= among->items[i].type == JSON_STRING &&
                  str_eq_nocase(among->items[i].str, group.oid);
        if (is && (!security || group.security))
            json_str(c->out, NULL, group.oid);
    }
    json_end(c->out);
    json_end(c->out);
    call_header_const(c, "Location", "https://" GRAPH_HOST);
    call_header_const(c, "x-ms-resource-unit", "2");
    return r;
}

static int whose_groups(struct call *c, struct transitive *ret)
{
    struct addressed of;
    if (whose_address(c, &of) < 0)
        return -1;
    *ret = (struct transitive){new_reached(c, of.email), of.tenant};
    return ret->reached ? 0 : -1;
}

static int check_ids(struct call *c, const char *member)
{
    struct transitive t;
    const struct json *body, *ids;
    if (whose_groups(c, &t) < 0 || !(body = call_body(c)))
        return -1;
    ids = json_get(body, member);
    if (!ids || ids->type != JSON_ARRAY || ids->n > MAX_CHECKED)
        return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                         "The parameter '%s' must be a list of at most %d ids.", member,
                         MAX_CHECKED);
    return write_ids(c, &t, ids, false);
}

static int check_groups(struct call *c)
{
    return check_ids(c, "groupIds");
}

static int check_objects(struct call *c)
{
    return check_ids(c, "ids");
}

static int get_groups(struct call *c)
{
    struct transitive t;
    const struct json *body;
    if (whose_groups(c, &t) < 0 || !(body = call_body(c)))
        return -1;
    return write_ids(c, &t, NULL, json_get_true(body, "securityEnabledOnly"));
}

/* ---- groups' ---- */

static int changed(struct call *c, struct ms_group *group)
{
    c->status = 204;
    call_header_const(c, "x-ms-resource-unit", "1");
    return ms_group_save(&c->tx, group) < 0 ? -1 : ms_group_followed(&c->tx, group);
}

static int add_reference(struct call *c, bool owner)
{
    const struct json *body;
    struct ms_group group;
    struct ms_user user;
    const char *id, *email;
    if (dir_group_of_path(c, &group) < 0 || dir_may_change_group(c, &group) < 0 ||
        !(body = call_body(c)) || !(id = referred(c, body)))
        return -1;
    int r = owner ? dir_address_of(c, &group, id, &email, &user)
                  : dir_new_member(c, &group, id, &email);
    if (r != 1 || (owner && !user.id))
        return r < 0 ? -1 : dir_no_object(c, id);
    r = owner ? ms_owner_add(&c->tx, group.id, user.id)
              : group_add_member(&c->tx, group.addresses, email);
    if (r != 1)
        return r < 0 ? -1 : dir_there_already(c, owner);
    group.listed |= owner;
    return changed(c, &group);
}

/* Takes a user away from the owners, of whom a group keeps one. 1, 0 is none of them, -1. */
static int drop_owner(struct call *c, const struct ms_group *group, const struct ms_user *user)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from ms_owner where team = :group and user <> :user limit 1");
    int64_t other;
    int r = user->id ? ms_owner_is(&c->tx, group->id, user->id) : 0;
    if (r != 1)
        return r;
    r = TX_INT(&c->tx, &q, &other, group->id, user->id);
    if (r == 0)
        return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                         "The group must have at least one owner, hence this owner cannot be "
                         "removed.");
    return r < 0 ? -1 : ms_owner_drop(&c->tx, group->id, user->id);
}

static int drop_reference(struct call *c, bool owner)
{
    const char *id = param_str(c, "object-id"), *email;
    struct ms_group group;
    struct ms_user user;
    if (dir_group_of_path(c, &group) < 0 || dir_may_change_group(c, &group) < 0)
        return -1;
    int r = dir_address_of(c, &group, id, &email, &user);
    if (r == 1)
        r = owner ? drop_owner(c, &group, &user)
                  : group_drop_member(&c->tx, group.addresses, email);
    if (r != 1)
        return r < 0 ? -1 : dir_no_object(c, group.oid); /* MG-336: it names the group */
    return changed(c, &group);
}

static int member_add(struct call *c)
{
    return add_reference(c, false);
}

static int owner_add(struct call *c)
{
    return add_reference(c, true);
}

static int member_drop(struct call *c)
{
    return drop_reference(c, false);
}

static int owner_drop(struct call *c)
{
    return drop_reference(c, true);
}

/* ---- rows ---- */

#define OF_USER(rest)  GRAPH_MY(rest)
#define OF_GROUP(rest) GRAPH("/groups/{group-id}" rest)
#define OF_ANY(rest)   OF_USER(rest), OF_GROUP(rest), GRAPH("/directoryObjects/{object-id}" rest)
#define USER_ROW(name, way, where, fn, danger, rights, given, gives, text)                         \
    {                                                                                              \
        .id = (name), .verbs = (way), .paths = PATHS(where), .handler = (fn), .risk = (danger),    \
        .scopes = rights, PARAMS(given), .response = (gives), .summary = (text)                    \
    }
#define OBJECT  "microsoft.graph.directoryObject"
#define OBJECTS OBJECT "CollectionResponse"

static const struct route methods[] = {
    USER_ROW("directory.users.manager", GET, OF_USER("/manager"), manager_get, RISK_READ,
             "User.Read User.ReadWrite " READ_USERS, dir_get_params, OBJECT, "Who leads a user"),
    {ROUTE("directory.users.setManager", PUT, OF_USER("/manager/$ref")), .handler = manager_put,
     .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON, .scopes = WRITE_USERS,
     PARAMS(dir_user_params), .request = "microsoft.graph.directoryObject.reference",
     .summary = "Say who leads a user"},
    USER_ROW("directory.users.removeManager", DELETE, OF_USER("/manager/$ref"), manager_delete,
             RISK_WRITE, WRITE_USERS, dir_user_params, NULL, "Let a user be led by nobody"),
    USER_ROW("directory.users.directReports", GET, DIR_USERS(OF_USER, "/directReports"),
             reports_list, RISK_READ, "User.Read User.ReadWrite " READ_USERS, dir_list_params,
             OBJECTS, "Whom a user leads"),
    USER_ROW("directory.users.memberOf", GET, DIR_GROUPS(OF_USER, "/memberOf"), membership_list,
             RISK_READ, "User.Read User.ReadWrite " READ_USERS " " READ_GROUPS, dir_list_params,
             OBJECTS, "The groups that a user is a member of"),
    USER_ROW("directory.users.transitiveMemberOf", GET, DIR_GROUPS(OF_USER, "/transitiveMemberOf"),
             transitive_list, RISK_READ, "User.Read User.ReadWrite " READ_USERS " " READ_GROUPS,
             dir_list_params, OBJECTS, "The same, with the groups of groups"),
    {ROUTE("directory.objects.memberOf", GET, GRAPH("/directoryObjects/{object-id}/memberOf")),
     .handler = membership_list, .risk = RISK_READ, .scopes = READ_USERS " " READ_GROUPS,
     PARAMS(dir_list_params), .response = OBJECTS,
     .summary = "The groups that a user or a group is a member of"},
    {ROUTE("directory.groups.memberOf", GET, DIR_GROUPS(OF_GROUP, "/memberOf")),
     .handler = membership_list, .risk = RISK_READ, .scopes = READ_GROUPS, PARAMS(dir_list_params),
     .response = OBJECTS, .summary = "The groups that a group is a member of"},
    {ROUTE("directory.groups.transitiveMemberOf", GET, DIR_GROUPS(OF_GROUP, "/transitiveMemberOf")),
     .handler = transitive_list, .risk = RISK_READ, .scopes = READ_GROUPS, PARAMS(dir_list_params),
     .response = OBJECTS, .summary = "The same, with the groups of these groups"},
    {ROUTE("directory.users.checkMemberGroups", POST, OF_ANY("/checkMemberGroups")),
     .handler = check_groups, .risk = RISK_READ, .body = BODY_JSON,
     .scopes = "User.Read User.ReadWrite " READ_USERS " " READ_GROUPS, PARAMS(dir_either_params),
     .request = "microsoft.graph.directoryObject.checkMemberGroups",
     .response = "microsoft.graph.directoryObject.ids",
     .summary = "Which of some groups somebody is in"},
    {ROUTE("directory.users.checkMemberObjects", POST, OF_ANY("/checkMemberObjects")),
     .handler = check_objects, .risk = RISK_READ, .body = BODY_JSON,
     .scopes = "User.Read User.ReadWrite " READ_USERS " " READ_GROUPS, PARAMS(dir_either_params),
     .request = "microsoft.graph.directoryObject.checkMemberObjects",
     .response = "microsoft.graph.directoryObject.ids",
     .summary = "Which of some objects somebody is in"},
    {ROUTE("directory.users.getMemberGroups", POST, OF_ANY("/getMemberGroups"),
           OF_ANY("/getMemberObjects")),
     .handler = get_groups, .risk = RISK_READ, .body = BODY_JSON,
     .scopes = "User.Read User.ReadWrite " READ_USERS " " READ_GROUPS, PARAMS(dir_either_params),
     .request = "microsoft.graph.directoryObject.getMemberGroups",
     .response = "microsoft.graph.directoryObject.ids",
     .summary = "The ids of all groups that somebody is in"},
    {ROUTE("directory.groups.addMember", POST, OF_GROUP("/members/$ref")), .handler = member_add,
     .risk = RISK_WRITE, .body = BODY_JSON, .scopes = WRITE_MEMBERS, PARAMS(dir_group_params),
     .request = "microsoft.graph.directoryObject.reference",
     .summary = "Put somebody into a group"},
    {ROUTE("directory.groups.addOwner", POST, OF_GROUP("/owners/$ref")), .handler = owner_add,
     .risk = RISK_WRITE, .body = BODY_JSON, .scopes = WRITE_GROUPS, PARAMS(dir_group_params),
     .request = "microsoft.graph.directoryObject.reference",
     .summary = "Give a group an owner more"},
    {ROUTE("directory.groups.removeMember", DELETE, OF_GROUP("/members/{object-id}/$ref")),
     .handler = member_drop, .risk = RISK_WRITE, .scopes = WRITE_MEMBERS, PARAMS(dir_group_params),
     .summary = "Take somebody out of a group"},
    {ROUTE("directory.groups.removeOwner", DELETE, OF_GROUP("/owners/{object-id}/$ref")),
     .handler = owner_drop, .risk = RISK_WRITE, .scopes = WRITE_GROUPS, PARAMS(dir_group_params),
     .summary = "Take an owner away from a group"},
};

const struct rows dir_relation_rows = ROWS(methods);
