/* SPDX-License-Identifier: Apache-2.0 */
/* Files as responses show them: their types, addresses, where they are shared. */
#include "services/chat/core/sql.h"
#include "services/chat/slack/files/files.h"
#include "services/chat/slack/files/lists.h"
#include <strings.h>

/* ---- kinds ---- */

static const struct sl_file_type types[] = {
    {"txt", "text", "Plain Text", "text/plain"},
    {"log", "text", "Plain Text", "text/plain"},
    {"md", "markdown", "Markdown (raw)", "text/plain"},
    {"csv", "csv", "CSV", "text/csv"},
    {"json", "json", "JSON", "text/plain"},
    {"yaml", "yaml", "YAML", "text/plain"},
    {"yml", "yaml", "YAML", "text/plain"},
    {"html", "html", "HTML", "text/plain"},
    {"css", "css", "CSS", "text/plain"},
    {"js", "javascript", "JavaScript", "text/plain"},
    {"ts", "typescript", "TypeScript", "text/plain"},
    {"py", "python", "Python", "text/plain"},
    {"rb", "ruby", "Ruby", "text/plain"},
    {"go", "go", "Go", "text/plain"},
    {"c", "c", "C", "text/plain"},
    {"sh", "shell", "Shell", "text/plain"},
    {"sql", "sql", "SQL", "text/plain"},
    {"xml", "xml", "XML", "text/plain"},
    {"pdf", "pdf", "PDF", "application/pdf"},
    {"png", "png", "PNG", "image/png"},
    {"jpg", "jpg", "JPEG", "image/jpeg"},
    {"jpeg", "jpg", "JPEG", "image/jpeg"},
    {"gif", "gif", "GIF", "image/gif"},
    {"svg", "svg", "SVG", "image/svg+xml"},
    {"mp4", "mp4", "MPEG 4 Video", "video/mp4"},
    {"mp3", "mp3", "MP3", "audio/mpeg"},
    {"zip", "zip", "Zip", "application/zip"},
    {"doc", "doc", "Word Document", "application/msword"},
    {"docx", "docx", "Word Document",
     "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"xlsx", "xlsx", "Excel Spreadsheet",
     "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"pptx", "pptx", "PowerPoint Presentation",
     "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    {"eml", "email", "Email", "message/rfc822"},
};
static const struct sl_file_type canvas = {"", "quip", "Canvas", "application/vnd.slack-docs"};
static const struct sl_file_type list = {"", "list", "List", "application/vnd.slack-list"};
static const struct sl_file_type binary = {"bin", "binary", "Binary", "application/octet-stream"};

const struct sl_file_type *sl_type_of_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < SOSIA_LEN(types); i++)
        if (strcasecmp(types[i].ending, dot + 1) == 0)
            return &types[i];
    return &binary;
}

const struct sl_file_type *sl_type_named(const char *filetype)
{
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (strcmp(types[i].filetype, filetype) == 0)
            return &types[i];
    return &binary;
}

bool sl_is_file_type(const char *filetype)
{
    return sl_type_named(filetype) != &binary;
}

/* ---- rendering ---- */

static const char *private_url(struct call *c, const struct chat_file *f, const char *between)
{
    const char *name = strcmp(f->mode, "document") == 0 ? "canvas"
                       : strcmp(f->mode, "list") == 0   ? "list"
                                                        : sl_file_url_name(c, f->name);
    return call_follow_url(c, SLACK_FILES,
                           arena_printf(c->tx.arena, "/files-pri/%s-%s/%s%s",
                                        sl_me(c)->workspace.key, f->key, between, name));
}

/* Where a file is shared, of what the caller sees. */
struct shares {
    struct call *c;
    struct share {
        struct chat_channel channel;
        struct chat_message message; /* id 0: there is none */
    } * all;
    size_t n, room;
    bool failed;
};

/* Private channels and conversations are of who is in them (docs of the file object); an event,
 * which is nobody's, says the public ones alone. */
static int keep_share(void *arg, const struct chat_channel *ch, const struct chat_message *m)
{
    struct shares *s = arg;
    struct arena *arena = s->c->tx.arena;
    const struct chat_user *u = &sl_me(s->c)->user;
    int r = u->id ? chat_can_see(&s->c->tx, ch, u) : ch->kind == CHAT_PUBLIC;
    if (r == 1)
        s->all = arena_grow(arena, s->all, s->n, &s->room, sizeof *s->all);
    s->failed = r < 0 || arena_failed(arena);
    if (r == 1 && !s->failed)
        s->all[s->n++] = (struct share){*ch, *m};
    return s->failed;
}

static void write_share(struct call *c, const struct share *s)
{
    struct json_writer *w = c->out;
    const struct chat_message *m = &s->message;
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, m->ts_us);
    json_obj(w, NULL);
    json_raw(w, "reply_users", m->repliers ? m->repliers : "[]",
             strlen(m->repliers ? m->repliers : "[]"));
    json_int(w, "reply_users_count", m->n_repliers);
    json_int(w, "reply_count", m->replies);
    json_str(w, "ts", ts);
    if (s->channel.name)
        json_str(w, "channel_name", s->channel.name);
    json_str(w, "team_id", sl_me(c)->workspace.key);
    json_str(w, "share_user_id", sl_user_key(c, m->user));
    json_str(w, "source", "UNKNOWN");
    json_bool(w, "is_silent_share", false);
    json_end(w);
}

/* The messages by channel, which come one after the other. */
static void write_shares(struct call *c, const struct shares *s)
{
    struct json_writer *w = c->out;
    json_obj(w, "shares");
    for (int private = 0; private < 2; private ++) {
        const char *last = NULL; /* the channel whose list is open */
        for (size_t i = 0; i < s->n; i++) {
            const struct chat_channel *ch = &s->all[i].channel;
            if (private != (ch->kind != CHAT_PUBLIC) || !s->all[i].message.id)
                continue;
            if (!last)
                json_obj(w, private ? "private" : "public");
            if (last && strcmp(last, ch->key) != 0)
                json_end(w);
            if (!last || strcmp(last, ch->key) != 0)
                json_arr(w, ch->key);
            last = ch->key;
            write_share(c, &s->all[i]);
        }
        if (last) {
            json_end(w);
            json_end(w);
        }
    }
    json_end(w);
}

static void write_places(struct call *c, const struct shares *s)
{
    enum { CHANNELS, GROUPS, DIRECT };
    static const char *const names[] = {
        [CHANNELS] = "channels", [GROUPS] = "groups", [DIRECT] = "ims"};
    for (int what = CHANNELS; what <= DIRECT; what++) {
        const char *last = NULL;
        json_arr(c->out, names[what]);
        for (size_t i = 0; i < s->n; i++) {
            const struct chat_channel *ch = &s->all[i].channel;
            int is = ch->kind == CHAT_PUBLIC ? CHANNELS : ch->kind == CHAT_DIRECT ? DIRECT : GROUPS;
            if (is != what || (last && strcmp(last, ch->key) == 0))
                continue;
            json_str(c->out, NULL, ch->key);
            last = ch->key;
        }
        json_end(c->out);
    }
}

/* Where it is, and what it shows of its content. */
/* Whom a link to a file names: who reads it, and where it goes to nobody's eyes, who made it. */
static const char *reader_of(struct call *c, const struct chat_file *f)
{
    const char *me = sl_me(c)->user.key;
    return me && *me ? me : sl_user_key(c, f->user);
}

static int write_urls(struct call *c, const struct chat_file *f, bool processed)
{
    struct json_writer *w = c->out;
    bool text = processed && f->lines && f->snippet && !f->external_id;
    if (f->external_url) {
        json_str(w, "url_private", f->external_url);
    } else {
        json_str(w, "url_private", private_url(c, f, ""));
        json_str(w, "url_private_download", private_url(c, f, "download/"));
    }
    if (!text)
        json_str(w, "media_display_type", "unknown");
    if (processed && f->picture.width && sl_write_picture_parts(c, f) < 0)
        return -1;
    const char *path =
        strcmp(f->mode, "document") == 0
            ? arena_printf(c->tx.arena, "/docs/%s/%s", sl_me(c)->workspace.key, f->key)
        : strcmp(f->mode, "list") == 0
            ? arena_printf(c->tx.arena, "/lists/%s/%s", sl_me(c)->workspace.key, f->key)
            : arena_printf(c->tx.arena, "/files/%s/%s/%s", reader_of(c, f), f->key,
                           sl_file_url_name(c, f->name));
    const char *permalink = sl_team_url(c, path);
    json_str(w, "permalink", permalink);
    json_str(w, "permalink_public",
             arena_printf(c->tx.arena, "https://slack-files.com/%s-%s-%s", sl_me(c)->workspace.key,
                          f->key, f->public_secret ? f->public_secret : ""));
    if (text)
        sl_write_text_parts(c, f, permalink);
    return 0;
}

static int is_starred(struct call *c, const struct chat_file *f)
{
    static struct sql_text q = SQL_TEXT("select 1 from slack_star where user = :user and "
                                        "coalesce(message, 0) = 0 and coalesce(file, 0) = :file");
    int64_t one = 0;
    return TX_INT(&c->tx, &q, &one, sl_me(c)->user.id, f->id) < 0 ? -1 : one == 1;
}

/* What kind of file it is. */
static void write_kind(struct call *c, const struct chat_file *f, bool processed)
{
    struct json_writer *w = c->out;
    bool is_canvas = strcmp(f->mode, "document") == 0, is_list = strcmp(f->mode, "list") == 0;
    const struct sl_file_type *type = is_canvas ? &canvas
                                      : is_list ? &list
                                                : sl_type_named(f->filetype);
    bool own = is_canvas || is_list;
    json_str(w, "mimetype", !processed ? "" : own ? type->mimetype : f->mimetype);
    json_str(w, "filetype", !processed ? "" : own ? type->filetype : f->filetype);
    json_str(w, "pretty_type",
             !processed                          ? ""
             : f->external_id && type == &binary ? "Remote"
                                                 : type->pretty);
    json_str(w, "user", sl_user_key(c, f->user));
    json_str(w, "user_team", sl_author_team(c, f->user));
    bool snippet = strcmp(f->mode, "snippet") == 0;
    json_bool(w, "editable", own || (snippet && processed));
    json_int(w, "size", f->external_id ? 0 : f->size);
    json_str(w, "mode", is_canvas ? "quip" : snippet && !processed ? "hosted" : f->mode);
}

/* Where it is shared, which is not known before it is processed. */
static int write_sharing(struct call *c, const struct chat_file *f, bool processed)
{
    struct shares s = {.c = c};
    if (processed && (chat_shares(&c->tx, f->id, keep_share, &s) < 0 || s.failed))
        return -1;
    write_shares(c, &s);
    write_places(c, &s);
    return 0;
}

int sl_file_is_open(struct call *c, const struct chat_file *f)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from slack_share s where s.file = :file and " CHAT_SQL_CHANNEL_IS_PUBLIC(
            "s.channel") " limit 1");
    int64_t found;
    return f->external_id ? 0 : TX_INT(&c->tx, &q, &found, f->id);
}

/* What the caller sees of it beside its content, and where it is. Events, which are for nobody,
 * have less of it (as recorded). */
static int write_standing(struct call *c, const struct chat_file *f, enum sl_file_view view)
{
    struct json_writer *w = c->out;
    bool in_message = view == SL_FILE_IN_MESSAGE;
    const char *reactions;
    int starred = is_starred(c, f);
    if (starred < 0 || chat_file_reactions(&c->tx, f->id, &reactions) < 0)
        return -1;
    if (!in_message)
        json_int(w, "comments_count", 0);
    if (!in_message || sl_me(c)->user.id)
        json_bool(w, "is_starred", starred);
    if (reactions)
        json_raw(w, "reactions", reactions, strlen(reactions));
    if (in_message && sl_me(c)->user.id)
        json_bool(w, "skipped_shares", true);
    if (in_message)
        return 0;
    if (write_sharing(c, f, view == SL_FILE_WHOLE) < 0)
        return -1;
    json_bool(w, "has_more_shares", false);
    return 0;
}

int sl_write_file(struct call *c, const char *key, const struct chat_file *f,
                  enum sl_file_view view)
{
    struct json_writer *w = c->out;
    bool is_canvas = strcmp(f->mode, "document") == 0, processed = view != SL_FILE_NEW;
    int open = processed ? sl_file_is_open(c, f) : 0;
    if (open < 0)
        return -1;
    json_obj(w, key);
    json_str(w, "id", f->key);
    if (f->state == CHAT_FILE_DELETED) {
        json_str(w, "mode", "tombstone");
        json_end(w);
        return 0;
    }
    json_int(w, "created", f->created_s);
    json_int(w, "timestamp", f->created_s);
    json_str(w, "name", f->name);
    json_str(w, "title", f->title);
    write_kind(c, f, processed);
    json_bool(w, "is_external", f->external_id != NULL);
    json_str(w, "external_type", f->external_id ? "app" : "");
    json_bool(w, "is_public", open);
    json_bool(w, "public_url_shared", f->is_public);
    json_bool(w, "display_as_bot", false);
    json_str(w, "username", "");
    if (f->external_id) {
        json_str(w, "external_id", f->external_id);
        json_str(w, "external_url", f->external_url);
    }
    json_str_opt(w, "alt_txt", f->alt_text);
    if (write_urls(c, f, processed) < 0 || (is_canvas && sl_write_canvas_parts(c, f) < 0) ||
        (strcmp(f->mode, "list") == 0 && sl_write_list_parts(c, f) < 0) ||
        write_standing(c, f, view) < 0)
        return -1;
    json_bool(w, "has_rich_preview", f->external_id && f->blob);
    json_str(w, "file_access", "visible");
    json_end(w);
    return 0;
}

/* A file in a message of somebody of a connected workspace: files.info says more (documented). */
static int write_foreign(struct call *c, const struct chat_message *m, const char *key)
{
    struct json_writer *w = c->out;
    struct chat_user author;
    struct chat_file f;
    int r = m->user ? chat_user_get(&c->tx, m->user, &author) : 0;
    if (r == 1)
        r = author.workspace == sl_me(c)->workspace.id
                ? 0
                : chat_file_find(&c->tx, author.workspace, key, &f);
    if (r != 1)
        return r;
    json_obj(w, NULL);
    json_str(w, "id", f.key);
    if (f.state == CHAT_FILE_DELETED) {
        json_str(w, "mode", "tombstone");
    } else {
        json_str(w, "mode", "file_access");
        json_str(w, "file_access", "check_file_info");
        json_int(w, "created", 0);
        json_int(w, "timestamp", 0);
        json_str(w, "user", "");
    }
    json_end(w);
    return 0;
}

int sl_write_file_list(struct call *c, const struct chat_message *m, bool *ret_uploaded)
{
    const struct json *keys;
    struct chat_file f;
    bool uploaded = false;
    if (json_parse(c->tx.arena, m->files, strlen(m->files), NULL, &keys, c->tx.err) < 0)
        return -1;
    json_arr(c->out, "files");
    for (uint32_t i = 0; i < keys->n; i++) {
        const char *key = keys->items[i].type == JSON_STRING ? keys->items[i].str : "";
        int r = chat_file_find(&c->tx, sl_me(c)->workspace.id, key, &f);
        if (r == 0 && write_foreign(c, m, key) < 0)
            return -1;
        if (r < 0 || (r && sl_write_file(c, NULL, &f, SL_FILE_IN_MESSAGE) < 0))
            return -1;
        uploaded |= !r || strcmp(f.mode, "external") != 0;
    }
    json_end(c->out);
    *ret_uploaded = uploaded;
    return 0;
}

int sl_write_files(struct call *c, const struct chat_message *m, bool listed)
{
    bool uploaded;
    if (sl_write_file_list(c, m, &uploaded) < 0)
        return -1;
    json_bool(c->out, "upload", uploaded && !listed);
    json_bool(c->out, "display_as_bot", false);
    return 0;
}
