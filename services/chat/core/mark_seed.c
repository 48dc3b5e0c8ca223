/* SPDX-License-Identifier: Apache-2.0 */
/* Reactions in the form of seed documents: the member "reactions" of messages and files. */
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "engine/state/own.h"
#include "services/chat/core/form.h"
#include "services/chat/core/impl.h"

static const struct member reaction_members[] = {
    OWN_NEEDED("name", "The emoji's name"),
    OWN("by", "Who reacted", "list of texts"),
    {"at", "When each of them did, in seconds", .kind = MEMBER_OWN, .noun = "list", .inner = "*",
     .schema = "{\"type\":[\"array\",\"integer\",\"string\",\"null\"]}"},
};
const struct form chat_reaction_form = FORM("A reaction", reaction_members);

/* The second that `at` names for the i-th person; without it the usual one. */
static int reacted_at(struct doc *d, const struct json *v, uint32_t i, int64_t usual_s,
                      int64_t *ret_s)
{
    const struct json *at = json_get(v, "at");
    *ret_s = usual_s;
    if (!at)
        return 0;
    if (at->type != JSON_ARRAY || i >= at->n)
        return doc_fail(d, at, "at", "expected a list with a second for each of \"by\"");
    if (json_i64(&at->items[i], ret_s) < 0 || *ret_s < 0 || *ret_s > CHAT_LAST_SECOND)
        return doc_fail(d, at, "at", "expected seconds between 0 and %lld",
                        (long long)CHAT_LAST_SECOND);
    return 0;
}

static int seed_reaction(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                         struct chat_message *m, int64_t file, int64_t usual_s)
{
    const char *name, **by;
    int64_t at_s;
    size_t n;
    if (form_known(&(struct form_in){tx, d, v}, &chat_reaction_form) < 0 ||
        doc_str(d, v, "name", true, &name) < 0 || doc_strings(d, v, "by", &by, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct chat_user u;
        int r = chat_doc_somebody(tx, d, workspace, by[i], &u);
        if (r != 1)
            return r < 0
                       ? -1
                       : doc_fail(d, v, "by", "there is nobody \"%.80s\" in the workspace", by[i]);
        if (reacted_at(d, v, (uint32_t)i, usual_s, &at_s) < 0)
            return -1;
        if ((m ? chat_react(tx, m, name, &u, at_s) : chat_file_react(tx, file, name, &u, at_s)) < 0)
            return -1;
    }
    return 0;
}

int chat_doc_reactions(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                       struct chat_message *m, int64_t file, int64_t usual_s)
{
    struct doc_items it;
    if (doc_items(d, v, "reactions", &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (seed_reaction(tx, d, item, workspace, m, file, usual_s) < 0)
            return -1;
    return 0;
}

struct one {
    const char *name, *user;
    int64_t at_s;
};

/* The people of one name, from the first of them on; gives the first of the next name. */
static size_t write_name(struct json_writer *w, const struct one *all, size_t n, size_t from,
                         int64_t usual_s)
{
    size_t to = from;
    bool usual = true;
    for (; to < n && strcmp(all[to].name, all[from].name) == 0; to++)
        usual &= all[to].at_s == usual_s;
    json_obj(w, NULL);
    json_str(w, "name", all[from].name);
    json_arr(w, "by");
    for (size_t i = from; i < to; i++)
        json_str(w, NULL, all[i].user);
    json_end(w);
    if (!usual) {
        json_arr(w, "at");
        for (size_t i = from; i < to; i++)
            json_int(w, NULL, all[i].at_s);
        json_end(w);
    }
    json_end(w);
    return to;
}

int chat_dump_reactions(struct tx *tx, struct json_writer *w, int64_t message, int64_t file,
                        int64_t usual_s)
{
    static struct sql_text of_message = SQL_TEXT(
        "select r.name, u.key, r.at_s from chat_reaction r join chat_user u on u.id = r.user "
        "where r.message = :message order by (select min(f.id) from chat_reaction f where "
        "f.message = r.message and f.name = r.name), r.id");
    static struct sql_text of_file = SQL_TEXT(
        "select r.name, u.key, r.at_s from chat_reaction r join chat_user u on u.id = r.user "
        "where r.file = :file order by (select min(f.id) from chat_reaction f where "
        "f.file = r.file and f.name = r.name), r.id");
    sqlite3_stmt *st = message ? TX_QUERY(tx, &of_message, message) : TX_QUERY(tx, &of_file, file);
    struct one *all = NULL;
    size_t n = 0, room = 0;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        all = arena_grow(tx->arena, all, n, &room, sizeof *all);
        if (arena_failed(tx->arena)) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        all[n++] = (struct one){.name = tx_string(tx, st, 0),
                                .user = tx_string(tx, st, 1),
                                .at_s = sqlite3_column_int64(st, 2)};
    }
    if (r < 0 || !n)
        return r;
    json_arr(w, "reactions");
    for (size_t i = 0; i < n;)
        i = write_name(w, all, n, i, usual_s);
    json_end(w);
    return 0;
}
