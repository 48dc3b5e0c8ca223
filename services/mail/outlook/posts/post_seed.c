/* SPDX-License-Identifier: Apache-2.0 */
/* Posts of groups in seed documents and dumps: as people write them, or as they came. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "engine/world/core.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/outlook/posts/post.h"

static const struct member members[] = {
    OWN_NEEDED("group", "The address of the group"),
    OWN("id", "Its number; made up without it", "text"),
    OWN("thread", "The number of its thread; without it one of its own, with the post's number",
        "text"),
    OWN("conversation", "The number of the thread that began the conversation", "text"),
    OWN("topic", "What the thread is about; without it the subject", "text"),
    OWN("locked", "Nothing can be posted in the thread", "true or false"),
    OWN("at", "When it came; without it now", "time"),
    OWN("from", "Whose it is: an address", "text"),
    OWN("subject", "What it is about", "text"),
    OWN("text", "What it says", "text"),
    OWN_GIVEN("html", "The same as HTML", "text"),
    OWN("raw", "In the place of these: the message as it came, in base64", "text"),
};
const struct form outlook_post_form = FORM("A post of a group's", members);

static int number_of(struct doc *d, const struct json *v, const char *member, int64_t *ret)
{
    const char *text;
    *ret = 0;
    if (doc_str(d, v, member, false, &text) < 0)
        return -1;
    if (text && (parse_i64(text, strlen(text), ret) < 0 || *ret < 1))
        return doc_fail(d, json_get(v, member), member, "must be a number above 0, not \"%.40s\"",
                        text);
    return 0;
}

/* The bytes of an item: as they came, or of what it says. */
static int bytes_of(struct tx *tx, struct doc *d, const struct json *v, const char *group,
                    int64_t at_us, const char **ret, size_t *ret_n)
{
    struct arena *a = tx->arena;
    const char *raw, *from, *subject, *text, *html, *id;
    struct actor actor;
    uint8_t *data;
    struct buf b;
    if (doc_str(d, v, "raw", false, &raw) < 0 || doc_str(d, v, "from", !raw, &from) < 0 ||
        doc_str(d, v, "subject", false, &subject) < 0 || doc_str(d, v, "text", false, &text) < 0 ||
        doc_str(d, v, "html", false, &html) < 0)
        return -1;
    if (raw) {
        if (base64_decode(a, raw, strlen(raw), &data, ret_n) < 0)
            return doc_fail(d, json_get(v, "raw"), "raw", "must be base64");
        *ret = (const char *)data;
        return 0;
    }
    if (!email_normal(a, from))
        return doc_fail(d, json_get(v, "from"), "from", "must be an address, not \"%.80s\"", from);
    int r = actor_by_email(tx, from, &actor);
    if (r < 0 || mail_message_id(tx, from, &id) < 0)
        return -1;
    const struct compose parts = {.from = mime_address_text(a, r == 1 ? actor.name : NULL, from),
                                  .to = group,
                                  .subject = subject ? subject : "",
                                  .date_s = at_us / US_PER_SECOND,
                                  .message_id = id,
                                  .text = text || html ? text : "",
                                  .html = html};
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
static int thread_of(struct tx *tx, struct doc *d, const struct json *v, struct outlook_thread *t,
                     int64_t key)
{
    const char *topic, *subject;
    struct outlook_thread there = {.topic = NULL};
    int64_t asked;
    if (number_of(d, v, "thread", &asked) < 0 || doc_str(d, v, "topic", false, &topic) < 0 ||
        doc_str(d, v, "subject", false, &subject) < 0 ||
        number_of(d, v, "conversation", &t->conversation) < 0)
        return -1;
    t->key = asked ? asked : key;
    if (check_own(tx, d, v, "thread", t->team, t->key) < 0 ||
        check_own(tx, d, v, "conversation", t->team, t->conversation) < 0)
        return -1;
    int r = outlook_thread_find(tx, t->team, t->key, &there);
    if (r < 0 || doc_bool(d, v, "locked", r == 1 && there.locked, &t->locked) < 0)
        return -1;
    t->topic = topic ? topic : r == 1 ? there.topic : subject ? subject : "";
    return outlook_thread_put(tx, t);
}

int outlook_post_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct outlook_thread t = {.id = 0};
    const char *name, *raw;
    int64_t key, at_us = tx->now_us;
    struct group group;
    size_t n;
    if (form_known(&(struct form_in){tx, d, v}, &outlook_post_form) < 0 ||
        doc_str(d, v, "group", true, &name) < 0 || number_of(d, v, "id", &key) < 0 ||
        (json_get(v, "at") && doc_time(d, v, "at", &at_us) < 0))
        return -1;
    int r = group_by_email(tx, name, &group);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "group"), "group",
                                "must be the address of a group, not \"%.80s\"", name);
    if (!key && outlook_post_new_key(tx, &key) < 0)
        return -1;
    t.team = group.email;
    t.newest_us = at_us;
    if (bytes_of(tx, d, v, group.email, at_us, &raw, &n) < 0 || thread_of(tx, d, v, &t, key) < 0)
        return -1;
    if (outlook_post_put(tx, &t, key, at_us, raw, n) < 0)
        return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "id"), "id") : -1;
    return 0;
}

int outlook_post_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct arena *a = tx->arena;
    struct mime_address *from;
    struct outlook_thread t;
    struct outlook_post p;
    const char *text, *html, *subject;
    size_t n, text_n, html_n;
    struct buf b;
    bool bad;
    int r = outlook_post_by_id(tx, rowid, &p);
    if (r == 1)
        r = outlook_thread_by_id(tx, p.thread, &t);
    if (r != 1)
        return r;
    if (mail_message_texts(tx, &p.body, 65536, &text, &text_n, &html, &html_n) < 0)
        return -1;
    subject = mime_header(a, p.body.head, p.body.head_len, "Subject");
    mime_address_fields(a, p.body.head, p.body.head_len, "From", &from, &n, &bad);
    json_str(w, "group", t.team);
    json_str(w, "id", arena_printf(a, "%lld", (long long)p.key));
    json_str(w, "thread", arena_printf(a, "%lld", (long long)t.key));
    json_str(w, "conversation", arena_printf(a, "%lld", (long long)t.conversation));
    json_str(w, "topic", t.topic);
    json_str(w, "at", graph_date(a, p.came_us, p.came_us % US_PER_SECOND ? 7 : 0));
    if (t.locked)
        json_bool(w, "locked", true);
    json_str_opt(w, "from", n ? from[0].email : NULL);
    json_str_opt(w, "subject", subject);
    if (text)
        json_strn(w, "text", text, text_n);
    buf_init(&b, 0);
    struct buf whole;
    buf_init(&whole, 0);
    buf_add(&whole, p.body.head, p.body.head_len);
    buf_add(&whole, p.body.own, p.body.own_len);
    base64_add(&b, whole.data ? whole.data : "", whole.len);
    json_strn(w, "raw", buf_str(&b), b.len);
    const bool failed = buf_failed(&b) || buf_failed(&whole);
    buf_done(&whole);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : 1;
}

int outlook_post_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select cast(key as text) from outlook_post where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}
