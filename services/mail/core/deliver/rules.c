/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mailbox's handling of incoming mail: its filters, its forwarding, its automatic answer (RFC
 * 3834). What machines have sent is not answered, and a message is not forwarded to an address by
 * which it came, and MAIL_MAX_HOPS times at most, so that two mailboxes can't form a loop.
 */
#include "services/mail/core/deliver/rules.h"
#include "engine/base/codec.h"
#include "services/mail/core/deliver/respond.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/setting.h"
#include <ctype.h>
#include <strings.h>

struct rules {
    const char **to; /* where it is forwarded to */
    size_t n_to;
    bool archived; /* a filter keeps it out of the inbox */
};

/* ---- filters ---- */

static void add_label(struct mail_incoming *in, int64_t id)
{
    if (mail_label_is_role(id)) {
        uint32_t flag = FLAG(mail_label_place(id));
        in->flags = mail_flags_settle(in->flags | flag, flag);
        return;
    }
    for (size_t i = 0; i < in->n_labels; i++)
        if (in->labels[i] == id)
            return;
    in->labels[in->n_labels++] = id;
}

static void take_label(struct mail_incoming *in, int64_t id)
{
    if (mail_label_is_role(id)) {
        in->flags &= ~FLAG(mail_label_place(id));
        return;
    }
    for (size_t i = 0; i < in->n_labels; i++)
        if (in->labels[i] == id)
            in->labels[i--] = in->labels[--in->n_labels];
}

/* A label that was deleted since is left alone: 1 there, 0 not. */
static int is_there(struct tx *tx, const struct mailbox *mb, int64_t id)
{
    struct mail_label l;
    return mail_label_is_role(id) ? 1 : mail_label_get(tx, mb->id, id, &l);
}

static int go_on(struct tx *tx, struct rules *r, const struct mailbox *mb, const char *to)
{
    struct mail_forward f;
    for (size_t i = 0; i < r->n_to; i++)
        if (strcmp(r->to[i], to) == 0)
            return 0;
    int found = mail_forward_get(tx, mb, to, &f);
    if (found == 1 && !f.pending)
        r->to[r->n_to++] = f.email;
    return found < 0 ? -1 : 0;
}

static int apply(struct tx *tx, struct mail_incoming *in, struct rules *r,
                 const struct mail_filter *f)
{
    int there = 1;
    for (size_t i = 0; i < f->n_add && there >= 0; i++)
        if ((there = is_there(tx, in->mailbox, f->add[i])) == 1)
            add_label(in, f->add[i]);
    for (size_t i = 0; i < f->n_remove && there >= 0; i++) {
        take_label(in, f->remove[i]);
        r->archived |= f->remove[i] == mail_label_id(in->mailbox->id, LABEL_INBOX);
    }
    if (there >= 0 && f->forward)
        return go_on(tx, r, in->mailbox, f->forward);
    return there < 0 ? -1 : 0;
}

/* A message that a filter keeps out of spam is in the inbox, unless another archives it. */
static void settle_spam(struct mail_incoming *in, const struct rules *r)
{
    const uint32_t places = FLAG(LABEL_INBOX) | FLAG(LABEL_SPAM) | FLAG(LABEL_TRASH);
    if ((in->message->flags & FLAG(LABEL_SPAM)) && !(in->flags & places) && !r->archived)
        in->flags |= FLAG(LABEL_INBOX);
}

/* The filters, and which of them match the message as it came. */
static int find_matches(struct tx *tx, const struct mail_incoming *in, struct mail_filter **ret,
                        size_t *ret_n, bool **ret_match)
{
    struct mail_facts facts = {.message = in->message,
                               .text = in->words,
                               .message_id = in->message_id,
                               .labels = in->labels,
                               .n_labels = in->n_labels};
    if (mail_filter_rules(tx, in->mailbox, ret, ret_n) < 0)
        return -1;
    const struct search **queries = arena_alloc(tx->arena, (*ret_n + 1) * sizeof *queries);
    *ret_match = arena_calloc(tx->arena, *ret_n + 1, sizeof **ret_match);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < *ret_n; i++)
        queries[i] = (*ret)[i].query;
    return mail_match(tx, queries, *ret_n, &facts, *ret_match, NULL);
}

/* All that match act. */
static int act(struct tx *tx, struct mail_incoming *in, struct rules *r,
               const struct mail_filter *filters, const bool *match, size_t n)
{
    size_t room = in->n_labels;
    for (size_t i = 0; i < n; i++)
        room += match[i] ? filters[i].n_add : 0;
    int64_t *labels = arena_calloc(tx->arena, room + 1, sizeof *labels);
    r->to = arena_calloc(tx->arena, n + 2, sizeof *r->to);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (!n)
        return 0;
    if (in->n_labels)
        memcpy(labels, in->labels, in->n_labels * sizeof *labels);
    in->labels = labels;
    for (size_t i = 0; i < n; i++)
        if (match[i] && apply(tx, in, r, &filters[i]) < 0)
            return -1;
    settle_spam(in, r);
    return 0;
}

/* They may be large, and recipients many: each one's filters are let go. */
static int run_filters(struct tx *tx, struct mail_incoming *in, struct rules *r)
{
    struct arena *kept = tx->arena, own;
    struct mail_filter *filters;
    bool *match;
    size_t n;
    arena_init(&own, 0);
    tx->arena = &own;
    int rc = find_matches(tx, in, &filters, &n, &match);
    tx->arena = kept;
    if (rc == 0)
        rc = act(tx, in, r, filters, match, n);
    arena_done(&own);
    return rc;
}

int mail_rules_incoming(struct tx *tx, struct mail_incoming *in)
{
    struct mail_auto_forward f;
    struct rules *r = arena_calloc(tx->arena, 1, sizeof *r);
    in->rules = r;
    if (run_filters(tx, in, r) < 0 || mail_auto_forward_get(tx, in->mailbox, &f) < 0)
        return -1;
    if (in->flags & FLAG(LABEL_SPAM)) {
        r->n_to = 0;
        return 0;
    }
    if (!f.on || !f.to)
        return 0;
    size_t before = r->n_to;
    if (go_on(tx, r, in->mailbox, f.to) < 0)
        return -1;
    if (r->n_to == before)
        return 0;
    if (f.then == THEN_ARCHIVE)
        in->flags &= ~FLAG(LABEL_INBOX);
    else if (f.then == THEN_TRASH)
        in->flags = mail_flags_settle(in->flags | FLAG(LABEL_TRASH), FLAG(LABEL_TRASH));
    else if (f.then == THEN_READ)
        in->flags &= ~FLAG(LABEL_UNREAD);
    return 0;
}

/* ---- forwarding ---- */

/* Has it come by that address already? */
static bool came_by(struct tx *tx, const struct mail_incoming *in, const char *email)
{
    struct mime_field f;
    for (size_t pos = 0; mime_field_next(in->head, in->head_len, &pos, &f);)
        if (f.name_len == 12 && strncasecmp(f.name, "Delivered-To", 12) == 0 &&
            str_eq_nocase(mime_value(tx->arena, &f), email))
            return true;
    return false;
}

static int forward(struct tx *tx, const struct mail_incoming *in, const char *to)
{
    struct buf b;
    if (in->hops >= MAIL_MAX_HOPS || *in->forwards <= 0 || came_by(tx, in, to))
        return 0;
    --*in->forwards;
    buf_init(&b, MAIL_MAX_SIZE + 4096);
    buf_printf(&b, "X-Forwarded-To: %s\r\nX-Forwarded-For: %s %s\r\n", to, in->mailbox->email, to);
    if (mail_message_raw(tx, in->message, &b) < 0) {
        buf_done(&b);
        return -1;
    }
    struct mail_carry carry = {.sender = in->sender,
                               .raw = b.data,
                               .len = b.len,
                               .to = &to,
                               .n_to = 1,
                               .hops = in->hops + 1,
                               .not_to = in->mailbox->id,
                               .settled = in->settled,
                               .forwards = in->forwards};
    int rc = buf_failed(&b) ? sosia_fail_memory(tx->err) : mail_carry(tx, &carry);
    buf_done(&b);
    return rc;
}

/* ---- the automatic answer ---- */

static bool incoming_has_field(const struct mail_incoming *in, const char *name)
{
    struct mime_field f;
    return mime_field_find(in->head, in->head_len, name, 0, &f);
}

static bool field_is(struct tx *tx, const struct mail_incoming *in, const char *name,
                     const char *value)
{
    const char *text = mime_header(tx->arena, in->head, in->head_len, name);
    return text && strcasecmp(text, value) == 0;
}

/* Has a program sent it, or a list? (RFC 3834, section 2) */
static bool from_machine(struct tx *tx, const struct mail_incoming *in)
{
    static const char *const names[] = {"mailer-daemon@", "postmaster@", "donotreply@",
                                        "do-not-reply@"};
    static const char *const fields[] = {"List-Id", "List-Post", "List-Unsubscribe", "X-Autoreply",
                                         "X-Autorespond"};
    const char *at = strchr(in->sender, '@');
    if (!at || (at - in->sender >= 8 && strncmp(at - 8, "-request", 8) == 0) ||
        strncmp(in->sender, "owner-", 6) == 0 || mail_deliver_no_reply(in->sender))
        return true;
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strncmp(in->sender, names[i], strlen(names[i])) == 0)
            return true;
    for (size_t i = 0; i < SOSIA_LEN(fields); i++)
        if (incoming_has_field(in, fields[i]))
            return true;
    return (incoming_has_field(in, "Auto-Submitted") &&
            !field_is(tx, in, "Auto-Submitted", "no")) ||
           field_is(tx, in, "Precedence", "bulk") || field_is(tx, in, "Precedence", "list") ||
           field_is(tx, in, "Precedence", "junk");
}

/* Do To or Cc name the person? 1, 0, -1. */
static int to_person(struct tx *tx, const struct mail_incoming *in)
{
    static const char *const fields[] = {"To", "Cc"};
    for (size_t f = 0; f < SOSIA_LEN(fields); f++) {
        struct mime_address *list;
        size_t n;
        bool bad;
        mime_address_fields(tx->arena, in->head, in->head_len, fields[f], &list, &n, &bad);
        for (size_t i = 0; i < n; i++) {
            struct mailbox mb;
            int r = mailbox_by_address(tx, list[i].email, &mb);
            if (r < 0 || (r && mb.id == in->mailbox->id))
                return r;
        }
    }
    return 0;
}

/* Has the person written to the address? 1, 0, -1. */
static int is_contact(struct tx *tx, const struct mailbox *mb, const char *email)
{
    struct search to = {
        .kind = SEARCH_ADDRESS, .fields = FIELD_TO | FIELD_CC | FIELD_BCC, .text = email};
    int64_t sent = mail_label_id(mb->id, LABEL_SENT);
    struct mail_list list = {
        .mailbox = mb->id, .query = &to, .labels = &sent, .n_labels = 1, .limit = 1};
    struct mail_message *found;
    size_t n;
    bool more;
    return mail_list(tx, &list, &found, &n, &more) < 0 ? -1 : n > 0;
}

int mail_rules_knows(struct tx *tx, const struct mailbox *mb, const char *email)
{
    if (!*email)
        return 0;
    return strcmp(email_domain(email), email_domain(mb->email)) == 0 ? 1
                                                                     : is_contact(tx, mb, email);
}

/* Whether the sender has had an answer lately; if not, this one is recorded. 1, 0, -1. */
static int was_answered(struct tx *tx, const struct mail_incoming *in)
{
    static struct sql_text q = SQL_TEXT(
        "insert into mail_answered (mailbox, email, at_us) values (:mailbox, :email, :now) "
        "on conflict (mailbox, email) do update set at_us = excluded.at_us "
        "where at_us <= excluded.at_us - :pause");
    sqlite3_stmt *st = TX_QUERY(tx, &q, in->mailbox->id, in->sender, tx->now_us,
                                VACATION_DAYS * INT64_C(86400000000));
    if (!st)
        return -1;
    int rc = sql_run(tx->db, st, tx->err);
    return rc < 0 ? -1 : sqlite3_changes(slot_db(tx->db)) == 0;
}

/* Whether the message gets the answer. 1, 0, -1. */
static int wants_answer(struct tx *tx, const struct mail_incoming *in,
                        const struct mail_vacation *v)
{
    if (!v->on || (v->from_us && tx->now_us < v->from_us) || (v->to_us && tx->now_us >= v->to_us) ||
        (in->flags & (FLAG(LABEL_SPAM) | FLAG(LABEL_TRASH))) || in->hops >= MAIL_MAX_HOPS ||
        from_machine(tx, in))
        return 0;
    if (v->domain && strcmp(email_domain(in->sender), email_domain(in->mailbox->email)) != 0)
        return 0;
    struct mailbox mb;
    int r = mailbox_by_address(tx, in->sender, &mb);
    if (r < 0 || (r && mb.id == in->mailbox->id))
        return r < 0 ? -1 : 0;
    r = to_person(tx, in);
    if (r == 1 && v->contacts)
        r = is_contact(tx, in->mailbox, in->sender);
    if (r == 1) {
        r = was_answered(tx, in);
        return r < 0 ? -1 : !r;
    }
    return r;
}

static const char *reply_subject(struct arena *a, const char *subject)
{
    if (!subject)
        return "Re:";
    return strncasecmp(subject, "Re:", 3) == 0 ? subject : arena_printf(a, "Re: %s", subject);
}

static int answer(struct tx *tx, const struct mail_incoming *in, const struct mail_vacation *v)
{
    static const struct compose_header headers[] = {
        {"Auto-Submitted", "auto-replied"}, {"Precedence", "bulk"}, {"X-Autoreply", "yes"}};
    struct arena *a = tx->arena;
    const char *subject = mime_header(a, in->head, in->head_len, "Subject");
    const char *id = mime_header(a, in->head, in->head_len, "Message-ID");
    const char *refs = mime_header(a, in->head, in->head_len, "References");
    const char *new_id;
    struct mail_sender from;
    struct buf b;
    if (mail_sender_chosen(tx, in->mailbox, &from) < 0 ||
        mail_message_id(tx, from.email, &new_id) < 0)
        return -1;
    const char *reply = reply_subject(a, subject);
    struct compose c = {
        .from = mail_sender_text(tx, in->mailbox, &from),
        .to = in->sender,
        .subject = v->subject && *v->subject ? arena_printf(a, "%s %s", v->subject, reply) : reply,
        .message_id = new_id,
        .in_reply_to = id,
        .references = id && refs ? arena_printf(a, "%s %s", refs, id) : id,
        .date_s = tx->now_us / 1000000,
        .headers = headers,
        .n_headers = SOSIA_LEN(headers),
        .text = v->html && *v->html ? NULL
                : v->text           ? v->text
                                    : "",
        .html = v->html && *v->html ? v->html : NULL,
    };
    buf_init(&b, MAIL_MAX_SIZE);
    mime_compose(a, &c, &b);
    struct mail_carry carry = {.sender = "",
                               .raw = b.data,
                               .len = b.len,
                               .to = &in->sender,
                               .n_to = 1,
                               .hops = in->hops + 1,
                               .forwards = in->forwards};
    int rc =
        buf_failed(&b) || arena_failed(a) ? sosia_fail_memory(tx->err) : mail_carry(tx, &carry);
    buf_done(&b);
    return rc;
}

int mail_rules_after(struct tx *tx, struct mail_incoming *in)
{
    const struct rules *r = in->rules;
    struct mail_vacation v;
    for (size_t i = 0; r && i < r->n_to; i++)
        if (forward(tx, in, r->to[i]) < 0)
            return -1;
    if (mail_respond_to(tx, in) < 0 || mail_vacation_get(tx, in->mailbox, &v) < 0)
        return -1;
    int wanted = wants_answer(tx, in, &v);
    return wanted == 1 ? answer(tx, in, &v) : wanted;
}
