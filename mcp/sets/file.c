/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the workspace that tools attach, and save. */
#include "engine/base/codec.h"
#include "mcp/sets/set.h"
#include "mcp/sets/value.h"

int set_file_read(struct set_run *r, const char *path, const struct json **ret)
{
    struct value_object o = {.arena = r->arena}, call = {.arena = r->arena};
    object_put(&o, "path", value_text(r->arena, path));
    object_put(&call, "body", object_value(&o));
    return set_call_method(r, "files.read", object_value(&call), ret);
}

int set_file_save(struct set_run *r, const struct set_file *f, const struct json **ret)
{
    struct value_object o = {.arena = r->arena}, call = {.arena = r->arena};
    struct buf b;
    buf_init(&b, 128 << 20);
    base64_add(&b, f->data, f->len);
    object_put(&o, "path", value_text(r->arena, f->path));
    object_put(&o, "name", f->name ? value_text(r->arena, f->name) : NULL);
    object_put(&o, "overwrite", f->over ? &value_true : NULL);
    object_put(&o, "data", set_text(r, &b));
    object_put(&call, "body", object_value(&o));
    return r->why ? 0 : set_call_method(r, "files.save", object_value(&call), ret);
}
