/* SPDX-License-Identifier: Apache-2.0 */
/* Documents in the form of seed documents, and the member "access" that lists have too. */
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "services/chat/slack/files/document.h"
#include "services/chat/slack/forms.h"
#include "services/chat/slack/store.h"

int chat_doc_file(struct tx *tx, struct doc *d, const struct json *v, const char *mode,
                  struct chat_workspace *w, struct chat_file *ret)
{
    const char *key;
    if (chat_doc_workspace(tx, d, v, w) < 0 || doc_str(d, v, "file", true, &key) < 0)
        return -1;
    int r = chat_file_find(tx, w->id, key, ret);
    if (r == 1)
        r = strcmp(ret->mode, mode) == 0 && ret->state == CHAT_FILE_THERE;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, "file"), "file",
                              "there is no file \"%.80s\" with the mode %s", key, mode);
}

/* ---- who may do what ---- */

static const struct member level_members[] = {
    OWN("user", "A user", "text"),
    OWN("channel", "Or the members of a channel", "text"),
    OWN_TYPED("level", "What they may do", "read, write, owner",
              "{\"enum\":[\"read\",\"write\",\"owner\",null]}"),
};
static const struct form level_form = FORM("Who may do what with a file", level_members);

static int seed_level(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                      const struct chat_file *f)
{
    struct chat_channel ch = {0};
    struct chat_user u;
    int level;
    if (form_known(&(struct form_in){tx, d, v}, &level_form) < 0 ||
        chat_doc_user(tx, d, v, "user", workspace, &u) < 0 ||
        (json_get(v, "channel") && chat_doc_channel(tx, d, v, workspace, &ch) < 0) ||
        doc_enum(d, v, "level", chat_levels, 0, &level) < 0)
        return -1;
    if (!u.id == !ch.id)
        return doc_fail(d, v, NULL, "expected either a user or a channel");
    return chat_level_set(tx, f, ch.id, u.id, (enum chat_level)(level + 1));
}

int chat_doc_access(struct tx *tx, struct doc *d, const struct json *v, const struct chat_file *f)
{
    struct doc_items it;
    if (doc_items(d, v, "access", &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (seed_level(tx, d, item, f->workspace, f) < 0)
            return -1;
    return it.list ? 0 : chat_level_set(tx, f, 0, f->user, CHAT_MAY_ALL);
}

struct levels {
    struct tx *tx;
    struct json_writer *w;
    bool failed;
};

static int write_level(void *arg, int64_t channel, int64_t user, enum chat_level level)
{
    struct levels *l = arg;
    struct chat_channel ch;
    int r = channel ? chat_channel_get(l->tx, channel, &ch) : 0;
    json_obj(l->w, NULL);
    if (r == 1)
        json_str(l->w, "channel", ch.key);
    if (r >= 0 && user)
        r = chat_dump_user(l->tx, l->w, "user", user);
    json_str(l->w, "level", chat_levels[level - 1]);
    json_end(l->w);
    l->failed = r < 0;
    return l->failed;
}

int chat_dump_access(struct tx *tx, struct json_writer *w, int64_t file)
{
    struct levels l = {.tx = tx, .w = w};
    json_arr(w, "access");
    int r = chat_levels_each(tx, file, write_level, &l);
    json_end(w);
    return r < 0 || l.failed ? -1 : 0;
}

/* ---- documents ---- */

static const struct member canvas_section_members[] = {
    OWN_NEEDED("id", "Its id"),
    OWN_NEEDED("text", "What it says, in Markdown"),
};
static const struct form canvas_section_form =
    FORM("A section of a canvas", canvas_section_members);

static int seed_section(struct tx *tx, struct doc *d, const struct json *v,
                        struct chat_section *ret)
{
    struct chat_sections one;
    const char *id, *text, *why;
    if (form_known(&(struct form_in){tx, d, v}, &canvas_section_form) < 0 ||
        doc_str(d, v, "id", true, &id) < 0 || doc_str(d, v, "text", true, &text) < 0)
        return -1;
    int r = chat_sections_of(tx, text, &one, &why);
    if (r < 0)
        return -1;
    if (!r || one.n != 1)
        return doc_fail(d, json_get(v, "text"), "text", "expected one section: %s",
                        r ? "there is none, or more" : why);
    size_t n = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:._-");
    if (!n || id[n] || n > 80)
        return doc_fail(d, json_get(v, "id"), "id",
                        "expected 1 to 80 letters, digits, colons, points, hyphens");
    *ret = one.all[0];
    ret->id = id;
    return 0;
}

static int read_sections(struct tx *tx, struct doc *d, const struct json *v,
                         struct chat_sections *ret)
{
    const char *markdown, *why;
    const struct json *list;
    if (doc_str(d, v, "markdown", false, &markdown) < 0 || doc_list(d, v, "sections", &list) < 0)
        return -1;
    if (markdown) {
        int r =
            strlen(markdown) > CHAT_DOCUMENT_MAX ? 0 : chat_sections_of(tx, markdown, ret, &why);
        return r == 1  ? 0
               : r < 0 ? -1
                       : doc_fail(d, json_get(v, "markdown"), "markdown", "%s",
                                  strlen(markdown) > CHAT_DOCUMENT_MAX ? "is too long" : why);
    }
    *ret = (struct chat_sections){
        .all = arena_calloc(tx->arena, (list ? list->n : 0) + 1, sizeof *ret->all)};
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    struct doc_items it = {.list = list, .member = "sections"};
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (seed_section(tx, d, item, &ret->all[ret->n++]) < 0)
            return -1;
    return 0;
}

static const struct member chat_canvas_members[] = {
    OWN("workspace", "The domain of the workspace, where there are several", "text"),
    OWN_NEEDED("file", "The id of its file"),
    OWN("channel", "The channel whose canvas it is", "text"),
    OWN("main", "It is the one that the channel shows", "true or false"),
    OWN("markdown", "All of it, in Markdown", "text"),
    OWN_LIST("sections", "Or its sections", &canvas_section_form),
    OWN_LIST("access", "Who may do what with it", &level_form),
};
const struct form chat_canvas_form = FORM("A canvas: the document of a file", chat_canvas_members);

int chat_canvas_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("update slack_file set size = :size, snippet = :snippet where id = :id");
    struct chat_workspace w;
    struct chat_channel ch = {0};
    struct chat_document doc = {0};
    struct chat_file f;
    if (form_known(&(struct form_in){tx, d, v}, &chat_canvas_form) < 0 ||
        chat_doc_file(tx, d, v, "document", &w, &f) < 0 ||
        (json_get(v, "channel") && chat_doc_channel(tx, d, v, w.id, &ch) < 0) ||
        doc_bool(d, v, "main", false, &doc.main) < 0 || read_sections(tx, d, v, &doc.sections) < 0)
        return -1;
    doc.file = f.id;
    doc.channel = ch.id;
    if (doc.main && !ch.id)
        return doc_fail(d, json_get(v, "main"), "main", "needs a channel");
    if (chat_doc_added(tx, d, v, "file", chat_document_add(tx, &doc)) < 0)
        return -1;
    chat_document_measure(tx, &f, &doc.sections);
    if (TX_RUN(tx, &q, f.size, f.snippet, f.id) < 0)
        return -1;
    return chat_doc_access(tx, d, v, &f);
}

int chat_canvas_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_document d;
    struct chat_channel ch;
    struct chat_file f;
    int r = chat_document_get(tx, id, &d);
    if (r == 1)
        r = chat_file_get(tx, id, &f);
    if (r == 1 && d.channel)
        r = chat_channel_get(tx, d.channel, &ch);
    if (r != 1)
        return r;
    if (chat_dump_workspace(tx, w, f.workspace) < 0)
        return -1;
    json_str(w, "file", f.key);
    if (d.channel)
        json_str(w, "channel", ch.key);
    json_bool_opt(w, "main", d.main);
    json_arr(w, "sections");
    for (size_t i = 0; i < d.sections.n; i++) {
        json_obj(w, NULL);
        json_str(w, "id", d.sections.all[i].id);
        json_str(w, "text", d.sections.all[i].text);
        json_end(w);
    }
    json_end(w);
    return chat_dump_access(tx, w, id) < 0 ? -1 : 1;
}
