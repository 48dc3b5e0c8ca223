/* SPDX-License-Identifier: Apache-2.0 */
/* People and bots as Slack shows them. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/chat/slack/web/emoji.h"
#include "services/chat/slack/sl.h"

/* What Slack calls a zone, in the season of the abbreviation that the zone has then: long English
 * names, as those of Unicode's CLDR. Others are called by their abbreviation. */
static const char *zone_label(struct call *c, const char *zone, const struct tz_range *at)
{
    static const struct {
        const char *abbreviation, *prefix, *name; /* prefix: of the zone */
    } names[] = {
        {"PST", "Asia/", "Philippine Standard Time"},
        {"PST", "", "Pacific Standard Time"},
        {"PDT", "", "Pacific Daylight Time"},
        {"MST", "", "Mountain Standard Time"},
        {"MDT", "", "Mountain Daylight Time"},
        {"CST", "America/Havana", "Cuba Standard Time"},
        {"CDT", "America/Havana", "Cuba Daylight Time"},
        {"CST", "America/", "Central Standard Time"},
        {"CDT", "America/", "Central Daylight Time"},
        {"CST", "Asia/Taipei", "Taipei Standard Time"},
        {"CST", "Asia/", "China Standard Time"},
        {"EST", "", "Eastern Standard Time"},
        {"EDT", "", "Eastern Daylight Time"},
        {"AST", "", "Atlantic Standard Time"},
        {"ADT", "", "Atlantic Daylight Time"},
        {"NST", "", "Newfoundland Standard Time"},
        {"NDT", "", "Newfoundland Daylight Time"},
        {"AKST", "", "Alaska Standard Time"},
        {"AKDT", "", "Alaska Daylight Time"},
        {"HST", "", "Hawaii-Aleutian Standard Time"},
        {"IST", "Europe/Dublin", "Irish Standard Time"},
        {"IST", "Asia/Jerusalem", "Israel Standard Time"},
        {"IDT", "", "Israel Daylight Time"},
        {"IST", "Asia/", "India Standard Time"},
        {"GMT", "", "Greenwich Mean Time"},
        {"BST", "", "British Summer Time"},
        {"WET", "", "Western European Time"},
        {"WEST", "", "Western European Summer Time"},
        {"CET", "", "Central European Time"},
        {"CEST", "", "Central European Summer Time"},
        {"EET", "", "Eastern European Time"},
        {"EEST", "", "Eastern European Summer Time"},
        {"MSK", "", "Moscow Time"},
        {"WAT", "", "West Africa Time"},
        {"CAT", "", "Central Africa Time"},
        {"EAT", "", "East Africa Time"},
        {"SAST", "", "South Africa Standard Time"},
        {"JST", "", "Japan Standard Time"},
        {"KST", "", "Korean Standard Time"},
        {"HKT", "", "Hong Kong Standard Time"},
        {"PKT", "", "Pakistan Standard Time"},
        {"AWST", "", "Australian Western Standard Time"},
        {"ACST", "", "Australian Central Standard Time"},
        {"ACDT", "", "Australian Central Daylight Time"},
        {"AEST", "", "Australian Eastern Standard Time"},
        {"AEDT", "", "Australian Eastern Daylight Time"},
        {"NZST", "", "New Zealand Standard Time"},
        {"NZDT", "", "New Zealand Daylight Time"},
        {"+08", "Asia/Singapore", "Singapore Standard Time"},
        {"+04", "Asia/Dubai", "Gulf Standard Time"},
        {"-03", "America/Sao_Paulo", "Brasilia Standard Time"},
        {"-03", "America/Argentina/", "Argentina Standard Time"},
        {"UTC", "", "Coordinated Universal Time"},
    };
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strcmp(at->abbreviation, names[i].abbreviation) == 0 &&
            str_starts(zone, names[i].prefix))
            return names[i].name;
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

/* Slackbot's own, the same everywhere. */
static void write_slackbot(struct call *c)
{
    static const char *const sizes[] = {"24", "32", "48", "72"};
    const char *at = "https://a.slack-edge.com/80588/";
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++)
        json_str(c->out, arena_printf(c->tx.arena, "image_%s", sizes[i]),
                 arena_printf(c->tx.arena, "%simg/slackbot_%s.png", at, sizes[i]));
    json_str(c->out, "image_192",
             arena_printf(c->tx.arena, "%smarketing/img/avatars/slackbot/avatar-slackbot.png", at));
    json_str(c->out, "image_512", arena_printf(c->tx.arena, "%simg/slackbot_512.png", at));
}

/* What stands for a picture where somebody has none of his own: 32 digits, as of an address. */
static void write_gravatar(struct call *c, const struct chat_user *u)
{
    uint64_t a = chat_hash(u->key), b = chat_hash(u->name);
    if (strcmp(u->key, SLACKBOT) == 0)
        write_slackbot(c);
    else
        write_images(c, arena_printf(c->tx.arena, "%016llx%016llx", (unsigned long long)a,
                                     (unsigned long long)(b ^ (a << 1))));
}

/* The short name of that. */
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
        write_gravatar(c, u);
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

/* ":palm_tree:" as pictures are found; of the workspace's own no address is known here. */
static void write_status_emoji(struct call *c, const char *emoji)
{
    struct json_writer *w = c->out;
    size_t n = *emoji == ':' ? strcspn(emoji + 1, ":") : 0;
    const struct sl_emoji *known = sl_emoji_named(emoji + (n > 0), n);
    char code[SL_EMOJI_CODE];
    json_arr(w, "status_emoji_display_info");
    if (n) {
        json_obj(w, NULL);
        json_strn(w, "emoji_name", emoji + 1, n);
        if (known && known->code) {
            sl_emoji_code(known, 0, code);
            json_str(w, "display_url",
                     arena_printf(c->tx.arena,
                                  "https://a.slack-edge.com/production-standard-emoji-assets/14.0/"
                                  "apple-large/%s.png",
                                  code));
            json_str(w, "unicode", code);
        }
        json_end(w);
    }
    json_end(w);
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
    const char *fields = u->fields && !(parts & SL_NO_FIELDS) ? u->fields : "{}";
    if (parts & (SL_PROFILE_FIELDS | SL_NO_FIELDS))
        json_raw(w, "fields", fields, strlen(fields));
    json_str(w, "status_text", over ? "" : u->status_text);
    json_str(w, "status_emoji", over ? "" : u->status_emoji);
    write_status_emoji(c, over ? "" : u->status_emoji);
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
        write_gravatar(c, u);
    }
    json_str(w, "status_text_canonical", "");
    if (team)
        json_str(w, "team", sl_team_of(c, u));
    json_end(w);
}

/* Administrators themselves: their apps' bots don't. */
static bool may_see_security(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    return me->user.id && !me->is_bot && me->user.role <= CHAT_ADMIN;
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
        if (!u->bot && u->actor && may_see_security(c))
            json_bool(w, "has_2fa", false);
        if (parts & SL_USER_LOCALE)
            json_str(w, "locale", u->locale);
    }
    json_end(w);
}

const char *sl_presence(const struct chat_user *u)
{
    return u->active && strcmp(u->presence, "away") != 0 ? "active" : "away";
}
