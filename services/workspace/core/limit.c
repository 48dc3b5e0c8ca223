/* SPDX-License-Identifier: Apache-2.0 */
/* How much a world's workspace may hold: the section "workspaceLimits" of its document. */
#include "engine/state/form.h"
#include "services/workspace/core/node.h"

static const struct member members[] = {
    {"nodes", "Files, directories and links",
     INT_AT(struct workspace_use, most_nodes, 1, WORKSPACE_NODES), .usual = WORKSPACE_NODES},
    {"bytes", "Bytes of all files", INT_AT(struct workspace_use, most_bytes, 1, WORKSPACE_BYTES),
     .usual = WORKSPACE_BYTES},
    {"fileBytes", "Bytes of a file", INT_AT(struct workspace_use, most_file, 1, WORKSPACE_FILE),
     .usual = WORKSPACE_FILE},
};
const struct form workspace_most_form = FORM("How much the workspace may hold", members);

int workspace_most_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into workspace_use (id, nodes, bytes, most_nodes, most_bytes, most_file) values "
        "(1, "
        "0, 0, :nodes, :bytes, :file) on conflict (id) do update set most_nodes = "
        "excluded.most_nodes, most_bytes = excluded.most_bytes, most_file = excluded.most_file");
    struct workspace_use use;
    if (!v)
        return 0;
    if (workspace_use(tx, &use) < 0 ||
        form_read(&(struct form_in){tx, d, v, NULL}, &workspace_most_form, &use) < 0)
        return -1;
    return TX_RUN(tx, &q, use.most_nodes, use.most_bytes, use.most_file);
}

int workspace_most_dump(struct tx *tx, struct json_writer *w)
{
    struct workspace_use use;
    if (workspace_use(tx, &use) < 0)
        return -1;
    if (use.most_nodes == WORKSPACE_NODES && use.most_bytes == WORKSPACE_BYTES &&
        use.most_file == WORKSPACE_FILE)
        return 0;
    json_obj(w, "workspaceLimits");
    int r = form_write(&(struct form_out){.tx = tx, .w = w}, &workspace_most_form, &use);
    json_end(w);
    return r;
}
