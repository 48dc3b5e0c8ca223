/* SPDX-License-Identifier: Apache-2.0 */
/* Letters of the set "workspace": who sends them, what they answer, what comes with them. Source of
 * what goes into a draft: the published code of a community server. */
#include "mcp/sets/hosted/mail.h"
#include "mcp/sets/workspace/workspace.h"
#include "engine/base/codec.h"
#include "services/mail/core/mime/mime.h"
#include <strings.h>

static const char *text_of(const struct json *object, const char *name)
{
    const char *text = json_get_str(object, name);
    return text ? text : "";
}

/* ---- the letter ---- */

/* The length of the first address of a text, up to a comma that is not between quotes. */
static size_t address_length(const char *text)
{
    bool quoted = false;
    size_t n = 0;
    for (; text[n] && (quoted || text[n] != ','); n++) {
        if (text[n] == '"')
            quoted = !quoted;
        else if (quoted && text[n] == '\\' && text[n + 1])
            n++;
    }
    return n;
}

/* Addresses with commas between, as a list; absent if there are none. */
static const struct json *addresses(struct set_run *r, const struct json *v)
{
    struct value_list l = {.arena = r->arena};
    for (const char *at = v ? v->str : ""; *at;) {
        size_t n = address_length(at), from = strspn(at, " \t");
        if (n > from)
            list_add(&l, value_text(r->arena, arena_memdup(r->arena, at + from, n - from)));
        at += n + (at[n] == ',');
    }
    return l.n ? list_value(&l) : NULL;
}

/* "text/plain", and parameters behind it. */
static bool is_media_type(const char *text)
{
    const char *slash = strchr(text, '/');
    if (!slash || slash == text || !slash[1])
        return false;
    for (; *text; text++)
        if (*text < 0x20 || *text > 0x7e || (text <= slash && *text == ' '))
            return false;
    return true;
}

/* A file as letters take it; NULL: it has no name, no bytes or no media type. */
static const struct json *usable(struct set_run *r, const struct json *file)
{
    struct value_object o = {.arena = r->arena};
    const char *content = text_of(file, "content"), *type = text_of(file, "mime_type");
    uint8_t *bytes;
    size_t n;
    if (!*type)
        type = "application/octet-stream";
    if (!*content || !*text_of(file, "filename") || !is_media_type(type) ||
        base64_decode(r->arena, content, strlen(content), &bytes, &n) < 0)
        return NULL;
    object_put(&o, "filename", json_get(file, "filename"));
    object_put(&o, "content", json_get(file, "content"));
    object_put(&o, "mimeType", value_text(r->arena, type));
    return object_value(&o);
}

/* Those of the files that are usable, and in words how many they are. 1; 0: none of them is. */
static int attach(struct set_run *r, struct value_object *o)
{
    const struct json *files = json_get(r->args, "attachments");
    struct value_list l = {.arena = r->arena};
    if (!files || !files->n)
        return 1;
    for (uint32_t i = 0; i < files->n; i++)
        list_add(&l, usable(r, &files->items[i]));
    if (!l.n)
        return set_refuse(r, "attachments must have a filename and content in base64");
    object_put(o, "_files", list_value(&l));
    set_remember(r, "_with",
                 value_text(r->arena, l.n == files->n
                                          ? arena_printf(r->arena, " with %zu attachment(s)", l.n)
                                          : arena_printf(r->arena, " with %zu/%u attachment(s)",
                                                         l.n, files->n)));
    return 1;
}

/* The argument, or what has been made of it. */
static const struct json * final(const struct set_run *r, const char *made, const char *name)
{
    const struct json *v = json_get(r->args, made);
    return v ? v : json_get(r->args, name);
}

const struct json *workspace_letter(struct set_run *r, const struct json *v, const char *arg,
                                    const struct json *item)
{
    static const char *const lists[] = {"to", "cc", "bcc"};
    struct set_run own = *r;
    struct value_object o = {.arena = r->arena};
    const struct json *reply = final(r, "_reply", "in_reply_to");
    const struct json *before = final(r, "_references", "references");
    const struct json *from = json_get(r->args, "from_email");
    const char *subject = text_of(r->args, "subject");
    bool again = value_holds(reply) && strncasecmp(subject, "re:", 3) != 0;
    for (size_t i = 0; i < SOSIA_LEN(lists); i++)
        object_put(&o, lists[i], addresses(r, json_get(r->args, lists[i])));
    object_put(&o, "subject",
               value_text(r->arena, again ? arena_printf(r->arena, "Re: %s", subject) : subject));
    object_put(&o, "body", final(r, "_body", "body"));
    object_put(&o, "mimeType",
               value_text(r->arena, strcmp(text_of(r->args, "body_format"), "html") == 0
                                        ? "text/html"
                                        : "text/plain"));
    object_put(&o, "inReplyTo", value_holds(reply) ? reply : NULL);
    object_put(&o, "_references", before ? before : value_text(r->arena, ""));
    object_put(&o, "_from", value_holds(from) ? from : json_get(r->args, "user_google_email"));
    object_put(&o, "_name", json_get(r->args, "from_name"));
    if (!attach(r, &o))
        return NULL;
    own.args = object_value(&o);
    const struct json *made = set_mail_letter(&own, v, arg, item);
    r->why = own.why;
    return made;
}

/* ---- drafts ---- */

/* A call that the draft can do without: what it refuses is nothing. 1, -1. */
static int ask(struct set_run *r, const char *method, const struct json *arguments,
               const struct json **ret)
{
    int rc = set_call_method(r, method, arguments, ret);
    if (rc == 0)
        r->why = NULL;
    return rc < 0 ? -1 : 1;
}

static int ask_thread(struct set_run *r, bool full, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    struct value_list headers = {.arena = r->arena};
    list_add(&headers, value_text(r->arena, "Message-ID"));
    object_put(&o, "userId", value_text(r->arena, "me"));
    object_put(&o, "id", json_get(r->args, "thread_id"));
    object_put(&o, "format", value_text(r->arena, full ? "full" : "metadata"));
    object_put(&o, "metadataHeaders", full ? NULL : list_value(&headers));
    return ask(r, "gmail.users.threads.get", object_value(&o), ret);
}

/* What is seen of HTML, on one line. */
static const char *seen(struct arena *a, const char *html)
{
    char *text = mime_html_text(a, html, strlen(html), NULL), *to = text;
    for (const char *p = text; *p; p++)
        if (!strchr(" \t\r\n", *p))
            *to++ = *p;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    while (to > text && to[-1] == ' ')
        to--;
    *to = 0;
    return text;
}

/* The signature of the sender's settings, in HTML; of the person's own where they are none. 1, -1.
 */
static int find_signature(struct set_run *r, const char **ret)
{
    const struct json *all, *sender = NULL;
    struct value_object o = {.arena = r->arena};
    const struct json *from = json_get(r->args, "from_email");
    const char *address = text_of(r->args, value_holds(from) ? "from_email" : "user_google_email");
    object_put(&o, "userId", value_text(r->arena, "me"));
    *ret = "";
    if (!value_holds(json_get(r->args, "include_signature")))
        return 1;
    if (ask(r, "gmail.users.settings.sendAs.list", object_value(&o), &all) < 0)
        return -1;
    all = json_get(all, "sendAs");
    for (uint32_t i = 0; all && i < all->n; i++) {
        const struct json *s = &all->items[i];
        if (strcasecmp(text_of(s, "sendAsEmail"), address) == 0) {
            sender = s;
            break;
        }
        if (!sender || value_holds(json_get(s, "isPrimary")))
            sender = s;
    }
    *ret = text_of(sender, "signature");
    return 1;
}

static const char *header_of(const struct json *message, const char *name)
{
    const struct json *all = json_get(json_get(message, "payload"), "headers");
    for (uint32_t i = 0; all && i < all->n; i++)
        if (strcasecmp(text_of(&all->items[i], "name"), name) == 0)
            return text_of(&all->items[i], "value");
    return "";
}

/* The message of a thread that is answered: the one with that Message-ID, else the newest. */
static const struct json *answered(const struct set_run *r, const struct json *thread)
{
    const struct json *all = json_get(thread, "messages");
    const char *id = text_of(r->args, "in_reply_to");
    for (uint32_t i = 0; *id && all && i < all->n; i++)
        if (strcmp(header_of(&all->items[i], "Message-ID"), id) == 0)
            return &all->items[i];
    return all && all->n ? &all->items[all->n - 1] : NULL;
}

static void quote_html(struct buf *b, const struct json *bodies, const char *line)
{
    const char *html = text_of(bodies, "html"), *text = text_of(bodies, "text");
    buf_puts(b, "<br><br><div class=\"gmail_quote\">");
    html_escape(b, line, strlen(line), "");
    buf_puts(b, "<br><blockquote class=\"gmail_quote\">");
    if (*html) {
        buf_puts(b, html);
    } else {
        buf_puts(b, "<pre>");
        html_escape(b, text, strlen(text), "");
        buf_puts(b, "</pre>");
    }
    buf_puts(b, "</blockquote></div>");
}

static void quote_text(struct set_run *r, struct buf *b, const struct json *bodies,
                       const char *line)
{
    const char *at = text_of(bodies, "text");
    if (!*at)
        at = seen(r->arena, text_of(bodies, "html"));
    buf_printf(b, "\n\n%s", line);
    while (*at) {
        size_t n = strcspn(at, "\r\n");
        buf_printf(b, "\n> %.*s", (int)n, at);
        at += n;
        at += *at == '\r' && at[1] == '\n' ? 2 : *at != 0;
    }
}

/* The text with the signature, and with what it answers (NULL: nothing) below. */
static const struct json *with_rest(struct set_run *r, const char *signature,
                                    const struct json *quoted)
{
    bool html = strcmp(text_of(r->args, "body_format"), "html") == 0;
    const char *body = text_of(r->args, "body");
    bool empty = !body[strspn(body, " \t\r\n")] && !quoted;
    struct buf b;
    buf_init(&b, 64 << 20);
    buf_puts(&b, body);
    signature = html ? signature : seen(r->arena, signature);
    if (signature[strspn(signature, " \t\r\n")])
        buf_printf(&b, "%s%s", empty ? "" : html ? "<br><br>" : "\n\n", signature);
    if (quoted) {
        const struct json *bodies = set_mail_bodies(r, json_get(quoted, "payload"), NULL, NULL);
        const char *date = header_of(quoted, "Date"), *from = header_of(quoted, "From");
        const char *line = *date ? arena_printf(r->arena, "On %s, %s wrote:", date, from)
                                 : arena_printf(r->arena, "%s wrote:", from);
        if (html)
            quote_html(&b, bodies, line);
        else
            quote_text(r, &b, bodies, line);
    }
    const struct json *v =
        buf_failed(&b) ? NULL : value_text(r->arena, arena_strdup(r->arena, buf_str(&b)));
    buf_done(&b);
    return v;
}

/* The last Message-ID of a list of them; "": there is none. */
static const char *last_id(struct arena *a, const char *list)
{
    const char *end = strrchr(list, '>'), *at = end;
    while (at && at > list && *at != '<')
        at--;
    if (at && *at == '<' && end - at > 1)
        return arena_memdup(a, at, (size_t)(end - at + 1));
    size_t n = strlen(list), from;
    while (n && strchr(" \t\r\n", list[n - 1]))
        n--;
    for (from = n; from && !strchr(" \t\r\n", list[from - 1]);)
        from--;
    return arena_memdup(a, list + from, n - from);
}

/* Which message of its thread it answers and which came before, where the arguments don't say. */
static void find_reply(struct set_run *r, const struct json *thread)
{
    const struct json *all = json_get(thread, "messages");
    const char *reply = text_of(r->args, "in_reply_to"), *before = text_of(r->args, "references");
    const char *newest = "", *chain = NULL;
    struct buf b;
    buf_init(&b, 16 << 20);
    for (uint32_t i = 0; all && i < all->n; i++)
        if (*header_of(&all->items[i], "Message-ID"))
            newest = header_of(&all->items[i], "Message-ID");
    if (!*newest) {
        buf_done(&b);
        return;
    }
    if (!*reply)
        reply = last_id(r->arena, before);
    if (!*reply)
        reply = newest;
    for (uint32_t i = 0; all && i < all->n && !chain; i++) {
        const char *id = header_of(&all->items[i], "Message-ID");
        if (*id)
            buf_printf(&b, "%s%s", b.len ? " " : "", id);
        if (strcmp(id, reply) == 0)
            chain = arena_strdup(r->arena, buf_str(&b));
    }
    buf_done(&b);
    set_remember(r, "_reply", value_text(r->arena, reply));
    set_remember(r, "_references", value_text(r->arena, *before ? before : chain ? chain : reply));
}

int workspace_draft(struct set_run *r, const struct json **ret)
{
    const struct json *thread = NULL;
    const char *signature;
    bool in_thread = value_holds(json_get(r->args, "thread_id"));
    int rc = workspace_begin(r);
    if (rc > 0)
        rc = find_signature(r, &signature);
    if (rc > 0 && in_thread && value_holds(json_get(r->args, "quote_original")))
        rc = ask_thread(r, true, &thread);
    if (rc <= 0)
        return rc;
    const struct json *body = with_rest(r, signature, answered(r, thread));
    if (!body)
        return set_refuse(r, "the message is too large");
    set_remember(r, "_body", body);
    if (in_thread && (!*text_of(r->args, "in_reply_to") || !*text_of(r->args, "references"))) {
        if (ask_thread(r, false, &thread) < 0)
            return -1;
        find_reply(r, thread);
    }
    return set_run_steps(r, ret);
}
