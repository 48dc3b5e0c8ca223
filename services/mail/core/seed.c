/* SPDX-License-Identifier: Apache-2.0 */
/* The sections mailboxes and mail of seed documents, applied. */
#include "engine/search/index.h"
#include "engine/base/codec.h"
#include "engine/base/map.h"
#include "engine/text/civil.h"
#include "engine/json/doc.h"
#include "engine/text/tz.h"
#include "services/mail/core/seed_impl.h"
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

/* An object that has no members but those of a form. */
static int known(struct seeding *s, const struct json *v, const struct form *form)
{
    return form_known(&(struct form_in){s->tx, s->doc, v}, form);
}

/* ---- times ---- */

/* A time with an offset, or on the wall clock of the person's zone. 1 there is one, 0, -1. */
static int instant_of(struct seeding *s, const struct json *v, const char *member, int64_t *ret_us,
                      int32_t *ret_offset)
{
    const struct tz *tz = tz_find(s->who.zone);
    const char *text;
    struct stamp stamp;
    int64_t days;
    if (doc_str(s->doc, v, member, false, &text) < 0)
        return -1;
    if (!text)
        return 0;
    size_t n = strlen(text);
    if (date_parse(text, n, &days) == 0) {
        int64_t at_s = tz_to_utc(tz, days * SECONDS_PER_DAY);
        *ret_us = at_s * US_PER_SECOND;
        *ret_offset = tz_offset(tz, at_s);
        return 1;
    }
    if (n == 16 && text[10] == 'T') { /* seconds may be left out */
        text = arena_printf(s->tx->arena, "%s:00", text);
        n += 3;
    }
    if (stamp_parse(text, n, true, &stamp) < 0)
        return doc_fail(s->doc, json_get(v, member), member,
                        "\"%.40s\" is not a time such as 2026-11-23T10:00", text);
    int64_t us = stamp.local_us % US_PER_SECOND;
    us += us < 0 ? US_PER_SECOND : 0;
    int64_t local = (stamp.local_us - us) / US_PER_SECOND;
    int64_t at_s = stamp.has_offset ? local - stamp.offset : tz_to_utc(tz, local);
    *ret_us = at_s * US_PER_SECOND + us;
    *ret_offset = stamp.has_offset ? stamp.offset : tz_offset(tz, at_s);
    return 1;
}

/* The same in seconds. */
static int time_of(struct seeding *s, const struct json *v, const char *member, int64_t *ret_s,
                   int32_t *ret_offset)
{
    int64_t us = 0;
    int r = instant_of(s, v, member, &us, ret_offset);
    if (r == 1)
        *ret_s = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
    return r;
}

/* ---- pieces ---- */

/* Texts of addresses as people write them, "Jörg, Dr. <j@x>" in quotes where they must be, for a
 * header. */
static const char *addresses_header(struct arena *a, const char *text)
{
    struct mime_address *list;
    struct buf b;
    size_t n;
    bool bad;
    mime_addresses(a, text, &list, &n, &bad);
    if (bad || !n)
        return mime_encode_words(a, text);
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", mime_address_text(a, list[i].name, list[i].email));
    const char *out = arena_strdup(a, buf_str(&b));
    if (buf_failed(&b))
        a->failed = true;
    buf_done(&b);
    return out;
}

/* One text, or a list of them. */
static int addresses_of(struct seeding *s, const struct json *v, const char *member,
                        const char **ret)
{
    const struct json *m = json_get(v, member);
    struct buf b;
    *ret = NULL;
    if (!m || m->type == JSON_NULL)
        return 0;
    if (m->type == JSON_STRING) {
        *ret = addresses_header(s->tx->arena, m->str);
        return 0;
    }
    const char **list;
    size_t n;
    if (m->type != JSON_ARRAY)
        return doc_fail(s->doc, m, member, "must be a text or a list of them");
    if (doc_strings(s->doc, v, member, &list, &n) < 0)
        return -1;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", addresses_header(s->tx->arena, list[i]));
    *ret = n ? arena_strdup(s->tx->arena, buf_str(&b)) : NULL;
    bool failed = buf_failed(&b);
    buf_done(&b);
    return failed ? sosia_fail_memory(s->tx->err) : 0;
}

/* What would end the line, or the message's head. */
static int line_of(struct seeding *s, const struct json *v, const char *member, const char **ret)
{
    if (doc_str(s->doc, v, member, false, ret) < 0)
        return -1;
    if (*ret && strpbrk(*ret, "\r\n"))
        return doc_fail(s->doc, json_get(v, member), member, "must be one line");
    return 0;
}

static int file_of(struct seeding *s, const struct json *v, struct compose_file *ret)
{
    struct doc *d = s->doc;
    const char *text, *base64;
    if (known(s, v, &mail_file_form) < 0 || line_of(s, v, "filename", &ret->filename) < 0 ||
        line_of(s, v, "type", &ret->type) < 0 || line_of(s, v, "cid", &ret->cid) < 0 ||
        doc_bool(d, v, "inline", false, &ret->inlined) < 0 ||
        doc_str(d, v, "text", false, &text) < 0 || doc_str(d, v, "base64", false, &base64) < 0)
        return -1;
    if (!text == !base64)
        return doc_fail(d, v, NULL, "an attachment has either text or base64");
    if (!ret->type)
        ret->type = text ? "text/plain" : "application/octet-stream";
    ret->data = text;
    ret->len = text ? strlen(text) : 0;
    uint8_t *bytes;
    if (base64) {
        if (base64_decode(s->tx->arena, base64, strlen(base64), &bytes, &ret->len) < 0)
            return doc_fail(d, json_get(v, "base64"), "base64", "is not base64");
        ret->data = (const char *)bytes;
    }
    return 0;
}

static int files_of(struct seeding *s, const struct json *v, struct compose *ret)
{
    const struct json *list;
    if (doc_list(s->doc, v, "attachments", &list) < 0)
        return -1;
    if (!list)
        return 0;
    struct compose_file *files = arena_calloc(s->tx->arena, list->n + 1, sizeof *files);
    for (uint32_t i = 0; i < list->n; i++) {
        size_t mark = doc_push(s->doc, "attachments", i);
        if (file_of(s, &list->items[i], &files[i]) < 0)
            return -1;
        doc_pop(s->doc, mark);
    }
    ret->files = files;
    ret->n_files = list->n;
    return 0;
}

static bool is_token(const char *name)
{
    for (const char *p = name; *p; p++)
        if (*p <= ' ' || *p >= 127 || *p == ':')
            return false;
    return *name != 0;
}

static int headers_of(struct seeding *s, const struct json *v, struct compose *ret)
{
    const struct json *list;
    if (doc_list(s->doc, v, "headers", &list) < 0)
        return -1;
    if (!list)
        return 0;
    struct compose_header *headers = arena_calloc(s->tx->arena, list->n + 1, sizeof *headers);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *item = &list->items[i];
        size_t mark = doc_push(s->doc, "headers", i);
        if (known(s, item, &mail_header_form) < 0 ||
            doc_str(s->doc, item, "name", true, &headers[i].name) < 0 ||
            line_of(s, item, "value", &headers[i].value) < 0)
            return -1;
        if (!is_token(headers[i].name))
            return doc_fail(s->doc, json_get(item, "name"), "name", "is not a name of a header");
        if (!headers[i].value)
            headers[i].value = "";
        doc_pop(s->doc, mark);
    }
    ret->headers = headers;
    ret->n_headers = list->n;
    return 0;
}

/* The bytes of a message that is given by its pieces. */
static int compose_of(struct seeding *s, const struct json *v, struct mail_message_new *new)
{
    struct tx *tx = s->tx;
    struct compose c = {0};
    struct buf b;
    if (addresses_of(s, v, "from", &c.from) < 0 || addresses_of(s, v, "to", &c.to) < 0 ||
        addresses_of(s, v, "cc", &c.cc) < 0 || addresses_of(s, v, "bcc", &c.bcc) < 0 ||
        addresses_of(s, v, "replyTo", &c.reply_to) < 0 ||
        line_of(s, v, "subject", &c.subject) < 0 || line_of(s, v, "messageId", &c.message_id) < 0 ||
        line_of(s, v, "inReplyTo", &c.in_reply_to) < 0 ||
        line_of(s, v, "references", &c.references) < 0 ||
        doc_str(s->doc, v, "text", false, &c.text) < 0 ||
        doc_str(s->doc, v, "html", false, &c.html) < 0 || headers_of(s, v, &c) < 0 ||
        files_of(s, v, &c) < 0)
        return -1;
    int r = time_of(s, v, "date", &c.date_s, &c.date_offset);
    if (r < 0)
        return -1;
    if (r == 0) {
        c.date_s = tx->now_us / US_PER_SECOND;
        c.date_offset = tz_offset(tz_find(s->who.zone), c.date_s);
    }
    if (new->at_s == INT64_MIN)
        new->at_s = c.date_s;
    if (!c.message_id && mail_message_id(tx, s->mailbox.email, &c.message_id) < 0)
        return -1;
    buf_init(&b, 0);
    mime_compose(tx->arena, &c, &b);
    new->raw = arena_memdup(tx->arena, b.len ? b.data : "", b.len);
    new->len = b.len;
    bool failed = buf_failed(&b) || arena_failed(tx->arena);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : 0;
}

/* The bytes of a message that is given by its bytes. 1 it is, 0 it is not. */
static int raw_of(struct seeding *s, const struct json *v, struct mail_message_new *new)
{
    static const char *const pieces[] = {
        "from", "to",   "cc",        "bcc",       "replyTo",     "subject", "text",
        "html", "date", "messageId", "inReplyTo", "attachments", "headers", "references"};
    struct doc *d = s->doc;
    const char *raw, *base64;
    uint8_t *bytes;
    if (doc_str(d, v, "raw", false, &raw) < 0 || doc_str(d, v, "rawBase64", false, &base64) < 0)
        return -1;
    if (!raw && !base64)
        return 0;
    if (raw && base64)
        return doc_fail(d, v, NULL, "a message has either raw or rawBase64");
    for (size_t i = 0; i < SOSIA_LEN(pieces); i++)
        if (json_get(v, pieces[i]))
            return doc_fail(d, json_get(v, pieces[i]), pieces[i], "can't be beside %s",
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

/* ---- messages ---- */

/* Sixteen hexadecimal digits, below 2^63 and not 0; 0: it is none. */
static int64_t key_of(const char *text)
{
    int64_t key = 0;
    if (strlen(text) != 16)
        return 0;
    for (const char *p = text; *p; p++) {
        if (!((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f')))
            return 0;
        key = (int64_t)((uint64_t)key << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10));
    }
    return key < 0 ? 0 : key;
}

static int ids_of(struct seeding *s, const struct json *v, struct mail_message_new *new,
                  const char **ret_thread)
{
    const char *id;
    if (doc_str(s->doc, v, "id", false, &id) < 0 ||
        doc_str(s->doc, v, "thread", false, ret_thread) < 0)
        return -1;
    if (id && !(new->key = key_of(id)))
        return doc_fail(s->doc, json_get(v, "id"), "id",
                        "must have 16 hexadecimal digits, and be below 8000000000000000");
    if (!*ret_thread)
        return 0;
    new->joins = true;
    if ((new->thread = key_of(*ret_thread)))
        return 0;
    new->thread = (int64_t)(uintptr_t)map_get(&s->threads, *ret_thread);
    if (new->thread)
        return 0;
    if (!new->key && mail_message_key(s->tx, s->mailbox.id, new->at_s, &new->key) < 0)
        return -1;
    new->thread = new->key;
    return map_set(&s->threads, *ret_thread, (void *)(uintptr_t) new->key) < 0
               ? sosia_fail_memory(s->tx->err)
               : 0;
}

static int add_seeded(struct seeding *s, const struct json *v, struct mail_message_new *new)
{
    struct tx *tx = s->tx;
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct mail_message m;
    struct mail_draft d;
    const char *draft;
    int64_t key = 0;
    if (doc_str(s->doc, v, "draft", false, &draft) < 0)
        return -1;
    if (draft && (parse_i64(draft, strlen(draft), &key) < 0 || !key))
        return doc_fail(s->doc, json_get(v, "draft"), "draft", "is not a number of a draft");
    if (mail_letter_read(tx, new->raw, new->len, &head, &text) < 0)
        return mail_seed_refused(tx, s->doc, v, NULL);
    if (mail_property_seed(s->doc, v, &head.property) < 0)
        return -1;
    bool mine = mail_letter_is_from(tx, head.head, head.len, s->addresses, s->n_addresses);
    const struct mail_vendor *vendor = mail_vendor_of(tx, s->mailbox.id);
    if (vendor && vendor->exclusive && head.property.flag == FLAG_SET)
        new->flags |= mail_vendor_places(vendor) & FLAG(KEYWORD_FLAGGED);
    const uint32_t place = mine ? FLAG(FOLDER_SENT) : FLAG(FOLDER_INBOX);
    if (mail_seed_labels(s, v, "labels", place, new) < 0 || mail_seed_place(s, v, place, new) < 0)
        return -1;
    if (draft)
        new->flags |= mail_seed_draft_flag(s);
    struct put put = {.in = new, .head = &head, .text = &text, .bulk = s->bulk};
    if (mail_message_put(tx, &put, &m) < 0)
        return mail_seed_refused(tx, s->doc, json_get(v, "id"), json_get(v, "id") ? "id" : NULL);
    if (new->flags & mail_seed_draft_flag(s) && mail_draft_hold(tx, &m, key, &d) < 0)
        return mail_seed_refused(tx, s->doc, json_get(v, "draft"), "draft");
    return 0;
}

static int seed_message(struct seeding *s, const struct json *v)
{
    struct mail_message_new new = {.mailbox = &s->mailbox, .at_s = INT64_MIN, .quiet = true};
    const char *thread;
    int32_t offset;
    if (known(s, v, &mail_message_form) < 0 || time_of(s, v, "received", &new.at_s, &offset) < 0)
        return -1;
    int r = raw_of(s, v, &new);
    if (r < 0 || (r == 0 && compose_of(s, v, &new) < 0))
        return -1;
    if (new.at_s == INT64_MIN)
        new.at_s = s->tx->now_us / US_PER_SECOND;
    if (ids_of(s, v, &new, &thread) < 0)
        return -1;
    return add_seeded(s, v, &new);
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
    const char *email;
    int64_t at_us = tx->now_us;
    int32_t offset;
    if (known(s, v, &mail_answered_form) < 0 || doc_str(s->doc, v, "email", true, &email) < 0 ||
        instant_of(s, v, "at", &at_us, &offset) < 0)
        return -1;
    /* Envelopes have addresses that are none, too. */
    const char *normal = email_normal(tx->arena, email);
    if (!strchr(email, '@'))
        return doc_fail(s->doc, json_get(v, "email"), "email", "\"%.80s\" is not an address",
                        email);
    return TX_RUN(tx, &q, s->mailbox.id, normal ? normal : email, at_us);
}

static int open_mailbox(struct seeding *s, const struct json *v)
{
    struct tx *tx = s->tx;
    const char *email, *vendor;
    if (known(s, v, &mail_mailbox_form) < 0 || doc_str(s->doc, v, "person", true, &email) < 0 ||
        doc_str(s->doc, v, "vendor", false, &vendor) < 0)
        return -1;
    int r = actor_by_email(tx, email, &s->who);
    if (r == 1)
        r = vendor ? mailbox_at(tx, s->who.id, vendor, &s->mailbox)
                   : mailbox_of(tx, s->who.id, &s->mailbox);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(s->doc, json_get(v, "person"), "person",
                                "there is no mailbox of \"%.80s\"", email);
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
    return rc == 0 && json_get(v, "messages") ? mail_folders_recount(s->tx, s->mailbox.id) : rc;
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
        const char *text;
        size_t n;
        bool bad;
        if (addresses_of(s, v, members[i], &text) < 0)
            return -1;
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
    if (known(s, v, &mail_letter_form) < 0 || choose_zone(s, v) < 0 || compose_of(s, v, &new) < 0)
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

/* The mailboxes that have changed since. */
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
