/* SPDX-License-Identifier: Apache-2.0 */
/* Hits of a search, as the answer has them. */
#include "vendors/microsoft/find.h"
#include <strings.h>

/* The text of the word that is searched for at the beginning of p; 0: it is none of them. */
static size_t marked_at(const struct graph_words *w, const char *p)
{
    size_t n, other;
    if (!w)
        return 0;
    if (w->kind == WORDS_TERM) {
        n = strlen(w->text);
        return (!w->property || strcmp(w->property, "filename") == 0) &&
                       strncasecmp(p, w->text, n) == 0
                   ? n
                   : 0;
    }
    if (w->kind == WORDS_NOT)
        return 0;
    n = marked_at(w->left, p);
    other = marked_at(w->right, p);
    return n > other ? n : other;
}

/* The text with <c0> around the words that are searched for, as SharePoint marks them. */
static const char *marked(struct arena *a, const char *text, const struct graph_words *w)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *p = text; *p;) {
        const size_t n = p == text || strchr(" ._-", p[-1]) ? marked_at(w, p) : 0;
        if (n) {
            buf_puts(&b, "<c0>");
            buf_add(&b, p, n);
            buf_puts(&b, "</c0>");
        } else {
            buf_byte(&b, *p);
        }
        p += n ? n : 1;
    }
    const char *made = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return made ? made : "";
}

static const char *summary_of(struct arena *a, const struct graph_find *f, const struct json *v)
{
    const char *text = f->summary ? f->summary : json_get_str(v, "bodyPreview");
    text = text ? text : json_get_str(v, "displayName");
    if (!text && f->words && (text = json_get_str(v, "name")))
        return marked(a, text, f->words);
    return text ? text : "";
}

int graph_hit(struct call *c, struct graph_find *f, const char *id, const char *type,
              const struct json_mask *mask, int (*write)(struct call *c, void *arg), void *arg)
{
    struct json_writer *out = c->out, w;
    const struct json *v;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, mask);
    c->out = &w;
    json_obj(&w, NULL);
    json_str(&w, "@odata.type", arena_printf(c->tx.arena, "#microsoft.graph.%s", type));
    int r = write(c, arg);
    json_end(&w);
    c->out = out;
    const char *text = arena_memdup(c->tx.arena, b.data, b.len);
    if (r == 0)
        r = buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                           : json_parse(c->tx.arena, text, b.len, NULL, &v, c->tx.err);
    if (r == 0) {
        if (!f->n++)
            json_arr(out, "hits");
        json_obj(out, NULL);
        json_str(out, "hitId", id);
        json_int(out, "rank", ++f->rank);
        json_str(out, "summary", summary_of(c->tx.arena, f, v));
        json_raw(out, "resource", text, b.len);
        json_end(out);
    }
    buf_done(&b);
    return r;
}
