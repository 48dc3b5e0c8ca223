/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of the caller's chats and channels as /search/query finds them, the newest first: by
 * words, and by the properties from, to, sent, hasAttachment and isMentioned
 * (learn.microsoft.com/graph/search-concept-chat-messages).
 */
#include "engine/base/codec.h"
#include "engine/search/walk.h"
#include "engine/text/civil.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/corpus.h"
#include "services/chat/teams/teams.h"
#include "vendors/microsoft/find.h"
#include <strings.h>

enum { SUMMARY = 200, DAY_LETTERS = 10 };

struct finding {
    struct teams_at at;
    struct graph_find *f;
};

/* ---- the question ---- */

static const struct search *node(struct arena *a, struct search of)
{
    struct search *s = arena_alloc(a, sizeof *s);
    if (s)
        *s = of;
    return s;
}

static const struct search *of_two(struct arena *a, unsigned kind, const struct search *left,
                                   const struct search *right)
{
    const struct search **kids = arena_calloc(a, 2, sizeof *kids);
    if (!kids || !left)
        return NULL;
    kids[0] = left;
    kids[1] = right;
    return node(a, (struct search){.kind = kind, .kids = kids, .n_kids = right ? 2 : 1});
}

/* Messages from or to somebody: by address, name of the account or object id. */
static int by_person(struct finding *k, const char *text, unsigned kind, const struct search **ret)
{
    struct tx *tx = &k->at.c->tx;
    struct ms_user user;
    struct chat_user u;
    int r = ms_user_find(tx, text, k->at.tenant.id, &user);
    if (r == 1)
        r = chat_user_find(tx, k->at.workspace.id, user.oid, &u);
    if (r < 0)
        return -1;
    *ret = r ? node(tx->arena, (struct search){.kind = kind, .id = u.id})
             : node(tx->arena, (struct search){.kind = SEARCH_OR});
    return 0;
}

/* "sent>2026-11-20": a day, or an instant with an offset. */
static int by_time(struct finding *k, const struct graph_words *w, const struct search **ret)
{
    struct arena *a = k->at.c->tx.arena;
    const bool day = strlen(w->text) == DAY_LETTERS;
    int64_t us;
    if (teams_read_time(day ? ARENA_JOIN(a, w->text, "T00:00:00Z") : w->text, &us) < 0)
        return teams_bad(k->at.c, "SearchRequest Invalid (sent must be a date)");
    us = us < CHAT_LAST_INSTANT - US_PER_DAY ? us : CHAT_LAST_INSTANT - US_PER_DAY;
    const int64_t end = day ? us + US_PER_DAY : us + 1;
    const int64_t from = w->op == '>'   ? end
                         : w->op == '<' ? 0
                                        : us,
                  to = w->op == '>'   ? CHAT_LAST_INSTANT
                       : w->op == '<' ? us
                                      : end;
    *ret = node(a, (struct search){.kind = SEARCH_RANGE,
                                   .from = chat_place(k->at.workspace.id, from),
                                   .to = chat_place(k->at.workspace.id, to)});
    return 0;
}

static int term(struct finding *k, const struct graph_words *w, const struct search **ret)
{
    struct arena *a = k->at.c->tx.arena;
    if (!w->property) {
        *ret = node(a, (struct search){.kind = w->begins ? CHAT_Q_BEGINS : SEARCH_PHRASE,
                                       .fields = CHAT_FIELD_BODY,
                                       .text = w->text});
        return 0;
    }
    if (strcmp(w->property, "from") == 0)
        return by_person(k, w->text, CHAT_Q_FROM, ret);
    if (strcmp(w->property, "to") == 0)
        return by_person(k, w->text, CHAT_Q_TO, ret);
    if (strcmp(w->property, "sent") == 0)
        return by_time(k, w, ret);
    const bool attached = strcmp(w->property, "hasattachment") == 0;
    if (!attached && strcmp(w->property, "ismentioned") != 0) {
        *ret = node(a, (struct search){.kind = SEARCH_OR}); /* another property: nothing has it */
        return 0;
    }
    *ret = node(a, (struct search){.kind = attached ? CHAT_Q_ATTACHED : CHAT_Q_MENTIONS,
                                   .id = k->at.me.id});
    if (strcasecmp(w->text, "true") != 0)
        *ret = of_two(a, SEARCH_NOT, *ret, NULL);
    return 0;
}

static int question(struct finding *k, const struct graph_words *w, const struct search **ret)
{
    struct arena *a = k->at.c->tx.arena;
    const struct search *left, *right = NULL;
    if (w->kind == WORDS_TERM)
        return term(k, w, ret);
    if (question(k, w->left, &left) < 0 || (w->right && question(k, w->right, &right) < 0))
        return -1;
    *ret = of_two(a,
                  w->kind == WORDS_AND  ? SEARCH_AND
                  : w->kind == WORDS_OR ? SEARCH_OR
                                        : SEARCH_NOT,
                  left, right);
    return 0;
}

/* ---- hits ---- */

struct shown {
    struct finding *k;
    const struct chat_message *m;
    const struct chat_channel *ch;
};

static int write_shown(struct call *c, void *arg)
{
    const struct shown *s = arg;
    const struct chat_message *m = s->m;
    struct arena *a = c->tx.arena;
    const char *id = arena_printf(a, "%lld", (long long)teams_message_ms(m->ts_us));
    struct chat_team t = {.key = NULL};
    struct ms_user user;
    struct chat_user u = {.key = NULL};
    const char *email = NULL;
    if (m->user && chat_user_get(&c->tx, m->user, &u) < 0)
        return -1;
    if (u.key && ms_user_find(&c->tx, u.key, s->k->at.tenant.id, &user) == 1 &&
        ms_user_address(&c->tx, &user, &email) < 0)
        return -1;
    if (s->ch->team && chat_team_get(&c->tx, s->ch->team, &t) < 0)
        return -1;
    json_str(c->out, "id", id);
    json_str(c->out, "createdDateTime", graph_date(a, m->ts_us, 0));
    json_str(c->out, "lastModifiedDateTime",
             graph_date(a, m->edited_us > m->ts_us ? m->edited_us : m->ts_us, 0));
    json_str(c->out, "subject", m->subject ? m->subject : "");
    json_word(c->out, "importance",
              m->importance == CHAT_HIGH     ? "high"
              : m->importance == CHAT_URGENT ? "urgent"
                                             : "normal");
    json_obj(c->out, "from");
    json_obj(c->out, "emailAddress");
    json_str(c->out, "name", u.real_name);
    json_str(c->out, "address", email);
    json_end(c->out);
    json_end(c->out);
    json_obj(c->out, "channelIdentity");
    if (t.key) {
        json_str(c->out, "channelId", s->ch->key);
        json_str(c->out, "teamId", t.key);
    }
    json_end(c->out);
    json_str(c->out, "etag", id);
    if (!t.key)
        json_str(c->out, "chatId", s->ch->key);
    return 0;
}

/* The message of a place, if it is the caller's to see. 1, 0, -1. */
static int read_message(struct finding *k, int64_t place, struct chat_message *m,
                        struct chat_channel *ch)
{
    struct tx *tx = &k->at.c->tx;
    int r = chat_message_by_place(tx, place, m);
    if (r == 1)
        r = chat_channel_get(tx, chat_message_channel(m->id), ch);
    if (r == 1)
        r = chat_can_see(tx, ch, &k->at.me);
    if (r != 1 || teams_was_deleted(m) || teams_is_deleted(ch) || !teams_is_shown(&k->at, ch, m))
        return r < 0 ? -1 : 0;
    return 1;
}

static int hit(struct finding *k, const struct chat_message *m, const struct chat_channel *ch)
{
    struct arena *a = k->at.c->tx.arena;
    struct shown s = {k, m, ch};
    const char *name = arena_printf(a, "%s %lld", ch->key, (long long)m->ts_us);
    const char *id = base64_text(a, NULL, name, strlen(name));
    k->f->summary = teams_preview(a, m, SUMMARY);
    return graph_hit(k->at.c, k->f, id, "chatMessage", NULL, write_shown, &s);
}

static int find_messages(struct call *c, struct graph_find *f)
{
    struct finding *k = arena_calloc(c->tx.arena, 1, sizeof *k);
    const struct graph_words *words;
    const struct search *query = NULL;
    int64_t place, seen = 0;
    if (!k || teams_open(c, &k->at) < 0)
        return -1;
    if (graph_words_read(c->tx.arena, f->text, &words) < 0)
        return teams_bad(c, "SearchRequest Invalid (query.queryString is too complex)");
    k->f = f;
    if (!k->at.me.id) /* in nothing yet */
        return 0;
    if (words && question(k, words, &query) < 0)
        return -1;
    struct chat_asker asker = {.user = k->at.me};
    const struct search_ask ask = {.corpus = &chat_corpus,
                                   .query = query,
                                   .first = chat_place(k->at.workspace.id, 0),
                                   .last = chat_place(k->at.workspace.id + 1, 0) - 1,
                                   .arg = &asker};
    struct search_walk *walk = search_open(&c->tx, &ask);
    if (!walk)
        return -1;
    for (int64_t from = search_last(walk); !f->more && (place = search_next(walk, from));
         from = place - 1) {
        struct chat_message m;
        struct chat_channel ch;
        int r = read_message(k, place, &m, &ch);
        if (r < 0)
            return -1;
        if (!r || seen++ < f->from)
            continue;
        f->more = f->n == f->size;
        if (!f->more && hit(k, &m, &ch) < 0)
            return -1;
    }
    f->total = f->n; /* as the service counts them: those of the page */
    return search_failed(walk) ? -1 : 0;
}

const struct graph_finder teams_finder = {.entity = "chatMessage",
                                          .scopes =
                                              "Chat.Read Chat.ReadWrite ChannelMessage.Read.All",
                                          .find = find_messages};
