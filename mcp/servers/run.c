/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/servers/run.h"
#include "engine/json/bytes.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"

static bool has_field(const struct schema *s, const char *name)
{
    for (size_t i = 0; s && i < s->n_fields; i++)
        if (strcmp(s->fields[i].name, name) == 0)
            return true;
    return false;
}

/* One program says first which arguments it has not looked at. */
static void say_ignored(struct run_result *r)
{
    const struct call *c = r->c;
    const struct json *args = c->body;
    const struct schema *s = dialect_schema(c->dialect, c->route->request);
    size_t ignored = 0;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "You sent parameters not supported by this tool, which were ignored: ");
    for (uint32_t i = 0; args && args->type == JSON_OBJECT && i < args->n; i++)
        if (!has_field(s, args->members[i].key))
            buf_printf(&b, "%s%s", ignored++ ? ", " : "", args->members[i].key);
    buf_printf(&b, ". Supported parameters for %s: ", strchr(c->route->id, '.') + 1);
    for (size_t i = 0; s && i < s->n_fields; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", s->fields[i].name);
    buf_puts(&b, s && s->n_fields ? "." : "(none).");
    if (ignored)
        run_text(r, buf_str(&b), b.len, false);
    buf_done(&b);
}

void run_begin(struct run_result *r, struct call *c)
{
    *r = (struct run_result){.c = c};
    json_obj(c->out, NULL);
    json_arr(c->out, "content");
    if (server_is(c, "desktop-commander"))
        say_ignored(r);
}

void run_text(struct run_result *r, const char *text, size_t n, bool error)
{
    struct buf b;
    buf_init(&b, 0);
    server_put_text(&b, text, n);
    json_obj(r->c->out, NULL);
    json_str(r->c->out, "type", "text");
    json_strn(r->c->out, "text", buf_str(&b), b.len);
    json_bool_opt(r->c->out, "error", error);
    json_end(r->c->out);
    buf_done(&b);
}

void run_image(struct run_result *r, const char *data, size_t n, const char *type)
{
    json_obj(r->c->out, NULL);
    json_str(r->c->out, "type", "image");
    json_base64(r->c->out, "data", data, n);
    json_str(r->c->out, "mimeType", type);
    json_end(r->c->out);
}

int run_end(struct run_result *r)
{
    json_end(r->c->out);
    json_bool_opt(r->c->out, "isError", r->failed);
    json_end(r->c->out);
    return 0;
}

int run_says(struct call *c, bool failed, const char *text, size_t n)
{
    struct run_result r;
    run_begin(&r, c);
    run_text(&r, text, n, false);
    r.failed = failed;
    return run_end(&r);
}

const char *run_quoted(struct arena *a, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    buf_byte(&b, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            buf_puts(&b, "'\\''");
        else
            buf_byte(&b, *text);
    }
    buf_byte(&b, '\'');
    return buf_keep(&b, a);
}
