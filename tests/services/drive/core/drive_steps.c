/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/drive/core/drive_steps.h"
#include "engine/world/engine.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/feed.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdlib.h>

static const struct actor nobody = {.handle = "", .email = "", .kind = "", .name = ""};
const struct actor *const people[] = {&ada, &bob, &eve, &nobody};
const char *const names[] = {"ada", "bob", "eve", "nobody"};

struct drive_item item_named(const char *key)
{
    struct drive_item it = {0};
    if (drive_item_by_key(&tx, key, &it) != 1)
        fail_msg("there is no %s", key);
    return it;
}

void say_result(int r)
{
    if (r < 0)
        story_say("  refused: %s, %s", fault.reason ? fault.reason : "-", fault.text);
    else if (r > 0)
        story_say("  %d", r);
    fault = (struct sosia_err){0};
}

/* ---- lists ---- */

static const char *shown_type(struct arena *a, const struct drive_item *it)
{
    return strchr(it->mime, '/') ? it->mime : arena_printf(a, "own/%s", it->mime);
}

static size_t stored_types(const char *type, const char *ret[FIND_TYPES])
{
    ret[0] = strncmp(type, "own/", 4) == 0 ? type + 4 : type;
    ret[1] = "text/x-other";
    return strcmp(type, "text/plain") == 0 ? 2 : 1;
}

static int own_question(struct tx *t, const struct find *q, const struct drive_item *it)
{
    (void)t;
    return it->description && q->text && strstr(it->description, q->text) != NULL;
}

void say_list(const char *what, struct drive_finder *f, size_t limit)
{
    const char *position = NULL;
    struct buf b;
    buf_init(&b, 0);
    for (int page = 0; page < 20; page++) {
        struct drive_item *items;
        struct drive_access *access;
        size_t n;
        if (drive_find(f, position, limit, &items, &access, &n, &position) < 0) {
            buf_printf(&b, " refused: %s", fault.reason);
            fault = (struct sosia_err){0};
            break;
        }
        for (size_t i = 0; i < n; i++)
            buf_printf(&b, " %s:%d%s%s%s%s", items[i].key, access[i].role,
                       access[i].trashed ? "t" : "", access[i].link ? "l" : "",
                       access[i].inherited ? "i" : "", access[i].expires ? "e" : "");
        if (!position)
            break;
        buf_puts(&b, " /");
    }
    story_say("  %s:%s", what, b.len ? buf_str(&b) : "");
    buf_done(&b);
}

struct drive_finder finder_of(struct drive_viewer *v, struct find *q)
{
    return (struct drive_finder){.viewer = v,
                                 .vendor = vendor,
                                 .question = q,
                                 .scope = SCOPE_PERSON,
                                 .in_drive = true,
                                 .own = own_question,
                                 .type = shown_type,
                                 .stored_types = stored_types};
}

/* ---- who has what ---- */

static const char *share_text(const struct drive_share *s)
{
    const char *text = arena_printf(tx.arena, " %d %s role %d direct %d above %d%s%s%s%s%s%s",
                                    s->kind, s->who, s->role, s->direct, s->above,
                                    s->owns ? " owns" : "", s->discoverable ? " found" : "",
                                    s->pending ? " pending" : "", s->view ? " view" : "",
                                    s->expires_us ? " expires" : "", s->grant ? " here" : "");
    for (const struct drive_share_from *f = s->from; f; f = f->next)
        text = arena_printf(tx.arena, "%s <%d %lld%s>", text, f->role, (long long)f->item,
                            f->top ? " top" : "");
    for (const struct drive_share_from *f = s->beyond; f; f = f->next)
        text = arena_printf(tx.arena, "%s beyond <%d %lld%s>", text, f->role, (long long)f->item,
                            f->top ? " top" : "");
    return text;
}

static void shares(void)
{
    static const char *const keys[] = {"dir!a", "doc!1", "dir!b", "doc!3", "doc!4",
                                       "doc!5", "doc!6", "doc!9", "dir!s", "doc!s",
                                       "dir!u", "doc!u", "dir!t", "doc!t"};
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < SOSIA_LEN(keys); i++) {
        struct drive_item it = {0};
        struct drive_share *list;
        size_t n;
        int64_t rest = 0, size = 0;
        int r = drive_item_by_key(&tx, keys[i], &it);
        ok(r);
        buf_printf(&b, "%s%s\n", keys[i], r ? "" : " is gone");
        if (!r)
            continue;
        ok(drive_shares(&tx, &it, i & 1, &list, &n));
        for (size_t k = 0; k < n; k++)
            buf_printf(&b, " %s%s\n", keys[i], share_text(&list[k]));
        for (size_t who = 0; who < 4; who++) {
            struct drive_viewer v;
            struct drive_access at;
            drive_viewer(&tx, people[who], &v);
            ok(drive_role(&v, &it, &at));
            buf_printf(&b, " %s %s %d%s%s%s%s\n", keys[i], names[who], at.role,
                       at.trashed ? " trashed" : "", at.link ? " link" : "",
                       at.inherited ? " inherited" : "", at.expires ? " expires" : "");
        }
        if (it.form != DRIVE_FOLDER)
            continue;
        ok(drive_child_count(&tx, it.id, &rest));
        ok(drive_size_below(&tx, it.id, &size));
        buf_printf(&b, " %s has %lld, %lld bytes\n", keys[i], (long long)rest, (long long)size);
    }
    for (size_t who = 0; who < 3; who++) {
        int64_t all, trash;
        ok(drive_usage(&tx, people[who]->id, &all, &trash));
        buf_printf(&b, "%s uses %lld, in the trash %lld\n", names[who], (long long)all,
                   (long long)trash);
    }
    for (int64_t top = 0, members, organizers; drive_shared_next(&tx, top, &top) == 1;) {
        ok(drive_shared_count(&tx, top, &members, &organizers));
        buf_printf(&b, "drive %lld: %lld members, %lld organizers, in use %d\n", (long long)top,
                   (long long)members, (long long)organizers, drive_shared_in_use(&tx, top));
    }
    story_state("shares", buf_str(&b));
    buf_done(&b);
}

/* ---- feeds ---- */

static void feed_of(struct buf *b, const char *what, const struct drive_feed *q)
{
    int64_t next = q->from;
    for (int page = 0; page < 20; page++) {
        struct drive_feed one = *q;
        struct drive_feed_entry *list;
        size_t n;
        one.from = next;
        ok(drive_feed_read(&one, &list, &n, &next));
        for (size_t i = 0; i < n; i++)
            buf_printf(b, "%s %lld %s%s%s form %d %s\n", what, (long long)list[i].number,
                       list[i].key, list[i].is_drive ? " drive" : "",
                       list[i].removed ? " removed" : "", list[i].form,
                       list[i].item.name ? list[i].item.name : "-");
        if (!next)
            break;
    }
}

static void feeds(int64_t from)
{
    const struct drive_item eng = item_named("dir!s");
    struct buf b;
    buf_init(&b, 0);
    for (size_t who = 0; who < 4; who++) {
        struct drive_viewer v;
        drive_viewer(&tx, people[who], &v);
        const struct drive_feed all = {
            .viewer = &v, .from = from, .limit = 3, .shared_too = true, .removed = true};
        struct drive_feed q = all;
        feed_of(&b, arena_printf(tx.arena, "%s:", names[who]), &q);
        q.shared_too = false;
        q.removed = false;
        feed_of(&b, arena_printf(tx.arena, "%s's drive:", names[who]), &q);
        q = all;
        q.own_only = true;
        feed_of(&b, arena_printf(tx.arena, "%s's own:", names[who]), &q);
        q = all;
        q.drive = eng.id;
        feed_of(&b, arena_printf(tx.arena, "%s in Eng:", names[who]), &q);
        q = all;
        q.made_by[0] = APP;
        feed_of(&b, arena_printf(tx.arena, "%s, made by an app:", names[who]), &q);
        q = all;
        q.app_space = APP;
        feed_of(&b, arena_printf(tx.arena, "%s, an app's:", names[who]), &q);
    }
    story_state("feeds", buf_str(&b));
    buf_done(&b);
}

/* ---- steps ---- */

int64_t from_change;

void next_step(const char *what)
{
    char *called = strdup(what); /* it may be in the arena of what ends here */
    shares();
    feeds(from_change);
    survey_plain(&tx, &drive_core);
    end();
    story_dump(test_engine, test_world);
    test_advance(60);
    begin();
    story_say("== %s", called);
    free(called);
}

void share_with(const char *key, enum drive_grantee kind, const char *who, enum drive_role role)
{
    struct drive_item it = item_named(key);
    struct drive_share *list, *is = NULL;
    struct drive_grant g = {.kind = kind, .who = who, .role = role};
    size_t n;
    ok(drive_shares(&tx, &it, false, &list, &n));
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == kind && strcmp(list[i].who, who) == 0)
            is = &list[i];
    say_result(drive_share_set(&tx, &it, is, &g, ada.id));
}
