/* SPDX-License-Identifier: Apache-2.0 */
/* Documents in the form of seed documents, and the member "access" that lists have too. */
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "services/chat/slack/files/document.h"
#include "services/chat/slack/store.h"

const struct reference chat_file_reference = {.noun = "the id of a file"};

int chat_read_file(const struct form_in *in, const struct member *m, void *row)
{
    const char *key, *mode = m->names[0];
    struct chat_file f;
    if (doc_str(in->d, in->value, m->name, true, &key) < 0)
        return -1;
    int r = chat_file_find(in->tx, *(const int64_t *)row, key, &f);
    if (r == 1)
        r = strcmp(f.mode, mode) == 0 && f.state == CHAT_FILE_THERE;
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                "there is no file \"%.80s\" with the mode %s", key, mode);
    member_put_number(m, row, f.id);
    return 0;
}

int chat_write_file(const struct form_out *out, const struct member *m, const void *row)
{
    static struct sql_text q = SQL_TEXT("select key from slack_file where id = :id");
    return dump_key(out->tx, out->w, m->name, &q, member_number(m, row));
}

int chat_write_workspace_of_file(const struct form_out *out, const struct member *m,
                                 const void *row)
{
    struct chat_file f;
    return chat_file_get(out->tx, member_number(m, row), &f) != 1
               ? -1
               : chat_dump_workspace(out->tx, out->w, f.workspace);
}

/* ---- who may do what ---- */

struct access {
    int64_t workspace, file, channel, user;
    int level;
};

static int check_access(const struct form_in *in, void *row)
{
    const struct access *a = row;
    return !a->user == !a->channel
               ? doc_fail(in->d, in->value, NULL, "must have either a user or a channel")
               : 0;
}

static int add_access(const struct form_in *in, void *row)
{
    const struct access *a = row;
    struct chat_file f;
    return chat_file_get(in->tx, a->file, &f) != 1
               ? -1
               : chat_level_set(in->tx, &f, a->channel, a->user, (enum chat_level)(a->level + 1));
}

static const struct member access_members[] = {
    {.kind = MEMBER_INT, MEMBER_TYPED(struct access, file, int64_t)},
    {"channel", "The members of a channel", CHAT_CHANNEL_AT(struct access, channel)},
    {"user", "Or a user", CHAT_USER_AT(struct access, user)},
    {"level", "What they may do", ENUM_AT(struct access, level, chat_levels),
     .flags = MEMBER_SPOKEN | MEMBER_ALWAYS},
};
const struct form chat_access_form = {.about = "Who may do what with a file",
                                      .members = access_members,
                                      .n = SOSIA_LEN(access_members),
                                      .size = sizeof(struct access),
                                      .check = check_access};
static struct stored access_stored = {
    .form = &chat_access_form, .table = "slack_access", .add = add_access};

static int begin_access(const struct form_in *in, void *row, int64_t file)
{
    struct access *a = row;
    a->workspace = *(const int64_t *)in->of;
    a->file = file;
    return 0;
}

struct stored_rows chat_access_rows = {&access_stored, SQL_TEXT("where file = ?1 order by id"),
                                       begin_access};

int chat_add_access(const struct form_in *in, const struct member *m, void *row, int64_t id)
{
    const struct json *list = json_get(in->value, m->name);
    struct chat_file f;
    if (list && list->type != JSON_NULL)
        return stored_add_rows(in, m, row, id);
    return chat_file_get(in->tx, id, &f) != 1 ? -1
                                              : chat_level_set(in->tx, &f, 0, f.user, CHAT_MAY_ALL);
}

/* ---- documents ---- */

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
