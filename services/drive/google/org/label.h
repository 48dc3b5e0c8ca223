/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels: what an organisation lets be said of items. A definition is a JSON object {"fields":
 * [{"id", "type", "many", "choices"}]} with the types text, longText, integer, date, selection,
 * user; what is said of an item is a JSON object of its fields by id, each an array of strings.
 */
#ifndef SOSIA_DRIVE_GOOGLE_LABEL_H
#define SOSIA_DRIVE_GOOGLE_LABEL_H

#include "services/drive/core/find/find.h"

struct form;

struct gdrive_label {
    int64_t id;
    const char *key, *revision, *name;
    const struct json *fields;  /* of its definition: an array */
    const struct json *content; /* of the item that is asked about; NULL: it has no such label */
};
/* Those of an item, by id, behind `after`: 0, -1. */
int gdrive_labels_of(struct tx *tx, int64_t item, int64_t after, size_t limit,
                     struct gdrive_label **ret, size_t *ret_n);
/* A label, with what it says of the item: 1, 0, -1. */
int gdrive_label(struct tx *tx, int64_t item, const char *key, struct gdrive_label *ret);
/* Says this of the item (JSON text); NULL: takes the label away. The item is not saved. */
int gdrive_label_put(struct tx *tx, int64_t item, const struct gdrive_label *l,
                     const char *content);
const struct json *gdrive_label_field(const struct gdrive_label *l, const char *id);

/* Questions of lists (FIND_OWN): id is one of these. */
enum gdrive_find_label {
    LABEL_HAS,  /* text: key of a label that it has */
    LABEL_FIELD /* text: the label's, text2: a field's; op, value */
};
int gdrive_find_label(struct tx *tx, const struct find *q, const struct drive_item *it);

/* The member labels of a file in seed documents: {"id", "fields": {id: [texts]}}. */
struct doc;
int gdrive_labelled_seed(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it);
int gdrive_labelled_dump(struct tx *tx, struct json_writer *w, const struct drive_item *it);

/* The section driveLabels. */
int gdrive_label_seed(struct tx *tx, struct doc *d, const struct json *item);
extern const struct form gdrive_label_form; /* its members */
int gdrive_label_dump(struct tx *tx, int64_t rowid, struct json_writer *w);

/* ---- as they are written (label_render.c) ---- */

#define GDRIVE_LABELS_MAX 100 /* read at a time */

struct gdrive_view;

/* Types of fields: their names in a definition, in responses, and in changes. */
struct gdrive_label_kind {
    const char *type, *value, *set;
};
/* The type of a field by its definition. */
const struct gdrive_label_kind *gdrive_label_kind_of(const struct json *field);
/* A label of a file with its values. 0, -1. */
int gdrive_write_label(struct gdrive_view *v, const struct gdrive_label *l);

#endif
