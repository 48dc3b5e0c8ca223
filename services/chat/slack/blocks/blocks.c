/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks are looked at by the tables of blocks_shapes.c. The words of what is wrong, and what is
 * said of a fault that hides others, are those of the service's own open validator of JSON schemas
 * (github.com/slackhq/hack-json-schema) and of refusals that its clients have reported.
 */
#include "services/chat/slack/blocks/blocks_impl.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <ctype.h>
#include <stdio.h>

#define MAX_CHARTS 2 /* of a message */

struct walk {
    struct call *c;
    struct json_writer *w;
    enum sl_surface surface;
    char pointer[200];
    size_t len;
    bool bad, failed;
    const struct json *list;             /* the blocks; NULL: they are not such a list */
    const char *ids[SL_VIEW_BLOCKS + 1]; /* of blocks so far */
    size_t n_ids;
    unsigned focused; /* elements that want the focus */
};

/* What is too long for its room is cut. */
static void begin_at(struct walk *k, const char *pointer)
{
    snprintf(k->pointer, sizeof k->pointer, "%s", pointer);
    k->len = strlen(k->pointer);
}

static size_t enter(struct walk *k, const char *name, int index)
{
    size_t was = k->len, room = sizeof k->pointer - k->len;
    int n = name ? snprintf(k->pointer + k->len, room, "/%s", name)
                 : snprintf(k->pointer + k->len, room, "/%d", index);
    k->len += n > 0 && (size_t)n < room ? (size_t)n : 0;
    return was;
}

static void leave(struct walk *k, size_t was)
{
    k->len = was;
    k->pointer[was] = 0;
}

#define WRONG(k, ...)                                                                              \
    do {                                                                                           \
        slack_message((k)->c, (k)->pointer, __VA_ARGS__);                                          \
        (k)->bad = true;                                                                           \
    } while (0)

/* Of a member of what the walk is at. */
#define WRONG_BELOW(k, name, ...)                                                                  \
    do {                                                                                           \
        size_t was_ = enter(k, name, 0);                                                           \
        WRONG(k, __VA_ARGS__);                                                                     \
        leave(k, was_);                                                                            \
    } while (0)

/* What is wrong from line `at` on has made a whole schema not fit, which is said before it. */
static void note_schema(struct walk *k, size_t at)
{
    struct slack_call *s = slack_of(k->c);
    size_t n = s->n_messages;
    WRONG(k, "failed to match all allowed schemas");
    if (s->n_messages == n)
        return; /* no room for another line */
    const char *line = s->messages[n];
    memmove(s->messages + at + 1, s->messages + at, (n - at) * sizeof *s->messages);
    memmove(s->expected + at + 1, s->expected + at, (n - at) * sizeof *s->expected);
    s->messages[at] = line;
    s->expected[at] = NULL;
}

/* What would have been right where the last line says what is wrong; words: with spaces between. */
static void note_expected(struct walk *k, const char *words)
{
    struct slack_call *s = slack_of(k->c);
    struct json_writer w;
    struct buf b;
    if (!s->n_messages || s->n_messages == SOSIA_LEN(s->messages))
        return; /* maybe there was no room for the line */
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (const char *p = words; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        json_strn(&w, NULL, p, n);
        p += n;
    }
    json_end(&w);
    s->expected[s->n_messages - 1] = arena_strdup(k->c->tx.arena, buf_str(&b));
    buf_done(&b);
}

/* ---- simple values ---- */

static void check_string(struct walk *k, const struct json *v, uint32_t min, uint32_t max)
{
    if (v->type != JSON_STRING)
        WRONG(k, "must provide a string");
    else if (sl_characters(v->str) < min)
        WRONG(k, "must be more than %u characters", min - 1);
    else if (max && sl_characters(v->str) > max)
        WRONG(k, "must be less than %u characters", max + 1);
}

/* It is a list of as many items as there may be. */
static bool check_list(struct walk *k, const struct json *v, uint32_t min, uint32_t max)
{
    if (v->type != JSON_ARRAY)
        WRONG(k, "must provide an array");
    else if (v->n < min)
        WRONG(k, "must provide at least %u items", min);
    else if (max && v->n > max)
        WRONG(k, "no more than %u items allowed", max);
    else
        return true;
    return false;
}

static void check_int(struct walk *k, const struct json *v, const struct member *m)
{
    int64_t n;
    if (json_i64(v, &n) < 0)
        WRONG(k, "must provide an integer");
    else if (n < (int64_t)m->inner)
        WRONG(k, "must be greater than %u", m->inner);
    else if (m->max && n > (int64_t)m->max)
        WRONG(k, "must be less than %u", m->max);
}

static void check_second(struct walk *k, const struct json *v)
{
    int64_t n;
    if (json_i64(v, &n) < 0)
        WRONG(k, "must provide an integer");
    else if (n < INT64_C(1000000000) || n > INT64_C(9999999999))
        WRONG(k, "must be a Unix timestamp of 10 digits");
}

static bool is_enum_word(const char *words, const char *text)
{
    size_t n = strlen(text);
    for (const char *p = words; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        if (len == n && memcmp(p, text, n) == 0)
            return true;
        p += len;
    }
    return false;
}

static bool is_clock(const char *text)
{
    int hour, minute, end = 0;
    return sscanf(text, "%2d:%2d%n", &hour, &minute, &end) == 2 && end == 5 && !text[5] &&
           hour < 24 && minute < 60 && strspn(text, "0123456789:") == 5;
}

static void check_words(struct walk *k, const struct json *v, const struct member *m)
{
    int64_t days;
    if (v->type != JSON_STRING)
        WRONG(k, "must provide a string");
    else if (m->kind == K_ENUM && !is_enum_word(m->words, v->str)) {
        WRONG(k, "must be a valid enum value");
        note_expected(k, m->words);
    } else if (m->kind == K_DATE && date_parse(v->str, v->n, &days) < 0)
        WRONG(k, "input must be a valid: date");
    else if (m->kind == K_CLOCK && !is_clock(v->str))
        WRONG(k, "must be a valid time in the format HH:mm");
}

static void check_strings(struct walk *k, const struct json *v, const struct member *m)
{
    bool list = check_list(k, v, 0, m->max);
    for (uint32_t i = 0; list && i < v->n; i++) {
        size_t was = enter(k, NULL, (int)i);
        check_string(k, &v->items[i], 0, 0);
        leave(k, was);
    }
}

/* ---- text objects ---- */

enum texts { TEXT_PLAIN, TEXT_LABEL, TEXT_EITHER, TEXT_PART };

static void check_text_parts(struct walk *k, const struct json *v, uint32_t max, bool plain)
{
    const char *flag = plain ? "emoji" : "verbatim";
    for (uint32_t i = 0; i < v->n; i++) {
        const char *key = v->members[i].key;
        const struct json *value = &v->members[i].value;
        size_t was = k->len;
        if (strcmp(key, "type") == 0)
            continue;
        if (strcmp(key, "text") != 0 && strcmp(key, flag) != 0) {
            WRONG(k, "invalid additional property: %.60s", key);
            continue;
        }
        enter(k, key, 0);
        if (*key == 't')
            check_string(k, value, 1, max);
        else if (value->type != JSON_BOOL)
            WRONG(k, "must be a boolean");
        leave(k, was);
    }
}

static void check_text_object(struct walk *k, const struct json *v, uint32_t max, enum texts which)
{
    const struct json *type = json_get(v, "type");
    size_t line = slack_of(k->c)->n_messages;
    bool plain = false, plain_alone = which == TEXT_PLAIN || which == TEXT_LABEL;
    if (v->type != JSON_OBJECT) {
        WRONG(k, "must provide an object");
        if (which == TEXT_EITHER)
            WRONG(k, "must provide an object"); /* neither schema fits */
    } else if (!type || !json_get(v, "text")) {
        if (!type)
            WRONG(k, "missing required field: type");
        if (!json_get(v, "text"))
            WRONG(k, "missing required field: text");
    } else if (type->type != JSON_STRING) {
        WRONG_BELOW(k, "type", "must provide a string");
        return;
    } else if (!(plain = strcmp(type->str, "plain_text") == 0) &&
               (plain_alone || strcmp(type->str, "mrkdwn") != 0)) {
        if (plain_alone)
            WRONG_BELOW(k, "type", "must be a valid enum value");
        else
            WRONG_BELOW(k, "type", "unsupported type: %.60s", type->str);
        note_expected(k, plain_alone ? "plain_text" : "plain_text mrkdwn");
        return;
    } else {
        check_text_parts(k, v, max, plain);
        if (which == TEXT_LABEL && slack_of(k->c)->n_messages > line)
            note_schema(k, line);
    }
    if (which == TEXT_EITHER && slack_of(k->c)->n_messages > line)
        note_schema(k, line);
}

/* With the members that the service adds. */
static void walk_text(struct walk *k, const char *key, const struct json *v, uint32_t max,
                      enum texts which)
{
    const char *type = json_get_str(v, "type");
    bool plain = type && strcmp(type, "plain_text") == 0;
    check_text_object(k, v, max, which);
    json_obj(k->w, key);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        json_value(k->w, v->members[i].key, &v->members[i].value);
    if (plain && !json_get(v, "emoji"))
        json_bool(k->w, "emoji", true);
    if (!plain && !json_get(v, "verbatim"))
        json_bool(k->w, "verbatim", false);
    json_end(k->w);
}

/* ---- objects ---- */

static void walk_member(struct walk *k, const struct member *m, const struct json *v,
                        const struct json *of);

/* Has it one of the members that are named? ret_first: the first name. */
static bool has_one_of(struct walk *k, const struct json *v, const char *names,
                       const char **ret_first)
{
    *ret_first = NULL;
    for (const char *p = names; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        const char *name = arena_memdup(k->c->tx.arena, p, n);
        if (json_get(v, name))
            return true;
        *ret_first = *ret_first ? *ret_first : name;
        p += n;
    }
    return false;
}

/* What must be there and is not: then no more is said of the object. */
static bool lacks(struct walk *k, const struct json *v, const struct shape *s)
{
    const char *first;
    bool lacking = s->one_of && !has_one_of(k, v, s->one_of, &first);
    if (lacking && s->neither)
        WRONG(k, "%s", s->neither);
    else if (lacking)
        WRONG(k, "missing required field: %s", first);
    for (const struct member *m = s->members; m->name; m++)
        if (m->required && !json_get(v, m->name)) {
            WRONG(k, "missing required field: %s", m->name);
            lacking = true;
        }
    return lacking;
}

static const struct member *member_named(const struct shape *s, const char *name)
{
    const struct member *m = s->members;
    while (m->name && strcmp(m->name, name) != 0)
        m++;
    return m->name ? m : NULL;
}

/* Members in their order, then those that the service adds. */
static void walk_members(struct walk *k, const struct json *v, const struct shape *s)
{
    if (lacks(k, v, s))
        return;
    for (uint32_t i = 0; i < v->n; i++) {
        const char *key = v->members[i].key;
        const struct member *m = member_named(s, key);
        if (m)
            walk_member(k, m, &v->members[i].value, v);
        else if (s->type && strcmp(key, "type") == 0)
            json_value(k->w, key, &v->members[i].value);
        else
            WRONG(k, "invalid additional property: %.60s", key);
    }
    if (member_named(s, "action_id") && !json_get(v, "action_id")) {
        const char *id = sl_block_id(&k->c->tx);
        json_str(k->w, "action_id", id ? id : "");
    }
    if (k->surface == SL_MESSAGE)
        return;
    for (const struct member *m = s->members; m->name; m++)
        if (m->filled && !json_get(v, m->name))
            json_raw(k->w, m->name, m->filled, strlen(m->filled));
    if (json_get_true(v, "focus_on_load") && k->focused++)
        WRONG_BELOW(k, "focus_on_load", "only one element can have it");
}

static void walk_object(struct walk *k, const char *key, const struct json *v,
                        const struct shape *s)
{
    json_obj(k->w, key);
    if (v->type != JSON_OBJECT)
        WRONG(k, "must provide an object");
    else
        walk_members(k, v, s);
    json_end(k->w);
}

/* The shape of an object by its type, of those that may be in the place; NULL: it has none. */
static const struct shape *shape_of(struct walk *k, const struct json *v,
                                    const struct shape *shapes, unsigned place)
{
    const struct json *type = json_get(v, "type");
    if (v->type != JSON_OBJECT) {
        WRONG(k, "must provide an object");
        return NULL;
    }
    if (!type) {
        WRONG(k, "missing required field: type");
        return NULL;
    }
    if (type->type != JSON_STRING) {
        WRONG_BELOW(k, "type", "must provide a string");
        return NULL;
    }
    const char *types = "";
    for (const struct shape *s = shapes; s->type; s++) {
        if ((s->only && !(s->only & (unsigned)k->surface)) || (place && !(s->places & place)))
            continue;
        if (strcmp(s->type, type->str) == 0)
            return s;
        types = arena_printf(k->c->tx.arena, "%s %s", types, s->type);
    }
    if (shapes == sl_list_items && strcmp(type->str, "rich_text_list") == 0) {
        WRONG(k, "invalid additional property: style"); /* read as an item, which has none */
        return NULL;
    }
    WRONG_BELOW(k, "type", "unsupported type: %.60s", type->str);
    note_expected(k, types + strspn(types, " "));
    return NULL;
}

static void walk_typed(struct walk *k, const char *key, const struct json *v,
                       const struct member *m)
{
    const struct shape *s = shape_of(k, v, m->of, m->place);
    json_obj(k->w, key);
    if (s)
        walk_members(k, v, s);
    json_end(k->w);
}

/* An id that an item before it has as well. */
static void check_again(struct walk *k, const struct json *list, uint32_t at, const char *name)
{
    const char *id = json_get_str(&list->items[at], name), *other;
    for (uint32_t i = 0; id && i < at; i++)
        if ((other = json_get_str(&list->items[i], name)) && strcmp(other, id) == 0) {
            WRONG_BELOW(k, name, "`%s` \"%.60s\" already exists", name, id);
            return;
        }
}

static bool is_part(const struct json *v)
{
    const char *type = json_get_str(v, "type");
    return type && (strcmp(type, "mrkdwn") == 0 || strcmp(type, "plain_text") == 0);
}

static void walk_item(struct walk *k, const struct member *m, const struct json *list, uint32_t at)
{
    const struct json *v = &list->items[at];
    if (m->kind == K_TEXTS)
        walk_text(k, NULL, v, m->inner, TEXT_EITHER);
    else if (m->kind == K_PARTS && is_part(v))
        walk_text(k, NULL, v, 3000, TEXT_PART);
    else if (m->kind == K_LIST || m->kind == K_CHOICES || m->kind == K_TASKS)
        walk_object(k, NULL, v, m->of);
    else
        walk_typed(k, NULL, v, m);
    check_again(k, list, at, m->kind == K_TASKS ? "task_id" : "action_id");
}

static void walk_items(struct walk *k, const char *key, const struct json *v,
                       const struct member *m)
{
    uint32_t min = m->kind == K_TEXTS ? 1 : m->inner;
    json_arr(k->w, key);
    bool list = check_list(k, v, min, m->max);
    for (uint32_t i = 0; list && i < v->n; i++) {
        size_t was = enter(k, NULL, (int)i);
        walk_item(k, m, v, i);
        leave(k, was);
    }
    json_end(k->w);
}

/* Rows of cells: of each as many as `inner`. */
static void walk_rows(struct walk *k, const char *key, const struct json *v, const struct member *m)
{
    const struct member row = {"", K_TYPEDS, .max = m->inner, .of = m->of};
    json_arr(k->w, key);
    bool list = check_list(k, v, 1, m->max);
    for (uint32_t i = 0; list && i < v->n; i++) {
        size_t was = enter(k, NULL, (int)i);
        walk_items(k, NULL, &v->items[i], &row);
        leave(k, was);
    }
    json_end(k->w);
}

/* ---- what is chosen at first ---- */

/* Is the option among those of the element, by its value? */
static bool offered(const struct json *of, const char *value)
{
    const struct json *options = json_get(of, "options"), *groups = json_get(of, "option_groups");
    const char *known;
    for (uint32_t i = 0; options && options->type == JSON_ARRAY && i < options->n; i++)
        if ((known = json_get_str(&options->items[i], "value")) && strcmp(known, value) == 0)
            return true;
    for (uint32_t i = 0; groups && groups->type == JSON_ARRAY && i < groups->n; i++)
        if (offered(&groups->items[i], value))
            return true;
    return false;
}

static void check_chosen(struct walk *k, const struct json *v, const struct json *of)
{
    const char *value = json_get_str(v, "value");
    if (value && (json_get(of, "options") || json_get(of, "option_groups")) && !offered(of, value))
        WRONG(k, "must match one of the options");
}

static void walk_choices(struct walk *k, const struct member *m, const struct json *v,
                         const struct json *of)
{
    walk_items(k, m->name, v, m);
    for (uint32_t i = 0; v->type == JSON_ARRAY && !k->bad && i < v->n; i++) {
        size_t was = enter(k, NULL, (int)i);
        check_chosen(k, &v->items[i], of);
        leave(k, was);
    }
}

/* ---- pictures ---- */

static bool is_picture_address(const char *text)
{
    return (str_starts(text, "https://") || str_starts(text, "http://")) &&
           isalnum((unsigned char)strstr(text, "://")[3]);
}

/* The id in ".../files-pri/T0ACME-F0ABC/a.png" or ".../files/U0ADA/F0ABC/a.png"; NULL: none. */
static const char *file_of_address(struct walk *k, const char *url)
{
    for (const char *p = strstr(url, "/files"); p; p = strchr(p + 1, '/')) {
        size_t n = strcspn(p + 1, "/?#");
        const char *dash = memchr(p + 1, '-', n), *id = dash && p[1] == 'T' ? dash + 1 : p + 1;
        if (*id == 'F')
            return arena_memdup(k->c->tx.arena, id, (size_t)(p + 1 + n - id));
    }
    return NULL;
}

/* Is it there, and may the caller see it? v: {"id"} or {"url"}; the pointer is at the object. */
static void check_hosted(struct walk *k, const char *name, const struct json *v)
{
    const struct sl_caller *me = sl_me(k->c);
    const char *id = json_get_str(v, "id"), *url = json_get_str(v, "url");
    struct chat_file f;
    if (!id && url && !is_picture_address(url)) {
        WRONG_BELOW(k, "slack_file.url", "invalid_url");
        return;
    }
    const char *key = id ? id : url ? file_of_address(k, url) : NULL;
    int r = key ? chat_file_find(&k->c->tx, me->workspace.id, key, &f) : 0;
    if (r == 1)
        r = f.state == CHAT_FILE_THERE ? chat_can_see_file(&k->c->tx, &f, &me->user) : 0;
    if (r < 0)
        k->failed = true;
    if (r != 1) {
        size_t was = enter(k, id ? "slack_file.id" : "slack_file.url", 0);
        WRONG_BELOW(k, name, "invalid slack file");
        leave(k, was);
    }
}

/* ---- members ---- */

/* One that is written as it came. */
static void check_plain_value(struct walk *k, const struct member *m, const struct json *v)
{
    switch (m->kind) {
    case K_STRING:
        check_string(k, v, m->inner, m->max);
        break;
    case K_STRINGS:
        check_strings(k, v, m);
        break;
    case K_PICTURE:
        check_string(k, v, 0, m->max);
        if (v->type == JSON_STRING && !is_picture_address(v->str))
            WRONG(k, "downloading image failed");
        break;
    case K_BOOL:
        if (v->type != JSON_BOOL)
            WRONG(k, "must be a boolean");
        break;
    case K_INT:
        check_int(k, v, m);
        break;
    case K_SECOND:
        check_second(k, v);
        break;
    case K_NUMBER:
        if (v->type != JSON_NUMBER)
            WRONG(k, "must provide a number");
        break;
    case K_ENUM:
    case K_DATE:
    case K_CLOCK:
        check_words(k, v, m);
        break;
    default:
        break;
    }
    json_value(k->w, m->name, v);
}

/* v: of the member; of: the whole object. */
static void walk_member(struct walk *k, const struct member *m, const struct json *v,
                        const struct json *of)
{
    size_t was = enter(k, m->name, 0);
    switch (m->kind) {
    case K_TEXT:
        walk_text(k, m->name, v, m->max, TEXT_EITHER);
        break;
    case K_PLAIN:
        walk_text(k, m->name, v, m->max, TEXT_PLAIN);
        break;
    case K_LABEL:
        walk_text(k, m->name, v, m->max, TEXT_LABEL);
        break;
    case K_HOSTED:
        walk_object(k, m->name, v, m->of);
        leave(k, was);
        if (!k->bad)
            check_hosted(k, m->name, v);
        return;
    case K_OBJECT:
        walk_object(k, m->name, v, m->of);
        break;
    case K_CHOICE:
        walk_object(k, m->name, v, m->of);
        check_chosen(k, v, of);
        break;
    case K_TYPED:
        walk_typed(k, m->name, v, m);
        break;
    case K_TEXTS:
    case K_LIST:
    case K_TYPEDS:
    case K_PARTS:
    case K_TASKS:
        walk_items(k, m->name, v, m);
        break;
    case K_CHOICES:
        walk_choices(k, m, v, of);
        break;
    case K_CELLS:
        walk_rows(k, m->name, v, m);
        break;
    default:
        check_plain_value(k, m, v);
    }
    leave(k, was);
}

/* ---- blocks ---- */

/* One that none of the blocks has: who writes a message again may have it from a dump. */
static const char *new_block_id(const struct walk *k)
{
    const char *made = sl_block_id(&k->c->tx);
    for (uint32_t i = 0; made && i < k->list->n; i++) {
        const char *id = json_get_str(&k->list->items[i], "block_id");
        if (id && strcmp(id, made) == 0)
            return new_block_id(k);
    }
    return made;
}

static void check_block_id(struct walk *k, const char *id)
{
    for (size_t i = 0; i < k->n_ids; i++)
        if (strcmp(k->ids[i], id) == 0) {
            WRONG_BELOW(k, "block_id", "`block_id` \"%.60s\" already exists", id);
            break;
        }
    if (k->n_ids < SOSIA_LEN(k->ids))
        k->ids[k->n_ids++] = id;
}

/* Its type and id come first. */
static void walk_block(struct walk *k, const struct json *v)
{
    const struct shape *s = shape_of(k, v, sl_block_shapes, 0);
    const struct json *id = json_get(v, "block_id");
    json_obj(k->w, NULL);
    if (s) {
        json_str(k->w, "type", s->type);
        if (!id) {
            const char *made = new_block_id(k);
            json_str(k->w, "block_id", made ? made : "");
        } else if (id->type == JSON_STRING) {
            check_block_id(k, id->str);
        }
        struct json rest = {.type = JSON_OBJECT, .n = 0};
        struct json_member *members = arena_alloc(k->c->tx.arena, (v->n + 1) * sizeof *members);
        rest.members = members;
        for (uint32_t i = 0; i < v->n && !arena_failed(k->c->tx.arena); i++)
            if (strcmp(v->members[i].key, "type") != 0)
                members[rest.n++] = v->members[i];
        walk_members(k, &rest, s);
    }
    json_end(k->w);
}

static void check_charts(struct walk *k)
{
    int n = 0;
    for (uint32_t i = 0; i < k->list->n; i++) {
        const char *type = json_get_str(&k->list->items[i], "type");
        n += type && strcmp(type, "data_visualization") == 0;
    }
    if (n > MAX_CHARTS) {
        slack_message(k->c, NULL, "too many data_visualization blocks");
        k->bad = true;
    }
}

static int check_blocks(struct call *c, const struct json *list, const char *pointer, uint32_t max,
                        enum sl_surface surface, const char **ret)
{
    struct buf b;
    struct json_writer w;
    struct walk *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    k->c = c;
    k->w = &w;
    k->surface = surface;
    k->list = list;
    begin_at(k, pointer);
    *ret = NULL;
    if (!check_list(k, list, 0, max))
        return 0;
    buf_init(&b, 8 << 20);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (uint32_t i = 0; i < list->n; i++) {
        size_t was = enter(k, NULL, (int)i);
        walk_block(k, &list->items[i]);
        leave(k, was);
    }
    check_charts(k);
    json_end(&w);
    if (list->n && !k->bad)
        *ret = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    bool failed = buf_failed(&b);
    buf_done(&b);
    if (k->failed)
        return -1;
    return failed ? sosia_fail_memory(c->tx.err) : !k->bad;
}

int sl_blocks_check(struct call *c, const struct json *list, const char *pointer, uint32_t max,
                    const char **ret)
{
    return check_blocks(c, list, pointer, max, SL_MESSAGE, ret);
}

int sl_view_blocks_check(struct call *c, const struct json *list, enum sl_surface surface,
                         const char **ret)
{
    return check_blocks(c, list, "/view/blocks", SL_VIEW_BLOCKS, surface, ret);
}

int sl_plain_check(struct call *c, struct json_writer *w, const char *key, const struct json *text,
                   const char *pointer, uint32_t max)
{
    struct walk *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    k->c = c;
    k->w = w;
    begin_at(k, pointer);
    walk_text(k, key, text, max, TEXT_PLAIN);
    return !k->bad;
}
