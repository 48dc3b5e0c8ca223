/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/drive/core/drive_vendors.h"
#include "engine/base/codec.h"
#include "engine/service.h"
#include "engine/world/engine.h"
#include "identity/account.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <strings.h>

/* ---- two vendors ---- */

static const char *new_key(struct tx *t, enum drive_form form, enum drive_top top, bool secret)
{
    uint8_t bytes[8];
    char hex[2 * sizeof bytes + 1];
    if ((secret ? tx_secret : tx_id)(t, "key", bytes, sizeof bytes) < 0)
        return NULL;
    hex_encode(hex, bytes, sizeof bytes);
    return arena_printf(t->arena, "%s!%s", top ? "top" : form == DRIVE_FOLDER ? "dir" : "doc", hex);
}

static bool any_case(struct arena *a, const char *x, const char *y)
{
    (void)a;
    return strcasecmp(x, y) == 0;
}

/* "a.txt" becomes "a 1.txt". */
static const char *other_name(struct arena *a, const char *name, enum drive_form form, int64_t n)
{
    const char *dot = form == DRIVE_FOLDER ? NULL : strrchr(name, '.');
    int stem = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    return arena_printf(a, "%.*s %lld%s", stem, name, (long long)n, name + stem);
}

const struct drive_vendor loose = {
    .name = "loose",
    .root = "Everything",
    .app_data = "Of programs",
    .new_key = new_key,
    .max_depth = 5,
    .trash_us = 3 * DAY_US,
    .revision_us = 10 * DAY_US,
    .kept_revisions = 2,
    .other_revisions = 3,
};
const struct drive_vendor strict = {
    .name = "strict",
    .links = true,
    .digests = BLOB_QUICKXOR,
    .root = "root",
    .app_data = "apps",
    .unique_names = true,
    .same_name = any_case,
    .other_name = other_name,
    .new_key = new_key,
    .max_depth = 8,
    .trash_us = 93 * DAY_US,
    .revision_us = 20 * DAY_US,
    .kept_revisions = 50,
    .other_revisions = 50,
};

/* The drive of one is made when it is first asked for, that of the other with the account. */
static struct provision provisions[3];
static const struct provision of_loose = {"loose", ACCOUNT_DRIVE, "person", true, NULL},
                              of_strict = {"strict", ACCOUNT_DRIVE, "person", true,
                                           drive_provision};
static struct core_policy policies[3];
void (*events_seen)(const struct world_event *first);

static int see_events(struct tx *t, const struct world_event *first)
{
    (void)t;
    if (events_seen)
        events_seen(first);
    return 0;
}

static const struct sosia_core vendor_core = {.name = "vendor",
                                              .schema = "",
                                              .policies = policies,
                                              .provisions = provisions,
                                              .events = see_events};
static const struct sosia_service own = {
    .name = "drive",
    .cores = (const struct sosia_core *const[]){&identity_core, &drive_core, &vendor_core, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

static const char DOC[] = "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7," PEOPLE "}";

/* ---- one transaction a test ---- */

struct sosia_err fault;
struct tx tx;
static struct worker *worker;
static struct world *world;
const struct drive_vendor *vendor;
struct actor ada, bob, eve;
struct drive_item root;

void ok(int r)
{
    if (r < 0)
        fail_msg("%s: %s", fault.reason ? fault.reason : "", fault.text);
}

void refused(int r, const char *reason)
{
    assert_int_equal(r, -1);
    if (!fault.reason || strcmp(fault.reason, reason) != 0)
        fail_msg("expected %s, got %s: %s", reason, fault.reason ? fault.reason : "", fault.text);
    fault = (struct sosia_err){0};
}

void begin(void)
{
    worker = worker_take(test_engine, &fault);
    world = world_take(test_engine, test_world, &fault);
    assert_true(worker && world);
    ok(tx_begin(&tx, test_engine, world, worker, true, world_now(world), &fault));
    /* Their texts end with each transaction. */
    assert_int_equal(actor_by_email(&tx, ADA, &ada), 1);
    assert_int_equal(actor_by_email(&tx, BOB, &bob), 1);
    assert_int_equal(actor_by_email(&tx, EVE, &eve), 1);
}

void end(void)
{
    ok(events_deliver(&tx));
    ok(tx_commit(&tx));
    world_drop(world);
    worker_drop(worker);
}

int open_engine(const char *doc)
{
    if (test_open_engine_of(services) < 0)
        return -1;
    test_world = test_world_of(doc);
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    return 0;
}

int open_world(void **state)
{
    vendor = *state;
    policies[0] = (struct core_policy){DRIVE_CORE, vendor->name, vendor};
    provisions[0] = vendor == &loose ? of_loose : of_strict;
    policies[1] = (struct core_policy){NULL, NULL, NULL};
    provisions[1] = (struct provision){NULL, 0, NULL, false, NULL};
    return open_engine(DOC);
}

int open_pair(const struct drive_vendor *first, const struct drive_vendor *second, const char *doc)
{
    vendor = first;
    policies[0] = (struct core_policy){DRIVE_CORE, first->name, first};
    policies[1] = (struct core_policy){DRIVE_CORE, second->name, second};
    provisions[0] = of_loose;
    provisions[1] = of_strict;
    return open_engine(doc);
}

/* Both vendors in one world; Ada has a drive with each. */
int open_both(void **state)
{
    (void)state;
    return open_pair(&loose, &strict,
                     "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7," PEOPLE
                     ",\"accounts\":[{\"actor\":\"" ADA "\",\"vendor\":\"loose\"},{\"actor\":\"" ADA
                     "\",\"vendor\":\"strict\"}],\"files\":[{\"name\":\"a\",\"owner\":\"" ADA
                     "\"},{\"name\":\"a\",\"owner\":\"" ADA
                     "\",\"vendor\":\"strict\",\"links\":[{}]}]}");
}
