/* SPDX-License-Identifier: Apache-2.0 */
/* Tenants: API keys, and what each may have. */
#include "engine/world/engine.h"
#include "hosted/impl.h"
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <sys/random.h>

#define SANDBOXES_USUAL 1000
#define BYTES_USUAL     (INT64_C(4) << 30)
#define BURST_S         10 /* seconds of calls that may come at once */
#define COUNT_US        US_PER_SECOND

static int check_name(const struct hosted *h, const char *name, struct sosia_err *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    size_t n = name ? strlen(name) : 0;
    if (!n || n > TENANT_NAME_MAX || strspn(name, plain) != n || name[0] < 'a')
        return sosia_fail(err, SOSIA_E_INVALID, "tenant", "tenant",
                          "a tenant's name must have 1 to %d small letters, digits and dashes, a "
                          "letter first, not \"%.40s\"",
                          TENANT_NAME_MAX, name ? name : "");
    for (size_t i = 0; i < h->n_tenants; i++)
        if (strcmp(h->tenants[i].name, name) == 0)
            return sosia_fail(err, SOSIA_E_INVALID, "tenant", "tenant",
                              "tenants must have different names, two are \"%s\"", name);
    return 0;
}

static int check_key(const struct hosted *h, const char *name, const char *key,
                     struct sosia_err *err)
{
    size_t n = strlen(key), least = h->options.reached ? 16 : 8;
    if (n < least || n > TENANT_KEY_MAX)
        return sosia_fail(err, SOSIA_E_INVALID, "apiKey", "tenant",
                          "the API key of \"%s\" must have %zu to %d characters, not %zu", name,
                          least, TENANT_KEY_MAX, n);
    for (const char *p = key; *p; p++)
        if (*p <= ' ' || *p > '~')
            return sosia_fail(err, SOSIA_E_INVALID, "apiKey", "tenant",
                              "the API key of \"%s\" must be printable ASCII without whitespace",
                              name);
    if (str_same(key, h->options.not_key))
        return sosia_fail(err, SOSIA_E_INVALID, "apiKey", "tenant",
                          "the API key of \"%s\" must be another one than the control key", name);
    for (size_t i = 0; i < h->n_tenants; i++)
        if (strcmp(h->tenants[i].key, key) == 0)
            return sosia_fail(
                err, SOSIA_E_INVALID, "apiKey", "tenant",
                "tenants must have different API keys, \"%s\" and \"%s\" have the same",
                h->tenants[i].name, name);
    return 0;
}

static int make_key(char ret_key[TENANT_KEY_MAX + 1], struct sosia_err *err)
{
    uint8_t bytes[24];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return sosia_fail(err, SOSIA_E_IO, NULL, NULL, "there are no random numbers");
    strcpy(ret_key, "key_");
    hex_encode(ret_key + 4, bytes, sizeof bytes);
    return 0;
}

int tenants_open(struct hosted *h, struct sosia_err *err)
{
    const struct hosted_options *o = &h->options;
    if (o->n_tenants > TENANTS_MAX)
        return sosia_fail(err, SOSIA_E_INVALID, "tenant", "tenant",
                          "there must be at most %d tenants, not %zu", TENANTS_MAX, o->n_tenants);
    for (size_t i = 0; i < o->n_tenants; i++) {
        const struct hosted_tenant *from = &o->tenants[i];
        struct tenant *t = &h->tenants[i];
        if (check_name(h, from->name, err) < 0 ||
            (from->key ? check_key(h, from->name, from->key, err) : make_key(t->key, err)) < 0)
            return -1;
        snprintf(t->name, sizeof t->name, "%s", from->name);
        if (from->key)
            snprintf(t->key, sizeof t->key, "%s", from->key);
        t->max_sandboxes = from->sandboxes ? from->sandboxes : SANDBOXES_USUAL;
        t->max_bytes = from->bytes ? from->bytes : BYTES_USUAL;
        t->max_calls = from->calls;
        t->tokens_us = BURST_S * US_PER_SECOND;
        t->filled_us = real_us();
        h->n_tenants++;
    }
    return 0;
}

struct tenant *tenant_of(struct hosted *h, const char *key)
{
    struct tenant *found = NULL;
    size_t n = strlen(key);
    for (size_t i = 0; i < h->n_tenants; i++) {
        struct tenant *t = &h->tenants[i];
        if (strlen(t->key) == n && gnutls_memcmp(t->key, key, n) == 0)
            found = t;
    }
    return found;
}

struct tenant *tenant_named(struct hosted *h, const char *name)
{
    for (size_t i = 0; name && i < h->n_tenants; i++)
        if (strcmp(h->tenants[i].name, name) == 0)
            return &h->tenants[i];
    return NULL;
}

/* A bucket that fills with time: a call takes what one of the second's share is. */
int64_t tenant_call(struct hosted *h, struct tenant *t)
{
    if (!t->max_calls)
        return 0;
    int64_t now = real_us(), share = US_PER_SECOND / t->max_calls, wait = 0;
    share = share ? share : 1;
    pthread_mutex_lock(&h->lock);
    if (now > t->filled_us)
        t->tokens_us += now - t->filled_us;
    t->filled_us = now;
    if (t->tokens_us > BURST_S * US_PER_SECOND)
        t->tokens_us = BURST_S * US_PER_SECOND;
    if (t->tokens_us >= share)
        t->tokens_us -= share;
    else
        wait = (share - t->tokens_us + US_PER_SECOND - 1) / US_PER_SECOND;
    pthread_mutex_unlock(&h->lock);
    return wait;
}

bool tenant_full(struct hosted *h, struct tenant *t, bool fresh)
{
    int64_t now = real_us();
    pthread_mutex_lock(&h->lock);
    bool known =
        !fresh && t->bytes_at_us && now - t->bytes_at_us < COUNT_US && now >= t->bytes_at_us;
    bool full = t->bytes > t->max_bytes;
    pthread_mutex_unlock(&h->lock);
    if (known)
        return full;
    struct hosted_call c = {.h = h};
    struct sandbox **list;
    int64_t bytes = tickets_size(h, t) + executions_size(h, t);
    arena_init(&c.arena, 0);
    size_t n = sandbox_list(&c, t, &list);
    for (size_t i = 0; i < n; i++) {
        pthread_mutex_lock(&h->lock);
        const uint64_t worlds[] = {list[i]->world, list[i]->upload};
        pthread_mutex_unlock(&h->lock);
        struct sosia_world_info info;
        for (int k = 0; k < 2; k++)
            if (worlds[k] && sosia_world_info(h->engine, worlds[k], &info, NULL) == 0)
                bytes += (int64_t)info.size;
        sandbox_give(list[i]);
    }
    arena_done(&c.arena);
    pthread_mutex_lock(&h->lock);
    t->bytes = bytes;
    t->bytes_at_us = now;
    pthread_mutex_unlock(&h->lock);
    return bytes > t->max_bytes;
}
