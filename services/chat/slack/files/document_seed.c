/* SPDX-License-Identifier: Apache-2.0 */
/* Documents in the form of seed documents. */
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "services/chat/slack/files/document.h"
#include "services/chat/slack/store.h"

static const struct member section_members[] = {
    {"id", "Its id", TEXT_AT(struct chat_section, id), .flags = MEMBER_REQUIRED},
    {"text", "What it says, in Markdown", TEXT_AT(struct chat_section, text),
     .flags = MEMBER_REQUIRED},
};
static const struct form canvas_section_form = FORM("A section of a canvas", section_members);

static int read_section(const struct form_in *in, struct chat_section *ret)
{
    struct chat_section given = {0};
    struct chat_sections one;
    const char *why;
    if (form_read(in, &canvas_section_form, &given) < 0)
        return -1;
    int r = chat_sections_of(in->tx, given.text, &one, &why);
    if (r < 0)
        return -1;
    if (!r || one.n != 1)
        return doc_fail(in->d, json_get(in->value, "text"), "text", "must be one section: %s",
                        r ? "there is none, or more" : why);
    size_t n =
        strspn(given.id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:._-");
    if (!n || given.id[n] || n > 80)
        return doc_fail(in->d, json_get(in->value, "id"), "id",
                        "must be 1 to 80 letters, digits, colons, points, hyphens");
    *ret = one.all[0];
    ret->id = given.id;
    return 0;
}

/* All of it as a text, or section by section. */
static int read_sections(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_sections *ret = &((struct chat_document *)row)->sections;
    const char *markdown, *why;
    struct doc *d = in->d;
    struct doc_items it;
    if (doc_str(d, in->value, "markdown", false, &markdown) < 0 ||
        doc_items(d, in->value, m->name, &it) < 0)
        return -1;
    if (markdown) {
        int r = strlen(markdown) > CHAT_DOCUMENT_MAX
                    ? 0
                    : chat_sections_of(in->tx, markdown, ret, &why);
        return r == 1  ? 0
               : r < 0 ? -1
                       : doc_fail(d, json_get(in->value, "markdown"), "markdown", "%s",
                                  strlen(markdown) > CHAT_DOCUMENT_MAX ? "is too long" : why);
    }
    *ret = (struct chat_sections){
        .all = arena_calloc(in->tx->arena, (it.list ? it.list->n : 0) + 1, sizeof *ret->all)};
    if (arena_failed(in->tx->arena))
        return sosia_fail_memory(in->tx->err);
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (read_section(&(struct form_in){in->tx, d, item}, &ret->all[ret->n++]) < 0)
            return -1;
    return 0;
}

static int write_sections(const struct form_out *out, const struct member *m, const void *row)
{
    struct chat_document doc;
    if (chat_document_get(out->tx, ((const struct chat_document *)row)->file, &doc) != 1)
        return -1;
    json_arr(out->w, m->name);
    for (size_t i = 0; i < doc.sections.n; i++) {
        json_obj(out->w, NULL);
        if (form_write(&(struct form_out){out->tx, out->w}, &canvas_section_form,
                       &doc.sections.all[i]) < 0)
            return -1;
        json_end(out->w);
    }
    json_end(out->w);
    return 0;
}

static int check_canvas(const struct form_in *in, void *row)
{
    const struct chat_document *doc = row;
    return doc->main && !doc->channel
               ? doc_fail(in->d, json_get(in->value, "main"), "main", "needs a channel")
               : 0;
}

static int add_canvas(const struct form_in *in, void *row)
{
    return chat_document_add(in->tx, row);
}

static int measure(const struct form_in *in, const struct member *m, void *row, int64_t id)
{
    static struct sql_text q =
        SQL_TEXT("update slack_file set size = :size, snippet = :snippet where id = :id");
    struct chat_file f;
    (void)m;
    if (chat_file_get(in->tx, id, &f) != 1)
        return -1;
    chat_document_measure(in->tx, &f, &((struct chat_document *)row)->sections);
    return TX_RUN(in->tx, &q, f.size, f.snippet, f.id);
}

static const struct member canvas_members[] = {
    CHAT_WORKSPACE_BY(struct chat_document, file, chat_write_workspace_of_file),
    {"file", "The id of its file", CHAT_FILE_AT(struct chat_document, file, "document"),
     .flags = MEMBER_REQUIRED},
    {"channel", "The channel whose canvas it is", CHAT_CHANNEL_AT(struct chat_document, channel)},
    {"main", "It is the one that the channel shows", BOOL_AT(struct chat_document, main)},
    OWN_GIVEN("markdown", "All of it, in Markdown", "text"),
    {"sections", "Or its sections", .kind = MEMBER_OWN, .form = &canvas_section_form,
     .read = read_sections, .write = write_sections, .added = measure},
    CHAT_ACCESS,
};
STORED(slack_canvas_stored, "A canvas: the document of a file", struct chat_document,
       canvas_members, check_canvas, .table = "slack_canvas", .id = "file", .key = "file",
       .add = add_canvas);
