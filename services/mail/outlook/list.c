/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of messages: $filter, $orderby and $search with the restrictions that were measured (MG-47
 * to 49, 338, 621, 622). What indexes of the mail core can find is asked of them; each message that
 * they give is asked again by the whole expression.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/options.h"
#include "services/mail/outlook/search.h"
#include "services/mail/outlook/text.h"
#include <stdlib.h>

#define WALK       500  /* messages that are looked at together */
#define MOST_FOUND 1000 /* by $search (MG-48) */

enum path {
    PATH_ID,
    PATH_RECEIVED,
    PATH_CREATED,
    PATH_SENT,
    PATH_MODIFIED,
    PATH_READ,
    PATH_DRAFT,
    PATH_FOLDER,
    PATH_SUBJECT,
    PATH_FROM,
    PATH_FROM_NAME,
    PATH_SENDER,
    PATH_SENDER_NAME,
    PATH_IMPORTANCE,
    PATH_FILES,
    PATH_MESSAGE_ID,
    PATH_CONVERSATION,
    PATH_FLAG,
    PATH_CATEGORIES,
    PATH_INFERENCE,
    PATH_PREVIEW,
    PATH_BODY,
    PATH_CHANGE_KEY,
    PATH_SINGLE,
    PATH_EXTENSIONS
};
const char *const outlook_paths[] = {[PATH_ID] = "id",
                                     [PATH_RECEIVED] = "receivedDateTime",
                                     [PATH_CREATED] = "createdDateTime",
                                     [PATH_SENT] = "sentDateTime",
                                     [PATH_MODIFIED] = "lastModifiedDateTime",
                                     [PATH_READ] = "isRead",
                                     [PATH_DRAFT] = "isDraft",
                                     [PATH_FOLDER] = "parentFolderId",
                                     [PATH_SUBJECT] = "subject",
                                     [PATH_FROM] = "from/emailAddress/address",
                                     [PATH_FROM_NAME] = "from/emailAddress/name",
                                     [PATH_SENDER] = "sender/emailAddress/address",
                                     [PATH_SENDER_NAME] = "sender/emailAddress/name",
                                     [PATH_IMPORTANCE] = "importance",
                                     [PATH_FILES] = "hasAttachments",
                                     [PATH_MESSAGE_ID] = "internetMessageId",
                                     [PATH_CONVERSATION] = "conversationId",
                                     [PATH_FLAG] = "flag/flagStatus",
                                     [PATH_CATEGORIES] = "categories",
                                     [PATH_INFERENCE] = "inferenceClassification",
                                     [PATH_PREVIEW] = "bodyPreview",
                                     [PATH_BODY] = "body/content",
                                     [PATH_CHANGE_KEY] = "changeKey",
                                     [PATH_SINGLE] = "singleValueExtendedProperties",
                                     [PATH_EXTENSIONS] = "extensions",
                                     NULL};

/* ---- a message's values ---- */

/* What the getter is given: the message that is asked about, opened where it has to be. */
struct asked {
    struct call *c;
    const struct outlook_box *b;
    const struct outlook_item *i;
    struct mail_message_body body;
    bool open;
};

static int open_body(struct asked *q)
{
    if (!q->open && mail_message_open(&q->c->tx, &q->i->message, &q->body) < 0)
        return -1;
    q->open = true;
    return 0;
}

static struct odata_value person(struct asked *q, struct arena *a, const char *field, bool name)
{
    struct mime_address *list;
    size_t n;
    bool bad;
    mime_address_fields(a, q->body.head, q->body.head_len, field, &list, &n, &bad);
    if (!n && strcmp(field, "Sender") == 0)
        mime_address_fields(a, q->body.head, q->body.head_len, "From", &list, &n, &bad);
    return !n ? odata_null()
              : odata_string(name && list[0].name && *list[0].name ? list[0].name : list[0].email);
}

static int property_value(struct asked *q, int known, struct odata_value *ret)
{
    static const char *const flags[] = {"notFlagged", "flagged", "complete"},
                             *const importances[] = {"low", "normal", "high"};
    struct mail_property p;
    if (mail_property_get(&q->c->tx, &q->i->message, &p) < 0)
        return -1;
    *ret = odata_enum(known == PATH_FLAG         ? flags[p.flag]
                      : known == PATH_IMPORTANCE ? importances[p.importance + 1]
                      : p.inference == INFERENCE_OTHER && q->i->message.flags & FLAG(FOLDER_INBOX)
                          ? "other"
                          : "focused");
    return 1;
}

static int category_values(struct asked *q, struct arena *a, struct odata_value *ret)
{
    const char **names;
    size_t n;
    if (outlook_categories(&q->c->tx, &q->i->message, &names, &n) < 0)
        return -1;
    struct odata_value *list = arena_calloc(a, n + 1, sizeof *list);
    for (size_t i = 0; i < n && !arena_failed(a); i++)
        list[i] = odata_string(names[i]);
    *ret = odata_list(list, n);
    return 1;
}

/* Things of the list are JSON. */
static int extra_values(struct asked *q, struct arena *a, const char *kind, struct odata_value *ret)
{
    struct outlook_extra *extras;
    size_t n;
    if (outlook_extras(&q->c->tx, q->i->message.id, kind, &extras, &n) < 0)
        return -1;
    struct odata_value *list = arena_calloc(a, n + 1, sizeof *list);
    for (size_t i = 0; i < n && !arena_failed(a); i++)
        list[i] = odata_thing(extras[i].value);
    *ret = odata_list(list, n);
    return 1;
}

static int text_value(struct asked *q, struct arena *a, int known, struct odata_value *ret)
{
    const char *text, *html;
    size_t n, html_n;
    if (mail_message_texts(&q->c->tx, &q->body, SEARCH_TEXT_MAX_ASKED, &text, &n, &html, &html_n) <
        0)
        return -1;
    *ret = odata_string(known == PATH_PREVIEW ? outlook_preview(a, text ? text : "", n, 255)
                        : html                ? arena_memdup(a, html, html_n)
                                              : arena_memdup(a, text ? text : "", text ? n : 0));
    return 1;
}

static int head_value(struct asked *q, struct arena *a, int known, struct odata_value *ret)
{
    const char *text;
    int64_t s = q->i->message.at_s;
    if (open_body(q) < 0)
        return -1;
    switch (known) {
    case PATH_SUBJECT:
        text = mime_header(a, q->body.head, q->body.head_len, "Subject");
        *ret = odata_string(text ? text : "");
        return 1;
    case PATH_MESSAGE_ID:
        *ret = odata_string(mime_header(a, q->body.head, q->body.head_len, "Message-ID"));
        return 1;
    case PATH_SENT:
        text = q->i->draft.id ? NULL : mime_header(a, q->body.head, q->body.head_len, "Date");
        if (text)
            mime_date(text, &s, NULL);
        *ret = odata_time(s * US_PER_SECOND);
        return 1;
    case PATH_FROM:
    case PATH_FROM_NAME:
        *ret = person(q, a, "From", known == PATH_FROM_NAME);
        return 1;
    case PATH_SENDER:
    case PATH_SENDER_NAME:
        *ret = person(q, a, "Sender", known == PATH_SENDER_NAME);
        return 1;
    case PATH_FILES:
        *ret = odata_bool(outlook_has_attachments(&q->body.mime));
        return 1;
    default:
        return text_value(q, a, known, ret);
    }
}

static int value_of(void *arg, struct arena *a, const void *thing, const struct odata_path *path,
                    struct odata_value *ret)
{
    struct asked *q = arg;
    const struct outlook_item *i = q->i;
    if (path->variable || thing != i) /* a property or an extension */
        return odata_get_json(NULL, a, thing, path, ret);
    switch (path->known) {
    case PATH_ID:
        *ret = odata_string(outlook_item_id(a, q->b, i));
        return 1;
    case PATH_RECEIVED:
    case PATH_CREATED:
        *ret = odata_time(i->message.at_s * US_PER_SECOND);
        return 1;
    case PATH_MODIFIED:
        *ret = odata_time(i->modified_us);
        return 1;
    case PATH_READ:
        *ret = odata_bool(!(i->message.flags & FLAG(KEYWORD_UNSEEN)));
        return 1;
    case PATH_DRAFT:
        *ret = odata_bool((i->message.flags & FLAG(KEYWORD_DRAFT)) != 0);
        return 1;
    case PATH_FOLDER:
        *ret = odata_string(outlook_folder_text(a, q->b, i->message.folder));
        return 1;
    case PATH_CONVERSATION:
        *ret = odata_string(outlook_conversation_id(a, q->b, i->message.thread_key));
        return 1;
    case PATH_CHANGE_KEY:
        *ret = odata_string(outlook_item_change_key(a, q->b, i));
        return 1;
    case PATH_FLAG:
    case PATH_IMPORTANCE:
    case PATH_INFERENCE:
        return property_value(q, path->known, ret);
    case PATH_CATEGORIES:
        return category_values(q, a, ret);
    case PATH_SINGLE:
        return extra_values(q, a, "single", ret);
    case PATH_EXTENSIONS:
        return extra_values(q, a, "extension", ret);
    case -1:
        return i->meeting ? outlook_meeting_value(&q->c->tx, i, path, ret) : 0;
    default:
        return head_value(q, a, path->known, ret);
    }
}

static const struct edm_type *edm_of(void *arg, const void *thing)
{
    const struct asked *q = arg;
    return thing == q->i ? outlook_item_edm(q->i) : odata_json_type(NULL, thing);
}

static struct odata_ctx asking_context(struct asked *q)
{
    return (struct odata_ctx){.arena = q->c->tx.arena,
                              .get = value_of,
                              .arg = q,
                              .now_us = q->c->tx.now_us,
                              .type_of = edm_of};
}

int outlook_matches(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                    const struct odata_expr *e)
{
    struct asked q = {.c = c, .b = b, .i = i};
    struct odata_ctx ctx = asking_context(&q);
    return e ? odata_matches(&ctx, e, i) : 1;
}

/* ---- what a list asks for ---- */

struct walk {
    struct call *c;
    const struct outlook_box *b;
    const struct odata_query *q;
    struct mail_list list;
    int64_t folder, thread; /* thread: its key; 0: any */
    const struct search *parts[24];
    size_t n_parts;
    bool nothing; /* no message can match */
    bool exact;   /* what the index finds matches without being asked */
};

static int add_part(struct walk *w, struct search part)
{
    struct search *s = arena_alloc(w->c->tx.arena, sizeof *s);
    if (arena_failed(w->c->tx.arena))
        return sosia_fail_memory(w->c->tx.err);
    *s = part;
    if (w->n_parts < SOSIA_LEN(w->parts))
        w->parts[w->n_parts++] = s;
    else
        w->exact = false;
    return 0;
}

static int add_flag(struct walk *w, uint32_t flag, bool set)
{
    struct search *kid = arena_calloc(w->c->tx.arena, 1, sizeof *kid);
    const struct search **kids = arena_alloc(w->c->tx.arena, sizeof *kids);
    if (arena_failed(w->c->tx.arena))
        return sosia_fail_memory(w->c->tx.err);
    *kid = (struct search){.kind = SEARCH_FLAGS, .bits = flag};
    *kids = kid;
    return add_part(w, set ? *kid : (struct search){.kind = SEARCH_NOT, .kids = kids, .n_kids = 1});
}

/* By an id or, as here too (MG-622), a well-known name. */
static int add_folder(struct walk *w, const char *text)
{
    struct mail_folder f;
    int64_t place = outlook_known_place(text);
    if (place == -2 && outlook_folder_id_parse(w->c->tx.arena, w->b, text, &place) != 1) {
        w->nothing = true;
        return 0;
    }
    int r = place < 0 ? 0
                      : mail_folder_get(&w->c->tx, w->b->mailbox.id,
                                        mail_folder_id(w->b->mailbox.id, place), &f);
    w->nothing |= r == 0;
    return r < 0 ? -1 : r ? add_part(w, (struct search){.kind = SEARCH_FOLDER, .id = f.id}) : 0;
}

static int add_category(struct walk *w, const char *name)
{
    const int64_t parent = mail_folder_id(w->b->mailbox.id, FOLDER_CATEGORIES);
    struct mail_folder f;
    int r = mail_folder_by_name(&w->c->tx, w->b->mailbox.id, parent, name, &f);
    w->nothing |= r == 0;
    return r < 0 ? -1 : r ? add_part(w, (struct search){.kind = SEARCH_FOLDER, .id = f.id}) : 0;
}

/* categories/any(c:c eq 'Red') */
static const char *category_asked(const struct odata_expr *e)
{
    const struct odata_expr *eq = e->op == ODATA_ANY && e->n_kids == 2 ? e->kids[1] : NULL;
    if (!eq || e->kids[0]->op != ODATA_PATH || e->kids[0]->path->known != PATH_CATEGORIES ||
        eq->op != ODATA_EQ || eq->n_kids != 2 || eq->kids[0]->op != ODATA_PATH ||
        eq->kids[0]->path->n || eq->kids[1]->op != ODATA_LITERAL)
        return NULL;
    return eq->kids[1]->value.text;
}

static int add_compared(struct walk *w, const struct odata_path *path, enum odata_op op,
                        const struct odata_value *v)
{
    const bool eq = op == ODATA_EQ;
    switch (path->known) {
    case PATH_READ:
    case PATH_DRAFT:
        if ((!eq && op != ODATA_NE) || v->kind != ODATA_BOOL)
            break;
        return path->known == PATH_READ ? add_flag(w, FLAG(KEYWORD_UNSEEN), v->truth != eq)
                                        : add_flag(w, FLAG(KEYWORD_DRAFT), v->truth == eq);
    case PATH_FOLDER:
        if (eq && v->text)
            return add_folder(w, v->text);
        break;
    case PATH_RECEIVED:
    case PATH_CREATED: /* the range has it, but for an instant that is left out */
        w->exact &= op != ODATA_NE && v->kind == ODATA_TIME;
        return 0;
    case PATH_FROM:
    case PATH_SENDER:
        w->exact = false;
        return eq && v->text && strchr(v->text, '@')
                   ? add_part(w, (struct search){.kind = SEARCH_ADDRESS,
                                                 .fields = FIELD_FROM,
                                                 .text = v->text})
                   : 0;
    case PATH_MESSAGE_ID:
        w->exact = false;
        return eq && v->text
                   ? add_part(w, (struct search){.kind = SEARCH_MESSAGE_ID, .text = v->text})
                   : 0;
    case PATH_CONVERSATION:
        w->exact = false;
        if (eq && v->text &&
            outlook_conversation_id_parse(w->c->tx.arena, w->b, v->text, &w->thread) != 1)
            w->nothing = true;
        return 0;
    case PATH_FLAG:
        if (eq && v->text && str_eq_nocase(v->text, "flagged"))
            return add_flag(w, FLAG(KEYWORD_FLAGGED), true);
        break;
    case PATH_FILES:
        w->exact = false;
        return eq && v->kind == ODATA_BOOL && v->truth
                   ? add_part(w, (struct search){.kind = SEARCH_HAS, .bits = HAS_FILE})
                   : 0;
    default:
        break;
    }
    w->exact = false;
    return 0;
}

/* Microseconds of a range as seconds of the index. */
static int64_t seconds_up(int64_t us)
{
    return us == INT64_MIN   ? INT64_MIN
           : us == INT64_MAX ? INT64_MAX
                             : us / US_PER_SECOND + (us % US_PER_SECOND > 0);
}

static int add_range(struct walk *w, const char *path)
{
    int64_t from = INT64_MIN, to = INT64_MAX;
    if (!odata_range(w->q->filter, path, &from, &to)) {
        w->nothing = true;
        return 0;
    }
    if (from == INT64_MIN && to == INT64_MAX)
        return 0;
    return add_part(
        w, (struct search){.kind = SEARCH_DATE, .from = seconds_up(from), .to = seconds_up(to)});
}

static int take_filter(struct walk *w)
{
    const struct odata_expr *const *terms;
    const size_t n = odata_terms(w->c->tx.arena, w->q->filter, &terms);
    for (size_t i = 0; i < n; i++) {
        const struct odata_path *path;
        const struct odata_value *v;
        const char *category = category_asked(terms[i]);
        enum odata_op op;
        int r = 0;
        if (category)
            r = add_category(w, category);
        else if (odata_compared(terms[i], &path, &op, &v))
            r = add_compared(w, path, op, v);
        else
            w->exact = false;
        if (r < 0)
            return -1;
    }
    return n ? add_range(w, "receivedDateTime") < 0 || add_range(w, "createdDateTime") < 0 ? -1 : 0
             : 0;
}

/* ---- what is refused ---- */

static int invalid_nodes(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidUrlQueryFilter", NULL,
                     "The query filter contains one or more invalid nodes.");
}

/* The path is a costly one to sort and ask at once. */
static int is_costly(void *arg, const struct odata_expr *path)
{
    static const char *const costly[] = {"from",       "sender",         "flag",
                                         "categories", "conversationId", "hasAttachments"};
    const struct odata_path *p = path->path;
    (void)arg;
    return p->n && !p->variable && str_in_nocase(p->steps[0].name, costly, SOSIA_LEN(costly));
}

/* MG-47, 338, 621: a sort property that is not the first of the filter goes with some properties
 * alone. */
static bool is_inefficient(struct call *c, const struct odata_query *q)
{
    const struct odata_expr *const *terms;
    const struct odata_path *path;
    if (!q->filter || !q->n_order || q->order[0].by->op != ODATA_PATH)
        return false;
    const size_t n = odata_terms(c->tx.arena, q->filter, &terms);
    if (n && odata_compared(terms[0], &path, NULL, NULL) &&
        strcmp(path->text, q->order[0].by->path->text) == 0)
        return false;
    return odata_each_path(q->filter, is_costly, NULL) != 0;
}

static int check_query(struct call *c, const struct odata_query *q)
{
    static const char *const unasked[] = {"toRecipients", "ccRecipients",           "bccRecipients",
                                          "replyTo",      "internetMessageHeaders", "uniqueBody"};
    if (q->search && q->filter)
        return call_fail(c, SOSIA_E_INVALID, "SearchWithFilter", NULL,
                         "The query parameter '$filter' is not supported with '$search'.");
    if (q->search && q->n_order)
        return call_fail(c, SOSIA_E_INVALID, "SearchWithOrderBy", NULL,
                         "The query parameter '$orderBy' is not supported with '$search'.");
    for (size_t i = 0; i < SOSIA_LEN(unasked); i++)
        if (odata_names(q->filter, unasked[i]))
            return invalid_nodes(c);
    if (is_inefficient(c, q))
        return call_fail(c, SOSIA_E_INVALID, "InefficientFilter", NULL,
                         "The restriction or sort order is too complex for this operation.");
    return 0;
}

/* ---- walking ---- */

static int open_walk(struct walk *w)
{
    struct search *all = arena_calloc(w->c->tx.arena, 1, sizeof *all);
    const struct search *found = NULL;
    if (arena_failed(w->c->tx.arena))
        return sosia_fail_memory(w->c->tx.err);
    w->exact = true;
    if (take_filter(w) < 0)
        return -1;
    if (w->q->search) {
        if (outlook_search(w->c, w->b, w->q, &found) < 0)
            return -1;
        if (found && add_part(w, *found) < 0)
            return -1;
    }
    *all = (struct search){.kind = SEARCH_AND, .kids = w->parts, .n_kids = w->n_parts};
    w->list = (struct mail_list){.mailbox = w->b->mailbox.id,
                                 .query = w->n_parts ? all : NULL,
                                 .folders = w->folder ? &w->folder : NULL,
                                 .n_folders = w->folder != 0,
                                 .limit = WALK};
    return 0;
}

static int by_age(const void *x, const void *y)
{
    const struct mail_message *a = x, *b = y;
    return a->id > b->id ? -1 : a->id < b->id;
}

/* The next ones that may match, newest first. */
static int next_batch(struct walk *w, struct mail_message **ret, size_t *ret_n, bool *ret_more)
{
    struct mail_thread t;
    *ret_n = 0;
    *ret_more = false;
    if (w->nothing)
        return 0;
    if (w->thread) {
        int r = mail_thread_get(&w->c->tx, w->b->mailbox.id, w->thread, &t);
        if (r != 1)
            return r;
        if (mail_thread_messages(&w->c->tx, &t, ret, ret_n) < 0)
            return -1;
        qsort(*ret, *ret_n, sizeof **ret, by_age);
        return 0;
    }
    if (mail_list(&w->c->tx, &w->list, ret, ret_n, ret_more) < 0)
        return outlook_refused(w->c);
    if (*ret_n)
        w->list.before = (*ret)[*ret_n - 1].id;
    return 0;
}

struct gathering {
    struct outlook_item *items;
    struct odata_value **keys; /* of another order than the newest first */
    size_t n, cap, cap_keys;
    size_t from, most; /* those on the page; most 0: all are gathered */
    size_t passed;
    bool more;
};

static int gather(struct walk *w, struct gathering *g, const struct mail_message *m)
{
    struct outlook_item item;
    struct asked q = {.c = w->c, .b = w->b, .i = &item};
    struct odata_ctx ctx = asking_context(&q);
    const bool plain = w->exact && !w->thread;
    const bool on_page = !g->most || (g->passed >= g->from && g->n < g->most);
    if (plain && !on_page) {
        g->more |= g->passed >= g->from;
        g->passed++;
        return 0;
    }
    if (outlook_item_of(&w->c->tx, m, &item) < 0)
        return -1;
    int r = 1;
    if (w->thread && w->folder && m->folder != w->folder)
        r = 0;
    if (r && !plain)
        r = odata_matches(&ctx, w->q->filter, &item);
    if (r != 1)
        return r;
    g->passed++;
    if (!on_page) {
        g->more |= g->passed > g->from;
        return 0;
    }
    if (!(g->items = arena_grow(w->c->tx.arena, g->items, g->n, &g->cap, sizeof *g->items)))
        return sosia_fail_memory(w->c->tx.err);
    if (!g->most && w->q->n_order &&
        (!(g->keys = arena_grow(w->c->tx.arena, g->keys, g->n, &g->cap_keys, sizeof *g->keys)) ||
         odata_keys(&ctx, w->q, &item, &g->keys[g->n]) < 0))
        return sosia_fail_memory(w->c->tx.err);
    g->items[g->n++] = item;
    return 0;
}

/* ---- order ---- */

struct sorted {
    struct outlook_item item;
    struct odata_value *keys;
    size_t at;
    const struct odata_ctx *ctx;
    const struct odata_query *q;
};

static int by_keys(const void *x, const void *y)
{
    const struct sorted *a = x, *b = y;
    int r = odata_order(a->ctx, a->q, a->keys, b->keys);
    return r ? r : a->at < b->at ? -1 : a->at > b->at;
}

static int sort(struct walk *w, struct gathering *g)
{
    struct asked q = {.c = w->c, .b = w->b};
    struct odata_ctx ctx = asking_context(&q);
    struct sorted *list = arena_calloc(w->c->tx.arena, g->n + 1, sizeof *list);
    if (arena_failed(w->c->tx.arena))
        return sosia_fail_memory(w->c->tx.err);
    for (size_t i = 0; i < g->n; i++)
        list[i] = (struct sorted){g->items[i], g->keys[i], i, &ctx, w->q};
    if (g->n)
        qsort(list, g->n, sizeof *list, by_keys);
    for (size_t i = 0; i < g->n; i++)
        g->items[i] = list[i].item;
    return 0;
}

/* Newest first is how they come. */
static bool is_natural(const struct odata_query *q)
{
    return !q->n_order ||
           (q->n_order == 1 && q->order[0].descending && q->order[0].by->op == ODATA_PATH &&
            (q->order[0].by->path->known == PATH_RECEIVED ||
             q->order[0].by->path->known == PATH_CREATED));
}

static int known_count(struct walk *w, int64_t *ret)
{
    struct mail_folder f;
    *ret = w->b->mailbox.messages;
    if (!w->folder)
        return 0;
    int r = mail_folder_get(&w->c->tx, w->b->mailbox.id, w->folder, &f);
    if (r == 1)
        *ret = f.messages;
    return r < 0 ? -1 : 0;
}

int outlook_list(struct call *c, const struct outlook_box *b, int64_t folder,
                 const struct odata_query *q, struct outlook_list *ret)
{
    struct walk w = {.c = c, .b = b, .q = q, .folder = folder};
    const bool natural = is_natural(q), counted = q->count && (q->filter || q->search);
    struct gathering g = {0};
    struct mail_message *list;
    size_t n, top;
    bool more = true;
    if (check_query(c, q) < 0 || outlook_page(c, q, OUTLOOK_PAGE, &g.from, &top) < 0 ||
        open_walk(&w) < 0)
        return -1;
    if (top > OUTLOOK_MAX_PAGE)
        top = OUTLOOK_MAX_PAGE;
    g.most = natural ? top : 0;
    const size_t wanted = g.from + top + 1;
    if (natural && !counted && wanted < WALK)
        w.list.limit = wanted;
    while (more && !(g.more && !counted)) {
        if (next_batch(&w, &list, &n, &more) < 0)
            return -1;
        for (size_t i = 0; i < n && !(g.more && !counted); i++)
            if (gather(&w, &g, &list[i]) < 0)
                return -1;
        more = more && n && !(q->search && g.passed >= MOST_FOUND);
    }
    *ret = (struct outlook_list){.items = g.items, .n = g.n, .more = g.more, .count = -1};
    if (q->count && counted)
        ret->count = (int64_t)g.passed;
    else if (q->count && known_count(&w, &ret->count) < 0)
        return -1;
    if (natural)
        return 0;
    if (sort(&w, &g) < 0)
        return -1;
    const size_t from = g.from < g.n ? g.from : g.n;
    ret->items = g.items + from;
    ret->n = g.n - from < top ? g.n - from : top;
    ret->more = g.n - from > top;
    return 0;
}
