/* SPDX-License-Identifier: Apache-2.0 */
/* The difference between two worlds in the terms of seed documents. */
#include "engine/state/change.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include <stdlib.h>

static void write_field(struct json_writer *w, const char *name, const struct json *from,
                        const struct json *to)
{
    if (json_same(from, to))
        return;
    json_obj(w, name);
    if (from)
        json_value(w, "from", from);
    if (to)
        json_value(w, "to", to);
    json_end(w);
}

static void write_change(struct json_writer *w, const struct change *c)
{
    const struct json *from = c->from, *to = c->to;
    json_obj(w, NULL);
    json_str(w, "entity", c->entity->name);
    json_str(w, "change", !from ? "added" : !to ? "removed" : "changed");
    json_value(w, "key", c->key);
    if (from && to) {
        json_obj(w, "fields");
        for (uint32_t i = 0; i < from->n; i++)
            write_field(w, from->members[i].key, &from->members[i].value,
                        json_get(to, from->members[i].key));
        for (uint32_t i = 0; i < to->n; i++)
            if (!json_get(from, to->members[i].key))
                write_field(w, to->members[i].key, NULL, &to->members[i].value);
        json_end(w);
    } else {
        json_value(w, "value", from ? from : to);
    }
    json_end(w);
}

int sosia_world_diff(struct sosia_engine *engine, uint64_t a, uint64_t b,
                     struct sosia_blob *ret_json, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    struct sosia_err local_err;
    const struct change_options opt = {.seed_terms = true, .all = true};
    struct json_writer w;
    struct changes d;
    struct buf out;
    int rc = changes_open(engine, a, b, &opt, &d, err ? err : &local_err);
    buf_init(&out, d.room);
    json_init(&w, &out, true, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "changes");
    for (size_t i = 0; rc == 0 && i < d.n; i++)
        write_change(&w, &d.list[i]);
    json_end(&w);
    json_end(&w);
    if (rc == 0)
        rc = changes_sync(&d);
    if (rc == 0)
        rc = buf_give(&out, ret_json, d.err);
    if (rc < 0)
        rc = changes_failed(&d, &out);
    changes_close(&d);
    buf_done(&out);
    return rc;
}
