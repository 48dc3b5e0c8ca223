/* SPDX-License-Identifier: Apache-2.0 */
/* A world's files: lists, contents, archives. */
#include "server/control/operation.h"
#include "services/workspace/core/world.h"

static const char *path_of(const struct control_call *c)
{
    const char *path = control_text(c, "path");
    return path ? path : "";
}

int control_workspace_list(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    if (workspace_world_list(c->engine, c->world, path_of(c), control_number(c, "recursive", 0),
                             &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

int control_workspace_get(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob blob;
    bool archive;
    if (workspace_world_get(c->engine, c->world, path_of(c), &blob, &archive, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &blob);
    c->response->content_type = archive ? "application/gzip" : "application/octet-stream";
    return 0;
}

int control_workspace_put(struct call *call)
{
    struct control_call *c = control_of(call);
    struct workspace_imported done = {0};
    struct json_writer w;
    struct buf b;
    if (workspace_world_put(c->engine, c->world, path_of(c), c->request->body, c->request->body_len,
                            &done, &c->err) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_int(&w, "files", done.files);
    json_int(&w, "directories", done.directories);
    json_int(&w, "links", done.links);
    json_int(&w, "skipped", done.skipped);
    json_end(&w);
    return control_answer(c, 200, &b);
}
