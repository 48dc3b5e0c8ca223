/* SPDX-License-Identifier: Apache-2.0 */
/* People: lists, look-ups, presence, profiles. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/chat/slack/sl.h"

#define MAX_STATUS 100 /* characters */

struct listing {
    struct call *c;
    int64_t limit, n; /* limit 0: all */
    unsigned parts;
    const char *next;
    bool failed;
};

static int list_user(void *arg, const struct chat_user *u)
{
    struct listing *l = arg;
    if (strcmp(u->key, SLACKBOT) == 0)
        return 0; /* is first, whatever its id */
    int r = sl_sees(l->c, u);
    l->failed = r < 0;
    if (r != 1)
        return l->failed;
    if (l->limit && l->n == l->limit) {
        l->next = u->key;
        return 1;
    }
    l->n++;
    sl_write_user(l->c, NULL, u, l->parts);
    return 0;
}

static int users_list(struct call *c)
{
    struct listing l = {.c = c, .parts = slack_flag(c, "include_locale") ? SL_USER_LOCALE : 0};
    const struct sl_caller *me = sl_me(c);
    const char *from = NULL;
    struct chat_user bot;
    int paged, r;
    if (slack_limit(c, &l.limit) < 0 || (paged = slack_cursor(c, "user", &from)) < 0)
        return -1;
    slack_open(c);
    json_arr(c->out, "members");
    if (!paged) {
        if ((r = chat_user_find(&c->tx, me->workspace.id, SLACKBOT, &bot)) < 0)
            return -1;
        if (r) {
            sl_write_user(c, NULL, &bot, l.parts | SL_NO_FIELDS);
            l.n++;
        }
    }
    if (chat_users(&c->tx, me->workspace.id, from, list_user, &l) < 0 || l.failed)
        return -1;
    json_end(c->out);
    json_int(c->out, "cache_ts", c->tx.now_us / US_PER_SECOND);
    json_str_opt(c->out, "offset", l.next);
    slack_next(c, "user", l.next);
    slack_close(c);
    return 0;
}

#define MAX_ASKED 1000

/* Several people at once, which the reference does not name and the library for Go asks for. Who is
 * not there is left out. */
static int users_info_of(struct call *c, const char *list, unsigned parts)
{
    struct chat_user u;
    size_t n = 0, asked = 0;
    slack_open(c);
    json_arr(c->out, "users");
    for (const char *at = list + strspn(list, ", "); *at; at += strspn(at, ", ")) {
        const char *key = arena_memdup(c->tx.arena, at, strcspn(at, ", "));
        at += strcspn(at, ", ");
        if (++asked > MAX_ASKED)
            return slack_invalid_arguments(c, NULL, "must provide no more than %d items",
                                           MAX_ASKED);
        int r = arena_failed(c->tx.arena) ? -1 : sl_user_find_any(c, key, &u);
        if (r == 1)
            r = sl_sees(c, &u);
        if (r < 0)
            return -1;
        if (r) {
            sl_write_user(c, NULL, &u, parts);
            n++;
        }
    }
    json_end(c->out);
    if (!n)
        return slack_fail(c, "user_not_found");
    slack_close(c);
    return 0;
}

static int users_info(struct call *c)
{
    struct chat_user u;
    const char *key = param_str(c, "user"), *list = param_str(c, "users");
    unsigned parts = slack_flag(c, "include_locale") ? SL_USER_LOCALE : 0;
    if (!key && list)
        return users_info_of(c, list, parts);
    if (!key)
        return slack_invalid_arguments(c, NULL, "missing required field: user");
    int r = sl_user_find_any(c, key, &u);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    if (sl_check_visible(c, &u) < 0)
        return -1;
    slack_open(c);
    sl_write_user(c, "user", &u, parts);
    slack_close(c);
    return 0;
}

static int users_look_up(struct call *c)
{
    struct chat_user u;
    int r = chat_user_by_email(&c->tx, sl_me(c)->workspace.id, param_str(c, "email"), &u);
    if (r == 1)
        r = sl_sees(c, &u);
    if (r != 1 || u.deleted)
        return r < 0 ? -1 : slack_fail(c, "users_not_found");
    slack_open(c);
    sl_write_user(c, "user", &u, 0);
    slack_close(c);
    return 0;
}

/* ---- presence ---- */

static int users_get_presence(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *key = param_str(c, "user");
    struct chat_user u = me->user;
    int r = key && *key ? sl_user_find(c, key, &u) : 1;
    if (r == 1)
        r = sl_sees(c, &u);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    bool away = strcmp(u.presence, "away") == 0;
    slack_open(c);
    json_str(c->out, "presence", sl_presence(&u));
    if (u.id == me->user.id) {
        json_bool(c->out, "online", u.active);
        json_bool(c->out, "auto_away", !u.active && !away);
        json_bool(c->out, "manual_away", away);
        json_int(c->out, "connection_count", u.active);
        if (u.active)
            json_int(c->out, "last_activity", c->tx.now_us / US_PER_SECOND);
    }
    slack_close(c);
    return 0;
}

/* Keeps it, and lets those know who ask for it. "shown": others see something else now. */
static int save_presence(struct call *c, struct chat_user *u, bool manual)
{
    static const char *const changed[][3] = {{"active"}, {"presence"}};
    static const char *const and_shown[][3] = {{"active", "shown"}, {"presence", "shown"}};
    bool shown = strcmp(sl_presence(u), sl_presence(&sl_me(c)->user)) != 0;
    return chat_user_save(&c->tx, u, shown ? and_shown[manual] : changed[manual]) < 0 ? -1
                                                                                      : slack_ok(c);
}

static int users_set_presence(struct call *c)
{
    struct chat_user u = sl_me(c)->user;
    int word = 0;
    if (slack_word(c, "presence", &word) < 0)
        return -1;
    u.presence = param_str(c, "presence");
    return save_presence(c, &u, true);
}

static int users_set_active(struct call *c)
{
    struct chat_user u = sl_me(c)->user;
    u.active = true;
    return save_presence(c, &u, false);
}

/* ---- profiles ---- */

/* Custom fields with what the workspace calls them; NULL: failed. */
static const char *labelled(struct call *c, const struct chat_user *u)
{
    static struct sql_text q = SQL_TEXT("select label from slack_profile_field where "
                                        "workspace = :workspace and key = :key");
    const struct json *fields;
    struct json_writer w;
    sqlite3_stmt *st;
    struct buf b;
    int r = 0;
    if (json_parse(c->tx.arena, u->fields, strlen(u->fields), NULL, &fields, c->tx.err) < 0)
        return NULL;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; fields->type == JSON_OBJECT && i < fields->n && r >= 0; i++) {
        const struct json_member *m = &fields->members[i];
        json_obj(&w, m->key);
        for (uint32_t k = 0; m->value.type == JSON_OBJECT && k < m->value.n; k++)
            json_value(&w, m->value.members[k].key, &m->value.members[k].value);
        if ((r = TX_ROW(&c->tx, &q, &st, u->workspace, m->key)) == 1) {
            json_str(&w, "label", (const char *)sqlite3_column_text(st, 0));
            sql_done(st);
        }
        json_end(&w);
    }
    json_end(&w);
    if (r >= 0 && buf_failed(&b))
        r = sosia_fail_memory(c->tx.err);
    const char *text = r < 0 ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static int users_profile_get(struct call *c)
{
    const char *key = param_str(c, "user");
    struct chat_user u = sl_me(c)->user;
    int r = key && *key ? sl_user_find_any(c, key, &u) : 1;
    if (r == 1)
        r = sl_sees(c, &u);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    if (u.fields && slack_flag(c, "include_labels") && !(u.fields = labelled(c, &u)))
        return -1;
    slack_open(c);
    sl_write_profile(c, "profile", &u, false, SL_PROFILE_FIELDS);
    slack_close(c);
    return 0;
}

/* Values of custom fields: what is given replaces what there was, an empty value takes it out. */
static int set_fields(struct call *c, struct chat_user *u, const struct json *given)
{
    const struct json *old = NULL;
    struct buf b;
    struct json_writer w;
    if (given->type != JSON_OBJECT || given->n > 50)
        return slack_fail(c, "invalid_profile");
    if (u->fields &&
        json_parse(c->tx.arena, u->fields, strlen(u->fields), NULL, &old, c->tx.err) < 0)
        return -1;
    buf_init(&b, 1 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    for (uint32_t i = 0; old && i < old->n; i++)
        if (!json_get(given, old->members[i].key))
            json_value(&w, old->members[i].key, &old->members[i].value);
    for (uint32_t i = 0; i < given->n; i++) {
        const struct json *v = &given->members[i].value;
        const char *value = v->type == JSON_STRING ? v->str : json_get_str(v, "value");
        const char *alt = json_get_str(v, "alt");
        if (!value || !*value)
            continue;
        json_obj(&w, given->members[i].key);
        json_str(&w, "value", value);
        json_str(&w, "alt", alt ? alt : "");
        json_end(&w);
    }
    json_end(&w);
    bool failed = buf_failed(&b);
    u->fields = buf_keep(&b, c->tx.arena);
    return failed ? slack_fail(c, "too_long") : 0;
}

static void write_limit(struct call *c)
{
    json_int(c->out, "limit", MAX_STATUS);
    json_str(c->out, "field", "status_text");
}

/* A status has an emoji that there is, and is cleared as a whole: neither text nor emoji alone can
 * be set to "". */
static int check_new_status(struct call *c, const struct json *profile)
{
    const char *text = json_get_str(profile, "status_text");
    const char *emoji = json_get_str(profile, "status_emoji");
    size_t n = emoji ? strlen(emoji) : 0;
    if ((text && !*text && !emoji) || (emoji && !*emoji && !text))
        return slack_fail(c, "must_clear_both_status_text_and_status_emoji");
    if (text && sl_characters(text) > MAX_STATUS) {
        slack_of(c)->more = write_limit;
        return slack_fail(c, "too_long");
    }
    if (!n)
        return 0;
    if (n < 3 || n > MAX_STATUS || emoji[0] != ':' || emoji[n - 1] != ':')
        return slack_fail(c, "profile_status_set_failed_not_emoji_syntax");
    int r = sl_emoji_here(c, arena_memdup(c->tx.arena, emoji + 1, n - 2));
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "profile_status_set_failed_not_valid_emoji");
}

/* A status that is set anew ends when the request says so, else never (docs.slack.dev, user
 * presence and status); one that has ended leaves nothing to it. */
static void begin_status(struct call *c, struct chat_user *u, const struct json *profile)
{
    if (!json_get(profile, "status_text") && !json_get(profile, "status_emoji"))
        return;
    if (u->status_expires_s && u->status_expires_s <= c->tx.now_us / US_PER_SECOND)
        u->status_text = u->status_emoji = "";
    u->status_expires_s = 0;
}

/* One member of a profile. */
static int set_member(struct call *c, struct chat_user *u, const char *name, const struct json *v)
{
    struct {
        const char *name, **to;
        size_t max;
    } texts[] = {{"status_text", &u->status_text, MAX_STATUS},
                 {"status_emoji", &u->status_emoji, MAX_STATUS},
                 {"title", &u->title, 255},
                 {"phone", &u->phone, 255},
                 {"pronouns", &u->pronouns, 255},
                 {"real_name", &u->real_name, 80},
                 {"display_name", &u->display_name, 80},
                 {"email", &u->email, 255}};
    if (strcmp(name, "fields") == 0)
        return set_fields(c, u, v);
    if (strcmp(name, "status_expiration") == 0) {
        int64_t s = 0;
        if ((v->type == JSON_STRING ? parse_i64(v->str, v->n, &s) < 0 : json_i64(v, &s) < 0) ||
            s > CHAT_LAST_SECOND)
            return slack_fail(c, "invalid_profile");
        u->status_expires_s = s < 0 ? 0 : s;
        return 0;
    }
    if (v->type != JSON_STRING)
        return 0;
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        if (strcmp(texts[i].name, name) != 0)
            continue;
        if (sl_characters(v->str) > texts[i].max)
            return slack_fail(c, "too_long");
        *texts[i].to = v->str;
    }
    if (strcmp(name, "first_name") == 0 || strcmp(name, "last_name") == 0) {
        const char *blank = strrchr(u->real_name, ' ');
        size_t n = blank ? (size_t)(blank - u->real_name) : strlen(u->real_name);
        u->real_name = name[0] == 'f' ? arena_printf(c->tx.arena, "%s%s", v->str,
                                                     !blank ? "" : blank + !*v->str)
                                      : arena_printf(c->tx.arena, "%.*s%s%s", (int)n, u->real_name,
                                                     *v->str ? " " : "", v->str);
        if (sl_characters(u->real_name) > 80)
            return slack_fail(c, "too_long");
    }
    return 0;
}

/* What events say of: custom fields alone do not change somebody. */
static const char *const *what_changed(const struct chat_user *was, const struct chat_user *is,
                                       bool fields)
{
    static const char *const profile[] = {"profile", NULL}, *const custom[] = {"fields", NULL};
    static const char *const status[] = {"profile", "status", NULL};
    if (fields)
        return custom;
    return strcmp(was->status_text, is->status_text) != 0 ||
                   strcmp(was->status_emoji, is->status_emoji) != 0 ||
                   was->status_expires_s != is->status_expires_s
               ? status
               : profile;
}

/* Whose profile may be changed, and what of it may be what it was set to. */
static int check_profile(struct call *c, const struct chat_user *before, const struct chat_user *u)
{
    const struct chat_user *me = &sl_me(c)->user;
    struct chat_user other;
    bool mail = u->email && (!before->email || strcmp(before->email, u->email) != 0);
    if (u->id != me->id && u->role <= CHAT_ADMIN && me->role != CHAT_OWNER)
        return slack_fail(c, "cannot_update_admin_user");
    if (mail && me->role > CHAT_ADMIN)
        return slack_fail(c, "not_admin");
    if (u->display_name[0] == '@')
        return slack_fail(c, "invalid_starts_with_at");
    if (strstr(u->display_name, "://") || strstr(u->real_name, "://"))
        return slack_fail(c, "name_not_allowed");
    int r = mail ? chat_user_by_email(&c->tx, u->workspace, u->email, &other) : 0;
    if (r < 0)
        return -1;
    return r && other.id != u->id ? slack_fail(c, "email_taken") : 0;
}

static int users_profile_set(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *key = param_str(c, "user"), *name = param_str(c, "name");
    const char *value = param_str(c, "value");
    struct chat_user u = me->user;
    const struct json *profile;
    if (key && *key && strcmp(key, u.key) != 0) {
        int r = sl_user_find(c, key, &u);
        if (r < 0)
            return -1;
        if (r && u.bot && me->user.role > CHAT_COOWNER)
            return slack_fail(c, "not_app_admin");
        if (me->user.role > CHAT_ADMIN)
            return slack_fail(c, "not_admin");
        if (!r)
            return slack_fail(c, "user_not_found");
    }
    const struct chat_user before = u;
    int r = slack_value(c, "profile", &profile);
    if (r < 0 || (!r && (!name || !value)))
        return r < 0 ? -1 : slack_fail(c, "invalid_profile");
    struct json_member one = {0};
    const struct json small = {.type = JSON_OBJECT, .n = 1, .members = &one};
    if (!r) { /* name and value are a profile of one member */
        one.key = name;
        one.key_len = (uint32_t)strlen(name);
        one.value = (struct json){.type = JSON_STRING, .str = value, .n = (uint32_t)strlen(value)};
        profile = &small;
    }
    if (check_new_status(c, profile) < 0)
        return -1;
    begin_status(c, &u, profile);
    for (uint32_t i = 0; i < profile->n; i++)
        if (set_member(c, &u, profile->members[i].key, &profile->members[i].value) < 0)
            return -1;
    if (*u.status_text && !*u.status_emoji)
        u.status_emoji = ":speech_balloon:";
    if (check_profile(c, &before, &u) < 0)
        return -1;
    bool fields = profile->n == 1 && json_get(profile, "fields");
    if (chat_user_save(&c->tx, &u, what_changed(&before, &u, fields)) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "username", u.name);
    sl_write_profile(c, "profile", &u, false, SL_PROFILE_FIELDS);
    slack_close(c);
    return 0;
}

static int users_identity(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    slack_open(c);
    json_obj(c->out, "user");
    json_str(c->out, "name", me->user.real_name);
    json_str(c->out, "id", me->user.key);
    if (me->user.email && slack_has_scope(c, "identity.email"))
        json_str(c->out, "email", me->user.email);
    if (slack_has_scope(c, "identity.avatar"))
        sl_write_pictures(c, &me->user);
    json_end(c->out);
    json_obj(c->out, "team");
    if (slack_has_scope(c, "identity.team"))
        json_str(c->out, "name", me->workspace.name);
    json_str(c->out, "id", me->workspace.key);
    json_end(c->out);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param users_list_params[] = {
    SL_ARG("cursor"), SL_ARG("include_locale", SL_FLAG), SL_ARG("limit", SL_WHOLE(0, 1000)),
    SL_ARG("team_id")};
static const struct param users_info_params[] = {SL_ARG("user"), SL_ARG("users", SL_LIST),
                                                 SL_ARG("include_locale", SL_FLAG)};
static const struct param users_email_params[] = {SL_NEEDED("email")};
static const struct param users_presence_params[] = {SL_ARG("user")};
static const struct param users_set_presence_params[] = {
    SL_NEEDED("presence", SL_WORDS("auto", "away"), .fault = "invalid_presence")};
static const struct param users_profile_params[] = {SL_ARG("user"),
                                                    SL_ARG("include_labels", SL_FLAG)};
static const struct param users_profile_set_params[] = {
    SL_ARG("name", .summary = "Name of one member of the profile, with value"),
    SL_ARG("profile", SL_OBJECT, .fault = "invalid_profile",
           .summary = "Members of the profile to set, as an object in JSON"),
    SL_ARG("user"), SL_ARG("value")};

static const struct route methods[] = {
    {SL_METHOD("users.getPresence"), .handler = users_get_presence, .risk = RISK_READ,
     .accepts = slack_form_only, .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = "users:read",
     PARAMS(users_presence_params), .rate = SLACK_TIER_3, .summary = "Whether somebody is there"},
    {SL_METHOD("users.identity"), .handler = users_identity, .risk = RISK_READ,
     .accepts = slack_form_only, .token_kinds = TOKEN_USER,
     .scopes = "identity.basic identity:read", .rate = SLACK_TIER_3,
     .summary = "Who has signed in"},
    {SL_METHOD("users.info"), .handler = users_info, .risk = RISK_READ, .accepts = slack_form_only,
     .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = "users:read", PARAMS(users_info_params),
     .rate = SLACK_TIER_4, .summary = "Somebody"},
    {SL_METHOD("users.list"), .handler = users_list, .risk = RISK_READ, .accepts = slack_form_only,
     .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = "users:read", PARAMS(users_list_params),
     .rate = SLACK_TIER_2, .summary = "Everybody in the workspace"},
    {SL_METHOD("users.lookupByEmail"), .handler = users_look_up, .risk = RISK_READ,
     .accepts = slack_form_only, .token_kinds = TOKEN_USER | TOKEN_BOT,
     .scopes = "users:read.email", PARAMS(users_email_params), .rate = SLACK_TIER_3,
     .summary = "Who has an address"},
    {SL_METHOD("users.profile.get"), .handler = users_profile_get, .risk = RISK_READ,
     .accepts = slack_form_only, .token_kinds = TOKEN_USER | TOKEN_BOT,
     .scopes = "users.profile:read", PARAMS(users_profile_params), .rate = SLACK_TIER_4,
     .summary = "Somebody's profile, with custom fields"},
    {SL_METHOD("users.profile.set"), .handler = users_profile_set, .risk = RISK_WRITE,
     .idempotent = true, .token_kinds = TOKEN_USER, .scopes = "users.profile:write",
     PARAMS(users_profile_set_params), .rate = SLACK_TIER_3, .summary = "Change the own profile"},
    {SL_METHOD("users.setActive"), .handler = users_set_active, .risk = RISK_WRITE,
     .idempotent = true, .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = "users:write",
     .rate = SLACK_TIER_2, .summary = "Be there"},
    {SL_METHOD("users.setPresence"), .handler = users_set_presence, .risk = RISK_WRITE,
     .idempotent = true, .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = "users:write",
     PARAMS(users_set_presence_params), .rate = SLACK_TIER_2,
     .summary = "Be away, or as it happens"},
};

const struct rows sl_users = ROWS(methods);
