/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of messages, threads and drafts, and the pages they come in. A page token is the position
 * behind which the next page begins, mixed with a check of the mailbox and the method, as a decimal
 * number of 20 digits: it is opaque to programs, and a forged one is recognised.
 */
#include "services/mail/gmail/gmail.h"
#include "engine/base/codec.h"
#include "services/mail/gmail/query/query.h"
#include <xxhash.h>

#define MAX_PAGE   500
#define MORE       201 /* the service's estimate when there is more than a page */
#define CHECK_BITS 15
#define TOKEN_BASE UINT64_C(10000000000000000000)

size_t gmail_limit(const struct call *c)
{
    int64_t n = param_num(c, "maxResults", 100);
    return n <= 0 ? 100 : n > MAX_PAGE ? MAX_PAGE : (size_t)n;
}

/* ---- page tokens ---- */

static uint64_t token_seed(const struct call *c, const struct mailbox *mb)
{
    return XXH3_64bits_withSeed(c->route->id, strlen(c->route->id), (uint64_t)mb->id);
}

static uint64_t token_check(uint64_t seed, int64_t position)
{
    return XXH3_64bits_withSeed(&position, sizeof position, seed) & ((1 << CHECK_BITS) - 1);
}

static uint64_t token_mask(uint64_t seed, uint64_t check)
{
    return XXH3_64bits_withSeed(&check, sizeof check, ~seed) &
           ((UINT64_C(1) << GMAIL_POSITION_BITS) - 1);
}

const char *gmail_page_token(struct call *c, const struct mailbox *mb, int64_t position)
{
    uint64_t seed = token_seed(c, mb), check = token_check(seed, position);
    uint64_t v = ((uint64_t)position ^ token_mask(seed, check)) << CHECK_BITS | check;
    return arena_printf(c->tx.arena, "%llu", (unsigned long long)(TOKEN_BASE + v));
}

int gmail_page_position(struct call *c, const struct mailbox *mb, int64_t *ret)
{
    const char *text = param_str(c, "pageToken");
    uint64_t seed = token_seed(c, mb), v;
    if (!text || !*text)
        return 0;
    if (parse_u64(text, strlen(text), &v) < 0 || v < TOKEN_BASE)
        return gmail_invalid(c, "Invalid pageToken");
    v -= TOKEN_BASE;
    uint64_t check = v & ((1 << CHECK_BITS) - 1);
    int64_t position = (int64_t)(v >> CHECK_BITS ^ token_mask(seed, check));
    if (v >> (CHECK_BITS + GMAIL_POSITION_BITS) || token_check(seed, position) != check)
        return gmail_invalid(c, "Invalid pageToken");
    *ret = position;
    return 1;
}

/* ---- lists ---- */

/* The labels that the parameter labelIds names. */
static int wanted_labels(struct call *c, const struct mailbox *mb, int64_t **ret, size_t *ret_n)
{
    const struct param_value *v;
    size_t n = 0;
    while (param_nth(c, "labelIds", n))
        n++;
    *ret = arena_calloc(c->tx.arena, n + 1, sizeof **ret);
    *ret_n = 0;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; (v = param_nth(c, "labelIds", i)); i++) {
        struct gmail_label l;
        int r = gmail_label_find(c, mb, v->text, &l);
        if (r < 0)
            return -1;
        if (!r)
            return gmail_invalid(c, "Invalid label: %.100s", v->text);
        (*ret)[(*ret_n)++] = l.folder.id;
    }
    return 0;
}

static bool names_role(const struct mail_list *list, enum gmail_system_label role)
{
    for (size_t i = 0; i < list->n_folders; i++)
        if (list->folders[i] == mail_folder_id(list->mailbox, role))
            return true;
    return false;
}

/* The question in the parameter q. */
static int read_query(struct call *c, const struct mailbox *mb, struct query *ret)
{
    const char *q = param_str(c, "q");
    *ret = (struct query){0};
    if (q && gmail_metadata_only(c))
        return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL,
                         "Metadata scope does not support 'q' parameter");
    if (!q || !*q || gmail_query_parse(&c->tx, mb, q, ret) == 0)
        return 0;
    return c->tx.err->code == SOSIA_E_INVALID ? gmail_invalid(c, "Invalid query") : -1;
}

/* All parameters of a request but the page. */
static int read_list(struct call *c, const struct mailbox *mb, struct mail_list *list)
{
    int64_t *labels;
    struct query query;
    if (read_query(c, mb, &query) < 0 || wanted_labels(c, mb, &labels, &list->n_folders) < 0)
        return -1;
    list->folders = labels;
    list->query = query.tree;
    if (param_bool(c, "includeSpamTrash"))
        return 0;
    if (!query.spam && !names_role(list, LABEL_SPAM))
        list->without |= FLAG(LABEL_SPAM);
    if (!query.trash && !names_role(list, LABEL_TRASH))
        list->without |= FLAG(LABEL_TRASH);
    return 0;
}

/* How many there are in all: the service knows once it has given the last page. */
static int count(struct call *c, const struct mail_list *page, int64_t *ret)
{
    struct mail_list all = *page;
    struct mail_message *messages;
    size_t n;
    bool more = true;
    all.before = 0;
    all.limit = MAX_PAGE;
    for (*ret = 0; more; *ret += (int64_t)n) {
        if (mail_list(&c->tx, &all, &messages, &n, &more) < 0)
            return gmail_refused(c);
        more = more && n;
        all.before = n ? messages[n - 1].id : 0;
    }
    return 0;
}

int gmail_list(struct call *c, const struct mailbox *mb, bool threads, bool drafts,
               struct gmail_list *ret)
{
    struct mail_list list = {
        .mailbox = mb->id, .threads = threads, .drafts = drafts, .limit = gmail_limit(c)};
    int64_t position, high = mb->id << GMAIL_POSITION_BITS;
    bool more;
    *ret = (struct gmail_list){0};
    if (read_list(c, mb, &list) < 0)
        return -1;
    int paged = gmail_page_position(c, mb, &position);
    if (paged < 0)
        return -1;
    if (paged)
        list.before = high | position;
    if (mail_list(&c->tx, &list, &ret->messages, &ret->n, &more) < 0)
        return gmail_refused(c);
    ret->estimate = more ? MORE : (int64_t)ret->n;
    if (more)
        ret->next_page = gmail_page_token(
            c, mb, ret->messages[ret->n - 1].id & ((INT64_C(1) << GMAIL_POSITION_BITS) - 1));
    else if (paged)
        return count(c, &list, &ret->estimate);
    return 0;
}

void gmail_write_page(struct call *c, const struct gmail_list *list)
{
    json_str_opt(c->out, "nextPageToken", list->next_page);
    json_int(c->out, "resultSizeEstimate", list->estimate);
}
