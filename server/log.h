/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines with named values, logfmt or JSON, each written to stderr with one system call. */
#ifndef SOSIA_SERVER_LOG_H
#define SOSIA_SERVER_LOG_H

#include "server/server.h"

struct log {
    int severity; /* lines of this severity or a lower one are written */
    bool json;
    int fd;
};

struct log_line {
    struct log *log; /* NULL: not to be written */
    size_t len;
    char text[1024]; /* a longer line is cut between two values */
};

/* A log to standard error. */
void log_init(struct log *log, enum server_log_level level, bool json);
bool log_wants(const struct log *log, enum server_log_level level);
/* log_begin(&line, log, level, "what happened"); log_str(&line, "name", value); log_end(&line); A
 * line below the log's level costs a comparison. */
void log_begin(struct log_line *line, struct log *log, enum server_log_level level,
               const char *event);
void log_begin_always(struct log_line *line, struct log *log, const char *event);
void log_str(struct log_line *line, const char *name, const char *value);
void log_num(struct log_line *line, const char *name, int64_t value);
void log_end(struct log_line *line);

#endif
