/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of sets, each with its rows and templates read, and what the list shows of one. */
#include "mcp/sets/set.h"
#include "engine/api/json_schema.h"
#include "mcp/servers/server.h"

/* ---- rows ---- */

static const struct route *route_named(const struct dialect *d, const char *id)
{
    const struct route *r = NULL;
    for (size_t i = 0; (r = dialect_row(d, i)) != NULL; i++)
        if (strcmp(r->id, id) == 0)
            return r;
    return NULL;
}

/* A method of the tool's service, of the one beside it, or of the workspace for what it attaches
 * and saves. */
static struct tool_method method_named(const struct dialect *d, const char *id)
{
    const struct dialect *const all[] = {d, d->tools->beside, &keep_dialect};
    struct tool_method m = {NULL};
    for (size_t i = 0; !m.route && i < SOSIA_LEN(all); i++)
        if (all[i])
            m = (struct tool_method){.route = route_named(all[i], id), .dialect = all[i]};
    return m;
}

/* What its methods say of the tool, and its templates. -1: a method is absent. */
static int read_row(struct arena *a, struct mcp_tool *t, struct set_row *row)
{
    const struct set_tool *tool = row->tool;
    t->token_kinds = tool->token_kinds;
    row->args = tool->args;
    row->n_args = tool->n_args;
    for (size_t i = 0; i < SET_STEPS && tool->steps[i].method; i++) {
        const struct set_step *step = &tool->steps[i];
        const struct route *r = (t->methods[i] = method_named(t->dialect, step->method)).route;
        t->methods[i].optional = step->optional;
        t->methods[i].sometimes = step->when != NULL;
        if (!r || (step->arguments && !(row->arguments[i] = template_read(a, step->arguments))))
            return -1;
        t->open |= tool_reaches(r);
        if (r->risk > t->risk)
            t->risk = r->risk;
        if (r->token_kinds && !step->when)
            t->token_kinds = t->token_kinds ? t->token_kinds & r->token_kinds : r->token_kinds;
    }
    if (tool->path && routed_read(a, t, row) < 0)
        return -1;
    if (tool->prefer && !(row->prefer = template_read(a, tool->prefer)))
        return -1;
    return tool->result && !(row->result = template_read(a, tool->result)) ? -1 : 0;
}

void sets_list(struct arena *a, const struct dialect *d,
               void (*add)(void *arg, const struct mcp_tool *t), void *arg)
{
    for (const struct set_tools *set = set_lists; set->tools; set++)
        for (size_t i = 0; strcmp(set->service, d->tools->name) == 0 && i < set->n; i++) {
            struct set_row *row = arena_calloc(a, 1, sizeof *row);
            if (!row)
                return;
            *row = (struct set_row){.tool = &set->tools[i], .set = set};
            struct mcp_tool t = {.service = d->tools,
                                 .dialect = d,
                                 .set = set->set,
                                 .row = row,
                                 .name = set->tools[i].name};
            if (read_row(a, &t, row) == 0)
                add(arg, &t);
        }
}

const char *sets_server(const struct mcp_tool *t)
{
    return t->row ? t->row->set->server : NULL;
}

bool sets_have_server(enum tool_set set, const char *name)
{
    const struct set_tools *s = set_lists;
    while (s->tools && !(s->set == set && s->server && strcmp(s->server, name) == 0))
        s++;
    return s->tools != NULL;
}

/* ---- the list ---- */

static void write_enum(struct json_writer *w, const char *const *values)
{
    json_arr(w, "enum");
    for (; *values; values++)
        json_str(w, NULL, *values);
    json_end(w);
}

static void write_default(struct json_writer *w, const struct set_arg *a)
{
    if (!a->def || a->silent_def)
        return;
    if (a->type == ARG_STRING)
        json_str(w, "default", a->def);
    else
        json_raw(w, "default", a->def, strlen(a->def));
}

static void write_args(struct json_writer *w, const struct set_arg *args, size_t n, bool closed,
                       bool inner);

/* The schema of the items of a list, as a member; NULL: as an item of "anyOf". */
static void write_texts(struct json_writer *w, const char *name, const struct set_arg *a)
{
    json_obj(w, name);
    json_str(w, "type", "string");
    if (a->values && !a->unlisted)
        write_enum(w, a->values);
    json_end(w);
}

static void write_bounds(struct json_writer *w, const struct set_arg *a, bool list)
{
    if (a->unlisted)
        return;
    if (a->min || a->zero)
        json_int(w, list ? "minItems" : "minimum", a->min);
    if (a->max)
        json_int(w, list ? "maxItems" : "maximum", a->max);
}

static void write_any(struct json_writer *w, const struct set_arg *a)
{
    json_arr(w, "anyOf");
    write_texts(w, NULL, a);
    json_obj(w, NULL);
    json_str(w, "type", "array");
    write_texts(w, "items", a);
    write_bounds(w, a, true);
    json_end(w);
    json_end(w);
}

/* The items of a list of strings. */
static void write_items(struct json_writer *w, const struct set_arg *a)
{
    if (!a->objects) {
        write_texts(w, "items", a);
        return;
    }
    json_obj(w, "items");
    json_arr(w, "anyOf");
    write_texts(w, NULL, a);
    json_obj(w, NULL);
    json_str(w, "type", "object");
    json_end(w);
    json_end(w);
    json_end(w);
}

static void write_arg(struct json_writer *w, const struct set_arg *a, bool inner)
{
    static const char *const types[] = {
        [ARG_STRING] = "string",   [ARG_INTEGER] = "integer", [ARG_NUMBER] = "number",
        [ARG_BOOLEAN] = "boolean", [ARG_STRINGS] = "array",   [ARG_OBJECTS] = "array",
        [ARG_MAP] = "object"};
    bool list = a->type == ARG_STRINGS || a->type == ARG_OBJECTS;
    json_obj(w, a->name);
    if (a->schema) {
        struct json_schema s = {.w = w, .refs = "#/$defs/"};
        json_schema_ref(&s, a->schema);
        json_end(w);
        return;
    }
    if (a->type == ARG_OBJECT)
        write_args(w, a->members, a->n_members, inner && a->members, inner);
    else if (a->type == ARG_TEXTS)
        write_any(w, a);
    else if (a->type == ARG_INTEGER && a->unlisted)
        json_str(w, "type", "number");
    else
        json_str(w, "type", types[a->type]);
    json_str_opt(w, "description", a->summary);
    if (a->type == ARG_STRINGS)
        write_items(w, a);
    else if (a->type == ARG_MAP)
        write_texts(w, "additionalProperties", a);
    else if (a->type == ARG_STRING && a->values && !a->unlisted)
        write_enum(w, a->values);
    if (a->type == ARG_OBJECTS) {
        json_obj(w, "items");
        write_args(w, a->members, a->n_members, inner && a->members, inner);
        json_end(w);
    }
    write_default(w, a);
    if (a->type != ARG_TEXTS)
        write_bounds(w, a, list);
    json_end(w);
}

/* The members of the schema of an object; inner: whether those in it are closed. */
static void write_args(struct json_writer *w, const struct set_arg *args, size_t n, bool closed,
                       bool inner)
{
    json_str(w, "type", "object");
    json_obj(w, "properties");
    for (size_t i = 0; i < n; i++)
        write_arg(w, &args[i], inner);
    json_end(w);
    json_arr(w, "required");
    for (size_t i = 0; i < n; i++)
        if (args[i].required)
            json_str(w, NULL, args[i].name);
    json_end(w);
    if (closed)
        json_bool(w, "additionalProperties", false);
}

/* By what the methods do, where the original says nothing. */
static unsigned hints_of(const struct mcp_tool *t)
{
    const struct set_tool *row = t->row->tool;
    if (row->hints)
        return row->hints;
    if (row->path)
        return HINT_OPEN | (t->risk == RISK_READ ? HINT_READS | HINT_REPEATS : HINT_DESTROYS);
    return (t->risk == RISK_READ ? HINT_READS : 0) |
           (t->risk == RISK_DESTRUCTIVE ? HINT_DESTROYS : 0) |
           (t->risk == RISK_READ || row->idempotent ? HINT_REPEATS : 0) | (t->open ? HINT_OPEN : 0);
}

static void write_hints(struct json_writer *w, const char *title, const char *category,
                        unsigned hints)
{
    json_obj(w, "annotations");
    json_str_opt(w, "category", category);
    json_str_opt(w, "title", title);
    json_bool(w, "readOnlyHint", hints & HINT_READS);
    if (!(hints & HINT_BRIEF)) {
        json_bool(w, "destructiveHint", hints & HINT_DESTROYS);
        json_bool(w, "idempotentHint", hints & HINT_REPEATS);
    }
    json_bool(w, "openWorldHint", hints & HINT_OPEN);
    json_end(w);
}

/* The schemas that arguments refer to. */
static void write_defs(struct json_writer *w, const struct mcp_tool *t)
{
    const struct json_schema s = {.w = w, .d = t->dialect, .refs = "#/$defs/"};
    for (size_t i = 0; i < t->row->n_args; i++)
        if (t->row->args[i].schema)
            tool_write_defs(&s, t->row->args[i].schema);
}

void sets_write(struct json_writer *w, const struct mcp_tool *t)
{
    const struct set_tool *row = t->row->tool;
    const struct set_tools *rows = t->row->set;
    json_obj(w, NULL);
    json_str(w, "name", row->name);
    json_str_opt(w, "title", rows->titled_hints ? NULL : row->title);
    json_str_opt(w, "description", row->summary ? row->summary : t->methods[0].route->summary);
    json_obj(w, "inputSchema");
    write_args(w, t->row->args, t->row->n_args, rows->closed, rows->closed || !rows->lenient);
    write_defs(w, t);
    json_end(w);
    write_hints(w, rows->titled_hints ? row->title : NULL, row->category, hints_of(t));
    json_end(w);
}
