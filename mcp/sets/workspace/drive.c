/* SPDX-License-Identifier: Apache-2.0 */
/* Drive tools of the set "workspace". Source of names, arguments and lines: the published code of a
 * community server. */
#include "mcp/sets/workspace/workspace.h"
#include "engine/base/utf8.h"
#include <strings.h>

/* Is it a question of the service's language, and not words? */
static bool is_question(const char *text)
{
    static const char *const signs[] = {" contains '",  " in parents", " in owners",
                                        " in writers",  " in readers", " has {",
                                        " contains \"", "sharedWithMe"};
    for (size_t i = 0; i < SOSIA_LEN(signs); i++)
        if (strstr(text, signs[i]))
            return true;
    return strpbrk(text, "=<>") != NULL;
}

/* The media type that is called so; another text is one itself. */
static const char *type_named(const char *name)
{
    static const char *const types[][2] = {
        {"folder", "application/vnd.google-apps.folder"},
        {"document", "application/vnd.google-apps.document"},
        {"doc", "application/vnd.google-apps.document"},
        {"spreadsheet", "application/vnd.google-apps.spreadsheet"},
        {"sheet", "application/vnd.google-apps.spreadsheet"},
        {"presentation", "application/vnd.google-apps.presentation"},
        {"slides", "application/vnd.google-apps.presentation"},
        {"form", "application/vnd.google-apps.form"},
        {"drawing", "application/vnd.google-apps.drawing"},
        {"pdf", "application/pdf"},
        {"shortcut", "application/vnd.google-apps.shortcut"},
        {"script", "application/vnd.google-apps.script"},
        {"site", "application/vnd.google-apps.site"},
        {"jam", "application/vnd.google-apps.jam"},
        {"jamboard", "application/vnd.google-apps.jam"},
    };
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (strcasecmp(name, types[i][0]) == 0)
            return types[i][1];
    return name;
}

static const struct json *of_type(struct set_run *r, const char *question)
{
    const struct json *type = json_get(r->args, "file_type");
    if (!value_holds(type))
        return value_text(r->arena, question);
    return value_text(r->arena, arena_printf(r->arena, "(%s) and mimeType = %s", question,
                                             set_quoted(r->arena, type_named(type->str))));
}

static const struct json *question(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    const char *words = value_words(r->arena, v);
    return of_type(r, is_question(words) ? words
                                         : arena_printf(r->arena, "fullText contains %s",
                                                        set_quoted(r->arena, words)));
}

static const struct json *inside(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return of_type(r, arena_printf(r->arena, "%s in parents and trashed=false",
                                   set_quoted(r->arena, value_words(r->arena, v))));
}

static const struct json *exactly(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    return value_text(r->arena, arena_printf(r->arena, "name = %s",
                                             set_quoted(r->arena, value_words(r->arena, v))));
}

/* What a document is exported as; nothing for other files. */
static const struct json *export_of(struct set_run *r, const struct json *v, const char *arg,
                                    const struct json *item)
{
    const char *type = value_words(r->arena, v), *as = NULL;
    if (strcmp(type, "application/vnd.google-apps.document") == 0 ||
        strcmp(type, "application/vnd.google-apps.presentation") == 0)
        as = "text/plain";
    else if (strcmp(type, "application/vnd.google-apps.spreadsheet") == 0)
        as = "text/csv";
    return as ? value_text(r->arena, as) : NULL;
}

/* The text of a file below a heading. */
static int get_content(struct set_run *r, const struct json **ret)
{
    const struct json *as = template_ref(r, "_file.mimeType|export", NULL);
    size_t step = as ? 2 : 1, n = 0;
    const char *content;
    int rc = set_call_bytes(r, step, template_eval(r, r->row->arguments[step], NULL), &content, &n);
    if (rc > 0) {
        bool text = n == strlen(content) && utf8_valid(content, n);
        set_remember(r, "_content",
                     value_text(r->arena,
                                text ? content : arena_printf(r->arena, "[Binary: %zu bytes]", n)));
        *ret = template_eval(r, r->row->result, NULL);
    }
    return rc;
}

int workspace_file_content(struct set_run *r, const struct json **ret)
{
    const struct json *ignored;
    int rc = workspace_run(r, &ignored); /* which has no steps of its own to run */
    return rc > 0 ? get_content(r, ret) : rc;
}

/* ---- making documents ---- */

/* What the importer takes, by the end of a name. */
static const char *type_of_end(const char *end)
{
    static const char *const types[][2] = {
        {"md", "text/markdown"},
        {"markdown", "text/markdown"},
        {"txt", "text/plain"},
        {"text", "text/plain"},
        {"html", "text/html"},
        {"htm", "text/html"},
        {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
        {"doc", "application/msword"},
        {"rtf", "application/rtf"},
        {"odt", "application/vnd.oasis.opendocument.text"},
    };
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (strcasecmp(end, types[i][0]) == 0)
            return types[i][1];
    return NULL;
}

/* A file name without folders, and where its ending begins; NULL: it has none. */
static const char *base_name(struct arena *a, const char *name, const char **ret_end)
{
    size_t n = strlen(name);
    while (n && name[n - 1] == '/')
        n--;
    char *base = arena_memdup(a, name, n);
    base = strrchr(base, '/') ? strrchr(base, '/') + 1 : base;
    char *dot = strrchr(base, '.');
    bool ends = dot && dot > base && dot[1];
    *ret_end = ends ? dot + 1 : NULL;
    return base;
}

/* The media type of a text that becomes a document: as it is said, by the name, by what it looks
 * like. */
static const struct json *source(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    const struct json *said = json_get(r->args, "source_format");
    const char *content = value_words(r->arena, json_get(r->args, "content")), *end, *type = NULL;
    if (value_holds(said)) {
        type = type_of_end(said->str + strspn(said->str, "."));
        if (!type)
            set_refuse(r, "source_format must be md, txt, html, docx, doc, rtf or odt, not %s",
                       call_quote(r->m->c, said));
        return type ? value_text(r->arena, type) : NULL;
    }
    base_name(r->arena, value_words(r->arena, v), &end);
    if (end)
        type = type_of_end(end);
    if (!type && (*content == '#' || strstr(content, "```") || strstr(content, "**")))
        type = "text/markdown";
    return value_text(r->arena, type ? type : "text/plain");
}

/* A name without its ending. */
static const struct json *stem(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    const char *end, *base = base_name(r->arena, value_words(r->arena, v), &end);
    return end ? value_text(r->arena, arena_memdup(r->arena, base, (size_t)(end - base - 1))) : v;
}

/* ---- who may open a file ---- */

/* Permissions of everybody who has the link. */
static const struct json *of_link(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; v && i < v->n; i++) {
        const char *type = json_get_str(&v->items[i], "type");
        if (type && strcmp(type, "anyone") == 0)
            list_add(&l, &v->items[i]);
    }
    return list_value(&l);
}

/* The first of them, if the link is to be open; with the argument "none": is it to be opened? */
static const struct json *opened(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    const char *to = json_get_str(r->args, "link_sharing");
    const struct json *all = of_link(r, v, NULL, NULL);
    if (!to || strcmp(to, "off") == 0 || !all->n == !arg)
        return NULL;
    return arg ? &value_true : &all->items[0];
}

int workspace_share(struct set_run *r, const struct json **ret)
{
    static const char *const settings[] = {"writers_can_share", "copy_requires_writer_permission"};
    bool any = false;
    for (size_t i = 0; i < SOSIA_LEN(settings); i++)
        any = any || json_get(r->args, settings[i]);
    if (any)
        set_remember(r, "_settings", &value_true);
    if (!any && !json_get(r->args, "link_sharing"))
        return set_refuse(r, "one of link_sharing, writers_can_share and "
                             "copy_requires_writer_permission is required");
    return workspace_run(r, ret);
}

/* A setting in words: the argument, "yes/no"; nothing where it is not given. */
static const struct json *says(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    const char *no = strchr(arg, '/');
    if (!v)
        return NULL;
    return value_text(r->arena, value_holds(v) ? arena_memdup(r->arena, arg, (size_t)(no - arg))
                                               : arena_strdup(r->arena, no + 1));
}

static const struct json *person(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    const char *type = value_words(r->arena, v);
    return strcmp(type, "user") == 0 || strcmp(type, "group") == 0 ? &value_true : NULL;
}

static const struct json *id_of(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    return json_get(v, "id");
}

const struct set_filter workspace_drive_filters[] = {
    {"source", source},   {"stem", stem},        {"of_link", of_link},   {"opened", opened},
    {"says", says},       {"id", id_of},         {"question", question}, {"inside", inside},
    {"exactly", exactly}, {"export", export_of}, {"person", person},     {NULL, NULL}};
