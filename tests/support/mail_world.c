/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/mail.h"
#include "engine/world/event.h"

struct tx tx;

static struct worker *worker;
static struct world *world;

static const char DOC[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada, zone: Europe/Rome, aliases: [a@acme.example]}\n"
    "  - {email: bob@acme.example, name: Bob}\n"
    "  - {email: cyd@acme.example, name: Cyd}\n"
    "  - {email: room@acme.example, name: Room, kind: resource}\n"
    "groups:\n"
    "  - {email: all@acme.example, members: [ada@acme.example, team@acme.example]}\n"
    "  - {email: team@acme.example, members: [bob@acme.example, cyd@acme.example, "
    "all@acme.example, out@else.example]}\n";

void mail_begin(void)
{
    worker = worker_take(test_engine, &test_err);
    assert_non_null(worker);
    arena_reset(&worker->arena);
    world = world_take(test_engine, test_world, &test_err);
    assert_non_null(world);
    if (tx_begin(&tx, test_engine, world, worker, true, world_now(world), &test_err) < 0)
        fail_msg("begin: %s", test_err.text);
}

void mail_end(void)
{
    assert_false(arena_failed(tx.arena));
    if (events_deliver(&tx) < 0 || tx_commit(&tx) < 0)
        fail_msg("commit: %s", test_err.text);
    world_drop(world);
    worker_drop(worker);
    world = NULL;
}

void mail_use(const char *doc)
{
    if (world)
        mail_end();
    test_use(doc);
    mail_begin();
}

int mail_open_world(void **state)
{
    (void)state;
    if (test_open(DOC) < 0)
        return -1;
    mail_begin();
    return 0;
}

int mail_close_world(void **state)
{
    (void)state;
    if (world) {
        tx_rollback(&tx);
        world_drop(world);
        worker_drop(worker);
        world = NULL;
    }
    return test_close();
}

void mail_later(int64_t us)
{
    mail_end();
    assert_int_equal(sosia_clock_advance(test_engine, test_world, us, &test_err), 0);
    mail_begin();
}

struct mailbox box(const char *who)
{
    struct mailbox mb;
    assert_int_equal(mailbox_by_address(&tx, arena_printf(tx.arena, "%s@acme.example", who), &mb),
                     1);
    return mb;
}

const char *crlf(const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (; *text; text++) {
        if (*text == '\n')
            buf_byte(&b, '\r');
        buf_byte(&b, *text);
    }
    const char *out = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return out;
}

int64_t label_named(const char *who, const char *name)
{
    struct mailbox mb = box(who);
    struct mail_folder l;
    if (mail_folder_by_name(&tx, mb.id, 0, name, &l) != 1) {
        struct gmail_label new = {.folder = {.mailbox = mb.id, .name = name}};
        assert_int_equal(gmail_label_add(&tx, &new), 0);
        l = new.folder;
    }
    return l.id;
}

struct mail_message put(const char *who, const char *text, const char *labels)
{
    struct mailbox mb = box(who);
    struct mail_message m;
    int64_t own[8];
    const char *raw = crlf(text);
    struct mail_message_new new = {
        .mailbox = &mb, .raw = raw, .len = strlen(raw), .folders = own, .at_s = INT64_MIN};
    for (const char *p = labels; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        int64_t id = label_named(who, arena_memdup(tx.arena, p, n));
        if (mail_folder_is_fixed(id))
            new.flags |= FLAG(mail_folder_place(id));
        else
            own[new.n_folders++] = id;
        p += n;
    }
    if (mail_message_add(&tx, &new, &m) < 0)
        fail_msg("add: %s", test_err.text);
    return m;
}

struct mail_message send_as(const char *who, const char *text)
{
    struct mailbox mb = box(who);
    const char *raw = crlf(text);
    struct mail_send in = {.from = &mb, .raw = raw, .len = strlen(raw)};
    struct mail_message m;
    if (mail_send(&tx, &in, &m) < 0)
        fail_msg("send: %s", test_err.text);
    return m;
}

const char *labels_of(const struct mail_message *m)
{
    int64_t *ids;
    size_t n;
    struct mail_message now;
    struct buf b;
    assert_int_equal(mail_message_by_id(&tx, m->id, &now), 1);
    assert_int_equal(mail_message_folders(&tx, &now, &ids, &n), 0);
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++) {
        struct mail_folder l;
        assert_int_equal(mail_folder_get(&tx, m->mailbox, ids[i], &l), 1);
        buf_printf(&b, "%s%s", i ? " " : "", l.name);
    }
    const char *out = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return out;
}

static size_t list(const char *who, struct mail_message **ret)
{
    struct mailbox mb = box(who);
    struct mail_list all = {.mailbox = mb.id, .limit = 1000};
    size_t n;
    bool more;
    if (mail_list(&tx, &all, ret, &n, &more) < 0)
        fail_msg("list: %s", test_err.text);
    assert_false(more);
    return n;
}

struct mail_message newest(const char *who, size_t nth)
{
    struct mail_message *found;
    size_t n = list(who, &found);
    if (nth >= n)
        fail_msg("%s has %zu messages", who, n);
    return found[nth];
}

size_t count_of(const char *who)
{
    struct mail_message *found;
    return list(who, &found);
}

const char *raw_of(const struct mail_message *m)
{
    struct buf b;
    buf_init(&b, 0);
    assert_int_equal(mail_message_raw(&tx, m, &b), 0);
    const char *out = arena_memdup(tx.arena, b.len ? b.data : "", b.len);
    assert_int_equal(b.len, m->size);
    buf_done(&b);
    return out;
}

const char *header_of(const struct mail_message *m, const char *name)
{
    const char *head;
    size_t len;
    assert_int_equal(mail_message_head(&tx, m, &head, &len), 0);
    return mime_header(tx.arena, head, len, name);
}

int64_t number(const char *query)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(slot_db(tx.db), query, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

static void none(const char *query)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(slot_db(tx.db), query, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s: %s", query, sqlite3_errmsg(slot_db(tx.db)));
    if (sqlite3_step(st) == SQLITE_ROW)
        fail_msg("%s: %s", query, (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
}

void check_counters(void)
{
    static const char *const wrong[] = {
        "select id from mail_folder l where messages <> (select count(*) from mail_member where "
        "folder = "
        "l.id)",
        "select id from mail_folder l where unread <> (select count(*) from mail_member x join "
        "mail_message m "
        "on m.id = x.message where x.folder = l.id and m.flags & 32)",
        "select id from mail_folder l where threads <> (select count(distinct m.thread) from "
        "mail_member x "
        "join mail_message m on m.id = x.message where x.folder = l.id)",
        "select id from mail_folder l where unread_threads <> (select count(distinct m.thread) "
        "from "
        "mail_member x join mail_message m on m.id = x.message where x.folder = l.id and m.flags "
        "& 32)",
        "select id from mail_thread t where messages <> (select count(*) from mail_message where "
        "thread = "
        "t.id) or newest <> (select max(id) from mail_message where thread = t.id) or messages = 0",
        "select id from mail_thread t where change < (select max(change) from mail_message where "
        "thread = "
        "t.id)",
        "select id from mail_mailbox b where messages <> (select count(*) from mail_message where "
        "mailbox = "
        "b.id) or threads <> (select count(*) from mail_thread where mailbox = b.id)",
        "select id from mail_message m where (flags >> 31 & 1) <> exists (select 1 from "
        "mail_message_folder "
        "where message = m.id)",
        "select id from mail_content c where refs <> (select count(*) from mail_message where "
        "content = "
        "c.id)",
        "select message from mail_member where message not in (select id from mail_message)",
        "select message from mail_message_folder where message not in (select id from "
        "mail_message)",
        "select id from mail_message_head where id not in (select id from mail_message)",
        "select thread from mail_thread_folder where thread not in (select id from mail_thread)",
        "select id from mail_content where id not in (select content from mail_message)",
    };
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++)
        none(wrong[i]);
}
