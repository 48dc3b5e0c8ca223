/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers of a session that may only read are without secrets: with the secret of an app, a
 * refresh token or the end of a webhook's address a program could write. A member is left out if
 * its name says that a secret is there, in a dump and a diff as in a payload; so are things that a
 * diff names by their token, and both halves of a call whose entry is kept in full.
 */
#include "engine/base/codec.h"
#include "engine/journal/journal.h"
#include "server/control/operation.h"
#include <string.h>
#include <strings.h>

#define DEPTH 100 /* of answers, as json_parse() has it */

static bool ends(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);
    return n >= k && strcasecmp(name + n - k, end) == 0;
}

static bool is_secret_name(const char *name)
{
    return strcasestr(name, "secret") || strcasestr(name, "password") ||
           strcasestr(name, "credentials") || ends(name, "token") || ends(name, "tokens") ||
           strcasecmp(name, "refresh") == 0 || strcasecmp(name, "authorization") == 0 ||
           strcasecmp(name, "response_url") == 0;
}

/* Numbers and truths open nothing. */
static bool holds(const struct json *v)
{
    return v->type == JSON_STRING || v->type == JSON_ARRAY || v->type == JSON_OBJECT;
}

/* A change of a thing whose name has a token in it. */
static bool is_of_secret(const struct json *v)
{
    const char *entity = json_get_str(v, "entity");
    return entity && is_secret_name(entity);
}

static bool is_kept_in_full(const struct json *entry)
{
    const char *keep = json_get_str(entry, "keep");
    return keep && strcmp(keep, journal_keeps[KEEP_FULL]) == 0 && json_get(entry, "request");
}

static bool is_hidden(const struct json_member *m, bool full, bool control)
{
    static const char *const halves[] = {"request", "response", "outcome", NULL};
    return (holds(&m->value) && is_secret_name(m->key)) ||
           (control && strcmp(m->key, "body") == 0) || is_of_secret(&m->value) ||
           (full && str_place(halves, m->key) >= 0);
}

/* control: it is the operation of an entry, whose body may be a seed document. */
static bool hide(struct arena *a, struct json *v, bool control, int depth)
{
    if (depth > DEPTH)
        return false;
    if (v->type == JSON_ARRAY) {
        struct json *items = arena_calloc(a, v->n + 1, sizeof *items);
        uint32_t n = 0;
        for (uint32_t i = 0; items && i < v->n; i++) {
            if (is_of_secret(&v->items[i]))
                continue;
            items[n] = v->items[i];
            if (!hide(a, &items[n++], false, depth + 1))
                return false;
        }
        v->items = items;
        v->n = n;
        return items;
    }
    if (v->type == JSON_OBJECT) {
        struct json_member *members = arena_calloc(a, v->n + 1, sizeof *members);
        bool full = is_kept_in_full(v);
        uint32_t n = 0;
        for (uint32_t i = 0; members && i < v->n; i++) {
            const struct json_member *m = &v->members[i];
            if (is_hidden(m, full, control))
                continue;
            members[n] = *m;
            if (!hide(a, &members[n++].value, strcmp(m->key, "control") == 0, depth + 1))
                return false;
        }
        v->members = members;
        v->n = n;
        return members;
    }
    return true;
}

int control_hide(struct arena *a, const struct json **v, struct sosia_err *err)
{
    struct json *copy = *v ? arena_alloc(a, sizeof *copy) : NULL;
    if (!*v)
        return 0;
    if (!copy)
        return sosia_fail_memory(err);
    *copy = **v;
    if (!hide(a, copy, false, 0))
        return arena_failed(a) ? sosia_fail_memory(err)
                               : sosia_fail(err, SOSIA_E_TOO_LARGE, "tooDeep", NULL,
                                            "the answer must be nested at most %d deep", DEPTH);
    *v = copy;
    return 0;
}

int control_hide_text(const char *text, size_t len, struct buf *out, struct sosia_err *err)
{
    const struct json_limits lim = {.max_size = len ? len : 1};
    const struct json *v;
    struct json_writer w;
    struct arena a;
    arena_init(&a, 0);
    int rc = json_parse(&a, text, len, &lim, &v, err);
    if (rc == 0)
        rc = control_hide(&a, &v, err);
    if (rc == 0) {
        json_init(&w, out, false, NULL);
        json_value(&w, NULL, v);
    }
    arena_done(&a);
    return rc == 0 && buf_failed(out) ? sosia_fail_memory(err) : rc;
}
