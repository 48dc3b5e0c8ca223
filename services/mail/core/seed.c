/* SPDX-License-Identifier: Apache-2.0 */
/* The sections mailboxes and mail of seed documents, applied. */
#include "engine/search/index.h"
#include "engine/base/codec.h"
#include "engine/base/map.h"
#include "engine/text/civil.h"
#include "engine/json/doc.h"
#include "engine/text/tz.h"
#include "services/mail/core/seed_impl.h"
#include "engine/world/event.h"
#include <stdlib.h>

/* A failure of the core, with its place in the document. */
int mail_seed_refused(struct tx *tx, struct doc *d, const struct json *at, const char *member)
{
    if (tx->err->code != SOSIA_E_INVALID && tx->err->code != SOSIA_E_CONFLICT &&
        tx->err->code != SOSIA_E_TOO_LARGE && tx->err->code != SOSIA_E_FULL)
        return -1;
    char text[sizeof tx->err->text];
    memcpy(text, tx->err->text, sizeof text);
    return doc_fail(d, at, member, "%s", text);
}

/* ---- messages ---- */

/* The bytes of a message that is given by its pieces. */
static int compose_of(struct seeding *s, const struct json *v, struct mail_message_new *new)
{
    struct tx *tx = s->tx;
    struct compose *c = arena_calloc(tx->arena, 1, sizeof *c);
    struct buf b;
    if (!c)
        return sosia_fail_memory(tx->err);
    if (form_read_members(&(struct form_in){tx, s->doc, v, s}, &mail_piece_form, c) < 0)
        return -1;
    if (new->at_s == INT64_MIN)
        new->at_s = c->date_s;
    if (!c->message_id && mail_message_id(tx, s->mailbox.email, &c->message_id) < 0)
        return -1;
    buf_init(&b, 0);
    mime_compose(tx->arena, c, &b);
    new->raw = arena_memdup(tx->arena, b.len ? b.data : "", b.len);
    new->len = b.len;
    bool failed = buf_failed(&b) || arena_failed(tx->arena);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : 0;
}

/* The bytes of a message that is given by its bytes. 1 it is, 0 it is not. */
static int raw_of(struct seeding *s, const struct json *v, struct mail_message_new *new)
{
    struct doc *d = s->doc;
    const char *raw, *base64;
    uint8_t *bytes;
    if (doc_str(d, v, "raw", false, &raw) < 0 || doc_str(d, v, "rawBase64", false, &base64) < 0)
        return -1;
    if (!raw && !base64)
        return 0;
    if (raw && base64)
        return doc_fail(d, v, NULL, "a message has either raw or rawBase64");
    for (uint32_t i = 0; i < v->n; i++)
        if (form_member(&mail_piece_form, v->members[i].key))
            return doc_fail(d, &v->members[i].value, v->members[i].key, "can't be beside %s",
                            raw ? "raw" : "rawBase64");
    new->raw = raw;
    new->len = raw ? strlen(raw) : 0;
    if (base64) {
        if (base64_decode(s->tx->arena, base64, strlen(base64), &bytes, &new->len) < 0)
            return doc_fail(d, json_get(v, "rawBase64"), "rawBase64", "is not base64");
        new->raw = (const char *)bytes;
    }
    size_t head = mime_head_len(new->raw, new->len);
    const char *date = mime_header(s->tx->arena, new->raw, head, "Date");
    int64_t date_s;
    if (new->at_s == INT64_MIN && date &&mime_date(date, &date_s, NULL))
        new->at_s = date_s;
    return 1;
}

/* Which thread a name is. */
static int thread_of(struct seeding *s, const char *thread, struct mail_message_new *new)
{
    if (!thread)
        return 0;
    new->joins = true;
    if ((new->thread = mail_seed_key(thread)))
        return 0;
    new->thread = (int64_t)(uintptr_t)map_get(&s->threads, thread);
    if (new->thread)
        return 0;
    if (!new->key && mail_message_key(s->tx, s->mailbox.id, new->at_s, &new->key) < 0)
        return -1;
    new->thread = new->key;
    return map_set(&s->threads, thread, (void *)(uintptr_t) new->key) < 0
               ? sosia_fail_memory(s->tx->err)
               : 0;
}

static int add_seeded(struct seeding *s, const struct json *v, const struct seed_message *said,
                      struct mail_message_new *new)
{
    struct tx *tx = s->tx;
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct mail_message m;
    struct mail_draft d;
    if (mail_letter_read(tx, new->raw, new->len, &head, &text) < 0)
        return mail_seed_refused(tx, s->doc, v, NULL);
    if (form_read_members(&(struct form_in){tx, s->doc, v, s}, &mail_property_form,
                          &head.property) < 0)
        return -1;
    bool mine = mail_letter_is_from(tx, head.head, head.len, s->addresses, s->n_addresses);
    const struct mail_vendor *vendor = mail_vendor_of(tx, s->mailbox.id);
    if (vendor && vendor->exclusive && head.property.flag == FLAG_SET)
        new->flags |= mail_vendor_places(vendor) & FLAG(KEYWORD_FLAGGED);
    const uint32_t place = mine ? FLAG(FOLDER_SENT) : FLAG(FOLDER_INBOX);
    if (mail_seed_labels(s, v, "labels", place, new) < 0 || mail_seed_place(s, v, place, new) < 0)
        return -1;
    if (said->draft)
        new->flags |= mail_seed_draft_flag(s);
    struct put put = {.in = new, .head = &head, .text = &text, .bulk = s->bulk};
    if (mail_message_put(tx, &put, &m) < 0)
        return mail_seed_refused(tx, s->doc, json_get(v, "id"), json_get(v, "id") ? "id" : NULL);
    if (new->flags & mail_seed_draft_flag(s) && mail_draft_hold(tx, &m, said->draft, &d) < 0)
        return mail_seed_refused(tx, s->doc, json_get(v, "draft"), "draft");
    return 0;
}

static int seed_message(struct seeding *s, const struct json *v)
{
    const struct form_in in = {s->tx, s->doc, v, s};
    struct mail_message_new new = {.mailbox = &s->mailbox, .quiet = true};
    struct seed_message said = {.at_s = INT64_MIN};
    if (form_known(&in, &mail_message_form) < 0 ||
        form_read_members(&in, &mail_state_form, &said) < 0)
        return -1;
    new.at_s = said.at_s;
    new.key = said.key;
    int r = raw_of(s, v, &new);
    if (r < 0 || (r == 0 && compose_of(s, v, &new) < 0))
        return -1;
    if (new.at_s == INT64_MIN)
        new.at_s = s->tx->now_us / US_PER_SECOND;
    return thread_of(s, said.thread, &new) < 0 ? -1 : add_seeded(s, v, &said, &new);
}

/* All memory of one message is freed when it is stored. */
static int seed_apart(struct seeding *s, const struct json *v,
                      int (*one)(struct seeding *s, const struct json *v))
{
    struct arena *kept = s->tx->arena, own;
    arena_init(&own, 0);
    s->kept = kept;
    s->tx->arena = s->doc->arena = &own;
    int rc = one(s, v);
    if (rc == 0 && arena_failed(&own))
        rc = sosia_fail_memory(s->tx->err);
    s->tx->arena = s->doc->arena = kept;
    arena_done(&own);
    return rc;
}

static int seed_one(struct seeding *s, const struct json *v)
{
    return seed_apart(s, v, seed_message);
}

/* ---- mailboxes ---- */

static int each(struct seeding *s, const struct json *value, const char *member,
                int (*one)(struct seeding *s, const struct json *v))
{
    struct doc_items it;
    if (doc_items(s->doc, value, member, &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(s->doc, &it)) != NULL;)
        if (one(s, item) < 0)
            return -1;
    return 0;
}

/* A sender who has had the automatic answer. */
static int seed_answered(struct seeding *s, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into mail_answered (mailbox, email, at_us) values (:mailbox, :email, :at) "
                 "on conflict (mailbox, email) do update set at_us = excluded.at_us");
    struct tx *tx = s->tx;
    struct seed_answered a = {0};
    return form_read(&(struct form_in){tx, s->doc, v, s}, &mail_answered_form, &a) < 0
               ? -1
               : TX_RUN(tx, &q, s->mailbox.id, a.email, a.at_us);
}

static int open_mailbox(struct seeding *s, const struct json *v)
{
    struct tx *tx = s->tx;
    struct seed_mailbox mb = {0};
    if (form_read(&(struct form_in){tx, s->doc, v, s}, &mail_mailbox_form, &mb) < 0)
        return -1;
    int r = actor_by_email(tx, mb.email, &s->who);
    if (r == 1)
        r = mb.vendor ? mailbox_at(tx, s->who.id, mb.vendor, &s->mailbox)
                      : mailbox_of(tx, s->who.id, &s->mailbox);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(s->doc, json_get(v, "person"), "person",
                                "there is no mailbox of \"%.80s\"", mb.email);
    const struct mail_vendor *policy = mail_vendor_of(tx, s->mailbox.id);
    if (!policy)
        return -1;
    if (json_get(v, "folders") && !policy->tree)
        return doc_fail(s->doc, json_get(v, "folders"), "folders",
                        "must be absent, since the mailbox has labels and not folders");
    return mailbox_addresses(tx, &s->mailbox, &s->addresses, &s->n_addresses);
}

static int seed_mailbox(struct seeding *s, const struct json *v)
{
    if (open_mailbox(s, v) < 0)
        return -1;
    map_init(&s->threads);
    int rc = each(s, v, "labels", mail_seed_folder);
    if (rc == 0)
        rc = each(s, v, "folders", mail_seed_folder);
    if (rc == 0)
        rc = each(s, v, "messages", seed_one);
    if (rc == 0)
        rc = each(s, v, "answered", seed_answered);
    map_done(&s->threads);
    if (rc == 0 && json_get(v, "messages")) {
        rc = mail_folders_recount(s->tx, s->mailbox.id);
        event_note(s->tx, CHANGED_MAIL, OP_CHANGED, s->mailbox.id, 0);
    }
    return rc;
}

/* A section that is a list; the index is written once, behind all. 1, 0 there is none, -1. */
static int seed_in_bulk(struct tx *tx, struct doc *d, const struct json *value, const char *section,
                        int (*one)(struct seeding *s, const struct json *v))
{
    struct seeding s = {.tx = tx, .doc = d};
    int rc = 0;
    if (!value || value->type == JSON_NULL)
        return 0;
    if (value->type != JSON_ARRAY)
        return doc_fail(d, value, NULL, "must be a list");
    if (search_bulk_begin(tx, &mail_corpus, &s.bulk) < 0)
        return -1;
    for (uint32_t i = 0; rc == 0 && i < value->n; i++) {
        doc_pop(d, 0);
        doc_push(d, section, i);
        rc = one(&s, &value->items[i]);
    }
    return search_bulk_end(tx, s.bulk, rc < 0) < 0 || rc < 0 ? -1 : 1;
}

int mailboxes_seed(struct tx *tx, struct doc *d, const struct json *value)
{
    return seed_in_bulk(tx, d, value, "mailboxes", seed_mailbox) < 0 ? -1 : 0;
}

/* ---- mail ---- */

/* The mailboxes that have a message of `mail`. */
struct copies {
    struct seeding *s;
    struct mailbox *list;
    size_t n, room;
    bool sender; /* the first one is the sender's */
};

static int add_copy(struct copies *k, const struct mailbox *mb)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->list[i].id == mb->id)
            return 0;
    if (k->n == k->room) {
        size_t room = k->room ? 2 * k->room : 16;
        struct mailbox *list = arena_calloc(k->s->tx->arena, room, sizeof *list);
        if (!list)
            return sosia_fail_memory(k->s->tx->err);
        for (size_t i = 0; i < k->n; i++)
            list[i] = k->list[i];
        k->list = list;
        k->room = room;
    }
    k->list[k->n++] = *mb;
    return 0;
}

static int add_member(void *arg, const char *email)
{
    struct copies *k = arg;
    struct mailbox mb;
    int r = mailbox_by_address(k->s->tx, email, &mb);
    return r == 1 ? add_copy(k, &mb) : r;
}

static int add_addresses(struct copies *k, const struct mail_letter_head *head, const char *field)
{
    struct tx *tx = k->s->tx;
    struct mime_address *list;
    struct group group;
    size_t n;
    bool bad;
    mime_address_fields(tx->arena, head->head, head->len, field, &list, &n, &bad);
    for (size_t i = 0; i < n; i++) {
        const char *email = email_normal(tx->arena, list[i].email);
        int r = email ? group_by_email(tx, email, &group) : 0;
        if (r == 1)
            r = group_each_member(tx, group.id, add_member, k);
        else if (r == 0 && email)
            r = add_member(k, email);
        if (r < 0)
            return -1;
    }
    return 0;
}

static int find_copies(struct copies *k, const struct mail_letter_head *head, const struct json *v)
{
    static const char *const fields[] = {"To", "Cc", "Bcc"};
    const struct json *labels = json_get(v, "labels");
    if (add_addresses(k, head, "From") < 0)
        return -1;
    k->sender = k->n > 0;
    for (size_t i = 0; i < SOSIA_LEN(fields); i++)
        if (add_addresses(k, head, fields[i]) < 0)
            return -1;
    if (!k->n)
        return doc_fail(k->s->doc, v, NULL, "nobody of the world sends or gets it");
    if (labels && labels->type != JSON_OBJECT)
        return doc_fail(k->s->doc, labels, "labels", "must be lists by people's addresses");
    for (uint32_t i = 0; labels && i < labels->n; i++) {
        size_t at = 0;
        while (at < k->n && strcmp(k->list[at].email, labels->members[i].key) != 0)
            at++;
        if (at == k->n)
            return doc_fail(k->s->doc, labels, "labels", "\"%.80s\" does not send or get it",
                            labels->members[i].key);
    }
    return 0;
}

/* The person whose zone its date is read in and whose Message-ID it gets: its sender, or its
 * first recipient. */
static int choose_zone(struct seeding *s, const struct json *v)
{
    static const char *const members[] = {"from", "to"};
    struct tx *tx = s->tx;
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        struct mime_address *list;
        struct compose c = {0};
        size_t n;
        bool bad;
        if (form_read_member(&(struct form_in){tx, s->doc, v, s}, &mail_piece_form, members[i],
                             &c) < 0)
            return -1;
        const char *text = i ? c.to : c.from;
        mime_addresses(tx->arena, text ? text : "", &list, &n, &bad);
        int r = n ? mailbox_by_address(tx, list[0].email, &s->mailbox) : 0;
        if (r == 1)
            return actor_by_id(tx, s->mailbox.actor, &s->who) < 0 ? -1 : 0;
        if (r < 0)
            return -1;
    }
    s->who = (struct actor){.zone = "UTC"};
    s->mailbox = (struct mailbox){.email = "somebody@localhost"};
    return 0;
}

static int put_copy(struct seeding *s, const struct json *v, const struct mail_message_new *from,
                    struct mail_letter_head *head, struct mail_letter_text *text, bool sender)
{
    struct mail_message_new new = *from;
    struct mail_message m;
    struct mail_draft d;
    new.mailbox = &s->mailbox;
    if (mail_seed_labels(s, json_get(v, "labels"), s->mailbox.email,
                         sender ? FLAG(FOLDER_SENT) : FLAG(FOLDER_INBOX), &new) < 0)
        return -1;
    struct put put = {.in = &new, .head = head, .text = text, .bulk = s->bulk};
    return mail_message_put(s->tx, &put, &m) < 0 ||
                   (new.flags &mail_seed_draft_flag(s) && mail_draft_hold(s->tx, &m, 0, &d) < 0)
               ? mail_seed_refused(s->tx, s->doc, v, NULL)
               : 0;
}

/* One message with the sender and with each recipient; its Bcc is in the sender's alone. */
static int seed_letter(struct seeding *s, const struct json *v)
{
    struct tx *tx = s->tx;
    struct mail_message_new new = {.at_s = INT64_MIN, .quiet = true};
    struct mail_letter_head head, blind;
    struct mail_letter_text text;
    struct copies k = {.s = s};
    struct buf b;
    if (form_known(&(struct form_in){tx, s->doc, v, s}, &mail_letter_form) < 0 ||
        choose_zone(s, v) < 0 || compose_of(s, v, &new) < 0)
        return -1;
    if (mail_letter_read(tx, new.raw, new.len, &head, &text) < 0)
        return mail_seed_refused(tx, s->doc, v, NULL);
    if (find_copies(&k, &head, v) < 0)
        return -1;
    buf_init(&b, 0);
    mime_head_set(&b, head.head, head.len, "Bcc", NULL);
    int rc = buf_failed(&b) ? sosia_fail_memory(tx->err)
                            : mail_letter_read_head(tx, b.data, b.len, &blind);
    for (size_t i = 0; rc == 0 && i < k.n; i++) {
        bool sender = k.sender && i == 0;
        s->mailbox = k.list[i];
        rc = put_copy(s, v, &new, sender ? &head : &blind, &text, sender);
    }
    buf_done(&b);
    return rc;
}

/* The newest change of any mailbox. */
static int newest_change(struct tx *tx, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select max(change) from mail_mailbox where id >= :first");
    return TX_INT(tx, &q, ret, 1) < 0 ? -1 : 0;
}

/* The mailboxes that have changed since. Each is an event: tasks of flagged mail follow from it,
 * when all sections are read. */
static int recount_since(struct tx *tx, int64_t change)
{
    static struct sql_text q = SQL_TEXT(
        "select id from mail_mailbox where id > :after and change > :change order by id limit 1");
    int64_t id = 0;
    for (;;) {
        sqlite3_stmt *st = TX_QUERY(tx, &q, id, change);
        if (!st)
            return -1;
        int r = TX_STEP(tx, st);
        if (r != 1)
            return r;
        id = sqlite3_column_int64(st, 0);
        sql_done(st);
        if (mail_folders_recount(tx, id) < 0)
            return -1;
        event_note(tx, CHANGED_MAIL, OP_CHANGED, id, 0);
    }
}

static int seed_letter_apart(struct seeding *s, const struct json *v)
{
    return seed_apart(s, v, seed_letter);
}

int mail_seed(struct tx *tx, struct doc *d, const struct json *value)
{
    int64_t before = 0;
    if (newest_change(tx, &before) < 0)
        return -1;
    int r = seed_in_bulk(tx, d, value, "mail", seed_letter_apart);
    return r == 1 ? recount_since(tx, before) : r;
}
