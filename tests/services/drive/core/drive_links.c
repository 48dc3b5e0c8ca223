/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharing links: rows, tokens, passwords, ends, whom they are for, and who has opened one for good;
 * in documents too. Of the vendor that has them.
 */
#include "services/drive/core/access/link.h"
#include "services/drive/core/access/shared.h"
#include "tests/services/drive/core/drive_world.h"
#include "tests/support/world.h"

static const struct actor nobody = {.handle = "", .email = "", .kind = "", .name = ""};

static struct drive_link link_at(struct drive_item *it, enum drive_link_scope scope,
                                 enum drive_link_type type)
{
    struct drive_link l = {.scope = scope, .type = type, .creator = ada.id};
    done(drive_link_save(&tx, it, &l));
    return l;
}

/* 0, or -1 with the fault. */
static int opened_by(const struct actor *who, const char *token, const char *password,
                     struct drive_access *at)
{
    struct drive_viewer v;
    struct drive_item it;
    drive_viewer(&tx, who, &v);
    if (drive_link_open(&v, token, password, &it) < 0)
        return -1;
    return drive_role(&v, &it, at);
}

/* What somebody has by the links that they have opened for good. */
static struct drive_access used_by(const struct actor *who, const struct drive_item *it)
{
    struct drive_viewer v;
    struct drive_access at;
    const struct drive_item now = again(it);
    drive_viewer(&tx, who, &v);
    ok(drive_links_used(&v));
    done(drive_role(&v, &now, &at));
    return at;
}

static void later(int64_t seconds)
{
    end();
    test_advance(seconds);
    begin();
}

/* ---- rows ---- */

static void a_link_is_stored_as_it_is(void **state)
{
    const char *names[] = {EVE, "all@acme.example", BOB};
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), a = add_in(&root, DRIVE_FILE, "a");
    struct drive_link l = {.scope = LINK_USERS,
                           .type = LINK_EDIT,
                           .token = "tok",
                           .no_download = true,
                           .password = "0a:0b",
                           .expires_us = tx.now_us + DAY_US,
                           .creator = bob.id,
                           .created_us = tx.now_us - DAY_US,
                           .users = names,
                           .n_users = 3},
                      bare = {.scope = LINK_ANONYMOUS, .type = LINK_VIEW}, is, *list;
    const int64_t version = f.version;
    size_t n = 7;
    (void)state;
    assert_int_equal(drive_links_any(&tx), 0);
    done(drive_links(&tx, f.id, &list, &n));
    assert_int_equal(n, 0);
    done(drive_link_save(&tx, &f, &l));
    assert_int_equal(drive_links_any(&tx), 1);
    assert_true(l.id && l.item == f.id && f.version > version);
    done(drive_link_save(&tx, &f, &bare));
    assert_true(bare.id != l.id && bare.created_us == tx.now_us);
    assert_int_equal(strlen(bare.token), 32);
    done(drive_links(&tx, a.id, &list, &n));
    assert_int_equal(n, 0);
    done(drive_links(&tx, f.id, &list, &n));
    assert_int_equal(n, 2);
    assert_true(list[0].id == l.id && list[0].item == f.id && list[0].scope == LINK_USERS &&
                list[0].type == LINK_EDIT && list[0].no_download &&
                list[0].expires_us == l.expires_us && list[0].creator == bob.id &&
                list[0].created_us == l.created_us && list[0].n_users == 3);
    assert_string_equal(list[0].token, "tok");
    assert_string_equal(list[0].password, "0a:0b");
    assert_string_equal(list[0].users[0], "all@acme.example"); /* in their order */
    assert_string_equal(list[0].users[1], BOB);
    assert_string_equal(list[0].users[2], EVE);
    assert_true(list[1].id == bare.id && list[1].scope == LINK_ANONYMOUS &&
                list[1].type == LINK_VIEW && !list[1].no_download && !list[1].password &&
                !list[1].expires_us && !list[1].creator && !list[1].n_users);
    /* Changed: its item, token, maker and time stay. */
    l.scope = LINK_ANONYMOUS, l.type = LINK_EMBED, l.no_download = false, l.password = NULL;
    l.expires_us = 0, l.n_users = 1;
    struct drive_link changed = l;
    changed.token = "other", changed.creator = ada.id, changed.created_us = 1;
    done(drive_link_save(&tx, &f, &changed));
    assert_int_equal(drive_link_by_token(&tx, "other", &is), 0);
    assert_int_equal(drive_link_by_token(&tx, "tok", &is), 1);
    assert_true(is.id == l.id && is.scope == LINK_ANONYMOUS && is.type == LINK_EMBED &&
                !is.no_download && !is.password && !is.expires_us && is.creator == bob.id &&
                is.created_us == l.created_us && is.n_users == 1);
    assert_string_equal(is.users[0], EVE);
    done(drive_link_remove(&tx, &f, &l));
    assert_int_equal(drive_link_by_token(&tx, "tok", &is), 0);
    assert_int_equal(asked("select count(*) from drive_link_user"), 0);
    done(drive_links(&tx, f.id, &list, &n));
    assert_true(n == 1 && list[0].id == bare.id);
    assert_int_equal(drive_link_by_token(&tx, bare.token, &is), 1);
    done(drive_delete(&tx, &f));
    assert_int_equal(drive_link_by_token(&tx, bare.token, &is), 0);
}

static void a_link_that_makes_no_sense_is_refused(void **state)
{
    const char *names[LINK_USERS_MAX + 1];
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f");
    struct drive_link l = {.scope = LINK_USERS, .type = LINK_VIEW}, twice = {.token = "t"}, is;
    (void)state;
    for (int i = 0; i <= LINK_USERS_MAX; i++)
        names[i] = arena_printf(tx.arena, "u%d@far.example", i);
    assert_int_equal(drive_link_save(&tx, &f, &l), -1);
    assert_int_equal(fault.code, SOSIA_E_INVALID);
    assert_string_equal(fault.where, "users");
    assert_string_equal(fault.text, "a link for users must have from 1 to 1000 of them");
    refused(-1, "users");
    l.users = names, l.n_users = LINK_USERS_MAX + 1;
    refused(drive_link_save(&tx, &f, &l), "users");
    l.scope = LINK_ANONYMOUS;
    refused(drive_link_save(&tx, &f, &l), "users");
    assert_int_equal(drive_links_any(&tx), 0);
    l.n_users = LINK_USERS_MAX;
    done(drive_link_save(&tx, &f, &l));
    assert_int_equal(drive_link_by_token(&tx, l.token, &is), 1);
    assert_int_equal(is.n_users, LINK_USERS_MAX);
    twice.scope = LINK_ANONYMOUS, twice.type = LINK_VIEW, twice.token = l.token;
    assert_int_equal(drive_link_save(&tx, &f, &twice), -1);
    assert_int_equal(fault.code, SOSIA_E_CONFLICT);
    assert_string_equal(fault.where, "token");
    assert_non_null(strstr(fault.text, l.token));
    refused(-1, "tokenInUse");
}

static void the_widest_scope_that_is_good_counts(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), a = add_in(&f, DRIVE_FILE, "a");
    const char *names[] = {EVE};
    struct drive_link users = {
        .scope = LINK_USERS, .type = LINK_VIEW, .users = names, .n_users = 1};
    enum drive_link_scope scope = 9;
    (void)state;
    assert_int_equal(drive_links_scope(&tx, f.id, &scope), 0);
    done(drive_link_save(&tx, &f, &users));
    assert_int_equal(drive_links_scope(&tx, f.id, &scope), 1);
    assert_int_equal(scope, LINK_USERS);
    struct drive_link org = link_at(&f, LINK_ORGANIZATION, LINK_EDIT);
    assert_int_equal(drive_links_scope(&tx, f.id, &scope), 1);
    assert_int_equal(scope, LINK_ORGANIZATION);
    struct drive_link any = {
        .scope = LINK_ANONYMOUS, .type = LINK_VIEW, .expires_us = tx.now_us + 1};
    done(drive_link_save(&tx, &f, &any));
    assert_int_equal(drive_links_scope(&tx, f.id, &scope), 1);
    assert_int_equal(scope, LINK_ANONYMOUS);
    any.expires_us = tx.now_us; /* over */
    done(drive_link_save(&tx, &f, &any));
    assert_int_equal(drive_links_scope(&tx, f.id, &scope), 1);
    assert_int_equal(scope, LINK_ORGANIZATION);
    assert_int_equal(drive_links_scope(&tx, a.id, &scope), 0); /* at the item itself */
    done(drive_link_remove(&tx, &f, &org));
    done(drive_link_remove(&tx, &f, &users));
    assert_int_equal(drive_links_scope(&tx, f.id, &scope), 0);
}

/* ---- opening ---- */

static void a_link_that_does_not_open_says_why(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f");
    const char *names[] = {"all@acme.example", EVE};
    struct drive_link org = link_at(&f, LINK_ORGANIZATION, LINK_VIEW),
                      users = {.scope = LINK_USERS,
                               .type = LINK_EDIT,
                               .users = names,
                               .n_users = 2,
                               .password = drive_link_password(&tx, "", false)},
                      any = {.scope = LINK_ANONYMOUS,
                             .type = LINK_EMBED,
                             .password = drive_link_password(&tx, "a:b", true)};
    struct drive_access at;
    int64_t group;
    (void)state;
    done(group_new(&tx, "all@acme.example", "All", &group));
    ok(group_add_member(&tx, group, BOB));
    done(drive_link_save(&tx, &f, &users));
    done(drive_link_save(&tx, &f, &any));
    assert_int_equal(opened_by(&bob, "none", NULL, &at), -1);
    assert_int_equal(fault.code, SOSIA_E_NOT_FOUND);
    assert_string_equal(fault.where, "token");
    refused(-1, "noLink");
    assert_int_equal(opened_by(&eve, org.token, NULL, &at), -1);
    assert_int_equal(fault.code, SOSIA_E_FORBIDDEN);
    assert_string_equal(fault.where, "token");
    refused(-1, "organization");
    refused(opened_by(&nobody, org.token, NULL, &at), "organization");
    done(opened_by(&bob, org.token, NULL, &at));
    assert_true(at.role == ROLE_READER && at.link && !at.no_download && !at.expires);
    done(opened_by(&bob, org.token, "any", &at)); /* none is asked for */
    refused(opened_by(&ada, users.token, "", &at), "users");
    refused(opened_by(&nobody, users.token, "", &at), "users");
    assert_int_equal(opened_by(&bob, users.token, NULL, &at), -1);
    assert_int_equal(fault.code, SOSIA_E_FORBIDDEN);
    assert_string_equal(fault.where, "password");
    refused(-1, "password");
    refused(opened_by(&bob, users.token, "x", &at), "password");
    done(opened_by(&bob, users.token, "", &at)); /* as a member of the group */
    assert_int_equal(at.role, ROLE_WRITER);
    done(opened_by(&eve, users.token, "", &at));
    assert_int_equal(at.role, ROLE_WRITER);
    refused(opened_by(&nobody, any.token, "a", &at), "password");
    done(opened_by(&nobody, any.token, "a:b", &at));
    assert_int_equal(at.role, ROLE_READER);
    done(drive_delete(&tx, &f));
    refused(opened_by(&nobody, any.token, "a:b", &at), "noLink");
}

/* A password is kept with a salt: no two texts are the same, and a text is as long as another. */
static void a_password_is_not_kept_as_it_is(void **state)
{
    const char *one = drive_link_password(&tx, "secret", false),
               *two = drive_link_password(&tx, "secret", false),
               *seed = drive_link_password(&tx, "", true);
    (void)state;
    assert_string_not_equal(one, two);
    assert_int_equal(strlen(one), 16 + 1 + 64);
    assert_int_equal(strlen(seed), 16 + 1 + 64);
    assert_int_equal(strspn(one, "0123456789abcdef"), 16);
    assert_int_equal(one[16], ':');
    assert_int_equal(strspn(one + 17, "0123456789abcdef"), 64);
    /* PBKDF2 of SHA-256, a thousand rounds, by the salt's digits. */
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f");
    struct drive_link l = {.scope = LINK_ANONYMOUS,
                           .type = LINK_VIEW,
                           .password =
                               "0011223344556677:"
                               "9b4571ef660efcd8256a3357df8d111923de18f66a9615bff2b9f06812af68bf"};
    struct drive_access at;
    done(drive_link_save(&tx, &f, &l));
    done(opened_by(&eve, l.token, "secret", &at));
}

static void a_link_ends_at_its_time(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f");
    struct drive_link l = {.scope = LINK_ANONYMOUS,
                           .type = LINK_VIEW,
                           .token = "tok",
                           .expires_us = tx.now_us + 60000000},
                      is;
    struct drive_access at;
    (void)state;
    done(drive_link_save(&tx, &f, &l));
    done(opened_by(&eve, "tok", NULL, &at));
    assert_true(at.role == ROLE_READER && at.expires && at.link);
    done(drive_link_use(&tx, &f, &l, &bob));
    assert_int_equal(used_by(&bob, &f).role, ROLE_READER);
    later(59);
    assert_int_equal(drive_link_by_token(&tx, "tok", &is), 1);
    assert_int_equal(used_by(&bob, &f).role, ROLE_READER);
    later(1);
    assert_int_equal(drive_link_by_token(&tx, "tok", &is), 0);
    assert_int_equal(used_by(&bob, &f).role, ROLE_NONE);
    refused(opened_by(&eve, "tok", NULL, &at), "noLink");
}

/* The organisation is that of whose drive it is in. */
static void a_shared_drive_has_its_makers_organisation(void **state)
{
    struct drive_item d = shared_by(&ada, "D"), e = shared_by(NULL, "E"),
                      in = add_in(&d, DRIVE_FILE, "in"), far = add_in(&e, DRIVE_FILE, "far"), home;
    struct drive_access at;
    (void)state;
    struct drive_link l = link_at(&in, LINK_ORGANIZATION, LINK_EDIT),
                      m = link_at(&far, LINK_ORGANIZATION, LINK_EDIT);
    done(opened_by(&bob, l.token, NULL, &at));
    assert_int_equal(at.role, ROLE_WRITER);
    refused(opened_by(&eve, l.token, NULL, &at), "organization");
    refused(opened_by(&bob, m.token, NULL, &at), "organization"); /* nobody's */
    assert_int_equal(drive_root(&tx, eve.id, &home), 1);
    struct drive_item hers = add_in(&home, DRIVE_FILE, "hers");
    m = link_at(&hers, LINK_ORGANIZATION, LINK_EDIT); /* who is of no organisation */
    refused(opened_by(&bob, m.token, NULL, &at), "organization");
    assert_int_equal(opened_by(&eve, m.token, NULL, &at), eve.org ? 0 : -1);
    fault = (struct sosia_err){0};
}

/* Of two that were opened the stronger counts, and the one that lets them download. */
static void the_best_of_what_was_opened_counts(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), a = add_in(&f, DRIVE_FILE, "a"), it;
    struct drive_link held = {.scope = LINK_ANONYMOUS, .type = LINK_EDIT, .no_download = true},
                      view = link_at(&f, LINK_ANONYMOUS, LINK_VIEW);
    struct drive_viewer v;
    struct drive_access at;
    (void)state;
    done(drive_link_save(&tx, &f, &held));
    for (int order = 0; order < 2; order++) {
        drive_viewer(&tx, &eve, &v);
        done(drive_role(&v, &a, &at));
        assert_int_equal(at.role, ROLE_NONE);
        done(drive_link_open(&v, order ? view.token : held.token, NULL, &it));
        done(drive_role(&v, &a, &at)); /* what was known before is found out anew */
        assert_true(at.role == (order ? ROLE_READER : ROLE_WRITER) && at.no_download == !order &&
                    at.inherited);
        done(drive_link_open(&v, order ? held.token : view.token, NULL, &it));
        done(drive_role(&v, &a, &at));
        assert_true(at.role == ROLE_WRITER && at.no_download);
        done(drive_role(&v, &f, &at));
        assert_true(at.role == ROLE_WRITER && at.no_download && !at.inherited);
    }
    held.type = LINK_VIEW;
    done(drive_link_save(&tx, &f, &held));
    for (int order = 0; order < 2; order++) {
        drive_viewer(&tx, &eve, &v);
        done(drive_link_open(&v, order ? view.token : held.token, NULL, &it));
        done(drive_link_open(&v, order ? held.token : view.token, NULL, &it));
        done(drive_role(&v, &a, &at));
        assert_true(at.role == ROLE_READER && !at.no_download);
    }
    give(&f, GRANT_PERSON, EVE, ROLE_READER, false); /* what is given holds nobody back */
    drive_viewer(&tx, &eve, &v);
    done(drive_link_open(&v, held.token, NULL, &it));
    done(drive_role(&v, &a, &at));
    assert_true(at.role == ROLE_READER && !at.no_download && !at.link);
}

/* ---- for good ---- */

static void who_uses_a_link_has_it_from_then_on(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), a = add_in(&f, DRIVE_FILE, "a");
    struct drive_link l = link_at(&f, LINK_ANONYMOUS, LINK_EDIT), is,
                      none = {.scope = LINK_ANONYMOUS, .type = LINK_VIEW};
    struct drive_viewer v;
    struct drive_mine m;
    (void)state;
    l.token = "tok"; /* the same, whatever the row has */
    assert_int_equal(used_by(&eve, &a).role, ROLE_NONE);
    const int64_t version = f.version;
    done(drive_link_use(&tx, &f, &l, &eve));
    assert_true(f.version > version); /* it is in the feed */
    struct drive_access at = used_by(&eve, &a);
    assert_true(at.role == ROLE_WRITER && at.link && at.inherited);
    assert_int_equal(role_of(&eve, &a), ROLE_NONE); /* who has not asked for it */
    m = mine_of(&f, &eve);
    assert_true(m.shared_us == tx.now_us && m.sharer == ada.id);
    drive_viewer(&tx, &eve, &v);
    assert_int_equal(drive_links_used(&v), 1);
    assert_int_equal(drive_links_used(&v), 0); /* it was done */
    drive_viewer(&tx, &bob, &v);
    assert_int_equal(drive_links_used(&v), 0);
    drive_viewer(&tx, &nobody, &v);
    assert_int_equal(drive_links_used(&v), 0);
    drive_viewer(&tx, &(struct actor){.id = 99, .handle = "x"}, &v);
    assert_int_equal(drive_links_used(&v), 0);
    drive_viewer(&tx, &(struct actor){.id = 99, .handle = "x", .email = ""}, &v);
    assert_int_equal(drive_links_used(&v), 0);
    /* Once more is no more. */
    run_sql("update drive_link set token = 'tok'");
    assert_int_equal(drive_link_by_token(&tx, "tok", &is), 1);
    assert_true(is.n_users == 1);
    const int64_t now = f.version;
    done(drive_link_use(&tx, &f, &is, &eve));
    assert_int_equal(f.version, now);
    done(drive_link_use(&tx, &f, &is, &bob));
    assert_int_equal(drive_link_by_token(&tx, "tok", &is), 1);
    assert_int_equal(is.n_users, 2);
    /* Of a link that nobody made the owner shares it; who had it before has it since then. */
    done(drive_link_save(&tx, &a, &none));
    m = (struct drive_mine){.shared_us = 5, .sharer = bob.id, .starred = true};
    done(drive_mine_save(&tx, a.id, eve.id, &m));
    done(drive_link_use(&tx, &a, &none, &eve));
    done(drive_link_use(&tx, &a, &none, &bob));
    m = mine_of(&a, &eve);
    assert_true(m.shared_us == 5 && m.sharer == bob.id && m.starred);
    m = mine_of(&a, &bob);
    assert_true(m.shared_us == tx.now_us && m.sharer == ada.id);
}

static void a_shared_drives_link_is_in_nobodys_list(void **state)
{
    struct drive_item top = shared_by(&ada, "D"), a = add_in(&top, DRIVE_FILE, "a");
    struct drive_link l = link_at(&a, LINK_ANONYMOUS, LINK_VIEW);
    (void)state;
    done(drive_link_use(&tx, &a, &l, &eve));
    assert_int_equal(mine_of(&a, &eve).shared_us, 0);
    assert_int_equal(used_by(&eve, &a).role, ROLE_READER);
}

/* As many as there may be have it for good, and who comes then has it for the call. */
static void a_link_has_so_many_who_use_it(void **state)
{
    const char *names[LINK_USERS_MAX];
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f");
    struct drive_link l = {.scope = LINK_ANONYMOUS, .type = LINK_VIEW, .users = names}, is;
    struct drive_access at;
    (void)state;
    for (int i = 0; i < LINK_USERS_MAX; i++)
        names[i] = arena_printf(tx.arena, "u%d@far.example", i);
    l.n_users = LINK_USERS_MAX - 1;
    done(drive_link_save(&tx, &f, &l));
    done(drive_link_use(&tx, &f, &l, &bob));
    assert_int_equal(drive_link_by_token(&tx, l.token, &is), 1);
    assert_int_equal(is.n_users, LINK_USERS_MAX);
    done(drive_link_use(&tx, &f, &is, &eve));
    assert_int_equal(drive_link_by_token(&tx, l.token, &is), 1);
    assert_int_equal(is.n_users, LINK_USERS_MAX);
    assert_int_equal(used_by(&eve, &f).role, ROLE_NONE);
    assert_int_equal(mine_of(&f, &eve).shared_us, 0);
    done(opened_by(&eve, l.token, NULL, &at));
    assert_int_equal(at.role, ROLE_READER);
    assert_int_equal(used_by(&bob, &f).role, ROLE_READER);
}

/* Whom a link is for has what it gives without opening it, unless it asks for a password. */
static void whom_a_link_is_for_uses_it(void **state)
{
    struct drive_item f = add_in(&root, DRIVE_FOLDER, "f"), g = add_in(&root, DRIVE_FOLDER, "g");
    const char *names[] = {EVE};
    struct drive_link users = {.scope = LINK_USERS,
                               .type = LINK_EDIT,
                               .users = names,
                               .n_users = 1},
                      shut = {.scope = LINK_USERS,
                              .type = LINK_EDIT,
                              .users = names,
                              .n_users = 1,
                              .password = "0a:0b"},
                      said = {.scope = LINK_ANONYMOUS,
                              .type = LINK_VIEW,
                              .users = names,
                              .n_users = 1,
                              .password = "0a:0b",
                              .no_download = true};
    (void)state;
    done(drive_link_save(&tx, &f, &users));
    done(drive_link_save(&tx, &g, &shut));
    assert_int_equal(used_by(&eve, &f).role, ROLE_WRITER);
    assert_int_equal(used_by(&eve, &g).role, ROLE_NONE);
    done(drive_link_save(&tx, &g, &said)); /* who has said it */
    struct drive_access at = used_by(&eve, &g);
    assert_true(at.role == ROLE_READER && at.no_download);
}

/* ---- documents ---- */

static const struct json *links_of(const char *members)
{
    return value_at(file_of(arena_printf(&test_arena, "'links':[{'token':'t'%s%s}]",
                                         *members ? "," : "", members)),
                    "links.0");
}

static void links_are_as_they_were_said(void **state)
{
    static const char *const list[][2] = {
        {"scope", "'organization'"},
        {"type", "'edit'"},
        {"type", "'embed'"},
        {"users", "['all@acme.example','" EVE "']"},
        {"expires", "'2026-12-01T00:00:00Z'"},
        {"expires", "'1970-01-01T00:00:00Z'"},
        {"expires", "'1969-12-31T23:59:59Z'"},
        {"passwordHash", "'0a:0b'"},
        {"noDownload", "true"},
        {"by", "'" BOB "'"},
        {"created", "'2026-11-22T00:00:00Z'"},
    };
    const struct json *v = links_of("");
    (void)state;
    assert_string_equal(said(v, ""), "{'token':'t','scope':'anonymous','type':'view'}");
    for (size_t i = 0; i < SOSIA_LEN(list); i++) {
        const char *value = list[i][1];
        v = links_of(arena_printf(&test_arena, "'%s':%s", list[i][0], value));
        if (*value == '\'')
            value = arena_printf(&test_arena, "%.*s", (int)strlen(value) - 2, value + 1);
        assert_string_equal(said(v, list[i][0]), value);
        assert_int_equal(count_at(v, ""), i < 3 ? 3 : 4);
        assert_int_equal(count_at(links_of(arena_printf(&test_arena, "'%s':null", list[i][0])), ""),
                         3);
    }
    v = links_of("'scope':'users','users':['Eve@FAR.example','" BOB "']");
    assert_string_equal(said(v, ""), "{'token':'t','scope':'users','type':'view','users':['" BOB
                                     "','" EVE "']}");
    v = links_of("'noDownload':false,'by':'" ADA "','users':[],'created':'2026-11-23T08:00:00Z'");
    assert_int_equal(count_at(v, ""), 3); /* as it is without */
    v = links_of("'password':'hush'");
    assert_int_equal(strlen(said(v, "passwordHash")), 81);
    assert_string_equal(said(v, "password"), "");
    assert_string_equal(said(file_of("'links':[]"), "links"), "");
    assert_int_equal(strlen(said(file_of("'links':[{}]"), "links.0.token")), 32);
    assert_string_equal(column(file_of("'links':[{'token':'z'},{'token':'a'}]"), "links", "token"),
                        "z a");
    /* As old as its item, and its owner's. */
    v = value_at(file_of("'created':'2026-01-01','links':[{'token':'t','created':'2026-01-01'},{"
                         "'token':'u','created':'2026-11-23T08:00:00Z'}]"),
                 "links");
    assert_string_equal(said(v, "0.created"), "");
    assert_string_equal(said(v, "1.created"), "2026-11-23T08:00:00Z");
}

/* A link that ended does not become one that never ends. */
static void what_ended_in_1970_is_over(void **state)
{
    struct drive_link is;
    struct drive_access at;
    (void)state;
    seed_more("'files':[{'id':'a','name':'a','owner':'" ADA "','links':[{'token':'first',"
              "'expires':'1970-01-01T00:00:00Z'},{'token':'never'},{'token':'null','expires':null"
              "}]}]");
    refused(opened_by(&eve, "first", NULL, &at), "noLink");
    done(opened_by(&eve, "never", NULL, &at));
    assert_false(at.expires);
    done(opened_by(&eve, "null", NULL, &at));
    assert_int_equal(drive_link_by_token(&tx, "never", &is), 1);
    assert_true(is.creator == ada.id && is.created_us == tx.now_us && !is.expires_us &&
                is.scope == LINK_ANONYMOUS && is.type == LINK_VIEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONE(a_link_is_stored_as_it_is, strict),
        ONE(a_link_that_makes_no_sense_is_refused, strict),
        ONE(the_widest_scope_that_is_good_counts, strict),
        ONE(a_link_that_does_not_open_says_why, strict),
        ONE(a_password_is_not_kept_as_it_is, strict),
        ONE(a_link_ends_at_its_time, strict),
        ONE(a_shared_drive_has_its_makers_organisation, strict),
        ONE(the_best_of_what_was_opened_counts, strict),
        ONE(who_uses_a_link_has_it_from_then_on, strict),
        ONE(a_shared_drives_link_is_in_nobodys_list, strict),
        ONE(a_link_has_so_many_who_use_it, strict),
        ONE(whom_a_link_is_for_uses_it, strict),
        ONE(links_are_as_they_were_said, strict),
        ONE(what_ended_in_1970_is_over, strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
