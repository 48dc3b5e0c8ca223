/* SPDX-License-Identifier: Apache-2.0 */
/* Attachments that come in a body. */
#include "services/calendar/outlook/attachments/attachment.h"
#include "engine/base/codec.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/seed.h"
#include "vendors/microsoft/enclosed.h"

#define MAX_BYTES ((size_t)3 << 20) /* of one that comes in a body (MG-319) */

static int kind_of(const char *type)
{
    static const char space[] = "#microsoft.graph.";
    if (!type)
        return 0;
    type += *type == '#';
    if (strncasecmp(type, space + 1, sizeof space - 2) == 0)
        type += sizeof space - 2;
    for (int i = 0; ocal_attachment_types[i]; i++)
        if (str_eq_nocase(ocal_attachment_types[i], type))
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
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < v->n; i++)
        if (!str_in_nocase(v->members[i].key, known, SOSIA_LEN(known)))
            json_value(&w, v->members[i].key, &v->members[i].value);
    json_end(&w);
    return buf_keep(&b, a);
}

int ocal_add_attachment(struct ocal_at *at, const struct cal_event *ev, const struct json *v,
                        struct ocal_attachment *ret)
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
    if ((kind == OCAL_ITEM && graph_enclosed_kind(c, json_get(v, "item"), &enclosed) < 0) ||
        (kind == OCAL_LINK && graph_reference_read(c, v, &link) < 0))
        return -1;
    if (kind == OCAL_FILE &&
        (!content || base64_decode(a, content, strlen(content), &bytes, &n) < 0))
        return ocal_invalid(c, "contentBytes", "base64");
    if (kind != OCAL_FILE)
        content = other_members(a, v);
    if (n > MAX_BYTES || strlen(content) > 2 * MAX_BYTES)
        return call_fail(c, SOSIA_E_TOO_LARGE, "ErrorMessageSizeExceeded", NULL,
                         "The message exceeds the maximum supported size.");
    if (kind == OCAL_FILE && !type)
        type = OCAL_UNKNOWN_TYPE;
    struct ocal_attachment row = {.event = ocal_attached_to(ev),
                                  .kind = kind,
                                  .name = name,
                                  .type = type,
                                  .is_inline = json_get_true(v, "isInline"),
                                  .content_id = json_get_str(v, "contentId"),
                                  .size = (int64_t)(kind ? strlen(content) : n),
                                  .content = content,
                                  .updated_us = c->tx.now_us};
    if (ocal_attachment_add(c, &row) < 0)
        return -1;
    at->attached = 1;
    *ret = row;
    return 0;
}

int ocal_add_attachments(struct ocal_at *at, const struct cal_event *ev, const struct json *list)
{
    struct ocal_attachment row;
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++)
        if (ocal_add_attachment(at, ev, &list->items[i], &row) < 0)
            return -1;
    return 0;
}
