/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a $filter that the indexes of the mail core can find: a question of the core that
 * holds for every message for which the expression does. Where it holds for those alone it is
 * exact, and messages need not be asked again.
 */
#include "services/mail/outlook/filter.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/core/folder.h"
#include "services/mail/core/search.h"
#include "services/mail/outlook/value.h"

#define MOST_ALTERNATIVES 200 /* of one `or` or `in`; more are not looked up */
#define MOST_SUBJECT      255 /* bytes of a subject that is looked up by its words */

struct filtering {
    struct call *c;
    const struct outlook_box *b;
    bool inexact; /* of the part that is being made */
    bool failed;
};

/* The question of one expression; NULL: every message may match. */
static const struct search *found_by(struct filtering *f, const struct odata_expr *e);

/* ---- nodes ---- */

static struct search *node(struct filtering *f, struct search s)
{
    struct search *copy = arena_alloc(f->c->tx.arena, sizeof *copy);
    if (!arena_failed(f->c->tx.arena))
        *copy = s;
    return copy;
}

static const struct search *nothing(struct filtering *f)
{
    return node(f, (struct search){.kind = SEARCH_OR});
}

static const struct search *joined(struct filtering *f, unsigned kind, const struct search *x,
                                   const struct search *y)
{
    const struct search **kids = arena_calloc(f->c->tx.arena, 2, sizeof *kids);
    if (!arena_failed(f->c->tx.arena)) {
        kids[0] = x;
        kids[1] = y;
    }
    return node(f, (struct search){.kind = kind, .kids = kids, .n_kids = y ? 2 : 1});
}

static const struct search *inverse(struct filtering *f, const struct search *s)
{
    const bool twice = !arena_failed(f->c->tx.arena) && s->kind == SEARCH_NOT;
    return twice ? s->kids[0] : joined(f, SEARCH_NOT, s, NULL);
}

/* Every message may match, and each must be asked. */
static const struct search *unknown(struct filtering *f)
{
    f->inexact = true;
    return NULL;
}

/* ---- comparisons ---- */

static const struct search *in_folder(struct filtering *f, int64_t folder)
{
    return node(f, (struct search){.kind = SEARCH_FOLDER, .id = folder});
}

/* By an id or, as here too (MG-622), a well-known name. */
static const struct search *folder_named(struct filtering *f, const char *text)
{
    struct tx *tx = &f->c->tx;
    const int64_t mailbox = f->b->mailbox.id;
    struct mail_folder folder;
    int64_t place = outlook_known_place(text);
    if (place == -2 && outlook_folder_id_parse(tx->arena, f->b, text, &place) != 1)
        return nothing(f);
    int r = place < 0 ? 0 : mail_folder_get(tx, mailbox, mail_folder_id(mailbox, place), &folder);
    f->failed |= r < 0;
    return r == 1 ? in_folder(f, folder.id) : nothing(f);
}

static const struct search *category(struct filtering *f, const char *name)
{
    const int64_t parent = mail_folder_id(f->b->mailbox.id, FOLDER_CATEGORIES);
    struct mail_folder folder;
    int r = mail_folder_by_name(&f->c->tx, f->b->mailbox.id, parent, name, &folder);
    f->failed |= r < 0;
    return r == 1 ? in_folder(f, folder.id) : nothing(f);
}

static const struct search *conversation(struct filtering *f, const char *text)
{
    struct mail_thread t;
    int64_t key;
    if (outlook_conversation_id_parse(f->c->tx.arena, f->b, text, &key) != 1)
        return nothing(f);
    int r = mail_thread_get(&f->c->tx, f->b->mailbox.id, key, &t);
    f->failed |= r < 0;
    f->inexact = true;
    return r == 1 ? node(f, (struct search){.kind = SEARCH_THREAD, .id = t.id}) : nothing(f);
}

static const struct search *flag(struct filtering *f, uint32_t bits, bool set)
{
    const struct search *s = node(f, (struct search){.kind = SEARCH_FLAGS, .bits = bits});
    return set ? s : inverse(f, s);
}

static const struct search *property(struct filtering *f, uint32_t which, int64_t value)
{
    return node(f, (struct search){.kind = SEARCH_PROPERTY, .bits = which, .id = value});
}

/* Words of the index that are there where the whole text is; each message is asked. */
static const struct search *words(struct filtering *f, unsigned kind, unsigned fields,
                                  const char *text)
{
    f->inexact = true;
    return node(f, (struct search){.kind = kind, .fields = fields, .text = text});
}

static const struct search *marked(struct filtering *f, int known, const char *text)
{
    const bool flagged = known == PATH_FLAG;
    if (known == PATH_INFERENCE) { /* MG-574: in the Inbox alone */
        const struct search *other =
            joined(f, SEARCH_AND, property(f, ASKED_INFERENCE, INFERENCE_OTHER),
                   flag(f, FLAG(FOLDER_INBOX), true));
        return str_eq_nocase(text, "other")     ? other
               : str_eq_nocase(text, "focused") ? inverse(f, other)
                                                : unknown(f);
    }
    if (flagged && str_eq_nocase(text, "flagged"))
        return flag(f, FLAG(KEYWORD_FLAGGED), true);
    if (flagged) { /* a flag that is set hides what the row says */
        f->inexact = true;
        return str_eq_nocase(text, "complete") ? property(f, ASKED_FLAG, FLAG_COMPLETE)
                                               : flag(f, FLAG(KEYWORD_FLAGGED), false);
    }
    if (str_eq_nocase(text, "normal"))
        return inverse(f, joined(f, SEARCH_OR, property(f, ASKED_IMPORTANCE, 1),
                                 property(f, ASKED_IMPORTANCE, -1)));
    const bool high = str_eq_nocase(text, "high");
    return high || str_eq_nocase(text, "low") ? property(f, ASKED_IMPORTANCE, high ? 1 : -1)
                                              : unknown(f);
}

/* `path eq text`. */
static const struct search *text_equals(struct filtering *f, int known, const char *text)
{
    switch (known) {
    case PATH_FOLDER:
        return folder_named(f, text);
    case PATH_FROM:
        return strchr(text, '@') ? words(f, SEARCH_ADDRESS, FIELD_FROM, text) : unknown(f);
    case PATH_FROM_NAME:
        return words(f, SEARCH_PHRASE, FIELD_FROM, text);
    case PATH_SUBJECT:
        return strlen(text) <= MOST_SUBJECT ? words(f, SEARCH_PHRASE, FIELD_SUBJECT, text)
                                            : unknown(f);
    case PATH_MESSAGE_ID:
        return words(f, SEARCH_MESSAGE_ID, 0, text);
    case PATH_CONVERSATION:
        return conversation(f, text);
    case PATH_FLAG:
    case PATH_IMPORTANCE:
    case PATH_INFERENCE:
        return marked(f, known, text);
    default:
        return unknown(f);
    }
}

static const struct search *truth_is(struct filtering *f, int known, bool truth)
{
    if (known == PATH_READ)
        return flag(f, FLAG(KEYWORD_UNSEEN), !truth);
    if (known == PATH_DRAFT)
        return flag(f, FLAG(KEYWORD_DRAFT), truth);
    f->inexact = true; /* what is shown in the text counts in the index too */
    return known == PATH_FILES && truth
               ? node(f, (struct search){.kind = SEARCH_HAS, .bits = HAS_FILE})
               : NULL;
}

/* Messages came at whole seconds. */
static const struct search *came(struct filtering *f, enum odata_op op, int64_t us)
{
    const int64_t floor = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
    const int64_t ceiling = floor + (us % US_PER_SECOND != 0);
    struct search s = {.kind = SEARCH_DATE, .from = INT64_MIN, .to = INT64_MAX};
    switch (op) {
    case ODATA_GE:
        s.from = ceiling;
        break;
    case ODATA_GT:
        s.from = floor + 1;
        break;
    case ODATA_LT:
        s.to = ceiling;
        break;
    case ODATA_LE:
        s.to = floor + 1;
        break;
    default: /* of two instants within a second one at most is whole */
        s.from = ceiling;
        s.to = floor + 1;
    }
    return op == ODATA_NE ? inverse(f, node(f, s)) : node(f, s);
}

static const struct search *compared(struct filtering *f, const struct odata_path *path,
                                     enum odata_op op, const struct odata_value *v)
{
    const struct search *s;
    const bool inexact = f->inexact;
    if ((path->known == PATH_RECEIVED || path->known == PATH_CREATED) && v->kind == ODATA_TIME)
        return came(f, op, v->number);
    if (op != ODATA_EQ && op != ODATA_NE)
        return unknown(f);
    f->inexact = false;
    s = v->kind == ODATA_BOOL ? truth_is(f, path->known, v->truth)
        : v->text             ? text_equals(f, path->known, v->text)
                              : unknown(f);
    if (op == ODATA_NE)
        s = s && !f->inexact ? inverse(f, s) : unknown(f);
    f->inexact |= inexact;
    return s;
}

/* ---- expressions ---- */

/* categories/any(c:c eq 'Red') */
static const char *category_asked(const struct odata_expr *e)
{
    const struct odata_expr *eq = e->op == ODATA_ANY && e->n_kids == 2 ? e->kids[1] : NULL;
    if (!eq || e->kids[0]->op != ODATA_PATH || e->kids[0]->path->known != PATH_CATEGORIES ||
        eq->op != ODATA_EQ || eq->n_kids != 2 || eq->kids[0]->op != ODATA_PATH ||
        eq->kids[0]->path->n || eq->kids[1]->op != ODATA_LITERAL)
        return NULL;
    return eq->kids[1]->value.text;
}

/* Ranges of a conjunction are one range, from where the core begins to look. */
static const struct search *all_of(struct filtering *f, const struct odata_expr *e)
{
    struct arena *a = f->c->tx.arena;
    struct search date = {.kind = SEARCH_DATE, .from = INT64_MIN, .to = INT64_MAX};
    const struct odata_expr *const *terms;
    const size_t n = odata_terms(a, e, &terms);
    const struct search **kids = arena_calloc(a, n + 1, sizeof *kids);
    size_t n_kids = 0;
    bool dated = false;
    for (size_t i = 0; i < n && !arena_failed(a); i++) {
        const struct search *s = found_by(f, terms[i]);
        if (s && !arena_failed(a) && s->kind == SEARCH_DATE) {
            date.from = s->from > date.from ? s->from : date.from;
            date.to = s->to < date.to ? s->to : date.to;
            dated = true;
        } else if (s) {
            kids[n_kids++] = s;
        }
    }
    if (dated && !arena_failed(a))
        kids[n_kids++] = node(f, date);
    return n_kids ? node(f, (struct search){.kind = SEARCH_AND, .kids = kids, .n_kids = n_kids})
                  : NULL;
}

static const struct search *either(struct filtering *f, const struct odata_expr *e)
{
    struct arena *a = f->c->tx.arena;
    const struct search **kids = arena_calloc(a, e->n_kids + 1, sizeof *kids);
    for (size_t i = 0; i < e->n_kids && !arena_failed(a); i++)
        if (!(kids[i] = found_by(f, e->kids[i])))
            return unknown(f);
    return node(f, (struct search){.kind = SEARCH_OR, .kids = kids, .n_kids = e->n_kids});
}

/* path in ('a','b') */
static const struct search *one_of(struct filtering *f, const struct odata_expr *e)
{
    struct arena *a = f->c->tx.arena;
    const struct odata_expr *path = e->kids[0], *items = e->kids[1];
    if (path->op != ODATA_PATH || path->path->variable || items->op != ODATA_ITEMS ||
        items->n_kids > MOST_ALTERNATIVES)
        return unknown(f);
    const struct search **kids = arena_calloc(a, items->n_kids + 1, sizeof *kids);
    for (size_t i = 0; i < items->n_kids && !arena_failed(a); i++)
        if (items->kids[i]->op != ODATA_LITERAL ||
            !(kids[i] = compared(f, path->path, ODATA_EQ, &items->kids[i]->value)))
            return unknown(f);
    return node(f, (struct search){.kind = SEARCH_OR, .kids = kids, .n_kids = items->n_kids});
}

static const struct search *opposite(struct filtering *f, const struct odata_expr *e)
{
    const bool inexact = f->inexact;
    f->inexact = false;
    const struct search *s = found_by(f, e->kids[0]);
    s = s && !f->inexact ? inverse(f, s) : unknown(f);
    f->inexact |= inexact;
    return s;
}

static const struct search *found_by(struct filtering *f, const struct odata_expr *e)
{
    const struct odata_path *path;
    const struct odata_value *v;
    enum odata_op op;
    const char *name = category_asked(e);
    if (name)
        return category(f, name);
    if (odata_compared(e, &path, &op, &v))
        return compared(f, path, op, v);
    if (e->op == ODATA_AND)
        return all_of(f, e);
    if (e->op == ODATA_OR && e->n_kids <= MOST_ALTERNATIVES)
        return either(f, e);
    if (e->op == ODATA_IN && e->n_kids == 2)
        return one_of(f, e);
    if (e->op == ODATA_NOT && e->n_kids == 1)
        return opposite(f, e);
    if (e->op == ODATA_PATH && e->kind == EDM_BOOLEAN && !e->path->variable)
        return truth_is(f, e->path->known, true);
    return unknown(f);
}

int outlook_filter(struct call *c, const struct outlook_box *b, const struct odata_expr *e,
                   struct outlook_filter *ret)
{
    outlook_name_folders(c->tx.arena, b, e);
    struct filtering f = {.c = c, .b = b};
    const struct search *s = e ? found_by(&f, e) : NULL;
    if (f.failed || arena_failed(c->tx.arena))
        return f.failed ? -1 : sosia_fail_memory(c->tx.err);
    *ret = (struct outlook_filter){.found = s, .exact = !f.inexact};
    return 0;
}
