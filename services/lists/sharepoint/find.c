/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and their items as /search/query finds them: lists, libraries among them, by what they are
 * called, items of lists by their values. */
#include "engine/base/codec.h"
#include "services/lists/sharepoint/sharepoint.h"
#include "vendors/microsoft/find.h"

struct found_lists {
    struct sp_at at;
    struct graph_find *f;
    const struct lists_item *item; /* that is looked at; NULL: lists are */
    const struct json *values;     /* its own; NULL: they are not read yet */
    int64_t seen;
};

/* ---- which ---- */

static bool in_values(const struct json *v, const char *word)
{
    if (v->type == JSON_STRING)
        return graph_words_in(v->str, word);
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        if (in_values(&v->items[i], word))
            return true;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        if (in_values(&v->members[i].value, word))
            return true;
    return false;
}

static bool is_of_item(struct found_lists *s, const struct graph_words *term)
{
    if (!s->values && lists_values_read(&s->at.c->tx, s->item->values, &s->values) < 0)
        return false;
    const struct json *values = s->values;
    if (!term->property)
        return in_values(values, term->text);
    for (uint32_t i = 0; i < values->n; i++)
        if (str_eq_nocase(values->members[i].key, term->property))
            return in_values(&values->members[i].value, term->text);
    return false;
}

static bool is(void *arg, const struct graph_words *term)
{
    struct found_lists *s = arg;
    const struct lists_list *l = &s->at.of.list;
    const char *in = term->property;
    if (in && strcmp(in, "path") == 0)
        return str_starts(sp_list_url(&s->at, &s->at.of), term->text);
    if (s->item)
        return is_of_item(s, term);
    if (in && strcmp(in, "title") != 0)
        return false;
    return graph_words_in(l->title, term->text) ||
           (!in &&
            (graph_words_in(l->description, term->text) || graph_words_in(l->name, term->text)));
}

static int write_found_list(struct call *c, void *arg)
{
    struct found_lists *s = arg;
    (void)c;
    return sp_write_list(&s->at, &s->at.of);
}

static int write_found_item(struct call *c, void *arg)
{
    struct found_lists *s = arg;
    struct json_writer *w = c->out;
    if (sp_write_item(&s->at, w, s->item, false) < 0)
        return -1;
    json_obj(w, "sharepointIds");
    json_str(w, "listId", s->at.of.list.key);
    json_str(w, "listItemId", arena_printf(c->tx.arena, "%lld", (long long)s->item->number));
    json_str(w, "listItemUniqueId", s->item->key);
    json_end(w);
    return s->f->fields ? sp_write_found_fields(&s->at, s->item, s->f->fields) : 0;
}

/* Counts one, and writes it if it is of the page. Files are found by who has them. */
static int take(struct found_lists *s, const char *key, const char *type)
{
    struct graph_find *f = s->f;
    const bool is_file = s->item && s->at.of.is_library;
    if (!is_file && !graph_words_hold(f->words, is, s))
        return 0;
    f->total++;
    if (s->seen++ < f->from || s->seen > f->from + f->size)
        return 0;
    return graph_hit(s->at.c, f, key, type, NULL, s->item ? write_found_item : write_found_list, s);
}

static int take_items(struct found_lists *s)
{
    struct lists_item item = {.number = 0};
    int r = 0;
    s->item = &item;
    s->at.base = ARENA_JOIN(s->at.c->tx.arena, site_context(s->at.c, &s->at.site), "/lists('",
                            s->at.of.list.key, "')");
    while (r == 0 &&
           (r = lists_item_next(&s->at.c->tx, s->at.of.list.id, item.number, &item)) == 1) {
        s->values = NULL;
        r = take(s, item.key, "listItem");
    }
    s->item = NULL;
    return r;
}

static int lists_of_site(void *arg, const struct ms_site *site)
{
    struct found_lists *s = arg;
    struct sp_walk walk = {.list = 0};
    int r = 0;
    s->at.site = *site;
    while (r == 0 && (r = sp_next(&s->at, &walk, &s->at.of)) == 1)
        r = s->at.of.list.hidden ? 0 : take(s, s->at.of.list.key, "list");
    return r;
}

static int items_of_site(void *arg, const struct ms_site *site)
{
    struct found_lists *s = arg;
    struct sp_walk walk = {.list = 0};
    int r = 0;
    s->at.site = *site;
    while (r == 0 && (r = sp_next(&s->at, &walk, &s->at.of)) == 1)
        r = s->at.of.is_library || s->at.of.list.hidden ? 0 : take_items(s);
    return r;
}

static int find_lists(struct call *c, struct graph_find *f)
{
    struct found_lists s = {.at = {.c = c}, .f = f};
    return sites_seen(c, lists_of_site, &s);
}

/* A file of a library as an item of its list. 0, -1. */
static int take_file(void *arg, const struct ms_library *library, int64_t id)
{
    struct found_lists *s = arg;
    struct lists_item item;
    int r = sp_open_listed(&s->at, library, id, &item);
    if (r != 1)
        return r;
    s->item = &item;
    r = take(s, item.key, "listItem");
    s->item = NULL;
    return r;
}

/* Files that nobody asks for as items of drives are items of lists here. */
static int find_items(struct call *c, struct graph_find *f)
{
    const struct ms_files *files = f->drives ? NULL : sp_files(&c->tx);
    struct found_lists s = {.at = {.c = c}, .f = f};
    return files && files->search(c, f->words, take_file, &s) < 0
               ? -1
               : sites_seen(c, items_of_site, &s);
}

#define READ "Sites.Read.All Sites.ReadWrite.All Sites.Manage.All Sites.FullControl.All"

const struct graph_finder sp_list_finder = {
    .entity = "list", .scopes = READ, .files = true, .find = find_lists};
const struct graph_finder sp_item_finder = {
    .entity = "listItem", .scopes = READ, .files = true, .find = find_items};
