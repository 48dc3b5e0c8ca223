/* SPDX-License-Identifier: Apache-2.0 */
/* The server "localmemory": a graph of entities and relations. A file of the workspace is its
 * state, a line of JSON for each; the tools read it, and write it anew. */
#include "engine/base/map.h"
#include "engine/base/utf8.h"
#include "mcp/servers/server.h"
#include <utf8proc.h>

/* The graph as the file has it: objects, of which entities have texts in "observations". */
struct graph {
    struct tx *tx;
    const struct json **entities, **relations;
    size_t n_entities, cap_entities, n_relations, cap_relations;
};

static const char *member(const struct json *v, const char *name)
{
    const char *text = json_get_str(v, name);
    return text ? text : "";
}

static int add(struct arena *a, const struct json ***list, size_t *n, size_t *cap,
               const struct json *v)
{
    const struct json **grown = arena_grow(a, *list, *n, cap, sizeof *grown);
    if (!grown)
        return -1;
    *list = grown;
    grown[(*n)++] = v;
    return 0;
}

static int add_entity(struct graph *g, const struct json *v)
{
    return add(g->tx->arena, &g->entities, &g->n_entities, &g->cap_entities, v);
}

static int add_relation(struct graph *g, const struct json *v)
{
    return add(g->tx->arena, &g->relations, &g->n_relations, &g->cap_relations, v);
}

/* ---- sets of texts ---- */

static const char *key_of_relation(struct arena *a, const struct json *v)
{
    return arena_printf(a, "%s\n%s\n%s", json_to_text(a, json_get(v, "from")),
                        json_to_text(a, json_get(v, "to")),
                        json_to_text(a, json_get(v, "relationType")));
}

/* Marks the texts of a list. -1: no memory. */
static int mark_texts(struct map *m, const struct json *list)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (list->items[i].type == JSON_STRING && map_set(m, list->items[i].str, m) < 0)
            return -1;
    return 0;
}

static int mark_entities(struct map *m, const struct json *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (map_set(m, member(list[i], "name"), m) < 0)
            return -1;
    return 0;
}

/* ---- the file ---- */

static int read_line(struct call *c, struct graph *g, const char *line, size_t n)
{
    const struct json *v;
    struct sosia_err ignored;
    const char *type;
    if (strspn(line, " \t\r") >= n)
        return 0;
    if (json_parse(c->tx.arena, line, n, NULL, &v, &ignored) < 0)
        return server_fail(c, "Unexpected token '%.1s', \"%.*s\" is not valid JSON", line,
                           n > 60 ? 60 : (int)n, line);
    type = member(v, "type");
    int r = strcmp(type, "entity") == 0     ? add_entity(g, v)
            : strcmp(type, "relation") == 0 ? add_relation(g, v)
                                            : 0;
    return r < 0 ? sosia_fail_memory(c->tx.err) : 0;
}

static int load(struct call *c, struct graph *g)
{
    struct workspace_place at;
    const char *data;
    size_t len;
    *g = (struct graph){.tx = &c->tx};
    int r = workspace_resolve(&c->tx, MEMORY_FILE, true, &at);
    const char *reason = r < 0 ? c->tx.err->reason : NULL;
    if (r == 0 || (reason && strcmp(reason, "ENOENT") == 0)) {
        *c->tx.err = (struct sosia_err){.code = 0};
        return 0;
    }
    if (r == 1 && at.node.kind == NODE_DIRECTORY)
        return server_fail(c, "EISDIR: illegal operation on a directory, read");
    if (r < 0 || workspace_load(&c->tx, &at.node, &data, &len) < 0)
        return -1;
    for (const char *p = data, *end = data + len; p < end;) {
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((feed ? feed : end) - p);
        if (read_line(c, g, p, n) < 0)
            return -1;
        p += n + 1;
    }
    return 0;
}

static void write_texts(struct json_writer *w, const char *name, const struct json *list)
{
    json_arr(w, name);
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (list->items[i].type == JSON_STRING)
            json_strn(w, NULL, list->items[i].str, list->items[i].n);
    json_end(w);
}

static void write_entity(struct json_writer *w, const struct json *v, bool typed)
{
    json_obj(w, NULL);
    if (typed)
        json_str(w, "type", "entity");
    json_str(w, "name", member(v, "name"));
    json_str(w, "entityType", member(v, "entityType"));
    write_texts(w, "observations", json_get(v, "observations"));
    json_end(w);
}

static void write_relation(struct json_writer *w, const struct json *v, bool typed)
{
    json_obj(w, NULL);
    if (typed)
        json_str(w, "type", "relation");
    json_str(w, "from", member(v, "from"));
    json_str(w, "to", member(v, "to"));
    json_str(w, "relationType", member(v, "relationType"));
    json_end(w);
}

/* Lines, and none behind the last. */
static int save(struct call *c, const struct graph *g)
{
    struct workspace_place at = {.path = MEMORY_FILE};
    struct json_writer w;
    struct buf b;
    buf_init(&b, WORKSPACE_FILE);
    for (size_t i = 0; i < g->n_entities + g->n_relations; i++) {
        if (i)
            buf_byte(&b, '\n');
        json_init(&w, &b, false, NULL);
        if (i < g->n_entities)
            write_entity(&w, g->entities[i], true);
        else
            write_relation(&w, g->relations[i - g->n_entities], true);
    }
    int r = buf_failed(&b) ? server_fail(c, "EFBIG: file too large, write") : 0;
    if (r == 0 && (r = workspace_resolve(&c->tx, MEMORY_FILE, true, &at)) < 0) {
        *c->tx.err = (struct sosia_err){.code = 0};
        at.path = MEMORY_FILE;
        r = workspace_mkdir(&c->tx, workspace_parent(c->tx.arena, MEMORY_FILE));
    }
    if (r >= 0)
        r = workspace_write(&c->tx, at.path, b.data ? b.data : "", b.len, NULL);
    buf_done(&b);
    return r < 0 ? -1 : 0;
}

/* ---- results ---- */

typedef void write_list(struct json_writer *w, const struct json *const *list, size_t n);

static void write_entities(struct json_writer *w, const struct json *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        write_entity(w, list[i], false);
}

static void write_relations(struct json_writer *w, const struct json *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        write_relation(w, list[i], false);
}

/* A tool gives lists by their names, as the structured content; its text is that too, or of
 * one alone the bare list. */
struct result {
    const char *name;
    write_list *write;
    const struct json *const *list;
    size_t n;
};

static void write_result(struct json_writer *w, const struct result *r)
{
    json_arr(w, r->name);
    r->write(w, r->list, r->n);
    json_end(w);
}

static int give(struct call *c, const struct result *r, size_t n)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    if (n > 1)
        json_obj(&w, NULL);
    struct result bare = *r;
    bare.name = NULL;
    for (size_t i = 0; i < n; i++)
        write_result(&w, n > 1 ? &r[i] : &bare);
    if (n > 1)
        json_end(&w);
    server_trim(&b);
    const char *text = buf_str(&b);
    json_obj(c->out, NULL);
    json_arr(c->out, "content");
    tool_text(c->out, text, b.len);
    json_end(c->out);
    json_obj(c->out, "structuredContent");
    for (size_t i = 0; i < n; i++)
        write_result(c->out, &r[i]);
    json_end(c->out);
    json_end(c->out);
    int rc = buf_failed(&b) ? sosia_fail_memory(c->tx.err) : 0;
    buf_done(&b);
    return rc;
}

static int give_done(struct call *c, const char *what)
{
    const char *text = arena_printf(c->tx.arena, "%s deleted successfully", what);
    json_obj(c->out, NULL);
    json_arr(c->out, "content");
    tool_text(c->out, text, strlen(text));
    json_end(c->out);
    json_obj(c->out, "structuredContent");
    json_bool(c->out, "success", true);
    json_str(c->out, "message", text);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int give_graph(struct call *c, const struct graph *g)
{
    const struct result lists[] = {{"entities", write_entities, g->entities, g->n_entities},
                                   {"relations", write_relations, g->relations, g->n_relations}};
    return give(c, lists, 2);
}

/* ---- making ---- */

/* Takes those of a list that are not there already; one that is given twice is taken twice. -1: no
 * memory. */
static int choose(struct graph *g, struct map *there, const struct json *given, bool relations,
                  struct graph *made)
{
    struct arena *a = g->tx->arena;
    if (mark_entities(there, g->entities, relations ? 0 : g->n_entities) < 0)
        return -1;
    for (size_t i = 0; relations && i < g->n_relations; i++)
        if (map_set(there, key_of_relation(a, g->relations[i]), there) < 0)
            return -1;
    for (uint32_t i = 0; i < given->n; i++) {
        const struct json *v = &given->items[i];
        if (!map_get(there, relations ? key_of_relation(a, v) : member(v, "name")) &&
            (relations ? add_relation(made, v) : add_entity(made, v)) < 0)
            return -1;
    }
    for (size_t i = 0; i < made->n_entities; i++)
        if (add_entity(g, made->entities[i]) < 0)
            return -1;
    for (size_t i = 0; i < made->n_relations; i++)
        if (add_relation(g, made->relations[i]) < 0)
            return -1;
    return 0;
}

static int create(struct call *c, const char *name, bool relations)
{
    struct graph g, made = {.tx = &c->tx};
    struct map there;
    if (load(c, &g) < 0)
        return -1;
    map_init(&there);
    int rc = choose(&g, &there, json_get(server_arguments(c), name), relations, &made);
    map_done(&there);
    if (rc < 0)
        return sosia_fail_memory(c->tx.err);
    const struct result r = {name, relations ? write_relations : write_entities,
                             relations ? made.relations : made.entities,
                             relations ? made.n_relations : made.n_entities};
    return save(c, &g) < 0 ? -1 : give(c, &r, 1);
}

static int create_entities(struct call *c)
{
    return create(c, "entities", false);
}

static int create_relations(struct call *c)
{
    return create(c, "relations", true);
}

/* An entity with other observations, of a list that is built. */
static const struct json *with_observations(struct arena *a, const struct json *v,
                                            const struct json *list)
{
    static const char *const names[] = {"name", "entityType"};
    struct json *copy = arena_calloc(a, 1, sizeof *copy);
    struct json_member *members = arena_calloc(a, 3, sizeof *members);
    if (arena_failed(a))
        return v;
    for (uint32_t i = 0; i < 2; i++) {
        const struct json *old = json_get(v, names[i]);
        members[i] = (struct json_member){.key = names[i], .key_len = (uint32_t)strlen(names[i])};
        members[i].value =
            old && old->type == JSON_STRING ? *old : (struct json){.type = JSON_STRING, .str = ""};
    }
    members[2] = (struct json_member){.key = "observations", .key_len = 12, .value = *list};
    *copy = (struct json){.type = JSON_OBJECT, .n = 3, .members = members};
    return copy;
}

/* The texts of a list that another one does not have. -1: no memory. */
static int without(struct arena *a, const struct json *list, const struct json *other,
                   struct json *ret)
{
    uint32_t most = list && list->type == JSON_ARRAY ? list->n : 0;
    struct json *items = arena_calloc(a, (size_t)most + 1, sizeof *items);
    struct map m;
    map_init(&m);
    int rc = arena_failed(a) ? -1 : mark_texts(&m, other);
    *ret = (struct json){.type = JSON_ARRAY, .items = items};
    for (uint32_t i = 0; rc == 0 && i < most; i++)
        if (list->items[i].type == JSON_STRING && !map_get(&m, list->items[i].str))
            items[ret->n++] = list->items[i];
    map_done(&m);
    return rc;
}

static struct json joined(struct arena *a, const struct json *x, const struct json *y)
{
    uint32_t n = x && x->type == JSON_ARRAY ? x->n : 0;
    struct json *items = arena_calloc(a, (size_t)n + y->n + 1, sizeof *items);
    struct json made = {.type = JSON_ARRAY, .items = items};
    for (uint32_t i = 0; !arena_failed(a) && i < n; i++)
        items[made.n++] = x->items[i];
    for (uint32_t i = 0; !arena_failed(a) && i < y->n; i++)
        items[made.n++] = y->items[i];
    return made;
}

/* Where the first entity of each name is. -1: no memory. */
static int map_places(const struct graph *g, struct map *ret)
{
    map_init(ret);
    for (size_t i = g->n_entities; i--;)
        if (map_set(ret, member(g->entities[i], "name"), &g->entities[i]) < 0)
            return -1;
    return 0;
}

static void write_added(struct json_writer *w, const struct json *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_obj(w, NULL);
        json_str(w, "entityName", member(list[i], "name"));
        write_texts(w, "addedObservations", json_get(list[i], "observations"));
        json_end(w);
    }
}

static int add_each(struct call *c, const struct map *places, struct graph *added)
{
    const struct json *given = json_get(server_arguments(c), "observations");
    struct arena *a = c->tx.arena;
    for (uint32_t i = 0; i < given->n; i++) {
        const char *name = member(&given->items[i], "entityName");
        const struct json **at = map_get(places, name);
        struct json new, all;
        if (!at)
            return server_fail(c, "Entity with name %s not found", name);
        const struct json *old = json_get(*at, "observations");
        if (without(a, json_get(&given->items[i], "contents"), old, &new) < 0)
            return sosia_fail_memory(c->tx.err);
        all = joined(a, old, &new);
        if (add_entity(added, with_observations(a, *at, &new)) < 0)
            return sosia_fail_memory(c->tx.err);
        *at = with_observations(a, *at, &all);
    }
    return 0;
}

static int add_observations(struct call *c)
{
    struct graph g, added = {.tx = &c->tx};
    struct map places;
    if (load(c, &g) < 0)
        return -1;
    int rc =
        map_places(&g, &places) < 0 ? sosia_fail_memory(c->tx.err) : add_each(c, &places, &added);
    map_done(&places);
    const struct result r = {"results", write_added, added.entities, added.n_entities};
    return rc < 0 || save(c, &g) < 0 ? -1 : give(c, &r, 1);
}

/* ---- deleting ---- */

static int delete_entities(struct call *c)
{
    struct graph g;
    struct map gone;
    size_t n = 0, k = 0;
    if (load(c, &g) < 0)
        return -1;
    map_init(&gone);
    int rc = mark_texts(&gone, json_get(server_arguments(c), "entityNames"));
    for (size_t i = 0; i < g.n_entities; i++)
        if (!map_get(&gone, member(g.entities[i], "name")))
            g.entities[n++] = g.entities[i];
    for (size_t i = 0; i < g.n_relations; i++)
        if (!map_get(&gone, member(g.relations[i], "from")) &&
            !map_get(&gone, member(g.relations[i], "to")))
            g.relations[k++] = g.relations[i];
    map_done(&gone);
    g.n_entities = n;
    g.n_relations = k;
    if (rc < 0)
        return sosia_fail_memory(c->tx.err);
    return save(c, &g) < 0 ? -1 : give_done(c, "Entities");
}

static int delete_each(struct call *c, const struct map *places)
{
    const struct json *list = json_get(server_arguments(c), "deletions");
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json **at = map_get(places, member(&list->items[i], "entityName"));
        struct json left;
        if (!at)
            continue;
        if (without(c->tx.arena, json_get(*at, "observations"),
                    json_get(&list->items[i], "observations"), &left) < 0)
            return sosia_fail_memory(c->tx.err);
        *at = with_observations(c->tx.arena, *at, &left);
    }
    return 0;
}

static int delete_observations(struct call *c)
{
    struct graph g;
    struct map places;
    if (load(c, &g) < 0)
        return -1;
    int rc = map_places(&g, &places) < 0 ? sosia_fail_memory(c->tx.err) : delete_each(c, &places);
    map_done(&places);
    return rc < 0 || save(c, &g) < 0 ? -1 : give_done(c, "Observations");
}

static int delete_relations(struct call *c)
{
    const struct json *list = json_get(server_arguments(c), "relations");
    struct arena *a = c->tx.arena;
    struct graph g;
    struct map gone;
    size_t n = 0;
    int rc = 0;
    if (load(c, &g) < 0)
        return -1;
    map_init(&gone);
    for (uint32_t i = 0; rc == 0 && i < list->n; i++)
        rc = map_set(&gone, key_of_relation(a, &list->items[i]), &gone);
    for (size_t i = 0; i < g.n_relations; i++)
        if (!map_get(&gone, key_of_relation(a, g.relations[i])))
            g.relations[n++] = g.relations[i];
    map_done(&gone);
    g.n_relations = n;
    if (rc < 0)
        return sosia_fail_memory(c->tx.err);
    return save(c, &g) < 0 ? -1 : give_done(c, "Relations");
}

/* ---- reading ---- */

static int read_graph(struct call *c)
{
    struct graph g;
    return load(c, &g) < 0 ? -1 : give_graph(c, &g);
}

/* In small letters, with all that else is in it. */
static const char *lowered(struct arena *a, const char *text)
{
    size_t n = strlen(text);
    char *out = arena_alloc(a, 4 * n + 1), *p = out;
    for (size_t i = 0; !arena_failed(a) && i < n;) {
        unsigned len = utf8_sequence(text + i, n - i);
        p = utf8_put(p, (unsigned)utf8proc_tolower(
                            (utf8proc_int32_t)utf8_code_point(text + i, len ? len : 1)));
        i += len ? len : 1;
    }
    if (arena_failed(a))
        return "";
    *p = 0;
    return out;
}

static bool contains(struct arena *a, const char *text, const char *query)
{
    return strstr(lowered(a, text), query) != NULL;
}

static bool is_found(struct arena *a, const struct json *v, const char *query)
{
    const struct json *list = json_get(v, "observations");
    if (contains(a, member(v, "name"), query) || contains(a, member(v, "entityType"), query))
        return true;
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (list->items[i].type == JSON_STRING && contains(a, list->items[i].str, query))
            return true;
    return false;
}

/* The entities that are left, and the relations with an end in them. */
static int give_part(struct call *c, const struct graph *g, const struct graph *found)
{
    struct graph part = *found;
    struct map ends;
    map_init(&ends);
    int rc = mark_entities(&ends, found->entities, found->n_entities);
    for (size_t i = 0; rc == 0 && i < g->n_relations; i++)
        if (map_get(&ends, member(g->relations[i], "from")) ||
            map_get(&ends, member(g->relations[i], "to")))
            rc = add_relation(&part, g->relations[i]);
    map_done(&ends);
    return rc < 0 ? sosia_fail_memory(c->tx.err) : give_graph(c, &part);
}

static int search_nodes(struct call *c)
{
    const char *query = lowered(c->tx.arena, member(server_arguments(c), "query"));
    struct graph g, found = {.tx = &c->tx};
    if (load(c, &g) < 0)
        return -1;
    for (size_t i = 0; i < g.n_entities; i++)
        if (is_found(c->tx.arena, g.entities[i], query) && add_entity(&found, g.entities[i]) < 0)
            return sosia_fail_memory(c->tx.err);
    return give_part(c, &g, &found);
}

static int open_nodes(struct call *c)
{
    struct graph g, found = {.tx = &c->tx};
    struct map wanted;
    if (load(c, &g) < 0)
        return -1;
    map_init(&wanted);
    int rc = mark_texts(&wanted, json_get(server_arguments(c), "names"));
    for (size_t i = 0; rc == 0 && i < g.n_entities; i++)
        if (map_get(&wanted, member(g.entities[i], "name")))
            rc = add_entity(&found, g.entities[i]);
    map_done(&wanted);
    return rc < 0 ? sosia_fail_memory(c->tx.err) : give_part(c, &g, &found);
}

/* ---- rows ---- */

#define TOOL(name)                                                                                 \
    .id = "memory." name, .verbs = POST, .paths = PATHS("/workspace/v1/memory/" name),             \
    .body = BODY_JSON_OPTIONAL, .response = "ToolResult"
#define READS  .risk = RISK_READ, .scopes = "workspace.readonly workspace"
#define WRITES .scopes = "workspace"

static const struct route methods[] = {
    {TOOL("create_entities"), WRITES, .handler = create_entities, .risk = RISK_WRITE,
     .request = "CreateEntities",
     .summary = "Add entities to the graph; those whose name is there are left out"},
    {TOOL("create_relations"), WRITES, .handler = create_relations, .risk = RISK_WRITE,
     .request = "Relations", .summary = "Add relations between entities to the graph"},
    {TOOL("add_observations"), WRITES, .handler = add_observations, .risk = RISK_WRITE,
     .request = "AddObservations", .summary = "Add observations to entities of the graph"},
    {TOOL("delete_entities"), WRITES, .handler = delete_entities, .risk = RISK_DESTRUCTIVE,
     .idempotent = true, .request = "DeleteEntities",
     .summary = "Delete entities with their relations"},
    {TOOL("delete_observations"), WRITES, .handler = delete_observations, .risk = RISK_DESTRUCTIVE,
     .idempotent = true, .request = "DeleteObservations",
     .summary = "Delete observations of entities"},
    {TOOL("delete_relations"), WRITES, .handler = delete_relations, .risk = RISK_DESTRUCTIVE,
     .idempotent = true, .request = "Relations", .summary = "Delete relations"},
    {TOOL("read_graph"), READS, .handler = read_graph, .summary = "Read the whole graph"},
    {TOOL("search_nodes"), READS, .handler = search_nodes, .request = "SearchNodes",
     .summary = "Find entities by a text, with their relations"},
    {TOOL("open_nodes"), READS, .handler = open_nodes, .request = "OpenNodes",
     .summary = "Read entities by their names, with their relations"},
};
const struct rows memory_rows = ROWS(methods);
