/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/chat/core/chat_vendors.h"
#include "engine/service.h"
#include "engine/world/engine.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdlib.h>

/* ---- two vendors ---- */

static const char *new_key(struct tx *t, const char *prefix, enum chat_thing thing)
{
    static const char *const kinds[] = {"TENANT", "PERSON", "CHANNEL", "TEAM"};
    uint8_t bytes[4];
    uint32_t n;
    if (tx_id(t, "key", bytes, sizeof bytes) < 0)
        return NULL;
    memcpy(&n, bytes, sizeof n);
    return arena_printf(t->arena, "%s%s_%08X", prefix, kinds[thing], n);
}

static const char *bare_key(struct tx *t, enum chat_thing thing, enum chat_kind kind)
{
    (void)kind;
    return new_key(t, "B_", thing);
}

static const char *rich_key(struct tx *t, enum chat_thing thing, enum chat_kind kind)
{
    return new_key(t, kind == CHAT_DIRECT ? "R1" : "R_", thing);
}

static const char *bare_plain(struct arena *a, const char *text)
{
    (void)a;
    return text;
}

/* Without what is in angle brackets. */
static const char *rich_plain(struct arena *a, const char *text)
{
    char *plain = arena_strdup(a, text), *to = plain;
    bool in = false;
    for (const char *p = plain; *p; p++) {
        in |= *p == '<';
        if (!in)
            *to++ = *p;
        in &= *p != '>';
    }
    *to = 0;
    return plain;
}

static uint32_t bare_has(const struct chat_message *m)
{
    (void)m;
    return 0;
}

static uint32_t rich_has(const struct chat_message *m)
{
    return (strstr(m->text, "<a ") ? CHAT_HAS_LINK : 0) | (m->extra ? CHAT_HAS_FILE : 0);
}

int64_t last_gone, saved_message;
bool beyond_documents;

static int rich_gone(struct tx *t, const struct chat_message *m)
{
    (void)t;
    last_gone = m->id;
    return 0;
}

static int rich_saved_by(struct tx *t, int64_t user, int64_t **ret, size_t *ret_n)
{
    *ret = arena_alloc(t->arena, sizeof **ret);
    **ret = saved_message;
    *ret_n = user && saved_message;
    return 0;
}

const struct chat_vendor bare = {
    .key = bare_key, .letters = {"B", "B", "B"}, .plain = bare_plain, .has = bare_has};
const struct chat_vendor rich = {.key = rich_key,
                                 .letters = {"R", "R", "R", "R"},
                                 .parts = true,
                                 .plain = rich_plain,
                                 .has = rich_has,
                                 .gone = rich_gone,
                                 .saved_by = rich_saved_by};

/* A drive of one file, which bob and its owner see. */
static int find_file(struct tx *t, const struct actor *who, const char *id, struct file_ref *ret)
{
    (void)t;
    if (strcmp(id, "plan-1") != 0 || strcmp(who->email, "eve@acme.example") == 0)
        return 0;
    *ret = (struct file_ref){"Plan", "text/plain"};
    return 1;
}

static struct core_policy policies[] = {
    {CHAT_CORE, "first", NULL}, {CHAT_CORE, "other", NULL}, {NULL, NULL, NULL}};
void (*events_seen)(const struct world_event *first);

static int see_events(struct tx *t, const struct world_event *first)
{
    (void)t;
    if (events_seen)
        events_seen(first);
    return 0;
}

static const struct sosia_core vendor_core = {
    .name = "vendor", .schema = "", .policies = policies, .file = find_file, .events = see_events};
static const struct sosia_service own = {
    .name = "chat",
    .cores = (const struct sosia_core *const[]){&identity_core, &chat_core, &chat_channel_core,
                                                &chat_message_core, &vendor_core, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7,"
    "\"organizations\":[{\"domain\":\"acme.example\",\"name\":\"Acme\"}],"
    "\"people\":[{\"email\":\"ada@acme.example\"},{\"email\":\"bob@acme.example\"},"
    "{\"email\":\"eve@acme.example\"},{\"handle\":\"machine\",\"kind\":\"bot\"}]}";

/* ---- one transaction a test ---- */

struct sosia_err fault;
struct tx tx;
static struct worker *worker;
static struct world *world;
const struct chat_vendor *vendor;
struct chat_workspace acme, far;
struct chat_user ada, bob, eve;
struct chat_channel general, closed;

void ok(int r)
{
    if (r < 0)
        fail_msg("%s: %s", fault.reason ? fault.reason : "", fault.text);
    assert_int_equal(r, 0);
}

void refused(int r, const char *reason)
{
    assert_int_equal(r, -1);
    if (!fault.reason || strcmp(fault.reason, reason) != 0)
        fail_msg("expected %s, got %s: %s", reason, fault.reason ? fault.reason : "", fault.text);
    fault = (struct sosia_err){0};
}

void begin_try(void)
{
    ok(slot_savepoint(tx.db, &fault));
}

void end_try(void)
{
    ok(slot_rollback_to(tx.db, &fault));
}

void begin(void)
{
    worker = worker_take(test_engine, &fault);
    world = world_take(test_engine, test_world, &fault);
    assert_true(worker && world);
    ok(tx_begin(&tx, test_engine, world, worker, true, world_now(world), &fault));
}

static struct chat_workspace workspace(const char *domain, const char *of)
{
    struct chat_workspace w = {.domain = domain,
                               .name = domain,
                               .email_domain = "",
                               .plan = "standard",
                               .setting = "{}",
                               .vendor = of,
                               .created_s = tx.now_us / 1000000};
    ok(chat_workspace_add(&tx, &w));
    return w;
}

struct chat_user user(const struct chat_workspace *w, const char *name, enum chat_role role)
{
    struct actor actor;
    assert_int_equal(actor_by_email(&tx, arena_printf(tx.arena, "%s@acme.example", name), &actor),
                     1);
    struct chat_user u = {.workspace = w->id,
                          .actor = actor.id,
                          .name = name,
                          .real_name = name,
                          .display_name = "",
                          .title = "",
                          .phone = "",
                          .pronouns = "",
                          .email = actor.email,
                          .zone = "UTC",
                          .locale = "en-US",
                          .role = role,
                          .status_text = "",
                          .status_emoji = "",
                          .presence = "auto",
                          .active = true};
    ok(chat_user_add(&tx, &u));
    return u;
}

struct chat_channel channel(const struct chat_workspace *w, enum chat_kind kind, const char *name)
{
    struct chat_channel ch = {.workspace = w->id,
                              .kind = kind,
                              .name = name,
                              .topic = "",
                              .purpose = "",
                              .posting = "all",
                              .previous_names = "[]"};
    ok(chat_channel_add(&tx, &ch));
    return ch;
}

void join(struct chat_channel *ch, const struct chat_user *u)
{
    assert_int_equal(chat_member_add(&tx, ch, u->id, 0), 1);
}

int open_world(void **state)
{
    vendor = *state;
    policies[0].policy = vendor;
    policies[1].policy = vendor == &bare ? &rich : &bare;
    last_gone = saved_message = 0;
    beyond_documents = false;
    if (test_open_engine_of(services) < 0)
        return -1;
    test_world = test_world_of(DOC);
    begin();
    acme = workspace("acme", "");
    far = workspace("far", "other");
    ada = user(&acme, "ada", CHAT_OWNER);
    bob = user(&acme, "bob", CHAT_MEMBER);
    eve = user(&acme, "eve", CHAT_GUEST);
    general = channel(&acme, CHAT_PUBLIC, "general");
    closed = channel(&acme, CHAT_PRIVATE, "closed");
    join(&general, &ada);
    join(&closed, &ada);
    return 0;
}

void close_tx(void)
{
    ok(events_deliver(&tx));
    ok(tx_commit(&tx));
    world_drop(world);
    worker_drop(worker);
}

static char *dump_of(uint64_t of)
{
    struct sosia_blob blob;
    ok(sosia_world_dump(test_engine, of, &blob, &fault));
    char *text = strdup(blob.data);
    sosia_blob_free(&blob);
    return text;
}

static void same_lines(const char *what, const char *got, const char *expected)
{
    size_t n = 0, line = 0;
    for (; got[n] && got[n] == expected[n]; n++)
        if (got[n] == '\n')
            line = n + 1;
    if (got[n] || expected[n])
        fail_msg("%s: %.80s, not %.80s", what, got + line, expected + line);
}

/* Whatever a test did: rows keep their rules, so that an exported world is taken, with the same
 * dump, and so is a world that is made of the dump. */
static void check_rows(void)
{
    uint64_t other;
    char *dump = dump_of(test_world);
    if (test_import_changed(NULL, &other) < 0)
        fail_msg("import: %s", test_err.text);
    char *imported = dump_of(other);
    same_lines("imported", imported, dump);
    free(imported);
    if (!beyond_documents) {
        char *made = dump_of(test_world_of(dump));
        same_lines("made of its dump", made, dump);
        free(made);
    }
    free(dump);
}

int close_world(void **state)
{
    close_tx();
    check_rows();
    return test_close_engine(state);
}

struct chat_message post_in(struct chat_channel *ch, const struct chat_user *u, const char *text,
                            int64_t thread)
{
    struct chat_message m = {.user = u->id, .text = text, .thread = thread};
    ok(chat_post(&tx, ch, &m));
    return m;
}

struct chat_message post(const char *text)
{
    return post_in(&general, &ada, text, 0);
}

struct chat_message again(int64_t id)
{
    struct chat_message m;
    assert_int_equal(chat_message_get(&tx, id, &m), 1);
    return m;
}

struct chat_channel channel_again(int64_t id)
{
    struct chat_channel ch;
    assert_int_equal(chat_channel_get(&tx, id, &ch), 1);
    return ch;
}
