/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters: criteria become a question in the language of searches, which the core keeps and asks of
 * each message that comes; actions become labels that come and go, and an address.
 */
#include "engine/base/codec.h"
#include "services/mail/gmail/query.h"
#include "services/mail/gmail/settings.h"

#define MAX_FILTERS    1000
#define MAX_FORWARDING 20   /* of them forward */
#define MAX_TERMS      1500 /* bytes of all criteria, as terms of a search */
#define MAX_TREE_DEPTH 45

/* ---- criteria ---- */

/* Criteria as terms, one after the other: what they have together is limited. */
struct criteria {
    const struct search **kids;
    size_t n;
    size_t len; /* of the terms */
};

static int add_terms(struct call *c, const struct mailbox *mb, const char *before, const char *text,
                     const char *after, struct criteria *all)
{
    struct query q;
    const char *terms = arena_printf(c->tx.arena, "%s%s%s", before, text, after);
    all->len += strlen(terms) + (all->n > 0);
    if (all->len > MAX_TERMS)
        return gmail_invalid(c, "The specified filter is too long");
    if (gmail_query_parse(&c->tx, mb, terms, &q) < 0)
        return c->tx.err->code == SOSIA_E_INVALID ? gmail_invalid(c, "Invalid filter criteria")
                                                  : -1;
    all->kids[all->n++] = q.tree;
    return 0;
}

/* The same question about other fields. */
static const struct search *in_fields(struct arena *a, const struct search *s, unsigned fields)
{
    struct search *copy = arena_calloc(a, 1, sizeof *copy);
    const struct search **kids = arena_calloc(a, s->n_kids + 1, sizeof *kids);
    *copy = *s;
    if (copy->fields)
        copy->fields = fields;
    for (size_t i = 0; i < s->n_kids; i++)
        kids[i] = in_fields(a, s->kids[i], fields);
    copy->kids = kids;
    return copy;
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

static int size_criterion(struct call *c, const struct json *criteria, struct criteria *all)
{
    int64_t size;
    int how = settings_word(criteria, "sizeComparison", comparisons);
    struct search *s = arena_calloc(c->tx.arena, 1, sizeof *s);
    if (json_i64(json_get(criteria, "size"), &size) < 0 || size < 0 || how < 0)
        return gmail_invalid(c, "Invalid size criteria");
    *s = (struct search){
        .kind = SEARCH_SIZE, .from = how ? size + 1 : 0, .to = how ? INT64_MAX : size};
    all->kids[all->n++] = s;
    return 0;
}

int settings_criteria(struct call *c, const struct mailbox *mb, const struct json *criteria,
                      const struct search **ret)
{
    static const struct {
        const char *member, *before, *after;
        unsigned fields;
    } texts[] = {
        {"from", "from:(", ")", 0},       {"to", "to:(", ")", FIELD_TO | FIELD_CC | FIELD_BCC},
        {"subject", "subject:(", ")", 0}, {"query", "", "", 0},
        {"negatedQuery", "-{", "}", 0},
    };
    static const struct {
        const char *member, *terms;
    } truths[] = {{"hasAttachment", "has:attachment"}, {"excludeChats", "-in:chats"}};
    struct arena *a = c->tx.arena;
    struct criteria all = {
        .kids = arena_calloc(a, SOSIA_LEN(texts) + SOSIA_LEN(truths) + 1, sizeof *all.kids)};
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        const char *text = settings_text(criteria, texts[i].member);
        if (!text[strspn(text, " \t")])
            continue;
        if (add_terms(c, mb, texts[i].before, text, texts[i].after, &all) < 0)
            return -1;
        if (texts[i].fields)
            all.kids[all.n - 1] = in_fields(a, all.kids[all.n - 1], texts[i].fields);
    }
    for (size_t i = 0; i < SOSIA_LEN(truths); i++)
        if (settings_bool(criteria, truths[i].member) &&
            add_terms(c, mb, "", truths[i].terms, "", &all) < 0)
            return -1;
    if (settings_has(criteria, "size") && size_criterion(c, criteria, &all) < 0)
        return -1;
    if (!all.n)
        return gmail_invalid(c, "Filter doesn't have any criteria");
    struct search *whole = arena_calloc(a, 1, sizeof *whole);
    *whole = (struct search){.kind = SEARCH_AND, .kids = all.kids, .n_kids = all.n};
    if (arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    if (depth_of(whole) > MAX_TREE_DEPTH)
        return gmail_invalid(c, "Invalid filter criteria");
    *ret = whole;
    return 0;
}

/* ---- actions ---- */

/* Labels of an action: what filters may add, and what they may take away. */
static bool may_act(int64_t id, bool add)
{
    if (!label_is_role(id))
        return true;
    switch (label_place(id)) {
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

static int read_labels(struct call *c, const struct mailbox *mb, const struct json *action,
                       const char *member, bool add, const int64_t **ret, size_t *ret_n)
{
    int64_t *ids;
    size_t own = 0;
    if (gmail_label_list(c, mb, action, member, true, &ids, ret_n) < 0)
        return -1;
    for (size_t i = 0; i < *ret_n; i++) {
        own += !label_is_role(ids[i]);
        if (!may_act(ids[i], add))
            return gmail_invalid(c, "Invalid label: %s", gmail_label_id(c->tx.arena, ids[i]));
    }
    if (add && own > 1)
        return gmail_invalid(c, "Filter may add at most one user label");
    *ret = ids;
    return 0;
}

static int read_action(struct call *c, const struct mailbox *mb, const struct json *action,
                       struct filter *f)
{
    struct forward to;
    if (read_labels(c, mb, action, "addLabelIds", true, &f->add, &f->n_add) < 0 ||
        read_labels(c, mb, action, "removeLabelIds", false, &f->remove, &f->n_remove) < 0)
        return -1;
    if (*settings_text(action, "forward")) {
        if (settings_address(c, settings_text(action, "forward"), "forwarding address",
                             &f->forward) < 0)
            return -1;
        int r = forward_get(&c->tx, mb, f->forward, &to);
        if (r < 0)
            return -1;
        if (!r || to.pending)
            return gmail_invalid(c, "Unrecognized forwarding address");
    }
    if (!f->n_add && !f->n_remove && !f->forward)
        return gmail_invalid(c, "Filter doesn't have any actions");
    return 0;
}

/* ---- writing ---- */

static void write_strings(struct json_writer *w, const struct json *obj, const char *member)
{
    const struct json *v = json_get(obj, member);
    if (!v || v->type == JSON_NULL || (v->type == JSON_ARRAY && !v->n))
        return;
    if (v->type == JSON_ARRAY) {
        json_value(w, member, v);
        return;
    }
    json_arr(w, member);
    json_value(w, NULL, v);
    json_end(w);
}

/* Criteria and action, in their order, as they are kept and shown. */
static const char *said(struct call *c)
{
    static const char *const texts[] = {"from", "to", "subject", "query", "negatedQuery"};
    const struct json *criteria = json_get(c->body, "criteria");
    const struct json *action = json_get(c->body, "action");
    struct buf b;
    struct json_writer w;
    buf_init(&b, 1 << 18);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_obj(&w, "criteria");
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        if (*settings_text(criteria, texts[i]))
            json_str(&w, texts[i], settings_text(criteria, texts[i]));
    json_bool_opt(&w, "hasAttachment", settings_bool(criteria, "hasAttachment"));
    json_bool_opt(&w, "excludeChats", settings_bool(criteria, "excludeChats"));
    if (settings_has(criteria, "size")) {
        int64_t size = 0;
        json_i64(json_get(criteria, "size"), &size);
        json_int(&w, "size", size);
        json_str(&w, "sizeComparison", settings_text(criteria, "sizeComparison"));
    }
    json_end(&w);
    json_obj(&w, "action");
    write_strings(&w, action, "addLabelIds");
    write_strings(&w, action, "removeLabelIds");
    if (*settings_text(action, "forward"))
        json_str(&w, "forward", settings_text(action, "forward"));
    json_end(&w);
    json_end(&w);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static int write_filter(struct call *c, const struct filter *f)
{
    const struct json *v;
    if (json_parse(c->tx.arena, f->said, strlen(f->said), NULL, &v, c->tx.err) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_str(c->out, "id", f->key);
    json_value(c->out, "criteria", json_get(v, "criteria"));
    json_value(c->out, "action", json_get(v, "action"));
    json_end(c->out);
    return 0;
}

/* ---- methods ---- */

int gmail_filters_list(struct call *c)
{
    struct mailbox mb;
    struct filter *all;
    size_t n;
    if (settings_open(c, &mb) < 0 || filter_list(&c->tx, &mb, &all, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    if (n) {
        json_arr(c->out, "filter");
        for (size_t i = 0; i < n; i++)
            if (write_filter(c, &all[i]) < 0)
                return -1;
        json_end(c->out);
    }
    json_end(c->out);
    return 0;
}

int gmail_filters_get(struct call *c)
{
    struct mailbox mb;
    struct filter f;
    if (settings_open(c, &mb) < 0)
        return -1;
    int r = filter_get(&c->tx, &mb, param_str(c, "id"), &f);
    return r == 1 ? write_filter(c, &f) : r < 0 ? -1 : gmail_not_found(c);
}

static int new_id(struct call *c, const char **ret)
{
    uint8_t bytes[24];
    struct buf b;
    if (tx_id(&c->tx, "gmail.filter", bytes, sizeof bytes) < 0)
        return -1;
    buf_init(&b, 64);
    buf_puts(&b, "ANe1Bm");
    base64url_add(&b, bytes, sizeof bytes, false);
    *ret = arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

/* Is there room for it, and no other like it? */
static int check_others(struct call *c, const struct mailbox *mb, const struct filter *f)
{
    struct filter *all;
    size_t n, forwarding = f->forward != NULL;
    if (filter_list(&c->tx, mb, &all, &n) < 0)
        return -1;
    if (n >= MAX_FILTERS)
        return call_fail(c, SOSIA_E_INVALID, "failedPrecondition", NULL, "Too many filters");
    for (size_t i = 0; i < n; i++) {
        forwarding += all[i].forward != NULL;
        if (strcmp(all[i].said, f->said) == 0)
            return gmail_invalid(c, "Filter already exists");
    }
    return forwarding > MAX_FORWARDING ? gmail_invalid(c, "Too many forwarding filters") : 0;
}

int gmail_filters_create(struct call *c)
{
    struct mailbox mb;
    struct filter f = {0};
    if (settings_open(c, &mb) < 0 ||
        settings_criteria(c, &mb, json_get(c->body, "criteria"), &f.query) < 0 ||
        read_action(c, &mb, json_get(c->body, "action"), &f) < 0)
        return -1;
    f.said = said(c);
    if (!f.said)
        return gmail_invalid(c, "Invalid filter");
    if (check_others(c, &mb, &f) < 0 || new_id(c, &f.key) < 0 || filter_add(&c->tx, &mb, &f) < 0)
        return -1;
    return write_filter(c, &f);
}

int gmail_filters_delete(struct call *c)
{
    struct mailbox mb;
    if (settings_open(c, &mb) < 0)
        return -1;
    int r = filter_delete(&c->tx, &mb, param_str(c, "id"));
    return r == 1 ? settings_nothing(c) : r < 0 ? -1 : gmail_not_found(c);
}
