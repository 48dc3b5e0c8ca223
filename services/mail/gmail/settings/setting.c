/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of mailboxes: JSON objects by kind and key, and those of them that the core knows. */
#include "services/mail/gmail/settings/setting.h"
#include "services/mail/gmail/label.h"

/* Before anything that was made in the arena is looked at. */
static int checked(struct tx *tx)
{
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

/* ---- any kind ---- */

struct kept_table gmail_settings = KEPT_TABLE("gmail_setting", "mailbox", "key");

/* ---- values ---- */

static const char *text_or(const struct json *value, const char *member, const char *otherwise)
{
    const char *text = json_get_str(value, member);
    return text ? text : otherwise;
}

static int64_t number(const struct json *value, const char *member)
{
    int64_t n;
    return json_i64(json_get(value, member), &n) == 0 ? n : 0;
}

/* ---- addresses to send from ---- */

static void sender_of(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                      struct gmail_sender *ret)
{
    const struct json *server = json_get(s->value, "server");
    *ret = (struct gmail_sender){
        .email = s->key,
        .name = text_or(s->value, "name", ""),
        .reply_to = text_or(s->value, "replyTo", ""),
        .signature = text_or(s->value, "signature", ""),
        .main = strcmp(s->key, mb->email) == 0,
        .chosen = json_get_true(s->value, "chosen"),
        .alias = json_get_true(s->value, "alias"),
        .pending = json_get_true(s->value, "pending"),
        .asked = json_get_str(s->value, "asked"),
    };
    if (server)
        ret->server = json_to_text(tx->arena, server);
}

int gmail_sender_list(struct tx *tx, const struct mailbox *mb, struct gmail_sender **ret,
                      size_t *ret_n)
{
    struct kept *all;
    size_t n;
    if (mail_kept_list(tx, &gmail_settings, mb->id, SETTING_SENDER, &all, &n) < 0)
        return -1;
    struct gmail_sender *list = arena_calloc(tx->arena, n + 1, sizeof *list);
    bool chosen = false;
    list[0] = (struct gmail_sender){
        .email = mb->email, .name = "", .reply_to = "", .signature = "", .main = true};
    *ret_n = 1;
    for (size_t i = 0; i < n; i++) {
        bool main = strcmp(all[i].key, mb->email) == 0;
        struct gmail_sender *s = &list[main ? 0 : *ret_n];
        sender_of(tx, mb, &all[i], s);
        *ret_n += !main;
        chosen |= !main && s->chosen;
    }
    list[0].chosen = !chosen;
    *ret = list;
    return checked(tx);
}

int gmail_sender_get(struct tx *tx, const struct mailbox *mb, const char *email,
                     struct gmail_sender *ret)
{
    struct gmail_sender *all;
    size_t n;
    if (gmail_sender_list(tx, mb, &all, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].email, email) == 0) {
            *ret = all[i];
            return 1;
        }
    return 0;
}

int gmail_sender_of(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                    struct gmail_sender *ret)
{
    if (strcmp(s->key, mb->email) == 0)
        return gmail_sender_get(tx, mb, s->key, ret);
    sender_of(tx, mb, s, ret);
    return checked(tx) < 0 ? -1 : 1;
}

int gmail_sender_chosen(struct tx *tx, const struct mailbox *mb, struct gmail_sender *ret)
{
    struct gmail_sender *all;
    size_t n;
    if (gmail_sender_list(tx, mb, &all, &n) < 0)
        return -1;
    *ret = all[0];
    for (size_t i = 1; i < n; i++)
        if (all[i].chosen && !all[i].pending)
            *ret = all[i];
    return 0;
}

const char *gmail_sender_text(struct tx *tx, const struct mailbox *mb, const struct gmail_sender *s)
{
    return mime_address_text(tx->arena, *s->name ? s->name : mb->name, s->email);
}

/* What its owner shows is of use once. */
static void write_pending(struct json_writer *w, bool pending, const char *asked)
{
    json_bool_opt(w, "pending", pending);
    if (pending)
        json_str_opt(w, "asked", asked);
}

static int sender_store(struct tx *tx, const struct mailbox *mb, const struct gmail_sender *s)
{
    struct kept_value v;
    mail_kept_begin(&v);
    json_str(&v.w, "name", s->name);
    json_str(&v.w, "replyTo", s->reply_to);
    json_str(&v.w, "signature", s->signature);
    json_bool_opt(&v.w, "chosen", s->chosen);
    json_bool_opt(&v.w, "alias", s->alias);
    write_pending(&v.w, s->pending, s->asked);
    if (s->server)
        json_raw(&v.w, "server", s->server, strlen(s->server));
    return mail_kept_put(tx, &gmail_settings, mb->id, SETTING_SENDER, s->email,
                         mail_kept_end(tx, &v));
}

int gmail_sender_put(struct tx *tx, const struct mailbox *mb, const struct gmail_sender *s)
{
    struct gmail_sender *all;
    size_t n;
    if (s->chosen) {
        if (gmail_sender_list(tx, mb, &all, &n) < 0)
            return -1;
        for (size_t i = 0; i < n; i++) {
            if (!all[i].chosen || strcmp(all[i].email, s->email) == 0)
                continue;
            all[i].chosen = false;
            if (sender_store(tx, mb, &all[i]) < 0)
                return -1;
        }
    }
    return sender_store(tx, mb, s);
}

int gmail_sender_delete(struct tx *tx, const struct mailbox *mb, const char *email)
{
    if (strcmp(email, mb->email) == 0)
        return 0;
    return mail_kept_remove(tx, &gmail_settings, mb->id, SETTING_SENDER, email);
}

/* ---- forwarding ---- */

static struct gmail_forward forward_of(const struct kept *s)
{
    return (struct gmail_forward){.email = s->key,
                                  .pending = json_get_true(s->value, "pending"),
                                  .asked = json_get_str(s->value, "asked")};
}

int gmail_forward_list(struct tx *tx, const struct mailbox *mb, struct gmail_forward **ret,
                       size_t *ret_n)
{
    struct kept *all;
    if (mail_kept_list(tx, &gmail_settings, mb->id, SETTING_FORWARD, &all, ret_n) < 0)
        return -1;
    *ret = arena_calloc(tx->arena, *ret_n + 1, sizeof **ret);
    if (checked(tx) < 0)
        return -1;
    for (size_t i = 0; i < *ret_n; i++)
        (*ret)[i] = forward_of(&all[i]);
    return 0;
}

int gmail_forward_get(struct tx *tx, const struct mailbox *mb, const char *email,
                      struct gmail_forward *ret)
{
    struct kept s;
    int r = mail_kept_get(tx, &gmail_settings, mb->id, SETTING_FORWARD, email, &s);
    if (r == 1)
        *ret = forward_of(&s);
    return r;
}

int gmail_forward_put(struct tx *tx, const struct mailbox *mb, const struct gmail_forward *f)
{
    struct kept_value v;
    mail_kept_begin(&v);
    write_pending(&v.w, f->pending, f->asked);
    return mail_kept_put(tx, &gmail_settings, mb->id, SETTING_FORWARD, f->email,
                         mail_kept_end(tx, &v));
}

static const char *const then_words[] = {"keep", "archive", "trash", "read"};

int gmail_auto_forward_get(struct tx *tx, const struct mailbox *mb, struct gmail_auto_forward *ret)
{
    struct kept s;
    int r = mail_kept_get(tx, &gmail_settings, mb->id, SETTING_ON, "", &s);
    *ret = (struct gmail_auto_forward){.on = false};
    if (r != 1)
        return r;
    ret->on = json_get_true(s.value, "on");
    ret->to = json_get_str(s.value, "to");
    const char *then = text_or(s.value, "then", "keep");
    for (size_t i = 0; i < SOSIA_LEN(then_words); i++)
        if (strcmp(then_words[i], then) == 0)
            ret->then = (enum mail_forward_then)i;
    return 1;
}

int gmail_auto_forward_put(struct tx *tx, const struct mailbox *mb,
                           const struct gmail_auto_forward *f)
{
    struct kept_value v;
    mail_kept_begin(&v);
    json_bool(&v.w, "on", f->on);
    json_str_opt(&v.w, "to", f->to);
    json_str(&v.w, "then", then_words[f->then]);
    return mail_kept_put(tx, &gmail_settings, mb->id, SETTING_ON, "", mail_kept_end(tx, &v));
}

/* ---- filters ---- */

static void write_ids(struct json_writer *w, const char *key, const int64_t *ids, size_t n)
{
    json_arr(w, key);
    for (size_t i = 0; i < n; i++)
        json_int(w, NULL, ids[i]);
    json_end(w);
}

static int read_ids(struct tx *tx, const struct json *v, const int64_t **ret, size_t *ret_n)
{
    size_t n = v && v->type == JSON_ARRAY ? v->n : 0;
    int64_t *ids = arena_calloc(tx->arena, n + 1, sizeof *ids);
    for (size_t i = 0; i < n; i++)
        if (json_i64(&v->items[i], &ids[i]) < 0 ||
            (mail_folder_is_fixed(ids[i]) && mail_folder_place(ids[i]) >= N_SYSTEM_LABELS))
            return sosia_fail(tx->err, SOSIA_E_INTERNAL, NULL, NULL, "a filter's label is none");
    *ret = ids;
    *ret_n = n;
    return 0;
}

int gmail_filter_add(struct tx *tx, const struct mailbox *mb, const struct gmail_filter *f)
{
    struct kept_value v;
    if (search_check(tx, f->query) < 0) /* else no mail could come any more */
        return -1;
    mail_kept_begin(&v);
    search_write(&v.w, "query", &mail_corpus, f->query);
    write_ids(&v.w, "add", f->add, f->n_add);
    write_ids(&v.w, "remove", f->remove, f->n_remove);
    json_str_opt(&v.w, "forward", f->forward);
    json_raw(&v.w, "said", f->said, strlen(f->said));
    return mail_kept_put(tx, &gmail_settings, mb->id, SETTING_FILTER, f->key,
                         mail_kept_end(tx, &v));
}

/* What rules need of it. */
static int filter_of(struct tx *tx, const struct kept *s, struct gmail_filter *ret)
{
    *ret = (struct gmail_filter){
        .key = s->key,
        .query = search_read(tx->arena, &mail_corpus, json_get(s->value, "query")),
        .forward = json_get_str(s->value, "forward")};
    if (checked(tx) < 0)
        return -1;
    if (!ret->query)
        return sosia_fail(tx->err, SOSIA_E_INTERNAL, NULL, NULL, "a filter's query is none");
    if (read_ids(tx, json_get(s->value, "add"), &ret->add, &ret->n_add) < 0 ||
        read_ids(tx, json_get(s->value, "remove"), &ret->remove, &ret->n_remove) < 0)
        return -1;
    return checked(tx);
}

/* The rest. */
static int filter_said(struct tx *tx, const struct kept *s, struct gmail_filter *ret)
{
    const struct json *said = json_get(s->value, "said");
    if (!said || said->type != JSON_OBJECT)
        return sosia_fail(tx->err, SOSIA_E_INTERNAL, NULL, NULL, "a filter's query is none");
    if (search_check(tx, ret->query) < 0)
        return -1;
    ret->said = json_to_text(tx->arena, said);
    return checked(tx);
}

int gmail_filter_get(struct tx *tx, const struct mailbox *mb, const char *key,
                     struct gmail_filter *ret)
{
    struct kept s;
    int r = mail_kept_get(tx, &gmail_settings, mb->id, SETTING_FILTER, key, &s);
    if (r != 1)
        return r;
    return filter_of(tx, &s, ret) < 0 || filter_said(tx, &s, ret) < 0 ? -1 : 1;
}

static int filters_read(struct tx *tx, const struct mailbox *mb, bool said,
                        struct gmail_filter **ret, size_t *ret_n)
{
    struct kept *all;
    if (mail_kept_list(tx, &gmail_settings, mb->id, SETTING_FILTER, &all, ret_n) < 0)
        return -1;
    *ret = arena_calloc(tx->arena, *ret_n + 1, sizeof **ret);
    if (checked(tx) < 0)
        return -1;
    for (size_t i = 0; i < *ret_n; i++)
        if (filter_of(tx, &all[i], &(*ret)[i]) < 0 ||
            (said && filter_said(tx, &all[i], &(*ret)[i]) < 0))
            return -1;
    return 0;
}

int gmail_filter_list(struct tx *tx, const struct mailbox *mb, struct gmail_filter **ret,
                      size_t *ret_n)
{
    return filters_read(tx, mb, true, ret, ret_n);
}

int gmail_filter_rules(struct tx *tx, const struct mailbox *mb, struct gmail_filter **ret,
                       size_t *ret_n)
{
    return filters_read(tx, mb, false, ret, ret_n);
}

int gmail_filter_delete(struct tx *tx, const struct mailbox *mb, const char *key)
{
    return mail_kept_remove(tx, &gmail_settings, mb->id, SETTING_FILTER, key);
}

/* ---- the automatic answer ---- */

int gmail_vacation_get(struct tx *tx, const struct mailbox *mb, struct gmail_vacation *ret)
{
    struct kept s;
    int r = mail_kept_get(tx, &gmail_settings, mb->id, SETTING_VACATION, "", &s);
    *ret = (struct gmail_vacation){.on = false};
    if (r != 1)
        return r;
    *ret = (struct gmail_vacation){.on = json_get_true(s.value, "on"),
                                   .subject = json_get_str(s.value, "subject"),
                                   .text = json_get_str(s.value, "text"),
                                   .html = json_get_str(s.value, "html"),
                                   .contacts = json_get_true(s.value, "contacts"),
                                   .domain = json_get_true(s.value, "domain"),
                                   .from_us = number(s.value, "from"),
                                   .to_us = number(s.value, "to")};
    return 1;
}

int gmail_vacation_put(struct tx *tx, const struct mailbox *mb, const struct gmail_vacation *f)
{
    struct kept_value v;
    mail_kept_begin(&v);
    json_bool(&v.w, "on", f->on);
    json_str_opt(&v.w, "subject", f->subject);
    json_str_opt(&v.w, "text", f->text);
    json_str_opt(&v.w, "html", f->html);
    json_bool_opt(&v.w, "contacts", f->contacts);
    json_bool_opt(&v.w, "domain", f->domain);
    if (f->from_us)
        json_int(&v.w, "from", f->from_us);
    if (f->to_us)
        json_int(&v.w, "to", f->to_us);
    return mail_kept_put(tx, &gmail_settings, mb->id, SETTING_VACATION, "", mail_kept_end(tx, &v));
}

/* ---- delegates ---- */

int gmail_delegate_list(struct tx *tx, const struct mailbox *mb, struct gmail_delegate **ret,
                        size_t *ret_n)
{
    struct kept *all;
    if (mail_kept_list(tx, &gmail_settings, mb->id, SETTING_DELEGATE, &all, ret_n) < 0)
        return -1;
    *ret = arena_calloc(tx->arena, *ret_n + 1, sizeof **ret);
    if (checked(tx) < 0)
        return -1;
    for (size_t i = 0; i < *ret_n; i++)
        (*ret)[i].email = all[i].key;
    return 0;
}

int gmail_delegate_put(struct tx *tx, const struct mailbox *mb, const char *email)
{
    return mail_kept_put(tx, &gmail_settings, mb->id, SETTING_DELEGATE, email, "{}");
}

int gmail_delegate_may(struct tx *tx, int64_t mailbox, const char *email)
{
    struct kept s;
    return mail_kept_get(tx, &gmail_settings, mailbox, SETTING_DELEGATE, email, &s);
}
