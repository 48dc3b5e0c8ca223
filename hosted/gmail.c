/* SPDX-License-Identifier: Apache-2.0 */
/* Gmail: the messages and drafts of the account's mailbox, as plain text. */
#include "hosted/impl.h"
#include <strings.h>

static const char *const system_labels[] = {"INBOX",
                                            "SENT",
                                            "DRAFT",
                                            "TRASH",
                                            "SPAM",
                                            "UNREAD",
                                            "STARRED",
                                            "IMPORTANT",
                                            "CHAT",
                                            "CATEGORY_PERSONAL",
                                            "CATEGORY_SOCIAL",
                                            "CATEGORY_PROMOTIONS",
                                            "CATEGORY_UPDATES",
                                            "CATEGORY_FORUMS",
                                            NULL};

/* ---- payload to seed ---- */

static bool has_label(const struct json *list, const char *name)
{
    for (uint32_t i = 0; list && i < list->n; i++)
        if (str_same(json_get_str(&list->items[i], "name"), name))
            return true;
    return false;
}

/* Labels that messages have and the mailbox does not. */
static int seed_labels(struct hosted_call *c, const struct json *messages, uint32_t n,
                       struct json_writer *w)
{
    const struct json *answer = NULL, *names;
    struct map seen;
    map_init(&seen);
    json_arr(w, "labels");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = items_of(&messages[i], "labels", &names);
        for (uint32_t j = 0; j < k; j++) {
            const char *name = names[j].str;
            if (str_place(system_labels, name) >= 0 || map_get(&seen, name))
                continue;
            if (!answer && world_get(c, "/gmail/v1/users/me/labels", &answer) < 0) {
                map_done(&seen);
                return -1;
            }
            if (map_set(&seen, name, &seen) < 0) {
                map_done(&seen);
                return sosia_fail_memory(&c->err);
            }
            if (has_label(json_get(answer, "labels"), name))
                continue;
            json_obj(w, NULL);
            json_str(w, "name", name);
            json_end(w);
        }
    }
    json_end(w);
    map_done(&seen);
    return 0;
}

static void write_letter(struct hosted_call *c, struct json_writer *w, const struct json *m,
                         int64_t at_us)
{
    const char *from = filled(m, "from");
    json_str(w, "from", from ? from : c->sandbox->person);
    json_str(w, "to", json_get_str(m, "to"));
    json_str_opt(w, "cc", filled(m, "cc"));
    json_str_opt(w, "bcc", filled(m, "bcc"));
    json_str_opt(w, "replyTo", filled(m, "reply_to"));
    json_str(w, "subject", json_get_str(m, "subject"));
    json_str(w, "text", json_get_str(m, "body"));
    json_time(w, "date", at_us, JSON_TIME_MS_Z);
    json_time(w, "received", at_us, JSON_TIME_MS_Z);
}

/* Times one behind the other, the last one the present: lists show them in the payload's order. */
int payload_to_gmail(struct hosted_call *c, const struct json *data, struct json_writer *w)
{
    const struct json *messages, *drafts;
    uint32_t n = items_of(data, "messages", &messages), k = items_of(data, "drafts", &drafts);
    int64_t now;
    if (world_time(c, &now) < 0)
        return -1;
    now -= (int64_t)(n + k) * 1000;
    json_arr(w, "mailboxes");
    json_obj(w, NULL);
    json_str(w, "person", c->sandbox->person);
    if (seed_labels(c, messages, n, w) < 0)
        return -1;
    json_arr(w, "messages");
    for (uint32_t i = 0; i < n; i++) {
        const struct json *labels = json_get(&messages[i], "labels");
        json_obj(w, NULL);
        write_letter(c, w, &messages[i], now += 1000);
        if (labels && labels->type == JSON_ARRAY)
            json_value(w, "labels", labels);
        json_end(w);
    }
    for (uint32_t i = 0; i < k; i++) {
        json_obj(w, NULL);
        write_letter(c, w, &drafts[i], now += 1000);
        json_arr(w, "labels");
        json_str(w, NULL, "DRAFT");
        json_end(w);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    json_end(w);
    count_made(c, "messages", n);
    count_made(c, "drafts", k);
    return 0;
}

/* ---- state to payload ---- */

static const char *header_of(const struct json *payload, const char *name)
{
    const struct json *headers;
    uint32_t n = items_of(payload, "headers", &headers);
    for (uint32_t i = 0; i < n; i++) {
        const char *key = json_get_str(&headers[i], "name");
        if (key && strcasecmp(key, name) == 0)
            return json_get_str(&headers[i], "value");
    }
    return NULL;
}

/* The first part of a type; NULL: there is none. */
static const struct json *part_of(const struct json *part, const char *type)
{
    const struct json *parts;
    const char *mime = json_get_str(part, "mimeType");
    if (mime && strcasecmp(mime, type) == 0 && json_get_str(json_get(part, "body"), "data"))
        return part;
    uint32_t n = items_of(part, "parts", &parts);
    for (uint32_t i = 0; i < n; i++) {
        const struct json *found = part_of(&parts[i], type);
        if (found)
            return found;
    }
    return NULL;
}

/* Its text, or HTML where it has none, with plain line feeds. */
static const char *body_of(struct hosted_call *c, const struct json *payload)
{
    const struct json *part = part_of(payload, "text/plain");
    uint8_t *bytes;
    size_t len;
    if (!part)
        part = part_of(payload, "text/html");
    const char *data = part ? json_get_str(json_get(part, "body"), "data") : NULL;
    if (!data || base64_decode(&c->arena, data, strlen(data), &bytes, &len) < 0)
        return "";
    char *text = arena_memdup(&c->arena, bytes, len);
    for (size_t i = 0; i < len; i++)
        if (!text[i])
            text[i] = '?';
    make_utf8(text, len);
    return plain_lines(c, text);
}

static void write_text(struct json_writer *w, const char *name, const char *text, bool needed)
{
    json_str(w, name, text || !needed ? text : "");
}

static void dump_labels(struct json_writer *w, const struct json *ids, const struct json *labels)
{
    json_arr(w, "labels");
    for (uint32_t i = 0; ids && i < ids->n; i++) {
        const char *name = ids->items[i].str;
        for (uint32_t j = 0; labels && j < labels->n; j++)
            if (str_same(json_get_str(&labels->items[j], "id"), name))
                name = json_get_str(&labels->items[j], "name");
        json_str(w, NULL, name);
    }
    json_end(w);
}

static bool is_draft(const struct json *m)
{
    const struct json *ids;
    uint32_t n = items_of(m, "labelIds", &ids);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(ids[i].str, "DRAFT") == 0)
            return true;
    return false;
}

static void dump_letter(struct hosted_call *c, struct json_writer *w, const struct json *m,
                        const struct json *labels)
{
    const struct json *payload = json_get(m, "payload");
    json_obj(w, NULL);
    write_text(w, "subject", header_of(payload, "Subject"), true);
    write_text(w, "to", header_of(payload, "To"), true);
    write_text(w, "cc", header_of(payload, "Cc"), false);
    write_text(w, "bcc", header_of(payload, "Bcc"), false);
    json_str(w, "body", body_of(c, payload));
    write_text(w, "from", header_of(payload, "From"), false);
    write_text(w, "reply_to", header_of(payload, "Reply-To"), false);
    if (labels)
        dump_labels(w, json_get(m, "labelIds"), labels);
    json_end(w);
}

struct letters {
    const struct json **list;
    size_t n, cap;
};

static int read_page(struct hosted_call *c, const struct json *page, struct letters *ret)
{
    const struct json *heads;
    uint32_t n = items_of(page, "messages", &heads);
    for (uint32_t i = 0; i < n; i++) {
        const char *id = json_get_str(&heads[i], "id");
        ret->list = arena_grow(&c->arena, ret->list, ret->n, &ret->cap, sizeof(*ret->list));
        if (!ret->list)
            return sosia_fail_memory(&c->err);
        if (world_get(c, arena_printf(&c->arena, "/gmail/v1/users/me/messages/%s?format=full", id),
                      &ret->list[ret->n]) < 0)
            return -1;
        ret->n++;
    }
    return 0;
}

/* Lists have the newest first, payloads the oldest. */
int payload_of_gmail(struct hosted_call *c, struct json_writer *w)
{
    static const char target[] = "/gmail/v1/users/me/messages?maxResults=500&includeSpamTrash=true";
    struct letters all = {NULL};
    const struct json *v, *labels;
    const char *page = NULL;
    if (world_get(c, "/gmail/v1/users/me/labels", &v) < 0)
        return -1;
    labels = json_get(v, "labels");
    do {
        if (world_get(c,
                      page ? arena_printf(&c->arena, "%s&pageToken=%s", target, escaped(c, page))
                           : target,
                      &v) < 0 ||
            read_page(c, v, &all) < 0)
            return -1;
        page = json_get_str(v, "nextPageToken");
    } while (page);
    for (int drafts = 0; drafts < 2; drafts++) {
        json_arr(w, drafts ? "drafts" : "messages");
        for (size_t i = all.n; i > 0; i--)
            if (is_draft(all.list[i - 1]) == drafts)
                dump_letter(c, w, all.list[i - 1], drafts ? NULL : labels);
        json_end(w);
    }
    return 0;
}
