/* SPDX-License-Identifier: Apache-2.0 */
/* The search over several services (learn.microsoft.com/graph/api/search-query): what a request may
 * ask, and the form of the answer. */
#include "vendors/microsoft/find.h"
#include "engine/api/tools.h"
#include "engine/base/codec.h"
#include "engine/http/body.h"
#include "engine/world/core.h"
#include "vendors/microsoft/types/types.h"
#include <ctype.h>

enum { USUAL_SIZE = 25, MAX_SIZE = 500, MAX_FROM = 9999 }; /* MG-511 */
enum { MOST_FIELDS = 100 };                                /* concluded: a bound */

/* ---- requests ---- */

#define bad_search(c, ...)                                                                         \
    call_fail((c), SOSIA_E_INVALID, "BadRequest", NULL, "SearchRequest Invalid (%s)",              \
              arena_printf((c)->tx.arena, __VA_ARGS__))

static const struct graph_finder *finder_of(const struct call *c, const char *entity)
{
    const struct graph_finder *f;
    for (size_t i = 0; (f = core_policy_nth(&c->tx, GRAPH_FIND, i)); i++)
        if (str_eq_nocase(f->entity, entity))
            return f;
    return NULL;
}

/* Types of SharePoint, and those that nobody has filled. */
static const char *const of_files[] = {"driveItem", "drive", "list", "listItem", "site"};
static const char *const unfilled[] = {"externalItem", "acronym", "bookmark", "qna"};
enum { MOST_TYPES = SOSIA_LEN(of_files) };

/* What is searched, one after the other. */
struct finders {
    const struct graph_finder *list[MOST_TYPES];
    size_t n;
};

static int denied(struct call *c, const struct graph_finder *f)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "Forbidden", NULL,
                     "Access to %c%s in Graph API requires the following permissions: %s.",
                     toupper((unsigned char)*f->entity), f->entity + 1, f->scopes);
}

/* Has the tenant of the call neither sites nor the caller a drive? 1, 0, -1. */
static int has_no_files(struct call *c)
{
    const struct graph_searched *files = core_policy_nth(&c->tx, GRAPH_SEARCHED, 0);
    int r = files ? files->any(c) : 0;
    return r < 0 ? -1 : !r;
}

/* Types of SharePoint, all of them. 0, -1 refused. */
static int read_files(struct call *c, const struct json *types, struct finders *ret)
{
    int r = has_no_files(c);
    if (r)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                                 "Tenant does not have a SPO license.");
    for (uint32_t i = 0; i < types->n; i++) {
        const struct graph_finder *f = finder_of(c, types->items[i].str);
        if (!f || !f->files)
            return bad_search(c, "The combination of entity types is not supported");
        if (!call_has_scope(c, f->scopes))
            return denied(c, f);
        size_t k = 0;
        while (k < ret->n && ret->list[k] != f)
            k++;
        if (k == ret->n)
            ret->list[ret->n++] = f;
    }
    return 0;
}

/* The types that are asked for: those of SharePoint go together, others alone. None: there are no
 * things of the type. 0, -1. */
static int read_entities(struct call *c, const struct json *request, struct finders *ret)
{
    const struct json *types = json_get(request, "entityTypes");
    const char *name = types && types->type == JSON_ARRAY && types->n ? types->items[0].str : NULL;
    ret->n = 0;
    if (!name)
        return bad_search(c, "entityTypes must have at least one item");
    for (uint32_t i = 0; i < types->n; i++)
        if (str_in_nocase(types->items[i].str, of_files, SOSIA_LEN(of_files)))
            return read_files(c, types, ret);
    if (graph_app_only(c))
        return call_fail(c, SOSIA_E_FORBIDDEN, "Forbidden", NULL,
                         "Application permission is only supported for the following entity types: "
                         "'DriveItem, List, ListItem, Site'.");
    if (types->n > 1)
        return bad_search(c, "The combination of entity types is not supported");
    if (str_in_nocase(name, unfilled, SOSIA_LEN(unfilled)))
        return 0;
    const struct graph_finder *f = finder_of(c, name);
    if (!f)
        return bad_search(c, "The entity type %.60s is not supported", name);
    ret->list[ret->n++] = f;
    return call_has_scope(c, f->scopes) ? 0 : denied(c, f);
}

static int read_number(struct call *c, const struct json *request, const char *name,
                       int64_t otherwise, int64_t max, int64_t *ret)
{
    const struct json *v = json_get(request, name);
    *ret = v && v->type == JSON_NUMBER ? json_get_int(request, name, -1) : otherwise;
    return *ret >= 0 && *ret <= max
               ? 0
               : bad_search(c, "%s must be from 0 to %lld", name, (long long)max);
}

static int read_request(struct call *c, const struct json *body, struct graph_find *ret,
                        struct finders *ret_finders)
{
    const struct json *list = json_get(body, "requests"), *request;
    *ret = (struct graph_find){.text = NULL};
    if (!list || list->type != JSON_ARRAY || !list->n)
        return bad_search(c, "requests must have an item");
    if (list->n > 1)
        return bad_search(c, "Only one request is supported for these entity types");
    request = &list->items[0];
    if (read_entities(c, request, ret_finders) < 0 ||
        read_number(c, request, "from", 0, MAX_FROM, &ret->from) < 0 ||
        read_number(c, request, "size", USUAL_SIZE, MAX_SIZE, &ret->size) < 0)
        return -1;
    const struct json *fields = json_get(request, "fields");
    ret->fields = fields && fields->type == JSON_ARRAY && fields->n ? fields : NULL;
    if (ret->fields && fields->n > MOST_FIELDS)
        return bad_search(c, "fields must have at most %d items", MOST_FIELDS);
    for (size_t i = 0; i < ret_finders->n; i++)
        ret->drives |= str_same(ret_finders->list[i]->entity, "driveItem");
    ret->text = json_get_str(json_get(request, "query"), "queryString");
    if (!ret->text || !ret->text[strspn(ret->text, " \t\r\n")])
        return bad_search(c, "query.queryString must not be empty");
    const bool files = ret_finders->n && ret_finders->list[0]->files;
    if (files && graph_app_only(c) && !json_get_str(request, "region"))
        return bad_search(c, "Region is required when request with application permission.");
    return files && graph_words_read(c->tx.arena, ret->text, &ret->words) < 0
               ? bad_search(c, "query.queryString is too complex")
               : 0;
}

/* ---- the answer ---- */

/* Words of the query, without properties, signs and operators. */
static void write_terms(struct call *c, const char *text)
{
    static const char *const operators[] = {"AND", "OR", "NOT", "NEAR"};
    json_arr(c->out, "searchTerms");
    for (size_t n; *text; text += n) {
        text += strspn(text, " \t\r\n\"()*-");
        n = strcspn(text, " \t\r\n\"()*");
        const char *colon = memchr(text, ':', n);
        bool address = colon && strncmp(colon, "://", 3) == 0;
        const char *word = colon && !address ? colon + 1 : text;
        size_t len = (size_t)(text + n - word);
        bool op = false;
        for (size_t i = 0; i < SOSIA_LEN(operators); i++)
            op |= strlen(operators[i]) == len && strncmp(operators[i], word, len) == 0;
        if (len && !op)
            json_strn(c->out, NULL, word, len);
    }
    json_end(c->out);
}

/* Asks one finder after the other; a page goes on where the hits of one end. 0, -1. */
static int ask_finders(struct call *c, const struct finders *finders, struct graph_find *f)
{
    int64_t before = 0;
    f->rank = f->from;
    for (size_t i = 0; i < finders->n; i++) {
        struct graph_find one = *f;
        one.from = f->from > before ? f->from - before : 0;
        one.size = f->size - f->n;
        if (finders->list[i]->find(c, &one) < 0)
            return -1;
        before += one.total;
        f->n = one.n;
        f->rank = one.rank;
        f->more |= one.more;
    }
    f->total = before;
    f->more |= f->total > f->from + f->n;
    return 0;
}

static int search_query(struct call *c)
{
    const struct json *body = call_body(c);
    struct finders finders;
    struct graph_find f;
    if (!body || read_request(c, body, &f, &finders) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.searchResponse)");
    json_arr(c->out, "value");
    json_obj(c->out, NULL);
    write_terms(c, f.text);
    json_arr(c->out, "hitsContainers");
    json_obj(c->out, NULL);
    if (ask_finders(c, &finders, &f) < 0)
        return -1;
    if (f.n)
        json_end(c->out);
    json_int(c->out, "total", f.total);
    json_bool(c->out, "moreResultsAvailable", f.more);
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static const struct route methods[] = {
    {ROUTE("search.query", POST, GRAPH("/search/query")), .handler = search_query,
     .risk = RISK_READ, .body = BODY_JSON,
     .scopes = "Mail.Read Mail.ReadWrite Calendars.Read Calendars.ReadWrite People.Read "
               "People.Read.All Files.Read.All Files.ReadWrite.All Sites.Read.All "
               "Sites.ReadWrite.All ExternalItem.Read.All Chat.Read Chat.ReadWrite "
               "ChannelMessage.Read.All Acronym.Read.All Bookmark.Read.All",
     .request = "microsoft.graph.search.query",
     .response = "microsoft.graph.searchResponseCollectionResponse",
     .summary = "Search messages, events, people, files, sites, lists or chats"},
};
static const struct rows rows = ROWS(methods);
static const struct graph_api api = {.workload = GRAPH_GATEWAY};

static const struct tool_common common[] = {{"search.query", "body.requests"}, {NULL}};
static const struct dialect_tools tools = {
    .name = "microsoft_search",
    .title = "Microsoft Search",
    .place = 10,
    .by_address = true,
    .services = ACCOUNT_MAIL | ACCOUNT_CALENDAR | ACCOUNT_DRIVE | ACCOUNT_CHAT,
    .common = common,
};

const struct dialect search_dialect = {
    .name = "search.microsoft",
    .title = "Microsoft Graph: search",
    .vendor = &microsoft_vendor,
    .tables = TABLES(&rows),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .rates = graph_directory_rates,
    .facts = &api,
    .tools = &tools,
};
