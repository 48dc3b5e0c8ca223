/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that make no sense, which no caller makes: each function that reads them says so, with an
 * error of its own, and none gives out what is not there. Once for each of two vendors.
 */
#include "services/mail/core/show.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>

/* ---- set-up ---- */

static void damage(const char *sql)
{
    char *text = NULL;
    if (sqlite3_exec(slot_db(tx.db), sql, NULL, NULL, &text) != SQLITE_OK)
        fail_msg("%s: %s", sql, text);
    test_err = (struct sosia_err){0};
}

static void broken(const char *what, int rc)
{
    if (rc != -1 || test_err.code != SOSIA_E_INTERNAL)
        fail_msg("%s: %d, %d %s", what, rc, test_err.code, test_err.text);
    assert_string_equal(test_err.text, "a message's rows make no sense");
    test_err = (struct sosia_err){0};
}

/* In bob's inbox: with a file and a calendar object. */
static struct mail_message whole(void)
{
    send_as("ada", "From: Ada <ada@acme.example>\nTo: bob@acme.example\nSubject: whole\n"
                   "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nwhat it says\n--b\n"
                   "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nUID:1\nEND:VCALENDAR\n--b\n"
                   "Content-Type: application/x\nContent-Disposition: attachment; filename=f\n"
                   "Content-Transfer-Encoding: base64\n\nAAEC\n--b--\n");
    return newest("bob", 0);
}

static const struct entity *message_entity(void)
{
    for (size_t i = 0; i < mail_core.n_entities; i++)
        if (strcmp(mail_core.entities[i].table, "mail_message") == 0)
            return &mail_core.entities[i];
    fail_msg("no entity of messages");
    return NULL;
}

/* The three ways in which a row is shown. */
static void shown_broken(int64_t id, bool plain)
{
    const struct entity *e = message_entity();
    int (*const ways[])(struct tx *, int64_t, struct json_writer *) = {e->key, e->dump, e->plain};
    for (size_t i = 0; i < SOSIA_LEN(ways); i++) {
        struct json_writer w;
        struct buf b;
        if (i == 0 && !plain)
            continue; /* its key needs no content */
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        broken(i == 0 ? "key" : i == 1 ? "dump" : "plain", ways[i](&tx, id, &w));
        buf_done(&b);
    }
}

/* From outside: the world is damaged for good. */
static void pages_are_broken(const struct mail_message *m)
{
    struct sosia_blob blob;
    struct buf b;
    const struct mail_shown s = {.actor = "bob@acme.example",
                                 .folder = mail_folder_id(m->mailbox, FOLDER_INBOX),
                                 .limit = 10,
                                 .key = m->key,
                                 .part = 1};
    mail_end();
    broken("page", mail_show_messages(test_engine, test_world, &s, &blob, &test_err));
    broken("message", mail_show_message(test_engine, test_world, &s, &blob, &test_err));
    buf_init(&b, 0);
    broken("part", mail_show_part(test_engine, test_world, &s, &b, &test_err));
    assert_int_equal(b.len, 0);
    buf_done(&b);
    broken("dump", sosia_world_dump(test_engine, test_world, &blob, &test_err));
    mail_begin();
}

/* So that the world can be exported again. */
static void without_the_rest(void)
{
    mail_end();
    mail_use("sosia: 1\n");
}

/* ---- heads ---- */

static void a_message_without_a_head(void **state)
{
    (void)state;
    const struct mail_message m = whole();
    const struct mailbox bob = box("bob");
    struct mail_message_body b;
    struct mail_message copy;
    const char *head, *snippet;
    size_t len;
    struct buf out;
    damage("delete from mail_message_head");
    broken("head", mail_message_head(&tx, &m, &head, &len));
    broken("open", mail_message_open(&tx, &m, &b));
    buf_init(&out, 0);
    broken("raw", mail_message_raw(&tx, &m, &out));
    assert_int_equal(out.len, 0);
    buf_done(&out);
    broken("copy", mail_message_copy(&tx, &bob, &m, m.folder, &copy));
    shown_broken(m.id, true);
    assert_int_equal(mail_message_snippet(&tx, &m, &snippet), 0); /* which is the content's */
    assert_int_equal(count_of("bob"), 1);
    pages_are_broken(&m);
    without_the_rest();
}

/* ---- contents ---- */

static void a_message_without_a_content(void **state)
{
    (void)state;
    const struct mail_message m = whole();
    const struct mailbox bob = box("bob");
    struct mail_message_body b;
    struct mail_message copy;
    const char *head, *snippet;
    size_t len;
    struct buf out;
    damage("pragma defer_foreign_keys = on");
    damage("delete from mail_content");
    assert_int_equal(mail_message_head(&tx, &m, &head, &len), 0);
    assert_non_null(strstr(head, "Subject: whole"));
    broken("open", mail_message_open(&tx, &m, &b));
    buf_init(&out, 0);
    broken("raw", mail_message_raw(&tx, &m, &out));
    buf_done(&out);
    if (!vendor->snippet)
        broken("snippet", mail_message_snippet(&tx, &m, &snippet));
    broken("copy", mail_message_copy(&tx, &bob, &m, m.folder, &copy));
    shown_broken(m.id, false);
}

/* How the parts lie is checked whenever it is read. */
static void parts_that_lie_nowhere(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "update mail_content set tree = x''",
        "update mail_content set tree = x'00'",
        "update mail_content set tree = x'ffffffffffffffffffff'",
        "update mail_content set tree = cast(substr(tree, 1, length(tree) - 1) as blob)",
        "update mail_content set size = size + 1",
        "update mail_content set size = 0",
        "update mail_content set own = x''",
        "update mail_content set own = cast(own || x'00' as blob)",
    };
    const struct mail_message m = whole();
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        struct mail_message_body b;
        struct buf out;
        damage("savepoint before");
        damage(wrong[i]);
        broken(wrong[i], mail_message_open(&tx, &m, &b));
        buf_init(&out, 0);
        broken(wrong[i], mail_message_raw(&tx, &m, &out));
        buf_done(&out);
        damage("rollback to before; release before");
        assert_int_equal(mail_message_open(&tx, &m, &b), 0);
    }
}

/* A hash says where to look; the bytes say what it is. */
static void a_hash_may_be_that_of_other_bytes(void **state)
{
    (void)state;
    static const char text[] = "From: Ada <ada@acme.example>\nTo: bob@acme.example\n\nother text\n";
    whole();
    send_as("ada", text);
    const int64_t hash = number("select hash from mail_content order by id desc limit 1");
    damage(arena_printf(tx.arena, "update mail_content set hash = %lld", (long long)hash));
    send_as("ada", text);
    assert_int_equal(number("select count(*) from mail_content"), 2);
    assert_int_equal(number("select refs from mail_content order by id desc limit 1"), 4);
    const struct mail_message m = newest("bob", 0);
    damage("update mail_content set hash = 1 where id = (select max(id) from mail_content)");
    send_as("ada", text);
    assert_int_equal(number("select count(*) from mail_content"), 3); /* none had these bytes */
    assert_string_equal(strstr(raw_of(&m), "\r\n\r\n"), "\r\n\r\nother text\r\n");
    const struct mail_message last = newest("bob", 0);
    assert_string_equal(strstr(raw_of(&last), "\r\n\r\n"), "\r\n\r\nother text\r\n");
}

/* ---- what an answer needs of the message that it names ---- */

static void an_answer_to_a_damaged_invitation(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    send_as("ada", "From: Ada <ada@acme.example>\nTo: bob@acme.example\nSubject: come\n"
                   "Message-ID: <1@acme.example>\nContent-Type: text/calendar\n\n"
                   "BEGIN:VCALENDAR\nEND:VCALENDAR\n");
    const char *raw = crlf("From: Bob <bob@acme.example>\nTo: x@far.example\nSubject: Re: come\n"
                           "In-Reply-To: <1@acme.example>\nContent-Type: text/calendar\n\nyes?");
    const struct mail_send in = {.from = &bob, .raw = raw, .len = strlen(raw)};
    struct mail_message m;
    assert_int_equal(mail_send(&tx, &in, &m), 0);
    damage("delete from mail_message_head where id in (select id from mail_message where "
           "mailbox = (select id from mail_mailbox where actor = (select id from ident_actor "
           "where email = 'bob@acme.example')) and flags & 1)");
    broken("answer", mail_send(&tx, &in, &m));
    without_the_rest();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, mail_close_world)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(a_message_without_a_head),
        TEST(a_message_without_a_content),
        TEST(parts_that_lie_nowhere),
        TEST(a_hash_may_be_that_of_other_bytes),
        TEST(an_answer_to_a_damaged_invitation),
    };
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc;
}
