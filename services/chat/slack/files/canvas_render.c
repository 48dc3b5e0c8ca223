/* SPDX-License-Identifier: Apache-2.0 */
/* Canvases as they are shown: in files.info, in the properties of a channel, as a page of HTML. */
#include "engine/base/codec.h"
#include "services/chat/slack/files/canvas.h"
#include "services/chat/slack/agents/agents.h"

/* ---- in files.info ---- */

struct people {
    struct call *c;
    bool open;
};

static int write_person(void *arg, int64_t channel, int64_t user, enum chat_level level)
{
    struct people *p = arg;
    if (channel)
        return 0;
    if (!p->open)
        json_arr(p->c->out, "dm_mpdm_users_with_file_access");
    p->open = true;
    json_obj(p->c->out, NULL);
    json_str(p->c->out, "user_id", sl_user_key(p->c, user));
    json_str(p->c->out, "access", chat_levels[level - 1]);
    json_end(p->c->out);
    return 0;
}

int sl_write_canvas_parts(struct call *c, const struct chat_file *f)
{
    struct json_writer *w = c->out;
    struct people people = {.c = c};
    struct chat_document d;
    struct chat_channel ch;
    enum chat_level level;
    int64_t owner;
    int r = chat_document_get(&c->tx, f->id, &d);
    if (r != 1)
        return r;
    if (d.channel && chat_channel_get(&c->tx, d.channel, &ch) < 0)
        return -1;
    if (chat_level_of(&c->tx, f, &sl_me(c)->user, &level) < 0 ||
        chat_level_owner(&c->tx, f->id, &owner) < 0)
        return -1;
    json_int(w, "updated", f->updated_s);
    json_int(w, "edit_timestamp", f->updated_s);
    json_str(w, "last_editor", sl_user_key(c, f->editor ? f->editor : f->user));
    json_str(w, "canvas_creator_id", sl_user_key(c, owner ? owner : f->user));
    json_str(w, "access", chat_levels[level ? level - 1 : 0]);
    json_bool(w, "is_channel_space", d.main);
    if (d.channel)
        json_str(w, "linked_channel_id", ch.key);
    if (chat_levels_each(&c->tx, f->id, write_person, &people) < 0)
        return -1;
    if (people.open)
        json_end(w);
    return 0;
}

/* ---- in the properties of a channel ---- */

struct tabs {
    struct call *c;
    const struct json *had;                  /* the channel's own properties; NULL: none */
    const struct chat_agent_channel *agents; /* NULL: it is none of agents */
    bool open, in_tabs, failed;
};

static void write_had(struct tabs *t)
{
    struct json_writer *w = t->c->out;
    json_obj(w, "properties");
    t->open = true;
    for (uint32_t i = 0; t->had && i < t->had->n; i++)
        if (strcmp(t->had->members[i].key, "tabs") != 0 &&
            strcmp(t->had->members[i].key, "canvas") != 0)
            json_value(w, t->had->members[i].key, &t->had->members[i].value);
    if (t->agents)
        t->failed = sl_write_agent_properties(t->c, t->agents) < 0;
}

static void begin_tabs(struct tabs *t)
{
    const struct json *tabs = json_get(t->had, "tabs");
    if (!t->open)
        write_had(t);
    json_arr(t->c->out, "tabs");
    t->in_tabs = true;
    for (uint32_t i = 0; tabs && tabs->type == JSON_ARRAY && i < tabs->n; i++)
        json_value(t->c->out, NULL, &tabs->items[i]);
}

static int write_tab(void *arg, const struct chat_file *f, bool main, bool empty)
{
    struct tabs *t = arg;
    struct json_writer *w = t->c->out;
    if (main) { /* it comes first */
        write_had(t);
        json_obj(w, "canvas");
        json_str(w, "file_id", f->key);
        json_bool(w, "is_empty", empty);
        json_str(w, "quip_thread_id", arena_printf(t->c->tx.arena, "%sA", f->key + 1));
        json_end(w);
    }
    if (!t->in_tabs)
        begin_tabs(t);
    json_obj(w, NULL);
    json_str(w, "id", arena_printf(t->c->tx.arena, "Ct%s", f->key + 1));
    json_str(w, "type", main ? "channel_canvas" : "canvas");
    json_str(w, "label", main ? "" : f->title);
    json_obj(w, "data");
    json_str(w, "file_id", f->key);
    json_end(w);
    json_end(w);
    return 0;
}

/* What a channel of agents has there besides. */
static int write_agents(struct tabs *t, const struct chat_channel *ch)
{
    int r = sl_has_agent_tabs(t->c, ch->id);
    if (r < 0)
        return -1;
    if (r && !t->in_tabs)
        begin_tabs(t);
    if (!t->open)
        write_had(t);
    return r ? sl_write_agent_tabs(t->c, ch->id) : 0;
}

int sl_write_properties(struct call *c, const struct chat_channel *ch)
{
    struct chat_agent_channel a;
    struct tabs t = {.c = c};
    if (ch->properties && json_parse(c->tx.arena, ch->properties, strlen(ch->properties), NULL,
                                     &t.had, c->tx.err) < 0)
        return -1;
    int r = ch->properties ? chat_agent_channel_get(&c->tx, ch->id, &a) : 0;
    if (r < 0)
        return -1;
    t.agents = r ? &a : NULL;
    if (chat_documents(&c->tx, ch->id, write_tab, &t) < 0 ||
        (t.agents && write_agents(&t, ch) < 0) || t.failed)
        return -1;
    if (t.in_tabs)
        json_end(c->out);
    if (t.open)
        json_end(c->out);
    else if (ch->properties)
        json_raw(c->out, "properties", ch->properties, strlen(ch->properties));
    return 0;
}

/* ---- as a page ---- */

static const struct mark {
    const char *mark, *tag;
} marks[] = {{"**", "b"}, {"__", "b"}, {"~~", "del"}, {"*", "i"}, {"_", "i"}, {"`", "code"}};

/* "[text](url)" at p; 0: there is none. */
static size_t put_link(struct buf *b, const char *p, size_t left)
{
    const char *end = p + left;
    const char *mid = memmem(p, left, "](", 2);
    const char *close = mid ? memchr(mid, ')', (size_t)(end - mid)) : NULL;
    if (!close || mid == p + 1 || memchr(p + 1, '[', (size_t)(mid - p - 1)))
        return 0;
    buf_puts(b, "<a href=\"");
    html_escape(b, mid + 2, (size_t)(close - mid - 2), "\"");
    buf_puts(b, "\">");
    html_escape(b, p + 1, (size_t)(mid - p - 1), "\"");
    buf_puts(b, "</a>");
    return (size_t)(close + 1 - p);
}

/* What is between a mark and its like, one level deep; 0: p begins none. */
static size_t put_mark(struct buf *b, const char *p, size_t left)
{
    for (size_t i = 0; i < SOSIA_LEN(marks); i++) {
        size_t n = strlen(marks[i].mark);
        if (left <= 2 * n || strncmp(p, marks[i].mark, n) != 0 || p[n] == ' ')
            continue;
        const char *end = memmem(p + n, left - n, marks[i].mark, n);
        if (!end || end == p + n)
            continue;
        buf_printf(b, "<%s>", marks[i].tag);
        html_escape(b, p + n, (size_t)(end - p) - n, "\"");
        buf_printf(b, "</%s>", marks[i].tag);
        return (size_t)(end - p) + n;
    }
    return 0;
}

/* A line beyond this has its marks left as they are: each is looked for to the end of the line. */
#define MAX_MARKED 4000

static void put_words(struct buf *b, const char *text, size_t n)
{
    bool plain = n > MAX_MARKED;
    for (size_t i = 0; i < n;) {
        size_t len = plain            ? 0
                     : text[i] == '[' ? put_link(b, text + i, n - i)
                                      : put_mark(b, text + i, n - i);
        if (!len)
            html_escape(b, text + i, len = 1, "\"");
        i += len;
    }
}

static void put_lines(struct buf *b, const char *text, char mark)
{
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, "\n");
        if (!first)
            buf_puts(b, "<br/>");
        size_t skip = mark && *text == mark ? 1 + (text[1] == ' ') : 0;
        put_words(b, text + skip, n - (skip < n ? skip : n));
        text += n + (text[n] == '\n');
    }
}

static void put_table(struct buf *b, const struct chat_section *s)
{
    int row = 0;
    buf_printf(b, "<table id='%s'>", s->id);
    for (const char *line = s->text; *line; row++) {
        size_t n = strcspn(line, "\n");
        if (row != 1) {
            buf_puts(b, "<tr>");
            for (size_t at = 1; at < n;) {
                size_t end = at;
                while (end < n && (line[end] != '|' || line[end - 1] == '\\'))
                    end++;
                if (end == n && strspn(line + at, " \t\r") >= n - at)
                    break;
                size_t from = at + strspn(line + at, " "), to = end;
                while (to > from && line[to - 1] == ' ')
                    to--;
                buf_puts(b, "<td>");
                put_words(b, line + from, to > from ? to - from : 0);
                buf_puts(b, "</td>");
                at = end + 1;
            }
            buf_puts(b, "</tr>");
        }
        line += n + (line[n] == '\n');
    }
    buf_puts(b, "</table>");
}

static void put_code(struct buf *b, const struct chat_section *s)
{
    const char *from = strchr(s->text, '\n');
    size_t n = from ? strlen(++from) : 0;
    if (n >= 3 && memcmp(from + n - 3, "```", 3) == 0)
        n -= 3;
    buf_printf(b, "<pre id='%s' class='prettyprint'>", s->id);
    html_escape(b, from ? from : "", n, "\"");
    buf_puts(b, "</pre>");
}

/* An item of a list, with what opens and closes the list around it. */
static void put_item(struct buf *b, const struct chat_sections *all, size_t at)
{
    const struct chat_section *s = &all->all[at];
    static const char *const styles[] = {
        [CHAT_BULLET] = "5", [CHAT_NUMBER] = "6", [CHAT_CHECK] = "7"};
    const char *list = s->kind == CHAT_NUMBER ? "ol" : "ul", *box = strchr(s->text, '[');
    if (!at || s[-1].kind != s->kind)
        buf_printf(b, "<div data-section-style='%s'><%s>", styles[s->kind], list);
    bool done = s->kind == CHAT_CHECK && box && strchr("xX", box[1]);
    buf_printf(b, "<li id='%s' class='%s' value='1'><span>", s->id, done ? "checked" : "");
    const char *words = chat_section_words(s);
    put_words(b, words, strlen(words));
    buf_puts(b, "</span><br/></li>");
    if (at + 1 == all->n || s[1].kind != s->kind)
        buf_printf(b, "</%s></div>", list);
}

static void put_section(struct buf *b, const struct chat_sections *all, size_t at)
{
    const struct chat_section *s = &all->all[at];
    const char *words = chat_section_words(s);
    switch (s->kind) {
    case CHAT_H1:
    case CHAT_H2:
    case CHAT_H3:
        buf_printf(b, "<h%d id='%s'>", s->kind - CHAT_H1 + 1, s->id);
        put_words(b, words, strlen(words));
        buf_printf(b, "</h%d>", s->kind - CHAT_H1 + 1);
        break;
    case CHAT_BULLET:
    case CHAT_NUMBER:
    case CHAT_CHECK:
        put_item(b, all, at);
        break;
    case CHAT_CODE:
        put_code(b, s);
        break;
    case CHAT_TABLE:
        put_table(b, s);
        break;
    case CHAT_DIVIDER:
        buf_printf(b, "<hr id='%s'/>", s->id);
        break;
    default:
        buf_printf(b, s->kind == CHAT_QUOTE ? "<blockquote id='%s'>" : "<p id='%s' class='line'>",
                   s->id);
        put_lines(b, s->text, s->kind == CHAT_QUOTE ? '>' : 0);
        buf_puts(b, s->kind == CHAT_QUOTE ? "</blockquote>" : "</p>");
    }
    buf_puts(b, "\n\n");
}

int sl_canvas_html(struct call *c, const struct chat_file *f, const char **ret)
{
    struct chat_document d;
    struct buf b;
    int r = chat_document_get(&c->tx, f->id, &d);
    if (r != 1)
        return r;
    buf_init(&b, 16 * CHAT_DOCUMENT_MAX);
    for (size_t i = 0; i < d.sections.n; i++)
        put_section(&b, &d.sections, i);
    bool failed = buf_failed(&b);
    *ret = failed ? NULL : arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    return failed ? sosia_fail_memory(c->tx.err) : 1;
}
