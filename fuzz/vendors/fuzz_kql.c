/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a $search: of messages it is refused in words, or it is a tree in which every node
 * has what its kind needs; of the directory it is refused, or it is asked of a user. */
#include "vendors/microsoft/odata/kql.h"
#include "vendors/microsoft/odata/odata.h"
#include "engine/base/utf8.h"
#include "fuzz/fuzz.h"

static const char *const words[] = {"low", "medium", "high", NULL};
static const struct kql_property properties[] = {
    {.name = "from", .kind = KQL_TEXT, .fields = 1},
    {.name = "subject", .kind = KQL_TEXT, .fields = 2},
    {.name = "hasAttachments", .kind = KQL_FLAG},
    {.name = "received", .kind = KQL_TIME},
    {.name = "size", .kind = KQL_SIZE},
    {.name = "importance", .kind = KQL_WORD, .values = words},
};

static const struct search *own(void *arg, struct arena *a, const struct kql_property *p,
                                int64_t from, int64_t to)
{
    struct search *n = arena_calloc(a, 1, sizeof *n);
    CHECK(p->kind != KQL_TEXT && from < to);
    n->kind = SEARCH_OWN;
    return n;
}

static void walk(const struct search *n, unsigned depth)
{
    CHECK(depth < SEARCH_MAX_DEPTH * 4);
    CHECK(n->kind == SEARCH_AND || n->kind == SEARCH_OR || n->kind == SEARCH_NOT ||
          n->kind == SEARCH_PHRASE || n->kind == SEARCH_OWN);
    CHECK(n->kind != SEARCH_NOT || n->n_kids == 1);
    CHECK(n->kind != SEARCH_PHRASE || (*n->text && n->fields));
    for (size_t i = 0; i < n->n_kids; i++)
        walk(n->kids[i], depth + 1);
}

static void search_directory(struct arena *a, const char *text)
{
    static const char user[] = "{\"displayName\":\"Ada One2\",\"mail\":\"ada@a.example\"}";
    struct odata_ctx ctx = {.arena = a, .get = odata_get_json};
    struct sosia_err err = {0};
    const struct odata_expr *e;
    const struct json *v;
    CHECK(json_parse(a, user, sizeof user - 1, NULL, &v, NULL) == 0);
    if (odata_parse_search(a, edm_type_find("user", 4), text, &e, &err) < 0)
        CHECK(err.code == SOSIA_E_INVALID && *err.text);
    else
        CHECK(odata_matches(&ctx, e, v) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct kql_language l = {.properties = properties,
                                   .n = SOSIA_LEN(properties),
                                   .any = 7,
                                   .now_us = INT64_C(1772604000000000),
                                   .own = own};
    const struct search *n;
    struct sosia_err err = {0};
    struct arena a;
    arena_init(&a, 64 << 20);
    char *text = arena_memdup(&a, data, size);
    utf8_scrub(text);
    if (kql_parse(&a, &l, text, &n, &err) < 0)
        CHECK(err.code == SOSIA_E_INVALID && *err.text);
    else if (n)
        walk(n, 0);
    search_directory(&a, text);
    CHECK(!arena_failed(&a));
    arena_done(&a);
    return 0;
}
