/* SPDX-License-Identifier: Apache-2.0 */
/* A pool: some threads take episodes from one counter, each in a fork of its own, and an alarm ends
 * whatever is under way when the time is over. */
#include <pthread.h>
#include <signal.h>
#include <sosia.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, EPISODES = 200, MOST_SECONDS = 60 };

static const char people[] = "sosia: 1\n"
                             "time: 2026-03-02T09:00:00Z\n"
                             "people:\n"
                             "  - {email: ann@example.com, name: Ann}\n";

static struct sosia_engine *engine;
static uint64_t base;
static atomic_int next_episode, done, late;

/* sosia_interrupt() may be called by a signal handler: what is under way fails, its world is as it
 * was before. */
static void on_alarm(int number)
{
    (void)number;
    late = 1;
    sosia_interrupt(engine, 0);
}

/* One episode. 0, -1. */
static int episode(int number, struct sosia_err *err)
{
    const struct sosia_fork_options own = {.size = sizeof own, .seed = (uint64_t)number + 1};
    struct sosia_blob diff;
    char doc[200];
    uint64_t world;
    snprintf(doc, sizeof doc, "sosia: 1\npeople: [{email: guest%d@example.com}]\n", number);
    if (sosia_world_fork(engine, base, &own, &world, err) < 0)
        return -1;
    int rc = sosia_world_seed(engine, world, doc, strlen(doc), NULL, err);
    if (rc == 0 && (rc = sosia_diff(engine, base, world, NULL, &diff, err)) == 0)
        sosia_blob_free(&diff);
    sosia_world_drop(engine, world, NULL);
    return rc;
}

static void *work(void *arg)
{
    struct sosia_err err;
    int number;
    while (!late && (number = next_episode++) < EPISODES) {
        if (episode(number, &err) == 0) {
            done++;
        } else if (err.code != SOSIA_E_INTERRUPTED) {
            fprintf(stderr, "%s\n", err.text);
            exit(1);
        }
    }
    return arg;
}

int main(void)
{
    const struct sosia_world_options seeded = {
        .size = sizeof seeded, .seed_doc = people, .seed_doc_len = strlen(people)};
    struct sosia_err err;
    pthread_t threads[THREADS];
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &seeded, &base, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    signal(SIGALRM, on_alarm);
    alarm(MOST_SECONDS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    alarm(0);
    printf("%d episodes\n", done);
    sosia_engine_close(engine);
    return done != EPISODES;
}
