/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations, threads and posts of groups as Graph writes them. */
#include "engine/base/codec.h"
#include "services/mail/outlook/posts/post.h"
#include "services/mail/outlook/text.h"

enum {
    HEAD = 40,
    GUID = 16,
    CONVERSATION_LEN = 59,
    THREAD_LEN = 79,
    PREVIEW = 255,
    TEXT_MAX = 1 << 20
};

/* ---- ids ---- */

/* A conversation's id is a head with the mailbox, three bytes and a GUID; a thread's has five bytes
 * behind the head, the conversation's GUID, two bytes and its own. */
static const uint8_t of_conversation[] = {0x00, 0x10, 0x00};
static const uint8_t of_thread[] = {0x03, 0x24, 0x00, 0x10, 0x00};

const char *outlook_thread_id(struct arena *a, const struct outlook_box *b,
                              const struct outlook_thread *t)
{
    uint8_t data[THREAD_LEN] = {0}, *conversation, *own;
    size_t n, m;
    if (outlook_id_bytes(a, outlook_conversation_id(a, b, t->conversation), &conversation, &n) <
            0 ||
        outlook_id_bytes(a, outlook_conversation_id(a, b, t->key), &own, &m) < 0 ||
        n != CONVERSATION_LEN || m != CONVERSATION_LEN)
        return "";
    memcpy(data, conversation, HEAD);
    memcpy(data + HEAD, of_thread, sizeof of_thread);
    memcpy(data + HEAD + 5, conversation + HEAD + 3, GUID);
    data[HEAD + 5 + GUID] = 0x10;
    memcpy(data + HEAD + 5 + GUID + 2, own + HEAD + 3, GUID);
    return outlook_id_text(a, data, sizeof data, true);
}

int outlook_thread_id_parse(struct arena *a, const struct outlook_box *b, const char *text,
                            int64_t *ret_key)
{
    uint8_t *data, own[CONVERSATION_LEN];
    size_t n;
    if (outlook_id_bytes(a, text, &data, &n) < 0 || n != THREAD_LEN ||
        memcmp(data + HEAD, of_thread, sizeof of_thread) != 0)
        return 0;
    memcpy(own, data, HEAD);
    memcpy(own + HEAD, of_conversation, sizeof of_conversation);
    memcpy(own + HEAD + 3, data + HEAD + 5 + GUID + 2, GUID);
    return outlook_conversation_id_parse(a, b, outlook_id_text(a, own, sizeof own, true), ret_key);
}

/* ---- people ---- */

static void people_in(struct arena *a, const struct mail_message_body *body, const char *field,
                      struct mime_address **ret, size_t *ret_n)
{
    bool bad;
    mime_address_fields(a, body->head, body->head_len, field, ret, ret_n, &bad);
}

static void write_addresses(struct arena *a, struct json_writer *w, const char *member,
                            const struct mail_message_body *body, const char *field,
                            const char *without)
{
    struct mime_address *list;
    size_t n;
    people_in(a, body, field, &list, &n);
    json_arr(w, member);
    for (size_t i = 0; i < n; i++)
        if (!without || !str_eq_nocase(list[i].email, without))
            outlook_write_person(w, NULL, list[i].name, list[i].email);
    json_end(w);
}

static void write_poster(struct arena *a, struct json_writer *w, const char *member,
                         const struct mail_message_body *body, const char *field)
{
    struct mime_address *list;
    size_t n;
    people_in(a, body, field, &list, &n);
    if (!n)
        people_in(a, body, "From", &list, &n);
    if (n)
        outlook_write_person(w, member, list[0].name, list[0].email);
    else
        json_null(w, member);
}

/* ---- what posts have together ---- */

struct summary {
    const char *senders[100]; /* names, each once, the first ones first */
    size_t n;
    bool files;
    struct outlook_post newest; /* id 0: there is none */
};

static int sum_up(struct tx *tx, const struct outlook_thread *t, struct summary *s)
{
    return outlook_thread_senders(tx, t->id, s->senders, SOSIA_LEN(s->senders), &s->n, &s->files);
}

static int write_summary(struct tx *tx, const struct outlook_thread *t, const struct summary *s,
                         struct json_writer *w)
{
    const char *text = "", *html;
    size_t n = 0, html_n;
    if (s->newest.id &&
        mail_message_texts(tx, &s->newest.body, TEXT_MAX, &text, &n, &html, &html_n) < 0)
        return -1;
    json_str(w, "topic", t->topic);
    json_bool(w, "hasAttachments", s->files);
    json_str(w, "lastDeliveredDateTime", graph_date(tx->arena, t->newest_us, 0));
    json_arr(w, "uniqueSenders");
    for (size_t i = 0; i < s->n; i++)
        json_str(w, NULL, s->senders[i]);
    json_end(w);
    json_str(w, "preview", outlook_preview(tx->arena, text ? text : "", n, PREVIEW));
    return 0;
}

int outlook_write_conversation(struct call *c, const struct outlook_box *b,
                               const struct outlook_thread *newest, struct json_writer *w)
{
    struct summary *s = arena_calloc(c->tx.arena, 1, sizeof *s);
    struct outlook_thread t = {.id = 0}, first;
    int r;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    while ((r = outlook_thread_next(&c->tx, newest->team, newest->conversation, &t)) == 1)
        if (sum_up(&c->tx, &t, s) < 0)
            return -1;
    if (r == 0 && (r = outlook_post_newest(&c->tx, newest->id, &s->newest)) >= 0)
        r = outlook_thread_find(&c->tx, newest->team, newest->conversation, &first);
    if (r < 0)
        return -1;
    t = *newest;
    if (r == 1)
        t.topic = first.topic;
    json_str(w, "id", outlook_conversation_id(c->tx.arena, b, newest->conversation));
    return write_summary(&c->tx, &t, s, w);
}

int outlook_write_thread(struct call *c, const struct outlook_box *b,
                         const struct outlook_thread *t, struct json_writer *w)
{
    struct summary *s = arena_calloc(c->tx.arena, 1, sizeof *s);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (sum_up(&c->tx, t, s) < 0 || outlook_post_newest(&c->tx, t->id, &s->newest) < 0)
        return -1;
    json_str(w, "id", outlook_thread_id(c->tx.arena, b, t));
    if (write_summary(&c->tx, t, s, w) < 0)
        return -1;
    json_bool(w, "isLocked", t->locked);
    write_addresses(c->tx.arena, w, "toRecipients", &s->newest.body, "To", NULL);
    write_addresses(c->tx.arena, w, "ccRecipients", &s->newest.body, "Cc", NULL);
    return 0;
}

/* ---- a post ---- */

static int write_post_body(struct call *c, const struct outlook_box *b,
                           const struct outlook_post *p, struct json_writer *w)
{
    struct arena *a = c->tx.arena;
    const char *text, *html;
    size_t n, html_n;
    if (mail_message_texts(&c->tx, &p->body, OUTLOOK_MAX_MESSAGE, &text, &n, &html, &html_n) < 0)
        return -1;
    json_obj(w, "body");
    json_str(w, "contentType", b->text ? "text" : "html");
    json_str(w, "content",
             b->text ? outlook_text_lines(a, text ? text : "", n)
             : html  ? outlook_html_page(a, html, html_n)
                     : outlook_html_of_text(a, text ? text : "", n));
    json_end(w);
    return 0;
}

int outlook_write_post(struct call *c, const struct outlook_box *b, const struct outlook_thread *t,
                       const struct outlook_post *p, struct json_writer *w)
{
    struct arena *a = c->tx.arena;
    const char *key = outlook_change_key(a, b, p->id, 0), *came = graph_date(a, p->came_us, 0);
    json_str(w, "@odata.etag", arena_printf(a, "W/\"%s\"", key));
    json_str(w, "id",
             outlook_message_id(a, b, p->key, mail_folder_id(b->mailbox.id, FOLDER_INBOX)));
    json_str(w, "createdDateTime", came);
    json_str(w, "lastModifiedDateTime", came);
    json_str(w, "changeKey", key);
    json_arr(w, "categories");
    json_end(w);
    json_str(w, "receivedDateTime", came);
    json_bool(w, "hasAttachments", outlook_has_attachments(&p->body.mime));
    json_str(w, "conversationThreadId", outlook_thread_id(a, b, t));
    json_str(w, "conversationId", outlook_conversation_id(a, b, t->conversation));
    if (write_post_body(c, b, p, w) < 0)
        return -1;
    write_poster(a, w, "from", &p->body, "From");
    write_poster(a, w, "sender", &p->body, "Sender");
    write_addresses(a, w, "newParticipants", &p->body, "Cc", t->team);
    return arena_failed(a) ? sosia_fail_memory(c->tx.err) : 0;
}

int outlook_write_post_files(struct call *c, const struct outlook_box *b,
                             const struct outlook_post *p)
{
    const struct outlook_item item = {
        .message = {.folder = mail_folder_id(b->mailbox.id, FOLDER_INBOX), .key = p->key},
        .key = p->key,
        .modified_us = p->came_us};
    return outlook_write_attachments(c, b, &item, &p->body, NULL);
}
