/* SPDX-License-Identifier: Apache-2.0 */
/* agents.conversations.getCanvas and setCanvasContent: a plan that an agent keeps as a canvas of
 * its code channel, changed in the sections alone that are other ones. */
#include "services/chat/slack/agents/agents.h"
#include "services/chat/slack/files/canvas.h"

#define MAX_DIFFED 2000 /* sections that differ, on either side */

/* The canvas of the channel that the arguments name: one of its views, or a tab of its own. */
static int canvas_arg(struct call *c, enum chat_level needed, struct chat_file *f,
                      struct chat_document *d)
{
    struct chat_agent_channel a;
    struct chat_channel ch;
    enum chat_level level;
    if (sl_agent_channel(c, "channel", false, &ch, &a) < 0 ||
        sl_canvas_arg(c, "canvas_id", "canvas_not_found", CHAT_MAY_READ, f, d) < 0)
        return -1;
    int r = d->channel == ch.id ? 1 : chat_agent_view_shows(&c->tx, ch.id, f->id);
    if (r < 0 || chat_level_of(&c->tx, f, &sl_me(c)->user, &level) < 0)
        return -1;
    return !r || level < needed ? slack_fail(c, "canvas_not_found") : 0;
}

static int get_canvas(struct call *c)
{
    int format = 0;
    struct chat_document d;
    struct chat_file f;
    if (slack_word(c, "content_format", &format) < 0 || canvas_arg(c, CHAT_MAY_READ, &f, &d) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "canvas_id", f.key);
    json_str(c->out, "title", f.title);
    json_str(c->out, "content", chat_sections_markdown(&c->tx, &d.sections));
    json_arr(c->out, "comments"); /* nobody writes any on a canvas here */
    json_end(c->out);
    json_bool(c->out, "has_more_comments", false);
    slack_close(c);
    return 0;
}

/* ---- what is another ---- */

static bool same(const struct chat_section *a, const struct chat_section *b)
{
    return a->kind == b->kind && strcmp(a->text, b->text) == 0;
}

/* Lengths of the longest common parts of what comes behind each pair. */
struct table {
    uint16_t *cells;
    size_t columns;
};

static uint16_t *cell(const struct table *t, size_t row, size_t column)
{
    return &t->cells[row * t->columns + column];
}

static int fill(struct call *c, struct table *t, const struct chat_section *a, size_t n,
                const struct chat_section *b, size_t m)
{
    t->columns = m + 1;
    t->cells = arena_calloc(c->tx.arena, (n + 1) * (m + 1), sizeof *t->cells);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = n; i-- > 0;)
        for (size_t k = m; k-- > 0;) {
            uint16_t down = *cell(t, i + 1, k), right = *cell(t, i, k + 1);
            *cell(t, i, k) = same(&a[i], &b[k]) ? (uint16_t)(*cell(t, i + 1, k + 1) + 1)
                             : down > right     ? down
                                                : right;
        }
    return 0;
}

/* Sections that both have keep their ids. *ret: how many were replaced, inserted and deleted. */
static int keep_ids(struct call *c, const struct chat_sections *had, struct chat_sections *now,
                    int64_t *ret)
{
    size_t from = 0, n = had->n, m = now->n, gone = 0, new = 0;
    struct table t;
    *ret = 0;
    for (; from < n && from < m && same(&had->all[from], &now->all[from]); from++)
        now->all[from].id = had->all[from].id;
    for (; n > from && m > from && same(&had->all[n - 1], &now->all[m - 1]); n--, m--)
        now->all[m - 1].id = had->all[n - 1].id;
    const struct chat_section *a = had->all + from;
    struct chat_section *b = now->all + from;
    n -= from;
    m -= from;
    if (n > MAX_DIFFED || m > MAX_DIFFED)
        return slack_fail(c, "too_many_sections");
    if (fill(c, &t, a, n, b, m) < 0)
        return -1;
    for (size_t i = 0, k = 0; i < n || k < m;) {
        if (i < n && k < m && same(&a[i], &b[k])) {
            b[k++].id = a[i++].id;
            *ret += (int64_t)(gone > new ? gone : new);
            gone = new = 0;
        } else if (k == m || (i < n && *cell(&t, i + 1, k) >= *cell(&t, i, k + 1))) {
            gone++;
            i++;
        } else {
            new ++;
            k++;
        }
    }
    *ret += (int64_t)(gone > new ? gone : new);
    return 0;
}

static int set_content(struct call *c)
{
    const char *content = param_str(c, "content");
    struct chat_sections now;
    struct chat_document d;
    struct chat_file f;
    int64_t changed;
    if (!content || !*content)
        return slack_invalid_arguments(c, "/content", "must be more than 0 characters");
    if (canvas_arg(c, CHAT_MAY_WRITE, &f, &d) < 0)
        return -1;
    if (strlen(content) > CHAT_DOCUMENT_MAX)
        return slack_fail(c, "content_too_large");
    if (sl_canvas_markdown(c, content, "canvas_content_update_failed", &now) < 0)
        return -1;
    if (now.n > CHAT_SECTIONS_MAX)
        return slack_fail(c, "too_many_sections");
    if (keep_ids(c, &d.sections, &now, &changed) < 0)
        return -1;
    d.sections = now;
    if (changed && sl_canvas_store(c, &f, &d) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "canvas_id", f.key);
    json_int(c->out, "sections_changed_count", changed);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param get_params[] = {
    SL_NEEDED("channel"), SL_NEEDED("canvas_id"),
    SL_ARG("content_format", SL_WORDS("markdown"), .def = "markdown"),
    SL_ARG("include_resolved", SL_FLAG)};
static const struct param set_params[] = {SL_NEEDED("channel"), SL_NEEDED("canvas_id"),
                                          SL_NEEDED("content")};

static const struct route methods[] = {
    {SL_METHOD("agents.conversations.getCanvas"), .token_kinds = TOKEN_BOT, .handler = get_canvas,
     .risk = RISK_READ, .scopes = "code_channels:manage", PARAMS(get_params), .rate = SLACK_TIER_3,
     .summary = "A canvas of a code channel as Markdown"},
    {SL_METHOD("agents.conversations.setCanvasContent"), .token_kinds = TOKEN_BOT,
     .handler = set_content, .risk = RISK_WRITE, .scopes = "code_channels:manage",
     PARAMS(set_params), .rate = SLACK_TIER_3,
     .summary = "Give a canvas of a code channel another text"},
};

const struct rows sl_agent_canvas = ROWS(methods);
