/* SPDX-License-Identifier: Apache-2.0 */
/* Values of messages, as $filter and $orderby ask for them. */
#include "services/mail/outlook/value.h"
#include "engine/text/civil.h"
#include "services/mail/core/search.h"
#include "services/mail/outlook/search.h"
#include "services/mail/outlook/text.h"

static int open_body(struct outlook_asked *q)
{
    if (!q->open && mail_message_open(&q->c->tx, &q->i->message, &q->body) < 0)
        return -1;
    q->open = true;
    return 0;
}

static struct odata_value person(struct outlook_asked *q, struct arena *a, const char *field,
                                 bool name)
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

static int property_value(struct outlook_asked *q, int known, struct odata_value *ret)
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

static int category_values(struct outlook_asked *q, struct arena *a, struct odata_value *ret)
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
static int extra_values(struct outlook_asked *q, struct arena *a, const char *kind,
                        struct odata_value *ret)
{
    struct kept *extras;
    size_t n;
    if (mail_kept_list(&q->c->tx, &outlook_extras, q->i->message.id, kind, &extras, &n) < 0)
        return -1;
    struct odata_value *list = arena_calloc(a, n + 1, sizeof *list);
    for (size_t i = 0; i < n && !arena_failed(a); i++)
        list[i] = odata_thing(extras[i].value);
    *ret = odata_list(list, n);
    return 1;
}

static int mentioned_value(struct outlook_asked *q, struct odata_value *ret)
{
    int r = outlook_is_mentioned(&q->c->tx, q->b, q->i);
    if (r < 0)
        return -1;
    *ret = odata_bool(r == 1);
    return 1;
}

static int text_value(struct outlook_asked *q, struct arena *a, int known, struct odata_value *ret)
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

static int head_value(struct outlook_asked *q, struct arena *a, int known, struct odata_value *ret)
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
    struct outlook_asked *q = arg;
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
    case PATH_MENTIONED:
        return mentioned_value(q, ret);
    case -1:
        return i->meeting ? outlook_meeting_value(&q->c->tx, i, path, ret) : 0;
    default:
        return head_value(q, a, path->known, ret);
    }
}

static const struct edm_type *edm_of(void *arg, const void *thing)
{
    const struct outlook_asked *q = arg;
    return thing == q->i ? outlook_item_edm(q->i) : odata_json_type(NULL, thing);
}

struct odata_ctx outlook_asking(struct outlook_asked *q)
{
    return (struct odata_ctx){.arena = q->c->tx.arena,
                              .get = value_of,
                              .arg = q,
                              .now_us = q->c->tx.now_us,
                              .type_of = edm_of};
}

/* A well-known name beside parentFolderId becomes the id of its folder, so that a message can be
 * asked, too. Expressions are their call's own. */
static void name_folder(struct arena *a, const struct outlook_box *b, const struct odata_expr *e)
{
    struct odata_expr *literal = (struct odata_expr *)e;
    int64_t place;
    if (e->op == ODATA_LITERAL && e->value.kind == ODATA_STRING && e->value.text &&
        (place = outlook_known_place(e->value.text)) >= 0)
        literal->value.text = outlook_folder_id(a, b, place);
    for (size_t i = 0; e->op == ODATA_ITEMS && i < e->n_kids; i++)
        name_folder(a, b, e->kids[i]);
}

static bool is_folder(const struct odata_expr *e)
{
    return e->op == ODATA_PATH && e->path->known == PATH_FOLDER;
}

void outlook_name_folders(struct arena *a, const struct outlook_box *b, const struct odata_expr *e)
{
    const bool pair = e && e->n_kids == 2 &&
                      (e->op == ODATA_EQ || e->op == ODATA_NE || e->op == ODATA_IN) &&
                      (is_folder(e->kids[0]) || is_folder(e->kids[1]));
    for (size_t i = 0; e && i < e->n_kids; i++)
        if (pair)
            name_folder(a, b, e->kids[i]);
        else
            outlook_name_folders(a, b, e->kids[i]);
}

int outlook_matches(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                    const struct odata_expr *e)
{
    struct outlook_asked q = {.c = c, .b = b, .i = i};
    struct odata_ctx ctx = outlook_asking(&q);
    outlook_name_folders(c->tx.arena, b, e);
    return e ? odata_matches(&ctx, e, i) : 1;
}
