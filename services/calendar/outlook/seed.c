/* SPDX-License-Identifier: Apache-2.0 */
/* The sections calendarGroups and eventAttachments of seed documents and dumps: what Outlook keeps
 * of calendars in tables of its own. */
#include "engine/base/codec.h"
#include "identity/account.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/outlook/seed.h"

/* ---- whose they are ---- */

static int account_of_text(struct tx *tx, const char *text, int64_t *ret)
{
    struct actor actor;
    struct account account;
    int r = actor_find(tx, text, &actor);
    if (r == 1)
        r = account_at(tx, actor.id, "microsoft", ACCOUNT_CALENDAR, &account);
    if (r == 1)
        *ret = account.id;
    return r;
}

static int text_of_account(struct tx *tx, int64_t id, const char **ret)
{
    struct account account;
    struct actor actor;
    int r = account_get(tx, id, &account);
    if (r == 1)
        r = actor_by_id(tx, account.actor, &actor);
    if (r == 1)
        *ret = actor.handle;
    return r;
}

static const struct reference account_reference = {
    .noun = "the address of a person who has calendars with Microsoft",
    .unknown = "there are no calendars with Microsoft of",
    .find = account_of_text,
    .name = text_of_account};

/* ---- groups of calendars ---- */

int ocal_group_add(struct tx *tx, struct ocal_group *group)
{
    uint8_t bytes[8];
    char hex[17];
    if (!group->key) {
        if (tx_id(tx, "calendar group", bytes, sizeof bytes) < 0)
            return -1;
        hex_encode(hex, bytes, sizeof bytes);
        group->key = arena_strdup(tx->arena, hex);
    }
    if (calendar_change(tx, &group->change) < 0 || stored_add(tx, &ocal_groups_stored, group) < 0)
        return -1;
    group->id = tx_last_id(tx);
    return 0;
}

static int add_group(const struct form_in *in, void *row)
{
    return ocal_group_add(in->tx, row);
}

static const struct member group_members[] = {
    STORED_ID(struct ocal_group),
    {"id", "By which calendars name it: group of their extra; made up without it",
     TEXT_AT(struct ocal_group, key), .flags = MEMBER_ALWAYS},
    {"owner", "Whose calendars are in it", REF_AT(struct ocal_group, account, &account_reference),
     .flags = MEMBER_REQUIRED},
    {"name", "Its name", TEXT_AT(struct ocal_group, name), .flags = MEMBER_REQUIRED},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ocal_group, change, int64_t)},
};
STORED(ocal_groups_stored, "A group of a person's calendars in Outlook", struct ocal_group,
       group_members, NULL, .table = "ocal_group", .key = "id", .add = add_group);

/* ---- attachments ---- */

static const char *const kinds[] = {"file", "item", "reference", NULL};

static int read_its_event(const struct form_in *in, const struct member *m, void *row)
{
    struct ocal_attachment *a = row;
    const char *calendar, *key;
    struct cal_event ev = {.id = 0};
    struct calendar cal;
    if (doc_str(in->d, in->value, "calendar", true, &calendar) < 0 ||
        doc_str(in->d, in->value, m->name, true, &key) < 0)
        return -1;
    int r = calendar_by_key(in->tx, calendar, &cal);
    if (r == 1)
        r = cal_event_find(in->tx, &cal, key, &ev);
    if (r == 1 && (ev.status == EVENT_CANCELLED || ev.origin))
        r = 0;
    if (r == 1 && cal_event_single_out(in->tx, &ev) < 0)
        r = -1;
    a->event = ev.id;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_refuse(in->d, in->value, m->name,
                                "there is no event \"%.80s\" of that calendar's person", key);
}

static int event_of(struct tx *tx, int64_t id, struct cal_event *ev, struct calendar *cal)
{
    int r = cal_event_by_id(tx, id, ev);
    return r == 1 ? calendar_by_id(tx, ev->calendar, cal) : r;
}

static int write_its_event(const struct form_out *out, const struct member *m, const void *row)
{
    const struct ocal_attachment *a = row;
    struct calendar cal;
    struct cal_event ev;
    int r = event_of(out->tx, a->event, &ev, &cal);
    if (r == 1) {
        json_str(out->w, "calendar", cal.key);
        json_str(out->w, m->name, ev.key);
    }
    return r < 0 ? -1 : 0;
}

static int write_content(const struct form_out *out, const struct member *m, const void *row)
{
    const struct ocal_attachment *a = row;
    if (a->kind == 0)
        json_str(out->w, m->name, a->content);
    return 0;
}

static int write_value(const struct form_out *out, const struct member *m, const void *row)
{
    const struct ocal_attachment *a = row;
    if (a->kind)
        json_raw(out->w, m->name, a->content, strlen(a->content));
    return 0;
}

static int check_content(const struct form_in *in, void *row)
{
    struct ocal_attachment *a = row;
    const char *member = a->kind ? "value" : "content", *other = a->kind ? "content" : "value";
    uint8_t *bytes;
    size_t n = 0;
    if (json_get(in->value, other))
        return doc_refuse(in->d, in->value, other, "a %s has %s", kinds[a->kind], member);
    if (!a->content)
        return doc_fail(in->d, in->value, member, "is missing");
    if (!a->kind && base64_decode(in->tx->arena, a->content, strlen(a->content), &bytes, &n) < 0)
        return doc_expect(in->d, json_get(in->value, member), member, "base64");
    a->size = (int64_t)(a->kind ? strlen(a->content) : n);
    if (!a->updated_us)
        a->updated_us = in->tx->now_us;
    if (!a->kind && !a->type)
        a->type = OCAL_UNKNOWN_TYPE;
    return 0;
}

static const struct member attachment_members[] = {
    STORED_ID(struct ocal_attachment),
    {"calendar", "The id of the organizer's calendar", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED},
    {"event", "The id of the event, or of one occurrence of a series", .kind = MEMBER_INT,
     .noun = "text", .flags = MEMBER_REQUIRED, .read = read_its_event, .write = write_its_event,
     MEMBER_TYPED(struct ocal_attachment, event, int64_t)},
    {"kind", "What is attached", ENUM_AT(struct ocal_attachment, kind, kinds)},
    {"name", "Its name", TEXT_AT(struct ocal_attachment, name), .flags = MEMBER_REQUIRED},
    {"type", "The media type of its content", TEXT_AT(struct ocal_attachment, type)},
    {"inline", "The body shows it", BOOL_AT(struct ocal_attachment, is_inline)},
    {"contentId", "By which the body names it", TEXT_AT(struct ocal_attachment, content_id)},
    {"modified", "When it was changed; the world's time without it",
     TIME_AT(struct ocal_attachment, updated_us)},
    {"content", "Of a file: base64", TEXT_AT(struct ocal_attachment, content),
     .write = write_content},
    {"value", "Of an item or a reference: what Graph has besides",
     KEPT_AT(struct ocal_attachment, content, JSON_OBJECT), .inner = "**", .write = write_value},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ocal_attachment, size, int64_t)},
};
STORED(ocal_attachments_stored, "An attachment of an event in Outlook", struct ocal_attachment,
       attachment_members, check_content, .table = "ocal_attachment", .key = "calendar event name");

/* Those of events that are there. */
int ocal_attachment_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct ocal_attachment a;
    struct calendar cal;
    struct cal_event ev;
    int r = stored_get(tx, &ocal_attachments_stored, id, &a);
    if (r == 1)
        r = event_of(tx, a.event, &ev, &cal);
    if (r != 1 || ev.status == EVENT_CANCELLED || cal.gone)
        return r < 0 ? -1 : 0;
    return stored_dump(tx, &ocal_attachments_stored, id, w);
}

int ocal_attachments_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select id from ocal_attachment order by id");
    bool any = false;
    int64_t *ids;
    size_t n;
    return cal_dump_ids(tx, &q, 0, &ids, &n) < 0
               ? -1
               : cal_dump_list(tx, w, "eventAttachments", ids, n, ocal_attachment_dump, &any);
}

/* What a file for import has of files is what a document may have. */
int ocal_attachments_check(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT(
        "select id from ocal_attachment where kind = 0 and id > :after order by id limit 1");
    struct ocal_attachment a;
    uint8_t *bytes;
    int64_t id = 0;
    size_t n;
    int r;
    while ((r = TX_INT(tx, &q, &id, id)) == 1) {
        if (stored_get(tx, &ocal_attachments_stored, id, &a) != 1)
            return -1;
        if (base64_decode(tx->arena, a.content, strlen(a.content), &bytes, &n) < 0)
            return arena_failed(tx->arena)
                       ? sosia_fail_memory(tx->err)
                       : tx_fail(tx, SOSIA_E_INVALID, "content", "ocal_attachment",
                                 "the content of a file in ocal_attachment must be base64, that of "
                                 "row %lld is not",
                                 (long long)id);
    }
    return r;
}

/* ---- in diffs ---- */

int ocal_attachment_about(struct tx *tx, const struct entity *entity, int64_t rowid,
                          struct entity_about *about)
{
    struct ocal_attachment a;
    struct calendar cal;
    struct cal_event ev;
    struct actor owner;
    (void)entity;
    int r = stored_get(tx, &ocal_attachments_stored, rowid, &a);
    if (r == 1)
        r = event_of(tx, a.event, &ev, &cal);
    if (r == 1)
        r = actor_by_id(tx, cal.owner, &owner);
    if (r != 1)
        return r < 0 ? -1 : 0;
    about->person = owner.email;
    about->title = a.name;
    return 0;
}

int ocal_group_about(struct tx *tx, const struct entity *entity, int64_t rowid,
                     struct entity_about *about)
{
    struct ocal_group group;
    (void)entity;
    int r = stored_get(tx, &ocal_groups_stored, rowid, &group);
    if (r != 1)
        return r;
    about->title = group.name;
    return text_of_account(tx, group.account, &about->person) < 0 ? -1 : 0;
}
