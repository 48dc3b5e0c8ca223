/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists that answer random questions, beside what is found by looking at every item of the world:
 * whatever narrows a question changes nothing about its answer, and pages of any length are one
 * list. Drives, groups, links, folders with limited access, the trash and what was just deleted are
 * in it.
 */
#include "services/drive/core/access/shared.h"
#include "tests/services/drive/core/drive_steps.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static const char DOCUMENT[] = "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7," PEOPLE
                               ",\"groups\":[{\"email\":\"all@acme.example\",\"members\":[\"" ADA
                               "\",\"" BOB "\"]},{\"email\":\"far@far.example\",\"members\":[\"" EVE
                               "\"]}],\"apps\":[{\"client_id\":\"123.456\",\"name\":\"App\"}]}";

/* ---- chance ---- */

static uint64_t state;

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)((state >> 11) % n);
}

#define ONE_OF(list) (list)[below(SOSIA_LEN(list))]

/* ---- the world ---- */

enum { ITEMS = 260, FOLDERS = 24, TEXT = 60, DEPTH = 6 };

struct known {
    int64_t id;
    char name[TEXT], description[TEXT], content[TEXT];
};
static struct known all[2 * ITEMS];
static size_t n_all;
static int64_t folders[FOLDERS + 5];
static size_t n_folders;
static int64_t tops[2];

static const char *const NAMES[] = {"plan",     "Plan",   "PLAN 2", "plan 10", "plan 010",
                                    "note 7",   "Note",   "zed",    "a plans", "budget zed",
                                    "zed_note", "b-plan", "note x", "plan b"};
static const char *const WORDS[] = {"budget", "year", "plan", "north", "zed", "w1", "w2", "w3"};
static const char *const TYPES[] = {"text/plain", "text/html", "text/x-other", "image/png",
                                    "Text/Plain"};
static const char *const WHO[] = {
    ADA, BOB, EVE, "all@acme.example", "far@far.example", "none@acme.example"};
static const enum drive_grantee KINDS[] = {GRANT_PERSON, GRANT_PERSON, GRANT_PERSON,
                                           GRANT_GROUP,  GRANT_GROUP,  GRANT_GROUP};

static const char *some_words(size_t most)
{
    const char *text = ONE_OF(WORDS);
    for (size_t i = below(most); i; i--)
        text = arena_printf(tx.arena, "%s %s", text, ONE_OF(WORDS));
    return text;
}

/* Times that are often equal, or of one millisecond. */
static int64_t some_time(void)
{
    return tx.now_us - 7200000000 - (int64_t)below(40) * 1000 - (int64_t)below(3);
}

static struct drive_item row_of(int64_t id)
{
    struct drive_item it;
    assert_int_equal(drive_item_by_id(&tx, id, &it), 1);
    return it;
}

static void share(struct drive_item *it)
{
    struct drive_grant g = {.role = ROLE_READER};
    size_t i = below(9);
    if (i < SOSIA_LEN(WHO)) {
        g.kind = KINDS[i];
        g.who = WHO[i];
    } else {
        g.kind = i == 6 ? GRANT_ANYONE : GRANT_DOMAIN;
        g.who = i == 6 ? "" : i == 7 ? "acme.example" : "far.example";
        g.discoverable = below(2);
    }
    static const enum drive_role roles[] = {ROLE_READER, ROLE_COMMENTER, ROLE_WRITER};
    g.role = ONE_OF(roles);
    if (g.kind == GRANT_PERSON && below(8) == 0) {
        g.role = ROLE_NONE;
        g.lowers = true;
    }
    if (below(10) == 0)
        g.expires_us = tx.now_us + (below(2) ? 3600000000 : -1000000);
    struct drive_grant *list;
    size_t n;
    ok(drive_grants(&tx, it->id, &list, &n));
    for (i = 0; i < n; i++)
        if (list[i].kind == g.kind && strcmp(list[i].who, g.who) == 0)
            return;
    ok(drive_grant_set(&tx, it, &g));
}

static void note_for(const struct drive_item *it)
{
    for (size_t who = 0; who < 3; who++) {
        struct drive_mine m = {.starred = below(6) == 0};
        if (below(4) == 0)
            m.viewed_us = some_time();
        if (below(4) == 0) {
            m.shared_us = some_time();
            m.sharer = people[below(3)]->id;
        }
        if (below(6) == 0)
            m.modified_us = some_time();
        if (m.starred || m.viewed_us || m.shared_us || m.modified_us)
            ok(drive_mine_save(&tx, it->id, people[who]->id, &m));
    }
}

static void make_one(enum drive_form form)
{
    const struct drive_item folder = row_of(folders[below(n_folders)]);
    struct drive_item it = {.form = form,
                            .parent = folder.id,
                            .drive = folder.drive,
                            .space = folder.space,
                            .owner = folder.drive   ? 0
                                     : folder.space ? folder.owner
                                     : below(3)     ? folder.owner
                                                    : people[below(3)]->id,
                            .name = ONE_OF(NAMES),
                            .mime = form == DRIVE_FOLDER ? DRIVE_MIME_FOLDER : ONE_OF(TYPES),
                            .created_us = some_time(),
                            .modified_us = some_time(),
                            .size = -1};
    struct known *k = &all[n_all];
    if (vendor->unique_names)
        it.name = arena_printf(tx.arena, "%s %zu", it.name, n_all);
    it.modifier = people[below(3)]->id;
    if (form == DRIVE_SHORTCUT) {
        const struct drive_item to = row_of(all[below(n_all)].id);
        it.mime = DRIVE_MIME_SHORTCUT;
        it.target = to.id, it.target_key = to.key, it.target_mime = to.mime;
    }
    if (below(3) == 0)
        it.description = some_words(3);
    if (below(5) == 0)
        it.creator_app = APP;
    if (form == DRIVE_FOLDER && !it.space && below(6) == 0)
        it.flags |= DRIVE_LIMITED;
    if (drive_may_hold(&tx, &folder, &it) < 0) { /* too deep: it is a file there */
        fault = (struct sosia_err){0};
        return;
    }
    ok(drive_item_add(&tx, &it));
    *k = (struct known){.id = it.id};
    if (form == DRIVE_FILE && below(2) && strncasecmp(it.mime, "text/plain", 10) == 0) {
        snprintf(k->content, sizeof k->content, "%s", some_words(4));
        it.mime = "text/plain";
        ok(drive_content_put(&tx, &it, k->content, strlen(k->content)));
    }
    snprintf(k->name, sizeof k->name, "%s", it.name);
    snprintf(k->description, sizeof k->description, "%s", it.description ? it.description : "");
    n_all++;
    if (form == DRIVE_FOLDER)
        folders[n_folders++] = it.id;
    if (!it.space && below(form == DRIVE_FOLDER ? 2 : 6) == 0)
        share(&it);
    note_for(&it);
    if (below(5) == 0)
        ok(drive_property_set(&tx, it.id, below(2) ? 0 : APP,
                              &(struct drive_property){below(2) ? "site" : "area", "north"}));
    if (below(12) == 0) {
        it = row_of(it.id);
        ok(drive_trash(&tx, &it, ada.id));
        ok(drive_item_save(&tx, &it));
    }
}

static void make_world(uint64_t seed)
{
    struct drive_item top;
    state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    n_all = n_folders = 0;
    for (size_t who = 0; who < 3; who++) {
        assert_int_equal(drive_root(&tx, people[who]->id, &top), 1);
        folders[n_folders++] = top.id;
    }
    for (int i = 0; i < 2; i++) {
        struct drive_settings s = {0};
        ok(drive_shared_make(&tx, i ? &bob : &ada, NULL, i ? "Team" : "Eng", &s, &top));
        tops[i] = folders[n_folders++] = top.id;
    }
    struct drive_grant g = {.kind = GRANT_GROUP, .who = "all@acme.example", .role = ROLE_WRITER};
    top = row_of(tops[0]);
    ok(drive_grant_set(&tx, &top, &g));
    g = (struct drive_grant){.kind = GRANT_PERSON, .who = EVE, .role = ROLE_READER};
    ok(drive_grant_set(&tx, &top, &g));
    assert_int_equal(drive_app_data(&tx, ada.id, APP, &top), 1);
    int64_t data = top.id;
    for (size_t i = 0; i < FOLDERS; i++)
        make_one(DRIVE_FOLDER);
    folders[n_folders - 1] = data; /* some of what comes is an app's */
    while (n_all < ITEMS)
        make_one(below(12) ? DRIVE_FILE : DRIVE_SHORTCUT);
}

/* ---- what each person has ---- */

struct seen {
    bool there;
    struct drive_item it;
    struct drive_access access;
    struct drive_mine mine;
};
static struct seen seen[4][2 * ITEMS];

static void look(void)
{
    for (size_t who = 0; who < 4; who++) {
        struct drive_viewer v;
        drive_viewer(&tx, people[who], &v);
        for (size_t i = 0; i < n_all; i++) {
            struct seen *s = &seen[who][i];
            int r = drive_item_by_id(&tx, all[i].id, &s->it);
            ok(r);
            s->there = r == 1;
            if (!r)
                continue;
            ok(drive_role(&v, &s->it, &s->access));
            ok(drive_mine(&tx, &s->it, people[who]->id, &s->mine));
        }
    }
}

/* ---- does it answer the question? ---- */

static bool has_token(const char *text, const char *word, size_t n, bool begins)
{
    for (const char *p = text; *p;) {
        size_t len = 0;
        while (*p && !isalnum((unsigned char)*p))
            p++;
        while (isalnum((unsigned char)p[len]))
            len++;
        if (len && (begins ? len >= n : len == n) && strncasecmp(p, word, n) == 0)
            return true;
        p += len;
    }
    return false;
}

/* Words one behind the other: the texts of here have one space between any two. */
static bool has_row(const char *text, const char *words, size_t n)
{
    for (const char *p = text; (p = strcasestr(p, words)); p++)
        if ((p == text || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[n]))
            return true;
    return false;
}

static bool text_has(const struct known *k, const char *text)
{
    if (*text == '"') {
        char row[TEXT];
        snprintf(row, sizeof row, "%.*s", (int)strlen(text) - 2, text + 1);
        return has_row(k->name, row, strlen(row)) || has_row(k->description, row, strlen(row)) ||
               has_row(k->content, row, strlen(row));
    }
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, " ");
        if (!has_token(k->name, p, n, false) && !has_token(k->description, p, n, false) &&
            !has_token(k->content, p, n, false))
            return false;
        p += n;
        p += strspn(p, " ");
    }
    return true;
}

static bool name_has(const char *name, const char *text)
{
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, " ");
        if (!has_token(name, p, n, true))
            return false;
        p += n;
        p += strspn(p, " ");
    }
    return true;
}

/* What grants at the item and above say of an address; or how open the item is. */
static enum drive_role given(const struct drive_item *it, const char *who)
{
    enum drive_role most = ROLE_NONE;
    for (struct drive_item at = *it;; at = row_of(at.parent)) {
        struct drive_grant *list, *first = NULL;
        size_t n;
        ok(drive_grants(&tx, at.id, &list, &n));
        for (size_t i = 0; i < n; i++)
            if (strcmp(list[i].who, who) == 0 &&
                (!list[i].expires_us || list[i].expires_us > tx.now_us))
                first = &list[i];
        if (first && first->role > most)
            most = first->role;
        if ((first && first->lowers) || at.flags & DRIVE_LIMITED || !at.parent)
            return most;
    }
}

static int64_t how_open(const struct drive_item *it)
{
    int64_t most = VISIBLE_LIMITED;
    for (struct drive_item at = *it;; at = row_of(at.parent)) {
        struct drive_grant *list;
        size_t n;
        ok(drive_grants(&tx, at.id, &list, &n));
        for (size_t i = 0; i < n; i++) {
            int64_t is = list[i].kind == GRANT_DOMAIN   ? VISIBLE_DOMAIN_LINK
                         : list[i].kind == GRANT_ANYONE ? VISIBLE_LINK
                                                        : VISIBLE_LIMITED;
            is += is && list[i].discoverable;
            most = is > most && list[i].role ? is : most;
        }
        if (at.flags & DRIVE_LIMITED || !at.parent)
            return most;
    }
}

static bool time_is(const struct find *q, int64_t at)
{
    at /= 1000;
    int64_t than = q->at_us / 1000;
    return q->op == OP_LT   ? at < than
           : q->op == OP_LE ? at <= than
           : q->op == OP_GT ? at > than
           : q->op == OP_GE ? at >= than
                            : at == than;
}

static const char *type_as_shown(const char *mime)
{
    return strchr(mime, '/') ? mime : arena_printf(tx.arena, "own/%s", mime);
}

static bool has_prop(const struct drive_item *it, const struct find *q)
{
    struct drive_property *list;
    size_t n;
    ok(drive_properties(&tx, it->id, q->app, &list, &n));
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].name, q->text) == 0 && strcmp(list[i].value, q->text2) == 0)
            return true;
    return false;
}

static bool answers(const struct find *q, size_t who, size_t i)
{
    const struct seen *s = &seen[who][i];
    const struct drive_item *it = &s->it;
    switch (q->kind) {
    case FIND_AND:
        return answers(q->left, who, i) && answers(q->right, who, i);
    case FIND_OR:
        return answers(q->left, who, i) || answers(q->right, who, i);
    case FIND_NOT:
        return !answers(q->left, who, i);
    case FIND_NAME_IS:
        return strcasecmp(it->name, q->text) == 0;
    case FIND_NAME_HAS:
        return name_has(it->name, q->text);
    case FIND_TEXT:
        return text_has(&all[i], q->text);
    case FIND_TYPE_IS:
        return strcasecmp(type_as_shown(it->mime), q->text) == 0;
    case FIND_TYPE_HAS:
        return strcasestr(type_as_shown(it->mime), q->text) != NULL;
    case FIND_TIME: {
        int64_t at = q->time == TIME_MODIFIED  ? it->modified_us
                     : q->time == TIME_CREATED ? it->created_us
                     : q->time == TIME_VIEWED  ? s->mine.viewed_us
                                               : s->mine.shared_us;
        return at && time_is(q, at);
    }
    case FIND_TRASHED:
        return s->access.trashed;
    case FIND_STARRED:
        return s->mine.starred;
    case FIND_PARENT:
        return it->parent == q->id;
    case FIND_OWNER:
        return it->owner && it->owner == q->id;
    case FIND_WRITER:
    case FIND_READER:
        return (it->owner && it->owner == q->id) ||
               given(it, q->text) >= (q->kind == FIND_WRITER ? ROLE_WRITER : ROLE_READER);
    case FIND_SHARED_WITH_ME:
        return it->owner != people[who]->id && s->mine.shared_us;
    case FIND_PROPERTY:
        return has_prop(it, q);
    case FIND_VISIBILITY:
        return how_open(it) == q->id;
    case FIND_TARGET:
        return it->target_key && strcmp(it->target_key, q->text) == 0;
    case FIND_TARGET_TYPE:
        return it->target_mime && strcasecmp(type_as_shown(it->target_mime), q->text) == 0;
    default:
        return it->description && strstr(it->description, q->text);
    }
}

/* ---- is it on the list? ---- */

static bool is_found_by(const struct drive_item *it, const char *domain)
{
    for (struct drive_item at = *it;; at = row_of(at.parent)) {
        struct drive_grant *list;
        size_t n;
        ok(drive_grants(&tx, at.id, &list, &n));
        for (size_t i = 0; i < n; i++)
            if (list[i].kind == GRANT_DOMAIN && list[i].discoverable && list[i].role &&
                strcmp(list[i].who, domain) == 0)
                return true;
        if (!at.parent)
            return false;
    }
}

/* The folder that all answers are in. */
static bool names_folder(const struct find *q)
{
    return q && (q->kind == FIND_PARENT ||
                 (q->kind == FIND_AND && (names_folder(q->left) || names_folder(q->right))));
}

static bool is_listed(const struct drive_finder *f, size_t who, size_t i)
{
    const struct seen *s = &seen[who][i];
    const struct drive_item *it = &s->it;
    if (!s->there || s->access.role == ROLE_NONE || (f->question && !answers(f->question, who, i)))
        return false;
    if (it->space ? !f->in_app || it->space != f->app
                  : !f->in_drive || (f->made_by[0] && it->creator_app != f->made_by[0]))
        return false;
    if (f->scope == SCOPE_DRIVE)
        return it->drive == f->drive;
    if (it->drive && !f->shared_drives)
        return false;
    if (f->scope == SCOPE_DOMAIN)
        return is_found_by(it, f->viewer->domain);
    if (who == 3)
        return names_folder(f->question);
    return it->owner == people[who]->id || !s->access.link || s->mine.viewed_us ||
           s->mine.shared_us;
}

/* ---- in which order? ---- */

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Numbers in names count as numbers. */
static int naturally(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *x, *y;
            int r = by_number(strtoll(a, &x, 10), strtoll(b, &y, 10));
            if (r)
                return r;
            a = x, b = y;
        } else if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) {
            return tolower((unsigned char)*a) - tolower((unsigned char)*b);
        } else {
            a++, b++;
        }
    }
    return by_number(*a != 0, *b != 0);
}

static int64_t newest_of(const struct seen *s)
{
    const int64_t times[] = {s->it.modified_us, s->it.created_us, s->mine.viewed_us,
                             s->mine.shared_us, s->mine.modified_us};
    int64_t most = 0;
    for (size_t i = 0; i < SOSIA_LEN(times); i++)
        most = times[i] > most ? times[i] : most;
    return most;
}

static int compare_key(const struct drive_finder *f, size_t k, const struct seen *a,
                       const struct seen *b)
{
    int64_t ms = k + 1 < f->n_order ? 1000 : 1; /* as times are shown */
    switch (f->order[k].key) {
    case ORDER_NAME:
        return strcasecmp(a->it.name, b->it.name);
    case ORDER_NAME_NATURAL:
        return naturally(a->it.name, b->it.name);
    case ORDER_FOLDER:
        return by_number(a->it.form != DRIVE_FOLDER, b->it.form != DRIVE_FOLDER);
    case ORDER_STARRED:
        return by_number(!a->mine.starred, !b->mine.starred);
    case ORDER_SIZE:
        return by_number(a->it.size > 0 ? a->it.size : 0, b->it.size > 0 ? b->it.size : 0);
    case ORDER_CREATED:
        return by_number(a->it.created_us / ms, b->it.created_us / ms);
    case ORDER_MODIFIED:
        return by_number(a->it.modified_us / ms, b->it.modified_us / ms);
    case ORDER_MY_MODIFIED:
        return by_number(a->mine.modified_us / ms, b->mine.modified_us / ms);
    case ORDER_RECENCY:
        return by_number(newest_of(a) / ms, newest_of(b) / ms);
    case ORDER_SHARED:
        return by_number(a->mine.shared_us / ms, b->mine.shared_us / ms);
    default:
        return by_number(a->mine.viewed_us / ms, b->mine.viewed_us / ms);
    }
}

static const struct drive_finder *sorted_for;

static int in_order(const void *x, const void *y)
{
    const struct seen *a = *(const struct seen *const *)x, *b = *(const struct seen *const *)y;
    for (size_t k = 0; k < sorted_for->n_order; k++) {
        int r = compare_key(sorted_for, k, a, b);
        if (r)
            return sorted_for->order[k].falling ? -r : r;
    }
    int r = by_number(b->it.modified_us, a->it.modified_us);
    return r ? r : by_number(a->it.id, b->it.id);
}

/* ---- questions ---- */

static struct find *some_question(int depth)
{
    struct find *q = arena_calloc(tx.arena, 1, sizeof *q);
    size_t kind = below(depth ? 30 : 22);
    *q = (struct find){.kind = kind < 22   ? FIND_OWN - (enum find_kind)(kind % 18)
                               : kind < 26 ? FIND_AND
                               : kind < 29 ? FIND_OR
                                           : FIND_NOT};
    const struct known *k = &all[below(n_all)];
    switch (q->kind) {
    case FIND_AND:
    case FIND_OR:
        q->left = some_question(depth - 1);
        q->right = some_question(depth - 1);
        break;
    case FIND_NOT:
        q->left = some_question(depth - 1);
        break;
    case FIND_NAME_IS:
        q->text = arena_strdup(tx.arena, k->name);
        break;
    case FIND_NAME_HAS: {
        static const char *const texts[] = {"pl", "PLAN", "no pl", "zed", "1", "z no", "x"};
        q->text = ONE_OF(texts);
        break;
    }
    case FIND_TEXT:
        q->text = below(3) ? some_words(2)
                           : arena_printf(tx.arena, "\"%s %s\"", ONE_OF(WORDS), ONE_OF(WORDS));
        break;
    case FIND_TYPE_IS:
    case FIND_TARGET_TYPE: {
        static const char *const types[] = {"text/plain", "TEXT/HTML",    "own/folder",
                                            "image/png",  "own/shortcut", "none/none"};
        q->text = ONE_OF(types);
        break;
    }
    case FIND_TYPE_HAS: {
        static const char *const parts[] = {"text/", "OWN/", "png", "x-", "none"};
        q->text = ONE_OF(parts);
        break;
    }
    case FIND_TIME:
        q->time = (enum find_time)below(4);
        q->op = OP_EQ + (enum find_op)below(5);
        q->at_us = some_time();
        break;
    case FIND_PARENT:
        q->id = folders[below(n_folders)];
        break;
    case FIND_OWNER:
        q->id = people[below(3)]->id;
        break;
    case FIND_WRITER:
    case FIND_READER: {
        size_t who = below(SOSIA_LEN(WHO));
        q->text = WHO[who];
        q->id = who < 3 ? people[who]->id : 0;
        break;
    }
    case FIND_PROPERTY:
        q->text = below(2) ? "site" : "area";
        q->text2 = below(8) ? "north" : "south";
        q->app = below(2) ? APP : 0;
        break;
    case FIND_VISIBILITY:
        q->id = (int64_t)below(VISIBLE_ANYONE + 1);
        break;
    case FIND_TARGET: {
        const char *key = "none";
        ok(drive_item_key(&tx, k->id, &key));
        q->text = key;
        break;
    }
    default:
        q->text = ONE_OF(WORDS);
        break;
    }
    return q;
}

static struct drive_finder some_finder(struct drive_viewer *v, size_t who,
                                       struct find_order order[2])
{
    drive_viewer(&tx, people[who], v);
    struct drive_finder f = finder_of(v, below(10) ? some_question(3) : NULL);
    if (below(2))
        f.vendor = NULL;
    f.scope = (enum find_scope)below(4);
    f.shared_drives = f.scope == SCOPE_DRIVE || below(2);
    if (f.scope == SCOPE_DRIVE)
        f.drive = tops[below(2)];
    f.in_drive = below(10) != 0;
    f.in_app = !f.in_drive || below(4) == 0;
    f.app = below(8) ? APP : APP + 1;
    if (below(10) == 0)
        f.made_by[0] = APP;
    static const enum find_key often[] = {ORDER_MODIFIED, ORDER_NAME, ORDER_FOLDER};
    for (size_t i = 0; i < 2; i++)
        order[i] = (struct find_order){below(2) ? ONE_OF(often) : (enum find_key)below(ORDER_KEYS),
                                       below(2)};
    f.order = order;
    f.n_order = below(3);
    return f;
}

static const char *text_of(const struct find *q)
{
    if (!q)
        return "all";
    if (q->kind == FIND_NOT)
        return arena_printf(tx.arena, "not(%s)", text_of(q->left));
    if (q->kind <= FIND_OR)
        return arena_printf(tx.arena, "(%s %s %s)", text_of(q->left),
                            q->kind == FIND_AND ? "and" : "or", text_of(q->right));
    return arena_printf(tx.arena, "%d:%s:%lld:%d:%d", q->kind, q->text ? q->text : "",
                        (long long)q->id, q->time, q->op);
}

/* An item as a failure has it. */
static const char *said(size_t who, int64_t id)
{
    for (size_t i = 0; i < n_all; i++)
        if (all[i].id == id) {
            const struct drive_item *it = &seen[who][i].it;
            return arena_printf(
                tx.arena, "%lld (%s, %s, of %lld, in %lld of %lld, at %lld, role %d%s%s)",
                (long long)id, it->name, it->mime, (long long)it->owner, (long long)it->parent,
                (long long)it->drive, (long long)it->modified_us, seen[who][i].access.role,
                seen[who][i].access.link ? " by a link" : "",
                seen[who][i].access.trashed ? ", trashed" : "");
        }
    return arena_printf(tx.arena, "%lld", (long long)id);
}

static void compare(struct drive_finder *f, size_t who, size_t limit, const char *where)
{
    const struct seen *expected[2 * ITEMS];
    const char *position = NULL;
    size_t n_expected = 0, at = 0;
    for (size_t i = 0; i < n_all; i++)
        if (is_listed(f, who, i))
            expected[n_expected++] = &seen[who][i];
    sorted_for = f;
    qsort(expected, n_expected, sizeof *expected, in_order);
    where = arena_printf(tx.arena, "%s: %s, scope %d%s%s%s%s, limit %zu, %zu keys %d%s %d%s: %s",
                         where, names[who], f->scope, f->shared_drives ? " drives" : "",
                         f->in_app ? " app" : "", f->in_drive ? "" : " alone",
                         f->made_by[0] ? " made" : "", limit, f->n_order, f->order[0].key,
                         f->order[0].falling ? "-" : "+", f->order[1].key,
                         f->order[1].falling ? "-" : "+", text_of(f->question));
    do {
        struct drive_item *items;
        struct drive_access *access;
        size_t n;
        if (drive_find(f, position, limit, &items, &access, &n, &position) < 0)
            fail_msg("%s: %s", where, fault.text);
        if (n > limit || (position && n < limit))
            fail_msg("%s: a page of %zu, with more behind it", where, n);
        for (size_t i = 0; i < n; i++, at++) {
            if (at >= n_expected)
                fail_msg("%s: %s is too many", where, said(who, items[i].id));
            if (items[i].id != expected[at]->it.id)
                fail_msg("%s: at %zu is %s and not %s", where, at, said(who, items[i].id),
                         said(who, expected[at]->it.id));
            assert_int_equal(access[i].role, expected[at]->access.role);
            assert_int_equal(access[i].trashed, expected[at]->access.trashed);
            assert_string_equal(items[i].name, expected[at]->it.name);
        }
        assert_false(position && at >= n_expected);
    } while (position);
    if (at != n_expected)
        fail_msg("%s: %zu of %zu, %s is not there", where, at, n_expected,
                 said(who, expected[at]->it.id));
}

static void ask(size_t times, const char *where)
{
    static const size_t limits[] = {2, 7, 20, 64, 65, 270};
    look();
    for (size_t i = 0; i < times; i++) {
        struct drive_viewer v;
        struct find_order order[2];
        size_t who = below(13) / 4;
        struct drive_finder f = some_finder(&v, who, order);
        compare(&f, who, ONE_OF(limits), arena_printf(tx.arena, "%s %zu", where, i));
    }
}

/* ---- the tests ---- */

static void a_question_is_answered_by_all_that_match(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        end();
        test_world = test_world_of(DOCUMENT);
        begin();
        make_world(seed);
        ask(40, arena_printf(tx.arena, "%llu, new", (unsigned long long)seed));
        end();
        test_advance(60);
        begin();
        for (int turn = 0; turn < 4; turn++) {
            ask(40, arena_printf(tx.arena, "%llu", (unsigned long long)seed));
            end();
            begin();
        }
        /* What is deleted has rows yet. */
        for (size_t i = 0; i < 3; i++) {
            struct drive_item it;
            if (drive_item_by_id(&tx, folders[5 + i], &it) == 1)
                ok(drive_delete(&tx, &it));
        }
        ask(40, arena_printf(tx.arena, "%llu, less", (unsigned long long)seed));
    }
}

static int close_world(void **unused)
{
    end();
    return test_close_engine(unused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"a_question_is_answered_by_all_that_match (loose)",
         a_question_is_answered_by_all_that_match, open_world, close_world,
         (void *)(uintptr_t)&loose},
        {"a_question_is_answered_by_all_that_match (strict)",
         a_question_is_answered_by_all_that_match, open_world, close_world,
         (void *)(uintptr_t)&strict},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
