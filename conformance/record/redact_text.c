/* SPDX-License-Identifier: Apache-2.0 */
/* What can be recognised in any text: credentials by their form, addresses and the names before
 * them, telephone numbers, IP addresses; also in what is packed as base64. */
#include "conformance/record/redact_impl.h"
#include "conformance/traces.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"

enum {
    RUN_MIN = 16, /* shorter ones are not taken for base64 */
    MATCH_LIMIT = 2000000
};

enum group { WHOLE, TOKEN, KEY, PERSON, LOCAL, AT, DOMAIN, PHONE, IP4, IP6, N_GROUPS };

/* ---- the expression: alternatives in the order of enum group ---- */

static const char secrets_begin[] =
    "("
    /* tokens of vendors and of sosia; JSON web tokens; what follows "Bearer", in URLs */
    "(?<![\\w-])(?:";
static const char secrets_more[] =
    "sosia_[\\w-]{20,}|eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]*)|"
    "(?<=[Bb]earer )(?!realm\\b)[\\w.~+/-]{8,}=*|"
    "(?:(?<=[?&#]access_token=)|(?<=[?&#]refresh_token=)|(?<=[?&#]id_token=)|"
    "(?<=[?&#]client_secret=)|(?<=[?&]code=)|(?<=[?&]tempauth=)|(?<=[?&]sig=)";
static const char secrets_end[] =
    ")[^&\\s\"'#<>\\\\]+|"
    "-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?-----END [A-Z ]*PRIVATE KEY-----";
static const char keys_end[] = "(?<=[?&]key=)[^&\\s\"'#<>\\\\]+";
static const char rest[] =
    /* "Ada Conti <ada@...>", at the start of a line or of an item */
    "(?:(?:^|(?<=, )|(?<=: "
    ")|(?<=;))(\"[^\"<>\\r\\n]{1,80}\"|[^\\s\"<>@,;:][^\"<>@,;:\\r\\n]{0,79}?)"
    "[ \\t]{1,8}<)?"
    "(?:(?<=%[0-9A-Fa-f]{2})|(?<![\\p{L}\\p{N}._+\\-'%]))([\\p{L}\\p{N}_+][\\p{L}\\p{N}._+'\\-]*)"
    "(@|%40)"
    "((?:[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?\\.){1,20}"
    "(?!(?:png|jpe?g|gif|svg|webp)\\b)\\p{L}{2,})(?![\\p{L}\\p{N}-])|"
    "((?<![\\w+.])\\+[1-9](?:[ ().-]{0,2}\\d){7,14}(?!\\w))|"
    "((?:(?<=//)|(?<![\\w.\\-/]))(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}"
    "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?!\\.?[\\w-]))|"
    "((?<![\\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\\w:.]))";

/* A text in an expression, as it is. */
static void add_quoted(struct buf *b, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\^$.[]|()?*+{}", *text))
            buf_byte(b, '\\');
        buf_byte(b, *text);
    }
}

static void add_secrets(struct buf *b)
{
    const struct traces *t;
    buf_puts(b, secrets_begin);
    for (size_t at = 0; (t = traces_next(&at));)
        if (t->tokens)
            buf_printf(b, "%s|", t->tokens);
    buf_puts(b, secrets_more);
    for (size_t at = 0; (t = traces_next(&at));)
        for (const char *const *p = t->signatures; p && *p; p++) {
            buf_puts(b, "|(?<=[?&]");
            add_quoted(b, *p);
            buf_puts(b, "=)");
        }
    buf_puts(b, secrets_end);
    for (size_t at = 0; (t = traces_next(&at));)
        for (const char *const *p = t->hooks; p && *p; p++) {
            buf_puts(b, "|(?:\\\\?/){2}");
            add_quoted(b, *p);
            buf_puts(b, "(?:\\\\?/[\\w-]+){1,4}\\\\?/\\K[\\w-]{8,}");
        }
}

static void add_expression(struct buf *b)
{
    const struct traces *t;
    add_secrets(b);
    buf_puts(b, ")|(");
    for (size_t at = 0; (t = traces_next(&at));)
        if (t->keys)
            buf_printf(b, "(?<![\\w-])(?:%s)(?![\\w-])|", t->keys);
    buf_puts(b, keys_end);
    buf_puts(b, ")|");
    buf_puts(b, rest);
}

int redact_text_open(struct redactor *r, struct sosia_err *err)
{
    int number;
    PCRE2_SIZE at;
    unsigned char text[120];
    struct buf source;
    buf_init(&source, 0);
    add_expression(&source);
    if (buf_failed(&source)) {
        buf_done(&source);
        return sosia_fail_memory(err);
    }
    r->regex = pcre2_compile((PCRE2_SPTR)buf_str(&source), source.len,
                             PCRE2_UTF | PCRE2_MULTILINE | PCRE2_NO_UTF_CHECK, &number, &at, NULL);
    buf_done(&source);
    r->limits = pcre2_match_context_create(NULL);
    if (r->regex)
        r->match = pcre2_match_data_create_from_pattern(r->regex, NULL);
    if (r->match && r->limits) {
        pcre2_set_match_limit(r->limits, MATCH_LIMIT);
        pcre2_jit_compile(r->regex, PCRE2_JIT_COMPLETE); /* it does without where there is none */
        return 0;
    }
    if (r->regex)
        return sosia_fail_memory(err);
    pcre2_get_error_message(number, text, sizeof text);
    return sosia_fail(err, SOSIA_E_INTERNAL, "regex", NULL, "%s at %zu", text, (size_t)at);
}

void redact_text_close(struct redactor *r)
{
    pcre2_match_data_free(r->match);
    pcre2_match_context_free(r->limits);
    pcre2_code_free(r->regex);
}

/* ---- one thing that was found ---- */

struct found {
    const char *text;
    PCRE2_SIZE *at; /* pairs by group */
};

static bool has(const struct found *f, enum group g)
{
    return f->at[2 * g] != PCRE2_UNSET;
}

static const char *part(struct redactor *r, const struct found *f, enum group g)
{
    return arena_memdup(r->arena, f->text + f->at[2 * g], f->at[2 * g + 1] - f->at[2 * g]);
}

static void add_range(struct buf *out, const struct found *f, PCRE2_SIZE from, PCRE2_SIZE to)
{
    buf_add(out, f->text + from, to - from);
}

/* An address and the name before it. */
static bool replace_address(struct redactor *r, const struct found *f, struct buf *out)
{
    const char *local = part(r, f, LOCAL), *at = part(r, f, AT), *domain = part(r, f, DOMAIN);
    const char *address = arena_printf(r->arena, "%s@%s", local, domain);
    const char *with = substitute(r, REDACT_EMAIL, address), *name = NULL;
    if (has(f, PERSON)) {
        const char *said = part(r, f, PERSON);
        bool quoted = said[0] == '"';
        if (quoted)
            said = arena_memdup(r->arena, said + 1, strlen(said) - 2);
        name = substitute_name(r, said, address);
        if (name) {
            redacted(r, REDACT_NAME, name);
            buf_printf(out, quoted ? "\"%s\"" : "%s", name);
        } else {
            add_range(out, f, f->at[2 * PERSON], f->at[2 * PERSON + 1]);
        }
        add_range(out, f, f->at[2 * PERSON + 1], f->at[2 * LOCAL]);
    }
    if (!with) {
        add_range(out, f, f->at[2 * LOCAL], f->at[1]);
        return name != NULL;
    }
    redacted(r, REDACT_EMAIL, with);
    const char *split = strchr(with, '@');
    buf_add(out, with, (size_t)(split - with));
    buf_puts(out, at);
    buf_puts(out, split + 1);
    return true;
}

/* Appends what stands for it; false: the same. */
static bool replace(struct redactor *r, const struct found *f, struct buf *out)
{
    enum redact_kind kind = has(f, TOKEN)   ? REDACT_TOKEN
                            : has(f, KEY)   ? REDACT_KEY
                            : has(f, PHONE) ? REDACT_PHONE
                                            : REDACT_IP;
    if (has(f, LOCAL))
        return replace_address(r, f, out);
    const char *with = substitute(r, kind, part(r, f, WHOLE));
    if (!with) {
        add_range(out, f, f->at[0], f->at[1]);
        return false;
    }
    redacted(r, kind, with);
    buf_puts(out, with);
    return true;
}

/* A line that could not be searched: whatever kinds are kept, it may hold others. */
static void replace_line(struct redactor *r, const char *line, struct buf *out)
{
    const char *with = substitute(r, REDACT_TOKEN, line);
    if (!with)
        with = "redacted-line";
    redacted(r, REDACT_TOKEN, with);
    buf_puts(out, with);
}

static const char *take(struct redactor *r, struct buf *out, bool changed)
{
    if (buf_failed(out))
        r->failed = true;
    const char *text = changed && !buf_failed(out)
                           ? arena_memdup(r->arena, out->data ? out->data : "", out->len)
                           : NULL;
    buf_done(out);
    return text;
}

static size_t line_end(const char *text, size_t at, size_t len)
{
    const char *newline = memchr(text + at, '\n', len - at);
    return newline ? (size_t)(newline - text) : len;
}

/* A key has several lines, which lines by themselves do not show. */
static bool begins_key(const char *line, size_t len)
{
    static const char begin[] = "-----BEGIN ", key[] = "PRIVATE KEY-----";
    return memmem(line, len, begin, sizeof begin - 1) && memmem(line, len, key, sizeof key - 1);
}

/* text is valid UTF-8. Where searching it takes too long it is searched line by line. */
static const char *scan(struct redactor *r, const char *text, size_t len)
{
    struct buf out;
    size_t at = 0;
    bool changed = false, by_line = false;
    buf_init(&out, 0);
    while (at < len) {
        size_t to = by_line ? line_end(text, at, len) : len;
        bool key = by_line && begins_key(text + at, to - at);
        int n = key ? PCRE2_ERROR_MATCHLIMIT
                    : pcre2_match(r->regex, (PCRE2_SPTR)text, to, at, PCRE2_NO_UTF_CHECK, r->match,
                                  r->limits);
        if (n == PCRE2_ERROR_NOMATCH) {
            to += to < len; /* the line's end */
            buf_add(&out, text + at, to - at);
            at = to;
            continue;
        }
        if (n < 0 && !by_line) {
            by_line = true;
            continue;
        }
        if (n < 0) {
            to = key ? len : to;
            replace_line(r, arena_memdup(r->arena, text + at, to - at), &out);
            changed = true;
            at = to;
            continue;
        }
        /* Matching in substitute() and the like would use the same ovector: none does. */
        struct found f = {text, pcre2_get_ovector_pointer(r->match)};
        for (unsigned g = (unsigned)n; g < N_GROUPS; g++)
            f.at[2 * g] = PCRE2_UNSET;
        buf_add(&out, text + at, f.at[0] - at);
        at = f.at[1];
        changed |= replace(r, &f, &out);
    }
    return take(r, &out, changed);
}

/* ---- base64 ---- */

static bool is_run_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

static bool is_whole_base64(const char *text, size_t len)
{
    size_t i = 0;
    while (i < len && (is_run_char(text[i]) || text[i] == '+' || text[i] == '/'))
        i++;
    while (i < len && text[i] == '=')
        i++;
    return i == len && len >= RUN_MIN;
}

static bool is_plain_text(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (((unsigned char)text[i] < ' ' && !strchr("\t\r\n", text[i])) || text[i] == 0x7f)
            return false;
    return len && utf8_valid(text, len);
}

/* "ID ada@a" in the links of events, where a vendor shortens what is behind the @. */
static const char *long_address(struct redactor *r, const char *text, size_t len)
{
    const struct traces *t;
    for (size_t at = 0; (t = traces_next(&at));)
        for (const char *const *end = t->short_ends; end && *end; end += 2) {
            size_t n = strlen(*end);
            if (len >= n && memcmp(text + len - n, *end, n) == 0)
                return arena_printf(r->arena, "%.*s%s", (int)(len - n), text, end[1]);
        }
    return NULL;
}

static const char *redact_event_id(struct redactor *r, const char *text, size_t len)
{
    const char *blank = memchr(text, ' ', len);
    size_t from = blank ? (size_t)(blank + 1 - text) : len;
    if (memchr(text + from, ' ', len - from))
        return NULL;
    const char *address = long_address(r, text + from, len - from);
    const char *with = address ? substitute(r, REDACT_EMAIL, address) : NULL;
    if (!with)
        return NULL;
    redacted(r, REDACT_EMAIL, with);
    return arena_printf(r->arena, "%.*s %s", (int)(blank - text), text, with);
}

/* Appends the run with what is in it replaced; false: it stays. */
static bool redact_run(struct redactor *r, const char *run, size_t len, struct buf *out)
{
    uint8_t *data;
    size_t n;
    if (base64_decode(r->arena, run, len, &data, &n) < 0 || !is_plain_text((char *)data, n))
        return false;
    const char *text = arena_memdup(r->arena, data, n);
    const char *with = redact_event_id(r, text, n);
    if (!with)
        with = scan(r, text, n);
    if (!with)
        return false;
    bool standard = memchr(run, '+', len) || memchr(run, '/', len);
    if (standard)
        base64_add(out, with, strlen(with));
    else
        base64url_add(out, with, strlen(with), run[len - 1] == '=');
    return true;
}

static const char *scan_runs(struct redactor *r, const char *text, size_t len)
{
    struct buf out;
    bool changed = false;
    buf_init(&out, 0);
    if (is_whole_base64(text, len)) {
        changed = redact_run(r, text, len, &out);
        return take(r, &out, changed);
    }
    for (size_t i = 0; i < len;) {
        size_t from = i;
        while (i < len && is_run_char(text[i]))
            i++;
        size_t end = i;
        while (end < len && end < i + 2 && text[end] == '=')
            end++;
        if (i - from >= RUN_MIN && redact_run(r, text + from, end - from, &out)) {
            changed = true;
            i = end;
            continue;
        }
        if (i < len)
            i++;
        buf_add(&out, text + from, i - from);
    }
    return take(r, &out, changed);
}

const char *redact_in_text(struct redactor *r, const char *text, size_t len)
{
    if (len < 5 || !utf8_valid(text, len))
        return NULL;
    const char *with = scan(r, text, len);
    const char *now = with ? with : text;
    size_t now_len = with ? strlen(with) : len;
    if (now_len >= RUN_MIN) {
        const char *again = scan_runs(r, now, now_len);
        if (again)
            return again;
    }
    return with;
}
