/* SPDX-License-Identifier: Apache-2.0 */
/* Matching an item with a question. */
#include "services/drive/core/find/find_impl.h"
#include "services/drive/core/find/words.h"
#include "engine/base/codec.h"
#include "engine/search/words.h"
#include "engine/text/utf8.h"
#include "engine/world/take.h"
#include <strings.h>
#include <utf8proc.h>

/* ---- names ---- */

/* A name without case and in compatibility form, with its accents; n code points. */
static utf8proc_int32_t *plain_name(struct arena *a, const char *name, size_t *ret_n)
{
    const utf8proc_option_t how = UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_STABLE;
    utf8proc_ssize_t len = (utf8proc_ssize_t)strlen(name);
    utf8proc_ssize_t n = utf8proc_decompose((const utf8proc_uint8_t *)name, len, NULL, 0, how);
    *ret_n = 0;
    if (n <= 0)
        return NULL;
    utf8proc_int32_t *out = arena_alloc(a, (size_t)(n + 1) * sizeof *out);
    if (arena_failed(a))
        return NULL;
    n = utf8proc_decompose((const utf8proc_uint8_t *)name, len, out, n, how);
    if (n > 0)
        n = utf8proc_normalize_utf32(out, n, how);
    for (utf8proc_ssize_t i = 0; i < n; i++)
        out[i] = utf8proc_tolower(out[i]);
    *ret_n = n > 0 ? (size_t)n : 0;
    return out;
}

/* Does a word begin between the two? As the index has it: where there are no spaces, with each
 * letter, and behind one. */
static bool begins_between(utf8proc_int32_t before, utf8proc_int32_t at)
{
    return !utf8_is_word((unsigned)before) || words_is_whole((unsigned)before) ||
           words_is_whole((unsigned)at);
}

static bool begins_in(const utf8proc_int32_t *name, size_t n, const utf8proc_int32_t *word,
                      size_t len)
{
    for (size_t i = 0; i + len <= n; i++) {
        if (i && !begins_between(name[i - 1], name[i]))
            continue;
        if (utf8_is_word((unsigned)name[i]) && memcmp(name + i, word, len * sizeof *word) == 0)
            return true;
    }
    return false;
}

bool find_name_has(struct arena *a, const char *name, const char *text)
{
    size_t n, m;
    const utf8proc_int32_t *in = plain_name(a, name, &n), *words = plain_name(a, text, &m);
    for (size_t i = 0, from; i < m;) {
        while (i < m && !utf8_is_word((unsigned)words[i]))
            i++;
        for (from = i; i < m && utf8_is_word((unsigned)words[i]);)
            i++;
        if (i > from && !begins_in(in, n, words + from, i - from))
            return false;
    }
    return true;
}

/* ---- who has it ---- */

/* What an address is granted at an item or above it. */
static int granted(struct tx *tx, const struct drive_item *it, const char *who,
                   enum drive_role *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select role, lowers, kind from drive_grant where item = :item and who = :who and "
        "view is null and (expires_us is null or expires_us > :now) order by kind limit 1");
    struct drive_node node = {.parent = it->parent, .flags = it->flags};
    enum drive_role most = ROLE_NONE;
    int64_t id = it->id;
    for (int depth = 0; id && depth < FIND_DEPTH; depth++) {
        enum drive_role role;
        bool lowers;
        int r = node.flags & DRIVE_GRANTED
                    ? TX_TAKE(tx, TX_QUERY(tx, &q, id, who, tx->now_us), &role, &lowers)
                    : 0;
        if (r < 0)
            return -1;
        if (r) {
            if (role > most)
                most = role;
            if (lowers)
                break;
        }
        if (node.flags & DRIVE_LIMITED)
            break;
        id = node.parent;
        r = id ? drive_node(tx, id, &node) : 0;
        if (r < 0)
            return -1;
        if (!r)
            break;
    }
    *ret = most;
    return 0;
}

static int has_role(struct finding *g, const struct find *q, const struct drive_item *it,
                    enum drive_role need)
{
    enum drive_role role;
    if (it->owner && it->owner == q->id)
        return 1;
    return granted(g->tx, it, q->text, &role) < 0 ? -1 : role >= need;
}

static int visibility(struct tx *tx, const struct drive_item *it, enum find_visibility *ret)
{
    static struct sql_text q =
        SQL_TEXT("select max(case kind when 4 then 3 else 1 end + discoverable) from drive_grant "
                 "where item = :item and kind in (3, 4) and role > 0 and view is null");
    struct drive_node node = {.parent = it->parent, .flags = it->flags};
    int64_t id = it->id, most = 0;
    for (int depth = 0; id && depth < FIND_DEPTH; depth++) {
        int64_t here = 0;
        int r = node.flags & DRIVE_GRANTED ? TX_INT(tx, &q, &here, id) : 0;
        if (r < 0)
            return -1;
        most = here > most ? here : most;
        if (node.flags & DRIVE_LIMITED || !node.parent)
            break;
        id = node.parent;
        if ((r = drive_node(tx, id, &node)) != 1)
            return r < 0 ? -1 : 0;
    }
    *ret = (enum find_visibility)most;
    return 0;
}

/* ---- the rest ---- */

int find_mine(struct finding *g, const struct drive_item *it)
{
    if (g->mine_of == it->id)
        return 0;
    g->mine = (struct drive_mine){0};
    g->mine_of = it->id;
    return drive_mine(g->tx, it, g->f->viewer->who->id, &g->mine) < 0 ? -1 : 0;
}

static int has_property(struct tx *tx, const struct find *q, int64_t item)
{
    static struct sql_text text = SQL_TEXT("select 1 from drive_property where item = :item and "
                                           "app = :app and name = :name and value = :value");
    int64_t one;
    return TX_INT(tx, &text, &one, item, q->app, q->text, q->text2);
}

static bool compares(const struct find *q, int64_t at)
{
    /* responses have milliseconds, and so do questions: a file is never behind its own time */
    int64_t a = at / 1000, b = q->at_us / 1000;
    switch (q->op) {
    case OP_LT:
        return a < b;
    case OP_LE:
        return a <= b;
    case OP_GT:
        return a > b;
    case OP_GE:
        return a >= b;
    default:
        return a == b;
    }
}

static int has_time(struct finding *g, const struct find *q, const struct drive_item *it)
{
    if (q->time == TIME_MODIFIED)
        return compares(q, it->modified_us);
    if (q->time == TIME_CREATED)
        return compares(q, it->created_us);
    if (find_mine(g, it) < 0)
        return -1;
    int64_t at = q->time == TIME_VIEWED ? g->mine.viewed_us : g->mine.shared_us;
    return at && compares(q, at);
}

static bool is_found(const struct find *q, int64_t id)
{
    size_t low = 0, high = q->n_found;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (q->found[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < q->n_found && q->found[low] == id;
}

static int shared_with_me(struct finding *g, const struct drive_item *it)
{
    if (it->owner == g->f->viewer->who->id)
        return 0;
    return find_mine(g, it) < 0 ? -1 : g->mine.shared_us != 0;
}

static bool type_has(struct finding *g, const struct find *q, const struct drive_item *it)
{
    const char *type = g->f->type(g->tx->arena, it);
    return q->kind == FIND_TYPE_IS ? strcasecmp(type, q->text) == 0
                                   : strcasestr(type, q->text) != NULL;
}

static bool target_type(struct finding *g, const struct find *q, const struct drive_item *it)
{
    if (!it->target_mime)
        return false;
    struct drive_item as = {.mime = it->target_mime};
    return strcasecmp(g->f->type(g->tx->arena, &as), q->text) == 0;
}

/* A question without kids. */
static int leaf_matches(struct finding *g, const struct find *q, const struct drive_item *it,
                        const struct drive_access *access)
{
    switch (q->kind) {
    case FIND_NAME_IS:
        return strcasecmp(it->name, q->text) == 0;
    case FIND_NAME_HAS:
        return (q->common || is_found(q, it->id)) && find_name_has(g->tx->arena, it->name, q->text);
    case FIND_TEXT:
        return q->common ? drive_index_has(g->tx, q->text, it->id) : is_found(q, it->id);
    case FIND_TYPE_IS:
    case FIND_TYPE_HAS:
        return type_has(g, q, it);
    case FIND_TIME:
        return has_time(g, q, it);
    case FIND_TRASHED:
        return access->trashed;
    case FIND_STARRED:
        return find_mine(g, it) < 0 ? -1 : g->mine.starred;
    case FIND_PARENT:
        return it->parent == q->id;
    case FIND_OWNER:
        return it->owner && it->owner == q->id;
    case FIND_WRITER:
        return has_role(g, q, it, ROLE_WRITER);
    case FIND_READER:
        return has_role(g, q, it, ROLE_READER);
    case FIND_SHARED_WITH_ME:
        return shared_with_me(g, it);
    case FIND_PROPERTY:
        return has_property(g->tx, q, it->id);
    case FIND_VISIBILITY: {
        enum find_visibility is = VISIBLE_LIMITED;
        return visibility(g->tx, it, &is) < 0 ? -1 : (int64_t)is == q->id;
    }
    case FIND_TARGET:
        return it->target_key && strcmp(it->target_key, q->text) == 0;
    case FIND_TARGET_TYPE:
        return target_type(g, q, it);
    default:
        return g->f->own ? g->f->own(g->tx, q, it) : 0;
    }
}

bool find_differs(struct finding *g, const struct find *q, const struct drive_item *it)
{
    switch (q->kind) {
    case FIND_AND:
        return find_differs(g, q->left, it) || find_differs(g, q->right, it);
    case FIND_OR:
        return find_differs(g, q->left, it) && find_differs(g, q->right, it);
    case FIND_NAME_IS:
        return strcasecmp(it->name, q->text) != 0;
    case FIND_TYPE_IS:
    case FIND_TYPE_HAS:
        return !type_has(g, q, it);
    case FIND_PARENT:
        return it->parent != q->id;
    case FIND_TIME:
        return (q->time == TIME_MODIFIED && !compares(q, it->modified_us)) ||
               (q->time == TIME_CREATED && !compares(q, it->created_us));
    default:
        return false;
    }
}

/* The tree's depth is bounded by FIND_NODES. */
int find_matches(struct finding *g, const struct find *q, const struct drive_item *it,
                 const struct drive_access *access)
{
    int r;
    switch (q->kind) {
    case FIND_AND:
        r = find_matches(g, q->left, it, access);
        return r == 1 ? find_matches(g, q->right, it, access) : r;
    case FIND_OR:
        r = find_matches(g, q->left, it, access);
        return r == 0 ? find_matches(g, q->right, it, access) : r;
    case FIND_NOT:
        r = find_matches(g, q->left, it, access);
        return r < 0 ? -1 : !r;
    default:
        return leaf_matches(g, q, it, access);
    }
}
