/* SPDX-License-Identifier: Apache-2.0 */
/* People as a table (RFC 4180), with the names of columns that address books and consoles of
 * administrators write. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "transfer/people.h"

enum column { EMAIL, NAME, GIVEN, FAMILY, ZONE, LOCALE, KIND, N_COLUMNS };
#define CELLS 400 /* of a row; further ones are passed over */

static const struct {
    const char *name;
    enum column column;
} names[] = {
    {"email", EMAIL},
    {"e-mail", EMAIL},
    {"email address", EMAIL},
    {"e-mail address", EMAIL},
    {"primary email", EMAIL},
    {"e-mail 1 - value", EMAIL},
    {"mail", EMAIL},
    {"userprincipalname", EMAIL},
    {"user principal name", EMAIL},
    {"name", NAME},
    {"full name", NAME},
    {"display name", NAME},
    {"displayname", NAME},
    {"first name", GIVEN},
    {"given name", GIVEN},
    {"last name", FAMILY},
    {"family name", FAMILY},
    {"surname", FAMILY},
    {"zone", ZONE},
    {"time zone", ZONE},
    {"timezone", ZONE},
    {"locale", LOCALE},
    {"language", LOCALE},
    {"kind", KIND},
};

struct table {
    struct transfer_in *in;
    struct people_in people;
    const char *at;
    size_t line;
    char separator;
    int column[N_COLUMNS]; /* the place of the first one of its name; -1: there is none */
    char *cells[CELLS];
    size_t n;
};

/* A cell in its place: without its quotes. 0, -1. */
static int read_cell(struct table *t, struct arena *a)
{
    struct buf b;
    const size_t line = t->line;
    bool quoted = *t->at == '"';
    buf_init(&b, 0);
    t->at += quoted;
    while (*t->at && (quoted || (*t->at != t->separator && *t->at != '\n'))) {
        if (quoted && *t->at == '"') {
            if (t->at[1] != '"') {
                quoted = false;
                t->at++;
                continue;
            }
            t->at++;
        }
        t->line += *t->at == '\n';
        buf_byte(&b, *t->at++);
    }
    while (b.len && (b.data[b.len - 1] == '\r' || b.data[b.len - 1] == ' '))
        b.len--;
    if (t->n < CELLS)
        t->cells[t->n++] = arena_strdup(a, buf_str(&b));
    a->failed |= buf_failed(&b);
    buf_done(&b);
    return quoted ? transfer_fail(t->in, line,
                                  "must have a quotation mark at the end of the cell "
                                  "that begins there, has none")
                  : 0;
}

static int read_row(struct table *t, struct arena *a)
{
    t->n = 0;
    while (*t->at) {
        if (read_cell(t, a) < 0)
            return -1;
        if (*t->at == t->separator) {
            t->at++;
            continue;
        }
        if (*t->at == '\n') {
            t->at++;
            t->line++;
        }
        break;
    }
    return arena_failed(a) ? sosia_fail_memory(t->in->tx->err) : 0;
}

/* "Email Address [Required]" is the column "Email Address". */
static void read_names(struct table *t)
{
    for (int i = 0; i < N_COLUMNS; i++)
        t->column[i] = -1;
    for (size_t i = 0; i < t->n; i++) {
        char *bracket = strstr(t->cells[i], " [");
        if (bracket)
            *bracket = 0;
        for (size_t k = 0; k < SOSIA_LEN(names); k++)
            if (str_eq_nocase(t->cells[i], names[k].name) && t->column[names[k].column] < 0)
                t->column[names[k].column] = (int)i;
    }
}

static const char *cell(const struct table *t, enum column c)
{
    return t->column[c] >= 0 && (size_t)t->column[c] < t->n ? t->cells[t->column[c]] : NULL;
}

static int take_row(struct table *t, struct arena *a, size_t line)
{
    const char *given = cell(t, GIVEN), *family = cell(t, FAMILY);
    struct person_in who = {.email = cell(t, EMAIL),
                            .name = cell(t, NAME),
                            .zone = cell(t, ZONE),
                            .locale = cell(t, LOCALE),
                            .kind = cell(t, KIND)};
    if (t->n == 1 && !*t->cells[0]) /* an empty line */
        return 0;
    given = given ? given : "";
    family = family ? family : "";
    if (!who.name || !*who.name)
        who.name = arena_printf(a, "%s%s%s", given, *given && *family ? " " : "", family);
    return transfer_person_add(&t->people, &who, line);
}

/* What stands between the cells of the first row: the one of these that is there most. */
static char separator_of(const char *text)
{
    static const char those[] = ",;\t";
    size_t most = 0;
    char best = ',';
    for (size_t i = 0; those[i]; i++) {
        size_t n = 0;
        for (const char *p = text; *p && *p != '\n'; p++)
            n += *p == those[i];
        if (n > most) {
            most = n;
            best = those[i];
        }
    }
    return best;
}

static int read_table(struct table *t, struct arena *a)
{
    if (read_row(t, a) < 0)
        return -1;
    read_names(t);
    if (t->column[EMAIL] < 0)
        return transfer_fail(t->in, 1,
                             "must have a column of addresses, \"email\", among those "
                             "that its first row names, has \"%.40s\"%s",
                             t->n ? t->cells[0] : "", t->n > 1 ? " and others" : "");
    while (*t->at) {
        size_t line = t->line;
        arena_reset(a);
        if (read_row(t, a) < 0 || take_row(t, a, line) < 0)
            return -1;
    }
    return 0;
}

int read_csv(struct transfer_in *in)
{
    struct table t = {.in = in, .people = {.in = in}, .line = 1};
    struct arena a, text;
    arena_init(&a, 0);
    arena_init(&text, 0);
    char *all = arena_memdup(&text, in->data, in->len);
    int rc = arena_failed(&text) ? sosia_fail_memory(in->tx->err) : 0;
    if (rc == 0) {
        utf8_scrub(all);
        t.at = str_starts(all, "\xef\xbb\xbf") ? all + 3 : all;
        t.separator = separator_of(t.at);
        json_arr(in->w, "people");
        rc = read_table(&t, &a);
        json_end(in->w);
    }
    map_done(&t.people.seen);
    arena_done(&a);
    arena_done(&text);
    return rc;
}

/* ---- out ---- */

static void add_cell(struct buf *b, const char *text, char behind)
{
    if (strpbrk(text, ",\"\r\n")) {
        buf_byte(b, '"');
        for (; *text; text++) {
            if (*text == '"')
                buf_byte(b, '"');
            buf_byte(b, *text);
        }
        buf_byte(b, '"');
    } else {
        buf_puts(b, text);
    }
    if (behind == '\n')
        buf_byte(b, '\r');
    buf_byte(b, behind);
}

static int write_row(struct transfer_out *out, const struct actor *who)
{
    const char *cells[] = {who->email, who->name, who->zone, who->kind};
    for (size_t i = 0; i < SOSIA_LEN(cells); i++)
        add_cell(out->out, cells[i], i + 1 < SOSIA_LEN(cells) ? ',' : '\n');
    return 0;
}

int write_csv(struct transfer_out *out)
{
    buf_puts(out->out, "email,name,zone,kind\r\n");
    return transfer_people(out, write_row);
}
