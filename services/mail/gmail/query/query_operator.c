/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of Gmail's search language and their values. */
#include "services/mail/gmail/query/query_impl.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/utf8.h"
#include <ctype.h>
#include <strings.h>

static const struct {
    const char *name;
    enum query_op op;
} names[] = {
    {"after", OP_SINCE},
    {"bcc", OP_BCC},
    {"before", OP_BEFORE},
    {"category", OP_CATEGORY},
    {"cc", OP_CC},
    {"deliveredto", OP_DELIVERED_TO},
    {"filename", OP_FILENAME},
    {"from", OP_FROM},
    {"has", OP_HAS},
    {"in", OP_IN},
    {"is", OP_IS},
    {"l", OP_LABEL},
    {"label", OP_LABEL},
    {"larger", OP_LARGER},
    {"list", OP_LIST},
    {"newer", OP_SINCE},
    {"newer_than", OP_NEWER_THAN},
    {"older", OP_BEFORE},
    {"older_than", OP_OLDER_THAN},
    {"replyto", OP_REPLY_TO},
    {"rfc822msgid", OP_MESSAGE_ID},
    {"size", OP_LARGER},
    {"smaller", OP_SMALLER},
    {"subject", OP_SUBJECT},
    {"to", OP_TO},
};

enum query_op operator_of(const char *word, size_t len, size_t *ret_value)
{
    const char *colon = memchr(word, ':', len);
    size_t n = colon ? (size_t)(colon - word) : 0;
    for (size_t i = 0; i < SOSIA_LEN(names) && n; i++) {
        if (strlen(names[i].name) == n && strncasecmp(word, names[i].name, n) == 0) {
            *ret_value = n + 1;
            return names[i].op;
        }
    }
    return OP_WORDS;
}

unsigned operator_fields(enum query_op op)
{
    switch (op) {
    case OP_WORDS:
        return FIELDS_ANY;
    case OP_FROM:
        return FIELD_FROM;
    case OP_TO:
        return FIELD_TO | FIELD_CC | FIELD_BCC;
    case OP_CC:
        return FIELD_CC;
    case OP_BCC:
        return FIELD_BCC;
    case OP_SUBJECT:
        return FIELD_SUBJECT;
    case OP_LIST:
        return FIELD_LIST;
    case OP_DELIVERED_TO:
        return FIELD_DELIVERED;
    case OP_REPLY_TO:
        return FIELD_REPLY;
    case OP_FILENAME:
        return FIELD_FILE;
    default:
        return 0;
    }
}

/* ---- labels ---- */

static const struct search *flags(struct parser *k, uint32_t bits)
{
    struct search *n = query_node(k, SEARCH_FLAGS);
    n->bits = bits;
    return n;
}

/* A label's name as questions spell it: these signs and spaces are dashes. */
static char *spell(struct parser *k, const char *name)
{
    char *text = arena_strdup(k->a, utf8_fold(k->a, name));
    if (!arena_failed(k->a))
        for (char *p = text; *p; p++)
            if (strchr(" &()\"|{}/", *p))
                *p = '-';
    return text;
}

static int load_labels(struct parser *k)
{
    struct mail_folder *list;
    size_t n;
    if (k->has_labels)
        return 0;
    if (mail_folder_list(k->tx, k->mailbox->id, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        list[i].name = spell(k, list[i].name);
    k->labels = list;
    k->n_labels = n;
    k->has_labels = true;
    return 0;
}

/* Roles as questions name them, besides the names that they have. */
static const struct {
    const char *name;
    uint32_t flags;
} roles[] = {
    {"chats", FLAG(LABEL_CHAT)},
    {"drafts", FLAG(LABEL_DRAFT)},
    {"bin", FLAG(LABEL_TRASH)},
    {"^b", FLAG(LABEL_CHAT)},
    {"^f", FLAG(LABEL_SENT)},
    {"^i", FLAG(LABEL_INBOX)},
    {"^k", FLAG(LABEL_TRASH)},
    {"^r", FLAG(LABEL_DRAFT)},
    {"^s", FLAG(LABEL_SPAM)},
    {"^smartlabel_group", FLAG(LABEL_FORUMS)},
    {"^smartlabel_notification", FLAG(LABEL_UPDATES)},
    {"^smartlabel_personal", FLAG(LABEL_PERSONAL)},
    {"^smartlabel_promo", FLAG(LABEL_PROMOTIONS)},
    {"^smartlabel_social", FLAG(LABEL_SOCIAL)},
    {"^ss_sy", FLAG(LABEL_STARRED)}, /* the yellow star */
    {"^t", FLAG(LABEL_STARRED)},
    {"^u", FLAG(LABEL_UNREAD)},
};

static const struct search *role(struct parser *k, uint32_t bits)
{
    k->ret->spam = k->ret->spam || (bits & FLAG(LABEL_SPAM));
    k->ret->trash = k->ret->trash || (bits & FLAG(LABEL_TRASH));
    return flags(k, bits);
}

/* A label by its name; in quotes the name may be written as it is. */
static const struct search *labelled(struct parser *k, const char *value, bool quoted)
{
    const char *name = quoted ? spell(k, value) : utf8_fold(k->a, value);
    if (!quoted) { /* a slash needs none */
        char *copy = arena_strdup(k->a, name);
        for (char *p = copy; !arena_failed(k->a) && *p; p++)
            if (*p == '/')
                *p = '-';
        name = copy;
    }
    for (size_t i = 0; i < SOSIA_LEN(roles); i++)
        if (strcmp(name, roles[i].name) == 0)
            return role(k, roles[i].flags);
    for (int i = 0; i < N_SYSTEM_LABELS; i++)
        if (strcasecmp(name, label_words[i]) == 0)
            return role(k, FLAG(i));
    if (load_labels(k) < 0)
        return NULL;
    const struct search **found = arena_alloc(k->a, (k->n_labels + 1) * sizeof *found);
    size_t n = 0;
    if (arena_failed(k->a))
        return query_nothing(k);
    for (size_t i = 0; i < k->n_labels; i++) {
        const struct mail_folder *l = &k->labels[i];
        if (mail_folder_is_fixed(l->id) || strcmp(l->name, name) != 0)
            continue;
        struct search *one = query_node(k, SEARCH_FOLDER);
        one->id = l->id;
        found[n++] = one;
    }
    return query_join(k, SEARCH_OR, found, n);
}

/* ---- places and states ---- */

static const struct search *without(struct parser *k, uint32_t bits)
{
    const struct search **kids = arena_alloc(k->a, N_SYSTEM_LABELS * sizeof *kids);
    size_t n = 0;
    for (int i = 0; i < N_SYSTEM_LABELS; i++)
        if (bits & FLAG(i))
            kids[n++] = query_not(k, flags(k, FLAG(i)));
    return query_join(k, SEARCH_AND, kids, n);
}

static const struct search *in(struct parser *k, const char *value, bool quoted)
{
    if (strcasecmp(value, "anywhere") == 0) {
        k->ret->spam = k->ret->trash = true;
        return query_node(k, SEARCH_AND);
    }
    if (strcasecmp(value, "archive") == 0)
        return without(k, FLAG(LABEL_INBOX) | FLAG(LABEL_SENT) | FLAG(LABEL_DRAFT) |
                              FLAG(LABEL_SPAM) | FLAG(LABEL_TRASH) | FLAG(LABEL_CHAT));
    return labelled(k, value, quoted); /* nothing is ever snoozed here */
}

static const struct search *is(struct parser *k, const char *value)
{
    static const struct {
        const char *name;
        uint32_t flags;
    } states[] = {
        {"chat", FLAG(LABEL_CHAT)},           {"draft", FLAG(LABEL_DRAFT)},
        {"important", FLAG(LABEL_IMPORTANT)}, {"inbox", FLAG(LABEL_INBOX)},
        {"sent", FLAG(LABEL_SENT)},           {"spam", FLAG(LABEL_SPAM)},
        {"starred", FLAG(LABEL_STARRED)},     {"trash", FLAG(LABEL_TRASH)},
        {"unread", FLAG(LABEL_UNREAD)},
    };
    if (strcasecmp(value, "read") == 0)
        return query_not(k, flags(k, FLAG(LABEL_UNREAD)));
    for (size_t i = 0; i < SOSIA_LEN(states); i++)
        if (strcasecmp(value, states[i].name) == 0)
            return role(k, states[i].flags);
    return query_nothing(k); /* "muted", "snoozed": no call can make a message so */
}

static const struct search *category(struct parser *k, const char *value)
{
    static const struct {
        const char *name;
        enum gmail_system_label role;
    } categories[] = {{"primary", LABEL_PERSONAL},
                      {"social", LABEL_SOCIAL},
                      {"promotions", LABEL_PROMOTIONS},
                      {"updates", LABEL_UPDATES},
                      {"forums", LABEL_FORUMS}};
    for (size_t i = 0; i < SOSIA_LEN(categories); i++)
        if (strcasecmp(value, categories[i].name) == 0)
            return flags(k, FLAG(categories[i].role));
    return query_nothing(k);
}

static const struct search *has(struct parser *k, const char *value)
{
    static const struct {
        const char *name;
        uint32_t bits;
    } things[] = {{"attachment", HAS_FILE},
                  {"document", HAS_DOCUMENT},
                  {"drive", HAS_DRIVE},
                  {"presentation", HAS_PRESENTATION},
                  {"spreadsheet", HAS_SPREADSHEET},
                  {"youtube", HAS_VIDEO}};
    for (size_t i = 0; i < SOSIA_LEN(things); i++) {
        if (strcasecmp(value, things[i].name) == 0) {
            struct search *n = query_node(k, SEARCH_HAS);
            n->bits = things[i].bits;
            return n;
        }
    }
    if (strcasecmp(value, "userlabels") == 0)
        return flags(k, FLAG_OWN_FOLDERS);
    if (strcasecmp(value, "nouserlabels") == 0)
        return query_not(k, flags(k, FLAG_OWN_FOLDERS));
    return query_nothing(k); /* stars by colour are not found through the API */
}

/* ---- dates ---- */

static int64_t midnight(int year, int month, int day)
{
    return days_from_civil(year, month, day) * SECONDS_PER_DAY - QUERY_ZONE;
}

/* "2026/01/11", "01/11/2026", with dashes or points too, a month or a year alone, or seconds since
 * 1970. */
static bool read_date(const char *text, int64_t *ret)
{
    int64_t part[3];
    size_t len[3], n = 0;
    const char *p = text;
    for (;;) {
        len[n] = strspn(p, "0123456789");
        if (!len[n] || parse_i64(p, len[n], &part[n]) < 0)
            return false;
        p += len[n++];
        if (!*p)
            break;
        if (n == 3 || !strchr("/-.", *p++))
            return false;
    }
    if (n == 1 && len[0] != 4) {
        *ret = part[0];
        return true;
    }
    bool year_last = n == 3 && len[0] < 4 && len[2] == 4;
    int64_t year = year_last ? part[2] : part[0];
    int64_t month = n == 1 ? 1 : year_last ? part[0] : part[1];
    int64_t day = n < 3 ? 1 : year_last ? part[1] : part[2];
    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 ||
        day > days_in_month((int)year, (int)month) || (!year_last && len[0] != 4))
        return false;
    *ret = midnight((int)year, (int)month, (int)day);
    return true;
}

static const struct search *between(struct parser *k, int64_t from, int64_t to)
{
    struct search *n = query_node(k, SEARCH_DATE);
    n->from = from;
    n->to = to;
    return n;
}

/* The time so many months ago, as a clock on the wall shows it. */
static int64_t months_ago(int64_t now, int64_t months)
{
    struct civil t;
    civil_from_seconds(now + QUERY_ZONE, &t);
    int64_t count = (int64_t)t.year * 12 + (t.month - 1) - months;
    if (count < 12)
        return 0;
    t.year = (int)(count / 12);
    t.month = (int)(count % 12) + 1;
    if (t.day > days_in_month(t.year, t.month))
        t.day = days_in_month(t.year, t.month);
    return civil_to_seconds(&t) - QUERY_ZONE;
}

/* "3d", "2m", "1y" before now; hours are not documented, but known to work. */
static bool read_age(struct parser *k, const char *text, int64_t *ret)
{
    int64_t now = k->tx->now_us / US_PER_SECOND, n;
    size_t len = strspn(text, "0123456789");
    if (!len || len > 6 || parse_i64(text, len, &n) < 0 || !text[len] || text[len + 1])
        return false;
    switch (tolower((unsigned char)text[len])) {
    case 'h':
        *ret = now - n * 3600;
        return true;
    case 'd':
        *ret = now - n * SECONDS_PER_DAY;
        return true;
    case 'm':
        *ret = months_ago(now, n);
        return true;
    case 'y':
        *ret = months_ago(now, 12 * n);
        return true;
    default:
        return false;
    }
}

/* ---- sizes ---- */

#define SIZE_ASKED (INT64_C(1) << 40) /* no message has more bytes */

/* "1000000", "10M", "1.5k", "2MB" */
static bool read_size(const char *text, int64_t *ret)
{
    static const char units[] = "bkmg";
    size_t len = strspn(text, "0123456789.");
    const char *p = text + len;
    double n, unit = 1;
    if (!len || len > 15 || parse_double(text, len, &n) < 0)
        return false;
    if (*p) {
        const char *found = strchr(units, tolower((unsigned char)*p++));
        for (const char *u = units; found && u < found; u++)
            unit *= 1024;
        if (!found || (*p && (unit < 2 || tolower((unsigned char)*p++) != 'b')) || *p)
            return false;
    }
    n *= unit;
    *ret = n < SIZE_ASKED ? (int64_t)n : SIZE_ASKED;
    return true;
}

/* ---- all of them ---- */

/* An address by itself; "me" is the mailbox's person. */
static const struct search *me(struct parser *k, unsigned fields)
{
    if (!k->addresses && mailbox_addresses(k->tx, k->mailbox, &k->addresses, &k->n_addresses) < 0)
        return NULL;
    const struct search **kids = arena_alloc(k->a, (k->n_addresses + 1) * sizeof *kids);
    if (arena_failed(k->a))
        return query_nothing(k);
    for (size_t i = 0; i < k->n_addresses; i++) {
        struct search *one = query_node(k, SEARCH_ADDRESS);
        one->fields = fields;
        one->text = k->addresses[i];
        kids[i] = one;
    }
    return query_join(k, SEARCH_OR, kids, k->n_addresses);
}

static const struct search *sized(struct parser *k, enum query_op op, const char *value)
{
    int64_t size;
    if (!read_size(value, &size))
        return query_nothing(k);
    struct search *n = query_node(k, SEARCH_SIZE);
    n->from = op == OP_LARGER ? size + 1 : 0;
    n->to = op == OP_LARGER ? INT64_MAX : size;
    return n;
}

static const struct search *dated(struct parser *k, enum query_op op, const char *value)
{
    int64_t at;
    bool good = op == OP_NEWER_THAN || op == OP_OLDER_THAN ? read_age(k, value, &at)
                                                           : read_date(value, &at);
    if (!good)
        return query_nothing(k);
    return op == OP_SINCE || op == OP_NEWER_THAN ? between(k, at, INT64_MAX)
                                                 : between(k, INT64_MIN, at);
}

const struct search *operator_apply(struct parser *k, enum query_op op, const char *value,
                                    size_t len, bool quoted)
{
    const char *text = arena_memdup(k->a, value, len);
    unsigned fields = operator_fields(op);
    if (arena_failed(k->a))
        return query_nothing(k);
    switch (op) {
    case OP_MESSAGE_ID: {
        struct search *n = query_node(k, SEARCH_MESSAGE_ID);
        n->text = text;
        return n;
    }
    case OP_LABEL:
        return labelled(k, text, quoted);
    case OP_IN:
        return in(k, text, quoted);
    case OP_IS:
        return is(k, text);
    case OP_HAS:
        return has(k, text);
    case OP_CATEGORY:
        return category(k, text);
    case OP_LARGER:
    case OP_SMALLER:
        return sized(k, op, text);
    case OP_SINCE:
    case OP_BEFORE:
    case OP_NEWER_THAN:
    case OP_OLDER_THAN:
        return dated(k, op, text);
    default:
        if (op >= OP_FROM && op <= OP_BCC && strcasecmp(text, "me") == 0)
            return me(k, fields);
        return query_words(k, fields, text, len);
    }
}
