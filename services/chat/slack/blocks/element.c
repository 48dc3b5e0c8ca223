/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of docs.slack.dev's Block Kit reference, with the members that say their values in
 * payloads and states. */
#include "services/chat/slack/blocks/element.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <stdio.h>

enum element_form {
    F_PRESS,
    F_OPTION,
    F_USER,
    F_CHANNEL,
    F_DATE,
    F_CLOCK,
    F_INT,
    F_TEXT,
    F_RICH,
    F_FILE
};

static const struct kind {
    const char *type, *member, *initial; /* member NULL: it has no value */
    enum element_form form;
    bool many;
    bool keeps;
} kinds[] = {
    {"button", NULL, NULL, F_PRESS, false, false},
    {"icon_button", NULL, NULL, F_PRESS, false, false},
    {"feedback_buttons", NULL, NULL, F_PRESS, false, false},
    {"overflow", "selected_option", NULL, F_OPTION, false, false},
    {"static_select", "selected_option", "initial_option", F_OPTION, false, true},
    {"multi_static_select", "selected_options", "initial_options", F_OPTION, true, true},
    {"external_select", "selected_option", "initial_option", F_OPTION, false, true},
    {"multi_external_select", "selected_options", "initial_options", F_OPTION, true, true},
    {"radio_buttons", "selected_option", "initial_option", F_OPTION, false, true},
    {"checkboxes", "selected_options", "initial_options", F_OPTION, true, true},
    {"users_select", "selected_user", "initial_user", F_USER, false, true},
    {"multi_users_select", "selected_users", "initial_users", F_USER, true, true},
    {"conversations_select", "selected_conversation", "initial_conversation", F_CHANNEL, false,
     true},
    {"multi_conversations_select", "selected_conversations", "initial_conversations", F_CHANNEL,
     true, true},
    {"channels_select", "selected_channel", "initial_channel", F_CHANNEL, false, true},
    {"multi_channels_select", "selected_channels", "initial_channels", F_CHANNEL, true, true},
    {"datepicker", "selected_date", "initial_date", F_DATE, false, true},
    {"timepicker", "selected_time", "initial_time", F_CLOCK, false, true},
    {"datetimepicker", "selected_date_time", "initial_date_time", F_INT, false, true},
    {"plain_text_input", "value", "initial_value", F_TEXT, false, true},
    {"email_text_input", "value", "initial_value", F_TEXT, false, true},
    {"url_text_input", "value", "initial_value", F_TEXT, false, true},
    {"number_input", "value", "initial_value", F_TEXT, false, true},
    {"rich_text_input", "rich_text_value", "initial_value", F_RICH, false, true},
    {"file_input", "files", NULL, F_FILE, true, true},
};

static const struct kind *kind_of(const char *type)
{
    for (size_t i = 0; type && i < SOSIA_LEN(kinds); i++)
        if (strcmp(kinds[i].type, type) == 0)
            return &kinds[i];
    return NULL;
}

bool sl_element_keeps(const struct sl_element *e)
{
    const struct kind *k = kind_of(e->type);
    return k && k->keeps;
}

bool sl_element_is_pressed(const struct sl_element *e)
{
    const struct kind *k = kind_of(e->type);
    return k && k->form == F_PRESS;
}

bool sl_element_is_typed(const struct sl_element *e)
{
    const struct kind *k = kind_of(e->type);
    return k && (k->form == F_TEXT || k->form == F_RICH);
}

const char *sl_element_begins(const struct sl_element *e)
{
    const struct kind *k = kind_of(e->type);
    return k ? k->initial : NULL;
}

/* ---- where they are ---- */

#define MAX_INSIDE 4 /* blocks in blocks */

/* Where blocks of a type have elements, or blocks: cards in carousels, anything in containers. */
static const struct place {
    const char *type, *member;
    bool blocks;
} places[] = {{"actions", "elements", false},
              {"context_actions", "elements", false},
              {"card", "actions", false},
              {"carousel", "elements", true},
              {"container", "child_blocks", true}};

static const struct place *elements_of(const char *type)
{
    for (size_t i = 0; i < SOSIA_LEN(places); i++)
        if (strcmp(places[i].type, type) == 0)
            return &places[i];
    return NULL;
}

/* The n-th button of a table's cells; ret_there: as many as there are until then. */
static const struct json *nth_of_cells(const struct json *rows, uint32_t n, uint32_t *ret_there)
{
    const struct json *button;
    *ret_there = 0;
    for (uint32_t i = 0; rows && rows->type == JSON_ARRAY && i < rows->n; i++)
        for (uint32_t k = 0; rows->items[i].type == JSON_ARRAY && k < rows->items[i].n; k++)
            if ((button = json_get(&rows->items[i].items[k], "element")) && (*ret_there)++ == n)
                return button;
    return NULL;
}

/* The n-th of a block and of those in it; false: there are no more, and *n is less by those that
 * there are. around: the id of the block that it is in, which those without one have (concluded);
 * NULL: it is in none. */
static bool nth(const struct json *block, const char *around, uint32_t *n, int depth,
                struct sl_element *ret)
{
    const char *type = json_get_str(block, "type"), *id = json_get_str(block, "block_id");
    const struct place *place = type ? elements_of(type) : NULL;
    const struct json *list = place ? json_get(block, place->member) : NULL, *one = NULL;
    if (!type || depth == MAX_INSIDE || (list && list->type != JSON_ARRAY))
        return false;
    id = id ? id : around;
    for (uint32_t i = 0; list && place->blocks && i < list->n; i++)
        if (nth(&list->items[i], id, n, depth + 1, ret))
            return true;
    bool input = strcmp(type, "input") == 0;
    uint32_t there = 0;
    if (strcmp(type, "data_table") == 0)
        one = nth_of_cells(json_get(block, "rows"), *n, &there);
    else if (!place && (one = json_get(block, input ? "element" : "accessory")))
        there = 1;
    else if (list && !place->blocks && (there = list->n) > *n)
        one = &list->items[*n];
    if (*n >= there) {
        *n -= there;
        return false;
    }
    *ret = (struct sl_element){.block = block,
                               .element = one,
                               .block_id = id,
                               .action_id = json_get_str(one, "action_id"),
                               .type = json_get_str(one, "type"),
                               .input = input};
    return true;
}

static bool element_at(const struct json *block, uint32_t n, struct sl_element *ret)
{
    return nth(block, NULL, &n, 0, ret);
}

bool sl_element_find(const struct json *blocks, const char *block_id, const char *action_id,
                     struct sl_element *ret)
{
    for (uint32_t i = 0; blocks && blocks->type == JSON_ARRAY && i < blocks->n; i++)
        for (uint32_t k = 0; element_at(&blocks->items[i], k, ret); k++)
            if (ret->block_id && ret->action_id && kind_of(ret->type) &&
                (!block_id || strcmp(block_id, ret->block_id) == 0) &&
                (!action_id || strcmp(action_id, ret->action_id) == 0))
                return true;
    return false;
}

int sl_elements(const struct json *blocks, int (*fn)(void *arg, const struct sl_element *e),
                void *arg)
{
    struct sl_element e;
    for (uint32_t i = 0; blocks && blocks->type == JSON_ARRAY && i < blocks->n; i++)
        for (uint32_t k = 0; element_at(&blocks->items[i], k, &e); k++)
            if (e.block_id && e.action_id && sl_element_keeps(&e) && fn(arg, &e) < 0)
                return -1;
    return 0;
}

/* ---- values ---- */

static int refuse_value(struct call *c, const struct sl_element *e, const char *expected)
{
    return slack_invalid_arguments(c, arena_printf(c->tx.arena, "/%.255s", e->action_id),
                                   "%s must be given %s", e->type ? e->type : "it", expected);
}

static const struct json *option_in(const struct json *of, const char *value)
{
    const struct json *options = json_get(of, "options"), *groups = json_get(of, "option_groups");
    const struct json *found;
    const char *known;
    for (uint32_t i = 0; options && options->type == JSON_ARRAY && i < options->n; i++)
        if ((known = json_get_str(&options->items[i], "value")) && strcmp(known, value) == 0)
            return &options->items[i];
    for (uint32_t i = 0; groups && groups->type == JSON_ARRAY && i < groups->n; i++)
        if ((found = option_in(&groups->items[i], value)))
            return found;
    return NULL;
}

/* By its value. Those of an external source are whatever it gave. */
static int write_option(struct call *c, struct json_writer *w, const char *key,
                        const struct sl_element *e, const struct json *given)
{
    const char *value = given->type == JSON_STRING ? given->str : json_get_str(given, "value");
    const struct json *text = json_get(given, "text");
    const struct json *known = value ? option_in(e->element, value) : NULL;
    if (known) {
        json_value(w, key, known);
        return 0;
    }
    if (!value || json_get(e->element, "options") || json_get(e->element, "option_groups"))
        return refuse_value(c, e, "the value of one of its options");
    json_obj(w, key);
    if (text && text->type == JSON_OBJECT) {
        json_value(w, "text", text);
    } else {
        json_obj(w, "text");
        json_str(w, "type", "plain_text");
        json_str(w, "text", value);
        json_bool(w, "emoji", true);
        json_end(w);
    }
    json_str(w, "value", value);
    json_end(w);
    return 0;
}

static int write_somebody(struct call *c, struct json_writer *w, const char *key,
                          const struct sl_element *e, const char *name)
{
    struct chat_user u;
    int r = name ? sl_user_find(c, name, &u) : 0;
    if (!r && name)
        r = chat_user_by_name(&c->tx, sl_me(c)->workspace.id, name + (*name == '@'), &u);
    if (r != 1)
        return r < 0 ? -1 : refuse_value(c, e, "somebody of the workspace");
    json_str(w, key, u.key);
    return 0;
}

static int write_conversation(struct call *c, struct json_writer *w, const char *key,
                              const struct sl_element *e, const char *name)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    int r = name ? chat_channel_find(&c->tx, me->workspace.id, name, &ch) : 0;
    if (!r && name)
        r = chat_channel_by_name(&c->tx, me->workspace.id, name + (*name == '#'), &ch);
    if (r == 1)
        r = chat_can_see(&c->tx, &ch, &me->user);
    if (r != 1)
        return r < 0 ? -1 : refuse_value(c, e, "a conversation that one may see");
    json_str(w, key, ch.key);
    return 0;
}

static int write_file(struct call *c, struct json_writer *w, const char *key,
                      const struct sl_element *e, const char *id)
{
    struct chat_file f;
    int r = id ? chat_file_find(&c->tx, sl_me(c)->workspace.id, id, &f) : 0;
    if (r == 1)
        r = chat_can_see_file(&c->tx, &f, &sl_me(c)->user);
    if (r != 1)
        return r < 0 ? -1 : refuse_value(c, e, "the id of a file");
    json_obj(w, key);
    json_str(w, "id", f.key);
    json_int(w, "created", f.created_s);
    json_str(w, "name", f.name);
    json_str(w, "title", f.title);
    json_str(w, "mimetype", f.mimetype);
    json_str(w, "filetype", f.filetype);
    json_str(w, "user", sl_user_key(c, f.user));
    json_int(w, "size", f.size);
    json_end(w);
    return 0;
}

/* A rich_text block, or a text that becomes one. */
static int write_rich(struct call *c, struct json_writer *w, const char *key,
                      const struct sl_element *e, const struct json *given)
{
    const struct json *made;
    if (given->type == JSON_OBJECT) {
        json_value(w, key, given);
        return 0;
    }
    if (given->type != JSON_STRING)
        return refuse_value(c, e, "a text or a rich_text block");
    const char *blocks = sl_text_blocks(c, sl_text_stored(c, given->str, false), 0);
    if (!blocks || json_parse(c->tx.arena, blocks, strlen(blocks), NULL, &made, c->tx.err) < 0)
        return -1;
    if (made->n)
        json_value(w, key, &made->items[0]);
    else
        json_null(w, key);
    return 0;
}

static bool is_time_of_day(const char *text)
{
    return strlen(text) == 5 && text[2] == ':' && strspn(text, "0123456789:") == 5 &&
           (text[0] - '0') * 10 + text[1] - '0' < 24 && text[3] < '6';
}

static int write_scalar(struct call *c, struct json_writer *w, const char *key,
                        const struct sl_element *e, enum element_form form, const struct json *v)
{
    const char *text = v->type == JSON_STRING ? v->str : NULL;
    int64_t n;
    switch (form) {
    case F_USER:
        return write_somebody(c, w, key, e, text);
    case F_CHANNEL:
        return write_conversation(c, w, key, e, text);
    case F_FILE:
        return write_file(c, w, key, e, text);
    case F_OPTION:
        return write_option(c, w, key, e, v);
    case F_RICH:
        return write_rich(c, w, key, e, v);
    case F_INT:
        if (json_i64(v, &n) < 0)
            return refuse_value(c, e, "seconds since 1970");
        json_int(w, key, n);
        return 0;
    case F_DATE:
        if (!text || date_parse(text, strlen(text), &n) < 0)
            return refuse_value(c, e, "a date as 2026-02-15");
        break;
    case F_CLOCK:
        if (!text || !is_time_of_day(text))
            return refuse_value(c, e, "a time as 20:05");
        break;
    default:
        if (v->type == JSON_NUMBER)
            text = v->str;
        if (!text)
            return refuse_value(c, e, "a text");
    }
    json_str(w, key, text);
    return 0;
}

int sl_element_value(struct call *c, struct json_writer *w, const struct sl_element *e,
                     const struct json *given)
{
    const struct kind *k = kind_of(e->type);
    if (!k || !k->member)
        return 0;
    if (!given || given->type == JSON_NULL) {
        sl_element_initial(w, &(struct sl_element){.type = e->type});
        return 0;
    }
    if (!k->many)
        return write_scalar(c, w, k->member, e, k->form, given);
    if (given->type != JSON_ARRAY)
        return refuse_value(c, e, "a list");
    json_arr(w, k->member);
    for (uint32_t i = 0; i < given->n; i++)
        if (write_scalar(c, w, NULL, e, k->form, &given->items[i]) < 0)
            return -1;
    json_end(w);
    return 0;
}

void sl_element_initial(struct json_writer *w, const struct sl_element *e)
{
    const struct kind *k = kind_of(e->type);
    const struct json *v = k && k->initial ? json_get(e->element, k->initial) : NULL;
    if (!k || !k->member)
        return;
    if (v) {
        json_value(w, k->member, v);
    } else if (k->many) {
        json_arr(w, k->member);
        json_end(w);
    } else {
        json_null(w, k->member);
    }
}

/* ---- faults of what was filled in ---- */

static bool is_number(const char *text, bool decimal)
{
    text += *text == '-' || *text == '+';
    size_t n = strspn(text, "0123456789");
    if (decimal && text[n] == '.')
        return n + strspn(text + n + 1, "0123456789") > 0 &&
               !text[n + 1 + strspn(text + n + 1, "0123456789")];
    return n && !text[n];
}

static const char *text_fault(struct call *c, const struct sl_element *e, const char *text)
{
    const struct json *decimal = json_get(e->element, "is_decimal_allowed");
    const char *at = strchr(text, '@');
    int64_t n, length = (int64_t)sl_characters(text);
    if (strcmp(e->type, "email_text_input") == 0 && (!at || at == text || !strchr(at + 1, '.')))
        return "Please enter a valid email address.";
    if (strcmp(e->type, "url_text_input") == 0 && !str_starts(text, "http://") &&
        !str_starts(text, "https://"))
        return "Please enter a valid URL.";
    if (strcmp(e->type, "number_input") == 0 && !is_number(text, decimal && decimal->truth))
        return "Please enter a valid number.";
    if (json_i64(json_get(e->element, "min_length"), &n) == 0 && length < n)
        return arena_printf(c->tx.arena, "Please enter at least %lld characters.", (long long)n);
    if (json_i64(json_get(e->element, "max_length"), &n) == 0 && length > n)
        return arena_printf(c->tx.arena, "Please enter no more than %lld characters.",
                            (long long)n);
    return NULL;
}

const char *sl_element_fault(struct call *c, const struct sl_element *e, const struct json *value)
{
    const struct kind *k = kind_of(e->type);
    const struct json *v = k && k->member ? json_get(value, k->member) : NULL;
    const struct json *optional = json_get(e->block, "optional");
    bool empty = !v || v->type == JSON_NULL || (v->type == JSON_STRING && !v->n) ||
                 (v->type == JSON_ARRAY && !v->n);
    if (!e->input)
        return NULL;
    if (empty)
        return optional && optional->truth ? NULL : "Please complete this required field.";
    return k->form == F_TEXT && v->type == JSON_STRING ? text_fault(c, e, v->str) : NULL;
}

/* ---- states ---- */

struct stating {
    struct call *c;
    struct json_writer *w;
    const struct json *filled, *given;
    const char *block; /* the one that is open; NULL: none */
    uint32_t used;     /* of given */
};

static const struct json *given_for(struct stating *s, const struct sl_element *e)
{
    const struct json *block = json_get(s->given, e->block_id);
    const struct json *v =
        block && block->type == JSON_OBJECT ? json_get(block, e->action_id) : NULL;
    if (v)
        return v;
    if ((v = json_get(s->given, e->action_id)))
        return v;
    return block && (block->type != JSON_OBJECT || e->input) ? block : NULL;
}

static int write_state(void *arg, const struct sl_element *e)
{
    struct stating *s = arg;
    const struct json *v = s->given ? given_for(s, e) : NULL;
    const struct json *there = json_get(json_get(s->filled, e->block_id), e->action_id);
    if (!s->block || strcmp(s->block, e->block_id) != 0) {
        if (s->block)
            json_end(s->w);
        json_obj(s->w, e->block_id);
        s->block = e->block_id;
    }
    if (!v && there) {
        json_value(s->w, e->action_id, there);
        return 0;
    }
    json_obj(s->w, e->action_id);
    json_str(s->w, "type", e->type);
    if (v)
        s->used++;
    if (v && sl_element_value(s->c, s->w, e, v) < 0)
        return -1;
    if (!v)
        sl_element_initial(s->w, e);
    json_end(s->w);
    return 0;
}

const char *sl_state(struct call *c, const struct json *blocks, const struct json *filled,
                     const struct json *given)
{
    struct buf b;
    struct json_writer w;
    struct stating s = {.c = c, .w = &w, .filled = filled, .given = given};
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    int rc = sl_elements(blocks, write_state, &s);
    if (s.block)
        json_end(&w);
    json_end(&w);
    if (rc == 0 && given && s.used < given->n)
        rc = slack_invalid_arguments(c, "/values",
                                     "each must be the value of an element of the "
                                     "view, by its action_id or block_id");
    if (rc == 0 && buf_failed(&b))
        rc = sosia_fail_memory(c->tx.err);
    const char *text = rc == 0 ? arena_memdup(c->tx.arena, buf_str(&b), b.len) : NULL;
    buf_done(&b);
    return text;
}
