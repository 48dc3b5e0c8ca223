/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responders: people who answer mail by themselves. A rule says which messages, and its acts become
 * letters as soon as one comes, which are sent one after the other by the world's clock. Each is an
 * entry that falls due, so a replay has the same. Answers to answers end: one comes a second after
 * what it answers at the earliest, and a responder answers so many times and no more.
 */
#include "engine/base/made.h"
#include "engine/world/number.h"
#include "engine/state/own.h"
#include "services/mail/core/deliver/respond.h"
#include "engine/text/civil.h"
#include "engine/world/answer.h"
#include "engine/world/core.h"
#include "engine/world/event.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/core/vendor.h"

#define CORE      "mail.respond"
#define MAX_WAIT  INT64_C(8589934) /* seconds */
#define TIMES     100              /* unless it is said */
#define TEXT_READ ((size_t)40000)  /* bytes of a text that are looked at */
#define MAX_TO    100              /* addresses of a list of a rule's */

struct responder {
    int64_t id, mailbox, delay_s, times;
    const char *key, *rule, *acts, *refused;
};

#define RESPONDER "id, key, mailbox, rule, acts, delay_s, times, refused"

static int read_responder(struct tx *tx, sqlite3_stmt *st, struct responder *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct responder){.id = sqlite3_column_int64(st, 0),
                              .key = tx_string(tx, st, 1),
                              .mailbox = sqlite3_column_int64(st, 2),
                              .rule = tx_string(tx, st, 3),
                              .acts = tx_string(tx, st, 4),
                              .delay_s = sqlite3_column_int64(st, 5),
                              .times = sqlite3_column_int64(st, 6),
                              .refused = tx_string(tx, st, 7)};
    sql_done(st);
    return 1;
}

static int get_responder(struct tx *tx, int64_t id, struct responder *ret)
{
    static struct sql_text q = SQL_TEXT("select " RESPONDER " from mail_responder where id = :id");
    return read_responder(tx, TX_QUERY(tx, &q, id), ret);
}

static int next_responder(struct tx *tx, int64_t mailbox, int64_t after, struct responder *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " RESPONDER " from mail_responder where mailbox = :mailbox and "
                 "id > :after and times > 0 order by id limit 1");
    return read_responder(tx, TX_QUERY(tx, &q, mailbox, after), ret);
}

/* ---- what came ---- */

enum { OF_FROM, OF_NAME, OF_SUBJECT, OF_TEXT, N_OF };
static const char *const of_names[] = {"from", "name", "subject", "text", NULL};

/* A message as rules and letters see it. */
struct came {
    struct answer_found f;
    const char *of[N_OF];
    const char *reply_to;        /* as in a header */
    const char *date;            /* NULL: it says none */
    const char *to;              /* as in its header; NULL: none */
    struct mime_address *others; /* To and Cc */
    size_t n_others;
    const char *message_id, *references; /* with brackets; NULL: none */
};

static int read_text(struct tx *tx, const struct mail_message *m, const char **ret)
{
    struct mail_message_body b;
    const char *text, *html;
    size_t n, html_n;
    if (mail_message_open(tx, m, &b) < 0 ||
        mail_message_texts(tx, &b, TEXT_READ, &text, &n, &html, &html_n) < 0)
        return -1;
    *ret = text ? arena_memdup(tx->arena, text, n) : "";
    return 0;
}

static int read_message(struct tx *tx, const struct mail_incoming *in, struct came *c)
{
    struct arena *a = tx->arena;
    struct mime_address *from, *to, *cc;
    size_t n_from, n_to, n_cc;
    bool bad;
    *c = (struct came){.f = {.names = of_names, .values = c->of}};
    mime_address_fields(a, in->head, in->head_len, "From", &from, &n_from, &bad);
    c->of[OF_FROM] = n_from ? from[0].email : in->sender;
    c->of[OF_NAME] = n_from && from[0].name ? from[0].name : c->of[OF_FROM];
    c->of[OF_SUBJECT] = mime_header(a, in->head, in->head_len, "Subject");
    c->of[OF_SUBJECT] = c->of[OF_SUBJECT] ? c->of[OF_SUBJECT] : "";
    c->reply_to = mime_header(a, in->head, in->head_len, "Reply-To");
    c->reply_to = c->reply_to ? c->reply_to : c->of[OF_FROM];
    c->date = mime_header(a, in->head, in->head_len, "Date");
    c->to = mime_header(a, in->head, in->head_len, "To");
    mime_address_fields(a, in->head, in->head_len, "To", &to, &n_to, &bad);
    mime_address_fields(a, in->head, in->head_len, "Cc", &cc, &n_cc, &bad);
    c->others = arena_alloc(a, (n_to + n_cc + 1) * sizeof *c->others);
    if (arena_failed(a))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n_to + n_cc; i++)
        c->others[c->n_others++] = i < n_to ? to[i] : cc[i - n_to];
    c->message_id = mime_header(a, in->head, in->head_len, "Message-ID");
    const char *refs = mime_header(a, in->head, in->head_len, "References");
    c->references =
        c->message_id && refs ? arena_printf(a, "%s %s", refs, c->message_id) : c->message_id;
    return read_text(tx, in->message, &c->of[OF_TEXT]);
}

/* 1, 0, -1. */
static int keeps_to(struct tx *tx, const struct json *rule, struct came *c)
{
    const char *text = json_get_str(rule, "text");
    const struct json *to = json_get(rule, "to");
    bool named = !to;
    if (!answer_lists(json_get(rule, "from"), (const char *const[]){c->of[OF_FROM], NULL}))
        return 0;
    for (size_t i = 0; i < c->n_others && !named; i++)
        named = answer_lists(to, (const char *const[]){c->others[i].email, NULL});
    if (!named)
        return 0;
    int r = answer_match(tx, json_get_str(rule, "subject"), c->of[OF_SUBJECT], &c->f);
    return r == 1 ? answer_match(tx, text, c->of[OF_TEXT], &c->f) : r;
}

/* ---- letters ---- */

static const char *again(struct arena *a, const char *mark, const char *subject)
{
    size_t n = strlen(mark);
    return strncasecmp(subject, mark, n) == 0 ? subject : arena_printf(a, "%s %s", mark, subject);
}

/* The addresses of a list, in a header's form; NULL: none. */
static const char *addresses(struct tx *tx, const struct json *list, const struct answer_found *f)
{
    struct arena *a = tx->arena;
    const char *all = NULL;
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (list->items[i].type == JSON_STRING) {
            const char *one = answer_fill(tx, list->items[i].str, f);
            all = all ? arena_printf(a, "%s, %s", all, one) : one;
        }
    return all;
}

/* Everybody whom the message named but the one who answers and those whom `to` has; NULL: nobody.
 */
static const char *the_others(struct tx *tx, const struct mail_incoming *in, const struct came *c)
{
    struct arena *a = tx->arena;
    const char *all = NULL;
    for (size_t i = 0; i < c->n_others; i++) {
        struct mailbox mb;
        int r = mailbox_by_address(tx, c->others[i].email, &mb);
        if (r < 0)
            return NULL;
        if ((r && mb.id == in->mailbox->id) || !*c->others[i].email ||
            strcasecmp(c->others[i].email, c->of[OF_FROM]) == 0)
            continue;
        const char *one = mime_address_text(a, c->others[i].name, c->others[i].email);
        all = all ? arena_printf(a, "%s, %s", all, one) : one;
    }
    return all;
}

static void write_forward(struct tx *tx, struct json_writer *w, const struct json *act,
                          const struct came *c)
{
    const char *text = json_get_str(act, "text");
    json_str_opt(w, "to", addresses(tx, json_get(act, "to"), &c->f));
    json_str_opt(w, "cc", addresses(tx, json_get(act, "cc"), &c->f));
    json_str(w, "subject", again(tx->arena, "Fwd:", c->of[OF_SUBJECT]));
    json_str(w, "text",
             arena_printf(tx->arena,
                          "%s\n\n---------- Forwarded message ---------\nFrom: %s <%s>\nDate: %s\n"
                          "Subject: %s\nTo: %s\n\n%s",
                          text ? answer_fill(tx, text, &c->f) : "", c->of[OF_NAME], c->of[OF_FROM],
                          c->date ? c->date : "", c->of[OF_SUBJECT], c->to ? c->to : "",
                          c->of[OF_TEXT]));
    json_str_opt(w, "references", c->references);
}

/* What an act says becomes a letter: {to, cc, subject, text, html, inReplyTo, references}. */
static void write_letter(struct tx *tx, struct json_writer *w, const char *name,
                         const struct json *act, const struct mail_incoming *in,
                         const struct came *c)
{
    const char *subject = json_get_str(act, "subject"), *text = json_get_str(act, "text"),
               *html = json_get_str(act, "html");
    bool reply = strcmp(name, "reply") == 0;
    json_obj(w, "send");
    if (strcmp(name, "forward") == 0) {
        write_forward(tx, w, act, c);
        json_end(w);
        return;
    }
    json_str_opt(w, "to", reply ? c->reply_to : addresses(tx, json_get(act, "to"), &c->f));
    json_str_opt(w, "cc",
                 !reply                      ? addresses(tx, json_get(act, "cc"), &c->f)
                 : json_get_true(act, "all") ? the_others(tx, in, c)
                                             : NULL);
    json_str(w, "subject",
             subject ? answer_fill(tx, subject, &c->f)
             : reply ? again(tx->arena, "Re:", c->of[OF_SUBJECT])
                     : "");
    json_str_opt(w, "text", text ? answer_fill(tx, text, &c->f) : NULL);
    json_str_opt(w, "html", html ? answer_fill(tx, html, &c->f) : NULL);
    if (reply) {
        json_str_opt(w, "inReplyTo", c->message_id);
        json_str_opt(w, "references", c->references);
    }
    json_end(w);
}

static const char *letters_for(struct tx *tx, const struct json *acts,
                               const struct mail_incoming *in, const struct came *c)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (uint32_t i = 0; i < acts->n; i++) {
        const struct json *act = &acts->items[i];
        if (act->type != JSON_OBJECT || act->n != 1)
            continue;
        json_obj(&w, NULL);
        if (act->members[0].value.type == JSON_OBJECT)
            write_letter(tx, &w, act->members[0].key, &act->members[0].value, in, c);
        else
            json_value(&w, act->members[0].key, &act->members[0].value);
        json_end(&w);
    }
    json_end(&w);
    const char *text = buf_made(&b, tx->arena);
    return text;
}

static int begin_answer(struct tx *tx, const struct responder *r, const struct mail_incoming *in,
                        const struct came *c)
{
    static struct sql_text less =
        SQL_TEXT("update mail_responder set times = times - 1 where id = :id");
    static struct sql_text q = SQL_TEXT("insert into mail_respond (responder, acts, step, at_us) "
                                        "values (:responder, :acts, 0, :at)");
    const struct json *acts;
    int64_t at_us = tx->now_us + r->delay_s * US_PER_SECOND;
    if (json_parse(tx->arena, r->acts, strlen(r->acts), NULL, &acts, tx->err) < 0)
        return -1;
    const char *text = letters_for(tx, acts, in, c);
    if (!text)
        return sosia_fail_memory(tx->err);
    if (TX_RUN(tx, &less, r->id) < 0 || TX_RUN(tx, &q, r->id, text, at_us) < 0)
        return -1;
    return due_add(tx, at_us, CORE, "letter", tx_last_id(tx));
}

int mail_respond_to(struct tx *tx, const struct mail_incoming *in)
{
    struct responder r = {0};
    struct came *c = NULL;
    const struct json *rule;
    int rc;
    if (!*in->sender || (in->flags & (FLAG(FOLDER_JUNK) | FLAG(FOLDER_TRASH))))
        return 0; /* a report of a failure, an automatic answer, what nobody looks at */
    while ((rc = next_responder(tx, in->mailbox->id, r.id, &r)) == 1) {
        if (!c) {
            struct mailbox mb;
            if ((rc = mailbox_by_address(tx, in->sender, &mb)) < 0 ||
                (rc == 1 && mb.id == in->mailbox->id))
                return rc < 0 ? -1 : 0;
            c = arena_alloc(tx->arena, sizeof *c);
            if (arena_failed(tx->arena))
                return sosia_fail_memory(tx->err);
            if (read_message(tx, in, c) < 0)
                return -1;
        }
        memset(c->f.captures, 0, sizeof c->f.captures);
        if (json_parse(tx->arena, r.rule, strlen(r.rule), NULL, &rule, tx->err) < 0)
            return -1;
        int yes = keeps_to(tx, rule, c);
        if (yes < 0 || (yes && begin_answer(tx, &r, in, c) < 0))
            return -1;
    }
    return rc;
}

/* ---- by the clock ---- */

static int send_letter(struct tx *tx, const struct mailbox *mb, const struct json *l)
{
    struct mail_identity from;
    struct mail_message sent;
    const char *id, *html = json_get_str(l, "html"), *text = json_get_str(l, "text");
    struct buf b;
    if (mail_identity_of(tx, mb, &from) < 0 || mail_message_id(tx, from.email, &id) < 0)
        return -1;
    struct compose c = {.from = mail_identity_text(tx, mb, &from),
                        .to = json_get_str(l, "to"),
                        .cc = json_get_str(l, "cc"),
                        .subject = json_get_str(l, "subject"),
                        .message_id = id,
                        .in_reply_to = json_get_str(l, "inReplyTo"),
                        .references = json_get_str(l, "references"),
                        .date_s = tx->now_us / US_PER_SECOND,
                        .text = text   ? text
                                : html ? NULL
                                       : "",
                        .html = html};
    buf_init(&b, MAIL_MAX_SIZE);
    mime_compose(tx->arena, &c, &b);
    struct mail_send send = {.from = mb, .raw = b.data, .len = b.len};
    int rc = buf_failed(&b) || arena_failed(tx->arena) ? sosia_fail_memory(tx->err)
                                                       : mail_send(tx, &send, &sent);
    buf_done(&b);
    return rc;
}

/* Sends a letter, or says why it is refused, with nothing of it left: NULL: it is not. 0, -1. */
static int try_letter(struct tx *tx, const struct mailbox *mb, const struct json *letter,
                      const char **ret_refused)
{
    *ret_refused = NULL;
    /* What was put off before is done now, so that what the letter puts off can be forgotten. */
    if (tx_do_later(tx) < 0 || tx_savepoint(tx) < 0)
        return -1;
    struct tx_mark *before = tx_mark(tx);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (send_letter(tx, mb, letter) == 0)
        return slot_release(tx->db, tx->err);
    if (tx->err->code != SOSIA_E_INVALID && tx->err->code != SOSIA_E_TOO_LARGE)
        return -1;
    *ret_refused = arena_strdup(tx->arena, tx->err->reason);
    tx_back(tx, before);
    return tx_rollback_to(tx, tx->err);
}

static int forget(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from mail_respond where id = :id");
    return TX_RUN(tx, &q, id);
}

/* One letter at a time; {"wait": n} puts off those behind it. */
static int send_next(struct tx *tx, const char *kind, int64_t id)
{
    static struct sql_text q = SQL_TEXT("select responder, acts, step from mail_respond where "
                                        "id = :id");
    static struct sql_text on =
        SQL_TEXT("update mail_respond set step = :step, at_us = :at where id = :id");
    static struct sql_text note =
        SQL_TEXT("update mail_responder set refused = :refused where id = :id");
    struct responder r;
    struct mailbox mb;
    const struct json *acts;
    const char *refused = NULL;
    sqlite3_stmt *st;
    (void)kind; /* there is one */
    int rc = TX_ROW(tx, &q, &st, id);
    if (rc != 1)
        return rc;
    int64_t of = sqlite3_column_int64(st, 0), step = sqlite3_column_int64(st, 2), wait_s = 0;
    const char *text = tx_string(tx, st, 1);
    sql_done(st);
    if ((rc = get_responder(tx, of, &r)) != 1 || (rc = mailbox_by_id(tx, r.mailbox, &mb)) != 1)
        return rc < 0 ? -1 : forget(tx, id);
    if (json_parse(tx->arena, text, strlen(text), NULL, &acts, tx->err) < 0)
        return -1;
    for (; step < acts->n && !wait_s && !refused; step++) {
        const struct json *send = json_get(&acts->items[step], "send");
        if (json_i64(json_get(&acts->items[step], "wait"), &wait_s) == 0)
            wait_s = wait_s < 1 ? 1 : wait_s > MAX_WAIT ? MAX_WAIT : wait_s; /* imported ones */
        else if (send && try_letter(tx, &mb, send, &refused) < 0)
            return -1;
    }
    if (TX_RUN(tx, &note, refused, r.id) < 0)
        return -1;
    if (step >= acts->n || refused)
        return forget(tx, id);
    int64_t at_us = tx->now_us + wait_s * US_PER_SECOND;
    return TX_RUN(tx, &on, step, at_us, id) < 0 ? -1 : due_add(tx, at_us, CORE, "letter", id);
}

/* ---- seed documents ---- */

static bool is_act(const char *name)
{
    return strcmp(name, "reply") == 0 || strcmp(name, "send") == 0 || strcmp(name, "forward") == 0;
}

static bool is_letter(const char *name)
{
    return strcmp(name, "send") == 0;
}

static int check_addresses(struct doc *d, const struct json *v, const char *member)
{
    const struct json *list;
    if (doc_list(d, v, member, &list) < 0)
        return -1;
    for (uint32_t i = 0; list && i < list->n; i++)
        if (list->items[i].type != JSON_STRING)
            return doc_fail(d, &list->items[i], member, "must be a list of addresses");
    return list && list->n > MAX_TO
               ? doc_fail(d, list, member, "must have at most %d addresses", MAX_TO)
               : 0;
}

static int check_when(struct doc *d, const struct json *v)
{
    static const char *const members[] = {"from", "to", "subject", "text", NULL};
    const struct json *when = json_get(v, "when");
    if (!when)
        return 0;
    size_t mark = doc_push(d, "when", -1);
    if (doc_object(d, when, members) < 0 || check_addresses(d, when, "from") < 0 ||
        check_addresses(d, when, "to") < 0 || answer_check_pattern(d, when, "subject") < 0 ||
        answer_check_pattern(d, when, "text") < 0)
        return -1;
    doc_pop(d, mark);
    return 0;
}

static int check_strings(struct doc *d, const struct json *v, const char *const *members)
{
    const char *text;
    for (; *members; members++)
        if (doc_str(d, v, *members, false, &text) < 0)
            return -1;
    return 0;
}

/* Members of acts have their types, so that what is refused is refused when the world is made. */
static int check_act(struct doc *d, const char *name, const struct json *v)
{
    static const char *const reply[] = {"subject", "text", "html", "all", NULL},
                             *const send[] = {"to", "cc", "subject", "text", "html", NULL},
                             *const forward[] = {"to", "cc", "text", NULL},
                             *const texts[] = {"subject", "text", "html", NULL};
    bool answers = strcmp(name, "reply") == 0, all;
    size_t mark = doc_push(d, name, -1);
    if (doc_object(d, v,
                   answers           ? reply
                   : is_letter(name) ? send
                                     : forward) < 0 ||
        check_strings(d, v, texts) < 0 || doc_bool(d, v, "all", false, &all) < 0)
        return -1;
    if (!answers && (check_addresses(d, v, "to") < 0 || check_addresses(d, v, "cc") < 0))
        return -1;
    if (!answers && !json_get(v, "to"))
        return doc_fail(d, v, "to", "must be a list of addresses, is missing");
    doc_pop(d, mark);
    return 0;
}

static int check_acts(struct doc *d, const struct json *v, const struct json **ret)
{
    if (answer_check_acts(d, v, MAX_WAIT, is_act, ret) < 0)
        return -1;
    for (uint32_t i = 0; i < (*ret)->n; i++) {
        const struct json *act = &(*ret)->items[i];
        if (!json_get(act, "wait") && check_act(d, act->members[0].key, &act->members[0].value) < 0)
            return -1;
    }
    return 0;
}

static const struct member under_way_members[] = {
    OWN("at", "When the next letter goes", "time"),
    OWN("do", "The letters that are left", "list"),
};
static const struct form under_way_form = FORM("An answer that is under way", under_way_members);

static int seed_under_way(struct tx *tx, struct doc *d, const struct json *v, int64_t responder)
{
    static struct sql_text q = SQL_TEXT("insert into mail_respond (responder, acts, step, at_us) "
                                        "values (:responder, :acts, 0, :at)");
    static const char *const letter[] = {"to",   "cc",        "subject",    "text",
                                         "html", "inReplyTo", "references", NULL};
    const struct json *list;
    int64_t at_us = INT64_MIN;
    if (form_known(&(struct form_in){tx, d, v}, &under_way_form) < 0 ||
        doc_time(d, v, "at", &at_us) < 0 || doc_list(d, v, "do", &list) < 0)
        return -1;
    if (at_us == INT64_MIN || !list || list->n > ANSWER_ACTS)
        return doc_fail(d, v, NULL, "must have at, a time, and do, %d letters at most",
                        ANSWER_ACTS);
    if (answer_check_each(d, list, MAX_WAIT, is_letter) < 0)
        return -1;
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *send = json_get(&list->items[i], "send");
        if (send && (doc_object(d, send, letter) < 0 || check_strings(d, send, letter) < 0))
            return -1;
    }
    if (TX_RUN(tx, &q, responder, json_to_text(d->arena, list), at_us) < 0)
        return -1;
    return due_add(tx, at_us, CORE, "letter", tx_last_id(tx));
}

static const struct member responder_members[] = {
    OWN_NEEDED("id", "What it is called"),
    OWN_NEEDED("as", "Who answers"),
    OWN_TYPED("when", "Which messages", "object", OWN_OBJECT),
    OWN("do", "What is done", "list"),
    OWN_TYPED("delay", "Seconds before each", "number", OWN_NUMBER),
    OWN_TYPED("times", "How often at most", "number", OWN_NUMBER),
    OWN("refused", "Why the last one was refused", "text"),
    OWN_LIST("under_way", "Answers that are under way", &under_way_form),
};
static const struct form responder_form =
    FORM("Somebody who answers mail by rules", responder_members);

static int seed_responder(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into mail_responder (key, mailbox, rule, acts, delay_s, times, refused) "
                 "values (:key, :mailbox, :rule, :acts, :delay, :times, :refused)");
    struct actor as;
    struct mailbox mb;
    struct doc_items it;
    const struct json *acts;
    const char *key, *refused;
    int64_t delay_s, times;
    if (form_known(&(struct form_in){tx, d, v}, &responder_form) < 0 ||
        doc_str(d, v, "id", true, &key) < 0 || ident_doc_actor(tx, d, v, "as", true, &as) < 0 ||
        check_when(d, v) < 0 || check_acts(d, v, &acts) < 0 ||
        doc_int(d, v, "delay", 1, MAX_WAIT, 1, &delay_s) < 0 ||
        doc_int(d, v, "times", 0, ANSWER_TIMES, TIMES, &times) < 0 ||
        doc_str(d, v, "refused", false, &refused) < 0)
        return -1;
    int r = mailbox_of(tx, as.id, &mb);
    if (r != 1)
        return r < 0 ? -1 : doc_fail(d, v, "as", "must be somebody with a mailbox");
    const char *when = json_get(v, "when") ? json_to_text(d->arena, json_get(v, "when")) : "{}";
    if (TX_RUN(tx, &q, key, mb.id, when, json_to_text(d->arena, acts), delay_s, times, refused) < 0)
        return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, v, "id") : -1;
    int64_t id = tx_last_id(tx);
    if (doc_items(d, v, "under_way", &it) < 0)
        return -1;
    for (const struct json *one; (one = doc_item(d, &it)) != NULL;)
        if (seed_under_way(tx, d, one, id) < 0)
            return -1;
    return 0;
}

/* Answers that are under way, from the letter that is next. */
static int dump_under_way(struct tx *tx, int64_t responder, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select acts, step, at_us from mail_respond where "
                                        "responder = :responder order by at_us, id");
    const struct json *acts;
    sqlite3_stmt *st = TX_QUERY(tx, &q, responder);
    int r = st ? 1 : -1, n = 0;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        const char *text = tx_string(tx, st, 0);
        uint32_t step = (uint32_t)sqlite3_column_int64(st, 1);
        if (json_parse(tx->arena, text, strlen(text), NULL, &acts, tx->err) < 0) {
            sql_done(st);
            return -1;
        }
        if (!n++)
            json_arr(w, "under_way");
        json_obj(w, NULL);
        json_time(w, "at", sqlite3_column_int64(st, 2), JSON_TIME_US_Z);
        json_arr(w, "do");
        for (uint32_t i = step; i < acts->n; i++)
            json_value(w, NULL, &acts->items[i]);
        json_end(w);
        json_end(w);
    }
    if (n)
        json_end(w);
    return r;
}

static int dump_json(struct tx *tx, struct json_writer *w, const char *member, const char *text)
{
    const struct json *v;
    if (json_parse(tx->arena, text, strlen(text), NULL, &v, tx->err) < 0)
        return -1;
    json_value(w, member, v);
    return 0;
}

static int responder_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct responder r;
    struct mailbox mb;
    int rc = get_responder(tx, id, &r);
    if (rc != 1 || (rc = mailbox_by_id(tx, r.mailbox, &mb)) != 1)
        return rc;
    json_str(w, "id", r.key);
    json_str(w, "as", mb.email);
    if ((strcmp(r.rule, "{}") != 0 && dump_json(tx, w, "when", r.rule) < 0) ||
        dump_json(tx, w, "do", r.acts) < 0)
        return -1;
    if (r.delay_s != 1)
        json_int(w, "delay", r.delay_s);
    json_int(w, "times", r.times);
    json_str_opt(w, "refused", r.refused);
    return dump_under_way(tx, id, w) < 0 ? -1 : 1;
}

static int responder_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from mail_responder where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "mailResponders",
     .seed_one = seed_responder,
     .ids = SECTION_IDS("select id from mail_responder order by id"),
     .dump_one = responder_dump,
     .form = &responder_form},
};

static const struct entity entities[] = {
    {.name = "mailResponder",
     .table = "mail_responder",
     .key = responder_key,
     .dump = responder_dump,
     .parts =
         (const struct entity_part[]){
             {"mail_respond", ENTITY_OWNER("select responder from mail_respond where id = ?1")},
             {NULL, NULL}}},
};

#define NO_LIST(column)                                                                            \
    "case when json_valid(" column ") then json_type(" column ") <> 'array' else 1 end"

static const struct core_rule rules[] = {
    {"mail_responder", "not exists (select 1 from mail_mailbox b where b.id = mailbox)"},
    {"mail_responder", "case when json_valid(rule) then json_type(rule) <> 'object' else 1 end"},
    {"mail_responder", NO_LIST("acts")},
    {"mail_responder", "delay_s not between 1 and 8589934"},
    {"mail_responder", "times not between 0 and 1000000"},
    {"mail_responder", "length(coalesce(json_extract(rule, '$.text'), '')) > 1000 or "
                       "length(coalesce(json_extract(rule, '$.subject'), '')) > 1000"},
    {"mail_responder", "json_valid(acts) and json_array_length(acts) > 20"},
    {"mail_respond", "not exists (select 1 from mail_responder r where r.id = responder)"},
    {"mail_respond", NO_LIST("acts")},
    {"mail_respond", "json_valid(acts) and json_array_length(acts) > 20"},
    {"mail_respond", "step not between 0 and 20"},
    /* The years 1 to 9999. */
    {"mail_respond", "at_us not between -62135596800000000 and 253402300799999999"},
    {NULL, NULL},
};

extern const char mail_respond_sql[];

const struct sosia_core mail_respond_core = {
    .name = CORE,
    .schema = mail_respond_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .due = send_next,
    .rules = rules,
};
