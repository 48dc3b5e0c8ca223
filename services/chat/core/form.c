/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/core/form.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/core/impl.h"

const struct reference chat_user_reference = {.noun = "a user's id, name or actor"};
const struct reference chat_channel_reference = {.noun = "a channel's id or name"};
const struct reference chat_workspace_reference = {.noun = "a workspace's id or domain"};
const struct reference chat_app_reference = {.noun = "the client id of an app"};

static int64_t row_workspace(const void *row)
{
    return *(const int64_t *)row;
}

/* ---- read ---- */

int chat_read_workspace(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_workspace w;
    (void)m;
    if (chat_doc_workspace(in->tx, in->d, in->value, &w) < 0)
        return -1;
    *(int64_t *)row = w.id;
    return 0;
}

int chat_read_key(const struct form_in *in, const struct member *m, void *row)
{
    return chat_doc_key(in->d, in->value, m->names[0], member_place(m, row));
}

int chat_read_user(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_user u;
    if (chat_doc_user(in->tx, in->d, in->value, m->name, row_workspace(row), &u) < 0)
        return -1;
    if (u.id)
        member_put_number(m, row, u.id);
    return 0;
}

int chat_read_channel(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_channel ch;
    if (!json_get(in->value, m->name))
        return 0;
    if (chat_doc_channel(in->tx, in->d, in->value, row_workspace(row), &ch) < 0)
        return -1;
    member_put_number(m, row, ch.id);
    return 0;
}

int chat_read_app(const struct form_in *in, const struct member *m, void *row)
{
    int64_t app;
    if (chat_doc_app(in->tx, in->d, in->value, &app) < 0)
        return -1;
    if (app)
        member_put_number(m, row, app);
    return 0;
}

int chat_read_other(const struct form_in *in, const struct member *m, void *row)
{
    return chat_doc_other(in->tx, in->d, in->value, m->name, member_place(m, row));
}

int chat_read_second(const struct form_in *in, const struct member *m, void *row)
{
    return chat_doc_second(in->d, in->value, m->name, member_number(m, row), member_place(m, row));
}

int chat_read_instant(const struct form_in *in, const struct member *m, void *row)
{
    return chat_doc_instant(in->d, in->value, m->name, member_number(m, row), member_place(m, row));
}

int chat_read_ts(const struct form_in *in, const struct member *m, void *row)
{
    const char *ts;
    int64_t us;
    if (doc_str(in->d, in->value, m->name, false, &ts) < 0)
        return -1;
    if (!ts)
        return 0;
    if (chat_ts_read(ts, &us) < 0 || us > CHAT_LAST_INSTANT)
        return doc_fail(in->d, json_get(in->value, m->name), m->name, "\"%.40s\" is not a ts", ts);
    member_put_number(m, row, us);
    return 0;
}

/* ---- written ---- */

int chat_write_workspace(const struct form_out *out, const struct member *m, const void *row)
{
    return chat_dump_workspace(out->tx, out->w, member_number(m, row));
}

int chat_write_workspace_of_user(const struct form_out *out, const struct member *m,
                                 const void *row)
{
    struct chat_user u;
    int r = chat_user_get(out->tx, member_number(m, row), &u);
    return r == 1 ? chat_dump_workspace(out->tx, out->w, u.workspace) : r;
}

int chat_write_workspace_of_channel(const struct form_out *out, const struct member *m,
                                    const void *row)
{
    struct chat_channel ch;
    int r = chat_channel_get(out->tx, member_number(m, row), &ch);
    return r == 1 ? chat_dump_workspace(out->tx, out->w, ch.workspace) : r;
}

int chat_write_user(const struct form_out *out, const struct member *m, const void *row)
{
    return chat_dump_user(out->tx, out->w, m->name, member_number(m, row));
}

int chat_write_channel(const struct form_out *out, const struct member *m, const void *row)
{
    struct chat_channel ch;
    int64_t id = member_number(m, row);
    int r = id ? chat_channel_get(out->tx, id, &ch) : 0;
    if (r == 1)
        json_str(out->w, m->name, ch.key);
    return r < 0 ? -1 : 0;
}

int chat_write_app(const struct form_out *out, const struct member *m, const void *row)
{
    return chat_dump_app(out->tx, out->w, m->name, member_number(m, row));
}

int chat_write_other(const struct form_out *out, const struct member *m, const void *row)
{
    struct chat_workspace w;
    int64_t id = member_number(m, row);
    int r = id ? chat_workspace_get(out->tx, id, &w) : 0;
    if (r == 1)
        json_str(out->w, m->name, w.key);
    return r < 0 ? -1 : 0;
}

int chat_write_instant(const struct form_out *out, const struct member *m, const void *row)
{
    if (member_number(m, row) != m->usual)
        chat_dump_instant(out->w, m->name, member_number(m, row));
    return 0;
}

int chat_write_ts(const struct form_out *out, const struct member *m, const void *row)
{
    if (member_number(m, row))
        chat_dump_ts(out->w, m->name, member_number(m, row));
    return 0;
}

/* ---- times that a document does not say ---- */

int chat_unsaid_now(struct tx *tx, int64_t *s)
{
    if (*s == CHAT_UNSAID)
        *s = tx->now_us / US_PER_SECOND;
    return 0;
}

int chat_unsaid_made(struct tx *tx, int64_t workspace, int64_t *s)
{
    struct chat_workspace w;
    int r = *s == CHAT_UNSAID ? chat_workspace_get(tx, workspace, &w) : 0;
    if (r == 1)
        *s = w.created_s;
    return r < 0 ? -1 : 0;
}
