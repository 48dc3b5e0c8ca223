/* SPDX-License-Identifier: Apache-2.0 */
/* Prompts for common work, and completion of what prompts and URIs leave open. */
#include "mcp/resource.h"
#include "engine/base/codec.h"
#include <strings.h>

#define MAX_COMPLETIONS 100

static bool is_here(const struct mcp_call *m, const struct dialect *d)
{
    return !m->service || m->service == d->tools;
}

static const struct tool_prompt *prompt_named(const struct mcp_call *m, const char *name)
{
    for (const struct dialect *d = NULL; (d = mcp_service_next(m->c, d)) != NULL;)
        for (const struct tool_prompt *p = d->tools->prompts; is_here(m, d) && p && p->name; p++)
            if (strcmp(p->name, name) == 0)
                return p;
    return NULL;
}

/* ---- the list ---- */

static void write_prompt(struct json_writer *w, const struct tool_prompt *p)
{
    json_obj(w, NULL);
    json_str(w, "name", p->name);
    json_str(w, "title", p->title);
    json_str(w, "description", p->summary);
    json_arr(w, "arguments");
    for (size_t i = 0; i < PROMPT_ARGUMENTS && p->arguments[i].name; i++) {
        json_obj(w, NULL);
        json_str(w, "name", p->arguments[i].name);
        json_str(w, "description", p->arguments[i].summary);
        json_bool(w, "required", p->arguments[i].required);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

int mcp_prompts_list(struct mcp_call *m)
{
    if (json_get(m->params, "cursor"))
        return rpc_fail(m, RPC_PARAMS, "params.cursor: no list here has a second page");
    rpc_cache(m, 3600000, true);
    json_arr(m->w, "prompts");
    for (const struct dialect *d = NULL; (d = mcp_service_next(m->c, d)) != NULL;)
        for (const struct tool_prompt *p = d->tools->prompts; is_here(m, d) && p && p->name; p++)
            write_prompt(m->w, p);
    json_end(m->w);
    return 0;
}

/* ---- one of them ---- */

static const struct tool_prompt_argument *argument_named(const struct tool_prompt *p,
                                                         const char *name, size_t n)
{
    for (size_t i = 0; i < PROMPT_ARGUMENTS && p->arguments[i].name; i++)
        if (strlen(p->arguments[i].name) == n && memcmp(p->arguments[i].name, name, n) == 0)
            return &p->arguments[i];
    return NULL;
}

static int check_arguments(struct mcp_call *m, const struct tool_prompt *p,
                           const struct json *given)
{
    for (uint32_t i = 0; given && i < given->n; i++) {
        const struct json_member *a = &given->members[i];
        if (!argument_named(p, a->key, a->key_len))
            return rpc_fail(m, RPC_PARAMS, "%s has no argument %s", p->name, a->key);
        if (a->value.type != JSON_STRING)
            return rpc_fail(m, RPC_PARAMS, "the argument %s must be a string, not %s", a->key,
                            call_quote(m->c, &a->value));
    }
    for (size_t i = 0; i < PROMPT_ARGUMENTS && p->arguments[i].name; i++)
        if (p->arguments[i].required && !json_get(given, p->arguments[i].name))
            return rpc_fail(m, RPC_PARAMS, "%s must have the argument %s", p->name,
                            p->arguments[i].name);
    return 0;
}

static void write_text(struct mcp_call *m, const struct tool_prompt *p, const struct json *given)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *at = p->text; *at;) {
        size_t n = strcspn(at, "{");
        buf_add(&b, at, n);
        at += n;
        if (!*at)
            break;
        size_t name = strcspn(++at, "}");
        const struct tool_prompt_argument *a = argument_named(p, at, name);
        const char *value = a ? json_get_str(given, a->name) : NULL;
        buf_puts(&b, value ? value : "");
        at += name + 1;
    }
    json_str(m->w, "text", buf_str(&b));
    buf_done(&b);
}

int mcp_prompts_get(struct mcp_call *m)
{
    const char *name = rpc_str(m, "name");
    const struct json *given = json_get(m->params, "arguments");
    if (!name)
        return -1;
    const struct tool_prompt *p = prompt_named(m, name);
    if (!p)
        return rpc_fail(m, RPC_PARAMS, "Unknown prompt: %s", name);
    if (given && given->type != JSON_OBJECT)
        return rpc_fail(m, RPC_PARAMS, "params.arguments must be an object, not %s",
                        call_quote(m->c, given));
    if (check_arguments(m, p, given) < 0)
        return -1;
    json_str(m->w, "description", p->summary);
    json_arr(m->w, "messages");
    json_obj(m->w, NULL);
    json_str(m->w, "role", "user");
    json_obj(m->w, "content");
    json_str(m->w, "type", "text");
    write_text(m, p, given);
    json_end(m->w);
    json_end(m->w);
    json_end(m->w);
    return 0;
}

/* ---- completion ---- */

struct completion {
    struct mcp_call *m;
    const char *begin; /* what has been typed */
    unsigned n;
};

/* By its id, or by what it is called. */
static void complete_item(void *arg, const struct tool_resource *k, const struct json *item)
{
    struct completion *c = arg;
    const char *id = json_get_str(item, k->id), *called = json_get_str(item, k->called);
    size_t n = strlen(c->begin);
    if (strncasecmp(id, c->begin, n) != 0 && (!called || strncasecmp(called, c->begin, n) != 0))
        return;
    if (c->n++ < MAX_COMPLETIONS)
        json_str(c->m->w, NULL, id);
}

/* The kind whose resources an argument names, or the variable of a template that has one. */
static int kind_of(struct mcp_call *m, const struct json *ref, const char *argument,
                   const struct tool_resource **ret)
{
    const char *type = json_get_str(ref, "type"), *name = json_get_str(ref, "name");
    const char *uri = json_get_str(ref, "uri"), *kind = NULL;
    *ret = NULL;
    if (type && strcmp(type, "ref/prompt") == 0 && name) {
        const struct tool_prompt *p = prompt_named(m, name);
        const struct tool_prompt_argument *a =
            p ? argument_named(p, argument, strlen(argument)) : NULL;
        if (!p)
            return rpc_fail(m, RPC_PARAMS, "Unknown prompt: %s", name);
        kind = a ? a->kind : NULL;
    } else if (!type || strcmp(type, "ref/resource") != 0 || !uri) {
        return rpc_fail(m, RPC_PARAMS,
                        "params.ref must be {\"type\": \"ref/prompt\", \"name\"} or "
                        "{\"type\": \"ref/resource\", \"uri\"}, not %s",
                        call_quote(m->c, ref));
    }
    const char *variable = uri ? arena_printf(m->c->tx.arena, "{%s}", argument) : NULL;
    for (struct kind_place at = {0}; kind_next(m, &at);)
        if (at.kind->list && ((kind && strcmp(at.kind->name, kind) == 0) ||
                              (uri && strstr(uri, variable) && strstr(at.kind->uri, variable))))
            *ret = at.kind;
    return 0;
}

int mcp_complete(struct mcp_call *m)
{
    const struct json *argument = json_get(m->params, "argument");
    const char *name = json_get_str(argument, "name"), *value = json_get_str(argument, "value");
    const struct tool_resource *k;
    struct completion c = {.m = m, .begin = value};
    struct resource_page first = {0};
    if (!name || !value)
        return rpc_fail(m, RPC_PARAMS, "params.argument must have the strings name and value");
    if (kind_of(m, json_get(m->params, "ref"), name, &k) < 0)
        return -1;
    json_obj(m->w, "completion");
    json_arr(m->w, "values");
    if (k && kind_each(m, k, &first, complete_item, &c) < 0)
        return rpc_fail(m, RPC_INTERNAL, "there is no memory for the list");
    json_end(m->w);
    if (!first.next) /* else more may follow on other pages, which are not looked at */
        json_int(m->w, "total", c.n);
    json_bool(m->w, "hasMore", c.n > MAX_COMPLETIONS || first.next);
    json_end(m->w);
    return 0;
}
