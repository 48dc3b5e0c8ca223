/* SPDX-License-Identifier: Apache-2.0 */
/* Values, objects and pages of a PDF file. */
#include "engine/pdf/pdf_impl.h"
#include <stdlib.h>
#include <string.h>

static const struct pdf_value nothing = {.type = PDF_NULL};

static struct arena *arena_of(const struct pdf_lexer *l)
{
    return l->arena ? l->arena : l->pdf->arena;
}

static struct pdf_value *value_new(struct pdf_lexer *l, enum pdf_type type)
{
    struct pdf_value *v = arena_calloc(arena_of(l), 1, sizeof *v);
    if (v)
        v->type = type;
    else
        l->pdf->failed = true;
    return v;
}

/* ---- letters ---- */

static bool is_space(int c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0;
}

static bool is_mark(int c)
{
    return c && strchr("()<>[]{}/%", c) != NULL;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static int hex_of(int c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static int peek(const struct pdf_lexer *l)
{
    return l->at < l->len ? (unsigned char)l->data[l->at] : -1;
}

static void skip_space(struct pdf_lexer *l)
{
    for (int c; (c = peek(l)) >= 0;) {
        if (c == '%')
            while ((c = peek(l)) >= 0 && c != '\n' && c != '\r')
                l->at++;
        else if (is_space(c))
            l->at++;
        else
            return;
    }
}

/* ---- values ---- */

static struct pdf_value *text_value(struct pdf_lexer *l, enum pdf_type type, struct buf *b)
{
    struct pdf_value *v = value_new(l, type);
    if (v) {
        v->len = b->len;
        v->str = arena_memdup(arena_of(l), buf_str(b), b->len + 1);
        if (!v->str) {
            v->str = "";
            v->len = 0;
        }
    }
    return v;
}

static void put_escape(struct pdf_lexer *l, struct buf *b)
{
    static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
    int c = peek(l);
    const char *at = c > 0 ? strchr(from, c) : NULL;
    l->at += c >= 0;
    if (at && *at) {
        buf_byte(b, to[at - from]);
    } else if (c >= '0' && c <= '7') {
        int code = c - '0';
        for (int i = 0; i < 2 && (c = peek(l)) >= '0' && c <= '7'; i++, l->at++)
            code = code * 8 + c - '0';
        buf_byte(b, (char)code);
    } else if (c == '\r') {
        l->at += peek(l) == '\n';
    } else if (c >= 0 && c != '\n') {
        buf_byte(b, (char)c);
    }
}

static struct pdf_value *read_string(struct pdf_lexer *l)
{
    struct buf b;
    int deep = 1;
    buf_init(&b, 0);
    for (l->at++; l->at < l->len;) {
        char c = l->data[l->at++];
        if (c == '\\') {
            put_escape(l, &b);
            continue;
        }
        deep += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (!deep)
            break;
        buf_byte(&b, c);
    }
    struct pdf_value *v = text_value(l, PDF_STRING, &b);
    buf_done(&b);
    return v;
}

static struct pdf_value *read_hex(struct pdf_lexer *l)
{
    struct buf b;
    int high = -1, c;
    buf_init(&b, 0);
    for (l->at++; (c = peek(l)) >= 0 && c != '>'; l->at++) {
        int digit = hex_of(c);
        if (digit < 0)
            continue;
        if (high >= 0)
            buf_byte(&b, (char)(high << 4 | digit));
        high = high >= 0 ? -1 : digit;
    }
    l->at += c == '>';
    if (high >= 0)
        buf_byte(&b, (char)(high << 4));
    struct pdf_value *v = text_value(l, PDF_STRING, &b);
    buf_done(&b);
    return v;
}

static struct pdf_value *read_name(struct pdf_lexer *l)
{
    struct buf b;
    int c;
    buf_init(&b, 0);
    for (l->at++; (c = peek(l)) >= 0 && !is_space(c) && !is_mark(c); l->at++) {
        int high = c == '#' && l->at + 2 < l->len ? hex_of(l->data[l->at + 1]) : -1;
        int low = high >= 0 ? hex_of(l->data[l->at + 2]) : -1;
        if (low > 0 || (low == 0 && high > 0)) {
            c = high << 4 | low;
            l->at += 2;
        }
        buf_byte(&b, (char)c);
    }
    struct pdf_value *v = text_value(l, PDF_NAME, &b);
    buf_done(&b);
    return v;
}

static struct pdf_value *read_number(struct pdf_lexer *l)
{
    struct pdf_value *v = value_new(l, PDF_NUMBER);
    double n = 0, scale = 1, sign = 1;
    bool fraction = false;
    int c;
    for (; (c = peek(l)) == '+' || c == '-'; l->at++)
        sign = c == '-' ? -1 : sign;
    for (; (c = peek(l)) >= 0 && (is_digit(c) || c == '.' || c == '-'); l->at++) {
        if (c == '.')
            fraction = true;
        else if (c != '-' && fraction)
            n += (c - '0') * (scale /= 10);
        else if (c != '-' && n < 1e15)
            n = n * 10 + (c - '0');
    }
    if (v)
        v->number = sign * n;
    return v;
}

/* Behind a whole number: " G R", which makes it a reference. */
static bool is_reference(struct pdf_lexer *l)
{
    size_t at = l->at, digits = 0;
    while (at < l->len && is_space((unsigned char)l->data[at]))
        at++;
    for (; at < l->len && is_digit((unsigned char)l->data[at]) && digits < 6; at++)
        digits++;
    if (!digits || at >= l->len || !is_space((unsigned char)l->data[at]))
        return false;
    while (at < l->len && is_space((unsigned char)l->data[at]))
        at++;
    if (at >= l->len || l->data[at] != 'R' ||
        (at + 1 < l->len && !is_space((unsigned char)l->data[at + 1]) &&
         !is_mark((unsigned char)l->data[at + 1])))
        return false;
    l->at = at + 1;
    return true;
}

static struct pdf_value *read_list(struct pdf_lexer *l, enum pdf_type type, bool refs, int depth)
{
    struct pdf_value *v = value_new(l, type);
    size_t room = 0;
    l->at += type == PDF_DICT ? 2 : 1;
    while (v) {
        skip_space(l);
        int c = peek(l);
        if (c < 0 || c == (type == PDF_DICT ? '>' : ']'))
            break;
        struct pdf_value *item = pdf_next(l, refs, depth + 1);
        if (!item || v->n == PDF_ITEMS)
            break;
        if (v->n == room) {
            room = room ? room * 2 : 8;
            struct pdf_value **more = arena_alloc(arena_of(l), room * sizeof *more);
            if (!more) {
                l->pdf->failed = true;
                break;
            }
            if (v->n)
                memcpy(more, v->items, v->n * sizeof *more);
            v->items = more;
        }
        v->items[v->n++] = item;
    }
    l->at += peek(l) >= 0;
    l->at += type == PDF_DICT && peek(l) == '>';
    return v;
}

static struct pdf_value *read_word(struct pdf_lexer *l)
{
    size_t from = l->at;
    int c;
    while ((c = peek(l)) >= 0 && !is_space(c) && !is_mark(c))
        l->at++;
    if (l->at == from) /* a mark by itself */
        l->at++;
    struct pdf_value *v = value_new(l, PDF_WORD);
    if (!v)
        return NULL;
    v->len = l->at - from;
    char *text = arena_alloc(arena_of(l), v->len + 1);
    if (text) {
        memcpy(text, l->data + from, v->len);
        text[v->len] = 0;
    }
    v->str = text ? text : "";
    v->len = text ? v->len : 0;
    if (strcmp(v->str, "true") == 0 || strcmp(v->str, "false") == 0) {
        v->type = PDF_BOOL;
        v->number = v->str[0] == 't';
    } else if (strcmp(v->str, "null") == 0) {
        v->type = PDF_NULL;
    }
    return v;
}

struct pdf_value *pdf_next(struct pdf_lexer *l, bool refs, int depth)
{
    skip_space(l);
    int c = peek(l);
    if (c < 0 || depth > PDF_DEPTH || l->pdf->failed)
        return NULL;
    if (l->arena ? ++l->made > PDF_OPERANDS : ++l->pdf->values > PDF_VALUES) {
        l->pdf->too_much = true;
        return NULL;
    }
    if (c == '(')
        return read_string(l);
    if (c == '<' && l->at + 1 < l->len && l->data[l->at + 1] == '<')
        return read_list(l, PDF_DICT, refs, depth);
    if (c == '<')
        return read_hex(l);
    if (c == '[')
        return read_list(l, PDF_ARRAY, refs, depth);
    if (c == '/')
        return read_name(l);
    if (is_digit(c) || c == '+' || c == '-' || c == '.') {
        struct pdf_value *v = read_number(l);
        if (v && refs && is_digit(c) && is_reference(l))
            v->type = PDF_REF;
        return v;
    }
    return read_word(l);
}

struct pdf_value *pdf_member(const struct pdf_value *dict, const char *name)
{
    for (size_t i = 0; dict && dict->type == PDF_DICT && i + 1 < dict->n; i += 2)
        if (dict->items[i]->type == PDF_NAME && strcmp(dict->items[i]->str, name) == 0)
            return dict->items[i + 1];
    return NULL;
}

bool pdf_is(const struct pdf_value *v, const char *name)
{
    return v->type == PDF_NAME && strcmp(v->str, name) == 0;
}

double pdf_number(const struct pdf_value *v, double usual)
{
    return v->type == PDF_NUMBER ? v->number : usual;
}

/* ---- objects ---- */

/* Behind a dictionary: "stream", and its bytes, whose length is where "endstream" is, if it is not
 * as the dictionary says. */
static void find_stream(struct pdf *p, struct pdf_lexer *l, struct pdf_value *v)
{
    skip_space(l);
    if (l->len - l->at < 6 || memcmp(l->data + l->at, "stream", 6) != 0)
        return;
    if (!(v->stream = arena_calloc(p->arena, 1, sizeof *v->stream))) {
        p->failed = true;
        return;
    }
    size_t at = l->at + 6;
    at += at < l->len && l->data[at] == '\r';
    at += at < l->len && l->data[at] == '\n';
    const struct pdf_value *said = pdf_member(v, "Length");
    double n = said && said->type == PDF_NUMBER ? said->number : -1;
    if (n >= 0 && n <= (double)(l->len - at)) {
        size_t end = at + (size_t)n, behind = end;
        while (behind < l->len && behind < end + 4 && is_space((unsigned char)l->data[behind]))
            behind++;
        if (l->len - behind >= 9 && memcmp(l->data + behind, "endstream", 9) == 0) {
            *v->stream = (struct pdf_bytes){.at = at, .len = end - at};
            l->at = behind + 9;
            return;
        }
    }
    const char *end = memmem(l->data + at, l->len - at, "endstream", 9);
    size_t len = end ? (size_t)(end - l->data) - at : l->len - at;
    l->at = at + len + (end ? 9 : 0);
    if (len && l->data[at + len - 1] == '\n')
        len--;
    if (len && l->data[at + len - 1] == '\r')
        len--;
    *v->stream = (struct pdf_bytes){.at = at, .len = len};
}

static struct pdf_object *object(struct pdf *p, double number)
{
    return number >= 0 && number < (double)p->n_objects ? &p->objects[(size_t)number] : NULL;
}

/* An object that does not end is read to the file's end, and there may be many of them. */
static bool is_too_much(struct pdf *p, size_t bytes)
{
    p->work += bytes;
    return p->work > p->len * 8 + ((size_t)16 << 20);
}

static struct pdf_value *read_object(struct pdf *p, struct pdf_object *o)
{
    if (is_too_much(p, 0))
        return NULL;
    struct pdf_lexer l = {.pdf = p,
                          .data = o->text ? o->text : p->data,
                          .len = o->text ? o->len : p->len,
                          .at = o->at};
    struct pdf_value *v = pdf_next(&l, true, 0);
    if (v && v->type == PDF_DICT && !o->text)
        find_stream(p, &l, v);
    is_too_much(p, l.at - o->at);
    return v;
}

const struct pdf_value *pdf_resolve(struct pdf *p, const struct pdf_value *v)
{
    for (int hops = 0; v && v->type == PDF_REF; hops++) {
        struct pdf_object *o = object(p, v->number);
        if (!o || (!o->at && !o->text) || o->reading || hops == PDF_DEPTH)
            return &nothing;
        if (!o->value) {
            o->reading = true;
            o->value = read_object(p, o);
            o->reading = false;
        }
        v = o->value;
    }
    return v ? v : &nothing;
}

bool pdf_spend(struct pdf *p, size_t steps)
{
    if (p->steps > p->most_steps || steps > p->most_steps - p->steps) {
        p->steps = p->most_steps + 1;
        p->too_much = true;
        return false;
    }
    p->steps += steps;
    return true;
}

const struct pdf_value *pdf_get(struct pdf *p, const struct pdf_value *dict, const char *name)
{
    /* Some dictionaries have many members, and are asked often. */
    if (dict && dict->type == PDF_DICT && !pdf_spend(p, dict->n / 2))
        return &nothing;
    return pdf_resolve(p, pdf_member(dict, name));
}

/* ---- looking through the file ---- */

static bool room_for(struct pdf *p, size_t number)
{
    if (number < p->n_objects)
        return true;
    if (number >= PDF_OBJECTS || number > (p->len + p->decoded) / 4 + 64)
        return false;
    size_t n = p->n_objects ? p->n_objects : 64;
    while (n <= number)
        n *= 2;
    struct pdf_object *more = arena_calloc(p->arena, n, sizeof *more);
    if (!more) {
        p->failed = true;
        return false;
    }
    if (p->n_objects)
        memcpy(more, p->objects, p->n_objects * sizeof *more);
    p->objects = more;
    p->n_objects = n;
    return true;
}

/* The number N of "N G obj", of which `at` is where "obj" begins. -1: there is none. */
static long number_before(const char *data, size_t at)
{
    size_t k = at;
    while (k && is_space((unsigned char)data[k - 1]))
        k--;
    size_t generation = k;
    while (k && is_digit((unsigned char)data[k - 1]) && generation - k < 6)
        k--;
    if (k == generation || !k || !is_space((unsigned char)data[k - 1]))
        return -1;
    while (k && is_space((unsigned char)data[k - 1]))
        k--;
    size_t end = k;
    long n = 0, scale = 1;
    while (k && is_digit((unsigned char)data[k - 1]) && end - k < 8) {
        n += scale * (data[k - 1] - '0');
        scale *= 10;
        k--;
    }
    return k == end ? -1 : n;
}

static void take_trailer(struct pdf *p, const struct pdf_value *v)
{
    const struct pdf_value *root = pdf_member(v, "Root"), *about = pdf_member(v, "Info"),
                           *encrypt = pdf_member(v, "Encrypt");
    if (root)
        p->root = root;
    if (about)
        p->about = about;
    if (encrypt)
        p->encrypt = encrypt;
}

/* Objects that are in a stream: their numbers and places, then they. */
static void take_objects(struct pdf *p, const struct pdf_value *dict)
{
    size_t len;
    const double n = pdf_number(pdf_get(p, dict, "N"), 0),
                 first = pdf_number(pdf_get(p, dict, "First"), 0);
    const char *text = pdf_stream(p, dict, &len);
    struct pdf_lexer l = {.pdf = p, .data = text, .len = len};
    for (double i = 0; i < n && first < (double)len; i++) {
        const struct pdf_value *number = pdf_next(&l, false, 0), *at = pdf_next(&l, false, 0);
        if (!number || !at || number->type != PDF_NUMBER || at->type != PDF_NUMBER)
            return;
        const double from = first + at->number;
        if (number->number < 0 || from < 0 || from >= (double)len ||
            !room_for(p, (size_t)number->number))
            continue;
        p->objects[(size_t)number->number] =
            (struct pdf_object){.text = text, .len = len, .at = (size_t)from};
    }
}

/* An object at a place; gives where it ends. */
static size_t take_object(struct pdf *p, long number, size_t at)
{
    struct pdf_lexer l = {.pdf = p, .data = p->data, .len = p->len, .at = at};
    if (is_too_much(p, 0) || !room_for(p, (size_t)number))
        return at;
    struct pdf_value *v = pdf_next(&l, true, 0);
    if (v && v->type == PDF_DICT)
        find_stream(p, &l, v);
    is_too_much(p, l.at - at);
    p->objects[number] = (struct pdf_object){.at = at, .value = v};
    if (v && v->stream) {
        const struct pdf_value *type = pdf_member(v, "Type");
        if (type && pdf_is(type, "XRef"))
            take_trailer(p, v);
        else if (type && pdf_is(type, "ObjStm"))
            take_objects(p, v);
        return l.at;
    }
    return at;
}

static void look_through(struct pdf *p)
{
    for (size_t at = 0; at + 3 <= p->len && !p->failed;) {
        const char *next = memchr(p->data + at, 'o', p->len - at),
                   *trailer =
                       memmem(p->data + at, next ? (size_t)(next - p->data) - at : p->len - at,
                              "trailer", 7);
        if (trailer && (trailer == p->data || is_space((unsigned char)trailer[-1]))) {
            struct pdf_lexer l = {
                .pdf = p, .data = p->data, .len = p->len, .at = (size_t)(trailer - p->data) + 7};
            const size_t from = l.at;
            const struct pdf_value *v = is_too_much(p, 0) ? NULL : pdf_next(&l, true, 0);
            is_too_much(p, l.at - from);
            if (v && v->type == PDF_DICT)
                take_trailer(p, v);
        }
        if (!next)
            return;
        at = (size_t)(next - p->data);
        long number =
            p->len - at >= 3 && memcmp(next, "obj", 3) == 0 ? number_before(p->data, at) : -1;
        at = number >= 0 ? take_object(p, number, at + 3) : at + 1;
    }
}

/* ---- pages ---- */

static const struct pdf_value *own_or(struct pdf *p, const struct pdf_value *dict, const char *name,
                                      const struct pdf_value *above)
{
    const struct pdf_value *v = pdf_get(p, dict, name);
    return v->type == PDF_NULL ? above : v;
}

static void add_page(struct pdf *p, const struct pdf_page *page)
{
    if (p->n_pages == p->room_pages) {
        size_t room = p->room_pages ? p->room_pages * 2 : 16;
        struct pdf_page *more = arena_alloc(p->arena, room * sizeof *more);
        if (!more) {
            p->failed = true;
            return;
        }
        if (p->n_pages)
            memcpy(more, p->pages, p->n_pages * sizeof *more);
        p->pages = more;
        p->room_pages = room;
    }
    p->pages[p->n_pages++] = *page;
}

static void walk_pages(struct pdf *p, const struct pdf_value *node, const struct pdf_page *above,
                       int depth)
{
    if (node->type != PDF_DICT || depth > PDF_DEPTH || p->n_pages >= PDF_PAGES || p->failed ||
        ++p->visited > PDF_PAGES * 4)
        return;
    const struct pdf_page own = {.dict = node,
                                 .resources = own_or(p, node, "Resources", above->resources),
                                 .box = own_or(p, node, "MediaBox", above->box),
                                 .rotate = own_or(p, node, "Rotate", above->rotate)};
    const struct pdf_value *kids = pdf_get(p, node, "Kids");
    if (kids->type != PDF_ARRAY) {
        add_page(p, &own);
        return;
    }
    for (size_t i = 0; i < kids->n && pdf_spend(p, 4); i++)
        walk_pages(p, pdf_resolve(p, kids->items[i]), &own, depth + 1);
}

/* Where no trailer says it. */
static void find_root(struct pdf *p)
{
    for (size_t i = 0; i < p->n_objects && !p->root; i++) {
        const struct pdf_value ref = {.type = PDF_REF, .number = (double)i};
        const struct pdf_value *v = pdf_resolve(p, &ref);
        if (v->type == PDF_DICT && pdf_is(pdf_get(p, v, "Type"), "Catalog"))
            p->root = v;
    }
}

int pdf_open(struct arena *a, const char *data, size_t len, struct pdf **ret, const char **ret_why)
{
    struct pdf *p = arena_calloc(a, 1, sizeof *p);
    if (!p)
        return -1;
    *p = (struct pdf){.arena = a, .data = data, .len = len};
    p->most_steps = len < (PDF_STEPS_MOST - PDF_STEPS) / PDF_STEPS_BYTE
                        ? PDF_STEPS + len * PDF_STEPS_BYTE
                        : PDF_STEPS_MOST;
    const size_t head = len < 1024 ? len : 1024;
    *ret_why = !len ? "Cannot read an empty file" : "EOF marker not found";
    if (!head || !memmem(data, head, "%PDF-", 5))
        return 0;
    look_through(p);
    if (!p->root)
        find_root(p);
    if (!p->encrypt && !p->failed)
        walk_pages(p, pdf_get(p, pdf_resolve(p, p->root), "Pages"),
                   &(struct pdf_page){&nothing, &nothing, &nothing, &nothing}, 0);
    if (p->failed || arena_failed(a))
        return -1;
    *ret = p;
    return 1;
}

bool pdf_is_encrypted(const struct pdf *p)
{
    return p->encrypt != NULL;
}

bool pdf_is_cut(const struct pdf *p)
{
    return p->too_much;
}

size_t pdf_pages(const struct pdf *p)
{
    return p->n_pages;
}

void pdf_page_size(struct pdf *p, size_t i, double *ret_width, double *ret_height)
{
    const struct pdf_value *box = p->pages[i].box;
    double at[4] = {0, 0, 612, 792};
    for (size_t k = 0; k < 4 && box->type == PDF_ARRAY && box->n >= 4; k++)
        at[k] = pdf_number(pdf_resolve(p, box->items[k]), at[k]);
    *ret_width = at[2] - at[0];
    *ret_height = at[3] - at[1];
}

/* ---- what it says of itself ---- */

bool pdf_has_about(const struct pdf *p)
{
    return p->about != NULL && !p->encrypt;
}

const char *pdf_about(struct pdf *p, const char *name)
{
    const struct pdf_value *v = pdf_get(p, pdf_resolve(p, p->about), name);
    return v->type == PDF_STRING && !p->encrypt ? pdf_text_of(p, v) : NULL;
}
