/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of files as they are written. */
#include "services/drive/google/org/label.h"
#include "services/drive/google/gdrive.h"

static const struct gdrive_label_kind kinds[] = {
    {"text", "text", "setTextValues"},
    {"longText", "text", "setTextValues"},
    {"integer", "integer", "setIntegerValues"},
    {"date", "dateString", "setDateValues"},
    {"selection", "selection", "setSelectionValues"},
    {"user", "user", "setUserValues"},
};

const struct gdrive_label_kind *gdrive_label_kind_of(const struct json *field)
{
    const char *type = json_get_str(field, "type");
    for (size_t i = 0; type && i < SOSIA_LEN(kinds); i++)
        if (strcmp(kinds[i].type, type) == 0)
            return &kinds[i];
    return &kinds[0];
}

static int write_values(struct gdrive_view *v, const struct gdrive_label_kind *k,
                        const struct json *values)
{
    struct json_writer *w = v->c->out;
    json_arr(w, k->value);
    for (uint32_t i = 0; values->type == JSON_ARRAY && i < values->n; i++) {
        struct actor who;
        if (values->items[i].type != JSON_STRING)
            continue;
        const char *text = values->items[i].str;
        int r = strcmp(k->type, "user") == 0 ? actor_by_email(&v->c->tx, text, &who) : 0;
        if (r < 0 || (r && gdrive_write_user(v, NULL, who.id) < 0))
            return -1;
        if (!r)
            json_str(w, NULL, text);
    }
    json_end(w);
    return 0;
}

int gdrive_write_label(struct gdrive_view *v, const struct gdrive_label *l)
{
    struct json_writer *w = v->c->out;
    json_obj(w, NULL);
    json_str(w, "id", l->key);
    json_str(w, "revisionId", l->revision);
    json_word(w, "kind", "drive#label");
    json_obj(w, "fields");
    for (uint32_t i = 0; l->content && l->content->type == JSON_OBJECT && i < l->content->n; i++) {
        const struct json_member *m = &l->content->members[i];
        const struct gdrive_label_kind *k = gdrive_label_kind_of(gdrive_label_field(l, m->key));
        json_obj(w, m->key);
        json_str(w, "id", m->key);
        json_word(w, "kind", "drive#labelField");
        json_word(w, "valueType", k->value);
        if (write_values(v, k, &m->value) < 0)
            return -1;
        json_end(w);
    }
    json_end(w);
    json_end(w);
    return 0;
}

/* Is the id in a list of them with commas between? */
static bool is_named(const char *list, const char *id)
{
    size_t n = strlen(id);
    for (size_t m; *list; list += m + (list[m] == ',')) {
        m = strcspn(list, ",");
        if (m == n && memcmp(list, id, n) == 0)
            return true;
    }
    return false;
}

int gdrive_write_label_info(struct gdrive_view *v, const struct drive_item *it, const char *wanted)
{
    struct json_writer *w = v->c->out;
    struct gdrive_label *list;
    int64_t after = 0;
    size_t n;
    if (!json_wants(w, "labelInfo"))
        return 0;
    json_obj(w, "labelInfo");
    json_arr(w, "labels");
    do { /* those that it has are few, whatever many are asked for */
        if (gdrive_labels_of(&v->c->tx, it->id, after, GDRIVE_LABELS_MAX, &list, &n) < 0)
            return -1;
        for (size_t i = 0; i < n; i++) {
            after = list[i].id;
            if (is_named(wanted, list[i].key) && gdrive_write_label(v, &list[i]) < 0)
                return -1;
        }
    } while (n == GDRIVE_LABELS_MAX);
    json_end(w);
    json_end(w);
    return 0;
}
