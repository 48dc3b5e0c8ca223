/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts: a message that keeps its id while it is written, and the marks that any message has. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/letter.h"
#include "services/mail/outlook/text.h"
#include <strings.h>

/* Keys of messages that a draft's own hides: it, below so many bits, and how often it was saved. */
#define SAVED      (INT64_C(1) << 62)
#define SAVED_BITS 46
#define SAVED_ELSE (INT64_C(1) << 61) /* the draft's is too long: a number */

static int saved_key(struct tx *tx, const struct outlook_item *i, int64_t *ret)
{
    int64_t n;
    if (i->key > 0 && i->key >> SAVED_BITS == 0) {
        *ret = SAVED | ((i->version + 1) & 0x7fff) << SAVED_BITS | i->key;
        return 0;
    }
    if (tx_number(tx, "outlook.save", &n) < 0)
        return -1;
    *ret = SAVED | SAVED_ELSE | n;
    return 0;
}

bool outlook_is_saved(int64_t key, int64_t *ret_draft)
{
    *ret_draft = key & SAVED_ELSE ? 0 : key & ((INT64_C(1) << SAVED_BITS) - 1);
    return (key & SAVED) != 0;
}

int outlook_item_of_change(struct tx *tx, int64_t mailbox, int64_t key, struct outlook_item *ret)
{
    struct mail_message m;
    struct mail_draft d;
    int64_t draft;
    *ret = (struct outlook_item){.key = key};
    int r = mail_message_get(tx, mailbox, key, &m);
    if (r == 0) {
        if (outlook_is_saved(key, &draft))
            ret->key = draft;
        r = ret->key ? mail_draft_get(tx, mailbox, ret->key, &d) : 0;
        if (r == 1)
            m = d.message;
    }
    return r == 1 && outlook_item_of(tx, &m, ret) < 0 ? -1 : r;
}

/* Numbers rise by one within a second (MG-625). */
int outlook_new_key(struct tx *tx, int64_t at_s, int64_t *ret)
{
    const int64_t most = INT64_C(1) << 33;
    int64_t n;
    if (tx_number(tx, "outlook.item", &n) < 0)
        return -1;
    const int64_t s = at_s < 1 ? 1 : at_s > most ? most : at_s;
    *ret = (s << 12) + (n & 0xfff);
    return 0;
}

/* "<HOST...@HOST.prod.outlook.com>" (MG-367) */
int outlook_new_message_id(struct tx *tx, const char **ret)
{
    uint8_t bytes[13];
    char hex[27];
    int r;
    do {
        if (tx_id(tx, "Message-ID", bytes, sizeof bytes) < 0)
            return -1;
        hex_encode(hex, bytes, sizeof bytes);
        for (char *p = hex; *p; p++)
            *p = *p >= 'a' ? (char)(*p - 32) : *p;
        *ret = arena_printf(tx->arena,
                            "<AM0PR01MB4100%.25s@AM0PR01MB4100.eurprd01.prod.outlook.com>", hex);
    } while ((r = mail_message_id_taken(tx, *ret)) == 1);
    return r;
}

static int put_new(struct call *c, const struct outlook_box *b, const char *raw, size_t len,
                   int64_t key, int64_t folder, bool received, struct outlook_item *ret)
{
    struct mail_message_new new = {
        .mailbox = &b->mailbox, .raw = raw, .len = len, .at_s = INT64_MIN, .key = key};
    struct mail_draft d;
    struct mail_message m;
    if (!folder)
        folder = mail_folder_id(b->mailbox.id, FOLDER_DRAFTS);
    if (mail_folder_is_fixed(folder)) {
        new.flags = FLAG(mail_folder_place(folder));
    } else {
        new.folders = &folder;
        new.n_folders = 1;
    }
    new.flags |= received ? 0 : FLAG(KEYWORD_DRAFT);
    if (mail_message_add(&c->tx, &new, &m) < 0 ||
        (!received && mail_draft_hold(&c->tx, &m, key, &d) < 0))
        return outlook_refused(c);
    return outlook_item_of(&c->tx, &m, ret);
}

int outlook_draft_of_bytes(struct call *c, const struct outlook_box *b, const char *raw, size_t len,
                           int64_t key, int64_t folder, struct outlook_item *ret)
{
    if (!key && outlook_new_key(&c->tx, c->tx.now_us / US_PER_SECOND, &key) < 0)
        return -1;
    return put_new(c, b, raw, len, key, folder, false, ret);
}

/* MG-569. */
static bool is_received(const struct json *message)
{
    const struct json *list = json_get(message, "singleValueExtendedProperties");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *id = json_get_str(&list->items[i], "id");
        const char *value = json_get_str(&list->items[i], "value");
        if (id && value && strcasecmp(id, "Integer 0x0E07") == 0)
            return strcmp(value, "4") == 0 || strcmp(value, "1") == 0;
    }
    return false;
}

int outlook_draft_make(struct call *c, const struct outlook_box *b, const struct outlook_letter *l,
                       int64_t folder, struct outlook_item *ret)
{
    struct outlook_letter letter = *l;
    const char *raw;
    int64_t key;
    size_t n;
    if ((!letter.message_id && outlook_new_message_id(&c->tx, &letter.message_id) < 0) ||
        outlook_new_key(&c->tx, letter.date_s, &key) < 0 ||
        outlook_letter_raw(c, b, &letter, key, &raw, &n) < 0)
        return -1;
    return put_new(c, b, raw, n, key, folder, is_received(c->body), ret);
}

/* The keywords of a draft, and not its folder, which goes over by itself. */
static int keywords_of(struct tx *tx, const struct mail_message *m, int64_t **ret, size_t *ret_n)
{
    int64_t *own;
    size_t n = 0;
    *ret_n = 0;
    if (mail_message_own_folders(tx, m, &own, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (own[i] != m->folder)
            own[(*ret_n)++] = own[i];
    *ret = own;
    return 0;
}

int outlook_draft_save(struct call *c, const struct outlook_box *b, const struct outlook_letter *l,
                       struct outlook_item *i)
{
    struct tx *tx = &c->tx;
    struct kept *extras;
    struct mail_property p;
    const struct outlook_item old = *i;
    const char *raw;
    int64_t *own = NULL, key;
    size_t n, n_own, n_extras;
    const struct mail_vendor *v = mail_vendor_of(tx, b->mailbox.id);
    if (!v || saved_key(tx, i, &key) < 0 ||
        mail_kept_list(tx, &outlook_extras, i->message.id, NULL, &extras, &n_extras) < 0 ||
        mail_property_get(tx, &i->message, &p) < 0 ||
        keywords_of(tx, &i->message, &own, &n_own) < 0 ||
        outlook_letter_raw(c, b, l, i->key, &raw, &n) < 0)
        return -1;
    struct mail_message_new new = {.mailbox = &b->mailbox,
                                   .raw = raw,
                                   .len = n,
                                   .flags =
                                       i->message.flags & FLAGS_FIXED & ~mail_vendor_folders(v),
                                   .folders = own,
                                   .n_folders = n_own,
                                   .at_s = i->message.at_s,
                                   .key = key};
    if (mail_draft_save(tx, &i->draft, &new) < 0)
        return outlook_refused(c);
    if (mail_property_set(tx, &i->draft.message, &p) < 0 ||
        outlook_extras_put(tx, i->draft.message.id, extras, n_extras) < 0 ||
        outlook_item_of(tx, &i->draft.message, i) < 0)
        return -1;
    i->version = old.version;
    return outlook_item_touch(tx, i);
}

/* ---- marks ---- */

static int set_categories(struct call *c, const struct outlook_box *b, const struct json *v,
                          struct outlook_item *i)
{
    const uint32_t n = v->type == JSON_ARRAY ? v->n : 0;
    int64_t *now, *add = arena_calloc(c->tx.arena, n + 1, sizeof *add);
    size_t n_now = 0, n_remove = 0;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (keywords_of(&c->tx, &i->message, &now, &n_now) < 0)
        return -1;
    for (uint32_t k = 0; k < n; k++)
        if (v->items[k].type != JSON_STRING ||
            outlook_category_folder(&c->tx, b->mailbox.id, v->items[k].str, &add[k]) < 0)
            return c->tx.err->code ? outlook_refused(c) : graph_bad_id(c);
    for (size_t k = 0; k < n_now; k++) {
        bool kept = false;
        for (uint32_t j = 0; j < n; j++)
            kept |= add[j] == now[k];
        if (!kept)
            now[n_remove++] = now[k];
    }
    return mail_message_modify(&c->tx, &i->message, add, n, now, n_remove) < 0 ? outlook_refused(c)
                                                                               : 0;
}

static int read_date(struct call *c, const struct json *flag, const char *member, int64_t *ret)
{
    const struct json *v = json_get(flag, member);
    const char *text = json_get_str(v, "dateTime");
    struct stamp stamp;
    if (!v || v->type == JSON_NULL || !text) {
        *ret = v ? MAIL_NO_TIME : *ret;
        return 0;
    }
    if (stamp_parse(text, strlen(text), true, &stamp) < 0)
        return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                         "Cannot convert the literal '%.60s' to the expected type "
                         "'Edm.DateTimeOffset'.",
                         text);
    *ret = stamp.local_us - (stamp.has_offset ? stamp.offset * US_PER_SECOND : 0);
    return 0;
}

static int read_flag(struct call *c, const struct json *v, struct mail_property *p)
{
    static const char *const words[] = {"notFlagged", "flagged", "complete", NULL};
    const char *status = json_get_str(v, "flagStatus");
    int flag = (int)p->flag;
    for (int i = 0; status && words[i]; i++)
        if (str_eq_nocase(words[i], status))
            flag = i;
    if (read_date(c, v, "startDateTime", &p->flag_from_us) < 0 ||
        read_date(c, v, "dueDateTime", &p->flag_due_us) < 0 ||
        read_date(c, v, "completedDateTime", &p->flag_done_us) < 0)
        return -1;
    p->flag = (enum mail_flag)flag;
    if (p->flag == FLAG_NONE)
        p->flag_from_us = p->flag_due_us = p->flag_done_us = MAIL_NO_TIME;
    if (p->flag != FLAG_COMPLETE)
        p->flag_done_us = MAIL_NO_TIME;
    else if (p->flag_done_us == MAIL_NO_TIME)
        p->flag_done_us = c->tx.now_us;
    return 0;
}

static int set_property(struct call *c, const struct json *message, struct outlook_item *i)
{
    static const char *const importances[] = {"low", "normal", "high", NULL};
    const char *importance = json_get_str(message, "importance");
    const char *inference = json_get_str(message, "inferenceClassification");
    const struct json *flag = json_get(message, "flag");
    struct mail_property p;
    if (!importance && !inference && !flag)
        return 0;
    if (mail_property_get(&c->tx, &i->message, &p) < 0 ||
        (flag && flag->type == JSON_OBJECT && read_flag(c, flag, &p) < 0))
        return -1;
    for (int k = 0; importance && importances[k]; k++)
        if (str_eq_nocase(importances[k], importance))
            p.importance = k - 1;
    if (inference)
        p.inference = str_eq_nocase(inference, "other") ? INFERENCE_OTHER : INFERENCE_FOCUSED;
    return mail_property_set(&c->tx, &i->message, &p) < 0 ? outlook_refused(c) : 0;
}

/* Extended properties and extensions, by their ids. */
static int set_extras(struct call *c, const struct json *message, const char *member,
                      const char *kind, const char *name_member, const struct outlook_item *i)
{
    const struct json *list = json_get(message, member);
    const bool extension = strcmp(kind, "extension") == 0;
    for (uint32_t k = 0; list && list->type == JSON_ARRAY && k < list->n; k++) {
        const struct json *v = &list->items[k];
        const char *name = json_get_str(v, name_member);
        if (!name || strlen(name) > 500)
            return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                             "The member '%s' of an item of '%s' is required.", name_member,
                             member);
        if (!extension)
            name = graph_property_id(c->tx.arena, name);
        else if (outlook_extension_put(c, i, name, v) < 0)
            return -1;
        if (!extension && outlook_property_put(c, i, kind, name, v) < 0)
            return -1;
    }
    return 0;
}

int outlook_mark(struct call *c, const struct outlook_box *b, const struct json *message,
                 struct outlook_item *i, bool fresh, bool *ret_changed)
{
    static const char *const members[] = {"categories",
                                          "importance",
                                          "flag",
                                          "inferenceClassification",
                                          "singleValueExtendedProperties",
                                          "multiValueExtendedProperties",
                                          "extensions"};
    const struct json *read = json_get(message, "isRead");
    const struct json *categories = json_get(message, "categories");
    const int64_t unseen = mail_folder_id(b->mailbox.id, KEYWORD_UNSEEN);
    *ret_changed = false;
    for (size_t k = 0; k < SOSIA_LEN(members); k++)
        *ret_changed |= json_get(message, members[k]) != NULL;
    if (read && read->type == JSON_BOOL &&
        mail_message_modify(&c->tx, &i->message, &unseen, !read->truth, &unseen, read->truth) < 0)
        return outlook_refused(c);
    if ((categories && set_categories(c, b, categories, i) < 0) ||
        set_property(c, message, i) < 0 ||
        set_extras(c, message, "singleValueExtendedProperties", "single", "id", i) < 0 ||
        set_extras(c, message, "multiValueExtendedProperties", "multi", "id", i) < 0 ||
        set_extras(c, message, "extensions", "extension", "extensionName", i) < 0)
        return -1;
    if (*ret_changed && !fresh && outlook_item_touch(&c->tx, i) < 0)
        return -1;
    return outlook_item_again(&c->tx, i);
}
