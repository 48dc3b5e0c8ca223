/* SPDX-License-Identifier: Apache-2.0 */
/* The calendars on people's lists in documents and diffs: the member "lists" of a calendar. */
#include "engine/base/codec.h"
#include "engine/world/take.h"
#include "identity/sql.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/google/gcal.h"

/* ---- members ---- */

static const char *const notice_types[] = {"eventCreation", "eventChange", "eventCancellation",
                                           "eventResponse", "agenda",      NULL};

struct notice {
    int type, method;
};
static const struct member notice_members[] = {
    {"method", "How the person is notified",
     ENUM_AT(struct notice, method, ((const char *const[]){"email", NULL}))},
    {"type", "What the person is notified of", ENUM_AT(struct notice, type, notice_types),
     .flags = MEMBER_REQUIRED},
};
static const struct form notice_form = FORM("A notice", notice_members);

/* A list of notices as the text that is stored, in normal form. */
static int notices_text(const struct form_in *in, const struct json *list, const char *member,
                        const char **ret)
{
    struct buf b;
    int rc = 0;
    buf_init(&b, 0);
    buf_byte(&b, '[');
    for (uint32_t i = 0; rc == 0 && i < list->n; i++) {
        struct notice row;
        size_t mark = doc_push(in->d, member, i);
        form_usual(&notice_form, &row);
        rc = form_read(&(struct form_in){in->tx, in->d, &list->items[i]}, &notice_form, &row);
        if (rc < 0)
            break;
        buf_printf(&b, "%s{\"type\":\"%s\",\"method\":\"email\"}", i ? "," : "",
                   notice_types[row.type]);
        doc_pop(in->d, mark);
    }
    buf_byte(&b, ']');
    if (rc == 0)
        *ret = arena_strdup(in->d->arena, buf_str(&b));
    buf_done(&b);
    return rc;
}

static int read_entry_notices(const struct form_in *in, const struct member *m, void *row)
{
    const char **to = member_place(m, row);
    const struct json *list;
    if (doc_list(in->d, in->value, m->name, &list) < 0)
        return -1;
    if (list && !list->n)
        *to = NULL;
    return list && list->n ? notices_text(in, list, m->name, to) : 0;
}

/* On a list entry, which has none where others have the default. */
static int read_entry_reminders(const struct form_in *in, const struct member *m, void *row)
{
    struct gcal_listing *l = row;
    if (cal_read_reminders(in, m, row) < 0)
        return -1;
    if (l->reminders && strcmp(l->reminders, "[]") == 0)
        l->reminders = NULL;
    return 0;
}

static int write_entry_list(const struct form_out *out, const struct member *m, const void *row)
{
    const char *text = *(const char *const *)member_at(m, row);
    if (!str_same(text, *(const char *const *)member_at(m, out->base)))
        json_raw(out->w, m->name, text ? text : "[]", text ? strlen(text) : 2);
    return 0;
}

static int check_rgb(const struct form_in *in, const struct member *m, void *row)
{
    const char *text = *(const char *const *)member_at(m, row);
    if (!text ||
        (strlen(text) == 7 && *text == '#' && strspn(text + 1, "0123456789abcdefABCDEF") == 6))
        return 0;
    return doc_refuse(in->d, in->value, m->name, "must be a color such as \"#16a766\"");
}

static const struct member listing_members[] = {
    {"person", "Whose list it is on", .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_REQUIRED},
    {"name", "The name that the person gave it", TEXT_AT(struct gcal_listing, name),
     .flags = MEMBER_CLEARS},
    {"color", "The number of its colour", TEXT_AT(struct gcal_listing, color),
     .flags = MEMBER_CLEARS},
    {"background", "A colour of its own, such as #16a766", TEXT_AT(struct gcal_listing, background),
     .flags = MEMBER_CLEARS, .check = check_rgb},
    {"foreground", "The colour of its text", TEXT_AT(struct gcal_listing, foreground),
     .flags = MEMBER_CLEARS, .check = check_rgb},
    {"hidden", "It is not on the list that is shown", BOOL_AT(struct gcal_listing, hidden)},
    {"selected", "Its events are shown", BOOL_AT(struct gcal_listing, selected), .usual = true},
    {"reminders", "The reminders of events that have none of their own",
     MEMBER_PLACE(struct gcal_listing, reminders), .kind = MEMBER_OWN, .form = &cal_reminder_form,
     .schema = "{\"type\":[\"array\",\"string\",\"null\"],\"items\":{\"type\":\"object\"}}",
     .read = read_entry_reminders, .write = write_entry_list},
    {"notices", "What the person gets mail about", MEMBER_PLACE(struct gcal_listing, notices),
     .kind = MEMBER_OWN, .form = &notice_form, .read = read_entry_notices,
     .write = write_entry_list},
};
static const struct form listing_form = FORM("A calendar on a person's list", listing_members);

/* ---- reading ---- */

void gcal_listing_default(const struct calendar *cal, struct gcal_listing *ret)
{
    *ret = (struct gcal_listing){.actor = cal->owner, .cal = *cal, .selected = true};
    if (!cal->main)
        return;
    ret->reminders = "[{\"method\":\"popup\",\"minutes\":10}]";
    ret->notices = "[{\"type\":\"eventCreation\",\"method\":\"email\"},"
                   "{\"type\":\"eventChange\",\"method\":\"email\"},"
                   "{\"type\":\"eventCancellation\",\"method\":\"email\"},"
                   "{\"type\":\"eventResponse\",\"method\":\"email\"}]";
}

static int seed_entry(const struct form_in *in)
{
    const struct calendar *cal = in->of;
    struct gcal_listing l;
    struct actor who;
    const char *email;
    if (form_known(in, &listing_form) < 0 || doc_str(in->d, in->value, "person", true, &email) < 0)
        return -1;
    int r = actor_by_email(in->tx, email, &who);
    if (r != 1)
        return r < 0 ? -1
                     : doc_refuse(in->d, in->value, "person", "there is nobody \"%.80s\"", email);
    gcal_listing_default(cal, &l);
    if (who.id != cal->owner)
        l.reminders = l.notices = NULL;
    l.actor = who.id;
    return form_read(in, &listing_form, &l) < 0 ? -1 : gcal_listing_add(in->tx, &l);
}

static int seed_entries(const struct form_in *in)
{
    return form_each(in, "lists", seed_entry);
}

/* ---- writing ---- */

int gcal_listing_row(struct tx *tx, int64_t rowid, struct gcal_listing *ret, struct actor *ret_who)
{
    static struct sql_text q = SQL_TEXT("select actor, calendar from gcal_listing where id = :id");
    struct calendar cal;
    int64_t actor, calendar;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &actor, &calendar);
    if (r != 1)
        return r;
    r = actor_by_id(tx, actor, ret_who);
    if (r == 1)
        r = calendar_by_id(tx, calendar, &cal);
    return r == 1 ? gcal_listing_find(tx, ret_who, &cal, ret) : r;
}

int gcal_listing_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct gcal_listing l, base;
    struct actor who;
    int r = gcal_listing_row(tx, rowid, &l, &who);
    if (r != 1 || l.gone || l.cal.gone)
        return r < 0 ? -1 : 0;
    gcal_listing_default(&l.cal, &base);
    bool own = l.cal.owner == who.id;
    if (!own)
        base.reminders = base.notices = NULL;
    else if (form_same(&listing_form, &l, &base) && str_same(l.reminders, base.reminders) &&
             str_same(l.notices, base.notices))
        return 0;
    json_str(w, "person", who.email);
    return form_write(&(struct form_out){tx, w, &base}, &listing_form, &l) < 0 ? -1 : 1;
}

int gcal_listing_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct gcal_listing l;
    struct actor who;
    int r = gcal_listing_row(tx, rowid, &l, &who);
    if (r == 1) {
        json_str(w, "person", who.email);
        json_str(w, "calendar", l.cal.key);
    }
    return r < 0 ? -1 : 0;
}

static int dump_entries(struct tx *tx, int64_t calendar, struct json_writer *w, bool *ret_any)
{
    static struct sql_text q =
        SQL_TEXT("select l.id from gcal_listing l where l.calendar = :calendar and l.gone = 0 "
                 "order by " IDENT_SQL_EMAIL("l.actor"));
    int64_t *ids;
    size_t n;
    return cal_dump_ids(tx, &q, calendar, &ids, &n) < 0
               ? -1
               : cal_dump_list(tx, w, "lists", ids, n, gcal_listing_dump, ret_any);
}

static int made_on_lists(struct tx *tx, int64_t **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("select distinct calendar from gcal_listing where "
                                        "calendar < 0 and gone = 0 order by calendar desc");
    return cal_dump_ids(tx, &q, 0, ret, ret_n);
}

int gcal_listing_check(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select distinct calendar from gcal_listing where calendar > :none");
    struct calendar cal;
    int64_t *ids;
    size_t n;
    if (cal_dump_ids(tx, &q, 0, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = calendar_by_id(tx, ids[i], &cal);
        if (r != 1)
            return r < 0 ? -1
                         : tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                                   "a row in gcal_listing names no calendar");
    }
    return 0;
}

const struct cal_lists gcal_lists = {gcal_listing_turn, seed_entries, dump_entries, made_on_lists};
