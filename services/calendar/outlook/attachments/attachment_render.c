/* SPDX-License-Identifier: Apache-2.0 */
/* Which attachments an event has, and how they are written. */
#include "services/calendar/outlook/attachments/attachment.h"
#include "services/calendar/outlook/ocal.h"
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

void ocal_attachment_write(struct ocal_at *at, sqlite3_stmt *st, const struct odata_query *q)
{
    struct json_writer *w = at->c->out;
    const int kind = sqlite3_column_int(st, 1);
    const char *text = (const char *)sqlite3_column_text(st, 7);
    const char *type = (const char *)sqlite3_column_text(st, 3);
    enum graph_enclosed enclosed;
    json_str(w, "@odata.type",
             arena_printf(at->c->tx.arena, "#microsoft.graph.%s", ocal_attachment_types[kind]));
    if (kind == OCAL_FILE)
        json_str(w, "@odata.mediaContentType", type);
    json_str(w, "id", ocal_attachment_id(at, sqlite3_column_int64(st, 0)));
    ocal_write_instant(w, "lastModifiedDateTime", sqlite3_column_int64(st, 8));
    json_str(w, "name", (const char *)sqlite3_column_text(st, 2));
    json_str(w, "contentType", type);
    json_int(w, "size", sqlite3_column_int64(st, 6));
    json_bool(w, "isInline", sqlite3_column_int(st, 4));
    if (kind == OCAL_FILE) {
        json_str(w, "contentId", (const char *)sqlite3_column_text(st, 5));
        json_null(w, "contentLocation");
        json_str(w, "contentBytes", text);
        return;
    }
    const struct json *rest = ocal_attachment_kept(at->c->tx.arena, text),
                      *item = ocal_attachment_item(rest, &enclosed);
    if (kind == OCAL_LINK)
        write_link(at->c, rest);
    else if (item && q && odata_expands(q, "item"))
        graph_enclosed_write(at->c, enclosed, item, sqlite3_column_int64(st, 8));
}

int ocal_write_attachments(struct ocal_at *at, const struct cal_event *ev, const char *key,
                           const struct odata_query *query)
{
    static struct sql_text q = SQL_TEXT(
        "select id, kind, name, type, is_inline, content_id, size, content, updated_us from "
        "ocal_attachment where event in (:event, :series) order by id");
    struct json_writer *w = at->c->out;
    int64_t series;
    if (ocal_attachment_series(&at->c->tx, ev, &series) < 0)
        return -1;
    sqlite3_stmt *st = TX_QUERY(&at->c->tx, &q, ocal_attached_to(ev), series);
    int r = st ? 0 : -1;
    json_arr(w, key);
    while (st && (r = TX_STEP(&at->c->tx, st)) == 1) {
        json_obj(w, NULL);
        ocal_attachment_write(at, st, query);
        json_end(w);
    }
    json_end(w);
    return r;
}
