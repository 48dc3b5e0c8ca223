/* SPDX-License-Identifier: Apache-2.0 */
/* How methods of such tools take their arguments, answer and refuse. */
#include "engine/base/utf8.h"
#include "engine/http/body.h"
#include "mcp/servers/server.h"

/* The faults of arguments, line by line; or as the items of a list. */
struct issues {
    struct buf text;
    struct json_writer list;
};

bool server_is(const struct call *c, const char *name)
{
    const char *own = strchr(c->dialect->name, '.');
    return own && strcmp(own + 1, name) == 0;
}

static const char *type_name(const struct json *v)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",     [JSON_BOOL] = "boolean", [JSON_NUMBER] = "number",
        [JSON_STRING] = "string", [JSON_ARRAY] = "array",  [JSON_OBJECT] = "object"};
    return v ? names[v->type] : "undefined";
}

static void put_options(struct buf *b, const char *const *values)
{
    for (size_t i = 0; values[i]; i++)
        buf_printf(b, "%s\"%s\"", i ? "|" : "", values[i]);
}

/* A fault in the words of an earlier release of the library that programs check arguments by. */
static void put_early_words(struct buf *b, const struct body_report *r, const char *wanted)
{
    const struct field *f = r->field;
    if (r->fault == BODY_WORD && r->value && r->value->type == JSON_STRING) {
        buf_puts(b, "Invalid enum value. Expected ");
        for (size_t i = 0; f->values[i]; i++)
            buf_printf(b, "%s'%s'", i ? " | " : "", f->values[i]);
        buf_printf(b, ", received '%s'", r->value->str);
    } else if (r->value) {
        buf_printf(b, "Expected %s, received %s", wanted, type_name(r->value));
    } else {
        buf_puts(b, "Required");
    }
}

static const char *wanted_by(const struct body_report *r)
{
    const struct field *f = r->field;
    return f && f->list && r->at && r->at->name ? "array" : f ? f->type : "object";
}

static enum body_verdict note_issue(struct call *c, const struct body_report *r)
{
    struct buf *b = &((struct issues *)r->arg)->text;
    const struct field *f = r->field;
    bool item = r->at && !r->at->name;
    if (r->fault == BODY_UNKNOWN)
        return BODY_LEAVE;
    if (b->len)
        buf_byte(b, '\n');
    if (server_is(c, "code-runner")) {
        put_early_words(b, r, wanted_by(r));
    } else if (f && f->values) {
        buf_puts(b, "Invalid option: expected one of ");
        put_options(b, f->values);
    } else if (r->fault == BODY_FEW) {
        buf_printf(b, "Too small: expected array to have >=%u items", f->least);
    } else {
        buf_printf(b, "Invalid input: expected %s, received %s",
                   !f || (dialect_schema(c->dialect, f->type) && (item || !f->list)) ? "object"
                   : f->list && !item                                                ? "array"
                                                                                     : f->type,
                   type_name(r->value));
    }
    if (r->at)
        buf_printf(b, " at %s", body_path(c, r->at));
    return BODY_LEAVE;
}

static void put_path(struct json_writer *w, const struct body_place *at)
{
    if (!at)
        return;
    put_path(w, at->up);
    if (at->name)
        json_str(w, NULL, at->name);
    else
        json_int(w, NULL, at->index);
}

/* As one program prints them. */
static enum body_verdict list_issue(struct call *c, const struct body_report *r)
{
    struct json_writer *w = &((struct issues *)r->arg)->list;
    const struct field *f = r->field;
    struct buf b;
    if (r->fault == BODY_UNKNOWN)
        return BODY_LEAVE;
    buf_init(&b, 0);
    put_early_words(&b, r, wanted_by(r));
    json_obj(w, NULL);
    if (r->fault == BODY_WORD && r->value && r->value->type == JSON_STRING) {
        json_str(w, "received", r->value->str);
        json_str(w, "code", "invalid_enum_value");
        json_arr(w, "options");
        for (size_t i = 0; f->values[i]; i++)
            json_str(w, NULL, f->values[i]);
        json_end(w);
    } else {
        json_str(w, "code", "invalid_type");
        json_str(w, "expected", wanted_by(r));
        json_str(w, "received", type_name(r->value));
    }
    json_arr(w, "path");
    put_path(w, r->at);
    json_end(w);
    json_str(w, "message", buf_str(&b));
    json_end(w);
    buf_done(&b);
    return BODY_LEAVE;
}

static const struct body_rules listed_rules = {
    .fault = list_issue, .order = BODY_AS_TABLED, .nulls = true};

/* What a tool of that program says before the list. */
static const char *before_list(struct arena *a, const char *tool)
{
    static const char *const searches[] = {"start_search", "get_more_search_results",
                                           "stop_search"};
    for (size_t i = 0; i < SOSIA_LEN(searches); i++)
        if (strcmp(tool, searches[i]) == 0)
            return arena_printf(a, "Invalid arguments for %s: ", tool);
    return strcmp(tool, "set_config_value") == 0        ? "Invalid arguments: "
           : strcmp(tool, "get_recent_tool_calls") == 0 ? "Error getting tool history: "
                                                        : "Error: ";
}

static int check_listed(struct call *c, const struct schema *s)
{
    struct issues issues;
    int r = 0;
    buf_init(&issues.text, 1 << 20);
    json_init(&issues.list, &issues.text, true, NULL);
    json_arr(&issues.list, NULL);
    if (body_check(c, s, c->body, &listed_rules, NULL, &issues) < 0)
        r = -1;
    json_end(&issues.list);
    server_trim(&issues.text);
    if (r == 0 && issues.text.len > 2)
        r = server_fail(c, "%s%s", before_list(c->tx.arena, strchr(c->route->id, '.') + 1),
                        buf_str(&issues.text));
    buf_done(&issues.text);
    return r;
}

static const struct body_rules issue_rules = {
    .fault = note_issue, .order = BODY_AS_TABLED, .nulls = true};

static int check(struct call *c)
{
    static const struct json none = {.type = JSON_OBJECT};
    const struct schema *s = dialect_schema(c->dialect, c->route->request);
    struct issues issues;
    int r = 0;
    *c->tx.err = (struct sosia_err){.code = 0}; /* its caller's may say what failed before */
    if (!c->body)
        c->body = &none;
    if (!s)
        return 0;
    if (server_is(c, "desktop-commander"))
        return check_listed(c, s);
    buf_init(&issues.text, 1 << 20);
    if (body_check(c, s, c->body, &issue_rules, NULL, &issues) < 0)
        r = -1;
    else if (issues.text.len)
        r = server_fail(c,
                        "MCP error -32602: Input validation error: Invalid arguments for tool %s: "
                        "%s",
                        strchr(c->route->id, '.') + 1, buf_str(&issues.text));
    buf_done(&issues.text);
    return r;
}

/* They have been looked at already. */
static const struct body_rules *no_rules(const struct call *c)
{
    (void)c;
    return NULL;
}

const struct json *server_arguments(struct call *c)
{
    return c->body;
}

/* The reason why may be longer than an error's text. */
static void error(struct call *c)
{
    const char *why = c->vendor_data ? c->vendor_data : c->tx.err->text;
    json_obj(c->out, NULL);
    json_arr(c->out, "content");
    tool_text(c->out, why, strlen(why));
    json_end(c->out);
    if (!c->tx.err->reason || strcmp(c->tx.err->reason, SERVER_SAID) != 0)
        json_bool(c->out, "isError", true);
    json_end(c->out);
    call_header_const(c, "Content-Type", "application/json");
}

int server_fail(struct call *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *why = arena_vprintf(c->tx.arena, fmt, ap);
    va_end(ap);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    utf8_scrub(why);
    c->vendor_data = why;
    enum sosia_code code = c->tx.err->code ? c->tx.err->code : SOSIA_E_INVALID;
    return call_fail(c, code, "tool", NULL, "%.200s", why);
}

static void finish(struct call *c)
{
    call_header_const(c, "Content-Type", "application/json");
}

const struct front server_front = {
    .check = check, .body_rules = no_rules, .finish = finish, .error = error};
const struct vendor server_vendor = {
    .name = "workspace", .title = "Workspace", .front = &server_front};

void server_put_text(struct buf *b, const char *text, size_t n)
{
    const char *end = text + n;
    while (text < end) {
        unsigned len = utf8_sequence(text, (size_t)(end - text));
        const char *run = text;
        while (text < end && (len = utf8_sequence(text, (size_t)(end - text))))
            text += len;
        buf_add(b, run, (size_t)(text - run));
        if (text < end) {
            buf_puts(b, "\xef\xbf\xbd");
            text++;
        }
    }
}

int server_text(struct call *c, const char *text, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    server_put_text(&b, text, n);
    return server_buf(c, &b);
}

int server_buf(struct call *c, struct buf *b)
{
    const char *text = buf_str(b);
    int r = buf_failed(b) ? tx_fail(&c->tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                                    "the result must have at most 1 GiB")
                          : 0;
    if (r == 0) {
        json_obj(c->out, NULL);
        json_arr(c->out, "content");
        tool_text(c->out, text, b->len);
        json_end(c->out);
        json_obj(c->out, "structuredContent");
        json_strn(c->out, "content", text, b->len);
        json_end(c->out);
        json_end(c->out);
    }
    buf_done(b);
    return r;
}

void server_trim(struct buf *b)
{
    while (b->len && b->data[b->len - 1] == '\n')
        b->len--;
}
