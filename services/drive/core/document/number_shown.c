/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as a format shows them. A code has sections for what is above, below and at 0; a section
 * is pieces: places of digits, parts of dates, literals. What a section has beyond them makes the
 * number show as it is.
 */
#include "services/drive/core/document/number_format.h"
#include "engine/base/codec.h"
#include "services/drive/core/document/number_format_impl.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PIECES = 256, PLACES = 30, SIGNIFICANT = 15, ROOM = sizeof((struct cell_scratch *)0)->text };

enum piece_kind {
    P_LITERAL,
    P_DIGIT, /* letter: 0, #, ? */
    P_POINT,
    P_COMMA, /* one that stands for nothing itself */
    P_PERCENT,
    P_POWER, /* letter: of the sign that is always shown, or '-' */
    P_GENERAL,
    P_DATE,    /* letter: y m d h s in lower case, n for minutes, a for AM/PM, f for a fraction */
    P_ELAPSED, /* letter: h, n, s */
};

struct piece {
    enum piece_kind kind;
    char letter;
    unsigned n;       /* letters, or bytes of the literal */
    const char *text; /* P_LITERAL, P_DATE of AM/PM */
};

struct section {
    struct piece pieces[PIECES];
    unsigned n;
    bool dates, strange; /* it has what is not there */
};

struct shown {
    char *text;
    size_t n;
};

static void put(struct shown *o, const char *text, size_t n)
{
    if (n > ROOM - 1 - o->n)
        n = ROOM - 1 - o->n;
    memcpy(o->text + o->n, text, n);
    o->n += n;
    o->text[o->n] = 0;
}

static void put_number(struct shown *o, long long number, unsigned digits)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%0*lld", (int)digits, number);
    put(o, text, (size_t)n);
}

/* ---- codes ---- */

static void add_piece(struct section *s, enum piece_kind kind, char letter, unsigned n,
                      const char *text)
{
    if (s->n == PIECES)
        s->strange = true;
    else
        s->pieces[s->n++] = (struct piece){kind, letter, n, text};
}

/* "[Red]" is passed over, "[$€-407]" is its sign, "[h]" are hours beyond a day. */
static void read_bracket(struct section *s, const char *p, size_t n)
{
    static const char *const colours[] = {"black",   "blue", "cyan",  "green",
                                          "magenta", "red",  "white", "yellow"};
    if (*p == '$') {
        const char *dash = memchr(p, '-', n);
        add_piece(s, P_LITERAL, 0, (unsigned)((dash ? (size_t)(dash - p) : n) - 1), p + 1);
        return;
    }
    const char letter = (char)(*p | 32);
    if ((n == 1 || (n == 2 && (p[1] | 32) == letter)) && strchr("hms", letter)) {
        s->dates = true;
        add_piece(s, P_ELAPSED, letter == 'm' ? 'n' : letter, (unsigned)n, NULL);
        return;
    }
    for (size_t i = 0; i < SOSIA_LEN(colours); i++)
        if (strlen(colours[i]) == n && strncasecmp(p, colours[i], n) == 0)
            return;
    s->strange = strncasecmp(p, "color", 5) != 0; /* a condition, digits of another script */
}

/* What begins with a letter; its end. */
static const char *read_letters(struct section *s, const char *p)
{
    const char letter = (char)(*p | 32);
    unsigned n = 1;
    if (strncasecmp(p, "General", 7) == 0) {
        add_piece(s, P_GENERAL, 0, 0, NULL);
        return p + 7;
    }
    if (strncasecmp(p, "AM/PM", 5) == 0 || strncasecmp(p, "A/P", 3) == 0) {
        n = p[1] == '/' ? 3 : 5;
        add_piece(s, P_DATE, 'a', n, p);
        s->dates = true;
        return p + n;
    }
    if (*p == 'E' && (p[1] == '+' || p[1] == '-')) {
        add_piece(s, P_POWER, p[1], 1, NULL);
        return p + 2;
    }
    if (!strchr("ymdhs", letter)) {
        s->strange = true;
        return p + 1;
    }
    while ((p[n] | 32) == letter)
        n++;
    add_piece(s, P_DATE, letter, n, NULL);
    s->dates = true;
    return p + n;
}

static const char *read_piece(struct section *s, const char *p)
{
    const char *next = format_step(p);
    if (!next) {
        s->strange = true;
        return p + strlen(p);
    }
    if (*p == '"')
        add_piece(s, P_LITERAL, 0, (unsigned)(next - p - 2), p + 1);
    else if (*p == '[')
        read_bracket(s, p + 1, (size_t)(next - p - 2));
    else if (*p == '\\')
        add_piece(s, P_LITERAL, 0, 1, p + 1);
    else if (*p == '_')
        add_piece(s, P_LITERAL, 0, 1, " ");
    else if (*p == '0' || *p == '#' || *p == '?')
        add_piece(s, P_DIGIT, *p, 1, NULL);
    else if (*p == '.')
        add_piece(s, P_POINT, 0, 1, p);
    else if (*p == ',')
        add_piece(s, P_COMMA, 0, 1, p);
    else if (*p == '%')
        add_piece(s, P_PERCENT, 0, 1, NULL);
    else if (*p == '@')
        add_piece(s, P_GENERAL, 0, 0, NULL);
    else if ((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z'))
        return read_letters(s, p);
    else if (*p != '*')
        add_piece(s, P_LITERAL, 0, 1, p);
    return next;
}

/* One of the sections of a code; *ret_n: how many there are. False: it has not so many. */
static bool read_section(const char *code, unsigned wanted, struct section *s, unsigned *ret_n)
{
    unsigned at = 0;
    s->n = 0;
    s->dates = s->strange = false;
    for (const char *p = code; p && *p;) {
        if (*p == ';') {
            at++;
            p++;
        } else {
            p = at == wanted ? read_piece(s, p) : format_step(p);
        }
    }
    *ret_n = at + 1;
    return wanted <= at;
}

/* ---- dates ---- */

/* Months beside hours or seconds are minutes, and digits behind a point a fraction of seconds.
 * The parts of a second that are shown; 0: it shows none. */
static unsigned settle_dates(struct section *s)
{
    unsigned parts = 1;
    char before = 0;
    for (unsigned i = 0; i < s->n; i++) {
        struct piece *p = &s->pieces[i];
        if (p->kind == P_POINT && before == 's' && i + 1 < s->n &&
            s->pieces[i + 1].kind == P_DIGIT) {
            unsigned digits = 0;
            for (; i + 1 < s->n && s->pieces[i + 1].kind == P_DIGIT; i++, digits++)
                s->pieces[i + 1] = (struct piece){P_LITERAL, 0, 0, ""};
            *p = (struct piece){P_DATE, 'f', digits, NULL};
            if (digits > 3)
                return 0;
            for (parts = 1; digits; digits--)
                parts *= 10;
        } else if (p->kind == P_POINT || p->kind == P_COMMA) {
            p->kind = P_LITERAL;
        } else if (p->kind == P_DATE || p->kind == P_ELAPSED) {
            unsigned next = i + 1;
            while (next < s->n && s->pieces[next].kind != P_DATE &&
                   s->pieces[next].kind != P_ELAPSED)
                next++;
            const char after = next < s->n ? s->pieces[next].letter : 0;
            if (p->kind == P_DATE && p->letter == 'm' && p->n < 3 &&
                (before == 'h' || after == 's'))
                p->letter = 'n';
            before = p->letter == 'a' ? before : p->letter;
        } else if (p->kind != P_LITERAL) {
            return 0;
        }
    }
    return parts;
}

static void put_date_part(struct shown *o, const struct piece *p, const struct format_day *d,
                          bool half_days)
{
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
    const long long hour = d->second / 3600;
    const unsigned two = p->n > 1 ? 2 : 1;
    switch (p->letter) {
    case 'y':
        put_number(o, p->n > 2 ? d->year : d->year % 100, p->n > 2 ? 4 : 2);
        break;
    case 'm':
        if (p->n < 3)
            put_number(o, d->month, two);
        else
            put(o, months[d->month - 1],
                p->n == 3   ? 3
                : p->n == 5 ? 1
                            : strlen(months[d->month - 1]));
        break;
    case 'd':
        if (p->n < 3)
            put_number(o, d->day, two);
        else
            put(o, days[d->weekday], p->n == 3 ? 3 : strlen(days[d->weekday]));
        break;
    case 'h':
        put_number(o, half_days ? (hour + 11) % 12 + 1 : hour, two);
        break;
    case 'n':
        put_number(o, d->second / 60 % 60, two);
        break;
    case 's':
        put_number(o, d->second % 60, two);
        break;
    case 'f':
        put(o, ".", 1);
        put_number(o, d->part, p->n);
        break;
    default:
        put(o, p->text + (hour < 12 ? 0 : p->n == 3 ? 2 : 3), p->n == 3 ? 1 : 2);
    }
}

static bool put_date(struct shown *o, struct section *s, double serial)
{
    const unsigned parts = settle_dates(s);
    struct format_day d;
    bool half_days = false;
    if (!parts || !format_date(serial, parts, &d))
        return false;
    for (unsigned i = 0; i < s->n; i++)
        half_days |= s->pieces[i].kind == P_DATE && s->pieces[i].letter == 'a';
    for (unsigned i = 0; i < s->n; i++) {
        const struct piece *p = &s->pieces[i];
        if (p->kind == P_LITERAL)
            put(o, p->text, p->n);
        else if (p->kind == P_ELAPSED)
            put_number(o, d.total / (p->letter == 'h' ? 3600 : p->letter == 'n' ? 60 : 1), p->n);
        else
            put_date_part(o, p, &d, half_days);
    }
    return true;
}

/* ---- digits ---- */

/* The places of a section: those before the point, behind it, and of the power. */
struct places {
    unsigned whole, part, power;
    unsigned first; /* the piece of the first one before the point */
    bool digits, point, groups, scientific, general;
    int scale; /* powers of ten that the number is multiplied with */
};

static bool find_places(struct section *s, struct places *ret)
{
    unsigned last = s->n; /* the last place before the point */
    *ret = (struct places){.first = s->n};
    for (unsigned i = 0; i < s->n; i++) {
        struct piece *p = &s->pieces[i];
        if (p->kind == P_DIGIT) {
            ret->digits = true;
            if (ret->scientific)
                ret->power++;
            else if (ret->point)
                ret->part++;
            else {
                ret->first = ret->whole++ ? ret->first : i;
                last = i;
            }
        } else if (p->kind == P_POINT) {
            if (ret->point || ret->scientific)
                return false;
            ret->point = true;
        } else if (p->kind == P_POWER) {
            if (ret->scientific)
                return false;
            ret->scientific = true;
        } else if (p->kind == P_PERCENT) {
            ret->scale += 2;
        } else if (p->kind == P_GENERAL) {
            ret->general = true;
        } else if (p->kind == P_LITERAL && p->n == 1 && *p->text == '/' && i &&
                   s->pieces[i - 1].kind == P_DIGIT) {
            return false; /* a fraction */
        }
    }
    for (unsigned i = 0; i < s->n; i++) {
        if (s->pieces[i].kind != P_COMMA)
            continue;
        if (i > ret->first && last < s->n && i < last)
            ret->groups = true;
        else if (last < s->n && i > last && s->pieces[i - 1].kind != P_LITERAL)
            ret->scale -= 3;
    }
    return ret->part <= PLACES && !(ret->general && ret->digits) &&
           !(ret->scientific && (ret->whole != 1 || !ret->power));
}

/* The digit of one place before the point, or all that are left for the first one; n: how many
 * digits there are. */
static void put_whole(struct shown *o, const char *digits, unsigned n, unsigned place,
                      const struct places *at, char letter)
{
    const bool first = place + 1 == at->whole;
    for (unsigned i = first && n > place ? n : place + 1; i > place; i--) {
        if (i > n && letter == '#')
            continue;
        put(o, i <= n ? digits + n - i : letter == '0' ? "0" : " ", 1);
        if (at->groups && i > 1 && (i - 1) % 3 == 0)
            put(o, i <= n || letter == '0' ? "," : " ", 1);
    }
}

/* Rounds digits to the first n of them, halves up, and puts 0 for the others; the first one of all
 * is a 0. */
static void round_digits(char *digits, int all, int n)
{
    bool up = n >= 0 && n < all && digits[n] >= '5';
    for (int i = n < 0 ? 0 : n; i < all; i++)
        digits[i] = '0';
    for (int i = n; up && i--;) {
        up = digits[i] == '9';
        digits[i] = up ? '0' : (char)(digits[i] + 1);
    }
}

/* "1234.50" apart: its digits before the point (none where they are 0), those behind, the power.
 * Those that the number has beyond SIGNIFICANT ones are 0, as spreadsheets show them; so is noise
 * such as that of the half of a decimal number, which may be a little less in binary. */
static bool split_number(double x, const struct places *at, char *text, const char **ret_whole,
                         unsigned *ret_n, const char **ret_part, int *ret_power)
{
    char digits[SIGNIFICANT + 16]; /* "0d" and all others, "d.d...e+04" before */
    if (!(x < 1e21))
        return false;
    snprintf(digits, sizeof digits, "%.*e", SIGNIFICANT - 1, x);
    const int part = (int)at->part;
    int power = atoi(digits + SIGNIFICANT + 2);
    digits[1] = digits[0];
    digits[0] = '0';
    int before = at->scientific ? 2 : power + 2, begin = 0;
    round_digits(digits, SIGNIFICANT + 1, before + part);
    if (at->scientific) {
        begin = digits[0] == '0';
        power += !begin;
        before = 1;
    }
    const int whole = before > 0 ? before : 0;
    begin += before - whole; /* below 0: zeros behind the point */
    for (int i = 0; i < whole + part; i++, begin++)
        text[i] = begin < 0 || begin > SIGNIFICANT ? '0' : digits[begin];
    text[whole + part] = 0;
    *ret_power = at->scientific ? power : 0;
    *ret_part = text + whole;
    *ret_n = (unsigned)whole;
    *ret_whole = text;
    while (*ret_n && **ret_whole == '0') {
        ++*ret_whole;
        --*ret_n;
    }
    return true;
}

/* Digits behind the point: a # at the end shows no 0. */
static void put_part(struct shown *o, const struct section *s, unsigned at, const char *part)
{
    const char letter = s->pieces[at].letter;
    if (*part != '0' || letter == '0' || strspn(part, "0") < strlen(part))
        put(o, part, 1);
    else if (letter == '?')
        put(o, " ", 1);
}

static void put_power(struct shown *o, const struct piece *p, int power, unsigned digits)
{
    put(o, "E", 1);
    if (power < 0 || p->letter == '+')
        put(o, power < 0 ? "-" : "+", 1);
    put_number(o, abs(power), digits);
}

static bool put_digits(struct shown *o, struct section *s, double x, const char *general)
{
    struct places at;
    const char *whole, *part;
    char text[128];
    unsigned n, place;
    int power;
    if (!find_places(s, &at) ||
        !split_number(x * pow(10, at.scale), &at, text, &whole, &n, &part, &power))
        return false;
    place = at.whole;
    bool behind = false;
    for (unsigned i = 0; i < s->n; i++) {
        const struct piece *p = &s->pieces[i];
        if (p->kind == P_LITERAL) {
            put(o, p->text, p->n);
        } else if (p->kind == P_PERCENT) {
            put(o, "%", 1);
        } else if (p->kind == P_GENERAL) {
            put(o, general, strlen(general));
        } else if (p->kind == P_POINT) {
            if (!at.whole)
                put(o, whole, n);
            put(o, ".", 1);
            behind = true;
        } else if (p->kind == P_POWER) {
            put_power(o, p, power, at.power);
            behind = true;
            part = NULL;
        } else if (p->kind == P_DIGIT && !behind) {
            put_whole(o, whole, n, --place, &at, p->letter);
        } else if (p->kind == P_DIGIT && part && *part) {
            put_part(o, s, i, part++);
        }
    }
    return true;
}

/* ---- all ---- */

/* Does a number show as 0 by the section that it would get? */
static bool shows_zero(struct section *s, double x)
{
    struct places at;
    const char *whole, *part;
    char text[128];
    unsigned n;
    int power;
    return !s->dates && find_places(s, &at) && at.digits && !at.scientific &&
           split_number(x * pow(10, at.scale), &at, text, &whole, &n, &part, &power) && !n &&
           strspn(part, "0") == strlen(part);
}

const char *number_shown(const char *number, const char *format, struct cell_scratch *scratch)
{
    struct section s;
    struct shown o = {.text = scratch->text};
    unsigned sections;
    double x;
    scratch->text[0] = 0;
    if (number_format_general(format))
        return number;
    if (parse_double(number, strlen(number), &x) < 0 || !read_section(format, 0, &s, &sections))
        return number;
    bool minus = x < 0;
    if (minus && sections > 1) {
        read_section(format, 1, &s, &sections);
        minus = false;
    } else if (x == 0 && sections > 2) {
        read_section(format, 2, &s, &sections);
    }
    const char *general = *number == '-' ? number + 1 : number;
    if (s.strange || (s.dates && x < 0))
        return number;
    if (s.dates)
        return put_date(&o, &s, x) ? scratch->text : number;
    if (minus && !shows_zero(&s, -x))
        put(&o, "-", 1);
    return put_digits(&o, &s, fabs(x), general) ? scratch->text : number;
}

const char *cell_shown(const struct sheet_cell *c, struct cell_scratch *scratch)
{
    switch (c->kind) {
    case CELL_EMPTY:
        return "";
    case CELL_BOOL:
        return c->truth ? "TRUE" : "FALSE";
    case CELL_NUMBER:
        return number_shown(c->text, c->format, scratch);
    default:
        return c->text;
    }
}
