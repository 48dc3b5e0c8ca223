/* SPDX-License-Identifier: Apache-2.0 */
/* A mailbox as a file in the format mbox, with what it says of each message in fields in front of
 * the message's own: as archives of Gmail have them where there are labels, else as Unix has. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "transfer/mail.h"
#include <ctype.h>

#define PAGE 500

struct mail_going {
    struct transfer_out *out;
    struct mailbox mailbox;
    const struct mail_vendor *vendor;
    int64_t folder; /* 0: all */
};

/* ---- the line and the fields in front ---- */

static void add_line(struct mail_going *g, const struct mail_message *m)
{
    static const char days[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOct"
                                                                   "NovDec";
    struct civil c;
    int64_t day = m->at_s / SECONDS_PER_DAY - (m->at_s % SECONDS_PER_DAY < 0);
    civil_from_seconds(m->at_s, &c);
    buf_printf(g->out->out, "From %lld@xxx %.3s %.3s %02d %02d:%02d:%02d +0000 %04d\r\n",
               (long long)m->key, days + 3 * weekday_from_days(day), months + 3 * (c.month - 1),
               c.day, c.hour, c.minute, c.second, c.year);
}

/* A name between commas. */
static void add_name(struct buf *b, const char *name)
{
    bool quoted = strpbrk(name, ",\"") != NULL;
    buf_puts(b, b->len ? "," : "");
    buf_puts(b, quoted ? "\"" : "");
    buf_puts(b, name);
    buf_puts(b, quoted ? "\"" : "");
}

/* CATEGORY_PROMOTIONS is "Category Promotions". */
static void add_vendor_word(struct arena *a, struct buf *b, const char *word)
{
    char *text = arena_strdup(a, word);
    for (char *p = text; *p; p++)
        *p = *p == '_' ? ' ' : p == text || p[-1] == ' ' ? *p : (char)tolower((unsigned char)*p);
    add_name(b, text);
}

static int add_labels(struct mail_going *g, const struct mail_message *m)
{
    struct tx *tx = g->out->tx;
    int64_t *ids;
    size_t n;
    struct buf b;
    int rc = mail_message_folders(tx, m, &ids, &n);
    buf_init(&b, 0);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct mail_word *w = transfer_mail_words;
        struct mail_folder f;
        bool fixed = mail_folder_is_fixed(ids[i]);
        int r = mail_folder_get(tx, m->mailbox, ids[i], &f);
        rc = r < 0 ? -1 : 0;
        while (fixed && w->word && w->flag != FLAG(mail_folder_place(ids[i])))
            w++;
        if (r == 1 && fixed && w->word)
            add_name(&b, w->word);
        else if (r == 1 && fixed)
            add_vendor_word(tx->arena, &b, f.name);
        else if (r == 1)
            add_name(&b, f.name);
    }
    if (!(m->flags & FLAG(KEYWORD_UNSEEN)))
        add_name(&b, "Opened");
    buf_printf(g->out->out, "X-GM-THRID: %lld\r\nX-Gmail-Labels: %s\r\n", (long long)m->thread_key,
               mime_encode_words(tx->arena, buf_str(&b)));
    buf_done(&b);
    return rc;
}

static void add_status(struct mail_going *g, const struct mail_message *m)
{
    static const struct {
        uint32_t flag;
        char letter;
    } more[] = {{FLAG(KEYWORD_ANSWERED), 'A'},
                {FLAG(FOLDER_TRASH), 'D'},
                {FLAG(KEYWORD_FLAGGED), 'F'},
                {FLAG(KEYWORD_DRAFT), 'T'}};
    char text[SOSIA_LEN(more) + 1], *p = text;
    for (size_t i = 0; i < SOSIA_LEN(more); i++)
        if (m->flags & more[i].flag)
            *p++ = more[i].letter;
    *p = 0;
    buf_printf(g->out->out, "Status: %s\r\n", m->flags & FLAG(KEYWORD_UNSEEN) ? "O" : "RO");
    if (*text)
        buf_printf(g->out->out, "X-Status: %s\r\n", text);
}

/* ---- messages ---- */

/* Lines that would begin a message get a mark. */
static void add_content(struct buf *out, const char *data, size_t len)
{
    for (size_t at = 0; at < len;) {
        const char *end = memchr(data + at, '\n', len - at);
        size_t n = end ? (size_t)(end - data) + 1 - at : len - at, marks = 0;
        while (marks < n && data[at + marks] == '>')
            marks++;
        if (n - marks >= 5 && memcmp(data + at + marks, "From ", 5) == 0)
            buf_byte(out, '>');
        buf_add(out, data + at, n);
        at += n;
    }
    buf_puts(out, "\r\n"); /* an empty line, unless the message's last one does not end */
}

static int add_message(struct mail_going *g, int64_t id)
{
    struct tx *tx = g->out->tx;
    struct mail_message m;
    struct buf raw;
    int r = mail_message_by_id(tx, id, &m);
    if (r != 1)
        return r;
    add_line(g, &m);
    if (g->vendor->exclusive)
        add_status(g, &m);
    else if (add_labels(g, &m) < 0)
        return -1;
    buf_init(&raw, 0);
    r = mail_message_raw(tx, &m, &raw);
    if (r == 0)
        add_content(g->out->out, raw.len ? raw.data : "", raw.len);
    buf_done(&raw);
    return r;
}

/* The numbers of all, newest first. */
static int list_ids(struct mail_going *g, int64_t **ret, size_t *ret_n)
{
    struct tx *tx = g->out->tx;
    struct mail_list list = {.mailbox = g->mailbox.id,
                             .folders = &g->folder,
                             .n_folders = g->folder ? 1 : 0,
                             .limit = PAGE};
    struct mail_message *page;
    size_t n, cap = 0;
    bool more = true;
    *ret = NULL;
    *ret_n = 0;
    while (more) {
        if (mail_list(tx, &list, &page, &n, &more) < 0)
            return -1;
        for (size_t i = 0; i < n; i++) {
            *ret = arena_grow(tx->arena, *ret, *ret_n, &cap, sizeof **ret);
            if (arena_failed(tx->arena))
                return sosia_fail_memory(tx->err);
            (*ret)[(*ret_n)++] = list.before = page[i].id;
        }
        more = more && n;
    }
    return 0;
}

/* The label or folder that is named. */
static int find_folder(struct mail_going *g)
{
    const char *name = g->out->t->place;
    struct mail_folder f;
    if (!name)
        return 0;
    int r = mail_folder_by_name(g->out->tx, g->mailbox.id, 0, name, &f);
    g->folder = r == 1 ? f.id : 0;
    return r == 1  ? 0
           : r < 0 ? -1
                   : tx_fail(g->out->tx, SOSIA_E_INVALID, "transfer", "place",
                             "place must be a label or folder of the mailbox, not \"%.80s\"", name);
}

int write_mbox(struct transfer_out *out)
{
    struct transfer_in in = {.tx = out->tx, .t = out->t};
    struct mail_in who;
    int64_t *ids;
    size_t n;
    if (transfer_mail_begin(&in, &who) < 0)
        return -1;
    struct mail_going g = {.out = out, .mailbox = who.mailbox, .vendor = who.vendor};
    int rc = find_folder(&g) < 0 || list_ids(&g, &ids, &n) < 0 ? -1 : 0;
    while (rc == 0 && n) {
        struct arena *kept = out->tx->arena, own;
        arena_init(&own, 0);
        out->tx->arena = &own;
        rc = add_message(&g, ids[--n]);
        if (rc == 0 && arena_failed(&own))
            rc = sosia_fail_memory(out->tx->err);
        out->tx->arena = kept;
        arena_done(&own);
    }
    return rc;
}
