/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies a text of a response: made by the service for this run, or always the same. */
#include "conformance/record/compose_impl.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include <ctype.h>
#include <strings.h>

enum {
    RUN_MIN = 8,                  /* letters and digits in a row that may be an id */
    PART_MAX = 512,               /* of one that is only the beginning of a run */
    COUNT_MAX = 4096,             /* longer runs are not counted: data, not ids */
    NEAR_US = 120 * 1000000,      /* a time this near to the response is the service's */
    PLAIN_PATTERN_MAX = 8 * 1024, /* bytes: longer texts make no pattern */
    LONG_AGO = 1000000000         /* seconds: smaller numbers are not times */
};

/* ---- texts that stay ---- */

static bool is_run_char(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_' || ch == '-';
}

static size_t run_at(const char *p)
{
    size_t n = 0;
    while (is_run_char(p[n]))
        n++;
    return n;
}

static void fix(struct composer *c, const char *text)
{
    c->failed |= map_set(&c->fixed, text, c) < 0;
}

static bool is_fixed(const struct composer *c, const char *text)
{
    return map_get(&c->fixed, text) != NULL;
}

void know_text(struct composer *c, const char *text)
{
    fix(c, text);
    for (const char *p = text; *p;) {
        size_t n = run_at(p);
        if (n >= RUN_MIN)
            fix(c, arena_memdup(c->a, p, n));
        p += n ? n : 1;
    }
}

void know_document(struct composer *c, const struct json *v)
{
    if (v->type == JSON_STRING)
        know_text(c, v->str);
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        know_document(c, &v->items[i]);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        know_document(c, &v->members[i].value);
}

/* ---- names of members ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_in(const char *key, const char *const *list)
{
    for (; *list; list++)
        if (strcasecmp(key, *list) == 0)
            return true;
    return false;
}

static bool is_id_key(const char *key)
{
    static const char *const names[] = {"id", "iCalUID", "uid", "ts", "file_id", NULL};
    return is_in(key, names) || ends_with(key, "Id") || ends_with(key, "ID") ||
           ends_with(key, "_id") || ends_with(key, "Ids") || ends_with(key, "_ts");
}

static bool is_token_key(const char *key)
{
    return ends_with(key, "Token") || ends_with(key, "token") || ends_with(key, "cursor") ||
           ends_with(key, "Cursor");
}

static bool is_time_key(const char *key)
{
    static const char *const names[] = {"created",
                                        "updated",
                                        "createdTime",
                                        "modifiedTime",
                                        "trashedTime",
                                        "viewedByMeTime",
                                        "modifiedByMeTime",
                                        "sharedWithMeTime",
                                        "createdDateTime",
                                        "lastModifiedDateTime",
                                        "receivedDateTime",
                                        "sentDateTime",
                                        "expirationDateTime",
                                        "timestamp",
                                        "lastModified",
                                        NULL};
    return is_in(key, names);
}

static bool is_counter_key(const char *key)
{
    static const char *const names[] = {"expiration", "internalDate", "historyId", NULL};
    return is_in(key, names);
}

/* ---- forms of texts ---- */

static bool is_digits(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)text[i]))
            return false;
    return n > 0;
}

/* A word, perhaps with a short number behind it. */
static bool is_wordlike(const char *p, size_t n)
{
    size_t letters = 0, changes = 0;
    while (letters < n &&
           (isalpha((unsigned char)p[letters]) || p[letters] == '-' || p[letters] == '_'))
        letters++;
    for (size_t i = 1; i < letters; i++)
        changes += isupper((unsigned char)p[i]) && islower((unsigned char)p[i - 1]);
    return n - letters <= 4 && is_digits(p + letters, n - letters) + (n == letters) &&
           changes * 4 <= letters;
}

/* Whether it looks generated. */
static bool is_random(const char *p, size_t n)
{
    size_t digits = 0, letters = 0;
    for (size_t i = 0; i < n; i++) {
        digits += isdigit((unsigned char)p[i]) != 0;
        letters += isalpha((unsigned char)p[i]) != 0;
    }
    if (n < RUN_MIN)
        return false;
    if (!letters)
        return digits >= 10 && digits == n;
    return !is_wordlike(p, n);
}

/* 20261124T090000Z, 2026-11-24: a part of an instance's id, a date. */
static bool is_compact_time(const char *p, size_t n)
{
    return (n == 8 && is_digits(p, 8)) ||
           ((n == 15 || n == 16) && is_digits(p, 8) && p[8] == 'T' && is_digits(p + 9, 6)) ||
           (n == 10 && is_digits(p, 4) && p[4] == '-' && is_digits(p + 5, 2) && p[7] == '-');
}

/* The smallest class of characters that a run is of, as regular expression. */
static const char *class_of(const char *p, size_t n)
{
    bool digits = true, hex = true, lower32 = true, word = true;
    for (size_t i = 0; i < n; i++) {
        digits &= isdigit((unsigned char)p[i]) != 0;
        hex &= strchr("0123456789abcdef", p[i]) != NULL;
        lower32 &= strchr("0123456789abcdefghijklmnopqrstuv", p[i]) != NULL;
        word &= isalnum((unsigned char)p[i]) != 0;
    }
    return digits    ? "\\d"
           : hex     ? "[0-9a-f]"
           : lower32 ? "[a-v0-9]"
           : word    ? "[A-Za-z0-9]"
                     : "[A-Za-z0-9_-]";
}

static bool parse_time(const char *text, int64_t *ret_us)
{
    struct stamp t;
    if (stamp_parse(text, strlen(text), false, &t) < 0)
        return false;
    *ret_us = t.local_us - t.offset * US_PER_SECOND;
    return true;
}

static bool is_near(const struct composer *c, int64_t us)
{
    int64_t by = us - c->now_us, wall = us - c->e->at_us;
    return (by < NEAR_US && by > -NEAR_US) || (wall < NEAR_US && wall > -NEAR_US);
}

static bool is_etag(const char *text)
{
    const char *p = strncmp(text, "W/", 2) == 0 ? text + 2 : text;
    size_t n = strlen(p);
    return n > 2 && p[0] == '"' && p[n - 1] == '"' && !memchr(p + 1, '"', n - 2);
}

/* ---- values ---- */

static struct value *find_value(const struct composer *c, const char *text, const char *entity)
{
    struct value *v = map_get(&c->values, text);
    while (v && strcmp(v->entity, entity) != 0)
        v = v->older;
    return v;
}

static struct value *add_value(struct composer *c, const char *key, const char *text,
                               const char *entity, const char *matcher)
{
    struct value *v = arena_calloc(c->a, 1, sizeof *v);
    *v = (struct value){.text = text,
                        .key = key,
                        .entity = entity,
                        .matcher = matcher,
                        .older = map_get(&c->values, text)};
    c->failed |= arena_failed(c->a) || map_set(&c->values, text, v) < 0;
    return v;
}

const char *composer_name(struct composer *c, struct map *names, const char *base,
                          const char *between)
{
    uintptr_t n = (uintptr_t)map_get(names, base); /* how far it was counted */
    const char *name = arena_strdup(c->a, base);
    while (n && map_get(names, name))
        name = arena_printf(c->a, "%s%s%u", base, between, (unsigned)++n);
    c->failed |= map_set(names, name, (void *)(uintptr_t)1) < 0 ||
                 map_set(names, base, (void *)(n ? n : 1)) < 0;
    return name;
}

/* "id", "id2", ...: in the order in which they are captured. */
static void name_value(struct composer *c, struct value *v)
{
    char base[41];
    size_t n = 0;
    for (const char *p = v->key; *p && n < 40; p++)
        if (is_run_char(*p))
            base[n++] = (char)(p == v->key ? tolower((unsigned char)*p) : *p);
    base[n] = 0;
    v->name = composer_name(c, &c->names,
                            !n                              ? "value"
                            : strcasecmp(base, "etag") == 0 ? "etag"
                                                            : base,
                            "");
}

/* A value where it is written: its capture, a reference, or, if it is not used, the matcher. */
static const char *write_value(struct composer *c, struct value *v, const char *matcher)
{
    if (!v || !v->wanted)
        return arena_printf(c->a, "${%s}", matcher);
    if (v->captured && v->within == c->text)
        return arena_printf(c->a, "${%s}", matcher);
    if (v->captured)
        return arena_printf(c->a, "${=%s}", v->name);
    v->captured = true;
    v->within = c->text;
    name_value(c, v);
    return arena_printf(c->a, "${>%s:%s}", v->name, matcher);
}

/* A value at its place in a response. entity: the one that it belongs to. */
static const char *emit(struct composer *c, const char *key, const char *text, const char *entity,
                        const char *matcher)
{
    struct value *v = find_value(c, text, entity);
    if (c->writing)
        return write_value(c, v, matcher);
    if (v)
        v->wanted = true;
    else
        add_value(c, key, text, entity, matcher);
    return text;
}

/* One that may come again without being the same: a time, a token. Each occurrence is a value,
 * found by its number. */
static const char *emit_once(struct composer *c, const char *key, const char *text,
                             const char *matcher)
{
    if (c->writing)
        return write_value(c, c->serial < c->n_once ? c->once[c->serial] : NULL, matcher);
    if (c->serial >= c->n_once) {
        unsigned n = 2 * c->serial + 64;
        struct value **more = arena_calloc(c->a, n, sizeof *more);
        if (arena_failed(c->a))
            return text;
        if (c->n_once)
            memcpy(more, c->once, c->n_once * sizeof *more);
        c->once = more;
        c->n_once = n;
    }
    c->once[c->serial] = add_value(c, key, text, "#", matcher);
    return text;
}

/* ---- runs ---- */

/* The part of a run that is an earlier value: the whole, or what is before a '_'. */
static size_t known_part(struct composer *c, const char *p, size_t n, struct value **ret)
{
    for (size_t len = n; len >= RUN_MIN; len = len > PART_MAX + 1 ? PART_MAX : len - 1) {
        if (len < n && p[len] != '_')
            continue;
        struct value *v = map_get(&c->values, arena_memdup(c->a, p, len));
        while (v && v->entity[0]) /* tags and times are not parts of others */
            v = v->older;
        if (v) {
            *ret = v;
            return len;
        }
    }
    return 0;
}

static bool has_known_part(struct composer *c, const char *text)
{
    struct value *v;
    for (const char *p = text; *p;) {
        size_t n = run_at(p);
        if (n >= RUN_MIN && known_part(c, p, n, &v))
            return true;
        p += n ? n : 1;
    }
    return false;
}

/* base64 of what is known: the link to an event names the event and its calendar. */
static bool packs_fixed(struct composer *c, const char *run, size_t n)
{
    uint8_t *data;
    size_t len;
    if (n < 12 || base64_decode(c->a, run, n, &data, &len) < 0 || !utf8_valid((char *)data, len))
        return false;
    const char *text = arena_memdup(c->a, data, len);
    for (const char *p = text; *p;) {
        size_t word = strcspn(p, " ");
        const char *one = arena_memdup(c->a, p, word);
        for (const char *q = one; *q; q++)
            if ((unsigned char)*q < ' ')
                return false;
        if (!is_fixed(c, one) && !strchr(one, '@'))
            return false;
        p += word + (p[word] == ' ');
    }
    return len > 0;
}

static void add_literal(struct composer *c, struct buf *out, const char *p, size_t n)
{
    if (c->writing)
        buf_puts(out, pattern_escape(c->a, arena_memdup(c->a, p, n)));
}

/* Length of the next unit at p: a run; "${", which must be escaped whole; else one character. */
static size_t literal_at(const char *p)
{
    size_t n = run_at(p);
    return n ? n : strncmp(p, "${", 2) == 0 ? 2 : 1;
}

/* Appends a matcher; a "$" right before it would make plain text of it. */
static void add_marker(struct buf *out, const char *marker)
{
    if (out->len && out->data[out->len - 1] == '$' && str_starts(marker, "${")) {
        out->len--;
        buf_puts(out, "${re:\\$}");
    }
    buf_puts(out, marker);
}

/* The name of the parameter whose value begins at p, in a URL. */
static const char *parameter_before(struct composer *c, const char *text, const char *p)
{
    const char *equals = p > text ? p - 1 : NULL, *from;
    if (!equals || *equals != '=')
        return NULL;
    for (from = equals; from > text && is_run_char(from[-1]); from--)
        ;
    return from < equals ? arena_memdup(c->a, from, (size_t)(equals - from)) : NULL;
}

/* link: runs that look made become patterns. Without it only what is known from before is
 * replaced. */
static const char *in_pieces(struct composer *c, const char *key, const char *text, bool link)
{
    struct buf out;
    struct value *v;
    size_t origin = strlen(c->e->origin);
    buf_init(&out, 0);
    for (const char *p = text; *p;) {
        size_t n = run_at(p), len;
        if (origin && strncmp(p, c->e->origin, origin) == 0 && !is_run_char(p[origin])) {
            c->uses_origin = true;
            add_marker(&out, "${origin}");
            p += origin;
        } else if (n >= RUN_MIN && (len = known_part(c, p, n, &v))) {
            add_marker(&out, emit(c, v->key, v->text, v->entity, v->matcher));
            add_literal(c, &out, p + len, n - len);
            p += n;
        } else if (link && (is_random(p, n) || str_starts(p, "redacted-")) &&
                   !is_compact_time(p, n) && !is_fixed(c, arena_memdup(c->a, p, n)) &&
                   !packs_fixed(c, p, n)) {
            const char *name = parameter_before(c, text, p);
            add_marker(&out, emit(c, name ? name : key, arena_memdup(c->a, p, n), "",
                                  arena_printf(c->a, "re:%s+", class_of(p, n))));
            p += n;
        } else {
            n = literal_at(p);
            add_literal(c, &out, p, n);
            p += n;
        }
    }
    c->failed |= buf_failed(&out);
    const char *result = c->writing ? arena_strdup(c->a, buf_str(&out)) : text;
    buf_done(&out);
    return result;
}

/* A regular expression for an id: runs that look made by their form, the rest as it is. NULL: none
 * looks made. */
static const char *id_matcher(struct composer *c, const char *text)
{
    struct buf out;
    bool random = false;
    buf_init(&out, 0);
    buf_puts(&out, "re:");
    for (const char *p = text; *p;) {
        size_t n = run_at(p);
        if (is_random(p, n) && !is_compact_time(p, n)) {
            if (n <= COUNT_MAX)
                buf_printf(&out, "%s{%zu}", class_of(p, n), n);
            else
                buf_printf(&out, "%s+", class_of(p, n));
            random = true;
            p += n;
            continue;
        }
        for (size_t i = 0; i < (n ? n : 1); i++, p++) {
            if (strchr("\\^$.[]|()?*+{}", *p))
                buf_byte(&out, '\\');
            buf_byte(&out, *p);
        }
    }
    c->failed |= buf_failed(&out);
    const char *matcher = random ? arena_strdup(c->a, buf_str(&out)) : NULL;
    buf_done(&out);
    return matcher;
}

/* ---- leaves ---- */

static bool is_link(const char *text)
{
    return (strstr(text, "://") || text[0] == '/') && !strchr(text, ' ');
}

/* Nothing but one long run that looks made. */
static bool is_one_run(const char *text)
{
    size_t n = run_at(text);
    return n >= 2 * RUN_MIN && !text[n] && is_random(text, n) && !is_compact_time(text, n);
}

static const char *literal(struct composer *c, const char *text)
{
    return c->writing ? pattern_escape(c->a, text) : text;
}

static const char *unknown_entity(struct composer *c)
{
    return arena_printf(c->a, "@%lld", (long long)c->e->n);
}

const char *answer_text(struct composer *c, const char *key, const char *text, const char *entity)
{
    int64_t us;
    const char *matcher;
    c->serial++;
    c->text += !c->plain;
    if (!*text)
        return text;
    if (str_starts(text, "redacted-"))
        return emit(c, key, text, "", "string");
    if (is_fixed(c, text))
        return literal(c, text);
    if (strcasecmp(key, "etag") == 0 || is_etag(text))
        return emit(c, key, text, entity ? entity : unknown_entity(c),
                    is_etag(text) ? "etag" : "string");
    if (parse_time(text, &us) && (is_time_key(key) || is_near(c, us)))
        return emit_once(c, key, text, "time");
    if (is_token_key(key))
        return emit_once(c, key, text, "string");
    if (is_counter_key(key) && is_digits(text, strlen(text)))
        return emit_once(c, key, text, "digits");
    if ((is_id_key(key) || is_one_run(text)) && !has_known_part(c, text) &&
        (matcher = id_matcher(c, text)))
        return emit(c, key, text, "", matcher);
    if (find_value(c, text, ""))
        return emit(c, key, text, "", find_value(c, text, "")->matcher);
    return in_pieces(c, key, text, is_link(text));
}

/* Seconds, milliseconds or microseconds near to now; spans of tokens. */
static bool is_made_number(const struct composer *c, const char *key, const struct json *v)
{
    int64_t n;
    if (strcmp(key, "expires_in") == 0)
        return true;
    if (json_i64(v, &n) < 0 || n < LONG_AGO)
        return false;
    return is_near(c, n) || (n < INT64_MAX / 1000 && is_near(c, n * 1000)) ||
           (n < INT64_MAX / 1000000 && is_near(c, n * 1000000));
}

static void answer_value(struct composer *c, struct json_writer *w, const char *out_key,
                         const char *key, const struct json *v, const char *entity)
{
    const char *own;
    switch ((enum json_type)v->type) {
    case JSON_STRING:
        json_str(w, out_key, answer_text(c, key, v->str, entity));
        break;
    case JSON_NUMBER:
        if (is_made_number(c, key, v))
            json_str(w, out_key, "${number}");
        else
            json_value(w, out_key, v);
        break;
    case JSON_OBJECT:
        own = json_get_str(v, "id");
        json_obj(w, out_key);
        for (uint32_t i = 0; i < v->n; i++)
            answer_value(c, w, v->members[i].key, v->members[i].key, &v->members[i].value,
                         own ? own : entity);
        json_end(w);
        break;
    case JSON_ARRAY:
        json_arr(w, out_key);
        for (uint32_t i = 0; i < v->n; i++)
            answer_value(c, w, NULL, key, &v->items[i], arena_printf(c->a, "#%u", ++c->serial));
        json_end(w);
        break;
    default:
        json_value(w, out_key, v);
    }
}

void answer_json(struct composer *c, struct json_writer *w, const char *key, const struct json *v)
{
    answer_value(c, w, key, "", v, NULL);
}

/* ---- bodies that are not JSON ---- */

/* A header line of a part. */
static bool answer_header_line(const char *line, size_t n, struct buf *out)
{
    static const struct {
        const char *name, *matcher;
    } made[] = {{"Date: ", "${re:[^\\r\\n]+}"},
                {"Expires: ", "${re:[^\\r\\n]+}"},
                {"ETag: ", "${etag}"},
                {"Content-Length: ", "${digits}"}};
    for (size_t i = 0; i < SOSIA_LEN(made); i++) {
        size_t m = strlen(made[i].name);
        if (n <= m || strncasecmp(line, made[i].name, m) != 0)
            continue;
        buf_add(out, line, m);
        buf_puts(out, made[i].matcher);
        return true;
    }
    return false;
}

/* A tag, a time, a token: something that is different in each response. */
static bool is_made(const struct composer *c, const char *key, const char *text)
{
    int64_t us;
    return *text && (strcasecmp(key, "etag") == 0 || is_etag(text) || is_token_key(key) ||
                     (parse_time(text, &us) && (is_time_key(key) || is_near(c, us))) ||
                     (is_counter_key(key) && is_digits(text, strlen(text))));
}

/* A line of indented JSON, "name": "text": what is made becomes any text. */
static bool answer_member_line(struct composer *c, const char *line, size_t n, struct buf *out)
{
    const char *open = memchr(line, '"', n), *end = line + n;
    const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
    if (!close || end - close < 5 || close[1] != ':' ||
        strspn(line, " \t") != (size_t)(open - line))
        return false;
    const char *value = close + 2 + strspn(close + 2, " "), *stop = end;
    if (stop > value && stop[-1] == ',')
        stop--;
    const struct json *v;
    if (value >= stop || *value != '"' ||
        json_parse(c->a, value, (size_t)(stop - value), NULL, &v, NULL) < 0)
        return false;
    const char *key = arena_memdup(c->a, open + 1, (size_t)(close - open - 1));
    const char *raw = arena_memdup(c->a, value + 1, (size_t)(stop - value - 2));
    const char *matcher;
    if (!is_fixed(c, v->str) && is_made(c, key, v->str)) {
        add_literal(c, out, line, (size_t)(value - line));
        buf_puts(out, "${re:\"(?:[^\"\\\\]|\\\\.)*\"}");
    } else {
        add_literal(c, out, line, (size_t)(value + 1 - line));
        if (!is_fixed(c, v->str) && is_id_key(key) && !has_known_part(c, raw) &&
            !strchr(raw, '\\') && (matcher = id_matcher(c, raw)))
            buf_puts(out, emit(c, key, raw, "", matcher));
        else
            buf_puts(out, in_pieces(c, key, raw, is_link(raw)));
        buf_byte(out, '"');
    }
    add_literal(c, out, stop, (size_t)(end - stop));
    return true;
}

const char *answer_boundary(struct composer *c, const char *boundary)
{
    c->text += !c->plain;
    return emit(c, "boundary", boundary, "boundary", "re:[^\\s-][^\\s]*?");
}

const char *answer_plain(struct composer *c, const char *text, const char *boundary)
{
    if (strlen(text) > PLAIN_PATTERN_MAX)
        return "${any}";
    struct buf out;
    c->text++;
    c->plain = true;
    size_t mark = boundary ? strlen(boundary) : 0;
    buf_init(&out, 0);
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "\r\n");
        if (mark && strncmp(p, "--", 2) == 0 && strncmp(p + 2, boundary, mark) == 0) {
            buf_puts(&out, "--");
            buf_puts(&out, answer_boundary(c, boundary));
            add_literal(c, &out, p + 2 + mark, n - 2 - mark);
        } else if (!mark ||
                   (!answer_header_line(p, n, &out) && !answer_member_line(c, p, n, &out))) {
            buf_puts(&out, in_pieces(c, "text", arena_memdup(c->a, p, n), false));
        }
        p += n;
        while (*p == '\r' || *p == '\n')
            buf_byte(&out, *p++);
    }
    c->failed |= buf_failed(&out);
    const char *result = c->writing ? arena_strdup(c->a, buf_str(&out)) : text;
    buf_done(&out);
    c->plain = false;
    return result;
}

/* ---- requests ---- */

/* The value that a request means by a text: of what its path names, else the latest. */
static struct value *meant(const struct composer *c, const char *text)
{
    struct value *newest = map_get(&c->values, text);
    for (struct value *v = newest; v; v = v->older)
        if (v->entity[0] && strlen(v->entity) >= 4 && strstr(c->path, v->entity))
            return v;
    return newest;
}

static const char *refer(struct composer *c, struct value *v)
{
    v->wanted = true;
    if (!c->writing)
        return v->text;
    /* a response that was left out had it */
    return v->captured ? arena_printf(c->a, "${=%s}", v->name) : pattern_escape(c->a, v->text);
}

const char *request_text(struct composer *c, const char *text)
{
    struct buf out;
    struct value *v = meant(c, text);
    bool any = false;
    if (v && *text)
        return refer(c, v);
    buf_init(&out, 0);
    for (const char *p = text; *p;) {
        size_t n = run_at(p), len = n >= RUN_MIN ? known_part(c, p, n, &v) : 0;
        if (len && p > text && p[-1] == '$')
            len = 0; /* it would read as plain text */
        if (len) {
            buf_puts(&out, refer(c, v));
            any = true;
        }
        n = literal_at(p);
        add_literal(c, &out, p + len, n - len);
        p += n;
    }
    if (!any && !c->writing)
        know_text(c, text);
    c->failed |= buf_failed(&out);
    const char *result = c->writing ? arena_strdup(c->a, buf_str(&out)) : text;
    buf_done(&out);
    return result;
}

void request_json(struct composer *c, struct json_writer *w, const char *key, const struct json *v)
{
    if (v->type == JSON_STRING) {
        json_str(w, key, request_text(c, v->str));
    } else if (v->type == JSON_OBJECT) {
        json_obj(w, key);
        for (uint32_t i = 0; i < v->n; i++)
            request_json(c, w, v->members[i].key, &v->members[i].value);
        json_end(w);
    } else if (v->type == JSON_ARRAY) {
        json_arr(w, key);
        for (uint32_t i = 0; i < v->n; i++)
            request_json(c, w, NULL, &v->items[i]);
        json_end(w);
    } else {
        json_value(w, key, v);
    }
}
