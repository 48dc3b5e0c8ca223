/* SPDX-License-Identifier: Apache-2.0 */
/* What apps are sent about everything but messages. Members and their order are those of the
 * service's documents and of samples of its SDKs. */
#include "services/chat/core/sql.h"
#include "services/chat/slack/events/news.h"
#include "engine/text/civil.h"
#include "services/chat/slack/files/files.h"

static const char *user_key(struct sl_notice *t, int64_t user)
{
    return sl_user_key(&t->stage, user);
}

/* Text of a name for public channels, and for private ones. */
static const char *of_kind(const struct sl_notice *t, const char *public, const char *private)
{
    return t->channel.kind == CHAT_PUBLIC ? public : private;
}

/* To everybody if the channel is public, else to who is in it. */
static int notify_of_channel(struct sl_notice *t, const char *public, const char *private)
{
    bool is_public = t->channel.kind == CHAT_PUBLIC;
    const char *kind = is_public ? public : private;
    return sl_event_to(t, kind, kind, is_public ? SL_TO_WORKSPACE : SL_TO_MEMBERS, 0,
                       sl_event_close(t));
}

/* ---- channels ---- */

static int channel_added(struct sl_notice *t)
{
    struct chat_channel *ch = &t->channel;
    if (ch->kind == CHAT_PUBLIC) {
        sl_event_open(t, "channel_created");
        if (sl_write_channel(&t->stage, "channel", ch, SL_NO_MEMBER) < 0)
            return -1;
        return notify_of_channel(t, "channel_created", "channel_created");
    }
    if (ch->kind != CHAT_DIRECT)
        return 0;
    sl_event_open(t, "im_created");
    json_str(&t->writer, "user", user_key(t, ch->creator));
    json_obj(&t->writer, "channel");
    json_str(&t->writer, "id", ch->key);
    json_int(&t->writer, "created", ch->created_s);
    json_str(&t->writer, "user", user_key(t, ch->creator));
    json_bool(&t->writer, "is_im", true);
    json_end(&t->writer);
    return sl_event_to(t, "im_created", "im_created", SL_TO_MEMBERS, 0, sl_event_close(t));
}

static int channel_changed(struct sl_notice *t)
{
    struct chat_channel *ch = &t->channel;
    if (ch->kind > CHAT_PRIVATE)
        return 0;
    if (sl_has_member(t, "name")) {
        sl_event_open(t, of_kind(t, "channel_rename", "group_rename"));
        json_obj(&t->writer, "channel");
        json_str(&t->writer, "id", ch->key);
        json_bool(&t->writer, "is_channel", ch->key[0] == 'C');
        json_bool(&t->writer, "is_mpim", false);
        json_str(&t->writer, "name", ch->name);
        json_str(&t->writer, "name_normalized", ch->name);
        json_int(&t->writer, "created", ch->created_s);
        json_end(&t->writer);
        if (notify_of_channel(t, "channel_rename", "group_rename") < 0)
            return -1;
    }
    if (!sl_has_member(t, "archived"))
        return 0;
    const char *public = ch->archived ? "channel_archive" : "channel_unarchive";
    const char *private = ch->archived ? "group_archive" : "group_unarchive";
    struct chat_user by;
    int r = t->news->actor ? chat_user_of(t->tx, t->news->actor, t->workspace, &by) : 0;
    if (r < 0)
        return -1;
    sl_event_open(t, of_kind(t, public, private));
    json_str(&t->writer, "channel", ch->key);
    json_str_opt(&t->writer, "user", r ? by.key : NULL);
    if (ch->archived)
        json_int(&t->writer, "is_moved", 0);
    return notify_of_channel(t, public, private);
}

/* ---- members ---- */

static int member_joined(struct sl_notice *t)
{
    sl_event_open(t, "member_joined_channel");
    json_str(&t->writer, "user", user_key(t, t->news->user));
    json_str(&t->writer, "channel", t->channel.key);
    json_str(&t->writer, "channel_type", of_kind(t, "C", "G"));
    json_str(&t->writer, "team", sl_me(&t->stage)->workspace.key);
    if (t->news->by && t->news->by != t->news->user)
        json_str(&t->writer, "inviter", user_key(t, t->news->by));
    return sl_event_to(t, "member_joined_channel", "member_joined_channel", SL_TO_MEMBERS, 0,
                       sl_event_close(t));
}

static int member_left(struct sl_notice *t)
{
    struct chat_install i;
    sl_event_open(t, "member_left_channel");
    json_str(&t->writer, "user", user_key(t, t->news->user));
    json_str(&t->writer, "channel", t->channel.key);
    json_str(&t->writer, "channel_type", of_kind(t, "C", "G"));
    json_str(&t->writer, "team", sl_me(&t->stage)->workspace.key);
    if (sl_event_to(t, "member_left_channel", "member_left_channel", SL_TO_MEMBERS, 0,
                    sl_event_close(t)) < 0)
        return -1;
    int r = chat_install_by_user(t->tx, t->news->user, &i);
    if (r != 1)
        return r;
    const char *kind = of_kind(t, "channel_left", "group_left");
    sl_event_open(t, kind);
    json_str(&t->writer, "channel", t->channel.key);
    json_str(&t->writer, "actor_id", user_key(t, t->news->by ? t->news->by : t->news->user));
    return sl_event_to_app(t, kind, kind, i.app, sl_event_close(t));
}

/* A conversation comes into somebody's list, or goes from it. */
static int member_changed(struct sl_notice *t)
{
    bool direct = t->channel.kind == CHAT_DIRECT, open = sl_has_member(t, "open");
    const char *type = direct ? open ? "im_open" : "im_close" : open ? "group_open" : "group_close";
    sl_event_open(t, type);
    json_str(&t->writer, "user", user_key(t, t->news->user));
    json_str(&t->writer, "channel", t->channel.key);
    return sl_event_to(t, type, type, SL_TO_PERSON, t->news->user, sl_event_close(t));
}

/* ---- on messages ---- */

static void write_notified_item(struct sl_notice *t, const struct chat_message *m)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, m->ts_us);
    json_obj(&t->writer, "item");
    json_str(&t->writer, "type", "message");
    json_str(&t->writer, "channel", t->channel.key);
    json_str(&t->writer, "ts", ts);
    json_end(&t->writer);
}

static int reaction(struct sl_notice *t)
{
    const char *type = t->news->operation == OP_ADDED ? "reaction_added" : "reaction_removed";
    struct chat_message m;
    int r = chat_message_get(t->tx, t->news->entity, &m);
    if (r != 1 || !t->news->name)
        return r < 0 ? -1 : 0;
    sl_event_open(t, type);
    json_str(&t->writer, "user", user_key(t, t->news->user));
    json_str(&t->writer, "reaction", t->news->name);
    write_notified_item(t, &m);
    if (m.user)
        json_str(&t->writer, "item_user", user_key(t, m.user));
    return sl_event_to(t, type, type, SL_TO_MEMBERS, 0, sl_event_close(t));
}

static int pin(struct sl_notice *t)
{
    const char *type = t->news->operation == OP_ADDED ? "pin_added" : "pin_removed";
    struct chat_message m;
    int r = chat_message_get(t->tx, t->news->entity, &m);
    if (r != 1)
        return r;
    sl_event_open(t, type);
    json_str(&t->writer, "user", user_key(t, t->news->user));
    json_str(&t->writer, "channel_id", t->channel.key);
    json_obj(&t->writer, "item");
    json_str(&t->writer, "type", "message");
    json_int(&t->writer, "created", t->news->at_us / US_PER_SECOND);
    json_str(&t->writer, "created_by", user_key(t, t->news->user));
    json_str(&t->writer, "channel", t->channel.key);
    if (sl_write_message(&t->stage, "message", &m, SL_PERMALINK) < 0)
        return -1;
    json_end(&t->writer);
    if (m.user)
        json_str(&t->writer, "item_user", user_key(t, m.user));
    json_int(&t->writer, "pin_count", t->channel.pins);
    if (t->news->operation == OP_REMOVED) {
        json_bool(&t->writer, "has_pins", t->channel.pins > 0);
    } else {
        json_obj(&t->writer, "pinned_info");
        json_str(&t->writer, "channel", t->channel.key);
        json_str(&t->writer, "pinned_by", user_key(t, t->news->user));
        json_int(&t->writer, "pinned_ts", t->news->at_us / US_PER_SECOND);
        json_end(&t->writer);
    }
    return sl_event_to(t, type, type, SL_TO_MEMBERS, 0, sl_event_close(t));
}

/* What is starred, by its kind: 1; 0: it is not there any more; -1. */
static int write_starred(struct sl_notice *t)
{
    struct json_writer *w = &t->writer;
    struct chat_message m;
    struct chat_file f;
    if (t->news->name) {
        int r = chat_file_find(t->tx, t->workspace, t->news->name, &f);
        if (r == 1) {
            json_str(w, "type", "file");
            r = sl_write_file(&t->stage, "file", &f, SL_FILE_WHOLE) < 0 ? -1 : 1;
        }
        return r;
    }
    int r = t->news->entity ? chat_message_get(t->tx, t->news->entity, &m) : 0;
    if (r < 0)
        return -1;
    json_str(w, "type", r ? "message" : t->channel.kind == CHAT_DIRECT ? "im" : "channel");
    json_str(w, "channel", t->channel.key);
    return r && sl_write_message(&t->stage, "message", &m, SL_PERMALINK) < 0 ? -1 : 1;
}

static int star(struct sl_notice *t)
{
    const char *type = t->news->operation == OP_ADDED ? "star_added" : "star_removed";
    sl_event_open(t, type);
    json_str(&t->writer, "user", user_key(t, t->news->user));
    json_obj(&t->writer, "item");
    int r = write_starred(t);
    if (r != 1)
        return r;
    json_end(&t->writer);
    return sl_event_to(t, type, type, SL_TO_PERSON, t->news->user, sl_event_close(t));
}

/* ---- lists of keys, with commas between ---- */

#define MAX_LISTED 500

static bool is_listed(const char *list, const char *key, size_t n)
{
    while (*list) {
        size_t k = strcspn(list, ",");
        if (k == n && memcmp(list, key, n) == 0)
            return true;
        list += k + (list[k] == ',');
    }
    return false;
}

/* Those of a list that are not in the other one: their count, and the first 500. */
static int64_t write_missing(struct sl_notice *t, const char *key, const char *list,
                             const char *other)
{
    int64_t n = 0;
    if (key)
        json_arr(&t->writer, key);
    while (*list) {
        size_t k = strcspn(list, ",");
        if (!is_listed(other, list, k) && n++ < MAX_LISTED && key)
            json_strn(&t->writer, NULL, list, k);
        list += k + (list[k] == ',');
    }
    if (key)
        json_end(&t->writer);
    return n;
}

/* ---- files ---- */

static void write_file_id(struct sl_notice *t, const struct chat_file *f)
{
    json_obj(&t->writer, "file");
    json_str(&t->writer, "id", f->key);
    json_end(&t->writer);
}

/* The app whose bot it is that uploads. */
static int tell_uploader(struct sl_notice *t, const struct chat_file *f, const char *type,
                         const char *event)
{
    struct chat_install i;
    int r = f->user ? chat_install_by_user(t->tx, f->user, &i) : 0;
    if (r != 1 || i.deleted)
        return r < 0 ? -1 : 0;
    return sl_event_to_app(t, type, type, i.app, event);
}

static int file(struct sl_notice *t)
{
    struct chat_file f;
    int r = chat_file_get(t->tx, t->news->entity, &f);
    if (r != 1)
        return r;
    bool gone = f.state == CHAT_FILE_DELETED || t->news->operation == OP_REMOVED;
    bool public = !gone && sl_has_member(t, "public");
    const char *type = gone                               ? "file_deleted"
                       : public                           ? "file_public"
                       : t->news->operation == OP_CHANGED ? "file_change"
                                                          : "file_created";
    sl_event_open(t, type);
    json_str(&t->writer, "file_id", f.key);
    if (gone && t->news->name)
        write_missing(t, "channel_ids", t->news->name, "");
    if (!gone) {
        json_str(&t->writer, "user_id", user_key(t, f.user));
        write_file_id(t, &f);
    }
    bool private = t->news->operation == OP_ADDED && !gone;
    const char *event = sl_event_close(t);
    if (private && tell_uploader(t, &f, type, event) < 0)
        return -1;
    t->file = gone ? NULL : &f; /* who may see what is gone is not known any more */
    return sl_event_to(t, type, type, private ? SL_TO_PERSON : SL_TO_WORKSPACE, f.user, event);
}

static int share(struct sl_notice *t)
{
    bool here = t->news->operation == OP_ADDED;
    const char *type = here ? "file_shared" : "file_unshared";
    struct chat_file f;
    int r = chat_file_get(t->tx, t->news->entity, &f);
    if (r != 1)
        return r;
    sl_event_open(t, type);
    json_str(&t->writer, "file_id", f.key);
    json_str(&t->writer, "user_id", user_key(t, t->news->user ? t->news->user : f.user));
    write_file_id(t, &f);
    json_str(&t->writer, "channel_id", t->channel.key);
    return sl_event_to(t, type, type, SL_TO_MEMBERS, 0, sl_event_close(t));
}

/* ---- groups of people ---- */

/* Each of a list who is not in the other one, of his own. */
static int tell_selves(struct sl_notice *t, const char *type, const char *group, const char *list,
                       const char *other)
{
    static struct sql_text q =
        SQL_TEXT("select exists (select 1 from slack_subscription where kind = :kind) or exists "
                 "(select 1 from slack_rtm)");
    struct chat_user u;
    int64_t anybody;
    if (TX_INT(t->tx, &q, &anybody, type) < 0)
        return -1;
    for (size_t k; anybody && *list; list += k + (list[k] == ',')) {
        k = strcspn(list, ",");
        if (is_listed(other, list, k))
            continue;
        int r = chat_user_find(t->tx, t->workspace, arena_memdup(t->tx->arena, list, k), &u);
        if (r < 0)
            return -1;
        if (!r)
            continue;
        sl_event_open(t, type);
        json_str(&t->writer, "subteam_id", group);
        if (sl_event_to(t, type, type, SL_TO_PERSON, u.id, sl_event_close(t)) < 0)
            return -1;
    }
    return 0;
}

static int group_members(struct sl_notice *t)
{
    static struct sql_text q =
        SQL_TEXT("select g.key, g.updated_s, ifnull((select group_concat(" CHAT_SQL_USER_KEY(
            "m.user") ") from slack_group_user m where m.member_of = g.id), '') from slack_group g "
                      "where g.id = :id");
    const char *before = t->news->name ? t->news->name : "";
    sqlite3_stmt *st;
    int r = TX_ROW(t->tx, &q, &st, t->news->entity);
    if (r != 1)
        return r;
    const char *key = tx_string(t->tx, st, 0), *now = tx_string(t->tx, st, 2);
    int64_t updated = sqlite3_column_int64(st, 1);
    sql_done(st);
    sl_event_open(t, "subteam_members_changed");
    json_str(&t->writer, "subteam_id", key);
    json_str(&t->writer, "team_id", sl_me(&t->stage)->workspace.key);
    json_int(&t->writer, "date_previous_update", updated);
    json_int(&t->writer, "date_update", t->news->at_us / US_PER_SECOND);
    json_int(&t->writer, "added_users_count", write_missing(t, "added_users", now, before));
    json_int(&t->writer, "removed_users_count", write_missing(t, "removed_users", before, now));
    if (sl_event_to(t, "subteam_members_changed", "subteam_members_changed", SL_TO_WORKSPACE, 0,
                    sl_event_close(t)) < 0)
        return -1;
    return tell_selves(t, "subteam_self_added", key, now, before) < 0
               ? -1
               : tell_selves(t, "subteam_self_removed", key, before, now);
}

static int group(struct sl_notice *t)
{
    const char *type = t->news->operation == OP_ADDED ? "subteam_created" : "subteam_updated";
    if (sl_has_member(t, "users"))
        return group_members(t);
    sl_event_open(t, type);
    if (sl_write_group(&t->stage, "subteam", t->news->entity) < 0)
        return -1;
    return sl_event_to(t, type, type, SL_TO_WORKSPACE, 0, sl_event_close(t));
}

/* ---- people ---- */

/* granted: scopes to show him with; NULL: all. */
static const char *user_event(struct sl_notice *t, const char *type, const struct chat_user *u,
                              const char *granted)
{
    slack_of(&t->stage)->granted = granted;
    sl_event_open(t, type);
    sl_write_user(&t->stage, "user", u, SL_USER_LOCALE);
    json_int(&t->writer, "cache_ts", t->news->at_us / US_PER_SECOND);
    slack_of(&t->stage)->granted = NULL;
    return sl_event_close(t);
}

/* Addresses of people are for apps that may read them. */
static int notify_of_user(struct sl_notice *t, const char *type, const struct chat_user *u)
{
    t->needs = "users:read.email";
    if (!(t->lesser = user_event(t, type, u, "users:read")))
        return sosia_fail_memory(t->tx->err);
    return sl_event_to(t, type, type, SL_TO_WORKSPACE, 0, user_event(t, type, u, NULL));
}

static int user(struct sl_notice *t)
{
    struct chat_user u;
    int r = chat_user_get(t->tx, t->news->entity, &u);
    if (r != 1)
        return r;
    if (t->news->operation == OP_ADDED)
        return notify_of_user(t, "team_join", &u);
    if (sl_has_member(t, "presence") || sl_has_member(t, "active"))
        return 0; /* of WebSockets of people alone */
    if ((!sl_has_member(t, "fields") && notify_of_user(t, "user_change", &u) < 0) ||
        notify_of_user(t, "user_profile_changed", &u) < 0)
        return -1;
    return sl_has_member(t, "status") ? notify_of_user(t, "user_status_changed", &u) : 0;
}

static int quiet(struct sl_notice *t)
{
    static const char *const types[] = {"dnd_updated", "dnd_updated_user"};
    struct chat_user u;
    int r = chat_user_get(t->tx, t->news->user, &u);
    for (size_t i = 0; r == 1 && i < SOSIA_LEN(types); i++) {
        sl_event_open(t, types[i]);
        json_str(&t->writer, "user", u.key);
        json_obj(&t->writer, "dnd_status");
        if (sl_write_quiet(&t->stage, &u, i == 0) < 0)
            return -1;
        json_end(&t->writer);
        if (sl_event_to(t, types[i], types[i], i ? SL_TO_WORKSPACE : SL_TO_PERSON, u.id,
                        sl_event_close(t)) < 0)
            return -1;
    }
    return r < 0 ? -1 : 0;
}

/* ---- installations ---- */

static int notify_revoked(struct sl_notice *t, int64_t app, const char *person, const char *bot)
{
    sl_event_open(t, "tokens_revoked");
    json_obj(&t->writer, "tokens");
    json_arr(&t->writer, "oauth");
    if (person)
        json_str(&t->writer, NULL, person);
    json_end(&t->writer);
    json_arr(&t->writer, "bot");
    if (bot)
        json_str(&t->writer, NULL, bot);
    json_end(&t->writer);
    json_end(&t->writer);
    return sl_event_to_app(t, "tokens_revoked", "tokens_revoked", app, sl_event_close(t));
}

static int install(struct sl_notice *t)
{
    static struct sql_text q =
        SQL_TEXT("select app, ifnull(user, 0) from slack_install where id = :id");
    sqlite3_stmt *st;
    struct chat_user u;
    int r = TX_ROW(t->tx, &q, &st, t->news->entity);
    if (r != 1)
        return r;
    int64_t app = sqlite3_column_int64(st, 0), bot = sqlite3_column_int64(st, 1);
    sql_done(st);
    if (t->news->operation == OP_REMOVED) {
        if (sl_has_member(t, "tokens") &&
            notify_revoked(t, app, NULL, bot ? user_key(t, bot) : NULL) < 0)
            return -1;
        sl_event_open(t, "app_uninstalled");
        return sl_event_to_app(t, "app_uninstalled", "app_uninstalled", app, sl_event_close(t));
    }
    if (t->news->operation != OP_CHANGED || !sl_has_member(t, "tokens"))
        return 0;
    r = chat_user_get(t->tx, t->news->user, &u);
    if (r != 1)
        return r;
    return notify_revoked(t, app, u.bot ? NULL : u.key, u.bot ? u.key : NULL);
}

/* ---- all of it ---- */

int sl_events_of(struct sl_notice *t)
{
    const char *kind = t->news->kind;
    enum event_operation op = t->news->operation;
    if (strcmp(kind, CHAT_EV_CHANNEL) == 0)
        return op == OP_ADDED ? channel_added(t) : op == OP_CHANGED ? channel_changed(t) : 0;
    if (strcmp(kind, CHAT_EV_MEMBER) == 0) {
        if (op == OP_CHANGED)
            return member_changed(t);
        if (t->channel.kind > CHAT_PRIVATE)
            return 0;
        return op == OP_ADDED ? member_joined(t) : op == OP_REMOVED ? member_left(t) : 0;
    }
    static const struct {
        const char *kind;
        int (*fn)(struct sl_notice *t);
    } others[] = {
        {CHAT_EV_REACTION, reaction},
        {CHAT_EV_PIN, pin},
        {CHAT_EV_STAR, star},
        {CHAT_EV_FILE, file},
        {CHAT_EV_SHARE, share},
        {CHAT_EV_GROUP, group},
        {CHAT_EV_INVITE, sl_events_of_invite},
        {CHAT_EV_CONNECT, sl_events_of_connect},
        {CHAT_EV_USER, user},
        {CHAT_EV_QUIET, quiet},
        {CHAT_EV_INSTALL, install},
    };
    for (size_t i = 0; i < SOSIA_LEN(others); i++)
        if (strcmp(kind, others[i].kind) == 0)
            return others[i].fn(t);
    return 0;
}
