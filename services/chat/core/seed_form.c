/* SPDX-License-Identifier: Apache-2.0 */
/* The members that workspaces, their people, channels and messages have in seed documents, how they
 * are read and written. */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/json/bytes.h"
#include "engine/state/own.h"
#include "services/chat/core/form.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/team.h"

#define SECOND "{\"type\":[\"integer\",\"string\",\"null\"]}" /* since 1970, or a time */
#define ABOUT                                                                                      \
    "{\"type\":[\"string\",\"object\",\"null\"],\"properties\":{\"text\":{\"type\":\"string\"},"   \
    "\"by\":{\"type\":\"string\"},\"set\":" SECOND "}}"

/* ---- workspaces ---- */

static int read_user_key(const struct form_in *in, const struct member *m, void *row)
{
    const struct chat_user *u = row;
    return chat_doc_new_key(in->d, in->value, chat_vendor_of(in->tx, u->workspace), CHAT_THING_USER,
                            member_place(m, row));
}

/* The member itself is read before the others: they follow from it where they are absent. */
static int read_before(const struct form_in *in, const struct member *m, void *row)
{
    (void)in;
    (void)m;
    (void)row;
    return 0;
}

static int write_actor(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_user *u = row;
    struct actor actor;
    int r = actor_by_id(out->tx, u->actor, &actor);
    if (r == 1)
        json_str(out->w, m->name, actor.handle);
    return r < 0 ? -1 : 0;
}

/* A picture in base64. */
static int read_photo(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_user *u = row;
    const char *base64, *data;
    size_t len;
    if (doc_str(in->d, in->value, m->name, false, &base64) < 0)
        return -1;
    if (!base64)
        return 0;
    if (doc_base64(in->d, in->value, m->name, base64, &data, &len) < 0)
        return -1;
    return len ? blob_put(in->tx, data, len, &u->photo)
               : doc_fail(in->d, json_get(in->value, m->name), m->name, "is not base64");
}

static int write_photo(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_user *u = row;
    const char *data;
    size_t len;
    if (!u->photo)
        return 0;
    if (blob_load(out->tx, u->photo, &data, &len) < 0)
        return -1;
    json_base64(out->w, m->name, data, len);
    return 0;
}

static const struct member status_members[] = {
    {"text", "What it says", TEXT_AT(struct chat_user, status_text), .usual_text = "",
     .flags = MEMBER_ALWAYS},
    {"emoji", "The emoji before it", TEXT_AT(struct chat_user, status_emoji), .usual_text = "",
     .flags = MEMBER_ALWAYS},
    {"expires", "When it ends", CHAT_SECOND_AT(struct chat_user, status_expires_s)},
};
static const struct form status_form = FORM("A person's status", status_members);

static const char *const presences[] = {"auto", "away", NULL};
static const struct member member_members[] = {
    {"actor", "Who: an address or a handle", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED, .read = read_before, .write = write_actor},
    {"id", "Made up without it", .read = read_user_key, TEXT_AT(struct chat_user, key)},
    {"name", "What follows an @; from the address without it", TEXT_AT(struct chat_user, name),
     .flags = MEMBER_ALWAYS},
    {"real_name", "The name; the actor's without it", TEXT_AT(struct chat_user, real_name),
     .flags = MEMBER_ALWAYS},
    {"display_name", "What is shown", TEXT_AT(struct chat_user, display_name), .usual_text = ""},
    {"title", "What they do", TEXT_AT(struct chat_user, title), .usual_text = ""},
    {"phone", "A telephone number", TEXT_AT(struct chat_user, phone), .usual_text = ""},
    {"email", "An address; the actor's without it", TEXT_AT(struct chat_user, email)},
    {"pronouns", "Pronouns", TEXT_AT(struct chat_user, pronouns), .usual_text = ""},
    {"zone", "A time zone; the actor's without it", ZONE_AT(struct chat_user, zone),
     .flags = MEMBER_ALWAYS},
    {"locale", "A language; the actor's without it", TEXT_AT(struct chat_user, locale),
     .flags = MEMBER_ALWAYS},
    {"role", "What they may do", ENUM_AT(struct chat_user, role, chat_roles), .usual = CHAT_MEMBER},
    {"status", "What they say of themselves now", OBJECT_HERE(&status_form)},
    {"presence", "Whether they are there", WORD_AT(struct chat_user, presence, presences),
     .usual_text = "auto"},
    {"color", "Hexadecimal digits", TEXT_AT(struct chat_user, color)},
    {"active", "They are at a device now", BOOL_AT(struct chat_user, active),
     .flags = MEMBER_ALWAYS},
    {"fields", "Values of custom fields", KEPT_AT(struct chat_user, fields, JSON_OBJECT)},
    {"photo", "A picture in base64", .kind = MEMBER_OWN, .noun = "text", .read = read_photo,
     .write = write_photo},
    {"deleted", "Deactivated", BOOL_AT(struct chat_user, deleted)},
    {"updated", "When this was changed", CHAT_SECOND_AT(struct chat_user, updated_s),
     .flags = MEMBER_ALWAYS},
};
const struct form chat_user_form = FORM("Somebody in a workspace", member_members);

/* Behind the vendor, which says what ids are like. */
static int read_workspace_key(const struct form_in *in, const struct member *m, void *row)
{
    const struct chat_workspace *w = row;
    return chat_doc_new_key(in->d, in->value, chat_vendor_named(in->tx, w->vendor),
                            CHAT_THING_WORKSPACE, member_place(m, row));
}

static const char *const plans[] = {"free", "standard", "plus", NULL};
static const struct member workspace_members[] = {
    {"id", "Made up without it", .read = read_workspace_key, TEXT_AT(struct chat_workspace, key)},
    {"domain", "Its name in addresses", TEXT_AT(struct chat_workspace, domain),
     .flags = MEMBER_REQUIRED | MEMBER_ALWAYS},
    {"name", "Its name; the domain without it", TEXT_AT(struct chat_workspace, name),
     .flags = MEMBER_ALWAYS},
    {"email_domain", "The domain of those who may join",
     TEXT_AT(struct chat_workspace, email_domain), .usual_text = ""},
    {"plan", "What is paid for", WORD_AT(struct chat_workspace, plan, plans),
     .usual_text = "standard"},
    {"vendor", "Whose rules hold in it, where there are several vendors",
     TEXT_AT(struct chat_workspace, vendor), .usual_text = ""},
    {"created", "When it was made", CHAT_SECOND_AT(struct chat_workspace, created_s),
     .flags = MEMBER_ALWAYS},
    {"settings", "Preferences that refuse what they forbid",
     KEPT_AT(struct chat_workspace, setting, JSON_OBJECT), .usual_text = "{}"},
    OWN_LIST("members", "Who is in it; everybody of the world without it", &chat_user_form),
    OWN("apps", "Those that are installed, as the vendor has them", "list"),
};
const struct form chat_workspace_form = FORM("A workspace", workspace_members);

/* ---- channels ---- */

/* Up to where somebody has read: a ts, or a time. Absent: it stays. */
static int read_up_to(const struct form_in *in, const struct member *m, void *row)
{
    int64_t us = member_number(m, row);
    const char *text;
    if (doc_str(in->d, in->value, m->name, false, &text) < 0)
        return -1;
    if (text && chat_ts_read(text, &us) < 0 &&
        chat_doc_time(in->d, in->value, m->name, "UTC", &us) < 0)
        return -1;
    if (us < 0 || us > CHAT_LAST_INSTANT)
        return doc_fail(in->d, json_get(in->value, m->name), m->name, CHAT_OUT_OF_TIME);
    member_put_number(m, row, us);
    return 0;
}

#define READ_UP_TO(type, field)                                                                    \
    .kind = MEMBER_INT, .noun = "ts of a message or time", .read = read_up_to,                     \
    .write = chat_write_ts, MEMBER_TYPED(type, field, int64_t)
static const struct member who_members[] = {
    {"user", "Who", TEXT_AT(struct chat_who, user), .flags = MEMBER_REQUIRED},
    {"read", "Up to where they have read: a message's or another time",
     READ_UP_TO(struct chat_who, read_us)},
    {"open", "They have it open", BOOL_AT(struct chat_who, open), .usual = true},
    {"joined", "When they came in", CHAT_SECOND_AT(struct chat_who, joined_s),
     .flags = MEMBER_ALWAYS},
    {"role", "What they may do", ENUM_AT(struct chat_who, part, chat_parts),
     .usual = CHAT_PART_MEMBER},
};
const struct form chat_who_form = FORM("A member of a channel", who_members);

static int read_channel_key(const struct form_in *in, const struct member *m, void *row)
{
    const struct chat_channel *ch = row;
    return chat_doc_new_key(in->d, in->value, chat_vendor_of(in->tx, ch->workspace),
                            CHAT_THING_CHANNEL, member_place(m, row));
}

static int read_channel_team(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_channel *ch = row;
    (void)m;
    return chat_doc_team(in->tx, in->d, in->value, ch->workspace, &ch->team);
}

static int write_channel_team(const struct form_out *out, const struct member *m, const void *row)
{
    (void)m;
    return chat_dump_team(out->tx, out->w, ((const struct chat_channel *)row)->team);
}

/* Direct ones have none, and those of groups need none. */
static int read_channel_name(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_channel *ch = row;
    return doc_str(in->d, in->value, m->name, ch->kind < CHAT_DIRECT, &ch->name);
}

/* ret_by, ret_s: of the channel where the document does not say them. */
static int read_about(const struct form_in *in, const struct member *m,
                      const struct chat_channel *ch, const char **ret, int64_t *ret_by,
                      int64_t *ret_s)
{
    static const char *const members[] = {"text", "by", "set", NULL};
    const struct json *about = json_get(in->value, m->name);
    struct chat_user by = {.id = ch->creator};
    struct doc *d = in->d;
    if (!about)
        return 0;
    *ret_s = ch->created_s;
    if (about->type == JSON_STRING) {
        *ret = about->str;
    } else {
        size_t mark = doc_push(d, m->name, -1);
        *ret = NULL;
        if (doc_object(d, about, members) < 0 || doc_str(d, about, "text", false, ret) < 0 ||
            chat_doc_user(in->tx, d, about, "by", ch->workspace, &by) < 0 ||
            chat_doc_second(d, about, "set", *ret_s, ret_s) < 0)
            return -1;
        if (!*ret) /* one that was cleared is empty */
            return doc_fail(d, about, "text", "is missing");
        doc_pop(d, mark);
    }
    *ret_by = by.id;
    return 0;
}

static int write_about(const struct form_out *out, const struct member *m, const char *text,
                       int64_t by, int64_t set_s)
{
    if (!*text && !set_s)
        return 0;
    json_obj(out->w, m->name);
    json_str(out->w, "text", text);
    int rc = chat_dump_user(out->tx, out->w, "by", by);
    json_int(out->w, "set", set_s);
    json_end(out->w);
    return rc;
}

int chat_channel_about(const struct form_in *in, struct chat_channel *ch)
{
    static const struct member topic = {.name = "topic"}, purpose = {.name = "purpose"};
    return read_about(in, &topic, ch, &ch->topic, &ch->topic_by, &ch->topic_s) < 0 ||
                   read_about(in, &purpose, ch, &ch->purpose, &ch->purpose_by, &ch->purpose_s) < 0
               ? -1
               : 0;
}

static int write_topic(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_channel *ch = row;
    return write_about(out, m, ch->topic, ch->topic_by, ch->topic_s);
}

static int write_purpose(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_channel *ch = row;
    return write_about(out, m, ch->purpose, ch->purpose_by, ch->purpose_s);
}

static const struct member channel_members[] = {
    CHAT_WORKSPACE,
    {"id", "Made up without it", .read = read_channel_key, TEXT_AT(struct chat_channel, key)},
    {"team", "Of vendors that have such: whose it is", .kind = MEMBER_OWN, .noun = "text",
     .read = read_channel_team, .write = write_channel_team},
    {"kind", "What it is", ENUM_AT(struct chat_channel, kind, chat_kinds)},
    {"name", "Of all but direct ones and those of groups", .read = read_channel_name,
     TEXT_AT(struct chat_channel, name)},
    {"topic", "Its topic: a text, or text, by and set", .kind = MEMBER_OWN,
     .noun = "text, or an object", .schema = ABOUT, .write = write_topic},
    {"purpose", "Its purpose, likewise", .kind = MEMBER_OWN, .noun = "text, or an object",
     .schema = ABOUT, .write = write_purpose},
    {"creator", "Who made it", CHAT_USER_AT(struct chat_channel, creator)},
    {"created", "When it was made", CHAT_SECOND_AT(struct chat_channel, created_s),
     .flags = MEMBER_ALWAYS},
    {"general", "Everybody but guests and bots is in it", BOOL_AT(struct chat_channel, general)},
    {"archived", "It is archived", BOOL_AT(struct chat_channel, archived)},
    {"posting", "Who may post in it", WORD_AT(struct chat_channel, posting, chat_postings),
     .usual_text = "all"},
    {"previous_names", "Names that it had",
     KEPT_AT(struct chat_channel, previous_names, JSON_ARRAY), .usual_text = "[]"},
    {"properties", "What the vendor keeps with it",
     KEPT_AT(struct chat_channel, properties, JSON_OBJECT)},
    {"updated_us", "When it was changed, in microseconds",
     INT_AT(struct chat_channel, updated_us, 0, CHAT_LAST_INSTANT), .flags = MEMBER_ALWAYS},
    OWN_TYPED("members", "Who is in it: names, or objects", "list",
              "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":[\"string\",\"object\"]}}"),
    OWN("read", "Up to where all its members have read", "text"),
};
const struct form chat_channel_form = FORM("A channel, or a direct conversation", channel_members);

/* ---- messages ---- */

/* Whose zone the time of the message is in. */
static int read_from(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_post_row *post = row;
    if (chat_doc_user(in->tx, in->d, in->value, m->name, post->workspace, &post->from) < 0)
        return -1;
    post->m.user = post->from.id;
    return 0;
}

/* The flags of a message of which a document says none: what was typed has blocks that are made of
 * its text where it is shown. */
static int64_t usual_flags(const struct chat_message *m)
{
    return m->subtype ? CHAT_SYSTEM : *m->text && !m->blocks ? CHAT_MADE_BLOCKS : 0;
}

static int read_flags(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_post_row *post = row;
    return doc_int(in->d, in->value, m->name, 0, 127, usual_flags(&post->m), &post->m.flags);
}

static int write_flags(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_post_row *post = row;
    if (post->m.flags != usual_flags(&post->m))
        json_int(out->w, m->name, post->m.flags);
    return 0;
}

/* One of the flags; dumps have them all. */
static int read_broadcast(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_post_row *post = row;
    bool broadcast;
    if (doc_bool(in->d, in->value, m->name, false, &broadcast) < 0)
        return -1;
    if (broadcast)
        post->m.flags |= CHAT_BROADCAST;
    return 0;
}

static int read_edited(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_post_row *post = row;
    const char *text;
    if (doc_str(in->d, in->value, m->name, false, &text) < 0)
        return -1;
    return text && (chat_ts_read(text, &post->m.edited_us) < 0 ||
                    post->m.edited_us > CHAT_LAST_INSTANT)
               ? doc_fail(in->d, in->value, m->name, "\"%.40s\" is not a time of a message", text)
               : 0;
}

/* Dumps have it behind what else is known of the message. */
static int write_behind(const struct form_out *out, const struct member *m, const void *row)
{
    (void)out;
    (void)m;
    (void)row;
    return 0;
}

static const struct member post_members[] = {
    {"from", "Who: an id, an actor or a user name", .ref = &chat_user_reference, .kind = MEMBER_REF,
     .read = read_from, .write = chat_write_user,
     MEMBER_TYPED(struct chat_post_row, m.user, int64_t)},
    {"app", "The client id of the app through which it came",
     CHAT_APP_AT(struct chat_post_row, m.app)},
    {"subtype", "What the system notes", TEXT_AT(struct chat_post_row, m.subtype)},
    {"text", "What it says", TEXT_AT(struct chat_post_row, m.text), .usual_text = "",
     .flags = MEMBER_ALWAYS},
    {"blocks", "Its layout, as the vendor's API has it",
     KEPT_AT(struct chat_post_row, m.blocks, JSON_ARRAY)},
    {"attachments", "Attachments, as the vendor's API has them",
     KEPT_AT(struct chat_post_row, m.attachments, JSON_ARRAY)},
    {"metadata", "Its metadata, as the API has it",
     KEPT_AT(struct chat_post_row, m.metadata, JSON_OBJECT)},
    {"extra", "What else the API shows of it", KEPT_AT(struct chat_post_row, m.extra, JSON_OBJECT)},
    {"client", "What its program called it", TEXT_AT(struct chat_post_row, m.client)},
    {"format", "Of vendors that have several: how its text is written",
     TEXT_AT(struct chat_post_row, m.format)},
    {"subject", "Of vendors that have such", TEXT_AT(struct chat_post_row, m.subject)},
    {"importance", "How important it is",
     ENUM_AT(struct chat_post_row, m.importance, chat_importances), .usual = CHAT_NORMAL},
    {"flags", "What the core knows of it, as dumps have it", .kind = MEMBER_INT, .max = 127,
     .read = read_flags, .write = write_flags,
     MEMBER_TYPED(struct chat_post_row, m.flags, int64_t)},
    {"broadcast", "A reply that the channel shows, too", .kind = MEMBER_OWN,
     .noun = "true or false", .read = read_broadcast},
    {"edited", "When it was changed", .kind = MEMBER_INT, .noun = "ts of a message",
     .read = read_edited, .write = chat_write_ts,
     MEMBER_TYPED(struct chat_post_row, m.edited_us, int64_t)},
    {"editor", "Who changed it", .kind = MEMBER_REF, .ref = &chat_user_reference,
     .read = chat_read_user, .write = write_behind,
     MEMBER_TYPED(struct chat_post_row, m.editor, int64_t)},
    {"files", "The ids of its files", KEPT_AT(struct chat_post_row, m.files, JSON_ARRAY)},
};
const struct form chat_post_form = FORM("What a message is", post_members);

static const struct member message_members[] = {
    OWN("workspace", "Its id or domain; else the first one", "text"),
    OWN("channel", "The channel, by its id or name; replies have that of the message", "text"),
    OWN("at", "When", "time"),
    OWN("ts", "The same as the vendor writes it", "text"),
    OWN("thread", "The time of the message that it answers", "text"),
    PART(&chat_post_form),
    OWN_LIST("reactions", "Reactions", &chat_reaction_form),
    OWN_TYPED("replies", "What answers it", "list",
              "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"object\"}}"),
    OWN("pinned", "Who pinned it", "text"),
    OWN_TYPED("pinned_at", "When it was pinned", "second", SECOND),
    OWN("mentions", "Who is mentioned in it, of vendors that have them beside the text", "list"),
    OWN("driveFiles", "Files of a drive, likewise", "list"),
};
const struct form chat_message_form = FORM("A message", message_members);
