/* SPDX-License-Identifier: Apache-2.0 */
/*
 * q = term { ("and" | "or") term }, from left to right without precedence; term = "not" term |
 * "(" q ")" | name operator value | value "in" name. Keywords in any case, strings in single or
 * double quotes with \' and \\.
 */
#include "services/drive/google/lists/query.h"
#include "services/drive/google/org/label.h"
#include "engine/text/civil.h"
#include <strings.h>

enum { QUERY_MAX = 65536, QUERY_DEPTH = 100 };

enum token { END, WORD, STRING, SYMBOL, BROKEN };

struct parser {
    struct gdrive_view *v;
    struct arena *a;
    const char *at;
    enum token token;
    const char *text; /* of the token: decoded */
    unsigned depth, nodes;
    bool has_text;
    bool failed; /* with the call's error */
};

/* ---- tokens ---- */

static bool is_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("_./-+:", c)) || c & 0x80;
}

static void next_string(struct parser *p)
{
    char quote = *p->at++;
    size_t n = 0;
    while (p->at[n] && p->at[n] != quote)
        n += p->at[n] == '\\' && p->at[n + 1] ? 2 : 1;
    char *out = arena_alloc(p->a, n + 1), *end = out;
    if (arena_failed(p->a)) {
        p->token = BROKEN;
        return;
    }
    for (; *p->at && *p->at != quote; p->at++) {
        if (*p->at == '\\' && p->at[1])
            p->at++;
        *end++ = *p->at;
    }
    *end = 0;
    p->text = out;
    p->token = *p->at ? STRING : BROKEN;
    p->at += *p->at != 0;
}

static void next(struct parser *p)
{
    const char *from;
    p->at += strspn(p->at, " \t\r\n");
    from = p->at;
    if (!*from) {
        p->token = END;
    } else if (*from == '\'' || *from == '"') {
        next_string(p);
    } else if (is_name(*from)) {
        while (is_name(*p->at))
            p->at++;
        p->text = arena_memdup(p->a, from, (size_t)(p->at - from));
        p->token = WORD;
    } else {
        size_t n = (*from == '!' || *from == '<' || *from == '>') && from[1] == '=' ? 2 : 1;
        p->at += n;
        p->text = arena_memdup(p->a, from, n);
        p->token = strchr("()=<>!{}", *from) && strcmp(p->text, "!") != 0 ? SYMBOL : BROKEN;
    }
}

static bool is(const struct parser *p, enum token token, const char *text)
{
    return p->token == token && strcasecmp(p->text, text) == 0;
}

static bool take(struct parser *p, enum token token, const char *text)
{
    if (!is(p, token, text))
        return false;
    next(p);
    return true;
}

static struct find *node(struct parser *p, enum find_kind kind)
{
    struct find *q = arena_calloc(p->a, 1, sizeof *q);
    if (++p->nodes > FIND_NODES || arena_failed(p->a))
        return NULL;
    q->kind = kind;
    return q;
}

static struct find *negate(struct parser *p, struct find *q, bool negative)
{
    struct find * not ;
    if (!q || !negative)
        return q;
    if ((not = node(p, FIND_NOT)))
        not ->left = q;
    return not ;
}

/* The term fails the call with an error of its own. */
static struct find *fail(struct parser *p)
{
    p->failed = true;
    return NULL;
}

/* ---- operators and values ---- */

enum { EQ = 1, NE = 2, LT = 4, LE = 8, GT = 16, GE = 32, CONTAINS = 64, STARTS = 128, IN = 256 };
#define ANY_ORDER (EQ | NE | LT | LE | GT | GE)

/* The operator that comes, 0: none. */
static unsigned operator(struct parser *p)
{
    static const struct {
        const char *text;
        unsigned op;
    } symbols[] = {{"=", EQ}, {"!=", NE}, {"<", LT}, {"<=", LE}, {">", GT}, {">=", GE}};
    if (take(p, WORD, "contains"))
        return CONTAINS;
    for (size_t i = 0; i < SOSIA_LEN(symbols); i++)
        if (take(p, SYMBOL, symbols[i].text))
            return symbols[i].op;
    return 0;
}

static const char *string(struct parser *p)
{
    const char *text = p->text;
    if (p->token != STRING)
        return NULL;
    next(p);
    return text;
}

static int truth(struct parser *p)
{
    if (take(p, WORD, "true"))
        return 1;
    return take(p, WORD, "false") ? 0 : -1;
}

static struct find *text_term(struct parser *p, unsigned allowed, enum find_kind is_kind,
                              enum find_kind has_kind)
{
    unsigned op = operator(p);
    const char *text = op & allowed ? string(p) : NULL;
    struct find *q = text ? node(p, op == CONTAINS ? has_kind : is_kind) : NULL;
    if (q)
        q->text = text;
    return negate(p, q, op == NE);
}

static struct find *file_name_term(struct parser *p)
{
    unsigned op = operator(p);
    const char *text = op ? string(p) : NULL;
    if (text && op & (LT | LE | GT | GE)) { /* the service's own accident */
        call_fail(p->v->c, SOSIA_E_INTERNAL, "internalError", NULL, "Internal Error");
        return fail(p);
    }
    struct find *q = text ? node(p, op == CONTAINS ? FIND_NAME_HAS : FIND_NAME_IS) : NULL;
    if (q)
        q->text = text;
    return negate(p, q, op == NE);
}

static int instant(const char *text, int64_t *ret)
{
    struct stamp s;
    int64_t days;
    if (date_parse(text, strlen(text), &days) == 0) {
        *ret = days * US_PER_DAY;
        return 0;
    }
    if (stamp_parse(text, strlen(text), true, &s) < 0)
        return -1;
    *ret = s.local_us - (s.has_offset ? s.offset * US_PER_SECOND : 0);
    return 0;
}

static struct find *file_time_term(struct parser *p, enum find_time time)
{
    static const struct {
        unsigned op;
        enum find_op is;
    } ops[] = {{EQ, OP_EQ}, {NE, OP_EQ}, {LT, OP_LT}, {LE, OP_LE}, {GT, OP_GT}, {GE, OP_GE}};
    unsigned op = operator(p);
    const char *text = op & ANY_ORDER ? string(p) : NULL;
    int64_t at;
    if (!text || instant(text, &at) < 0)
        return NULL;
    struct find *q = node(p, FIND_TIME);
    if (!q)
        return NULL;
    q->time = time;
    q->at_us = at;
    for (size_t i = 0; i < SOSIA_LEN(ops); i++)
        if (ops[i].op == op)
            q->op = ops[i].is;
    return negate(p, q, op == NE);
}

static struct find *truth_term(struct parser *p, enum find_kind kind, bool bare)
{
    unsigned op = operator(p);
    if (bare && !op)
        return node(p, kind);
    int value = op & (EQ | NE) ? truth(p) : -1;
    return value < 0 ? NULL : negate(p, node(p, kind), (op == NE) == value);
}

static struct find *visibility_term(struct parser *p)
{
    static const char *const values[] = {"limited", "domainWithLink", "domainCanFind",
                                         "anyoneWithLink", "anyoneCanFind"};
    unsigned op = operator(p);
    const char *text = op & (EQ | NE) ? string(p) : NULL;
    for (size_t i = 0; text && i < SOSIA_LEN(values); i++) {
        if (strcasecmp(text, values[i]) != 0)
            continue;
        struct find *q = node(p, FIND_VISIBILITY);
        if (q)
            q->id = (int64_t)i;
        return negate(p, q, op == NE);
    }
    return NULL;
}

/* has { key='k' and value='v' } */
static struct find *property_term(struct parser *p, int64_t app)
{
    const char *key, *value;
    if (!take(p, WORD, "has") || !take(p, SYMBOL, "{") || !take(p, WORD, "key") ||
        !take(p, SYMBOL, "=") || !(key = string(p)) || !take(p, WORD, "and") ||
        !take(p, WORD, "value") || !take(p, SYMBOL, "=") || !(value = string(p)) ||
        !take(p, SYMBOL, "}"))
        return NULL;
    struct find *q = node(p, FIND_PROPERTY);
    if (!q)
        return NULL;
    q->app = app;
    q->text = key;
    q->text2 = value;
    return q;
}

/* Operators that fields of a type have; of lists "in" alone ("Search for files with a specific
 * label", the table). */
static unsigned field_ops(const struct json *field)
{
    static const struct {
        const char *type;
        unsigned ops;
    } table[] = {{"text", EQ | CONTAINS | STARTS}, {"longText", CONTAINS},
                 {"integer", ANY_ORDER},           {"date", ANY_ORDER},
                 {"selection", EQ | NE},           {"user", EQ | NE}};
    const struct json *many = json_get(field, "many");
    const char *type = json_get_str(field, "type");
    if (json_is_true(many))
        return IN;
    for (size_t i = 0; type && i < SOSIA_LEN(table); i++)
        if (strcmp(table[i].type, type) == 0)
            return table[i].ops;
    return 0;
}

/* labels/ID.field, and the operators that it has; NULL: there is no such field. */
static struct find *label_field(struct parser *p, const char *name, unsigned *ret_ops)
{
    const char *dot = strchr(name, '.');
    struct find *q = dot ? node(p, FIND_OWN) : NULL;
    struct gdrive_label label;
    if (!q)
        return NULL;
    q->id = LABEL_FIELD;
    q->text = arena_memdup(p->a, name + 7, (size_t)(dot - name - 7));
    q->text2 = arena_strdup(p->a, dot + 1);
    int r = gdrive_label(&p->v->c->tx, 0, q->text, &label);
    const struct json *field = r == 1 ? gdrive_label_field(&label, q->text2) : NULL;
    if (r < 0)
        return fail(p);
    *ret_ops = field ? field_ops(field) : 0;
    return field ? q : NULL;
}

/* A condition on a field of a label. */
static struct find *label_term(struct parser *p, const char *name)
{
    static const enum find_op is[] = {
        [EQ] = OP_EQ, [NE] = OP_EQ, [LT] = OP_LT,        [LE] = OP_LE,
        [GT] = OP_GT, [GE] = OP_GE, [CONTAINS] = OP_HAS, [STARTS] = OP_STARTS};
    unsigned ops, op;
    struct find *q = label_field(p, name, &ops);
    if (!q)
        return NULL;
    if (take(p, WORD, "is")) {
        q->op = take(p, WORD, "not") ? OP_SET : OP_NULL;
        return take(p, WORD, "null") ? q : NULL;
    }
    if (take(p, WORD, "starts"))
        op = take(p, WORD, "with") ? STARTS : 0;
    else
        op = operator(p);
    if (!(op & ops) || (p->token != STRING && p->token != WORD))
        return NULL;
    q->op = is[op];
    q->value = p->text;
    next(p);
    return negate(p, q, op == NE);
}

/* ---- value in name ---- */

static struct find *parent_term(struct parser *p, const char *key)
{
    struct gdrive_view *v = p->v;
    struct call *c = v->c;
    struct drive_item folder;
    struct drive_access access = {.role = ROLE_OWNER};
    struct find *q = node(p, FIND_PARENT);
    int r = !strcmp(key, "root") ? drive_root(&c->tx, c->actor.id, &folder)
            : !strcmp(key, "appDataFolder")
                ? drive_app_data(&c->tx, c->actor.id, gdrive_app(c), &folder)
                : -2;
    if (r == 0) { /* it is not made yet, and so it is empty */
        if (q)
            q->id = -1;
        return q;
    }
    if (r == -2 && (r = drive_item_by_key(&c->tx, key, &folder)) == 1 &&
        drive_role(&v->viewer, &folder, &access) < 0)
        r = -1;
    if (r == 1 && !c->actor.id)
        r = gdrive_link_opens(v, &folder, &access);
    if (r < 0)
        return fail(p);
    if (!r || access.role == ROLE_NONE) {
        gdrive_no_file(c, "");
        return fail(p);
    }
    if (q)
        q->id = folder.id;
    return q;
}

static struct find *person_term(struct parser *p, enum find_kind kind, const char *who)
{
    struct call *c = p->v->c;
    struct find *q = node(p, kind);
    struct actor actor;
    if (!q)
        return NULL;
    if (strcasecmp(who, "me") == 0) {
        q->id = c->actor.id;
        q->text = c->actor.email;
        return q;
    }
    q->text = email_normal(p->a, who);
    if (!q->text) /* no item has it */
        q->text = who;
    int r = actor_by_email(&c->tx, q->text, &actor);
    if (r < 0)
        return fail(p);
    q->id = r ? actor.id : -1;
    if (r)
        q->text = actor.email;
    return q;
}

static struct find *label_is(struct parser *p, const char *key)
{
    struct find *q = node(p, FIND_OWN);
    struct gdrive_label label;
    int r = q ? gdrive_label(&p->v->c->tx, 0, key, &label) : 0;
    if (r < 0)
        return fail(p);
    if (!r)
        return NULL;
    q->id = LABEL_HAS;
    q->text = key;
    return q;
}

static struct find *in_term(struct parser *p)
{
    const char *value = string(p);
    bool negative = take(p, WORD, "not");
    struct find *q = NULL;
    if (!take(p, WORD, "in") || p->token != WORD)
        return NULL;
    const char *name = p->text;
    next(p);
    if (strcasecmp(name, "parents") == 0)
        q = parent_term(p, value);
    else if (strcasecmp(name, "owners") == 0)
        q = person_term(p, FIND_OWNER, value);
    else if (strcasecmp(name, "writers") == 0)
        q = person_term(p, FIND_WRITER, value);
    else if (strcasecmp(name, "readers") == 0)
        q = person_term(p, FIND_READER, value);
    else if (strcasecmp(name, "labels") == 0) {
        q = label_is(p, strncmp(value, "labels/", 7) == 0 ? value + 7 : value);
    } else if (strncasecmp(name, "labels/", 7) == 0 && strchr(name, '.')) {
        unsigned ops;
        if (!(q = label_field(p, name, &ops)) || !(ops & IN))
            return NULL;
        q->value = value;
        return negate(p, q, negative);
    }
    return negative ? NULL : q;
}

/* ---- terms ---- */

static struct find *named_term(struct parser *p)
{
    const char *name = p->text;
    next(p);
    if (strcasecmp(name, "name") == 0)
        return file_name_term(p);
    if (strcasecmp(name, "fullText") == 0) {
        p->has_text = true;
        return text_term(p, CONTAINS, FIND_TEXT, FIND_TEXT);
    }
    if (strcasecmp(name, "mimeType") == 0)
        return text_term(p, EQ | NE | CONTAINS, FIND_TYPE_IS, FIND_TYPE_HAS);
    if (strcasecmp(name, "modifiedTime") == 0)
        return file_time_term(p, TIME_MODIFIED);
    if (strcasecmp(name, "createdTime") == 0)
        return file_time_term(p, TIME_CREATED);
    if (strcasecmp(name, "viewedByMeTime") == 0)
        return file_time_term(p, TIME_VIEWED);
    if (strcasecmp(name, "sharedWithMeTime") == 0)
        return file_time_term(p, TIME_SHARED);
    if (strcasecmp(name, "trashed") == 0)
        return truth_term(p, FIND_TRASHED, false);
    if (strcasecmp(name, "starred") == 0)
        return truth_term(p, FIND_STARRED, false);
    if (strcasecmp(name, "sharedWithMe") == 0)
        return truth_term(p, FIND_SHARED_WITH_ME, true);
    if (strcasecmp(name, "properties") == 0)
        return property_term(p, 0);
    if (strcasecmp(name, "appProperties") == 0)
        return property_term(p, gdrive_app(p->v->c));
    if (strcasecmp(name, "visibility") == 0)
        return visibility_term(p);
    if (strcasecmp(name, "shortcutDetails.targetId") == 0)
        return text_term(p, EQ | NE, FIND_TARGET, FIND_TARGET);
    if (strcasecmp(name, "shortcutDetails.targetMimeType") == 0)
        return text_term(p, EQ | NE, FIND_TARGET_TYPE, FIND_TARGET_TYPE);
    return strncasecmp(name, "labels/", 7) == 0 ? label_term(p, name) : NULL;
}

static struct find *terms(struct parser *p);

static struct find *file_term(struct parser *p)
{
    struct find *q;
    if (p->depth > QUERY_DEPTH)
        return NULL;
    if (take(p, WORD, "not")) {
        p->depth++;
        q = negate(p, file_term(p), true);
        p->depth--;
        return q;
    }
    if (take(p, SYMBOL, "(")) {
        p->depth++;
        q = terms(p);
        p->depth--;
        return q && take(p, SYMBOL, ")") ? q : NULL;
    }
    if (p->token == STRING)
        return in_term(p);
    return p->token == WORD ? named_term(p) : NULL;
}

static struct find *terms(struct parser *p)
{
    struct find *left = file_term(p);
    while (left && (is(p, WORD, "and") || is(p, WORD, "or"))) {
        struct find *both = node(p, is(p, WORD, "and") ? FIND_AND : FIND_OR);
        next(p);
        if (!both)
            return NULL;
        both->left = left;
        both->right = file_term(p);
        left = both->right ? both : NULL;
    }
    return left;
}

int gdrive_query(struct gdrive_view *v, const char *text, struct find **ret, bool *ret_has_text)
{
    struct parser p = {.v = v, .a = v->c->tx.arena, .at = text};
    *ret = NULL;
    *ret_has_text = false;
    if (!text[strspn(text, " \t\r\n")])
        return 0;
    if (strlen(text) <= QUERY_MAX) {
        next(&p);
        *ret = terms(&p);
    }
    if (p.failed)
        return -1;
    if (!*ret || p.token != END)
        return call_fail(v->c, SOSIA_E_INVALID, "invalid", "q", "Invalid Value");
    *ret_has_text = p.has_text;
    return 0;
}
