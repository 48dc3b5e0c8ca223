/* SPDX-License-Identifier: Apache-2.0 */
/* The members that workspaces, their people, channels and messages have in seed documents. */
#include "engine/state/own.h"
#include "services/chat/core/impl.h"

#define SECOND "{\"type\":[\"integer\",\"string\",\"null\"]}" /* since 1970, or a time */
#define ABOUT                                                                                      \
    "{\"type\":[\"string\",\"object\",\"null\"],\"properties\":{\"text\":{\"type\":\"string\"},"   \
    "\"by\":{\"type\":\"string\"},\"set\":" SECOND "}}"

/* ---- workspaces ---- */

static const struct member member_members[] = {
    OWN_NEEDED("actor", "Who: an address or a handle"),
    OWN("id", "Made up without it", "text"),
    OWN("name", "What follows an @; from the address without it", "text"),
    OWN("real_name", "The name; the actor's without it", "text"),
    OWN("display_name", "What is shown", "text"),
    OWN("title", "What they do", "text"),
    OWN("phone", "A telephone number", "text"),
    OWN("email", "An address; the actor's without it", "text"),
    OWN("pronouns", "Pronouns", "text"),
    OWN("zone", "A time zone; the actor's without it", "text"),
    OWN("locale", "A language; the actor's without it", "text"),
    OWN_TYPED("role", "What they may do", "text",
              "{\"enum\":[\"owner\",\"coowner\",\"admin\",\"member\",\"guest\",\"channel_guest\","
              "null]}"),
    OWN_TYPED("status", "text, emoji and expires of their status", "object",
              "{\"type\":[\"object\",\"null\"],\"additionalProperties\":false,\"properties\":{"
              "\"text\":{\"type\":\"string\"},\"emoji\":{\"type\":\"string\"},\"expires\":" SECOND
              "}}"),
    OWN_TYPED("presence", "Whether they are there", "text", "{\"enum\":[\"auto\",\"away\",null]}"),
    OWN("color", "Hexadecimal digits", "text"),
    OWN("active", "They are at a device now", "true or false"),
    OWN_TYPED("fields", "Values of custom fields", "object", OWN_OBJECT),
    OWN("deleted", "Deactivated", "true or false"),
    OWN_TYPED("updated", "When this was changed", "second", SECOND),
    OWN("photo", "A picture in base64", "text"),
};
const struct form chat_user_form = FORM("Somebody in a workspace", member_members);

static const struct member workspace_members[] = {
    OWN("id", "Made up without it", "text"),
    OWN_NEEDED("domain", "Its name in addresses"),
    OWN("name", "Its name; the domain without it", "text"),
    OWN("email_domain", "The domain of those who may join", "text"),
    OWN_TYPED("plan", "What is paid for", "text",
              "{\"enum\":[\"free\",\"standard\",\"plus\",null]}"),
    OWN_TYPED("created", "When it was made", "second", SECOND),
    OWN_TYPED("settings", "Preferences that refuse what they forbid", "object", OWN_OBJECT),
    OWN_LIST("members", "Who is in it; everybody of the world without it", &chat_user_form),
    OWN("apps", "Those that are installed, as the vendor has them", "list"),
    OWN("vendor", "Whose rules hold in it, where there are several vendors", "text"),
};
const struct form chat_workspace_form = FORM("A workspace", workspace_members);

/* ---- channels ---- */

static const struct member who_members[] = {
    OWN_NEEDED("user", "Who"),
    OWN("read", "Up to where they have read: a message's or another time", "text"),
    OWN("open", "They have it open", "true or false"),
    OWN_TYPED("joined", "When they came in", "second", SECOND),
    OWN_TYPED("role", "What they may do", "text",
              "{\"enum\":[\"member\",\"owner\",\"guest\",null]}"),
};
const struct form chat_who_form = FORM("A member of a channel", who_members);

static const struct member channel_members[] = {
    OWN("workspace", "Its id or domain; else the first one", "text"),
    OWN("id", "Made up without it", "text"),
    OWN("name", "Of all but direct ones and those of groups", "text"),
    OWN_TYPED("kind", "What it is", "text",
              "{\"enum\":[\"public\",\"private\",\"direct\",\"group\",null]}"),
    OWN_TYPED("topic", "Its topic: a text, or text, by and set", "text, or an object", ABOUT),
    OWN_TYPED("purpose", "Its purpose, likewise", "text, or an object", ABOUT),
    OWN("creator", "Who made it", "text"),
    OWN_TYPED("created", "When it was made", "second", SECOND),
    OWN_TYPED("members", "Who is in it: names, or objects", "list",
              "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":[\"string\",\"object\"]}}"),
    OWN("general", "Everybody but guests and bots is in it", "true or false"),
    OWN("archived", "It is archived", "true or false"),
    OWN("previous_names", "Names that it had", "list"),
    OWN_TYPED("properties", "What the vendor keeps with it", "object", OWN_OBJECT),
    OWN_TYPED("posting", "Who may post in it", "text",
              "{\"enum\":[\"all\",\"read_only\",\"thread_only\",\"no_threads\",null]}"),
    OWN_TYPED("updated_us", "When it was changed, in microseconds", "number", OWN_NUMBER),
    OWN("read", "Up to where all its members have read", "text"),
    OWN("team", "Of vendors that have such: whose it is", "text"),
};
const struct form chat_channel_form = FORM("A channel, or a direct conversation", channel_members);

static const struct member shared_members[] = {
    OWN("workspace", "Its id or domain; else the first one", "text"),
    OWN_NEEDED("channel", "The channel, by its id or name"),
    OWN_NEEDED("with", "The other workspace"),
    OWN("members", "Its people who are in it", "list of texts"),
    OWN("limited", "They don't invite others", "true or false"),
    OWN_TYPED("since", "Since when", "second", SECOND),
};
const struct form chat_shared_form =
    FORM("A channel that another workspace has too", shared_members);

/* ---- messages ---- */

static const struct member reaction_members[] = {
    OWN_NEEDED("name", "The emoji's name"),
    OWN("by", "Who reacted", "list of texts"),
    OWN_TYPED("at", "When each of them did, in seconds", "list",
              "{\"type\":[\"array\",\"integer\",\"string\",\"null\"]}"),
};
const struct form chat_reaction_form = FORM("A reaction", reaction_members);

static const struct member message_members[] = {
    OWN("workspace", "Its id or domain; else the first one", "text"),
    OWN("channel", "The channel, by its id or name; replies have that of the message", "text"),
    OWN("from", "Who: an id, an actor or a user name", "text"),
    OWN("text", "What it says", "text"),
    OWN("at", "When", "time"),
    OWN("ts", "The same as the vendor writes it", "text"),
    OWN("thread", "The time of the message that it answers", "text"),
    OWN("app", "The client id of the app through which it came", "text"),
    OWN("subtype", "What the system notes", "text"),
    OWN("blocks", "Its layout, as the vendor's API has it", "list"),
    OWN_TYPED("metadata", "Its metadata, as the API has it", "object", OWN_OBJECT),
    OWN_TYPED("extra", "What else the API shows of it", "object", OWN_OBJECT),
    OWN("edited", "When it was changed", "text"),
    OWN("editor", "Who changed it", "text"),
    OWN("client", "What its program called it", "text"),
    OWN("broadcast", "A reply that the channel shows, too", "true or false"),
    OWN_LIST("reactions", "Reactions", &chat_reaction_form),
    OWN("attachments", "Attachments, as the vendor's API has them", "list"),
    OWN_TYPED("replies", "What answers it", "list",
              "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"object\"}}"),
    OWN("pinned", "Who pinned it", "text"),
    OWN_TYPED("flags", "What the core knows of it, as dumps have it", "number", OWN_NUMBER),
    OWN("files", "The ids of its files", "list of texts"),
    OWN_TYPED("pinned_at", "When it was pinned", "second", SECOND),
    OWN("format", "Of vendors that have several: how its text is written", "text"),
    OWN("subject", "Of vendors that have such", "text"),
    OWN_TYPED("importance", "How important it is", "text",
              "{\"enum\":[\"normal\",\"high\",\"urgent\",null]}"),
    OWN("mentions", "Who is mentioned in it, of vendors that have them beside the text", "list"),
    OWN("driveFiles", "Files of a drive, likewise", "list"),
};
const struct form chat_message_form = FORM("A message", message_members);
