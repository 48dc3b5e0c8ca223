/* SPDX-License-Identifier: Apache-2.0 */
/* Groups: of addresses, as identity/ keeps them, with what a tenant says of them. */
#include "engine/world/columns.h"
#include "engine/world/core.h"
#include "engine/world/event.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/directory/photo.h"
#include "vendors/microsoft/graph.h"

#define GROUP(X)                                                                                   \
    X(addresses, addresses, NUMBER)                                                                \
    X(tenant, tenant, NUMBER)                                                                      \
    X(oid, oid, STRING)                                                                            \
    X(description, description, STRING)                                                            \
    X(visibility, visibility, STRING)                                                              \
    X(unified, unified, NUMBER)                                                                    \
    X(security, security, NUMBER)                                                                  \
    X(mail, mail, NUMBER)                                                                          \
    X(listed, listed, NUMBER)                                                                      \
    X(change, change, NUMBER)                                                                      \
    X(nickname, nickname, STRING)                                                                  \
    X(classification, classification, STRING)                                                      \
    X(language, language, STRING)                                                                  \
    X(theme, theme, STRING)                                                                        \
    X(outsiders, outsiders, NUMBER)                                                                \
    X(subscribes, subscribes, NUMBER)                                                              \
    X(unlisted, unlisted, NUMBER)                                                                  \
    X(unshown, unshown, NUMBER)
#define SELECT "select id, made_us" GROUP(COLUMN_NAME) " from ms_group "

static int read_group(struct tx *tx, sqlite3_stmt *st, struct ms_group *row)
{
    struct group own;
    int r = st ? TX_STEP(tx, st) : -1, at = 2;
    if (r != 1)
        return r;
    *row = (struct ms_group){.id = sqlite3_column_int64(st, 0),
                             .made_us = sqlite3_column_int64(st, 1)};
    GROUP(COLUMN_READ)
    sql_done(st);
    r = group_by_id(tx, row->addresses, &own);
    if (r == 1) {
        row->email = own.email;
        row->name = own.name;
    }
    return r;
}

int ms_group_get(struct tx *tx, int64_t id, struct ms_group *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id = :id");
    return read_group(tx, TX_QUERY(tx, &q, id), ret);
}

int ms_group_of(struct tx *tx, int64_t addresses, struct ms_group *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where addresses = :addresses");
    return read_group(tx, TX_QUERY(tx, &q, addresses), ret);
}

int ms_group_next(struct tx *tx, int64_t tenant, int64_t after, struct ms_group *ret)
{
    static struct sql_text q =
        SQL_TEXT(SELECT "where tenant = :tenant and id > :after order by id limit 1");
    return read_group(tx, TX_QUERY(tx, &q, tenant, after), ret);
}

int ms_group_find(struct tx *tx, const char *text, int64_t tenant, struct ms_group *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where oid = lower(:text)");
    struct group own;
    int r = strchr(text, '@') ? group_by_email(tx, text, &own) : -2;
    if (r == 1)
        r = ms_group_of(tx, own.id, ret);
    else if (r == -2)
        r = read_group(tx, TX_QUERY(tx, &q, text), ret);
    return r == 1 && tenant && ret->tenant != tenant ? 0 : r;
}

int ms_group_new(struct tx *tx, struct ms_group *row)
{
    static struct sql_text q = SQL_TEXT(
        "insert into ms_group (made_us" GROUP(COLUMN_NAME) ") values (?" GROUP(COLUMN_MARK) ")");
    if (!row->addresses && group_new(tx, row->email, row->name, &row->addresses) < 0)
        return -1;
    if (!row->oid)
        row->oid = graph_guid(tx->arena, "group", row->email);
    row->made_us = tx->now_us;
    if (ms_change_next(tx, &row->change) < 0 ||
        TX_RUN(tx, &q, row->made_us GROUP(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    event_note(tx, CHANGED_GROUPS, OP_CHANGED, row->tenant, row->id);
    return 0;
}

int ms_group_save(struct tx *tx, struct ms_group *row)
{
    static struct sql_text q =
        SQL_TEXT("update ms_group set made_us = ?" GROUP(COLUMN_SET) " where id = ?");
    if (ms_change_next(tx, &row->change) < 0 || group_rename(tx, row->addresses, row->name) < 0)
        return -1;
    if (TX_RUN(tx, &q, row->made_us GROUP(COLUMN_VALUE), row->id) < 0)
        return -1;
    event_note(tx, CHANGED_GROUPS, OP_CHANGED, row->tenant, row->id);
    return 0;
}

int ms_group_is_team(struct tx *tx, const struct ms_group *group)
{
    const struct graph_team *teams = core_policy_nth(tx, GRAPH_TEAM, 0);
    return teams && group->unified ? teams->is(tx, group) : 0;
}

int ms_group_followed(struct tx *tx, const struct ms_group *group)
{
    const struct graph_team *teams = core_policy_nth(tx, GRAPH_TEAM, 0);
    return teams && group->unified ? teams->changed(tx, group) : 0;
}

int ms_group_drop(struct tx *tx, const struct ms_group *group)
{
    const struct graph_team *teams = core_policy_nth(tx, GRAPH_TEAM, 0);
    static struct sql_text q_owners = SQL_TEXT("delete from ms_owner where team = :group");
    static struct sql_text q = SQL_TEXT("delete from ms_group where id = :id");
    const struct graph_group_held *held;
    if (teams && group->unified && teams->gone(tx, group) < 0)
        return -1;
    for (size_t i = 0; (held = core_policy_nth(tx, GRAPH_GROUP_HELD, i)); i++)
        if (held->gone(tx, group) < 0)
            return -1;
    if (ms_photo_drop(tx, &(struct ms_photo){.team = group->id}) < 0 ||
        ms_gone_add(tx, group->tenant, "group", group->oid) < 0 ||
        TX_RUN(tx, &q_owners, group->id) < 0 || TX_RUN(tx, &q, group->id) < 0)
        return -1;
    return group_drop(tx, group->addresses);
}

int ms_groups_complete(struct tx *tx)
{
    struct group own = {0};
    struct ms_tenant tenant;
    struct ms_group group;
    int r;
    while ((r = group_next(tx, own.id, &own)) == 1) {
        if ((r = ms_group_of(tx, own.id, &group)) < 0)
            return -1;
        if (r || (r = ms_tenant_find(tx, email_domain(own.email), &tenant)) == 0)
            continue;
        if (r < 0)
            return -1;
        group = (struct ms_group){.addresses = own.id,
                                  .tenant = tenant.id,
                                  .email = own.email,
                                  .name = own.name,
                                  .visibility = "Public",
                                  .unified = true,
                                  .mail = true};
        if (ms_group_new(tx, &group) < 0)
            return -1;
    }
    return r;
}

int ms_owner_add(struct tx *tx, int64_t group, int64_t user)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into ms_owner (team, user) values (:group, :user)");
    return TX_RUN(tx, &q, group, user) < 0 ? -1 : sqlite3_changes(slot_db(tx->db)) > 0;
}

int ms_owner_drop(struct tx *tx, int64_t group, int64_t user)
{
    static struct sql_text q =
        SQL_TEXT("delete from ms_owner where team = :group and user = :user");
    return TX_RUN(tx, &q, group, user) < 0 ? -1 : sqlite3_changes(slot_db(tx->db)) > 0;
}

int ms_owner_is(struct tx *tx, int64_t group, int64_t user)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from ms_owner where team = :group and user = :user");
    int64_t one;
    return TX_INT(tx, &q, &one, group, user);
}

int ms_user_address(struct tx *tx, const struct ms_user *user, const char **ret)
{
    struct actor actor;
    int r = actor_by_id(tx, user->actor, &actor);
    *ret = r == 1 && *actor.email ? actor.email : user->upn;
    return r < 0 ? -1 : 0;
}

int ms_group_of_path(struct call *c, struct ms_tenant *tenant, struct ms_group *ret)
{
    const char *id = param_str(c, "group-id");
    int64_t own;
    int r = graph_caller_tenant(c, &own);
    if (r == 1)
        r = ms_tenant_get(&c->tx, own, tenant);
    if (r == 1)
        r = ms_group_find(&c->tx, id, own, ret);
    if (r == 0)
        return call_fail(c, SOSIA_E_NOT_FOUND, "ErrorInvalidGroup", NULL,
                         "The requested group '%.200s' is invalid.", id);
    if (r == 1 && !ret->unified)
        return call_fail(c, SOSIA_E_NOT_FOUND, "MailboxNotEnabledForRESTAPI", NULL,
                         "The mailbox is either inactive, soft-deleted, or is hosted on-premise.");
    return r < 0 ? -1 : 0;
}
