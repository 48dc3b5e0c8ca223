/* SPDX-License-Identifier: Apache-2.0 */
/* slackLists.*: lists with columns and items, who may use them, exports. */
#include "services/chat/slack/files/lists.h"
#include "engine/text/civil.h"
#include "services/chat/slack/blocks/blocks.h"
#include "services/chat/slack/files/files.h"

#define MAX_TITLE 255
#define MAX_CELLS 100

/* ---- what all methods need ---- */

static int check_lists(struct call *c)
{
    return sl_team_says(c, "lists_disabled") ? slack_fail(c, "lists_disabled_user_team") : 0;
}

struct open_list {
    struct chat_file file;
    struct chat_list list;
    const struct json *columns;
    enum chat_level mine;
};

/* The list that an argument names, which the caller may see. */
static int list_arg(struct call *c, const char *name, struct open_list *l)
{
    const struct sl_caller *me = sl_me(c);
    int r = chat_file_find(&c->tx, me->workspace.id, param_str(c, name), &l->file);
    if (r == 1)
        r = strcmp(l->file.mode, "list") == 0 && l->file.state == CHAT_FILE_THERE;
    if (r == 1)
        r = chat_can_see_file(&c->tx, &l->file, &me->user);
    if (r == 1)
        r = chat_list_get(&c->tx, l->file.id, &l->list);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "list_not_found");
    return json_parse(c->tx.arena, l->list.columns, strlen(l->list.columns), NULL, &l->columns,
                      c->tx.err) < 0
               ? -1
               : chat_level_of(&c->tx, &l->file, &me->user, &l->mine);
}

/* One that he may change. */
static int own_list_arg(struct call *c, const char *name, struct open_list *l)
{
    if (list_arg(c, name, l) < 0)
        return -1;
    return l->mine < CHAT_MAY_WRITE ? slack_fail(c, "permission_denied") : 0;
}

static int touch(struct call *c, struct open_list *l)
{
    l->file.editor = sl_me(c)->user.id;
    return chat_file_save(&c->tx, &l->file, OP_CHANGED);
}

/* description_blocks. 1, 0: absent, -1. */
static int description_arg(struct call *c, const char *error, const char **ret)
{
    const struct json *v;
    int r = slack_value(c, "description_blocks", &v);
    if (r <= 0)
        return r;
    r = sl_blocks_check(c, v, "/description_blocks", slack_shape(c, "description_blocks"), ret);
    return r == 1 ? 1 : r < 0 ? -1 : slack_fail(c, error ? error : "invalid_arguments");
}

/* ---- making ---- */

struct copying {
    struct call *c;
    int64_t to;
    struct copied {
        int64_t from, to;
    } * done; /* in their order: items come behind those that they are below */
    int64_t n, room;
    bool failed;
};

static int64_t copy_of(const struct copying *k, int64_t item)
{
    for (int64_t i = 0; item && i < k->n; i++)
        if (k->done[i].from == item)
            return k->done[i].to;
    return 0;
}

static int copy_item(void *arg, const struct chat_item *i)
{
    struct copying *k = arg;
    struct chat_item copy = {.list = k->to,
                             .parent = copy_of(k, i->parent),
                             .fields = i->fields,
                             .created_s = k->c->tx.now_us / US_PER_SECOND,
                             .updated_s = k->c->tx.now_us / US_PER_SECOND,
                             .created_by = sl_me(k->c)->user.id,
                             .updated_by = sl_me(k->c)->user.id};
    k->failed = k->n == k->room || chat_item_add(&k->c->tx, &copy) < 0;
    if (!k->failed)
        k->done[k->n++] = (struct copied){i->id, copy.id};
    return k->failed;
}

/* The items of a list, in another one. */
static int copy_items(struct call *c, int64_t from, int64_t to)
{
    struct chat_items_ask ask = {.list = from, .ascending = true};
    struct copying k = {.c = c, .to = to};
    if (chat_items_count(&c->tx, from, CHAT_ITEM_THERE, &k.room) < 0)
        return -1;
    k.done = arena_calloc(c->tx.arena, (size_t)k.room + 1, sizeof *k.done);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    return chat_items(&c->tx, &ask, copy_item, &k) < 0 || k.failed ? -1 : 0;
}

/* f: with its key. */
static int make_list(struct call *c, const char *name, struct chat_list *l, struct chat_file *f)
{
    const struct sl_caller *me = sl_me(c);
    int64_t now = c->tx.now_us / US_PER_SECOND;
    *f = (struct chat_file){.key = f->key,
                            .workspace = me->workspace.id,
                            .user = me->user.id,
                            .app = me->app,
                            .state = CHAT_FILE_THERE,
                            .mode = "list",
                            .name = "list",
                            .title = name,
                            .mimetype = "application/vnd.slack-list",
                            .filetype = "list",
                            .snippet = NULL,
                            .editor = me->user.id,
                            .created_s = now,
                            .updated_s = now};
    if (chat_file_add(&c->tx, f) < 0)
        return -1;
    l->file = f->id;
    return !(l->subtask = chat_column_key(&c->tx, f->key)) || chat_list_add(&c->tx, l) < 0 ||
                   chat_level_set(&c->tx, f, 0, me->user.id, CHAT_MAY_ALL) < 0
               ? -1
               : chat_file_save(&c->tx, f, OP_ADDED);
}

static int answer_list(struct call *c, const struct chat_file *f, const struct chat_list *l)
{
    slack_open(c);
    json_str(c->out, "list_id", f->key);
    if (sl_write_list_schema(c, l, false, f) < 0)
        return -1;
    slack_close(c);
    return 0;
}

static int lists_create(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *name = param_str(c, "name"), *from = param_str(c, "copy_from_list_id");
    bool records = slack_flag(c, "include_copied_list_records"), copies = from && *from;
    const struct json *schema = NULL;
    struct open_list old;
    struct chat_list l = {.todo = slack_flag(c, "todo_mode")};
    struct chat_file f = {0};
    int r = slack_json_arg(c, "schema", &schema);
    if (strcmp(me->workspace.plan, "free") == 0 || me->user.role >= CHAT_GUEST ||
        sl_team_says(c, "lists_disabled"))
        return slack_fail(c, "permission_denied");
    if (!*name || sl_characters(name) > MAX_TITLE)
        return *name ? slack_fail(c, "over_title_length_maximum")
                     : slack_invalid_arguments(c, "/name", "must be more than 0 characters");
    if (r < 0)
        return slack_fail(c, "invalid_schema");
    if (copies && r)
        return slack_fail(c, "invalid_copy_and_schema_args");
    if (records && !copies)
        return slack_fail(c, "missing_arg_copy_from_list_id");
    if (!(f.key = chat_key(&c->tx, 'F')))
        return -1;
    if (copies) {
        if (list_arg(c, "copy_from_list_id", &old) < 0)
            return -1;
        l.columns = old.list.columns;
        l.description = old.list.description;
        l.todo = old.list.todo;
    } else if (sl_list_columns(c, f.key, r ? schema : NULL, l.todo, &l.columns) < 0) {
        return -1;
    }
    if (description_arg(c, NULL, &l.description) < 0 || make_list(c, name, &l, &f) < 0)
        return -1;
    if (records && copy_items(c, old.file.id, f.id) < 0)
        return -1;
    return answer_list(c, &f, &l);
}

static int lists_update(struct call *c)
{
    const char *name = param_str(c, "name"), *todo = param_str(c, "todo_mode");
    struct open_list l;
    if (own_list_arg(c, "id", &l) < 0)
        return -1;
    int r = description_arg(c, "unexpected_description_blocks_arg", &l.list.description);
    if (r < 0)
        return -1;
    if (!r && !(name && *name) && !(todo && *todo))
        return slack_fail(c, "missing_arguments");
    if (name && sl_characters(name) > MAX_TITLE)
        return slack_fail(c, "over_title_length_maximum");
    if (name && *name)
        l.file.title = name;
    l.list.todo = slack_bool_arg(c, "todo_mode", l.list.todo);
    return chat_list_save(&c->tx, &l.list) < 0 || touch(c, &l) < 0 ? -1 : slack_ok(c);
}

/* ---- cells of an item ---- */

/* fields with the values of one column put in place of those it had. */
static const char *with_cell(struct call *c, const char *fields, const char *column,
                             const char *values)
{
    const struct json *list;
    struct json_writer w;
    struct buf b;
    if (json_parse(c->tx.arena, fields, strlen(fields), NULL, &list, c->tx.err) < 0)
        return NULL;
    json_start(&w, &b);
    json_arr(&w, NULL);
    bool done = false;
    for (uint32_t i = 0; list->type == JSON_ARRAY && i <= list->n; i++) {
        const char *one = i < list->n ? json_get_str(&list->items[i], "column") : NULL;
        bool same = one && strcmp(one, column) == 0;
        if ((same || (i == list->n && !done)) && strcmp(values, "[]") != 0) {
            json_obj(&w, NULL);
            json_str(&w, "column", column);
            json_raw(&w, "values", values, strlen(values));
            json_end(&w);
        } else if (i < list->n && !same) {
            json_value(&w, NULL, &list->items[i]);
        }
        done |= same;
    }
    json_end(&w);
    return buf_keep(&b, c->tx.arena);
}

static int set_cell(struct call *c, const struct open_list *l, const struct json *cell, bool item,
                    struct chat_item *i)
{
    const char *id = json_get_str(cell, "column_id"), *values;
    const struct json *column = sl_list_column(l->columns, id);
    if (!id)
        return slack_fail(c, item ? "invalid_args" : "column_id_not_provided");
    if (!column)
        return slack_fail(c, "invalid_column_id");
    if (sl_list_cell(c, column, cell, item, &values) < 0)
        return -1;
    i->fields = with_cell(c, i->fields, id, values);
    return i->fields ? 0 : -1;
}

/* ---- items ---- */

/* An item by its id, whatever has become of it: 1, 0, -1. */
static int item_of(struct call *c, const struct open_list *l, const char *key, struct chat_item *i)
{
    return key && *key ? chat_item_find(&c->tx, l->file.id, key, i) : 0;
}

/* For one item more. */
static int check_room(struct call *c, const struct open_list *l)
{
    int64_t n;
    if (chat_items_count(&c->tx, l->file.id, CHAT_ITEM_THERE, &n) < 0)
        return -1;
    return n < CHAT_LIST_ITEMS ? 0 : slack_fail(c, "over_row_maximum");
}

static int items_create(struct call *c)
{
    const char *twin = param_str(c, "duplicated_item_id"), *above = param_str(c, "parent_item_id");
    const struct json *fields;
    int64_t now = c->tx.now_us / US_PER_SECOND;
    struct open_list l;
    struct chat_item other, parent = {0};
    if (own_list_arg(c, "list_id", &l) < 0)
        return -1;
    struct chat_item i = {.list = l.file.id,
                          .fields = "[]",
                          .created_s = now,
                          .updated_s = now,
                          .created_by = sl_me(c)->user.id,
                          .updated_by = sl_me(c)->user.id};
    if (twin && *twin) {
        int r = item_of(c, &l, twin, &other);
        if (r != 1 || other.state == CHAT_ITEM_DELETED)
            return r < 0 ? -1 : slack_fail(c, "duplicated_item_not_found");
        i.fields = other.fields;
        i.parent = other.parent;
    }
    if (above && *above) {
        int r = item_of(c, &l, above, &parent);
        if (r != 1 || parent.state == CHAT_ITEM_DELETED || parent.parent)
            return r < 0 ? -1 : slack_fail(c, "invalid_args");
        i.parent = parent.id;
    }
    int r = slack_value(c, "initial_fields", &fields);
    if (r < 0)
        return -1;
    for (uint32_t k = 0; r && k < fields->n; k++)
        if (set_cell(c, &l, &fields->items[k], true, &i) < 0)
            return -1;
    if (check_room(c, &l) < 0 || chat_item_add(&c->tx, &i) < 0 || touch(c, &l) < 0)
        return -1;
    slack_open(c);
    if (sl_write_item(c, "item", &l.file, l.columns, &i) < 0)
        return -1;
    slack_close(c);
    return 0;
}

struct cells {
    struct chat_item made;  /* the one that row_id_to_create makes; id 0: none yet */
    struct chat_item *rows; /* what has been changed */
    size_t n;
};

/* The row that a cell is of: one that is changed already, or another one. */
static int row_of(struct call *c, const struct open_list *l, const struct json *cell,
                  struct cells *cells, struct chat_item **ret)
{
    const char *key = json_get_str(cell, "row_id");
    if (!key && json_get_true(cell, "row_id_to_create")) {
        *ret = &cells->made;
        cells->made.list = l->file.id;
        return 0;
    }
    if (!key || !*key)
        return slack_fail(c, "row_id_not_provided");
    for (size_t i = 0; i < cells->n; i++)
        if (strcmp(cells->rows[i].key, key) == 0) {
            *ret = &cells->rows[i];
            return 0;
        }
    int r = item_of(c, l, key, &cells->rows[cells->n]);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_row_id");
    if (cells->rows[cells->n].state == CHAT_ITEM_DELETED)
        return slack_fail(c, "row_not_found");
    *ret = &cells->rows[cells->n++];
    return 0;
}

static int items_update(struct call *c)
{
    const struct json *list;
    int64_t now = c->tx.now_us / US_PER_SECOND, me = sl_me(c)->user.id;
    struct cells cells = {.made = {.fields = "[]"}};
    struct chat_item *row;
    struct open_list l;
    if (slack_value(c, "cells", &list) < 0)
        return -1;
    if (!list->n)
        return slack_wrong_value(c, "cells");
    if (list->n > MAX_CELLS)
        return slack_invalid_arguments(c, "/cells", "no more than %d items allowed", MAX_CELLS);
    cells.rows = arena_calloc(c->tx.arena, list->n, sizeof *cells.rows);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (own_list_arg(c, "list_id", &l) < 0)
        return -1;
    for (uint32_t k = 0; k < list->n; k++)
        if (row_of(c, &l, &list->items[k], &cells, &row) < 0 ||
            set_cell(c, &l, &list->items[k], false, row) < 0)
            return -1;
    if (cells.made.list) {
        cells.made.created_s = cells.made.updated_s = now;
        cells.made.created_by = cells.made.updated_by = me;
        if (check_room(c, &l) < 0 || chat_item_add(&c->tx, &cells.made) < 0)
            return -1;
    }
    for (size_t k = 0; k < cells.n; k++) {
        cells.rows[k].updated_s = now;
        cells.rows[k].updated_by = me;
        if (chat_item_save(&c->tx, &cells.rows[k]) < 0)
            return -1;
    }
    return touch(c, &l) < 0 ? -1 : slack_ok(c);
}

struct dropping {
    struct call *c;
    bool failed;
};

/* Takes an item away; a trace stays. */
static int drop_one(void *arg, const struct chat_item *i)
{
    struct dropping *k = arg;
    struct chat_item gone = *i;
    gone.state = CHAT_ITEM_DELETED;
    gone.fields = "[]";
    k->failed = chat_item_save(&k->c->tx, &gone) < 0;
    return k->failed;
}

/* And those below it. */
static int drop_item(struct call *c, const struct chat_item *i)
{
    struct dropping k = {.c = c};
    drop_one(&k, i);
    for (int state = CHAT_ITEM_THERE; state <= CHAT_ITEM_ARCHIVED; state++) {
        struct chat_items_ask ask = {
            .list = i->list, .parent = i->id, .state = (enum chat_item_state)state};
        /* what is read is not what is written: a row leaves the state that is asked for */
        if (k.failed || chat_items(&c->tx, &ask, drop_one, &k) < 0)
            return -1;
    }
    return k.failed ? -1 : 0;
}

static int items_delete(struct call *c)
{
    struct open_list l;
    struct chat_item i;
    if (own_list_arg(c, "list_id", &l) < 0)
        return -1;
    int r = item_of(c, &l, param_str(c, "id"), &i);
    if (r != 1 || i.state == CHAT_ITEM_DELETED)
        return r < 0 ? -1 : slack_fail(c, "record_not_found");
    return drop_item(c, &i) < 0 || touch(c, &l) < 0 ? -1 : slack_ok(c);
}

static int items_delete_many(struct call *c)
{
    size_t n;
    const char **ids = slack_list_arg(c, "ids", &n);
    struct open_list l;
    struct chat_item i;
    if (own_list_arg(c, "list_id", &l) < 0)
        return -1;
    if (!n || n > CHAT_LIST_ITEMS)
        return slack_invalid_arguments(c, "/ids", "must be an array of ids");
    for (size_t k = 0; k < n; k++) {
        int r = item_of(c, &l, ids[k], &i);
        if (r < 0 || (r && i.state != CHAT_ITEM_DELETED && drop_item(c, &i) < 0))
            return -1;
    }
    return touch(c, &l) < 0 ? -1 : slack_ok(c);
}

struct listing_items {
    struct call *c;
    const struct open_list *l;
    int64_t limit, n;
    const char *next;
    bool failed;
};

static int list_item(void *arg, const struct chat_item *i)
{
    struct listing_items *s = arg;
    if (s->n++ == s->limit) {
        s->next = i->key;
        return 1;
    }
    s->failed = sl_write_item(s->c, NULL, &s->l->file, s->l->columns, i) < 0;
    return s->failed;
}

static int items_info(struct call *c)
{
    struct open_list l;
    struct chat_item i, parent;
    struct listing_items s = {.c = c, .l = &l, .limit = INT64_MAX};
    if (list_arg(c, "list_id", &l) < 0)
        return -1;
    int r = item_of(c, &l, param_str(c, "id"), &i);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "record_not_found");
    if (i.state == CHAT_ITEM_DELETED)
        return slack_fail(c, "record_deleted");
    struct chat_items_ask below = {.list = l.file.id, .parent = i.id};
    slack_open(c);
    if (sl_write_file(c, "list", &l.file, SL_FILE_WHOLE) < 0 ||
        sl_write_item(c, "record", &l.file, l.columns, &i) < 0)
        return -1;
    if (i.parent && ((r = chat_item_get(&c->tx, i.parent, &parent)) < 0 ||
                     (r && sl_write_item(c, "parent_task", &l.file, l.columns, &parent) < 0)))
        return -1;
    json_arr(c->out, "subtasks");
    if (chat_items(&c->tx, &below, list_item, &s) < 0 || s.failed)
        return -1;
    json_end(c->out);
    slack_close(c);
    return 0;
}

static int items_list(struct call *c)
{
    struct open_list l;
    struct chat_item from;
    const char *key;
    struct listing_items s = {.c = c, .l = &l};
    if (list_arg(c, "list_id", &l) < 0 || slack_limit(c, &s.limit) < 0)
        return -1;
    struct chat_items_ask ask = {.list = l.file.id,
                                 .state = slack_flag(c, "archived") ? CHAT_ITEM_ARCHIVED
                                                                    : CHAT_ITEM_THERE};
    int r = slack_cursor(c, "item", &key);
    if (r == 1 && (r = item_of(c, &l, key, &from)) == 0)
        return slack_fail(c, "invalid_cursor");
    if (r < 0)
        return -1;
    if (r)
        ask.last = from.place;
    slack_open(c);
    json_arr(c->out, "items");
    if (chat_items(&c->tx, &ask, list_item, &s) < 0 || s.failed)
        return -1;
    json_end(c->out);
    slack_next(c, "item", s.next ? arena_strdup(c->tx.arena, s.next) : NULL);
    slack_close(c);
    return 0;
}

/* ---- access, exports ---- */

static int list_access_set(struct call *c)
{
    enum chat_level level;
    struct open_list l;
    if (check_lists(c) < 0 || sl_access_level_arg(c, &level) < 0 || list_arg(c, "list_id", &l) < 0)
        return -1;
    return sl_access_set(c, &l.file, l.mine, level);
}

static int list_access_delete(struct call *c)
{
    struct open_list l;
    return check_lists(c) < 0 || list_arg(c, "list_id", &l) < 0
               ? -1
               : sl_access_delete(c, &l.file, l.mine);
}

static int check_format(struct call *c)
{
    int format = 0;
    return slack_word(c, "format", &format);
}

static int download_start(struct call *c)
{
    struct open_list l;
    if (list_arg(c, "list_id", &l) < 0 || check_format(c) < 0)
        return -1;
    struct chat_export e = {
        .list = l.file.id, .at_us = c->tx.now_us, .archived = slack_flag(c, "include_archived")};
    if (chat_export_add(&c->tx, &e) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "job_id", e.key);
    slack_close(c);
    return 0;
}

static int download_get(struct call *c)
{
    struct open_list l;
    struct chat_export e;
    if (list_arg(c, "list_id", &l) < 0 || check_format(c) < 0)
        return -1;
    int r = chat_export_find(&c->tx, l.file.id, param_str(c, "job_id"), &e);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "job_not_found");
    bool done = c->tx.now_us - e.at_us >= CHAT_EXPORT_US;
    slack_open(c);
    json_str(c->out, "status", done ? "COMPLETED" : "IN_PROGRESS");
    if (done)
        json_str(c->out, "download_url",
                 call_follow_url(
                     c, SLACK_FILES,
                     arena_printf(c->tx.arena, "/files-pri/%s-%s/csv/list?origin_team=%s",
                                  sl_me(c)->workspace.key, l.file.key, sl_me(c)->workspace.key)));
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param create_params[] = {
    SL_NEEDED("name", .summary = "Name of the list"),
    SL_ARG("description_blocks", SL_ARRAY_OF(sl_blocks_field)),
    SL_ARG("schema", SL_ARRAY),
    SL_ARG("copy_from_list_id"),
    SL_ARG("include_copied_list_records", SL_FLAG),
    SL_ARG("todo_mode", SL_FLAG)};
static const struct param update_params[] = {
    SL_NEEDED("id", .summary = "Id of the list"), SL_ARG("name", .summary = "Name of the list"),
    SL_ARG("description_blocks", SL_ARRAY_OF(sl_blocks_field),
           .fault = "unexpected_description_blocks_arg"),
    SL_ARG("todo_mode", SL_FLAG_OPEN)};
static const struct param set_params[] = {
    SL_NEEDED("list_id"), SL_NEEDED("access_level", .type = PARAM_ENUM, .values = chat_levels),
    SL_ARG("channel_ids", SL_LIST), SL_ARG("user_ids", SL_LIST)};
static const struct param unset_params[] = {SL_NEEDED("list_id"), SL_ARG("channel_ids", SL_LIST),
                                            SL_ARG("user_ids", SL_LIST)};
static const struct param item_create_params[] = {
    SL_NEEDED("list_id"), SL_ARG("duplicated_item_id"), SL_ARG("parent_item_id"),
    SL_ARG("initial_fields", SL_ARRAY, .fault = "invalid_args")};
static const struct param item_update_params[] = {
    SL_NEEDED("list_id"),
    SL_NEEDED("cells", SL_ARRAY, .fault = "must be an array with 1 to 100 items")};
static const struct param item_params[] = {SL_NEEDED("list_id"),
                                           SL_NEEDED("id", .summary = "Id of the item"),
                                           SL_ARG("include_is_subscribed", SL_FLAG)};
static const struct param items_params[] = {SL_NEEDED("list_id"), SL_NEEDED("ids", SL_LIST)};
static const struct param list_params[] = {SL_NEEDED("list_id"),
                                           SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100"),
                                           SL_ARG("cursor"), SL_ARG("archived", SL_FLAG)};
static const struct param start_params[] = {
    SL_NEEDED("list_id"), SL_ARG("include_archived", SL_FLAG),
    SL_ARG("format", SL_WORDS("csv"), .def = "csv"), SL_ARG("include_threads", SL_FLAG),
    SL_ARG("include_attachments", SL_FLAG)};
static const struct param get_params[] = {
    SL_NEEDED("list_id"), SL_NEEDED("job_id"), SL_ARG("format", SL_WORDS("csv"), .def = "csv"),
    SL_ARG("include_threads", SL_FLAG), SL_ARG("include_attachments", SL_FLAG)};

static const struct route methods[] = {
    {SL_METHOD("slackLists.access.delete"), SL_PEOPLE, .handler = list_access_delete,
     .risk = RISK_EXTERNAL, .idempotent = true, .scopes = "lists:write", PARAMS(unset_params),
     .rate = SLACK_TIER_3, .summary = "Take back who may use a list"},
    {SL_METHOD("slackLists.access.set"), SL_PEOPLE, .handler = list_access_set,
     .risk = RISK_EXTERNAL, .idempotent = true, .scopes = "lists:write", PARAMS(set_params),
     .rate = SLACK_TIER_3, .summary = "Say who may use a list"},
    {SL_METHOD("slackLists.create"), SL_PEOPLE, .handler = lists_create, .risk = RISK_WRITE,
     .scopes = "lists:write", PARAMS(create_params), .rate = SLACK_TIER_2, .summary = "A new list"},
    {SL_METHOD("slackLists.download.get"), SL_PEOPLE, .handler = download_get, .risk = RISK_READ,
     .scopes = "lists:read", PARAMS(get_params), .rate = SLACK_TIER_4,
     .summary = "How an export goes"},
    {SL_METHOD("slackLists.download.start"), SL_PEOPLE, .handler = download_start,
     .risk = RISK_WRITE, .scopes = "lists:read", PARAMS(start_params), .rate = SLACK_TIER_2,
     .summary = "Export a list"},
    {SL_METHOD("slackLists.items.create"), SL_PEOPLE, .handler = items_create, .risk = RISK_WRITE,
     .scopes = "lists:write", PARAMS(item_create_params), .rate = SLACK_TIER_3,
     .summary = "A new item of a list"},
    {SL_METHOD("slackLists.items.delete"), SL_PEOPLE, .handler = items_delete,
     .risk = RISK_DESTRUCTIVE, .idempotent = true, .scopes = "lists:write", PARAMS(item_params),
     .rate = SLACK_TIER_2, .summary = "Delete an item"},
    {SL_METHOD("slackLists.items.deleteMultiple"), SL_PEOPLE, .handler = items_delete_many,
     .risk = RISK_DESTRUCTIVE, .idempotent = true, .scopes = "lists:write", PARAMS(items_params),
     .rate = SLACK_TIER_2, .summary = "Delete several items"},
    {SL_METHOD("slackLists.items.info"), SL_PEOPLE, .handler = items_info, .risk = RISK_READ,
     .scopes = "lists:read", PARAMS(item_params), .rate = SLACK_TIER_2,
     .summary = "An item of a list"},
    {SL_METHOD("slackLists.items.list"), SL_PEOPLE, .handler = items_list, .risk = RISK_READ,
     .scopes = "lists:read", PARAMS(list_params), .rate = SLACK_TIER_2,
     .summary = "Items of a list"},
    {SL_METHOD("slackLists.items.update"), SL_PEOPLE, .handler = items_update, .risk = RISK_WRITE,
     .idempotent = true, .scopes = "lists:write", PARAMS(item_update_params), .rate = SLACK_TIER_3,
     .summary = "Change cells of a list"},
    {SL_METHOD("slackLists.update"), SL_PEOPLE, .handler = lists_update, .risk = RISK_WRITE,
     .scopes = "lists:write", PARAMS(update_params), .rate = SLACK_TIER_2,
     .summary = "Change a list"},
};

const struct rows sl_lists = ROWS(methods);
