/* SPDX-License-Identifier: Apache-2.0 */
/* Which attachments an event has, and how they are written. */
#include "services/calendar/outlook/attachments/attachment.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/seed.h"
#include "vendors/microsoft/enclosed.h"

const char *const ocal_attachment_types[] = {"fileAttachment", "itemAttachment",
                                             "referenceAttachment", NULL};

int ocal_attachment_series(struct tx *tx, const struct cal_event *ev, int64_t *ret)
{
    struct cal_event leading;
    *ret = 0;
    if (ev->form != EVENT_INSTANCE || !ev->id)
        return 0;
    int r = ev->origin ? cal_event_by_id(tx, ev->origin, &leading) : 0;
    *ret = r == 1 ? leading.master : ev->origin ? 0 : ev->master;
    return r < 0 ? -1 : 0;
}

int ocal_has_attachments(struct ocal_at *at, const struct cal_event *ev)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from ocal_attachment where event in (:event, :series) limit 1");
    struct tx *tx = &at->c->tx;
    int64_t one, series;
    int r = ocal_any_attachments(at);
    if (r != 1)
        return r;
    return ocal_attachment_series(tx, ev, &series) < 0
               ? -1
               : TX_INT(tx, &q, &one, ocal_attached_to(ev), series);
}

const struct json *ocal_attachment_kept(struct arena *a, const char *text)
{
    const struct json *v = NULL;
    struct sosia_err err;
    return text && json_parse(a, text, strlen(text), NULL, &v, &err) == 0 ? v : NULL;
}

const struct json *ocal_attachment_item(const struct json *rest, enum graph_enclosed *ret)
{
    const struct json *item = json_get(rest, "item");
    const char *type = json_get_str(item, "@odata.type");
    *ret = type && strcasestr(type, "contact")                                 ? ENCLOSED_CONTACT
           : type && strcasestr(type, "event") && !strcasestr(type, "message") ? ENCLOSED_EVENT
                                                                               : ENCLOSED_MESSAGE;
    return item;
}

static void write_link(struct call *c, const struct json *rest)
{
    const struct json *folder = json_get(rest, "isFolder");
    const struct graph_reference r = {.source = json_get_str(rest, "sourceUrl"),
                                      .provider = json_get_str(rest, "providerType"),
                                      .thumbnail = json_get_str(rest, "thumbnailUrl"),
                                      .preview = json_get_str(rest, "previewUrl"),
                                      .permission = json_get_str(rest, "permission"),
                                      .folder = json_is_true(folder)};
    graph_reference_write(c, &r);
}

void ocal_attachment_write(struct ocal_at *at, const struct ocal_attachment *row,
                           const struct odata_query *q)
{
    struct json_writer *w = at->c->out;
    enum graph_enclosed enclosed;
    json_str(
        w, "@odata.type",
        arena_printf(at->c->tx.arena, "#microsoft.graph.%s", ocal_attachment_types[row->kind]));
    if (row->kind == OCAL_FILE)
        json_str(w, "@odata.mediaContentType", row->type);
    json_str(w, "id", ocal_attachment_id(at, row->id));
    ocal_write_instant(w, "lastModifiedDateTime", row->updated_us);
    json_str(w, "name", row->name);
    json_str(w, "contentType", row->type);
    json_int(w, "size", row->size);
    json_bool(w, "isInline", row->is_inline);
    if (row->kind == OCAL_FILE) {
        json_str(w, "contentId", row->content_id);
        json_null(w, "contentLocation");
        json_str(w, "contentBytes", row->content);
        return;
    }
    const struct json *rest = ocal_attachment_kept(at->c->tx.arena, row->content),
                      *item = ocal_attachment_item(rest, &enclosed);
    if (row->kind == OCAL_LINK)
        write_link(at->c, rest);
    else if (item && q && odata_expands(q, "item"))
        graph_enclosed_write(at->c, enclosed, item, row->updated_us);
}

/* A row in an arena of its own, since its content may be large. 1, 0, -1. */
static int write_next(struct ocal_at *at, sqlite3_stmt *st, const struct odata_query *query)
{
    struct tx *tx = &at->c->tx;
    struct arena *kept = tx->arena, own;
    struct ocal_attachment row;
    arena_init(&own, 0);
    tx->arena = &own;
    int r = stored_next(tx, &ocal_attachments_stored, st, &row);
    if (r == 1 && arena_failed(&own)) {
        sql_done(st);
        r = sosia_fail_memory(tx->err);
    }
    tx->arena = kept;
    if (r == 1) {
        json_obj(at->c->out, NULL);
        ocal_attachment_write(at, &row, query);
        json_end(at->c->out);
    }
    arena_done(&own);
    return r;
}

int ocal_write_attachments(struct ocal_at *at, const struct cal_event *ev, const char *key,
                           const struct odata_query *query)
{
    static struct sql_text q = SQL_TEXT("where event in (?1, ?2) order by id");
    struct tx *tx = &at->c->tx;
    int64_t series;
    int r = 1;
    if (ocal_attachment_series(tx, ev, &series) < 0)
        return -1;
    sqlite3_stmt *st = STORED_QUERY(tx, &ocal_attachments_stored, &q, ocal_attached_to(ev), series);
    json_arr(at->c->out, key);
    while (r == 1)
        r = write_next(at, st, query);
    json_end(at->c->out);
    return r;
}
