/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids from one of Exchange's forms into another (MG-31). An id of Graph's is the mailbox's GUID and
 * an entry id, in base64 with '-' and '_'; of Exchange Web Services the same in the standard
 * alphabet; the binary forms are the entry id alone, in base64 that is safe in URLs, with the
 * number of its padding characters in their place.
 */
#include "engine/base/codec.h"
#include "services/mail/outlook/rows.h"
#include "vendors/microsoft/store_id.h"

#define MOST 1000 /* ids of a call */

enum id_form { ENTRY, EWS, IMMUTABLE_ENTRY, REST, REST_IMMUTABLE };
static const char *const forms[] = {"entryId", "ewsId", "immutableEntryId", "restId",
                                    "restImmutableEntryId"};

/* What is in front of an entry id: of an item or folder the GUID, of an immutable one nothing. */
enum { GUID_AT = 4, ENTRY_AT = GUID_AT + 36 + 3, IMMUTABLE_AT = 5 };
enum { ITEM_ENTRY = 70, FOLDER_ENTRY = 46 };
static const uint8_t head[GUID_AT] = {0, 3, 0x24, 0}, immutable_head[] = {0, 9, 0, FOLDER_ENTRY, 0};

static bool is_immutable(enum id_form form)
{
    return form == IMMUTABLE_ENTRY || form == REST_IMMUTABLE;
}

/* ---- binary forms ---- */

static const char *binary_text(struct arena *a, const uint8_t *entry, size_t n)
{
    const char *text = outlook_id_text(a, entry, n, false);
    char *copy = arena_strdup(a, text ? text : "");
    if (arena_failed(a))
        return "";
    size_t len = strlen(copy), pads = 0;
    for (char *p = copy; *p; p++)
        *p = *p == '+' ? '-' : *p == '/' ? '_' : *p;
    while (len && copy[len - 1] == '=') {
        len--;
        pads++;
    }
    return arena_printf(a, "%.*s%zu", (int)len, copy, pads);
}

/* The bytes of the whole id. 0, -1 it is none. */
static int read_binary(struct arena *a, const struct outlook_box *b, bool immutable,
                       const char *text, uint8_t **ret, size_t *ret_n)
{
    const size_t len = strlen(text);
    uint8_t *entry, *p;
    size_t n;
    if (len < 2 || len > 512 || text[len - 1] < '0' || text[len - 1] > '2')
        return -1;
    char *copy =
        arena_strdup(a, arena_printf(a, "%.*s%.*s", (int)len - 1, text, text[len - 1] - '0', "=="));
    for (char *at = copy; at && *at; at++)
        *at = *at == '-' ? '+' : *at == '_' ? '/' : *at;
    if (arena_failed(a) || base64_decode(a, copy, strlen(copy), &entry, &n) < 0 ||
        (n != FOLDER_ENTRY && (immutable || n != ITEM_ENTRY)))
        return -1;
    const size_t front = immutable ? sizeof immutable_head : ENTRY_AT;
    *ret = p = arena_calloc(a, front + n, 1);
    *ret_n = front + n;
    if (arena_failed(a))
        return -1;
    if (immutable) {
        memcpy(p, immutable_head, sizeof immutable_head);
    } else {
        memcpy(p, head, sizeof head);
        memcpy(p + GUID_AT, b->guid, 36);
        p[ENTRY_AT - 2] = (uint8_t)n;
    }
    memcpy(p + front, entry, n);
    return 0;
}

/* ---- one id ---- */

struct translation {
    struct call *c;
    struct outlook_box b;
    enum id_form from, to;
};

/* As Graph writes it; NULL: it is not one of the form. */
static const char *read_id(const struct translation *t, const char *text)
{
    struct arena *a = t->c->tx.arena;
    uint8_t *data;
    size_t n;
    const bool binary = t->from == ENTRY || t->from == IMMUTABLE_ENTRY;
    if ((binary ? read_binary(a, &t->b, t->from == IMMUTABLE_ENTRY, text, &data, &n)
                : outlook_id_bytes(a, text, &data, &n)) < 0)
        return NULL;
    return outlook_id_text(a, data, n, true);
}

/* NULL: an id of this thing has no such form. */
static const char *write_id(const struct translation *t, const char *id)
{
    struct arena *a = t->c->tx.arena;
    uint8_t *data;
    size_t n;
    if (t->to == REST || t->to == REST_IMMUTABLE)
        return id;
    if (outlook_id_bytes(a, id, &data, &n) < 0)
        return NULL;
    if (t->to == EWS)
        return outlook_id_text(a, data, n, false);
    if (n == IMMUTABLE_AT + FOLDER_ENTRY)
        return binary_text(a, data + IMMUTABLE_AT, FOLDER_ENTRY);
    return n == ENTRY_AT + ITEM_ENTRY || n == ENTRY_AT + FOLDER_ENTRY
               ? binary_text(a, data + ENTRY_AT, n - ENTRY_AT)
               : NULL;
}

enum found { MALFORMED, FOREIGN, MISSING, FOUND };

/* A thing whose id stays as it is: a folder, an event, a calendar, an attachment. */
static enum found find_other(const struct translation *t, const char *id)
{
    struct arena *a = t->c->tx.arena;
    struct graph_store store;
    struct graph_item item;
    int64_t key;
    int part, r = outlook_folder_id_parse(a, &t->b, id, &key);
    if (!r)
        r = outlook_attachment_id_parse(a, &t->b, id, &key, &part);
    if (!r) {
        graph_store_of(a, t->b.user.tenant, t->b.mailbox.email, &store);
        r = graph_item_read(&store, id, &item);
        r = r == 1 ? 1 : r == 0 ? 2 : 0;
    }
    return r == 1 ? FOUND : r == 2 ? FOREIGN : MALFORMED;
}

/* The id that is to be written; enum found, -1. */
static int find_thing(const struct translation *t, const char *id, const char **ret)
{
    struct arena *a = t->c->tx.arena;
    struct outlook_item i;
    int64_t key, place;
    bool immutable;
    *ret = id;
    int r = outlook_message_id_parse(a, &t->b, id, &key, &place, &immutable);
    if (r != 1 || (!immutable && place == -2))
        return r == 2 ? FOREIGN : find_other(t, id);
    if (immutable != is_immutable(t->from))
        return MALFORMED;
    r = outlook_item_get(&t->c->tx, t->b.mailbox.id, key, &i);
    if (r < 1)
        return r < 0 ? -1 : MISSING;
    *ret = is_immutable(t->to) ? outlook_immutable_id(a, &t->b, key)
                               : outlook_message_id(a, &t->b, key, i.message.folder);
    return FOUND;
}

static int translate_one(const struct translation *t, const char *text)
{
    static const struct {
        const char *code, *message;
    } errors[] = {{"ErrorInvalidIdMalformed", "Id is malformed."},
                  {"ErrorInvalidMailboxItemId", "Item ID doesn't belong to the current mailbox."},
                  {"ErrorItemNotFound", "The specified object was not found in the store."}};
    struct json_writer *w = t->c->out;
    const char *id = read_id(t, text), *target = NULL;
    int r = id ? find_thing(t, id, &id) : MALFORMED;
    if (r == FOUND && !(target = write_id(t, id)))
        r = MALFORMED;
    if (r < 0 || arena_failed(t->c->tx.arena))
        return r < 0 ? -1 : sosia_fail_memory(t->c->tx.err);
    json_obj(w, NULL);
    json_str(w, "sourceId", text);
    if (r == FOUND) {
        json_str(w, "targetId", target);
    } else {
        json_obj(w, "errorDetails");
        json_str(w, "code", errors[r].code);
        json_str(w, "message", errors[r].message);
        json_end(w);
    }
    json_end(w);
    return 0;
}

/* ---- the call ---- */

static int read_form(struct call *c, const struct json *body, const char *member, enum id_form *ret)
{
    const char *text = json_get_str(body, member);
    for (size_t i = 0; text && i < SOSIA_LEN(forms); i++)
        if (str_eq_nocase(forms[i], text)) {
            *ret = (enum id_form)i;
            return 0;
        }
    return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                     "Requested value '%.100s' was not found.", text ? text : "");
}

static int translate(struct call *c)
{
    struct translation t = {.c = c};
    const struct json *body, *ids;
    if (outlook_open(c, OUTLOOK_READ, &t.b) < 0 || !(body = call_body(c)) ||
        read_form(c, body, "sourceIdType", &t.from) < 0 ||
        read_form(c, body, "targetIdType", &t.to) < 0)
        return -1;
    ids = json_get(body, "inputIds");
    if (!ids || ids->type != JSON_ARRAY || !ids->n || ids->n > MOST)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidArgument", NULL,
                         "The parameter 'inputIds' must have 1 to %d ids.", MOST);
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.convertIdResult)");
    json_arr(c->out, "value");
    for (uint32_t i = 0; i < ids->n; i++)
        if (translate_one(&t, ids->items[i].type == JSON_STRING ? ids->items[i].str : "") < 0)
            return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static const struct route routes[] = {
    {ROUTE("outlook.translateExchangeIds", POST, GRAPH_MY("/translateExchangeIds")),
     .response = "microsoft.graph.convertIdResultCollection", .handler = translate,
     .risk = RISK_READ, .body = BODY_JSON, .scopes = USERS, PARAMS(outlook_user_params),
     .request = "microsoft.graph.translateExchangeIds",
     .summary = "Ids of a mailbox in another form: immutable ones, those of Exchange Web Services"},
};
const struct rows outlook_translate_rows = ROWS(routes);
