/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody has open beside a conversation: an app's thing of another system, its comments. */
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/acts/interact.h"

static const char *const parts[] = {"details", "comments", "comment", NULL};

int chat_pane_find(struct tx *tx, const char *key, struct chat_pane *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key");
    return STORED_ONE(tx, &slack_pane_stored, &q, ret, key);
}

int chat_pane_of(struct tx *tx, int64_t user, enum chat_pane_part part, struct chat_pane *ret)
{
    static struct sql_text q = SQL_TEXT("where user = :user and part = :part");
    return STORED_ONE(tx, &slack_pane_stored, &q, ret, user, (int)part);
}

int chat_pane_close(struct tx *tx, int64_t user, enum chat_pane_part from)
{
    static struct sql_text q =
        SQL_TEXT("delete from slack_pane where user = :user and part >= :from");
    return TX_RUN(tx, &q, user, (int)from);
}

int chat_pane_open(struct tx *tx, struct chat_pane *p)
{
    static struct sql_text old =
        SQL_TEXT("delete from slack_pane where user = :user and part = :part");
    return TX_RUN(tx, &old, p->user, (int)p->part) < 0 ? -1 : stored_new(tx, &slack_pane_stored, p);
}

int chat_pane_save(struct tx *tx, const struct chat_pane *p)
{
    static struct sql_text q = SQL_TEXT("update slack_pane set content = :content where id = :id");
    return TX_RUN(tx, &q, p->content, p->id);
}

/* ---- seed documents ---- */

static int check_pane(const struct form_in *in, void *row)
{
    const struct chat_pane *p = row;
    const struct json *ref = json_get(in->value, "external_ref");
    struct chat_pane there;
    if (!json_get_str(ref, "id"))
        return doc_fail(in->d, ref, "external_ref", "expected an object with an id");
    int r = chat_pane_of(in->tx, p->user, p->part, &there);
    return r <= 0 ? r : doc_fail(in->d, in->value, "user", "a pane of this part is there already");
}

static int add_pane(const struct form_in *in, void *row)
{
    return chat_pane_open(in->tx, row);
}

static const struct member pane_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_pane),
    {"id", "The trigger by which the app answers", TEXT_AT(struct chat_pane, key),
     .flags = MEMBER_REQUIRED},
    {"app", "The app", CHAT_APP_AT(struct chat_pane, app), .flags = MEMBER_REQUIRED},
    {"user", "The person who has it open", CHAT_USER_AT(struct chat_pane, user),
     .flags = MEMBER_REQUIRED},
    {"part", "What it shows", ENUM_AT(struct chat_pane, part, parts)},
    {"url", "The thing's", TEXT_AT(struct chat_pane, url), .flags = MEMBER_REQUIRED},
    {"external_ref", "Its id in its system, and more", KEPT_AT(struct chat_pane, ref, JSON_OBJECT),
     .flags = MEMBER_REQUIRED},
    {"asked", "Which page, which comment", KEPT_AT(struct chat_pane, asked, JSON_OBJECT),
     .usual_text = "{}"},
    {"content", "What the app answered", KEPT_AT(struct chat_pane, content, JSON_OBJECT)},
};
STORED(slack_pane_stored, "What a person has open beside a conversation", struct chat_pane,
       pane_members, check_pane, .table = "slack_pane", .key = "part user", .add = add_pane);
