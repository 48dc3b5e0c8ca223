/* SPDX-License-Identifier: Apache-2.0 */
/* The members that shared drives, files and what belongs to them have in seed documents. */
#include "engine/state/own.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/seed_impl.h"

#define TIME_OR_NOT "{\"type\":[\"string\",\"boolean\",\"null\"]}"
#define OF_TEXTS    "{\"type\":[\"object\",\"null\"],\"additionalProperties\":{\"type\":\"string\"}}"

/* ---- who may do what ---- */

static const struct member grant_members[] = {
    OWN("person", "A person's address", "text"),
    OWN("group", "A group's address", "text"),
    OWN("domain", "The domain of an organisation", "text"),
    OWN("anyone", "Who has the link", "true or false"),
    {"role", "What they may do", ENUM_AT(struct drive_grant, role, drive_role_names),
     .usual = ROLE_READER},
    {"found", "Everybody finds it, and not only with the link",
     BOOL_AT(struct drive_grant, discoverable)},
    {"lowers", "It takes away what is granted above; so does the role none",
     BOOL_AT(struct drive_grant, lowers)},
    {"pending", "They are offered to own it", BOOL_AT(struct drive_grant, pending)},
    {"view", "published: of a view of it alone", TEXT_AT(struct drive_grant, view)},
    {"expires", "When it ends by itself", TIME_AT(struct drive_grant, expires_us)},
};
const struct form drive_grant_form = FORM("A permission", grant_members);

static const struct member mine_members[] = {
    OWN("person", "Who", "text"),
    {"starred", "They have marked it", BOOL_AT(struct drive_mine, starred)},
    {"hidden", "They have taken it off their list", BOOL_AT(struct drive_mine, hidden)},
    {"viewed", "When they looked at it", TIME_AT(struct drive_mine, viewed_us)},
    {"modified", "When they changed it", TIME_AT(struct drive_mine, modified_us)},
    OWN_TYPED("shared", "When it came to be shared with them; false: it is not among that",
              "time, or false", TIME_OR_NOT),
    OWN("by", "Who shared it with them", "text"),
};
const struct form drive_mine_form = FORM("What an item is to somebody", mine_members);

/* ---- shared drives ---- */

static const struct member shared_members[] = {
    {"id", "Its id", .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_REQUIRED},
    {"name", "Its name", .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_REQUIRED},
    {"theme", "The theme of its colour and picture", TEXT_AT(struct drive_settings, theme)},
    {"color", "Its colour, #rrggbb", TEXT_AT(struct drive_settings, color)},
    {"background", "Its picture, as the API has it",
     KEPT_AT(struct drive_settings, background, JSON_OBJECT)},
    OWN("created", "When it was made; the world's time without it", "time"),
    OWN("creator", "Who made it", "text"),
    OWN_LIST("members", "Who may do what in it", &drive_grant_form),
    {"adminManaged", "Only administrators change these settings",
     BOOL_AT(struct drive_settings, admin_managed)},
    {"copyWriters", "Only writers may copy, print and download",
     BOOL_AT(struct drive_settings, copy_writers)},
    {"domainOnly", "Only people of its domain", BOOL_AT(struct drive_settings, domain_only)},
    {"membersOnly", "Only its members", BOOL_AT(struct drive_settings, members_only)},
    {"foldersOrganizer", "Only organizers share folders",
     BOOL_AT(struct drive_settings, folders_organizer)},
    {"readersNoDownload", "Readers and commenters don't download",
     BOOL_AT(struct drive_settings, readers_no_download)},
    {"writersNoDownload", "Nor do writers", BOOL_AT(struct drive_settings, writers_no_download)},
    {"request", "The id of the request that made it", TEXT_AT(struct drive_settings, request)},
    OWN_LIST("people", "What it is to somebody", &drive_mine_form),
};
const struct form drive_shared_form = FORM("A shared drive", shared_members);

/* ---- files ---- */

static const struct member revision_members[] = {
    OWN("content", "Its bytes, as a text", "text"),
    OWN("base64", "The same in base64", "text"),
    OWN("modified", "When it was put there", "time"),
    OWN("modifiedBy", "Who put it there", "text"),
    OWN("keep", "It is kept for ever", "true or false"),
};
const struct form drive_revision_form = FORM("An earlier content", revision_members);

static const struct member link_members[] = {
    OWN("token", "What is in its address; made up without it", "text"),
    OWN_TYPED("scope", "Whom it is for", "text",
              "{\"enum\":[\"anonymous\",\"organization\",\"users\",null]}"),
    OWN_TYPED("type", "What it lets them do", "text",
              "{\"enum\":[\"view\",\"edit\",\"embed\",null]}"),
    OWN("users", "People and groups, of the scope users", "list of texts"),
    OWN("expires", "When it ends", "time"),
    OWN("password", "What it asks for", "text"),
    OWN("passwordHash", "The same, as dumps have it", "text"),
    OWN("by", "Who made it; the item's owner without it", "text"),
    OWN("created", "When; as the item without it", "time"),
    OWN("noDownload", "It is for looking alone", "true or false"),
};
const struct form drive_link_form = FORM("A sharing link", link_members);

static const struct member file_members[] = {
    OWN("id", "Made up without it", "text"),
    {"name", "Its name", .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_REQUIRED},
    OWN("type", "file (without it), folder, shortcut, or a kind of document", "text"),
    OWN("mime", "The media type of a file with bytes", "text"),
    OWN("owner", "Whose it is, outside of shared drives", "text"),
    OWN("parent", "The id of a folder or shared drive; \"\": in none; the owner's drive without it",
        "text"),
    OWN("content", "Its bytes as a text; of a document in its format", "text"),
    OWN("base64", "The bytes in base64", "text"),
    OWN_TYPED("model", "The content of a document, as dumps have it", "object", OWN_OBJECT),
    OWN("format", "The media type of a document's content", "text"),
    OWN_LIST("revisions", "Earlier contents, oldest first", &drive_revision_form),
    OWN("created", "When it was made", "time"),
    OWN("modified", "When it was changed", "time"),
    OWN("modifiedBy", "Who changed it; the owner without it", "text"),
    OWN_TYPED("trashed", "It is in the trash; since when", "time, or true", TIME_OR_NOT),
    OWN("trashedBy", "Who put it into the trash", "text"),
    OWN("description", "What it is for", "text"),
    OWN("original", "The name that was uploaded", "text"),
    OWN("extension", "The end of its name; as in its name without it", "text"),
    OWN("color", "Of a folder, #rrggbb", "text"),
    OWN("target", "Of a shortcut: the id of what it leads to", "text"),
    OWN("targetMime", "The media type of that", "text"),
    OWN("resourceKey", "What links have beside the id", "text"),
    OWN("needsKey", "Links need it", "true or false"),
    OWN("limited", "A folder that only those see who are named", "true or false"),
    OWN("copyLimit", "Readers and commenters don't copy, print or download", "true or false"),
    OWN("sharing", "Writers may share it; true without it", "true or false"),
    OWN("abusive", "It was found to be malware", "true or false"),
    OWN("restrictions", "What makes it read-only, as the API has it", "list"),
    OWN_TYPED("downloads", "Who may download it, as the API has it", "object", OWN_OBJECT),
    OWN_TYPED("media", "Width and height of a picture", "object", OWN_OBJECT),
    OWN("indexText", "What search finds in it", "text"),
    OWN_TYPED("properties", "Texts that every app sees", "object of texts", OF_TEXTS),
    OWN_LIST("permissions", "Who may do what", &drive_grant_form),
    OWN_LIST("people", "What it is to somebody", &drive_mine_form),
    OWN("space", "The client id of the app whose own data it is", "text"),
    OWN("app", "The client id of the app that made it", "text"),
    OWN_TYPED("appProperties", "Texts that one app sees, by its client id", "object of objects",
              "{\"type\":[\"object\",\"null\"],\"additionalProperties\":" OF_TEXTS "}"),
    OWN("comments", "What people say about it, oldest first", "list"),
    OWN("keep", "Its content is kept for ever", "true or false"),
    OWN("published", "Of a document: it is on the web", "true or false"),
    OWN("publishAuto", "Later contents are, too", "true or false"),
    OWN("publishOutside", "Also outside of its domain", "true or false"),
    OWN_TYPED("thumbnail", "A picture that its writer gave: mime, base64", "object",
              "{\"type\":[\"object\",\"null\"],\"additionalProperties\":false,"
              "\"required\":[\"mime\",\"base64\"],\"properties\":{\"mime\":{\"type\":"
              "\"string\"},\"base64\":{\"type\":\"string\"}}}"),
    OWN_LIST("links", "Sharing links, of vendors that have them", &drive_link_form),
    OWN("vendor", "Of an owner with several drives: whose vendor's it is in", "text"),
    OWN("labels", "What it is labelled with, of vendors that have labels", "list"),
    OWN("createdBy", "The person who made it, where vendors keep that beside the owner", "text"),
    OWN("checkedOut", "The person who has it checked out, of vendors that have that", "text"),
    OWN("apps", "Apps that may read or write it: app and role, of vendors that have them", "list"),
    OWN("tables", "Of a workbook: its tables, of vendors that have them", "list"),
};
const struct form drive_file_form =
    FORM("A file, a folder, a document or a shortcut", file_members);
