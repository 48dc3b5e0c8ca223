/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Datastores of apps that run at the vendor's own platform: apps.datastore.* (docs.slack.dev,
 * datastores). Which an app has is in its manifest: attributes with their types, one of which is
 * the key. Arguments are held against that, as far as its types are plain.
 */
#include "engine/text/civil.h"
#include "services/chat/slack/apps/platform.h"
#include "services/chat/slack/apps/expression.h"
#include "services/chat/slack/apps/parameters.h"
#include "services/chat/slack/events/push.h"

#define MAX_BULK   25
#define PAGE_BYTES (1 << 20) /* of items that one page is made of */

struct store {
    struct chat_store is;
    const char *key, *ends; /* names of attributes; ends NULL: items stay */
    const struct json *attributes;
};

/* ---- refusals ---- */

struct cause {
    const char *code, *message, *pointer;
};

static void write_cause(struct call *c)
{
    const struct cause *cause = slack_of(c)->more_arg;
    json_arr(c->out, "errors");
    json_obj(c->out, NULL);
    json_str(c->out, "code", cause->code);
    json_str(c->out, "message", cause->message);
    json_str(c->out, "pointer", cause->pointer);
    json_end(c->out);
    json_end(c->out);
}

static int store_error(struct call *c, const char *code, const char *pointer, const char *message)
{
    struct cause *cause = arena_calloc(c->tx.arena, 1, sizeof *cause);
    *cause = (struct cause){.code = code, .message = message, .pointer = pointer};
    slack_of(c)->more = write_cause;
    slack_of(c)->more_arg = cause;
    return slack_fail(c, "datastore_error");
}

static int invalid_item(struct call *c, const char *pointer, const char *message)
{
    return store_error(c, "invalid_item", pointer, message);
}

/* ---- which datastore ---- */

static bool is_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    return n && n <= 255 && !text[n];
}

/* The one that the arguments name, of the caller's app. */
static int store_arg(struct call *c, struct store *ret)
{
    const struct sl_caller *me = sl_me(c);
    const char *name = param_str(c, "datastore"), *app = param_str(c, "app_id");
    struct sl_settings s;
    if (!me->chat_app.id || (app && *app && strcmp(app, me->chat_app.key) != 0))
        return slack_fail(c, "invalid_app_id");
    if (strcmp(me->workspace.plan, "free") == 0)
        return slack_fail(c, "free_team_not_allowed");
    if (!is_name(name))
        return slack_fail(c, "invalid_datastore");
    if (sl_settings_of(&c->tx, &me->chat_app, &s) < 0)
        return -1;
    const struct json *all = json_get(s.all, "datastores"), *def = json_get(all, name);
    if (!all && !json_get_true(s.all, "hosted"))
        return slack_fail(c, "app_not_hosted");
    const char *key = json_get_str(def, "primary_key");
    if (!key)
        return store_error(c, "datastore_config_not_found", "/datastores",
                           "The datastore configuration could not be found");
    *ret = (struct store){.is = {me->workspace.id, me->chat_app.app, name},
                          .key = key,
                          .ends = json_get_str(def, "time_to_live_attribute"),
                          .attributes = json_get(def, "attributes")};
    return 0;
}

/* ---- items ---- */

/* An item whose time has come is there no more. */
static bool has_ended(const struct call *c, const struct store *s, const struct json *item)
{
    int64_t end;
    return s->ends && json_i64(json_get(item, s->ends), &end) == 0 &&
           end <= c->tx.now_us / US_PER_SECOND;
}

/* 1, 0, -1. */
static int find_item(struct call *c, const struct store *s, const char *key,
                     const struct json **ret)
{
    const char *text;
    int r = chat_datum_get(&c->tx, &s->is, key, &text);
    if (r != 1)
        return r;
    if (!(*ret = sl_stored_json(c, text)))
        return -1;
    return !has_ended(c, s, *ret);
}

static int check_key(struct call *c, const char *key, const char *pointer)
{
    return *key && strlen(key) <= CHAT_DATUM_KEY
               ? 0
               : invalid_item(c, pointer, "The primary key must have 1 to 2048 bytes");
}

/* Its values have the types of the datastore's attributes. ret_key: its key. */
static int check_item(struct call *c, const struct store *s, const struct json *item,
                      const char *pointer, const char **ret_key)
{
    struct arena *a = c->tx.arena;
    if (item->type != JSON_OBJECT)
        return slack_invalid_arguments(c, pointer, "must provide an object");
    if (!(*ret_key = json_get_str(item, s->key)))
        return invalid_item(c, pointer,
                            arena_printf(a, "The primary key %.80s must be a string", s->key));
    if (check_key(c, *ret_key, pointer) < 0)
        return -1;
    for (uint32_t i = 0; i < item->n; i++) {
        const struct json_member *m = &item->members[i];
        const struct json *def = json_get(s->attributes, m->key);
        const char *wanted = sl_wanted_type(json_get_str(def, "type"), &m->value);
        if (wanted)
            return invalid_item(c, arena_printf(a, "%s/%.80s", pointer, m->key),
                                arena_printf(a, "must provide %s", wanted));
    }
    return 0;
}

static int store_text(struct call *c, const struct store *s, const char *key, const char *text,
                      const char *pointer)
{
    if (strlen(text) > CHAT_DATUM_MAX)
        return invalid_item(c, pointer, "Item size has exceeded the maximum allowed size");
    return chat_datum_put(&c->tx, &s->is, key, text);
}

/* The item that was there, with what is given in its place. */
static const char *merged_item(struct call *c, const struct json *there, const struct json *item)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < there->n; i++) {
        const struct json *now = json_get(item, there->members[i].key);
        json_value(&w, there->members[i].key, now ? now : &there->members[i].value);
    }
    for (uint32_t i = 0; i < item->n; i++)
        if (!json_get(there, item->members[i].key))
            json_value(&w, item->members[i].key, &item->members[i].value);
    json_end(&w);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    if (!text)
        (void)sosia_fail_memory(c->tx.err);
    return text;
}

static int answer_item(struct call *c, const struct store *s, const char *text)
{
    slack_open(c);
    json_str(c->out, "datastore", s->is.name);
    json_raw(c->out, "item", text, strlen(text));
    slack_close(c);
    return 0;
}

/* ---- one ---- */

static int store_item(struct call *c, bool update)
{
    const struct json *item, *there;
    struct store s;
    const char *key, *text;
    if (store_arg(c, &s) < 0)
        return -1;
    if (slack_value(c, "item", &item) < 0 || check_item(c, &s, item, "/item", &key) < 0)
        return -1;
    int r = update ? find_item(c, &s, key, &there) : 0;
    if (r < 0)
        return -1;
    text = r ? merged_item(c, there, item) : json_to_text(c->tx.arena, item);
    return !text || store_text(c, &s, key, text, "/item") < 0 ? -1 : answer_item(c, &s, text);
}

static int datastore_put(struct call *c)
{
    return store_item(c, false);
}

static int datastore_update(struct call *c)
{
    return store_item(c, true);
}

static int datastore_get(struct call *c)
{
    const char *key = param_str(c, "id");
    const struct json *item;
    struct store s;
    if (store_arg(c, &s) < 0 || check_key(c, key, "/id") < 0)
        return -1;
    int r = find_item(c, &s, key, &item);
    return r < 0 ? -1 : answer_item(c, &s, r ? json_to_text(c->tx.arena, item) : "{}");
}

static int datastore_delete(struct call *c)
{
    const char *key = param_str(c, "id");
    struct store s;
    if (store_arg(c, &s) < 0 || check_key(c, key, "/id") < 0 ||
        chat_datum_delete(&c->tx, &s.is, key) < 0)
        return -1;
    return slack_ok(c);
}

/* ---- many ---- */

static int check_once(struct call *c, const char *const *keys, uint32_t n, const char *pointer)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(keys[i], keys[n]) == 0)
            return store_error(c, "invalid_item", pointer,
                               "Provided list of item keys contains duplicates");
    return 0;
}

/* The keys of the argument "ids". */
static int ids_arg(struct call *c, const char **keys, uint32_t *ret_n)
{
    const struct json *list;
    if (slack_value(c, "ids", &list) < 0)
        return -1;
    for (uint32_t i = 0; i < list->n; i++) {
        const char *pointer = arena_printf(c->tx.arena, "/ids/%u", i);
        if (list->items[i].type != JSON_STRING)
            return slack_invalid_arguments(c, pointer, "must provide a string");
        keys[i] = list->items[i].str;
        if (check_key(c, keys[i], pointer) < 0 || check_once(c, keys, i, pointer) < 0)
            return -1;
    }
    *ret_n = list->n;
    return 0;
}

static void write_no_failures(struct call *c)
{
    json_arr(c->out, "failed_items");
    json_end(c->out);
    slack_close(c);
}

static int datastore_bulk_get(struct call *c)
{
    const char *keys[MAX_BULK];
    const struct json *item;
    struct store s;
    uint32_t n;
    int r = 0;
    if (store_arg(c, &s) < 0 || ids_arg(c, keys, &n) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "datastore", s.is.name);
    json_arr(c->out, "items");
    for (uint32_t i = 0; i < n && r >= 0; i++)
        if ((r = find_item(c, &s, keys[i], &item)) == 1)
            json_value(c->out, NULL, item);
    json_end(c->out);
    slack_close(c);
    return r < 0 ? -1 : 0;
}

static int datastore_bulk_put(struct call *c)
{
    const char *keys[MAX_BULK];
    const struct json *items;
    struct store s;
    if (store_arg(c, &s) < 0 || slack_value(c, "items", &items) < 0)
        return -1;
    for (uint32_t i = 0; i < items->n; i++) {
        const char *pointer = arena_printf(c->tx.arena, "/items/%u", i);
        const struct json *item = &items->items[i];
        if (check_item(c, &s, item, pointer, &keys[i]) < 0 || check_once(c, keys, i, pointer) < 0 ||
            store_text(c, &s, keys[i], json_to_text(c->tx.arena, item), pointer) < 0)
            return -1;
    }
    slack_open(c);
    json_str(c->out, "datastore", s.is.name);
    write_no_failures(c);
    return 0;
}

static int datastore_bulk_delete(struct call *c)
{
    const char *keys[MAX_BULK];
    struct store s;
    uint32_t n;
    if (store_arg(c, &s) < 0 || ids_arg(c, keys, &n) < 0)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        if (chat_datum_delete(&c->tx, &s.is, keys[i]) < 0)
            return -1;
    slack_open(c);
    write_no_failures(c);
    return 0;
}

/* ---- questions ---- */

struct asked {
    struct call *c;
    const struct store *s;
    const struct sl_expression *e; /* NULL: all */
    bool write;
    int64_t limit, looked, found; /* limit 0: none */
    size_t bytes;
    const char *last; /* the key of the last item that was looked at */
    bool more, failed;
};

static int expression_arg(struct call *c, const struct sl_expression **ret)
{
    const char *text = param_str(c, "expression"), *why;
    const struct json *names, *values;
    *ret = NULL;
    if (slack_value(c, "expression_attributes", &names) < 0 ||
        slack_value(c, "expression_values", &values) < 0)
        return -1;
    if (!text || !*text)
        return 0;
    int r = sl_expression_read(c->tx.arena, text, names, values, ret, &why);
    if (r < 0)
        return sosia_fail_memory(c->tx.err);
    return r ? 0
             : store_error(c, "invalid_expression", "/expression",
                           arena_printf(c->tx.arena, "Invalid FilterExpression: %s", why));
}

static int ask_item(void *arg, const char *key, const char *text)
{
    struct asked *a = arg;
    size_t n = strlen(text);
    if (a->limit && (a->looked == a->limit || (a->looked && a->bytes + n > PAGE_BYTES))) {
        a->more = true;
        return 1;
    }
    const struct json *item = sl_stored_json(a->c, text);
    a->failed = !item;
    if (a->failed)
        return 1;
    a->looked++;
    a->bytes += n;
    if (a->limit)
        a->last = arena_strdup(a->c->tx.arena, key);
    if (has_ended(a->c, a->s, item) || (a->e && !sl_expression_holds(a->e, item)))
        return 0;
    a->found++;
    if (a->write)
        json_value(a->c->out, NULL, item);
    return 0;
}

static int datastore_query(struct call *c)
{
    struct asked a = {.c = c, .write = true};
    struct store s;
    const char *after = "";
    if (store_arg(c, &s) < 0 || expression_arg(c, &a.e) < 0 || slack_limit(c, &a.limit) < 0 ||
        slack_cursor(c, "key", &after) < 0)
        return -1;
    a.s = &s;
    slack_open(c);
    json_str(c->out, "datastore", s.is.name);
    json_arr(c->out, "items");
    if (chat_data(&c->tx, &s.is, after, ask_item, &a) < 0 || a.failed)
        return -1;
    json_end(c->out);
    slack_next(c, "key", a.more ? a.last : NULL);
    slack_close(c);
    return 0;
}

static int datastore_count(struct call *c)
{
    struct asked a = {.c = c};
    struct store s;
    if (store_arg(c, &s) < 0 || expression_arg(c, &a.e) < 0)
        return -1;
    a.s = &s;
    if (chat_data(&c->tx, &s.is, "", ask_item, &a) < 0 || a.failed)
        return -1;
    slack_open(c);
    json_str(c->out, "datastore", s.is.name);
    json_int(c->out, "count", a.found);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param item_params[] = {
    SL_NEEDED("datastore"), SL_NEEDED("item", SL_OBJECT, .fault = "must provide an object"),
    SL_ARG("app_id")};
static const struct param items_params[] = {SL_NEEDED("datastore"),
                                            SL_NEEDED("items", SL_ARRAY, .min = 1, .max = MAX_BULK),
                                            SL_ARG("app_id")};
static const struct param id_params[] = {
    SL_NEEDED("datastore"), SL_NEEDED("id", .summary = "Id of the item"), SL_ARG("app_id")};
static const struct param ids_params[] = {
    SL_NEEDED("datastore"),
    SL_NEEDED("ids", SL_ARRAY, .min = 1, .max = MAX_BULK,
              .summary = "Ids of the items, as a list in JSON"),
    SL_ARG("app_id")};
static const struct param count_params[] = {
    SL_NEEDED("datastore"), SL_ARG("expression"),
    SL_ARG("expression_attributes", SL_OBJECT, .fault = "must provide an object"),
    SL_ARG("expression_values", SL_OBJECT, .fault = "must provide an object"), SL_ARG("app_id")};
static const struct param query_params[] = {
    SL_NEEDED("datastore"),
    SL_ARG("expression"),
    SL_ARG("expression_attributes", SL_OBJECT, .fault = "must provide an object"),
    SL_ARG("expression_values", SL_OBJECT, .fault = "must provide an object"),
    SL_ARG("app_id"),
    SL_ARG("cursor"),
    SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100")};

#define READS  .token_kinds = TOKEN_BOT, .risk = RISK_READ, .scopes = "datastore:read"
#define WRITES .token_kinds = TOKEN_BOT, .scopes = "datastore:write", .idempotent = true
static const struct route methods[] = {
    {SL_METHOD("apps.datastore.put"), WRITES, .handler = datastore_put, .risk = RISK_WRITE,
     PARAMS(item_params), .rate = SLACK_TIER_4, .summary = "Put an item into an app's datastore"},
    {SL_METHOD("apps.datastore.update"), WRITES, .handler = datastore_update, .risk = RISK_WRITE,
     PARAMS(item_params), .rate = SLACK_TIER_4,
     .summary = "Give an item of a datastore other attributes"},
    {SL_METHOD("apps.datastore.get"), READS, .handler = datastore_get, PARAMS(id_params),
     .rate = SLACK_TIER_4, .summary = "An item of a datastore"},
    {SL_METHOD("apps.datastore.delete"), WRITES, .handler = datastore_delete,
     .risk = RISK_DESTRUCTIVE, PARAMS(id_params), .rate = SLACK_TIER_4,
     .summary = "Delete an item of a datastore"},
    {SL_METHOD("apps.datastore.bulkPut"), WRITES, .handler = datastore_bulk_put, .risk = RISK_WRITE,
     PARAMS(items_params), .rate = SLACK_TIER_3, .summary = "Put items into a datastore"},
    {SL_METHOD("apps.datastore.bulkGet"), READS, .handler = datastore_bulk_get, PARAMS(ids_params),
     .rate = SLACK_TIER_3, .summary = "Items of a datastore by their keys"},
    {SL_METHOD("apps.datastore.bulkDelete"), WRITES, .handler = datastore_bulk_delete,
     .risk = RISK_DESTRUCTIVE, PARAMS(ids_params), .rate = SLACK_TIER_3,
     .summary = "Delete items of a datastore"},
    {SL_METHOD("apps.datastore.query"), READS, .handler = datastore_query, PARAMS(query_params),
     .rate = SLACK_TIER_3, .summary = "Items of a datastore that an expression holds for"},
    {SL_METHOD("apps.datastore.count"), READS, .handler = datastore_count, PARAMS(count_params),
     .rate = SLACK_TIER_3, .summary = "How many there are"},
};

const struct rows sl_datastores = ROWS(methods);
