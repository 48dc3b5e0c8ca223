/* SPDX-License-Identifier: Apache-2.0 */
/* Files of mail as other programs keep them: mbox (RFC 4155, with ">From " taken back), Maildir,
 * messages one by one. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/workspace/core/workspace.h"
#include "transfer/mail.h"
#include <stdlib.h>

/* ---- the line before a message ---- */

#define FROM       "From "
#define FROM_WORDS 24

struct word {
    const char *text;
    size_t n;
};

static int word_place(const struct word *w, const char *words)
{
    for (int i = 0; w->n == 3 && words[3 * i]; i++)
        if (strncmp(words + 3 * (size_t)i, w->text, 3) == 0)
            return i;
    return -1;
}

static bool word_number(const struct word *w, int64_t low, int64_t high, int *ret)
{
    int64_t v;
    if (parse_i64(w->text, w->n, &v) < 0 || v < low || v > high)
        return false;
    *ret = (int)v;
    return true;
}

/* "07:26" or "07:26:40". */
static bool word_clock(const struct word *w, struct civil *ret)
{
    struct word part = {w->text, 2};
    return (w->n == 5 || (w->n == 8 && w->text[5] == ':')) && w->text[2] == ':' &&
           word_number(&part, 0, 23, &ret->hour) && (part.text += 3, true) &&
           word_number(&part, 0, 59, &ret->minute) &&
           (w->n == 5 || ((part.text += 3, true) && word_number(&part, 0, 60, &ret->second)));
}

/* "+0100": seconds. */
static bool word_offset(const struct word *w, int *ret)
{
    struct word hours = {w->text + 1, 2}, minutes = {w->text + 3, 2};
    int h, m;
    if (w->n != 5 || (*w->text != '+' && *w->text != '-') || !word_number(&hours, 0, 23, &h) ||
        !word_number(&minutes, 0, 59, &m))
        return false;
    *ret = (*w->text == '-' ? -1 : 1) * (h * 3600 + m * 60);
    return true;
}

/* "Thu Mar 12 07:26:40 2026", with an offset or a zone's letters before or behind the year. */
static bool read_date(const struct word *w, size_t n, int64_t *ret_s)
{
    struct civil c = {.second = 0};
    int offset = 0;
    if (n < 5 || word_place(&w[0], "SunMonTueWedThuFriSat") < 0 ||
        (c.month = word_place(&w[1], "JanFebMarAprMayJunJulAugSepOctNovDec") + 1) < 1 ||
        !word_number(&w[2], 1, 31, &c.day) || !word_clock(&w[3], &c))
        return false;
    for (size_t i = 4; i < n && i < 6; i++)
        if (!word_offset(&w[i], &offset) && !c.year)
            word_number(&w[i], 1970, 9999, &c.year);
    if (!c.year)
        return false;
    c.second = c.second > 59 ? 59 : c.second;
    *ret_s = civil_to_seconds(&c) - offset;
    return true;
}

/* Whether a line begins a message: a sender and a date behind "From ". */
static bool is_from(const char *line, size_t len, struct mail_place_in *ret)
{
    struct word words[FROM_WORDS];
    const char *end = memchr(line, '\n', len);
    size_t n = 0, at = sizeof FROM - 1, stop = end ? (size_t)(end - line) : len;
    if (len < at || memcmp(line, FROM, at) != 0)
        return false;
    while (at < stop && n < FROM_WORDS) {
        size_t size = 0;
        while (at + size < stop && line[at + size] != ' ' && line[at + size] != '\r')
            size++;
        if (size)
            words[n++] = (struct word){line + at, size};
        at += size + 1;
    }
    for (size_t i = 0; i < n; i++) {
        if (!read_date(&words[i], n - i, &ret->at_s))
            continue;
        const char *host = memchr(words[0].text, '@', words[0].n);
        if (host && parse_i64(words[0].text, (size_t)(host - words[0].text), &ret->key) < 0)
            ret->key = 0; /* archives of Gmail have the message's number there */
        return true;
    }
    return false;
}

/* ---- what the head says of the message's place ---- */

/* Fields that are of the file, and not of the message. */
static const char *const kept_fields[] = {
    "X-Gmail-Labels",   "X-GM-THRID",        "Status",     "X-Status",
    "X-Mozilla-Status", "X-Mozilla-Status2", "X-Keywords", "X-UID"};

/* Names between commas, in quotes where they have some. */
static void read_labels(struct mail_in *m, struct arena *a, const char *text,
                        struct mail_place_in *at)
{
    for (const char *p = text; *p;) {
        char *name = arena_alloc(a, strlen(p) + 1), *to = name;
        bool quoted = false;
        for (; *p && (quoted || *p != ','); p++) {
            if (*p == '"')
                quoted = !quoted;
            else if (to != name || *p != ' ')
                *to++ = *p;
        }
        while (to > name && to[-1] == ' ')
            to--;
        *to = 0;
        p += *p == ',';
        if (*name)
            transfer_mail_label(m, at, name);
    }
    at->placed = true;
}

static void read_status(struct arena *a, const char *head, size_t len, struct mail_place_in *at)
{
    const char *status = mime_header(a, head, len, "Status"),
               *more = mime_header(a, head, len, "X-Status"),
               *bits = mime_header(a, head, len, "X-Mozilla-Status");
    unsigned long set = bits ? strtoul(bits, NULL, 16) : 0;
    bool seen = bits ? set & 1 : status && strchr(status, 'R');
    at->flags |= seen ? 0 : FLAG(KEYWORD_UNSEEN);
    more = more ? more : "";
    if (set & 2 || strchr(more, 'A'))
        at->flags |= FLAG(KEYWORD_ANSWERED);
    if (set & 4 || strchr(more, 'F'))
        at->flags |= FLAG(KEYWORD_FLAGGED);
    if (strchr(more, 'D') || strchr(more, 'T')) {
        at->flags |= FLAG(strchr(more, 'D') ? FOLDER_TRASH : FOLDER_DRAFTS);
        at->placed = true;
    }
}

/* Without the fields that are of the file. */
static void strip(struct arena *a, const char **raw, size_t *len)
{
    for (size_t i = 0; i < SOSIA_LEN(kept_fields); i++) {
        struct mime_field f;
        struct buf b;
        size_t head = mime_head_len(*raw, *len);
        if (!mime_field_find(*raw, head, kept_fields[i], 0, &f))
            continue;
        buf_init(&b, 0);
        mime_head_set(&b, *raw, head, kept_fields[i], NULL);
        buf_add(&b, *raw + head, *len - head);
        *len = b.len;
        *raw = arena_memdup(a, b.len ? b.data : "", b.len);
        a->failed |= buf_failed(&b);
        buf_done(&b);
    }
}

static int64_t number_of(const char *text)
{
    int64_t v;
    return text && parse_i64(text, strlen(text), &v) == 0 && v > 0 ? v : 0;
}

/* ---- mbox ---- */

/* Lines end as in mail, and those that begin with ">From " as they did before they were put into
 * the file. */
static const char *as_mail(struct arena *a, const char *data, size_t len, bool quoted,
                           size_t *ret_len)
{
    bool crlf = memmem(data, len, "\r\n", 2) != NULL;
    struct buf b;
    buf_init(&b, 0);
    for (size_t at = 0; at < len;) {
        const char *end = memchr(data + at, '\n', len - at);
        size_t n = end ? (size_t)(end - data) - at : len - at, marks = 0;
        while (marks < n && data[at + marks] == '>')
            marks++;
        if (quoted && marks && n - marks >= sizeof FROM - 1 &&
            memcmp(data + at + marks, FROM, sizeof FROM - 1) == 0)
            buf_add(&b, data + at + 1, n - 1);
        else
            buf_add(&b, data + at, n);
        if (end)
            buf_puts(&b, crlf ? "\n" : "\r\n");
        at += n + 1;
    }
    const char *text = arena_memdup(a, b.len ? b.data : "", b.len);
    *ret_len = b.len;
    a->failed |= buf_failed(&b);
    buf_done(&b);
    return text;
}

/* Some programs keep a note of their own in front. */
static bool is_note(struct arena *a, const char *raw, size_t head)
{
    const char *subject = mime_header(a, raw, head, "Subject");
    return subject && strstr(subject, "FOLDER INTERNAL DATA");
}

static int take_message(struct mail_in *m, struct mail_place_in *at, const char *data, size_t len)
{
    struct arena a;
    arena_init(&a, 0);
    const char *raw = as_mail(&a, data, len, true, &len);
    size_t head = mime_head_len(raw, len);
    const char *labels = mime_header(&a, raw, head, "X-Gmail-Labels");
    bool note = is_note(&a, raw, head);
    at->thread = number_of(mime_header(&a, raw, head, "X-GM-THRID"));
    if (labels)
        read_labels(m, &a, labels, at);
    else
        read_status(&a, raw, head, at);
    strip(&a, &raw, &len);
    int rc = arena_failed(&a) ? sosia_fail_memory(m->in->tx->err)
             : note           ? 0
                              : transfer_mail_message(m, at, raw, len);
    if (note)
        m->in->done->n[TRANSFER_SKIPPED]++;
    arena_done(&a);
    return rc;
}

/* Where the message that begins at a place ends: the next line that begins one, or the end. */
static size_t end_of(const char *data, size_t len, size_t at)
{
    struct mail_place_in next;
    for (size_t p = at; p < len;) {
        const char *found = memmem(data + p, len - p, "\n" FROM, sizeof FROM);
        if (!found)
            break;
        size_t line = (size_t)(found - data) + 1;
        if (is_from(data + line, len - line, &next))
            return line;
        p = line;
    }
    return len;
}

/* The empty line behind a message is the file's; where there is none, so is the end of the line: of
 * a message that has none at its end. */
static size_t without_gap(const char *data, size_t at, size_t end)
{
    size_t n = end - at;
    const char *p = data + at;
    if (n && p[n - 1] == '\n')
        n--;
    return n && p[n - 1] == '\r' ? n - 1 : n;
}

int transfer_mbox(struct mail_in *m, struct transfer_in *in)
{
    const char *data = in->data;
    size_t at = 0, len = in->len;
    while (at < len) {
        struct mail_place_in place = {.at_s = INT64_MIN};
        if (!is_from(data + at, len - at, &place))
            return transfer_fail(in, transfer_line(data, at),
                                 "must begin a message with a line \"From SENDER DATE\", not "
                                 "\"%s\"",
                                 transfer_shown(in->tx->arena, data + at, len - at));
        const char *line_end = memchr(data + at, '\n', len - at);
        size_t begin = line_end ? (size_t)(line_end - data) + 1 : len,
               end = end_of(data, len, begin);
        if (take_message(m, &place, data + begin, without_gap(data, begin, end)) < 0)
            return -1;
        at = end;
    }
    return 0;
}

/* ---- a mailbox of the document ---- */

static int with_mailbox(struct transfer_in *in,
                        int (*fn)(struct mail_in *m, struct transfer_in *in))
{
    struct mail_in m;
    if (transfer_mail_begin(in, &m) < 0)
        return -1;
    json_arr(in->w, "mailboxes");
    json_obj(in->w, NULL);
    json_str(in->w, "person", in->t->person);
    json_str_opt(in->w, "vendor", in->t->vendor);
    json_arr(in->w, "messages");
    int rc = fn(&m, in);
    json_end(in->w);
    transfer_mail_end(&m);
    json_end(in->w);
    json_end(in->w);
    return rc;
}

int read_mbox(struct transfer_in *in)
{
    return with_mailbox(in, transfer_mbox);
}

/* ---- messages one by one ---- */

/* Whether it begins with a field: a name without spaces, and a colon. */
static bool has_field(const char *data, size_t len)
{
    size_t n = 0;
    while (n < len && data[n] > ' ' && data[n] < 127 && data[n] != ':')
        n++;
    return n && n < len && data[n] == ':';
}

static int take_letter(struct mail_in *m, struct transfer_in *in, struct mail_place_in *at,
                       const char *data, size_t len)
{
    struct arena a;
    if (len >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        data += 3;
        len -= 3;
    }
    if (!has_field(data, len))
        return transfer_fail(in, 1, "must begin with a field such as \"From: ...\", not \"%s\"",
                             transfer_shown(in->tx->arena, data, len));
    arena_init(&a, 0);
    const char *raw = as_mail(&a, data, len, false, &len),
               *unsent = mime_header(&a, raw, mime_head_len(raw, len), "X-Unsent");
    if (unsent && strcmp(unsent, "1") == 0 && !at->placed) {
        at->flags |= FLAG(FOLDER_DRAFTS);
        at->placed = true;
    }
    int rc =
        arena_failed(&a) ? sosia_fail_memory(in->tx->err) : transfer_mail_message(m, at, raw, len);
    arena_done(&a);
    return rc;
}

static int take_eml(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    struct mail_place_in at = {.at_s = INT64_MIN};
    if (!transfer_ends(e->path, ".eml")) {
        in->done->n[TRANSFER_SKIPPED]++;
        return 0;
    }
    const char *name = in->name;
    in->name = e->path;
    int rc = take_letter(arg, in, &at, e->data, e->len);
    in->name = name;
    return rc;
}

static int take_letters(struct mail_in *m, struct transfer_in *in)
{
    struct mail_place_in at = {.at_s = INT64_MIN};
    if (!transfer_is_archive(in->data, in->len))
        return take_letter(m, in, &at, in->data, in->len);
    if (transfer_unpack(in, "") < 0)
        return -1;
    in->done->n[TRANSFER_FILES] = in->done->n[TRANSFER_FOLDERS] = in->done->n[TRANSFER_LINKS] = 0;
    if (transfer_each(in, NULL, take_eml, m) < 0)
        return -1;
    return in->done->n[TRANSFER_MESSAGES]
               ? 0
               : transfer_fail(in, 0, "must have files that end in .eml, has none");
}

int read_eml(struct transfer_in *in)
{
    return with_mailbox(in, take_letters);
}

/* ---- Maildir ---- */

struct maildir {
    struct mail_in *m;
    const char *root; /* the directory whose cur and new are the inbox */
};

/* The directory of a mailbox that a path's last but one part is "cur" or "new" of; NULL: none. */
static const char *box_of(struct arena *a, const char *path, bool *ret_new)
{
    const char *dir = workspace_parent(a, path), *name = workspace_name(dir);
    *ret_new = strcmp(name, "new") == 0;
    return *ret_new || strcmp(name, "cur") == 0 ? workspace_parent(a, dir) : NULL;
}

/* The shortest of all directories that have mail. 1, 0, -1. */
static int find_root(struct transfer_in *in, const char **ret)
{
    struct workspace_node n;
    const char *after = NULL, *best = NULL;
    int r;
    while ((r = workspace_walk(in->tx, "", after, &n)) == 1) {
        const char *name = workspace_name(n.path);
        after = n.path;
        if (n.kind != NODE_DIRECTORY || (strcmp(name, "cur") != 0 && strcmp(name, "new") != 0))
            continue;
        const char *dir = workspace_parent(in->tx->arena, n.path);
        if (!best || strlen(dir) < strlen(best))
            best = dir;
    }
    *ret = best;
    return r < 0 ? -1 : best != NULL;
}

/* A part of a folder's name in IMAP's form of UTF-7 (RFC 3501, 5.1.3). */
static void add_utf7(struct buf *b, const char *text)
{
    while (*text) {
        if (*text != '&') {
            buf_byte(b, *text++);
            continue;
        }
        uint32_t bits = 0, high = 0;
        int n = 0;
        if (*++text == '-')
            buf_byte(b, '&');
        for (; *text && *text != '-'; text++) {
            static const char digits[] =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";
            const char *digit = strchr(digits, *text);
            char out[4];
            if (!digit)
                break;
            bits = bits << 6 | (uint32_t)(digit - digits);
            if ((n += 6) < 16)
                continue;
            n -= 16;
            uint32_t unit = bits >> n & 0xffff;
            if ((unit & 0xfc00) == 0xd800) {
                high = unit;
                continue;
            }
            if ((unit & 0xfc00) == 0xdc00)
                unit = high ? 0x10000 + ((high & 0x3ff) << 10 | (unit & 0x3ff)) : 0xfffd;
            high = 0;
            buf_add(b, out, (size_t)(utf8_put(out, unit) - out));
        }
        text += *text == '-';
    }
}

/* "" is the inbox; ".Work.Plans" and "Work/Plans" are Work/Plans. */
static const char *folder_name(struct arena *a, const char *root, const char *dir)
{
    const char *rest = dir + strlen(root);
    struct buf b;
    while (*rest == '/')
        rest++;
    bool dotted = *rest == '.';
    char *name = arena_strdup(a, rest + dotted);
    for (char *p = name; dotted && *p; p++)
        *p = *p == '.' ? '/' : *p;
    buf_init(&b, 0);
    add_utf7(&b, name);
    name = buf_keep(&b, a);
    utf8_scrub(name);
    return name;
}

/* What follows ":2," in a file's name; on disks that can't have a colon another character is in its
 * place. */
static const char *info_of(const char *name)
{
    const char *comma = strrchr(name, ',');
    return comma && comma - name >= 2 && comma[-1] == '2' && strchr(":;!-_", comma[-2]) ? comma + 1
                                                                                        : "";
}

static int take_maildir(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    const struct maildir *d = arg;
    struct mail_place_in at = {.at_s = INT64_MIN, .placed = true};
    struct arena a;
    bool fresh;
    arena_init(&a, 0);
    const char *dir = box_of(&a, e->path, &fresh), *name = workspace_name(e->path),
               *info = info_of(name), *folder = dir ? folder_name(&a, d->root, dir) : NULL,
               *was = in->name;
    int rc = 0;
    if (!dir || !e->len) {
        in->done->n[TRANSFER_SKIPPED]++;
    } else {
        if (*folder)
            transfer_mail_label(d->m, &at, folder);
        else
            at.flags |= FLAG(strchr(info, 'D') ? FOLDER_DRAFTS : FOLDER_INBOX);
        at.flags |= fresh || !strchr(info, 'S') ? FLAG(KEYWORD_UNSEEN) : 0;
        at.flags |= strchr(info, 'F') ? FLAG(KEYWORD_FLAGGED) : 0;
        at.flags |= strchr(info, 'R') ? FLAG(KEYWORD_ANSWERED) : 0;
        at.flags |= strchr(info, 'P') ? FLAG(KEYWORD_FORWARDED) : 0;
        at.flags |= strchr(info, 'T') ? FLAG(FOLDER_TRASH) : 0;
        size_t n = strspn(name, "0123456789");
        if (name[n] == '.' && (parse_i64(name, n, &at.at_s) < 0 || at.at_s > UINT32_MAX))
            at.at_s = INT64_MIN;
        in->name = e->path;
        rc = take_letter(d->m, in, &at, e->data, e->len);
        in->name = was;
    }
    arena_done(&a);
    return rc;
}

static int take_boxes(struct mail_in *m, struct transfer_in *in)
{
    struct maildir d = {.m = m};
    if (transfer_unpack(in, "") < 0)
        return -1;
    in->done->n[TRANSFER_FILES] = in->done->n[TRANSFER_FOLDERS] = in->done->n[TRANSFER_LINKS] = 0;
    int r = find_root(in, &d.root);
    if (r == 0)
        return transfer_fail(in, 0,
                             "must have a directory \"cur\" or \"new\", as a Maildir does, "
                             "has none");
    return r < 0 ? -1 : transfer_each(in, NULL, take_maildir, &d);
}

int read_maildir(struct transfer_in *in)
{
    return with_mailbox(in, take_boxes);
}
