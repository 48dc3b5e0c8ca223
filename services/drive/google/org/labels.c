/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of files. */
#include "services/drive/google/org/label.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/drive/google/content/convert.h"
#include "services/drive/google/scopes.h"

enum { MAX_VALUES = 100, MAX_TEXT = 10000 };

static int files_listLabels(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_label *list;
    int64_t after = 0;
    size_t limit = (size_t)param_num(c, "maxResults", GDRIVE_LABELS_MAX), n;
    if (gdrive_any_subject(c, param_str(c, "fileId"), &s) < 0)
        return -1;
    if (s.access.role < ROLE_READER)
        return gdrive_insufficient(c);
    if (google_page_number(c, 0, &after) < 0 ||
        gdrive_labels_of(&c->tx, s.item.id, after, limit + 1, &list, &n) < 0)
        return -1;
    bool more = n > limit;
    json_obj(c->out, NULL);
    json_word(c->out, "kind", "drive#labelList");
    json_arr(c->out, "labels");
    for (size_t i = 0; i < n - more; i++)
        if (gdrive_write_label(&s.view, &list[i]) < 0)
            return -1;
    json_end(c->out);
    if (more)
        google_next_page(c, list[limit - 1].id);
    json_end(c->out);
    return 0;
}

/* ---- changes ---- */

static int refuse_label(struct call *c, const char *reason, const char *text, const char *id)
{
    return call_fail(c, SOSIA_E_INVALID, reason, NULL, "%s: %s.", text, id);
}

/* Is the value one that the field may have? NULL: no; else as it is kept. */
static const char *check_value(struct call *c, const struct json *field,
                               const struct gdrive_label_kind *k, const struct json *v)
{
    int64_t number;
    const char *who = NULL;
    struct actor person;
    if (v->type != JSON_STRING || v->n > MAX_TEXT)
        return NULL;
    if (strcmp(k->type, "integer") == 0)
        return parse_i64(v->str, v->n, &number) < 0 ? NULL : v->str;
    if (strcmp(k->type, "date") == 0)
        return date_parse(v->str, v->n, &number) < 0 ? NULL : v->str;
    if (strcmp(k->type, "user") == 0)
        return gdrive_addressee(c, v->str, &who, &person) == 1 ? who : NULL;
    if (strcmp(k->type, "selection") != 0)
        return v->str;
    const struct json *choices = json_get(field, "choices");
    for (uint32_t i = 0; choices && choices->type == JSON_ARRAY && i < choices->n; i++)
        if (choices->items[i].type == JSON_STRING && strcmp(choices->items[i].str, v->str) == 0)
            return v->str;
    return NULL;
}

/* Is the field in one of the modifications from that place on? */
static bool is_modified(const struct json *changes, uint32_t from, const char *id)
{
    for (uint32_t i = from; changes && changes->type == JSON_ARRAY && i < changes->n; i++) {
        const char *changed = json_get_str(&changes->items[i], "fieldId");
        if (changed && strcmp(changed, id) == 0)
            return true;
    }
    return false;
}

/* Writes the field with what a modification sets; nothing where it unsets, or where a later one is
 * about the same field. */
static int modify_field(struct call *c, const struct gdrive_label *l, const struct json *changes,
                        uint32_t at, struct json_writer *w)
{
    const struct json *change = &changes->items[at];
    const char *id = json_get_str(change, "fieldId");
    const struct json *field = id ? gdrive_label_field(l, id) : NULL;
    if (!field)
        return refuse_label(c, "labelMutationUnknownField", "The label has no such field",
                            id ? id : "");
    if (json_get_true(change, "unsetValues"))
        return 0;
    const struct gdrive_label_kind *k = gdrive_label_kind_of(field);
    const struct json *values = json_get(change, k->set), *many = json_get(field, "many");
    if (!values || values->type != JSON_ARRAY || values->n > MAX_VALUES)
        return refuse_label(c, "labelMutationForbidden", "The field takes no such values", id);
    if (values->n > 1 && !(many && many->truth))
        return refuse_label(c, "labelMultipleValuesForSingularField",
                            "The field takes one value only", id);
    bool counts = values->n && !is_modified(changes, at + 1, id);
    if (counts)
        json_arr(w, id);
    for (uint32_t i = 0; i < values->n; i++) {
        const char *value = check_value(c, field, k, &values->items[i]);
        if (!value)
            return refuse_label(c,
                                strcmp(k->type, "selection") == 0 ? "labelMutationIllegalSelection"
                                                                  : "labelMutationForbidden",
                                "The field takes no such value", id);
        if (counts)
            json_str(w, NULL, value);
    }
    if (counts)
        json_end(w);
    return 0;
}

/* The label after these modifications, as text; NULL with the call failed. */
static const char *modified(struct call *c, const struct gdrive_label *l,
                            const struct json *changes)
{
    struct json_writer w;
    struct buf b;
    const char *text = NULL;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; l->content && l->content->type == JSON_OBJECT && i < l->content->n; i++)
        if (!is_modified(changes, 0, l->content->members[i].key))
            json_value(&w, l->content->members[i].key, &l->content->members[i].value);
    for (uint32_t i = 0; changes && changes->type == JSON_ARRAY && i < changes->n; i++)
        if (modify_field(c, l, changes, i, &w) < 0)
            goto done;
    json_end(&w);
    if (buf_failed(&b))
        sosia_fail_memory(c->tx.err);
    else
        text = arena_strdup(c->tx.arena, buf_str(&b));
done:
    buf_done(&b);
    return text;
}

static int modify_label(struct gdrive_subject *s, const struct json *m)
{
    struct call *c = s->view.c;
    const char *id = json_get_str(m, "labelId");
    struct gdrive_label l;
    if (!id)
        return call_fail(c, SOSIA_E_INVALID, "required", NULL, "The labelId field is required.");
    int r = gdrive_label(&c->tx, s->item.id, id, &l);
    if (r < 1)
        return r < 0
                   ? -1
                   : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", NULL, "Label not found: %s.", id);
    if (json_get_true(m, "removeLabel"))
        return gdrive_label_put(&c->tx, s->item.id, &l, NULL);
    const char *content = modified(c, &l, json_get(m, "fieldModifications"));
    if (!content || gdrive_label_put(&c->tx, s->item.id, &l, content) < 0 ||
        gdrive_label(&c->tx, s->item.id, id, &l) < 0)
        return -1;
    return gdrive_write_label(&s->view, &l);
}

static int files_modifyLabels(struct call *c)
{
    struct gdrive_subject s;
    const struct json *list = json_get(c->body, "labelModifications");
    if (gdrive_any_subject(c, param_str(c, "fileId"), &s) < 0)
        return -1;
    if (!can(&s.cans, CAN_MODIFY_LABELS))
        return call_fail(c, SOSIA_E_FORBIDDEN, "applyLabelForbidden", NULL,
                         "The user cannot modify labels on this item.");
    if (list && (list->type != JSON_ARRAY || list->n > GDRIVE_LABELS_MAX)) {
        call_why(c, "labelModifications must be a list, not %s", call_quote(c, list));
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
    }
    json_obj(c->out, NULL);
    json_word(c->out, "kind", "drive#modifyLabelsResponse");
    json_arr(c->out, "modifiedLabels");
    for (uint32_t i = 0; list && i < list->n; i++)
        if (modify_label(&s, &list->items[i]) < 0)
            return -1;
    json_end(c->out);
    json_end(c->out);
    return drive_item_save(&c->tx, &s.item);
}

static const struct param list_params[] = {
    GDRIVE_FILE_ID,
    {.name = "maxResults",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .def = "100",
     .min = 1,
     .max = 100,
     .format = "int32"},
    {.name = "pageToken", .place = IN_QUERY},
};

static const struct param modify_params[] = {GDRIVE_FILE_ID};

static const struct route methods[] = {
    {ROUTE("drive.files.listLabels", GET, "/drive/v3/files/{fileId}/listLabels"),
     .handler = files_listLabels, .risk = RISK_READ,
     .scopes =
         DRIVE " " FILE_SCOPE " " MEET_READONLY " " METADATA " " METADATA_READONLY " " READONLY,
     PARAMS(list_params), .response = "LabelList", .summary = "The labels of a file"},
    {ROUTE("drive.files.modifyLabels", POST, "/drive/v3/files/{fileId}/modifyLabels"),
     .handler = files_modifyLabels, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = DRIVE " " FILE_SCOPE " " METADATA, PARAMS(modify_params),
     .request = "ModifyLabelsRequest", .response = "ModifyLabelsResponse",
     .summary = "Put labels on a file, change them, take them off"},
};

const struct rows gdrive_labels = ROWS(methods);
