/* SPDX-License-Identifier: Apache-2.0 */
/* agents.conversations.setView and its like: what an agent shows in tabs of a code channel. */
#include "engine/base/utf8.h"
#include "engine/blob/blob.h"
#include "engine/text/civil.h"
#include "services/chat/slack/agents/agents.h"
#include "services/chat/slack/blocks/blocks.h"
#include "services/chat/slack/files/canvas.h"
#include <ctype.h>
#include <strings.h>

#define MAX_VIEWS   5
#define MAX_CONTENT 1000000 /* bytes */
#define MAX_DOMAINS 20

/* What the core's types are called here. */
static const char *const types[] = {
    [CHAT_VIEW_PAGE] = "html",         [CHAT_VIEW_DIFF] = "diff",
    [CHAT_VIEW_BLOCKS] = "block_kit",  [CHAT_VIEW_DOCUMENT] = "canvas",
    [CHAT_VIEW_LINK] = "pull_request", NULL};

/* ---- arguments ---- */

/* What one call says of a view. */
struct asked {
    enum chat_agent_view_type type;
    const char *key, *label; /* NULL: none */
    const char *content;     /* bytes of the file behind it; NULL: a canvas or a link */
    struct chat_file canvas; /* of a canvas */
    enum chat_level level;
    const char *detail; /* JSON; NULL: none */
};

static int type_arg(struct call *c, enum chat_agent_view_type *ret)
{
    int type = CHAT_VIEW_PAGE;
    if (slack_word(c, "type", &type) < 0)
        return -1;
    *ret = (enum chat_agent_view_type)type;
    return 0;
}

/* A host that everybody can reach: no address of a private network, no name inside of one. */
static bool is_public_host(const char *host, size_t n)
{
    static const char *const inside[] = {".localhost", ".local",   ".internal",
                                         ".intranet",  ".corp",    ".home",
                                         ".lan",       ".private", ".localdomain"};
    bool dot = false, letter = false;
    if (!n || n > 253 || host[0] == '.' || host[n - 1] == '.')
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!isalnum((unsigned char)host[i]) && host[i] != '-' && host[i] != '.')
            return false;
        dot |= host[i] == '.';
        letter |= isalpha((unsigned char)host[i]) != 0;
    }
    for (size_t i = 0; i < SOSIA_LEN(inside); i++) {
        size_t k = strlen(inside[i]);
        if (n >= k && strncasecmp(host + n - k, inside[i], k) == 0)
            return false;
    }
    return dot && letter; /* an address in digits is refused, whatever it is */
}

/* "https://cdn.example.com", without a path; a star may stand for a name below it. */
static bool is_origin(const char *text)
{
    if (strncmp(text, "https://", 8) != 0)
        return false;
    const char *host = text + 8 + (strncmp(text + 8, "*.", 2) == 0 ? 2 : 0);
    size_t n = strcspn(host, ":/?#@"), port = 0;
    if (!is_public_host(host, n))
        return false;
    const char *rest = host + n;
    if (*rest == ':') {
        port = strspn(rest + 1, "0123456789");
        if (!port || port > 5)
            return false;
        rest += 1 + port;
    }
    return !*rest || strcmp(rest, "/") == 0;
}

/* The argument csp, written as it is kept. */
static int write_csp(struct call *c, struct json_writer *w)
{
    static const char *const names[] = {"connect_domains", "resource_domains"};
    const struct json *v;
    int r = slack_value(c, "csp", &v);
    if (r <= 0)
        return r;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *list = &v->members[i].value;
        const char *at = arena_printf(c->tx.arena, "/csp/%.64s", v->members[i].key);
        if (strcmp(v->members[i].key, names[0]) != 0 && strcmp(v->members[i].key, names[1]) != 0)
            return slack_invalid_arguments(c, at, "additional properties are not allowed");
        if (list->type != JSON_ARRAY || list->n > MAX_DOMAINS)
            return slack_invalid_arguments(
                c, at,
                list->type != JSON_ARRAY ? "must be an array" : "no more than 20 items allowed");
        for (uint32_t k = 0; k < list->n; k++)
            if (list->items[k].type != JSON_STRING || !is_origin(list->items[k].str))
                return slack_fail(c, "invalid_csp_domain");
    }
    json_value(w, "csp", v);
    return 0;
}

/* An https address with a path. */
static bool is_request_url(const char *url)
{
    if (strncmp(url, "https://", 8) != 0)
        return false;
    size_t n = strcspn(url + 8, "/?#");
    for (const char *p = url; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == '"' || *p == '<' || *p == '>')
            return false;
    return n && !memchr(url + 8, '@', n) && url[8 + n] == '/' && url[9 + n];
}

static int missing(struct call *c)
{
    return slack_fail(c, "missing_required_arg");
}

/* The list of blocks, as it is shown. */
static int blocks_arg(struct call *c, struct asked *a)
{
    const struct json *list;
    int r = slack_value(c, "blocks", &list);
    if (r <= 0)
        return r < 0 ? -1 : missing(c);
    r = sl_blocks_check(c, list, "/blocks", slack_shape(c, "blocks"), &a->content);
    if (r < 0)
        return -1;
    if (!r) {
        slack_of(c)->repeat_messages = true;
        return slack_fail(c, "invalid_blocks");
    }
    return a->content ? 0 : missing(c);
}

static int shown_canvas_arg(struct call *c, struct asked *a, struct json_writer *w)
{
    const char *level, *hash, *id = param_str(c, "canvas_id");
    enum chat_level own;
    struct chat_document d;
    int which;
    if (!id || !*id)
        return missing(c);
    if (sl_short_arg(c, "access_level", 16, &level) < 0 ||
        sl_short_arg(c, "agent_content_hash", 128, &hash) < 0 ||
        slack_word(c, "access_level", &which) < 0)
        return -1;
    level = level ? level : "write";
    if (sl_canvas_arg(c, "canvas_id", "canvas_not_found", CHAT_MAY_READ, &a->canvas, &d) < 0 ||
        chat_level_of(&c->tx, &a->canvas, &sl_me(c)->user, &own) < 0)
        return -1;
    /* Nobody gives others more than he has. */
    a->level = strcmp(level, "write") == 0 ? CHAT_MAY_WRITE : CHAT_MAY_READ;
    if (own < CHAT_MAY_WRITE)
        return slack_fail(c, "canvas_not_found");
    json_str(w, "access_level", level);
    json_str_opt(w, "agent_content_hash", hash);
    return 0;
}

static int text_arg(struct call *c, struct asked *a, struct json_writer *w)
{
    const char *base, *head;
    a->content = param_str(c, "content");
    if (!a->content || !*a->content)
        return missing(c);
    if (strlen(a->content) > MAX_CONTENT)
        return slack_fail(c, "content_too_large");
    if (a->type != CHAT_VIEW_DIFF)
        return 0;
    if (sl_short_arg(c, "base_branch", 255, &base) < 0 ||
        sl_short_arg(c, "head_branch", 255, &head) < 0)
        return -1;
    json_str_opt(w, "base_branch", base);
    json_str_opt(w, "head_branch", head);
    return 0;
}

static int link_arg(struct call *c, struct json_writer *w)
{
    const char *url;
    if (sl_short_arg(c, "pr_url", 2048, &url) < 0)
        return -1;
    if (!url)
        return missing(c);
    if (!is_request_url(url))
        return slack_fail(c, "invalid_pr_url");
    json_str(w, "pr_url", url);
    return 0;
}

static int read_parts(struct call *c, struct asked *a, struct json_writer *w)
{
    if (write_csp(c, w) < 0)
        return -1;
    switch (a->type) {
    case CHAT_VIEW_BLOCKS:
        return blocks_arg(c, a);
    case CHAT_VIEW_DOCUMENT:
        return shown_canvas_arg(c, a, w);
    case CHAT_VIEW_LINK:
        return link_arg(c, w);
    default:
        return text_arg(c, a, w);
    }
}

static int read_asked(struct call *c, struct asked *ret)
{
    const char *label, *old;
    struct json_writer w;
    struct buf b;
    *ret = (struct asked){0};
    if (type_arg(c, &ret->type) < 0 || sl_short_arg(c, "view_key", 256, &ret->key) < 0 ||
        sl_short_arg(c, "name", 256, &label) < 0 || sl_short_arg(c, "label", 256, &old) < 0)
        return -1;
    ret->label = label ? label : old;
    if (ret->type == CHAT_VIEW_DIFF)
        ret->key = NULL;
    if (!ret->key && ret->type != CHAT_VIEW_DIFF && ret->type != CHAT_VIEW_LINK)
        return missing(c);
    json_start(&w, &b);
    json_obj(&w, NULL);
    int rc = read_parts(c, ret, &w);
    json_end(&w);
    if (rc == 0 && b.len > 2)
        ret->detail = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    if (rc == 0 && buf_failed(&b))
        rc = sosia_fail_memory(c->tx.err);
    buf_done(&b);
    return rc;
}

/* The last part of a key's path. */
static const char *last_part(const char *key)
{
    const char *slash = strrchr(key, '/');
    return slash && slash[1] ? slash + 1 : key;
}

static const char *label_of(struct call *c, const struct asked *a)
{
    const char *name = a->key ? last_part(a->key) : "";
    const char *dot = strrchr(name, '.');
    if (a->type == CHAT_VIEW_DIFF)
        return "Diff";
    if (!*name)
        return "Pull request";
    if (dot && dot != name && (strcasecmp(dot, ".html") == 0 || strcasecmp(dot, ".htm") == 0))
        return arena_memdup(c->tx.arena, name, (size_t)(dot - name));
    return name;
}

/* ---- what is behind a view ---- */

static const char *file_name(struct call *c, const struct asked *a, const char *label)
{
    static const char *const endings[] = {
        [CHAT_VIEW_PAGE] = ".html", [CHAT_VIEW_DIFF] = ".diff", [CHAT_VIEW_BLOCKS] = ".json"};
    const char *name = a->key ? last_part(a->key) : label, *ending = endings[a->type];
    size_t n = strlen(name), k = strlen(ending);
    return n > k && strcasecmp(name + n - k, ending) == 0
               ? name
               : arena_printf(c->tx.arena, "%s%s", name, ending);
}

/* A new file of the agent's, which the channel has. */
static int add_file(struct call *c, const struct asked *a, const char *label, int64_t channel,
                    int64_t *ret)
{
    static const char *const filetypes[] = {
        [CHAT_VIEW_PAGE] = "html", [CHAT_VIEW_DIFF] = "diff", [CHAT_VIEW_BLOCKS] = "json"};
    static const char *const media[] = {[CHAT_VIEW_PAGE] = "text/html",
                                        [CHAT_VIEW_DIFF] = "text/plain",
                                        [CHAT_VIEW_BLOCKS] = "text/plain"};
    const struct sl_caller *me = sl_me(c);
    int64_t now = c->tx.now_us / US_PER_SECOND;
    struct chat_file f = {.workspace = me->workspace.id,
                          .user = me->user.id,
                          .app = me->app,
                          .state = CHAT_FILE_THERE,
                          .mode = "hosted",
                          .name = file_name(c, a, label),
                          .title = label,
                          .mimetype = media[a->type],
                          .filetype = filetypes[a->type],
                          .size = (int64_t)strlen(a->content),
                          .created_s = now,
                          .updated_s = now};
    chat_file_look(&c->tx, &f, a->content, (size_t)f.size);
    if (blob_put(&c->tx, a->content, (size_t)f.size, &f.blob) < 0 ||
        chat_file_add(&c->tx, &f) < 0 || chat_file_share(&c->tx, &f, channel, 0) < 0 ||
        chat_file_save(&c->tx, &f, OP_ADDED) < 0)
        return -1;
    *ret = f.id;
    return 0;
}

/* The same file with other bytes. */
static int change_file(struct call *c, const struct asked *a, const char *label, int64_t id)
{
    struct chat_file f;
    int64_t blob;
    if (chat_file_get(&c->tx, id, &f) != 1 ||
        blob_put(&c->tx, a->content, strlen(a->content), &blob) < 0 ||
        (f.blob && blob_unref(&c->tx, f.blob) < 0))
        return -1;
    f.blob = blob;
    f.size = (int64_t)strlen(a->content);
    chat_file_look(&c->tx, &f, a->content, (size_t)f.size);
    f.title = label;
    f.editor = sl_me(c)->user.id;
    return chat_file_save(&c->tx, &f, OP_CHANGED);
}

/* Deletes what only the view had. */
static int drop_file(struct call *c, enum chat_agent_view_type type, int64_t id)
{
    struct chat_file f;
    if (!id || type == CHAT_VIEW_DOCUMENT)
        return 0;
    int r = chat_file_get(&c->tx, id, &f);
    return r != 1 ? r : f.state == CHAT_FILE_THERE ? chat_file_delete(&c->tx, &f) : 0;
}

/* v->file becomes what is asked for; v is as it was, of the type before. */
static int put_content(struct call *c, const struct asked *a, struct chat_agent_view *v)
{
    if (a->type == CHAT_VIEW_LINK) {
        v->file = 0;
        return 0;
    }
    if (a->type == CHAT_VIEW_DOCUMENT) {
        v->file = a->canvas.id;
        return chat_level_set(&c->tx, &a->canvas, v->channel, 0, a->level);
    }
    return v->file && v->type == a->type ? change_file(c, a, v->label, v->file)
                                         : add_file(c, a, v->label, v->channel, &v->file);
}

/* ---- setting ---- */

static int answer_shown(struct call *c, const struct chat_channel *ch,
                        const struct chat_agent_view *v)
{
    struct chat_file f = {.key = ""};
    if (v->file && chat_file_get(&c->tx, v->file, &f) != 1)
        return -1;
    slack_open(c);
    json_str(c->out, "channel_id", ch->key);
    json_str(c->out, "view_id", v->key);
    json_str(c->out, "file_id", f.key);
    if (v->type == CHAT_VIEW_DOCUMENT)
        json_str(c->out, "canvas_id", f.key);
    json_int(c->out, "content_version", v->version);
    json_str(c->out, "type", types[v->type]);
    slack_close(c);
    return 0;
}

static int add_view(struct call *c, const struct asked *a, struct chat_agent_view *v)
{
    int64_t n;
    if (chat_agent_view_count(&c->tx, v->channel, &n) < 0)
        return -1;
    if (n >= MAX_VIEWS)
        return slack_fail(c, "too_many_views");
    v->label = a->label ? a->label : label_of(c, a);
    v->type = a->type;
    if (put_content(c, a, v) < 0)
        return -1;
    return chat_agent_view_add(&c->tx, v);
}

static int change_view(struct call *c, const struct asked *a, struct chat_agent_view *v)
{
    const struct chat_agent_view before = *v;
    if (v->user != sl_me(c)->user.id)
        return slack_fail(c, "not_view_owner");
    if (a->label)
        v->label = a->label;
    v->version++;
    v->detail = a->detail;
    if (put_content(c, a, v) < 0)
        return -1;
    v->type = a->type;
    if (chat_agent_view_save(&c->tx, v) < 0)
        return -1;
    return before.file == v->file ? 0 : drop_file(c, before.type, before.file);
}

static int set_view(struct call *c)
{
    struct chat_agent_channel channel;
    struct chat_agent_view v;
    struct chat_channel ch;
    struct asked a;
    if (sl_agent_channel(c, "channel_id", true, &ch, &channel) < 0 || read_asked(c, &a) < 0)
        return -1;
    int r = a.key ? chat_agent_view_find(&c->tx, ch.id, NULL, a.key, &v)
                  : chat_agent_view_only(&c->tx, ch.id, a.type, &v);
    if (r < 0)
        return -1;
    if (!r)
        v = (struct chat_agent_view){.channel = ch.id,
                                     .user = sl_me(c)->user.id,
                                     .name = a.key,
                                     .version = 1,
                                     .added_s = c->tx.now_us / US_PER_SECOND,
                                     .detail = a.detail};
    if ((r ? change_view(c, &a, &v) : add_view(c, &a, &v)) < 0 ||
        chat_agent_channel_save(&c->tx, &channel) < 0)
        return -1;
    return answer_shown(c, &ch, &v);
}

/* ---- listing, removing ---- */

struct listing {
    struct call *c;
    bool failed;
};

static int list_view(void *arg, const struct chat_agent_view *v)
{
    struct listing *l = arg;
    struct json_writer *w = l->c->out;
    struct chat_file f = {.key = ""};
    l->failed = v->file && chat_file_get(&l->c->tx, v->file, &f) != 1;
    json_obj(w, NULL);
    json_str(w, "view_id", v->key);
    json_str_opt(w, "view_key", v->name);
    json_str(w, "file_id", f.key);
    json_str(w, "label", v->label);
    json_int(w, "content_version", v->version);
    json_int(w, "date_added", v->added_s);
    json_end(w);
    return l->failed;
}

static int list_views(struct call *c)
{
    struct listing l = {.c = c};
    struct chat_agent_channel a;
    struct chat_channel ch;
    if (sl_agent_channel(c, "channel_id", true, &ch, &a) < 0)
        return -1;
    slack_open(c);
    json_arr(c->out, "views");
    if (chat_agent_views(&c->tx, ch.id, list_view, &l) < 0 || l.failed)
        return -1;
    json_end(c->out);
    slack_close(c);
    return 0;
}

static int remove_view(struct call *c)
{
    const char *name, *key = param_str(c, "view_id");
    struct chat_agent_channel a;
    struct chat_agent_view v;
    struct chat_channel ch;
    key = key && *key ? key : NULL;
    if (sl_short_arg(c, "view_key", 256, &name) < 0)
        return -1;
    if (!key == !name)
        return slack_invalid_arguments(c, NULL, "exactly one of view_key and view_id is required");
    if (sl_agent_channel(c, "channel_id", true, &ch, &a) < 0)
        return -1;
    int r = chat_agent_view_find(&c->tx, ch.id, key, name, &v);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "view_not_found");
    if (v.user != sl_me(c)->user.id)
        return slack_fail(c, "not_view_owner");
    if (chat_agent_view_remove(&c->tx, &v) < 0 || drop_file(c, v.type, v.file) < 0 ||
        chat_agent_channel_save(&c->tx, &a) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "channel_id", ch.key);
    json_str(c->out, "view_id", v.key);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param set_params[] = {
    SL_NEEDED("channel_id"),
    SL_ARG("type", .type = PARAM_ENUM, .values = types, .fault = "invalid_view_type",
           .summary = "Kind of the view"),
    SL_ARG("view_key"),
    SL_ARG("content"),
    SL_ARG("blocks", SL_ARRAY_OF(sl_view_blocks_field), .fault = "invalid_blocks"),
    SL_ARG("canvas_id"),
    SL_ARG("access_level", SL_WORDS("read", "write", "comment"), .def = "write"),
    SL_ARG("agent_content_hash"),
    SL_ARG("pr_url"),
    SL_ARG("base_branch"),
    SL_ARG("head_branch"),
    SL_ARG("name", .summary = "Name of the view"),
    SL_ARG("label"),
    SL_ARG("csp", SL_OBJECT)};
static const struct param list_params[] = {SL_NEEDED("channel_id")};
static const struct param remove_params[] = {SL_NEEDED("channel_id"), SL_ARG("view_key"),
                                             SL_ARG("view_id")};

static const struct route methods[] = {
    {SL_METHOD("agents.conversations.listViews"), .token_kinds = TOKEN_BOT, .handler = list_views,
     .risk = RISK_READ, .scopes = "code_channels:manage", PARAMS(list_params), .rate = SLACK_TIER_3,
     .summary = "What agents show in a code channel"},
    {SL_METHOD("agents.conversations.removeView"), .token_kinds = TOKEN_BOT, .handler = remove_view,
     .risk = RISK_DESTRUCTIVE, .idempotent = true, .scopes = "code_channels:manage",
     PARAMS(remove_params), .rate = SLACK_TIER_3, .summary = "Take a view out of a code channel"},
    {SL_METHOD("agents.conversations.setView"), .token_kinds = TOKEN_BOT, .handler = set_view,
     .risk = RISK_WRITE, .scopes = "code_channels:manage", PARAMS(set_params), .rate = SLACK_TIER_3,
     .summary = "Show something in a code channel"},
};

const struct rows sl_agent_views = ROWS(methods);
