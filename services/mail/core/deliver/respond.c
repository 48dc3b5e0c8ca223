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
#include "engine/state/stored.h"
#include "services/mail/core/deliver/respond.h"
#include "engine/text/civil.h"
#include "engine/world/answer.h"
#include "engine/world/core.h"
#include "engine/world/event.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/core/vendor.h"

#define CORE      "mail.respond"
#define MAX_WAIT  INT64_C(8589934) /* seconds */
#define TEXT_READ ((size_t)40000)  /* bytes of a text that are looked at */
#define MAX_TO    100              /* addresses of a list of a rule's */

struct responder {
    int64_t id, mailbox, delay_s, times;
    const char *key, *rule, *acts, *refused;
};

static struct stored responder_stored;
static struct answer_rows rows = {.core = CORE,
                                  .due = "letter",
                                  .max_wait = MAX_WAIT,
                                  ANSWER_ROWS("mail_respond", "mail_responder")};

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
    int64_t mailbox;                     /* that it came to */
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
    *c = (struct came){.f = {.names = of_names, .values = c->of}, .mailbox = in->mailbox->id};
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
static const char *the_others(struct tx *tx, const struct came *c)
{
    struct arena *a = tx->arena;
    const char *all = NULL;
    for (size_t i = 0; i < c->n_others; i++) {
        struct mailbox mb;
        int r = mailbox_by_address(tx, c->others[i].email, &mb);
        if (r < 0)
            return NULL;
        if ((r && mb.id == c->mailbox) || !*c->others[i].email ||
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
                         const struct json *act, const void *came)
{
    const struct came *c = came;
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
                 : json_get_true(act, "all") ? the_others(tx, c)
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

int mail_respond_to(struct tx *tx, const struct mail_incoming *in)
{
    static struct sql_text q = SQL_TEXT("where mailbox = :mailbox and id > :after and times > 0 "
                                        "order by id limit 1");
    struct responder r = {0};
    struct came *c = NULL;
    const struct json *rule;
    int rc;
    if (!*in->sender || (in->flags & (FLAG(FOLDER_JUNK) | FLAG(FOLDER_TRASH))))
        return 0; /* a report of a failure, an automatic answer, what nobody looks at */
    while ((rc = STORED_ONE(tx, &responder_stored, &q, &r, in->mailbox->id, r.id)) == 1) {
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
        if (yes < 0 ||
            (yes && answer_begin(tx, &rows, r.id, r.acts, r.delay_s, write_letter, c) < 0))
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

/* Sends the letter of an act (answer_go_on()). */
static int try_letter(struct tx *tx, const void *mailbox, const struct json *act,
                      const char **ret_refused)
{
    const struct json *letter = json_get(act, "send");
    if (!letter)
        return 0;
    if (send_letter(tx, mailbox, letter) == 0)
        return 1;
    if (tx->err->code != SOSIA_E_INVALID && tx->err->code != SOSIA_E_TOO_LARGE)
        return -1;
    *ret_refused = arena_strdup(tx->arena, tx->err->reason);
    return 0;
}

static int send_next(struct tx *tx, const char *kind, int64_t id)
{
    struct responder r;
    struct mailbox mb;
    struct answer a;
    (void)kind; /* there is one */
    int rc = answer_take(tx, &rows, id, &a);
    if (rc != 1)
        return rc;
    if ((rc = stored_get(tx, &responder_stored, a.responder, &r)) != 1 ||
        (rc = mailbox_by_id(tx, r.mailbox, &mb)) != 1)
        return rc < 0 ? -1 : answer_forget(tx, &rows, id);
    return answer_go_on(tx, &rows, &a, try_letter, &mb);
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

static int read_when(const struct form_in *in, const struct member *m, void *row)
{
    static const char *const members[] = {"from", "to", "subject", "text", NULL};
    const struct json *when = json_get(in->value, m->name);
    struct doc *d = in->d;
    if (!when)
        return 0;
    member_put_text(m, row, json_to_text(d->arena, when));
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

static int read_acts(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *acts;
    if (answer_check_acts(in->d, in->value, MAX_WAIT, is_act, &acts) < 0)
        return -1;
    for (uint32_t i = 0; i < acts->n; i++) {
        const struct json *act = &acts->items[i];
        if (!json_get(act, "wait") &&
            check_act(in->d, act->members[0].key, &act->members[0].value) < 0)
            return -1;
    }
    member_put_text(m, row, json_to_text(in->d->arena, acts));
    return 0;
}

static const struct member under_way_members[] = {
    OWN("at", "When the next letter goes", "time"),
    OWN("do", "The letters that are left", "list"),
};
static const struct form under_way_form = FORM("An answer that is under way", under_way_members);

static int seed_under_way(const struct form_in *in)
{
    static const char *const letter[] = {"to",   "cc",        "subject",    "text",
                                         "html", "inReplyTo", "references", NULL};
    const struct json *list;
    struct doc *d = in->d;
    int64_t at_us = INT64_MIN;
    if (form_known(in, &under_way_form) < 0 || doc_time(d, in->value, "at", &at_us) < 0 ||
        doc_list(d, in->value, "do", &list) < 0)
        return -1;
    if (at_us == INT64_MIN || !list || list->n > ANSWER_ACTS)
        return doc_fail(d, in->value, NULL, "must have at, a time, and do, %d letters at most",
                        ANSWER_ACTS);
    if (answer_check_each(d, list, MAX_WAIT, is_letter) < 0)
        return -1;
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *send = json_get(&list->items[i], "send");
        if (send && (doc_object(d, send, letter) < 0 || check_strings(d, send, letter) < 0))
            return -1;
    }
    return answer_add(in->tx, &rows, *(const int64_t *)in->of, json_to_text(d->arena, list), at_us);
}

static int added_under_way(const struct form_in *in, const struct member *m, void *row, int64_t id)
{
    (void)row;
    return form_each(&(struct form_in){in->tx, in->d, in->value, &id}, m->name, seed_under_way);
}

static void write_at(struct json_writer *w, const char *member, int64_t us)
{
    json_time(w, member, us, JSON_TIME_US_Z);
}

static int write_under_way(const struct form_out *out, const struct member *m, const void *row)
{
    (void)m;
    (void)row;
    return answers_dump(out->tx, &rows, out->id, out->w, write_at);
}

static int read_as(const struct form_in *in, const struct member *m, void *row)
{
    struct actor as;
    struct mailbox mb;
    if (ident_doc_actor(in->tx, in->d, in->value, m->name, true, &as) < 0)
        return -1;
    int r = mailbox_of(in->tx, as.id, &mb);
    if (r == 1)
        member_put_number(m, row, mb.id);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(in->d, in->value, m->name, "must be somebody with a mailbox");
}

static int name_of(struct tx *tx, int64_t mailbox, const char **ret)
{
    struct mailbox mb;
    int r = mailbox_by_id(tx, mailbox, &mb);
    if (r == 1)
        *ret = mb.email;
    return r;
}

static const struct reference owner_reference = {.noun = "an actor's handle or address",
                                                 .name = name_of};

static const struct member responder_members[] = {
    STORED_ID(struct responder),
    {"id", "What it is called", TEXT_AT(struct responder, key), .flags = MEMBER_REQUIRED},
    {"as", "Who answers", REF_AT(struct responder, mailbox, &owner_reference),
     .flags = MEMBER_REQUIRED, .read = read_as},
    {"when", "Which messages", KEPT_AT(struct responder, rule, JSON_OBJECT), .usual_text = "{}",
     .read = read_when},
    {"do", "What is done", KEPT_AT(struct responder, acts, JSON_ARRAY), .inner = "*.**",
     .read = read_acts},
    ANSWER_MEMBERS(struct responder, MAX_WAIT),
    {"under_way", "Answers that are under way", .kind = MEMBER_OWN, .form = &under_way_form,
     .added = added_under_way, .write = write_under_way},
};
STORED_HERE(responder_stored, "Somebody who answers mail by rules", struct responder,
            responder_members, NULL, .table = "mail_responder", .key = "id");

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "mailResponders",
     .stored = &responder_stored,
     .ids = SECTION_IDS("select id from mail_responder order by id")},
};

static const struct entity entities[] = {
    {.name = "mailResponder",
     .table = "mail_responder",
     .stored = &responder_stored,
     .parts =
         (const struct entity_part[]){
             {"mail_respond", ENTITY_OWNER("select responder from mail_respond where id = ?1")},
             {NULL, NULL}}},
};

static const struct core_rule rules[] = {
    {"mail_responder", "not exists (select 1 from mail_mailbox b where b.id = mailbox)"},
    ANSWER_RULES("mail_respond", "mail_responder"),
    {"mail_responder", "length(coalesce(json_extract(rule, '$.text'), '')) > 1000 or "
                       "length(coalesce(json_extract(rule, '$.subject'), '')) > 1000"},
    {"mail_respond", "not exists (select 1 from mail_responder r where r.id = responder)"},
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
