/* SPDX-License-Identifier: Apache-2.0 */
/* Servers and processes that last: stopped in their sessions between the calls of their world. */
#include "sandbox/runner_private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Processes that go on, by the names that specs have (services/workspace/core/program.h): in a
 * session whose home directory is its own, or is the workspace. */
static const struct carried of_ours[] = {{.name = PROGRAM_PROCESSES, .lasts = true},
                                         {.name = PROGRAM_PROCESSES "home", .lasts = true}};

bool carried_is_ours(const struct carried *k)
{
    return k >= of_ours && k < of_ours + SOSIA_LEN(of_ours);
}

const struct carried *runner_carried(const struct runner *r, const char *name)
{
    for (size_t i = 0; i < SOSIA_LEN(of_ours); i++)
        if (strcmp(of_ours[i].name, name) == 0)
            return &of_ours[i];
    for (size_t i = 0; i < r->n_carried; i++)
        if (strcmp(r->carried[i].name, name) == 0)
            return &r->carried[i];
    return NULL;
}

static time_t clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static void lasting_free(struct lasting *l)
{
    if (!l)
        return;
    sandbox_session_close(l->session);
    tree_copy_free(&l->files);
    free(l->setting);
    free(l);
}

/* Takes those out of the list which a function names; to be freed without the lock. */
static struct lasting *take_lasting(struct runner *r,
                                    bool (*is)(const struct lasting *l, const void *arg),
                                    const void *arg, size_t most)
{
    struct lasting *taken = NULL;
    for (struct lasting **at = &r->lasting; *at && most;) {
        struct lasting *l = *at;
        if (!is(l, arg)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        l->next = taken;
        taken = l;
        r->n_lasting--;
        most--;
    }
    return taken;
}

void lasting_free_all(struct lasting *list)
{
    while (list) {
        struct lasting *l = list;
        list = l->next;
        lasting_free(l);
    }
}

static bool is_idle(const struct lasting *l, const void *arg)
{
    const time_t idle = *(const time_t *)arg;
    return clock_s() - l->used >= (idle && carried_is_ours(l->of) ? IDLE_PROCESSES_S : idle);
}

static void *reap(void *arg)
{
    struct runner *r = arg;
    const time_t idle = IDLE_S;
    pthread_mutex_lock(&r->lock);
    while (!r->closing) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += IDLE_S / 4;
        pthread_cond_timedwait(&r->changed, &r->lock, &until);
        struct lasting *list = take_lasting(r, is_idle, &idle, MOST_LASTING);
        pthread_mutex_unlock(&r->lock);
        lasting_free_all(list);
        bases_sweep(&r->bases, NULL, IDLE_PROCESSES_S);
        pthread_mutex_lock(&r->lock);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* Under the lock. */
void runner_need_reaper(struct runner *r)
{
    if (!r->reaps && !r->closing)
        r->reaps = pthread_create(&r->reaper, NULL, reap, r) == 0;
}

static bool is_of_job(const struct lasting *l, const void *arg)
{
    const struct work *k = arg;
    return l->world == k->world && l->of == k->carried;
}

/* What of the world's settings a session has from its start on; to be freed. NULL: no memory. */
static char *setting_of(const struct work *k)
{
    const struct workspace_limits *l = &k->spec.limits;
    const struct program_services *s = &k->spec.services;
    char *text;
    int n = asprintf(&text, "%s\n%s\n%s\n%s\n%s\n%d %lld %lld %lld %lld %lld %lld %lld", s->actor,
                     s->scopes, s->credentials, k->spec.git ? k->spec.git : "", k->services.hosts,
                     k->spec.home, (long long)l->data, (long long)l->temporary, (long long)l->home,
                     (long long)l->files, (long long)l->memory, (long long)l->processes,
                     (long long)l->descriptors);
    return n < 0 ? NULL : text;
}

/* Whether it goes on: the world has not gone back, it is set as it was, and the token that a server
 * was started with lasts for a while. Processes have each their own, of their start, and outlive
 * it.
 */
static bool goes_on(const struct work *k, const struct lasting *l, const char *setting)
{
    const int64_t age_us = k->now_us - l->began_us;
    return l->era == k->job->era && sandbox_session_holds(l->session) && setting &&
           strcmp(l->setting, setting) == 0 &&
           (!*k->spec.services.actor || carried_is_ours(l->of) ||
            (age_us >= 0 && age_us < PROGRAM_SECONDS * INT64_C(1000000) / 2));
}

static void begin_lasting(struct work *k, struct lasting *l)
{
    l->world = k->world;
    l->era = k->job->era;
    l->of = k->carried;
    l->began_us = k->now_us;
    tree_copy_init(&l->files);
}

/* The one of this world, which no other call of it can have now: programs of a world take turns. */
void lasting_find(struct work *k)
{
    pthread_mutex_lock(&k->r->lock);
    struct lasting *l = take_lasting(k->r, is_of_job, k, 1);
    pthread_mutex_unlock(&k->r->lock);
    char *setting = setting_of(k);
    if (l && !goes_on(k, l, setting)) {
        lasting_free(l);
        l = NULL;
    }
    if (!l && setting && (l = calloc(1, sizeof *l))) {
        begin_lasting(k, l);
        l->setting = setting;
        setting = NULL;
    }
    free(setting);
    k->lasting = l;
}

/* What is stopped waits for the next call, if all went well; what has ended goes. */
void lasting_keep(struct work *k, bool well)
{
    struct lasting *l = k->lasting, *oldest = NULL;
    bool keeps = well && l->session && sandbox_session_lives(l->session) &&
                 sandbox_session_holds(l->session);
    pthread_mutex_lock(&k->r->lock);
    keeps = keeps && !k->job->ended && !k->r->closing;
    if (keeps)
        runner_need_reaper(k->r);
    if (keeps && k->r->reaps) {
        if (k->r->n_lasting == MOST_LASTING) {
            const time_t any = 0;
            oldest = take_lasting(k->r, is_idle, &any, 1);
        }
        l->used = clock_s();
        struct lasting **last = &k->r->lasting;
        while (*last)
            last = &(*last)->next;
        l->next = NULL;
        *last = l;
        k->r->n_lasting++;
        l = NULL;
    }
    pthread_mutex_unlock(&k->r->lock);
    lasting_free_all(oldest);
    lasting_free(l);
}

struct ended {
    uint64_t world, but_era;
};

static bool is_ended(const struct lasting *l, const void *arg)
{
    const struct ended *e = arg;
    return (!e->world || l->world == e->world) &&
           (e->but_era == PROGRAM_ANY_ERA || l->era != e->but_era);
}

struct lasting *lasting_take(struct runner *r, uint64_t world, uint64_t but_era)
{
    const struct ended which = {world, but_era};
    return take_lasting(r, is_ended, &which, MOST_LASTING);
}
