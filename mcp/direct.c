/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call of a native tool whose method only reads. What its arguments become is written as a
 * request has it, for the journal and for handlers that look at it, and goes to the row beside its
 * text, so that nothing is read again. Whatever is out of the ordinary, and what is refused, takes
 * the way of a request (mcp/invoke.c).
 */
#include "mcp/tool.h"
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"

enum { MAX_TEXT = DIRECT_TEXT, MAX_PARAMS = DIRECT_PARAMS, MAX_ITEMS = 96 };

/* A request that is put together. */
struct direct {
    const struct route *route;
    const struct dialect_tools *service;
    const struct json *values[MAX_PARAMS]; /* of the row's parameters; NULL: not given */
    const struct json *fields;             /* the service's own; NULL: not given */
    size_t n_path;                         /* how many of the values are for a path */
    struct query_item items[MAX_ITEMS];
    size_t n_items;
    struct text {
        char *at, *end;
    } target, form;
};

/* The place of a parameter; n_params: there is none of the name. */
static size_t place_of(const struct route *r, const char *name, size_t n)
{
    size_t i = 0;
    while (i < r->n_params && (r->params[i].name[0] != *name || strlen(r->params[i].name) != n ||
                               memcmp(r->params[i].name, name, n) != 0))
        i++;
    return i;
}

/* Each argument to its parameter; the last of a name counts. */
static bool sort_out(struct direct *d, const char *fields, const struct json *arguments)
{
    const struct route *r = d->route;
    for (uint32_t i = 0; arguments && i < arguments->n; i++) {
        const struct json_member *a = &arguments->members[i];
        size_t at = place_of(r, a->key, a->key_len);
        bool is_fields = fields && strcmp(a->key, fields) == 0;
        if (is_fields == (at < r->n_params))
            return false;
        if (is_fields) {
            d->fields = &a->value;
            continue;
        }
        d->n_path += r->params[at].place == IN_PATH && !d->values[at];
        d->values[at] = &a->value;
    }
    return true;
}

/* A value as a request has it. False: it is not a plain one. */
static bool text_of(const struct json *v, const char **ret, size_t *ret_n)
{
    if (v->type == JSON_BOOL) {
        *ret = v->truth ? "true" : "false";
        *ret_n = v->truth ? 4 : 5;
        return true;
    }
    if (v->type != JSON_STRING && v->type != JSON_NUMBER)
        return false;
    *ret = v->str;
    *ret_n = v->n;
    return v->type == JSON_NUMBER || (!memchr(v->str, 0, v->n) && utf8_valid(v->str, v->n));
}

static bool put(struct text *t, const char *text, size_t n)
{
    if (n > MAX_TEXT || (ptrdiff_t)(3 * n) > t->end - t->at)
        return false;
    t->at = percent_put(t->at, text, n);
    return true;
}

/* A segment has text that is all of it, so that a value is no more than one. */
static bool put_path(struct direct *d)
{
    const char *p = d->route->paths[0], *text, *open;
    size_t n, own = strlen(p), used = 0;
    d->target.end -= own; /* is there for the rest of the row's path, whatever the values take */
    for (; (open = strchr(p, '{')); p = strchr(open, '}') + 1) {
        const char *name = open + 1, *end = strchr(name, '}');
        memcpy(d->target.at, p, (size_t)(open - p));
        d->target.at += open - p;
        size_t at = place_of(d->route, name, (size_t)(end - name));
        const struct json *v = at < d->route->n_params ? d->values[at] : NULL;
        if (!v || !text_of(v, &text, &n) || !n || !put(&d->target, text, n))
            return false;
        used++;
    }
    d->target.at = stpcpy(d->target.at, p);
    d->target.end += own;
    return used == d->n_path; /* else another path of the row has the others */
}

static bool put_item(struct direct *d, const char *name, const char *text, size_t n, bool form)
{
    struct text *t = form ? &d->form : &d->target;
    size_t len = strlen(name);
    bool first = !d->n_items;
    if (d->n_items == MAX_ITEMS || (size_t)(t->end - t->at) < 3 * len + 2)
        return false;
    if (!form || !first)
        *t->at++ = first ? '?' : '&';
    t->at = percent_put(t->at, name, len);
    *t->at++ = '=';
    d->items[d->n_items++] = (struct query_item){
        .name = name, .text = text, .len = n, .place = form ? IN_FORM : IN_QUERY};
    return put(t, text, n);
}

static bool put_value(struct direct *d, const struct param *p, const struct json *v)
{
    const char *text;
    size_t n;
    return text_of(v, &text, &n) && put_item(d, p->name, text, n, p->place != IN_QUERY);
}

static bool put_params(struct direct *d)
{
    const struct route *r = d->route;
    for (size_t i = 0; i < r->n_params; i++) {
        const struct param *p = &r->params[i];
        const struct json *v = d->values[i];
        if (p->place == IN_PATH)
            continue;
        if (!v || v->type == JSON_NULL) {
            if (p->required)
                return false;
        } else if (p->repeated && v->type == JSON_ARRAY) {
            for (uint32_t k = 0; k < v->n; k++)
                if (!put_value(d, p, &v->items[k]))
                    return false;
        } else if (!put_value(d, p, v)) {
            return false;
        }
    }
    return true;
}

/* What all methods of the service have. */
static bool put_common(struct direct *d)
{
    const struct dialect_tools *s = d->service;
    const char *text;
    size_t n;
    if (d->fields && d->fields->type == JSON_STRING &&
        !(text_of(d->fields, &text, &n) && put_item(d, s->fields, text, n, false)))
        return false;
    return !s->compact || put_item(d, s->compact, "false", 5, false);
}

static void take_answer(struct mcp_call *m, const char *target, const struct part_answer *from,
                        struct mcp_answer *ret)
{
    *ret = (struct mcp_answer){.response = from->response,
                               .status = from->status,
                               .type = from->type,
                               .why = from->why,
                               .body = from->body,
                               .len = from->len};
    if (from->response)
        answer_read(m, target, ret);
    else
        answer_judge(m, ret, target);
}

int tool_direct(struct mcp_call *m, const struct mcp_tool *tool, const struct json *arguments,
                struct mcp_answer *ret)
{
    char target[MAX_TEXT], form[MAX_TEXT];
    struct direct d;
    d.route = tool->route;
    d.service = tool->service;
    d.fields = NULL;
    d.n_items = d.n_path = 0;
    d.target = (struct text){target, target + sizeof target - 1};
    d.form = (struct text){form, form + sizeof form - 1};
    memset(d.values, 0, tool->route->n_params * sizeof *d.values);
    if (!sort_out(&d, tool->fields, arguments) || !put_path(&d) || !put_params(&d) ||
        !put_common(&d))
        return 0;
    *d.target.at = *d.form.at = 0;
    size_t form_len = (size_t)(d.form.at - form);
    const enum verb verb = form_len ? VERB_POST : route_verb(tool->route);
    struct sosia_header headers[2 + TOOL_LABELS] = {
        {"Authorization", tool_bearer(m)}, {"Content-Type", "application/x-www-form-urlencoded"}};
    size_t n_headers = form_len ? 2 : 1;
    n_headers += tool_labels(m, headers + n_headers, TOOL_LABELS);
    const struct part_row row = {.route = tool->route,
                                 .verb = verb,
                                 .items = d.items,
                                 .n_items = d.n_items,
                                 .request = {.method = verb_name(verb),
                                             .target = target,
                                             .headers = headers,
                                             .n_headers = n_headers,
                                             .body = form,
                                             .body_len = form_len,
                                             .base_url = m->c->base_url}};
    struct part_answer answer;
    int r = call_part_row(m->c, &row, &answer);
    if (r > 0) {
        take_answer(m, target, &answer, ret);
        m->wrote += !ret->refused && tool->route->risk != RISK_READ;
        mcp_log_request(m, &row.request, ret);
    }
    return r;
}
