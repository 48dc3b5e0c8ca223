/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is read in messages and of mailboxes, once for each of two vendors: links, importance, texts
 * in two forms, ids, addresses, paths of folders, and what is asked for of what is not there.
 */
#include "engine/json/json.h"
#include "services/mail/core/show.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- set-up ---- */

static struct mail_message kept_at(const char *text, int64_t at_s)
{
    const struct mailbox ada = box("ada");
    const char *raw = crlf(text);
    const struct mail_message_new in = {
        .mailbox = &ada, .raw = raw, .len = strlen(raw), .flags = FLAG(FOLDER_INBOX), .at_s = at_s};
    struct mail_message m;
    if (mail_message_add(&tx, &in, &m) < 0)
        fail_msg("add: %s", test_err.text);
    return m;
}

static struct mail_message kept(const char *text)
{
    return kept_at(text, INT64_MIN);
}

static size_t found_by(const struct search *q, struct mail_message **ret)
{
    const struct mailbox ada = box("ada");
    const struct mail_list list = {.mailbox = ada.id, .query = q, .limit = 100};
    size_t n;
    bool more;
    assert_int_equal(mail_list(&tx, &list, ret, &n, &more), 0);
    return n;
}

/* ---- links ---- */

static uint32_t links_in(const char *type, const char *text)
{
    return kept(arena_printf(tx.arena, "Content-Type: %s\n\n%s\n", type, text)).has;
}

static void links_say_what_they_lead_to(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t has;
    } all[] = {
        {"see https://files/plansdocument now", HAS_DRIVE | HAS_DOCUMENT},
        {"see https://files/plansspreadsheet", HAS_DRIVE | HAS_SPREADSHEET},
        {"see https://files/planspresentation", HAS_DRIVE | HAS_PRESENTATION},
        {"see https://files/plansdrawing", HAS_DRIVE},
        {"see https://files/plans", HAS_DRIVE},
        {"see https://files/other", 0},
        {"see https:/files/plansdocument", 0},
        {"see https://other/plansdocument", 0},
        {"see https://videos/1", HAS_VIDEO},
        {"https://videos/1 and https://files/plansdocument", HAS_VIDEO | HAS_DRIVE | HAS_DOCUMENT},
        {"https://files/plansdocument and https://files/plansspreadsheet",
         HAS_DRIVE | HAS_DOCUMENT | HAS_SPREADSHEET},
        /* What is within the link of a file is a part of it, unless it is a video. */
        {"https://files/plansx://files/plansdocument", HAS_DRIVE},
        {"https://files/plansdocument?x://videos/1", HAS_DRIVE | HAS_VIDEO},
        {"://", 0},
        {"://videos", HAS_VIDEO},
        {"://video", 0},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const uint32_t is = links_in("text/plain", all[i].text);
        if (is != all[i].has)
            fail_msg("%s: %x", all[i].text, is);
    }
    assert_int_equal(links_in("text/html", "<a href=\"https://files/plansdocument\">x</a>"),
                     HAS_DRIVE | HAS_DOCUMENT);
}

static void a_link_ends_where_it_ends(void **state)
{
    (void)state;
    for (const char *c = "\"'<>()[]{}\\^`| \t\x01"; *c; c++)
        if (links_in("text/plain", arena_printf(tx.arena, "a://files/plansdocument%cx", *c)) !=
            (HAS_DRIVE | HAS_DOCUMENT))
            fail_msg("character %d", *c);
    for (const char *c = "-_.~!*;:@&=+$,/?#%aZ09\x7f"; *c; c++)
        if (links_in("text/plain", arena_printf(tx.arena, "a://files/plansdocument%cx", *c)) !=
            HAS_DRIVE)
            fail_msg("character %d", *c);
}

static void links_have_limits(void **state)
{
    (void)state;
    for (int n = 128; n <= 129; n++) { /* bytes of a file's id */
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "a://files/plans");
        for (int i = 5; i < n; i++)
            buf_byte(&b, 'x');
        assert_int_equal(links_in("text/plain", buf_str(&b)), n > 128 ? 0 : HAS_DRIVE);
        buf_done(&b);
    }
    for (int n = 99; n <= 100; n++) { /* files before the one that is a document */
        struct buf b;
        buf_init(&b, 0);
        for (int i = 0; i < n; i++)
            buf_printf(&b, "a://files/other%d a://files/other%d\n", i, i);
        buf_puts(&b, "a://files/plansdocument");
        assert_int_equal(links_in("text/plain", buf_str(&b)),
                         n > 99 ? 0 : HAS_DRIVE | HAS_DOCUMENT);
        buf_done(&b);
    }
}

static void a_file_is_there_for_those_who_see_it(void **state)
{
    (void)state;
    send_as("ada", "To: bob@acme.example, cyd@acme.example\n\na://files/plansdocument\n");
    assert_int_equal(newest("bob", 0).has, HAS_DRIVE | HAS_DOCUMENT);
    assert_int_equal(newest("cyd", 0).has, 0);
    struct search q = {.kind = SEARCH_HAS, .bits = HAS_DOCUMENT};
    const struct mailbox bob = box("bob"), cyd = box("cyd");
    struct mail_list list = {.mailbox = bob.id, .query = &q, .limit = 5};
    struct mail_message *found;
    size_t n;
    bool more;
    assert_int_equal(mail_list(&tx, &list, &found, &n, &more), 0);
    assert_int_equal(n, 1);
    list.mailbox = cyd.id;
    assert_int_equal(mail_list(&tx, &list, &found, &n, &more), 0);
    assert_int_equal(n, 0);
}

/* ---- what a head says ---- */

static void importance_is_read_from_the_head(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        int importance;
    } all[] = {
        {"Importance: high", 1},
        {"importance: LOW", -1},
        {"Importance: normal", 0},
        {"X-Priority: 1", 1},
        {"X-Priority: 2 (High)", 1},
        {"X-Priority: 3", 0},
        {"X-Priority: 4(x)", -1},
        {"X-Priority: 5", -1},
        {"X-Priority: 11", 0},
        {"Priority: urgent", 1},
        {"Priority: non-urgent", -1},
        {"Priority: hig", 0},
        {"X-Importance: high", 0},
        {"Importanc: high", 0},
        {"Importances: high", 0},
        /* The first of these names goes before the others, wherever it is. */
        {"Priority: urgent\nImportance: low", -1},
        {"Importance: low\nPriority: urgent", -1},
        {"Priority: non-urgent\nX-Priority: 1", 1},
        {"Importance: low\nImportance: high", -1},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct mail_message m = kept(arena_printf(tx.arena, "%s\n\nx\n", all[i].field));
        struct mail_property p;
        assert_int_equal(mail_property_get(&tx, &m, &p), 0);
        if (p.importance != all[i].importance || p.receipts)
            fail_msg("%s: %d", all[i].field, p.importance);
    }
    static const struct {
        const char *field;
        unsigned receipts;
    } receipts[] = {{"Disposition-Notification-To: a@x", RECEIPT_READ},
                    {"return-receipt-to: a@x", RECEIPT_DELIVERED},
                    {"Return-Receipt-To: a@x\nDisposition-Notification-To: a@x",
                     RECEIPT_READ | RECEIPT_DELIVERED},
                    {"X-Return-Receipt-To: a@x", 0}};
    for (size_t i = 0; i < SOSIA_LEN(receipts); i++) {
        const struct mail_message m = kept(arena_printf(tx.arena, "%s\n\nx\n", receipts[i].field));
        struct mail_property p;
        assert_int_equal(mail_property_get(&tx, &m, &p), 0);
        assert_int_equal(p.receipts, receipts[i].receipts);
    }
}

static void properties_have_bounds(void **state)
{
    (void)state;
    static const struct mail_property wrong[] = {{.importance = -2},
                                                 {.importance = 2},
                                                 {.flag = FLAG_COMPLETE + 1},
                                                 {.inference = INFERENCE_OTHER + 1},
                                                 {.receipts = 4}};
    struct mail_message m = kept("Disposition-Notification-To: a@x\n\nx\n");
    struct mail_property usual, p;
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++)
        refused(mail_property_set(&tx, &m, &wrong[i]), "property");
    assert_int_equal(mail_property_get(&tx, &m, &usual), 0);
    /* Each by itself is a change, and none of it is lost. */
    const int64_t times[] = {MAIL_NO_TIME, 0, WEEK};
    for (int i = 0; i < 5; i++) {
        int64_t change = m.change;
        p = usual;
        p.importance = i == 0;
        p.inference = i == 1 ? INFERENCE_FOCUSED : INFERENCE_NONE;
        p.flag_from_us = i == 2 ? times[1] : MAIL_NO_TIME;
        p.flag_due_us = i == 3 ? times[2] : MAIL_NO_TIME;
        p.flag_done_us = i == 4 ? times[2] : MAIL_NO_TIME;
        p.receipts = 0; /* is the head's */
        struct mail_property is;
        assert_int_equal(mail_property_set(&tx, &m, &p), 0);
        assert_true(m.change > change);
        change = m.change;
        assert_int_equal(mail_property_set(&tx, &m, &p), 0);
        assert_int_equal(m.change, change);
        assert_int_equal(mail_property_get(&tx, &m, &is), 0);
        p.receipts = RECEIPT_READ;
        assert_memory_equal(&is, &p, sizeof p);
        struct mail_thread t;
        assert_int_equal(mail_thread_by_id(&tx, m.thread, &t), 1);
        assert_int_equal(t.change, m.change);
    }
    /* The keyword is the flag, either way. */
    const struct mailbox ada = box("ada");
    const int64_t flagged = ID_OF(&ada, KEYWORD_FLAGGED);
    assert_int_equal(mail_message_modify(&tx, &m, &flagged, 1, NULL, 0), 0);
    assert_int_equal(mail_property_get(&tx, &m, &p), 0);
    assert_int_equal(p.flag, FLAG_SET);
    p.flag = FLAG_COMPLETE;
    assert_int_equal(mail_property_set(&tx, &m, &p), 0);
    assert_false(m.flags & FLAG(KEYWORD_FLAGGED));
    p.flag = FLAG_SET;
    assert_int_equal(mail_property_set(&tx, &m, &p), 0);
    assert_true(m.flags & FLAG(KEYWORD_FLAGGED));
    assert_int_equal(mail_message_modify(&tx, &m, NULL, 0, &flagged, 1), 0);
    assert_int_equal(mail_property_get(&tx, &m, &p), 0);
    assert_int_equal(p.flag, FLAG_NONE);
    /* What is as usual again has no row. */
    struct mail_message plain = kept("Subject: plain\n\nx\n");
    const int64_t rows = number("select count(*) from mail_property");
    assert_int_equal(mail_property_get(&tx, &plain, &usual), 0);
    p = usual, p.importance = 1;
    assert_int_equal(mail_property_set(&tx, &plain, &p), 0);
    assert_int_equal(number("select count(*) from mail_property"), rows + 1);
    assert_int_equal(mail_property_set(&tx, &plain, &usual), 0);
    assert_int_equal(number("select count(*) from mail_property"), rows);
    check_counters();
}

/* ---- texts ---- */

static const char *texts_of(const char *text, size_t most)
{
    const struct mail_message m = kept(text);
    struct mail_message_body b;
    const char *plain, *html;
    size_t n, html_n;
    assert_int_equal(mail_message_open(&tx, &m, &b), 0);
    assert_int_equal(mail_message_texts(&tx, &b, most, &plain, &n, &html, &html_n), 0);
    return arena_printf(tx.arena, "%.*s|%.*s", plain ? (int)n : 1, plain ? plain : "-",
                        html ? (int)html_n : 1, html ? html : "-");
}

static void a_message_has_a_text_and_a_page(void **state)
{
    (void)state;
    assert_string_equal(texts_of("Subject: x\n\nabc\n", 100), "abc\r\n|-");
    assert_string_equal(texts_of("Subject: x\n\nabc\n", 3), "abc|-");
    assert_string_equal(texts_of("Subject: x\n\nabc\n", 2), "ab|-");
    assert_string_equal(texts_of("Content-Type: text/html\n\n<p>abcd</p>\n", 100),
                        "abcd\n|<p>abcd</p>\r\n");
    assert_string_equal(texts_of("Content-Type: text/html\n\n<p>abcd</p>\n", 5), "ab|<p>ab");
    assert_string_equal(texts_of("Content-Type: text/html\n\n&lt;&lt;\n", 4), "<|&lt;");
    assert_string_equal(texts_of("Content-Type: text/plain; charset=iso-8859-1\n\n\xe4\xf6\n", 3),
                        "\xc3\xa4|-");
    assert_string_equal(texts_of("Content-Type: image/png\n\nx\n", 9), "-|-");
    /* A file is not a text of the message. */
    assert_string_equal(texts_of("Content-Type: multipart/mixed; boundary=b\n\n--b\n"
                                 "Content-Disposition: attachment; filename=f\n\nfile\n--b\n\n"
                                 "first\n--b\n\nsecond\n--b--\n",
                                 99),
                        "first|-");
}

static void a_message_is_shown_with_bounds(void **state)
{
    (void)state;
    struct buf b;
    struct sosia_blob blob;
    const struct json *v;
    buf_init(&b, 0);
    buf_puts(&b, "Subject: ");
    for (int i = 0; i < 499; i++)
        buf_puts(&b, "\xc3\xa4");
    buf_puts(&b, "xyz\n");
    for (int i = 1; i < 201; i++)
        buf_printf(&b, "X-%d: %d\n", i, i);
    buf_puts(&b, "Content-Type: multipart/mixed; boundary=b\n\n");
    for (int i = 0; i < 5; i++)
        buf_printf(&b, "--b\nContent-Type: application/x; name=n%d\nContent-ID: <c%d>\n\nfile%d\n",
                   i, i, i);
    buf_puts(&b, "--b--\n");
    const struct mail_message m = kept(buf_str(&b));
    buf_done(&b);
    mail_end();
    struct mail_shown s = {.actor = "ada@acme.example", .key = m.key};
    assert_int_equal(mail_show_message(test_engine, test_world, &s, &blob, &test_err), 0);
    struct arena a;
    arena_init(&a, 0);
    assert_int_equal(json_parse(&a, (const char *)blob.data, blob.len, NULL, &v, &test_err), 0);
    assert_int_equal(json_get(v, "headers")->n, 200);
    assert_int_equal(json_get(v, "parts")->n, 5);
    assert_int_equal(strlen(json_get_str(v, "subject")), 1000);
    const struct json *part = &json_get(v, "parts")->items[4];
    assert_string_equal(json_get_str(part, "name"), "n4");
    assert_string_equal(json_get_str(part, "cid"), "c4");
    int64_t n;
    assert_int_equal(json_i64(json_get(part, "n"), &n), 0);
    assert_int_equal(n, 5); /* behind the whole */
    arena_done(&a);
    sosia_blob_free(&blob);
    for (s.part = 0; s.part < 8; s.part++) {
        buf_init(&b, 0);
        const int r = mail_show_part(test_engine, test_world, &s, &b, &test_err);
        assert_int_equal(r, s.part >= 1 && s.part <= 5 ? 0 : -1);
        if (r < 0)
            assert_string_equal(test_err.reason, "partNotFound");
        else
            assert_int_equal(buf_str(&b)[4], '0' + s.part - 1); /* "file0" */
        buf_done(&b);
    }
    mail_begin();
}

/* ---- places ---- */

static void places_are_of_the_same_mailbox(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada"), bob = box("bob");
    const struct mail_folder theirs = make_folder(&bob, 0, "Work"),
                             mine = make_folder(&ada, 0, "Mine");
    struct mail_message m = kept("Subject: x\n\nx\n");
    const int64_t wrong[] = {
        ID_OF(&bob, KEYWORD_FLAGGED),  ID_OF(&bob, FOLDER_INBOX),   theirs.id,
        ID_OF(&ada, N_PLACES),         ID_OF(&ada, FOLDER_OWN - 1), ID_OF(&ada, FOLDER_OWN + 99),
        ID_OF(&ada, KEYWORD_IMPORTANT)};
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        refused(mail_message_modify(&tx, &m, &wrong[i], 1, NULL, 0), "label");
        refused(mail_message_modify(&tx, &m, NULL, 0, &wrong[i], 1), "label");
        refused(mail_messages_move(&tx, &m, 1, wrong[i]), "label");
        const struct mail_message_new in = {.mailbox = &ada,
                                            .raw = "\r\n",
                                            .len = 2,
                                            .folders = &wrong[i],
                                            .n_folders = 1,
                                            .at_s = INT64_MIN};
        struct mail_message other;
        if (wrong[i] != ID_OF(&ada, KEYWORD_IMPORTANT))
            refused(mail_message_add(&tx, &in, &other), "label");
    }
    const int64_t change = m.change, twice[] = {mine.id, mine.id};
    assert_int_equal(mail_message_modify(&tx, &m, twice, 2, NULL, 0), 0);
    assert_string_equal(labels_of(&m), vendor->exclusive ? "Mine" : "inbox Mine");
    assert_true(m.change > change);
    size_t left = 7;
    assert_int_equal(mail_messages_modify(&tx, &m, 0, twice, 2, NULL, 0), 0);
    assert_int_equal(mail_messages_move(&tx, &m, 0, mine.id), 0);
    assert_int_equal(mail_messages_delete(&tx, &m, 0), 0);
    assert_int_equal(mail_messages_discard(&tx, &m, 0, &left), 0);
    assert_int_equal(left, 0);
    assert_int_equal(count_of("ada"), 1);
    check_counters();
}

static void what_is_discarded_goes_where_its_vendor_says(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    struct mail_message list[4];
    size_t left;
    for (int i = 0; i < 4; i++)
        list[i] = kept(arena_printf(tx.arena, "Subject: %d\n\nx\n", i));
    assert_int_equal(mail_messages_move(&tx, &list[1], 2, ID_OF(&ada, FOLDER_TRASH)), 0);
    assert_int_equal(mail_messages_discard(&tx, list, 4, &left), 0);
    assert_int_equal(left, vendor->exclusive ? 2 : 4);
    assert_int_equal(count_of("ada"), left);
    assert_string_equal(header_of(&list[1], "Subject"), vendor->exclusive ? "3" : "1");
    for (size_t i = 0; i < left; i++)
        assert_string_equal(labels_of(&list[i]), "trash");
    check_counters();
}

static void messages_are_in_the_order_of_their_time(void **state)
{
    (void)state;
    const int64_t at[] = {1000, 1001, 1000, 0, -5, 1001, (INT64_C(1) << 33) - 1, INT64_C(1) << 33};
    static const int order[] = {7, 6, 5, 1, 2, 0, 4, 3};
    struct mail_message *list;
    for (size_t i = 0; i < SOSIA_LEN(at); i++)
        kept_at(arena_printf(tx.arena, "Subject: %zu\n\nx\n", i), at[i]);
    assert_int_equal(found_by(NULL, &list), SOSIA_LEN(at));
    for (size_t i = 0; i < SOSIA_LEN(at); i++)
        assert_string_equal(header_of(&list[i], "Subject"), arena_printf(tx.arena, "%d", order[i]));
    const struct {
        int64_t from, to;
        size_t n;
    } ranges[] = {{1000, 1001, 2}, {1000, 1002, 4}, {1001, 1000, 0},     {1001, 1001, 0},
                  {0, 1000, 2},    {1, 1000, 0},    {1002, INT64_MAX, 2}};
    for (size_t i = 0; i < SOSIA_LEN(ranges); i++) {
        const struct search q = {.kind = SEARCH_DATE, .from = ranges[i].from, .to = ranges[i].to};
        if (found_by(&q, &list) != ranges[i].n)
            fail_msg("range %zu: %zu", i, found_by(&q, &list));
    }
    check_counters();
}

static void message_ids_are_known_in_the_world(void **state)
{
    (void)state;
    struct mail_message *list;
    const struct mailbox ada = box("ada"), bob = box("bob");
    size_t n;
    const struct mail_message first = kept("Message-ID: <a@x>\n\n1\n"),
                              second = kept("Message-ID: <a@x>\n\n2\n");
    kept("Subject: none\n\n3\n");
    assert_int_equal(mail_message_id_taken(&tx, "<a@x>"), 1);
    assert_int_equal(mail_message_id_taken(&tx, "a@x"), 1);
    assert_int_equal(mail_message_id_taken(&tx, "<b@x>"), 0);
    assert_int_equal(mail_message_id_taken(&tx, ""), 0);
    assert_int_equal(mail_message_by_message_id(&tx, ada.id, "a@x", &list, &n), 0);
    assert_int_equal(n, 2);
    assert_int_equal(list[0].id, first.id);
    assert_int_equal(list[1].id, second.id);
    assert_int_equal(mail_message_by_message_id(&tx, ada.id, "", &list, &n), 0);
    assert_int_equal(n, 0);
    assert_null(list);
    assert_int_equal(mail_message_by_message_id(&tx, bob.id, "a@x", &list, &n), 0);
    assert_int_equal(n, 0);
    const char *one, *two;
    assert_int_equal(mail_message_id(&tx, "x@far.example", &one), 0);
    assert_int_equal(mail_message_id(&tx, "x@far.example", &two), 0);
    assert_string_not_equal(one, two);
    assert_int_equal(strlen(one), strlen("<@far.example>") + 32);
    assert_string_equal(one + 33, "@far.example>");
}

/* ---- addresses ---- */

static void an_address_leads_to_a_mailbox(void **state)
{
    (void)state;
    static const struct {
        const char *address;
        int found;
    } all[] = {{"ada@acme.example", 1},
               {"ada+x@acme.example", 1},
               {"ada+@acme.example", 1},
               {"ada+x+y@acme.example", 1},
               {"+ada@acme.example", 0},
               {"ada@acme.example+x", 0},
               {"ada", 0},
               {"ada+x", 0},
               {"zed+x@acme.example", 0},
               {"@acme.example", 0},
               {"", 0}};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct mailbox mb;
        if (mailbox_by_address(&tx, all[i].address, &mb) != all[i].found)
            fail_msg("%s", all[i].address);
    }
    int64_t *ids;
    size_t n;
    assert_int_equal(mailbox_list(&tx, &ids, &n), 0);
    assert_int_equal(n, 3);
    struct mailbox mb;
    assert_int_equal(mailbox_by_id(&tx, ids[2], &mb), 1);
    assert_string_equal(mb.email, "cyd@acme.example");
    assert_int_equal(mailbox_by_id(&tx, 99, &mb), 0);
    assert_int_equal(mailbox_of(&tx, 99, &mb), 0);
    assert_int_equal(mailbox_of_account(&tx, 999, &mb), 0);
    assert_int_equal(mailbox_of_account(&tx, box("bob").account, &mb), 1);
    assert_string_equal(mb.name, "Bob");
}

/* ---- in the core's own terms ---- */

static const struct entity *entity_of(const char *table)
{
    for (size_t i = 0; i < mail_core.n_entities; i++)
        if (strcmp(mail_core.entities[i].table, table) == 0)
            return &mail_core.entities[i];
    fail_msg("no entity of %s", table);
    return NULL;
}

static const char *plain_of(const char *table, int64_t row)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    const int r = entity_of(table)->plain(&tx, row, &w);
    json_end(&w);
    const char *text = arena_printf(tx.arena, "%d %s", r, buf_str(&b));
    buf_done(&b);
    return text;
}

static void folders_are_shown_by_their_paths(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    const struct mail_folder a = make_folder(&ada, 0, "A"), b = make_folder(&ada, a.id, "B"),
                             c = make_folder(&ada, b.id, "C"),
                             in = make_folder(&ada, ID_OF(&ada, FOLDER_INBOX), "In");
    assert_string_equal(plain_of("mail_folder", a.id),
                        "1 {\"person\":\"ada@acme.example\",\"title\":\"A\"}");
    assert_string_equal(plain_of("mail_folder", c.id),
                        "1 {\"person\":\"ada@acme.example\",\"title\":\"A/B/C\"}");
    assert_string_equal(plain_of("mail_folder", in.id),
                        "1 {\"person\":\"ada@acme.example\",\"title\":\"In\"}");
    assert_string_equal(plain_of("mail_folder", ID_OF(&ada, FOLDER_INBOX)), "0 {}");
    struct mail_message m = kept("Subject: s\nTo: x@far.example\n\ntext\n");
    const char *shown = plain_of("mail_message", m.id);
    assert_non_null(strstr(shown, "inbox"));
    assert_null(strstr(shown, "unread"));
    assert_null(strstr(shown, "flagged"));
    const int64_t marks[] = {ID_OF(&ada, KEYWORD_UNSEEN), ID_OF(&ada, KEYWORD_FLAGGED)},
                  inbox = ID_OF(&ada, FOLDER_INBOX);
    assert_int_equal(mail_message_modify(&tx, &m, marks, 2, NULL, 0), 0);
    shown = plain_of("mail_message", m.id);
    assert_non_null(strstr(shown, "\"unread\":true"));
    assert_non_null(strstr(shown, "\"flagged\":true"));
    if (!vendor->exclusive) {
        assert_int_equal(mail_message_modify(&tx, &m, NULL, 0, &inbox, 1), 0);
        assert_non_null(strstr(plain_of("mail_message", m.id), "archive"));
    }
    assert_int_equal(mail_messages_move(&tx, &m, 1, c.id), 0);
    shown = plain_of("mail_message", m.id);
    assert_non_null(strstr(shown, "A/B/C"));
    assert_null(strstr(shown, "archive"));
}

static void what_is_gone_is_not_shown(void **state)
{
    (void)state;
    static const char *const tables[] = {"mail_folder", "mail_message"};
    const struct mailbox ada = box("ada");
    for (size_t i = 0; i < SOSIA_LEN(tables); i++) {
        const struct entity *e = entity_of(tables[i]);
        const int64_t row = i ? mail_message_id_at(ada.id, 5) : ID_OF(&ada, FOLDER_OWN + 5);
        struct json_writer w;
        struct buf b;
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        assert_int_equal(e->key(&tx, row, &w), 0);
        assert_int_equal(e->dump(&tx, row, &w), 0);
        assert_int_equal(e->plain(&tx, row, &w), 0);
        json_end(&w);
        assert_string_equal(buf_str(&b), "{}");
        buf_done(&b);
    }
    struct mail_folder f = {.id = 0};
    int64_t size = 5;
    assert_int_equal(mail_folder_size(&tx, &f, &size), 0);
    assert_int_equal(size, 0);
    struct mail_thread t;
    assert_int_equal(mail_thread_by_id(&tx, 77, &t), 0);
    assert_int_equal(mail_thread_get(&tx, ada.id, 77, &t), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, mail_close_world)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(links_say_what_they_lead_to),
        TEST(a_link_ends_where_it_ends),
        TEST(links_have_limits),
        TEST(a_file_is_there_for_those_who_see_it),
        TEST(importance_is_read_from_the_head),
        TEST(properties_have_bounds),
        TEST(a_message_has_a_text_and_a_page),
        TEST(a_message_is_shown_with_bounds),
        TEST(places_are_of_the_same_mailbox),
        TEST(what_is_discarded_goes_where_its_vendor_says),
        TEST(messages_are_in_the_order_of_their_time),
        TEST(message_ids_are_known_in_the_world),
        TEST(an_address_leads_to_a_mailbox),
        TEST(folders_are_shown_by_their_paths),
        TEST(what_is_gone_is_not_shown),
    };
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc;
}
