/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of messages that grow (docs.slack.dev: chat.startStream, chat.appendStream,
 * chat.stopStream, the blocks task_card and plan; what was seen of the service: docs/fidelity.md).
 * What a message is made of is kept in the member "_stream" of its extra until it is ended. */
#include "services/chat/slack/web/chunks.h"

#define MAX_TEXT   12000 /* characters of a message's text, unless the workspace says others */
#define MAX_APPEND 12000 /* of what one call adds to it */
#define MAX_DETAIL 12000 /* of details and output: so long they are left out */
#define MAX_TASKS  50    /* of a plan */
#define MAX_TITLES 11000 /* bytes of all that tasks and plan say in a message that has text */
#define STATE      "_stream"
#define NO_TEXT    "This message contains interactive elements."

enum kind { TEXT, TASK, BLOCKS, PLAN };
static const char *const kinds[] = {"text", "task", "blocks", "plan"};

struct sl_part {
    enum kind kind;
    const char *stored, *text;       /* of a text: as it is stored; Markdown that follows it */
    const char *id, *title, *status; /* of a task */
    const char *details, *output;    /* Markdown; NULL: none */
    const char *sources, *icon;      /* JSON; NULL: none */
    const char *blocks;              /* JSON, a list */
    bool hide_title;
};

static bool is_status(const char *text)
{
    static const char *const all[] = {"pending", "in_progress", "complete", "error"};
    for (size_t i = 0; text && i < SOSIA_LEN(all); i++)
        if (strcmp(text, all[i]) == 0)
            return true;
    return false;
}

/* JSON of a member of that type; NULL: it is none. */
static const char *json_of(struct call *c, const struct json *v, const char *name,
                           enum json_type type)
{
    const struct json *member = json_get(v, name);
    return member && member->type == type ? json_to_text(c->tx.arena, member) : NULL;
}

/* ---- what is kept ---- */

/* A world's document may have anything there. */
static bool part_of(struct call *c, const struct json *v, struct sl_part *p)
{
    const char *kind = json_get_str(v, "kind");
    size_t i = 0;
    while (kind && i < SOSIA_LEN(kinds) && strcmp(kind, kinds[i]) != 0)
        i++;
    if (!kind || i == SOSIA_LEN(kinds))
        return false;
    *p = (struct sl_part){.kind = (enum kind)i,
                          .stored = json_get_str(v, "stored"),
                          .text = json_get_str(v, "text"),
                          .id = json_get_str(v, "id"),
                          .title = json_get_str(v, "title"),
                          .status = json_get_str(v, "status"),
                          .details = json_get_str(v, "details"),
                          .output = json_get_str(v, "output"),
                          .sources = json_of(c, v, "sources", JSON_ARRAY),
                          .icon = json_of(c, v, "icon", JSON_OBJECT),
                          .blocks = json_of(c, v, "blocks", JSON_ARRAY),
                          .hide_title = json_get_true(v, "hide_title")};
    return p->kind == TASK ? p->id && p->title && is_status(p->status)
                           : p->kind != BLOCKS || p->blocks;
}

static struct sl_part *new_part(struct sl_stream *s, enum kind kind)
{
    struct sl_part *p = &s->parts[s->n++];
    *p = (struct sl_part){.kind = kind};
    return p;
}

/* Room for more parts. */
static int make_room(struct call *c, struct sl_stream *s, size_t more)
{
    struct sl_part *parts = arena_calloc(c->tx.arena, s->n + more, sizeof *parts);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (s->n)
        memcpy(parts, s->parts, s->n * sizeof *parts);
    s->parts = parts;
    return 0;
}

int sl_stream_read(struct call *c, const struct chat_message *m, struct sl_stream *ret)
{
    const struct json *extra = NULL;
    *ret = (struct sl_stream){.display = "timeline"};
    if (m->extra &&
        json_parse(c->tx.arena, m->extra, strlen(m->extra), NULL, &extra, c->tx.err) < 0)
        return -1;
    const struct json *kept = json_get(extra, STATE), *parts = json_get(kept, "parts");
    bool some = parts && parts->type == JSON_ARRAY;
    const struct json *stopped = json_get(kept, "stopped");
    ret->stopped = stopped && stopped->type == JSON_BOOL && stopped->truth;
    if (make_room(c, ret, some ? parts->n + 1 : 1) < 0)
        return -1;
    if (!some) { /* of a document that has the text alone */
        if (m->text && *m->text)
            new_part(ret, TEXT)->stored = m->text;
        return 0;
    }
    ret->mode = json_get_str(kept, "mode");
    ret->title = json_get_str(kept, "title");
    if (json_get_str(kept, "display"))
        ret->display = json_get_str(kept, "display");
    for (uint32_t i = 0; i < parts->n; i++)
        if (part_of(c, &parts->items[i], &ret->parts[ret->n]))
            ret->n++;
    return 0;
}

static void write_kept_part(struct json_writer *w, const struct sl_part *p)
{
    json_obj(w, NULL);
    json_str(w, "kind", kinds[p->kind]);
    json_str_opt(w, "stored", p->stored);
    json_str_opt(w, "text", p->text);
    json_str_opt(w, "id", p->id);
    json_str_opt(w, "title", p->title);
    json_str_opt(w, "status", p->status);
    json_str_opt(w, "details", p->details);
    json_str_opt(w, "output", p->output);
    if (p->sources)
        json_raw(w, "sources", p->sources, strlen(p->sources));
    if (p->icon)
        json_raw(w, "icon", p->icon, strlen(p->icon));
    if (p->blocks)
        json_raw(w, "blocks", p->blocks, strlen(p->blocks));
    json_bool_opt(w, "hide_title", p->hide_title);
    json_end(w);
}

static void write_kept(struct json_writer *w, const struct sl_stream *s)
{
    json_obj(w, STATE);
    json_str_opt(w, "mode", s->mode);
    json_str(w, "display", s->display);
    json_str_opt(w, "title", s->title);
    json_arr(w, "parts");
    for (size_t i = 0; i < s->n; i++)
        write_kept_part(w, &s->parts[i]);
    json_end(w);
    json_end(w);
}

/* ---- what comes ---- */

static const char *both_of(struct call *c, const char *a, const char *b)
{
    return a && b ? arena_printf(c->tx.arena, "%s%s", a, b) : a ? a : b;
}

/* With what comes behind it; of what is too long, as much as shows that it is. */
static const char *longer(struct call *c, const char *had, const struct json *v, const char *name)
{
    const char *all = both_of(c, had, json_get_str(v, name));
    size_t n = 0, len = 0;
    for (; all && all[len]; len++)
        if (((unsigned char)all[len] & 0xc0) != 0x80 && n++ == MAX_DETAIL)
            return arena_memdup(c->tx.arena, all, len);
    return all;
}

static void add_text(struct call *c, struct sl_stream *s, const char *text)
{
    struct sl_part *last = s->n ? &s->parts[s->n - 1] : NULL;
    if (!*text)
        return;
    if (!last || last->kind != TEXT)
        last = new_part(s, TEXT);
    last->text = both_of(c, last->text, text);
}

/* Each is {"type": "url", "url", "text"}. */
static bool are_sources(const struct json *v)
{
    bool good = v->type == JSON_ARRAY;
    for (uint32_t i = 0; good && i < v->n; i++) {
        const char *type = json_get_str(&v->items[i], "type");
        const char *url = json_get_str(&v->items[i], "url");
        good = type && (strcmp(type, "url") == 0 || strcmp(type, "url_source") == 0) && url &&
               *url && json_get_str(&v->items[i], "text");
    }
    return good;
}

/* There or not, but of that type. */
static bool fits(const struct json *v, const char *name, enum json_type type)
{
    const struct json *member = json_get(v, name);
    return !member || member->type == JSON_NULL || member->type == type;
}

static struct sl_part *task_of(struct sl_stream *s, const char *id, size_t *ret_n)
{
    struct sl_part *found = NULL;
    *ret_n = 0;
    for (size_t i = 0; i < s->n; i++) {
        *ret_n += s->parts[i].kind == TASK;
        if (s->parts[i].kind == TASK && strcmp(s->parts[i].id, id) == 0)
            found = &s->parts[i];
    }
    return found;
}

/* The title and status replace what was there, the rest is added to it. */
static int add_task(struct call *c, struct sl_stream *s, const struct json *v)
{
    const char *id = json_get_str(v, "id"), *title = json_get_str(v, "title");
    const char *status = json_get_str(v, "status");
    const struct json *sources = json_get(v, "sources");
    size_t n;
    if (sources && sources->type == JSON_NULL)
        sources = NULL;
    if (!id || !*id || !title || !is_status(status) || !fits(v, "details", JSON_STRING) ||
        !fits(v, "output", JSON_STRING) || !fits(v, "icon", JSON_OBJECT) ||
        !fits(v, "hide_title", JSON_BOOL) || (sources && !are_sources(sources)))
        return slack_fail(c, "invalid_chunks");
    struct sl_part *p = task_of(s, id, &n);
    if (!p) {
        if (n == MAX_TASKS)
            return slack_fail(c, "invalid_chunks");
        p = new_part(s, TASK);
        p->id = id;
    }
    p->title = title;
    p->status = status;
    p->details = longer(c, p->details, v, "details");
    p->output = longer(c, p->output, v, "output");
    if (json_get(v, "hide_title"))
        p->hide_title = json_get_true(v, "hide_title");
    if (json_of(c, v, "icon", JSON_OBJECT))
        p->icon = json_of(c, v, "icon", JSON_OBJECT);
    if (sources && sources->n) {
        const char *more = json_to_text(c->tx.arena, sources);
        bool first = !p->sources || strcmp(p->sources, "[]") == 0;
        p->sources = first ? more
                           : arena_printf(c->tx.arena, "%.*s,%s", (int)strlen(p->sources) - 1,
                                          p->sources, more + 1);
    }
    return 0;
}

static int add_blocks(struct call *c, struct sl_stream *s, const struct json *v, uint32_t at)
{
    const struct json *blocks = json_get(v, "blocks");
    const char *made;
    if (!blocks || blocks->type != JSON_ARRAY || !blocks->n)
        return slack_fail(c, "invalid_chunks");
    if (blocks->n > SL_MESSAGE_BLOCKS)
        return slack_fail(c, "msg_blocks_too_many");
    const char *pointer = arena_printf(c->tx.arena, "/chunks/%u/blocks", at);
    int r = sl_blocks_check(c, blocks, pointer, &sl_blocks_field, &made);
    if (r < 0)
        return -1;
    if (!r) {
        slack_of(c)->repeat_messages = true;
        return slack_fail(c, "invalid_blocks");
    }
    new_part(s, BLOCKS)->blocks = made;
    return 0;
}

static int add_chunk(struct call *c, struct sl_stream *s, const struct json *v, uint32_t at)
{
    const char *type = json_get_str(v, "type"), *text = json_get_str(v, "text");
    const char *title = json_get_str(v, "title");
    if (type && strcmp(type, "markdown_text") == 0 && text) {
        add_text(c, s, text);
        return 0;
    }
    if (type && strcmp(type, "task_update") == 0)
        return add_task(c, s, v);
    if (type && strcmp(type, "blocks") == 0)
        return add_blocks(c, s, v, at);
    if (!type || strcmp(type, "plan_update") != 0 || !title)
        return slack_fail(c, "invalid_chunks");
    if (!s->title)
        new_part(s, PLAN);
    s->title = title;
    return 0;
}

static size_t text_length(const struct sl_stream *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct sl_part *p = &s->parts[i];
        if (p->kind == TEXT)
            n +=
                (p->stored ? sl_characters(p->stored) : 0) + (p->text ? sl_characters(p->text) : 0);
    }
    return n;
}

static size_t bytes_of(const char *text)
{
    return text ? strlen(text) : 0;
}

/* Clients have been refused from 10,600 bytes on at the earliest, and never without text. */
static bool is_too_long(struct call *c, const struct sl_stream *s, size_t before)
{
    size_t text = text_length(s), tasks = bytes_of(s->title);
    int64_t most = MAX_TEXT;
    json_i64(sl_preference(c, "stream_characters"), &most);
    if (text > before + MAX_APPEND)
        return true;
    for (size_t i = 0; i < s->n; i++) {
        const struct sl_part *p = &s->parts[i];
        if (p->kind == TASK)
            tasks += bytes_of(p->title) + bytes_of(p->details) + bytes_of(p->output);
    }
    return (int64_t)text > most || (text && tasks > MAX_TITLES);
}

int sl_stream_add(struct call *c, struct sl_stream *s)
{
    const char *text = param_str(c, "markdown_text");
    const struct json *chunks;
    int r = slack_value(c, "chunks", &chunks);
    if (r < 0)
        return -1;
    bool some = r && chunks->n, texted = text && *text;
    if (some && texted)
        return slack_fail(c, "cannot_provide_both_markdown_text_and_chunks");
    if (!some && !texted)
        return 0;
    const char *mode = some ? "chunks" : "markdown_text";
    if (s->mode && strcmp(s->mode, mode) != 0)
        return slack_fail(c, "streaming_mode_mismatch");
    s->mode = mode;
    size_t before = text_length(s);
    if (make_room(c, s, some ? chunks->n : 1) < 0)
        return -1;
    if (texted)
        add_text(c, s, text);
    for (uint32_t i = 0; some && i < chunks->n; i++)
        if (add_chunk(c, s, &chunks->items[i], i) < 0)
            return -1;
    return is_too_long(c, s, before) ? slack_fail(c, "msg_too_long") : 1;
}

/* ---- what it shows ---- */

static const char *stored_text(struct call *c, const struct sl_part *p)
{
    const char *text = p->text ? sl_text_stored(c, sl_markdown(c, p->text), true) : NULL;
    const char *all = both_of(c, p->stored, text);
    return all ? all : "";
}

/* What is in the brackets of a list. */
static void write_inner(struct json_writer *w, const char *key, const char *list)
{
    if (strlen(list) > 2)
        json_raw(w, key, list + 1, strlen(list) - 2);
}

static int write_formatted(struct call *c, struct json_writer *w, const char *key,
                           const char *markdown)
{
    if (!markdown || !*markdown || sl_characters(markdown) >= MAX_DETAIL)
        return 0;
    const char *made = sl_text_blocks(c, sl_text_stored(c, sl_markdown(c, markdown), true), 0);
    if (!made)
        return -1;
    write_inner(w, key, made);
    return 0;
}

static int write_task(struct call *c, struct json_writer *w, const struct sl_part *p)
{
    json_str(w, "task_id", p->id);
    json_str(w, "title", p->title);
    json_bool_opt(w, "hide_title", p->hide_title);
    json_str(w, "status", p->status);
    if (p->icon)
        json_raw(w, "icon", p->icon, strlen(p->icon));
    if (write_formatted(c, w, "details", p->details) < 0 ||
        write_formatted(c, w, "output", p->output) < 0)
        return -1;
    if (p->sources)
        json_raw(w, "sources", p->sources, strlen(p->sources));
    return 0;
}

static int open_block(struct call *c, struct json_writer *w, const char *type)
{
    const char *id = sl_block_id(&c->tx);
    json_obj(w, NULL);
    json_str(w, "type", type);
    json_str(w, "block_id", id ? id : "");
    return id ? 0 : -1;
}

static const char *plan_title(const struct sl_stream *s)
{
    const char *title = "Thinking completed";
    for (size_t i = 0; i < s->n; i++)
        if (s->parts[i].kind == TASK && strcmp(s->parts[i].status, "complete") != 0)
            title = "Thinking";
    return s->title ? s->title : title;
}

static int write_plan(struct call *c, struct json_writer *w, const struct sl_stream *s)
{
    int rc = open_block(c, w, "plan");
    json_str(w, "title", plan_title(s));
    json_arr(w, "tasks");
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        if (s->parts[i].kind != TASK)
            continue;
        json_obj(w, NULL);
        rc = write_task(c, w, &s->parts[i]);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    return rc;
}

/* Where the plan is shown: in the place of the first task, or of its title while there is none. */
static size_t plan_place(const struct sl_stream *s)
{
    size_t titled = s->n;
    for (size_t i = 0; i < s->n; i++) {
        if (s->parts[i].kind == TASK)
            return i;
        if (s->parts[i].kind == PLAN && titled == s->n)
            titled = i;
    }
    return titled;
}

static int write_blocks(struct call *c, struct json_writer *w, const struct sl_stream *s)
{
    bool plan = strcmp(s->display, "plan") == 0;
    size_t place = plan_place(s);
    int rc = 0;
    json_arr(w, NULL);
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        const struct sl_part *p = &s->parts[i];
        const char *text = p->kind == TEXT ? stored_text(c, p) : "", *made = p->blocks;
        if (plan && i == place) {
            rc = write_plan(c, w, s);
        } else if (p->kind == TASK && !plan) {
            rc = open_block(c, w, "task_card");
            rc = write_task(c, w, p) < 0 ? -1 : rc;
            json_end(w);
        } else if (p->kind == BLOCKS) {
            write_inner(w, NULL, made);
        } else if (*text) {
            if ((made = sl_text_blocks(c, text, 0)))
                write_inner(w, NULL, made);
            rc = made ? 0 : -1;
        }
    }
    json_end(w);
    return rc;
}

static int keep(struct call *c, const struct sl_stream *s, struct chat_message *m, bool done)
{
    const struct json *had = NULL;
    struct json_writer w;
    struct buf b;
    if (m->extra && json_parse(c->tx.arena, m->extra, strlen(m->extra), NULL, &had, c->tx.err) < 0)
        return -1;
    buf_init(&b, 8 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    for (uint32_t i = 0; had && i < had->n; i++)
        if (strcmp(had->members[i].key, STATE) != 0 &&
            strcmp(had->members[i].key, "streaming_state") != 0)
            json_value(&w, had->members[i].key, &had->members[i].value);
    json_str(&w, "streaming_state", done ? "completed" : "in_progress");
    if (!done)
        write_kept(&w, s);
    if (done && s->stopped) {
        json_obj(&w, STATE);
        json_bool(&w, "stopped", true);
        json_end(&w);
    }
    json_end(&w);
    m->extra = arena_strdup(c->tx.arena, buf_str(&b));
    bool failed = buf_failed(&b);
    buf_done(&b);
    return failed ? slack_fail(c, "msg_too_long") : 0;
}

static int put_blocks(struct call *c, const struct sl_stream *s, struct chat_message *m)
{
    const struct json *made;
    struct json_writer w;
    struct buf b;
    buf_init(&b, 8 << 20);
    json_init(&w, &b, false, NULL);
    int rc = write_blocks(c, &w, s);
    m->blocks = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    if (buf_failed(&b))
        rc = sosia_fail_memory(c->tx.err);
    buf_done(&b);
    if (rc < 0 || json_parse(c->tx.arena, m->blocks, strlen(m->blocks), NULL, &made, c->tx.err) < 0)
        return -1;
    if (made->n > SL_MESSAGE_BLOCKS)
        return slack_fail(c, "msg_blocks_too_many");
    if (strlen(m->blocks) > 512 * 1024)
        return slack_fail(c, "msg_blocks_too_long");
    if (!made->n)
        m->blocks = NULL;
    return 0;
}

int sl_stream_put(struct call *c, struct sl_stream *s, struct chat_message *m, bool done)
{
    bool texts = true;
    const char *text = "";
    for (size_t i = 0; i < s->n; i++) {
        struct sl_part *p = &s->parts[i];
        texts = texts && p->kind == TEXT;
        if (p->kind == TEXT)
            text = both_of(c, text, stored_text(c, p));
        if (done && p->kind == TASK && strcmp(p->status, "in_progress") == 0) {
            p->status = "error";
            s->title = "Something went wrong";
        }
    }
    m->text = text;
    m->blocks = NULL;
    m->flags = texts ? m->flags | CHAT_MADE_BLOCKS : m->flags & ~(int64_t)CHAT_MADE_BLOCKS;
    if (texts && *text && !(m->blocks = sl_text_blocks(c, text, 0)))
        return -1;
    if (!texts && put_blocks(c, s, m) < 0)
        return -1;
    if (m->blocks && !*text)
        m->text = NO_TEXT;
    m->flags = done ? m->flags & ~(int64_t)CHAT_STREAMING : m->flags | CHAT_STREAMING;
    return keep(c, s, m, done);
}

int sl_stream_drop(struct call *c, struct chat_message *m)
{
    const struct sl_stream none = {0};
    return keep(c, &none, m, true);
}
