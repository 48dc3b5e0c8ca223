/* SPDX-License-Identifier: Apache-2.0 */
/* People and bots as Slack shows them. */
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/chat/slack/sl.h"

/* What Slack calls a zone: "Pacific Standard Time". Others are called by their abbreviation. */
static const char *zone_label(struct call *c, const char *zone, const struct tz_range *at)
{
    static const struct {
        const char *prefix, *standard, *summer;
    } names[] = {
        {"America/Los_Angeles", "Pacific Standard Time", "Pacific Daylight Time"},
        {"America/Denver", "Mountain Standard Time", "Mountain Daylight Time"},
        {"America/Chicago", "Central Standard Time", "Central Daylight Time"},
        {"America/New_York", "Eastern Standard Time", "Eastern Daylight Time"},
        {"Europe/London", "Greenwich Mean Time", "British Summer Time"},
        {"Europe/Dublin", "Irish Standard Time", "Irish Standard Time"},
        {"Europe/Athens", "Eastern European Time", "Eastern European Summer Time"},
        {"Europe/Helsinki", "Eastern European Time", "Eastern European Summer Time"},
        {"Europe/", "Central European Time", "Central European Summer Time"},
        {"Asia/Tokyo", "Japan Standard Time", "Japan Standard Time"},
        {"Asia/Kolkata", "India Standard Time", "India Standard Time"},
        {"Asia/Singapore", "Singapore Standard Time", "Singapore Standard Time"},
        {"Australia/Sydney", "Australian Eastern Standard Time",
         "Australian Eastern Daylight Time"},
        {"UTC", "Coordinated Universal Time", "Coordinated Universal Time"},
    };
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strncmp(zone, names[i].prefix, strlen(names[i].prefix)) == 0)
            return at->dst ? names[i].summer : names[i].standard;
    return arena_strdup(c->tx.arena, at->abbreviation);
}

static void write_zone(struct call *c, const struct chat_user *u)
{
    const struct tz *tz = tz_find(u->zone);
    struct tz_range at;
    tz_range(tz ? tz : tz_find("UTC"), c->tx.now_us / US_PER_SECOND, &at);
    json_str(c->out, "tz", u->zone);
    json_str(c->out, "tz_label", zone_label(c, u->zone, &at));
    json_int(c->out, "tz_offset", at.offset);
}

static void write_images(struct call *c, const char *hash)
{
    static const char *const sizes[] = {"24", "32", "48", "72", "192", "512"};
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++)
        json_str(c->out, arena_printf(c->tx.arena, "image_%s", sizes[i]),
                 arena_printf(c->tx.arena,
                              "https://secure.gravatar.com/avatar/%s.jpg?s=%s&d=https%%3A%%2F%%2F"
                              "a.slack-edge.com%%2Fdf10d%%2Fimg%%2Favatars%%2Fava_%04u-%s.png",
                              hash, sizes[i], (unsigned)(chat_hash(hash) >> 32) % 27, sizes[i]));
}

/* What stands for a picture where somebody has none of his own. */
static const char *picture_of(struct call *c, const struct chat_user *u)
{
    return arena_printf(c->tx.arena, "g%011llx", (unsigned long long)(chat_hash(u->key) >> 20));
}

void sl_write_pictures(struct call *c, const struct chat_user *u)
{
    const char *own = sl_photo_hash(c, u);
    if (own)
        sl_write_photos(c, u, own);
    else
        write_images(c, picture_of(c, u));
}

/* First and last name of "Ada Maria Conti". */
static void write_names(struct call *c, const char *real)
{
    const char *blank = strrchr(real, ' ');
    size_t n = blank ? (size_t)(blank - real) : strlen(real);
    json_strn(c->out, "first_name", real, n);
    json_str(c->out, "last_name", blank ? blank + 1 : "");
}

static bool status_ended(const struct call *c, const struct chat_user *u)
{
    return u->status_expires_s && u->status_expires_s <= c->tx.now_us / US_PER_SECOND;
}

void sl_write_profile(struct call *c, const char *key, const struct chat_user *u, bool team,
                      unsigned parts)
{
    struct json_writer *w = c->out;
    const char *hash = picture_of(c, u);
    bool over = status_ended(c, u);
    json_obj(w, key);
    json_str(w, "title", u->title);
    json_str(w, "phone", u->phone);
    json_str(w, "skype", "");
    json_str(w, "real_name", u->real_name);
    json_str(w, "real_name_normalized", u->real_name);
    json_str(w, "display_name", u->display_name);
    json_str(w, "display_name_normalized", u->display_name);
    if (!(parts & SL_PROFILE_FIELDS))
        json_null(w, "fields");
    else
        json_raw(w, "fields", u->fields ? u->fields : "{}", strlen(u->fields ? u->fields : "{}"));
    json_str(w, "status_text", over ? "" : u->status_text);
    json_str(w, "status_emoji", over ? "" : u->status_emoji);
    json_arr(w, "status_emoji_display_info");
    json_end(w);
    json_int(w, "status_expiration", over ? 0 : u->status_expires_s);
    const char *own = sl_photo_hash(c, u);
    json_str(w, "avatar_hash", own ? own : u->actor ? hash : "sv41d8cd98f0");
    if (!u->actor || u->bot)
        json_bool(w, "always_active", !u->actor);
    if (u->bot) {
        struct chat_install i;
        struct chat_app a;
        if (chat_install_by_user(&c->tx, u->id, &i) == 1) {
            json_str(w, "bot_id", i.key);
            if (chat_app_of(&c->tx, i.app, &a) == 1)
                json_str(w, "api_app_id", a.key);
        }
    }
    if (*u->pronouns)
        json_str(w, "pronouns", u->pronouns);
    if (u->email && slack_has_scope(c, "users:read.email"))
        json_str(w, "email", u->email);
    write_names(c, u->real_name);
    if (own) {
        sl_write_photos(c, u, own);
        json_bool(w, "is_custom_image", true);
    } else {
        write_images(c, hash);
    }
    json_str(w, "status_text_canonical", "");
    if (team)
        json_str(w, "team", sl_team_of(c, u));
    json_end(w);
}

void sl_write_user(struct call *c, const char *key, const struct chat_user *u, unsigned parts)
{
    struct json_writer *w = c->out;
    json_obj(w, key);
    json_str(w, "id", u->key);
    json_str(w, "team_id", sl_team_of(c, u));
    json_str(w, "name", u->name);
    json_bool(w, "deleted", u->deleted);
    if (!u->deleted) {
        json_str(w, "color", u->color);
        json_str(w, "real_name", u->real_name);
        write_zone(c, u);
    }
    sl_write_profile(c, "profile", u, true, parts);
    if (!u->deleted) {
        json_bool(w, "is_admin", u->role <= CHAT_ADMIN);
        json_bool(w, "is_owner", u->role <= CHAT_COOWNER);
        json_bool(w, "is_primary_owner", u->role == CHAT_OWNER);
        json_bool(w, "is_restricted", u->role >= CHAT_GUEST);
        json_bool(w, "is_ultra_restricted", u->role == CHAT_CHANNEL_GUEST);
    }
    json_bool(w, "is_bot", u->bot);
    json_bool(w, "is_app_user", false);
    if (u->workspace != sl_me(c)->workspace.id)
        json_bool(w, "is_stranger", true);
    json_int(w, "updated", u->updated_s);
    if (!u->deleted) {
        json_bool(w, "is_email_confirmed", u->email != NULL);
        json_str(w, "who_can_share_contact_card", "EVERYONE");
        if (parts & SL_USER_LOCALE)
            json_str(w, "locale", u->locale);
    }
    json_end(w);
}
