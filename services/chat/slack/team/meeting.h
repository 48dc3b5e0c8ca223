/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that apps register: they are held elsewhere, the workspace shows who takes part. */
#ifndef SOSIA_CHAT_MEETING_H
#define SOSIA_CHAT_MEETING_H

#include "services/chat/slack/things.h"

struct chat_meeting {
    int64_t workspace, id, app;
    const char *key;
    const char *external_id; /* the app's own id, unique among its calls */
    const char *display_id, *join_url, *desktop_url, *title; /* NULL but join_url: not said */
    int64_t creator, started_s, ended_s;                     /* ended_s 0: it goes on */
    const char *people; /* JSON: a list of {"user": key} or {"external", "name", "image"} */
};
int chat_meeting_find(struct tx *tx, int64_t workspace, int64_t app, const char *key,
                      struct chat_meeting *ret);
/* Fills id and, if it is NULL, key. CONFLICT: the app has a call with that external id. */
int chat_meeting_add(struct tx *tx, struct chat_meeting *m);
int chat_meeting_save(struct tx *tx, const struct chat_meeting *m);

#endif
