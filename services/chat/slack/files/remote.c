/* SPDX-License-Identifier: Apache-2.0 */
/* Remote files: entries of an app for what is elsewhere, shared like files. Their previews are
 * the blobs, the text that is searched for them is the snippet. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/blob/blob.h"
#include "engine/http/bytes.h"
#include "engine/text/civil.h"
#include "services/chat/slack/files/files.h"

#define MAX_TITLE       255
#define MAX_EXTERNAL_ID 255
#define MAX_TEXT        2000 /* bytes of the contents that are searched */

/* ---- arguments ---- */

/* What a form or its part of that name holds; NULL: it is absent or empty. */
static const struct query_item *part(const struct call *c, const char *name)
{
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_PART && strcmp(c->items[i].name, name) == 0 && c->items[i].len)
            return &c->items[i];
    return NULL;
}

static bool is_url(const char *text)
{
    return (str_starts(text, "https://") || str_starts(text, "http://")) &&
           strlen(strchr(text, ':')) > 3 && strlen(text) <= 3000 && !strpbrk(text, " \t\r\n<>\"");
}

/* The picture in preview_image becomes f's blob; another one that it had goes. */
static int take_preview(struct call *c, struct chat_file *f)
{
    static const struct {
        const char *head;
        size_t len;
    } kinds[] = {{"\x89PNG\r\n\x1a\n", 8}, {"\xff\xd8\xff", 3}, {"GIF8", 4}};
    const struct query_item *item = part(c, "preview_image");
    struct blob blob;
    bool known = false;
    if (!item)
        return 0;
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++)
        known |= item->len > kinds[i].len && memcmp(item->text, kinds[i].head, kinds[i].len) == 0;
    if (!known)
        return slack_fail(c, "bad_image");
    const char *fault = sl_picture_fault(item->text, item->len);
    if (fault && strcmp(fault, "too_large") == 0)
        return slack_fail(c, "too_large");
    struct bytes bytes = {.len = (int64_t)item->len, .data = item->text};
    int64_t old = f->blob;
    if (bytes_blob(&c->tx, &bytes, 0, &blob) < 0 || (old && blob_unref(&c->tx, old) < 0))
        return -1;
    f->blob = blob.id;
    return 0;
}

/* indexable_file_contents: what is not UTF-8 is not searched. */
static void take_contents(struct call *c, struct chat_file *f)
{
    const struct query_item *item = part(c, "indexable_file_contents");
    const char *text = item ? item->text : param_str(c, "indexable_file_contents");
    size_t n = item ? item->len : text ? strlen(text) : 0;
    if (!n)
        return;
    if (n > MAX_TEXT)
        for (n = MAX_TEXT; n && ((unsigned char)text[n] & 0xc0) == 0x80;)
            n--; /* not in the midst of a character */
    if (utf8_valid(text, n) && !memchr(text, 0, n))
        f->snippet = arena_memdup(c->tx.arena, text, n);
}

/* Files of remote kinds are for apps with a bot. */
static int needs_app(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    return me->install.id && !me->install.user ? slack_fail(c, "no_bot_user_for_app") : 0;
}

static int needs_bot(struct call *c)
{
    return sl_me(c)->is_bot ? 0 : slack_fail(c, "bot_user_required");
}

static bool of_own_app(struct call *c, const struct chat_file *f)
{
    const struct sl_caller *me = sl_me(c);
    return f->user == me->user.id || (f->app && f->app == me->app);
}

/* The remote file that `file` or external_id names; own: only one of the caller's app. */
static int remote_arg(struct call *c, bool own, struct chat_file *ret)
{
    const char *id = param_str(c, "external_id"), *key = param_str(c, "file");
    int64_t workspace = sl_me(c)->workspace.id;
    bool by_id = id && *id, by_key = key && *key;
    if (by_id && by_key)
        return slack_fail(c, "too_many_ids");
    if (!by_id && !by_key)
        return slack_fail(c, "invalid_args");
    int r = by_id ? chat_file_by_external(&c->tx, workspace, id, ret)
                  : chat_file_find(&c->tx, workspace, key, ret);
    if (r == 1)
        r = ret->state == CHAT_FILE_THERE && ret->external_id;
    if (r == 1 && !of_own_app(c, ret))
        r = own ? 0 : chat_can_see_file(&c->tx, ret, &sl_me(c)->user);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "file_not_found");
}

static int answer_remote(struct call *c, const struct chat_file *f)
{
    slack_open(c);
    if (sl_write_file(c, "file", f, SL_FILE_WHOLE) < 0)
        return -1;
    slack_close(c);
    return 0;
}

/* ---- methods ---- */

static int remote_add(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *id = param_str(c, "external_id"), *title = param_str(c, "title");
    const char *url = param_str(c, "external_url"), *type = param_str(c, "filetype");
    struct chat_file f;
    if (needs_bot(c) < 0)
        return -1;
    if (!*id || sl_characters(id) > MAX_EXTERNAL_ID)
        return slack_fail(c, "invalid_external_id");
    if (!*title || sl_characters(title) > MAX_TITLE)
        return slack_fail(c, "bad_title");
    if (!is_url(url))
        return slack_invalid_arguments(c, "/external_url", "must be a valid URL");
    int r = chat_file_by_external(&c->tx, me->workspace.id, id, &f);
    if (r < 0)
        return -1;
    if (r && !of_own_app(c, &f))
        return slack_fail(c, "invalid_external_id");
    if (!r)
        f = (struct chat_file){.workspace = me->workspace.id,
                               .user = me->user.id,
                               .app = me->app,
                               .state = CHAT_FILE_THERE,
                               .mode = "external",
                               .filetype = "remote",
                               .external_id = id,
                               .created_s = c->tx.now_us / US_PER_SECOND};
    f.name = f.title = title;
    f.external_url = url;
    f.mimetype = "application/vnd.slack-remote";
    if (type && *type)
        f.filetype = type;
    if (take_preview(c, &f) < 0)
        return -1;
    take_contents(c, &f);
    if ((!r && chat_file_add(&c->tx, &f) < 0) ||
        chat_file_save(&c->tx, &f, r ? OP_CHANGED : OP_ADDED) < 0)
        return -1;
    return answer_remote(c, &f);
}

static int remote_update(struct call *c)
{
    const char *title = param_str(c, "title"), *url = param_str(c, "external_url");
    const char *type = param_str(c, "filetype");
    struct chat_file f;
    if (needs_bot(c) < 0 || remote_arg(c, true, &f) < 0)
        return -1;
    if (title && (!*title || sl_characters(title) > MAX_TITLE))
        return slack_fail(c, "invalid_title");
    if (type && *type && strcmp(type, "remote") != 0 && !sl_is_file_type(type))
        return slack_fail(c, "invalid_type");
    if (url && !is_url(url))
        return slack_fail(c, "invalid_url");
    if (title)
        f.name = f.title = title;
    if (type && *type)
        f.filetype = type;
    if (url)
        f.external_url = url;
    if (take_preview(c, &f) < 0)
        return -1;
    take_contents(c, &f);
    if (chat_file_save(&c->tx, &f, OP_CHANGED) < 0)
        return -1;
    return answer_remote(c, &f);
}

static int remote_remove(struct call *c)
{
    struct chat_file f;
    if (needs_bot(c) < 0 || remote_arg(c, true, &f) < 0)
        return -1;
    return chat_file_delete(&c->tx, &f) < 0 ? -1 : slack_ok(c);
}

static int remote_info(struct call *c)
{
    struct chat_file f;
    if (needs_app(c) < 0 || remote_arg(c, false, &f) < 0)
        return -1;
    return answer_remote(c, &f);
}

static int remote_share(struct call *c)
{
    struct chat_channel *channels = arena_calloc(c->tx.arena, 101, sizeof *channels);
    struct chat_file f;
    size_t n;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (needs_app(c) < 0 || remote_arg(c, false, &f) < 0 || sl_file_targets(c, channels, &n) < 0)
        return -1;
    if (!n)
        return slack_fail(c, "channel_not_found");
    for (size_t i = 0; i < n; i++)
        if (sl_share_files(c, &channels[i], &f, 1) < 0)
            return -1;
    return answer_remote(c, &f);
}

struct listing {
    struct call *c;
    struct chat_file from; /* id 0: from the first */
    int64_t limit, n;
    const char *next;
    bool failed;
};

static int list_remote(void *arg, const struct chat_file *f)
{
    struct listing *l = arg;
    if (!f->external_id || (l->from.id && f->created_s == l->from.created_s && f->id > l->from.id))
        return 0;
    int r = of_own_app(l->c, f) ? 1 : chat_can_see_file(&l->c->tx, f, &sl_me(l->c)->user);
    if (r == 1 && l->n == l->limit) {
        l->next = f->key;
        return 1;
    }
    if (r == 1) {
        l->n++;
        r = sl_write_file(l->c, NULL, f, SL_FILE_WHOLE);
    }
    l->failed = r < 0;
    return l->failed;
}

static int remote_list(struct call *c)
{
    struct chat_files_ask ask = {.workspace = sl_me(c)->workspace.id};
    struct listing l = {.c = c};
    struct chat_channel ch;
    const char *channel = param_str(c, "channel"), *from = NULL;
    int r;
    if (needs_app(c) < 0 || slack_limit(c, &l.limit) < 0 ||
        (r = slack_cursor(c, "file", &from)) < 0)
        return -1;
    ask.from_s = sl_seconds_arg(c, "ts_from", 0);
    ask.to_s = sl_seconds_arg(c, "ts_to", INT64_MAX);
    if (r == 1) {
        if ((r = chat_file_find(&c->tx, ask.workspace, from, &l.from)) != 1)
            return r < 0 ? -1 : slack_fail(c, "invalid_cursor");
        if (l.from.created_s < ask.to_s)
            ask.to_s = l.from.created_s;
    }
    if (channel && *channel) {
        if (sl_channel_arg(c, "channel", false, &ch) < 0)
            return -1;
        ask.channel = ch.id;
    }
    slack_open(c);
    json_arr(c->out, "files");
    if (chat_files(&c->tx, &ask, list_remote, &l) < 0 || l.failed)
        return -1;
    json_end(c->out);
    slack_next(c, "file", l.next);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param add_params[] = {SL_NEEDED("external_id"),
                                          SL_NEEDED("external_url"),
                                          SL_NEEDED("title", .summary = "Title of the file"),
                                          SL_ARG("filetype"),
                                          SL_ARG("indexable_file_contents"),
                                          SL_ARG("preview_image")};
static const struct param update_params[] = {SL_ARG("external_id"),
                                             SL_ARG("external_url"),
                                             SL_ARG("file"),
                                             SL_ARG("filetype"),
                                             SL_ARG("indexable_file_contents"),
                                             SL_ARG("preview_image"),
                                             SL_ARG("title", .summary = "Title of the file")};
static const struct param one_params[] = {SL_ARG("external_id"), SL_ARG("file")};
static const struct param share_params[] = {SL_NEEDED("channels", SL_LIST), SL_ARG("external_id"),
                                            SL_ARG("file")};
static const struct param list_params[] = {SL_ARG("channel"), SL_ARG("cursor"),
                                           SL_ARG("limit", SL_WHOLE(0, 999), .def = "100"),
                                           SL_ARG("ts_from"), SL_ARG("ts_to")};

static const struct route methods[] = {
    {SL_METHOD("files.remote.add"), SL_PEOPLE, .handler = remote_add, .risk = RISK_WRITE,
     .accepts = slack_form_only, .scopes = "remote_files:write", PARAMS(add_params),
     .rate = SLACK_TIER_2, .summary = "An entry for a file that lies elsewhere"},
    {SL_METHOD("files.remote.info"), SL_PEOPLE, .handler = remote_info, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = "remote_files:read", PARAMS(one_params),
     .rate = SLACK_TIER_2, .summary = "A remote file"},
    {SL_METHOD("files.remote.list"), SL_PEOPLE, .handler = remote_list, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = "remote_files:read", PARAMS(list_params),
     .rate = SLACK_TIER_2, .summary = "Remote files that one may see"},
    {SL_METHOD("files.remote.remove"), SL_PEOPLE, .handler = remote_remove,
     .risk = RISK_DESTRUCTIVE, .idempotent = true, .accepts = slack_form_only,
     .scopes = "remote_files:write", PARAMS(one_params), .rate = SLACK_TIER_2,
     .summary = "Remove the entry of a remote file"},
    {SL_METHOD("files.remote.share"), SL_PEOPLE, .handler = remote_share, .risk = RISK_EXTERNAL,
     .accepts = slack_form_only, .scopes = "remote_files:share", PARAMS(share_params),
     .rate = SLACK_TIER_2, .summary = "Share a remote file into channels"},
    {SL_METHOD("files.remote.update"), SL_PEOPLE, .handler = remote_update, .risk = RISK_WRITE,
     .idempotent = true, .accepts = slack_form_only, .scopes = "remote_files:write",
     PARAMS(update_params), .rate = SLACK_TIER_2, .summary = "Change the entry of a remote file"},
};

const struct rows sl_remote = ROWS(methods);
