/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other programs in and out of worlds. */
#include "server/control/operation.h"
#include "transfer/transfer.h"

static struct transfer transfer_of(const struct control_call *c)
{
    return (struct transfer){.format = control_text(c, "format"),
                             .person = control_text(c, "person"),
                             .vendor = control_text(c, "vendor"),
                             .place = control_text(c, "place"),
                             .name = control_text(c, "name")};
}

int control_transfer_import(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct transfer t = transfer_of(c);
    struct transfer_done done;
    struct json_writer w;
    struct buf b;
    if (transfer_import(c->engine, c->world, &t, c->request->body, c->request->body_len, &done,
                        &c->err) < 0)
        return -1;
    json_start(&w, &b);
    transfer_counts(&w, &done);
    return control_answer(c, 200, &b);
}

int control_transfer_export(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct transfer t = transfer_of(c);
    struct sosia_blob blob;
    const char *type;
    if (transfer_export(c->engine, c->world, &t, &blob, &type, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &blob);
    c->response->content_type = type;
    return 0;
}
