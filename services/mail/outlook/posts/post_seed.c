/* SPDX-License-Identifier: Apache-2.0 */
/* Posts of groups in seed documents and dumps: as people write them, or as they came. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/json/doc.h"
#include "engine/state/form.h"
#include "engine/world/core.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/outlook/posts/post.h"

/* A post as documents have it. */
struct said {
    const char *group, *topic, *from, *subject, *text, *html, *raw;
    int64_t key, thread, conversation; /* 0: not said */
    int64_t at_us;
    bool locked;
};

static int read_number(const struct form_in *in, const struct member *m, void *row)
{
    const char *text;
    int64_t n = 0;
    if (doc_str(in->d, in->value, m->name, false, &text) < 0)
        return -1;
    if (text && (parse_i64(text, strlen(text), &n) < 0 || n < 1))
        return doc_fail(in->d, json_get(in->value, m->name), m->name,
                        "must be a number above 0, not \"%.40s\"", text);
    member_put_number(m, row, n);
    return 0;
}

static int write_number(const struct form_out *out, const struct member *m, const void *row)
{
    json_str(out->w, m->name,
             arena_printf(out->tx->arena, "%lld", (long long)member_number(m, row)));
    return 0;
}

static int write_at(const struct form_out *out, const struct member *m, const void *row)
{
    const int64_t at_us = member_number(m, row);
    json_str(out->w, m->name, graph_date(out->tx->arena, at_us, at_us % US_PER_SECOND ? 7 : 0));
    return 0;
}

#define NUMBER_AT(field)                                                                           \
    .kind = MEMBER_OWN, .noun = "text", .read = read_number, .write = write_number,                \
    MEMBER_TYPED(struct said, field, int64_t)

static const struct member members[] = {
    {"group", "The address of the group", TEXT_AT(struct said, group), .flags = MEMBER_REQUIRED},
    {"id", "Its number; made up without it", NUMBER_AT(key)},
    {"thread", "The number of its thread; without it one of its own, with the post's number",
     NUMBER_AT(thread)},
    {"conversation", "The number of the thread that began the conversation",
     NUMBER_AT(conversation)},
    {"topic", "What the thread is about; without it the subject", TEXT_AT(struct said, topic)},
    {"at", "When it came; without it now", TIME_AT(struct said, at_us), .write = write_at},
    {"locked", "Nothing can be posted in the thread", BOOL_AT(struct said, locked)},
    {"from", "Whose it is: an address", TEXT_AT(struct said, from)},
    {"subject", "What it is about", TEXT_AT(struct said, subject)},
    {"text", "What it says", TEXT_AT(struct said, text)},
    {"html", "The same as HTML", TEXT_AT(struct said, html), .flags = MEMBER_GIVEN},
    {"raw", "In the place of these: the message as it came, in base64", TEXT_AT(struct said, raw)},
};
const struct form outlook_post_form = FORM("A post of a group's", members);

/* The bytes of an item: as they came, or of what it says. */
static int bytes_of(struct tx *tx, struct doc *d, const struct json *v, const struct said *said,
                    const char *group, const char **ret, size_t *ret_n)
{
    struct arena *a = tx->arena;
    const char *from, *id;
    struct actor actor;
    uint8_t *data;
    struct buf b;
    if (said->raw) {
        if (base64_decode(a, said->raw, strlen(said->raw), &data, ret_n) < 0)
            return doc_fail(d, json_get(v, "raw"), "raw", "must be base64");
        *ret = (const char *)data;
        return 0;
    }
    if (doc_str(d, v, "from", true, &from) < 0)
        return -1;
    if (!email_normal(a, from))
        return doc_fail(d, json_get(v, "from"), "from", "must be an address, not \"%.80s\"", from);
    int r = actor_by_email(tx, from, &actor);
    if (r < 0 || mail_message_id(tx, from, &id) < 0)
        return -1;
    const struct compose parts = {.from = mime_address_text(a, r == 1 ? actor.name : NULL, from),
                                  .to = group,
                                  .subject = said->subject ? said->subject : "",
                                  .date_s = said->at_us / US_PER_SECOND,
                                  .message_id = id,
                                  .text = said->text || said->html ? said->text : "",
                                  .html = said->html};
    buf_init(&b, OUTLOOK_MAX_MESSAGE);
    mime_compose(a, &parts, &b);
    *ret_n = b.len;
    *ret = arena_memdup(a, b.len ? b.data : "", b.len);
    const bool bad = buf_failed(&b) || arena_failed(a);
    buf_done(&b);
    return bad ? sosia_fail_memory(tx->err) : 0;
}

/* Numbers are of one group each. */
static int check_own(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                     const char *team, int64_t key)
{
    int r = key ? outlook_thread_is_others(tx, team, key) : 0;
    if (r != 1)
        return r;
    member = json_get(v, member) ? member : "id";
    return doc_fail(d, json_get(v, member), member, "is that of another group's thread");
}

/* The thread of an item, made where there is none; what is not said of one that is there stays. */
static int thread_of(struct tx *tx, struct doc *d, const struct json *v, const struct said *said,
                     struct outlook_thread *t)
{
    struct outlook_thread there = {.topic = NULL};
    t->key = said->thread ? said->thread : said->key;
    t->conversation = said->conversation;
    if (check_own(tx, d, v, "thread", t->team, t->key) < 0 ||
        check_own(tx, d, v, "conversation", t->team, t->conversation) < 0)
        return -1;
    int r = outlook_thread_find(tx, t->team, t->key, &there);
    if (r < 0 || doc_bool(d, v, "locked", r == 1 && there.locked, &t->locked) < 0)
        return -1;
    t->topic = said->topic     ? said->topic
               : r == 1        ? there.topic
               : said->subject ? said->subject
                               : "";
    return outlook_thread_put(tx, t);
}

int outlook_post_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct outlook_thread t = {.id = 0};
    struct said said = {.at_us = tx->now_us};
    const char *raw;
    struct group group;
    size_t n;
    if (form_read(&(struct form_in){tx, d, v}, &outlook_post_form, &said) < 0)
        return -1;
    int r = group_by_email(tx, said.group, &group);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "group"), "group",
                                "must be the address of a group, not \"%.80s\"", said.group);
    if (!said.key && outlook_post_new_key(tx, &said.key) < 0)
        return -1;
    t.team = group.email;
    t.newest_us = said.at_us;
    if (bytes_of(tx, d, v, &said, group.email, &raw, &n) < 0 || thread_of(tx, d, v, &said, &t) < 0)
        return -1;
    if (outlook_post_put(tx, &t, said.key, said.at_us, raw, n) < 0)
        return doc_taken(d, v, "id");
    return 0;
}

int outlook_post_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct arena *a = tx->arena;
    struct mime_address *from;
    struct outlook_thread t;
    struct outlook_post p;
    const char *text, *html;
    size_t n, text_n, html_n;
    struct buf whole;
    bool bad;
    int r = outlook_post_by_id(tx, rowid, &p);
    if (r == 1)
        r = outlook_thread_by_id(tx, p.thread, &t);
    if (r != 1)
        return r;
    if (mail_message_texts(tx, &p.body, 65536, &text, &text_n, &html, &html_n) < 0)
        return -1;
    mime_address_fields(a, p.body.head, p.body.head_len, "From", &from, &n, &bad);
    buf_init(&whole, 0);
    buf_add(&whole, p.body.head, p.body.head_len);
    buf_add(&whole, p.body.own, p.body.own_len);
    const struct said said = {
        .group = t.team,
        .key = p.key,
        .thread = t.key,
        .conversation = t.conversation,
        .topic = t.topic,
        .at_us = p.came_us,
        .locked = t.locked,
        .from = n ? from[0].email : NULL,
        .subject = mime_header(a, p.body.head, p.body.head_len, "Subject"),
        .text = text ? arena_memdup(a, text, text_n) : NULL,
        .raw = base64_text(a, NULL, whole.data ? whole.data : "", whole.len),
    };
    const bool failed = buf_failed(&whole) || arena_failed(a);
    buf_done(&whole);
    if (failed)
        return sosia_fail_memory(tx->err);
    return form_write(&(struct form_out){tx, w}, &outlook_post_form, &said) < 0 ? -1 : 1;
}

int outlook_post_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select cast(key as text) from outlook_post where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}
