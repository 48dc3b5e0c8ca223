/* SPDX-License-Identifier: Apache-2.0 */
/* Answers in a chat that quote messages of it: each is an attachment of the kind messageReference
 * in front of the answer's text. */
#include "services/chat/teams/quote.h"
#include "engine/base/codec.h"
#include <strings.h>

enum { MOST_QUOTED = 10, PREVIEW = 500 };

/* The message of the open chat with that id, which the caller sees. 0, -1. */
static int find_quoted(struct teams_at *at, const struct json *id, struct chat_message *ret)
{
    int64_t ms;
    int r = 0;
    if (parse_i64(id->str, strlen(id->str), &ms) == 0 && ms >= 0 && ms <= CHAT_LAST_INSTANT / 1000)
        r = chat_message_find(&at->c->tx, at->channel.id, ms * 1000, ret);
    if (r == 1 &&
        (ret->subtype || teams_was_deleted(ret) || !teams_is_shown(at, &at->channel, ret)))
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(at->c);
}

/* What an attachment says of a message: JSON in a string. In the arena; NULL without memory. */
static const char *reference_of(struct teams_at *at, const struct chat_message *m, const char *id)
{
    struct arena *a = at->c->tx.arena;
    const char *plain = teams_preview(a, m, PREVIEW);
    struct chat_user u = {.key = NULL};
    struct json_writer w;
    struct buf b;
    if (!plain || (m->user && chat_user_get(&at->c->tx, m->user, &u) < 0))
        return NULL;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "messageId", id);
    json_str(&w, "messagePreview", plain);
    json_obj(&w, "messageSender");
    json_null(&w, "application");
    json_null(&w, "device");
    if (u.key) {
        json_obj(&w, "user");
        json_str(&w, "userIdentityType", "aadUser");
        json_str(&w, "tenantId", at->tenant.guid);
        json_str(&w, "id", u.key);
        json_str(&w, "displayName", u.real_name);
        json_end(&w);
    } else {
        json_null(&w, "user");
    }
    json_end(&w);
    json_end(&w);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return text;
}

/* The answer's text as HTML, behind a mark for each quoted message. NULL without memory. */
static const char *text_of(struct arena *a, const struct json *ids, const struct json *reply)
{
    const struct json *of = json_get(reply, "body");
    const char *type = of ? json_get_str(of, "contentType") : NULL;
    const char *text = of ? json_get_str(of, "content") : NULL;
    struct buf b;
    buf_init(&b, 0);
    for (uint32_t i = 0; i < ids->n; i++) {
        buf_puts(&b, "<attachment id=\"");
        buf_puts(&b, ids->items[i].str);
        buf_puts(&b, "\"></attachment>\n");
    }
    if (text && type && strcasecmp(type, "html") == 0) {
        buf_puts(&b, text);
    } else if (text) {
        buf_puts(&b, "<p>");
        html_escape(&b, text, strlen(text), "");
        buf_puts(&b, "</p>");
    }
    const char *made = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return made;
}

/* The answer as a body that posts it. */
static int body_of(struct teams_at *at, const struct json *ids, const struct json *reply,
                   const struct json **ret)
{
    struct arena *a = at->c->tx.arena;
    const struct json *own = json_get(reply, "attachments");
    const char *html = text_of(a, ids, reply), *text;
    struct chat_message m;
    struct json_writer w;
    struct buf b;
    int rc = -1;
    if (!html)
        return sosia_fail_memory(at->c->tx.err);
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < reply->n; i++)
        if (strcmp(reply->members[i].key, "body") != 0 &&
            strcmp(reply->members[i].key, "attachments") != 0)
            json_value(&w, reply->members[i].key, &reply->members[i].value);
    json_obj(&w, "body");
    json_str(&w, "contentType", "html");
    json_str(&w, "content", html);
    json_end(&w);
    json_arr(&w, "attachments");
    for (uint32_t i = 0; i < ids->n; i++) {
        const char *said;
        if (find_quoted(at, &ids->items[i], &m) < 0 ||
            !(said = reference_of(at, &m, ids->items[i].str)))
            goto done;
        json_obj(&w, NULL);
        json_str(&w, "id", ids->items[i].str);
        json_str(&w, "contentType", "messageReference");
        json_str(&w, "content", said);
        json_end(&w);
    }
    for (uint32_t i = 0; own && own->type == JSON_ARRAY && i < own->n; i++)
        json_value(&w, NULL, &own->items[i]);
    json_end(&w);
    json_end(&w);
    text = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    *ret = text ? teams_properties(a, text) : NULL;
    rc = *ret ? 0 : sosia_fail_memory(at->c->tx.err);
done:
    buf_done(&b);
    return rc;
}

int teams_quote(struct teams_at *at, const struct json *body, const struct json **ret)
{
    const struct json *ids = json_get(body, "messageIds"), *reply = json_get(body, "replyMessage");
    if (!ids || ids->type != JSON_ARRAY || !ids->n || ids->n > MOST_QUOTED)
        return teams_bad(at->c, "messageIds must have 1 to 10 messages of the chat.");
    for (uint32_t i = 0; i < ids->n; i++) {
        if (ids->items[i].type != JSON_STRING)
            return teams_bad(at->c, "messageIds must have 1 to 10 messages of the chat.");
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(ids->items[k].str, ids->items[i].str) == 0)
                return teams_bad(at->c, "messageIds must have each message once.");
    }
    if (!reply || !json_get_str(json_get(reply, "body"), "content"))
        return teams_bad(at->c, "Missing body content.");
    return body_of(at, ids, reply, ret);
}
