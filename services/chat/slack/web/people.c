/* SPDX-License-Identifier: Apache-2.0 */
/* User groups, times of quiet, reminders, custom emoji, fields of profiles. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/team/user_group.h"
#include "services/chat/slack/web/emoji.h"
#include "services/chat/slack/web/quiet.h"
#include <stdio.h>
#include <strings.h>

/* ---- user groups ---- */

static int group_arg(struct call *c, const char *missing, struct user_group *g)
{
    static struct sql_text q = SQL_TEXT("where key = :key and workspace = :workspace");
    int r = STORED_ONE(&c->tx, &slack_group_stored, &q, g, param_str(c, "usergroup"),
                       sl_me(c)->workspace.id);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, missing);
}

/* As usergroups.list has it: with what it counts, and what the others don't show. */
static int write_listed_group(struct call *c, const struct user_group *g, bool users)
{
    static const char *const never[] = {"is_section", "is_editing_restricted",
                                        "is_membership_locked", "is_idp_group", "is_org_level"};
    struct json_writer *w = c->out;
    const struct json *channels = sl_stored_json(c, g->channels);
    if (!channels)
        return -1;
    json_obj(w, NULL);
    int rc = sl_write_group_members(c, g, users, true);
    json_int(w, "channel_count", channels->type == JSON_ARRAY ? channels->n : 0);
    for (size_t i = 0; i < SOSIA_LEN(never); i++)
        json_bool(w, never[i], false);
    json_bool(w, "is_visible", true);
    json_end(w);
    return rc;
}

static int answer_group(struct call *c, const struct user_group *g)
{
    slack_open(c);
    if (sl_write_group_as(c, "usergroup", g, true, slack_flag(c, "include_count")) < 0)
        return -1;
    slack_close(c);
    return 0;
}

/* A handle is unique among groups, people and channels. 1: it is free; 0; -1. */
static int is_free(struct call *c, const char *handle, int64_t but)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 where exists (select 1 from slack_group where workspace = :workspace and handle "
        "= :handle and id <> :but) or " CHAT_SQL_IS_USER_NAME(
            ":workspace", ":handle") " or " CHAT_SQL_IS_CHANNEL_NAME(":workspace", ":handle"));
    int64_t taken;
    int r = TX_INT(&c->tx, &q, &taken, sl_me(c)->workspace.id, handle, but);
    return r < 0 ? -1 : !r;
}

static int name_is_free(struct call *c, const char *name, int64_t but)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from slack_group where workspace = :workspace and "
                 "name = :name and id <> :but limit 1");
    int64_t taken;
    int r = TX_INT(&c->tx, &q, &taken, sl_me(c)->workspace.id, name, but);
    return r < 0 ? -1 : !r;
}

/* The channels that its people are put into, as JSON. */
static int group_channels(struct call *c, const char **ret)
{
    struct chat_channel ch;
    struct buf b;
    size_t n;
    const char **keys = slack_list_arg(c, "channels", &n);
    int r = 1;
    buf_init(&b, 0);
    buf_byte(&b, '[');
    for (size_t i = 0; r == 1 && i < n; i++) {
        r = chat_channel_find(&c->tx, sl_me(c)->workspace.id, keys[i], &ch);
        if (r == 1)
            r = ch.kind < CHAT_DIRECT ? chat_can_see(&c->tx, &ch, &sl_me(c)->user) : 0;
        if (r == 1)
            buf_printf(&b, "%s\"%s\"", i ? "," : "", ch.key);
    }
    buf_byte(&b, ']');
    *ret = buf_keep(&b, c->tx.arena);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "invalid_channel_provided");
}

static bool is_free_plan(struct call *c)
{
    return strcmp(sl_me(c)->workspace.plan, "free") == 0;
}

/* May the caller change groups? Guests may not, and the free plan has none. */
static int check_may_change(struct call *c)
{
    if (is_free_plan(c))
        return slack_fail(c, "plan_upgrade_required");
    return sl_me(c)->user.role >= CHAT_GUEST ? slack_fail(c, "permission_denied") : 0;
}

/* name, handle, description and channels over what there is. */
static int read_group(struct call *c, struct user_group *g)
{
    const char *name = param_str(c, "name"), *handle = param_str(c, "handle");
    const char *about = param_str(c, "description");
    int r = 1;
    if (check_may_change(c) < 0)
        return -1;
    if (name && !*name)
        return slack_fail(c, "missing_subteam_name");
    if (name && sl_characters(name) > 255)
        return slack_fail(c, "name_too_long");
    if (about && sl_characters(about) > 140)
        return slack_fail(c, "description_too_long");
    if (handle && strspn(handle, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != strlen(handle))
        return slack_fail(c, "bad_handle");
    if (handle &&
        (!strcmp(handle, "here") || !strcmp(handle, "channel") || !strcmp(handle, "everyone")))
        return slack_fail(c, "forbidden_handle");
    if (name && (r = name_is_free(c, name, g->id)) != 1)
        return r < 0 ? -1 : slack_fail(c, "name_already_exists");
    if (handle && *handle && (r = is_free(c, handle, g->id)) != 1)
        return r < 0 ? -1 : slack_fail(c, "handle_already_exists");
    g->name = name ? name : g->name;
    g->handle = handle ? handle : g->handle;
    g->description = about ? about : g->description;
    return param_given(c, "channels") ? group_channels(c, &g->channels) : 0;
}

static int save_group(struct call *c, struct user_group *g, enum event_operation operation)
{
    g->updated_s = c->tx.now_us / US_PER_SECOND;
    g->updated_by = sl_me(c)->user.id;
    if (stored_save(&c->tx, &slack_group_stored, g->id, g) < 0)
        return -1;
    chat_notify(&c->tx, CHAT_EV_GROUP, operation, sl_me(c)->workspace.id, g->id, NULL, NULL);
    return 0;
}

/* ---- the channels of a group ---- */

/* Somebody who comes into the group, or all who are in it, when a channel becomes its own: it puts
 * them there once, and who leaves stays away. */
static int put_into(struct call *c, const char *key, const struct chat_user *u)
{
    struct chat_channel ch;
    int r = chat_channel_find(&c->tx, sl_me(c)->workspace.id, key, &ch);
    if (r != 1 || ch.archived || u->deleted)
        return r < 0 ? -1 : 0;
    return sl_joined(c, &ch, u, u->id == sl_me(c)->user.id ? 0 : sl_me(c)->user.id);
}

static int read_channels(struct call *c, const char *text, const struct json **ret)
{
    return json_parse(c->tx.arena, text, strlen(text), NULL, ret, c->tx.err);
}

static int put_into_all(struct call *c, const struct user_group *g, const struct chat_user *u)
{
    const struct json *list;
    if (g->deleted_s || read_channels(c, g->channels, &list) < 0)
        return g->deleted_s ? 0 : -1;
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++)
        if (list->items[i].type == JSON_STRING && put_into(c, list->items[i].str, u) < 0)
            return -1;
    return 0;
}

static int put_all_into(struct call *c, const struct user_group *g, const char *key)
{
    static struct sql_text q = SQL_TEXT("select user from slack_group_user where member_of = :of "
                                        "and user > :after order by user limit 1");
    struct chat_user u = {0};
    int r;
    while ((r = TX_INT(&c->tx, &q, &u.id, g->id, u.id)) == 1)
        if ((r = chat_user_get(&c->tx, u.id, &u)) != 1 || put_into(c, key, &u) < 0)
            return -1;
    return r;
}

static bool owns_channel(const struct json *list, const char *key)
{
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++)
        if (list->items[i].type == JSON_STRING && strcmp(list->items[i].str, key) == 0)
            return true;
    return false;
}

/* Of what was not its own before (JSON). */
static int fill_new_channels(struct call *c, const struct user_group *g, const char *before)
{
    const struct json *list, *old;
    if (g->deleted_s || strcmp(before, g->channels) == 0)
        return 0;
    if (read_channels(c, g->channels, &list) < 0 || read_channels(c, before, &old) < 0)
        return -1;
    for (uint32_t i = 0; i < list->n; i++) {
        const char *key = list->items[i].str;
        if (!owns_channel(old, key) && put_all_into(c, g, key) < 0)
            return -1;
    }
    return 0;
}

static int usergroups_create(struct call *c)
{
    struct user_group g = {
        .workspace = sl_me(c)->workspace.id, .handle = "", .description = "", .channels = "[]"};
    if (read_group(c, &g) < 0 || !(g.key = chat_key(&c->tx, 'S')))
        return -1;
    g.created_s = g.updated_s = c->tx.now_us / US_PER_SECOND;
    g.created_by = g.updated_by = sl_me(c)->user.id;
    if (stored_new(&c->tx, &slack_group_stored, &g) < 0)
        return -1;
    chat_notify(&c->tx, CHAT_EV_GROUP, OP_ADDED, g.workspace, g.id, NULL, NULL);
    return answer_group(c, &g);
}

static int usergroups_update(struct call *c)
{
    struct user_group g;
    if (is_free_plan(c))
        return slack_fail(c, "paid_teams_only"); /* another word than its siblings have */
    if (group_arg(c, "no_such_subteam", &g) < 0)
        return -1;
    const char *before = g.channels;
    if (read_group(c, &g) < 0 || save_group(c, &g, OP_CHANGED) < 0 ||
        fill_new_channels(c, &g, before) < 0)
        return -1;
    return answer_group(c, &g);
}

static int switch_group(struct call *c, bool on)
{
    struct user_group g;
    if (group_arg(c, "no_such_subteam", &g) < 0 || check_may_change(c) < 0)
        return -1;
    g.deleted_s = on ? 0 : c->tx.now_us / US_PER_SECOND;
    g.deleted_by = on ? 0 : sl_me(c)->user.id;
    return save_group(c, &g, OP_CHANGED) < 0 ? -1 : answer_group(c, &g);
}

static int usergroups_disable(struct call *c)
{
    return switch_group(c, false);
}

static int usergroups_enable(struct call *c)
{
    return switch_group(c, true);
}

static int usergroups_list(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("where workspace = :workspace and (:all or deleted_s = 0) order by id");
    bool users = slack_flag(c, "include_users");
    if (is_free_plan(c))
        return slack_fail(c, "plan_upgrade_required");
    sqlite3_stmt *st = STORED_QUERY(&c->tx, &slack_group_stored, &q, sl_me(c)->workspace.id,
                                    slack_flag(c, "include_disabled"));
    struct user_group g;
    int r;
    slack_open(c);
    json_arr(c->out, "usergroups");
    while ((r = stored_next(&c->tx, &slack_group_stored, st, &g)) == 1) {
        if (write_listed_group(c, &g, users) < 0) {
            sql_done(st);
            return -1;
        }
    }
    json_end(c->out);
    slack_close(c);
    return r;
}

static int usergroups_users_list(struct call *c)
{
    struct user_group g;
    int64_t n;
    if (is_free_plan(c))
        return slack_fail(c, "plan_upgrade_required");
    if (group_arg(c, "no_such_subteam", &g) < 0)
        return -1;
    slack_open(c);
    if (sl_write_group_users(c, &g, true, &n) < 0)
        return -1;
    slack_close(c);
    return 0;
}

/* The keys of a group's people, separated by commas; NULL: failed. */
static const char *group_keys(struct call *c, const struct user_group *g)
{
    static struct sql_text q = SQL_TEXT("select " CHAT_SQL_USER_KEY(
        "m.user") " as key from slack_group_user m where m.member_of = :group order by key");
    sqlite3_stmt *st = TX_QUERY(&c->tx, &q, g->id);
    int r = st ? 1 : -1;
    struct buf b;
    buf_init(&b, 0);
    while (r == 1 && (r = TX_STEP(&c->tx, st)) == 1)
        buf_printf(&b, "%s%s", b.len ? "," : "", (const char *)sqlite3_column_text(st, 0));
    if (r == 0 && buf_failed(&b))
        r = sosia_fail_memory(c->tx.err);
    const char *all = r < 0 ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return all;
}

/* People alone are in groups, and no guests (usage notes of usergroups.users.update; their
 * invalid_user is the invalid_users of the method's table: concluded). */
static int check_group_user(struct call *c, const struct chat_user *u)
{
    if (u->workspace != sl_me(c)->workspace.id)
        return slack_fail(c, "failed_for_some_users");
    if (u->role == CHAT_CHANNEL_GUEST)
        return slack_fail(c, "single_channel_guests_cannot_be_added");
    return u->deleted || u->bot || !u->actor || u->role == CHAT_GUEST
               ? slack_fail(c, "invalid_users")
               : 0;
}

/* Is the key one of those, which have commas between them? */
static bool has_key(const char *keys, const char *key)
{
    size_t n = strlen(key);
    for (const char *p = keys; (p = strstr(p, key)) != NULL; p += n)
        if ((p == keys || p[-1] == ',') && (!p[n] || p[n] == ','))
            return true;
    return false;
}

static int usergroups_users_update(struct call *c)
{
    static const char *const users[] = {"users", NULL};
    static struct sql_text clear = SQL_TEXT("delete from slack_group_user where member_of = :of");
    static struct sql_text add =
        SQL_TEXT("insert or ignore into slack_group_user (member_of, user) "
                 "values (:of, :user)");
    struct user_group g;
    struct chat_user u;
    size_t n;
    const char **keys = slack_list_arg(c, "users", &n);
    if (group_arg(c, "no_such_subteam", &g) < 0 || check_may_change(c) < 0)
        return -1;
    if (!n && param_str(c, "users")[0] != '[') /* "[]" says that nobody is to be in it */
        return slack_fail(c, "no_users_provided");
    const char *before = group_keys(c, &g);
    if (!before || TX_RUN(&c->tx, &clear, g.id) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = sl_user_find_any(c, keys[i], &u);
        if (r != 1)
            return r < 0 ? -1 : slack_fail(c, "invalid_users");
        if (check_group_user(c, &u) < 0 || TX_RUN(&c->tx, &add, g.id, u.id) < 0)
            return -1;
        if (!has_key(before, u.key) && put_into_all(c, &g, &u) < 0)
            return -1;
    }
    chat_notify(&c->tx, CHAT_EV_GROUP, OP_CHANGED, sl_me(c)->workspace.id, g.id, users,
                &(struct chat_change){.name = before, .at_us = g.updated_s * US_PER_SECOND});
    return save_group(c, &g, OP_CHANGED) < 0 ? -1 : answer_group(c, &g);
}

/* ---- times of quiet ---- */

static int dnd_info(struct call *c)
{
    const char *key = param_str(c, "user");
    struct chat_user u = sl_me(c)->user;
    int r = key && *key ? sl_user_find(c, key, &u) : 1;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    if (sl_check_visible(c, &u) < 0)
        return -1;
    slack_open(c);
    if (sl_write_quiet(c, &u, u.id == sl_me(c)->user.id) < 0)
        return -1;
    slack_close(c);
    return 0;
}

static int dnd_team_info(struct call *c)
{
    struct chat_user users[50];
    size_t n, found = 0;
    const char **keys = slack_list_arg(c, "users", &n);
    if (!n)
        return slack_fail(c, "no_users_provided");
    for (size_t i = 0; i < n && i < SOSIA_LEN(users); i++) {
        int r = sl_user_find(c, keys[i], &users[found]);
        if (r < 0 || (r && sl_check_visible(c, &users[found]) < 0))
            return -1;
        for (size_t k = 0; r && k < found; k++)
            if (users[k].id == users[found].id) /* they are members of an object */
                r = 0;
        found += (size_t)r;
    }
    slack_open(c);
    json_obj(c->out, "users");
    for (size_t i = 0; i < found; i++) {
        json_obj(c->out, users[i].key);
        if (sl_write_quiet(c, &users[i], false) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    slack_close(c);
    return 0;
}

static int dnd_set_snooze(struct call *c)
{
    const char *text = param_str(c, "num_minutes");
    int64_t minutes, me = sl_me(c)->user.id, now = c->tx.now_us / US_PER_SECOND;
    struct quiet v;
    if (parse_i64(text, strlen(text), &minutes) < 0 || minutes < 1)
        return slack_fail(c, "missing_duration");
    if (minutes > 60 * 24 * 30)
        return slack_fail(c, "too_long");
    if (sl_quiet_read(c, me, &v) < 0)
        return -1;
    v.snooze_s = now + minutes * 60;
    v.snoozing_forever = false;
    if (sl_quiet_save(c, me, &v) < 0)
        return -1;
    slack_open(c);
    json_bool(c->out, "snooze_enabled", true);
    json_int(c->out, "snooze_endtime", v.snooze_s);
    json_int(c->out, "snooze_remaining", minutes * 60);
    json_bool(c->out, "snooze_is_indefinite", false);
    slack_close(c);
    return 0;
}

/* Ends the snooze and, if the stretch of the schedule is on, that one alone. */
static int dnd_end(struct call *c)
{
    const struct chat_user *me = &sl_me(c)->user;
    int64_t from, to, now = c->tx.now_us / US_PER_SECOND;
    struct quiet v;
    if (sl_quiet_read(c, me->id, &v) < 0)
        return -1;
    sl_quiet_next(c, me, &v, &from, &to);
    bool scheduled = from <= now && now < to;
    if (v.snooze_s <= now && !v.snoozing_forever && !scheduled)
        return slack_fail(c, "not_in_dnd");
    v.snooze_s = 0;
    v.snoozing_forever = false;
    if (scheduled)
        v.skipped_s = to;
    return sl_quiet_save(c, me->id, &v) < 0 ? -1 : slack_ok(c);
}

static int dnd_end_snooze(struct call *c)
{
    struct quiet v;
    const struct chat_user *me = &sl_me(c)->user;
    if (sl_quiet_read(c, me->id, &v) < 0)
        return -1;
    bool active = v.snooze_s > c->tx.now_us / US_PER_SECOND || v.snoozing_forever;
    v.snooze_s = 0;
    v.snoozing_forever = false;
    if (active && sl_quiet_save(c, me->id, &v) < 0) /* where none is, nothing is refused */
        return -1;
    slack_open(c);
    if (sl_write_quiet(c, me, true) < 0)
        return -1;
    slack_close(c);
    return 0;
}

/* ---- emoji, fields ---- */

static void write_categories(struct json_writer *w)
{
    json_str(w, "categories_version", "16");
    json_arr(w, "categories");
    for (const struct sl_emoji_category *k = sl_emoji_categories; k->name; k++) {
        json_obj(w, NULL);
        json_str(w, "name", k->name);
        json_arr(w, "emoji_names");
        for (const char *p = k->emoji; *p;) {
            size_t n = strcspn(p, " ");
            json_strn(w, NULL, p, n);
            p += n + (p[n] == ' ');
        }
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

/* Those that a workspace has from the start; one of its own of that name takes its place. */
static int write_first_emoji(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from slack_emoji where workspace = :workspace and name = :name");
    int64_t one;
    for (const struct sl_emoji_first *e = sl_emoji_first; e->name; e++) {
        int r = TX_INT(&c->tx, &q, &one, sl_me(c)->workspace.id, e->name);
        if (r < 0)
            return -1;
        if (!r)
            json_str(c->out, e->name,
                     strchr(e->address, ':')
                         ? e->address
                         : arena_printf(c->tx.arena, "https://emoji.slack-edge.com/%s/%s/%s",
                                        sl_me(c)->workspace.key, e->name, e->address));
    }
    return 0;
}

static int emoji_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("select name, coalesce(url, 'alias:' || alias) from "
                                        "slack_emoji where workspace = :workspace order by name");
    sqlite3_stmt *st = TX_QUERY(&c->tx, &q, sl_me(c)->workspace.id);
    int r = st ? 1 : -1;
    slack_open(c);
    json_obj(c->out, "emoji");
    if (st && write_first_emoji(c) < 0)
        r = -1;
    while (r == 1 && (r = TX_STEP(&c->tx, st)) == 1)
        json_str(c->out, (const char *)sqlite3_column_text(st, 0),
                 (const char *)sqlite3_column_text(st, 1));
    json_end(c->out);
    json_str(c->out, "cache_ts",
             arena_printf(c->tx.arena, "%lld.000000", (long long)(c->tx.now_us / US_PER_SECOND)));
    if (slack_flag(c, "include_categories"))
        write_categories(c->out);
    slack_close(c);
    return r;
}

static int team_profile_get(struct call *c)
{
    static struct sql_text q = SQL_TEXT("where workspace = :workspace order by place, id");
    const char *visibility = param_str(c, "visibility");
    struct stored *s = &slack_field_stored;
    sqlite3_stmt *st = STORED_QUERY(&c->tx, s, &q, sl_me(c)->workspace.id);
    struct profile_field f;
    int r;
    slack_open(c);
    json_obj(c->out, "profile");
    json_arr(c->out, "fields");
    while ((r = stored_next(&c->tx, s, st, &f)) == 1) {
        if (visibility && ((strcmp(visibility, "visible") == 0 && f.hidden) ||
                           (strcmp(visibility, "hidden") == 0 && !f.hidden)))
            continue;
        json_obj(c->out, NULL);
        json_str(c->out, "id", f.key);
        json_int(c->out, "ordering", f.place);
        json_str(c->out, "label", f.label);
        json_str(c->out, "hint", f.hint);
        json_str(c->out, "type", f.type);
        if (f.options)
            json_raw(c->out, "possible_values", f.options, strlen(f.options));
        else
            json_null(c->out, "possible_values");
        json_null(c->out, "options");
        json_bool(c->out, "is_hidden", f.hidden);
        json_end(c->out);
    }
    json_end(c->out);
    json_arr(c->out, "sections");
    json_end(c->out);
    json_end(c->out);
    slack_close(c);
    return r;
}

/* ---- rows ---- */

static const struct param group_create_params[] = {
    SL_NEEDED("name", .summary = "Name of the group"),
    SL_ARG("channels", SL_LIST),
    SL_ARG("additional_channels", SL_LIST),
    SL_ARG("description"),
    SL_ARG("handle"),
    SL_ARG("include_count", SL_FLAG),
    SL_ARG("team_id"),
    SL_ARG("enable_section", SL_FLAG)};
static const struct param group_update_params[] = {SL_NEEDED("usergroup"),
                                                   SL_ARG("name", .summary = "Name of the group"),
                                                   SL_ARG("channels", SL_LIST),
                                                   SL_ARG("additional_channels", SL_LIST),
                                                   SL_ARG("description"),
                                                   SL_ARG("handle"),
                                                   SL_ARG("include_count", SL_FLAG),
                                                   SL_ARG("team_id"),
                                                   SL_ARG("enable_section", SL_FLAG)};
static const struct param group_params[] = {SL_NEEDED("usergroup"),
                                            SL_ARG("include_count", SL_FLAG),
                                            SL_ARG("include_disabled", SL_FLAG), SL_ARG("team_id")};
static const struct param group_list_params[] = {
    SL_ARG("include_count", SL_FLAG), SL_ARG("include_disabled", SL_FLAG),
    SL_ARG("include_users", SL_FLAG), SL_ARG("team_id")};
static const struct param group_users_params[] = {SL_NEEDED("usergroup"),
                                                  SL_NEEDED("users", SL_LIST),
                                                  SL_ARG("include_count", SL_FLAG),
                                                  SL_ARG("team_id"),
                                                  SL_ARG("additional_channels", SL_LIST),
                                                  SL_ARG("is_shared", SL_FLAG)};
static const struct param dnd_params[] = {SL_ARG("user"), SL_ARG("team_id")};
static const struct param dnd_team_params[] = {SL_NEEDED("users", SL_LIST), SL_ARG("team_id")};
static const struct param snooze_params[] = {SL_NEEDED("num_minutes", SL_WHOLE(1, 60 * 24 * 30))};
static const struct param emoji_params[] = {SL_ARG("include_categories", SL_FLAG)};
static const struct param fields_params[] = {
    SL_ARG("visibility", SL_WORDS("all", "visible", "hidden"))};

#define READS(limit) SL_PEOPLE, .risk = RISK_READ, .accepts = slack_form_only, .rate = (limit)
#define GROUPS       SL_PEOPLE, .risk = RISK_WRITE, .scopes = "usergroups:write", .rate = SLACK_TIER_2

static const struct route methods[] = {
    {SL_METHOD("usergroups.create"), GROUPS, .handler = usergroups_create,
     PARAMS(group_create_params), .summary = "Make a user group"},
    {SL_METHOD("usergroups.update"), GROUPS, .handler = usergroups_update,
     PARAMS(group_update_params), .idempotent = true, .summary = "Change a user group"},
    {SL_METHOD("usergroups.disable"), GROUPS, .handler = usergroups_disable, PARAMS(group_params),
     .idempotent = true, .summary = "Take a user group out of use"},
    {SL_METHOD("usergroups.enable"), GROUPS, .handler = usergroups_enable, PARAMS(group_params),
     .idempotent = true, .summary = "Use it again"},
    {SL_METHOD("usergroups.users.update"), GROUPS, .handler = usergroups_users_update,
     PARAMS(group_users_params), .idempotent = true, .summary = "Who is in a user group"},
    {SL_METHOD("usergroups.list"), READS(SLACK_TIER_2), .handler = usergroups_list,
     .scopes = "usergroups:read", PARAMS(group_list_params), .summary = "User groups"},
    {SL_METHOD("usergroups.users.list"), READS(SLACK_TIER_2), .handler = usergroups_users_list,
     .scopes = "usergroups:read", PARAMS(group_params), .summary = "Who is in a user group"},
    {SL_METHOD("dnd.info"), READS(SLACK_TIER_3), .handler = dnd_info, .scopes = "dnd:read",
     PARAMS(dnd_params), .summary = "When somebody wants quiet"},
    {SL_METHOD("dnd.teamInfo"), READS(SLACK_TIER_2), .handler = dnd_team_info, .scopes = "dnd:read",
     PARAMS(dnd_team_params), .summary = "When several want quiet"},
    {SL_METHOD("dnd.setSnooze"), .token_kinds = TOKEN_USER, .handler = dnd_set_snooze,
     .risk = RISK_WRITE, .scopes = "dnd:write", PARAMS(snooze_params), .rate = SLACK_TIER_2,
     .summary = "Have quiet for some minutes"},
    {SL_METHOD("dnd.endDnd"), .token_kinds = TOKEN_USER, .handler = dnd_end, .risk = RISK_WRITE,
     .idempotent = true, .scopes = "dnd:write", .rate = SLACK_TIER_2,
     .summary = "End the quiet that is on"},
    {SL_METHOD("dnd.endSnooze"), .token_kinds = TOKEN_USER, .handler = dnd_end_snooze,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "dnd:write", .rate = SLACK_TIER_2,
     .summary = "Have it no more"},
    {SL_METHOD("emoji.list"), READS(SLACK_TIER_2), .handler = emoji_list, .scopes = "emoji:read",
     PARAMS(emoji_params), .summary = "The workspace's own emoji"},
    {SL_METHOD("team.profile.get"), READS(SLACK_TIER_3), .handler = team_profile_get,
     .scopes = "users.profile:read", PARAMS(fields_params), .summary = "Fields of profiles"},
};

const struct rows sl_people = ROWS(methods);
