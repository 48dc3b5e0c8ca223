/* SPDX-License-Identifier: Apache-2.0 */
/* People: profiles, presence, user groups, times of quiet. */
#include "services/chat/slack/web/emoji.h"
#include "tests/support/slack.h"

static void a_person_is_as_recorded(void **state)
{
    const struct json *v = slack(BOB, "users.info", "user=U0ALICE");
    assert_string_equal(members(v, "user"),
                        "id team_id name deleted color real_name tz tz_label tz_offset profile "
                        "is_admin is_owner is_primary_owner is_restricted is_ultra_restricted "
                        "is_bot is_app_user updated is_email_confirmed who_can_share_contact_card");
    assert_string_equal(text_at(v, "user.tz_label"), "Pacific Standard Time");
    assert_int_equal(number_at(v, "user.tz_offset"), -28800);
    assert_string_equal(text_at(v, "user.profile.email"), ALICE);
    v = slack_scoped(BOB, "users:read", "users.info", "user=U0ALICE");
    assert_null(value_at(v, "user.profile.email"));
    slack(BOB, "users.info", "user=U0NOBODY");
    assert_slack("user_not_found");
    v = slack(BOB, "users.lookupByEmail", "email=ALICE@acme.example");
    assert_string_equal(text_at(v, "user.id"), "U0ALICE");
    slack(BOB, "users.lookupByEmail", "email=no@acme.example");
    assert_slack("users_not_found");
    v = slack(BOB, "bots.info", "bot=B0DEPLOY");
    assert_string_equal(members(v, "bot"), "id deleted name updated app_id user_id icons");
    slack(BOB, "bots.info", "bot=B0NONE");
    assert_slack("bot_not_found");
}

static void custom_fields_have_labels_if_they_are_asked_for(void **state)
{
    slack_use_with("profileFields: [{id: Xf0TEAM, label: Team}]\n");
    slack(BOB, "users.profile.set", "profile={\"fields\":{\"Xf0TEAM\":\"Red\",\"Xf9\":\"x\"}}");
    const struct json *v = slack(ALICE, "users.profile.get", "user=U0BOB&include_labels=true");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "profile.fields")),
                        quoted("{'Xf0TEAM':{'value':'Red','alt':'','label':'Team'},"
                               "'Xf9':{'value':'x','alt':''}}"));
    v = slack(ALICE, "users.profile.get", "user=U0BOB");
    assert_null(value_at(v, "profile.fields.Xf0TEAM.label"));
}

static void a_profile_is_ones_own(void **state)
{
    const struct json *v = slack(BOB, "users.profile.set",
                                 "profile={\"status_text\":\"Out\",\"status_emoji\":\":car:\","
                                 "\"status_expiration\":1771189200,\"fields\":{\"Xf1\":"
                                 "{\"value\":\"x\",\"alt\":\"\"}}}");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "profile.status_text"), "Out");
    assert_string_equal(text_at(v, "profile.fields.Xf1.value"), "x");
    test_advance(3601);
    v = slack(ALICE, "users.profile.get", "user=U0BOB");
    assert_string_equal(text_at(v, "profile.status_text"), "");
    /* A new one is not over, and has nothing of the one before. */
    v = slack(BOB, "users.profile.set", "name=status_text&value=Back");
    assert_string_equal(text_at(v, "profile.status_text"), "Back");
    assert_string_equal(text_at(v, "profile.status_emoji"), ":speech_balloon:");
    assert_int_equal(number_at(v, "profile.status_expiration"), 0);
    slack(BOB, "users.profile.set", "profile={\"status_expiration\":8589934592}");
    assert_slack("invalid_profile"); /* no dump could say it */
    for (int i = 2; i < 4; i++)
        slack(BOB, "users.profile.set", "%s",
              slack_form(i == 2 ? "profile={\"fields\":{\"Xf2\":{\"value\":\"{n600000}\"}}}"
                                : "profile={\"fields\":{\"Xf3\":{\"value\":\"{n600000}\"}}}"));
    assert_slack("too_long"); /* together */
    v = slack(BOB, "users.profile.get", "%s", "");
    assert_string_equal(text_at(v, "profile.fields.Xf1.value"), "x"); /* as it was */
    v = slack(BOB, "users.profile.set", "name=first_name&value=");
    assert_string_equal(text_at(v, "profile.real_name"), "Stone");
    slack(BOB, "users.profile.set", "user=U0ALICE&name=title&value=x");
    assert_slack("not_admin");
    slack(ALICE, "users.profile.set", "user=U0BOB&name=title&value=Boss");
    assert_slack(NULL);
    slack(BOB, "users.profile.set", "%s", "");
    assert_slack("invalid_profile");
    slack(BOB, "users.setPresence", "presence=away");
    v = slack(ALICE, "users.getPresence", "user=U0BOB");
    assert_string_equal(members(v, ""), "ok presence");
    assert_string_equal(text_at(v, "presence"), "away");
    v = slack(BOB, "users.getPresence", "%s", "");
    assert_true(true_at(v, "manual_away"));
    slack(BOB, "users.setPresence", "presence=here");
    assert_slack("invalid_presence");
}

static void somebody_is_identified_by_what_he_agreed_to(void **state)
{
    const struct json *v = slack_scoped(BOB, "identity.basic", "users.identity", "");
    assert_slack(NULL);
    assert_string_equal(members(v, "user"), "name id");
    assert_string_equal(members(v, "team"), "id");
    v = slack_scoped(BOB, "identity.basic identity.email identity.avatar identity.team",
                     "users.identity", "");
    assert_string_equal(members(v, "user"), "name id email image_24 image_32 image_48 image_72 "
                                            "image_192 image_512");
    assert_string_equal(text_at(v, "user.email"), BOB);
    assert_string_equal(text_at(v, "team.name"), "Acme");
    slack_scoped(BOB, "users:read", "users.identity", "");
    assert_slack("missing_scope");
    v = slack(BOT, "auth.teams.list", "include_icon=true");
    assert_true(true_at(v, "teams.0.icon.image_default"));
    v = slack(BOT, "auth.teams.list", "%s", "");
    assert_null(value_at(v, "teams.0.icon"));
    assert_slack(NULL);
    assert_string_equal(column(v, "teams", "id"), "T0ACME");
    assert_string_equal(text_at(v, "response_metadata.next_cursor"), "");
    slack(BOB, "users.setActive", "%s", "");
    assert_slack(NULL);
    v = slack(BOB, "users.getPresence", "%s", "");
    assert_true(true_at(v, "online"));
    v = slack(BOB, "users.list", "limit=2");
    assert_string_equal(text_at(v, "offset"), "U0BOB");
    assert_null(value_at(slack(BOB, "users.list", "%s", ""), "offset"));
}

static const char *members_of(const char *channel)
{
    return column(slack(ALICE, "conversations.members", "channel=%s", channel), "members", "");
}

/* Who comes into a group, and who is in it when it gets one more channel; once. */
static void user_groups_put_people_into_their_channels(void **state)
{
    const struct json *v = slack(ALICE, "usergroups.create", "name=Crew&channels=" SECRET);
    const char *id = arena_strdup(&test_arena, text_at(v, "usergroup.id"));
    slack(ALICE, "usergroups.users.update", "usergroup=%s&users=U0BOB", id);
    assert_slack(NULL);
    assert_string_equal(members_of(SECRET), "U0ALICE U0BOB");
    v = slack(BOB, "conversations.history", "channel=" SECRET "&limit=1");
    assert_string_equal(text_at(v, "messages.0.subtype"), "channel_join");
    assert_string_equal(text_at(v, "messages.0.inviter"), "U0ALICE");
    slack(ALICE, "usergroups.users.update", "usergroup=%s&users=", id);
    assert_slack("no_users_provided");
    slack(ALICE, "usergroups.users.update", "usergroup=%s&users=[]", id);
    assert_slack(NULL);
    slack(ALICE, "usergroups.users.list", "usergroup=%s", id);
    assert_string_equal(test_body, "{\"ok\":true,\"users\":[]}");
    slack(ALICE, "usergroups.users.update", "usergroup=%s&users=[\"U0BOB\"]", id);
    slack(BOB, "conversations.leave", "channel=" SECRET);
    assert_slack(NULL);
    slack(ALICE, "usergroups.users.update", "usergroup=%s&users=U0BOB,U0ALICE", id);
    assert_string_equal(members_of(SECRET), "U0ALICE");
    v = slack(ALICE, "conversations.create", "name=crew");
    const char *more = arena_strdup(&test_arena, text_at(v, "channel.id"));
    slack(ALICE, "usergroups.update", "usergroup=%s&channels=" SECRET ",%s", id, more);
    assert_slack(NULL);
    assert_string_equal(members_of(SECRET), "U0ALICE");
    assert_string_equal(members_of(more), "U0ALICE U0BOB");
    slack(ALICE, "conversations.archive", "channel=%s", more);
    slack(ALICE, "usergroups.users.update", "usergroup=%s&users=U0ALICE", id);
    slack(ALICE, "usergroups.users.update", "usergroup=%s&users=U0BOB", id);
    assert_slack(NULL);
    assert_string_equal(members_of(SECRET), "U0ALICE U0BOB");
}

static void user_groups_have_people(void **state)
{
    const struct json *v =
        slack(ALICE, "usergroups.create", "name=Marketing&handle=mkt&channels=" DEV);
    assert_slack(NULL);
    const char *id = text_at(v, "usergroup.id");
    assert_string_equal(column(v, "usergroup.prefs.channels", ""), "C0DEV");
    slack(ALICE, "usergroups.create", "name=Marketing");
    assert_slack("name_already_exists");
    slack(ALICE, "usergroups.create", "name=Other&handle=bob");
    assert_slack("handle_already_exists");
    slack(ALICE, "usergroups.users.update", "usergroup=%s&users=", id);
    assert_slack("no_users_provided");
    slack(ALICE, "usergroups.users.update", "usergroup=%s&users=U0NOBODY", id);
    assert_slack("invalid_users");
    v = slack(ALICE, "usergroups.users.update", "usergroup=%s&users=U0BOB,U0ALICE", id);
    assert_string_equal(column(v, "usergroup.users", ""), "U0ALICE U0BOB");
    slack(ALICE, "usergroups.disable", "usergroup=%s", id);
    v = slack(ALICE, "usergroups.list", "%s", "");
    assert_int_equal(count_at(v, "usergroups"), 0);
    v = slack(ALICE, "usergroups.list", "include_disabled=true&include_count=1");
    assert_int_equal(number_at(v, "usergroups.0.user_count"), 2);
    slack(ALICE, "usergroups.enable", "usergroup=%s", id);
    v = slack(ALICE, "usergroups.users.list", "usergroup=%s", id);
    assert_string_equal(column(v, "users", ""), "U0ALICE U0BOB");
    slack(ALICE, "usergroups.update", "usergroup=S0NONE&name=x");
    assert_slack("no_such_subteam");
}

static void quiet_is_for_a_while(void **state)
{
    slack(BOB, "dnd.info", "%s", "");
    assert_string_equal(test_body, "{\"ok\":true,\"dnd_enabled\":false,\"next_dnd_start_ts\":1,"
                                   "\"next_dnd_end_ts\":1,\"snooze_enabled\":false}");
    const struct json *v = slack(BOB, "dnd.setSnooze", "num_minutes=60");
    assert_int_equal(number_at(v, "snooze_endtime"), 1771189200);
    test_advance(600);
    v = slack(BOB, "dnd.info", "%s", "");
    assert_int_equal(number_at(v, "snooze_remaining"), 3000);
    v = slack(ALICE, "dnd.info", "user=U0BOB");
    assert_null(value_at(v, "snooze_enabled"));
    slack(BOB, "dnd.endSnooze", "%s", "");
    assert_slack(NULL);
    slack(BOB, "dnd.endSnooze", "%s", ""); /* none is active */
    assert_string_equal(test_body, "{\"ok\":true,\"dnd_enabled\":false,\"next_dnd_start_ts\":1,"
                                   "\"next_dnd_end_ts\":1,\"snooze_enabled\":false}");
    slack(BOB, "dnd.setSnooze", "num_minutes=x");
    assert_slack("missing_duration");
    v = slack(BOB, "dnd.teamInfo", "users=U0ALICE,U0BOB");
    assert_string_equal(members(v, "users"), "U0ALICE U0BOB");
    v = slack(BOB, "dnd.teamInfo", "users=U0ALICE,U0BOB,U0ALICE");
    assert_string_equal(members(v, "users"), "U0ALICE U0BOB");
}

static void quiet_that_is_on_is_ended(void **state)
{
    slack(BOB, "dnd.endDnd", "%s", "");
    assert_slack("not_in_dnd");
    slack(BOT, "dnd.endDnd", "%s", "");
    assert_slack("not_allowed_token_type");
    slack(BOB, "dnd.setSnooze", "num_minutes=60");
    slack(BOB, "dnd.endDnd", "%s", "");
    assert_slack(NULL);
    const struct json *v = slack(BOB, "dnd.info", "%s", "");
    assert_false(true_at(v, "snooze_enabled"));
    slack(BOB, "dnd.endDnd", "%s", "");
    assert_slack("not_in_dnd");
}

static void a_daily_stretch_is_ended_alone(void **state)
{
    /* Nine in the evening in Rome. */
    slack_use_with("chatQuiet: [{user: U0BOB, enabled: true, from: 1200, to: 480}]\n");
    const struct json *v = slack(BOB, "dnd.info", "%s", "");
    assert_int_equal(number_at(v, "next_dnd_start_ts"), 1771182000);
    slack(BOB, "dnd.endDnd", "%s", "");
    assert_slack(NULL);
    slack(BOB, "dnd.endDnd", "%s", "");
    assert_slack("not_in_dnd");
    const char *text = json_to_text(&test_arena, read_dump(test_engine, test_world));
    test_use(text);
    assert_string_equal(json_to_text(&test_arena, read_dump(test_engine, test_world)), text);
    v = slack(BOB, "dnd.info", "%s", "");
    assert_true(true_at(v, "dnd_enabled"));
    assert_int_equal(number_at(v, "next_dnd_start_ts"), 1771268400);
    assert_int_equal(number_at(v, "next_dnd_end_ts"), 1771311600);
}

static void admins_see_who_is_paid_for(void **state)
{
    const struct json *v = slack(ALICE, "team.billableInfo", "%s", "");
    assert_string_equal(members(v, "billable_info"), "U0ALICE U0BOB U0CAROL");
    assert_true(true_at(v, "billable_info.U0BOB.billing_active"));
    v = slack(ALICE, "team.billableInfo", "limit=2");
    assert_string_equal(members(v, "billable_info"), "U0ALICE U0BOB");
    const char *next = text_at(v, "response_metadata.next_cursor");
    v = slack(ALICE, "team.billableInfo", "cursor=%s", next);
    assert_string_equal(members(v, "billable_info"), "U0CAROL");
    v = slack(ALICE, "team.billableInfo", "user=U0BOB");
    assert_string_equal(members(v, "billable_info"), "U0BOB");
    slack(ALICE, "team.billableInfo", "user=U0NONE");
    assert_slack("user_not_found");
    slack(ALICE, "team.billableInfo", "cursor=nonsense");
    assert_slack("invalid_cursor");
    slack(BOB, "team.billableInfo", "%s", "");
    assert_slack("no_permission");
    slack(BOT, "team.billableInfo", "%s", "");
    assert_slack("not_allowed_token_type");
}

static void the_workspace_describes_itself(void **state)
{
    const struct json *v = slack(BOB, "team.info", "%s", "");
    assert_string_equal(text_at(v, "team.domain"), "acme");
    slack(BOB, "team.info", "team=T0OTHER");
    assert_slack("team_not_found");
    v = slack(BOB, "team.billing.info", "%s", "");
    assert_string_equal(text_at(v, "plan"), "std");
    v = slack(BOB, "team.profile.get", "%s", "");
    assert_int_equal(count_at(v, "profile.fields"), 0);
    v = slack(BOB, "emoji.list", "%s", "");
    assert_string_equal(members(v, ""), "ok emoji cache_ts");
}

static void emoji_have_categories(void **state)
{
    static bool there[4000];
    const struct json *v = slack(BOB, "emoji.list", "include_categories=true");
    const struct json *list = value_at(v, "categories");
    assert_string_equal(members(v, ""), "ok emoji cache_ts categories_version categories");
    assert_string_equal(column(v, "categories", "name"),
                        "Smileys & Emotion People & Body Animals & Nature Food & Drink Travel & "
                        "Places Activities Objects Symbols Flags");
    assert_string_equal(text_at(v, "categories.0.emoji_names.0"), "grinning");
    assert_true(sl_emoji_count < 4000);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *names = json_get(&list->items[i], "emoji_names");
        for (uint32_t k = 0; k < names->n; k++) {
            const char *name = names->items[k].str;
            const struct sl_emoji *e = sl_emoji_named(name, strlen(name));
            assert_non_null(e);
            assert_false(there[e - sl_emoji_all]); /* each is in one */
            there[e - sl_emoji_all] = true;
        }
    }
    for (size_t i = 0; i < sl_emoji_count; i++) {
        const struct sl_emoji *e = &sl_emoji_all[i];
        bool part = strncmp(e->name, "skin-tone-", 10) == 0;
        if (e->code && !(e->flags & SL_EMOJI_ALIAS) && !part && !there[i])
            fail_msg("%s is in no category", e->name);
    }
}

static void channels_have_links(void **state)
{
    const struct json *v =
        slack(ALICE, "bookmarks.add",
              "channel_id=" DEV "&title=Plan&type=link&link=https://x.example/plan&emoji=:clap:");
    assert_slack(NULL);
    assert_string_equal(members(v, "bookmark"),
                        "id channel_id title link emoji icon_url type entity_id date_created "
                        "date_updated rank last_updated_by_user_id last_updated_by_team_id "
                        "shortcut_id app_id");
    assert_string_equal(text_at(v, "bookmark.icon_url"), "https://x.example/favicon.ico");
    const char *id = text_at(v, "bookmark.id");
    slack(ALICE, "bookmarks.add", "channel_id=" DEV "&title=x&type=link&link=ftp://x");
    assert_slack("invalid_link");
    slack(ALICE, "bookmarks.add", "channel_id=" DEV "&title=x&type=file&link=https://x");
    assert_slack("invalid_bookmark_type");
    slack(CAROL, "bookmarks.add", "channel_id=" DEV "&title=x&type=link&link=https://x");
    assert_slack("permission_denied");
    v = slack(BOB, "bookmarks.edit", "channel_id=" DEV "&bookmark_id=%s&title=New", id);
    assert_string_equal(text_at(v, "bookmark.last_updated_by_user_id"), "U0BOB");
    v = slack(BOB, "bookmarks.list", "channel_id=" DEV);
    assert_string_equal(column(v, "bookmarks", "title"), "New");
    slack(BOB, "bookmarks.edit", "channel_id=" DEV "&bookmark_id=%s&emoji=No Emoji", id);
    assert_slack("invalid_emoji");
    slack(BOB, "bookmarks.add",
          "channel_id=" DEV "&title=x&type=link&link=https://x.example&emoji=::");
    assert_slack("invalid_emoji");
    const char *long_title = slack_form("title={n257}");
    slack(BOB, "bookmarks.add", "channel_id=" DEV "&%s&type=link&link=https://x.example",
          long_title);
    assert_slack("invalid_arguments");
    slack(BOB, "bookmarks.edit", "channel_id=" DEV "&bookmark_id=%s&%s", id, long_title);
    assert_slack("invalid_arguments");
    slack(BOB, "bookmarks.remove", "channel_id=" DEV "&bookmark_id=%s", id);
    assert_slack(NULL);
    slack(BOB, "bookmarks.remove", "channel_id=" DEV "&bookmark_id=%s", id);
    assert_slack("not_found");
}

static void a_new_link_is_the_last(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++) {
        const struct json *v =
            slack(ALICE, "bookmarks.add",
                  "channel_id=" DEV "&title=%d&type=link&link=https://x.example/", i);
        assert_slack(NULL);
        if (i == 27 || i > 28)
            continue;
        slack(ALICE, "bookmarks.remove", "channel_id=" DEV "&bookmark_id=%s",
              text_at(v, "bookmark.id"));
        assert_slack(NULL);
    }
    const struct json *v = slack(ALICE, "bookmarks.list", "channel_id=" DEV);
    assert_string_equal(column(v, "bookmarks", "title"), "27 29");
    slack_use_with(
        "bookmarks: [{channel: dev, title: last, rank: zz}, {channel: dev, title: é, rank: é}]\n");
    slack(ALICE, "bookmarks.add", "channel_id=" DEV "&title=new&type=link&link=https://x.example");
    v = slack(ALICE, "bookmarks.list", "channel_id=" DEV);
    assert_string_equal(column(v, "bookmarks", "title"), "last é new");
}

static void reminders_are_ones_own(void **state)
{
    const struct json *v = slack(ALICE, "reminders.add", "text=do it&time=in 15 minutes");
    assert_int_equal(number_at(v, "reminder.time"), 1771186500);
    const char *id = text_at(v, "reminder.id");
    slack(ALICE, "reminders.add", "text=x&time=60&user=U0BOB");
    assert_slack("cannot_add_others");
    slack(ALICE, "reminders.add", "text=x&time=every day&user=U0BOB");
    assert_slack("cannot_add_others_recurring");
    slack(ALICE, "reminders.complete", "reminder=%s", id);
    assert_slack(NULL);
    v = slack(ALICE, "reminders.info", "reminder=%s", id);
    assert_int_equal(number_at(v, "reminder.complete_ts"), 1771185600);
    slack(BOB, "reminders.info", "reminder=%s", id);
    assert_slack("not_found");
    slack(ALICE, "reminders.delete", "reminder=%s", id);
    v = slack(ALICE, "reminders.list", "%s", "");
    assert_int_equal(count_at(v, "reminders"), 0);
    slack(BOT, "reminders.list", "%s", "");
    assert_slack("not_allowed_token_type");
    slack_use_with("chatReminders: [{id: Rm0OTHERS, user: U0BOB, creator: U0ALICE, text: Eat, at: "
                   "tomorrow}]\n");
    v = slack(ALICE, "reminders.list", "%s", "");
    assert_string_equal(column(v, "reminders", "user"), "U0BOB");
    slack(ALICE, "reminders.complete", "reminder=Rm0OTHERS");
    assert_slack("cannot_complete_others");
}

/* It is 2026-02-15, a Sunday, 12:00 in Los Angeles. */
static void times_are_said_in_words(void **state)
{
    static const struct {
        const char *when;
        long at; /* 0: cannot_parse */
    } times[] = {{"in 15 minutes", 1771186500},
                 {"in an hour", 1771189200},
                 {"In 2 weeks", 1772395200},
                 {"3600", 1771189200},
                 {"1771200000", 1771200000},
                 {"tomorrow at 10:30", 1771266600},
                 {"tomorrow", 1771261200},
                 {"at 3pm", 1771196400},
                 {"11am", 1771268400}, /* has passed today */
                 {"today at 5 pm", 1771203600},
                 {"noon tomorrow", 1771272000},
                 {"tuesday", 1771347600},
                 {"next week", 1771261200},
                 {"sunday at 9", 1771779600}, /* has passed today */
                 {"on March 1st at 8:15am", 1772381700},
                 {"2026-02-16 at midnight", 1771228800},
                 {"5th of june", 1780675200},
                 {"january 2", 1798909200},
                 {"whenever", 0},
                 {"in x minutes", 0},
                 {"in 15", 0},
                 {"today at 99:00", 0},
                 {"today at 9am", 0},
                 {"tomorrow at 13pm", 0},
                 {"february 30", 0},
                 {"on 2026-01-01", 0},
                 {"on 2036-01-01", 0},
                 {"tomorrow tomorrow", 0},
                 {"every", 0},
                 {"every blue moon", 0},
                 {"a b c d e f g h i j k l m n o p q r s t u v w x y z", 0},
                 {"supercalifragilistic", 0}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const struct json *v = slack(ALICE, "reminders.add", "text=do it&time=%s", times[i].when);
        if (times[i].at && number_at(v, "reminder.time") != times[i].at)
            fail_msg("%s: %ld", times[i].when, (long)number_at(v, "reminder.time"));
        if (!times[i].at)
            assert_slack("cannot_parse");
    }
}

static void reminders_come_again(void **state)
{
    static const struct {
        const char *when, *recurrence; /* as it is kept */
        const char *first, *second;    /* of the messages */
    } cases[] = {
        {"every day at 1pm", "{\"frequency\":\"daily\"}", "1771189200", "1771275600"},
        {"every weekday at 9am",
         "{\"frequency\":\"weekly\",\"weekdays\":[\"monday\",\"tuesday\",\"wednesday\","
         "\"thursday\","
         "\"friday\"]}",
         "1771261200", "1771347600"},
        {"every tuesday and thursday",
         "{\"frequency\":\"weekly\",\"weekdays\":[\"tuesday\",\"thursday\"]}", "1771347600",
         "1771520400"},
        {"every week on friday", "{\"frequency\":\"weekly\",\"weekdays\":[\"friday\"]}",
         "1771606800", "1772211600"},
        /* After the clock has gone forward. */
        {"every month on the 16th", "{\"frequency\":\"monthly\"}", "1771261200", "1773676800"},
        {"tomorrow at 9am&recurrence={\"frequency\":\"weekly\",\"weekdays\":[\"wednesday\"]}",
         "{\"frequency\":\"weekly\",\"weekdays\":[\"wednesday\"]}", "1771434000", "1772038800"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slack_use_with("");
        const struct json *v = slack(ALICE, "reminders.add", "text=stretch&time=%s", cases[i].when);
        assert_slack(NULL);
        assert_true(true_at(v, "reminder.recurring"));
        assert_null(value_at(v, "reminder.time"));
        assert_string_equal(json_to_text(&test_arena, value_at(v, "reminder.recurrence")),
                            cases[i].recurrence);
        slack(ALICE, "reminders.complete", "reminder=%s", text_at(v, "reminder.id"));
        assert_slack("cannot_complete_recurring");
        test_advance(32 * 86400);
        v = slack(ALICE, "conversations.open", "users=USLACKBOT");
        v = slack(ALICE, "conversations.history", "channel=%s&limit=999", text_at(v, "channel.id"));
        const struct json *all = value_at(v, "messages");
        assert_true(all->n >= 2);
        assert_string_equal(text_at(v, "messages.0.text"), "Reminder: stretch.");
        assert_string_equal(text_at(v, "messages.0.user"), "USLACKBOT");
        assert_memory_equal(text_at(&all->items[all->n - 1], "ts"), cases[i].first, 10);
        assert_memory_equal(text_at(&all->items[all->n - 2], "ts"), cases[i].second, 10);
    }
    slack_use_with("");
    slack(ALICE, "reminders.add", "text=&time=60"); /* no document could say it */
    assert_slack("invalid_arguments");
    slack(ALICE, "reminders.add", "text=salt %%26 <pepper&time=60");
    test_advance(60);
    const struct json *open = slack(ALICE, "conversations.open", "users=USLACKBOT");
    open = slack(ALICE, "conversations.history", "channel=%s", text_at(open, "channel.id"));
    assert_string_equal(text_at(open, "messages.0.text"), "Reminder: salt &amp; &lt;pepper.");
    slack(ALICE, "reminders.add", "text=x&time=tomorrow&recurrence={\"frequency\":\"hourly\"}");
    assert_slack("invalid_arguments");
}

static void profiles_have_limits(void **state)
{
    slack_json(ALICE, "users.profile.set", "{'profile':{'display_name':'see https://x.example'}}");
    assert_slack("name_not_allowed");
    slack_json(ALICE, "users.profile.set", "{'profile':{'display_name':'@alice'}}");
    assert_slack("invalid_starts_with_at");
    slack_json(BOB, "users.profile.set", "{'profile':{'email':'rob@acme.example'}}");
    assert_slack("not_admin");
    slack_json(ALICE, "users.profile.set",
               "{'user':'U0BOB','profile':{'email':'carol@acme.example'}}");
    assert_slack("email_taken");
    slack_json(ALICE, "users.profile.set",
               "{'user':'U0BOB','profile':{'email':'rob@acme.example'}}");
    assert_slack(NULL);
    test_use("sosia: 1\ntime: 2026-02-15T20:00:00Z\npeople:\n"
             "  - {email: alice@acme.example, name: Alice}\n"
             "  - {email: bob@acme.example, name: Bob}\n"
             "  - {email: carol@acme.example, name: Carol}\n"
             "workspaces:\n  - id: T0ACME\n    domain: acme\n    name: Acme\n    members:\n"
             "      - {actor: alice@acme.example, id: U0ALICE, role: owner}\n"
             "      - {actor: bob@acme.example, id: U0BOB, role: admin}\n"
             "      - {actor: carol@acme.example, id: U0CAROL}\n");
    slack_json(BOB, "users.profile.set", "{'user':'U0ALICE','profile':{'title':'x'}}");
    assert_slack("cannot_update_admin_user");
    slack_json(BOB, "users.profile.set", "{'user':'U0CAROL','profile':{'title':'x'}}");
    assert_slack(NULL);
    slack_json(BOB, "users.profile.set", "{'profile':{'title':'own'}}");
    assert_slack(NULL);
}

/* A guest changes no groups, and nobody names a channel that he does not see. */
static void groups_are_changed_by_members_alone(void **state)
{
    slack(ALICE, "usergroups.create", "name=Marketing&handle=mkt&channels=" SECRET);
    assert_slack(NULL);
    slack(BOB, "usergroups.create", "name=Spies&channels=" SECRET);
    assert_slack("invalid_channel_provided");
    slack(BOB, "usergroups.create", "name=Spies&channels=C0NONE");
    assert_slack("invalid_channel_provided");
    test_use("sosia: 1\n"
             "people: [{email: a@x.example, name: A}, {email: g@x.example, name: G},\n"
             "  {email: s@x.example, name: S}, {handle: helper, kind: bot, name: Helper}]\n"
             "workspaces: [{id: T0X, domain: x, plan: plus, members: [{actor: a@x.example, role: "
             "owner},\n"
             "  {actor: g@x.example, role: guest, id: U0GUEST}, {actor: helper, id: U0HELPER},\n"
             "  {actor: s@x.example, role: channel_guest, id: U0SINGLE}]}]\n"
             "userGroups: [{id: S0A, name: A, handle: aa, users: [a@x.example], creator: "
             "a@x.example}]\n");
    slack("g@x.example", "usergroups.disable", "usergroup=S0A");
    assert_slack("permission_denied");
    slack("g@x.example", "usergroups.enable", "usergroup=S0A");
    assert_slack("permission_denied");
    slack("g@x.example", "usergroups.users.update", "usergroup=S0A&users=U0GUEST");
    assert_slack("permission_denied");
    /* Nor is one in them, or a bot (docs.slack.dev, usergroups.users.update). */
    slack("a@x.example", "usergroups.users.update", "usergroup=S0A&users=U0GUEST");
    assert_slack("invalid_users");
    slack("a@x.example", "usergroups.users.update", "usergroup=S0A&users=U0HELPER");
    assert_slack("invalid_users");
    slack("a@x.example", "usergroups.users.update", "usergroup=S0A&users=USLACKBOT");
    assert_slack("invalid_users");
    slack("a@x.example", "usergroups.users.update", "usergroup=S0A&users=U0SINGLE");
    assert_slack("single_channel_guests_cannot_be_added");
    const struct json *v = slack("a@x.example", "usergroups.users.list", "usergroup=S0A");
    assert_int_equal(count_at(v, "users"), 1);
}

static void guests_list_no_channels_that_they_do_not_see(void **state)
{
    test_use(
        "sosia: 1\n"
        "people: [{email: a@x.example, name: A}, {email: g@x.example, name: G}]\n"
        "workspaces: [{id: T0X, domain: x, members: [{actor: a@x.example, role: owner, id: U0A},\n"
        "  {actor: g@x.example, role: guest}]}]\n"
        "channels: [{id: C0OURS, name: ours, creator: U0A, members: [U0A, g@x.example]},\n"
        "  {id: C0THEIRS, name: theirs, creator: U0A, members: [U0A]}]\n");
    const struct json *v = slack("g@x.example", "users.conversations", "user=U0A");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "channels.0.id"), "C0OURS");
    assert_null(text_at(v, "channels.1.id"));
    v = slack("a@x.example", "users.conversations", "%s", "");
    assert_string_equal(text_at(v, "channels.1.id"), "C0THEIRS");
}

static void guests_see_those_of_their_channels(void **state)
{
    test_use(
        "sosia: 1\n"
        "people: [{email: a@x.example, name: A}, {email: g@x.example, name: G}]\n"
        "workspaces: [{id: T0X, domain: x, members: [{actor: a@x.example, role: owner, id: U0A},\n"
        "  {actor: g@x.example, role: guest}]}]\n");
    slack("g@x.example", "users.profile.get", "user=U0A");
    assert_slack("user_not_found");
    slack("g@x.example", "users.getPresence", "user=U0A");
    assert_slack("user_not_found");
    slack("g@x.example", "users.lookupByEmail", "email=a@x.example");
    assert_slack("users_not_found");
    slack("g@x.example", "chat.postMessage", "channel=U0A&text=x");
    assert_slack("channel_not_found");
    slack("g@x.example", "users.profile.get", "%s", "");
    assert_slack(NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(guests_see_those_of_their_channels),
        slack_test(guests_list_no_channels_that_they_do_not_see),
        slack_test(groups_are_changed_by_members_alone),
        slack_test(a_person_is_as_recorded),
        slack_test(a_profile_is_ones_own),
        slack_test(custom_fields_have_labels_if_they_are_asked_for),
        slack_test(somebody_is_identified_by_what_he_agreed_to),
        slack_test(user_groups_have_people),
        slack_test(user_groups_put_people_into_their_channels),
        slack_test(quiet_is_for_a_while),
        slack_test(quiet_that_is_on_is_ended),
        slack_test(a_daily_stretch_is_ended_alone),
        slack_test(admins_see_who_is_paid_for),
        slack_test(the_workspace_describes_itself),
        slack_test(emoji_have_categories),
        slack_test(channels_have_links),
        slack_test(a_new_link_is_the_last),
        slack_test(reminders_are_ones_own),
        slack_test(times_are_said_in_words),
        slack_test(reminders_come_again),
        slack_test(profiles_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
