/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling what is expected: from JSON with matchers to a tree of patterns. */
#include "conformance/cassette/pattern_impl.h"
#include "engine/base/codec.h"
#include <stdio.h>

enum { REGEX_MAX = 20000, REGEX_NEST = 100, VALUES_DEEP = 90, EXPANDED_MAX = 1000000 };

#define TYPE(t) (1u << JSON_##t)
#define ANY_TYPES                                                                                  \
    (TYPE(NULL) | TYPE(BOOL) | TYPE(NUMBER) | TYPE(STRING) | TYPE(ARRAY) | TYPE(OBJECT))

/* Built-in matchers. Those with a regular expression take a text that it matches whole, and may
 * be inside of a text. */
static const struct {
    const char *name;
    unsigned types;
    const char *regex;
} builtins[] = {
    {"any", ANY_TYPES, NULL},
    {"string", TYPE(STRING), NULL},
    {"number", TYPE(NUMBER), NULL},
    {"bool", TYPE(BOOL), NULL},
    {"object", TYPE(OBJECT), NULL},
    {"array", TYPE(ARRAY), NULL},
    {"time", 0, "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d)"},
    {"date", 0, "\\d{4}-\\d\\d-\\d\\d"},
    {"etag", 0, "(?:W/)?\"[^\"]+\""},
    {"digits", 0, "\\d+"},
};
/* Words that mean something else than a value. */
static const char *const words[] = {"absent",    "optional", "either", "each",     "re",
                                    "after",     "rest",     "text",   "contains", "lines",
                                    "unordered", "form",     "base64"};

/* ---- sets ---- */

void pattern_set_init(struct pattern_set *set, struct arena *arena)
{
    *set = (struct pattern_set){.arena = arena};
    map_init(&set->captures);
}

void pattern_set_done(struct pattern_set *set)
{
    for (struct regex *r = set->regexes; r; r = r->next)
        pcre2_code_free(r->code);
    set->regexes = NULL;
    map_done(&set->captures);
}

int pattern_set_know(struct pattern_set *set, const char *name)
{
    return map_set(&set->captures, name, set);
}

/* ---- texts ---- */

bool pattern_is_name(const char *text, size_t len)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (size_t i = 0; i < len; i++)
        if (!text[i] || !strchr(allowed, text[i]))
            return false;
    return len > 0 && len <= 64;
}

size_t push_item(struct doc *d, size_t index)
{
    size_t mark = d->path_len, room = sizeof d->path - mark;
    int n = snprintf(d->path + mark, room, "[%zu]", index);
    d->path_len = (size_t)n < room ? mark + (size_t)n : sizeof d->path - 1;
    return mark;
}

size_t marker_at(const char *text, const char **ret_content, size_t *ret_len)
{
    size_t open = 0;
    for (size_t i = 1; text[i]; i++) {
        if (text[i] == '\\' && text[i + 1]) {
            i++;
        } else if (text[i] == '{') {
            open++;
        } else if (text[i] == '}' && --open == 0) {
            *ret_content = text + 2;
            *ret_len = i - 2;
            return i + 1;
        }
    }
    return 0;
}

const char *wrapper_of(struct arena *a, const struct json *v, const struct json **ret_inner)
{
    const char *key = v->type == JSON_OBJECT && v->n == 1 ? v->members[0].key : "", *content;
    size_t len, n = strncmp(key, "${", 2) == 0 ? marker_at(key, &content, &len) : 0;
    if (!n || key[n])
        return NULL;
    *ret_inner = &v->members[0].value;
    return arena_memdup(a, content, len);
}

const char *pattern_escape(struct arena *a, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *p = text; *p; p++) {
        if (p[0] == '$' && p[1] == '{')
            buf_byte(&b, '$');
        buf_byte(&b, *p);
    }
    return buf_keep(&b, a);
}

int regex_compile(const char *source, pcre2_code **ret_code, struct sosia_err *err)
{
    int number;
    PCRE2_SIZE at;
    unsigned char text[120];
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context)
        return sosia_fail_memory(err);
    pcre2_set_max_pattern_length(context, REGEX_MAX);
    pcre2_set_parens_nest_limit(context, REGEX_NEST);
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)source, PCRE2_ZERO_TERMINATED,
                                     PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED |
                                         PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C,
                                     &number, &at, context);
    pcre2_compile_context_free(context);
    if (code) {
        *ret_code = code;
        return 0;
    }
    pcre2_get_error_message(number, text, sizeof text);
    return sosia_fail(err, SOSIA_E_INVALID, "badRegex", NULL, "%s at character %zu", text,
                      (size_t)at);
}

/* ---- compiling ---- */

struct compiler {
    struct pattern_set *set;
    struct doc *doc;
    const struct json *at; /* the value that is compiled, for its line */
    unsigned depth;
};

static int compile_value(struct compiler *c, const struct json *value, const struct pattern **ret);
static int compile_string(struct compiler *c, const char *text, const struct pattern **ret);
static int compile_marker(struct compiler *c, const char *content, const struct pattern **ret);

static struct pattern *make(struct compiler *c, enum pattern_kind kind)
{
    struct pattern *p = arena_calloc(c->set->arena, 1, sizeof *p);
    p->kind = kind;
    return p;
}

static int keep_code(struct compiler *c, struct pattern *p, const char *source)
{
    struct sosia_err err;
    pcre2_code *code;
    if (regex_compile(source, &code, &err) < 0)
        return doc_fail(c->doc, c->at, NULL, "broken regular expression \"%.80s\": %s", source,
                        err.text);
    struct regex *r = arena_calloc(c->set->arena, 1, sizeof *r);
    r->code = code;
    if (arena_failed(c->set->arena)) {
        pcre2_code_free(code);
        return sosia_fail_memory(c->doc->err);
    }
    r->next = c->set->regexes;
    c->set->regexes = r;
    p->code = code;
    return 0;
}

static int know(struct compiler *c, const char *name)
{
    return pattern_set_know(c->set, name) < 0 ? sosia_fail_memory(c->doc->err) : 0;
}

static int check_known(struct compiler *c, const char *name)
{
    if (c->set->all_captures || map_get(&c->set->captures, name))
        return 0;
    return doc_fail(c->doc, c->at, NULL, "nothing before this gives \"%.64s\" a value", name);
}

static int check_name(struct compiler *c, const char *name)
{
    if (pattern_is_name(name, strlen(name)))
        return 0;
    return doc_fail(c->doc, c->at, NULL, "\"%.64s\" is not a name (letters, digits, - and _)",
                    name);
}

/* ---- texts of pieces ---- */

struct pieces {
    struct piece *list;
    size_t n, cap;
};

static void add_piece(struct compiler *c, struct pieces *l, struct piece piece)
{
    void *list = arena_grow(c->set->arena, l->list, l->n, &l->cap, sizeof *l->list);
    if (!list)
        return;
    l->list = list;
    l->list[l->n++] = piece;
}

static void add_quoted(struct buf *b, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (strchr("\\^$.[]|()?*+{}-#/ ", *p))
            buf_byte(b, '\\');
        buf_byte(b, *p);
    }
}

/* The regular expression of pieces none of which is a value. */
static const char *regex_of(struct compiler *c, const struct piece *pieces, size_t n)
{
    struct buf b;
    if (n == 1 && pieces[0].kind == PIECE_REGEX)
        return pieces[0].text;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++) {
        if (pieces[i].kind == PIECE_LITERAL)
            add_quoted(&b, pieces[i].text);
        else if (pieces[i].kind == PIECE_CAPTURE)
            buf_printf(&b, "(?<sosia%zu>%s)", i, pieces[i].text);
        else
            buf_printf(&b, "(?:%s)", pieces[i].text);
    }
    return buf_keep(&b, c->set->arena);
}

/* What a pattern means inside of a text; its pieces are added. capture: the name that the pattern
 * gives a value, or NULL. */
static int add_inside(struct compiler *c, struct pieces *l, const struct pattern *p,
                      const char *capture, const char *content)
{
    if (p->kind == PATTERN_CAPTURE && !capture)
        return add_inside(c, l, p->inner, p->name, content);
    struct piece piece = {.kind = capture ? PIECE_CAPTURE : PIECE_REGEX, .name = capture};
    if (p->kind == PATTERN_TYPE && p->types & TYPE(STRING)) {
        piece.text = "[\\s\\S]*?";
    } else if (p->kind == PATTERN_TYPE && p->types & TYPE(NUMBER)) {
        piece.text = "-?\\d+(?:\\.\\d+)?";
    } else if (p->kind == PATTERN_VALUE && !capture) {
        piece = (struct piece){.kind = PIECE_VALUE, .name = p->name};
    } else if (p->kind == PATTERN_LITERAL && p->literal->type == JSON_STRING && !capture) {
        piece = (struct piece){.kind = PIECE_LITERAL, .text = p->literal->str};
    } else if (p->kind == PATTERN_TEXT && !capture) {
        for (size_t i = 0; i < p->n_pieces; i++)
            add_piece(c, l, p->pieces[i]);
        return 0;
    } else if (p->kind == PATTERN_TEXT && p->n_pieces == 1 && p->pieces[0].kind == PIECE_REGEX) {
        piece.text = p->pieces[0].text;
    } else if (p->kind == PATTERN_TEXT && !p->has_values) {
        for (size_t i = 0; i < p->n_pieces; i++)
            if (p->pieces[i].kind == PIECE_CAPTURE)
                return doc_fail(c->doc, c->at, NULL,
                                "a capture can't hold another one: \"${%.60s}\"", content);
        piece.text = regex_of(c, p->pieces, p->n_pieces);
    } else {
        return doc_fail(c->doc, c->at, NULL, "\"${%.60s}\" can't be inside of a string", content);
    }
    add_piece(c, l, piece);
    return 0;
}

static int finish_text(struct compiler *c, struct pieces *l, const struct pattern **ret)
{
    struct pattern *p = make(c, PATTERN_TEXT);
    p->pieces = l->list;
    p->n_pieces = l->n;
    for (size_t i = 0; i < l->n; i++)
        p->has_values |= l->list[i].kind == PIECE_VALUE;
    if (arena_failed(c->set->arena))
        return sosia_fail_memory(c->doc->err);
    if (!p->has_values && keep_code(c, p, regex_of(c, l->list, l->n)) < 0)
        return -1;
    *ret = p;
    return 0;
}

static int compile_literal(struct compiler *c, const char *text, const struct pattern **ret)
{
    struct pattern *p = make(c, PATTERN_LITERAL);
    struct json *v = arena_calloc(c->set->arena, 1, sizeof *v);
    v->type = JSON_STRING;
    v->str = text;
    v->n = (uint32_t)strlen(text);
    p->literal = v;
    *ret = p;
    return 0;
}

static int compile_string(struct compiler *c, const char *text, const struct pattern **ret)
{
    struct pieces l = {0};
    struct buf literal;
    const char *p = text, *content;
    size_t len, n;
    bool plain = true;
    int rc = -1;
    buf_init(&literal, 0);
    while (*p) {
        if (strncmp(p, "$${", 3) == 0) {
            buf_puts(&literal, "${");
            p += 3;
            continue;
        }
        if (strncmp(p, "${", 2) != 0) {
            buf_byte(&literal, *p++);
            continue;
        }
        if (!(n = marker_at(p, &content, &len))) {
            doc_fail(c->doc, c->at, NULL, "\"%.60s\" has no end", p);
            goto done;
        }
        content = arena_memdup(c->set->arena, content, len);
        const struct pattern *inside;
        if (compile_marker(c, content, &inside) < 0)
            goto done;
        if (p == text && !p[n]) { /* the whole text */
            *ret = inside;
            rc = 0;
            goto done;
        }
        plain = false;
        if (literal.len)
            add_piece(c, &l,
                      (struct piece){.kind = PIECE_LITERAL,
                                     .text = arena_strdup(c->set->arena, buf_str(&literal))});
        buf_clear(&literal);
        if (add_inside(c, &l, inside, NULL, content) < 0)
            goto done;
        p += n;
    }
    if (plain) {
        rc = compile_literal(c, arena_strdup(c->set->arena, buf_str(&literal)), ret);
        goto done;
    }
    if (literal.len)
        add_piece(c, &l,
                  (struct piece){.kind = PIECE_LITERAL,
                                 .text = arena_strdup(c->set->arena, buf_str(&literal))});
    rc = finish_text(c, &l, ret);
done:
    buf_done(&literal);
    return rc;
}

/* ---- markers ---- */

static int compile_regex(struct compiler *c, const char *source, const struct pattern **ret)
{
    struct pieces l = {0};
    add_piece(c, &l, (struct piece){.kind = PIECE_REGEX, .text = source});
    return finish_text(c, &l, ret);
}

/* A matcher of the cassette, compiled where it is used. A fault in it is reported at its own
 * line. */
static int compile_named(struct compiler *c, const struct pattern_name *name,
                         const struct pattern **ret)
{
    struct pattern_set *set = c->set;
    for (unsigned i = 0; i < set->depth; i++)
        if (set->open[i] == name)
            return doc_fail(c->doc, c->at, NULL, "the matcher \"%.64s\" uses itself", name->name);
    if (set->depth == PATTERN_NAMES_DEEP)
        return doc_fail(c->doc, c->at, NULL, "matchers use each other too deep");
    struct compiler inner = {set, name->doc, name->value, c->depth};
    struct doc *d = name->doc;
    char path[sizeof d->path];
    size_t len = d->path_len;
    memcpy(path, d->path, sizeof path);
    d->path_len = 0;
    d->path[0] = 0;
    doc_push(d, "matchers", -1);
    doc_push(d, name->name, -1);
    set->open[set->depth++] = name;
    int rc = compile_value(&inner, name->value, ret);
    set->depth--;
    memcpy(d->path, path, sizeof path);
    d->path_len = len;
    return rc;
}

static int compile_reference(struct compiler *c, enum pattern_kind kind, const char *name,
                             const struct pattern **ret)
{
    if (check_name(c, name) < 0 || check_known(c, name) < 0)
        return -1;
    struct pattern *p = make(c, kind);
    p->name = name;
    *ret = p;
    return 0;
}

static int compile_capture(struct compiler *c, const char *text, const struct pattern **ret)
{
    const char *colon = strchr(text, ':');
    struct pattern *p = make(c, PATTERN_CAPTURE);
    p->name = colon ? arena_memdup(c->set->arena, text, (size_t)(colon - text)) : text;
    if (check_name(c, p->name) < 0 || compile_marker(c, colon ? colon + 1 : "any", &p->inner) < 0)
        return -1;
    *ret = p;
    return know(c, p->name);
}

static int compile_builtin(struct compiler *c, size_t i, const struct pattern **ret)
{
    if (builtins[i].regex)
        return compile_regex(c, builtins[i].regex, ret);
    struct pattern *p = make(c, PATTERN_TYPE);
    p->types = builtins[i].types;
    *ret = p;
    return 0;
}

static bool is_word(const char *text)
{
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        if (strcmp(words[i], text) == 0)
            return true;
    return false;
}

static int compile_marker_bare(struct compiler *c, const char *content, const struct pattern **ret)
{
    if (content[0] == '=')
        return compile_reference(c, PATTERN_VALUE, content + 1, ret);
    if (str_starts(content, "!="))
        return compile_reference(c, PATTERN_NOT, content + 2, ret);
    if (str_starts(content, "after:"))
        return compile_reference(c, PATTERN_AFTER, content + 6, ret);
    if (content[0] == '>')
        return compile_capture(c, content + 1, ret);
    if (str_starts(content, "re:"))
        return compile_regex(c, content + 3, ret);
    if (strcmp(content, "absent") == 0) {
        *ret = make(c, PATTERN_ABSENT);
        return 0;
    }
    if (strcmp(content, "optional") == 0 || str_starts(content, "optional:")) {
        struct pattern *p = make(c, PATTERN_OPTIONAL);
        *ret = p;
        return compile_marker(c, content[8] ? content + 9 : "any", &p->inner);
    }
    for (size_t i = 0; i < SOSIA_LEN(builtins); i++)
        if (strcmp(builtins[i].name, content) == 0)
            return compile_builtin(c, i, ret);
    for (size_t i = c->set->n_names; i-- > 0;)
        if (strcmp(c->set->names[i].name, content) == 0)
            return compile_named(c, &c->set->names[i], ret);
    if (is_word(content))
        return doc_fail(c->doc, c->at, NULL, "\"${%.60s}\" has no meaning here", content);
    return doc_fail(c->doc, c->at, NULL, "unknown matcher \"${%.60s}\"", content);
}

static int compile_marker(struct compiler *c, const char *content, const struct pattern **ret)
{
    if (c->depth >= VALUES_DEEP)
        return doc_fail(c->doc, c->at, NULL, "matchers are nested too deep");
    c->depth++;
    int rc = compile_marker_bare(c, content, ret);
    c->depth--;
    return rc;
}

/* ---- objects and arrays ---- */

/* {"${optional}": ..., } and its like: an object with one member whose key is a marker. 1: it
 * was one; 0: it is not; -1. */
static int compile_wrapper(struct compiler *c, const struct json *value, const struct pattern **ret)
{
    const struct json *inner;
    const char *content = wrapper_of(c->set->arena, value, &inner);
    if (!content)
        return 0;
    struct pattern *p = make(c, PATTERN_OPTIONAL);
    *ret = p;
    if (strcmp(content, "optional") == 0)
        return compile_value(c, inner, &p->inner) < 0 ? -1 : 1;
    if (content[0] == '>') {
        p->kind = PATTERN_CAPTURE;
        p->name = content + 1;
        return check_name(c, p->name) < 0 || compile_value(c, inner, &p->inner) < 0 ||
                       know(c, p->name) < 0
                   ? -1
                   : 1;
    }
    if (strcmp(content, "text") == 0 && inner->type == JSON_STRING) {
        p->kind = PATTERN_RAW;
        c->at = inner;
        return compile_string(c, inner->str, &p->inner) < 0 ? -1 : 1;
    }
    if (strcmp(content, "lines") == 0 && inner->type == JSON_ARRAY) {
        struct buf b;
        p->kind = PATTERN_RAW;
        buf_init(&b, 0);
        for (uint32_t i = 0; i < inner->n; i++) {
            if (inner->items[i].type != JSON_STRING) {
                buf_done(&b);
                return doc_fail(c->doc, &inner->items[i], NULL, "a line must be a text");
            }
            buf_printf(&b, "%s%s", i ? "\r\n" : "", inner->items[i].str);
        }
        const char *text = buf_keep(&b, c->set->arena);
        return compile_string(c, text, &p->inner) < 0 ? -1 : 1;
    }
    if (strcmp(content, "either") == 0 && inner->type == JSON_ARRAY && inner->n) {
        const struct pattern **items = arena_calloc(c->set->arena, inner->n, sizeof *items);
        if (arena_failed(c->set->arena))
            return sosia_fail_memory(c->doc->err);
        for (uint32_t i = 0; i < inner->n; i++)
            if (compile_value(c, &inner->items[i], &items[i]) < 0)
                return -1;
        p->kind = PATTERN_EITHER;
        p->items = items;
        p->n_items = inner->n;
        return 1;
    }
    return doc_fail(c->doc, value, NULL, "\"${%.60s}\" can't hold this", content);
}

static bool has_member(const struct pattern_member *members, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(members[i].key, key) == 0)
            return true;
    return false;
}

/* What "..." stands for: an object's members and rest, or a pattern of every other member. */
static int mix_in(struct compiler *c, struct pattern *p, const struct pattern *rest)
{
    if (rest->kind != PATTERN_OBJECT) {
        p->rest = rest->kind == PATTERN_ABSENT ? NULL : rest;
        return 0;
    }
    struct pattern_member *all =
        arena_calloc(c->set->arena, p->n_members + rest->n_members, sizeof *all);
    if (arena_failed(c->set->arena))
        return sosia_fail_memory(c->doc->err);
    size_t n = p->n_members;
    if (n)
        memcpy(all, p->members, n * sizeof *all);
    for (size_t i = 0; i < rest->n_members; i++)
        if (!has_member(p->members, p->n_members, rest->members[i].key))
            all[n++] = rest->members[i];
    p->members = all;
    p->n_members = n;
    p->rest = rest->rest;
    p->mixed = true;
    return 0;
}

static int compile_object(struct compiler *c, const struct json *value, const struct pattern **ret)
{
    int wrapper = compile_wrapper(c, value, ret);
    if (wrapper)
        return wrapper < 0 ? -1 : 0;
    struct pattern *p = make(c, PATTERN_OBJECT);
    struct pattern_member *members = arena_calloc(c->set->arena, value->n, sizeof *members);
    const struct json *rest_value = NULL;
    const struct pattern *rest;
    if (arena_failed(c->set->arena))
        return sosia_fail_memory(c->doc->err);
    p->members = members;
    for (uint32_t i = 0; i < value->n; i++) {
        const struct json_member *m = &value->members[i];
        size_t mark = doc_push(c->doc, m->key, -1);
        int rc = 0;
        if (strcmp(m->key, "...") == 0) {
            rest_value = &m->value;
        } else if (strncmp(m->key, "${", 2) == 0) {
            rc = doc_fail(c->doc, &m->value, NULL, "must be alone in its object");
        } else {
            struct pattern_member *to = &members[p->n_members++];
            to->key = m->key;
            rc = compile_value(c, &m->value, &to->value);
        }
        doc_pop(c->doc, mark);
        if (rc < 0)
            return -1;
    }
    *ret = p;
    if (!rest_value)
        return 0;
    size_t mark = doc_push(c->doc, "...", -1);
    int rc = compile_value(c, rest_value, &rest);
    doc_pop(c->doc, mark);
    return rc < 0 ? -1 : mix_in(c, p, rest);
}

static int compile_array(struct compiler *c, const struct json *value, const struct pattern **ret)
{
    static const char *const modes[] = {[ARRAY_UNORDERED] = "${unordered}",
                                        [ARRAY_CONTAINS] = "${contains}",
                                        [ARRAY_EACH] = "${each}"};
    struct pattern *p = make(c, PATTERN_ARRAY);
    const struct pattern **items = arena_calloc(c->set->arena, value->n, sizeof *items);
    uint32_t i = 0;
    if (arena_failed(c->set->arena))
        return sosia_fail_memory(c->doc->err);
    if (value->n && value->items[0].type == JSON_STRING)
        for (unsigned m = ARRAY_UNORDERED; m <= ARRAY_EACH && !i; m++)
            if (strcmp(value->items[0].str, modes[m]) == 0) {
                p->mode = (enum array_mode)m;
                i = 1;
            }
    p->items = items;
    for (; i < value->n; i++) {
        const struct json *item = &value->items[i];
        if (item->type == JSON_STRING && strcmp(item->str, "...") == 0 && i + 1 == value->n) {
            struct pattern *any = make(c, PATTERN_TYPE);
            any->types = ANY_TYPES;
            p->rest = any;
            break;
        }
        size_t mark = push_item(c->doc, i);
        int rc = compile_value(c, item, &items[p->n_items++]);
        doc_pop(c->doc, mark);
        if (rc < 0)
            return -1;
    }
    if (p->mode == ARRAY_EACH && p->n_items != 1)
        return doc_fail(c->doc, value, NULL, "\"${each}\" takes one pattern");
    *ret = p;
    return 0;
}

static int compile_scalar(struct compiler *c, const struct json *value, const struct pattern **ret)
{
    struct pattern *p = make(c, PATTERN_LITERAL);
    p->literal = value;
    *ret = p;
    return 0;
}

static int compile_value(struct compiler *c, const struct json *value, const struct pattern **ret)
{
    const struct json *before = c->at;
    if (c->depth >= VALUES_DEEP)
        return doc_fail(c->doc, value, NULL, "is nested too deep");
    /* each use of a matcher is its whole definition: a few that use each other are a lot */
    if (c->set->depth && ++c->set->expanded > EXPANDED_MAX)
        return doc_fail(c->doc, value, NULL, "matchers stand for more than %d values",
                        EXPANDED_MAX);
    c->at = value;
    c->depth++;
    const struct pattern *p = NULL;
    int rc = value->type == JSON_OBJECT   ? compile_object(c, value, &p)
             : value->type == JSON_ARRAY  ? compile_array(c, value, &p)
             : value->type == JSON_STRING ? compile_string(c, value->str, &p)
                                          : compile_scalar(c, value, &p);
    c->depth--;
    c->at = before;
    if (rc < 0)
        return -1;
    if (arena_failed(c->set->arena))
        return sosia_fail_memory(c->doc->err);
    if (!p->source)
        ((struct pattern *)p)->source = json_to_text(c->set->arena, value);
    *ret = p;
    return 0;
}

int pattern_compile(struct pattern_set *set, struct doc *d, const struct json *value,
                    const struct pattern **ret_pattern)
{
    struct compiler c = {set, d, value, 0};
    return compile_value(&c, value, ret_pattern);
}

int pattern_compile_text(struct pattern_set *set, struct doc *d, const struct json *at,
                         const char *text, const struct pattern **ret_pattern)
{
    struct json value = {.type = JSON_STRING, .n = (uint32_t)strlen(text), .str = text};
    value.at = at ? at->at : 0;
    struct compiler c = {set, d, &value, 0};
    return compile_value(&c, &value, ret_pattern);
}

bool pattern_is_text(const struct pattern *p)
{
    if (p->kind == PATTERN_CAPTURE)
        return pattern_is_text(p->inner);
    return p->kind == PATTERN_RAW;
}

bool pattern_is_absent(const struct pattern *p)
{
    return p->kind == PATTERN_ABSENT;
}

bool pattern_name_taken(const char *name)
{
    for (size_t i = 0; i < SOSIA_LEN(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return true;
    return is_word(name);
}
