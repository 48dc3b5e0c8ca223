/* SPDX-License-Identifier: Apache-2.0 */
/* Redacting an exchange: its target, headers and bodies. A value is classified by its name and
 * the names around it; what is in texts is found by redact_text.c. */
#include "conformance/record/redact_impl.h"
#include "conformance/traces.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include <ctype.h>
#include <strings.h>

/* ---- where we are ---- */

static size_t enter(struct redactor *r, const char *name, int64_t index)
{
    size_t mark = r->path.len;
    if (index >= 0)
        buf_printf(&r->path, "[%lld]", (long long)index);
    else
        buf_printf(&r->path, "%s%s", mark ? "." : "", name);
    return mark;
}

static void leave(struct redactor *r, size_t mark)
{
    if (!buf_failed(&r->path))
        r->path.len = mark;
}

/* Reports what was found and returns it. */
static const char *counted(struct redactor *r, enum redact_kind kind, const char *with)
{
    if (with)
        redacted(r, kind, with);
    return with;
}

/* ---- JSON ---- */

struct around {
    const struct json *object; /* that the value is a member of, or its list; NULL: none */
    const char *place;         /* the member that has the object; NULL: the top */
    bool error;                /* inside of an error */
};

static const char *sibling_address(const struct json *object)
{
    for (uint32_t i = 0; object && i < object->n; i++)
        if (object->members[i].value.type == JSON_STRING && is_address_name(object->members[i].key))
            return object->members[i].value.str;
    return NULL;
}

static bool speaks_oauth(const struct json *object)
{
    return object && (json_get(object, "grant_type") || json_get(object, "client_id") ||
                      json_get(object, "redirect_uri"));
}

static bool is_phone(const char *key, const struct around *a, const char *text)
{
    size_t digits = 0;
    for (const char *p = text; *p; p++)
        digits += isdigit((unsigned char)*p) != 0;
    return digits >= 5 && digits < 20 &&
           (is_phone_name(key) || (a->place && is_phone_name(a->place) &&
                                   (same_name(key, "value") || same_name(key, "canonicalForm") ||
                                    same_name(key, "number"))));
}

/* What a service made for itself, though it looks like an address. */
static bool is_service_id(const char *key, const char *text)
{
    const struct traces *t;
    size_t n = strlen(text), end;
    if (!same_name(key, "iCalUID"))
        return false;
    for (size_t at = 0; (t = traces_next(&at));)
        if (t->uid && n > (end = strlen(t->uid)) && strcmp(text + n - end, t->uid) == 0)
            return true;
    return false;
}

static bool is_own_text(const char *key, const struct around *a, const char *text)
{
    if (a->error || !is_free_text_name(key) || strchr(text, '@'))
        return false;
    for (const char *p = text; *p; p++) /* INBOX and the like are the service's */
        if (!isupper((unsigned char)*p) && *p != '_')
            return true;
    return false;
}

static const char picture[] = "https://picture.example/";

/* What stands for a text; NULL: it stays. key NULL: none. */
static const char *replace_value(struct redactor *r, const char *key, const struct around *a,
                                 const char *text, size_t len)
{
    const char *address = sibling_address(a->object);
    if (key) {
        if (is_secret_name(key) || (is_code_name(key) && speaks_oauth(a->object)))
            return counted(r, REDACT_TOKEN, substitute(r, REDACT_TOKEN, text));
        if (is_service_id(key, text))
            return NULL;
        if (is_person_name(key) && !strchr(text, '@') &&
            (address || (a->place && is_person_place(a->place))))
            return counted(r, REDACT_NAME, substitute_name(r, text, address));
        if (is_picture_name(key) && redacts(r, REDACT_NAME) && strcmp(text, picture) != 0 &&
            (!address || !is_nobodys_address(address)))
            return counted(r, REDACT_NAME, picture);
        if (is_phone(key, a, text))
            return counted(r, REDACT_PHONE, substitute(r, REDACT_PHONE, text));
        if (!a->error && (same_name(key, "domain") || same_name(key, "hd")))
            return counted(r, REDACT_EMAIL, substitute_domain(r, text));
        if (redacts(r, REDACT_TEXT) && is_own_text(key, a, text))
            return counted(r, REDACT_TEXT, substitute(r, REDACT_TEXT, text));
    }
    return redact_in_text(r, text, len);
}

static bool walk(struct redactor *r, struct json_writer *w, const char *out_key, const char *key,
                 const struct json *v, const struct around *a);

static bool walk_object(struct redactor *r, struct json_writer *w, const char *out_key,
                        const char *key, const struct json *v, const struct around *a)
{
    bool changed = false;
    struct around inner = {v, key, a->error || (key && str_starts(key, "error"))};
    json_obj(w, out_key);
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        size_t before = r->path.len;
        const char *name = redact_in_text(r, m->key, m->key_len);
        leave(r, before);
        size_t mark = enter(r, name ? name : m->key, -1);
        changed |= name != NULL;
        changed |= walk(r, w, name ? name : m->key, m->key, &m->value, &inner);
        leave(r, mark);
    }
    json_end(w);
    return changed;
}

/* Writes v with what must be replaced; true if anything was. */
static bool walk(struct redactor *r, struct json_writer *w, const char *out_key, const char *key,
                 const struct json *v, const struct around *a)
{
    bool changed = false;
    if (v->type == JSON_STRING) {
        const char *with = replace_value(r, key, a, v->str, v->n);
        if (with)
            json_str(w, out_key, with);
        else
            json_strn(w, out_key, v->str, v->n);
        return with != NULL;
    }
    if (v->type == JSON_OBJECT)
        return walk_object(r, w, out_key, key, v, a);
    if (v->type != JSON_ARRAY) {
        const char *with = NULL;
        if (v->type == JSON_NUMBER && is_secret_name(key)) /* a code, a PIN */
            with = counted(r, REDACT_TOKEN, substitute(r, REDACT_TOKEN, v->str));
        if (with) {
            json_str(w, out_key, with);
            return true;
        }
        json_value(w, out_key, v);
        return false;
    }
    json_arr(w, out_key);
    for (uint32_t i = 0; i < v->n; i++) {
        size_t mark = enter(r, NULL, i);
        changed |= walk(r, w, NULL, key, &v->items[i], a);
        leave(r, mark);
    }
    json_end(w);
    return changed;
}

/* 1: it is JSON, and *ret is what stands for it, or NULL where nothing had to be replaced. 0: it
 * is not JSON. */
static int redact_json(struct redactor *r, const char *text, size_t len, const char **ret)
{
    struct json_limits limits = {.max_size = 1u << 30};
    const struct json *v;
    struct json_writer w;
    struct buf out;
    if (json_parse(r->arena, text, len, &limits, &v, NULL) < 0 ||
        (v->type != JSON_OBJECT && v->type != JSON_ARRAY))
        return 0;
    buf_init(&out, 0);
    json_init(&w, &out, len > 1 && (text[1] == '\n' || text[1] == '\r'), NULL);
    bool changed = walk(r, &w, NULL, NULL, v, &(struct around){0});
    *ret = NULL;
    if (buf_failed(&out))
        r->failed = true;
    else if (changed)
        *ret = arena_memdup(r->arena, out.data, out.len);
    buf_done(&out);
    return 1;
}

/* ---- texts that hold JSON, whole or cut ---- */

/* The end of the JSON string that begins at p (a quote): at its closing quote; NULL: none. */
static const char *string_end(const char *p, const char *end)
{
    for (p++; p < end && *p != '"' && *p != '\n'; p++)
        if (*p == '\\' && p + 1 < end)
            p++;
    return p < end && *p == '"' ? p : NULL;
}

/* "displayName": "Ada" and the like in what can't be read as a whole. */
static bool redact_members(struct redactor *r, const char *text, size_t len, struct buf *out)
{
    const char *end = text + len, *at = text;
    bool changed = false;
    for (const char *p = text; p < end && (p = memchr(p, '"', (size_t)(end - p)));) {
        const char *close = string_end(p, end), *value = close ? close + 1 : end;
        while (value < end && (*value == ' ' || *value == ':'))
            value++;
        const char *stop = close && close[1] && value < end && *value == '"' && value > close + 1
                               ? string_end(value, end)
                               : NULL;
        if (!stop) {
            p = close ? close + 1 : p + 1;
            continue;
        }
        const char *name = arena_memdup(r->arena, p + 1, (size_t)(close - p - 1));
        const char *said = arena_memdup(r->arena, value + 1, (size_t)(stop - value - 1));
        const char *with = NULL;
        size_t mark = enter(r, name, -1);
        if (is_secret_name(name))
            with = counted(r, REDACT_TOKEN, substitute(r, REDACT_TOKEN, said));
        else if (is_person_name(name) && !same_name(name, "name"))
            with = counted(r, REDACT_NAME, substitute_name(r, said, NULL));
        else if (is_phone(name, &(struct around){0}, said))
            with = counted(r, REDACT_PHONE, substitute(r, REDACT_PHONE, said));
        leave(r, mark);
        if (with) {
            buf_add(out, at, (size_t)(value + 1 - at));
            buf_puts(out, with);
            at = stop;
            changed = true;
        }
        p = stop + 1;
    }
    buf_add(out, at, (size_t)(end - at));
    return changed;
}

static bool redact_plain(struct redactor *r, const char *text, size_t len, struct buf *out)
{
    struct buf members;
    buf_init(&members, 0);
    bool changed = redact_members(r, text, len, &members);
    const char *with =
        buf_failed(&members) ? NULL : redact_in_text(r, buf_str(&members), members.len);
    if (with)
        buf_puts(out, with);
    else
        buf_add(out, members.data ? members.data : "", members.len);
    out->failed |= buf_failed(&members);
    buf_done(&members);
    return changed || with;
}

/* Where a JSON document begins behind an empty line, as in the parts of a batch; NULL: nowhere. */
static const char *find_document(const char *p, const char *end)
{
    for (; p < end; p++) {
        if (*p != '\n')
            continue;
        const char *q = p + 1;
        if (q < end && *q == '\r')
            q++;
        if (q + 1 < end && *q == '\n' && (q[1] == '{' || q[1] == '['))
            return q + 1;
    }
    return NULL;
}

static const char *document_end(const char *p, const char *end)
{
    const char *mark = memmem(p, (size_t)(end - p), "\n--", 3);
    if (!mark)
        mark = end;
    while (mark > p && isspace((unsigned char)mark[-1]))
        mark--;
    return mark;
}

static const char *redact_mixed(struct redactor *r, const char *text, size_t len)
{
    const char *end = text + len, *at = text, *doc, *with;
    struct buf out;
    bool changed = false;
    buf_init(&out, 0);
    while ((doc = find_document(at, end))) {
        const char *stop = document_end(doc, end);
        changed |= redact_plain(r, at, (size_t)(doc - at), &out);
        if (redact_json(r, doc, (size_t)(stop - doc), &with)) {
            if (with) {
                size_t n = strlen(with);
                buf_add(&out, with, n && with[n - 1] == '\n' ? n - 1 : n);
                changed = true;
            } else {
                buf_add(&out, doc, (size_t)(stop - doc));
            }
        } else {
            changed |= redact_plain(r, doc, (size_t)(stop - doc), &out);
        }
        at = stop;
    }
    changed |= redact_plain(r, at, (size_t)(end - at), &out);
    r->failed |= buf_failed(&out);
    with = changed && !buf_failed(&out) ? arena_memdup(r->arena, out.data, out.len) : NULL;
    buf_done(&out);
    return with;
}

/* ---- queries and forms ---- */

static bool mentions_oauth(const char *pairs)
{
    return strstr(pairs, "grant_type=") || strstr(pairs, "client_id=") ||
           strstr(pairs, "redirect_uri=");
}

static const char *replace_parameter(struct redactor *r, const char *name, const char *value,
                                     bool oauth)
{
    if (is_secret_name(name) || is_signature_name(name) || (oauth && is_code_name(name)))
        return counted(r, REDACT_TOKEN, substitute(r, REDACT_TOKEN, value));
    if (is_key_name(name))
        return counted(r, REDACT_KEY, substitute(r, REDACT_KEY, value));
    return replace_value(r, name, &(struct around){0}, value, strlen(value));
}

/* name=value&...: what stands for it; NULL: it stays. Broken escapes are looked at as they are. */
static const char *redact_pairs(struct redactor *r, const char *pairs)
{
    struct buf out;
    bool changed = false, oauth = mentions_oauth(pairs);
    buf_init(&out, 0);
    for (const char *p = pairs; *p;) {
        size_t n = strcspn(p, "&"), equals = 0;
        char *name, *value;
        while (equals < n && p[equals] != '=')
            equals++;
        size_t from = equals < n ? equals + 1 : n;
        if (wire_decode(r->arena, p, equals, true, &name) < 0)
            name = arena_memdup(r->arena, p, equals);
        bool encoded = wire_decode(r->arena, p + from, n - from, true, &value) == 0;
        if (!encoded)
            value = arena_memdup(r->arena, p + from, n - from);
        const char *said = redact_in_text(r, name, strlen(name));
        size_t mark = enter(r, said ? said : name, -1);
        const char *with = replace_parameter(r, name, value, oauth);
        leave(r, mark);
        if (said)
            percent_add(&out, said, strlen(said));
        else
            buf_add(&out, p, equals);
        buf_add(&out, p + equals, (with ? from : n) - equals);
        if (with && encoded)
            percent_add(&out, with, strlen(with));
        else if (with)
            buf_puts(&out, with);
        changed |= with || said;
        p += n;
        if (*p)
            buf_byte(&out, *p++);
    }
    r->failed |= buf_failed(&out);
    const char *text = changed && !buf_failed(&out) ? arena_strdup(r->arena, buf_str(&out)) : NULL;
    buf_done(&out);
    return text;
}

static bool is_hook_of(struct redactor *r, const struct wire *e, size_t len, const char *host)
{
    size_t n = strlen(host);
    const char *within = arena_printf(r->arena, "/@%s/", host);
    const char *origin = e->origin ? strstr(e->origin, arena_printf(r->arena, "//%s", host)) : NULL;
    return (origin && !strpbrk(origin + 2, ":/") && !origin[n + 2]) ||
           memmem(e->target, len, within, n + 3);
}

/* Who knows the last part of such a path may write where it leads. */
static bool is_secret_path(struct redactor *r, const struct wire *e, size_t len)
{
    const struct traces *t;
    for (size_t at = 0; (t = traces_next(&at));)
        for (const char *const *host = t->hooks; host && *host; host++)
            if (is_hook_of(r, e, len, *host))
                return true;
    return false;
}

/* Segment by segment, since an address may be encoded in one. */
static bool redact_path(struct redactor *r, const struct wire *e, size_t len, struct buf *out)
{
    const char *path = e->target;
    bool changed = false, secret = is_secret_path(r, e, len);
    for (size_t i = 0; i < len;) {
        size_t n = 0;
        char *text;
        while (i + n < len && path[i + n] != '/')
            n++;
        const char *with = NULL;
        if (n && wire_decode(r->arena, path + i, n, false, &text) == 0)
            with = secret && i + n == len
                       ? counted(r, REDACT_TOKEN, substitute(r, REDACT_TOKEN, text))
                       : redact_in_text(r, text, strlen(text));
        if (with)
            percent_add(out, with, strlen(with));
        else
            buf_add(out, path + i, n);
        changed |= with != NULL;
        i += n;
        if (i < len)
            buf_byte(out, path[i++]);
    }
    return changed;
}

static void redact_target(struct redactor *r, struct wire *e)
{
    size_t n = strcspn(e->target, "?");
    struct buf out;
    buf_init(&out, 0);
    size_t mark = enter(r, "path", -1);
    bool changed = redact_path(r, e, n, &out);
    leave(r, mark);
    if (e->target[n]) {
        mark = enter(r, "query", -1);
        const char *with = redact_pairs(r, e->target + n + 1);
        leave(r, mark);
        changed |= with != NULL;
        buf_byte(&out, '?');
        buf_puts(&out, with ? with : e->target + n + 1);
    }
    r->failed |= buf_failed(&out);
    if (changed && !buf_failed(&out))
        e->target = arena_strdup(r->arena, buf_str(&out));
    buf_done(&out);
}

/* ---- headers ---- */

/* What is not looked into: it names programs and versions, not people. */
static bool is_technical(const char *name)
{
    static const char *const names[] = {
        "User-Agent",      "Server",          "Via",  "ETag", "If-Match", "Accept", "If-None-Match",
        "Accept-Encoding", "Accept-Language", "Date", "Host"};
    return str_in_nocase(name, names, SOSIA_LEN(names)) || traces_header(name, programs);
}

static const char *redact_authorization(struct redactor *r, const char *value)
{
    size_t scheme = strcspn(value, " ");
    const char *secret = value[scheme] ? value + scheme + 1 : value;
    const char *with = counted(r, REDACT_TOKEN, substitute(r, REDACT_TOKEN, secret));
    if (!with || secret == value)
        return with;
    return arena_printf(r->arena, "%.*s %s", (int)scheme, value, with);
}

/* "a=1; b=2", or with attributes that stay. */
static const char *redact_cookies(struct redactor *r, const char *value, bool set)
{
    struct buf out;
    bool changed = false;
    buf_init(&out, 0);
    for (const char *p = value; *p;) {
        size_t n = strcspn(p, ";"), equals = 0;
        while (equals < n && p[equals] != '=')
            equals++;
        /* one without a name is a value alone */
        size_t blanks = strspn(p, " "), from = equals < n ? equals + 1 : blanks;
        const char *with = NULL;
        if ((p == value || !set) && from < n)
            with =
                counted(r, REDACT_COOKIE,
                        substitute(r, REDACT_COOKIE, arena_memdup(r->arena, p + from, n - from)));
        buf_add(&out, p, with ? from : n);
        if (with)
            buf_puts(&out, with);
        changed |= with != NULL;
        p += n;
        if (*p)
            buf_byte(&out, *p++);
    }
    const char *text = changed ? arena_strdup(r->arena, buf_str(&out)) : NULL;
    r->failed |= buf_failed(&out);
    buf_done(&out);
    return text;
}

static bool holds(const char *name, const char *word)
{
    return strcasestr(name, word) != NULL;
}

static const char *redact_header(struct redactor *r, const struct sosia_header *h)
{
    if (strcasecmp(h->name, "Authorization") == 0 ||
        strcasecmp(h->name, "Proxy-Authorization") == 0)
        return redact_authorization(r, h->value);
    if (strcasecmp(h->name, "Cookie") == 0 || strcasecmp(h->name, "Set-Cookie") == 0)
        return redact_cookies(r, h->value, holds(h->name, "Set"));
    if (is_key_name(h->name))
        return counted(r, REDACT_KEY, substitute(r, REDACT_KEY, h->value));
    if (holds(h->name, "token") || holds(h->name, "secret") || holds(h->name, "signature"))
        return counted(r, REDACT_TOKEN, substitute(r, REDACT_TOKEN, h->value));
    return is_technical(h->name) ? NULL : redact_in_text(r, h->value, strlen(h->value));
}

static void redact_headers(struct redactor *r, struct wire_message *m)
{
    struct sosia_header *copy = NULL;
    size_t outer = enter(r, "headers", -1);
    for (size_t i = 0; i < m->n_headers; i++) {
        size_t mark = enter(r, m->headers[i].name, -1);
        const char *with = redact_header(r, &m->headers[i]);
        leave(r, mark);
        if (!with)
            continue;
        if (!copy) {
            copy = arena_alloc(r->arena, m->n_headers * sizeof *copy);
            if (arena_failed(r->arena))
                break;
            memcpy(copy, m->headers, m->n_headers * sizeof *copy);
            m->headers = copy;
        }
        copy[i].value = with;
    }
    leave(r, outer);
}

/* ---- bodies ---- */

/* Bytes of the text that begins at p; 0: none does. */
static size_t text_at(const char *p, size_t n)
{
    size_t len = 0;
    while (len < n) {
        unsigned more = utf8_sequence(p + len, n - len);
        if (!more || ((unsigned char)p[len] < ' ' && (!p[len] || !strchr("\t\r\n", p[len]))))
            break;
        len += more;
    }
    return len;
}

/* Parts with files in them, texts of another encoding: what of it is text is looked into. form: it
 * is a form. */
static void redact_bytes(struct redactor *r, struct wire_body *b, bool form)
{
    struct buf out;
    bool changed = false;
    buf_init(&out, 0);
    for (size_t i = 0; i < b->len;) {
        size_t n = text_at(b->data + i, b->len - i);
        const char *text = arena_memdup(r->arena, b->data + i, n), *with = NULL;
        if (n >= 5)
            with = form ? redact_pairs(r, text) : redact_mixed(r, text, n);
        changed |= with != NULL;
        if (with)
            buf_puts(&out, with);
        else
            buf_add(&out, b->data + i, n ? n : 1);
        i += n ? n : 1;
    }
    if (changed && !buf_failed(&out)) {
        b->data = arena_memdup(r->arena, out.data, out.len);
        b->len = out.len;
        b->size = b->cut ? b->size : out.len;
    }
    r->failed |= buf_failed(&out);
    buf_done(&out);
}

static bool holds_text(const struct wire_message *m)
{
    return wire_is_json(m) || wire_is_type(m, "text/") || wire_is_type(m, "message/") ||
           wire_is_type(m, "multipart/") || wire_is_type(m, "application/xml") ||
           wire_is_type(m, "application/http") ||
           wire_is_type(m, "application/x-www-form-urlencoded");
}

static void redact_body(struct redactor *r, struct wire_message *m)
{
    struct wire_body *b = &m->body;
    const char *with = NULL;
    if (!b->len)
        return;
    bool form = wire_is_type(m, "application/x-www-form-urlencoded");
    if (!wire_is_text(b)) {
        size_t mark = enter(r, form ? "form" : "body", -1);
        if (holds_text(m))
            redact_bytes(r, b, form);
        leave(r, mark);
        return;
    }
    size_t mark = enter(r, form ? "form" : "body", -1);
    if (form)
        with = redact_pairs(r, b->data);
    else if (!redact_json(r, b->data, b->len, &with))
        with = redact_mixed(r, b->data, b->len);
    leave(r, mark);
    if (!with)
        return;
    size_t len = strlen(with);
    b->size = b->cut ? b->size : len;
    b->data = with;
    b->len = len;
}

static void redact_message(struct redactor *r, const char *which, struct wire_message *m)
{
    size_t mark = enter(r, which, -1);
    redact_headers(r, m);
    redact_body(r, m);
    leave(r, mark);
}

int redact_wire(struct redactor *r, struct arena *a, struct wire *e, struct sosia_err *err)
{
    r->arena = a;
    r->failed = false;
    buf_clear(&r->path);
    size_t mark = enter(r, "request", -1);
    redact_target(r, e);
    leave(r, mark);
    redact_message(r, "request", &e->sent);
    redact_message(r, "response", &e->got);
    if (e->error) { /* of a file, whose writer could say anything */
        mark = enter(r, "error", -1);
        const char *with = redact_in_text(r, e->error, strlen(e->error));
        leave(r, mark);
        e->error = with ? with : e->error;
    }
    return r->failed || arena_failed(a) || buf_failed(&r->path) ? sosia_fail_memory(err) : 0;
}
