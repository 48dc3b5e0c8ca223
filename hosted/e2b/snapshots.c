/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forks and snapshots of E2B's sandboxes. A snapshot is a sandbox that nobody gets into: it has a
 * place among the tenant's and holds bytes as others do, lives until it is deleted, and sandboxes
 * are made of it as of any template.
 */
#include "hosted/e2b/e2b.h"

/* ---- forks ---- */

static void write_error(struct json_writer *w, int code, const char *message)
{
    json_obj(w, "error");
    json_int(w, "code", code);
    json_str(w, "message", message);
    json_end(w);
}

/* One more; each is made or refused by itself. */
static void fork_one(struct hosted_call *c, struct json_writer *w, const struct sandbox_new *n)
{
    bool refused = false, full = tenant_full(c->h, c->tenant, false);
    struct sandbox *s = full ? NULL : sandbox_make(c, n, &refused);
    struct json_writer inner;
    struct buf b;
    hosted_begin(&b, &inner);
    int rc = s ? e2b_write_made(c, &inner, s) : -1;
    json_end(&inner);
    json_obj(w, NULL);
    if (rc == 0 && !buf_failed(&b))
        json_raw(w, "sandbox", b.data, b.len);
    else if (full)
        write_error(w, 429, "The sandboxes of this API key hold too many bytes");
    else if (refused)
        write_error(w, 429,
                    arena_printf(&c->arena, "This API key may have %lld sandboxes at a time",
                                 (long long)c->tenant->max_sandboxes));
    else
        write_error(w, sosia_code_status(c->err.code), c->err.text);
    json_end(w);
    buf_done(&b);
    sandbox_give(s);
}

/* All of them are of the state that the sandbox has now: one fork is what they are forks of. */
int e2b_fork(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const struct json *count = json_get(c->body, "count");
    const int64_t n_forks = count && count->type != JSON_NULL ? lax_int(count) : 1;
    uint64_t state;
    struct json_writer w;
    struct buf b;
    if (!e2b_take(c))
        return 0;
    struct sandbox *s = c->sandbox;
    struct sandbox_new n = {
        .kind = KIND_E2B, .person = s->person, .keep_clock = true, .ttl_us = e2b_timeout(c->body)};
    n.more = e2b_record(c, e2b_template(c, s), NULL, s);
    if (lax_true(e2b_more(c, s, "autoPause"))) {
        n.pause_us = real_us() + n.ttl_us;
        n.ttl_us = 0;
    }
    if (archive_fork(c, s->world, &state) < 0)
        return hosted_failed(c);
    n.from = state;
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (int64_t i = 0; i < n_forks; i++)
        fork_one(c, &w, &n);
    json_end(&w);
    sosia_world_drop(c->h->engine, state, NULL);
    return hosted_answer(c, 201, &b);
}

/* ---- snapshots ---- */

/* Its id is that of the list; a name is one more. */
static void write_snapshot(struct json_writer *w, const struct sandbox *s)
{
    json_str(w, "snapshotID", s->id);
    json_arr(w, "names");
    if (s->tag)
        json_str(w, NULL, s->tag);
    json_end(w);
}

struct sandbox *e2b_snapshot_named(struct hosted_call *c, const char *name)
{
    struct sandbox **list, *found = NULL;
    size_t n = e2b_list(c, KIND_E2B_SNAPSHOT, &list);
    for (size_t i = n; i > 0; i--) { /* the newest of a name */
        struct sandbox *s = list[i - 1];
        if (!found && (strcmp(s->id, name) == 0 || str_same(s->tag, name)))
            found = s;
        else
            sandbox_give(s);
    }
    return found;
}

int e2b_snapshot(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct json_writer w;
    struct buf b;
    bool refused;
    if (!e2b_take(c))
        return 0;
    if (tenant_full(c->h, c->tenant, false))
        return hosted_full(c);
    struct sandbox *of = c->sandbox;
    struct sandbox_new n = {.kind = KIND_E2B_SNAPSHOT,
                            .person = of->person,
                            .tag = json_get_str(c->body, "name"),
                            .universe = of->id,
                            .keep_clock = true,
                            .from = of->world};
    n.more = e2b_record(c, e2b_template(c, of), NULL, of);
    struct sandbox *s = sandbox_make(c, &n, &refused);
    if (refused)
        return hosted_many(c);
    if (!s)
        return hosted_failed(c);
    hosted_begin(&b, &w);
    write_snapshot(&w, s);
    json_end(&w);
    sandbox_give(s);
    return hosted_answer(c, 201, &b);
}

int e2b_snapshots(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const char *sandbox = hosted_query(c, "sandboxID"), *name = hosted_query(c, "name");
    struct sandbox **list;
    struct json_writer w;
    struct buf b;
    size_t all = e2b_list(c, KIND_E2B_SNAPSHOT, &list), n = 0, from, to;
    for (size_t i = 0; i < all; i++)
        if ((!sandbox || str_same(list[i]->universe, sandbox)) &&
            (!name || str_same(list[i]->tag, name)))
            list[n++] = list[i];
        else
            sandbox_give(list[i]);
    e2b_page(c, list, n, false, &from, &to);
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (size_t i = from; i < to; i++) {
        json_obj(&w, NULL);
        write_snapshot(&w, list[i]);
        json_end(&w);
    }
    json_end(&w);
    for (size_t i = 0; i < n; i++)
        sandbox_give(list[i]);
    return hosted_answer(c, 200, &b);
}

int e2b_snapshot_delete(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const char *name = hosted_path(c, "templateID");
    c->sandbox = e2b_snapshot_named(c, name);
    int r = c->sandbox ? sandbox_release(c, c->sandbox) : 0;
    if (r < 0)
        return hosted_failed(c);
    return r ? e2b_nothing(c, 204) : hosted_refuse(c, 404, "template '%.80s' not found", name);
}
