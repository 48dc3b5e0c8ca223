/* SPDX-License-Identifier: Apache-2.0 */
/* The members that shared drives, files and what belongs to them have in seed documents. */
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/comment.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/seed_impl.h"

#define TIME_OR_NOT "{\"type\":[\"string\",\"boolean\",\"null\"]}"
#define OF_TEXTS    "{\"type\":[\"object\",\"null\"],\"additionalProperties\":{\"type\":\"string\"}}"

int drive_read_when(const struct form_in *in, const struct member *m, void *row)
{
    int64_t *at = member_place(m, row), said = *at ? *at : DRIVE_UNSAID;
    if (doc_time(in->d, in->value, m->name, &said) < 0)
        return -1;
    *at = said == DRIVE_UNSAID ? 0 : drive_when(said);
    return 0;
}

void drive_write_time(struct json_writer *w, const char *member, int64_t us)
{
    if (us)
        form_time(w, member, us == 1 ? 0 : us);
}

int drive_write_when(const struct form_out *out, const struct member *m, const void *row)
{
    drive_write_time(out->w, m->name, *(const int64_t *)member_at(m, row));
    return 0;
}

/* ---- who may do what ---- */

static int write_grantee(const struct form_out *out, const struct member *m, const void *row)
{
    static const char *const kinds[] = {
        [GRANT_PERSON] = "person", [GRANT_GROUP] = "group", [GRANT_DOMAIN] = "domain"};
    const struct drive_grant *g = row;
    (void)m;
    if (g->kind == GRANT_ANYONE)
        json_bool(out->w, "anyone", true);
    else
        json_str(out->w, kinds[g->kind], g->who);
    return 0;
}

/* As the role has it by itself, if nothing is said. */
static int write_lowers(const struct form_out *out, const struct member *m, const void *row)
{
    const struct drive_grant *g = row;
    if (g->lowers != (g->role == ROLE_NONE))
        json_bool(out->w, m->name, g->lowers);
    return 0;
}

static const struct member grant_members[] = {
    {"person", "A person's address", .kind = MEMBER_OWN, .noun = "text", .write = write_grantee},
    OWN("group", "A group's address", "text"),
    OWN("domain", "The domain of an organisation", "text"),
    OWN("anyone", "Who has the link", "true or false"),
    {"role", "What they may do", ENUM_AT(struct drive_grant, role, drive_role_names),
     .usual = ROLE_READER, .flags = MEMBER_ALWAYS},
    {"found", "Everybody finds it, and not only with the link",
     BOOL_AT(struct drive_grant, discoverable)},
    {"lowers", "It takes away what is granted above; so does the role none", .write = write_lowers,
     BOOL_AT(struct drive_grant, lowers)},
    {"pending", "They are offered to own it", BOOL_AT(struct drive_grant, pending)},
    {"view", "published: of a view of it alone", TEXT_AT(struct drive_grant, view)},
    {"expires", "When it ends by itself", .read = drive_read_when, .write = drive_write_when,
     TIME_AT(struct drive_grant, expires_us)},
};
const struct form drive_grant_form = FORM("A permission", grant_members);

static const struct member mine_members[] = {
    OWN("person", "Who", "text"),
    {"starred", "They have marked it", BOOL_AT(struct drive_mine, starred)},
    {"hidden", "They have taken it off their list", BOOL_AT(struct drive_mine, hidden)},
    {"viewed", "When they looked at it", .read = drive_read_when, .write = drive_write_when,
     TIME_AT(struct drive_mine, viewed_us)},
    {"modified", "When they changed it", .read = drive_read_when, .write = drive_write_when,
     TIME_AT(struct drive_mine, modified_us)},
    OWN_TYPED("shared", "When it came to be shared with them; false: it is not among that",
              "time, or false", TIME_OR_NOT),
    OWN("by", "Who shared it with them", "text"),
};
const struct form drive_mine_form = FORM("What an item is to somebody", mine_members);

/* ---- shared drives ---- */

static const struct member look_members[] = {
    {"theme", "The theme of its colour and picture", TEXT_AT(struct drive_settings, theme)},
    {"color", "Its colour, #rrggbb", TEXT_AT(struct drive_settings, color)},
    {"background", "Its picture, as the API has it",
     KEPT_AT(struct drive_settings, background, JSON_OBJECT)},
};
const struct form drive_look_form = FORM("What a shared drive looks like", look_members);

static const struct member rule_members[] = {
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
};
const struct form drive_rule_form = FORM("What holds in a shared drive", rule_members);

static const struct member shared_members[] = {
    {"id", "Its id", .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_REQUIRED},
    {"name", "Its name", .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_REQUIRED},
    PART(&drive_look_form),
    OWN("created", "When it was made; the world's time without it", "time"),
    OWN("creator", "Who made it", "text"),
    OWN_LIST("members", "Who may do what in it", &drive_grant_form),
    PART(&drive_rule_form),
    OWN_LIST("people", "What it is to somebody", &drive_mine_form),
};
const struct form drive_shared_form = FORM("A shared drive", shared_members);

/* ---- files ---- */

/* What its name ends with, if nothing is said. */
static int write_extension(const struct form_out *out, const struct member *m, const void *row)
{
    const struct drive_item *it = row;
    const char *dot = strrchr(it->name, '.');
    if (it->extension && (!dot || strcmp(it->extension, dot + 1) != 0))
        json_str(out->w, m->name, it->extension);
    return 0;
}

static int read_sharing(const struct form_in *in, const struct member *m, void *row)
{
    struct drive_item *it = row;
    bool sharing;
    if (doc_bool(in->d, in->value, m->name, true, &sharing) < 0)
        return -1;
    if (!sharing)
        it->flags |= DRIVE_WRITERS_DONT_SHARE;
    return 0;
}

static int write_sharing(const struct form_out *out, const struct member *m, const void *row)
{
    const struct drive_item *it = row;
    if (it->flags & DRIVE_WRITERS_DONT_SHARE)
        json_bool(out->w, m->name, false);
    return 0;
}

static const struct member text_members[] = {
    {"description", "What it is for", TEXT_AT(struct drive_item, description)},
    {"original", "The name that was uploaded", TEXT_AT(struct drive_item, original)},
    {"extension", "The end of its name; as in its name without it", .write = write_extension,
     TEXT_AT(struct drive_item, extension)},
    {"color", "Of a folder, #rrggbb", TEXT_AT(struct drive_item, color)},
    {"target", "Of a shortcut: the id of what it leads to", TEXT_AT(struct drive_item, target_key)},
    {"targetMime", "The media type of that", TEXT_AT(struct drive_item, target_mime)},
    {"resourceKey", "What links have beside the id", TEXT_AT(struct drive_item, resource_key)},
    {"needsKey", "Links need it", FLAG_AT(struct drive_item, flags, DRIVE_NEEDS_KEY)},
    {"limited", "A folder that only those see who are named",
     FLAG_AT(struct drive_item, flags, DRIVE_LIMITED)},
    {"copyLimit", "Readers and commenters don't copy, print or download",
     FLAG_AT(struct drive_item, flags, DRIVE_COPY_LIMIT)},
    {"sharing", "Writers may share it; true without it", .kind = MEMBER_OWN,
     .noun = "true or false", .read = read_sharing, .write = write_sharing},
    {"abusive", "It was found to be malware", FLAG_AT(struct drive_item, flags, DRIVE_ABUSIVE)},
    {"restrictions", "What makes it read-only, as the API has it",
     KEPT_AT(struct drive_item, restrictions, JSON_ARRAY)},
    {"downloads", "Who may download it, as the API has it",
     KEPT_AT(struct drive_item, download_rules, JSON_OBJECT)},
    {"media", "Width and height of a picture", KEPT_AT(struct drive_item, media, JSON_OBJECT)},
    {"indexText", "What search finds in it", TEXT_AT(struct drive_item, index_text)},
};
const struct form drive_text_form = FORM("What is said of a file", text_members);

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
    PART(&drive_revisions_form),
    OWN("created", "When it was made", "time"),
    OWN("modified", "When it was changed", "time"),
    OWN("modifiedBy", "Who changed it; the owner without it", "text"),
    OWN_TYPED("trashed", "It is in the trash; since when", "time, or true", TIME_OR_NOT),
    OWN("trashedBy", "Who put it into the trash", "text"),
    PART(&drive_text_form),
    OWN_TYPED("properties", "Texts that every app sees", "object of texts", OF_TEXTS),
    OWN_LIST("permissions", "Who may do what", &drive_grant_form),
    OWN_LIST("people", "What it is to somebody", &drive_mine_form),
    OWN("space", "The client id of the app whose own data it is", "text"),
    OWN("app", "The client id of the app that made it", "text"),
    OWN_TYPED("appProperties", "Texts that one app sees, by its client id", "object of objects",
              "{\"type\":[\"object\",\"null\"],\"additionalProperties\":" OF_TEXTS "}"),
    PART(&drive_comments_form),
    PART(&drive_head_form),
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
