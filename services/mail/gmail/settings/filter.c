/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters: criteria become a question in the language of searches, which the core keeps and matches
 * with each incoming message; actions become labels to add and remove, and an address.
 */
#include "services/mail/gmail/query/query.h"
#include "services/mail/gmail/settings/settings.h"

#define MAX_TERMS      1500 /* bytes of all criteria, as terms of a search */
#define MAX_TREE_DEPTH 45

/* ---- criteria ---- */

/* Criteria as terms, one after the other: what they have together is limited. */
struct criteria {
    const struct search **kids;
    size_t n;
    size_t len; /* of the terms */
};

static int add_terms(struct tx *tx, const struct mailbox *mb, const char *before, const char *text,
                     const char *after, struct criteria *all)
{
    struct query q;
    const char *terms = arena_printf(tx->arena, "%s%s%s", before, text, after);
    all->len += strlen(terms) + (all->n > 0);
    if (all->len > MAX_TERMS)
        return settings_bad(tx, "The specified filter is too long");
    if (gmail_query_parse(tx, mb, terms, &q) < 0)
        return tx->err->code == SOSIA_E_INVALID ? settings_bad(tx, "Invalid filter criteria") : -1;
    all->kids[all->n++] = q.tree;
    return 0;
}

static int depth_of(const struct search *s)
{
    int deepest = 0;
    for (size_t i = 0; i < s->n_kids; i++) {
        int d = depth_of(s->kids[i]);
        deepest = d > deepest ? d : deepest;
    }
    return deepest + 1;
}

static const char *const comparisons[] = {"smaller", "larger", NULL};

static int size_criterion(struct tx *tx, const struct json *criteria, struct criteria *all)
{
    int64_t size = settings_number(criteria, "size");
    int how = settings_word(criteria, "sizeComparison", comparisons);
    struct search *s = arena_calloc(tx->arena, 1, sizeof *s);
    if (size < 0 || how < 0)
        return settings_bad(tx, "Invalid size criteria");
    *s = (struct search){
        .kind = SEARCH_SIZE, .from = how ? size + 1 : 0, .to = how ? INT64_MAX : size};
    all->kids[all->n++] = s;
    return 0;
}

static int read_criteria(struct tx *tx, const struct mailbox *mb, const struct json *criteria,
                         const struct search **ret)
{
    static const struct {
        const char *member, *before, *after;
    } texts[] = {
        {"from", "from:(", ")"}, {"to", "to:(", ")"},         {"subject", "subject:(", ")"},
        {"query", "", ""},       {"negatedQuery", "-{", "}"},
    };
    static const struct {
        const char *member, *terms;
    } truths[] = {{"hasAttachment", "has:attachment"}, {"excludeChats", "-in:chats"}};
    struct arena *a = tx->arena;
    struct criteria all = {
        .kids = arena_calloc(a, SOSIA_LEN(texts) + SOSIA_LEN(truths) + 1, sizeof *all.kids)};
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        const char *text = settings_text(criteria, texts[i].member);
        if (!text[strspn(text, " \t")])
            continue;
        if (add_terms(tx, mb, texts[i].before, text, texts[i].after, &all) < 0)
            return -1;
    }
    for (size_t i = 0; i < SOSIA_LEN(truths); i++)
        if (settings_bool(criteria, truths[i].member) &&
            add_terms(tx, mb, "", truths[i].terms, "", &all) < 0)
            return -1;
    if (settings_has(criteria, "size") && size_criterion(tx, criteria, &all) < 0)
        return -1;
    if (!all.n)
        return settings_bad(tx, "Filter doesn't have any criteria");
    struct search *whole = arena_calloc(a, 1, sizeof *whole);
    *whole = (struct search){.kind = SEARCH_AND, .kids = all.kids, .n_kids = all.n};
    if (arena_failed(a))
        return sosia_fail_memory(tx->err);
    if (depth_of(whole) > MAX_TREE_DEPTH)
        return settings_bad(tx, "Invalid filter criteria");
    *ret = whole;
    return 0;
}

/* ---- actions ---- */

/* Labels of an action: what filters may add, and what they may take away. */
static bool may_act(int64_t id, bool add)
{
    if (!mail_folder_is_fixed(id))
        return true;
    switch (mail_folder_place(id)) {
    case LABEL_SENT:
    case LABEL_DRAFT:
    case LABEL_CHAT:
        return false;
    case LABEL_SPAM:
    case LABEL_INBOX:
    case LABEL_UNREAD:
        return !add;
    default:
        return true;
    }
}

/* A label by its id, or by its name: 1 found, 0 not. */
static int find_label(struct tx *tx, const struct mailbox *mb, const char *text, bool names,
                      int64_t *ret)
{
    struct mail_folder l;
    int64_t place = gmail_label_place(text);
    int r = 0;
    if (place >= 0 && place < FOLDER_OWN) {
        *ret = mail_folder_id(mb->id, place);
        return 1;
    }
    if (place >= 0)
        r = mail_folder_get(tx, mb->id, mail_folder_id(mb->id, place), &l);
    if (r == 0 && names)
        r = mail_folder_by_name(tx, mb->id, 0, text, &l);
    if (r == 1)
        *ret = l.id;
    return r;
}

static int read_labels(struct tx *tx, const struct mailbox *mb, const struct json *list, bool add,
                       bool names, const int64_t **ret, size_t *ret_n)
{
    uint32_t n = !list || list->type == JSON_NULL ? 0 : list->type == JSON_ARRAY ? list->n : 1;
    const struct json *items = list && list->type == JSON_ARRAY ? list->items : list;
    int64_t *ids = arena_calloc(tx->arena, n + 1, sizeof *ids);
    size_t own = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (uint32_t i = 0; i < n; i++) {
        const char *text = items[i].type == JSON_STRING ? items[i].str : "";
        int r = find_label(tx, mb, text, names, &ids[i]);
        if (r < 0)
            return -1;
        if (!r || !may_act(ids[i], add))
            return settings_bad(tx, "Invalid label: %.100s", text);
        own += !mail_folder_is_fixed(ids[i]);
    }
    if (add && own > 1)
        return settings_bad(tx, "Filter may add at most one user label");
    *ret = ids;
    *ret_n = n;
    return 0;
}

static int read_action(struct tx *tx, const struct mailbox *mb, const struct json *action,
                       bool names, struct gmail_filter *f)
{
    const char *forward = settings_text(action, "forward");
    if (read_labels(tx, mb, json_get(action, "addLabelIds"), true, names, &f->add, &f->n_add) < 0 ||
        read_labels(tx, mb, json_get(action, "removeLabelIds"), false, names, &f->remove,
                    &f->n_remove) < 0)
        return -1;
    return *forward ? settings_address(tx, forward, "forwarding address", &f->forward) : 0;
}

/* ---- writing ---- */

/* Criteria in their order, as they are kept and shown. */
static const char *said(struct tx *tx, const struct json *criteria)
{
    static const char *const texts[] = {"from", "to", "subject", "query", "negatedQuery"};
    struct buf b;
    struct json_writer w;
    buf_init(&b, 1 << 18);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        if (*settings_text(criteria, texts[i]))
            json_str(&w, texts[i], settings_text(criteria, texts[i]));
    json_bool_opt(&w, "hasAttachment", settings_bool(criteria, "hasAttachment"));
    json_bool_opt(&w, "excludeChats", settings_bool(criteria, "excludeChats"));
    if (settings_has(criteria, "size")) {
        json_int(&w, "size", settings_number(criteria, "size"));
        json_str(&w, "sizeComparison", settings_text(criteria, "sizeComparison"));
    }
    json_end(&w);
    if (buf_failed(&b))
        tx->arena->failed = true;
    return buf_keep(&b, tx->arena);
}

int settings_read_filter(struct tx *tx, const struct mailbox *mb, const struct json *v, bool names,
                         struct gmail_filter *ret)
{
    *ret = (struct gmail_filter){0};
    if (read_criteria(tx, mb, json_get(v, "criteria"), &ret->query) < 0 ||
        read_action(tx, mb, json_get(v, "action"), names, ret) < 0)
        return -1;
    ret->said = said(tx, json_get(v, "criteria"));
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

static int write_labels(struct tx *tx, const struct mailbox *mb, struct json_writer *w,
                        const char *member, const int64_t *ids, size_t n)
{
    size_t written = 0;
    for (size_t i = 0; i < n; i++) {
        struct mail_folder l;
        int r = mail_folder_get(tx, mb->id, ids[i], &l);
        if (r < 0)
            return -1;
        if (!r)
            continue;
        if (!written++)
            json_arr(w, member);
        json_str(w, NULL, gmail_label_id(tx->arena, ids[i]));
    }
    if (written)
        json_end(w);
    return 0;
}

int settings_write_filter(struct tx *tx, const struct mailbox *mb, struct json_writer *w,
                          const struct gmail_filter *f)
{
    json_str(w, "id", f->key);
    json_raw(w, "criteria", f->said, strlen(f->said));
    json_obj(w, "action");
    if (write_labels(tx, mb, w, "addLabelIds", f->add, f->n_add) < 0 ||
        write_labels(tx, mb, w, "removeLabelIds", f->remove, f->n_remove) < 0)
        return -1;
    json_str_opt(w, "forward", f->forward);
    json_end(w);
    return 0;
}

int settings_filter_key(struct tx *tx, const struct mailbox *mb, const char **ret)
{
    struct kept there;
    int r;
    do
        r = settings_new_id(tx, "gmail.filter", ret) < 0
                ? -1
                : mail_kept_get(tx, &gmail_settings, mb->id, SETTING_FILTER, *ret, &there);
    while (r == 1);
    return r;
}
