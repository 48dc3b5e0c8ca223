/* SPDX-License-Identifier: Apache-2.0 */
/* Microsoft's tools for mail, calendars and people: what can't be said in their templates. */
#include "mcp/sets/agent365/agent365.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include <strings.h>

static const struct json *arg(const struct set_run *r, const char *name)
{
    return json_get(r->args, name);
}

/* ---- filters ---- */

/* One option of a query: "?$top=5&$filter=isRead eq false". */
static const struct json *option(struct set_run *r, const struct json *v, const char *name,
                                 const struct json *item)
{
    const char *p = v && v->type == JSON_STRING ? v->str : "";
    size_t len = name ? strlen(name) : 0;
    p += *p == '?';
    for (size_t n; len && *p; p += n + (p[n] == '&')) {
        n = strcspn(p, "&");
        if (n > len && strncasecmp(p, name, len) == 0 && p[len] == '=') {
            char *text;
            size_t m;
            if (percent_decode(r->arena, p + len + 1, n - len - 1, true, &text, &m) < 0)
                return NULL;
            return value_text(r->arena, text);
        }
    }
    return NULL;
}

/* Words in the quotes that searches of messages have. */
static const struct json *quoted(struct set_run *r, const struct json *v, const char *name,
                                 const struct json *item)
{
    struct buf b;
    if (!value_holds(v) || v->type != JSON_STRING)
        return NULL;
    buf_init(&b, 0);
    buf_byte(&b, '"');
    for (const char *p = v->str; *p; p++) {
        if (*p == '"' || *p == '\\')
            buf_byte(&b, '\\');
        buf_byte(&b, *p);
    }
    buf_byte(&b, '"');
    return set_text(r, &b);
}

static int64_t number_of(struct set_run *r, const char *name)
{
    int64_t n = 0;
    const struct json *v = name ? template_ref(r, name, NULL) : NULL;
    if (v)
        json_i64(v, &n);
    return n;
}

/* A number and that of an argument. */
static const struct json *plus(struct set_run *r, const struct json *v, const char *name,
                               const struct json *item)
{
    int64_t n = 0;
    if (v)
        json_i64(v, &n);
    return value_int(r->arena, n + number_of(r, name));
}

/* A list without its first items. */
static const struct json *behind(struct set_run *r, const struct json *v, const char *name,
                                 const struct json *item)
{
    struct value_list l = {.arena = r->arena};
    int64_t from = number_of(r, name);
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        if ((int64_t)i >= from)
            list_add(&l, &v->items[i]);
    return list_value(&l);
}

static const struct json *nth(const struct json *list, uint32_t i)
{
    return list && list->type == JSON_ARRAY && i < list->n ? &list->items[i] : NULL;
}

/* Guests of three lists: addresses, names, roles. */
static const struct json *guests(struct set_run *r, const struct json *v, const char *name,
                                 const struct json *item)
{
    struct value_list l = {.arena = r->arena};
    if (!v || v->type != JSON_ARRAY)
        return NULL;
    for (uint32_t i = 0; i < v->n; i++) {
        struct value_object who = {.arena = r->arena}, guest = {.arena = r->arena};
        const struct json *type = nth(arg(r, "attendees_types"), i);
        object_put(&who, "address", &v->items[i]);
        object_put(&who, "name", nth(arg(r, "attendees_names"), i));
        object_put(&guest, "emailAddress", object_value(&who));
        object_put(&guest, "type", type ? type : value_text(r->arena, "required"));
        list_add(&l, object_value(&guest));
    }
    return list_value(&l);
}

/* Recipients and those of an argument, which are addresses; nothing without these. */
static const struct json *people(struct set_run *r, const struct json *v, const char *name,
                                 const struct json *item)
{
    const struct json *more = name ? template_ref(r, name, NULL) : NULL;
    struct value_list l = {.arena = r->arena};
    if (!value_holds(more))
        return NULL;
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        list_add(&l, &v->items[i]);
    for (uint32_t i = 0; i < more->n; i++) {
        struct value_object who = {.arena = r->arena}, one = {.arena = r->arena};
        object_put(&who, "address", &more->items[i]);
        object_put(&one, "emailAddress", object_value(&who));
        list_add(&l, object_value(&one));
    }
    return list_value(&l);
}

/* A filter, and the bounds of a range beside it. */
static const struct json *window(struct set_run *r, const struct json *v, const char *name,
                                 const struct json *item)
{
    static const char *const bounds[][2] = {{"startDateTime", "start/dateTime ge"},
                                            {"endDateTime", "end/dateTime le"}};
    const char *own = v && v->type == JSON_STRING && *v->str ? v->str : NULL;
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < SOSIA_LEN(bounds); i++) {
        const char *text = json_get_str(r->args, bounds[i][0]);
        if (!text || !*text)
            continue;
        buf_printf(&b, "%s%s '", b.len ? " and " : "", bounds[i][1]);
        for (; *text; text++) {
            buf_puts(&b, *text == '\'' ? "'" : "");
            buf_byte(&b, *text);
        }
        buf_byte(&b, '\'');
    }
    if (own)
        buf_printf(&b, b.len ? " and (%s)" : "%s", own);
    if (b.len)
        return set_text(r, &b);
    buf_done(&b);
    return NULL;
}

const struct set_filter agent365_filters[] = {
    {"option", option}, {"quoted", quoted}, {"plus", plus},     {"behind", behind},
    {"guests", guests}, {"people", people}, {"window", window}, {NULL, NULL},
};

/* ---- files ---- */

/* The last part of an address's path, without what is behind it. */
static const char *name_in(struct arena *a, const char *url)
{
    const size_t n = strcspn(url, "?#");
    size_t from = n;
    while (from > 0 && url[from - 1] != '/')
        from--;
    char *name;
    size_t len;
    return percent_decode(a, url + from, n - from, false, &name, &len) == 0 && len &&
                   utf8_valid(name, len)
               ? name
               : "File";
}

/* Files that came with the call and those of the workspace by their paths, and links {url, name}.
 * 1; 0: refused; -1. */
static int given_files(struct set_run *r, struct value_list *files, struct value_list *links)
{
    const struct json *given = json_get(r->args, "directAttachments");
    const struct json *paths = json_get(r->args, "directAttachmentFilePaths"), *file;
    const struct json *urls = json_get(r->args, "attachmentUris");
    for (uint32_t i = 0; given && given->type == JSON_ARRAY && i < given->n; i++)
        list_add(files, &given->items[i]);
    for (uint32_t i = 0; paths && i < paths->n; i++) {
        struct value_object o = {.arena = r->arena};
        int rc = set_file_read(r, paths->items[i].str, &file);
        if (rc <= 0)
            return rc;
        object_put(&o, "fileName", json_get(file, "name"));
        object_put(&o, "contentBase64", json_get(file, "data"));
        list_add(files, object_value(&o));
    }
    for (uint32_t i = 0; urls && urls->type == JSON_ARRAY && i < urls->n; i++) {
        struct value_object o = {.arena = r->arena};
        object_put(&o, "url", &urls->items[i]);
        object_put(&o, "name", value_text(r->arena, name_in(r->arena, urls->items[i].str)));
        list_add(links, object_value(&o));
    }
    return 1;
}

/* What is attached is "$_attached" for the steps: files, and behind them links where these have no
 * step of their own, which takes "$_links". */
int agent365_attach(struct set_run *r, const struct json **ret)
{
    struct value_list files = {.arena = r->arena}, links = {.arena = r->arena};
    const bool whole = strcmp(r->row->tool->steps[0].method, "outlook.sendMail") == 0;
    int rc = given_files(r, &files, whole ? &files : &links);
    if (rc <= 0)
        return rc;
    if (files.n)
        set_remember(r, "_attached", list_value(&files));
    if (links.n)
        set_remember(r, "_links", list_value(&links));
    return set_run_steps(r, ret);
}

/* What is between a word and a quote in an address; NULL: it is not there. */
static const struct json *part_of(struct arena *a, const char *url, const char *word)
{
    const char *at = strstr(url, word);
    if (!at)
        return NULL;
    at += strlen(word);
    char *text;
    size_t n;
    return percent_decode(a, at, strcspn(at, "'&"), false, &text, &n) == 0 ? value_text(a, text)
                                                                           : NULL;
}

/* One session, to which all bytes go at once. */
int agent365_large(struct set_run *r, const struct json **ret)
{
    const struct json *text = json_get(r->args, "contentBase64"), *response;
    struct value_object o = {.arena = r->arena};
    uint8_t *data;
    size_t n;
    if (base64_decode(r->arena, text->str, text->n, &data, &n) < 0)
        return set_refuse(r, "contentBase64 must be base64");
    set_remember(r, "_size", value_int(r->arena, (int64_t)n));
    int rc = set_call_method(r, "outlook.messages.attachments.createUploadSession",
                             template_eval(r, r->row->arguments[0], NULL), &response);
    const char *url = json_get_str(response, "uploadUrl");
    if (rc <= 0 || !url)
        return rc;
    object_put(&o, "user", part_of(r->arena, url, "/Users('"));
    object_put(&o, "thing", part_of(r->arena, url, "/Messages('"));
    object_put(&o, "session", part_of(r->arena, url, "/AttachmentSessions('"));
    object_put(&o, "token", part_of(r->arena, url, "authtoken="));
    object_put(&o, "range",
               value_text(r->arena, arena_printf(r->arena, "bytes 0-%zu/%zu", n - 1, n)));
    set_remember(r, "_session", object_value(&o));
    rc = set_call_method(r, "outlook.messages.attachmentSessions.put",
                         template_eval(r, r->row->arguments[1], NULL), &response);
    return rc <= 0 ? rc
                   : set_call_method(r, "outlook.messages.attachments.list",
                                     template_eval(r, r->row->arguments[2], NULL), ret);
}

/* ---- answers ---- */

static const struct json *sent_value(struct set_run *r, const struct json *draft)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, "id", json_get(draft, "id"));
    object_put(&o, "status", value_text(r->arena, "sent"));
    return object_value(&o);
}

int agent365_answer(struct set_run *r, const struct json **ret)
{
    bool changes = value_holds(arg(r, "toRecipients")) || value_holds(arg(r, "ccRecipients")) ||
                   value_holds(arg(r, "bccRecipients"));
    set_remember(r, "_changes", changes ? &value_true : &value_false);
    int rc = set_run_steps(r, ret);
    if (rc > 0 && json_is_true(arg(r, "sendImmediately")))
        *ret = sent_value(r, *ret);
    return rc;
}

/* ---- whole threads ---- */

static bool has_step(const struct set_run *r, const char *method)
{
    for (size_t i = 0; i < SET_STEPS && r->row->tool->steps[i].method; i++)
        if (strcmp(r->row->tool->steps[i].method, method) == 0)
            return true;
    return false;
}

/* Calls a method of the row's with its own template. */
static int step(struct set_run *r, const char *method, const struct json **ret)
{
    const struct set_step *steps = r->row->tool->steps;
    size_t i = 0;
    while (i + 1 < SET_STEPS && steps[i].method && strcmp(steps[i].method, method) != 0)
        i++;
    return set_call(r, i, template_eval(r, r->row->arguments[i], NULL), ret);
}

static int add_file(struct set_run *r, const struct json *name, const struct json *type,
                    const struct json *bytes)
{
    struct value_object o = {.arena = r->arena};
    const struct json *response;
    object_put(&o, "@odata.type", value_text(r->arena, "#microsoft.graph.fileAttachment"));
    object_put(&o, "name", name);
    object_put(&o, "contentType", type);
    object_put(&o, "contentBytes", bytes);
    set_remember(r, "_file", object_value(&o));
    return step(r, "outlook.messages.attachments.create", &response);
}

static int add_link(struct set_run *r, const struct json *link)
{
    struct value_object o = {.arena = r->arena};
    const struct json *response;
    object_put(&o, "@odata.type", value_text(r->arena, "#microsoft.graph.referenceAttachment"));
    object_put(&o, "name", json_get(link, "name"));
    object_put(&o, "sourceUrl", json_get(link, "url"));
    object_put(&o, "providerType", value_text(r->arena, "oneDriveBusiness"));
    set_remember(r, "_file", object_value(&o));
    return step(r, "outlook.messages.attachments.create", &response);
}

/* Files of the original that are not inline, and those of the arguments. 1, 0, -1. */
static int add_files(struct set_run *r)
{
    struct value_list files = {.arena = r->arena}, links = {.arena = r->arena};
    const struct json *all = NULL;
    bool list = json_is_true(arg(r, "includeOriginalNonInlineAttachments")) &&
                has_step(r, "outlook.messages.attachments.list");
    int rc = list ? step(r, "outlook.messages.attachments.list", &all) : 1;
    const struct json *value = json_get(all, "value");
    for (uint32_t i = 0; rc > 0 && value && i < value->n; i++)
        if (!json_is_true(json_get(&value->items[i], "isInline")) &&
            json_get(&value->items[i], "contentBytes"))
            rc = add_file(r, json_get(&value->items[i], "name"),
                          json_get(&value->items[i], "contentType"),
                          json_get(&value->items[i], "contentBytes"));
    if (rc > 0)
        rc = given_files(r, &files, &links);
    const struct json *own = list_value(&files), *urls = list_value(&links);
    for (uint32_t i = 0; rc > 0 && i < own->n; i++)
        rc = add_file(r, json_get(&own->items[i], "fileName"),
                      json_get(&own->items[i], "contentType"),
                      json_get(&own->items[i], "contentBase64"));
    for (uint32_t i = 0; rc > 0 && i < urls->n; i++)
        rc = add_link(r, &urls->items[i]);
    return rc;
}

int agent365_thread(struct set_run *r, const struct json **ret)
{
    const char *method = r->row->tool->steps[json_is_true(arg(r, "replyAll"))].method;
    const struct json *draft, *response;
    bool forward = has_step(r, "outlook.messages.createForward");
    bool more = value_holds(arg(r, "additionalTo")) || value_holds(arg(r, "additionalCc")) ||
                value_holds(arg(r, "additionalBcc"));
    if (forward && !value_holds(arg(r, "additionalTo")))
        return set_refuse(r, "additionalTo must have an address, has none");
    int rc = step(r, method, &draft);
    if (rc > 0) {
        set_remember(r, "_draft", draft);
        rc = add_files(r);
    }
    if (rc > 0 && more)
        rc = step(r, "outlook.messages.update", &response);
    if (rc > 0)
        rc = step(r, "outlook.messages.send", &response);
    if (rc > 0)
        *ret = sent_value(r, draft);
    return rc;
}

/* ---- people ---- */

/* What a search looks for, as a filter: "displayName:Ada" begins with it. */
static const struct json *as_filter(struct set_run *r, const char *search)
{
    struct buf b;
    size_t n;
    search += strspn(search, "\" ");
    n = strcspn(search, ":");
    buf_init(&b, 0);
    buf_printf(&b, "startswith(%.*s,'", search[n] ? (int)n : 11,
               search[n] ? search : "displayName");
    for (const char *p = search[n] ? search + n + 1 : search; *p && *p != '"'; p++) {
        buf_puts(&b, *p == '\'' ? "'" : "");
        buf_byte(&b, *p);
    }
    buf_puts(&b, "')");
    return set_text(r, &b);
}

int agent365_list_users(struct set_run *r, const struct json **ret)
{
    const char *search = json_get_str(r->args, "search");
    r->m->consistency = "eventual";
    int rc = set_call(r, 0, template_eval(r, r->row->arguments[0], NULL), ret);
    if (rc != 0 || !search || !*search)
        return rc;
    r->why = NULL;
    set_remember(r, "_filter", as_filter(r, search));
    return set_call(r, 1, template_eval(r, r->row->arguments[1], NULL), ret);
}
