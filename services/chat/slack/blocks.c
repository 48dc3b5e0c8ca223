/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks are looked at by the tables of blocks_shapes.c; the words of what is wrong are the
 * service's. */
#include "services/chat/slack/blocks_impl.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <stdio.h>

struct walk {
    struct call *c;
    struct json_writer *w;
    enum sl_surface surface;
    char pointer[200];
    size_t len;
    bool bad;
    const struct json *list;             /* the blocks; NULL: they are not such a list */
    const char *ids[SL_VIEW_BLOCKS + 1]; /* of blocks so far */
    size_t n_ids;
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

static void check_string(struct walk *k, const struct json *v, uint32_t max)
{
    if (v->type != JSON_STRING)
        WRONG(k, "must be a string");
    else if (max && sl_characters(v->str) > max)
        WRONG(k, "must be less than %u characters", max + 1);
}

/* A text object, with the members that the service adds. */
static void walk_text(struct walk *k, const char *key, const struct json *v, uint32_t max,
                      bool plain_only)
{
    const char *type = json_get_str(v, "type"), *text = json_get_str(v, "text");
    size_t was = k->len;
    bool plain = type && strcmp(type, "plain_text") == 0;
    if (v->type != JSON_OBJECT) {
        WRONG(k, "must be an object");
        json_null(k->w, key);
        return;
    }
    if (!type)
        WRONG(k, "missing required field: type");
    else if (!plain && (plain_only || strcmp(type, "mrkdwn") != 0)) {
        enter(k, "type", 0);
        WRONG(k, "must be one of the allowed values: %s",
              plain_only ? "plain_text" : "plain_text, mrkdwn");
        leave(k, was);
    }
    if (!json_get(v, "text"))
        WRONG(k, "missing required field: text");
    else {
        enter(k, "text", 0);
        if (!text)
            WRONG(k, "must be a string");
        else if (!*text)
            WRONG(k, "must be more than 0 characters");
        else if (max && sl_characters(text) > max)
            WRONG(k, "must be less than %u characters", max + 1);
        leave(k, was);
    }
    if (!plain && json_get(v, "emoji"))
        WRONG(k, "invalid additional property: emoji");
    if (plain && json_get(v, "verbatim"))
        WRONG(k, "invalid additional property: verbatim");
    json_obj(k->w, key);
    for (uint32_t i = 0; i < v->n; i++)
        json_value(k->w, v->members[i].key, &v->members[i].value);
    if (plain && !json_get(v, "emoji"))
        json_bool(k->w, "emoji", true);
    if (!plain && !json_get(v, "verbatim"))
        json_bool(k->w, "verbatim", false);
    json_end(k->w);
}

static bool check_list(struct walk *k, const struct json *v, uint32_t max)
{
    if (v->type != JSON_ARRAY) {
        WRONG(k, "must be an array");
        return false;
    }
    if (max && v->n > max)
        WRONG(k, "no more than %u items allowed", max);
    return v->n <= 1000;
}

static void walk_option(struct walk *k, const struct json *v, uint32_t max, bool plain)
{
    const struct json *text = json_get(v, "text"), *value = json_get(v, "value");
    const struct json *more = json_get(v, "description");
    size_t was = k->len;
    json_obj(k->w, NULL);
    if (!text) {
        WRONG(k, "missing required field: text");
    } else {
        enter(k, "text", 0);
        walk_text(k, "text", text, max, plain);
        leave(k, was);
    }
    if (!value) {
        WRONG(k, "missing required field: value");
    } else {
        enter(k, "value", 0);
        check_string(k, value, 150);
        leave(k, was);
        json_value(k->w, "value", value);
    }
    if (more) {
        enter(k, "description", 0);
        walk_text(k, "description", more, max, plain);
        leave(k, was);
    }
    if (json_get(v, "url"))
        json_value(k->w, "url", json_get(v, "url"));
    json_end(k->w);
}

static void walk_options(struct walk *k, const char *key, const struct json *v, uint32_t max,
                         uint32_t inner, bool plain)
{
    json_arr(k->w, key);
    if (check_list(k, v, max)) {
        if (!v->n)
            WRONG(k, "no less than 1 items allowed");
        for (uint32_t i = 0; i < v->n; i++) {
            size_t was = enter(k, NULL, (int)i);
            walk_option(k, &v->items[i], inner, plain);
            leave(k, was);
        }
    }
    json_end(k->w);
}

static void walk_groups(struct walk *k, const char *key, const struct json *v, uint32_t max,
                        uint32_t inner)
{
    json_arr(k->w, key);
    for (uint32_t i = 0; check_list(k, v, max) && i < v->n; i++) {
        const struct json *label = json_get(&v->items[i], "label");
        const struct json *options = json_get(&v->items[i], "options");
        size_t was = enter(k, NULL, (int)i), here;
        json_obj(k->w, NULL);
        if (!label || !options) {
            WRONG(k, "missing required field: %s", label ? "options" : "label");
        } else {
            here = enter(k, "label", 0);
            walk_text(k, "label", label, 75, true);
            leave(k, here);
            enter(k, "options", 0);
            walk_options(k, "options", options, max, inner, true);
            leave(k, here);
        }
        json_end(k->w);
        leave(k, was);
        if (v->n > 1000)
            break;
    }
    json_end(k->w);
}

static void walk_confirm(struct walk *k, const char *key, const struct json *v)
{
    static const struct {
        const char *name;
        uint32_t max;
        bool required;
    } texts[] = {
        {"title", 100, true}, {"text", 300, true}, {"confirm", 30, false}, {"deny", 30, false}};
    json_obj(k->w, key);
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        const struct json *text = json_get(v, texts[i].name);
        size_t was = k->len;
        if (!text) {
            if (texts[i].required)
                WRONG(k, "missing required field: %s", texts[i].name);
            continue;
        }
        enter(k, texts[i].name, 0);
        walk_text(k, texts[i].name, text, texts[i].max, i != 1);
        leave(k, was);
    }
    if (json_get(v, "style"))
        json_value(k->w, "style", json_get(v, "style"));
    json_end(k->w);
}

static void walk_shape(struct walk *k, const char *key, const struct json *v,
                       const struct shape *shapes);

/* The elements of a context block are texts or pictures, of others what can be pressed or filled.
 */
static void walk_elements(struct walk *k, const char *key, const struct json *v, uint32_t max)
{
    json_arr(k->w, key);
    if (check_list(k, v, max)) {
        if (!v->n)
            WRONG(k, "no less than 1 items allowed");
        for (uint32_t i = 0; i < v->n; i++) {
            const char *type = json_get_str(&v->items[i], "type");
            size_t was = enter(k, NULL, (int)i);
            if (type && (strcmp(type, "mrkdwn") == 0 || strcmp(type, "plain_text") == 0))
                walk_text(k, NULL, &v->items[i], 3000, false);
            else
                walk_shape(k, NULL, &v->items[i], sl_element_shapes);
            leave(k, was);
        }
    }
    json_end(k->w);
}

static void walk_texts(struct walk *k, const char *key, const struct json *v,
                       const struct member *m)
{
    json_arr(k->w, key);
    for (uint32_t i = 0; check_list(k, v, i ? 0 : m->max) && i < v->n; i++) {
        size_t was = enter(k, NULL, (int)i);
        walk_text(k, NULL, &v->items[i], m->inner, false);
        leave(k, was);
    }
    json_end(k->w);
}

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
    if (v->type != JSON_OBJECT)
        WRONG(k, "must provide an object");
    else if (!json_get(v, "text") || !value)
        WRONG(k, "missing required field: %s", value ? "text" : "value");
    else if ((json_get(of, "options") || json_get(of, "option_groups")) && !offered(of, value))
        WRONG(k, "must match one of the options");
}

/* As it is among the options: its text has what a text has. */
static void write_chosen(struct walk *k, const char *key, const struct json *v)
{
    const struct json *text = json_get(v, "text");
    const char *type = json_get_str(text, "type");
    bool plain = type && strcmp(type, "plain_text") == 0;
    const char *more = plain ? "emoji" : "verbatim";
    if (!type || v->type != JSON_OBJECT || json_get(text, more)) {
        json_value(k->w, key, v);
        return;
    }
    json_obj(k->w, key);
    for (uint32_t i = 0; i < v->n; i++) {
        if (&v->members[i].value != text) {
            json_value(k->w, v->members[i].key, &v->members[i].value);
            continue;
        }
        json_obj(k->w, "text");
        for (uint32_t j = 0; j < text->n; j++)
            json_value(k->w, text->members[j].key, &text->members[j].value);
        json_bool(k->w, more, plain);
        json_end(k->w);
    }
    json_end(k->w);
}

static void check_int(struct walk *k, const struct json *v, const struct member *m)
{
    int64_t n;
    if (json_i64(v, &n) < 0)
        WRONG(k, "must be an integer");
    else if (n < (int64_t)m->inner)
        WRONG(k, "must be greater than or equal to %u", m->inner);
    else if (m->max && n > (int64_t)m->max)
        WRONG(k, "must be less than or equal to %u", m->max);
}

static bool is_clock(const char *text)
{
    int hour, minute, end = 0;
    return sscanf(text, "%2d:%2d%n", &hour, &minute, &end) == 2 && end == 5 && !text[5] &&
           hour < 24 && minute < 60 && strspn(text, "0123456789:") == 5;
}

/* The status of a task: one that waits is of a plan. */
static void check_status(struct walk *k, const char *text, bool of_plan)
{
    static const char *const all[] = {"in_progress", "complete", "error", "pending"};
    bool known = false;
    for (size_t i = 0; text && i < (of_plan ? 4 : 3); i++)
        known = known || strcmp(text, all[i]) == 0;
    if (!known)
        WRONG(k, "must be one of the allowed values: %sin_progress, complete, error",
              of_plan ? "pending, " : "");
}

static void check_rich(struct walk *k, const struct json *v)
{
    const char *type = json_get_str(v, "type");
    const struct json *elements = json_get(v, "elements");
    size_t was = k->len;
    if (v->type != JSON_OBJECT) {
        WRONG(k, "must be an object");
    } else if (!type || !elements) {
        WRONG(k, "missing required field: %s", type ? "elements" : "type");
    } else if (strcmp(type, "rich_text") != 0) {
        enter(k, "type", 0);
        WRONG(k, "unsupported type: %.60s", type);
    } else {
        enter(k, "elements", 0);
        check_list(k, elements, 0);
    }
    leave(k, was);
}

/* Pages that a task names. */
static void check_sources(struct walk *k, const struct json *v)
{
    static const char *const names[] = {"type", "url", "text"};
    for (uint32_t i = 0; check_list(k, v, 0) && i < v->n; i++) {
        const struct json *source = &v->items[i];
        const char *type = json_get_str(source, "type");
        size_t was = enter(k, NULL, (int)i);
        for (size_t j = 0; j < SOSIA_LEN(names); j++)
            if (!json_get_str(source, names[j]))
                WRONG(k, "missing required field: %s", names[j]);
        if (type && strcmp(type, "url") != 0 && strcmp(type, "url_source") != 0) {
            enter(k, "type", 0);
            WRONG(k, "unsupported type: %.60s", type);
        }
        leave(k, was);
    }
}

static void check_value(struct walk *k, const struct member *m, const struct json *v,
                        const struct json *of)
{
    const char *text = v->type == JSON_STRING ? v->str : NULL;
    int64_t days;
    switch (m->kind) {
    case K_INT:
        check_int(k, v, m);
        break;
    case K_DATE:
        if (!text || date_parse(text, strlen(text), &days) < 0)
            WRONG(k, "must be a valid date in the format YYYY-MM-DD");
        break;
    case K_CLOCK:
        if (!text || !is_clock(text))
            WRONG(k, "must be a valid time in the format HH:mm");
        break;
    case K_STYLE:
        if (!text || (strcmp(text, "primary") != 0 && strcmp(text, "danger") != 0))
            WRONG(k, "must be a valid enum value");
        break;
    case K_STATUS:
    case K_STEP:
        check_status(k, text, m->kind == K_STEP);
        break;
    case K_RICH:
        check_rich(k, v);
        break;
    case K_SOURCES:
        check_sources(k, v);
        break;
    case K_OPTION:
        check_chosen(k, v, of);
        break;
    case K_CHOSEN:
        for (uint32_t i = 0; check_list(k, v, i ? 0 : m->max) && i < v->n; i++) {
            size_t was = enter(k, NULL, (int)i);
            check_chosen(k, &v->items[i], of);
            leave(k, was);
        }
        break;
    default:
        break;
    }
}

static void write_checked(struct walk *k, const struct member *m, const struct json *v)
{
    if (m->kind == K_OPTION) {
        write_chosen(k, m->name, v);
    } else if (m->kind == K_CHOSEN && v->type == JSON_ARRAY) {
        json_arr(k->w, m->name);
        for (uint32_t i = 0; i < v->n; i++)
            write_chosen(k, NULL, &v->items[i]);
        json_end(k->w);
    } else {
        json_value(k->w, m->name, v);
    }
}

static void walk_tasks(struct walk *k, const char *key, const struct json *v, uint32_t max);

/* v: of the member; of: the whole element. */
static void walk_member(struct walk *k, const struct member *m, const struct json *v,
                        const struct json *of)
{
    size_t was = enter(k, m->name, 0);
    switch (m->kind) {
    case K_TEXT:
    case K_PLAIN:
        walk_text(k, m->name, v, m->max, m->kind == K_PLAIN);
        break;
    case K_TEXTS:
        walk_texts(k, m->name, v, m);
        break;
    case K_OPTIONS:
    case K_MENU:
        walk_options(k, m->name, v, m->max, m->inner, m->kind == K_MENU);
        break;
    case K_GROUPS:
        walk_groups(k, m->name, v, m->max, m->inner);
        break;
    case K_CONFIRM:
        walk_confirm(k, m->name, v);
        break;
    case K_SHAPE:
        walk_shape(k, m->name, v, sl_element_shapes);
        break;
    case K_LIST:
        walk_elements(k, m->name, v, m->max);
        break;
    case K_TASKS:
        walk_tasks(k, m->name, v, m->max);
        break;
    default:
        if (m->kind == K_STRING)
            check_string(k, v, m->max);
        else if (m->kind == K_BOOL && v->type != JSON_BOOL)
            WRONG(k, "must be a boolean");
        else if (m->kind == K_RAW)
            check_list(k, v, m->max);
        else if (m->kind != K_ANY)
            check_value(k, m, v, of);
        write_checked(k, m, v);
    }
    leave(k, was);
}

/* One of two must be there. */
static void check_one_of(struct walk *k, const struct json *v, const char *names)
{
    const char *first = NULL;
    for (const char *p = names; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        const char *name = arena_memdup(k->c->tx.arena, p, n);
        if (json_get(v, name))
            return;
        first = first ? first : name;
        p += n;
    }
    WRONG(k, "missing required field: %s", first);
}

static bool needs_action_id(const struct shape *s)
{
    for (const struct member *m = s->members; m && m->name; m++)
        if (strcmp(m->name, "action_id") == 0)
            return true;
    return false;
}

/* Members in their order, then those that are known but not there. */
static void walk_members(struct walk *k, const struct json *v, const struct shape *s)
{
    for (uint32_t i = 0; i < v->n; i++) {
        const struct member *m = s->members;
        while (m && m->name && strcmp(m->name, v->members[i].key) != 0)
            m++;
        if (v->members[i].value.type == JSON_NULL)
            continue;
        if (m && m->name)
            walk_member(k, m, &v->members[i].value, v);
        else
            json_value(k->w, v->members[i].key, &v->members[i].value);
    }
    for (const struct member *m = s->members; m && m->name; m++)
        if (m->required && !json_get(v, m->name))
            WRONG(k, "missing required field: %s", m->name);
    if (s->one_of)
        check_one_of(k, v, s->one_of);
    if (needs_action_id(s) && !json_get(v, "action_id")) {
        const char *id = sl_block_id(&k->c->tx);
        json_str(k->w, "action_id", id ? id : "");
    }
}

/* Those of a plan, each by its own id; a type may be left out. */
static void walk_tasks(struct walk *k, const char *key, const struct json *v, uint32_t max)
{
    json_arr(k->w, key);
    for (uint32_t i = 0; check_list(k, v, i ? 0 : max) && i < v->n; i++) {
        const struct json *task = &v->items[i];
        const char *type = json_get_str(task, "type"), *id = json_get_str(task, "task_id");
        size_t was = enter(k, NULL, (int)i);
        json_obj(k->w, NULL);
        if (type && strcmp(type, sl_task_shape.type) != 0)
            WRONG(k, "unsupported type: %.60s", type);
        for (uint32_t j = 0; id && j < i; j++) {
            const char *other = json_get_str(&v->items[j], "task_id");
            if (other && strcmp(other, id) == 0) {
                WRONG(k, "`task_id` %.60s already exists", id);
                break;
            }
        }
        if (task->type == JSON_OBJECT)
            walk_members(k, task, &sl_task_shape);
        else
            WRONG(k, "must be an object");
        json_end(k->w);
        leave(k, was);
    }
    json_end(k->w);
}

static void walk_shape(struct walk *k, const char *key, const struct json *v,
                       const struct shape *shapes)
{
    const char *type = json_get_str(v, "type");
    const struct shape *s = shapes;
    json_obj(k->w, key);
    if (!type) {
        WRONG(k, "missing required field: type");
    } else {
        while (s->type && strcmp(s->type, type) != 0)
            s++;
        if (s->type && (!s->only || s->only & (unsigned)k->surface)) {
            walk_members(k, v, s);
        } else {
            size_t was = enter(k, "type", 0);
            WRONG(k, "unsupported type: %.60s", type);
            leave(k, was);
        }
    }
    json_end(k->w);
}

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

static void walk_block(struct walk *k, const struct json *v)
{
    const char *type = json_get_str(v, "type"), *id = json_get_str(v, "block_id");
    const struct shape *s = sl_block_shapes;
    json_obj(k->w, NULL);
    while (type && s->type && strcmp(s->type, type) != 0)
        s++;
    if (!type) {
        WRONG(k, "missing required field: type");
    } else if (!s->type || (s->only && !(s->only & (unsigned)k->surface))) {
        size_t was = enter(k, "type", 0);
        WRONG(k, "unsupported type: %.60s", type);
        leave(k, was);
    } else {
        json_str(k->w, "type", type);
        if (!id) {
            const char *made = new_block_id(k);
            json_str(k->w, "block_id", made ? made : "");
        }
        for (size_t i = 0; id && i < k->n_ids; i++)
            if (strcmp(k->ids[i], id) == 0) {
                size_t was = enter(k, "block_id", 0);
                WRONG(k, "`block_id` %.60s already exists", id);
                leave(k, was);
                break;
            }
        if (id && k->n_ids < SOSIA_LEN(k->ids))
            k->ids[k->n_ids++] = id;
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
    if (list->type != JSON_ARRAY) {
        WRONG(k, "must be an array");
        return 0;
    }
    if (list->n > max) {
        WRONG(k, "no more than %u items allowed", max);
        return 0;
    }
    buf_init(&b, 8 << 20);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (uint32_t i = 0; i < list->n; i++) {
        size_t was = enter(k, NULL, (int)i);
        walk_block(k, &list->items[i]);
        leave(k, was);
    }
    json_end(&w);
    if (list->n && !k->bad)
        *ret = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    bool failed = buf_failed(&b);
    buf_done(&b);
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
    walk_text(k, key, text, max, true);
    return !k->bad;
}

int sl_blocks_arg(struct call *c, const char **ret)
{
    const struct json *list;
    int r = slack_json_arg(c, "blocks", &list);
    *ret = NULL;
    if (r <= 0)
        return r < 0 ? slack_fail(c, "invalid_blocks_format") : 0;
    if (list->type != JSON_ARRAY)
        return slack_fail(c, "invalid_blocks_format");
    if ((r = sl_blocks_check(c, list, "/blocks", SL_MESSAGE_BLOCKS, ret)) < 0)
        return -1;
    if (!r) {
        slack_of(c)->repeat_messages = true;
        return slack_fail(c, "invalid_blocks");
    }
    if (*ret && strlen(*ret) > 512 * 1024)
        return slack_fail(c, "msg_blocks_too_long");
    return 1;
}

/* No page says how much a message may have. Clients have measured 13,297 characters in one block of
 * Markdown, 13,172 beside a divider, and some 130 less for each header. */
#define BLOCK_WEIGHT 125
#define MAX_WEIGHT   (13297 + BLOCK_WEIGHT)

/* The characters of all texts below. */
static size_t texts_below(const struct json *v)
{
    size_t n = 0;
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        n += texts_below(&v->items[i]);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++) {
        const struct json *value = &v->members[i].value;
        bool text = value->type == JSON_STRING && strcmp(v->members[i].key, "text") == 0;
        n += text ? sl_characters(value->str) : texts_below(value);
    }
    return n;
}

int sl_blocks_fit(struct call *c)
{
    const struct json *list;
    if (slack_json_arg(c, "blocks", &list) != 1 || list->type != JSON_ARRAY)
        return 0;
    return texts_below(list) + list->n * (size_t)BLOCK_WEIGHT > MAX_WEIGHT
               ? slack_fail(c, "msg_blocks_too_long")
               : 0;
}

/* ---- attachments ---- */

static const char *fallback_of(const struct json *v)
{
    static const char *const names[] = {"fallback", "text", "title", "pretext"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (json_get_str(v, names[i]))
            return json_get_str(v, names[i]);
    return "[no preview available]";
}

/* 1, 0 not good, -1. */
static int write_attachment(struct call *c, struct json_writer *w, const struct json *v, int at)
{
    const struct json *given = json_get(v, "blocks");
    const char *made = NULL;
    int r = given
                ? sl_blocks_check(c, given, arena_printf(c->tx.arena, "/attachments/%d/blocks", at),
                                  SL_MESSAGE_BLOCKS, &made)
                : 1;
    json_obj(w, NULL);
    json_int(w, "id", at + 1);
    for (uint32_t i = 0; i < v->n; i++) {
        const char *key = v->members[i].key;
        if (strcmp(key, "id") == 0 || strcmp(key, "fallback") == 0)
            continue;
        if (given == &v->members[i].value && made)
            json_raw(w, "blocks", made, strlen(made));
        else
            json_value(w, key, &v->members[i].value);
    }
    json_str(w, "fallback", fallback_of(v));
    json_end(w);
    return r;
}

int sl_attachments_arg(struct call *c, const char **ret)
{
    const struct json *list;
    struct buf b;
    struct json_writer w;
    int r = slack_json_arg(c, "attachments", &list), good = 1;
    *ret = NULL;
    if (r <= 0)
        return r < 0 ? slack_fail(c, "invalid_attachments") : 0;
    if (list->type != JSON_ARRAY)
        return slack_fail(c, "invalid_attachments");
    if (list->n > 100)
        return slack_fail(c, "too_many_attachments");
    buf_init(&b, 8 << 20);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (uint32_t i = 0; good == 1 && i < list->n; i++) {
        if (list->items[i].type != JSON_OBJECT) {
            slack_message(c, NULL, "invalid_keys");
            good = 0;
        } else {
            good = write_attachment(c, &w, &list->items[i], (int)i);
        }
    }
    json_end(&w);
    if (good == 1 && buf_failed(&b)) /* beyond what a message can keep */
        good = 0;
    if (good == 1 && list->n)
        *ret = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    return good == 1 ? 1 : good < 0 ? -1 : slack_fail(c, "invalid_attachments");
}
