/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of scopes, separated by blanks. Any https name is taken, also of APIs that are not served
 * here: it opens nothing. */
#include "vendors/google/google.h"
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"

#define MAX_LIST 8192

bool oauth_scopes_have(const char *list, const char *scope, size_t len)
{
    while (*list) {
        size_t n = strcspn(list, " ");
        if (n == len && memcmp(list, scope, n) == 0)
            return true;
        list += n + strspn(list + n, " ");
    }
    return false;
}

bool oauth_scopes_cover(const char *list, const char *wanted)
{
    while (*wanted) {
        size_t n = strcspn(wanted, " ");
        if (n && !oauth_scopes_have(list, wanted, n))
            return false;
        wanted += n + strspn(wanted + n, " ");
    }
    return true;
}

/* Adds what the list does not have yet. */
static void add(struct buf *b, const char *scope, size_t len)
{
    if (oauth_scopes_have(buf_str(b), scope, len))
        return;
    if (b->len)
        buf_byte(b, ' ');
    buf_add(b, scope, len);
}

static const char *take(struct arena *a, struct buf *b)
{
    const char *text = arena_strdup(a, buf_str(b));
    buf_done(b);
    return text;
}

int oauth_scopes_normal(struct arena *a, const char *text, const char **ret, const char **ret_bad)
{
    struct buf b;
    buf_init(&b, MAX_LIST);
    for (text += strspn(text, " "); *text;) {
        size_t n = strcspn(text, " ");
        const char *scope = arena_memdup(a, text, n);
        if (strcmp(scope, "email") == 0)
            scope = SCOPE_EMAIL;
        else if (strcmp(scope, "profile") == 0)
            scope = SCOPE_PROFILE;
        else if (strcmp(scope, SCOPE_OPENID) != 0 && !str_starts(scope, "https://")) {
            *ret_bad = scope;
            buf_done(&b);
            return -1;
        }
        add(&b, scope, strlen(scope));
        text += n + strspn(text + n, " ");
    }
    if (buf_failed(&b)) {
        *ret_bad = "(too many)";
        buf_done(&b);
        return -1;
    }
    *ret = take(a, &b);
    return 0;
}

const char *oauth_scopes_union(struct arena *a, const char *list, const char *more)
{
    struct buf b;
    buf_init(&b, 2 * MAX_LIST);
    buf_puts(&b, list);
    while (*more) {
        size_t n = strcspn(more, " ");
        if (n)
            add(&b, more, n);
        more += n + strspn(more + n, " ");
    }
    return take(a, &b);
}

static bool has(const char *list, const char *scope)
{
    return oauth_scopes_have(list, scope, strlen(scope));
}

const char *oauth_scopes_granted(struct arena *a, const char *list)
{
    return has(list, SCOPE_EMAIL) || has(list, SCOPE_PROFILE)
               ? oauth_scopes_union(a, list, SCOPE_OPENID)
               : list;
}

const char *oauth_scopes_shown(struct arena *a, const char *list)
{
    return arena_printf(a, "%s%s%s", has(list, SCOPE_EMAIL) ? "email " : "",
                        has(list, SCOPE_PROFILE) ? "profile " : "", list);
}

const char *oauth_scopes_of_call(struct call *c)
{
    static const char *const own[] = {SCOPE_OPENID, SCOPE_EMAIL, SCOPE_PROFILE};
    struct buf b;
    buf_init(&b, 2 * MAX_LIST);
    for (const struct dialect *const *d = engine_dialects(c->tx.engine); *d; d++) {
        const struct google_api *api = dialect_front(*d) == &google_front ? (*d)->facts : NULL;
        for (size_t i = 0; api && i < api->n_scopes; i++)
            if (call_has_scope(c, api->scopes[i].name))
                add(&b, api->scopes[i].name, strlen(api->scopes[i].name));
    }
    for (size_t i = 0; i < SOSIA_LEN(own); i++)
        if (call_has_scope(c, own[i]))
            add(&b, own[i], strlen(own[i]));
    return take(c->tx.arena, &b);
}
