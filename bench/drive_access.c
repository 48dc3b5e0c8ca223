/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person may do with a file under 20 folders, each in the one before, which is shared with a
 * group of theirs at the top: with nothing cached, and after a file of the same folder.
 */
#include "bench/bench.h"
#include "engine/world/engine.h"
#include "services/drive/core/drive.h"

enum { DEEP = 20, ROUNDS = 2000 };

static struct sosia_engine *engine;
static struct sosia_err err;

static uint64_t open_world(void)
{
    char doc[8192], *w = doc;
    uint64_t id;
    w +=
        sprintf(w, "sosia: 1\ntime: 2026-11-21T08:00:00Z\n"
                   "people: [{email: ada@acme.example, name: Ada}, {email: bob@acme.example, name: "
                   "Bob}]\n"
                   "groups: [{email: team@acme.example, name: T, members: [bob@acme.example]}]\n"
                   "files:\n  - {id: f0, owner: ada@acme.example, name: F, type: folder, "
                   "permissions: [{group: team@acme.example, role: writer}]}\n");
    for (int i = 1; i < DEEP; i++)
        w += sprintf(w,
                     "  - {id: f%d, owner: ada@acme.example, name: F, type: folder, parent: f%d}\n",
                     i, i - 1);
    sprintf(w,
            "  - {id: file, owner: ada@acme.example, name: x, mime: text/plain, content: x, "
            "parent: f%d}\n",
            DEEP - 1);
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &id, &err) < 0)
        bench_die("open", err.text);
    return id;
}

/* Microseconds a check; again: by a viewer who has looked before. */
static double measure(uint64_t id, bool again)
{
    struct worker *worker = worker_take(engine, &err);
    struct world *world = worker ? world_take(engine, id, &err) : NULL;
    struct drive_viewer v;
    struct drive_access at;
    struct drive_item it;
    struct actor bob;
    struct tx tx;
    double spent = 0;
    for (int i = 0; world && i < ROUNDS; i++) {
        if (tx_begin(&tx, engine, world, worker, false, world_now(world), &err) < 0 ||
            actor_by_email(&tx, "bob@acme.example", &bob) != 1 ||
            drive_item_by_key(&tx, "file", &it) != 1)
            bench_die("item", err.text);
        drive_viewer(&tx, &bob, &v);
        if (again && drive_role(&v, &it, &at) < 0)
            bench_die("role", err.text);
        double begun = bench_cpu();
        if (drive_role(&v, &it, &at) < 0 || at.role != ROLE_WRITER)
            bench_die("role", err.text);
        spent += bench_cpu() - begun;
        tx_rollback(&tx);
        arena_reset(tx.arena);
    }
    if (!world)
        bench_die("world", err.text);
    world_drop(world);
    worker_drop(worker);
    return spent / ROUNDS / 1e3;
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    uint64_t id = open_world();
    bench_report("permission under 20 folders", measure(id, false), "us", 0, "<= 10 us");
    bench_report("the next one in that folder", measure(id, true), "us", 0, "<= 10 us");
    sosia_engine_close(engine);
    return 0;
}
