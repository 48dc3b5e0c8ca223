/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of who is in a group and who owns it, and of what a user owns. */
#include "vendors/microsoft/directory/rows.h"

static int next_owned(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    static struct sql_text q = SQL_TEXT("select team from ms_owner where user = :user and team > "
                                        ":after order by team limit 1");
    const struct ms_user *user = of;
    ret->kind = &dir_group;
    return TX_INT(&c->tx, &q, &ret->id, user->id, after);
}

/* ---- answers ---- */

static int answer_members(struct call *c, dir_next *next, const void *of, unsigned units)
{
    return dir_answer_related(c, &(struct dir_list){.kind = &dir_user,
                                                    .set = "directoryObjects",
                                                    .next = next,
                                                    .of = of,
                                                    .typed = true,
                                                    .units = units});
}

static int members_list(struct call *c)
{
    struct ms_group group;
    struct dir_members m;
    return dir_group_of_path(c, &group) < 0 || dir_read_members(c, &group, &m) < 0
               ? -1
               : answer_members(c, dir_next_of_members, &m, 3);
}

static int all_members_list(struct call *c)
{
    struct ms_group group;
    struct dir_members m;
    return dir_group_of_path(c, &group) < 0 || dir_read_all_members(c, &group, &m) < 0
               ? -1
               : answer_members(c, dir_next_of_members, &m, 5);
}

static int owners_list(struct call *c)
{
    struct ms_group group;
    return dir_group_of_path(c, &group) < 0 ? -1 : answer_members(c, dir_next_owner, &group, 1);
}

static int owned_list(struct call *c)
{
    struct ms_user user;
    if (dir_user_of_path(c, READ_USERS, &user) < 0)
        return -1;
    return dir_answer_related(c, &(struct dir_list){.kind = &dir_group,
                                                    .set = "directoryObjects",
                                                    .next = next_owned,
                                                    .of = &user,
                                                    .typed = true,
                                                    .units = 2});
}

/* ---- rows ---- */

#define OF_GROUP(rest) GRAPH("/groups/{group-id}" rest)
#define ROW(name, where, fn, rights, text)                                                         \
    {                                                                                              \
        .id = (name), .verbs = GET, .paths = PATHS(where), .handler = (fn), .risk = RISK_READ,     \
        .gives = "text/plain", .scopes = rights, PARAMS(dir_list_params),                          \
        .response = "microsoft.graph.directoryObjectCollectionResponse", .summary = (text)         \
    }
#define EITHER(where) DIR_USERS(OF_GROUP, where), DIR_MORE(OF_GROUP, where, "group")

static const struct route methods[] = {
    ROW("directory.groups.members", EITHER("/members"), members_list, READ_GROUPS,
        "The members of a group"),
    ROW("directory.groups.transitiveMembers", EITHER("/transitiveMembers"), all_members_list,
        READ_GROUPS, "The same, with the members of groups in it"),
    ROW("directory.groups.owners", DIR_USERS(OF_GROUP, "/owners"), owners_list, READ_GROUPS,
        "The owners of a group"),
    ROW("directory.users.ownedObjects", DIR_GROUPS(GRAPH_MY, "/ownedObjects"), owned_list,
        "User.Read User.ReadWrite " READ_USERS, "The groups that a user owns"),
};

const struct rows dir_member_rows = ROWS(methods);
