/* SPDX-License-Identifier: Apache-2.0 */
/* Events that were written before, for the same rows and the same reader. */
#include "services/calendar/outlook/ocal.h"
#include "engine/store/record.h"
#include "engine/store/rendered.h"

/* All that an event's text depends on beside what is stored of it: whatever render.c reads of the
 * call, the calendar, the user and the writer. */
static uint32_t view_of(const struct ocal_at *at, const char *what)
{
    struct call *c = at->c;
    const struct calendar *cal = &at->cal;
    const int64_t numbers[] = {at->basic,    at->text,  at->no_links,   at->bare_time,
                               at->all_kept, cal->id,   cal->role,      cal->main,
                               cal->beyond,  c->pretty, c->escape_html, c->out->depth};
    struct rendered_key k;
    k.n = 0;
    rendered_add_text(&k, what);
    rendered_add(&k, numbers, sizeof numbers);
    rendered_add_text(&k, graph_url(c, ""));
    rendered_add_text(&k, at->zone);
    rendered_add_text(&k, at->user.key);
    rendered_add_text(&k, at->user.tenant);
    rendered_add_text(&k, at->user.actor.email);
    rendered_add_text(&k, at->user.actor.name);
    rendered_add_text(&k, cal->address);
    rendered_add_text(&k, cal->zone);
    rendered_add_text(&k, graph_option(c, "$select"));
    return rendered_view(c->tx.db, k.bytes, k.n);
}

/* Is an item made of its event's row alone, or an occurrence that nobody changed of its series' row
 * and its start? Guests and organizers have names of the directory, exceptions their series, series
 * what became of occurrences. */
static bool is_of_row(const struct ocal_at *at, const struct cal_event *ev,
                      const struct record *row)
{
    const struct odata_query *q = at->query;
    if (!row || !row->data || ev->organizer || ev->n_attendees || at->c->out->skip)
        return false;
    if (ev->form == EVENT_INSTANCE && (ev->id || !ev->master || row->rowid != ev->master))
        return false;
    return !q || (!q->n_expand && !(q->has_select && ev->form == EVENT_SERIES));
}

/* A row's bytes and its number, which is in the ids; of an occurrence the series', and when it
 * takes place. */
static const void *bytes_of(struct arena *a, const struct cal_event *ev, const struct record *row,
                            size_t *ret_n)
{
    const int64_t which[] = {ev->id, ev->master, ev->original_us, ev->start_us};
    char *bytes = arena_alloc(a, row->size + sizeof which);
    *ret_n = row->size + sizeof which;
    if (arena_failed(a))
        return NULL;
    memcpy(bytes, row->data, row->size);
    memcpy(bytes + row->size, which, sizeof which);
    return bytes;
}

/* What is kept of an event is found by its row: 1 with the row's bytes; 0: it is made of more than
 * that; -1. */
static int is_kept(struct ocal_at *at, const char *what, const struct cal_event *ev,
                   const struct record *row, const void **ret_bytes, size_t *ret_n)
{
    if (!is_of_row(at, ev, row))
        return 0;
    int attached = ocal_any_attachments(at);
    if (attached)
        return attached < 0 ? -1 : 0;
    if (!at->view)
        at->view = view_of(at, what);
    *ret_bytes = bytes_of(at->c->tx.arena, ev, row, ret_n);
    return *ret_bytes ? 1 : sosia_fail_memory(at->c->tx.err);
}

int ocal_write_item(struct ocal_at *at, struct cal_event *ev, const struct record *row)
{
    struct json_writer *w = at->c->out;
    struct slot *db = at->c->tx.db;
    size_t from = w->out->len, n, len;
    const void *stored;
    const char *text;
    int kept = is_kept(at, "event", ev, row, &stored, &n);
    if (kept == 1 && rendered_find(db, at->view, stored, n, &text, &len)) {
        json_item_again(w, text, len);
        return 0;
    }
    if (kept < 0 || ocal_write_event(at, NULL, ev) < 0)
        return -1;
    while (from < w->out->len && w->out->data[from] != '{') /* separators between items */
        from++;
    if (kept && from < w->out->len && !buf_failed(w->out))
        rendered_keep(db, at->view, stored, n, w->out->data + from, w->out->len - from);
    return 0;
}

int ocal_write_linked(struct ocal_at *at, struct cal_event *ev, const struct record *row)
{
    struct json_writer *w = at->c->out;
    struct slot *db = at->c->tx.db;
    const size_t from = w->out->len;
    const void *stored;
    const char *text;
    size_t n, len;
    int kept = json_is_first(w) ? 0 : is_kept(at, "members", ev, row, &stored, &n);
    if (kept == 1 && rendered_find(db, at->view, stored, n, &text, &len)) {
        json_again(w, text, len);
        return 0;
    }
    if (kept < 0 || ocal_write_members(at, ev) < 0)
        return -1;
    if (!at->no_links)
        ocal_write_links(at);
    if (kept && from < w->out->len && !buf_failed(w->out))
        rendered_keep(db, at->view, stored, n, w->out->data + from, w->out->len - from);
    return 0;
}
