/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guides.h"
#include "conformance/method.h"
#include "engine/world/engine.h"
#include "identity/account.h"
#include "identity/identity.h"
#include "services/list.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct vendor *next_vendor(size_t *at)
{
    for (const struct vendor *v; (v = sosia_vendors()[*at]) != NULL;) {
        ++*at;
        if (v->guide)
            return v;
    }
    return NULL;
}

const struct guide *guide_next(size_t *at)
{
    const struct vendor *v = next_vendor(at);
    return v ? v->guide : NULL;
}

/* Writes the names of the vendors with whom an actor has services, as a list. */
static int write_vendors(struct tx *tx, struct json_writer *w, void *arg)
{
    struct actor who;
    const struct vendor *v;
    unsigned services;
    if (actor_find(tx, arg, &who) < 0)
        return -1;
    json_arr(w, NULL);
    for (size_t at = 0; (v = next_vendor(&at));) {
        if (account_services_with(tx, who.id, v->name, &services) < 0)
            return -1;
        if (services)
            json_str(w, NULL, v->name);
    }
    json_end(w);
    return 0;
}

static bool is_in(const struct json *names, const char *name)
{
    for (uint32_t i = 0; i < names->n; i++)
        if (strcmp(names->items[i].str, name) == 0)
            return true;
    return false;
}

int guides_of(struct sosia_engine *e, uint64_t world, const char *actor,
              const struct guide *ret[GUIDES_MAX], struct sosia_err *err)
{
    struct sosia_blob list;
    struct arena a;
    const struct json *names;
    const struct vendor *v;
    int n = 0;
    if (world_read(e, world, false, write_vendors, (void *)(uintptr_t)actor, &list, err) < 0)
        return -1;
    arena_init(&a, 0);
    int rc = json_parse(&a, list.data, list.len, NULL, &names, err);
    for (size_t at = 0; rc == 0 && n < GUIDES_MAX && (v = next_vendor(&at));)
        if (v->guide->credential || is_in(names, v->name))
            ret[n++] = v->guide;
    arena_done(&a);
    sosia_blob_free(&list);
    return rc < 0 ? -1 : n;
}

/* ---- clients ---- */

/* What stands for a name in lines about clients; NULL: it is not known. */
static const char *known(const char *name, size_t n, const char *url, const struct json *credential)
{
    if (n == strlen("url") && memcmp(name, "url", n) == 0)
        return url;
    for (uint32_t i = 0; credential && i < credential->n; i++) {
        const struct json_member *m = &credential->members[i];
        if (m->key_len == n && memcmp(m->key, name, n) == 0)
            return m->value.type == JSON_STRING ? m->value.str : NULL;
    }
    return NULL;
}

/* Appends lines; false: one of their names is not known, and nothing is appended. */
static bool add_lines(struct buf *out, const char *lines, const char *url,
                      const struct json *credential)
{
    size_t before = out->len;
    for (const char *p = lines, *name; *p; p = name) {
        name = strstr(p, "${");
        if (!name) {
            buf_puts(out, p);
            break;
        }
        buf_add(out, p, (size_t)(name - p));
        size_t n = strcspn(name, "}");
        const char *text = known(name + 2, n - 2, url, credential);
        if (!text) {
            out->len = before;
            return false;
        }
        buf_puts(out, text);
        name += n + (name[n] == '}');
    }
    return true;
}

void guide_clients(struct buf *out, const struct guide *g, const char *url,
                   const struct json *credential)
{
    for (const char *const *lines = g->clients; lines && *lines; lines++)
        add_lines(out, *lines, url, credential);
}

static bool add_first(struct buf *out, const struct guide *g, const char *url)
{
    for (const char *const *lines = g->clients; lines && *lines; lines++)
        if (add_lines(out, *lines, url, NULL))
            return true;
    return false;
}

void guide_client(struct buf *out, const char *origin, const char *url)
{
    const struct guide *g;
    for (size_t at = 0; (g = guide_next(&at));)
        if (g->origin && strcmp(g->origin, origin) == 0 && add_first(out, g, url))
            return;
    for (size_t at = 0; (g = guide_next(&at));)
        if (add_first(out, g, url))
            return;
}

/* ---- credentials ---- */

static const char *take(struct buf *b, char text[GUIDE_TEXT_MAX])
{
    snprintf(text, GUIDE_TEXT_MAX, "%s", buf_str(b));
    buf_done(b);
    return text;
}

static void add_kind(struct buf *out, const char *kind, size_t i, size_t n)
{
    buf_printf(out, "%s%s", !i ? "" : i + 1 == n ? " or " : ", ", kind);
}

void guide_kinds(struct buf *out)
{
    const struct guide *g;
    size_t n = 0, i = 0;
    for (size_t at = 0; (g = guide_next(&at));)
        n += (g->bearer != NULL) + (g->credential != NULL);
    for (size_t at = 0; (g = guide_next(&at));) {
        if (g->bearer)
            add_kind(out, g->bearer, i++, n);
        if (g->credential)
            add_kind(out, g->credential, i++, n);
    }
}

const char *guide_variables(char text[GUIDE_TEXT_MAX])
{
    const struct guide *g;
    struct buf b;
    buf_init(&b, 0);
    for (size_t at = 0; (g = guide_next(&at));)
        if (g->credential && g->variables)
            buf_printf(&b, "%sof %s %s", b.len ? ", " : "", g->credential, g->variables);
    return take(&b, text);
}

/* ---- where, and in what ---- */

static const struct vendor *vendor_of(const char *dialect)
{
    const struct dialect *d;
    for (size_t i = 0; dialect && (d = service_dialect(sosia_services, i)); i++)
        if (strcmp(d->name, dialect) == 0)
            return d->vendor;
    return NULL;
}

const char *guide_origin(const char *method)
{
    const struct vendor *v = method ? vendor_of(method_dialect(method)) : NULL;
    const struct guide *g = v ? v->guide : NULL;
    for (size_t at = 0; (!g || !g->origin) && (g = guide_next(&at));)
        ;
    return g ? g->origin : "";
}

const char *first_act(void)
{
    static const char prefix[] = "/_act/";
    const struct dialect *d;
    const struct route *r;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; (r = dialect_row(d, i)); i++)
            if (strncmp(r->paths[0], prefix, strlen(prefix)) == 0)
                return r->paths[0] + strlen(prefix);
    return "";
}

const char *tool_services(char text[GUIDE_TEXT_MAX])
{
    const struct dialect *d;
    struct buf b;
    buf_init(&b, 0);
    for (int place = -1, next = 0; next < INT_MAX; place = next) { /* in the order of places */
        next = INT_MAX;
        for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++) {
            if (!d->tools)
                continue;
            if (d->tools->place == place)
                buf_printf(&b, "%s%s", b.len ? ", " : "", d->tools->name);
            if (d->tools->place > place && d->tools->place < next)
                next = d->tools->place;
        }
    }
    return take(&b, text);
}
