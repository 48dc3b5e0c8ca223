/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that are put together before their call, beyond the engine's bound in an unnamed file. */
#include "addon.h"

#include <stdlib.h>

enum { MOST = 64 << 20 }; /* bytes, where the method does not say */

struct spool {
    struct held held;          /* first */
    struct sosia_spool *spool; /* NULL: freed */
    bool busy;                 /* another thread's call reads from it */
    bool ending;               /* when that is over */
    bool unheld;               /* JavaScript has it no more: and this then, too */
};

static void end_held(struct held *held)
{
    struct spool *s = (struct spool *)held;
    struct sosia_spool *spool = s->spool;
    s->ending = true;
    if (s->busy)
        return;
    s->spool = NULL;
    sosia_spool_free(spool);
}

static void free_held(struct held *held)
{
    struct spool *s = (struct spool *)held;
    s->unheld = true;
    if (!s->busy)
        free(s);
}

static const struct held_kind spool_kind = {
    "spool", {0x51b7c0de93f24a6d, 0xc2d4e8176b0f9a35}, end_held, free_held};

struct spool *arg_spool(struct args *a, size_t i, const struct engine_slot *slot)
{
    struct spool *s = NULL;
    if (!is_held(a, i, &spool_kind))
        return NULL;
    napi_get_value_external(a->env, a->v[i], (void **)&s);
    if (!s->ending && !s->busy && s->held.slot == slot)
        return s;
    args_fail(a, "a spool must be open, of the same engine, and not in use");
    return NULL;
}

struct sosia_spool *spool_inside(const struct spool *s)
{
    return s->spool;
}

void spool_use(struct spool *s, bool use)
{
    if (!s)
        return;
    s->busy = use;
    if (!use && s->ending)
        end_held(&s->held);
    if (!use && s->unheld)
        free(s);
}

/* spoolOpen(engine, world[2], method, target, fields): for the body of such a request, of as many
 * bytes as its method takes. */
static napi_value spool_open(napi_env env, napi_callback_info info)
{
    struct args a;
    struct shorts shorts;
    struct sosia_request request = {0};
    struct sosia_err err = {0};
    args_begin(&a, env, info);
    struct engine_slot *slot = arg_request(&a, &shorts, &request);
    if (!slot)
        return args_done(&a, NULL);
    struct spool *s = calloc(1, sizeof *s);
    int64_t most = sosia_body_max(slot->engine, &request);
    napi_value v = NULL;
    if (!s)
        err =
            (struct sosia_err){.code = SOSIA_E_NO_MEMORY, .text = "there is no memory for a body"};
    else if (sosia_spool_open(slot->engine, most > 0 ? most : MOST, &s->spool, &err) == 0)
        v = held_new(a.inst, slot, &s->held, &spool_kind);
    if (!v) {
        if (s)
            sosia_spool_free(s->spool);
        free(s);
        args_throw(&a, &err);
    }
    return args_done(&a, v);
}

/* spoolWrite(spool, bytes) */
static napi_value spool_write(napi_env env, napi_callback_info info)
{
    struct args a;
    struct sosia_err err = {0};
    args_begin(&a, env, info);
    struct spool *s = arg_held(&a, 0, &spool_kind);
    size_t len = 0;
    const char *bytes = arg_bytes(&a, 1, "bytes", &len);
    if (s && (s->ending || s->busy))
        args_fail(&a, "a spool must be open, and not in use");
    if (!a.failed && sosia_spool_write(s->spool, bytes ? bytes : "", len, &err) < 0)
        args_throw(&a, &err);
    return args_done(&a, a.failed ? NULL : js_undefined(&a));
}

/* spoolClose(spool) */
static napi_value spool_close(napi_env env, napi_callback_info info)
{
    struct args a;
    args_begin(&a, env, info);
    struct spool *s = arg_held(&a, 0, &spool_kind);
    if (s)
        end_held(&s->held);
    return args_done(&a, s ? js_undefined(&a) : NULL);
}

const struct native spool_natives[] = {{"spoolOpen", spool_open},
                                       {"spoolWrite", spool_write},
                                       {"spoolClose", spool_close},
                                       {NULL, NULL}};
