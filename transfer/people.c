/* SPDX-License-Identifier: Apache-2.0 */
/* People as vCards (RFC 6350; 2.1 and 3.0 as programs still write them). */
#include "transfer/people.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/tz.h"
#include "services/mail/core/mime/mime.h"

int transfer_person_add(struct people_in *p, const struct person_in *who, size_t line)
{
    struct transfer_in *in = p->in;
    struct actor other;
    const char *email = who->email ? email_normal(in->tx->arena, who->email) : NULL;
    if (who->email && *who->email && !email)
        return transfer_fail(in, line,
                             "the address must be one such as ada@acme.example, not "
                             "\"%.80s\"",
                             who->email);
    int r = !email || map_get(&p->seen, email) ? 1 : actor_by_email(in->tx, email, &other);
    if (r < 0)
        return -1;
    if (r == 1) {
        in->done->n[TRANSFER_SKIPPED]++;
        return 0;
    }
    json_obj(in->w, NULL);
    json_str(in->w, "email", email);
    if (who->name && *who->name)
        json_str(in->w, "name", who->name);
    if (who->kind && *who->kind)
        json_str(in->w, "kind", who->kind);
    if (who->zone && tz_find(who->zone))
        json_str(in->w, "zone", who->zone);
    if (who->locale && *who->locale)
        json_str(in->w, "locale", who->locale);
    json_end(in->w);
    in->done->n[TRANSFER_PEOPLE]++;
    return map_set(&p->seen, email, p) < 0 ? sosia_fail_memory(in->tx->err) : 0;
}

/* ---- vCards ---- */

struct card {
    struct person_in who;
    const char *parts; /* N: family;given;... */
    bool open;
    size_t line;
};

/* A line with those that belong to it: folded, or broken softly in quoted-printable. *ret_next: the
 * line behind it. */
static char *whole_line(struct arena *a, const char *text, const char **ret_next)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *p = text;;) {
        size_t n = strcspn(p, "\n"), len = n;
        while (len && p[len - 1] == '\r')
            len--;
        buf_add(&b, p, len);
        p += n + (p[n] == '\n');
        *ret_next = p;
        if (*p == ' ' || *p == '\t') {
            p++;
        } else if (b.len && b.data[b.len - 1] == '=' && *p &&
                   memmem(b.data, b.len, "QUOTED-PRINTABLE", 16)) {
            b.len--;
        } else {
            break;
        }
    }
    char *line = arena_strdup(a, buf_str(&b));
    a->failed |= buf_failed(&b);
    buf_done(&b);
    return line;
}

/* A value without escapes; `;` stays one where parts are between them. */
static const char *plain(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++) {
        char c = *p;
        if (c == '\\' && p[1]) {
            c = *++p;
            c = c == 'n' || c == 'N' ? ' ' : c;
        }
        *to++ = (unsigned char)c < ' ' ? ' ' : c;
    }
    *to = 0;
    return text;
}

/* "Lovelace;Ada;;Dr.;": given and family name. */
static const char *name_of(struct arena *a, const char *parts)
{
    size_t family = strcspn(parts, ";");
    const char *given = parts[family] ? parts + family + 1 : "";
    size_t n = strcspn(given, ";");
    return plain(
        arena_printf(a, "%.*s%s%.*s", (int)n, given, n && family ? " " : "", (int)family, parts));
}

static void read_property(struct arena *a, char *line, struct card *c)
{
    char *value = line + strcspn(line, ":;"), *params = value;
    if (*value == ';') {
        value += strcspn(value, ":");
        *params++ = 0;
    }
    if (!*value)
        return;
    *value++ = 0;
    const char *dot = strchr(line, '.'), *name = dot ? dot + 1 : line; /* "item1.EMAIL" */
    if (params < value && strstr(params, "QUOTED-PRINTABLE")) {
        struct buf b;
        buf_init(&b, 0);
        mime_decode(MIME_QP, value, strlen(value), &b);
        value = buf_keep(&b, a);
        utf8_scrub(value);
    }
    if (str_eq_nocase(name, "FN") && !c->who.name)
        c->who.name = plain(value);
    else if (str_eq_nocase(name, "N") && !c->parts)
        c->parts = name_of(a, value);
    else if (str_eq_nocase(name, "EMAIL") && !c->who.email)
        c->who.email = plain(str_starts(value, "mailto:") ? value + 7 : value);
    else if (str_eq_nocase(name, "TZ") && !c->who.zone)
        c->who.zone = plain(value);
    else if (str_eq_nocase(name, "LANG") && !c->who.locale)
        c->who.locale = plain(value);
    else if (str_eq_nocase(name, "KIND") && str_eq_nocase(value, "location"))
        c->who.kind = "resource";
}

static int end_card(struct people_in *p, struct card *c)
{
    if (!c->who.name || !*c->who.name)
        c->who.name = c->parts;
    c->open = false;
    return transfer_person_add(p, &c->who, c->line);
}

static int read_line(struct people_in *p, struct transfer_in *in, struct arena *a, char *line,
                     size_t number, struct card *c)
{
    if (str_eq_nocase(line, "BEGIN:VCARD")) {
        if (c->open)
            return transfer_fail(in, number,
                                 "must end the card of line %zu with END:VCARD before "
                                 "another one begins",
                                 c->line);
        arena_reset(a);
        *c = (struct card){.open = true, .line = number};
        return 0;
    }
    if (!c->open)
        return *line ? transfer_fail(in, number, "must begin a card with BEGIN:VCARD, not \"%s\"",
                                     transfer_shown(in->tx->arena, line, strlen(line)))
                     : 0;
    if (str_eq_nocase(line, "END:VCARD"))
        return end_card(p, c);
    read_property(a, line, c);
    return 0;
}

int transfer_vcards(struct people_in *p, struct transfer_in *in)
{
    struct arena a, lines;
    struct card card = {.open = false};
    size_t number = 1;
    int rc = 0;
    arena_init(&a, 0);
    arena_init(&lines, 0);
    char *text = arena_memdup(&lines, in->data, in->len);
    if (arena_failed(&lines))
        rc = sosia_fail_memory(in->tx->err);
    else
        utf8_scrub(text);
    const char *at = rc == 0 && str_starts(text, "\xef\xbb\xbf") ? text + 3 : text;
    while (rc == 0 && *at) {
        const char *next;
        char *line = whole_line(card.open ? &a : &lines, at, &next);
        rc = read_line(p, in, &a, line, number, &card);
        number += transfer_line(at, (size_t)(next - at)) - 1;
        at = next;
        if (arena_failed(&a) || arena_failed(&lines))
            rc = sosia_fail_memory(in->tx->err);
    }
    if (rc == 0 && card.open)
        rc = transfer_fail(in, card.line, "must have an END:VCARD behind it, has none");
    arena_done(&a);
    arena_done(&lines);
    return rc;
}

int read_vcf(struct transfer_in *in)
{
    struct people_in p = {.in = in};
    json_arr(in->w, "people");
    int rc = transfer_vcards(&p, in);
    json_end(in->w);
    map_done(&p.seen);
    return rc;
}

/* ---- out ---- */

int transfer_people(struct transfer_out *out,
                    int (*fn)(struct transfer_out *out, const struct actor *who))
{
    struct actor who;
    const char *after = "";
    int r;
    while ((r = actor_next_person(out->tx, after, &who)) == 1) {
        after = who.handle;
        if (*who.email && fn(out, &who) < 0)
            return -1;
    }
    return r;
}

static void escape(struct buf *b, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\;,", *text))
            buf_byte(b, '\\');
        buf_byte(b, *text == '\n' ? ' ' : *text);
    }
}

static int write_card(struct transfer_out *out, const struct actor *who)
{
    struct buf *b = out->out;
    buf_puts(b, "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:");
    escape(b, who->name);
    buf_printf(b, "\r\nEMAIL:%s\r\n", who->email);
    if (strcmp(who->zone, "UTC") != 0)
        buf_printf(b, "TZ:%s\r\n", who->zone);
    buf_puts(b, "END:VCARD\r\n");
    return 0;
}

int write_vcf(struct transfer_out *out)
{
    return transfer_people(out, write_card);
}
