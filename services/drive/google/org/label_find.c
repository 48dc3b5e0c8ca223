/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about labels: which an item has, and the values of their fields. */
#include "engine/world/take.h"
#include "services/drive/google/org/label.h"
#include <stdlib.h>
#include <strings.h>

static bool is_so(enum find_op op, const char *value, const char *asked)
{
    char *end_a, *end_b;
    double a = strtod(value, &end_a), b = strtod(asked, &end_b);
    bool number = *value && *asked && !*end_a && !*end_b;
    int order = number ? (a > b) - (a < b) : strcmp(value, asked);
    switch (op) {
    case OP_LT:
        return order < 0;
    case OP_LE:
        return order <= 0;
    case OP_GT:
        return order > 0;
    case OP_GE:
        return order >= 0;
    case OP_HAS:
        return strcasestr(value, asked) != NULL;
    case OP_STARTS:
        return strncasecmp(value, asked, strlen(asked)) == 0;
    default:
        return order == 0;
    }
}

/* A field as it is kept, an array of strings (label.h): one of them is so. */
static bool field_is_so(const struct json *field, const struct find *q)
{
    for (uint32_t i = 0; field->type == JSON_ARRAY && i < field->n; i++)
        if (field->items[i].type == JSON_STRING && is_so(q->op, field->items[i].str, q->value))
            return true;
    return false;
}

int gdrive_find_label(struct tx *tx, const struct find *q, const struct drive_item *it)
{
    static struct sql_text text =
        SQL_TEXT("select l.content from gdrive_labelled l join gdrive_label d on d.id = l.label "
                 "where l.item = :item and d.key = :key");
    const struct json *v;
    const char *content;
    int r = TX_TAKE(tx, TX_QUERY(tx, &text, it->id, q->text), &content);
    if (r != 1)
        return r < 0 ? -1 : 0;
    if (q->id == LABEL_HAS)
        return 1;
    if (json_parse(tx->arena, content, strlen(content), NULL, &v, tx->err) < 0)
        return -1;
    const struct json *field = json_get(v, q->text2);
    if (q->op == OP_NULL)
        return !field;
    if (q->op == OP_SET)
        return field != NULL;
    return field && field_is_so(field, q);
}
