/* SPDX-License-Identifier: Apache-2.0 */
/* Attachments of events. They are the organizer's, and guests see them in their copies. */
#include "engine/base/codec.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/params.h"
#include "services/calendar/outlook/seed.h"
#include "vendors/microsoft/enclosed.h"

#define MAX_BYTES ((size_t)3 << 20) /* of one that comes in a body (MG-319) */

enum { KIND_FILE, KIND_ITEM, KIND_LINK }; /* of ocal_attachment */
static const char *const types[] = {"fileAttachment", "itemAttachment", "referenceAttachment",
                                    NULL};

/* The series whose attachments a changed occurrence has besides its own; 0: it is none. */
static int series_of(struct tx *tx, const struct cal_event *ev, int64_t *ret)
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
    return series_of(tx, ev, &series) < 0 ? -1 : TX_INT(tx, &q, &one, ocal_attached_to(ev), series);
}

/* ---- writing ---- */

/* What is kept of an item or a link; NULL: it can't be read. */
static const struct json *kept(struct arena *a, const char *text)
{
    const struct json *v = NULL;
    struct sosia_err err;
    return text && json_parse(a, text, strlen(text), NULL, &v, &err) == 0 ? v : NULL;
}

/* What an itemAttachment holds; a message where its row does not say. */
static const struct json *item_of(const struct json *rest, enum graph_enclosed *ret)
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

/* q NULL: nothing is expanded. */
static void write_row(struct ocal_at *at, sqlite3_stmt *st, const struct odata_query *q)
{
    struct json_writer *w = at->c->out;
    const int kind = sqlite3_column_int(st, 1);
    const char *text = (const char *)sqlite3_column_text(st, 7);
    const char *type = (const char *)sqlite3_column_text(st, 3);
    enum graph_enclosed enclosed;
    json_str(w, "@odata.type", arena_printf(at->c->tx.arena, "#microsoft.graph.%s", types[kind]));
    if (kind == KIND_FILE)
        json_str(w, "@odata.mediaContentType", type);
    json_str(w, "id", ocal_attachment_id(at, sqlite3_column_int64(st, 0)));
    ocal_write_instant(w, "lastModifiedDateTime", sqlite3_column_int64(st, 8));
    json_str(w, "name", (const char *)sqlite3_column_text(st, 2));
    json_str(w, "contentType", type);
    json_int(w, "size", sqlite3_column_int64(st, 6));
    json_bool(w, "isInline", sqlite3_column_int(st, 4));
    if (kind == KIND_FILE) {
        json_str(w, "contentId", (const char *)sqlite3_column_text(st, 5));
        json_null(w, "contentLocation");
        json_str(w, "contentBytes", text);
        return;
    }
    const struct json *rest = kept(at->c->tx.arena, text), *item = item_of(rest, &enclosed);
    if (kind == KIND_LINK)
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
    if (series_of(&at->c->tx, ev, &series) < 0)
        return -1;
    sqlite3_stmt *st = TX_QUERY(&at->c->tx, &q, ocal_attached_to(ev), series);
    int r = st ? 0 : -1;
    json_arr(w, key);
    while (st && (r = TX_STEP(&at->c->tx, st)) == 1) {
        json_obj(w, NULL);
        write_row(at, st, query);
        json_end(w);
    }
    json_end(w);
    return r;
}

/* ---- adding ---- */

static int kind_of(const char *type)
{
    static const char space[] = "#microsoft.graph.";
    if (!type)
        return 0;
    type += *type == '#';
    if (strncasecmp(type, space + 1, sizeof space - 2) == 0)
        type += sizeof space - 2;
    for (int i = 0; types[i]; i++)
        if (str_eq_nocase(types[i], type))
            return i;
    return -1;
}

/* What of an item or a reference is kept beside its name. */
static const char *other_members(struct arena *a, const struct json *v)
{
    static const char *const known[] = {"@odata.type", "name",         "contentType",
                                        "isInline",    "contentBytes", "contentId"};
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < v->n; i++)
        if (!str_in_nocase(v->members[i].key, known, SOSIA_LEN(known)))
            json_value(&w, v->members[i].key, &v->members[i].value);
    json_end(&w);
    const char *text = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

static int add_one(struct ocal_at *at, const struct cal_event *ev, const struct json *v,
                   int64_t *ret)
{
    struct call *c = at->c;
    struct arena *a = c->tx.arena;
    int kind = kind_of(json_get_str(v, "@odata.type"));
    const char *name = json_get_str(v, "name"), *content = json_get_str(v, "contentBytes");
    const char *type = json_get_str(v, "contentType");
    enum graph_enclosed enclosed;
    struct graph_reference link;
    uint8_t *bytes = NULL;
    size_t n = 0;
    if (kind < 0 || !name)
        return ocal_invalid(c, "attachment", "of a known type, with a name");
    if ((kind == KIND_ITEM && graph_enclosed_kind(c, json_get(v, "item"), &enclosed) < 0) ||
        (kind == KIND_LINK && graph_reference_read(c, v, &link) < 0))
        return -1;
    if (kind == KIND_FILE &&
        (!content || base64_decode(a, content, strlen(content), &bytes, &n) < 0))
        return ocal_invalid(c, "contentBytes", "base64");
    if (kind != KIND_FILE)
        content = other_members(a, v);
    if (n > MAX_BYTES || strlen(content) > 2 * MAX_BYTES)
        return call_fail(c, SOSIA_E_TOO_LARGE, "ErrorMessageSizeExceeded", NULL,
                         "The message exceeds the maximum supported size.");
    if (kind == KIND_FILE && !type)
        type = OCAL_UNKNOWN_TYPE;
    const struct ocal_attachment row = {.event = ocal_attached_to(ev),
                                        .kind = kind,
                                        .name = name,
                                        .type = type,
                                        .is_inline = json_get_true(v, "isInline"),
                                        .content_id = json_get_str(v, "contentId"),
                                        .size = (int64_t)(kind ? strlen(content) : n),
                                        .content = content,
                                        .updated_us = c->tx.now_us};
    if (ocal_attachment_add(c, &row, ret) < 0)
        return -1;
    at->attached = 1;
    return 0;
}

int ocal_add_attachments(struct ocal_at *at, const struct cal_event *ev, const struct json *list)
{
    int64_t id;
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++)
        if (add_one(at, ev, &list->items[i], &id) < 0)
            return -1;
    return 0;
}

/* ---- handlers ---- */

static int open_event(struct call *c, enum cal_role need, struct ocal_at *at, struct cal_event *ev)
{
    if (ocal_open(c, CAL_FREEBUSY, at) < 0 || ocal_event(at, need, ev) < 0)
        return -1;
    if (cal_event_concealed(&at->cal, ev))
        return graph_denied(c);
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

/* Its row, of the event: 1, 0, -1. */
static int find(struct ocal_at *at, const struct cal_event *ev, sqlite3_stmt **ret)
{
    static struct sql_text q =
        SQL_TEXT("select id, kind, name, type, is_inline, content_id, size, content, updated_us, "
                 "event from ocal_attachment where id = :id and event in (:event, :series)");
    struct graph_item item;
    int64_t series;
    int r = graph_item_read(&at->store, param_str(at->c, "id"), &item);
    if (r < 0 || (r == 1 && item.folder != STORE_ATTACHMENTS))
        return graph_bad_id(at->c);
    if (r == 1)
        r = series_of(&at->c->tx, ev, &series) < 0
                ? -1
                : TX_ROW(&at->c->tx, &q, ret, item.item, ocal_attached_to(ev), series);
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(at->c);
}

static int attachments_get(struct call *c)
{
    struct odata_query q;
    struct cal_event ev;
    struct ocal_at at;
    sqlite3_stmt *st;
    if (open_event(c, CAL_READ, &at, &ev) < 0 || ocal_options(c, "attachment", &q) < 0 ||
        ocal_select(c, &q, false) < 0 || find(&at, &ev, &st) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/$entity", at.base, odata_context(c->tx.arena, &q));
    write_row(&at, st, &q);
    json_end(c->out);
    sql_done(st);
    return 0;
}

static int attachments_value(struct call *c)
{
    struct arena *a = c->tx.arena;
    enum graph_enclosed enclosed;
    uint8_t *bytes = NULL;
    struct cal_event ev;
    struct ocal_at at;
    sqlite3_stmt *st;
    size_t n = 0;
    if (open_event(c, CAL_READ, &at, &ev) < 0 || find(&at, &ev, &st) < 0)
        return -1;
    const int kind = sqlite3_column_int(st, 1);
    const char *type = tx_string(&c->tx, st, 3), *text = tx_string(&c->tx, st, 7);
    sql_done(st);
    if (kind == KIND_LINK)
        return graph_no_value(c);
    buf_clear(c->body_out);
    call_header(c, "Content-Type", kind == KIND_FILE && type ? type : "text/plain");
    if (kind == KIND_ITEM) {
        const struct json *item = item_of(kept(a, text), &enclosed);
        buf_puts(c->body_out, item ? graph_enclosed_text(a, enclosed, item) : "");
        return arena_failed(a) ? sosia_fail_memory(c->tx.err) : 0;
    }
    if (base64_decode(a, text, strlen(text), &bytes, &n) < 0)
        return graph_not_found(c);
    buf_add(c->body_out, bytes, n);
    return 0;
}

static int attachments_create(struct call *c)
{
    static struct sql_text q = SQL_TEXT(
        "select id, kind, name, type, is_inline, content_id, size, content, updated_us from "
        "ocal_attachment where id = :id");
    const struct json *body;
    struct cal_event ev;
    struct ocal_at at;
    sqlite3_stmt *st;
    int64_t id;
    if (open_event(c, CAL_WRITE, &at, &ev) < 0 || !(body = call_body(c)))
        return -1;
    if (ev.organizer)
        return graph_denied(c);
    if (cal_event_single_out(&c->tx, &ev) < 0 || add_one(&at, &ev, body, &id) < 0 ||
        cal_event_touch(&c->tx, ocal_attached_to(&ev)) < 0 || TX_ROW(&c->tx, &q, &st, id) != 1)
        return -1;
    graph_created(c,
                  arena_printf(c->tx.arena, "/users('%s')/events('%s')/attachments('%s')",
                               at.user.key, ocal_event_id(&at, &ev), ocal_attachment_id(&at, id)));
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", at.base);
    write_row(&at, st, NULL);
    json_end(c->out);
    sql_done(st);
    return 0;
}

static int attachments_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from ocal_attachment where id = :id");
    struct cal_event ev;
    struct ocal_at at;
    sqlite3_stmt *st;
    if (open_event(c, CAL_WRITE, &at, &ev) < 0 || find(&at, &ev, &st) < 0)
        return -1;
    const int64_t id = sqlite3_column_int64(st, 0);
    const bool own = sqlite3_column_int64(st, 9) == ocal_attached_to(&ev);
    sql_done(st);
    if (ev.organizer || !own) /* one occurrence does not change the others */
        return graph_denied(c);
    c->status = 204;
    return TX_RUN(&c->tx, &q, id) < 0 ? -1 : cal_event_touch(&c->tx, ocal_attached_to(&ev));
}

static const struct route methods[] = {
    {.id = "outlook.events.attachments.list",
     .verbs = GET,
     .paths = PATHS(OF_EVENT("/attachments")),
     .handler = attachments_list,
     .risk = RISK_READ,
     .scopes = OCAL_READ_DATA,
     PARAMS(ocal_list_params),
     .response = "microsoft.graph.attachmentCollectionResponse",
     .summary = "The attachments of an event"},
    {.id = "outlook.events.attachments.get",
     .verbs = GET,
     .paths = PATHS(OF_EVENT("/attachments/{id}")),
     .handler = attachments_get,
     .risk = RISK_READ,
     .scopes = OCAL_READ_DATA,
     PARAMS(ocal_get_params),
     .response = "microsoft.graph.attachment",
     .summary = "One attachment of an event"},
    {.id = "outlook.events.attachments.value",
     .verbs = GET,
     .paths = PATHS(OF_EVENT("/attachments/{id}/$value")),
     .handler = attachments_value,
     .risk = RISK_READ,
     .download = true,
     .gives = "application/octet-stream",
     .scopes = OCAL_READ_DATA,
     PARAMS(ocal_path_params),
     .summary = "The bytes of an attachment of an event"},
    {.id = "outlook.events.attachments.create",
     .verbs = POST,
     .paths = PATHS(OF_EVENT("/attachments")),
     .handler = attachments_create,
     .risk = RISK_WRITE,
     .body = BODY_JSON,
     .scopes = OCAL_WRITE,
     PARAMS(ocal_path_params),
     .status = 201,
     .request = "microsoft.graph.attachment",
     .response = "microsoft.graph.attachment",
     .summary = "Attach something to an event"},
    {.id = "outlook.events.attachments.delete",
     .verbs = DELETE,
     .paths = PATHS(OF_EVENT("/attachments/{id}")),
     .handler = attachments_delete,
     .risk = RISK_DESTRUCTIVE,
     .scopes = OCAL_WRITE,
     PARAMS(ocal_path_params),
     .status = 204,
     .summary = "Take an attachment off an event"},
};

const struct rows ocal_attachments = ROWS(methods);
