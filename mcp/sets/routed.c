/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that are one method at one of its paths: their arguments are its parameters, with names as
 * programs have them ("message-id" is messageId, "$top" is top). */
#include "mcp/sets/set.h"
#include "engine/api/json_schema.h"
#include "engine/api/router.h"

#define MAX_ARGS 40

struct routed_args {
    struct arena *arena;
    struct set_arg args[MAX_ARGS];
    const char *natives[MAX_ARGS];
    size_t n;
};

static const char *camel(struct arena *a, const char *name, size_t n)
{
    char *text = arena_memdup(a, name, n), *to = text;
    for (const char *from = text; *from; from++) {
        bool capital = *from == '-' && from[1] >= 'a' && from[1] <= 'z';
        if (capital)
            *to++ = (char)(*++from - 32);
        else if (*from != '$')
            *to++ = *from;
    }
    *to = 0;
    return text;
}

static struct set_arg *add(struct routed_args *l, const char *name, enum arg_type type,
                           const char *native, const char *summary)
{
    struct set_arg *arg = &l->args[l->n < MAX_ARGS ? l->n : 0];
    if (l->n == MAX_ARGS)
        return arg; /* no row has as many */
    *arg = (struct set_arg){.name = name, .type = type, .summary = summary};
    l->natives[l->n++] = native;
    return arg;
}

/* Is a path of the row that path of the tool, whatever their variables are called? */
static bool is_path(const char *own, const char *path)
{
    while (*own && *path) {
        if ((*own | 32) != (*path | 32))
            return false;
        if (*own == '{') {
            own += strcspn(own, "}");
            path += strcspn(path, "}");
        }
        own++;
        path++;
    }
    return !*own && !*path;
}

/* The variables of both, one after the other. */
static void add_variables(struct routed_args *l, const struct mcp_tool *t, const char *own,
                          const char *path)
{
    while ((own = strchr(own, '{')) && (path = strchr(path, '{'))) {
        size_t n = strcspn(++own, "*}");
        const char *native = arena_memdup(l->arena, own, n), *summary = NULL;
        const struct route *r = t->methods[0].route;
        for (size_t i = 0; i < r->n_params; i++)
            if (strcmp(r->params[i].name, native) == 0)
                summary = param_summary(t->dialect, &r->params[i]);
        path++;
        add(l, camel(l->arena, path, strcspn(path, "}")), ARG_STRING, native, summary)->required =
            true;
    }
}

static void add_option(struct routed_args *l, const char *native, const char *summary)
{
    const char *name = camel(l->arena, native, strlen(native));
    bool number = strcmp(native, "$top") == 0 || strcmp(native, "$skip") == 0;
    add(l, name,
        number                           ? ARG_NUMBER
        : strcmp(native, "$count") == 0  ? ARG_BOOLEAN
        : strcmp(native, "$expand") == 0 ? ARG_TEXTS
                                         : ARG_STRING,
        native, summary);
}

static void add_query(struct routed_args *l, const struct mcp_tool *t)
{
    const struct route *r = t->methods[0].route;
    for (size_t i = 0; i < r->n_params; i++)
        if (r->params[i].place == IN_QUERY)
            add_option(l, r->params[i].name, param_summary(t->dialect, &r->params[i]));
    if (tool_fields(t->service, r) && r->response && r->verbs & GET)
        add_option(l, t->service->fields, NULL);
}

/* Under their own names: "If-Match", which a change demands and a removal only takes. */
static void add_headers(struct routed_args *l, const struct mcp_tool *t)
{
    const struct route *r = t->methods[0].route;
    for (size_t i = 0; i < r->n_params; i++)
        if (r->params[i].place == IN_HEADER)
            add(l, r->params[i].name, ARG_STRING, r->params[i].name,
                param_summary(t->dialect, &r->params[i]))
                ->required = r->verbs & PATCH;
}

static bool searches(const struct route *r)
{
    for (size_t i = 0; i < r->n_params; i++)
        if (strcmp(r->params[i].name, "$search") == 0)
            return true;
    return false;
}

/* What the tool itself does with a call. */
static void add_own(struct routed_args *l, const struct mcp_tool *t, unsigned routed)
{
    const struct route *r = t->methods[0].route;
    if (r->verbs & GET) {
        add(l, "fetchAllPages", ARG_BOOLEAN, NULL, "Follow links to next pages, all in one result");
        if (searches(r))
            add(l, "ConsistencyLevel", ARG_STRING, NULL, "eventual: for $search and $count");
    } else {
        add(l, "confirm", ARG_BOOLEAN, NULL, "Changes nothing here");
    }
    if (routed & ROUTED_ZONE)
        add(l, "timezone", ARG_STRING, NULL, "Zone of times, by its IANA name; UTC without it");
    if (routed & ROUTED_EXTENDED)
        add(l, "expandExtendedProperties", ARG_BOOLEAN, NULL,
            "With singleValueExtendedProperties of each event");
    add(l, "includeHeaders", ARG_BOOLEAN, NULL, "With the ETag, as _etag");
    add(l, "excludeResponse", ARG_BOOLEAN, NULL, "Say only whether it went well");
}

int routed_read(struct arena *a, const struct mcp_tool *t, struct set_row *row)
{
    static const char version[] = "/v1.0";
    const struct route *r = t->methods[0].route;
    const char *own = NULL;
    struct routed_args l = {.arena = a};
    for (size_t i = 0; !own && r->paths[i]; i++)
        if (strncmp(r->paths[i], version, sizeof version - 1) == 0 &&
            is_path(r->paths[i] + sizeof version - 1, row->tool->path))
            own = r->paths[i];
    if (!own)
        return -1;
    add_variables(&l, t, own, row->tool->path);
    add_query(&l, t);
    add_headers(&l, t);
    if (tool_takes_json(r)) {
        struct set_arg *body = add(&l, BODY, ARG_OBJECT, BODY, NULL);
        body->required = r->body == BODY_JSON;
        body->def = body->required ? "{}" : NULL; /* members may be beside it */
        body->schema = dialect_schema(t->dialect, r->request) ? r->request : NULL;
    }
    add_own(&l, t, row->tool->routed);
    for (size_t i = 0; i < l.n && row->tool->routed & ROUTED_RANGE; i++)
        l.args[i].required |= strcmp(l.args[i].name, "startDateTime") == 0 ||
                              strcmp(l.args[i].name, "endDateTime") == 0;
    row->args = (void *)arena_memdup(a, l.args, l.n * sizeof *l.args);
    row->natives = (void *)arena_memdup(a, l.natives, l.n * sizeof *l.natives);
    row->n_args = l.n;
    return arena_failed(a) ? -1 : 0;
}
