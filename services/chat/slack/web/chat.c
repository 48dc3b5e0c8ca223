/* SPDX-License-Identifier: Apache-2.0 */
/* Posting, changing, deleting messages. */
#include "engine/base/codec.h"
#include "engine/base/made.h"
#include "engine/text/civil.h"
#include "services/chat/core/ask.h"
#include "services/chat/slack/web/compose.h"
#include "services/chat/slack/apps/entity.h"
#include "services/chat/slack/events/news.h"
#include "services/chat/slack/apps/interact.h"

#define MAX_FILES 100 /* of a message */

/* ---- posting ---- */

/* The id that a client gives what somebody writes in it; NULL: failed. */
static const char *client_id(struct call *c)
{
    uint8_t b[16];
    const char *id;
    int r;
    do {
        if (tx_id(&c->tx, "slack.client", b, sizeof b) < 0)
            return NULL;
        b[6] = (uint8_t)(0x40 | (b[6] & 0x0f)); /* a random UUID (RFC 9562) */
        b[8] = (uint8_t)(0x80 | (b[8] & 0x3f));
        id = arena_printf(c->tx.arena,
                          "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                          b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11],
                          b[12], b[13], b[14], b[15]);
    } while ((r = chat_client_known(&c->tx, id)) == 1);
    return r < 0 ? NULL : id;
}

static void write_deprecated(struct call *c)
{
    json_str(c->out, "deprecated_argument", slack_of(c)->more_arg);
}

/* Bots always post as themselves, and may not even say so. */
static int check_as_user(struct call *c)
{
    if (!sl_me(c)->is_bot || !param_given(c, "as_user"))
        return 0;
    slack_of(c)->more = write_deprecated;
    slack_of(c)->more_arg = "as_user";
    return slack_fail(c, "invalid_arguments");
}

static int chat_post_message(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    struct chat_message root, m = {.user = me->user.id, .app = me->app};
    if (check_as_user(c) < 0)
        return -1;
    if (sl_post_target(c, true, &ch) < 0 || sl_thread_arg(c, &ch, &root) < 0 ||
        sl_compose(c, &m, 0) < 0 || sl_blocks_fit(c) < 0 || sl_mark_function(c, NULL, &m.extra) < 0)
        return -1;
    if (me->in_client && !(m.client = client_id(c)))
        return -1;
    m.thread = root.id;
    if (root.id && slack_flag(c, "reply_broadcast")) {
        m.flags |= CHAT_BROADCAST;
        m.subtype = "thread_broadcast";
    }
    if (chat_post(&c->tx, &ch, &m) < 0)
        return -1;
    return sl_answer_posted(c, &ch, &m, true);
}

static int chat_me_message(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *text = param_str(c, "text");
    struct chat_channel ch;
    struct chat_message m = {
        .user = me->user.id, .app = me->app, .subtype = "me_message", .flags = 0};
    if (sl_post_target(c, false, &ch) < 0)
        return -1;
    if (sl_is_blank(text))
        return slack_fail(c, "no_text");
    if (sl_characters(text) > 40000)
        return slack_fail(c, "msg_too_long");
    m.text = sl_text_stored(c, text, true);
    return chat_post(&c->tx, &ch, &m) < 0 ? -1 : sl_answer_posted(c, &ch, &m, false);
}

static int chat_post_ephemeral(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    struct chat_member in;
    struct chat_user to;
    struct chat_message root = {0}, m = {.user = me->user.id, .app = me->app};
    char ts[CHAT_TS_LEN];
    int64_t ts_us;
    if (sl_post_target(c, false, &ch) < 0)
        return -1;
    int r = sl_user_find(c, param_str(c, "user"), &to);
    if (r == 1)
        r = chat_member_of(&c->tx, ch.id, to.id, &in);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_in_channel");
    if (sl_thread_arg(c, &ch, &root) < 0 || sl_compose(c, &m, 40000) < 0 ||
        sl_show(&c->tx, &ch, to.id, &m, root.ts_us, &ts_us) < 0)
        return -1;
    chat_ts_text(ts, ts_us);
    slack_open(c);
    json_str(c->out, "message_ts", ts);
    slack_close(c);
    return 0;
}

/* ---- changing ---- */

/* What is given replaces what was; a text without blocks takes those away. */
static int recompose(struct call *c, struct chat_message *m, bool *ret_content)
{
    struct chat_message new = {0};
    const char *text = param_str(c, "text"), *markdown = param_str(c, "markdown_text");
    bool text_given = (text && *text) || (markdown && *markdown);
    int with_metadata;
    bool blocks = param_given(c, "blocks"), attachments = param_given(c, "attachments");
    *ret_content = text_given || blocks || attachments;
    if (markdown && *markdown && ((text && *text) || blocks))
        return slack_fail(c, "markdown_text_conflict");
    if (text_given || blocks || attachments) {
        int r = sl_blocks_arg(c, &new.blocks), a = sl_attachments_arg(c, &new.attachments);
        if (r < 0 || a < 0)
            return -1;
        bool rich =
            m->blocks && !(m->flags & CHAT_MADE_BLOCKS) && strstr(m->blocks, "\"rich_text\"");
        if (rich && new.blocks && !strstr(new.blocks, "\"rich_text\""))
            return slack_fail(c, "block_mismatch");
        bool marked = markdown && *markdown;
        if (text_given && sl_characters(marked ? markdown : text) > (marked ? SL_MARKDOWN : 4000))
            return slack_fail(c, "msg_too_long");
        if (marked)
            text = sl_markdown(c, markdown);
        if (text_given || blocks) {
            if (text_given)
                m->text = sl_text_given(c, text);
            else if (new.blocks)
                m->text = sl_blocks_text(c, new.blocks);
            if (!m->text)
                return -1;
            if (text_given || new.blocks)
                m->flags = (m->flags & ~(int64_t)CHAT_PLAIN) | (sl_is_unmarked(c) ? CHAT_PLAIN : 0);
            m->blocks = new.blocks;
            m->flags &= ~(int64_t)CHAT_MADE_BLOCKS;
            if (!m->blocks && *m->text) {
                m->flags |= CHAT_MADE_BLOCKS;
                if (!(m->blocks = sl_text_blocks(c, m->text, m->flags)))
                    return -1;
            }
        }
        if (attachments)
            m->attachments = new.attachments;
        if (sl_is_blank(m->text) && !m->blocks && !m->attachments)
            return slack_fail(c, "no_text");
    }
    if ((with_metadata = sl_metadata_arg(c, &new.metadata)) < 0)
        return -1;
    if (with_metadata)
        m->metadata = new.metadata;
    return 0;
}

/* Messages may be changed for some minutes, if the workspace says so; -1: always. */
static bool in_edit_window(struct call *c, const struct chat_message *m)
{
    int64_t minutes = -1;
    json_i64(sl_preference(c, "msg_edit_window_mins"), &minutes);
    return minutes < 0 || (c->tx.now_us - m->ts_us) / US_PER_SECOND / 60 < minutes;
}

/* Its files that it has no more; keys: those that it has. */
static int unshare_others(struct call *c, const struct chat_channel *ch,
                          const struct chat_message *m, const char **keys, size_t n)
{
    const struct json *old = m->files ? sl_stored_json(c, m->files) : NULL;
    struct chat_file f;
    if (m->files && !old)
        return -1;
    for (uint32_t i = 0; old && old->type == JSON_ARRAY && i < old->n; i++) {
        const char *key = old->items[i].type == JSON_STRING ? old->items[i].str : "";
        if (str_in_nocase(key, keys, n))
            continue;
        int r = chat_file_find(&c->tx, ch->workspace, key, &f);
        if (r < 0 || (r && chat_file_unshare(&c->tx, &f, ch->id, m->id) < 0))
            return -1;
    }
    return 0;
}

/* file_ids: the files that the message has from now on. */
static int files_given(struct call *c, const struct chat_channel *ch, struct chat_message *m)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_file f;
    struct buf b;
    size_t n;
    if (!param_given(c, "file_ids"))
        return 0;
    const char **keys = slack_list_arg(c, "file_ids", &n);
    if (n > MAX_FILES)
        return slack_fail(c, "max_file_sharing_exceeded");
    if (n && ch->general && !sl_may_post_general(c))
        return slack_fail(c, "posting_to_channel_denied");
    for (size_t i = 0; i < n; i++) {
        int r = chat_file_find(&c->tx, me->workspace.id, keys[i], &f);
        if (r == 1 && f.state == CHAT_FILE_DELETED)
            return slack_fail(c, "file_deleted");
        if (r == 1)
            r = f.state == CHAT_FILE_THERE ? chat_can_see_file(&c->tx, &f, &me->user) : 0;
        if (r != 1)
            return r < 0 ? -1 : slack_fail(c, "file_not_found");
        if (str_in_nocase(keys[i], keys, i)) /* named twice */
            return slack_invalid_arguments(c, "/file_ids", "must provide unique items");
        if (chat_file_share(&c->tx, &f, ch->id, m->id) < 0)
            return -1;
        if (sqlite3_changes(slot_db(c->tx.db)))
            chat_notify(&c->tx, CHAT_EV_SHARE, OP_ADDED, ch->id, f.id, NULL,
                        &(struct chat_change){.message = *m, .user = me->user.id});
    }
    if (unshare_others(c, ch, m, keys, n) < 0)
        return -1;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s\"%s\"", i ? "," : "[", keys[i]);
    buf_byte(&b, ']');
    m->files = n ? arena_strdup(c->tx.arena, buf_str(&b)) : NULL;
    buf_done(&b);
    return 0;
}

static int chat_update(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    struct chat_message m, before;
    char ts[CHAT_TS_LEN];
    bool content, broadcast = slack_flag(c, "reply_broadcast");
    if (sl_channel_arg(c, "channel", false, &ch) < 0 ||
        sl_message_arg(c, &ch, "ts", "message_not_found", &m) < 0)
        return -1;
    before = m;
    if (m.user != me->user.id || m.flags & (CHAT_SYSTEM | CHAT_TOMBSTONE))
        return slack_fail(c, "cant_update_message");
    if (ch.archived)
        return slack_fail(c, "is_inactive");
    if (m.flags & CHAT_STREAMING)
        return slack_fail(c, "streaming_state_conflict");
    if (!in_edit_window(c, &m))
        return slack_fail(c, "edit_window_closed");
    if (recompose(c, &m, &content) < 0 || files_given(c, &ch, &m) < 0)
        return -1;
    if (broadcast && (!m.thread || m.thread == m.id))
        return slack_fail(c, "cant_broadcast_message");
    if (broadcast && content)
        return slack_fail(c, "no_dual_broadcast_content_update");
    if (broadcast) {
        m.flags |= CHAT_BROADCAST;
        m.subtype = "thread_broadcast";
    } else if (!content && !param_given(c, "metadata") && !param_given(c, "file_ids")) {
        return slack_fail(c, "no_text");
    }
    m.edited_us = c->tx.now_us / US_PER_SECOND * US_PER_SECOND;
    m.editor = me->user.id;
    if (chat_message_save(&c->tx, &m, &before) < 0)
        return -1;
    chat_ts_text(ts, m.ts_us);
    slack_open(c);
    json_str(c->out, "channel", ch.key);
    json_str(c->out, "ts", ts);
    json_str(c->out, "text", m.text);
    if (sl_write_message(c, "message", &m, SL_POSTED | SL_METADATA | SL_NO_TS) < 0)
        return -1;
    slack_close(c);
    return 0;
}

static int chat_delete(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    struct chat_message m;
    bool tombstone;
    if (sl_channel_arg(c, "channel", false, &ch) < 0 ||
        sl_message_arg(c, &ch, "ts", "message_not_found", &m) < 0)
        return -1;
    if (m.flags & CHAT_TOMBSTONE)
        return slack_fail(c, "message_not_found");
    const struct json *deletion = sl_preference(c, "allow_message_deletion");
    bool fixed = json_is_false(deletion);
    if ((m.user != me->user.id || fixed) && (me->is_bot || me->user.role > CHAT_ADMIN))
        return slack_fail(c, "cant_delete_message");
    struct chat_message gone = m;
    if (chat_message_delete(&c->tx, &ch, &m, &tombstone) < 0)
        return -1;
    return sl_answer_posted(c, &ch, &gone, false);
}

static int chat_get_permalink(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m;
    if (sl_channel_arg(c, "channel", false, &ch) < 0 ||
        sl_message_arg(c, &ch, "message_ts", "message_not_found", &m) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "permalink", sl_permalink(c, &ch, &m));
    json_str(c->out, "channel", ch.key);
    slack_close(c);
    return 0;
}

/* ---- links that an app shows something of ---- */

/* What an app shows: attachments by link, and work objects, each with its link. NULL: none. */
struct unfurls {
    const struct json *links, *entities;
};

/* As json_get(), for a link that may have a work object alone. */
static bool is_shown(const struct unfurls *u, const char *url)
{
    if (u->links && json_get(u->links, url))
        return true;
    for (uint32_t i = 0; u->entities && i < u->entities->n; i++)
        if (strcmp(json_get_str(&u->entities->items[i], "app_unfurl_url"), url) == 0)
            return true;
    return false;
}

static void write_unfurl_end(struct call *c, struct json_writer *w, const char *url)
{
    json_str(w, "bot_id", sl_me(c)->install.id ? sl_me(c)->install.key : "");
    json_str(w, "app_unfurl_url", url);
    json_bool(w, "is_app_unfurl", true);
    json_end(w);
}

static int write_objects(struct call *c, struct json_writer *w, const struct json *entities, int id)
{
    struct ident_app app;
    int r = entities ? app_get(&c->tx, sl_me(c)->app, &app) : 0;
    for (uint32_t i = 0; r == 1 && i < entities->n; i++) {
        const char *url = json_get_str(&entities->items[i], "app_unfurl_url");
        json_obj(w, NULL);
        json_str(w, "from_url", url);
        json_int(w, "id", ++id);
        sl_write_work_object(w, &entities->items[i], app.name);
        write_unfurl_end(c, w, url);
    }
    return r < 0 ? -1 : 0;
}

/* What an app shows of a link, with the blocks as the service keeps them. */
static int write_unfurl(struct call *c, struct json_writer *w, const char *url,
                        const struct json *v, int id)
{
    static const char *const own[] = {"id", "from_url", "bot_id", "app_unfurl_url",
                                      "is_app_unfurl"};
    const struct json *given = json_get(v, "blocks");
    const char *made = NULL;
    const char *at = arena_printf(c->tx.arena, "/unfurls/%.500s/blocks", url);
    int r = given ? sl_blocks_check(c, given, at, &sl_blocks_field, &made) : 1;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "cannot_parse_attachment");
    json_obj(w, NULL);
    json_str(w, "from_url", url);
    json_int(w, "id", id);
    for (uint32_t k = 0; k < v->n; k++) {
        if (str_in_nocase(v->members[k].key, own, SOSIA_LEN(own)))
            continue;
        if (given == &v->members[k].value && made)
            json_raw(w, "blocks", made, strlen(made));
        else
            json_value(w, v->members[k].key, &v->members[k].value);
    }
    if (!json_get(v, "fallback"))
        json_str(w, "fallback", "[no preview available]");
    write_unfurl_end(c, w, url);
    return 0;
}

/* Attachments as they were, without those of the same links, then one for each link. */
static int write_unfurls(struct call *c, struct json_writer *w, const struct chat_message *m,
                         const struct unfurls *shown)
{
    const struct json *old = NULL, *unfurls = shown->links;
    int id = 0;
    if (m->attachments &&
        json_parse(c->tx.arena, m->attachments, strlen(m->attachments), NULL, &old, c->tx.err) < 0)
        return -1;
    json_arr(w, NULL);
    for (uint32_t i = 0; old && i < old->n; i++) {
        const char *url = json_get_str(&old->items[i], "app_unfurl_url");
        if (url && is_shown(shown, url))
            continue;
        json_value(w, NULL, &old->items[i]);
        id++;
    }
    for (uint32_t i = 0; unfurls && i < unfurls->n; i++) {
        const struct json_member *link = &unfurls->members[i];
        if (write_unfurl(c, w, link->key, &link->value, ++id) < 0)
            return -1;
    }
    if (write_objects(c, w, shown->entities, id) < 0)
        return -1;
    json_end(w);
    return 0;
}

/* The message's metadata with the work objects, each in the place of the one of its link. */
static int keep_objects(struct call *c, struct chat_message *m, const struct unfurls *shown)
{
    const struct json *there = NULL, *list;
    struct buf b;
    struct json_writer w;
    if (!shown->entities)
        return 0;
    if (m->metadata &&
        json_parse(c->tx.arena, m->metadata, strlen(m->metadata), NULL, &there, c->tx.err) < 0)
        return -1;
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    for (uint32_t i = 0; there && i < there->n; i++)
        if (strcmp(there->members[i].key, "entities") != 0)
            json_value(&w, there->members[i].key, &there->members[i].value);
    json_arr(&w, "entities");
    list = json_get(there, "entities");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *url = json_get_str(&list->items[i], "app_unfurl_url");
        if (!url || !is_shown(shown, url))
            json_value(&w, NULL, &list->items[i]);
    }
    for (uint32_t i = 0; i < shown->entities->n; i++)
        json_value(&w, NULL, &shown->entities->items[i]);
    json_end(&w);
    json_end(&w);
    m->metadata = buf_made(&b, c->tx.arena);
    return m->metadata ? 0 : sosia_fail_memory(c->tx.err);
}

/* "metadata" of work objects: 1, 0 it is absent, -1 refused. */
static int objects_arg(struct call *c, const struct json **ret)
{
    const struct json *v;
    int r = slack_value(c, "metadata", &v);
    *ret = NULL;
    if (r <= 0)
        return r;
    if (!sl_me(c)->app || !sl_are_entities(json_get(v, "entities"), true))
        return slack_fail(c, "invalid_metadata_format");
    *ret = json_get(v, "entities");
    return 1;
}

/* A link of the message, and of the domains that the app has named. */
static int check_link(struct call *c, const struct chat_message *m, const struct json *domains,
                      const char *url)
{
    if (!strstr(m->text, sl_text_stored(c, url, false)))
        return slack_fail(c, "cannot_unfurl_message");
    return domains && !sl_is_unfurled(&c->tx, domains, url) ? slack_fail(c, "cannot_unfurl_url")
                                                            : 0;
}

static int check_unfurls(struct call *c, const struct chat_message *m, const struct unfurls *shown)
{
    const struct json *unfurls = shown->links, *list = shown->entities;
    struct sl_settings s = {0};
    if (!sl_me(c)->app)
        return slack_fail(c, "cannot_find_service");
    if (sl_me(c)->chat_app.id && sl_settings_of(&c->tx, &sl_me(c)->chat_app, &s) < 0)
        return -1;
    for (uint32_t i = 0; list && i < list->n; i++)
        if (check_link(c, m, s.unfurl_domains, json_get_str(&list->items[i], "app_unfurl_url")) < 0)
            return -1;
    for (uint32_t i = 0; unfurls && i < unfurls->n; i++) {
        if (unfurls->members[i].value.type != JSON_OBJECT)
            return slack_fail(c, "cannot_parse_attachment");
        if (check_link(c, m, s.unfurl_domains, unfurls->members[i].key) < 0)
            return -1;
    }
    return 0;
}

/* NULL: it is not there, or empty. */
static const char *given_arg(struct call *c, const char *name)
{
    const char *text = param_str(c, name);
    return text && *text ? text : NULL;
}

/* The message of the link_shared that the app got. */
static int unfurl_by_id(struct call *c, const char *id, const char *source,
                        struct chat_message *ret)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    struct chat_app app;
    int64_t us;
    if (!source)
        return slack_fail(c, "missing_source");
    if (!id)
        return slack_fail(c, "missing_unfurl_id");
    bool composer = strcmp(source, "composer") == 0;
    if (!composer && strcmp(source, "conversations_history") != 0)
        return slack_fail(c, "invalid_source");
    const char *ts = strchr(id, '.'), *end = ts ? strchr(ts + 1, '.') : NULL;
    end = end ? strchr(end + 1, '.') : NULL;
    if (!end || composer || !me->app)
        return slack_fail(c, "invalid_unfurl_id");
    const char *key = arena_memdup(c->tx.arena, id, (size_t)(ts - id));
    const char *at = arena_memdup(c->tx.arena, ts + 1, (size_t)(end - ts) - 1);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    int r = chat_ts_read(at, &us) < 0 ? 0 : chat_channel_find(&c->tx, me->workspace.id, key, &ch);
    if (r == 1)
        r = chat_app_of(&c->tx, me->app, &app);
    if (r == 1)
        r = strcmp(id, sl_unfurl_id(&c->tx, &app, ch.key, us)) == 0;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_unfurl_id");
    r = chat_message_find(&c->tx, ch.id, us, ret);
    if (r == 1 && ret->flags & CHAT_TOMBSTONE)
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "cannot_find_message");
}

/* The message whose links are shown. */
static int unfurl_target(struct call *c, bool by_id, struct chat_message *ret)
{
    struct chat_channel ch;
    if (by_id)
        return unfurl_by_id(c, given_arg(c, "unfurl_id"), given_arg(c, "source"), ret);
    if (sl_channel_arg(c, "channel", false, &ch) < 0)
        return slack_of(c)->error ? slack_fail(c, "cannot_find_channel") : -1;
    return sl_message_arg(c, &ch, "ts", "cannot_find_message", ret);
}

static int chat_unfurl(struct call *c)
{
    const char *channel = param_str(c, "channel"), *ts = param_str(c, "ts");
    bool by_id = given_arg(c, "unfurl_id") || given_arg(c, "source");
    struct unfurls shown = {0};
    struct chat_message m, before;
    struct buf b;
    struct json_writer w;
    if (!by_id && (!channel || !*channel))
        return slack_fail(c, "missing_channel");
    if (!by_id && (!ts || !*ts))
        return slack_fail(c, "missing_ts");
    int r = slack_value(c, "unfurls", &shown.links);
    if (r < 0)
        return -1;
    int objects = objects_arg(c, &shown.entities);
    if (objects < 0)
        return -1;
    if (!r && !objects)
        return slack_fail(c, "missing_unfurls");
    if (!r)
        shown.links = NULL;
    if (unfurl_target(c, by_id, &m) < 0 || check_unfurls(c, &m, &shown) < 0)
        return -1;
    before = m;
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    int rc = write_unfurls(c, &w, &m, &shown);
    if (rc == 0 && buf_failed(&b)) /* beyond what a message can keep */
        rc = slack_fail(c, "cannot_parse_attachment");
    m.attachments = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    if (rc < 0 || keep_objects(c, &m, &shown) < 0 || chat_message_save(&c->tx, &m, &before) < 0)
        return -1;
    return slack_ok(c);
}

/* ---- rows ---- */

#define CONTENT                                                                                    \
    SL_ARG("text"), SL_ARG("markdown_text"), SL_BLOCKS_ARG, SL_ATTACHMENTS_ARG, SL_METADATA_ARG,   \
        SL_ARG("parse", SL_WORDS("none", "full")), SL_ARG("link_names", SL_FLAG),                  \
        SL_ARG("as_user", SL_FLAG_OPEN)
#define SENDER SL_ARG("username"), SL_ARG("icon_url"), SL_ARG("icon_emoji")

static const struct param post_params[] = {SL_NEEDED("channel"),
                                           CONTENT,
                                           SENDER,
                                           SL_ARG("mrkdwn", SL_FLAG_ON),
                                           SL_ARG("reply_broadcast", SL_FLAG),
                                           SL_ARG("thread_ts"),
                                           SL_ARG("unfurl_links", SL_FLAG_OPEN),
                                           SL_ARG("unfurl_media", SL_FLAG_OPEN)};
static const struct param ephemeral_params[] = {SL_NEEDED("channel"), SL_NEEDED("user"), CONTENT,
                                                SENDER, SL_ARG("thread_ts")};
static const struct param me_params[] = {SL_NEEDED("channel"), SL_NEEDED("text")};
static const struct param update_params[] = {SL_NEEDED("channel"),
                                             SL_NEEDED("ts"),
                                             CONTENT,
                                             SL_ARG("reply_broadcast", SL_FLAG),
                                             SL_ARG("file_ids", SL_LIST),
                                             SL_ARG("unfurled_attachments", SL_ARRAY)};
static const struct param delete_params[] = {SL_NEEDED("channel"), SL_NEEDED("ts"),
                                             SL_ARG("as_user", SL_FLAG_OPEN)};
static const struct param permalink_params[] = {SL_NEEDED("channel"), SL_NEEDED("message_ts")};
static const struct param unfurl_params[] = {
    SL_ARG("channel"),
    SL_ARG("ts"),
    SL_ARG("unfurls", SL_OBJECT, .fault = "invalid_unfurls_format"),
    SL_METADATA_ARG,
    SL_ARG("user_auth_message"),
    SL_ARG("user_auth_required", SL_FLAG),
    SL_ARG("user_auth_url"),
    SL_ARG("user_auth_blocks", SL_ARRAY),
    SL_ARG("unfurl_id"),
    SL_ARG("source", SL_WORDS("composer", "conversations_history"),
           .summary = "Where the link is, with unfurl_id")};

static const struct route methods[] = {
    {SL_METHOD("chat.delete"), SL_PEOPLE, .handler = chat_delete, .risk = RISK_DESTRUCTIVE,
     .idempotent = true, .scopes = "chat:write", PARAMS(delete_params), .rate = SLACK_TIER_3,
     .summary = "Delete a message"},
    {SL_METHOD("chat.getPermalink"), SL_PEOPLE, .handler = chat_get_permalink, .risk = RISK_READ,
     .accepts = slack_form_only, PARAMS(permalink_params), .rate = SLACK_SPECIAL,
     .summary = "Where people find a message"},
    {SL_METHOD("chat.meMessage"), SL_PEOPLE, .handler = chat_me_message, .risk = RISK_EXTERNAL,
     .scopes = "chat:write", PARAMS(me_params), .rate = SLACK_TIER_3,
     .summary = "Say what one does"},
    {SL_METHOD("chat.postEphemeral"), SL_PEOPLE, .handler = chat_post_ephemeral,
     .risk = RISK_EXTERNAL, .scopes = "chat:write", PARAMS(ephemeral_params), .rate = SLACK_TIER_4,
     .summary = "Show a message to one person"},
    {SL_METHOD("chat.postMessage"), SL_PEOPLE, .handler = chat_post_message, .risk = RISK_EXTERNAL,
     .scopes = "chat:write", PARAMS(post_params), .rate = SLACK_POSTING,
     .summary = "Post a message"},
    {SL_METHOD("chat.unfurl"), SL_PEOPLE, .handler = chat_unfurl, .risk = RISK_WRITE,
     .scopes = "links:write", PARAMS(unfurl_params), .rate = SLACK_TIER_3,
     .summary = "Show something of a link"},
    {SL_METHOD("chat.update"), SL_PEOPLE, .handler = chat_update, .risk = RISK_EXTERNAL,
     .scopes = "chat:write", PARAMS(update_params), .rate = SLACK_TIER_3,
     .summary = "Change a message"},
};

const struct rows sl_chat = ROWS(methods);
