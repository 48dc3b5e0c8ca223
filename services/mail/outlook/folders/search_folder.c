/* SPDX-License-Identifier: Apache-2.0 */
#include "services/mail/outlook/folders/search_folder.h"
#include "engine/base/codec.h"
#include "services/mail/core/mail_impl.h"
#include <stdlib.h>

static const char *key_of_folder(struct arena *a, const struct mail_folder *f)
{
    return arena_printf(a, "%lld", (long long)mail_folder_number(f->id));
}

static void describe_search(const struct json *v, struct outlook_search_folder *ret)
{
    const char *filter = json_get_str(v, "filterQuery");
    const struct json *sources = json_get(v, "sourceFolderIds");
    *ret = (struct outlook_search_folder){
        .nested = json_get_true(v, "includeNestedFolders"),
        .sources = sources && sources->type == JSON_ARRAY ? sources : NULL,
        .filter = filter ? filter : ""};
}

int outlook_search_folder_of(struct tx *tx, const struct mail_folder *f,
                             struct outlook_search_folder *ret)
{
    struct kept s;
    if (!f->id || mail_folder_is_fixed(f->id))
        return 0;
    int r = mail_kept_get(tx, &outlook_settings, f->mailbox, SETTING_SEARCH,
                          key_of_folder(tx->arena, f), &s);
    if (r == 1)
        describe_search(s.value, ret);
    return r;
}

int outlook_folder_holds(struct call *c, const struct mail_folder *f)
{
    struct outlook_search_folder s;
    int r = outlook_search_folder_of(&c->tx, f, &s);
    return r > 0 ? call_fail(c, SOSIA_E_INVALID, "ErrorInvalidOperation", NULL,
                             "A search folder shows what is in other folders: it has nothing of "
                             "its own.")
                 : r;
}

/* ---- what it searches ---- */

static int by_number(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return a < b ? -1 : a > b;
}

static bool has_id(const int64_t *ids, size_t n, int64_t id)
{
    return n && bsearch(&id, ids, n, sizeof *ids, by_number) != NULL;
}

/* The folders in those, until there are no further ones. */
static int add_nested(struct tx *tx, int64_t mailbox, int64_t *ids, size_t *n)
{
    struct mail_folder *list;
    size_t all, before;
    if (mail_folder_list(tx, mailbox, &list, &all) < 0)
        return -1;
    do {
        before = *n;
        for (size_t i = 0; i < all; i++)
            if (list[i].kind == KIND_FOLDER && has_id(ids, before, list[i].parent) &&
                !has_id(ids, before, list[i].id))
                ids[(*n)++] = list[i].id;
        qsort(ids, *n, sizeof *ids, by_number);
    } while (*n != before);
    return 0;
}

/* The ids of the folders that are searched, sorted, each once. */
static int searched(struct tx *tx, const struct outlook_box *b,
                    const struct outlook_search_folder *s, int64_t **ret, size_t *ret_n)
{
    const size_t named = s->sources ? s->sources->n : 0;
    int64_t *ids = arena_calloc(tx->arena, named + FOLDERS_MAX + N_PLACES, sizeof *ids), place;
    size_t n = 0, kept = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < named && i < SEARCH_FOLDER_SOURCES; i++) {
        const struct json *v = &s->sources->items[i];
        place = v->type == JSON_STRING ? outlook_known_place(v->str) : -2;
        if (v->type != JSON_STRING ||
            (place == -2 && outlook_folder_id_parse(tx->arena, b, v->str, &place) != 1))
            continue;
        ids[n++] = place == FOLDER_ROOT ? 0 : mail_folder_id(b->mailbox.id, place);
    }
    if (n)
        qsort(ids, n, sizeof *ids, by_number);
    for (size_t i = 0; i < n; i++)
        if (!i || ids[i] != ids[i - 1])
            ids[kept++] = ids[i];
    *ret = ids;
    *ret_n = kept;
    return s->nested && kept ? add_nested(tx, b->mailbox.id, ids, ret_n) : 0;
}

static int parse_question(struct call *c, const char *text, const struct odata_expr **ret)
{
    const struct odata_rules rules = {.known = outlook_paths};
    const char *message;
    *ret = NULL;
    return *text ? odata_parse_filter(c->tx.arena, edm_type_find("message", strlen("message")),
                                      &rules, text, ret, &message, c->tx.err)
                 : 0;
}

int outlook_search_folder_list(struct call *c, const struct outlook_box *b,
                               const struct outlook_search_folder *s, const struct odata_query *q,
                               struct outlook_list *ret)
{
    struct odata_query both = *q;
    struct outlook_among among;
    int64_t *ids;
    if (outlook_check_query(c, q) < 0 || searched(&c->tx, b, s, &ids, &among.n) < 0)
        return -1;
    among.ids = ids;
    both.filter_text = !q->filter_text ? s->filter
                       : !*s->filter
                           ? q->filter_text
                           : arena_printf(c->tx.arena, "(%s) and (%s)", q->filter_text, s->filter);
    return parse_question(c, both.filter_text, &both.filter) < 0
               ? -1
               : outlook_list_among(c, b, &among, &both, ret);
}

int outlook_folder_list(struct call *c, const struct outlook_box *b, const struct mail_folder *f,
                        const struct odata_query *q, struct outlook_list *ret)
{
    struct outlook_search_folder s;
    int r = outlook_search_folder_of(&c->tx, f, &s);
    return r < 0 ? -1
           : r   ? outlook_search_folder_list(c, b, &s, q, ret)
                 : outlook_list(c, b, f->id, q, ret);
}

int outlook_search_folder_count(struct call *c, const struct outlook_box *b,
                                const struct outlook_search_folder *s, int64_t *ret_all,
                                int64_t *ret_unread)
{
    const struct odata_expr *all, *unread;
    struct outlook_among among;
    int64_t *ids;
    const char *text = *s->filter ? arena_printf(c->tx.arena, "isRead eq false and (%s)", s->filter)
                                  : "isRead eq false";
    if (searched(&c->tx, b, s, &ids, &among.n) < 0 || parse_question(c, s->filter, &all) < 0 ||
        parse_question(c, text, &unread) < 0)
        return -1;
    among.ids = ids;
    return outlook_count_among(c, b, &among, all, ret_all) < 0
               ? -1
               : outlook_count_among(c, b, &among, unread, ret_unread);
}

/* ---- bodies ---- */

bool outlook_search_folder_asked(const struct json *body)
{
    const char *type = json_get_str(body, "@odata.type");
    return type && str_eq_nocase(type + (*type == '#'), "microsoft.graph.mailSearchFolder");
}

/* The sources: folders of the mailbox that hold messages. */
static int check_sources(struct call *c, const struct outlook_box *b, const struct json *sources)
{
    if (!sources || sources->type != JSON_ARRAY || !sources->n ||
        sources->n > SEARCH_FOLDER_SOURCES)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidArgument", NULL,
                         "The property 'sourceFolderIds' must have 1 to %d ids of folders.",
                         SEARCH_FOLDER_SOURCES);
    for (uint32_t i = 0; i < sources->n; i++) {
        struct outlook_search_folder other;
        struct mail_folder f;
        if (sources->items[i].type != JSON_STRING)
            return graph_bad_id(c);
        if (outlook_folder_named(c, b, sources->items[i].str, &f) < 0)
            return -1;
        int r = outlook_search_folder_of(&c->tx, &f, &other);
        if (r)
            return r < 0 ? -1
                         : call_fail(c, SOSIA_E_INVALID, "ErrorInvalidArgument", NULL,
                                     "The property 'sourceFolderIds' must name folders that hold "
                                     "messages.");
    }
    return 0;
}

int outlook_search_folder_set(struct call *c, const struct outlook_box *b,
                              const struct mail_folder *f, const struct json *body,
                              const struct outlook_search_folder *old)
{
    const struct json *nested = json_get(body, "includeNestedFolders"),
                      *given = json_get(body, "sourceFolderIds");
    const char *filter = json_get_str(body, "filterQuery");
    const struct json *sources = given ? given : old ? old->sources : NULL;
    const struct odata_expr *question;
    struct kept_value text;
    if (!filter && old)
        filter = old->filter;
    if ((given || !sources) && check_sources(c, b, sources) < 0)
        return -1;
    if (!filter || !*filter)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidArgument", NULL,
                         "The property 'filterQuery' is required.");
    if (parse_question(c, filter, &question) < 0)
        return -1;
    const char **ids = arena_calloc(c->tx.arena, sources->n, sizeof *ids);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (uint32_t i = 0; i < sources->n; i++) {
        struct mail_folder source;
        ids[i] = sources->items[i].type == JSON_STRING ? sources->items[i].str : "";
        if (!given) /* those that were there may have gone since */
            continue;
        if (outlook_folder_named(c, b, ids[i], &source) < 0)
            return -1;
        ids[i] = outlook_folder_text(c->tx.arena, b, source.id);
    }
    mail_kept_begin(&text);
    json_bool(&text.w, "includeNestedFolders", nested ? json_is_true(nested) : old && old->nested);
    json_arr(&text.w, "sourceFolderIds");
    for (uint32_t i = 0; i < sources->n; i++)
        json_str(&text.w, NULL, ids[i]);
    json_end(&text.w);
    json_str(&text.w, "filterQuery", filter);
    return mail_kept_put(&c->tx, &outlook_settings, f->mailbox, SETTING_SEARCH,
                         key_of_folder(c->tx.arena, f), mail_kept_end(&c->tx, &text));
}
