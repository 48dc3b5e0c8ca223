/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a community server for Gmail, whose answers are lines of text. Source of names,
 * arguments and lines: its published code. The files that it attaches and saves are the
 * workspace's. */
#include "mcp/sets/community/community.h"
#include "mcp/sets/hosted/mail.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include <strings.h>

static const char *text_at(struct set_run *r, const struct json *v, const char *ref)
{
    return value_words(r->arena, template_ref(r, ref, v));
}

/* ---- messages ---- */

/* A letter, whose files are paths of the workspace. */
int community_gmail_send(struct set_run *r, const struct json **ret)
{
    const struct json *paths = json_get(r->args, "attachments"), *file;
    struct value_list files = {.arena = r->arena};
    for (uint32_t i = 0; paths && i < paths->n; i++) {
        struct value_object o = {.arena = r->arena};
        int rc = set_file_read(r, paths->items[i].str, &file);
        if (rc <= 0)
            return rc;
        object_put(&o, "filename", json_get(file, "name"));
        object_put(&o, "content", json_get(file, "data"));
        object_put(&o, "mimeType", value_text(r->arena, "application/octet-stream"));
        list_add(&files, object_value(&o));
    }
    if (files.n)
        set_remember(r, "_files", list_value(&files));
    return set_run_steps(r, ret);
}

/* The name that a message has for an attachment; one made of its id where it has none. */
static const char *name_of_file(struct set_run *r, const struct json *m, const char *id)
{
    const struct json *files = set_mail_files(r, json_get(m, "payload"), NULL, NULL);
    for (uint32_t i = 0; files && i < files->n; i++)
        if (strcmp(text_at(r, &files->items[i], "$.id"), id) == 0)
            return text_at(r, &files->items[i], "$.filename");
    return arena_printf(r->arena, "attachment-%s", id);
}

/* Saves an attachment into a directory of the workspace. */
int community_gmail_download(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    const char *id = value_words(r->arena, json_get(r->args, "attachmentId"));
    const char *name = value_words(r->arena, json_get(r->args, "filename"));
    const char *path = value_words(r->arena, json_get(r->args, "savePath"));
    const struct json *message, *content, *kept;
    uint8_t *data;
    size_t n;
    object_put(&o, "userId", value_text(r->arena, "me"));
    object_put(&o, "id", json_get(r->args, "messageId"));
    int rc = set_call_method(r, "gmail.users.messages.get", object_value(&o), &message);
    if (rc <= 0)
        return rc;
    o = (struct value_object){.arena = r->arena};
    object_put(&o, "userId", value_text(r->arena, "me"));
    object_put(&o, "messageId", json_get(r->args, "messageId"));
    object_put(&o, "id", json_get(r->args, "attachmentId"));
    rc = set_call_method(r, "gmail.users.messages.attachments.get", object_value(&o), &content);
    if (rc <= 0)
        return rc;
    const char *coded = json_get_str(content, "data");
    if (!coded || base64_decode(r->arena, coded, strlen(coded), &data, &n) < 0)
        return set_refuse(r, "the attachment has no content");
    const struct set_file file = {.path = *path ? arena_printf(r->arena, "%s/", path) : "./",
                                  .name = *name ? name : name_of_file(r, message, id),
                                  .data = (const char *)data,
                                  .len = n,
                                  .over = true};
    rc = set_file_save(r, &file, &kept);
    if (rc <= 0)
        return rc;
    *ret = value_text(r->arena,
                      arena_printf(r->arena,
                                   "The attachment was saved.\nFile: %s\nSize: %zu "
                                   "bytes\nPath: %s",
                                   json_get_str(kept, "name"), n, json_get_str(kept, "path")));
    return 1;
}

/* A message in words: its headers, the text, what files it has. */
static const struct json *message(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    static const char *const headers[] = {"Subject", "From", "To", "Date"};
    const struct json *payload = json_get(v, "payload");
    const struct json *bodies = set_mail_bodies(r, payload, NULL, NULL);
    const struct json *files = set_mail_files(r, payload, NULL, NULL);
    const char *text = json_get_str(bodies, "text"), *html = json_get_str(bodies, "html");
    struct buf b;
    buf_init(&b, 64 << 20);
    buf_printf(&b, "Thread ID: %s\n", text_at(r, v, "$.threadId"));
    for (size_t i = 0; i < SOSIA_LEN(headers); i++)
        buf_printf(
            &b, "%s: %s\n", headers[i],
            text_at(r, payload, arena_printf(r->arena, "$.headers.[name=%s].value", headers[i])));
    buf_puts(&b, "\n");
    if (!*text && *html)
        buf_puts(&b, "[There is no text but this HTML.]\n\n");
    buf_puts(&b, *text ? text : html);
    if (files)
        buf_printf(&b, "\n\nAttachments (%u):", files->n);
    for (uint32_t i = 0; files && i < files->n; i++) {
        const struct json *f = &files->items[i], *size = json_get(f, "size");
        int64_t n = 0;
        if (size && json_i64(size, &n) < 0)
            n = 0;
        buf_printf(&b, "\n- %s (%s, %lld KB, ID: %s)", text_at(r, f, "$.filename"),
                   text_at(r, f, "$.mimeType"), (long long)((n + 512) / 1024),
                   text_at(r, f, "$.id"));
    }
    return set_text(r, &b);
}

/* Blocks of lines, of the messages that were found. */
static const struct json *hits(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    static const char *const headers[] = {"Subject", "From", "Date"};
    struct buf b;
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; v && i < v->n; i++) {
        const struct json *m = &v->items[i];
        buf_printf(&b, "%sID: %s\n", i ? "\n" : "", text_at(r, m, "$.of.id"));
        for (size_t k = 0; k < SOSIA_LEN(headers); k++)
            buf_printf(&b, "%s: %s\n", headers[k],
                       text_at(r, m,
                               arena_printf(r->arena, "$.response.payload.headers.[name=%s].value",
                                            headers[k])));
    }
    return set_text(r, &b);
}

/* What many calls came to; arg: what was done. */
static const struct json *batch(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    struct buf failed, b;
    unsigned n = 0;
    buf_init(&failed, 64 << 20);
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; v && i < v->n; i++) {
        const char *why = json_get_str(&v->items[i], "refused");
        const char *id = text_at(r, &v->items[i], "$.of");
        if (!why)
            continue;
        buf_printf(&failed, "%s- %.*s... (%s)", n++ ? "\n" : "",
                   (int)utf8_truncate(id, strlen(id), 16), id, why);
    }
    buf_printf(&b, "Messages %s: %u\n", arg, (v ? v->n : 0) - n);
    if (n)
        buf_printf(&b, "Messages that failed: %u\n\nTheir ids:\n%s", n, buf_str(&failed));
    buf_done(&failed);
    return set_text(r, &b);
}

/* ---- labels ---- */

static unsigned add_labels(struct set_run *r, struct buf *b, const struct json *list,
                           const char *type)
{
    unsigned n = 0;
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const struct json *l = &list->items[i];
        if (strcmp(text_at(r, l, "$.type"), type) == 0)
            buf_printf(b, "%sID: %s\nName: %s\n", n++ ? "\n" : "", text_at(r, l, "$.id"),
                       text_at(r, l, "$.name"));
    }
    return n;
}

static const struct json *labels(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    struct buf system, user, b;
    buf_init(&system, 16 << 20);
    buf_init(&user, 16 << 20);
    buf_init(&b, 64 << 20);
    unsigned n = add_labels(r, &system, v, "system"), m = add_labels(r, &user, v, "user");
    buf_printf(&b, "%u labels (%u system, %u user)\n\nSystem Labels:\n%s\nUser Labels:\n%s", n + m,
               n, m, buf_str(&system), buf_str(&user));
    buf_done(&system);
    buf_done(&user);
    return set_text(r, &b);
}

/* The label of a list that is called as the argument says. */
static const struct json *called(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    const char *name = json_get_str(r->args, "name");
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        if (strcasecmp(text_at(r, &v->items[i], "$.name"), name) == 0)
            return &v->items[i];
    return NULL;
}

/* True where nothing is. */
static const struct json *absent(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return v ? NULL : &value_true;
}

/* ---- rules for what comes in ---- */

/* "from: a, size: 3"; lists with commas. */
static void add_members(struct set_run *r, struct buf *b, const struct json *v)
{
    bool first = true;
    for (uint32_t i = 0; v && v->type == JSON_OBJECT && i < v->n; i++) {
        const struct json *value = &v->members[i].value;
        if (value->type == JSON_ARRAY)
            value = template_ref(r, "$.|join:, ", value);
        if (!value)
            continue;
        buf_printf(b, "%s%s: %s", first ? "" : ", ", v->members[i].key,
                   value_words(r->arena, value));
        first = false;
    }
}

static void add_rule(struct set_run *r, struct buf *b, const struct json *f)
{
    buf_printf(b, "ID: %s\nCriteria: ", text_at(r, f, "$.id"));
    add_members(r, b, json_get(f, "criteria"));
    buf_puts(b, "\nActions: ");
    add_members(r, b, json_get(f, "action"));
}

static const struct json *rule(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    struct buf b;
    buf_init(&b, 16 << 20);
    add_rule(r, &b, v);
    return set_text(r, &b);
}

static const struct json *rules(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    struct buf b;
    if (!v || v->type != JSON_ARRAY || !v->n)
        return value_text(r->arena, "There are no filters.");
    buf_init(&b, 64 << 20);
    buf_printf(&b, "Filters: %u\n\n", v->n);
    for (uint32_t i = 0; i < v->n; i++) {
        buf_puts(&b, i ? "\n" : "");
        add_rule(r, &b, &v->items[i]);
        buf_byte(&b, '\n');
    }
    return set_text(r, &b);
}

/* ---- ready-made rules ---- */

enum { FROM_SENDER, WITH_SUBJECT, WITH_ATTACHMENTS, LARGE, CONTAINING, MAILING_LIST };

static const struct ready {
    const char *name, *needs; /* a parameter; NULL: none */
    const char *flag, *label; /* whether this label is taken off, or (IMPORTANT) put on */
    bool usual;               /* the flag, if it is not given */
} ready[] = {
    [FROM_SENDER] = {"fromSender", "senderEmail", "archive", "INBOX", false},
    [WITH_SUBJECT] = {"withSubject", "subjectText", "markAsRead", "UNREAD", false},
    [WITH_ATTACHMENTS] = {"withAttachments", NULL, NULL, NULL, false},
    [LARGE] = {"largeEmails", "sizeInBytes", NULL, NULL, false},
    [CONTAINING] = {"containingText", "searchText", "markImportant", "IMPORTANT", false},
    [MAILING_LIST] = {"mailingList", "listIdentifier", "archive", "INBOX", true},
};

static const struct json *criteria_of(struct set_run *r, size_t which, const struct json *v)
{
    struct value_object o = {.arena = r->arena};
    const char *text = v && v->type == JSON_STRING ? v->str : "";
    if (which == FROM_SENDER)
        object_put(&o, "from", v);
    else if (which == WITH_SUBJECT)
        object_put(&o, "subject", v);
    else if (which == WITH_ATTACHMENTS)
        object_put(&o, "hasAttachment", &value_true);
    else if (which == LARGE) {
        object_put(&o, "size", v);
        object_put(&o, "sizeComparison", value_text(r->arena, "larger"));
    } else if (which == CONTAINING)
        object_put(&o, "query", value_text(r->arena, arena_printf(r->arena, "\"%s\"", text)));
    else
        object_put(
            &o, "query",
            value_text(r->arena, arena_printf(r->arena, "list:%s OR subject:[%s]", text, text)));
    return object_value(&o);
}

static const struct json *action_of(struct set_run *r, const struct ready *t,
                                    const struct json *parameters)
{
    struct value_object o = {.arena = r->arena};
    struct value_list put = {.arena = r->arena}, off = {.arena = r->arena};
    const struct json *ids = json_get(parameters, "labelIds");
    const struct json *flag = t->flag ? json_get(parameters, t->flag) : NULL;
    for (uint32_t i = 0; ids && i < ids->n; i++)
        list_add(&put, &ids->items[i]);
    if (t->flag && (flag ? value_holds(flag) : t->usual))
        list_add(strcmp(t->label, "IMPORTANT") == 0 ? &put : &off, value_text(r->arena, t->label));
    object_put(&o, "addLabelIds", list_value(&put));
    object_put(&o, "removeLabelIds", off.n ? list_value(&off) : NULL);
    return object_value(&o);
}

/* The body of the filter that the template makes. */
static const struct json *made_of(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    const struct json *parameters = json_get(r->args, "parameters");
    struct value_object o = {.arena = r->arena};
    size_t i = 0;
    while (strcmp(ready[i].name, v->str) != 0)
        i++;
    const struct json *needed = ready[i].needs ? json_get(parameters, ready[i].needs) : NULL;
    if (ready[i].needs && !value_holds(needed)) {
        set_refuse(r, "parameters.%s is required for the template %s", ready[i].needs, v->str);
        return NULL;
    }
    object_put(&o, "criteria", criteria_of(r, i, needed));
    object_put(&o, "action", action_of(r, &ready[i], parameters));
    return object_value(&o);
}

/* ---- filters ---- */

/* A member of a value that a filter gave. */
static const struct json *member(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return json_get(v, arg);
}

const struct set_filter community_gmail_filters[] = {
    {"letter", set_mail_letter},
    {"message", message},
    {"hits", hits},
    {"batch", batch},
    {"labels", labels},
    {"called", called},
    {"absent", absent},
    {"member", member},
    {"rule", rule},
    {"rules", rules},
    {"made", made_of},
    {NULL, NULL},
};
