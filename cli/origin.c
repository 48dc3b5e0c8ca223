/* SPDX-License-Identifier: Apache-2.0 */
/* Errors in a document that was made of several (include.c): they name a line of the whole, which
 * nobody has written. Here they get the document and the line that they are about. */
#include "cli/origin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value of a document, as far as a path leads. */
struct place {
    struct doc *of;
    const struct json *value;
    const char *path; /* in that document */
};

bool origin_all_are(const struct origin_member *m, enum json_type type)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->values[i].value->type != type)
            return false;
    return true;
}

static struct origin_member *member_of(const struct origins *o, const char *name, size_t n)
{
    for (size_t i = 0; i < o->n; i++)
        if (strlen(o->members[i].name) == n && strncmp(o->members[i].name, name, n) == 0)
            return &o->members[i];
    return NULL;
}

/* An item of lists that are one list in the whole. */
static bool in_lists(const struct origins *o, const struct origin_member *m, const char *rest,
                     struct place *ret)
{
    char *end;
    unsigned long i = strtoul(rest + 1, &end, 10);
    for (size_t k = 0; k < m->n && *end == ']'; k++) {
        const struct origin_value *v = &m->values[k];
        if (i < v->value->n) {
            *ret = (struct place){v->doc, doc_walk(&v->value->items[i], end + 1),
                                  arena_printf(o->arena, "%s[%lu]%s", m->name, i, end + 1)};
            return true;
        }
        i -= v->value->n;
    }
    return false;
}

/* A member of objects that are one object in the whole: the last one that has it. Of keys with
 * which the path begins, the longest one is meant. */
static const struct origin_value *in_objects(const struct origin_member *m, const char *rest)
{
    const struct origin_value *found = &m->values[m->n - 1];
    size_t longest = 0;
    for (size_t k = m->n; *rest == '.' && k-- > 0;) {
        const struct json_member *of = doc_path_member(m->values[k].value, rest + 1);
        if (of && of->key_len > longest) {
            found = &m->values[k];
            longest = of->key_len;
        }
    }
    return found;
}

static bool find(const struct origins *o, const char *path, struct place *ret)
{
    const size_t n = strcspn(path, ".[");
    const struct origin_member *m = member_of(o, path, n);
    if (!m)
        return false;
    if (path[n] == '[' && origin_all_are(m, JSON_ARRAY))
        return in_lists(o, m, path + n, ret);
    const struct origin_value *v =
        origin_all_are(m, JSON_OBJECT) ? in_objects(m, path + n) : &m->values[m->n - 1];
    *ret = (struct place){v->doc, doc_walk(v->value, path + n), path};
    return true;
}

/* "... is there already: people[0].email in line 12": where the other one is. NULL: it says no
 * such thing. */
static const char *other_one(const struct origins *o, const char *message)
{
    static const char already[] = " is there already: ", line[] = " in line ";
    const char *begin = strstr(message, already), *end = begin ? strstr(begin, line) : NULL;
    struct place p;
    if (!end)
        return NULL;
    begin += sizeof already - 1;
    if (!find(o, arena_memdup(o->arena, begin, (size_t)(end - begin)), &p))
        return NULL;
    return arena_printf(o->arena, "%.*s%s in line %d of %s", (int)(begin - message), message,
                        p.path, doc_line(p.of, p.value), p.of->name);
}

const char *origins_of_error(const struct origins *o, const char *text)
{
    const char *colon = strchr(text, ':'), *path;
    struct place p;
    /* "NAME:LINE: PATH: MESSAGE", or without a line; a name may have a colon itself. */
    for (; colon; colon = strchr(colon + 1, ':')) {
        path = colon + 1 + strspn(colon + 1, "0123456789");
        if (path > colon + 1 && *path == ':')
            path++;
        if (*path != ' ')
            continue;
        path++;
        const char *end = strstr(path, ": ");
        if (!end)
            return text;
        if (find(o, arena_memdup(o->arena, path, (size_t)(end - path)), &p)) {
            const char *other = other_one(o, end + 2);
            const char *made =
                arena_printf(o->arena, "%s:%d: %s: %s", p.of->name, doc_line(p.of, p.value), p.path,
                             other ? other : end + 2);
            return made && !arena_failed(o->arena) ? made : text;
        }
    }
    return text;
}

void origins_mend(const struct origins *o, struct sosia_err *err)
{
    const char *text = o && err ? origins_of_error(o, err->text) : NULL;
    if (text && text != err->text)
        sosia_fail(err, err->code, err->reason, NULL, "%s", text);
}
