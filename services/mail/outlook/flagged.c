/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with a flag, for the dialect of tasks (vendors/microsoft/flagged.h). */
#include "services/mail/outlook/flagged.h"
#include "engine/text/civil.h"
#include "services/mail/core/folder.h"
#include "services/mail/core/search.h"
#include "services/mail/outlook/outlook.h"

enum { BATCH = 500 };

/* 1 a mailbox of Outlook's, 0, -1. */
static int is_ours(struct tx *tx, const struct mailbox *mb)
{
    const struct mail_vendor *v = mail_vendor_of(tx, mb->id);
    return !v ? -1 : v == &outlook_vendor;
}

static int owner(struct tx *tx, int64_t scope, int64_t *ret_account)
{
    struct mailbox mb;
    int r = mailbox_by_id(tx, scope, &mb);
    if (r == 1)
        r = is_ours(tx, &mb);
    if (r == 1)
        *ret_account = mb.account;
    return r;
}

/* Adds the messages of a question to the list. 0, -1. */
static int add_all(struct tx *tx, struct mail_list question, int64_t **list, size_t *n, size_t *cap)
{
    struct mail_message *found;
    size_t n_found;
    bool more = true;
    question.limit = BATCH;
    while (more) {
        if (mail_list(tx, &question, &found, &n_found, &more) < 0)
            return -1;
        for (size_t i = 0; i < n_found; i++) {
            if (!(*list = arena_grow(tx->arena, *list, *n, cap, sizeof **list)))
                return sosia_fail_memory(tx->err);
            (*list)[(*n)++] = question.before = found[i].id;
        }
        more = more && n_found;
    }
    return 0;
}

static int list(struct tx *tx, int64_t scope, int64_t **ret, size_t *ret_n)
{
    const struct search set = {.kind = SEARCH_FLAGS, .bits = FLAG(KEYWORD_FLAGGED)},
                        complete = {
                            .kind = SEARCH_PROPERTY, .bits = ASKED_FLAG, .id = FLAG_COMPLETE};
    size_t cap = 0;
    *ret = NULL;
    *ret_n = 0;
    return add_all(tx, (struct mail_list){.mailbox = scope, .query = &set}, ret, ret_n, &cap) < 0
               ? -1
               : add_all(tx, (struct mail_list){.mailbox = scope, .query = &complete}, ret, ret_n,
                         &cap);
}

static int64_t time_of(int64_t us)
{
    return us == MAIL_NO_TIME ? 0 : us;
}

/* Places whose messages nobody has to follow up. */
static bool is_left(const struct mail_message *m)
{
    const int64_t place = mail_folder_place(m->folder);
    return place == FOLDER_TRASH || place == FOLDER_JUNK;
}

static int describe_flag(struct tx *tx, const struct mailbox *mb, const struct outlook_item *i,
                         struct graph_flagged *ret)
{
    struct mail_property p;
    struct outlook_box b;
    const char *head, *subject;
    size_t len;
    *ret = (struct graph_flagged){.key = i->key};
    if (mail_property_get(tx, &i->message, &p) < 0)
        return -1;
    if (p.flag == FLAG_NONE || is_left(&i->message))
        return 0;
    if (outlook_box_of(tx, mb, &b) < 0 || mail_message_head(tx, &i->message, &head, &len) < 0)
        return -1;
    subject = mime_header(tx->arena, head, len, "Subject");
    ret->id = outlook_message_id(tx->arena, &b, i->key, i->message.folder);
    ret->subject = subject ? subject : "";
    ret->web_url = outlook_web_link(tx->arena, ret->id);
    ret->importance = p.importance;
    ret->came_us = i->message.at_s * US_PER_SECOND;
    ret->complete = p.flag == FLAG_COMPLETE;
    ret->start_us = time_of(p.flag_from_us);
    ret->due_us = time_of(p.flag_due_us);
    ret->done_us = ret->complete ? time_of(p.flag_done_us) : 0;
    return 1;
}

static int of(struct tx *tx, int64_t scope, int64_t entity, struct graph_flagged *ret)
{
    struct mailbox mb;
    struct mail_message m;
    struct outlook_item i;
    *ret = (struct graph_flagged){.key = 0};
    int r = mail_message_by_id(tx, entity, &m);
    if (r == 1)
        r = m.mailbox == scope ? mailbox_by_id(tx, scope, &mb) : 0;
    if (r == 1)
        r = outlook_item_of(tx, &m, &i) < 0 ? -1 : describe_flag(tx, &mb, &i, ret);
    return r;
}

static int flagged_item(struct tx *tx, int64_t account, int64_t key, struct mailbox *ret_box,
                        struct outlook_item *ret)
{
    int r = mailbox_of_account(tx, account, ret_box);
    if (r == 1)
        r = is_ours(tx, ret_box);
    return r == 1 ? outlook_item_get(tx, ret_box->id, key, ret) : r;
}

static int find_flag(struct tx *tx, int64_t account, int64_t key, struct graph_flagged *ret)
{
    struct outlook_item i;
    struct mailbox mb;
    *ret = (struct graph_flagged){.key = 0};
    int r = flagged_item(tx, account, key, &mb, &i);
    return r == 1 ? describe_flag(tx, &mb, &i, ret) : r;
}

static int set(struct tx *tx, int64_t account, int64_t key, const struct graph_flagged *to)
{
    struct mail_property p;
    struct outlook_item i;
    struct mailbox mb;
    int r = flagged_item(tx, account, key, &mb, &i);
    if (r != 1)
        return r;
    if (mail_property_get(tx, &i.message, &p) < 0)
        return -1;
    const int64_t change = i.message.change;
    p.flag = !to ? FLAG_NONE : to->complete ? FLAG_COMPLETE : FLAG_SET;
    p.flag_from_us = to && to->start_us ? to->start_us : MAIL_NO_TIME;
    p.flag_due_us = to && to->due_us ? to->due_us : MAIL_NO_TIME;
    p.flag_done_us = to && to->complete && to->done_us ? to->done_us : MAIL_NO_TIME;
    if (mail_property_set(tx, &i.message, &p) < 0)
        return -1;
    return i.message.change == change ? 0 : outlook_item_touch(tx, &i);
}

const char *outlook_flag_name(struct tx *tx, const char *email, int64_t key)
{
    return arena_printf(tx->arena, "flag %s %lld", email, (long long)key);
}

static const char *named(struct tx *tx, int64_t account, int64_t key)
{
    struct mailbox mb;
    return mailbox_of_account(tx, account, &mb) == 1 ? outlook_flag_name(tx, mb.email, key) : NULL;
}

const struct graph_flags outlook_flags = {.kind = CHANGED_MAIL,
                                          .owner = owner,
                                          .list = list,
                                          .of = of,
                                          .find = find_flag,
                                          .set = set,
                                          .named = named};
