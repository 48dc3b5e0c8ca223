/* SPDX-License-Identifier: Apache-2.0 */
/* The members that mailboxes and messages have in seed documents, read and written. */
#include "engine/base/codec.h"
#include "engine/json/bytes.h"
#include "engine/state/own.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/mail/core/seed_impl.h"
#include <inttypes.h>

#define ADDRESSES "{\"type\":[\"string\",\"array\",\"null\"],\"items\":{\"type\":\"string\"}}"
#define NAMES     "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":[\"string\",\"integer\"]}}"

/* ---- times ---- */

/* A time with an offset, or on the wall clock of the person's zone. 1 there is one, 0, -1. */
static int instant_of(const struct form_in *in, const char *member, int64_t *ret_us,
                      int32_t *ret_offset)
{
    const struct tz *tz = tz_find(((const struct seeding *)in->of)->who.zone);
    const char *text;
    struct stamp stamp;
    int64_t days;
    if (doc_str(in->d, in->value, member, false, &text) < 0)
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
        text = arena_printf(in->tx->arena, "%s:00", text);
        n += 3;
    }
    if (stamp_parse(text, n, true, &stamp) < 0)
        return doc_fail(in->d, json_get(in->value, member), member,
                        "\"%.40s\" is not a time such as 2026-11-23T10:00", text);
    int64_t us = stamp.local_us % US_PER_SECOND;
    us += us < 0 ? US_PER_SECOND : 0;
    int64_t local = (stamp.local_us - us) / US_PER_SECOND;
    int64_t at_s = stamp.has_offset ? local - stamp.offset : tz_to_utc(tz, local);
    *ret_us = at_s * US_PER_SECOND + us;
    *ret_offset = stamp.has_offset ? stamp.offset : tz_offset(tz, at_s);
    return 1;
}

static int64_t whole_second(int64_t us)
{
    return us / US_PER_SECOND - (us % US_PER_SECOND < 0);
}

static void write_stamp(const struct form_out *out, const struct member *m, int64_t us,
                        int32_t offset, int digits)
{
    char text[STAMP_TEXT];
    stamp_format(text, us, offset, digits, true);
    json_str(out->w, m->name, text);
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
static int read_addresses(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *v = json_get(in->value, m->name);
    struct arena *a = in->tx->arena;
    const char **list;
    struct buf b;
    size_t n;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type == JSON_STRING) {
        member_put_text(m, row, addresses_header(a, v->str));
        return 0;
    }
    if (v->type != JSON_ARRAY)
        return doc_expect(in->d, v, m->name, "a text or a list of them");
    if (doc_strings(in->d, in->value, m->name, &list, &n) < 0)
        return -1;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", addresses_header(a, list[i]));
    member_put_text(m, row, n ? arena_strdup(a, buf_str(&b)) : NULL);
    bool failed = buf_failed(&b);
    buf_done(&b);
    return failed ? sosia_fail_memory(in->tx->err) : 0;
}

/* One address is a text, several are a list. */
static int write_addresses(const struct form_out *out, const struct member *m, const void *row)
{
    const char *header = member_text(m, row), **list;
    size_t n;
    if (!header)
        return 0;
    mail_seed_addresses_shown(out->tx->arena, header, &list, &n);
    if (n == 1) {
        json_str(out->w, m->name, list[0]);
        return 0;
    }
    json_arr(out->w, m->name);
    for (size_t i = 0; i < n; i++)
        json_str(out->w, NULL, list[i]);
    json_end(out->w);
    return 0;
}

/* What would end the line, or the message's head. */
static int check_line(const struct form_in *in, const struct member *m, void *row)
{
    const char *text = member_text(m, row);
    return text && strpbrk(text, "\r\n")
               ? doc_fail(in->d, json_get(in->value, m->name), m->name, "must be one line")
               : 0;
}

static int read_bytes(const struct form_in *in, const struct member *m, void *row)
{
    struct compose_file *f = row;
    const char *text;
    if (doc_str(in->d, in->value, m->name, false, &text) < 0)
        return -1;
    if (!text)
        return 0;
    if (f->data)
        return doc_fail(in->d, in->value, NULL, "an attachment has either text or base64");
    f->data = text;
    f->len = strlen(text);
    return strcmp(m->name, "text") == 0
               ? 0
               : doc_base64(in->d, in->value, m->name, text, &f->data, &f->len);
}

static int write_bytes(const struct form_out *out, const struct member *m, const void *row)
{
    const struct compose_file *f = row;
    bool text = strncmp(f->type, "text/", 5) == 0 && mail_seed_is_string(f->data, f->len);
    if (text != (strcmp(m->name, "text") == 0))
        return 0;
    if (text)
        json_strn(out->w, m->name, f->data, f->len);
    else
        json_base64(out->w, m->name, f->data, f->len);
    return 0;
}

static int check_file(const struct form_in *in, void *row)
{
    struct compose_file *f = row;
    if (!f->data)
        return doc_fail(in->d, in->value, NULL, "an attachment has either text or base64");
    if (!f->type)
        f->type = json_get_str(in->value, "text") ? "text/plain" : "application/octet-stream";
    return 0;
}

static const struct member file_members[] = {
    {"filename", "Its name", TEXT_AT(struct compose_file, filename), .check = check_line},
    {"type", "Its media type; text/plain of a text, else application/octet-stream",
     TEXT_AT(struct compose_file, type), .check = check_line},
    {"text", "Its bytes as a text", .kind = MEMBER_OWN, .noun = "text", .read = read_bytes,
     .write = write_bytes},
    {"base64", "The same in base64", .kind = MEMBER_OWN, .noun = "text", .read = read_bytes,
     .write = write_bytes},
    {"inline", "It is shown within the message", BOOL_AT(struct compose_file, inlined)},
    {"cid", "What the message calls it", TEXT_AT(struct compose_file, cid), .check = check_line},
};
static const struct form file_form = {.about = "An attachment",
                                      .members = file_members,
                                      .n = SOSIA_LEN(file_members),
                                      .size = sizeof(struct compose_file),
                                      .check = check_file};

static bool is_token(const char *name)
{
    for (const char *p = name; *p; p++)
        if (*p <= ' ' || *p >= 127 || *p == ':')
            return false;
    return *name != 0;
}

static int check_token(const struct form_in *in, const struct member *m, void *row)
{
    return is_token(member_text(m, row)) ? 0
                                         : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                                    "is not a name of a header");
}

static const struct member header_members[] = {
    {"name", "Its name", TEXT_AT(struct compose_header, name), .flags = MEMBER_REQUIRED,
     .check = check_token},
    {"value", "Its value", TEXT_AT(struct compose_header, value), .usual_text = "",
     .flags = MEMBER_ALWAYS, .check = check_line},
};
static const struct form header_form = {.about = "A further field of the head",
                                        .members = header_members,
                                        .n = SOSIA_LEN(header_members),
                                        .size = sizeof(struct compose_header)};

static int read_date(const struct form_in *in, const struct member *m, void *row)
{
    struct compose *c = row;
    int64_t us = in->tx->now_us;
    int r = instant_of(in, m->name, &us, &c->date_offset);
    if (r < 0)
        return -1;
    c->date_s = whole_second(us);
    if (r == 0)
        c->date_offset = tz_offset(tz_find(((const struct seeding *)in->of)->who.zone), c->date_s);
    return 0;
}

static int write_date(const struct form_out *out, const struct member *m, const void *row)
{
    const struct compose *c = row;
    write_stamp(out, m, c->date_s * US_PER_SECOND, c->date_offset, 0);
    return 0;
}

#define ADDRESSES_AT(field)                                                                        \
    .noun = "text, or a list", .schema = ADDRESSES, .read = read_addresses,                        \
    .write = write_addresses, TEXT_AT(struct compose, field)
#define LINE_AT(field) .check = check_line, TEXT_AT(struct compose, field)

/* What a message is made of, wherever it is. */
static const struct member piece_members[] = {
    {"from", "Who writes", ADDRESSES_AT(from)},
    {"to", "Who gets it", ADDRESSES_AT(to)},
    {"cc", "Who else", ADDRESSES_AT(cc)},
    {"bcc", "Who else, without the others knowing", ADDRESSES_AT(bcc)},
    {"replyTo", "Where answers go", ADDRESSES_AT(reply_to)},
    {"subject", "Its subject", LINE_AT(subject)},
    {"date", "Of its head: on the wall clock of the person's zone without an offset",
     .kind = MEMBER_OWN, .noun = "time", .read = read_date, .write = write_date},
    {"messageId", "Made up without it", LINE_AT(message_id)},
    {"inReplyTo", "The message that it answers", LINE_AT(in_reply_to)},
    {"references", "The messages before it", LINE_AT(references)},
    {"headers", "Further fields of the head",
     LIST_AT(struct compose, headers, n_headers, &header_form)},
    {"text", "What it says", TEXT_AT(struct compose, text)},
    {"html", "The same in HTML", TEXT_AT(struct compose, html)},
    {"attachments", "Its attachments", LIST_AT(struct compose, files, n_files, &file_form)},
};
const struct form mail_piece_form = FORM("What a message is made of", piece_members);

static const struct member letter_members[] = {
    OWN_TYPED("labels", "By the address of who has it: labels by name", "object of lists",
              "{\"type\":[\"object\",\"null\"],\"additionalProperties\":" NAMES "}"),
    PART(&mail_piece_form),
};
const struct form mail_letter_form =
    FORM("A message with its sender and with all who get it", letter_members);

/* ---- messages ---- */

int64_t mail_seed_key(const char *text)
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

static int read_message_key(const struct form_in *in, const struct member *m, void *row)
{
    struct seed_message *s = row;
    const char *id;
    if (doc_str(in->d, in->value, m->name, false, &id) < 0)
        return -1;
    return id && !(s->key = mail_seed_key(id))
               ? doc_fail(in->d, json_get(in->value, m->name), m->name,
                          "must have 16 hexadecimal digits, and be below 8000000000000000")
               : 0;
}

static int write_message_key(const struct form_out *out, const struct member *m, const void *row)
{
    const struct seed_message *s = row;
    json_str(out->w, m->name, arena_printf(out->tx->arena, "%016" PRIx64, (uint64_t)s->key));
    return 0;
}

static int read_draft_number(const struct form_in *in, const struct member *m, void *row)
{
    struct seed_message *s = row;
    const char *draft;
    if (doc_str(in->d, in->value, m->name, false, &draft) < 0)
        return -1;
    return draft && (parse_i64(draft, strlen(draft), &s->draft) < 0 || !s->draft)
               ? doc_fail(in->d, json_get(in->value, m->name), m->name,
                          "is not a number of a draft")
               : 0;
}

static int write_draft(const struct form_out *out, const struct member *m, const void *row)
{
    const struct seed_message *s = row;
    if (s->draft)
        json_str(out->w, m->name, arena_printf(out->tx->arena, "%" PRId64, s->draft));
    return 0;
}

static int write_labels(const struct form_out *out, const struct member *m, const void *row)
{
    (void)m;
    (void)row;
    return mail_dump_folders(out->tx, out->w, out->of);
}

static int read_received(const struct form_in *in, const struct member *m, void *row)
{
    struct seed_message *s = row;
    int32_t offset;
    int64_t us = 0;
    int r = instant_of(in, m->name, &us, &offset);
    s->at_s = r == 1 ? whole_second(us) : s->at_s;
    return r < 0 ? -1 : 0;
}

/* If that is not what follows from its date. */
static int write_received(const struct form_out *out, const struct member *m, const void *row)
{
    const struct seed_message *s = row, *base = out->base;
    if (s->at_s != base->at_s)
        write_stamp(out, m, s->at_s * US_PER_SECOND, 0, 0);
    return 0;
}

static const struct member state_members[] = {
    {"id", "16 hexadecimal digits; made up without it", .kind = MEMBER_OWN, .noun = "text",
     .read = read_message_key, .write = write_message_key},
    {"thread", "Messages with the same text are one thread", TEXT_AT(struct seed_message, thread)},
    {"draft", "The number of the draft that holds it", .kind = MEMBER_OWN, .noun = "text",
     .read = read_draft_number, .write = write_draft},
    {"labels", "Its labels, by name", .kind = MEMBER_OWN, .noun = "list of texts", .schema = NAMES,
     .write = write_labels},
    {"received", "When it came; as its date without it", .kind = MEMBER_OWN, .noun = "time",
     .read = read_received, .write = write_received},
    PART_AT(struct seed_message, property, &mail_property_form),
};
const struct form mail_state_form = FORM("What a message is in its mailbox", state_members);

static const struct member message_members[] = {
    PART(&mail_state_form),
    PART_AT(struct seed_message, pieces, &mail_piece_form),
    OWN("raw", "Its bytes, in the place of what it is made of", "text"),
    OWN("rawBase64", "The same in base64", "text"),
    OWN_TYPED("folder", "The folder that it is in, of vendors that have folders", "text",
              "{\"type\":[\"string\",\"integer\",\"null\"]}"),
    OWN("categories", "Names, of vendors that have folders", "list of texts"),
};
const struct form mail_message_form = FORM("A message in a mailbox", message_members);

/* ---- mailboxes ---- */

/* Envelopes have addresses that are none, too. */
static int check_email(const struct form_in *in, const struct member *m, void *row)
{
    struct seed_answered *a = row;
    const char *normal = email_normal(in->tx->arena, a->email);
    if (!strchr(a->email, '@'))
        return doc_fail(in->d, json_get(in->value, m->name), m->name, "\"%.80s\" is not an address",
                        a->email);
    a->email = normal ? normal : a->email;
    return 0;
}

static int read_answered_at(const struct form_in *in, const struct member *m, void *row)
{
    struct seed_answered *a = row;
    int32_t offset;
    a->at_us = in->tx->now_us;
    return instant_of(in, m->name, &a->at_us, &offset) < 0 ? -1 : 0;
}

static int write_answered_at(const struct form_out *out, const struct member *m, const void *row)
{
    const struct seed_answered *a = row;
    write_stamp(out, m, a->at_us, 0, a->at_us % US_PER_SECOND ? 6 : 0);
    return 0;
}

static const struct member answered_members[] = {
    {"email", "Who has had the answer", TEXT_AT(struct seed_answered, email),
     .flags = MEMBER_REQUIRED, .check = check_email},
    {"at", "When; the present without it", .kind = MEMBER_OWN, .noun = "time",
     .read = read_answered_at, .write = write_answered_at},
};
const struct form mail_answered_form =
    FORM("Somebody who has had the automatic answer", answered_members);

static const struct member mailbox_members[] = {
    {"person", "The address of the person whose it is", TEXT_AT(struct seed_mailbox, email),
     .flags = MEMBER_REQUIRED},
    {"vendor", "Of a person with several: that of the account that owns it",
     TEXT_AT(struct seed_mailbox, vendor)},
    OWN_LIST("labels", "Labels of its owner's", &mail_folder_form),
    OWN_LIST("folders", "Folders of its owner's, of vendors that have such", &mail_folder_form),
    OWN_LIST("messages", "Its messages", &mail_message_form),
    OWN_LIST("answered", "Who has had the automatic answer", &mail_answered_form),
};
const struct form mail_mailbox_form = FORM("A mailbox", mailbox_members);
