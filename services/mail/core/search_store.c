/* SPDX-License-Identifier: Apache-2.0 */
/* Queries as JSON: {"kind": "phrase", "fields": 512, "text": "..."}, as filters keep them. */
#include "services/mail/core/setting.h"

static const char *const kind_words[] = {
    [SEARCH_AND] = "and",       [SEARCH_OR] = "or",     [SEARCH_NOT] = "not",
    [SEARCH_PHRASE] = "phrase", [SEARCH_NEAR] = "near", [SEARCH_ADDRESS] = "address",
    [SEARCH_LABEL] = "label",   [SEARCH_HAS] = "has",   [SEARCH_FLAGS] = "flags",
    [SEARCH_SIZE] = "size",     [SEARCH_DATE] = "date", [SEARCH_MESSAGE_ID] = "messageId",
};

void search_write(struct json_writer *w, const char *key, const struct search *s)
{
    json_obj(w, key);
    json_str(w, "kind", kind_words[s->kind]);
    if (s->n_kids) {
        json_arr(w, "kids");
        for (size_t i = 0; i < s->n_kids; i++)
            search_write(w, NULL, s->kids[i]);
        json_end(w);
    }
    if (s->fields)
        json_int(w, "fields", s->fields);
    json_str_opt(w, "text", s->text);
    json_str_opt(w, "text2", s->text2);
    if (s->distance)
        json_int(w, "distance", s->distance);
    json_bool_opt(w, "ordered", s->ordered);
    if (s->label)
        json_int(w, "label", s->label);
    if (s->bits)
        json_int(w, "bits", s->bits);
    if (s->from || s->to) {
        json_int(w, "from", s->from);
        json_int(w, "to", s->to);
    }
    json_end(w);
}

static int64_t number(const struct json *v, const char *member)
{
    int64_t n;
    return json_i64(json_get(v, member), &n) == 0 ? n : 0;
}

/* Has it what its kind needs? */
static bool is_whole(const struct search *s)
{
    switch (s->kind) {
    case SEARCH_NOT:
        return s->n_kids == 1;
    case SEARCH_NEAR:
        return s->text && s->text2;
    case SEARCH_PHRASE:
    case SEARCH_ADDRESS:
    case SEARCH_MESSAGE_ID:
        return s->text != NULL;
    case SEARCH_LABEL:
        return !label_is_role(s->label) || label_place(s->label) < N_LABEL_ROLES;
    default:
        return true;
    }
}

/* Depth is bounded by the JSON reader's; whoever calls it looks at the arena. */
const struct search *search_read(struct arena *a, const struct json *v)
{
    const char *kind = json_get_str(v, "kind");
    struct search *s = arena_calloc(a, 1, sizeof *s);
    size_t k = 0;
    while (kind && k < SOSIA_LEN(kind_words) && strcmp(kind_words[k], kind) != 0)
        k++;
    if (!kind || k == SOSIA_LEN(kind_words))
        return NULL;
    const struct json *kids = json_get(v, "kids"), *ordered = json_get(v, "ordered");
    *s = (struct search){.kind = (enum search_kind)k,
                         .fields = (unsigned)number(v, "fields"),
                         .text = json_get_str(v, "text"),
                         .text2 = json_get_str(v, "text2"),
                         .distance = (int)number(v, "distance"),
                         .ordered = ordered && ordered->type == JSON_BOOL && ordered->truth,
                         .label = number(v, "label"),
                         .bits = (uint32_t)number(v, "bits"),
                         .from = number(v, "from"),
                         .to = number(v, "to")};
    if (kids && kids->type == JSON_ARRAY) {
        const struct search **list = arena_calloc(a, kids->n + 1, sizeof *list);
        for (uint32_t i = 0; i < kids->n; i++)
            if (!(list[i] = search_read(a, &kids->items[i])))
                return NULL;
        s->kids = list;
        s->n_kids = kids->n;
    }
    return is_whole(s) ? s : NULL;
}
