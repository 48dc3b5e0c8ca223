/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a message. It is given back byte for byte, its parts lie within it and read as
 * UTF-8, a world of the dump has the same dump, and when it is deleted nothing of it is left.
 */
#include "engine/search/index.h"
#include "engine/world/event.h"
#include "engine/base/utf8.h"
#include "engine/world/engine.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/mime/mime_impl.h"
#include "services/mail/gmail/label.h"
#include "fuzz/fuzz.h"
#include <string.h>

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":\"acme."
    "example\","
    "\"name\":\"Acme\"}],\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\"},"
    "{\"email\":\"bob@acme.example\",\"name\":\"Bob\"}]}";

static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t base;
static struct worker *worker;
static struct world *world;
static struct tx tx;

static uint64_t make(const char *doc, size_t len)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = len};
    uint64_t id;
    CHECK(sosia_world_create(engine, &opt, &id, &err) == 0);
    return id;
}

static void begin(uint64_t id)
{
    worker = worker_take(engine, &err);
    CHECK(worker);
    arena_reset(&worker->arena);
    world = world_take(engine, id, &err);
    CHECK(world && tx_begin(&tx, engine, world, worker, true, world_now(world), &err) == 0);
}

static void end(void)
{
    CHECK(!arena_failed(tx.arena) && events_deliver(&tx) == 0 && tx_commit(&tx) == 0);
    world_drop(world);
    worker_drop(worker);
}

static int64_t number(const char *query)
{
    sqlite3_stmt *st;
    CHECK(sqlite3_prepare_v2(slot_db(tx.db), query, -1, &st, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(st) == SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

static void is_text(const char *text, size_t len)
{
    CHECK(strlen(text) == len && utf8_valid(text, len));
}

static void look(const struct mail_message *m, const uint8_t *data, size_t size)
{
    struct mail_message_body b;
    struct buf raw;
    const char *text;
    size_t len;
    buf_init(&raw, 0);
    CHECK(mail_message_raw(&tx, m, &raw) == 0 && raw.len == size && (size_t)m->size == size);
    CHECK(!size || memcmp(raw.data, data, size) == 0);
    buf_done(&raw);
    CHECK(mail_message_open(&tx, m, &b) == 0);
    is_text(b.snippet, strlen(b.snippet));
    for (int i = 0; i < b.mime.n; i++) {
        const struct mime_part *p = &b.mime.parts[i];
        struct mime_field f;
        size_t pos = 0;
        CHECK(p->at + p->len <= b.len && p->depth <= MIME_MAX_DEPTH);
        is_text(p->type, strlen(p->type));
        if (p->filename)
            is_text(p->filename, strlen(p->filename));
        if (p->charset)
            is_text(p->charset, strlen(p->charset));
        CHECK(mail_message_part(&tx, &b, i, &text, &len) == 0);
        CHECK(p->first >= 0 || len == p->size);
        CHECK(mail_message_part_text(&tx, &b, i, &text, &len) == 0);
        is_text(text, len);
        mail_message_part_head(&b, i, &text, &len);
        while (mime_field_next(text, len, &pos, &f)) {
            const char *value = mime_value_decoded(tx.arena, &f);
            is_text(value, strlen(value));
        }
    }
}

static void addresses(const struct mail_message *m)
{
    static const char *const fields[] = {"From", "To", "Cc"};
    const char *head;
    size_t len, n;
    bool bad;
    CHECK(mail_message_head(&tx, m, &head, &len) == 0);
    for (size_t i = 0; i < SOSIA_LEN(fields); i++) {
        struct mime_address *list, *again;
        size_t n_again;
        mime_address_fields(tx.arena, head, len, fields[i], &list, &n, &bad);
        for (size_t k = 0; k < n; k++) {
            is_text(list[k].email, strlen(list[k].email));
            if (list[k].name)
                is_text(list[k].name, strlen(list[k].name));
            if (!*list[k].email)
                continue;
            /* Written out it is one address, the same. */
            mime_addresses(tx.arena, mime_address_text(tx.arena, list[k].name, list[k].email),
                           &again, &n_again, &bad);
            CHECK(n_again == 1 && !bad && strcmp(again[0].email, list[k].email) == 0);
        }
    }
}

/* A world of the dump has the same dump. */
static void round_trip(uint64_t id)
{
    struct sosia_blob first, second;
    CHECK(sosia_world_dump(engine, id, &first, &err) == 0);
    uint64_t again = make(first.data, first.len);
    CHECK(sosia_world_dump(engine, again, &second, &err) == 0);
    CHECK(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
    free(first.data);
    free(second.data);
    CHECK(sosia_world_drop(engine, again, &err) == 0);
}

/* Nothing of the messages is left. */
static void delete_all(void)
{
    while (number("select count(*) from mail_message")) {
        struct mail_message gone;
        CHECK(mail_message_by_id(&tx, number("select max(id) from mail_message"), &gone) == 1);
        CHECK(mail_message_delete(&tx, &gone) == 0);
    }
    CHECK(number("select count(*) from mail_content") == 0 &&
          number("select count(*) from blob") == 0);
    CHECK(number("select sum(messages + unread + threads + unread_threads) from mail_folder") == 0);
    CHECK(search_settle(&tx) == 0);
    CHECK(sqlite3_exec(slot_db(tx.db), "insert into mail_index (mail_index) values ('optimize')",
                       NULL, NULL, NULL) == SQLITE_OK);
    CHECK(number("select count(*) from mail_index_data where id > 10") == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mail_message m, sent;
    struct mailbox mb;
    if (!engine) {
        engine = fuzz_engine(NULL);
        base = make(DOC, strlen(DOC));
    }
    bool kept = fuzz_turn(data, size, 16);
    uint64_t id = base;
    if (kept)
        CHECK(sosia_world_fork(engine, base, NULL, &id, &err) == 0);
    begin(id);
    CHECK(mailbox_by_address(&tx, "ada@acme.example", &mb) == 1);
    struct mail_message_new new = {.mailbox = &mb,
                                   .raw = (const char *)data,
                                   .len = size,
                                   .flags = FLAG(LABEL_INBOX) | FLAG(LABEL_UNREAD),
                                   .at_s = INT64_MIN,
                                   .incoming = true};
    CHECK(mail_message_add(&tx, &new, &m) == 0);
    look(&m, data, size);
    addresses(&m);
    if (!kept) { /* most are undone: a commit and the rest take far longer than this */
        CHECK(!arena_failed(tx.arena));
        tx_rollback(&tx);
        world_drop(world);
        worker_drop(worker);
        return 0;
    }
    struct mail_send send = {.from = &mb, .raw = (const char *)data, .len = size};
    if (mail_send(&tx, &send, &sent) == 0)
        look(&sent, data, size);
    end();
    if (fuzz_turn(data, size, 64))
        round_trip(id);
    begin(id);
    delete_all();
    end();
    CHECK(sosia_world_drop(engine, id, &err) == 0);
    return 0;
}
