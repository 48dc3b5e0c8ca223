/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random changes of three mailboxes. Counters are right after each of them, and programs that
 * follow the feed from its beginning know every message and its labels.
 */
#include "tests/support/mail.h"
#include <stdlib.h>

#define STEPS   1500
#define MIRRORS 3

static uint64_t seed;

static uint32_t dice(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

static const char *const people[MIRRORS] = {"ada", "bob", "cyd"};

/* ---- what a program knows that follows the feed ---- */

struct known {
    int64_t key, thread;
    int64_t labels[40];
    size_t n;
};

static struct mirror {
    int64_t at;
    struct known messages[4000];
    size_t n;
} mirrors[MIRRORS];

static struct known *find(struct mirror *m, int64_t key)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->messages[i].key == key)
            return &m->messages[i];
    return NULL;
}

static void set_label(struct known *k, int64_t label, bool on)
{
    size_t i = 0;
    while (i < k->n && k->labels[i] != label)
        i++;
    assert_int_equal(i < k->n, !on); /* nothing is recorded that was so already */
    if (on)
        k->labels[k->n++] = label;
    else
        k->labels[i] = k->labels[--k->n];
}

static void follow(int who)
{
    struct mirror *m = &mirrors[who];
    struct mailbox mb = box(people[who]);
    struct mail_change *list;
    size_t n;
    bool more = true;
    while (more) {
        assert_int_equal(mail_changes(&tx, &mb, m->at, 0, 0, 1 + dice(9), &list, &n, &more), 0);
        for (size_t i = 0; i < n; i++) {
            const struct mail_change *c = &list[i];
            struct known *k = find(m, c->key);
            m->at = c->number;
            if (c->kind == MAIL_ADDED) {
                assert_null(k);
                assert_true(m->n < SOSIA_LEN(m->messages));
                k = &m->messages[m->n++];
                *k = (struct known){.key = c->key, .thread = c->thread_key, .n = c->n_now};
                memcpy(k->labels, c->now, c->n_now * sizeof *c->now);
                continue;
            }
            assert_non_null(k);
            assert_int_equal(k->thread, c->thread_key);
            for (size_t l = 0; l < c->n_folders; l++)
                set_label(k, c->folders[l], c->kind == MAIL_LABELLED);
            if (c->kind == MAIL_DELETED)
                *k = m->messages[--m->n];
        }
    }
    assert_int_equal(m->at, mb.change);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void compare(int who)
{
    struct mirror *m = &mirrors[who];
    struct mailbox mb = box(people[who]);
    struct mail_list all = {.mailbox = mb.id, .limit = 10000};
    struct mail_message *found;
    size_t n;
    bool more;
    assert_int_equal(mail_list(&tx, &all, &found, &n, &more), 0);
    assert_int_equal(n, m->n);
    for (size_t i = 0; i < n; i++) {
        int64_t *labels;
        size_t n_labels;
        struct known *k = find(m, found[i].key);
        assert_non_null(k);
        assert_int_equal(k->thread, found[i].thread_key);
        assert_int_equal(mail_message_folders(&tx, &found[i], &labels, &n_labels), 0);
        assert_int_equal(n_labels, k->n);
        qsort(labels, n_labels, sizeof *labels, by_number);
        qsort(k->labels, k->n, sizeof *k->labels, by_number);
        if (n_labels)
            assert_memory_equal(labels, k->labels, n_labels * sizeof *labels);
    }
}

/* ---- changes ---- */

static bool some_message(const char *who, struct mail_message *ret)
{
    struct mailbox mb = box(who);
    struct mail_list all = {.mailbox = mb.id, .limit = 10000};
    struct mail_message *found;
    size_t n;
    bool more;
    assert_int_equal(mail_list(&tx, &all, &found, &n, &more), 0);
    if (n)
        *ret = found[dice((uint32_t)n)];
    return n > 0;
}

static int64_t some_label(const char *who)
{
    static const char *const names[] = {"Work", "Home", "Work/Plans", "\xC3\x84rger"};
    static const int roles[] = {LABEL_INBOX, LABEL_UNREAD,    LABEL_STARRED, LABEL_TRASH,
                                LABEL_SPAM,  LABEL_IMPORTANT, LABEL_SOCIAL,  LABEL_FORUMS};
    return dice(2) ? label_named(who, names[dice(SOSIA_LEN(names))])
                   : mail_folder_id(box(who).id, roles[dice(SOSIA_LEN(roles))]);
}

static const char *some_text(const char *to)
{
    return arena_printf(tx.arena,
                        "To: %s\nMessage-ID: <%u@x>\nIn-Reply-To: <%u@x>\nSubject: %s%u\n\nbody %u",
                        to, dice(50), dice(50), dice(2) ? "Re: " : "", dice(4), dice(1000));
}

static const char *some_recipients(void)
{
    static const char *const to[] = {"bob@acme.example", "ada@acme.example, cyd@acme.example",
                                     "all@acme.example", "nobody@acme.example",
                                     "x@else.example",   "a+b@acme.example, room@acme.example"};
    return to[dice(SOSIA_LEN(to))];
}

static void change_draft(const char *who)
{
    struct mailbox mb = box(who);
    struct mail_message m;
    struct mail_draft d;
    const char *raw = crlf(some_text(some_recipients()));
    struct mail_message_new new = {
        .mailbox = &mb, .raw = raw, .len = strlen(raw), .at_s = INT64_MIN};
    if (!some_message(who, &m) || mail_draft_of_message(&tx, &m, &d) != 1) {
        assert_int_equal(mail_draft_add(&tx, &new, 0, &d), 0);
        return;
    }
    struct mail_send send = {.from = &mb, .raw = raw, .len = strlen(raw), .draft = &d};
    if (dice(3))
        assert_int_equal(mail_draft_save(&tx, &d, &new), 0);
    else if (dice(2))
        assert_int_equal(mail_draft_delete(&tx, &d), 0);
    else
        assert_int_equal(mail_send(&tx, &send, &m), 0);
}

static void change(const char *who)
{
    struct mail_message m;
    struct mail_folder l;
    int64_t label = some_label(who), other = some_label(who);
    switch (dice(12)) {
    case 0:
    case 1:
        put(who, some_text("x@else.example"), dice(2) ? "INBOX UNREAD Work" : "Home STARRED");
        break;
    case 2:
    case 3:
        send_as(who, some_text(some_recipients()));
        break;
    case 4:
        if (some_message(who, &m))
            assert_int_equal(mail_message_delete(&tx, &m), 0);
        break;
    case 5:
    case 6:
        change_draft(who);
        break;
    case 7:
        if (dice(8) == 0 && !mail_folder_is_fixed(label) &&
            mail_folder_get(&tx, box(who).id, label, &l) == 1)
            assert_int_equal(mail_folder_delete(&tx, &l), 0);
        break;
    default:
        if (some_message(who, &m))
            assert_int_equal(
                mail_message_modify(&tx, &m, &label, dice(2), &other, label != other && dice(2)),
                0);
    }
}

static void feeds_and_counters_are_right_whatever_happens(void **state)
{
    (void)state;
    for (int i = 0; i < MIRRORS; i++)
        mirrors[i] = (struct mirror){.at = box(people[i]).change};
    for (seed = 1; seed < 1 + STEPS;) {
        uint64_t step = seed;
        change(people[dice(MIRRORS)]);
        if (step % 5 == 0)
            check_counters();
        if (step % 7 == 0)
            follow((int)dice(MIRRORS));
        if (step % 3 == 0)
            mail_later((int64_t)dice(50000) * 1000000);
        seed = step + 1;
    }
    check_counters();
    for (int i = 0; i < MIRRORS; i++) {
        follow(i);
        compare(i);
        assert_true(mirrors[i].n > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        feeds_and_counters_are_right_whatever_happens, mail_open_world, mail_close_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
