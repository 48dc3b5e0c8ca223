/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by proxy.c (the listening side) and relay.c (an exchange and its way to the target).
 *
 * libmicrohttpd gives each connection a thread of its own, and all that belongs to the connection
 * happens there: while a callback waits for the target, it drives libcurl itself. So nothing of an
 * exchange is shared between threads.
 */
#ifndef SOSIA_CONFORMANCE_PROXY_IMPL_H
#define SOSIA_CONFORMANCE_PROXY_IMPL_H

#include "conformance/proxy/proxy.h"
#include "conformance/proxy/swap.h"
#include "server/listen.h"
#include <curl/curl.h>
#include <microhttpd.h>
#include <stdatomic.h>

struct proxy {
    struct recording *recording;
    void (*done)(void *arg, const struct wire *e, const struct sosia_err *err);
    void *arg;
    char origin[2048]; /* of the target, with its path */
    char base[2048];   /* of the target, without */
    const char *path;  /* within origin; "" : none */
    char *ca_file;
    size_t max_body;
    bool loopback; /* only this machine reaches it */
    char url[300];
    struct listener listener;
    struct MHD_Daemon *daemons[2];
    _Atomic int busy;      /* exchanges under way */
    _Atomic bool stopping; /* answers close their connections */
    _Atomic bool hurry;    /* exchanges under way are given up */
};

/* A client's connection: its own connections to the target, so that they live as long. */
struct client_conn {
    CURLM *multi;
};

enum relay_mode {
    RELAY_EMPTY,  /* the answer has no body */
    RELAY_PLAIN,  /* bytes pass as they come */
    RELAY_STREAM, /* addresses are swapped as they pass */
    RELAY_WHOLE   /* its length comes before it: it is swapped when all of it is there */
};

/* A body on its way. */
struct relay_body {
    struct buf kept; /* as the target has it, for the recording: at most max_body */
    uint64_t size;   /* bytes by now */
};

struct relay {
    struct proxy *proxy;
    struct client_conn *conn;
    struct arena arena;
    struct wire wire;
    bool begun;   /* it has a number, and is to be put down */
    bool written; /* it has been */
    int failed;   /* of putting it down: the client gets no whole answer */
    bool head_read;
    int64_t start_us; /* monotonic */
    char *target;     /* as it came */
    struct swap to_target, to_client;

    /* request */
    struct curl_slist *headers;
    struct relay_body sent;
    int64_t sent_length; /* as the client gave it; -1: chunked; -2: there is none */
    bool collects;       /* its body is swapped when it is whole */
    struct buf upload;   /* for libcurl */
    size_t upload_at;
    uint64_t upload_gone; /* bytes that are no longer in upload */
    bool upload_whole, upload_paused;

    /* answer */
    CURL *easy;
    bool added; /* to the multi handle */
    bool got_head, done;
    CURLcode code;
    char error[CURL_ERROR_SIZE];
    int64_t got_length; /* as the target gave it; -1: not given */
    struct relay_body got;
    enum relay_mode mode;
    struct swap_stream stream;
    bool stream_open, answer_paused;
    struct buf queue; /* for the client */
    size_t queue_at;
};

/* An exchange whose target is known and nothing else yet. NULL: no memory. */
struct relay *relay_new(struct proxy *p, const char *target);
/* Puts the exchange down if that has not happened, and frees it. why: what ended it, or NULL. */
void relay_free(struct relay *r, const char *why);

/* The head is there; r->wire has verb and headers as the client sent them. base: the proxy's
 * address as the client sees it. -1: no memory. */
int relay_begin(struct relay *r, const char *base);
/* A piece of the request's body. -1: no memory. */
int relay_send(struct relay *r, const char *data, size_t len);
/* The request is whole: waits for the answer's head; if the answer's length must be sent before it,
 * for all of it. The exchange has a status then, or an error. */
void relay_ask(struct relay *r);
/* Waits for something to give to the client: bytes in *ret_data (until the next call); 0: that was
 * all, and the exchange is put down; -1: broken off. */
ssize_t relay_give(struct relay *r, size_t max, const char **ret_data);

#endif
