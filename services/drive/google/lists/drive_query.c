/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search language of drives.list: terms about a shared drive, joined with "and" and "or", which
 * are taken as they come, from left to right; "not" and parentheses.
 */
#include "services/drive/google/lists/drive_query.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/utf8.h"
#include <ctype.h>

enum { MAX_QUERY = 8192, MAX_NESTED = 50 };
enum operator{ OP_NONE, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_CONTAINS };

struct asker {
    struct arena *arena;
    const char *p;
    unsigned depth;
    bool admin;
    const struct gdrive_drive_facts *facts;
};

static void skip_blanks(struct asker *q)
{
    while (*q->p && strchr(" \t\r\n", *q->p))
        q->p++;
}

/* A separate word, in any case. */
static bool take_word(struct asker *q, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(q);
    if (!str_is_nocase(q->p, strnlen(q->p, n), word) || isalnum((unsigned char)q->p[n]))
        return false;
    q->p += n;
    return true;
}

static enum operator take_operator(struct asker *q)
{
    static const struct {
        const char *text;
        enum operator op;
    } signs[] = {{"!=", OP_NE}, {"<=", OP_LE}, {">=", OP_GE},
                 {"=", OP_EQ},  {"<", OP_LT},  {">", OP_GT}};
    skip_blanks(q);
    for (size_t i = 0; i < SOSIA_LEN(signs); i++)
        if (str_starts(q->p, signs[i].text)) {
            q->p += strlen(signs[i].text);
            return signs[i].op;
        }
    return take_word(q, "contains") ? OP_CONTAINS : OP_NONE;
}

/* A string in quotes of either kind; NULL: there is none. */
static const char *take_string(struct asker *q)
{
    skip_blanks(q);
    char quote = *q->p;
    size_t n = 1;
    if (quote != '\'' && quote != '"')
        return NULL;
    while (q->p[n] && q->p[n] != quote)
        n += q->p[n] == '\\' && (q->p[n + 1] == '\\' || q->p[n + 1] == quote) ? 2 : 1;
    char *out = arena_alloc(q->arena, n), *w = out;
    for (q->p++; *q->p && *q->p != quote; q->p++) {
        if (*q->p == '\\' && (q->p[1] == '\\' || q->p[1] == quote))
            q->p++;
        *w++ = *q->p;
    }
    if (!*q->p)
        return NULL;
    q->p++;
    *w = 0;
    return out;
}

static bool compare(int64_t a, enum operator op, int64_t b)
{
    switch (op) {
    case OP_EQ:
        return a == b;
    case OP_NE:
        return a != b;
    case OP_LT:
        return a < b;
    case OP_LE:
        return a <= b;
    case OP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* Does each word of `wanted` begin a word of the name? */
static bool has_words(struct arena *a, const char *name, const char *wanted)
{
    const char *in = utf8_fold(a, name), *w = utf8_fold(a, wanted);
    while (*w) {
        size_t n = strcspn(w, " ");
        bool found = !n;
        for (const char *at = in; !found && *at; at++)
            found = (at == in || !(isalnum((unsigned char)at[-1]) || (at[-1] & 0x80))) &&
                    strncmp(at, w, n) == 0;
        if (!found)
            return false;
        w += n + strspn(w + n, " ");
    }
    return true;
}

/* The terms give 1, 0, or what is wrong. */
enum { BAD = -1, ADMINS_ONLY = -2 };

static int name_term(struct asker *q)
{
    enum operator op = take_operator(q);
    const char *text = take_string(q);
    if (!text || (op != OP_EQ && op != OP_NE && op != OP_CONTAINS))
        return BAD;
    if (!q->facts)
        return 0;
    if (op == OP_CONTAINS)
        return has_words(q->arena, q->facts->name, text);
    return str_eq_nocase(q->facts->name, text) == (op == OP_EQ);
}

static int hidden_term(struct asker *q)
{
    enum operator op = take_operator(q);
    bool yes = take_word(q, "true");
    if ((op != OP_EQ && op != OP_NE) || (!yes && !take_word(q, "false")))
        return BAD;
    return q->facts ? (q->facts->hidden == yes) == (op == OP_EQ) : 0;
}

static int number_term(struct asker *q, int64_t value)
{
    enum operator op = take_operator(q);
    int64_t number;
    skip_blanks(q);
    size_t n = strspn(q->p, "0123456789");
    if (!op || op == OP_CONTAINS || parse_i64(q->p, n, &number) < 0)
        return BAD;
    q->p += n;
    return q->facts ? compare(value, op, number) : 0;
}

static int time_term(struct asker *q)
{
    enum operator op = take_operator(q);
    const char *text = take_string(q);
    struct stamp at;
    if (!op || op == OP_CONTAINS || !text || stamp_parse(text, strlen(text), true, &at) < 0)
        return BAD;
    int64_t us = at.local_us - at.offset * US_PER_SECOND;
    return q->facts ? compare(q->facts->created_us, op, us) : 0;
}

static int unit_term(struct asker *q)
{
    enum operator op = take_operator(q);
    if ((op != OP_EQ && op != OP_NE) || !take_string(q))
        return BAD;
    return q->facts ? op == OP_NE : 0; /* no drive is in a unit */
}

static int list_of_terms(struct asker *q);

static int term(struct asker *q)
{
    static const char *const admins[] = {"createdTime", "memberCount", "organizerCount",
                                         "orgUnitId"};
    int r;
    if (take_word(q, "not")) {
        if (++q->depth > MAX_NESTED)
            return BAD;
        r = term(q);
        q->depth--;
        return r < 0 ? r : !r;
    }
    skip_blanks(q);
    if (*q->p == '(') {
        q->p++;
        if (++q->depth > MAX_NESTED || (r = list_of_terms(q)) < 0)
            return q->depth > MAX_NESTED ? BAD : r;
        q->depth--;
        skip_blanks(q);
        return *q->p == ')' ? (q->p++, r) : BAD;
    }
    if (take_word(q, "name"))
        return name_term(q);
    if (take_word(q, "hidden"))
        return hidden_term(q);
    size_t i = 0;
    while (i < SOSIA_LEN(admins) && !take_word(q, admins[i]))
        i++;
    if (i == SOSIA_LEN(admins))
        return BAD;
    r = i == 0   ? time_term(q)
        : i == 3 ? unit_term(q)
                 : number_term(q, !q->facts ? 0
                                  : i == 1  ? q->facts->members
                                            : q->facts->organizers);
    return r >= 0 && !q->admin ? ADMINS_ONLY : r;
}

static int list_of_terms(struct asker *q)
{
    int r = term(q);
    while (r >= 0) {
        bool both = take_word(q, "and");
        if (!both && !take_word(q, "or"))
            break;
        int next = term(q);
        r = next < 0 ? next : both ? r && next : r || next;
    }
    return r;
}

static int ask_drive(struct arena *a, const char *text, bool admin,
                     const struct gdrive_drive_facts *f)
{
    struct asker q = {.arena = a, .p = text, .admin = admin, .facts = f};
    if (strlen(text) > MAX_QUERY)
        return BAD;
    int r = list_of_terms(&q);
    skip_blanks(&q);
    return r >= 0 && *q.p ? BAD : r;
}

int gdrive_drive_query(struct call *c, const char *text, bool admin)
{
    int r = ask_drive(c->tx.arena, text, admin, NULL);
    if (r == ADMINS_ONLY)
        return call_fail(c, SOSIA_E_FORBIDDEN, "queryRequiresAdminCredentials", "q",
                         "The query requires admin credentials.");
    return r < 0 ? call_fail(c, SOSIA_E_INVALID, "invalid", "q", "Invalid Value") : 0;
}

bool gdrive_drive_matches(struct call *c, const char *text, const struct gdrive_drive_facts *facts)
{
    return ask_drive(c->tx.arena, text, true, facts) > 0;
}
