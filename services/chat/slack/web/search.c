/* SPDX-License-Identifier: Apache-2.0 */
/* Searching messages and files, of which only those are found that the caller may see. */
#include "engine/base/codec.h"
#include "engine/search/walk.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/connect.h"
#include "services/chat/core/corpus.h"
#include "services/chat/slack/files/files.h"
#include "services/chat/slack/web/query.h"
#include <stdio.h>
#include <stdlib.h>

#define MAX_COUNT 100
#define MAX_PAGE  100

struct found {
    int64_t id, at; /* at: by which the newest are first */
};

struct searching {
    struct call *c;
    const char *text;
    struct sl_query query;
    int64_t count, page;
    bool ascending, highlight, by_cursor;
    struct {
        int64_t channel;
        bool seen;
    } known[256]; /* whether channels may be seen */
    struct found *found;
    size_t n, room;
    int64_t hosts[64]; /* workspaces whose messages may be seen, too: by channels that they share */
    size_t n_hosts;
};

static int begin_search(struct call *c, struct searching *s)
{
    const char *text = param_str(c, "query"), *dir = param_str(c, "sort_dir");
    const char *cursor = param_str(c, "cursor");
    s->c = c;
    s->text = text;
    if (sl_query_read(c, text, sl_me(c)->workspace.id, &s->query) < 0)
        return -1;
    if (s->query.empty)
        return slack_fail(c, "no_query");
    s->count = slack_count(c, "count");
    s->page = slack_count(c, "page");
    s->ascending = dir && strcmp(dir, "asc") == 0;
    s->highlight = slack_flag(c, "highlight");
    s->by_cursor = cursor && *cursor;
    if (s->by_cursor && strcmp(cursor, "*") != 0) {
        const char *value;
        int64_t page;
        if (slack_cursor(c, "page", &value) < 0)
            return -1;
        if (parse_i64(value, strlen(value), &page) < 0 || page < 1 || page > MAX_PAGE)
            return slack_fail(c, "invalid_cursor");
        s->page = page;
    }
    return 0;
}

/* ---- messages ---- */

static int seen(struct searching *s, int64_t channel)
{
    struct chat_channel ch;
    size_t at = (size_t)channel % SOSIA_LEN(s->known);
    if (s->known[at].channel == channel)
        return s->known[at].seen;
    int r = chat_channel_get(&s->c->tx, channel, &ch);
    if (r == 1)
        r = chat_can_see(&s->c->tx, &ch, &sl_me(s->c)->user);
    if (r < 0)
        return -1;
    s->known[at].channel = channel;
    s->known[at].seen = r;
    return r;
}

static int keep_found(struct searching *s, int64_t id, int64_t at)
{
    struct found *more = arena_grow(s->c->tx.arena, s->found, s->n, &s->room, sizeof *more);
    if (!more)
        return sosia_fail_memory(s->c->tx.err);
    s->found = more;
    s->found[s->n++] = (struct found){id, at};
    return 0;
}

static int find_in(struct searching *s, int64_t workspace, const struct search *query)
{
    struct call *c = s->c;
    int64_t place, id, first = chat_place(workspace, 0);
    struct chat_asker asker = {.user = sl_me(c)->user};
    struct search_ask ask = {.corpus = &chat_corpus,
                             .query = query,
                             .first = chat_place(workspace, sl_first_shown(c)),
                             .last = chat_place(workspace + 1, 0) - 1,
                             .arg = &asker};
    struct search_walk *walk = search_open(&c->tx, &ask);
    if (!walk)
        return -1;
    for (int64_t from = search_last(walk); (place = search_next(walk, from)); from = place - 1) {
        int r = chat_message_at_place(&c->tx, place, &id);
        if (r == 1)
            r = seen(s, chat_message_channel(id));
        if (r < 0 || (r && keep_found(s, id, place - first) < 0))
            return -1;
    }
    return search_failed(walk) ? -1 : 0;
}

static int keep_host(void *arg, const struct chat_workspace *w)
{
    struct searching *s = arg;
    s->hosts[s->n_hosts++] = w->id;
    return s->n_hosts == SOSIA_LEN(s->hosts);
}

static int newest_first(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at) - (x->at > y->at) : (x->id < y->id) - (x->id > y->id);
}

static int find_messages(struct searching *s)
{
    struct call *c = s->c;
    if (find_in(s, sl_me(c)->workspace.id, s->query.search) < 0 ||
        chat_connected_with(&c->tx, sl_me(c)->workspace.id, keep_host, s) < 0)
        return -1;
    for (size_t i = 0; i < s->n_hosts; i++) {
        struct sl_query there;
        if (sl_query_read(c, s->text, s->hosts[i], &there) < 0 ||
            find_in(s, s->hosts[i], there.search) < 0)
            return -1;
    }
    if (s->n && s->n_hosts)
        qsort(s->found, s->n, sizeof *s->found, newest_first);
    return 0;
}

static int stop(void *arg, const struct chat_workspace *w)
{
    (void)w;
    *(bool *)arg = true;
    return 1;
}

static int write_found_in(struct call *c, const struct chat_channel *ch)
{
    struct json_writer *w = c->out;
    bool shared = false;
    if (chat_connects(&c->tx, ch->id, stop, &shared) < 0)
        return -1;
    long long a = 0, b = 0;
    const char *name = ch->name ? ch->name : "";
    if (ch->kind == CHAT_DIRECT && sscanf(ch->pair, "%lld,%lld", &a, &b) >= 1)
        name = sl_user_key(c, b && a == sl_me(c)->user.id ? b : a);
    json_obj(w, "channel");
    json_str(w, "id", ch->key);
    json_bool(w, "is_channel", ch->kind < CHAT_DIRECT);
    json_bool(w, "is_group", false);
    json_bool(w, "is_im", ch->kind == CHAT_DIRECT);
    json_bool(w, "is_mpim", ch->kind == CHAT_GROUP);
    json_bool(w, "is_shared", shared);
    json_bool(w, "is_org_shared", false);
    json_bool(w, "is_ext_shared", shared);
    json_bool(w, "is_private", ch->kind != CHAT_PUBLIC);
    json_str(w, "name", name);
    json_arr(w, "pending_shared");
    json_end(w);
    json_bool(w, "is_pending_ext_shared", false);
    json_end(w);
    return 0;
}

/* An id of its own kind, which follows from the message. */
static void write_iid(struct call *c, const struct chat_message *m)
{
    uint64_t a = (uint64_t)m->id * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t b = (uint64_t)m->ts_us * UINT64_C(0xD1B54A32D192ED03);
    json_str(c->out, "iid",
             arena_printf(c->tx.arena, "%08llx-%04llx-4%03llx-a%03llx-%012llx",
                          (unsigned long long)(a >> 32), (unsigned long long)(a >> 16 & 0xffff),
                          (unsigned long long)(a & 0xfff), (unsigned long long)(b >> 52),
                          (unsigned long long)(b & UINT64_C(0xffffffffffff))));
}

static int write_match(struct searching *s, int64_t id)
{
    struct call *c = s->c;
    struct json_writer *w = c->out;
    struct chat_message m;
    struct chat_channel ch;
    struct chat_user u = {0};
    char ts[CHAT_TS_LEN];
    bool uploaded;
    int r = chat_message_get(&c->tx, id, &m);
    if (r == 1)
        r = chat_channel_get(&c->tx, chat_message_channel(id), &ch);
    if (r != 1 || (m.user && chat_user_get(&c->tx, m.user, &u) < 0))
        return r < 0 ? -1 : 0;
    json_obj(w, NULL);
    write_iid(c, &m);
    json_str(w, "team", sl_author_team(c, m.user));
    json_int(w, "score", 0);
    if (write_found_in(c, &ch) < 0)
        return -1;
    json_str(w, "type",
             ch.kind == CHAT_DIRECT  ? "im"
             : ch.kind == CHAT_GROUP ? "group"
                                     : "message");
    json_str(w, "user", u.key ? u.key : "");
    json_str(w, "username", u.name ? u.name : "");
    chat_ts_text(ts, m.ts_us);
    json_str(w, "ts", ts);
    const char *blocks = sl_message_blocks(s->c, &m);
    if (blocks)
        json_raw(w, "blocks", blocks, strlen(blocks));
    if (m.attachments)
        json_raw(w, "attachments", m.attachments, strlen(m.attachments));
    if (m.files && sl_write_file_list(c, &m, &uploaded) < 0)
        return -1;
    json_str(w, "text", s->highlight ? sl_highlighted(c, &s->query, m.text) : m.text);
    json_str(w, "permalink", sl_permalink(c, &ch, &m));
    json_bool(w, "no_reactions", !m.reactions);
    json_end(w);
    return 0;
}

/* Both forms of paging, and where the page begins. */
static size_t write_pages(struct searching *s)
{
    struct json_writer *w = s->c->out;
    int64_t total = (int64_t)s->n, pages = (total + s->count - 1) / s->count;
    int64_t first = (s->page - 1) * s->count, last = first + s->count;
    if (last > total)
        last = total;
    json_obj(w, "pagination");
    json_int(w, "total_count", total);
    json_int(w, "page", s->page);
    json_int(w, "per_page", s->count);
    json_int(w, "page_count", pages);
    json_int(w, "first", first + 1);
    json_int(w, "last", last);
    json_end(w);
    json_obj(w, "paging");
    json_int(w, "count", s->count);
    json_int(w, "total", total);
    json_int(w, "page", s->page);
    json_int(w, "pages", pages);
    json_end(w);
    return (size_t)first;
}

static int write_found(struct searching *s, const char *key,
                       int (*one)(struct searching *s, int64_t id))
{
    struct json_writer *w = s->c->out;
    json_obj(w, key);
    json_int(w, "total", (int64_t)s->n);
    size_t first = write_pages(s);
    json_arr(w, "matches");
    for (size_t i = first; i < s->n && i < first + (size_t)s->count; i++)
        if (one(s, s->found[s->ascending ? s->n - 1 - i : i].id) < 0)
            return -1;
    json_end(w);
    json_end(w);
    return 0;
}

static void write_next_page(struct searching *s)
{
    bool more = (size_t)(s->page * s->count) < s->n;
    if (s->by_cursor)
        slack_next(s->c, "page",
                   more ? arena_printf(s->c->tx.arena, "%lld", (long long)s->page + 1) : NULL);
}

static int search_messages(struct call *c)
{
    struct searching *s = arena_calloc(c->tx.arena, 1, sizeof *s);
    if (begin_search(c, s) < 0 || find_messages(s) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "query", param_str(c, "query"));
    if (write_found(s, "messages", write_match) < 0)
        return -1;
    write_next_page(s);
    slack_close(c);
    return 0;
}

/* ---- files ---- */

/* Are the words there, one after the other, in the text? The last one may go on. */
static bool has_words(struct call *c, const char *text, const char *words, bool begins)
{
    const char *all = sl_folded(c, text), *these = sl_folded(c, words);
    const char *end = all + strlen(all);
    size_t n = strlen(these);
    n -= n && begins;
    for (const char *p = all; (size_t)(end - p) >= n; p++) {
        if (memcmp(p, these, n) == 0)
            return true;
        p = memchr(p, ' ', (size_t)(end - p));
        if (!p)
            break;
    }
    return false;
}

struct file_asked {
    struct searching *s;
    const struct chat_file *file;
    int64_t channel; /* that the caller sees: it is looked for among where the file is shared */
    bool shared, failed;
};

static int shared_there(void *arg, const struct chat_channel *ch, const struct chat_message *m)
{
    struct file_asked *a = arg;
    int r = ch->id == a->channel ? chat_can_see(&a->s->c->tx, ch, &sl_me(a->s->c)->user) : 0;
    (void)m;
    a->failed |= r < 0;
    a->shared |= r == 1;
    return r != 0;
}

/* The question, of a file: depth is that of a tree which sl_query_read() made. */
static bool file_matches(struct file_asked *a, const struct search *q)
{
    const struct chat_file *f = a->file;
    struct call *c = a->s->c;
    int64_t at = chat_place(f->workspace, f->created_s * 1000000);
    switch (q->kind) {
    case SEARCH_AND:
        for (size_t i = 0; i < q->n_kids; i++)
            if (!file_matches(a, q->kids[i]))
                return false;
        return true;
    case SEARCH_NOT:
        return !file_matches(a, q->kids[0]);
    case SEARCH_PHRASE:
    case CHAT_Q_BEGINS:
        return has_words(c, f->title, q->text, q->kind == CHAT_Q_BEGINS) ||
               has_words(c, f->name, q->text, q->kind == CHAT_Q_BEGINS) ||
               (f->snippet && has_words(c, f->snippet, q->text, q->kind == CHAT_Q_BEGINS));
    case CHAT_Q_FROM:
        return f->user == q->id;
    case CHAT_Q_IN:
        a->channel = q->id;
        a->shared = false;
        a->failed |= chat_shares(&a->s->c->tx, f->id, shared_there, a) < 0;
        return a->shared;
    case SEARCH_RANGE:
        return q->from <= at && at < q->to;
    default:
        return false;
    }
}

static int keep_file(void *arg, const struct chat_file *f)
{
    struct file_asked *a = arg;
    struct call *c = a->s->c;
    a->file = f;
    int r = file_matches(a, a->s->query.search) ? chat_can_see_file(&c->tx, f, &sl_me(c)->user) : 0;
    if (r < 0 || (r && keep_found(a->s, f->id, 0) < 0))
        a->failed = true;
    return a->failed;
}

static int find_files(struct searching *s)
{
    struct chat_files_ask ask = {.workspace = sl_me(s->c)->workspace.id, .to_s = INT64_MAX};
    struct file_asked a = {.s = s};
    return chat_files(&s->c->tx, &ask, keep_file, &a) < 0 || a.failed ? -1 : 0;
}

static int write_file_match(struct searching *s, int64_t id)
{
    struct chat_file f;
    int r = chat_file_get(&s->c->tx, id, &f);
    return r == 1 ? sl_write_file(s->c, NULL, &f, SL_FILE_WHOLE) : r;
}

static int search_files(struct call *c)
{
    struct searching *s = arena_calloc(c->tx.arena, 1, sizeof *s);
    if (begin_search(c, s) < 0 || find_files(s) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "query", param_str(c, "query"));
    if (write_found(s, "files", write_file_match) < 0)
        return -1;
    slack_close(c);
    return 0;
}

static int search_all(struct call *c)
{
    struct searching *s = arena_calloc(c->tx.arena, 1, sizeof *s);
    if (begin_search(c, s) < 0 || find_messages(s) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "query", param_str(c, "query"));
    if (write_found(s, "messages", write_match) < 0)
        return -1;
    s->n = 0;
    if (find_files(s) < 0 || write_found(s, "files", write_file_match) < 0)
        return -1;
    json_obj(c->out, "posts"); /* of documents that there are no more */
    json_int(c->out, "total", 0);
    json_arr(c->out, "matches");
    json_end(c->out);
    json_end(c->out);
    slack_close(c);
    return 0;
}

/* ---- assistant.search ---- */

#define MAX_CONTEXT 20
#define MAX_ASKED   2000 /* characters */

struct asking {
    bool kinds[4]; /* of channels, by enum chat_kind */
    bool archived, bots, blocks;
    int64_t after_s, before_s;
};

static const char *const channel_types[] = {"public_channel", "private_channel", "im", "mpim"};

static int context_types(struct call *c, struct asking *a)
{
    static const char *const contents[] = {"messages", "files", "channels", "users"};
    static const char *const scopes[] = {"search:read.public", "search:read.private",
                                         "search:read.im", "search:read.mpim"};
    size_t n;
    const char **all = slack_list_arg(c, "content_types", &n);
    for (size_t i = 0; i < n; i++)
        if (!str_in_nocase(all[i], contents, SOSIA_LEN(contents)))
            return slack_invalid_arguments(c, "/content_types",
                                           "must be one of: messages, files, channels, users");
    for (size_t i = 0; i < n; i++) {
        const char *scope = str_eq_nocase(all[i], "files")   ? "search:read.files"
                            : str_eq_nocase(all[i], "users") ? "search:read.users"
                                                             : NULL;
        if (scope && !slack_has_scope(c, scope))
            return slack_missing_scope(c, scope);
    }
    all = slack_list_arg(c, "channel_types", &n);
    a->kinds[CHAT_PUBLIC] = !n;
    for (size_t i = 0; i < n; i++) {
        size_t kind = 0;
        while (kind < SOSIA_LEN(channel_types) && strcmp(all[i], channel_types[kind]) != 0)
            kind++;
        if (kind == SOSIA_LEN(channel_types))
            return slack_invalid_arguments(
                c, "/channel_types", "must be one of: public_channel, private_channel, mpim, im");
        if (!slack_has_scope(c, scopes[kind]))
            return slack_missing_scope(c, scopes[kind]);
        a->kinds[kind] = true;
    }
    return 0;
}

/* The query with what term_clauses and modifiers add to it. */
static int whole_query(struct call *c, const char **ret)
{
    const char *text = param_str(c, "query"), *modifiers = param_str(c, "modifiers");
    const char *channel = param_str(c, "context_channel_id"), *token = param_str(c, "action_token");
    struct chat_channel ch;
    size_t n;
    const char **clauses = slack_list_arg(c, "term_clauses", &n);
    if (!text || !*text)
        return slack_fail(c, "missing_query");
    if (sl_characters(text) > MAX_ASKED)
        return slack_fail(c, "query_too_long");
    if (n > 5 || (modifiers && sl_characters(modifiers) > 500))
        return slack_invalid_arguments(c, n > 5 ? "/term_clauses" : "/modifiers",
                                       n > 5 ? "no more than 5 items allowed"
                                             : "must be less than 501 characters");
    if (sl_me(c)->is_bot && (!token || !*token))
        return slack_fail(c, "invalid_action_token");
    if (channel && *channel) {
        int r = chat_channel_find(&c->tx, sl_me(c)->workspace.id, channel, &ch);
        if (r == 1)
            r = chat_can_see(&c->tx, &ch, &sl_me(c)->user);
        if (r != 1)
            return r < 0 ? -1 : slack_fail(c, "context_channel_not_found");
    }
    for (size_t i = 0; i < n; i++)
        text = arena_printf(c->tx.arena, "%s %s", text, clauses[i]);
    *ret = modifiers ? arena_printf(c->tx.arena, "%s %s", text, modifiers) : text;
    return 0;
}

/* A message with its channel and who wrote it (id 0: nobody). 1, 0, -1. */
static int load_message(struct call *c, int64_t id, struct chat_message *m, struct chat_channel *ch,
                        struct chat_user *u)
{
    *u = (struct chat_user){0};
    int r = chat_message_get(&c->tx, id, m);
    if (r == 1)
        r = chat_channel_get(&c->tx, chat_message_channel(id), ch);
    return r == 1 && m->user && chat_user_get(&c->tx, m->user, u) < 0 ? -1 : r;
}

/* Is the message one of those that are wanted? 1, 0, -1. */
static int wanted(struct call *c, const struct asking *a, int64_t id)
{
    struct chat_message m;
    struct chat_channel ch;
    struct chat_user u;
    int r = load_message(c, id, &m, &ch, &u);
    if (r != 1)
        return r;
    int64_t at_s = m.ts_us / 1000000;
    return a->kinds[ch.kind] && (a->archived || !ch.archived) && (a->bots || !u.bot) &&
           at_s >= a->after_s && at_s <= a->before_s;
}

static int write_context(struct searching *s, const struct asking *a, int64_t id)
{
    struct call *c = s->c;
    struct json_writer *w = c->out;
    struct chat_message m;
    struct chat_channel ch;
    struct chat_user u;
    char ts[CHAT_TS_LEN];
    int r = load_message(c, id, &m, &ch, &u);
    if (r != 1)
        return r;
    chat_ts_text(ts, m.ts_us);
    const char *blocks = a->blocks ? sl_message_blocks(c, &m) : NULL;
    json_obj(w, NULL);
    json_str(w, "author_name", u.real_name ? u.real_name : "");
    json_str(w, "author_user_id", u.key ? u.key : "");
    json_str(w, "team_id", sl_me(c)->workspace.key);
    json_str(w, "channel_id", ch.key);
    json_str(w, "channel_name", ch.name ? ch.name : "");
    json_str(w, "message_ts", ts);
    json_str(w, "content", s->highlight ? sl_highlighted(c, &s->query, m.text) : m.text);
    json_bool(w, "is_author_bot", u.bot);
    json_str(w, "permalink", sl_permalink(c, &ch, &m));
    if (blocks)
        json_raw(w, "blocks", blocks, strlen(blocks));
    json_end(w);
    return 0;
}

/* What else may be found: by the words of the query alone. */
struct finding {
    struct searching *s;
    int64_t limit, n;
    bool deleted, failed;
};

static bool says_all(const struct sl_query *q, const char *text)
{
    for (size_t i = 0; i < q->n_words; i++)
        if (!strcasestr(text, q->words[i].text))
            return false;
    return q->n_words > 0;
}

/* Whether there is something that the caller may see (1, 0, -1); 1: no more is wanted. */
static int counted(struct finding *g, int r)
{
    g->n += r == 1;
    g->failed = r < 0;
    return g->failed || g->n == g->limit;
}

static int found_file(void *arg, const struct chat_file *f)
{
    struct finding *g = arg;
    struct call *c = g->s->c;
    struct json_writer *w = c->out;
    if (!says_all(&g->s->query, arena_printf(c->tx.arena, "%s %s %s", f->name, f->title,
                                             f->snippet ? f->snippet : "")))
        return 0;
    int r = chat_can_see_file(&c->tx, f, &sl_me(c)->user);
    if (r == 1) {
        json_obj(w, NULL);
        json_str(w, "uploader_user_id", sl_user_key(c, f->user));
        json_str(w, "author_user_id", sl_user_key(c, f->user));
        json_str(w, "team_id", sl_me(c)->workspace.key);
        json_str(w, "file_id", f->key);
        json_int(w, "date_created", f->created_s);
        json_int(w, "date_updated", f->updated_s);
        json_str(w, "title", f->title);
        json_str(w, "file_type", f->filetype);
        json_str(
            w, "permalink",
            sl_team_url(c, arena_printf(c->tx.arena, "/files/%s/%s/%s", sl_user_key(c, f->user),
                                        f->key, sl_file_url_name(c, f->name))));
        json_str(w, "content", f->snippet ? f->snippet : "");
        json_end(w);
    }
    return counted(g, r);
}

static int found_channel(void *arg, const struct chat_channel *ch)
{
    struct finding *g = arg;
    struct call *c = g->s->c;
    struct json_writer *w = c->out;
    if (!ch->name || ch->kind != CHAT_PUBLIC || (ch->archived && !g->deleted) ||
        !says_all(&g->s->query,
                  arena_printf(c->tx.arena, "%s %s %s", ch->name, ch->topic, ch->purpose)))
        return 0;
    int r = chat_can_see(&c->tx, ch, &sl_me(c)->user);
    if (r == 1) {
        json_obj(w, NULL);
        json_str(w, "team_id", sl_me(c)->workspace.key);
        json_str(w, "creator_user_id", sl_user_key(c, ch->creator));
        json_int(w, "date_created", ch->created_s);
        json_int(w, "date_updated", ch->updated_us / 1000000);
        json_str(w, "channel_id", ch->key);
        json_str(w, "name", ch->name);
        json_str(w, "topic", ch->topic);
        json_str(w, "purpose", ch->purpose);
        json_str(w, "permalink",
                 sl_team_url(c, arena_printf(c->tx.arena, "/archives/%s", ch->key)));
        json_end(w);
    }
    return counted(g, r);
}

static int found_person(void *arg, const struct chat_user *u)
{
    struct finding *g = arg;
    struct call *c = g->s->c;
    struct json_writer *w = c->out;
    if ((u->deleted && !g->deleted) || !u->actor ||
        !says_all(&g->s->query,
                  arena_printf(c->tx.arena, "%s %s %s", u->name, u->real_name, u->title)))
        return 0;
    int r = sl_sees(c, u);
    if (r != 1)
        return counted(g, r);
    json_obj(w, NULL);
    json_str(w, "user_id", u->key);
    json_str(w, "full_name", u->real_name);
    if (u->email && slack_has_scope(c, "users:read.email"))
        json_str(w, "email", u->email);
    json_str(w, "title", u->title);
    json_str(w, "timezone", u->zone);
    json_str(w, "permalink", sl_team_url(c, arena_printf(c->tx.arena, "/team/%s", u->key)));
    json_end(w);
    return counted(g, 1);
}

static int write_others(struct searching *s, int64_t limit)
{
    struct call *c = s->c;
    struct chat_files_ask files = {.workspace = sl_me(c)->workspace.id, .to_s = INT64_MAX};
    size_t n;
    const char **types = slack_list_arg(c, "content_types", &n);
    struct finding g = {.s = s, .limit = limit};
    if (str_in_nocase("files", types, n)) {
        json_arr(c->out, "files");
        if (chat_files(&c->tx, &files, found_file, &g) < 0 || g.failed)
            return -1;
        json_end(c->out);
    }
    g = (struct finding){
        .s = s, .limit = limit, .deleted = slack_flag(c, "include_archived_channels")};
    if (str_in_nocase("channels", types, n)) {
        json_arr(c->out, "channels");
        if (chat_channels(&c->tx, files.workspace, 0, NULL, found_channel, &g) < 0 || g.failed)
            return -1;
        json_end(c->out);
    }
    g = (struct finding){.s = s, .limit = limit, .deleted = slack_flag(c, "include_deleted_users")};
    if (str_in_nocase("users", types, n)) {
        json_arr(c->out, "users");
        if (chat_users(&c->tx, files.workspace, "", found_person, &g) < 0 || g.failed)
            return -1;
        json_end(c->out);
    }
    return 0;
}

static int search_context(struct call *c)
{
    struct searching *s = arena_calloc(c->tx.arena, 1, sizeof *s);
    const char *query, *dir = param_str(c, "sort_dir"), *value;
    struct asking a = {.archived = slack_flag(c, "include_archived_channels"),
                       .bots = slack_flag(c, "include_bots"),
                       .blocks = slack_flag(c, "include_message_blocks")};
    size_t first = 0, n = 0, types;
    int64_t limit, from;
    if (whole_query(c, &query) < 0 || context_types(c, &a) < 0 || slack_limit(c, &limit) < 0)
        return -1;
    int r = slack_cursor(c, "at", &value);
    if (r < 0 || (r && (parse_i64(value, strlen(value), &from) < 0 || from < 0)))
        return r < 0 ? -1 : slack_fail(c, "invalid_cursor");
    first = r ? (size_t)from : 0;
    a.after_s = sl_seconds_arg(c, "after", 0);
    a.before_s = sl_seconds_arg(c, "before", INT64_MAX);
    s->c = c;
    s->text = query;
    s->highlight = slack_flag(c, "highlight");
    s->ascending = dir && strcmp(dir, "asc") == 0;
    const char **contents = slack_list_arg(c, "content_types", &types);
    bool messages = !types || str_in_nocase("messages", contents, types);
    if (sl_query_read(c, query, sl_me(c)->workspace.id, &s->query) < 0 ||
        (messages && !s->query.empty && find_messages(s) < 0))
        return -1;
    slack_open(c);
    json_obj(c->out, "results");
    json_arr(c->out, "messages");
    for (size_t i = 0; i < s->n && n <= first + (size_t)limit; i++) {
        int64_t id = s->found[s->ascending ? s->n - 1 - i : i].id;
        if ((r = wanted(c, &a, id)) < 0)
            return -1;
        if (r && n >= first && n < first + (size_t)limit && write_context(s, &a, id) < 0)
            return -1;
        n += (size_t)r;
    }
    json_end(c->out);
    if (write_others(s, limit) < 0)
        return -1;
    json_end(c->out);
    slack_next(c, "at",
               n > first + (size_t)limit
                   ? arena_printf(c->tx.arena, "%lld", (long long)first + limit)
                   : NULL);
    slack_close(c);
    return 0;
}

static int search_info(struct call *c)
{
    slack_open(c);
    json_bool(c->out, "is_ai_search_enabled", strcmp(sl_me(c)->workspace.plan, "free") != 0);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param search_params[] = {
    SL_NEEDED("query"),
    SL_ARG("count", SL_WHOLE(1, MAX_COUNT), .def = "20"),
    SL_ARG("highlight", SL_FLAG),
    SL_ARG("page", SL_WHOLE(1, MAX_PAGE), .def = "1"),
    SL_ARG("cursor"),
    SL_ARG("sort", SL_WORDS("score", "timestamp"), .def = "score"),
    SL_ARG("sort_dir", SL_WORDS("asc", "desc"), .def = "desc"),
    SL_ARG("team_id")};

static const struct param context_params[] = {
    SL_ARG("query"),
    SL_ARG("action_token"),
    SL_ARG("channel_types", SL_LIST),
    SL_ARG("content_types", SL_LIST),
    SL_ARG("include_bots", SL_FLAG_ON),
    SL_ARG("include_deleted_users", SL_FLAG),
    SL_ARG("before", SL_WHOLE(0, INT64_MAX),
           .summary = "Only messages before this second since 1970"),
    SL_ARG("after", SL_WHOLE(0, INT64_MAX),
           .summary = "Only messages after this second since 1970"),
    SL_ARG("include_context_messages", SL_FLAG),
    SL_ARG("context_channel_id"),
    SL_ARG("cursor"),
    SL_ARG("limit", SL_WHOLE(0, 20), .def = "20"),
    SL_ARG("sort", SL_WORDS("score", "timestamp"), .def = "score"),
    SL_ARG("sort_dir", SL_WORDS("asc", "desc"), .def = "desc"),
    SL_ARG("include_message_blocks", SL_FLAG),
    SL_ARG("highlight", SL_FLAG),
    SL_ARG("term_clauses", SL_LIST),
    SL_ARG("modifiers"),
    SL_ARG("include_archived_channels", SL_FLAG),
    SL_ARG("disable_semantic_search", SL_FLAG)};

static const struct route methods[] = {
    {SL_METHOD("assistant.search.context"), SL_PEOPLE, .handler = search_context, .risk = RISK_READ,
     .scopes = "search:read.public", PARAMS(context_params), .rate = SLACK_SPECIAL,
     .summary = "Messages that an assistant may answer from"},
    {SL_METHOD("assistant.search.info"), SL_PEOPLE, .handler = search_info, .risk = RISK_READ,
     .scopes = "search:read.public", .rate = SLACK_TIER_2, .summary = "What such a search can do"},
    {SL_METHOD("search.messages"), .token_kinds = TOKEN_USER, .handler = search_messages,
     .risk = RISK_READ, .accepts = slack_form_only, .scopes = "search:read", PARAMS(search_params),
     .rate = SLACK_TIER_2, .summary = "Search messages"},
    {SL_METHOD("search.files"), .token_kinds = TOKEN_USER, .handler = search_files,
     .risk = RISK_READ, .accepts = slack_form_only, .scopes = "search:read", PARAMS(search_params),
     .rate = SLACK_TIER_2, .summary = "Search files"},
    {SL_METHOD("search.all"), .token_kinds = TOKEN_USER, .handler = search_all, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = "search:read", PARAMS(search_params),
     .rate = SLACK_TIER_2, .summary = "Search messages and files"},
};

const struct rows sl_search = ROWS(methods);
