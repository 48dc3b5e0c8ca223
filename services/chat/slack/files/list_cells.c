/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of lists, and what may be in their cells. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/blocks/blocks.h"
#include "services/chat/slack/files/lists.h"
#include <stdio.h>

/* ---- columns ---- */

static const struct sl_column_type types[] = {
    {"text", "rich_text", 10, SL_CELL_TEXT},
    {"rich_text", "rich_text", 10, SL_CELL_TEXT},
    {"message", "message", 10, SL_CELL_MESSAGE},
    {"number", "number", 1, SL_CELL_NUMBER},
    {"select", "select", 1, SL_CELL_SELECT},
    {"multi_select", "select", 100, SL_CELL_SELECT},
    {"date", "date", 1, SL_CELL_DATE},
    {"user", "user", 100, SL_CELL_USER},
    {"attachment", "attachment", 10, SL_CELL_FILE},
    {"checkbox", "checkbox", 1, SL_CELL_BOOL},
    {"email", "email", 1, SL_CELL_EMAIL},
    {"phone", "phone", 1, SL_CELL_PHONE},
    {"channel", "channel", 10, SL_CELL_CHANNEL},
    {"rating", "rating", 1, SL_CELL_RATING},
    {"vote", "vote", 100, SL_CELL_USER},
    {"assignee", "user", 100, SL_CELL_USER},
    {"due_date", "date", 1, SL_CELL_DATE},
    {"completed", "checkbox", 1, SL_CELL_BOOL},
    {"todo_assignee", "user", 100, SL_CELL_USER},
    {"todo_due_date", "date", 1, SL_CELL_DATE},
    {"todo_completed", "checkbox", 1, SL_CELL_BOOL},
    {"canvas", "canvas", 10, SL_CELL_FILE},
    {"link", "link", 10, SL_CELL_LINK},
    {"reference", "reference", 10, SL_CELL_OTHER},
    {"created_by", NULL, 0, SL_CELL_OTHER},
    {"created_time", NULL, 0, SL_CELL_OTHER},
    {"last_edited_by", NULL, 0, SL_CELL_OTHER},
    {"last_edited_time", NULL, 0, SL_CELL_OTHER},
};

const struct sl_column_type *sl_column_type(const char *name)
{
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

const struct json *sl_list_column(const struct json *columns, const char *id)
{
    for (uint32_t i = 0; i < columns->n; i++) {
        const char *one = json_get_str(&columns->items[i], "id");
        if (one && id && strcmp(one, id) == 0)
            return &columns->items[i];
    }
    return NULL;
}

/* A column of choices has some, each with a value of its own. */
static bool good_choices(const struct json *options)
{
    const struct json *choices = json_get(options, "choices");
    if (!choices || choices->type != JSON_ARRAY || !choices->n || choices->n > 100)
        return false;
    for (uint32_t i = 0; i < choices->n; i++) {
        const char *value = json_get_str(&choices->items[i], "value");
        if (!value || !json_get_str(&choices->items[i], "label"))
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(value, json_get_str(&choices->items[k], "value")) == 0)
                return false;
    }
    return true;
}

/* What the service adds to the options of a column. */
static void write_options(struct json_writer *w, const struct json *options, const char *type)
{
    const char *format = strcmp(type, "select") == 0         ? "single_select"
                         : strcmp(type, "multi_select") == 0 ? "multi_select"
                         : strcmp(type, "user") == 0         ? "single_entity"
                                                             : NULL;
    if (!options && !format)
        return;
    json_obj(w, "options");
    for (uint32_t i = 0; options && i < options->n; i++)
        json_value(w, options->members[i].key, &options->members[i].value);
    if (format && !json_get(options, "format"))
        json_str(w, "format", format);
    if (!json_get(options, "show_member_name"))
        json_bool(w, "show_member_name", true);
    json_end(w);
}

static int write_column(struct call *c, const char *list, struct json_writer *w, const char *key,
                        const char *name, const char *type, bool primary,
                        const struct json *options)
{
    const char *id = chat_column_key(&c->tx, list);
    if (!id)
        return -1;
    json_obj(w, NULL);
    json_str(w, "id", id);
    json_str(w, "key", key);
    json_str(w, "name", name);
    json_str(w, "type", type);
    json_bool_opt(w, "primary", primary);
    write_options(w, options, type);
    json_end(w);
    return 0;
}

static int check_column(struct call *c, const struct json *schema, uint32_t at, bool *ret_primary)
{
    const struct json *v = &schema->items[at];
    const char *key = json_get_str(v, "key"), *name = json_get_str(v, "name");
    const char *type = json_get_str(v, "type");
    const struct json *options = json_get(v, "options");
    if (v->type != JSON_OBJECT || !key || !*key || !name || !*name || !type)
        return slack_fail(c, "invalid_schema");
    for (uint32_t k = 0; k < at; k++)
        if (strcmp(key, json_get_str(&schema->items[k], "key")) == 0)
            return slack_fail(c, "invalid_schema");
    const struct sl_column_type *t = sl_column_type(type);
    if (!t)
        return slack_fail(c, "invalid_column_type");
    if ((options && options->type != JSON_OBJECT) ||
        (t->kind == SL_CELL_SELECT && !good_choices(options)))
        return slack_fail(c, "invalid_schema");
    if (json_get_true(v, "is_primary_column")) {
        if (*ret_primary || strcmp(type, "text") != 0)
            return slack_fail(c, "invalid_primary_column");
        *ret_primary = true;
    }
    return 0;
}

static int write_schema(struct call *c, const char *list, struct json_writer *w,
                        const struct json *schema)
{
    bool has_primary = false;
    if (schema->type != JSON_ARRAY || !schema->n)
        return slack_fail(c, "invalid_schema");
    if (schema->n > CHAT_LIST_COLUMNS)
        return slack_fail(c, "over_column_maximum");
    for (uint32_t i = 0; i < schema->n; i++)
        if (check_column(c, schema, i, &has_primary) < 0)
            return -1;
    if (!has_primary)
        return slack_fail(c, "invalid_primary_column");
    for (uint32_t i = 0; i < schema->n; i++) {
        const struct json *v = &schema->items[i], *primary = json_get(v, "is_primary_column");
        if (write_column(c, list, w, json_get_str(v, "key"), json_get_str(v, "name"),
                         json_get_str(v, "type"), json_is_true(primary),
                         json_get(v, "options")) < 0)
            return -1;
    }
    return 0;
}

int sl_list_columns(struct call *c, const char *list, const struct json *schema, bool todo,
                    const char **ret)
{
    static const char *const tasks[][3] = {{"todo_completed", "Completed", "todo_completed"},
                                           {"todo_assignee", "Assignee", "todo_assignee"},
                                           {"todo_due_date", "Due date", "todo_due_date"}};
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_arr(&w, NULL);
    int rc = schema ? write_schema(c, list, &w, schema)
                    : write_column(c, list, &w, "name", "Name", "text", true, NULL);
    for (size_t i = 0; rc == 0 && todo && i < SOSIA_LEN(tasks); i++)
        rc = write_column(c, list, &w, tasks[i][0], tasks[i][1], tasks[i][2], false, NULL);
    json_end(&w);
    *ret = buf_keep(&b, c->tx.arena);
    return rc;
}

/* ---- cells ---- */

static int cell_text(struct call *c, const struct json *v, bool item, const char **ret)
{
    for (uint32_t i = 0; i < v->n; i++) {
        const char *type = json_get_str(&v->items[i], "type");
        if (!type || strcmp(type, "rich_text") != 0)
            return slack_fail(c, item ? "invalid_args" : "invalid_text_block");
    }
    int r = sl_blocks_check(c, v, "/rich_text", &sl_blocks_field, ret);
    if (r == 1)
        *ret = *ret ? *ret : "[]";
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, item ? "invalid_args" : "invalid_blocks");
}

static bool is_date(const char *text)
{
    int y, m, d, end = 0;
    return sscanf(text, "%4d-%2d-%2d%n", &y, &m, &d, &end) == 3 && end == 10 && !text[10] &&
           m >= 1 && m <= 12 && d >= 1 && d <= days_in_month(y, m);
}

static bool is_email(const char *text)
{
    const char *at = strchr(text, '@');
    return at && at != text && strchr(at, '.') && !strpbrk(text, " \t\r\n<>,") &&
           strlen(text) <= 254 && at[1] != '.' && !strchr(at + 1, '@');
}

static bool is_phone(const char *text)
{
    size_t n = strlen(text);
    return n >= 3 && n <= 32 && strpbrk(text, "0123456789") &&
           text[strspn(text, "+0123456789 ().-")] == 0;
}

static bool is_choice(const struct json *column, const char *value)
{
    const struct json *choices = json_get(json_get(column, "options"), "choices");
    for (uint32_t i = 0; choices && choices->type == JSON_ARRAY && i < choices->n; i++) {
        const char *one = json_get_str(&choices->items[i], "value");
        if (one && strcmp(one, value) == 0)
            return true;
    }
    return false;
}

/* What is wrong with one value that is a text; NULL: nothing. "": failed. */
static const char *check_named(struct call *c, enum sl_cell kind, const struct json *column,
                               const char *text, bool item)
{
    struct chat_user u;
    struct chat_channel ch;
    struct chat_file f;
    int r = 1;
    switch (kind) {
    case SL_CELL_DATE:
        return is_date(text) ? NULL : item ? "invalid_args" : "invalid_date";
    case SL_CELL_SELECT:
        return is_choice(column, text) ? NULL : "invalid_option_id";
    case SL_CELL_EMAIL:
        return is_email(text) ? NULL : item ? "invalid_args" : "invalid_email";
    case SL_CELL_PHONE:
        return is_phone(text) ? NULL : item ? "invalid_args" : "invalid_phone_number";
    case SL_CELL_MESSAGE:
        return strstr(text, "/archives/") ? NULL : item ? "invalid_args" : "invalid_link";
    case SL_CELL_USER:
        r = sl_user_find(c, text, &u);
        return r < 0 ? "" : r ? NULL : "user_not_found";
    case SL_CELL_CHANNEL:
        r = chat_channel_find(&c->tx, sl_me(c)->workspace.id, text, &ch);
        if (r == 1)
            r = chat_can_see(&c->tx, &ch, &sl_me(c)->user);
        return r < 0 ? "" : r ? NULL : item ? "invalid_args" : "channel_not_found";
    case SL_CELL_FILE:
        r = chat_file_find(&c->tx, sl_me(c)->workspace.id, text, &f);
        if (r == 1)
            r = f.state == CHAT_FILE_THERE ? chat_can_see_file(&c->tx, &f, &sl_me(c)->user) : 0;
        return r < 0 ? "" : r ? NULL : "file_not_found";
    default:
        return NULL;
    }
}

static const char *check_cell_value(struct call *c, const struct sl_column_type *t,
                                    const struct json *column, const struct json *v, bool item)
{
    int64_t n, max = 5;
    double number;
    if (t->kind == SL_CELL_NUMBER)
        return v->type == JSON_NUMBER && json_double(v, &number) == 0 ? NULL : "invalid_input_type";
    if (t->kind == SL_CELL_BOOL)
        return v->type == JSON_BOOL ? NULL : "invalid_input_type";
    if (t->kind == SL_CELL_RATING) {
        json_i64(json_get(json_get(column, "options"), "max"), &max);
        return json_i64(v, &n) == 0 && n >= 0 && n <= max ? NULL : "invalid_input_type";
    }
    if (t->kind == SL_CELL_LINK) {
        const char *url = json_get_str(v, "original_url");
        return url && (str_starts(url, "http://") || str_starts(url, "https://"))
                   ? NULL
                   : "invalid_input_type";
    }
    if (t->kind == SL_CELL_OTHER)
        return v->type == JSON_OBJECT || v->type == JSON_STRING ? NULL : "invalid_input_type";
    if (v->type != JSON_STRING)
        return strcmp(t->name, "vote") == 0 ? "invalid_vote_value" : "invalid_input_type";
    const char *why = check_named(c, t->kind, column, v->str, item);
    return why && *why && strcmp(t->name, "vote") == 0 ? "invalid_vote_value" : why;
}

/* Are there more than the column takes? */
static bool too_many(const struct sl_column_type *t, const struct json *column, uint32_t n)
{
    const char *format = json_get_str(json_get(column, "options"), "format");
    bool single = strcmp(t->name, "user") == 0 && format && strcmp(format, "single_entity") == 0;
    return n > (uint32_t)(single ? 1 : t->max);
}

int sl_list_cell(struct call *c, const struct json *column, const struct json *cell, bool item,
                 const char **ret)
{
    const char *name = json_get_str(column, "type");
    const struct sl_column_type *t = name ? sl_column_type(name) : NULL;
    if (!t || !t->values)
        return slack_fail(c, "uneditable_column");
    const struct json *v = json_get(cell, t->values);
    if (!v)
        return slack_fail(c, "invalid_input_type");
    if (v->type != JSON_ARRAY) { /* one value alone is a list of one */
        const char *why = t->kind == SL_CELL_TEXT ? "invalid_input_type"
                                                  : check_cell_value(c, t, column, v, item);
        if (why)
            return *why ? slack_fail(c, why) : -1;
        *ret = arena_printf(c->tx.arena, "[%s]", json_to_text(c->tx.arena, v));
        return 0;
    }
    if (too_many(t, column, v->n))
        return slack_fail(c, "over_cell_fields_limit");
    if (t->kind == SL_CELL_TEXT)
        return cell_text(c, v, item, ret);
    for (uint32_t i = 0; i < v->n; i++) {
        const char *why = check_cell_value(c, t, column, &v->items[i], item);
        if (why)
            return *why ? slack_fail(c, why) : -1;
    }
    *ret = json_to_text(c->tx.arena, v);
    return 0;
}
