/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as items of a document, and what they are in there. */
#include "transfer/mail.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <stdio.h>

/* As clients of mail name folders, and as archives of Gmail name labels. "Opened" and "Archived"
 * are the lack of others. */
const struct mail_word transfer_mail_words[] = {
    {"Inbox", FLAG(FOLDER_INBOX)},
    {"Sent", FLAG(FOLDER_SENT)},
    {"Drafts", FLAG(FOLDER_DRAFTS)},
    {"Trash", FLAG(FOLDER_TRASH)},
    {"Spam", FLAG(FOLDER_JUNK)},
    {"Unread", FLAG(KEYWORD_UNSEEN)},
    {"Starred", FLAG(KEYWORD_FLAGGED)},
    {"Important", FLAG(KEYWORD_IMPORTANT)},
    {"Archive", FLAG(FOLDER_ARCHIVE)},
    {"Draft", FLAG(FOLDER_DRAFTS)},
    {"Junk", FLAG(FOLDER_JUNK)},
    {"Junk Email", FLAG(FOLDER_JUNK)},
    {"Sent Items", FLAG(FOLDER_SENT)},
    {"Sent Messages", FLAG(FOLDER_SENT)},
    {"Sent Mail", FLAG(FOLDER_SENT)},
    {"Deleted Items", FLAG(FOLDER_TRASH)},
    {"Deleted Messages", FLAG(FOLDER_TRASH)},
    {"Opened", 0},
    {"Archived", 0},
    {NULL},
};

int transfer_mail_begin(struct transfer_in *in, struct mail_in *ret)
{
    const struct transfer *t = in->t;
    struct actor who;
    *ret = (struct mail_in){.in = in};
    if (transfer_person(in->tx, t, &who) < 0)
        return -1;
    int r = t->vendor ? mailbox_at(in->tx, who.id, t->vendor, &ret->mailbox)
                      : mailbox_of(in->tx, who.id, &ret->mailbox);
    if (r == 0)
        return tx_fail(in->tx, SOSIA_E_INVALID, "transfer", "person",
                       "person must have a mailbox, %.80s has none", t->person);
    if (r < 0 || !(ret->vendor = mail_vendor_of(in->tx, ret->mailbox.id)))
        return -1;
    return mailbox_addresses(in->tx, &ret->mailbox, &ret->addresses, &ret->n_addresses);
}

/* ---- labels ---- */

/* A fixed place by the vendor's own word: FLAG(place); 0: none. */
static uint32_t fixed_flag(const struct mail_vendor *v, const char *word)
{
    for (size_t i = 0; i < v->n_fixed; i++)
        if (str_eq_nocase(v->fixed[i].name, word))
            return FLAG(v->fixed[i].place);
    return 0;
}

/* "Category Promotions" is CATEGORY_PROMOTIONS where the vendor has that. */
static uint32_t category_flag(struct mail_in *m, const char *name)
{
    if (!str_starts(name, "Category "))
        return 0;
    char *word = arena_strdup(m->in->tx->arena, name);
    word[8] = '_';
    return fixed_flag(m->vendor, word);
}

void transfer_mail_label(struct mail_in *m, struct mail_place_in *at, const char *name)
{
    const struct mail_word *w = transfer_mail_words;
    while (w->word && !str_eq_nocase(w->word, name))
        w++;
    uint32_t flag = w->word ? w->flag : fixed_flag(m->vendor, name);
    if (!w->word && !flag)
        flag = category_flag(m, name);
    at->placed = true;
    at->flags |= flag;
    if (w->word || flag || !*name || at->n_names == MAIL_NAMES)
        return;
    for (size_t i = 0; i < at->n_names; i++)
        if (str_eq_nocase(at->names[i], name))
            return;
    at->names[at->n_names++] = name;
}

/* A name of the owner's, which the document makes. */
static int note_name(struct mail_in *m, const char *name)
{
    struct arena *a = m->in->tx->arena;
    if (map_get(&m->names, name))
        return 0;
    m->list = arena_grow(a, m->list, m->n_list, &m->list_cap, sizeof *m->list);
    if (arena_failed(a) || map_set(&m->names, name, m) < 0)
        return sosia_fail_memory(m->in->tx->err);
    m->list[m->n_list++] = arena_strdup(a, name);
    return 0;
}

/* ---- a message ---- */

static bool is_own(struct mail_in *m, struct arena *a, const char *raw, size_t head)
{
    struct mime_address *from;
    size_t n;
    bool bad;
    mime_address_fields(a, raw, head, "From", &from, &n, &bad);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m->n_addresses; k++)
            if (str_eq_nocase(from[i].email, m->addresses[k]))
                return true;
    return false;
}

/* Where nothing says it: what the person wrote is sent mail, the rest came. */
static void settle(struct mail_in *m, struct arena *a, struct mail_place_in *at, const char *raw,
                   size_t len)
{
    const struct mail_vendor *v = m->vendor;
    if (m->in->t->place)
        transfer_mail_label(m, at, m->in->t->place);
    if (!at->placed)
        at->flags |= FLAG(is_own(m, a, raw, mime_head_len(raw, len)) ? FOLDER_SENT : FOLDER_INBOX);
    if (v->exclusive && at->flags & FLAG(FOLDER_DRAFTS))
        at->flags |= FLAG(KEYWORD_DRAFT);
}

/* Labels: any number of them, of the vendor's and of the owner's. */
static int write_labels(struct mail_in *m, const struct mail_place_in *at)
{
    json_arr(m->in->w, "labels");
    for (int place = 0; place < N_PLACES; place++) {
        const char *word = at->flags & FLAG(place) ? mail_vendor_word(m->vendor, place) : NULL;
        if (word)
            json_str(m->in->w, NULL, word);
    }
    for (size_t i = 0; i < at->n_names; i++) {
        json_str(m->in->w, NULL, at->names[i]);
        if (note_name(m, at->names[i]) < 0)
            return -1;
    }
    json_end(m->in->w);
    return 0;
}

/* One folder: the first of the owner's, or else a place; further names are categories. */
static int write_folder(struct mail_in *m, const struct mail_place_in *at)
{
    static const int folders[] = {FOLDER_TRASH, FOLDER_JUNK,  FOLDER_DRAFTS,
                                  FOLDER_SENT,  FOLDER_INBOX, FOLDER_ARCHIVE};
    static const int marks[] = {KEYWORD_UNSEEN, KEYWORD_DRAFT, KEYWORD_ANSWERED, KEYWORD_FORWARDED};
    struct json_writer *w = m->in->w;
    const char *folder = at->n_names ? at->names[0] : mail_vendor_word(m->vendor, FOLDER_ARCHIVE);
    if (at->n_names && note_name(m, folder) < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(folders) && !at->n_names; i++)
        if (at->flags & FLAG(folders[i])) {
            folder = mail_vendor_word(m->vendor, folders[i]);
            break;
        }
    json_str(w, "folder", folder);
    json_arr(w, "labels");
    for (size_t i = 0; i < SOSIA_LEN(marks); i++)
        if (at->flags & FLAG(marks[i]) && mail_vendor_word(m->vendor, marks[i]))
            json_str(w, NULL, mail_vendor_word(m->vendor, marks[i]));
    json_end(w);
    if (at->n_names > 1) {
        json_arr(w, "categories");
        for (size_t i = 1; i < at->n_names; i++)
            json_str(w, NULL, at->names[i]);
        json_end(w);
    }
    if (at->flags & FLAG(KEYWORD_FLAGGED))
        json_str(w, "flag", "flagged");
    return 0;
}

static void write_key(struct json_writer *w, const char *member, int64_t key)
{
    char hex[17];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)key);
    json_str(w, member, hex);
}

/* An id that is free in the mailbox and in the file; else the world makes one. */
static int write_id(struct mail_in *m, const struct mail_place_in *at)
{
    struct mail_message other;
    char hex[17];
    if (at->key <= 0)
        return 0;
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)at->key);
    int r =
        map_get(&m->keys, hex) ? 1 : mail_message_get(m->in->tx, m->mailbox.id, at->key, &other);
    if (r != 0)
        return r < 0 ? -1 : 0;
    write_key(m->in->w, "id", at->key);
    return map_set(&m->keys, hex, m) < 0 ? sosia_fail_memory(m->in->tx->err) : 0;
}

static int write_message(struct mail_in *m, struct mail_place_in *at, const char *raw, size_t len)
{
    struct json_writer *w = m->in->w;
    json_obj(w, NULL);
    if (write_id(m, at) < 0)
        return -1;
    if (at->thread > 0)
        write_key(w, "thread", at->thread);
    if (at->at_s != INT64_MIN)
        json_time(w, "received", at->at_s * US_PER_SECOND, JSON_TIME_S_Z);
    if ((m->vendor->exclusive ? write_folder : write_labels)(m, at) < 0)
        return -1;
    transfer_bytes(w, "raw", "rawBase64", raw, len);
    json_end(w);
    m->in->done->n[TRANSFER_MESSAGES]++;
    return 0;
}

int transfer_mail_message(struct mail_in *m, struct mail_place_in *at, const char *raw, size_t len)
{
    struct arena own;
    if (len > MAIL_MAX_SIZE)
        return transfer_fail(m->in, 0, "message %lld must have at most %zu bytes, has %zu",
                             (long long)m->in->done->n[TRANSFER_MESSAGES] + 1, MAIL_MAX_SIZE, len);
    arena_init(&own, 0);
    settle(m, &own, at, raw, len);
    int rc =
        arena_failed(&own) ? sosia_fail_memory(m->in->tx->err) : write_message(m, at, raw, len);
    arena_done(&own);
    return rc;
}

void transfer_mail_end(struct mail_in *m)
{
    struct json_writer *w = m->in->w;
    json_arr(w, m->vendor->exclusive ? "folders" : "labels");
    for (size_t i = 0; i < m->n_list; i++) {
        json_obj(w, NULL);
        json_str(w, "name", m->list[i]);
        json_end(w);
    }
    json_end(w);
    map_done(&m->names);
    map_done(&m->keys);
}
