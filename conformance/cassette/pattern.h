/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an answer must be: JSON in which a text such as "${time}" or "${=id}@acme.example" is a
 * matcher (docs/conformance.md lists them). Compiled once, when a cassette is read, so that a
 * matcher nobody knows is a fault of a line and not of a run; matched against what came, into
 * captures and a list of differences.
 */
#ifndef SOSIA_CONFORMANCE_PATTERN_H
#define SOSIA_CONFORMANCE_PATTERN_H

#include "engine/base/map.h"
#include "engine/json/doc.h"

struct pattern;

/* ---- names ---- */

/* A matcher that a cassette defines: JSON of a document, compiled anew where it is used. */
struct pattern_name {
    const char *name;
    const struct json *value;
    struct doc *doc; /* where it is, for messages */
};

#define PATTERN_NAMES_DEEP 32

/* What is known while a cassette is compiled, and what must be freed with it. */
struct pattern_set {
    struct arena *arena;
    struct pattern_name *names; /* of the cassette's matchers; the last of a name holds */
    size_t n_names;
    struct map captures; /* names that have a value by now; the values mean nothing */
    struct regex *regexes;
    const struct pattern_name *open[PATTERN_NAMES_DEEP]; /* matchers that are being compiled */
    unsigned depth;                                      /* how many */
    size_t expanded;                                     /* values that they stood for by now */
    bool all_captures; /* names of captures are not checked: a definition is looked at by itself */
};

/* The arena outlives the set. */
void pattern_set_init(struct pattern_set *set, struct arena *arena);
void pattern_set_done(struct pattern_set *set);
/* Says that a name has a value from here on; -1 without memory. */
int pattern_set_know(struct pattern_set *set, const char *name);

/* Compiles a value of d's document; its captures are known to set afterwards. A fault (unknown
 * matcher, broken regex, value of a name that nothing captured) is reported by doc_fail(). */
int pattern_compile(struct pattern_set *set, struct doc *d, const struct json *value,
                    const struct pattern **ret_pattern);
/* The same for a text that is not a JSON string, such as a header's value. at: for the line. */
int pattern_compile_text(struct pattern_set *set, struct doc *d, const struct json *at,
                         const char *text, const struct pattern **ret_pattern);

/* ---- values of names, during a run ---- */

struct captures {
    struct arena *arena;          /* what is captured is copied into it */
    struct map values;            /* name -> const struct json * */
    const struct captures *under; /* asked for what is not here; NULL: nothing */
};
void captures_init(struct captures *c, struct arena *arena);
/* Gives all that is in c to to. -1 without memory. */
int captures_keep(const struct captures *c, struct captures *to);
void captures_done(struct captures *c);
/* -1 without memory. */
int captures_set(struct captures *c, const char *name, const struct json *value);
/* NULL: nothing of that name. */
const struct json *captures_get(const struct captures *c, const char *name);

/* ---- matching ---- */

enum difference_kind {
    DIFFERENCE_STATUS,
    DIFFERENCE_HEADER,
    DIFFERENCE_MISSING,    /* expected, and not there */
    DIFFERENCE_UNEXPECTED, /* there, and not expected */
    DIFFERENCE_TYPE,
    DIFFERENCE_VALUE,
    DIFFERENCE_ORDER, /* of members or of items */
    DIFFERENCE_BODY   /* no JSON where JSON was expected, or the other way round */
};
extern const char *const difference_names[]; /* "status", "header", ... by kind, NULL */

struct difference {
    enum difference_kind kind;
    const char *path;           /* "$.items[2].start.dateTime", "status", "header ETag" */
    const char *expected, *got; /* as JSON text; NULL where there is none */
    const struct json *value;   /* what came, as long as its document is there; NULL: not known */
    struct difference *next;
};

/* A place whose value a matcher took, not a literal. */
struct normalised {
    const char *path;
    struct normalised *next;
};

/* What a comparison adds up to. */
struct comparison {
    struct arena *arena; /* differences and paths are made here */
    size_t equal, total; /* fields: leaves of what is expected and of what came unexpected */
    struct difference *first, **last;
    bool order; /* the order of members counts */
    struct normalised *normalised, **last_normalised;
    /* For comparison_values(): paths of which only form and type count, with all below them; the
     * values mean nothing. NULL: none. */
    const struct map *loose;
};
/* order: the members of objects must come in the order in which they are expected. */
void comparison_init(struct comparison *c, struct arena *arena, bool order);
/* Counts a field that is compared by the caller; a difference if it is not equal. Texts are copied;
 * expected and got may be NULL. */
void comparison_field(struct comparison *c, enum difference_kind kind, const char *path,
                      const char *expected, const char *got, bool equal);
/* A value as it is in a difference: JSON text, cut where it is long. NULL: NULL. */
const char *comparison_shown(struct arena *a, const struct json *v);
/* Compares two values without matchers, member by member; either may be NULL: absent. */
void comparison_values(struct comparison *c, const char *path, const struct json *expected,
                       const struct json *got);

/* Matches a value (NULL: absent) that is at path. Captures are set also where other parts differ,
 * so that one difference does not make all that follows fail. */
void pattern_match(const struct pattern *p, const char *path, const struct json *value,
                   struct captures *captures, struct comparison *c);
/* A body as it is compared and kept, in the arena: each NUL and each byte that is not UTF-8 is one
 * U+FFFD, so that none of them is lost. */
const char *pattern_readable(struct arena *a, const char *text, size_t len);
/* The same for a body that is not JSON; only patterns of texts match. */
void pattern_match_text(const struct pattern *p, const char *path, const char *text, size_t len,
                        struct captures *captures, struct comparison *c);
/* Fields that must be there. */
size_t pattern_leaves(const struct pattern *p);
/* Of a body that is not JSON: "${text}" or "${lines}". */
bool pattern_is_text(const struct pattern *p);
/* Matches only what is not there. */
bool pattern_is_absent(const struct pattern *p);
/* A name of a capture, matcher, actor or step: letters, digits, - and _. */
bool pattern_is_name(const char *text, size_t len);
/* A matcher of that name is always there. */
bool pattern_name_taken(const char *name);

/* ---- requests ---- */

struct template_names {
    const struct captures *captures;
    /* The token or address of an actor; NULL: there is none. */
    const char *(*actor)(void *arg, const char *what, const char *name);
    void *arg;
    int64_t now_us; /* of the world */
};

/* Looks at a template: faults as in pattern_compile(). actors: NULL-terminated names. */
int template_check(struct pattern_set *set, struct doc *d, const struct json *value,
                   const char *const *actors);
int template_check_text(struct pattern_set *set, struct doc *d, const struct json *at,
                        const char *text, const char *const *actors);
/* The body of a request: JSON, a text, or one of {"${text}": TEXT}, {"${lines}": [LINE, ...]} (with
 * CRLF between them) and {"${form}": {NAME: TEXT, ...}} and {"${base64}": BYTES}. Looks at its
 * form, not into it. */
int template_check_body(struct doc *d, const struct json *body);
/* Appends the bytes of a body; ret_type: what its Content-Type is unless a header says otherwise.
 */
int template_body(struct arena *a, struct buf *out, const struct json *body,
                  const struct template_names *names, const char **ret_type, struct sosia_err *err);
/* Fills a text in. encode: what is filled in is percent-encoded. -1: a name has no value. */
int template_text(struct arena *a, const char *text, const struct template_names *names,
                  bool encode, const char **ret_text, struct sosia_err *err);

/* Text that means itself in a pattern or template: "${" becomes "$${". */
const char *pattern_escape(struct arena *a, const char *text);

#endif
