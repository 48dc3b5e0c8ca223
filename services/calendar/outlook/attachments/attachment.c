/* SPDX-License-Identifier: Apache-2.0 */
/* Attachments of events. They are the organizer's, and guests see them in their copies. */
#include "services/calendar/outlook/attachments/attachment.h"
#include "engine/base/codec.h"
#include "engine/world/take.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"
#include "services/calendar/outlook/seed.h"
#include "vendors/microsoft/enclosed.h"

/* ---- handlers ---- */

static int open_event(struct call *c, enum cal_role need, struct ocal_at *at, struct cal_event *ev)
{
    if (ocal_open(c, CAL_FREEBUSY, at) < 0 || ocal_event(at, need, ev) < 0)
        return -1;
    at->base = arena_printf(c->tx.arena, "%s/events%s/attachments", at->base,
                            graph_key(c->tx.arena, ocal_event_id(at, ev)));
    return 0;
}

static int attachments_list(struct call *c)
{
    struct odata_query q;
    struct cal_event ev;
    struct ocal_at at;
    if (open_event(c, CAL_READ, &at, &ev) < 0 || ocal_options(c, "attachment", &q) < 0 ||
        ocal_select(c, &q, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", at.base, odata_context(c->tx.arena, &q));
    int r = ocal_write_attachments(&at, &ev, "value", &q);
    json_end(c->out);
    return r;
}

/* The one that the path names, of the event, and whose it is: the event's own or its series'. 0, -1
 * refused. */
static int find(struct ocal_at *at, const struct cal_event *ev, int64_t *ret, int64_t *ret_event)
{
    static struct sql_text q =
        SQL_TEXT("select id, event from ocal_attachment where id = ?1 and event in (?2, ?3)");
    struct tx *tx = &at->c->tx;
    struct graph_item item;
    int64_t series;
    int r = graph_item_read(&at->store, param_str(at->c, "id"), &item);
    if (r < 0 || (r == 1 && item.folder != STORE_ATTACHMENTS))
        return graph_bad_id(at->c);
    if (r == 1)
        r = ocal_attachment_series(tx, ev, &series) < 0
                ? -1
                : TX_TAKE(tx, TX_QUERY(tx, &q, item.item, ocal_attached_to(ev), series), ret,
                          ret_event);
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(at->c);
}

/* The same with all that is kept of it. */
static int read_found(struct ocal_at *at, const struct cal_event *ev, struct ocal_attachment *ret)
{
    static struct sql_text q = SQL_TEXT("where id = ?1");
    int64_t id, event;
    return find(at, ev, &id, &event) < 0 ||
                   STORED_ONE(&at->c->tx, &ocal_attachments_stored, &q, ret, id) != 1
               ? -1
               : 0;
}

static int attachments_get(struct call *c)
{
    struct ocal_attachment row;
    struct odata_query q;
    struct cal_event ev;
    struct ocal_at at;
    if (open_event(c, CAL_READ, &at, &ev) < 0 || ocal_options(c, "attachment", &q) < 0 ||
        ocal_select(c, &q, false) < 0 || read_found(&at, &ev, &row) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/$entity", at.base, odata_context(c->tx.arena, &q));
    ocal_attachment_write(&at, &row, &q);
    json_end(c->out);
    return 0;
}

static int attachments_value(struct call *c)
{
    struct arena *a = c->tx.arena;
    struct ocal_attachment row;
    enum graph_enclosed enclosed;
    uint8_t *bytes = NULL;
    struct cal_event ev;
    struct ocal_at at;
    size_t n = 0;
    if (open_event(c, CAL_READ, &at, &ev) < 0 || read_found(&at, &ev, &row) < 0)
        return -1;
    if (row.kind == OCAL_LINK)
        return graph_no_value(c);
    buf_clear(c->body_out);
    call_header(c, "Content-Type", row.kind == OCAL_FILE && row.type ? row.type : "text/plain");
    if (row.kind == OCAL_ITEM) {
        const struct json *item =
            ocal_attachment_item(ocal_attachment_kept(a, row.content), &enclosed);
        buf_puts(c->body_out, item ? graph_enclosed_text(a, enclosed, item) : "");
        return arena_failed(a) ? sosia_fail_memory(c->tx.err) : 0;
    }
    if (base64_decode(a, row.content, strlen(row.content), &bytes, &n) < 0)
        return graph_not_found(c);
    buf_add(c->body_out, bytes, n);
    return 0;
}

static int attachments_create(struct call *c)
{
    struct ocal_attachment row;
    const struct json *body;
    struct cal_event ev;
    struct ocal_at at;
    if (open_event(c, CAL_WRITE, &at, &ev) < 0 || !(body = call_body(c)))
        return -1;
    if (ev.organizer)
        return graph_denied(c);
    if (cal_event_single_out(&c->tx, &ev) < 0 || ocal_add_attachment(&at, &ev, body, &row) < 0 ||
        cal_event_touch(&c->tx, ocal_attached_to(&ev)) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/users('%s')/events('%s')/attachments('%s')",
                                  at.user.key, ocal_event_id(&at, &ev),
                                  ocal_attachment_id(&at, row.id)));
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", at.base);
    ocal_attachment_write(&at, &row, NULL);
    json_end(c->out);
    return 0;
}

static int attachments_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from ocal_attachment where id = :id");
    struct cal_event ev;
    struct ocal_at at;
    int64_t id, event;
    if (open_event(c, CAL_WRITE, &at, &ev) < 0 || find(&at, &ev, &id, &event) < 0)
        return -1;
    if (ev.organizer || event != ocal_attached_to(&ev)) /* an occurrence changes no other */
        return graph_denied(c);
    c->status = 204;
    return TX_RUN(&c->tx, &q, id) < 0 ? -1 : cal_event_touch(&c->tx, ocal_attached_to(&ev));
}

static const struct route methods[] = {
    {ROUTE("outlook.events.attachments.list", GET, OF_EVENT("/attachments")),
     .handler = attachments_list, .risk = RISK_READ, .scopes = OCAL_READ_DATA,
     PARAMS(ocal_list_params), .response = "microsoft.graph.attachmentCollectionResponse",
     .summary = "The attachments of an event"},
    {ROUTE("outlook.events.attachments.get", GET, OF_EVENT("/attachments/{id}")),
     .handler = attachments_get, .risk = RISK_READ, .scopes = OCAL_READ_DATA,
     PARAMS(ocal_get_params), .response = "microsoft.graph.attachment",
     .summary = "One attachment of an event"},
    {ROUTE("outlook.events.attachments.value", GET, OF_EVENT("/attachments/{id}/$value")),
     .handler = attachments_value, .risk = RISK_READ, .download = true,
     .gives = "application/octet-stream", .scopes = OCAL_READ_DATA, PARAMS(ocal_path_params),
     .summary = "The bytes of an attachment of an event"},
    {ROUTE("outlook.events.attachments.create", POST, OF_EVENT("/attachments")),
     .handler = attachments_create, .risk = RISK_WRITE, .body = BODY_JSON, .scopes = OCAL_WRITE,
     PARAMS(ocal_path_params), .status = 201, .request = "microsoft.graph.attachment",
     .response = "microsoft.graph.attachment", .summary = "Attach something to an event"},
    {ROUTE("outlook.events.attachments.delete", DELETE, OF_EVENT("/attachments/{id}")),
     .handler = attachments_delete, .risk = RISK_DESTRUCTIVE, .scopes = OCAL_WRITE,
     PARAMS(ocal_path_params), .status = 204, .summary = "Take an attachment off an event"},
};

const struct rows ocal_attachments = ROWS(methods);
