/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the server "desktop-commander". */
#ifndef SOSIA_MCP_DESKTOP_H
#define SOSIA_MCP_DESKTOP_H

#include "mcp/servers/run.h"

enum { DESKTOP_LINES = 1000, DESKTOP_WRITTEN = 50, DESKTOP_OUTPUT = 4 << 20 };
/* A bound of results, as the original calls it, and some vendors too. */
#define DESKTOP_MOST                                                                               \
    "max"                                                                                          \
    "Results"

/* "Error: ..." as the result. */
__attribute__((format(printf, 2, 3))) int desktop_fail(struct call *c, const char *fmt, ...);

/* A number; usual: of what is none. */
static inline double desktop_number(const struct json *v, double usual)
{
    double n;
    return v && v->type == JSON_NUMBER && json_double(v, &n) == 0 ? n : usual;
}

int desktop_read(struct call *c);
int desktop_write(struct call *c);
int desktop_mkdir(struct call *c);
int desktop_list(struct call *c);
int desktop_move(struct call *c);
int desktop_edit(struct call *c);
int desktop_read_several(struct call *c);
int desktop_info(struct call *c);
int desktop_search(struct call *c);
int desktop_search_more(struct call *c);
int desktop_search_stop(struct call *c);
int desktop_searches(struct call *c);
int desktop_start(struct call *c);
int desktop_output(struct call *c);
int desktop_terminate(struct call *c);
int desktop_sessions(struct call *c);
int desktop_interact(struct call *c);
int desktop_config(struct call *c);
int desktop_set_config(struct call *c);
int desktop_processes(struct call *c);
int desktop_kill(struct call *c);
int desktop_write_pdf(struct call *c);
int desktop_usage(struct call *c);
int desktop_recent(struct call *c);

/* ---- files, desktop.c ---- */

/* Where a path leads: 1 it is there; 2 nothing is; 0: refused, which is answered; -1. what: the
 * call of the system that the original makes. */
int desktop_find(struct call *c, const char *what, const char *text, struct workspace_place *ret);
/* Answers what the core has refused, in the original's words; without a refusal: -1. */
int desktop_refused(struct call *c, const char *what, const char *text);
/* Answers that there is nothing of that name. */
int desktop_absent(struct call *c, const char *what, const char *text);
/* The bytes of a file, in the arena: 1; 0: refused, which is answered; -1. */
int desktop_load(struct call *c, const char *text, struct workspace_place *at, const char **ret,
                 size_t *ret_len);
/* Lines of a text, behind a line that says which. */
void desktop_put_lines(struct buf *b, const char *text, size_t n, int64_t offset, int64_t length);
/* What is in a directory, a line each. shown: in front of their names. 0, -1. */
int desktop_list_below(struct call *c, struct buf *b, const char *dir, const char *shown,
                       int64_t depth);

/* Answers with what is most like a text that is not in a file: how much alike they are, and in what
 * they differ. path: as it was given. Where both are too long for that, without it. 0, -1. */
int desktop_nearest(struct call *c, const char *path, const char *text, size_t n, const char *what,
                    size_t len);

/* ---- kinds of files, desktop_read.c ---- */

enum desktop_kind {
    DESKTOP_TEXT,
    DESKTOP_FOLDER,
    DESKTOP_PICTURE,
    DESKTOP_SHEET,
    DESKTOP_PDF,
    DESKTOP_BINARY
};
/* Of a file: by the end of its name, else by its bytes. */
enum desktop_kind desktop_kind(const char *path, const char *data, size_t n);
/* What is said of a PDF, a line each. 0, -1. */
int desktop_put_pdf(struct call *c, const char *data, size_t n, struct buf *b);

/* Adds Markdown with what its HTML says in the place of tags, and '\f' where a page ends. */
void desktop_put_markdown(struct buf *b, const char *text, size_t n);

/* ---- workbooks, desktop_sheet.c ---- */

/* Which cells of a workbook are read. */
struct desktop_cells {
    const char *sheet, *range; /* NULL: none is named */
    int64_t offset, length;    /* of rows; length < 0: all */
};
/* Cells as JSON, behind lines that say which. path: as it was given. 1; 0: they can't be read,
 * *ret_why says why, in the arena; -1: no memory. */
int desktop_put_cells(struct call *c, const char *path, const char *data, size_t n,
                      const struct desktop_cells *cells, struct buf *b, const char **ret_why);
/* What is said of the sheets of a workbook, a line each. 0, -1. */
int desktop_put_sheets(struct call *c, const char *data, size_t n, struct buf *b);
/* The bytes of a workbook of rows of values: of a new one, or behind those of one that is there
 * (data not NULL). As desktop_put_cells(). */
int desktop_make_sheets(struct call *c, const char *data, size_t n, const char *content,
                        struct buf *ret, const char **ret_why);
/* The same of one whose cells from a place on ("Sheet1!B2") are others; of a sheet's name, of
 * all of it. */
int desktop_set_cells(struct call *c, const char *data, size_t n, const char *range,
                      const struct json *values, struct buf *ret, const char **ret_why);

/* ---- settings, desktop_setting.c ---- */

struct desktop_settings {
    const char *const *blocked, *const *allowed; /* commands; directories: none are all */
    size_t n_blocked, n_allowed;
    const char *shell;
    int64_t written; /* lines that are written without advice */
    int64_t read;    /* lines that are read of each of several files, and of a process */
};
/* As they are in the world. In the arena. 0, -1. */
int desktop_settings(struct call *c, struct desktop_settings *ret);
/* A path as the workspace's core has it, of one that was given. 1; 0: the settings do not allow it,
 * *ret_why says so; -1. */
int desktop_inside(struct call *c, const char *text, const char **ret, const char **ret_why);

/* ---- processes ---- */

/* Whether an output looks as if its process had finished. */
bool desktop_looks_finished(const char *text, size_t n);
/* As desktop_start(), where the world's setting lets processes go on. The arguments are read. */
int desktop_begin(struct call *c, const char *const *argv, const char *shell, int64_t timeout_ms);

#endif
