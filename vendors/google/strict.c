/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Google's newer front end refuses before a method sees it: unknown names, and values that are
 * not of their type, in the query and in the body (body.c). All faults are listed at once, a line
 * each. A name may be spelled as in JSON or as in the protocol: maxResults or max_results.
 */
#include "vendors/google/internal.h"
#include "engine/base/codec.h"

/* ---- the query ---- */

static const char *const global_names[] = {
    "$.xgafv",     "$alt",         "$callback", "$fields",  "$key",   "$prettyPrint",
    "$quotaUser",  "access_token", "alt",       "callback", "fields", "key",
    "oauth_token", "prettyPrint",  "quotaUser", "userIp",
};

static const struct param *query_param(const struct route *r, const char *name)
{
    for (size_t i = 0; i < r->n_params; i++)
        if (r->params[i].place == IN_QUERY && *r->params[i].name == *name &&
            strcmp(r->params[i].name, name) == 0)
            return &r->params[i];
    return NULL;
}

static bool is_global(const struct call *c, const char *name)
{
    if (str_starts(name, "upload"))
        return str_starts(c->path, "/upload/") || str_starts(c->path, "/resumable/");
    for (size_t i = 0; i < SOSIA_LEN(global_names); i++)
        if (*global_names[i] == *name && strcmp(global_names[i], name) == 0)
            return true;
    return false;
}

/* Numbers and truth values as the front end reads them, which the rows' types know: "+2" is 2, and
 * "yes" a truth, though not the word that flags are tested for. */
static void read_words(const struct route *r, struct query_item *item)
{
    static const char *const words[][4] = {{"f", "n", "no", NULL}, {"t", "y", "yes", NULL}};
    const struct param *p = query_param(r, item->name);
    if (p && p->type == PARAM_INT && item->text[0] == '+' && item->len > 1 &&
        item->text[1] != '-') {
        item->text++;
        item->len--;
    }
    for (int truth = 0; p && p->type == PARAM_BOOL && truth < 2; truth++)
        for (int i = 0; words[truth][i]; i++)
            if (str_eq_nocase(item->text, words[truth][i])) {
                item->text = truth ? "1" : "0";
                item->len = 1;
                return;
            }
}

void google_query_names(struct call *c)
{
    const struct google_api *api = google_api_of(c);
    const struct route *r = c->route;
    if (api && api->envelope == GOOGLE_PLAIN && r)
        for (size_t i = 0; i < c->n_items; i++)
            read_words(r, &c->items[i]);
    for (size_t i = 0; api && api->strict && r && i < c->n_items; i++) {
        struct query_item *item = &c->items[i];
        for (size_t p = 0; strchr(item->name, '_') && p < r->n_params; p++)
            if (r->params[p].place == IN_QUERY && google_is_snake_of(r->params[p].name, item->name))
                item->name = r->params[p].name;
        const struct param *p = query_param(r, item->name);
        const char *value =
            p && p->type == PARAM_ENUM ? google_value_of(p->values, item->text) : NULL;
        if (value) {
            item->text = value;
            item->len = strlen(value);
        }
    }
}

static void unknown_item(struct google_check *k, const char *name)
{
    struct arena *a = k->c->tx.arena;
    name = google_shown(k, name, strlen(name));
    google_add_violation(
        k, NULL,
        arena_printf(a,
                     "Invalid JSON payload received. Unknown name \"%s\": Cannot bind query "
                     "parameter. Field '%s' could not be found in request message.",
                     name, name));
}

static void bad_item(struct google_check *k, const struct param *p, const char *text)
{
    struct arena *a = k->c->tx.arena;
    const char *field = google_snake_case(a, p->name), *type;
    switch (p->type) {
    case PARAM_INT:
        type = p->format && strcmp(p->format, "uint32") == 0 ? "TYPE_UINT32" : "TYPE_INT32";
        break;
    case PARAM_BOOL:
        type = "TYPE_BOOL";
        break;
    case PARAM_ENUM:
        type = google_enum_name(k, p->name);
        break;
    default:
        type = "TYPE_STRING";
    }
    google_add_violation(k, field,
                         arena_printf(a, "Invalid value at '%s' (%s), \"%s\"", field, type,
                                      google_shown(k, text, strlen(text))));
}

static bool is_good(const struct param *p, const char *text)
{
    int64_t v, min = p->min, max = p->max;
    switch (p->type) {
    case PARAM_INT:
        if (!min && !max) {
            min = INT32_MIN;
            max = INT32_MAX;
        }
        return parse_i64(text, strlen(text), &v) == 0 && v >= min && v <= max;
    case PARAM_BOOL:
        return str_eq_nocase(text, "true") || str_eq_nocase(text, "false") ||
               strcmp(text, "1") == 0 || strcmp(text, "0") == 0;
    case PARAM_ENUM:
        for (size_t i = 0; p->values[i]; i++)
            if (strcmp(p->values[i], text) == 0)
                return true;
        return false;
    default:
        return true;
    }
}

static void check_query(struct google_check *k)
{
    for (size_t i = 0; i < k->c->n_items; i++) {
        const struct query_item *item = &k->c->items[i];
        const struct param *p = query_param(k->c->route, item->name);
        if (p && !is_good(p, item->text))
            bad_item(k, p, item->text);
        else if (!p && !is_global(k->c, item->name))
            unknown_item(k, item->name);
    }
}

size_t google_bad_types(struct call *c, const struct google_violation **ret)
{
    struct google_check k = {.c = c};
    for (size_t i = 0; c->route && i < c->n_items; i++) {
        const struct query_item *item = &c->items[i];
        const struct param *p = query_param(c->route, item->name);
        int64_t n;
        if (!p || (p->type != PARAM_INT && p->type != PARAM_BOOL) ||
            strcmp(call_query_item(c, item->name), item->text) != 0)
            continue; /* of a repeated one the first counts */
        bool good = p->type == PARAM_BOOL ? is_good(p, item->text)
                                          : parse_i64(item->text, item->len, &n) == 0 &&
                                                n >= INT32_MIN && n <= INT32_MAX;
        if (!good)
            bad_item(&k, p, item->text);
    }
    *ret = k.list;
    return arena_failed(c->tx.arena) ? 0 : k.n;
}

size_t google_violations(struct call *c, const struct google_violation **ret)
{
    struct google_call *g = c->vendor_data;
    struct google_check k = {.c = c};
    if (g && g->n_violations) { /* the error's response lists what the check has found */
        *ret = g->violations;
        return g->n_violations;
    }
    if (c->route) {
        check_query(&k);
        google_check_body(&k);
    }
    *ret = k.list;
    if (arena_failed(c->tx.arena))
        return 0;
    if (g) {
        g->violations = k.list;
        g->n_violations = k.n;
    }
    return k.n;
}

int google_strict_check(struct call *c)
{
    const struct google_api *api = google_api_of(c);
    const struct google_violation *found;
    if (api && api->strict && google_violations(c, &found))
        return call_fail(c, SOSIA_E_INVALID, "violations", NULL, "unknown or mistyped members");
    return 0;
}
