/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A corpus: what a core has that can be searched (the messages of mailboxes, the files of drives,
 * the messages of channels), declared once as a constant. The engine knows of it what is said here
 * and nothing else.
 *
 * A document has a key: a number above 0 that rises in the order in which matches are given, newest
 * first, which is the greatest key first. The bits from group_bits upwards are its group (a
 * mailbox, a drive, a workspace): a question is asked of one group. So "newest first" is usually
 * group << group_bits | time << bits | number; a document whose place in the order changes (a file
 * that is modified) is taken out under its old key and put in under its new one. Matches in any
 * other order (by name) are had by taking all of them (walk.h) and sorting.
 *
 * The index is a table of FTS5's without content, which the core's schema makes:
 *
 *     create virtual table drive_index using fts5 (name, body, extra,
 *         content = '', columnsize = 0,
 *         tokenize = "ascii tokenchars '!#$%&''()*+,-./:;<=>?@[\]^_`{|}~'");
 *
 * Its tokenizer splits at spaces only, since words are made by words.h; its rowids are keys as
 * search_mirror() gives them. A column may hold words with a mark in front ("d:ada"): a ':' is in
 * no word, so that a word without a field never finds them.
 */
#ifndef SOSIA_SEARCH_CORPUS_H
#define SOSIA_SEARCH_CORPUS_H

#include "engine/search/question.h"

#define SEARCH_COLUMNS  8    /* of an index, at most */
#define SEARCH_FIELDS   16   /* of a corpus, at most */
#define SEARCH_MARK_HAS "h:" /* and a bit of search_text.has, in decimal digits */
#define SEARCH_STROKE   "| " /* between texts that have nothing to do with each other */

/* The words of a document, "w1 w2 " for each column (index.h makes them). Borrowed. */
struct search_text {
    uint32_t has; /* what it has, as bits of the corpus's; marks of them are in a column */
    const char *columns[SEARCH_COLUMNS];
    size_t len[SEARCH_COLUMNS];
};

/* A field of questions: a bit, and where its words are. Fields without a mark come first; they
 * are looked at together, those with one by one. */
struct search_field {
    unsigned field;
    unsigned column;
    const char *mark; /* "": none */
};

/* Documents in the order of their keys, from the core's tables: select KEY ... where KEY <= :from
 * and KEY >= :first order by KEY desc limit :n, with :id in front of these where there is one. */
struct search_list {
    struct sql_text sql;
    bool by_id;
};

/* Statements on the index; SEARCH_SQL() makes them. match has no upper end: SQLite would compare
 * each number with it once more behind FTS5, and who reads stops there by itself. */
struct search_sql {
    struct sql_text add, remove, match, near, optimize;
};
/* names: "name, body, extra"; values: as many parameters, ":a, :b, :c". */
#define SEARCH_SQL(table, names, values)                                                           \
    {                                                                                              \
        .add = SQL_TEXT("insert into " table " (rowid, " names ") values (:id, " values ")"),      \
        .remove = SQL_TEXT("insert into " table " (" table ", rowid, " names                       \
                           ") values ('delete', :id, " values ")"),                                \
        .match = SQL_TEXT("select rowid from " table " where " table                               \
                          " match :match and rowid >= :from order by rowid limit :n"),             \
        .near = SQL_TEXT("select rowid from " table " where " table                                \
                         " match :match and rowid >= :from and rowid <= :first and "               \
                         "in_order(" table ", :distance) order by rowid limit :n"),                \
        .optimize = SQL_TEXT("insert into " table " (" table ") values ('optimize')"),             \
    }

/* Lists of documents that lack a common word (engine/search/common.c), in two tables:
 *
 *     create table drive_common (id integer primary key, drive integer not null,
 *         word text not null, unique (drive, word)) strict;
 *     create table drive_lacking (common integer not null, item integer not null,
 *         primary key (common, item)) strict, without rowid;
 *
 * Both follow from the documents, as the index does: an import empties them. */
struct search_common {
    struct sql_text words, find, learn, forget, enlist, unlist, unlist_all;
    struct search_list list;
    /* For tests; 0: as common.c has it. One document in `every` makes the index look for such
     * words, in groups of at least `least` documents; the `newest` newest ones of a group decide
     * what is common.
     */
    unsigned every, least, newest;
};
#define SEARCH_COMMON(table, group, lacking, key)                                                  \
    {                                                                                              \
        .words = SQL_TEXT("select id, word from " table " where " group                            \
                          " = :group order by word limit :n"),                                     \
        .find = SQL_TEXT("select id from " table " where " group " = :group and word = :word"),    \
        .learn = SQL_TEXT("insert into " table " (" group ", word) values (:group, :word)"),       \
        .forget = SQL_TEXT("delete from " table " where id = :id"),                                \
        .enlist = SQL_TEXT("insert or ignore into " lacking " (common, " key                       \
                           ") values (:common, :key)"),                                            \
        .unlist = SQL_TEXT("delete from " lacking " where common = :common and " key " = :key"),   \
        .unlist_all = SQL_TEXT("delete from " lacking " where common = :common"),                  \
        .list = {.sql =                                                                            \
                     SQL_TEXT("select " key " from " lacking " where common = :id and " key        \
                              " <= :from and " key " >= :first order by " key " desc limit :n"),   \
                 .by_id = true},                                                                   \
    }

struct search_compiler;
struct search_node;

struct corpus {
    const char *name;           /* for people: "mail" */
    const char *const *columns; /* of the index */
    unsigned n_columns;
    const struct search_field *fields;
    unsigned n_fields;
    unsigned any; /* the bits of all fields without a mark */
    unsigned group_bits;
    struct search_sql *sql;
    struct search_common *common;     /* NULL: no lists of what lacks a word are kept */
    struct search_list *all;          /* all documents */
    struct search_list *const *lists; /* others, by their place here */
    const char *const *kinds;         /* words for SEARCH_OWN, SEARCH_OWN + 1, ...; NULL ends */
    /* Does a question of one of those kinds have the members that it needs? NULL: always. */
    bool (*whole)(const struct search *q);
    /* The node of such a question, made by the functions below. arg: of who asks (walk.h). NULL:
     * failed. */
    struct search_node *(*compile)(struct search_compiler *k, const struct search *q, void *arg);
    /* Does the document with this key pass the test (search_node_test())? 1, 0, -1. NULL: there
     * are none. */
    int (*test)(struct tx *tx, const struct search *q, int64_t key, void *arg);
};

/* ---- nodes, for compile() ---- */

struct tx *search_compiler_tx(const struct search_compiler *k);
struct arena *search_compiler_arena(const struct search_compiler *k);
/* Those in a list of the corpus's (its place in corpus.lists). */
struct search_node *search_node_list(struct search_compiler *k, unsigned list, int64_t id);
/* Those with first <= key <= last. */
struct search_node *search_node_range(struct search_compiler *k, int64_t first, int64_t last);
/* Those with one of these words, marks and all, each followed by a space; NULL: there are none. */
struct search_node *search_node_words(struct search_compiler *k, const char *words);
/* Those with the words of the text next to each other in one of the fields without a mark, where
 * the last one may go on: "hel" finds "hello". A text without words: everything. */
struct search_node *search_node_begins(struct search_compiler *k, unsigned fields,
                                       const char *text);
/* Those with these keys, in the arena, greatest first. */
struct search_node *search_node_keys(struct search_compiler *k, int64_t *keys, size_t n);
/* Those that pass the corpus's test of q, which lives as long as the arena. With lists: exactly
 * what is in all of them passes, and it is found by them. */
struct search_node *search_node_test(struct search_compiler *k, const struct search *q,
                                     struct search_node *const *lists, size_t n);
/* Everything. */
struct search_node *search_node_everything(struct search_compiler *k);
/* What is in both. */
struct search_node *search_node_both(struct search_compiler *k, struct search_node *x,
                                     struct search_node *y);

#endif
