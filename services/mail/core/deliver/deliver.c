/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delivery of a message from one mailbox to others. Every mailbox gets it once, however many of its
 * addresses and groups it was sent to. Addresses outside of the world are the outbox's; addresses
 * of the world's organisations that do not exist are reported to the sender.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/core/deliver/bounce.h"
#include "services/mail/core/index.h"
#include "services/mail/core/mail_impl.h"
#include <stdlib.h>

/* ---- targets ---- */

struct target {
    int64_t mailbox;
    const char *email; /* that led to it */
};

struct route_plan {
    struct tx *tx;
    struct target *targets;
    size_t n, cap;
    struct addresses {
        const char **list;
        size_t n, cap;
    } outside, unknown, groups;
};

static int add_address(struct tx *tx, struct addresses *a, const char *email)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->list[i], email) == 0)
            return 0;
    void *list = arena_grow(tx->arena, a->list, a->n, &a->cap, sizeof *a->list);
    if (!list)
        return sosia_fail_memory(tx->err);
    a->list = list;
    a->list[a->n++] = email;
    return 0;
}

static int add_target(struct route_plan *p, int64_t mailbox, const char *email)
{
    void *list = arena_grow(p->tx->arena, p->targets, p->n, &p->cap, sizeof *p->targets);
    if (!list)
        return sosia_fail_memory(p->tx->err);
    p->targets = list;
    p->targets[p->n++] = (struct target){mailbox, email};
    return 0;
}

/* An address that is not a group's. */
static int plan_person(void *arg, const char *email)
{
    struct route_plan *p = arg;
    struct tx *tx = p->tx;
    struct mailbox mb;
    struct actor who;
    int r = mailbox_by_address(tx, email, &mb);
    if (r == 1)
        return add_target(p, mb.id, email);
    if (r == 0)
        r = actor_by_email(tx, email, &who);
    if (r) /* an actor without a mailbox, such as a room */
        return r < 0 ? -1 : 0;
    r = identity_is_local(tx, email);
    return r < 0 ? -1 : add_address(tx, r ? &p->unknown : &p->outside, email);
}

/* A group that gets a letter. */
static int plan_group(void *arg, const char *email)
{
    struct route_plan *p = arg;
    return add_address(p->tx, &p->groups, email);
}

static int plan_address(struct route_plan *p, const char *email)
{
    struct group group;
    int r = group_by_email(p->tx, email, &group);
    if (r == 1 && (r = group_takes_mail(p->tx, &group)) == 1)
        return plan_group(p, group.email) < 0 ||
                       group_each_inner(p->tx, group.id, plan_group, p) < 0
                   ? -1
                   : group_each_member(p->tx, group.id, plan_person, p);
    return r < 0 ? -1 : plan_person(p, email);
}

static int by_mailbox(const void *a, const void *b)
{
    const struct target *x = a, *y = b;
    return x->mailbox < y->mailbox ? -1 : x->mailbox > y->mailbox;
}

static int by_place(const void *a, const void *b)
{
    const struct target *const *x = a, *const *y = b;
    int r = by_mailbox(*x, *y);
    return r ? r : *x < *y ? -1 : *x > *y;
}

/* Each mailbox once, by the address that came first, in the order of the mailboxes, which is
 * that of the index. */
static int plan_order(struct route_plan *p)
{
    struct target **order = arena_alloc(p->tx->arena, (p->n + 1) * sizeof *order);
    struct target *list = arena_alloc(p->tx->arena, (p->n + 1) * sizeof *list);
    size_t n = 0;
    if (arena_failed(p->tx->arena))
        return sosia_fail_memory(p->tx->err);
    for (size_t i = 0; i < p->n; i++)
        order[i] = &p->targets[i];
    if (p->n)
        qsort(order, p->n, sizeof *order, by_place);
    for (size_t i = 0; i < p->n; i++)
        if (!n || list[n - 1].mailbox != order[i]->mailbox)
            list[n++] = *order[i];
    p->targets = list;
    p->n = n;
    return 0;
}

static int plan_take(struct route_plan *p, int64_t mailbox)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->targets[i].mailbox == mailbox) {
            memmove(&p->targets[i], &p->targets[i + 1], (p->n - i - 1) * sizeof *p->targets);
            p->n--;
            return 1;
        }
    return 0;
}

/* ---- copies ---- */

bool mail_deliver_no_reply(const char *sender)
{
    static const char *const ends[] = {"noreply", "no-reply"};
    const char *at = strrchr(sender, '@');
    size_t len = at ? (size_t)(at - sender) : strlen(sender);
    for (size_t i = 0; i < SOSIA_LEN(ends); i++) {
        size_t n = strlen(ends[i]);
        if (len >= n && memcmp(sender + len - n, ends[i], n) == 0)
            return true;
    }
    return false;
}

/* What all copies have; delivery puts something in front of each. */
struct copy {
    struct tx *tx;
    const char *sender, *reports; /* NULL: to the sender */
    const char *letter;           /* the head that it was sent with */
    size_t letter_len;
    struct mail_letter_head head; /* without Bcc */
    struct search_text words;
    struct mail_letter_text *text;
    const char *date;
    const char *daemon; /* of struct mail_send */
    uint32_t marks;     /* as the vendor marked_by has it */
    const struct mail_vendor *marked_by;
    int hops;
    struct objects objects; /* for the calendars of those who get it */
    struct objects_budget budget;
    bool settled; /* of struct mail_carry */
    int *forwards;
};

static int copy_init(struct copy *c, struct tx *tx, const char *sender, const char *head,
                     size_t len, struct mail_letter_text *text, int hops)
{
    char date[MIME_DATE];
    struct buf b;
    buf_init(&b, 0);
    mime_head_set(&b, head, len, "Bcc", NULL);
    mime_date_text(date, tx->now_us / US_PER_SECOND, 0);
    *c = (struct copy){.tx = tx,
                       .sender = sender,
                       .letter = head,
                       .letter_len = len,
                       .text = text,
                       .date = arena_strdup(tx->arena, date),
                       .hops = hops,
                       .budget = OBJECTS_BUDGET};
    const char *rest = arena_memdup(tx->arena, b.len ? b.data : "", b.len);
    size_t rest_len = b.len;
    bool failed = buf_failed(&b);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err)
                  : mail_letter_read_head(tx, rest, rest_len, &c->head);
}

/* The head of a recipient's copy. */
static int head_of_copy(struct copy *c, const struct target *t, struct mail_letter_head *ret)
{
    struct tx *tx = c->tx;
    const char *delivered;
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "Delivered-To: %s\r\nReceived: by %s; %s\r\nReturn-Path: <%s>\r\n", t->email,
               email_domain(t->email), c->date, c->sender);
    buf_add(&b, c->head.head, c->head.len);
    *ret = c->head;
    ret->head = arena_memdup(tx->arena, b.len ? b.data : "", b.len);
    ret->len = b.len;
    bool failed = buf_failed(&b) || arena_failed(tx->arena);
    buf_done(&b);
    if (failed)
        return sosia_fail_memory(tx->err);
    if (c->head.words)
        return 0;
    if (mail_letter_words(tx, ret, c->text, &c->words, &delivered) < 0)
        return -1;
    c->head.words = ret->words = &c->words;
    c->head.words_class = ret->words_class =
        mail_index_class((int64_t)(ret->len + c->text->content_len));
    return 0;
}

/* The places that a copy gets by the letter's head: the same for all mailboxes of a vendor. */
static uint32_t marks_of(struct copy *c, const struct mail_vendor *v)
{
    if (c->marked_by != v)
        c->marks = v->marks ? v->marks(c->tx->arena, c->sender, c->letter, c->letter_len) : 0;
    c->marked_by = v;
    return c->marks;
}

static int put_copy(struct copy *c, const struct target *t, int64_t thread,
                    struct mail_message *ret)
{
    struct tx *tx = c->tx;
    struct mailbox mb;
    struct mail_letter_head head;
    int r = mailbox_by_id(tx, t->mailbox, &mb);
    if (r != 1)
        return r < 0 ? -1 : tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "a mailbox is gone");
    const struct mail_vendor *v = mail_vendor_of(tx, mb.id);
    if (!v || head_of_copy(c, t, &head) < 0)
        return -1;
    struct mail_message_new new = {.mailbox = &mb,
                                   .flags =
                                       FLAG(FOLDER_INBOX) | FLAG(KEYWORD_UNSEEN) | marks_of(c, v),
                                   .at_s = INT64_MIN,
                                   .thread = thread,
                                   .joins = thread != 0,
                                   .incoming = true};
    struct mail_incoming incoming = {.decide = mail_rules_incoming,
                                     .sender = c->sender,
                                     .recipient = t->email,
                                     .hops = c->hops,
                                     .settled = c->settled,
                                     .forwards = c->forwards};
    struct put put = {.in = &new, .head = &head, .text = c->text, .incoming = &incoming};
    if (mail_message_put(tx, &put, ret) < 0 ||
        mail_objects_arrived(tx, &mb, c->sender, &c->objects, &c->budget) < 0)
        return -1;
    incoming.message = ret;
    incoming.mailbox = &mb;
    return mail_rules_after(tx, &incoming);
}

/* ---- outside ---- */

static int send_out(struct copy *c, const struct addresses *to)
{
    struct tx *tx = c->tx;
    struct buf names, raw, payload;
    struct json_writer w;
    if (!to->n)
        return 0;
    buf_init(&names, 0);
    buf_init(&raw, 0);
    buf_init(&payload, 0);
    for (size_t i = 0; i < to->n; i++)
        buf_printf(&names, "%s%s", i ? "," : "", to->list[i]);
    struct buf bytes;
    buf_init(&bytes, 0);
    buf_add(&bytes, c->head.head, c->head.len);
    buf_add(&bytes, c->text->content, c->text->content_len);
    base64_add(&raw, bytes.data, bytes.len);
    const char *subject = mime_header(tx->arena, c->head.head, c->head.len, "Subject");
    json_init(&w, &payload, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "subject", subject ? subject : "");
    json_str(&w, "raw", buf_str(&raw));
    json_end(&w);
    int rc = buf_failed(&names) || buf_failed(&bytes) || buf_failed(&raw) || buf_failed(&payload)
                 ? sosia_fail_memory(tx->err)
                 : outbox_add(tx, "mail", c->sender, buf_str(&names), buf_str(&payload));
    buf_done(&names);
    buf_done(&bytes);
    buf_done(&raw);
    buf_done(&payload);
    return rc;
}

/* ---- carrying ---- */

/* Reports to the sender, or in its place, that an address does not exist. */
static int report(struct copy *c, const char *address, int64_t thread)
{
    struct tx *tx = c->tx;
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct route_plan plan = {.tx = tx};
    struct mail_message m;
    struct copy dsn;
    const char *raw, *sender = c->reports ? c->reports : c->sender;
    size_t len;
    if (!*sender)
        return 0;
    if (plan_person(&plan, sender) < 0)
        return -1;
    const struct mail_vendor *v = plan.n ? mail_vendor_of(tx, plan.targets[0].mailbox) : NULL;
    if (mail_bounce_compose(tx, v ? v->report : NULL, c->daemon, sender, address, c->head.head,
                            c->head.len, c->text, &raw, &len) < 0 ||
        mail_letter_read(tx, raw, len, &head, &text) < 0)
        return -1;
    if (copy_init(&dsn, tx, "", head.head, head.len, &text, 0) < 0)
        return -1;
    dsn.forwards = c->forwards;
    for (size_t i = 0; i < plan.n; i++)
        if (put_copy(&dsn, &plan.targets[i], thread, &m) < 0)
            return -1;
    return send_out(&dsn, &plan.outside);
}

/* Vendors that keep what comes to groups get it once for each. */
static int tell_groups(const struct copy *c, const struct addresses *groups)
{
    struct tx *tx = c->tx;
    const size_t len = c->head.len + c->text->content_len;
    char *raw = groups->n ? arena_alloc(tx->arena, len + 1) : NULL;
    struct group group;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < groups->n; i++) {
        const struct mail_vendor *v;
        if (i == 0) {
            memcpy(raw, c->head.head, c->head.len);
            memcpy(raw + c->head.len, c->text->content, c->text->content_len);
        }
        int r = group_by_email(tx, groups->list[i], &group);
        if (r < 0)
            return -1;
        for (size_t k = 0; r == 1 && (v = mail_vendor_nth(tx, k)); k++)
            if (v->group_came && v->group_came(tx, &group, raw, len) < 0)
                return -1;
    }
    return 0;
}

/* forwards: of struct mail_carry. */
static int carry(struct copy *c, struct route_plan *p, int64_t thread, int *forwards)
{
    struct mail_message m;
    int most = MAIL_MAX_FORWARDS + (int)p->n;
    c->forwards = forwards ? forwards : &most;
    if (arena_failed(c->tx->arena))
        return sosia_fail_memory(c->tx->err);
    for (size_t i = 0; i < p->n; i++)
        if (put_copy(c, &p->targets[i], 0, &m) < 0)
            return -1;
    for (size_t i = 0; i < p->unknown.n; i++)
        if (report(c, p->unknown.list[i], thread) < 0)
            return -1;
    if (tell_groups(c, &p->groups) < 0)
        return -1;
    return send_out(c, &p->outside);
}

int mail_carry(struct tx *tx, const struct mail_carry *in)
{
    struct route_plan plan = {.tx = tx};
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct copy copy;
    if (in->hops > MAIL_MAX_HOPS)
        return 0;
    for (size_t i = 0; i < in->n_to; i++) {
        const char *email = email_normal(tx->arena, in->to[i]);
        if (email && plan_address(&plan, email) < 0)
            return -1;
    }
    if (mail_letter_read(tx, in->raw, in->len, &head, &text) < 0 || plan_order(&plan) < 0)
        return -1;
    if (in->not_to)
        plan_take(&plan, in->not_to);
    if (copy_init(&copy, tx, in->sender ? in->sender : "", head.head, head.len, &text, in->hops) <
        0)
        return -1;
    copy.settled = in->settled;
    copy.reports = in->reports;
    if (!in->settled && mail_objects_of_letter(tx, &text, &copy.objects) < 0)
        return -1;
    return carry(&copy, &plan, in->thread, in->forwards);
}

/* ---- sending ---- */

static int plan_field(struct route_plan *p, const struct mail_letter_head *head, const char *field,
                      size_t *n)
{
    struct tx *tx = p->tx;
    struct mime_address *list;
    size_t n_list;
    bool bad;
    mime_address_fields(tx->arena, head->head, head->len, field, &list, &n_list, &bad);
    *n += n_list;
    if (*n > MAIL_MAX_RECIPIENTS)
        return tx_fail(tx, SOSIA_E_TOO_LARGE, "tooManyRecipients", field,
                       "a message has at most %d recipients", MAIL_MAX_RECIPIENTS);
    for (size_t i = 0; i < n_list; i++) {
        const char *email = email_normal(tx->arena, list[i].email);
        if (bad || !email)
            return tx_fail(tx, SOSIA_E_INVALID, "badRecipient", field,
                           "something in %s is not an address", field);
        if (plan_address(p, email) < 0)
            return -1;
    }
    return bad ? tx_fail(tx, SOSIA_E_INVALID, "badRecipient", field,
                         "something in %s is not an address", field)
               : 0;
}

static int plan_message(struct route_plan *p, const struct mail_letter_head *head)
{
    static const char *const fields[] = {"To", "Cc", "Bcc"};
    size_t n = 0;
    for (size_t i = 0; i < SOSIA_LEN(fields); i++)
        if (plan_field(p, head, fields[i], &n) < 0)
            return -1;
    if (!n)
        return tx_fail(p->tx, SOSIA_E_INVALID, "noRecipient", NULL,
                       "a message that is sent has a recipient");
    return plan_order(p);
}

/* The copy of who sends it. */
static int put_sent(struct tx *tx, const struct mail_send *in, struct mail_letter_head *head,
                    struct mail_letter_text *text, bool to_self, struct mail_message *ret)
{
    struct mail_message_new new = {.mailbox = in->from,
                                   .flags = FLAG(FOLDER_SENT),
                                   .at_s = INT64_MIN,
                                   .thread = in->thread,
                                   .joins = in->joins,
                                   .alone = in->alone};
    struct put put = {.in = &new, .head = head, .text = text};
    if (to_self)
        new.flags |= FLAG(FOLDER_INBOX) | FLAG(KEYWORD_UNSEEN);
    if (in->draft && !in->thread) {
        new.thread = in->draft->message.thread_key;
        new.joins = true;
    }
    if (mail_message_put(tx, &put, ret) < 0)
        return -1;
    return in->draft ? mail_draft_delete(tx, in->draft) : 0;
}

int mail_send(struct tx *tx, const struct mail_send *in, struct mail_message *ret)
{
    struct route_plan plan = {.tx = tx};
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct copy copy;
    if (mail_letter_read(tx, in->raw, in->len, &head, &text) < 0)
        return -1;
    if (head.len > MAIL_MAX_HEAD) /* every copy has its own */
        return tx_fail(tx, SOSIA_E_TOO_LARGE, "headTooLarge", NULL,
                       "the head of a message that is sent has at most %d bytes", MAIL_MAX_HEAD);
    if (plan_message(&plan, &head) < 0)
        return -1;
    const struct mail_vendor *v = mail_vendor_of(tx, in->from->id);
    if (!v)
        return -1;
    /* Of an exclusive vendor two folders have a copy each. */
    bool to_self = !v->exclusive && plan_take(&plan, in->from->id);
    if (put_sent(tx, in, &head, &text, to_self, ret) < 0)
        return -1;
    if (copy_init(&copy, tx, in->from->email, in->head ? in->head : head.head,
                  in->head ? in->head_len : head.len, &text, 0) < 0)
        return -1;
    copy.daemon = in->daemon;
    if (mail_objects_of_letter(tx, &text, &copy.objects) < 0 ||
        mail_objects_sent(tx, in->from, &head, &copy.objects) < 0 ||
        (to_self &&
         mail_objects_arrived(tx, in->from, in->from->email, &copy.objects, &copy.budget) < 0))
        return -1;
    if (carry(&copy, &plan, ret->thread_key, NULL) < 0)
        return -1;
    return mail_message_by_id(tx, ret->id, ret) < 0 ? -1 : 0;
}
