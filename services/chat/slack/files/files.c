/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the upload in three steps, sharing, public addresses, lists, download. */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/http/bytes.h"
#include "engine/text/civil.h"
#include "services/chat/core/connect.h"
#include "services/chat/slack/files/canvas.h"
#include "services/chat/slack/files/files.h"
#include "services/chat/slack/files/lists.h"

#define MAX_UPLOAD (INT64_C(64) << 20)

/* ---- the upload ---- */

/* What the workspace lets people upload. */
static int check_uploads(struct call *c, const char *mimetype)
{
    const struct json *v = sl_preference(c, "disable_file_uploads");
    const char *which = v && v->type == JSON_STRING ? v->str : "allow_all";
    if (strcmp(which, "disable_all") == 0)
        return slack_fail(c, "file_uploads_disabled");
    if (strcmp(which, "disable_all_except_images") == 0 && strncmp(mimetype, "image/", 6) != 0)
        return slack_fail(c, "file_uploads_except_images_disabled");
    return 0;
}

static int get_upload_url(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *name = param_str(c, "filename"), *length = param_str(c, "length");
    const char *alt = param_str(c, "alt_txt"), *snippet = param_str(c, "snippet_type");
    uint8_t random[24];
    char secret[2 * sizeof random + 1];
    int64_t size;
    const char *slash = strrchr(name, '/');
    if (slash)
        name = slash + 1;
    if (parse_i64(length, strlen(length), &size) < 0 || size < 1 || !*name)
        return slack_fail(c, "missing_argument");
    if (check_uploads(c, sl_type_of_name(name)->mimetype) < 0)
        return -1;
    if (size > MAX_UPLOAD)
        return slack_fail(c, "file_upload_size_restricted");
    if (alt && sl_characters(alt) > 1000)
        return slack_fail(c, "alt_txt_too_large");
    bool is_snippet = snippet && *snippet;
    if (is_snippet && !str_starts(sl_type_named(snippet)->mimetype, "text/"))
        return slack_fail(c, "unknown_snippet_type");
    if (is_snippet && size > CHAT_LOOK)
        return slack_fail(c, "snippet_too_large");
    if (tx_secret(&c->tx, "chat.upload", random, sizeof random) < 0)
        return -1;
    hex_encode(secret, random, sizeof random);
    const struct sl_file_type *type = is_snippet ? sl_type_named(snippet) : sl_type_of_name(name);
    struct chat_file f = {.workspace = me->workspace.id,
                          .user = me->user.id,
                          .app = me->app,
                          .mode = is_snippet ? "snippet" : "hosted",
                          .name = name,
                          .title = name,
                          .mimetype = type->mimetype,
                          .filetype = type->filetype,
                          .size = size,
                          .upload = secret,
                          .alt_text = alt && *alt ? alt : NULL,
                          .created_s = c->tx.now_us / US_PER_SECOND,
                          .updated_s = c->tx.now_us / US_PER_SECOND};
    if (chat_file_add(&c->tx, &f) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "upload_url",
             call_follow_url(c, SLACK_FILES, arena_printf(c->tx.arena, "/upload/v1/%s", secret)));
    json_str(c->out, "file_id", f.key);
    slack_close(c);
    return 0;
}

/* The bytes are the body, or the first file of a form. */
static struct bytes uploaded(const struct call *c)
{
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_PART && c->items[i].file)
            return (struct bytes){.len = (int64_t)c->items[i].len, .data = c->items[i].text};
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_PART)
            return (struct bytes){.len = (int64_t)c->items[i].len, .data = c->items[i].text};
    return c->content;
}

static int say_text(struct call *c, int status, const char *text)
{
    c->status = status;
    buf_puts(c->body_out, text);
    call_header_const(c, "Content-Type", "text/plain; charset=utf-8");
    return 0;
}

static int upload(struct call *c)
{
    struct chat_file f;
    struct blob blob;
    struct bytes bytes = uploaded(c);
    size_t n = bytes.len < CHAT_LOOK ? (size_t)bytes.len : (size_t)CHAT_LOOK;
    int r = chat_file_by_upload(&c->tx, param_str(c, "secret"), &f);
    if (r < 0)
        return -1;
    if (!r || f.state != CHAT_FILE_WANTED)
        return say_text(c, 404, "Not Found");
    if (!bytes.len)
        return say_text(c, 400, "Bad Request");
    char *data = arena_alloc(c->tx.arena, n);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (bytes_read(&c->tx, &bytes, 0, data, n) < 0 || bytes_blob(&c->tx, &bytes, 0, &blob) < 0)
        return -1;
    f.blob = blob.id;
    f.size = blob.length;
    f.state = CHAT_FILE_UPLOADED;
    chat_file_look(&c->tx, &f, data, n);
    if (chat_file_save(&c->tx, &f, OP_CHANGED) < 0)
        return -1;
    return say_text(c, 200, arena_printf(c->tx.arena, "OK - %lld", (long long)blob.length));
}

static int read_uploads(struct call *c, const struct json *list, struct chat_file *files)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const char *id = json_get_str(&list->items[i], "id");
        const char *title = json_get_str(&list->items[i], "title");
        int r = id ? chat_file_find(&c->tx, sl_me(c)->workspace.id, id, &files[i]) : 0;
        if (r < 0)
            return -1;
        if (!r || files[i].state != CHAT_FILE_UPLOADED)
            return slack_fail(c, "file_not_found");
        if (files[i].user != sl_me(c)->user.id)
            return slack_fail(c, "access_denied");
        for (uint32_t k = 0; k < i; k++)
            if (files[k].id == files[i].id) /* it is completed once */
                return slack_fail(c, "file_not_found");
        if (title && *title)
            files[i].title = title;
    }
    return 0;
}

/* Ten digits of the address at which everybody could have it. */
static int make_public_secret(struct call *c, struct chat_file *f)
{
    uint8_t random[5];
    char hex[11];
    if (tx_secret_within(&c->tx, "chat.public", f->key, random, sizeof random) < 0)
        return -1;
    hex_encode(hex, random, sizeof random);
    f->public_secret = arena_strdup(c->tx.arena, hex);
    return 0;
}

/* Of a channel: unlike `channels` it takes nobody's id (as clients have seen it refused). */
static int check_channel_id(struct call *c)
{
    const char *id = param_str(c, "channel_id");
    if (!id || !*id ||
        (strchr("CGDZ", *id) && !id[strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")]))
        return 0;
    return slack_invalid_arguments(c, "/channel_id",
                                   "input must match regex pattern: ^[CGDZ][A-Z0-9]{8,}$");
}

static int complete_upload(struct call *c)
{
    const struct json *list;
    struct chat_channel *channels = arena_calloc(c->tx.arena, 101, sizeof *channels);
    size_t n_channels;
    if (slack_value(c, "files", &list) < 0)
        return -1;
    if (!list->n || list->n > 100)
        return slack_wrong_value(c, "files");
    if (check_channel_id(c) < 0)
        return -1;
    struct chat_file *files = arena_calloc(c->tx.arena, list->n, sizeof *files);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (read_uploads(c, list, files) < 0 || sl_file_targets(c, channels, &n_channels) < 0)
        return -1;
    for (uint32_t i = 0; i < list->n; i++) {
        files[i].state = CHAT_FILE_THERE;
        files[i].upload = NULL;
        if (make_public_secret(c, &files[i]) < 0 || chat_file_save(&c->tx, &files[i], OP_ADDED) < 0)
            return -1;
    }
    for (size_t i = 0; i < n_channels; i++)
        if (sl_share_files(c, &channels[i], files, list->n) < 0)
            return -1;
    slack_open(c);
    json_arr(c->out, "files");
    for (uint32_t i = 0; i < list->n; i++)
        if (sl_write_file(c, NULL, &files[i], SL_FILE_NEW) < 0)
            return -1;
    json_end(c->out);
    slack_close(c);
    return 0;
}

static int files_upload(struct call *c)
{
    return slack_fail(c, "method_deprecated");
}

/* ---- one ---- */

/* The one that the method is about. */
static int file_arg(struct call *c, struct chat_file *ret)
{
    return sl_file_arg(c, "file", "file_deleted", ret);
}

struct looking {
    struct call *c;
    const char *key;
    struct chat_file *file;
    int found; /* 1, 0, -1 */
};

static int shared_with_me(void *arg, const struct chat_channel *ch, const struct chat_message *m)
{
    struct looking *l = arg;
    (void)m;
    l->found = chat_can_see(&l->c->tx, ch, &sl_me(l->c)->user);
    return l->found != 0;
}

static int look_there(void *arg, const struct chat_workspace *w)
{
    struct looking *l = arg;
    int r = chat_file_find(&l->c->tx, w->id, l->key, l->file);
    if (r == 1 && l->file->state == CHAT_FILE_THERE && l->file->blob)
        r = chat_shares(&l->c->tx, l->file->id, shared_with_me, l);
    if (r < 0)
        l->found = -1;
    return l->found != 0;
}

/* A file by its id, also a connected workspace's that is shared where the caller is; whether the
 * caller sees one of his own workspace is not looked at. 1, 0, -1. */
static int find_file(struct call *c, const char *key, struct chat_file *ret)
{
    int64_t workspace = sl_me(c)->workspace.id;
    struct looking l = {.c = c, .key = key, .file = ret};
    int r = key ? chat_file_find(&c->tx, workspace, key, ret) : 0;
    if (r || !key)
        return r;
    return chat_connected_with(&c->tx, workspace, look_there, &l) < 0 ? -1 : l.found;
}

static int files_info(struct call *c)
{
    struct chat_file f;
    const char *text;
    size_t len;
    int r = find_file(c, param_str(c, "file"), &f);
    if (r < 0)
        return -1;
    if ((!r || f.workspace == sl_me(c)->workspace.id) && file_arg(c, &f) < 0)
        return -1;
    if (strcmp(f.mode, "document") == 0 && sl_team_says(c, "canvas_disabled"))
        return slack_fail(c, "canvas_globally_disabled");
    slack_open(c);
    if (sl_write_file(c, "file", &f, SL_FILE_WHOLE) < 0)
        return -1;
    if (f.lines && f.blob && f.size <= CHAT_LOOK) {
        if (blob_load(&c->tx, f.blob, &text, &len) < 0)
            return -1;
        json_strn(c->out, "content", text, len);
    }
    json_arr(c->out, "comments");
    json_end(c->out);
    slack_next(c, "comment", NULL);
    slack_close(c);
    return 0;
}

static int files_delete(struct call *c)
{
    struct chat_file f;
    if (file_arg(c, &f) < 0)
        return -1;
    enum chat_level level = CHAT_MAY_ALL;
    bool levelled = strcmp(f.mode, "document") == 0 || strcmp(f.mode, "list") == 0;
    if (levelled && chat_level_of(&c->tx, &f, &sl_me(c)->user, &level) < 0)
        return -1;
    if (level == CHAT_MAY_ALL && levelled)
        return chat_file_delete(&c->tx, &f) < 0 ? -1 : slack_ok(c);
    if ((levelled || f.user != sl_me(c)->user.id) &&
        (sl_me(c)->is_bot || sl_me(c)->user.role > CHAT_ADMIN))
        return slack_fail(c, "cant_delete_file");
    return chat_file_delete(&c->tx, &f) < 0 ? -1 : slack_ok(c);
}

/* Nobody can comment on a file any more, so there is none to be deleted. */
static int comments_delete(struct call *c)
{
    struct chat_file f;
    return file_arg(c, &f) < 0 ? -1 : slack_fail(c, "cant_delete");
}

static int set_public(struct call *c, bool public)
{
    struct chat_file f;
    if (file_arg(c, &f) < 0)
        return -1;
    if (f.user != sl_me(c)->user.id)
        return slack_fail(c, public ? "not_allowed" : "file_not_found");
    if (public && str_starts(f.mimetype, "video/") && strcmp(sl_me(c)->workspace.plan, "free") == 0)
        return slack_fail(c, "public_video_not_allowed");
    f.is_public = public;
    if ((!f.public_secret && make_public_secret(c, &f) < 0) ||
        chat_file_save(&c->tx, &f, OP_CHANGED) < 0)
        return -1;
    slack_open(c);
    if (sl_write_file(c, "file", &f, SL_FILE_WHOLE) < 0)
        return -1;
    slack_close(c);
    return 0;
}

static int files_share_public(struct call *c)
{
    return set_public(c, true);
}

static int files_revoke_public(struct call *c)
{
    return set_public(c, false);
}

/* ---- lists ---- */

struct file_list {
    struct call *c;
    const char **types;
    size_t n_types;
    int64_t first, n;
    struct sl_page page;
    bool failed;
};

static bool of_type(const struct chat_file *f, const char *type)
{
    static const struct {
        const char *type, *prefix;
    } classes[] = {{"images", "image/"},
                   {"snippets", NULL},
                   {"pdfs", "application/pdf"},
                   {"zips", "application/zip"}};
    static const char *const documents[] = {"canvas", "canvases"};
    static const char *const lists[] = {"list", "lists"};
    if (strcmp(type, "all") == 0)
        return true;
    if (str_in_nocase(type, documents, SOSIA_LEN(documents)))
        return strcmp(f->mode, "document") == 0;
    if (str_in_nocase(type, lists, SOSIA_LEN(lists)))
        return strcmp(f->mode, "list") == 0;
    if (strcmp(type, "snippets") == 0)
        return strcmp(f->mode, "snippet") == 0;
    for (size_t i = 0; i < SOSIA_LEN(classes); i++)
        if (classes[i].prefix && strcmp(type, classes[i].type) == 0)
            return str_starts(f->mimetype, classes[i].prefix);
    return strcmp(type, "gdocs") == 0 && f->external_id;
}

static int list_file(void *arg, const struct chat_file *f)
{
    struct file_list *l = arg;
    bool wanted = !l->n_types;
    for (size_t i = 0; i < l->n_types; i++)
        wanted |= of_type(f, l->types[i]);
    int r = wanted ? chat_can_see_file(&l->c->tx, f, &sl_me(l->c)->user) : 0;
    if (r == 1) {
        if (l->n >= l->first && l->n < l->first + l->page.count)
            r = sl_write_file(l->c, NULL, f, SL_FILE_WHOLE);
        l->n++;
    }
    l->failed = r < 0;
    return l->failed;
}

static int files_list(struct call *c)
{
    static const char *const known[] = {"all",  "spaces", "snippets", "images", "gdocs", "zips",
                                        "pdfs", "canvas", "canvases", "list",   "lists"};
    struct chat_files_ask ask = {.workspace = sl_me(c)->workspace.id};
    struct file_list l = {.c = c};
    struct chat_channel ch;
    struct chat_user u;
    const char *channel = param_str(c, "channel"), *user = param_str(c, "user");
    l.types = slack_list_arg(c, "types", &l.n_types);
    for (size_t i = 0; i < l.n_types; i++)
        if (!str_in_nocase(l.types[i], known, SOSIA_LEN(known)))
            return slack_fail(c, "unknown_type");
    if (user && *user) {
        int r = sl_user_find(c, user, &u);
        if (r == 1)
            r = sl_sees(c, &u);
        if (r != 1)
            return r < 0 ? -1 : slack_fail(c, "user_not_found");
        ask.user = u.id;
    }
    if (channel && *channel) {
        if (sl_channel_arg(c, "channel", false, &ch) < 0)
            return -1;
        ask.channel = ch.id;
    }
    ask.from_s = sl_seconds_arg(c, "ts_from", 0);
    ask.to_s = sl_seconds_arg(c, "ts_to", INT64_MAX);
    if (sl_page_arg(c, &l.page) < 0)
        return -1;
    l.first = (l.page.page - 1) * l.page.count;
    slack_open(c);
    json_arr(c->out, "files");
    if (chat_files(&c->tx, &ask, list_file, &l) < 0 || l.failed)
        return -1;
    json_end(c->out);
    sl_write_paging(c, &l.page, l.n);
    slack_close(c);
    return 0;
}

/* ---- download ---- */

static int to_sign_in(struct call *c)
{
    c->status = 302;
    call_header_const(c, "Location", "https://slack.com/signin");
    call_header_const(c, "Content-Type", "text/html; charset=utf-8");
    return 0;
}

/* The id of the file in "T0ACME-F0FILE"; NULL: it is not for the caller. */
static const char *address_key(struct call *c, const char *both, const char *scopes)
{
    const struct sl_caller *me = c->actor.id ? sl_me(c) : NULL;
    if (!me || !me->user.id) /* in no workspace */
        return NULL;
    size_t n = strlen(me->workspace.key);
    return strncmp(both, me->workspace.key, n) == 0 && both[n] == '-' && slack_has_scope(c, scopes)
               ? both + n + 1
               : NULL;
}

/* A list as CSV, once somebody had it exported. */
static int list_download(struct call *c)
{
    const char *key = address_key(c, param_str(c, "file"), "lists:read files:read"), *csv = NULL;
    struct chat_export e;
    struct chat_file f;
    if (!key)
        return to_sign_in(c);
    const struct sl_caller *me = sl_me(c);
    int r = chat_file_find(&c->tx, me->workspace.id, key, &f);
    if (r == 1)
        r = f.state == CHAT_FILE_THERE ? chat_can_see_file(&c->tx, &f, &me->user) : 0;
    if (r == 1)
        r = chat_export_last(&c->tx, f.id, &e);
    if (r == 1)
        r = sl_list_csv(c, &f, e.archived, &csv);
    if (r != 1)
        return r < 0 ? -1 : say_text(c, 404, "Not Found");
    buf_puts(c->body_out, csv);
    call_header_const(c, "Content-Type", "text/csv; charset=utf-8");
    return 0;
}

static int send_canvas(struct call *c, const struct chat_file *f)
{
    const char *html;
    int r = sl_canvas_html(c, f, &html);
    if (r != 1)
        return r < 0 ? -1 : say_text(c, 404, "Not Found");
    buf_puts(c->body_out, html);
    call_header_const(c, "Content-Type", "text/html; charset=utf-8");
    return 0;
}

/* The file of an address "T0ACME-F0FILE" if the caller may have it. 1; 0: it was answered; -1. */
static int readable(struct call *c, const char *both, struct chat_file *ret)
{
    const char *key = address_key(c, both, "files:read");
    if (!key)
        return to_sign_in(c);
    int r = find_file(c, key, ret);
    if (r == 1 && ret->workspace == sl_me(c)->workspace.id)
        r = ret->state == CHAT_FILE_THERE && (ret->blob || strcmp(ret->mode, "document") == 0)
                ? chat_can_see_file(&c->tx, ret, &sl_me(c)->user)
                : 0;
    return r ? r : say_text(c, 404, "Not Found");
}

static int download(struct call *c)
{
    struct chat_file f;
    int r = readable(c, param_str(c, "file"), &f);
    if (r != 1)
        return r;
    if (!f.blob)
        return send_canvas(c, &f);
    call_header(c, "Content-Type", f.mimetype);
    if (memmem(c->path, c->path_len, "/download/", 10))
        call_header(
            c, "Content-Disposition",
            arena_printf(c->tx.arena, "attachment; filename=\"%s\"", sl_file_url_name(c, f.name)));
    return call_send_blob(c, f.blob, NULL, NULL);
}

/* "T0ACME-F0FILE-0123456789": the picture, which is not scaled here. */
static int thumbnail(struct call *c)
{
    char *both = arena_strdup(c->tx.arena, param_str(c, "file")), *digits = strrchr(both, '-');
    struct chat_file f;
    if (!digits || digits == strchr(both, '-'))
        return to_sign_in(c);
    *digits++ = 0;
    int r = readable(c, both, &f);
    if (r != 1)
        return r;
    r = sl_is_picture_part(c, &f, digits, param_str(c, "name"));
    if (r != 1)
        return r < 0 ? -1 : say_text(c, 404, "Not Found");
    call_header(c, "Content-Type", f.mimetype);
    return call_send_blob(c, f.blob, NULL, NULL);
}

/* ---- rows ---- */

static const struct param upload_url_params[] = {
    SL_NEEDED("filename"), SL_NEEDED("length", SL_WHOLE(1, INT64_MAX)), SL_ARG("snippet_type"),
    SL_ARG("alt_txt"), SL_ARG("alt_text")};
static const struct param complete_params[] = {
    SL_NEEDED("files", SL_ARRAY, .fault = "must be an array of files"),
    SL_ARG("channel_id"),
    SL_ARG("channels", SL_LIST),
    SL_ARG("thread_ts"),
    SL_ARG("initial_comment"),
    SL_BLOCKS_ARG,
    SL_ARG("username"),
    SL_ARG("icon_url"),
    SL_ARG("icon_emoji")};
static const struct param file_params[] = {
    SL_NEEDED("file"), SL_ARG("count", SL_WHOLE(1, 1000), .def = "100"),
    SL_ARG("page", SL_WHOLE(1, SL_LAST_PAGE), .def = "1"), SL_ARG("cursor"),
    SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100")};
static const struct param comment_params[] = {SL_NEEDED("file"),
                                              SL_NEEDED("id", .summary = "Id of the comment")};
static const struct param files_list_params[] = {
    SL_ARG("channel"),
    SL_ARG("count", SL_WHOLE(1, 1000), .def = "100"),
    SL_ARG("page", SL_WHOLE(1, SL_LAST_PAGE), .def = "1"),
    SL_ARG("show_files_hidden_by_limit", SL_FLAG),
    SL_ARG("team_id"),
    SL_ARG("ts_from"),
    SL_ARG("ts_to"),
    SL_ARG("types", SL_LIST, .def = "all"),
    SL_ARG("user")};
static const struct param secret_params[] = {
    {.name = "secret", .place = IN_PATH, .required = true}};
static const struct param download_params[] = {{.name = "file", .place = IN_PATH, .required = true},
                                               {.name = "name", .place = IN_PATH}};

static const struct route methods[] = {
    {SL_METHOD("files.getUploadURLExternal"), SL_PEOPLE, .handler = get_upload_url,
     .risk = RISK_WRITE, .accepts = slack_form_only, .scopes = "files:write",
     PARAMS(upload_url_params), .rate = SLACK_TIER_4, .summary = "An address to upload to"},
    {SL_METHOD("files.completeUploadExternal"), SL_PEOPLE, .handler = complete_upload,
     .risk = RISK_EXTERNAL, .scopes = "files:write", PARAMS(complete_params), .rate = SLACK_TIER_4,
     .summary = "Share what was uploaded"},
    {SL_METHOD("files.comments.delete"), SL_PEOPLE, .handler = comments_delete, .risk = RISK_WRITE,
     .idempotent = true, .scopes = "files:write", PARAMS(comment_params), .rate = SLACK_TIER_2,
     .summary = "Delete a comment on a file"},
    {SL_METHOD("files.delete"), SL_PEOPLE, .handler = files_delete, .risk = RISK_DESTRUCTIVE,
     .idempotent = true, .scopes = "files:write", PARAMS(file_params), .rate = SLACK_TIER_3,
     .summary = "Delete a file"},
    {SL_METHOD("files.info"), SL_PEOPLE, .handler = files_info, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = "files:read", PARAMS(file_params), .rate = SLACK_TIER_4,
     .summary = "A file"},
    {SL_METHOD("files.list"), SL_PEOPLE, .handler = files_list, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = "files:read", PARAMS(files_list_params),
     .rate = SLACK_TIER_3, .summary = "Files that one may see"},
    {SL_METHOD("files.sharedPublicURL"), .token_kinds = TOKEN_USER, .handler = files_share_public,
     .risk = RISK_EXTERNAL, .idempotent = true, .scopes = "files:write", PARAMS(file_params),
     .rate = SLACK_TIER_3, .summary = "Let everybody have a file"},
    {SL_METHOD("files.revokePublicURL"), SL_PEOPLE, .handler = files_revoke_public,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "files:write", PARAMS(file_params),
     .rate = SLACK_TIER_3, .summary = "Let them have it no more"},
    {SL_METHOD("files.upload"), SL_PEOPLE, .handler = files_upload, .risk = RISK_WRITE,
     .accepts = slack_form_only, .scopes = "files:write", .rate = SLACK_TIER_2,
     .summary = "Retired: it refuses"},
    {ROUTE("files.slack.com/upload", POST | PUT, "/upload/v1/{secret}"), .handler = upload,
     .risk = RISK_WRITE, .anonymous = true, .body = BODY_RAW, .max_body = MAX_UPLOAD,
     PARAMS(secret_params), .rate = SLACK_SPECIAL, .summary = "The bytes of an upload"},
    {ROUTE("files.slack.com/csv", GET, "/files-pri/{file}/csv/{name}"), .handler = list_download,
     .risk = RISK_READ, .anonymous = true, .download = true, PARAMS(download_params),
     .rate = SLACK_SPECIAL, .summary = "A list as CSV"},
    {ROUTE("files.slack.com/files-pri", GET, "/files-pri/{file}/{name}",
           "/files-pri/{file}/download/{name}"),
     .handler = download, .risk = RISK_READ, .anonymous = true, .download = true,
     PARAMS(download_params), .rate = SLACK_SPECIAL, .summary = "The bytes of a file"},
    {ROUTE("files.slack.com/files-tmb", GET, "/files-tmb/{file}/{name}"), .handler = thumbnail,
     .risk = RISK_READ, .anonymous = true, .download = true, PARAMS(download_params),
     .rate = SLACK_SPECIAL, .summary = "A picture in another size"},
};

const struct rows sl_files = ROWS(methods);
