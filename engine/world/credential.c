/* SPDX-License-Identifier: Apache-2.0 */
/* Files of credentials for programs of a vendor: whichever core knows the kind writes them. */
#include "engine/world/engine.h"

static int write_credential(struct tx *tx, const char *kind, const char *email,
                            const char *base_url, struct buf *out)
{
    struct actor actor;
    int r = actor_by_email(tx, email, &actor);
    if (r < 0)
        return -1;
    if (!r)
        return tx_fail(tx, SOSIA_E_NOT_FOUND, "actorNotFound", "actor", "there is nobody \"%.80s\"",
                       email);
    for (const struct sosia_core **c = tx->engine->cores; *c; c++) {
        r = (*c)->credential ? (*c)->credential(tx, kind, &actor, base_url, out) : 0;
        if (r)
            return r < 0 ? -1 : 0;
    }
    return tx_fail(tx, SOSIA_E_NOT_FOUND, "credentialNotFound", "kind",
                   "%.80s has no credentials of the kind \"%.40s\"", email, kind);
}

int sosia_credential(struct sosia_engine *engine, uint64_t world, const char *kind,
                     const char *actor, const char *base_url, struct sosia_blob *ret_file,
                     struct sosia_err *err)
{
    struct sosia_err local_err;
    if (!err)
        err = &local_err;
    struct worker *k = worker_take(engine, err);
    if (!k)
        return -1;
    struct world *w = world_take(engine, world, err);
    struct tx tx;
    int rc = -1;
    if (w && tx_begin(&tx, engine, w, k, false, world_now(w), err) == 0) {
        struct buf out;
        size_t len;
        buf_init(&out, 0);
        rc = write_credential(&tx, kind, actor, base_url, &out);
        tx_rollback(&tx);
        char *data = rc == 0 && !arena_failed(&k->arena) ? buf_take(&out, &len) : NULL;
        if (data)
            *ret_file = (struct sosia_blob){.data = data, .len = len};
        else if (rc == 0)
            rc = sosia_fail_memory(err);
        buf_done(&out);
    }
    if (w)
        world_drop(w);
    worker_drop(k);
    return rc;
}
