/* SPDX-License-Identifier: Apache-2.0 */
/* User groups, as they are stored and as programs see them. */
#include "services/chat/slack/team/user_group.h"
#include "services/chat/core/sql.h"

int sl_write_group_users(struct call *c, const struct user_group *g, bool names, int64_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("select " CHAT_SQL_USER_KEY(
        "g.user") " as key from slack_group_user g where g.member_of = :of order by key");
    sqlite3_stmt *st = TX_QUERY(&c->tx, &q, g->id);
    int r = st ? 1 : -1;
    if (names)
        json_arr(c->out, "users");
    for (*ret_n = 0; r == 1 && (r = TX_STEP(&c->tx, st)) == 1; ++*ret_n)
        if (names)
            json_str(c->out, NULL, (const char *)sqlite3_column_text(st, 0));
    if (names)
        json_end(c->out);
    return r;
}

static void key_or_null(struct call *c, const char *member, int64_t user)
{
    if (user)
        json_str(c->out, member, sl_user_key(c, user));
    else
        json_null(c->out, member);
}

int sl_write_group_members(struct call *c, const struct user_group *g, bool users, bool count)
{
    struct json_writer *w = c->out;
    int64_t n;
    json_str(w, "id", g->key);
    json_str(w, "team_id", sl_me(c)->workspace.key);
    json_bool(w, "is_usergroup", true);
    json_bool(w, "is_subteam", true);
    json_str(w, "name", g->name);
    json_str(w, "description", g->description);
    json_str(w, "handle", g->handle);
    json_bool(w, "is_external", false);
    json_int(w, "date_create", g->created_s);
    json_int(w, "date_update", g->updated_s);
    json_int(w, "date_delete", g->deleted_s);
    json_null(w, "auto_type");
    json_bool(w, "auto_provision", false);
    json_str(w, "enterprise_subteam_id", "");
    key_or_null(c, "created_by", g->created_by);
    key_or_null(c, "updated_by", g->updated_by);
    key_or_null(c, "deleted_by", g->deleted_by);
    json_obj(w, "prefs");
    json_raw(w, "channels", g->channels, strlen(g->channels));
    json_arr(w, "groups");
    json_end(w);
    json_end(w);
    if (sl_write_group_users(c, g, users, &n) < 0)
        return -1;
    if (count)
        json_int(w, "user_count", n);
    return 0;
}

int sl_write_group_as(struct call *c, const char *key, const struct user_group *g, bool users,
                      bool count)
{
    json_obj(c->out, key);
    int rc = sl_write_group_members(c, g, users, count);
    json_end(c->out);
    return rc;
}

int sl_write_group(struct call *c, const char *key, int64_t group)
{
    struct user_group g;
    return stored_get(&c->tx, &slack_group_stored, group, &g) == 1
               ? sl_write_group_as(c, key, &g, true, true)
               : -1;
}
