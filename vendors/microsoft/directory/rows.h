/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and things of the directory, as its rows answer them. A thing is written whole, by its
 * kind, and what OData's options leave of it is given; lists are walked in the order of ids.
 */
#ifndef SOSIA_MICROSOFT_DIRECTORY_ROWS_H
#define SOSIA_MICROSOFT_DIRECTORY_ROWS_H

#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/odata/odata.h"

extern const struct dialect directory_dialect;

/* Users by names or addresses, for tables of members: user.c. */
extern const struct reference ms_user_reference;

/* ---- kinds of things ---- */

struct dir_kind {
    const char *type; /* "user" */
    const char *set;  /* "users": behind $metadata# */
    /* Members that are given without $select; NULL: all that are there. */
    const char *usual;
    /* Writes all members into an open object: 1, 0 there is no such thing, -1. */
    int (*write)(struct call *c, int64_t id, struct json_writer *w);
};
extern const struct dir_kind dir_user, dir_group, dir_organization, dir_principal, dir_application,
    dir_grant;

/* One of a list: of what kind, and its rowid. */
struct dir_item {
    const struct dir_kind *kind;
    int64_t id;
};
/* Gives the item behind `after`, a rowid (0: the first): 1, 0 there are no more, -1. */
typedef int dir_next(struct call *c, const void *of, int64_t after, struct dir_item *ret);

struct dir_list {
    const struct dir_kind *kind; /* of the items; for options and the context */
    const char *set;             /* NULL: the kind's; "directoryObjects" */
    dir_next *next;
    const void *of;
    bool typed;                  /* each has @odata.type */
    const struct dir_kind *only; /* those of one kind; NULL: all */
    int64_t max;                 /* of $top; 0: 999 */
    int64_t usual;               /* entries of a page; 0: 100 */
    unsigned units;              /* x-ms-resource-unit */
};
/* Answers with a page of the list. */
int dir_answer_list(struct call *c, const struct dir_list *list);
/* How many they are, as text: /$count. */
int dir_answer_count(struct call *c, const struct dir_list *list);
/* Answers with a list of users and groups as the path asks for it: behind the relation may be a
 * type, which it is cast to, and $count (DIR_USERS, DIR_GROUPS). */
int dir_answer_related(struct call *c, const struct dir_list *list);
/* Answers with one thing. set: as in dir_list. */
int dir_answer(struct call *c, const struct dir_kind *kind, int64_t id, const char *set,
               unsigned units);
/* Answers with a thing that was made: 201, its id first (MG-490). */
int dir_answer_new(struct call *c, const struct dir_kind *kind, int64_t id);
/* Those of a delta: what $select of the first request names, or all. 0, -1. */
int dir_delta_select(struct call *c, const struct dir_kind *kind, const char *select,
                     struct odata_query *ret);
int dir_write_thing(struct call *c, const struct dir_item *item, const struct odata_query *q);
/* The thing as an object of its own: without options. */
int dir_write_whole(struct call *c, const struct dir_item *item, bool typed);

/* ---- who asks ---- */

/* The caller's tenant: 0, -1 (MG-318). */
int dir_tenant(struct call *c, struct ms_tenant *ret);
/* The user of the path, in the caller's tenant. all: scopes that let one look at others;
 * "User.Read" alone is for the caller itself. 0, -1. */
int dir_user_of_path(struct call *c, const char *all, struct ms_user *ret);
/* The group of the path. 0, -1. */
int dir_group_of_path(struct call *c, struct ms_group *ret);
/* May the caller change the group: an app, an administrator, an owner? 0, -1. */
int dir_may_change_group(struct call *c, const struct ms_group *group);
/* The object that is put in or taken out of a group, by its id: a user, or a group for members
 * (then ret_user->id is 0). 1 with its address, 0 there is none, -1. */
int dir_address_of(struct call *c, const struct ms_group *group, const char *id, const char **ret,
                   struct ms_user *ret_user);
/* The same for who is to be a member: groups of Microsoft 365 have users alone, and are in none;
 * groups of security take each other, also in a circle (MG-960). */
int dir_new_member(struct call *c, const struct ms_group *group, const char *id, const char **ret);
/* A refusal: the object is an owner or a member already. -1. */
int dir_there_already(struct call *c, bool owner);
/* null where it is NULL. */
void dir_text_or_null(struct json_writer *w, const char *name, const char *text);
/* Is the caller an app, or an administrator of the tenant? 1, 0, -1. */
int dir_may_change(struct call *c);
int dir_no_object(struct call *c, const char *id);

#define READ_USERS                                                                                 \
    "User.ReadBasic.All User.Read.All User.ReadWrite.All Directory.Read.All "                      \
    "Directory.ReadWrite.All"
#define WRITE_USERS "User.ReadWrite.All Directory.ReadWrite.All"
#define READ_GROUPS                                                                                \
    "GroupMember.Read.All Group.Read.All GroupMember.ReadWrite.All Group.ReadWrite.All "           \
    "Directory.Read.All Directory.ReadWrite.All"
#define WRITE_MEMBERS "GroupMember.ReadWrite.All Group.ReadWrite.All Directory.ReadWrite.All"
#define WRITE_GROUPS  "Group.ReadWrite.All Directory.ReadWrite.All"

#define PATH(name_, text_)                                                                         \
    {                                                                                              \
        .name = (name_), .place = IN_PATH, .required = true, .summary = (text_)                    \
    }
/* params.c: of a user, of a group and an object in it, of either; with the options of reading one
 * thing, and of lists. */
extern const struct param dir_user_params[1], dir_group_params[2], dir_either_params[3],
    dir_get_params[7], dir_list_params[10];
enum { DIR_GLOSSARY = 13 };
extern const struct gloss dir_glossary[DIR_GLOSSARY];
extern const struct dialect_tools directory_tools; /* tools.c */

/* Members of a group may be users and groups: in that list the rowids of groups are behind those of
 * users. */
#define DIR_GROUPS_FROM (INT64_C(1) << 40)
static inline int64_t dir_rowid(int64_t id)
{
    return id & (DIR_GROUPS_FROM - 1);
}

/* The paths of a relation: of(path) are those of what has it. */
#define DIR_MORE(of, rest, type)                                                                   \
    of(rest "/" type), of(rest "/graph." type), of(rest "/" type "/$count")
#define DIR_USERS(of, rest)  of(rest), of(rest "/$count"), DIR_MORE(of, rest, "user")
#define DIR_GROUPS(of, rest) of(rest), of(rest "/$count"), DIR_MORE(of, rest, "group")

extern const struct rows dir_user_rows, dir_relation_rows, dir_member_rows, dir_session_rows,
    dir_group_rows, dir_organization_rows, dir_delta_rows, dir_photo_rows, dir_people_rows,
    dir_invitation_rows;

/* person.c: how near somebody is to a user, 0 to 4; the members of a person, into an open object;
 * has the name or the address a word that begins so (NULL: yes)? */
int dir_person_rank(const struct ms_user *me, const struct ms_user *u);
void dir_write_person(struct call *c, const struct ms_user *u, const struct actor *actor);
bool dir_person_matches(const char *search, const struct ms_user *u, const struct actor *actor);
extern const struct graph_finder dir_people_finder;

/* Members of a group, as they are walked (membership.c); all: with those of groups in it, each
 * once. 0, -1. */
struct dir_members {
    int64_t *list; /* as in dir_item, in order */
    size_t n, cap;
};
int dir_read_members(struct call *c, const struct ms_group *group, struct dir_members *ret);
int dir_read_all_members(struct call *c, const struct ms_group *group, struct dir_members *ret);
dir_next dir_next_of_members; /* of a struct dir_members */

/* Relations of users and groups, for rows and for $expand. */
dir_next dir_next_report, dir_next_membership, dir_next_member, dir_next_owner;
/* The first group of the tenant behind a rowid that has the address as a member (walk.c). Groups of
 * a tenant are in the order in which it has got them. 1, 0, -1. */
int dir_next_group_with(struct call *c, const char *email, int64_t tenant, int64_t after,
                        struct dir_item *ret);

/* ---- groups (group_render.c) ---- */

/* Its own nickname, or what its address begins with. */
const char *dir_nickname_of(struct arena *a, const struct ms_group *g);
/* What the mail's side of a group of Microsoft 365 has; only who asks by name is shown it. */
struct dir_setting {
    const char *name;
    size_t at; /* a bool of struct ms_group */
};
extern const struct dir_setting dir_settings[4];
bool *dir_setting_of(struct ms_group *g, const struct dir_setting *s);

#endif
