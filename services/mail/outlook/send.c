/* SPDX-License-Identifier: Apache-2.0 */
/* Sending: messages as they come, drafts, replies and forwards, with and without a copy. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/letter.h"
#include "services/mail/outlook/rows.h"
#include <strings.h>

/* ---- a message goes ---- */

static int send_as_denied(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "ErrorSendAsDenied", NULL,
                     "The user account which was used to submit this request does not have the "
                     "right to send mail on behalf of the specified sending account., Cannot "
                     "submit message.");
}

/* The sender is the mailbox that sends, whatever right there is to say whom it is from. 0, -1
 * refused. */
static int check_sender(struct call *c, const struct outlook_box *b, const struct outlook_letter *l)
{
    const struct outlook_people *by = &l->people[LETTER_SENDER], *from = &l->people[LETTER_FROM];
    const char **own;
    size_t n;
    if (!by->n || (from->n && str_eq_nocase(by->list[0].email, from->list[0].email)))
        return 0;
    if (mailbox_addresses(&c->tx, &b->mailbox, &own, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(own[i], by->list[0].email))
            return 0;
    return str_eq_nocase(c->actor.email, by->list[0].email) ? 0 : send_as_denied(c);
}

/* Who a message says it is from, against whose mailbox sends: the right to send as another address
 * or on its behalf is that mailbox's to give (MG-374). 0, -1 refused. */
static int check_from(struct call *c, const struct outlook_box *b, struct outlook_letter *l)
{
    const struct outlook_people *from = &l->people[LETTER_FROM];
    const char *email = from->n ? email_normal(c->tx.arena, from->list[0].email) : NULL;
    struct kept s;
    struct mailbox other;
    const char **own;
    size_t n;
    if (!from->n)
        return 0;
    if (mailbox_addresses(&c->tx, &b->mailbox, &own, &n) < 0)
        return -1;
    for (size_t i = 0; email && i < n; i++)
        if (strcmp(own[i], email) == 0)
            return 0;
    int r = email ? mailbox_by_address(&c->tx, email, &other) : 0;
    if (r == 1)
        r = mail_kept_get(&c->tx, &outlook_settings, other.id, SETTING_DELEGATE, b->mailbox.email,
                          &s);
    if (r < 0)
        return -1;
    if (r == 1 && json_get_true(s.value, "sendAs")) {
        l->people[LETTER_SENDER].n = 0;
        return 0;
    }
    if (r == 1 && json_get_true(s.value, "sendOnBehalf")) {
        struct mime_address *me = arena_calloc(c->tx.arena, 1, sizeof *me);
        if (arena_failed(c->tx.arena))
            return sosia_fail_memory(c->tx.err);
        *me = (struct mime_address){b->mailbox.name, b->mailbox.email};
        l->people[LETTER_SENDER] = (struct outlook_people){me, 1};
        return 0;
    }
    return send_as_denied(c);
}

/* From is the account's where the message does not say (MG-380). */
static int complete(struct call *c, const struct outlook_box *b, struct outlook_letter *l)
{
    struct mime_address *me = arena_calloc(c->tx.arena, 1, sizeof *me);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    *me = (struct mime_address){b->mailbox.name, b->mailbox.email};
    if (check_sender(c, b, l) < 0 || check_from(c, b, l) < 0)
        return -1;
    if (!l->people[LETTER_FROM].n)
        l->people[LETTER_FROM] = (struct outlook_people){me, 1};
    if (b->on_behalf) {
        struct mime_address *who = arena_calloc(c->tx.arena, 1, sizeof *who);
        if (arena_failed(c->tx.arena))
            return sosia_fail_memory(c->tx.err);
        *who = (struct mime_address){c->actor.name, c->actor.email};
        l->people[LETTER_SENDER] = (struct outlook_people){who, 1};
    }
    if (l->people[LETTER_SENDER].n &&
        str_eq_nocase(l->people[LETTER_SENDER].list[0].email, l->people[LETTER_FROM].list[0].email))
        l->people[LETTER_SENDER].n = 0;
    for (int f = LETTER_TO; f <= LETTER_BCC; f++)
        for (size_t i = 0; i < l->people[f].n; i++)
            if (!email_normal(c->tx.arena, l->people[f].list[i].email))
                return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRecipients", NULL,
                                 "At least one recipient is not valid., Recipient \"%.100s\" isn't "
                                 "resolved. All recipients must be resolved before a message can "
                                 "be submitted.",
                                 l->people[f].list[i].email);
    l->date_s = c->tx.now_us / US_PER_SECOND;
    return 0;
}

/* The copy in Sent Items is the sender's, unless there shall be none. */
static int go(struct call *c, const struct outlook_box *b, const char *raw, size_t n,
              const struct outlook_item *draft, int64_t thread, bool keep)
{
    struct mail_send in = {.from = &b->mailbox,
                           .raw = raw,
                           .len = n,
                           .thread = thread,
                           .joins = thread != 0,
                           .draft = draft ? &draft->draft : NULL};
    struct kept *extras = NULL;
    struct mail_message sent;
    size_t n_extras = 0;
    if (draft &&
        mail_kept_list(&c->tx, &outlook_extras, draft->message.id, NULL, &extras, &n_extras) < 0)
        return -1;
    if (mail_send(&c->tx, &in, &sent) < 0)
        return outlook_refused(c);
    c->status = 202;
    if (!keep)
        return mail_message_delete(&c->tx, &sent);
    return outlook_item_sent(&c->tx, &sent, draft ? draft->key : 0) < 0 ||
                   outlook_extras_put(&c->tx, sent.id, extras, n_extras) < 0
               ? -1
               : 0;
}

static int send_letter(struct call *c, const struct outlook_box *b, struct outlook_letter *l,
                       const struct outlook_item *draft, bool keep)
{
    const char *raw;
    int64_t key;
    size_t n;
    if (complete(c, b, l) < 0 || outlook_new_key(&c->tx, l->date_s, &key) < 0)
        return -1;
    if (!l->message_id && outlook_new_message_id(&c->tx, &l->message_id) < 0)
        return -1;
    if (outlook_letter_raw(c, b, l, key, &raw, &n) < 0)
        return -1;
    return go(c, b, raw, n, draft, draft ? 0 : l->thread, keep);
}

/* ---- sendMail ---- */

/* A head that is changed field by field. */
struct head {
    const char *text;
    size_t n;
};

static void set_field(struct arena *a, struct head *h, const char *name, const char *value)
{
    struct buf b;
    buf_init(&b, 0);
    mime_head_set(&b, h->text, h->n, name, value);
    *h = (struct head){arena_memdup(a, b.len ? b.data : "", b.len), b.len};
    a->failed |= buf_failed(&b);
    buf_done(&b);
}

/* Addresses of the world's people that came without a name get theirs. */
static int name_people(struct call *c, struct head *h, const char *field)
{
    struct arena *a = c->tx.arena;
    struct mime_address *list;
    bool bad, any = false;
    struct actor actor;
    struct buf b;
    size_t n;
    mime_address_fields(a, h->text, h->n, field, &list, &n, &bad);
    for (size_t i = 0; i < n && !bad; i++) {
        int r = list[i].name && *list[i].name ? 0 : actor_by_email(&c->tx, list[i].email, &actor);
        if (r < 0)
            return -1;
        any |= r == 1;
        if (r == 1)
            list[i].name = actor.name;
    }
    if (!any)
        return 0;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", mime_address_text(a, list[i].name, list[i].email));
    set_field(a, h, field, arena_strdup(a, buf_str(&b)));
    buf_done(&b);
    return 0;
}

/* From and Date are the account's and the time of sending, people get names and a new thread its
 * topic (MG-380, 631); the rest stays. */
static int send_mime(struct call *c, const struct outlook_box *b)
{
    struct arena *a = c->tx.arena;
    const char *raw, *id, *subject;
    char date[MIME_DATE];
    struct buf all;
    size_t n;
    if (outlook_mime_body(c, &raw, &n) < 0)
        return -1;
    const size_t len = mime_head_len(raw, n);
    struct head h = {raw, len};
    mime_date_text(date, c->tx.now_us / US_PER_SECOND, 0);
    set_field(a, &h, "From", mime_address_text(a, b->mailbox.name, b->mailbox.email));
    if (b->on_behalf || mime_header(a, raw, len, "Sender"))
        set_field(a, &h, "Sender",
                  b->on_behalf ? mime_address_text(a, c->actor.name, c->actor.email) : NULL);
    set_field(a, &h, "Date", date);
    if (name_people(c, &h, "To") < 0 || name_people(c, &h, "Cc") < 0)
        return -1;
    subject = mime_header(a, raw, len, "Subject");
    if (subject && !mime_header(a, raw, len, "Thread-Topic") &&
        !mime_header(a, raw, len, "In-Reply-To"))
        set_field(a, &h, "Thread-Topic", mime_encode_words(a, subject));
    if (!mime_header(a, raw, len, "Message-ID")) {
        if (outlook_new_message_id(&c->tx, &id) < 0)
            return -1;
        set_field(a, &h, "Message-ID", id);
    }
    buf_init(&all, OUTLOOK_MAX_MESSAGE + MAIL_MAX_HEAD);
    buf_add(&all, h.text, h.n);
    buf_add(&all, raw + len, n - len);
    const char *copy = arena_memdup(a, all.len ? all.data : "", all.len);
    const size_t total = all.len;
    const bool bad = buf_failed(&all);
    buf_done(&all);
    if (bad || arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    return go(c, b, copy, total, NULL, 0, true);
}

static int send_mail(struct call *c)
{
    struct outlook_box b;
    struct outlook_letter l;
    const struct json *body, *message;
    if (outlook_open(c, OUTLOOK_SEND, &b) < 0)
        return -1;
    if (graph_text_body(c))
        return send_mime(c, &b);
    if (!(body = call_body(c)))
        return -1;
    if (!(message = json_get(body, "message")) || message->type != JSON_OBJECT)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidParameter", NULL,
                         "The parameter 'Message' is required.");
    outlook_letter_new(c, &b, &l);
    return outlook_letter_read(c, message, &l) < 0
               ? -1
               : send_letter(c, &b, &l, NULL, !json_is_false(json_get(body, "saveToSentItems")));
}

static int messages_send(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct outlook_letter l;
    if (outlook_open(c, OUTLOOK_SEND_STORED, &b) < 0 || outlook_item_of_path(c, &b, &i) < 0)
        return -1;
    if (!i.draft.id)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidOperation", NULL,
                         "The message has been sent already, or was received.");
    return outlook_letter_of(c, &b, &i.message, &l) < 0 ? -1 : send_letter(c, &b, &l, &i, true);
}

/* ---- replies ---- */

enum answer_kind { ANSWER_SENDER, ANSWER_ALL, ANSWER_FORWARD };

static const char *prefixed(struct arena *a, const char *prefix, const char *subject)
{
    return strncasecmp(subject, prefix, strlen(prefix)) == 0
               ? subject
               : arena_printf(a, "%s %s", prefix, subject);
}

static bool is_own(const struct outlook_box *b, const char *email)
{
    return str_eq_nocase(email, b->mailbox.email);
}

/* To all but oneself. */
static void add_others(struct call *c, const struct outlook_box *b, struct outlook_people *to,
                       const struct outlook_people *from)
{
    struct mime_address *list = arena_calloc(c->tx.arena, to->n + from->n + 1, sizeof *list);
    if (arena_failed(c->tx.arena))
        return;
    if (to->n)
        memcpy(list, to->list, to->n * sizeof *list);
    to->list = list;
    for (size_t i = 0; i < from->n; i++) {
        bool there = is_own(b, from->list[i].email);
        for (size_t k = 0; k < to->n && !there; k++)
            there = str_eq_nocase(to->list[k].email, from->list[i].email);
        if (!there)
            to->list[to->n++] = from->list[i];
    }
}

static void address(struct call *c, const struct outlook_box *b, enum answer_kind kind,
                    const struct outlook_letter *old, struct outlook_letter *l)
{
    const struct outlook_people *from = &old->people[LETTER_FROM];
    const struct outlook_people *back =
        old->people[LETTER_REPLY_TO].n ? &old->people[LETTER_REPLY_TO] : from;
    if (kind == ANSWER_FORWARD)
        return;
    /* What one has sent oneself is answered to those who got it. */
    if (from->n && is_own(b, from->list[0].email))
        add_others(c, b, &l->people[LETTER_TO], &old->people[LETTER_TO]);
    else
        l->people[LETTER_TO] = *back;
    if (kind != ANSWER_ALL)
        return;
    add_others(c, b, &l->people[LETTER_TO], &old->people[LETTER_TO]);
    add_others(c, b, &l->people[LETTER_CC], &old->people[LETTER_CC]);
}

static int not_both(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidArgument", NULL,
                     "The parameters 'Comment' and 'Message.Body' can't both be specified.");
}

static int read_recipients(struct call *c, const struct json *body, const struct json *message,
                           struct outlook_letter *l)
{
    const struct json *to = json_get(body, "toRecipients");
    const bool given = to && to->type == JSON_ARRAY && to->n;
    const struct json *other = json_get(message, "toRecipients");
    if (given && other && other->type == JSON_ARRAY && other->n)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidArgument", NULL,
                         "The parameters 'ToRecipients' and 'Message.ToRecipients' can't both be "
                         "specified.");
    if (!given)
        return 0;
    struct json_member member = {.key = "toRecipients", .key_len = 12, .value = *to};
    const struct json wrapped = {.type = JSON_OBJECT, .n = 1, .members = &member};
    return outlook_letter_read(c, &wrapped, l);
}

/* The letter that answers a message. 0, -1 refused. */
static int answer_of(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                     enum answer_kind kind, struct outlook_letter *l)
{
    struct outlook_letter old;
    const struct json *body = call_body(c), *message = body ? json_get(body, "message") : NULL;
    const char *comment = body ? json_get_str(body, "comment") : NULL;
    struct arena *a = c->tx.arena;
    if (!body)
        return -1;
    if (i->draft.id)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidReferenceItem", NULL,
                         "The reference item does not support the requested operation.");
    if (comment && *comment && json_get(message, "body"))
        return not_both(c);
    if (outlook_letter_of(c, b, &i->message, &old) < 0)
        return -1;
    outlook_letter_new(c, b, l);
    l->subject = prefixed(a, kind == ANSWER_FORWARD ? "FW:" : "RE:", old.subject);
    l->topic = old.topic ? old.topic : old.subject;
    l->html = outlook_quoted(c, &old, comment);
    l->thread = i->message.thread_key;
    l->began_s = i->message.at_s;
    l->replies = old.replies + 1;
    l->in_reply_to = old.message_id;
    l->references = old.message_id && old.references
                        ? arena_printf(a, "%s %s", old.references, old.message_id)
                        : old.message_id;
    if (kind == ANSWER_FORWARD) {
        l->files = old.files;
        l->n_files = old.n_files;
    }
    address(c, b, kind, &old, l);
    if (arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    if (message && message->type == JSON_OBJECT && outlook_letter_read(c, message, l) < 0)
        return -1;
    return kind == ANSWER_FORWARD ? read_recipients(c, body, message, l) : 0;
}

static int open_answered(struct call *c, enum outlook_need need, struct outlook_box *b,
                         struct outlook_item *i)
{
    return outlook_open(c, need, b) < 0 ? -1 : outlook_item_of_path(c, b, i);
}

/* The message that is answered is marked so. */
static int mark(struct call *c, const struct outlook_item *i, enum answer_kind kind)
{
    struct mail_message m = i->message;
    const int64_t place =
        mail_folder_id(m.mailbox, kind == ANSWER_FORWARD ? KEYWORD_FORWARDED : KEYWORD_ANSWERED);
    return mail_message_modify(&c->tx, &m, &place, 1, NULL, 0);
}

static int answer_now(struct call *c, enum answer_kind kind)
{
    struct outlook_box b;
    struct outlook_item i;
    struct outlook_letter l;
    if (open_answered(c, OUTLOOK_SEND_STORED, &b, &i) < 0 || answer_of(c, &b, &i, kind, &l) < 0 ||
        send_letter(c, &b, &l, NULL, true) < 0)
        return -1;
    return mark(c, &i, kind);
}

/* Drafts of answers have From and Sender at once, as recorded. */
static int complete_draft(struct call *c, const struct outlook_box *b, struct outlook_letter *l)
{
    struct mime_address *me = arena_calloc(c->tx.arena, 1, sizeof *me);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    *me = (struct mime_address){b->mailbox.name, b->mailbox.email};
    if (!l->people[LETTER_FROM].n)
        l->people[LETTER_FROM] = (struct outlook_people){me, 1};
    return 0;
}

static int answer_draft(struct call *c, enum answer_kind kind)
{
    struct outlook_box b;
    struct outlook_item i, draft;
    struct outlook_letter l;
    const struct json *message;
    bool changed;
    if (open_answered(c, OUTLOOK_WRITE, &b, &i) < 0 || answer_of(c, &b, &i, kind, &l) < 0 ||
        complete_draft(c, &b, &l) < 0 || outlook_draft_make(c, &b, &l, 0, &draft) < 0)
        return -1;
    message = json_get(call_body(c), "message");
    if (message && message->type == JSON_OBJECT &&
        outlook_mark(c, &b, message, &draft, true, &changed) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/users('%s')/messages('%s')", b.user.key,
                                  outlook_item_id(c->tx.arena, &b, &draft)));
    return outlook_answer_item(c, &b, &draft, NULL, "messages");
}

static int messages_reply(struct call *c)
{
    return answer_now(c, ANSWER_SENDER);
}

static int messages_reply_all(struct call *c)
{
    return answer_now(c, ANSWER_ALL);
}

static int messages_forward(struct call *c)
{
    return answer_now(c, ANSWER_FORWARD);
}

static int messages_create_reply(struct call *c)
{
    return answer_draft(c, ANSWER_SENDER);
}

static int messages_create_reply_all(struct call *c)
{
    return answer_draft(c, ANSWER_ALL);
}

static int messages_create_forward(struct call *c)
{
    return answer_draft(c, ANSWER_FORWARD);
}

/* ---- the methods ---- */

#define SENDS(name, path, function, shape, text)                                                   \
    {                                                                                              \
        .id = "outlook.messages." name, .verbs = POST, .paths = PATHS(MESSAGE_PATHS(path)),        \
        .handler = function, .risk = RISK_EXTERNAL, .body = BODY_JSON_OPTIONAL, .scopes = SEND,    \
        PARAMS(outlook_message_params), .status = 202, .request = shape, .summary = text           \
    }
#define DRAFTS(name, path, function, shape, text)                                                  \
    {                                                                                              \
        .id = "outlook.messages." name, .verbs = POST, .paths = PATHS(MESSAGE_PATHS(path)),        \
        .handler = function, .risk = RISK_DRAFT, .body = BODY_JSON_OPTIONAL,                       \
        .scopes = WRITE SHARED_WRITE, PARAMS(outlook_message_params), .status = 201,               \
        .request = shape, .response = "microsoft.graph.message", .summary = text                   \
    }

static const struct route routes[] = {
    {ROUTE("outlook.sendMail", POST, GRAPH_MY("/sendMail"), GRAPH_MY("/microsoft.graph.sendMail")),
     .handler = send_mail, .risk = RISK_EXTERNAL, .body = BODY_JSON, .accepts = outlook_mime_types,
     .scopes = SEND, PARAMS(outlook_user_params), .status = 202,
     .request = "microsoft.graph.sendMail", .summary = "Sends a message, of JSON or of MIME"},
    SENDS("send", "/send", messages_send, NULL, "Sends a draft"),
    SENDS("reply", "/reply", messages_reply, "microsoft.graph.reply", "Answers the sender"),
    SENDS("replyAll", "/replyAll", messages_reply_all, "microsoft.graph.reply",
          "Answers all who have the message"),
    SENDS("forward", "/forward", messages_forward, "microsoft.graph.forward",
          "Sends a message on to others"),
    DRAFTS("createReply", "/createReply", messages_create_reply, "microsoft.graph.reply",
           "Makes a draft that answers the sender"),
    DRAFTS("createReplyAll", "/createReplyAll", messages_create_reply_all, "microsoft.graph.reply",
           "Makes a draft that answers all who have the message"),
    DRAFTS("createForward", "/createForward", messages_create_forward, "microsoft.graph.forward",
           "Makes a draft that sends a message on"),
};
const struct rows outlook_send_rows = ROWS(routes);
