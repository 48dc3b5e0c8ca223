/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/mail/core/mail_steps.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"

static const char *const names[] = {"ada", "bob", "cyd"};

void mail_result(int r)
{
    if (r < 0)
        story_say("  refused: %s, %s", test_err.reason ? test_err.reason : "-", test_err.text);
    else if (r > 0)
        story_say("  %d", r);
    test_err = (struct sosia_err){0};
}

const char *mail_subject_of(const struct mail_message *m)
{
    const char *text = header_of(m, "Subject");
    return text ? text : "";
}

static const char *places(const int64_t *ids, size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++)
        text = arena_printf(tx.arena, "%s %lld", text, (long long)mail_folder_place(ids[i]));
    return text;
}

static void say_message(struct buf *b, const char *who, const struct mail_message *m)
{
    struct mail_property p;
    struct mail_draft d;
    struct mail_thread t;
    const char *snippet;
    int64_t *ids;
    size_t n;
    mail_result(mail_message_folders(&tx, m, &ids, &n));
    mail_result(mail_message_snippet(&tx, m, &snippet));
    mail_result(mail_property_get(&tx, m, &p));
    int draft = mail_draft_of_message(&tx, m, &d);
    assert_int_equal(mail_thread_by_id(&tx, m->thread, &t), 1);
    buf_printf(b, "%s %lld \"%s\" in%s, has %x, %lld bytes, thread %lld of %lld%s, change %lld",
               who, (long long)(m->id & 0xffffff), mail_subject_of(m), places(ids, n), m->has,
               (long long)m->size, (long long)m->thread, (long long)t.messages,
               draft ? ", draft" : "", (long long)m->change);
    if (p.importance || p.flag || p.inference || p.receipts)
        buf_printf(b, ", importance %d flag %d inference %d receipts %u", p.importance, p.flag,
                   p.inference, p.receipts);
    buf_printf(b, ": %s\n", snippet);
}

static void say_folders(struct buf *b, const char *who, const struct mailbox *mb)
{
    struct mail_folder *list;
    size_t n;
    mail_result(mail_folder_list(&tx, mb->id, &list, &n));
    buf_printf(b, "%s has %lld messages in %lld threads\n", who, (long long)mb->messages,
               (long long)mb->threads);
    for (size_t i = 0; i < n; i++) {
        int64_t size, kids;
        mail_result(mail_folder_size(&tx, &list[i], &size));
        mail_result(mail_folder_children(&tx, mb->id, list[i].id, &kids));
        if (list[i].messages || kids || !mail_folder_is_fixed(list[i].id))
            buf_printf(b, "%s %s: %lld %lld %lld %lld, %lld bytes, %lld within\n", who,
                       list[i].name, (long long)list[i].messages, (long long)list[i].unread,
                       (long long)list[i].threads, (long long)list[i].unread_threads,
                       (long long)size, (long long)kids);
    }
}

static void say_feed(struct buf *b, const char *who, const struct mailbox *mb)
{
    struct mail_change *list;
    bool more = true;
    int64_t after = mb->floor;
    while (more) {
        size_t n;
        if (mail_changes(&tx, mb, after, 0, 0, 3, &list, &n, &more) < 0) {
            buf_printf(b, "%s: refused, %s\n", who, test_err.reason);
            test_err = (struct sosia_err){0};
            return;
        }
        for (size_t i = 0; i < n; i++)
            buf_printf(b, "%s %lld: kind %d, message %s,%s now%s, from %lld to %lld\n", who,
                       (long long)list[i].number, list[i].kind, list[i].key ? "" : "?",
                       places(list[i].folders, list[i].n_folders),
                       places(list[i].now, list[i].n_now),
                       (long long)mail_folder_place(list[i].folder_before),
                       (long long)mail_folder_place(list[i].folder));
        after = n ? list[n - 1].number : after;
    }
}

void mail_state(void)
{
    struct buf b, feed;
    buf_init(&b, 0);
    buf_init(&feed, 0);
    for (size_t who = 0; who < SOSIA_LEN(names); who++) {
        struct mailbox mb = box(names[who]);
        const struct mail_list all = {.mailbox = mb.id, .limit = 100};
        struct mail_message *list;
        size_t n;
        bool more;
        mail_result(mail_list(&tx, &all, &list, &n, &more));
        say_folders(&b, names[who], &mb);
        for (size_t i = 0; i < n; i++)
            say_message(&b, names[who], &list[i]);
        say_feed(&feed, names[who], &mb);
    }
    story_state("mail", buf_str(&b));
    story_state("feeds", buf_str(&feed));
    buf_done(&b);
    buf_done(&feed);
    survey_plain(&tx, &mail_core);
}
