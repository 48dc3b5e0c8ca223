/* SPDX-License-Identifier: Apache-2.0 */
/* What the codes of a font are: letters and widths. */
#include "engine/pdf/font.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of glyphs ---- */

static const char ascii_names[] =
    "space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright "
    "asterisk plus comma hyphen period slash zero one two three four five six seven eight nine "
    "colon "
    "semicolon less equal greater question at ";
static const char latin_names[] =
    "exclamdown cent sterling currency yen brokenbar section dieresis copyright ordfeminine "
    "guillemotleft logicalnot softhyphen registered macron degree plusminus twosuperior "
    "threesuperior "
    "acute mu paragraph periodcentered cedilla onesuperior ordmasculine guillemotright onequarter "
    "onehalf threequarters questiondown Agrave Aacute Acircumflex Atilde Adieresis Aring AE "
    "Ccedilla "
    "Egrave Eacute Ecircumflex Edieresis Igrave Iacute Icircumflex Idieresis Eth Ntilde Ograve "
    "Oacute "
    "Ocircumflex Otilde Odieresis multiply Oslash Ugrave Uacute Ucircumflex Udieresis Yacute Thorn "
    "germandbls agrave aacute acircumflex atilde adieresis aring ae ccedilla egrave eacute "
    "ecircumflex "
    "edieresis igrave iacute icircumflex idieresis eth ntilde ograve oacute ocircumflex otilde "
    "odieresis divide oslash ugrave uacute ucircumflex udieresis yacute thorn ydieresis ";
static const struct {
    const char *name;
    uint32_t code;
} others[] = {{"bracketleft", '['},
              {"backslash", '\\'},
              {"bracketright", ']'},
              {"asciicircum", '^'},
              {"underscore", '_'},
              {"grave", '`'},
              {"braceleft", '{'},
              {"bar", '|'},
              {"braceright", '}'},
              {"asciitilde", '~'},
              {"quoteleft", 0x2018},
              {"quoteright", 0x2019},
              {"quotedblleft", 0x201C},
              {"quotedblright", 0x201D},
              {"quotesinglbase", 0x201A},
              {"quotedblbase", 0x201E},
              {"endash", 0x2013},
              {"emdash", 0x2014},
              {"bullet", 0x2022},
              {"ellipsis", 0x2026},
              {"ff", 0xFB00},
              {"fi", 0xFB01},
              {"fl", 0xFB02},
              {"ffi", 0xFB03},
              {"ffl", 0xFB04},
              {"Euro", 0x20AC},
              {"trademark", 0x2122},
              {"dagger", 0x2020},
              {"daggerdbl", 0x2021},
              {"perthousand", 0x2030},
              {"florin", 0x192},
              {"guilsinglleft", 0x2039},
              {"guilsinglright", 0x203A},
              {"OE", 0x152},
              {"oe", 0x153},
              {"Scaron", 0x160},
              {"scaron", 0x161},
              {"Zcaron", 0x17D},
              {"zcaron", 0x17E},
              {"Ydieresis", 0x178},
              {"minus", 0x2212},
              {"fraction", 0x2044},
              {"dotlessi", 0x131},
              {"nbspace", 0xA0},
              {"Lslash", 0x141},
              {"lslash", 0x142}};

/* The place of a name in a list. -1: it is not there. */
static int place_in(const char *list, const char *name, size_t n)
{
    for (int i = 0; *list; i++) {
        size_t len = strcspn(list, " ");
        if (len == n && memcmp(list, name, n) == 0)
            return i;
        list += len + 1;
    }
    return -1;
}

/* 0: it is not known. */
static uint32_t glyph(const char *name)
{
    size_t n = strcspn(name, ".");
    unsigned code;
    int at;
    if (n == 1)
        return (unsigned char)name[0];
    if ((at = place_in(ascii_names, name, n)) >= 0)
        return (uint32_t)(0x20 + at);
    if ((at = place_in(latin_names, name, n)) >= 0)
        return (uint32_t)(0xA1 + at);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].name) == n && memcmp(others[i].name, name, n) == 0)
            return others[i].code;
    return strncmp(name, "uni", 3) == 0 && sscanf(name + 3, "%4X", &code) == 1 ? code : 0;
}

/* ---- maps of codes ---- */

static void add_mapped(struct pdf *p, struct pdf_font *f, const struct pdf_value *from,
                       const struct pdf_value *to, const struct pdf_value *text)
{
    uint32_t low = 0, high = 0;
    if (from->type != PDF_STRING || to->type != PDF_STRING || from->len > 4 ||
        f->n_map == PDF_ITEMS)
        return;
    for (size_t i = 0; i < from->len; i++)
        low = low << 8 | (uint8_t)from->str[i];
    for (size_t i = 0; i < to->len && i < 4; i++)
        high = high << 8 | (uint8_t)to->str[i];
    if (f->n_map == f->room_map) {
        size_t room = f->room_map ? f->room_map * 2 : 64;
        struct pdf_mapped *more = arena_alloc(p->arena, room * sizeof *more);
        if (!more) {
            p->failed = true;
            return;
        }
        if (f->n_map)
            memcpy(more, f->map, f->n_map * sizeof *more);
        f->map = more;
        f->room_map = room;
    }
    f->map[f->n_map++] = (struct pdf_mapped){low, high, text};
}

static bool is_word(const struct pdf_value *v, const char *word)
{
    return v->type == PDF_WORD && strcmp(v->str, word) == 0;
}

static int by_low(const void *pa, const void *pb)
{
    const struct pdf_mapped *a = pa, *b = pb;
    return (a->low > b->low) - (a->low < b->low);
}

static void read_map(struct pdf *p, struct pdf_font *f, const struct pdf_value *stream)
{
    size_t len;
    const char *text = pdf_stream(p, stream, &len);
    struct pdf_lexer l = {.pdf = p, .data = text, .len = len};
    struct pdf_value *v, *a, *b;
    int in = 0; /* values that belong together; 0: outside of a list */
    while ((v = pdf_next(&l, false, 0)) != NULL) {
        if (v->type == PDF_WORD) {
            in = is_word(v, "beginbfchar")           ? 2
                 : is_word(v, "beginbfrange")        ? 3
                 : is_word(v, "begincodespacerange") ? 1
                                                     : 0;
            continue;
        }
        if (!in || !(a = pdf_next(&l, false, 0)))
            continue;
        if (in == 1 && v->type == PDF_STRING && !f->bytes)
            f->bytes = v->len == 1 ? 1 : 2;
        if (in == 2)
            add_mapped(p, f, v, v, a);
        if (in == 3 && (b = pdf_next(&l, false, 0)) != NULL)
            add_mapped(p, f, v, a, b);
    }
    if (f->n_map)
        qsort(f->map, f->n_map, sizeof *f->map, by_low);
}

/* ---- widths ---- */

/* Of Helvetica, from the space on, in thousandths: near enough for others that say nothing. */
static const uint16_t helvetica[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

static void usual_widths(struct pdf_font *f, const struct pdf_value *base)
{
    const bool fixed = base->type == PDF_NAME && strstr(base->str, "Courier");
    for (int i = 0; i < 256; i++) {
        unsigned at = (unsigned)(i - 0x20);
        f->widths[i] = fixed                                       ? 600
                       : at < sizeof helvetica / sizeof *helvetica ? helvetica[at]
                                                                   : 556;
    }
}

static void read_widths(struct pdf *p, struct pdf_font *f, const struct pdf_value *font)
{
    const struct pdf_value *list = pdf_get(p, font, "Widths");
    const double first = pdf_number(pdf_get(p, font, "FirstChar"), 0);
    const double missing =
        pdf_number(pdf_get(p, pdf_get(p, font, "FontDescriptor"), "MissingWidth"), 0);
    usual_widths(f, pdf_get(p, font, "BaseFont"));
    if (list->type != PDF_ARRAY)
        return;
    for (int i = 0; i < 256; i++) {
        double at = i - first;
        f->widths[i] = at >= 0 && at < (double)list->n
                           ? pdf_number(pdf_resolve(p, list->items[(size_t)at]), missing)
                           : missing;
    }
}

static int widths_by_low(const void *pa, const void *pb)
{
    const struct pdf_widths *a = pa, *b = pb;
    return (a->low > b->low) - (a->low < b->low);
}

/* "c [w w ...]" and "from to w". */
static void read_wide(struct pdf *p, struct pdf_font *f, const struct pdf_value *list)
{
    const size_t n = list->type == PDF_ARRAY ? list->n : 0;
    if (!n || (p->values += n) > PDF_VALUES ||
        !(f->list = arena_alloc(p->arena, (n / 2 + 1) * sizeof *f->list))) {
        p->too_much = p->too_much || n;
        return;
    }
    for (size_t i = 0; i + 1 < n;) {
        const double low = pdf_number(pdf_resolve(p, list->items[i]), -1);
        const struct pdf_value *next = pdf_resolve(p, list->items[i + 1]);
        const bool many = next->type == PDF_ARRAY;
        const double high = many ? low + (double)next->n - 1 : pdf_number(next, -1);
        if (low >= 0 && low <= 0xFFFF && high >= low && (many || i + 2 < n))
            f->list[f->n_list++] =
                (struct pdf_widths){(uint32_t)low, (uint32_t)(high < 0xFFFF ? high : 0xFFFF),
                                    many ? next : list->items[i + 2]};
        i += many ? 2 : 3;
    }
    if (f->n_list)
        qsort(f->list, f->n_list, sizeof *f->list, widths_by_low);
}

/* ---- fonts ---- */

static const uint16_t high[32] = {0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                  0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD,
                                  0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                  0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

static void read_encoding(struct pdf *p, struct pdf_font *f, const struct pdf_value *font)
{
    const struct pdf_value *how = pdf_get(p, font, "Encoding"),
                           *list = pdf_get(p, how, "Differences");
    double code = 0;
    if (list->type == PDF_ARRAY && !pdf_spend(p, list->n))
        return;
    for (unsigned i = 0; i < 256; i++)
        f->letters[i] = i >= 0x80 && i < 0xA0 ? high[i - 0x80] : i;
    for (size_t i = 0; list->type == PDF_ARRAY && i < list->n; i++) {
        const struct pdf_value *v = pdf_resolve(p, list->items[i]);
        if (v->type == PDF_NUMBER)
            code = v->number;
        if (v->type != PDF_NAME)
            continue;
        if (!pdf_spend(p, 128))
            return;
        uint32_t letter = glyph(v->str);
        if (code >= 0 && code < 256 && letter)
            f->letters[(size_t)code] = letter;
        code++;
    }
}

const struct pdf_font *pdf_font(struct pdf *p, const struct pdf_value *font)
{
    size_t looked = 0;
    for (struct pdf_font *f = p->fonts; f; f = f->next, looked++)
        if (f->of == font)
            return pdf_spend(p, looked / 8) ? f : NULL;
    if (!pdf_spend(p, looked / 8 + 64))
        return NULL;
    struct pdf_font *f = arena_calloc(p->arena, 1, sizeof *f);
    if (!f) {
        p->failed = true;
        return NULL;
    }
    *f = (struct pdf_font){.next = p->fonts, .of = font};
    p->fonts = f;
    f->wide = pdf_is(pdf_get(p, font, "Subtype"), "Type0");
    const struct pdf_value *map = pdf_get(p, font, "ToUnicode");
    if (map->stream)
        read_map(p, f, map);
    f->bytes = f->wide ? 2 : 1;
    if (f->wide) {
        const struct pdf_value *below = pdf_get(p, font, "DescendantFonts");
        if (below->type == PDF_ARRAY && below->n)
            below = pdf_resolve(p, below->items[0]);
        read_wide(p, f, pdf_get(p, below, "W"));
        f->usual = pdf_number(pdf_get(p, below, "DW"), 1000);
    } else {
        read_encoding(p, f, font);
        read_widths(p, f, font);
    }
    return f;
}

/* Of a code of two bytes. */
static double listed_width(struct pdf *p, const struct pdf_font *f, uint32_t code)
{
    size_t from = 0, to = f->n_list;
    while (from < to) {
        size_t at = from + (to - from) / 2;
        if (f->list[at].low <= code)
            from = at + 1;
        else
            to = at;
    }
    if (!from || code > f->list[from - 1].high)
        return f->usual;
    const struct pdf_widths *w = &f->list[from - 1];
    return pdf_number(
        pdf_resolve(p, w->width->type == PDF_ARRAY ? w->width->items[code - w->low] : w->width),
        f->usual);
}

double pdf_width(struct pdf *p, const struct pdf_font *f, uint32_t code)
{
    return (f->wide ? listed_width(p, f, code) : f->widths[code & 255]) / 1000;
}

/* What a map says: a text in UTF-16, of which the last letter goes on with the codes. */
static void put_mapped(const struct pdf_mapped *m, uint32_t code, struct buf *out)
{
    const struct pdf_value *text = m->text;
    uint32_t add = code - m->low;
    if (text->type == PDF_ARRAY) {
        text = add < text->n ? text->items[add] : text;
        add = 0;
    }
    if (text->type != PDF_STRING)
        return;
    for (size_t i = 0; i + 1 < text->len && i < PDF_MAPPED; i += 2) {
        uint32_t c = (uint32_t)((uint8_t)text->str[i] << 8 | (uint8_t)text->str[i + 1]);
        if (c >= 0xD800 && c < 0xDC00 && i + 3 < text->len) {
            i += 2;
            c = 0x10000 + ((c - 0xD800) << 10) +
                ((uint32_t)((uint8_t)text->str[i] << 8 | (uint8_t)text->str[i + 1]) - 0xDC00);
        }
        if (i + 3 >= text->len)
            c += add;
        if (c)
            pdf_put_unicode(out, c);
    }
}

void pdf_put_code(struct pdf *p, const struct pdf_font *f, uint32_t code, struct buf *out)
{
    size_t from = 0, to = f->n_map;
    while (from < to) {
        size_t at = from + (to - from) / 2;
        if (f->map[at].low <= code)
            from = at + 1;
        else
            to = at;
    }
    if (from && code <= f->map[from - 1].high)
        put_mapped(&f->map[from - 1], code, out);
    else if (!f->wide && f->letters[code & 255] >= 0x20)
        pdf_put_unicode(out, f->letters[code & 255]);
}
