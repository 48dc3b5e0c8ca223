/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations of groups: read, begun, answered and deleted. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/outlook/letter.h"
#include "services/mail/outlook/posts/post.h"
#include "services/mail/outlook/rows.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/store_id.h"
#include <strings.h>

enum { PAGE = 20 };

/* ---- whose ---- */

/* A group's mailbox, and what the caller may do there. */
struct team {
    struct outlook_box box; /* as far as ids and texts need it */
    struct ms_group group;
    bool writes;
};

/* Members, owners and apps write; of a public group all users of the tenant read, but for guests.
 * 0, -1. */
static int check_rights(struct call *c, struct team *t, bool write)
{
    struct ms_user user = {.guest = true};
    const char *address;
    int r = graph_app_only(c) ? 0 : ms_user_of_actor(&c->tx, c->actor.id, t->group.tenant, &user);
    t->writes = graph_app_only(c);
    if (r == 1 && ms_user_address(&c->tx, &user, &address) < 0)
        return -1;
    if (r == 1) {
        r = group_has_member(&c->tx, t->group.addresses, address);
        if (r == 0)
            r = ms_owner_is(&c->tx, t->group.id, user.id);
        t->writes = r == 1;
    }
    if (r < 0)
        return -1;
    const bool reads =
        t->writes ||
        (!user.guest && (!t->group.visibility || strcmp(t->group.visibility, "Public") == 0));
    return t->writes || (reads && !write) ? 0 : graph_denied(c);
}

static int open_team(struct call *c, bool write, struct team *ret)
{
    const char *type = graph_prefer(c, "outlook.body-content-type");
    struct ms_tenant tenant;
    struct graph_store store;
    *ret = (struct team){.writes = false};
    if (ms_group_of_path(c, &tenant, &ret->group) < 0 || check_rights(c, ret, write) < 0)
        return -1;
    graph_store_of(c->tx.arena, tenant.guid, ret->group.email, &store);
    memcpy(ret->box.guid, store.mailbox, sizeof store.mailbox);
    memcpy(ret->box.provider, store.provider, sizeof ret->box.provider);
    memcpy(ret->box.store, store.replica, sizeof ret->box.store);
    ret->box.user.key = ret->group.oid;
    ret->box.text = type && str_eq_nocase(type, "text");
    if (ret->box.text)
        graph_applied(c, "outlook.body-content-type", "text", true);
    return 0;
}

static int no_item(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "ErrorItemNotFound", NULL,
                     "The specified object was not found in the store.");
}

/* The conversation of the path, if it names one: its key, else 0. */
static int conversation_of_path(struct call *c, const struct team *t, int64_t *ret)
{
    const char *id = param_str(c, "conversation-id");
    struct outlook_thread any = {.id = 0};
    *ret = 0;
    if (!id)
        return 0;
    if (outlook_conversation_id_parse(c->tx.arena, &t->box, id, ret) != 1)
        return graph_bad_id(c);
    int r = outlook_thread_next(&c->tx, t->group.email, *ret, &any);
    return r == 1 ? 0 : r < 0 ? -1 : no_item(c);
}

static int thread_of_path(struct call *c, const struct team *t, struct outlook_thread *ret)
{
    int64_t conversation, key;
    if (conversation_of_path(c, t, &conversation) < 0)
        return -1;
    if (outlook_thread_id_parse(c->tx.arena, &t->box, param_str(c, "thread-id"), &key) != 1)
        return graph_bad_id(c);
    int r = outlook_thread_find(&c->tx, t->group.email, key, ret);
    if (r == 1 && conversation && ret->conversation != conversation)
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : no_item(c);
}

static int post_of_path(struct call *c, const struct team *t, struct outlook_thread *thread,
                        struct outlook_post *ret)
{
    int64_t key, place;
    bool immutable;
    if (thread_of_path(c, t, thread) < 0)
        return -1;
    if (outlook_message_id_parse(c->tx.arena, &t->box, param_str(c, "post-id"), &key, &place,
                                 &immutable) != 1)
        return graph_bad_id(c);
    int r = outlook_post_find(&c->tx, thread->id, key, ret);
    return r == 1 ? 0 : r < 0 ? -1 : no_item(c);
}

/* "groups('id')/conversations('x')/threads", as the caller wrote it: of contexts. */
static const char *at(struct call *c, const struct team *t, const char *what)
{
    struct arena *a = c->tx.arena;
    const char *conversation = param_str(c, "conversation-id"), *thread = param_str(c, "thread-id");
    const bool below = strcmp(what, "threads") != 0 && strcmp(what, "conversations") != 0;
    return ARENA_JOIN(
        a, "groups", graph_key(a, t->group.oid),
        conversation && strcmp(what, "conversations") != 0 ? "/conversations" : "",
        conversation && strcmp(what, "conversations") != 0 ? graph_key(a, conversation) : "",
        below && thread ? "/threads" : "", below && thread ? graph_key(a, thread) : "", "/", what);
}

/* ---- things, with options ---- */

enum kind { A_CONVERSATION, A_THREAD, A_POST };
static const char *const types[] = {"conversation", "conversationThread", "post"};
static const char *const sets[] = {"conversations", "threads", "posts"};

struct thing {
    enum kind kind;
    struct outlook_thread thread; /* of a post: its */
    struct outlook_post post;
};

static int write_thing(struct call *c, const struct team *t, const struct thing *x,
                       struct json_writer *w)
{
    return x->kind == A_CONVERSATION ? outlook_write_conversation(c, &t->box, &x->thread, w)
           : x->kind == A_THREAD     ? outlook_write_thread(c, &t->box, &x->thread, w)
                                     : outlook_write_post(c, &t->box, &x->thread, &x->post, w);
}

/* The post that another one answers: 1, 0, -1. */
static int replied_to(struct call *c, const struct thing *x, struct outlook_post *ret)
{
    const char *text = mime_header(c->tx.arena, x->post.body.head, x->post.body.head_len,
                                   "In-Reply-To"),
               **ids;
    size_t n = 0;
    if (text)
        mime_ids(c->tx.arena, text, &ids, &n);
    return n ? outlook_post_of_message(&c->tx, x->thread.team,
                                       arena_printf(c->tx.arena, "<%s>", ids[0]), ret)
             : 0;
}

static int write_posts(struct call *c, const struct team *t, const struct outlook_thread *thread)
{
    struct outlook_post p = {.id = 0};
    int r;
    json_arr(c->out, "posts");
    while ((r = outlook_post_next(&c->tx, thread->id, p.id, &p)) == 1) {
        json_obj(c->out, NULL);
        if (outlook_write_post(c, &t->box, thread, &p, c->out) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    return r;
}

static int write_threads(struct call *c, const struct team *t, int64_t conversation,
                         const struct odata_query *q)
{
    struct outlook_thread thread = {.id = 0};
    int r;
    json_arr(c->out, "threads");
    while ((r = outlook_thread_next(&c->tx, t->group.email, conversation, &thread)) == 1) {
        json_obj(c->out, NULL);
        if (outlook_write_thread(c, &t->box, &thread, c->out) < 0 ||
            (odata_expands(q, "posts") && write_posts(c, t, &thread) < 0))
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    return r;
}

/* What $expand names, into the open object. */
static int write_expanded(struct call *c, const struct team *t, const struct thing *x,
                          const struct odata_query *q)
{
    struct outlook_thread thread; /* of what is answered, which may be another one */
    struct outlook_post other;
    int r = 0;
    if (x->kind == A_CONVERSATION) {
        const struct odata_expand *e = odata_expands(q, "threads");
        return e ? write_threads(c, t, x->thread.conversation, e->query) : 0;
    }
    if (x->kind == A_THREAD)
        return odata_expands(q, "posts") ? write_posts(c, t, &x->thread) : 0;
    if (odata_expands(q, "attachments")) {
        json_arr(c->out, "attachments");
        if (outlook_write_post_files(c, &t->box, &x->post) < 0)
            return -1;
        json_end(c->out);
    }
    if (odata_expands(q, "inReplyTo") && (r = replied_to(c, x, &other)) == 1) {
        if (outlook_thread_by_id(&c->tx, other.thread, &thread) != 1)
            return -1;
        json_obj(c->out, "inReplyTo");
        r = outlook_write_post(c, &t->box, &thread, &other, c->out);
        json_end(c->out);
    }
    return r < 0 ? -1 : 0;
}

static int answer_thing(struct call *c, const struct team *t, const struct thing *x)
{
    struct odata_query q;
    if (outlook_options(c, types[x->kind], &q) < 0 || outlook_select(c, &q, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/$entity", at(c, t, sets[x->kind]), odata_context(c->tx.arena, &q));
    if (write_thing(c, t, x, c->out) < 0 || write_expanded(c, t, x, &q) < 0)
        return -1;
    json_end(c->out);
    return 0;
}

/* ---- lists ---- */

/* The thing behind *x in a list, or the first one; of a post its row's number alone: 1, 0, -1. */
static int next_thing(struct call *c, const struct team *t, int64_t conversation, struct thing *x)
{
    if (x->kind == A_CONVERSATION)
        return outlook_conversation_next(&c->tx, t->group.email, &x->thread);
    if (x->kind == A_THREAD)
        return outlook_thread_next(&c->tx, t->group.email, conversation, &x->thread);
    return outlook_post_next_id(&c->tx, x->thread.id, x->post.id, &x->post.id);
}

/* Does $filter hold? 1, 0, -1. */
static int is_asked_for(struct call *c, const struct team *t, const struct odata_query *q,
                        const struct thing *x)
{
    struct odata_ctx ctx = {.arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us};
    const struct json *v;
    struct json_writer w;
    struct buf b;
    if (!q->filter)
        return 1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    int r = write_thing(c, t, x, &w);
    json_end(&w);
    if (r == 0 && buf_failed(&b))
        r = sosia_fail_memory(c->tx.err);
    if (r == 0) {
        const char *text = arena_memdup(c->tx.arena, b.data, b.len);
        r = json_parse(c->tx.arena, text, b.len, NULL, &v, c->tx.err);
    }
    buf_done(&b);
    return r < 0 ? -1 : odata_matches(&ctx, q->filter, v);
}

static int list_things(struct call *c, const struct team *t, struct thing *x, int64_t conversation)
{
    struct odata_query q;
    size_t from, page, seen = 0, n = 0;
    bool more = false;
    int r = 1;
    if (outlook_options(c, types[x->kind], &q) < 0 || outlook_page(c, &q, PAGE, &from, &page) < 0 ||
        outlook_select(c, &q, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s", at(c, t, sets[x->kind]), odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    while ((r = next_thing(c, t, conversation, x)) == 1) {
        if (!q.filter && seen < from) {
            seen++;
            continue;
        }
        if (x->kind == A_POST && outlook_post_by_id(&c->tx, x->post.id, &x->post) != 1)
            return -1;
        if ((r = is_asked_for(c, t, &q, x)) < 0)
            return -1;
        if (r == 0 || seen++ < from)
            continue;
        if (n == page) {
            more = true;
            break;
        }
        json_obj(c->out, NULL);
        if (write_thing(c, t, x, c->out) < 0 || write_expanded(c, t, x, &q) < 0)
            return -1;
        json_end(c->out);
        n++;
    }
    json_end(c->out);
    if (more)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skip", arena_printf(c->tx.arena, "%zu", from + n)));
    json_end(c->out);
    return r < 0 ? -1 : 0;
}

static int conversations_list(struct call *c)
{
    struct thing x = {.kind = A_CONVERSATION};
    struct team t;
    return open_team(c, false, &t) < 0 ? -1 : list_things(c, &t, &x, 0);
}

static int conversations_get(struct call *c)
{
    struct thing x = {.kind = A_CONVERSATION};
    struct team t;
    int64_t key;
    if (open_team(c, false, &t) < 0 || conversation_of_path(c, &t, &key) < 0 ||
        outlook_thread_next(&c->tx, t.group.email, key, &x.thread) != 1)
        return -1;
    return answer_thing(c, &t, &x);
}

static int threads_list(struct call *c)
{
    struct thing x = {.kind = A_THREAD};
    struct team t;
    int64_t key;
    return open_team(c, false, &t) < 0 || conversation_of_path(c, &t, &key) < 0
               ? -1
               : list_things(c, &t, &x, key);
}

static int threads_get(struct call *c)
{
    struct thing x = {.kind = A_THREAD};
    struct team t;
    return open_team(c, false, &t) < 0 || thread_of_path(c, &t, &x.thread) < 0
               ? -1
               : answer_thing(c, &t, &x);
}

static int posts_list(struct call *c)
{
    struct thing x = {.kind = A_POST};
    struct team t;
    return open_team(c, false, &t) < 0 || thread_of_path(c, &t, &x.thread) < 0
               ? -1
               : list_things(c, &t, &x, 0);
}

static int posts_get(struct call *c)
{
    struct thing x = {.kind = A_POST};
    struct team t;
    return open_team(c, false, &t) < 0 || post_of_path(c, &t, &x.thread, &x.post) < 0
               ? -1
               : answer_thing(c, &t, &x);
}

static int files_list(struct call *c)
{
    struct thing x = {.kind = A_POST};
    struct odata_query q;
    struct team t;
    if (open_team(c, false, &t) < 0 || post_of_path(c, &t, &x.thread, &x.post) < 0 ||
        outlook_options(c, "attachment", &q) < 0 || outlook_select(c, &q, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/attachments%s", at(c, &t, "posts"),
                  graph_key(c->tx.arena, param_str(c, "post-id")), odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    int r = outlook_write_post_files(c, &t.box, &x.post);
    json_end(c->out);
    json_end(c->out);
    return r;
}

/* ---- posting ---- */

static int no_post(struct call *c, const char *name)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidArgument", NULL,
                     "The argument '%s' is missing or invalid.", name);
}

/* Takes up what is posted: the caller writes to the group, and to new participants. */
static int take_post(struct call *c, const struct team *t, const struct json *post,
                     struct outlook_letter *l)
{
    const struct json *people = json_get(post, "newParticipants");
    struct mime_address *list = arena_calloc(c->tx.arena, 2, sizeof *list);
    outlook_letter_new(c, &t->box, l);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (outlook_letter_read(c, post, l) < 0)
        return -1;
    list[0] = (struct mime_address){t->group.name, t->group.email};
    list[1] = (struct mime_address){c->actor.name, c->actor.email};
    l->people[LETTER_TO] = (struct outlook_people){list, 1};
    l->people[LETTER_FROM] = (struct outlook_people){list + 1, 1};
    l->people[LETTER_SENDER] = l->people[LETTER_BCC] = l->people[LETTER_REPLY_TO] =
        (struct outlook_people){NULL, 0};
    l->people[LETTER_CC] = (struct outlook_people){NULL, 0};
    l->message_id = NULL;
    if (people && people->type == JSON_ARRAY && people->n >= MAIL_MAX_RECIPIENTS)
        return no_post(c, "newParticipants");
    if (people && people->type == JSON_ARRAY) {
        struct mime_address *cc = arena_calloc(c->tx.arena, people->n + 1, sizeof *cc);
        size_t n = 0;
        if (arena_failed(c->tx.arena))
            return sosia_fail_memory(c->tx.err);
        for (uint32_t i = 0; i < people->n; i++) {
            const struct json *e = json_get(&people->items[i], "emailAddress");
            const char *email = json_get_str(e, "address");
            if (!email || !email_normal(c->tx.arena, email))
                return no_post(c, "newParticipants");
            cc[n++] = (struct mime_address){json_get_str(e, "name"), email};
        }
        l->people[LETTER_CC] = (struct outlook_people){cc, n};
    }
    return outlook_new_message_id(&c->tx, &l->message_id);
}

/* Sends it; the post that it has become. 0, -1. */
static int put_out(struct call *c, const struct team *t, struct outlook_letter *l,
                   struct outlook_post *ret)
{
    const struct outlook_people *cc = &l->people[LETTER_CC];
    const char **to = arena_calloc(c->tx.arena, cc->n + 1, sizeof *to), *raw;
    struct mailbox own = {.id = 0};
    size_t n;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (outlook_letter_raw(c, NULL, l, 0, &raw, &n) < 0 ||
        mailbox_of(&c->tx, c->actor.id, &own) < 0)
        return -1;
    to[0] = t->group.email;
    for (size_t i = 0; i < cc->n; i++)
        to[i + 1] = cc->list[i].email;
    const struct mail_carry carry = {.sender = c->actor.email,
                                     .raw = raw,
                                     .len = n,
                                     .to = to,
                                     .n_to = cc->n + 1,
                                     .not_to = own.id};
    if (mail_carry(&c->tx, &carry) < 0)
        return outlook_refused(c);
    int r = outlook_post_of_message(&c->tx, t->group.email, l->message_id, ret);
    return r == 1 ? 0 : r < 0 ? -1 : no_item(c);
}

/* The first post of a thread that a body has. */
static int begin_thread(struct call *c, const struct team *t, const struct json *thread,
                        const char *topic, int64_t conversation, struct outlook_thread *ret)
{
    const struct json *posts = json_get(thread, "posts");
    struct outlook_letter l;
    struct outlook_post post;
    if (!posts || posts->type != JSON_ARRAY || !posts->n || posts->items[0].type != JSON_OBJECT)
        return no_post(c, "posts");
    if (take_post(c, t, &posts->items[0], &l) < 0)
        return -1;
    if (json_get_str(thread, "topic"))
        topic = json_get_str(thread, "topic");
    l.subject = topic ? topic : "";
    if (put_out(c, t, &l, &post) < 0 || outlook_thread_by_id(&c->tx, post.thread, ret) != 1)
        return -1;
    if (!conversation)
        return 0;
    return outlook_thread_move(&c->tx, ret, conversation);
}

static void say_posted(struct call *c, const struct team *t, const char *set, const char *id)
{
    graph_created(c, arena_printf(c->tx.arena, "/groups('%s')/%s('%s')", t->group.oid, set, id));
}

static int conversations_create(struct call *c)
{
    const struct json *body, *threads;
    struct outlook_thread thread;
    struct team t;
    if (open_team(c, true, &t) < 0 || !(body = call_body(c)))
        return -1;
    threads = json_get(body, "threads");
    if (!threads || threads->type != JSON_ARRAY || !threads->n ||
        threads->items[0].type != JSON_OBJECT)
        return no_post(c, "threads");
    if (begin_thread(c, &t, &threads->items[0], json_get_str(body, "topic"), 0, &thread) < 0)
        return -1;
    const char *id = outlook_conversation_id(c->tx.arena, &t.box, thread.conversation);
    say_posted(c, &t, "conversations", id);
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", at(c, &t, "conversations"));
    json_str(c->out, "id", id);
    json_arr(c->out, "threads");
    json_obj(c->out, NULL);
    json_str(c->out, "id", outlook_thread_id(c->tx.arena, &t.box, &thread));
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int threads_create(struct call *c)
{
    struct outlook_thread thread, first = {.id = 0};
    const struct json *body;
    struct team t;
    int64_t conversation;
    if (open_team(c, true, &t) < 0 || conversation_of_path(c, &t, &conversation) < 0 ||
        !(body = call_body(c)))
        return -1;
    int r = conversation ? outlook_thread_next(&c->tx, t.group.email, conversation, &first) : 0;
    if (r < 0 || begin_thread(c, &t, body, r == 1 ? first.topic : NULL, conversation, &thread) < 0)
        return -1;
    const char *id = outlook_thread_id(c->tx.arena, &t.box, &thread);
    say_posted(c, &t, "threads", id);
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", at(c, &t, "threads"));
    json_str(c->out, "id", id);
    json_end(c->out);
    return 0;
}

/* A post in a thread, behind another one. */
static int answer_post(struct call *c, const struct team *t, const struct outlook_thread *thread,
                       const struct outlook_post *to)
{
    const struct json *body = call_body(c), *post = body ? json_get(body, "post") : NULL;
    struct outlook_letter l;
    struct outlook_post made;
    struct arena *a = c->tx.arena;
    if (!body)
        return -1;
    if (!post || post->type != JSON_OBJECT)
        return no_post(c, "post");
    if (thread->locked)
        return call_fail(c, SOSIA_E_FORBIDDEN, "ErrorAccessDenied", NULL,
                         "Access is denied. Check credentials and try again.");
    if (take_post(c, t, post, &l) < 0)
        return -1;
    const char *id = mime_header(a, to->body.head, to->body.head_len, "Message-ID");
    const char *before = mime_header(a, to->body.head, to->body.head_len, "References");
    l.subject = strncasecmp(thread->topic, "re:", 3) == 0
                    ? thread->topic
                    : arena_printf(a, "RE: %s", thread->topic);
    l.topic = thread->topic;
    l.in_reply_to = id;
    l.references = id && before ? arena_printf(a, "%s %s", before, id) : id;
    c->status = 202;
    return put_out(c, t, &l, &made);
}

static int threads_reply(struct call *c)
{
    struct outlook_thread thread;
    struct outlook_post post;
    struct team t;
    if (open_team(c, true, &t) < 0 || thread_of_path(c, &t, &thread) < 0 ||
        outlook_post_newest(&c->tx, thread.id, &post) != 1)
        return -1;
    return answer_post(c, &t, &thread, &post);
}

static int posts_reply(struct call *c)
{
    struct outlook_thread thread;
    struct outlook_post post;
    struct team t;
    return open_team(c, true, &t) < 0 || post_of_path(c, &t, &thread, &post) < 0
               ? -1
               : answer_post(c, &t, &thread, &post);
}

/* toRecipients, and nothing else that a letter may have. 0, -1. */
static int read_to(struct call *c, const struct json *body, struct outlook_letter *l)
{
    const struct json *to = json_get(body, "toRecipients");
    if (!to || to->type != JSON_ARRAY || !to->n)
        return no_post(c, "toRecipients");
    struct json_member member = {.key = "toRecipients", .key_len = 12, .value = *to};
    const struct json wrapped = {.type = JSON_OBJECT, .n = 1, .members = &member};
    return outlook_letter_read(c, &wrapped, l);
}

/* Sends it to those whom it is for. 0, -1. */
static int send_on(struct call *c, struct outlook_letter *l)
{
    const struct outlook_people *people = &l->people[LETTER_TO];
    const char **to = arena_calloc(c->tx.arena, people->n + 1, sizeof *to), *raw;
    size_t n;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < people->n; i++)
        if (!(to[i] = email_normal(c->tx.arena, people->list[i].email)))
            return no_post(c, "toRecipients");
    if (!people->n)
        return no_post(c, "toRecipients");
    if (outlook_new_message_id(&c->tx, &l->message_id) < 0 ||
        outlook_letter_raw(c, NULL, l, 0, &raw, &n) < 0)
        return -1;
    const struct mail_carry carry = {.sender = l->people[LETTER_FROM].list[0].email,
                                     .raw = raw,
                                     .len = n,
                                     .to = to,
                                     .n_to = people->n};
    return mail_carry(&c->tx, &carry) < 0 ? outlook_refused(c) : 0;
}

/* A post goes on with its files, quoted below the comment as a message that is forwarded; what an
 * app sends by itself is the group's. */
static int posts_forward(struct call *c)
{
    const struct json *body;
    struct outlook_thread thread;
    struct outlook_letter l, old;
    struct outlook_post post;
    struct team t;
    if (open_team(c, true, &t) < 0 || post_of_path(c, &t, &thread, &post) < 0 ||
        !(body = call_body(c)))
        return -1;
    outlook_letter_new(c, &t.box, &l);
    if (read_to(c, body, &l) < 0 ||
        outlook_letter_of_body(c, &post.body, post.came_us / US_PER_SECOND, &old) < 0)
        return -1;
    struct mime_address *me = arena_calloc(c->tx.arena, 1, sizeof *me);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    *me = graph_app_only(c) ? (struct mime_address){t.group.name, t.group.email}
                            : (struct mime_address){c->actor.name, c->actor.email};
    l.people[LETTER_FROM] = (struct outlook_people){me, 1};
    l.subject = arena_printf(c->tx.arena, "FW: %s", thread.topic);
    l.text = NULL;
    l.html = outlook_quoted(c, &old, json_get_str(body, "comment"));
    l.files = old.files;
    l.n_files = old.n_files;
    return send_on(c, &l);
}

/* ---- changing and deleting ---- */

static int threads_update(struct call *c)
{
    const struct json *body, *locked;
    struct thing x = {.kind = A_THREAD};
    struct team t;
    if (open_team(c, true, &t) < 0 || thread_of_path(c, &t, &x.thread) < 0 ||
        !(body = call_body(c)))
        return -1;
    locked = json_get(body, "isLocked");
    if (locked && locked->type == JSON_BOOL)
        x.thread.locked = locked->truth;
    return outlook_thread_save(&c->tx, &x.thread) < 0 ? -1 : answer_thing(c, &t, &x);
}

static int threads_delete(struct call *c)
{
    struct outlook_thread thread;
    struct team t;
    if (open_team(c, true, &t) < 0 || thread_of_path(c, &t, &thread) < 0)
        return -1;
    c->status = 204;
    return outlook_thread_drop(&c->tx, thread.id);
}

static int conversations_delete(struct call *c)
{
    struct outlook_thread thread = {.id = 0};
    struct team t;
    int64_t key;
    int r;
    if (open_team(c, true, &t) < 0 || conversation_of_path(c, &t, &key) < 0)
        return -1;
    c->status = 204;
    while ((r = outlook_thread_next(&c->tx, t.group.email, key, &thread)) == 1)
        if (outlook_thread_drop(&c->tx, thread.id) < 0)
            return -1;
    return r;
}

/* ---- the methods ---- */

#define TEAM_READ                                                                                  \
    "Group-Conversation.Read.All Group-Conversation.ReadWrite.All Group.Read.All "                 \
    "Group.ReadWrite.All"
#define TEAM_WRITE            "Group-Conversation.ReadWrite.All Group.ReadWrite.All"
#define OF_GROUP(rest)        GRAPH("/groups/{group-id}" rest)
#define OF_CONVERSATION(rest) OF_GROUP("/conversations/{conversation-id}" rest)
#define OF_THREAD(rest)                                                                            \
    OF_GROUP("/threads/{thread-id}" rest), OF_CONVERSATION("/threads/{thread-id}" rest)
#define OPTION(name_)                                                                              \
    {                                                                                              \
        .name = "$" name_, .place = IN_QUERY                                                       \
    }
#define KEYS                                                                                       \
    PATH_PARAM("group-id"), PATH_PARAM("conversation-id"), PATH_PARAM("thread-id"),                \
        PATH_PARAM("post-id")
static const struct param params[] = {KEYS};
static const struct param get_params[] = {KEYS, OPTION("expand"), OPTION("select")};
static const struct param list_params[] = {KEYS, OPTION("expand"), OPTION("filter"),
                                           OPTION("select"), OPTION("top")};
#define READS(name, fn, given, type, text, ...)                                                    \
    {                                                                                              \
        .id = "outlook.groups." name, .verbs = GET, .paths = PATHS(__VA_ARGS__), .handler = (fn),  \
        .risk = RISK_READ, .scopes = TEAM_READ, PARAMS(given),                                     \
        .response = "microsoft.graph." type, .summary = (text)                                     \
    }
/* People alone post. */
#define POSTS(name, fn, code, type, answer, text, ...)                                             \
    {                                                                                              \
        .id = "outlook.groups." name, .verbs = POST, .paths = PATHS(__VA_ARGS__), .handler = (fn), \
        .risk = RISK_EXTERNAL, .body = BODY_JSON, .token_kinds = TOKEN_USER, .scopes = TEAM_WRITE, \
        PARAMS(params), .status = (code), .request = "microsoft.graph." type,                      \
        .response = (answer), .summary = (text)                                                    \
    }
#define DROPS(name, fn, text, ...)                                                                 \
    {                                                                                              \
        .id = "outlook.groups." name, .verbs = DELETE, .paths = PATHS(__VA_ARGS__),                \
        .handler = (fn), .risk = RISK_DESTRUCTIVE, .scopes = TEAM_WRITE, PARAMS(params),           \
        .status = 204, .summary = (text)                                                           \
    }

static const struct route routes[] = {
    READS("conversations.list", conversations_list, list_params, "conversationCollection",
          "Conversations of a group, the newest first", OF_GROUP("/conversations")),
    READS("conversations.get", conversations_get, get_params, "conversation", "A conversation",
          OF_CONVERSATION("")),
    POSTS("conversations.create", conversations_create, 201, "conversation",
          "microsoft.graph.conversation", "Begins a conversation with a thread and a post",
          OF_GROUP("/conversations")),
    DROPS("conversations.delete", conversations_delete, "Deletes a conversation with its threads",
          OF_CONVERSATION("")),
    READS("threads.list", threads_list, list_params, "conversationThreadCollection",
          "Threads of a group or of a conversation, the newest first", OF_GROUP("/threads"),
          OF_CONVERSATION("/threads")),
    READS("threads.get", threads_get, get_params, "conversationThread", "A thread", OF_THREAD("")),
    POSTS("threads.create", threads_create, 201, "conversationThread",
          "microsoft.graph.conversationThread", "Begins a thread with a post", OF_GROUP("/threads"),
          OF_CONVERSATION("/threads")),
    {ROUTE("outlook.groups.threads.update", PATCH, OF_THREAD("")), .handler = threads_update,
     .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON, .scopes = TEAM_WRITE,
     PARAMS(params), .request = "microsoft.graph.conversationThread",
     .response = "microsoft.graph.conversationThread",
     .summary = "Locks a thread, or lets people post again"},
    DROPS("threads.delete", threads_delete, "Deletes a thread with its posts", OF_THREAD("")),
    POSTS("threads.reply", threads_reply, 202, "post.reply", NULL, "Posts in a thread",
          OF_THREAD("/reply")),
    READS("posts.list", posts_list, list_params, "postCollection",
          "Posts of a thread, the oldest first", OF_THREAD("/posts")),
    READS("posts.get", posts_get, get_params, "post", "A post", OF_THREAD("/posts/{post-id}")),
    POSTS("posts.reply", posts_reply, 202, "post.reply", NULL, "Answers a post",
          OF_THREAD("/posts/{post-id}/reply")),
    {ROUTE("outlook.groups.posts.forward", POST, OF_THREAD("/posts/{post-id}/forward")),
     .handler = posts_forward, .risk = RISK_EXTERNAL, .body = BODY_JSON, .scopes = TEAM_WRITE,
     PARAMS(params), .request = "microsoft.graph.forward", .summary = "Sends a post to others"},
    READS("posts.attachments.list", files_list, get_params, "attachmentCollection",
          "Attachments of a post", OF_THREAD("/posts/{post-id}/attachments")),
};
const struct rows outlook_conversation_rows = ROWS(routes);
