/* SPDX-License-Identifier: Apache-2.0 */
/* Names in policies: what they stand for is there, since a rule about something misspelt would hold
 * nothing back. */
#include "engine/base/codec.h"
#include "engine/http/principal.h"
#include "grading/members.h"
#include "guard/policy.h"
#include "mcp/tool.h"
#include "services/list.h"
#include <stdio.h>

#define ALIASES_MAX 1000
#define NAMES_MAX   1000 /* of one member */

bool policy_name_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *back = NULL;
    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            back = text;
        } else if (*pattern == *text) {
            if (!*text)
                return true;
            pattern++;
            text++;
        } else if (star && *back) { /* the asterisk stands for one more */
            text = ++back;
            pattern = star;
        } else {
            return false;
        }
    }
}

bool name_set_has(const struct name_set *s, const char *text)
{
    for (size_t i = 0; text && i < s->n; i++) {
        char first = *s->list[i]; /* most differ in it */
        if ((first == *text || first == '*') && policy_name_matches(s->list[i], text))
            return true;
    }
    return !s->n;
}

/* ---- what there is ---- */

static bool some_method(const char *pattern)
{
    const struct dialect *d;
    const struct route *row;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; (row = dialect_row(d, i)); i++)
            if (policy_name_matches(pattern, row->id))
                return true;
    return false;
}

/* 1, 0, -1 without memory. */
static int some_tool(const char *pattern)
{
    const struct dialect *d;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++) {
        const struct tool_index *index = d->tools ? tool_index(d) : NULL;
        if (d->tools && !index)
            return -1;
        for (size_t i = 0; index && i < index->n; i++)
            if (policy_name_matches(pattern, index->tools[i].name))
                return 1;
        const struct route *row;
        for (size_t i = 0; !d->tools && (row = dialect_row(d, i)); i++) {
            const char *dot = strchr(row->id, '.'); /* of a server of files or of a memory */
            if (dot && policy_name_matches(pattern, dot + 1))
                return 1;
        }
    }
    return 0;
}

static bool some_vendor(const char *pattern)
{
    for (const struct vendor *const *v = sosia_vendors(); *v; v++)
        if (policy_name_matches(pattern, (*v)->name))
            return true;
    return false;
}

static bool is_service(const struct dialect *d, const char *pattern)
{
    char word[64];
    size_t n = strcspn(d->name, ".");
    snprintf(word, sizeof word, "%.*s", (int)n, d->name);
    return policy_name_matches(pattern, d->name) || policy_name_matches(pattern, word) ||
           (d->tools && policy_name_matches(pattern, d->tools->name));
}

static bool some_service(const char *pattern)
{
    const struct dialect *d;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        if (is_service(d, pattern))
            return true;
    return false;
}

static bool has_scope(const char *list, const char *pattern, struct arena *a)
{
    while (list && *list) {
        size_t n = strcspn(list, " ");
        if (policy_name_matches(pattern, arena_memdup(a, list, n)))
            return true;
        list += n + strspn(list + n, " ");
    }
    return false;
}

static bool some_scope(const char *pattern, struct arena *a)
{
    const struct dialect *d;
    const struct route *row;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++) {
        if (has_scope(d->scopes, pattern, a))
            return true;
        for (size_t i = 0; (row = dialect_row(d, i)); i++)
            if (has_scope(row->scopes, pattern, a))
                return true;
    }
    return false;
}

/* ---- names in documents ---- */

static const char *alias_of(const struct policy_reader *r, const char *name)
{
    const char *of = json_get_str(r->aliases, name);
    return of ? of : name;
}

static int fail_name(struct doc *d, const struct json *at, const char *member, const char *what,
                     const char *name)
{
    return doc_fail(d, at, member, "must be %s, \"%.80s\" is not", what, name);
}

static int check_name(struct policy_reader *r, const struct json *at, const char *member,
                      enum name_kind kind, const char *name)
{
    static const char *const roles[] = {"person", "bot", "app", "service", "resource", NULL};
    static const char *const kinds[] = {"user", "bot", "app", NULL};
    struct doc *d = r->d;
    int tool;
    switch (kind) {
    case NAMES_ANY:
        return 0;
    case NAMES_METHODS:
        if (some_method(name))
            return 0;
        return strchr(name, '*') ? fail_name(d, at, member, "the id of some method", name)
                                 : members_check_method(d, at, member, name);
    case NAMES_TOOLS:
        tool = some_tool(name);
        return tool < 0 ? sosia_fail_memory(d->err)
               : tool   ? 0
                        : fail_name(d, at, member, "the name of a tool", name);
    case NAMES_VENDORS:
        return some_vendor(name) ? 0 : fail_name(d, at, member, "a vendor", name);
    case NAMES_SERVICES:
        return some_service(name) ? 0 : fail_name(d, at, member, "a service", name);
    case NAMES_ROLES:
        return str_place(roles, name) >= 0
                   ? 0
                   : fail_name(d, at, member, "person, bot, app, service or resource", name);
    case NAMES_KINDS:
        return str_place(kinds, name) >= 0 ? 0 : fail_name(d, at, member, "user, bot or app", name);
    case NAMES_RISKS:
        return str_place(risk_names, name) >= 0
                   ? 0
                   : fail_name(d, at, member, "read, draft, write, external or destructive", name);
    case NAMES_SCOPES:
        return some_scope(name, d->arena)
                   ? 0
                   : fail_name(d, at, member, "a scope that some method takes", name);
    }
    return 0;
}

int policy_names_read(struct policy_reader *r, const struct json *obj, const char *member,
                      enum name_kind kind, struct name_set *ret)
{
    struct doc *d = r->d;
    const struct json *v = json_get(obj, member);
    *ret = (struct name_set){0};
    if (!v)
        return 0;
    bool one = v->type == JSON_STRING;
    if (!one && (v->type != JSON_ARRAY || !v->n || v->n > NAMES_MAX))
        return doc_expect(d, v, member, "a name, or a list of 1 to 1000 names");
    size_t n = one ? 1 : v->n;
    const char **list = arena_calloc(d->arena, n, sizeof *list);
    for (size_t i = 0; i < n && !arena_failed(d->arena); i++) {
        const struct json *item = one ? v : &v->items[i];
        if (item->type != JSON_STRING || !item->n || item->n > 200)
            return doc_expect(d, item, member, "a name of 1 to 200 bytes, or a list of them");
        list[i] = kind == NAMES_METHODS || kind == NAMES_TOOLS ? alias_of(r, item->str) : item->str;
        if (check_name(r, item, member, kind, list[i]) < 0)
            return -1;
    }
    *ret = (struct name_set){list, n};
    return arena_failed(d->arena) ? sosia_fail_memory(d->err) : 0;
}

int policy_name_resolve(struct policy_reader *r, const struct json *at, const char *name,
                        bool *ret_tool, const char **ret)
{
    const char *of = alias_of(r, name);
    *ret = of;
    *ret_tool = false;
    if (some_method(of))
        return 0;
    int tool = some_tool(of);
    if (tool < 0)
        return sosia_fail_memory(r->d->err);
    *ret_tool = tool > 0;
    return tool ? 0
                : doc_fail(r->d, at, NULL,
                           "must be a method, the name of a tool, or one that \"aliases\" maps to "
                           "either, \"%.80s\" is not",
                           name);
}

int policy_aliases_read(struct policy_reader *r, const struct json *top)
{
    const struct json *v = json_get(top, "aliases");
    struct doc *d = r->d;
    if (!v)
        return 0;
    if (v->type != JSON_OBJECT || v->n > ALIASES_MAX)
        return doc_expect(d, v, "aliases", "an object of names by name, 1000 at most");
    size_t mark = doc_push(d, "aliases", -1);
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *of = &v->members[i].value;
        const char *resolved;
        bool tool;
        if (of->type != JSON_STRING)
            return doc_expect(d, of, v->members[i].key, "the name of a method or a tool");
        if (json_get(v, of->str))
            return doc_fail(d, of, v->members[i].key,
                            "must stand for a method or a tool, not for the alias \"%.80s\"",
                            of->str);
        if (policy_name_resolve(r, of, of->str, &tool, &resolved) < 0)
            return -1;
    }
    doc_pop(d, mark);
    r->aliases = v;
    return 0;
}
