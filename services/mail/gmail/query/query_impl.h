/* SPDX-License-Identifier: Apache-2.0 */
/* Between query.c, which knows the grammar, and query_operator.c, which knows the operators. */
#ifndef SOSIA_MAIL_GMAIL_QUERY_IMPL_H
#define SOSIA_MAIL_GMAIL_QUERY_IMPL_H

#include "services/mail/gmail/query/query.h"

enum query_op {
    OP_WORDS, /* none: words anywhere */
    OP_FROM,
    OP_TO,
    OP_CC,
    OP_BCC,
    OP_SUBJECT,
    OP_LIST,
    OP_DELIVERED_TO,
    OP_REPLY_TO,
    OP_FILENAME,
    OP_MESSAGE_ID,
    OP_LABEL,
    OP_IN,
    OP_IS,
    OP_HAS,
    OP_CATEGORY,
    OP_SINCE,  /* after, newer */
    OP_BEFORE, /* before, older */
    OP_NEWER_THAN,
    OP_OLDER_THAN,
    OP_LARGER,
    OP_SMALLER
};

struct parser {
    struct tx *tx;
    struct arena *a;
    const struct mailbox *mailbox;
    const char *p; /* what is left of the text */
    int depth;
    struct query *ret;
    struct mail_folder *labels; /* of the mailbox, when they are needed */
    size_t n_labels;
    bool has_labels;
    const char **addresses; /* of its person, when they are needed */
    size_t n_addresses;
};

/* The operator of a word such as "from:amy", and where its value begins; OP_WORDS: it has none. */
enum query_op operator_of(const char *word, size_t len, size_t *ret_value);
/* What an operator with a value asks for. quoted: it was in quotes. NULL: failed. */
const struct search *operator_apply(struct parser *k, enum query_op op, const char *value,
                                    size_t len, bool quoted);

/* The fields in which an operator looks for words; 0: it looks for none. */
unsigned operator_fields(enum query_op op);

/* A word without quotes, in these fields. */
const struct search *query_words(struct parser *k, unsigned fields, const char *word, size_t len);

/* Nodes. */
struct search *query_node(struct parser *k, enum search_kind kind);
const struct search *query_join(struct parser *k, enum search_kind kind,
                                const struct search *const *kids, size_t n);
const struct search *query_not(struct parser *k, const struct search *kid);
static inline const struct search *query_nothing(struct parser *k)
{
    return query_node(k, SEARCH_OR);
}

#endif
