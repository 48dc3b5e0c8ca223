/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of test servers: NAME=VALUE, where most names are members of server_options. */
#ifndef SOSIA_TESTS_SERVER_OPTIONS_H
#define SOSIA_TESTS_SERVER_OPTIONS_H

#include "server/server.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets a member from its text. False: there is none of this name. */
static inline bool server_option(struct server_options *o, const char *name, const char *text)
{
    size_t n = strtoul(text, NULL, 10);
    const struct {
        const char *name;
        unsigned *number;
        size_t *size;
        const char **text;
        bool *flag;
        int *integer;
    } all[] = {
        {"port", .integer = &o->port},
        {"https_port", .integer = &o->https_port},
        {"listen", .text = &o->listen},
        {"key", .text = &o->control_key},
        {"ca_dir", .text = &o->ca_dir},
        {"data_dir", .text = &o->data_dir},
        {"tls_cert", .text = &o->tls_cert},
        {"tls_key", .text = &o->tls_key},
        {"webhook_ca", .text = &o->webhook_ca},
        {"threads", .number = &o->threads},
        {"max_connections", .number = &o->max_connections},
        {"session_queue", .size = &o->session_queue},
        {"max_head", .size = &o->max_head},
        {"max_body", .size = &o->max_body},
        {"max_bodies", .size = &o->max_bodies},
        {"gzip_min", .size = &o->gzip_min},
        {"idle_ms", .number = &o->idle_ms},
        {"request_ms", .number = &o->request_ms},
        {"answer_ms", .number = &o->answer_ms},
        {"ping_ms", .number = &o->ping_ms},
        {"close_ms", .number = &o->close_ms},
        {"stop_ms", .number = &o->stop_ms},
        {"hello", .flag = &o->hello},
        {"log_json", .flag = &o->log_json},
        {"log_requests", .flag = &o->log_requests},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, name) != 0)
            continue;
        if (all[i].number)
            *all[i].number = (unsigned)n;
        if (all[i].size)
            *all[i].size = n;
        if (all[i].text)
            *all[i].text = text;
        if (all[i].flag)
            *all[i].flag = n != 0;
        if (all[i].integer)
            *all[i].integer = atoi(text);
        return true;
    }
    return false;
}

/* Reads the arguments of the program; own: the options that are not members (NULL: there are
 * none), false where it knows none of this name. Ends the program at a fault. */
static inline void options_read(int argc, char **argv, struct server_options *o,
                                bool (*own)(void *arg, const char *name, const char *text),
                                void *arg)
{
    for (int i = 1; i < argc; i++) {
        char *eq = strchr(argv[i], '=');
        if (eq)
            *eq = 0;
        if (!eq || !((own && own(arg, argv[i], eq + 1)) || server_option(o, argv[i], eq + 1))) {
            fprintf(stderr, "%s is not an option NAME=VALUE\n", argv[i]);
            exit(2);
        }
    }
}

#endif
