/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A mailbox's handling of incoming mail: its rules, its forwarding, its automatic answer (RFC
 * 3834). What machines have sent is not answered, and a message is not forwarded to an address by
 * which it came, and MAIL_MAX_HOPS times at most, so that two mailboxes can't form a loop.
 */
#include "services/mail/core/deliver/rules.h"
#include "engine/base/codec.h"
#include "services/mail/core/deliver/respond.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/core/mail_impl.h"
#include <ctype.h>
#include <strings.h>

/* Where it is forwarded to. */
struct onward_to {
    const char *email;
    bool attached; /* of struct mail_act */
};
struct rules {
    struct onward_to *to;
    size_t n_to;
    bool archived;   /* a rule keeps it out of the inbox */
    bool deleted;    /* it is gone when all have acted */
    int64_t *copies; /* folders that get a copy */
    size_t n_copies;
};

/* ---- acts ---- */

static void take_own(struct mail_incoming *in, int64_t id)
{
    for (size_t i = 0; i < in->n_folders; i++)
        if (in->folders[i] == id)
            in->folders[i--] = in->folders[--in->n_folders];
}

/* Out of the folder of an exclusive vendor. */
static void leave_folder(struct mail_incoming *in)
{
    in->flags &= ~mail_vendor_folders(in->vendor);
    if (in->folder && !mail_folder_is_fixed(in->folder))
        take_own(in, in->folder);
    in->folder = 0;
}

static void add_place(struct mail_incoming *in, int64_t id, bool folder)
{
    if (folder && in->vendor->exclusive) {
        leave_folder(in);
        in->folder = id;
    }
    if (mail_folder_is_fixed(id)) {
        uint32_t flag = FLAG(mail_folder_place(id));
        in->flags = mail_flags_settle(in->vendor, in->flags | flag, flag);
        return;
    }
    for (size_t i = 0; i < in->n_folders; i++)
        if (in->folders[i] == id)
            return;
    in->folders[in->n_folders++] = id;
}

static void take_place(struct mail_incoming *in, int64_t id)
{
    if (!mail_folder_is_fixed(id))
        take_own(in, id);
    else if (mail_folder_place(id) < N_PLACES)
        in->flags &= ~FLAG(mail_folder_place(id));
}

/* Whether the mailbox has it, and it is a folder. A label that was deleted since is left alone:
 * 1 there, 0 not. */
static int look_at(struct tx *tx, const struct mail_incoming *in, int64_t id, bool *ret_folder)
{
    struct mail_folder f;
    const int64_t place = mail_folder_place(id);
    if (!mail_folder_is_fixed(id)) {
        int r = mail_folder_get(tx, in->mailbox->id, id, &f);
        *ret_folder = r == 1 && f.kind == KIND_FOLDER;
        return r;
    }
    *ret_folder = place < N_PLACES && mail_vendor_folders(in->vendor) & FLAG(place);
    return place < N_PLACES && mail_vendor_places(in->vendor) & FLAG(place);
}

static int go_on(struct tx *tx, struct rules *r, const struct mail_incoming *in, const char *to,
                 bool attached)
{
    const struct mail_vendor *v = in->vendor;
    for (size_t i = 0; i < r->n_to; i++)
        if (r->to[i].attached == attached && strcmp(r->to[i].email, to) == 0)
            return 0;
    int may = v->may_forward ? v->may_forward(tx, in->mailbox, to) : 1;
    if (may == 1)
        r->to[r->n_to++] = (struct onward_to){arena_strdup(tx->arena, to), attached};
    return may < 0 ? -1 : 0;
}

static int act(struct tx *tx, struct mail_incoming *in, struct rules *r, const struct mail_act *a)
{
    const int64_t inbox = mail_folder_id(in->mailbox->id, FOLDER_INBOX);
    bool folder = true;
    int there = 1;
    switch (a->kind) {
    case ACT_ADD:
    case ACT_MOVE:
        if ((there = look_at(tx, in, a->folder, &folder)) != 1)
            break;
        if (a->kind == ACT_MOVE && !in->vendor->exclusive && a->folder != inbox) {
            take_place(in, inbox);
            r->archived = true;
        }
        add_place(in, a->folder, folder);
        break;
    case ACT_REMOVE:
        if (in->vendor->exclusive && a->folder == in->folder)
            break; /* it must be somewhere */
        take_place(in, a->folder);
        r->archived |= a->folder == inbox;
        break;
    case ACT_DISCARD:
        add_place(in, mail_folder_id(in->mailbox->id, FOLDER_TRASH), true);
        break;
    case ACT_FORWARD:
        return go_on(tx, r, in, a->to, a->attached);
    case ACT_COPY:
        if ((there = look_at(tx, in, a->folder, &folder)) == 1 && folder)
            r->copies[r->n_copies++] = a->folder;
        break;
    case ACT_PROPERTY:
        if (a->property == ASKED_IMPORTANCE)
            in->property->importance = a->value;
        else
            in->property->inference = (enum mail_inference)a->value;
        break;
    case ACT_DELETE:
        r->deleted = true;
        break;
    }
    return there < 0 ? -1 : 0;
}

/* ---- rules ---- */

/* A message that a rule keeps out of junk is in the inbox, unless another archives it. */
static void settle_junk(struct mail_incoming *in, const struct rules *r)
{
    const uint32_t places = FLAG(FOLDER_INBOX) | FLAG(FOLDER_JUNK) | FLAG(FOLDER_TRASH);
    if (!in->vendor->exclusive && (in->message->flags & FLAG(FOLDER_JUNK)) &&
        !(in->flags & places) && !r->archived)
        in->flags |= FLAG(FOLDER_INBOX);
}

/* The rules, and which of them match the message as it came. */
static int find_matches(struct tx *tx, const struct mail_incoming *in, struct mail_rule **ret,
                        size_t *ret_n, bool **ret_match)
{
    struct mail_facts facts = {.message = in->message,
                               .text = in->words,
                               .message_id = in->message_id,
                               .folders = in->folders,
                               .n_folders = in->n_folders,
                               .property = in->property};
    *ret_n = 0;
    if (in->vendor->rules && in->vendor->rules(tx, in->mailbox, ret, ret_n) < 0)
        return -1;
    const struct search **queries = arena_alloc(tx->arena, (*ret_n + 1) * sizeof *queries);
    bool *found = arena_calloc(tx->arena, *ret_n + 1, sizeof *found);
    size_t n = 0;
    *ret_match = arena_calloc(tx->arena, *ret_n + 1, sizeof **ret_match);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < *ret_n; i++)
        if ((*ret)[i].query)
            queries[n++] = (*ret)[i].query;
    if (n && mail_match(tx, queries, n, &facts, found, NULL) < 0)
        return -1;
    for (size_t i = n = 0; i < *ret_n; i++) {
        const struct mail_rule *rule = &(*ret)[i];
        int r = rule->query ? found[n++] : rule->meets(tx, in, rule->arg);
        if (r < 0)
            return -1;
        (*ret_match)[i] = r;
    }
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

/* All that match act, in their order, up to one that is the last. */
static int run(struct tx *tx, struct mail_incoming *in, struct rules *r,
               const struct mail_rule *rules, const bool *match, size_t n)
{
    size_t room = in->n_folders, n_to = 1, n_copies = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; match[i] && k < rules[i].n_acts; k++) {
            room += rules[i].acts[k].kind == ACT_ADD || rules[i].acts[k].kind == ACT_MOVE;
            n_to += rules[i].acts[k].kind == ACT_FORWARD;
            n_copies += rules[i].acts[k].kind == ACT_COPY;
        }
    int64_t *folders = arena_calloc(tx->arena, room + 1, sizeof *folders);
    r->to = arena_calloc(tx->arena, n_to, sizeof *r->to);
    r->copies = n_copies ? arena_calloc(tx->arena, n_copies, sizeof *r->copies) : NULL;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (!n)
        return 0;
    if (in->n_folders)
        memcpy(folders, in->folders, in->n_folders * sizeof *folders);
    in->folders = folders;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; match[i] && k < rules[i].n_acts; k++)
            if (act(tx, in, r, &rules[i].acts[k]) < 0)
                return -1;
        if (match[i] && rules[i].stop)
            break;
    }
    settle_junk(in, r);
    return 0;
}

/* They may be large, and recipients many: each one's rules are let go. */
static int run_rules(struct tx *tx, struct mail_incoming *in, struct rules *r)
{
    struct arena *kept = tx->arena, own;
    struct mail_rule *rules;
    bool *match;
    size_t n;
    arena_init(&own, 0);
    tx->arena = &own;
    int rc = find_matches(tx, in, &rules, &n, &match);
    tx->arena = kept;
    if (rc == 0)
        rc = run(tx, in, r, rules, match, n);
    arena_done(&own);
    return rc;
}

/* What becomes of a message when it has gone on. */
static void settle_onward(struct mail_incoming *in, enum mail_forward_then then)
{
    const int64_t mailbox = in->mailbox->id;
    if (then == THEN_READ)
        in->flags &= ~FLAG(KEYWORD_UNSEEN);
    else if (then == THEN_TRASH)
        add_place(in, mail_folder_id(mailbox, FOLDER_TRASH), true);
    else if (then == THEN_ARCHIVE && !in->vendor->exclusive)
        in->flags &= ~FLAG(FOLDER_INBOX);
    else if (then == THEN_ARCHIVE &&
             mail_vendor_places(in->vendor) & FLAG(FOLDER_ARCHIVE)) /* else it stays */
        add_place(in, mail_folder_id(mailbox, FOLDER_ARCHIVE), true);
}

int mail_rules_incoming(struct tx *tx, struct mail_incoming *in)
{
    struct mail_onward onward = {0};
    struct rules *r = arena_calloc(tx->arena, 1, sizeof *r);
    in->rules = r;
    if (run_rules(tx, in, r) < 0 ||
        (in->vendor->onward && in->vendor->onward(tx, in->mailbox, &onward) < 0))
        return -1;
    if (in->flags & FLAG(FOLDER_JUNK)) {
        r->n_to = 0;
        return 0;
    }
    if (!onward.to)
        return 0;
    size_t before = r->n_to;
    if (go_on(tx, r, in, onward.to, false) < 0)
        return -1;
    if (r->n_to > before)
        settle_onward(in, onward.then);
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

/* The message as it came, with two fields before it. */
static int write_onward(struct tx *tx, const struct mail_incoming *in, const char *to,
                        struct buf *out)
{
    buf_printf(out, "X-Forwarded-To: %s\r\nX-Forwarded-For: %s %s\r\n", to, in->mailbox->email, to);
    return mail_message_raw(tx, in->message, out);
}

/* A new message of the mailbox's person, whose attachment it is. */
static int write_attached(struct tx *tx, const struct mail_incoming *in, const char *to,
                          struct buf *out)
{
    struct arena *a = tx->arena;
    const char *subject = mime_header(a, in->head, in->head_len, "Subject"), *id;
    struct mail_identity from;
    struct buf inner;
    if (mail_identity_of(tx, in->mailbox, &from) < 0 || mail_message_id(tx, from.email, &id) < 0)
        return -1;
    buf_init(&inner, MAIL_MAX_SIZE);
    int rc = mail_message_raw(tx, in->message, &inner);
    if (rc == 0 && buf_failed(&inner))
        rc = sosia_fail_memory(tx->err);
    const struct compose_file file = {.type = "message/rfc822",
                                      .filename = subject,
                                      .plain = true,
                                      .data = buf_str(&inner),
                                      .len = inner.len};
    const struct compose c = {.from = mail_identity_text(tx, in->mailbox, &from),
                              .to = to,
                              .subject = arena_printf(a, "FW: %s", subject ? subject : ""),
                              .message_id = id,
                              .date_s = tx->now_us / 1000000,
                              .text = "",
                              .files = &file,
                              .n_files = 1};
    if (rc == 0)
        mime_compose(a, &c, out);
    buf_done(&inner);
    return rc == 0 && arena_failed(a) ? sosia_fail_memory(tx->err) : rc;
}

static int forward(struct tx *tx, const struct mail_incoming *in, const struct onward_to *to)
{
    struct buf b;
    if (in->hops >= MAIL_MAX_HOPS || *in->forwards <= 0 || came_by(tx, in, to->email))
        return 0;
    --*in->forwards;
    buf_init(&b, MAIL_MAX_SIZE + 4096);
    int rc =
        to->attached ? write_attached(tx, in, to->email, &b) : write_onward(tx, in, to->email, &b);
    struct mail_carry carry = {.sender = to->attached ? in->mailbox->email : in->sender,
                               .raw = b.data,
                               .len = b.len,
                               .to = &to->email,
                               .n_to = 1,
                               .hops = in->hops + 1,
                               .not_to = in->mailbox->id,
                               .settled = in->settled,
                               .forwards = in->forwards};
    if (rc == 0)
        rc = buf_failed(&b) ? sosia_fail_memory(tx->err) : mail_carry(tx, &carry);
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

/* Whether the sender has had an answer lately; if not, this one is recorded. 1, 0, -1. */
static int was_answered(struct tx *tx, const struct mail_incoming *in, int64_t pause_us)
{
    static struct sql_text q = SQL_TEXT(
        "insert into mail_answered (mailbox, email, at_us) values (:mailbox, :email, :now) "
        "on conflict (mailbox, email) do update set at_us = excluded.at_us "
        "where at_us <= excluded.at_us - :pause");
    sqlite3_stmt *st = TX_QUERY(tx, &q, in->mailbox->id, in->sender, tx->now_us, pause_us);
    if (!st)
        return -1;
    int rc = sql_run(tx->db, st, tx->err);
    return rc < 0 ? -1 : sqlite3_changes(slot_db(tx->db)) == 0;
}

int mail_answered_forget(struct tx *tx, const struct mailbox *mb)
{
    static struct sql_text q = SQL_TEXT("delete from mail_answered where mailbox = :mailbox");
    return TX_RUN(tx, &q, mb->id);
}

static bool is_outside(const struct mail_incoming *in)
{
    return strcmp(email_domain(in->sender), email_domain(in->mailbox->email)) != 0;
}

/* Whether the message gets the answer. 1, 0, -1. */
static int wants_answer(struct tx *tx, const struct mail_incoming *in,
                        const struct mail_auto_answer *v)
{
    if (!v->on || (v->from_us && tx->now_us < v->from_us) || (v->to_us && tx->now_us >= v->to_us) ||
        (in->flags & (FLAG(FOLDER_JUNK) | FLAG(FOLDER_TRASH))) || in->hops >= MAIL_MAX_HOPS ||
        from_machine(tx, in))
        return 0;
    if (v->domain && is_outside(in))
        return 0;
    struct mailbox mb;
    int r = mailbox_by_address(tx, in->sender, &mb);
    if (r < 0 || (r && mb.id == in->mailbox->id))
        return r < 0 ? -1 : 0;
    r = to_person(tx, in);
    if (r == 1 && (v->contacts || (v->apart && v->apart_contacts && is_outside(in))))
        r = mail_rules_wrote_to(tx, in->mailbox, in->sender);
    if (r == 1) {
        r = was_answered(tx, in, v->pause_us);
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

static int answer(struct tx *tx, const struct mail_incoming *in, const struct mail_auto_answer *v)
{
    static const struct compose_header headers[] = {
        {"Auto-Submitted", "auto-replied"}, {"Precedence", "bulk"}, {"X-Autoreply", "yes"}};
    struct arena *a = tx->arena;
    const char *subject = mime_header(a, in->head, in->head_len, "Subject");
    const char *id = mime_header(a, in->head, in->head_len, "Message-ID");
    const char *refs = mime_header(a, in->head, in->head_len, "References");
    const char *new_id;
    struct mail_identity from;
    struct buf b;
    if (mail_identity_of(tx, in->mailbox, &from) < 0 ||
        mail_message_id(tx, from.email, &new_id) < 0)
        return -1;
    const char *reply = v->plain ? (subject ? subject : "") : reply_subject(a, subject);
    const char *html = v->apart && is_outside(in) ? v->apart_html : v->html;
    struct compose c = {
        .from = mail_identity_text(tx, in->mailbox, &from),
        .to = in->sender,
        .subject = v->subject && *v->subject ? arena_printf(a, "%s %s", v->subject, reply) : reply,
        .message_id = new_id,
        .in_reply_to = id,
        .references = id && refs ? arena_printf(a, "%s %s", refs, id) : id,
        .date_s = tx->now_us / 1000000,
        .headers = headers,
        .n_headers = SOSIA_LEN(headers),
        .text = html && *html ? NULL
                : v->text     ? v->text
                              : "",
        .html = html && *html ? html : NULL,
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
    struct mail_auto_answer v = {.on = false};
    for (size_t i = 0; r && i < r->n_to; i++)
        if (forward(tx, in, &r->to[i]) < 0)
            return -1;
    for (size_t i = 0; r && i < r->n_copies; i++) {
        struct mail_message copy;
        if (mail_message_copy(tx, in->mailbox, in->message, r->copies[i], &copy) < 0)
            return -1;
    }
    if (mail_respond_to(tx, in) < 0 ||
        (in->vendor->answer && in->vendor->answer(tx, in->mailbox, &v) < 0))
        return -1;
    int wanted = wants_answer(tx, in, &v);
    if (wanted == 1)
        wanted = answer(tx, in, &v);
    return wanted < 0 || !r || !r->deleted ? wanted : mail_message_delete(tx, in->message);
}
