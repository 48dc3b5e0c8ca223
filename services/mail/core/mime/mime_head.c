/* SPDX-License-Identifier: Apache-2.0 */
/* Header fields: their places and values. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/mail/core/mime/mime_impl.h"
#include <gmime/gmime.h>
#include <pthread.h>

#define VALUE_MAX                                                                                  \
    65536 /* bytes that are looked at in a structured field; no sane one is longer                 \
           */
#define PARAMS_MAX 50

void mime_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, g_mime_init);
}

/* ---- fields ---- */

static size_t line_end(const char *head, size_t len, size_t at)
{
    const char *end = memchr(head + at, '\n', len - at);
    return end ? (size_t)(end - head) + 1 : len;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool mime_field_next(const char *head, size_t len, size_t *pos, struct mime_field *ret)
{
    while (*pos < len) {
        size_t at = *pos, end = line_end(head, len, at);
        if (head[at] == '\n' || (head[at] == '\r' && end - at == 2)) {
            *pos = len; /* the empty line */
            return false;
        }
        size_t colon = at;
        while (colon < end && head[colon] > ' ' && head[colon] < 127 && head[colon] != ':')
            colon++;
        size_t name_end = colon;
        while (colon < end && is_blank(head[colon]))
            colon++;
        bool field = name_end > at && colon < end && head[colon] == ':';
        while (end < len && is_blank(head[end]))
            end = line_end(head, len, end);
        *pos = end;
        if (!field)
            continue;
        size_t value_end = end;
        while (value_end > colon + 1 &&
               (head[value_end - 1] == '\n' || head[value_end - 1] == '\r'))
            value_end--;
        *ret = (struct mime_field){.name = head + at,
                                   .name_len = name_end - at,
                                   .value = head + colon + 1,
                                   .value_len = value_end - colon - 1,
                                   .line = head + at,
                                   .line_len = end - at};
        return true;
    }
    return false;
}

/* Lines that begin otherwise are passed over, and what goes on behind them. */
bool mime_field_next_with(const char *head, size_t len, size_t *pos, char letter,
                          struct mime_field *ret)
{
    const char lower = (char)(letter | 0x20);
    size_t at = *pos;
    while (at < len && (head[at] | 0x20) != lower && head[at] != '\n' && head[at] != '\r') {
        at = line_end(head, len, at);
        while (at < len && is_blank(head[at]))
            at = line_end(head, len, at);
    }
    *pos = at;
    return mime_field_next(head, len, pos, ret);
}

static bool is_named(const struct mime_field *f, const char *name, size_t len)
{
    return f->name_len == len && g_ascii_strncasecmp(f->name, name, len) == 0;
}

bool mime_field_find(const char *head, size_t len, const char *name, size_t nth,
                     struct mime_field *ret)
{
    size_t pos = 0, n = strlen(name);
    while (mime_field_next_with(head, len, &pos, *name, ret))
        if (is_named(ret, name, n) && nth-- == 0)
            return true;
    return false;
}

/* A line end and the whitespace around it; more may follow. A fold of one space or TAB reads as
 * one space, also if a space is in front of the line end and a TAB behind it; all else stays as
 * it is (17 recorded messages with 59 folds). */
static char *unfold(char *out, const char *start, const char *value, size_t len, size_t *pos)
{
    size_t i = *pos, before = 0, after = 0;
    while (i < len && (value[i] == '\r' || value[i] == '\n'))
        i++;
    *pos = i;
    while (out - start > (ptrdiff_t)before && is_blank(out[-1 - (ptrdiff_t)before]))
        before++;
    while (i + after < len && is_blank(value[i + after]))
        after++;
    if (after != 1 || before > 1 || (before == 1 && (out[-1] != ' ' || value[i] != '\t')))
        return out;
    *pos = i + 1;
    out -= before;
    *out++ = ' ';
    return out;
}

static char *value_of(struct arena *a, const char *value, size_t len)
{
    while (len && (is_blank(value[0]) || value[0] == '\r' || value[0] == '\n')) {
        value++;
        len--;
    }
    while (len && is_blank(value[len - 1]))
        len--;
    char *out = arena_alloc(a, len + 1), *p = out;
    if (arena_failed(a))
        return out;
    const char *end = value + len, *cr = memchr(value, '\r', len);
    for (size_t i = 0; i < len;) {
        const char *at = value + i;
        if (cr && cr < at)
            cr = memchr(at, '\r', len - i);
        const char *stop = cr ? cr : end, *lf = memchr(at, '\n', (size_t)(stop - at));
        size_t n = (size_t)((lf ? lf : stop) - at);
        memcpy(p, at, n);
        p += n;
        i += n;
        if (i < len)
            p = unfold(p, out, value, len, &i);
    }
    *p = 0;
    size_t n = (size_t)(p - out);
    return memchr(out, 0, n) || !utf8_valid(out, n) ? mime_to_utf8(a, NULL, out, n, NULL) : out;
}

char *mime_value(struct arena *a, const struct mime_field *f)
{
    return value_of(a, f->value, f->value_len);
}

/* GMime's text in the arena, freed; what is not UTF-8 in it is removed. */
static char *take_text(struct arena *a, char *text)
{
    char *out = arena_strdup(a, text ? text : "");
    g_free(text);
    if (!utf8_valid(out, strlen(out)))
        utf8_scrub(out);
    return out;
}

char *mime_decode_words(struct arena *a, const char *text)
{
    if (!strstr(text, "=?"))
        return arena_strdup(a, text);
    mime_library();
    return take_text(a, g_mime_utils_header_decode_text(NULL, text));
}

char *mime_value_decoded(struct arena *a, const struct mime_field *f)
{
    char *value = mime_value(a, f);
    return strstr(value, "=?") ? mime_decode_words(a, value) : value;
}

char *mime_header(struct arena *a, const char *head, size_t len, const char *name)
{
    struct mime_field f;
    return mime_field_find(head, len, name, 0, &f) ? mime_value_decoded(a, &f) : NULL;
}

/* Line ends and other control characters would end the field. */
static char *one_line(struct arena *a, const char *text)
{
    char *out = arena_strdup(a, text);
    for (char *p = out; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            *p = ' ';
    return out;
}

static bool is_ascii_string(const char *text)
{
    while (*text)
        if (*text++ & 0x80)
            return false;
    return true;
}

char *mime_encode_words(struct arena *a, const char *text)
{
    char *line = one_line(a, text);
    if (is_ascii_string(line) && !strstr(line, "=?"))
        return line;
    mime_library();
    return take_text(a, g_mime_utils_header_encode_text(NULL, line, "utf-8"));
}

void mime_head_set(struct buf *out, const char *head, size_t len, const char *name,
                   const char *value)
{
    struct mime_field f;
    size_t pos = 0, copied = 0, n = strlen(name);
    bool done = !value;
    while (mime_field_next(head, len, &pos, &f)) {
        if (!is_named(&f, name, n))
            continue;
        size_t at = (size_t)(f.line - head);
        buf_add(out, head + copied, at - copied);
        copied = at + f.line_len;
        if (!done)
            buf_printf(out, "%s: %s\r\n", name, value);
        done = true;
    }
    /* The empty line, if there is one, comes last. */
    size_t end = len;
    if (end > copied && head[end - 1] == '\n') {
        size_t line = end - 1;
        if (line > copied && head[line - 1] == '\r')
            line--;
        if (line == 0 || (line && head[line - 1] == '\n'))
            end = line;
    }
    buf_add(out, head + copied, end - copied);
    if (!done) {
        if (end == len && len && head[len - 1] != '\n')
            buf_puts(out, "\r\n");
        buf_printf(out, "%s: %s\r\n", name, value);
    }
    buf_add(out, head + end, len - end);
}

/* ---- parameters ---- */

struct params {
    const char *type; /* in front of them, lower case */
    const char *boundary, *charset, *filename;
};

static char *lower(struct arena *a, const char *text, size_t len)
{
    char *out = arena_memdup(a, text, len);
    for (char *p = out; *p; p++)
        *p = g_ascii_tolower(*p);
    return out;
}

static void take_param(struct arena *a, struct params *p, const char *name, const char *value)
{
    if (g_ascii_strcasecmp(name, "boundary") == 0 && !p->boundary)
        p->boundary = value;
    else if (g_ascii_strcasecmp(name, "charset") == 0 && !p->charset)
        p->charset = lower(a, value, strlen(value));
    else if ((g_ascii_strcasecmp(name, "name") == 0 || g_ascii_strcasecmp(name, "filename") == 0) &&
             !p->filename && *value)
        p->filename = mime_decode_words(a, value);
}

/* One parameter as most are: name=token or name="text". False: it is of another kind. */
static bool simple_param(struct arena *a, const char **at, struct params *ret)
{
    const char *p = *at, *name = p;
    while (g_ascii_isalnum(*p) || *p == '-' || *p == '_')
        p++;
    size_t name_len = (size_t)(p - name);
    if (*p++ != '=' || !name_len)
        return false;
    const char *value = p;
    size_t len;
    if (*p == '"') {
        value = ++p;
        while (*p && *p != '"' && *p != '\\' && !(*p & 0x80))
            p++;
        len = (size_t)(p - value);
        if (*p++ != '"')
            return false;
    } else {
        while (*p > ' ' && !strchr("()<>@,;:\\\"[]?=", *p) && *p != 127)
            p++;
        len = (size_t)(p - value);
        if (!len)
            return false;
    }
    while (is_blank(*p))
        p++;
    if (*p && *p != ';')
        return false;
    take_param(a, ret, arena_memdup(a, name, name_len), arena_memdup(a, value, len));
    *at = p;
    return true;
}

/* The text before the parameters, and where they begin. */
static const char *first_word(struct arena *a, const char *text, const char **ret_word)
{
    size_t n = strcspn(text, ";"), end = n;
    while (end && is_blank(text[end - 1]))
        end--;
    *ret_word = lower(a, text, end);
    return text + n;
}

static void gmime_params(struct arena *a, GMimeParamList *list, struct params *ret)
{
    int n = list ? g_mime_param_list_length(list) : 0;
    for (int i = 0; i < n && i < PARAMS_MAX; i++) {
        GMimeParam *p = g_mime_param_list_get_parameter_at(list, i);
        const char *value = g_mime_param_get_value(p);
        if (!value)
            continue;
        char *text = arena_strdup(a, value);
        if (!utf8_valid(text, strlen(text)))
            utf8_scrub(text);
        take_param(a, ret, g_mime_param_get_name(p), text);
    }
}

static void read_params(struct arena *a, const char *text, bool type, struct params *ret)
{
    *ret = (struct params){0};
    const char *p = first_word(a, text, &ret->type);
    while (*p == ';') {
        p++;
        while (is_blank(*p))
            p++;
        if (!*p)
            return;
        if (!simple_param(a, &p, ret))
            break;
    }
    if (!*p)
        return;
    /* Continuations, charsets, escapes, and what is not right: as GMime reads it. */
    const char *word = ret->type;
    *ret = (struct params){.type = word};
    mime_library();
    if (type) {
        GMimeContentType *t = g_mime_content_type_parse(NULL, text);
        gmime_params(a, g_mime_content_type_get_parameters(t), ret);
        g_object_unref(t);
    } else {
        GMimeContentDisposition *d = g_mime_content_disposition_parse(NULL, text);
        gmime_params(a, g_mime_content_disposition_get_parameters(d), ret);
        g_object_unref(d);
    }
}

static bool is_type(const char *type)
{
    const char *slash = strchr(type, '/');
    if (!slash || slash == type || !slash[1] || strlen(type) > 200)
        return false;
    for (const char *p = type; *p; p++)
        if (*p <= ' ' || *p >= 127 || (*p == '/' && p != slash) || strchr("()<>@,;:\\\"[]?=", *p))
            return false;
    return true;
}

static enum mime_encoding encoding_of(const char *text)
{
    static const struct {
        const char *name;
        enum mime_encoding encoding;
    } names[] = {
        {"base64", MIME_BASE64}, {"quoted-printable", MIME_QP},
        {"8bit", MIME_8BIT},     {"7bit", MIME_7BIT},
        {"binary", MIME_BINARY}, {"x-uuencode", MIME_UU},
        {"uuencode", MIME_UU},   {"x-uue", MIME_UU},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        size_t n = strlen(names[i].name);
        if (g_ascii_strncasecmp(text, names[i].name, n) == 0 && !g_ascii_isalnum(text[n]))
            return names[i].encoding;
    }
    return MIME_7BIT;
}

static char *short_value(struct arena *a, const struct mime_field *f)
{
    return value_of(a, f->value, f->value_len < VALUE_MAX ? f->value_len : VALUE_MAX);
}

void mime_read_head(struct arena *a, const char *head, size_t len, const char *type,
                    struct mime_part *ret, const char **ret_boundary)
{
    struct params type_params = {0}, place_params = {0};
    struct mime_field f;
    bool encoding = false;
    size_t pos = 0;
    *ret_boundary = NULL;
    ret->type = type;
    while (mime_field_next(head, len, &pos, &f)) {
        if (f.name_len < 10 || g_ascii_strncasecmp(f.name, "content-", 8) != 0)
            continue;
        if (is_named(&f, "content-type", 12) && !type_params.type) {
            read_params(a, short_value(a, &f), true, &type_params);
        } else if (is_named(&f, "content-disposition", 19) && !place_params.type) {
            read_params(a, short_value(a, &f), false, &place_params);
        } else if (is_named(&f, "content-transfer-encoding", 25) && !encoding) {
            ret->encoding = encoding_of(short_value(a, &f));
            encoding = true;
        } else if (is_named(&f, "content-id", 10) && !ret->cid) {
            const char **ids;
            size_t n;
            mime_ids(a, short_value(a, &f), &ids, &n);
            ret->cid = n ? ids[0] : NULL;
        }
    }
    if (type_params.type)
        ret->type = is_type(type_params.type) ? type_params.type : "text/plain";
    ret->charset = type_params.charset;
    ret->filename = place_params.filename ? place_params.filename : type_params.filename;
    if (place_params.type)
        ret->disposition = strcmp(place_params.type, "inline") == 0 ? MIME_INLINE : MIME_ATTACHMENT;
    if (mime_is_multipart(ret)) {
        ret->encoding = ret->encoding > MIME_BINARY ? MIME_7BIT : ret->encoding;
        *ret_boundary = type_params.boundary;
    }
}

/* ---- addresses ---- */

struct address_reader {
    struct arena *arena;
    struct mime_address *list;
    size_t n, cap;
    bool bad;
    /* Of the address that is being read: its pieces, in buffers as long as the text. */
    char *phrase, *angle, *comment;
    size_t phrase_len, angle_len, comment_len;
    bool has_angle, any;
};

static char *trimmed(struct arena *a, const char *text, size_t len)
{
    while (len && is_blank(*text)) {
        text++;
        len--;
    }
    while (len && is_blank(text[len - 1]))
        len--;
    return arena_memdup(a, text, len);
}

/* Whether a local part that begins with a quote ends with its other one. */
static bool is_quoted(const char *local, const char *end)
{
    const char *p = local + 1;
    while (p < end && *p != '"')
        p += *p == '\\' ? 2 : 1;
    return p + 1 == end;
}

static bool is_email(const char *email)
{
    const char *at = strrchr(email, '@');
    if (!at || at == email || !at[1] || strlen(email) > 998)
        return false;
    bool quoted = *email == '"'; /* in front of the '@', which is read with its quotes */
    if (quoted && !is_quoted(email, at))
        return false;
    for (const char *p = email; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 127 ||
            (p > at ? strchr("()<>,;\\\"", *p) != NULL
                    : p < at && !quoted && strchr("()<>,;:\\\"[]@", *p)))
            return false;
    return at[1] != '.' && !strstr(at, "..");
}

static void take_address(struct address_reader *r)
{
    char *phrase = trimmed(r->arena, r->phrase, r->phrase_len);
    char *comment = trimmed(r->arena, r->comment, r->comment_len);
    const char *email = r->has_angle ? trimmed(r->arena, r->angle, r->angle_len) : phrase;
    const char *name = r->has_angle ? phrase : comment;
    bool any = r->any;
    r->phrase_len = r->angle_len = r->comment_len = 0;
    r->any = r->has_angle = false;
    if (!any)
        return;
    if (r->n == MIME_MAX_ADDRESSES) {
        r->bad = true;
        return;
    }
    if (*email == '@' && strchr(email, ':')) /* a route */
        email = strrchr(email, ':') + 1;
    if (!is_email(email)) {
        r->bad = true;
        email = "";
        if (!*name)
            name = phrase;
    }
    void *list = arena_grow(r->arena, r->list, r->n, &r->cap, sizeof *r->list);
    if (!list)
        return;
    r->list = list;
    r->list[r->n++] = (struct mime_address){
        .name = *name ? mime_decode_words(r->arena, name) : NULL, .email = email};
}

/* A quoted string from behind its quote: the end of it. */
static const char *read_quoted(const char *p, char *out, size_t *len)
{
    for (; *p && *p != '"'; p++) {
        if (*p == '\\' && p[1])
            p++;
        out[(*len)++] = *p;
    }
    return *p ? p + 1 : p;
}

static const char *read_comment(const char *p, char *out, size_t *len)
{
    for (size_t depth = 1; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '(')
            depth++;
        else if (*p == ')' && --depth == 0)
            return p + 1;
        out[(*len)++] = *p;
    }
    return p;
}

static const char *read_angle(struct address_reader *r, const char *p)
{
    r->has_angle = true;
    r->angle_len = 0;
    for (; *p && *p != '>'; p++) {
        if (*p == '"') { /* a quoted local part keeps its quotes */
            r->angle[r->angle_len++] = *p;
            for (p++; *p && *p != '"'; p++) {
                if (*p == '\\' && p[1])
                    r->angle[r->angle_len++] = *p++;
                r->angle[r->angle_len++] = *p;
            }
            if (!*p)
                return p;
        }
        r->angle[r->angle_len++] = *p;
    }
    return *p ? p + 1 : p;
}

void mime_addresses(struct arena *a, const char *text, struct mime_address **ret, size_t *ret_n,
                    bool *ret_bad)
{
    size_t len = strlen(text) + 1;
    struct address_reader r = {.arena = a,
                               .phrase = arena_alloc(a, len),
                               .angle = arena_alloc(a, len),
                               .comment = arena_alloc(a, len)};
    bool in_group = false, at_sign = false;
    *ret = NULL;
    *ret_n = 0;
    *ret_bad = false;
    if (arena_failed(a))
        return;
    for (const char *p = text; *p;) {
        char c = *p++;
        switch (c) {
        case '"':
            p = read_quoted(p, r.phrase, &r.phrase_len);
            r.any = true;
            break;
        case '(':
            p = read_comment(p, r.comment, &r.comment_len);
            break;
        case '<':
            p = read_angle(&r, p);
            r.any = true;
            break;
        case ':':
            if (!at_sign && !r.has_angle && !in_group) {
                in_group = true;
                r.phrase_len = 0;
                r.any = false;
                break;
            }
            r.phrase[r.phrase_len++] = c;
            break;
        case ';':
        case ',':
            take_address(&r);
            in_group = in_group && c == ',';
            at_sign = false;
            break;
        default:
            at_sign |= c == '@';
            r.any |= !is_blank(c);
            r.phrase[r.phrase_len++] = c;
        }
    }
    take_address(&r);
    *ret = r.list;
    *ret_n = r.n;
    *ret_bad = r.bad;
}

void mime_address_fields(struct arena *a, const char *head, size_t len, const char *name,
                         struct mime_address **ret, size_t *ret_n, bool *ret_bad)
{
    struct mime_field f;
    size_t pos = 0, n = strlen(name);
    *ret = NULL;
    *ret_n = 0;
    *ret_bad = false;
    while (mime_field_next_with(head, len, &pos, *name, &f)) {
        struct mime_address *list, *all;
        size_t count;
        bool bad;
        if (!is_named(&f, name, n))
            continue;
        mime_addresses(a, mime_value(a, &f), &list, &count, &bad);
        *ret_bad |= bad;
        if (*ret_n + count > MIME_MAX_ADDRESSES) {
            *ret_bad = true;
            return;
        }
        if (!*ret_n) {
            *ret = list;
            *ret_n = count;
            continue;
        }
        all = arena_alloc(a, (*ret_n + count + 1) * sizeof *all);
        if (arena_failed(a))
            return;
        memcpy(all, *ret, *ret_n * sizeof *all);
        if (count)
            memcpy(all + *ret_n, list, count * sizeof *all);
        *ret = all;
        *ret_n += count;
    }
}

char *mime_address_text(struct arena *a, const char *name, const char *email)
{
    char *line = name ? one_line(a, name) : NULL;
    if (!line || !*line) /* quotes of a local part are read between angles only */
        return arena_printf(a, *email == '"' ? "<%s>" : "%s", email);
    if (!is_ascii_string(line) || strstr(line, "=?")) {
        mime_library();
        line = take_text(a, g_mime_utils_header_encode_phrase(NULL, line, "utf-8"));
        return arena_printf(a, "%s <%s>", line, email);
    }
    bool plain = true;
    for (const char *p = line; *p; p++)
        plain &= g_ascii_isalnum(*p) || strchr(" !#$%&'*+-/=?^_`{|}~", *p);
    if (plain)
        return arena_printf(a, "%s <%s>", line, email);
    char *quoted = arena_alloc(a, 2 * strlen(line) + 1), *q = quoted;
    for (const char *p = line; *p; p++) {
        if (*p == '"' || *p == '\\')
            *q++ = '\\';
        *q++ = *p;
    }
    *q = 0;
    return arena_printf(a, "\"%s\" <%s>", quoted, email);
}

/* ---- ids, dates, subjects ---- */

void mime_ids(struct arena *a, const char *text, const char ***ret, size_t *ret_n)
{
    size_t cap = 0;
    for (const char *p = text; *p; p++)
        cap += *p == '<';
    const char **ids = arena_alloc(a, (cap + 1) * sizeof *ids);
    *ret = ids;
    *ret_n = 0;
    if (arena_failed(a))
        return;
    for (const char *p = strchr(text, '<'); p; p = strchr(p, '<')) {
        size_t n = strcspn(++p, "<>");
        if (p[n] == '>' && n)
            ids[(*ret_n)++] = trimmed(a, p, n);
        p += n;
    }
    if (*ret_n)
        return;
    char *word = trimmed(a, text, strlen(text));
    if (*word && !strpbrk(word, " \t<>"))
        ids[(*ret_n)++] = word;
}

bool mime_date(const char *text, int64_t *ret_s, int32_t *ret_offset)
{
    if (strlen(text) > 200)
        return false;
    mime_library();
    GDateTime *t = g_mime_utils_header_decode_date(text);
    if (!t)
        return false;
    *ret_s = g_date_time_to_unix(t);
    if (ret_offset)
        *ret_offset = (int32_t)(g_date_time_get_utc_offset(t) / G_TIME_SPAN_SECOND);
    g_date_time_unref(t);
    return true;
}

char *mime_subject_base(struct arena *a, const char *subject)
{
    static const char *const prefixes[] = {"re:", "r:", "fwd:", "fw:"};
    bool more = true;
    while (more) {
        more = false;
        while (is_blank(*subject))
            subject++;
        for (size_t i = 0; i < G_N_ELEMENTS(prefixes) && !more; i++) {
            size_t n = strlen(prefixes[i]);
            if (g_ascii_strncasecmp(subject, prefixes[i], n) == 0) {
                subject += n;
                more = true;
            }
        }
    }
    char *out = arena_strdup(a, subject), *to = out;
    for (const char *p = out; *p; p++)
        if (!is_blank(*p) || (to > out && to[-1] != ' '))
            *to++ = is_blank(*p) ? ' ' : g_ascii_tolower(*p);
    while (to > out && to[-1] == ' ')
        to--;
    *to = 0;
    return out;
}
