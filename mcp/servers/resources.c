/* SPDX-License-Identifier: Apache-2.0 */
/* Files, and the memory's graph, as resources: they are read by the servers' own methods, and
 * watched by the row of the file. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/world/engine.h"
#include "mcp/servers/resources.h"

#define FILES     "file://" WORKSPACE_ROOT "/"
#define GRAPH     "memory://knowledge-graph"
#define MAX_FILES 1000 /* that are listed */

static bool is_graph(const struct mcp_call *m)
{
    return mcp_server_of(m) == &mcp_memory;
}

static bool has_files(const struct mcp_call *m)
{
    return mcp_server_of(m) == &mcp_filesystem;
}

/* ---- asking the methods ---- */

/* The first block that a tool's method gives; NULL: it refused, and *ret_why says why, or there
 * is no memory. */
static const struct json *ask(struct mcp_call *m, const char *tool, const char *arguments,
                              const char **ret_why)
{
    struct mcp_answer a = {0};
    const struct json *first = NULL;
    *ret_why = "there is no memory for the resource";
    if (server_ask(m, tool, arguments, &a) == 0) {
        const struct json *v = tool_answer(m, &a), *content = json_get(v, "content");
        first = content && content->type == JSON_ARRAY && content->n ? &content->items[0] : NULL;
        if (!first || a.refused) {
            const char *text = json_get_str(first, "text");
            *ret_why = text ? text : "it cannot be read";
            first = NULL;
        }
    }
    sosia_response_free(a.response);
    return first;
}

static const char *object_with(struct mcp_call *m, const char *name, const char *text)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, name, text);
    json_end(&w);
    return buf_keep(&b, m->c->tx.arena);
}

/* ---- lists ---- */

static void write_file(struct mcp_call *m, const char *path, const char *name)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "file://");
    for (const char *p = path; *p; p++)
        if (*p == '/')
            buf_byte(&b, '/');
        else
            percent_add(&b, p, 1);
    json_obj(m->w, NULL);
    json_str(m->w, "uri", buf_str(&b));
    json_str(m->w, "name", name);
    json_end(m->w);
    buf_done(&b);
}

/* Writes the files of a tree as directory_tree has it, in its order. */
static void write_tree(struct mcp_call *m, const struct json *list, const char *dir, int *left)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i<list->n && * left> 0; i++) {
        const struct json *v = &list->items[i], *inner = json_get(v, "children");
        const char *name = json_get_str(v, "name");
        if (!name || strstr(name, "\xef\xbf\xbd")) /* has bytes that no URI here leads to */
            continue;
        const char *path = arena_printf(m->c->tx.arena, "%s/%s", dir, name);
        if (inner)
            write_tree(m, inner, path, left);
        else if (--*left >= 0)
            write_file(m, path, name);
    }
}

int server_resources_list(struct mcp_call *m)
{
    const char *why;
    int left = MAX_FILES;
    rpc_cache(m, 0, false);
    json_arr(m->w, "resources");
    if (is_graph(m)) {
        json_obj(m->w, NULL);
        json_str(m->w, "uri", GRAPH);
        json_str(m->w, "name", "knowledge-graph");
        json_str(m->w, "title", "Knowledge Graph");
        json_str(m->w, "description", "All entities and relations");
        json_str(m->w, "mimeType", "application/json");
        json_end(m->w);
    } else if (has_files(m)) {
        const struct json *v = ask(m, "directory_tree", "{\"path\":\"" WORKSPACE_ROOT "\"}", &why);
        const char *text = json_get_str(v, "text");
        const struct json *tree = NULL;
        struct sosia_err ignored;
        if (text && json_parse(m->c->tx.arena, text, strlen(text), NULL, &tree, &ignored) == 0)
            write_tree(m, tree, WORKSPACE_ROOT, &left);
    }
    json_end(m->w);
    return 0;
}

int server_templates_list(struct mcp_call *m)
{
    rpc_cache(m, 3600000, true);
    json_arr(m->w, "resourceTemplates");
    if (has_files(m)) {
        json_obj(m->w, NULL);
        json_str(m->w, "uriTemplate", FILES "{+path}");
        json_str(m->w, "name", "file");
        json_str(m->w, "title", "File");
        json_end(m->w);
    }
    json_end(m->w);
    return 0;
}

/* ---- reading ---- */

/* The path that a URI is of, absolute; NULL: it is of none here. */
static const char *path_of(struct mcp_call *m, const char *uri)
{
    char *path;
    size_t n, head = sizeof "file://" - 1;
    if (!str_starts(uri, FILES) ||
        percent_decode(m->c->tx.arena, uri + head, strlen(uri + head), false, &path, &n) < 0 ||
        !utf8_valid(path, n))
        return NULL;
    return path;
}

/* Reads it by the method; NULL: refused. */
static const struct json *look(struct mcp_call *m, const char *uri)
{
    const char *why = NULL, *path = has_files(m) ? path_of(m, uri) : NULL;
    const struct json *v = NULL;
    if (is_graph(m) && strcmp(uri, GRAPH) == 0)
        v = ask(m, "read_graph", "{}", &why);
    else if (path)
        v = ask(m, "read_media_file", object_with(m, "path", path), &why);
    if (!v)
        rpc_no_resource(m, uri, why);
    return v;
}

static void write_bytes(struct mcp_call *m, const struct json *v)
{
    const struct json *resource = json_get(v, "resource");
    const char *type = json_get_str(resource ? resource : v, "mimeType");
    const char *coded = json_get_str(resource ? resource : v, resource ? "blob" : "data");
    uint8_t *data;
    size_t n;
    bool text = coded && base64_decode(m->c->tx.arena, coded, strlen(coded), &data, &n) == 0 &&
                utf8_valid((const char *)data, n) && !memchr(data, 0, n);
    if (text && type && strcmp(type, "application/octet-stream") == 0)
        type = "text/plain";
    json_str_opt(m->w, "mimeType", type);
    if (text)
        json_strn(m->w, "text", (const char *)data, n);
    else
        json_str(m->w, "blob", coded ? coded : "");
}

int server_resources_read(struct mcp_call *m)
{
    const char *uri = rpc_str(m, "uri");
    const struct json *v = uri ? look(m, uri) : NULL;
    if (!v)
        return -1;
    rpc_cache(m, 0, false);
    json_arr(m->w, "contents");
    json_obj(m->w, NULL);
    json_str(m->w, "uri", uri);
    if (is_graph(m)) {
        json_str(m->w, "mimeType", "application/json");
        json_str(m->w, "text", json_get_str(v, "text"));
    } else {
        write_bytes(m, v);
    }
    json_end(m->w);
    json_end(m->w);
    return 0;
}

/* ---- watching ---- */

struct finding {
    const char *path;
    int64_t id; /* 0: nothing is there yet */
};

static int find_node(struct tx *tx, struct json_writer *w, void *arg)
{
    struct finding *f = arg;
    struct workspace_place at;
    int r = workspace_resolve(tx, f->path, true, &at);
    f->id = r == 1 ? at.node.id : 0;
    json_bool(w, NULL, r == 1);
    return 0;
}

int server_watch(struct mcp_call *m, const char *uri, struct watched *ret)
{
    static const char *const kinds[] = {WORKSPACE_EVENT, NULL};
    struct finding f = {.path = MEMORY_FILE};
    struct sosia_blob blob;
    if (!look(m, uri))
        return -1;
    if (!is_graph(m))
        f.path = workspace_inside(workspace_absolute(m->c->tx.arena, path_of(m, uri)));
    if (!f.path)
        return rpc_no_resource(m, uri, NULL);
    if (world_read(m->c->tx.engine, m->c->world, false, find_node, &f, &blob, m->c->tx.err) < 0)
        return rpc_fail(m, RPC_INTERNAL, "the resource can't be watched");
    sosia_blob_free(&blob);
    *ret = (struct watched){.kinds = kinds, .entity = f.id}; /* 0: whatever comes may be it */
    return 1;
}
