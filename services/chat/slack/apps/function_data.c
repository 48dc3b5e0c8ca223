/* SPDX-License-Identifier: Apache-2.0 */
/* Which function a message or a view belongs to: what was posted or shown with the token of one
 * says so in a member of its own, and what people do with it gets the function's data. */
#include "engine/base/codec.h"
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/apps/install.h"
#include <stdio.h>

#define MEMBER "_function"
#define LATEST 100 /* executions among which that of a token is looked for */

/* The token says it by a number that follows from the id. 1, 0: it is another token, -1. */
static int execution_of_token(struct call *c, const char **ret_key)
{
    static struct sql_text q = SQL_TEXT("select key from slack_execution where app = :app order by "
                                        "id desc limit :latest");
    long long number;
    if (!c->token || !str_starts(c->token, "xwfp-") ||
        sscanf(c->token, "xwfp-%*[0-9]-%10lld-", &number) != 1)
        return 0;
    sqlite3_stmt *st = TX_QUERY(&c->tx, &q, sl_me(c)->app, (int64_t)LATEST);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(&c->tx, st)) == 1) {
        *ret_key = tx_string(&c->tx, st, 0);
        if (sl_digits(*ret_key) == number) {
            sql_done(st);
            return 1;
        }
    }
    return r;
}

int sl_mark_function(struct call *c, const char *before, const char **json)
{
    const struct json *had = NULL, *was = NULL;
    struct json_writer w;
    struct buf b;
    const char *key;
    int r = execution_of_token(c, &key);
    if (r < 0 || (before && !(was = sl_stored_json(c, before))))
        return -1;
    if (!r && !(key = json_get_str(was, MEMBER)))
        return 0;
    if (*json && !(had = sl_stored_json(c, *json)))
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; had && i < had->n; i++)
        json_value(&w, had->members[i].key, &had->members[i].value);
    json_str(&w, MEMBER, key);
    json_end(&w);
    *json = buf_keep(&b, c->tx.arena);
    return 0;
}

int sl_write_function_data(struct call *c, struct json_writer *w, const struct sl_party *p,
                           const char *json, const char *trigger)
{
    const struct json *marked = json ? sl_stored_json(c, json) : NULL;
    const char *key = json_get_str(marked, MEMBER), *token;
    struct chat_execution e;
    if (json && !marked)
        return -1;
    int r = key ? chat_execution_find(&c->tx, key, &e) : 0;
    if (r != 1 || e.app != p->app.app)
        return r < 0 ? -1 : 0;
    if (sl_function_token(&c->tx, &p->install, e.key, &token) < 0)
        return -1;
    json_str(w, "bot_access_token", token);
    json_obj(w, "function_data");
    json_str(w, "execution_id", e.key);
    json_obj(w, "function");
    json_str(w, "callback_id", e.function);
    json_end(w);
    json_raw(w, "inputs", e.inputs, strlen(e.inputs));
    json_end(w);
    json_obj(w, "interactivity");
    json_obj(w, "interactor");
    json_str(w, "secret",
             arena_printf(c->tx.arena, "%016llx", (unsigned long long)chat_hash(token)));
    json_str(w, "id", sl_me(c)->user.key);
    json_end(w);
    json_str(w, "interactivity_pointer", trigger);
    json_end(w);
    return 0;
}
