/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suites of version 0.1 as data sets have them: a line of JSON a task, with `question` (the
 * prompt), `answer` (a specification, as text), `test_id`, `test_name` and `info`. They become a
 * document of which each task is in the line that it had, so that what is wrong in it is found
 * there.
 */
#include "grading/suite.h"

/* What is written as JSON in a text, or as it is. NULL: it is something else. */
static const struct json *said(struct arena *a, const struct json *v)
{
    const struct json *inner;
    struct sosia_err err;
    if (!v || v->type != JSON_STRING)
        return v;
    return json_parse(a, v->str, v->n, NULL, &inner, &err) < 0 ? NULL : inner;
}

static const struct json *row_of(struct arena *a, const char *line, size_t len,
                                 struct sosia_err *err)
{
    const struct json *row;
    return len && *line == '{' && memmem(line, len, "\"question\"", 10) &&
                   json_parse(a, line, len, NULL, &row, err) == 0 &&
                   json_get_str(row, "question") && json_get(row, "answer")
               ? row
               : NULL;
}

static int bad_row(struct sosia_err *err, const char *name, int line, const char *what)
{
    sosia_fail(err, SOSIA_E_INVALID, "suite", NULL, "%s:%d: %s", name, line, what);
    err->line = line;
    return -1;
}

static int write_row(struct arena *a, struct json_writer *w, const struct json *row,
                     const char *name, int line, struct sosia_err *err)
{
    const struct json *answer = said(a, json_get(row, "answer")),
                      *info = said(a, json_get(row, "info"));
    if (!answer || answer->type != JSON_OBJECT)
        return bad_row(err, name, line, "answer: must be a specification, an object or its JSON");
    json_obj(w, NULL);
    json_str_opt(w, "id", json_get_str(row, "test_id"));
    json_str_opt(w, "name", json_get_str(row, "test_name"));
    json_str(w, "prompt", json_get_str(row, "question"));
    json_str_opt(w, "seed_template", json_get_str(info, "seed_template"));
    json_str_opt(w, "impersonate_user_id", json_get_str(info, "impersonate_user_id"));
    json_value(w, "assertions", answer);
    json_end(w);
    return 0;
}

int suite_of_lines(struct arena *a, const char *text, size_t len, const char *name,
                   const char **ret, size_t *ret_len, struct sosia_err *err)
{
    struct json_writer w;
    struct sosia_err no_row;
    struct buf b;
    int line = 0, rc = 0, rows = 0;
    const char *end = memchr(text, '\n', len);
    if (!row_of(a, text, end ? (size_t)(end - text) : len, &no_row))
        return 0;
    buf_init(&b, 0);
    buf_puts(&b, "{\"tests\":[");
    for (size_t at = 0; rc == 0 && at < len; at++) {
        end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        bool blank = strspn(text + at, " \t\r") >= n;
        const struct json *row = blank ? NULL : row_of(a, text + at, n, &no_row);
        line++;
        if (!blank && !row)
            rc = bad_row(err, name, line,
                         "must be an object with \"question\" and \"answer\" as the lines before "
                         "it");
        if (row) {
            buf_puts(&b, rows++ ? "," : "");
            json_init(&w, &b, false, NULL);
            rc = write_row(a, &w, row, name, line, err);
        }
        if (end)
            buf_puts(&b, "\n");
        at += n;
    }
    buf_puts(&b, "]}");
    *ret_len = b.len;
    *ret = arena_memdup(a, buf_str(&b), b.len);
    if (rc == 0 && (buf_failed(&b) || arena_failed(a)))
        rc = sosia_fail_memory(err);
    buf_done(&b);
    return rc < 0 ? -1 : 1;
}
