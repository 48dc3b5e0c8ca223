/* SPDX-License-Identifier: Apache-2.0 */
/* canvases.* and conversations.canvases.create: documents with Markdown that one call changes in
 * one place. */
#include "services/chat/slack/files/canvas.h"
#include "engine/text/civil.h"
#include <strings.h>

/* ---- what all methods need ---- */

static int enabled(struct call *c)
{
    return sl_team_says(c, "canvas_disabled") ? slack_fail(c, "canvas_disabled_user_team") : 0;
}

static bool canvas_plan_is_free(struct call *c)
{
    return strcmp(sl_me(c)->workspace.plan, "free") == 0;
}

/* {"type": "markdown", "markdown": "..."}; NULL: there is none. */
static int document_content(struct call *c, const struct json *v, const char *pointer,
                            const char *code, struct chat_sections *ret)
{
    *ret = (struct chat_sections){0};
    if (!v)
        return 0;
    const char *type = json_get_str(v, "type"), *markdown = json_get_str(v, "markdown");
    if (v->type != JSON_OBJECT)
        return slack_invalid_arguments(c, pointer, "must be an object");
    if (!type || strcmp(type, "markdown") != 0)
        return slack_invalid_arguments(c, arena_printf(c->tx.arena, "%s/type", pointer),
                                       "must be one of: markdown");
    if (!markdown)
        return slack_invalid_arguments(c, pointer, "missing required field: markdown");
    return sl_canvas_markdown(c, markdown, code, ret);
}

static int content_arg(struct call *c, const char *code, struct chat_sections *ret)
{
    const struct json *v;
    int r = slack_json_arg(c, "document_content", &v);
    if (r < 0)
        return slack_invalid_arguments(c, "/document_content", "must be valid JSON");
    return document_content(c, r ? v : NULL, "/document_content", code, ret);
}

static const char *name_of(struct call *c, const char *title)
{
    char *name = arena_strdup(c->tx.arena, title);
    for (char *p = name; *p; p++)
        if (*p == ' ' || *p == '/')
            *p = '_';
    return name;
}

int sl_canvas_new(struct call *c, const char *title, const struct chat_sections *sections,
                  const struct chat_channel *ch, bool main, struct chat_file *ret)
{
    const struct sl_caller *me = sl_me(c);
    int64_t now = c->tx.now_us / US_PER_SECOND;
    struct chat_document d = {.channel = ch ? ch->id : 0, .main = main, .sections = *sections};
    *ret = (struct chat_file){.workspace = me->workspace.id,
                              .user = me->user.id,
                              .app = me->app,
                              .state = CHAT_FILE_THERE,
                              .mode = "document",
                              .name = name_of(c, title),
                              .title = title,
                              .mimetype = "application/vnd.slack-docs",
                              .filetype = "quip",
                              .editor = me->user.id,
                              .created_s = now,
                              .updated_s = now};
    chat_document_measure(&c->tx, ret, sections);
    if (chat_file_add(&c->tx, ret) < 0)
        return -1;
    d.file = ret->id;
    if (chat_document_add(&c->tx, &d) < 0 ||
        chat_level_set(&c->tx, ret, 0, me->user.id, CHAT_MAY_ALL) < 0 ||
        (ch && chat_level_set(&c->tx, ret, ch->id, 0, CHAT_MAY_WRITE) < 0))
        return -1;
    return chat_file_save(&c->tx, ret, OP_ADDED);
}

/* ---- making ---- */

struct tabs {
    bool main, any;
};

static int count_tab(void *arg, const struct chat_file *f, bool main, bool empty)
{
    struct tabs *t = arg;
    (void)f;
    (void)empty;
    t->main |= main;
    t->any = true;
    return 0;
}

/* A channel for a canvas: one that he is in. */
static int tab_channel(struct call *c, struct chat_channel *ch, struct tabs *tabs)
{
    *tabs = (struct tabs){0};
    if (sl_channel_arg(c, "channel_id", false, ch) < 0)
        return -1;
    int r = sl_is_member(c, ch);
    if (r != 1 || ch->archived || sl_me(c)->user.role >= CHAT_GUEST)
        return r < 0 ? -1 : slack_fail(c, "restricted_action");
    return chat_documents(&c->tx, ch->id, count_tab, tabs);
}

static int answer_canvas(struct call *c, const struct chat_file *f)
{
    slack_open(c);
    json_str(c->out, "canvas_id", f->key);
    slack_close(c);
    return 0;
}

static int canvases_create(struct call *c)
{
    const char *title = param_str(c, "title"), *channel = param_str(c, "channel_id");
    struct chat_sections sections;
    struct chat_channel ch;
    struct chat_file f;
    struct tabs tabs;
    bool tabbed = channel && *channel;
    if (enabled(c) < 0)
        return -1;
    if (!tabbed && canvas_plan_is_free(c))
        return slack_fail(c, "free_teams_cannot_create_non_tabbed_canvases");
    if (!tabbed && sl_me(c)->user.role >= CHAT_GUEST)
        return slack_fail(c, "restricted_action");
    if (tabbed && tab_channel(c, &ch, &tabs) < 0)
        return -1;
    if (tabbed && tabs.any && canvas_plan_is_free(c))
        return slack_fail(c, "free_team_canvas_tab_already_exists");
    if (content_arg(c, "canvas_creation_failed", &sections) < 0 ||
        sl_canvas_new(c, title && *title ? title : "Untitled", &sections, tabbed ? &ch : NULL,
                      false, &f) < 0)
        return -1;
    return answer_canvas(c, &f);
}

static int channel_create(struct call *c)
{
    const char *title = param_str(c, "title");
    struct chat_sections sections;
    struct chat_channel ch;
    struct chat_file f;
    struct tabs tabs;
    if (enabled(c) < 0 || tab_channel(c, &ch, &tabs) < 0)
        return -1;
    if (tabs.main)
        return slack_fail(c, "channel_canvas_already_exists");
    if (tabs.any && canvas_plan_is_free(c))
        return slack_fail(c, "free_team_canvas_tab_already_exists");
    if (content_arg(c, "canvas_creation_failed", &sections) < 0)
        return -1;
    if (!title || !*title)
        title = ch.name ? ch.name : "Untitled";
    if (sl_canvas_new(c, title, &sections, &ch, true, &f) < 0)
        return -1;
    return answer_canvas(c, &f);
}

static int canvases_delete(struct call *c)
{
    struct chat_document d;
    struct chat_file f;
    if (sl_team_says(c, "canvas_disabled"))
        return slack_fail(c, "canvas_deleting_disabled");
    if (sl_canvas_arg(c, "canvas_id", "canvas_not_found", CHAT_MAY_ALL, &f, &d) < 0)
        return -1;
    return chat_file_delete(&c->tx, &f) < 0 ? -1 : slack_ok(c);
}

/* ---- editing ---- */

enum operation { AT_START, AT_END, AFTER, BEFORE, REPLACE, REMOVE, RENAME };

/* from sections of what there is give way to what comes. */
static int splice(struct call *c, struct chat_sections *s, size_t at, size_t from,
                  const struct chat_sections *in)
{
    size_t n = s->n - from + in->n;
    if (n > CHAT_SECTIONS_MAX)
        return slack_fail(c, "canvas_too_large");
    struct chat_section *all = arena_calloc(c->tx.arena, n + 1, sizeof *all);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (at)
        memcpy(all, s->all, at * sizeof *all);
    if (in->n)
        memcpy(all + at, in->all, in->n * sizeof *all);
    if (s->n > at + from)
        memcpy(all + at + in->n, s->all + at + from, (s->n - at - from) * sizeof *all);
    *s = (struct chat_sections){.all = all, .n = n};
    return 0;
}

/* The section that a change names; n: it names none. */
static int section_of(struct call *c, const struct json *change, const struct chat_sections *s,
                      bool needed, size_t *ret)
{
    const char *id = json_get_str(change, "section_id");
    *ret = s->n;
    if (!id && !needed)
        return 0;
    if (!id)
        return slack_invalid_arguments(c, "/changes/0", "missing required field: section_id");
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->all[i].id, id) == 0) {
            *ret = i;
            return 0;
        }
    return sl_canvas_refuse(c, "canvas_editing_failed",
                            arena_printf(c->tx.arena, "Section with id %.80s not found", id));
}

static int rename_canvas(struct call *c, const struct json *change, struct chat_file *f)
{
    const struct json *v = json_get(change, "title_content");
    const char *type = json_get_str(v, "type"), *title = json_get_str(v, "markdown");
    if (!v)
        return slack_invalid_arguments(c, "/changes/0", "missing required field: title_content");
    if (!type || strcmp(type, "markdown") != 0)
        return slack_invalid_arguments(c, "/changes/0/title_content/type",
                                       "must be one of: markdown");
    if (!title || !*title)
        return slack_invalid_arguments(c, "/changes/0/title_content",
                                       "missing required field: markdown");
    f->title = title;
    f->name = name_of(c, title);
    return 0;
}

static int operation_of(const struct json *change)
{
    static const char *const names[] = {[AT_START] = "insert_at_start",
                                        [AT_END] = "insert_at_end",
                                        [AFTER] = "insert_after",
                                        [BEFORE] = "insert_before",
                                        [REPLACE] = "replace",
                                        [REMOVE] = "delete",
                                        [RENAME] = "rename"};
    const char *name = json_get_str(change, "operation");
    for (int i = 0; name && i < (int)SOSIA_LEN(names); i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static int apply(struct call *c, const struct json *change, struct chat_file *f,
                 struct chat_sections *s)
{
    const struct json *content = json_get(change, "document_content");
    struct chat_sections in = {0};
    size_t at;
    int operation = operation_of(change);
    if (operation < 0)
        return slack_invalid_arguments(c, "/changes/0/operation",
                                       "must be one of: insert_after, insert_before, "
                                       "insert_at_start, insert_at_end, replace, delete, rename");
    if (operation == RENAME)
        return rename_canvas(c, change, f);
    if (operation != REMOVE && !content)
        return slack_invalid_arguments(c, "/changes/0", "missing required field: document_content");
    if (section_of(c, change, s, operation == AFTER || operation == BEFORE || operation == REMOVE,
                   &at) < 0 ||
        (operation != REMOVE && document_content(c, content, "/changes/0/document_content",
                                                 "canvas_editing_failed", &in) < 0))
        return -1;
    switch ((enum operation)operation) {
    case AT_START:
        return splice(c, s, 0, 0, &in);
    case AT_END:
        return splice(c, s, s->n, 0, &in);
    case AFTER:
        return splice(c, s, at + 1, 0, &in);
    case BEFORE:
        return splice(c, s, at, 0, &in);
    case REPLACE:
        return at < s->n ? splice(c, s, at, 1, &in) : splice(c, s, 0, s->n, &in);
    default:
        return splice(c, s, at, 1, &in);
    }
}

/* After an edit of what it holds, each section has another id. */
static void forget_ids(const struct json *change, struct chat_sections *s)
{
    for (size_t i = 0; operation_of(change) != RENAME && i < s->n; i++)
        s->all[i].id = NULL;
}

static int canvases_edit(struct call *c)
{
    const struct json *changes;
    struct chat_document d;
    struct chat_file f;
    if (slack_value(c, "changes", &changes) < 0)
        return -1;
    if (changes->items[0].type != JSON_OBJECT)
        return slack_invalid_arguments(c, "/changes/0", "must be an object");
    if (enabled(c) < 0 ||
        sl_canvas_arg(c, "canvas_id", "canvas_not_found", CHAT_MAY_WRITE, &f, &d) < 0)
        return -1;
    if (!d.channel && canvas_plan_is_free(c))
        return slack_fail(c, "free_teams_cannot_edit_standalone_canvases");
    if (apply(c, &changes->items[0], &f, &d.sections) < 0)
        return -1;
    if (strlen(chat_sections_markdown(&c->tx, &d.sections)) > CHAT_DOCUMENT_MAX)
        return slack_fail(c, "canvas_too_large");
    forget_ids(&changes->items[0], &d.sections);
    return sl_canvas_store(c, &f, &d) < 0 ? -1 : slack_ok(c);
}

/* ---- finding sections ---- */

#define ANY_HEADER 0x7u

static int read_criteria(struct call *c, unsigned *ret_kinds, const char **ret_text)
{
    static const char *const names[] = {"h1", "h2", "h3"};
    const struct json *v;
    *ret_kinds = 0;
    if (slack_value(c, "criteria", &v) < 0)
        return -1;
    const struct json *types = json_get(v, "section_types");
    *ret_text = json_get_str(v, "contains_text");
    if (types && (types->type != JSON_ARRAY || !types->n || types->n > 3))
        return slack_invalid_arguments(c, "/criteria/section_types", "must have 1 to 3 items");
    for (uint32_t i = 0; types && i < types->n; i++) {
        const char *name = types->items[i].type == JSON_STRING ? types->items[i].str : "";
        unsigned kinds = strcmp(name, "any_header") == 0 ? ANY_HEADER : 0;
        for (size_t k = 0; k < SOSIA_LEN(names); k++)
            if (strcmp(name, names[k]) == 0)
                kinds = 1u << k;
        if (!kinds)
            return slack_invalid_arguments(
                c, arena_printf(c->tx.arena, "/criteria/section_types/%u", i),
                "must be one of: any_header, h1, h2, h3");
        *ret_kinds |= kinds;
    }
    if (!types && (!*ret_text || !**ret_text))
        return slack_invalid_arguments(c, "/criteria", "must have section_types or contains_text");
    return 0;
}

static int sections_lookup(struct call *c)
{
    struct chat_document d;
    struct chat_file f;
    unsigned kinds;
    const char *text;
    if (enabled(c) < 0 || read_criteria(c, &kinds, &text) < 0)
        return -1;
    int r = chat_file_find(&c->tx, sl_me(c)->workspace.id, param_str(c, "canvas_id"), &f);
    if (r < 0)
        return -1;
    if (r && f.state == CHAT_FILE_DELETED && strcmp(f.mode, "document") == 0 &&
        f.user == sl_me(c)->user.id)
        return slack_fail(c, "canvas_deleted");
    if (sl_canvas_arg(c, "canvas_id", "canvas_not_found", CHAT_MAY_READ, &f, &d) < 0)
        return -1;
    slack_open(c);
    json_arr(c->out, "sections");
    for (size_t i = 0; i < d.sections.n; i++) {
        const struct chat_section *s = &d.sections.all[i];
        if ((kinds && (s->kind > CHAT_H3 || !(kinds & 1u << s->kind))) ||
            (text && *text && !strcasestr(s->text, text)))
            continue;
        json_obj(c->out, NULL);
        json_str(c->out, "id", s->id);
        json_end(c->out);
    }
    json_end(c->out);
    slack_close(c);
    return 0;
}

/* ---- access ---- */

static int access_arg(struct call *c, struct chat_file *f, enum chat_level *ret)
{
    struct chat_document d;
    return sl_canvas_arg(c, "canvas_id", "canvas_not_found", CHAT_MAY_READ, f, &d) < 0
               ? -1
               : chat_level_of(&c->tx, f, &sl_me(c)->user, ret);
}

static int access_set(struct call *c)
{
    enum chat_level mine, level;
    struct chat_file f;
    if (enabled(c) < 0 || sl_access_level_arg(c, &level) < 0 || access_arg(c, &f, &mine) < 0)
        return -1;
    return sl_access_set(c, &f, mine, level);
}

static int access_delete(struct call *c)
{
    enum chat_level mine;
    struct chat_file f;
    return enabled(c) < 0 || access_arg(c, &f, &mine) < 0 ? -1 : sl_access_delete(c, &f, mine);
}

/* A channel that gets it reads it. */
static int canvas_risk(struct call *c, enum risk *ret)
{
    if (param_given(c, "channel_id"))
        *ret = RISK_EXTERNAL;
    return 0;
}

/* ---- rows ---- */

static const struct param create_params[] = {SL_ARG("title", .summary = "Title of the canvas"),
                                             SL_ARG("document_content", SL_OBJECT),
                                             SL_ARG("channel_id")};
static const struct param channel_create_params[] = {
    SL_NEEDED("channel_id"), SL_ARG("document_content", SL_OBJECT),
    SL_ARG("title", .summary = "Title of the canvas")};
static const struct param canvas_params[] = {SL_NEEDED("canvas_id")};
static const struct param edit_params[] = {SL_NEEDED("canvas_id"),
                                           SL_NEEDED("changes", SL_ARRAY, .min = 1, .max = 1)};
static const struct param lookup_params[] = {SL_NEEDED("canvas_id"),
                                             SL_NEEDED("criteria", SL_OBJECT)};
static const struct param set_params[] = {
    SL_NEEDED("canvas_id"), SL_NEEDED("access_level", .type = PARAM_ENUM, .values = chat_levels),
    SL_ARG("channel_ids", SL_LIST), SL_ARG("user_ids", SL_LIST)};
static const struct param unset_params[] = {SL_NEEDED("canvas_id"), SL_ARG("channel_ids", SL_LIST),
                                            SL_ARG("user_ids", SL_LIST)};

static const struct route methods[] = {
    {SL_METHOD("canvases.access.delete"), SL_PEOPLE, .handler = access_delete,
     .risk = RISK_EXTERNAL, .idempotent = true, .scopes = "canvases:write", PARAMS(unset_params),
     .rate = SLACK_TIER_3, .summary = "Take back who may use a canvas"},
    {SL_METHOD("canvases.access.set"), SL_PEOPLE, .handler = access_set, .risk = RISK_EXTERNAL,
     .idempotent = true, .scopes = "canvases:write", PARAMS(set_params), .rate = SLACK_TIER_3,
     .summary = "Say who may use a canvas"},
    {SL_METHOD("canvases.create"), SL_PEOPLE, .handler = canvases_create, .risk = RISK_WRITE,
     .risk_of = canvas_risk, .scopes = "canvases:write", PARAMS(create_params),
     .rate = SLACK_TIER_2, .summary = "A new canvas"},
    {SL_METHOD("canvases.delete"), SL_PEOPLE, .handler = canvases_delete, .risk = RISK_DESTRUCTIVE,
     .idempotent = true, .scopes = "canvases:write", PARAMS(canvas_params), .rate = SLACK_TIER_3,
     .summary = "Delete a canvas"},
    {SL_METHOD("canvases.edit"), SL_PEOPLE, .handler = canvases_edit, .risk = RISK_WRITE,
     .scopes = "canvases:write", PARAMS(edit_params), .rate = SLACK_TIER_3,
     .summary = "Change a canvas in one place"},
    {SL_METHOD("canvases.sections.lookup"), SL_PEOPLE, .handler = sections_lookup,
     .risk = RISK_READ, .scopes = "canvases:read", PARAMS(lookup_params), .rate = SLACK_TIER_3,
     .summary = "Sections of a canvas by kind and text"},
    {SL_METHOD("conversations.canvases.create"), SL_PEOPLE, .handler = channel_create,
     .risk = RISK_EXTERNAL, .scopes = "canvases:write", PARAMS(channel_create_params),
     .rate = SLACK_TIER_2, .summary = "The canvas of a channel"},
};

const struct rows sl_canvas = ROWS(methods);
