/* SPDX-License-Identifier: Apache-2.0 */
/* What a message says of itself besides its text: importance, a flag with dates, receipts. Only
 * what is not the usual has a row. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/state/form.h"
#include "engine/store/row.h"
#include "services/mail/core/mail_impl.h"

#define PROPERTY(X)                                                                                \
    X(importance, importance, NUMBER)                                                              \
    X(flag, flag, NUMBER)                                                                          \
    X(flag_from_us, flag_from_us, TIME)                                                            \
    X(flag_due_us, flag_due_us, TIME)                                                              \
    X(flag_done_us, flag_done_us, TIME)                                                            \
    X(inference, inference, NUMBER)                                                                \
    X(receipts, receipts, NUMBER)
#define COLUMN_SAME_TIME(a, b)    ((a) == (b))
#define COLUMN_VALUE_TIME(v)      sql_int_or_null(v, MAIL_NO_TIME)
#define COLUMN_TAKE_TIME(rec, at) take_time(rec, at)
#define NAMES                     PROPERTY(COLUMN_NAME)
#define MARKS                     PROPERTY(COLUMN_MARK)
#define SETS                      PROPERTY(COLUMN_EXCLUDED)

static int64_t take_time(const struct record *rec, unsigned at)
{
    return record_is_null(rec, at) ? MAIL_NO_TIME : record_int(rec, at);
}

static bool same(const struct mail_property *old, const struct mail_property *row)
{
    return true PROPERTY(COLUMN_SAME);
}

int mail_property_gone(struct tx *tx, int64_t message)
{
    static struct sql_text q = SQL_TEXT("delete from mail_property where message = :message");
    return TX_RUN(tx, &q, message);
}

int mail_property_put(struct tx *tx, int64_t message, const struct mail_property *row)
{
    static struct sql_text q =
        SQL_TEXT("insert into mail_property (message" NAMES ") values (?" MARKS ") "
                 "on conflict (message) do update set message = excluded.message" SETS);
    if (same(&mail_property_usual, row))
        return 0;
    return TX_RUN(tx, &q, message PROPERTY(COLUMN_VALUE));
}

/* The row; without one what an unmarked message has. */
static int read_property(struct tx *tx, const struct mail_message *m, struct mail_property *ret)
{
    static struct row_table table = ROW_TABLE("mail_property", "p", "message" NAMES);
    struct mail_property *row = ret;
    struct record found = {.arena = tx->arena}, *rec = &found;
    unsigned at = 1;
    int r = record_none(tx->db, &table.record) ? 0 : ROW_BY_ID(tx, &table, m->id, rec);
    *ret = mail_property_usual;
    if (r == 1) {
        PROPERTY(COLUMN_TAKE)
    }
    return r < 0 ? -1 : 0;
}

int mail_property_get(struct tx *tx, const struct mail_message *m, struct mail_property *ret)
{
    if (read_property(tx, m, ret) < 0)
        return -1;
    /* The keyword says whether it is set. */
    if (m->flags & FLAG(KEYWORD_FLAGGED))
        ret->flag = FLAG_SET;
    else if (ret->flag == FLAG_SET)
        ret->flag = FLAG_NONE;
    return 0;
}

static bool is_one(const struct mail_property *p)
{
    return p->importance >= -1 && p->importance <= 1 && p->flag <= FLAG_COMPLETE &&
           p->inference <= INFERENCE_OTHER && !(p->receipts & ~(RECEIPT_READ | RECEIPT_DELIVERED));
}

int mail_property_set(struct tx *tx, struct mail_message *m, const struct mail_property *to)
{
    static struct sql_text q = SQL_TEXT("update mail_message set change = :change where id = :id");
    struct mail_folder_set now;
    struct mail_property old, is = *to, *p = &is;
    const int64_t flagged = mail_folder_id(m->mailbox, KEYWORD_FLAGGED);
    const bool set = p->flag == FLAG_SET;
    const struct mail_vendor *v = mail_vendor_of(tx, m->mailbox);
    if (!is_one(p))
        return tx_fail(tx, SOSIA_E_INVALID, "property", NULL,
                       "a message's property must be one that messages can have");
    if (!v || mail_property_get(tx, m, &old) < 0)
        return -1;
    is.receipts = old.receipts;
    if (same(&old, p))
        return 0;
    if (mail_vendor_places(v) & FLAG(KEYWORD_FLAGGED) &&
        mail_message_modify(tx, m, &flagged, set, &flagged, !set) < 0)
        return -1;
    if ((same(&mail_property_usual, p) ? mail_property_gone(tx, m->id)
                                       : mail_property_put(tx, m->id, p)) < 0 ||
        mail_set_read(tx, v, m, &now) < 0 || mail_change_number(tx, &m->change) < 0 ||
        TX_RUN(tx, &q, m->change, m->id) < 0 || mail_thread_touch(tx, m, 0) < 0)
        return -1;
    return mail_change_notify(tx, m, MAIL_PROPERTY, NULL, 0, &now, m->folder, false);
}

/* ---- seed documents ---- */

static const char *const importances[] = {"low", "normal", "high", NULL},
                         *const flags[] = {"none", "flagged", "complete", NULL},
                         *const inferences[] = {"none", "focused", "other", NULL};

static int write_instant(const struct form_out *out, const struct member *m, const void *row)
{
    if (member_number(m, row) != MAIL_NO_TIME)
        json_time(out->w, m->name, member_number(m, row), JSON_TIME_US_Z);
    return 0;
}

#define INSTANT_AT(field)                                                                          \
    TIME_AT(struct mail_property, field), .usual = MAIL_NO_TIME, .write = write_instant

static const struct member flag_members[] = {
    {"status", "Whether it is flagged", ENUM_AT(struct mail_property, flag, flags)},
    {"from", "When what is to be done begins", INSTANT_AT(flag_from_us)},
    {"due", "By when it is to be done", INSTANT_AT(flag_due_us)},
    {"done", "When it was done", INSTANT_AT(flag_done_us)},
};
static const struct form flag_form = FORM("A flag", flag_members);

/* An object, or its status alone. */
static int read_flag(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *v = json_get(in->value, m->name);
    struct mail_property *p = row;
    int flag;
    if (!v)
        return 0;
    size_t mark = doc_push(in->d, m->name, -1);
    if (v->type == JSON_STRING) {
        if ((flag = str_place(flags, v->str)) < 0)
            return doc_expect(in->d, v, NULL, "none, flagged or complete");
        p->flag = (enum mail_flag)flag;
    } else {
        p->flag = FLAG_NONE;
        if (form_read(&(struct form_in){in->tx, in->d, v}, &flag_form, p) < 0)
            return -1;
    }
    doc_pop(in->d, mark);
    return 0;
}

static int write_flag(const struct form_out *out, const struct member *m, const void *row)
{
    if (form_same(&flag_form, row, out->base))
        return 0;
    json_obj(out->w, m->name);
    int rc = form_write(&(struct form_out){out->tx, out->w}, &flag_form, row);
    json_end(out->w);
    return rc;
}

static const struct member property_members[] = {
    {"importance", "How important it is; as its head says without it",
     ENUM_AT(struct mail_property, importance, importances), .min = -1},
    {"inference", "Which part of the inbox it is in",
     ENUM_AT(struct mail_property, inference, inferences)},
    {"flag", "Whether it is flagged: a status, or an object with status, from, due, done",
     .kind = MEMBER_OWN, .noun = "text, or an object", .read = read_flag, .write = write_flag,
     .schema = "{\"type\":[\"string\",\"object\",\"null\"],\"properties\":{\"status\":{\"enum\":"
               "[\"none\",\"flagged\",\"complete\"]},\"from\":{\"type\":\"string\"},\"due\":"
               "{\"type\":\"string\"},\"done\":{\"type\":\"string\"}}}"},
};
const struct form mail_property_form = FORM("What a message says of itself", property_members);

int mail_property_said(struct tx *tx, const struct mail_message *m, struct mail_property *ret,
                       struct mail_property *ret_head)
{
    const char *head;
    size_t len;
    if (read_property(tx, m, ret) < 0 || mail_message_head(tx, m, &head, &len) < 0)
        return -1;
    mail_property_read(tx->arena, head, len, ret_head);
    return 0;
}
