/* SPDX-License-Identifier: Apache-2.0 */
/* What messages are made of: text, mentions, attachments, pictures (MG-124, 125, 476, 602, 603). */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/text/civil.h"
#include "engine/world/event.h"
#include "services/chat/teams/teams.h"
#include <stdio.h>
#include <strings.h>

enum { MOST_PARTS = 100, MOST_PICTURES = 10, MAX_PICTURE = 4 << 20, MAX_SUBJECT = 1024 };

int teams_read_time(const char *text, int64_t *ret_us)
{
    struct stamp s;
    if (stamp_parse(text, strlen(text), false, &s) < 0)
        return -1;
    *ret_us = s.local_us - s.offset * US_PER_SECOND;
    return 0;
}

/* ---- the feed of changes ---- */

static int put_change(struct tx *tx, int64_t message, int64_t us)
{
    static struct sql_text q =
        SQL_TEXT("insert into teams_change (message, channel, number, made, modified_us) values "
                 "(:message, :channel, :number, :number, :at) on conflict (message) do update set "
                 "number = excluded.number, modified_us = excluded.modified_us");
    const int64_t channel = chat_message_channel(message);
    int64_t number;
    if (tx_number(tx, "teams.change", &number) < 0 ||
        TX_RUN(tx, &q, message, channel, number, us) < 0)
        return -1;
    event_note(tx, TEAMS_CHANGED, OP_CHANGED, channel, message);
    return 0;
}

bool teams_was_deleted(const struct chat_message *m)
{
    return m->extra && strstr(m->extra, "\"deletedDateTime\"");
}

bool teams_takes_reactions(const struct chat_message *m)
{
    return !teams_was_deleted(m) && !m->subtype;
}

int teams_touched(struct tx *tx, struct chat_message *m, int64_t us)
{
    const char *number = arena_printf(tx->arena, "%lld", (long long)us);
    const struct json v = {.type = JSON_NUMBER, .str = number, .n = (uint32_t)strlen(number)};
    m->extra = teams_with(tx->arena, m->extra ? m->extra : "{}", "lastModifiedDateTime", &v);
    if (!m->extra)
        return sosia_fail_memory(tx->err);
    return put_change(tx, m->id, us);
}

int teams_message_came(struct tx *tx, const struct chat_channel *ch, const struct chat_message *m)
{
    const struct json *extra = m->extra ? teams_properties(tx->arena, m->extra) : NULL;
    (void)ch;
    return put_change(tx, m->id,
                      extra ? json_get_int(extra, "lastModifiedDateTime", m->ts_us) : m->ts_us);
}

int teams_message_gone(struct tx *tx, const struct chat_message *m)
{
    static struct sql_text change = SQL_TEXT("delete from teams_change where message = :id");
    static struct sql_text first = SQL_TEXT("select id, blob from teams_hosted where message = "
                                            ":message order by id limit 1");
    static struct sql_text hosted = SQL_TEXT("delete from teams_hosted where id = :id");
    sqlite3_stmt *st;
    int r;
    if (TX_RUN(tx, &change, m->id) < 0)
        return -1;
    while ((r = TX_ROW(tx, &first, &st, m->id)) == 1) {
        const int64_t id = sqlite3_column_int64(st, 0), blob = sqlite3_column_int64(st, 1);
        sql_done(st);
        if (TX_RUN(tx, &hosted, id) < 0 || blob_unref(tx, blob) < 0)
            return -1;
    }
    return r;
}

/* ---- reactions ---- */

const char *teams_emoji(const char *text)
{
    static const char *const names[][2] = {
        {"like", "\xf0\x9f\x91\x8d"},  {"heart", "\xe2\x9d\xa4\xef\xb8\x8f"},
        {"laugh", "\xf0\x9f\x98\x86"}, {"surprised", "\xf0\x9f\x98\xae"},
        {"sad", "\xf0\x9f\x99\x81"},   {"angry", "\xf0\x9f\x98\xa1"}};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strcmp(names[i][0], text) == 0)
            return names[i][1];
    return *text && strlen(text) <= 64 && (unsigned char)*text >= 0x80 ? text : NULL;
}

/* ---- mentions ---- */

/* Does the text have <at id="N">...</at>? */
static bool has_marker(const char *text, const char *tag, const char *id)
{
    char open[16];
    snprintf(open, sizeof open, "<%s ", tag);
    for (const char *p = text, *end; (p = strstr(p, open)) && (end = strchr(p, '>')); p = end) {
        const char *at = memmem(p, (size_t)(end - p), " id=", 4);
        if (!at)
            continue;
        at += 4;
        at += *at == '"' || *at == '\'';
        const size_t n = strlen(id);
        if (strncmp(at, id, n) == 0 && strchr("\"' >/", at[n]))
            return true;
    }
    return false;
}

static int bad_mention(struct teams_at *at)
{
    return teams_bad(at->c, "Invalid request body was sent.");
}

/* Whom or what a mention's identity names. */
static int read_mentioned(struct teams_at *at, const struct json *of, struct chat_mention *m)
{
    const struct json *user = json_get(of, "user"), *place = json_get(of, "conversation");
    const char *id = json_get_str(user && user->type == JSON_OBJECT     ? user
                                  : place && place->type == JSON_OBJECT ? place
                                                                        : of,
                                  "id");
    struct chat_channel ch;
    struct ms_user found;
    struct chat_user u;
    if (!id)
        return bad_mention(at);
    if (user && user->type == JSON_OBJECT) {
        int r = teams_find_user(at, id, &found);
        if (r == 1 && teams_person(at, &found, &u) < 0)
            return -1;
        if (r == 1) { /* people outside of the conversation can't be mentioned */
            r = chat_can_see(&at->c->tx, &at->channel, &u);
            *m = (struct chat_mention){CHAT_MENTION_USER, u.id, m->text};
        }
        return r == 1 ? 0 : r < 0 ? -1 : bad_mention(at);
    }
    const char *type = json_get_str(place ? place : of, "conversationIdentityType");
    if (type && strcmp(type, "team") == 0 && at->team.id && strcmp(id, at->team.key) == 0) {
        *m = (struct chat_mention){CHAT_MENTION_TEAM, at->team.id, m->text};
        return teams_setting(&at->team, at->c->tx.arena, "messagingSettings", "allowTeamMentions",
                             true)
                   ? 0
                   : graph_denied(at->c);
    }
    if (type && strcmp(type, "channel") == 0 && at->team.id) {
        int r = chat_channel_find(&at->c->tx, at->workspace.id, id, &ch);
        if (r < 0 || !r || ch.team != at->team.id)
            return r < 0 ? -1 : bad_mention(at);
        *m = (struct chat_mention){CHAT_MENTION_CHANNEL, ch.id, m->text};
        return 0;
    }
    if (!at->team.id && strcmp(id, at->channel.key) == 0) {
        *m = (struct chat_mention){CHAT_MENTION_ALL, 0, m->text};
        return 0;
    }
    return bad_mention(at);
}

struct parts {
    struct chat_mention mentions[MOST_PARTS];
    size_t n;
    const char *ids; /* JSON, where the ids are not 0, 1, 2 */
};

static int read_mentions(struct teams_at *at, const struct json *body, const char *text,
                         struct parts *p)
{
    const struct json *list = json_get(body, "mentions");
    struct arena *a = at->c->tx.arena;
    int64_t seen[MOST_PARTS];
    bool in_order = true;
    const char *ids = "[";
    if (!list || list->type != JSON_ARRAY)
        return 0;
    if (list->n > MOST_PARTS)
        return bad_mention(at);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *item = &list->items[i], *of = json_get(item, "mentioned");
        const int64_t id = json_get_int(item, "id", -1);
        const char *shown = json_get_str(item, "mentionText");
        const char *number = arena_printf(a, "%lld", (long long)id);
        p->mentions[i] = (struct chat_mention){.text = shown ? shown : ""};
        if (id < 0 || id > INT32_MAX || !of || of->type != JSON_OBJECT)
            return bad_mention(at);
        for (uint32_t k = 0; k < i; k++)
            if (seen[k] == id)
                return bad_mention(at);
        seen[i] = id;
        if (!has_marker(text, "at", number) || (shown && !strstr(text, shown)))
            return call_fail(at->c, SOSIA_E_INVALID, "BadRequest", NULL,
                             "Body does not contain marker for mention with Id '%s'. Add '%.80s' "
                             "to the body.",
                             number, shown ? shown : "");
        if (read_mentioned(at, of, &p->mentions[i]) < 0)
            return -1;
        in_order &= id == (int64_t)i;
        ids = arena_printf(a, "%s%s%s", ids, i ? "," : "", number);
    }
    p->n = list->n;
    p->ids = in_order ? NULL : arena_printf(a, "%s]", ids);
    return 0;
}

/* ---- attachments ---- */

static int check_attachment(struct teams_at *at, const struct json *item, const char *text)
{
    static const char card[] = "application/vnd.microsoft.card.";
    const char *id = json_get_str(item, "id"), *type = json_get_str(item, "contentType");
    const char *content = json_get_str(item, "content");
    const struct json *v;
    if (!id || !*id || !type || !*type)
        return teams_bad(at->c, "Invalid request body was sent.");
    if (!has_marker(text, "attachment", id))
        return call_fail(at->c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "Body does not contain marker for attachment with Id '%.80s'.", id);
    if (strncmp(type, card, sizeof card - 1) == 0 &&
        (!content || json_parse(at->c->tx.arena, content, strlen(content), NULL, &v, NULL) < 0 ||
         v->type != JSON_OBJECT))
        return call_fail(at->c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "Failed to process content in attachment with Id '%.80s'.", id);
    return 0;
}

/* The list as messages keep it: all members, in their order. */
static int read_attachments(struct teams_at *at, const struct json *body, const char *text,
                            const char **ret)
{
    static const char *const names[] = {"id",   "contentType",  "contentUrl", "content",
                                        "name", "thumbnailUrl", "teamsAppId"};
    const struct json *list = json_get(body, "attachments");
    struct json_writer w;
    struct buf b;
    *ret = NULL;
    if (!list || list->type != JSON_ARRAY || !list->n)
        return 0;
    if (list->n > MOST_PARTS)
        return teams_bad(at->c, "Invalid request body was sent.");
    for (uint32_t i = 0; i < list->n; i++)
        if (check_attachment(at, &list->items[i], text) < 0)
            return -1;
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (uint32_t i = 0; i < list->n; i++) {
        json_obj(&w, NULL);
        for (size_t k = 0; k < SOSIA_LEN(names); k++)
            json_str(&w, names[k], json_get_str(&list->items[i], names[k]));
        json_end(&w);
    }
    json_end(&w);
    *ret = buf_failed(&b) ? NULL : arena_strdup(at->c->tx.arena, buf_str(&b));
    buf_done(&b);
    return *ret ? 0 : sosia_fail_memory(at->c->tx.err);
}

/* ---- pictures ---- */

/* "../hostedContents/1/$value" in the text becomes where the picture is. */
static const char *with_address(struct arena *a, const char *text, const char *temporary,
                                const char *url)
{
    const char *was = arena_printf(a, "../hostedContents/%s/$value", temporary), *p;
    struct buf b;
    buf_init(&b, 0);
    for (; (p = strstr(text, was)); text = p + strlen(was)) {
        buf_add(&b, text, (size_t)(p - text));
        buf_puts(&b, url);
    }
    buf_puts(&b, text);
    const char *made = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return made;
}

static const char *message_path(struct teams_at *at, const struct chat_message *m,
                                const struct chat_message *root)
{
    struct arena *a = at->c->tx.arena;
    const char *own = arena_printf(a, "%lld", (long long)teams_message_ms(m->ts_us));
    const char *tail = root ? arena_printf(a, "messages/%lld/replies/%s",
                                           (long long)teams_message_ms(root->ts_us), own)
                            : arena_printf(a, "messages/%s", own);
    return at->team.id
               ? arena_printf(a, "teams/%s/channels/%s/%s", at->team.key, at->channel.key, tail)
               : arena_printf(a, "chats/%s/%s", at->channel.key, tail);
}

static int put_picture(struct teams_at *at, struct chat_message *m, const struct chat_message *root,
                       const struct json *item)
{
    static struct sql_text q = SQL_TEXT("insert into teams_hosted (message, key, type, blob) "
                                        "values (:message, :key, :type, :blob)");
    struct tx *tx = &at->c->tx;
    const char *temporary = json_get_str(item, "@microsoft.graph.temporaryId");
    const char *bytes = json_get_str(item, "contentBytes");
    const char *type = json_get_str(item, "contentType");
    uint8_t *data, id[16];
    struct buf b;
    int64_t blob;
    size_t n;
    if (!temporary || !bytes || !type ||
        base64_decode(tx->arena, bytes, strlen(bytes), &data, &n) < 0 || !n || n > MAX_PICTURE)
        return teams_bad(at->c, "Invalid request body was sent.");
    if (tx_id(tx, "teams.hosted", id, sizeof id) < 0 || blob_put(tx, data, n, &blob) < 0)
        return -1;
    buf_init(&b, 0);
    base64url_add(&b, id, sizeof id, false);
    const char *key = buf_keep(&b, tx->arena);
    m->text = with_address(tx->arena, m->text, temporary,
                           arena_printf(tx->arena,
                                        "https://" GRAPH_HOST "/v1.0/%s/hostedContents/%s/$value",
                                        message_path(at, m, root), key));
    if (!m->text)
        return sosia_fail_memory(tx->err);
    return TX_RUN(tx, &q, m->id, key, type, blob);
}

static int put_pictures(struct teams_at *at, struct chat_message *m, const struct json *body)
{
    const struct json *list = json_get(body, "hostedContents");
    struct chat_message root = {.id = 0};
    if (!list || list->type != JSON_ARRAY || !list->n)
        return 0;
    if (list->n > MOST_PICTURES)
        return teams_bad(at->c, "Invalid request body was sent.");
    if (m->thread && m->thread != m->id && chat_message_get(&at->c->tx, m->thread, &root) != 1)
        return -1;
    for (uint32_t i = 0; i < list->n; i++)
        if (put_picture(at, m, root.id ? &root : NULL, &list->items[i]) < 0)
            return -1;
    return chat_message_save(&at->c->tx, m, NULL);
}

/* ---- posting ---- */

/* What counts beside the text: cards and other contents of attachments. */
static size_t contents_of(const struct json *body)
{
    const struct json *list = json_get(body, "attachments");
    size_t n = 0;
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *content = json_get_str(&list->items[i], "content");
        n += content ? strlen(content) : 0;
    }
    return n;
}

int teams_read_text(struct teams_at *at, const struct json *body, struct chat_message *m)
{
    const struct json *of = json_get(body, "body");
    const char *type = of ? json_get_str(of, "contentType") : NULL;
    const char *text = of ? json_get_str(of, "content") : NULL;
    if (!text)
        return teams_bad(at->c, "Missing body content.");
    if (strlen(text) + contents_of(body) > TEAMS_MAX_BODY)
        return call_fail(at->c, SOSIA_E_TOO_LARGE, "RequestEntityTooLarge", NULL,
                         "Request body is too large. The message size must be at most %d bytes.",
                         TEAMS_MAX_BODY);
    const bool html = type && strcasecmp(type, "html") == 0;
    m->format = html ? NULL : "text";
    m->text = html ? teams_clean_html(at->c->tx.arena, text, strlen(text)) : text;
    return m->text ? 0 : sosia_fail_memory(at->c->tx.err);
}

static int read_importance(const struct json *body)
{
    const char *word = json_get_str(body, "importance");
    return !word                         ? CHAT_NORMAL
           : strcmp(word, "high") == 0   ? CHAT_HIGH
           : strcmp(word, "urgent") == 0 ? CHAT_URGENT
                                         : CHAT_NORMAL;
}

/* Parts of a message that is in its place. */
static int put_parts(struct teams_at *at, struct chat_message *m, const struct parts *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (chat_mention_add(&at->c->tx, m->id, &p->mentions[i]) < 0)
            return -1;
    return 0;
}

static int read_parts(struct teams_at *at, const struct json *body, struct chat_message *m,
                      struct parts *p)
{
    const struct json *ids;
    if (teams_read_text(at, body, m) < 0 || read_mentions(at, body, m->text, p) < 0 ||
        read_attachments(at, body, m->text, &m->attachments) < 0)
        return -1;
    ids = p->ids ? teams_properties(at->c->tx.arena, p->ids) : NULL;
    if (ids &&
        !(m->extra = teams_with(at->c->tx.arena, m->extra ? m->extra : "{}", "mentionIds", ids)))
        return sosia_fail_memory(at->c->tx.err);
    return 0;
}

int teams_post(struct teams_at *at, const struct json *body, int64_t thread,
               struct chat_message *ret)
{
    const char *subject = json_get_str(body, "subject");
    struct parts *p = arena_calloc(at->c->tx.arena, 1, sizeof *p);
    if (arena_failed(at->c->tx.arena))
        return sosia_fail_memory(at->c->tx.err);
    if (subject && strlen(subject) > MAX_SUBJECT)
        return teams_bad(at->c, "Invalid request body was sent.");
    *ret = (struct chat_message){.user = at->me.id,
                                 .app = at->c->app,
                                 .thread = thread,
                                 .subject = subject,
                                 .importance = (enum chat_importance)read_importance(body)};
    return read_parts(at, body, ret, p) < 0 || chat_post(&at->c->tx, &at->channel, ret) < 0 ||
                   put_parts(at, ret, p) < 0 || put_pictures(at, ret, body) < 0 ||
                   put_change(&at->c->tx, ret->id, ret->ts_us) < 0
               ? -1
               : 0;
}

int teams_edit(struct teams_at *at, const struct json *body, struct chat_message *m)
{
    struct tx *tx = &at->c->tx;
    struct chat_message before = *m;
    struct parts *p = arena_calloc(tx->arena, 1, sizeof *p);
    const char *subject = json_get_str(body, "subject");
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (json_get(body, "body")) {
        if (read_parts(at, body, m, p) < 0 || chat_parts_drop(tx, m->id) < 0 ||
            put_parts(at, m, p) < 0)
            return -1;
    }
    if (json_get(body, "subject"))
        m->subject = subject;
    if (json_get(body, "importance"))
        m->importance = (enum chat_importance)read_importance(body);
    m->edited_us = tx->now_us - tx->now_us % 1000;
    m->editor = at->me.id;
    return teams_touched(tx, m, m->edited_us) < 0 ? -1 : chat_message_save(tx, m, &before);
}

int teams_note(struct teams_at *at, struct chat_channel *ch, const char *type, const char *members)
{
    struct arena *a = at->c->tx.arena;
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_obj(&w, "initiator");
    json_null(&w, "application");
    json_null(&w, "device");
    if (at->me.id)
        teams_write_user(&w, "user", at->me.key, NULL, at->tenant.guid);
    else
        json_null(&w, "user");
    json_end(&w);
    json_end(&w);
    const char *initiator = buf_keep(&b, a);
    struct chat_message m = {.user = at->me.id,
                             .subtype = type,
                             .text = "",
                             .flags = CHAT_SYSTEM,
                             .metadata =
                                 arena_printf(a, "{\"@odata.type\":\"#microsoft.graph.%s\",%s%s%s",
                                              type, members, *members ? "," : "", initiator + 1)};
    return chat_post(&at->c->tx, ch, &m) < 0 ? -1 : put_change(&at->c->tx, m.id, m.ts_us);
}
