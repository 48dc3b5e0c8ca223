/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/method.h"
#include "conformance/cassette/pattern_impl.h"
#include "conformance/traces.h"
#include "engine/base/codec.h"
#include "engine/api/router.h"
#include "hosted/hosted.h"
#include "services/list.h"
#include <pthread.h>

static struct router *router; /* kept until the process ends */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_router(void)
{
    static const struct dialect *all[64];
    for (size_t i = 0; i + 1 < SOSIA_LEN(all); i++)
        all[i] = service_dialect(sosia_services, i);
    if (router_open(all, &router, NULL) < 0)
        router = NULL;
}

/* The path without query and with "x" for what is not known yet. */
static void plain_path(struct buf *b, const char *path)
{
    const char *content;
    size_t len, n;
    while (*path && *path != '?') {
        if (strncmp(path, "${", 2) == 0 && (n = marker_at(path, &content, &len))) {
            buf_byte(b, 'x');
            path += n;
        } else {
            buf_byte(b, *path++);
        }
    }
}

void method_find(const char *verb, const char *path, const char **ret_id, const char **ret_dialect)
{
    enum verb number;
    struct match found = {0};
    struct buf b;
    *ret_id = *ret_dialect = NULL;
    pthread_once(&once, open_router);
    if (verb_from_name(verb, &number) < 0 || !router)
        return;
    buf_init(&b, 0);
    plain_path(&b, path);
    router_match(router, NULL, number, buf_str(&b), b.len, &found);
    if (found.route) {
        *ret_id = found.route->id;
        *ret_dialect = found.dialect->name;
    }
    buf_done(&b);
}

static bool listed(const char *list, const char *id)
{
    size_t n = strlen(id);
    for (const char *p = list; p && *p;) {
        size_t len = strcspn(p, "\n");
        if (len == n && memcmp(p, id, n) == 0)
            return true;
        p += len + (p[len] == '\n');
    }
    return false;
}

const struct dialect *method_dialects(size_t k)
{
    size_t n = 0;
    while (service_dialect(sosia_services, n))
        n++;
    return k < n        ? service_dialect(sosia_services, k)
           : k == n     ? &hosted_dialect
           : k == n + 1 ? &e2b_api_dialect
                        : NULL;
}

const char *method_dialect(const char *id)
{
    const struct dialect *d;
    for (size_t k = 0; (d = method_dialects(k)); k++) {
        const struct route *r;
        for (size_t i = 0; (r = dialect_row(d, i)); i++)
            if (strcmp(r->id, id) == 0)
                return d->name;
        if (listed(d->methods, id))
            return d->name;
    }
    return NULL;
}

bool header_matters(const char *name)
{
    static const char *const names[] = {"allow",
                                        "cache-control",
                                        "content-disposition",
                                        "content-location",
                                        "content-range",
                                        "content-type",
                                        "etag",
                                        "last-modified",
                                        "link",
                                        "location",
                                        "pragma",
                                        "preference-applied",
                                        "range",
                                        "retry-after",
                                        "vary",
                                        "warning",
                                        "www-authenticate"};
    return str_in_nocase(name, names, SOSIA_LEN(names)) || traces_header(name, answers);
}
