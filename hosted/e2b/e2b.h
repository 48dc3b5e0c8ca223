/* SPDX-License-Identifier: Apache-2.0 */
/*
 * E2B's protocol, as far as its JavaScript SDK needs it: sandboxes by HTTP with the tenant's key,
 * and what is inside of one with the access token of that sandbox, which is its instance id. The
 * world of one has the company beside the files.
 *
 * Inside, requests go on to the world's own methods (services/workspace/e2b), so that the journal
 * has them and a replay does them again.
 */
#ifndef SOSIA_HOSTED_E2B_H
#define SOSIA_HOSTED_E2B_H

#include "hosted/impl.h"

#define ENVD_VERSION "0.5.12" /* the interface inside is as that of this version */

/* ---- api.c ---- */

bool e2b_api_is_for(const char *target);
/* The sandbox of the path, or a snapshot: c->sandbox. False: 404 is the answer. */
bool e2b_take(struct hosted_call *c);
/* Of its record. NULL: it has none of that name. */
const struct json *e2b_more(struct hosted_call *c, const struct sandbox *s, const char *name);
/* What it was made from. */
const char *e2b_template(struct hosted_call *c, const struct sandbox *s);
/* Whether it is paused now. */
bool e2b_is_paused(struct hosted *h, struct sandbox *s);
/* The members of a sandbox that was made or found. -1: c->err. */
int e2b_write_made(struct hosted_call *c, struct json_writer *w, struct sandbox *s);
/* The time until which one lives, in microseconds, of a request's "timeout". */
int64_t e2b_timeout(const struct json *body);
/* The record of one: made from `template`, with what the body says or, where that is NULL, what
 * the sandbox `like` was made with. In the arena. */
const char *e2b_record(struct hosted_call *c, const char *template, const struct json *body,
                       const struct sandbox *like);
/* A tenant's sandboxes or snapshots, oldest first, each with a reference. */
size_t e2b_list(struct hosted_call *c, enum sandbox_kind kind, struct sandbox ***ret);
/* Which part of a list the request asks for; sets the header of the next one. newest: the list
 * begins with that one. */
void e2b_page(struct hosted_call *c, struct sandbox **list, size_t n, bool newest, size_t *ret_from,
              size_t *ret_to);
/* A time as this interface has it. */
void e2b_time(struct json_writer *w, const char *name, int64_t us);
int e2b_nothing(struct hosted_call *c, int status);

/* ---- sandboxes.c ---- */

int e2b_create(struct call *call);
int e2b_connect(struct call *call);
int e2b_sandboxes(struct call *call);
int e2b_get(struct call *call);
int e2b_kill(struct call *call);
int e2b_set_timeout(struct call *call);
int e2b_pause(struct call *call);
int e2b_metrics(struct call *call);

/* ---- snapshots.c ---- */

int e2b_fork(struct call *call);
int e2b_snapshot(struct call *call);
int e2b_snapshots(struct call *call);
int e2b_snapshot_delete(struct call *call);
/* The tenant's snapshot of that id or name, with a reference; NULL: there is none. */
struct sandbox *e2b_snapshot_named(struct hosted_call *c, const char *name);

/* ---- inside.c ---- */

bool e2b_inside_is_for(const char *target);
/* By the head alone: whether the request has no credential of a sandbox. */
bool e2b_inside_refused(struct hosted *h, const struct server_request *head);
/* Gives SERVER_FORWARD, or 0 with an answer. */
int e2b_inside(struct hosted_call *c);

/* ---- stream.c ---- */

/* Start and Connect of a process. environment: of the sandbox, as a query has it; NULL: none.
 * SERVER_SLOW, SERVER_ANSWER, or 0 with an answer. */
int e2b_process_stream(struct hosted_call *c, const char *environment);
/* What changes in a directory from now on. Takes the watch. */
int e2b_watch_stream(struct hosted_call *c, struct e2b_watch *watch);
/* Ends all. */
void e2b_streams_close(struct hosted *h);

/* ---- watch.c ---- */

/* A directory that is looked at: what has changed since the last look. */
struct e2b_watch;
/* Takes NULL. */
void e2b_watch_free(struct e2b_watch *w);
/* Adds a frame for each change. 0; -1: the world has gone. */
int e2b_watch_look(struct hosted *h, struct sandbox *s, struct e2b_watch *w, struct buf *frames);
/* WatchDir, CreateWatcher, GetWatcherEvents, RemoveWatcher: e2b_is_watching() of the path. */
bool e2b_is_watching(const char *path);
int e2b_watching(struct hosted_call *c);
/* Forgets all. */
void e2b_watches_close(struct hosted *h);

#endif
