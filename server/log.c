/* SPDX-License-Identifier: Apache-2.0 */
#include "server/log.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const NAMES[] = {"off", "error", "warn", "info", "debug"};

static int severity(enum server_log_level level)
{
    switch (level) {
    case SERVER_LOG_OFF:
        return 0;
    case SERVER_LOG_ERROR:
        return 1;
    case SERVER_LOG_WARN:
        return 2;
    case SERVER_LOG_INFO:
        return 3;
    case SERVER_LOG_DEBUG:
        break;
    }
    return 4;
}

void log_init(struct log *log, enum server_log_level level, bool json)
{
    log->severity = severity(level);
    log->json = json;
    log->fd = STDERR_FILENO;
}

bool log_wants(const struct log *log, enum server_log_level level)
{
    return severity(level) <= log->severity;
}

/* Room is kept for the end of the line. */
static bool put(struct log_line *line, const char *text, size_t n)
{
    if (n > sizeof line->text - 4 - line->len)
        return false;
    memcpy(line->text + line->len, text, n);
    line->len += n;
    return true;
}

static bool put_escaped(struct log_line *line, const char *value)
{
    static const char HEX[] = "0123456789abcdef";
    for (const char *p = value; *p; p++) {
        unsigned char c = (unsigned char)*p;
        char u[6] = {'\\', 'u', '0', '0', HEX[c >> 4], HEX[c & 15]};
        bool ok;
        if (c == '"' || c == '\\')
            ok = put(line, (char[]){'\\', (char)c}, 2);
        else if (c < 0x20 || c >= 0x7f) /* a byte; what comes from outside need not be UTF-8 */
            ok = put(line, u, sizeof u);
        else
            ok = put(line, p, 1);
        if (!ok)
            return false;
    }
    return true;
}

static bool is_plain(const char *value)
{
    if (!*value)
        return false;
    for (const char *p = value; *p; p++)
        if (*p <= ' ' || *p > '~' || *p == '"' || *p == '=' || *p == '\\')
            return false;
    return true;
}

/* name=value or "name":value; a pair that does not fit is left out as a whole. */
static void pair(struct log_line *line, const char *name, const char *value, bool quoted)
{
    if (!line->log)
        return;
    size_t before = line->len;
    bool json = line->log->json;
    bool ok = put(line, json ? (before > 1 ? "," : "") : (before ? " " : ""),
                  json ? before > 1 : before > 0);
    if (json)
        ok = ok && put(line, "\"", 1) && put(line, name, strlen(name)) && put(line, "\":", 2);
    else
        ok = ok && put(line, name, strlen(name)) && put(line, "=", 1);
    if (quoted && (json || !is_plain(value)))
        ok = ok && put(line, "\"", 1) && put_escaped(line, value) && put(line, "\"", 1);
    else
        ok = ok && put(line, value, strlen(value));
    if (!ok)
        line->len = before;
}

static void begin(struct log_line *line, struct log *log, const char *level, const char *event)
{
    struct timespec now;
    struct tm tm;
    char text[64];
    line->log = log;
    line->len = 0;
    if (log->json)
        put(line, "{", 1);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    size_t n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + n, sizeof text - n, ".%03dZ", (int)(now.tv_nsec / 1000000));
    pair(line, "time", text, true);
    pair(line, "level", level, true);
    pair(line, "event", event, true);
}

void log_begin(struct log_line *line, struct log *log, enum server_log_level level,
               const char *event)
{
    line->log = NULL;
    if (log_wants(log, level))
        begin(line, log, NAMES[severity(level)], event);
}

void log_begin_always(struct log_line *line, struct log *log, const char *event)
{
    begin(line, log, "info", event);
}

void log_str(struct log_line *line, const char *name, const char *value)
{
    if (line->log)
        pair(line, name, value ? value : "", true);
}

void log_num(struct log_line *line, const char *name, int64_t value)
{
    char text[24];
    if (!line->log)
        return;
    snprintf(text, sizeof text, "%lld", (long long)value);
    pair(line, name, text, false);
}

void log_end(struct log_line *line)
{
    if (!line->log)
        return;
    if (line->log->json)
        line->text[line->len++] = '}';
    line->text[line->len++] = '\n';
    /* A log that can't be written has nowhere to say so. */
    while (write(line->log->fd, line->text, line->len) < 0 && errno == EINTR)
        ;
}
