/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Push notifications: a watch names a Pub/Sub topic, which gets a message with the mailbox that has
 * changed and its history id. One is published when the watch begins, and one for each call that
 * changes something; within a second of the last one it is dropped, unless the clock does not move.
 */
#include "engine/state/own.h"
#include "engine/state/stored.h"
#include "engine/store/record.h"
#include "engine/world/event.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/mail/gmail/gmail.h"
#include "services/mail/gmail/watch.h"
#include "vendors/google/pubsub.h"
#include "services/mail/gmail/internal.h"
#include <stdlib.h>

#define PAGE 500 /* changes that are looked at in one go */

const char *const gmail_watch_behaviors[] = {"include", "exclude", NULL};

/* ---- rows ---- */

int gmail_watch_forget(struct tx *tx, int64_t mailbox)
{
    static struct sql_text q = SQL_TEXT("delete from gmail_watch where mailbox = :mailbox");
    return TX_RUN(tx, &q, mailbox);
}

static const struct member watch_columns[] = {
    {REF_AT(struct watch, mailbox, NULL)}, {TEXT_AT(struct watch, topic)},
    {TEXT_AT(struct watch, labels)},       {BOOL_AT(struct watch, exclude)},
    {TIME_AT(struct watch, expires_us)},   {INT_AT(struct watch, notified, 0, INT64_MAX)},
    {TIME_AT(struct watch, notified_us)},
};
STORED_HERE(watch_stored, "A watch", struct watch, watch_columns, NULL, .table = "gmail_watch",
            .id = "mailbox");

int gmail_watch_load(struct tx *tx, int64_t mailbox, struct watch *ret)
{
    return stored_get(tx, &watch_stored, mailbox, ret);
}

int gmail_watch_store(struct tx *tx, const struct watch *w)
{
    return gmail_watch_forget(tx, w->mailbox) < 0 ? -1 : stored_add(tx, &watch_stored, w);
}

int gmail_watch_due(struct tx *tx, const char *kind, int64_t ref)
{
    (void)kind;
    return gmail_watch_forget(tx, ref);
}

/* ---- notifications ---- */

int gmail_watch_publish(struct tx *tx, const struct mailbox *mb, struct watch *watch)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 4096);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "emailAddress", mb->email);
    json_int(&w, "historyId", gmail_history(mb->change));
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(tx->err)
                            : pubsub_publish(tx, watch->topic, b.data, b.len);
    buf_done(&b);
    watch->notified_us = tx->now_us;
    return rc;
}

/* The next of the ids in such a text, which it moves on in; false: there is none. */
static bool next_label(const char **labels, int64_t *ret)
{
    char *end;
    *ret = strtoll(*labels, &end, 10);
    if (end == *labels)
        return false;
    *labels = end;
    return true;
}

static bool listed(const char *labels, int64_t id)
{
    int64_t label;
    while (next_label(&labels, &label))
        if (label == id)
            return true;
    return false;
}

static bool any_listed(const char *labels, const int64_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (listed(labels, ids[i]))
            return true;
    return false;
}

/* Whether there is a change since the last notification that the watch covers. */
static int concerns(struct tx *tx, const struct mailbox *mb, const struct watch *w)
{
    struct mail_change *changes;
    int64_t after = w->notified > mb->floor ? w->notified : mb->floor;
    size_t n;
    bool more = true;
    if (!*w->labels)
        return 1;
    while (more) {
        if (mail_changes(tx, mb, after, 0, 0, PAGE, &changes, &n, &more) < 0)
            return -1;
        for (size_t i = 0; i < n; i++) {
            const struct mail_change *ch = &changes[i];
            bool found = any_listed(w->labels, ch->now, ch->n_now) ||
                         any_listed(w->labels, ch->folders, ch->n_folders);
            if (found != w->exclude)
                return 1;
            after = ch->number;
        }
        more = more && n;
    }
    return 0;
}

static int mailbox_changed(struct tx *tx, int64_t id)
{
    struct watch w;
    struct mailbox mb;
    int r = gmail_watch_load(tx, id, &w);
    if (r != 1)
        return r;
    r = mailbox_by_id(tx, id, &mb);
    if (r != 1 || mb.change == w.notified)
        return r < 0 ? -1 : 0;
    r = concerns(tx, &mb, &w);
    int64_t since = tx->now_us - w.notified_us;
    w.notified = mb.change;
    if (r < 0 || (r && (!since || since >= US_PER_SECOND) && gmail_watch_publish(tx, &mb, &w) < 0))
        return -1;
    return stored_save(tx, &watch_stored, id, &w);
}

int gmail_watch_events(struct tx *tx, const struct world_event *first)
{
    static struct record_text watches = RECORD_TEXT("gmail_watch", "mailbox");
    const struct world_event **list;
    size_t n;
    if (record_none(tx->db, &watches))
        return 0;
    if (events_distinct(tx, first, CHANGED_MAIL, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (mailbox_changed(tx, list[i]->scope) < 0)
            return -1;
    return 0;
}

/* ---- entities ---- */

int gmail_watch_key(struct tx *tx, int64_t rowid, struct json_writer *out)
{
    struct mailbox mb;
    int r = mailbox_by_id(tx, rowid, &mb);
    if (r == 1)
        json_str(out, "mailbox", mb.email);
    return r < 0 ? -1 : 0;
}

static void write_watch(struct tx *tx, const struct watch *w, struct json_writer *out)
{
    const char *labels = w->labels;
    int64_t label;
    json_str(out, "topic", w->topic);
    if (*labels) {
        json_arr(out, "labelIds");
        while (next_label(&labels, &label))
            json_str(out, NULL, gmail_label_id(tx->arena, label));
        json_end(out);
        json_str(out, "labelFilterBehavior", gmail_watch_behaviors[w->exclude]);
    }
    form_time(out, "expires", w->expires_us);
}

/* The last notification is left out: a notification is an entity of its own, in the outbox. */
int gmail_watch_dump(struct tx *tx, int64_t rowid, struct json_writer *out)
{
    struct watch w;
    struct mailbox mb;
    int r = gmail_watch_load(tx, rowid, &w);
    if (r != 1 || (r = mailbox_by_id(tx, rowid, &mb)) != 1)
        return r;
    json_str(out, "mailbox", mb.email);
    write_watch(tx, &w, out);
    return 1;
}

/* ---- documents ---- */

/* A label by its id, which may be one of a label that was deleted, or by its name. */
static int seed_label(struct tx *tx, struct doc *d, const struct mailbox *mb, const struct json *v,
                      struct buf *labels)
{
    struct mail_folder l;
    if (v->type != JSON_STRING)
        return doc_expect(d, v, NULL, "a label's id or name");
    int64_t place = gmail_label_place(v->str);
    int r = place < 0 ? mail_folder_by_name(tx, mb->id, 0, v->str, &l) : 1;
    if (r != 1)
        return r < 0 ? -1 : doc_fail(d, v, NULL, "there is no label \"%.80s\"", v->str);
    buf_printf(labels, "%s%lld", labels->len ? " " : "",
               (long long)(place < 0 ? l.id : mail_folder_id(mb->id, place)));
    return 0;
}

static const struct member watch_members[] = {
    OWN_NEEDED("topic", "projects/PROJECT/topics/NAME"),
    OWN_TYPED("labelIds", "Labels, by name", "list of texts",
              "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\"}}"),
    OWN("labelFilterBehavior", "include or exclude", "text"),
    OWN("expires", "When it ends", "time"),
};
static const struct form watch_form = FORM("Who is notified of changes", watch_members);

int gmail_watch_seed(struct tx *tx, struct doc *d, const struct mailbox *mb, const struct json *v)
{
    struct watch w = {.mailbox = mb->id,
                      .expires_us = tx->now_us + GMAIL_WATCH_DAYS * US_PER_DAY,
                      .notified = mb->change};
    struct doc_items items;
    struct buf labels;
    int exclude;
    if (form_known(&(struct form_in){tx, d, v}, &watch_form) < 0 ||
        doc_str(d, v, "topic", true, &w.topic) < 0 ||
        doc_enum(d, v, "labelFilterBehavior", gmail_watch_behaviors, 0, &exclude) < 0 ||
        doc_time(d, v, "expires", &w.expires_us) < 0 || doc_items(d, v, "labelIds", &items) < 0)
        return -1;
    if (!pubsub_is_topic(w.topic))
        return doc_fail(d, json_get(v, "topic"), "topic",
                        "must be of the form projects/PROJECT/topics/NAME");
    w.exclude = exclude;
    buf_init(&labels, GMAIL_WATCH_LABELS);
    for (const struct json *one; (one = doc_item(d, &items)) != NULL;) {
        if (seed_label(tx, d, mb, one, &labels) < 0) {
            buf_done(&labels);
            return -1;
        }
    }
    w.labels = arena_strdup(tx->arena, buf_str(&labels));
    bool failed = buf_failed(&labels);
    buf_done(&labels);
    if (failed)
        return doc_fail(d, json_get(v, "labelIds"), "labelIds", "has too many labels");
    return gmail_watch_store(tx, &w) < 0 || due_cancel(tx, GMAIL_CORE, GMAIL_WATCH_DUE, mb->id) < 0
               ? -1
               : due_add(tx, w.expires_us, GMAIL_CORE, GMAIL_WATCH_DUE, mb->id);
}

int gmail_watch_write(struct tx *tx, const struct mailbox *mb, struct json_writer *out)
{
    struct watch w;
    int r = gmail_watch_load(tx, mb->id, &w);
    if (r != 1)
        return r;
    json_obj(out, "watch");
    write_watch(tx, &w, out);
    json_end(out);
    return 1;
}

/* An imported row must be one whose dump can be read. */
static int check_watch(struct tx *tx, int64_t mailbox, const struct watch *w)
{
    const char *labels = w->labels;
    struct mailbox mb;
    int64_t label;
    struct buf b;
    int r = mailbox_by_id(tx, mailbox, &mb);
    if (r != 1 || w->notified > mb.change)
        return r < 0 ? -1
                     : tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                               "gmail_watch: notified must be a change of the mailbox");
    if (!pubsub_is_topic(w->topic))
        return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                       "gmail_watch: topic must be of the form projects/PROJECT/topics/NAME");
    buf_init(&b, GMAIL_WATCH_LABELS);
    while (next_label(&labels, &label)) {
        int64_t place = mail_folder_place(label);
        if ((place < N_SYSTEM_LABELS || place > FOLDER_OWN) &&
            mail_folder_id(mailbox, place) == label)
            buf_printf(&b, "%s%lld", b.len ? " " : "", (long long)label);
    }
    bool same = !buf_failed(&b) && strcmp(buf_str(&b), w->labels) == 0;
    buf_done(&b);
    return same ? 0
                : tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                          "gmail_watch: labels must be ids of the mailbox's labels with spaces "
                          "between them");
}

int gmail_watch_check(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select mailbox from gmail_watch where mailbox > :after order by mailbox limit 1");
    int64_t mailbox = 0;
    int r;
    while ((r = TX_INT(tx, &q, &mailbox, mailbox)) == 1) {
        struct watch w;
        r = gmail_watch_load(tx, mailbox, &w);
        if (r < 0 || (r && check_watch(tx, mailbox, &w) < 0))
            return -1;
    }
    return r;
}

/* ---- the methods ---- */
