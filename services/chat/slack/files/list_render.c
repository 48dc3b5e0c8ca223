/* SPDX-License-Identifier: Apache-2.0 */
/* Lists as they are shown: columns, items, what files.info has of them, CSV. */
#include "services/chat/slack/files/lists.h"

/* ---- columns ---- */

static void write_schema_column(struct json_writer *w, const struct json *v, bool id_first,
                                const char *id)
{
    const struct json *options = json_get(v, "options"), *primary = json_get(v, "primary");
    json_obj(w, NULL);
    if (id_first)
        json_str(w, "id", id);
    if (!id_first)
        json_str(w, "key", json_get_str(v, "key"));
    json_str(w, "name", json_get_str(v, "name"));
    if (id_first) {
        json_str(w, "key", json_get_str(v, "key"));
        json_str(w, "type", json_get_str(v, "type"));
    }
    json_bool(w, "is_primary_column", primary != NULL);
    if (!id_first)
        json_str(w, "type", json_get_str(v, "type"));
    if (options)
        json_value(w, "options", options);
    if (!id_first)
        json_str(w, "id", id);
    json_end(w);
}

void sl_write_columns(struct json_writer *w, const char *key, const struct json *columns,
                      bool id_first)
{
    json_arr(w, key);
    for (uint32_t i = 0; i < columns->n; i++)
        write_schema_column(w, &columns->items[i], id_first,
                            json_get_str(&columns->items[i], "id"));
    json_end(w);
}

static int parse_columns(struct call *c, const struct chat_list *l, const struct json **ret)
{
    return json_parse(c->tx.arena, l->columns, strlen(l->columns), NULL, ret, c->tx.err);
}

static void write_view(struct call *c, const struct chat_file *f, const struct json *columns,
                       bool all)
{
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_str(w, "id", arena_printf(c->tx.arena, "View%s%s", f->key + 1, all ? "A" : "R"));
    json_str(w, "name", all ? "All items" : "Record");
    json_str(w, "type", all ? "table" : "record");
    json_bool(w, "is_locked", false);
    json_str(w, "position", arena_printf(c->tx.arena, "%lld", (long long)f->created_s + all));
    json_arr(w, "columns");
    for (uint32_t i = 0; i < columns->n; i++) {
        json_obj(w, NULL);
        json_bool(w, "visible", true);
        json_str(w, "key", json_get_str(&columns->items[i], "key"));
        json_str(w, "id", json_get_str(&columns->items[i], "id"));
        json_str(w, "position", arena_printf(c->tx.arena, "%llu", 5000000000ull + i));
        json_end(w);
    }
    json_end(w);
    json_int(w, "date_created", f->created_s);
    json_str(w, "created_by", sl_user_key(c, f->user));
    json_bool(w, "stick_column_left", false);
    json_bool(w, "is_all_items_view", all);
    json_end(w);
}

int sl_write_list_schema(struct call *c, const struct chat_list *l, bool whole,
                         const struct chat_file *f)
{
    struct json_writer *w = c->out;
    const struct json *columns;
    if (parse_columns(c, l, &columns) < 0)
        return -1;
    json_obj(w, "list_metadata");
    sl_write_columns(w, "schema", columns, whole);
    if (whole) {
        json_arr(w, "views");
        write_view(c, f, columns, false);
        write_view(c, f, columns, true);
        json_end(w);
        json_arr(w, "integrations");
        json_end(w);
        json_str(w, "icon", "");
        json_str(w, "description", "");
        if (l->description)
            json_raw(w, "description_blocks", l->description, strlen(l->description));
        json_bool(w, "is_trial", false);
    }
    json_arr(w, "subtask_schema");
    for (uint32_t i = 0; i < columns->n; i++)
        if (json_get(&columns->items[i], "primary"))
            write_schema_column(w, &columns->items[i], whole, l->subtask);
    json_end(w);
    if (whole)
        json_bool(w, "todo_mode", l->todo);
    json_end(w);
    return 0;
}

int sl_write_list_parts(struct call *c, const struct chat_file *f)
{
    struct json_writer *w = c->out;
    const struct json *columns;
    struct chat_list l;
    enum chat_level level;
    int64_t rows, archived;
    int r = chat_list_get(&c->tx, f->id, &l);
    if (r != 1)
        return r;
    if (parse_columns(c, &l, &columns) < 0 || sl_write_list_schema(c, &l, true, f) < 0 ||
        chat_items_count(&c->tx, f->id, CHAT_ITEM_THERE, &rows) < 0 ||
        chat_items_count(&c->tx, f->id, CHAT_ITEM_ARCHIVED, &archived) < 0 ||
        chat_level_of(&c->tx, f, &sl_me(c)->user, &level) < 0)
        return -1;
    json_obj(w, "list_limits");
    json_bool(w, "over_row_maximum", rows > CHAT_LIST_ITEMS);
    json_int(w, "row_count_limit", CHAT_LIST_ITEMS);
    json_int(w, "row_count", rows);
    json_int(w, "archived_row_count", archived);
    json_bool(w, "over_column_maximum", false);
    json_int(w, "column_count", columns->n);
    json_int(w, "column_count_limit", CHAT_LIST_COLUMNS);
    json_bool(w, "over_view_maximum", false);
    json_int(w, "view_count", 2);
    json_int(w, "view_count_limit", 50);
    json_int(w, "max_attachments_per_cell", 10);
    json_end(w);
    json_str(w, "last_editor", sl_user_key(c, f->editor ? f->editor : f->user));
    json_int(w, "updated", f->updated_s);
    json_str(w, "access", chat_levels[level ? level - 1 : 0]);
    return 0;
}

/* ---- texts of cells ---- */

static void put_rich(struct buf *b, const struct json *v, int depth)
{
    const char *type = json_get_str(v, "type"), *text = json_get_str(v, "text");
    const struct json *elements = json_get(v, "elements"), *style = json_get(v, "style");
    const char *mark = style && style->type == JSON_OBJECT ? json_get(style, "bold")     ? "*"
                                                             : json_get(style, "italic") ? "_"
                                                             : json_get(style, "strike") ? "~"
                                                             : json_get(style, "code")   ? "`"
                                                                                         : ""
                                                           : "";
    if (depth > 16)
        return;
    if (type && strcmp(type, "user") == 0 && json_get_str(v, "user_id"))
        buf_printf(b, "<@%s>", json_get_str(v, "user_id"));
    else if (type && strcmp(type, "channel") == 0 && json_get_str(v, "channel_id"))
        buf_printf(b, "<#%s>", json_get_str(v, "channel_id"));
    else if (type && strcmp(type, "emoji") == 0 && json_get_str(v, "name"))
        buf_printf(b, ":%s:", json_get_str(v, "name"));
    else if (type && strcmp(type, "link") == 0 && json_get_str(v, "url"))
        buf_printf(b, text ? "<%s|%s>" : "<%s>", json_get_str(v, "url"), text);
    else if (text)
        buf_printf(b, "%s%s%s", mark, text, mark);
    for (uint32_t i = 0; elements && elements->type == JSON_ARRAY && i < elements->n; i++)
        put_rich(b, &elements->items[i], depth + 1);
}

static const char *rich_words(struct call *c, const struct json *blocks)
{
    struct buf b;
    buf_init(&b, 0);
    for (uint32_t i = 0; i < blocks->n; i++)
        put_rich(&b, &blocks->items[i], 0);
    return buf_keep(&b, c->tx.arena);
}

static const char *one_value(struct call *c, const struct json *v)
{
    const char *url = json_get_str(v, "original_url");
    return v->type == JSON_STRING ? v->str : url ? url : json_to_text(c->tx.arena, v);
}

/* All values with commas between. */
static const char *joined(struct call *c, const struct json *values, const char *between)
{
    const char *text = "";
    for (uint32_t i = 0; i < values->n; i++)
        text = arena_printf(c->tx.arena, "%s%s%s", text, i ? between : "",
                            one_value(c, &values->items[i]));
    return text;
}

/* ---- items ---- */

static void write_field(struct call *c, const struct json *column, const struct json *values)
{
    struct json_writer *w = c->out;
    const char *name = json_get_str(column, "type");
    const struct sl_column_type *t = name ? sl_column_type(name) : NULL;
    if (!t || !t->values || !values->n)
        return;
    json_obj(w, NULL);
    json_str(w, "key", json_get_str(column, "key"));
    if (t->kind == SL_CELL_TEXT) {
        json_str(w, "value", json_to_text(c->tx.arena, values));
        json_str(w, "text", rich_words(c, values));
        json_value(w, "rich_text", values);
    } else if (t->kind == SL_CELL_BOOL) {
        json_value(w, "value", &values->items[0]);
        json_value(w, "checkbox", &values->items[0]);
    } else {
        if (values->n == 1 && values->items[0].type != JSON_OBJECT)
            json_value(w, "value", &values->items[0]);
        else
            json_str(w, "value", joined(c, values, ","));
        json_value(w, t->values, values);
        if (t->kind == SL_CELL_DATE) {
            json_arr(w, "timestamp");
            json_int(w, NULL, -1);
            json_end(w);
        }
    }
    json_str(w, "column_id", json_get_str(column, "id"));
    json_end(w);
}

int sl_write_item(struct call *c, const char *key, const struct chat_file *f,
                  const struct json *columns, const struct chat_item *i)
{
    struct json_writer *w = c->out;
    const struct json *fields;
    struct chat_item parent;
    int r = i->parent ? chat_item_get(&c->tx, i->parent, &parent) : 0;
    if (r < 0 ||
        json_parse(c->tx.arena, i->fields, strlen(i->fields), NULL, &fields, c->tx.err) < 0)
        return -1;
    json_obj(w, key);
    json_str(w, "id", i->key);
    json_str(w, "list_id", f->key);
    json_int(w, "date_created", i->created_s);
    json_str(w, "created_by", sl_user_key(c, i->created_by));
    json_str(w, "updated_by", sl_user_key(c, i->updated_by));
    if (r)
        json_str(w, "parent_record_id", parent.key);
    json_arr(w, "fields");
    for (uint32_t k = 0; fields->type == JSON_ARRAY && k < fields->n; k++) {
        const struct json *column =
            sl_list_column(columns, json_get_str(&fields->items[k], "column"));
        const struct json *values = json_get(&fields->items[k], "values");
        if (column && values && values->type == JSON_ARRAY)
            write_field(c, column, values);
    }
    json_end(w);
    if (i->state == CHAT_ITEM_ARCHIVED)
        json_bool(w, "archived", true);
    json_str(w, "updated_timestamp", arena_printf(c->tx.arena, "%lld", (long long)i->updated_s));
    json_end(w);
    return 0;
}

/* ---- CSV ---- */

struct exporting {
    struct call *c;
    const struct json *columns;
    struct buf b;
    bool failed;
};

/* In quotes where it has to be. */
static void put_csv(struct buf *b, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted)
        buf_byte(b, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            buf_byte(b, '"');
        buf_byte(b, *p);
    }
    if (quoted)
        buf_byte(b, '"');
}

static const char *csv_value(struct call *c, const struct json *column, const struct json *values)
{
    const struct sl_column_type *t = sl_column_type(json_get_str(column, "type"));
    const char *text = "";
    if (!t)
        return "";
    if (t->kind == SL_CELL_TEXT)
        return rich_words(c, values);
    if (t->kind != SL_CELL_USER)
        return joined(c, values, ", ");
    for (uint32_t i = 0; i < values->n; i++) {
        struct chat_user u;
        const char *key = one_value(c, &values->items[i]);
        int r = sl_user_find(c, key, &u);
        text = arena_printf(c->tx.arena, "%s%s%s", text, i ? ", " : "", r == 1 ? u.real_name : key);
    }
    return text;
}

static int export_item(void *arg, const struct chat_item *i)
{
    struct exporting *e = arg;
    const struct json *fields;
    if (json_parse(e->c->tx.arena, i->fields, strlen(i->fields), NULL, &fields, e->c->tx.err) < 0) {
        e->failed = true;
        return 1;
    }
    for (uint32_t k = 0; k < e->columns->n; k++) {
        const struct json *column = &e->columns->items[k];
        const char *id = json_get_str(column, "id"), *text = "";
        for (uint32_t n = 0; n < fields->n; n++) {
            const char *one = json_get_str(&fields->items[n], "column");
            const struct json *values = json_get(&fields->items[n], "values");
            if (one && strcmp(one, id) == 0 && values && values->type == JSON_ARRAY)
                text = csv_value(e->c, column, values);
        }
        if (k)
            buf_byte(&e->b, ',');
        put_csv(&e->b, text);
    }
    buf_puts(&e->b, "\r\n");
    return 0;
}

int sl_list_csv(struct call *c, const struct chat_file *f, bool archived, const char **ret)
{
    struct chat_items_ask ask = {.list = f->id, .ascending = true};
    struct exporting e = {.c = c};
    struct chat_list l;
    int r = chat_list_get(&c->tx, f->id, &l);
    if (r != 1)
        return r;
    if (parse_columns(c, &l, &e.columns) < 0)
        return -1;
    buf_init(&e.b, 64 << 20);
    for (uint32_t k = 0; k < e.columns->n; k++) {
        if (k)
            buf_byte(&e.b, ',');
        put_csv(&e.b, json_get_str(&e.columns->items[k], "name"));
    }
    buf_puts(&e.b, "\r\n");
    r = chat_items(&c->tx, &ask, export_item, &e);
    ask.state = CHAT_ITEM_ARCHIVED;
    if (r == 0 && archived)
        r = chat_items(&c->tx, &ask, export_item, &e);
    *ret = arena_memdup(c->tx.arena, buf_str(&e.b), e.b.len);
    bool failed = e.failed || buf_failed(&e.b);
    buf_done(&e.b);
    return r < 0 || failed ? -1 : 1;
}
