/* SPDX-License-Identifier: Apache-2.0 */
/* Teams, and their section of seed documents. */
#include "services/chat/core/team.h"
#include "engine/text/civil.h"
#include "services/chat/core/form.h"
#include "services/chat/core/impl.h"

/* ---- teams ---- */

int chat_team_get(struct tx *tx, int64_t id, struct chat_team *ret)
{
    return stored_get(tx, &chat_team_stored, id, ret);
}

int chat_team_find(struct tx *tx, int64_t workspace, const char *key, struct chat_team *ret)
{
    static struct sql_text q = SQL_TEXT("where workspace = :workspace and key = :key");
    return STORED_ONE(tx, &chat_team_stored, &q, ret, workspace, key);
}

static int team_by_name(struct tx *tx, int64_t workspace, const char *name, struct chat_team *ret)
{
    static struct sql_text q =
        SQL_TEXT("where workspace = :workspace and name = :name order by archived, id limit 1");
    return STORED_ONE(tx, &chat_team_stored, &q, ret, workspace, name);
}

int chat_team_add(struct tx *tx, struct chat_team *t)
{
    if ((!t->key && !(t->key = chat_new_key(tx, chat_vendor_of(tx, t->workspace), CHAT_THING_TEAM,
                                            CHAT_PUBLIC, t))) ||
        stored_new(tx, &chat_team_stored, t) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_TEAM, OP_ADDED, t->workspace, t->id, NULL, NULL);
    return 0;
}

int chat_team_save(struct tx *tx, const struct chat_team *t, const char *const *members)
{
    if (stored_save(tx, &chat_team_stored, t->id, t) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_TEAM, OP_CHANGED, t->workspace, t->id, members, NULL);
    return 0;
}

int chat_teams(struct tx *tx, int64_t workspace, int64_t user,
               int (*fn)(void *arg, const struct chat_team *t), void *arg)
{
    static struct sql_text all = SQL_TEXT("where workspace = :workspace order by key");
    static struct sql_text joined =
        SQL_TEXT("where workspace = :workspace and id in (select team from chat_team_member where "
                 "user = :user) order by key");
    struct stored *s = &chat_team_stored;
    sqlite3_stmt *st =
        user ? STORED_QUERY(tx, s, &joined, workspace, user) : STORED_QUERY(tx, s, &all, workspace);
    struct chat_team t;
    int r;
    while ((r = stored_next(tx, s, st, &t)) == 1)
        if (fn(arg, &t)) {
            sql_done(st);
            return 0;
        }
    return r;
}

int chat_team_general(struct tx *tx, int64_t team, struct chat_channel *ret)
{
    static struct sql_text q =
        SQL_TEXT("select id from chat_channel where team = :team and general order by id limit 1");
    int64_t id;
    int r = TX_INT(tx, &q, &id, team);
    return r == 1 ? chat_channel_get(tx, id, ret) : r;
}

int chat_team_has_channel(struct tx *tx, int64_t team, const char *name, int64_t but)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from chat_channel where team = :team and name = :name collate nocase "
                 "and id <> :but limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, team, name, but);
}

int chat_team_has_owner(struct tx *tx, int64_t team, int64_t but)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from chat_team_member where team = :team and part = 1 and user <> :but limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, team, but);
}

/* ---- seed documents ---- */

int chat_doc_team(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                  int64_t *ret)
{
    struct chat_team t;
    const char *name;
    *ret = 0;
    if (doc_str(d, v, "team", false, &name) < 0)
        return -1;
    if (!name)
        return 0;
    int r = chat_team_find(tx, workspace, name, &t);
    if (!r)
        r = team_by_name(tx, workspace, name, &t);
    if (r == 1)
        *ret = t.id;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, "team"), "team", "there is no team \"%.80s\"", name);
}

int chat_dump_team(struct tx *tx, struct json_writer *w, int64_t team)
{
    struct chat_team t;
    int r = team ? chat_team_get(tx, team, &t) : 0;
    if (r == 1)
        json_str(w, "team", t.key);
    return r < 0 ? -1 : 0;
}

static int seed_team_member(const struct form_in *in)
{
    static const char *const members[] = {"user", "role", NULL};
    const struct chat_team *t = in->of;
    struct chat_user u;
    const char *name = in->value->type == JSON_STRING ? in->value->str : NULL;
    int part = CHAT_PART_MEMBER;
    if (!name && (doc_object(in->d, in->value, members) < 0 ||
                  doc_str(in->d, in->value, "user", true, &name) < 0 ||
                  doc_enum(in->d, in->value, "role", chat_parts, CHAT_PART_MEMBER, &part) < 0))
        return -1;
    int r = chat_doc_find(in->tx, t->workspace, name, &u);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(in->d, in->value, NULL,
                                "there is nobody \"%.80s\" in the workspace", name);
    return chat_team_member_set(in->tx,
                                &(struct chat_team_member){t->id, u.id, (enum chat_part)part}) < 0
               ? -1
               : 0;
}

static int add_team(const struct form_in *in, void *row)
{
    struct chat_team *t = row;
    struct form_in of = *in;
    if (chat_unsaid_made(in->tx, t->workspace, &t->created_s) < 0 || chat_team_add(in->tx, t) < 0)
        return -1;
    of.of = t;
    const struct chat_vendor *vendor = chat_vendor_of(in->tx, t->workspace);
    return form_each(&of, "members", seed_team_member) < 0 ||
                   (vendor->team_came && vendor->team_came(in->tx, t) < 0)
               ? -1
               : 0;
}

static int read_team_key(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_team *t = row;
    const struct chat_vendor *vendor = chat_vendor_of(in->tx, t->workspace);
    if (!vendor->letters[CHAT_THING_TEAM])
        return doc_fail(in->d, in->value, NULL, "the workspace's vendor has no teams");
    return chat_doc_new_key(in->d, in->value, vendor, CHAT_THING_TEAM, member_place(m, row));
}

struct dumping {
    const struct form_out *out;
    int rc;
};

static int dump_team_member(void *arg, const struct chat_team_member *m)
{
    struct dumping *d = arg;
    struct json_writer *w = d->out->w;
    json_obj(w, NULL);
    d->rc = chat_dump_user(d->out->tx, w, "user", m->user);
    if (m->part != CHAT_PART_MEMBER)
        json_str(w, "role", chat_parts[m->part]);
    json_end(w);
    return d->rc < 0;
}

static int write_team_members(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_team *t = row;
    struct dumping d = {.out = out};
    json_arr(out->w, m->name);
    int r = chat_team_members(out->tx, t->id, dump_team_member, &d);
    json_end(out->w);
    return r < 0 || d.rc < 0 ? -1 : 0;
}

static int read_nothing(const struct form_in *in, const struct member *m, void *row)
{
    (void)in;
    (void)m;
    (void)row;
    return 0;
}

static const struct member team_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_team),
    {"id", "Its id", .read = read_team_key, TEXT_AT(struct chat_team, key)},
    {"name", "Its name", TEXT_AT(struct chat_team, name), .flags = MEMBER_REQUIRED},
    {"description", "What it is for", TEXT_AT(struct chat_team, description), .usual_text = ""},
    {"archived", "It is read only", BOOL_AT(struct chat_team, archived)},
    {"created", "Its time; else the workspace's", CHAT_SECOND_AT(struct chat_team, created_s),
     .usual = CHAT_UNSAID},
    {"properties", "What the vendor keeps with it",
     KEPT_AT(struct chat_team, properties, JSON_OBJECT)},
    {"members", "Who is in it, each by name or with a role", .kind = MEMBER_OWN, .noun = "list",
     .inner = "*.user *.role", .read = read_nothing, .write = write_team_members},
};
STORED(chat_team_stored, "A team of a workspace", struct chat_team, team_members, NULL,
       .table = "chat_team", .key = "id", .add = add_team);
