/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks are held against the tables of blocks_shapes.c; what the service adds to them is added on
 * the way. What is said of a fault that hides others follows refusals that the service's clients
 * have reported.
 */
#include "engine/base/codec.h"
#include "services/chat/slack/blocks/blocks_impl.h"
#include "services/chat/slack/fault.h"
#include <ctype.h>
#include <stdio.h>

#define MAX_CHARTS  2   /* of a message */
#define MAX_POINTER 199 /* bytes of where something is wrong */

struct walk {
    struct call *c;
    const char *from; /* the place of what is looked at */
    enum sl_surface surface;
    bool bad, failed;
    const struct json *list;             /* the blocks; NULL: they are not such a list */
    const char *ids[SL_VIEW_BLOCKS + 1]; /* of blocks so far */
    size_t n_ids;
    unsigned focused; /* elements that want the focus */
};

static const struct body_rules block_rules;

#define WRONG(k, at, ...)                                                                          \
    do {                                                                                           \
        slack_message((k)->c, sl_pointer((k)->c->tx.arena, (k)->from, at, MAX_POINTER),            \
                      __VA_ARGS__);                                                                \
        (k)->bad = true;                                                                           \
    } while (0)

/* Of a member of what is there. */
#define WRONG_BELOW(k, at, member, ...)                                                            \
    do {                                                                                           \
        const struct body_place below_ = {.up = (at), .name = (member)};                           \
        WRONG(k, &below_, __VA_ARGS__);                                                            \
    } while (0)

/* ---- simple values ---- */

static bool is_clock(const char *text)
{
    int hour, minute, end = 0;
    return sscanf(text, "%2d:%2d%n", &hour, &minute, &end) == 2 && end == 5 && !text[5] &&
           hour < 24 && minute < 60 && strspn(text, "0123456789:") == 5;
}

static bool is_picture_address(const char *text)
{
    return (str_starts(text, "https://") || str_starts(text, "http://")) &&
           isalnum((unsigned char)strstr(text, "://")[3]);
}

/* Is the text of the field's format, of those that only blocks have? */
static bool is_sound(const struct field *f, const char *text)
{
    const char *format = f->format ? f->format : "";
    if (strcmp(format, "picture") == 0)
        return is_picture_address(text);
    return strcmp(format, "clock") != 0 || is_clock(text);
}

static enum body_fault check_scalar(struct call *c, const struct field *f, struct json *v)
{
    if (*f->type == 'n')
        return v->type == JSON_NUMBER ? BODY_SOUND : BODY_TYPE;
    enum body_fault fault = body_scalar(c, f, v);
    return fault || *f->type != 's' || is_sound(f, v->str) ? fault : BODY_FORMAT;
}

static bool may_be(const struct field *f, const struct schema *s, void *arg)
{
    const struct walk *k = arg;
    unsigned only = s->mark >> 16, place = f->mark & SL_PLACES;
    return (!only || only & (unsigned)k->surface) && (!place || s->mark & place);
}

/* ---- what is wrong ---- */

/* What is wrong from line `at` on has made a whole schema not fit, which is said before it. */
static void note_schema(struct walk *k, const struct body_place *place, size_t at)
{
    struct slack_call *s = slack_of(k->c);
    size_t n = s->n_messages;
    WRONG(k, place, "failed to match all allowed schemas");
    if (s->n_messages == n)
        return; /* no room for another line */
    const char *line = s->messages[n];
    memmove(s->messages + at + 1, s->messages + at, (n - at) * sizeof *s->messages);
    memmove(s->expected + at + 1, s->expected + at, (n - at) * sizeof *s->expected);
    s->messages[at] = line;
    s->expected[at] = NULL;
}

/* What would have been right where the last line says what is wrong: the values of a closed set, or
 * the types that may be in the place. */
static void note_expected(struct walk *k, const struct field *f)
{
    struct slack_call *s = slack_of(k->c);
    struct json_writer w;
    struct buf b;
    if (!s->n_messages || s->n_messages == SOSIA_LEN(s->messages))
        return; /* maybe there was no room for the line */
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (size_t i = 0; f->values && f->values[i]; i++)
        json_str(&w, NULL, f->values[i]);
    for (const struct schema *type = f->types; type && type->name; type++)
        if (may_be(f, type, k))
            json_str(&w, NULL, type->name);
    json_end(&w);
    s->expected[s->n_messages - 1] = arena_strdup(k->c->tx.arena, buf_str(&b));
    buf_done(&b);
}

static enum body_verdict note_fault(struct call *c, const struct body_report *r)
{
    const struct field *f = r->field;
    const struct body_place *at;
    struct walk *k = r->arg;
    const char *words = sl_fault_words(c->tx.arena, r, &at);
    if (r->fault == BODY_WORD && f->types == sl_list_items &&
        strcmp(r->value->str, "rich_text_list") == 0) {
        WRONG(k, r->at->up,
              "invalid additional property: style"); /* read as an item, without one */
        return BODY_LEAVE;
    }
    WRONG(k, at, "%s", words);
    if (r->fault == BODY_WORD)
        note_expected(k, f);
    if (r->fault == BODY_LONG && !is_sound(f, r->value->str))
        WRONG(k, at, "%s", f->text);
    return BODY_LEAVE;
}

/* ---- what the service adds ---- */

static void add_member(struct walk *k, struct json *v, const char *key, struct json value)
{
    struct json_member *members = arena_alloc(k->c->tx.arena, ((size_t)v->n + 1) * sizeof *members);
    if (arena_failed(k->c->tx.arena))
        return;
    if (v->n)
        memcpy(members, v->members, v->n * sizeof *members);
    members[v->n] =
        (struct json_member){.key = key, .key_len = (uint32_t)strlen(key), .value = value};
    v->members = members;
    v->n++;
}

static struct json text_value(const char *text)
{
    text = text ? text : "";
    return (struct json){.type = JSON_STRING, .n = (uint32_t)strlen(text), .str = text};
}

/* ---- text objects ---- */

enum texts { TEXT_PLAIN, TEXT_LABEL, TEXT_EITHER, TEXT_PART };

static void check_text_parts(struct walk *k, struct json *v, const struct body_place *at,
                             int64_t max, bool plain)
{
    const struct field fields[] = {
        {"type", "any"},
        {"text", "string", .characters = true, .min = 1, .max = max},
        {plain ? "emoji" : "verbatim", "boolean"},
    };
    const struct schema s = {.fields = fields, .n_fields = SOSIA_LEN(fields)};
    body_check(k->c, &s, v, &block_rules, at, k);
}

static void check_text_object(struct walk *k, struct json *v, const struct body_place *at,
                              int64_t max, enum texts which)
{
    static const char *const types[] = {"plain_text", "mrkdwn", NULL};
    static const char *const plain_types[] = {"plain_text", NULL};
    static const struct field text_type = {.values = types};
    static const struct field plain_type = {.values = plain_types};
    const struct json *type = json_get(v, "type");
    size_t line = slack_of(k->c)->n_messages;
    bool plain = false, plain_alone = which == TEXT_PLAIN || which == TEXT_LABEL;
    if (v->type != JSON_OBJECT) {
        WRONG(k, at, "must provide an object");
        if (which == TEXT_EITHER)
            WRONG(k, at, "must provide an object"); /* neither schema fits */
    } else if (!type || !json_get(v, "text")) {
        if (!type)
            WRONG(k, at, "missing required field: type");
        if (!json_get(v, "text"))
            WRONG(k, at, "missing required field: text");
    } else if (type->type != JSON_STRING) {
        WRONG_BELOW(k, at, "type", "must provide a string");
        return;
    } else if (!(plain = strcmp(type->str, "plain_text") == 0) &&
               (plain_alone || strcmp(type->str, "mrkdwn") != 0)) {
        if (plain_alone)
            WRONG_BELOW(k, at, "type", "must be a valid enum value");
        else
            WRONG_BELOW(k, at, "type", "unsupported type: %.60s", type->str);
        note_expected(k, plain_alone ? &plain_type : &text_type);
        return;
    } else {
        check_text_parts(k, v, at, max, plain);
        if (which == TEXT_LABEL && slack_of(k->c)->n_messages > line)
            note_schema(k, at, line);
    }
    if (which == TEXT_EITHER && slack_of(k->c)->n_messages > line)
        note_schema(k, at, line);
}

/* With the members that the service adds. */
static void walk_text(struct walk *k, struct json *v, const struct body_place *at, int64_t max,
                      enum texts which)
{
    const char *type = json_get_str(v, "type");
    bool plain = type && strcmp(type, "plain_text") == 0;
    check_text_object(k, v, at, max, which);
    const char *flag = plain ? "emoji" : "verbatim";
    if (v->type == JSON_OBJECT && !json_get(v, flag))
        add_member(k, v, flag, (struct json){.type = JSON_BOOL, .truth = plain});
}

static bool is_part(const struct json *v)
{
    const char *type = json_get_str(v, "type");
    return type && (strcmp(type, "mrkdwn") == 0 || strcmp(type, "plain_text") == 0);
}

/* ---- objects ---- */

/* Where the walk is at an item of a list within the blocks. */
static bool is_item(const struct walk *k, const struct body_place *at)
{
    return at && !at->name && at->of != k->list;
}

/* An id that an item before it has as well. */
static void check_again(struct walk *k, const struct field *f, const struct body_place *at)
{
    const char *name = (f->mark & SL_KINDS) == SL_TASKS ? "task_id" : "action_id";
    const struct json *list = at->of;
    const char *id = json_get_str(&list->items[at->index], name), *other;
    for (uint32_t i = 0; id && i < at->index; i++)
        if ((other = json_get_str(&list->items[i], name)) && strcmp(other, id) == 0) {
            WRONG_BELOW(k, at, name, "`%s` \"%.60s\" already exists", name, id);
            return;
        }
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

static void check_chosen(struct walk *k, const struct json *v, const struct json *of,
                         const struct body_place *at)
{
    const char *value = json_get_str(v, "value");
    if (value && (json_get(of, "options") || json_get(of, "option_groups")) && !offered(of, value))
        WRONG(k, at, "must match one of the options");
}

static void check_choices(struct walk *k, const struct json *v, const struct body_place *at)
{
    for (uint32_t i = 0; !k->bad && i < v->n; i++) {
        const struct body_place item = {.up = at, .index = i};
        check_chosen(k, &v->items[i], at->of, &item);
    }
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

/* Is it there, and may the caller see it? v: {"id"} or {"url"}; at: its place. */
static void check_hosted(struct walk *k, const struct json *v, const struct body_place *at)
{
    const struct sl_caller *me = sl_me(k->c);
    const char *id = json_get_str(v, "id"), *url = json_get_str(v, "url");
    struct chat_file f;
    if (!id && url && !is_picture_address(url)) {
        WRONG_BELOW(k, at->up, "slack_file.url", "invalid_url");
        return;
    }
    const char *key = id ? id : url ? file_of_address(k, url) : NULL;
    int r = key ? chat_file_find(&k->c->tx, me->workspace.id, key, &f) : 0;
    if (r == 1)
        r = f.state == CHAT_FILE_THERE ? chat_can_see_file(&k->c->tx, &f, &me->user) : 0;
    if (r < 0)
        k->failed = true;
    if (r != 1) {
        const struct body_place place = {.up = at->up,
                                         .name = id ? "slack_file.id" : "slack_file.url"};
        WRONG_BELOW(k, &place, at->name, "invalid slack file");
    }
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

static void check_block_id(struct walk *k, const struct body_place *at, const char *id)
{
    for (size_t i = 0; i < k->n_ids; i++)
        if (strcmp(k->ids[i], id) == 0) {
            WRONG_BELOW(k, at, "block_id", "`block_id` \"%.60s\" already exists", id);
            break;
        }
    if (k->n_ids < SOSIA_LEN(k->ids))
        k->ids[k->n_ids++] = id;
}

/* Of a block the type and the id come first. */
static void begin_object(struct call *c, const struct body_report *r)
{
    struct walk *k = r->arg;
    const struct json *v = r->value, *id = json_get(v, "block_id");
    if (!r->at || r->at->of != k->list)
        return;
    struct json first = {.type = JSON_OBJECT};
    add_member(k, &first, "type", text_value(r->schema->name));
    if (!id)
        add_member(k, &first, "block_id", text_value(new_block_id(k)));
    else if (id->type == JSON_STRING)
        check_block_id(k, r->at, id->str);
    struct json_member *members = arena_alloc(c->tx.arena, ((size_t)v->n + 2) * sizeof *members);
    if (arena_failed(c->tx.arena))
        return;
    memcpy(members, first.members, first.n * sizeof *members);
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(v->members[i].key, "type") != 0)
            members[first.n++] = v->members[i];
    first.members = members;
    *(struct json *)(uintptr_t)v = first;
}

static const struct field *field_named(const struct schema *s, const char *name)
{
    for (size_t i = 0; i < s->n_fields; i++)
        if (strcmp(s->fields[i].name, name) == 0)
            return &s->fields[i];
    return NULL;
}

static void fill(struct walk *k, const struct schema *s, struct json *v,
                 const struct body_place *at)
{
    const struct json *def;
    if (field_named(s, "action_id") && !json_get(v, "action_id"))
        add_member(k, v, "action_id", text_value(sl_block_id(&k->c->tx)));
    if (k->surface == SL_MESSAGE)
        return;
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct field *f = &s->fields[i];
        if (f->def && !json_get(v, f->name) &&
            json_parse(k->c->tx.arena, f->def, strlen(f->def), NULL, &def, k->c->tx.err) == 0)
            add_member(k, v, f->name, *def);
    }
    if (json_get_true(v, "focus_on_load") && k->focused++)
        WRONG_BELOW(k, at, "focus_on_load", "only one element can have it");
}

static void end_object(struct call *c, const struct body_report *r)
{
    struct walk *k = r->arg;
    struct json *v = (struct json *)(uintptr_t)r->value;
    unsigned kind = r->field->mark & SL_KINDS;
    (void)c;
    if (v->type == JSON_ARRAY) {
        if (kind == SL_CHOICE)
            check_choices(k, v, r->at);
        return;
    }
    if (r->fault == BODY_SOUND && r->schema)
        fill(k, r->schema, v, r->at);
    if (is_item(k, r->at))
        check_again(k, r->field, r->at);
    else if (kind == SL_HOSTED && !k->bad)
        check_hosted(k, v, r->at);
    else if (kind == SL_CHOICE)
        check_chosen(k, v, r->at->of, r->at);
}

static void check_charts(struct walk *k, const struct json *list)
{
    int n = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const char *type = json_get_str(&list->items[i], "type");
        n += type && strcmp(type, "data_visualization") == 0;
    }
    if (n > MAX_CHARTS) {
        slack_message(k->c, NULL, "too many data_visualization blocks");
        k->bad = true;
    }
}

static void walk_blocks(struct walk *k, const struct json *list, const struct field *shape,
                        const struct body_place *at)
{
    bool before = k->bad;
    k->list = list;
    k->bad = false;
    body_check_value(k->c, shape, (struct json *)(uintptr_t)list, &block_rules, at, k);
    if (list->type == JSON_ARRAY && list->n <= shape->most)
        check_charts(k, list);
    k->bad |= before;
}

static bool look_at(struct call *c, const struct field *f, struct json *v,
                    const struct body_place *at, void *arg)
{
    static const enum texts which[] = {
        [SL_TEXT] = TEXT_EITHER, [SL_PLAIN] = TEXT_PLAIN, [SL_LABEL] = TEXT_LABEL};
    struct walk *k = arg;
    unsigned kind = f->mark & SL_KINDS;
    (void)c;
    if (kind == SL_BLOCKS)
        walk_blocks(k, v, f->fields, at);
    else if (kind == SL_PARTS && is_part(v))
        walk_text(k, v, at, 3000, TEXT_PART);
    else if (kind == SL_TEXT || kind == SL_PLAIN || kind == SL_LABEL)
        walk_text(k, v, at, f->max, which[kind]);
    else
        return false;
    if (is_item(k, at))
        check_again(k, f, at);
    return true;
}

#define RULES                                                                                      \
    .scalar = check_scalar, .fault = note_fault, .own = look_at, .fits = may_be,                   \
    .before = begin_object, .after = end_object, .closed = true
static const struct body_rules block_rules = {RULES, .order = BODY_MISSING_FIRST, .nulls = true};
static const struct body_rules view_rules = {RULES};

static struct walk *new_walk(struct call *c, const char *from, enum sl_surface surface)
{
    struct walk *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    *k = (struct walk){.c = c, .from = from, .surface = surface};
    return k;
}

int sl_blocks_check(struct call *c, const struct json *list, const char *pointer,
                    const struct field *shape, const char **ret)
{
    struct walk *k = new_walk(c, pointer, SL_MESSAGE);
    *ret = NULL;
    walk_blocks(k, list, shape, NULL);
    if (k->failed || k->bad)
        return k->failed ? -1 : 0;
    if (list->n)
        *ret = json_to_text(c->tx.arena, list);
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 1;
}

const struct schema *sl_view_schema(const struct field *shape, const char *type)
{
    const struct schema *s = shape->types;
    while (s->name && strcmp(s->name, type) != 0)
        s++;
    return s->name ? s : NULL;
}

int sl_view_members_check(struct call *c, const struct json *view, const struct schema *schema)
{
    enum sl_surface surface = strcmp(schema->name, "home") == 0 ? SL_HOME : SL_MODAL;
    struct walk *k = new_walk(c, "/view", surface);
    body_check(c, schema, view, &view_rules, NULL, k);
    return k->failed ? -1 : !k->bad;
}
