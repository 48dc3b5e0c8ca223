/* SPDX-License-Identifier: Apache-2.0 */
/* The values of items: each is of its column's kind, or it is refused and nothing is changed. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/lists/core/lists.h"
#include <math.h>

enum { LINK_MOST = 2048, CHOICES_MOST = 1000, MULTIPLE_MOST = 1000 };

struct setting {
    struct tx *tx;
    const struct lists_column *column;
    struct json_writer *w;
    bool
        kept; /* it was there when the column had other bounds, as in a document: its type counts */
};

static int refuse(const struct setting *s, const char *reason)
{
    return tx_fail(s->tx, SOSIA_E_INVALID, reason, s->column->name, "column %s: %s",
                   s->column->name, reason);
}

int lists_values_read(struct tx *tx, const char *values, const struct json **ret)
{
    return json_parse(tx->arena, values, strlen(values), NULL, ret, tx->err);
}

/* ---- kinds ---- */

static int set_text(const struct setting *s, const struct json *v)
{
    if (v->type != JSON_STRING)
        return refuse(s, "type");
    if (!s->kept && s->column->length && utf8_count(v->str, v->n) > (size_t)s->column->length)
        return refuse(s, "length");
    json_strn(s->w, s->column->name, v->str, v->n);
    return 0;
}

static bool beyond(double v, const char *bound, bool below)
{
    double limit;
    return bound && parse_double(bound, strlen(bound), &limit) == 0 &&
           (below ? v < limit : v > limit);
}

/* A number, or a text that is one. */
static int set_number(const struct setting *s, const struct json *v)
{
    double number;
    if ((v->type != JSON_NUMBER && v->type != JSON_STRING) || !v->n ||
        parse_double(v->str, v->n, &number) < 0 || !isfinite(number))
        return refuse(s, "type");
    if (!s->kept &&
        (beyond(number, s->column->least, true) || beyond(number, s->column->most, false)))
        return refuse(s, "range");
    json_raw(s->w, s->column->name, v->str, v->n);
    return 0;
}

static int set_time(const struct setting *s, const struct json *v)
{
    char text[STAMP_TEXT];
    struct stamp stamp;
    if (v->type != JSON_STRING)
        return refuse(s, "type");
    const char *at = v->n == 10 ? arena_printf(s->tx->arena, "%sT00:00:00Z", v->str) : v->str;
    if (stamp_parse(at, strlen(at), true, &stamp) < 0)
        return refuse(s, "type");
    const int64_t us = stamp.local_us - stamp.offset * US_PER_SECOND;
    stamp_format(text, us, 0, 0, true);
    json_str(s->w, s->column->name, text);
    return 0;
}

static bool is_choice(const struct setting *s, const struct json *choices, const struct json *v)
{
    if (s->kept || s->column->free)
        return v->n <= 255;
    for (uint32_t i = 0; choices && i < choices->n; i++)
        if (choices->items[i].type == JSON_STRING && strcmp(choices->items[i].str, v->str) == 0)
            return true;
    return false;
}

static int read_choices(const struct setting *s, const struct json **ret)
{
    *ret = NULL;
    return s->column->choices ? lists_values_read(s->tx, s->column->choices, ret) : 0;
}

static int set_choice(const struct setting *s, const struct json *v)
{
    const struct json *choices;
    if (v->type != JSON_STRING)
        return refuse(s, "type");
    if (read_choices(s, &choices) < 0)
        return -1;
    if (*v->str && !is_choice(s, choices, v))
        return refuse(s, "choice");
    json_strn(s->w, s->column->name, v->str, v->n);
    return 0;
}

static int set_choices(const struct setting *s, const struct json *v)
{
    const struct json *choices;
    if (v->type != JSON_ARRAY || v->n > CHOICES_MOST)
        return refuse(s, "type");
    if (read_choices(s, &choices) < 0)
        return -1;
    for (uint32_t i = 0; i < v->n; i++)
        if (v->items[i].type != JSON_STRING)
            return refuse(s, "type");
        else if (!is_choice(s, choices, &v->items[i]))
            return refuse(s, "choice");
    json_value(s->w, s->column->name, v);
    return 0;
}

/* The number of an item of the target. */
static int check_lookup(const struct setting *s, const struct json *v)
{
    struct lists_list list;
    struct lists_item item;
    int64_t number;
    if (v->type != JSON_NUMBER || json_i64(v, &number) < 0)
        return refuse(s, "type");
    if (s->kept)
        return 0;
    int r = s->column->target ? lists_by_key(s->tx, s->column->target, &list) : 0;
    if (r == 1)
        r = lists_item_find(s->tx, list.id, number, &item);
    return r < 0 ? -1 : r ? 0 : refuse(s, "target");
}

static int check_person(const struct setting *s, const struct json *v)
{
    struct actor who;
    if (v->type != JSON_STRING)
        return refuse(s, "type");
    int r = actor_find(s->tx, v->str, &who);
    return r < 0 ? -1 : r ? 0 : refuse(s, "target");
}

/* One, or of a column that has several a list of them. */
static int set_each(const struct setting *s, const struct json *v,
                    int (*check)(const struct setting *s, const struct json *v))
{
    const bool several = v->type == JSON_ARRAY;
    if ((!s->kept && s->column->multiple != several) || (several && v->n > MULTIPLE_MOST))
        return refuse(s, "type");
    for (uint32_t i = 0; several && i < v->n; i++)
        if (check(s, &v->items[i]) < 0)
            return -1;
    if (!several && check(s, v) < 0)
        return -1;
    json_value(s->w, s->column->name, v);
    return 0;
}

static int set_link(const struct setting *s, const struct json *v)
{
    const char *url = v->type == JSON_OBJECT ? json_get_str(v, "url") : NULL;
    const char *text = v->type == JSON_OBJECT ? json_get_str(v, "text") : NULL;
    if (!url)
        return refuse(s, "type");
    if (strlen(url) > LINK_MOST || (text && strlen(text) > LINK_MOST))
        return refuse(s, "length");
    json_obj(s->w, s->column->name);
    json_str(s->w, "url", url);
    json_str(s->w, "text", text ? text : url);
    json_end(s->w);
    return 0;
}

static int set_value(const struct setting *s, const struct json *v)
{
    switch ((enum lists_kind)s->column->kind) {
    case LISTS_TEXT:
    case LISTS_NOTE:
        return set_text(s, v);
    case LISTS_NUMBER:
    case LISTS_CURRENCY:
        return set_number(s, v);
    case LISTS_BOOLEAN:
        if (v->type != JSON_BOOL)
            return refuse(s, "type");
        json_bool(s->w, s->column->name, v->truth);
        return 0;
    case LISTS_TIME:
        return set_time(s, v);
    case LISTS_CHOICE:
        return set_choice(s, v);
    case LISTS_CHOICES:
        return set_choices(s, v);
    case LISTS_LOOKUP:
        return set_each(s, v, check_lookup);
    case LISTS_PERSON:
        return set_each(s, v, check_person);
    case LISTS_LINK:
        return set_link(s, v);
    case LISTS_COMPUTED:
        break;
    }
    return refuse(s, "unknown");
}

/* ---- all of an item ---- */

/* The world's day: "2026-11-23". */
static const char *today(struct tx *tx, uint32_t *ret_n)
{
    char text[STAMP_TEXT];
    stamp_format(text, tx->now_us, 0, 0, true);
    *ret_n = (uint32_t)strcspn(text, "T");
    return arena_memdup(tx->arena, text, *ret_n);
}

/* A text as a list of it alone. 0, -1. */
static int one_of(const struct setting *s, struct json *v, const struct json **ret)
{
    struct json *list = arena_calloc(s->tx->arena, 1, sizeof *list);
    if (arena_failed(s->tx->arena))
        return sosia_fail_memory(s->tx->err);
    *list = (struct json){.type = JSON_ARRAY, .n = 1, .items = v};
    *ret = list;
    return 0;
}

/* What a new item has without a word: as JSON of the column's kind. */
static int usual_value(const struct setting *s, const struct json **ret)
{
    const char *usual = s->column->usual;
    const bool plain = s->column->kind == LISTS_NUMBER || s->column->kind == LISTS_CURRENCY ||
                       s->column->kind == LISTS_BOOLEAN;
    struct json *v = arena_calloc(s->tx->arena, 1, sizeof *v);
    if (arena_failed(s->tx->arena))
        return sosia_fail_memory(s->tx->err);
    *ret = NULL;
    if (!usual)
        return 0;
    *v = (struct json){.type = JSON_STRING, .n = (uint32_t)strlen(usual), .str = usual};
    if (s->column->kind == LISTS_BOOLEAN)
        *v = (struct json){.type = JSON_BOOL,
                           .truth = strcmp(usual, "1") == 0 || str_eq_nocase(usual, "true")};
    else if (s->column->kind == LISTS_TIME && str_eq_nocase(usual, "[today]"))
        v->str = today(s->tx, &v->n);
    else if (s->column->kind == LISTS_CHOICES && *usual != '[')
        return one_of(s, v, ret);
    else if (s->column->kind == LISTS_CHOICES || (!plain && s->column->multiple))
        return lists_values_read(s->tx, usual, ret);
    *ret = v;
    return arena_failed(s->tx->arena) ? sosia_fail_memory(s->tx->err) : 0;
}

/* The value as it is stored. 0, -1 refused. */
static int stored_value(const struct setting *s, const struct json *v, const struct json **ret)
{
    const struct json *all = NULL;
    struct setting alone = *s;
    struct json_writer w;
    struct buf b;
    buf_init(&b, LISTS_VALUES_MOST);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    alone.w = &w;
    int r = set_value(&alone, v);
    json_end(&w);
    if (r == 0 && buf_failed(&b))
        r = refuse(s, "size");
    if (r == 0)
        r = lists_values_read(s->tx, arena_strdup(s->tx->arena, buf_str(&b)), &all);
    buf_done(&b);
    *ret = all ? json_get(all, s->column->name) : NULL;
    return r;
}

/* Has another item of the list this value, in capitals or not? As it is stored. 1, 0, -1. */
static int is_taken(const struct setting *s, int64_t list, int64_t item, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from lists_item where list = :list and id <> :item and json_extract(\"values\", "
        ":path) = json_extract(:value, '$') collate nocase limit 1");
    int64_t one;
    const char *path = arena_printf(s->tx->arena, "$.\"%s\"", s->column->name);
    return TX_INT(s->tx, &q, &one, list, item, path, json_to_text(s->tx->arena, v));
}

int lists_usual_check(struct tx *tx, const struct lists_column *column, bool kept)
{
    const struct setting s = {.tx = tx, .column = column, .kept = kept};
    const struct json *v;
    return usual_value(&s, &v) < 0 ? -1 : v ? stored_value(&s, v, &v) : 0;
}

static bool is_nothing(const struct json *v)
{
    return !v || v->type == JSON_NULL || (v->type == JSON_STRING && !v->n) ||
           (v->type == JSON_ARRAY && !v->n);
}

/* Writes the value of one column. */
static int put_column(const struct setting *s, int64_t list, int64_t item, const struct json *old,
                      const struct json *given)
{
    const struct lists_column *k = s->column;
    const struct json *v = json_get(given, k->name);
    const bool changes = v != NULL, usual = !v && !old && !s->kept;
    struct setting stored = *s;
    stored.kept = s->kept || usual; /* it was looked at when the column was made */
    if (!v)
        v = old ? json_get(old, k->name) : NULL;
    if (usual && usual_value(s, &v) < 0)
        return -1;
    if (is_nothing(v) && k->required && !s->kept && (changes || !old))
        return refuse(s, "missing");
    if (!v || v->type == JSON_NULL)
        return 0;
    if (!changes && old) {
        json_value(s->w, k->name, v);
        return 0;
    }
    if (k->single && !s->kept && !is_nothing(v)) {
        if (stored_value(&stored, v, &v) < 0)
            return -1;
        int taken = is_taken(s, list, item, v);
        if (taken)
            return taken < 0 ? -1 : refuse(s, "taken");
    }
    return set_value(&stored, v);
}

/* All that is given is the name of a column. */
static int check_names(struct tx *tx, int64_t list, const struct json *given)
{
    struct lists_column column;
    for (uint32_t i = 0; i < given->n; i++) {
        int r = lists_column_find(tx, list, given->members[i].key, &column);
        if (r == 1 && strcmp(column.name, given->members[i].key) != 0)
            r = 0;
        if (r != 1)
            return r < 0 ? -1
                         : tx_fail(tx, SOSIA_E_INVALID, "unknown", given->members[i].key,
                                   "there is no column %.200s", given->members[i].key);
    }
    return 0;
}

int lists_values(struct tx *tx, const struct lists_list *list, int64_t item, const char *old,
                 const struct json *given, const char **ret)
{
    struct lists_column column = {.id = 0};
    const struct json *before = NULL;
    struct json_writer w;
    struct buf b;
    int r;
    if (check_names(tx, list->id, given) < 0 || (old && lists_values_read(tx, old, &before) < 0))
        return -1;
    buf_init(&b, LISTS_VALUES_MOST);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    while ((r = lists_column_next(tx, list->id, column.id, &column)) == 1)
        if (put_column(&(struct setting){tx, &column, &w, item < 0}, list->id, item, before,
                       given) < 0) {
            buf_done(&b);
            return -1;
        }
    json_end(&w);
    *ret = r < 0 || buf_failed(&b) ? NULL : arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    if (r < 0)
        return -1;
    return *ret ? 0 : tx_fail(tx, SOSIA_E_INVALID, "size", NULL, "the values are too large");
}
