/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request brings, checked against its row by the code that checks calls of vendors' APIs
 * (engine/http/param.h, engine/http/body.h), and then as handlers read it: one value a name, lists
 * of words and documents as text.
 */
#include "engine/http/param.h"
#include "engine/text/civil.h"
#include "server/control/operation.h"
#include <string.h>

static struct control_value *add(struct control_call *c, const char *name)
{
    struct control_value *v = &c->values[c->n_values++];
    memset(v, 0, sizeof *v);
    v->name = name;
    return v;
}

/* ---- path and query ---- */

/* Puts a failure of the engine's about parameters into words. */
static int bad_param(struct control_call *c)
{
    const struct param *p = NULL;
    const char *reason = c->err.reason ? c->err.reason : "", *where = c->err.where;
    char *text = arena_strdup(&c->arena, c->err.text);
    for (size_t i = 0; where && i < c->op->n_params && !p; i++)
        if (strcmp(c->op->params[i].name, where) == 0)
            p = &c->op->params[i];
    if (strcmp(reason, "unknown") == 0)
        return control_fail(c, where, "must be a parameter of %s", c->op->id);
    if (strcmp(reason, "repeated") == 0)
        return control_fail(c, where, "must be given once, is given twice");
    if (strcmp(reason, "required") == 0)
        return control_fail(c, where, "must be given, is missing");
    if (strcmp(reason, "encoding") == 0 || strcmp(reason, "path") == 0)
        return control_fail(c, where, "%smust be percent-encoded UTF-8",
                            where                         ? ""
                            : strcmp(reason, "path") == 0 ? "the path "
                                                          : "the query ");
    if (!p)
        return -1;
    if (strcmp(reason, "length") == 0)
        return control_fail(c, where, "must be %s, not of %s", param_expected(&c->call, p), text);
    return control_fail(c, where, "must be %s, not \"%.40s\"", param_expected(&c->call, p), text);
}

int control_read_params(struct control_call *c, const struct match *m)
{
    struct call *call = &c->call;
    bool native = control_is_native(c->op);
    if ((!native && (query_parse(call) < 0 || params_exact(call) < 0)) || params_parse(call, m) < 0)
        return bad_param(c);
    for (size_t i = 0; i < call->n_values; i++) {
        struct control_value *v = add(c, call->values[i].def->name);
        v->text = call->values[i].text;
        v->len = call->values[i].len;
        v->number = call->values[i].number;
    }
    return 0;
}

/* ---- body ---- */

/* A document inside of the body keeps its place there: what is before it becomes spaces, so
 * that the lines that its faults name are lines of the body. */
static int read_document(struct control_call *c, struct control_value *v, const struct json *value)
{
    const char *body = c->request->body;
    size_t end = value->at;
    int depth = 0;
    bool quoted = false;
    do {
        char b = body[end++];
        if (quoted && b == '\\')
            end++;
        else if (b == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (b == '{') - (b == '}');
    } while (depth || quoted);
    char *text = arena_memdup(&c->arena, body, end);
    if (arena_failed(&c->arena))
        return sosia_fail_memory(&c->err);
    for (size_t i = 0; i < value->at; i++)
        if (text[i] != '\n')
            text[i] = ' ';
    v->text = text;
    v->len = end;
    return 0;
}

static int read_words(struct control_call *c, struct control_value *v, const struct json *value)
{
    struct buf b;
    buf_init(&b, 0);
    for (uint32_t i = 0; i < value->n; i++) {
        const struct json *word = &value->items[i];
        if (!word->n || strchr(word->str, ' ')) {
            buf_done(&b);
            return control_fail(c, v->name, "must be a list of strings without spaces, not %s",
                                call_quote(&c->call, word));
        }
        if (i)
            buf_byte(&b, ' ');
        buf_add(&b, word->str, word->n);
    }
    v->len = b.len;
    v->text = arena_memdup(&c->arena, buf_str(&b), b.len);
    buf_done(&b);
    return 0;
}

static void read_string(struct control_value *v, const struct field *f, const struct json *value)
{
    struct stamp stamp;
    v->text = value->str;
    v->len = value->n;
    while (f->values && strcmp(f->values[v->number], value->str) != 0)
        v->number++;
    if (f->format && strcmp(f->format, "date-time") == 0 &&
        stamp_parse(value->str, value->n, false, &stamp) == 0)
        v->number = stamp.local_us - stamp.offset * US_PER_SECOND;
}

static int read_member(struct control_call *c, const struct field *f, const struct json *value)
{
    struct control_value *v = add(c, f->name);
    if (strcmp(f->type, "any") == 0) /* which its handler reads from the body */
        return 0;
    switch ((enum json_type)value->type) {
    case JSON_STRING:
        read_string(v, f, value);
        return 0;
    case JSON_NUMBER:
        json_i64(value, &v->number);
        json_double(value, &v->real);
        return 0;
    case JSON_OBJECT:
        return read_document(c, v, value);
    case JSON_ARRAY:
        return read_words(c, v, value);
    default:
        v->number = value->truth;
        return 0;
    }
}

int control_read_body(struct control_call *c)
{
    const struct server_request *request = c->request;
    /* The server has measured it already. */
    const struct json_limits limits = {.max_size = request->body_len + 1, .unique_keys = true};
    if (control_is_native(c->op))
        return 0;
    if (c->op->body == BODY_NONE)
        return request->body_len ? control_fail(c, NULL, "the body must be absent, not %zu bytes",
                                                request->body_len)
                                 : 0;
    if (c->op->body == BODY_RAW)
        return request->body_len ? 0 : control_fail(c, NULL, "the body must be given, is missing");
    if (request->body_len && json_parse(&c->arena, request->body, request->body_len, &limits,
                                        &c->call.body, &c->err) < 0) {
        c->err.reason = "parseError";
        return -1;
    }
    const struct schema *schema = dialect_schema(&control_dialect, c->op->request);
    const struct json *body = call_body(&c->call);
    if (!body)
        return -1;
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct json *value = json_get(body, schema->fields[i].name);
        if (value && value->type != JSON_NULL && read_member(c, &schema->fields[i], value) < 0)
            return -1;
    }
    return 0;
}
