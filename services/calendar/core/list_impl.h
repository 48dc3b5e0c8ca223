/* SPDX-License-Identifier: Apache-2.0 */
/* Between list.c, which has lists by start, by change and by UID, and list_update.c. */
#ifndef SOSIA_CALENDAR_LIST_IMPL_H
#define SOSIA_CALENDAR_LIST_IMPL_H

#include "engine/store/scan.h"
#include "services/calendar/core/event/series.h"
#include "services/calendar/core/list.h"

/* The place of something in a list by start. */
struct place {
    int64_t at;  /* the instant it starts */
    int64_t end; /* as stored, or of the instance */
    int64_t id;  /* of the row, or of the series */
};

struct row {
    int64_t start_us, end_us, id;
};

/* Rows: what memory of zeros is. */
enum stream_type { STREAM_ROWS, STREAM_SERIES };

struct stream {
    enum stream_type type;
    bool all_day;
    struct place head;
    union {
        struct {
            int span;
            int64_t from_us, until_us, after_us; /* starts from, starts before, ends after */
            struct row *rows;
            size_t n, at;
            bool last;
            struct row behind; /* the last one read */
        };
        struct {
            struct cal_event ev;
            const uint8_t *row; /* the series', of row_size bytes; NULL: not kept */
            uint32_t row_size;
            int64_t start_us;
            struct series series;
        };
    };
};

struct lister {
    struct tx *tx;
    const struct calendar *cal;
    const struct cal_event_query *q;
    int (*fn)(void *arg, struct cal_event *ev, const struct record *row);
    void *arg;
    size_t given;
    bool full; /* fn has enough */
    const char *position;
    struct stream **heap;
    size_t n, cap;
    struct record row;        /* the one that is looked at */
    struct record series_row; /* of the occurrence that is given; no data: not asked for */
    bool resume;
    struct place from; /* with resume: what lies at or before it was given already */
};

/* Whether an event is what the query asks for, time and cancellation apart. 1, 0, -1. */
int cal_list_wanted(struct lister *l, struct cal_event *ev);
/* Whether the list has an event, cancelled or not. */
bool cal_list_shows(const struct lister *l, const struct cal_event *ev);
bool cal_list_in_time(const struct lister *l, const struct cal_event *ev);
/* Whether any instance of a series lies in the stretch of time. 1, 0, -1. */
int cal_list_series_in_time(struct lister *l, const struct cal_event *ev);
/* From where the instances of a series can overlap the stretch, and where they are left. */
int64_t cal_list_first_start(const struct lister *l, const struct cal_event *series);
int64_t cal_list_horizon(const struct lister *l, const struct cal_event *series);
/* Gives an event to the caller. 0; 1: the page is full, nothing was given; -1. */
int cal_list_give(struct lister *l, struct cal_event *ev);

/* The streams by start of all that may overlap the stretch of time, in l->heap, the earliest first.
 * cancelled: cancelled events too. */
int cal_list_open_streams(struct lister *l, bool cancelled);
/* A stream goes to its next one: 1; 0: there is none; -1. */
int cal_list_advance(struct lister *l, struct stream *s);
/* Puts the first stream, which went on, into its place. */
void cal_list_sift_down(struct lister *l);

/* Fails: an index was not what it must be. */
int list_broken(const struct lister *l);

/* By time of change, then by key. 0, -1. */
int cal_list_by_update(struct lister *l);

#endif
