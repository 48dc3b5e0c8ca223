/* SPDX-License-Identifier: Apache-2.0 */
/* The core's interface to the engine, and checks of rows that are anybody's. */
#include "services/workspace/core/fact.h"
#include "services/workspace/core/node.h"

extern const char workspace_sql[];

static int bad(struct tx *tx, const struct workspace_node *n, const char *why)
{
    return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL, "workspace_node: row %lld %s", (long long)n->id,
                   why);
}

static int check_content(struct tx *tx, const struct workspace_node *n)
{
    struct blob blob;
    if (!n->blob && !n->size)
        return 0;
    int r = workspace_content(tx, n, &blob);
    if (r < 0)
        return -1;
    if (!r || blob.length != n->size || !n->size || n->size > WORKSPACE_FILE)
        return bad(tx, n, "must have the size of its content");
    return n->digest != workspace_digest(&blob) ? bad(tx, n, "must have the digest of its content")
                                                : 0;
}

static int check_node(struct tx *tx, const struct workspace_node *n)
{
    struct workspace_node dir;
    const char *parent = workspace_parent(tx->arena, n->path);
    if (!workspace_path_is_valid(n->path))
        return bad(tx, n, "must have a path of parts");
    int r = *parent ? workspace_find(tx, parent, &dir) : 1;
    if (r < 0)
        return -1;
    if (!r || (*parent && dir.kind != NODE_DIRECTORY))
        return bad(tx, n, "must be in a directory");
    if (n->mtime_ns < 0 || n->mtime_ns / 1000000000 > WORKSPACE_YEARS)
        return bad(tx, n, "must have a time from 1970 to 2242");
    if (n->kind == NODE_FILE)
        return check_content(tx, n);
    return n->blob || n->size ? bad(tx, n, "has a content and is not a file") : 0;
}

static int check(struct tx *tx)
{
    struct workspace_node n;
    const char *after = NULL;
    int64_t nodes = 0, bytes = 0;
    int r;
    while ((r = workspace_walk(tx, "", after, &n)) == 1) {
        if (check_node(tx, &n) < 0)
            return -1;
        after = n.path;
        bytes += n.size;
        if (++nodes > WORKSPACE_NODES || bytes > WORKSPACE_BYTES)
            return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                           "workspace_node: there must be at most %d nodes and %lld bytes",
                           WORKSPACE_NODES, (long long)WORKSPACE_BYTES);
    }
    return r < 0 ? -1 : workspace_programs_check(tx);
}

/* How much there is; the limits stay as they are, and hold what comes. */
static int set_use(struct tx *tx, int64_t nodes, int64_t bytes)
{
    static struct sql_text q =
        SQL_TEXT("insert into workspace_use (id, nodes, bytes) values (1, :nodes, :bytes) on "
                 "conflict (id) do update set nodes = excluded.nodes, bytes = excluded.bytes");
    return !nodes && !bytes
               ? sql_exec(tx->db, "update workspace_use set nodes = 0, bytes = 0", tx->err)
               : TX_RUN(tx, &q, nodes, bytes);
}

/* Each file has a reference of its content, and how much there is follows from all. */
static int derive(struct tx *tx)
{
    struct workspace_node n;
    const char *after = NULL;
    int64_t nodes = 0, bytes = 0;
    int r;
    while ((r = workspace_walk(tx, "", after, &n)) == 1) {
        if (n.blob && blob_ref(tx, n.blob) < 0)
            return -1;
        after = n.path;
        nodes++;
        bytes += n.size;
    }
    if (r < 0 || set_use(tx, nodes, bytes) < 0)
        return -1;
    return fact_derive(tx);
}

static const struct section sections[] = {
    {.name = "workspace", .seed = workspace_seed, .dump = workspace_dump, .form = &workspace_form},
    {.name = "workspaceLimits",
     .seed = workspace_most_seed,
     .dump = workspace_most_dump,
     .form = &workspace_most_form},
    {.name = "programs",
     .seed = workspace_programs_seed,
     .dump = workspace_programs_dump,
     .form = &workspace_programs_form},
};

static const struct entity entities[] = {
    {.name = "workspaceFile",
     .table = "workspace_node",
     .key = workspace_key,
     .dump = workspace_node_dump,
     .members = "path pathBytes directory link linkBytes text base64 mode modified nanoseconds"},
    {.name = "workspaceMemory",
     .table = "workspace_memory",
     .key = fact_key_memory,
     .dump = fact_no_dump},
    {.name = "gitRef", .table = "workspace_ref", .key = fact_key_ref, .dump = fact_no_dump},
};

static const struct core_rule rules[] = {
    {"workspace_node", "instr(path, x'00') > 0"},
    {"workspace_node", "(kind = 2) <> (target is not null)"},
    {"workspace_node",
     "target is not null and (length(target) not between 1 and 4095 or instr(target, x'00') > 0)"},
    {"workspace_node",
     "data is not null and (kind <> 0 or blob is not null or length(data) <> size)"},
    {"workspace_node", "blob is not null and size <= 512"}, /* WORKSPACE_SMALL */
    {NULL, NULL},
};

static const struct question_view questions[] = {
    {"workspace", "path, kind, mode, size, target",
     "select cast(path as text), case kind when 0 then 'file' when 1 then 'directory' else 'link' "
     "end, mode, size, cast(target as text) from workspace_node"},
    {NULL, NULL, NULL},
};

const struct sosia_core workspace_core = {
    .name = WORKSPACE_CORE,
    .schema = workspace_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .views = workspace_views,
    .questions = questions,
    .rules = rules,
    .check = check,
    .derive = derive,
};
