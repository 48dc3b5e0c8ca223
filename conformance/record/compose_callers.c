/* SPDX-License-Identifier: Apache-2.0 */
/* Callers: recognised by their tokens, and named by what the responses say. */
#include "conformance/record/compose_impl.h"
#include "engine/base/codec.h"
#include <ctype.h>
#include <strings.h>

const char *wire_bearer(const struct wire *e)
{
    const char *value = wire_header(&e->sent, "Authorization");
    return value && strncasecmp(value, "Bearer ", 7) == 0 ? value + 7 : NULL;
}

struct caller *caller_find(struct build *b, const char *token)
{
    for (size_t i = 0; i < b->n_callers; i++)
        if (strcmp(b->callers[i].token, token) == 0)
            return &b->callers[i];
    return NULL;
}

static const char *text_of(const struct json *v, const char *member)
{
    const char *text = json_get_str(v, member);
    return text && strchr(text, '@') ? text : NULL;
}

/* The caller's own address in a response; NULL: it has none. */
static const char *own_address(const struct json *v, unsigned depth)
{
    const char *found = NULL;
    if (depth > 20)
        return NULL;
    if (v->type == JSON_OBJECT) {
        if (json_get_true(v, "primary"))
            found = text_of(v, "id");
        if (!found && (json_get_true(v, "self") || json_get_true(v, "me")))
            found = text_of(v, json_get(v, "email") ? "email" : "emailAddress");
        if (!found && (json_get(v, "messagesTotal") || json_get(v, "verified_email") ||
                       json_get(v, "email_verified")))
            found = text_of(v, json_get(v, "email") ? "email" : "emailAddress");
    }
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n && !found; i++)
        found = own_address(&v->items[i], depth + 1);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n && !found; i++)
        found = own_address(&v->members[i].value, depth + 1);
    return found;
}

static void look_for_address(struct build *b, struct caller *k, const struct wire *e)
{
    const struct json *v;
    if (k->email || e->status >= 300 || !wire_is_json(&e->got) ||
        json_parse(b->c.a, e->got.body.data, e->got.body.len, NULL, &v, NULL) < 0)
        return;
    k->email = own_address(v, 0);
}

/* A name for an actor: what is before the @, as far as it is valid in a name. */
static const char *name_caller(struct build *b, const char *email)
{
    char base[33];
    size_t n = 0;
    for (const char *p = email; *p && *p != '@' && n < 32; p++)
        base[n++] = isalnum((unsigned char)*p) || *p == '-' || *p == '_' ? *p : '-';
    base[n] = 0;
    const char *name = n ? arena_strdup(b->c.a, base) : "caller";
    for (unsigned i = 2, again = 1; again; i++) {
        again = 0;
        for (size_t k = 0; k < b->n_callers; k++)
            again |= b->callers[k].name && strcmp(b->callers[k].name, name) == 0;
        if (again)
            name = arena_printf(b->c.a, "%s%u", base, i);
    }
    return name;
}

static void note_caller(struct build *b, const char *token, const char *email)
{
    struct caller *k = caller_find(b, token);
    if (!k) {
        k = &b->callers[b->n_callers++];
        *k = (struct caller){.token = token, .refused = true};
    }
    if (email)
        k->email = email;
}

/* Named actors without a token are given to the unknown tokens, in order. */
static void share_out(struct build *b)
{
    const struct recorded *r = b->c.r;
    size_t next = 0;
    for (size_t i = 0; i < b->n_callers; i++) {
        struct caller *k = &b->callers[i];
        while (next < r->n_actors && r->actors[next].token)
            next++;
        if (k->email || k->refused)
            continue;
        if (next < r->n_actors)
            k->email = r->actors[next++].email;
    }
}

int callers_find(struct build *b, struct sosia_err *err)
{
    const struct recorded *r = b->c.r;
    b->callers = arena_calloc(b->c.a, r->n + r->n_actors + 1, sizeof *b->callers);
    if (arena_failed(b->c.a))
        return sosia_fail_memory(err);
    for (size_t i = 0; i < r->n_actors; i++)
        if (r->actors[i].token)
            note_caller(b, r->actors[i].token, r->actors[i].email);
    for (size_t i = 0; i < r->n; i++) {
        const struct wire *e = &r->exchanges[i];
        const char *token = wire_bearer(e);
        if (!token || wire_obstacle(e))
            continue;
        note_caller(b, token, NULL);
        struct caller *k = caller_find(b, token);
        k->called = true;
        k->refused &= e->status == 401;
    }
    share_out(b);
    for (size_t i = 0; i < r->n; i++) {
        const char *token = wire_bearer(&r->exchanges[i]);
        if (token && !wire_obstacle(&r->exchanges[i]))
            look_for_address(b, caller_find(b, token), &r->exchanges[i]);
    }
    struct cassette *c = b->out;
    c->actors = arena_calloc(b->c.a, b->n_callers + 1, sizeof *c->actors);
    for (size_t i = 0; i < b->n_callers && !arena_failed(b->c.a); i++) {
        struct caller *k = &b->callers[i];
        if (!k->called || k->refused)
            continue;
        if (!k->email) {
            k->email = arena_printf(b->c.a, "actor%zu@unknown.example", i + 1);
            buf_printf(b->notes,
                       "nothing says who %s is: name the actors (--actor EMAIL=TOKEN), or put the "
                       "address of %s right\n",
                       k->token, k->email);
        }
        for (size_t j = 0; j < i && !k->name; j++) /* one person with two tokens */
            if (b->callers[j].name && strcasecmp(b->callers[j].email, k->email) == 0)
                k->name = b->callers[j].name;
        if (k->name)
            continue;
        k->name = name_caller(b, k->email);
        c->actors[c->n_actors++] = (struct cassette_actor){.name = k->name, .email = k->email};
    }
    return arena_failed(b->c.a) ? sosia_fail_memory(err) : 0;
}
