/* SPDX-License-Identifier: Apache-2.0 */
/* Teams: of vendors whose channels belong to such. A public channel of a team is seen by the team's
 * members; look-ups are as chat.h has them. */
#ifndef SOSIA_CHAT_TEAM_H
#define SOSIA_CHAT_TEAM_H

#include "services/chat/core/chat.h"

struct chat_team {
    int64_t workspace, id;
    const char *key, *name, *description;
    bool archived;
    int64_t created_s;
    const char *properties; /* JSON object of the vendor's; NULL: none */
};
struct chat_team_member {
    int64_t team, user;
    enum chat_part part;
};

int chat_team_get(struct tx *tx, int64_t id, struct chat_team *ret);
int chat_team_find(struct tx *tx, int64_t workspace, const char *key, struct chat_team *ret);
/* Fills id and, if it is NULL, key. */
int chat_team_add(struct tx *tx, struct chat_team *t);
/* Writes name, description, archived and properties; members: what changed (struct world_event). */
int chat_team_save(struct tx *tx, const struct chat_team *t, const char *const *members);
/* Those of a workspace by key; user 0: all, else those that the user is in. fn gives non-zero to
 * stop. 0, -1. */
int chat_teams(struct tx *tx, int64_t workspace, int64_t user,
               int (*fn)(void *arg, const struct chat_team *t), void *arg);
/* The team's first channel, which all its members have. 1, 0, -1. */
int chat_team_general(struct tx *tx, int64_t team, struct chat_channel *ret);
/* Has another channel of the team the name, in any case of letters? 1, 0, -1. */
int chat_team_has_channel(struct tx *tx, int64_t team, const char *name, int64_t but);
/* Has the team an owner besides that user? 1, 0, -1. */
int chat_team_has_owner(struct tx *tx, int64_t team, int64_t but);
/* The team's channels by key, as above. */
int chat_team_channels(struct tx *tx, int64_t team,
                       int (*fn)(void *arg, const struct chat_channel *ch), void *arg);

int chat_team_member_of(struct tx *tx, int64_t team, int64_t user, struct chat_team_member *ret);
/* Puts the user into the team, or gives another part. 1; 0: it is so already. */
int chat_team_member_set(struct tx *tx, const struct chat_team_member *m);
/* The user leaves the team and its channels. 1; 0: was not in it. */
int chat_team_member_remove(struct tx *tx, int64_t team, int64_t user);
/* In the order in which they came. fn gives non-zero to stop. 0, -1. */
int chat_team_members(struct tx *tx, int64_t team,
                      int (*fn)(void *arg, const struct chat_team_member *m), void *arg);

#define CHAT_EV_TEAM "chat.teams" /* scope: workspace; entity: team */
/* scope: team; entity: user */
#define CHAT_EV_TEAM_MEMBER "chat.teamMembers"

/* The member "team" of what names one, by id or name. Absent: 0. */
int chat_doc_team(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                  int64_t *ret);
/* Its key, into the member "team"; nothing for 0. */
int chat_dump_team(struct tx *tx, struct json_writer *w, int64_t team);
extern struct stored chat_team_stored;

#endif
