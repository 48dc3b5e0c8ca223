/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of Graph say: the paths that there are, and the shapes of what they take and give,
 * as JSON Schema, TypeScript or CDDL. */
#include "engine/api/json_schema.h"
#include "engine/base/codec.h"
#include "mcp/sets/workiq/workiq.h"
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { MAX_FILTER = 1024, MATCH_STEPS = 100000 };

/* ---- search_paths ---- */

static pcre2_code *compiled(const char *filter)
{
    int code;
    PCRE2_SIZE at;
    return pcre2_compile((PCRE2_SPTR)filter, PCRE2_ZERO_TERMINATED, PCRE2_CASELESS | PCRE2_UTF,
                         &code, &at, NULL);
}

/* A prefix, or a regular expression that is found in the path. */
static bool fits(const pcre2_code *re, pcre2_match_data *data, pcre2_match_context *limits,
                 const char *filter, const char *path)
{
    if (strncasecmp(path, filter, strlen(filter)) == 0)
        return true;
    return re && pcre2_match(re, (PCRE2_SPTR)path, strlen(path), 0, 0, data, limits) >= 0;
}

/* All operations at a path, of rows from i on; 0: an earlier row had it. */
static unsigned operations_at(const struct call *c, const char *path, size_t i)
{
    const struct route *r;
    const struct dialect *d;
    unsigned all = 0;
    for (size_t k = 0; (r = workiq_row(c, k, &d)); k++) {
        const char *p;
        size_t at = 0;
        while ((p = workiq_path(r, &at)))
            if (strcmp(p, path) == 0) {
                if (k < i)
                    return 0;
                all |= workiq_operation_of(c, r);
            }
    }
    return all;
}

static void write_path(struct workiq *q, const char *path, unsigned operations)
{
    json_obj(q->w, NULL);
    json_str(q->w, "path", path);
    json_arr(q->w, "operations");
    for (size_t i = 0; workiq_operations[i]; i++)
        if (operations >> i & 1)
            json_str(q->w, NULL, workiq_operations[i]);
    json_end(q->w);
    json_end(q->w);
}

int workiq_search_paths(struct workiq *q)
{
    const struct call *c = q->m->c;
    const char *filter = json_get_str(q->args, "filter");
    const struct route *r;
    const struct dialect *d;
    if (!filter || !*filter || strlen(filter) > MAX_FILTER) {
        q->refused = true;
        json_str(q->w, "error", "filter must be a prefix or a regular expression, not empty");
        return 0;
    }
    pcre2_code *re = compiled(filter);
    pcre2_match_data *data = re ? pcre2_match_data_create_from_pattern(re, NULL) : NULL;
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    if (!limits || (re && !data)) {
        pcre2_code_free(re);
        pcre2_match_context_free(limits);
        return -1;
    }
    pcre2_set_match_limit(limits, MATCH_STEPS);
    json_arr(q->w, "paths");
    for (size_t i = 0; (r = workiq_row(c, i, &d)); i++) {
        const char *path;
        size_t at = 0;
        while ((path = workiq_path(r, &at))) {
            unsigned operations =
                fits(re, data, limits, filter, path) ? operations_at(c, path, i) : 0;
            if (operations)
                write_path(q, path, operations);
        }
    }
    json_end(q->w);
    pcre2_match_data_free(data);
    pcre2_match_context_free(limits);
    pcre2_code_free(re);
    return 0;
}

/* ---- get_schema ---- */

/* "/me/messages/AAMk=" is "/me/messages/{message-id}": segments that are parameters fit all. */
static bool same_path(const char *pattern, const char *path)
{
    pattern += *pattern == '/';
    path += *path == '/';
    while (*pattern && *path && !strchr("?#", *path)) {
        size_t n = strcspn(pattern, "/"), m = strcspn(path, "/?#");
        bool any = memchr(pattern, '{', n) != NULL;
        size_t bare = n > 2 && memcmp(pattern + n - 2, "()", 2) == 0 ? n - 2 : n;
        size_t called = m > 2 && memcmp(path + m - 2, "()", 2) == 0 ? m - 2 : m;
        if (!any && (bare != called || strncasecmp(pattern, path, bare) != 0))
            return false;
        pattern += n;
        path += m;
        if ((*pattern == '/') != (*path == '/'))
            return false;
        pattern += *pattern == '/';
        path += *path == '/';
    }
    return !*pattern && (!*path || strchr("?#", *path));
}

/* The row of a path or an id for an operation; NULL: there is none. */
static const struct route *row_for(const struct call *c, const char *path, const char *id,
                                   enum workiq_operation op, const struct dialect **ret_dialect)
{
    const struct route *r;
    for (size_t i = 0; (r = workiq_row(c, i, ret_dialect)); i++) {
        const char *p;
        size_t at = 0;
        enum workiq_operation own = workiq_operation_of(c, r);
        if (own != op && !(op == WORKIQ_FETCH && own == WORKIQ_FUNCTION))
            continue;
        if (id && strcmp(r->id, id) == 0)
            return r;
        while (path && (p = workiq_path(r, &at)))
            if (same_path(p, path))
                return r;
    }
    return NULL;
}

struct defs {
    struct workiq *q;
    const struct dialect *d;
    struct json_writer *w;
    struct buf *b;
};

static void write_def(void *arg, const struct schema *s)
{
    struct defs *x = arg;
    const struct json_schema out = {.w = x->w, .d = x->d, .refs = "#/$defs/", .values = true};
    json_obj(x->w, s->name);
    json_schema_members(&out, s);
    json_end(x->w);
}

static int as_json_schema(struct defs *x, const char *name)
{
    struct json_writer w;
    json_init(&w, x->b, false, NULL);
    x->w = &w;
    json_obj(&w, NULL);
    json_str(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_str(&w, "$ref", arena_printf(x->q->arena, "#/$defs/%s", name));
    json_obj(&w, "$defs");
    int r = json_schema_reached(x->d, name, write_def, x);
    json_end(&w);
    json_end(&w);
    return r;
}

/* ---- the other two forms ---- */

struct words {
    const char *string, *number, *integer, *boolean, *any;
};
static const struct words typescript = {"string", "number", "number", "boolean", "unknown"};
static const struct words cddl = {"tstr", "float", "int", "bool", "any"};

static const char *word_of(const struct dialect *d, const struct field *f, const struct words *w)
{
    if (dialect_schema(d, f->type)) {
        const char *dot = strrchr(f->type, '.');
        return dot ? dot + 1 : f->type;
    }
    return strcmp(f->type, "string") == 0    ? w->string
           : strcmp(f->type, "number") == 0  ? w->number
           : strcmp(f->type, "integer") == 0 ? w->integer
           : strcmp(f->type, "boolean") == 0 ? w->boolean
                                             : w->any;
}

static const char *short_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static void write_typescript(void *arg, const struct schema *s)
{
    struct defs *x = arg;
    buf_printf(x->b, "interface %s {\n", short_name(s->name));
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct field *f = &s->fields[i];
        const char *quote = strpbrk(f->name, "@.-") ? "\"" : "";
        buf_printf(x->b, "  %s%s%s%s: %s%s%s;\n", quote, f->name, quote, f->required ? "" : "?",
                   word_of(x->d, f, &typescript), f->list ? "[]" : "",
                   f->nullable ? " | null" : "");
    }
    buf_puts(x->b, "}\n");
}

static void write_cddl(void *arg, const struct schema *s)
{
    struct defs *x = arg;
    buf_printf(x->b, "%s = {\n", short_name(s->name));
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct field *f = &s->fields[i];
        const char *quote = strpbrk(f->name, "@.-") ? "\"" : "", *word = word_of(x->d, f, &cddl);
        buf_printf(x->b, "  %s%s%s%s: %s%s%s%s,\n", f->required ? "" : "? ", quote, f->name, quote,
                   f->list ? "[* " : "", word, f->list ? "]" : "", f->nullable ? " / null" : "");
    }
    buf_puts(x->b, "}\n");
}

static unsigned operation_named(const char *name)
{
    int at = name ? str_place(workiq_operations, name) : -1;
    return at < 0 ? 0 : 1u << at;
}

int workiq_get_schema(struct workiq *q)
{
    const char *path = json_get_str(q->args, "path"), *ids = json_get_str(q->args, "operationIds");
    const char *type = json_get_str(q->args, "operationType");
    const char *format = json_get_str(q->args, "format");
    enum workiq_operation op = operation_named(type);
    const struct dialect *d;
    const struct json *list = json_get(q->args, "operationIds");
    struct buf b;
    if (list && list->type == JSON_ARRAY && list->n && list->items[0].type == JSON_STRING)
        ids = list->items[0].str;
    const struct route *r = op ? row_for(q->m->c, path, ids, op, &d) : NULL;
    const char *name = !r                                            ? NULL
                       : op == WORKIQ_FETCH || op == WORKIQ_FUNCTION ? r->response
                                                                     : r->request;
    if (!name || !dialect_schema(d, name)) {
        q->refused = true;
        json_str(q->w, NULL,
                 arena_printf(q->arena, "No '%s' operation for path: %s", type ? type : "",
                              path  ? path
                              : ids ? ids
                                    : ""));
        return 0;
    }
    buf_init(&b, 0);
    struct defs x = {.q = q, .d = d, .b = &b};
    int rc = !format || str_eq_nocase(format, "jsonschema")
                 ? as_json_schema(&x, name)
                 : json_schema_reached(
                       d, name, str_eq_nocase(format, "cddl") ? write_cddl : write_typescript, &x);
    if (rc == 0)
        json_strn(q->w, NULL, buf_str(&b), b.len);
    if (buf_failed(&b))
        rc = -1;
    buf_done(&b);
    return rc;
}
